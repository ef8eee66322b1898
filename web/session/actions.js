// What a reader may do with an entry or the session: copy, export, and, where the token may
// write, label, rename, fork, move the leaf, archive, delete.

import {el, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {go, href} from '../core/router.js';
import {attempt, confirmDialog, copy, download, menu, openDialog, promptDialog, toast} from '../core/ui.js';
import {keepItems, pin, toTrash} from '../sessions/keep.js';
import {entryMarkdown} from './rows.js';
import {jsonText} from './blocks.js';

const TARGETS = [['markdown', 'Markdown', 'md'], ['html', 'One HTML page', 'html'], ['jsonl', 'JSON lines', 'jsonl'],
  ['claude-code', 'For Claude Code', 'jsonl'], ['codex', 'For Codex', 'jsonl'], ['gemini', 'For Gemini CLI', 'json'], ['opencode', 'For opencode', 'json'],
  ['qwen', 'For Qwen Code', 'jsonl'], ['copilot', 'For Copilot', 'jsonl'], ['pi', 'For pi', 'jsonl'], ['omp', 'For oh-my-pi', 'jsonl'], ['otlp', 'OpenTelemetry', 'json'], ['atif', 'ATIF', 'json']];
const ENTRIES_AT_ONCE = 200;

export class Actions {
  constructor(view) {
    this.view = view;
  }

  path(rest = '') {
    return `/v1/sessions/${this.view.model.id}${rest}`;
  }

  run(what, done) {
    return attempt(what, done);
  }

  // ---- copy -------------------------------------------------------------------------

  async items(ordinals) {
    const {model, content} = this.view;
    const list = [...ordinals];
    if (list.length)
      await content.need(model.position[list[0]], model.position[list[list.length - 1]]);
    const whole = [];
    for (const o of list) {
      const item = content.get(o);
      if (item && item.cuts && item.cuts.length)
        whole.push({...item, entry: await api.get(this.path(`/entries/${encodeURIComponent(model.ids[o])}`))});
      else if (item)
        whole.push(item);
    }
    return whole;
  }

  async copyEntries(ordinals, format) {
    const {model} = this.view;
    await this.run(async () => {
      const items = (await this.items(ordinals)).filter((item) => !model.isHidden(item.ordinal));
      const text = format === 'json' ? jsonText(items.length === 1 ? items[0].entry : items.map((i) => i.entry))
        : items.map((i) => entryMarkdown(i, model.kindOf(i.ordinal))).filter(Boolean).join('\n\n');
      await copy(text, `copied ${items.length === 1 ? 'the entry' : `${items.length} entries`} as ${format === 'json' ? 'JSON' : 'Markdown'}`);
    });
  }

  // From a prompt to the next one.
  turnOf(o) {
    const {model} = this.view;
    let from = model.position[o];
    while (from > 0 && model.kindOf(model.path[from]) !== 'user')
      from--;
    let to = from + 1;
    while (to < model.path.length && model.kindOf(model.path[to]) !== 'user' && to - from < ENTRIES_AT_ONCE)
      to++;
    return model.path.subarray(from, to);
  }

  async copySession(to) {
    await this.run(async () => {
      const answer = await api.raw(this.path('/export'), {to, leaf: this.view.leafId()}, {signal: this.view.signal});
      await copy(await answer.text(), 'copied the session');
    });
  }

  copyLink(o) {
    const {model} = this.view;
    copy(location.origin + '/' + href(['session', model.id, model.ids[o]]), 'copied the link');
  }

  // ---- export -----------------------------------------------------------------------

  async save(to, ending) {
    const {model} = this.view;
    await this.run(async () => {
      const answer = await api.raw(this.path('/export'), {to, leaf: this.view.leafId()}, {signal: this.view.signal});
      download(`${model.id}.${ending}`, await answer.blob());
    }, 'exported');
  }

  exportMenu(anchor) {
    menu(anchor, [
      ...TARGETS.slice(0, 3).map(([to, label, ending]) => ({label, icon: 'download', run: () => this.save(to, ending)})), {},
      {label: 'Copy as Markdown', icon: 'copy', run: () => this.copySession('markdown')},
      {label: 'Copy as JSON lines', icon: 'copy', run: () => this.copySession('jsonl')}, {},
      ...TARGETS.slice(3).map(([to, label, ending]) => ({label, icon: 'download', run: () => this.save(to, ending)})),
    ]);
  }

  // ---- changes ----------------------------------------------------------------------

  async label(o) {
    const {model, content} = this.view;
    const item = content.get(o);
    const label = await promptDialog({title: 'Label the entry', label: 'Label', value: (item && item.label) || '', ok: 'Save', hint: 'an empty label removes it'});
    if (label != null && await this.run(() => api.send('PUT', this.path(`/labels/${encodeURIComponent(model.ids[o])}`), {label}), label ? 'labelled' : 'label removed'))
      await this.view.reloadEntries([o]);
  }

  async rename() {
    const {session} = this.view.model;
    const title = await promptDialog({title: 'Rename the session', label: 'Title', value: session.title || '', ok: 'Rename'});
    if (title && await this.run(() => api.send('PATCH', this.path(), {title}), 'renamed'))
      await this.view.extend();
  }

  async fork() {
    const made = await this.run(() => api.send('POST', this.path('/fork'), {}));
    if (made)
      toast('forked', {action: {label: 'Open the copy', run: () => go(['session', made.session])}});
  }

  async moveLeaf(o) {
    const {model} = this.view;
    if (await this.run(() => api.send('PUT', this.path('/leaf'), {to: model.ids[o]}), 'the next entry goes below this one'))
      await this.view.extend();
  }

  async archive() {
    const {session} = this.view.model;
    if (await this.run(() => api.send('PATCH', this.path(), {archived: !session.archived}), session.archived ? 'back in the list' : 'archived'))
      await this.view.extend();
  }

  async folderMenu(anchor) {
    const got = await this.run(() => api.get('/v1/conversation-folders'));
    if (!got)
      return;
    const put = (folder) => this.run(() => api.send('PATCH', this.path(), {folder_id: folder}), 'moved');
    menu(anchor, [{label: 'In no folder', run: () => put(0)},
      ...got.folders.map((f) => ({label: plain(f.name), icon: 'folder', run: () => put(f.id)})), {},
      {label: 'New folder…', icon: 'plus', run: async () => {
        const name = await promptDialog({title: 'New folder', label: 'Name', ok: 'Add'});
        const made = name && await this.run(() => api.send('POST', '/v1/conversation-folders', {name}));
        if (made)
          await put(made.id);
      }}]);
  }

  async remove() {
    const {session} = this.view.model;
    const sure = await confirmDialog({title: 'Delete the session', typed: session.id, label: 'Delete for good',
      text: `${plain(session.title) || 'The session'} is deleted with its artifacts and outputs. This cannot be undone.`});
    if (sure && await this.run(() => api.send('DELETE', this.path()), 'deleted'))
      go('/sessions');
  }

  async pin() {
    if (await pin(this.view.row))
      await this.view.loadRow();
  }

  async trash() {
    if (await toTrash(this.view.row))
      go('/sessions');
  }

  // ---- menus ------------------------------------------------------------------------

  entryMenu(anchor, o) {
    const {mayWrite, model} = this.view;
    menu(anchor, [
      {label: 'Copy as Markdown', icon: 'copy', keys: 'c', run: () => this.copyEntries(this.view.ordinalsAt(o), 'markdown')},
      {label: 'Copy as JSON', icon: 'copy', run: () => this.copyEntries(this.view.ordinalsAt(o), 'json')},
      {label: 'Copy the turn', icon: 'copy', run: () => this.copyEntries(this.turnOf(o), 'markdown')},
      {label: 'Copy the link', icon: 'link', keys: 'y', run: () => this.copyLink(o)}, {},
      {label: 'What the model saw here', icon: 'layers', run: () => this.view.showContext(o)},
      {label: 'The entry as it is stored', icon: 'list', run: () => this.showStored(o)},
      mayWrite ? {} : null,
      mayWrite ? {label: 'Label…', icon: 'label', run: () => this.label(o)} : null,
      mayWrite && o !== model.leaf ? {label: 'Go on from here (move the leaf)', icon: 'branch', run: () => this.moveLeaf(o)} : null,
    ]);
  }

  async showStored(o) {
    const {model} = this.view;
    const entry = await this.run(() => api.get(this.path(`/entries/${encodeURIComponent(model.ids[o])}`)));
    if (entry)
      openDialog({title: `Entry ${model.ids[o]}`, class: 'wide', body: el('pre', {class: 'block'}, jsonText(entry).slice(0, 500000))});
  }

  sessionMenu(anchor) {
    const {view} = this;
    const {mayWrite, model} = view;
    menu(anchor, [
      {label: 'Raw entries', icon: 'list', checked: view.raw, run: () => view.setRaw(!view.raw)},
      {label: 'Entries of state', icon: 'filter', checked: view.showState, run: () => view.setShowState(!view.showState)},
      {label: 'Wrap long lines', icon: 'terminal', checked: view.wrap, run: () => view.setWrap(!view.wrap)},
      {label: 'Open at the last place read', icon: 'clock', checked: view.startAt === 'last', run: () => view.setStart(view.startAt === 'last' ? 'top' : 'last')}, {},
      {label: 'Outputs of this session', icon: 'outputs', run: () => go(['outputs', model.id])},
      {label: 'Copy the resume command', icon: 'terminal', run: () => copy(`quire resume ${model.id}`, 'copied the command')},
      mayWrite ? {} : null,
      mayWrite ? {label: 'Rename…', icon: 'edit', run: () => this.rename()} : null,
      mayWrite ? {label: 'Fork', icon: 'fork', run: () => this.fork()} : null,
      mayWrite ? {label: 'Put into a folder…', icon: 'folder', run: () => this.folderMenu(anchor)} : null,
      mayWrite ? {label: model.session.archived ? 'Take out of the archive' : 'Archive', icon: 'archive', run: () => this.archive()} : null,
      ...mayWrite ? keepItems(view.row, () => view.loadRow()) : [],
      mayWrite ? {label: 'Move to the trash', icon: 'trash', run: () => this.trash()} : null,
      mayWrite ? {label: 'Delete for good…', icon: 'trash', danger: true, run: () => this.remove()} : null,
    ]);
  }
}
