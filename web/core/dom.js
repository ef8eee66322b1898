// Nodes of the page: elements, SVG, icons.
//
// Stored content is untrusted. It enters the page only as text nodes, by el(); no HTML is
// ever parsed. An address in href is dropped unless its scheme is known to be harmless.

import {hasSecrets, secretNodes, withMasks, withSecrets} from './secrets.js';

const SVG = 'http://www.w3.org/2000/svg';
const SAFE_LINK = /^(?:https?:|mailto:|blob:|#|\/(?!\/))/i;

// Control characters but tab and newline; bidirectional and invisible formatting.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;
const HAS_CONTROL = new RegExp(CONTROLS.source);

// A text with secrets as it is put into `node`: a field has them, for the reader edits it.
function textNodes(node, text) {
  if (node.localName === 'textarea')
    return [withSecrets(text)];
  return node.namespaceURI === SVG ? [withMasks(text)] : secretNodes(text);
}

function append(node, children) {
  for (const child of children) {
    if (child == null || child === false)
      continue;
    if (Array.isArray(child))
      append(node, child);
    else if (typeof child === 'string' && hasSecrets(child))
      node.append(...textNodes(node, child));
    else
      node.append(child);
  }
  return node;
}

// Texts and nodes at the end of an element or fragment.
export function add(node, ...children) {
  return append(node, children);
}

function setStyle(node, style) {
  for (const [name, value] of Object.entries(style))
    node.style.setProperty(name, String(value));
}

function setAttribute(node, name, value) {
  if (value == null || value === false)
    return;
  if (name === 'href' && !SAFE_LINK.test(value))
    return;
  node.setAttribute(name, value === true ? '' : name === 'value' ? withSecrets(String(value)) : withMasks(String(value)));
}

function setProps(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on')
      for (const [type, run] of Object.entries(value))
        node.addEventListener(type, run);
    else if (name === 'dataset')
      for (const [key, one] of Object.entries(value).filter((pair) => pair[1] != null))
        node.dataset[key] = one;
    else if (name === 'style')
      setStyle(node, value);
    else
      setAttribute(node, name, value);
  }
}

function isProps(value) {
  return value == null || Object.getPrototypeOf(value) === Object.prototype;
}

function build(node, args) {
  if (args.length && isProps(args[0])) {
    const [props, ...children] = args;
    setProps(node, props || {});
    return append(node, children);
  }
  return append(node, args);
}

// el('a', {class: 'x', on: {click: run}}, 'text', [more, nodes])
export function el(tag, ...args) {
  return build(document.createElement(tag), args);
}

export function svg(tag, ...args) {
  return build(document.createElementNS(SVG, tag), args);
}

export function clear(node) {
  node.replaceChildren();
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

// A name from outside: on one line, without characters that hide or reorder others.
export function plain(text) {
  return String(text ?? '').replace(/\s+/g, ' ').replace(CONTROLS, '');
}

function showControl(c) {
  const code = c.charCodeAt(0);
  if (code < 0x20)
    return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421'
    : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

// Content from outside: those characters are shown, not obeyed.
export function visible(text) {
  text = String(text ?? '');
  return HAS_CONTROL.test(text) ? text.replace(/\r\n/g, '\n').replace(CONTROLS, showControl) : text;
}

// Paths of a 16 x 16 grid, drawn as lines.
const ICONS = {
  home: 'M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5',
  sessions: 'M3 3.5h10v7H7.5L5 13v-2.5H3z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 14 14',
  artifacts: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  outputs: 'M2.5 3.5h11v9h-11zM5 6.5l2 1.5-2 1.5M8.5 10H11',
  memory: 'M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 8.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.9 4.7l4.2 1.7M6.4 11l3.9-3',
  history: 'M3 8a5 5 0 1 0 1.5-3.5L3 6M3 3v3h3M8 5.5V8l2 1.5',
  admin: 'M3 5h6M12 5h1M3 11h1M7 11h6M10.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.5 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  up: 'M3.5 10 8 5.5l4.5 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  link: 'M6.5 9.5l3-3M7 5l1.5-1.5a2.5 2.5 0 0 1 4 3.5L11 8.5M9 11l-1.5 1.5a2.5 2.5 0 0 1-4-3.5L5 7.5',
  branch: 'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 2.5-4 2-6.5 4',
  tool: 'M9.5 6.5 4 12a1.4 1.4 0 0 1-2-2l5.5-5.5A3.5 3.5 0 0 1 12 2.2L10 4.2l1.8 1.8 2-2A3.5 3.5 0 0 1 9.5 6.5z',
  thinking: 'M8 2.5a4 4 0 0 0-2.5 7.1V11.5h5V9.6A4 4 0 0 0 8 2.5zM6 13.5h4',
  image: 'M2.5 3.5h11v9h-11zM2.5 11l3.5-3.5 2.5 2.5 2-2 3 3M10.5 6.5h.01',
  error: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2h.01',
  check: 'M3 8.5 6.5 12 13 4.5',
  pin: 'M5.5 2.5h5l-.7 4 2.2 2.5h-8l2.2-2.5zM8 9v4.5',
  lock: 'M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2',
  label: 'M2.5 2.5h5l6 6-5 5-6-6zM5 5h.01',
  fork: 'M4.5 2.5v4a2 2 0 0 0 2 2h3a2 2 0 0 0 2-2v-4M8 8.5v5',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v7h9v-7M6.5 9h3',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  edit: 'M3 13l.5-3L10.5 3 13 5.5 6 12.5z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  clock: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 5v3l2 1.5',
  layers: 'M8 2.5 14 5.5 8 8.5 2 5.5zM2 8l6 3 6-3M2 10.5l6 3 6-3',
  diff: 'M4 2.5h5l3 3v8H4zM8 5.5v4M6 7.5h4M6 11.5h4',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  auto: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 2.5v11',
  follow: 'M3.5 3.5 8 8l4.5-4.5M3.5 8.5 8 13l4.5-4.5',
  logout: 'M6 2.5H3v11h3M7 8h7M11 5l3 3-3 3',
  folder: 'M2.5 4h4l1.5 1.5h5.5v7h-11z',
  filter: 'M2.5 3.5h11L9.5 8.5v4l-3 1v-5z',
  agent: 'M4 5.5h8v6H4zM8 5.5v-2.5M6.5 8h.01M9.5 8h.01M2.5 7.5v2M13.5 7.5v2',
  terminal: 'M3 4.5 6.5 8 3 11.5M8 12h5',
  keyboard: 'M1.5 4.5h13v7h-13zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6',
  plus: 'M8 3v10M3 8h10',
  restore: 'M3 6h6a3.5 3.5 0 0 1 0 7H6M3 6l3-3M3 6l3 3',
};

export function icon(name) {
  return svg('svg', {class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true'},
    svg('path', {d: ICONS[name] || ICONS.more}));
}
