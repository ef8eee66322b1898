// Secrets in what is shown: hidden until the reader asks for one.
//
// The server says where they stand (`secret_places`; POST /v1/secrets for a text that is no
// JSON). As it arrives, each is replaced by one character of a private plane, which stands for
// it in every text, cut, Markdown or code; el() draws that character as a button. What is sent
// to the server, addresses included, has the secret again. What is copied has it if it was shown.
//
// Content that has such a character itself shows at most a secret of the same page.

const FIRST = 0x100000;
const MOST = 0xfff0;
const STAND_IN = /[\u{100000}-\u{10ffef}]/gu;
const HAS = /[\udbc0-\udbff]/;

const secrets = []; // {text, kind, shown}
const known = new Map();
const encoder = new TextEncoder();

function standIn(text, kind) {
  let i = known.get(text);
  if (i == null) {
    i = secrets.length < MOST ? secrets.length : MOST - 1;
    secrets[i] = {text, kind, shown: false};
    known.set(text, i);
  }
  return String.fromCodePoint(FIRST + i);
}

function secretOf(character) {
  return secrets[character.codePointAt(0) - FIRST] || null;
}

export function hasSecrets(text) {
  return HAS.test(text);
}

function change(text, run) {
  return HAS.test(text) ? text.replace(STAND_IN, (c) => {
    const secret = secretOf(c);
    return secret ? run(secret) : c;
  }) : text;
}

// A text as it is stored.
export function withSecrets(text) {
  return change(text, (s) => s.text);
}

// A text without nodes, such as a title or what is copied.
export function withMasks(text) {
  return change(text, (s) => (s.shown ? s.text : `[hidden: ${s.kind}]`));
}

// ---- what arrives ----------------------------------------------------------------------

// `places`: {at, length, kind}, in order.
export function hideIn(text, places) {
  let out = '';
  let done = 0;
  for (const {at, length, kind} of places) {
    if (at < done || at + length > text.length)
      continue;
    out += text.slice(done, at) + standIn(text.slice(at, at + length), kind);
    done = at + length;
  }
  return out + text.slice(done);
}

// Spans [from, to] within a text, when its secrets are replaced. `size` counts what they count.
function moveSpans(spans, text, places, size) {
  const gone = places.map(({at, length}) => ({from: size(text.slice(0, at)), n: size(text.slice(at, at + length))}));
  const one = size(String.fromCodePoint(FIRST));
  const moved = (offset, isEnd) => {
    let by = 0;
    for (const {from, n} of gone) {
      if (offset >= from + n)
        by += one - n;
      else if (offset > from)
        return from + by + (isEnd ? one : 0);
    }
    return offset + by;
  };
  return spans.map(([from, to]) => [moved(from, false), moved(to, true)]);
}

// What refers to places in a text: bytes of a snippet, UTF-16 units of a line of a diff.
function moveMarks(parent, key, places) {
  if (key === 'snippet' && Array.isArray(parent.matches))
    parent.matches = moveSpans(parent.matches, parent[key], places, (text) => encoder.encode(text).length);
  else if (Array.isArray(parent) && key === '1' && Array.isArray(parent[2]))
    parent[2] = moveSpans(parent[2], parent[key], places, (text) => text.length);
}

function stepsOf(pointer) {
  return pointer.split('/').slice(1).map((s) => s.replace(/~1/g, '/').replace(/~0/g, '~'));
}

// An answer of the server, with its secrets hidden.
export function hideAll(answer) {
  const places = answer && answer.secret_places;
  if (!Array.isArray(places))
    return answer;
  delete answer.secret_places;
  for (let i = 0; i < places.length;) {
    const {pointer} = places[i];
    const here = [];
    while (i < places.length && places[i].pointer === pointer)
      here.push(places[i++]);
    const steps = stepsOf(pointer);
    const key = steps.pop();
    const parent = steps.reduce((value, step) => (value == null ? value : value[step]), answer);
    if (parent == null || typeof parent[key] !== 'string')
      continue;
    moveMarks(parent, key, here);
    parent[key] = hideIn(parent[key], here);
  }
  return answer;
}

// ---- what is shown ---------------------------------------------------------------------

function toggle(secret) {
  secret.shown = !secret.shown;
  for (const node of document.querySelectorAll('.secret'))
    if (node.secret === secret)
      draw(node);
}

function draw(node) {
  const {text, kind, shown} = node.secret;
  node.textContent = shown ? text : kind;
  node.classList.toggle('is-shown', shown);
  node.setAttribute('aria-pressed', String(shown));
  node.setAttribute('aria-label', shown ? `${kind}: hide` : `hidden ${kind}: show`);
  node.title = shown ? 'hide it' : 'a secret: show it';
}

function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

// It may stand within a button or a link: not a button element.
function secretNode(secret) {
  const node = document.createElement('span');
  node.className = 'secret';
  node.secret = secret;
  node.tabIndex = 0;
  node.setAttribute('role', 'button');
  node.addEventListener('click', (event) => {
    stop(event);
    toggle(secret);
  });
  node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ')
      return;
    stop(event);
    toggle(secret);
  });
  draw(node);
  return node;
}

// A text as nodes.
export function secretNodes(text) {
  const nodes = [];
  let done = 0;
  for (const found of text.matchAll(STAND_IN)) {
    const secret = secretOf(found[0]);
    if (!secret)
      continue;
    nodes.push(text.slice(done, found.index), secretNode(secret));
    done = found.index + found[0].length;
  }
  nodes.push(text.slice(done));
  return nodes;
}

// Show the secrets of a part of the page, or hide them if all are shown.
export function toggleSecrets(part) {
  const here = [...new Set([...part.querySelectorAll('.secret')].map((node) => node.secret))];
  const show = here.some((s) => !s.shown);
  here.filter((s) => s.shown !== show).forEach(toggle);
  return here.length;
}

// After a log-out nothing is left of them.
export function forgetSecrets() {
  secrets.length = 0;
  known.clear();
}
