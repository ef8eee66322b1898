// Home: what was done, with what, at what price, and what space it takes.
//
// Everything that is chosen is in the address. Each panel asks for its own numbers, so one
// that fails does not take the others with it. New activity does not redraw the page: it
// is said, with a button.

import {el, replace, plain, icon} from '../core/dom.js';
import {setQuery} from '../core/router.js';
import {events} from '../core/events.js';
import {ago, zoneName} from '../core/format.js';
import {choice, pageHead, segments} from '../core/page.js';
import {FILTERS, RANGES, dayName, filtersOf, periodOf} from './report.js';
import {makePanels} from './panels.js';
import {found} from './found.js';

const CHANGES = ['conversation', 'entry', 'artifact', 'memory'];

function freeRange(period) {
  const from = el('input', {type: 'date', 'aria-label': 'from', value: period.from || '', max: period.to});
  const to = el('input', {type: 'date', 'aria-label': 'to', value: period.to});
  const pick = () => {
    if (from.value && to.value && from.value <= to.value)
      setQuery({range: null, from: from.value, to: to.value}, {replace: false});
  };
  from.addEventListener('change', pick);
  to.addEventListener('change', pick);
  return el('span', {class: 'free-range'}, from, '–', to);
}

// A filter that is set is a chip that removes it; the panels set them.
function chips(query) {
  return FILTERS.filter((name) => query.get(name)).map((name) =>
    el('button', {type: 'button', class: 'filter-chip', title: `remove the filter by ${name}`,
      on: {click: () => setQuery({[name]: null}, {replace: false})}},
    el('span', {class: 'dim'}, name), plain(query.get(name)), icon('close')));
}

class Home {
  constructor(host, signal) {
    this.signal = signal;
    this.tools = el('div', {class: 'home-tools'});
    this.news = el('span', {class: 'home-news', 'aria-live': 'polite'});
    this.found = el('div');
    this.grid = el('div', {class: 'home-grid'});
    this.off = events.on(CHANGES, () => this.noteChange());
    replace(host, el('div', {class: 'page-inner home'},
      pageHead('Home', this.news), this.tools, this.found, this.grid));
    this.endFound = found(this.found, signal, () => this.draw());
    this.timer = setInterval(() => this.tick(), 30000);
  }

  update(route) {
    this.query = route.query;
    this.draw();
    return true;
  }

  drawTools() {
    const {query, period} = this;
    replace(this.tools,
      segments('time range', RANGES, period.name,
        (value) => setQuery({range: value === '30d' ? null : value, from: null, to: null}, {replace: false})),
      freeRange(period),
      choice('Count', [{value: '', label: 'messages'}, {value: 'sessions', label: 'sessions'},
        {value: 'tool_calls', label: 'tool calls'}], query.get('measure'),
      (value) => setQuery({measure: value || null})),
      chips(query));
  }

  draw() {
    if (this.signal.aborted)
      return;
    this.today = dayName(new Date());
    this.period = periodOf(this.query, this.today);
    this.drawnAt = Date.now() / 1000;
    this.isStale = false;
    this.drawTools();
    this.drawNews();
    replace(this.grid, makePanels({period: this.period, filters: filtersOf(this.query),
      query: this.query, signal: this.signal}));
  }

  drawNews() {
    replace(this.news, el('span', {class: 'dim small'}, `days of ${zoneName()}, updated ${ago(this.drawnAt)}`),
      el('button', {type: 'button', class: this.isStale ? 'primary' : null,
        on: {click: () => this.draw()}}, icon('restore'), this.isStale ? 'New activity: refresh' : 'Refresh'));
  }

  noteChange() {
    if (!this.isStale) {
      this.isStale = true;
      this.drawNews();
    }
  }

  // At midnight a range that ends today moves on.
  tick() {
    if (this.period.name !== 'free' && this.today !== dayName(new Date()))
      this.draw();
    else
      this.drawNews();
  }

  close() {
    clearInterval(this.timer);
    this.off();
    this.endFound();
  }
}

export async function show(host, route, signal) {
  const home = new Home(host, signal);
  home.update(route);
  return {title: 'Home', update: (next) => home.update(next), close: () => home.close(),
    keys: [{keys: 'r', label: 'refresh the numbers', run: () => home.draw()}]};
}
