// The list of hits: grouped by session, with the place of the reader in it.

import {el, icon, plain} from '../core/dom.js';
import {href, setQuery} from '../core/router.js';
import {ago, count, time} from '../core/format.js';
import {hitHref, marked} from './marks.js';

export const KINDS = {
  message: ['message', 'sessions'], thinking: ['thinking', 'thinking'], tool_input: ['call', 'tool'],
  tool_result: ['result', 'terminal'], summary: ['summary', 'layers'], title: ['title', 'edit'],
  label: ['label', 'label'], output: ['output', 'outputs'], artifact: ['artifact', 'artifacts'],
  memory: ['memory', 'memory'], history: ['prompt', 'history'],
};

const HOW = {stem: 'another form of the word', prefix: 'the beginning of a word', substring: 'part of a word',
  close: 'most of the words'};

// Consecutive hits of one session belong together.
export function groupHits(hits) {
  const groups = [];
  for (const hit of hits) {
    const last = groups[groups.length - 1];
    if (last && hit.session && last.session === hit.session && !last.isClosed)
      last.hits.push(hit);
    else
      groups.push({session: hit.session || null, hits: [hit], n: hit.in_session || 1});
  }
  return groups;
}

function kindName(hit) {
  const [name, image] = KINDS[hit.kind] || [hit.kind, 'more'];
  const who = hit.tool ? plain(hit.tool) : hit.kind === 'message' && hit.role ? hit.role : null;
  return el('span', {class: 'hit-kind'}, icon(image), who ? `${who} ${name === 'message' ? '' : name}`.trim() : name);
}

function flags(hit) {
  return [
    hit.error ? el('span', {class: 'chip bad'}, 'error') : null,
    hit.active ? null : el('span', {class: 'chip', title: 'not on the current branch of its session'}, 'other branch'),
    HOW[hit.how] ? el('span', {class: 'chip', title: 'how it matched'}, HOW[hit.how]) : null,
  ];
}

function hitNode(hit, i, o) {
  return el('a', {class: i === o.at ? 'hit is-current' : 'hit', id: `hit-${i}`, role: 'option',
    'aria-selected': String(i === o.at), tabindex: '-1', href: hitHref(hit, o.query),
    dataset: {hit: i, kind: hit.kind}, on: {
      mouseenter: () => o.onPoint(i),
    }},
  el('div', {class: 'hit-head'}, kindName(hit), flags(hit),
    hit.kind === 'artifact' || hit.kind === 'memory' ? el('strong', {class: 'ellipsis'}, plain(hit.title)) : null,
    el('span', {class: 'grow'}),
    hit.turn ? el('span', {class: 'dim tiny'}, `turn ${hit.turn}`) : null,
    el('time', {class: 'dim tiny', title: time(hit.created_at)}, ago(hit.created_at))),
  el('div', {class: 'hit-text'}, marked(hit.snippet, hit.matches)));
}

function groupHead(group) {
  const {session, hits: [hit]} = group;
  if (!session || hit.kind === 'artifact' && group.hits.length === 1)
    return null;
  const title = hit.kind === 'artifact' ? null : hit.title;
  return el('header', {class: 'hit-group-head'}, icon('sessions'),
    el('a', {class: 'ellipsis', href: href(['session', session]), tabindex: '-1'}, plain(title) || session),
    hit.agent ? el('span', {class: 'chip'}, plain(hit.agent)) : null,
    el('span', {class: 'dim small ellipsis'}, plain(hit.project)));
}

function moreButton(group) {
  const more = group.n - group.hits.length;
  return more > 0 ? el('button', {type: 'button', class: 'link-button hit-more', tabindex: '-1',
    on: {click: () => setQuery({session: group.session, flat: 'true'}, {replace: false})}},
  `${count(more)} more in this session`) : null;
}

// `o`: at, query, onPoint(i).
export function resultNodes(hits, o) {
  let i = 0;
  return groupHits(hits).map((group) => el('section', {class: 'hit-group', role: 'group',
    'aria-label': plain(group.hits[0].title) || group.hits[0].kind}, groupHead(group),
    group.hits.map((hit) => hitNode(hit, i++, o)), moreButton(group)));
}

export function markCurrent(host, i) {
  const old = host.querySelector('.hit.is-current');
  if (old) {
    old.classList.remove('is-current');
    old.setAttribute('aria-selected', 'false');
  }
  const now = host.querySelector(`[data-hit="${i}"]`);
  if (now) {
    now.classList.add('is-current');
    now.setAttribute('aria-selected', 'true');
  }
  return now;
}
