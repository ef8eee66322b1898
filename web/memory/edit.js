// Writing memory: a form for an entry, and what ends its validity.

import {el, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {confirmDialog, openDialog, toast, toastError} from '../core/ui.js';
import {TYPES} from './graph.js';

export const RELATIONS = ['relates_to', 'refines', 'contradicts', 'supersedes', 'supports'];

function select(name, values, value) {
  return el('select', {name}, values.map((v) => el('option', {value: v, selected: v === value}, v.replace('_', ' '))));
}

// Resolves to the answer of the server, or null. `save(values)` sends.
function formDialog(title, fields, label, save) {
  return new Promise((resolve) => {
    let answer = null;
    const error = el('p', {class: 'bad', role: 'alert'});
    const form = el('form', {on: {submit: async (event) => {
      event.preventDefault();
      try {
        answer = await save(Object.fromEntries(new FormData(form)));
        dialog.close();
      } catch (why) {
        error.textContent = [why.message, why.hint].filter(Boolean).join(': ');
      }
    }}}, fields, error, el('div', {class: 'buttons'},
      el('button', {type: 'button', on: {click: () => dialog.close()}}, 'Cancel'),
      el('button', {type: 'submit', class: 'primary'}, label)));
    const dialog = openDialog({title, body: form, onClose: () => resolve(answer)});
    form.querySelector('input, textarea, select').focus();
  });
}

function tagsOf(text) {
  return text.split(',').map((t) => t.trim()).filter(Boolean);
}

// `entry`: null makes another one.
export function editEntry(entry) {
  const e = entry || {type: 'project', title: '', content: '', tags: [], source: ''};
  const fields = [
    el('label', 'The fact in a line', el('input', {name: 'title', required: true, value: e.title, autocomplete: 'off'})),
    el('label', 'Type', select('type', TYPES, e.type)),
    el('label', 'Text', el('textarea', {name: 'content', rows: '8'}, e.content)),
    el('label', 'Tags, with commas', el('input', {name: 'tags', value: e.tags.join(', '), autocomplete: 'off'})),
    el('label', 'Where it comes from', el('input', {name: 'source', value: e.source, autocomplete: 'off'}))];
  return formDialog(entry ? 'Edit the entry' : 'New entry', fields, entry ? 'Save' : 'Add', (values) =>
    api.send(entry ? 'PATCH' : 'POST', entry ? `/v1/memory/entries/${e.id}` : '/v1/memory/entries',
      {...values, tags: tagsOf(values.tags)}));
}

export function relateEntry(entry) {
  return formDialog('Relate the entry', [
    el('p', {class: 'dim'}, `from: ${plain(entry.title)}`),
    el('label', 'Relation', select('relation', RELATIONS, 'relates_to')),
    el('label', 'Number of the other entry', el('input', {name: 'target', type: 'number', min: '1', required: true}))],
  'Relate', (values) => api.send('POST', '/v1/memory/relations',
    {source_id: entry.id, target_id: Number(values.target), relation: values.relation}));
}

// True if it is done.
export async function invalidateEntry(entry) {
  if (!await confirmDialog({title: 'End its validity', label: 'Invalidate', danger: true,
    text: 'It is not believed from now on. It stays readable as of an earlier time.'}))
    return false;
  try {
    await api.send('POST', `/v1/memory/entries/${entry.id}/invalidate`, {});
    toast('invalid from now on');
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

export async function removeEntry(entry) {
  if (!await confirmDialog({title: 'Remove the entry', label: 'Remove', typed: String(entry.id),
    text: 'It is removed for good, with its relations.'}))
    return false;
  try {
    await api.send('DELETE', `/v1/memory/entries/${entry.id}`);
    toast('removed');
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}

export async function removeRelation(relation) {
  try {
    await api.send('DELETE', `/v1/memory/relations/${relation.id}`);
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}
