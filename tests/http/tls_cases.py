"""The same over TLS, and what is refused there. Certificates are made here."""
import atexit
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import warnings

from client import (ADMIN, Reader, Server, Skip, World, case, exchange, plain,
                    slow_case)
from listener import Listener

warnings.simplefilter("ignore", DeprecationWarning)
shared, lock = {}, threading.Lock()


def certificate(work, name, kind="ec"):
    """Files of a certificate and its key."""
    if not shutil.which("openssl"):
        raise Skip("openssl makes the certificates, and is not there")
    cert, key = (os.path.join(work, name + end) for end in (".crt", ".key"))
    how = {"ec": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
           "rsa": ["rsa:2048"], "ed": ["ed25519"]}[kind]
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey"] + how +
                   ["-keyout", key, "-out", cert, "-days", "2", "-subj",
                    "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                   check=True, capture_output=True)
    os.chmod(key, 0o600)
    return cert, key


def server_of(w):
    """One for all cases here."""
    with lock:
        if "server" not in shared:
            shared["server"] = Server(w.server.work, "secret", tls=certificate(
                w.server.work, "first"))
            atexit.register(shared["server"].stop)
        return shared["server"]


@case
def all_is_as_without_it(w):
    server = server_of(w)
    world = World(server)
    here = world.conversation(title="private")
    world.ask("POST", here + "/messages", {"message": "hi"}, want=201)
    for size in (0, 1, 16383, 16384, 16385, 100000, 1000000):
        data = os.urandom(size)
        world.ask("PUT", here + "/files/f%d" % size, data, want=201)
        got = world.ask("GET", here + "/files/f%d" % size, want=200)
        w.yes(got.body == data, "%d bytes come back as %d" %
              (size, len(got.body)))
    world.ask("GET", "/v1/nothing", want=404)
    w.wrongs += world.wrongs


@case
def requests_behind_each_other(w):
    server = server_of(w)
    with server.connect() as s:
        reader = Reader(s)
        s.sendall(plain("GET", "/healthz") * 300)
        for i in range(300):
            w.same(200, reader.answer().status, "answer %d" % i)
        big = b"x" * 200000
        token = World(server).token
        for piece in (1, 1000, 50000):
            s.sendall(plain("POST", "/v1/blobs", token, None, {
                "Transfer-Encoding": "chunked", "Expect": "100-continue"}))
            w.same(100, reader.answer().status, "may it go on")
            for at in range(0, 3 * piece, piece):
                part = big[at:at + piece]
                s.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            s.sendall(b"0\r\n\r\n")
            w.yes(reader.answer().status in (200, 201), "in pieces of %d" %
                  piece)


@case
def what_is_spoken(w):
    server = server_of(w)

    def shake(change):
        raw = socket.create_connection(("127.0.0.1", server.port), 10)
        with server.wrap(raw, change) as s:
            s.sendall(plain("GET", "/healthz"))
            w.same(200, Reader(s).answer().status, "an answer")
            return s.version(), s.selected_alpn_protocol(), s.cipher()[0]

    def at_most(version):
        def change(context):
            context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
            context.maximum_version = version
            context.set_ciphers("ALL:@SECLEVEL=0")
        return change

    w.same("TLSv1.3", shake(None)[0], "the version")
    got = shake(at_most(ssl.TLSVersion.TLSv1_2))
    w.same("TLSv1.2", got[0], "the version")
    w.yes("DHE" in got[2] and ("GCM" in got[2] or "POLY" in got[2] or
                               "CCM" in got[2]), "the cipher: %s" % got[2])
    w.same("http/1.1", shake(lambda c: c.set_alpn_protocols(
        ["h2", "http/1.1"]))[1], "the protocol")
    w.same(None, shake(None)[1], "no protocol asked for")
    for what, change in (
            ("TLS 1.1", at_most(ssl.TLSVersion.TLSv1_1)),
            ("h2 alone", lambda c: c.set_alpn_protocols(["h2"])),
            ("static RSA", lambda c: (at_most(ssl.TLSVersion.TLSv1_2)(c),
                                      c.set_ciphers("kRSA:@SECLEVEL=0")))):
        try:
            w.wrong("%s is spoken: %r" % (what, shake(change)))
        except (ssl.SSLError, OSError):
            pass


@case
def what_is_no_tls(w):
    server = server_of(w)
    raw = socket.create_connection(("127.0.0.1", server.port), 10)
    raw.sendall(plain("GET", "/healthz"))
    got = Reader(raw).answer()
    w.same(400, got.status, "plain HTTP")
    w.yes("https" in got.json()["error"], "it says why")
    raw.close()
    for noise in (b"\x16\x03\x01\xff\xff" + b"x" * 100, b"\x00" * 64,
                  b"\x16\x03\x01\x00\x05hello", b"\x80\x2e\x01\x00\x02"):
        raw = socket.create_connection(("127.0.0.1", server.port), 10)
        raw.settimeout(15)
        try:
            raw.sendall(noise)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(4096):
                pass
        except OSError as why:
            w.yes(not isinstance(why, TimeoutError), "it waits for more")
        raw.close()
    w.same(200, exchange(server, plain("GET", "/healthz")).status, "and then")


@case
def events_come_through_it(w):
    server = server_of(w)
    world = World(server)
    one = Listener(server, world.token).settle()
    for i in range(3):
        world.ask("POST", "/v1/history", {"prompt": "p%d" % i}, want=201)
        w.same("history.added", one.event()[0], "an event")
    world.ask("POST", "/v1/slash", {"text": "/write a\n%s\n/endwrite\n" %
                                    ("y" * 900000)}, want=200)
    w.same("y" * 900000, one.event()[1]["content"], "a long one")
    one.close()


@case
def a_client_is_known_again(w):
    server = server_of(w)
    context = ssl.create_default_context(cafile=server.tls[0])
    known = None
    for turn in range(2):
        raw = socket.create_connection(("127.0.0.1", server.port), 10)
        with context.wrap_socket(raw, server_hostname="localhost",
                                 session=known) as s:
            s.sendall(plain("GET", "/healthz"))
            w.same(200, Reader(s).answer().status, "an answer")
            w.same(turn == 1, s.session_reused, "known in turn %d" % turn)
            known = s.session


@case
def files_that_cannot_be_used(w):
    work = w.server.work
    cert, key = certificate(work, "one")
    other, other_key = certificate(work, "two", "rsa")
    noise, open_key, locked = (os.path.join(work, n) for n in
                               ("noise", "open.key", "locked.key"))
    open(noise, "w").write("-----BEGIN NOTHING-----\n")
    os.chmod(noise, 0o600)
    shutil.copy(key, open_key)
    os.chmod(open_key, 0o644)
    subprocess.run(["openssl", "pkey", "-in", key, "-aes256", "-passout",
                    "pass:x", "-out", locked], check=True, capture_output=True)
    os.chmod(locked, 0o600)
    env = dict(os.environ, QUIRE_HOME=os.path.join(work, "refused"),
               QUIRE_ADMIN_TOKEN=ADMIN)
    for words, options in (
            ("does not match the certificate", (cert, other_key)),
            ("can be read by others", (cert, open_key)),
            ("cannot be used", (noise, key)),
            ("cannot be used", (cert, noise)),
            ("cannot be used", (cert, locked)),
            ("No such file", (cert, key + "x")),
            ("No such file", (cert + "x", key)),
            ("not a PEM file", (work, key)),
            ("--tls-key is missing", (cert, None)),
            ("--tls-cert is missing", (None, key))):
        command = [w.server.program, "serve", "--listen", "127.0.0.1:0"]
        for name, value in zip(("--tls-cert", "--tls-key"), options):
            command += [name, value] if value else []
        done = subprocess.run(command, env=env, capture_output=True, timeout=10,
                              text=True, check=False)
        w.yes(done.returncode in (1, 2, 3), "%r: exit %d" % (options,
                                                             done.returncode))
        w.yes(words in done.stderr and "hint:" in done.stderr,
              "%r: %s" % (options, done.stderr))
    w.yes(other, "made")


@case
def keys_of_each_kind(w):
    for kind in ("rsa", "ed"):
        server = Server(w.server.work, "kind-" + kind,
                        tls=certificate(w.server.work, kind, kind))
        w.same(200, exchange(server, plain("GET", "/healthz")).status, kind)
        w.same(0, server.stop()[0], "the exit status")
        said = open(server.errors).read()
        w.yes(said.startswith("listening on https://127.0.0.1:"), said)


@slow_case
def who_does_not_finish_a_handshake(w):
    server = server_of(w)
    silent, half = (socket.create_connection(("127.0.0.1", server.port), 10)
                    for _ in range(2))
    half.sendall(b"\x16\x03\x01\x02\x00\x01")
    began = time.monotonic()
    for s in (silent, half):
        s.settimeout(20)
        try:
            w.same(b"", s.recv(4096), "what it says")
        except ConnectionResetError:
            pass
        s.close()
    w.yes(time.monotonic() - began < 16, "it took %.1f s" %
          (time.monotonic() - began))


@slow_case
def who_reads_slowly_gets_all(w):
    """The server has to wait in the midst of records, and to go on there."""
    server = server_of(w)
    token = World(server).token
    data = os.urandom(8000000)
    with server.connect() as s:
        s.sendall(plain("POST", "/v1/blobs", token, data))
        ref = Reader(s).answer().json()["sha256"]
    with server.connect(small=True) as s:
        s.sendall(plain("GET", "/v1/blobs/" + ref, token) * 2 +
                  plain("GET", "/healthz"))
        reader = Reader(s)
        for pause in (0.3, 0.1, 0.05):
            time.sleep(pause)
            reader.more()
        for _ in range(2):
            got = reader.answer()
            w.yes(got.body == data, "it is not what was sent")
        w.same(200, reader.answer().status, "and what was asked behind it")


@slow_case
def who_listens_slowly_hears_all(w):
    server = server_of(w)
    world = World(server)
    one = Listener(server, world.token, small=True).settle()
    for i in range(6):
        world.ask("POST", "/v1/slash", {"text": "/write f%d\n%s\n/endwrite\n" %
                                        (i, str(i) * 600000)}, want=200)
    time.sleep(0.5)
    for i in range(6):
        kind, data = one.event()
        w.same(("file", "f%d" % i), (kind, data["path"]), "in its order")
        w.yes(data["content"] == str(i) * 600000, "whole")
    one.close()
    w.wrongs += world.wrongs


@slow_case
def many_at_once(w):
    server = server_of(w)
    token, wrong = World(server).token, []

    def go(n):
        try:
            with server.connect() as s:
                reader, data = Reader(s), bytes([n]) * 70000
                for i in range(10):
                    s.sendall(plain("POST", "/v1/blobs", token,
                                    data + bytes([i])))
                    ref = reader.answer().json()["sha256"]
                    s.sendall(plain("GET", "/v1/blobs/" + ref, token))
                    if reader.answer().body != data + bytes([i]):
                        wrong.append("%d-%d" % (n, i))
        except Exception as why:
            wrong.append(repr(why))

    threads = [threading.Thread(target=go, args=(n,)) for n in range(12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    w.same([], wrong, "what was wrong")


@slow_case
def the_end_is_clean(w):
    server = Server(w.server.work, "ending",
                    tls=certificate(w.server.work, "ending"))
    world = World(server)
    one, idle = Listener(server, world.token).settle(), server.connect()
    raw = socket.create_connection(("127.0.0.1", server.port), 10)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    w.same(None, one.event(), "the stream's end")
    w.same(b"", one.socket.recv(10), "told as TLS tells it")
    one.close()
    w.same(0, server.process.wait(10), "the exit status")
    w.yes(time.monotonic() - began < 4, "it took %.1f s" %
          (time.monotonic() - began))
    idle.close()
    raw.close()
