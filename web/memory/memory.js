// Memory: what is believed, now or at an earlier time, as a table, a graph, or scratchpads.
//
// The time, the filters and the entry that is open are in the address. `all` are the entries
// valid at that time; the page filters them.

import {el, icon, plain, replace} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {go, href, setQuery} from '../core/router.js';
import {events} from '../core/events.js';
import {empty} from '../core/ui.js';
import {ago, bytes, count, day, time} from '../core/format.js';
import {afterPause, choice, load, pageHead, segments} from '../core/page.js';
import {sortableTable} from '../core/table.js';
import {Graph, TYPES} from './graph.js';
import {editEntry} from './edit.js';
import {askEntry, entryView, validity} from './entry.js';

const PAGE = 200;
const MOST = 2000;
const DAY = 86400;

// Entries valid at a time, and all relations; now is one question, an earlier time is pages.
async function askAll(asOf, signal) {
  const graph = await api.get('/v1/memory/graph', null, {signal});
  if (!asOf)
    return {all: graph.entries, relations: graph.relations, isCut: false};
  const all = [];
  let cursor = null;
  do {
    const got = await api.get('/v1/memory/entries', {limit: PAGE, cursor, as_of: asOf}, {signal});
    all.push(...got.entries);
    cursor = got.next_cursor;
  } while (cursor && all.length < MOST);
  const relations = await api.get('/v1/memory/relations', {limit: 1000}, {signal});
  return {all, relations: relations.relations, isCut: Boolean(cursor)};
}

class Memory {
  constructor(host, route, signal) {
    this.signal = signal;
    this.filter = el('input', {type: 'search', class: 'grow', placeholder: 'filter by words', 'aria-label': 'filter'});
    this.filter.addEventListener('input', afterPause(() => setQuery({filter: this.filter.value.trim() || null})));
    this.tools = el('div', {class: 'list-tools'});
    this.slider = el('div', {class: 'as-of'});
    this.body = el('div', {class: 'list-body'});
    this.side = el('aside', {class: 'memory-side', 'aria-label': 'entry'});
    this.columns = el('div', {class: 'memory-columns'}, this.body, this.side);
    this.add = el('button', {type: 'button', class: 'primary', on: {click: () => this.addOne()}}, icon('plus'), 'New entry');
    replace(host, el('div', {class: 'page-inner page-full'}, pageHead('Memory', this.add), this.tools, this.slider, this.columns));
    this.off = events.on(['memory', 'relation'], afterPause(() => this.reload(), 400));
    this.read(route);
  }

  read(route) {
    this.query = route.query;
    this.id = route.parts[1] || null;
    if (document.activeElement !== this.filter)
      this.filter.value = this.query.get('filter') || '';
  }

  asOf() {
    return Number(this.query.get('as_of')) || null;
  }

  // Parameters that stay when another entry is opened.
  keep() {
    return Object.fromEntries([...this.query].filter(([name]) => ['view', 'as_of', 'type', 'tag', 'filter'].includes(name)));
  }

  async load(options) {
    const asOf = this.asOf();
    await load(this.body, async () => {
      const [got, who] = await Promise.all([askAll(asOf, this.signal), me()]);
      Object.assign(this, got, {mayWrite: who.may_write, asked: asOf});
      return got;
    }, () => null, options);
    this.add.hidden = !this.mayWrite;
    if (this.all)
      this.draw();
  }

  async reload() {
    await this.load({quiet: true});
  }

  update(route) {
    this.read(route);
    if (this.asOf() !== this.asked)
      this.load();
    else
      this.draw();
    return true;
  }

  // ---- drawing ------------------------------------------------------------------------

  draw() {
    this.drawTools();
    this.drawSlider();
    this.drawSide();
    const view = this.query.get('view');
    const shown = this.shown();
    const key = JSON.stringify([view, shown.map((e) => [e.id, e.updated_at]), this.relations.length]);
    if (key === this.drawn) {
      if (this.graph)
        this.graph.show(Number(this.id));
      return;
    }
    this.drawn = key;
    this.endTable();
    this.graph = null;
    this.body.classList.toggle('has-table', !view && shown.length > 0);
    if (view === 'pads')
      this.drawPads();
    else if (!shown.length)
      replace(this.body, this.all.length ? empty('No entry matches', 'change the filter')
        : empty('Nothing is remembered' + (this.asOf() ? ' as of then' : ' yet'), 'agents add entries over MCP; quire memory add does, too'));
    else if (view === 'graph')
      this.drawGraph(shown);
    else
      this.drawTable(shown);
  }

  drawTools() {
    const set = (changes) => setQuery(changes, {replace: false});
    const tag = this.query.get('tag');
    replace(this.tools,
      segments('form', [{value: 'list', label: 'List'}, {value: 'graph', label: 'Graph'}, {value: 'pads', label: 'Scratchpads'}],
        this.query.get('view') || 'list', (view) => set({view: view === 'list' ? null : view})),
      this.filter,
      choice('Type', [{value: '', label: 'all'}, ...TYPES.map((t) => ({value: t, label: t}))], this.query.get('type'),
        (type) => set({type: type || null})),
      tag ? el('button', {type: 'button', class: 'filter-chip', on: {click: () => set({tag: null})}},
        el('span', {class: 'dim'}, 'tag'), plain(tag), icon('close')) : null,
      el('span', {class: 'dim small'}, `${count(this.shown().length)} of ${count(this.all.length)}${this.isCut ? '+' : ''}`));
  }

  shown() {
    const words = (this.query.get('filter') || '').toLowerCase().split(/\s+/).filter(Boolean);
    const type = this.query.get('type'), tag = this.query.get('tag');
    return this.all.filter((e) => (!type || e.type === type) && (!tag || e.tags.includes(tag)) &&
      words.every((w) => `${e.title} ${e.content} ${e.tags.join(' ')}`.toLowerCase().includes(w)));
  }

  // Days from the oldest entry known to today; the last one is now.
  drawSlider() {
    const today = Math.floor(Date.now() / 1000);
    this.oldest = Math.min(this.oldest || today, ...this.all.map((e) => e.valid_from));
    const days = Math.max(1, Math.ceil((today - this.oldest) / DAY));
    const asOf = this.asOf();
    const at = asOf ? Math.max(0, days - Math.round((today - asOf) / DAY)) : days;
    if (this.range && this.range === document.activeElement)
      return;
    const text = el('output', asOf ? `as of ${day(asOf)}` : 'as of now');
    this.range = el('input', {type: 'range', min: '0', max: String(days), value: String(at), 'aria-label': 'as of',
      'aria-valuetext': text.textContent});
    const timeOf = () => Number(this.range.value) >= days ? null : today - (days - Number(this.range.value)) * DAY;
    this.range.addEventListener('input', () => {
      const then = timeOf();
      text.textContent = then ? `as of ${day(then)}` : 'as of now';
      this.range.setAttribute('aria-valuetext', text.textContent);
    });
    this.range.addEventListener('change', () => setQuery({as_of: timeOf()}));
    replace(this.slider, icon('clock'), el('span', {class: 'dim small'}, day(this.oldest)), this.range,
      el('span', {class: 'dim small'}, 'now'), text,
      asOf ? el('button', {type: 'button', on: {click: () => setQuery({as_of: null})}}, 'Now') : null);
  }

  drawGraph(entries) {
    this.graph = new Graph({entries, relations: this.relations, selected: Number(this.id),
      onSelect: (e) => this.open(e.id)});
    replace(this.body, this.graph.node);
  }

  drawTable(rows) {
    this.table = sortableTable({label: 'memory', rows, key: (e) => e.id, sort: this.sort || {id: 'changed', descending: true},
      onSort: (sort) => {
        this.sort = sort;
      },
      href: (e) => href(['memory', String(e.id)], this.keep()), columns: [
        {id: 'type', label: 'Type', width: '88px', value: (e) => e.type},
        {id: 'title', label: 'Fact', width: 'minmax(140px, 3fr)', small: true, value: (e) => e.title, render: (e) => plain(e.title)},
        {id: 'tags', label: 'Tags', width: 'minmax(60px, 1fr)', value: (e) => e.tags.join(' '),
          render: (e) => e.tags.map((t) => [el('span', {class: 'chip'}, plain(t)), ' '])},
        {id: 'valid', label: 'Valid since', width: '100px', first: 'desc', small: true, value: (e) => e.valid_from,
          render: (e) => el('time', {title: validity(e)}, day(e.valid_from))},
        {id: 'until', label: 'Until', width: '92px', value: (e) => e.valid_to, render: (e) => e.valid_to ? day(e.valid_to) : ''},
        {id: 'changed', label: 'Changed', width: '92px', first: 'desc', value: (e) => e.updated_at,
          render: (e) => el('time', {title: time(e.updated_at)}, ago(e.updated_at))}]});
    replace(this.body, this.table.node);
  }

  drawPads() {
    load(this.body, () => api.get('/v1/memory', null, {signal: this.signal}), (got) => got.scratchpads.length
      ? got.scratchpads.map((pad) => this.padNode(pad)) : empty('No scratchpads', 'agents write them over MCP'));
  }

  padNode(pad) {
    const text = el('div');
    const node = el('details', {class: 'card pad'}, el('summary', plain(pad.agent_id), ' ',
      el('span', {class: 'dim small'}, `${pad.kind}, ${bytes(pad.size)}, ${ago(pad.updated_at)}`)), text);
    node.addEventListener('toggle', () => node.open && !text.childNodes.length && load(text,
      () => api.get(pad.kind === 'shared' ? '/v1/memory/shared' : `/v1/memory/${encodeURIComponent(pad.agent_id)}`, null, {signal: this.signal}),
      (got) => el('pre', {class: 'artifact-text'}, got.content)));
    return node;
  }

  // ---- one entry ----------------------------------------------------------------------

  open(id) {
    go(['memory', String(id)], this.keep());
  }

  drawSide() {
    this.columns.classList.toggle('has-side', Boolean(this.id));
    const key = `${this.id} ${this.asked}`;
    if (!this.id || this.opened === key) {
      this.opened = this.id ? key : null;
      return;
    }
    this.opened = key;
    if (!this.isCut && !this.all.some((e) => String(e.id) === this.id)) {
      replace(this.side, empty(`Entry #${plain(this.id)} is not valid ${this.asOf() ? 'as of then' : 'now'}`,
        'move the time, or open another one'));
      return;
    }
    load(this.side, () => askEntry(this.id, this.asOf(), this.signal), (got) => entryView(got, {
      mayWrite: this.mayWrite, keep: this.keep(), close: () => go('/memory', this.keep()),
      changed: () => {
        this.opened = null;
        this.reload();
      },
      removed: () => go('/memory', this.keep())}));
  }

  async addOne() {
    const made = await editEntry(null);
    if (made) {
      await this.reload();
      this.open(made.id);
    }
  }

  endTable() {
    if (this.table)
      this.table.destroy();
    this.table = null;
  }

  close() {
    this.off();
    this.endTable();
  }
}

export async function show(host, route, signal) {
  const page = new Memory(host, route, signal);
  await page.load();
  return {title: 'Memory', update: (next) => page.update(next), close: () => page.close(), keys: [
    {keys: ['j', 'ArrowDown'], label: 'next entry', run: () => page.table && page.table.move(1)},
    {keys: ['k', 'ArrowUp'], label: 'previous entry', run: () => page.table && page.table.move(-1)},
    {keys: 'Enter', label: 'open it', run: () => page.table && page.table.open()},
    {keys: 'f', label: 'filter', run: () => page.filter.focus()},
    {keys: 't', label: 'graph or list', run: () => setQuery({view: page.query.get('view') ? null : 'graph'})},
    {keys: 'n', label: 'new entry', run: () => page.mayWrite && page.addOne()},
    {keys: 'Escape', label: 'close the entry', run: () => page.id && go('/memory', page.keep())},
  ]};
}
