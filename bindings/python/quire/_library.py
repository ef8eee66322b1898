"""Finding and calling libquire.so."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Callable, Iterable, Optional, Union

from . import _abi, _errors

STOPPED = _errors.STATUS_NAMES.index("stopped")
NOT_FOUND = _errors.STATUS_NAMES.index("not_found")

Data = Union[bytes, bytearray, memoryview, str]


class Library:
    """The functions of the library; each has the name of the C function without
    `quire_`, raises on failure, and fills in `err` itself."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.dll = ctypes.CDLL(path)
        for name, (result, arguments) in _abi.OTHERS.items():
            function = getattr(self.dll, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name[len("quire_"):], function)

    def __getattr__(self, name: str) -> Callable[..., int]:
        arguments = _abi.FUNCTIONS.get("quire_" + name)
        if arguments is None:
            raise AttributeError(name)
        function = getattr(self.dll, "quire_" + name)
        function.restype, function.argtypes = ctypes.c_int, arguments

        def call(*values: Any, permit: int = 0) -> int:
            err = _abi.ErrorStruct()
            status: int = function(*values, err)
            if status and status != permit:
                raise error_of(status, err)
            return status

        setattr(self, name, call)
        return call


def error_of(status: int, err: _abi.ErrorStruct) -> _errors.Error:
    names = _errors.STATUS_NAMES
    kind = names[status] if status < len(names) else "unknown"
    # A hint that names a command of the shell is for a reader of the shell.
    hint = "" if err.audience else err.next.decode("utf-8", "replace")
    return _errors.make(kind, err.what.decode("utf-8", "replace"), hint)


def _candidates() -> Iterable[str]:
    named = os.environ.get("QUIRE_LIBRARY")
    if named:
        yield named
        return
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("libquire.so", "libquire.so.0"):
        beside = os.path.join(here, name)
        if os.path.exists(beside):
            yield beside
    yield "libquire.so.0"
    for directory in ("/usr/local/lib", "/usr/lib"):  # ldconfig may not have run
        path = os.path.join(directory, "libquire.so.0")
        if os.path.exists(path):
            yield path


_loaded: Optional[Library] = None
_loading = threading.Lock()


def library() -> Library:
    """The library, loaded once: $QUIRE_LIBRARY, else beside this package, else the
    system's."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def _load() -> Library:
    reasons = []
    for path in _candidates():
        try:
            return Library(path)
        except (OSError, AttributeError) as reason:
            reasons.append(str(reason))
    raise _errors.Error("cannot load libquire: " + "; ".join(reasons),
                        "install Quire, or set QUIRE_LIBRARY to the path of libquire.so",
                        "io")


def text(value: Optional[bytes]) -> str:
    return value.decode("utf-8", "replace") if value else ""


def encode(value: Optional[str]) -> Optional[bytes]:
    """A string for C; None is NULL."""
    if value is None:
        return None
    data = os.fsencode(value) if isinstance(value, os.PathLike) else value.encode(
        "utf-8", "surrogateescape")
    if b"\0" in data:
        raise _errors.Invalid("a name contains a zero byte")
    return data


def to_bytes(data: Data) -> bytes:
    """Text as UTF-8; bytes as they are."""
    return data.encode("utf-8") if isinstance(data, str) else bytes(data)


def lend(data: bytes) -> _abi.Bytes:
    """Bytes for one call; the caller keeps `data` until it returns."""
    return _abi.Bytes(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))


def take(data: _abi.Bytes) -> bytes:
    return ctypes.string_at(data.data, data.len) if data.data else b""


def take_text(data: _abi.Bytes) -> str:
    return take(data).decode("utf-8", "replace")


def texts(values: Iterable[str]) -> Any:
    """An array of strings that NULL ends."""
    encoded = [encode(v) for v in values]
    return (ctypes.c_char_p * (len(encoded) + 1))(*encoded, None)


class Callback:
    """A Python function as a callback: its exception ends the call, and is raised by
    `check()`."""

    def __init__(self, kind: Any, function: Callable[..., Optional[int]]) -> None:
        self.raised: Optional[BaseException] = None

        def wrapped(*values: Any) -> int:
            try:
                return function(*values) or 0
            except BaseException as raised:  # pylint: disable=broad-except
                self.raised = raised
                return STOPPED

        self.pointer = kind(wrapped)

    def run(self, call: Callable[..., int], *values: Any, permit: int = 0) -> int:
        """Make the call; what the function raised comes before what it returned."""
        try:
            return call(*values, permit=permit)
        except _errors.Error:
            if self.raised is not None:
                raise self.raised from None
            raise


def collect(make: Callable[[Any], Any], struct: Any) -> tuple[list[Any], Callback]:
    """A list, and a callback that adds to it what `make` makes of each struct."""
    found: list[Any] = []

    def each(_ctx: Any, item: int, _err: Any) -> None:
        found.append(make(struct.from_address(item)))

    return found, Callback(_abi.EachFn, each)


def gather() -> tuple[list[bytes], Callback]:
    """The pieces that a call writes."""
    pieces: list[bytes] = []

    def write(_ctx: Any, data: _abi.Bytes, _err: Any) -> None:
        pieces.append(take(data))

    return pieces, Callback(_abi.WriteFn, write)
