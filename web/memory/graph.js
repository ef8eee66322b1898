// Memory as a graph: entries that are related, coloured by type.
//
// At most a few hundred nodes are drawn, those with most relations. The drawing is moved by
// dragging, the wheel and buttons; nodes are walked by arrow keys, to the nearest one that
// lies there.

import {el, plain, replace, svg} from '../core/dom.js';
import {iconButton} from '../core/ui.js';
import {count} from '../core/format.js';
import {legend, seriesClass} from '../core/charts.js';
import {layout} from './layout.js';

const MOST_NODES = 250;
const LABELS_UP_TO = 60;
export const TYPES = ['user', 'feedback', 'project', 'reference', 'learning', 'context'];

// The nodes to draw and the edges between them: {nodes, edges, left}.
export function pickNodes(entries, relations) {
  const degree = new Map(entries.map((e) => [e.id, 0]));
  const known = relations.filter((r) => degree.has(r.source_id) && degree.has(r.target_id));
  for (const r of known)
    for (const id of [r.source_id, r.target_id])
      degree.set(id, degree.get(id) + 1);
  const nodes = [...entries].sort((a, b) => degree.get(b.id) - degree.get(a.id) || b.updated_at - a.updated_at)
    .slice(0, MOST_NODES);
  const index = new Map(nodes.map((e, i) => [e.id, i]));
  const edges = known.filter((r) => index.has(r.source_id) && index.has(r.target_id))
    .map((r) => ({of: r, from: index.get(r.source_id), to: index.get(r.target_id)}));
  return {nodes: nodes.map((e) => ({...e, degree: degree.get(e.id)})), edges, left: entries.length - nodes.length};
}

function edgeNode(edge, places) {
  const a = places[edge.from], b = places[edge.to];
  return svg('line', {x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: `graph-edge edge-${edge.of.relation}`,
    'marker-end': 'url(#graph-arrow)'}, svg('title', edge.of.relation.replace('_', ' ')));
}

function short(text) {
  return text.length > 28 ? text.slice(0, 27) + '…' : text;
}

export class Graph {
  constructor({entries, relations, selected, onSelect}) {
    Object.assign(this, pickNodes(entries, relations), {onSelect});
    this.places = layout(this.nodes, this.edges.map((e) => [e.from, e.to]));
    this.selected = this.nodes.findIndex((n) => n.id === selected);
    this.node = el('div', {class: 'graph'}, this.draw(), this.buttons(),
      legend(TYPES.filter((t) => this.nodes.some((n) => n.type === t)).map((t) =>
        ({name: t, class: seriesClass(TYPES.indexOf(t))}))),
      this.left ? el('p', {class: 'dim small'}, `${count(this.left)} entries with fewer relations are not drawn`) : null);
    this.fit();
    this.mark();
    new ResizeObserver(() => this.setView(this.view)).observe(this.root);
  }

  // ---- drawing ------------------------------------------------------------------------

  draw() {
    this.circles = this.nodes.map((n, i) => this.nodeOf(n, i));
    this.lines = this.edges.map((e) => edgeNode(e, this.places));
    this.root = svg('svg', {class: 'graph-drawing', role: 'img', tabindex: '0',
      'aria-label': `${this.nodes.length} memory entries and ${this.edges.length} relations; arrow keys walk them`},
    svg('defs', svg('marker', {id: 'graph-arrow', viewBox: '0 0 8 8', refX: '15', refY: '4', markerWidth: '7',
      markerHeight: '7', orient: 'auto'}, svg('path', {d: 'M0 0 8 4 0 8z', class: 'graph-arrow'}))),
    this.lines, this.circles);
    this.listen();
    return this.root;
  }

  nodeOf(n, i) {
    const {x, y} = this.places[i];
    const r = 6 + Math.min(8, n.degree * 1.2);
    return svg('g', {class: 'graph-node', dataset: {node: i}},
      svg('circle', {cx: x, cy: y, r, style: {'--r': r}, class: seriesClass(Math.max(0, TYPES.indexOf(n.type)))},
        svg('title', `${plain(n.title)} (${n.type})`)),
      this.nodes.length <= LABELS_UP_TO || n.degree > 3
        ? svg('text', {x, y: y + r + 12, class: 'graph-label', 'text-anchor': 'middle'}, short(plain(n.title))) : null);
  }

  buttons() {
    return el('div', {class: 'graph-buttons'},
      iconButton('plus', 'larger', () => this.zoom(0.75)),
      el('button', {type: 'button', class: 'icon-button', title: 'smaller', 'aria-label': 'smaller',
        on: {click: () => this.zoom(1.33)}}, '−'),
      el('button', {type: 'button', class: 'icon-button', title: 'show all', 'aria-label': 'show all',
        on: {click: () => this.fit()}}, '⤢'));
  }

  // The selected node and its neighbours stand out.
  mark() {
    const near = new Set([this.selected]);
    this.edges.forEach((edge, i) => {
      const is = edge.from === this.selected || edge.to === this.selected;
      this.lines[i].classList.toggle('is-near', is);
      if (is)
        near.add(edge.from).add(edge.to);
    });
    this.circles.forEach((node, i) => {
      node.classList.toggle('is-selected', i === this.selected);
      node.classList.toggle('is-far', this.selected >= 0 && !near.has(i));
    });
  }

  select(i) {
    this.selected = i;
    this.mark();
    this.onSelect(this.nodes[i]);
  }

  // Another entry was opened elsewhere.
  show(id) {
    this.selected = this.nodes.findIndex((n) => n.id === id);
    this.mark();
  }

  // ---- the view -----------------------------------------------------------------------

  setView(view) {
    this.view = view;
    this.root.setAttribute('viewBox', `${view.x} ${view.y} ${view.w} ${view.h}`);
    const {clientWidth: wide, clientHeight: high} = this.root;
    // Nodes and labels keep their size on the screen, up to twice what they are drawn at.
    const scale = wide && high ? Math.max(view.w / wide, view.h / high) : 1;
    this.root.style.setProperty('--k', String(Math.min(2, Math.max(0.6, scale))));
  }

  fit() {
    const xs = this.places.map((p) => p.x), ys = this.places.map((p) => p.y);
    const x = Math.min(-60, ...xs) - 60, y = Math.min(-60, ...ys) - 40;
    this.setView({x, y, w: Math.max(60, ...xs) + 60 - x, h: Math.max(60, ...ys) + 50 - y});
  }

  zoom(by, at = {x: 0.5, y: 0.5}) {
    const {x, y, w, h} = this.view;
    const wide = Math.max(120, Math.min(8000, w * by));
    const high = h * wide / w;
    this.setView({x: x + (w - wide) * at.x, y: y + (h - high) * at.y, w: wide, h: high});
  }

  listen() {
    let from = null;
    this.root.addEventListener('pointerdown', (event) => {
      from = {x: event.clientX, y: event.clientY, view: this.view, moved: false};
    });
    this.root.addEventListener('pointermove', (event) => {
      if (!from || !event.buttons)
        return;
      const scale = from.view.w / this.root.clientWidth;
      const x = (event.clientX - from.x) * scale, y = (event.clientY - from.y) * scale;
      from.moved = from.moved || Math.abs(x) + Math.abs(y) > 4 * scale;
      if (from.moved)
        this.setView({...from.view, x: from.view.x - x, y: from.view.y - y});
    });
    this.root.addEventListener('click', (event) => {
      const node = event.target.closest('[data-node]');
      if (node && !(from && from.moved))
        this.select(Number(node.dataset.node));
      from = null;
    });
    this.root.addEventListener('wheel', (event) => {
      const box = this.root.getBoundingClientRect();
      this.zoom(event.deltaY > 0 ? 1.12 : 0.89,
        {x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height});
      event.preventDefault();
    }, {passive: false});
    this.root.addEventListener('keydown', (event) => this.onKey(event));
  }

  // The nearest node in a direction, more along it than across.
  nearest(dx, dy) {
    const at = this.places[this.selected] || {x: 0, y: 0};
    let best = -1, least = Infinity;
    this.places.forEach((p, i) => {
      const along = (p.x - at.x) * dx + (p.y - at.y) * dy;
      const across = Math.abs((p.x - at.x) * dy - (p.y - at.y) * dx);
      if (i !== this.selected && along > 1 && across <= along * 1.5 && along + across * 2 < least) {
        best = i;
        least = along + across * 2;
      }
    });
    return best;
  }

  onKey(event) {
    const way = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
    if (way) {
      const next = this.selected < 0 ? 0 : this.nearest(...way);
      if (next >= 0)
        this.select(next);
    } else if (event.key === '+' || event.key === '-') {
      this.zoom(event.key === '+' ? 0.75 : 1.33);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
