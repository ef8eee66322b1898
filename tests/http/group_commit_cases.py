"""Small writes that are made together. Somebody else keeps the right to write
while they come: what has come meanwhile is one group, or two. Each is answered as
if it had been made alone, when it lasts, and not before."""
import contextlib
import json
import os
import signal
import sqlite3
import threading
import time

from client import Reader, Server, World, case, on_disk, plain, slow_case
from listener import Listener


@contextlib.contextmanager
def served(w, name, **more):
    """A server of one's own, whose catalogue may be kept from it."""
    server = Server(w.server.work, name, **more)
    world = World(server)
    world.wrongs = w.wrongs
    try:
        yield server, world
        w.same(0, server.stop()[0], "its exit status")
    finally:
        server.process.kill()
        server.process.wait()
    w.same(["ok"], [row[0] for row in ask(server, "PRAGMA integrity_check")],
           "the catalogue")


def ask(server, sql):
    """What the catalogue says, from behind."""
    db = sqlite3.connect(os.path.join(server.home, "quire.db"), timeout=10)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


class Held:
    """The right to write, until it is let go."""

    def __init__(self, server):
        self.db = sqlite3.connect(os.path.join(server.home, "quire.db"),
                                  timeout=10, isolation_level=None)
        self.db.execute("BEGIN IMMEDIATE")

    def run(self, sql):
        self.db.execute(sql)

    def let_go(self):
        self.db.execute("COMMIT")
        self.db.close()


def put(target, token, body=b"x", **headers):
    return plain("PUT", target, token, body,
                 {n.replace("_", "-"): v for n, v in headers.items()})


def post(target, token, body, **headers):
    return plain("POST", target, token, json.dumps(body).encode(),
                 {n.replace("_", "-"): v for n, v in headers.items()})


ENTRIES = "/v1/memory/entries"


def note(title, **more):
    return dict(more, type="project", title=title, content="walrus")


def send(server, requests):
    """Each on a connection of its own, in this order."""
    lines = []
    for request in requests:
        s = server.connect(timeout=30)
        s.sendall(request)
        lines.append(s)
    return lines


def hear(lines):
    """The answers, in the order of the requests."""
    said = []
    for s in lines:
        said.append(Reader(s).answer())
        s.close()
    return said


def together(server, requests, meanwhile=None):
    """What is answered to them when they were made together."""
    held = Held(server)
    lines = send(server, requests[:1])
    time.sleep(0.1)  # it waits for the right to write, alone
    lines += send(server, requests[1:])
    time.sleep(0.3)
    if meanwhile:
        meanwhile(held, lines)
    held.let_go()
    return hear(lines)


def nothing_said(w, lines):
    for s in lines:
        s.setblocking(False)
        try:
            w.wrong("it was answered before it lasts: %r" % s.recv(100))
        except BlockingIOError:
            pass
        s.setblocking(True)
        s.settimeout(30)


# ---- refusals ---------------------------------------------------------------

@case
@on_disk
def who_is_refused_disturbs_no_neighbour(w):
    with served(w, "refused") as (server, world):
        token, here = world.token, world.conversation()
        world.ask("PUT", here + "/files/there", b"there", want=201)
        world.ask("POST", ENTRIES, note("t"), want=201)
        refused = [
            (put(here + "/files/there", token, If_None_Match="*"), 412),
            (put(here + "/files/there", token, If_Match='"no"'), 412),
            (put(here + "/files/%2e%2e/x", token), 400),
            (put(here + "/files/there/below", token), 409),
            (put("/v1/conversations/999/files/x", token), 404),
            (post(ENTRIES, token, note("t", supersedes_ids=[1, 99])), 400),
            (post(ENTRIES, token, note("")), 400),
            (post(ENTRIES, token, note("t", artifact_id=99)), 400),
            (plain("DELETE", ENTRIES + "/77", token), 404),
            (post(ENTRIES + "/77/invalidate", token, {}), 404),
            (post("/v1/memory/relations", token,
                  {"source_id": 1, "target_id": 99,
                   "relation": "refines"}), 400),
        ]
        requests, wanted = [], []
        for i in range(54):
            requests.append(put(here + "/files/f%d" % i, token, b"of %d" % i))
            wanted.append(201)
            request, status = refused[i % len(refused)]
            requests.append(request)
            wanted.append(status)
        answers = together(server, requests,
                           lambda held, lines: nothing_said(w, lines[::2]))
        for i, got in enumerate(answers):
            if wanted[i] == 201:
                w.same(201, got.status, "put %d: %r" % (i, got.body[:200]))
                w.same("f%d" % (i // 2), got.json()["artifact"]["path"],
                       "whose answer it is")
            else:
                w.same(wanted[i], got.status, "refused: %r %r" %
                       (requests[i][:60], got.body[:200]))
                world.error_shape(got, "a refusal")
        for i in (0, 25, 53):
            w.same(b"of %d" % i, world.ask("GET", here + "/files/f%d" % i,
                                           want=200).body, "a file")
        w.same(b"there", world.ask("GET", here + "/files/there").body, "there")
        w.same([(55, 55, 1)], ask(server, "SELECT count(*), max(n), "
                                  "max(version) FROM artifact, session"),
               "artifacts, counted, versions")
        w.same([(1,)], ask(server, "SELECT count(*) FROM memory"), "entries")


# ---- keys -------------------------------------------------------------------

@case
@on_disk
def the_same_key_in_one_group_is_one_effect(w):
    with served(w, "keys") as (server, world):
        token, here = world.token, world.conversation()
        other = world.tenant()[1]
        first = [put(here + "/files/first", token)]
        same = [post(ENTRIES, token, note("once"), Idempotency_Key="k")] * 6
        files = [put(here + "/files/k", token, b"k", Idempotency_Key="f")] * 6
        theirs = [post(ENTRIES, other, note("once"), Idempotency_Key="k")]
        answers = together(server, first + same + files + theirs)
        for kind, some in (("entry", answers[1:7]), ("file", answers[7:13])):
            w.same({201}, {a.status for a in some}, kind + ": statuses")
            w.same(1, len({a.body for a in some}), kind + ": answers")
            w.same(5, [a["Idempotency-Replayed"] for a in some].count("true"),
                   kind + ": said again")
        w.same((201, ""), (answers[13].status,
                           answers[13]["Idempotency-Replayed"]), "another's")
        w.same([(2,)], ask(server, "SELECT count(*) FROM memory"), "entries")
        w.same([(1,)], ask(server, "SELECT version FROM artifact WHERE path = "
                           "'k'"), "versions")
        # Another request under a key of the same group; one that is refused.
        held = Held(server)
        lines = send(server, first)
        time.sleep(0.1)
        lines += send(server, [put(here + "/files/n", token, b"1",
                                   Idempotency_Key="n")])
        time.sleep(0.1)
        lines += send(server, [put(here + "/files/n", token, b"2",
                                   Idempotency_Key="n")] * 3 +
                      [put(here + "/files/r", token, b"r", If_Match='"no"',
                           Idempotency_Key="r")] * 3)
        time.sleep(0.2)
        held.let_go()
        said = hear(lines)
        w.same([201, 422, 422, 422, 412, 412, 412],
               [a.status for a in said[1:]], "statuses")
        w.same({""}, {a["Idempotency-Replayed"] for a in said[1:]}, "marks")
        w.same(b"1", world.ask("GET", here + "/files/n", want=200).body, "it")
        world.ask("PUT", here + "/files/r", b"r",
                  headers={"Idempotency-Key": "r"}, want=201)
        w.same([], ask(server, "SELECT key FROM claim WHERE status IS NULL"),
               "keys without an answer")


# ---- tenants, events --------------------------------------------------------

@case
@on_disk
def tenants_in_one_group_do_not_mix(w):
    with served(w, "mixed") as (server, world):
        # More of them than a handle has seats.
        tokens = [world.tenant()[1] for _ in range(20)]
        heres = [world.conversation(token) for token in tokens]
        ears = [Listener(server, token).settle() for token in tokens[:3]]
        requests = [put(heres[i] + "/files/same", tokens[i], b"of %d" % i)
                    for i in range(20)]
        requests += [put(heres[i] + "/files/theirs", tokens[(i + 1) % 20])
                     for i in range(20)]
        requests += [post(ENTRIES, tokens[i], note("of %d" % i))
                     for i in range(20)]

        def meanwhile(held, lines):
            nothing_said(w, lines)
            w.yes(all(ear.is_quiet(0.05) for ear in ears),
                  "it was told before it lasts")

        answers = together(server, requests, meanwhile)
        w.same([201] * 20 + [404] * 20 + [201] * 20,
               [a.status for a in answers], "statuses")
        for i, token in enumerate(tokens):
            w.same(b"of %d" % i, world.ask("GET", heres[i] + "/files/same",
                                           token=token, want=200).body, "own")
            entries = world.ask("GET", ENTRIES, token=token).json()
            w.same(1, entries["count"], "entries of %d" % i)
            w.yes("of %d" % i in json.dumps(entries), "whose they are")
        for ear in ears:
            told = sorted(kind for kind, _ in ear.events(2))
            w.same(["artifact.written", "memory.added"], told, "what is told")
            w.yes(ear.is_quiet(0.1), "more was told")
            ear.close()


@case
@on_disk
def who_is_shut_out_meanwhile_writes_nothing(w):
    with served(w, "shut") as (server, world):
        (number, out), here = world.tenant(), world.conversation()
        theirs = world.conversation(out)
        world.ask("PUT", theirs + "/files/a", b"x", out, want=201)

        def meanwhile(held, lines):
            held.run("UPDATE tenant SET disabled = 1 WHERE id = %d" % number)

        requests = [put(here + "/files/first", world.token)]
        for i in range(8):
            requests.append(put(theirs + "/files/late%d" % i, out))
            requests.append(post(ENTRIES, out, note("late")))
            requests.append(put(here + "/files/f%d" % i, world.token))
        answers = together(server, requests, meanwhile)
        for i, got in enumerate(answers):
            if i % 3 == 0:
                w.same(201, got.status, "a neighbour: %r" % got.body[:200])
            else:
                w.yes(400 <= got.status < 500, "who is shut out: %d %r" %
                      (got.status, got.body[:200]))
        w.same([(9,)], ask(server, "SELECT count(*) FROM artifact WHERE path "
                           "LIKE 'f%'"), "the neighbours'")
        w.same([(0,)], ask(server, "SELECT count(*) FROM artifact WHERE path "
                           "LIKE 'late%'"), "artifacts")
        w.same([(0,)], ask(server, "SELECT count(*) FROM memory"), "entries")


# ---- what cannot be kept ----------------------------------------------------

@case
@on_disk
def a_group_that_cannot_be_kept_is_made_one_by_one(w):
    """One of them ends the transaction of all, whenever it is tried."""
    with served(w, "spoiled") as (server, world):
        token, here = world.token, world.conversation()
        ear = Listener(server, token).settle()

        def meanwhile(held, lines):
            held.run("CREATE TRIGGER poison BEFORE INSERT ON artifact WHEN "
                     "NEW.path = 'poison' BEGIN SELECT RAISE(ROLLBACK, 'no'); "
                     "END")

        requests = [put(here + "/files/first", token)]
        for i in range(20):
            requests.append(put(here + "/files/f%d" % i, token, b"of %d" % i,
                                Idempotency_Key="k%d" % i))
            if i % 7 == 3:
                requests.append(put(here + "/files/poison", token, b"x",
                                    Idempotency_Key="poison%d" % i))
        answers = together(server, requests, meanwhile)
        for request, got in zip(requests, answers):
            if b"poison" in request:
                w.yes(got.status >= 400, "poison: %d" % got.status)
                world.error_shape(got, "poison")
            else:
                w.same(201, got.status, "a neighbour: %r" % got.body[:200])
                w.same("", got["Idempotency-Replayed"], "that it is new")
                w.same(1, got.json()["artifact"]["version"], "its version")
        told = [data["path"] for _, data in ear.events(21)]
        w.same(21, len(set(told)), "each is told once: %r" % told)
        w.yes(ear.is_quiet(0.1), "more was told")
        ear.close()
        w.same([(21, 1)], ask(server, "SELECT count(*), max(version) FROM "
                              "artifact"), "artifacts")
        w.same([], ask(server, "SELECT key FROM claim WHERE status IS NULL"),
               "keys without an answer")
        # What failed may be tried again under its key.
        held = Held(server)
        held.run("DROP TRIGGER poison")
        held.let_go()
        world.ask("PUT", here + "/files/poison", b"x",
                  headers={"Idempotency-Key": "poison3"}, want=201)


@slow_case
@on_disk
def who_waits_too_long_is_told_so_and_nothing_is_done(w):
    with served(w, "long") as (server, world):
        token, here = world.token, world.conversation()
        held = Held(server)
        lines = send(server, [put(here + "/files/f%d" % i, token)
                              for i in range(10)])
        answers = hear(lines)
        held.let_go()
        for got in answers:
            w.same(503, got.status, "while another writes: %r" % got.body[:99])
            world.error_shape(got, "while another writes")
        w.same([(0,)], ask(server, "SELECT count(*) FROM artifact"), "artifacts")
        world.ask("PUT", here + "/files/f1", b"x", want=201)


# ---- the end ----------------------------------------------------------------

@case
@on_disk
def what_was_taken_is_answered_before_the_end(w):
    with served(w, "drained") as (server, world):
        token, here = world.token, world.conversation()
        held = Held(server)
        lines = send(server, [put(here + "/files/f%d" % i, token)
                              for i in range(100)])
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        nothing_said(w, lines)
        held.let_go()
        answers = hear(lines)
        w.same({201}, {a and a.status for a in answers}, "answers")
        w.same(0, server.process.wait(10), "its exit status")
        w.same([(100,)], ask(server, "SELECT count(*) FROM artifact"),
               "artifacts")
        server.start()
        world.ask("GET", here + "/files/f99", want=200)


def write_until_it_ends(server, token, here, who, kept, wrong):
    """Files, one after the other, on one connection; those that were
    acknowledged are in `kept`."""
    try:
        with server.connect(timeout=20) as s:
            reader = Reader(s)
            for i in range(100000):
                name = "w%d-%d" % (who, i)
                s.sendall(put(here + "/files/" + name, token, name.encode(),
                              Idempotency_Key=name))
                got = reader.answer()
                if got is None:
                    return
                if got.status != 201:
                    wrong.append("%s: %d %r" % (name, got.status,
                                                got.body[:200]))
                    if got.status != 503:
                        return
                    continue
                if got.json()["artifact"]["path"] != name:
                    wrong.append("%s: the answer of another" % name)
                kept.append(name)
    except ConnectionError:
        pass
    except Exception as why:
        if "cut off" not in str(why):
            wrong.append(repr(why))


def end_under_load(w, name, how):
    with served(w, name) as (server, world):
        kept, wrong = [], []
        for round in range(2):
            token = world.tenant()[1]
            here = world.conversation(token)
            threads = [threading.Thread(target=write_until_it_ends,
                                        args=(server, token, here, i, kept,
                                              wrong)) for i in range(12)]
            del kept[:]
            for thread in threads:
                thread.start()
            until = time.monotonic() + 10
            while len(kept) < 60 + 40 * round and time.monotonic() < until:
                time.sleep(0.01)
            server.process.send_signal(how)
            server.process.wait(20)
            for thread in threads:
                thread.join()
            w.same(signal.SIGTERM == how, server.process.returncode == 0,
                   "its exit status, %d" % server.process.returncode)
            server.start()
            w.yes(len(kept) >= 60, "acknowledged: %d" % len(kept))
            rows = {row[0] for row in ask(
                server, "SELECT path FROM artifact WHERE path LIKE 'w%'")}
            w.same([], [name for name in kept if name not in rows],
                   "acknowledged, and not there")
            # Beyond those each connection had one under way at most.
            w.yes(round or len(rows - set(kept)) <= 12,
                  "not acknowledged, and there: %d" % len(rows - set(kept)))
            for name in kept[-3:]:
                w.same(name.encode(), world.ask("GET", here + "/files/" + name,
                                                token=token, want=200).body,
                       "its content")
                again = world.ask("PUT", here + "/files/" + name,
                                  name.encode(), token, want=201,
                                  headers={"Idempotency-Key": name})
                w.same("true", again["Idempotency-Replayed"], "said again")
        w.same([], wrong, "answers")


@slow_case
@on_disk
def no_acknowledged_write_is_lost_when_it_is_killed(w):
    end_under_load(w, "killed", signal.SIGKILL)


@slow_case
@on_disk
def no_acknowledged_write_is_lost_when_it_ends_under_load(w):
    end_under_load(w, "ended", signal.SIGTERM)
