"""Prompt history: one file, Quire's and oh-my-pi's at once. `replay` uses files that
the programs made, `live` has them write turn by turn."""

import json
import os
import shutil
import sqlite3
from datetime import datetime

from interop import bytes_of

PROGRAMS = ("omp13", "omp18")

# As people type them and paste them. 13 trims, 18 tidies lines as well.
PROMPTS = [
    "fix the build", "  git commit -m \"Fix it\"  ", "100% of_cases \\ done", "Größe ändern, ÜBER alles", "你好，世界 please",
    "two\r\nlines", "padded   \nlines\t\n\n  indented", "a\rb", "\u00a0\u3000spaces\u2028\ufeff", "🎈 party 🎈", "main.rs::new() -> Self",
    "x", "SELECT * FROM history WHERE prompt LIKE '%'", "NEAR(a b) OR \"c\"", "it's e\u0301clair", "zero\u200bwidth", "\u0085next", " \n\t ",
    "fix the build", "x", "long " * 400,
]
QUERIES = [
    "fix", "FIX", "buil", "uild", "git commit", "git-commit", "mit", "100%", "of_cases", "größe", "GRÖSSE", "grö", "über", "uber", "你好", "世界",
    "main.rs", "new self", "party", "lines pad", "absent", "x", "select like", "near", "c", "it's", "éclair", "eclair", "zero", "width", "indented lines", "long", "-> Self", "done \\",
]
# Only Quire looks for what has neither letter nor digit.
SIGNS = ["%", "🎈", "->", "\"", "'", "\\", "*", "\u2028", "::"]


def home_of(work, name):
    home = os.path.join(work, "history", name)
    os.makedirs(home, exist_ok=True)
    return home, os.path.join(home, "history.db")


def steps(driver, file, *todo):
    said = driver.once("history", file, json.dumps(todo))
    if isinstance(said, dict):
        raise ValueError(f"{driver.name} history: {said}")
    return said


def seconds(rows):
    """Quire prints times as RFC 3339, oh-my-pi as seconds since 1970."""
    for row in rows:
        row["created_at"] = int(datetime.fromisoformat(row["created_at"].replace("Z", "+00:00")).timestamp())
    return rows


def ls(quire, home, *more):
    return seconds(quire.lines("history", "ls", "--json", "-n", "1000", *more, home=home))


def search(quire, home, query):
    return seconds(quire.lines("history", "search", "--json", "-n", "1000", "--", query, home=home, fine=(0, 1)))


def tables(file):
    """The schema and its marks, and whether the index of words is right."""
    db = sqlite3.connect(file)
    try:
        db.execute("INSERT INTO history_fts(history_fts) VALUES('integrity-check')")
        marks = [db.execute(f"PRAGMA {p}").fetchone()[0] for p in ("user_version", "application_id", "journal_mode", "page_size", "auto_vacuum")]
        return marks, sorted(row[0] or "" for row in db.execute("SELECT sql FROM sqlite_schema"))
    finally:
        db.rollback()
        db.close()


def ask(driver, file):
    """Everything a program says of a file."""
    todo = [["recent", 1000]] + [["search", query, 1000] for query in QUERIES]
    said = steps(driver, file, *todo)
    return {"recent": said[0], "found": dict(zip(QUERIES, said[1:]))}


def agree(checks, quire, home, said, name):
    """Quire finds the same, in the same order; of 13, which looks at the beginnings of
    words alone, all that it finds."""
    checks.same(ls(quire, home), said["recent"], f"the history of {name} is listed as it lists it")
    for query, want in said["found"].items():
        got = search(quire, home, query)
        if name == "omp13":
            got = [row for row in got if row in want]
        checks.same(got, want, f"{query!r} finds what {name} finds")


def record(put, report, drivers, work):
    """tests/data/interop/history: a file each of 13 and 18, and what they say of it."""
    for name in PROGRAMS:
        home, file = home_of(work, name)
        todo = [["add", p, f"/srv/{i % 3}" if i % 4 else None, f"session-{i % 2}"] for i, p in enumerate(PROMPTS)]
        steps(drivers[name], file, *todo)
        put(f"history/{name}.json", report(ask(drivers[name], file)))
        db = sqlite3.connect(file)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        put(f"history/{name}.db", bytes_of(file))


def replay(checks, quire, data, work):
    """Against what was recorded; the files are copied, for some is added."""
    for name in PROGRAMS:
        home, file = home_of(work, f"{name}-replayed")
        shutil.copy(os.path.join(data, "history", f"{name}.db"), file)
        with open(os.path.join(data, "history", f"{name}.json")) as f:
            said = json.load(f)
        agree(checks, quire, home, said, name)
        checks.ok(bytes_of(file) == bytes_of(os.path.join(data, "history", f"{name}.db")), f"reading the history of {name} writes nothing")
        checks.same(sorted(os.listdir(home)), ["history.db"], f"reading the history of {name} leaves nothing")
        signs(checks, quire, home, name)
        before = tables(file)
        count = len(ls(quire, home))
        (new,) = quire.lines("history", "add", "--json", "a new prompt", home=home)
        (again,) = quire.lines("history", "add", "--json", "fix the build", home=home)
        rows = ls(quire, home)
        old = [row["id"] for row in said["recent"] if row["prompt"] == "fix the build"]
        if name == "omp18":
            checks.same([again["id"]], old, "a prompt that omp18 has keeps its id")
        else:
            checks.ok(again["id"] not in old, "a prompt that omp13 has gets another row, as it does itself", old)
        checks.same(len(rows), count + (1 if name == "omp18" else 2), f"what is added to the history of {name} is there")
        checks.same(sorted(row["id"] for row in rows[:2]), sorted([new["id"], again["id"]]), f"what is added to the history of {name} is the newest")
        checks.same([row["id"] for row in search(quire, home, "new prom")], [new["id"]], f"what is added to the history of {name} is found")
        checks.same(list(tables(file)), list(before), f"the tables of {name} are as they were, and their index is right")


def signs(checks, quire, home, name):
    for sign in SIGNS:
        want = [row["id"] for row in ls(quire, home) if sign in row["prompt"]]
        got = search(quire, home, sign) if sign.strip() else []
        checks.ok(not sign.strip() or [row["id"] for row in got] == want, f"{sign!r} is found in the history of {name}", got)


def together(checks, quire, driver, work):
    """Turn by turn in one file, begun by either."""
    for beginner in ("quire", driver.name) if driver.name == "omp18" else (driver.name,):
        home, file = home_of(work, f"{driver.name}-begun-by-{beginner}")
        if beginner != "quire":
            steps(driver, file, ["add", "begun", "/srv/0", None])
        else:
            quire.lines("history", "add", "begun", home=home)
        before = tables(file)
        for i in range(0, len(PROMPTS), 3):
            steps(driver, file, *[["add", p, f"/srv/{i}", f"s{i}"] for p in PROMPTS[i : i + 2]])
            for prompt in PROMPTS[i + 1 : i + 3]:
                quire.lines("history", "add", "--cwd", f"/srv/{i}", "-", home=home, stdin=prompt.encode())
        agree(checks, quire, home, ask(driver, file), driver.name)
        checks.same(list(tables(file)), list(before), f"a history begun by {beginner}, used by {driver.name} and quire, keeps its tables")


def alike(checks, quire, driver, work):
    """The same prompts into two files: the same rows."""
    home, file = home_of(work, "theirs")
    steps(driver, file, *[["add", p, "/srv", None] for p in PROMPTS])
    ours, mine = home_of(work, "ours")
    for prompt in PROMPTS:
        quire.lines("history", "add", "--cwd", "/srv", "-", home=ours, stdin=prompt.encode())

    def rows(home):
        return sorted([row["id"], row["prompt"], row["cwd"]] for row in ls(quire, home))

    checks.same(rows(ours), rows(home), "quire keeps of every prompt what omp18 keeps")
    checks.same(tables(mine)[0], tables(file)[0], "a history that quire makes has the marks of omp18's")


def converted(checks, quire, old, new, work):
    """A file of 13 with rows of Quire's, converted by 18 when it opens it."""
    home, file = home_of(work, "converted")
    steps(old, file, ["add", "by 13", "/srv", None])
    for prompt in ("by quire", "by 13", "by quire"):
        quire.lines("history", "add", "--cwd", "/srv", prompt, home=home)
    steps(new, file, ["add", "by 18", "/srv", "s"])
    checks.same(sorted(row["prompt"] for row in ls(quire, home)), ["by 13", "by 18", "by quire"], "omp18 converts a history of omp13 that quire has written to")
    agree(checks, quire, home, ask(new, file), "omp18")


def live(checks, quire, drivers, work):
    for name in PROGRAMS:
        together(checks, quire, drivers[name], work)
    alike(checks, quire, drivers["omp18"], work)
    converted(checks, quire, drivers["omp13"], drivers["omp18"], work)
