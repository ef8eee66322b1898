// The content of entries: asked for in windows of the path as rows come into view, kept by
// ordinal, the least recently used ones dropped.

import {api} from '../core/api.js';

const PAGE = 40;
const KEEP = 1600;
const CUT = 4000;
const WHOLE_MAX = 2000000;

export class Content {
  // `onLoad(ordinals)`: these have come.
  constructor(model, signal, onLoad) {
    Object.assign(this, {model, signal, onLoad});
    this.kept = new Map();
    this.asked = new Map();
  }

  get(o) {
    const item = this.kept.get(o);
    if (item) {
      this.kept.delete(o);
      this.kept.set(o, item);
    }
    return item || null;
  }

  put(item) {
    this.kept.delete(item.ordinal);
    this.kept.set(item.ordinal, item);
  }

  trim() {
    for (const o of this.kept.keys()) {
      if (this.kept.size <= KEEP)
        break;
      this.kept.delete(o);
    }
  }

  forget() {
    this.kept.clear();
    this.asked.clear();
  }

  // Ask for what is missing of [first, last] of the path, a page at a time.
  need(first, last) {
    const {path} = this.model;
    const pages = [];
    for (let page = Math.floor(first / PAGE); page * PAGE <= last; page++) {
      const end = Math.min(path.length, (page + 1) * PAGE, last + 1);
      for (let p = Math.max(first, page * PAGE); p < end; p++)
        if (!this.kept.has(path[p])) {
          pages.push(this.ask(page * PAGE));
          break;
        }
    }
    return Promise.all(pages);
  }

  ask(from) {
    const leaf = this.model.ids[this.model.shownLeaf];
    const key = `${leaf}:${from}`;
    if (!this.asked.has(key))
      this.asked.set(key, this.load(leaf, from).finally(() => this.asked.delete(key)));
    return this.asked.get(key);
  }

  // An answer ends early when it is large: go on from there.
  async load(leaf, from) {
    const to = from + PAGE;
    while (from < to) {
      const got = await api.get(`/v1/sessions/${this.model.id}/window`,
        {leaf, from, limit: to - from, cut: CUT}, {signal: this.signal});
      this.take(got);
      if (!got.more || !got.entries.length)
        break;
      from = got.entries[got.entries.length - 1].position + 1;
    }
  }

  take(got) {
    got.entries.forEach((item) => this.put(item));
    this.trim();
    this.onLoad(got.entries.map((item) => item.ordinal));
  }

  // The whole of a string that was cut, up to what a page can show.
  async whole(o, cut) {
    let text = '';
    for (let offset = 0; offset != null;) {
      if (text.length >= WHOLE_MAX)
        return `${text}\n\n… ${cut.length - text.length} more characters are not shown: \`Copy as JSON\` has them`;
      const got = await api.get(`/v1/sessions/${this.model.id}/entries/${encodeURIComponent(this.model.ids[o])}`,
        {pointer: cut.pointer, offset, limit: 1000000}, {signal: this.signal});
      text += got.text;
      offset = got.next;
    }
    return text;
  }
}

// Where a part of an entry was cut; null: it is whole.
export function cutAt(item, pointer) {
  return (item.cuts || []).find((c) => c.pointer === pointer) || null;
}
