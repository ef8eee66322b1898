// One artifact: its content by type, its versions, the difference between any two, and
// what can be done with it.

import {el, icon, plain, replace} from '../core/dom.js';
import {api, me} from '../core/api.js';
import {go, href, setQuery} from '../core/router.js';
import {confirmDialog, copy, download, iconButton, menu, toast, toastError} from '../core/ui.js';
import {ago, bytes, count, time} from '../core/format.js';
import {facts, load, segments} from '../core/page.js';
import {counts, diffView} from '../core/diff_view.js';
import {contentView} from './preview.js';

function baseName(path) {
  return plain(path).split('/').pop();
}

class Artifact {
  constructor(host, route, signal) {
    Object.assign(this, {host, signal, id: route.parts[1], query: route.query});
    this.path = `/v1/artifacts/${encodeURIComponent(this.id)}`;
  }

  async open() {
    const [artifact, versions, who] = await Promise.all([
      api.get(this.path, null, {signal: this.signal}),
      api.get(`${this.path}/versions`, null, {signal: this.signal}), me()]);
    Object.assign(this, {artifact, versions: versions.versions, mayWrite: who.may_write});
    this.session = `/v1/sessions/${artifact.conversation_id}`;
    this.title = baseName(artifact.path);
    this.draw();
  }

  update(route) {
    if (route.parts[0] !== 'artifact' || route.parts[1] !== this.id || !this.artifact)
      return false;
    this.query = route.query;
    this.draw();
    return true;
  }

  version() {
    return Number(this.query.get('version')) || this.artifact.version;
  }

  draw() {
    const shown = this.versions.find((v) => v.version === this.version()) || this.artifact;
    const content = el('section', {class: 'artifact-content', 'aria-label': 'content'});
    replace(this.host, el('div', {class: 'page-inner artifact'}, this.head(shown),
      el('div', {class: 'artifact-columns'}, content,
        el('aside', {class: 'artifact-side'}, this.about(shown), this.versionList()))));
    if (this.query.get('diff'))
      this.drawDiff(content);
    else
      load(content, () => contentView(`${this.path}/raw`, shown, {version: shown.version}, this.signal), (nodes) => nodes);
  }

  head(shown) {
    const old = shown.version !== this.artifact.version;
    const more = iconButton('more', 'more actions', () => menu(more, [
      {label: 'Copy its address', icon: 'link', run: () => copy(location.href, 'address copied')},
      {label: 'Copy its SHA-256', icon: 'copy', run: () => copy(shown.sha256)},
      this.mayWrite && {},
      this.mayWrite && {label: 'Delete', icon: 'trash', danger: true, run: () => this.remove()},
    ]));
    return el('header', {class: 'page-head'},
      el('h1', {class: 'artifact-title'}, el('a', {class: 'dim', href: href('/artifacts')}, 'Artifacts'), ' / ',
        plain(this.artifact.path)),
      el('div', {class: 'page-actions'},
        old && this.mayWrite ? el('button', {type: 'button', class: 'primary', on: {click: () => this.restore(shown)}},
          icon('restore'), `Restore version ${shown.version}`) : null,
        el('button', {type: 'button', on: {click: () => this.save(shown)}}, icon('download'), 'Download'), more));
  }

  about(shown) {
    const {artifact} = this;
    return el('section', {class: 'card'}, el('h2', 'About'), facts([
      ['version', `${shown.version}${shown.version === artifact.version ? ', the current one' : ''}`],
      ['size', bytes(shown.size)], ['type', shown.mime_type], ['written', time(shown.updated_at)],
      ['by', shown.source_agent_id], ['purpose', shown.purpose],
      ['tags', shown.tags.length ? shown.tags.map((tag) => [el('a', {class: 'chip',
        href: href('/artifacts', {tag})}, plain(tag)), ' ']) : null],
      ['session', el('a', {href: href(['session', String(artifact.conversation_id)])}, `#${artifact.conversation_id}`)],
      ['written in', el('a', {href: href('/search', {q: `"${artifact.path.replaceAll('"', '')}" kind:tool_input`,
        session: artifact.conversation_id, flat: 'true'})}, 'find the calls that name it')],
      ['SHA-256', el('code', {class: 'digest'}, shown.sha256)]]));
  }

  versionList() {
    const from = this.query.get('from'), to = this.query.get('to');
    return el('section', {class: 'card'},
      el('header', {class: 'row'}, el('h2', {class: 'grow'}, `Versions (${count(this.versions.length)})`),
        this.versions.length > 1 ? el('span', {class: 'dim tiny diff-sides'}, el('span', 'from'), el('span', 'to')) : null),
      el('ol', {class: 'versions'}, this.versions.map((v) => el('li', {
        class: v.version === this.version() && !this.query.get('diff') ? 'version is-current' : 'version'},
      el('a', {class: 'grow', href: href(['artifact', this.id], {version: v.version})},
        el('strong', `v${v.version}`), ' ', el('span', {class: 'dim small'}, `${ago(v.updated_at)}, ${bytes(v.size)}`),
        v.source_agent_id ? el('span', {class: 'chip'}, plain(v.source_agent_id)) : null),
      this.pickButton('from', v, from), this.pickButton('to', v, to)))),
      this.versions.length > 1 ? el('button', {type: 'button', on: {click: () => this.compare(from, to)}},
        icon('diff'), 'Compare') : el('p', {class: 'dim small'}, 'one version is kept'));
  }

  // Which two versions are compared: radio buttons in two columns.
  pickButton(side, v, chosen) {
    if (this.versions.length < 2)
      return null;
    const now = Number(chosen) || this.otherwise(side);
    return el('input', {type: 'radio', name: `diff-${side}`, value: v.version, checked: v.version === now,
      'aria-label': `compare ${side} version ${v.version}`, title: `compare ${side} version ${v.version}`,
      on: {change: () => setQuery({[side]: v.version, diff: this.query.get('diff')})}});
  }

  otherwise(side) {
    return side === 'to' ? this.artifact.version : this.versions[1].version;
  }

  compare(from, to) {
    setQuery({diff: this.query.get('diff') || 'unified', from: from || this.otherwise('from'),
      to: to || this.otherwise('to')}, {replace: false});
  }

  drawDiff(host) {
    const from = this.query.get('from') || this.otherwise('from'), to = this.query.get('to') || this.otherwise('to');
    const mode = this.query.get('diff') === 'split' ? 'split' : 'unified';
    load(host, () => api.get(`${this.path}/diff`, {from, to}, {signal: this.signal}), (diff) => [
      el('div', {class: 'row wrap diff-bar'}, el('strong', `version ${diff.from} to ${diff.to}`), counts(diff),
        el('span', {class: 'grow'}),
        segments('form', [{value: 'unified', label: 'Unified'}, {value: 'split', label: 'Side by side'}], mode,
          (value) => setQuery({diff: value})),
        el('a', {class: 'button', href: href(['artifact', this.id])}, 'Close')),
      diffView(diff, {mode})]);
  }

  // ---- actions ------------------------------------------------------------------------

  async bytesOf(version) {
    const answer = await api.raw(`${this.path}/raw`, {version}, {signal: this.signal});
    return answer.blob();
  }

  async save(shown) {
    try {
      download(baseName(shown.path), new Blob([await this.bytesOf(shown.version)], {type: 'application/octet-stream'}));
    } catch (error) {
      toastError(error);
    }
  }

  // The bytes of the old version become the newest one; nothing is lost.
  async restore(shown) {
    const ok = await confirmDialog({title: `Restore version ${shown.version}`, label: 'Restore',
      text: `Its content becomes version ${this.artifact.version + 1}. The versions in between stay.`});
    if (!ok)
      return;
    try {
      const path = shown.path.split('/').map(encodeURIComponent).join('/');
      await api.send('PUT', `${this.session}/files/${path}`, await this.bytesOf(shown.version),
        {headers: {'Content-Type': shown.mime_type || 'application/octet-stream'}});
      toast(`version ${shown.version} is restored`);
      await this.open();
      go(['artifact', this.id]);
    } catch (error) {
      toastError(error);
    }
  }

  async remove() {
    const {artifact} = this;
    if (!await confirmDialog({title: 'Delete the artifact', label: 'Delete', danger: true,
      text: `${plain(artifact.path)} can be restored from the list of deleted ones until it is purged.`}))
      return;
    try {
      await api.send('DELETE', this.path);
      toast('deleted', {action: {label: 'Restore', run: () => restoreDeleted(artifact)}});
      go('/artifacts');
    } catch (error) {
      toastError(error);
    }
  }
}

export async function restoreDeleted(artifact) {
  try {
    await api.send('POST', `/v1/sessions/${artifact.conversation_id}/artifacts/restore`, {path: artifact.path});
    toast('restored');
    go(['artifact', String(artifact.id)]);
  } catch (error) {
    toastError(error);
  }
}

export async function showArtifact(host, route, signal) {
  const page = new Artifact(host, route, signal);
  await page.open();
  return {title: page.title, update: (next) => page.update(next), keys: [
    {keys: 'd', label: 'compare with the version before', run: () => page.versions.length > 1 && page.compare()},
    {keys: 'Escape', label: 'back to all artifacts', run: () => go('/artifacts')},
  ]};
}
