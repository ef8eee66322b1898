"""Pages of other sites: none may ask, unless the server was told so."""
from client import ADMIN, Server, World, case, exchange, plain, slow_case

APP = "https://app.example"
OTHER = "http://dev.example:5173"


@case
def none_unless_it_was_allowed(w):
    for headers in ({}, {"Origin": "http://localhost"}):
        got = exchange(w.server, plain("OPTIONS", "/v1/conversations",
                                       headers=headers))
        for name in got.headers:
            w.yes(not name.startswith("access-control-"), name)
    w.ask("GET", "/v1/usage", headers={"Origin": APP}, want=403)
    got = exchange(w.server, plain("OPTIONS", "/v1/usage", headers={
        "Origin": APP, "Access-Control-Request-Method": "GET"}))
    w.same(403, got.status, "a question in advance")
    w.yes("access-control-allow-origin" not in got.headers, "nothing allowed")


@slow_case
def those_that_were_allowed_and_no_others(w):
    server = Server(w.server.work, "cors", options=[
        "--allow-origin", APP, "--allow-origin", OTHER])
    world = World(server)
    here = world.conversation()
    for origin in (APP, OTHER, "HTTPS://APP.EXAMPLE"):
        got = world.ask("GET", here, headers={"Origin": origin}, want=200)
        w.same(origin, got["Access-Control-Allow-Origin"], "to whom")
        w.yes("Origin" in got["Vary"], "Vary: " + got["Vary"])
        w.yes("etag" in got["Access-Control-Expose-Headers"].lower(), "exposed")
        w.same("", got["Access-Control-Allow-Credentials"], "no cookies")
        for token, want in ((None, 401), ("qrt_" + "0" * 64, 401)):
            got = world.ask("GET", here, token=token, headers={
                "Origin": origin}, want=want)
            w.same(origin, got["Access-Control-Allow-Origin"], "a refusal")
        got = exchange(server, plain("OPTIONS", here, headers={
            "Origin": origin, "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "authorization"}))
        w.same(204, got.status, "a question in advance")
        w.same(origin, got["Access-Control-Allow-Origin"], "to whom")
        w.yes({"GET", "PATCH", "DELETE"} <= set(
            got["Access-Control-Allow-Methods"].split(", ")), "methods: " +
            got["Access-Control-Allow-Methods"])
        allowed = got["Access-Control-Allow-Headers"].lower().split(", ")
        for name in ("authorization", "content-type", "idempotency-key",
                     "if-match", "if-none-match", "range"):
            w.yes(name in allowed, name)
        w.yes(int(got["Access-Control-Max-Age"]) > 0, "for how long")
    for origin in ("https://evil.example", "http://app.example",
                   "https://app.example:444", "https://app.example.evil",
                   "https://xapp.example", "null", "*"):
        for method in ("GET", "OPTIONS"):
            got = exchange(server, plain(method, here, world.token, headers={
                "Origin": origin, "Access-Control-Request-Method": "GET"}))
            w.same(403, got.status, "%s of %s" % (method, origin))
            w.yes("access-control-allow-origin" not in got.headers, origin)
    got = world.ask("GET", "/v1/admin/tenants", token=ADMIN, want=200)
    w.yes("Origin" in got["Vary"], "Vary, also without an origin")
    w.same("", got["Access-Control-Allow-Origin"], "and no more")
    w.same(0, server.stop()[0], "its end")
