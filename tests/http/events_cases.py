"""Streams of events: what is told, to whom, and when it ends."""
import json
import os
import signal
import subprocess
import threading
import time

from client import (ADMIN, Reader, Server, World, case, on_disk, plain,
                    slow_case)
from listener import Listener


def listen(w, query="", headers=(), minor=1):
    return Listener(w.server, w.token, query, headers, minor)


@case
def what_a_stream_is(w):
    one = listen(w)
    w.same(200, one.status, "status")
    for name, value in {"content-type": "text/event-stream",
                        "cache-control": "no-store",
                        "x-accel-buffering": "no",
                        "transfer-encoding": "chunked"}.items():
        w.same(value, one.headers.get(name), name)
    w.yes("content-length" not in one.headers, "a stream with a length")
    block = one.block()
    w.yes("retry: " in block and "id: " in block, "it begins: %r" % block)
    one.close()
    old = listen(w, minor=0)
    w.yes("transfer-encoding" not in old.headers, "chunks for HTTP/1.0")
    w.yes("retry: " in old.block(), "it begins")
    w.ask("POST", "/v1/history", {"prompt": "x"}, want=201)
    w.same("history.added", old.event()[0], "for HTTP/1.0")
    old.close()


@case
def a_stream_asks_for_a_token(w):
    w.ask("GET", "/v1/events", token=None, want=401)
    w.ask("GET", "/v1/events", token=ADMIN, want=403)
    w.ask("POST", "/v1/events", {}, want=405)
    w.ask("GET", "/v1/events?conversation=x", want=400)


@case
def its_head_can_be_had_alone(w):
    with w.server.connect() as s:
        s.sendall(plain("HEAD", "/v1/events", w.token))
        reader = Reader(s)
        got = reader.answer(head=True)
        w.same(200, got.status, "status")
        w.same("text/event-stream", got["Content-Type"], "type")
        w.yes(reader.is_closed(), "there is more")


@case
@on_disk
def what_is_done_is_told(w):
    one = listen(w).settle()
    here = w.conversation(title="t")
    number = int(here.rsplit("/", 1)[1])
    about = {"conversation_id": number}

    def told(kind, **fields):
        got = one.event()
        w.same(kind, got[0], "kind")
        for name, value in fields.items():
            w.same(value, got[1].get(name), kind + " " + name)
        w.yes("content" not in got[1], "%s has content: %r" % got)
        return got[1]

    told("conversation.created", id=number, **about)
    w.ask("PATCH", here, {"title": "u"})
    told("conversation.changed", **about)
    entry = w.ask("POST", here + "/messages", {"message": "hi"}).json()
    told("entry.appended", id=entry["id"], **about)
    put = w.ask("PUT", here + "/files/a/b%20c", b"x").json()["artifact"]
    told("artifact.written", id=put["id"], path="a/b c", version=1, **about)
    w.ask("PUT", here + "/files/a/b%20c", b"y")
    told("artifact.written", id=put["id"], version=2, **about)
    w.ask("DELETE", here + "/files/a/b%20c")
    told("artifact.removed", path="a/b c", **about)
    w.ask("POST", here + "/artifacts/restore", {"path": "a/b c"})
    told("artifact.written", id=put["id"], path="a/b c", **about)
    w.ask("DELETE", "/v1/artifacts/%d" % put["id"])
    told("artifact.removed", id=put["id"], path="a/b c", **about)
    w.ask("POST", here + "/workspace", {"action": "write", "filename": "n.md",
                                        "content": "z"})
    told("artifact.written", path="n.md", version=1, **about)
    w.ask("POST", here + "/workspace", {"action": "write", "filename": "p.md",
                                        "content": "z", "scope": "scratchpad"})
    w.ask("POST", here + "/workspace", {"action": "read", "filename": "n.md"})
    w.ask("POST", here + "/workspace", {"action": "delete",
                                        "filename": "n.md"})
    told("artifact.removed", path="n.md", **about)
    w.ask("POST", here + "/outputs?tool=t", b"short")
    w.ask("POST", here + "/outputs?tool=t&threshold=10", b"long\n" * 100)
    told("output.added", **about)
    a = w.ask("POST", "/v1/memory/entries",
              {"type": "user", "title": "a", "content": "secret"}).json()["id"]
    told("memory.added", id=a)
    b = w.ask("POST", "/v1/memory/entries",
              {"type": "user", "title": "b"}).json()["id"]
    told("memory.added", id=b)
    w.ask("PATCH", "/v1/memory/entries/%d" % a, {"title": "c"})
    told("memory.changed", id=a)
    r = w.ask("POST", "/v1/memory/relations", {
        "source_id": a, "target_id": b, "relation": "refines"}).json()["id"]
    told("relation.added", id=r, source_id=a, target_id=b)
    w.ask("DELETE", "/v1/memory/relations/%d" % r)
    told("relation.removed", id=r)
    w.ask("POST", "/v1/memory/entries/%d/invalidate" % a, {})
    told("memory.changed", id=a)
    w.ask("DELETE", "/v1/memory/entries/%d" % b)
    told("memory.removed", id=b)
    w.ask("POST", "/v1/history", {"prompt": "p"})
    told("history.added")
    w.ask("POST", "/v1/blobs", os.urandom(20))
    told("blob.added")
    copy = w.ask("POST", here + "/fork", {}).json()["id"]
    told("conversation.created", id=copy, conversation_id=copy)
    w.ask("DELETE", here)
    told("conversation.removed", **about)
    # What changes nothing, what fails and what reads is not told.
    w.ask("DELETE", here, want=404)
    w.ask("GET", "/v1/conversations")
    w.ask("POST", "/v1/memory/entries", {"type": "no", "title": "b"}, want=400)
    w.yes(one.is_quiet(), "it is told of nothing")
    one.close()


@case
def what_is_done_once_is_told_once(w):
    one = listen(w).settle()
    for _ in range(3):
        w.ask("POST", "/v1/history", {"prompt": "once"},
              headers={"Idempotency-Key": "k1"})
    w.same("history.added", one.event()[0], "the first")
    here = w.conversation()
    w.same("conversation.created", one.event()[0], "the next")
    for _ in range(2):
        w.ask("POST", here + "/messages", {"message": "m", "op": "o1"})
    w.same("entry.appended", one.event()[0], "the append")
    w.yes(one.is_quiet(), "again")
    one.close()


@case
def tenants_hear_of_themselves_only(w):
    other = World(w.server)
    one, two = listen(w).settle(), listen(other).settle()
    w.ask("POST", "/v1/history", {"prompt": "mine"})
    w.same("history.added", one.event()[0], "its own")
    w.yes(two.is_quiet(), "of another tenant")
    one.close()
    two.close()


@case
def what_is_not_asked_for_is_left_out(w):
    here, there = w.conversation(), w.conversation()
    number = here.rsplit("/", 1)[1]
    one = listen(w, "?conversation=" + number).settle()
    two = listen(w, "?types=history,artifact.removed").settle()
    w.ask("PUT", there + "/files/x", b"x")
    w.ask("PUT", here + "/files/y", b"x")
    w.ask("POST", "/v1/history", {"prompt": "x"})
    w.ask("DELETE", there + "/files/x")
    w.ask("DELETE", here + "/files/y")
    w.same(["artifact.written", "artifact.removed"],
           [e[0] for e in one.events(2)], "of a conversation")
    w.same(["history.added", "artifact.removed", "artifact.removed"],
           [e[0] for e in two.events(3)], "of types")
    w.yes(one.is_quiet() and two.is_quiet(), "more")
    one.close()
    two.close()


@case
def who_comes_back_misses_nothing(w):
    one = listen(w).settle()
    w.ask("POST", "/v1/history", {"prompt": "1"})
    one.event()
    one.close()
    for i in range(5):
        w.ask("POST", "/v1/history", {"prompt": "more %d" % i})
    for how in ({"headers": {"Last-Event-ID": one.last_id}},
                {"query": "?last_event_id=" + one.last_id}):
        again = listen(w, **how)
        w.same(["history.added"] * 5, [e[0] for e in again.events(5)], "missed")
        w.yes(again.is_quiet(), "more than was missed")
        last = again.last_id
        again.close()
    again = listen(w, headers={"Last-Event-ID": last})
    w.yes(again.is_quiet(), "after the last one")
    again.close()


@case
def who_was_away_too_long_is_told_so(w):
    one = listen(w).settle()
    w.ask("POST", "/v1/history", {"prompt": "1"})
    one.event()
    one.close()
    known = one.last_id
    start, n = known.split("-")
    for id in ("x", "", "-", start, start + "-", start + "-x", known + "0",
               start + "-99999999999999999999999", "0" * 16 + "-1",
               start + "-" + str(int(n) + 1)):
        again = listen(w, headers={"Last-Event-ID": id})
        w.same(("reset", {}), again.event(), "after %r" % id)
        w.same(known, again.last_id, "where it stands")
        again.close()
    with w.server.connect() as s:
        reader = Reader(s)
        for i in range(1100):
            s.sendall(plain("POST", "/v1/history", w.token,
                            b'{"prompt":"h%d"}' % i))
            reader.answer()
    again = listen(w, headers={"Last-Event-ID": known})
    w.same("reset", again.event()[0], "after more than are kept")
    w.yes(again.is_quiet(), "it is not told what was")
    again.close()


@case
@on_disk
def the_files_of_an_agent_are_told_with_their_content(w):
    here = w.conversation()
    number = int(here.rsplit("/", 1)[1])
    one = listen(w, "?types=file,artifact,memory,pad").settle()
    text = ("/write a.txt\none\ntwo\n/endwrite\n"
            "/write --persist b.txt\nkept\n/endwrite\n"
            "/mem add entry user hello\nworld\n/endmem\n"
            "/mem write note\n/mem entries\n")
    w.ask("POST", "/v1/slash", {"text": text, "conversation_id": number})
    kind, data = one.event()
    w.same(("file", "a.txt", "one\ntwo", "utf-8", 7, None, number),
           (kind, data["path"], data["content"], data["encoding"],
            data["size"], data["artifact_id"], data["conversation_id"]), "file")
    kind, data = one.event()
    w.same(("file", "b.txt", "kept"), (kind, data["path"], data["content"]),
           "a file that is kept")
    w.yes(data["artifact_id"], "its number")
    kind, told = one.event()
    w.same(("artifact.written", data["artifact_id"], "b.txt", number),
           (kind, told["id"], told["path"], told["conversation_id"]), "kept")
    w.same(["memory.added", "pad.changed"], [e[0] for e in one.events(2)],
           "the rest")
    # Heard or not, it is stored nowhere: nobody gets it later.
    one.close()
    again = listen(w, "?types=file", {"Last-Event-ID": one.last_id})
    w.ask("POST", "/v1/slash", {"text": "/write c\n" + "x" * 1500000 +
                                "\n/endwrite\n"})
    kind, data = again.event()
    w.same(("file", "c", None, 1500000),
           (kind, data["path"], data["content"], data["size"]), "a large one")
    again.close()


@case
def a_file_changed_by_hand_is_told(w):
    here = w.conversation()
    w.ask("POST", here + "/workspace", {"action": "write", "filename": "f.md",
                                        "content": "1"})
    found = [os.path.join(at, "f.md") for at, _, names in os.walk(w.server.home)
             if "f.md" in names]
    mine = [f for f in found if open(f).read() == "1"]
    w.yes(mine, "the file is not there")
    one = listen(w, "?types=artifact").settle()
    def next_one():
        """But for what may come at any time."""
        kind, data = one.event(20)
        return one.event(20) if kind == "changed" else (kind, data)

    with open(mine[-1], "w") as f:
        f.write("changed by hand")
    kind, data = next_one()
    w.same(("artifact.written", "f.md", 2, int(here.rsplit("/", 1)[1])),
           (kind, data["path"], data["version"], data["conversation_id"]),
           "changed")
    os.unlink(mine[-1])
    kind, data = next_one()
    w.same(("artifact.removed", "f.md"), (kind, data["path"]), "removed")
    one.close()


@case
@on_disk
def what_another_process_does_is_noticed(w):
    server = Server(w.server.work, "shared")
    world = World(server)
    one = Listener(server, world.token).settle()
    w.yes(one.is_quiet(2), "its own beginning is not told")
    env = dict(os.environ, QUIRE_HOME=server.home)
    for n in range(2):
        subprocess.run([server.program, "memory", "add", "--type", "user",
                        "--title", "by another %d" % n], env=env, check=True,
                       capture_output=True)
        w.same(("changed", {}), one.event(5), "a change by another process")
        time.sleep(1.2)
    for i in range(5):
        world.ask("POST", "/v1/history", {"prompt": "own %d" % i})
        w.same("history.added", one.event()[0], "its own")
    one.close()
    server.stop()
    w.wrongs += world.wrongs


@case
@on_disk
def an_entry_that_another_process_appends_is_noticed(w):
    """It changes a file, not the catalogue."""
    server = Server(w.server.work, "appended")
    world = World(server)
    env = dict(os.environ, QUIRE_HOME=server.home)
    token = subprocess.run([server.program, "tenant", "token", "add",
                            "default"], env=env, check=True,
                           capture_output=True).stdout.decode().split()[-1]
    id = world.ask("POST", "/v1/sessions", {"title": "t"},
                   token).json()["session"]
    here = "/v1/sessions/" + id
    entry = {"entry": {"type": "message",
                       "message": {"role": "user", "content": "x"}}}
    world.ask("POST", here + "/entries", entry, token)
    time.sleep(1)  # a new token ends the streams of its tenant
    one = Listener(server, token).settle()
    w.yes(one.is_quiet(2), "its own entries are not told")
    for n in range(3):
        subprocess.run([server.program, "session", "append", id], env=env,
                       check=True, capture_output=True, input=b'{"type":'
                       b'"message","message":{"role":"user","content":"x"}}\n')
        kind, data = one.event(5)
        w.same("changed", kind, "an entry by another process")
        # The first command on a home may write to its catalogue as well.
        w.yes(data == {"session": id} or (n == 0 and data == {}), data)
        w.yes(one.is_quiet(1.5), "it is told once")
    for i in range(5):
        world.ask("POST", here + "/entries", entry, token)
        w.same("entry.appended", one.event()[0], "its own")
    one.close()
    server.stop()
    w.wrongs += world.wrongs


@case
def a_tenant_has_so_many_streams(w):
    many = [listen(w).settle() for _ in range(32)]
    got = w.ask("GET", "/v1/events", want=429)
    w.yes(got["Retry-After"], "when to try again")
    other = World(w.server)
    listen(other).settle().close()
    many.pop().close()
    for _ in range(100):
        one = listen(w)
        if one.status == 200:
            break
        time.sleep(0.02)
    w.same(200, one.status, "when one has gone")
    w.ask("POST", "/v1/history", {"prompt": "all"})
    for l in many + [one]:
        w.same("history.added", l.event()[0], "all hear it")
        l.close()


@case
def who_is_shut_out_hears_no_more(w):
    def mine():
        return [t["id"] for t in w.ask(
            "GET", "/v1/admin/tenants", token=ADMIN).json()["tenants"]
            if t["id"] == tenant][0]

    tenant = w.ask("GET", "/v1/usage").json()["tenant_id"]
    address = "/v1/admin/tenants/%d" % mine()
    one = listen(w).settle()
    got = w.ask("POST", address + "/rotate-token", token=ADMIN).json()
    w.same(None, one.event(), "after another token")
    w.ask("GET", "/v1/events", want=401)
    one.close()
    one = Listener(w.server, got["token"]).settle()
    w.ask("PATCH", address, {"disabled": True}, token=ADMIN)
    w.same(None, one.event(), "when it is shut out")
    one.close()
    w.ask("PATCH", address, {"disabled": False}, token=ADMIN)
    one = Listener(w.server, got["token"]).settle()
    w.ask("DELETE", address + "?all=true", token=ADMIN)
    w.same(None, one.event(), "when it is removed")
    one.close()


@slow_case
@on_disk
def a_token_that_is_changed_elsewhere_ends_its_streams(w):
    # Of its own: everybody is told that another process has changed something.
    server = Server(w.server.work, "elsewhere")
    quire = [server.program, "--home", server.home, "tenant"]
    made = json.loads(subprocess.run(quire + ["add", "ann", "--json"],
                                     check=True, capture_output=True).stdout)
    one = Listener(server, made["token"]).settle()
    time.sleep(6)  # until it was seen who there is
    # Another token for her takes none away.
    subprocess.run(quire + ["token", "add", "ann"], check=True,
                   capture_output=True)
    w.same("changed", one.event(12)[0], "another token")
    World(server).ask("POST", "/v1/history", {"prompt": "on"},
                      made["token"], want=201)
    while one.event(12)[0] != "history.added":
        pass
    subprocess.run(quire + ["rotate", "ann"], check=True, capture_output=True)
    began = time.monotonic()
    while one.event(12):
        pass  # that something was changed
    w.yes(one.ended and time.monotonic() - began < 10, "it is ended soon")
    one.close()
    server.stop()


@slow_case
@on_disk
def a_quiet_stream_is_kept_alive(w):
    one = listen(w).settle()
    began = time.monotonic()
    w.same(":", one.block(25), "what it says")
    w.yes(10 < time.monotonic() - began < 20, "after %.1f s" %
          (time.monotonic() - began))
    w.ask("POST", "/v1/history", {"prompt": "alive"})
    w.same("history.added", one.event()[0], "and then")
    one.close()


@slow_case
def who_does_not_read_is_given_up(w):
    """Nobody else notices, and what it would get is not kept for ever."""
    server = Server(w.server.work, "deaf")
    world = World(server)
    deaf = server.connect(small=True)
    deaf.sendall(plain("GET", "/v1/events", world.token))
    time.sleep(0.3)
    hears = Listener(server, world.token).settle()
    for i in range(30):
        world.ask("POST", "/v1/slash", {"text": "/write f%d\n%s\n/endwrite\n" %
                                        (i, "x" * 1000000)}, want=200)
        w.same("f%d" % i, hears.event()[1]["path"], "who does read")
    deaf.settimeout(10)
    got = 0
    try:
        while True:
            piece = deaf.recv(1 << 20)
            if not piece:
                break
            got += len(piece)
    except ConnectionResetError:
        pass
    w.yes(got < 25 << 20, "it got %d bytes in the end" % got)
    hears.close()
    w.same(0, server.stop()[0], "the exit status")
    w.wrongs += world.wrongs


@slow_case
@on_disk
def the_end_ends_streams_at_once(w):
    server = Server(w.server.work, "streams")
    world = World(server)
    many = [Listener(server, world.token).settle() for _ in range(8)]
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    for one in many:
        w.same(None, one.event(), "its end")
        one.close()
    w.same(0, server.process.wait(10), "the exit status")
    w.yes(time.monotonic() - began < 3, "it took %.1f s" %
          (time.monotonic() - began))
    # Another run has other ids.
    server.start()
    again = Listener(server, world.token, "", {"Last-Event-ID": many[0].last_id})
    w.same("reset", again.event()[0], "after another start")
    again.close()
    server.stop()


@slow_case
def many_come_and_go_while_much_happens(w):
    """Each hears its part in order, without a hole."""
    here = w.conversation()
    stop, wrong = threading.Event(), []

    def go():
        last = None
        try:
            while not stop.is_set():
                one = listen(w, headers={"Last-Event-ID": last} if last else ())
                for _ in range(7):
                    before = last
                    try:
                        got = one.event(1)
                    except TimeoutError:
                        break
                    last = one.last_id
                    if got[0] == "reset":
                        wrong.append("a reset after %s" % before)
                    if before and (int(last.split("-")[1]) !=
                                   int(before.split("-")[1]) + 1):
                        wrong.append("%s after %s" % (last, before))
                one.close()
        except Exception as why:
            wrong.append(repr(why))

    threads = [threading.Thread(target=go) for _ in range(6)]
    for t in threads:
        t.start()
    for i in range(150):
        w.ask("PUT", here + "/files/n%d" % i, b"x")
    stop.set()
    for t in threads:
        t.join()
    w.same([], wrong[:5], "what was wrong")
