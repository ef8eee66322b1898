// Keys: bindings by scope, sequences such as "g h", the list of all of them, the palette.
//
// A key is written as the browser names it, with Ctrl- or Alt- before it: 'j', '?', 'Escape',
// 'Ctrl-k'. None runs while the reader types in a field, but those marked `always`. The last
// binding of a key wins, so a page can replace one of the shell.

import {el} from './dom.js';
import {openDialog} from './ui.js';

const SEQUENCE_MS = 1200;

let bindings = [];
let typed = [];
let timer = 0;
let paletteSource = async () => [];

function name(event) {
  const key = event.key === ' ' ? 'Space' : event.key;
  return (event.ctrlKey || event.metaKey ? 'Ctrl-' : '') + (event.altKey ? 'Alt-' : '') +
    (event.ctrlKey || event.metaKey ? key.toLowerCase() : key);
}

function inField(event) {
  const node = event.target;
  return node instanceof HTMLElement && (node.isContentEditable ||
    node.matches('input:not([type=checkbox]):not([type=radio]), textarea, select'));
}

// A button or link keeps its own keys.
function isOwn(event) {
  return (event.key === 'Enter' || event.key === ' ') &&
    event.target.closest && event.target.closest('button, a, summary, [role=button]');
}

function find(keys, exact) {
  for (let i = bindings.length - 1; i >= 0; i--) {
    const b = bindings[i];
    if (b.sequence.length < keys.length || (exact && b.sequence.length !== keys.length))
      continue;
    if (keys.every((k, j) => k === b.sequence[j]))
      return b;
  }
  return null;
}

function reset() {
  typed = [];
  clearTimeout(timer);
}

function run(binding, event) {
  reset();
  if (binding.run(event) !== false)
    event.preventDefault();
}

function onKey(event) {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]') ||
      ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key))
    return;
  const field = inField(event);
  const key = name(event);
  if (field) {
    const b = find([key], true);
    if (b && b.always)
      run(b, event);
    else if (key === 'Escape')
      event.target.blur();
    return;
  }
  if (isOwn(event))
    return;
  for (const keys of typed.length ? [[...typed, key], [key]] : [[key]]) {
    const b = find(keys, true);
    if (b) {
      run(b, event);
      return;
    }
    if (find(keys, false)) {
      typed = keys;
      clearTimeout(timer);
      timer = setTimeout(reset, SEQUENCE_MS);
      event.preventDefault();
      return;
    }
  }
  reset();
}

// bind('Session', [{keys: 'j', label: 'next entry', run}]) returns a function that ends it.
// `keys` may be a list of alternatives.
export function bind(scope, list) {
  const mine = list.flatMap((b) => [].concat(b.keys).map((keys, i) =>
    ({...b, scope, sequence: keys.split(' '), hidden: i > 0, all: [].concat(b.keys)})));
  bindings.push(...mine);
  return () => {
    bindings = bindings.filter((b) => !mine.includes(b));
  };
}

function helpGroup(scope, list) {
  return el('section', el('h3', scope), el('dl', {class: 'keys'}, list.map((b) => [
    el('dt', b.all.map((keys, i) => [i ? ' ' : null,
      keys.split(' ').map((k) => el('kbd', k))])),
    el('dd', b.label),
  ])));
}

export function help() {
  const groups = new Map();
  for (const b of bindings.filter((one) => !one.hidden && one.label))
    groups.set(b.scope, [...(groups.get(b.scope) || []), b]);
  openDialog({title: 'Keys', class: 'wide', body: el('div', {class: 'key-groups'},
    [...groups].reverse().map(([scope, list]) => helpGroup(scope, list)))});
}

// `source(text)` returns a promise of [{label, detail, run}]; set by the shell.
export function setPalette(source) {
  paletteSource = source;
}

function commands() {
  return bindings.filter((b) => !b.hidden && b.label && !b.always)
    .map((b) => ({label: b.label, detail: b.scope, keys: b.sequence, run: () => b.run()}));
}

function matches(item, words) {
  const text = `${item.label} ${item.detail || ''}`.toLowerCase();
  return words.every((w) => text.includes(w));
}

function paletteRow(item, i, at, pick) {
  return el('li', {class: 'palette-item', role: 'option', id: `palette-${i}`,
    'aria-selected': String(i === at), on: {click: () => pick(item)}},
  el('span', {class: 'grow'}, item.label), el('span', {class: 'dim'}, item.detail),
  item.keys ? item.keys.map((k) => el('kbd', k)) : null);
}

export function palette() {
  const input = el('input', {type: 'text', class: 'palette-input', role: 'combobox',
    'aria-label': 'command, page or session', 'aria-expanded': 'true',
    'aria-controls': 'palette-list', placeholder: 'go to a page, a session, an action',
    autocomplete: 'off', spellcheck: 'false'});
  const listNode = el('ul', {class: 'palette-list', role: 'listbox', id: 'palette-list'});
  const dialog = openDialog({title: 'Go to', class: 'palette', body: [input, listNode]});
  let items = commands();
  let shown = [];
  let at = 0;

  function pick(item) {
    dialog.close();
    if (item)
      item.run();
  }
  function draw() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = items.filter((item) => matches(item, words)).slice(0, 50);
    at = Math.max(0, Math.min(at, shown.length - 1));
    listNode.replaceChildren(...shown.map((item, i) => paletteRow(item, i, at, pick)));
    input.setAttribute('aria-activedescendant', shown.length ? `palette-${at}` : '');
    listNode.children[at]?.scrollIntoView({block: 'nearest'});
  }
  input.addEventListener('input', () => {
    at = 0;
    draw();
  });
  input.addEventListener('keydown', (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step) {
      at += step;
      draw();
    } else if (event.key === 'Enter') {
      pick(shown[at]);
    } else {
      return;
    }
    event.preventDefault();
  });
  draw();
  input.focus();
  paletteSource().then((more) => {
    items = [...more, ...commands()];
    draw();
  }, () => {});
}

addEventListener('keydown', onKey);
