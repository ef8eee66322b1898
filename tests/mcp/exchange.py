"""Replays a recorded exchange.

    # words
    $ --allow-run            how it is started; once, before the rest
    > {"jsonrpc":...}        a line to the server, as it is
    < {"id":1,...}           a line of the server's that has at least this; "…"
                             in it stands for anything

What is expected is waited for, in any order that answers may come in; in the end
nothing else was said."""
import json
import queue



def fits(want, got):
    if want == "…":
        return True
    if isinstance(want, dict):
        return isinstance(got, dict) and all(
            k in got and fits(v, got[k]) for k, v in want.items())
    if isinstance(want, list):
        return (isinstance(got, list) and len(want) == len(got) and
                all(map(fits, want, got)))
    if isinstance(want, str) and want.endswith("…"):
        return isinstance(got, str) and got.startswith(want[:-1])
    return want == got and type(want) is type(got)


def expect(w, p, said, want, where):
    while True:
        for one in said:
            if fits(want, one):
                said.remove(one)
                return True
        try:
            line = p.lines.get(timeout=5)
        except queue.Empty:
            line = None
        if line is None:
            return w.yes(False, "%s: expected %s, there is %s" % (
                where, json.dumps(want), json.dumps(said)))
        said.append(json.loads(line))


def replay(w, path):
    args, p, said = [], None, []
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        where = "line %d" % n
        if line.startswith("$ "):
            args = line[2:].split()
        elif line.startswith("> "):
            p = p or w.peer(*args, greet=None)
            p.say(line[2:])
        elif line.startswith("< "):
            if not expect(w, p, said, json.loads(line[2:]), where):
                return
    p.process.stdin.close()
    p.process.wait(5)
    while True:
        line = p.lines.get(timeout=5)
        if line is None:
            break
        said.append(json.loads(line))
    w.same([], said, "said unasked")
