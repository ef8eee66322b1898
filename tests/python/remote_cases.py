"""The client over HTTP against a server; asyncio."""
import asyncio
import json
import os
import re
import subprocess
import unittest

import support
from support import HomeCase, quire, user

import quire.aio  # noqa: E402


class Remote(HomeCase):
    def setUp(self):
        super().setUp()
        path = os.path.join(self.place, "served")
        command = [support.QUIRE, "--home", path]
        subprocess.run(command + ["session", "new"], check=True, capture_output=True)
        made = subprocess.run(command + ["tenant", "rotate", "default", "--json"], check=True,
                              capture_output=True, text=True)
        server = subprocess.Popen(command + ["serve", "--listen", "127.0.0.1:0"],
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        url = re.search(r"http://\S+", server.stderr.readline())[0]
        self.url = url
        self.remote = quire.connect(url, json.loads(made.stdout)["token"])

    def test_the_methods_of_home_and_session_over_http(self):
        home = self.remote
        with home.new_session(title="tea", cwd="/tmp") as session:
            first = session.append(user("hi \u00e9"))
            second = session.message("assistant", "ho")
            self.assertEqual([e["id"] for e in session.entries()], [first, second])
            self.assertEqual([m["content"] for m in session.messages()], ["hi \u00e9", "ho"])
            self.assertEqual(session.entry(first)["id"], first)
            with self.assertRaises(quire.Changed):
                session.append(user("x"), expect=first)
            once = session.append(user("e"), op="key")
            self.assertEqual(session.append(user("e"), op="key"), once)
            with session.sink("seq", threshold=100) as out:
                for i in range(1000):
                    out.write("%d\n" % i)
            self.assertEqual(session.read(out.shown.address, tail=1), "999\n")
            self.assertEqual([o.tool for o in session.outputs()], ["seq"])
            made = session.put_artifact("a/b.txt", "one")
            self.assertEqual((made.created, made.session), (True, session.id))
            self.assertEqual(session.get_artifact("a/b.txt"), b"one")
            with self.assertRaises(quire.Changed):
                session.put_artifact("a/b.txt", "two", expect="none")
            self.assertEqual([a.path for a in session.artifacts()], ["a/b.txt"])
            session.rename("new")
            self.assertEqual(session.title, "new")
            session.label(first, "x")
            session.branch(first)
            self.assertIn(b"hi", session.export("markdown"))
            self.assertTrue(session.tool({"action": "list"})["success"])
            home.remove_artifact("a/b.txt", session=session.id)
        fact = home.remember("project", "ports", "7733", tags=["net"], session=session.id)
        self.assertEqual((fact.session, fact.tags), (session.id, ("net",)))
        other = home.remember("user", "other")
        self.assertGreater(home.relate(fact.id, "supports", other.id), 0)
        self.assertEqual(home.recall("ports")[0].title, "ports")
        self.assertEqual({m.id for m in home.memories()}, {fact.id, other.id})
        home.forget(fact.id)
        hits = home.search("hi", kind="message")
        self.assertEqual((hits[0].entry, hits.total), (first, 1))
        ref = home.put_blob(b"x" * 1000)
        self.assertEqual(home.get_blob(ref, 5, 10), b"x" * 5)
        self.assertEqual(home.get_blob(ref), b"x" * 1000)
        home.add_prompt("count")
        self.assertEqual([p.prompt for p in home.prompts()], ["count"])
        with home.fork_session(session.id) as fork:
            self.assertNotEqual(fork.id, session.id)
        self.assertEqual(len(home.sessions()), 3)
        home.remove_session(fork.id, now=True)
        self.assertEqual(len(home.sessions()), 2)

    def test_errors_are_the_same_as_at_home(self):
        with self.assertRaises(quire.NotFound):
            self.remote.open_session("00000000")
        with self.assertRaises(quire.Invalid) as caught:
            self.remote.new_session().append({"type": "mesage"})
        self.assertIn("did you mean", str(caught.exception))
        with self.assertRaises(quire.Error):
            quire.connect(self.url, "qrt_" + "0" * 64).sessions()
        with self.assertRaises(quire.Error) as caught:
            quire.connect("http://127.0.0.1:9", "x", timeout=5).sessions()
        self.assertEqual(caught.exception.kind, "io")
        with self.assertRaises(quire.Invalid):
            quire.connect("file:///etc/passwd")


class Asyncio(HomeCase):
    def test_coroutines_of_a_home_and_its_sessions(self):
        async def pieces():
            for n in range(1000):
                yield b"%d\n" % n

        async def main():
            async with quire.aio.open(self.home.path) as home:
                async with await home.new_session(title="t", sync="each") as session:
                    await asyncio.gather(*(session.message("user", str(n)) for n in range(40)))
                    found = [e["message"]["content"] async for e in session.entries()]
                    self.assertEqual(sorted(map(int, found)), list(range(40)))
                    shown = await session.output("seq", pieces())
                    self.assertEqual(shown.total_lines, 1001)
                    await session.put_artifact("a", b"x")
                    self.assertEqual(await session.get_artifact("a"), b"x")
                    await session.branch(None)
                ref = await home.put_blob(b"x")
                self.assertEqual(await home.get_blob(ref), b"x")
                await home.remember("user", "tea")
                self.assertEqual(len(await home.recall("tea")), 1)
                self.assertEqual((await home.search("tea")).total, 1)
                async with await home.open_session(session.id) as again:
                    self.assertEqual(await again.messages(), [])
                    self.assertEqual(len([e async for e in again.entries()]), 41)
        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()
