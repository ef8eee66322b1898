"""/v1/sessions: the routes of /v1/conversations under our own name, and both by
the number and by the id of a session. And the page at /."""
import json
import os
import re
import sqlite3
import subprocess
import time

from client import (ADMIN, Server, World, case, exchange, on_disk, plain,
                    slow_case)


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
@on_disk
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
def what_is_appended_to_an_imported_session_goes_to_a_fork_of_it(w):
    server = Server(w.server.work, "imported")
    own = World(server)
    path = os.path.join(w.server.work, "talk.jsonl")
    with open(path, "w") as f:
        f.write('{"role":"user","content":"one"}\n')

    def quire(*words):
        done = subprocess.run([server.program, "--home", server.home,
                               "--tenant", "ann", *words],
                              capture_output=True, text=True)
        w.same(0, done.returncode, done.stderr)
        return done.stdout

    token = json.loads(subprocess.run(
        [server.program, "--home", server.home, "tenant", "add", "ann",
         "--json"], capture_output=True, text=True).stdout)["token"]
    quire("import", "--agent", "chat", "--from", path)
    row = own.ask("GET", "/v1/sessions", token=token,
                  want=200).json()["sessions"][0]
    at = "/v1/sessions/%d" % row["id"]

    def texts(at):
        return [e["message"]["content"]
                if isinstance(e["message"]["content"], str)
                else e["message"]["content"][0]["text"] for e in own.ask(
            "GET", at + "/messages", token=token, want=200).json()["messages"]]

    first = own.ask("POST", at + "/messages", {"message": "two"}, token,
                    want=201).json()
    fork = "/v1/sessions/" + first["session"]
    w.yes(first["session"] != row["session"], "it is another session")
    w.same(row["session"], own.ask("GET", fork, token=token, want=200)
           .json()["parent"], "its parent")
    w.same(first["conversation_id"], own.ask("GET", fork, token=token,
                                             want=200).json()["id"],
           "its number")
    w.same(["one"], texts(at), "the imported one")
    again = own.ask("POST", at + "/messages", {"message": "three"}, token,
                    want=201).json()
    w.same(first["session"], again["session"], "the fork of the next append")
    more = own.ask("POST", fork + "/messages", {"message": "four"}, token,
                   want=201).json()
    w.yes("session" not in more, "an append to the fork itself")
    w.same(["one", "two", "three", "four"], texts(fork), "the fork")
    entry = own.ask("GET", at + "/entries", token=token,
                    want=200).json()["entries"][0]["id"]
    own.ask("PUT", at + "/labels/" + entry, {"label": "begin"},
            token, want=200)
    moved = own.ask("PUT", at + "/leaf", {"to": "root"}, token, want=200).json()
    w.same(first["session"], moved["session"], "the fork of a moved leaf")
    with open(path, "a") as f:
        f.write('{"role":"user","content":"new"}\n')
    quire("import", "--agent", "chat", "--from", path)
    w.same(["one", "new"], texts(at), "the imported one, grown")
    w.same(["begin"], [n["label"] for n in own.ask(
        "GET", at + "/tree", token=token, want=200).json()["nodes"]
        if n["label"]], "its label")
    w.wrongs += own.wrongs
    w.same(0, server.stop()[0], "its exit status")


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
        for bad in ("0", "0192abc", "a.jsonl.gz", "%2Fetc%2Fpasswd", "x" * 129,
                    "99999999999999999999", "-1", "last"):
            got = w.ask("GET", "/v1/%s/%s" % (name, bad), want=400)
            w.same("invalid", got.json()["kind"], bad)
        for none in ("999999", "00000000", "deadbeef-0000", "2026-02-16",
                     "2026-02-1T", "nonsense", "ses_nonsense", "________"):
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
def an_imported_session_is_had_by_the_id_of_its_agent(w):
    folder = os.path.join(w.server.work, "agents-ids")
    os.makedirs(folder)
    agents = {"ses_67f1a2b3cffeAbCdEfGhIjKlMn": "67f1a2b3cffeAbCdEfGhIjKlMn",
              "ses_67f1a2b3cffeZyXwVuTsRqPoNm": "67f1a2b3cffeZyXwVuTsRqPoNm"}
    for id in agents:
        with open(os.path.join(folder, id + ".json"), "w") as f:
            json.dump({"info": {"id": id, "directory": "/srv", "title": id,
                                "time": {"created": 1772359200000}},
                       "messages": [{"info": {"id": "msg_1", "role": "user"},
                                     "parts": [{"type": "text",
                                                "text": "of " + id}]}]}, f)
    server = Server(w.server.work, "agents-ids-home")
    own = World(server)
    token = json.loads(subprocess.run(
        [server.program, "--home", server.home, "tenant", "add", "ann",
         "--json"], capture_output=True, text=True).stdout)["token"]
    done = subprocess.run([server.program, "--home", server.home, "--tenant",
                           "ann", "import", "--from", folder],
                          capture_output=True, text=True)
    w.same(0, done.returncode, done.stderr)
    for id, stored in agents.items():
        for name in (id, stored, stored[:14], id[:18]):
            for noun in ("sessions", "conversations"):
                at = "/v1/%s/%s" % (noun, name)
                row = own.ask("GET", at, token=token, want=200).json()
                w.same((stored, id), (row["session"], row["title"]), at)
                got = own.ask("GET", at + "/messages", token=token, want=200)
                w.yes("of " + id in json.dumps(got.json()), at + "/messages")
        number = row["id"]
        w.same(stored, own.ask("GET", "/v1/sessions/%d" % number, token=token,
                               want=200).json()["session"], "by its number")
    for name in ("67f1a2b3cffe", "ses_67f1a2b3", "ses_67f1"):
        got = own.ask("GET", "/v1/sessions/" + name, token=token, want=400)
        w.yes("2 sessions begin with" in got.json()["error"], name)
    for name in ("ses_67f1a2b3cffeB", "ses-67f1a2b3cffeAbCd", "67f1_a2b3"):
        own.ask("GET", "/v1/sessions/" + name, token=token, want=404)
    w.wrongs += own.wrongs
    w.same(0, server.stop()[0], "its exit status")


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
        # What those read who have no scripts.
        for word in ("/openapi.json", "/healthz", "/metrics", "/v1/sessions",
                     "/mcp", "quire tenant add", "admin.token"):
            w.yes(word in text, word)
        for word in ("http://", "https://"):
            w.yes(word not in text, word)
        for address in re.findall(r"(?:src|href)=\"?([^\" >]+)", text):
            w.yes(address.startswith("/"), address)
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
