"""How often somebody may ask."""
import os
import re
import socket
import subprocess
import time

from client import (ADMIN, Reader, Server, Skip, World, exchange, plain,
                    slow_case)


@slow_case
def a_tenant_that_asks_too_often(w):
    server = Server(w.server.work, "rate", options=["--rate", "1", "--burst",
                                                    "5"])
    world = World(server)
    mine, theirs = world.tenant()[1], world.tenant()[1]
    # A slow machine may get one more in between.
    said = [world.ask("GET", "/v1/usage", token=mine) for _ in range(12)]
    w.same([200] * 5, [got.status for got in said[:5]], "in a burst")
    refused = [got for got in said if got.status == 429]
    w.yes(len(refused) >= 3, "%d were refused" % len(refused))
    said[-1] = refused[-1]
    w.same("rate_limited", said[-1].json()["kind"], "its kind")
    w.yes(re.fullmatch("[1-9][0-9]*", said[-1]["Retry-After"]), "when: %r" %
          said[-1]["Retry-After"])
    w.yes(said[-1]["X-Request-Id"], "it has a name")
    world.ask("GET", "/v1/usage", token=theirs, want=200)
    for _ in range(10):
        world.ask("GET", "/v1/admin/tenants", token=ADMIN, want=200)
        world.ask("GET", "/healthz", token=None, want=200)
        world.ask("GET", "/v1/usage", token=None, want=401)
    time.sleep(int(said[-1]["Retry-After"]))
    world.ask("GET", "/v1/usage", token=mine, want=200)
    w.yes('quire_rate_limited_total{limit="tenant"} %d\n' % len(refused) in
          exchange(server, plain("GET", "/metrics")).body.decode(), "counted")
    server.stop()


@slow_case
def a_request_with_a_body_counts_once(w):
    server = Server(w.server.work, "rate-body", options=["--rate", "1",
                                                         "--burst", "4"])
    world = World(server)
    token = world.tenant()[1]
    said = [world.ask("POST", "/v1/blobs", b"x%d" % i, token).status
            for i in range(10)]
    w.same([201] * 4, said[:4], "puts")
    w.yes(429 in said[4:], "and then: %r" % said)
    server.stop()


@slow_case
def each_message_of_an_mcp_batch_counts(w):
    server = Server(w.server.work, "rate-batch", options=["--rate", "1",
                                                          "--burst", "10"])
    world = World(server)
    token = world.tenant()[1]
    headers = {"Content-Type": "application/json",
               "MCP-Protocol-Version": "2025-03-26"}

    def send(n):
        batch = [{"jsonrpc": "2.0", "method": "ping", "id": i}
                 for i in range(n)]
        return world.ask("POST", "/mcp", batch, token, headers)
    w.same(200, send(8).status, "eight of ten")
    got = send(8)
    w.same(429, got.status, "eight more")
    w.yes(int(got["Retry-After"]) >= 1, "it says when: %r" % got.headers)
    got = send(11)
    w.same((400, "invalid"), (got.status, got.json()["kind"]),
           "more than there ever are at once")
    server.stop()


@slow_case
def the_rate_is_a_setting_and_is_read_again(w):
    server = Server(w.server.work, "rate-set")
    world = World(server)
    token = world.tenant()[1]
    for _ in range(50):
        world.ask("GET", "/v1/usage", token=token, want=200)

    def config(value):
        subprocess.run([server.program, "config", "set", "serve.rate", value],
                       env=dict(os.environ, QUIRE_HOME=server.home),
                       check=True)
        server.process.send_signal(1)
        time.sleep(0.5)
    config("3")
    said = [world.ask("GET", "/v1/usage", token=token).status
            for _ in range(8)]
    w.yes(said[:3] == [200] * 3 and 429 in said, "with a rate: %r" % said)
    config("0")
    for _ in range(30):
        world.ask("GET", "/v1/usage", token=token, want=200)
    server.stop()


def own_address():
    """One of this machine that is not its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("198.51.100.1", 9))
            found = s.getsockname()[0]
        except OSError:
            found = "127.0.0.1"
    if found.startswith("127."):
        raise Skip("this machine has no address but its loopback")
    return found


@slow_case
def tokens_that_nobody_knows(w):
    """From elsewhere they are limited; what comes from this machine is not."""
    address = own_address()
    server = Server(w.server.work, "rate-login")
    world = World(server)
    token = world.tenant()[1]
    server.stop()
    process = subprocess.Popen(
        [server.program, "serve", "--listen", address + ":0"],
        env=dict(os.environ, QUIRE_HOME=server.home, QUIRE_ADMIN_TOKEN=ADMIN),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    port = int(process.stderr.readline().rsplit(b":", 1)[1])

    def ask(token, target="/v1/usage"):
        with socket.create_connection((address, port), 10) as s:
            s.sendall(plain("GET", target, token))
            got = Reader(s).answer()
            world.error_shape(got, target) if got.status >= 400 else None
            return got.status
    w.same(200, ask(token), "a good one")
    said = [ask("qrt_%064d" % i) for i in range(30)]
    w.same([401] * 20, said[:20], "the first")
    w.yes(429 in said[20:], "and then: %r" % said[20:])
    w.same(429, ask(token), "from there, no token is looked at")
    w.same(200, ask(None, "/healthz"), "what is open is open")
    w.same(401, ask(None, "/metrics"), "the metrics are not, from elsewhere")
    w.yes(ask(ADMIN, "/metrics") in (200, 429), "but for the admin")
    time.sleep(2.5)
    w.same(200, ask(token), "a moment later")
    process.terminate()
    w.same(0, process.wait(15), "its end")
