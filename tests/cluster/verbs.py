#!/usr/bin/env python3
"""The command line over PostgreSQL, from two homes as from two machines:
tests/cluster/verbs.py QUIRE, with the server at QUIRE_TEST_POSTGRES. Prints
"N passed, N failed"."""
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

cases = []


def case(function):
    cases.append(function)
    return function


class World:
    def __init__(self, program, work):
        url = os.environ["QUIRE_TEST_POSTGRES"]
        name = "verbs_%d" % os.getpid()
        subprocess.run(["psql", "-q", url, "-c", "CREATE DATABASE " + name],
                       check=True)
        self.program, self.work = program, work
        self.db = url.rpartition("/")[0] + "/" + name

    def run(self, *words, home="one", given="", status=0, db=None):
        env = dict(os.environ, QUIRE_HOME=os.path.join(self.work, home),
                   QUIRE_DB=self.db if db is None else db, QUIRE_GC_AUTO="off")
        done = subprocess.run([self.program, *words], env=env, input=given,
                              capture_output=True, text=True, cwd=self.work)
        assert done.returncode == status, (words, done.returncode, done.stdout,
                                           done.stderr)
        return done.stdout if status == 0 else done.stdout + done.stderr

    def session(self):
        id = json.loads(self.run("session", "new", "--title", "shared"))["id"]
        lines = [{"type": "message", "id": "e%03d" % i,
                  "message": {"role": "user" if i % 2 else "assistant",
                              "content": "pelican number %d" % i}}
                 for i in range(1, 5)]
        self.run("session", "append", id,
                 given="".join(json.dumps(x) + "\n" for x in lines))
        return id


@case
def a_session_of_one_machine_is_another_ones(w):
    id = w.session()
    shown = w.run("session", "show", id, "--json", home="two").splitlines()
    assert len(shown) == 4, shown
    w.run("session", "append", id, home="two",
          given='{"type":"message","message":{"role":"user","content":"from two"}}')
    context = json.loads(w.run("session", "context", id))
    assert context["messages"][-1]["content"] == "from two", context
    assert id in w.run("session", "ls", "--json")
    fork = json.loads(w.run("session", "fork", id, home="two"))["id"]
    assert len(w.run("session", "show", fork, "--json").splitlines()) == 5
    w.run("session", "rename", id, "a new title", home="two")
    assert "a new title" in w.run("session", "ls")
    assert w.run("session", "check", id) == ""


@case
def a_session_goes_to_the_trash_and_comes_back(w):
    id = w.session()
    w.run("artifact", "put", "--session", id, "notes.md", given="some notes")
    w.run("session", "rm", id)
    assert id not in w.run("session", "ls", "--json", home="two")
    assert id in w.run("trash", "ls", "--json", home="two")
    w.run("session", "restore", id, home="two")
    assert w.run("artifact", "get", "notes.md", "--session", id) == "some notes"
    w.run("session", "rm", "--now", id)
    w.run("session", "show", id, home="two", status=1)


@case
def outputs_are_kept_and_read_elsewhere(w):
    id = w.session()
    text = "".join("line %d\n" % i for i in range(30000))
    kept = json.loads(w.run("--session", id, "output", "sink", "--tool", "bash",
                            "--json", given=text))
    assert kept["artifactId"] == "0", kept
    end = w.run("--session", id, "read", "artifact://0", "--tail", "2", home="two")
    assert end == "line 29998\nline 29999\n", end
    assert w.run("--session", id, "read", "artifact://0", "--grep",
                 "line 12345$", home="two").endswith("line 12345\n")


@case
def artifacts_have_versions_and_quotas(w):
    id = w.session()
    for text in ("first", "second"):
        w.run("artifact", "put", "--session", id, "a/b.md", given=text)
    assert w.run("artifact", "get", "a/b.md", "--session", id, "--version", "1",
                 home="two") == "first"
    found = w.run("artifact", "search", "second", "--all-sessions", "--json",
                  home="two")
    assert "a/b.md" in found, found
    w.run("config", "set", "quota.file", "1000")
    w.run("artifact", "put", "--session", id, "large", given="x" * 2000, status=1,
          home="two")
    w.run("config", "set", "quota.file", "1M")


@case
def memory_history_and_search_see_what_others_wrote(w):
    w.session()
    w.run("memory", "add", "--type", "project", "--title", "the build is slow",
          "--content", "because of the linker")
    assert "slow" in w.run("memory", "search", "linker", home="two")
    for text in ("why so slow", "why so slow", "make it fast"):
        w.run("history", "add", text)
    assert len(w.run("history", "ls", "--json", home="two").splitlines()) == 2
    assert "fast" in w.run("history", "search", "fast", home="two")
    hits = w.run("search", "pelican", "--json", "--flat", home="two").splitlines()
    assert len(hits) >= 4, hits
    w.session()
    assert len(w.run("search", "pelican", "--json", "--flat",
                     home="two").splitlines()) > len(hits)


@case
def blobs_are_collected_when_nothing_refers_to_them(w):
    data = random.Random(1).randbytes(300000).hex()
    ref = w.run("blob", "put", given=data).strip()
    assert ref.endswith(hashlib.sha256(data.encode()).hexdigest()), ref
    assert w.run("blob", "get", ref, home="two") == data
    assert w.run("blob", "get", ref, "--range", "10-19", home="two") == data[10:20]
    id = w.session()
    w.run("artifact", "put", "--session", id, "data", given=data)
    w.run("gc", "--grace", "0", "--yes", home="two")
    assert w.run("blob", "get", ref) == data
    w.run("session", "rm", "--now", id)
    w.run("gc", "--grace", "0", "--yes", home="two")
    w.run("blob", "get", ref, status=1)


@case
def tenants_are_apart(w):
    w.run("tenant", "add", "ann")
    id = w.session()
    assert w.run("--tenant", "ann", "session", "ls", home="two") == ""
    w.run("--tenant", "ann", "session", "show", id, home="two", status=1)
    own = json.loads(w.run("--tenant", "ann", "session", "new", home="two"))["id"]
    assert own in w.run("--tenant", "ann", "session", "ls", "--json")
    assert own not in w.run("session", "ls", "--json")


@case
def the_whole_is_sound(w):
    assert " 0 problems" in w.run("check", "--full", home="two")
    w.run("reindex", home="two")
    w.run("stats", home="two")


@case
def addresses_are_checked(w):
    said = w.run("session", "ls", status=2, db="",
                 *("--db", "postgres://me:secret@127.0.0.1:1/x"))
    assert "has a password" in said and "secret" not in said, said
    assert "needs --db" in w.run("session", "ls", "--blobs", "s3://bucket/x",
                                 status=2, db="")
    assert "postgres://" in w.run("session", "ls", status=3, db="mysql://x/y")
    assert "s3://" in w.run("session", "ls", "--blobs", "/tmp/x", status=3)
    said = w.run("session", "ls", status=3,
                 db="postgres://me:secret@127.0.0.1:1/x?connect_timeout=2")
    assert "cannot connect" in said and "secret" not in said, said


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        w = World(os.path.abspath(sys.argv[1]), work)
        for function in cases:
            try:
                function(w)
            except (AssertionError, KeyError, ValueError) as why:
                failed += 1
                at = why.__traceback__.tb_next
                print("failed: %s, line %d\n    %s" % (
                    function.__name__.replace("_", " "), at.tb_lineno,
                    str(why)[:2000]))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    sys.exit(failed > 0)


main()
