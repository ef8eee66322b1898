// Dialogs, menus, tabs, messages: what every page uses.

import {el, icon, replace} from './dom.js';
import {withMasks} from './secrets.js';

const TOAST_MS = 6000;

// ---- messages ------------------------------------------------------------------------

function toastHost() {
  return document.getElementById('toasts') ||
    document.body.appendChild(el('div', {id: 'toasts', role: 'status', 'aria-live': 'polite'}));
}

// `action`: {label, run}
export function toast(text, {action, kind} = {}) {
  const node = el('div', {class: ['toast', kind].filter(Boolean).join(' ')}, el('span', text));
  const close = () => node.remove();
  if (action)
    node.append(el('button', {type: 'button', on: {click: () => {
      close();
      action.run();
    }}}, action.label));
  toastHost().append(node);
  setTimeout(close, TOAST_MS);
}

export function toastError(error) {
  if (error && error.name === 'AbortError')
    return;
  toast([error.message, error.hint].filter(Boolean).join(': '), {kind: 'error'});
}

// What `run` resolves to; null if it failed, which is said.
export async function attempt(run, done) {
  try {
    const answer = await run();
    if (done)
      toast(done);
    return answer;
  } catch (error) {
    toastError(error);
    return null;
  }
}

export function empty(text, hint) {
  return el('div', {class: 'empty'}, el('p', text), hint ? el('p', {class: 'dim'}, hint) : null);
}

export function errorBox(error, retry) {
  return el('div', {class: 'error-box', role: 'alert'}, icon('error'),
    el('div', {class: 'grow'}, el('p', error.message || String(error)),
      error.hint ? el('p', {class: 'dim'}, error.hint) : null),
    retry ? el('button', {type: 'button', on: {click: retry}}, 'Try again') : null);
}

export function spinner(text = 'loading') {
  return el('div', {class: 'spinner', role: 'status'}, text, '…');
}

// ---- dialogs -------------------------------------------------------------------------

// A real <dialog>: the browser keeps the focus in it, Escape closes it, and the focus
// returns to where it was.
export function openDialog({title, body, buttons, class: name, onClose}) {
  const dialog = el('dialog', {class: ['dialog', name].filter(Boolean).join(' '),
    'aria-label': title},
  el('header', el('h2', title), iconButton('close', 'close', () => dialog.close())),
  el('div', {class: 'dialog-body'}, body),
  buttons ? el('footer', buttons) : null);
  const before = document.activeElement;
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before && before.isConnected)
      before.focus({preventScroll: true});
    if (onClose)
      onClose();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog)
      dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

function ask({title, content, label, danger, check, value}) {
  return new Promise((resolve) => {
    let answer = null;
    const ok = el('button', {type: 'submit', class: danger ? 'danger' : 'primary'}, label);
    const form = el('form', {method: 'dialog', on: {submit: (event) => {
      if (check && !check()) {
        event.preventDefault();
        return;
      }
      answer = value();
    }}}, content, el('div', {class: 'buttons'},
      el('button', {type: 'button', on: {click: () => dialog.close()}}, 'Cancel'), ok));
    const update = () => {
      ok.disabled = Boolean(check && !check());
    };
    form.addEventListener('input', update);
    const dialog = openDialog({title, body: form, onClose: () => resolve(answer)});
    update();
    (form.querySelector('input, textarea') || ok).focus();
  });
}

// `typed`: a name that must be typed first. Resolves to true or null.
export function confirmDialog({title, text, typed, label = 'OK', danger = Boolean(typed)}) {
  const input = typed ? el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
    'aria-label': `type ${typed}`}) : null;
  return ask({title, danger, label, value: () => true,
    check: input && (() => input.value === typed),
    content: [el('p', text), input ? el('label', 'Type ', el('code', typed), ' to go on',
      input) : null]});
}

// Resolves to the text, or null.
export function promptDialog({title, label, value = '', ok = 'OK', hint}) {
  const input = el('input', {type: 'text', value, autocomplete: 'off'});
  const answer = ask({title, label: ok, value: () => input.value,
    content: [el('label', label, input), hint ? el('p', {class: 'dim'}, hint) : null]});
  input.select();
  return answer;
}

// ---- menus ---------------------------------------------------------------------------

let openMenu = null;

function place(node, anchor) {
  const box = anchor.getBoundingClientRect();
  const size = node.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left, innerWidth - size.width - 8));
  const below = box.bottom + 4 + size.height <= innerHeight;
  const top = below ? box.bottom + 4 : Math.max(8, box.top - 4 - size.height);
  node.style.setProperty('left', `${left}px`);
  node.style.setProperty('top', `${top}px`);
}

function step(node, by) {
  const items = [...node.querySelectorAll('[role=menuitem]:not(:disabled)')];
  const at = items.indexOf(document.activeElement);
  items[(at + by + items.length) % items.length]?.focus();
}

function onMenuKey(event) {
  const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (by)
    step(event.currentTarget, by);
  else if (event.key === 'Escape' || event.key === 'Tab')
    openMenu();
  else
    return;
  event.preventDefault();
  event.stopPropagation();
}

function menuItem(item, close) {
  if (!item.label)
    return el('hr');
  return el('button', {type: 'button', role: 'menuitem', disabled: item.disabled,
    class: item.danger ? 'danger' : null, title: item.title, on: {click: () => {
      close();
      item.run();
    }}}, item.icon ? icon(item.icon) : el('span', {class: 'icon'}),
  el('span', {class: 'grow'}, item.label),
  item.checked ? icon('check') : null, item.keys ? el('kbd', item.keys) : null);
}

// Items: {label, run, icon, keys, danger, disabled, checked}, or {} for a line.
export function menu(anchor, items) {
  if (openMenu)
    openMenu();
  const node = el('div', {class: 'menu', role: 'menu', on: {keydown: onMenuKey}});
  const outside = (event) => {
    if (!node.contains(event.target))
      close();
  };
  function close() {
    node.remove();
    removeEventListener('pointerdown', outside, true);
    openMenu = null;
    if (anchor.isConnected)
      anchor.focus({preventScroll: true});
  }
  replace(node, items.filter(Boolean).map((item) => menuItem(item, close)));
  document.body.append(node);
  place(node, anchor);
  openMenu = close;
  addEventListener('pointerdown', outside, true);
  step(node, 1);
  return close;
}

// ---- controls ------------------------------------------------------------------------

export function iconButton(name, label, run, props = {}) {
  return el('button', {type: 'button', class: 'icon-button', title: label, 'aria-label': label,
    ...props, on: {click: run, ...props.on}}, icon(name));
}

// Items: {id, label, count}.
export function tabs(items, active, onPick) {
  const move = (event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by)
      return;
    const list = [...event.currentTarget.children];
    const at = list.indexOf(document.activeElement);
    const next = list[(at + by + list.length) % list.length];
    next.focus();
    next.click();
    event.preventDefault();
  };
  return el('div', {class: 'tabs', role: 'tablist', on: {keydown: move}}, items.map((item) =>
    el('button', {type: 'button', role: 'tab', 'aria-selected': String(item.id === active),
      tabindex: item.id === active ? '0' : '-1', dataset: {tab: item.id},
      on: {click: (event) => {
        for (const tab of event.currentTarget.parentNode.children) {
          const is = tab === event.currentTarget;
          tab.setAttribute('aria-selected', String(is));
          tab.tabIndex = is ? 0 : -1;
        }
        onPick(item.id);
      }}}, item.label, item.count != null ? el('span', {class: 'badge'}, item.count) : null)));
}

// The clipboard needs a secure page; elsewhere the text is selected for the reader.
export async function copy(text, what = 'copied') {
  text = withMasks(text);
  try {
    await navigator.clipboard.writeText(text);
    toast(what);
  } catch {
    const area = el('textarea', {class: 'copy-area', rows: '12', readonly: true}, text);
    openDialog({title: 'Copy this text', body: area});
    area.select();
  }
}

export function download(name, content, type = 'text/plain') {
  const blob = content instanceof Blob ? content : new Blob([content], {type});
  const url = URL.createObjectURL(blob);
  const link = el('a', {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
