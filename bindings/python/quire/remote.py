"""A home on a server, over HTTP: the methods of Home and Session by urllib.

Differences: appends are durable when they return, whatever `sync`; nobody holds a write lock
between calls, so `expect` is the way to notice another writer; `run` and transactions need a
home of this machine. Any thread may use these classes. A write is sent with an idempotency
key, and once more if the connection broke.
"""

from __future__ import annotations

import io
import json
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid
from types import TracebackType
from typing import IO, Any, Dict, Iterator, List, Optional, Sequence, Type, Union

from . import _errors
from ._library import Data, to_bytes
from ._session import entry_bytes
from ._values import (JSON, Artifact, Hit, Hits, Memory, Output, Prompt, SessionInfo, Shown)

PAGE = 200
KIND_OF_STATUS = {404: "not_found", 409: "exists", 412: "changed", 413: "too_large",
                  429: "busy", 503: "busy", 507: "quota"}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to the server it was meant for only."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _quote(part: str) -> str:
    return urllib.parse.quote(part, safe="")


class RemoteHome:
    """The home of a tenant on a server: quire.connect(url, token)."""

    def __init__(self, url: str, token: str = "", *, timeout: float = 30.0) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise _errors.Invalid("'%s' is not an address of HTTP" % url,
                                  "such as https://quire.example.org")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._numbers: Dict[int, str] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> RemoteHome:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<quire.RemoteHome %s>" % self.url

    def close(self) -> None:
        """Nothing is open between calls."""

    # ---- requests --------------------------------------------------------

    def _send(self, method: str, path: str, body: Optional[bytes] = None,
              kind: str = "application/json", headers: Optional[Dict[str, str]] = None,
              query: Optional[Dict[str, Any]] = None) -> bytes:
        url = self.url + path
        pairs = [(k, "true" if v is True else "false" if v is False else v)
                 for k, v in (query or {}).items() if v is not None]
        if pairs:
            url += "?" + urllib.parse.urlencode(pairs, doseq=True)
        sent = {"Accept": "*/*", **(headers or {})}
        if self._token:
            sent["Authorization"] = "Bearer " + self._token
        if body is not None:
            sent["Content-Type"] = kind
        if method != "GET":
            sent["Idempotency-Key"] = uuid.uuid4().hex
        for attempt in (1, 2):
            request = urllib.request.Request(url, data=body, headers=sent, method=method)
            try:
                with self._opener.open(request, timeout=self.timeout) as answer:
                    content: bytes = answer.read()
                    return content
            except urllib.error.HTTPError as failed:
                with failed:
                    raise _error_of(failed.code, failed.read()) from None
            except (urllib.error.URLError, ConnectionError, TimeoutError) as failed:
                if attempt == 2:
                    raise _errors.Error("cannot reach %s: %s" % (
                        self.url, getattr(failed, "reason", failed)), "", "io") from None
        raise AssertionError("not reached")

    def _json(self, method: str, path: str, value: Any = None, *,
              headers: Optional[Dict[str, str]] = None, **query: Any) -> Any:
        body = None if value is None else json.dumps(value).encode()
        answer = self._send(method, path, body, headers=headers, query=query)
        return json.loads(answer) if answer else None

    def _pages(self, path: str, key: str, limit: int = 0, **query: Any) -> Iterator[JSON]:
        cursor: Optional[str] = None
        left = limit
        while True:
            page = self._json("GET", path, cursor=cursor,
                              limit=min(left, PAGE) if limit else PAGE, **query)
            yield from page[key]
            cursor, left = page.get("next_cursor"), left - len(page[key])
            if not cursor or (limit and left <= 0):
                return

    def _number(self, session: Optional[str]) -> Optional[int]:
        """The number of a session, which requests about memory name."""
        if session is None:
            return None
        number: int = self._json("GET", "/v1/sessions/" + _quote(session))["id"]
        return number

    def _session_of(self, number: Optional[int]) -> str:
        if not number:
            return ""
        with self._lock:
            known = self._numbers.get(number)
        if known is None:
            known = str(self._json("GET", "/v1/sessions/%d" % number)["session"]) \
                if number > 0 else {-1: "user", -2: "temp"}.get(number, "")
            with self._lock:
                self._numbers[number] = known
        return known

    # ---- sessions --------------------------------------------------------

    def new_session(self, cwd: Optional[str] = None, title: Optional[str] = None, *,
                    sync: str = "each") -> RemoteSession:
        made = self._json("POST", "/v1/sessions", {
            k: v for k, v in (("cwd", cwd), ("title", title)) if v is not None})
        return RemoteSession(self, made["session"])

    def open_session(self, which: str, *, read_only: bool = False,
                     sync: str = "each") -> RemoteSession:
        found = self._json("GET", "/v1/sessions/" + _quote(which))
        return RemoteSession(self, found["session"], read_only)

    def fork_session(self, which: str, cwd: Optional[str] = None) -> RemoteSession:
        made = self._json("POST", "/v1/sessions/%s/fork" % _quote(which),
                          {} if cwd is None else {"cwd": cwd})
        return RemoteSession(self, made["session"])

    def sessions(self, *, archived: bool = False, limit: int = 0) -> List[SessionInfo]:
        return [_info(s) for s in self._pages("/v1/sessions", "sessions", limit,
                                              archived=archived or None)]

    def remove_session(self, which: str, *, now: bool = False) -> None:
        self._json("DELETE", "/v1/sessions/" + _quote(which), trash=not now)

    def export(self, session: str, to: str, *, leaf: Optional[str] = None,
               redact: bool = False) -> bytes:
        return self._send("GET", "/v1/sessions/%s/export" % _quote(session),
                          query={"to": to, "leaf": leaf, "redact": redact or None})

    # ---- blobs, outputs --------------------------------------------------

    def put_blob(self, data: Union[Data, IO[bytes]]) -> str:
        content = to_bytes(data) if isinstance(
            data, (bytes, bytearray, memoryview, str)) else data.read()
        answer = json.loads(self._send("POST", "/v1/blobs", content,
                                       "application/octet-stream"))
        return str(answer["ref"])

    def get_blob(self, ref: str, start: int = 0, end: Optional[int] = None) -> bytes:
        if end is not None and end <= start:
            return b""
        headers = {}
        if start or end is not None:
            headers["Range"] = "bytes=%d-%s" % (start, "" if end is None else end - 1)
        return self._send("GET", "/v1/blobs/" + _quote(ref.rsplit(":", 1)[-1]), headers=headers)

    def read(self, address: str, *, session: Optional[str] = None, offset: int = 0,
             limit: int = 0, grep: Optional[str] = None, tail: int = 0) -> str:
        """What an address names: artifact://3 and agent://name of `session`, blob:sha256:<hex>."""
        if address.startswith("blob:"):
            return self.get_blob(address).decode("utf-8", "replace")
        name = address.split("://", 1)[-1]
        if session is None:
            raise _errors.Invalid("an output belongs to a session", "give session=")
        return self._send("GET", "/v1/sessions/%s/outputs/%s" % (_quote(session), _quote(name)),
                          query={"offset": offset or None, "limit": limit or None, "grep": grep,
                                 "tail": tail or None}).decode("utf-8", "replace")

    # ---- artifacts -------------------------------------------------------

    def _artifact(self, a: JSON, created: bool = False) -> Artifact:
        return Artifact(id=a["id"], session=self._session_of(a.get("conversation_id")),
                        path=a["path"], version=a["version"], size=a["size"],
                        sha256=a["sha256"], mime=a["mime_type"], purpose=a["purpose"],
                        tags=tuple(a["tags"]), created=created,
                        created_at=float(a["created_at"]), updated_at=float(a["updated_at"]))

    @staticmethod
    def _file(session: str, path: str) -> str:
        return "/v1/sessions/%s/files/%s" % (_quote(session), urllib.parse.quote(path))

    def put_artifact(self, path: str, data: Data, *, session: str,
                     mime: str = "application/octet-stream",
                     expect: Optional[str] = None) -> Artifact:
        headers = {}
        if expect is not None:
            headers = {"If-None-Match": "*"} if expect == "none" else {
                "If-Match": '"%s"' % expect}
        answer = json.loads(self._send("PUT", self._file(session, path), to_bytes(data), mime,
                                       headers=headers))
        return self._artifact(answer["artifact"], answer["created"])

    def get_artifact(self, path: str, *, session: str, version: int = 0) -> bytes:
        return self._send("GET", self._file(session, path), query={"version": version or None})

    def artifacts(self, *, session: Optional[str] = None, limit: int = 0) -> List[Artifact]:
        path = "/v1/artifacts" if session is None else \
            "/v1/sessions/%s/artifacts" % _quote(session)
        return [self._artifact(a) for a in self._pages(path, "artifacts", limit)]

    def remove_artifact(self, path: str, *, session: str, purge: bool = False) -> None:
        self._send("DELETE", self._file(session, path), query={"purge": purge or None})

    # ---- memory ----------------------------------------------------------

    def _memory(self, m: JSON) -> Memory:
        return Memory(id=m["id"], type=m["type"], title=m["title"], content=m["content"],
                      tags=tuple(m["tags"]), source=m["source"],
                      session=self._session_of(m["conversation_id"]),
                      artifact=m["artifact_id"], created_at=float(m["created_at"]),
                      updated_at=float(m["updated_at"]), valid_from=float(m["valid_from"]),
                      valid_to=m["valid_to"], score=float(m.get("score", 0)))

    def remember(self, type: str, title: str, content: str = "", *,
                 tags: Sequence[str] = (), source: Optional[str] = None,
                 session: Optional[str] = None, artifact: Optional[int] = None,
                 supersedes: Sequence[int] = ()) -> Memory:
        value = {"type": type, "title": title, "content": content, "tags": list(tags),
                 "source": source, "conversation_id": self._number(session),
                 "artifact_id": artifact, "supersedes_ids": list(supersedes) or None}
        return self._memory(self._json("POST", "/v1/memory/entries", {
            k: v for k, v in value.items() if v is not None}))

    def memory(self, id: int) -> Memory:
        return self._memory(self._json("GET", "/v1/memory/entries/%d" % id))

    def memories(self, *, type: Optional[str] = None, tag: Optional[str] = None,
                 limit: int = 0) -> List[Memory]:
        return [self._memory(m) for m in self._pages("/v1/memory/entries", "entries", limit,
                                                     type=type, tag=tag)]

    def recall(self, query: str, *, type: Optional[str] = None, tag: Optional[str] = None,
               session: Optional[str] = None, limit: int = 20) -> List[Memory]:
        page = self._json("GET", "/v1/memory/entries", q=query, type=type, tag=tag, limit=limit,
                          conversation_id=self._number(session))
        return [self._memory(m) for m in page["entries"]]

    def forget(self, id: int) -> None:
        self._json("POST", "/v1/memory/entries/%d/invalidate" % id, {})

    def remove_memory(self, id: int) -> None:
        self._send("DELETE", "/v1/memory/entries/%d" % id)

    def relate(self, source: int, kind: str, target: int) -> int:
        answer = self._json("POST", "/v1/memory/relations", {
            "source_id": source, "target_id": target, "relation": kind})
        return int(answer["id"])

    # ---- search, prompts -------------------------------------------------

    def search(self, query: str, *, kind: Union[None, str, Sequence[str]] = None,
               role: Union[None, str, Sequence[str]] = None,
               tool: Union[None, str, Sequence[str]] = None, session: Optional[str] = None,
               project: Optional[str] = None, agent: Optional[str] = None,
               since: Optional[str] = None, until: Optional[str] = None, sort: str = "rank",
               limit: int = 20, cursor: Optional[str] = None, regex: bool = False,
               flat: bool = True) -> Hits:
        def joined(value: Union[None, str, Sequence[str]]) -> Optional[str]:
            return value if value is None or isinstance(value, str) else ",".join(value)

        page = self._json("GET", "/v1/search", q=query, kind=joined(kind), role=joined(role),
                          tool=joined(tool), session=session, project=project, agent=agent,
                          since=since, until=until, sort=sort, limit=limit, cursor=cursor,
                          regex=regex or None, flat=flat)
        hits = Hits(_hit(h) for h in page["hits"])
        hits.total, hits.total_is_exact = page["total"], page["total_is_exact"]
        hits.next_cursor = page["next_cursor"]
        return hits

    def add_prompt(self, prompt: str, *, cwd: Optional[str] = None) -> int:
        value = {"prompt": prompt} if cwd is None else {"prompt": prompt, "cwd": cwd}
        return int(self._json("POST", "/v1/history", value)["id"])

    def prompts(self, query: Optional[str] = None, *, cwd: Optional[str] = None,
                limit: int = 100) -> List[Prompt]:
        page = self._json("GET", "/v1/history", q=query, cwd=cwd, limit=limit)
        return [Prompt(p["id"], p["prompt"], p["created_at"], p["cwd"] or "",
                       str(p["session"] or "")) for p in page["prompts"]]


class RemoteSession:
    """A session on a server."""

    def __init__(self, home: RemoteHome, id: str, read_only: bool = False) -> None:
        self.home, self.id, self.read_only = home, id, read_only
        self._path = "/v1/sessions/" + _quote(id)

    def __enter__(self) -> RemoteSession:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<quire.RemoteSession %s>" % self.id

    def close(self) -> None:
        """Nothing is open between calls."""

    def flush(self) -> None:
        """An append that returned is durable."""

    # ---- writing ---------------------------------------------------------

    def append(self, entry: Union[JSON, Data], *, at: Optional[str] = None,
               expect: Optional[str] = None, op: Optional[str] = None,
               any_shape: bool = False) -> str:
        if self.read_only:
            raise _errors.Invalid("session %s is open read-only" % self.id)
        rest: Dict[str, Any] = {k: v for k, v in (("at", at), ("expect", expect), ("op", op),
                                  ("any", any_shape or None)) if v is not None}
        if expect == "root":
            rest["expect"] = None
        tail = json.dumps(rest).encode()[1:]
        body = b'{"entry":' + entry_bytes(entry) + (b"," if rest else b"") + tail
        answer = json.loads(self.home._send("POST", self._path + "/entries", body))
        if "session" in answer and isinstance(answer["session"], str):
            self.id = answer["session"]
            self._path = "/v1/sessions/" + _quote(self.id)
        return str(answer["id"])

    def message(self, role: str, content: Any, **fields: Any) -> str:
        return self.append({"type": "message",
                            "message": {"role": role, "content": content, **fields}})

    def branch(self, entry: Optional[str], keep: bool = True) -> None:
        self.home._json("PUT", self._path + "/leaf", {"to": entry})

    def label(self, entry: str, label: Optional[str]) -> None:
        self.home._json("PUT", "%s/labels/%s" % (self._path, _quote(entry)), {"label": label})

    def rename(self, title: str) -> None:
        self.home._json("PATCH", self._path, {"title": title})

    # ---- reading ---------------------------------------------------------

    def info(self) -> SessionInfo:
        return _info(self.home._json("GET", self._path))

    @property
    def title(self) -> str:
        return self.info().title

    def entries(self) -> Iterator[JSON]:
        after: Optional[int] = 0
        while after is not None:
            page = self.home._json("GET", self._path + "/entries", after=after, limit=PAGE)
            yield from page["entries"]
            after = page["next_after"] or None

    def entry(self, entry_id: str) -> JSON:
        answer: JSON = self.home._json("GET", "%s/entries/%s" % (self._path, _quote(entry_id)))
        found: JSON = answer.get("entry", answer)
        return found

    def context(self, leaf: Optional[str] = None) -> JSON:
        answer: JSON = self.home._json("GET", self._path + "/context", leaf=leaf)
        return answer

    def messages(self, leaf: Optional[str] = None) -> List[JSON]:
        found: List[JSON] = self.context(leaf)["messages"]
        return found

    # ---- what belongs to it ----------------------------------------------

    def sink(self, tool: str = "tool", *, threshold: int = 51200, head: int = 0,
             columns: int = 0) -> RemoteSink:
        return RemoteSink(self, {"tool": tool, "threshold": threshold, "head": head,
                                 "columns": columns})

    def outputs(self) -> List[Output]:
        page = self.home._json("GET", self._path + "/outputs")
        return [Output(o["address"], o["id"], o["tool"] or "", "", o["bytes"])
                for o in page["outputs"]]

    def read(self, address: str, **options: Any) -> str:
        return self.home.read(address, session=self.id, **options)

    def put_artifact(self, path: str, data: Data, **options: Any) -> Artifact:
        return self.home.put_artifact(path, data, session=self.id, **options)

    def get_artifact(self, path: str, version: int = 0) -> bytes:
        return self.home.get_artifact(path, session=self.id, version=version)

    def artifacts(self) -> List[Artifact]:
        return self.home.artifacts(session=self.id)

    def export(self, to: str, *, leaf: Optional[str] = None, redact: bool = False) -> bytes:
        return self.home.export(self.id, to, leaf=leaf, redact=redact)

    def tool(self, request: JSON) -> JSON:
        answer: JSON = self.home._json("POST", self._path + "/workspace", request)
        return answer


class RemoteSink:
    """The output of a tool, collected in memory and sent when it is finished."""

    shown: Shown

    def __init__(self, session: RemoteSession, query: Dict[str, Any]) -> None:
        self._session, self._query = session, query
        self._data = io.BytesIO()
        self.closed = False

    def write(self, data: Data) -> int:
        if self.closed:
            raise _errors.Invalid("the sink cannot be used: it is finished")
        return self._data.write(to_bytes(data))

    def finish(self) -> Shown:
        if self.closed:
            raise _errors.Invalid("the sink cannot be used: it is finished")
        self.closed = True
        answer = json.loads(self._session.home._send(
            "POST", self._session._path + "/outputs", self._data.getvalue(),
            "application/octet-stream", query=self._query))
        number = answer.get("artifactId")
        self.shown = Shown(answer["output"], answer["truncated"], answer["totalLines"],
                           answer["totalBytes"],
                           "artifact://%s" % number if number is not None else None, None)
        return self.shown

    def __enter__(self) -> RemoteSink:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is None and not self.closed:
            self.finish()
        self.closed = True


# ---- answers -------------------------------------------------------------


def _error_of(status: int, body: bytes) -> _errors.Error:
    try:
        value = json.loads(body)
        return _errors.make(value.get("kind") or KIND_OF_STATUS.get(status, "error"),
                            value["error"], value.get("hint") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return _errors.make(KIND_OF_STATUS.get(status, "error"),
                            "the server answered with status %d" % status)


def _info(s: JSON) -> SessionInfo:
    return SessionInfo(
        id=s["session"], path="", cwd=s["cwd"] or "", title=s["title"] or "",
        parent=str(s["parent"] or ""), created=str(s["created_at"]), leaf=s.get("leaf"),
        first=s.get("first") or "", status=s.get("status") or "unknown",
        modified=float(s["updated_at"]), bytes=s.get("bytes") or 0, entries=s["entries"],
        messages=s["messages"], archived=s["archived"], pinned=s["pinned"], held=s["held"])


def _hit(h: JSON) -> Hit:
    return Hit(kind=h["kind"], address=h["address"], session=h.get("session") or "",
               entry=h.get("entry") or "", title=h.get("title") or "",
               project=h.get("project") or "", agent=h.get("agent") or "",
               role=h.get("role") or "", tool=h.get("tool") or "",
               created_at=float(h.get("created_at") or 0), snippet=h["snippet"],
               matches=tuple((a, b) for a, b in h["matches"]), score=float(h["score"]),
               how=h["how"], active=h["active"])
