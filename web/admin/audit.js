// The audit log: changes of tenants, tokens and settings, the last first.

import {el, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {errorBox} from '../core/ui.js';
import {time} from '../core/format.js';
import {load, plainTable} from '../core/page.js';

const PAGE = 100;

function changeText(entry) {
  const text = (value) => value == null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return [text(entry.before), text(entry.after)].filter(Boolean).map(plain).join(' → ');
}

function table(entries) {
  return plainTable('audit log', [
    {label: 'When', render: (e) => time(e.created_at)}, {label: 'Who', render: (e) => plain(e.actor)},
    {label: 'What', render: (e) => el('span', {class: 'chip'}, e.event)}, {label: 'Of', render: (e) => plain(e.name)},
    {label: 'Change', render: (e) => el('code', {class: 'small'}, changeText(e))}], entries);
}

function more(host, before, signal) {
  const button = el('button', {type: 'button', on: {click: async () => {
    button.disabled = true;
    try {
      const got = await api.get('/v1/admin/audit', {limit: PAGE, before_id: before}, {signal});
      button.replaceWith(...page(host, got, signal));
    } catch (error) {
      button.replaceWith(errorBox(error));
    }
  }}}, 'Older changes');
  return button;
}

function page(host, got, signal) {
  return [el('section', {class: 'card'}, table(got.entries)), got.next_before_id ? more(host, got.next_before_id, signal) : '']
    .filter(Boolean);
}

export function audit(host, {signal}) {
  load(host, () => api.get('/v1/admin/audit', {limit: PAGE}, {signal}), (got) => page(host, got, signal));
}
