"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");

process.env.NODE_PATH = path.join(__dirname, "interfaces");
require("module").Module._initPaths();
for (const name of ["QUIRE_HOME", "QUIRE_TENANT", "QUIRE_SESSION"]) delete process.env[name];

const PACKAGE = path.resolve(__dirname, "../../bindings/node");
const quire = require(PACKAGE);

// A home of its own for a test; it is closed and removed after it.
async function home(t) {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "quire-node-"));
  const opened = await quire.open(path.join(place, "home"));
  t.after(async () => {
    await opened.close();
    fs.rmSync(place, { recursive: true, force: true });
  });
  return opened;
}

const user = (text) => ({ type: "message", message: { role: "user", content: text } });

module.exports = { PACKAGE, quire, home, user };
