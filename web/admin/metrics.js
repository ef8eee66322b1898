// The server's metrics (/metrics), drawn: requests by operation, how long they take, queues.
// They are asked for when the tab is opened and by a button; the lines are of what this page
// has seen since.

import {el, icon, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {errorBox, spinner} from '../core/ui.js';
import {bytes, count, duration} from '../core/format.js';
import {facts, plainTable} from '../core/page.js';
import {bars, sparkline, stackedColumns} from '../core/charts.js';

const MOST_SEEN = 60;
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

// The text format of Prometheus: [{name, labels, value}].
export function parseMetrics(text) {
  const all = [];
  for (const line of text.split('\n')) {
    const found = line.startsWith('#') ? null : LINE.exec(line);
    if (found)
      all.push({name: found[1].replace(/^quire_/, ''), value: Number(found[3]),
        labels: Object.fromEntries([...(found[2] || '').matchAll(LABEL)].map((m) => [m[1], m[2]]))});
  }
  return all;
}

function span(seconds) {
  return seconds < 1 ? `${seconds * 1000} ms` : `${seconds} s`;
}

class Metrics {
  constructor(text) {
    this.all = parseMetrics(text);
  }

  one(name) {
    const found = this.all.find((m) => m.name === name);
    return found ? found.value : 0;
  }

  named(name) {
    return this.all.filter((m) => m.name === name);
  }

  // By operation: requests, failures, seconds.
  operations() {
    const rows = new Map();
    const row = (m) => {
      const name = m.labels.operation;
      if (!rows.has(name))
        rows.set(name, {name, n: 0, failed: 0, seconds: 0});
      return rows.get(name);
    };
    for (const m of this.named('http_requests_total')) {
      row(m).n += m.value;
      if (m.labels.code === '4xx' || m.labels.code === '5xx')
        row(m).failed += m.value;
    }
    for (const m of this.named('http_request_duration_seconds_sum'))
      row(m).seconds += m.value;
    return [...rows.values()].sort((a, b) => b.n - a.n);
  }

  // Requests by how long they took, over all operations: {names, values}.
  histogram() {
    const sums = new Map();
    for (const m of this.named('http_request_duration_seconds_bucket'))
      if (m.labels.operation !== 'events')
        sums.set(m.labels.le, (sums.get(m.labels.le) || 0) + m.value);
    const steps = [...sums].map(([le, n]) => [le === '+Inf' ? Infinity : Number(le), n]).sort((a, b) => a[0] - b[0]);
    return {names: steps.map(([le], i) => le === Infinity ? `> ${span(steps[i - 1][0])}` : `≤ ${span(le)}`),
      values: steps.map(([, n], i) => n - (i ? steps[i - 1][1] : 0))};
  }
}

const WATCHED = [
  {label: 'requests', of: (m) => m.operations().reduce((n, row) => n + row.n, 0), format: count, grows: true},
  {label: 'bytes sent', of: (m) => m.one('http_response_bytes_total'), format: bytes, grows: true},
  {label: 'connections', of: (m) => m.one('http_connections'), format: count},
  {label: 'requests that wait', of: (m) => m.one('queue_length'), format: count},
  {label: 'requests in progress', of: (m) => m.one('http_requests_in_flight'), format: count},
  {label: 'group commits', of: (m) => m.one('write_groups_total'), format: count, grows: true}];

// A counter is drawn as how much it grew from one look to the next.
function lineOf(w, seen) {
  const values = seen.map((m) => w.of(m));
  return w.grows ? values.slice(1).map((v, i) => Math.max(0, v - values[i])) : values;
}

function watchedNode(seen) {
  const now = seen[seen.length - 1];
  return el('div', {class: 'cards'}, WATCHED.map((w) => el('div', {class: 'card stat'},
    el('div', {class: 'stat-label'}, w.label), el('div', {class: 'stat-value'}, w.format(w.of(now))), sparkline(lineOf(w, seen)))));
}

function operationTable(rows) {
  return plainTable('operations', [{label: 'Operation', render: (r) => el('code', r.name || 'no route')},
    {label: 'Requests', numeric: true, render: (r) => count(r.n)}, {label: 'Failed', numeric: true, render: (r) => count(r.failed)},
    {label: 'Mean', numeric: true, render: (r) => r.n ? duration(r.seconds / r.n * 1000) : '–'}], rows);
}

function draw(seen) {
  const now = seen[seen.length - 1];
  const rows = now.operations();
  const {names, values} = now.histogram();
  return [watchedNode(seen), el('div', {class: 'admin-grid'},
    el('section', {class: 'card'}, el('h2', 'Requests by operation'), bars(rows.slice(0, 14).map((r) =>
      ({name: r.name || 'no route', value: r.n, part: r.failed, text: r.failed ? `${count(r.n)}, ${count(r.failed)} failed` : count(r.n)})))),
    el('section', {class: 'card'}, el('h2', 'How long they took'), stackedColumns({names, title: 'requests by duration', format: count,
      series: [{name: 'requests', values}]}))),
  el('div', {class: 'admin-grid'},
    el('section', {class: 'card'}, el('h2', 'Operations'), operationTable(rows)),
    el('section', {class: 'card'}, el('h2', 'Server'), facts([
      ['runs for', duration(now.one('uptime_seconds') * 1000)], ['waiting requests at most', count(now.one('queue_limit'))],
      ['refused for that', count(now.one('queue_refused_total'))],
      ['refused by rate', count(now.named('rate_limited_total').reduce((n, m) => n + m.value, 0))],
      ['writes in group commits', count(now.one('grouped_writes_total'))], ['bodies in files', bytes(now.one('spool_bytes'))],
      ['MCP clients', count(now.one('mcp_clients'))], ['log lines dropped', count(now.one('log_dropped_total'))],
      ['collections', `${count(now.one('collections_total'))}, ${bytes(now.one('collection_freed_bytes_total'))} freed`]])))];
}

export function metrics(host, {signal}) {
  const seen = [];
  const body = el('div', {class: 'admin-body'}, spinner());
  const ask = async () => {
    try {
      const answer = await api.raw('/metrics', null, {signal});
      seen.push(new Metrics(await answer.text()));
      seen.splice(0, seen.length - MOST_SEEN);
      replace(body, draw(seen));
    } catch (error) {
      if (error.name !== 'AbortError')
        replace(body, errorBox(error, ask));
    }
  };
  replace(host, el('div', {class: 'list-tools'}, el('button', {type: 'button', on: {click: ask}}, icon('restore'), 'Look again'),
    el('span', {class: 'dim small'}, 'counted since the server started')), body);
  ask();
}
