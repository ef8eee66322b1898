// The filter of the list of sessions: words, and pairs such as agent:codex. It is a text,
// so it stands in the address, can be typed, saved and sent to others; the menus of the
// page edit that text.

const UNITS = {k: 1e3, m: 1e6, g: 1e9};
const SPANS = {min: 60, h: 3600, d: 86400, w: 604800, mo: 2629800, y: 31557600};
const FLAGS = {
  errors: (s) => s.tool_errors > 0,
  images: (s) => s.images > 0,
  branches: (s) => s.branches > 0,
  compactions: (s) => s.compactions > 0,
  parent: (s) => Boolean(s.parent),
};

export const HELP = [
  ['words', 'in title, first prompt, directory, agent, model or id'],
  ['agent:codex  project:shop  model:opus', 'part of a name; a blank needs quotes'],
  ['has:errors  has:images  has:branches  has:compactions', 'what it holds'],
  ['is:archived  is:all  is:short  is:working', 'archived ones, all, those with one message, those at work'],
  ['is:pinned  is:held', 'those that were pinned; those that cannot be removed'],
  ['since:7d  before:30d  since:2026-02-01', 'last changed then'],
  ['cost:>1  size:>10M  tokens:>100k  messages:<20', 'more or less than'],
  ['-word  -agent:codex', 'not these'],
];

export function split(text) {
  return [...text.matchAll(/-?(?:[a-z]+:)?(?:"[^"]*"?|[^\s"]+)/gi)].map((m) => m[0]);
}

function amount(text) {
  const found = /^([<>]=?)?(\d+(?:\.\d+)?)([kmg])?b?$/i.exec(text);
  return found && {less: (found[1] || '').startsWith('<'),
    n: Number(found[2]) * (found[3] ? UNITS[found[3].toLowerCase()] : 1)};
}

function when(text, now) {
  const span = /^(\d+)(min|h|d|w|mo|y)$/.exec(text);
  if (span)
    return now - Number(span[1]) * SPANS[span[2]];
  const ms = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? text + 'T00:00' : text);
  return Number.isNaN(ms) ? null : ms / 1000;
}

function compare(value, get) {
  const a = amount(value);
  return a && ((s) => (a.less ? get(s) < a.n : get(s) >= a.n));
}

function contains(get, value) {
  return (s) => (get(s) || '').toLowerCase().includes(value);
}

// null: it has no meaning.
function pair(key, value, now) {
  const at = when(value, now);
  switch (key) {
  case 'agent': return contains((s) => s.agent || 'quire', value);
  case 'project': return contains((s) => s.project, value);
  case 'model': return contains((s) => s.model, value);
  case 'has': return FLAGS[value] || null;
  case 'since': return at && ((s) => s.updated_at >= at);
  case 'before': return at && ((s) => s.updated_at < at);
  case 'cost': return compare(value, (s) => (s.cost_micro_usd || 0) / 1e6);
  case 'size': return compare(value, (s) => s.bytes);
  case 'messages': return compare(value, (s) => s.messages);
  case 'tokens': return compare(value, (s) => s.input_tokens + s.output_tokens + s.cached_tokens);
  default: return null;
  }
}

function words(s) {
  if (!s.haystack)
    s.haystack = `${s.title} ${s.first} ${s.project} ${s.agent} ${s.model} ${s.session}`.toLowerCase();
  return s.haystack;
}

function test(part, now) {
  const not = part.length > 1 && part.startsWith('-');
  const text = not ? part.slice(1) : part;
  const at = text.indexOf(':');
  const value = text.slice(at + 1).replace(/"/g, '').toLowerCase();
  const run = (at > 0 && pair(text.slice(0, at).toLowerCase(), value, now)) ||
    ((s) => words(s).includes(text.replace(/"/g, '').toLowerCase()));
  return not ? (s) => !run(s) : run;
}

export function isWorking(s, now = Date.now() / 1000) {
  return now - s.updated_at < 60;
}

// Archived sessions, and those with a single message, are hidden unless asked for.
export function compile(text) {
  const now = Date.now() / 1000;
  const parts = split(text);
  const is = (name) => parts.includes(`is:${name}`);
  const tests = parts.filter((p) => !/^-?is:/.test(p)).map((p) => test(p, now));
  if (is('archived'))
    tests.push((s) => s.archived);
  else if (!is('all'))
    tests.push((s) => !s.archived);
  if (is('working'))
    tests.push((s) => isWorking(s, now));
  if (is('pinned'))
    tests.push((s) => s.pinned);
  if (is('held'))
    tests.push((s) => s.hold_reason);
  if (!is('short') && !is('all'))
    tests.push((s) => s.messages > 1 || s.pinned || isWorking(s, now));
  return (s) => tests.every((one) => one(s));
}

// The text with the pair `key:value`; without it if `value` is null.
export function setPart(text, key, value) {
  const rest = split(text).filter((p) => !p.startsWith(key + ':'));
  if (value != null)
    rest.push(`${key}:${/\s/.test(value) ? `"${value}"` : value}`);
  return rest.join(' ');
}

export function toggle(text, part) {
  const parts = split(text);
  return (parts.includes(part) ? parts.filter((p) => p !== part) : [...parts, part]).join(' ');
}

export function has(text, part) {
  return split(text).includes(part);
}
