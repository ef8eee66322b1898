"""Commands that take their time, cancellations, and the end."""
import json
import os
import subprocess
import time

from peer import Skip, case


def runs(w):
    """A peer that may run commands; skipped where nothing can be confined."""
    p = w.peer("--allow-run")
    got = p.tool(action="run", command="echo ready")
    said = json.loads(got["content"][0]["text"])
    if not said["success"]:
        raise Skip(said["error"]["message"])
    return p


def begin(p, command, **more):
    return p.begin("tools/call", dict({"name": "workspace", "arguments": {
        "action": "run", "command": command}}, **more))


def processes(mark):
    done = subprocess.run(["pgrep", "-f", mark], capture_output=True)
    return done.stdout.split()


@case
def a_run_says_what_quire_run_says(w):
    p = runs(w)
    p.data(action="write", filename="in.txt", content="hello")
    got = p.data(action="run", command="cat in.txt; echo err >&2; "
                                       "echo new > out.txt; exit 3")
    want = json.loads(subprocess.run(
        [w.program, "run", "--json", "-c", "exit 3"], capture_output=True,
        env=w.env()).stdout)
    w.yes(set(want) <= set(got), "missing: %s" % (set(want) - set(got)))
    w.same((3, "hello", "err\n", False, 1),
           (got["exit"], got["stdout"], got["stderr"], got["timed_out"],
            got["files"]), "result")
    w.same("new\n", p.data(action="read", filename="out.txt")["content"],
           "its file")
    w.same(True, p.data(action="run", command="sleep 9",
                        timeout_ms=100)["timed_out"], "timed out")
    for bad in ({"command": ""}, {}, {"command": 7},
                {"command": "id", "timeout_ms": "x"}):
        w.same(True, p.tool(action="run", **bad)["isError"], repr(bad))


@case
def a_long_output_is_linked(w):
    p = runs(w)
    got = p.tool(action="run", command="seq 1 50000")
    link = got["content"][1]
    w.same("resource_link", link["type"], "link")
    there = p.result("resources/read", {"uri": link["uri"]})["contents"][0]
    w.same("".join("%d\n" % i for i in range(1, 50001)), there["text"], "all")
    w.yes(link["uri"] in [r["uri"] for r in
                          p.result("resources/list")["resources"]], "listed")
    other = w.peer("--session", "temp")
    w.same(-32002, other.code("resources/read", {"uri": link["uri"]}),
           "another's")


@case
def a_long_call_holds_nobody_up(w):
    p = runs(w)
    ids = [begin(p, "sleep 20") for _ in range(6)]
    began = time.monotonic()
    p.data(action="write", filename="x", content="y")
    p.data(action="read", filename="x")
    w.yes(time.monotonic() - began < 2, "they waited for the runs")
    for id in ids:
        p.cancel(id)


@case
def answers_come_as_they_are_ready(w):
    p = runs(w)
    slow, fast = begin(p, "sleep 0.6"), begin(p, "true")
    first = p.hear()
    w.same(fast, first.get("id"), "the first")
    p.answer(slow)


@case
def a_cancelled_run_is_ended_and_not_answered(w):
    p = runs(w)
    id = begin(p, "sleep 31.4159")
    until = time.monotonic() + 5
    while not processes("sleep 31.4159") and time.monotonic() < until:
        time.sleep(0.02)
    p.cancel(id)
    p.result("ping")
    until = time.monotonic() + 3
    while processes("sleep 31.4159") and time.monotonic() < until:
        time.sleep(0.02)
    w.same([], processes("sleep 31.4159"), "it goes on")
    w.same(None, p.hear(0.3), "said")
    queued = [begin(p, "sleep 0.3") for _ in range(8)]
    for id in queued:
        p.cancel(id)
    p.result("ping")
    w.same(None, p.hear(1), "said")


@case
def progress_is_told_to_who_asked(w):
    p = runs(w)
    id = begin(p, "for i in 1 2 3 4; do echo line $i; sleep 0.3; done",
               _meta={"progressToken": "tok"})
    p.answer(id)
    told = [n["params"] for n in p.notices
            if n["method"] == "notifications/progress"]
    w.yes(len(told) >= 2, "told %d times" % len(told))
    w.yes(all(t["progressToken"] == "tok" for t in told), "whose?")
    steps = [t["progress"] for t in told]
    w.same(sorted(set(steps)), steps, "it grows")
    w.yes(any("line " in t.get("message", "") for t in told), "no words")
    p.notices.clear()
    p.answer(begin(p, "sleep 2.5", _meta={"progressToken": 7}))
    told = [n for n in p.notices if n["method"] == "notifications/progress"]
    w.yes(told, "a silent command looks dead")
    p.notices.clear()
    p.answer(begin(p, "echo x; sleep 0.6; echo y"))
    w.same([], [n for n in p.notices
                if n["method"] == "notifications/progress"], "unasked")


@case
def the_end_of_input_ends_it_within_a_second(w):
    p = runs(w)
    begin(p, "sleep 27.1828")
    begin(p, "trap '' TERM INT HUP; sleep 27.1828")
    time.sleep(0.3)
    status, seconds = p.end()
    w.same(0, status, "status")
    w.yes(seconds < 1.3, "%.2f s" % seconds)
    time.sleep(0.3)
    w.same([], processes("sleep 27.1828"), "it goes on")


@case
def what_was_asked_before_the_end_is_answered(w):
    p = w.peer()
    ids = [p.begin("tools/call", {"name": "workspace", "arguments": {
        "action": "write", "filename": "f%d" % i, "content": "x"}})
        for i in range(20)]
    p.process.stdin.close()
    for id in ids:
        w.same(False, p.answer(id)["result"]["isError"], "isError")


@case
def a_client_that_goes_away_is_no_trouble(w):
    p = w.peer()
    p.begin("resources/templates/list")
    p.process.kill()
    p.process.wait()
    again = w.peer()
    again.data(action="list")


@case
def a_client_that_does_not_read_is_ended_with_its_input(w):
    process = subprocess.Popen([w.program, "mcp"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env=w.env())
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 200)
    process.stdin.write(
        (b'{"jsonrpc":"2.0","id":%d,"method":"initialize","params":'
         b'{"protocolVersion":"2025-11-25"}}\n' % 2) * 50)
    process.stdin.close()
    process.stdout.read(10)
    process.stdout.close()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        w.yes(False, "it is still there")


@case
def it_starts_quickly(w):
    p = w.peer()
    p.close()
    times = []
    for _ in range(7):
        began = time.monotonic()
        p = w.peer(greet=None)
        p.greet("2025-11-25")
        times.append(time.monotonic() - began)
        p.close()
    w.yes(min(times) < 0.1, "the fastest took %.0f ms" % (min(times) * 1000))


@case
def the_settings_for_clients_are_printed(w):
    got = json.loads(subprocess.run(
        [w.program, "mcp", "--print-config", "--session", "x", "--allow-run"],
        capture_output=True, env=w.env()).stdout)
    server = got["mcpServers"]["quire"]
    w.yes(server["command"].endswith("/quire"), server["command"])
    w.same(["mcp", "--home", w.home, "--session", "x", "--allow-run"],
           server["args"], "args")


def sessions(w, directory):
    done = subprocess.run([w.program, "session", "ls", "--json"], env=w.env(),
                          capture_output=True, check=True, cwd=directory)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row["id"] for row in rows
            if row["cwd"] == os.path.realpath(directory)]


@case
def each_directory_has_a_session_of_its_own(w):
    here, there = w.home + ".here", w.home + ".there"
    for at in (here, there):
        os.mkdir(at)
    one, two = w.peer(cwd=here), w.peer(cwd=there)
    first = one.data(action="write", filename="a", content="here")
    second = two.data(action="write", filename="a", content="there")
    w.yes(first["session_id"] != second["session_id"] and
          "temp" not in (first["session_id"], second["session_id"]),
          "two sessions: %r %r" % (first, second))
    w.same("here", one.data(action="read", filename="a")["content"], "here")
    w.same([first["session_id"]], sessions(w, here), "of the directory")
    again = w.peer(cwd=here)
    w.same("here", again.data(action="read", filename="a")["content"],
           "another client of the directory")
    last = w.peer("--session", "last", cwd=there)
    w.same("there", last.data(action="read", filename="a")["content"],
           "by the name `last`")


@case
def a_new_directory_is_served_and_gets_no_session_by_greetings(w):
    for args in ((), ("--session", "last")):
        at = w.home + ".new%d" % len(args)
        os.mkdir(at)
        p = w.peer(*args, cwd=at)
        p.result("ping")
        w.same("workspace", p.result("tools/list")["tools"][0]["name"], "tools")
        time.sleep(0.2)
        w.same([], sessions(w, at), "none yet")
        w.same(0, p.data(action="list")["count"], "no files")
        p.result("resources/list")
        p.result("tools/call", {"name": "recall", "arguments": {"query": "x"}})
        w.same([], sessions(w, at), "reading creates none")
        p.data(action="write", filename="a", content="x")
        w.same(1, len(sessions(w, at)), "one")


@case
def calls_at_once_create_one_session(w):
    at = w.home + ".once"
    os.mkdir(at)
    p = w.peer(cwd=at)
    ids = [p.begin("tools/call", {"name": "workspace", "arguments": {
        "action": "write", "filename": "f%d" % n, "content": "x"}})
        for n in range(12)]
    for id in ids:
        p.answer(id)
    w.same(1, len(sessions(w, at)), "sessions")


@case
def a_subscriber_of_a_new_directory_hears_of_changes(w):
    at = w.home + ".heard"
    os.mkdir(at)
    p = w.peer(cwd=at)
    p.result("resources/list")
    w.same([], sessions(w, at), "a list creates none")
    p.data(action="write", filename="a", content="x")
    session = sessions(w, at)[0]
    time.sleep(0.3)
    w.quire("--session", session, "artifact", "put", "b", "-", given=b"x")
    w.same("notifications/resources/list_changed", p.hear()["method"], "heard")
