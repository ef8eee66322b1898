"""The log: a line of JSON each, with nothing in it that is nobody's business."""
import json
import os
import signal
import subprocess
import time

from client import ADMIN, Server, World, exchange, on_disk, plain, slow_case


def lines(server, at_least=0, last=None):
    """What it has logged, without where it listens; the line of the request
    `last` among it."""
    for _ in range(100):
        text = open(server.errors).read()
        found = [json.loads(line)
                 for line in text[:text.rfind("\n") + 1].splitlines()
                 if not line.startswith("listening on ")]
        if len(found) >= at_least and (
                not last or any(line.get("id") == last for line in found)):
            break
        time.sleep(0.05)
    return found


def break_store(server):
    """What is asked for cannot be read any more."""
    for name in ("quire.db", "quire.db-wal"):
        path = os.path.join(server.home, name)
        if os.path.exists(path):
            with open(path, "r+b") as f:
                size = f.seek(0, 2)
                f.seek(0)
                f.write(b"\xa5" * min(size, 1 << 20))


@slow_case
def a_line_for_each_request(w):
    server = Server(w.server.work, "log-all", options=["--log", "all"])
    world = World(server)
    tenant, token = world.tenant()
    here = world.conversation(token, title="walrus")
    body = b"walrus" * 10
    world.ask("PUT", here + "/files/walrus", body, token,
              headers={"X-Request-Id": "given-1"})
    world.ask("GET", "/v1/artifacts/search?q=walrus", token=token,
              headers={"X-Request-Id": "given-2"})
    world.ask("GET", "/v1/walrus", token=token,
              headers={"X-Request-Id": "given-3"})
    world.ask("GET", "/v1/usage", token="qrt_" + "7" * 64,
              headers={"X-Request-Id": "given-4"})
    world.ask("GET", "/healthz", headers={
        "X-Request-Id": "given-5", "traceparent":
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
    exchange(server, plain("W" * 30, "/healthz", headers={
        "X-Request-Id": "given-6"}))
    found = {line["id"]: line for line in lines(server, 9, "given-6")}
    text = open(server.errors).read()
    for secret in ("walrus", token, ADMIN, "7" * 64, "/v1/"):
        w.yes(secret not in text, "the log tells %r" % secret)
    for name, method, route, status, whose in (
            ("given-1", "PUT", "files.put", 201, tenant),
            ("given-2", "GET", "artifacts.search", 200, tenant),
            ("given-3", "GET", "none", 404, tenant),
            ("given-4", "GET", "usage", 401, None),
            ("given-5", "GET", "health", 200, None),
            ("given-6", "W" * 20, "none", 401, None)):
        line = found.get(name, {})
        w.same((method, route, status, whose),
               tuple(line.get(k) for k in ("method", "route", "status",
                                           "tenant")), name)
        w.yes(isinstance(line.get("ms"), float) and line["ms"] >= 0, "ms")
        w.yes(abs(time.time() - time.mktime(time.strptime(
            line["time"], "%Y-%m-%dT%H:%M:%S.%fZ")) + time.timezone) < 3700
              if "." in line.get("time", "") else False, "its time")
        w.same("info", line.get("level"), "its level")
    w.same(len(body), found["given-1"]["bytes_in"], "bytes in")
    w.yes(found["given-2"]["bytes_out"] > 10, "bytes out")
    w.same("4bf92f3577b34da6a3ce929d0e0e4736", found["given-5"]["trace"],
           "its trace")
    w.same(0, server.stop()[0], "its exit status")


@slow_case
@on_disk
def what_failed_is_told_and_none_is_none(w):
    for level, want in ((None, 1), ("errors", 1), ("none", 0)):
        server = Server(w.server.work, "log-%s" % level,
                        options=["--log", level] if level else [])
        world = World(server)
        world.ask("GET", "/v1/nothing", want=404)
        server.stop()
        w.same([], lines(server), "lines without a failure")
        server.start()
        break_store(server)
        got = [world.ask("GET", "/v1/admin/tenants", token=ADMIN)
               for _ in range(3)][0]
        w.yes(got.status >= 500, "a broken store: %d" % got.status)
        found = lines(server, want)
        w.yes(len(found) >= want and (want or not found),
              "%s: %r" % (level, found))
        for line in found:
            w.same(("error", "tenants.list", got.status),
                   (line["level"], line["route"], line["status"]), "its line")
            w.yes(line.get("error"), "why: %r" % line)
        server.stop()


@slow_case
def nobody_waits_for_who_reads_the_log(w):
    """Its pipe is full, and it answers all the same."""
    home = os.path.join(w.server.work, "log-full")
    read, write = os.pipe()
    process = subprocess.Popen(
        [w.server.program, "serve", "--listen", "127.0.0.1:0", "--log", "all"],
        env=dict(os.environ, QUIRE_HOME=home, QUIRE_ADMIN_TOKEN=ADMIN),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=write)
    os.close(write)
    said = b""
    while not said.endswith(b"\n"):
        said += os.read(read, 1)
    server = Server.__new__(Server)
    server.tls = None
    server.port = int(said.rsplit(b":", 1)[1])
    began = time.monotonic()
    name = "x" * 128
    with server.connect() as s:
        from client import Reader
        reader = Reader(s)
        for _ in range(2000):
            s.sendall(plain("GET", "/healthz", headers={"X-Request-Id": name}))
            w.same(200, reader.answer().status, "an answer")
    w.yes(time.monotonic() - began < 20, "it took %.1f s" %
          (time.monotonic() - began))
    process.send_signal(signal.SIGTERM)
    w.same(0, process.wait(15), "its end")
    rest = b""
    while True:
        piece = os.read(read, 65536)
        if not piece:
            break
        rest += piece
    for line in rest.split(b"\n")[:-1]:
        json.loads(line)
    os.close(read)
