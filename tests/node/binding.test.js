"use strict";
const assert = require("assert");
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");
const test = require("node:test");
const { quire, home, user } = require("./support.js");

test("appends are entries and their context", async (t) => {
  const h = await home(t);
  const s = await h.newSession({ title: "tea", cwd: "/tmp" });
  const ids = [await s.append(user("hi \u00e9\u{1f600}")), await s.message("assistant", "ho"),
    ...await s.appendMany([{ type: "custom", customType: "x" }, '{"type":"custom",\n"customType":"y"}'])];
  const entries = [];
  for await (const e of s.entries()) entries.push(e);
  assert.deepStrictEqual(entries.map((e) => e.id), ids);
  assert.deepStrictEqual((await s.messages()).map((m) => m.content), ["hi \u00e9\u{1f600}", "ho"]);
  assert.deepStrictEqual((await s.branchEntries(ids[1])).map((e) => e.id), ids.slice(0, 2));
  assert.strictEqual((await s.entry(ids[1])).parentId, ids[0]);
  const info = await s.info();
  assert.deepStrictEqual([info.title, info.cwd, info.leaf, info.entries], ["tea", "/tmp", ids[3], 4]);
  await s.branch(ids[0]);
  await s.label(ids[0], "start");
  await s.rename("new");
  await s.close();
  await s.close();
  await assert.rejects(s.append(user("x")), quire.Invalid);
  const again = await h.openSession(s.id.slice(0, 12), { readOnly: true });
  assert.strictEqual((await again.info()).title, "new");
  await assert.rejects(again.append(user("no")), quire.Invalid);
  await again.close();
  assert.deepStrictEqual((await h.sessions()).map((i) => i.id), [s.id]);
});

test("errors have kinds", async (t) => {
  const h = await home(t);
  const s = await h.newSession();
  const first = await s.append(user("a"));
  await assert.rejects(h.openSession("0000"), (e) => e instanceof quire.NotFound && e.kind === "not_found");
  await assert.rejects(s.append({ type: "mesage" }), /did you mean 'message'/);
  await s.append({ type: "mesage" }, { anyShape: true });
  await assert.rejects(s.append(user("b"), { expect: first }), quire.Changed);
  const once = await s.append(user("c"), { op: "k" });
  assert.strictEqual(await s.append(user("c"), { op: "k" }), once);
  await assert.rejects(s.append(user("d"), { op: "k" }), quire.Exists);
  await assert.rejects(h.putArtifact("../x", "y"), quire.Invalid);
  await assert.rejects(h.putArtifact("big", Buffer.alloc(17 << 20)), quire.TooLarge);
  await assert.rejects(h.newSession({ sync: "always" }), quire.Invalid);
  await assert.rejects(h.newSession({ cwd: "a\0b" }), quire.Invalid);
  await s.close();
});

test("blobs, artifacts, memory and search", async (t) => {
  const h = await home(t);
  const s = await h.newSession();
  const data = require("crypto").randomBytes(3 << 20);
  const ref = await h.putBlob(data);
  assert.deepStrictEqual(await h.getBlob(ref), data);
  assert.deepStrictEqual(await h.getBlob(ref, { start: 5, end: 9 }), data.subarray(5, 9));
  const pieces = [];
  for await (const piece of h.blobStream(ref)) pieces.push(piece);
  assert.ok(Buffer.concat(pieces).equals(data));
  const one = await s.putArtifact("a/b.md", "one");
  const two = await s.putArtifact("a/b.md", new Uint8Array([116, 119, 111]), { expect: one.sha256 });
  assert.deepStrictEqual([two.version, (await s.getArtifact("a/b.md")).toString(),
    (await s.getArtifact("a/b.md", { version: 1 })).toString()], [2, "two", "one"]);
  await assert.rejects(s.putArtifact("a/b.md", "x", { expect: "none" }), quire.Changed);
  assert.strictEqual((await s.artifacts()).length, 1);
  const fact = await h.remember("project", "ports", "7733", { tags: ["net"], session: s.id });
  const other = await h.remember("project", "ports too", "", { supersedes: fact.id });
  assert.deepStrictEqual((await h.recall("ports")).map((m) => m.id), [other.id]);
  assert.deepStrictEqual(await h.recall("nothing-like-it"), []);
  await h.forget(other.id);
  assert.deepStrictEqual(await h.memories(), []);
  for (let i = 0; i < 12; i++) await s.message("user", `needle ${i}`);
  const page = await h.search("needle", { limit: 5, kind: "message" });
  const next = await h.search("needle", { limit: 5, kind: "message", cursor: page.nextCursor });
  assert.strictEqual(page.total, 12);
  assert.strictEqual(new Set([...page.hits, ...next.hits].map((x) => x.entry)).size, 10);
  assert.match((await s.export("markdown")).toString(), /needle 11/);
  await s.close();
});

test("sinks are streams", async (t) => {
  const h = await home(t);
  const s = await h.newSession();
  const file = path.join(h.path, "..", "numbers");
  fs.writeFileSync(file, Array.from({ length: 20000 }, (_, i) => `${i}\n`).join(""));
  const sink = await s.sink("cat", { threshold: 100 });
  await require("stream/promises").pipeline(fs.createReadStream(file), sink);
  assert.strictEqual(sink.shown.address, "artifact://0");
  assert.strictEqual(await s.read("artifact://0", { tail: 1 }), "19999\n");
  assert.strictEqual(await s.read("artifact://0", { grep: "^7.7$", limit: 1 }), "707\n");
  const dropped = await s.sink("x", { threshold: 1 });
  dropped.write("12345");
  dropped.destroy();
  await assert.rejects(s.read("artifact://1"), quire.NotFound);
  await s.close();
});

test("many calls at once are done in their order, and leak nothing", async (t) => {
  const h = await home(t);
  const s = await h.newSession({ sync: "each" });
  await Promise.all(Array.from({ length: 300 }, (_, i) => s.message("user", `${i}`)));
  const entries = [];
  for await (const e of s.entries()) entries.push(e);
  assert.strictEqual(new Set(entries.map((e) => e.id)).size, 300);
  assert.deepStrictEqual(entries.map((e) => e.parentId), [null, ...entries.slice(0, -1).map((e) => e.id)]);
  await s.close();
  const descriptors = () => fs.readdirSync("/proc/self/fd").length;
  const once = async () => {
    const other = await quire.open(h.path);
    const session = await other.newSession();
    await session.message("user", "x".repeat(1000));
    await session.putArtifact("a", "b");
    await session.close();
    await other.close();
  };
  for (let i = 0; i < 5; i++) await once();
  const before = descriptors();
  for (let i = 0; i < 40; i++) await once();
  assert.ok(descriptors() <= before + 2, `${before} to ${descriptors()}`);
});

test("a call beside a close is done, or refused", async (t) => {
  const h = await home(t);
  const s = await h.newSession();
  const calls = Array.from({ length: 30 }, (_, i) => s.message("user", `${i}`).catch((e) => e));
  await s.close();
  for (const done of await Promise.all(calls)) assert.ok(typeof done === "string" || done instanceof quire.Invalid, done);
});

test("what an agent acknowledged survives kill -9 at any moment", async (t) => {
  const h = await home(t);
  const kept = { entry: new Set(), artifact: new Set(), fact: new Set(), output: new Set() };
  let session;
  for (let n = Number(process.env.QUIRE_KILLS || 6); n > 0; n--) {
    const limit = 1 + Math.floor(Math.random() * 60);
    const agent = spawn(process.execPath, [path.join(__dirname, "agent.js"), h.path, ...(session ? [session] : [])]);
    let lines = [];
    let rest = "";
    agent.stderr.pipe(process.stderr);
    agent.stdout.on("data", (data) => {
      lines = lines.concat((rest + data).split("\n"));
      rest = lines.pop();
      if (lines.length >= limit) agent.kill("SIGKILL");
    });
    const [, signal] = await new Promise((resolve) => agent.on("close", (...how) => resolve(how)));
    assert.strictEqual(signal, "SIGKILL");
    session = lines[0].split(" ")[1];
    for (const line of lines.slice(1)) kept[line.split(" ")[0]].add(line.split(" ")[1]);
  }
  const s = await h.openSession(session);
  const ids = new Set();
  for await (const e of s.entries()) ids.add(e.id);
  for (const id of kept.entry) assert.ok(ids.has(id), id);
  const paths = new Set((await s.artifacts()).map((a) => a.path));
  for (const name of kept.artifact) assert.ok(paths.has(name), name);
  const facts = new Set((await h.memories()).map((m) => String(m.id)));
  for (const id of kept.fact) assert.ok(facts.has(id), id);
  for (const address of kept.output) await s.read(address, { tail: 1 });
  await s.close();
});
