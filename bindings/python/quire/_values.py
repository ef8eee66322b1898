"""What calls return: immutable records."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

JSON = Dict[str, Any]


class SessionInfo(NamedTuple):
    """A session. In lists `entries` is 0, and `first` the beginning of its first prompt."""

    id: str
    path: str
    cwd: str
    title: str
    parent: str
    created: str
    leaf: Optional[str]
    first: str
    status: str
    modified: float
    bytes: int
    entries: int
    messages: int
    archived: bool
    pinned: bool
    held: bool


class Artifact(NamedTuple):
    id: int
    session: str
    path: str
    version: int
    size: int
    sha256: str
    mime: str
    purpose: str
    tags: Tuple[str, ...]
    created: bool
    created_at: float
    updated_at: float


class Memory(NamedTuple):
    id: int
    type: str
    title: str
    content: str
    tags: Tuple[str, ...]
    source: str
    session: str
    artifact: Optional[int]
    created_at: float
    updated_at: float
    valid_from: float
    valid_to: Optional[float]
    score: float


class Hit(NamedTuple):
    """A hit of a search; `matches` are places in the snippet, in characters."""

    kind: str
    address: str
    session: str
    entry: str
    title: str
    project: str
    agent: str
    role: str
    tool: str
    created_at: float
    snippet: str
    matches: Tuple[Tuple[int, int], ...]
    score: float
    how: str
    active: bool


class Hits(List[Hit]):
    """The hits of a page. `total` is how many there are on all pages, at least."""

    total: int = 0
    total_is_exact: bool = True
    next_cursor: Optional[str] = None


class Output(NamedTuple):
    """An output of a tool, or the report of a sub-agent."""

    address: str
    id: str
    tool: str
    path: str
    bytes: int


class Prompt(NamedTuple):
    id: int
    prompt: str
    created_at: int
    cwd: str
    session: str


class Run(NamedTuple):
    """A command that ran in the workspace. `artifact` is the address of the whole of its
    output if that was long, else ""."""

    exit: int
    signal: int
    timed_out: bool
    stdout: str
    stderr: str
    truncated: bool
    artifact: str
    confined: Tuple[str, ...]
    duration: float


class Shown(NamedTuple):
    """What a sink leaves to show."""

    output: str
    truncated: bool
    total_lines: int
    total_bytes: int
    address: Optional[str]
    path: Optional[str]


