// oh-my-pi 18, run by bun.
import fs from "node:fs";
import path from "node:path";
import { inside, main } from "./common.mjs";
import { history } from "./history.mjs";

const at = (file) => inside("@oh-my-pi/pi-coding-agent", "src/session", file);
const urls = (file) => inside("@oh-my-pi/pi-coding-agent", "src/internal-urls", file);
const { SessionManager } = await import(at("session-manager.ts"));
const { buildSessionContext } = await import(at("session-context.ts"));
const { FileLock } = await import(inside("@oh-my-pi/pi-natives", "native/index.js"));

// Outputs are loaded when they are asked for: most runs do not.
const verbs = {
    history,
    // One text, given at once; what is shown of it, and what is in the file.
    async sink(text, options, file) {
        const { OutputSink } = await import(at("streaming-output.ts"));
        const sink = new OutputSink({
            artifactPath: file,
            artifactId: "0",
            spillThreshold: options.threshold,
            headBytes: options.head,
            maxColumns: options.columns,
        });
        sink.push(text);
        const said = await sink.dump();
        const whole = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null;
        fs.rmSync(file, { force: true });
        return { said, whole };
    },
    // Kept with a session, by a manager that has just opened it.
    async save(file, text, tool) {
        const m = await SessionManager.open(file);
        const id = await m.saveArtifact(text, tool);
        const at = await m.getArtifactPath(id);
        await m.close();
        return { id, path: at };
    },
    async resolve(dir, url) {
        const { registerArtifactsDir } = await import(urls("registry-helpers.ts"));
        const { parseInternalUrl } = await import(urls("parse.ts"));
        const { AgentProtocolHandler } = await import(urls("agent-protocol.ts"));
        const { ArtifactProtocolHandler } = await import(urls("artifact-protocol.ts"));
        const handler = url.startsWith("agent:") ? new AgentProtocolHandler() : new ArtifactProtocolHandler();
        const forget = registerArtifactsDir(dir);
        try {
            const found = await handler.resolve(parseInternalUrl(url));
            return { content: found.content, type: found.contentType };
        } catch (error) {
            return { fails: String(error?.message ?? error).split("\n")[0] };
        } finally {
            forget();
        }
    },
};

await main({
    verbs,
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
