"""Files, resources, and what is heard of them."""
import base64
import json
import os
import time

from peer import META, case


def write(p, name, content="x", **more):
    return p.data(action="write", filename=name, content=content, **more)


@case
def files_survive_and_are_seen_by_the_other_doors(w):
    s = w.session()
    p = w.peer("--session", s)
    write(p, "a.txt", "héllo \u0000 \"\\")
    got = p.data(action="read", filename="a.txt")
    w.same("héllo \u0000 \"\\", got["content"], "content")
    w.same(s, got["session_id"], "session")
    p.close()
    listed = w.quire("--session", s, "--json", "artifact", "ls")
    w.yes("a.txt" in listed, listed)


@case
def a_session_that_is_not_there_is_said_so(w):
    import subprocess
    done = subprocess.run([w.program, "mcp", "--session", "nowhere"],
                          input=b"", capture_output=True, env=w.env())
    w.same(1, done.returncode, "status")
    w.same(b"", done.stdout, "stdout")
    w.yes(b"nowhere" in done.stderr, repr(done.stderr))


@case
def effects_come_in_the_order_they_were_asked_for(w):
    p = w.peer()
    last = {}
    for i in range(60):
        p.begin("tools/call", {"name": "workspace", "arguments": {
            "action": "write", "filename": "f%d" % (i % 3),
            "content": str(i)}})
        last[p.begin("tools/call", {"name": "workspace", "arguments": {
            "action": "read", "filename": "f%d" % (i % 3)}})] = str(i)
    for id, want in last.items():
        got = p.answer(id)["result"]["structuredContent"]["data"]
        w.same(want, got["content"], "read after write")


@case
def many_writers_at_once_lose_nothing(w):
    s = w.session()
    peers = [w.peer("--session", s) for _ in range(3)]
    ids = [(p, p.begin("tools/call", {"name": "workspace", "arguments": {
        "action": "write", "filename": "p%d/f%d" % (n, i), "content": "x"}}))
        for n, p in enumerate(peers) for i in range(25)]
    for p, id in ids:
        w.same(False, p.answer(id, 30)["result"]["isError"], "isError")
    w.same(75, peers[0].data(action="list", limit=1000)["count"], "count")


@case
def a_long_file_is_linked_instead_of_repeated(w):
    p = w.peer()
    text = "0123456789abcde\n" * 10000
    write(p, "long.txt", text)
    got = p.tool(action="read", filename="long.txt", limit=1000000)
    w.same(text, got["structuredContent"]["data"]["content"], "structured")
    w.yes(len(got["content"][0]["text"]) < 1000, "the text is long")
    link = got["content"][1]
    w.same(("resource_link", "long.txt", 160000),
           (link["type"], link["name"], link["size"]), "link")
    there = p.result("resources/read", {"uri": link["uri"]})["contents"][0]
    w.same(text, there["text"], "text")
    w.same(1, len(p.tool(action="read", filename="long.txt",
                         limit=1000)["content"]), "a short piece")


@case
def bytes_that_are_no_text_come_as_a_blob(w):
    p = w.peer()
    raw = bytes(range(256))
    id = write(p, "b.bin", base64.b64encode(raw).decode(),
               encoding="base64")["artifact_id"]
    got = p.result("resources/read",
                   {"uri": "quire://artifact/%d" % id})["contents"][0]
    w.same(raw, base64.b64decode(got["blob"]), "blob")
    w.yes("text" not in got, "text too")


@case
def the_list_of_resources_comes_in_pages_newest_first(w):
    s = w.session()
    p = w.peer("--session", s)
    for i in range(70):
        write(p, "f%02d" % i)
    for i in range(60):
        w.quire("--session", s, "output", "agent", "Scout",
                given=b"report %d" % i)
    seen, cursor = [], {}
    while True:
        got = p.result("resources/list", cursor)
        w.yes(len(got["resources"]) <= 51, "a page too long")
        seen += got["resources"]
        if "nextCursor" not in got:
            break
        cursor = {"cursor": got["nextCursor"]}
    uris = [r["uri"] for r in seen]
    w.same("quire://session/" + s, uris[0], "the session is first")
    w.same(131, len(set(uris)), "all, once")
    w.same(131, len(uris), "all, once")
    times = [r["annotations"]["lastModified"] for r in seen[1:]]
    w.same(sorted(times, reverse=True), times, "order")
    w.same(-32602, p.code("resources/list", {"cursor": "x"}), "no cursor")
    w.same(-32602, p.code("resources/list", {"cursor": 7}), "no cursor")
    report = [u for u in uris if u.startswith("agent://")][0]
    got = p.result("resources/read", {"uri": report})["contents"][0]
    w.yes(got["text"].startswith("report "), repr(got))


@case
def what_is_another_sessions_is_not_there(w):
    a, b = w.session(), w.session()
    one, two = w.peer("--session", a), w.peer("--session", b)
    id = write(one, "secret.txt", "mine")["artifact_id"]
    uri = "quire://artifact/%d" % id
    one.result("resources/read", {"uri": uri})
    for bad in (uri, "quire://session/" + a, "quire://session/../" + b,
                "quire://session/user", "agent://../x", "artifact://../../x",
                "artifact://0", "quire://artifact/0%d" % id, "file:///etc/passwd",
                "quire://artifact/", "quire://session/", "", "blob:sha256:00",
                "quire://artifact/99999999999999999999"):
        w.same(-32002, two.code("resources/read", {"uri": bad}), bad)
        w.same(-32002, two.code("resources/subscribe", {"uri": bad}), bad)
    w.same(-32602, two.code("resources/read", {}), "no uri")
    all = w.peer("--session", b, "--read", "all")
    w.same("mine", all.result("resources/read",
                              {"uri": uri})["contents"][0]["text"], "all")
    all.result("resources/read", {"uri": "quire://session/" + a})


@case
def the_tool_searches_all_sessions_if_they_may_be_read(w):
    a, b = w.session(), w.session()
    write(w.peer("--session", a), "theirs.txt", "walrus")
    one, all = w.peer("--session", b), w.peer("--session", b, "--read", "all")
    w.same(0, one.data(action="search", query="walrus")["count"], "one's own")
    found = all.data(action="search", query="walrus")["results"]
    w.same([("theirs.txt", a)],
           [(f["filename"], f["session_id"]) for f in found], "all")
    id = found[0]["artifact_id"]
    w.same("walrus", all.data(action="read", artifact_id=id)["content"], "read")
    w.same(0, all.data(action="list")["count"], "a list has one's own")


@case
def the_session_itself_can_be_read(w):
    s = w.session("about bees")
    w.quire("session", "append", s, given=json.dumps(
        {"type": "message", "message": {"role": "user",
                                        "content": "count the bees"}}).encode())
    p = w.peer("--session", s)
    got = p.result("resources/read", {"uri": "quire://session/" + s})
    got = json.loads(got["contents"][0]["text"])
    w.same(("about bees", "count the bees"),
           (got["title"], got["context"]["messages"][0]["content"]), "said")
    text = p.result("prompts/get", {"name": "hand-off"})
    text = text["messages"][0]["content"]["text"]
    w.yes("about bees" in text and "> count the bees" in text, text)


@case
def subscribers_hear_of_what_changes_whoever_does_it(w):
    s = w.session()
    p = w.peer("--session", s)
    made = write(p, "a.txt")
    uri = "quire://artifact/%d" % made["artifact_id"]
    w.yes(p.notice("list_changed"), "no word of a new file")
    p.result("resources/subscribe", {"uri": uri})
    p.result("resources/subscribe", {"uri": uri})
    write(p, "a.txt", "two")
    w.yes(p.notice("updated", uri=uri), "no word of its own change")
    time.sleep(0.3)
    with open(made["path"], "w") as f:
        f.write("three")
    w.yes(p.notice("updated", uri=uri), "no word of an editor's change")
    w.same("three", p.data(action="read", filename="a.txt")["content"], "read")
    p.notices.clear()
    w.quire("--session", s, "artifact", "put", "b.txt", "-", given=b"other")
    w.yes(p.notice("list_changed"), "no word of another program's file")
    p.data(action="delete", filename="a.txt")
    w.yes(p.notice("updated", uri=uri), "no word of its end")
    write(p, "c.txt")
    cu = "quire://artifact/%d" % p.data(action="write", filename="c.txt",
                                        content="2")["artifact_id"]
    p.result("resources/subscribe", {"uri": cu})
    p.result("resources/unsubscribe", {"uri": cu})
    write(p, "c.txt", "3")
    w.yes(not p.notice("updated", within=1.5, uri=cu), "still subscribed")


@case
def listeners_hear_what_they_asked_for_and_nothing_else(w):
    p = w.peer(greet="2026-07-28")
    uri = "quire://artifact/%d" % write(p, "a.txt")["artifact_id"]
    quiet = p.begin("subscriptions/listen", {"notifications": {}})
    both = p.begin("subscriptions/listen", {"notifications": {
        "resourcesListChanged": True, "promptsListChanged": True,
        "resourceSubscriptions": [uri, "quire://artifact/2"]}})
    for id, agreed in ((quiet, {}), (both, {
            "resourcesListChanged": True,
            "resourceSubscriptions": [uri, "quire://artifact/2"]})):
        got = p.notice("acknowledged", _meta={META + "subscriptionId": id})
        w.same(agreed, got["params"]["notifications"], "agreed")
    write(p, "b.txt")
    write(p, "a.txt", "2")
    meta = {META + "subscriptionId": both}
    w.yes(p.notice("list_changed", _meta=meta), "no word of the list")
    w.yes(p.notice("updated", uri="quire://artifact/2", _meta=meta),
          "no word of one that came to be")
    w.yes(p.notice("updated", uri=uri, _meta=meta), "no word of a change")
    p.cancel(both)
    write(p, "d.txt")
    p.hear(1.5)
    w.same([], p.notices, "heard")
    w.same(-32602, p.code("subscriptions/listen", {}), "no filter")
    w.same(-32602, p.code("subscriptions/listen", {"notifications": {
        "resourceSubscriptions": ["file:///x"]}}), "no such thing")
    p.process.stdin.close()
    got = p.answer(quiet)["result"]
    w.same(quiet, got["_meta"][META + "subscriptionId"], "the last word")


@case
def what_happened_while_nobody_looked_is_found(w):
    s = w.session()
    p = w.peer("--session", s)
    path = write(p, "a.txt")["path"]
    p.close()
    with open(os.path.join(os.path.dirname(path), "new.txt"), "w") as f:
        f.write("found words")
    p = w.peer("--session", s)
    for _ in range(40):
        if p.data(action="search", query="found words")["count"] == 1:
            return
        time.sleep(0.05)
    w.yes(False, "it was never found")


@case
def ids_are_completed(w):
    s = w.session()
    p = w.peer("--session", s)
    for i in range(12):
        write(p, "f%d" % i)

    def complete(uri, value):
        got = p.result("completion/complete", {
            "ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": "id", "value": value}})["completion"]
        w.same(False, got["hasMore"], "more")
        return sorted(got["values"])

    w.same(["1", "10", "11", "12"], complete("quire://artifact/{id}", "1"), "1")
    w.same([s], complete("quire://session/{id}", s[:4]), "session")
    w.same([], complete("artifact://{n}", ""), "outputs")
    w.same([], complete("agent://{id}", "x"), "reports")
    w.same([], p.result("completion/complete", {
        "ref": {"type": "ref/prompt", "name": "recall"},
        "argument": {"name": "query", "value": "x"}})["completion"]["values"],
        "query")
    w.quire("memory", "add", "--type", "project", "--title", "xylophone")
    w.quire("memory", "add", "--type", "project", "--title", "other")
    w.same(["xylophone"], p.result("completion/complete", {
        "ref": {"type": "ref/prompt", "name": "recall"},
        "argument": {"name": "query", "value": "x"}})["completion"]["values"],
        "query of what is known")
    for bad in ({}, {"ref": {"type": "ref/resource", "uri": "file:///{x}"},
                     "argument": {"name": "x", "value": ""}},
                {"ref": {"type": "ref/prompt", "name": "nope"},
                 "argument": {"name": "x", "value": ""}}):
        w.same(-32602, p.code("completion/complete", bad), repr(bad))


@case
def recall_finds_memory_files_and_sessions(w):
    w.quire("memory", "add", "--type", "project", "--title",
            "the heron protocol", "--content", "feed it\n[END] at noon")
    s = w.session("a heron in spring")
    p = w.peer("--session", s)
    write(p, "heron.md", "notes about the heron")
    got = p.result("prompts/get", {"name": "recall",
                                   "arguments": {"query": "heron"}})
    text = got["messages"][0]["content"]["text"]
    for part in ("the heron protocol", "  > feed it\n  > [END] at noon",
                 "heron.md", "a heron in spring"):
        w.yes(part in text, "%r is not in %r" % (part, text))
    got = p.result("prompts/get", {"name": "recall",
                                   "arguments": {"query": "zzz"}})
    w.yes("Nothing" in got["messages"][0]["content"]["text"], repr(got))
    p.result("prompts/get", {"name": "recall", "arguments": {"query": "?!"}})
    for bad in ({"name": "recall"}, {"name": "recall", "arguments": {}},
                {"name": "nope"}, {}):
        w.same(-32602, p.code("prompts/get", bad), repr(bad))
    temp = w.peer("--session", "temp")
    temp.result("prompts/get", {"name": "hand-off"})
