// Maintenance: a collection that is tried before it is run, a check whose findings lead to
// what they are about, and a rebuild of derived data.

import {el, icon, plain, replace, visible} from '../core/dom.js';
import {api} from '../core/api.js';
import {href} from '../core/router.js';
import {confirmDialog, errorBox, spinner, toast} from '../core/ui.js';
import {bytes, count, duration} from '../core/format.js';
import {choice, facts, plainTable} from '../core/page.js';

function card(title, about, ...children) {
  return el('section', {class: 'card maintenance'}, el('h2', title), el('p', {class: 'dim'}, about), children);
}

// Run while the button is disabled; what came of it, or why not, is shown in `result`.
async function run(button, result, ask, draw) {
  button.disabled = true;
  replace(result, spinner('working'));
  try {
    replace(result, draw(await ask()));
  } catch (error) {
    replace(result, errorBox(error));
  }
  button.disabled = false;
}

// ---- collection ------------------------------------------------------------------------

function reportNode(r) {
  return facts([['blobs', `${count(r.scanned)}, ${count(r.referenced)} in use`],
    [r.dry_run ? 'would be removed' : 'removed', `${count(r.removed)}, ${bytes(r.freed_bytes)}`],
    ['within their grace time', count(r.waiting)], ['old versions', count(r.versions)], ['artifacts purged', count(r.purged)],
    ['directories of removed sessions', count(r.orphans)], ['temporary files', count(r.litter)],
    ['returned to the system', r.returned_bytes ? bytes(r.returned_bytes) : null]]);
}

function collection() {
  const result = el('div', {class: 'result', 'aria-live': 'polite'});
  const full = el('input', {type: 'checkbox'});
  const body = () => ({full: full.checked});
  const really = el('button', {type: 'button', class: 'danger', disabled: true}, icon('trash'), 'Collect');
  let refused = false;
  const drawn = (report) => {
    really.disabled = false;
    refused = report.refused;
    return [refused ? el('p', {class: 'warn'}, 'More than half of the blobs would go. To collect must be confirmed by name.') : null, reportNode(report)];
  };
  const dry = el('button', {type: 'button', class: 'primary', on: {click: () => run(dry, result,
    () => api.send('POST', '/v1/admin/gc', {...body(), dry_run: true}), drawn)}}, 'Dry run');
  really.addEventListener('click', async () => {
    const ok = await confirmDialog({title: 'Collect', label: 'Collect', typed: 'gc',
      text: 'What the dry run counted is removed for good; what has become referenced since stays.'});
    if (ok)
      await run(really, result, () => api.send('POST', '/v1/admin/gc', {...body(), yes: refused}), (r) => {
        toast(`${bytes(r.freed_bytes)} freed`);
        return reportNode(r);
      });
  });
  return card('Collection', 'Removes content that nothing refers to, after its grace time. First a dry run, then the collection.',
    el('div', {class: 'row wrap'}, dry, really, el('label', {class: 'field'}, full, 'read every file again')), result);
}

// ---- check -----------------------------------------------------------------------------

// Where a finding is: the session of a file, a memory entry, an artifact.
function placeNode(p) {
  const session = /([0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16})(?:\.jsonl|\/|$)/i.exec(p.where);
  const memory = /^mem:(\d+)$/.exec(p.where);
  const artifact = /^artifact #?(\d+)$/.exec(p.where);
  const to = session ? ['session', session[1]] : memory ? ['memory', memory[1]] : artifact ? ['artifact', artifact[1]] : null;
  const text = plain(p.where) + (p.line ? `, line ${p.line}` : '');
  return to ? el('a', {href: href(to)}, text) : text;
}

function findings(got) {
  return [
    el('p', got.complete ? el('span', {class: got.n_problems ? 'warn' : 'ok'}, got.n_problems ? `${count(got.n_problems)} problems` : 'No problems')
      : el('span', {class: 'warn'}, `The time was up: ${count(got.n_problems)} problems so far`),
    el('span', {class: 'dim'}, ` in ${count(got.sessions)} sessions, ${count(got.blobs)} blobs, ${count(got.references)} references`)),
    got.problems.length ? plainTable('problems', [
      {label: 'Where', render: placeNode}, {label: 'Kind', render: (p) => el('span', {class: 'chip'}, p.kind)},
      {label: 'What', render: (p) => visible(p.message)}, {label: 'What to do', render: (p) => visible(p.next)}], got.problems) : null];
}

function check() {
  const result = el('div', {class: 'result', 'aria-live': 'polite'});
  let depth = 'quick', seconds = '20';
  const button = el('button', {type: 'button', class: 'primary', on: {click: () => run(button, result,
    () => api.get('/v1/admin/check', {depth, seconds}), findings)}}, icon('check'), 'Check');
  return card('Check', 'Reads the catalogue, every line of every session, every referenced content. Changes nothing.',
    el('div', {class: 'row wrap'}, button,
      choice('How deep', [{value: 'quick', label: 'quick: presence and size of content'}, {value: 'usual', label: 'usual: content, too'},
        {value: 'full', label: 'full: every index and counter, too'}], depth, (value) => {
        depth = value;
      }),
      choice('At most', ['20', '60', '300'].map((value) => ({value, label: `${value} s`})), seconds, (value) => {
        seconds = value;
      })), result);
}

// ---- derived data ----------------------------------------------------------------------

function reindex() {
  const result = el('div', {class: 'result', 'aria-live': 'polite'});
  const button = el('button', {type: 'button', on: {click: async () => {
    if (await confirmDialog({title: 'Rebuild derived data', label: 'Rebuild',
      text: 'Search indexes, lists, totals and counters of all tenants. Reading goes on meanwhile, writers wait.'}))
      run(button, result, () => api.send('POST', '/v1/admin/reindex', {}), (r) => el('p', {class: 'ok'}, `rebuilt in ${duration(r.duration_ms)}`));
  }}}, icon('restore'), 'Rebuild');
  return card('Derived data', 'Search indexes, lists and totals of sessions, counters: from what is stored.', el('div', {class: 'row'}, button), result);
}

export function maintenance(host) {
  replace(host, collection(), check(), reindex());
}
