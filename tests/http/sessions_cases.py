"""/v1/sessions: the routes of /v1/conversations under our own name, and both by
the number and by the id of a session. And the page at /."""
import json
import os
import re
import sqlite3
import subprocess
import time

from client import ADMIN, Server, World, case, exchange, plain, slow_case


def both(w):
    """The addresses of one new session, by both names and all forms of its id."""
    row = w.ask("POST", "/v1/sessions", {"title": "two names"}, want=201).json()
    ids = (row["id"], row["session"], row["session"][:12])
    return row, ["/v1/%s/%s" % (name, which)
                 for name in ("sessions", "conversations") for which in ids]


@case
def a_session_is_read_by_two_names_and_by_number_id_and_prefix(w):
    row, addresses = both(w)
    for address in addresses:
        got = w.ask("GET", address, want=200).json()
        w.same(row, got, address)
    w.same([row["id"]], [s["id"] for s in w.ask(
        "GET", "/v1/sessions?limit=1", want=200).json()["sessions"]], "its list")
    w.same([row["id"]], [s["id"] for s in w.ask(
        "GET", "/v1/conversations?limit=1", want=200).json()["conversations"]],
        "the other list")


@case
def a_session_names_its_backend(w):
    row, _addresses = both(w)
    w.same("file", row["backend"], "a new one")
    for name in "sessions", "conversations":
        got = w.ask("GET", "/v1/%s?limit=1" % name, want=200).json()[name]
        w.same(["file"], [s["backend"] for s in got], name)


@case
def a_session_that_is_kept_open_follows_its_file(w):
    """The server keeps it between requests, without a lock."""
    server = Server(w.server.work, "kept")
    own = World(server)

    def quire(*words, **more):
        return subprocess.run([server.program, "--home", server.home, *words],
                              capture_output=True, text=True, **more)

    token = json.loads(quire("tenant", "add", "ann", "--json").stdout)["token"]
    row = own.ask("POST", "/v1/sessions", {"title": "kept"}, token,
                  want=201).json()
    at = "/v1/sessions/" + row["session"]
    files = [os.path.join(top, name)
             for top, _dirs, names in os.walk(server.home) for name in names
             if name.endswith(row["session"] + ".jsonl")]
    w.same(1, len(files), "its files")

    def texts():
        return [e["message"]["content"] for e in own.ask(
            "GET", at + "/messages", token=token, want=200).json()["messages"]]

    own.ask("POST", at + "/messages", {"message": "one"}, token, want=201)
    w.same(["one"], texts(), "of its own")
    done = quire("--tenant", "ann", "session", "append", row["session"],
                 "--wait", "100ms", input=json.dumps({
                     "type": "message", "message": {
                         "role": "user", "content": "two"}}) + "\n")
    w.same(0, done.returncode, "another process appends: " + done.stderr)
    w.same(["one", "two"], texts(), "with those of another process")
    own.ask("POST", at + "/messages", {"message": "three"}, token, want=201)
    # A file that takes its place has another content.
    with open(files[0]) as f:
        lines = f.read().splitlines(True)
    with open(files[0] + ".new", "w") as f:
        f.write("".join(lines[:2]))
    time.sleep(0.05)  # the name is looked at anew after 20 ms
    os.rename(files[0] + ".new", files[0])
    w.same(["one"], texts(), "of the other file")
    own.ask("POST", at + "/messages", {"message": "four"}, token, want=201)
    w.same(["one", "four"], texts(), "in the other file")
    os.unlink(files[0])
    own.ask("GET", at + "/messages", token=token, want=404)
    own.ask("POST", at + "/messages", {"message": "five"}, token, want=404)
    w.wrongs += own.wrongs
    w.same(0, server.stop()[0], "its exit status")


@case
def a_session_that_is_kept_open_can_be_archived_moved_and_removed(w):
    row = w.ask("POST", "/v1/sessions", {"title": "kept"}, want=201).json()
    at = "/v1/sessions/" + row["session"]
    for i, change in enumerate(({"archived": True}, {"archived": False},
                                {"title": "renamed"})):
        w.ask("POST", at + "/messages", {"message": "m%d" % i}, want=201)
        w.ask("PATCH", at, change, want=200)
        w.ask("GET", at + "/context", want=200)
    w.ask("POST", at + "/move", {"cwd": "/elsewhere"}, want=200)
    w.ask("POST", at + "/messages", {"message": "last"}, want=201)
    w.same(4, len(w.ask("GET", at + "/messages", want=200).json()["messages"]),
           "all of them")
    w.ask("DELETE", at, want=200)
    w.ask("POST", at + "/messages", {"message": "late"}, want=404)


@case
def everything_of_a_session_is_had_by_its_id(w):
    row, addresses = both(w)
    for i, at in enumerate(addresses):
        ask = w.ask
        ask("PATCH", at, {"title": "t%d" % i}, want=200)
        ask("POST", at + "/messages", {"message": "hello"}, want=201)
        ask("POST", at + "/entries", {"entry": {"type": "custom"}}, want=201)
        for part in ("entries", "messages", "context", "tree"):
            ask("GET", at + "/" + part, want=200)
        ask("POST", at + "/workspace",
            {"action": "write", "filename": "w%d" % i, "content": "w"},
            want=200)
        put = ask("POST", at + "/artifacts",
                  {"path": "a%d" % i, "content": "x"}, want=201).json()
        w.same(row["id"], put["artifact"]["conversation_id"], "whose it is")
        one = "%s/artifacts/%d" % (at, put["artifact"]["id"])
        for part in ("", "/raw", "/versions"):
            ask("GET", one + part, want=200)
        ask("DELETE", one, want=200)
        ask("POST", at + "/artifacts/restore", {"path": "a%d" % i}, want=200)
        ask("GET", at + "/artifacts", want=200)
        ask("PUT", at + "/files/f%d" % i, b"content", want=201)
        w.same(b"content", ask("GET", at + "/files/f%d" % i, want=200).body,
               "a file")
        ask("DELETE", at + "/files/f%d" % i, want=200)
        out = ask("POST", at + "/outputs?tool=t&threshold=10", b"y" * 100,
                  want=201).json()
        ask("GET", at + "/outputs", want=200)
        ask("GET", "%s/outputs/%s" % (at, out["artifactId"]), want=200)
        copy = ask("POST", at + "/fork", {}, want=201).json()
        ask("POST", "/v1/sessions/%s/move" % copy["session"],
            {"cwd": "/tmp/elsewhere"}, want=200)
        ask("DELETE", "/v1/sessions/%s" % copy["session"], want=200)
        ask("GET", "/v1/sessions/%s" % copy["session"], want=404)
    artifact = put["artifact"]["id"]
    other, _ = both(w)
    w.ask("GET", "/v1/sessions/%s/artifacts/%d" % (other["session"], artifact),
          want=404)


@case
def an_id_that_is_malformed_unknown_or_ambiguous_is_refused(w):
    for name in ("sessions", "conversations"):
        for bad in ("0", "0192abc", "nonsense", "2026-02-1T", "x" * 70,
                    "99999999999999999999", "-1"):
            got = w.ask("GET", "/v1/%s/%s" % (name, bad), want=400)
            w.same("invalid", got.json()["kind"], bad)
        for none in ("999999", "00000000", "deadbeef-0000", "2026-02-16"):
            got = w.ask("GET", "/v1/%s/%s" % (name, none), want=404)
            w.same("not_found", got.json()["kind"], none)
    rows = [both(w)[0] for _ in range(2)]
    prefix = os.path.commonprefix([r["session"] for r in rows])
    if len(prefix) >= 8:
        got = w.ask("GET", "/v1/sessions/" + prefix[:8], want=400)
        w.same("invalid", got.json()["kind"], "two sessions begin so")
        w.yes("quire" not in got.json()["hint"], "a hint for HTTP")
    other = w.tenant()[1]
    w.ask("GET", "/v1/sessions/" + rows[0]["session"], token=other, want=404)


@case
def both_names_are_described(w):
    paths = w.server.openapi["paths"]
    ids = [op["operationId"] for ops in paths.values() for op in ops.values()]
    w.same(len(ids), len(set(ids)), "operation ids")
    for path in paths:
        if path.startswith("/v1/conversations"):
            own = path.replace("conversations", "sessions", 1)
            w.same(sorted(paths[path]), sorted(paths.get(own, {})), own)


# ---- the page -------------------------------------------------------------

@case
def the_root_is_a_page_for_people(w):
    for accept in ("text/html,application/xhtml+xml,*/*;q=0.8", "*/*", None):
        got = w.ask("GET", "/", token=None, want=200,
                    headers={"Accept": accept} if accept else {})
        text = got.body.decode()
        w.yes(got["Content-Type"].startswith("text/html"), "its type")
        w.yes("default-src 'none'" in got["Content-Security-Policy"], "its CSP")
        w.same("no-cache", got["Cache-Control"], "its caching")
        w.yes("Accept" in got["Vary"], "it varies")
        version = w.ask("GET", "/version", want=200).json()["version"]
        for word in (version, "/openapi.json", "/healthz", "/metrics",
                     "/v1/sessions", "/mcp", "quire tenant add", "admin.token"):
            w.yes(word in text, word)
        for word in ("<script", "http://", "https://", "src="):
            w.yes(word not in text, word)
    w.same(b"", exchange(w.server, plain("HEAD", "/"), head=True).body, "HEAD")


@case
def the_root_is_no_page_for_programs(w):
    json_only = {"Accept": "application/json"}
    got = w.ask("GET", "/", token=None, headers=json_only, want=401)
    w.same("unauthorized", json.loads(got.body)["kind"], "without a token")
    w.ask("GET", "/", headers=json_only, want=404)
    w.ask("POST", "/", {}, want=405)
    w.ask("GET", "/", token=ADMIN, headers={"Accept": "text/html"}, want=200)


@slow_case
def reading_needs_no_write_lock(w):
    server = Server(w.server.work, "locked")
    world = World(server)
    here = world.conversation(title="t")
    number = here.rsplit("/", 1)[1]
    world.ask("PUT", here + "/files/a.txt", b"text", want=201)
    world.ask("POST", here + "/messages",
              {"message": {"role": "user", "content": "one"}}, want=201)
    time.sleep(2.2)  # until its time tells it from a later state
    world.ask("GET", "/v1/conversations", want=200)
    world.ask("POST", here + "/messages",
              {"message": {"role": "user", "content": "two"}}, want=201)
    db = sqlite3.connect(server.home + "/quire.db", isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    for route, methods in server.openapi["paths"].items():
        if "get" not in methods or re.search("events|mcp|admin", route):
            continue
        target = re.sub(r"{(conversation|session)}", number, route)
        target = re.sub(r"{\w+}", "1", target.replace("{path}", "a.txt"))
        began = time.monotonic()
        got = world.ask("GET", target + "?q=one" * target.endswith("search"))
        w.yes(got.status < 500 and time.monotonic() - began < 2,
              "%s: %d after %.1f s" % (target, got.status,
                                       time.monotonic() - began))
    w.same(2, world.ask("GET", here, want=200).json()["messages"],
           "messages, counted although nothing can be stored")
    db.execute("ROLLBACK")
    db.close()
    server.stop()
