"""Sessions of other agents on the server's machine."""
import json
import os
import signal
import subprocess
import time
from urllib.parse import quote

from client import ADMIN, Server, World, case, slow_case
from listener import Listener

IDS = ["%08d-2222-4333-8444-555555555555" % n for n in range(1, 4)]


def user(text):
    return json.dumps({
        "type": "user", "uuid": "a1", "parentUuid": None,
        "timestamp": "2025-09-03T10:00:00.000Z", "cwd": "/srv/demo",
        "message": {"role": "user", "content": text}}) + "\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Machine:
    """A server, and the home directory of whoever runs it."""

    def __init__(self, w, name):
        self.dir = os.path.join(w.server.work, name + "-user")
        os.makedirs(self.dir)
        self.server = Server(w.server.work, name, env={"HOME": self.dir})
        self.world = World(self.server)
        self.world.wrongs = w.wrongs
        self.token = self.world.owner

    def claude(self, session, text):
        write("%s/.claude/projects/-srv-demo/%s.jsonl" % (self.dir, session),
              text)

    def codex(self, text):
        write(self.dir + "/.codex/sessions/2025/09/03/rollout-2025-09-03T10-00"
              "-00-01990000-0000-7000-8000-000000000001.jsonl", text)

    def ask(self, method, target, body=None, want=200):
        return self.world.ask(method, target, body, self.token,
                              want=want).json()

    def watch(self, on):
        """Change the setting, and let the server read it."""
        subprocess.run([self.server.program, "config", "set", "import.watch",
                        on], env=dict(os.environ, QUIRE_HOME=self.server.home),
                       check=True)
        self.server.process.send_signal(signal.SIGHUP)
        for _ in range(400):
            if self.ask("GET", "/v1/import")["watching"] == (on == "on"):
                return
            time.sleep(0.02)
        raise Exception("the setting is not read")

    def has(self, n, within=20):
        """Until the ledger has so many files, of so many entries."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            files = self.ask("GET", "/v1/import/ledger")["files"]
            if n == [f["entries"] for f in files]:
                return True
            time.sleep(0.05)
        return False

    def wait(self):
        for _ in range(400):
            got = self.ask("GET", "/v1/import")
            if not got["running"]:
                return got
            time.sleep(0.02)
        raise Exception("the import does not end: %r" % got)


@case
def what_agents_have_is_found_and_imported(w):
    m = Machine(w, "imports")
    w.same([], m.ask("GET", "/v1/import/found")["agents"], "at first")
    got = m.ask("GET", "/v1/import")
    w.same((False, False, [], None), tuple(got[k] for k in (
        "running", "watching", "agents", "started_at")), "no import yet")
    for session in IDS:
        m.claude(session, user("hello " + session))
    m.codex('{"timestamp":"2025-09-03T10:00:01.000Z","type":"response_item",'
            '"payload":{"type":"message","role":"user","content":'
            '[{"type":"input_text","text":"a"}]}}\n{"timesta\n')
    found = m.ask("GET", "/v1/import/found")["agents"]
    w.same([("claude-code", 3, 0), ("codex", 1, 0)],
           [(a["agent"], a["sessions"], a["imported"]) for a in found],
           "what is there")
    w.yes(abs(found[0]["newest"] - time.time()) < 60, "the newest")
    w.same(3 * len(user("hello " + IDS[0])), found[0]["bytes"], "bytes")

    m.ask("POST", "/v1/import", {"agents": ["claude-code"]}, want=202)
    got = m.wait()
    w.same((["claude-code"], 3, 3, 0, 0, None),
           tuple(got[k] for k in ("agents", "found", "imported", "unchanged",
                                  "problems", "error")), "the first")
    w.same((3, 3), (got["done"], got["total"]), "files")
    w.yes(got["started_at"] and got["ended_at"] >= got["started_at"], "times")
    w.same([3, 0], [a["imported"] for a in
                    m.ask("GET", "/v1/import/found")["agents"]], "in the home")

    m.ask("POST", "/v1/import", {}, want=202)
    got = m.wait()
    w.same((4, 1, 3, 1), tuple(got[k] for k in (
        "found", "imported", "unchanged", "problems")), "the second")
    w.yes("codex" in got["agents"] and len(got["agents"]) > 10, "all agents")
    w.same([2], [r["line"] for r in got["reports"]], "the damaged line")
    w.yes("rollout-" in got["reports"][0]["path"], "its file")
    w.same(4, len(m.ask("GET", "/v1/sessions")["sessions"]), "sessions")
    m.ask("POST", "/v1/import", {"agents": ["emacs"]}, want=400)
    m.ask("POST", "/v1/import", {"agents": "codex"}, want=400)
    status, _ = m.server.stop()
    w.same(0, status, "its exit status")


@case
def the_ledger_comes_in_pages(w):
    m = Machine(w, "ledger")
    w.same([], m.ask("GET", "/v1/import/ledger")["files"], "at first")
    for session in IDS:
        m.claude(session, user("hello"))
    m.ask("POST", "/v1/import", {}, want=202)
    m.wait()
    seen, cursor = [], ""
    for _ in range(9):
        got = m.ask("GET", "/v1/import/ledger?limit=1" + cursor)
        seen += got["files"]
        if not got["next_cursor"]:
            break
        cursor = "&cursor=" + quote(got["next_cursor"])
    w.same(IDS, [f["session"] for f in seen], "each once")
    w.same(("claude-code", True, "hello", "/srv/demo", 1, len(user("hello"))),
           tuple(seen[0][k] for k in ("agent", "main", "title", "cwd",
                                      "entries", "bytes")), "a file")
    other = m.world.tenant()[1]
    w.same([], m.world.ask("GET", "/v1/import/ledger", token=other,
                           want=200).json()["files"], "of another tenant")
    w.same(0, m.server.stop()[0], "its exit status")


@case
def an_import_is_told_to_those_who_listen(w):
    m = Machine(w, "imports-told")
    m.claude(IDS[0], user("hello"))
    one = Listener(m.server, m.token, "?types=import").settle()
    m.ask("POST", "/v1/import", {}, want=202)
    seen = []
    while not seen or seen[-1][0] != "import.ended":
        seen.append(one.event())
        if seen[-1][0] == "changed":
            seen.pop()
    one.close()
    w.same({"import.progress"}, {kind for kind, _ in seen[:-1]}, "before")
    w.same({"done": 1, "total": 1, "imported": 1, "unchanged": 0,
            "problems": 0}, seen[-1][1], "at the end")
    w.same(0, m.server.stop()[0], "its exit status")


@case
def one_import_at_a_time(w):
    m = Machine(w, "imports-long")
    for n in range(300):
        m.claude("%08d-2222-4333-8444-000000000000" % n, user("x" * 20000))
    m.ask("POST", "/v1/import", {}, want=202)
    again = m.world.ask("POST", "/v1/import", {}, m.token)
    w.same((409, "in_progress"), (again.status, again.json().get("kind")),
           "a second one")
    status, seconds = m.server.stop()
    w.same(0, status, "stopped in the middle")
    w.yes(seconds < 5, "it took %.1f s to stop" % seconds)
    m.server.start()
    m.ask("POST", "/v1/import", {}, want=202)
    got = m.wait()
    w.same((300, 0), (got["found"], got["problems"]), "what was left")
    w.same(0, m.server.stop()[0], "its exit status")


@case
def files_of_the_machine_are_for_its_owner(w):
    m = Machine(w, "imports-own")
    read_only = m.world.ask(
        "POST", "/v1/admin/tenants/1/tokens",
        {"label": "reads", "read_only": True}, ADMIN, want=201).json()["token"]
    other = m.world.tenant()[1]
    for method, target in (("GET", "/v1/import/found"), ("GET", "/v1/import"),
                           ("POST", "/v1/import")):
        body = {} if method == "POST" else None
        for token in (other, ADMIN):
            m.world.ask(method, target, body, token, want=403)
        m.world.ask(method, target, body, m.token, want=403,
                    headers=[("X-Forwarded-For", "10.0.0.1")])
    m.world.ask("GET", "/v1/import/found", token=read_only, want=200)
    m.world.ask("POST", "/v1/import", {}, read_only, want=403)
    w.same(0, m.server.stop()[0], "its exit status")


@slow_case
def what_agents_write_is_imported_if_it_is_set(w):
    m = Machine(w, "imports-watched")
    m.claude(IDS[0], user("hello"))
    one = Listener(m.server, m.token, "?types=import.ended").settle()
    m.watch("on")
    w.yes(m.has([1]), "what there was")
    m.claude(IDS[1], user("hello"))
    w.yes(m.has([1, 1]), "a new session")
    m.claude(IDS[1], user("hello") + user("more").replace("a1", "a2"))
    w.yes(m.has([1, 2]), "one that grew")
    seen = one.event()
    while seen[0] == "changed":
        seen = one.event()
    w.same(("import.ended", 1), (seen[0], seen[1]["imported"]), "an event")
    one.close()
    w.same(None, m.ask("GET", "/v1/import")["started_at"], "nobody asked")
    m.ask("POST", "/v1/import", {}, want=202)
    w.same((2, 2), (m.wait()["found"], m.wait()["unchanged"]), "asked for")
    m.watch("off")
    m.claude(IDS[2], user("hello"))
    w.yes(not m.has([1, 2, 1], 1.5), "it was imported when it was off")
    m.watch("on")
    w.yes(m.has([1, 2, 1]), "on again")
    w.same(0, m.server.stop()[0], "its exit status")
