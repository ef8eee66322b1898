// Outputs of tools and reports of sub-agents: the list of a session's, and one of them.
//
// An output may be of any size: only a range of its lines is asked for and drawn. What is
// shown (from a line on, the end, lines that match, a value of JSON) is in the address.

import {el, icon, plain, replace, visible} from '../core/dom.js';
import {api} from '../core/api.js';
import {go, href, setQuery} from '../core/router.js';
import {copy, download, empty, toastError} from '../core/ui.js';
import {ago, bytes, count, time} from '../core/format.js';
import {load, segments} from '../core/page.js';
import {settings} from '../core/state.js';
import {sortableTable} from '../core/table.js';
import {jsonTree} from '../core/json_view.js';
import {ansi, plainText} from '../core/ansi.js';
import {markdown} from '../core/markdown.js';
import {parsePath, valueAt} from './path.js';

const LINES = 300;
const JSON_MAX = 4 << 20;
const AROUND = 12;

function outputsOf(session) {
  return `/v1/sessions/${encodeURIComponent(session)}/outputs`;
}

// ---- the list --------------------------------------------------------------------------

async function showList(host, session, signal) {
  const body = el('div', {class: 'list-body has-table'});
  replace(host, el('div', {class: 'page-inner page-full'},
    el('header', {class: 'page-head'}, el('h1', 'Outputs of ', el('a', {href: href(['session', session])}, 'the session'))), body));
  let table = null;
  await load(body, () => api.get(outputsOf(session), null, {signal}), (got) => {
    if (!got.outputs.length)
      return empty('No outputs', 'long outputs of tools and reports of sub-agents are kept here');
    table = sortableTable({label: 'outputs', rows: got.outputs, key: (o) => o.id, sort: {id: 'time', descending: true},
      href: (o) => href(['output', session, o.id]), columns: [
        {id: 'id', label: 'Name', width: 'minmax(70px, 1fr)', small: true, value: (o) => o.id, render: (o) => plain(o.id)},
        {id: 'tool', label: 'Tool', width: 'minmax(70px, 1fr)', small: true, value: (o) => o.tool || 'report',
          render: (o) => plain(o.tool || 'report of a sub-agent')},
        {id: 'size', label: 'Size', width: '84px', numeric: true, small: true, first: 'desc', value: (o) => o.bytes, render: (o) => bytes(o.bytes)},
        {id: 'time', label: 'Written', width: '100px', first: 'desc', value: (o) => o.modified_at,
          render: (o) => el('time', {title: time(o.modified_at)}, ago(o.modified_at))}]});
    return table.node;
  });
  return {title: 'Outputs', close: () => table && table.destroy(), keys: [
    {keys: ['j', 'ArrowDown'], label: 'next', run: () => table && table.move(1)},
    {keys: ['k', 'ArrowUp'], label: 'previous', run: () => table && table.move(-1)},
    {keys: 'Enter', label: 'open', run: () => table && table.open()}]};
}

// ---- one output ------------------------------------------------------------------------

function lineNode(line, o) {
  const [number, text, isCut] = line;
  const address = href(['output', o.session, o.name], {offset: Math.max(1, number - AROUND), mark: number});
  return el('div', {class: number === o.mark ? 'output-line is-marked' : 'output-line', id: `L${number}`},
    el('a', {class: 'output-number', href: address, title: 'the lines around it', tabindex: '-1'}, String(number)),
    el('span', {class: 'output-text'}, ansi(text), isCut ? el('span', {class: 'dim'}, ' … the line goes on') : null));
}

class Output {
  constructor(host, route, signal) {
    const [, session, name] = route.parts;
    Object.assign(this, {session, name, signal, query: route.query, path: `${outputsOf(session)}/${encodeURIComponent(name)}`});
    this.grep = el('input', {type: 'search', placeholder: 'lines that match, as a regular expression', 'aria-label': 'lines that match',
      class: 'grow', value: route.query.get('grep') || '', on: {change: () => this.ask({grep: this.grep.value || null})}});
    this.line = el('input', {type: 'number', min: '1', 'aria-label': 'from line', placeholder: 'line', class: 'line-field',
      on: {change: () => this.line.value && this.ask({offset: this.line.value})}});
    this.tools = el('div', {class: 'list-tools'});
    this.body = el('div', {class: 'output-body'});
    replace(host, el('div', {class: 'page-inner page-full output'}, this.head(), this.tools, this.body));
  }

  head() {
    return el('header', {class: 'page-head'},
      el('h1', el('a', {href: href(['session', this.session])}, 'Session'), ' / ',
        el('a', {href: href(['outputs', this.session])}, 'outputs'), ' / ', plain(this.name)),
      el('div', {class: 'page-actions'},
        el('button', {type: 'button', on: {click: () => this.save()}}, icon('download'), 'Download'),
        el('button', {type: 'button', on: {click: () => this.copyShown()}}, icon('copy'), 'Copy what is shown')));
  }

  // Another part: what says which part is shown now does not hold for it.
  ask(changes) {
    setQuery({offset: null, tail: null, grep: null, mark: null, ...changes}, {replace: false});
  }

  mode() {
    const view = this.query.get('view');
    return view || (this.query.get('tail') ? 'tail' : 'lines');
  }

  drawTools() {
    const wrap = settings.get('output.wrap', true);
    replace(this.tools, segments('part', [{value: 'lines', label: 'From the start'}, {value: 'tail', label: 'End'},
      {value: 'json', label: 'JSON'}, {value: 'markdown', label: 'Markdown'}], this.mode(), (mode) => this.ask({
      view: mode === 'json' || mode === 'markdown' ? mode : null, tail: mode === 'tail' ? LINES : null})),
    this.grep,
    el('label', {class: 'field'}, el('input', {type: 'checkbox', checked: this.query.get('case') === 'ignore',
      on: {change: (event) => setQuery({case: event.target.checked ? 'ignore' : null})}}), 'ignore case'),
    this.line,
    el('label', {class: 'field'}, el('input', {type: 'checkbox', checked: wrap, on: {change: (event) => {
      settings.set('output.wrap', event.target.checked);
      this.body.classList.toggle('is-wrapped', event.target.checked);
    }}}), 'wrap'));
    this.body.classList.toggle('is-wrapped', wrap);
  }

  async draw() {
    this.drawTools();
    if (this.mode() === 'json' || this.mode() === 'markdown')
      await this.drawWhole();
    else
      await this.drawLines();
  }

  update(route) {
    if (route.parts[1] !== this.session || route.parts[2] !== this.name)
      return false;
    this.query = route.query;
    if (document.activeElement !== this.grep)
      this.grep.value = this.query.get('grep') || '';
    this.draw();
    return true;
  }

  params(more) {
    return {offset: this.query.get('offset'), grep: this.query.get('grep'), tail: this.query.get('tail'),
      ignore_case: this.query.get('case') === 'ignore' ? 'true' : null, limit: LINES, ...more};
  }

  drawLines() {
    const mark = Number(this.query.get('mark')) || null;
    return load(this.body, () => api.get(`${this.path}/lines`, this.params(), {signal: this.signal}), (got) => {
      this.lines = got.lines;
      if (!got.lines.length)
        return this.query.get('grep') ? empty('No line matches', 'change the expression') : empty('No lines here', 'the output is shorter');
      const o = {session: this.session, name: this.name, mark};
      const rows = el('div', {class: 'output-lines', role: 'region', 'aria-label': 'lines', tabindex: '0'},
        got.lines.map((line) => lineNode(line, o)));
      queueMicrotask(() => mark && document.getElementById(`L${mark}`)?.scrollIntoView({block: 'center'}));
      return [rows, this.moreBar(got)];
    });
  }

  moreBar(got) {
    const first = got.lines[0][0], last = got.lines[got.lines.length - 1][0];
    const grep = this.query.get('grep');
    return el('div', {class: 'output-more'},
      !grep && first > 1 ? el('button', {type: 'button', on: {click: () => this.ask({offset: Math.max(1, first - LINES)})}},
        `Lines before ${count(first)}`) : null,
      el('span', {class: 'dim small'}, grep ? `${count(got.lines.length)} lines match${got.more ? ', and more' : ''}` : `lines ${first} to ${last}`),
      got.more ? el('button', {type: 'button', on: {click: () => this.ask({offset: last + 1, grep})}}, `Lines after ${count(last)}`) : null);
  }

  // The whole of it, if it is not too large for a page.
  async whole() {
    const answer = await api.raw(this.path, null, {signal: this.signal});
    const blob = await answer.blob();
    if (blob.size > JSON_MAX)
      throw new Error(`it has ${bytes(blob.size)}: too much for a page; download it`);
    return api.hide(await blob.text(), {signal: this.signal});
  }

  drawWhole() {
    return load(this.body, () => this.whole(), (text) => {
      this.lines = text.split('\n').map((line, i) => [i + 1, line]);
      return this.mode() === 'markdown' ? el('div', {class: 'md card'}, markdown(text)) : this.jsonView(text);
    });
  }

  jsonView(text) {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return empty('Not JSON', 'the output is text: show it from the start');
    }
    const host = el('div', {class: 'card'});
    const draw = () => {
      const steps = parsePath(field.value);
      const got = steps ? valueAt(value, steps) : {found: false};
      replace(host, !steps ? empty('Not a path', 'write .items[0].title') : got.found ? jsonTree(got.value)
        : empty('Nothing there', 'the value has no such member'));
    };
    const field = el('input', {type: 'text', class: 'mono json-path', placeholder: '.items[0].title', 'aria-label': 'path of a value',
      value: this.query.get('path') || '', spellcheck: 'false', on: {input: draw, change: () => setQuery({path: field.value || null})}});
    draw();
    return [el('label', {class: 'field'}, 'Path', field), host];
  }

  async save() {
    try {
      const answer = await api.raw(this.path, null, {signal: this.signal});
      download(`${plain(this.name)}.txt`, await answer.blob());
    } catch (error) {
      toastError(error);
    }
  }

  copyShown() {
    copy((this.lines || []).map(([, text]) => plainText(visible(text))).join('\n'));
  }
}

async function showOne(host, route, signal) {
  const page = new Output(host, route, signal);
  await page.draw();
  return {title: `Output ${page.name}`, update: (next) => page.update(next), keys: [
    {keys: 'f', label: 'lines that match', run: () => page.grep.focus()},
    {keys: 'G', label: 'the end', run: () => page.ask({tail: LINES, view: null})},
    {keys: 'g g', label: 'the start', run: () => page.ask({view: null})},
    {keys: 'l', label: 'go to a line', run: () => page.line.focus()},
    {keys: 'Escape', label: 'all outputs of the session', run: () => go(['outputs', page.session])},
  ]};
}

export function show(host, route, signal) {
  const [page, session, name] = route.parts;
  if (!session)
    return replace(host, empty('Which session?', 'outputs belong to a session: open it, then its outputs')) && {};
  return page === 'output' && name ? showOne(host, route, signal) : showList(host, session, signal);
}
