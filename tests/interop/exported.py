"""Sessions that are exported, and what is kept of exports that the agents
themselves have continued (tests/interop/agents, tests/data/export)."""

import json
import os
import re
import shutil

from interop import ROOT, bytes_of

EXPORTS = os.path.join(ROOT, "tests", "data", "export")
CWD = "/srv/interop"
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
AGENTS = ("claude-code", "codex", "gemini", "opencode", "qwen", "copilot", "pi")

# What a model has to be shown, in this order.
PLAIN = [
    "FIRST question", "FIRST answer", "FIRST result", "SECOND result", "SECOND answer", "SECOND question",
    "THIRD answer", "NEXT",
]
COMPACTED = ["THE SUMMARY", "KEPT question", "KEPT answer", "AFTER question", "AFTER answer", "NEXT"]
WORDS = re.compile("|".join(sorted(set(PLAIN + COMPACTED), key=len, reverse=True)))


def entry(n, id, **more):
    time = f"2026-11-10T10:{n // 60:02}:{n % 60:02}.000Z"
    return {"type": "message", "id": id, "timestamp": time, **more}


def user(n, id, text, *blocks):
    return entry(n, id, message={"role": "user", "content": [{"type": "text", "text": text}, *blocks]})


def answer(n, id, *blocks, stop="stop"):
    usage = {"input": 10, "output": 5, "cacheRead": 2, "cacheWrite": 1}
    message = {
        "role": "assistant", "provider": "other", "model": "foreign-model", "content": list(blocks),
        "usage": usage, "stopReason": stop,
    }
    return entry(n, id, message=message)


def text(words):
    return {"type": "text", "text": words}


def call(id, name, **arguments):
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def result(n, id, call, name, words, is_error=False):
    message = {
        "role": "toolResult", "toolCallId": call, "toolName": name, "content": [text(words)], "isError": is_error,
    }
    return entry(n, id, message=message)


BEGINNING = [
    user(0, "u1", "FIRST question", {"type": "image", "data": PNG, "mimeType": "image/png"}),
    answer(
        5, "a1", {"type": "thinking", "thinking": "a thought"}, text("FIRST answer"),
        call("call_1|x", "read_file", path="a.txt"), call("call_2", "run", command="false"), stop="toolUse",
    ),
    # The second call is answered first.
    result(6, "r2", "call_2", "run", "SECOND result", True),
    result(7, "r1", "call_1|x", "read_file", "FIRST result"),
    answer(9, "a2", text("SECOND answer")),
    user(60, "u2", "SECOND question"),
    answer(65, "a3", text("THIRD answer")),
]
END = [
    user(120, "u3", "KEPT question"),
    answer(125, "a4", text("KEPT answer")),
    entry(180, "c1", summary="THE SUMMARY", firstKeptEntryId="u3", tokensBefore=100) | {"type": "compaction"},
    user(240, "u4", "AFTER question"),
    answer(245, "a5", text("AFTER answer")),
]
SESSIONS = {"plain": (BEGINNING, PLAIN), "compacted": (BEGINNING + END, COMPACTED)}


def session(name, cwd):
    """The bytes of a session file."""
    id = "15cfda8d503fb6d6" if name == "plain" else "15cfda8d503fb6d7"
    lines = [{
        "type": "session", "version": 3, "id": id, "timestamp": "2026-11-10T10:00:00.000Z", "cwd": cwd, "title": "Proof",
    }]
    parent = None
    for e in SESSIONS[name][0]:
        lines.append({**e, "parentId": parent})
        parent = e["id"]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def kept(agent, name):
    return os.path.join(EXPORTS, f"{agent}-{name}")


def recorded(checks, quire, work):
    """Exports are what the agents were given when they continued them."""
    for name in SESSIONS:
        file = os.path.join(work, f"{name}.jsonl")
        with open(file, "wb") as f:
            f.write(session(name, CWD))
        for agent in AGENTS:
            out = os.path.join(work, f"{agent}-{name}")
            quire.run("session", "export", file, "--to", agent, "-o", out)
            checks.ok(bytes_of(out) == bytes_of(kept(agent, name)), f"{agent} was given this export: {name}")


def converted(checks, quire, work):
    """What one agent has accepted, imported and exported for every other: it has the
    messages in order, the call, and the image."""
    for source in AGENTS:
        home = os.path.join(work, f"from-{source}")
        file = os.path.join(work, f"{source}-accepted.json" + ("" if source == "opencode" else "l"))
        shutil.copy(kept(source, "plain"), file)
        session = quire.lines("import", "--format", source, file, "--json", home=home)[0]["session"]
        for agent in AGENTS:
            out = os.path.join(work, f"{source}-{agent}")
            quire.run("session", "export", session, "--to", agent, "-o", out, home=home)
            whole = bytes_of(out).decode()
            got = list(dict.fromkeys(WORDS.findall(whole)))  # titles repeat the question
            good = got == PLAIN[:-1] and "read_file" in whole and "a.txt" in whole
            checks.ok(good, f"{source} to {agent}: the messages are there, in order", got)
            checks.ok(PNG in whole, f"{source} to {agent}: the image is there")
