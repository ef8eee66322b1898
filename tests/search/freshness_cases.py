"""A search finds what was stored before it began, and nothing that was removed,
whatever happens to the index meanwhile."""
import json
import os
import random
import shutil
import threading
import time

from home import at_once, entry

ROUNDS = 30
LARGE_TEXTS = 1200


def new_session(home, title):
    return json.loads(home.run("session", "new", "--title", title))["id"]


def append(home, session, text):
    line = json.dumps({"type": "message",
                       "message": {"role": "user", "content": text}})
    home.run("session", "append", session, stdin=line + "\n")


def count(home, word):
    hits = home.search("--flat", "-n", "0", "--", word)
    return sum(h["how"] == "exact" for h in hits)


def remove_index(home):
    shutil.rmtree(os.path.join(home.path, "search"), ignore_errors=True)


def what_another_process_appended_is_found(homes):
    """One writer; after each append two searches, beside the next append."""
    home = homes.new()
    session = new_session(home, "appended")
    lost, appended, waiting = [], [], threading.Condition()

    def search(step):
        done = 0
        while done < ROUNDS:
            with waiting:
                if not waiting.wait_for(lambda: len(appended) > done, 60):
                    lost.append("nothing appended")
                    return
            if count(home, appended[done]) != 1:
                lost.append("%s of searcher %d" % (appended[done], step))
            done += 1

    searchers = [threading.Thread(target=search, args=(n,)) for n in range(2)]
    for searcher in searchers:
        searcher.start()
    try:
        for n in range(ROUNDS):
            append(home, session, "the word fresh%dword" % n)
            with waiting:
                appended.append("fresh%dword" % n)
                waiting.notify_all()
    finally:
        for searcher in searchers:
            searcher.join()
    assert not lost, "not found: %s" % lost


def removed_sessions_are_not_found(homes):
    home = homes.new()
    for n in range(8):
        sessions = [new_session(home, "pelican%d" % n) for _ in range(2)]
        for session in sessions:
            append(home, session, "walrus%d" % n)
        assert count(home, "walrus%d" % n) == 2, "not found before, %d" % n
        home.run("session", "rm", sessions[0])
        assert count(home, "walrus%d" % n) == 1, "found after, %d" % n
        assert count(home, "kind:title pelican%d" % n) == 1, "title, %d" % n


def removed_artifacts_memory_and_old_texts_are_not_found(homes):
    home = homes.new()
    session = new_session(home, "artifacts")
    for n in range(6):
        name = "notes/%d.md" % n
        at = ["--session", session]
        home.run("artifact", "put", name, "-", *at, stdin="ibex%d one" % n)
        assert count(home, "ibex%d" % n) == 1
        home.run("artifact", "put", name, "-", *at, stdin="marmot%d two" % n)
        assert count(home, "ibex%d" % n) == 0, "old version, %d" % n
        assert count(home, "marmot%d" % n) == 1, "new version, %d" % n
        home.run("artifact", "rm", name, *at)
        assert count(home, "marmot%d" % n) == 0, "removed artifact, %d" % n
    home.run("memory", "add", "--type", "project", "--title", "the gnu",
             "--content", "grazes")
    assert count(home, "gnu") == 1
    home.run("memory", "rm", "1")
    assert count(home, "gnu") == 0, "removed memory"


def a_removed_index_is_rebuilt(homes):
    """Also while other processes search."""
    home = homes.new()
    session = new_session(home, "rebuilt")
    dice = random.Random(3)
    beside = []
    for n in range(ROUNDS):
        append(home, session, "everywhere again%dword" % n)
        if dice.random() < 0.5:
            beside.append(home.start("search", "everywhere"))
        if dice.random() < 0.5:
            remove_index(home)
        assert count(home, "again%dword" % n) == 1, "round %d" % n
        assert count(home, "everywhere") == n + 1, "round %d: all" % n
    codes = [process.wait(60) for process in beside]
    assert not any(codes), "other searches exit with %s" % codes


def large_home(homes):
    home = homes.new()
    dice = random.Random(4)
    words = ["w%04d" % n for n in range(5000)]
    for at in range(0, LARGE_TEXTS, 100):
        home.write_session(at, "", [
            entry(n, {"role": "user", "content": "each no%d %s" % (
                n, " ".join(dice.choices(words, k=150)))})
            for n in range(at, at + 100)])
    return home


def check_large(home):
    hits = home.search("--flat", "-n", "0", "--", "each -w0001 -w0002 no7*")
    assert len(hits) > 100, "%d hits" % len(hits)
    for n in range(0, LARGE_TEXTS, 199):
        assert count(home, "no%d" % n) == 1, "no%d is lost" % n


def a_killed_first_build_loses_nothing(homes):
    """Killed after ever longer times, until one build comes to its end."""
    home = large_home(homes)
    delay = 0.002
    while True:
        process = home.start("search", "each")
        time.sleep(delay)
        ended = process.poll() is not None
        process.kill()
        process.wait()
        if ended:
            break
        if delay > 0.03:
            home.search("-n", "1", "no1")
            remove_index(home)
        delay *= 1.5
    remove_index(home)
    process = home.start("search", "each")
    time.sleep(delay / 3)
    process.kill()
    process.wait()
    check_large(home)


def concurrent_first_builds_find_everything(homes):
    home = large_home(homes)
    expected = sum(str(n)[0] == "7" for n in range(LARGE_TEXTS))
    for _ in range(3):
        remove_index(home)
        found = at_once(lambda _: count(home, "no7*"), range(8))
        assert found == [expected] * 8, "%s hits, not %d" % (found, expected)


CASES = [what_another_process_appended_is_found, removed_sessions_are_not_found,
         removed_artifacts_memory_and_old_texts_are_not_found,
         a_removed_index_is_rebuilt, a_killed_first_build_loses_nothing,
         concurrent_first_builds_find_everything]
