// Text of a terminal: colours and styles (SGR) become classes by a fixed table, a line that
// returns to its beginning is overwritten, all other escape sequences are dropped.

import {add, el, visible} from './dom.js';

const ESCAPE = /\u001b(?:\[([0-9;:?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])|\u009b([0-9;:?]*)([@-~])/g;
const MAX_SPANS = 20000;
const STYLES = {1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 7: 'inverse', 9: 'struck'};
const OFF = {22: ['bold', 'faint'], 23: ['italic'], 24: ['underline'], 27: ['inverse'], 29: ['struck']};

export function hasAnsi(text) {
  return text.includes('\u001b') || text.includes('\u009b') || /\r(?!\n)/.test(text);
}

// A colour of 256 or of 24 bits, as the nearest of the 16.
function nearest(r, g, b) {
  const most = Math.max(r, g, b);
  if (most < 48)
    return 0;
  const bits = (r > most / 2 ? 1 : 0) | (g > most / 2 ? 2 : 0) | (b > most / 2 ? 4 : 0);
  return most > 200 && bits !== 7 ? bits + 8 : bits;
}

function from256(n) {
  if (n < 16)
    return n;
  if (n >= 232)
    return n < 238 ? 8 : n < 246 ? 7 : 15;
  const c = n - 16;
  return nearest(Math.floor(c / 36) * 51, Math.floor(c / 6) % 6 * 51, c % 6 * 51);
}

// 38;5;n or 38;2;r;g;b from `i`. Returns [colour, parameters used].
function longColour(codes, i) {
  if (codes[i + 1] === 5)
    return [from256(Math.min(255, codes[i + 2] || 0)), 2];
  if (codes[i + 1] === 2)
    return [nearest(codes[i + 2] || 0, codes[i + 3] || 0, codes[i + 4] || 0), 4];
  return [null, 0];
}

function apply(state, params) {
  const codes = params === '' ? [0] : params.split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const n = codes[i];
    if (n === 0) {
      state.fg = state.bg = null;
      state.on.clear();
    } else if (STYLES[n]) {
      state.on.add(STYLES[n]);
    } else if (OFF[n]) {
      OFF[n].forEach((s) => state.on.delete(s));
    } else if (n >= 30 && n <= 37) {
      state.fg = n - 30;
    } else if (n >= 90 && n <= 97) {
      state.fg = n - 82;
    } else if (n >= 40 && n <= 47) {
      state.bg = n - 40;
    } else if (n >= 100 && n <= 107) {
      state.bg = n - 92;
    } else if (n === 38 || n === 48) {
      const [colour, used] = longColour(codes, i);
      state[n === 38 ? 'fg' : 'bg'] = colour;
      i += used;
    } else if (n === 39) {
      state.fg = null;
    } else if (n === 49) {
      state.bg = null;
    }
  }
}

function classes(state) {
  const names = [...state.on].map((s) => `t-${s}`);
  if (state.fg != null)
    names.push(`t-fg${state.fg}`);
  if (state.bg != null)
    names.push(`t-bg${state.bg}`);
  return names.join(' ');
}

// Progress bars write a line again and again: its last state is shown.
function overwrite(text) {
  return text.replace(/\r+\n/g, '\n').replace(/^.*\r(?=[^\n])/gm, '').replace(/\r/g, '');
}

export function ansi(text) {
  const fragment = document.createDocumentFragment();
  const state = {fg: null, bg: null, on: new Set()};
  let at = 0;
  let spans = 0;

  function put(piece) {
    const name = classes(state);
    if (piece)
      add(fragment, name ? el('span', {class: name}, visible(piece)) : visible(piece));
  }
  text = overwrite(String(text ?? ''));
  for (const found of text.matchAll(ESCAPE)) {
    put(text.slice(at, found.index));
    at = found.index + found[0].length;
    if ((found[2] || found[4]) === 'm')
      apply(state, found[1] ?? found[3] ?? '');
    if (++spans > MAX_SPANS)
      break;
  }
  put(text.slice(at));
  return fragment;
}

// The same text without any escape sequence.
export function plainText(text) {
  return overwrite(String(text ?? '').replace(ESCAPE, ''));
}
