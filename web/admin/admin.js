// Administration of the home: what is held, tenants and tokens, settings, maintenance,
// imports, the audit log, metrics. Nothing is here without the administrator's token, which
// is kept beside the tenant's for this tab only (core/api.js).

import {el, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {go} from '../core/router.js';
import {errorBox, tabs} from '../core/ui.js';
import {pageHead} from '../core/page.js';
import {overview} from './overview.js';
import {tenants} from './tenants.js';
import {settingsTab} from './settings.js';
import {maintenance} from './maintenance.js';
import {imports} from './imports.js';
import {audit} from './audit.js';
import {metrics} from './metrics.js';

const TABS = [
  {id: 'overview', label: 'Overview', draw: overview}, {id: 'tenants', label: 'Tenants', draw: tenants},
  {id: 'settings', label: 'Settings', draw: settingsTab}, {id: 'maintenance', label: 'Maintenance', draw: maintenance},
  {id: 'imports', label: 'Imports', draw: imports}, {id: 'audit', label: 'Audit log', draw: audit},
  {id: 'metrics', label: 'Metrics', draw: metrics}];

class Admin {
  constructor(host, route, signal) {
    Object.assign(this, {host, signal, route});
  }

  async start() {
    if (!api.adminToken) {
      this.askToken();
      return;
    }
    try {
      await api.get('/v1/admin/settings', null, {signal: this.signal});
      this.draw();
    } catch (error) {
      if (error.status !== 401 && error.status !== 403)
        throw error;
      api.adminToken = '';
      this.askToken(error);
    }
  }

  askToken(error) {
    const input = el('input', {type: 'password', name: 'admin-token', required: true, autocomplete: 'off', spellcheck: 'false',
      placeholder: 'qra_…', 'aria-label': 'admin token'});
    replace(this.host, el('form', {class: 'login card', on: {submit: (event) => {
      event.preventDefault();
      api.adminToken = input.value.trim();
      this.start();
    }}}, el('h1', 'Administration'),
    el('p', 'Paste the administrator’s token. It is in the file ', el('code', 'admin.token'),
      ' of the home, or in ', el('code', 'QUIRE_ADMIN_TOKEN'), '.'),
    error ? errorBox(error) : null, el('label', 'Admin token', input),
    el('button', {type: 'submit', class: 'primary'}, 'Continue'),
    el('p', {class: 'dim'}, 'It is kept in this tab only.')));
    input.focus();
  }

  update(route) {
    this.route = route;
    if (!api.adminToken)
      return true;
    this.draw();
    return true;
  }

  draw() {
    const tab = TABS.find((t) => t.id === this.route.parts[1]) || TABS[0];
    const body = el('div', {class: 'admin-body', role: 'tabpanel', 'aria-label': tab.label});
    replace(this.host, el('div', {class: 'page-inner admin'}, pageHead('Administration',
      el('button', {type: 'button', on: {click: () => this.forget()}}, 'Forget the token')),
    tabs(TABS.map(({id, label}) => ({id, label})), tab.id, (id) => go(id === 'overview' ? '/admin' : ['admin', id])), body));
    if (this.closeTab)
      this.closeTab();
    this.closeTab = tab.draw(body, {route: this.route, signal: this.signal});
  }

  forget() {
    api.adminToken = '';
    this.askToken();
  }

  close() {
    if (this.closeTab)
      this.closeTab();
  }
}

export async function show(host, route, signal) {
  const page = new Admin(host, route, signal);
  await page.start();
  return {title: 'Administration', update: (next) => page.update(next), close: () => page.close(),
    keys: TABS.map((tab, i) => ({keys: String(i + 1), label: tab.label.toLowerCase(),
      run: () => go(tab.id === 'overview' ? '/admin' : ['admin', tab.id])}))};
}
