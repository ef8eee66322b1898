// The cards at the top of the home page: one number each, against the period before, with
// a line over its days.

import {el, replace, icon} from '../core/dom.js';
import {download, errorBox, iconButton, menu, spinner} from '../core/ui.js';
import {bytes, count, money} from '../core/format.js';
import {csvOf} from '../core/page.js';
import {sparkline} from '../core/charts.js';
import {bucketing, costSource, periodBefore, usage} from './report.js';

function inputOf(row) {
  return row.input_tokens + row.cache_read_tokens + row.cache_write_tokens;
}

function cacheShare(row) {
  return inputOf(row) ? row.cache_read_tokens / inputOf(row) : 0;
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

// `of` a row of days, or of totals; `isGood`: whether more of it is good, bad or neither.
const CARDS = [
  {id: 'sessions', label: 'Sessions', of: (row) => row.sessions, format: count},
  {id: 'prompts', label: 'Prompts', of: (row) => row.prompts, format: count},
  {id: 'messages', label: 'Messages', of: (row) => row.messages, format: count},
  {id: 'active_days', label: 'Active days', of: (row) => row.active_days ?? 1, format: count, flat: true},
  {id: 'tool_calls', label: 'Tool calls', of: (row) => row.tool_calls, format: count,
    note: (row) => row.tool_errors ? `${count(row.tool_errors)} failed` : null},
  {id: 'input', label: 'Tokens in', of: inputOf, format: count},
  {id: 'output', label: 'Tokens out', of: (row) => row.output_tokens, format: count},
  {id: 'cached', label: 'Cache hits', of: cacheShare, format: percent, points: true,
    note: (row) => `${count(row.cache_read_tokens)} tokens read from cache`},
  {id: 'cost', label: 'Cost', of: (row) => row.cost_micro_usd,
    format: (n, row) => money(n, costSource(row)),
    note: costNote},
];

function costNote(row) {
  if (!row.cost_micro_usd)
    return row.unpriced_tokens ? 'not reported' : null;
  const computed = row.computed_micro_usd;
  return [computed === row.cost_micro_usd ? 'computed from list prices'
    : computed ? `${money(computed)} of it computed from list prices` : null,
    row.unpriced_tokens ? `${count(row.unpriced_tokens)} tokens without a price` : null]
    .filter(Boolean).join(', ') || 'as reported by the agents';
}

// What the change to the period before says; null: nothing to compare with.
function changeText(card, now, before) {
  if (card.points)
    return `${now >= before ? '+' : '−'}${Math.abs(Math.round((now - before) * 100))} points`;
  if (!before)
    return null;
  const share = now / before - 1;
  return share > 9 ? `×\u2009${Math.round(share + 1)}`
    : `${share >= 0 ? '+' : '−'}${Math.abs(Math.round(share * 100))} %`;
}

function changeNode(card, report) {
  if (!report.before)
    return null;
  const now = card.of(report.totals), before = card.of(report.before);
  const text = changeText(card, now, before);
  if (!text)
    return el('span', {class: 'dim'}, 'none before');
  return el('span', {class: 'card-change', title: `the period before: ${card.format(before, report.before)}`},
    icon(now === before ? 'right' : now > before ? 'up' : 'down'), text);
}

function cardNode(card, report) {
  const value = card.of(report.totals);
  return el('div', {class: 'card stat', dataset: {card: card.id}},
    el('div', {class: 'stat-label'}, card.label),
    el('div', {class: 'stat-value'}, card.format(value, report.totals)),
    el('div', {class: 'stat-foot small'}, changeNode(card, report),
      card.note ? el('span', {class: 'dim'}, card.note(report.totals)) : null),
    card.flat ? null : sparkline(report.days.map((row) => row ? card.of(row) : 0)));
}

function storageText(got) {
  const sum = got.kinds.reduce((n, k) => n + k.bytes, 0);
  const saved = got.own ? 0 : Math.max(0, got.referenced_bytes - got.content_bytes);
  return [el('div', {class: 'stat-value'}, bytes(sum)),
    el('div', {class: 'stat-foot small dim'}, saved ? `${bytes(saved)} saved by deduplication`
      : got.own ? `of ${bytes(got.own.quotas.tenant)}` : null)];
}

// Space is counted by reading the store: the other numbers do not wait for it.
function storageNode(o, tools) {
  const body = el('div', el('div', {class: 'stat-value dim'}, '…'));
  o.storage().then((got) => replace(body, storageText(got)), (error) => {
    if (error.name !== 'AbortError')
      replace(body, el('p', {class: 'bad small'}, error.message));
  });
  return el('div', {class: 'card stat', dataset: {card: 'storage'}}, tools, el('div', {class: 'stat-label'}, 'Storage'), body);
}

function withDays(got) {
  return {...got.totals, active_days: got.list.filter((row) => row.messages).length};
}

async function ask(o) {
  const before = periodBefore(o.period);
  const [now, then] = await Promise.all([usage('day', o.period, o.filters, o.signal),
    before && usage('day', before, o.filters, o.signal)]);
  const buckets = bucketing(o.period, now.list.length ? now.list[0].day : null);
  const byDay = new Map(now.list.map((row) => [row.day, row]));
  const days = buckets.unit === 'day' ? buckets.names.map((name) => byDay.get(name)) : now.list;
  return {totals: withDays(now), before: then && withDays(then), days, table: now};
}

function exportMenu(report) {
  const rows = CARDS.map((card) => [card.id, card.of(report.totals), report.before ? card.of(report.before) : null]);
  const columns = ['number', 'value', 'before'];
  const button = iconButton('download', 'export the numbers', () => menu(button, [
    {label: 'Download CSV', run: () => download('quire-totals.csv', csvOf(columns, rows), 'text/csv')},
    {label: 'Download JSON', run: () => download('quire-totals.json',
      JSON.stringify({totals: report.totals, before: report.before}, null, 1), 'application/json')},
    {label: 'Download days as CSV',
      run: () => download('quire-days.csv', csvOf(report.table.columns, report.table.rows), 'text/csv')}]));
  return button;
}

export function cards(o) {
  const node = el('section', {class: 'cards is-wide', 'aria-label': 'totals'}, spinner());
  const start = () => ask(o).then((report) => {
    replace(node, CARDS.map((card) => cardNode(card, report)), storageNode(o, exportMenu(report)));
  }).catch((error) => {
    if (error.name !== 'AbortError')
      replace(node, errorBox(error, start));
  });
  start();
  return node;
}
