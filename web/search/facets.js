// What a search can be narrowed to: counts of all its hits by kind, role, tool, model,
// project and agent. Of the last two one can be chosen.

import {el, plain} from '../core/dom.js';
import {count} from '../core/format.js';
import {choice} from '../core/page.js';

const MOST = 8;
const TIMES = [{value: '', label: 'any time'}, {value: '1d', label: 'last day'}, {value: '7d', label: 'last 7 days'},
  {value: '30d', label: 'last 30 days'}, {value: '90d', label: 'last 90 days'}, {value: '365d', label: 'last year'}];

export const FACETS = ['kind', 'role', 'tool', 'model'];

// The values of a filter in the address: a list with commas.
export function valuesOf(query, name) {
  return (query.get(name) || '').split(',').filter(Boolean);
}

function facetRow(name, value, n, isOn, onToggle) {
  return el('li', el('label', {class: 'facet'},
    el('input', {type: 'checkbox', checked: isOn, name, value, on: {change: () => onToggle(value)}}),
    el('span', {class: 'grow ellipsis', title: plain(value)}, name === 'kind' ? value.replaceAll('_', ' ') : plain(value)),
    el('span', {class: 'dim num'}, n == null ? '' : count(n))));
}

function facetGroup(name, counts, chosen, onToggle) {
  const all = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const shown = all.slice(0, MOST);
  for (const value of chosen)
    if (!shown.some(([one]) => one === value))
      shown.push([value, counts[value] ?? null]);
  return shown.length ? el('fieldset', {class: 'facets'}, el('legend', name),
    el('ul', shown.map(([value, n]) => facetRow(name, value, n, chosen.includes(value), onToggle)))) : null;
}

// Counts as options of a list.
function options(counts = {}) {
  return [{value: '', label: 'any'}, ...Object.entries(counts).sort((a, b) => b[1] - a[1])
    .map(([value, n]) => ({value, label: `${value} (${count(n)})`}))];
}

// A filter that is set but not in the list is still shown.
function withChosen(list, value) {
  return !value || list.some((o) => o.value === value) ? list : [...list, {value, label: value}];
}

// `o`: query, facets of the answer, set(changes).
export function facetNodes(o) {
  const {query, set} = o;
  const project = query.get('project');
  const agent = query.get('agent');
  const agents = withChosen(options(o.facets.agent), agent);
  return [
    choice('Time', withChosen(TIMES, query.get('since')), query.get('since'), (since) => set({since: since || null})),
    choice('Project', withChosen(options(o.facets.project), project), project, (v) => set({project: v || null})),
    agents.length > 1 ? choice('Agent', agents, agent, (v) => set({agent: v || null})) : null,
    FACETS.map((name) => {
      const chosen = valuesOf(query, name);
      return facetGroup(name, o.facets[name] || {}, chosen, (value) => set({[name]: (chosen.includes(value)
        ? chosen.filter((one) => one !== value) : [...chosen, value]).join(',') || null}));
    }),
  ];
}
