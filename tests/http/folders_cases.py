"""Folders of conversations, and what an admin has done."""
import json
import os
import subprocess

from client import ADMIN, case

FOLDERS = "/v1/conversation-folders"


def names(w, token="own"):
    return [(f["name"], f["conversations"]) for f in
            w.ask("GET", FOLDERS, token=token, want=200).json()["folders"]]


@case
def a_folder_and_what_is_in_it(w):
    w.same([], names(w), "folders of a new tenant")
    work = w.ask("POST", FOLDERS, {"name": "  work\t"}, want=201).json()
    home = w.ask("POST", FOLDERS, {"name": "home"}, want=201).json()
    w.same("work", work["name"], "blanks are dropped")
    w.ask("POST", FOLDERS, {"name": "work"}, want=409)
    for name in ("", "   ", "x" * 201):
        w.ask("POST", FOLDERS, {"name": name}, want=400)
    here, there, loose = w.conversation(), w.conversation(), w.conversation()
    w.same(None, w.ask("GET", here).json()["folder_id"], "at first in none")
    for at in (here, there):
        before = w.ask("GET", at).json()
        got = w.ask("PATCH", at, {"folder_id": work["id"]}, want=200).json()
        w.same(work["id"], got["folder_id"], "filed")
        w.same(before["updated_at"], got["updated_at"], "nothing else changed")
    w.same([("home", 0), ("work", 2)], names(w), "how many")

    def listed(query):
        got = w.ask("GET", "/v1/conversations?" + query, want=200).json()
        return sorted("/v1/conversations/%d" % c["id"]
                      for c in got["conversations"])
    w.same(sorted([here, there]), listed("folder_id=%d" % work["id"]), "in it")
    w.same([], listed("folder_id=%d" % home["id"]), "in the other")
    w.same([loose], listed("folder_id=0"), "in none")
    w.same(3, len(listed("limit=10")), "all")
    got = w.ask("GET", "/v1/conversations?limit=1&folder_id=%d" % work["id"])
    more = w.ask("GET", "/v1/conversations?limit=1&folder_id=%d&cursor=%s" %
                 (work["id"], got.json()["next_cursor"]), want=200).json()
    w.same(2, len({c["id"] for c in got.json()["conversations"] +
                   more["conversations"]}), "two pages")
    w.ask("PATCH", here, {"folder_id": home["id"], "title": "moved"}, want=200)
    w.same([("home", 1), ("work", 1)], names(w), "it is in one only")
    w.ask("PATCH", here, {"archived": True}, want=200)
    w.same(home["id"], w.ask("GET", here).json()["folder_id"], "archived")
    for nothing in (None, 0):
        w.ask("PATCH", there, {"folder_id": work["id"]}, want=200)
        got = w.ask("PATCH", there, {"folder_id": nothing}, want=200).json()
        w.same(None, got["folder_id"], "taken out")
    w.ask("PATCH", there, {"folder_id": work["id"]}, want=200)
    w.ask("DELETE", there, want=200)
    w.same([("home", 1), ("work", 0)], names(w), "a conversation went")
    one = FOLDERS + "/%d" % home["id"]
    w.same("den", w.ask("PATCH", one, {"name": "den"}, want=200).json()["name"],
           "its new name")
    w.ask("PATCH", one, {"name": "den"}, want=200)
    w.ask("PATCH", one, {"name": "work"}, want=409)
    w.ask("PATCH", one, {}, want=400)
    w.ask("DELETE", one, want=200)
    w.ask("DELETE", one, want=404)
    w.same(None, w.ask("GET", here, want=200).json()["folder_id"],
           "the folder went, the conversation stays")


@case
def folders_are_listed_by_position_and_name(w):
    made = {name: w.ask("POST", FOLDERS, {"name": name}, want=201).json()
            for name in ("c", "a", "b")}
    w.same([0] * 3, [f["position"] for f in made.values()], "at first")

    def place(which, **change):
        return w.ask("PATCH", FOLDERS + "/%d" % made[which]["id"], change,
                     want=200).json()
    w.same(2, place("a", position=2)["position"], "its place")
    w.same(["b", "c", "a"], [n for n, _ in names(w)], "a is last")
    got = place("b", name="z", position=1)
    w.same(("z", 1), (got["name"], got["position"]), "both at once")
    w.same(["c", "z", "a"], [n for n, _ in names(w)], "in order")
    w.same("a", place("a", position=0)["name"], "its name stays")
    w.same(["a", "c", "z"], [n for n, _ in names(w)], "by name again")
    one = FOLDERS + "/%d" % made["a"]["id"]
    for bad in (-1, 1.5, "1", 1 << 31):
        w.ask("PATCH", one, {"position": bad}, want=400)
    w.ask("PATCH", FOLDERS + "/999999", {"position": 1}, want=404)
    tenant = w.ask("GET", "/v1/usage").json()["tenant_id"]
    got = w.ask("GET", FOLDERS).json()
    w.same([tenant] * 4, [got["tenant_id"]] +
           [f["tenant_id"] for f in got["folders"]], "whose they are")


@case
def a_folder_that_is_not_there(w):
    here = w.conversation()
    theirs = w.tenant()[1]
    other = w.ask("POST", FOLDERS, {"name": "theirs"}, theirs).json()["id"]
    for folder in (999999, other):
        w.ask("PATCH", here, {"folder_id": folder, "title": "x"}, want=400)
        w.ask("GET", "/v1/conversations?folder_id=%d" % folder, want=400)
        w.ask("PATCH", FOLDERS + "/%d" % folder, {"name": "x"}, want=404)
        w.ask("DELETE", FOLDERS + "/%d" % folder, want=404)
    w.yes(w.ask("GET", here).json()["title"] != "x", "nothing was changed")
    w.same([("theirs", 0)], names(w, theirs), "nor there")
    w.same([], names(w), "each has its own")


@case
def what_the_admin_did_is_kept(w):
    name = "audited-%d" % os.getpid()
    made = w.ask("POST", "/v1/admin/tenants", {"name": name}, ADMIN).json()
    one = "/v1/admin/tenants/%d" % made["id"]
    other = w.ask("POST", one + "/rotate-token", token=ADMIN).json()["token"]
    w.ask("PATCH", one, {"disabled": True}, ADMIN)
    w.ask("PATCH", one, {"disabled": True}, ADMIN)  # it was already
    w.ask("PATCH", one, {"disabled": False}, ADMIN)
    subprocess.run([w.server.program, "config", "set", "versions.kept", "21"],
                   env=dict(os.environ, QUIRE_HOME=w.server.home), check=True)
    subprocess.run([w.server.program, "config", "set", "versions.kept"],
                   env=dict(os.environ, QUIRE_HOME=w.server.home), check=True)
    w.ask("DELETE", one, token=ADMIN, want=200)
    w.ask("DELETE", one, token=ADMIN, want=404)
    got = w.ask("GET", "/v1/admin/audit?limit=200", token=ADMIN, want=200)
    mine = [e for e in got.json()["entries"]
            if e["tenant_id"] == made["id"] or e["event"] == "config.set"]
    w.same(["tenant.remove", "config.set", "config.set", "tenant.enable",
            "tenant.disable", "tenant.rotate", "tenant.add"],
           [e["event"] for e in mine], "what was done, the last first")
    w.same(["delete_tenant", "update_setting", "update_setting",
            "update_tenant", "update_tenant", "rotate_token", "create_tenant"],
           [e["action"] for e in mine], "as arbiter's clients know it")
    for e in mine:
        w.same(e["created_at"], e["ts"], "the time")
        w.same(("setting", "versions.kept") if e["event"] == "config.set" else
               ("tenant", str(made["id"])),
               (e["target_kind"], e["target_id"]), "the target")
    w.same(["admin"] * 5, [e["actor"] for e in mine
                           if e["event"] != "config.set"], "who did it")
    w.same(["uid:%d" % os.geteuid()] * 2, [
        e["actor"] for e in mine if e["event"] == "config.set"], "and this")
    w.same([("21", None), (None, "21")],
           [(e["before"], e["after"]) for e in mine
            if e["event"] == "config.set"], "the setting")
    full = {"name": name, "disabled": False, "has_token": True}
    w.same((None, full), (mine[-1]["before"], mine[-1]["after"]), "added")
    w.same((full, None), (mine[0]["before"], mine[0]["after"]), "removed")
    w.same((full, dict(full, disabled=True)),
           (mine[4]["before"], mine[4]["after"]), "shut out")
    w.yes(made["token"] not in got.body.decode() and
          other not in got.body.decode(), "a token is told")
    w.yes(b"qrt_" not in got.body, "nor a part of one")


@case
def the_record_in_pages_for_the_admin_alone(w):
    for _ in range(4):
        w.tenant()
    w.ask("GET", "/v1/admin/audit", want=403)
    seen, before = [], None
    for _ in range(1000):
        got = w.ask("GET", "/v1/admin/audit?limit=3" + (
            "&before_id=%d" % before if before else ""), token=ADMIN,
                    want=200).json()
        seen += [e["id"] for e in got["entries"]]
        before = got["next_before_id"]
        if not before:
            break
    w.same(sorted(set(seen), reverse=True), seen, "each once, in order")
    w.same(1, seen[-1], "to the first")
    w.same(len(seen), got["count"] + len(seen) - len(got["entries"]), "count")
    w.same(json.loads("[]"), w.ask(
        "GET", "/v1/admin/audit?before_id=1", token=ADMIN,
        want=200).json()["entries"], "before the first")
