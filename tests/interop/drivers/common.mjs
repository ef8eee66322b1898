// What every driver can do, written against a small adapter (see omp13.mjs).
//
//   load FILE            one JSON object: header, entries, labels, leaf, context,
//                        and the context of every other tip of the tree
//   append FILE TEXT     a user and an assistant message; their ids
//   write FILE           messages from stdin, one JSON object a line, appended
//   scenario DIR NAME    a scripted session; its path
//   hold FILE MS         (18) the lock it appends under, given back after MS
//   sink, save, resolve  (18) outputs, see omp18.mjs
//   history FILE STEPS   prompt history, see history.mjs
//   batch                commands as JSON arrays, one a line, an answer for each
//
// A program may write the file it opens, so `load` always works on a copy.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
let clock = 1760000000000;

export function user(text) {
    return { role: "user", content: text, timestamp: (clock += 1000) };
}

export function assistant(content, more = {}) {
    return {
        role: "assistant",
        content: typeof content === "string" ? [{ type: "text", text: content }] : content,
        ...MODEL,
        usage: {
            input: 100,
            output: 20,
            cacheRead: 5,
            cacheWrite: 0,
            totalTokens: 125,
            cost: { input: 0.001, output: 0.0005, cacheRead: 0, cacheWrite: 0, total: 0.0015 },
        },
        stopReason: "stop",
        timestamp: (clock += 1000),
        ...more,
    };
}

function call(id, name, args) {
    return { type: "toolCall", id, name, arguments: args };
}

function result(id, name, content, more = {}) {
    return {
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: typeof content === "string" ? [{ type: "text", text: content }] : content,
        isError: false,
        timestamp: (clock += 1000),
        ...more,
    };
}

// Bytes that look random, do not compress, and are the same in every run.
function noise(n, seed) {
    const out = Buffer.alloc(n);
    let x = seed >>> 0 || 1;
    for (let i = 0; i < n; i++) {
        x ^= x << 13;
        x >>>= 0;
        x ^= x >>> 17;
        x ^= x << 5;
        x >>>= 0;
        out[i] = x & 255;
    }
    return out;
}

function image(bytes, seed) {
    return { type: "image", data: noise(bytes, seed).toString("base64"), mimeType: "image/png" };
}

function dialogue(p, m, n, tag) {
    const ids = [];
    for (let i = 0; i < n; i++) {
        ids.push(m.appendMessage(user(`${tag}: question ${i}`)));
        ids.push(m.appendMessage(assistant(`${tag}: answer ${i}`)));
    }
    return ids;
}

// A scenario gets the adapter and a fresh session; it may return another
// manager or path when the session of interest is not the one it was given.
export const scenarios = {
    chat(p, m) {
        m.appendMessage(user("List the sources and count their lines."));
        m.appendMessage(
            assistant(
                [
                    { type: "thinking", thinking: "Two calls, then add.", thinkingSignature: "c2lnbmVk" },
                    { type: "text", text: "Looking." },
                    call("call_1", "bash", { command: "ls src", timeout: 10 }),
                    call("call_2", "read", { path: "src/a.c", offset: 1, nested: { deep: [1, 2.5, null, true] } }),
                ],
                { stopReason: "toolUse" },
            ),
        );
        m.appendMessage(result("call_1", "bash", "a.c\nb.c\n"));
        m.appendMessage(result("call_2", "read", "int a;\n", { details: { lines: 1, truncated: false } }));
        m.appendMessage(assistant([call("call_3", "bash", { command: "false" })], { stopReason: "toolUse" }));
        m.appendMessage(result("call_3", "bash", "", { content: [], isError: true }));
        m.appendMessage(assistant("Two files, one line."));
        m.appendMessage({ role: "user", content: [{ type: "text", text: "Thank you." }], timestamp: (clock += 1000) });
        m.appendMessage(assistant([{ type: "text", text: "" }, { type: "text", text: "Welcome." }]));
    },

    branches(p, m) {
        const a = dialogue(p, m, 3, "trunk");
        m.branch(a[1]);
        const b = dialogue(p, m, 2, "left");
        m.branchWithSummary(a[3], "What the left branch found.", { files: ["x.c"] }, false);
        const c = dialogue(p, m, 1, "right");
        m.branchWithSummary(null, "From the very start.");
        dialogue(p, m, 1, "root again");
        m.resetLeaf();
        dialogue(p, m, 1, "second root");
        m.branch(b[3]);
        m.branchWithSummary(c[1], "");
        dialogue(p, m, 1, "end");
    },

    compaction(p, m) {
        const a = dialogue(p, m, 4, "old");
        p.compaction(m, { summary: "First summary.", short: "first", kept: a[4], tokens: 4200, details: { readFiles: ["a.c"] } });
        const b = dialogue(p, m, 3, "middle");
        p.compaction(m, {
            summary: "Second summary,\nwith \"quotes\" and <tags>.",
            kept: b[2],
            tokens: 8400,
            details: { modifiedFiles: [] },
            preserve: { hook: { state: [1, 2] } },
            extension: true,
        });
        dialogue(p, m, 1, "new");
        // A branch that leaves before the second compaction sees the first one.
        m.branch(b[1]);
        dialogue(p, m, 1, "aside");
        m.branch(b[1]);
        p.compaction(m, { summary: "Nothing is kept.", kept: "00000000", tokens: 1 });
        dialogue(p, m, 1, "end");
    },

    settings(p, m) {
        const first = m.appendMessage(user("Plan it."));
        p.model(m, "anthropic/claude-sonnet-4-5");
        m.appendThinkingLevelChange("high");
        const answer = m.appendMessage(assistant("Planned."));
        m.appendLabelChange(first, "start");
        m.appendLabelChange(answer, "answer");
        if (p.omp) {
            p.model(m, "openai/gpt-5-mini", "small");
            m.appendModeChange("plan", { planFile: "plan.md" });
            m.appendTtsrInjection(["rule-b", "rule-a"]);
            m.appendSessionInit({
                systemPrompt: "You are terse.",
                task: "Count.",
                tools: ["read", "bash"],
                outputSchema: { type: "object", properties: {} },
            });
        }
        m.appendCustomEntry("counter", { n: 1, list: [] });
        m.appendCustomEntry("bare");
        p.customMessage(m, "note", "Injected text.", true, { debug: false });
        p.customMessage(m, "blocks", [{ type: "text", text: "One." }, { type: "text", text: "Two." }], false);
        m.appendMessage(user("Go on."));
        m.appendMessage(assistant("Done."));
        m.appendLabelChange(first, undefined);
        m.appendLabelChange(answer, "renamed");
        if (p.omp) {
            m.appendTtsrInjection(["rule-a", "rule-c"]);
            m.appendModeChange("none");
            m.appendModeChange("review", { by: "me" });
            p.model(m, "openai/gpt-5-nano", "small");
        }
        m.appendThinkingLevelChange("low");
    },

    roles(p, m) {
        m.appendMessage(user("Run it."));
        m.appendMessage({
            role: "bashExecution",
            command: "make test",
            output: "1 passed\n",
            exitCode: 0,
            cancelled: false,
            truncated: false,
            timestamp: (clock += 1000),
        });
        m.appendMessage(assistant("Seen."));
        if (p.omp) {
            m.appendMessage({ role: "developer", content: "Be brief.", timestamp: (clock += 1000) });
            m.appendMessage({
                role: "fileMention",
                files: [{ path: "a.c", content: "int a;\n", lineCount: 2 }],
                timestamp: (clock += 1000),
            });
        }
        m.appendMessage({
            role: "custom",
            customType: "old-hook",
            content: "From a hook.",
            display: true,
            timestamp: (clock += 1000),
        });
        m.appendMessage(assistant("Read."));
    },

    images(p, m) {
        m.appendMessage({
            role: "user",
            content: [{ type: "text", text: "Two pictures." }, image(765, 1), image(768, 2)],
            timestamp: (clock += 1000),
        });
        m.appendMessage(assistant([call("call_1", "shot", {})], { stopReason: "toolUse" }));
        m.appendMessage(result("call_1", "shot", [{ type: "text", text: "Taken." }, image(4000, 3)]));
        m.appendMessage(assistant("Nice."));
        p.customMessage(m, "screen", [image(4000, 3), image(900, 4)], true);
        m.appendMessage(user("Again."));
        m.appendMessage(assistant("The same one is stored once."));
    },

    unicode(p, m) {
        m.appendMessage(user("Grüße, 你好, שלום, 🎈👩‍👩‍👧, e\u0301, \u2028line\u2029, \u0000\u0001\u001f\u007f, \\ \" / \b\f\n\r\t"));
        m.appendMessage(assistant("\ufeffbom, \ufffd, \u{10ffff}, half \ud83c end"));
        m.appendMessage(user("数字: 1e400 isn't a number here; -0, 0.1"));
        m.appendMessage(
            assistant([call("call_ü", "täglich", { "ключ": "значение", n: [0, -0.5, 1e21, 1e-7, 123456789012] })], {
                stopReason: "toolUse",
            }),
        );
        m.appendMessage(result("call_ü", "täglich", "好"));
        const last = m.appendMessage(assistant("ok"));
        m.appendLabelChange(last, "标签 🎈");
    },

    async fork(p, m) {
        const a = dialogue(p, m, 2, "before");
        m.appendLabelChange(a[1], "kept");
        const next = await p.fork(m);
        dialogue(p, next, 1, "after");
        return next;
    },

    async extract(p, m) {
        const a = dialogue(p, m, 3, "trunk");
        m.branch(a[3]);
        dialogue(p, m, 1, "side");
        m.appendLabelChange(a[1], "one");
        m.appendLabelChange(a[3], "two");
        m.appendLabelChange(a[5], "not on the path");
        // 13 writes later: without this, lines meant for the old file are written
        // to the new one as well.
        await p.flush(m);
        m.createBranchedSession(a[3]);
        await p.flush(m);
        dialogue(p, m, 1, "after");
    },

    async title(p, m) {
        dialogue(p, m, 1, "named");
        await p.title(m, "A first title");
        dialogue(p, m, 1, "more");
        await p.title(m, "Ein zweiter Titel: \"größer\" 🎈");
        dialogue(p, m, 1, "last");
    },

    transient(p, m) {
        m.appendMessage(user("Stream."));
        m.appendMessage(
            assistant([{ ...call("call_1", "eval", { code: "1" }), partialJson: "{\"code\":\"1\"}" }], { stopReason: "toolUse" }),
        );
        m.appendMessage(
            result("call_1", "eval", "1", {
                details: { jsonlEvents: [{ a: 1 }], kept: { jsonlEvents: "x", y: 1 }, content: "a\nb\nc", lineCount: 99 },
            }),
        );
        m.appendMessage(assistant("Done."));
    },

    big(p, m) {
        m.appendMessage(user("a".repeat(500000)));
        m.appendMessage(assistant("b".repeat(500001)));
        m.appendMessage(user("c".repeat(499952) + "🎈" + "d".repeat(1000)));
        m.appendMessage(assistant("e".repeat(499951) + "🎈" + "f".repeat(1000)));
        m.appendMessage(
            result("call_x", "read", "short", { details: { content: "line\n".repeat(100001), lineCount: 100002 } }),
        );
        m.appendMessage(assistant("g"));
    },
};

function tips(entries) {
    const parents = new Set(entries.map((e) => e?.parentId));
    return entries.filter((e) => e?.id && !parents.has(e.id)).map((e) => e.id);
}

function describe(p, m) {
    const entries = m.getEntries();
    const leaf = m.getLeafId() ?? null;
    const labels = {};
    for (const e of entries) {
        const label = e?.id && m.getLabel(e.id);
        if (label) labels[e.id] = label;
    }
    const others = {};
    for (const id of tips(entries)) if (id !== leaf) others[id] = p.context(entries, id);
    return { header: m.getHeader(), leaf, labels, entries, context: m.buildSessionContext(), tips: others };
}

async function load(p, file) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), "interop-"));
    try {
        const copy = path.join(dir, path.basename(file));
        fs.copyFileSync(file, copy);
        const m = await p.open(copy);
        const out = JSON.parse(JSON.stringify(describe(p, m)));
        await p.close(m);
        return out;
    } finally {
        fs.rmSync(dir, { recursive: true, force: true });
    }
}

async function append(p, file, text) {
    const m = await p.open(file);
    const ids = [m.appendMessage(user(text)), m.appendMessage(assistant(`On "${text}".`))];
    await p.close(m);
    return { ids };
}

async function write(p, file, text) {
    const m = await p.open(file);
    const messages = text.split("\n").filter(Boolean);
    const ids = messages.map((line) => m.appendMessage(JSON.parse(line)));
    await p.close(m);
    return { ids };
}

async function scenario(p, dir, name) {
    if (p.lacks?.includes(name)) return { skipped: `${p.name} has no such thing` };
    clock = 1760000000000;
    fs.mkdirSync(dir, { recursive: true });
    let m = p.create(dir, path.join(dir, "sessions"));
    m = (await scenarios[name](p, m)) ?? m;
    const file = m.getSessionFile();
    await p.close(m);
    return { path: file };
}

async function run(p, [verb, ...args]) {
    switch (verb) {
        case "load":
            return load(p, args[0]);
        case "append":
            return append(p, args[0], args[1]);
        case "write":
            return write(p, args[0], args[1] ?? fs.readFileSync(0, "utf8"));
        case "scenario":
            return scenario(p, args[0], args[1]);
        case "hold":
            return p.hold(args[0], Number(args[1]));
        case "scenarios":
            return Object.keys(scenarios).filter((name) => !p.lacks?.includes(name));
        default:
            if (p.verbs?.[verb]) return p.verbs[verb](...args);
            throw new Error(`no such verb: ${verb}`);
    }
}

// Whole, however large: a pipe takes only so much at once.
function print(answer) {
    return new Promise((done) => process.stdout.write(`${JSON.stringify(answer)}\n`, done));
}

export async function main(p) {
    const args = process.argv.slice(2);
    if (args[0] !== "batch") {
        await print(await run(p, args));
        process.exit(0);
    }
    let rest = "";
    for await (const chunk of process.stdin) {
        rest += chunk.toString();
        for (let at; (at = rest.indexOf("\n")) >= 0; rest = rest.slice(at + 1)) {
            let answer;
            try {
                answer = await run(p, JSON.parse(rest.slice(0, at)));
            } catch (error) {
                answer = { error: String(error?.message ?? error) };
            }
            await print(answer);
        }
    }
    process.exit(0);
}

// The installed package: the folder that holds node_modules is $INTEROP_PKG.
export function inside(...parts) {
    return path.join(process.env.INTEROP_PKG, "node_modules", ...parts);
}
