"""/openapi.json: that it holds together, and that answers are as it says.

Every answer of every case is compared with it (client.py); here are the
answers that have more in them than others, and what is said beside schemas."""
import base64
import json

from client import ADMIN, Reader, case, plain

MCP = {"Content-Type": "application/json",
       "Accept": "application/json, text/event-stream"}


def operations(w):
    for route, methods in w.server.openapi["paths"].items():
        for method, op in methods.items():
            yield "%s %s" % (method.upper(), route), op


def parts_of(value):
    """Each object in it, at any depth."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from parts_of(one)


def headers_of(op):
    return {p["$ref"].rsplit("/", 1)[1] for p in op["parameters"]
            if "$ref" in p}


@case
def it_holds_together(w):
    api = w.server.openapi
    used = set()
    for part in parts_of(api):
        if "$ref" not in part:
            continue
        at = api
        for name in part["$ref"].split("/")[1:]:
            at = at.get(name, {})
        w.yes(at, "%s leads nowhere" % part["$ref"])
        used.add(part["$ref"])
    for kind in ("schemas", "parameters", "responses", "headers"):
        for name in api["components"][kind]:
            w.yes("#/components/%s/%s" % (kind, name) in used,
                  "%s of %s is used nowhere" % (name, kind))
    names = [op["operationId"] for _, op in operations(w)]
    w.same(len(names), len(set(names)), "different names")


@case
def nothing_is_left_to_be_guessed(w):
    schemas = w.server.openapi["components"]["schemas"]
    for name, schema in schemas.items():
        w.yes("anyOf" in schema or schema.get("properties"), name)
    for what, op in operations(w):
        w.yes(op["summary"], what)
        for p in op["parameters"]:
            w.yes("$ref" in p or p["name"].endswith("id") or
                  p.get("description"), "%s: %s" % (what, p.get("name")))
        body = op.get("requestBody")
        w.yes(not body or "at most" in body["description"] or
              "quota" in body["description"], what + ": how long it may be")
        for content in (body or {}).get("content", {}).values():
            fields = content["schema"].get("properties", {})
            for name, field in fields.items():
                w.yes(field.get("description"), "%s: %s" % (what, name))
        w.yes("default" in op["responses"], what + ": other refusals")
        for status, said in op["responses"].items():
            if status[0] != "2" or status in ("202", "204"):
                continue
            kinds = said["content"]
            w.yes(kinds, "%s: %s" % (what, status))
            if "application/json" in kinds:
                w.yes("$ref" in kinds["application/json"]["schema"],
                      "%s: %s" % (what, status))


@case
def headers_that_are_heeded_are_named(w):
    conditions = {"If-Match", "If-None-Match"}
    for what, op in operations(w):
        method, route = what.split(" ")
        names = headers_of(op)
        writes = method != "GET" and not route.startswith("/mcp")
        w.same(writes, "Idempotency-Key" in names, what + ": Idempotency-Key")
        w.same("206" in op["responses"], {"Range", "If-Range"} <= names,
               what + ": Range")
        heeds = "206" in op["responses"] or "/files/" in route or \
            method == "DELETE" and "/artifacts/" in route or \
            method == "POST" and route.endswith("/artifacts")
        w.same(heeds, conditions <= names, what + ": If-Match")
        w.same(route == "/v1/events", "Last-Event-ID" in names, what)
        for status, needs in (("412", conditions <= names), ("409", writes),
                              ("422", writes), ("416", "Range" in names),
                              ("404", "{" in route or "/mcp" in route)):
            w.same(needs, status in op["responses"], "%s: %s" % (what, status))


@case
def headers_are_heeded_as_it_says(w):
    here = w.conversation()
    key = {"Idempotency-Key": "described"}
    first = w.ask("PUT", here + "/files/a", b"one", headers=key, want=201)
    again = w.ask("PUT", here + "/files/a", b"one", headers=key, want=201)
    w.same(("", "true"), (first["Idempotency-Replayed"],
                          again["Idempotency-Replayed"]), "replayed")
    w.ask("PUT", here + "/files/a", b"two", headers=key, want=422)
    tag = {"If-Match": '"%s"' % ("0" * 64)}
    for method in "PUT", "DELETE", "GET":
        w.ask(method, here + "/files/a", b"x" if method == "PUT" else None,
              headers=tag, want=412)
    w.ask("GET", here + "/files/a", headers={"If-None-Match": first["ETag"]},
          want=304)
    got = w.ask("GET", here + "/files/a", headers={"Range": "bytes=1-"},
                want=206)
    w.same("bytes 1-2/3", got["Content-Range"], "the part")
    got = w.ask("GET", here + "/files/a", want=200, headers={
        "Range": "bytes=1-", "If-Range": tag["If-Match"]})
    w.same(b"one", got.body, "all of it")
    w.ask("GET", here + "/files/a", headers={"Range": "bytes=9-"}, want=416)
    w.yes(got["X-Request-Id"], "X-Request-Id")


@case
def choices_are_those_there_are(w):
    schemas = w.server.openapi["components"]["schemas"]
    ids = []
    for one in schemas["Memory"]["properties"]["type"]["enum"]:
        got = w.ask("POST", "/v1/memory/entries", {"type": one, "title": one},
                    want=201).json()
        ids.append(got["id"])
        w.ask("PATCH", "/v1/memory/entries/%d" % got["id"], {"type": one},
              want=200)
    listed = ",".join(schemas["Memory"]["properties"]["type"]["enum"])
    got = w.ask("GET", "/v1/memory/entries?type=" + listed, want=200).json()
    w.same(len(ids), got["count"], "of all types")
    w.ask("GET", "/v1/memory/graph?type=" + listed, want=200)
    for one in schemas["Relation"]["properties"]["relation"]["enum"]:
        new = {"source_id": ids[0], "target_id": ids[1], "relation": one}
        made = w.ask("POST", "/v1/memory/relations", new, want=201).json()
        again = w.ask("POST", "/v1/memory/relations", new, want=409).json()
        w.same(made["id"], again["existing_id"], "which one is there")
        w.ask("GET", "/v1/memory/relations?relation=" + one, want=200)
    for method, target, body in (
            ("POST", "/v1/memory/entries", {"type": "no", "title": "x"}),
            ("PATCH", "/v1/memory/entries/%d" % ids[0], {"type": "no"}),
            ("GET", "/v1/memory/entries?type=user,no", None),
            ("GET", "/v1/memory/relations?relation=no", None)):
        w.ask(method, target, body, want=400)


@case
def limits_are_what_it_says(w):
    """Of one list; the others end in the same way."""
    with w.server.connect() as s:
        reader = Reader(s)
        for i in range(201):
            body = json.dumps({"type": "user", "title": str(i)}).encode()
            s.sendall(plain("POST", "/v1/memory/entries", w.token, body))
            w.same(201, reader.answer().status, "an entry")
    op = w.server.openapi["paths"]["/v1/memory/entries"]["get"]
    limit = [p["schema"] for p in op["parameters"]
             if p.get("name") == "limit"][0]
    for query, count in (("", limit["default"]), ("?limit=0", limit["default"]),
                         ("?limit=3", 3), ("?limit=9999", limit["maximum"])):
        got = w.ask("GET", "/v1/memory/entries" + query, want=200).json()
        w.same(count, got["count"], "entries" + query)
    for what, op in operations(w):
        for p in op["parameters"]:
            if p.get("name") == "limit" and "maximum" in p["schema"]:
                w.yes(p["schema"]["default"] <= p["schema"]["maximum"], what)


@case
def what_a_conversation_can_have_in_it(w):
    folder = w.ask("POST", "/v1/conversation-folders", {"name": "described"},
                   want=201).json()["id"]
    here = w.conversation(title="full", cwd="/somewhere")
    for message in ("hello", {"role": "assistant", "content": "hi",
                              "provider": "p", "model": "m",
                              "usage": {"input": 3, "output": 4}},
                    [{"type": "text", "text": "x"}]):
        last = w.ask("POST", here + "/messages", {"message": message},
                     want=201).json()["id"]
    for entry in ({"type": "label", "targetId": last, "label": "here"},
                  {"type": "thinking_level_change", "thinkingLevel": "high"},
                  {"type": "service_tier_change", "serviceTier": "x"},
                  {"type": "mode_change", "mode": "plan", "data": {"a": 1}},
                  {"type": "custom", "customType": "any", "data": [1]}):
        w.ask("POST", here + "/entries", {"entry": entry}, want=201)
    got = w.ask("GET", here + "/context", want=200).json()
    w.same(("high", "plan", "x"), (got["thinkingLevel"], got["mode"],
                                   got.get("serviceTier")), "settings")
    w.ask("POST", here + "/messages", {"message": "x", "at": "root"}, want=201)
    w.ask("POST", here + "/messages", {"message": "x", "expect": "root"},
          want=409)
    w.ask("PATCH", here, {"folder_id": folder, "title": "other"}, want=200)
    for rest in ("", "/entries", "/messages?limit=1", "/context", "/tree",
                 "/context?leaf=" + last, "/entries?hydrate=true"):
        w.ask("GET", here + rest, want=200)
    w.ask("POST", here + "/fork", {"cwd": "/else"}, want=201)
    w.ask("GET", "/v1/conversations?limit=1&folder_id=%d" % folder, want=200)
    w.ask("GET", "/v1/conversations?limit=1", want=200)
    w.ask("GET", "/v1/conversation-folders", want=200)


@case
def what_artifacts_can_have_in_them(w):
    here = w.conversation()
    for i in range(2):
        put = w.ask("POST", here + "/artifacts", {
            "path": "walrus%d.md" % i, "content": "a walrus", "tags": ["t"],
            "purpose": "p"}, want=201).json()["artifact"]
    one = "%s/artifacts/%d" % (here, put["id"])
    w.ask("PUT", here + "/files/" + put["path"], b"walrus", want=200)
    for target in (one, one + "/versions", one + "?version=1",
                   here + "/artifacts?limit=1", "/v1/artifacts?limit=1",
                   "/v1/artifacts/search?q=walrus&tag=t&mime=text/",
                   "/v1/usage"):
        w.ask("GET", target, want=200)
    made = [w.ask("POST", "/v1/memory/entries", dict({
        "type": "user", "title": "walrus", "content": "it swims",
        "source": "me", "tags": ["sea"], "artifact_id": put["id"],
        "conversation_id": put["conversation_id"]}, **more),
        want=201).json()["id"] for more in ({}, {})]
    w.ask("POST", "/v1/memory/entries",
          {"type": "user", "title": "no walrus", "supersedes_ids": made[:1]},
          want=201)
    for rest in ("?q=walrus", "?limit=1", "?tag=sea", "/%d" % made[1]):
        w.ask("GET", "/v1/memory/entries" + rest, want=200)
    w.ask("GET", "/v1/memory/graph?around=%d" % made[1], want=200)
    w.ask("POST", "/v1/memory/entries/%d/invalidate" % made[1], want=200)
    w.ask("DELETE", one, want=200)
    w.ask("GET", here + "/artifacts?deleted=true", want=200)
    w.ask("POST", here + "/artifacts/restore", {"path": put["path"]}, want=200)
    for _ in range(2):
        w.ask("POST", "/v1/blobs", b"a walrus that nobody had")


@case
def what_the_workspace_answers(w):
    here = w.conversation()

    def tool(**request):
        return w.ask("POST", here + "/workspace", request, want=200).json()

    for scope in "artifact", "scratchpad":
        for name in "a.md", "b.md":
            tool(action="write", scope=scope, filename=name, content="walrus",
                 purpose="p", tags=["t"])
        tool(action="read", scope=scope, filename="a.md")
        tool(action="read", scope=scope, filename="a.md", limit=2)
        tool(action="list", scope=scope)
        got = tool(action="list", scope=scope, limit=1)
        tool(action="list", scope=scope, cursor=got["data"]["next_cursor"])
        tool(action="delete", scope=scope, filename="b.md")
    w.same(1, tool(action="search", query="walrus")["data"]["count"], "found")
    tool(action="write", filename="c", encoding="base64",
         content=base64.b64encode(b"\xff").decode())
    w.same("base64", tool(action="read", filename="c")["data"]["encoding"],
           "no text")
    for wrong in ({"action": "no"}, {}, {"action": "read"},
                  {"action": "read", "filename": "none"}):
        w.same(False, tool(**wrong)["success"], repr(wrong))


@case
def what_outputs_prompts_and_commands_answer(w):
    here = w.conversation()
    said = w.server.openapi["paths"]["/v1/conversations/{id}/outputs"]["post"]
    w.yes("nothing is stored" in said["responses"]["200"]["description"], "200")
    w.same(None, w.ask("POST", here + "/outputs", b"little",
                       want=200).json()["artifactId"], "it is not kept")
    w.ask("POST", here + "/outputs?tool=t&threshold=1", b"long\n" * 9, want=201)
    w.ask("POST", here + "/outputs?agent=Scout", b"a report", want=201)
    w.same(2, w.ask("GET", here + "/outputs", want=200).json()["count"], "kept")
    w.ask("POST", "/v1/history", {"prompt": "walrus", "cwd": "/x",
                                  "conversation_id": int(here.split("/")[-1])},
          want=201)
    w.ask("POST", "/v1/history", {"prompt": "walrus"}, want=201)
    for rest in "", "?q=walrus", "?cwd=/x":
        w.ask("GET", "/v1/history" + rest, want=200)
    w.ask("PUT", here + "/files/x.png", b"\x89PNG\r\n\x1a\n", want=201)
    text = ("/write --persist a.md\nhello\n/endwrite\n/write b.md\nx\n"
            "/endwrite\n/read a.md\n/read x.png\n/read none\n/list\n"
            "/mem write note\n/mem shared write note\n/mem read\n"
            "/mem add entry user walrus\nit swims\n/endmem\n"
            "/mem search walrus\n")
    got = w.ask("POST", "/v1/slash", {
        "text": text, "agent": "scout", "allow": None,
        "conversation_id": int(here.split("/")[-1])}, want=200).json()
    w.same(2, len(got["files"]), "files")
    w.yes([r for r in got["replies"] if "part" in r], "an image")
    for target in "/v1/memory", "/v1/memory/shared", "/v1/memory/scout":
        w.ask("GET", target, want=200)


@case
def what_the_admin_hears(w):
    for _ in range(2):
        tenant, _token = w.tenant()
        one = "/v1/admin/tenants/%d" % tenant
        w.ask("PATCH", one, {"disabled": True}, ADMIN, want=200)
    for target in (one, "/v1/admin/tenants", "/v1/admin/audit",
                   "/v1/admin/audit?limit=1"):
        w.ask("GET", target, token=ADMIN, want=200)
    w.ask("POST", one + "/rotate-token", token=ADMIN, want=200)
    w.ask("DELETE", one, token=ADMIN, want=200)
    for target in "/healthz", "/readyz", "/version", "/openapi.json":
        w.ask("GET", target, token=None, want=200)
    w.ask("GET", "/metrics", token=None, want=200)


@case
def what_mcp_answers(w):
    def send(message, want, headers=MCP):
        return exchange_mcp(w, message, want, headers)

    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    send(ping, 200)
    send(dict(ping, method="tools/list"), 200)
    send(dict(ping, method="tools/call", params={
        "name": "workspace", "arguments": {"action": "list"}}), 200)
    send(dict(ping, method="none"), 200)
    send({"jsonrpc": "2.0", "method": "notifications/initialized"}, 202)
    send(ping, 415, {"Content-Type": "text/plain"})
    send(ping, 404, dict(MCP, **{"Mcp-Session-Id": "0" * 32}))
    send(dict(ping, method="none"), 400, dict(
        MCP, **{"MCP-Protocol-Version": "2026-07-28"}))


def exchange_mcp(w, message, want, headers):
    """Its refusals have the shape of MCP where a message is at fault."""
    from client import answer_of, exchange, misfit
    got = exchange(w.server, plain("POST", "/mcp", w.token,
                                   json.dumps(message).encode(), headers))
    w.same(want, got.status, "%r: %r" % (message, got.body[:200]))
    op = w.server.openapi["paths"]["/mcp"]["post"]
    said = answer_of(w.server, op, got.status)
    w.yes(said, "a %d is described" % got.status)
    if got.body:
        bad = misfit(w.server, said["content"]["application/json"]["schema"],
                     got.json())
        w.yes(not bad, "%r: %s" % (message, bad))
    return got
