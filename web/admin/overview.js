// What the home holds: by kind, by tenant against its quota, and the search index.

import {el, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {href} from '../core/router.js';
import {bytes, count} from '../core/format.js';
import {facts, load, plainTable} from '../core/page.js';
import {bars, meter} from '../core/charts.js';
import {sizeText} from './settings.js';

function kinds(got) {
  return [['sessions', got.total.session_bytes, got.total.sessions], ['outputs', got.total.output_bytes, got.total.outputs],
    ['artifacts', got.total.artifact_bytes, got.total.artifacts], ['blobs, stored', got.stored_bytes, got.blobs],
    ['search index', got.search.bytes, got.search.texts], ['catalogue', got.database_bytes, 1]];
}

function quotaCell(t) {
  if (t.quota_bytes == null)
    return el('span', {class: 'dim'}, 'disabled');
  const text = `${bytes(t.artifact_bytes)} of ${sizeText(t.quota_bytes)}`;
  return el('div', {class: 'quota'}, meter(t.artifact_bytes, t.quota_bytes, text), el('span', {class: 'small dim'}, text));
}

function tenantTable(rows) {
  return plainTable('what tenants hold', [
    {label: 'Tenant', render: (t) => el('a', {href: href(['admin', 'tenants', String(t.id)])}, plain(t.name))},
    {label: 'Sessions', numeric: true, render: (t) => count(t.sessions)},
    {label: 'Their size', numeric: true, render: (t) => bytes(t.session_bytes)},
    {label: 'Messages', numeric: true, render: (t) => count(t.messages)},
    {label: 'Outputs', numeric: true, render: (t) => bytes(t.output_bytes)},
    {label: 'Artifacts', numeric: true, render: (t) => count(t.artifacts)},
    {label: 'Memory', numeric: true, render: (t) => count(t.memories)},
    {label: 'Artifacts against the quota', render: quotaCell}], rows);
}

export function overview(host, {signal}) {
  load(host, async () => {
    const [got, version] = await Promise.all([api.get('/v1/admin/stats', null, {signal}), api.get('/version', null, {signal})]);
    return {...got, version: version.version};
  }, (got) => [
    el('div', {class: 'admin-grid'},
      el('section', {class: 'card'}, el('h2', 'Space'), bars(kinds(got).map(([name, value, n]) =>
        ({name, value, class: 'series-4', text: bytes(value), detail: count(n)})))),
      el('section', {class: 'card'}, el('h2', 'Content and index'), facts([
        ['version', got.version], ['blobs', `${count(got.blobs)}, ${bytes(got.content_bytes)} as ${bytes(got.stored_bytes)}`],
        ['unreferenced', count(got.unreferenced)], ['free in the catalogue', bytes(got.free_bytes)],
        ['texts in the index', count(got.search.texts)], ['their places', count(got.search.places)],
        ['sources indexed', count(got.search.sources)], ['size of the index', bytes(got.search.bytes)]]))),
    el('section', {class: 'card'}, el('h2', 'Tenants'), tenantTable(got.tenants))]);
}
