"""Many large bodies at once: there is a bound to what is kept of them."""
import contextlib
import fcntl
import glob
import json
import os
import threading
import time

from client import Reader, Server, World, case, plain

LARGE = 1 << 30


def announce(w, token, length, target="/v1/blobs", method="POST"):
    """A head that says that a body comes: the connection, and what it is told."""
    s = w.server.connect()
    s.sendall(plain(method, target, token, None,
                    {"Content-Length": str(length),
                     "Expect": "100-continue"}))
    return s, Reader(s).answer()


@case
def bodies_under_way_have_a_bound(w):
    """What is announced is kept in memory for one up to a mebibyte each: half of
    what there is for all, and the other half for others."""
    outer, server = w, Server(w.server.work, "load")
    w = World(server)
    mine, others, lines = w.token, w.tenant()[1], []
    statuses = []
    for _ in range(280):
        s, got = announce(w, mine, 1 << 20)
        statuses.append(got.status)
        if got.status == 503:
            w.yes(got["Retry-After"], "when to try again")
        lines.append(s)
    w.same(256, statuses.count(100), "who may send")
    w.same({100, 503}, set(statuses), "answers")
    w.same(201, w.ask("POST", "/v1/blobs", b"y" * 100000, others).status,
           "another tenant")
    w.ask("POST", "/v1/conversations", {"title": "small"}, mine, want=201)
    for s in lines:
        s.close()
    for _ in range(100):
        got = w.ask("POST", "/v1/blobs", b"x" * 100000, mine)
        if got.status != 503:
            break
        threading.Event().wait(0.05)
    w.yes(got.status in (200, 201), "when they have gone: %d" % got.status)
    with open(server.errors) as f:
        w.yes("too many large bodies" in f.read(), "nothing in the log")
    outer.wrongs += w.wrongs
    server.stop()


@case
def what_is_announced_and_does_not_come_takes_no_disk(w):
    lines = []
    for _ in range(8):
        s, got = announce(w, w.token, LARGE)
        w.same(100, got.status, "a gibibyte that may come")
        lines.append(s)
    got = w.ask("POST", "/v1/blobs", b"z" * (2 << 20), w.tenant()[1])
    w.same(201, got.status, "another tenant's")
    for s in lines:
        s.close()


@case
def nobody_without_a_token_has_anything_kept(w):
    for method, target in [("GET", "/healthz"), ("GET", "/metrics"),
                           ("OPTIONS", "/v1/blobs"), ("POST", "/v1/blobs"),
                           ("GET", "/nowhere")]:
        s, got = announce(w, None, 1 << 20, target, method)
        w.yes(got.status in (401, 413),
              "%s %s: %d" % (method, target, got.status))
        s.close()


@case
def bodies_are_as_long_as_is_asked_of_them(w):
    where = w.conversation()
    for method, target, most in [
            ("GET", "/v1/usage", 32 << 10),
            ("DELETE", where + "/files/x", 1 << 20),
            ("POST", "/v1/memory/entries", 1 << 20),
            ("PATCH", where, 1 << 20),
            ("POST", where + "/messages", 64 << 20),
            ("POST", where + "/artifacts", 64 << 20),
            ("PUT", where + "/files/x", 1 << 20),
            ("POST", "/v1/blobs", 1 << 30)]:
        s, got = announce(w, w.token, most, target, method)
        w.same(100, got.status, "%s %s of %d" % (method, target, most))
        s.close()
        s, got = announce(w, w.token, most + 1, target, method)
        w.same(413, got.status, "%s %s of one more" % (method, target))
        s.close()


@case
def arrays_have_an_end(w):
    for name, value in [("tags", [""] * 1001),
                        ("supersedes_ids", list(range(1, 1002)))]:
        got = w.ask("POST", "/v1/memory/entries",
                    {"type": "user", "title": "x", name: value})
        w.same(400, got.status, name)
        w.yes("1000" in got.json()["error"], got.json()["error"])
    c = w.conversation()
    got = w.ask("POST", c + "/outputs?tool=x&threshold=%d"
                % ((1 << 20) + 1), b"x")
    w.same(400, got.status, "a long answer in memory")


def longest_wait_beside_long_bodies(w):
    """Of small requests on other connections, in seconds."""
    c = w.conversation()
    body = b'{"message":"x"' + b',"op":"o"' * (6 << 20) + b"}"
    waits, over = [], threading.Event()
    # All of them at once: who comes later comes to a loop that has time.
    lines, senders = [], []
    for i in range(12):
        (lines if i % 4 else senders).append(w.server.connect())
    for s in senders:  # who has asked once may take a minute for the next
        s.sendall(plain("GET", "/healthz"))
        Reader(s).answer()

    def look():
        while not over.is_set():
            for s in lines:
                began = time.monotonic()
                s.sendall(plain("GET", "/healthz"))
                Reader(s).answer()
                waits.append(time.monotonic() - began)

    thread = threading.Thread(target=look)
    thread.start()
    for s in senders:
        s.sendall(plain("POST", c + "/messages", w.token, body))
        w.yes(Reader(s).answer().status in (200, 201),
              "a message that says one thing again and again")
    over.set()
    thread.join()
    return max(waits, default=0)


@case
def a_long_body_does_not_hold_up_others(w):
    """It is read by a worker, not by the loop that has the others: that would
    stop for 0.4 s with every body. A busy machine may stop once."""
    worst = [longest_wait_beside_long_bodies(w)]
    while worst[-1] >= 0.3 and len(worst) < 3:
        worst.append(longest_wait_beside_long_bodies(w))
    w.yes(worst[-1] < 0.3, "each time somebody waited, %s s" % worst)


@contextlib.contextmanager
def in_use(w, conversation, token):
    """A workspace that somebody has."""
    first = w.ask("POST", conversation + "/workspace",
                  {"action": "write", "filename": "a", "content": "b"},
                  token).json()
    around = glob.glob(os.path.join(w.server.home, "**", "artifacts",
                                    "sessions",
                                    first["data"]["session_id"]),
                       recursive=True)[0]
    fd = os.open(around, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(fd)


@case
def one_tenant_does_not_have_all_who_work(w):
    """Its requests wait for a workspace that somebody has; others do not wait
    for them."""
    mine, others = w.token, w.tenant()[1]
    c = w.conversation(mine)
    lines = []
    with in_use(w, c, mine):
        for i in range(40):
            s = w.server.connect()
            s.sendall(plain("POST", c + "/workspace", mine,
                            json.dumps({"action": "write",
                                        "filename": "f%d" % i,
                                        "content": "x"}).encode()))
            lines.append(s)
        time.sleep(0.3)
        began = time.monotonic()
        got = w.ask("GET", "/v1/conversations", token=others)
        took = time.monotonic() - began
        w.same(200, got.status, "another tenant")
        w.yes(took < 1, "it waited %.2f s" % took)
    for s in lines:
        w.same(200, Reader(s).answer().status, "one of the forty, in the end")
        s.close()


@case
def a_workspace_that_is_in_use_holds_up_no_writes(w):
    mine, others = w.token, w.tenant()[1]
    c, d = w.conversation(mine), w.conversation(others)
    with in_use(w, c, mine):
        began = time.monotonic()
        for i in range(3):
            w.same(201, w.ask("PUT", c + "/files/n%d" % i, b"x", mine).status,
                   "a put beside it")
        w.same(201, w.ask("PUT", d + "/files/a", b"x", others).status,
               "another tenant's")
        took = time.monotonic() - began
        w.yes(took < 3, "they waited %.2f s" % took)
    # And the files follow when somebody looks.
    got = w.ask("POST", c + "/workspace", {"action": "read", "filename": "n2"},
                mine).json()
    w.same("x", got["data"].get("content"), "a file that came meanwhile")
