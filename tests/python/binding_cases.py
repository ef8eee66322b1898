"""Homes, sessions, what belongs to them, errors, threads, processes."""
import gc
import io
import os
import random
import subprocess
import sys
import threading
import time
import unittest

import support
from support import HomeCase, quire, user


class Sessions(HomeCase):
    def test_appends_are_entries_and_their_context(self):
        with self.home.new_session(cwd="/tmp", title="tea") as session:
            first = session.append(user("hi"))
            second = session.append('{"type":"message","message":{"role":"assistant",'
                                    '"content":"ho"}}')
            third = session.append(b'{"type":"custom","customType":"x"}')
            entries = list(session.entries())
            self.assertEqual([e["id"] for e in entries], [first, second, third])
            self.assertEqual([e["parentId"] for e in entries], [None, first, second])
            self.assertEqual([m["content"] for m in session.messages()], ["hi", "ho"])
            self.assertEqual(session.entry(second), entries[1])
            self.assertEqual(session.leaf, third)
            self.assertEqual((session.title, session.info().cwd), ("tea", "/tmp"))
        with self.home.open_session(session.id[:12], read_only=True) as again:
            self.assertEqual(list(again.entries()), entries)
            with self.assertRaises(quire.Invalid):
                again.append(user("no"))

    def test_text_of_any_kind_comes_back(self):
        texts = ["", "\0", "\u00e9\u4e2d\U0001f600", "\\ \" \n \u2028", "\ud800 alone"]
        with self.home.new_session() as session:
            for text in texts[:-1]:
                session.append(user(text))
            found = [m["content"] for m in session.messages()]
            self.assertEqual(found, texts[:-1])
            session.append(user(texts[-1]))
            self.assertIn("alone", session.messages()[-1]["content"])
            with self.assertRaises(quire.Invalid):
                session.append({"type": "x", "value": float("nan")})
            with self.assertRaises(quire.Invalid):
                session.append({"type": "x", "value": object()})
            with self.assertRaises(quire.Invalid):
                session.append(b'{"type":"x","v":"\xff"}')

    def test_branches_labels_and_expectations(self):
        with self.home.new_session() as session:
            a = session.append(user("a"))
            b = session.append(user("b"))
            session.branch(a)
            c = session.append(user("c"), at=a)
            self.assertEqual([e["id"] for e in session.branch_entries()], [a, c])
            self.assertEqual([m["content"] for m in session.messages(leaf=b)], ["a", "b"])
            session.label(b, "good")
            with self.assertRaises(quire.Changed):
                session.append(user("d"), expect=a)
            once = session.append(user("e"), op="key")
            self.assertEqual(session.append(user("e"), op="key"), once)
            with self.assertRaises(quire.Exists):
                session.append(user("other"), op="key")
            with self.assertRaises(quire.NotFound):
                session.append(user("f"), at="nowhere")
            session.rename("new")
            self.assertEqual(session.title, "new")

    def test_shapes_are_checked_unless_any_is_asked_for(self):
        with self.home.new_session() as session:
            with self.assertRaisesRegex(quire.Invalid, "did you mean 'message'"):
                session.append({"type": "mesage"})
            session.append({"type": "mesage"}, any_shape=True)

    def test_entries_stream_while_the_session_grows(self):
        with self.home.new_session() as session:
            session.append_many(user(str(i)) for i in range(500))
            seen = 0
            for entry in session.entries():
                seen += 1
                session.append({"type": "custom", "customType": "seen", "data": entry["id"]})
            self.assertEqual(seen, 500)
            self.assertEqual(session.info().entries, 1000)

    def test_lists_forks_exports_and_removal(self):
        with self.home.new_session(title="one") as session:
            session.message("user", "hello")
            session.message("assistant", "world")
            self.assertIn(b"hello", session.export("markdown"))
        with self.home.fork_session(session.id) as fork:
            self.assertEqual(len(fork.messages()), 2)
        self.assertEqual({s.id for s in self.home.sessions()}, {session.id, fork.id})
        self.home.remove_session(fork.id)
        self.home.remove_session(session.id, now=True)
        self.assertEqual(self.home.sessions(), [])


class Content(HomeCase):
    def test_blobs_of_memory_and_of_files(self):
        data = os.urandom(3 << 20)
        ref = self.home.put_blob(data)
        self.assertEqual(self.home.put_blob(io.BytesIO(data)), ref)
        self.assertEqual(self.home.get_blob(ref), data)
        self.assertEqual(self.home.get_blob(ref, 10, 20), data[10:20])
        self.assertEqual(b"".join(self.home.read_blob(ref)), data)
        self.assertEqual(self.home.blob_size(ref), len(data))
        self.assertEqual(self.home.get_blob(self.home.put_blob("\u00e9")), b"\xc3\xa9")
        self.assertEqual(self.home.get_blob(self.home.put_blob(b"")), b"")

    def test_a_file_that_fails_ends_the_put_with_its_own_exception(self):
        class Broken(io.RawIOBase):
            def read(self, size=-1):
                raise OSError("no more")
        with self.assertRaisesRegex(OSError, "no more"):
            self.home.put_blob(Broken())

    def test_sinks_keep_the_whole_and_show_the_end(self):
        with self.home.new_session() as session:
            with session.sink("seq", threshold=100) as out:
                for i in range(1000):
                    out.write("%d\n" % i)
            self.assertTrue(out.shown.truncated)
            self.assertTrue(out.shown.output.endswith("999\n"))
            self.assertEqual(session.read(out.shown.address, tail=1), "999\n")
            self.assertEqual(session.read(out.shown.address, grep="^5.5$", limit=2),
                             "505\n515\n")
            self.assertEqual([o.tool for o in session.outputs()], ["seq"])
            with self.assertRaises(quire.Invalid):
                out.write("late")
            with self.assertRaises(ValueError):
                with session.sink("bad", threshold=1) as bad:
                    bad.write("x" * 100)
                    raise ValueError
            self.assertEqual(len(session.outputs()), 1)
            with session.sink("short") as short:
                short.write(b"hi")
            self.assertIsNone(short.shown.address)

    def test_artifacts_have_versions_and_expectations(self):
        with self.home.new_session() as session:
            one = session.put_artifact("a/b.md", "one", tags=["x"], meta={"k": 1})
            two = session.put_artifact("a/b.md", b"two", expect=one.sha256)
            self.assertEqual((one.created, two.version, one.tags[0]), (True, 2, "x"))
            self.assertEqual(session.get_artifact("a/b.md"), b"two")
            self.assertEqual(session.get_artifact("a/b.md", version=1), b"one")
            with self.assertRaises(quire.Changed):
                session.put_artifact("a/b.md", "three", expect="none")
            with self.assertRaises(quire.Invalid):
                session.put_artifact("../x", "")
            with self.assertRaises(quire.QuotaExceeded):
                session.put_artifact("big", b"x" * (17 << 20))
            self.assertEqual(len(self.home.artifact_versions("a/b.md", session=session.id)), 2)
            self.home.remove_artifact("a/b.md", session=session.id)
            self.assertEqual(session.artifacts(), [])
            self.home.restore_artifact("a/b.md", session=session.id)
            self.assertEqual([a.path for a in session.artifacts()], ["a/b.md"])

    def test_a_transaction_keeps_all_or_nothing(self):
        with self.home.transaction():
            self.home.put_artifact("a", "1")
            self.home.remember("user", "one")
        with self.assertRaises(KeyError):
            with self.home.transaction():
                self.home.put_artifact("b", "2")
                raise KeyError
        self.assertEqual([a.path for a in self.home.artifacts()], ["a"])
        self.assertEqual(len(self.home.memories()), 1)

    def test_memory_is_added_found_replaced_and_ended(self):
        one = self.home.remember("project", "ports", "the server is on 7733", tags=["net"])
        two = self.home.remember("project", "ports again", supersedes=[one.id])
        self.assertEqual([m.id for m in self.home.memories()], [two.id])
        self.assertEqual(self.home.recall("ports")[0].id, two.id)
        self.assertEqual(self.home.recall("nothing-like-it"), [])
        three = self.home.edit_memory(two.id, content="on 80", type="reference")
        self.assertEqual((three.title, three.content, three.type),
                         ("ports again", "on 80", "reference"))
        four = self.home.remember("user", "likes tea")
        self.assertGreater(self.home.relate(two.id, "supports", four.id), 0)
        with self.assertRaises(quire.Exists):
            self.home.relate(two.id, "supports", four.id)
        self.home.forget(two.id)
        with self.assertRaises(quire.NotFound):
            self.home.memory(two.id)
        with self.assertRaises(quire.Invalid):
            self.home.remember("nonsense", "x")

    def test_search_filters_and_pages(self):
        with self.home.new_session(cwd="/tmp/project") as session:
            for i in range(30):
                session.message("user" if i % 2 else "assistant", "needle \u00e9 %d" % i)
        hits = self.home.search("needle", role="user", limit=10)
        self.assertEqual((len(hits), hits.total), (10, 15))
        more = self.home.search("needle", role="user", limit=10, cursor=hits.next_cursor)
        self.assertEqual(len({h.address for h in hits + more}), 15)
        a, b = hits[0].matches[0]
        self.assertEqual(hits[0].snippet[a:b], "needle")
        self.assertEqual(self.home.search("needle", kind=["memory", "artifact"]), [])
        with self.assertRaises(quire.Invalid):
            self.home.search("needle", since="not a time")
        self.assertEqual(len(self.home.search("needle", since="2020-01-01", sort="newest",
                                              limit=1)), 1)

    def test_prompts_and_the_workspace_tool(self):
        self.home.add_prompt("count to ten", cwd="/tmp")
        self.assertEqual([p.prompt for p in self.home.prompts("ten")], ["count to ten"])
        with self.home.new_session() as session:
            answer = session.tool({"action": "write", "filename": "x.md", "content": "hi"})
            self.assertTrue(answer["success"], answer)
            self.assertEqual(session.get_artifact("x.md"), b"hi")

    def test_commands_run_in_the_workspace(self):
        with self.home.new_session() as session:
            session.put_artifact("in.txt", "hello")
            try:
                done = session.run("cat in.txt; echo oops >&2; exit 3")
            except quire.Error as error:
                if error.kind == "io":
                    self.skipTest(str(error))
                raise
            self.assertEqual((done.exit, done.stdout, done.stderr), (3, "hello", "oops\n"))
            self.assertEqual(session.run(["echo", "a b"]).stdout, "a b\n")

    def test_imports_need_the_program_and_report_each_session(self):
        file = os.path.join(self.place, "chat.json")
        with open(file, "w", encoding="utf-8") as out:
            out.write('[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]')
        records = self.home.import_sessions([file], agents=["chat"])
        self.assertEqual(records[-1]["imported"], 1, records)
        with self.home.open_session(records[0]["session"], read_only=True) as session:
            self.assertEqual(len(session.messages()), 2)


class Errors(HomeCase):
    def test_each_status_has_its_exception(self):
        with self.assertRaises(quire.NotFound) as caught:
            self.home.open_session("0000")
        self.assertEqual(caught.exception.kind, "not_found")
        self.assertIsInstance(caught.exception, quire.Error)
        with self.home.new_session() as session:
            with quire.open(self.home.path, busy_ms=1) as other:
                with self.assertRaises(quire.Busy):
                    other.open_session(session.id)
            with self.assertRaises(quire.Invalid):
                self.home.new_session(sync="always")
        with self.assertRaises(quire.Invalid):
            session.append(user("closed"))
        path = session.id
        ref = self.home.put_blob(os.urandom(200000))
        for base, _, names in os.walk(os.path.join(self.home.path, "blobs")):
            for name in names:
                with open(os.path.join(base, name), "r+b") as file:
                    file.seek(1000)
                    file.write(b"damage")
        with self.assertRaises(quire.Damaged):
            self.home.get_blob(ref)
        self.assertTrue(path)

    def test_a_closed_home_is_refused_and_closing_twice_is_fine(self):
        home = quire.open(os.path.join(self.place, "other"))
        home.close()
        home.close()
        with self.assertRaises(quire.Invalid):
            home.sessions()

    def test_errors_can_be_pickled(self):
        import pickle
        error = pickle.loads(pickle.dumps(quire.NotFound("a", "b")))
        self.assertEqual((str(error), error.hint, type(error)), ("a (b)", "b", quire.NotFound))


class Threads(HomeCase):
    def test_32_threads_append_and_store(self):
        failed = []

        def work(number):
            try:
                for i in range(20):
                    session.message("user", "%d-%d" % (number, i))
                    if i % 5 == 0:
                        self.home.put_artifact("t%d/%d" % (number, i), "x", session=session.id)
                        session.info()
                        self.home.recall("anything")
                        list(session.entries())
            except BaseException as error:  # pylint: disable=broad-except
                failed.append(error)

        with self.home.new_session(sync="each") as session:
            threads = [threading.Thread(target=work, args=(n,)) for n in range(32)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(failed, [])
            entries = list(session.entries())
            self.assertEqual(len({e["id"] for e in entries}), 640)
            parents = [e["parentId"] for e in entries]
            self.assertEqual(parents, [None] + [e["id"] for e in entries[:-1]])
            self.assertEqual(len(session.artifacts()), 128)

    def test_a_forked_child_cannot_use_what_its_parent_opened(self):
        with self.home.new_session() as session:
            session.append(user("before"))
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    session.append(user("child"))
                except quire.Invalid as error:
                    status = 0 if "parent" in str(error) else 2
                    session.close()
                    with quire.open(self.home.path) as own:
                        status = status or len(own.sessions()) != 1
                os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            session.append(user("after"))
            self.assertEqual(len(list(session.entries())), 2)

    def test_handles_leak_neither_memory_nor_descriptors(self):
        def descriptors():
            return len(os.listdir("/proc/self/fd"))

        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096

        def once():
            with quire.open(self.home.path) as home, home.new_session() as session:
                session.message("user", "x" * 1000)
                session.put_artifact("a", "b")
                with session.sink("t", threshold=4) as out:
                    out.write("12345678")
                list(session.entries())
                with self.assertRaises(quire.Invalid):
                    session.append({"type": "message"})

        for _ in range(20):
            once()
        gc.collect()
        before, memory = descriptors(), resident()
        for _ in range(100):
            once()
        gc.collect()
        self.assertLessEqual(descriptors(), before)
        self.assertLess(resident() - memory, 24 << 20)


class Crashes(HomeCase):
    def test_what_an_agent_acknowledged_survives_kill_9_at_any_moment(self):
        agent = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent.py")
        seed = random.randrange(1 << 30)
        rnd, session = random.Random(seed), None
        kept = {"entry": set(), "artifact": set(), "fact": set(), "output": set()}
        for _ in range(int(os.environ.get("QUIRE_KILLS", "12"))):
            command = [sys.executable, agent, self.home.path] + ([session] if session else [])
            killed = support.Killed(command, rnd.randrange(1, 60))
            self.assertEqual(killed.status, -9, "seed %d" % seed)
            session = killed.acknowledged[0][1]
            for kind, *what in killed.acknowledged[1:]:
                kept[kind].add(what[0])
        with self.home.open_session(session) as found:
            ids = [e["id"] for e in found.entries()]
            self.assertLessEqual(kept["entry"], set(ids), "seed %d" % seed)
            self.assertEqual(len(ids), len(set(ids)))
            self.assertLessEqual(kept["artifact"], {a.path for a in found.artifacts()})
            self.assertLessEqual(kept["output"], {o.address for o in found.outputs()})
        facts = {str(m.id) for m in self.home.memories()}
        self.assertLessEqual(kept["fact"], facts, "seed %d" % seed)
        check = subprocess.run([support.QUIRE, "--home", self.home.path, "session", "check",
                                session], capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)


class Package(unittest.TestCase):
    def test_importing_it_loads_little(self):
        code = ("import sys; before = set(sys.modules); import quire; "
                "print(*sorted(set(sys.modules) - before))")
        loaded = subprocess.run([sys.executable, "-I", "-c", "import sys; sys.path.insert(0, %r); "
                                 % support.PACKAGE + code], capture_output=True, text=True,
                                check=True).stdout.split()
        for name in ("ctypes", "json", "asyncio", "urllib", "subprocess", "inspect"):
            self.assertNotIn(name, loaded)

    def test_a_library_that_is_not_there_is_named(self):
        done = subprocess.run([sys.executable, "-c", "import quire; quire.open('/tmp/x')"],
                              env={**os.environ, "QUIRE_LIBRARY": "/nowhere/libquire.so"},
                              capture_output=True, text=True, check=False)
        self.assertIn("cannot load libquire: /nowhere/libquire.so", done.stderr)

    def test_times_are_of_this_moment(self):
        with support.tempfile.TemporaryDirectory() as place, quire.open(place) as home:
            made = home.remember("user", "now")
            self.assertLess(abs(made.created_at - time.time()), 600)


if __name__ == "__main__":
    unittest.main()
