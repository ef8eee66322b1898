// Compiles the addon: node build.js [--if-needed]. With --if-needed, as when the package is
// installed, only if no prebuilt one of this platform loads. Needs a C compiler, Node's headers
// (in its prefix, /usr/include/node, or QUIRE_NODE_HEADERS), and libquire: the checkout that this
// directory is in, else as pkg-config finds it.
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");

const top = path.resolve(__dirname, "../..");
const prebuilt = path.join(__dirname, "prebuilds", `${process.platform}-${process.arch}`, "quire.node");

function loads(file) {
  try {
    require(file);
    return true;
  } catch {
    return false;
  }
}

function headers() {
  const places = [process.env.QUIRE_NODE_HEADERS,
    path.resolve(process.execPath, "../../include/node"), "/usr/include/node"];
  const found = places.find((p) => p && fs.existsSync(path.join(p, "node_api.h")));
  if (!found) throw new Error("node_api.h is missing: set QUIRE_NODE_HEADERS to its directory");
  return found;
}

function pkgConfig(...args) {
  return execFileSync("pkg-config", args, { encoding: "utf8" }).trim().split(/\s+/).filter(Boolean);
}

// Node exports symbols of its own zlib: the libraries are linked statically where that is possible,
// and bound within the addon.
function libraries() {
  const build = process.env.QUIRE_BUILD || path.join(top, "build");
  const archive = path.join(build, "libquire.a");
  if (!fs.existsSync(archive)) return pkgConfig("--cflags", "--libs", "quire");
  const names = pkgConfig("--libs", "sqlite3", "nettle", "libisal", "zlib", "libpcre2-8");
  const linked = names.map((name) => {
    if (!name.startsWith("-l")) return name;
    const file = execFileSync(process.env.CC || "cc", [`-print-file-name=lib${name.slice(2)}.a`],
      { encoding: "utf8" }).trim();
    return fs.existsSync(file) ? file : name;
  });
  return [`-I${path.join(top, "include")}`, archive, ...linked];
}

function build() {
  const source = path.join(__dirname, "src");
  const files = fs.readdirSync(source).filter((f) => f.endsWith(".c")).sort();
  fs.mkdirSync(path.dirname(prebuilt), { recursive: true });
  const made = `${prebuilt}.${process.pid}`;
  execFileSync(process.env.CC || "cc", ["-std=c11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared",
    "-fvisibility=hidden", `-I${headers()}`, "-o", made,
    ...files.map((f) => path.join(source, f)), ...libraries(),
    "-Wl,-Bsymbolic", "-Wl,--exclude-libs,ALL", "-lm", "-lpthread", "-ldl"], { stdio: "inherit" });
  fs.renameSync(made, prebuilt);
}

if (!(process.argv.includes("--if-needed") && loads(prebuilt))) build();
