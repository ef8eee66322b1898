#!/usr/bin/env python3
"""Servers over one database while processes die: tests/cluster/campaign.py QUIRE SECONDS

Three `quire serve` share the database at QUIRE_TEST_POSTGRES (a new one on it) and, if
QUIRE_TEST_S3 is set, the bucket. Clients write through all of them: entries, artifacts,
memory, prompts, large blobs. Meanwhile servers are killed with SIGKILL and started
again, the connections of the database are cut, and one collects blobs again and again
without a grace time. Afterwards every acknowledged write has to be there, once, and
`quire check --full` has to find nothing. Prints "N passed, N failed".

QUIRE_TEST_POSTGRES_STOP and _START: commands that end and start the database; it is
then killed, too.
"""
import collections
import hashlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ADMIN = "qra_" + "7" * 64
WRITERS = 6
SERVERS = 3
ENTRY, PUT, FACT, PROMPT, BLOB = "entry", "artifact", "fact", "prompt", "blob"


class Server:
    def __init__(self, program, work, name, env):
        self.program, self.env = program, env
        self.home = os.path.join(work, name)
        self.errors = os.path.join(work, name + ".err")
        self.port = None
        self.start()

    def start(self):
        env = dict(os.environ, QUIRE_HOME=self.home, QUIRE_ADMIN_TOKEN=ADMIN,
                   **self.env)
        with open(self.errors, "ab") as errors:
            at = errors.tell()
            self.process = subprocess.Popen(
                [self.program, "serve", "--listen", "127.0.0.1:0", "--log", "none"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                env=env)
        for _ in range(600):
            with open(self.errors, "rb") as said:
                said.seek(at)
                found = re.search(rb"listening on http://127.0.0.1:(\d+)",
                                  said.read())
            if found:
                self.port = int(found.group(1))
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.05)
        return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.port = None


def ask(server, method, path, body=None, token=ADMIN, headers=None):
    """Status and body; (0, None) if the connection ended before the answer."""
    port = server.port
    if not port:
        return 0, None
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
    try:
        connection.request(method, path, data, {
            "Authorization": "Bearer " + token,
            "Content-Type": "application/octet-stream" if isinstance(body, bytes)
                            else "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException):
        return 0, None
    finally:
        connection.close()


class Writer(threading.Thread):
    """Writes of one client; a write that was not answered is repeated elsewhere under
    the same key."""

    def __init__(self, world, number):
        super().__init__()
        self.world, self.number = world, number
        self.random = random.Random(number)
        self.kept = []
        self.wrong = collections.Counter()
        self.longest = 0.0

    def one(self, n):
        """What to ask, and what it stores."""
        kind = self.random.choice([ENTRY, ENTRY, ENTRY, PUT, PUT, FACT, PROMPT,
                                   BLOB])
        name = "w%d-%d" % (self.number, n)
        at = "/v1/conversations/%d" % self.random.choice(self.world.sessions)
        if kind == ENTRY:
            return (kind, (at, name), "POST", at + "/messages",
                    {"message": name, "op": name})
        if kind == PUT:
            size = self.random.choice([100, 3000, 90000])
            return (kind, (at, name), "POST", at + "/artifacts",
                    {"path": name + ".txt", "content": (name + " ") * (size // 8)})
        if kind == FACT:
            return (kind, name, "POST", "/v1/memory/entries",
                    {"type": "project", "title": name, "content": "of " + name})
        if kind == PROMPT:
            return (kind, name, "POST", "/v1/history", {"prompt": name})
        # What others have stored, too: a collection may be at it.
        data = random.Random(self.random.randrange(40)).randbytes(100000)
        return (kind, hashlib.sha256(data).hexdigest(), "POST", "/v1/blobs", data)

    def run(self):
        n = 0
        while not self.world.over.is_set():
            n += 1
            kind, what, method, path, body = self.one(n)
            key = {"Idempotency-Key": "k%d-%d" % (self.number, n)}
            began = time.monotonic()
            while True:
                server = self.random.choice(self.world.servers)
                status, answer = ask(server, method, path, body,
                                     self.world.token, key)
                if status in (200, 201):
                    if kind != BLOB: # what nothing refers to is collected
                        self.kept.append((kind, what))
                    break
                # 409: a server died between doing it and keeping the answer, and
                # nobody knows; it counts as not acknowledged.
                if status in (400, 404, 409, 413, 422, 507):
                    self.wrong["%s %d %s" % (kind, status, answer[:120])] += \
                        status != 409
                    break
                if time.monotonic() - began > 60:
                    self.wrong["%s %d for a minute: %s" % (kind, status, answer)] += 1
                    break
                time.sleep(0.05)
            self.longest = max(self.longest, time.monotonic() - began)


class World:
    def __init__(self, program, work):
        url = os.environ["QUIRE_TEST_POSTGRES"]
        name = "campaign_%d" % os.getpid()
        subprocess.run(["psql", "-q", url, "-c", "CREATE DATABASE " + name],
                       check=True)
        self.program = program
        self.env = {"QUIRE_DB": url.rpartition("/")[0] + "/" + name}
        self.admin_url = url
        if os.environ.get("QUIRE_TEST_S3"):
            self.env["QUIRE_BLOBS"] = os.environ["QUIRE_TEST_S3"] + "/" + name
        self.over = threading.Event()
        self.servers = [Server(program, work, "server%d" % i, self.env)
                        for i in range(SERVERS)]
        status, answer = ask(self.servers[0], "POST", "/v1/admin/tenants",
                             {"name": "ann"})
        assert status == 201, (status, answer)
        self.token = json.loads(answer)["token"]
        self.sessions = []
        for i in range(4):
            status, answer = ask(self.servers[i % SERVERS], "POST",
                                 "/v1/conversations", {"title": "s%d" % i},
                                 self.token)
            assert status == 201, (status, answer)
            self.sessions.append(json.loads(answer)["id"])

    def cli(self, *words, within=300):
        env = dict(os.environ, QUIRE_HOME=self.servers[0].home + "-cli", **self.env)
        return subprocess.run([self.program, *words], env=env, timeout=within,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)


def disturb(world, seconds, log):
    """Kill and cut until the time is over."""
    end = time.monotonic() + seconds
    dice = random.Random(1)
    stop, start = (os.environ.get("QUIRE_TEST_POSTGRES_STOP"),
                   os.environ.get("QUIRE_TEST_POSTGRES_START"))
    while time.monotonic() < end:
        time.sleep(dice.uniform(0.5, 2.5))
        what = dice.choice(["server", "server", "cut", "collect", "database"])
        if what == "server":
            one = dice.choice(world.servers)
            one.kill()
            if not one.start():
                log.append("a server did not start again")
        elif what == "cut":
            subprocess.run(["psql", "-q", world.admin_url, "-c",
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            " WHERE datname LIKE 'campaign_%' AND"
                            " pid <> pg_backend_pid()"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        elif what == "collect":
            try:
                world.cli("gc", "--grace", "0", "--yes", within=60)
            except subprocess.TimeoutExpired:
                log.append("a collection took a minute")
        elif stop and start:
            subprocess.run(stop, shell=True)
            time.sleep(0.2)
            subprocess.run(start, shell=True)


def pages(world, path, key):
    cursor = ""
    while True:
        status, answer = ask(world.servers[0], "GET", path + cursor, None,
                             world.token)
        assert status == 200, (path, status, answer)
        answer = json.loads(answer)
        yield from answer[key]
        if not answer.get("next_cursor"):
            return
        cursor = "&cursor=" + str(answer["next_cursor"])


def verify(world, kept):
    """Lines of what is not as it was acknowledged."""
    wrong = []
    have = collections.Counter()
    for id in world.sessions:
        at = "/v1/conversations/%d" % id
        status, answer = ask(world.servers[1], "GET", at + "/context", None,
                             world.token)
        if status != 200:
            wrong.append("%s/context: %d %s" % (at, status, answer))
            continue
        text = json.loads(answer)
        for message in text["messages"]:
            content = message["content"]
            if not isinstance(content, str):
                content = "".join(b.get("text", "") for b in content)
            have[(ENTRY, (at, content))] += 1
        for a in pages(world, at + "/artifacts?limit=100", "artifacts"):
            have[(PUT, (at, a["path"][:-4]))] += 1
            status, body = ask(world.servers[2], "GET",
                               "%s/artifacts/%d/raw" % (at, a["id"]), None,
                               world.token)
            if status != 200 or len(body) != a["size"]:
                wrong.append("artifact %s: %d" % (a["path"], status))
    for m in pages(world, "/v1/memory/entries?limit=100", "entries"):
        have[(FACT, m["title"])] += 1
    # The route has at most 1,000.
    listed = world.cli("--tenant", "ann", "history", "ls", "--json", "--limit", "0")
    for line in listed.stdout.splitlines():
        have[(PROMPT, json.loads(line)["prompt"])] += 1
    lost = [k for k in kept if have[k] == 0]
    double = [k for k, n in have.items() if n > 1]
    wrong += ["acknowledged and lost: %s" % (k,) for k in lost[:10]]
    wrong += ["stored twice: %s" % (k,) for k in double[:10]]
    return wrong


def main():
    program, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        world = World(program, work)
        log = []
        try:
            writers = [Writer(world, i) for i in range(WRITERS)]
            for w in writers:
                w.start()
            disturb(world, seconds, log)
            world.over.set()
            for w in writers:
                w.join()
            kept = [k for w in writers for k in w.kept]
            for w in writers:
                log += ["%s (%d times)" % (k, n) for k, n in w.wrong.items() if n]
            for s in world.servers:
                if not s.port:
                    s.start()
            log += verify(world, kept)
            # Objects whose rows a killed server did not write.
            world.cli("repair")
            checked = world.cli("check", "--full")
            if checked.returncode != 0:
                log.append("check: " + checked.stdout[-2000:])
            print("%d writes acknowledged in %d s, the longest wait %.1f s" % (
                len(kept), seconds, max(w.longest for w in writers)))
        finally:
            for s in world.servers:
                if s.process.poll() is None:
                    s.kill()
    for line in log:
        print("    " + line)
    print("%d passed, %d failed" % (not log, bool(log)))
    sys.exit(bool(log))


main()
