// Numbers and times as text.

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
const STEPS = [[60, 's'], [60, 'min'], [24, 'h'], [7, 'd'], [4.35, 'w'], [12, 'mo'], [Infinity, 'y']];

export function bytes(n) {
  if (n == null)
    return '–';
  let unit = 0;
  for (; n >= 1000 && unit < UNITS.length - 1; unit++)
    n /= 1000;
  return `${unit && n < 10 ? n.toFixed(1) : Math.round(n)} ${UNITS[unit]}`;
}

// 1234 → 1,234; 12345 → 12.3k
export function count(n) {
  if (n == null)
    return '–';
  if (Math.abs(n) < 10000)
    return n.toLocaleString('en');
  for (const [size, unit] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (Math.abs(n) >= size)
      return (n / size).toFixed(n / size < 100 ? 1 : 0) + unit;
  return String(n);
}

// `source`: reported, computed, partial or unknown. An amount that is not complete is marked.
export function money(microUsd, source = 'reported') {
  if (microUsd == null || source === 'unknown')
    return '–';
  const usd = microUsd / 1e6;
  const text = usd >= 1000 ? Math.round(usd).toLocaleString('en')
    : usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(usd < 0.01 ? 4 : 3);
  return (source === 'computed' ? '≈\u2009$' : source === 'partial' ? '≥\u2009$' : '$') + text;
}

export function duration(ms) {
  if (ms == null)
    return '–';
  if (ms < 1000)
    return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60)
    return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  const min = Math.floor(s / 60);
  if (min < 60)
    return `${min} min ${Math.round(s % 60)} s`;
  const h = Math.floor(min / 60);
  return h < 48 ? `${h} h ${min % 60} min` : `${Math.round(h / 24)} d`;
}

export function ago(seconds) {
  if (!seconds)
    return '–';
  let n = Math.max(0, Date.now() / 1000 - seconds);
  if (n < 10)
    return 'now';
  for (const [size, unit] of STEPS) {
    if (n < size)
      return `${Math.floor(n)} ${unit} ago`;
    n /= size;
  }
  return '';
}

function pad(n) {
  return String(n).padStart(2, '0');
}

export function day(seconds) {
  const d = new Date(seconds * 1000);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
}

export function clock(seconds) {
  const d = new Date(seconds * 1000);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

export function time(seconds) {
  return seconds ? `${day(seconds)} ${clock(seconds)}` : '–';
}

export function zoneName() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

// n('entry', 2) → 2 entries
export function plural(n, one, many = one + 's') {
  return `${count(n)} ${n === 1 ? one : many}`;
}
