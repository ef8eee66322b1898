"""What was removed leaves no bytes in the files of the index."""
import json
import os

from home import entry

OTHERS = 40


def new_session(home, title, *texts):
    session = json.loads(home.run("session", "new", "--title", title))["id"]
    lines = [json.dumps({"type": "message",
                         "message": {"role": "user", "content": text}})
             for text in texts]
    home.run("session", "append", session, stdin="\n".join(lines) + "\n")
    return session


def index_files(home):
    for top, _, names in os.walk(home.path):
        if "/search" in top[len(home.path):]:
            for name in names:
                yield os.path.join(top, name)


def files_with(home, word):
    """Terms of the index are lower case, and stored as they are."""
    found = []
    for path in index_files(home):
        with open(path, "rb") as file:
            if word.encode() in file.read().lower():
                found.append(os.path.relpath(path, home.path))
    return found


def count(home, word):
    return sum(hit["how"] == "exact"
               for hit in home.search("--flat", "-n", "0", "--", word))


def fill(home):
    """So much that nothing of it is rewritten for what is removed."""
    home.write_session(100, "the rest", [
        entry(n, {"role": "user", "content": "other%d stays here" % n})
        for n in range(OTHERS)])
    for n in range(OTHERS):
        home.run("memory", "add", "--type", "project", "--title",
                 "kept%d" % n, "--content", "stays")


def check_others(home):
    assert count(home, "other*") == OTHERS, "others in sessions"
    assert count(home, "kept*") == OTHERS, "others in memory"


def check_gone(home, words):
    for word in words:
        assert files_with(home, word), "%s was not in the index" % word
        assert count(home, word) == 0, "%s is still found" % word
    home.run("gc", "--grace", "0", "-y")
    for word in words:
        found = files_with(home, word)
        assert not found, "%s is in %s" % (word, found)
    home.run("check")
    check_others(home)


def removed_texts_leave_the_index_with_a_collection(homes):
    home = homes.new()
    fill(home)
    session = new_session(home, "The Quagga Title", "one okapi", "a gaur")
    home.run("session", "append", session, stdin=json.dumps({
        "type": "message", "message": {
            "role": "toolResult", "toolName": "axolotl_tool",
            "content": [{"type": "text", "text": "other1 stays here"}]}}) + "\n")
    home.run("artifact", "put", "zebu.md", "-", "--session", session,
             "--tag", "tapir", stdin="a secret ibex\n")
    home.run("memory", "add", "--type", "project", "--title", "the dhole",
             "--content", "a kudu", "--tag", "coati")
    home.run("history", "add", "why the markhor?")
    home.run("reindex")
    home.run("artifact", "rm", "--purge", "zebu.md", "--session", session)
    home.run("session", "rm", session)
    home.run("memory", "rm", str(OTHERS + 1))
    home.run("history", "rm", "1")
    assert files_with(home, "axolotl_tool")
    check_gone(home, ["quagga", "okapi", "gaur", "zebu", "tapir", "ibex",
                      "dhole", "kudu", "coati", "markhor"])
    assert not files_with(home, "axolotl_tool"), "the name of a tool"


def a_text_stays_until_its_last_place_is_removed(homes):
    home = homes.new()
    fill(home)
    first = new_session(home, "first", "the same okapi everywhere")
    home.run("reindex")
    second = new_session(home, "second", "the same okapi everywhere",
                         "pad " * 100000)
    home.search("okapi")
    home.run("session", "rm", first)
    home.run("gc", "--grace", "0", "-y")
    assert count(home, "okapi") == 1, "the second place"
    home.run("session", "rm", second)
    check_gone(home, ["okapi"])


def what_was_replaced_leaves_the_index_too(homes):
    home = homes.new()
    fill(home)
    home.run("memory", "add", "--type", "project", "--title", "the dhole",
             "--content", "a kudu")
    home.run("reindex")
    home.run("memory", "edit", str(OTHERS + 1), "--content", "an eland")
    home.run("memory", "rm", str(OTHERS + 1))
    check_gone(home, ["dhole", "kudu"])


def every_tenant_is_collected(homes):
    home = homes.new()
    fill(home)
    home.run("reindex")
    for tenant in ["sue", "tom"]:
        home.run("tenant", "add", tenant)
        home.run("--tenant", tenant, "memory", "add", "--type", "project",
                 "--title", "the dhole of " + tenant, "--content", "a kudu")
        home.run("--tenant", tenant, "reindex")
        home.run("--tenant", tenant, "memory", "rm", str(
            OTHERS + (1 if tenant == "sue" else 2)))
    check_gone(home, ["dhole"])


CASES = [removed_texts_leave_the_index_with_a_collection,
         a_text_stays_until_its_last_place_is_removed,
         what_was_replaced_leaves_the_index_too, every_tenant_is_collected]
