"""The server as systemd runs it: told when it is ready, reloads and stops, and
given its socket."""
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time

from client import ADMIN, Reader, Server, World, exchange, plain, slow_case


class Listener:
    """Who is notified."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(10)

    def hear(self):
        try:
            return self.socket.recv(4096).decode()
        except TimeoutError:
            return "nothing"


@slow_case
def it_tells_how_it_is(w):
    path = os.path.join(w.server.work, "notify")
    abstract = "quire-test-%d" % os.getpid()
    for name, address, home in ((path, path, "notify-path"),
                                ("@" + abstract, "\0" + abstract,
                                 "notify-abstract")):
        listener = Listener(address)
        server = Server(w.server.work, home, env={"NOTIFY_SOCKET": name})
        w.same("READY=1", listener.hear(), "when it is ready")
        server.process.send_signal(signal.SIGHUP)
        said = listener.hear()
        found = re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", said)
        w.yes(found and abs(int(found.group(1)) / 1e6 - time.monotonic()) < 10,
              "when it reloads: %r" % said)
        w.same("READY=1", listener.hear(), "and when it has")
        w.same(0, server.stop()[0], "its end")
        w.same("STOPPING=1", listener.hear(), "when it stops")
    listener = Listener(path + "2")
    server = Server(w.server.work, "watchdog", env={
        "NOTIFY_SOCKET": path + "2", "WATCHDOG_USEC": "300000"})
    said = set()
    for _ in range(40):  # a machine may take its time until it is ready
        said.add(listener.hear())
        if len(said) == 2:
            break
    w.same({"READY=1", "WATCHDOG=1"}, said, "what it says while it lives")
    w.same("WATCHDOG=1", listener.hear(), "and goes on to say")
    server.stop()


@slow_case
def who_only_writes_is_well(w):
    """What the one who writes gets done counts as well."""
    path = os.path.join(w.server.work, "notify-writes")
    listener = Listener(path)
    server = Server(w.server.work, "writes", env={
        "NOTIFY_SOCKET": path, "WATCHDOG_USEC": "600000"})
    world = World(server)
    request = plain("POST", "/v1/memory/entries", world.token,
                    b'{"type":"user","title":"x"}')
    heard, until = [0], time.monotonic() + 3

    def listen():
        while time.monotonic() < until:
            heard[0] += listener.hear() == "WATCHDOG=1"

    thread = threading.Thread(target=listen)
    thread.start()
    # So many that there are always some that wait.
    lines = selectors.DefaultSelector()
    for _ in range(200):
        s = server.connect()
        lines.register(s, selectors.EVENT_READ)
        s.sendall(request)
    while time.monotonic() < until:
        for key, _ in lines.select(1):
            if not key.fileobj.recv(4096).startswith(b"HTTP/1.1 201"):
                world.wrong("it was not kept")
                until = 0
            key.fileobj.sendall(request)
    thread.join()
    for key in list(lines.get_map().values()):
        key.fileobj.close()
    heard = heard[0]
    w.yes(heard >= 5, "it was heard of %d times" % heard)
    server.stop()
    w.wrongs += world.wrongs


@slow_case
def nobody_to_tell(w):
    for name in ("", "/nowhere/at/all", "@nobody", "x", "/" + "y" * 300):
        server = Server(w.server.work, "notify-none",
                        env={"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "x",
                             "LISTEN_FDS": "1", "LISTEN_PID": "1"})
        w.same(200, exchange(server, plain("GET", "/healthz")).status, name)
        w.same(0, server.stop()[0], name)


HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_FDS=sys.argv[2], LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[3], sys.argv[3:])
"""


def hand_over(w, home, listener, n=1):
    """Start it with a socket as descriptor 3."""
    env = dict(os.environ, QUIRE_HOME=os.path.join(w.server.work, home),
               QUIRE_ADMIN_TOKEN=ADMIN)
    fd = listener.fileno()
    return subprocess.Popen(
        [sys.executable, "-c", HAND_OVER, str(fd), str(n), w.server.program,
         "serve"],
        env=env, pass_fds=[fd], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


@slow_case
def a_socket_is_handed_over(w):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    process = hand_over(w, "activated", listener)
    with socket.create_connection(("127.0.0.1", port), 10) as s:
        s.sendall(plain("GET", "/healthz"))  # before it is there
        w.same(200, Reader(s).answer().status, "it waited in the socket")
    w.same(b"listening on http://127.0.0.1:%d\n" % port,
           process.stderr.readline(), "where")
    process.terminate()
    w.same(0, process.wait(15), "its end")
    process.stderr.close()
    process = hand_over(w, "activated", listener)
    with socket.create_connection(("127.0.0.1", port), 10) as s:
        s.sendall(plain("GET", "/healthz"))
        w.same(200, Reader(s).answer().status, "the next one has it")
    process.terminate()
    process.wait(15)
    process.stderr.close()


@slow_case
def what_cannot_be_served(w):
    plain_file = open(os.path.join(w.server.work, "no-socket"), "w+")
    for listener, n in ((plain_file, 1),
                        (socket.socket(), 1),
                        (socket.create_server(("127.0.0.1", 0)), 2)):
        process = hand_over(w, "refused", listener, n)
        said = process.stderr.read()
        w.yes(process.wait(15) in (2, 3), "its end")
        w.yes(b"socket" in said and b"hint: " in said, repr(said))
        process.stderr.close()
        listener.close()


@slow_case
def the_admins_token_is_read_again(w):
    home = os.path.join(w.server.work, "token")
    server = Server(w.server.work, "token", env={"QUIRE_ADMIN_TOKEN": ""})
    world = World(server)
    path = os.path.join(home, "admin.token")
    old = open(path).read()
    world.ask("GET", "/v1/admin/tenants", token=old, want=200)
    os.unlink(path)
    server.process.send_signal(signal.SIGHUP)
    for _ in range(100):
        time.sleep(0.05)
        if os.path.exists(path):
            break
    time.sleep(0.2)
    new = open(path).read()
    w.yes(new != old, "another token")
    world.ask("GET", "/v1/admin/tenants", token=old, want=401)
    world.ask("GET", "/v1/admin/tenants", token=new, want=200)
    # What cannot be read changes nothing.
    os.chmod(path, 0o644)
    server.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    world.ask("GET", "/v1/admin/tenants", token=new, want=200)
    w.yes("settings unchanged" in open(server.errors).read(),
          "it is in the log")
    w.same(0, server.stop()[0], "its end")


@slow_case
def the_end_of_its_terminal_is_its_end(w):
    home = os.path.join(w.server.work, "terminal")
    pid, terminal = os.forkpty()
    if pid == 0:
        os.environ.update(QUIRE_HOME=home, QUIRE_ADMIN_TOKEN=ADMIN)
        os.execv(w.server.program, [w.server.program, "serve", "--listen",
                                    "127.0.0.1:0"])
    said = b""
    while b"\n" not in said:
        said += os.read(terminal, 1000)
    os.kill(pid, signal.SIGHUP)
    while b"settings reloaded" not in said:
        said += os.read(terminal, 1000)
    os.close(terminal)
    for _ in range(200):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
        time.sleep(0.05)
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    w.same((pid, 0), (ended, status), "its end")
