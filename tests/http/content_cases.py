"""Bytes and text, there and back: raw content, ranges, tags, and every character."""
import hashlib
import json
import os
import threading
import urllib.parse

from client import ADMIN, case


@case
def any_bytes_come_back_as_they_went(w):
    here = w.conversation()
    for name, data in (("empty", b""), ("zero", b"\0"), ("crlf", b"\r\n\r\n"),
                       ("all", bytes(range(256)) * 50),
                       ("answer", b"HTTP/1.1 500 X\r\n\r\n"),
                       ("big", hashlib.sha512(b"x").digest() * 16000)):
        it = here + "/files/dir/" + name + ".bin"
        got = w.ask("PUT", it, data, want=201)
        digest = hashlib.sha256(data).hexdigest()
        w.same(len(data), got.json()["artifact"]["size"], "size of " + name)
        w.same(digest, got.json()["artifact"]["sha256"], "sha256 of " + name)
        w.same('"%s"' % digest, got["ETag"], "tag of " + name)
        back = w.ask("GET", it, want=200)
        w.yes(data == back.body, name + " came back different")
        w.same('"%s"' % digest, back["ETag"], "tag of " + name)
        w.same("nosniff", back["X-Content-Type-Options"], "nosniff")
        w.ask("PUT", it, data + b"!", want=200)


@case
def types_of_content(w):
    here = w.conversation()
    w.ask("PUT", here + "/files/a", b"x", headers={"Content-Type": "image/png"},
          want=201)
    w.same("image/png", w.ask("GET", here + "/files/a")["Content-Type"], "type")
    for mime in ("text/html\r\nX-Injected: 1", "text", "a/b\n", "\u00e9/x",
                 "a/" + "b" * 200, "text/html\0"):
        got = w.ask("POST", here + "/artifacts",
                    {"path": "m", "content": "", "mime_type": mime})
        w.same(400, got.status, "the type %r" % mime)


@case
def the_agent_that_wrote_an_artifact(w):
    here = w.conversation()
    body = {"path": "a", "content": "x", "source_agent_id": "scout-7"}
    put = w.ask("POST", here + "/artifacts", body, want=201).json()["artifact"]
    w.same("scout-7", put["source_agent_id"], "on writing")
    w.ask("PUT", here + "/files/b", b"x", want=201)
    rows = w.ask("GET", here + "/artifacts", want=200).json()["artifacts"]
    w.same({"a": "scout-7", "b": ""},
           {r["path"]: r["source_agent_id"] for r in rows}, "in a list")


@case
def paths_that_lead_elsewhere(w):
    here = w.conversation()
    for path in ("../x", "a/../../x", "/etc/passwd", ".hidden", "a:b", "con",
                 "a\nb", "x" * 300):
        for target in (here + "/files/" + urllib.parse.quote(path, safe=""),
                       here + "/files/" + urllib.parse.quote(path)):
            w.ask("PUT", target, b"x", want=400)
        w.ask("POST", here + "/artifacts", {"path": path, "content": ""},
              want=400)
    for path in ("a//b", "a/", "a/./b", "\u202e", "e\u0301"):
        here = w.conversation()
        got = w.ask("PUT", here + "/files/" + urllib.parse.quote(path), b"x")
        if got.status != 400:
            stored = got.json()["artifact"]["path"]
            w.yes("//" not in stored and "." not in stored.split("/") and
                  not stored.endswith("/"), "stored as %r" % stored)
    for path in ("%00", "a%00b", "%", "%2", "%zz", "%ff", "%c0%af", "%ed%a0%80"):
        got = w.ask("PUT", here + "/files/" + path, b"x")
        w.yes(got.status in (400, 404), "%s: %d" % (path, got.status))
    long = here + "/files/" + urllib.parse.quote("\u20ac" * 400)
    w.ask("PUT", long, b"x", headers={"If-Match": '"x"'})
    for path in ("a b", "a+b", "a%b", "\u00e9", "\u4e2d/\u6587", "a?b", "a#b"):
        target = here + "/files/" + urllib.parse.quote(path)
        got = w.ask("PUT", target, path.encode())
        if got.status == 201:
            w.same(path, got.json()["artifact"]["path"], "the path")
            w.same(path.encode(), w.ask("GET", target).body, "its content")
        else:
            w.same(400, got.status, "%r" % path)
    # A file is no directory, and a directory no file.
    w.ask("PUT", here + "/files/f/g", b"x", want=201)
    for path in ("f", "f/g/h"):
        w.ask("PUT", here + "/files/" + path, b"x", want=409)


@case
def ranges(w):
    here = w.conversation()
    it, size = here + "/files/r", 1000
    data = bytes(i * 7 & 255 for i in range(size))
    w.ask("PUT", it, data, want=201)
    for value, first, last in (
            ("0-0", 0, 0), ("0-9", 0, 9), ("500-599", 500, 599),
            ("990-", 990, 999), ("-1", 999, 999), ("-100", 900, 999),
            ("-5000", 0, 999), ("0-99999", 0, 999), ("999-999", 999, 999),
            ("0-", 0, 999), ("0-18446744073709551615", 0, 999)):
        got = w.ask("GET", it, headers={"Range": "bytes=" + value}, want=None)
        w.same(206, got.status, value)
        w.same(data[first:last + 1], got.body, value)
        w.same("bytes %d-%d/%d" % (first, last, size), got["Content-Range"],
               value)
    for value in ("1000-", "1000-1001", "5000-6000", "-0"):
        got = w.ask("GET", it, headers={"Range": "bytes=" + value}, want=416)
        w.same("bytes */1000", got["Content-Range"], value)
    for value in ("bytes=", "bytes=x", "bytes=9-2", "bytes=--5", "bytes=1--5",
                  "bytes=+1-5", "bytes= 1-5", "bytes=1- 5", "bytes=-+5",
                  "bytes=1-5x", "lines=1-2", "1-2", "bytes", "bytes=0-1,5-6",
                  "bytes=-", "bytes=0x1-5"):
        got = w.ask("GET", it, headers={"Range": value}, want=200)
        w.yes(data == got.body, value + " is not all of it")
    w.ask("PUT", here + "/files/empty", b"", want=201)
    for value in ("bytes=0-", "bytes=-1", "bytes=0-0"):
        w.ask("GET", here + "/files/empty", headers={"Range": value}, want=416)


@case
def a_range_of_what_it_was(w):
    """If-Range: a part of the new must not be joined to a part of the old."""
    here = w.conversation()
    it = here + "/files/r"
    old = w.ask("PUT", it, b"old content", want=201)["ETag"]
    new = w.ask("PUT", it, b"new content", want=200)["ETag"]
    for tag, status in ((new, 206), (old, 200), ("W/" + new, 200),
                        ("Sat, 29 Oct 1994 19:43:31 GMT", 200), ("x", 200)):
        got = w.ask("GET", it, headers={"Range": "bytes=4-6", "If-Range": tag})
        w.same(status, got.status, "If-Range: " + tag)


@case
def tags(w):
    here = w.conversation()
    it = here + "/files/t"
    tag = w.ask("PUT", it, b"tagged", want=201)["ETag"]
    other = '"' + "0" * 64 + '"'
    for value, status in ((tag, 304), ("*", 304), ("W/" + tag, 304),
                          (other + ", " + tag, 304), (other + "," + tag, 304),
                          ("W/" + other + ", W/" + tag, 304), (other, 200),
                          (tag[:-2] + '"', 200), ("", 200), ("nonsense", 200),
                          ('"unclosed', 200), ('"*"', 200),
                          (tag.strip('"'), 200)):
        for method in ("GET", "HEAD"):
            got = w.ask(method, it, headers={"If-None-Match": value})
            w.same(status, got.status, method + " If-None-Match: " + value)
            w.same(tag, got["ETag"], "its tag, with " + value)
    w.ask("GET", it, headers={"If-Match": tag}, want=200)
    w.ask("GET", it, headers={"If-Match": other}, want=412)
    w.ask("PUT", it, b"x", headers={"If-Match": other}, want=412)
    w.ask("PUT", it, b"x", headers={"If-Match": "W/" + tag}, want=412)
    w.ask("PUT", it, b"x", headers={"If-None-Match": "*"}, want=412)
    w.ask("PUT", it, b"x", headers={"If-None-Match": tag}, want=412)
    w.ask("DELETE", it, headers={"If-Match": other}, want=412)
    w.same(b"tagged", w.ask("GET", it).body, "what was refused changed nothing")
    tag = w.ask("PUT", it, b"two", headers={"If-Match": other + ", " + tag},
                want=200)["ETag"]
    w.ask("PUT", it, b"three", headers={"If-Match": "*"}, want=200)
    w.ask("DELETE", it, headers={"If-Match": tag}, want=412)
    w.ask("DELETE", it, headers={"If-Match": "*"}, want=200)
    w.ask("PUT", here + "/files/u", b"x", headers={"If-Match": "*"}, want=412)
    w.ask("PUT", here + "/files/u", b"x", headers={"If-None-Match": "*"},
          want=201)


@case
def purged_artifacts_cannot_be_restored(w):
    here = w.conversation()
    for name, address in (("p", "/files/p"), ("q", None), ("r", None)):
        got = w.ask("PUT", here + "/files/" + name, b"gone", want=201)
        number = got.json()["artifact"]["id"]
        if name == "q":
            address = "/artifacts/%d" % number
        it = here + address if address else "/v1/artifacts/%d" % number
        w.same({"deleted": True},
               w.ask("DELETE", it + "?purge=true", want=200).json(), it)
        w.ask("POST", here + "/artifacts/restore", {"path": name}, want=404)
    w.same(0, w.ask("GET", here + "/artifacts?deleted=true").json()["count"],
           "nothing is soft-deleted")


@case
def of_many_who_want_to_be_first_one_is(w):
    here, got = w.conversation(), []

    def put(i):
        got.append(w.ask("PUT", here + "/files/first", b"%d" % i,
                         headers={"If-None-Match": "*"}).status)

    threads = [threading.Thread(target=put, args=(i,)) for i in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    w.same([201] + [412] * 15, sorted(got), "answers")


@case
def every_character_comes_back(w):
    """As JSON, escaped in each way there is."""
    here = w.conversation()
    for name, escaped in (("zero", r"a\u0000b"), ("pair", r"\ud83d\ude00"),
                          ("plain", "\U0001f600"), ("escapes", r"\"\\\/\b\f\n\r\t"),
                          ("edges", r"\u007f\u0080\u07ff\u0800\uffff"),
                          ("last", r"\udbff\udfff")):
        text = json.loads('"' + escaped + '"')
        body = ('{"path":"%s.txt","content":"%s"}' % (name, escaped)).encode()
        w.ask("POST", here + "/artifacts", body, want=201)
        w.same(text.encode(), w.ask("GET", here + "/files/%s.txt" % name).body,
               "content " + name)
        body = ('{"message":"%s"}' % escaped).encode()
        w.ask("POST", here + "/messages", body, want=201)
        said = w.ask("GET", here + "/messages").json()["messages"][-1]
        w.same(text, said["message"]["content"], "message " + name)
        if name in ("zero", "escapes"):
            continue
        body = ('{"title":"%s"}' % escaped).encode()
        w.same(text, w.ask("PATCH", here, body, want=200).json()["title"],
               "title " + name)
    w.ask("PATCH", here, rb'{"title":"a\u0000b"}', want=400)


@case
def half_a_character_harms_nothing(w):
    here = w.conversation()
    for i, escaped in enumerate((r"\ud800", r"\udc00", r"\udc00\ud800",
                                 r"a\ud83dz", r"\ud83d\ud83d\ude00")):
        text = json.loads('"' + escaped + '"')
        body = ('{"message":"%s"}' % escaped).encode()
        w.ask("POST", here + "/messages", body, want=201)
        said = w.ask("GET", here + "/messages").json()["messages"][-1]
        w.same(text, said["message"]["content"], "message " + escaped)
        body = ('{"path":"h%d","content":"%s"}' % (i, escaped)).encode()
        got = w.ask("POST", here + "/artifacts", body)
        w.yes(got.status in (201, 400), "content %s: %d" % (escaped, got.status))
        if got.status == 201:
            w.ask("GET", here + "/files/h%d" % i).body.decode("utf-8")
        for target in (here + "/context", here + "/entries", here + "/tree"):
            w.ask("GET", target, want=200).json()
        body = ('{"title":"%s"}' % escaped).encode()
        w.yes(w.ask("PATCH", here, body).status in (200, 400), "title")
        w.ask("GET", here, want=200)


@case
def what_is_no_json(w):
    here = w.conversation()
    for body in (b"{", b"[]", b'"x"', b"null", b"1", b"{}x", b"{'a':1}",
                 b'{"title":"\xff"}', b'{"title":"\xed\xa0\x80"}',
                 b'{"title":"\x01"}', b'{"title":"\\x"}', b"\xef\xbb\xbf{}",
                 b'{"title":01}', b'{"title":"a",}', b"[" * 100000,
                 b'{"a":' * 100000, b"\0", b"{}\0"):
        for method, target in (("POST", "/v1/conversations"), ("PATCH", here),
                               ("POST", here + "/artifacts"),
                               ("POST", here + "/entries"),
                               ("POST", here + "/messages")):
            got = w.ask(method, target, body)
            w.same(400, got.status, "%s %s with %r" % (method, target, body[:30]))
    w.same(1, w.ask("GET", "/v1/conversations").json()["count"], "conversations")


@case
def the_workspace_hears_nonsense(w):
    here = w.conversation()
    for body in (b"", b"{", b"[]", b"\xff", b'{"action":"nothing"}', b"null",
                 b'{"action":7}', b"{" * 5000):
        got = w.ask("POST", here + "/workspace", body)
        w.yes(got.status in (200, 400), "%r: %d" % (body[:20], got.status))
        if got.status == 200:
            w.same(False, got.json()["success"], "%r" % body[:20])


@case
def a_request_with_a_key_is_done_once(w):
    (_, token), (_, other) = w.tenant(), w.tenant()
    key = {"Idempotency-Key": "once"}
    made = [w.ask("POST", "/v1/conversations", {"title": "t"}, token,
                  headers=key, want=201) for _ in range(3)]
    w.same(1, len({got.body for got in made}), "answers to one key")
    w.same("true", made[1]["Idempotency-Replayed"], "the second answer's mark")
    w.same(1, w.ask("GET", "/v1/conversations", token=token).json()["count"],
           "conversations")
    w.ask("POST", "/v1/conversations", {"title": "u"}, token, headers=key,
          want=422)
    # Keys are a tenant's own.
    w.ask("POST", "/v1/conversations", {"title": "u"}, other, headers=key,
          want=201)


@case
def what_was_refused_may_be_tried_again_under_its_key(w):
    _, token = w.tenant()
    here = w.conversation(token)
    key = {"Idempotency-Key": "again"}
    for _ in range(2):
        got = w.ask("PUT", here + "/files/a", b"x", token,
                    headers=dict(key, **{"If-Match": '"no"'}), want=412)
        w.same("", got["Idempotency-Replayed"], "that it is an old answer")
    first = w.ask("PUT", here + "/files/a", b"x", token, headers=key, want=201)
    again = w.ask("PUT", here + "/files/a", b"x", token, headers=key, want=201)
    w.same("true", again["Idempotency-Replayed"], "that it is an old answer")
    w.same(first.body, again.body, "the answer")
    for name in ("ETag", "Content-Type", "Location"):
        w.same(first[name], again[name], name)
    w.ask("PUT", here + "/files/a", b"x", token,
          headers=dict(key, **{"If-None-Match": "*"}), want=422)


@case
def a_token_is_kept_nowhere(w):
    key = {"Idempotency-Key": "tenant"}
    made = w.ask("POST", "/v1/admin/tenants", {"name": "secret"}, ADMIN,
                 headers=key, want=201).json()
    got = w.ask("POST", "/v1/admin/tenants", {"name": "secret"}, ADMIN,
                headers=key, want=409)
    w.same("done_before", got.json()["kind"], "what is said of it")
    place = w.server.home
    for root, _, files in os.walk(place):
        for name in files:
            with open(os.path.join(root, name), "rb") as file:
                w.yes(made["token"].encode() not in file.read(),
                      "the token is not in %s" % name)


@case
def a_long_answer_is_not_kept(w):
    _, token = w.tenant()
    here = w.conversation(token)
    key = {"Idempotency-Key": "long"}
    text = "x" * 100000
    w.ask("POST", here + "/workspace",
          {"action": "write", "filename": "a", "content": text}, token)
    read = {"action": "read", "filename": "a"}
    w.ask("POST", here + "/workspace", read, token, headers=key, want=200)
    got = w.ask("POST", here + "/workspace", read, token, headers=key)
    w.same((409, "done_before"), (got.status, got.json()["kind"]), "the second")


@case
def titles_have_an_end(w):
    w.ask("POST", "/v1/conversations", {"title": "t" * 4096}, want=201)
    w.ask("POST", "/v1/conversations", {"title": "t" * 5000}, want=400)
    here = w.conversation()
    w.ask("PATCH", here, {"title": "t" * 70000}, want=400)
    w.ask("GET", here, want=200)
