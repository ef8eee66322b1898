"""Quire: the storage engine for AI agents.

    import quire

    with quire.open() as home, home.new_session(title="count") as session:
        session.message("user", "count to 20000")
        with session.sink("bash") as out:
            out.write("...")
        session.message("assistant", "done: %s" % out.shown.address)
        home.remember("project", "counting works")

`open()` opens a home of this machine by libquire.so, `connect()` one that `quire serve`
serves, with the same methods. Sessions and homes can be used by any thread.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

from ._errors import (Busy, Changed, Damaged, Error, Exists, Invalid, NotFound, QuotaExceeded,
                      TooLarge)

if TYPE_CHECKING:
    from ._home import Home
    from ._output import Sink
    from ._session import Session
    from ._values import (Artifact, Hit, Hits, Memory, Output, Prompt, Run, SessionInfo, Shown)
    from .remote import RemoteHome

__version__ = "0.1.0"

__all__ = ["Artifact", "Busy", "Changed", "Damaged", "Error", "Exists", "Hit", "Hits", "Home",
           "Invalid", "Memory", "NotFound", "Output", "Prompt", "QuotaExceeded", "Run",
           "Session", "SessionInfo", "Shown", "Sink", "TooLarge", "connect", "library_version",
           "open"]

_LATER = {"Home": "_home", "Session": "_session", "Sink": "_output", "RemoteHome": "remote"}


def open(home: Optional[Union[str, os.PathLike[str]]] = None, *, tenant: Optional[str] = None,
         read_only: bool = False, busy_ms: int = 5000) -> Home:
    """Open a home: the directory, else $QUIRE_HOME, else ~/.local/share/quire. It need not
    exist: the first write makes it."""
    from ._home import Home
    return Home(home, tenant=tenant, read_only=read_only, busy_ms=busy_ms)


def connect(url: str, token: str = "", *, timeout: float = 30.0) -> RemoteHome:
    """The home of a tenant on a server, over HTTP."""
    from .remote import RemoteHome
    return RemoteHome(url, token, timeout=timeout)


def library_version() -> str:
    """The version of libquire.so that is used."""
    from ._library import library, text
    return text(library().version())  # type: ignore[arg-type]


def __getattr__(name: str) -> Any:
    # Loaded when they are used: `import quire` takes a few milliseconds.
    import importlib
    module = _LATER.get(name)
    if module is None and name in __all__:
        module = "_values"
    if module is None:
        raise AttributeError("module 'quire' has no attribute '%s'" % name)
    return getattr(importlib.import_module("." + module, __name__), name)
