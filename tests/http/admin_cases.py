"""Maintenance of the home by its administrator."""
import os

from client import ADMIN, Server, World, case


@case
def a_collection_is_tried_before_it_is_run(w):
    own = World(Server(w.server.work, "collected"))
    token = own.tenant()[1]
    own.ask("POST", "/v1/blobs", b"nothing refers to this" * 9, token,
            want=201)
    tried = own.ask("POST", "/v1/admin/gc", {"dry_run": True}, ADMIN,
                    want=200).json()
    w.same((1, 0, True), tuple(tried[k] for k in (
        "scanned", "referenced", "dry_run")), "tried")
    ran = own.ask("POST", "/v1/admin/gc", {}, ADMIN, want=200).json()
    w.same((0, 1, False), tuple(ran[k] for k in (
        "removed", "waiting", "dry_run")), "it is within its grace time")
    own.ask("POST", "/v1/admin/gc", {"dry_run": "x"}, ADMIN, want=400)
    w.wrongs += own.wrongs
    w.same(0, own.server.stop()[0], "its exit status")


@case
def a_check_reports_problems_and_ends_in_time(w):
    own = World(Server(w.server.work, "checked"))
    token = own.tenant()[1]
    here = own.ask("POST", "/v1/sessions", {"title": "broken"}, token,
                   want=201).json()
    own.ask("POST", "/v1/sessions/%d/messages" % here["id"],
            {"message": "hello"}, token, want=201)
    got = own.ask("GET", "/v1/admin/check", token=ADMIN, want=200).json()
    w.same((1, [], True), (got["sessions"], got["problems"],
                           got["complete"]), "a sound home")
    path = [os.path.join(top, name)
            for top, _dirs, names in os.walk(own.server.home) for name in names
            if name.endswith(here["session"] + ".jsonl")][0]
    with open(path, "ab") as f:
        f.write(b"{broken\n")
    for depth in ("quick", "usual", "full"):
        got = own.ask("GET", "/v1/admin/check?depth=" + depth, token=ADMIN,
                      want=200).json()
        w.yes(got["n_problems"] >= 1, depth)
        w.yes(any(here["session"] in p["where"] and p["line"]
                  for p in got["problems"]), "its place: %r" % got)
    none = own.ask("GET", "/v1/admin/check?seconds=0", token=ADMIN,
                   want=200).json()
    w.same(False, none["complete"], "without time")
    own.ask("GET", "/v1/admin/check?depth=deep", token=ADMIN, want=400)
    w.wrongs += own.wrongs
    w.same(0, own.server.stop()[0], "its exit status")


@case
def derived_data_is_rebuilt(w):
    at = w.conversation()
    w.ask("POST", at + "/messages", {"message": "a lapwing"}, want=201)
    w.same(True, w.ask("POST", "/v1/admin/reindex", {}, ADMIN, want=200)
           .json()["rebuilt"], "rebuilt")
    w.same(1, w.ask("GET", "/v1/search?q=lapwing", want=200).json()["total"],
           "still found")


@case
def settings_are_read_and_changed(w):
    own = World(Server(w.server.work, "settings"))

    def quota():
        rows = own.ask("GET", "/v1/admin/settings", token=ADMIN,
                       want=200).json()["settings"]
        return [r for r in rows if r["key"] == "quota.tenant"][0]
    w.same("default", quota()["from"], "at first")
    place = "/v1/admin/settings"
    key = "quota.tenant"
    got = own.ask("PUT", place, {"key": key, "value": "1G"}, ADMIN,
                  want=200).json()
    w.same(("1073741824", "quire.db"), (got["value"], got["from"]), "set")
    token = own.tenant()[1]
    w.same(1073741824, own.ask("GET", "/v1/usage", token=token)
           .json()["quotas"]["tenant"], "it holds")
    own.ask("PUT", place, {"key": key, "value": "much"}, ADMIN, want=400)
    own.ask("PUT", place, {"key": key}, ADMIN, want=400)
    own.ask("PUT", place, {"key": "quota.moon", "value": "1"}, ADMIN, want=404)
    own.ask("PUT", place, {"key": key, "value": None}, ADMIN, want=200)
    w.same("default", quota()["from"], "its default again")
    w.wrongs += own.wrongs
    w.same(0, own.server.stop()[0], "its exit status")


@case
def the_administrator_sees_what_each_tenant_holds(w):
    token = w.tenant()[1]
    me = w.ask("GET", "/v1/me", token=token, want=200).json()
    here = w.ask("POST", "/v1/sessions", {}, token, want=201).json()["id"]
    w.ask("PUT", "/v1/sessions/%d/files/a.txt" % here, b"12345", token,
          want=201)
    got = w.ask("GET", "/v1/admin/stats", token=ADMIN, want=200).json()
    own = [t for t in got["tenants"] if t["id"] == me["tenant_id"]][0]
    w.same((1, 1, 5, 500 * 1024 * 1024), tuple(own[k] for k in (
        "sessions", "artifacts", "artifact_bytes", "quota_bytes")), "it holds")
    w.yes(got["total"]["sessions"] >= 1, "all of them")
    for route in ("stats", "check", "settings"):
        w.ask("GET", "/v1/admin/" + route, token=token, want=403)
