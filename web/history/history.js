// History: the prompts that were typed, the newest first, on this machine and in this store.

import {el, icon, plain, replace, visible} from '../core/dom.js';
import {api} from '../core/api.js';
import {href, setQuery} from '../core/router.js';
import {events} from '../core/events.js';
import {copy, empty, iconButton} from '../core/ui.js';
import {ago, count, time} from '../core/format.js';
import {afterPause, choice, load, pageHead} from '../core/page.js';
import {VirtualList} from '../core/list.js';

const MOST = 1000;
const LONG_LINES = 6;

function promptText(prompt, isOpen, toggle) {
  const lines = prompt.split('\n');
  const cut = lines.length > LONG_LINES && !isOpen;
  return [el('div', {class: 'prompt-text'}, visible(cut ? lines.slice(0, LONG_LINES).join('\n') : prompt)),
    lines.length > LONG_LINES ? el('button', {type: 'button', class: 'link-button small', on: {click: toggle}},
      cut ? `all ${count(lines.length)} lines` : 'fewer lines') : null];
}

class History {
  constructor(host, route, signal) {
    Object.assign(this, {signal, query: route.query, prompts: [], opened: new Set(), at: -1});
    this.search = el('input', {type: 'search', class: 'grow', placeholder: 'prompts with all of these words', 'aria-label': 'search prompts',
      value: route.query.get('q') || ''});
    this.search.addEventListener('input', afterPause(() => setQuery({q: this.search.value.trim() || null, id: null})));
    this.tools = el('div', {class: 'list-tools'});
    this.body = el('div', {class: 'list-body'});
    replace(host, el('div', {class: 'page-inner page-full'}, pageHead('History'), this.tools, this.body));
    this.off = events.on('history', afterPause(() => this.load({quiet: true}), 400));
  }

  async load(options) {
    await load(this.body, () => api.get('/v1/history', {q: this.query.get('q'), cwd: this.query.get('cwd'), limit: MOST},
      {signal: this.signal}), (got) => {
      this.prompts = got.prompts;
      return this.draw();
    }, options);
    this.drawTools();
    if (this.host && this.host.isConnected)
      this.makeList();
  }

  update(route) {
    this.query = route.query;
    if (document.activeElement !== this.search)
      this.search.value = this.query.get('q') || '';
    this.load({quiet: true});
    return true;
  }

  drawTools() {
    const cwd = this.query.get('cwd');
    const places = new Map();
    for (const p of this.prompts)
      if (p.cwd)
        places.set(p.cwd, (places.get(p.cwd) || 0) + 1);
    if (cwd && !places.has(cwd))
      places.set(cwd, 0);
    replace(this.tools, this.search,
      choice('Directory', [{value: '', label: 'all'}, ...[...places].sort((a, b) => b[1] - a[1])
        .map(([value, n]) => ({value, label: `${value} (${n})`}))], cwd, (value) => setQuery({cwd: value || null}, {replace: false})),
      el('span', {class: 'dim small'}, `${count(this.prompts.length)}${this.prompts.length === MOST ? ', the newest ones' : ''}`));
  }

  draw() {
    this.end();
    this.at = -1;
    if (!this.prompts.length) {
      this.host = null;
      return this.query.get('q') || this.query.get('cwd') ? empty('No prompt matches', 'use other words')
        : empty('No prompts yet', 'agents and quire history add record them');
    }
    this.host = el('div', {class: 'prompts card', tabindex: '0', role: 'list', 'aria-label': 'prompts'});
    return this.host;
  }

  makeList() {
    this.list = new VirtualList({host: this.host, count: this.prompts.length, estimate: () => 64,
      key: (i) => String(this.prompts[i].id), render: (i) => this.row(i)});
    const wanted = this.query.get('id');
    const at = wanted ? this.prompts.findIndex((p) => String(p.id) === wanted) : -1;
    if (at >= 0) {
      this.select(at);
      this.list.scrollTo(at, {align: 'center'});
    }
  }

  row(i) {
    const p = this.prompts[i];
    return el('div', {class: i === this.at ? 'prompt is-current' : 'prompt', role: 'listitem'},
      el('div', {class: 'row small dim'}, el('time', {title: time(p.created_at)}, ago(p.created_at)),
        el('span', {class: 'grow ellipsis'}, plain(p.cwd)),
        p.session ? el('a', {href: href(['session', p.session])}, icon('sessions'), ' session') : null,
        iconButton('copy', 'copy the prompt', () => copy(p.prompt))),
      promptText(p.prompt, this.opened.has(p.id), () => this.toggle(i)));
  }

  toggle(i) {
    const {id} = this.prompts[i];
    if (!this.opened.delete(id))
      this.opened.add(id);
    this.list.refresh(i);
  }

  select(i) {
    if (!this.list || !this.prompts.length)
      return;
    const old = this.at;
    this.at = Math.max(0, Math.min(i, this.prompts.length - 1));
    this.list.refresh(old);
    this.list.refresh(this.at);
    this.list.scrollTo(this.at, {align: 'nearest'});
  }

  copyCurrent() {
    if (this.prompts[this.at])
      copy(this.prompts[this.at].prompt);
  }

  end() {
    if (this.list)
      this.list.destroy();
    this.list = null;
  }

  close() {
    this.off();
    this.end();
  }
}

export async function show(host, route, signal) {
  const page = new History(host, route, signal);
  await page.load();
  return {title: 'History', update: (next) => page.update(next), close: () => page.close(), keys: [
    {keys: ['j', 'ArrowDown'], label: 'next prompt', run: () => page.select(page.at + 1)},
    {keys: ['k', 'ArrowUp'], label: 'previous prompt', run: () => page.select(page.at - 1)},
    {keys: 'c', label: 'copy the prompt', run: () => page.copyCurrent()},
    {keys: 'Enter', label: 'all its lines', run: () => page.at >= 0 && page.toggle(page.at)},
    {keys: 'f', label: 'search prompts', run: () => page.search.focus()},
  ]};
}
