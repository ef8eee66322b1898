// A sub-agent's session within the transcript of its parent: the last part of it, in short;
// the whole is a page of its own.

import {el, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {markdown} from '../core/markdown.js';
import {href} from '../core/router.js';
import {empty} from '../core/ui.js';
import {blocksOf, messageOf} from './blocks.js';
import {summaryOf} from './calls.js';

const SHOWN = 60;
const CUT = 1500;

function lineOf(item) {
  const message = messageOf(item);
  if (message.role === 'toolResult')
    return null;
  return blocksOf(item).map(({block}) => {
    if (block.type === 'text' && block.text)
      return el('div', {class: `sub-text sub-${message.role === 'user' ? 'user' : 'assistant'} md`}, markdown(block.text, {cut: CUT}));
    if (block.type === 'toolCall')
      return el('div', {class: 'sub-call ellipsis'}, el('span', {class: 'call-tool'}, plain(block.name).slice(0, 60)), ' ',
        el('span', {class: 'dim'}, summaryOf(block.arguments, block.name)));
    return null;
  });
}

export async function subSession(view, id) {
  const got = await api.get(`/v1/sessions/${id}/window`, {limit: SHOWN, cut: CUT}, {signal: view.signal});
  const nodes = got.entries.filter((item) => item.entry.type === 'message').map(lineOf);
  return el('div', nodes.length ? nodes : empty('no messages'),
    el('p', {class: 'small'}, got.n > got.entries.length ? `${got.n - got.entries.length} more entries: ` : '',
      el('a', {href: href(['session', id])}, 'open it as a page of its own')));
}
