// Markdown to nodes: headings, lists, task lists, tables, fences, quotes, links, emphasis,
// code. HTML is shown as text, and remote images as links, so nothing that a model writes
// can run or reach another host.
//
// Two passes: block() cuts lines into blocks, inline() a block's text into nodes. Both are
// linear: nesting is at most MAX_DEPTH deep, and each kind of delimiter looks for its end
// once (`ends` remembers where none follows).

import {add, el, plain, visible} from './dom.js';
import {highlight} from './highlight.js';
import {copy, iconButton} from './ui.js';

const MAX_DEPTH = 12;
const MAX_COLUMNS = 60;
const MAX_INLINE = 60000;
const ENTITIES = {amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: '\u00a0',
  hellip: '…', mdash: '—', ndash: '–', copy: '©', rarr: '→', larr: '←', times: '×'};

// ---- inline --------------------------------------------------------------------------

let keepBreaks = false;

class Inline {
  constructor(text, depth) {
    this.text = text;
    this.depth = depth;
    this.at = 0;
    this.out = [];
    this.plain = '';
    this.ends = new Map();
  }

  flush() {
    if (this.plain)
      this.out.push(visible(this.plain));
    this.plain = '';
  }

  push(node, next) {
    this.flush();
    this.out.push(node);
    this.at = next;
  }

  // Where `mark` is next, from `from`; -1: nowhere. What is nowhere is looked for once.
  find(mark, from) {
    if (this.ends.has(mark))
      return -1;
    const at = this.text.indexOf(mark, from);
    if (at < 0)
      this.ends.set(mark, true);
    return at;
  }

  nodes() {
    while (this.at < this.text.length) {
      const c = this.text[this.at];
      const rule = RULES[c];
      if (rule && rule(this))
        continue;
      this.plain += c;
      this.at++;
    }
    this.flush();
    return this.out;
  }
}

function inline(text, depth = 0) {
  if (depth > MAX_DEPTH || text.length > MAX_INLINE)
    return [visible(text)];
  return new Inline(text, depth).nodes();
}

function escape(s) {
  const next = s.text[s.at + 1];
  if (next === '\n') {
    s.push(el('br'), s.at + 2);
    return true;
  }
  if (!next || !/[!-/:-@[-\x60{-~]/.test(next))
    return false;
  s.plain += next;
  s.at += 2;
  return true;
}

function codeSpan(s) {
  let n = 0;
  while (s.text[s.at + n] === '\x60')
    n++;
  const mark = '\x60'.repeat(n);
  let end = s.find(mark, s.at + n);
  while (end >= 0 && (s.text[end + n] === '`' || s.text[end - 1] === '`')) {
    while (s.text[end] === '\x60')
      end++;
    end = s.find(mark, end);
  }
  if (end < 0) {
    s.plain += mark;
    s.at += n;
    return true;
  }
  let code = s.text.slice(s.at + n, end).replace(/\n/g, ' ');
  if (/^ .*[^ ].* $/.test(code))
    code = code.slice(1, -1);
  s.push(el('code', visible(code)), end + n);
  return true;
}

function isWord(c) {
  return c != null && /[\p{L}\p{N}]/u.test(c);
}

// *em* **strong** ***both*** ~~gone~~; _ only at the edge of a word.
function emphasis(s) {
  const c = s.text[s.at];
  let n = 0;
  while (s.text[s.at + n] === c)
    n++;
  const inner = s.at + n;
  const use = c === '~' ? 2 : Math.min(n, 3);
  const opens = n <= 3 && (c !== '~' || n === 2) && /\S/.test(s.text[inner] || ' ') &&
    !(c === '_' && isWord(s.text[s.at - 1]));
  const end = opens ? closing(s, c, use, inner) : -1;
  if (end < 0) {
    s.plain += c.repeat(n);
    s.at = inner;
    return true;
  }
  const children = inline(s.text.slice(inner, end), s.depth + 1);
  const node = c === '~' ? el('del', children)
    : use === 1 ? el('em', children)
      : use === 2 ? el('strong', children) : el('em', el('strong', children));
  s.push(node, end + use);
  return true;
}

// A run of exactly `n` marks that follows text, outside of code.
function closing(s, c, n, from) {
  const mark = c.repeat(n);
  for (let end = s.find(mark, from); end >= 0;) {
    let run = n;
    while (s.text[end + run] === c)
      run++;
    if (run === n && /\S/.test(s.text[end - 1]) && !(c === '_' && isWord(s.text[end + n])))
      return end;
    end = s.find(mark, end + run);
  }
  return -1;
}

function safeTarget(target) {
  return /^(?:https?:\/\/|mailto:)/i.test(target) ? target.replace(/[\u0000-\u0020]/g, '') : null;
}

function link(target, children) {
  const safe = safeTarget(target);
  if (!safe)
    return el('span', {class: 'md-no-link', title: plain(target)}, children);
  return el('a', {href: safe, rel: 'noopener noreferrer nofollow', target: '_blank',
    title: plain(safe)}, children);
}

// [text](target "title"); the text may have brackets in pairs.
function linkParts(s, from) {
  let depth = 0;
  let end = from;
  const most = Math.min(s.text.length, from + 2000);
  for (; end < most; end++) {
    const c = s.text[end];
    if (c === '\\')
      end++;
    else if (c === '[')
      depth++;
    else if (c === ']' && --depth === 0)
      break;
  }
  if (end >= most || s.text[end + 1] !== '(')
    return null;
  const rest = s.text.slice(end + 2, end + 4000);
  const found = /^\s*(?:<([^<>\n]*)>|((?:[^\s()]|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(rest);
  return found && {text: s.text.slice(from + 1, end), target: found[1] ?? found[2],
    next: end + 2 + found[0].length};
}

function bracket(s) {
  const parts = s.depth < MAX_DEPTH && linkParts(s, s.at);
  if (!parts)
    return false;
  s.push(link(parts.target, inline(parts.text, s.depth + 1)), parts.next);
  return true;
}

function image(s) {
  const parts = s.text[s.at + 1] === '[' && linkParts(s, s.at + 1);
  if (!parts)
    return false;
  s.push(el('span', {class: 'md-image'}, 'image not loaded: ',
    link(parts.target, plain(parts.text) || plain(parts.target))), parts.next);
  return true;
}

function angle(s) {
  const found = /^<(https?:\/\/[^\s<>]+|mailto:[^\s<>]+)>/i.exec(s.text.slice(s.at, s.at + 2000));
  if (!found)
    return false;
  s.push(link(found[1], visible(found[1])), s.at + found[0].length);
  return true;
}

function bareLink(s) {
  if (isWord(s.text[s.at - 1]) || !s.text.startsWith('http', s.at))
    return false;
  const found = /^https?:\/\/[^\s<>"'\x60\\]+/.exec(s.text.slice(s.at, s.at + 2000));
  if (!found)
    return false;
  let url = found[0].replace(/[.,;:!?*_~]+$/, '');
  while (url.endsWith(')') && !url.includes('('))
    url = url.slice(0, -1);
  s.push(link(url, visible(url)), s.at + url.length);
  return true;
}

function entity(s) {
  const found = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/i.exec(s.text.slice(s.at, s.at + 12));
  if (!found)
    return false;
  const code = found[1] ? Number(found[1]) : found[2] ? parseInt(found[2], 16) : 0;
  const c = found[3] ? ENTITIES[found[3]]
    : code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : null;
  if (!c)
    return false;
  s.plain += c;
  s.at += found[0].length;
  return true;
}

// Two blanks before a line break make it stay; in what people type every one stays.
function lineBreak(s) {
  if (!keepBreaks && !s.plain.endsWith('  '))
    return false;
  s.plain = s.plain.trimEnd();
  s.push(el('br'), s.at + 1);
  return true;
}

const RULES = {'\\': escape, '\x60': codeSpan, '*': emphasis, '_': emphasis, '~': emphasis,
  '[': bracket, '!': image, '<': angle, 'h': bareLink, '&': entity, '\n': lineBreak};

// ---- blocks --------------------------------------------------------------------------

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}>[ \t]?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*)|$)/;
const TABLE_LINE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export function codeBlock(code, language) {
  const name = plain(language || '').slice(0, 30);
  return el('div', {class: 'code-block', dataset: {language: name}},
    iconButton('copy', 'copy the code', () => copy(code), {class: 'icon-button code-copy'}),
    el('pre', {tabindex: '0'}, el('code', highlight(code, name))));
}

function fence(lines, at, open) {
  const close = new RegExp(`^ {0,3}${open[1][0]}{${open[1].length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !close.test(lines[end]))
    end++;
  const language = open[2].trim().split(/\s/)[0];
  return {node: codeBlock(lines.slice(at + 1, end).join('\n'), language), next: end + 1};
}

function quote(lines, at, depth) {
  const inner = [];
  for (; at < lines.length && (QUOTE.test(lines[at]) ||
       (lines[at].trim() && inner.length && inner[inner.length - 1].trim() && !startsBlock(lines[at]))); at++)
    inner.push(lines[at].replace(QUOTE, ''));
  return {node: el('blockquote', blocks(inner, depth + 1)), next: at};
}

function indentOf(line) {
  return line.length - line.trimStart().length;
}

// The lines of one item, without its mark and indent.
function item(lines, at, found) {
  const width = found[1].length + found[2].length + Math.min((found[3] || ' ').length, 4);
  const inner = [found[4] || ''];
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next];
    if (!line.trim()) {
      if (next + 1 < lines.length && lines[next + 1].trim() && indentOf(lines[next + 1]) < 2)
        break;
      inner.push('');
    } else if (indentOf(line) >= Math.min(width, 2)) {
      inner.push(line.slice(Math.min(width, indentOf(line))));
    } else if (startsBlock(line) || ITEM.test(line) || !inner[inner.length - 1].trim()) {
      break;
    } else {
      inner.push(line);
    }
  }
  while (inner.length > 1 && !inner[inner.length - 1])
    inner.pop();
  return {inner, next};
}

function listItem(inner, depth) {
  const task = /^\[([ xX])\][ \t]+/.exec(inner[0]);
  if (task)
    inner[0] = inner[0].slice(task[0].length);
  const loose = inner.includes('');
  const content = blocks(inner, depth + 1, !loose);
  return el('li', {class: task ? 'task' : null},
    task ? el('input', {type: 'checkbox', disabled: true, checked: task[1] !== ' ',
      'aria-label': task[1] === ' ' ? 'to do' : 'done'}) : null, content);
}

function list(lines, at, found, depth) {
  const ordered = /\d/.test(found[2]);
  const node = el(ordered ? 'ol' : 'ul',
    {start: ordered && found[2] !== '1.' ? parseInt(found[2], 10) : null});
  while (found && /\d/.test(found[2]) === ordered && !RULE.test(lines[at])) {
    const {inner, next} = item(lines, at, found);
    node.append(listItem(inner, depth));
    at = next;
    while (at < lines.length && !lines[at].trim())
      at++;
    found = at < lines.length && ITEM.exec(lines[at]);
  }
  return {node, next: at};
}

function cells(line) {
  const text = line.trim().replace(/^\|/, '').replace(/(^|[^\\])\|$/, '$1');
  return text.split(/(?<!\\)\|/).slice(0, MAX_COLUMNS).map((c) => c.trim().replace(/\\\|/g, '|'));
}

function table(lines, at) {
  const align = cells(lines[at + 1]).map((c) =>
    (c.endsWith(':') ? c.startsWith(':') ? 'center' : 'right' : null));
  const row = (line, tag) => el('tr', cells(line).slice(0, align.length).map((c, i) =>
    el(tag, {class: align[i] ? `align-${align[i]}` : null}, inline(c))));
  const body = el('tbody');
  let next = at + 2;
  for (; next < lines.length && lines[next].trim() && lines[next].includes('|'); next++)
    body.append(row(lines[next], 'td'));
  return {node: el('div', {class: 'table-scroll', tabindex: '0'},
    el('table', el('thead', row(lines[at], 'th')), body)), next};
}

function isTable(lines, at) {
  return lines[at].includes('|') && at + 1 < lines.length && lines[at + 1].includes('-') &&
    lines[at + 1].length < 2000 && TABLE_LINE.test(lines[at + 1]) &&
    cells(lines[at]).length === cells(lines[at + 1]).length;
}

function startsBlock(line) {
  return FENCE.test(line) || /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line) || RULE.test(line) || QUOTE.test(line) ||
    /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/.test(line);
}

function indented(lines, at) {
  const code = [];
  for (; at < lines.length && (/^(?: {4}|\t)/.test(lines[at]) || !lines[at].trim()); at++)
    code.push(lines[at].replace(/^(?: {4}|\t)/, ''));
  while (!code[code.length - 1].trim())
    code.pop();
  return {node: codeBlock(code.join('\n'), ''), next: at};
}

function paragraph(lines, at, tight) {
  const text = [];
  for (; at < lines.length && lines[at].trim(); at++) {
    if (text.length && /^ {0,3}(?:=+|-+)[ \t]*$/.test(lines[at])) {
      const level = lines[at].includes('=') ? 1 : 2;
      return {node: el(`h${level + 2}`, {class: `md-h${level}`}, inline(text.join('\n'))), next: at + 1};
    }
    if (text.length && (startsBlock(lines[at]) || isTable(lines, at)))
      break;
    text.push(lines[at].trimStart());
  }
  const nodes = inline(text.join('\n').trimEnd());
  return {node: tight ? nodes : el('p', nodes), next: at};
}

// Headings of content are below those of the page: h3 and smaller.
function heading(found) {
  const level = found[1].length;
  return el(`h${Math.min(level + 2, 6)}`, {class: `md-h${level}`}, inline(found[2] || ''));
}

function block(lines, at, depth, tight) {
  const line = lines[at];
  const open = FENCE.exec(line);
  if (open)
    return fence(lines, at, open);
  if (/^(?: {4}|\t)/.test(line))
    return indented(lines, at);
  const head = line.length < 5000 && HEADING.exec(line);
  if (head)
    return {node: heading(head), next: at + 1};
  if (line.length < 500 && RULE.test(line))
    return {node: el('hr'), next: at + 1};
  if (depth < MAX_DEPTH && QUOTE.test(line))
    return quote(lines, at, depth);
  const found = depth < MAX_DEPTH && ITEM.exec(line);
  if (found)
    return list(lines, at, found, depth);
  if (isTable(lines, at))
    return table(lines, at);
  return paragraph(lines, at, tight);
}

function blocks(lines, depth, tight = false) {
  const out = [];
  for (let at = 0; at < lines.length;) {
    if (!lines[at].trim()) {
      at++;
      continue;
    }
    const {node, next} = block(lines, at, depth, tight);
    out.push(node);
    at = Math.max(next, at + 1);
  }
  return out;
}

// `cut`: characters that are shown at most. `breaks`: line breaks stay.
export function markdown(text, {cut = 400000, breaks = false} = {}) {
  text = String(text ?? '');
  keepBreaks = breaks;
  const fragment = document.createDocumentFragment();
  const nodes = blocks(text.slice(0, cut).replace(/\r\n?/g, '\n').split('\n'), 0).flat();
  add(fragment, nodes);
  if (text.length > cut)
    fragment.append(el('p', {class: 'dim'}, `cut after ${cut.toLocaleString('en')} characters`));
  return fragment;
}
