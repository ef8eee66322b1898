// What the pages share: their heading, loading with an error that can be tried again,
// fields, plain tables, and answers in columns as rows and as CSV.

import {el, replace, plain, visible} from './dom.js';
import {errorBox, spinner} from './ui.js';

// The heading of a page: its title, and what can be done.
export function pageHead(title, ...actions) {
  return el('header', {class: 'page-head'}, el('h1', title), el('div', {class: 'page-actions'}, actions));
}

// Fill `host` with draw(await ask()); a spinner meanwhile, and on failure why, with a
// button that tries again.
// An answer that comes after a later one is left out.
const turns = new WeakMap();

export async function load(host, ask, draw, {quiet = false} = {}) {
  const turn = (turns.get(host) || 0) + 1;
  turns.set(host, turn);
  if (!quiet)
    replace(host, spinner());
  try {
    const got = await ask();
    if (turns.get(host) !== turn)
      return null;
    replace(host, draw(got));
    return got;
  } catch (error) {
    if (error.name !== 'AbortError' && turns.get(host) === turn)
      replace(host, errorBox(error, () => load(host, ask, draw)));
    return null;
  }
}

// One of several. Options: {value, label}; `value` is the one that is chosen.
export function choice(label, options, value, onPick) {
  return el('label', {class: 'field'}, el('span', label),
    el('select', {'aria-label': label, on: {change: (event) => onPick(event.target.value)}},
      options.map((o) => el('option', {value: o.value, selected: String(o.value) === String(value ?? '')},
        plain(o.label)))));
}

// One of a few, all in view.
export function segments(label, options, value, onPick) {
  return el('div', {class: 'segments', role: 'group', 'aria-label': label}, options.map((o) =>
    el('button', {type: 'button', 'aria-pressed': String(o.value === value), title: o.title,
      dataset: {value: o.value}, on: {click: () => onPick(o.value)}}, o.label)));
}

// Call `run` once typing pauses.
export function afterPause(run, ms = 120) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms, ...args);
  };
}

// ---- tables ----------------------------------------------------------------------------

// Columns: {label, render(row), numeric?}. For a few dozen rows; more need core/table.js.
export function plainTable(label, columns, rows) {
  return el('div', {class: 'table-scroll'}, el('table', {class: 'plain-table', 'aria-label': label},
    el('thead', el('tr', columns.map((c) =>
      el('th', {scope: 'col', class: c.numeric ? 'is-numeric' : null}, c.label)))),
    el('tbody', rows.map((row) => el('tr', columns.map((c) =>
      el('td', {class: c.numeric ? 'is-numeric' : null}, c.render(row))))))));
}

// {columns, rows} of the server as objects.
export function objectsOf(table) {
  return table.rows.map((row) => Object.fromEntries(table.columns.map((name, i) => [name, row[i]])));
}

function csvField(value) {
  let text = value == null ? '' : String(value);
  if (typeof value === 'string' && /^[=+\-@\t]/.test(text))
    text = "'" + text; // not a formula for programs that open it
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf(columns, rows) {
  return [columns, ...rows].map((row) => row.map(csvField).join(',') + '\r\n').join('');
}

// Names and values, one below the other.
export function facts(pairs) {
  return el('dl', {class: 'facts'}, pairs.filter((pair) => pair && pair[1] != null && pair[1] !== '')
    .map(([name, value]) => [el('dt', name),
      el('dd', typeof value === 'string' ? visible(value) : value)]));
}
