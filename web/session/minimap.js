// A narrow picture of the whole transcript: kinds by colour, errors, hits, and the part that
// is in view. A click or a drag goes there. Each line of pixels is one lookup in the list's
// sums, so its cost does not depend on the length of the session.

import {el} from '../core/dom.js';
import {FLAG} from './model.js';

const WIDTH = 14;
const KIND_COLOURS = {user: '--user', assistant: '--assistant', calls: '--tool', compaction: '--compaction',
  summary: '--compaction', shell: '--user', note: '--result', state: '--line', branch: '--accent'};

export class Minimap {
  constructor({model, list, onJump}) {
    Object.assign(this, {model, list, onJump});
    this.hits = [];
    this.canvas = el('canvas', {width: WIDTH, height: 100});
    this.window = el('div', {class: 'minimap-window'});
    this.node = el('div', {class: 'minimap', 'aria-hidden': 'true', on: {pointerdown: (event) => this.press(event),
      pointermove: (event) => event.buttons && this.jump(event)}}, this.canvas, this.window);
    this.size = new ResizeObserver(() => this.draw());
    this.size.observe(this.node);
    this.redraw = () => this.draw();
    addEventListener('themechange', this.redraw);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', this.redraw);
  }

  press(event) {
    this.node.setPointerCapture(event.pointerId);
    this.jump(event);
    event.preventDefault();
  }

  jump(event) {
    const box = this.node.getBoundingClientRect();
    this.onJump((event.clientY - box.top) / box.height);
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return {kinds: Object.fromEntries(Object.entries(KIND_COLOURS).map(([k, v]) => [k, of(v)])), error: of('--error'), hit: of('--warn')};
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  hasError(row) {
    for (const o of this.model.entriesOf(row))
      if (this.model.has(o, FLAG.ERROR))
        return true;
    return false;
  }

  paint() {
    const height = this.node.clientHeight;
    const {rows} = this.model;
    if (!height)
      return;
    this.canvas.height = height;
    const draw = this.canvas.getContext('2d');
    const {kinds, error, hit} = this.colours();
    const total = this.list.total();
    const scale = Math.max(total, height) / height;
    let before = -1;
    for (let y = 0; y < height && rows.length && y * scale < total; y++) {
      const i = this.list.sums.find(y * scale);
      const row = rows[i];
      draw.globalAlpha = row.kind === 'user' ? 1 : 0.45;
      draw.fillStyle = kinds[row.kind];
      draw.fillRect(row.kind === 'user' ? 1 : 4, y, row.kind === 'user' ? WIDTH - 2 : WIDTH - 8, 1);
      if (i !== before && this.hasError(row)) {
        draw.globalAlpha = 1;
        draw.fillStyle = error;
        draw.fillRect(WIDTH - 4, y, 4, 2);
      }
      before = i;
    }
    draw.globalAlpha = 1;
    draw.fillStyle = hit;
    for (const i of this.hits)
      draw.fillRect(0, this.list.sums.before(i) / scale, WIDTH, 2);
    this.place();
  }

  // The part that is in view.
  place() {
    const height = this.node.clientHeight;
    const scale = Math.max(this.list.total(), height) / height;
    const size = Math.max(8, this.list.height() / scale);
    this.window.style.setProperty('height', `${size}px`);
    this.window.style.setProperty('transform', `translateY(${Math.min(this.list.top / scale, height - size)}px)`);
  }

  setHits(rows) {
    this.hits = rows;
    this.draw();
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.size.disconnect();
    removeEventListener('themechange', this.redraw);
    matchMedia('(prefers-color-scheme: dark)').removeEventListener('change', this.redraw);
  }
}
