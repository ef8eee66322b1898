// Requests to the server. The token is in sessionStorage and in the Authorization header,
// nowhere else. Answers with an ETag are kept in memory, bounded, and asked for again
// with If-None-Match.

import {forgetSecrets, hideAll, hideIn, withSecrets} from './secrets.js';

const TOKEN = 'quire.token';
const ADMIN_TOKEN = 'quire.admin_token';
const CACHE_ENTRIES = 48;
const CACHE_BYTES = 12 << 20;
const KEEP_MAX = 4 << 20;

export class ApiError extends Error {
  constructor(status, kind, message, hint) {
    super(message);
    this.status = status;
    this.kind = kind;
    this.hint = hint;
  }
}

const cache = new Map();
let cacheBytes = 0;
let mePromise = null;
let onRefused = () => {};

function forget(url) {
  const old = cache.get(url);
  if (old)
    cacheBytes -= old.size;
  cache.delete(url);
}

function keep(url, etag, text) {
  forget(url);
  if (text.length > KEEP_MAX)
    return;
  cache.set(url, {etag, text, size: text.length});
  cacheBytes += text.length;
  for (const old of cache.keys()) {
    if (cache.size <= CACHE_ENTRIES && cacheBytes <= CACHE_BYTES)
      break;
    forget(old);
  }
}

function address(path, query) {
  if (!query)
    return path;
  const params = new URLSearchParams();
  for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one != null && one !== '')
        params.append(name, withSecrets(String(one)));
  const text = params.toString();
  return text ? path + '?' + text : path;
}

function tokenFor(path) {
  const admin = path.startsWith('/v1/admin/') || path.startsWith('/metrics');
  return (admin && sessionStorage.getItem(ADMIN_TOKEN)) || sessionStorage.getItem(TOKEN) || '';
}

async function failure(answer) {
  let body = {};
  try {
    body = await answer.json();
  } catch {
    // Not from Quire: a proxy's page, or nothing.
  }
  return new ApiError(answer.status, body.kind || 'failed',
    body.error || `the server answered ${answer.status}`, body.hint || '');
}

async function ask(method, path, query, {signal, headers = {}, body} = {}) {
  const url = address(path, query);
  const all = {Authorization: 'Bearer ' + tokenFor(path), ...headers};
  let answer;
  try {
    answer = await fetch(url, {method, headers: all, body, signal, cache: 'no-store',
      credentials: 'omit', redirect: 'error'});
  } catch (error) {
    if (signal && signal.aborted)
      throw error;
    throw new ApiError(0, 'unreachable', 'the server does not answer',
      'start it with `quire serve`, then try again');
  }
  if (answer.ok || answer.status === 304)
    return answer;
  const error = await failure(answer);
  if (answer.status === 401 && !path.startsWith('/v1/admin/'))
    onRefused(error);
  throw error;
}

async function get(path, query, {signal} = {}) {
  const url = address(path, query);
  const known = cache.get(url);
  const answer = await ask('GET', path, query,
    {signal, headers: {'Quire-Mark': 'secrets', ...(known ? {'If-None-Match': known.etag} : {})}});
  if (answer.status === 304 && known) {
    cache.delete(url);
    cache.set(url, known);
    return hideAll(JSON.parse(known.text));
  }
  const etag = answer.headers.get('ETag');
  if (!etag)
    return hideAll(await answer.json());
  const text = await answer.text();
  keep(url, etag, text);
  return hideAll(JSON.parse(text));
}

async function send(method, path, body, {headers = {}, signal} = {}) {
  const raw = body instanceof Blob || body instanceof ArrayBuffer;
  const answer = await ask(method, path, null, {
    signal,
    headers: body == null || raw ? headers : {'Content-Type': 'application/json', ...headers},
    body: body == null ? undefined : raw ? body : JSON.stringify(body, (_, value) => (typeof value === 'string' ? withSecrets(value) : value)),
  });
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

// A text that came as it is, with its secrets hidden.
async function hide(text, {signal} = {}) {
  text = text && text.replace(/[\ud800-\udbff]$/, ''); // half of a character that was cut
  if (!text)
    return text;
  const answer = await ask('POST', '/v1/secrets', null, {signal, headers: {'Content-Type': 'application/json'}, body: JSON.stringify({text})});
  return hideIn(text, (await answer.json()).secrets);
}

export const api = {
  hide,
  get,
  send,
  raw: (path, query, options) => ask('GET', path, query, options),
  async blobUrl(path, options) {
    const answer = await ask('GET', path, null, options);
    return URL.createObjectURL(await answer.blob());
  },
  get token() {
    return sessionStorage.getItem(TOKEN) || '';
  },
  set token(value) {
    mePromise = null;
    cache.clear();
    cacheBytes = 0;
    forgetSecrets();
    if (value)
      sessionStorage.setItem(TOKEN, value);
    else
      sessionStorage.removeItem(TOKEN);
  },
  get adminToken() {
    return sessionStorage.getItem(ADMIN_TOKEN) || '';
  },
  set adminToken(value) {
    mePromise = null;
    if (value)
      sessionStorage.setItem(ADMIN_TOKEN, value);
    else
      sessionStorage.removeItem(ADMIN_TOKEN);
  },
  // Called when the server refuses the token.
  set onRefused(run) {
    onRefused = run;
  },
};

async function askMe() {
  const got = await api.get('/v1/me');
  return {...got, may_write: !got.read_only, is_admin: Boolean(api.adminToken)};
}

// Whose token it is, and what it may do; asked once.
export function me() {
  mePromise = mePromise || askMe().catch((error) => {
    mePromise = null;
    throw error;
  });
  return mePromise;
}
