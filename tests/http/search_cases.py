"""GET /v1/search: one search over everything a tenant has, and what it must not
show."""
import json
import os
import re
import sqlite3
import struct
import subprocess
import threading
import time
import urllib.parse

from client import Server, World, case, on_disk

KINDS = ("message", "thinking", "tool_input", "tool_result", "summary", "title",
         "label", "output", "artifact", "memory", "history")


def search(w, q, want=200, token="own", **params):
    """The answer to a search. A list is sent as a parameter given again."""
    query = urllib.parse.urlencode(dict(params, q=q), doseq=True)
    return w.ask("GET", "/v1/search?" + query, token=token, want=want).json()


def suggest(w, q, token="own", **params):
    query = urllib.parse.urlencode(dict(params, q=q))
    return w.ask("GET", "/v1/search/suggest?" + query, token=token,
                 want=200).json()["suggestions"]


def say(w, at, text, token="own", **more):
    return w.ask("POST", at + "/messages", dict(message=text, **more), token,
                 want=201).json()["id"]


def turn(w, at, tool, command, result, model="m-1"):
    """A call of a tool, and its result."""
    w.ask("POST", at + "/entries", {"entry": {
        "type": "message", "message": {
            "role": "assistant", "model": model, "content": [
                {"type": "thinking", "thinking": "consider the pelican"},
                {"type": "toolCall", "id": "c1", "name": tool,
                 "arguments": {"command": command}}]}}}, want=201)
    w.ask("POST", at + "/entries", {"entry": {
        "type": "message", "message": {
            "role": "toolResult", "toolCallId": "c1", "toolName": tool,
            "content": [{"type": "text", "text": result}]}}}, want=201)


def filled(w):
    """A session with a text of most kinds, all with the word pelican."""
    at = w.conversation(title="pelican hunt", cwd="/srv/birds")
    say(w, at, "where is the pelican")
    turn(w, at, "bash", "grep pelican", "pelican.c: found")
    turn(w, at, "read", "pelican.txt", "a pelican is a bird", "m-2")
    w.ask("PUT", at + "/files/notes.md", b"the pelican in a file", want=201)
    w.ask("POST", "/v1/memory/entries", {
        "type": "project", "title": "pelican policy", "content": "feed them"},
        want=201)
    w.ask("POST", "/v1/history", {"prompt": "draw a pelican"}, want=201)
    w.ask("POST", at + "/outputs?tool=bash&threshold=10",
          b"a long list of birds, the pelican among them\n" * 9, want=201)
    return at


def kinds_of(got):
    return sorted({h["kind"] for h in got["hits"]})


@case
def a_search_finds_every_kind_of_text(w):
    at = filled(w)
    session = w.ask("GET", at).json()["session"]
    got = search(w, "pelican", flat="true", facets="true")
    w.same(["artifact", "history", "memory", "message", "output", "thinking",
            "title", "tool_input", "tool_result"], kinds_of(got), "kinds")
    w.same(len(got["hits"]), got["total"], "total")
    w.same((True, False), (got["total_is_exact"], got["total_is_at_most"]),
           "exact")
    w.same(None, got["next_cursor"], "no more")
    w.same([], got["ignored"], "ignored")
    for hit in got["hits"]:
        text = hit["snippet"].encode()
        w.yes(hit["matches"] or hit["kind"] in ("title", "memory"),
              "no match: %r" % hit)
        for start, end in hit["matches"]:
            w.yes(b"pelican" in text[start:end].lower(), "match: %r" % hit)
        w.yes(abs(hit["created_at"] - time.time()) < 600, "time: %r" % hit)
    message = [h for h in got["hits"] if h["kind"] == "message"][0]
    w.same("quire://session/%s#%s" % (session, message["entry"]),
           message["address"], "address")
    w.same(("user", "pelican hunt", "/srv/birds", True, "exact"),
           tuple(message[n] for n in ("role", "title", "project", "active",
                                      "how")), "its members")
    w.same((1, message["entry"]), (message["turn"], message["turn_first"]),
           "its turn")
    count = {}
    for hit in got["hits"]:
        count[hit["kind"]] = count.get(hit["kind"], 0) + 1
    w.same(count, got["facets"]["kind"], "by kind")
    w.same({"bash", "read"}, {t for t in got["facets"]["tool"]}, "by tool")
    w.same({"m-1", "m-2"}, set(got["facets"]["model"]), "by model")
    w.yes(got["facets"]["role"]["user"] >= 1, "by role")
    projects = [h["project"] for h in got["hits"] if h.get("project")]
    w.same({p: projects.count(p) for p in projects}, got["facets"]["project"],
           "by project")
    w.yes("/srv/birds" in projects, "its project")
    w.same({}, got["facets"]["agent"], "no agent was imported from")
    w.same({}, search(w, "pelican")["facets"], "facets that nobody wants")


@case
def a_search_groups_hits_by_session(w):
    here, there = w.conversation(title="one"), w.conversation(title="two")
    for i in range(5):
        say(w, here, "heron %d" % i)
    say(w, there, "heron")
    got = search(w, "heron", kind="message")
    w.same(6, got["total"], "all hits")
    w.same(4, len(got["hits"]), "three of one, one of the other")
    w.same([1, 5], sorted(h["in_session"] for h in got["hits"]
                          if "in_session" in h), "the first of each")
    w.same(6, len(search(w, "heron", flat="true")["hits"]), "flat")
    one = search(w, "heron", limit=1)
    w.yes(one["next_cursor"], "a page of one session")
    w.same(1, len({h["session"] for h in one["hits"]}), "one session")


@case
def filters_of_a_search_are_parameters(w):
    at = filled(w)
    row = w.ask("GET", at).json()
    for kind in ("message", "thinking", "tool_input", "tool_result", "artifact",
                 "memory", "history", "output", "title"):
        w.same([kind], kinds_of(search(w, "pelican", kind=kind)), kind)
    both = ["message", "thinking"]
    w.same(both, kinds_of(search(w, "pelican", kind="message,thinking")),
           "a list with commas")
    w.same(both, kinds_of(search(w, "pelican", kind=both, flat="true")),
           "given again")
    w.same(["memory", "message", "thinking"], kinds_of(search(
        w, "pelican", kind=["message,memory", "thinking"], flat="1")), "both")
    w.same({"user"}, {h["role"] for h in search(
        w, "pelican", role="user", kind="message")["hits"]}, "role")
    w.same({"tool"}, {h["role"] for h in search(
        w, "pelican", role="tool", flat="true")["hits"]}, "role tool")
    w.same({"bash"}, {h.get("tool") for h in search(
        w, "pelican", tool="bash", flat="true")["hits"]}, "tool")
    w.same({"bash", "read"}, {h.get("tool") for h in search(
        w, "pelican", tool="bash,read", flat="true")["hits"]}, "tools")
    other = w.conversation(title="elsewhere", cwd="/srv/fish")
    say(w, other, "no pelican here")
    for which in (row["id"], row["session"], row["session"][:12]):
        w.same({row["session"]}, {h["session"] for h in search(
            w, "pelican", session=which, flat="true")["hits"]}, "session")
    for project in ("/srv/birds", "birds"):
        w.same({"/srv/birds"}, {h["project"] for h in search(
            w, "pelican", project=project, kind="message")["hits"]}, project)
    w.same([], search(w, "pelican", agent="nobody")["hits"], "agent")
    now = int(time.time())
    w.yes(search(w, "pelican", since="1h")["hits"], "since 1h")
    w.yes(search(w, "pelican", since=now - 600)["hits"], "since seconds")
    w.same([], search(w, "pelican", since=now + 600)["hits"], "since later")
    w.same([], search(w, "pelican", until="2020-01-01")["hits"], "until")
    w.yes(search(w, "pelican", until=now + 600)["hits"], "until later")
    w.yes(search(w, "kind:message pelican")["hits"], "a filter of the query")
    w.same([], search(w, "kind:message pelican", kind="memory")["hits"],
           "both apply")
    w.same(["message"], kinds_of(search(w, "kind:message pelican",
                                        kind="memory,message")), "of both")
    w.same([], search(w, "role:user pelican", role="tool")["hits"], "roles")


@case
def a_search_is_sorted_by_time_if_asked(w):
    at = w.conversation()
    ids = []
    for i in range(3):
        ids.append(w.ask("POST", at + "/entries", {"entry": {
            "type": "message", "timestamp": "2026-01-0%dT00:00:00Z" % (i + 1),
            "message": {"role": "user", "content": "stork"}}},
            want=201).json()["id"])

    def order(**params):
        return [h["entry"] for h in search(w, "stork", flat="true",
                                           **params)["hits"]]

    w.same(ids, order(sort="oldest"), "oldest")
    w.same(ids[::-1], order(sort="newest"), "newest")
    w.same(sorted(ids), sorted(order(sort="rank")), "rank")
    w.same(ids[:2], order(sort="oldest", until="2026-01-03"), "until")
    w.same(ids[1:], order(sort="oldest", since="2026-01-02"), "since")


@case
def a_query_has_operators_phrases_and_regular_expressions(w):
    at = w.conversation()
    a, b, c = [say(w, at, text) for text in (
        "sales report Q4", "sales report Q3", "error E0401 in stork_parse()")]

    def found(q, **params):
        return sorted(h["entry"] for h in search(w, q, flat="true",
                                                 **params)["hits"])

    w.same([a], found("sales AND Q4"), "AND")
    w.same(sorted([a, b]), found("Q3 OR Q4"), "OR")
    w.same([b], found("sales NOT Q4"), "NOT")
    w.same([b], found("sales -Q4"), "-")
    w.same([a], found('"report Q4"'), "a phrase")
    w.same(sorted([a, b]), found("sales (Q3 OR Q4)"), "parentheses")
    w.same([c], found("E0[0-9]{3}", regex="true"), "a regular expression")
    w.same([c], found("stork"), "a part of an identifier")
    said = search(w, "sales kind:")["ignored"]
    for one in said:
        w.same({"text", "why"}, set(one), "what is ignored")
    w.yes(search(w, "sales has:wings")["ignored"], "an unknown filter is told")


@case
def older_versions_are_found_if_asked(w):
    at = w.conversation()
    w.ask("PUT", at + "/files/v.md", b"about the cormorant", want=201)
    w.ask("PUT", at + "/files/v.md", b"about the gannet", want=200)
    w.same([], search(w, '"cormorant"')["hits"], "the current one only")
    w.same(["artifact"], kinds_of(search(w, "gannet")), "the current one")
    w.same(["artifact"], kinds_of(search(w, '"cormorant"', versions="true")),
           "with versions")


@case
def a_search_is_paged_while_entries_are_appended(w):
    at = w.conversation()
    ids = [say(w, at, "flamingo number %d" % i) for i in range(25)]
    for sort in ("rank", "newest", "oldest"):
        seen, cursor, pages = [], None, 0
        while True:
            params = {"flat": "true", "limit": 4, "sort": sort,
                      "kind": "message", "since": "7d"}
            if cursor:
                params["cursor"] = cursor
            got = search(w, "flamingo", **params)
            seen += [h["entry"] for h in got["hits"]]
            cursor = got["next_cursor"]
            pages += 1
            if not cursor or pages > 40:
                break
            say(w, at, "another flamingo after page %d" % pages)
        first = [i for i in seen if i in ids]
        w.same(len(set(seen)), len(seen), sort + ": none twice")
        w.same(sorted(ids), sorted(first), sort + ": all that there were")


@case
def a_group_of_hits_is_paged_too(w):
    rows = [w.conversation(title="loon %d" % i) for i in range(7)]
    for at in rows:
        say(w, at, "the loon")
    seen, cursor = [], None
    for _ in range(10):
        params = {"cursor": cursor} if cursor else {}
        got = search(w, "loon", limit=2, kind="message", **params)
        seen += [h["session"] for h in got["hits"]]
        cursor = got["next_cursor"]
        if not cursor:
            break
    w.same(7, len(seen), "sessions")
    w.same(7, len(set(seen)), "different ones")


@case
def wrong_searches_are_refused(w):
    at = w.conversation()
    for i in range(5):
        say(w, at, "ibis %d" % i)
    for q in ("", " ", "%20%09"):
        w.ask("GET", "/v1/search?q=" + q.replace(" ", "+"), want=400)
    w.ask("GET", "/v1/search", want=400)
    bad = search(w, "(a", 400, regex="true")
    w.yes("parenthesis" in bad["error"], "the reason: %r" % bad)
    for name, value in (("kind", "tortoise"), ("role", "king"),
                        ("sort", "size"), ("since", "noon-ish"),
                        ("until", "x"), ("limit", "x"), ("limit", "-1"),
                        ("regex", "perhaps"), ("session", "99999"),
                        ("session", "0123456789abcdef"),
                        ("session", "/etc/passwd"), ("session", "x.jsonl"),
                        ("wings", "2")):
        got = search(w, "ibis", 400, **{name: value})
        w.same("invalid", got["kind"], name)
    for session in ("/etc/passwd", "/etc/nothing", "../x.jsonl"):
        got = search(w, "ibis session:" + session, 400)
        w.same("the query names an unknown session", got["error"], session)
    cursor = search(w, "ibis", limit=2, flat="true")["next_cursor"]
    search(w, "ibis", 200, limit=2, flat="true", cursor=cursor)
    for wrong in ("", "00", "zz" + cursor[2:], cursor[:-2], cursor + "00",
                  cursor[::-1], "%" + cursor[1:]):
        search(w, "ibis", 400, limit=2, flat="true", cursor=wrong)
    for other in ({"q": "heron"}, {"kind": "message"}, {"role": "user"},
                  {"tool": "bash"}, {"sort": "newest"}, {"flat": "false"},
                  {"regex": "true"}, {"project": "x"}):
        params = dict({"q": "ibis", "flat": "true", "cursor": cursor}, **other)
        q = params.pop("q")
        got = search(w, q, 400, **params)
        w.yes("another query" in got["error"], "%r: %r" % (other, got))
    w.lives()


@case
def a_cursor_that_was_changed_does_no_harm(w):
    at = w.conversation()
    for i in range(9):
        say(w, at, "egret %d" % i)
    cursor = search(w, "egret", limit=3, flat="true")["next_cursor"]
    raw = bytearray.fromhex(cursor)
    for i in range(24, len(raw), 3):
        for value in (0x00, 0x7f, 0xff):
            other = bytearray(raw)
            other[i:i + 8] = bytes([value]) * len(other[i:i + 8])
            got = w.ask("GET", "/v1/search?q=egret&flat=true&limit=3&cursor=" +
                        other.hex())
            w.yes(got.status in (200, 400), "status %d" % got.status)
    nan = raw[:-4] + struct.pack("<f", float("nan"))
    search(w, "egret", 400, flat="true", cursor=bytes(nan).hex())
    w.lives()


@case
def tenants_do_not_find_what_is_anothers(w):
    theirs = w.tenant()[1]
    here, there = w.conversation(title="mine"), w.conversation(theirs)
    for i in range(4):
        say(w, here, "secret albatross xylomine%d" % i)
    say(w, there, "open albatross", theirs)
    w.ask("POST", "/v1/memory/entries", {"type": "user", "title": "albatross "
                                         "xylomemory"}, want=201)
    w.ask("PUT", here + "/files/a.md", b"albatross xylofile", want=201)
    w.ask("POST", "/v1/history", {"prompt": "albatross xyloprompt"}, want=201)
    session = w.ask("GET", here).json()["session"]
    mine = search(w, "albatross", flat="true", facets="true")
    w.same(7, mine["total"], "mine")
    # The handles of the server's threads go from one tenant to the other.
    for _ in range(20):
        got = search(w, "albatross", token=theirs, flat="true", facets="true")
        w.same((1, 1, {"message": 1}), (len(got["hits"]), got["total"],
                                        got["facets"]["kind"]), "theirs")
        w.yes("xylo" not in json.dumps(got), "it shows: %r" % got)
        w.same([], search(w, "xylo*", token=theirs)["hits"], "a prefix")
        w.same(0, search(w, "xylo*", token=theirs)["total"], "its total")
        w.same([], suggest(w, "xylo", theirs), "suggestions")
        w.same(7, search(w, "albatross", flat="true")["total"], "mine again")
    w.yes(suggest(w, "xylo"), "my own")
    search(w, "albatross", 400, theirs, session=session)
    search(w, "albatross session:" + session, 400, theirs)
    # Numbers are the tenant's own: it is their session, or none.
    number = here.rsplit("/", 1)[1]
    got = w.ask("GET", "/v1/search?q=albatross&session=" + number, token=theirs)
    w.yes(b"xylo" not in got.body, "by number")
    cursor = search(w, "albatross", flat="true", limit=2)["next_cursor"]
    search(w, "albatross", 400, theirs, flat="true", limit=2, cursor=cursor)
    w.ask("GET", "/v1/search?q=albatross", token=None, want=401)
    w.ask("GET", "/v1/search/suggest?q=alb", token=None, want=401)


@case
def suggestions_are_words_that_begin_so(w):
    at = w.conversation()
    for text in ("spoonbill spoonbill", "spoonbill", "spoonful", "Spoons"):
        say(w, at, text)
    got = suggest(w, "spoon")
    w.same("spoonbill", got[0], "the most frequent first")
    w.same({"spoonbill", "spoonful", "spoons"}, set(got), "all")
    w.same(got, suggest(w, "SPOON"), "of any case")
    w.same(1, len(suggest(w, "spoon", limit=1)), "limit")
    w.same([], suggest(w, "zzyzx"), "none")
    w.same([], suggest(w, ""), "of nothing")
    w.ask("GET", "/v1/search/suggest", want=400)


@case
def an_entry_is_found_at_once(w):
    at = w.conversation()
    for i in range(20):
        word = "quetzal%d" % i
        w.same([], search(w, '"%s"' % word)["hits"], "before")
        entry = say(w, at, word)
        w.same([entry], [h["entry"] for h in search(w, word)["hits"]
                         if h["how"] == "exact"], "after " + word)
    w.ask("PUT", at + "/files/now.md", b"a hoatzin", want=201)
    w.same(["artifact"], kinds_of(search(w, "hoatzin")), "an artifact")
    w.ask("DELETE", at, want=200)
    w.same([], search(w, "quetzal1")["hits"], "removed with its session")


@case
@on_disk
def what_another_process_appends_is_found_at_once(w):
    server = Server(w.server.work, "searched")
    own = World(server)

    def quire(*words, **more):
        return subprocess.run([server.program, "--home", server.home, *words],
                              capture_output=True, text=True, **more)

    token = json.loads(quire("tenant", "add", "ann", "--json").stdout)["token"]
    row = own.ask("POST", "/v1/sessions", {"title": "shared"}, token,
                  want=201).json()
    for i in range(5):
        word = "kakapo%d" % i
        w.same([], search(own, '"%s"' % word, token=token)["hits"], "before")
        done = quire("--tenant", "ann", "session", "append", row["session"],
                     "--wait", "1s", input=json.dumps({
                         "type": "message", "message": {
                             "role": "user", "content": word}}) + "\n")
        w.same(0, done.returncode, "append: " + done.stderr)
        got = search(own, word, token=token)
        w.same(["exact"], [h["how"] for h in got["hits"]], word)
    # A program that knows nothing of Quire appends a line to the file.
    path = [os.path.join(top, name)
            for top, _dirs, names in os.walk(server.home) for name in names
            if name.endswith(row["session"] + ".jsonl")][0]
    with open(path, "a") as f:
        f.write(json.dumps({
            "type": "message", "id": "ffff0001", "parentId": None,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": "takahe"}}) + "\n")
    w.same(["ffff0001"], [h["entry"] for h in search(
        own, "takahe", token=token)["hits"]], "a line in the file")
    w.wrongs += own.wrongs
    w.same(0, server.stop()[0], "its exit status")


@case
def a_search_is_not_answered_from_a_cache(w):
    at = w.conversation()
    say(w, at, "osprey")
    answers = set()
    for i in range(3):
        answers.add(search(w, "osprey", flat="true")["total"])
        say(w, at, "osprey %d" % i)
    w.same({1, 2, 3}, answers, "totals")


@case
def the_values_of_parameters_are_described(w):
    op = w.server.openapi["paths"]["/v1/search"]["get"]
    kind = [p for p in op["parameters"] if p.get("name") == "kind"][0]
    w.same(list(KINDS), kind["schema"]["items"]["enum"], "kinds")
    w.yes(re.search("newest", json.dumps(op)), "orders")


def sources(server, session):
    """What the indexes on the disk have of a session, by size."""
    found = []
    for top, _dirs, names in os.walk(server.home):
        if os.path.basename(top) != "files" or "search.db" not in names:
            continue
        db = sqlite3.connect(os.path.join(top, "search.db"), timeout=10)
        try:
            found += [row[0] for row in db.execute(
                "SELECT size FROM source WHERE session = ?", (session,))]
        except sqlite3.OperationalError:
            pass  # it is being created
        db.close()
    return found


@case
def the_index_is_written_when_a_tenant_is_quiet(w):
    at = w.conversation(title="indexed by itself")
    session = w.ask("GET", at).json()["session"]
    say(w, at, "a bittern")
    for _ in range(100):
        if sources(w.server, session):
            break
        time.sleep(0.1)
    first = sources(w.server, session)
    w.yes(first and first[0] > 0, "it is not: %r" % first)
    w.yes(search(w, "bittern")["hits"], "found in it")
    say(w, at, "another bittern")
    w.same(2, search(w, "bittern", flat="true")["total"], "one in memory")
    for _ in range(100):
        if sources(w.server, session) > first:
            break
        time.sleep(0.1)
    w.yes(sources(w.server, session) > first, "the second is not written")
    w.same(2, search(w, "bittern", flat="true")["total"], "both in the index")


@case
def many_search_while_much_is_appended(w):
    at = w.conversation()
    text = " ".join("word%d" % i for i in range(12000))
    wrong, done = [], []

    def append():
        try:
            for i in range(12):
                say(w, at, "puffin%d %s" % (i, text))
                got = search(w, '"puffin%d"' % i)
                if not got["hits"]:
                    wrong.append("puffin%d is not found" % i)
        finally:
            done.append(True)

    def look():
        while not done and len(wrong) < 5:
            got = w.ask("GET", "/v1/search?q=word7&limit=3")
            if got.status != 200:
                wrong.append("%d %r" % (got.status, got.body[:200]))

    threads = [threading.Thread(target=f) for f in (append, look, look, look)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    w.same([], wrong, "meanwhile")
    w.same(12, search(w, "word7", flat="true")["total"], "all of it")


@case
def what_is_new_is_found_beside_what_is_indexed(w):
    """The home's index has the beginning of a session, the one in memory its end."""
    at = w.conversation()
    session = w.ask("GET", at).json()["session"]
    for i in range(9):
        say(w, at, "grebe %d" % i)
        w.ask("PUT", at + "/files/%d.md" % i, b"a grebe %d" % i, want=201)
        w.ask("POST", "/v1/memory/entries", {"type": "user", "title":
                                             "grebe %d" % i}, want=201)
        w.ask("POST", "/v1/history", {"prompt": "grebe %d" % i}, want=201)
        w.ask("POST", at + "/outputs?tool=bash&threshold=10",
              b"the grebe in an output %d" % i, want=201)
        for _ in range(3):  # several workers
            got = search(w, "grebe", flat="true", facets="true", limit=100)
            w.same({kind: i + 1 for kind in ("message", "artifact", "memory",
                                             "history", "output")},
                   got["facets"]["kind"], "after round %d" % i)
            w.same(got["total"], len(got["hits"]), "as many hits")
        for _ in range(50 if i in (0, 4) else 0):
            if sources(w.server, session):
                break
            time.sleep(0.1)
        if i == 4:
            w.ask("DELETE", at + "/files/0.md?purge=true", want=200)
            w.ask("PUT", at + "/files/0.md", b"a grebe again", want=201)
    w.ask("PATCH", at, {"title": "renamed grebe"}, want=200)
    got = search(w, "grebe", flat="true", facets="true")
    w.same(1, got["facets"]["kind"]["title"], "its title")
    w.same(9, got["facets"]["kind"]["message"], "messages")


@case
def pages_go_on_when_the_index_is_written_between_them(w):
    """What was in memory has other numbers then, and the same times."""
    at = w.conversation()
    session = w.ask("GET", at).json()["session"]
    say(w, at, "first")
    for sort in ("oldest", "newest", "rank"):
        word = "shrike" + sort
        before = sources(w.server, session)
        ids = [say(w, at, "%s %d" % (word, i)) for i in range(10)]
        got = search(w, word, flat="true", limit=4, sort=sort)
        seen = [h["entry"] for h in got["hits"]]
        for _ in range(100):
            if sources(w.server, session) > before:
                break
            time.sleep(0.1)
        while got["next_cursor"]:
            got = search(w, word, flat="true", limit=4, sort=sort,
                         cursor=got["next_cursor"])
            seen += [h["entry"] for h in got["hits"]]
        w.same(sorted(ids), sorted(seen), sort)
