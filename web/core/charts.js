// Charts, drawn as SVG: calendar, hours of the week, stacked columns, treemap, sparkline;
// and rows of bars, which are plain elements.
//
// Invariants:
//  1. A chart is drawn for the width of its box, in px, and again when that changes.
//  2. It is role="img" with a sentence as its name. Its marks can be walked by arrow keys;
//     the detail of the current one, by key or pointer, is in one live tooltip.
//  3. Colours are classes (series-0 to series-7, level-0 to level-4): the theme has them.

import {el, svg, replace, plain} from './dom.js';

const SERIES = 8;
const DAY_MS = 86400000;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function seriesClass(i) {
  return `series-${Math.min(i, SERIES - 1)}`;
}

// ---- the tooltip -----------------------------------------------------------------------

function tipNode() {
  return document.getElementById('chart-tip') || document.body.appendChild(
    el('div', {id: 'chart-tip', class: 'chart-tip', role: 'status', 'aria-live': 'polite'}));
}

function showTip(text, box) {
  const tip = tipNode();
  tip.textContent = text;
  tip.classList.add('is-shown');
  const size = tip.getBoundingClientRect();
  const left = Math.max(4, Math.min(box.left + box.width / 2 - size.width / 2,
    innerWidth - size.width - 4));
  const above = box.top - size.height - 6;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : box.bottom + 6}px`;
}

function hideTip() {
  tipNode().classList.remove('is-shown');
}

// ---- a chart in its box ----------------------------------------------------------------

// Which mark the keys lead to: `across` marks are in a row of the chart.
function nextMark(key, at, across, n) {
  const by = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across}[key];
  if (key === 'Home' || key === 'End')
    return key === 'Home' ? 0 : n - 1;
  if (!by)
    return -1;
  return Math.max(0, Math.min(n - 1, (at < 0 ? (by > 0 ? -1 : n) : at) + by));
}

// Marks: {node, text, pick}, in the order in which the keys lead through them.
function makeWalkable(root, marks, across) {
  let at = -1;
  const byNode = new Map(marks.map((mark, i) => [mark.node, i]));
  const setCurrent = (i) => {
    if (marks[at])
      marks[at].node.classList.remove('is-current');
    at = i;
    if (i < 0) {
      hideTip();
      return;
    }
    marks[i].node.classList.add('is-current');
    showTip(marks[i].text, marks[i].node.getBoundingClientRect());
  };
  const pick = () => {
    if (at >= 0 && marks[at].pick) {
      hideTip();
      marks[at].pick();
    }
  };
  root.addEventListener('pointerover', (event) => {
    const i = byNode.get(event.target.closest('[data-mark]'));
    setCurrent(i === undefined ? -1 : i);
  });
  root.addEventListener('pointerleave', () => setCurrent(-1));
  root.addEventListener('blur', () => setCurrent(-1));
  root.addEventListener('click', (event) => {
    if (event.target.closest('[data-mark]'))
      pick();
  });
  root.addEventListener('keydown', (event) => {
    const next = nextMark(event.key, at, across, marks.length);
    if (event.key === 'Enter')
      pick();
    else if (next >= 0)
      setCurrent(next);
    else
      return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// `draw(width)` returns {nodes, marks, height, across}.
function chart(name, label, draw) {
  const box = el('div', {class: `chart chart-${name}`});
  let drawn = 0;
  const redraw = (width) => {
    if (width < 40 || Math.abs(width - drawn) < 1)
      return;
    drawn = width;
    const got = draw(width);
    const root = svg('svg', {width, height: got.height, viewBox: `0 0 ${width} ${got.height}`,
      role: 'img', 'aria-label': label, tabindex: got.marks.length ? 0 : null}, got.nodes);
    for (const mark of got.marks) {
      mark.node.dataset.mark = '';
      if (mark.pick)
        mark.node.classList.add('can-pick');
    }
    makeWalkable(root, got.marks, got.across || 1);
    replace(box, root);
  };
  new ResizeObserver((seen) => redraw(Math.floor(seen[0].contentRect.width))).observe(box);
  return box;
}

function label(x, y, text, anchor = 'start') {
  return svg('text', {x, y, class: 'chart-label', 'text-anchor': anchor}, text);
}

// ---- calendar --------------------------------------------------------------------------

// A function from a value to 0 (none) to 4: by quarters of the values there are, so that a
// day that stands out leaves the others apart.
function levels(values) {
  const sorted = values.filter(Boolean).sort((a, b) => a - b);
  const limits = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(part * (sorted.length - 1))]);
  return (value) => value ? 1 + limits.filter((limit) => value > limit).length : 0;
}

function dateName(date) {
  return date.toISOString().slice(0, 10);
}

function calendarCell(date, week, size, value, level, o) {
  const name = dateName(date);
  const day = (date.getUTCDay() + 6) % 7;
  const node = svg('rect', {x: 30 + week * (size + 2), y: 16 + day * (size + 2), width: size,
    height: size, rx: 2, class: `level-${level(value)}${o.isPicked(name) ? ' is-picked' : ''}`});
  return {node, text: `${WEEKDAYS[day]} ${name}: ${o.format(value)}`,
    pick: o.onPick && (() => o.onPick(name))};
}

function drawCalendar(o, width) {
  const end = new Date(o.to + 'T00:00:00Z');
  const room = Math.max(4, Math.floor((width - 30) / 12));
  const weeks = Math.min(room, Math.ceil(((end - new Date(o.from + 'T00:00:00Z')) / DAY_MS + 8) / 7));
  const size = Math.min(19, Math.floor((width - 30) / weeks) - 2);
  const monday = new Date(end - ((end.getUTCDay() + 6) % 7 + (weeks - 1) * 7) * DAY_MS);
  const level = levels([...o.values.values()]);
  const nodes = [0, 2, 4].map((d) => label(0, 16 + d * (size + 2) + size - 2, WEEKDAYS[d]));
  const marks = [];
  let month = -1;
  for (let at = monday, i = 0; at <= end; at = new Date(at.getTime() + DAY_MS), i++) {
    const week = Math.floor(i / 7);
    if (at.getUTCDate() <= 7 && at.getUTCMonth() !== month && i % 7 === 0) {
      month = at.getUTCMonth();
      nodes.push(label(30 + week * (size + 2), 10, MONTHS[month]));
    }
    marks.push(calendarCell(at, week, size, o.values.get(dateName(at)) || 0, level, o));
  }
  return {nodes: [...nodes, marks.map((m) => m.node)], marks, height: 16 + 7 * (size + 2),
    across: 7};
}

// Days as squares, weeks as columns, up to `to`; as many weeks as there is room for.
// `values`: Map of YYYY-MM-DD to number.
export function calendar({values, from, to, title, format = String, onPick, isPicked = () => false}) {
  return chart('calendar', title,
    (width) => drawCalendar({values, from, to, format, onPick, isPicked}, width));
}

// ---- hours of the week -----------------------------------------------------------------

function drawHours(values, format, width) {
  const cell = Math.max(5, Math.floor((width - 30) / 24) - 2);
  const high = Math.min(18, Math.max(10, cell));
  const level = levels(values);
  const nodes = WEEKDAYS.map((name, d) => label(0, 16 + d * (high + 2) + high - 2, name));
  for (let h = 0; h < 24; h += 6)
    nodes.push(label(30 + h * (cell + 2), 10, `${h}:00`));
  const marks = values.map((value, i) => ({
    node: svg('rect', {x: 30 + (i % 24) * (cell + 2), y: 16 + Math.floor(i / 24) * (high + 2),
      width: cell, height: high, rx: 2, class: `level-${level(value)}`}),
    text: `${WEEKDAYS[Math.floor(i / 24)]} ${i % 24}:00: ${format(value)}`,
  }));
  return {nodes: [nodes, marks.map((m) => m.node)], marks, height: 16 + 7 * (high + 2), across: 24};
}

// `values`: 168 numbers, from Monday 0:00 on.
export function hourOfWeek({values, title, format = String}) {
  return chart('hours', title, (width) => drawHours(values, format, width));
}

// ---- stacked columns -------------------------------------------------------------------

// The largest of 1, 2, 5 times a power of ten that makes at least three steps.
function tickStep(max) {
  const power = 10 ** Math.floor(Math.log10(max / 3));
  return [5, 2, 1].map((n) => n * power).find((step) => max / step >= 3) || power;
}

function yAxis(max, height, left, width, format) {
  const nodes = [];
  const step = tickStep(max);
  for (let value = 0; value <= max; value += step) {
    const y = height - value / max * height + 8;
    nodes.push(svg('line', {x1: left, x2: width, y1: y, y2: y, class: 'chart-line'}),
      label(left - 6, y + 4, format(value), 'end'));
  }
  return nodes;
}

function xAxis(names, left, each, width, y) {
  const every = Math.max(1, Math.ceil(70 / each));
  const nodes = [];
  for (let i = 0; i < names.length; i += every)
    if (left + i * each + 40 < width)
      nodes.push(label(left + i * each, y, names[i]));
  return nodes;
}

function columnText(o, i) {
  const parts = o.series.map((s) => [s.name, s.values[i]]).filter((p) => p[1]);
  const sum = parts.reduce((n, p) => n + p[1], 0);
  return [`${o.names[i]}: ${o.format(sum)}`,
    ...parts.sort((a, b) => b[1] - a[1]).map((p) => `${p[0]} ${o.format(p[1])}`)].join('\n');
}

function drawColumns(o, width) {
  const left = 52, high = o.height - 30;
  const sums = o.names.map((_, i) => o.series.reduce((n, s) => n + s.values[i], 0));
  const max = Math.max(...sums) || 1;
  const each = (width - left) / o.names.length;
  const gap = each > 6 ? Math.min(4, each * 0.2) : each > 3 ? 1 : 0;
  const marks = o.names.map((_, i) => {
    const x = left + i * each;
    let y = high + 8;
    const parts = o.series.map((s, k) => {
      const px = s.values[i] / max * high;
      y -= px;
      return px > 0 ? svg('rect', {x, y, width: Math.max(0.5, each - gap), height: px,
        class: s.class || seriesClass(k)}) : null;
    });
    const hit = svg('rect', {x, y: 8, width: each, height: high, class: 'chart-hit'});
    return {node: svg('g', {class: 'chart-column'}, hit, parts), text: columnText(o, i),
      pick: o.onPick && (() => o.onPick(o.names[i]))};
  });
  return {nodes: [yAxis(max, high, left, width, o.format), marks.map((m) => m.node),
    xAxis(o.names, left, each, width, o.height - 4)], marks, height: o.height};
}

// `names`: of the columns. `series`: {name, values, class?}, the first at the bottom.
export function stackedColumns({names, series, title, format = String, height = 190, onPick}) {
  return chart('columns', title, (width) => drawColumns({names, series, format, height, onPick}, width));
}

// What the colours of a chart mean. Items: {name, text, class?, pick?}.
export function legend(items) {
  return el('ul', {class: 'chart-legend'}, items.map((item, i) => {
    const content = [el('span', {class: `chart-swatch ${item.class || seriesClass(i)}`}),
      el('span', {class: 'ellipsis', title: plain(item.name)}, plain(item.name)), item.text ? el('span', {class: 'dim'}, item.text) : null];
    return el('li', item.pick
      ? el('button', {type: 'button', class: 'link-button', on: {click: item.pick}}, content) : content);
  }));
}

// ---- bars ------------------------------------------------------------------------------

function barRow(row, max, i) {
  const width = `${Math.max(0.5, row.value / max * 100)}%`;
  const part = row.part ? `${Math.min(100, row.part / row.value * 100)}%` : null;
  return el('li', {class: 'bar-row', title: row.detail},
    el('span', {class: 'bar-name'},
      row.href ? el('a', {href: row.href}, plain(row.name)) : row.pick
        ? el('button', {type: 'button', class: 'link-button', on: {click: row.pick}}, plain(row.name))
        : plain(row.name)),
    el('span', {class: 'bar-track', 'aria-hidden': 'true'},
      el('span', {class: `bar-fill ${row.class || seriesClass(i)}`, style: {width}},
        part ? el('span', {class: 'bar-part', style: {width: part}}) : null)),
    el('span', {class: 'bar-text'}, row.text));
}

// Rows: {name, value, text, part?, detail?, href?, pick?, class?}; `part` of a value is marked.
export function bars(rows) {
  const max = Math.max(1e-9, ...rows.map((row) => row.value));
  return el('ul', {class: 'bars'}, rows.map((row) => barRow({class: 'series-0', ...row}, max, 0)));
}

// ---- treemap ---------------------------------------------------------------------------

// The worst ratio of sides of a strip of `sizes` along `side`.
function worstRatio(sizes, side) {
  const sum = sizes.reduce((a, b) => a + b, 0);
  const across = sum / side;
  return Math.max(...sizes.map((s) => Math.max(across / (s / across), (s / across) / across)));
}

// Squarified: strips along the shorter side, as long as that makes the tiles squarer.
function tile(items, box, out) {
  const rest = items.slice();
  while (rest.length) {
    const side = Math.min(box.w, box.h);
    const strip = [rest.shift()];
    while (rest.length && worstRatio([...strip, rest[0]].map((t) => t.area), side) <=
        worstRatio(strip.map((t) => t.area), side))
      strip.push(rest.shift());
    const across = strip.reduce((n, t) => n + t.area, 0) / side;
    let at = 0;
    for (const t of strip) {
      const along = t.area / across;
      out.push(box.w < box.h ? {...t, x: box.x + at, y: box.y, w: along, h: across}
        : {...t, x: box.x, y: box.y + at, w: across, h: along});
      at += along;
    }
    if (box.w < box.h)
      box = {...box, y: box.y + across, h: box.h - across};
    else
      box = {...box, x: box.x + across, w: box.w - across};
  }
  return out;
}

// So much of a text as fits into so many px, at about 6.5 px a character.
function fit(text, px) {
  const n = Math.floor(px / 6.5);
  return text.length <= n ? text : n > 2 ? text.slice(0, n - 1) + '…' : '';
}

function drawTreemap(items, height, width) {
  const sum = items.reduce((n, item) => n + item.value, 0) || 1;
  const sized = items.filter((item) => item.value > 0).sort((a, b) => b.value - a.value)
    .map((item, i) => ({...item, i, area: item.value / sum * width * height}));
  const marks = tile(sized, {x: 0, y: 0, w: width, h: height}, []).map((t) => {
    const name = t.h > 18 ? fit(plain(t.name), t.w - 10) : '';
    return {node: svg('g',
      svg('rect', {x: t.x + 0.5, y: t.y + 0.5, width: Math.max(0, t.w - 1.5),
        height: Math.max(0, t.h - 1.5), rx: 2, class: seriesClass(t.i)}),
      name ? svg('text', {x: t.x + 6, y: t.y + 15, class: 'tile-label'}, name) : null,
      name && t.h > 36 ? svg('text', {x: t.x + 6, y: t.y + 30, class: 'tile-label tile-text'},
        fit(t.text, t.w - 10)) : null), text: `${plain(t.name)}: ${t.text}`, pick: t.pick};
  });
  return {nodes: marks.map((m) => m.node), marks, height};
}

// Items: {name, value, text, pick?}.
export function treemap({items, title, height = 190}) {
  return chart('treemap', title, (width) => drawTreemap(items, height, width));
}

// ---- sparkline -------------------------------------------------------------------------

// A line without axes beside a number that says the same: hidden from screen readers.
export function sparkline(values, {width = 96, height = 24} = {}) {
  const max = Math.max(1e-9, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map((v, i) => `${(i * step).toFixed(1)},${(height - 2 - v / max * (height - 4)).toFixed(1)}`);
  return svg('svg', {class: 'sparkline', width, height, viewBox: `0 0 ${width} ${height}`,
    'aria-hidden': 'true'},
  svg('polyline', {points: values.length > 1 ? points.join(' ') : ''}));
}

// So much of so much.
export function meter(value, max, text) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return el('div', {class: 'meter', role: 'meter', 'aria-valuemin': 0, 'aria-valuemax': max,
    'aria-valuenow': value, 'aria-valuetext': text, title: text},
  el('span', {class: share > 0.9 ? 'meter-fill is-high' : 'meter-fill', style: {width: `${share * 100}%`}}));
}
