"""Structures and functions of the library, as include/quire/*.h declares them.

tests/python compares sizes and offsets with those that a C compiler computes.
"""

from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p)
from typing import Any

__all__ = ["FUNCTIONS", "Bytes", "ErrorStruct", "Sized"]


class Sized(Structure):
    """An option struct: begins with its size."""

    _defaults: dict[str, Any] = {}

    def __init__(self, **values: Any) -> None:
        super().__init__(size=ctypes.sizeof(type(self)), **{**self._defaults, **values})


class Bytes(Structure):
    _fields_ = [("data", c_void_p), ("len", c_size_t)]


class ErrorStruct(Structure):
    _fields_ = [("status", c_int), ("what", c_char * 256), ("next", c_char * 192),
                ("code", c_int), ("audience", c_int)]


class Options(Sized):
    _fields_ = [("size", c_size_t), ("home", c_char_p), ("kind", c_int), ("blobs", c_char_p),
                ("layout", c_int), ("flags", c_uint), ("busy_ms", c_int), ("trace", c_void_p),
                ("trace_ctx", c_void_p), ("now_us", c_void_p), ("now_ctx", c_void_p),
                ("tenant", c_char_p), ("actor", c_char_p), ("cache_kib", c_int),
                ("peer", c_void_p), ("search_watch", c_void_p),
                ("database", c_char_p), ("objects", c_char_p)]
    _defaults = {"busy_ms": 5000}


class BlobInfo(Structure):
    _fields_ = [("digest", c_uint8 * 32), ("size", c_uint64), ("stored", c_uint64),
                ("existed", c_int), ("in_file", c_int), ("seen_s", c_int64),
                ("reserved", c_uint64 * 4)]


class SessionOptions(Sized):
    _fields_ = [("size", c_size_t), ("flags", c_uint), ("sync", c_int), ("cwd", c_char_p),
                ("title", c_char_p), ("parent", c_char_p), ("file", c_char_p)]


class SessionInfo(Structure):
    _fields_ = [("id", c_char_p), ("path", c_char_p), ("cwd", c_char_p), ("title", c_char_p),
                ("parent", c_char_p), ("created", c_char_p), ("leaf", c_char_p),
                ("first", c_char_p), ("status", c_char_p), ("modified_us", c_int64),
                ("bytes", c_uint64), ("entries", c_uint64), ("messages", c_uint64),
                ("version", c_int), ("archived", c_int), ("problems", c_uint64),
                ("pinned", c_int), ("held", c_int), ("hold_reason", c_char_p),
                ("reserved", c_uint64 * 2)]


class ListOptions(Sized):
    _fields_ = [("size", c_size_t), ("cwd", c_char_p), ("archived", c_int),
                ("limit", c_uint64), ("pinned", c_int)]


class Entry(Structure):
    _fields_ = [("json", Bytes), ("id", Bytes), ("parent", Bytes), ("type", Bytes),
                ("label", Bytes), ("depth", c_size_t), ("children", c_size_t),
                ("is_leaf", c_int), ("on_path", c_int), ("is_orphan", c_int),
                ("missing", c_size_t), ("ordinal", c_size_t), ("reserved", c_uint64 * 3)]


class AppendOptions(Sized):
    _fields_ = [("size", c_size_t), ("at", c_char_p), ("expect", c_char_p), ("op", c_char_p),
                ("any", c_int)]


class Appended(Structure):
    _fields_ = [("id", c_char * 256), ("parent", c_char * 256), ("existed", c_int),
                ("truncated", c_int), ("continued", c_int), ("reserved", c_uint64 * 3)]


class SinkOptions(Sized):
    _fields_ = [("size", c_size_t), ("tool", c_char_p), ("threshold", c_uint64),
                ("head", c_uint64), ("columns", c_uint64)]
    _defaults = {"threshold": 51200}


class SinkResult(Structure):
    _fields_ = [("output", Bytes), ("truncated", c_int), ("total_lines", c_uint64),
                ("total_bytes", c_uint64), ("output_lines", c_uint64),
                ("output_bytes", c_uint64), ("elided_lines", c_uint64),
                ("elided_bytes", c_uint64), ("capped_lines", c_uint64),
                ("capped_bytes", c_uint64), ("ends_in_line", c_int), ("id", c_char_p),
                ("path", c_char_p), ("problem", ErrorStruct), ("reserved", c_uint64 * 4)]


class Output(Structure):
    _fields_ = [("address", c_char_p), ("id", c_char_p), ("tool", c_char_p),
                ("path", c_char_p), ("bytes", c_uint64), ("modified_us", c_int64),
                ("reserved", c_uint64 * 4)]


class ReadOptions(Sized):
    _fields_ = [("size", c_size_t), ("offset", c_uint64), ("grep", c_char_p),
                ("limit", c_uint64), ("tail", c_uint64), ("ignore_case", c_int),
                ("flags", c_uint)]


class Line(Structure):
    _fields_ = [("number", c_uint64), ("text", Bytes), ("begins", c_int), ("ends", c_int)]


class Artifact(Structure):
    _fields_ = [("id", c_int64), ("session_id", c_int64), ("session", c_char_p),
                ("path", c_char_p), ("version", c_int64), ("size", c_uint64),
                ("digest", c_uint8 * 32), ("mime", c_char_p), ("purpose", c_char_p),
                ("source", c_char_p), ("agent", c_char_p), ("tags", c_char_p),
                ("meta", c_char_p), ("created_us", c_int64), ("updated_us", c_int64),
                ("deleted_us", c_int64), ("created", c_int), ("reads", c_uint64),
                ("read_us", c_int64), ("session_used", c_uint64), ("tenant_used", c_uint64),
                ("unchanged", c_int), ("reserved", c_uint64 * 3)]


class ArtifactOptions(Sized):
    _fields_ = [("size", c_size_t), ("mime", c_char_p), ("purpose", c_char_p),
                ("source", c_char_p), ("agent", c_char_p), ("tags", POINTER(c_char_p)),
                ("meta", c_char_p), ("expect", c_char_p)]


class ArtifactGetOptions(Sized):
    _fields_ = [("size", c_size_t), ("version", c_int64), ("via", c_int64),
                ("any_session", c_int)]


class ArtifactListOptions(Sized):
    _fields_ = [("size", c_size_t), ("all_sessions", c_int), ("deleted", c_int),
                ("limit", c_uint64), ("before_us", c_int64), ("before_id", c_int64)]


class Memory(Structure):
    _fields_ = [("id", c_int64), ("type", c_int), ("title", Bytes), ("content", Bytes),
                ("source", Bytes), ("tags", c_char_p), ("artifact", c_int64),
                ("session_id", c_int64), ("session", c_char_p), ("created_us", c_int64),
                ("updated_us", c_int64), ("valid_from_us", c_int64), ("valid_to_us", c_int64),
                ("score", c_double), ("expired_artifact", c_int64), ("reserved", c_uint64 * 3)]


class MemoryOptions(Sized):
    _fields_ = [("size", c_size_t), ("type", c_int), ("title", Bytes), ("content", Bytes),
                ("source", Bytes), ("tags", POINTER(Bytes)), ("n_tags", c_size_t),
                ("artifact", c_int64), ("set_type", c_int), ("created_us", c_int64),
                ("supersedes", POINTER(c_int64)), ("n_supersedes", c_size_t)]


class MemoryListOptions(Sized):
    _fields_ = [("size", c_size_t), ("types", c_uint), ("tag", c_char_p),
                ("session", c_char_p), ("since_us", c_int64), ("as_of_us", c_int64),
                ("before_us", c_int64), ("before_id", c_int64), ("limit", c_uint64)]


class RecallOptions(Sized):
    _fields_ = [("size", c_size_t), ("types", c_uint), ("tag", c_char_p),
                ("session", c_char_p), ("no_intent", c_int), ("no_decay", c_int),
                ("half_life_days", c_int64), ("as_of_us", c_int64), ("limit", c_uint64)]


class Relation(Structure):
    _fields_ = [("id", c_int64), ("source", c_int64), ("target", c_int64), ("kind", c_int),
                ("created_us", c_int64), ("reserved", c_uint64 * 4)]


class SearchOptions(Sized):
    _fields_ = [("size", c_size_t), ("kinds", POINTER(c_char_p)), ("roles", POINTER(c_char_p)),
                ("tools", POINTER(c_char_p)), ("session", c_char_p), ("project", c_char_p),
                ("agent", c_char_p), ("since_us", c_int64), ("until_us", c_int64),
                ("sort", c_int), ("limit", c_uint64), ("cursor", c_char_p), ("regex", c_int),
                ("words_only", c_int), ("flat", c_int), ("versions", c_int),
                ("facets", c_int), ("no_update", c_int), ("progress", c_void_p),
                ("progress_ctx", c_void_p)]


class SearchMatch(Structure):
    _fields_ = [("start", c_uint32), ("end", c_uint32)]


class SearchHit(Structure):
    _fields_ = [("kind", c_char_p), ("address", c_char_p), ("session", c_char_p),
                ("entry", c_char_p), ("title", c_char_p), ("project", c_char_p),
                ("agent", c_char_p), ("role", c_char_p), ("tool", c_char_p),
                ("model", c_char_p), ("created_us", c_int64), ("snippet", c_char_p),
                ("matches", POINTER(SearchMatch)), ("n_matches", c_size_t),
                ("score", c_double), ("how", c_char_p), ("active", c_int),
                ("is_error", c_int), ("first", c_int), ("in_session", c_uint64),
                ("line", c_uint64), ("offset", c_uint64), ("turn", c_uint64),
                ("turn_first", c_char_p), ("turn_last", c_char_p), ("reserved", c_uint64 * 1)]


class SearchResult(Structure):
    _fields_ = [("total", c_uint64), ("total_is_exact", c_int), ("next_cursor", c_char_p),
                ("ignored", c_void_p), ("n_ignored", c_size_t), ("counts", c_void_p),
                ("n_counts", c_size_t), ("total_is_at_most", c_int),
                ("reserved", c_uint64 * 3)]


class Prompt(Structure):
    _fields_ = [("id", c_int64), ("prompt", Bytes), ("created_at_s", c_int64),
                ("cwd", c_char_p), ("session", c_char_p), ("reserved", c_uint64 * 4)]


class HistoryOptions(Sized):
    _fields_ = [("size", c_size_t), ("cwd", c_char_p), ("limit", c_uint64)]


class ExportOptions(Sized):
    _fields_ = [("size", c_size_t), ("leaf", c_char_p), ("from_entry", c_char_p),
                ("redact", c_int), ("home", c_char_p), ("dropped", c_void_p),
                ("dropped_ctx", c_void_p)]


class RunRecord(Structure):
    _fields_ = [("id", c_int64), ("session", c_char_p), ("command", c_char_p),
                ("unconfined", c_int), ("ended", c_int), ("exit", c_int), ("signal", c_int),
                ("started_us", c_int64), ("duration_us", c_int64), ("out_bytes", c_uint64),
                ("err_bytes", c_uint64), ("hit", c_char_p), ("confined", c_char_p),
                ("reserved", c_uint64 * 4)]


class RunOptions(Sized):
    _fields_ = [("size", c_size_t), ("argv", POINTER(c_char_p)), ("env", POINTER(c_char_p)),
                ("cwd", c_char_p), ("read_all", c_int), ("net", c_int), ("full_only", c_int),
                ("unconfined", c_int), ("timeout_ms", c_int64), ("max_output", c_uint64),
                ("drain", c_int), ("processes", c_uint64), ("memory", c_uint64),
                ("file_size", c_uint64), ("open_files", c_uint64), ("disk", c_uint64),
                ("stdin_fd", c_int), ("stop_fd", c_int), ("outputs", c_void_p),
                ("output", c_void_p), ("ctx", c_void_p), ("files", c_uint64)]
    _defaults = {"timeout_ms": 300000, "max_output": 1 << 20, "stdin_fd": -1, "stop_fd": -1}


class WorkspaceReport(Structure):
    _fields_ = [("taken", c_uint64), ("dropped", c_uint64), ("given", c_uint64),
                ("withdrawn", c_uint64), ("passed", c_uint64), ("reserved", c_uint64 * 4)]


class RunResult(Structure):
    _fields_ = [("record", RunRecord), ("timed_out", c_int), ("truncated", c_int),
                ("stopped", c_int), ("artifact", c_char * 24), ("files", WorkspaceReport),
                ("reserved", c_uint64 * 4)]


# Names of the C structs, for the test of sizes and offsets.
C_NAMES: dict[str, str] = {
    "Bytes": "quire_bytes", "ErrorStruct": "quire_error", "Options": "quire_options",
    "BlobInfo": "quire_blob_info", "SessionOptions": "quire_session_options",
    "SessionInfo": "quire_session_info", "ListOptions": "quire_list_options",
    "Entry": "quire_entry", "AppendOptions": "quire_append_options",
    "Appended": "quire_appended", "SinkOptions": "quire_sink_options",
    "SinkResult": "quire_sink_result", "Output": "quire_output",
    "ReadOptions": "quire_read_options", "Line": "quire_line", "Artifact": "quire_artifact",
    "ArtifactOptions": "quire_artifact_options",
    "ArtifactGetOptions": "quire_artifact_get_options",
    "ArtifactListOptions": "quire_artifact_list_options", "Memory": "quire_memory",
    "MemoryOptions": "quire_memory_options", "MemoryListOptions": "quire_memory_list_options",
    "RecallOptions": "quire_recall_options", "Relation": "quire_relation",
    "SearchOptions": "quire_search_options", "SearchMatch": "quire_search_match",
    "SearchHit": "quire_search_hit", "SearchResult": "quire_search_result",
    "Prompt": "quire_prompt", "HistoryOptions": "quire_history_options",
    "ExportOptions": "quire_export_options", "RunRecord": "quire_run_record",
    "RunOptions": "quire_run_options", "WorkspaceReport": "quire_workspace_report",
    "RunResult": "quire_run_result"}
C_FIELDS: dict[str, str] = {"SearchMatch.start": "from", "SearchMatch.end": "to",
                            "ExportOptions.from_entry": "from"}

ErrorP = POINTER(ErrorStruct)
EachFn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)
RunOutputFn = CFUNCTYPE(c_int, c_void_p, c_int, Bytes, c_void_p)
WriteFn = CFUNCTYPE(c_int, c_void_p, Bytes, c_void_p)
ReadFn = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_size_t), c_void_p)

_Q, _S, _P = c_void_p, c_char_p, POINTER

# Arguments; all return a status. `err` comes last.
FUNCTIONS: dict[str, list[Any]] = {
    "quire_open": [_P(Options), _P(c_void_p), ErrorP],
    "quire_session_new": [_Q, _P(SessionOptions), _P(c_void_p), ErrorP],
    "quire_session_open": [_Q, _S, _P(SessionOptions), _P(c_void_p), ErrorP],
    "quire_session_flush": [_Q, ErrorP],
    "quire_session_rename": [_Q, _S, ErrorP],
    "quire_session_label": [_Q, _S, _S, _P(Appended), ErrorP],
    "quire_session_branch": [_Q, _S, c_int, _P(Appended), ErrorP],
    "quire_session_branch_summary": [_Q, _S, _S, Bytes, _P(Appended), ErrorP],
    "quire_session_entry": [_Q, _S, _P(Entry), ErrorP],
    "quire_session_entries_at": [_Q, _P(c_size_t), c_size_t, EachFn, c_void_p, ErrorP],
    "quire_session_path": [_Q, _S, c_uint, EachFn, c_void_p, ErrorP],
    "quire_session_context": [_Q, _S, WriteFn, c_void_p, c_void_p, ErrorP],
    "quire_session_list": [_Q, _P(ListOptions), EachFn, c_void_p, ErrorP],
    "quire_session_trash": [_Q, _S, c_uint, _P(c_int), ErrorP],
    "quire_session_remove": [_Q, _S, ErrorP],
    "quire_session_fork": [_Q, _S, _S, _P(c_void_p), ErrorP],
    "quire_blob_put": [_Q, Bytes, c_uint, _P(BlobInfo), ErrorP],
    "quire_blob_put_stream": [_Q, ReadFn, c_void_p, c_uint, _P(BlobInfo), ErrorP],
    "quire_blob_resolve": [_Q, _S, c_void_p, ErrorP],
    "quire_blob_stat": [_Q, c_void_p, _P(BlobInfo), ErrorP],
    "quire_blob_read": [_Q, c_void_p, c_uint64, c_uint64, WriteFn, c_void_p, ErrorP],
    "quire_outputs_open": [_Q, _S, _P(c_void_p), ErrorP],
    "quire_outputs_list": [_Q, EachFn, c_void_p, ErrorP],
    "quire_sink_open": [_Q, _P(SinkOptions), _P(c_void_p), ErrorP],
    "quire_report_put": [_Q, _S, _S, ReadFn, c_void_p, _P(Output), ErrorP],
    "quire_read": [_Q, c_void_p, _S, _P(ReadOptions), EachFn, c_void_p, ErrorP],
    "quire_artifact_put": [_Q, _S, _S, Bytes, _P(ArtifactOptions), _P(Artifact), ErrorP],
    "quire_artifact_get": [_Q, _S, _S, _P(ArtifactGetOptions), WriteFn, c_void_p, _P(Artifact),
                           ErrorP],
    "quire_artifact_stat": [_Q, _S, _S, _P(ArtifactGetOptions), _P(Artifact), ErrorP],
    "quire_artifact_list": [_Q, _S, _P(ArtifactListOptions), EachFn, c_void_p, ErrorP],
    "quire_artifact_versions": [_Q, _S, _S, EachFn, c_void_p, ErrorP],
    "quire_artifact_remove": [_Q, _S, _S, c_int, ErrorP],
    "quire_artifact_restore": [_Q, _S, _S, _P(Artifact), ErrorP],
    "quire_memory_type_of": [Bytes, _P(c_int), ErrorP],
    "quire_memory_add": [_Q, _S, _P(MemoryOptions), _P(Memory), ErrorP],
    "quire_memory_edit": [_Q, _S, c_int64, _P(MemoryOptions), _P(Memory), ErrorP],
    "quire_memory_get": [_Q, c_int64, c_int64, _P(Memory), ErrorP],
    "quire_memory_list": [_Q, _P(MemoryListOptions), EachFn, c_void_p, ErrorP],
    "quire_memory_search": [_Q, Bytes, _P(RecallOptions), EachFn, c_void_p, _P(c_int), ErrorP],
    "quire_memory_invalidate": [_Q, c_int64, c_int64, ErrorP],
    "quire_memory_remove": [_Q, c_int64, ErrorP],
    "quire_relation_of": [Bytes, _P(c_int), ErrorP],
    "quire_relation_add": [_Q, c_int64, c_int, c_int64, _P(Relation), ErrorP],
    "quire_search": [_Q, Bytes, _P(SearchOptions), EachFn, c_void_p, _P(SearchResult), ErrorP],
    "quire_search_time": [_Q, _S, _P(c_int64), ErrorP],
    "quire_history_add": [_Q, Bytes, _S, _S, _P(c_int64), ErrorP],
    "quire_history_list": [_Q, _P(HistoryOptions), EachFn, c_void_p, ErrorP],
    "quire_history_search": [_Q, Bytes, _P(HistoryOptions), EachFn, c_void_p, ErrorP],
    "quire_transaction_begin": [_Q, ErrorP],
    "quire_transaction_end": [_Q, _P(c_int), ErrorP],
    "quire_sync": [_Q, ErrorP],
    "quire_export_write": [_Q, _S, _S, _P(ExportOptions), WriteFn, c_void_p, c_void_p, ErrorP],
    "quire_workspace_open": [_Q, _S, _P(c_void_p), ErrorP],
    "quire_workspace_call": [_Q, Bytes, _P(Bytes), ErrorP],
    "quire_run": [_Q, _P(RunOptions), _P(RunResult), ErrorP],
}

# Functions that return something else: result, arguments.
OTHERS: dict[str, tuple[Any, list[Any]]] = {
    "quire_version": (c_char_p, []),
    "quire_home": (c_char_p, [_Q]),
    "quire_close": (None, [_Q]),
    "quire_session_close": (None, [_Q]),
    "quire_session_describe": (None, [_Q, _P(SessionInfo)]),
    "quire_outputs_close": (None, [_Q]),
    "quire_sink_write": (None, [_Q, c_char_p, c_size_t]),
    "quire_sink_finish": (None, [_Q, _P(SinkResult)]),
    "quire_sink_free": (None, [_Q]),
    "quire_memory_type_name": (c_char_p, [c_int]),
    "quire_transaction_rollback": (None, [_Q]),
    "quire_workspace_close": (None, [_Q]),
    # The struct of bytes spelled as its two members, which takes the same registers: no
    # object to make for each call.
    "quire_session_append": (c_int, [_Q, c_char_p, c_size_t, c_void_p, c_void_p, c_void_p]),
}
