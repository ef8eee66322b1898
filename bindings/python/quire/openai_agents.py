"""A session of the OpenAI Agents SDK, kept in Quire.

    from agents import Runner
    from quire.openai_agents import QuireSession

    session = QuireSession("15d4e204afe4fb93", home)      # or QuireSession.new(home)
    await Runner.run(agent, "What is new?", session=session)

It implements the `Session` protocol of the SDK without importing it. Messages, calls of tools
and their results become messages of Quire, which searches, contexts and exports know; each
item comes back as it was given. `pop_item` and `clear_session` move the leaf: nothing is
erased.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Dict, List, Optional

from ._home import Home
from ._session import Session

Item = Dict[str, Any]
ITEM = "openai/item"
CLEARED = "openai/cleared"


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and isinstance(block.get("text"), str)


def _call(item: Item) -> Item:
    try:
        arguments = json.loads(item.get("arguments") or "{}")
    except ValueError:
        arguments = {"text": item.get("arguments")}
    return {"role": "assistant", "content": [
        {"type": "toolCall", "id": item.get("call_id"), "name": item.get("name"),
         "arguments": arguments}]}


def entry_of(item: Item) -> Item:
    """An item of the SDK as an entry. What its message does not hold is in `item`."""
    kind = item.get("type")
    if isinstance(item.get("role"), str) and item["role"] and kind in (None, "message"):
        content = item.get("content")
        if not isinstance(content, list) or not all(map(_is_text, content)):
            return {"type": "message", "message": item}
        rest = {**item, "content": [{k: v for k, v in b.items() if k != "text"}
                                    for b in content]}
        return {"type": "message", "item": rest, "message": {
            "role": item["role"], "content": [{"type": "text", "text": b["text"]}
                                              for b in content]}}
    if kind == "function_call":
        return {"type": "message", "message": _call(item), "item": item}
    if kind == "function_call_output" and isinstance(item.get("output"), str):
        rest = {k: v for k, v in item.items() if k != "output"}
        return {"type": "message", "item": rest, "message": {
            "role": "toolResult", "toolCallId": item.get("call_id"),
            "content": [{"type": "text", "text": item["output"]}]}}
    return {"type": "custom", "customType": ITEM, "data": item}


def item_of(entry: Item) -> Optional[Item]:
    """The item of an entry; None: the entry is none."""
    if entry.get("type") == "custom" and entry.get("customType") == ITEM:
        found: Item = entry["data"]
        return found
    if entry.get("type") != "message":
        return None
    message: Item = entry["message"]
    item = entry.get("item")
    if item is None:
        return message
    if item.get("type") == "function_call_output":
        return {**item, "output": message["content"][0]["text"]}
    if "role" in item:
        return {**item, "content": [{**rest, "text": block["text"]} for rest, block in zip(
            item["content"], message["content"])]}
    return dict(item)


class QuireSession:
    """The conversation of an agent: an open session of Quire by the protocol of the SDK."""

    session_settings: Any = None

    def __init__(self, session: Any, home: Optional[Home] = None) -> None:
        """`session` is a quire.Session, or the id of one in `home`."""
        self.session: Session = session if isinstance(session, Session) else (
            home or Home()).open_session(session)

    @classmethod
    def new(cls, home: Home, **options: Any) -> QuireSession:
        return cls(home.new_session(**options))

    @property
    def session_id(self) -> str:
        return self.session.id

    def _entries(self) -> List[Item]:
        """The entries since the last time it was cleared."""
        found: List[Item] = []
        for entry in self.session.branch_entries():
            found.append(entry)
            if entry.get("customType") == CLEARED:
                found = []
        return found

    async def get_items(self, limit: Optional[int] = None) -> List[Item]:
        """The items, the oldest first; with a limit the last ones."""
        def get() -> List[Item]:
            items = [i for i in map(item_of, self._entries()) if i is not None]
            return items if limit is None else items[len(items) - limit:] if limit > 0 else []
        return await asyncio.to_thread(get)

    async def add_items(self, items: List[Item]) -> None:
        await asyncio.to_thread(self.session.append_many, [entry_of(i) for i in items])

    async def pop_item(self) -> Optional[Item]:
        """Take the last item back: the leaf moves above it."""
        def pop() -> Optional[Item]:
            for entry in reversed(self._entries()):
                item = item_of(entry)
                if item is None:
                    continue
                if entry["parentId"] is None:
                    self.session.append({"type": "custom", "customType": CLEARED})
                else:
                    self.session.branch(entry["parentId"])
                return item
            return None
        return await asyncio.to_thread(pop)

    async def clear_session(self) -> None:
        """Begin anew; what was there stays in the file."""
        await asyncio.to_thread(
            lambda: self.session.append({"type": "custom", "customType": CLEARED}, at="root"))

    def close(self) -> None:
        self.session.close()
