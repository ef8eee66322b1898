"use strict";
const assert = require("assert");
const { execFileSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const test = require("node:test");
const { PACKAGE } = require("./support.js");

function examples(file) {
  return [...fs.readFileSync(file, "utf8").matchAll(/^```js\n([^]*?)^```/gm)].map((m) => m[1]);
}

// The examples as a program that has installed the package runs them.
function run(t, code) {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "quire-doc-"));
  t.after(() => fs.rmSync(place, { recursive: true, force: true }));
  fs.mkdirSync(path.join(place, "node_modules"));
  fs.symlinkSync(PACKAGE, path.join(place, "node_modules", "quire"));
  fs.writeFileSync(path.join(place, "x.js"), code);
  return execFileSync(process.execPath, ["x.js"], { cwd: place, encoding: "utf8",
    env: { ...process.env, QUIRE_HOME: path.join(place, "home") } });
}

test("the example of the front page runs", (t) => {
  const [code] = examples(path.resolve(PACKAGE, "../../README.md"));
  assert.strictEqual(run(t, code), "1\n");
});

test("the examples of the package run", (t) => {
  const [turn, stream] = examples(path.join(PACKAGE, "README.md"));
  assert.strictEqual(run(t, turn), "[ 'count to 20000', 'done: artifact://0' ]\n20000\n\n1\n");
  assert.strictEqual(run(t, `${stream}
const quire = require("quire");
(async () => {
  const home = await quire.open();
  const session = await home.newSession();
  await session.close();
  await answer(home, session, ["a", "b"]);
  for await (const piece of new ResumableStreams(home, session).read("answer-1", { from: 1 })) console.log(String(piece));
})();`), "b\n");
});
