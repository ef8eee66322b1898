"use strict";
// A checkpointer for LangGraph.js: a thread is a session, a checkpoint an entry. Serialized values
// are cut into chunks, one for each element of a list; a chunk that the thread has already is
// referred to by its number, and a list names how much of its parent's it keeps: so a chat takes
// space linear in its messages.
const crypto = require("crypto");
const zlib = require("zlib");
const { BaseCheckpointSaver, WRITES_IDX_MAP, TASKS, getCheckpointId, maxChannelVersion } =
  require("@langchain/langgraph-checkpoint");
const { NotFound, Changed, Damaged } = require("./index.js");

const CHECKPOINT = "langgraph-js/checkpoint";
const WRITES = "langgraph-js/writes";
const THREADS = "langgraph-js/threads/";
const SMALL = 64;
const WINDOW = 16384;
const OPEN_THREADS = 32;

// [kind, text]: bytes as characters U+0000 to U+00FF; with 1 base64; with 2 base64 of what deflate
// makes of them; with 3 the same with a dictionary. The shortest of them.
function encode([kind, data], like) {
  const bytes = typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
  const plain = bytes.toString("latin1");
  const size = Buffer.byteLength(JSON.stringify(plain));
  if (size <= SMALL) return [kind, plain];
  const packed = zlib.deflateRawSync(bytes, like ? { dictionary: like } : {});
  const base64 = Math.ceil(bytes.length / 3) * 4;
  if (Math.ceil(packed.length / 3) * 4 + 8 < Math.min(size, base64))
    return [kind, packed.toString("base64"), like ? 3 : 2];
  return size <= base64 + 6 ? [kind, plain] : [kind, bytes.toString("base64"), 1];
}

function decode([kind, text, how = 0], like) {
  if (how === 0) return [kind, Buffer.from(text, "latin1")];
  const bytes = Buffer.from(text, "base64");
  if (how === 1) return [kind, bytes];
  return [kind, zlib.inflateRawSync(bytes, how === 3 ? { dictionary: like } : {})];
}

function digest([kind, data]) {
  return crypto.createHash("sha256").update(kind).update("\0").update(data).digest("base64");
}

// A session with what was read of it.
class Thread {
  constructor(id, session) {
    this.id = id;
    this.session = session;
    this.turn = Promise.resolve();
    this.chunks = [];           // [kind, bytes]
    this.numbers = new Map();   // digest -> number
    this.spaces = new Map();    // namespace -> Map(id -> data)
    this.writes = new Map();    // namespace and id -> [data]
    this.entries = new Map();   // the same -> id of the entry
    this.window = undefined;    // the end of the chunks so far: a dictionary for the next ones
    this.first = undefined;     // the first checkpoint: a dictionary of the others
  }

  async load() {
    for await (const entry of this.session.entries()) this.learn(entry);
    return this;
  }

  learn(entry) {
    const { customType: kind, data } = entry;
    if ((kind !== CHECKPOINT && kind !== WRITES) || !data) return;
    const key = JSON.stringify([data.ns || "", data.id]);
    const chunks = (data.chunks || []).map((value) => decode(value, this.window));
    for (const chunk of chunks) {
      this.numbers.set(digest(chunk), this.chunks.length);
      this.chunks.push(chunk);
    }
    if (chunks.length)
      this.window = Buffer.concat([this.window || Buffer.alloc(0), ...chunks.map(([, bytes]) => bytes)]).subarray(-WINDOW);
    if (kind === WRITES) {
      this.writes.set(key, [...(this.writes.get(key) || []), data]);
      return;
    }
    this.entries.set(key, entry.id);
    const ns = data.ns || "";
    if (!this.spaces.has(ns)) this.spaces.set(ns, new Map());
    const body = decode(data.checkpoint, this.first);
    if (!this.first) this.first = body[1];
    // What each channel has: its version, and a chunk's number or those of a list.
    const parent = data.parent && this.spaces.get(ns).get(data.parent);
    const known = new Map(parent ? parent.known : []);
    for (const [channel, [version, value]] of Object.entries(data.values || {})) {
      const [add, keep = 0] = typeof value === "number" ? [] : value;
      known.set(channel, { version, has: add === undefined ? value
        : [...(keep ? parent.known.get(channel).has.slice(0, keep) : []), ...add] });
    }
    this.spaces.get(ns).set(data.id, { ...data, ns, body, known });
  }

  number(chunk, fresh) {
    const known = this.numbers.get(digest(chunk)) ?? fresh.numbers.get(digest(chunk));
    if (known !== undefined) return known;
    const made = this.chunks.length + fresh.chunks.length;
    fresh.numbers.set(digest(chunk), made);
    fresh.chunks.push(encode(chunk, this.window));
    return made;
  }

  async append(kind, data, at) {
    const entry = { type: "custom", customType: kind, data };
    const id = await this.session.append(entry, { at });
    this.learn({ ...entry, id });
  }
}

class QuireSaver extends BaseCheckpointSaver {
  constructor(home, { serde, sync = "each" } = {}) {
    super(serde);
    this.home = home;
    this._sync = sync;
    this._threads = new Map(); // id -> promise of a Thread
  }

  // ---- threads

  _path(id) { return THREADS + crypto.createHash("sha256").update(id).digest("hex"); }

  async _open(id, make) {
    const path = this._path(id);
    try {
      const known = JSON.parse((await this.home.getArtifact(path)).toString());
      return await this.home.openSession(known.session, { sync: this._sync });
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      if (!make) return null;
    }
    const session = await this.home.newSession({ title: `LangGraph ${id.slice(0, 200)}`, sync: this._sync });
    const named = JSON.stringify({ thread: id, session: session.id });
    try {
      await this.home.putArtifact(path, named, { mime: "application/json", expect: "none" });
    } catch (error) {
      await session.close();
      await this.home.removeSession(session.id, { now: true });
      if (!(error instanceof Changed)) throw error;
      return this._open(id, false);
    }
    return session;
  }

  async _thread(id, make) {
    let found = this._threads.get(id);
    if (found) {
      this._threads.delete(id); // the last used one is the last
    } else {
      found = this._open(id, make).then((session) => session && new Thread(id, session).load());
    }
    this._threads.set(id, found);
    try {
      const thread = await found;
      if (!thread) this._threads.delete(id);
      return thread;
    } catch (error) {
      this._threads.delete(id);
      throw error;
    }
  }

  // One at a time of a thread.
  async _use(id, make, work) {
    if (typeof id !== "string" && typeof id !== "number")
      throw new Error('the RunnableConfig has no "thread_id" in its "configurable"');
    const thread = await this._thread(String(id), make);
    if (!thread) return work(null);
    const before = thread.turn;
    let done;
    thread.turn = new Promise((resolve) => { done = resolve; });
    await before;
    try {
      return await work(thread);
    } finally {
      done();
      await this._closeOldest();
    }
  }

  async _closeOldest() {
    if (this._threads.size <= OPEN_THREADS) return;
    const [id] = this._threads.keys();
    await this.release(id);
  }

  // Close the session of a thread, or of all: another process may write to it.
  async release(id) {
    for (const name of id === undefined ? [...this._threads.keys()] : [id]) {
      const found = this._threads.get(name);
      this._threads.delete(name);
      const thread = found && await found.catch(() => null);
      if (!thread) continue;
      await thread.turn;
      await thread.session.close();
    }
  }

  // ---- writing

  // Channels that have no new version have what they have in the parent.
  async put(config, checkpoint, metadata, newVersions) {
    const { thread_id, checkpoint_ns: ns = "", checkpoint_id: parent } = config.configurable || {};
    await this._use(thread_id, true, async (thread) => {
      const fresh = { chunks: [], numbers: new Map() };
      const { channel_values: channels = {}, ...bare } = checkpoint;
      const before = parent && thread.spaces.get(ns) && thread.spaces.get(ns).get(parent);
      const values = {};
      for (const [channel, value] of Object.entries(channels)) {
        if (newVersions && newVersions[channel] === undefined) continue;
        const old = before && before.known.get(channel);
        values[channel] = [newVersions ? newVersions[channel] : (bare.channel_versions || {})[channel] ?? null,
          await this._value(thread, value, old && Array.isArray(old.has) ? old.has : undefined, fresh)];
      }
      const data = { ns: ns || undefined, id: checkpoint.id, parent,
        checkpoint: encode(await this.serde.dumpsTyped(bare), thread.first),
        metadata: encode(await this.serde.dumpsTyped(metadata)), values,
        chunks: fresh.chunks.length ? fresh.chunks : undefined };
      await thread.append(CHECKPOINT, data,
        thread.entries.get(JSON.stringify([ns, parent])));
    });
    return { configurable: { thread_id, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
  }

  // A number, or [numbers, how many of the parent's list come before them].
  async _value(thread, value, before, fresh) {
    if (!Array.isArray(value)) return thread.number(await this.serde.dumpsTyped(value), fresh);
    const now = [];
    for (const item of value) now.push(thread.number(await this.serde.dumpsTyped(item), fresh));
    let keep = 0;
    while (before && keep < before.length && before[keep] === now[keep]) keep++;
    return keep ? [now.slice(keep), keep] : [now];
  }

  async putWrites(config, writes, taskId) {
    const { thread_id, checkpoint_ns: ns = "", checkpoint_id: id } = config.configurable || {};
    if (id === undefined) throw new Error('the RunnableConfig has no "checkpoint_id" in its "configurable"');
    await this._use(thread_id, true, async (thread) => {
      const fresh = { chunks: [], numbers: new Map() };
      const rows = [];
      for (const [place, [channel, value]] of writes.entries()) {
        const made = await this._value(thread, value, undefined, fresh);
        rows.push([WRITES_IDX_MAP[channel] ?? place, channel, made]);
      }
      const data = { ns: ns || undefined, id, task: taskId, writes: rows,
        chunks: fresh.chunks.length ? fresh.chunks : undefined };
      await thread.append(WRITES, data, thread.entries.get(JSON.stringify([ns, id])));
    });
  }

  async deleteThread(threadId) {
    const thread = await this._thread(String(threadId), false);
    if (!thread) return;
    await this.release(String(threadId));
    await this.home.removeArtifact(this._path(String(threadId)), { purge: true });
    await this.home.removeSession(thread.session.id, { now: true });
  }

  // ---- reading

  _load(thread, number) {
    const [kind, bytes] = thread.chunks[number];
    return this.serde.loadsTyped(kind, kind === "bytes" ? bytes : bytes.toString("utf8"));
  }

  async _loadBody(thread, value, like) {
    try {
      const [kind, bytes] = decode(value, like);
      return await this.serde.loadsTyped(kind, bytes.toString("utf8"));
    } catch (error) {
      throw new Damaged(`a checkpoint of thread ${thread.id} cannot be read: ${error.message}`, "damaged");
    }
  }

  async _tuple(thread, data) {
    const { ns, id, parent } = data;
    const [kind, bytes] = data.body;
    const checkpoint = await this.serde.loadsTyped(kind, bytes.toString("utf8"));
    checkpoint.channel_values = {};
    for (const [channel, { version, has }] of data.known) {
      const own = data.values && data.values[channel] !== undefined;
      if (!own && String((checkpoint.channel_versions || {})[channel]) !== String(version)) continue;
      checkpoint.channel_values[channel] = typeof has === "number"
        ? await this._load(thread, has) : await Promise.all(has.map((n) => this._load(thread, n)));
    }
    if (checkpoint.v < 4 && parent !== undefined) await this._migrate(thread, ns, parent, checkpoint);
    const place = (checkpoint_id) => ({ configurable: { thread_id: thread.id, checkpoint_ns: ns, checkpoint_id } });
    const tuple = { config: place(id), checkpoint,
      metadata: await this._loadBody(thread, data.metadata),
      pendingWrites: await this._writes(thread, ns, id) };
    if (parent !== undefined) tuple.parentConfig = place(parent);
    return tuple;
  }

  // Before version 4 sends were kept with the writes of the parent.
  async _migrate(thread, ns, parent, checkpoint) {
    const sends = (await this._writes(thread, ns, parent)).filter(([, channel]) => channel === TASKS);
    checkpoint.channel_values[TASKS] = sends.map(([, , value]) => value);
    checkpoint.channel_versions ??= {};
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  // The first write of a place counts; of errors, interrupts and the like the last.
  async _writes(thread, ns, id) {
    const rows = new Map();
    for (const data of thread.writes.get(JSON.stringify([ns, id])) || [])
      for (const [place, channel, value] of data.writes) {
        const key = JSON.stringify([data.task, place]);
        if (place < 0 || !rows.has(key)) rows.set(key, [data.task, channel, value]);
      }
    return Promise.all([...rows.values()].map(async ([task, channel, value]) => [task, channel,
      typeof value === "number" ? await this._load(thread, value)
        : await Promise.all(value[0].map((n) => this._load(thread, n)))]));
  }

  async getTuple(config) {
    const { thread_id, checkpoint_ns: ns = "" } = config.configurable || {};
    if (thread_id === undefined) return undefined;
    return this._use(thread_id, false, async (thread) => {
      const known = thread && thread.spaces.get(ns);
      if (!known) return undefined;
      const id = getCheckpointId(config) || [...known.keys()].sort().pop();
      return known.has(id) ? this._tuple(thread, known.get(id)) : undefined;
    });
  }

  async _threadIds() {
    const found = [];
    for (const artifact of await this.home.artifacts())
      if (artifact.path.startsWith(THREADS))
        found.push(JSON.parse((await this.home.getArtifact(artifact.path)).toString()).thread);
    return found;
  }

  async *list(config, { before, limit, filter } = {}) {
    const { thread_id, checkpoint_ns: ns, checkpoint_id: only } = (config && config.configurable) || {};
    const until = before && before.configurable && before.configurable.checkpoint_id;
    let left = limit ?? Infinity;
    for (const id of thread_id === undefined ? await this._threadIds() : [thread_id]) {
      const found = await this._use(id, false, async (thread) => thread
        ? [...thread.spaces].filter(([space]) => ns === undefined || space === ns)
          .flatMap(([, all]) => [...all.values()].sort((a, b) => (a.id < b.id ? 1 : -1))) : []);
      for (const data of found) {
        if ((only && data.id !== only) || (until && data.id >= until)) continue;
        const tuple = await this._use(id, false, (thread) => thread && this._tuple(thread, data));
        if (!tuple || (filter && !Object.entries(filter).every(([k, v]) => tuple.metadata[k] === v))) continue;
        if (left-- <= 0) return;
        yield tuple;
      }
    }
  }
}

module.exports = { QuireSaver };
