"""Answers that are packed, for those who ask for it and no others."""
import gzip
import hashlib
import json
import lzma
import threading

from client import case, exchange
from client import plain as request

TEXT = b"a line of text that repeats itself\n" * 200


def put(w, name, content, mime):
    here = w.conversation()
    w.ask("PUT", here + "/files/" + name, content,
          headers={"Content-Type": mime}, want=201)
    return here + "/files/" + name


@case
def who_asks_for_it_gets_it(w):
    at = put(w, "t.txt", TEXT, "text/plain")
    for wish in ("gzip", "GZIP", "x-gzip", "deflate, gzip", "gzip;q=1.0",
                 "gzip; q=0.5", "gzip ; q=0.001", "*", "*;q=0.1", "br,*",
                 "identity;q=0.5, gzip;q=0.8", "identity;q=0,*",
                 "gzip,identity", "deflate;q=0, gzip"):
        got = w.ask("GET", at, headers={"Accept-Encoding": wish}, want=200)
        w.same("gzip", got["Content-Encoding"], wish)
        w.same(TEXT, gzip.decompress(got.body) if got["Content-Encoding"]
               else b"", wish)
        w.yes(len(got.body) < len(TEXT) // 4, "it is shorter")
        w.same("Accept-Encoding", got["Vary"], "Vary")
    for wish in (None, "", "identity", "gzip;q=0", "gzip;q=0.0, *", "deflate",
                 "br", "*;q=0", "gzip;q=0.5, identity", "gzip;q=x",
                 "gzip;q=2", "gzip;q=0.0000", "gzipped", "x", ",,,", ";;",
                 "identity;q=1, gzip;q=0.9"):
        headers = {} if wish is None else {"Accept-Encoding": wish}
        got = w.ask("GET", at, headers=headers, want=200)
        w.same("", got["Content-Encoding"], repr(wish))
        w.same(TEXT, got.body, repr(wish))
        w.same("Accept-Encoding", got["Vary"], "Vary, also without it")


@case
def what_gains_nothing_stays(w):
    noise = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(100))
    for name, content, mime in (("s.txt", b"short", "text/plain"),
                                ("s2.txt", b"x" * 1023, "text/plain"),
                                ("i.png", TEXT, "image/png"),
                                ("z.zip", TEXT, "application/zip"),
                                ("o", TEXT, "application/octet-stream"),
                                ("n.txt", noise, "text/plain")):
        at = put(w, name, content, mime)
        got = w.ask("GET", at, headers={"Accept-Encoding": "gzip"}, want=200)
        w.same(("", content), (got["Content-Encoding"], got.body), name)
    for name, mime in (("j.json", "application/json"),
                       ("p", "application/vnd.x+json; charset=utf-8"),
                       ("v.svg", "image/svg+xml"), ("m.md", "text/markdown"),
                       ("c.csv", "text/csv; charset=utf-8")):
        at = put(w, name, TEXT, mime)
        got = w.ask("GET", at, headers={"Accept-Encoding": "gzip"}, want=200)
        w.same("gzip", got["Content-Encoding"], mime)


@case
def what_is_packed_is_not_packed_again(w):
    twice = {"gzip": gzip.compress(b"\0" * 4000000, 1),
             "xz": lzma.compress(b"\0" * 10000000)}
    for name, packed in twice.items():
        w.yes(len(gzip.compress(packed)) < len(packed) and len(packed) > 1024,
              name + " would shrink")
        at = put(w, "t." + name, packed, "text/plain")
        for _ in range(2):
            got = w.ask("GET", at, headers={"Accept-Encoding": "gzip"},
                        want=200)
            w.same(("", True), (got["Content-Encoding"], got.body == packed),
                   name)
            w.same("Accept-Encoding", got["Vary"], name + ": Vary")
        digest = hashlib.sha256(packed).hexdigest()
        got = w.ask("GET", "/v1/blobs/" + digest,
                    headers={"Accept-Encoding": "gzip"}, want=200)
        w.same(("", True), (got["Content-Encoding"], got.body == packed),
               name + " as a blob")


@case
def a_cached_answer_is_the_one_that_was_asked_for(w):
    at = put(w, "t.txt", TEXT, "text/plain")
    bodies = set()
    for wish in ("gzip", "identity", "gzip", "gzip", "identity"):
        got = w.ask("GET", at, headers={"Accept-Encoding": wish}, want=200)
        w.same("gzip" if wish == "gzip" else "", got["Content-Encoding"], wish)
        w.same(TEXT, gzip.decompress(got.body) if wish == "gzip" else got.body,
               wish)
        w.same("Accept-Encoding", got["Vary"], "Vary")
        w.same(wish == "gzip", got["ETag"].endswith('-gzip"'), "its tag")
        bodies.add(got.body)
    w.same(2, len(bodies), "two encodings")


@case
def lists_and_refusals_and_head(w):
    here = w.conversation()
    for i in range(20):
        w.ask("PUT", here + "/files/f%d" % i, b"x")
    plain = w.ask("GET", here + "/artifacts", want=200)
    got = exchange(w.server, request("GET", here + "/artifacts", w.token,
                                     headers={"Accept-Encoding": "gzip"}))
    w.same("gzip", got["Content-Encoding"], "a list")
    w.same(json.loads(plain.body), json.loads(gzip.decompress(got.body)),
           "the same list")
    w.same("application/json", got["Content-Type"], "its type")
    head = w.ask("HEAD", here + "/artifacts",
                 headers={"Accept-Encoding": "gzip"}, want=200)
    w.same(("gzip", str(len(got.body))),
           (head["Content-Encoding"], head["Content-Length"]), "HEAD")


@case
def an_etag_names_bytes(w):
    """Packed bytes have another one, which can be sent back all the same."""
    at = put(w, "t.txt", TEXT, "text/plain")
    zipped = {"Accept-Encoding": "gzip"}
    plain = w.ask("GET", at, want=200)["ETag"]
    packed = w.ask("GET", at, headers=zipped, want=200)["ETag"]
    w.yes(plain != packed, "two tags")
    w.yes(not packed.startswith("W/") and packed.endswith('-gzip"'), packed)
    for tag in (plain, packed, "W/" + packed, '"x", ' + packed):
        for headers in ({}, zipped):
            got = w.ask("GET", at, headers=dict(headers, **{
                "If-None-Match": tag}), want=304)
            w.same("Accept-Encoding", got["Vary"], "Vary of a 304")
            w.same(packed if tag.endswith(packed) and "W/" not in tag
                   else plain, got["ETag"], "the tag of a 304")
    # A part is a part of the plain bytes.
    got = w.ask("GET", at, headers=dict(zipped, Range="bytes=0-3"), want=206)
    w.same(("", TEXT[:4], plain), (got["Content-Encoding"], got.body,
                                   got["ETag"]), "a range")
    got = w.ask("GET", at, headers=dict(zipped, **{
        "Range": "bytes=0-3", "If-Range": packed}), want=200)
    w.same("gzip", got["Content-Encoding"], "whole: it had other bytes")
    w.ask("GET", at, headers={"Range": "bytes=0-3", "If-Range": plain},
          want=206)
    # What one knows packed one may replace, and remove.
    w.ask("PUT", at, TEXT + b"1", headers={
        "Content-Type": "text/plain", "If-Match": packed}, want=200)
    w.ask("PUT", at, TEXT + b"2", headers={"If-Match": packed}, want=412)
    now = w.ask("GET", at, headers=zipped)["ETag"]
    w.ask("DELETE", at, headers={"If-Match": packed}, want=412)
    w.ask("DELETE", at, headers={"If-Match": "W/" + now}, want=412)
    w.ask("DELETE", at, headers={"If-Match": now}, want=200)


@case
def a_removal_on_condition(w):
    here = w.conversation()
    made = w.ask("PUT", here + "/files/x", b"one", want=201)
    old, aid = made["ETag"], made.json()["artifact"]["id"]
    new = w.ask("PUT", here + "/files/x", b"two", want=200)["ETag"]
    for at in (here + "/files/x", "/v1/artifacts/%d" % aid,
               here + "/artifacts/%d" % aid):
        w.ask("DELETE", at, headers={"If-Match": old}, want=412)
        w.ask("DELETE", at, headers={"If-None-Match": new}, want=412)
        w.ask("DELETE", at, headers={"If-None-Match": "*"}, want=412)
    w.ask("DELETE", "/v1/artifacts/%d" % aid, headers={"If-Match": new},
          want=200)
    w.ask("DELETE", here + "/files/x", headers={"If-Match": "*"}, want=412)
    w.ask("DELETE", here + "/files/x", want=404)


@case
def one_of_many_removes_what_was_seen(w):
    """Each writes, and removes only its own: nothing of another is lost."""
    here, lost = w.conversation(), []

    def work(n):
        for i in range(15):
            body = b"%d %d" % (n, i)
            tag = w.ask("PUT", here + "/files/shared", body)["ETag"]
            got = w.ask("DELETE", here + "/files/shared",
                        headers={"If-Match": tag})
            if got.status not in (200, 412):
                lost.append(got.status)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    w.same([], lost, "other answers")
