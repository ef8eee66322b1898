"""The interface of LangGraph's stores, declared again for tests without that package."""
from typing import Any, NamedTuple, Optional


class Item:
    def __init__(self, *, value, key, namespace, created_at, updated_at):
        self.value, self.key, self.namespace = value, key, tuple(namespace)
        self.created_at, self.updated_at = created_at, updated_at


class SearchItem(Item):
    def __init__(self, *, score=None, **rest):
        super().__init__(**rest)
        self.score = score


class GetOp(NamedTuple):
    namespace: tuple
    key: str
    refresh_ttl: bool = True


class PutOp(NamedTuple):
    namespace: tuple
    key: str
    value: Optional[dict]
    index: Any = None
    ttl: Any = None


class SearchOp(NamedTuple):
    namespace_prefix: tuple
    filter: Optional[dict] = None
    limit: int = 10
    offset: int = 0
    query: Optional[str] = None
    refresh_ttl: bool = True


class MatchCondition(NamedTuple):
    match_type: str
    path: tuple


class ListNamespacesOp(NamedTuple):
    match_conditions: Optional[tuple] = None
    max_depth: Optional[int] = None
    limit: int = 100
    offset: int = 0


class BaseStore:
    def batch(self, ops):
        raise NotImplementedError

    def get(self, namespace, key):
        return self.batch([GetOp(namespace, key)])[0]

    def put(self, namespace, key, value):
        self.batch([PutOp(namespace, key, value)])

    def delete(self, namespace, key):
        self.batch([PutOp(namespace, key, None)])

    def search(self, prefix, *, query=None, filter=None, limit=10, offset=0):
        return self.batch([SearchOp(prefix, filter, limit, offset, query)])[0]

    def list_namespaces(self, *, prefix=None, suffix=None, max_depth=None, limit=100, offset=0):
        conditions = tuple(MatchCondition(k, p) for k, p in (
            ("prefix", prefix), ("suffix", suffix)) if p)
        return self.batch([ListNamespacesOp(conditions, max_depth, limit, offset)])[0]
