"""Outputs of tools: sinks, addresses."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import TYPE_CHECKING, List, Optional, Type

from . import _abi, _errors
from ._handle import Handle
from ._library import Data, collect, encode, error_of, take_text, text, to_bytes
from ._values import Output, Shown

if TYPE_CHECKING:
    from ._home import Home


def make_output(output: _abi.Output) -> Output:
    return Output(text(output.address), text(output.id), text(output.tool), text(output.path),
                  output.bytes)


def list_outputs(home: Home, session: Optional[str]) -> List[Output]:
    found, each = collect(make_output, _abi.Output)
    with home._outputs(session) as outputs:
        each.run(home._lib.outputs_list, outputs, each.pointer, None)
    return found


class Sink(Handle):
    """The output of one tool on its way into a session. Any thread may write; memory is
    bounded. At the end of a `with` block it is finished, and `shown` has what to show; after
    an exception nothing of it is stored."""

    shown: Shown

    def __init__(self, home: Home, session: Optional[str], tool: str, threshold: int, head: int,
                 columns: int) -> None:
        super().__init__(None)
        self._gone = "it is finished"
        self.home = home
        self._outputs = home._open_outputs(session)
        out = ctypes.c_void_p()
        try:
            self._lib.sink_open(self._outputs, _abi.SinkOptions(
                tool=encode(tool), threshold=threshold, head=head, columns=columns), out)
        except BaseException:
            home._close_outputs(self._outputs)
            raise
        self._ptr = out.value

    def write(self, data: Data) -> int:
        """Take the next bytes, or text, in pieces of any size; returns how many bytes."""
        piece = to_bytes(data)
        with self._lock:
            self._lib.sink_write(self._live(), piece, len(piece))
        return len(piece)

    def finish(self) -> Shown:
        """End the stream, store the whole if it is too long to be shown, and return what to
        show. Durable on return."""
        result = _abi.SinkResult()
        with self._lock:
            self._lib.sink_finish(self._live(), result)
            self.shown = Shown(
                output=take_text(result.output), truncated=bool(result.truncated),
                total_lines=result.total_lines, total_bytes=result.total_bytes,
                address="artifact://" + text(result.id) if result.id else None,
                path=text(result.path) if result.path else None)
            problem: Optional[_errors.Error] = None
            if result.problem.status:
                problem = error_of(result.problem.status, result.problem)
            self._free()
        if problem:
            raise problem
        return self.shown

    def _free(self) -> None:
        ptr, self._ptr = self._ptr, None
        if ptr is not None:
            self._lib.sink_free(ptr)
            self.home._close_outputs(self._outputs)

    def close(self) -> None:
        """Drop a sink; one that was not finished leaves no file."""
        with self._lock:
            self._free()

    def __enter__(self) -> Sink:
        self._live()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None and not self.closed:
            self.finish()
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_ptr", None) is not None:
            self.close()
