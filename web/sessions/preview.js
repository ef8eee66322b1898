// Beside the list: what the selected session is about, without opening it.

import {el, plain, replace} from '../core/dom.js';
import {api} from '../core/api.js';
import {bytes, count, money, plural, time} from '../core/format.js';
import {href} from '../core/router.js';
import {empty, errorBox} from '../core/ui.js';
import {agentOf, titleOf, tokensOf} from './rows.js';

const WAIT_MS = 120;
const MAX_PROMPTS = 40;

let timer = 0;
let control = null;

function facts(s) {
  const list = [
    ['directory', plain(s.project)], ['agent', agentOf(s)], ['model', plain(s.model)],
    ['begun', time(s.created_at)], ['changed', time(s.updated_at)],
    ['messages', `${count(s.messages)}, ${plural(s.prompts || 0, 'prompt')}`],
    ['calls', `${count(s.tool_calls)}, ${count(s.tool_errors)} failed`],
    ['tokens', `${count(tokensOf(s))} (${count(s.output_tokens)} out)`],
    ['cost', money(s.cost_micro_usd, s.cost_source)], ['size', bytes(s.bytes)], ['id', s.session],
  ];
  return el('dl', {class: 'facts'}, list.filter(([, value]) => value).map(([name, value]) =>
    [el('dt', name), el('dd', {class: name === 'id' || name === 'directory' ? 'mono' : null}, value)]));
}

function promptList(s, items) {
  const prompts = items.filter((i) => i.kind === 'prompt' || i.kind === 'label');
  return el('ol', {class: 'preview-prompts'}, prompts.slice(0, MAX_PROMPTS).map((i) =>
    el('li', el('a', {href: href(['session', s.session, i.id])}, plain(i.text) || i.id))),
  prompts.length > MAX_PROMPTS ? el('li', {class: 'dim'}, `${prompts.length - MAX_PROMPTS} more`) : null);
}

async function loadPrompts(s, host) {
  control = new AbortController();
  try {
    const got = await api.get(`/v1/sessions/${s.session}/outline`, null, {signal: control.signal});
    replace(host, got.items.length ? promptList(s, got.items) : empty('no prompts'));
  } catch (error) {
    if (error.name !== 'AbortError')
      replace(host, errorBox(error));
  }
}

// `tools`: what can be done with it.
export function showPreview(host, s, tools) {
  clearTimeout(timer);
  if (control)
    control.abort();
  if (!s) {
    replace(host, empty('Select a session to see what it is about', 'j and k walk, Enter opens'));
    return;
  }
  const prompts = el('div', {class: 'dim small'}, 'loading…');
  replace(host, el('h2', el('a', {href: href(['session', s.session])}, titleOf(s))), tools, facts(s),
    el('h3', 'Prompts'), prompts);
  timer = setTimeout(() => loadPrompts(s, prompts), WAIT_MS);
}

export function endPreview() {
  clearTimeout(timer);
  if (control)
    control.abort();
}
