"""The interface of LangGraph's checkpointers as far as graphs use it: names, parameters and
results of langgraph-checkpoint 2.1 and 3.0, declared again for tests without that package."""
import json
from typing import Any, NamedTuple, Optional

WRITES_IDX_MAP = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}


class CheckpointTuple(NamedTuple):
    config: Any
    checkpoint: Any
    metadata: Any
    parent_config: Optional[Any] = None
    pending_writes: Optional[list] = None


def get_checkpoint_id(config):
    return config["configurable"].get("checkpoint_id")


class Serializer:
    """A typed serializer: bytes are a type of their own, everything else is JSON."""

    def dumps_typed(self, value):
        if isinstance(value, bytes):
            return "bytes", value
        return "json", json.dumps(value, ensure_ascii=False).encode()

    def loads_typed(self, data):
        return data[1] if data[0] == "bytes" else json.loads(data[1])


class BaseCheckpointSaver:
    serde: Any = Serializer()

    def __init__(self, *, serde=None):
        self.serde = serde or self.serde

    @property
    def config_specs(self):
        return []

    def get(self, config):
        found = self.get_tuple(config)
        return found.checkpoint if found else None

    def get_tuple(self, config):
        raise NotImplementedError

    def list(self, config, *, filter=None, before=None, limit=None):
        raise NotImplementedError

    def put(self, config, checkpoint, metadata, new_versions):
        raise NotImplementedError

    def put_writes(self, config, writes, task_id, task_path=""):
        raise NotImplementedError

    def delete_thread(self, thread_id):
        raise NotImplementedError

    def get_next_version(self, current, channel):
        raise NotImplementedError
