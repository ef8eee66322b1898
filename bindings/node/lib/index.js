"use strict";
// Homes and sessions of Quire. Every call returns a promise; the library runs on the threads of
// Node's pool, never on the main thread.
const path = require("path");
const { Readable, Writable } = require("stream");

const addon = require(path.join(__dirname, "..", "prebuilds",
  `${process.platform}-${process.arch}`, "quire.node"));

class QuireError extends Error {
  constructor(message, kind, hint) {
    super(message);
    this.name = this.constructor.name;
    this.kind = kind;
    this.hint = hint || "";
  }
}
class NotFound extends QuireError {}
class Exists extends QuireError {}
class Busy extends QuireError {}
class Invalid extends QuireError {}
class Damaged extends QuireError {}
class Changed extends QuireError {}
class QuotaExceeded extends QuireError {}
class TooLarge extends QuotaExceeded {}

const BY_KIND = { not_found: NotFound, exists: Exists, busy: Busy, invalid: Invalid,
  damaged: Damaged, changed: Changed, quota: QuotaExceeded, too_large: TooLarge };

function errorOf(kind, message, hint) {
  return new (BY_KIND[kind] || QuireError)(message, kind, hint);
}

// Arguments are texts or null; undefined is null.
async function call(op, handle, args = [], data = undefined) {
  const texts = args.map((a) => (a === undefined || a === null ? null : String(a)));
  if (data instanceof Uint8Array && !Buffer.isBuffer(data))
    data = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  try {
    return await addon.run(op, handle, texts, data);
  } catch (error) {
    if (error instanceof TypeError) throw new Invalid(error.message, "invalid", "");
    throw errorOf(error.kind, error.message, error.hint);
  }
}

async function callJson(...args) {
  return JSON.parse(await call(...args));
}

function entryText(entry) {
  if (typeof entry === "string") return entry.replace(/\r?\n/g, " ");
  const text = JSON.stringify(entry);
  if (text === undefined) throw new Invalid("the entry is not JSON", "invalid", "");
  return text;
}

const BATCH = 64;
const CHUNK = 1 << 20;

class Session {
  constructor(home, handle, info) {
    this.home = home;
    this._handle = handle;
    this.id = info.id;
    this.path = info.path;
  }

  // Append an entry; its id. Options: at, expect, op, anyShape.
  async append(entry, options = {}) {
    const [done] = await this._append([entry], options);
    return done.id;
  }

  async appendMany(entries, options = {}) {
    if (entries.length === 0) return [];
    return (await this._append(entries, options)).map((done) => done.id);
  }

  async _append(entries, { at, expect, op, anyShape } = {}) {
    const done = await callJson("append", this._handle, [at, expect, op, anyShape],
      entries.map(entryText).join("\n"));
    const last = done[done.length - 1];
    if (last && last.session) this.id = last.session;
    return done;
  }

  message(role, content, fields = {}) {
    return this.append({ type: "message", message: { role, content, ...fields } });
  }

  async flush() { await call("flush", this._handle); }

  async branch(entry, keep = true) { await call("branch", this._handle, [entry, keep]); }

  async label(entry, label) { await call("label", this._handle, [entry, label]); }

  async rename(title) { await call("rename", this._handle, [title]); }

  info() { return callJson("info", this._handle); }

  // The entries in the order of the file, as they are asked for.
  async *entries() {
    const total = (await this.info()).entries;
    for (let from = 0; from < total; from += BATCH)
      yield* await callJson("entries", this._handle, [from, Math.min(BATCH, total - from)]);
  }

  // So many entries from an ordinal on, also those that another process has appended.
  entriesFrom(from, n = BATCH) { return callJson("entries", this._handle, [from, n]); }

  entry(id) { return callJson("entry", this._handle, [id]); }

  branchEntries(leaf) { return callJson("path", this._handle, [leaf]); }

  context(leaf) { return callJson("context", this._handle, [leaf]); }

  async messages(leaf) { return (await this.context(leaf)).messages; }

  // The output of a tool, as a stream: `await sink.finish()`, or end(), then `sink.shown`.
  async sink(tool = "tool", { threshold, head, columns } = {}) {
    const { _home, _tenant, _readOnly } = this.home;
    return new Sink(await call("sinkOpen", null,
      [_home, _tenant, _readOnly, this.id, tool, threshold, head, columns]));
  }

  read(address, options) { return this.home.read(address, { session: this.id, ...options }); }

  putArtifact(name, data, options) {
    return this.home.putArtifact(name, data, { session: this.id, ...options });
  }

  getArtifact(name, options) { return this.home.getArtifact(name, { session: this.id, ...options }); }

  artifacts() { return this.home.artifacts({ session: this.id }); }

  async export(to, options) {
    await this.flush();
    return this.home.export(this.id, to, options);
  }

  async close() { await ignoreClosed(call("sessionClose", this._handle)); }

  async [Symbol.asyncDispose || Symbol.for("nodejs.asyncDispose")]() { await this.close(); }
}

async function ignoreClosed(promise) {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
  }
}

class Sink extends Writable {
  constructor(handle) {
    super({ decodeStrings: true, highWaterMark: CHUNK });
    this._handle = handle;
    this.shown = undefined;
  }

  _write(chunk, _encoding, done) { call("sinkWrite", this._handle, [], chunk).then(() => done(), done); }

  _writev(chunks, done) {
    this._write(Buffer.concat(chunks.map((c) => c.chunk)), null, done);
  }

  _final(done) {
    callJson("sinkFinish", this._handle).then((shown) => {
      shown.address = shown.number === null ? null : `artifact://${shown.number}`;
      this.shown = shown;
      done();
    }, done);
  }

  _destroy(error, done) {
    ignoreClosed(call("sinkClose", this._handle)).then(() => done(error), () => done(error));
  }

  // End the stream; what to show of it. Durable then.
  finish() {
    return new Promise((resolve, reject) => {
      this.once("error", reject);
      this.end(() => resolve(this.shown));
    });
  }
}

class Home {
  constructor(handle, home, options) {
    this._handle = handle;
    this._home = home;
    this._tenant = options.tenant;
    this._readOnly = options.readOnly ? true : undefined;
    this.path = home;
  }

  async _session(op, sync, args) {
    if (!["each", "flush", "none"].includes(sync))
      throw new Invalid(`unknown durability '${sync}'`, "invalid", "each, flush or none");
    const handle = await call(op, null,
      [this._home, this._tenant, this._readOnly, sync, ...args]);
    return new Session(this, handle, await callJson("info", handle));
  }

  newSession({ cwd, title, parent, sync = "flush" } = {}) {
    return this._session("sessionNew", sync, [cwd, title, parent]);
  }

  openSession(which, { readOnly, sync = "flush" } = {}) {
    return this._session("sessionOpen", sync, [which, readOnly]);
  }

  sessions({ cwd, limit } = {}) { return callJson("sessions", this._handle, [cwd, limit]); }

  async removeSession(which, { now } = {}) { await call("sessionRemove", this._handle, [which, now]); }

  async export(session, to, { leaf, redact } = {}) {
    return call("export", this._handle, [session, to, leaf, redact]);
  }

  putBlob(data) { return callJson("blobPut", this._handle, [], data); }

  getBlob(ref, { start, end } = {}) { return call("blobGet", this._handle, [ref, start || 0, end]); }

  blobStream(ref, start = 0) {
    const home = this;
    return Readable.from((async function* () {
      const size = await callJson("blobSize", home._handle, [ref]);
      for (let at = start; at < size; at += CHUNK)
        yield home.getBlob(ref, { start: at, end: Math.min(at + CHUNK, size) });
    })(), { objectMode: false });
  }

  async read(address, { session, offset, limit, grep, tail } = {}) {
    const bytes = await call("read", this._handle, [session, address, offset, limit, grep, tail]);
    return bytes.toString("utf8");
  }

  putArtifact(name, data, { session, mime, purpose, expect } = {}) {
    return callJson("artifactPut", this._handle, [session, name, mime, purpose, expect], data);
  }

  getArtifact(name, { session, version } = {}) {
    return call("artifactGet", this._handle, [session, name, version]);
  }

  artifacts({ session } = {}) { return callJson("artifactList", this._handle, [session]); }

  async removeArtifact(name, { session, purge } = {}) {
    await call("artifactRemove", this._handle, [session, name, purge]);
  }

  remember(type, title, content = "", { session, supersedes, tags = [] } = {}) {
    return callJson("memoryAdd", this._handle, [session, type, title, content, supersedes, ...tags]);
  }

  recall(query, { session, limit } = {}) {
    return callJson("memoryRecall", this._handle, [query, session, limit]);
  }

  memories() { return callJson("memoryList", this._handle); }

  async forget(id) { await call("memoryForget", this._handle, [id]); }

  // {hits, total, nextCursor}
  search(query, { kind, role, tool, session, project, sort, limit, cursor, regex } = {}) {
    return callJson("search", this._handle,
      [query, kind, role, tool, session, project, sort, limit, cursor, regex]);
  }

  async close() { await ignoreClosed(call("homeClose", this._handle)); }

  async [Symbol.asyncDispose || Symbol.for("nodejs.asyncDispose")]() { await this.close(); }
}

// Open a home: the directory, else $QUIRE_HOME, else ~/.local/share/quire.
async function open(home, options = {}) {
  const handle = await call("homeOpen", null, [home, options.tenant, options.readOnly]);
  return new Home(handle, await callJson("homePath", handle), options);
}

module.exports = { open, Home, Session, Sink, QuireError, NotFound, Exists, Busy, Invalid, Damaged,
  Changed, QuotaExceeded, TooLarge, libraryVersion: addon.version };
