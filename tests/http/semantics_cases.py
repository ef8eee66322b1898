"""What words and numbers of a request mean, to whoever takes them as they are
written."""
import base64
import fcntl
import os
import struct

from client import ADMIN, Server, World, case, on_disk, slow_case
from listener import Listener


# ---- appending -------------------------------------------------------------

@case
def a_key_that_was_used_for_another_entry_is_refused(w):
    here = w.conversation()
    for route, name in (("/messages", "message"), ("/entries", "entry")):
        first, second = "first", "SECOND"
        if name == "entry":
            first = {"type": "custom", "data": {"n": 1, "of": ["a", "b"]}}
            second = {"type": "custom", "data": {"n": 2, "of": ["a", "b"]}}
        asked = {name: first, "op": "o-" + name}
        made = w.ask("POST", here + route, asked, want=201).json()
        again = w.ask("POST", here + route, asked, want=200).json()
        w.same((made["id"], True), (again["id"], again["existed"]), "a retry")
        got = w.ask("POST", here + route, {name: second, "op": "o-" + name},
                    want=409)
        w.same("exists", got.json()["kind"], "its kind")
        w.yes("another entry" in got.json()["error"], got.json()["error"])
    # Spelled otherwise it is the same.
    w.ask("POST", here + "/entries", b'{"op":"o-entry","entry":{"data":{"of":'
          b'[ "\\u0061","b"],"n":1}, "type":"custom"}}', want=200)
    w.same(2, w.ask("GET", here + "/entries").json()["count"], "entries")


@case
def a_retry_with_an_image_is_a_retry(w):
    here = w.conversation()

    def message(data):
        return {"op": "picture", "message": [{
            "type": "image", "mimeType": "image/png",
            "data": base64.b64encode(data).decode()}]}
    first, other = b"\x89PNG" + b"1" * 3000, b"\x89PNG" + b"2" * 3000
    w.ask("POST", here + "/messages", message(first), want=201)
    w.ask("POST", here + "/messages", message(first), want=200)
    w.ask("POST", here + "/messages", message(other), want=409)


@case
def null_is_the_leaf_of_an_empty_conversation(w):
    here = w.conversation()
    first = w.ask("POST", here + "/messages", {"message": "a", "expect": None},
                  want=201).json()
    for body in ({"message": "b", "expect": None},
                 {"message": "b", "expect": "root"}):
        got = w.ask("POST", here + "/messages", body, want=409)
        w.same("changed", got.json()["kind"], "its kind")
    w.ask("POST", here + "/entries", {"entry": {"type": "custom"},
                                      "expect": None}, want=409)
    w.ask("POST", here + "/messages", {"message": "b", "expect": first["id"]},
          want=201)


@case
def a_context_is_of_the_leaf_that_is_named(w):
    here = w.conversation()
    first = w.ask("POST", here + "/messages", {"message": "a"}).json()["id"]
    w.ask("POST", here + "/messages", {"message": "b"})
    for query, n in (("", 2), ("?leaf=" + first, 1), ("?leaf=null", 0)):
        got = w.ask("GET", here + "/context" + query, want=200)
        w.same(n, len(got.json()["messages"]), "messages" + query)
    for unknown in ("nothing", "ffffffff", ""):
        w.ask("GET", here + "/context?leaf=" + unknown, want=404)


# ---- numbers and times -----------------------------------------------------

@case
def zero_is_a_number(w):
    here = w.conversation()
    made = w.ask("POST", "/v1/memory/entries", {
        "type": "user", "title": "t", "content": "c"}, want=201).json()["id"]
    w.ask("PUT", here + "/files/p", b"x", want=201)
    for query in ("as_of=0", "before=0", "before_updated_at=0"):
        got = w.ask("GET", "/v1/memory/entries?" + query, want=200).json()
        w.same([], got["entries"], query)
    w.same(1, w.ask("GET", "/v1/memory/entries?since=0").json()["count"],
           "since=0")
    w.same([], w.ask("GET", "/v1/memory/entries?q=c&as_of=0").json()["entries"],
           "a search of 1970")
    w.ask("GET", "/v1/memory/entries/%d?as_of=0" % made, want=404)
    for target in ("/v1/memory/entries?conversation_id=0",
                   "/v1/memory/relations?source_id=0",
                   "/v1/memory/relations?target_id=0",
                   "/v1/memory/graph?around=0", here + "/files/p?version=0",
                   "/v1/events?conversation=0"):
        got = w.ask("GET", target, want=400)
        w.yes("1 or more" in got.json()["error"], got.json()["error"])
    w.ask("GET", "/v1/admin/audit?before_id=0", token=ADMIN, want=400)
    w.ask("POST", "/v1/memory/entries/%d/invalidate" % made, {"when": 0},
          want=400)
    w.ask("GET", "/v1/memory/entries/%d" % made, want=200)
    w.ask("POST", "/v1/slash", {"text": "/list", "conversation_id": 0},
          want=400)
    old = w.ask("POST", "/v1/memory/entries", {
        "type": "user", "title": "old", "created_at": 0}, want=201).json()
    w.same((0, 0), (old["created_at"], old["valid_from"]), "of 1970")
    got = w.ask("GET", "/v1/memory/entries?as_of=0").json()["entries"]
    w.same([old["id"]], [e["id"] for e in got], "what was true in 1970")


@case
def a_cursor_is_taken_as_it_was_given(w):
    for n in range(3):
        here = w.conversation(title=str(n))
        w.ask("PUT", here + "/files/p", b"x", want=201)
    for target in ("/v1/conversations", "/v1/artifacts"):
        cursor = w.ask("GET", target + "?limit=1").json()["next_cursor"]
        w.ask("GET", "%s?limit=1&cursor=%s" % (target, cursor), want=200)
        us, rest = cursor.split(".", 1)
        wrong = ["", "x", ".", us, us + ".", "." + rest, "+" + cursor,
                 "%20" + cursor, "%2b" + cursor, "-" + cursor, "0" + cursor,
                 "9" * 30 + "." + rest, "9223372036854775808." + rest]
        if target == "/v1/artifacts":
            wrong += [cursor + "x", cursor + "%20", cursor + ".1",
                      us + ".%20" + rest, us + ".0", us + "." + "9" * 19]
        for bad in wrong:
            w.ask("GET", "%s?limit=1&cursor=%s" % (target, bad), want=400)


# ---- addresses -------------------------------------------------------------

@case
def what_is_no_id_is_a_wrong_one_and_not_a_wrong_address(w):
    here = w.conversation()
    for bad in ("0", "-1", "01", "1e3", "1abc", "9223372036854775808", "x",
                "%20", "%zz", "%ff"):
        for method, target in (
                ("GET", "/v1/conversations/" + bad),
                ("HEAD", "/v1/conversations/" + bad),
                ("POST", "/v1/conversations/" + bad + "/messages"),
                ("GET", here + "/artifacts/" + bad),
                ("GET", "/v1/artifacts/" + bad + "/raw"),
                ("DELETE", "/v1/memory/relations/" + bad),
                ("PATCH", "/v1/memory/entries/" + bad)):
            body = {"message": "m"} if method == "POST" else None
            got = w.ask(method, target, body, want=400)
            if method != "HEAD":
                w.same("invalid", got.json()["kind"], target)
                w.yes("id in the address" in got.json()["error"],
                      got.json()["error"])
        w.ask("GET", "/v1/conversations/" + bad, token=None, want=401)
        w.ask("GET", "/v1/admin/tenants/" + bad, token=ADMIN, want=400)
    w.ask("DELETE", "/v1/artifacts/search", want=405)
    w.ask("GET", "/v1/conversations/x/nothing", want=404)


@case
def paths_that_cannot_be_spelled(w):
    here = w.conversation()
    for bad, reason in (("%00", "nul_byte"), ("a%00b", "nul_byte"),
                        ("%ff", "invalid_utf8"), ("a/%c3", "invalid_utf8"),
                        ("%zz", "bad_escape"), ("a%4", "bad_escape"),
                        ("a%", "bad_escape"), ("..%2fx", "traversal")):
        for method in ("GET", "PUT", "DELETE"):
            got = w.ask(method, here + "/files/" + bad,
                        b"x" if method == "PUT" else None)
            if method == "GET" and reason == "traversal":
                continue
            w.same((400, "invalid"), (got.status, got.json()["kind"]),
                   "%s %s" % (method, bad))
            w.yes("(%s)" % reason in got.json()["error"], got.json()["error"])


# ---- events ----------------------------------------------------------------

@case
def nobody_listens_to_what_is_never_told(w):
    number = w.conversation().rsplit("/", 1)[1]
    foreign = w.conversation(w.tenant()[1]).rsplit("/", 1)[1]
    for query in ("types=bogus", "types=artifact,bogus", "types=", "types=,",
                  "types=artifact.", "types=artifact.writ", "types=artifac",
                  "conversation=99999", "conversation=" + foreign):
        w.ask("GET", "/v1/events?" + query, want=400)
    for query in ("types=artifact", "types=memory.added,file",
                  "types=entry,", "conversation=" + number):
        w.ask("HEAD", "/v1/events?" + query, want=200)


@case
def what_changes_nothing_is_not_told(w):
    one = Listener(w.server, w.token).settle()
    here = w.conversation(title="t")
    number = int(here.rsplit("/", 1)[1])
    w.same("conversation.created", one.event()[0], "made")
    put = {"Content-Type": "text/plain"}
    w.ask("PUT", here + "/files/p", b"x", headers=put, want=201)
    w.same("artifact.written", one.event()[0], "written")
    w.ask("PUT", here + "/files/p", b"x", headers=put, want=200)
    w.ask("POST", here + "/artifacts", {"path": "p", "content": "x",
                                        "mime_type": "text/plain"}, want=200)
    for same in ({"title": "t"}, {"title": ""}, {"archived": False},
                 {"folder_id": None}, {"folder_id": 0}):
        w.same("t", w.ask("PATCH", here, same, want=200).json()["title"],
               "the title after %r" % same)
    w.ask("POST", "/v1/history", {"prompt": "p"}, want=201)
    w.same("history.added", one.event()[0], "typed, and nothing before it")
    w.ask("POST", "/v1/history", {"prompt": "p"}, want=201)
    w.ask("PUT", here + "/files/p", b"x", headers={"Content-Type": "text/css"},
          want=200)
    w.same("artifact.written", one.event()[0], "of another type")
    w.ask("PATCH", here, {"title": None}, want=200)
    w.same("conversation.changed", one.event()[0], "without a title")
    entry = w.ask("POST", here + "/messages", {"message": "m"}).json()
    told = one.event()[1]
    w.same((entry["id"], None), (told["id"], told.get("parentId", "none")),
           "the first entry")
    w.ask("DELETE", here, want=200)
    told = one.event()
    w.same(("conversation.removed", number, number),
           (told[0], told[1].get("id"), told[1].get("conversation_id")), "gone")
    one.close()


# ---- fields ----------------------------------------------------------------

@case
def agents_have_names(w):
    for bad in ("", "a b", "ä", "x" * 65, "a/b"):
        for name in ("agent_id", "agent"):
            w.ask("POST", "/v1/conversations", {name: bad}, want=400)
        w.ask("POST", "/v1/slash", {"text": "/list", "agent": bad}, want=400)
    for good in ("index", "A-1_b", "x" * 64):
        w.ask("POST", "/v1/conversations", {"agent_id": good}, want=201)
        w.ask("POST", "/v1/slash", {"text": "x", "agent": good}, want=200)


@case
def what_clients_of_arbiter_ask(w):
    here = w.conversation()
    row = w.ask("GET", here).json()
    for second, n in ((0, 0), (row["created_at"], 0),
                      (row["updated_at"] + 1, 1), (2 ** 62, 1)):
        got = w.ask("GET", "/v1/conversations?before_updated_at=%d" % second,
                    want=200)
        w.same(n, got.json()["count"], "before %d" % second)
    ids = [w.ask("POST", here + "/messages", {"message": str(n)}).json()["id"]
           for n in range(4)]

    def listed(query):
        got = w.ask("GET", here + "/messages?" + query, want=200).json()
        return [m["id"] for m in got["messages"]], got["next_after"]
    w.same((ids, None), listed("after_id=0"), "all")
    w.same((ids[2:], None), listed("after_id=" + ids[1]), "after the second")
    w.same((ids[1:2], 2), listed("limit=1&after_id=" + ids[0]), "a page")
    w.same((ids[2:], None), listed("after=2"), "the next page")
    w.same(([], None), listed("after_id=" + ids[3]), "after the last")
    w.ask("GET", here + "/messages?after_id=nobody", want=400)
    for query in ("graduated=true", "graduated=1&q=x", "intent=off",
                  "intent=off&q=x", "decay=off&q=x", "intent=on"):
        w.ask("GET", "/v1/memory/entries?" + query, want=200)
    for query in ("intent=", "intent=x&q=x", "decay=x&q=x"):
        w.ask("GET", "/v1/memory/entries?" + query, want=400)
    w.same(w.ask("GET", "/healthz", token=None).body,
           w.ask("GET", "/v1/health", token=None, want=200).body, "health")
    got = w.ask("GET", "/v1/metrics", token=None, want=200)
    w.yes(b"quire_" in got.body, "metrics")


@case
def an_empty_type_is_none_that_is_given(w):
    here = w.conversation()
    for path, mime in (("a.md", "text/markdown"), ("a", "text/plain")):
        got = w.ask("POST", here + "/artifacts", {
            "path": path, "content": "x", "mime_type": ""}, want=201)
        plain = w.ask("POST", here + "/artifacts", {
            "path": path, "content": "x"}, want=200)
        w.same(plain.json()["artifact"]["mime_type"],
               got.json()["artifact"]["mime_type"], path)


@case
def messages_are_said_by_somebody(w):
    here = w.conversation()
    for role in ("user", "assistant", "toolResult", "developer"):
        w.ask("POST", here + "/messages", {"message": "x", "role": role},
              want=201)
        w.ask("POST", here + "/messages",
              {"message": {"role": role, "content": ""}}, want=201)
    for role in ("", "wizard", "User"):
        w.ask("POST", here + "/messages", {"message": "x", "role": role},
              want=400)
        w.ask("POST", here + "/messages",
              {"message": {"role": role, "content": ""}}, want=400)
    w.ask("POST", here + "/messages", {"message": {"content": "x"}}, want=400)


# ---- answers ---------------------------------------------------------------

@case
def words_are_for_whoever_asks_from_afar(w):
    here = w.conversation()
    number = here.rsplit("/", 1)[1]
    made = w.ask("POST", "/v1/blobs", b"a blob").json()
    refused = [
        ("GET", "/v1/conversations/99999", None),
        ("GET", "/v1/conversations/99999/messages", None),
        ("GET", "/v1/artifacts/99999", None),
        ("GET", here + "/artifacts/99999", None),
        ("DELETE", "/v1/artifacts/99999", None),
        ("GET", here + "/files/none", None),
        ("DELETE", here + "/files/none", None),
        ("GET", "/v1/blobs/" + made["sha256"][:12], None),
        ("GET", "/v1/blobs/" + "0" * 64, None),
        ("GET", here + "/context?leaf=none", None),
        ("GET", "/v1/memory/entries/99999", None),
        ("POST", "/v1/memory/relations", {"source_id": 99998, "target_id":
                                          99999, "relation": "refines"}),
        ("POST", "/v1/memory/entries", {"type": "user", "title": "t",
                                        "artifact_id": 99999}),
        ("GET", "/v1/memory/graph?around=99999", None),
    ]
    for method, target, body in refused:
        got = w.ask(method, target, body)
        w.yes(400 <= got.status < 500, "%s: %d" % (target, got.status))
        for word in (b"quire ", b"--", b"QUIRE_HOME", b"session user",
                     b"prefix", b"first six"):
            w.yes(word not in got.body, "%s: %r" % (target, got.body))
    got = w.ask("GET", "/v1/conversations/99999", want=404).json()
    w.same("no conversation 99999", got["error"], "words")
    got = w.ask("GET", here + "/files/none", want=404).json()
    w.same("no file none in conversation " + number, got["error"],
           "words")
    for name in (made["sha256"], made["ref"]):
        w.same(b"a blob", w.ask("GET", "/v1/blobs/" + name, want=200).body,
               name)
    tenant, token = w.tenant()
    w.conversation(token)
    got = w.ask("DELETE", "/v1/admin/tenants/%d" % tenant, token=ADMIN,
                want=409)
    w.yes("?all=true" in got.json()["hint"], got.json()["hint"])
    w.ask("DELETE", "/v1/admin/tenants/%d?all=true" % tenant, token=ADMIN,
          want=200)


@slow_case
@on_disk
def who_else_writes_is_not_told(w):
    server = Server(w.server.work, "busy-home")
    own = World(server)
    here = own.conversation()
    row = own.ask("GET", here).json()
    found = [os.path.join(d, f) for d, _, files in os.walk(server.home)
             for f in files if row["session"] in f and f.endswith(".jsonl")]
    with open(found[0], "r+b") as held:
        # struct flock, of whoever has the file open: F_OFD_SETLK.
        fcntl.fcntl(held, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        got = own.ask("POST", here + "/messages", {"message": "m"}, want=503)
        w.same("busy", got.json()["kind"], "its kind")
        for word in ("process", ".jsonl", str(os.getpid())):
            w.yes(word not in got.json()["error"], got.json()["error"])
    own.ask("POST", here + "/messages", {"message": "m"}, want=201)
    w.same(0, server.stop()[0], "its exit status")
    w.yes("is writing to it" in open(server.errors).read(), "the log tells")
    w.wrongs += own.wrongs


@case
def a_workspace_says_no_more_of_the_disk_than_it_must(w):
    here = w.conversation()
    for scope in ("artifact", "scratchpad"):
        got = w.ask("POST", here + "/workspace", {
            "action": "write", "filename": "a\u00e9.md", "content": "x",
            "scope": scope}, want=200).json()
        w.yes(not got["data"]["path"].startswith("/"), got["data"]["path"])
        w.yes(os.path.isfile(os.path.join(w.server.home, got["data"]["path"])),
              got["data"]["path"])
    for body in (b"", b"x", b"[]", b'"list"', b'{"action":', b"{} {}"):
        got = w.ask("POST", here + "/workspace", body, want=400)
        w.same("invalid", got.json()["kind"], repr(body))


@case
def no_line_is_an_answer(w):
    here = w.conversation()
    w.ask("POST", here + "/outputs?tool=t&threshold=10", b"line\n" * 100,
          want=201)
    w.ask("POST", here + "/outputs?agent=Scout", b"one\ntwo\n", want=201)
    for name in ("0", "0-Scout"):
        for query in ("grep=nomatch", "offset=99999", "grep=x&tail=2"):
            got = w.ask("GET", here + "/outputs/%s?%s" % (name, query),
                        want=200)
            w.same(b"", got.body, query)
        got = w.ask("GET", here + "/outputs/%s?limit=1" % name, want=200)
        w.same("attachment", got["Content-Disposition"], "for a browser")
    for target in ("7", "7?grep=x", "7?offset=2", "Nobody?grep=x"):
        w.ask("GET", here + "/outputs/" + target, want=404)


@case
def conditions_of_an_artifact_by_json(w):
    here = w.conversation()
    body = {"path": "a", "content": "one"}
    none, other = {"If-None-Match": "*"}, {"If-Match": '"%s"' % ("0" * 64)}
    first = w.ask("POST", here + "/artifacts", body, headers=none, want=201)
    body["content"] = "two"
    w.ask("POST", here + "/artifacts", body, headers=none, want=412)
    w.ask("POST", here + "/artifacts", body, headers=other, want=412)
    w.same(b"one", w.ask("GET", here + "/files/a").body, "what is there")
    w.ask("POST", here + "/artifacts", body,
          headers={"If-Match": first["ETag"]}, want=200)
    w.same(b"two", w.ask("GET", here + "/files/a").body, "then")
