// oh-my-pi 13, run by bun.
import { inside, main } from "./common.mjs";
import { history } from "./history.mjs";

const { SessionManager, buildSessionContext } = await import(
    inside("@oh-my-pi/pi-coding-agent", "src/session/session-manager.ts")
);

await main({
    verbs: { history },
    name: "omp13",
    omp: true,
    create: (cwd, dir) => SessionManager.create(cwd, dir),
    open: (file) => SessionManager.open(file),
    context: (entries, leaf) => buildSessionContext(entries, leaf),
    flush: (m) => m.flush(),
    async close(m) {
        await m.flush();
        await m.close();
    },
    model: (m, model, role) => m.appendModelChange(model, role),
    compaction: (m, c) => m.appendCompaction(c.summary, c.short, c.kept, c.tokens, c.details, c.extension, c.preserve),
    customMessage: (m, type, content, display, details) => m.appendCustomMessageEntry(type, content, display, details),
    title: (m, title) => m.setSessionName(title),
    async fork(m) {
        await m.fork();
        return m;
    },
});
