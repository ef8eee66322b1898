// Settings of the home, quotas among them: where each value comes from, and another one.

import {el, icon} from '../core/dom.js';
import {api} from '../core/api.js';
import {promptDialog, toast, toastError} from '../core/ui.js';
import {bytes} from '../core/format.js';
import {load, plainTable} from '../core/page.js';

// Limits are given in powers of two.
export function sizeText(n) {
  const unit = [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']].find(([size]) => n >= size && n % size === 0);
  return unit ? `${n / unit[0]} ${unit[1]}` : bytes(n);
}

function valueText(s) {
  return s.key.startsWith('quota.') || s.key === 'blob.inline' ? sizeText(Number(s.value)) : s.value;
}

async function change(s, value, redraw) {
  try {
    await api.send('PUT', '/v1/admin/settings', {key: s.key, value});
    toast(`${s.key} is ${value === null ? 'its default again' : 'changed'}`);
    redraw();
  } catch (error) {
    toastError(error);
  }
}

async function edit(s, redraw) {
  const value = await promptDialog({title: s.key, label: s.about, value: s.value, ok: 'Save',
    hint: `default: ${s.default}; it holds for all tenants`});
  if (value != null && value !== s.value)
    change(s, value, redraw);
}

function buttons(s, redraw) {
  const fixed = s.from === 'environment';
  return el('div', {class: 'row'},
    el('button', {type: 'button', disabled: fixed, title: fixed ? 'a variable of the server’s environment sets it' : null,
      'aria-label': `change ${s.key}`, on: {click: () => edit(s, redraw)}}, icon('edit'), 'Change'),
    s.from === 'quire.db' ? el('button', {type: 'button', on: {click: () => change(s, null, redraw)}}, 'Default') : null);
}

export function settingsTab(host, {signal}) {
  const redraw = () => load(host, () => api.get('/v1/admin/settings', null, {signal}), (got) =>
    el('section', {class: 'card'}, plainTable('settings', [
      {label: 'Setting', render: (s) => el('code', s.key)},
      {label: 'Value', render: (s) => el('strong', valueText(s))},
      {label: 'From', render: (s) => s.from === 'quire.db' ? 'set in the home' : s.from},
      {label: 'Meaning', render: (s) => s.about},
      {label: '', render: (s) => buttons(s, redraw)}], got.settings),
    el('p', {class: 'dim small'}, 'Defaults of quotas depend on the tenant: those shown are of the tenant default. Each change is in the audit log.')));
  redraw();
}
