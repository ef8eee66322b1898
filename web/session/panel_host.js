// The panel beside the transcript: which one is open stands in the address (view=), so that
// a link shows the same.

import {el, replace} from '../core/dom.js';
import {current, go, setQuery} from '../core/router.js';
import {settings} from '../core/state.js';
import {iconButton, spinner} from '../core/ui.js';
import {Outline} from './outline.js';
import {Tree} from './tree.js';
import {ChangesPanel, ContextPanel, FactsPanel, ImagesPanel, TurnsPanel, panelError} from './panels.js';

const PANELS = {
  outline: {title: 'Outline', icon: 'list', keys: 'o', make: Outline, live: true},
  tree: {title: 'Tree', icon: 'branch', keys: 't', make: Tree, wide: true, live: true},
  turns: {title: 'Turns', icon: 'clock', keys: 'w', make: TurnsPanel, wide: true},
  context: {title: 'Context', icon: 'layers', keys: 'x', make: ContextPanel},
  changes: {title: 'Changes', icon: 'diff', keys: 'd', make: ChangesPanel, wide: true},
  images: {title: 'Images', icon: 'image', keys: 'i', make: ImagesPanel},
  facts: {title: 'Facts', icon: 'filter', keys: '', make: FactsPanel},
};
const OUTLINE_FROM_PX = 1100;
const GROWN_MS = 1000;

export class Panels {
  constructor(view) {
    this.view = view;
    this.name = null;
    this.body = el('div', {class: 'panel-body'});
    this.titleNode = el('h2');
    this.node = el('aside', {class: 'panel', hidden: true, 'aria-label': 'panel'},
      el('header', this.titleNode, iconButton('close', 'close the panel', () => this.shut())), this.body);
    this.buttons = el('span', {class: 'row panel-buttons'}, Object.entries(PANELS).map(([name, p]) =>
      iconButton(p.icon, `${p.title.toLowerCase()}${p.keys ? ` (${p.keys})` : ''}`, () => this.toggle(name), {'aria-pressed': 'false', dataset: {panel: name}})));
  }

  // Without view= the outline is open where there is room, unless the reader has closed it.
  fromAddress(route) {
    const asked = route.query.get('view');
    const otherwise = innerWidth >= OUTLINE_FROM_PX && settings.get('session.outline', true) ? 'outline' : null;
    const name = PANELS[asked] ? asked : otherwise;
    if (name !== this.name)
      this.show(name);
  }

  toggle(name) {
    if (this.name === name)
      this.shut();
    else
      this.open(name);
  }

  open(name, again = false) {
    if (name === 'outline')
      settings.set('session.outline', true);
    if (this.name === name && again)
      this.show(name);
    setQuery({view: name});
  }

  shut() {
    if (this.name === 'outline')
      settings.set('session.outline', false);
    const {path, query} = current();
    query.delete('view');
    this.show(null);
    go(path, query, {replace: true});
    this.fromAddress(current());
  }

  async show(name) {
    this.close();
    this.name = name;
    const had = this.node.contains(document.activeElement);
    const kind = PANELS[name];
    this.node.hidden = !kind;
    for (const button of this.buttons.children)
      button.setAttribute('aria-pressed', String(button.dataset.panel === name));
    if (!kind) {
      if (had)
        this.view.scroller.focus({preventScroll: true});
      return;
    }
    this.node.classList.toggle('wide', Boolean(kind.wide));
    this.titleNode.textContent = kind.title;
    this.node.setAttribute('aria-label', kind.title.toLowerCase());
    replace(this.body, spinner());
    const panel = this.panel = new kind.make(this.view);
    try {
      await panel.show(this.body);
      if (this.panel === panel && panel.focus && current().query.get('view') === name)
        panel.focus();
    } catch (error) {
      if (this.panel === panel)
        panelError(this.body, error, () => this.show(name));
    }
  }

  follow(position) {
    if (this.panel && this.panel.follow)
      this.panel.follow(position);
  }

  // Another branch is shown.
  reload() {
    if (this.name)
      this.show(this.name);
  }

  // Entries were appended: lists follow, once a second at most.
  grown() {
    const panel = this.panel;
    if (!panel || !PANELS[this.name].live || this.timer)
      return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      if (this.panel === panel)
        panel.load().catch((error) => panelError(this.body, error));
    }, GROWN_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.panel)
      this.panel.close();
    this.panel = null;
  }
}
