"""The tool `search`, and the prompt `recall`: what is in sessions."""
import json

from peer import case


def append(w, session, *texts, role="user"):
    lines = "".join(json.dumps({"type": "message", "message": {
        "role": role, "content": text}}) + "\n" for text in texts)
    done = w.quire("--json", "session", "append", session, given=lines.encode())
    return [json.loads(line)["id"] for line in done.splitlines()]


def search(p, **arguments):
    return p.result("tools/call", {"name": "search", "arguments": arguments})


def hits(p, **arguments):
    got = search(p, **arguments)
    return got["structuredContent"]["data"]["hits"]


@case
def recall_finds_other_sessions_only_if_all_may_be_read(w):
    s = w.session()
    append(w, s, "a secret heron")
    own = w.session("own")
    append(w, own, "a heron of this session")
    w.quire("memory", "add", "--type", "project", "--title", "heron rule")
    p = w.peer("--session", own)
    got = p.result("tools/call", {"name": "recall", "arguments": {
        "query": "heron"}})["structuredContent"]["data"]["hits"]
    w.same({"heron rule", "a heron of this session"},
           {h["snippet"] for h in got}, "memory and its own")
    w.same(-32602, p.code("tools/call", {"name": "search",
                                         "arguments": {"query": "heron"}}),
           "search is not there")
    p = w.peer("--session", own, "--read", "all")
    tools = p.result("tools/list")["tools"]
    w.same(["workspace", "recall", "read", "remember"],
           [t["name"] for t in tools], "tools")
    for tool in tools:
        size = len(json.dumps(tool, separators=(",", ":")))
        w.yes(size < 1600, "%s: %d bytes" % (tool["name"], size))
    w.same(True, tools[1]["annotations"]["readOnlyHint"], "it only reads")
    w.same(3, len(hits(p, query="heron", kind=["message", "memory"])), "hits")


@case
def the_tool_search_finds_contents_of_sessions(w):
    s = w.session("birds")
    ids = append(w, s, "sales report Q4", "sales report Q3", "no pelican here")
    p = w.peer("--session", s, "--read", "all")
    p.data(action="write", filename="q.md", content="sales of the pelican")
    w.quire("memory", "add", "--type", "project", "--title", "pelican rule")
    got = hits(p, query="sales AND Q4")
    w.same([ids[0]], [h["entry"] for h in got], "AND")
    w.same([(1, ids[0])], [(h["turn"], h["turn_first"]) for h in got], "turn")
    w.same({"kind": "message", "session": s, "title": "birds", "role": "user",
            "snippet": "sales report Q4",
            "address": "quire://session/%s#%s" % (s, ids[0])},
           {n: got[0][n] for n in ("kind", "session", "title", "role",
                                   "snippet", "address")}, "its members")
    w.same({ids[0], ids[1]}, {h["entry"] for h in hits(
        p, query="report (Q3 OR Q4)")}, "parentheses")
    w.same({"artifact", "memory", "message"}, {h["kind"] for h in hits(
        p, query="pelican")}, "kinds")
    for kind in ("memory", ["memory"]):
        w.same({"memory"}, {h["kind"] for h in hits(
            p, query="pelican", kind=kind)}, "kind")
    file = hits(p, query="pelican", kind=["artifact"])[0]["address"]
    w.same("sales of the pelican", p.result("resources/read", {
        "uri": file})["contents"][0]["text"], "its address is a resource")
    entry = p.result("resources/read", {"uri": got[0]["address"]})
    w.same(ids[0], json.loads(entry["contents"][0]["text"])["id"],
           "so is that of an entry")
    w.yes(p.code("resources/read", {"uri": "quire://session/%s#nope" % s}),
          "an entry that is not there")
    w.same([], hits(p, query="pelican", since="2100-01-01"), "since")
    w.same([], hits(p, query="pelican", until="2000-01-01"), "until")
    w.same([], hits(p, query="sales", role="assistant"), "role")
    w.same([ids[1], ids[0]], [h["entry"] for h in hits(
        p, query="report", sort="newest", kind="message", session=s)],
        "newest")
    new = append(w, s, "a late puffin")
    w.same(new, [h["entry"] for h in hits(p, query="puffin")], "at once")


@case
def the_tool_search_is_paged(w):
    for i in range(5):
        append(w, w.session("s%d" % i), "the loon")
    p = w.peer("--read", "all")
    seen, cursor = [], {}
    for _ in range(5):
        data = search(p, query="loon", limit=2, kind="message",
                      **cursor)["structuredContent"]["data"]
        seen += [h["session"] for h in data["hits"]]
        w.same(5, data["total"], "total")
        if "next_cursor" not in data:
            break
        cursor = {"cursor": data["next_cursor"]}
    w.same(5, len(set(seen)), "sessions")
    w.same(5, len(seen), "each once")


@case
def a_wrong_search_is_an_error_of_the_tool(w):
    s = w.session()
    p = w.peer("--read", "all")
    for wrong in ({}, {"query": ""}, {"query": 7}, {"query": "x", "kind": "y"},
                  {"query": "x", "since": "noon-ish"},
                  {"query": "x", "cursor": "00"},
                  {"query": "x", "session": "nowhere"},
                  {"query": "x", "session": "/etc/passwd"},
                  {"query": "x session:/etc/passwd"}):
        got = search(p, **wrong)
        w.same(True, got["isError"], repr(wrong))
        error = got["structuredContent"]["error"]
        w.yes(error["message"] and error["suggestion"], repr(error))
        w.yes(error["code"] in ("invalid_params", "not_found"), repr(error))
    w.same([], hits(p, query="x", session=s), "an empty session")


@case
def recall_shows_what_was_said_and_where(w):
    s = w.session("birds")
    ids = append(w, s, "the marabou\nis a stork", "nothing")
    w.quire("history", "add", "draw a marabou")
    own = w.session("own")
    p = w.peer("--session", own)
    p.data(action="write", filename="m.md", content="about the marabou")

    def recall(query):
        return p.result("prompts/get", {
            "name": "recall", "arguments": {"query": query}})["messages"][0][
                "content"]["text"]

    text = recall("marabou")
    for part in ("## Sessions", s, "birds", "is a stork",
                 "quire://session/%s#%s" % (s, ids[0]), "## Files", "m.md",
                 "quire://artifact/1", "about the marabou", "## Asked before",
                 "draw a marabou"):
        w.yes(part in text, "%r is not in %r" % (part, text))
    w.yes("\nis a stork" not in text, "a line of its own: %r" % text)
    w.yes("is a stork" in recall("marabou AND stork"), "AND")
    w.yes("Nothing" in recall("zzyzx"), "nothing")
