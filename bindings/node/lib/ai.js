"use strict";
// A store of UI messages for the Vercel AI SDK: a chat is a session, a message an entry. Messages
// that are saved again cost nothing; one that was changed, or a list that was cut, becomes a
// branch, and nothing is erased.
const crypto = require("crypto");
const { NotFound, Changed } = require("./index.js");

const CHATS = "ai-sdk/chats/";

function textsOf(message) {
  return (message.parts || []).map((p) => (typeof p.text === "string" ? { type: "text", text: p.text } : null))
    .filter(Boolean);
}

// The texts are where searches and contexts find them; `ui` has the rest.
function entryOf(message) {
  const parts = (message.parts || []).map((p) => {
    if (typeof p.text !== "string") return p;
    const { text, ...rest } = p;
    return { ...rest, text: null };
  });
  return { type: "message", message: { role: message.role, content: textsOf(message) },
    ui: { ...message, parts } };
}

function messageOf(entry) {
  const texts = entry.message.content.map((c) => c.text);
  return { ...entry.ui, parts: entry.ui.parts.map((p) => (p && p.text === null ? { ...p, text: texts.shift() } : p)) };
}

function same(a, b) { return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)); }

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((k) => [k, sorted(value[k])]));
}

class ChatStore {
  constructor(home, { sync = "each" } = {}) {
    this.home = home;
    this._sync = sync;
  }

  _path(id) { return CHATS + crypto.createHash("sha256").update(id).digest("hex"); }

  async _open(id, options) {
    const known = (await this.home.getArtifact(this._path(id))).toString();
    return this.home.openSession(known, { sync: this._sync, ...options });
  }

  async _make(id) {
    const session = await this.home.newSession({ title: id, sync: this._sync });
    try {
      await this.home.putArtifact(this._path(id), session.id, { mime: "text/plain", expect: "none" });
      return session;
    } catch (error) {
      await session.close();
      await this.home.removeSession(session.id, { now: true });
      if (!(error instanceof Changed)) throw error;
      return this._open(id);
    }
  }

  async _entries(session) {
    return (await session.branchEntries()).filter((e) => e.type === "message" && e.ui);
  }

  // The messages of a chat; none for one that does not exist.
  async loadChat(id) {
    let session;
    try {
      session = await this._open(id, { readOnly: true });
    } catch (error) {
      if (error instanceof NotFound) return [];
      throw error;
    }
    try {
      return (await this._entries(session)).map(messageOf);
    } finally {
      await session.close();
    }
  }

  // Make the chat have these messages: as onFinish has them.
  async saveChat({ chatId, messages }) {
    let session;
    try {
      session = await this._open(chatId);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      session = await this._make(chatId);
    }
    try {
      const entries = await this._entries(session);
      let keep = 0;
      while (keep < Math.min(entries.length, messages.length) && same(messageOf(entries[keep]), messages[keep])) keep++;
      const more = messages.slice(keep).map(entryOf);
      const at = keep < entries.length ? (keep ? entries[keep - 1].id : "root") : undefined;
      if (more.length) await session.appendMany(more, { at });
      else if (at) await session.branch(at === "root" ? null : at);
    } finally {
      await session.close();
    }
  }
}

module.exports = { ChatStore };
