"""What must not be answered, and that it is refused with the right words."""
import json
import re

from client import ADMIN, Reader, case, exchange, fields_of, plain

NOBODY = "qrt_" + "0" * 64


def routes(w):
    """(method, target, operation) of each, with ids that are not there."""
    for route, methods in w.server.openapi["paths"].items():
        for method, op in methods.items():
            target = route.replace("{sha256}", "0" * 64).replace("{path}", "x")
            yield method.upper(), re.sub(r"{\w+}", "999999", target), op


@case
def who_is_not_known_hears_the_same_whatever_is_asked(w):
    tenant, rotated = w.tenant()
    w.ask("POST", "/v1/admin/tenants/%d/rotate-token" % tenant, token=ADMIN)
    tenant, disabled = w.tenant()
    w.ask("PATCH", "/v1/admin/tenants/%d" % tenant, {"disabled": True}, ADMIN)
    tenant, removed = w.tenant()
    w.ask("DELETE", "/v1/admin/tenants/%d" % tenant, token=ADMIN, want=200)
    good, said = w.token, set()
    forms = [{}, {"Authorization": ""}, {"Authorization": "Bearer"},
             {"Authorization": "Bearer "}, {"Authorization": good},
             {"Authorization": "Basic " + good},
             {"Authorization": "Bearer " + good[:-1]},
             {"Authorization": "Bearer " + good + "0"},
             {"Authorization": "Bearer " + good + " x"},
             {"Authorization": "Bearer " + good.upper()},
             {"Authorization": "Bearer " + "x" * 5000},
             {"Authorization": "Bearer \xff\xfe"},
             {"Authorization": "Bearer #1"}, {"Authorization": "Bearer default"}]
    forms += [{"Authorization": "Bearer " + t}
              for t in (NOBODY, rotated, disabled, removed)]
    for headers in forms:
        for target in ("/v1/conversations", "/v1/conversations/1",
                       "/v1/artifacts/999", "/v1/nothing", "/nothing", "/"):
            got = w.ask("GET", target, token=None, want=401,
                        headers=dict(headers, Accept="application/json"))
            w.yes(got["WWW-Authenticate"].startswith("Bearer"), "a challenge")
            said.add(got.body)
    w.same(1, len(said), "different words for those who are not known")


@case
def each_route_wants_to_know_who_asks(w):
    for method, target, op in routes(w):
        if {} in op.get("security", []) or op.get("security") == []:
            continue
        admin = target.startswith("/v1/admin")
        for token in (None, NOBODY):
            w.ask(method, target, token=token, want=401)
        w.ask(method, target, token=w.token if admin else ADMIN, want=403)


@case
def who_asks_comes_before_what_is_there(w):
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "BREW"):
        for target in ("/v1/nothing", "/v1/conversations/1/nothing",
                       "/v1/admin/nothing", "/v1/conversations/x"):
            w.ask(method, target, token=None, want=401)
    w.ask("GET", "/v1/admin/nothing", token=ADMIN, want=404)
    w.ask("GET", "/v1/admin/nothing", token=w.token, want=403)
    w.ask("POST", "/v1/conversations", b"{", token=None, want=401)


@case
def what_is_not_there(w):
    w.ask("GET", "/", headers={"Accept": "application/json"}, want=404)
    for target in ("/nothing", "/v1", "/v1/", "/v1/conversation",
                   "/v1/conversations/", "//v1/conversations",
                   "/v1//conversations", "/v1/conversations//",
                   "/V1/conversations", "/v1/conversations/1/nothing",
                   "/v1/artifacts/1/raw/x", "/v1/conversations/1/files",
                   "/v1/conversations/1/files/", "/healthz/", "/v1/%2e%2e/x",
                   "/v1/./conversations", "/v1/artifacts/search/"):
        w.ask("GET", target, want=404)
    for method, target, op in routes(w):
        if "999999" not in target or target == "/v1/memory/999999":
            continue  # the last one is of an agent, by its name
        token = ADMIN if "/admin/" in target else w.token
        good = {"disabled": True, "entry": {"type": "custom"}, "message": "x",
                "path": "x", "content": "x", "cwd": "/", "title": "x",
                "name": "x", "label": "x", "to": "x"}
        fields = fields_of(op)
        body = None if "requestBody" not in op else b"x" if fields is None \
            else {n: v for n, v in good.items() if n in fields}
        w.ask(method, target, body, token, want=404)


@case
def ids_are_numbers_and_nothing_else(w):
    here = w.conversation()
    number = here.rsplit("/", 1)[1]
    w.ask("GET", here, want=200)
    for bad in (number + "abc", number + "%20", "%20" + number, "+" + number,
                "0" + number, "0x" + number, number + ".0", "-1", "0", "%23" +
                number, number + "%00", "9" * 30, "18446744073709551617",
                "9223372036854775808", "last", "*", "%EF%BC%91"):
        for rest in ("", "/messages", "/artifacts", "/files/x"):
            got = w.ask("GET", "/v1/conversations/" + bad + rest)
            w.yes(got.status in (400, 404), "%s: %d" % (bad, got.status))
        for target in ("/v1/artifacts/" + bad, here + "/artifacts/" + bad):
            got = w.ask("GET", target)
            w.yes(got.status in (400, 404), "%s: %d" % (bad, got.status))
        got = w.ask("GET", "/v1/admin/tenants/" + bad, token=ADMIN)
        w.yes(got.status in (400, 404), "tenant %s: %d" % (bad, got.status))


@case
def what_cannot_be_done_to_it(w):
    for route, methods in w.server.openapi["paths"].items():
        target = re.sub(r"{\w+}", "1", route.replace("{sha256}", "0" * 64))
        allowed = {m.upper() for m in methods}
        if "GET" in allowed:
            allowed.add("HEAD")
        token = w.token_for(route)
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE",
                       "PROPFIND", "get"):
            if method in allowed:
                continue
            if route.startswith("/v1/artifacts/{") or "/search" in route:
                continue  # search and an id share their place
            got = w.ask(method, target, token=token, want=405)
            w.same(allowed, set(got["Allow"].replace(" ", "").split(",")),
                   "%s %s: Allow" % (method, target))


@case
def options(w):
    for route, methods in w.server.openapi["paths"].items():
        target = re.sub(r"{\w+}", "1", route)
        got = exchange(w.server, plain("OPTIONS", target))
        w.same((204, b""), (got.status, got.body), "OPTIONS " + target)
        allowed = set(got["Allow"].replace(" ", "").split(","))
        w.yes({m.upper() for m in methods} | {"OPTIONS"} <= allowed,
              "%s: Allow: %s" % (target, got["Allow"]))
        w.yes("access-control-allow-origin" not in got.headers, "no CORS")
    got = exchange(w.server, plain("OPTIONS", "*"))
    w.yes(got.status in (200, 204, 401, 404), "OPTIONS *: %d" % got.status)


@case
def names_it_is_not_called_by(w):
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil",
                 "evil.example:80", "127.0.0.2", "", "localhost@evil",
                 "xlocalhost", "[::2]"):
        for target in ("/healthz", "/v1/conversations"):
            got = exchange(w.server, plain("GET", target, w.token,
                                           headers={"Host": host}))
            w.yes(got.status in (403, 400), "Host %s: %d" % (host, got.status))
            w.error_shape(got, host)
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1:%d" % w.server.port,
                 "[::1]:80"):
        w.ask("GET", "/v1/conversations", headers={"Host": host}, want=200)
    for origin in ("http://evil.example", "null", "https://localhost.evil",
                   "file://", "http://", "x", "ftp://localhost",
                   "http://evil.example:80"):
        for target in ("/healthz", "/v1/conversations"):
            w.ask("GET", target, headers={"Origin": origin}, want=403)
    for origin in ("http://localhost", "http://127.0.0.1:3000"):
        w.ask("GET", "/v1/conversations", headers={"Origin": origin}, want=200)


WRONG = {"string": [1, 1.5, True, [], {}, "with\0nul"],
         "integer": ["1", 1.5, -1, True, [], {}, 1 << 70],
         "boolean": ["true", 0, 1, [], {}],
         "array": ["x", 1, {}, True, [1], ["x", None], [[]]],
         "object": ["x", 1, [], True]}


@case
def each_field_of_a_wrong_type(w):
    here = w.conversation()
    made = w.ask("PUT", here + "/files/x", b"x").json()["artifact"]["id"]
    good = {"name": "n", "disabled": False, "title": "t", "cwd": "/",
            "archived": False, "entry": {"type": "custom", "customType": "x"},
            "message": "m", "path": "p", "content": "c", "type": "user",
            "source_id": 1, "target_id": 2, "relation": "refines",
            "prompt": "p", "text": "t"}
    for route, methods in w.server.openapi["paths"].items():
        for method, op in methods.items():
            if fields_of(op) is None:
                continue
            body = op["requestBody"]["content"]["application/json"]
            target = route.replace("{aid}", str(made)).replace(
                "/v1/conversations/{id}", here).replace("{id}", "999999")
            token = w.token_for(route)
            fields = body["schema"]["properties"]
            fine = {n: good[n] for n in fields if n in good}
            for name, schema in fields.items():
                types = schema.get("type", [])
                for value in WRONG.get(types if isinstance(types, str)
                                       else (types + [""])[0], []):
                    # What is said may have any character.
                    if value == "with\0nul" and (
                            name == "content" or route in ("/v1/slash", "/v1/secrets") or
                            route.startswith("/v1/memory")):
                        continue
                    w.ask(method.upper(), target, dict(fine, **{name: value}),
                          token, want=400)
            for name in body["schema"]["required"]:
                for value in (None, "missing"):
                    sent = dict(fine)
                    sent.pop(name, None)
                    if value is None:
                        sent[name] = None
                    w.ask(method.upper(), target, sent, token, want=400)
    for message in (1, True, None):
        w.ask("POST", here + "/messages", {"message": message}, want=400)


@case
def each_word_of_a_query_of_a_wrong_type(w):
    here = w.conversation()
    made = w.ask("PUT", here + "/files/x", b"x").json()["artifact"]["id"]
    wrong = {"integer": ("x", "", "-1", "1.5", "1e2", "12abc", "%2B1", "null",
                         "9" * 30, "true", "1%00", "0x1", "%22x%22", "%201"),
             "boolean": ("x", "", "2", "yes", "null", "TRUE", "%22true%22"),
             "string": ("%00", "%ff", "%", "%zz")}
    wrong["array"] = wrong["string"]
    for route, methods in w.server.openapi["paths"].items():
        for method, op in methods.items():
            for p in op["parameters"]:
                if p.get("in") != "query":
                    continue
                target = route.replace("{aid}", str(made)).replace(
                    "/v1/conversations/{id}", here).replace("{id}", "999999")
                target = target.replace("{path}", "x")
                token = w.token_for(route)
                for value in wrong[p["schema"]["type"]]:
                    w.ask(method.upper(), "%s?%s=%s" % (target, p["name"],
                                                        value), token=token,
                          want=400)
    w.ask("GET", "/v1/artifacts/search", want=400)
    for query in ("?", "?&&", "?limit=5&", "?=", "?limit=0",
                  "?limit=1&limit=2", "?limit=9223372036854775807"):
        w.ask("GET", "/v1/conversations" + query, want=200)


@case
def too_much(w):
    here = w.conversation()
    for headers, body in (
            ({"Content-Length": str((64 << 20) + 1)}, b""),
            ({"Content-Length": str((64 << 20) + 1), "Expect": "100-continue"},
             b""),
            ({"Content-Length": "9" * 18}, b""), ({"Content-Length": "9" * 30},
                                                  b"")):
        for target in here + "/files/x", here + "/artifacts":
            got = exchange(w.server, plain(
                "PUT" if "files" in target else "POST", target, w.token, None,
                headers) + body)
            w.same(413, got.status, repr(headers))
            w.error_shape(got, "413")
            w.same("close", got["Connection"], "it is the end")
    # A blob may be longer, but not that long.
    got = exchange(w.server, plain("POST", "/v1/blobs", w.token, None, {
        "Content-Length": str((1 << 30) + 1)}))
    w.same(413, got.status, "a blob")
    with w.server.connect() as s:
        s.sendall(plain("PUT", here + "/files/x", w.token, b"",
                        {"Transfer-Encoding": "chunked"}))
        piece = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
        from client import Reader
        reader = Reader(s)
        try:
            for _ in range(80):
                s.sendall(piece)
        except OSError:
            pass
        try:
            got = reader.answer()
            w.same(413, got and got.status, "chunks without end")
        except OSError:
            pass
    w.ask("GET", here + "/files/x", want=404)
    w.lives()


@case
def a_field_that_there_is_not(w):
    here = w.conversation()
    for route, methods in w.server.openapi["paths"].items():
        for method, op in methods.items():
            target = re.sub(r"{\w+}", "999999", route.replace(
                "/v1/conversations/{id}", here).replace("{sha256}", "0" * 64))
            token = w.token_for(route)
            # Addresses that need no token ignore what they do not know.
            if op.get("security") == [] or {} in op.get("security", []):
                w.ask(method.upper(), target + "?surprise=1", token=token,
                      want=404 if target.startswith("/assets/") else 200)
                continue
            for query in ("surprise=1", "limit=1&surprise", "LIMIT=1"):
                if query.startswith("limit") and not any(
                        p.get("name") == "limit" for p in op["parameters"]):
                    continue
                got = w.ask(method.upper(), target + "?" + query, token=token,
                            want=400)
                w.yes(query.split("&")[-1].split("=")[0] in
                      got.json()["error"], "which one: %r" % got.body)
            if fields_of(op) is None:
                continue
            for name in ("surprise", "Title", "w\u00e9ird", "q" * 500):
                got = w.ask(method.upper(), target, {name: 1}, token, want=400)
                w.yes(name[:50] in got.json()["error"], "which: %r" % got.body)
    # A word of the query is none of the body, nor the other way round.
    w.ask("POST", here + "/outputs?content=x", b"x", want=400)
    w.ask("GET", "/v1/conversations?title=x", want=400)
    rotate = "/v1/admin/tenants/%d/rotate-token" % w.tenant()[0]
    w.ask("POST", rotate, {"token": "mine"}, ADMIN, want=400)
    w.ask("POST", rotate, b"nonsense", ADMIN, want=400)
    w.ask("POST", rotate, {}, ADMIN, want=200)


@case
def a_change_of_nothing(w):
    here = w.conversation(title="kept")
    made = w.ask("POST", "/v1/memory/entries",
                 {"type": "user", "title": "t"}, want=201).json()["id"]
    for target in (here, "/v1/memory/entries/%d" % made):
        for body in ({}, b"", None, {"title": None, "archived": None}
                     if target != here else {"archived": None}):
            w.ask("PATCH", target, body, want=400)
    w.same("kept", w.ask("GET", here).json()["title"], "its title")


@case
def what_begins_like_the_admins_is_not_his(w):
    for target in ("/v1/administrator", "/v1/admins", "/v1/adminx/tenants"):
        w.ask("GET", target, token=w.token, want=404)
        w.ask("GET", target, token=ADMIN, want=403)
    for target in ("/v1/admin", "/v1/admin/", "/v1/admin/x"):
        w.ask("GET", target, token=w.token, want=403)
        w.ask("GET", target, token=ADMIN, want=404)


@case
def hints_name_no_commands(w):
    """Whoever asks from afar has no shell there."""
    here = w.conversation()
    w.ask("PUT", here + "/files/x", b"x")
    for method, target, body, token in (
            ("GET", "/v1/conversations/999999", None, w.token),
            ("GET", "/v1/admin/tenants/999999", None, ADMIN),
            ("PATCH", "/v1/admin/tenants/1", {"disabled": True}, ADMIN),
            ("DELETE", "/v1/admin/tenants/1", None, ADMIN),
            ("POST", "/v1/admin/tenants", {"name": ""}, ADMIN),
            ("GET", "/v1/artifacts/999999", None, w.token),
            ("GET", here + "/files/nothing", None, w.token),
            ("GET", here + "/files/x?version=99", None, w.token),
            ("PUT", here + "/files/..", b"x", w.token),
            ("PUT", here + "/files/big", b"x" * (2 << 20), w.token),
            ("GET", here + "/outputs/77", None, w.token),
            ("POST", here + "/entries", {"entry": {}}, w.token),
            ("POST", here + "/entries", {"entry": {"type": "custom"},
                                         "at": "nothing"}, w.token),
            ("POST", here + "/artifacts/restore", {"path": "no"}, w.token),
            ("GET", "/v1/memory/entries/999999", None, w.token),
            ("GET", "/v1/memory/entries?type=nothing", None, w.token),
            ("POST", "/v1/memory/entries", {"type": "x", "title": "t"},
             w.token),
            ("GET", "/v1/blobs/" + "0" * 64, None, w.token)):
        got = w.ask(method, target, body, token)
        w.yes(got.status >= 400, "%s %s: %d" % (method, target, got.status))
        w.yes("quire " not in got.json()["hint"] and
              "--" not in got.json()["hint"],
              "%s %s: %r" % (method, target, got.json()["hint"]))


@case
def a_token_that_ends_before_the_body_does_is_refused(w):
    for end in (lambda one: w.ask("POST", one + "/rotate-token", token=ADMIN,
                                  want=200),
                lambda one: w.ask("PATCH", one, {"disabled": True}, ADMIN,
                                  want=200)):
        number, token = w.tenant()
        request = plain("POST", "/v1/conversations", token,
                        b'{"title": "late"}')
        head, body = request.split(b"\r\n\r\n", 1)
        s = w.server.connect()
        s.sendall(head + b"\r\n\r\n" + body[:1])
        w.ask("GET", "/v1/conversations", token=token, want=200)
        end("/v1/admin/tenants/%d" % number)
        s.sendall(body[1:])
        w.same(401, Reader(s).answer().status, "the end of a revoked token")
        s.close()


@case
def a_body_that_comes_later_is_counted_and_routed_once(w):
    number, token = w.tenant()
    request = plain("POST", "/v1/conversations", token,
                    b'{"title": "slow"}')
    head, body = request.split(b"\r\n\r\n", 1)
    s = w.server.connect()
    s.sendall(head + b"\r\n\r\n" + body[:3])
    w.ask("GET", "/v1/conversations", token=token, want=200)
    s.sendall(body[3:])
    reader = Reader(s)
    w.same(201, reader.answer().status, "a body in two pieces")
    s.sendall(request)
    w.same(201, reader.answer().status, "the next one in one piece")
    s.sendall(head + b"\r\n\r\n")  # and one that never comes
    s.close()
    w.same(2, w.ask("GET", "/v1/conversations", token=token,
                    want=200).json()["count"], "conversations")
