"""Adapters, against the interfaces that their packages publish."""
import asyncio
import random
import unittest

from support import HomeCase, quire

from quire.langgraph import QuireSaver  # noqa: E402
from quire.langgraph_store import QuireStore  # noqa: E402
from quire.openai_agents import QuireSession  # noqa: E402


class OpenAIAgents(HomeCase):
    ITEMS = [
        {"role": "user", "content": "what is new?"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"p": "."}',
         "id": "fc_1"},
        {"type": "function_call", "call_id": "c2", "name": "ls", "arguments": "not json"},
        {"type": "function_call_output", "call_id": "c1", "output": "a\nb"},
        {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text"}]},
        {"type": "message", "role": "assistant", "status": "completed", "id": "m1",
         "content": [{"type": "output_text", "text": "files", "annotations": []}]}]

    def test_items_come_back_as_they_were(self):
        async def main():
            session = QuireSession.new(self.home)
            await session.add_items(self.ITEMS)
            self.assertEqual(await session.get_items(), self.ITEMS)
            self.assertEqual(await session.get_items(2), self.ITEMS[-2:])
            self.assertEqual(await session.get_items(0), [])
            self.assertEqual(await session.get_items(99), self.ITEMS)
            session.close()
            again = QuireSession(session.session_id, self.home)
            self.assertEqual(await again.get_items(), self.ITEMS)
            again.close()
        asyncio.run(main())
        self.assertEqual(self.home.search("what is new", kind="message").total, 1)
        self.assertEqual(self.home.search("files", kind="message").total, 1)

    def test_pop_and_clear_move_the_leaf_and_last(self):
        async def main():
            session = QuireSession.new(self.home)
            self.assertIsNone(await session.pop_item())
            await session.add_items(self.ITEMS[:2])
            self.assertEqual(await session.pop_item(), self.ITEMS[1])
            session.close()
            session = QuireSession(session.session_id, self.home)
            self.assertEqual(await session.get_items(), self.ITEMS[:1])
            self.assertEqual(await session.pop_item(), self.ITEMS[0])
            self.assertEqual(await session.get_items(), [])
            await session.add_items(self.ITEMS)
            await session.clear_session()
            session.close()
            session = QuireSession(session.session_id, self.home)
            self.assertEqual(await session.get_items(), [])
            await session.add_items(self.ITEMS[:1])
            self.assertEqual(await session.get_items(), self.ITEMS[:1])
            session.close()
        asyncio.run(main())


def prose(seed, words=160):
    """Text of 5,000 words that occur as often as words of a language do."""
    rnd = random.Random(seed)
    return " ".join(WORDS[min(int(rnd.paretovariate(0.8)), len(WORDS)) - 1]
                    for _ in range(words))


WORDS = ["".join(random.Random(n).choices("etaoinshrdlcumwfgypbvk", k=2 + n % 9))
         for n in range(5000)]


def config(thread="t", **rest):
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **rest}}


def checkpoint(number, values, versions):
    return {"v": 1, "id": "%08d" % number, "ts": "2026-01-01T00:00:00Z",
            "channel_values": values, "channel_versions": versions, "versions_seen": {}}


class Saver(HomeCase):
    def setUp(self):
        super().setUp()
        self.saver = QuireSaver(self.home, sync="none")
        self.addCleanup(self.saver.close)

    def chat(self, saver, steps, thread="t"):
        """A conversation that grows by a message in each step."""
        messages, version, place = [], None, config(thread)
        for n in range(steps):
            message = {"id": "m%d" % n, "type": "human", "content": prose(n)}
            if n:
                saver.put_writes(place, [("messages", message)], "task%d" % n)
            messages = messages + [message]
            version = saver.get_next_version(version, None)
            place = saver.put(place, checkpoint(n, {"messages": messages, "n": n},
                                                {"messages": version, "n": version}),
                              {"step": n, "source": "loop"},
                              {"messages": version, "n": version})
        return messages, place

    def test_checkpoints_come_back_from_another_process_too(self):
        messages, place = self.chat(self.saver, 20)
        for _ in range(2):
            found = self.saver.get_tuple(config())
            self.assertEqual(found.config, place)
            self.assertEqual(found.checkpoint["channel_values"],
                             {"messages": messages, "n": 19})
            self.assertEqual(found.metadata, {"step": 19, "source": "loop"})
            self.assertEqual(found.parent_config["configurable"]["checkpoint_id"], "00000018")
            early = self.saver.get_tuple(config(checkpoint_id="00000004"))
            self.assertEqual(early.checkpoint["channel_values"]["messages"], messages[:5])
            self.assertEqual(early.pending_writes, [("task5", "messages", messages[5])])
            self.saver.close()
            self.saver = QuireSaver(self.home, sync="none")

    def test_lists_are_ordered_filtered_and_bounded(self):
        self.chat(self.saver, 10)
        steps = [t.metadata["step"] for t in self.saver.list(config())]
        self.assertEqual(steps, list(range(9, -1, -1)))
        self.assertEqual(len(list(self.saver.list(config(), limit=3))), 3)
        self.assertEqual([t.metadata["step"] for t in self.saver.list(
            config(), filter={"step": 4})], [4])
        before = config(checkpoint_id="00000003")
        self.assertEqual([t.metadata["step"] for t in self.saver.list(
            config(), before=before)], [2, 1, 0])
        self.assertEqual(list(self.saver.list(config("other"))), [])

    def test_branches_shortened_lists_and_other_values(self):
        one = self.saver.put(config(), checkpoint(1, {"m": [1, 2, 3], "b": b"\0\xff"},
                                                  {"m": "1", "b": "1"}), {},
                             {"m": "1", "b": "1"})
        two = self.saver.put(one, checkpoint(2, {"m": [1, 9], "b": b"\0\xff"},
                                             {"m": "2", "b": "1"}), {}, {"m": "2"})
        other = self.saver.put(one, checkpoint(3, {"m": [], "x": None},
                                               {"m": "2b", "x": "1"}), {},
                               {"m": "2b", "x": "1"})
        self.assertEqual(self.saver.get_tuple(two).checkpoint["channel_values"],
                         {"m": [1, 9], "b": b"\0\xff"})
        self.assertEqual(self.saver.get_tuple(other).checkpoint["channel_values"],
                         {"m": [], "x": None})

    def test_writes_of_a_place_count_once_and_errors_are_replaced(self):
        place = self.saver.put(config(), checkpoint(1, {}, {}), {}, {})
        self.saver.put_writes(place, [("a", 1), ("b", [2, 3])], "task")
        self.saver.put_writes(place, [("a", 9)], "task")
        self.saver.put_writes(place, [("__error__", "one")], "task")
        self.saver.put_writes(place, [("__error__", "two")], "task")
        self.assertEqual(self.saver.get_tuple(place).pending_writes,
                         [("task", "__error__", "two"), ("task", "a", 1),
                          ("task", "b", [2, 3])])

    def test_threads_and_namespaces_are_apart_and_can_be_deleted(self):
        self.chat(self.saver, 3, "a")
        self.chat(self.saver, 2, "b")
        inner = {"configurable": {"thread_id": "a", "checkpoint_ns": "inner"}}
        self.saver.put(inner, checkpoint(7, {}, {}), {}, {})
        self.assertEqual(self.saver.get_tuple(inner).checkpoint["id"], "00000007")
        self.assertEqual(self.saver.get_tuple(config("a")).checkpoint["id"], "00000002")
        self.saver.delete_thread("a")
        self.assertIsNone(self.saver.get_tuple(config("a")))
        self.assertEqual(self.saver.get_tuple(config("b")).checkpoint["id"], "00000001")
        self.chat(self.saver, 1, "a")
        self.assertEqual(self.saver.get_tuple(config("a")).checkpoint["id"], "00000000")

    def test_more_threads_than_are_kept_open(self):
        for n in range(40):
            self.chat(self.saver, 1, "t%d" % n)
        for n in range(40):
            self.assertIsNotNone(self.saver.get_tuple(config("t%d" % n)))

    def test_space_is_linear_in_what_is_new(self):
        messages, _ = self.chat(self.saver, 100)
        self.saver.close()
        unique = sum(len(self.saver.serde.dumps_typed(m)[1]) for m in messages)
        size = max(s.bytes for s in self.home.sessions())
        self.assertLess(size, 1.3 * unique, "%d of %d" % (size, unique))

    def test_asyncio(self):
        async def main():
            place = await self.saver.aput(config(), checkpoint(1, {"m": [1]}, {"m": "1"}), {},
                                          {"m": "1"})
            await self.saver.aput_writes(place, [("m", 2)], "task")
            found = await self.saver.aget_tuple(config())
            self.assertEqual(found.pending_writes, [("task", "m", 2)])
            self.assertEqual([t.config async for t in self.saver.alist(config())], [place])
            await self.saver.adelete_thread("t")
            self.assertIsNone(await self.saver.aget_tuple(config()))
        asyncio.run(main())


class Store(HomeCase):
    def test_items_namespaces_filters_and_queries(self):
        store = QuireStore(self.home)
        store.put(("users", "ann.b@x"), "likes", {"text": "green tea", "n": 1})
        store.put(("users", "ann.b@x"), "hates", {"text": "coffee", "n": 2})
        store.put(("users", "\u4e2d"), "k/1", {"text": "tea", "n": 3})
        item = store.get(("users", "ann.b@x"), "likes")
        self.assertEqual((item.value["text"], item.key, item.namespace),
                         ("green tea", "likes", ("users", "ann.b@x")))
        self.assertIsNone(store.get(("users",), "likes"))
        self.assertEqual(len(store.search(("users",))), 3)
        self.assertEqual({i.key for i in store.search(("users", "ann.b@x"))},
                         {"likes", "hates"})
        self.assertEqual([i.key for i in store.search(("users",), filter={"n": 2})], ["hates"])
        self.assertEqual({i.key for i in store.search(("users",), filter={"n": {"$gt": 1}})},
                         {"hates", "k/1"})
        found = store.search(("users",), query="tea")
        self.assertEqual({i.key for i in found}, {"likes", "k/1"})
        self.assertTrue(all(i.score for i in found))
        self.assertEqual(store.list_namespaces(),
                         [("users", "ann.b@x"), ("users", "\u4e2d")])
        self.assertEqual(store.list_namespaces(max_depth=1), [("users",)])
        self.assertEqual(store.list_namespaces(suffix=("\u4e2d",)), [("users", "\u4e2d")])
        store.put(("users", "ann.b@x"), "likes", {"text": "water"})
        self.assertEqual(store.get(("users", "ann.b@x"), "likes").value, {"text": "water"})
        store.delete(("users", "ann.b@x"), "likes")
        store.delete(("users", "ann.b@x"), "likes")
        self.assertIsNone(store.get(("users", "ann.b@x"), "likes"))


if __name__ == "__main__":
    unittest.main()
