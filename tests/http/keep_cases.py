"""Pins and holds of conversations."""
from client import ADMIN, case


@case
def a_pin_and_a_hold_by_patch(w):
    here, there = w.conversation(), w.conversation()
    row = w.ask("GET", here, want=200).json()
    w.same((False, False, None),
           (row["pinned"], row["held"], row["hold_reason"]), "at first")
    row = w.ask("PATCH", here, {"pinned": True}, want=200).json()
    w.same(True, row["pinned"], "pinned")
    got = w.ask("GET", "/v1/sessions?pinned=true", want=200).json()
    w.same([row["id"]], [c["id"] for c in got["sessions"]], "pinned ones")
    row = w.ask("PATCH", here, {"hold_reason": "case 12"}, want=200).json()
    w.same((True, True, "case 12"),
           (row["pinned"], row["held"], row["hold_reason"]), "held, too")
    got = w.ask("DELETE", here, want=409).json()
    w.yes("case 12" in got["error"], got["error"])
    w.ask("PATCH", here, {"hold_reason": "another"}, want=409)
    w.ask("PATCH", here, {"hold_reason": ""}, want=400)
    w.ask("PATCH", here, {"pinned": False}, want=200)
    row = w.ask("PATCH", here, {"hold_reason": None}, want=200).json()
    w.same((False, False), (row["pinned"], row["held"]), "neither")
    w.ask("DELETE", here, want=200)
    w.ask("GET", there, want=200)
    done = w.ask("GET", "/v1/admin/audit?limit=200", token=ADMIN).json()
    events = [e["event"] for e in done["entries"]]
    w.yes("session.hold" in events and "session.release" in events, events)


def trash(w, token="own"):
    return w.ask("GET", "/v1/trash", token=token, want=200).json()["trash"]


@case
def a_conversation_to_the_trash_and_back(w):
    here = w.conversation(title="one")
    w.ask("PUT", here + "/files/a.txt", b"hello", want=201)
    before = w.ask("GET", here, want=200).json()
    w.ask("DELETE", here + "?trash=true", want=200)
    w.ask("GET", here, want=404)
    rows = trash(w)
    w.same([(before["id"], before["session"], "one")],
           [(r["id"], r["session"], r["title"]) for r in rows], "in the trash")
    w.yes(rows[0]["purge_at"] - rows[0]["removed_at"] == 30 * 86400, "30 days")
    w.same(0, w.ask("GET", "/v1/usage").json()["bytes_used"], "no quota")
    w.same([], trash(w, w.tenant()[1]), "of another tenant")
    w.ask("POST", here + "/restore", token=w.tenant()[1], want=404)
    back = w.ask("POST", here + "/restore", {}, want=200).json()
    w.same(before, back, "as it was")
    w.same(b"hello", w.ask("GET", here + "/files/a.txt", want=200).body, "file")
    w.same([], trash(w), "none left")
    w.ask("POST", here + "/restore", {}, want=404)
    w.ask("DELETE", here + "?trash=true", want=200)
    w.ask("POST", "/v1/sessions/%s/restore" % before["session"], {}, want=200)


@case
def the_trash_is_emptied(w):
    ids = []
    for _ in range(3):
        here = w.conversation()
        ids.append(w.ask("GET", here).json()["id"])
        w.ask("DELETE", here + "?trash=true", want=200)
    w.same(0, w.ask("DELETE", "/v1/trash?older_than=3600",
                    want=200).json()["removed"], "none is that old")
    w.ask("DELETE", "/v1/trash/%d" % ids[0], want=200)
    w.ask("DELETE", "/v1/trash/%d" % ids[0], want=404)
    w.same(2, w.ask("DELETE", "/v1/trash", want=200).json()["removed"], "all")
    w.same([], trash(w), "none left")
    here = w.conversation()
    w.ask("DELETE", here, want=200)
    w.same([], trash(w), "DELETE alone removes at once")
