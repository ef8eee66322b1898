// The outline of the path: prompts, compactions, errors, labels, sub-agents, branch points.

import {el, icon, plain, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {count} from '../core/format.js';
import {settings} from '../core/state.js';
import {VirtualList} from '../core/list.js';
import {empty} from '../core/ui.js';

const KINDS = {prompt: ['sessions', 'prompts'], compaction: ['layers', 'compactions'], error: ['error', 'errors'],
  label: ['label', 'labels'], subagent: ['agent', 'sub-agents'], branch: ['branch', 'branches']};

export class Outline {
  constructor(view) {
    this.view = view;
    this.hidden = new Set(settings.get('outline.hidden', []));
    this.items = [];
  }

  async show(host) {
    this.filters = el('div', {class: 'row wrap outline-filters'});
    this.scroller = el('div', {class: 'outline-list grow', tabindex: '0', 'aria-label': 'outline'});
    replace(host, el('div', {class: 'outline'}, this.filters, this.scroller));
    this.list = new VirtualList({host: this.scroller, count: 0, render: (i) => this.node(i), estimate: () => 30,
      key: (i) => this.shown[i].id + this.shown[i].kind});
    this.shown = [];
    await this.load();
  }

  async load() {
    const {model, signal} = this.view;
    const leaf = model.shownLeaf >= 0 ? model.ids[model.shownLeaf] : null;
    this.items = (await api.get(`/v1/sessions/${model.id}/outline`, {leaf}, {signal})).items;
    this.draw();
  }

  draw() {
    const counts = {};
    for (const item of this.items)
      counts[item.kind] = (counts[item.kind] || 0) + 1;
    replace(this.filters, Object.entries(KINDS).filter(([kind]) => counts[kind]).map(([kind, [name, label]]) =>
      el('button', {type: 'button', class: 'chip', 'aria-pressed': String(!this.hidden.has(kind)), title: label, 'aria-label': `${label}: ${counts[kind]}`,
        on: {click: () => this.toggle(kind)}}, icon(name), count(counts[kind]))));
    this.shown = this.items.filter((i) => !this.hidden.has(i.kind));
    this.list.setCount(this.shown.length);
    this.note = this.note || this.scroller.appendChild(el('div'));
    replace(this.note, this.shown.length ? null : empty('nothing to list'));
    this.follow(this.position || 0);
  }

  toggle(kind) {
    if (!this.hidden.delete(kind))
      this.hidden.add(kind);
    settings.set('outline.hidden', [...this.hidden]);
    this.draw();
  }

  node(i) {
    const item = this.shown[i];
    return el('button', {type: 'button', class: `outline-item outline-${item.kind}`, dataset: {entry: item.id},
      'aria-current': i === this.here ? 'true' : null, title: plain(item.text).slice(0, 500),
      on: {click: () => this.view.goEntry(item.id)}},
    icon((KINDS[item.kind] || ['sessions'])[0]),
    item.label ? el('span', {class: 'chip entry-label'}, plain(item.label).slice(0, 40)) : null,
    el('span', {class: 'ellipsis grow'}, plain(item.text) || plain(item.tool) || item.kind));
  }

  // The reader is at this position of the path.
  follow(position) {
    this.position = position;
    let here = -1;
    for (let i = 0; i < this.shown.length && this.shown[i].position <= position; i++)
      here = i;
    if (here === this.here)
      return;
    this.here = here;
    for (const node of this.scroller.querySelectorAll('.outline-item'))
      if (here >= 0 && node.dataset.entry === this.shown[here].id)
        node.setAttribute('aria-current', 'true');
      else
        node.removeAttribute('aria-current');
    if (here >= 0 && !this.scroller.matches(':hover, :focus-within'))
      this.list.scrollTo(here, {align: 'nearest'});
  }

  close() {
    if (this.list)
      this.list.destroy();
  }
}
