"""Content that is longer than what is held in memory."""
import hashlib
import os
import subprocess
import time

from client import Reader, Server, World, case, exchange, plain

MANY = 9 << 20  # more than a mebibyte is not held


def content(size, seed=1):
    return hashlib.shake_128(b"%d" % seed).digest(1 << 16) * (size >> 16)


def own_memory(server):
    """Of the process alone, in mebibytes: what is mapped from files is not."""
    with open("/proc/%d/status" % server.process.pid) as f:
        for line in f:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    return 0


def nameless(server):
    """Files that it has open and that are nowhere."""
    found, at = 0, "/proc/%d/fd" % server.process.pid
    for fd in os.listdir(at):
        try:
            found += "(deleted)" in os.readlink(os.path.join(at, fd))
        except OSError:
            pass
    return found


def in_chunks(w, target, text, size, method="POST"):
    parts = [plain(method, target, w.token, None,
                   {"Transfer-Encoding": "chunked"})]
    for at in range(0, len(text), size):
        piece = text[at:at + size]
        parts.append(b"%x\r\n" % len(piece) + piece + b"\r\n")
    return exchange(w.server, b"".join(parts) + b"0\r\n\r\n")


@case
def a_long_blob_comes_back_as_it_was(w):
    for n, size in enumerate((1 << 20, (1 << 20) + (1 << 16), MANY)):
        text = content(size, n)
        name = hashlib.sha256(text).hexdigest()
        put = w.ask("POST", "/v1/blobs", text, want=201).json()
        w.same((name, size), (put["sha256"], put["size"]), "what was put")
        got = w.ask("GET", "/v1/blobs/" + name, want=200)
        w.yes(got.body == text, "%d bytes are others" % size)
        w.same('"%s"' % name, got["ETag"], "its name")
        head = w.ask("HEAD", "/v1/blobs/" + name, want=200)
        w.same(str(size), head["Content-Length"], "told without it")
        again = in_chunks(w, "/v1/blobs", text, 100003)
        w.same((200, name), (again.status, again.json()["sha256"]), "in chunks")


@case
def parts_of_a_blob(w):
    text = content(MANY, 7)
    at = "/v1/blobs/" + w.ask("POST", "/v1/blobs", text).json()["sha256"]
    tag = '"%s"' % at[-64:]
    for asked, first, end in (("0-0", 0, 1), ("5-", 5, MANY),
                              ("-70000", MANY - 70000, MANY),
                              ("1048570-2097160", 1048570, 2097161)):
        got = w.ask("GET", at, headers={"Range": "bytes=" + asked}, want=206)
        w.yes(got.body == text[first:end], asked + ": other bytes")
        w.same("bytes %d-%d/%d" % (first, end - 1, MANY), got["Content-Range"],
               asked)
    got = w.ask("GET", at, headers={"Range": "bytes=%d-" % MANY}, want=416)
    w.same("bytes */%d" % MANY, got["Content-Range"], "past the end")
    got = w.ask("GET", at, headers={"Range": "bytes=0-9", "If-Range": '"x"'})
    w.same((200, MANY), (got.status, len(got.body)), "of another")
    w.ask("GET", at, headers={"If-None-Match": "W/" + tag}, want=304)
    w.ask("GET", at, headers={"If-Match": '"x"'}, want=412)
    got = w.ask("GET", at, headers={"Accept-Encoding": "gzip"}, want=200)
    w.same("", got["Content-Encoding"], "as it is")


@case
def the_next_request_begins_where_a_long_body_ends(w):
    text = content(MANY, 3)
    with w.server.connect() as s:
        s.sendall(plain("POST", "/v1/blobs", w.token, text) +
                  plain("GET", "/v1/conversations", w.token) +
                  plain("POST", "/v1/blobs", w.token, None,
                        {"Transfer-Encoding": "chunked"}) +
                  b"%x\r\n" % MANY + text + b"\r\n0\r\n\r\n" +
                  plain("GET", "/v1/blobs/" + hashlib.sha256(text).hexdigest(),
                        w.token) +
                  plain("GET", "/v1/usage", w.token))
        reader = Reader(s)
        got = [reader.answer() for _ in range(5)]
    w.same([201, 200, 200, 200, 200], [g.status for g in got], "in their order")
    w.yes(got[3].body == text, "the long answer among them")


@case
def what_is_long_is_in_no_memory(w):
    server = Server(w.server.work, "large")
    own = World(server)
    own.ask("POST", "/v1/blobs", b"warm")
    before = own_memory(server)
    text = content(64 << 20, 9)
    lines = []
    for n in range(4):  # all but the last byte
        s = server.connect()
        s.sendall(plain("POST", "/v1/blobs", own.token, None,
                        {"Content-Length": str(len(text))}) + text[:-1])
        lines.append(s)
    for _ in range(100):
        if nameless(server) >= 4:
            break
        time.sleep(0.05)
    w.same(4, nameless(server), "files under way")
    for s in lines[:2]:
        s.sendall(text[-1:])
        w.yes(Reader(s).answer().status in (200, 201), "kept")
    for s in lines:
        s.close()
    got = own.ask("GET", "/v1/blobs/" + hashlib.sha256(text).hexdigest())
    w.yes(got.body == text, "other bytes")
    more = own_memory(server) - before
    w.yes(more < 40, "it has %.0f MiB more than before" % more)
    for _ in range(100):
        if not nameless(server):
            break
        time.sleep(0.05)
    w.same(0, nameless(server), "files that were left")
    w.wrongs += own.wrongs
    server.stop()


@case
def an_artifact_is_as_long_as_its_quota(w):
    server = Server(w.server.work, "quota")
    own = World(server)
    here = own.conversation()
    text = content(3 << 20, 5)
    own.ask("PUT", here + "/files/a", text, want=413)
    for key, size in ("file", 80 << 20), ("session", 200 << 20):
        subprocess.run([server.program, "--home", server.home, "config", "set",
                        "quota." + key, str(size)], check=True,
                       stdout=subprocess.DEVNULL)
    own.ask("PUT", here + "/files/a", text, want=201)
    w.yes(own.ask("GET", here + "/files/a").body == text, "other bytes")
    got = own.ask("GET", here + "/files/a", headers={"Range": "bytes=9-99"})
    w.yes(got.body == text[9:100], "a part")
    text = content(70 << 20, 6)
    own.ask("PUT", here + "/files/b", text, want=201)
    got = in_chunks(own, here + "/files/c", text, 1 << 20, "PUT")
    w.same(201, got.status, "in chunks")
    own.ask("PUT", here + "/files/d", content(90 << 20), want=413)
    got = own.ask("GET", here + "/files/c")
    w.yes(got.body == text, "other bytes")
    w.wrongs += own.wrongs
    server.stop()


@case
def a_key_and_a_long_body(w):
    text = content(MANY, 11)
    key = {"Idempotency-Key": "long"}
    first = w.ask("POST", "/v1/blobs", text, headers=key, want=201)
    again = w.ask("POST", "/v1/blobs", text, headers=key, want=201)
    w.same("true", again["Idempotency-Replayed"], "the same answer")
    w.same(first.body, again.body, "the same answer")
    w.ask("POST", "/v1/blobs", text[:-1] + b"!", headers=key, want=422)


@case
def an_output_of_many_lines_in_chunks(w):
    here = w.conversation()
    text = b"".join(b"line %d of what a tool has printed\n" % n
                    for n in range(120000))
    got = in_chunks(w, here + "/outputs?tool=sh", text, 65521)
    w.same(201, got.status, "put: %r" % got.body[:200])
    name = got.json()["name"] if "name" in got.json() else "0"
    got = w.ask("GET", here + "/outputs/%s?limit=2&offset=100000" % name,
                want=200)
    w.yes(b"line 100000 of" in got.body or b"line 99999 of" in got.body,
          repr(got.body[:100]))
    got = w.ask("GET", here + "/outputs/%s" % name, want=200)
    w.yes(b"line 119999 of" in got.body, "all of it: %d" % len(got.body))
