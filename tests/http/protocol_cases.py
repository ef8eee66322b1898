"""Small things that clients rely on, or must not: headers that are there twice,
types of what is sent, the date, what a refusal for haste says."""
import re
import time
from email.utils import parsedate_to_datetime

from client import ADMIN, Server, World, case, exchange, plain, slow_case


def raw(method, target, token, lines, body=b""):
    """A request with these very lines."""
    head = ["%s %s HTTP/1.1" % (method, target), "Host: localhost",
            "Authorization: Bearer " + token,
            "Content-Length: %d" % len(body)] + lines
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


@case
def a_header_of_which_there_may_be_one(w):
    c = w.conversation()
    w.ask("PUT", c + "/files/a", b"mine", want=201)
    for first, second in [("If-None-Match: \"x\"", "If-None-Match: *"),
                          ("If-Match: *", "if-match: \"x\""),
                          ("Idempotency-Key: a", "Idempotency-Key: b"),
                          ("Authorization: Bearer x", ""),
                          ("Content-Type: text/plain", "content-type: a/b"),
                          ("Range: bytes=0-1", "Range: bytes=1-2")]:
        lines = [line for line in (first, second) if line]
        got = exchange(w.server, raw("PUT", c + "/files/a", w.token, lines,
                                     b"other"))
        w.same(400, got.status, first)
        w.same("bad_request", got.json()["kind"], first)
    w.same(b"mine", w.ask("GET", c + "/files/a").body, "what is there")


@case
def types_that_are_no_json(w):
    body = b'{"title":"x"}'
    for kind in ("application/xml", "text/plain", "multipart/form-data",
                 "application/json; charset=iso-8859-1", "json", "x"):
        got = w.ask("POST", "/v1/conversations", body,
                    headers={"Content-Type": kind})
        w.same(415, got.status, kind)
    for kind in ("application/json", "Application/JSON; charset=UTF-8",
                 'application/json;charset="utf-8"',
                 "application/merge-patch+json",
                 "application/x-www-form-urlencoded"):
        got = w.ask("POST", "/v1/conversations", body,
                    headers={"Content-Type": kind})
        w.same(201, got.status, kind)


@case
def what_is_packed_or_a_part(w):
    c = w.conversation()
    got = w.ask("PUT", c + "/files/a", b"\x1f\x8b",
                headers={"Content-Encoding": "gzip"})
    w.same((415, "identity"), (got.status, got["Accept-Encoding"]), "packed")
    got = w.ask("PUT", c + "/files/a", b"ab",
                headers={"Content-Range": "bytes 0-1/10"})
    w.same(400, got.status, "a part")
    w.same(404, w.ask("GET", c + "/files/a").status, "nothing is kept")
    w.ask("PUT", c + "/files/a", b"ab", headers={"Content-Encoding": "identity"},
          want=201)


@case
def every_answer_is_dated(w):
    for target in ("/healthz", "/v1/usage", "/nowhere"):
        date = w.ask("GET", target)["Date"]
        w.yes(re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT",
                           date or ""), "%s: %r" % (target, date))
        w.yes(abs(parsedate_to_datetime(date).timestamp() - time.time()) < 5,
              date)


@case
def haste_is_answered_with_how_long_to_wait(w):
    server = Server(w.server.work, "haste", options=["--rate", "1"])
    world = World(server)
    token = world.token
    for _ in range(20):
        got = exchange(server, plain("GET", "/v1/usage", token))
        if got.status == 429:
            break
    w.same(429, got.status, "many at once")
    said = got.json()
    w.same("rate_limited", said["reason"], "why")
    w.same(int(got["Retry-After"]), said["retry_after_seconds"], "how long")
    w.yes(said["error"] and said["kind"] and said["hint"], said)
    server.stop()


@case
def the_admins_keys_are_nobody_elses(w):
    """The default tenant's handle is the admin's, too."""
    server = Server(w.server.work, "their-keys")
    world = World(server)
    got = world.ask("POST", "/v1/admin/tenants/1/rotate-token", {},
                    ADMIN)
    token = got.json()["token"]
    for key in ("deploy", "admin deploy"):
        got = world.ask("POST", "/v1/memory/entries",
                        {"type": "user", "title": "x"}, token,
                        headers={"Idempotency-Key": key})
        w.same(201, got.status, key)
    got = world.ask("POST", "/v1/admin/tenants", {"name": "zoe"}, ADMIN,
                    headers={"Idempotency-Key": "deploy"})
    w.same(201, got.status, "the admin's")
    w.wrongs += world.wrongs
    server.stop()


def begin_upload(server, world):
    """Half of one."""
    upload = server.connect()
    upload.sendall(plain("POST", "/v1/blobs", world.token, None,
                         {"Content-Length": "4"}) + b"ab")
    time.sleep(0.2)
    return upload


@slow_case
def who_comes_at_the_end_is_told_so(w):
    """An upload is under way when it is told to stop."""
    server = Server(w.server.work, "late")
    world = World(server)
    token = world.token
    upload = begin_upload(server, world)
    server.process.terminate()
    time.sleep(0.3)
    for target, status in (("/readyz", 503), ("/healthz", 200),
                           ("/v1/usage", 503)):
        began = time.monotonic()
        got = exchange(server, plain("GET", target, token))
        w.same(status, got.status, target)
        w.same("close", got["Connection"], target)
        w.yes(time.monotonic() - began < 2, "it had to wait")
    upload.sendall(b"cd")
    data = upload.recv(65536)
    w.yes(data.startswith(b"HTTP/1.1 201"), data[:100])
    w.same(0, server.process.wait(15), "its end")
    w.wrongs += world.wrongs


@slow_case
def who_interrupts_twice_does_not_wait(w):
    server = Server(w.server.work, "hurry")
    world = World(server)
    upload = begin_upload(server, world)
    began = time.monotonic()
    server.process.send_signal(2)
    time.sleep(0.5)
    w.same(None, server.process.poll(), "once: it waits")
    server.process.send_signal(2)
    w.same(0, server.process.wait(15), "its end")
    w.yes(time.monotonic() - began < 5, "it took its time")
    upload.close()
