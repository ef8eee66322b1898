// The panels of the home page: one question to the server each, a drawing, and the same
// numbers as a table, CSV or JSON.

import {el, replace, plain, icon} from '../core/dom.js';
import {download, empty, errorBox, iconButton, menu, spinner} from '../core/ui.js';
import {href, setQuery} from '../core/router.js';
import {bytes, count, duration, money} from '../core/format.js';
import {csvOf, plainTable, segments} from '../core/page.js';
import {bars, calendar, hourOfWeek, legend, stackedColumns, treemap} from '../core/charts.js';
import {bucketing, costSource, lastYear, seriesOf, sessionOf, storage, tokens, usage} from './report.js';
import {cards} from './cards.js';

const TABLE_ROWS = 500;
const LONGEST = 10;

// ---- the frame of a panel --------------------------------------------------------------

function exportItems(name, table) {
  return [
    {label: 'Download CSV', icon: 'download',
      run: () => download(`quire-${name}.csv`, csvOf(table.columns, table.rows), 'text/csv')},
    {label: 'Download JSON', icon: 'download',
      run: () => download(`quire-${name}.json`, JSON.stringify(table, null, 1), 'application/json')},
  ];
}

function tableNode(title, table) {
  return plainTable(title, table.columns.map((name, i) => ({label: name.replaceAll('_', ' '),
    numeric: table.rows.some((row) => typeof row[i] === 'number'),
    render: (row) => row[i] == null ? '' : typeof row[i] === 'number' ? String(row[i]) : plain(row[i])})),
  table.rows.slice(0, TABLE_ROWS));
}

// `ask` returns a promise of {columns, rows, …}; `draw` makes nodes of it.
function panel({title, name, ask, draw, wide, tools}) {
  const body = el('div', {class: 'home-panel-body'}, spinner());
  const actions = el('div', {class: 'panel-actions'}, tools);
  const node = el('section', {class: wide ? 'card home-panel is-wide' : 'card home-panel', 'aria-label': title,
    dataset: {panel: name}}, el('header', el('h2', title), actions), body);
  let asTable = false;
  const drawn = (table) => {
    const redraw = () => replace(body, asTable ? tableNode(title, table) : draw(table));
    const toggle = iconButton('list', 'show as a table', () => {
      asTable = !asTable;
      toggle.setAttribute('aria-pressed', String(asTable));
      redraw();
    }, {'aria-pressed': 'false'});
    const more = iconButton('more', `export ${title.toLowerCase()}`, () => menu(more, exportItems(name, table)));
    actions.append(toggle, more);
    redraw();
  };
  const start = () => ask().then(drawn).catch((error) => {
    if (error.name !== 'AbortError')
      replace(body, errorBox(error, start));
  });
  start();
  return node;
}

function nothing() {
  return empty('Nothing in this time', 'choose a longer range, or remove a filter');
}

function pickFilter(name, value) {
  return () => setQuery({[name]: value}, {replace: false});
}

// ---- panels ----------------------------------------------------------------------------

function calendarPanel(o) {
  const measure = o.query.get('measure') || 'messages';
  const year = lastYear(o.period);
  return panel({title: 'Activity', name: 'activity', wide: true,
    ask: () => usage('day', year, o.filters, o.signal),
    draw: (got) => calendar({from: year.from, to: year.to, title: `${measure.replace('_', ' ')} by day`,
      values: new Map(got.list.map((row) => [row.day, row[measure]])),
      format: (n) => `${count(n)} ${measure.replace('_', ' ')}`,
      isPicked: (name) => o.period.name === 'free' && name >= o.period.from && name <= o.period.to,
      onPick: (name) => setQuery({range: null, from: name, to: name}, {replace: false})})});
}

const METRICS = {
  tokens: {label: 'tokens', value: tokens, format: count},
  output: {label: 'output', value: (row) => row.output_tokens, format: count},
  cost: {label: 'cost', value: (row) => row.cost_micro_usd, format: (n) => money(n)},
};

function timePanel(o) {
  const metric = METRICS[o.query.get('metric')] ? o.query.get('metric') : 'tokens';
  const {value, format, label} = METRICS[metric];
  return panel({title: 'Tokens and cost over time', name: 'over-time', wide: true,
    tools: segments('what to draw', Object.entries(METRICS).map(([id, m]) => ({value: id, label: m.label})),
      metric, (id) => setQuery({metric: id === 'tokens' ? null : id})),
    ask: () => usage('day,model', o.period, o.filters, o.signal),
    draw: (got) => {
      const buckets = bucketing(o.period, got.list.map((row) => row.day).sort()[0]);
      const series = seriesOf(got.list, 'model', value, buckets);
      if (!series.length)
        return metric === 'cost' && got.list.length
          ? empty('No cost was reported', 'the agents of these sessions do not say what an answer costs') : nothing();
      const isDays = buckets.unit === 'day';
      return [stackedColumns({names: buckets.names, series, format,
        title: `${label} by ${buckets.unit}, by model`,
        onPick: isDays ? (name) => setQuery({range: null, from: name, to: name}, {replace: false}) : null}),
      legend(series.map((s) => ({name: s.name, text: format(s.sum), class: s.class,
        pick: s.class || s.name === 'none' ? null : pickFilter('model', s.name)})))];
    }});
}

function hoursPanel(o) {
  return panel({title: 'Hours of the week', name: 'hours',
    ask: () => usage('hour_of_week', o.period, o.filters, o.signal),
    draw: (got) => {
      const measure = o.query.get('measure') || 'messages';
      const values = new Array(168).fill(0);
      for (const row of got.list)
        values[Number(row.hour_of_week)] = row[measure];
      return hourOfWeek({values, title: `${measure.replace('_', ' ')} by hour of the week`,
        format: (n) => `${count(n)} ${measure.replace('_', ' ')}`});
    }});
}

function baseName(path) {
  return plain(path).split('/').filter(Boolean).pop() || '/';
}

function projectPanel(o) {
  return panel({title: 'Projects', name: 'projects',
    ask: () => usage('project', o.period, o.filters, o.signal),
    draw: (got) => {
      const costly = got.list.some((row) => row.cost_micro_usd);
      const value = costly ? (row) => row.cost_micro_usd : tokens;
      const items = got.list.filter((row) => value(row)).map((row) => ({name: baseName(row.project),
        value: value(row), pick: pickFilter('project', row.project),
        text: costly ? `${money(row.cost_micro_usd, costSource(row))}, ${count(tokens(row))} tokens`
          : `${count(tokens(row))} tokens`}));
      return items.length ? treemap({items, title: costly ? 'cost by project' : 'tokens by project'}) : nothing();
    }});
}

// The server counts calls by tool without the model that made them.
function toolPanel(o) {
  return panel({title: 'Tools', name: 'tools',
    ask: () => usage('tool', o.period, {...o.filters, model: null}, o.signal),
    draw: (got) => {
      const rows = got.list.filter((row) => row.tool && row.tool_calls)
        .sort((a, b) => b.tool_calls - a.tool_calls).slice(0, 12);
      return rows.length ? [bars(rows.map((row) => ({name: row.tool, value: row.tool_calls,
        part: row.tool_errors, href: href('/search', {q: `tool:${row.tool}`}),
        text: row.tool_errors ? `${count(row.tool_calls)}, ${count(row.tool_errors)} failed` : count(row.tool_calls)}))),
      el('p', {class: 'dim small'}, o.filters.model ? 'calls of all models; failed ones are marked' : 'calls; failed ones are marked')] : nothing();
    }});
}

// The longest sessions of a period, with their titles; the table has all of them.
async function askLongest(o) {
  const got = await usage('session', o.period, o.filters, o.signal);
  const list = got.list.sort((a, b) => b.messages - a.messages);
  const top = await Promise.all(list.slice(0, LONGEST).map(async (row) =>
    ({...row, of: await sessionOf(row.session, o.signal)})));
  return {top, columns: ['session', 'messages', 'tool_calls', 'tokens', 'cost_micro_usd'],
    rows: list.map((row) => [row.session, row.messages, row.tool_calls, tokens(row), row.cost_micro_usd])};
}

function longestPanel(o) {
  return panel({title: 'Longest sessions', name: 'sessions', ask: () => askLongest(o),
    draw: (got) => got.top.length ? bars(got.top.map(({of, ...row}) => ({
      name: plain(of.title) || row.session, value: row.messages, href: href(['session', row.session]), class: 'series-2',
      detail: `${baseName(of.cwd)}, ${duration((of.updated_at - of.created_at) * 1000)}`,
      text: `${count(row.messages)} · ${count(tokens(row))} tok`}))) : nothing()});
}

function sharePanel(o, by, title, wide) {
  return panel({title, name: `${by}s`, wide, ask: () => usage(by, o.period, o.filters, o.signal),
    draw: (got) => {
      const rows = got.list.filter((row) => row[by]).sort((a, b) => tokens(b) - tokens(a)).slice(0, 10);
      if (!rows.length)
        return by === 'agent' && got.list.length ? empty('No session was imported',
          'those of the agents on this machine: quire import') : nothing();
      return bars(rows.map((row) => ({name: row[by], value: tokens(row) || row.messages,
        pick: pickFilter(by, row[by]), class: 'series-3',
        text: [`${count(tokens(row))} tok`, row.cost_micro_usd ? money(row.cost_micro_usd, costSource(row)) : null]
          .filter(Boolean).join(' · ')})));
    }});
}

function savings(got) {
  if (got.own)
    return el('p', {class: 'dim small'}, `${bytes(got.own.bytes_used)} of ${bytes(got.own.quotas.tenant)} used; ` +
      'the tenant default sees the whole store');
  const dedup = Math.max(0, got.referenced_bytes - got.content_bytes);
  const packed = Math.max(0, got.content_bytes - got.stored_bytes);
  return el('p', {class: 'dim small'}, `deduplication saves ${bytes(dedup)}, compression ${bytes(packed)} of blobs`);
}

function storagePanel(o) {
  return panel({title: 'Storage', name: 'storage',
    ask: async () => {
      const got = await o.storage();
      return {...got, columns: ['kind', 'bytes', 'n'], rows: got.kinds.map((k) => [k.kind, k.bytes, k.n])};
    },
    draw: (got) => [bars(got.kinds.filter((k) => k.bytes || k.n).map((k) => ({name: k.kind, value: k.bytes,
      class: 'series-4', text: bytes(k.bytes), detail: `${count(k.n)} of them`}))), savings(got)]});
}

// `o`: period, filters, query, signal.
export function makePanels(o) {
  let space = null;
  o.storage = () => space || (space = storage(o.signal));
  return [cards(o), calendarPanel(o), timePanel(o), hoursPanel(o), projectPanel(o), toolPanel(o),
    longestPanel(o), sharePanel(o, 'model', 'Models'), storagePanel(o), sharePanel(o, 'agent', 'Agents', true)];
}
