// Sessions as older releases of pi wrote them: `old.mjs 1 DIR` (0.30, version 1)
// and `old.mjs 2 DIR` (0.32, version 2). Prints the path of the file.
import path from "node:path";
import { assistant, inside, user } from "./common.mjs";

const { SessionManager } = await import(inside("@mariozechner/pi-coding-agent", "dist/core/session-manager.js"));
const [version, dir] = process.argv.slice(2);
const m = SessionManager.create(dir, path.join(dir, "sessions"));
const hook = { role: "hookMessage", customType: "linter", content: "2 warnings", display: true, timestamp: 1760000000500 };

function first() {
    m.saveModelChange("anthropic", "claude-sonnet-4-5");
    m.saveThinkingLevelChange("medium");
    for (let i = 0; i < 3; i++) {
        m.saveMessage(user(`question ${i}`));
        m.saveMessage(assistant(`answer ${i}`));
    }
    // The header is 0, so 5 is the second question.
    m.saveCompaction({
        type: "compaction",
        timestamp: new Date().toISOString(),
        summary: "Asked and answered.",
        firstKeptEntryIndex: 5,
        tokensBefore: 321,
    });
    m.saveMessage(user("after"));
    m.saveMessage(assistant("the compaction"));
}

function second() {
    const q = m.appendMessage(user("question"));
    const a = m.appendMessage(assistant("answer"));
    m.appendMessage(hook);
    m.appendMessage(assistant("seen"));
    m.appendLabelChange(a, "good");
    m.branch(a);
    m.appendMessage(user("instead"));
    m.appendCustomMessageEntry("linter", "3 warnings", true, { n: 3 });
    m.appendCompaction("Asked.", a, 99);
    m.appendMessage(user("and"));
    m.appendMessage(assistant("so on"));
    m.branchWithSummary(q, "Went elsewhere.");
    m.appendMessage(hook);
    m.appendMessage(assistant("end"));
}

if (version === "1") first();
else second();
console.log(m.getSessionFile());
