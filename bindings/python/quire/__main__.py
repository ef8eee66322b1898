"""`python3 -m quire` prints which library is used; `python3 -m quire demo` runs a turn of an
agent in a temporary home."""

from __future__ import annotations

import sys
import tempfile

import quire


def demo() -> None:
    with tempfile.TemporaryDirectory() as place, quire.open(place) as home:
        with home.new_session(title="demo") as session:
            session.message("user", "count to 20000")
            with session.sink("seq") as out:
                for number in range(1, 20001):
                    out.write("%d\n" % number)
            session.message("assistant", "done: %s" % out.shown.address)
            session.put_artifact("report.md", "# Counted\n")
            home.remember("project", "counting works", session=session.id)
            print("session", session.id)
        with home.open_session("last") as session:
            print("messages", [m["content"] for m in session.messages()])
            print("last line", session.read("artifact://0", tail=1).strip())
        print("recalled", [m.title for m in home.recall("counting")])
        print("found", [h.address for h in home.search("count")])


def main() -> int:
    if sys.argv[1:] == ["demo"]:
        demo()
        return 0
    if sys.argv[1:]:
        print("usage: python3 -m quire [demo]", file=sys.stderr)
        return 2
    from quire._library import library
    print("quire %s, library %s at %s" % (
        quire.__version__, quire.library_version(), library().path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
