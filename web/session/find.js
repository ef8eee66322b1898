// Find in the session: the server searches all of it, since only a window is drawn. Hits are
// walked in the order of the path; words are marked in what is drawn without touching nodes.

import {el, icon, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {count} from '../core/format.js';
import {iconButton} from '../core/ui.js';

const WAIT_MS = 150;
const MAX_HITS = 1000;
const MAX_MARKS = 2000;

// What a query marks: its words, phrases and pattern, without filters. A pattern with
// repeated groups could take for ever here, and marks nothing.
export function markPattern(query) {
  const pattern = /^\s*\/(.+)\/(i?)\s*$/.exec(query);
  if (pattern && /\)[*+{]|[*+}].*[*+{]/.test(pattern[1]))
    return null;
  const parts = pattern ? [pattern[1]]
    : [...query.matchAll(/(-?)(?:[a-z]+:)?(?:"([^"]+)"?|([^\s"]+))/gi)]
      .filter((m) => !m[1] && !/^[a-z]+:/i.test(m[0]) && !/^(?:AND|OR|NOT|\||&&)$/.test(m[0]))
      .map((m) => (m[2] || m[3]).replace(/^\*|\*$/g, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .filter(Boolean);
  if (!parts.length)
    return null;
  try {
    return new RegExp(parts.join('|'), 'gi');
  } catch {
    return null;
  }
}

export class Find {
  // `onHits(ordinals)`, `onGo(ordinal, hit)`, `onClose()`
  constructor({model, signal, onHits, onGo, onClose}) {
    Object.assign(this, {model, signal, onHits, onGo, onClose});
    this.hits = [];
    this.at = -1;
    this.input = el('input', {type: 'search', 'aria-label': 'find in this session', placeholder: 'find in this session',
      autocomplete: 'off', spellcheck: 'false', on: {input: () => this.typed(), keydown: (event) => this.onKey(event)}});
    this.state = el('span', {class: 'dim small find-state', role: 'status'});
    this.node = el('div', {class: 'find', hidden: true, role: 'search'}, icon('search'), this.input, this.state,
      iconButton('up', 'previous hit (N)', () => this.walk(-1)), iconButton('down', 'next hit (n)', () => this.walk(1)),
      iconButton('close', 'close (Escape)', () => this.close()));
  }

  open(query) {
    this.node.hidden = false;
    if (query != null)
      this.input.value = query;
    this.input.focus();
    this.input.select();
  }

  close() {
    clearTimeout(this.timer);
    this.node.hidden = true;
    this.hits = [];
    this.at = -1;
    this.query = '';
    this.mark(null);
    this.onHits([]);
    this.onClose();
  }

  get isOpen() {
    return !this.node.hidden;
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(this.input.value.trim(), true), WAIT_MS);
  }

  onKey(event) {
    if (event.key === 'Escape') {
      this.close();
    } else if (event.key === 'Enter') {
      if (this.input.value.trim() !== this.query)
        this.search(this.input.value.trim(), true);
      else
        this.walk(event.shiftKey ? -1 : 1);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  async search(query, jump) {
    this.query = query;
    if (this.control)
      this.control.abort();
    this.control = new AbortController();
    this.signal.addEventListener('abort', () => this.control.abort());
    if (!query) {
      this.take([], 0);
      return;
    }
    try {
      const got = await api.get('/v1/search', {q: query, session: this.model.id, flat: true, limit: MAX_HITS}, {signal: this.control.signal});
      this.take(got.hits.filter((h) => h.entry && this.model.byId.has(h.entry)), got.total);
      if (jump)
        this.walk(0);
    } catch (error) {
      if (error.name !== 'AbortError')
        replace(this.state, el('span', {class: 'bad'}, error.message));
    }
  }

  take(hits, total) {
    const seen = new Map();
    for (const hit of hits) {
      const o = this.model.byId.get(hit.entry);
      if (!seen.has(o))
        seen.set(o, {o, hit});
    }
    this.total = total;
    this.all = [...seen.values()];
    this.order();
    this.onHits(this.hits.map((h) => h.o));
  }

  // Hits of the path that is shown; those of other branches come after them.
  order() {
    const all = this.all || [];
    const on = all.filter((h) => this.model.isOnPath(h.o)).sort((a, b) => this.model.position[a.o] - this.model.position[b.o]);
    this.off = all.filter((h) => !this.model.isOnPath(h.o)).sort((a, b) => a.o - b.o);
    this.hits = on.concat(this.off);
    this.at = -1;
    this.say();
  }

  say() {
    const n = this.hits.length;
    const text = !this.query ? '' : !n ? 'no hits'
      : `${this.at < 0 ? '' : `${this.at + 1} of `}${count(n)}${this.total > MAX_HITS ? '+' : ''}${this.off.length ? `, ${count(this.off.length)} on other branches` : ''}`;
    replace(this.state, text);
  }

  // 0: the first hit at or below what is in view.
  walk(by, from = 0) {
    const n = this.hits.length;
    if (!n)
      return;
    if (by === 0 || this.at < 0) {
      const next = this.hits.findIndex((h) => this.model.position[h.o] >= from);
      this.at = next < 0 ? 0 : next;
    } else {
      this.at = (this.at + by + n) % n;
    }
    this.say();
    this.onGo(this.hits[this.at].o, this.hits[this.at].hit);
  }

  // Marks are ranges over the text as it is (CSS custom highlights).
  mark(host) {
    if (!CSS.highlights)
      return;
    CSS.highlights.delete('find');
    const pattern = host && this.query ? markPattern(this.query) : null;
    if (!pattern)
      return;
    const ranges = [];
    const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && ranges.length < MAX_MARKS) {
      const node = walker.currentNode;
      for (const found of node.data.slice(0, 100000).matchAll(pattern)) {
        if (!found[0] || ranges.length >= MAX_MARKS)
          break;
        const range = new Range();
        range.setStart(node, found.index);
        range.setEnd(node, found.index + found[0].length);
        ranges.push(range);
      }
    }
    CSS.highlights.set('find', new Highlight(...ranges));
  }
}
