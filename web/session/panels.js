// Panels beside the transcript that are made once and thrown away: the context a model saw,
// turns with their calls, changes of files.

import {el, icon, plain, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {bytes, count, duration, money, plural} from '../core/format.js';
import {diffView} from '../core/diff_view.js';
import {go} from '../core/router.js';
import {settings} from '../core/state.js';
import {empty, errorBox, iconButton} from '../core/ui.js';

const MAX_PARTS = 400;
const MAX_CALLS = 60;
const TURNS_AT_ONCE = 200;
const FLOOR = 4;

const PART_COLOURS = {user: '--user', assistant: '--assistant', thinking: '--thinking', tool_input: '--tool',
  tool_result: '--s3', summary: '--compaction', image: '--s4', other: '--result'};
const PART_NAMES = {user: 'user', assistant: 'assistant', thinking: 'thinking', tool_input: 'calls', tool_result: 'results',
  summary: 'summaries', image: 'images', other: 'other'};

function bar(width, name) {
  return el('span', {class: 'bar', style: {width: `${width}%`, '--bar': `var(${name})`}});
}

// ---- context -------------------------------------------------------------------------

export class ContextPanel {
  constructor(view) {
    this.view = view;
  }

  async show(host) {
    this.host = host;
    await this.load(this.view.contextAt);
  }

  // At an entry, or at the end of the path.
  async load(ordinal) {
    const {model, signal} = this.view;
    const o = ordinal ?? model.shownLeaf;
    const leaf = o >= 0 ? model.ids[o] : null;
    const got = await api.get(`/v1/sessions/${model.id}/parts`, {leaf}, {signal});
    const where = ordinal == null ? 'at the end of this branch' : `at entry ${count(model.position[o] + 1)}`;
    replace(this.host, el('div', {class: 'panel-scroll'},
      el('p', el('b', `${count(got.total_tokens)} tokens`), el('span', {class: 'dim'}, ` estimated, in ${plural(got.messages, 'message')}, ${where}`)),
      ordinal == null ? null : el('p', el('button', {type: 'button', class: 'link-button', on: {click: () => this.load(null)}}, 'show the end of the branch')),
      this.kinds(got), el('h3', 'Parts, in order'), this.parts(got)));
  }

  kinds(got) {
    const list = Object.entries(got.by_kind).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
    const total = Math.max(1, got.total_tokens);
    return [el('div', {class: 'stack', role: 'img', 'aria-label': list.map(([k, n]) => `${PART_NAMES[k] || k} ${Math.round(n / total * 100)} %`).join(', ')},
      list.map(([kind, n]) => bar(n / total * 100, PART_COLOURS[kind] || '--result'))),
    el('dl', {class: 'legend'}, list.map(([kind, n]) => [el('dt', el('span', {class: 'swatch', style: {'--bar': `var(${PART_COLOURS[kind] || '--result'})`}}), PART_NAMES[kind] || plain(kind)),
      el('dd', {class: 'num'}, `${count(n)} · ${Math.round(n / total * 100)} %`)]))];
  }

  parts(got) {
    const most = got.parts.reduce((max, p) => Math.max(max, p.tokens), 1);
    const shown = got.parts.slice(0, MAX_PARTS);
    return el('ol', {class: 'parts'}, shown.map((p) => el('li',
      el('div', {class: 'row'}, el('span', {class: 'part-kind'}, p.tool ? plain(p.tool).slice(0, 30) : PART_NAMES[p.kind] || plain(p.kind)),
        el('span', {class: 'ellipsis grow dim'}, plain(p.text || '')), el('span', {class: 'num tiny'}, count(p.tokens))),
      bar(Math.max(1, p.tokens / most * 100), PART_COLOURS[p.kind] || '--result'))),
    got.parts.length > MAX_PARTS ? el('li', {class: 'dim'}, `${count(got.parts.length - MAX_PARTS)} more`) : null);
  }

  close() {}
}

// ---- turns ---------------------------------------------------------------------------

// Each prompt and what it led to; its calls as a waterfall, scaled to the longest one.
export class TurnsPanel {
  constructor(view) {
    this.view = view;
    this.open = new Set();
  }

  async show(host) {
    const {model, signal} = this.view;
    const leaf = model.shownLeaf >= 0 ? model.ids[model.shownLeaf] : null;
    const got = await api.get(`/v1/sessions/${model.id}/turns`, {leaf}, {signal});
    const most = got.turns.reduce((max, t) => Math.max(max, t.duration_ms || 0), 1);
    const tokens = got.turns.reduce((max, t) => Math.max(max, t.input_tokens + t.output_tokens + t.cached_tokens), 1);
    const scroll = el('div', {class: 'panel-scroll'});
    replace(host, scroll);
    this.add(scroll, got.turns, 0, most, tokens);
    if (!got.turns.length)
      scroll.append(empty('no turns'));
  }

  add(scroll, turns, from, most, tokens) {
    scroll.append(...turns.slice(from, from + TURNS_AT_ONCE).map((turn, i) => this.turn(turn, from + i, most, tokens)));
    if (from + TURNS_AT_ONCE >= turns.length)
      return;
    const more = el('button', {type: 'button', on: {click: () => {
      more.remove();
      this.add(scroll, turns, from + TURNS_AT_ONCE, most, tokens);
    }}}, `${count(turns.length - from - TURNS_AT_ONCE)} more turns`);
    scroll.append(more);
  }

  // Sub-agents by the call that started them: each belongs to one, the first that fits.
  lanesOf(calls) {
    const left = [...(this.view.childSessions || [])];
    const lanes = new Map();
    for (const call of calls.filter((c) => /task|agent|spawn/i.test(c.tool))) {
      const end = call.duration_ms == null ? Infinity : call.start_ms + call.duration_ms;
      const fits = (s) => s.created_at * 1000 >= call.start_ms - 2000 && s.created_at * 1000 <= end + 2000;
      const at = left.findIndex(fits);
      if (at >= 0)
        lanes.set(call, left.splice(at, 1)[0]);
    }
    return lanes;
  }

  // A bar of [start, end] within the turn.
  fall(turn, {start, end, name, title, failed = false, run, rest = ''}) {
    const whole = Math.max(1, turn.duration_ms || 0);
    const left = Math.min(96, Math.max(0, (start - turn.time_ms) / whole * 100));
    const width = Math.min(100 - left, Math.max(FLOOR, (end == null ? 0 : end - start) / whole * 100));
    return el('button', {type: 'button', class: 'fall', title, on: {click: run}}, el('span', {class: 'fall-name ellipsis'}, name),
      el('span', {class: 'fall-lane'}, el('span', {class: `fall-bar${failed ? ' failed' : ''}${rest}`, style: {left: `${left}%`, width: `${width}%`}})),
      el('span', {class: 'tiny dim num'}, end == null ? '…' : duration(end - start)));
  }

  childLane(turn, child) {
    return el('li', {class: 'fall-child'}, this.fall(turn, {start: child.created_at * 1000, end: child.updated_at * 1000, title: plain(child.title || child.first),
      name: [icon('agent'), plain(child.title || child.first).slice(0, 80)], rest: ' sub', run: () => go(['session', child.session])}));
  }

  turn(turn, i, most, tokens) {
    const all = turn.input_tokens + turn.output_tokens + turn.cached_tokens;
    const failed = turn.calls.filter((c) => c.error).length;
    const details = el('details', {class: 'turn'},
      el('summary',
        el('div', {class: 'row'}, el('b', `Turn ${i + 1}`), el('span', {class: 'dim ellipsis grow'}, plain(turn.model)),
          failed ? el('span', {class: 'chip bad'}, `${failed} failed`) : null,
          iconButton('right', 'show it in the transcript', (event) => {
            event.preventDefault();
            this.view.goEntry(turn.id);
          })),
        el('div', {class: 'lane', title: `took ${duration(turn.duration_ms)}`}, bar(Math.max(1, (turn.duration_ms || 0) / most * 100), '--s2'),
          el('span', {class: 'tiny dim'}, duration(turn.duration_ms))),
        el('div', {class: 'lane', title: `${count(turn.input_tokens)} in, ${count(turn.cached_tokens)} cached, ${count(turn.output_tokens)} out`},
          bar(Math.max(1, all / tokens * 100), '--s1'), el('span', {class: 'tiny dim'}, `${count(all)} tokens${turn.cost_micro_usd ? `, ${money(turn.cost_micro_usd)}` : ''}`)),
        el('span', {class: 'tiny dim'}, plural(turn.calls.length, 'call'))));
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1)
        details.append(this.waterfall(turn));
    });
    details.open = turn.calls.length > 0 && i < 3;
    return details;
  }

  waterfall(turn) {
    const calls = turn.calls.slice(0, MAX_CALLS);
    const lanes = this.lanesOf(calls);
    return el('ol', {class: 'waterfall'}, calls.map((call) => [
      el('li', this.fall(turn, {start: call.start_ms, end: call.duration_ms == null ? null : call.start_ms + call.duration_ms, title: plain(call.summary),
        name: [call.error ? icon('error') : null, `${plain(call.tool).slice(0, 24)} `, el('span', {class: 'dim'}, plain(call.summary))],
        failed: call.error, run: () => this.view.goEntry(call.id)})),
      lanes.has(call) ? this.childLane(turn, lanes.get(call)) : null]),
    turn.calls.length > MAX_CALLS ? el('li', {class: 'dim tiny'}, `${count(turn.calls.length - MAX_CALLS)} more calls`) : null);
  }

  close() {}
}

// ---- changes of files ----------------------------------------------------------------

export class ChangesPanel {
  constructor(view) {
    this.view = view;
  }

  async show(host) {
    this.host = el('div', {class: 'panel-scroll'});
    replace(host, this.host);
    this.mode = settings.get('diff.mode', 'unified');
    this.more = el('div');
    this.host.append(el('div', {class: 'row'}, el('span', {class: 'grow'}), el('button', {type: 'button', class: 'link-button small', on: {click: () => {
      settings.set('diff.mode', this.mode === 'split' ? 'unified' : 'split');
      this.show(host);
    }}}, this.mode === 'split' ? 'one column' : 'side by side')), this.more);
    await this.load(0);
  }

  async load(from) {
    const {model, signal} = this.view;
    const leaf = model.shownLeaf >= 0 ? model.ids[model.shownLeaf] : null;
    const got = await api.get(`/v1/sessions/${model.id}/changes`, {leaf, from}, {signal});
    for (const change of got.changes)
      this.more.before(el('div', {class: 'change'},
        el('button', {type: 'button', class: 'link-button tiny', on: {click: () => this.view.goEntry(change.entry)}}, `entry ${count(change.position + 1)}`),
        diffView(change, {mode: this.mode})));
    const none = from === 0 && !got.changes.length;
    replace(this.more, got.next != null ? el('button', {type: 'button', on: {click: () => this.load(got.next)}}, 'More changes')
      : none ? empty('no call changes a file') : null);
  }

  close() {}
}

export class ImagesPanel {
  constructor(view) {
    this.view = view;
  }

  async show(host) {
    const scroll = el('div', {class: 'panel-scroll'});
    replace(host, scroll);
    await this.view.images.strip(scroll);
  }

  close() {}
}

// What a session is, in numbers.
export class FactsPanel {
  constructor(view) {
    this.view = view;
  }

  async show(host) {
    const {model} = this.view;
    const f = model.facts();
    const {session} = model;
    const row = await this.view.summary();
    const list = [['id', session.id], ['directory', plain(session.cwd)], ['begun', f.begun ? new Date(f.begun).toLocaleString() : ''], ['took', duration(f.ms)],
      ['models', f.models.map(plain).join(', ')], ['agent', row && plain(row.agent)], ['messages', `${count(f.messages)} on this branch, ${count(model.n)} entries in all`],
      ['written', `${count(f.tokens)} tokens`], ['context', `${count(f.now)} tokens now, ${count(f.peak)} at most`],
      ['cost', row && money(row.cost_micro_usd, row.cost_source)], ['file', `${bytes(session.bytes)}, version ${session.version}`],
      ['problems', session.problems ? `${session.problems}: \`quire session check ${session.id}\` lists them` : '']];
    replace(host, el('div', {class: 'panel-scroll'}, el('dl', {class: 'facts'}, list.filter(([, v]) => v).map(([k, v]) => [el('dt', k), el('dd', v)])),
      session.parent ? el('p', el('a', {href: `#/session/${encodeURIComponent(session.parent)}`}, 'the session above this one')) : null,
      el('h3', 'Go on with it'), this.resume(session.id)));
  }

  resume(id) {
    const command = `quire resume ${id}`;
    return el('div', {class: 'row'}, el('code', {class: 'grow'}, command), iconButton('copy', 'copy the command', () => this.view.copyText(command)));
  }

  close() {}
}

export function panelError(host, error, retry) {
  if (error.name !== 'AbortError')
    replace(host, errorBox(error, retry));
}
