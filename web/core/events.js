// The event stream, read by fetch since EventSource cannot send a token. It reconnects with
// the id of the last event. `reset` and `changed` reach every listener: they mean that
// anything may have changed. `connected` comes when events begin to arrive, for those who
// must not miss what happened since they asked.
//
// A browser opens six connections to a server, for all tabs together. So one tab holds a
// lock and reads the stream, and passes events to the others; when it is closed, the next has the lock.
// Tabs of another token have another lock.

import {api} from './api.js';

const RETRY_MS = [500, 1000, 2000, 5000, 10000, 30000];
const FOR_ALL = new Set(['reset', 'changed']);

const listeners = new Set();
let running = null;
let lastId = '';
let failures = 0;
let channel = null;

// Names the stream of a token, without the token.
function streamName() {
  let hash = 2166136261;
  for (const c of api.token)
    hash = Math.imul(hash ^ c.charCodeAt(0), 16777619);
  return `quire.events.${(hash >>> 0).toString(16)}`;
}

function dispatch(type, data) {
  for (const {types, fn} of [...listeners])
    if (FOR_ALL.has(type) || types.some((t) => type === t || type.startsWith(t + '.')))
      fn({type, ...data});
}

function take(text) {
  let type = '';
  let data = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('id: '))
      lastId = line.slice(4);
    else if (line.startsWith('event: '))
      type = line.slice(7);
    else if (line.startsWith('data: '))
      data += line.slice(6);
  }
  if (!type)
    return;
  try {
    const value = data ? JSON.parse(data) : {};
    if (channel)
      channel.postMessage({id: lastId, type, data: value});
    dispatch(type, value);
  } catch (error) {
    console.error('event', type, error);
  }
}

async function read(signal) {
  const answer = await api.raw('/v1/events', null,
    {signal, headers: lastId ? {'Last-Event-ID': lastId} : {}});
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  failures = 0;
  dispatch('connected', {});
  for (;;) {
    const {value, done} = await reader.read();
    if (done)
      return;
    const events = (rest + value).split('\n\n');
    rest = events.pop();
    events.forEach(take);
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function run(signal) {
  while (!signal.aborted) {
    try {
      await read(signal);
    } catch (error) {
      if (signal.aborted || error.status === 401 || error.status === 403)
        return;
    }
    await pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)], signal);
  }
}

// Read the stream when no other tab does.
async function lead(signal) {
  if (!navigator.locks || !window.BroadcastChannel) {
    run(signal);
    return;
  }
  const name = streamName();
  channel = new BroadcastChannel(name);
  channel.onmessage = ({data}) => {
    lastId = data.id;
    dispatch(data.type, data.data);
  };
  setTimeout(() => dispatch('connected', {}));
  try {
    await navigator.locks.request(name, {signal}, () => run(signal));
  } catch {
    if (!signal.aborted)
      run(signal);
  }
}

export const events = {
  // fn gets {type, ...data} of events whose type is one of `types`, or begins with it.
  on(types, fn) {
    const one = {types: [].concat(types), fn};
    listeners.add(one);
    if (!running)
      events.start();
    return () => listeners.delete(one);
  },
  start() {
    events.stop();
    if (!api.token)
      return;
    running = new AbortController();
    lead(running.signal);
  },
  stop() {
    if (running)
      running.abort();
    running = null;
    if (channel)
      channel.close();
    channel = null;
  },
};

// A page that the browser keeps for the way back must not keep its connection.
addEventListener('pagehide', () => events.stop());
addEventListener('pageshow', (event) => {
  if (event.persisted && listeners.size) {
    events.start();
    dispatch('changed', {});
  }
});
