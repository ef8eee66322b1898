// One memory entry: its text, validity, where it comes from, what it is related to.

import {el, icon, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {href} from '../core/router.js';
import {iconButton} from '../core/ui.js';
import {time} from '../core/format.js';
import {facts} from '../core/page.js';
import {markdown} from '../core/markdown.js';
import {editEntry, invalidateEntry, relateEntry, removeEntry, removeRelation} from './edit.js';

const SESSION = /^quire:\/\/session\/([0-9A-Za-z-]+)(?:#([0-9A-Za-z]+))?$/;

// A source that is an address of an entry leads there.
function sourceNode(source) {
  const found = SESSION.exec(source || '');
  return found ? el('a', {href: href(['session', found[1], found[2]].filter(Boolean))}, source) : source;
}

export function validity(entry) {
  return entry.valid_to ? `${time(entry.valid_from)} to ${time(entry.valid_to)}` : `since ${time(entry.valid_from)}`;
}

function relationRow(relation, entry, others, o) {
  const out = relation.source_id === entry.id;
  const other = others.get(out ? relation.target_id : relation.source_id);
  const id = out ? relation.target_id : relation.source_id;
  const name = relation.relation.replace('_', ' ');
  return el('li', {class: 'relation-row'}, icon(out ? 'right' : 'left'), out ? el('span', {class: 'dim'}, name) : null,
    el('a', {class: 'ellipsis', href: href(['memory', String(id)], o.keep)}, other ? plain(other.title) : `#${id}`),
    out ? null : el('span', {class: 'dim'}, `${name} this`), el('span', {class: 'grow'}),
    o.mayWrite ? iconButton('close', `remove the relation ${name} #${id}`, async () => {
      if (await removeRelation(relation))
        o.changed();
    }) : null);
}

// The entry and its neighbours, as of a time.
export async function askEntry(id, asOf, signal) {
  const [entry, graph] = await Promise.all([
    api.get(`/v1/memory/entries/${encodeURIComponent(id)}`, {as_of: asOf}, {signal}),
    api.get('/v1/memory/graph', {around: id, depth: 1, limit: 100}, {signal}).catch(() => ({entries: [], relations: []}))]);
  return {entry, others: new Map(graph.entries.map((e) => [e.id, e])),
    relations: graph.relations.filter((r) => r.source_id === entry.id || r.target_id === entry.id)};
}

function actions(entry, o) {
  const then = (run) => async () => {
    if (await run(entry))
      o.changed();
  };
  return el('div', {class: 'page-actions'},
    el('button', {type: 'button', on: {click: then(editEntry)}}, icon('edit'), 'Edit'),
    el('button', {type: 'button', on: {click: then(relateEntry)}}, icon('branch'), 'Relate'),
    entry.valid_to ? null : el('button', {type: 'button', on: {click: then(invalidateEntry)}}, icon('clock'), 'Invalidate'),
    iconButton('trash', 'remove the entry', async () => {
      if (await removeEntry(entry))
        o.removed();
    }));
}

// `o`: mayWrite, keep (parameters of links), changed(), removed(), close.
export function entryView({entry, others, relations}, o) {
  return el('article', {class: 'memory-entry', 'aria-label': plain(entry.title)},
    el('header', {class: 'row wrap'}, el('span', {class: 'chip'}, entry.type), el('h2', {class: 'grow'}, plain(entry.title)),
      iconButton('close', 'close the entry', o.close)),
    o.mayWrite ? actions(entry, o) : null,
    entry.content ? el('div', {class: 'md'}, markdown(entry.content)) : null,
    facts([['valid', validity(entry)], ['number', `#${entry.id}`], ['changed', time(entry.updated_at)],
      ['tags', entry.tags.length ? entry.tags.map((t) => [el('a', {class: 'chip', href: href('/memory', {...o.keep, tag: t})}, plain(t)), ' ']) : null],
      ['source', sourceNode(entry.source)],
      ['session', entry.conversation_id ? el('a', {href: href(['session', String(entry.conversation_id)])}, `#${entry.conversation_id}`) : null],
      ['artifact', entry.artifact_id ? el('a', {href: href(['artifact', String(entry.artifact_id)])}, `#${entry.artifact_id}`) : null]]),
    el('h3', 'Relations'), relations.length
      ? el('ul', {class: 'relations'}, relations.map((r) => relationRow(r, entry, others, o)))
      : el('p', {class: 'dim small'}, 'none'));
}
