// A JSON value as a tree that opens on demand.
//
// Members become nodes when their parent is opened, a hundred at a time, so that a value of
// any size costs what is seen of it. Long strings are cut, with a button that shows the rest.

import {add, el, replace, visible} from './dom.js';

const PAGE = 100;
const LONG = 400;
const OPEN_DEPTH = 2;
const OPEN_MEMBERS = 30;

function stringNode(text) {
  const node = el('span', {class: 'json-string'});
  const shown = JSON.stringify(text.length > LONG ? text.slice(0, LONG) : text);
  add(node, visible(text.length > LONG ? shown.slice(0, -1) : shown));
  if (text.length > LONG)
    node.append(el('button', {type: 'button', class: 'link-button json-more', on: {click: () => {
      replace(node, visible(JSON.stringify(text)));
    }}}, `… ${text.length - LONG} more characters`));
  return node;
}

function leaf(value) {
  if (typeof value === 'string')
    return stringNode(value);
  const kind = value === null ? 'null' : typeof value;
  return el('span', {class: `json-${kind}`}, String(value));
}

function nameNode(name) {
  return name === null ? null
    : [el('span', {class: typeof name === 'number' ? 'json-index' : 'json-key'},
      visible(String(name))), ': '];
}

function summaryText(value, isArray, n) {
  return isArray ? `[${n}]` : n ? `{${n}}` : '{}';
}

// Members from `from` on, and a button for those after them.
function addMembers(host, names, value, from, depth) {
  const page = names.slice(from, from + PAGE);
  host.append(...page.map((name) => node(name, value[name], depth)));
  if (from + PAGE >= names.length)
    return;
  const more = el('li', el('button', {type: 'button', class: 'link-button json-more', on: {click: () => {
    more.remove();
    addMembers(host, names, value, from + PAGE, depth);
  }}}, `${names.length - from - PAGE} more`));
  host.append(more);
}

function branch(name, value, depth) {
  const isArray = Array.isArray(value);
  const names = isArray ? [...value.keys()] : Object.keys(value);
  const list = el('ul', {class: 'json-members'});
  const details = el('details', {class: 'json-branch'},
    el('summary', nameNode(name), el('span', {class: 'dim'}, summaryText(value, isArray, names.length))),
    list);
  const fill = () => {
    if (details.open && !list.childNodes.length)
      addMembers(list, names, value, 0, depth + 1);
  };
  details.addEventListener('toggle', fill);
  if (depth < OPEN_DEPTH && names.length <= OPEN_MEMBERS) {
    details.open = true;
    fill();
  }
  return details;
}

function node(name, value, depth) {
  const isBranch = value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  return el('li', isBranch ? branch(name, value, depth)
    : [nameNode(name), value !== null && typeof value === 'object'
      ? el('span', {class: 'dim'}, Array.isArray(value) ? '[]' : '{}') : leaf(value)]);
}

export function jsonTree(value) {
  return el('ul', {class: 'json'}, node(null, value, 0));
}
