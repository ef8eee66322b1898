"""The tools `recall`, `read`, `remember` and `session`; which of them are offered; the project
that a client works in."""
import json
import os
import subprocess
import time

from peer import case


def call(p, tool, **arguments):
    """The answer of a tool."""
    got = p.result("tools/call", {"name": tool, "arguments": arguments})
    answer = json.loads(got["content"][0]["text"])
    p.w.same(answer, got["structuredContent"], "the two forms")
    p.w.same(not answer["success"], got["isError"], "isError")
    return answer


def data(p, tool, **arguments):
    got = call(p, tool, **arguments)
    p.w.yes(got["success"], repr(got))
    return got.get("data", {})


def fails(p, code, tool, **arguments):
    got = call(p, tool, **arguments)
    p.w.same(code, got.get("error", {}).get("code"), repr(got))
    p.w.yes(got.get("error", {}).get("suggestion"), "a suggestion: %r" % got)


def append(w, session, *entries):
    w.quire("session", "append", session,
            given="".join(json.dumps(e) + "\n" for e in entries).encode())


def message(text, **rest):
    return dict({"type": "message",
                 "message": {"role": "user", "content": text}}, **rest)


@case
def facts_are_added_recalled_replaced_and_ended(w):
    p = w.peer("--session", w.session())
    made = data(p, "remember", type="project", title="the port is 7733",
                content="of quire serve", tags=["net"])
    hit = data(p, "recall", query="port")["hits"][0]
    w.same(("memory", "mem:%d" % made["id"]), (hit["kind"], hit["address"]), "hit")
    text = data(p, "read", address=hit["address"])["text"]
    w.same("[project] the port is 7733\nof quire serve", text, "read")
    new = data(p, "remember", action="supersede", id=hit["address"], title="the port is 80")
    w.same("learning", new["type"], "the default type")
    w.same(["the port is 80"], [h["snippet"] for h in data(
        p, "recall", query="port")["hits"]], "replaced")
    other = data(p, "remember", title="ports are numbers")
    made = data(p, "remember", action="relate", id=new["id"], to=other["id"],
                relation="supports")
    again = data(p, "remember", action="relate", id=new["id"], to=other["id"],
                 relation="supports")
    w.same((False, True, made["id"]), (made["existed"], again["existed"], again["id"]), "twice")
    data(p, "remember", action="invalidate", id=new["id"])
    fails(p, "not_found", "read", address="mem:%d" % new["id"])
    fails(p, "not_found", "remember", action="invalidate", id=new["id"])
    for wrong in ({}, {"title": ""}, {"title": "x", "type": "nonsense"},
                  {"action": "forget", "id": 1}, {"action": "relate", "id": 1},
                  {"action": "supersede", "id": "x", "title": "y"},
                  {"title": "x", "tags": [1]}):
        fails(p, "invalid_params", "remember", **wrong)


@case
def recall_has_filters_a_budget_and_pages(w):
    s = w.session()
    append(w, s, *(message("needle %d " % n + "hay " * 60) for n in range(30)))
    p = w.peer("--session", s)
    got = data(p, "recall", query="needle", limit=30, budget=2000)
    w.yes(0 < len(got["hits"]) < 30 and got["left_out"] == 30 - len(got["hits"]),
          "a budget: %d of %r" % (len(got["hits"]), got.get("left_out")))
    w.yes(len(json.dumps(got)) < 4000, "of so many bytes")
    first = data(p, "recall", query="needle", limit=5, budget=100000)
    second = data(p, "recall", query="needle", limit=5, budget=100000,
                  cursor=first["next_cursor"])
    w.same(10, len({h["entry"] for h in first["hits"] + second["hits"]}), "pages")
    w.same([], data(p, "recall", query="needle kind:artifact")["hits"], "in the query")
    w.same([], data(p, "recall", query="needle", role="assistant")["hits"], "as an argument")
    for wrong in ({}, {"query": ""}, {"query": "x", "since": "nonsense"}):
        fails(p, "invalid_params", "recall", **wrong)


@case
def any_address_is_read_by_lines(w):
    s = w.session()
    numbers = "".join("%d\n" % n for n in range(1, 10001)).encode()
    w.quire("--session", s, "output", "sink", "--tool", "seq", "--threshold", "99",
            given=numbers)
    w.quire("--session", s, "output", "agent", "Scout",
            given=b'{"items":[{"name":"tea"}]}')
    ref = w.quire("blob", "put", "-", given=numbers).strip()
    append(w, s, message("one"), message("two", id="e2"))
    p = w.peer("--session", s)
    p.data(action="write", filename="notes/n.txt", content=numbers.decode())
    file = p.data(action="list")["artifacts"][0]["artifact_id"]
    for address in ("artifact://0", ref, "notes/n.txt", "#%d" % file,
                    "quire://artifact/%d" % file):
        got = data(p, "read", address=address, offset=20, limit=3)
        w.same("20\n21\n22\n", got["text"], address)
        w.same("9999\n10000\n", data(p, "read", address=address, tail=2)["text"], "tail")
        w.same("77\n177\n", data(p, "read", address=address, grep="77$", limit=2)["text"], "grep")
        text, at = "", 1
        while at:
            got = data(p, "read", address=address, offset=at, budget=15000)
            text, at = text + got["text"], got.get("next_offset")
        w.same(numbers.decode(), text, "in pieces: " + address)
    w.same("tea", data(p, "read", address="agent://0-Scout",
                       query=".items[0].name")["text"], "query")
    text = data(p, "read", address="quire://session/" + s)["text"]
    w.same(["one", "two"], [json.loads(line)["content"] for line in text.splitlines()], "session")
    text = data(p, "read", address="quire://session/%s#e2" % s)["text"]
    w.same("two", json.loads(text)["message"]["content"], "entry")
    w.same(1, len(data(p, "read", address="quire://session/" + s,
                       grep="two")["text"].splitlines()), "grep in a session")
    for address in ("artifact://9", "agent://nobody", "nothing.txt", "#99", "mem:99",
                    "quire://session/%s#nope" % s, "quire://session/0000"):
        fails(p, "not_found", "read", address=address)
    for wrong in ({}, {"address": ""}, {"address": "../x"}, {"address": "mem:x"},
                  {"address": "quire://session/" + s, "grep": "("}):
        fails(p, "invalid_params", "read", **wrong)


@case
def other_sessions_are_read_only_with_read_all(w):
    own, other = w.session(), w.session()
    append(w, other, message("secret", id="e1"))
    w.quire("--session", other, "artifact", "put", "s.txt", "-", given=b"secret")
    for args, can in (((), False), (("--read", "all"), True)):
        p = w.peer("--session", own, *args)
        for address in ("quire://session/" + other, "quire://session/%s#e1" % other,
                        "quire://artifact/1"):
            got = call(p, "read", address=address)
            w.same(can, got["success"] and "secret" in got["data"]["text"], address)


@case
def a_line_longer_than_the_budget_is_read_in_part(w):
    p = w.peer("--session", w.session())
    p.data(action="write", filename="long", content="\u00e9" * 5000)
    got = data(p, "read", address="long", budget=1001)
    w.same((True, "\u00e9" * 500), (got["truncated"], got["text"]), "no character is split")


@case
def the_transcript_is_for_those_who_may_append(w):
    s = w.session()
    w.same(-32602, w.peer("--session", s).code("tools/call", {
        "name": "session", "arguments": {"action": "context"}}), "not offered")
    p = w.peer("--session", s, "--allow-append")
    one = data(p, "session", action="append", role="user", text="hi \u00e9")
    two = data(p, "session", action="append", text="ho")
    w.same((None, one["id"]), (one["parentId"], two["parentId"]), "below each other")
    got = data(p, "session", action="context")
    w.same([("user", "hi \u00e9"), ("assistant", "ho")],
           [(m["role"], m["content"]) for m in got["messages"]], "context")
    data(p, "session", action="label", id=one["id"], label="start")
    data(p, "session", action="branch", id=one["id"])
    three = data(p, "session", action="append", entry=message("again"))
    w.yes(three["id"], "an entry")
    w.same(["hi \u00e9", "again"], [m["content"] for m in data(
        p, "session", action="context")["messages"]], "branched")
    w.same(1, data(p, "session", action="context", limit=1)["messages_before"], "the last")
    for wrong in ({}, {"action": "append"}, {"action": "branch"},
                  {"action": "append", "entry": {"type": "mesage"}},
                  {"action": "append", "text": "x", "role": "tool"}):
        fails(p, "invalid_params", "session", **wrong)
    fails(p, "not_found", "session", action="label", id="nothing", label="x")


@case
def tools_are_chosen_and_reading_alone_can_be_permitted(w):
    def names(*args):
        return [t["name"] for t in w.peer("--session", s, *args).result(
            "tools/list")["tools"]]

    s = w.session()
    w.same(["workspace", "recall", "read", "remember"], names(), "all")
    w.same(["workspace", "recall", "read", "remember", "session"],
           names("--allow-append"), "and one more")
    w.same(["recall", "read"], names("--tools", "recall,read"), "two")
    w.same(["recall"], names("--tools", "recall,session"), "it needs to be permitted")
    w.same(["workspace", "recall", "read"], names("--read-only"), "reading")
    w.quire("--session", s, "artifact", "put", "a", "-", given=b"x")
    p = w.peer("--session", s, "--read-only")
    for tool in p.result("tools/list")["tools"]:
        w.same(True, tool["annotations"].get("readOnlyHint"), tool["name"])
    w.same("x", p.data(action="read", filename="a")["content"], "it reads")
    for action in ("write", "delete"):
        w.same(-32602, p.code("tools/call", {"name": "workspace", "arguments": {
            "action": action, "filename": "a", "content": "y"}}), action)
    w.same(-32602, p.code("tools/call", {"name": "remember", "arguments": {
        "title": "x"}}), "remember")
    for wrong in (["--tools", "recall,shell"], ["--read-only", "--allow-append"]):
        done = subprocess.run([w.program, "mcp"] + wrong, capture_output=True, env=w.env(),
                              stdin=subprocess.DEVNULL, check=False)
        w.same(2, done.returncode, wrong)


def talk(w, lines, cwd):
    """What a server says to a client that has directories, answering its question."""
    process = subprocess.Popen([w.program, "mcp"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env=w.env(), cwd=cwd, text=True)
    said = []

    def send(value):
        process.stdin.write(json.dumps(value) + "\n")
        process.stdin.flush()

    send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {}},
        "clientInfo": {"name": "c", "version": "1"}}})
    said.append(json.loads(process.stdout.readline()))
    send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    question = json.loads(process.stdout.readline())
    for line in lines(question):
        send(line)
        if "method" in line:
            said.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    process.stdout.read()
    process.stdout.close()
    process.wait()
    return question, said


WRITE = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "workspace", "arguments": {"action": "write", "filename": "a", "content": "x"}}}


def directories(w):
    rows = w.quire("session", "ls", "--json").splitlines()
    return [json.loads(row)["cwd"] for row in rows]


@case
def the_first_root_of_the_client_is_its_project(w):
    here, there = w.home + ".cwd", w.home + ".a project"
    os.mkdir(here)
    os.mkdir(there)
    there = os.path.realpath(there)

    def answer(question):
        return [{"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [
            {"uri": "https://example.org"},
            {"uri": "file://" + there.replace(" ", "%20") + "/", "name": "p"}]}}, WRITE]

    for _ in range(2):
        question, said = talk(w, answer, here)
        w.same("roots/list", question["method"], "it asks")
        w.yes(said[1]["result"]["structuredContent"]["success"], said)
        w.same([there], directories(w), "one session, of the project")


@case
def a_client_that_does_not_name_its_roots_is_served(w):
    at = w.home + ".silent"
    os.mkdir(at)
    refusal = {"jsonrpc": "2.0", "error": {"code": -32601, "message": "no"}}
    began = time.monotonic()
    _, said = talk(w, lambda q: [dict(refusal, id=q["id"]), WRITE], at)
    w.yes(said[1]["result"]["structuredContent"]["success"], said)
    w.same([os.path.realpath(at)], directories(w), "the working directory")
    w.yes(time.monotonic() - began < 1.9, "at once")
    _, said = talk(w, lambda q: [WRITE], at)
    w.yes(said[1]["result"]["structuredContent"]["success"], "without an answer")


@case
def a_home_of_oh_my_pi_is_recalled_and_read(w):
    os.makedirs(os.path.join(w.home, "blobs"))
    os.makedirs(os.path.join(w.home, "sessions"))
    with open(os.path.join(w.home, "history.db"), "wb"):
        pass
    kind = w.quire("--home", w.home, "doctor")
    w.yes("omp" in kind or "oh-my-pi" in kind, kind)
    s = w.session()
    append(w, s, message("a heron", id="e1"))
    p = w.peer("--session", s, "--allow-append")
    got = data(p, "recall", query="heron")["hits"]
    w.same(["quire://session/%s#e1" % s], [h["address"] for h in got], "recall")
    w.yes("heron" in data(p, "read", address=got[0]["address"])["text"], "read")
    data(p, "session", action="append", text="indeed")
    w.same(2, len(data(p, "session", action="context")["messages"]), "append")
    fails(p, "invalid_params", "workspace", action="list")
    fails(p, "invalid_params", "remember", title="x")
    p.result("resources/list")
