// oh-my-pi 18, run by bun.
import path from "node:path";
import { inside, main } from "./common.mjs";

const at = (file) => inside("@oh-my-pi/pi-coding-agent", "src/session", file);
const { SessionManager } = await import(at("session-manager.ts"));
const { buildSessionContext } = await import(at("session-context.ts"));
const { FileLock } = await import(inside("@oh-my-pi/pi-natives", "native/index.js"));

await main({
    name: "omp18",
    omp: true,
    create: (cwd, dir) => SessionManager.create(cwd, dir),
    open: (file) => SessionManager.open(file),
    context: (entries, leaf) => buildSessionContext(entries, leaf),
    flush: (m) => m.flush(),
    async close(m) {
        await m.flush();
        await m.close();
    },
    hold(file, ms) {
        const lock = FileLock.tryAcquire(path.join(path.dirname(file), `.${path.basename(file)}.lock.os`));
        setTimeout(() => lock.release(), ms);
        return { held: lock.acquired };
    },
    model: (m, model, role) => m.appendModelChange(model, role),
    compaction: (m, c) =>
        m.appendCompaction(c.summary, c.short, c.kept, c.tokens, {
            details: c.details,
            fromExtension: c.extension,
            preserveData: c.preserve,
        }),
    customMessage: (m, type, content, display, details) => m.appendCustomMessageEntry(type, content, display, details),
    title: (m, title) => m.setSessionName(title, "user"),
    async fork(m) {
        await m.fork();
        return m;
    },
});
