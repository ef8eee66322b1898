"""A home: sessions, blobs, outputs, transactions. Artifacts, memory and search are in
_catalog.py."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import shutil
import subprocess
from types import TracebackType
from typing import IO, Any, Callable, Iterator, List, Optional, Type, Union

from . import _abi, _errors
from ._catalog import Catalog
from ._handle import open_store
from ._library import (Callback, Data, collect, encode, gather, lend, take, text, texts,
                       to_bytes)
from ._session import AT_ONCE, READ, SYNC, Session, make_info
from ._values import JSON, Run, SessionInfo

READ_ONLY = 1
CHUNK = 1 << 20


def sync_of(sync: str) -> int:
    if sync not in SYNC:
        raise _errors.Invalid("unknown durability '%s'" % sync, "none, flush or each")
    return SYNC[sync]


class Home(Catalog):
    """An open home. Any thread may use it: calls take turns. Use it as a context manager, or
    close() it. Sessions have store handles of their own and stay open when it is closed; a
    process that was forked opens its own."""

    def __init__(self, home: Optional[Union[str, os.PathLike[str]]] = None, *,
                 tenant: Optional[str] = None, read_only: bool = False,
                 busy_ms: int = 5000) -> None:
        self._tenant, self._busy_ms = tenant, busy_ms
        self.read_only = read_only
        super().__init__(open_store(None if home is None else os.fspath(home), tenant,
                                    READ_ONLY if read_only else 0, busy_ms))
        self.path = text(self._lib.home(self._ptr))  # type: ignore[arg-type]

    def __enter__(self) -> Home:
        self._live()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<quire.Home %s%s>" % (self.path, " closed" if self.closed else "")

    def __del__(self) -> None:
        if getattr(self, "_ptr", None) is not None:
            self.close()

    def close(self) -> None:
        """Close it; a second time does nothing. An open transaction is rolled back."""
        with self._lock:
            ptr, self._ptr = self._ptr, None
            if ptr is not None:
                self._lib.close(ptr)

    # ---- sessions --------------------------------------------------------

    def _session(self, call: Callable[[int, Any], int], sync: str,
                 read_only: bool = False) -> Session:
        """A session through a store handle of its own."""
        self._live()
        store = open_store(self.path, self._tenant, READ_ONLY if self.read_only else 0,
                           self._busy_ms)
        out = ctypes.c_void_p()
        try:
            call(store, out)
        except BaseException:
            self._lib.close(store)
            raise
        assert out.value is not None
        return Session(self, store, out.value, "none" if read_only else sync)

    def new_session(self, cwd: Optional[str] = None, title: Optional[str] = None, *,
                    parent: Optional[str] = None, sync: str = "flush") -> Session:
        """Begin a session in the project `cwd`, by default the working directory. Its file is
        there on return. `sync` chooses what survives a power cut: "each" append that
        returned, what was there at the last "flush", or "none" for what the system has
        written; no crash of a program loses an append that returned."""
        options = _abi.SessionOptions(flags=AT_ONCE, sync=min(sync_of(sync), 1), cwd=encode(cwd),
                                      title=encode(title), parent=encode(parent))
        return self._session(lambda q, out: self._lib.session_new(q, options, out), sync)

    def open_session(self, which: str, *, read_only: bool = False,
                     sync: str = "flush") -> Session:
        """Open a session by its id, a unique beginning of it, the path of its file, or
        "last". For writing it stays locked until it is closed; Busy if another process has
        it."""
        options = _abi.SessionOptions(flags=READ if read_only or self.read_only else 0,
                                      sync=min(sync_of(sync), 1))
        return self._session(
            lambda q, out: self._lib.session_open(q, encode(which), options, out), sync,
            read_only or self.read_only)

    def fork_session(self, which: str, cwd: Optional[str] = None, *,
                     sync: str = "flush") -> Session:
        """A copy of a session, which names it as its parent."""
        return self._session(
            lambda q, out: self._lib.session_fork(q, encode(which), encode(cwd), out), sync)

    def sessions(self, cwd: Optional[str] = None, *, archived: bool = False,
                 limit: int = 0) -> List[SessionInfo]:
        """Sessions, the last modified first; of one project with `cwd`."""
        found, each = collect(make_info, _abi.SessionInfo)
        options = _abi.ListOptions(cwd=encode(cwd), archived=archived, limit=limit)
        with self._lock:
            each.run(self._lib.session_list, self._live(), options, each.pointer, None)
        return found

    def remove_session(self, which: str, *, now: bool = False) -> None:
        """Move a session to the trash; with `now` remove it for good."""
        with self._lock:
            if now:
                self._lib.session_remove(self._live(), encode(which))
            else:
                self._lib.session_trash(self._live(), encode(which), 0, None)

    def export(self, session: str, to: str, *, leaf: Optional[str] = None,
               redact: bool = False) -> bytes:
        """A session in the format of another agent, or for people; see Session.export()."""
        pieces, write = gather()
        options = _abi.ExportOptions(leaf=encode(leaf), redact=redact)
        with self._lock:
            write.run(self._lib.export_write, self._live(), encode(session), encode(to),
                      options, write.pointer, None, None)
        return b"".join(pieces)

    def import_sessions(self, paths: Optional[List[str]] = None, *,
                        agents: Optional[List[str]] = None, dry_run: bool = False) -> List[JSON]:
        """Import the sessions of other agents by the program `quire` ($QUIRE_BINARY, else of
        the PATH), which has to be installed; a record for each session, and last the sums. Without
        `paths` from the places of all agents."""
        binary = os.environ.get("QUIRE_BINARY") or shutil.which("quire")
        if not binary:
            raise _errors.NotFound("there is no program quire to import with",
                                   "install it, or set QUIRE_BINARY")
        command = [binary, "--home", self.path, "--json", "import"]
        if self._tenant:
            command[3:3] = ["--tenant", self._tenant]
        command += ["--dry-run"] if dry_run else []
        for agent in agents or []:
            command += ["--agent", agent]
        for path in paths or []:
            command += ["--from", os.fspath(path)]
        with self._lock:
            done = subprocess.run(command, capture_output=True, check=False)
        records = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        if done.returncode not in (0, 1, 4) or (done.returncode and not records):
            raise _error_of_program(done.stderr)
        return records

    # ---- blobs -----------------------------------------------------------

    def put_blob(self, data: Union[Data, IO[bytes]]) -> str:
        """Store content, from memory or from a file, and return "blob:sha256:...". Durable on
        return."""
        info = _abi.BlobInfo()
        with self._lock:
            if isinstance(data, (bytes, bytearray, memoryview, str)):
                content = to_bytes(data)
                self._lib.blob_put(self._live(), lend(content), 0, info)
            else:
                read = Callback(_abi.ReadFn, reader(data))
                read.run(self._lib.blob_put_stream, self._live(), read.pointer, None, 0, info)
        return "blob:sha256:" + bytes(info.digest).hex()

    def _digest(self, ref: str) -> Any:
        digest = (ctypes.c_uint8 * 32)()
        self._lib.blob_resolve(self._live(), encode(ref), digest)
        return digest

    def get_blob(self, ref: str, start: int = 0, end: Optional[int] = None) -> bytes:
        """The content, verified against its digest; or its bytes from `start` to before
        `end`."""
        pieces, write = gather()
        with self._lock:
            write.run(self._lib.blob_read, self._live(), self._digest(ref), start,
                      (1 << 64) - 1 if end is None else end, write.pointer, None)
        return b"".join(pieces)

    def blob_size(self, ref: str) -> int:
        info = _abi.BlobInfo()
        with self._lock:
            self._lib.blob_stat(self._live(), self._digest(ref), info)
        return int(info.size)

    def read_blob(self, ref: str, chunk: int = CHUNK) -> Iterator[bytes]:
        """The content in pieces, in constant memory; pieces of a blob above 1 MiB are not
        verified against its digest."""
        size, at = self.blob_size(ref), 0
        while at < size:
            piece = self.get_blob(ref, at, min(at + chunk, size))
            at += len(piece)
            yield piece

    # ---- outputs ---------------------------------------------------------

    def _open_outputs(self, session: Optional[str]) -> int:
        out = ctypes.c_void_p()
        with self._lock:
            self._lib.outputs_open(self._live(), encode(session), out)
        return int(out.value or 0)

    def _close_outputs(self, outputs: int) -> None:
        with self._lock:
            self._lib.outputs_close(outputs)

    @contextlib.contextmanager
    def _outputs(self, session: Optional[str]) -> Iterator[int]:
        with self._lock:
            outputs = self._open_outputs(session)
            try:
                yield outputs
            finally:
                self._close_outputs(outputs)

    def read(self, address: str, *, session: Optional[str] = None, offset: int = 0,
             limit: int = 0, grep: Optional[str] = None, tail: int = 0) -> str:
        """What an address names: artifact://3 and agent://name of `session`,
        blob:sha256:<hex>."""
        options = _abi.ReadOptions(offset=offset, limit=limit, grep=encode(grep), tail=tail)
        found, each = collect(lambda line: take(line.text), _abi.Line)
        with self._outputs(session) as outputs:
            each.run(self._lib.read, self._live(), outputs, encode(address), options,
                     each.pointer, None)
        return b"".join(found).decode("utf-8", "replace")

    def put_report(self, name: str, content: Data, *, session: Optional[str] = None,
                   parent: Optional[str] = None) -> str:
        """Store the report of a sub-agent, and return its address, agent://..."""
        data = io.BytesIO(to_bytes(content))
        read, out = Callback(_abi.ReadFn, reader(data)), _abi.Output()
        with self._outputs(session) as outputs:
            read.run(self._lib.report_put, outputs, encode(name), encode(parent), read.pointer,
                     None, out)
            return text(out.address)

    # ---- workspaces ------------------------------------------------------

    @contextlib.contextmanager
    def _workspace(self, session: Optional[str]) -> Iterator[int]:
        out = ctypes.c_void_p()
        with self._lock:
            self._lib.workspace_open(self._live(), encode(session), out)
            try:
                assert out.value is not None
                yield out.value
            finally:
                self._lib.workspace_close(out)

    def tool(self, request: JSON, *, session: Optional[str] = None) -> JSON:
        """A request of the tool `workspace`; what is wrong with it is in the answer."""
        data, out = json.dumps(request).encode(), _abi.Bytes()
        with self._workspace(session) as workspace:
            self._lib.workspace_call(workspace, lend(data), out)
            answer: JSON = json.loads(take(out))
            return answer

    def run(self, command: Union[str, List[str]], *, session: Optional[str] = None,
            cwd: Optional[str] = None, env: Optional[dict[str, str]] = None,
            timeout: float = 300.0, max_output: int = 1 << 20, network: bool = False,
            read_all: bool = False, unconfined: bool = False) -> Run:
        """Run a command in the workspace of a session, confined by the kernel: a list is the
        command with its arguments, a string a script of sh. A command that fails is a
        result. The home is in use until it ends: give a long one a Home of its own."""
        argv = ["sh", "-c", command] if isinstance(command, str) else command
        streams: dict[int, List[bytes]] = {1: [], 2: []}

        def output(_ctx: Any, stream: int, data: _abi.Bytes, _err: Any) -> None:
            streams[stream].append(take(data))

        each, result = Callback(_abi.RunOutputFn, output), _abi.RunResult()
        with self._workspace(session) as workspace, self._outputs(session) as outputs:
            options = _abi.RunOptions(
                argv=texts(argv), env=texts("%s=%s" % kv for kv in (env or {}).items()),
                cwd=encode(cwd), read_all=read_all, net=network, unconfined=unconfined,
                timeout_ms=int(timeout * 1000), max_output=max_output, outputs=outputs,
                output=ctypes.cast(each.pointer, ctypes.c_void_p))
            each.run(self._lib.run, workspace, options, result)
            record, number = result.record, result.artifact.decode()
            return Run(exit=record.exit, signal=record.signal,
                       timed_out=bool(result.timed_out),
                       stdout=b"".join(streams[1]).decode("utf-8", "replace"),
                       stderr=b"".join(streams[2]).decode("utf-8", "replace"),
                       truncated=bool(result.truncated),
                       artifact="artifact://" + number if number else "",
                       confined=tuple(json.loads(text(record.confined) or "[]")),
                       duration=record.duration_us / 1e6)

    # ---- transactions ----------------------------------------------------

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Home]:
        """Blobs, artifacts and memory of the block share one commit: all are kept, or after an
        exception none. Other threads wait meanwhile."""
        with self._lock:
            self._lib.transaction_begin(self._live())
            try:
                yield self
            except BaseException:
                self._lib.transaction_rollback(self._live())
                raise
            self._lib.transaction_end(self._live(), None)


def reader(source: IO[bytes]) -> Callable[..., None]:
    """A file as a quire_read_fn."""

    def read(_ctx: Any, buffer: int, cap: int, n: Any, _err: Any) -> None:
        piece = source.read(cap)
        ctypes.memmove(buffer, piece, len(piece))
        n[0] = len(piece)

    return read


def _error_of_program(stderr: bytes) -> _errors.Error:
    for line in reversed(stderr.decode("utf-8", "replace").splitlines()):
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict) and "error" in value:
                return _errors.make(value.get("kind", "error"), value["error"],
                                    value.get("hint") or "")
    return _errors.Error(stderr.decode("utf-8", "replace").strip() or "quire import failed")
