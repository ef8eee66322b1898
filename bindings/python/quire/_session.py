"""One open session."""

from __future__ import annotations

import ctypes
import json
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List, Optional, Type, Union

from . import _abi, _errors
from ._handle import Handle
from ._library import Data, collect, encode, error_of, gather, take, text
from ._values import JSON, Artifact, Output, Run, SessionInfo

if TYPE_CHECKING:
    from ._home import Home
    from ._output import Sink

SYNC = {"flush": 0, "none": 1, "each": 2}
AT_ONCE, READ, IN_MEMORY = 2, 1, 4
BATCH = 64

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def entry_bytes(entry: Union[JSON, Data]) -> bytes:
    """An entry as JSON in UTF-8: a dict, or JSON as text or bytes."""
    if isinstance(entry, dict):
        try:
            return _dumps(entry).encode()
        except UnicodeEncodeError:  # half a surrogate pair: only as an escape
            return json.dumps(entry, allow_nan=False).encode()
        except (TypeError, ValueError) as reason:
            raise _errors.Invalid("the entry is not JSON: %s" % reason) from None
    try:
        return entry.encode() if isinstance(entry, str) else bytes(entry)
    except UnicodeEncodeError:
        raise _errors.Invalid("the entry is not text: half a surrogate pair") from None


def make_info(info: _abi.SessionInfo) -> SessionInfo:
    unknown = (1 << 64) - 1
    return SessionInfo(
        id=text(info.id), path=text(info.path), cwd=text(info.cwd), title=text(info.title),
        parent=text(info.parent), created=text(info.created),
        leaf=text(info.leaf) if info.leaf else None, first=text(info.first),
        status=text(info.status), modified=info.modified_us / 1e6, bytes=info.bytes,
        entries=info.entries, messages=0 if info.messages == unknown else info.messages,
        archived=bool(info.archived), pinned=bool(info.pinned), held=bool(info.held))


def read_entry(entry: _abi.Entry) -> JSON:
    value: JSON = json.loads(take(entry.json))
    return value


class Session(Handle):
    """An append-only tree of entries. Appending adds below the leaf; branching moves the
    leaf and erases nothing.

    Any thread may use it. Appends of several threads that wait for the disk share a sync.
    It has a store handle of its own, so that a Home and its sessions can be used at the
    same time. Close it, or use it as a context manager: it holds the write lock of the
    session until then. A process that was forked does not use the sessions of its parent.
    """

    def __init__(self, home: Home, store: int, ptr: int, sync: str) -> None:
        super().__init__(ptr)
        self.home = home
        self._store = store
        self._each = sync == "each"
        self._flushing = 0
        self._flushed = threading.Condition(self._lock)
        self._err = _abi.ErrorStruct()
        self._appended = _abi.Appended()
        self._err_at = ctypes.addressof(self._err)
        self._appended_at = ctypes.addressof(self._appended)
        self._append: Any = self._lib.dll.quire_session_append
        self.id = self.info().id

    def __enter__(self) -> Session:
        self._live()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<quire.Session %s%s>" % (self.id, " closed" if self.closed else "")

    def __del__(self) -> None:
        if getattr(self, "_ptr", None) is not None:
            self.close()

    def _after_fork(self) -> None:
        self._flushing = 0
        self._store = 0
        self._flushed = threading.Condition(self._lock)

    # ---- writing ---------------------------------------------------------

    def append(self, entry: Union[JSON, Data], *, at: Optional[str] = None,
               expect: Optional[str] = None, op: Optional[str] = None,
               any_shape: bool = False) -> str:
        """Append one entry and return its id: an object with a `type`; `id`, `parentId` and
        `timestamp` are filled in.

        `at` is the parent, "root" for none, the leaf by default. `expect` is the leaf that
        must be the current one, else Changed. `op` is an idempotency key: the same entry
        appended again under it adds nothing and has the same id. `any_shape` takes entries
        that lack what their type needs.

        The line is in the file when this returns; it survives a power cut as `sync` of the
        session says."""
        new_id = self._append_one(entry, at, expect, op, any_shape)
        if self._each:
            self.flush()
        return new_id

    def _append_one(self, entry: Union[JSON, Data], at: Optional[str] = None,
                    expect: Optional[str] = None, op: Optional[str] = None,
                    any_shape: bool = False) -> str:
        data = entry_bytes(entry)
        options = None
        if at is not None or expect is not None or op is not None or any_shape:
            options = ctypes.byref(_abi.AppendOptions(
                at=encode(at), expect=encode(expect), op=encode(op), any=any_shape))
        with self._lock:
            ptr = self._ptr
            if ptr is None:
                ptr = self._live()
            status = self._append(ptr, data, len(data), options, self._appended_at,
                                  self._err_at)
            if status:
                raise error_of(status, self._err)
            done = self._appended
            new_id: str = done.id.decode()
            if done.continued:
                self.id = self._info().id
        return new_id

    def append_many(self, entries: Iterable[Union[JSON, Data]]) -> List[str]:
        """Append entries one below the other, with one wait for the disk at the end under
        sync="each". If one is refused those before it are appended."""
        try:
            return [self._append_one(e) for e in entries]
        finally:
            if self._each:
                self.flush()

    def message(self, role: str, content: Any, **fields: Any) -> str:
        """Append a message: role and content, and further fields of the message."""
        return self.append({"type": "message",
                            "message": {"role": role, "content": content, **fields}})

    def flush(self) -> None:
        """Wait until every append is on the disk. Threads that flush at once share a sync."""
        with self._lock:
            ptr = self._live()
            self._flushing += 1
        try:
            self._lib.session_flush(ptr)
        finally:
            with self._lock:
                self._flushing -= 1
                self._flushed.notify_all()

    def branch(self, entry: Optional[str], keep: bool = True) -> None:
        """Move the leaf to an entry; None: before the first. With `keep` other readers find
        the new leaf, too."""
        with self._lock:
            self._lib.session_branch(self._live(), encode(entry), keep, None)

    def label(self, entry: str, label: Optional[str]) -> None:
        """Name an entry; None removes the name."""
        with self._lock:
            self._lib.session_label(self._live(), encode(entry), encode(label), None)

    def rename(self, title: str) -> None:
        with self._lock:
            self._lib.session_rename(self._live(), encode(title))

    # ---- reading ---------------------------------------------------------

    def _info(self) -> SessionInfo:
        info = _abi.SessionInfo()
        self._lib.session_describe(self._live(), info)
        return make_info(info)

    def info(self) -> SessionInfo:
        with self._lock:
            return self._info()

    @property
    def leaf(self) -> Optional[str]:
        """The id of the entry below which the next one goes; None: there is none."""
        return self.info().leaf

    @property
    def title(self) -> str:
        return self.info().title

    @property
    def path(self) -> str:
        return self.info().path

    def entries(self) -> Iterator[JSON]:
        """The entries, in the order of the file, as they are asked for: memory is bounded,
        and the session may be used, and appended to, meanwhile."""
        done, total = 0, self.info().entries
        while done < total:
            n = min(BATCH, total - done)
            ordinals = (ctypes.c_size_t * n)(*range(done, done + n))
            found, each = collect(lambda e: take(e.json), _abi.Entry)
            with self._lock:
                each.run(self._lib.session_entries_at, self._live(), ordinals, n,
                         each.pointer, None)
            done += n
            for line in found:
                yield json.loads(line)

    def entry(self, entry_id: str) -> JSON:
        """One entry by its id."""
        out = _abi.Entry()
        with self._lock:
            self._lib.session_entry(self._live(), encode(entry_id), out)
            return read_entry(out)

    def branch_entries(self, leaf: Optional[str] = None) -> List[JSON]:
        """The entries from the root down to `leaf`, by default the current one."""
        found, each = collect(read_entry, _abi.Entry)
        with self._lock:
            each.run(self._lib.session_path, self._live(), encode(leaf), 0, each.pointer, None)
        return found

    def context(self, leaf: Optional[str] = None) -> JSON:
        """What the model sees at `leaf`, by default the current one: {"messages": [...],
        "thinkingLevel", "models", "mode", ...}."""
        pieces, write = gather()
        with self._lock:
            write.run(self._lib.session_context, self._live(), encode(leaf), write.pointer,
                      None, None)
        value: JSON = json.loads(b"".join(pieces))
        return value

    def messages(self, leaf: Optional[str] = None) -> List[JSON]:
        """The messages of the context."""
        found: List[JSON] = self.context(leaf)["messages"]
        return found

    # ---- what belongs to it ----------------------------------------------

    def sink(self, tool: str = "tool", *, threshold: int = 51200, head: int = 0,
             columns: int = 0) -> Sink:
        """A stream for the output of a tool: the whole is stored, a part is to be shown.

            with session.sink("bash") as out:
                out.write(b"...")
            print(out.shown.output, out.shown.address)
        """
        from ._output import Sink
        return Sink(self.home, self.id, tool, threshold, head, columns)

    def outputs(self) -> List[Output]:
        from ._output import list_outputs
        return list_outputs(self.home, self.id)

    def read(self, address: str, *, offset: int = 0, limit: int = 0, grep: Optional[str] = None,
             tail: int = 0) -> str:
        """What an address names, artifact://3: lines from `offset`, of these those that match
        `grep`, of these the first `limit` or the last `tail`."""
        return self.home.read(address, session=self.id, offset=offset, limit=limit, grep=grep,
                              tail=tail)

    def put_artifact(self, path: str, data: Data, **options: Any) -> Artifact:
        """Store a file of the session; see Home.put_artifact()."""
        return self.home.put_artifact(path, data, session=self.id, **options)

    def get_artifact(self, path: str, version: int = 0) -> bytes:
        return self.home.get_artifact(path, session=self.id, version=version)

    def artifacts(self) -> List[Artifact]:
        return self.home.artifacts(session=self.id)

    def export(self, to: str, *, leaf: Optional[str] = None, redact: bool = False) -> bytes:
        """The session in the format of another agent, or for people: "claude-code", "codex",
        "markdown", "otlp", ..."""
        self.flush()
        return self.home.export(self.id, to, leaf=leaf, redact=redact)

    def run(self, command: Union[str, List[str]], **options: Any) -> Run:
        """Run a command in the workspace, confined by the kernel; see Home.run()."""
        return self.home.run(command, session=self.id, **options)

    def tool(self, request: JSON) -> JSON:
        """A request of the tool `workspace`, and its answer: {"success", "data"|"error"}."""
        return self.home.tool(request, session=self.id)

    # ---- the end ---------------------------------------------------------

    def close(self) -> None:
        """Close it; a second time does nothing. Call flush() before, to see write errors."""
        with self._lock:
            while self._flushing:
                self._flushed.wait()
            ptr, self._ptr = self._ptr, None
            store, self._store = self._store, 0
            if ptr is not None:
                self._lib.session_close(ptr)
                self._lib.close(store)
