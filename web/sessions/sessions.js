// The list of sessions: all of them in one answer of the server, sorted, grouped and
// filtered here. What is asked for stands in the address; events bring what is new.

import {el, icon, plain, replace} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {count, plural} from '../core/format.js';
import {events} from '../core/events.js';
import {go, href, setQuery} from '../core/router.js';
import {oneAtATime, settings} from '../core/state.js';
import {VirtualList} from '../core/list.js';
import {confirmDialog, empty, iconButton, menu, openDialog, promptDialog, toast} from '../core/ui.js';
import {HELP, compile, has, setPart, split, toggle} from './filter.js';
import {COLUMNS, GROUPS, agentOf, groupNode, makeRows, projectName, sessionNode} from './rows.js';
import {hold, pin, toTrash} from './keep.js';
import {endPreview, showPreview} from './preview.js';

const AGAIN_MS = 1500;
const ROW_PX = 50;
const GROUP_PX = 34;

class SessionsPage {
  constructor(host, route, signal) {
    this.host = host;
    this.signal = signal;
    this.sessions = [];
    this.folders = new Map();
    this.open = new Set();
    this.rows = [];
    this.picked = null;
    this.seen = settings.get('sessions.seen', 0);
    this.read(route);
    this.reload = oneAtATime(() => this.reloadOnce());
  }

  read(route) {
    this.q = route.query.get('q') || '';
    this.sort = route.query.get('sort') || '-changed';
    this.group = route.query.get('group') || '';
  }

  // ---- data -------------------------------------------------------------------------

  // Whether anything is new.
  async load() {
    clearTimeout(this.again); // an event that comes from now on is not in the answer
    const got = await api.get('/v1/stats/sessions', null, {signal: this.signal});
    const names = got.columns;
    this.sessions = got.rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
    this.pending = got.pending;
    if (got.pending)
      this.onEvent();
    const text = JSON.stringify(got);
    const isNew = text !== this.loaded;
    this.loaded = text;
    return isNew;
  }

  async reloadOnce() {
    try {
      if (await this.load())
        this.draw();
    } catch (error) {
      if (error.name !== 'AbortError')
        toast(error.message, {kind: 'error'});
    }
  }

  // Many events in a short time are one reload.
  onEvent() {
    if (this.again)
      clearTimeout(this.again);
    this.again = setTimeout(() => this.reload(), AGAIN_MS);
  }

  async loadFolders() {
    const got = await api.get('/v1/conversation-folders', null, {signal: this.signal});
    this.folders = new Map(got.folders.map((f) => [f.id, plain(f.name)]));
  }

  // ---- page -------------------------------------------------------------------------

  build() {
    this.input = el('input', {type: 'search', class: 'grow', value: this.q, autocomplete: 'off', spellcheck: 'false',
      placeholder: 'filter: words, agent:codex, has:errors, cost:>1, since:7d', 'aria-label': 'filter sessions',
      on: {input: () => this.setFilter(this.input.value), keydown: (event) => this.onInputKey(event)}});
    this.total = el('span', {class: 'dim', role: 'status'});
    this.tools = el('div', {class: 'row wrap'});
    this.head = el('div', {class: 's-head', role: 'row'});
    this.scroller = el('div', {class: 's-list grow', tabindex: '0', role: 'rowgroup'});
    this.side = el('aside', {class: 's-preview', 'aria-label': 'preview'});
    replace(this.host, el('div', {class: 's-page'},
      el('div', {class: 's-bar'},
        el('div', {class: 'row wrap'}, el('h1', 'Sessions'), this.total, el('span', {class: 'grow'}), this.tools),
        el('div', {class: 'row'}, this.input, iconButton('list', 'what a filter can say', () => this.help()))),
      el('div', {class: 's-body'}, el('div', {class: 's-table grow', role: 'grid', 'aria-label': 'sessions'}, this.head, this.scroller), this.side)));
    this.list = new VirtualList({
      host: this.scroller, count: 0,
      render: (i) => this.node(i),
      estimate: (i) => (this.rows[i].kind === 'group' ? GROUP_PX : ROW_PX),
      key: (i) => (this.rows[i].kind === 'group' ? 'group:' + this.rows[i].name : this.rows[i].s.session),
    });
    showPreview(this.side, null);
  }

  drawTools() {
    const choice = (name, label, run) => el('button', {type: 'button', 'aria-haspopup': 'menu', on: {click: run}},
      icon(name), label, icon('down'));
    const pressed = (part, label) => el('button', {type: 'button', 'aria-pressed': String(has(this.q, part)),
      on: {click: () => this.putFilter(toggle(this.q, part))}}, label);
    const group = GROUPS.find((g) => g.id === this.group) || GROUPS[0];
    const shown = `${this.group}\n${this.q}`;
    if (shown === this.shownTools) // a click on a node that is replaced meanwhile would be lost
      return;
    this.shownTools = shown;
    replace(this.tools, el('div', {class: 'row wrap s-tools-wide'},
      choice('folder', 'Project', (e) => this.pickValue(e, 'project', (s) => projectName(s.project))),
      choice('agent', 'Agent', (e) => this.pickValue(e, 'agent', agentOf)),
      choice('layers', group.id ? group.label : 'Group', (e) => this.groupMenu(e.currentTarget)),
      pressed('has:errors', 'errors'), pressed('has:branches', 'branches'),
      pressed('is:short', 'short ones'), pressed('is:archived', 'archived'), pressed('is:pinned', 'pinned'),
      choice('filter', 'Saved', (e) => this.savedMenu(e.currentTarget)),
      el('a', {class: 'button', href: href('/trash')}, icon('trash'), 'Trash')),
    el('button', {type: 'button', class: 's-tools-narrow', 'aria-haspopup': 'menu', on: {click: (e) => this.toolsMenu(e.currentTarget)}},
      icon('filter'), 'Show', icon('down')));
  }

  // The same tools where there is no room for them.
  toolsMenu(anchor) {
    const at = {currentTarget: anchor};
    const part = (name, label) => ({label, checked: has(this.q, name), run: () => this.putFilter(toggle(this.q, name))});
    menu(anchor, [
      {label: 'Project…', icon: 'folder', run: () => this.pickValue(at, 'project', (s) => projectName(s.project))},
      {label: 'Agent…', icon: 'agent', run: () => this.pickValue(at, 'agent', agentOf)},
      {label: 'Group…', icon: 'layers', run: () => this.groupMenu(anchor)},
      {label: 'Saved filters…', icon: 'filter', run: () => this.savedMenu(anchor)}, {},
      part('has:errors', 'with errors'), part('has:branches', 'with branches'), part('is:short', 'short ones'),
      part('is:archived', 'archived'), part('is:pinned', 'pinned'), {},
      {label: 'Trash', icon: 'trash', run: () => go('/trash')}]);
  }

  groupMenu(anchor) {
    const group = GROUPS.find((g) => g.id === this.group) || GROUPS[0];
    menu(anchor, GROUPS.map((g) => ({label: g.label, checked: g.id === group.id, run: () => setQuery({group: g.id})})));
  }

  drawHead() {
    const now = this.sort.replace('-', '');
    replace(this.head, COLUMNS.map((c) => el('span', {class: `c-${c.id}`, role: 'columnheader',
      'aria-sort': c.id !== now ? 'none' : this.sort.startsWith('-') ? 'descending' : 'ascending'},
    el('button', {type: 'button', class: 'link-button', on: {click: () => this.sortBy(c)}},
      c.label, c.id === now ? icon(this.sort.startsWith('-') ? 'down' : 'up') : null))));
  }

  draw() {
    const {rows, n} = makeRows(this.sessions, {test: compile(this.q), sort: this.sort, group: this.group,
      open: this.open, folders: this.folders});
    this.rows = rows;
    this.drawTools();
    this.drawHead();
    const fresh = this.sessions.filter((s) => this.isNew(s)).length;
    this.total.textContent = [n === this.sessions.length ? count(n) : `${count(n)} of ${count(this.sessions.length)}`,
      fresh ? `${count(fresh)} new since you looked` : '', this.pending ? `counting ${count(this.pending)} more` : '']
      .filter(Boolean).join(' · ');
    this.list.setCount(rows.length);
    this.none = this.none || this.scroller.appendChild(el('div'));
    replace(this.none, rows.length ? null : this.sessions.length
      ? empty('No session matches the filter', 'is:all shows archived and short ones, too')
      : empty('No sessions yet', '`quire import` reads those of the agents on this machine'));
    this.mark();
  }

  node(i) {
    const row = this.rows[i];
    const view = {isNew: (s) => this.isNew(s), onToggle: (id) => this.toggle(id), onPick: (r, e) => this.onPick(r, e)};
    const node = row.kind === 'group' ? groupNode(row, view) : sessionNode(row, view);
    if (row.kind === 'session' && this.picked === row.s.session)
      node.setAttribute('aria-selected', 'true');
    return node;
  }

  isNew(s) {
    return this.seen > 0 && s.updated_at > this.seen;
  }

  // ---- filter, order ----------------------------------------------------------------

  setFilter(text) {
    this.q = text;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => setQuery({q: text}), 60);
  }

  putFilter(text) {
    this.input.value = text;
    setQuery({q: text});
  }

  sortBy(column) {
    const down = '-' + column.id;
    setQuery({sort: this.sort === down ? column.id : this.sort === column.id || column.num ? down : column.id});
  }

  pickValue(event, key, get) {
    const counts = new Map();
    for (const s of this.sessions)
      if (get(s))
        counts.set(get(s), (counts.get(get(s)) || 0) + 1);
    const now = split(this.q).find((p) => p.startsWith(key + ':'));
    const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 40);
    menu(event.currentTarget, [{label: 'All', checked: !now, run: () => this.putFilter(setPart(this.q, key, null))}, {},
      ...top.map(([name, n]) => ({label: `${name} (${count(n)})`, checked: now === `${key}:${name}`,
        run: () => this.putFilter(setPart(this.q, key, name))}))]);
  }

  savedMenu(anchor) {
    const saved = settings.get('sessions.saved', []);
    menu(anchor, [
      ...saved.map((f) => ({label: f.name, title: f.q, run: () => this.putFilter(f.q)})),
      saved.length ? {} : null,
      {label: 'Save this filter…', icon: 'plus', disabled: !this.q, run: () => this.save(saved)},
      saved.length ? {label: 'Remove a saved filter…', icon: 'trash', run: () => this.unsave(anchor, saved)} : null,
    ]);
  }

  async save(saved) {
    const name = await promptDialog({title: 'Save the filter', label: 'Name', value: this.q.slice(0, 40), ok: 'Save'});
    if (name)
      settings.set('sessions.saved', [...saved.filter((f) => f.name !== name), {name, q: this.q}].slice(-30));
  }

  unsave(anchor, saved) {
    menu(anchor, saved.map((f) => ({label: f.name, icon: 'trash', run: async () => {
      if (await confirmDialog({title: 'Remove the filter', text: `Remove the saved filter ${f.name}?`, label: 'Remove'}))
        settings.set('sessions.saved', saved.filter((other) => other !== f));
    }})));
  }

  help() {
    openDialog({title: 'What a filter can say', body: el('dl', {class: 'keys'},
      HELP.map(([what, means]) => [el('dt', {class: 'mono'}, what), el('dd', means)]))});
  }

  // ---- selection --------------------------------------------------------------------

  toggle(id) {
    if (!this.open.delete(id))
      this.open.add(id);
    this.draw();
  }

  onPick(row, event) {
    if (event.target.closest('a, button') || getSelection().toString())
      return;
    this.pick(row.s.session);
    if (!this.side.getClientRects().length)
      this.openPicked();
  }

  at() {
    return this.rows.findIndex((r) => r.kind === 'session' && r.s.session === this.picked);
  }

  pick(id) {
    this.picked = id;
    const row = this.rows[this.at()];
    this.mark();
    if (this.side.getClientRects().length)
      showPreview(this.side, row ? row.s : null, row && this.mayWrite ? this.buttons(row.s) : null);
  }

  // ---- changes ----------------------------------------------------------------------

  buttons(s) {
    const button = (name, label, run) => el('button', {type: 'button', on: {click: run}}, icon(name), label);
    return el('div', {class: 'row wrap'},
      button('pin', s.pinned ? 'Unpin' : 'Pin', () => this.change(pin)),
      button('lock', s.hold_reason ? 'Release' : 'Hold…', () => this.change(hold)),
      button('trash', 'Move to trash', () => this.trash()));
  }

  async change(run) {
    const row = this.rows[this.at()];
    if (row && this.mayWrite && await run(row.s)) {
      await this.reload();
      this.pick(this.picked);
    }
  }

  // The next one is selected, so several can be removed in a row.
  async trash() {
    const at = this.at();
    endPreview(); // it would ask for a session that is gone
    await this.change((s) => toTrash(s, () => this.reload()));
    if (this.at() >= 0)
      this.pick(this.picked);
    const next = this.at() < 0 && [...this.rows.slice(at), ...this.rows.slice(0, at).reverse()].find((r) => r.s);
    if (next)
      this.pick(next.s.session);
  }

  mark() {
    for (const node of this.scroller.querySelectorAll('.s-row'))
      node.setAttribute('aria-selected', String(node.dataset.session === this.picked));
  }

  walk(by) {
    let i = this.at();
    do
      i += by;
    while (this.rows[i] && this.rows[i].kind !== 'session');
    if (!this.rows[i])
      return;
    this.pick(this.rows[i].s.session);
    this.list.scrollTo(i, {align: 'nearest'});
    this.mark();
  }

  openPicked() {
    if (this.picked)
      go(['session', this.picked]);
  }

  onInputKey(event) {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter')
      return;
    event.preventDefault();
    this.input.blur();
    this.walk(1);
  }

  fold(open) {
    const row = this.rows[this.at()];
    if (row && row.children.length && row.open !== open)
      this.toggle(row.s.session);
  }

  bindings() {
    return [
      {keys: ['j', 'ArrowDown'], label: 'next session', run: () => this.walk(1)},
      {keys: ['k', 'ArrowUp'], label: 'previous session', run: () => this.walk(-1)},
      {keys: ['Enter', 'o'], label: 'open it', run: () => this.openPicked()},
      {keys: ['l', 'ArrowRight'], label: 'show sessions below it', run: () => this.fold(true)},
      {keys: ['h', 'ArrowLeft'], label: 'hide them', run: () => this.fold(false)},
      {keys: 'p', label: 'pin or unpin it', run: () => this.change(pin)},
      {keys: 'H', label: 'hold or release it', run: () => this.change(hold)},
      {keys: ['Delete', '#'], label: 'move it to the trash', run: () => this.trash()},
      {keys: ['Ctrl-f', 'F'], label: 'filter', always: true, run: () => this.input.focus()},
      {keys: 'r', label: 'load again', run: () => this.reload()},
    ];
  }
}

export async function show(host, route, signal) {
  const page = new SessionsPage(host, route, signal);
  const [who] = await Promise.all([me(), page.load(), page.loadFolders().catch(() => {})]);
  page.mayWrite = who.may_write;
  if (signal.aborted)
    return {};
  page.build();
  page.draw();
  const off = events.on(['conversation', 'entry', 'folder', 'connected'], () => page.onEvent());
  return {
    title: 'Sessions',
    keys: page.bindings(),
    update(next) {
      page.read(next);
      if (document.activeElement !== page.input)
        page.input.value = page.q;
      page.draw();
      page.list.scrollTo(0);
      return true;
    },
    close() {
      off();
      clearTimeout(page.again);
      clearTimeout(page.typing);
      endPreview();
      page.list.destroy();
      settings.set('sessions.seen', Math.floor(Date.now() / 1000));
    },
  };
}
