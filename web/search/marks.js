// Matches in texts, and where a hit leads to.

import {el, visible} from '../core/dom.js';
import {href} from '../core/router.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// `matches`: pairs of byte offsets into `text`. Offsets that do not fit are left out.
export function marked(text, matches) {
  const bytes = encoder.encode(text);
  const part = (from, to) => visible(decoder.decode(bytes.subarray(from, to)));
  const nodes = [];
  let at = 0;
  for (const [from, to] of matches) {
    if (from < at || to <= from || to > bytes.length)
      continue;
    nodes.push(part(at, from), el('mark', part(from, to)));
    at = to;
  }
  nodes.push(part(at, bytes.length));
  return nodes;
}

// The words that matched in a hit, in lower case.
export function matchedWords(hit) {
  const bytes = encoder.encode(hit.snippet);
  const words = hit.matches.map(([from, to]) => decoder.decode(bytes.subarray(from, to)).toLowerCase());
  return [...new Set(words)].filter(Boolean);
}

// All places of words in a text, marked.
export function markWords(text, words) {
  text = visible(text);
  if (!words.length)
    return [text];
  const pattern = words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).sort((a, b) => b.length - a.length);
  return text.split(new RegExp(`(${pattern.join('|')})`, 'gi'))
    .map((part, i) => i % 2 ? el('mark', part) : part);
}

function after(address, mark) {
  const at = address.indexOf(mark);
  return at < 0 ? null : address.slice(at + mark.length);
}

// What a hit is of: {what, id}.
export function placeOf(hit) {
  const {address} = hit;
  if (hit.kind === 'artifact')
    return {what: 'artifact', id: after(address, '#')};
  if (hit.kind === 'output')
    return {what: 'output', id: after(address, '://')};
  if (hit.kind === 'memory' || hit.kind === 'history')
    return {what: hit.kind, id: after(address, ':')};
  return {what: 'entry', id: hit.entry || null};
}

export function hitHref(hit, query) {
  const {what, id} = placeOf(hit);
  if (what === 'artifact')
    return href(['artifact', id]);
  if (what === 'output')
    return href(['output', hit.session, id], {grep: null});
  if (what === 'memory')
    return href(['memory', id]);
  if (what === 'history')
    return href('/history', {q: query, id});
  return href(['session', hit.session, id].filter(Boolean), {q: query});
}
