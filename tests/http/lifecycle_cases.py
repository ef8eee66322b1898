"""Clients that take their time, and the server's own beginning and end. Each
waits, so they run beside the others."""
import json
import os
import signal
import socket
import subprocess
import threading
import time

from client import ADMIN, Reader, Server, World, plain, slow_case


def until_closed(s, within):
    """Seconds until the server ends it, and what it said."""
    began, said = time.monotonic(), b""
    s.settimeout(within)
    try:
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            said += piece
    except TimeoutError:
        return within + 1, said
    except OSError:
        pass
    return time.monotonic() - began, said


@slow_case
def a_head_of_one_byte_a_second(w):
    with w.server.connect() as s:
        began = time.monotonic()
        s.settimeout(1)
        said = b""
        for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n":
            try:
                s.send(bytes([byte]))
                said = s.recv(4096)
                break
            except TimeoutError:
                continue
            except OSError:
                break
        w.yes(time.monotonic() - began < 16, "it waited too long")
        w.yes(said.startswith(b"HTTP/1.1 408 "), "said: %r" % said[:80])


@slow_case
def who_says_nothing_is_not_waited_for(w):
    with w.server.connect() as s:
        seconds, said = until_closed(s, 20)
        w.yes(seconds < 16, "after 16 s it still waits")
        w.same(b"", said, "what it said")


@slow_case
def a_body_that_does_not_come(w):
    here = w.conversation()
    with w.server.connect() as s:
        s.sendall(plain("PUT", here + "/files/never", w.token, None,
                        {"Content-Length": "10"}) + b"12345")
        seconds, said = until_closed(s, 25)
        w.yes(seconds < 20, "after 20 s it still waits")
        w.yes(said.startswith(b"HTTP/1.1 408 "), "said: %r" % said[:80])
    w.ask("GET", here + "/files/never", want=404)


@slow_case
def three_hundred_who_say_nothing_shut_nobody_out(w):
    idle = [w.server.connect() for _ in range(300)]
    half = [w.server.connect() for _ in range(50)]
    for s in half:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHo")
    here = w.conversation()
    for i in range(20):
        began = time.monotonic()
        w.ask("PUT", here + "/files/i%d" % i, b"x", want=201)
        w.ask("GET", "/healthz", token=None, want=200)
        w.yes(time.monotonic() - began < 2, "it took %.1f s" %
              (time.monotonic() - began))
    for s in idle + half:
        s.close()


@slow_case
def no_descriptors_are_left(w):
    """More say nothing than it may have files open."""
    server = Server(w.server.work, "few", files=200)
    idle = [server.connect() for _ in range(300)]
    began = time.monotonic()
    for _ in range(10):
        with server.connect() as s:
            s.sendall(plain("GET", "/healthz"))
            got = Reader(s).answer()
            w.same(200, got and got.status, "somebody who asks")
    w.yes(time.monotonic() - began < 5, "it took %.1f s" %
          (time.monotonic() - began))
    for s in idle:
        s.close()
    w.same(0, server.stop()[0], "its exit status")


@slow_case
def idle_connections_leave_descriptors_for_requests(w):
    """Each that is idle has sent a request before."""
    server = Server(w.server.work, "reserve", files=160)
    world = World(server)
    tokens = [world.tenant()[1] for _ in range(6)]
    idle = []
    for _ in range(400):
        s = server.connect()
        s.sendall(plain("GET", "/healthz"))
        Reader(s).answer()
        idle.append(s)
    for token in tokens:
        here = world.conversation(token)
        world.ask("PUT", here + "/files/a", b"x", token, want=201)
        world.ask("GET", here + "/entries", token=token, want=200)
        world.ask("POST", "/v1/blobs", b"y" * 200000, token, want=201)
    # Those that were idle longest are closed, not the last.
    w.yes(Reader(idle[0]).is_closed(), "the first is closed")
    idle[-1].sendall(plain("GET", "/healthz"))
    w.same(200, Reader(idle[-1]).answer().status, "the last")
    w.wrongs += world.wrongs
    for s in idle:
        s.close()
    w.same(0, server.stop()[0], "its exit status")


@slow_case
def a_request_that_arrives_beside_new_connections_is_answered(w):
    """An idle connection is closed for a new one, unless its request is here."""
    server = Server(w.server.work, "beside", files=160)
    idle = []
    for _ in range(200):
        s = server.connect()
        s.sendall(plain("GET", "/healthz"))
        Reader(s).answer()
        idle.append(s)
    time.sleep(0.3)
    idle = [s for s in idle if not Reader(s).is_closed(0.001)]
    # The server finds all of these at once, the new ones first.
    server.process.send_signal(signal.SIGSTOP)
    os.waitpid(server.process.pid, os.WUNTRACED)
    new = [server.connect() for _ in range(8)]
    for s in new + idle:
        s.settimeout(15)
        s.sendall(plain("GET", "/healthz"))
    server.process.send_signal(signal.SIGCONT)
    answers = [Reader(s).answer() for s in idle + new]
    w.yes(len(idle) > 20, "%d are idle" % len(idle))
    w.same([200], sorted({a.status if a else 0 for a in answers}), "answers")
    for s in idle + new:
        s.close()
    w.same(0, server.stop()[0], "its exit status")


@slow_case
def a_home_is_kept_over_the_end(w):
    server = Server(w.server.work, "second")
    world = World(server)
    here = world.conversation(title="kept")
    world.ask("PUT", here + "/files/k", b"kept", want=201)
    world.ask("POST", here + "/messages", {"message": "kept"}, want=201)
    status, seconds = server.stop()
    w.same(0, status, "the exit status")
    w.yes(seconds < 5, "it took %.1f s to end" % seconds)
    server.start()
    w.same(b"kept", world.ask("GET", here + "/files/k", want=200).body, "file")
    w.same("kept", world.ask("GET", here).json()["title"], "title")
    w.same(1, world.ask("GET", here + "/messages").json()["count"], "messages")
    # Killed, it has what it said it has.
    world.ask("PUT", here + "/files/l", b"last", want=201)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server.start()
    w.same(b"last", world.ask("GET", here + "/files/l", want=200).body, "last")
    w.same(0, server.stop()[0], "the exit status")
    w.wrongs += world.wrongs


@slow_case
def the_end_waits_for_what_is_under_way(w):
    server = Server(w.server.work, "third")
    world = World(server)
    here, token = world.conversation(), world.token
    idle, half, began = server.connect(), server.connect(), server.connect()
    half.sendall(plain("PUT", here + "/files/half", token, None,
                       {"Content-Length": "4"}) + b"ha")
    began.sendall(b"GET /healthz HT")
    done, stop = [], threading.Event()

    def put(n):
        """Each put that was answered well is to be there afterwards."""
        try:
            with server.connect() as s:
                reader, i = Reader(s), 0
                while not stop.is_set():
                    name = "w%d-%d" % (n, i)
                    s.sendall(plain("PUT", here + "/files/" + name, token, b"x"))
                    got = reader.answer()
                    if got is None:
                        return
                    if got.status == 201:
                        done.append(name)
                    if got["Connection"] == "close":
                        return
                    i += 1
        except OSError:
            pass

    threads = [threading.Thread(target=put, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    time.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    half.sendall(b"lf")
    got = Reader(half).answer()
    w.same(201, got and got.status, "the request under way")
    w.same("close", got and got["Connection"], "its connection")
    began.sendall(b"TP/1.1\r\nHost: localhost\r\n\r\n")
    got = Reader(began).answer()
    w.same(200, got and got.status, "the head under way")
    try:
        socket.create_connection(("127.0.0.1", server.port), 1).close()
    except OSError:
        pass
    try:
        w.same(0, server.process.wait(15), "the exit status")
    except subprocess.TimeoutExpired:
        w.wrong("it does not end")
        server.process.kill()
    stop.set()
    for t in threads:
        t.join()
    idle.close()
    server.start()
    listed, cursor = set(), ""
    while cursor is not None:
        page = world.ask("GET", here + "/artifacts?limit=1000" +
                         ("&cursor=" + cursor if cursor else "")).json()
        listed |= {a["path"] for a in page["artifacts"]}
        cursor = page["next_cursor"]
    w.same(set(), set(done) - listed, "answered well, and lost")
    w.yes("half" in listed, "what was under way was answered and is not there")
    server.stop()
    w.wrongs += world.wrongs


@slow_case
def who_does_not_finish_does_not_keep_it(w):
    server = Server(w.server.work, "fourth")
    with server.connect() as s:
        s.sendall(b"POST /v1/blobs HTTP/1.1\r\nHost: localhost\r\n"
                  b"Content-Length: 10\r\n\r\nx")
        time.sleep(0.2)
        status, seconds = server.stop()
    w.same(0, status, "the exit status")
    w.yes(seconds < 15, "it took %.1f s to end" % seconds)


@slow_case
def a_second_server_on_the_port_is_refused(w):
    env = dict(os.environ, QUIRE_HOME=w.server.home, QUIRE_ADMIN_TOKEN=ADMIN)
    done = subprocess.run([w.server.program, "serve", "--listen", "127.0.0.1:%d"
                           % w.server.port], env=env, capture_output=True,
                          timeout=10, check=False)
    w.same(3, done.returncode, "its exit status")
    w.yes(done.stderr, "it says why")


@slow_case
def where_to_listen_is_checked(w):
    env = dict(os.environ, QUIRE_HOME=os.path.join(w.server.work, "none"))
    for where in ("", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                  "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:1x", ":1:2"):
        done = subprocess.run([w.server.program, "serve", "--listen", where],
                              env=env, capture_output=True, timeout=10,
                              check=False)
        w.yes(done.returncode in (2, 3) and done.stderr, "--listen %r: %d" %
              (where, done.returncode))


def first_lines(w, where, *options):
    """What `serve` says until it serves, and after SIGTERM."""
    process = subprocess.Popen(
        [w.server.program, "serve", "--listen", where, *options],
        env=dict(os.environ, QUIRE_ADMIN_TOKEN=ADMIN,
                 QUIRE_HOME=os.path.join(w.server.work, "plain")),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    first = process.stderr.readline().decode()
    process.terminate()
    rest = process.stderr.read().decode()
    process.wait(15)
    w.yes(first.startswith("listening on "), "it serves: %r" % first)
    return rest


@slow_case
def a_plain_server_for_other_machines_warns(w):
    for where in ("127.0.0.1:0", "127.8.9.1:0", "localhost:0"):
        w.same("", first_lines(w, where), "a warning for " + where)
    said = first_lines(w, "0.0.0.0:0")
    w.yes(said.startswith("quire: warning: ") and "--tls-cert" in said and
          said.count("\n") == 1, "for all addresses: %r" % said)
    w.same("", first_lines(w, "0.0.0.0:0", "--quiet"), "with --quiet")


@slow_case
def many_at_once_lose_nothing(w):
    here, lost = w.conversation(), []

    def go(n):
        with w.server.connect() as s:
            reader = Reader(s)
            for i in range(20):
                s.sendall(plain("POST", here + "/messages", w.token, json.dumps(
                    {"message": "m%d-%d" % (n, i)}).encode()))
                got = reader.answer()
                if got.status != 201:
                    lost.append((got.status, got.body[:200]))

    threads = [threading.Thread(target=go, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    w.same([], lost[:3], "not appended")
    w.same(160 - len(lost), w.ask("GET", here + "/messages?limit=500")
           .json()["count"], "messages")
