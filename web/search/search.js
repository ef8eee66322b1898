// Search: one box over sessions, outputs, artifacts, memory and prompts.
//
// The query and every filter are in the address, which is what is searched: typing changes
// the address, the address asks. Only the answer to the last question is drawn. The arrow
// keys walk the hits while the box keeps the focus.

import {el, icon, plain, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {setQuery} from '../core/router.js';
import {empty, errorBox} from '../core/ui.js';
import {count} from '../core/format.js';
import {afterPause, choice} from '../core/page.js';
import {FACETS, facetNodes, valuesOf} from './facets.js';
import {queryHelp} from './help.js';
import {markCurrent, resultNodes} from './results.js';
import {Preview} from './preview.js';

const LIMIT = 20;
const FILTERS = ['kind', 'role', 'tool', 'project', 'agent', 'since', 'until', 'session', 'sort', 'regex', 'flat'];
const SORTS = [{value: '', label: 'relevance'}, {value: 'newest', label: 'newest'}, {value: 'oldest', label: 'oldest'}];
const SLOW_MS = 300;

// A model is a filter of the query language.
function fullQuery(query) {
  const models = valuesOf(query, 'model').map((m) => `"${m.replaceAll('"', '')}"`).join(',');
  return (query.get('q') || '') + (models ? ` model:${models}` : '');
}

function totalText(got) {
  const about = got.total_is_exact ? '' : got.total_is_at_most ? 'at most ' : 'at least ';
  return `${about}${count(got.total)} ${got.total === 1 ? 'hit' : 'hits'}`;
}

class Search {
  constructor(host, route, signal) {
    this.signal = signal;
    this.hits = [];
    this.at = -1;
    this.build(host);
    this.preview = new Preview(this.previewNode);
    this.preview.clear();
    this.update(route);
    this.input.focus({preventScroll: true});
  }

  build(host) {
    this.input = el('input', {type: 'search', class: 'search-input', 'aria-label': 'search', role: 'combobox',
      'aria-expanded': 'true', 'aria-controls': 'hits', autocomplete: 'off', spellcheck: 'false',
      autocapitalize: 'off', placeholder: 'words, "a phrase", tool:bash, is:error, /regular expression/',
      on: {keydown: (event) => this.onInputKey(event)}});
    this.input.addEventListener('input', afterPause(() => this.typed(), 25));
    this.words = el('div', {class: 'suggestions', 'aria-label': 'words that begin so'});
    this.status = el('div', {class: 'search-status', role: 'status', 'aria-live': 'polite'});
    this.facets = el('aside', {class: 'search-facets', 'aria-label': 'filters'});
    this.list = el('div', {class: 'hits', id: 'hits', role: 'listbox', 'aria-label': 'hits'});
    this.previewNode = el('aside', {class: 'search-preview', 'aria-label': 'preview'});
    this.filterButton = el('button', {type: 'button', class: 'facets-toggle', 'aria-expanded': 'false',
      on: {click: () => this.toggleFacets()}}, icon('filter'), 'Filters');
    replace(host, el('div', {class: 'search-page'},
      el('div', {class: 'search-bar'}, icon('search'), this.input,
        el('button', {type: 'button', class: 'icon-button', title: 'what a query can say (i)',
          'aria-label': 'what a query can say', on: {click: queryHelp}}, '?')),
      this.words,
      el('div', {class: 'search-line'}, this.filterButton, this.status),
      el('div', {class: 'search-columns'}, this.facets, this.list, this.previewNode)));
  }

  toggleFacets() {
    const open = this.facets.classList.toggle('is-open');
    this.filterButton.setAttribute('aria-expanded', String(open));
  }

  // ---- the question -------------------------------------------------------------------

  typed() {
    setQuery({q: this.input.value.trim() || null});
    this.suggest();
  }

  async suggest() {
    const word = (this.input.value.match(/[\p{L}\p{N}_]{2,}$/u) || [''])[0];
    let words = [];
    if (word)
      try {
        words = (await api.get('/v1/search/suggest', {q: word, limit: 6}, {signal: this.signal})).suggestions;
      } catch {
        // Suggestions are not needed to search.
      }
    if (!this.input.value.endsWith(word))
      return;
    replace(this.words, words.filter((w) => w !== word.toLowerCase()).map((w) =>
      el('button', {type: 'button', class: 'chip', tabindex: '-1', on: {click: () => this.complete(word, w)}}, plain(w))));
  }

  complete(word, whole) {
    this.input.value = this.input.value.slice(0, this.input.value.length - word.length) + whole + ' ';
    this.input.focus();
    this.typed();
  }

  update(route) {
    const before = this.query && this.query.toString();
    this.query = route.query;
    if (document.activeElement !== this.input || !this.input.value.trim())
      this.input.value = this.query.get('q') || '';
    if (this.query.toString() !== before)
      this.ask();
    return true;
  }

  params() {
    return {...Object.fromEntries(FILTERS.map((name) => [name, this.query.get(name)])),
      q: fullQuery(this.query), limit: LIMIT};
  }

  async ask() {
    if (this.control)
      this.control.abort();
    const control = this.control = new AbortController();
    this.signal.addEventListener('abort', () => control.abort(), {once: true});
    if (!fullQuery(this.query).trim()) {
      this.drawNothingAsked();
      return;
    }
    const slow = setTimeout(() => this.status.classList.add('is-busy'), SLOW_MS);
    try {
      const got = await api.get('/v1/search', {...this.params(), facets: 'true'}, {signal: control.signal});
      this.answered(got);
    } catch (error) {
      if (error.name !== 'AbortError')
        this.drawError(error);
    } finally {
      clearTimeout(slow);
      if (this.control === control)
        this.status.classList.remove('is-busy');
    }
  }

  async more(button) {
    button.disabled = true;
    try {
      const got = await api.get('/v1/search', {...this.params(), cursor: this.cursor}, {signal: this.control.signal});
      this.hits.push(...got.hits);
      this.cursor = got.next_cursor;
      this.drawHits();
    } catch (error) {
      if (error.name !== 'AbortError')
        button.replaceWith(errorBox(error, () => this.drawHits()));
    }
  }

  // ---- the answer ---------------------------------------------------------------------

  answered(got) {
    this.got = got;
    this.hits = got.hits;
    this.cursor = got.next_cursor;
    this.at = -1;
    this.drawStatus();
    this.drawFacets();
    this.drawHits();
    this.list.scrollTop = 0;
    if (this.hits.length)
      this.select(0, {scroll: false});
    else
      this.preview.clear();
  }

  drawStatus() {
    const {got, query} = this;
    replace(this.status, el('strong', totalText(got)),
      got.ignored.map((one) => el('span', {class: 'chip warn ignored'}, 'ignored: ', el('code', plain(one.text)), `: ${one.why}`)),
      query.get('session') ? el('button', {type: 'button', class: 'filter-chip',
        on: {click: () => setQuery({session: null, flat: null}, {replace: false})}},
      el('span', {class: 'dim'}, 'session'), plain(query.get('session')), icon('close')) : null,
      el('span', {class: 'grow'}),
      el('label', {class: 'field'}, el('input', {type: 'checkbox', checked: query.get('flat') === 'true',
        on: {change: (event) => setQuery({flat: event.target.checked ? 'true' : null})}}), 'every hit'),
      choice('Sort', SORTS, query.get('sort'), (sort) => setQuery({sort: sort || null})));
  }

  drawFacets() {
    replace(this.facets, facetNodes({query: this.query, facets: this.got ? this.got.facets : {}, set: (changes) => setQuery(changes, {replace: false})}));
  }

  drawHits() {
    if (!this.hits.length) {
      replace(this.list, this.hasFilters()
        ? empty('Nothing found', 'with these filters; without them there may be more')
        : empty('Nothing found', 'use fewer or shorter words, or *part* for a part of a word'),
      this.hasFilters() ? el('p', {class: 'center'}, el('button', {type: 'button',
        on: {click: () => setQuery(Object.fromEntries([...FILTERS, ...FACETS].map((f) => [f, null])), {replace: false})}},
      'Remove the filters')) : null);
      return;
    }
    replace(this.list, resultNodes(this.hits, {at: this.at, query: this.query.get('q'),
      onPoint: (i) => this.point(i)}),
    this.cursor ? el('button', {type: 'button', class: 'more-hits',
      on: {click: (event) => this.more(event.currentTarget)}}, 'More hits') : null);
  }

  hasFilters() {
    return [...FILTERS, ...FACETS].some((name) => name !== 'sort' && this.query.get(name));
  }

  drawNothingAsked() {
    this.hits = [];
    this.got = null;
    replace(this.status);
    this.drawFacets();
    this.preview.clear();
    replace(this.list, empty('Search everything', 'sessions of all agents, outputs of tools, artifacts, memory, prompts'),
      el('ul', {class: 'query-examples'}, ['"undefined reference"', 'tool:bash is:error since:30d', 'role:user kind:message',
        '/segfault|core dumped/i'].map((q) => el('li', el('button', {type: 'button', class: 'link-button mono', on: {click: () => {
        this.input.value = q;
        this.typed();
      }}}, q)))));
  }

  drawError(error) {
    this.hits = [];
    replace(this.status);
    this.preview.clear();
    replace(this.list, errorBox(error, () => this.ask()));
  }

  // ---- the place in the list ------------------------------------------------------------

  select(i, {scroll = true} = {}) {
    if (!this.hits.length)
      return;
    this.at = Math.max(0, Math.min(i, this.hits.length - 1));
    const node = markCurrent(this.list, this.at);
    this.input.setAttribute('aria-activedescendant', node ? node.id : '');
    if (scroll && node)
      node.scrollIntoView({block: 'nearest'});
    this.preview.show(this.hits[this.at], this.query.get('q'));
  }

  point(i) {
    clearTimeout(this.pointing);
    this.pointing = setTimeout(() => this.select(i, {scroll: false}), 120);
  }

  open() {
    const node = this.list.querySelector('.hit.is-current');
    if (node)
      location.hash = node.getAttribute('href');
  }

  onInputKey(event) {
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}[event.key];
    if (by)
      this.select(this.at + by);
    else if (event.key === 'Enter')
      this.open();
    else
      return;
    event.preventDefault();
  }

  keys() {
    return [
      {keys: '/', label: 'the search box', run: () => this.input.select()},
      {keys: ['j', 'ArrowDown'], label: 'next hit', run: () => this.select(this.at + 1)},
      {keys: ['k', 'ArrowUp'], label: 'previous hit', run: () => this.select(this.at - 1)},
      {keys: 'Enter', label: 'open the hit', run: () => this.open()},
      {keys: 'i', label: 'what a query can say', run: queryHelp},
    ];
  }

  close() {
    clearTimeout(this.pointing);
    if (this.control)
      this.control.abort();
  }
}

export async function show(host, route, signal) {
  const page = new Search(host, route, signal);
  return {title: 'Search', keys: page.keys(), update: (next) => page.update(next), close: () => page.close()};
}
