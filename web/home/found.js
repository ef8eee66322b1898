// Sessions of other agents that are on this machine and not imported: a button for each
// agent. Only the owner of the machine's server can import, on that machine; for others
// there is nothing here.

import {el, replace, plain} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {events} from '../core/events.js';
import {toast, toastError} from '../core/ui.js';
import {ago, bytes, count, plural} from '../core/format.js';

const OWNER = 1;

function missing(agent) {
  return agent.sessions - (agent.imported || 0);
}

function isThisMachine() {
  return ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
}

class Found {
  constructor(host, signal, changed) {
    Object.assign(this, {host, signal, changed, running: null});
  }

  async draw() {
    const who = await me();
    if (who.tenant_id !== OWNER || !isThisMachine())
      return;
    this.mayWrite = who.may_write;
    const [got, now] = await Promise.all([
      api.get('/v1/import/found', null, {signal: this.signal}),
      api.get('/v1/import', null, {signal: this.signal})]);
    this.agents = got.agents;
    this.running = now.running ? now : null;
    this.redraw();
  }

  redraw() {
    const agents = this.agents.filter((agent) => missing(agent) > 0);
    replace(this.host, agents.length ? el('section', {class: 'card found', 'aria-label': 'found on this machine'},
      el('h2', 'Found on this machine, not imported'),
      el('ul', agents.map((agent) => this.row(agent)))) : null);
  }

  row(agent) {
    const mine = this.running && this.running.agents.includes(agent.agent);
    return el('li', {class: 'found-row', dataset: {agent: agent.agent}},
      el('strong', plain(agent.title || agent.agent)),
      el('span', {class: 'dim grow'}, `${plural(missing(agent), 'session')} of ${count(agent.sessions)}, ` +
        `${bytes(agent.bytes)}, the newest ${ago(agent.newest)}`),
      el('button', {type: 'button', class: 'primary', disabled: !this.mayWrite || Boolean(this.running),
        title: this.mayWrite ? null : 'this token may only read', on: {click: () => this.start(agent)}},
      mine ? `${count(this.running.done)} of ${count(this.running.total)}` : 'Import'));
  }

  async start(agent) {
    try {
      this.running = await api.send('POST', '/v1/import', {agents: [agent.agent]});
      this.redraw();
      if (!this.running.running)
        this.progress();
    } catch (error) {
      toastError(error);
    }
  }

  // Events say that there is something new, the server how far it is.
  async progress() {
    try {
      const now = await api.get('/v1/import', null, {signal: this.signal});
      const ended = !now.running && this.running;
      this.running = now.running ? now : null;
      if (ended) {
        toast(now.error || `${plural(now.imported, 'session')} imported` +
          (now.problems ? `, ${plural(now.problems, 'problem')}` : ''));
        this.changed();
        await this.draw();
      } else {
        this.redraw();
      }
    } catch (error) {
      toastError(error);
    }
  }
}

// `changed` is called after an import. Returns what ends it.
export function found(host, signal, changed) {
  const one = new Found(host, signal, changed);
  const off = events.on('import', (event) => {
    if (one.agents && event.type.startsWith('import'))
      one.progress();
  });
  one.draw().catch((error) => {
    if (error.name !== 'AbortError' && error.status !== 403)
      toastError(error);
  });
  return off;
}
