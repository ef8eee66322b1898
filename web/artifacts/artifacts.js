// Artifacts: all of them as a table or as a tree of names; one of them (artifact.js).

import {el, icon, plain, replace} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {go, href, setQuery} from '../core/router.js';
import {events} from '../core/events.js';
import {empty} from '../core/ui.js';
import {ago, bytes, count, time} from '../core/format.js';
import {afterPause, load, objectsOf, pageHead, segments} from '../core/page.js';
import {sortableTable} from '../core/table.js';
import {restoreDeleted, showArtifact} from './artifact.js';

const PAGE = 1000;
const MOST = 20000;

async function askAll(deleted, signal) {
  const all = [];
  let cursor = null;
  do {
    const got = await api.get('/v1/artifacts', {limit: PAGE, cursor, deleted}, {signal});
    all.push(...got.artifacts);
    cursor = got.next_cursor;
  } while (cursor && all.length < MOST);
  return {all, isCut: Boolean(cursor)};
}

function titlesOf(sessions) {
  return new Map(objectsOf(sessions).map((s) => [s.number, plain(s.title || s.first) || s.session]));
}

class List {
  constructor(host, route, signal) {
    Object.assign(this, {host, signal, query: route.query});
    this.filter = el('input', {type: 'search', class: 'grow', placeholder: 'filter by name, tag, type or session',
      'aria-label': 'filter', value: route.query.get('filter') || ''});
    this.filter.addEventListener('input', afterPause(() => setQuery({filter: this.filter.value.trim() || null})));
    this.tools = el('div', {class: 'list-tools'});
    this.body = el('div', {class: 'list-body'});
    replace(host, el('div', {class: 'page-inner page-full'}, pageHead('Artifacts',
      el('a', {class: 'button', href: href('/search', {kind: 'artifact'})}, icon('search'), 'Search their content')),
    this.tools, this.body));
    this.off = events.on('artifact', afterPause(() => this.load({quiet: true}), 400));
  }

  async load(options) {
    const deleted = this.query.get('deleted');
    await load(this.body, async () => {
      const [got, sessions, who] = await Promise.all([askAll(deleted, this.signal),
        api.get('/v1/stats/sessions', null, {signal: this.signal}), me()]);
      Object.assign(this, {...got, titles: titlesOf(sessions), mayWrite: who.may_write, deleted});
      return got;
    }, () => null, options);
    if (this.all)
      this.draw();
  }

  update(route) {
    if (route.parts[0] !== 'artifacts')
      return false;
    this.query = route.query;
    if (this.query.get('deleted') !== this.deleted)
      this.load();
    else
      this.draw();
    return true;
  }

  drawTools(shown) {
    const set = (changes) => setQuery(changes, {replace: false});
    const tag = this.query.get('tag');
    replace(this.tools, this.filter,
      segments('form', [{value: 'list', label: 'List'}, {value: 'tree', label: 'Tree'}], this.query.get('view') || 'list',
        (view) => set({view: view === 'list' ? null : view})),
      segments('which', [{value: 'live', label: 'Current'}, {value: 'deleted', label: 'Deleted'}],
        this.deleted ? 'deleted' : 'live', (which) => set({deleted: which === 'deleted' ? 'true' : null})),
      tag ? el('button', {type: 'button', class: 'filter-chip', on: {click: () => set({tag: null})}},
        el('span', {class: 'dim'}, 'tag'), plain(tag), icon('close')) : null,
      el('span', {class: 'dim small num'}, `${count(shown.length)} of ${count(this.all.length)}${this.isCut ? '+' : ''}, ` +
        bytes(shown.reduce((n, a) => n + a.size, 0))));
  }

  shown() {
    const words = (this.query.get('filter') || '').toLowerCase().split(/\s+/).filter(Boolean);
    const tag = this.query.get('tag');
    return this.all.filter((a) => {
      const text = `${a.path} ${a.tags.join(' ')} ${a.mime_type} ${this.titles.get(a.conversation_id) || ''}`.toLowerCase();
      return words.every((w) => text.includes(w)) && (!tag || a.tags.includes(tag));
    });
  }

  draw() {
    const shown = this.shown();
    this.drawTools(shown);
    if (this.table)
      this.table.destroy();
    this.table = null;
    if (!shown.length)
      replace(this.body, this.all.length ? empty('No artifact matches', 'change the filter')
        : this.deleted ? empty('Nothing was deleted') : empty('No artifacts yet',
          'agents write them with the tool workspace; quire artifact put does, too'));
    else if (this.query.get('view') === 'tree')
      replace(this.body, el('div', {class: 'card artifact-tree'}, treeNodes(shown, (a) => this.address(a))));
    else
      this.drawTable(shown);
  }

  address(a) {
    return this.deleted ? null : href(['artifact', String(a.id)]);
  }

  drawTable(rows) {
    this.table = sortableTable({label: 'artifacts', rows, key: (a) => a.id,
      sort: this.sort || {id: 'changed', descending: true}, onSort: (sort) => {
        this.sort = sort;
      },
      href: this.deleted ? null : (a) => this.address(a), columns: [
        {id: 'path', label: 'Name', width: 'minmax(120px, 3fr)', small: true, value: (a) => a.path,
          render: (a) => plain(a.path)},
        {id: 'session', label: 'Session', width: 'minmax(80px, 2fr)', value: (a) => this.titles.get(a.conversation_id) || '',
          render: (a) => this.titles.get(a.conversation_id) || `#${a.conversation_id}`},
        {id: 'tags', label: 'Tags', width: 'minmax(60px, 1fr)', value: (a) => a.tags.join(' '),
          render: (a) => a.tags.map((t) => [el('span', {class: 'chip'}, plain(t)), ' '])},
        {id: 'type', label: 'Type', width: 'minmax(70px, 1fr)', value: (a) => a.mime_type},
        {id: 'version', label: 'Versions', width: '68px', numeric: true, first: 'desc', value: (a) => a.version},
        {id: 'size', label: 'Size', width: '72px', numeric: true, small: true, first: 'desc', value: (a) => a.size,
          render: (a) => bytes(a.size)},
        {id: 'changed', label: 'Changed', width: '92px', first: 'desc', value: (a) => a.updated_at,
          render: (a) => el('time', {title: time(a.updated_at)}, ago(a.updated_at))},
        ...this.deleted ? [{id: 'restore', label: '', width: '84px', small: true, render: (a) =>
          el('button', {type: 'button', disabled: !this.mayWrite, on: {click: () => restoreDeleted(a)}}, 'Restore')}] : []]});
    replace(this.body, this.table.node);
    this.body.classList.add('has-table');
  }

  close() {
    this.off();
    if (this.table)
      this.table.destroy();
  }
}

// Names of directories and files, as nested lists that open.
function treeNodes(artifacts, address) {
  const root = new Map();
  for (const a of artifacts) {
    const parts = a.path.split('/');
    let at = root;
    for (const part of parts.slice(0, -1)) {
      if (!(at.get(part) instanceof Map))
        at.set(part, new Map());
      at = at.get(part);
    }
    const name = parts[parts.length - 1];
    at.set(`${name}\0${a.id}`, a);
  }
  const list = (map, depth) => el('ul', {class: 'tree-list'}, [...map].sort((a, b) =>
    (b[1] instanceof Map) - (a[1] instanceof Map) || a[0].localeCompare(b[0])).map(([name, value]) => {
    if (!(value instanceof Map))
      return el('li', icon('artifacts'), ' ', address(value) ? el('a', {href: address(value)}, plain(name.split('\0')[0]))
        : plain(name.split('\0')[0]), el('span', {class: 'dim small'}, ` ${bytes(value.size)}, ${ago(value.updated_at)}`));
    const inner = el('details', el('summary', icon('folder'), ' ', plain(name), el('span', {class: 'dim small'}, ` ${value.size}`)),
      list(value, depth + 1));
    inner.open = depth < 1 || map.size === 1;
    return el('li', inner);
  }));
  return list(root, 0);
}

async function showList(host, route, signal) {
  const page = new List(host, route, signal);
  await page.load();
  return {title: 'Artifacts', update: (next) => page.update(next), close: () => page.close(), keys: [
    {keys: ['j', 'ArrowDown'], label: 'next', run: () => page.table && page.table.move(1)},
    {keys: ['k', 'ArrowUp'], label: 'previous', run: () => page.table && page.table.move(-1)},
    {keys: 'Enter', label: 'open', run: () => page.table && page.table.open()},
    {keys: 'f', label: 'filter', run: () => page.filter.focus()},
    {keys: 't', label: 'tree or list', run: () => setQuery({view: page.query.get('view') ? null : 'tree'})},
  ]};
}

export function show(host, route, signal) {
  if (route.parts[0] === 'artifact' && !route.parts[1])
    go('/artifacts', null, {replace: true});
  return route.parts[0] === 'artifact' && route.parts[1] ? showArtifact(host, route, signal) : showList(host, route, signal);
}
