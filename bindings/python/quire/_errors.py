"""Exceptions, by the status of the library."""

from __future__ import annotations

STATUS_NAMES = ("ok", "not_found", "exists", "busy", "invalid", "damaged", "io", "no_memory",
                "stopped", "changed", "too_large", "quota")


class Error(Exception):
    """What failed, on which object, and why. `hint` is what to do about it, or "";
    `kind` a stable name: "not_found", "busy", ..."""

    kind = "error"

    def __init__(self, message: str, hint: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if kind:
            self.kind = kind

    def __str__(self) -> str:
        return self.message + (" (%s)" % self.hint if self.hint else "")

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str]]:
        return type(self), (self.message, self.hint, self.kind)


class NotFound(Error):
    """The object does not exist."""

    kind = "not_found"


class Exists(Error):
    """The object exists already."""

    kind = "exists"


class Busy(Error):
    """Another writer is active; a retry may succeed."""

    kind = "busy"


class Invalid(Error):
    """The input is wrong; a retry fails again."""

    kind = "invalid"


class Damaged(Error):
    """Stored bytes fail their own check."""

    kind = "damaged"


class Changed(Error):
    """The object differs from what the caller expects."""

    kind = "changed"


class QuotaExceeded(Error):
    """A limit on all objects of a session or tenant."""

    kind = "quota"


class TooLarge(QuotaExceeded):
    """A limit on one object."""

    kind = "too_large"


BY_KIND: dict[str, type[Error]] = {
    c.kind: c for c in (NotFound, Exists, Busy, Invalid, Damaged, Changed, QuotaExceeded, TooLarge)}


def make(kind: str, message: str, hint: str = "") -> Error:
    """The exception of a kind, also of one that this version does not know."""
    return BY_KIND.get(kind, Error)(message or kind, hint, kind)
