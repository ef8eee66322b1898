"use strict";
// The Session of @openai/agents, kept in Quire. Messages, calls and results become messages of
// Quire; every item comes back as it was given. popItem and clearSession move the leaf.
const ITEM = "openai/item";
const CLEARED = "openai/cleared";

function entryOf(item) {
  if (typeof item.role === "string" && item.role && (item.type === undefined || item.type === "message")) {
    const { content } = item;
    if (!Array.isArray(content) || !content.every((b) => b && typeof b.text === "string"))
      return { type: "message", message: item };
    const rest = { ...item, content: content.map(({ text, ...others }) => others) };
    return { type: "message", item: rest,
      message: { role: item.role, content: content.map((b) => ({ type: "text", text: b.text })) } };
  }
  if (item.type === "function_call") {
    let parsed;
    try {
      parsed = JSON.parse(item.arguments || "{}");
    } catch {
      parsed = { text: item.arguments };
    }
    return { type: "message", item, message: { role: "assistant", content: [
      { type: "toolCall", id: item.callId ?? item.call_id, name: item.name, arguments: parsed }] } };
  }
  return { type: "custom", customType: ITEM, data: item };
}

function itemOf(entry) {
  if (entry.type === "custom") return entry.customType === ITEM ? entry.data : undefined;
  if (entry.type !== "message") return undefined;
  if (entry.item === undefined) return entry.message;
  if (entry.item.role === undefined) return entry.item;
  return { ...entry.item,
    content: entry.item.content.map((rest, i) => ({ ...rest, text: entry.message.content[i].text })) };
}

class QuireSession {
  constructor(session) { this.session = session; }

  async getSessionId() { return this.session.id; }

  async _entries() {
    const all = await this.session.branchEntries();
    return all.slice(all.findLastIndex((e) => e.customType === CLEARED) + 1);
  }

  async getItems(limit) {
    const items = (await this._entries()).map(itemOf).filter((i) => i !== undefined);
    return limit === undefined ? items : limit > 0 ? items.slice(-limit) : [];
  }

  async addItems(items) { await this.session.appendMany(items.map(entryOf)); }

  async popItem() {
    const last = (await this._entries()).findLast((e) => itemOf(e) !== undefined);
    if (!last) return undefined;
    if (last.parentId === null) await this.clearSession();
    else await this.session.branch(last.parentId);
    return itemOf(last);
  }

  async clearSession() {
    await this.session.append({ type: "custom", customType: CLEARED }, { at: "root" });
  }
}

module.exports = { QuireSession };
