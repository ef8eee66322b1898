"""Checkpoints and a store for LangGraph, kept in Quire.

    from quire.langgraph import QuireSaver, QuireStore

    graph = builder.compile(checkpointer=QuireSaver(home), store=QuireStore(home))

A thread is a session; a checkpoint is an entry. What a step adds is stored, not the state again:

  - serialized values are cut into chunks, one for each element of a list; a chunk that the
    thread has already is referred to by its number;
  - a list names the version that it continues, how much of that it keeps, and what it adds.

So a chat of n steps takes space linear in its messages. One process at a time writes to a
thread: a second one gets Busy until release() or close().
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import random
import threading
import zlib
from collections import OrderedDict
from typing import (Any, AsyncIterator, Dict, Iterator, List, NamedTuple, Optional, Sequence,
                    Tuple)

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP, BaseCheckpointSaver, CheckpointTuple, get_checkpoint_id)

from . import _errors
from ._home import Home
from ._session import Session
from ._values import JSON

CHECKPOINT, WRITES = "langgraph/checkpoint", "langgraph/writes"
THREADS = "langgraph/threads/"
OPEN_THREADS = 32
KEPT_LISTS = 64
SMALL = 64

Chunk = Tuple[str, bytes]


def encode(chunk: Chunk, like: bytes = b"") -> List[Any]:
    """A chunk in JSON, the shortest of: 0, bytes as characters U+0000 to U+00FF; 1, base64;
    2, base64 of what zlib makes of it; 3, the same with `like` as its dictionary."""
    kind, data = chunk
    plain = data.decode("latin-1")
    size = len(json.dumps(plain, ensure_ascii=False).encode())
    if size <= SMALL:
        return [kind, plain]
    packer = zlib.compressobj(6, zlib.DEFLATED, -15, zdict=like) if like \
        else zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    if len(packed) * 4 // 3 + 8 < min(size, len(data) * 4 // 3):
        return [kind, base64.b64encode(packed).decode(), 3 if like else 2]
    if size <= len(data) * 4 // 3 + 6:
        return [kind, plain]
    return [kind, base64.b64encode(data).decode(), 1]


def decode(value: List[Any], like: bytes = b"") -> Chunk:
    how = value[2] if len(value) > 2 else 0
    if how == 0:
        return value[0], value[1].encode("latin-1")
    data = base64.b64decode(value[1])
    if how >= 2:
        packer = zlib.decompressobj(-15, zdict=like) if how == 3 else zlib.decompressobj(-15)
        data = packer.decompress(data) + packer.flush()
    return value[0], data


class Known(NamedTuple):
    """Where a checkpoint is."""

    entry: str
    parent: Optional[str]


class Thread:
    """A session with what was read of it: numbers of chunks, places of values."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lock = threading.RLock()
        self.n_chunks = 0
        self.chunk_of: Dict[bytes, int] = {}      # digest -> number
        self.entry_of: List[Tuple[str, int]] = []  # number -> entry, place in it
        self.checkpoints: Dict[str, Dict[str, Known]] = {}  # namespace -> id -> place
        self.values: Dict[Tuple[str, str, str], str] = {}   # ns, channel, version -> entry
        self.writes: Dict[Tuple[str, str], List[str]] = {}  # ns, checkpoint -> entries
        self.lists: OrderedDict[Tuple[str, str, str], List[int]] = OrderedDict()
        self.last: Tuple[str, JSON] = ("", {})
        self.first: Dict[str, bytes] = {}  # ns -> body of its first checkpoint
        self.sample = b""  # the first chunk that is not small: a dictionary for the others
        for entry in session.entries():
            self.learn(entry)

    def learn(self, entry: JSON) -> None:
        kind, data = entry.get("customType"), entry.get("data")
        if kind not in (CHECKPOINT, WRITES) or not isinstance(data, dict):
            return
        for place, value in enumerate(data.get("chunks", ())):
            chunk = decode(value, self.sample)
            if not self.sample and len(chunk[1]) > SMALL:
                self.sample = chunk[1]
            self.chunk_of[_digest(chunk)] = len(self.entry_of)
            self.entry_of.append((entry["id"], place))
        ns = data.get("ns", "")
        key = (ns, data["id"])
        if kind == WRITES:
            self.writes.setdefault(key, []).append(entry["id"])
            return
        self.checkpoints.setdefault(ns, {})[data["id"]] = Known(
            entry["id"], data.get("parent"))
        if ns not in self.first:
            self.first[ns] = decode(data["checkpoint"])[1]
        for channel, (version, *_) in data.get("values", {}).items():
            self.values[(ns, channel, version)] = entry["id"]

    def data(self, entry_id: str) -> JSON:
        if self.last[0] != entry_id:
            self.last = (entry_id, self.session.entry(entry_id)["data"])
        return self.last[1]

    def append(self, kind: str, data: JSON) -> None:
        parent = self.checkpoints.get(data["ns"], {}).get(data.get("parent") or data["id"])
        data = {k: v for k, v in data.items() if v not in ("", [], None)}
        entry = {"type": "custom", "customType": kind, "data": data}
        self.learn({**entry, "id": self.session.append(
            entry, at=parent.entry if parent else None)})

    # ---- chunks ----------------------------------------------------------

    def number(self, chunk: Chunk, fresh: List[Any]) -> int:
        """The number of a chunk; a new one is added to `fresh`, the chunks of the entry that
        is being made."""
        digest = _digest(chunk)
        known = self.chunk_of.get(digest)
        if known is None:
            known = self.chunk_of[digest] = len(self.entry_of) + len(fresh)
            fresh.append(encode(chunk, self.sample))
        return known

    def forget(self, fresh: List[Any]) -> None:
        """The entry was not appended: its chunks are unknown again."""
        for chunk in fresh:
            self.chunk_of.pop(_digest(decode(chunk, self.sample)), None)

    def chunk(self, number: int) -> Chunk:
        entry, place = self.entry_of[number]
        return decode(self.data(entry)["chunks"][place], self.sample)

    def list_of(self, ns: str, channel: str, version: str) -> Optional[List[int]]:
        """The chunks of a list, through the versions that it continues. None: no list."""
        steps: List[Tuple[int, List[int]]] = []
        key: Optional[Tuple[str, str, str]] = (ns, channel, version)
        found: List[int] = []
        while key is not None:
            if key in self.lists:
                found = list(self.lists[key])
                break
            entry = self.values.get(key)
            value = self.data(entry)["values"][channel] if entry else []
            if len(value) < 2 or not isinstance(value[1], list):
                return None
            steps.append((value[3] if len(value) > 2 else 0, value[1]))
            key = (ns, channel, value[2]) if len(value) > 2 else None
        for keep, add in reversed(steps):
            del found[keep:]
            found += add
        self.lists[(ns, channel, version)] = found
        while len(self.lists) > KEPT_LISTS:
            self.lists.popitem(last=False)
        return list(found)


def _digest(chunk: Chunk) -> bytes:
    return hashlib.blake2b(chunk[0].encode() + b"\0" + chunk[1], digest_size=16).digest()


class QuireSaver(BaseCheckpointSaver):  # type: ignore
    """A checkpointer. Any thread may use it, and asyncio. `sync` is the durability of a put:
    "each" survives a power cut when it returns."""

    def __init__(self, home: Optional[Home] = None, *, serde: Any = None,
                 sync: str = "each") -> None:
        super().__init__(serde=serde) if serde is not None else super().__init__()
        self.home = home or Home()
        self._sync = sync
        self._threads: OrderedDict[str, Thread] = OrderedDict()
        self._lock = threading.RLock()

    # ---- threads ---------------------------------------------------------

    def _path(self, thread_id: str) -> str:
        return THREADS + hashlib.sha256(thread_id.encode()).hexdigest()

    def _thread(self, thread_id: str, make: bool) -> Optional[Thread]:
        """The session of a thread: the artifact of its name holds the session's id."""
        with self._lock:
            thread = self._threads.get(thread_id)
            if thread is None:
                session = self._open(thread_id, make)
                if session is None:
                    return None
                thread = self._threads[thread_id] = Thread(session)
                while len(self._threads) > OPEN_THREADS:
                    _, oldest = self._threads.popitem(last=False)
                    with oldest.lock:
                        oldest.session.close()
            self._threads.move_to_end(thread_id)
            return thread

    @contextlib.contextmanager
    def _using(self, config: Any, make: bool) -> Iterator[Optional[Thread]]:
        """A thread, locked and open: another one may have closed it to open its own."""
        while True:
            thread = self._thread(str(config["configurable"]["thread_id"]), make)
            if thread is None:
                yield None
                return
            with thread.lock:
                if not thread.session.closed:
                    yield thread
                    return

    def _open(self, thread_id: str, make: bool) -> Optional[Session]:
        path = self._path(thread_id)
        try:
            known = self.home.get_artifact(path).decode()
            return self.home.open_session(known, sync=self._sync)
        except _errors.NotFound:
            if not make:
                return None
        session = self.home.new_session(title="LangGraph " + thread_id[:200], sync=self._sync)
        try:
            self.home.put_artifact(path, session.id, mime="text/plain", expect="none")
        except _errors.Changed:  # another process was faster, or its session was removed
            taken = self.home.get_artifact(path).decode()
            try:
                other = self.home.open_session(taken, sync=self._sync)
            except _errors.NotFound:
                self.home.put_artifact(path, session.id, mime="text/plain")
                return session
            session.close()
            self.home.remove_session(session.id, now=True)
            return other
        return session

    def release(self, thread_id: Optional[str] = None) -> None:
        """Close the session of a thread, or of all: another process may write to it."""
        with self._lock:
            for name in [thread_id] if thread_id is not None else list(self._threads):
                thread = self._threads.pop(name, None)
                if thread:
                    with thread.lock:
                        thread.session.close()

    close = release

    # ---- writing ---------------------------------------------------------

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Store a checkpoint: the channels that have a new version."""
        place = config["configurable"]
        ns, parent = place.get("checkpoint_ns", ""), place.get("checkpoint_id")
        bare = {k: v for k, v in checkpoint.items() if k != "channel_values"}
        channels = checkpoint.get("channel_values", {})
        with self._using(config, True) as thread:
            assert thread is not None
            fresh: List[Any] = []
            values = {c: self._value(thread, ns, c, str(v), channels[c], parent, fresh)
                      if c in channels else [str(v)]
                      for c, v in new_versions.items()}
            data = {"ns": ns, "id": checkpoint["id"], "parent": parent,
                    "checkpoint": encode(self.serde.dumps_typed(bare),
                                         thread.first.get(ns, b"")),
                    "metadata": encode(self.serde.dumps_typed(
                        {k: v for k, v in metadata.items()})),
                    "values": values, "chunks": fresh}
            try:
                thread.append(CHECKPOINT, data)
            except BaseException:
                thread.forget(fresh)
                raise
        return {"configurable": {"thread_id": place["thread_id"], "checkpoint_ns": ns,
                                 "checkpoint_id": checkpoint["id"]}}

    def _value(self, thread: Thread, ns: str, channel: str, version: str, value: Any,
               parent: Optional[str], fresh: List[Any]) -> List[Any]:
        """[version]: no value; [version, number] one chunk; [version, [numbers]] a list;
        [version, [numbers], on, keep] what it adds to the first `keep` of version `on`."""
        if type(value) is not list:
            return [version, thread.number(self.serde.dumps_typed(value), fresh)]
        now = [thread.number(self.serde.dumps_typed(item), fresh) for item in value]
        made: List[Any] = [version, now]
        before = self._version_before(thread, ns, channel, parent)
        old = thread.list_of(ns, channel, before) if before not in (None, version) else None
        if old is not None:
            keep = 0
            while keep < min(len(old), len(now)) and old[keep] == now[keep]:
                keep += 1
            if keep:
                made = [version, now[keep:], before, keep]
        thread.lists[(ns, channel, version)] = now
        return made

    def _version_before(self, thread: Thread, ns: str, channel: str,
                        parent: Optional[str]) -> Any:
        known = thread.checkpoints.get(ns, {}).get(parent or "")
        if known is None:
            return None
        bare = self._body(thread, ns, known)
        version = bare.get("channel_versions", {}).get(channel)
        return None if version is None else str(version)

    def _body(self, thread: Thread, ns: str, known: Known) -> Any:
        """A checkpoint without the values of its channels. The first one of a namespace is the
        dictionary of the others."""
        value = thread.data(known.entry)["checkpoint"]
        try:
            return self.serde.loads_typed(decode(value, thread.first.get(ns, b"")))
        except zlib.error as reason:
            raise _errors.Damaged("checkpoint %s cannot be read: %s" % (
                known.entry, reason)) from None

    def put_writes(self, config: Any, writes: Sequence[Tuple[str, Any]], task_id: str,
                   task_path: str = "") -> None:
        """Store what a task wrote before its checkpoint."""
        place = config["configurable"]
        with self._using(config, True) as thread:
            assert thread is not None
            fresh: List[Any] = []
            rows = []
            for place_in, (channel, value) in enumerate(writes):
                row: List[Any] = [WRITES_IDX_MAP.get(channel, place_in), channel]
                if type(value) is list:
                    row.append([thread.number(self.serde.dumps_typed(v), fresh)
                                for v in value])
                else:
                    row.append(thread.number(self.serde.dumps_typed(value), fresh))
                rows.append(row)
            data = {"ns": place.get("checkpoint_ns", ""), "id": place["checkpoint_id"],
                    "task": task_id, "path": task_path, "writes": rows, "chunks": fresh}
            try:
                thread.append(WRITES, data)
            except BaseException:
                thread.forget(fresh)
                raise

    def delete_thread(self, thread_id: str) -> None:
        """Remove a thread for good."""
        with self._lock:
            thread = self._thread(str(thread_id), False)
            if thread is None:
                return
            self.release(str(thread_id))
            self.home.remove_artifact(self._path(str(thread_id)), purge=True)
            self.home.remove_session(thread.session.id, now=True)

    # ---- reading ---------------------------------------------------------

    def get_tuple(self, config: Any) -> Any:
        """The checkpoint that `config` names, or the last one; None: there is none."""
        place = config["configurable"]
        ns = place.get("checkpoint_ns", "")
        with self._using(config, False) as thread:
            if thread is None:
                return None
            known = thread.checkpoints.get(ns, {})
            wanted = get_checkpoint_id(config) or max(known, default=None)
            if wanted is None or wanted not in known:
                return None
            return self._tuple(thread, str(place["thread_id"]), ns, wanted)

    def _tuple(self, thread: Thread, thread_id: str, ns: str, wanted: str) -> Any:
        known = thread.checkpoints[ns][wanted]
        data = thread.data(known.entry)
        metadata = self.serde.loads_typed(decode(data["metadata"]))
        checkpoint = self._body(thread, ns, known)
        channels = {}
        for channel, version in checkpoint.get("channel_versions", {}).items():
            entry = thread.values.get((ns, channel, str(version)))
            value = thread.data(entry)["values"][channel] if entry else []
            if len(value) > 1 and not isinstance(value[1], list):
                channels[channel] = self.serde.loads_typed(thread.chunk(value[1]))
            elif len(value) > 1:
                channels[channel] = self._items(
                    thread, thread.list_of(ns, channel, str(version)) or [])
        checkpoint["channel_values"] = channels
        config = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns,
                                   "checkpoint_id": wanted}}
        parent = known.parent and {"configurable": {
            "thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": known.parent}}
        return CheckpointTuple(config, checkpoint, metadata, parent or None,
                               self._writes(thread, ns, wanted))

    def _items(self, thread: Thread, numbers: List[int]) -> List[Any]:
        return [self.serde.loads_typed(thread.chunk(n)) for n in numbers]

    def _writes(self, thread: Thread, ns: str, checkpoint: str) -> List[Tuple[str, str, Any]]:
        """Pending writes, a task's by their order. The first write of a place counts; of
        errors, interrupts and the like the last."""
        rows: Dict[Tuple[str, int], Tuple[str, str, Any, str]] = {}
        for entry in thread.writes.get((ns, checkpoint), []):
            data = thread.data(entry)
            for place, channel, value in data.get("writes", ()):
                key = (data["task"], place)
                if place < 0 or key not in rows:
                    rows[key] = (data["task"], channel, value, data.get("path", ""))
        return [(task, channel, self._items(thread, v) if isinstance(v, list)
                 else self.serde.loads_typed(thread.chunk(v)))
                for (_, _), (task, channel, v, _) in sorted(
                    rows.items(), key=lambda r: (r[1][3], r[0]))]

    def list(self, config: Any, *, filter: Optional[Dict[str, Any]] = None, before: Any = None,
             limit: Optional[int] = None) -> Iterator[Any]:
        """Checkpoints of a thread, the last first."""
        if config is None:
            raise _errors.Invalid("a thread has to be named", "give configurable.thread_id")
        place = config["configurable"]
        only, until = get_checkpoint_id(config), before and get_checkpoint_id(before)
        with self._using(config, False) as thread:
            known = {ns: sorted(ids, reverse=True)
                     for ns, ids in thread.checkpoints.items()} if thread else {}
        spaces = [place["checkpoint_ns"]] if "checkpoint_ns" in place else sorted(known)
        for ns in spaces:
            for wanted in known.get(ns, []):
                if (only and wanted != only) or (until and wanted >= until):
                    continue
                if limit is not None and limit <= 0:
                    return
                with self._using(config, False) as thread:
                    if thread is None:
                        return
                    found = self._tuple(thread, str(place["thread_id"]), ns, wanted)
                if filter and any(found.metadata.get(k) != v for k, v in filter.items()):
                    continue
                limit = None if limit is None else limit - 1
                yield found

    # ---- asyncio ---------------------------------------------------------

    async def aget_tuple(self, config: Any) -> Any:
        return await asyncio.to_thread(self.get_tuple, config)

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Sequence[Tuple[str, Any]], task_id: str,
                          task_path: str = "") -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def alist(self, config: Any, *, filter: Optional[Dict[str, Any]] = None,
                    before: Any = None, limit: Optional[int] = None) -> AsyncIterator[Any]:
        from .aio import stream
        async for found in stream(lambda: self.list(config, filter=filter, before=before,
                                                    limit=limit)):
            yield found

    def get_next_version(self, current: Any, channel: Any) -> str:
        """Versions that sort as text; the fraction tells branches apart."""
        number = 0 if current is None else int(str(current).split(".", 1)[0])
        return "%010d.%06d" % (number + 1, random.randrange(10 ** 6))
