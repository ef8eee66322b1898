"use strict";
// Resumable streams: the pieces of an answer as they come, in a log that readers follow from any
// byte. The log is a session of its own while the answer is written. At the end its bytes become
// a blob, the final entry of the conversation names it, and the log is removed; a reader from
// byte N gets the same bytes before and after. cancel() reaches the writer in any process.
const crypto = require("crypto");
const { setTimeout: sleep } = require("timers/promises");
const { Invalid, NotFound, Changed } = require("./index.js");

const DELTA = "quire/delta";
const POLL_MS = 40;
const BATCH = 64;

class ResumableStreams {
  // Streams of a conversation; its session is opened to append the final entry.
  constructor(home, session) {
    this.home = home;
    this.session = typeof session === "string" ? session : session.id;
  }

  _path(id, what = "") {
    return `streams/${crypto.createHash("sha256").update(id).digest("hex").slice(0, 40)}${what}`;
  }

  async _state(id) {
    return JSON.parse((await this.home.getArtifact(this._path(id), { session: this.session })).toString());
  }

  // Begin a stream: a writer. Exists if there is one of this id.
  async create(id, { sync = "flush" } = {}) {
    const log = await this.home.newSession({ title: `stream ${id}`.slice(0, 200), parent: this.session, sync });
    try {
      await this.home.putArtifact(this._path(id), JSON.stringify({ state: "open", log: log.id }),
        { session: this.session, mime: "application/json", expect: "none" });
    } catch (error) {
      await log.close();
      await this.home.removeSession(log.id, { now: true });
      if (!(error instanceof Changed)) throw error;
      throw new Invalid(`there is a stream ${id} already`, "exists", "choose another id, or read it");
    }
    return new StreamWriter(this, id, log);
  }

  // Continue one whose process has died.
  async resume(id, { sync = "flush" } = {}) {
    const state = await this._state(id);
    if (state.state !== "open") throw new Invalid(`stream ${id} is ${state.state}`, "invalid");
    const log = await this.home.openSession(state.log, { sync });
    const writer = new StreamWriter(this, id, log);
    for await (const entry of log.entries()) if (entry.customType === DELTA) writer._take(Buffer.from(entry.data.b, "base64"));
    return writer;
  }

  // Ask the writer to stop.
  async cancel(id) {
    await this._state(id);
    await this.home.putArtifact(this._path(id, ".cancel"), "cancelled", { session: this.session });
  }

  async isCancelled(id) {
    try {
      await this.home.getArtifact(this._path(id, ".cancel"), { session: this.session });
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  // The bytes of a stream from `from` on, until its end: also while it is written.
  async *read(id, { from = 0, signal } = {}) {
    let at = from;
    for (;;) {
      const state = await this._state(id);
      if (state.state !== "open") {
        if (at < state.bytes) yield* this.home.blobStream(state.blob, at);
        return;
      }
      let log;
      try {
        log = await this.home.openSession(state.log, { readOnly: true });
      } catch (error) {
        if (error instanceof NotFound) continue; // it has just ended
        throw error;
      }
      try {
        for await (const piece of this._follow(id, log, at, signal)) {
          at += piece.length;
          yield piece;
        }
      } finally {
        await log.close();
      }
      if (signal && signal.aborted) return;
    }
  }

  // What the log has, until the stream is not open any more.
  async *_follow(id, log, from, signal) {
    let ordinal = 0;
    let begins = 0;
    for (;;) {
      const state = await this._state(id); // before the entries: none is missed
      let batch;
      do {
        batch = await log.entriesFrom(ordinal, BATCH);
        ordinal += batch.length;
        for (const entry of batch) {
          if (entry.customType !== DELTA) continue;
          const bytes = Buffer.from(entry.data.b, "base64");
          const skip = Math.max(0, from - begins);
          begins += bytes.length;
          if (skip < bytes.length) yield bytes.subarray(skip);
        }
      } while (batch.length === BATCH);
      if (state.state !== "open" || (signal && signal.aborted)) return;
      await sleep(POLL_MS);
    }
  }
}

class StreamWriter {
  constructor(streams, id, log) {
    this.streams = streams;
    this.id = id;
    this._log = log;
    this._pieces = [];
    this.bytes = 0;
  }

  _take(bytes) {
    this._pieces.push(bytes);
    this.bytes += bytes.length;
  }

  // Store a piece; the byte behind it. Readers get it from then on.
  async write(piece) {
    if (!this._log) throw new Invalid(`stream ${this.id} has ended`, "invalid");
    const bytes = Buffer.from(piece);
    await this._log.append({ type: "custom", customType: DELTA, data: { b: bytes.toString("base64") } });
    this._take(bytes);
    return this.bytes;
  }

  isCancelled() { return this.streams.isCancelled(this.id); }

  // Fold the stream into the final entry of the conversation; its id. Without an entry the stream
  // is kept for its readers only. A repeat after a crash appends nothing twice.
  async end(entry, { state = "done" } = {}) {
    const { home, session } = this.streams;
    const blob = await home.putBlob(Buffer.concat(this._pieces));
    let made = null;
    if (entry) {
      const open = await home.openSession(session, { sync: "each" });
      try {
        made = await open.append({ ...entry, stream: { id: this.id, blob, bytes: this.bytes, state } },
          { op: `stream ${this.id}` });
      } finally {
        await open.close();
      }
    }
    await home.putArtifact(this.streams._path(this.id),
      JSON.stringify({ state, blob, bytes: this.bytes, entry: made }), { session, mime: "application/json" });
    const log = this._log;
    this._log = null;
    await log.close();
    await home.removeSession(log.id, { now: true });
    return made;
  }
}

module.exports = { ResumableStreams };
