// Every address of /openapi.json by node's own client: who may not ask is told
// so, another tenant finds nothing, what is wrong is refused in the one shape, and
// what is right is answered as it is described.
//
//     node routes.mjs URL ADMIN-TOKEN [DIR]
//
// With DIR, where an OpenAPI validator lies, the description is given to it first.
// A line for each thing that is not so; the last line counts.
import http from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

const [url, admin, validator] = process.argv.slice(2);
const SECRET = "the walrus keeps a secret";
let passed = 0, failed = 0;

function check(fine, words) {
  if (fine) passed++;
  else {
    failed++;
    console.log(`not so: ${words}`);
  }
}

async function ask(method, path, { token, body, headers = {}, raw } = {}) {
  const h = { ...headers };
  if (token) h.Authorization = `Bearer ${token}`;
  if (body !== undefined && !raw) h["Content-Type"] = "application/json";
  const got = await fetch(url + path, {
    method, headers: h, redirect: "manual",
    body: body === undefined ? undefined : raw ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(20000), duplex: "half",
  });
  if (got.headers.get("content-type")?.startsWith("text/event-stream")) {
    await got.body.cancel();
    return { status: got.status, text: "", headers: got.headers };
  }
  const text = await got.text();
  let json;
  try { json = JSON.parse(text); } catch { /* content */ }
  return { status: got.status, text, json, headers: got.headers };
}

const isRefusal = (j) => typeof j?.error === "string" && j.error &&
  typeof j.kind === "string" && j.kind && typeof j.hint === "string" && j.hint;

async function tenant(name) {
  const got = await ask("POST", "/v1/admin/tenants", { token: admin, body: { name } });
  return { id: got.json.id, token: got.json.token };
}

// ---- one of each -----------------------------------------------------------

const api = (await ask("GET", "/openapi.json")).json;
if (validator) {
  const require = createRequire(validator + "/");
  const { Validator } = await import(require.resolve("@seriousme/openapi-schema-validator"));
  const got = await new Validator().validate(api);
  check(got.valid, `the description is not valid: ${JSON.stringify(got.errors)}`);
}

const mine = await tenant("node-mine"), other = await tenant("node-other");
const token = mine.token;
const owner = (await ask("POST", "/v1/admin/tenants/1/tokens", { token: admin, body: { label: "own" } })).json.token;
const owners = ["/v1/import", "/v1/import/found", "/v1/stats/storage"]; // of the tenant default alone
const made = async (path, body, options = {}) => {
  const got = await ask("POST", path, { token, body, ...options });
  check(got.status === 201 || got.status === 200, `POST ${path}: ${got.status} ${got.text}`);
  return got.json;
};
const conversation = (await made("/v1/conversations", { title: SECRET })).id;
const here = `/v1/conversations/${conversation}`;
const artifact = (await made(`${here}/artifacts`, { path: "a.txt", content: SECRET })).artifact.id;
const message = (await made(`${here}/messages`, { message: { role: "user", content: [
  { type: "text", text: SECRET },
  { type: "image", mimeType: "image/png", data: Buffer.from(SECRET).toString("base64") }] } })).id;
const output = (await made(`${here}/outputs?tool=node&threshold=1`, SECRET.repeat(10),
                           { raw: true })).artifactId;
const entry = (await made("/v1/memory/entries", { type: "project", title: SECRET, content: SECRET })).id;
const second = (await made("/v1/memory/entries", { type: "project", title: "b", content: "b" })).id;
const relation = (await made("/v1/memory/relations",
                             { source_id: entry, target_id: second, relation: "refines" })).id;
const folder = (await made("/v1/conversation-folders", { name: "f" })).id;
await made("/v1/history", { prompt: SECRET, cwd: "/" });
const blob = (await made("/v1/blobs", SECRET, { raw: true })).sha256;

const ids = (path) => path.startsWith("/v1/admin") ? mine.id
  : path.includes("folders") ? folder
  : path.includes("relations") ? relation
  : path.includes("memory") ? entry : conversation;
const fill = (path) => path.replace("{id}", ids(path)).replace("{aid}", artifact)
  .replace("{path}", "a.txt").replace("{name}", output).replace("{sha256}", blob)
  .replace("{session}", conversation).replace("{agent}", "nobody")
  .replace("{token}", 1).replace("{entry}", message).replace("{image}", 1);
const needsDefault = (path) => path === "/v1/stats/storage"; // what the whole home uses
const isAsset = (path) => path.startsWith("/assets/"); // its name is that of its content
const query = { "/v1/artifacts/search": "?q=walrus", "/v1/search": "?q=walrus", "/v1/search/suggest": "?q=wal" };

// ---- every address ---------------------------------------------------------

const verbs = ["get", "post", "put", "patch", "delete"];
for (const [path, item] of Object.entries(api.paths)) {
  const at = fill(path) + (query[path] ?? "");
  for (const verb of verbs.filter((v) => item[v])) {
    const op = item[verb], name = `${verb.toUpperCase()} ${path}`;
    const open = op.security?.some((s) => Object.keys(s).length === 0) || op.security?.length === 0;
    const asks = owners.includes(path) ? owner : token;
    const METHOD = verb.toUpperCase(), mcp = path.startsWith("/mcp");
    // Who may not ask.
    for (const wrong of [undefined, "qrt_" + "0".repeat(64), "nonsense"]) {
      const got = await ask(METHOD, at, { token: wrong });
      check(open || (got.status === 401 && isRefusal(got.json)), `${name} without a token: ${got.status}`);
    }
    if (path.startsWith("/v1/admin")) {
      const got = await ask(METHOD, at, { token });
      check(got.status === 403, `${name} by a tenant: ${got.status}`);
      continue;
    }
    // Another tenant: not ours, whatever it does.
    if (!open && !mcp) {
      const got = await ask(METHOD, at, { token: other.token, body: verb === "get" || verb === "delete" ? undefined : {} });
      check(got.status < 500 && !got.text.includes(SECRET), `${name} by another: ${got.status} ${got.text}`);
      if (path.includes("{") && verb !== "post" && !path.includes("{agent}"))
        check(got.status >= 400, `${name} of another's: ${got.status}`);
    }
    // What is right.
    if (verb === "get") {
      const got = await ask(METHOD, at, { token: asks, headers: mcp ? { Accept: "text/event-stream" } : {} });
      check(op.responses[got.status] || isRefusal(got.json) || mcp, `${name}: ${got.status} is not described`);
      if (!mcp && !path.includes("{agent}") && !isAsset(path) && !needsDefault(path))
        check(got.status === 200, `${name}: ${got.status} ${got.text.slice(0, 200)}`);
      if (path !== "/v1/events" && !mcp) {
        const head = await ask("HEAD", at, { token: asks });
        check(head.status === got.status && head.text === "", `HEAD ${path}: ${head.status}`);
      }
      check(got.headers.get("x-request-id"), `${name} has no request id`);
    } else if (op.requestBody?.content?.["application/json"]?.schema.properties) {
      // What is wrong.
      for (const body of ["{", "[]", "7", '"x"', "\u0000", '{"unheard_of":1}', "{".repeat(5000)]) {
        const got = await ask(METHOD, at, { token: asks, body, raw: true, headers: { "Content-Type": "application/json" } });
        check(got.status === 400 && isRefusal(got.json), `${name} with ${body.slice(0, 20)}: ${got.status} ${got.text.slice(0, 100)}`);
      }
    }
  }
  // What cannot be done to it.
  for (const verb of verbs.filter((v) => !item[v] && !path.startsWith("/mcp"))) {
    const got = await ask(verb.toUpperCase(), at, { token: path.startsWith("/v1/admin") ? admin : token });
    check(got.status === 405 && got.headers.get("allow"), `${verb} ${path}: ${got.status}`);
  }
}

// ---- as node does it -------------------------------------------------------

// A body that comes in pieces, and one that is broken off.
const pieces = Readable.from((async function* () {
  for (let i = 0; i < 50; i++) yield Buffer.from(`piece ${i}\n`.repeat(100));
})());
let got = await ask("PUT", `${here}/files/pieces.txt`, { token, body: Readable.toWeb(pieces), raw: true });
check(got.status === 201 && got.json.artifact.size > 30000, `a body in pieces: ${got.status}`);
await new Promise((done) => {
  const u = new URL(url);
  const r = http.request({ host: u.hostname, port: u.port, method: "PUT", path: `${here}/files/broken.txt`,
    headers: { Authorization: `Bearer ${token}`, "Content-Length": 100000 } });
  r.on("error", done).on("close", done);
  r.write("x".repeat(1000), () => setTimeout(() => r.destroy(), 100));
});
got = await ask("GET", `${here}/files/broken.txt`, { token });
check(got.status === 404, `of a body that was broken off: ${got.status}`);
// One connection, many requests.
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const sockets = new Set();
for (let i = 0; i < 20; i++)
  await new Promise((done, wrong) => http.get(`${url}/healthz`, { agent }, (r) => {
    sockets.add(r.socket);
    r.resume().on("end", done);
  }).on("error", wrong));
check(sockets.size === 1, `${sockets.size} connections for 20 requests`);
agent.destroy();
got = await ask("GET", `${here}/files/a.txt`, { token, headers: { Range: "bytes=4-9" } });
check(got.status === 206 && got.text === SECRET.slice(4, 10), `a range: ${got.status} ${got.text}`);
// What is told while it happens, and again to who comes back.
async function listen(last) {
  const r = await fetch(`${url}/v1/events`, { headers: { Authorization: `Bearer ${token}`, ...(last ? { "Last-Event-ID": last } : {}) },
    signal: AbortSignal.timeout(10000) });
  const reader = r.body.getReader();
  let text = "";
  return { until: async (sign) => {
    while (!text.includes(sign)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString();
    }
    return text;
  }, end: () => reader.cancel() };
}
const first = await listen();
const before = (await first.until("\n\n")).match(/id: (\S+)/)[1];
await made("/v1/history", { prompt: "heard", cwd: "/" });
check((await first.until("history.added")).includes("history.added"), "nothing was heard");
await first.end();
const again = await listen(before);
check((await again.until("history.added")).includes("history.added"), "nothing was told again");
await again.end();

// ---- the end of each -------------------------------------------------------

for (const path of ["/v1/memory/relations/{id}", "/v1/memory/entries/{id}", "/v1/conversations/{id}/artifacts/{aid}",
  "/v1/conversation-folders/{id}", "/v1/conversations/{id}"]) {
  const at = fill(path);
  check((await ask("DELETE", at, { token: other.token })).status === 404, `DELETE ${path} by another`);
  got = await ask("DELETE", at, { token });
  check(got.status === 200, `DELETE ${path}: ${got.status} ${got.text}`);
  got = await ask("DELETE", at, { token });
  check(got.status === 404 && isRefusal(got.json), `DELETE ${path} again: ${got.status}`);
}
console.log(`${passed} so, ${failed} not so`);
process.exit(failed ? 1 : 0);
