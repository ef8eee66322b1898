// Diffs as the server computes them: hunks of lines ['=' | '-' | '+', text, marks?], where
// marks are [from, to] in UTF-16 units of what changed within the line.

import {el, plain, visible} from './dom.js';

const MAX_ROWS = 3000;

function marked(text, marks, name) {
  if (!marks || !marks.length)
    return [visible(text)];
  const out = [];
  let at = 0;
  for (const [from, to] of marks) {
    if (from < at || to > text.length)
      continue;
    out.push(visible(text.slice(at, from)), el('span', {class: name}, visible(text.slice(from, to))));
    at = to;
  }
  out.push(visible(text.slice(at)));
  return out;
}

function cell(kind, number, line) {
  const sign = {'=': ' ', '-': '−', '+': '+'}[kind];
  const name = {'=': 'same', '-': 'del', '+': 'add'}[kind];
  return [
    el('span', {class: 'diff-n'}, number == null ? '' : number),
    el('span', {class: `diff-line diff-${name}`}, el('span', {class: 'diff-sign'}, sign),
      line ? marked(line[1], line[2], `diff-mark-${name}`) : ''),
  ];
}

// Lines with their numbers before and after.
function numbered(hunk) {
  let before = hunk.old;
  let after = hunk.new;
  return hunk.lines.map((line) => ({kind: line[0], line,
    before: line[0] === '+' ? null : before++, after: line[0] === '-' ? null : after++}));
}

function unifiedRows(hunk) {
  return numbered(hunk).map((r) => el('div', {class: 'diff-row'},
    el('span', {class: 'diff-n'}, r.before ?? ''), cell(r.kind, r.after, r.line)));
}

// Removed lines beside the added ones that follow them.
function pairs(rows) {
  const out = [];
  for (let i = 0; i < rows.length;) {
    if (rows[i].kind === '=') {
      out.push([rows[i], rows[i]]);
      i++;
      continue;
    }
    const removed = [];
    const added = [];
    for (; i < rows.length && rows[i].kind === '-'; i++)
      removed.push(rows[i]);
    for (; i < rows.length && rows[i].kind === '+'; i++)
      added.push(rows[i]);
    for (let j = 0; j < Math.max(removed.length, added.length); j++)
      out.push([removed[j], added[j]]);
  }
  return out;
}

function splitRows(hunk) {
  return pairs(numbered(hunk)).map(([left, right]) => el('div', {class: 'diff-row'},
    left ? cell(left.kind, left.before, left.line) : cell('=', null, null),
    right ? cell(right.kind, right.after, right.line) : cell('=', null, null)));
}

function hunkHead(hunk) {
  return el('div', {class: 'diff-hunk'}, `line ${Math.max(1, hunk.new)}`);
}

export function counts(diff) {
  return el('span', {class: 'diff-counts'}, el('span', {class: 'ok'}, `+${diff.added}`), ' ',
    el('span', {class: 'bad'}, `−${diff.removed}`));
}

// One file, or two versions: {hunks, added, removed, path?, cut?, binary?}.
function fileDiff(file, mode) {
  const body = el('div', {class: `diff-body diff-${mode}`, tabindex: '0', role: 'region',
    'aria-label': file.path ? `changes of ${plain(file.path)}` : 'changes'});
  let left = MAX_ROWS;
  file.hunks.forEach((hunk, i) => {
    if (left <= 0)
      return;
    if (i || hunk.new > 1)
      body.append(hunkHead(hunk));
    const rows = (mode === 'split' ? splitRows : unifiedRows)({...hunk, lines: hunk.lines.slice(0, left)});
    body.append(...rows);
    left -= rows.length;
  });
  if (!file.hunks.length)
    body.append(el('div', {class: 'diff-hunk'}, file.binary ? 'not text' : 'no difference'));
  return el('section', {class: 'diff-file'},
    file.path ? el('header', el('span', {class: 'mono ellipsis', title: plain(file.path)}, plain(file.path)), counts(file)) : null,
    body, file.cut || left <= 0 ? el('p', {class: 'dim small'}, 'more changes are not shown') : null);
}

// `answer`: of /entries/:entry/diff (files), or of /artifacts/:aid/diff.
export function diffView(answer, {mode = 'unified'} = {}) {
  const files = answer.files || [answer];
  return el('div', {class: 'diff'}, files.map((file) => fileDiff(file, mode)));
}
