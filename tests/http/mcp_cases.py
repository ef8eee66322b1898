"""/mcp: the Model Context Protocol by HTTP, of both eras."""
import json
import subprocess
import time

from client import ADMIN, Server, World, asked, case, exchange, plain, slow_case

META = "io.modelcontextprotocol/"
NEW = "2026-07-28"
OLD = "2025-11-25"
BOTH = {"Content-Type": "application/json",
        "Accept": "application/json, text/event-stream"}


def message(method, params=None, id=1):
    one = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        one["id"] = id
    if params is not None:
        one["params"] = params
    return one


def modern(method, params=None, version=NEW, id=1):
    params = dict(params or {})
    params["_meta"] = {META + "protocolVersion": version,
                       META + "clientCapabilities": {}}
    return message(method, params, id)


def headers_of(body):
    """What a client of the stateless era says in headers."""
    params = body.get("params", {})
    found = {"MCP-Protocol-Version": params["_meta"][META + "protocolVersion"],
             "Mcp-Method": body["method"]}
    if "name" in params or "uri" in params:
        found["Mcp-Name"] = params.get("name", params.get("uri"))
    return found


def send(w, body, path="/mcp", headers=(), method="POST", token="own",
         server=None, want=None):
    """One request; its answer, whose body is JSON or nothing."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    got = exchange(server or w.server,
                   plain(method, path, w.token if token == "own" else token,
                         body, dict(BOTH, **dict(headers))))
    if want is not None:
        w.same(want, got.status, "%s %s %r" % (method, path, got.body[:200]))
    if got.status < 300:
        asked.add((method, "/mcp" if path == "/mcp" else "/mcp/{session}"))
    return got


def ask(w, method, params=None, want=200, change=(), **more):
    """A request of the stateless era, with the headers it has to have."""
    body = modern(method, params)
    headers = dict(headers_of(body), **dict(change))
    return send(w, body, headers={k: v for k, v in headers.items() if v},
                want=want, **more)


def code(got):
    return got.json().get("error", {}).get("code")


def tool(**arguments):
    return {"name": "workspace", "arguments": arguments}


def opened(w, path="/mcp", version=OLD, token="own", server=None):
    """Headers of a client that has introduced itself."""
    got = send(w, message("initialize", {
        "protocolVersion": version, "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}), path, want=200,
        token=token, server=server)
    w.same(version, got.json()["result"]["protocolVersion"], "version")
    headers = {"Mcp-Session-Id": got["Mcp-Session-Id"],
               "MCP-Protocol-Version": version}
    w.yes(len(got["Mcp-Session-Id"]) == 32, "an id: %r" % got.headers)
    done = send(w, message("notifications/initialized", id=None), path,
                headers, want=202, token=token, server=server)
    w.same(b"", done.body, "the body of a 202")
    return headers


class Events:
    """An answer that is a stream."""

    def __init__(self, w, body, path="/mcp", headers=(), method="POST",
                 server=None):
        if body is not None:
            body = json.dumps(body).encode()
        self.socket = (server or w.server).connect()
        self.socket.sendall(plain(method, path, w.token, body,
                                  dict(BOTH, **dict(headers))))
        self.raw, self.text, self.ended = b"", "", False
        while b"\r\n\r\n" not in self.raw:
            self.more()
        head, self.raw = self.raw.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        self.status = int(head.split(b" ")[1])
        w.same(200, self.status, "%s %s" % (method, path))
        w.yes("Content-Type: text/event-stream" in self.head, self.head)
        asked.add((method, "/mcp" if path == "/mcp" else "/mcp/{session}"))

    def more(self, within=10):
        self.socket.settimeout(within)
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError("the connection ended: %r" % self.raw[:80])
        self.raw += piece

    def next(self, within=10):
        """The next message; None: there is no more."""
        until = time.monotonic() + within
        while True:
            while b"\r\n" in self.raw and not self.ended:
                size, rest = self.raw.split(b"\r\n", 1)
                n = int(size, 16)
                if len(rest) < n + 2:
                    break
                self.text, self.raw = self.text + rest[:n].decode(), rest[n+2:]
                self.ended = n == 0
            while "\n\n" in self.text:
                block, self.text = self.text.split("\n\n", 1)
                for line in block.split("\n"):
                    if line.startswith("data: "):
                        return json.loads(line[6:])
            if self.ended:
                return None
            self.more(max(0.01, until - time.monotonic()))

    def close(self):
        self.socket.close()


# ---- the stateless era -----------------------------------------------------

@case
def a_request_says_of_itself_what_it_is(w):
    got = ask(w, "tools/list")
    w.same("application/json", got["Content-Type"], "type")
    w.same("", got["Mcp-Session-Id"], "an id")
    w.same("workspace", got.json()["result"]["tools"][0]["name"], "tools")
    put = ask(w, "tools/call", tool(action="write", filename="a", content="x"))
    data = put.json()["result"]["structuredContent"]["data"]
    uri = "quire://artifact/%d" % data["artifact_id"]
    read = ask(w, "resources/read", {"uri": uri}).json()["result"]
    w.same("x", read["contents"][0]["text"], "content")
    w.same(-32602, code(ask(w, "resources/read", {"uri": uri + "9"})), "none")


@case
def headers_agree_with_the_body(w):
    for change in ({"Mcp-Method": "tools/call"}, {"Mcp-Method": None},
                   {"MCP-Protocol-Version": OLD},
                   {"MCP-Protocol-Version": None}):
        w.same(-32020, code(ask(w, "tools/list", want=400, change=change)),
               repr(change))
    for change in ({"Mcp-Name": "other"}, {"Mcp-Name": None}):
        got = ask(w, "tools/call", tool(action="list"), 400, change)
        w.same(-32020, code(got), repr(change))
        w.same(1, got.json()["id"], "its id")


@case
def versions_that_there_are_not(w):
    body = modern("tools/list", version="1999-01-01")
    got = send(w, body, headers=headers_of(body), want=400)
    w.same(-32022, code(got), "code")
    data = got.json()["error"]["data"]
    w.yes(NEW in data["supported"] and OLD in data["supported"], repr(data))
    w.same("1999-01-01", data["requested"], "what was asked for")
    got = send(w, message("tools/list"), want=400,
               headers={"MCP-Protocol-Version": "1999-01-01"})
    w.same(-32602, code(got), "without _meta")


@case
def methods_that_there_are_not(w):
    for method in ("no/such", "initialize", "ping", "resources/subscribe",
                   "logging/setLevel"):
        w.same(-32601, code(ask(w, method, want=404)), method)


@case
def a_subscription_is_a_stream(w):
    body = modern("subscriptions/listen",
                  {"notifications": {"resourcesListChanged": True}}, id="s")
    one = Events(w, body, headers=headers_of(body))
    w.same("notifications/subscriptions/acknowledged", one.next()["method"],
           "first")
    ask(w, "tools/call", tool(action="write", filename="n", content="x"))
    told = one.next()
    w.same("notifications/resources/list_changed", told["method"], "told")
    w.same("s", told["params"]["_meta"][META + "subscriptionId"], "whose")
    one.close()
    got = ask(w, "subscriptions/listen", {"notifications": {}}, 406,
              {"Accept": "application/json"})
    w.same("invalid", got.json()["kind"], "without a stream")
    got = ask(w, "subscriptions/listen", {}, 200)
    w.same(-32602, code(got), "for nothing")
    w.same("application/json", got["Content-Type"], "a refusal is no stream")


@case
def the_stateless_have_no_stream_of_their_own(w):
    for method in ("GET", "DELETE"):
        for headers in ({}, {"MCP-Protocol-Version": NEW,
                             "Mcp-Session-Id": "0" * 32}):
            got = send(w, None, headers=headers, method=method, want=405)
            w.same("POST", got["Allow"], "Allow")
    w.same(405, send(w, b"", method="PUT").status, "PUT")


# ---- the era of initialize -------------------------------------------------

@case
def who_opens_gets_an_id(w):
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", OLD):
        here = opened(w, version=version)
        send(w, message("ping"), headers=here, want=200)
        got = send(w, message("tools/list"), headers=here, want=200)
        w.same(4, len(got.json()["result"]["tools"]), "tools")
    again = dict(here)
    del again["MCP-Protocol-Version"]
    send(w, message("tools/list"), headers=again, want=200)
    got = send(w, message("initialize", {"protocolVersion": 7}), want=200)
    w.same(-32602, code(got), "a version that is none")
    w.same("", got["Mcp-Session-Id"], "an id for who did not open")


@case
def who_ends_is_gone(w):
    here = opened(w)
    stream = Events(w, None, headers=here, method="GET")
    send(w, None, headers=here, method="DELETE", want=204)
    w.same(None, stream.next(), "its stream")
    for method, body in (("POST", message("ping")), ("GET", None),
                         ("DELETE", None)):
        send(w, body, headers=here, method=method, want=404)
    there = opened(w, "/mcp/temp")
    send(w, None, "/mcp/temp", there, "DELETE", want=204)


@case
def a_guest_hears_what_changes(w):
    here = opened(w, "/mcp/temp")
    first = Events(w, None, "/mcp/temp", here, "GET")
    one = Events(w, None, "/mcp/temp", here, "GET")
    w.same(None, first.next(), "the stream before it")
    put = send(w, message("tools/call",
                          tool(action="write", filename="g", content="1")),
               headers=here).json()
    w.same("notifications/resources/list_changed", one.next()["method"], "list")
    uri = "quire://artifact/%d" % put["result"]["structuredContent"]["data"][
        "artifact_id"]
    send(w, message("resources/subscribe", {"uri": uri}), headers=here,
         want=200)
    send(w, message("tools/call",
                    tool(action="write", filename="g", content="2")),
         headers=here)
    told = one.next()
    w.same(("notifications/resources/updated", uri),
           (told["method"], told["params"]["uri"]), "told")
    one.close()


@case
def notifications_and_answers_get_no_answer(w):
    for body in (message("notifications/cancelled", {"requestId": 9}, None),
                 {"jsonrpc": "2.0", "id": 4, "result": {}}):
        w.same(b"", send(w, body, want=202).body, "body")
    old = {"MCP-Protocol-Version": "2025-03-26"}
    got = send(w, [message("ping", id=1), message("ping", id=2)], headers=old,
               want=200)
    w.same([1, 2], sorted(one["id"] for one in got.json()), "a batch")
    w.same(-32600, code(send(w, [message("ping")], want=400)), "no batch")


class Tenant(World):
    """A tenant of its own, as a world of its own."""

    def __init__(self, w):
        super().__init__(w.server)
        self.wrongs = w.wrongs
        self.id, self._token = self.tenant()


def revoked_streams_end(w, revoke):
    """A client's GET, a subscription, and the client itself."""
    it, other = Tenant(w), Tenant(w)
    here, there = opened(it), opened(other)
    streams = [Events(it, None, "/mcp", here, "GET")]
    body = modern("subscriptions/listen",
                  {"notifications": {"resourcesListChanged": True}})
    streams.append(Events(it, body, "/mcp", headers_of(body)))
    w.yes("notifications" in streams[1].next()["method"], "acknowledged")
    kept = Events(other, None, "/mcp", there, "GET")
    began = time.monotonic()
    token = revoke(it.id) or it.token
    for one in streams:
        while one.next(5):
            pass  # the subscription is answered
        w.yes(one.ended and time.monotonic() - began < 2, "it ends at once")
        one.close()
    got = send(it, message("ping"), headers=here, token=token)
    w.yes(got.status in (401, 404), "its client is gone: %d" % got.status)
    send(other, message("ping"), headers=there, want=200)
    send(other, message("tools/call",
                        tool(action="write", filename="k", content="1")),
         headers=there, want=200)
    w.yes(kept.next(), "another tenant's stream goes on")
    kept.close()


@case
def streams_end_when_the_token_is_rotated(w):
    revoked_streams_end(w, lambda tenant: w.ask(
        "POST", "/v1/admin/tenants/%d/rotate-token" % tenant,
        token=ADMIN).json()["token"])


@case
def streams_end_when_the_tenant_is_disabled(w):
    revoked_streams_end(w, lambda tenant: w.ask(
        "PATCH", "/v1/admin/tenants/%d" % tenant, {"disabled": True},
        token=ADMIN, want=200) and None)


@case
def streams_end_when_the_tenant_is_removed(w):
    revoked_streams_end(w, lambda tenant: w.ask(
        "DELETE", "/v1/admin/tenants/%d?all=true" % tenant,
        token=ADMIN, want=200) and None)


@case
def streams_end_when_another_process_rotates_the_token(w):
    def rotate(tenant):
        subprocess.run([w.server.program, "--home", w.server.home, "tenant",
                        "rotate", "#%d" % tenant], check=True,
                       capture_output=True)
    revoked_streams_end(w, rotate)


# ---- what HTTP says --------------------------------------------------------

@case
def what_is_no_message(w):
    w.same(-32700, code(send(w, b"{", want=400)), "half of one")
    w.same(-32600, code(send(w, b"3", want=400)), "a number")
    send(w, message("ping"), headers={"Content-Type": "text/plain"}, want=415)
    send(w, message("ping"), headers={"Accept": "text/html"}, want=406)
    here = opened(w)
    send(w, None, headers=dict(here, Accept="application/json"), method="GET",
         want=406)


@case
def who_may_ask(w):
    for token in (None, "qrt_" + "0" * 64):
        for method in ("POST", "GET", "DELETE"):
            send(w, message("ping") if method == "POST" else None,
                 method=method, token=token, want=401)
    for headers in ({"Origin": "https://evil.example"},
                    {"Host": "evil.example"}):
        send(w, message("ping"), headers=headers, want=403)
    send(w, message("ping"), headers={"Origin": "http://localhost:3000"},
         want=200)


@case
def sessions_are_their_tenants(w):
    number = w.conversation(title="t").rsplit("/", 1)[1]
    here = "/mcp/" + number
    old = {"MCP-Protocol-Version": OLD}
    put = send(w, message("tools/call",
                          tool(action="write", filename="a", content="x")),
               here, old, want=200).json()["result"]["structuredContent"]["data"]
    got = w.ask("GET", "/v1/conversations/%s/files/a" % number)
    w.same(b"x", got.body, "the file")
    for path, headers in (("/mcp/" + put["session_id"], {}),
                          ("/mcp", {"Quire-Session": put["session_id"]}),
                          ("/mcp", {"Quire-Session": number})):
        read = send(w, message("tools/call",
                               tool(action="read", filename="a")), path,
                    dict(old, **headers), want=200).json()["result"]
        w.same("x", read["structuredContent"]["data"]["content"], path)
    read = send(w, message("tools/call", tool(action="read", filename="a")))
    w.same(True, read.json()["result"]["isError"], "in temp")
    other = w.tenant()[1]
    guest = opened(w)
    for path in ("/mcp/" + put["session_id"], here, "/mcp/no-such",
                 "/mcp/..%2F..%2Fx", "/mcp/%2Fetc%2Fpasswd", "/mcp/a.jsonl"):
        send(w, message("ping"), path, token=other, want=404)
    send(w, message("ping"), headers=guest, token=other, want=404)
    send(w, None, headers=guest, token=other, method="DELETE", want=404)
    send(w, message("ping"), here, guest, want=404)
    send(w, message("ping"), headers=guest, want=200)


@case
def what_is_done_is_told_to_all(w):
    from listener import Listener
    one = Listener(w.server, w.token).settle()
    number = int(w.conversation(title="t").rsplit("/", 1)[1])
    w.same("conversation.created", one.event()[0], "first")
    send(w, message("tools/call",
                    tool(action="write", filename="a", content="x")),
         "/mcp/%d" % number)
    kind, data = one.event()
    w.same(("artifact.written", number, "a"),
           (kind, data.get("conversation_id"), data.get("path")), "told")
    one.close()


@case
def it_is_counted_and_described(w):
    here = opened(w)
    stream = Events(w, None, headers=here, method="GET")
    text = w.ask("GET", "/metrics", token=None).body.decode()
    for line in ("quire_mcp_clients ", "quire_mcp_streams ", "mcp.send"):
        w.yes(line in text, line + " is not in /metrics")
    stream.close()
    for path in ("/mcp", "/mcp/{session}"):
        w.same(["delete", "get", "post"],
               sorted(w.server.openapi["paths"][path]), path)


# ---- bounds ----------------------------------------------------------------

@slow_case
def the_longest_silent_guest_makes_room(w):
    first, second = opened(w), opened(w)
    for _ in range(62):
        opened(w)
    send(w, message("ping"), headers=first, want=200)
    opened(w)
    send(w, message("ping"), headers=first, want=200)
    send(w, message("ping"), headers=second, want=404)


@slow_case
def a_tenant_has_so_many_streams(w):
    body = modern("subscriptions/listen",
                  {"notifications": {"resourcesListChanged": True}})
    open_ones = [Events(w, body, headers=headers_of(body)) for _ in range(64)]
    got = send(w, body, headers=headers_of(body), want=429)
    w.yes(got["Retry-After"], "no Retry-After")
    open_ones.pop().close()
    for _ in range(100):
        one = exchange_status(w, body)
        if one == 200:
            break
        time.sleep(0.05)
    w.same(200, one, "after one has gone")
    for one in open_ones:
        one.close()


def exchange_status(w, body):
    with w.server.connect() as s:
        s.sendall(plain("POST", "/mcp", w.token, json.dumps(body).encode(),
                        dict(BOTH, **headers_of(body))))
        return int(s.recv(100).split(b" ")[1])


# ---- commands --------------------------------------------------------------

@case
def commands_are_run_only_where_that_is_allowed(w):
    got = ask(w, "tools/call", tool(action="run", command="echo hi"))
    w.same(True, got.json()["result"]["isError"], "refused")


@slow_case
def a_command_tells_how_it_goes(w):
    server = Server(w.server.work, "mcp-run", options=["--mcp-run"])
    other = World(server)
    try:
        run_cases(w, other)
    finally:
        status, seconds = server.stop()
    w.wrongs += other.wrongs
    w.same(0, status, "its exit status")
    w.yes(seconds < 5, "a command held it for %.1f s" % seconds)


def run_cases(w, other):
    body = modern("tools/call", tool(action="run", command="sleep 1.4; echo hi"))
    body["params"]["_meta"]["progressToken"] = "p"
    one = Events(other, body, headers=headers_of(body))
    said = []
    while not said or said[-1] and "id" not in said[-1]:
        said.append(one.next())
    w.same("notifications/progress", said[0].get("method"), "first")
    w.same("p", said[0]["params"]["progressToken"], "token")
    data = said[-1]["result"]["structuredContent"]["data"]
    w.same("hi\n", data["stdout"], "last")
    w.same(None, one.next(), "the end")
    here = opened(other)
    body = message("tools/call", tool(action="run", command="sleep 1.4"), 2)
    body["params"]["_meta"] = {"progressToken": 5}
    one = Events(other, body, headers=here)
    w.same(5, one.next()["params"]["progressToken"], "of a guest")
    got = send(other, message("tools/call",
                              tool(action="run", command="echo hi"), 3),
               headers=dict(here, Accept="application/json"), want=406)
    w.same("invalid", got.json()["kind"], "without streams")
    # One that nobody ends: the server does.
    Events(other, message("tools/call", tool(action="run",
                                             command="sleep 60"), 4),
           headers=here)
