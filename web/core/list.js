// A list of any length: only the rows in view, and a few around them, are nodes.
//
// Heights are estimated until a row is drawn, then measured; a Fenwick tree has their sums.
// Invariants:
//  1. `top` is the place of the viewport in the list, in px of the list. What the reader
//     sees does not move when heights above it change: after each measurement `top` is set
//     so that the first visible row stays where it is.
//  2. The scroll position is `top - base`. `base` is 0 up to MAX_PX, the height that every
//     browser can draw. In a longer list a small step scrolls as everywhere, a large one
//     (the scroll bar) is scaled, and `base` follows when scrolling pauses.
//  3. Rows drawn are [first, last), in order, in the flow of one box.

import {el} from './dom.js';

const MAX_PX = 15e6;
const PAUSE_MS = 160;

class Sums {
  constructor(values) {
    const n = values.length;
    this.n = n;
    this.tree = new Float64Array(n + 1);
    this.top = 1;
    while (this.top * 2 <= n)
      this.top *= 2;
    for (let i = 1; i <= n; i++) {
      this.tree[i] += values[i - 1];
      const up = i + (i & -i);
      if (up <= n)
        this.tree[up] += this.tree[i];
    }
  }

  add(i, by) {
    for (i++; i <= this.n; i += i & -i)
      this.tree[i] += by;
  }

  // Sum of the first `i` values.
  before(i) {
    let sum = 0;
    for (; i > 0; i -= i & -i)
      sum += this.tree[i];
    return sum;
  }

  // The value that contains `sum`.
  find(sum) {
    let i = 0;
    for (let size = this.top; size && this.n; size >>= 1)
      if (i + size <= this.n && this.tree[i + size] <= sum) {
        i += size;
        sum -= this.tree[i];
      }
    return Math.min(i, Math.max(0, this.n - 1));
  }
}

export class VirtualList {
  constructor({host, count, render, estimate, key = String, overscan = 500, onRange = null,
    onScroll = null}) {
    Object.assign(this, {host, render, estimate, key, overscan, onRange, onScroll});
    this.known = new Map();
    this.nodes = new Map();
    this.names = new Map();
    this.index = new WeakMap();
    this.first = this.last = 0;
    this.top = this.base = 0;
    this.space = el('div', {class: 'list-space'});
    this.box = el('div', {class: 'list-box'});
    this.space.append(this.box);
    host.classList.add('list-host');
    host.append(this.space);
    this.scrolled = () => this.readScroll();
    host.addEventListener('scroll', this.scrolled, {passive: true});
    this.rows = new ResizeObserver((seen) => this.measured(seen));
    this.view = new ResizeObserver(() => this.resized());
    this.view.observe(host);
    this.setCount(count);
  }

  // ---- sizes ------------------------------------------------------------------------

  // The rows may be others now: heights are known by key. What the caller's functions say
  // is about the new rows already; the old ones are known by what was drawn.
  setCount(n) {
    const seen = this.n ? this.firstVisible() : -1;
    const anchor = this.nodes.has(seen) ? {i: seen, within: this.top - this.sums.before(seen)} : null;
    const name = anchor && this.names.get(seen);
    this.n = n;
    this.heights = new Float64Array(n);
    for (let i = 0; i < n; i++)
      this.heights[i] = this.known.size && this.known.get(this.key(i)) || this.estimate(i);
    this.sums = new Sums(this.heights);
    if (anchor) {
      let at = anchor.i < n && this.key(anchor.i) === name ? anchor.i : -1;
      for (let i = 0; at < 0 && i < n; i++)
        at = this.key(i) === name ? i : -1;
      this.top = at < 0 ? this.top : this.sums.before(at) + anchor.within;
    }
    this.drop();
    this.place();
    this.draw();
  }

  total() {
    return this.sums.before(this.n);
  }

  height() {
    return this.host.clientHeight || 600;
  }

  end() {
    return Math.max(0, this.total() - this.height());
  }

  anchor() {
    const i = this.firstVisible();
    return {i, within: this.top - this.sums.before(i)};
  }

  setHeight(i, px) {
    const by = px - this.heights[i];
    this.known.set(this.key(i), px);
    if (Math.abs(by) < 0.25)
      return false;
    this.heights[i] = px;
    this.sums.add(i, by);
    return true;
  }

  // ---- position ---------------------------------------------------------------------

  scale() {
    const end = this.end();
    const most = MAX_PX - this.height();
    return end > most ? end / most : 1;
  }

  // Bring the scroll bar to where `top` is.
  place() {
    this.top = Math.max(0, Math.min(this.top, this.end()));
    const scale = this.scale();
    const at = scale === 1 ? this.top : this.top / scale;
    this.space.style.setProperty('height', `${Math.min(this.total(), MAX_PX)}px`);
    this.base = this.top - at;
    if (Math.abs(this.host.scrollTop - at) > 0.5)
      this.host.scrollTop = at;
    this.set = this.host.scrollTop;
    this.base = this.top - this.set;
  }

  // Take over where the reader has scrolled. The event of a scroll comes later than the scroll:
  // whatever moves the list by itself calls this first, else the reader's step is lost.
  readScroll() {
    const at = this.host.scrollTop;
    if (at === this.set)
      return;
    const far = Math.abs(at - this.set) > this.height() * 1.5;
    const scale = this.scale();
    this.set = at;
    if (scale > 1 && far) {
      this.top = at * scale;
      this.base = this.top - at;
    } else {
      this.top = at + this.base;
    }
    if (scale > 1) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.settle(), PAUSE_MS);
      if (this.top < 0 || this.top > this.end() || at <= 0)
        this.place();
    }
    this.draw();
    if (this.onScroll)
      this.onScroll();
  }

  settle() {
    this.place();
    this.move();
  }

  resized() {
    if (this.wide !== this.host.clientWidth) {
      this.wide = this.host.clientWidth;
      this.known.clear();
    }
    this.place();
    this.draw();
  }

  // ---- drawing ----------------------------------------------------------------------

  drop() {
    for (const node of this.nodes.values())
      this.rows.unobserve(node);
    this.nodes.clear();
    this.names.clear();
    this.box.replaceChildren();
    this.first = this.last = 0;
  }

  move() {
    this.box.style.setProperty('transform', `translateY(${this.sums.before(this.first) - this.base}px)`);
  }

  make(i) {
    const node = this.render(i);
    this.nodes.set(i, node);
    this.names.set(i, this.key(i));
    this.index.set(node, i);
    return node;
  }

  // Nodes for [first, last), in order. Returns those that are new.
  fill(first, last) {
    const fresh = [];
    for (const [i, node] of this.nodes)
      if (i < first || i >= last) {
        this.rows.unobserve(node);
        node.remove();
        this.nodes.delete(i);
        this.names.delete(i);
      }
    let next = this.box.firstChild;
    for (let i = first; i < last; i++) {
      let node = this.nodes.get(i);
      if (!node) {
        node = this.make(i);
        fresh.push(node);
        this.box.insertBefore(node, next);
      } else {
        next = node.nextSibling;
      }
    }
    this.first = first;
    this.last = last;
    return fresh;
  }

  // Draw, measure what is new, and again while that changes what is in view.
  draw() {
    if (this.dead)
      return;
    for (let round = 0; round < 4; round++) {
      const first = this.n ? this.sums.find(Math.max(0, this.top - this.overscan)) : 0;
      const bottom = this.top + this.height() + this.overscan;
      const last = this.n ? Math.min(this.n, this.sums.find(bottom) + 1) : 0;
      if (first === this.first && last === this.last && (this.nodes.size || !this.n))
        break;
      this.measure(this.fill(first, last));
    }
    this.move();
    if (this.onRange)
      this.onRange(this.first, this.last);
  }

  measure(fresh) {
    const sizes = fresh.map((node) => node.getBoundingClientRect().height);
    const anchor = this.n ? this.anchor() : null;
    let changed = false;
    fresh.forEach((node, j) => {
      changed = this.setHeight(this.index.get(node), sizes[j]) || changed;
      this.rows.observe(node);
    });
    if (changed)
      this.keep(anchor);
  }

  keep(anchor) {
    this.top = this.sums.before(anchor.i) + anchor.within;
    this.place();
  }

  // A row has another height: it was opened, or its image came.
  measured(seen) {
    if (this.dead)
      return;
    this.readScroll();
    const stick = this.sticky && this.atEnd();
    const anchor = this.n ? this.anchor() : null;
    let changed = false;
    for (const {target, borderBoxSize} of seen) {
      const i = this.index.get(target);
      if (target.isConnected && this.nodes.get(i) === target)
        changed = this.setHeight(i, borderBoxSize[0].blockSize) || changed;
    }
    if (!changed)
      return;
    this.keep(anchor);
    if (stick) {
      this.top = this.end();
      this.place();
    }
    this.move();
    requestAnimationFrame(() => this.draw());
  }

  // ---- for the caller ---------------------------------------------------------------

  // Draw row `i` again, or all. A list that sticks to its end stays there.
  refresh(i) {
    this.readScroll();
    const stick = this.sticky && this.atEnd();
    this.renew(i);
    if (stick && !this.atEnd())
      this.toEnd();
  }

  renew(i) {
    if (i == null) {
      this.drop();
    } else {
      const old = this.nodes.get(i);
      if (!old)
        return;
      this.rows.unobserve(old);
      const node = this.make(i);
      old.replaceWith(node);
      this.measure([node]);
    }
    this.draw();
  }

  target(i, align) {
    const from = this.sums.before(i);
    const px = this.heights[i];
    const room = this.height();
    if (align === 'center')
      return from - Math.max(0, (room - px) / 2);
    if (align === 'end')
      return from + px - room;
    if (align === 'nearest')
      return from < this.top || px > room ? from : from + px > this.top + room ? from + px - room : this.top;
    return from;
  }

  scrollTo(i, {align = 'start', offset = 0} = {}) {
    if (!this.n)
      return;
    i = Math.max(0, Math.min(i, this.n - 1));
    for (let round = 0; round < 4; round++) {
      const to = Math.max(0, Math.min(this.target(i, align) - offset, this.end()));
      if (round && Math.abs(to - this.top) < 0.5)
        break;
      this.top = to;
      this.place();
      this.draw();
    }
  }

  toEnd() {
    this.scrollTo(this.n - 1, {align: 'end'});
    this.top = this.end();
    this.place();
    this.draw();
    this.top = this.end();
    this.place();
    this.draw();
  }

  firstVisible() {
    return this.sums.find(Math.max(0, this.top));
  }

  lastVisible() {
    return this.sums.find(this.top + this.height() - 1);
  }

  node(i) {
    return this.nodes.get(i) || null;
  }

  atEnd() {
    return this.top >= this.end() - 4;
  }

  destroy() {
    this.dead = true;
    clearTimeout(this.timer);
    this.rows.disconnect();
    this.view.disconnect();
    this.host.removeEventListener('scroll', this.scrolled);
    this.space.remove();
  }
}
