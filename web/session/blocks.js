// Blocks of an entry as nodes: text, thinking, images, results, what is cut.
//
// `view` is the page: {model, content, open, signal, images, refresh(o), raw}. `view.open` has
// the names of what the reader has opened, so that a row that is drawn again looks the same.

import {el, icon, plain, visible} from '../core/dom.js';
import {bytes, count, plural} from '../core/format.js';
import {markdown} from '../core/markdown.js';
import {highlight, languageOf} from '../core/highlight.js';
import {ansi, hasAnsi} from '../core/ansi.js';
import {toastError} from '../core/ui.js';
import {cutAt} from './content.js';

const FOLD_LINES = 40;
const RESULT_LINES = 16;
const LINE_CHARS = 110;

export function messageOf(item) {
  return item.entry.message || item.entry;
}

// Blocks of a message: text alone is one block.
export function blocksOf(item) {
  const message = messageOf(item);
  const base = item.entry.message ? '/message/content' : '/content';
  const {content} = message;
  if (typeof content === 'string')
    return content ? [{block: {type: 'text', text: content}, pointer: base}] : [];
  if (!Array.isArray(content))
    return content && typeof content === 'object' ? [{block: content, pointer: base}] : [];
  return content.map((block, i) => ({block: typeof block === 'string' ? {type: 'text', text: block} : block || {},
    pointer: typeof block === 'string' ? `${base}/${i}` : `${base}/${i}/${block && block.type === 'thinking' ? 'thinking' : 'text'}`,
    index: i}));
}

export function textOf(item) {
  return blocksOf(item).filter(({block}) => block.type === 'text' && block.text)
    .map(({block}) => block.text).join('\n\n');
}

export function lineCount(text) {
  let n = 0;
  for (const line of text.split('\n'))
    n += 1 + Math.floor(line.length / LINE_CHARS);
  return n;
}

// ---- folding -------------------------------------------------------------------------

// `make()` gives the content. A long one is cut by height, with a button that shows all.
function foldable(view, item, pointer, lines, most, make, label) {
  const name = `${item.ordinal}:${pointer}`;
  const body = el('div', {class: 'fold-body'}, make());
  if (lines <= most + 6)
    return body;
  const open = view.isOpen(name, item.ordinal);
  const node = el('div', {class: 'fold'}, body);
  const button = el('button', {type: 'button', class: 'fold-button', 'aria-expanded': String(open), on: {click: () => {
    const now = view.toggle(name, item.ordinal);
    node.classList.toggle('closed', !now);
    button.setAttribute('aria-expanded', String(now));
    button.textContent = now ? 'show less' : label;
  }}}, open ? 'show less' : label);
  node.classList.toggle('closed', !open);
  node.style.setProperty('--lines', most);
  node.append(button);
  return node;
}

// A string that the server has cut: the rest is asked for when the reader wants it.
function cutNote(view, item, cut) {
  const more = el('button', {type: 'button', class: 'fold-button', on: {click: async () => {
    more.disabled = true;
    try {
      view.wholes.set(`${item.ordinal}:${cut.pointer}`, await view.content.whole(item.ordinal, cut));
      view.set(`${item.ordinal}:${cut.pointer}`, true);
      view.refresh(item.ordinal);
    } catch (error) {
      more.disabled = false;
      toastError(error);
    }
  }}}, `show all ${plural(cut.lines, 'line')}, ${count(cut.length)} characters`);
  return more;
}

// The text at a pointer, whole if it was asked for, and the note where it is cut.
export function partOf(view, item, pointer, text) {
  const whole = view.wholes.get(`${item.ordinal}:${pointer}`);
  const cut = whole == null ? cutAt(item, pointer) : null;
  return {text: whole ?? text, note: cut ? cutNote(view, item, cut) : null};
}

// ---- text ----------------------------------------------------------------------------

export function textBlock(view, item, pointer, original) {
  const {text, note} = partOf(view, item, pointer, original);
  const lines = lineCount(text);
  const content = foldable(view, item, pointer, lines, FOLD_LINES,
    () => (view.raw ? el('pre', {class: 'raw'}, visible(text)) : el('div', {class: 'md'}, markdown(text, {breaks: messageOf(item).role === 'user'}))),
    `show all ${plural(lines, 'line')}`);
  return [content, note];
}

export function thinkingBlock(view, item, pointer, block) {
  if (block.redacted || !block.thinking)
    return el('div', {class: 'thinking dim small'}, icon('thinking'), ' thinking, not readable');
  const name = `think:${item.ordinal}:${pointer}`;
  const words = block.thinking.split(/\s+/).length;
  const details = el('details', {class: 'thinking', open: view.isOpen(name, item.ordinal)},
    el('summary', icon('thinking'), el('span', 'thinking'), el('span', {class: 'dim ellipsis'},
      plain(block.thinking.slice(0, 160))), el('span', {class: 'dim tiny'}, plural(words, 'word'))));
  const fill = () => {
    if (details.open && details.children.length === 1)
      details.append(el('div', {class: 'thinking-body'}, textBlock(view, item, pointer, block.thinking)));
  };
  details.addEventListener('toggle', () => {
    view.set(name, details.open);
    fill();
  });
  fill();
  return details;
}

// ---- results of tools ----------------------------------------------------------------

// A line number and a tab or arrow before each line, as agents print files.
function stripNumbers(text) {
  const numbered = /^\s*\d+[\t→│|]/;
  const lines = text.split('\n');
  return lines.length > 1 && lines.filter(Boolean).every((l) => numbered.test(l));
}

function resultNodes(text, path) {
  if (hasAnsi(text))
    return ansi(text);
  const language = path && !stripNumbers(text) ? languageOf(path) : '';
  return language ? highlight(text, language) : visible(text);
}

export function resultText(view, item, pointer, original, path) {
  const {text, note} = partOf(view, item, pointer, original);
  const lines = lineCount(text);
  if (!text.trim())
    return [el('p', {class: 'dim small'}, 'no output'), note];
  return [foldable(view, item, pointer, lines, RESULT_LINES,
    () => el('pre', {class: view.wrap ? 'block result wrap-text' : 'block result', tabindex: '0'},
      view.raw ? visible(text) : resultNodes(text, path)),
    `show all ${plural(lines, 'line')}`), note];
}

// ---- images --------------------------------------------------------------------------

// Its place has its size before it is loaded, so nothing moves.
export function imageBlock(view, item, block) {
  const id = view.model.ids[item.ordinal];
  const known = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(block.mimeType || '');
  const label = `image ${block.image || ''}, ${block.width || '?'} × ${block.height || '?'}, ${bytes(block.bytes)}`;
  if (!known || !block.image)
    return el('div', {class: 'image-note dim small'}, icon('image'), ` ${plain(block.mimeType || 'image')}, ${bytes(block.bytes || 0)}, not shown `,
      block.image ? el('button', {type: 'button', class: 'link-button', on: {click: () => view.images.save(id, block.image)}}, 'download') : null);
  const width = Math.min(block.width || 320, 480);
  const img = el('img', {alt: label, class: 'content-image', width, height: block.width
    ? Math.round(width * block.height / block.width) : 180, decoding: 'async'});
  view.images.load(id, block.image, img);
  return el('button', {type: 'button', class: 'image-button', title: `${label}: full size`,
    on: {click: () => view.images.open(id, block.image)}}, img);
}

// ---- anything else -------------------------------------------------------------------

export function jsonText(value) {
  return JSON.stringify(value, null, 2) ?? '';
}

export function otherBlock(view, item, pointer, block) {
  return el('details', {class: 'other'}, el('summary', {class: 'dim small'}, plain(block.type || 'block').slice(0, 60)),
    el('pre', {class: 'block'}, highlight(jsonText(block), 'json')));
}

// All blocks of a message but calls, which have rows of their own.
export function messageBlocks(view, item) {
  return blocksOf(item).map(({block, pointer}) => {
    switch (block.type) {
    case 'text': return block.text ? textBlock(view, item, pointer, block.text) : null;
    case 'thinking': return thinkingBlock(view, item, pointer, block);
    case 'image': return imageBlock(view, item, block);
    case 'toolCall': return null;
    default: return otherBlock(view, item, pointer, block);
    }
  });
}
