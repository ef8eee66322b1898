// The keys of the session page.

export function bindings(page) {
  const {model, actions, find} = page;
  const here = () => model.path[model.rows[page.currentRow()]?.first ?? 0];
  const isPrompt = (row) => row.kind === 'user';
  return [
    {keys: ['j', 'ArrowDown'], label: 'next entry', run: () => page.walk(1)},
    {keys: ['k', 'ArrowUp'], label: 'previous entry', run: () => page.walk(-1)},
    {keys: 'J', label: 'next prompt', run: () => page.walk(1, isPrompt)},
    {keys: 'K', label: 'previous prompt', run: () => page.walk(-1, isPrompt)},
    {keys: ['g g', 'Home'], label: 'first entry', run: () => page.jumpToShare(0)},
    {keys: ['G', 'End'], label: 'last entry', run: () => page.toEnd()},
    {keys: 'Ctrl-f', label: 'find in the session', always: true, run: () => find.open()},
    {keys: 'n', label: 'next hit', run: () => find.walk(1, page.firstPosition())},
    {keys: 'N', label: 'previous hit', run: () => find.walk(-1, page.firstPosition())},
    {keys: 'h', label: 'branch to the left', run: () => page.besideBranch(-1)},
    {keys: 'l', label: 'branch to the right', run: () => page.besideBranch(1)},
    {keys: '[', label: 'newer session', run: () => page.beside(-1)},
    {keys: ']', label: 'older session', run: () => page.beside(1)},
    {keys: 't', label: 'tree', run: () => page.panels.toggle('tree')},
    {keys: 'o', label: 'outline', run: () => page.panels.toggle('outline')},
    {keys: 'x', label: 'context', run: () => page.showContext(here())},
    {keys: 'w', label: 'turns and calls', run: () => page.panels.toggle('turns')},
    {keys: 'd', label: 'changes of files', run: () => page.panels.toggle('changes')},
    {keys: 'i', label: 'images', run: () => page.panels.toggle('images')},
    {keys: 'f', label: 'follow the end', run: () => page.setFollow(!page.follow)},
    {keys: 'e', label: 'open or close the entry', run: () => page.toggleCurrent()},
    {keys: 'E', label: 'open or close all', run: () => page.toggleAll()},
    {keys: 'c', label: 'copy the entry', run: () => actions.copyEntries(page.ordinalsAt(here()), 'markdown')},
    {keys: 'y', label: 'copy the link', run: () => actions.copyLink(here())},
    {keys: 's', label: 'show or hide the secrets of the entry', run: () => page.showSecrets()},
    {keys: 'r', label: 'raw entries', run: () => page.setRaw(!page.raw)},
    {keys: 'p', label: 'pin or unpin the session', run: () => page.mayWrite && actions.pin()},
    {keys: '.', label: 'actions for the entry', run: () => page.openActions()},
    {keys: 'Escape', label: 'close', run: () => page.escape()},
  ];
}
