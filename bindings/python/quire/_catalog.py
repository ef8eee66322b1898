"""What a home has in its catalogue: artifacts, memory, search, prompts."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

from . import _abi
from ._handle import Handle
from ._library import (NOT_FOUND, Data, collect, encode, gather, lend, take_text, text, texts,
                       to_bytes)
from ._values import JSON, Artifact, Hit, Hits, Memory, Prompt

SORTS = ("rank", "newest", "oldest")
ALL = (1 << 64) - 1


def make_artifact(a: _abi.Artifact) -> Artifact:
    return Artifact(id=a.id, session=text(a.session), path=text(a.path), version=a.version,
                    size=a.size, sha256=bytes(a.digest).hex(), mime=text(a.mime),
                    purpose=text(a.purpose), tags=tuple(json.loads(text(a.tags) or "[]")),
                    created=bool(a.created), created_at=a.created_us / 1e6,
                    updated_at=a.updated_us / 1e6)


def make_memory(m: _abi.Memory) -> Memory:
    name = _abi_memory_type(m.type)
    return Memory(id=m.id, type=name, title=take_text(m.title), content=take_text(m.content),
                  tags=tuple(json.loads(text(m.tags) or "[]")), source=take_text(m.source),
                  session=text(m.session), artifact=m.artifact or None,
                  created_at=m.created_us / 1e6, updated_at=m.updated_us / 1e6,
                  valid_from=m.valid_from_us / 1e6,
                  valid_to=m.valid_to_us / 1e6 if m.valid_to_us else None, score=m.score)


def _abi_memory_type(number: int) -> str:
    from ._library import library
    return text(library().memory_type_name(number))  # type: ignore[arg-type]


def make_hit(h: _abi.SearchHit) -> Hit:
    snippet = h.snippet or b""
    places = tuple((len(snippet[:m.start].decode("utf-8", "replace")),
                    len(snippet[:m.end].decode("utf-8", "replace")))
                   for m in (h.matches[i] for i in range(h.n_matches)))
    return Hit(kind=text(h.kind), address=text(h.address), session=text(h.session),
               entry=text(h.entry), title=text(h.title), project=text(h.project),
               agent=text(h.agent), role=text(h.role), tool=text(h.tool),
               created_at=h.created_us / 1e6, snippet=text(snippet), matches=places,
               score=h.score, how=text(h.how), active=bool(h.active))


def make_prompt(p: _abi.Prompt) -> Prompt:
    return Prompt(p.id, take_text(p.prompt), p.created_at_s, text(p.cwd), text(p.session))


def _list(value: Union[None, str, Iterable[str]]) -> Any:
    if value is None:
        return None
    return texts([value] if isinstance(value, str) else value)


class Catalog(Handle):
    """The part of Home that is about rows."""

    # ---- artifacts -------------------------------------------------------

    def put_artifact(self, path: str, data: Data, *, session: Optional[str] = None,
                     mime: Optional[str] = None, purpose: Optional[str] = None,
                     tags: Optional[Sequence[str]] = None, meta: Optional[JSON] = None,
                     expect: Optional[str] = None) -> Artifact:
        """Store a file under a path of a session, by default the built-in session `user`: a
        new artifact, or a new version. `expect` is the SHA-256 that the content must have
        now, "none" if it must not exist, else Changed. Durable on return."""
        content, out = to_bytes(data), _abi.Artifact()
        options = _abi.ArtifactOptions(
            mime=encode(mime), purpose=encode(purpose), expect=encode(expect),
            meta=None if meta is None else json.dumps(meta).encode(), tags=_list(tags))
        with self._lock:
            self._lib.artifact_put(self._live(), encode(session), encode(path), lend(content),
                                   options, out)
            return make_artifact(out)

    def get_artifact(self, path: str, *, session: Optional[str] = None, version: int = 0,
                     via: int = 0) -> bytes:
        """The content of an artifact, by its path or "#id"; `via` a memory entry that links it
        if it belongs to another session."""
        pieces, write = gather()
        options = _abi.ArtifactGetOptions(version=version, via=via)
        with self._lock:
            write.run(self._lib.artifact_get, self._live(), encode(session), encode(path),
                      options, write.pointer, None, None)
        return b"".join(pieces)

    def stat_artifact(self, path: str, *, session: Optional[str] = None,
                      version: int = 0) -> Artifact:
        out = _abi.Artifact()
        with self._lock:
            self._lib.artifact_stat(self._live(), encode(session), encode(path),
                                    _abi.ArtifactGetOptions(version=version), out)
            return make_artifact(out)

    def artifacts(self, *, session: Optional[str] = None, all_sessions: bool = False,
                  limit: int = 0) -> List[Artifact]:
        """Artifacts, the last changed first."""
        found, each = collect(make_artifact, _abi.Artifact)
        options = _abi.ArtifactListOptions(all_sessions=all_sessions, limit=limit)
        with self._lock:
            each.run(self._lib.artifact_list, self._live(), encode(session), options,
                     each.pointer, None)
        return found

    def artifact_versions(self, path: str, *, session: Optional[str] = None) -> List[Artifact]:
        found, each = collect(make_artifact, _abi.Artifact)
        with self._lock:
            each.run(self._lib.artifact_versions, self._live(), encode(session), encode(path),
                     each.pointer, None)
        return found

    def remove_artifact(self, path: str, *, session: Optional[str] = None,
                        purge: bool = False) -> None:
        """Soft-delete an artifact; with `purge` delete it for good."""
        with self._lock:
            self._lib.artifact_remove(self._live(), encode(session), encode(path), purge)

    def restore_artifact(self, path: str, *, session: Optional[str] = None) -> Artifact:
        out = _abi.Artifact()
        with self._lock:
            self._lib.artifact_restore(self._live(), encode(session), encode(path), out)
            return make_artifact(out)

    # ---- memory ----------------------------------------------------------

    def _memory_type(self, name: str) -> int:
        out, data = ctypes.c_int(), name.encode()
        self._lib.memory_type_of(lend(data), out)
        return out.value

    def _memory_options(self, title: Optional[str], content: Optional[str],
                        source: Optional[str], tags: Optional[Sequence[str]],
                        artifact: Optional[int]) -> Tuple[_abi.MemoryOptions, List[bytes]]:
        """Options, and the bytes that they point to."""
        kept = [to_bytes(v) if v is not None else b"" for v in (title, content, source)]
        lent = [lend(k) if v is not None else _abi.Bytes()
                for k, v in zip(kept, (title, content, source))]
        options = _abi.MemoryOptions(title=lent[0], content=lent[1], source=lent[2],
                                     artifact=artifact or 0)
        if tags is not None:
            names = [t.encode() for t in tags]
            kept += names
            options.tags = (_abi.Bytes * max(len(names), 1))(*[lend(n) for n in names])
            options.n_tags = len(names)
        return options, kept

    def remember(self, type: str, title: str, content: str = "", *,
                 tags: Sequence[str] = (), source: Optional[str] = None,
                 session: Optional[str] = None, artifact: Optional[int] = None,
                 supersedes: Sequence[int] = ()) -> Memory:
        """Add a fact: user, feedback, project, reference, learning or context. Entries that it
        supersedes become invalid. Durable on return."""
        options, kept = self._memory_options(title, content, source, tags, artifact)
        options.type = self._memory_type(type)
        if supersedes:
            options.supersedes = (ctypes.c_int64 * len(supersedes))(*supersedes)
            options.n_supersedes = len(supersedes)
        out = _abi.Memory()
        with self._lock:
            self._lib.memory_add(self._live(), encode(session), options, out)
            del kept
            return make_memory(out)

    def edit_memory(self, id: int, *, title: Optional[str] = None,
                    content: Optional[str] = None, tags: Optional[Sequence[str]] = None,
                    type: Optional[str] = None, session: Optional[str] = None) -> Memory:
        options, kept = self._memory_options(title, content, None, tags, None)
        if type is not None:
            options.type, options.set_type = self._memory_type(type), 1
        out = _abi.Memory()
        with self._lock:
            self._lib.memory_edit(self._live(), encode(session), id, options, out)
            del kept
            return make_memory(out)

    def memory(self, id: int, *, as_of: float = 0) -> Memory:
        """A valid fact by its id, or one that was valid at a time."""
        out = _abi.Memory()
        with self._lock:
            self._lib.memory_get(self._live(), id, int(as_of * 1e6), out)
            return make_memory(out)

    def memories(self, *, type: Optional[str] = None, tag: Optional[str] = None,
                 session: Optional[str] = None, as_of: float = 0,
                 limit: int = 0) -> List[Memory]:
        """Valid facts, the last changed first; without a limit all of them."""
        found, each = collect(make_memory, _abi.Memory)
        options = _abi.MemoryListOptions(
            types=1 << self._memory_type(type) if type else 0, tag=encode(tag),
            session=encode(session), as_of_us=int(as_of * 1e6), limit=limit or ALL)
        with self._lock:
            each.run(self._lib.memory_list, self._live(), options, each.pointer, None)
        return found

    def recall(self, query: str, *, type: Optional[str] = None, tag: Optional[str] = None,
               session: Optional[str] = None, limit: int = 20) -> List[Memory]:
        """Facts by the words of a question, best first; of a session its own come first."""
        found, each = collect(make_memory, _abi.Memory)
        options = _abi.RecallOptions(types=1 << self._memory_type(type) if type else 0,
                                     tag=encode(tag), session=encode(session), limit=limit)
        data = query.encode()
        with self._lock:
            each.run(self._lib.memory_search, self._live(), lend(data), options, each.pointer,
                     None, None, permit=NOT_FOUND)
        return found

    def forget(self, id: int) -> None:
        """End a fact now: it is kept for questions about the past."""
        with self._lock:
            self._lib.memory_invalidate(self._live(), id, 0)

    def remove_memory(self, id: int) -> None:
        """Delete a fact for good."""
        with self._lock:
            self._lib.memory_remove(self._live(), id)

    def relate(self, source: int, kind: str, target: int) -> int:
        """Relate two facts: relates_to, refines, contradicts, supersedes, supports. Returns the
        id of the relation."""
        number, data, out = ctypes.c_int(), kind.encode(), _abi.Relation()
        self._lib.relation_of(lend(data), number)
        with self._lock:
            self._lib.relation_add(self._live(), source, number, target, out)
        return int(out.id)

    # ---- search ----------------------------------------------------------

    def search(self, query: str, *, kind: Union[None, str, Sequence[str]] = None,
               role: Union[None, str, Sequence[str]] = None,
               tool: Union[None, str, Sequence[str]] = None, session: Optional[str] = None,
               project: Optional[str] = None, agent: Optional[str] = None,
               since: Optional[str] = None, until: Optional[str] = None, sort: str = "rank",
               limit: int = 20, cursor: Optional[str] = None, regex: bool = False,
               flat: bool = True) -> Hits:
        """Search sessions, outputs, artifacts, memory and prompts at once. Times are as users
        write them: "2026-01-31", "7d", "yesterday". With flat=False hits are grouped by
        session, the three best of each."""
        from ._errors import Invalid
        if sort not in SORTS:
            raise Invalid("unknown order '%s'" % sort, "rank, newest or oldest")
        options = _abi.SearchOptions(
            kinds=_list(kind), roles=_list(role), tools=_list(tool), session=encode(session),
            project=encode(project), agent=encode(agent), sort=SORTS.index(sort), limit=limit,
            cursor=encode(cursor), regex=regex, flat=flat)
        result, data = _abi.SearchResult(), query.encode()
        found, each = collect(make_hit, _abi.SearchHit)
        with self._lock:
            options.since_us, options.until_us = self._time(since), self._time(until)
            each.run(self._lib.search, self._live(), lend(data), options, each.pointer, None,
                     result)
            hits = Hits(found)
            hits.total, hits.total_is_exact = result.total, bool(result.total_is_exact)
            hits.next_cursor = text(result.next_cursor) or None
        return hits

    def _time(self, when: Optional[str]) -> int:
        out = ctypes.c_int64()
        if when is not None:
            self._lib.search_time(self._live(), encode(when), out)
        return out.value

    # ---- prompts ---------------------------------------------------------

    def add_prompt(self, prompt: str, *, cwd: Optional[str] = None,
                   session: Optional[str] = None) -> int:
        """Store a prompt that a person typed; its id, 0 for a blank one."""
        out, data = ctypes.c_int64(), prompt.encode()
        with self._lock:
            self._lib.history_add(self._live(), lend(data), encode(cwd), encode(session), out)
        return out.value

    def prompts(self, query: Optional[str] = None, *, cwd: Optional[str] = None,
                limit: int = 100) -> List[Prompt]:
        """Prompts, the newest first; with `query` those with every word of it."""
        found, each = collect(make_prompt, _abi.Prompt)
        options = _abi.HistoryOptions(cwd=encode(cwd), limit=limit)
        with self._lock:
            if query is None:
                each.run(self._lib.history_list, self._live(), options, each.pointer, None)
            else:
                data = query.encode()
                each.run(self._lib.history_search, self._live(), lend(data), options,
                         each.pointer, None)
        return found
