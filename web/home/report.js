// What the home page asks the server: periods of local days, filters, reports by key.

import {api} from '../core/api.js';
import {objectsOf} from '../core/page.js';

export const RANGES = [
  {value: '7d', label: '7 d', days: 7}, {value: '30d', label: '30 d', days: 30},
  {value: '90d', label: '90 d', days: 90}, {value: '1y', label: '1 y', days: 365},
  {value: 'all', label: 'all'}];
export const FILTERS = ['project', 'agent', 'model'];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function pad(n) {
  return String(n).padStart(2, '0');
}

export function dayName(date) {
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

// Local midnight of a day's name, so many days later.
function midnight(name, later = 0) {
  const [year, month, day] = name.split('-').map(Number);
  return new Date(year, month - 1, day + later);
}

function seconds(date) {
  return Math.floor(date.getTime() / 1000);
}

function dayDistance(from, to) {
  return Math.round((midnight(to) - midnight(from)) / 86400000);
}

// The period that the address names: {name, from, to} as days, both included; `from` is
// null for all time. A named range ends today, so it moves on at midnight.
export function periodOf(query, today = dayName(new Date())) {
  const from = query.get('from');
  const to = query.get('to');
  if (DAY.test(from || '') && DAY.test(to || '') && from <= to)
    return {name: 'free', from, to, days: dayDistance(from, to) + 1};
  const range = RANGES.find((r) => r.value === query.get('range')) || RANGES[1];
  if (!range.days)
    return {name: range.value, from: null, to: today, days: null};
  return {name: range.value, from: dayName(midnight(today, 1 - range.days)), to: today,
    days: range.days};
}

// The period of the same length before it; null: all time has none.
export function periodBefore(period) {
  return period.from && {from: dayName(midnight(period.from, -period.days)),
    to: dayName(midnight(period.from, -1)), days: period.days};
}

export function lastYear(period) {
  return {from: dayName(midnight(period.to, -371)), to: period.to, days: 372};
}

// Minutes east of UTC, as the server takes them.
function zone() {
  const east = -new Date().getTimezoneOffset();
  return {zone: Math.abs(east), west: east < 0 ? 'true' : null};
}

export function filtersOf(query) {
  return Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
}

// {columns, rows, totals} of the server, and `list`: the rows as objects.
export async function usage(by, period, filters, signal) {
  const got = await api.get('/v1/stats/usage', {by, ...zone(), ...filters,
    from: period.from && seconds(midnight(period.from)),
    to: seconds(midnight(period.to, 1))}, {signal});
  return {...got, list: objectsOf(got)};
}

export function sessionOf(id, signal) {
  return api.get(`/v1/sessions/${encodeURIComponent(id)}`, null, {signal});
}

// What uses space; of tenants that may not see all of it, their own share.
export async function storage(signal) {
  try {
    return await api.get('/v1/stats/storage', null, {signal});
  } catch (error) {
    if (error.status !== 403)
      throw error;
    const own = await api.get('/v1/usage', null, {signal});
    return {kinds: [{kind: 'artifacts', bytes: own.bytes_used, n: own.artifacts}], own};
  }
}

// ---- columns over time -----------------------------------------------------------------

// Names of the columns of a chart over a period: days, weeks by their Monday, or months.
export function bucketing(period, firstDay) {
  const from = period.from || firstDay || period.to;
  const days = dayDistance(from, period.to) + 1;
  const monday = (name) => {
    const date = midnight(name);
    return dayName(midnight(name, -((date.getDay() + 6) % 7)));
  };
  const of = days <= 100 ? (name) => name : days <= 750 ? monday : (name) => name.slice(0, 7);
  const names = [];
  for (let i = 0; i < days; i++) {
    const name = of(dayName(midnight(from, i)));
    if (names[names.length - 1] !== name)
      names.push(name);
  }
  return {names, of, unit: days <= 100 ? 'day' : days <= 750 ? 'week' : 'month'};
}

// Series by `key` over the buckets, the largest first; beyond `most` they are one.
export function seriesOf(list, key, value, buckets, most = 7) {
  const index = new Map(buckets.names.map((name, i) => [name, i]));
  const all = new Map();
  for (const row of list) {
    const amount = value(row);
    const at = index.get(buckets.of(row.day));
    if (!amount || at === undefined)
      continue;
    const name = row[key] || 'none';
    if (!all.has(name))
      all.set(name, {name, values: new Array(buckets.names.length).fill(0), sum: 0});
    all.get(name).values[at] += amount;
    all.get(name).sum += amount;
  }
  const sorted = [...all.values()].sort((a, b) => b.sum - a.sum);
  const rest = sorted.slice(most);
  if (rest.length < 2)
    return sorted;
  return [...sorted.slice(0, most), {name: `${rest.length} others`, class: 'series-other',
    values: buckets.names.map((_, i) => rest.reduce((n, s) => n + s.values[i], 0)),
    sum: rest.reduce((n, s) => n + s.sum, 0)}];
}

// How the cost is known: reported by agents, computed from list prices, partial, unknown.
export function costSource(row) {
  return row.cost_source ||
    (row.cost_micro_usd ? (row.unpriced_tokens ? 'partial' : 'reported') : 'unknown');
}

export function tokens(row) {
  return row.input_tokens + row.output_tokens + row.cache_read_tokens + row.cache_write_tokens;
}
