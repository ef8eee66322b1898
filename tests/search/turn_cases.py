"""A hit says which turn its entry is in: compared with a walk over the tree."""
import json
import os
import random

ROUNDS = 12
PADDING = "padding of a home that is large enough for an index of its own. " * 60


def make_entry(rng, number, entries):
    """An entry below the last one, now and then below any other, or a new root."""
    parent = entries[-1]["id"] if entries else None
    if entries and rng.random() < 0.15:
        parent = rng.choice(entries)["id"] if rng.random() < 0.9 else None
    role = "user" if rng.random() < 0.3 else "assistant"
    text = "needle%d %s" % (number, PADDING if number < 100 else "")
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    if role == "assistant" and rng.random() < 0.3:
        message = {"role": "toolResult", "toolName": "bash",
                   "content": [{"type": "text", "text": text}]}
    elif role == "user" and rng.random() < 0.2:
        # A result in the shape of another API: no turn begins.
        message["content"] = [{"type": "tool_result", "content": text}]
    return {"type": "message", "id": "%08x" % (number + 1), "parentId": parent,
            "timestamp": "2026-02-16T10:00:00.000Z", "message": message}


def is_prompt(entry):
    message = entry["message"]
    return (message["role"] == "user" and
            message["content"][0]["type"] == "text")


def turns_of(entries):
    """By id: number and first entry of the turn, and the last entry of the lines that
    follow each other in it."""
    by_id = {entry["id"]: entry for entry in entries}
    turns, last = {}, {}
    for entry in entries:
        number, first, at = 0, None, entry
        while at:
            if is_prompt(at):
                number += 1
                first = first or at["id"]
            at = by_id.get(at["parentId"])
        turns[entry["id"]] = (number, first)
    for at in range(len(entries) - 1, -1, -1):
        after = entries[at + 1] if at + 1 < len(entries) else None
        follows = (after and after["parentId"] == entries[at]["id"] and
                   not is_prompt(after))
        last[entries[at]["id"]] = (last[after["id"]] if follows
                                   else entries[at]["id"])
    return {name: (number, first, last[name])
            for name, (number, first) in turns.items()}


def compare(home, entries):
    wanted = turns_of(entries)
    hits = home.search("--flat", "-n", "0", "--", "needle*")
    assert len(hits) == len(entries), "%d hits" % len(hits)
    for hit in hits:
        number, first, last = wanted[hit["entry"]]
        got = (hit["turn"] or 0, hit["turn_first"], hit["turn_last"])
        want = (number, first, last if number else None)
        assert got == want, "%s: %s instead of %s" % (hit["entry"], got, want)


def grow_and_compare(homes, seed):
    rng = random.Random(seed)
    home, entries = homes.new(), []
    name = home.write_session(1, "turns", [])
    [path] = [os.path.join(home.path, "sessions", "--x--", file)
              for file in os.listdir(os.path.join(home.path, "sessions", "--x--"))
              if name in file]
    for n in range(ROUNDS):
        with open(path, "a", encoding="utf-8") as file:
            for _ in range(120 if n == 0 else rng.randrange(1, 6)):
                entries.append(make_entry(rng, len(entries), entries))
                file.write(json.dumps(entries[-1]) + "\n")
        compare(home, entries)
    home.run("reindex")
    compare(home, entries)


def the_turn_of_a_hit_is_that_of_its_path(homes):
    for seed in range(4):
        grow_and_compare(homes, seed)


def hits_outside_of_turns_have_none(homes):
    home = homes.new()
    home.write_session(2, "a quiet marmot", [
        {"type": "message", "id": "00000001", "parentId": None,
         "timestamp": "2026-02-16T10:00:00.000Z",
         "message": {"role": "assistant", "content": "hello marmot"}}])
    hits = home.search("--flat", "marmot")
    assert len(hits) == 2, hits
    for hit in hits:
        assert hit["turn"] is None and hit["turn_first"] is None, hit


def total_of(home, *args):
    """What the text says of more than one page: "at most 4 hits"."""
    text = home.run("search", "--flat", "--limit", "1", *args)
    [line] = [line for line in text.splitlines() if "hits; more" in line]
    return line.partition(" hits")[0]


def totals_of_the_current_branch_say_what_they_are(homes):
    home = homes.new()

    def line(number, parent, text):
        return {"type": "message", "id": "%08x" % number,
                "parentId": parent and "%08x" % parent,
                "timestamp": "2026-02-16T10:00:00.000Z",
                "message": {"role": "user", "content": text}}

    home.write_session(3, "linear", [
        line(n, n - 1, "heron crane") for n in range(1, 6)])
    assert total_of(home, "--", "is:active heron") == "5"
    home.write_session(4, "branched", [
        line(1, None, "heron"), line(2, 1, "heron"), line(3, 1, "heron")])
    assert total_of(home, "--", "is:active heron") == "at most 8"
    assert total_of(home, "--", "is:active crane") == "5"
    assert total_of(home, "--", "heron") == "8"
    # What is not on the current branch is in a session with several.
    found = home.search("--flat", "--limit", "3", "--", "-is:active heron")
    assert [hit["entry"] for hit in found] == ["%08x" % 2], found
    assert not home.search("--flat", "--", "-is:active crane")


CASES = [the_turn_of_a_hit_is_that_of_its_path, hits_outside_of_turns_have_none,
         totals_of_the_current_branch_say_what_they_are]
