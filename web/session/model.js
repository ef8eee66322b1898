// What a session is made of, without content: the heads of all its entries in columns, the
// tree, the path to a leaf, and the rows of a transcript of that path.
//
// An ordinal is the number of an entry in the file, a position its number on the path. A row
// is one message, or a run of calls with their results:
//   {kind, key, first, last}   positions on the path; kind is user, assistant, calls,
//                              compaction, summary, shell, note, state, or branch

import {api} from '../core/api.js';

export const FLAG = {ERROR: 1, IMAGES: 2, THINKING: 4, CALLS: 8, LABEL: 16, HIDDEN: 32,
  SUPERSEDED: 64, EDIT: 128, SUBAGENT: 256, TEXT: 512};

const COLUMNS = ['type', 'role', 'tool', 'model', 'size', 'lines', 'calls', 'tokens', 'context', 'flags'];

export class Model {
  constructor(id) {
    this.id = id;
    this.n = 0;
    this.names = {types: [], roles: [], tools: [], models: []};
    this.path = new Int32Array(0);
    this.rows = [];
  }

  // ---- heads ------------------------------------------------------------------------

  async load(signal) {
    const got = await api.get(`/v1/sessions/${this.id}/heads`, null, {signal});
    this.ids = [];
    this.byId = new Map();
    this.n = 0;
    this.generation = got.generation;
    this.take(got);
  }

  // What was appended since. False: nothing was.
  async extend(signal) {
    const got = await api.get(`/v1/sessions/${this.id}/heads`, {from: this.n}, {signal});
    this.session = got.session;
    if (got.generation !== this.generation) {
      await this.load(signal);
      return true;
    }
    const moved = got.leaf !== this.leaf;
    const old = this.n;
    this.take(got);
    return moved || this.n > old;
  }

  // Names are numbered by each answer on its own.
  translate(column, list, names) {
    const mine = this.names[names];
    const to = list.map((name) => {
      let i = mine.indexOf(name);
      if (i < 0)
        i = mine.push(name) - 1;
      return i;
    });
    return column.map((i) => (i < 0 ? -1 : to[i]));
  }

  take(got) {
    const old = this.n;
    const n = old + got.id.length;
    const grow = (name, Kind) => {
      const next = new Kind(n);
      if (old)
        next.set(this[name].subarray(0, old));
      return next;
    };
    for (const [column, names] of [['type', 'types'], ['role', 'roles'], ['tool', 'tools'], ['model', 'models']])
      got[column] = this.translate(got[column], got[names], names);
    for (const name of COLUMNS) {
      this[name] = grow(name, Int32Array);
      this[name].set(got[name], old);
    }
    this.parent = grow('parent', Int32Array);
    this.time = grow('time', Float64Array);
    let time = got.t0;
    got.id.forEach((id, i) => {
      time += got.dt[i];
      this.ids.push(id);
      this.byId.set(id, old + i);
      this.parent[old + i] = got.up[i] ? old + i - got.up[i] : -1;
      this.time[old + i] = time;
    });
    this.n = n;
    this.leaf = got.leaf;
    this.session = got.session;
    this.linkChildren();
  }

  // Children in order, and how many entries of a transcript are below each entry.
  linkChildren() {
    const {n, parent} = this;
    const starts = new Int32Array(n + 2);
    for (let i = 0; i < n; i++)
      starts[parent[i] + 2]++;
    for (let i = 1; i < n + 2; i++)
      starts[i] += starts[i - 1];
    const list = new Int32Array(n);
    const next = starts.slice();
    for (let i = 0; i < n; i++)
      list[next[parent[i] + 1]++] = i;
    this.starts = starts;
    this.childList = list;
    this.below = new Int32Array(n);
    for (let i = n - 1; i >= 0; i--) {
      const own = this.isHidden(i) ? 0 : 1;
      if (parent[i] >= 0 && parent[i] < i)
        this.below[parent[i]] += this.below[i] + own;
    }
  }

  // Of -1: the roots.
  children(o) {
    return this.childList.subarray(this.starts[o + 1], this.starts[o + 2]);
  }

  // Children that lead to something a reader sees.
  branches(o) {
    const all = this.children(o);
    return all.length < 2 ? all : all.filter((c) => !this.isHidden(c) || this.below[c] > 0);
  }

  has(o, flag) {
    return (this.flags[o] & flag) !== 0;
  }

  isHidden(o) {
    return (this.flags[o] & (FLAG.HIDDEN | FLAG.SUPERSEDED)) !== 0;
  }

  typeOf(o) {
    return this.names.types[this.type[o]] || '';
  }

  roleOf(o) {
    return this.names.roles[this.role[o]] || '';
  }

  toolOf(o) {
    return this.names.tools[this.tool[o]] || '';
  }

  modelOf(o) {
    return this.names.models[this.model[o]] || '';
  }

  // ---- path -------------------------------------------------------------------------

  // The newest entry below `o` that nothing follows.
  tip(o) {
    for (let step = 0; step < this.n; step++) {
      const below = this.branches(o);
      if (!below.length)
        break;
      o = below[below.length - 1];
    }
    return o;
  }

  setLeaf(o) {
    this.shownLeaf = o;
    const path = [];
    for (let at = o, step = 0; at >= 0 && step <= this.n; at = this.parent[at], step++)
      path.push(at);
    this.path = Int32Array.from(path.reverse());
    this.position = new Int32Array(this.n).fill(-1);
    this.path.forEach((at, i) => {
      this.position[at] = i;
    });
  }

  isOnPath(o) {
    return this.position[o] >= 0;
  }

  // ---- rows -------------------------------------------------------------------------

  kindOf(o) {
    const type = this.typeOf(o);
    if (this.isHidden(o))
      return 'state';
    if (type === 'compaction')
      return 'compaction';
    if (type === 'branch_summary')
      return 'summary';
    const role = this.roleOf(o);
    if (role === 'user')
      return 'user';
    if (role === 'assistant')
      return 'assistant';
    if (role === 'toolResult' || role === 'tool')
      return 'result';
    return role === 'bashExecution' || role === 'pythonExecution' ? 'shell' : 'note';
  }

  // `showState`: also entries that are not part of a transcript.
  makeRows({showState = false} = {}) {
    const rows = [];
    let run = null;
    const add = (kind, p) => {
      const row = {kind, key: `${kind}:${this.ids[this.path[p]] || p}`, first: p, last: p};
      rows.push(row);
      return row;
    };
    if (this.path.length && this.branches(-1).length > 1)
      Object.assign(add('branch', 0), {key: 'branch:roots', ofRoots: true});
    for (let p = 0; p < this.path.length; p++) {
      const o = this.path[p];
      const kind = this.kindOf(o);
      if (kind === 'state') {
        if (showState)
          add('state', p);
      } else if (kind === 'result') {
        run = run || add('calls', p);
        run.last = p;
      } else {
        const calls = kind === 'assistant' && this.has(o, FLAG.CALLS);
        if (!calls || this.has(o, FLAG.TEXT | FLAG.IMAGES)) {
          run = null;
          add(kind, p);
        }
        if (calls) {
          run = run || add('calls', p);
          run.last = p;
        }
      }
      if (this.starts[o + 2] - this.starts[o + 1] > 1 && this.branches(o).length > 1) {
        run = null;
        add('branch', p);
      }
    }
    this.rows = rows;
    this.rowAt = new Int32Array(this.path.length).fill(-1);
    rows.forEach((row, i) => {
      if (row.ofRoots)
        return;
      for (let p = row.first; p <= row.last; p++)
        if (this.rowAt[p] < 0)
          this.rowAt[p] = i;
    });
    for (let p = 1; p < this.rowAt.length; p++)
      if (this.rowAt[p] < 0)
        this.rowAt[p] = this.rowAt[p - 1];
    return rows;
  }

  // Of a row of kind branch: the branches there, and which of them the path goes on with.
  // Several roots are branches of nothing.
  branchesOf(row) {
    const all = this.branches(row.ofRoots ? -1 : this.path[row.first]);
    return {all, at: all.indexOf(this.path[row.ofRoots ? 0 : row.first + 1])};
  }

  // The row that shows an entry of the path; -1: none does.
  rowOf(o) {
    const p = o >= 0 && o < this.n ? this.position[o] : -1;
    return p < 0 || !this.rows.length ? -1 : Math.max(0, this.rowAt[p]);
  }

  // All rows that show it: the text of an answer, and its calls.
  rowsOf(o) {
    const i = this.rowOf(o);
    const p = this.position[o];
    return i < 0 ? [] : [i, i + 1].filter((j) => this.rows[j] && !this.rows[j].ofRoots && this.rows[j].first <= p && this.rows[j].last >= p);
  }

  // Entries of a row.
  entriesOf(row) {
    return this.path.subarray(row.first, row.last + 1);
  }

  // How many calls a run has, of which tools, how many failed, how long it took.
  runSummary(row) {
    row.summary = row.summary || this.sumRun(row);
    return row.summary;
  }

  sumRun(row) {
    const tools = new Map();
    let n = 0;
    let errors = 0;
    let bytes = 0;
    for (const o of this.entriesOf(row)) {
      if (this.kindOf(o) === 'assistant') {
        n += this.calls[o];
        continue;
      }
      if (this.kindOf(o) !== 'result')
        continue;
      const name = this.toolOf(o) || 'result';
      tools.set(name, (tools.get(name) || 0) + 1);
      errors += this.has(o, FLAG.ERROR) ? 1 : 0;
      bytes += this.size[o];
    }
    const from = this.time[this.path[row.first]];
    const to = this.time[this.path[row.last]];
    return {n: n || [...tools.values()].reduce((a, b) => a + b, 0), errors, bytes, ms: to - from,
      tools: [...tools].sort((a, b) => b[1] - a[1])};
  }

  // ---- sums of the path -------------------------------------------------------------

  facts() {
    const models = new Set();
    const sum = {tokens: 0, peak: 0, now: 0, messages: 0, begun: 0, ended: 0};
    for (const o of this.path) {
      models.add(this.model[o]);
      sum.tokens += this.tokens[o];
      if (this.context[o]) {
        sum.now = this.context[o] + this.tokens[o];
        sum.peak = Math.max(sum.peak, sum.now);
      }
      if (this.isHidden(o))
        continue;
      sum.messages++;
      sum.begun = sum.begun || this.time[o];
      sum.ended = this.time[o];
    }
    models.delete(-1);
    return {...sum, ms: sum.ended - sum.begun, models: [...models].map((i) => this.names.models[i])};
  }
}
