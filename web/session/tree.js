// The tree of a session, drawn on rails as the server has laid them out: a row is an entry
// or a run of them, a rail is a branch. Walked by arrows, j and k, or the mouse.

import {el, plain, replace, svg} from '../core/dom.js';
import {api} from '../core/api.js';
import {clock, count, day} from '../core/format.js';
import {VirtualList} from '../core/list.js';
import {empty, tabs} from '../core/ui.js';

const ROW_PX = 30;
const RAIL_PX = 14;
const MAX_RAILS = 24;
const COLOURS = 8;

const FILTERS = [{id: 'user', label: 'Prompts'}, {id: 'labelled', label: 'Labelled'}, {id: 'all', label: 'All'}];

export class Tree {
  // `view.goEntry(id, {leaf})` shows an entry on its branch.
  constructor(view) {
    this.view = view;
    this.filter = 'user';
    this.rows = [];
    this.at = 0;
  }

  async show(host) {
    this.host = host;
    this.scroller = el('div', {class: 'tree-list grow', tabindex: '0', role: 'tree', 'aria-label': 'branches',
      on: {keydown: (event) => this.onKey(event)}});
    replace(host, el('div', {class: 'tree'}, tabs(FILTERS, this.filter, (id) => {
      this.filter = id;
      this.load();
    }), this.scroller));
    this.list = new VirtualList({host: this.scroller, count: 0, render: (i) => this.node(i),
      estimate: () => ROW_PX, key: (i) => this.rows[i].id + i});
    await this.load();
  }

  async load() {
    const {model, signal} = this.view;
    const leaf = model.shownLeaf >= 0 ? model.ids[model.shownLeaf] : null;
    const got = await api.get(`/v1/sessions/${model.id}/rails`, {filter: this.filter, leaf}, {signal});
    this.rows = got.rows;
    this.rails = Math.min(MAX_RAILS, got.rails);
    this.spans = this.findSpans();
    const here = model.path[this.view.firstPosition()] ?? -1;
    let at = this.rows.findLastIndex((r) => r.on_path && r.ordinal <= here);
    at = Math.max(0, at);
    this.at = at;
    this.list.setCount(this.rows.length);
    if (!this.rows.length)
      this.scroller.append(empty('no entries'));
    this.list.scrollTo(at, {align: 'center'});
  }

  // Which rails pass a row: that of an entry runs from its parent's row to its own.
  findSpans() {
    const begins = new Map();
    this.rows.forEach((row, i) => {
      if (this.passes(row, i))
        begins.set(row.parent + 1, [...(begins.get(row.parent + 1) || []), row]);
    });
    const active = new Map();
    const count = (row, by) => {
      const [n, strong] = active.get(row.rail) || [0, 0];
      active.set(row.rail, [n + by, strong + (row.on_path ? by : 0)]);
    };
    return this.rows.map((row, i) => {
      if (this.passes(row, i))
        count(row, -1);
      (begins.get(i) || []).forEach((one) => count(one, 1));
      return [...active].filter(([, [n]]) => n > 0).map(([rail, [, strong]]) => [rail, strong > 0]);
    });
  }

  passes(row, i) {
    return row.parent >= 0 && row.parent + 1 < i && row.rail < MAX_RAILS;
  }

  x(rail) {
    return 10 + Math.min(rail, MAX_RAILS - 1) * RAIL_PX;
  }

  path(d, rail, strong) {
    return svg('path', {d, class: `rail rail-${rail % COLOURS}${strong ? ' strong' : ''}`});
  }

  drawing(i) {
    const row = this.rows[i];
    const x = this.x(row.rail);
    const mid = ROW_PX / 2;
    const width = this.x(this.rails) + 4;
    const lines = this.spans[i].map(([rail, strong]) => this.path(`M${this.x(rail)} 0V${ROW_PX}`, rail, strong));
    if (row.parent >= 0)
      lines.push(this.path(`M${x} 0V${mid}`, row.rail, row.on_path));
    // Below a row its own rail goes on; others begin here with a bend.
    for (const [child, from] of this.childrenOf(i))
      lines.push(this.path(from === row.rail ? `M${x} ${mid}V${ROW_PX}`
        : `M${x} ${mid}C${x} ${ROW_PX} ${this.x(from)} ${mid} ${this.x(from)} ${ROW_PX}`, from, child.on_path));
    const dot = row.kind === 'compaction'
      ? svg('rect', {x: x - 4, y: mid - 4, width: 8, height: 8, class: `node rail-${row.rail % COLOURS}`})
      : svg('circle', {cx: x, cy: mid, r: row.is_leaf ? 5.5 : 4, class: `node rail-${row.rail % COLOURS}${row.on_path ? ' strong' : ''}${row.is_leaf ? ' leaf' : ''}`});
    return svg('svg', {class: 'rails', width, height: ROW_PX, viewBox: `0 0 ${width} ${ROW_PX}`, 'aria-hidden': 'true'}, lines, dot);
  }

  childrenOf(i) {
    if (!this.kids) {
      this.kids = new Map();
      this.kidsOf = null;
    }
    if (this.kidsOf !== this.rows) {
      this.kids.clear();
      this.kidsOf = this.rows;
      this.rows.forEach((row) => {
        if (row.parent >= 0)
          this.kids.set(row.parent, [...(this.kids.get(row.parent) || []), [row, row.rail]]);
      });
    }
    return this.kids.get(i) || [];
  }

  node(i) {
    const row = this.rows[i];
    const name = plain(row.text) || plain(row.kind);
    return el('div', {class: `tree-row${row.on_path ? ' on-path' : ''}`, role: 'treeitem', dataset: {entry: row.id},
      'aria-selected': String(i === this.at), 'aria-level': row.rail + 1, title: row.time_ms ? `${day(row.time_ms / 1000)} ${clock(row.time_ms / 1000)}` : null,
      on: {click: () => {
        this.pick(i);
        this.open();
      }}},
    this.drawing(i),
    el('span', {class: `tree-kind kind-${plain(row.kind)}`}, plain(row.kind)),
    row.label ? el('span', {class: 'chip entry-label'}, plain(row.label).slice(0, 60)) : null,
    el('span', {class: 'ellipsis grow'}, name),
    row.is_leaf ? el('span', {class: 'chip leaf-chip', title: 'the next entry goes below this one'}, 'leaf') : null,
    row.folded ? el('span', {class: 'dim tiny', title: 'entries below it, up to the next row'}, `+${count(row.folded)}`) : null);
  }

  pick(i) {
    if (i < 0 || i >= this.rows.length)
      return;
    this.at = i;
    this.list.scrollTo(i, {align: 'nearest'});
    for (const node of this.scroller.querySelectorAll('.tree-row'))
      node.setAttribute('aria-selected', String(node.dataset.entry === this.rows[i].id));
  }

  open() {
    const row = this.rows[this.at];
    if (row)
      this.view.goEntry(row.id);
  }

  // Up and down the rows; left to the parent, right to the first child.
  onKey(event) {
    const row = this.rows[this.at];
    const kids = this.childrenOf(this.at);
    const to = {ArrowDown: this.at + 1, j: this.at + 1, ArrowUp: this.at - 1, k: this.at - 1,
      ArrowLeft: row && row.parent, ArrowRight: kids.length ? this.rows.indexOf(kids[0][0]) : -1,
      Home: 0, End: this.rows.length - 1}[event.key];
    if (event.key === 'Enter')
      this.open();
    else if (to == null)
      return;
    else
      this.pick(to);
    event.preventDefault();
    event.stopPropagation();
  }

  focus() {
    this.scroller.focus();
  }

  close() {
    if (this.list)
      this.list.destroy();
  }
}
