// A table of any length with sortable columns, on top of VirtualList.
//
// Columns: {id, label, value(row), render?(row), width?, numeric?, first?: 'desc', plain?: true}.
// `value` sorts, and is shown if there is no `render`; a column without `value` is not sorted.
// `width` is a grid track. Narrow screens show the columns with `small` only (by CSS class).
// Rows are walked with the arrow keys, Home and End; Enter opens one.

import {el, icon, replace} from './dom.js';
import {VirtualList} from './list.js';

const ROW_PX = 33;

function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number')
    return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''), undefined, {numeric: true});
}

// null and undefined come last, in both directions.
export function sortRows(rows, column, descending) {
  const way = descending ? -1 : 1;
  return rows.map((row, i) => ({row, i, value: column.value(row)})).sort((a, b) => {
    if (a.value == null || b.value == null)
      return (a.value == null) - (b.value == null) || a.i - b.i;
    return way * compare(a.value, b.value) || a.i - b.i;
  }).map((one) => one.row);
}

export class SortableTable {
  constructor({label, columns, rows, sort = null, key, onOpen = null, href = null, onSort = null,
    onSelect = null}) {
    Object.assign(this, {columns, key, onOpen, href, onSort, onSelect, label});
    this.sort = sort; // {id, descending}
    this.at = -1;
    this.head = el('div', {class: 'table-head', role: 'row'});
    this.body = el('div', {class: 'table-body', role: 'rowgroup', tabindex: '0',
      'aria-label': label, on: {keydown: (event) => this.onKey(event)}});
    this.node = el('div', {class: 'table', role: 'grid', 'aria-label': label,
      style: {'--columns': columns.map((c) => c.width || '1fr').join(' '),
        '--small-columns': columns.filter((c) => c.small).map((c) => c.width || '1fr').join(' ')}},
    this.head, this.body);
    this.rows = [];
    this.given = rows;
    this.drawHead();
    this.list = new VirtualList({host: this.body, count: 0, estimate: () => ROW_PX,
      key: (i) => String(this.key(this.rows[i])), render: (i) => this.makeRow(i)});
    // Heights are measured, so rows are drawn once the table is in the page.
    this.seen = new ResizeObserver(() => {
      if (!this.body.clientHeight)
        return;
      this.seen.disconnect();
      this.isSeen = true;
      this.setRows(this.given);
    });
    this.seen.observe(this.body);
  }

  column() {
    return this.sort && this.columns.find((c) => c.id === this.sort.id && c.value);
  }

  setRows(rows) {
    this.given = rows;
    const column = this.column();
    this.rows = column ? sortRows(rows, column, this.sort.descending) : rows.slice();
    this.at = Math.min(this.at, this.rows.length - 1);
    this.node.setAttribute('aria-rowcount', String(this.rows.length + 1));
    this.drawHead();
    if (this.isSeen)
      this.list.setCount(this.rows.length);
  }

  sortBy(column) {
    const same = this.sort && this.sort.id === column.id;
    this.sort = {id: column.id,
      descending: same ? !this.sort.descending : column.first === 'desc'};
    this.setRows(this.given);
    if (this.onSort)
      this.onSort(this.sort);
  }

  drawHead() {
    replace(this.head, this.columns.map((c) => {
      const is = this.sort && this.sort.id === c.id;
      const order = is ? (this.sort.descending ? 'descending' : 'ascending') : c.value ? 'none' : null;
      return el('div', {role: 'columnheader', class: this.cellClass(c), 'aria-sort': order},
        c.value ? el('button', {type: 'button', class: 'link-button', on: {click: () => this.sortBy(c)}},
          c.label, is ? icon(this.sort.descending ? 'down' : 'up') : null) : c.label);
    }));
  }

  cellClass(c) {
    return ['cell', c.numeric ? 'is-numeric' : null, c.small ? 'is-small' : null]
      .filter(Boolean).join(' ');
  }

  makeRow(i) {
    const row = this.rows[i];
    const address = this.href && this.href(row);
    return el(address ? 'a' : 'div', {class: i === this.at ? 'table-row is-current' : 'table-row',
      role: 'row', 'aria-rowindex': String(i + 2), 'aria-selected': String(i === this.at),
      href: address || null, tabindex: address ? '-1' : null, on: {click: (event) => {
        if (!event.ctrlKey && !event.metaKey && !event.target.closest('button, a:not(.table-row)'))
          this.select(i);
        if (!address && this.onOpen && !event.target.closest('button, a'))
          this.onOpen(row);
      }}},
    this.columns.map((c) => el('div', {role: 'gridcell', class: this.cellClass(c)},
      c.render ? c.render(row) : String(c.value(row) ?? ''))));
  }

  select(i) {
    const old = this.at;
    this.at = Math.max(-1, Math.min(i, this.rows.length - 1));
    this.list.refresh(old);
    this.list.refresh(this.at);
    if (this.at >= 0)
      this.list.scrollTo(this.at, {align: 'nearest'});
    if (this.onSelect)
      this.onSelect(this.rows[this.at]);
  }

  current() {
    return this.rows[this.at];
  }

  move(by) {
    this.select(Math.max(0, Math.min(this.rows.length - 1, this.at + by)));
  }

  open() {
    const row = this.current();
    if (!row)
      return;
    if (this.href)
      location.hash = this.href(row);
    else if (this.onOpen)
      this.onOpen(row);
  }

  onKey(event) {
    if (event.target !== this.body)
      return;
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -1e9, End: 1e9}[event.key];
    if (by)
      this.move(by);
    else if (event.key === 'Enter')
      this.open();
    else
      return;
    event.preventDefault();
  }

  destroy() {
    this.seen.disconnect();
    this.list.destroy();
  }
}

export function sortableTable(options) {
  return new SortableTable(options);
}
