"""Sessions as the viewer reads them: heads, windows, entries, images."""
import base64
import json
import struct
import zlib

from client import case


def png(width, height):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + b"\x40" * 3 * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def add(w, here, message, **more):
    entry = dict({"type": "message", "message": message}, **more)
    return w.ask("POST", here + "/entries", {"entry": entry},
                 want=201).json()["id"]


def ask(w, here, what, **query):
    text = "&".join("%s=%s" % (k, v) for k, v in query.items())
    return w.ask("GET", here + "/" + what + ("?" + text if text else ""),
                 want=200).json()


def talk(w, here):
    """A question, an answer with a call, its result, an answer."""
    picture = base64.b64encode(png(300, 20)).decode()
    return [
        add(w, here, {"role": "user", "content": "fix it\nplease"}),
        add(w, here, {"role": "assistant", "model": "m-1", "content": [
            {"type": "thinking", "thinking": "well"},
            {"type": "text", "text": "yes"},
            {"type": "toolCall", "id": "c", "name": "Edit",
             "arguments": {"path": "a.c"}}],
            "usage": {"input": 7, "output": 5, "cacheRead": 3}}),
        add(w, here, {"role": "toolResult", "toolCallId": "c",
                      "toolName": "Edit", "isError": True,
                      "content": [{"type": "text", "text": "no"},
                                  {"type": "image", "data": picture,
                                   "mimeType": "image/png"}]}),
        add(w, here, {"role": "assistant", "model": "m-1",
                      "content": [{"type": "text", "text": "x" * 5000}]}),
    ]


@case
def heads_say_what_every_entry_is(w):
    here = w.conversation(title="heads")
    ids = talk(w, here)
    got = ask(w, here, "heads")
    w.same("heads", got["session"]["title"], "title")
    w.same((4, 3, 0), (got["n"], got["leaf"], got["from"]), "its size")
    w.same(ids, got["id"], "ids")
    w.same([0, 1, 1, 1], got["up"], "parents")
    roles = [got["roles"][i] for i in got["role"]]
    w.same(["user", "assistant", "toolResult", "assistant"], roles, "roles")
    tools = [got["tools"][i] if i >= 0 else None for i in got["tool"]]
    w.same([None, "Edit", "Edit", None], tools, "tools")
    w.same([0, 5, 0, 0], got["tokens"], "output tokens")
    w.same([0, 10, 0, 0], got["context"], "input and cached tokens")
    w.same([0, 1, 0, 0], got["calls"], "calls")
    error, images, thinking, calls, edit, text = 1, 2, 4, 8, 128, 512
    w.same([text, thinking | calls | edit | text, error | images | text, text],
           got["flags"], "flags")
    w.same(2, got["lines"][0], "lines")
    w.yes(got["lines"][3] > 30, "lines of a long line: %r" % got["lines"])
    w.yes(all(size > 50 for size in got["size"]), "sizes")
    call = add(w, here, {"role": "assistant", "content": [
        {"type": "text", "text": ""},
        {"type": "toolCall", "id": "d", "name": "read", "arguments": {}}]})
    got = ask(w, here, "heads", **{"from": 4})
    w.same(([call], [calls]), (got["id"], got["flags"]), "a call without text")


@case
def heads_go_on_where_they_ended(w):
    here = w.conversation()
    first = talk(w, here)
    whole = ask(w, here, "heads")
    new = [add(w, here, {"role": "user", "content": "more"}, parentId=first[0]),
           w.ask("POST", here + "/entries", {"entry": {
               "type": "label", "targetId": first[1], "label": "here"}},
               want=201).json()["id"]]
    got = ask(w, here, "heads", **{"from": 4})
    w.same(whole["generation"], got["generation"], "the same file")
    w.same((new, 6, [4, 1]), (got["id"], got["n"], got["up"]), "the rest")
    w.same(32, got["flags"][1], "a label is not shown")
    got = ask(w, here, "heads")
    w.same(16, got["flags"][1] & 16, "the entry has a label")
    w.same([], ask(w, here, "heads", **{"from": 99})["id"], "behind the end")


@case
def a_window_is_a_part_of_a_path(w):
    here = w.conversation()
    ids = [add(w, here, {"role": "user", "content": str(i)})
           for i in range(30)]
    side = add(w, here, {"role": "user", "content": "side"}, parentId=ids[4])

    def listed(got):
        return [e["entry"]["id"] for e in got["entries"]]

    got = ask(w, here, "window")
    w.same((ids[:5] + [side], 6, 0, side),
           (listed(got), got["n"], got["from"], got["leaf"]), "current leaf")
    got = ask(w, here, "window", leaf=ids[29], **{"from": 10, "limit": 3})
    w.same((ids[10:13], 30, 10), (listed(got), got["n"], got["from"]), "from")
    w.same([10, 11, 12], [e["position"] for e in got["entries"]], "positions")
    got = ask(w, here, "window", leaf=ids[29], at=ids[20], before=2, limit=4)
    w.same(ids[18:22], listed(got), "around an entry")
    got = ask(w, here, "window", leaf=ids[29], at=ids[1], before=9, limit=4)
    w.same(ids[0:4], listed(got), "around the first ones")
    w.same([], listed(ask(w, here, "window", leaf=ids[29], **{"from": 99})),
           "behind the end")
    w.ask("GET", here + "/window?at=" + ids[20], want=404)
    w.ask("GET", here + "/window?leaf=nothing", want=404)
    empty = ask(w, w.conversation(), "window")
    w.same(([], 0, None), (empty["entries"], empty["n"], empty["leaf"]),
           "of an empty session")


@case
def long_strings_are_cut_and_read_in_parts(w):
    here = w.conversation()
    text = "a\"\n" + "é😀" * 500 + "\n" + "end"
    one = add(w, here, {"role": "user", "content": [{"type": "text",
                                                     "text": text}],
                        "odd/~key": "y" * 200})
    got = ask(w, here, "window", cut=100)["entries"][0]
    units = len(text.encode("utf-16-le")) // 2
    w.same([{"pointer": "/message/content/0/text", "length": units,
             "lines": 3},
            {"pointer": "/message/odd~1~0key", "length": 200, "lines": 1}],
           got["cuts"], "what was cut")
    shown = got["entry"]["message"]["content"][0]["text"]
    w.yes(text.startswith(shown) and len(shown) < 100, shown)
    at = here + "/entries/" + one
    w.same(text, w.ask("GET", at, want=200).json()["message"]["content"][0]
           ["text"], "the whole entry")
    read, offset = "", 0
    while offset is not None:
        part = w.ask("GET", at + "?pointer=/message/content/0/text&limit=64"
                     "&offset=%d" % offset, want=200).json()
        w.same(units, part["length"], "length")
        read, offset = read + part["text"], part["next"]
    w.same(text, read, "its parts")
    at = at.replace("conversations", "sessions")
    w.same("y" * 200, w.ask("GET", at + "?pointer=/message/odd~1~0key")
           .json()["text"], "a pointer with escapes")
    w.ask("GET", at + "?pointer=/message/nothing", want=404)
    w.ask("GET", here + "/entries/nothing", want=404)


@case
def images_come_with_their_size_and_one_by_one(w):
    here = w.conversation()
    small = png(7, 5)
    big = png(300, 20)
    ids = talk(w, here)
    two = add(w, here, {"role": "user", "content": [
        {"type": "image", "mimeType": "image/png",
         "data": base64.b64encode(small).decode()},
        {"type": "text", "text": "data"},
        {"type": "image", "mimeType": "image/svg+xml",
         "data": base64.b64encode(b"<svg onload='x'/>").decode()}]})
    entries = {e["entry"]["id"]: e["entry"]["message"]["content"]
               for e in ask(w, here, "window", cut=10)["entries"]}
    image = entries[ids[2]][1]
    w.same({"type": "image", "image": 1, "bytes": len(big), "width": 300,
            "height": 20, "mimeType": "image/png"}, image, "one in the store")
    image = entries[two][0]
    w.same((1, len(small), 7, 5), (image["image"], image["bytes"],
                                   image["width"], image["height"]), "inline")
    w.same((2, 0), (entries[two][2]["image"], entries[two][2]["width"]),
           "what is no picture")
    for entry, number, want, kind in (
            (ids[2], 1, big, "image/png"), (two, 1, small, "image/png"),
            (two, 2, b"<svg onload='x'/>", "application/octet-stream")):
        here = here.replace("conversations", "sessions") if number == 2 else here
        got = w.ask("GET", "%s/entries/%s/images/%d" % (here, entry, number),
                    want=200)
        w.same(want, got.body, "its bytes")
        w.same(kind, got["Content-Type"], "its type")
        w.same("nosniff", got["X-Content-Type-Options"], "not sniffed")
        w.yes("sandbox" in got["Content-Security-Policy"], "in a sandbox")
        w.same("attachment", got["Content-Disposition"], "not shown")
    w.ask("GET", "%s/entries/%s/images/3" % (here, two), want=404)
    w.ask("GET", "%s/entries/%s/images/1" % (here, ids[0]), want=404)


@case
def a_window_ends_before_it_is_too_large(w):
    here = w.conversation()
    for i in range(6):
        add(w, here, {"role": "user", "content": "x" * 400000})
    got = ask(w, here, "window", cut=1000000)
    w.yes(got["more"] and 2 <= len(got["entries"]) < 6, len(got["entries"]))
    rest = ask(w, here, "window", cut=1000000,
               **{"from": len(got["entries"])})
    w.yes(rest["entries"][0]["position"] == len(got["entries"]), "goes on")
    w.yes(len(json.dumps(ask(w, here, "window"))) < 50000, "cut")


# ---- tree, outline, turns ----------------------------------------------------

def branched(w, here):
    """a - b - c - d (leaf), with a branch e - f below b, and a root r."""
    def say(text, role="user", **more):
        return add(w, here, {"role": role, "content": text}, **more)
    ids = {"a": say("first\n\tprompt")}
    ids["b"] = say("answer", "assistant")
    ids["e"] = say("other way")
    ids["f"] = say("dead end", "assistant")
    ids["c"] = say("this way", parentId=ids["b"])
    ids["d"] = say("done", "assistant")
    return ids


@case
def rails_show_where_branches_begin(w):
    here = w.conversation()
    ids = branched(w, here)
    got = ask(w, here, "rails")
    rows = got["rows"]
    names = {v: k for k, v in ids.items()}
    w.same("abefcd", "".join(names[r["id"]] for r in rows), "rows")
    w.same([0, 0, 1, 1, 0, 0], [r["rail"] for r in rows], "rails")
    w.same([-1, 0, 1, 2, 1, 4], [r["parent"] for r in rows], "parents")
    w.same([True, True, False, False, True, True],
           [r["on_path"] for r in rows], "the path")
    w.same(["d"], [names[r["id"]] for r in rows if r["is_leaf"]], "leaf")
    w.same("first prompt", rows[0]["text"], "preview")
    w.same((2, 6), (got["rails"], got["n"]), "size")
    got = ask(w, here, "rails", leaf=ids["f"])
    w.same([0, 0, 0, 0, 1, 1], [r["rail"] for r in got["rows"]],
           "another path is the main one")
    w.ask("GET", here + "/rails?filter=none", want=400)
    w.ask("GET", here + "/rails?leaf=nothing", want=404)
    w.same([], ask(w, w.conversation(), "rails")["rows"], "empty")


@case
def long_runs_are_one_row(w):
    here = w.conversation()
    first = add(w, here, {"role": "user", "content": "go"})
    for i in range(20):
        last = add(w, here, {"role": "assistant", "content": str(i)})
    rows = ask(w, here, "rails")["rows"]
    w.same([(first, 19), (last, 0)], [(r["id"], r["folded"]) for r in rows],
           "first and last")
    w.same(21, len(ask(w, here, "rails", filter="all")["rows"]), "all")


@case
def an_outline_has_what_a_path_is_about(w):
    here = w.conversation()
    ids = branched(w, here)
    w.ask("PUT", here + "/labels/" + ids["d"], {"label": "good"}, want=200)
    w.ask("POST", here + "/entries", {"entry": {
        "type": "compaction", "summary": "so far", "tokensBefore": 9,
        "firstKeptEntryId": ids["c"]}}, want=201)
    add(w, here, {"role": "toolResult", "toolName": "bash", "isError": True,
                  "content": [{"type": "text", "text": "failed"}]})
    items = ask(w, here, "outline")["items"]
    here = here.replace("conversations", "sessions")
    w.same([("prompt", "first prompt"), ("branch", "answer"),
            ("prompt", "this way"), ("label", "done"),
            ("compaction", "so far"), ("error", "failed")],
           [(i["kind"], i["text"]) for i in items], "items")
    w.same("good", items[3]["label"], "its label")
    w.ask("PUT", here + "/labels/" + ids["d"], {"label": ""}, want=200)
    w.same(5, len(ask(w, here, "outline")["items"]), "the label is gone")
    w.ask("PUT", here + "/labels/nothing", {"label": "x"}, want=404)


@case
def the_leaf_moves(w):
    here = w.conversation()
    ids = branched(w, here)
    w.ask("PUT", here + "/leaf", {"to": ids["e"]}, want=200)
    here = here.replace("conversations", "sessions")
    got = ask(w, here, "window")
    w.same(ids["e"], [e["entry"]["id"] for e in got["entries"]
                      if e["entry"]["type"] == "message"][-1], "its path")
    new = add(w, here, {"role": "user", "content": "on"})
    path = [e["entry"]["id"] for e in ask(w, here, "window")["entries"]]
    w.yes(ids["e"] in path and path[-1] == new, path)
    w.ask("PUT", here + "/leaf", {"to": "nothing"}, want=404)
    w.ask("PUT", here + "/leaf", {"to": ids["e"]}, want=200)


@case
def turns_have_calls_with_their_results(w):
    here = w.conversation()

    def at(second):
        return "2026-02-16T10:00:%02d.000Z" % second
    add(w, here, {"role": "user", "content": "one"}, timestamp=at(0))
    call = add(w, here, {"role": "assistant", "model": "m", "content": [
        {"type": "toolCall", "id": "x", "name": "bash",
         "arguments": {"timeout": 5, "command": "make \"all\""}},
        {"type": "toolCall", "id": "y", "name": "read",
         "arguments": {"path": "a.c"}}],
        "usage": {"input": 10, "output": 4, "cacheRead": 2,
                  "cost": {"total": 0.25}}}, timestamp=at(1))
    add(w, here, {"role": "toolResult", "toolCallId": "x", "toolName": "bash",
                  "isError": True, "content": "no"}, timestamp=at(4))
    add(w, here, {"role": "user", "content": "two"}, timestamp=at(10))
    add(w, here, {"role": "assistant", "content": "yes"}, timestamp=at(12))
    one, two = ask(w, here, "turns")["turns"]
    w.same((0, 4000, "m", 3, 10, 4, 2, 250000),
           tuple(one[k] for k in ("position", "duration_ms", "model",
                                  "messages", "input_tokens",
                                  "output_tokens", "cached_tokens",
                                  "cost_micro_usd")), "the first turn")
    x, y = one["calls"]
    w.same((call, "bash", "make \"all\"", 3000, True),
           (x["id"], x["tool"], x["summary"], x["duration_ms"], x["error"]),
           "a call")
    w.same(("read", "a.c", None, False),
           (y["tool"], y["summary"], y["duration_ms"], y["error"]),
           "a call without a result")
    w.same((3, 2000, []), (two["position"], two["duration_ms"], two["calls"]),
           "the second turn")


@case
def images_of_a_session_are_listed(w):
    here = w.conversation()
    ids = talk(w, here)
    w.same([{"entry": ids[2], "ordinal": 2, "image": 1, "mime": "image/png",
             "bytes": len(png(300, 20)), "width": 300, "height": 20}],
           ask(w, here, "images")["images"], "images")


@case
def parts_say_what_a_model_saw(w):
    here = w.conversation()
    ids = talk(w, here)
    got = ask(w, here, "parts")
    kinds = [p["kind"] for p in got["parts"]]
    w.same(["user", "thinking", "assistant", "tool_input", "tool_result",
            "image", "assistant"], kinds, "kinds")
    w.same(got["total_tokens"], sum(p["tokens"] for p in got["parts"]), "sum")
    w.yes(1200 <= got["parts"][-1]["tokens"] <= 1300, "5,000 letters")
    w.same("Edit", got["parts"][3]["tool"], "tool")
    short = ask(w, here, "parts", leaf=ids[0])
    w.same(1, len(short["parts"]), "at an entry")
    w.ask("GET", here + "/parts?leaf=nothing", want=404)


# ---- changes of files ---------------------------------------------------------

def edit(w, here, name, **arguments):
    return add(w, here, {"role": "assistant", "content": [
        {"type": "toolCall", "id": "c", "name": name,
         "arguments": arguments}]})


@case
def edits_are_shown_as_changes(w):
    here = w.conversation()
    one = edit(w, here, "Edit", file_path="/w/a.c", old_string="int a;\nb",
               new_string="int c;\nb")
    two = edit(w, here, "write", path="new.txt", content="x\ny\n")
    three = edit(w, here, "MultiEdit", file_path="m", edits=[
        {"old_string": "1", "new_string": "2"},
        {"old_string": "3", "new_string": "4"}])
    four = edit(w, here, "apply_patch", input="*** Begin Patch\n"
                "*** Update File: s/p.py\n@@ def f\n x\n-old\n+new\n"
                "*** Add File: q\n+one\n*** End Patch\n")
    five = edit(w, here, "apply_diff", diff="--- a/z\n+++ b/z\n"
                "@@ -10,2 +12,2 @@\n same\n-out\n+in\n--- gone\n")

    def files(entry):
        return ask(w, here, "entries/%s/diff" % entry)["files"]
    got = files(one)[0]
    here = here.replace("conversations", "sessions")
    w.same(("/w/a.c", "Edit", 1, 1), (got["path"], got["tool"], got["added"],
                                      got["removed"]), "an edit")
    w.same([["-", "int a;", [[4, 5]]], ["+", "int c;", [[4, 5]]], ["=", "b"]],
           got["hunks"][0]["lines"], "lines")
    w.same(("new.txt", 2, 0), tuple(files(two)[0][k] for k in
                                    ("path", "added", "removed")), "a file")
    w.same(["m", "m"], [f["path"] for f in files(three)], "two edits")
    got = files(four)
    w.same([("s/p.py", 1, 1), ("q", 1, 0)],
           [(f["path"], f["added"], f["removed"]) for f in got], "a patch")
    w.same([["=", "x"], ["-", "old"], ["+", "new"]],
           got[0]["hunks"][0]["lines"], "its lines")
    got = files(five)
    w.same(("z", 10, 12), (got[0]["path"], got[0]["hunks"][0]["old"],
                           got[0]["hunks"][0]["new"]), "a unified diff")
    w.same(["-out", "+in", "--- gone"],
           ["".join(line[:2]) for line in got[0]["hunks"][0]["lines"][1:]],
           "a line that looks like a header is one of the file")
    changes = ask(w, here, "changes")["changes"]
    w.same([one, two, three, four, five], [c["entry"] for c in changes],
           "all of them")
    w.same([four, five],
           [c["entry"] for c in ask(w, here, "changes",
                                    **{"from": 3})["changes"]], "the rest")
    other = add(w, here, {"role": "user", "content": "x"})
    w.same([], files(other), "no edit")


@case
def versions_of_an_artifact_are_compared(w):
    here = w.conversation()
    for text in (b"a\nb\n", b"a\nc\n", b"a\nc\nd\n"):
        got = w.ask("PUT", here + "/files/n.txt", text).json()["artifact"]
    for at in ("/v1/artifacts/%d" % got["id"],
               "%s/artifacts/%d" % (here, got["id"]),
               "%s/artifacts/%d" % (here.replace("conversations", "sessions"),
                                    got["id"])):
        last = w.ask("GET", at + "/diff", want=200).json()
        w.same((2, 3, 1, 0), tuple(last[k] for k in ("from", "to", "added",
                                                     "removed")), "the last")
        both = w.ask("GET", at + "/diff?from=1&to=3", want=200).json()
        w.same((2, 1), (both["added"], both["removed"]), "from the first")
        first = w.ask("GET", at + "/diff?to=1", want=200).json()
        w.same((0, 2), (first["from"], first["added"]), "of the first")
        w.ask("GET", at + "/diff?from=9", want=404)
        w.same(3, len(w.ask("GET", at + "/versions",
                            want=200).json()["versions"]), "versions")


@case
def a_client_asks_what_its_token_may_do(w):
    got = w.ask("GET", "/v1/me", want=200).json()
    w.same((False, False), (got["read_only"], got["local"]), "rights")


@case
def places_of_secrets_are_marked_for_who_asks(w):
    key = "ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"
    here = w.conversation()
    w.ask("POST", here + "/entries", {"entry": {"type": "message", "message": {
        "role": "user", "content": "\u00e9\U0001f600 %s, %s" % (key, key)}}},
        want=201)
    plain = w.ask("GET", here + "/window", want=200).json()
    w.yes("secret_places" not in plain, "who does not ask")
    marked = w.ask("GET", here + "/window", headers=[("Quire-Mark", "secrets")],
                   want=200).json()
    w.same([{"pointer": "/entries/0/entry/message/content", "at": at,
             "length": 40, "kind": "github-token"} for at in (4, 46)],
           marked.pop("secret_places"), "in UTF-16 units")
    w.same(plain, marked, "the rest")
    for mark in ([], [("Quire-Mark", "secrets")], []):  # cached ones are not mixed up
        got = w.ask("GET", here, headers=mark, want=200).json()
        w.yes("secret_places" not in got, "nothing to mark")
    got = w.ask("POST", "/v1/secrets", {"text": "\U0001f600 password=hunter22x"},
                want=200).json()
    w.same({"secrets": [{"at": 12, "length": 9, "kind": "password"}]}, got,
           "of a text")
    w.same({"secrets": []}, w.ask("POST", "/v1/secrets", {"text": ""},
                                  want=200).json(), "of nothing")


@case
def a_string_is_not_cut_within_a_secret(w):
    key = "ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"
    here = w.conversation()
    w.ask("POST", here + "/entries", {"entry": {"type": "message", "message": {
        "role": "user", "content": "word " * 20 + key + " tail" * 50}}},
        want=201)
    got = w.ask("GET", here + "/window?cut=110", want=200).json()["entries"][0]
    w.same("word " * 20, got["entry"]["message"]["content"], "before it")
    w.same(390, got["cuts"][0]["length"], "its length")
