// Calls of tools with their results: one line each, opened on demand; several in a row have
// a line for all of them, and many are folded into it.

import {el, icon, plain, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {bytes, count, duration, money, plural} from '../core/format.js';
import {highlight, languageOf} from '../core/highlight.js';
import {diffView} from '../core/diff_view.js';
import {href} from '../core/router.js';
import {settings} from '../core/state.js';
import {errorBox, spinner} from '../core/ui.js';
import {FLAG} from './model.js';
import {blocksOf, imageBlock, jsonText, messageOf, otherBlock, resultText, thinkingBlock} from './blocks.js';

const HEAD_FROM = 3; // calls in a row that get a line for all
const FOLD_FROM = 9; // and those that are folded at first
const SUMMARY_KEYS = ['command', 'cmd', 'file_path', 'filePath', 'path', 'notebook_path', 'pattern', 'query', 'url',
  'description', 'subject', 'prompt', 'input', 'code', 'name'];
const TOOL_ICONS = [[/bash|shell|exec|terminal|command/i, 'terminal'], [/edit|write|patch|replace|create/i, 'edit'],
  [/grep|search|glob|find|ls|list/i, 'search'], [/read|view|open|cat/i, 'artifacts'], [/task|agent/i, 'agent'],
  [/todo|plan/i, 'list'], [/image|screenshot/i, 'image'], [/fetch|web|url|browser/i, 'link']];

function toolIcon(name) {
  const found = TOOL_ICONS.find(([re]) => re.test(name));
  return icon(found ? found[1] : 'tool');
}

function todoSummary(todos) {
  const now = todos.find((t) => t && (t.status === 'in_progress' || t.status === 'running'));
  const done = todos.filter((t) => t && (t.status === 'completed' || t.status === 'done')).length;
  return `${done} of ${todos.length} done${now ? `: ${now.activeForm || now.content || now.text || ''}` : ''}`;
}

// What a call is about, in a line.
export function summaryOf(args, tool = '') {
  if (typeof args === 'string')
    return plain(args.slice(0, 300));
  if (!args || typeof args !== 'object')
    return '';
  for (const list of [args.todos, args.plan, args.items])
    if (Array.isArray(list))
      return plain(todoSummary(list));
  const keys = /grep|search|glob|find/i.test(tool) ? ['pattern', 'query', ...SUMMARY_KEYS] : SUMMARY_KEYS;
  const value = keys.map((k) => args[k]).find((v) => v != null && v !== '') ?? Object.values(args)[0];
  const text = Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? jsonText(value) : String(value ?? '');
  return plain(text.slice(0, 300));
}

function exitOf(result) {
  const message = messageOf(result);
  const details = message.details && typeof message.details === 'object' ? message.details : {};
  return [message.exitCode, details.exitCode, details.exit_code, details.exit].find((n) => Number.isInteger(n)) ?? null;
}

// Calls of a run, each with its result: {o, item, block, index, result, resultOrdinal}.
export function collectCalls(view, row) {
  const {model, content} = view;
  const calls = [];
  const byId = new Map();
  for (const o of model.entriesOf(row)) {
    const item = content.get(o);
    const kind = model.kindOf(o);
    if (!item || model.isHidden(o))
      continue;
    if (kind === 'assistant') {
      const blocks = blocksOf(item);
      for (const {block, index} of blocks.filter((b) => b.block.type === 'toolCall')) {
        const call = {o, item, block, index, result: null, siblings: 0};
        calls.push(call);
        byId.set(block.id, call);
      }
      calls.filter((c) => c.o === o).forEach((c, i, all) => {
        c.siblings = all.length;
        c.place = i;
      });
    } else if (kind === 'result') {
      const call = byId.get(messageOf(item).toolCallId);
      if (call && !call.result)
        Object.assign(call, {result: item, ro: o});
      else
        calls.push({o, item: null, block: {name: messageOf(item).toolName || 'result', arguments: {}}, result: item, ro: o, siblings: 1, place: 0});
    }
  }
  return calls;
}

// ---- details of one call -------------------------------------------------------------

function argumentNodes(call) {
  const args = call.block.arguments;
  if (!args || typeof args !== 'object')
    return args ? el('pre', {class: 'block'}, plain(args)) : null;
  const command = args.command ?? args.cmd;
  const rest = Object.entries(args).filter(([k]) => k !== 'command' && k !== 'cmd');
  return [
    typeof command === 'string' ? el('pre', {class: 'block command'}, highlight(command, 'sh')) : null,
    command != null && typeof command !== 'string' ? el('pre', {class: 'block command'}, jsonText(command)) : null,
    rest.length ? el('dl', {class: 'arguments'}, rest.map(([name, value]) => [el('dt', plain(name).slice(0, 80)),
      el('dd', typeof value === 'string' ? argumentText(value, args) : el('code', highlight(jsonText(value), 'json')))])) : null,
  ];
}

function argumentText(value, args) {
  if (!value.includes('\n') && value.length < 300)
    return el('code', plain(value));
  return el('pre', {class: 'block argument'}, highlight(value, languageOf(args.file_path || args.path || args.filePath)));
}

function loadDiff(view, call, host) {
  const id = view.model.ids[call.o];
  const draw = (answer) => {
    const files = answer.files.filter((f) => !call.block.id || f.call === call.block.id);
    const mode = settings.get('diff.mode', 'unified');
    replace(host, files.length ? [diffView({files: files.length ? files : answer.files}, {mode}),
      el('button', {type: 'button', class: 'link-button small', on: {click: () => {
        settings.set('diff.mode', mode === 'split' ? 'unified' : 'split');
        draw(answer);
      }}}, mode === 'split' ? 'one column' : 'side by side')] : argumentNodes(call));
  };
  replace(host, spinner());
  api.get(`/v1/sessions/${view.model.id}/entries/${encodeURIComponent(id)}/diff`, null, {signal: view.signal})
    .then(draw, (error) => error.name !== 'AbortError' && replace(host, errorBox(error, () => loadDiff(view, call, host))));
}

function resultNodes(view, call) {
  const args = call.block.arguments || {};
  const path = /read|view|cat|open/i.test(call.block.name) ? args.file_path || args.path : null;
  const nodes = blocksOf(call.result).map(({block, pointer}) =>
    (block.type === 'text' ? resultText(view, call.result, pointer, block.text || '', path)
      : block.type === 'image' ? imageBlock(view, call.result, block)
        : block.type === 'thinking' ? thinkingBlock(view, call.result, pointer, block)
          : otherBlock(view, call.result, pointer, block)));
  return nodes.length ? nodes : el('p', {class: 'dim small'}, 'no output');
}

// A sub-agent's session, shown within: its messages in a line each.
function subAgentNode(view, call) {
  const child = view.childOf(call);
  if (!child)
    return null;
  const body = el('div', {class: 'sub-agent-body'});
  const details = el('details', {class: 'sub-agent'},
    el('summary', icon('agent'), el('span', {class: 'ellipsis grow'}, plain(child.title || child.first)),
      el('span', {class: 'dim tiny'}, `${plural(child.messages, 'message')} · ${count(child.input_tokens + child.output_tokens + child.cached_tokens)} tokens · ${money(child.cost_micro_usd, child.cost_source)}`),
      el('a', {href: href(['session', child.session])}, 'open')), body);
  details.addEventListener('toggle', async () => {
    if (!details.open || body.children.length)
      return;
    replace(body, spinner());
    try {
      const {subSession} = await import('./sub_session.js');
      replace(body, await subSession(view, child.session));
    } catch (error) {
      replace(body, errorBox(error));
    }
  });
  return details;
}

function callDetail(view, call) {
  if (view.raw)
    return el('div', {class: 'call-detail'}, el('pre', {class: 'block'}, highlight(jsonText(call.block), 'json')),
      call.result ? el('pre', {class: 'block'}, highlight(jsonText(call.result.entry), 'json')) : null);
  const edits = call.item && view.model.has(call.o, FLAG.EDIT);
  const diff = edits ? el('div', {class: 'call-diff'}) : null;
  if (diff)
    loadDiff(view, call, diff);
  return el('div', {class: 'call-detail'}, diff || argumentNodes(call), subAgentNode(view, call),
    call.result ? el('div', {class: 'call-result'}, resultNodes(view, call))
      : el('p', {class: 'dim small'}, 'no result is recorded'));
}

// ---- lines ---------------------------------------------------------------------------

function status(view, call) {
  if (!call.result)
    return el('span', {class: 'call-state warn', title: 'no result'}, '…');
  return view.model.has(call.ro, FLAG.ERROR)
    ? el('span', {class: 'call-state bad', title: 'failed', 'aria-label': 'failed'}, icon('close'))
    : el('span', {class: 'call-state ok', title: 'done', 'aria-label': 'done'}, icon('check'));
}

// Images of results are seen without opening anything.
function imagesOf(view, item) {
  const nodes = blocksOf(item).filter((b) => b.block.type === 'image').map((b) => imageBlock(view, item, b.block));
  return nodes.length ? el('div', {class: 'run-images'}, nodes) : null;
}

function callNode(view, call) {
  const {model} = view;
  const key = `call:${call.o}:${call.index ?? 'r'}`;
  const exit = call.result ? exitOf(call.result) : null;
  const ms = call.result && call.item ? model.time[call.ro] - model.time[call.o] : null;
  const parallel = call.siblings > 1 ? call.place === 0 ? 'first' : call.place === call.siblings - 1 ? 'last' : 'middle' : null;
  const open = view.isOpen(key, call.o) || (call.ro != null && view.isOpen(key, call.ro));
  const body = el('div', {class: 'call-body', hidden: !open});
  const images = call.result ? imagesOf(view, call.result) : null;
  const head = el('button', {type: 'button', class: 'call-head', 'aria-expanded': String(open), on: {click: () => {
    const now = view.set(key, body.hidden);
    head.setAttribute('aria-expanded', String(now));
    body.hidden = !now;
    if (images)
      images.hidden = now;
    if (now && !body.children.length)
      body.append(callDetail(view, call));
  }}},
  toolIcon(call.block.name || ''), el('span', {class: 'call-tool'}, plain(call.block.name).slice(0, 60) || 'call'),
  el('span', {class: 'call-summary ellipsis grow'}, summaryOf(call.block.arguments, call.block.name)),
  exit != null && exit !== 0 ? el('span', {class: 'chip bad'}, `exit ${exit}`) : null,
  call.result ? el('span', {class: 'dim tiny call-size'}, bytes(model.size[call.ro])) : null,
  ms != null ? el('span', {class: 'dim tiny'}, duration(ms)) : null, status(view, call));
  if (open)
    body.append(callDetail(view, call));
  if (images)
    images.hidden = open;
  return el('div', {class: 'call', dataset: {parallel, entry: model.ids[call.o]}, 'data-result': call.ro != null ? model.ids[call.ro] : null}, head, images, body);
}

function toolCounts(tools) {
  return tools.slice(0, 6).map(([name, n]) => `${plain(name).slice(0, 40)}${n > 1 ? ` ×${n}` : ''}`).join(', ') +
    (tools.length > 6 ? ', …' : '');
}

export function runName(row) {
  return 'run:' + row.key;
}

export function isFolded(view, row) {
  const {n} = view.model.runSummary(row);
  return n >= HEAD_FROM && !view.isOpenRow(runName(row), row, n < FOLD_FROM);
}

// Of a folded run.
function runImages(view, row) {
  return [...view.model.entriesOf(row)].filter((o) => view.model.has(o, FLAG.IMAGES) && view.model.kindOf(o) === 'result')
    .map((o) => view.content.get(o)).filter(Boolean).map((item) => imagesOf(view, item));
}

export function thinkingOf(view, row) {
  return [...view.model.entriesOf(row)].filter((o) => view.model.kindOf(o) === 'assistant' &&
    view.model.has(o, FLAG.THINKING) && !view.model.has(o, FLAG.TEXT | FLAG.IMAGES)).flatMap((o) => {
    const item = view.content.get(o);
    return item ? blocksOf(item).filter((b) => b.block.type === 'thinking')
      .map((b) => ({o, node: thinkingBlock(view, item, b.pointer, b.block)})) : [];
  });
}

function openRun(view, row) {
  const thoughts = thinkingOf(view, row);
  const nodes = [];
  for (const call of collectCalls(view, row)) {
    while (thoughts.length && thoughts[0].o <= call.o)
      nodes.push(thoughts.shift().node);
    nodes.push(callNode(view, call));
  }
  return nodes.concat(thoughts.map((t) => t.node));
}

// A run of calls: lines, or one line for all.
export function runNode(view, row) {
  const sum = view.model.runSummary(row);
  const folded = isFolded(view, row);
  const missing = view.model.entriesOf(row).some((o) => !view.content.get(o) && !view.model.isHidden(o));
  const head = sum.n < HEAD_FROM ? null : el('button', {type: 'button', class: 'run-head', 'aria-expanded': String(!folded),
    on: {click: () => {
      view.set(runName(row), folded);
      view.refreshRow(row);
    }}}, icon(folded ? 'right' : 'down'), el('b', plural(sum.n, 'call')),
  el('span', {class: 'dim ellipsis grow'}, toolCounts(sum.tools)),
  sum.errors ? el('span', {class: 'chip bad'}, icon('error'), `${sum.errors} failed`) : null,
  el('span', {class: 'dim tiny'}, bytes(sum.bytes)), sum.ms > 0 ? el('span', {class: 'dim tiny'}, duration(sum.ms)) : null);
  if (folded)
    return [head, runImages(view, row)];
  return [head, missing ? el('div', {class: 'dim small loading'}, 'loading…') : el('div', {class: 'calls'}, openRun(view, row))];
}
