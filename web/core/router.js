// Addresses within the page: #/session/ID/ENTRY?view=tree. Only / is served, so the
// part after # says what is shown.

let listener = null;
let shown = null;

function encode(part) {
  return encodeURIComponent(part).replace(/%3A/gi, ':');
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// `path` is a text such as /session/7, or an array of parts that are not yet encoded.
export function href(path, query) {
  let text = Array.isArray(path) ? '/' + path.map(encode).join('/') : path;
  if (!text.startsWith('/'))
    text = '/' + text;
  const params = query instanceof URLSearchParams ? query : new URLSearchParams();
  if (query && params !== query)
    for (const [name, value] of Object.entries(query))
      for (const one of Array.isArray(value) ? value : [value])
        if (one != null && one !== '')
          params.append(name, one);
  const rest = params.toString();
  return '#' + text + (rest ? '?' + rest : '');
}

export function parse(hash) {
  const text = hash.replace(/^#/, '') || '/';
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  return {
    path,
    parts: path.split('/').filter(Boolean).map(decode),
    query: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)),
  };
}

export function current() {
  return parse(location.hash);
}

function changed() {
  if (location.hash === shown)
    return;
  shown = location.hash;
  if (listener)
    listener(current());
}

export function go(path, query, {replace = false} = {}) {
  const address = href(path, query);
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  changed();
}

// Change the address without showing anything anew: the reader has moved.
export function note(path, query) {
  const address = href(path, query);
  if (address === location.hash)
    return;
  history.replaceState(null, '', address);
  shown = location.hash;
}

// null removes a parameter.
export function setQuery(changes, {replace = true} = {}) {
  const {path, query} = current();
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const one of Array.isArray(value) ? value : [value])
      if (one != null && one !== '')
        query.append(name, one);
  }
  go(path, query, {replace});
}

export function start(onChange) {
  listener = onChange;
  shown = null;
  addEventListener('hashchange', changed);
  addEventListener('popstate', changed);
  changed();
}
