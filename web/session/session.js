// The page of a session: one branch of it as a transcript, with panels beside it.
//
// The heads of all entries are loaded at once, content in windows as rows come into view.
// The address names the entry that the reader is at, #/session/ID/ENTRY, and follows as the
// reader moves; a jump is a step of the history. leaf=ENTRY names another branch, q= what to
// find, view= the panel. Events bring new entries; the end is followed until the reader
// scrolls up.

import {el, plain, replace} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {count, duration, money, plural} from '../core/format.js';
import {events} from '../core/events.js';
import {current, go, note} from '../core/router.js';
import {oneAtATime, settings} from '../core/state.js';
import {toggleSecrets, withMasks} from '../core/secrets.js';
import {VirtualList} from '../core/list.js';
import {copy, empty, iconButton, toast, toastError} from '../core/ui.js';
import {Model} from './model.js';
import {Content} from './content.js';
import {OpenState} from './open_state.js';
import {Images} from './images.js';
import {Minimap} from './minimap.js';
import {Find} from './find.js';
import {Actions} from './actions.js';
import {Panels} from './panel_host.js';
import {estimate, rowNode, wantsContent} from './rows.js';
import {runName} from './calls.js';
import {bindings} from './keys.js';
import {keepChips} from '../sessions/keep.js';

const EVENT_MS = 40;
const NOTE_MS = 250;
const FETCH_MS = 30;
const MARK_MS = 60;

class SessionPage {
  constructor(host, id, signal) {
    Object.assign(this, {host, signal, id});
    this.model = new Model(id);
    this.content = new Content(this.model, signal, (ordinals) => this.loaded(ordinals));
    this.images = new Images(id, signal, (entry) => this.goEntry(entry));
    this.state = new OpenState();
    this.wholes = new Map();
    this.named = new Map(); // sub-agents whose call is known by an id
    this.actions = new Actions(this);
    this.raw = false;
    this.showState = false;
    this.wrap = settings.get('session.wrap', true);
    this.startAt = settings.get('session.start', 'last');
    this.follow = false;
    this.current = -1;
    this.timers = {};
    // Two at once would take the same entries twice, and an older answer for the newer.
    this.extend = oneAtATime(() => this.extendOnce());
  }

  later(name, ms, run) {
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(run, ms);
  }

  // ---- what rows ask of the page ------------------------------------------------------

  isOpen(name, ordinal) {
    return this.state.isOpen(name, ordinal);
  }

  isOpenRow(name, row, otherwise) {
    return this.state.isOpenRow(name, () => this.model.entriesOf(row), otherwise);
  }

  set(name, open) {
    return this.state.set(name, open);
  }

  toggle(name, ordinal) {
    return this.state.toggle(name, ordinal);
  }

  refresh(ordinal) {
    this.model.rowsOf(ordinal).forEach((i) => this.list.refresh(i));
  }

  refreshRow(row) {
    this.list.refresh(this.model.rows.indexOf(row));
    this.wantContent();
  }

  entryMenu(anchor, o) {
    this.actions.entryMenu(anchor, o);
  }

  // Entries that belong together with `o`: those of its row.
  ordinalsAt(o) {
    const i = this.model.rowOf(o);
    return i < 0 ? [o] : this.model.entriesOf(this.model.rows[i]);
  }

  // The id that its agent knows a sub-agent by: import adds the beginning of the parent's id.
  agentIds(child) {
    const tail = `-${this.model.session.id.slice(0, 8)}`;
    const {session} = child;
    return session.endsWith(tail) ? [session, session.slice(0, -tail.length)] : [session];
  }

  // The session of the sub-agent that a call started: by an id in the call or its result, else by
  // its prompt, else by the time; by the time only one that no id names.
  childOf(call) {
    const all = this.childSessions || [];
    if (!all.length)
      return null;
    const said = JSON.stringify([call.block.arguments, call.result && call.result.entry]);
    const byId = all.find((s) => this.agentIds(s).some((id) => id.length > 5 && said.includes(id)));
    if (byId)
      this.named.set(byId.session, call.o);
    return byId || this.childByPrompt(call, all.filter((s) => !this.named.has(s.session) || this.named.get(s.session) === call.o));
  }

  childByPrompt(call, all) {
    const prompt = plain(String((call.block.arguments || {}).prompt || '')).trim();
    const from = this.model.time[call.o] / 1000 - 2;
    const to = call.ro == null ? Infinity : this.model.time[call.ro] / 1000 + 2;
    const byPrompt = prompt && all.find((s) => s.first && prompt.startsWith(plain(s.first).slice(0, 60)));
    return byPrompt || all.find((s) => s.created_at >= from && s.created_at <= to) || null;
  }

  copyText(text) {
    copy(text);
  }

  leafId() {
    return this.model.shownLeaf >= 0 ? this.model.ids[this.model.shownLeaf] : null;
  }

  firstPosition() {
    const row = this.model.rows[this.list.firstVisible()];
    return row ? row.first : 0;
  }

  // ---- loading ------------------------------------------------------------------------

  // Heads, and at the same time the first window if the top will be seen first.
  async load(route) {
    const fromTop = !route.parts[2] && !route.query.get('leaf') && (this.startAt !== 'last' || !settings.get(`at.${this.id}`));
    const first = fromTop ? api.get(`/v1/sessions/${this.id}/window`, {from: 0, limit: 40, cut: 4000}, {signal: this.signal}) : null;
    const conversation = api.get(`/v1/sessions/${this.id}`, null, {signal: this.signal});
    const [, got, row, who] = await Promise.all([this.model.load(this.signal), first, conversation, me()]);
    this.number = row.id;
    this.row = row;
    this.mayWrite = who.may_write;
    if (got)
      got.entries.forEach((item) => this.content.put(item));
    this.loadChildren();
  }

  // Whether it is pinned and held, its counts.
  async loadRow() {
    this.row = await api.get(`/v1/sessions/${this.id}`, null, {signal: this.signal}).catch(() => this.row);
    this.drawHead();
  }

  // Sub-agents' sessions and the agent's name come from the list of all sessions.
  async summaries() {
    this.table = this.table || api.get('/v1/stats/sessions', null, {signal: this.signal}).then((got) =>
      got.rows.map((row) => Object.fromEntries(got.columns.map((name, i) => [name, row[i]]))));
    return this.table;
  }

  async summary() {
    const all = await this.summaries().catch(() => []);
    return all.find((s) => s.session === this.model.session.id) || null;
  }

  async loadChildren() {
    if (!this.model.flags.some((f) => f & 256))
      return;
    const all = await this.summaries().catch(() => []);
    this.childSessions = all.filter((s) => s.parent === this.model.session.id).sort((a, b) => a.created_at - b.created_at);
    if (this.childSessions.length && this.list)
      this.list.refresh();
  }

  // The branch that the address asks for, else the one with its entry, else the current one.
  chooseLeaf(route) {
    const {model} = this;
    const leaf = model.byId.get(route.query.get('leaf') || '');
    const entry = model.byId.get(route.parts[2] || '');
    let to = leaf ?? (model.leaf >= 0 ? model.leaf : model.n - 1);
    if (to !== model.shownLeaf || !model.position)
      model.setLeaf(to);
    if (entry != null && !model.isOnPath(entry)) {
      to = model.tip(entry);
      model.setLeaf(to);
    }
  }

  // ---- page ---------------------------------------------------------------------------

  build() {
    this.titleNode = el('h1', {class: 'ellipsis'});
    this.factsNode = el('div', {class: 'row wrap session-facts dim small'});
    this.followButton = iconButton('follow', 'follow the end (f)', () => this.setFollow(!this.follow), {'aria-pressed': 'false'});
    this.scroller = el('div', {class: 'transcript grow', tabindex: '0', role: 'feed', 'aria-label': 'transcript'});
    this.find = new Find({model: this.model, signal: this.signal, onHits: (list) => this.setHits(list),
      onGo: (o, hit) => this.goHit(o, hit), onClose: () => this.closedFind()});
    this.panels = new Panels(this);
    const tool = (name, label, run) => iconButton(name, label, run);
    replace(this.host, el('div', {class: 'session'},
      el('header', {class: 'session-head'},
        el('div', {class: 'grow'}, this.titleNode, this.factsNode),
        el('div', {class: 'row session-tools'},
          tool('search', 'find in the session (Ctrl-F)', () => this.find.open()), this.followButton,
          this.panels.buttons, tool('download', 'copy or export', (e) => this.actions.exportMenu(e.currentTarget)),
          tool('more', 'actions for the session (.)', (e) => this.actions.sessionMenu(e.currentTarget)))),
      el('div', {class: 'session-body'},
        el('div', {class: 'session-main grow'}, this.find.node, el('div', {class: 'transcript-box grow'}, this.scroller)), this.panels.node)));
    this.list = new VirtualList({host: this.scroller, count: 0, render: (i) => this.render(i),
      estimate: (i) => estimate(this, this.model.rows[i]), key: (i) => this.model.rows[i].key,
      onRange: () => this.ranged(), onScroll: () => this.scrolledByReader()});
    this.minimap = new Minimap({model: this.model, list: this.list, onJump: (share) => this.jumpToShare(share)});
    this.scroller.parentNode.append(this.minimap.node);
    this.scroller.addEventListener('click', (event) => this.clicked(event));
  }

  drawHead() {
    const {model} = this;
    const f = model.facts();
    const {session} = model;
    replace(this.titleNode, this.title());
    this.titleNode.title = withMasks(this.title());
    document.title = `${this.titleNode.title} · Quire`;
    const models = f.models.map((m) => plain(m).slice(0, 40));
    replace(this.factsNode,
      session.archived ? el('span', {class: 'chip'}, 'archived') : null, keepChips(this.row),
      session.problems ? el('span', {class: 'chip bad', title: '`quire session check` lists them'}, plural(session.problems, 'problem')) : null,
      session.cwd ? el('span', {class: 'mono ellipsis session-cwd', title: plain(session.cwd)}, plain(session.cwd)) : null,
      models.length ? el('span', {title: models.join(', ')}, models.slice(0, 2).join(', ') + (models.length > 2 ? ` +${models.length - 2}` : '')) : null,
      el('span', plural(f.messages, 'message')), f.ms > 0 ? el('span', duration(f.ms)) : null,
      this.row.total_tokens ? el('span', {title: 'all branches'}, `${count(this.row.total_tokens)} tokens`) : null,
      this.row.cost_nano_usd ? el('span', {title: 'as recorded, all branches'}, money(this.row.cost_nano_usd / 1000)) : null,
      f.now ? el('button', {type: 'button', class: 'link-button', title: `at most ${count(f.peak)}`, on: {click: () => this.showContext(null)}}, `context ${count(f.now)}`) : null);
  }

  title() {
    const {title, id} = this.model.session;
    return plain(title).slice(0, 200) || id;
  }

  render(i) {
    const row = this.model.rows[i];
    const node = rowNode(this, row);
    if (i === this.current)
      node.classList.add('current');
    return node;
  }

  redraw() {
    this.model.makeRows({showState: this.showState});
    this.list.setCount(this.model.rows.length);
    this.none = this.none || this.scroller.appendChild(el('div'));
    replace(this.none, this.model.rows.length ? null : empty('This session has no messages yet', 'new entries appear here as they are appended'));
    this.drawHead();
    this.minimap.draw();
    this.wantContent();
  }

  // ---- content ------------------------------------------------------------------------

  ranged() {
    this.later('fetch', FETCH_MS, () => this.wantContent());
    this.later('mark', MARK_MS, () => this.find.mark(this.find.isOpen ? this.list.box : null));
    if (this.minimap)
      this.minimap.place();
  }

  async wantContent() {
    const {rows} = this.model;
    let from = -1;
    let to = -1;
    for (let i = this.list.first; i < Math.min(rows.length, this.list.last); i++) {
      if (!wantsContent(this, rows[i]))
        continue;
      from = from < 0 ? rows[i].first : from;
      to = rows[i].last;
    }
    if (from < 0)
      return;
    try {
      await this.content.need(from, to);
    } catch (error) {
      toastError(error);
    }
  }

  loaded(ordinals) {
    if (!this.list)
      return;
    const rows = new Set(ordinals.flatMap((o) => this.model.rowsOf(o)));
    for (const i of rows)
      if (i >= 0 && this.list.node(i))
        this.list.refresh(i);
    this.minimap.draw();
    this.ranged();
  }

  async reloadEntries(ordinals) {
    ordinals.forEach((o) => this.content.kept.delete(o));
    await this.extend();
    await this.wantContent();
  }

  // ---- moving -------------------------------------------------------------------------

  address(entry, changes = {}) {
    const {query} = current();
    for (const [name, value] of Object.entries(changes))
      if (value == null)
        query.delete(name);
      else
        query.set(name, value);
    return [['session', this.id, entry].filter(Boolean), query];
  }

  // The reader has scrolled: the address follows, the history does not grow.
  scrolledByReader() {
    this.ending = false;
    this.list.sticky = this.follow;
    if (this.follow && !this.list.atEnd())
      this.setFollow(false);
    this.minimap.place();
    this.later('note', NOTE_MS, () => this.notePlace());
  }

  notePlace() {
    const p = this.firstPosition();
    const id = this.model.ids[this.model.path[p]];
    this.panels.follow(p);
    if (!id)
      return;
    settings.set(`at.${this.id}`, id);
    this.place = id;
    note(...this.address(id));
  }

  // A jump: a step of the history, so that back returns.
  goEntry(id, changes = {}) {
    this.notePlace();
    this.place = null;
    const before = location.hash;
    go(...this.address(id, changes));
    if (location.hash === before)
      this.showEntry(this.model.byId.get(id));
  }

  goBranch(child) {
    const tip = this.model.tip(child);
    go(...this.address(this.model.ids[child], {leaf: tip === this.model.leaf ? null : this.model.ids[tip]}));
  }

  // `calls`: the row of its calls, not that of its text.
  showEntry(o, {open = false, align = 'start', calls = false} = {}) {
    if (open)
      this.state.openEntry(o);
    const rows = this.model.rowsOf(o);
    if (!rows.length)
      return;
    const i = calls ? rows[rows.length - 1] : rows[0];
    if (open)
      rows.forEach((j) => this.list.refresh(j));
    this.setCurrent(i);
    this.list.scrollTo(i, {align, offset: align === 'start' ? 12 : 0});
    this.panels.follow(this.model.rows[i].first);
    this.minimap.place();
    this.wantContent().then(() => !this.signal.aborted && this.list.scrollTo(i, {align, offset: align === 'start' ? 12 : 0}));
  }

  setCurrent(i) {
    const old = this.list.node(this.current);
    if (old)
      old.classList.remove('current');
    this.current = i;
    const node = this.list.node(i);
    if (node)
      node.classList.add('current');
  }

  clicked(event) {
    const node = event.target.closest('.entry');
    const i = node ? this.model.rows.findIndex((r) => r.key === node.dataset.key) : -1;
    if (i >= 0)
      this.setCurrent(i);
  }

  showSecrets() {
    const node = this.list.node(this.currentRow());
    if (node && !toggleSecrets(node))
      toast('there is no secret in this entry');
  }

  // The row that keys act on: the current one while it is in view.
  currentRow() {
    const seen = this.current >= this.list.firstVisible() && this.current <= this.list.lastVisible();
    return seen ? this.current : this.list.firstVisible();
  }

  walk(by, test = () => true) {
    const {rows} = this.model;
    const seen = this.current >= 0 && this.current === this.currentRow();
    let i = seen ? this.current + by : this.list.firstVisible() + (by > 0 && this.current >= 0 ? 1 : 0);
    while (rows[i] && !test(rows[i]))
      i += by;
    if (!rows[i])
      return;
    this.setFollow(false);
    this.setCurrent(i);
    this.list.scrollTo(i, {align: 'start', offset: 12});
    this.setCurrent(i);
    this.scrolledByReader();
    this.wantContent();
  }

  jumpToShare(share) {
    this.setFollow(false);
    this.list.top = share * this.list.total() - this.list.height() / 2;
    this.list.place();
    this.list.draw();
    this.scrolledByReader();
  }

  // Content that comes makes rows higher: the end stays the end until the reader scrolls.
  toEnd() {
    this.ending = true;
    this.list.sticky = true;
    this.list.toEnd();
    this.minimap.place();
    this.wantContent().then(() => {
      if (this.signal.aborted)
        return;
      this.list.readScroll();
      if (this.ending)
        this.list.toEnd();
    });
    this.later('note', NOTE_MS, () => this.notePlace());
  }

  setFollow(on) {
    if (this.follow !== on) {
      this.follow = on;
      this.list.sticky = on;
      this.followButton.setAttribute('aria-pressed', String(on));
    }
    if (on)
      this.toEnd();
  }

  // ---- opening ------------------------------------------------------------------------

  toggleCurrent() {
    const row = this.model.rows[this.currentRow()];
    if (!row)
      return;
    const ordinals = [...this.model.entriesOf(row)];
    const open = !ordinals.some((o) => this.state.entries.has(o));
    this.state.setEntries(ordinals, open);
    if (row.kind === 'calls' && open)
      this.state.set(runName(row), true);
    this.list.refresh(this.model.rows.indexOf(row));
    this.wantContent();
  }

  toggleAll() {
    this.state.setAll(!this.state.all);
    this.list.known.clear();
    this.redraw();
  }

  setRaw(on) {
    this.raw = on;
    this.list.known.clear();
    this.redraw();
  }

  setShowState(on) {
    this.showState = on;
    this.redraw();
  }

  setWrap(on) {
    this.wrap = on;
    settings.set('session.wrap', on);
    this.list.refresh();
  }

  setStart(value) {
    this.startAt = value;
    settings.set('session.start', value);
  }

  // ---- find ---------------------------------------------------------------------------

  setHits(ordinals) {
    const rows = ordinals.map((o) => this.model.rowOf(o)).filter((i) => i >= 0);
    this.minimap.setHits([...new Set(rows)]);
    this.find.mark(this.find.isOpen ? this.list.box : null);
    note(...this.address(current().parts[2], {q: this.find.query || null}));
  }

  goHit(o, hit) {
    if (!this.model.isOnPath(o)) {
      this.setLeaf(this.model.tip(o));
      this.find.order();
      this.find.at = this.find.hits.findIndex((h) => h.o === o);
      this.find.say();
    }
    this.showEntry(o, {open: true, align: 'center', calls: hit.kind === 'tool_input'});
    this.place = this.model.ids[o];
    note(...this.address(this.place));
    this.later('mark', MARK_MS, () => this.markAndShow(o));
  }

  // A hit within a long entry: its first mark comes into view.
  async markAndShow(o) {
    await this.wantContent();
    this.find.mark(this.list.box);
    const nodes = this.model.rowsOf(o).map((i) => this.list.node(i)).filter(Boolean);
    const marks = CSS.highlights && CSS.highlights.get('find');
    for (const range of marks || [])
      if (nodes.some((node) => node.contains(range.startContainer))) {
        const box = range.getBoundingClientRect();
        const view = this.scroller.getBoundingClientRect();
        if (box.height && (box.top < view.top || box.bottom > view.bottom))
          this.scroller.scrollTop += box.top - view.top - view.height / 3;
        return;
      }
  }

  closedFind() {
    note(...this.address(current().parts[2], {q: null}));
    this.scroller.focus({preventScroll: true});
  }

  // ---- branches, panels ---------------------------------------------------------------

  setLeaf(o) {
    this.model.setLeaf(o);
    this.current = -1;
    this.redraw();
    this.panels.reload();
  }

  showPanel(name) {
    this.panels.toggle(name);
  }

  showContext(o) {
    this.contextAt = o;
    this.panels.open('context', true);
  }

  // h and l: the branches at the nearest branch point.
  besideBranch(by) {
    const {model} = this;
    const {rows} = model;
    const here = this.currentRow();
    let best = -1;
    rows.forEach((row, i) => {
      if (row.kind === 'branch' && (best < 0 || Math.abs(i - here) < Math.abs(best - here)))
        best = i;
    });
    if (best < 0)
      return;
    const {all, at} = model.branchesOf(rows[best]);
    this.goBranch(all[(at + by + all.length) % all.length]);
  }

  openActions() {
    const row = this.model.rows[this.currentRow()];
    const node = this.list.node(this.currentRow());
    if (row)
      this.actions.entryMenu((node && node.querySelector('.entry-more')) || node || this.titleNode, this.model.path[row.first]);
  }

  escape() {
    if (this.find.isOpen)
      this.find.close();
    else if (this.panels.name && this.panels.name !== 'outline')
      this.panels.shut();
    else
      this.scroller.focus({preventScroll: true});
  }

  // ---- live ---------------------------------------------------------------------------

  onEvent(event) {
    if (event.conversation_id != null && event.conversation_id !== this.number)
      return;
    if (event.type === 'changed' && event.session && event.session !== this.model.session.id)
      return;
    if (event.type === 'conversation.removed')
      return;
    if (/^conversation|^changed/.test(event.type))
      this.later('row', EVENT_MS, () => this.loadRow());
    this.later('event', EVENT_MS, () => this.extend());
  }

  async extendOnce() {
    const {model} = this;
    const {shownLeaf, leaf} = model;
    let atCurrent = model.shownLeaf === model.leaf || (model.leaf >= 0 && model.isOnPath(model.leaf));
    try {
      const changed = await model.extend(this.signal);
      this.list.readScroll();
      if (model.shownLeaf !== shownLeaf) // the reader went to another branch meanwhile
        atCurrent = leaf >= 0 && model.isOnPath(leaf);
      const grown = model.position.length < model.n;
      if (changed || grown) {
        if (model.shownLeaf >= model.n)
          this.content.forget();
        model.setLeaf(atCurrent && model.leaf >= 0 ? model.leaf : Math.min(model.shownLeaf, model.n - 1));
        this.redraw();
        this.panels.grown();
      } else {
        this.drawHead();
      }
      if (this.follow)
        this.toEnd();
    } catch (error) {
      toastError(error);
    }
  }

  // Step to the session before or after this one, as the list has them.
  async beside(by) {
    const all = (await this.summaries().catch(() => [])).filter((s) => !s.archived).sort((a, b) => b.updated_at - a.updated_at);
    const at = all.findIndex((s) => s.session === this.model.session.id);
    const next = all[at + by];
    if (next)
      go(['session', next.session]);
  }

  // ---- addresses ----------------------------------------------------------------------

  // The first view: the entry of the address, else where the reader was, else the top.
  begin(route) {
    const q = route.query.get('q');
    const entry = this.model.byId.get(route.parts[2] || '');
    const last = this.startAt === 'last' ? this.model.byId.get(settings.get(`at.${this.id}`) || '') : null;
    this.panels.fromAddress(route);
    if (q)
      this.beginFind(q, entry);
    if (entry != null)
      this.showEntry(entry, {open: Boolean(q), align: q ? 'center' : 'start'});
    else if (last != null && this.model.isOnPath(last))
      this.showEntry(last);
    else
      this.panels.follow(0);
  }

  async beginFind(q, entry) {
    this.find.open(q);
    this.find.input.blur();
    await this.find.search(q, entry == null);
    if (entry != null) {
      this.find.at = this.find.hits.findIndex((h) => h.o === entry);
      this.find.say();
      this.markAndShow(entry);
    }
  }

  // Another address of the same session.
  update(route) {
    if (route.parts[1] !== this.id)
      return false;
    const before = this.model.shownLeaf;
    this.chooseLeaf(route);
    if (before !== this.model.shownLeaf) {
      this.current = -1;
      this.redraw();
      this.panels.reload();
    }
    this.panels.fromAddress(route);
    const entry = this.model.byId.get(route.parts[2] || '');
    if (entry != null && (route.parts[2] !== this.place || before !== this.model.shownLeaf))
      this.showEntry(entry);
    return true;
  }

  close() {
    Object.values(this.timers).forEach(clearTimeout);
    if (CSS.highlights)
      CSS.highlights.delete('find');
    this.panels.close();
    this.minimap.close();
    this.images.close();
    this.list.destroy();
  }
}

export async function show(host, route, signal) {
  if (!route.parts[1]) {
    go('/sessions', null, {replace: true});
    return {};
  }
  const page = new SessionPage(host, route.parts[1], signal);
  await page.load(route);
  if (signal.aborted)
    return {};
  page.chooseLeaf(route);
  page.build();
  page.redraw();
  page.begin(route);
  const off = events.on(['entry.appended', 'conversation', 'connected'], (event) => page.onEvent(event));
  const seen = () => document.visibilityState === 'visible' && page.extend();
  document.addEventListener('visibilitychange', seen);
  return {
    title: page.title(),
    keys: bindings(page),
    update: (next) => page.update(next),
    close() {
      off();
      document.removeEventListener('visibilitychange', seen);
      page.close();
    },
  };
}
