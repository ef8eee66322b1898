// The rows of a transcript as nodes: messages, runs of calls, compactions, branch points.

import {el, icon, plain, visible} from '../core/dom.js';
import {bytes, clock, count, day, plural} from '../core/format.js';
import {highlight} from '../core/highlight.js';
import {iconButton} from '../core/ui.js';
import {blocksOf, jsonText, messageBlocks, messageOf, otherBlock, resultText, textBlock} from './blocks.js';
import {isFolded, runNode} from './calls.js';

const LINE_PX = 21;
const ROLE_NAMES = {developer: 'developer', system: 'system', custom: 'note', hookMessage: 'hook', fileMention: 'files'};

// ---- heights, before a row is drawn --------------------------------------------------

export function estimate(view, row) {
  const o = view.model.path[row.first];
  switch (row.kind) {
  case 'calls': return isFolded(view, row) ? 42 : 16 + 34 * view.model.runSummary(row).n;
  case 'branch': return 46;
  case 'state': return 30;
  case 'compaction': return 90;
  default: return 56 + Math.min(44, Math.max(1, view.model.lines[o])) * LINE_PX;
  }
}

// Whether a row shows something that must be asked for.
export function wantsContent(view, row) {
  if (row.kind === 'branch')
    return false;
  return row.kind !== 'calls' || !isFolded(view, row) || [...view.model.entriesOf(row)].some((o) => view.model.has(o, 2));
}

// ---- parts of rows -------------------------------------------------------------------

function timeNode(view, o) {
  const ms = view.model.time[o];
  if (!ms)
    return null;
  const s = ms / 1000;
  const before = view.model.time[view.model.path[view.model.position[o] - 1]];
  const date = !before || day(before / 1000) !== day(s) ? day(s) + ' ' : '';
  return el('time', {class: 'dim tiny', datetime: new Date(ms).toISOString(), title: `${day(s)} ${clock(s)}`}, date + clock(s).slice(0, 5));
}

// Tokens of the answer, and how full the context was.
function tokenNode(view, o) {
  const {tokens, context} = view.model;
  if (!tokens[o] && !context[o])
    return null;
  return el('button', {type: 'button', class: 'link-button dim tiny tokens', title: `${count(tokens[o])} tokens written, ${count(context[o])} read: show the context`,
    on: {click: () => view.showContext(o)}}, `${count(tokens[o])} / ${count(context[o])}`);
}

function labelNode(item) {
  return item && item.label ? el('span', {class: 'chip entry-label'}, icon('label'), plain(item.label).slice(0, 100)) : null;
}

function header(view, row, item, title) {
  const o = view.model.path[row.first];
  return el('header', {class: 'entry-head'}, title, labelNode(item), el('span', {class: 'grow'}),
    tokenNode(view, o), timeNode(view, o),
    iconButton('more', 'actions for this entry', (event) => view.entryMenu(event.currentTarget, o), {class: 'icon-button entry-more'}));
}

function article(view, row, name, ...children) {
  const {model} = view;
  const o = model.path[row.first];
  return el('article', {class: `entry entry-${name}`, dataset: {key: row.key, entry: model.ids[o], rail: name},
    'aria-label': `${name}, entry ${row.first + 1} of ${model.path.length}`}, children);
}

function placeholder(view, row, name) {
  const px = estimate(view, row) - 20;
  const node = article(view, row, name, header(view, row, null, el('span', {class: 'entry-role'}, name)),
    el('div', {class: 'placeholder'}));
  node.lastChild.style.setProperty('height', `${Math.max(20, px - 40)}px`);
  return node;
}

// ---- messages ------------------------------------------------------------------------

function userNode(view, row, item) {
  return article(view, row, 'user', header(view, row, item, el('span', {class: 'entry-role'}, 'user')),
    el('div', {class: 'entry-body'}, messageBlocks(view, item)));
}

function errorOf(item) {
  const message = messageOf(item);
  if (message.stopReason !== 'error' && message.stopReason !== 'aborted')
    return null;
  return el('p', {class: 'bad small'}, icon('error'), ` ended: ${plain(message.stopReason)} `,
    message.errorMessage ? visible(String(message.errorMessage).slice(0, 2000)) : null);
}

function assistantNode(view, row, item) {
  const o = view.model.path[row.first];
  const name = plain(view.model.modelOf(o)).slice(0, 60) || 'assistant';
  return article(view, row, 'assistant', header(view, row, item, el('span', {class: 'entry-role'}, name)),
    el('div', {class: 'entry-body'}, messageBlocks(view, item), errorOf(item)));
}

function noteNode(view, row, item) {
  const role = view.model.roleOf(view.model.path[row.first]) || view.model.typeOf(view.model.path[row.first]);
  const blocks = messageBlocks(view, item);
  return article(view, row, 'note', header(view, row, item, el('span', {class: 'entry-role'}, ROLE_NAMES[role] || plain(role).slice(0, 40) || 'note')),
    el('div', {class: 'entry-body'}, blocks.length ? blocks : otherBlock(view, item, '', item.entry)));
}

// A command that the user ran.
function shellNode(view, row, item) {
  const message = messageOf(item);
  const base = item.entry.message ? '/message/output' : '/output';
  const failed = message.exitCode != null && message.exitCode !== 0;
  return article(view, row, 'shell', header(view, row, item, el('span', {class: 'entry-role'}, 'user ran')),
    el('pre', {class: 'block command'}, highlight(String(message.command ?? message.code ?? ''), message.code ? 'py' : 'sh')),
    failed ? el('span', {class: 'chip bad'}, `exit ${plain(message.exitCode)}`) : null,
    resultText(view, item, base, String(message.output ?? '')));
}

// ---- borders -------------------------------------------------------------------------

function tokensAfter(view, p) {
  const {model} = view;
  for (let i = p + 1; i < model.path.length; i++)
    if (model.context[model.path[i]])
      return model.context[model.path[i]];
  return null;
}

function compactionNode(view, row, item) {
  const {entry} = item;
  const after = tokensAfter(view, row.first);
  const kept = entry.firstKeptEntryId;
  const facts = [entry.trigger && plain(entry.trigger), entry.tokensBefore != null && `${count(entry.tokensBefore)} tokens before`,
    after != null && `${count(after)} after`].filter(Boolean).join(' · ');
  return article(view, row, 'compaction',
    el('div', {class: 'border-line'}, el('span', {class: 'border-title'}, icon('layers'), ' The context was compacted here'),
      el('span', {class: 'dim small'}, facts), timeNode(view, view.model.path[row.first])),
    kept && view.model.byId.has(kept) ? el('p', {class: 'dim small'}, 'Kept from ',
      el('button', {type: 'button', class: 'link-button', on: {click: () => view.goEntry(kept)}}, 'this entry'), ' on; what is above it stays readable.') : null,
    summaryDetails(view, item, 'summary that replaced it'));
}

function summaryDetails(view, item, title) {
  const name = `summary:${item.ordinal}`;
  const details = el('details', {class: 'summary', open: view.isOpen(name, item.ordinal)}, el('summary', title),
    el('div', {class: 'entry-body'}, textBlock(view, item, '/summary', String(item.entry.summary ?? ''))));
  details.addEventListener('toggle', () => view.set(name, details.open));
  return details;
}

function summaryNode(view, row, item) {
  return article(view, row, 'summary', header(view, row, item, el('span', {class: 'entry-role'}, 'summary of another branch')),
    summaryDetails(view, item, 'what was done there'));
}

// Where several branches go on: which one is shown, and the way to the others.
function branchNode(view, row) {
  const {model} = view;
  const {all, at} = model.branchesOf(row);
  const move = (by) => view.goBranch(all[(at + by + all.length) % all.length]);
  return article(view, row, 'branch', el('div', {class: 'branch-line'}, icon('branch'),
    el('span', `${plural(all.length, 'branch', 'branches')} ${row.ofRoots ? 'begin' : 'go on from'} here`),
    at >= 0 ? el('span', {class: 'dim'}, `this is ${at + 1} of ${all.length}, ${plural(model.below[all[at]] + 1, 'entry', 'entries')}`) : null,
    el('span', {class: 'grow'}),
    iconButton('left', 'previous branch (h)', () => move(-1)), iconButton('right', 'next branch (l)', () => move(1)),
    el('button', {type: 'button', on: {click: () => view.showPanel('tree')}}, 'Tree')));
}

const STATE_TEXT = {
  model_change: (e) => `model: ${plain(e.provider || '')} ${plain(e.modelId || e.model || '')}`,
  thinking_level_change: (e) => `thinking level: ${plain(e.thinkingLevel)}`,
  label: (e) => `label: ${plain(e.label)}`,
  custom: (e) => `${plain(e.customType || 'custom')}`,
  session_info: (e) => `name: ${plain(e.name)}`,
  title_change: (e) => `title: ${plain(e.title)}`,
};

function stateNode(view, row, item) {
  const {entry} = item;
  const text = (STATE_TEXT[entry.type] || ((e) => plain(e.type)))(entry);
  return article(view, row, 'state', el('details', el('summary', {class: 'dim small'}, text.slice(0, 200)),
    el('pre', {class: 'block'}, highlight(jsonText(entry), 'json'))));
}

// ---- the node of a row ---------------------------------------------------------------

const MAKERS = {user: userNode, assistant: assistantNode, note: noteNode, shell: shellNode,
  compaction: compactionNode, summary: summaryNode, state: stateNode};

function rawNode(view, row, item) {
  return article(view, row, row.kind, header(view, row, item, el('span', {class: 'entry-role'}, row.kind)),
    el('pre', {class: 'block'}, highlight(jsonText(item.entry), 'json')));
}

export function rowNode(view, row) {
  if (row.kind === 'branch')
    return branchNode(view, row);
  if (row.kind === 'calls')
    return article(view, row, 'calls', runNode(view, row));
  const item = view.content.get(view.model.path[row.first]);
  if (!item)
    return placeholder(view, row, row.kind);
  return view.raw ? rawNode(view, row, item) : MAKERS[row.kind](view, row, item);
}

// ---- as text -------------------------------------------------------------------------

// An entry as Markdown, for the clipboard.
export function entryMarkdown(item, kind) {
  const message = messageOf(item);
  const parts = [];
  for (const {block} of blocksOf(item)) {
    if (block.type === 'text')
      parts.push(kind === 'result' ? '```\n' + block.text + '\n```' : block.text);
    else if (block.type === 'thinking' && block.thinking)
      parts.push(block.thinking.split('\n').map((l) => '> ' + l).join('\n'));
    else if (block.type === 'toolCall')
      parts.push(`**${block.name}**\n\n\`\`\`json\n${jsonText(block.arguments)}\n\`\`\``);
    else if (block.type === 'image')
      parts.push(`(image, ${bytes(block.bytes || 0)})`);
  }
  if (message.summary || item.entry.summary)
    parts.push(item.entry.summary || message.summary);
  if (message.command)
    parts.push('```sh\n' + message.command + '\n```', '```\n' + (message.output || '') + '\n```');
  return parts.join('\n\n');
}

