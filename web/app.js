// The viewer: login, shell, and the table of pages. A page is a module that is loaded when
// it is opened; see show() below for what it exports.

import {el, replace, icon, plain} from './core/dom.js';
import {api, me} from './core/api.js';
import {current, go, href, start} from './core/router.js';
import {bind, help, palette, setPalette} from './core/keys.js';
import {theme} from './core/state.js';
import {events} from './core/events.js';
import {withMasks} from './core/secrets.js';
import {errorBox, iconButton, menu, spinner} from './core/ui.js';

// First part of the address: the module, and the link in the shell that it belongs to.
const PAGES = {
  '': {load: () => import('./home/home.js'), nav: 'home', title: 'Home'},
  sessions: {load: () => import('./sessions/sessions.js'), nav: 'sessions', title: 'Sessions'},
  session: {load: () => import('./session/session.js'), nav: 'sessions', title: 'Session'},
  trash: {load: () => import('./sessions/trash.js'), nav: 'sessions', title: 'Trash'},
  search: {load: () => import('./search/search.js'), nav: 'search', title: 'Search'},
  artifacts: {load: () => import('./artifacts/artifacts.js'), nav: 'artifacts', title: 'Artifacts'},
  artifact: {load: () => import('./artifacts/artifacts.js'), nav: 'artifacts', title: 'Artifact'},
  outputs: {load: () => import('./outputs/outputs.js'), nav: 'sessions', title: 'Outputs'},
  output: {load: () => import('./outputs/outputs.js'), nav: 'sessions', title: 'Output'},
  memory: {load: () => import('./memory/memory.js'), nav: 'memory', title: 'Memory'},
  history: {load: () => import('./history/history.js'), nav: 'history', title: 'History'},
  admin: {load: () => import('./admin/admin.js'), nav: 'admin', title: 'Admin'},
};

const LINKS = [
  {id: 'home', path: '/', label: 'Home', keys: 'g h'},
  {id: 'sessions', path: '/sessions', label: 'Sessions', keys: 'g s'},
  {id: 'search', path: '/search', label: 'Search', keys: '/'},
  {id: 'artifacts', path: '/artifacts', label: 'Artifacts', keys: 'g a'},
  {id: 'memory', path: '/memory', label: 'Memory', keys: 'g m'},
  {id: 'history', path: '/history', label: 'History', keys: 'g p'},
  {id: 'admin', path: '/admin', label: 'Admin', keys: 'g x'},
];

const host = document.querySelector('main');
let page = null;
let shell = null;
let started = false;

// ---- login ---------------------------------------------------------------------------

// #token=qrt_...&to=/session/7 : the token leaves the address at once.
function takeToken() {
  const params = new URLSearchParams(location.hash.replace(/^#/, ''));
  const token = params.get('token');
  if (!token)
    return;
  const to = params.get('to') || '/';
  const path = to.startsWith('/') ? to : '/' + to;
  history.replaceState(null, '', '#' + path);
  useToken(token.trim());
}

function useToken(token) {
  if (token.startsWith('qra_'))
    api.adminToken = token;
  api.token = token;
}

function login(error) {
  closePage();
  events.stop();
  if (shell)
    shell.hidden = true;
  document.title = 'Log in · Quire';
  const input = el('input', {type: 'password', name: 'token', autocomplete: 'off', required: true,
    spellcheck: 'false', placeholder: 'qrt_…', 'aria-label': 'token'});
  const submit = async (event) => {
    event.preventDefault();
    useToken(input.value.trim());
    boot();
  };
  replace(host, el('form', {class: 'login', on: {submit}},
    el('div', {class: 'brand'}, brandMark(), 'Quire'),
    el('p', 'Paste a token. ', el('code', 'quire open'), ' prints an address that has one in it; ',
      el('code', 'quire tenant token add NAME'), ' makes another, also one that may only read.'),
    error ? errorBox(error) : null,
    el('label', 'Token', input),
    el('button', {type: 'submit', class: 'primary'}, 'Log in'),
    el('p', {class: 'dim'}, 'The token is kept in this tab only, until it is closed.')));
  input.focus();
}

function logout() {
  api.adminToken = '';
  api.token = '';
  login();
}

// ---- shell ---------------------------------------------------------------------------

function brandMark() {
  return el('span', {class: 'brand-mark', 'aria-hidden': 'true'}, icon('layers'));
}

function pickTheme(event) {
  const now = theme();
  menu(event.currentTarget, [['system', 'As the system', 'auto'], ['light', 'Light', 'sun'],
    ['dark', 'Dark', 'moon']].map(([id, label, name]) =>
    ({label, icon: name, checked: id === now, run: () => theme(id)})));
}

async function account(event) {
  const anchor = event.currentTarget;
  const who = await me().catch(() => null);
  menu(anchor, [
    {label: who ? `${plain(who.name)}${who.read_only ? ', may only read' : ''}` : 'not logged in',
      icon: 'agent', disabled: true, run() {}},
    {label: 'Keys', icon: 'keyboard', keys: '?', run: help},
    {},
    {label: 'Log out', icon: 'logout', run: logout},
  ]);
}

function makeShell() {
  const links = LINKS.map((link) => el('a', {href: href(link.path), dataset: {nav: link.id},
    title: `${link.label} (${link.keys})`}, icon(link.id), el('span', link.label)));
  const nav = el('nav', {class: 'nav', 'aria-label': 'pages'}, links);
  const toggle = iconButton('menu', 'pages', () => nav.classList.toggle('open'), {class: 'icon-button nav-toggle'});
  nav.addEventListener('click', () => nav.classList.remove('open'));
  shell = el('header', {class: 'shell'},
    el('a', {class: 'skip', href: '#page', on: {click: (event) => {
      event.preventDefault();
      host.focus();
    }}}, 'Skip to the page'),
    el('a', {class: 'brand', href: href('/'), 'aria-label': 'Quire, home'}, brandMark(),
      el('span', 'Quire')),
    nav,
    el('div', {class: 'shell-tools'},
      el('button', {type: 'button', class: 'palette-button', title: 'Go to (Ctrl-K)',
        'aria-label': 'go to a page, a session, an action', on: {click: palette}},
      icon('search'), el('span', 'Go to'), el('kbd', 'Ctrl K')),
      iconButton('auto', 'theme', pickTheme),
      iconButton('agent', 'account', account), toggle));
  document.querySelector('.shell').replaceWith(shell);
}

function markNav(id) {
  for (const link of shell.querySelectorAll('[data-nav]'))
    if (link.dataset.nav === id)
      link.setAttribute('aria-current', 'page');
    else
      link.removeAttribute('aria-current');
}

// Pages, then the sessions that changed last.
async function paletteItems() {
  const list = LINKS.map((l) => ({label: l.label, detail: 'page', run: () => go(l.path)}));
  const got = await api.get('/v1/sessions', {limit: 100});
  return list.concat(got.sessions.map((s) => ({
    label: plain(s.title) || s.session, detail: plain(s.cwd || 'session'),
    run: () => go(['session', s.session]),
  })));
}

function bindShell() {
  bind('Everywhere', [
    {keys: '?', label: 'keys', run: help},
    {keys: 'Ctrl-k', label: 'Go to a page, a session, an action', always: true, run: palette},
    {keys: '/', label: 'search', run: () => go('/search')},
    ...LINKS.filter((l) => l.keys !== '/').map((l) =>
      ({keys: l.keys, label: l.label.toLowerCase(), run: () => go(l.path)})),
  ]);
  setPalette(paletteItems);
}

// ---- pages ---------------------------------------------------------------------------

function closePage() {
  if (!page)
    return;
  page.control.abort();
  if (page.view && page.view.close)
    page.view.close();
  if (page.unbind)
    page.unbind();
  page = null;
}

function setTitle(title) {
  document.title = title && title !== 'Quire' ? `${withMasks(plain(title))} · Quire` : 'Quire';
}

// A page exports show(host, route, signal). It fills `host` and may return
//   update(route)  true if it has handled another address of the same page
//   title          text, and keys: bindings (core/keys.js)
//   close()        end what it has begun; `signal` is aborted, too
async function show(route) {
  const name = route.parts[0] || '';
  const entry = PAGES[name];
  if (page && page.name === name && page.view && page.view.update && page.view.update(route))
    return;
  closePage();
  if (!entry) {
    replace(host, errorBox({message: `there is no page ${plain(route.path)}`,
      hint: 'the links above lead to all pages'}));
    return;
  }
  const mine = page = {name, control: new AbortController()};
  markNav(entry.nav);
  setTitle(entry.title);
  host.className = `page page-${entry.nav}`;
  replace(host, spinner());
  host.setAttribute('aria-busy', 'true');
  try {
    const module = await entry.load();
    if (page !== mine)
      return;
    replace(host);
    host.scrollTop = 0;
    const view = await module.show(host, route, mine.control.signal) || {};
    if (page !== mine) {
      if (view.close)
        view.close();
      return;
    }
    mine.view = view;
    if (view.title)
      setTitle(view.title);
    if (view.keys)
      mine.unbind = bind(view.scope || entry.title, view.keys);
  } catch (error) {
    if (page === mine && error.name !== 'AbortError' && error.status !== 401)
      replace(host, errorBox(error, () => show(current())));
  } finally {
    if (page === mine || !page)
      host.removeAttribute('aria-busy');
  }
}

// Without a tenant's token there are no sessions: an administrator's page is all there is.
function adminOnly() {
  return api.token.startsWith('qra_');
}

async function boot() {
  if (!api.token) {
    login();
    return;
  }
  if (!adminOnly())
    try {
      await me();
    } catch (error) {
      if (error.status === 401)
        return;
      replace(host, errorBox(error, boot));
      return;
    }
  shell.hidden = false;
  if (adminOnly() && current().parts[0] !== 'admin')
    go('/admin', null, {replace: true});
  if (started)
    show(current());
  else
    start(show);
  started = true;
}

theme();
host.id = 'page';
host.tabIndex = -1;
makeShell();
shell.hidden = true;
bindShell();
api.onRefused = (error) => login(error);
takeToken();
addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#token='))
    return;
  takeToken();
  boot();
});
boot();
