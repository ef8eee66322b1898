"use strict";
const assert = require("assert");
const path = require("path");
const test = require("node:test");
const { PACKAGE, quire, home } = require("./support.js");

const { QuireSaver } = require(path.join(PACKAGE, "lib/langgraph.js"));
const { QuireSession } = require(path.join(PACKAGE, "lib/openai_agents.js"));
const { ChatStore } = require(path.join(PACKAGE, "lib/ai.js"));
const { ResumableStreams } = require(path.join(PACKAGE, "lib/streams.js"));

test("a chat of LangGraph takes space linear in what is new", async (t) => {
  const h = await home(t);
  let saver = new QuireSaver(h, { sync: "none" });
  let config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
  const words = Array.from({ length: 2000 }, (_, i) => (i * 2654435761 % 4294967296).toString(36).slice(0, 2 + i % 7));
  let seed = 1;
  const word = () => { // as often as words of a language occur: the n-th 1/n times as often as the first
    seed = (seed * 48271) % 2147483647;
    return words[Math.floor(2000 ** (seed / 2147483647)) - 1];
  };
  const messages = [];
  let unique = 0;
  for (let n = 0; n < 100; n++) {
    const message = { id: `m${n}`, content: Array.from({ length: 160 }, () => word()).join(" ") };
    unique += JSON.stringify(message).length;
    if (n) await saver.putWrites(config, [["messages", message]], `task${n}`);
    messages.push(message);
    config = await saver.put(config, { v: 4, id: String(n).padStart(8, "0"), ts: "2026-01-01T00:00:00Z",
      channel_values: { messages: [...messages], n }, channel_versions: { messages: n + 1, n: n + 1 }, versions_seen: {} },
    { step: n, source: "loop" }, { messages: n + 1, n: n + 1 });
  }
  const [info] = await h.sessions();
  assert.ok(info.bytes < 1.3 * unique, `${info.bytes} of ${unique}`);
  for (let i = 0; i < 2; i++) {
    const found = await saver.getTuple({ configurable: { thread_id: "t" } });
    assert.deepStrictEqual(found.checkpoint.channel_values, { messages, n: 99 });
    const early = await saver.getTuple({ configurable: { thread_id: "t", checkpoint_id: "00000004" } });
    assert.deepStrictEqual(early.checkpoint.channel_values.messages, messages.slice(0, 5));
    assert.deepStrictEqual(early.pendingWrites, [["task5", "messages", messages[5]]]);
    await saver.release();
    saver = new QuireSaver(h, { sync: "none" });
  }
  const steps = [];
  for await (const tuple of saver.list({ configurable: { thread_id: "t" } }, { limit: 3 })) steps.push(tuple.metadata.step);
  assert.deepStrictEqual(steps, [99, 98, 97]);
  await saver.deleteThread("t");
  assert.strictEqual(await saver.getTuple({ configurable: { thread_id: "t" } }), undefined);
  await saver.release();
});

test("items of the OpenAI Agents SDK come back as they were", async (t) => {
  const h = await home(t);
  const items = [{ role: "user", content: "hi" }, { type: "reasoning", id: "r" },
    { type: "function_call", callId: "c", name: "ls", arguments: '{"p": "."}' },
    { type: "function_call_result", callId: "c", output: { type: "text", text: "a" } },
    { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done", x: 1 }] }];
  const inner = await h.newSession();
  const session = new QuireSession(inner);
  assert.strictEqual(await session.popItem(), undefined);
  await session.addItems(items);
  assert.deepStrictEqual(await session.getItems(), items);
  assert.deepStrictEqual(await session.getItems(2), items.slice(-2));
  assert.deepStrictEqual(await session.popItem(), items[4]);
  assert.deepStrictEqual(await session.getItems(), items.slice(0, 4));
  await session.clearSession();
  assert.deepStrictEqual(await session.getItems(), []);
  await session.addItems(items.slice(0, 1));
  assert.deepStrictEqual(await session.popItem(), items[0]);
  assert.deepStrictEqual(await session.getItems(), []);
  await inner.close();
});

test("chats of the AI SDK are saved, changed and cut without erasing", async (t) => {
  const h = await home(t);
  const store = new ChatStore(h);
  const messages = [{ id: "1", role: "user", parts: [{ type: "text", text: "hi" }] },
    { id: "2", role: "assistant", metadata: { m: 1 }, parts: [{ type: "step-start" }, { type: "text", text: "ho", state: "done" },
      { type: "tool-ls", toolCallId: "c", state: "output-available", input: {}, output: [1] }] }];
  assert.deepStrictEqual(await store.loadChat("c"), []);
  await store.saveChat({ chatId: "c", messages });
  await store.saveChat({ chatId: "c", messages });
  assert.deepStrictEqual(await store.loadChat("c"), messages);
  const [info] = await h.sessions();
  assert.strictEqual(info.messages, 2);
  const other = [messages[0], { id: "3", role: "assistant", parts: [{ type: "text", text: "again" }] }];
  await store.saveChat({ chatId: "c", messages: other });
  assert.deepStrictEqual(await store.loadChat("c"), other);
  await store.saveChat({ chatId: "c", messages: other.slice(0, 1) });
  assert.deepStrictEqual(await store.loadChat("c"), other.slice(0, 1));
  await store.saveChat({ chatId: "c", messages: [] });
  assert.deepStrictEqual(await store.loadChat("c"), []);
  assert.strictEqual((await h.search("again", { kind: "message" })).total, 1);
});

async function all(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

test("a reader of a stream gets the same bytes from any byte on, whenever it comes", async (t) => {
  const h = await home(t);
  const s = await h.newSession();
  await s.message("user", "say something");
  const streams = new ResumableStreams(h, s);
  await s.close();
  const wanted = Buffer.concat(Array.from({ length: 40 }, (_, i) => Buffer.from(`data: ${i} \u00e9\n\n`)));
  const writer = await streams.create("answer");
  await assert.rejects(streams.create("answer"), quire.QuireError);
  const reading = [0, 1, 7, 100].map((from) => all(streams.read("answer", { from })).then((got) => [from, got]));
  for (let i = 0; i < 40; i++) await writer.write(`data: ${i} \u00e9\n\n`);
  reading.push(all(streams.read("answer", { from: 50 })).then((got) => [50, got]));
  await new Promise((done) => setTimeout(done, 60));
  const entry = await writer.end({ type: "message", message: { role: "assistant", content: "done" } });
  for (const [from, got] of await Promise.all(reading)) assert.ok(got.equals(wanted.subarray(from)), `from ${from}`);
  for (let from = 0; from <= wanted.length; from += 13)
    assert.ok((await all(streams.read("answer", { from }))).equals(wanted.subarray(from)), `later, from ${from}`);
  const again = await h.openSession(s.id, { readOnly: true });
  const folded = await again.entry(entry);
  assert.strictEqual(folded.stream.bytes, wanted.length);
  assert.deepStrictEqual((await again.messages()).map((m) => m.content), ["say something", "done"]);
  await again.close();
  assert.strictEqual((await h.sessions()).length, 1, "the log is gone");
  await assert.rejects(writer.write("late"), quire.Invalid);
});

test("a stream is cancelled from elsewhere, and continued after its writer died", async (t) => {
  const h = await home(t);
  const s = await h.newSession();
  await s.close();
  const streams = new ResumableStreams(h, s.id);
  const writer = await streams.create("a");
  await writer.write("one ");
  assert.strictEqual(await writer.isCancelled(), false);
  await new ResumableStreams(h, s.id).cancel("a");
  assert.strictEqual(await writer.isCancelled(), true);
  await writer._log.close(); // its process ends
  const next = await streams.resume("a");
  assert.strictEqual(next.bytes, 4);
  await next.write("two");
  await next.end(undefined, { state: "cancelled" });
  assert.strictEqual((await all(streams.read("a"))).toString(), "one two");
  await assert.rejects(streams.resume("a"), quire.Invalid);
  await assert.rejects(all(streams.read("b")), quire.NotFound);
});
