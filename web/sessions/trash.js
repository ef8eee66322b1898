// The trash: sessions that were removed, until they are purged. They come back from here,
// or are deleted for good.

import {el, icon, plain} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {events} from '../core/events.js';
import {ago, bytes, count, day, plural, time} from '../core/format.js';
import {href} from '../core/router.js';
import {attempt, confirmDialog, empty} from '../core/ui.js';
import {load, pageHead} from '../core/page.js';
import {restore} from './keep.js';

const SHOWN = 500;

class TrashPage {
  constructor(host, signal, who) {
    this.signal = signal;
    this.who = who;
    this.head = el('div');
    this.body = el('div');
    host.append(el('div', {class: 'page-inner'}, this.head, this.body));
  }

  load(quiet = true) {
    return load(this.body, () => api.get('/v1/trash', null, {signal: this.signal}), (got) => this.draw(got.trash), {quiet});
  }

  draw(rows) {
    const sum = rows.reduce((n, t) => n + t.bytes, 0);
    this.head.replaceChildren(pageHead('Trash',
      el('span', {class: 'dim', role: 'status'}, `${plural(rows.length, 'session')}, ${bytes(sum)}`),
      el('a', {class: 'button', href: href('/sessions')}, icon('left'), 'Sessions'),
      this.who.may_write ? el('button', {type: 'button', class: 'danger', disabled: !rows.length,
        on: {click: () => this.empty(rows.length, sum)}}, icon('trash'), 'Empty the trash…') : null));
    if (!rows.length)
      return empty('The trash is empty', 'removed sessions stay here for some weeks, unless they are deleted for good');
    return [el('ul', {class: 'trash card', 'aria-label': 'trash'}, rows.slice(0, SHOWN).map((t) => this.item(t))),
      rows.length > SHOWN ? el('p', {class: 'dim'}, `${count(rows.length - SHOWN)} more`) : ''];
  }

  item(t) {
    return el('li', {class: 'row wrap'},
      el('div', el('div', {class: 'ellipsis'}, plain(t.title).slice(0, 300) || t.session),
        el('div', {class: 'dim small'}, el('time', {title: time(t.removed_at)}, 'removed ', ago(t.removed_at)),
          ` · ${t.purge_at ? `purged on ${day(t.purge_at)}` : 'not purged'} · ${bytes(t.bytes)}`)),
      this.who.may_write ? [
        el('button', {type: 'button', on: {click: () => this.after(restore(t))}}, icon('restore'), 'Restore'),
        el('button', {type: 'button', class: 'danger', on: {click: () => this.remove(t)}}, 'Delete…')] : null);
  }

  async after(done) {
    if (await done)
      await this.load();
  }

  async remove(t) {
    const sure = await confirmDialog({title: 'Delete the session', label: 'Delete for good', danger: true,
      text: `${plain(t.title).slice(0, 100) || t.session} is deleted with its artifacts and outputs. This cannot be undone.`});
    if (sure)
      await this.after(attempt(() => api.send('DELETE', `/v1/trash/${encodeURIComponent(t.session)}`), 'deleted'));
  }

  async empty(n, sum) {
    const sure = await confirmDialog({title: 'Empty the trash', typed: this.who.name, label: 'Delete for good',
      text: `${plural(n, 'session')}, ${bytes(sum)}, are deleted with their artifacts and outputs. This cannot be undone.`});
    if (sure)
      await this.after(attempt(() => api.send('DELETE', '/v1/trash'), 'the trash is empty'));
  }
}

export async function show(host, route, signal) {
  const page = new TrashPage(host, signal, await me());
  await page.load(false);
  return {
    keys: [{keys: 'r', label: 'load again', run: () => page.load()}],
    close: events.on('conversation', () => page.load()),
  };
}
