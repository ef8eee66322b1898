// Content of an artifact by its type. It is untrusted: text enters as text nodes, images
// only as <img> of a blob, which runs no script of an SVG. What the browser would open by
// itself (HTML, PDF) is shown as source, or offered as a download.

import {el, visible} from '../core/dom.js';
import {api} from '../core/api.js';
import {empty} from '../core/ui.js';
import {bytes, count} from '../core/format.js';
import {segments} from '../core/page.js';
import {sortableTable} from '../core/table.js';
import {jsonTree} from '../core/json_view.js';
import {codeBlock, markdown} from '../core/markdown.js';
import {languageOf} from '../core/highlight.js';
import {hasAnsi, ansi} from '../core/ansi.js';
import {parseCsv} from './csv.js';

const TEXT_MAX = 1 << 20;
const IMAGE_MAX = 32 << 20;
const IMAGES = {png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp',
  avif: 'image/avif', svg: 'image/svg+xml', bmp: 'image/bmp', ico: 'image/x-icon'};

function extensionOf(path) {
  const name = path.split('/').pop();
  return name.includes('.') ? name.split('.').pop().toLowerCase() : '';
}

// image, markdown, csv, json, jsonl or text; binary types are found by their bytes.
function kindOf(path, mime) {
  const ending = extensionOf(path);
  const type = (mime || '').split(';')[0].trim().toLowerCase();
  if (IMAGES[ending] || type.startsWith('image/'))
    return 'image';
  if (ending === 'md' || ending === 'markdown' || type === 'text/markdown')
    return 'markdown';
  if (ending === 'csv' || ending === 'tsv' || type === 'text/csv')
    return 'csv';
  if (ending === 'jsonl' || ending === 'ndjson')
    return 'jsonl';
  if (ending === 'json' || type === 'application/json')
    return 'json';
  return 'text';
}

function csvTable(text, path) {
  const {rows, cut} = parseCsv(text, extensionOf(path) === 'tsv' ? '\t' : ',');
  const [names = [], ...body] = rows;
  const numeric = names.map((_, i) => body.length > 0 && body.every((row) => !row[i] || !Number.isNaN(Number(row[i]))));
  const table = sortableTable({label: 'rows', rows: body.map((cells, i) => ({cells, i})), key: (row) => row.i,
    columns: names.map((name, i) => ({id: String(i), label: visible(name), width: 'minmax(90px, 1fr)', small: i < 3,
      numeric: numeric[i], value: (row) => numeric[i] && row.cells[i] ? Number(row.cells[i]) : row.cells[i] ?? '',
      render: (row) => visible(row.cells[i] ?? '')}))});
  table.node.classList.add('csv-table');
  return [table.node, el('p', {class: 'dim small'}, `${count(body.length)} rows${cut ? '; more are not shown' : ''}`)];
}

function jsonLines(text) {
  return text.split('\n').filter((line) => line.trim()).map((line) => {
    try {
      return JSON.parse(line);
    } catch {
      return line;
    }
  });
}

function plainText(text, path) {
  return hasAnsi(text) ? el('pre', {class: 'artifact-text', tabindex: '0'}, ansi(text))
    : codeBlock(visible(text), languageOf(path));
}

// The formatted form of a text; null: there is none.
function formatted(kind, text, path) {
  try {
    if (kind === 'markdown')
      return el('div', {class: 'md'}, markdown(text));
    if (kind === 'csv')
      return csvTable(text, path);
    if (kind === 'json')
      return jsonTree(JSON.parse(text));
    if (kind === 'jsonl')
      return jsonTree(jsonLines(text));
  } catch {
    // Not what its name says: it is shown as text.
  }
  return null;
}

function textView(kind, text, path) {
  const nice = formatted(kind, text, path);
  const raw = plainText(text, path);
  if (!nice)
    return raw;
  const host = el('div', nice);
  const pick = (value) => {
    host.replaceChildren(...[].concat(value === 'raw' ? raw : nice));
    bar.replaceChildren(...switcher(value).childNodes);
  };
  const switcher = (value) => segments('form', [{value: 'nice', label: 'Formatted'}, {value: 'raw', label: 'Source'}], value, pick);
  const bar = switcher('nice');
  return [bar, host];
}

// UTF-8 without NUL is text; a character that is cut at the end does not count.
function decode(buffer, isCut) {
  const data = new Uint8Array(buffer);
  if (data.includes(0))
    return null;
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(data, {stream: isCut});
  } catch {
    return null;
  }
}

async function imageView(path, artifact, query, signal) {
  if (artifact.size > IMAGE_MAX)
    return empty('A large image', `${bytes(artifact.size)}: download it`);
  const answer = await api.raw(path, query, {signal});
  const type = IMAGES[extensionOf(artifact.path)] || artifact.mime_type.split(';')[0];
  const url = URL.createObjectURL(new Blob([await answer.arrayBuffer()], {type}));
  const image = el('img', {src: url, alt: visible(artifact.path), class: 'artifact-image'});
  const done = () => URL.revokeObjectURL(url);
  image.addEventListener('load', done);
  image.addEventListener('error', () => {
    done();
    image.replaceWith(empty('Not an image', 'its bytes are not what its name says'));
  });
  return image;
}

// Nodes for the content of a version. `path` is the address of its bytes.
export async function contentView(path, artifact, query, signal) {
  const kind = kindOf(artifact.path, artifact.mime_type);
  if (kind === 'image')
    return imageView(path, artifact, query, signal);
  if (!artifact.size)
    return empty('Empty', 'this version has no bytes');
  const isCut = artifact.size > TEXT_MAX;
  const answer = await api.raw(path, query, {signal, headers: isCut ? {Range: `bytes=0-${TEXT_MAX - 1}`} : {}});
  const text = await api.hide(decode(await answer.arrayBuffer(), isCut), {signal});
  if (text == null)
    return empty('Not text', `${bytes(artifact.size)} of ${artifact.mime_type || 'unknown type'}: download it to open it`);
  return [isCut ? el('p', {class: 'warn small'}, `The first ${bytes(TEXT_MAX)} of ${bytes(artifact.size)}.`) : null,
    textView(isCut ? 'text' : kind, text, artifact.path)];
}
