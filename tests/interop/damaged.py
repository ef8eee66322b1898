"""Files that are not quite sessions, and what is to be made of each.

A case is its bytes and what a careful reader finds: the ids in file order, the leaf,
the texts of the context, the lines to be named by `session check` (none: either
answer will do). The programs agree on all of it unless `faults` says otherwise."""

import json

A, B, C, D = (f"0000000{i}" for i in (1, 2, 3, 4))
TIME = "2026-02-16T10:20:3%d.000Z"
HEADER = {
    "type": "session",
    "version": 3,
    "id": "1f9d2a6b9c0d1234",
    "timestamp": TIME % 0,
    "cwd": "/srv/interop",
}


def entry(n, parent=None, text=None, **more):
    ids = (None, A, B, C, D)
    words = (None, "one", "two", "three", "four")
    text = words[n] if text is None else text
    message = {"role": "user", "content": text, "timestamp": 1760000000000 + n}
    if n % 2 == 0:
        message = {
            "role": "assistant",
            "content": [{"type": "text", "text": text}],
            "api": "anthropic-messages",
            "provider": "anthropic",
            "model": "claude-sonnet-4-5",
            "usage": {
                "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
            },
            "stopReason": "stop",
            "timestamp": 1760000000000 + n,
        }
    out = {"type": "message", "id": ids[n], "parentId": ids[n - 1] if parent is None else parent, "timestamp": TIME % n}
    out.update(message=message)
    out.update(more)
    return out


def text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


H, E1, E2, E3, E4 = text(HEADER), text(entry(1)), text(entry(2)), text(entry(3)), text(entry(4))
ALL = [A, B, C, D]
WORDS = ["one", "two", "three", "four"]


def lines(*parts):
    return b"".join(p + b"\n" for p in parts)


class Case:
    def __init__(self, data, ids=None, leaf=D, words=None, named=(), faults=(), or_ids=None, or_words=None, refused=False):
        self.data = data
        self.ids = ALL if ids is None else ids
        self.leaf = leaf
        self.words = WORDS if words is None else words
        self.named = list(named)
        # The programs known to do worse, and so not held against the table.
        self.faults = faults
        # Where saving more than the programs do is welcome too.
        self.or_ids, self.or_words = or_ids, or_words
        self.refused = refused


LOST3 = dict(ids=[A, B, D], words=["four"], named=[4])
pretty = json.dumps(entry(3), indent=2).encode()

CASES = {
    "clean": Case(lines(H, E1, E2, E3, E4)),
    "header_only": Case(lines(H), ids=[], leaf=None, words=[]),
    "garbage_line": Case(lines(H, E1, E2, b"*** not json {", E3, E4), named=[4]),
    "cut_in_the_middle": Case(lines(H, E1, E2[:-40], E3, E4), ids=[A, C, D], words=["three", "four"], named=[3]),
    "cut_last_line": Case(lines(H, E1, E2, E3) + E4[:-40], ids=[A, B, C], leaf=C, words=WORDS[:3], named=[5]),
    "cut_last_line_in_a_string": Case(
        lines(H, E1, E2, E3) + E4[: E4.index(b"four") + 2], ids=[A, B, C], leaf=C, words=WORDS[:3], named=[5]
    ),
    "cut_last_line_in_a_character": Case(
        lines(H, E1, E2, E3) + text(entry(4, text="four 🎈"))[: text(entry(4, text="four 🎈")).index("🎈".encode()) + 2],
        ids=[A, B, C], leaf=C, words=WORDS[:3], named=[5],
    ),
    "no_newline_at_the_end": Case(lines(H, E1, E2, E3) + E4),
    "two_objects_on_a_line": Case(
        lines(H, E1, E2, E3 + E4), ids=[A, B, C], leaf=C, words=WORDS[:3], named=[4],
        faults=("pi",), or_ids=ALL, or_words=WORDS,
    ),
    "torn_append_fused_with_the_next": Case(
        lines(H, E1, E2, E3[:-40] + E4), ids=[A, B], leaf=B, words=WORDS[:2], named=[4], or_ids=[A, B, D], or_words=["four"]
    ),
    "junk_after_an_object": Case(lines(H, E1, E2, E3 + b" junk", E4), named=[4], faults=("pi",)),
    "object_over_several_lines": Case(lines(H, E1, E2, pretty, E4), faults=("pi",)),
    "crlf": Case(lines(H, E1, E2, E3, E4).replace(b"\n", b"\r\n")),
    "blank_lines": Case(b"\n \n" + lines(H, b"", E1, b" \t", E2, E3, b"", b"", E4, b"", b"")),
    "byte_order_mark": Case(b"\xef\xbb\xbf" + lines(H, E1, E2, E3, E4)),
    "line_of_nul": Case(lines(H, E1, E2, b"\0" * 64, E3, E4), named=[4]),
    "tail_of_nul": Case(lines(H, E1, E2, E3, E4) + b"\0" * 512, named=[6]),
    "control_character_in_a_string": Case(lines(H, E1, E2, E3.replace(b"three", b"th\x01ree"), E4), **LOST3),
    "comma_before_the_end": Case(lines(H, E1, E2, E3[:-1] + b",}", E4), **LOST3),
    "not_a_number": Case(lines(H, E1, E2, E3.replace(b"1760000000003", b"NaN"), E4), **LOST3),
    "comment": Case(lines(H, E1, E2, b"/* c */" + E3, E4), **LOST3),
    "single_quotes": Case(lines(H, E1, E2, E3.replace(b'"', b"'"), E4), **LOST3),
    "invalid_utf8": Case(
        lines(H, E1, E2, E3.replace(b"three", b"th\xffree"), E4), words=["one", "two", "th\ufffdree", "four"]
    ),
    "lone_surrogate_escape": Case(
        lines(H, E1, E2, E3.replace(b"three", b"th\\ud800ree"), E4), words=["one", "two", "th\ud800ree", "four"]
    ),
    "same_key_twice": Case(
        lines(H, E1, E2, b'{"id":"99999999",' + E3[1:].replace(b'"content":', b'"content":"x","content":'), E4)
    ),
    "line_separator_inside": Case(
        lines(H, E1, E2, text(entry(3, text="th\u2028ree")), E4), words=["one", "two", "th\u2028ree", "four"]
    ),
    "large_integer": Case(lines(H, E1, E2, E3.replace(b"1760000000003", b"12345678901234567890"), E4)),
    # A line that is no object is no entry.
    "scalars_and_arrays": Case(
        lines(H, E1, E2, b"42", b'"text"', b"[1,2]", b"true", E3, E4), named=[4, 5, 6, 7], faults=("omp13", "omp18", "pi")
    ),
    "scalar_last": Case(lines(H, E1, E2, E3, E4, b"42"), named=[6], faults=("omp13", "omp18", "pi")),
    "null_line": Case(lines(H, E1, E2, b"null", E3, E4), named=[4], faults=("omp13", "omp18", "pi")),
    # Nor is a second header.
    "second_header": Case(
        lines(H, E1, E2, H.replace(b"1f9d", b"2f9d"), E3, E4), named=[4], faults=("omp18",)
    ),
    "second_header_last": Case(lines(H, E1, E2, E3, E4, H.replace(b"1f9d", b"2f9d")), named=[6], faults=("omp18",)),
    "version_4": Case(lines(H.replace(b'"version":3', b'"version":4'), E1, text(entry(2, future=True)), E3, E4)),
    "unknown_type": Case(
        lines(H, E1, text({"type": "hologram", "id": B, "parentId": A, "timestamp": TIME % 2, "beam": [1]}), E3, E4),
        words=["one", "three", "four"],
    ),
    "same_id_twice": Case(
        lines(H, E1, E2, text(entry(3, parent=A, id=B)), text(entry(4, parent=B))),
        ids=[A, B, B, D], words=["one", "three", "four"], named=[4],
    ),
    "missing_parent": Case(lines(H, E1, E2, text(entry(3, parent="ffffffff")), E4), words=["three", "four"], named=[4]),
    "cycle": Case(
        lines(H, E1, text(entry(2, parent=D)), E3, E4), words=["two", "three", "four"], named=[3], faults=("omp13", "pi")
    ),
    "cycle_beside_the_leaf": Case(
        lines(H, E1, text(entry(2, parent=C)), E3, E4), words=["two", "three", "four"], named=[3], faults=("omp13", "pi")
    ),
    "own_parent": Case(lines(H, E1, E2, text(entry(3, parent=C)), E4), words=["three", "four"], named=[4], faults=("omp13", "pi")),
    "empty_parent": Case(lines(H, E1, E2, text(entry(3, parent="")), E4), words=["three", "four"]),
    # Not sessions at all. 13 and pi replace such a file by a new session.
    "no_header": Case(lines(E1, E2, E3, E4), refused=True, faults=("omp13", "pi")),
    "header_without_id": Case(lines(H.replace(b'"id":"1f9d2a6b9c0d1234"', b'"id":7'), E1, E2), refused=True, faults=("omp13", "pi")),
    "not_a_session": Case(b"# Notes\n\nNothing to see.\n", refused=True, faults=("omp13", "pi")),
    "title_slot_then_garbage": Case(
        lines(
            text({"type": "title", "v": 1, "title": "T", "updatedAt": TIME % 0, "pad": ""}), H, E1, b"{{", E2, E3, E4
        ),
        named=[4], faults=("omp13", "pi"),
    ),
}
