"""Two tenants, each trying everything on what is the other's."""
import hashlib
import re
import time

from client import ADMIN, case, fields_of


@case
def what_is_anothers_is_not_there(w):
    mine, theirs = w.token, w.tenant()[1]
    here = w.conversation(title="secret walrus")
    own = w.conversation(theirs)
    w.ask("POST", here + "/messages", {"message": "secret"}, want=201)
    made = w.ask("PUT", here + "/files/s", b"secret walrus", want=201)
    aid = made.json()["artifact"]["id"]
    w.ask("PUT", own + "/files/o", b"own", theirs, want=201)
    a, b = [w.ask("POST", "/v1/memory/entries", {"type": "user", "title": "m"},
                  want=201).json()["id"] for _ in range(2)]
    gone = w.conversation(title="secret penguin")
    away = w.ask("GET", gone).json()["id"]
    w.ask("DELETE", gone + "?trash=true", want=200)
    ids = {"entries": a, "trash": away, "conversation-folders": w.ask(
        "POST", "/v1/conversation-folders", {"name": "f"}).json()["id"],
        "relations": w.ask("POST", "/v1/memory/relations", {
            "source_id": a, "target_id": b,
            "relation": "refines"}).json()["id"]}
    everything = {"title": "taken", "archived": True, "message": "x",
                  "entry": {"type": "custom", "customType": "x"},
                  "path": "s", "content": "taken", "action": "list",
                  "cwd": "/", "name": "taken", "label": "taken",
                  "to": "root"}
    for route, methods in w.server.openapi["paths"].items():
        if "{" not in route or "/admin/" in route or \
                "{sha256}" in route or "{agent}" in route:
            continue
        for method, op in methods.items():
            places = [here]
            if "{aid}" in route:
                places.append(own)  # their conversation, my artifact
            for place in places:
                target = route.replace("/v1/conversations/{id}", place)
                target = target.replace(
                    "/v1/sessions/{id}", place.replace("conversations",
                                                       "sessions"))
                target = target.replace("{aid}", str(aid))
                target = target.replace("{path}", "s").replace("{image}", "1")
                if "{id}" in target:
                    kind = target.split("/{id}")[0].rsplit("/", 1)[1]
                    target = target.replace("{id}", str(ids[kind]))
                fields = fields_of(op)
                body = None if "requestBody" not in op else \
                    {n: v for n, v in everything.items()
                     if fields is None or n in fields}
                for headers in ({}, {"If-Match": "*"}, {"If-None-Match": "*"}):
                    got = w.ask(method.upper(), target, body, theirs, headers)
                    if place == here:
                        w.same(404, got.status, "%s %s of another tenant" %
                               (method, target))
                    else:
                        w.same(404, got.status, "%s %s: my artifact in their "
                               "conversation" % (method, target))
                    w.yes(b"secret" not in got.body, "it is told: %r" % got.body)
    for target in ("/v1/conversations", "/v1/artifacts",
                   "/v1/artifacts/search?q=walrus",
                   "/v1/artifacts/search?q=secret"):
        w.yes(b"walrus" not in w.ask("GET", target, token=theirs,
                                     want=200).body, target + " shows it")
    w.same("secret walrus", w.ask("GET", here, want=200).json()["title"],
           "what they tried changed nothing")
    w.same(b"secret walrus", w.ask("GET", here + "/files/s", want=200).body,
           "nor here")
    w.same(1, w.ask("GET", here + "/messages").json()["count"], "nor here")
    w.same([away], [t["id"] for t in w.ask("GET", "/v1/trash").json()["trash"]],
           "nor in the trash")
    w.yes(mine != theirs, "two of them")


@case
def a_blob_does_not_tell_of_others(w):
    data = b"only one tenant has this"
    theirs = w.tenant()[1]
    w.ask("POST", "/v1/blobs", data, want=201)
    digest = hashlib.sha256(data).hexdigest()
    w.ask("GET", "/v1/blobs/" + digest, want=200)
    ref = "blob:sha256:" + digest
    picture = {"type": "image", "mimeType": "image/png", "data": ref}
    place = w.conversation(theirs)
    w.ask("POST", place + "/messages", {"message": {
        "role": "user", "content": [picture]}}, theirs, want=201)
    for target in ("/v1/blobs/" + digest, "/v1/blobs/" + digest.upper()):
        w.ask("GET", target, token=theirs, want=404)
    got = w.ask("GET", place + "/entries?hydrate=true", token=theirs, want=200)
    w.yes(ref.encode() in got.body, "their entry that names it stays as it is")
    got = w.ask("POST", "/v1/blobs", data, theirs, want=201)
    w.same(False, got.json()["existed"], "another's first time")
    w.ask("GET", "/v1/blobs/" + digest, token=theirs, want=200)
    got = w.ask("POST", "/v1/blobs", data, theirs, want=200)
    w.same(True, got.json()["existed"], "the second")


@case
def an_artifact_is_a_blob_of_its_tenant(w):
    data, theirs = b"an artifact of one", w.tenant()[1]
    w.ask("PUT", w.conversation() + "/files/a", data, want=201)
    digest = hashlib.sha256(data).hexdigest()
    w.same(data, w.ask("GET", "/v1/blobs/" + digest, want=200).body, "content")
    w.ask("GET", "/v1/blobs/" + digest, token=theirs, want=404)
    w.ask("PUT", w.conversation(theirs) + "/files/b", data, theirs, want=201)
    w.ask("GET", "/v1/blobs/" + digest, token=theirs, want=200)


@case
def an_artifact_is_in_its_conversation_alone(w):
    one, two = w.conversation(), w.conversation()
    aid = w.ask("PUT", one + "/files/a", b"x").json()["artifact"]["id"]
    for rest in ("", "/raw", "/versions"):
        w.ask("GET", "%s/artifacts/%d%s" % (one, aid, rest), want=200)
        w.ask("GET", "%s/artifacts/%d%s" % (two, aid, rest), want=404)
        w.ask("GET", "/v1/conversations/999999/artifacts/%d%s" % (aid, rest),
              want=404)
    w.ask("DELETE", "%s/artifacts/%d" % (two, aid), want=404)
    w.ask("GET", two + "/files/a", want=404)
    w.ask("GET", one + "/files/a", want=200)


@case
def a_tenant_is_no_admin(w):
    number, token = w.tenant()
    for route, methods in w.server.openapi["paths"].items():
        if "/admin/" not in route:
            continue
        for method in methods:
            target = re.sub(r"{\w+}", str(number), route)
            w.ask(method.upper(), target, {"name": "x", "disabled": True},
                  token, want=403)
    w.ask("GET", "/v1/conversations", token=token, want=200)
    for target in ("/v1/conversations", "/v1/artifacts", "/v1/blobs/" +
                   "0" * 64):
        got = w.ask("GET", target, token=ADMIN, want=403)
        w.same("forbidden", got.json()["kind"], target)


@case
def names_of_tenants(w):
    w.ask("POST", "/v1/admin/tenants", {"name": "twice"}, ADMIN, want=201)
    for name in ("", "twice", "default", "a/b", "..", "#1", "x" * 5000, "a\nb",
                 " ", "\u00e9"):
        got = w.ask("POST", "/v1/admin/tenants", {"name": name}, ADMIN)
        w.yes(got.status in (201, 400, 409), "%r: %d" % (name, got.status))
        if name in ("", "twice", "default"):
            w.yes(got.status in (400, 409), "%r: %d" % (name, got.status))


@case
def an_answer_given_again_is_the_answer_of_now(w):
    number, token = w.tenant()
    _, other = w.tenant()
    here = w.conversation(token)
    file, every = here + "/files/a.txt", here + "/artifacts"

    def same(text, n):
        for _ in range(3):  # the second time it may be kept
            w.same(text, w.ask("GET", file, token=token).body, "the file")
            w.same(n, w.ask("GET", every, token=token).json()["count"], "files")
            hits = w.ask("GET", "/v1/artifacts/search?q=walrus", token=token)
            w.same(n, len(hits.json()["results"]), "found")
            w.ask("GET", file, token=other, want=404)
            w.ask("GET", file, token="qrt_" + "1" * 64, want=401)

    w.ask("PUT", file, b"walrus", token, want=201)
    same(b"walrus", 1)
    w.ask("PUT", file, b"walrus again", token, want=200)
    w.ask("PUT", here + "/files/b.txt", b"walrus", token, want=201)
    same(b"walrus again", 2)
    w.ask("DELETE", here + "/files/b.txt", token=token, want=200)
    same(b"walrus again", 1)
    got = w.ask("GET", file, token=token, headers={"Range": "bytes=0-2"})
    w.same((206, b"wal"), (got.status, got.body), "a part of it")
    w.ask("GET", file, token=token, want=304,
          headers={"If-None-Match": w.ask("GET", file, token=token)["ETag"]})
    address = "/v1/admin/tenants/%d" % number
    w.ask("PATCH", address, {"disabled": True}, ADMIN, want=200)
    w.ask("GET", file, token=token, want=401)
    w.ask("PATCH", address, {"disabled": False}, ADMIN, want=200)
    same(b"walrus again", 1)
    new = w.ask("POST", address + "/rotate-token", token=ADMIN).json()["token"]
    w.ask("GET", file, token=token, want=401)
    w.ask("GET", file, token=new, want=200)


# ---- further tokens ----------------------------------------------------------

def add_token(w, tenant, want=201, **fields):
    return w.ask("POST", "/v1/admin/tenants/%d/tokens" % tenant, fields, ADMIN,
                 want=want).json()


@case
def a_tenant_has_further_tokens_that_end_one_by_one(w):
    tenant, first = w.tenant()
    address = "/v1/admin/tenants/%d/tokens" % tenant
    one = add_token(w, tenant, label="laptop")
    two = add_token(w, tenant, label="desk")
    w.same((False, False, None), (one["read_only"], one["local"],
                                  one["expires_at"]), "its rights")
    for token in (one["token"], two["token"]):
        w.ask("GET", "/v1/sessions", token=token, want=200)
        w.ask("POST", "/v1/sessions", {"title": "x"}, token, want=201)
    got = w.ask("GET", address, token=ADMIN, want=200)
    w.same(["laptop", "desk"], [t["label"] for t in got.json()["tokens"]],
           "the list")
    for token in (one["token"], two["token"]):
        w.yes(token[4:].encode() not in got.body, "a token is shown once")
    w.ask("DELETE", "%s/%d" % (address, one["id"]), token=ADMIN, want=200)
    w.ask("DELETE", "%s/%d" % (address, one["id"]), token=ADMIN, want=404)
    w.ask("GET", "/v1/sessions", token=one["token"], want=401)
    w.ask("GET", "/v1/sessions", token=two["token"], want=200)
    w.ask("POST", "/v1/admin/tenants/%d/rotate-token" % tenant, token=ADMIN)
    w.ask("GET", "/v1/sessions", token=first, want=401)
    w.ask("GET", "/v1/sessions", token=two["token"], want=200)
    other = w.tenant()[0]
    w.ask("DELETE", "/v1/admin/tenants/%d/tokens/%d" % (other, two["id"]),
          token=ADMIN, want=404)
    events = [e["event"] for e in w.ask("GET", "/v1/admin/audit",
                                        token=ADMIN).json()["entries"]]
    w.yes("token.add" in events and "token.remove" in events, "audit log")


@case
def a_read_only_token_only_reads(w):
    tenant, token = w.tenant()
    here = w.conversation(token)
    w.ask("PUT", here + "/files/a.txt", b"walrus", token, want=201)
    reads = add_token(w, tenant, label="dashboard", read_only=True)["token"]
    # The second answer may come from the cache.
    for _ in range(2):
        for target in (here, here + "/entries", here + "/context",
                       "/v1/sessions", "/v1/search?q=walrus"):
            w.ask("GET", target, token=reads, want=200)
            w.ask("GET", target, token=token, want=200)
    for method, target, body in (
            ("POST", "/v1/sessions", {"title": "x"}),
            ("PATCH", here, {"title": "x"}),
            ("PUT", here + "/files/a.txt", b"seal"),
            ("DELETE", here + "/files/a.txt", None),
            ("POST", here + "/messages", {"message": "x"}),
            ("POST", "/v1/slash", {"text": "[/list]"}),
            ("POST", "/v1/blobs", b"x"), ("DELETE", here, None)):
        got = w.ask(method, target, body, reads, want=403)
        w.yes("only read" in got.json()["error"], got.body.decode())
    w.same(b"walrus", w.ask("GET", here + "/files/a.txt", token=reads).body,
           "nothing changed")


@case
def tokens_that_are_not_valid_for_ever(w):
    tenant, _ = w.tenant()
    now = int(time.time())
    for bad in ({}, {"label": ""}, {"label": "x" * 101}, {"label": "a\tb"},
                {"label": "x", "read_only": "yes"}):
        add_token(w, tenant, want=400, **bad)
    old = add_token(w, tenant, label="old", expires_at=now - 1)["token"]
    soon = add_token(w, tenant, label="soon", expires_at=now + 3600)
    w.same(now + 3600, soon["expires_at"], "its end")
    w.ask("GET", "/v1/sessions", token=old, want=401)
    w.ask("GET", "/v1/sessions", token=soon["token"], want=200)
    # All requests of this test come from this machine.
    local = add_token(w, tenant, label="local", local=True)["token"]
    w.ask("GET", "/v1/sessions", token=local, want=200)
