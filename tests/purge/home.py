"""A home with values planted wherever one can be."""
import base64
import gzip
import json
import os
import random
import signal
import sqlite3
import subprocess
import time

TIMEOUT_S = 120

KEY = "sk-live-4fQz81LmXk29ab77"
PEM = "-----BEGIN KEY-----\nMIIEowIBAA/KCAQEA\"x\\y\nqqZZ19+aa==\n-----END KEY-----"
WORD = "s\u00e9cret-\u5bc6\u7801-\U0001f511-42"
VALUES = [KEY, PEM, WORD]


class Skip(Exception):
    """Raised by a case that cannot run here."""


def ascii_json(text):
    """Every character by its number."""
    return "".join("\\u%04x" % unit for unit in
                   memoryview(text.encode("utf-16-le")).cast("H"))


class Home:
    def __init__(self, program, path, tenant=None):
        self.program, self.path, self.tenant = program, path, tenant
        if not os.path.exists(path):
            # A collection in the background would add rows between two runs.
            self.run("config", "set", "gc.auto", "off")

    def of(self, tenant):
        return Home(self.program, self.path, tenant)

    def command(self, *args):
        return [self.program, "--home", self.path,
                *(["--tenant", self.tenant] if self.tenant else []), *args]

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith("QUIRE")}
        env["HOME"] = os.path.dirname(self.path)
        env["XDG_CACHE_HOME"] = self.path + "-cache"
        return env

    def run(self, *args, stdin=b"", accept=(0,)):
        stdin = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(self.command(*args), input=stdin,
                              env=self.environment(), capture_output=True,
                              timeout=TIMEOUT_S)
        assert done.returncode in accept, "%s exits with %d: %s" % (
            " ".join(args), done.returncode,
            (done.stderr + done.stdout).decode()[:800])
        self.errors = done.stderr.decode()
        return done.stdout.decode()

    def lines(self, *args, **how):
        return [json.loads(line) for line in
                self.run(*args, "--json", **how).splitlines()]

    def start(self, *args, stdin=subprocess.DEVNULL):
        return subprocess.Popen(self.command(*args), env=self.environment(),
                                stdin=stdin, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def purge(self, *values, accept=(0,), options=()):
        """The places, of a run that does not ask."""
        args, n = [], 0
        for value in values or VALUES:
            name = "%s-value%d" % (self.path, n)
            n += 1
            with open(name, "wb") as file:
                file.write(value if isinstance(value, bytes) else value.encode())
            args += ["--value-from", name]
        options = options or ("--yes",)
        return self.lines("purge", *args, *options, accept=accept)

    def check(self):
        self.run("check", "--full")

    def new_session(self, title="t", cwd="/srv/demo"):
        return self.lines("session", "new", "--cwd", cwd, "--title", title)[0]["id"]

    def append(self, session, *entries):
        text = "\n".join(e if isinstance(e, str) else json.dumps(e)
                         for e in entries)
        return [line["id"] for line in
                self.lines("session", "append", session, stdin=text)]


def message(text):
    return {"type": "message", "message": {"role": "user", "content": text}}


def filler(size, seed):
    """Text that compresses as text does."""
    words = ["alpha", "beta", "gamma", "delta", "return", "if", "0x1f", "{", "}"]
    pick = random.Random(seed)
    out = []
    while size > 0:
        out.append(pick.choice(words) + str(pick.randrange(10000)))
        size -= len(out[-1]) + 1
    return " ".join(out)


def plant_session(home, value, n):
    """A session that has the value in many spellings; its id."""
    s = home.new_session("title " + value.split("\n")[0])
    nested = json.dumps({"arguments": json.dumps({"key": value})})
    home.append(
        s, message("it is " + value + " here"),
        '{"type":"message","message":{"role":"user","content":"a %s b"}}'
        % ascii_json(value),
        message(nested), message(json.dumps(nested)),
        message("base64 " + base64.b64encode(b"ab" + value.encode() + b"cd").decode()),
        message("url " + base64.urlsafe_b64encode(b"x" + value.encode()).decode()),
        {"type": "custom", "customType": "t", "data": {value: [value, 1]}},
        # Above half a million characters a text is cut, and a blob has all of it.
        message(filler(600000 if n % 20 == 1 else 6000, n) + value))
    home.append(s, '{"type":"message","message":{"role":"user","content":"%s"}}'
                % json.dumps(value)[1:-1].replace("/", "\\/"))
    entry = home.append(s, message("labelled"))[0]
    home.run("session", "label", s, entry, "l " + value.split("\n")[0])
    image = base64.b64encode(os.urandom(1500) + value.encode() + b"png").decode()
    home.append(s, {"type": "message", "message": {"role": "user", "content": [
        {"type": "image", "mimeType": "image/png", "data": image}]}})
    return s


def plant_artifacts(home, s, value, n):
    put = ["--session", s, "artifact", "put"]
    home.run(*put, "small.txt", "--tag", "t", "--purpose", "p " + value[:60].split("\n")[0],
             stdin="before " + value + " after")
    home.run(*put, "small.txt", stdin="now " + value + " twice " + value)
    home.run(*put, "small.txt", stdin="clean by now")
    home.run(*put, "large.txt", stdin=filler(700000, n) + value + filler(200000, n + 1))
    home.run(*put, "old.txt", stdin="deleted " + value)
    home.run("--session", s, "artifact", "rm", "old.txt")
    home.run(*put, "packed.gz", stdin=gzip.compress(b"in " + value.encode(), mtime=0))
    home.run(*put, "packed.zst", stdin=subprocess.run(
        ["zstd", "-c"], input=b"in " + value.encode(), capture_output=True,
        check=True).stdout)


def plant(home, value, n):
    """The value in everything that one tenant has; the sessions."""
    first = value.split("\n")[0]
    s = plant_session(home, value, n)
    plant_artifacts(home, s, value, n)
    sink = ["--session", s, "output", "sink", "--tool", "bash"]
    home.run(*sink, stdin=filler(90000, n + 2) + "\n" + value + "\n")
    home.run("--session", s, "output", "agent", "Scout", stdin="report " + value)
    home.run("memory", "add", "--type", "user", "--title", "m " + first[:40],
             "--content", "is " + value, "--tag", "k", "--source", first[:40])
    home.run("history", "add", "prompt with " + value)
    for request in (
            {"action": "write", "filename": "w.txt", "content": "work " + value},
            {"action": "write", "filename": "s.txt", "scope": "scratchpad",
             "content": "scratch " + value}):
        home.run("--session", s, "tool", "workspace", stdin=json.dumps(request))
    home.run("run", "--session", s, "--unconfined", "--", "true", value,
             accept=(0, 1, 3))
    trashed = plant_session(home, value, n + 7)
    home.run("--session", trashed, "artifact", "put", "t.txt", stdin="t " + value)
    home.run("session", "rm", trashed)
    archived = plant_session(home, value, n + 9)
    home.run("session", "archive", archived)
    fork = json.loads(home.run("session", "fork", s, "--json"))["id"]
    home.run("search", "title", accept=(0, 1))
    return [s, archived, fork]


def plant_import(home, value, where):
    """A session of another agent, with the value in its file."""
    folder = os.path.join(where, "projects", "-srv-other")
    os.makedirs(folder, exist_ok=True)
    lines, parent = [], None
    for i in range(40):
        text = filler(5000, i) + (value if i % 10 == 3 else "")
        lines.append(json.dumps({
            "type": "user" if i % 2 == 0 else "assistant", "uuid": "u%d" % i,
            "parentUuid": parent, "sessionId": "imported", "cwd": "/srv/other",
            "timestamp": "2026-03-01T10:%02d:00.000Z" % i,
            "message": {"role": "user" if i % 2 == 0 else "assistant",
                        "content": [{"type": "text", "text": text}]}}))
        parent = "u%d" % i
    with open(os.path.join(folder, "imported.jsonl"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    home.run("import", "--agent", "claude-code", "--from", where)


def damage_and_repair(home, value):
    """The original of a repair, which keeps the value."""
    s = home.new_session("torn")
    home.append(s, message("whole " + value))
    path = [r for r in home.lines("session", "ls") if r["id"] == s][0]["path"]
    with open(path, "ab") as file:
        file.write(b'{"type":"message","id":"x1","par' + value.encode()[:9] + b"\n")
        file.write(json.dumps(dict(message("more " + value), id="x2",
                                   parentId="none")).encode() + b"\n")
    home.run("session", "repair", s)


def loose_ends(home, value):
    """Files that nothing knows of, and what older versions of rows have left."""
    with open(os.path.join(home.path, "notes.txt"), "w", encoding="utf-8") as file:
        file.write("somebody's " + value)
    db = sqlite3.connect(os.path.join(home.path, "quire.db"))
    for name in (value, value[:-1] + "8"):
        db.execute("INSERT INTO folder(tenant, name, created, updated)"
                   " VALUES(1, ?, 1, 1)", ("folder " + name,))
    db.execute("INSERT INTO claim(tenant, key, request, created, status, answer)"
               " VALUES(1, ?, x'00', 1, 200, ?)",
               ("key " + value, json.dumps({"say": value}).encode()))
    db.execute("PRAGMA secure_delete=OFF")
    db.execute("CREATE TABLE left_over(t TEXT)")
    db.executemany("INSERT INTO left_over VALUES(?)", [(value,)] * 200)
    db.execute("DROP TABLE left_over")
    db.commit()
    db.close()


def kill_after(process, seconds):
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
