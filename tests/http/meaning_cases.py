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
