"""What words and numbers of a request mean, to whoever takes them as they are
written."""
import base64
import json

from client import ADMIN, case


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
