// Images of a session: fetched with the token, shown from blob: addresses, a bounded number
// kept. The full view walks all images of the session; the strip shows them small.

import {el, icon, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {bytes} from '../core/format.js';
import {download, empty, iconButton, openDialog, toastError} from '../core/ui.js';

const KEEP = 60;

export class Images {
  // `go(entry)`: show the entry of an image.
  constructor(session, signal, go) {
    Object.assign(this, {session, signal, go});
    this.urls = new Map();
    this.all = null;
  }

  path(entry, number) {
    return `/v1/sessions/${this.session}/entries/${encodeURIComponent(entry)}/images/${number}`;
  }

  async url(entry, number) {
    const path = this.path(entry, number);
    if (!this.urls.has(path))
      this.urls.set(path, api.blobUrl(path, {signal: this.signal}));
    const url = this.urls.get(path);
    this.urls.delete(path);
    this.urls.set(path, url);
    for (const [old, promise] of this.urls) {
      if (this.urls.size <= KEEP)
        break;
      this.urls.delete(old);
      promise.then((u) => URL.revokeObjectURL(u), () => {});
    }
    return url;
  }

  async load(entry, number, img) {
    try {
      img.src = await this.url(entry, number);
    } catch (error) {
      this.urls.delete(this.path(entry, number));
      if (error.name !== 'AbortError')
        img.replaceWith(el('span', {class: 'dim small'}, icon('error'), ` image: ${error.message}`));
    }
  }

  async save(entry, number) {
    try {
      const answer = await api.raw(this.path(entry, number), null, {signal: this.signal});
      download(`${entry}-${number}`, await answer.blob());
    } catch (error) {
      toastError(error);
    }
  }

  async list() {
    this.all = this.all || (await api.get(`/v1/sessions/${this.session}/images`, null, {signal: this.signal})).images;
    return this.all;
  }

  // Full size, with the images before and after it.
  async open(entry, number) {
    const all = await this.list().catch(() => []);
    let at = all.findIndex((i) => i.entry === entry && i.image === number);
    const list = at < 0 ? [{entry, image: number}] : all;
    at = Math.max(0, at);
    const stage = el('div', {class: 'image-stage'});
    const caption = el('div', {class: 'row wrap'});
    const show = (by) => {
      at = (at + by + list.length) % list.length;
      const one = list[at];
      const img = el('img', {alt: `image ${at + 1} of ${list.length}`});
      replace(stage, img);
      this.load(one.entry, one.image, img);
      replace(caption, iconButton('left', 'previous image', () => show(-1)),
        el('span', {class: 'dim'}, `${at + 1} of ${list.length}`, one.width ? ` · ${one.width} × ${one.height} · ${bytes(one.bytes)}` : ''),
        iconButton('right', 'next image', () => show(1)), el('span', {class: 'grow'}),
        el('button', {type: 'button', on: {click: () => {
          dialog.close();
          this.go(one.entry);
        }}}, 'Show in the session'),
        iconButton('download', 'download', () => this.save(one.entry, one.image)));
    };
    const dialog = openDialog({title: 'Images of the session', class: 'full image-dialog', body: [stage, caption]});
    dialog.addEventListener('keydown', (event) => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (by)
        show(by);
    });
    show(0);
  }

  async strip(host) {
    const all = await this.list();
    replace(host, all.length ? el('div', {class: 'image-strip'}, all.map((one) => {
      const img = el('img', {alt: `image of ${one.width} × ${one.height}`, loading: 'lazy',
        style: {'aspect-ratio': one.width ? `${one.width} / ${one.height}` : '4 / 3'}});
      const button = el('button', {type: 'button', class: 'image-button', title: bytes(one.bytes),
        on: {click: () => this.open(one.entry, one.image)}}, img);
      this.watch(button, () => this.load(one.entry, one.image, img));
      return button;
    })) : empty('no images'));
  }

  // Load what comes into view.
  watch(node, run) {
    this.observer = this.observer || new IntersectionObserver((seen) => {
      for (const one of seen)
        if (one.isIntersecting) {
          this.observer.unobserve(one.target);
          one.target.loadImage();
        }
    });
    node.loadImage = run;
    this.observer.observe(node);
  }

  close() {
    if (this.observer)
      this.observer.disconnect();
    for (const promise of this.urls.values())
      promise.then((url) => URL.revokeObjectURL(url), () => {});
    this.urls.clear();
  }
}
