"""For asyncio: the same calls as coroutines, in worker threads.

    async with quire.aio.open() as home:
        async with await home.new_session() as session:
            await session.message("user", "hi")
            async for entry in session.entries():
                ...

A call that was cancelled runs to its end in its thread.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any, AsyncIterator, Callable, Iterator, List, Optional, TypeVar, Union

from ._home import Home
from ._library import Data
from ._session import Session
from ._values import JSON, Artifact, Hits, Memory, Shown

T = TypeVar("T")
STEP = 64


async def stream(make: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
    """An iterator that reads, as an asynchronous one."""
    iterator = await asyncio.to_thread(make)

    def step() -> List[T]:
        found = []
        for item in iterator:
            found.append(item)
            if len(found) == STEP:
                break
        return found

    while True:
        batch = await asyncio.to_thread(step)
        for item in batch:
            yield item
        if len(batch) < STEP:
            return


class AsyncSession:
    """A Session, whose calls are coroutines. `sync` is the Session itself."""

    def __init__(self, session: Session) -> None:
        self.sync = session

    @property
    def id(self) -> str:
        return self.sync.id

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await asyncio.to_thread(self.sync.close)

    async def append(self, entry: Union[JSON, Data], **options: Any) -> str:
        return await asyncio.to_thread(self.sync.append, entry, **options)

    async def message(self, role: str, content: Any, **fields: Any) -> str:
        return await asyncio.to_thread(self.sync.message, role, content, **fields)

    async def flush(self) -> None:
        await asyncio.to_thread(self.sync.flush)

    async def branch(self, entry: Optional[str], keep: bool = True) -> None:
        await asyncio.to_thread(self.sync.branch, entry, keep)

    def entries(self) -> AsyncIterator[JSON]:
        return stream(self.sync.entries)

    async def context(self, leaf: Optional[str] = None) -> JSON:
        return await asyncio.to_thread(self.sync.context, leaf)

    async def messages(self, leaf: Optional[str] = None) -> List[JSON]:
        return await asyncio.to_thread(self.sync.messages, leaf)

    async def output(self, tool: str, pieces: AsyncIterator[bytes]) -> Shown:
        """The output of a tool, as it comes."""
        sink = self.sync.sink(tool)
        try:
            async for piece in pieces:
                await asyncio.to_thread(sink.write, piece)
            return await asyncio.to_thread(sink.finish)
        finally:
            await asyncio.to_thread(sink.close)

    async def put_artifact(self, path: str, data: Data, **options: Any) -> Artifact:
        return await asyncio.to_thread(self.sync.put_artifact, path, data, **options)

    async def get_artifact(self, path: str) -> bytes:
        return await asyncio.to_thread(self.sync.get_artifact, path)


class AsyncHome:
    """A Home, whose calls are coroutines. `sync` is the Home itself."""

    def __init__(self, home: Home) -> None:
        self.sync = home

    async def __aenter__(self) -> AsyncHome:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await asyncio.to_thread(self.sync.close)

    async def new_session(self, cwd: Optional[str] = None, title: Optional[str] = None,
                          **options: Any) -> AsyncSession:
        return AsyncSession(await asyncio.to_thread(self.sync.new_session, cwd, title,
                                                    **options))

    async def open_session(self, which: str, **options: Any) -> AsyncSession:
        return AsyncSession(await asyncio.to_thread(self.sync.open_session, which, **options))

    async def put_blob(self, data: Data) -> str:
        return await asyncio.to_thread(self.sync.put_blob, data)

    async def get_blob(self, ref: str) -> bytes:
        return await asyncio.to_thread(self.sync.get_blob, ref)

    async def remember(self, type: str, title: str, content: str = "",
                       **options: Any) -> Memory:
        return await asyncio.to_thread(self.sync.remember, type, title, content, **options)

    async def recall(self, query: str, **options: Any) -> List[Memory]:
        return await asyncio.to_thread(self.sync.recall, query, **options)

    async def search(self, query: str, **filters: Any) -> Hits:
        return await asyncio.to_thread(self.sync.search, query, **filters)


def open(home: Optional[Union[str, os.PathLike[str]]] = None, **options: Any) -> AsyncHome:
    """quire.open(), for `async with`."""
    return AsyncHome(Home(home, **options))
