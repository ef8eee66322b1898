// The ledger of imports: which files of other agents became which sessions, and how far.

import {el, plain, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {href} from '../core/router.js';
import {empty} from '../core/ui.js';
import {ago, bytes, count, time} from '../core/format.js';
import {load} from '../core/page.js';
import {sortableTable} from '../core/table.js';

const MOST = 50000;

async function ask(signal) {
  const files = [];
  let cursor = null;
  do {
    const got = await api.get('/v1/import/ledger', {limit: 1000, cursor}, {signal});
    files.push(...got.files);
    cursor = got.next_cursor;
  } while (cursor && files.length < MOST);
  return files;
}

function columns() {
  return [
    {id: 'agent', label: 'Agent', width: '110px', value: (f) => f.agent, render: (f) => plain(f.agent)},
    {id: 'source', label: 'File', width: 'minmax(140px, 3fr)', small: true, value: (f) => f.source,
      render: (f) => el('span', {title: plain(f.source)}, plain(f.source))},
    {id: 'title', label: 'Session', width: 'minmax(100px, 2fr)', value: (f) => f.title || '', render: (f) => plain(f.title) || f.session},
    {id: 'entries', label: 'Entries', width: '72px', numeric: true, first: 'desc', value: (f) => f.entries, render: (f) => count(f.entries)},
    {id: 'bytes', label: 'Size', width: '76px', numeric: true, first: 'desc', value: (f) => f.bytes, render: (f) => bytes(f.bytes)},
    {id: 'problems', label: 'Problems', width: '80px', numeric: true, small: true, first: 'desc', value: (f) => f.problems,
      render: (f) => f.problems ? el('span', {class: 'warn'}, count(f.problems)) : '0'},
    {id: 'imported', label: 'Imported', width: '96px', first: 'desc', value: (f) => f.imported_at,
      render: (f) => el('time', {title: time(f.imported_at)}, ago(f.imported_at))}];
}

export function imports(host, {signal}) {
  if (api.token.startsWith('qra_')) {
    replace(host, empty('Imports belong to a tenant', 'log in with a tenant’s token to see its ledger'));
    return null;
  }
  let table = null;
  load(host, () => ask(signal), (files) => {
    if (!files.length)
      return empty('Nothing was imported', 'quire import reads the sessions of other agents on this machine');
    table = sortableTable({label: 'imported files', rows: files, key: (f) => f.source, columns: columns(),
      sort: {id: 'imported', descending: true}, href: (f) => href(['session', f.session])});
    table.node.classList.add('tall-table');
    return table.node;
  });
  return () => table && table.destroy();
}
