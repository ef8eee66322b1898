// The rows of the list of sessions: sorted, grouped, sub-agents below their parent. A row is
// {kind: 'group', ...}, {kind: 'session', s, children, open, depth}.

import {el, icon, plain} from '../core/dom.js';
import {ago, bytes, count, day, money, plural, time} from '../core/format.js';
import {href} from '../core/router.js';
import {isWorking} from './filter.js';
import {keepChips} from './keep.js';

// id, label, value to sort by, whether it is a number
export const COLUMNS = [
  {id: 'title', label: 'Session', get: (s) => titleOf(s).toLowerCase()},
  {id: 'agent', label: 'Agent', get: (s) => agentOf(s)},
  {id: 'model', label: 'Model', get: (s) => s.model},
  {id: 'messages', label: 'Messages', num: true, get: (s) => s.messages},
  {id: 'calls', label: 'Calls', num: true, get: (s) => s.tool_calls || 0},
  {id: 'tokens', label: 'Tokens', num: true, get: (s) => tokensOf(s)},
  {id: 'cost', label: 'Cost', num: true, get: (s) => s.cost_micro_usd || 0},
  {id: 'size', label: 'Size', num: true, get: (s) => s.bytes},
  {id: 'changed', label: 'Changed', num: true, get: (s) => s.updated_at},
];

export const GROUPS = [
  {id: '', label: 'No groups'},
  {id: 'project', label: 'By project', get: (s) => s.project || 'no directory'},
  {id: 'agent', label: 'By agent', get: (s) => agentOf(s)},
  {id: 'day', label: 'By day', get: (s) => day(s.updated_at)},
  {id: 'folder', label: 'By folder', get: (s, folders) => folders.get(s.folder_id) || 'in no folder'},
];

export function titleOf(s) {
  return plain(s.title || s.first).slice(0, 300) || s.session;
}

export function agentOf(s) {
  return plain(s.agent) || 'quire';
}

export function tokensOf(s) {
  return s.input_tokens + s.output_tokens + s.cached_tokens;
}

export function projectName(path) {
  return plain(path).split('/').filter(Boolean).slice(-2).join('/');
}

// ---- order ---------------------------------------------------------------------------

function sorter(sort) {
  const down = sort.startsWith('-');
  const column = COLUMNS.find((c) => c.id === sort.replace('-', '')) || COLUMNS[COLUMNS.length - 1];
  const sign = down ? -1 : 1;
  return (a, b) => {
    const x = column.get(a);
    const y = column.get(b);
    return x < y ? -sign : x > y ? sign : b.updated_at - a.updated_at || b.number - a.number;
  };
}

function familyRows(s, view, depth, out) {
  const children = view.children.get(s.session) || [];
  const open = view.open.has(s.session);
  out.push({kind: 'session', s, children, open, depth});
  if (open && depth < 5)
    for (const child of children)
      familyRows(child, view, depth + 1, out);
}

function sums(list) {
  return {n: list.length, cost: list.reduce((sum, s) => sum + (s.cost_micro_usd || 0), 0)};
}

// All sessions and what is asked of them, as rows.
export function makeRows(sessions, {test, sort, group, open, folders}) {
  const shown = sessions.filter(test).sort(sorter(sort));
  const ids = new Set(shown.map((s) => s.session));
  const children = new Map();
  const tops = [];
  for (const s of shown) {
    if (s.parent && s.parent !== s.session && ids.has(s.parent))
      children.set(s.parent, [...(children.get(s.parent) || []), s]);
    else
      tops.push(s);
  }
  const view = {children, open};
  const rows = [];
  const by = GROUPS.find((g) => g.id === group && g.get);
  if (!by) {
    tops.forEach((s) => familyRows(s, view, 0, rows));
    return {rows, n: shown.length};
  }
  const groups = new Map();
  for (const s of tops) {
    const name = by.get(s, folders);
    groups.set(name, [...(groups.get(name) || []), s]);
  }
  for (const [name, list] of groups) {
    const closed = open.has('group:' + name);
    rows.push({kind: 'group', name, closed, ...sums(list)});
    if (!closed)
      list.forEach((s) => familyRows(s, view, 0, rows));
  }
  return {rows, n: shown.length};
}

// ---- nodes ---------------------------------------------------------------------------

function state(s) {
  if (isWorking(s))
    return ['working', 'changed within the last minute'];
  return {interrupted: ['stale', 'a call has no result'], error: ['failed', 'ended with an error'],
    aborted: ['failed', 'was aborted'], pending: ['waiting', 'waits for the user']}[s.state] || ['idle', 'idle'];
}

function flags(s) {
  const list = keepChips(s);
  if (s.tool_errors)
    list.push(el('span', {class: 'chip bad', title: `${plural(s.tool_errors, 'call')} failed`}, icon('error'), count(s.tool_errors)));
  if (s.branches)
    list.push(el('span', {class: 'chip', title: plural(s.branches, 'branch point')}, icon('branch'), count(s.branches)));
  if (s.images)
    list.push(el('span', {class: 'chip', title: plural(s.images, 'image')}, icon('image'), count(s.images)));
  if (s.compactions)
    list.push(el('span', {class: 'chip', title: plural(s.compactions, 'compaction')}, icon('layers'), count(s.compactions)));
  if (s.archived)
    list.push(el('span', {class: 'chip'}, 'archived'));
  return list;
}

function childToggle(row, onToggle) {
  if (!row.children.length)
    return null;
  const cost = sums(row.children).cost;
  return el('button', {type: 'button', class: 'chip child-toggle', 'aria-expanded': String(row.open),
    on: {click: (event) => {
      event.preventDefault();
      event.stopPropagation();
      onToggle(row.s.session);
    }}}, icon(row.open ? 'down' : 'right'), plural(row.children.length, 'session below', 'sessions below'),
  cost ? ` ${money(cost)}` : '');
}

function titleCell(row, view) {
  const {s} = row;
  const [name, why] = state(s);
  const title = titleOf(s);
  const first = plain(s.first).slice(0, 300);
  return el('div', {class: 's-title', role: 'gridcell'},
    el('span', {class: `dot dot-${name}`, role: 'img', title: why, 'aria-label': why}),
    el('div', {class: 'grow'},
      el('div', {class: 'row s-line'},
        el('a', {class: 'ellipsis s-name', href: href(['session', s.session]), title}, title),
        view.isNew(s) ? el('span', {class: 'chip new'}, 'new') : null, childToggle(row, view.onToggle)),
      el('div', {class: 'row s-line dim small'},
        s.project ? el('span', {class: 's-project', title: plain(s.project)}, projectName(s.project)) : null,
        first && first !== title ? el('span', {class: 'ellipsis s-first'}, first) : null, flags(s))));
}

export function sessionNode(row, view) {
  const {s} = row;
  const cell = (id, text, title) => el('span', {class: `c-${id}`, role: 'gridcell', title}, text);
  return el('div', {class: 's-row', role: 'row', dataset: {session: s.session}, 'aria-selected': 'false',
    style: {'--depth': row.depth},
    on: {click: (event) => view.onPick(row, event)}},
  titleCell(row, view),
  cell('agent', agentOf(s)),
  cell('model', plain(s.model), plain(s.model)),
  cell('messages', count(s.messages)),
  cell('calls', count(s.tool_calls)),
  cell('tokens', count(tokensOf(s)),
    `${count(s.input_tokens)} in, ${count(s.output_tokens)} out, ${count(s.cached_tokens)} cached`),
  cell('cost', money(s.cost_micro_usd, s.cost_source), {unknown: 'no cost is recorded',
    partial: 'some answers have no cost'}[s.cost_source]),
  cell('size', bytes(s.bytes)),
  cell('changed', ago(s.updated_at), time(s.updated_at)));
}

export function groupNode(row, view) {
  return el('div', {class: 's-group', role: 'row'},
    el('span', {role: 'gridcell'}, el('button', {type: 'button', class: 'link-button', 'aria-expanded': String(!row.closed),
      on: {click: () => view.onToggle('group:' + row.name)}},
    icon(row.closed ? 'right' : 'down'), ' ', el('b', plain(row.name)))),
    el('span', {class: 'dim small', role: 'gridcell'}, plural(row.n, 'session'), row.cost ? `, ${money(row.cost)}` : ''));
}
