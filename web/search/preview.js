// What is around a hit, beside the list: the entries of its place, an artifact, an output,
// a memory entry. Content is text, with the words of the hit marked.

import {el, icon, plain, replace} from '../core/dom.js';
import {plainText} from '../core/ansi.js';
import {api} from '../core/api.js';
import {errorBox, spinner} from '../core/ui.js';
import {time, bytes} from '../core/format.js';
import {hitHref, markWords, matchedWords, placeOf} from './marks.js';

const CUT = 3000;
const LINES = 60;

// The texts of an entry: [role or kind, text].
function textsOf(entry) {
  const message = entry.message || {};
  const name = message.role === 'toolResult' ? `${message.toolName || 'tool'} result` : message.role || entry.type;
  if (typeof message.content === 'string')
    return [[name, message.content]];
  if (Array.isArray(message.content))
    return message.content.map((block) => blockText(block, name));
  return [[entry.type, entry.summary || entry.title || entry.label || entry.name || '']];
}

function blockText(block, name) {
  if (!block || typeof block !== 'object')
    return [name, ''];
  if (block.type === 'toolCall')
    return [`${block.name} call`, JSON.stringify(block.arguments, null, 1)];
  if (block.type === 'image')
    return [name, '[image]'];
  return [block.type === 'thinking' ? 'thinking' : name, block.text || block.thinking || ''];
}

function entryNode(one, hit, words) {
  const isHit = one.entry.id === hit.entry;
  return el('article', {class: isHit ? 'preview-entry is-hit' : 'preview-entry'},
    textsOf(one.entry).filter(([, text]) => text).map(([name, text]) => [
      el('div', {class: 'preview-name tiny dim'}, plain(name)),
      el('div', {class: 'preview-text'}, markWords(plainText(text), words))]));
}

// A title has no entry: the session's first ones.
async function entryPreview(hit, words, signal) {
  const got = await api.get(`/v1/sessions/${encodeURIComponent(hit.session)}/window`,
    {at: hit.entry, leaf: hit.active ? null : hit.entry, before: hit.entry ? 1 : null, limit: 5, cut: CUT}, {signal});
  return got.entries.filter((one) => textsOf(one.entry).some(([, text]) => text))
    .map((one) => entryNode(one, hit, words));
}

function pre(text, words) {
  return el('pre', {class: 'preview-text'}, markWords(plainText(text), words));
}

async function firstPart(path, query, signal) {
  const answer = await api.raw(path, query, {signal, headers: {Range: 'bytes=0-8191'}});
  const type = answer.headers.get('Content-Type') || '';
  if (/^(image|audio|video|application\/(pdf|zip|octet-stream))/.test(type))
    return `${type.split(';')[0]}, not text`;
  return api.hide((await answer.text()).split('\n').slice(0, LINES).join('\n'), {signal});
}

async function artifactPreview(id, words, signal) {
  const row = await api.get(`/v1/artifacts/${id}`, null, {signal});
  const text = await firstPart(`/v1/artifacts/${id}/raw`, null, signal);
  return [el('p', {class: 'dim small'}, `version ${row.version}, ${bytes(row.size)}, ${time(row.updated_at)}`),
    pre(text, words)];
}

async function outputPreview(hit, id, words, signal) {
  const answer = await api.raw(`/v1/sessions/${encodeURIComponent(hit.session)}/outputs/${encodeURIComponent(id)}`,
    words[0] ? {grep: words[0].replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), ignore_case: 'true', limit: LINES}
      : {limit: LINES}, {signal});
  return [el('p', {class: 'dim small'}, words[0] ? 'lines with the word' : 'its first lines'),
    pre(await api.hide((await answer.text()).slice(0, 20000), {signal}), words)];
}

async function memoryPreview(id, words, signal) {
  const row = await api.get(`/v1/memory/entries/${id}`, null, {signal});
  return [el('p', {class: 'dim small'}, `${row.type}, valid since ${time(row.valid_from)}`), pre(row.content, words)];
}

function bodyOf(hit, words, signal) {
  const {what, id} = placeOf(hit);
  if (what === 'entry')
    return entryPreview(hit, words, signal);
  if (what === 'artifact')
    return artifactPreview(id, words, signal);
  if (what === 'output')
    return outputPreview(hit, id, words, signal);
  if (what === 'memory')
    return memoryPreview(id, words, signal);
  return Promise.resolve([pre(hit.snippet, words)]);
}

export class Preview {
  constructor(host) {
    this.host = host;
    this.control = null;
    this.shown = null;
  }

  clear() {
    if (this.control)
      this.control.abort();
    this.shown = null;
    replace(this.host, el('p', {class: 'dim preview-empty'}, 'The place of a hit is shown here.'));
  }

  // Nothing where there is no room beside the list.
  async show(hit, query) {
    const key = hit.address + hit.kind;
    if (this.shown === key || !this.host.getClientRects().length)
      return;
    if (this.control)
      this.control.abort();
    const control = this.control = new AbortController();
    this.shown = key;
    const body = el('div', {class: 'preview-body'}, spinner());
    replace(this.host, el('header', {class: 'preview-head'},
      el('strong', {class: 'grow ellipsis'}, plain(hit.title) || hit.session || hit.kind),
      el('a', {class: 'button', href: hitHref(hit, query)}, icon('right'), 'Open')), body);
    try {
      const nodes = await bodyOf(hit, matchedWords(hit), control.signal);
      replace(body, nodes);
      body.querySelector('mark')?.scrollIntoView({block: 'center'});
      this.host.scrollTop = Math.max(0, this.host.scrollTop);
    } catch (error) {
      if (error.name !== 'AbortError')
        replace(body, errorBox(error));
    }
  }
}
