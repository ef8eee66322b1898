// What a query can say (docs/search.md).

import {el} from '../core/dom.js';
import {openDialog} from '../core/ui.js';

const SYNTAX = [
  ['parse header', 'both words, in any order'],
  ['"no such file"', 'the words one after the other'],
  ['conf*', 'words that begin so'],
  ['*fig*', 'part of a word'],
  ['-word, NOT word', 'only what does not have it'],
  ['a OR b', 'either; (a OR b) c groups'],
  ['a near/5 b', 'at most 5 words between them'],
  ['/fo+bar/i', 'a regular expression; i ignores case'],
  ['\\-word', 'the character itself'],
];
const FILTERS = [
  ['kind:message', 'also thinking, tool_input, tool_result, summary, title, label, output, artifact, memory, history'],
  ['role:user', 'also assistant, tool, system'],
  ['tool:bash', 'calls and results of a tool'],
  ['project:quire', 'in this directory'],
  ['model: agent: session:', 'of this model, agent, session'],
  ['is:error', 'also is:active (on the current branch), is:archived'],
  ['has:code', 'also has:image, has:link'],
  ['since:7d', 'also before:2026-02-16, yesterday, "2 weeks ago"'],
];

function table(rows) {
  return el('dl', {class: 'facts query-help'}, rows.map(([write, finds]) =>
    [el('dt', el('code', write)), el('dd', finds)]));
}

export function queryHelp() {
  openDialog({title: 'What a query can say', class: 'wide', body: [
    el('h3', 'Words'), table(SYNTAX), el('h3', 'Filters'), table(FILTERS),
    el('p', {class: 'dim'}, 'Case and accents do not count. What is malformed is searched as text; ' +
      'what has no effect is said above the hits.')]});
}
