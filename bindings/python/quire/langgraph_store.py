"""A store for LangGraph (BaseStore): items as artifacts of the built-in session `user`.

    from quire.langgraph_store import QuireStore

    graph = builder.compile(store=QuireStore(home))

An item is JSON under langgraph/store/NAMESPACE.../KEY.json: it has versions, is found by
`quire search`, and by `search(..., query=)` here.
"""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from langgraph.store.base import (
    BaseStore, GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp)

from . import _errors
from ._home import Home
from ._values import Artifact

ROOT = "langgraph/store/"
SAFE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")


def part(name: str) -> str:
    """A name as one component of a path: other characters as _XX, byte by byte."""
    return "n" + "".join(chr(b) if chr(b) in SAFE else "_%02x" % b for b in name.encode())


def name_of(component: str) -> str:
    out, at, text = bytearray(), 0, component[1:]
    while at < len(text):
        if text[at] == "_":
            out.append(int(text[at + 1:at + 3], 16))
            at += 3
        else:
            out += text[at].encode()
            at += 1
    return out.decode()


def path_of(namespace: Tuple[str, ...], key: str) -> str:
    return ROOT + "/".join([part(n) for n in namespace] + [part(key) + ".json"])


def _split(path: str) -> Tuple[Tuple[str, ...], str]:
    *spaces, key = path[len(ROOT):].split("/")
    return tuple(map(name_of, spaces)), name_of(key[:-len(".json")])


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)


def _matches(value: Dict[str, Any], wanted: Dict[str, Any]) -> bool:
    tests: Dict[str, Callable[[Any, Any], Any]] = {
             "$eq": lambda a, b: a == b, "$ne": lambda a, b: a != b,
             "$gt": lambda a, b: a > b, "$gte": lambda a, b: a >= b,
             "$lt": lambda a, b: a < b, "$lte": lambda a, b: a <= b}
    for key, want in wanted.items():
        have = value.get(key)
        if isinstance(want, dict) and want and all(k.startswith("$") for k in want):
            for name, operand in want.items():
                if name not in tests:
                    raise _errors.Invalid("unknown operator '%s'" % name,
                                          "one of " + " ".join(tests))
                if name not in ("$eq", "$ne") and have is None:
                    return False
                if not tests[name](have, operand):
                    return False
        elif have != want:
            return False
    return True


class QuireStore(BaseStore):  # type: ignore
    """A store of items. Any thread may use it."""

    supports_ttl = False

    def __init__(self, home: Optional[Home] = None) -> None:
        super().__init__()
        self.home = home or Home()

    def batch(self, ops: Iterable[Any]) -> List[Any]:
        """Operations in their order; the puts of one call are kept together or not at all."""
        ops = list(ops)
        if sum(isinstance(op, PutOp) for op in ops) > 1:
            with self.home.transaction():
                return [self._one(op) for op in ops]
        return [self._one(op) for op in ops]

    async def abatch(self, ops: Iterable[Any]) -> List[Any]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _one(self, op: Any) -> Any:
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, GetOp):
            return self._get(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise _errors.Invalid("unknown operation %s" % type(op).__name__)

    def _put(self, op: Any) -> None:
        path = path_of(op.namespace, op.key)
        if op.value is not None:
            self.home.put_artifact(path, json.dumps(op.value, ensure_ascii=False),
                                   mime="application/json", tags=())
            return
        try:
            self.home.remove_artifact(path)
        except _errors.NotFound:
            pass

    def _item(self, artifact: Artifact, kind: Any = Item, **more: Any) -> Any:
        namespace, key = _split(artifact.path)
        value = json.loads(self.home.get_artifact("#%d" % artifact.id))
        return kind(value=value, key=key, namespace=namespace,
                    created_at=_time(artifact.created_at),
                    updated_at=_time(artifact.updated_at), **more)

    def _get(self, op: Any) -> Any:
        try:
            return self._item(self.home.stat_artifact(path_of(op.namespace, op.key)))
        except _errors.NotFound:
            return None

    def _below(self, prefix: Tuple[str, ...]) -> List[Artifact]:
        start = ROOT + "".join(part(p) + "/" for p in prefix)
        return [a for a in self.home.artifacts() if a.path.startswith(start)]

    def _search(self, op: Any) -> List[Any]:
        found = self._below(op.namespace_prefix)
        scores: Dict[str, float] = {}
        if op.query:
            hits = self.home.search(op.query, kind="artifact", session="user", limit=1000)
            for hit in hits:
                scores.setdefault(hit.title, hit.score)
            found = sorted((a for a in found if a.path in scores),
                           key=lambda a: -scores[a.path])
        items = []
        for artifact in found:
            item = self._item(artifact, SearchItem, score=scores.get(artifact.path))
            if not op.filter or _matches(item.value, op.filter):
                items.append(item)
        return items[op.offset:op.offset + op.limit]

    def _namespaces(self, op: Any) -> List[Tuple[str, ...]]:
        found = set()
        for artifact in self._below(()):
            namespace = _split(artifact.path)[0]
            if all(_condition(namespace, c) for c in op.match_conditions or ()):
                found.add(namespace[:op.max_depth] if op.max_depth else namespace)
        return sorted(found)[op.offset:op.offset + op.limit]


def _condition(namespace: Tuple[str, ...], condition: Any) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part_of = namespace[:len(path)] if condition.match_type == "prefix" else \
        namespace[len(namespace) - len(path):]
    return all(p in ("*", n) for p, n in zip(path, part_of))
