// pi 0.73, run by node. It has no blobs, modes, rules or roles of models.
import path from "node:path";
import { inside, main } from "./common.mjs";

const { SessionManager, buildSessionContext } = await import(
    inside("@mariozechner/pi-coding-agent", "dist/core/session-manager.js")
);

await main({
    name: "pi",
    omp: false,
    create: (cwd, dir) => SessionManager.create(cwd, dir),
    open: (file) => SessionManager.open(file, path.dirname(file)),
    context: (entries, leaf) => buildSessionContext(entries, leaf),
    flush() {},
    close() {},
    model: (m, model) => m.appendModelChange(...model.split("/")),
    compaction: (m, c) => m.appendCompaction(c.summary, c.kept, c.tokens, c.details, c.extension),
    customMessage: (m, type, content, display, details) => m.appendCustomMessageEntry(type, content, display, details),
    title: (m, title) => m.appendSessionInfo(title),
    fork: (m) => SessionManager.forkFrom(m.getSessionFile(), m.getCwd(), m.getSessionDir()),
});
