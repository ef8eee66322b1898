// Pins, holds and the trash of sessions, for the list, the page of one, and the trash. A
// session is anything with {session, pinned, hold_reason}.

import {el, icon, plain} from '../core/dom.js';
import {api} from '../core/api.js';
import {go} from '../core/router.js';
import {attempt, promptDialog, toast} from '../core/ui.js';

function path(s) {
  return `/v1/sessions/${encodeURIComponent(s.session)}`;
}

export function keepChips(s) {
  return [
    s.pinned ? el('span', {class: 'chip', title: 'pinned: retention leaves it'}, icon('pin'), 'pinned') : null,
    s.hold_reason ? el('span', {class: 'chip', title: `held: ${plain(s.hold_reason)}`}, icon('lock'), 'held') : null];
}

export function pin(s) {
  return attempt(() => api.send('PATCH', path(s), {pinned: !s.pinned}), s.pinned ? 'unpinned' : 'pinned');
}

export async function hold(s) {
  const reason = s.hold_reason ? null : await promptDialog({title: 'Hold the session', label: 'Reason', ok: 'Hold',
    hint: 'until it is released, no user and no rule can remove it'});
  return (s.hold_reason || reason) &&
    attempt(() => api.send('PATCH', path(s), {hold_reason: reason}), reason ? 'held' : 'released');
}

export async function restore(s) {
  const made = await attempt(() => api.send('POST', path(s) + '/restore', {}));
  if (made)
    toast('restored', {action: {label: 'Open', run: () => go(['session', made.session])}});
  return made;
}

// `undone` is called when the reader took it back.
export async function toTrash(s, undone = () => {}) {
  const gone = await attempt(() => api.send('DELETE', path(s) + '?trash=true'));
  if (gone)
    toast('moved to the trash', {action: {label: 'Undo', run: async () => await restore(s) && undone()}});
  return gone;
}

export function keepItems(s, done) {
  return [
    {label: s.pinned ? 'Unpin' : 'Pin', icon: 'pin', keys: 'p', run: async () => await pin(s) && done()},
    {label: s.hold_reason ? 'Release the hold' : 'Hold…', icon: 'lock', run: async () => await hold(s) && done()}];
}
