"""Handles: which thread and which process may use them, and how they end."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Optional

from . import _abi
from ._errors import Invalid
from ._library import Library, encode, library

_open: weakref.WeakSet[Any] = weakref.WeakSet()


def _forget_after_fork() -> None:
    """A handle belongs to the process that opened it: the child neither uses nor closes
    those of its parent."""
    for handle in list(_open):
        handle._ptr = None
        handle._gone = "it was opened by the parent of this process"
        handle._lock = threading.RLock()
        handle._after_fork()


os.register_at_fork(after_in_child=_forget_after_fork)


class Handle:
    """A pointer of the library with its lock. Every call takes the lock, so that any
    thread may use it; a call from within a call of the same thread is refused."""

    _ptr: Optional[int]
    _gone: str = "it is closed"

    def __init__(self, ptr: Optional[int]) -> None:
        self._lib: Library = library()
        self._ptr = ptr
        self._lock = threading.RLock()
        _open.add(self)

    def _live(self) -> int:
        if self._ptr is None:
            raise Invalid("the %s cannot be used: %s" % (
                type(self).__name__.lower(), self._gone))
        return self._ptr

    def _after_fork(self) -> None:
        """Forget what belongs to the parent."""

    @property
    def closed(self) -> bool:
        return self._ptr is None


def open_store(home: Optional[str], tenant: Optional[str], flags: int, busy_ms: int) -> int:
    """A `quire *`."""
    out = ctypes.c_void_p()
    options = _abi.Options(home=encode(home), tenant=encode(tenant), flags=flags,
                           busy_ms=busy_ms)
    library().open(options, out)
    return int(out.value or 0)
