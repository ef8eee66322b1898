"""A client that believes nothing, and the words the cases are written in.

Every line the server says is looked at, whatever the case is about: that it is
JSON, that it is an answer to something that was asked and has none yet, or a
notification there is; and that nothing is said after a cancellation."""
import json
import os
import queue
import subprocess
import threading
import time

NEWEST, STATELESS = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
NOTICES = ("notifications/progress", "notifications/resources/updated",
           "notifications/resources/list_changed",
           "notifications/subscriptions/acknowledged")
cases = []


class Skip(Exception):
    pass


def case(function):
    cases.append(function)
    return function


class World:
    """What a case gets: a place of its own, and a list of what was wrong."""

    def __init__(self, work, name):
        self.program = os.path.join(work, "quire")
        self.home = os.path.join(work, name)
        self.wrongs = []
        self.peers = []

    def yes(self, fine, words):
        if not fine:
            self.wrongs.append(words)
        return fine

    def same(self, want, got, about=""):
        return self.yes(want == got,
                        "%s: not %r but %r" % (about, want, got))

    def quire(self, *args, given=b""):
        done = subprocess.run([self.program, *args], input=given,
                              capture_output=True, env=self.env())
        if done.returncode:
            raise Exception("quire %s: %s" % (args, done.stderr.decode()))
        return done.stdout.decode()

    def env(self):
        return dict(os.environ, QUIRE_HOME=self.home)

    def session(self, title="a talk"):
        return json.loads(self.quire("session", "new", "--title", title))["id"]

    def peer(self, *args, greet=NEWEST, cwd=None):
        p = Peer(self, args, cwd)
        self.peers.append(p)
        if greet and greet != STATELESS:
            p.greet(greet)
        p.stateless = greet == STATELESS
        return p

    def close(self):
        for p in self.peers:
            p.close()


class Peer:
    def __init__(self, world, args, cwd=None):
        self.w = world
        self.process = subprocess.Popen(
            [world.program, "mcp", *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=world.env(),
            cwd=cwd)
        self.lines = queue.Queue()
        self.notices, self.answers = [], {}
        self.open, self.n, self.stateless = set(), 0, False
        self.ended = False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in iter(self.process.stdout.readline, b""):
            self.lines.put(line)
        self.lines.put(None)

    # ---- saying

    def say(self, text):
        if isinstance(text, str):
            text = text.encode()
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            self.w.yes(False, "it does not listen any more")

    def send(self, method, params=None, id=None):
        message = {"jsonrpc": "2.0", "method": method}
        if id is not None:
            message["id"] = id
            self.open.add(json.dumps(id))
        if self.stateless:
            params = dict(params or {})
            params["_meta"] = dict({META + "protocolVersion": STATELESS,
                                    META + "clientCapabilities": {}},
                                   **params.get("_meta", {}))
        if params is not None:
            message["params"] = params
        self.say(json.dumps(message) + "\n")

    def begin(self, method, params=None):
        """Ask, and do not wait: the id."""
        self.n += 1
        self.send(method, params, self.n)
        return self.n

    def cancel(self, id):
        self.open.discard(json.dumps(id))
        self.send("notifications/cancelled", {"requestId": id})

    # ---- hearing

    def hear(self, within=10):
        """The next line, sorted in; None: there was none, or no more."""
        try:
            line = self.lines.get(timeout=within)
        except queue.Empty:
            return None
        if line is None:
            self.ended = True
            return None
        message = json.loads(line)
        for one in message if isinstance(message, list) else [message]:
            self.sort(one)
        return message

    def sort(self, message):
        self.w.yes(message.get("jsonrpc") == "2.0", "no jsonrpc: %r" % message)
        if "method" in message:
            self.w.yes("id" not in message and message["method"] in NOTICES,
                       "what is that? %r" % message)
            self.notices.append(message)
            return
        self.w.yes(("result" in message) != ("error" in message),
                   "neither or both: %r" % message)
        id = json.dumps(message.get("id"))
        if message.get("id") is not None:
            self.w.yes(id in self.open, "nobody asked for %r" % message)
            self.open.discard(id)
        if "error" in message:
            e = message["error"]
            self.w.yes(isinstance(e["code"], int) and e["message"] and
                       isinstance(e["data"]["kind"], str),
                       "no proper error: %r" % message)
        elif self.stateless:
            self.w.yes(message["result"].get("resultType") == "complete",
                       "no resultType: %r" % message)
        self.answers.setdefault(id, []).append(message)

    def answer(self, id, within=10):
        until = time.monotonic() + within
        key = json.dumps(id)
        while not self.answers.get(key):
            left = until - time.monotonic()
            if self.ended or left <= 0:
                self.w.yes(False, "no answer to %s" % key)
                return {"error": {"code": 0, "message": "none", "data": {}}}
            self.hear(left)
        return self.answers[key].pop(0)

    def notice(self, method, within=5, **params):
        """The first that was heard so; it is forgotten. None: none came."""
        until = time.monotonic() + within
        while True:
            for n in self.notices:
                if n["method"].endswith(method) and all(
                        n["params"].get(k) == v for k, v in params.items()):
                    self.notices.remove(n)
                    return n
            left = until - time.monotonic()
            if self.ended or left <= 0:
                return None
            self.hear(left)

    # ---- both

    def ask(self, method, params=None, within=10):
        return self.answer(self.begin(method, params), within)

    def result(self, method, params=None):
        got = self.ask(method, params)
        if not self.w.yes("result" in got, "%s: %r" % (method, got)):
            raise Exception("refused")
        return got["result"]

    def code(self, method, params=None):
        return self.ask(method, params).get("error", {}).get("code")

    def greet(self, version):
        got = self.result("initialize", {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "cases", "version": "1"}})
        self.send("notifications/initialized")
        return got

    def tool(self, **arguments):
        got = self.result("tools/call", {"name": "workspace",
                                         "arguments": arguments})
        self.w.same(json.loads(got["content"][0]["text"]).get("success"),
                    not got["isError"], "isError")
        return got

    def data(self, **arguments):
        got = json.loads(self.tool(**arguments)["content"][0]["text"])
        self.w.yes(got["success"], repr(got))
        return got.get("data", {})

    def end(self):
        """End of input: the exit status, and the seconds it took."""
        began = time.monotonic()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        status = self.process.wait(20)
        return status, time.monotonic() - began

    def close(self):
        if self.process.poll() is None:
            status, seconds = self.end()
            self.w.same(0, status, "exit status")
            self.w.yes(seconds < 1.3, "it took %.1f s to end" % seconds)
        said = self.process.stderr.read()
        self.w.same(b"", said, "standard error")
