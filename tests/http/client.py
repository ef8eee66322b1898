"""A client that believes nothing, and the words the cases are written in.

Every answer is looked at, whatever the case is about: that its length is what
it says, that an error has the one shape errors have, and that what /openapi.json
promises of the operation is there."""
import functools
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import time

ADMIN = "qra_" + "5" * 64
cases = []
# What the tenant `default` alone may ask for.
OWNERS = ("/v1/import", "/v1/import/found", "/v1/stats/storage")
asked = set()  # (method, route) that answered well


class Skip(Exception):
    pass


def case(function):
    cases.append((function, False))
    return function


def slow_case(function):
    cases.append((function, True))
    return function


def on_disk(function):
    """A case that looks into files of the home, holds locks of SQLite, or expects no
    other database to be written to: skipped over PostgreSQL."""
    @functools.wraps(function)
    def run(world):
        if os.environ.get("QUIRE_TEST_POSTGRES"):
            raise Skip("the home is in PostgreSQL")
        function(world)
    return run


class Server:
    """One `quire serve` with a home of its own."""

    def __init__(self, work, home, files=None, tls=None, options=(), env=()):
        self.files = files  # how many it may have open
        self.options, self.env = list(options), dict(env)
        self.tls = tls  # the files of a certificate and of its key
        self.program = os.path.join(work, "quire")
        self.home = os.path.join(work, home)
        self.errors = os.path.join(work, home + ".err")
        self.work = work
        self.start()

    def start(self):
        env = dict(os.environ, QUIRE_HOME=self.home, QUIRE_ADMIN_TOKEN=ADMIN)
        env.update(self.env)
        command = [self.program, "serve", "--listen", "127.0.0.1:0"]
        command += self.options
        if self.tls:
            command += ["--tls-cert", self.tls[0], "--tls-key", self.tls[1]]
        if self.files:
            command = ["sh", "-c", 'ulimit -n %d; exec "$@"' % self.files,
                       "sh"] + command
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.errors, "wb"), env=env)
        for _ in range(1000):
            found = re.search(r"listening on https?://127.0.0.1:(\d+)",
                              open(self.errors).read())
            if found:
                break
            time.sleep(0.02)
        self.port = int(found.group(1))
        self.openapi = json.loads(exchange(self, plain("GET", "/openapi.json"))
                                  .body)

    def stop(self, within=20):
        """SIGTERM; the exit status and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none: killed after %d s" % within
        return status, time.monotonic() - began

    def connect(self, timeout=15, small=False):
        """Small: what has come and is not read yet is little."""
        s = socket.socket()
        s.settimeout(timeout)
        if small:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        s.connect(("127.0.0.1", self.port))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.wrap(s) if self.tls else s

    def wrap(self, s, change=None):
        """Speak TLS on it. `change` makes the context another one."""
        context = ssl.create_default_context(cafile=self.tls[0])
        if change:
            change(context)
        return context.wrap_socket(s, server_hostname="localhost")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, name):
        """A header, "" if it is not there."""
        return self.headers.get(name.lower(), "")

    def json(self):
        return json.loads(self.body.decode("utf-8"))


class Reader:
    """Answers of a connection, one after the other."""

    def __init__(self, s):
        self.socket, self.bytes = s, b""

    def receive(self):
        """The next bytes; none: the connection ended."""
        try:
            return self.socket.recv(65536)
        except ConnectionResetError:
            return b""

    def more(self):
        piece = self.receive()
        self.bytes += piece
        return bool(piece)

    def fill(self, length):
        """Have so many bytes, without copying those there are each time."""
        pieces, have = [self.bytes], len(self.bytes)
        while have < length:
            piece = self.receive()
            if not piece:
                raise Exception("body cut off")
            pieces.append(piece)
            have += len(piece)
        self.bytes = b"".join(pieces)

    def answer(self, head=False):
        """The next; None: the connection ended before one began."""
        while b"\r\n\r\n" not in self.bytes:
            if not self.more():
                if self.bytes:
                    raise Exception("cut off: %r" % self.bytes[:200])
                return None
        front, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        lines = front.decode("latin-1").split("\r\n")
        first = re.fullmatch(r"HTTP/1\.1 (\d{3}) [\x20-\x7e]+", lines[0])
        if not first:
            raise Exception("no status line: %r" % lines[0])
        status, headers = int(first.group(1)), {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or not re.fullmatch(r"[A-Za-z0-9-]+", name):
                raise Exception("no header: %r" % line)
            if name.lower() in headers:
                raise Exception("twice: %r" % line)
            headers[name.lower()] = value.strip()
        length = 0
        if not (head or status < 200 or status in (204, 304)):
            length = int(headers["content-length"])
        self.fill(length)
        body, self.bytes = self.bytes[:length], self.bytes[length:]
        return Answer(status, headers, body)

    def is_closed(self, within=5):
        """Whether the server ends the connection, and says no more."""
        self.socket.settimeout(within)
        try:
            return not self.bytes and not self.more()
        except socket.timeout:
            return False


def plain(method, target, token=None, body=None, headers=()):
    """The bytes of a request. A header may be given twice."""
    lines = ["%s %s HTTP/1.1" % (method, target)]
    given = [(n.lower(), n, v) for n, v in
             (headers.items() if isinstance(headers, dict) else headers)]
    names = [n for n, _, _ in given]
    if "host" not in names:
        lines.append("Host: localhost")
    if token:
        lines.append("Authorization: Bearer " + token)
    if body is not None and "transfer-encoding" not in names:
        lines.append("Content-Length: %d" % len(body))
    lines += ["%s: %s" % (n, v) for _, n, v in given]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


def exchange(server, request, head=False):
    with server.connect() as s:
        s.sendall(request)
        return Reader(s).answer(head)


# ---- what /openapi.json promises -------------------------------------------

def route_of(server, method, target):
    path = target.split("?")[0]
    best = None
    for route, methods in server.openapi["paths"].items():
        pattern = re.sub(r"\\{path\\}", ".+", re.escape(route))
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", pattern)
        if method.lower() in methods and re.fullmatch(pattern, path):
            if best is None or route.count("{") < best.count("{"):
                best = route
    return best


TYPES = {"string": (str,), "integer": (int,), "number": (int, float),
         "boolean": (bool,), "object": (dict,), "array": (list,),
         "null": (type(None),)}


def misfit(server, schema, value, where="$"):
    """What is wrong with a value; None: nothing. A member that is not described
    is wrong as well, where any is described."""
    while "$ref" in schema:
        schema = server.openapi["components"]["schemas"][
            schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        wrong = [misfit(server, one, value, where) for one in schema["anyOf"]]
        return None if None in wrong else "; ".join(wrong)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(type(value) in TYPES[t] for t in types):
        return "%s is not %s: %r" % (where, "/".join(types), value)
    if value not in schema.get("enum", [value]):
        return "%s is none of %r: %r" % (where, schema["enum"], value)
    if isinstance(value, str) and not re.search(schema.get("pattern", ""),
                                                value):
        return "%s is not like %s: %r" % (where, schema["pattern"], value)
    if isinstance(value, dict):
        others = schema.get("additionalProperties", "properties" not in schema)
        for name in value:
            if where + name == "$secret_places":  # of the header Quire-Mark
                continue
            if not others and name not in schema["properties"]:
                return "%s.%s is not described" % (where, name)
        for name in schema.get("required", []):
            if name not in value:
                return "%s.%s is missing" % (where, name)
        for name, inner in schema.get("properties", {}).items():
            wrong = name in value and misfit(server, inner, value[name],
                                             where + "." + name)
            if wrong:
                return wrong
    if isinstance(value, list):
        for i, one in enumerate(value):
            wrong = misfit(server, schema.get("items", {}), one,
                           "%s[%d]" % (where, i))
            if wrong:
                return wrong
    return None


def fields_of(op):
    """What the body of an operation may have; None: it has no such body."""
    content = op.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    # Who is named there says himself what is wrong with it: the tool, MCP.
    return schema.get("properties")


def answer_of(server, op, status):
    """What is said of an answer; {}: nothing."""
    said = op["responses"].get(str(status), {})
    if not said and status >= 400:
        said = op["responses"]["default"]
    if "$ref" in said:
        said = server.openapi["components"]["responses"][
            said["$ref"].rsplit("/", 1)[1]]
    return said


# ---- a case's world --------------------------------------------------------

class World:
    """What a case has: the server, and a tenant with a conversation of its own."""

    serial = 0
    lock = threading.Lock()

    def __init__(self, server):
        self.server, self.wrongs = server, []
        self._token = self._owner = None

    def wrong(self, words):
        self.wrongs.append(words)

    def same(self, wanted, got, what):
        if wanted != got:
            self.wrong("%s: %r, not %r" % (what, got, wanted))

    def yes(self, fact, what):
        if not fact:
            self.wrong(what)

    def tenant(self):
        """Another tenant: its id and its token."""
        with World.lock:
            World.serial += 1
            name = "tenant-%d" % World.serial
        got = self.ask("POST", "/v1/admin/tenants", {"name": name}, ADMIN)
        return got.json()["id"], got.json()["token"]

    @property
    def token(self):
        if not self._token:
            self._token = self.tenant()[1]
        return self._token

    @property
    def owner(self):
        """A token of the tenant `default`."""
        if not self._owner:
            self._owner = self.ask(
                "POST", "/v1/admin/tenants/1/tokens", {"label": "own"}, ADMIN,
                want=201).json()["token"]
        return self._owner

    def token_for(self, route):
        """Of those who may ask for this address."""
        return ADMIN if "/admin/" in route else \
            self.owner if route in OWNERS else self.token

    def conversation(self, token=None, **fields):
        got = self.ask("POST", "/v1/conversations", fields, token or self.token)
        return "/v1/conversations/%d" % got.json()["id"]

    def ask(self, method, target, body=None, token="own", headers=(),
            want=None):
        """One request on a connection of its own. The body: bytes, or what is
        to be JSON. Want: the status."""
        if token == "own":
            token = self.token
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        got = exchange(self.server, plain(method, target, token, body, headers),
                       method == "HEAD")
        if got is None:
            raise Exception("%s %s: no answer" % (method, target))
        what = "%s %s" % (method, target[:120])
        if want is not None:
            self.same(want, got.status, what + (
                "" if got.status < 400 else " " + repr(got.body[:200])))
        self.look(method, target, got, what)
        return got

    def look(self, method, target, got, what):
        """Is it what any such answer has to be?"""
        if method == "HEAD" or got.status in (204, 304):
            self.same(b"", got.body, what + ": a body")
            return
        if got.status >= 400:
            self.error_shape(got, what)
        route = route_of(self.server, method, target)
        if not route:
            self.yes(got.status >= 400, "%s: there is no such route, and it "
                     "answers %d" % (what, got.status))
            return
        if got.status < 400:
            asked.add((method, route))
        op = self.server.openapi["paths"][route][method.lower()]
        said = answer_of(self.server, op, got.status)
        if not said:
            self.wrong("%s: a %d is not in /openapi.json" % (what, got.status))
        content = said.get("content", {})
        kind = got["Content-Type"].split(";")[0]
        self.yes(not content or kind in content or "*/*" in content,
                 "%s: %s is not in /openapi.json" % (what, kind))
        if kind == "application/json" and kind in content:
            bad = misfit(self.server, content[kind]["schema"], got.json())
            self.yes(not bad, "%s: %s" % (what, bad))

    def error_shape(self, got, what):
        self.same("application/json", got["Content-Type"], what)
        try:
            value = got.json()
        except ValueError as why:
            self.wrong("%s: an error that is no JSON (%s): %r" %
                       (what, why, got.body[:300]))
            return
        for name in ("error", "kind", "hint"):
            self.yes(isinstance(value.get(name), str) and value[name],
                     "%s: an error without %s: %r" % (what, name, value))
        self.yes(self.server.work.encode() not in got.body,
                 "%s: it tells where it lives: %r" % (what, value))
        if got.status in (429, 503):
            self.yes(got["Retry-After"], what + ": no Retry-After")

    def lives(self):
        got = exchange(self.server, plain("GET", "/healthz"))
        self.yes(got and got.status == 200, "the server does not answer")


def every_route_was_asked(w):
    for route, methods in w.server.openapi["paths"].items():
        for method in methods:
            w.yes((method.upper(), route) in asked,
                  "%s %s was never asked with success" % (method, route))


def the_server_lived_to_the_end(w):
    w.lives()
    status, seconds = w.server.stop()
    w.same(0, status, "its exit status")
    w.yes(seconds < 8, "it took %.1f s to end" % seconds)
    said = open(w.server.errors).read()
    w.same(1, len(said.splitlines()), "lines it said: " + said[:3000])
