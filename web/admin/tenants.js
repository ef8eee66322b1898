// Tenants: add, disable, a new token, remove; the further tokens of one of them. A token is
// shown once, when it is made.

import {el, icon, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {href} from '../core/router.js';
import {confirmDialog, copy, iconButton, openDialog, promptDialog, toast, toastError} from '../core/ui.js';
import {bytes, count, time} from '../core/format.js';
import {load, plainTable} from '../core/page.js';

function showToken(name, token) {
  const field = el('input', {type: 'text', readonly: true, value: token, class: 'mono token-field', 'aria-label': 'token'});
  openDialog({title: `Token of ${plain(name)}`, body: [
    el('p', 'It is shown only now: the home keeps its hash. Whoever has it may do what the tenant may.'), field],
  buttons: el('button', {type: 'button', class: 'primary', on: {click: () => copy(token, 'token copied')}}, icon('copy'), 'Copy')});
  field.select();
}

async function attempt(run) {
  try {
    await run();
  } catch (error) {
    toastError(error);
  }
}

async function addTenant(redraw) {
  const name = await promptDialog({title: 'Add a tenant', label: 'Name', ok: 'Add', hint: 'sessions, artifacts and memory of a tenant are its own'});
  if (name)
    await attempt(async () => {
      const made = await api.send('POST', '/v1/admin/tenants', {name});
      redraw();
      showToken(made.name, made.token);
    });
}

async function rotate(t, redraw) {
  if (await confirmDialog({title: `New token for ${plain(t.name)}`, text: 'The token it has ends at once; its further tokens stay.',
    typed: t.name, label: 'Replace the token'}))
    await attempt(async () => {
      const got = await api.send('POST', `/v1/admin/tenants/${t.id}/rotate-token`, {});
      redraw();
      showToken(got.name, got.token);
    });
}

async function setDisabled(t, disabled, redraw) {
  if (disabled && !await confirmDialog({title: `Disable ${plain(t.name)}`, typed: t.name, label: 'Disable',
    text: 'Its tokens are refused and its streams end. Its data stays.'}))
    return;
  await attempt(async () => {
    await api.send('PATCH', `/v1/admin/tenants/${t.id}`, {disabled});
    toast(disabled ? 'disabled' : 'enabled');
    redraw();
  });
}

async function removeTenant(t, redraw) {
  if (await confirmDialog({title: `Remove ${plain(t.name)}`, typed: t.name, label: 'Remove it with its data',
    text: 'All of its sessions, artifacts, memory and outputs are removed for good.'}))
    await attempt(async () => {
      await api.send('DELETE', `/v1/admin/tenants/${t.id}?all=true`);
      toast('removed');
      redraw();
    });
}

function tenantButtons(t, redraw) {
  const isDefault = t.id === 1;
  return el('div', {class: 'row'},
    el('a', {class: 'button', href: href(['admin', 'tenants', String(t.id)])}, 'Tokens'),
    el('button', {type: 'button', on: {click: () => rotate(t, redraw)}}, 'New token'),
    isDefault ? null : el('button', {type: 'button', on: {click: () => setDisabled(t, !t.disabled, redraw)}},
      t.disabled ? 'Enable' : 'Disable'),
    isDefault ? null : iconButton('trash', `remove ${plain(t.name)}`, () => removeTenant(t, redraw)));
}

function tenantList(host, signal) {
  const redraw = () => load(host, () => api.get('/v1/admin/tenants', null, {signal}), (got) => [
    el('div', {class: 'list-tools'}, el('button', {type: 'button', class: 'primary', on: {click: () => addTenant(redraw)}},
      icon('plus'), 'Add a tenant')),
    el('section', {class: 'card'}, plainTable('tenants', [
      {label: 'Name', render: (t) => [plain(t.name), t.disabled ? [' ', el('span', {class: 'chip bad'}, 'disabled')] : null]},
      {label: 'Number', numeric: true, render: (t) => String(t.id)},
      {label: 'Artifacts', numeric: true, render: (t) => `${count(t.artifacts)}, ${bytes(t.bytes_used)}`},
      {label: 'Own token', render: (t) => t.has_token ? 'yes' : 'none'},
      {label: 'Added', render: (t) => t.created_at ? time(t.created_at) : 'with the home'},
      {label: '', render: (t) => tenantButtons(t, redraw)}], got.tenants))]);
  redraw();
}

// ---- further tokens --------------------------------------------------------------------

const ENDS = [['', 'never'], ['7', 'in 7 days'], ['30', 'in 30 days'], ['365', 'in a year']];

function tokenForm(t, redraw) {
  const form = el('form', {class: 'row wrap', 'aria-label': 'add a token', on: {submit: (event) => {
    event.preventDefault();
    const values = new FormData(form);
    const days = Number(values.get('days'));
    attempt(async () => {
      const made = await api.send('POST', `/v1/admin/tenants/${t.id}/tokens`, {label: values.get('label'),
        read_only: values.has('read_only'), local: values.has('local'),
        ...days ? {expires_at: Math.floor(Date.now() / 1000) + days * 86400} : {}});
      redraw();
      showToken(`${t.name}: ${made.label}`, made.token);
    });
  }}},
  el('input', {name: 'label', required: true, placeholder: 'name, such as laptop', 'aria-label': 'name of the token', autocomplete: 'off'}),
  el('label', {class: 'field'}, el('input', {type: 'checkbox', name: 'read_only'}), 'may only read'),
  el('label', {class: 'field'}, el('input', {type: 'checkbox', name: 'local'}), 'only on the server’s machine'),
  el('label', {class: 'field'}, 'ends', el('select', {name: 'days', 'aria-label': 'ends'},
    ENDS.map(([value, label]) => el('option', {value}, label)))),
  el('button', {type: 'submit', class: 'primary'}, icon('plus'), 'Add a token'));
  return form;
}

async function removeToken(t, token, redraw) {
  if (await confirmDialog({title: 'Remove the token', text: `${plain(token.label)} is refused from then on.`, danger: true, label: 'Remove'}))
    await attempt(async () => {
      await api.send('DELETE', `/v1/admin/tenants/${t.id}/tokens/${token.id}`);
      redraw();
    });
}

function tokenList(host, id, signal) {
  const path = `/v1/admin/tenants/${encodeURIComponent(id)}`;
  const redraw = () => load(host, async () => {
    const [tenant, got] = await Promise.all([api.get(path, null, {signal}), api.get(`${path}/tokens`, null, {signal})]);
    return {tenant, tokens: got.tokens};
  }, ({tenant, tokens}) => [
    el('h2', el('a', {href: href(['admin', 'tenants'])}, 'Tenants'), ' / ', plain(tenant.name)),
    el('section', {class: 'card'}, el('h3', 'Further tokens'), tokens.length ? plainTable('tokens', [
      {label: 'Name', render: (k) => plain(k.label)},
      {label: 'May', render: (k) => [k.read_only ? 'read' : 'read and write', k.local ? ', on this machine' : '']},
      {label: 'Made', render: (k) => time(k.created_at)},
      {label: 'Ends', render: (k) => k.expires_at ? time(k.expires_at) : 'never'},
      {label: '', render: (k) => iconButton('trash', `remove ${plain(k.label)}`, () => removeToken(tenant, k, redraw))}], tokens)
      : el('p', {class: 'dim'}, 'none besides its own'), tokenForm(tenant, redraw))]);
  redraw();
}

export function tenants(host, {route, signal}) {
  if (route.parts[2])
    tokenList(host, route.parts[2], signal);
  else
    tenantList(host, signal);
}
