"""Every route, asked as it wants to be asked; and what comes back."""
import base64
import hashlib
import json

from client import ADMIN, Server, World, case


@case
def what_anybody_may_ask(w):
    for target in ("/healthz", "/readyz", "/version", "/openapi.json"):
        w.ask("GET", target, token=None, want=200)
    got = w.ask("GET", "/openapi.json", token=None).json()
    w.yes(got["openapi"].startswith("3.1"), "it is OpenAPI 3.1")


@case
def the_life_of_a_tenant(w):
    got = w.ask("POST", "/v1/admin/tenants", {"name": "life"}, ADMIN, want=201)
    tenant, token = got.json()["id"], got.json()["token"]
    w.yes(token.startswith("qrt_") and len(token) == 68, "its token: " + token)
    one = "/v1/admin/tenants/%d" % tenant
    w.same("life", w.ask("GET", one, token=ADMIN, want=200).json()["name"],
           "its name")
    for target in (one, "/v1/admin/tenants"):
        w.yes(token[4:].encode() not in w.ask("GET", target, token=ADMIN).body,
              "a token is shown once")
    listed = w.ask("GET", "/v1/admin/tenants", token=ADMIN, want=200).json()
    w.yes(tenant in [t["id"] for t in listed["tenants"]], "it is listed")
    w.ask("GET", "/v1/conversations", token=token, want=200)
    new = w.ask("POST", one + "/rotate-token", token=ADMIN,
                want=200).json()["token"]
    w.ask("GET", "/v1/conversations", token=token, want=401)
    w.ask("GET", "/v1/conversations", token=new, want=200)
    w.ask("PATCH", one, {"disabled": True}, ADMIN, want=200)
    w.ask("GET", "/v1/conversations", token=new, want=401)
    w.ask("PATCH", one, {"disabled": False}, ADMIN, want=200)
    here = w.conversation(new)
    w.ask("PUT", here + "/files/a", b"x", new, want=201)
    w.yes(w.ask("DELETE", one, token=ADMIN).status >= 400,
          "one that has something is not removed without all")
    w.ask("DELETE", one + "?all=true", token=ADMIN, want=200)
    w.ask("GET", one, token=ADMIN, want=404)
    w.ask("GET", "/v1/conversations", token=new, want=401)


@case
def the_life_of_a_conversation(w):
    here = w.conversation(title="first")
    got = w.ask("GET", here, want=200).json()
    w.same("first", got["title"], "its title")
    w.same(False, got["archived"], "archived")
    w.same("second", w.ask("PATCH", here, {"title": "second"},
                           want=200).json()["title"], "its new title")
    w.ask("PATCH", here, {"title": None}, want=200)
    w.same(True, w.ask("PATCH", here, {"archived": True},
                       want=200).json()["archived"], "archived")
    w.ask("PATCH", here, {"archived": None}, want=400)
    w.same(True, w.ask("GET", here, want=200).json()["archived"], "still")
    w.same([], w.ask("GET", "/v1/conversations").json()["conversations"],
           "what was put away is not listed")
    w.same(1, w.ask("GET", "/v1/conversations?archived=true").json()["count"],
           "it is, if asked")
    w.same(False, w.ask("PATCH", here, {"archived": False},
                        want=200).json()["archived"], "archived")
    w.ask("DELETE", here, want=200)
    w.ask("GET", here, want=404)
    w.ask("DELETE", here, want=404)


def an_export(w, here, first):
    got = w.ask("GET", here + "/export?to=markdown", want=200)
    w.yes(b"hello" in got.body, "the text")
    w.same("text/markdown; charset=utf-8", got.headers["content-type"], "type")
    w.yes(got.headers["content-disposition"].startswith("attachment"),
          "a file to save")
    got = w.ask("GET", here + "/export?to=codex&redact=true&leaf=" + first,
                want=200)
    w.yes(b"hello" in got.body and b"three" not in got.body, "the path")
    w.ask("GET", here + "/export?to=nothing", want=400)
    there = here.replace("conversations", "sessions")
    got = w.ask("GET", there + "/export", want=200)
    w.same(b'{"type":"session"', got.body[:17], "Quire's own format")
    w.ask("GET", here + "/export?to=html&leaf=nothing", want=404)


@case
def secrets_are_named_in_a_header(w):
    own = World(Server(w.server.work, "secrets"))
    token = own.tenant()[1]
    here = own.conversation(token)
    entry = {"type": "message", "message": {
        "role": "user", "content": "key ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"}}

    def ask(method, at, body=None, want=200):
        return own.ask(method, at, body, token, want=want)

    got = ask("POST", here + "/entries", {"entry": entry}, 201)
    own.same(None, got.headers.get("quire-secrets"), "off")
    own.ask("PUT", "/v1/admin/settings", {"key": "secrets", "value": "maybe"},
            ADMIN, want=400)
    own.ask("PUT", "/v1/admin/settings", {"key": "secrets", "value": "mask"},
            ADMIN, want=200)
    got = ask("POST", here + "/entries", {"entry": entry}, 201)
    own.same('github-token;place="/message/content";at=4;bytes=40;masked',
             got.headers["quire-secrets"], "the header")
    got = ask("GET", here + "/entries/" + got.json()["id"])
    own.same("key [redacted: github-token]",
             got.json()["message"]["content"], "stored")
    entry["message"]["content"] = "password=hunter22x " * 30
    got = ask("POST", here + "/entries", {"entry": entry}, 201)
    own.yes(got.headers["quire-secrets"].endswith(", more=20"), "the rest")
    own.same(10, got.headers["quire-secrets"].count("password;"), "ten")
    got = ask("PUT", here + "/files/x.env", b"password=hunter22x", 201)
    own.same('password;place="x.env";at=9;bytes=9;masked',
             got.headers["quire-secrets"], "of an artifact")
    got = ask("POST", here + "/workspace", {
        "action": "write", "filename": "w.env",
        "content": "password=hunter22x"}).json()
    own.same("w.env", got["secrets"][0]["place"], "of the tool")
    got = ask("POST", here + "/outputs?tool=env", b"password=hunter22x\n")
    own.same('password;place="";at=9;bytes=9;masked',
             got.headers["quire-secrets"], "of an output")
    w.wrongs += own.wrongs
    w.same(0, own.server.stop()[0], "its exit status")


@case
def entries_and_messages(w):
    here = w.conversation()
    first = w.ask("POST", here + "/messages", {"message": "hello"},
                  want=201).json()
    entry = {"type": "message", "message": {"role": "user", "content": "two"}}
    second = w.ask("POST", here + "/entries", {"entry": entry},
                   want=201).json()
    w.same(first["id"], second["parentId"], "the parent of the second")
    w.ask("POST", here + "/messages",
          {"message": [{"type": "text", "text": "three"}], "op": "once"},
          want=201)
    again = w.ask("POST", here + "/messages",
                  {"message": [{"type": "text", "text": "three"}],
                   "op": "once"})
    w.same(True, again.json()["existed"], "done once")
    w.ask("POST", here + "/messages",
          {"message": "x", "expect": first["id"]}, want=409)
    got = w.ask("GET", here + "/messages", want=200).json()
    w.same(3, got["count"], "messages")
    w.same("hello", got["messages"][0]["message"]["content"], "the first")
    page = w.ask("GET", here + "/messages?limit=2").json()
    w.same((2, 2), (page["count"], page["next_after"]), "a page")
    page = w.ask("GET", here + "/messages?limit=2&after=2").json()
    w.same((1, None), (page["count"], page["next_after"]), "the last page")
    w.yes(w.ask("GET", here + "/entries", want=200).json()["count"] >= 3,
          "entries")
    w.yes("messages" in w.ask("GET", here + "/context", want=200).json(),
          "a context has messages")
    w.ask("GET", here + "/context?leaf=" + first["id"], want=200)
    an_export(w, here, first["id"])
    nodes = w.ask("GET", here + "/tree", want=200).json()["nodes"]
    w.same(1, len([n for n in nodes if n["leaf"]]), "one leaf")


@case
def the_workspace(w):
    here = w.conversation()
    got = w.ask("POST", here + "/workspace",
                {"action": "list"}, want=200).json()
    w.yes("success" in got, "the tool's envelope: %r" % got)


@case
def the_life_of_an_artifact(w):
    here = w.conversation()
    put = {"path": "notes/a.md", "content": "walrus", "mime_type":
           "text/markdown", "purpose": "to see", "tags": ["one", "two"]}
    got = w.ask("POST", here + "/artifacts", put, want=201).json()
    one = got["artifact"]
    w.same(True, got["created"], "created")
    w.same(["one", "two", "document", "markdown"], one["tags"], "tags")
    w.same(hashlib.sha256(b"walrus").hexdigest(), one["sha256"], "sha256")
    put["content"] = "walrus two"
    got = w.ask("POST", here + "/artifacts", put, want=200).json()
    w.same((False, one["id"], 2), (got["created"], got["artifact"]["id"],
                                   got["artifact"]["version"]), "replaced")
    for at in (here, "/v1"):
        it = "%s/artifacts/%d" % (at, one["id"])
        w.same(10, w.ask("GET", it, want=200).json()["size"], "its size")
        raw = w.ask("GET", it + "/raw", want=200)
        w.same((b"walrus two", "text/markdown"),
               (raw.body, raw["Content-Type"]), "raw")
        w.same(b"walrus", w.ask("GET", it + "/raw?version=1", want=200).body,
               "the first version")
        w.ask("GET", it + "?version=9", want=404)
        w.ask("GET", it + "/raw?version=9", want=404)
    w.same(2, len(w.ask("GET", "%s/artifacts/%d/versions" % (here, one["id"]),
                        want=200).json()["versions"]), "versions")
    for target in (here + "/artifacts", "/v1/artifacts"):
        got = w.ask("GET", target, want=200).json()
        w.same((1, None), (got["count"], got["next_cursor"]), target)
    hits = w.ask("GET", "/v1/artifacts/search?q=walrus", want=200).json()
    w.same([one["id"]], [h["id"] for h in hits["results"]], "found")
    hits = w.ask("GET", "/v1/artifacts/search?q=%3F%21", want=200).json()
    w.same([], hits["results"], "hits of a query without words")
    hits = w.ask("GET", "/v1/artifacts/search?q=nothinglikeit", want=200)
    w.same([], hits.json()["results"], "not found")
    w.ask("DELETE", "%s/artifacts/%d" % (here, one["id"]), want=200)
    w.ask("GET", "%s/artifacts/%d/raw" % (here, one["id"]), want=404)
    w.same(1, w.ask("GET", here + "/artifacts?deleted=true").json()["count"],
           "what was put away")
    one = w.ask("PUT", here + "/files/b", b"x", want=201).json()["artifact"]
    w.ask("DELETE", "/v1/artifacts/%d" % one["id"], want=200)
    w.ask("PUT", here + "/files/c", b"x", want=201)
    w.ask("DELETE", here + "/files/c", want=200)
    w.ask("GET", here + "/files/c", want=404)


@case
def content_as_base64(w):
    here = w.conversation()
    data = bytes(range(256))
    put = {"path": "all.bin", "encoding": "base64",
           "content": base64.b64encode(data).decode()}
    w.ask("POST", here + "/artifacts", put, want=201)
    w.same(data, w.ask("GET", here + "/files/all.bin", want=200).body, "bytes")
    for wrong in ({"content": "%%%"}, {"encoding": "rot13"}):
        w.ask("POST", here + "/artifacts", dict(put, **wrong), want=400)


@case
def blobs(w):
    data = b"a blob \x00\xff" * 1000
    digest = hashlib.sha256(data).hexdigest()
    got = w.ask("POST", "/v1/blobs", data, want=201).json()
    w.same(digest, got["sha256"], "its digest")
    w.ask("POST", "/v1/blobs", data, want=200)
    w.same(data, w.ask("GET", "/v1/blobs/" + digest, want=200).body, "content")
    w.ask("GET", "/v1/blobs/" + "0" * 64, want=404)
    for name in ("abc", "z" * 64, digest + "0"):
        w.yes(w.ask("GET", "/v1/blobs/" + name).status in (400, 404), name)


@case
def the_sums_do_not_depend_on_the_page(w):
    here = w.conversation()
    for i in range(5):
        w.ask("PUT", "%s/files/f%d" % (here, i), b"x" * 100, want=201)
    other = w.conversation()
    w.ask("PUT", other + "/files/f", b"x" * 50, want=201)
    for query in ("", "?limit=2"):
        got = w.ask("GET", here + "/artifacts" + query).json()
        w.same((500, 550), (got["bytes_used"], got["tenant_bytes_used"]),
               "bytes of a conversation, listed with " + (query or "no limit"))
        got = w.ask("GET", "/v1/artifacts" + query).json()
        w.same(550, got["bytes_used"], "bytes of a tenant")


@case
def pages_give_each_artifact_exactly_once(w):
    here = w.conversation()
    made = set()
    from client import Reader, plain
    with w.server.connect() as s:
        reader = Reader(s)
        for i in range(300):
            s.sendall(plain("PUT", "%s/files/n%d" % (here, i), w.token, b"x"))
            made.add(json.loads(reader.answer().body)["artifact"]["id"])
    for target in (here + "/artifacts", "/v1/artifacts"):
        seen, cursor, pages = [], "", 0
        while cursor is not None and pages < 20:
            got = w.ask("GET", target + "?limit=50" +
                        ("&cursor=" + cursor if cursor else ""),
                        want=200).json()
            seen += [a["id"] for a in got["artifacts"]]
            cursor, pages = got["next_cursor"], pages + 1
        w.same(6, pages, "pages of " + target)
        w.same(300, len(seen), "artifacts of " + target)
        w.same(made, set(seen), "the same of " + target)
    for cursor in ("x", "1", "1.", ".1", "1.2x", "-1.-1", "0.0", "%00"):
        w.ask("GET", here + "/artifacts?cursor=" + cursor, want=400)


@case
def pages_give_each_conversation_exactly_once(w):
    made = {int(w.conversation().rsplit("/", 1)[1]) for _ in range(30)}
    seen, cursor = [], ""
    while cursor is not None and len(seen) < 100:
        got = w.ask("GET", "/v1/conversations?limit=7" +
                    ("&cursor=" + cursor if cursor else ""), want=200).json()
        seen += [c["id"] for c in got["conversations"]]
        cursor = got["next_cursor"]
    w.same(sorted(made), sorted(seen), "conversations")
    for cursor in ("x", "1", "1.", ".1", "-1.a"):
        w.ask("GET", "/v1/conversations?cursor=" + cursor, want=400)


@case
def forks_moves_and_what_is_restored(w):
    here = w.conversation(title="one")
    w.ask("POST", here + "/messages", {"message": "x"}, want=201)
    w.ask("POST", here + "/fork", {}, want=201)
    w.ask("POST", here + "/move", {"cwd": "/elsewhere"}, want=200)
    w.ask("PUT", here + "/files/r", b"x", want=201)
    w.ask("DELETE", here + "/files/r", want=200)
    w.ask("POST", here + "/artifacts/restore", {"path": "r"}, want=200)
    w.same(b"x", w.ask("GET", here + "/files/r", want=200).body, "restored")


@case
def outputs(w):
    here = w.conversation()
    w.ask("POST", here + "/outputs", b"little text", want=200)
    text = b"a line of many\n" * 10000
    w.ask("POST", here + "/outputs", text, want=201)
    w.ask("GET", here + "/outputs", want=200)
    w.same(text, w.ask("GET", here + "/outputs/0", want=200).body, "kept")


@case
def lines_of_an_output_have_numbers(w):
    here = w.conversation()
    text = "".join("line %d\n" % i for i in range(1, 301)) + "x" * 100000
    w.ask("POST", here + "/outputs?threshold=10", text.encode(), want=201)

    def lines(query=""):
        return w.ask("GET", here + "/outputs/0/lines" + query, want=200).json()
    got = lines()
    w.same((200, [1, "line 1"], [200, "line 200"], True),
           (len(got["lines"]), got["lines"][0], got["lines"][-1], got["more"]),
           "the first")
    got = lines("?offset=299&limit=9")
    w.same(([299, "line 299"], False), (got["lines"][0], got["more"]),
           "from a line on")
    number, last, cut = got["lines"][-1]
    w.same((301, True, True), (number, cut, 1000 < len(last) < 100000),
           "a long line is cut")
    got = lines("?grep=LINE+.*7%24&ignore_case=true&limit=2")
    w.same(([[7, "line 7"], [17, "line 17"]], True),
           (got["lines"], got["more"]), "lines that match")
    w.same([], lines("?grep=walrus")["lines"], "none does")
    w.same([300, 301], [r[0] for r in lines("?tail=2")["lines"]], "the last")
    w.ask("GET", here.replace("conversations", "sessions") +
          "/outputs/0/lines?limit=1", want=200)
    w.ask("GET", here + "/outputs/0/lines?grep=(", want=400)
    w.ask("GET", here + "/outputs/9/lines", want=404)


@case
def memory(w):
    entries = "/v1/memory/entries"
    ids = [w.ask("POST", entries, {"type": "user", "title": "t%d" % i,
                                   "content": "walrus", "tags": ["a"]},
                 want=201).json()["id"] for i in range(3)]
    one = "%s/%d" % (entries, ids[0])
    w.ask("GET", one, want=200)
    w.same("new", w.ask("PATCH", one, {"title": "new"},
                        want=200).json()["title"], "its title")
    w.ask("GET", entries, want=200)
    relation = w.ask("POST", "/v1/memory/relations",
                     {"source_id": ids[0], "target_id": ids[1],
                      "relation": "refines"}, want=201).json()["id"]
    for target in ("/v1/memory/relations", "/v1/memory/graph",
                   "/v1/memory/shared", "/v1/memory/index", "/v1/memory"):
        w.ask("GET", target, want=200)
    w.ask("DELETE", "/v1/memory/relations/%d" % relation, want=200)
    w.ask("POST", "%s/%d/invalidate" % (entries, ids[1]), {}, want=200)
    w.ask("GET", "%s/%d" % (entries, ids[1]), want=404)
    w.ask("DELETE", one, want=200)
    other = w.tenant()[1]
    for method, rest in (("GET", ""), ("PATCH", ""), ("DELETE", ""),
                         ("POST", "/invalidate")):
        w.ask(method, "%s/%d%s" % (entries, ids[2], rest),
              {"title": "x"} if method == "PATCH" else {}, other, want=404)


@case
def history_and_slash(w):
    w.ask("POST", "/v1/history", {"prompt": "walrus"}, want=201)
    w.yes(b"walrus" in w.ask("GET", "/v1/history", want=200).body, "kept")
    w.ask("POST", "/v1/slash", {"text": "/list"}, want=200)
    w.ask("GET", "/v1/usage", want=200)
