// Prompt history of oh-my-pi: steps in one file, an answer for each.
//
//   ["add", text, cwd, session]   null; 13 knows no session
//   ["recent", limit]             rows, the newest first
//   ["search", query, limit]      rows, the newest first
//
// 13 keeps the file open for as long as it runs, and the first it was given is
// the only one, so this is run in a process of its own.
import { inside } from "./common.mjs";

function row(entry) {
    return {
        id: entry.id,
        prompt: entry.prompt,
        created_at: entry.created_at,
        cwd: entry.cwd ?? null,
        session: entry.sessionId ?? null,
    };
}

export async function history(file, steps) {
    const { HistoryStorage } = await import(inside("@oh-my-pi/pi-coding-agent", "src/session/history-storage.ts"));
    const storage = HistoryStorage.open(file);
    const said = [];
    for (const [verb, ...args] of JSON.parse(steps)) {
        if (verb === "add") {
            await storage.add(...args.map((arg) => arg ?? undefined));
            // 13 writes when it has nothing else to do.
            await new Promise((done) => setTimeout(done, 5));
            said.push(null);
        } else if (verb === "recent") {
            said.push(storage.getRecent(...args).map(row));
        } else {
            said.push(storage.search(...args).map(row));
        }
    }
    HistoryStorage.close?.();
    return said;
}
