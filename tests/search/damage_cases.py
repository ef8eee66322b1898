"""Damage of what is searched, or of the index, and remains of older versions."""
import os
import shutil
import sqlite3
import subprocess

from home import entry


def index_files(home):
    """Name and identity of each file of the index but those beside databases."""
    found = {}
    for top, _, names in os.walk(os.path.join(home.path, "search")):
        for name in names:
            if not name.endswith(("-shm", "-wal", "-mark")):
                path = os.path.join(top, name)
                found[path] = os.stat(path).st_ino
    return found


def filled(homes):
    home = homes.new()
    for n in range(20):
        home.run("memory", "add", "--type", "project", "--title",
                 "dhole%d" % n, "--content", "a kudu")
    home.write_session(1, "sessions", [
        entry(n, {"role": "user", "content": "an okapi"}) for n in range(9)])
    home.run("reindex")
    return home


def destroy_table(path, table):
    """Overwrite the first page of a table."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    [(page,)] = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?",
                           (table,))
    [(size,)] = db.execute("PRAGMA page_size")
    db.close()
    with open(path, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def search_fails(home, *args):
    done = subprocess.run(home.command("search", *args), capture_output=True,
                          env=home.environment(), timeout=60)
    return done.returncode, done.stderr.decode()


def damage_of_the_catalogue_is_reported_and_the_index_stays(homes):
    for table in ["memory", "change_log"]:
        home = filled(homes)
        before = index_files(home)
        assert len(before) >= 6, before
        destroy_table(os.path.join(home.path, "quire.db"), table)
        code, said = search_fails(home, "kudu")
        assert code == 4, "%s: exit %d: %s" % (table, code, said)
        assert "quire.db is damaged" in said and "hint" in said, said
        assert index_files(home) == before, "%s: the index was rebuilt" % table


def damage_of_the_index_is_repaired(homes):
    for name in ["search.db", "segments/0000000000000001.index"]:
        home = filled(homes)
        path = os.path.join(home.path, "search", "rows", name)
        with open(path, "r+b") as file:
            file.seek(0)
            file.write(b"\xff" * os.path.getsize(path))
        assert len(home.search("--flat", "kudu")) == 20, name


def a_collection_removes_a_damaged_index_with_deleted_words(homes):
    home = filled(homes)
    path = os.path.join(home.path, "search", "rows", "segments",
                        "0000000000000001.postings")
    with open(path, "r+b") as file:
        file.truncate(10)
    home.run("memory", "rm", "3")
    home.run("gc", "--grace", "0", "-y")
    for name in index_files(home):
        with open(name, "rb") as file:
            assert b"dhole2" not in file.read(), name
    assert len(home.search("--flat", "kudu")) == 19


def a_link_in_the_place_of_a_file_is_not_followed(homes):
    for name in ["search.db", "segments/0000000000000001.index",
                 "segments/0000000000000001.postings", "segments"]:
        home = filled(homes)
        path = os.path.join(home.path, "search", "rows", name)
        away = os.path.join(home.path, "away")
        os.rename(path, away)
        os.symlink(away, path)
        kept = (sorted(os.listdir(away)) if os.path.isdir(away)
                else open(away, "rb").read())
        search_fails(home, "kudu")
        home.run("gc", accept=(0, 1, 3, 4))
        home.run("reindex", accept=(0, 1, 3, 4))
        now = (sorted(os.listdir(away)) if os.path.isdir(away)
               else open(away, "rb").read())
        assert now == kept, "%s was followed" % name


def files_of_the_layout_with_one_index_are_removed(homes):
    home = filled(homes)
    top = os.path.join(home.path, "search")
    shutil.copytree(os.path.join(top, "files", "segments"),
                    os.path.join(top, "segments"))
    for name in ["search.db", "search.db-wal"]:
        with open(os.path.join(top, name), "w", encoding="utf-8") as file:
            file.write("old")
    assert len(home.search("--flat", "kudu")) == 20
    assert sorted(os.listdir(top)) == ["files", "rows"], os.listdir(top)


CASES = [a_collection_removes_a_damaged_index_with_deleted_words,
         damage_of_the_catalogue_is_reported_and_the_index_stays,
         damage_of_the_index_is_repaired,
         a_link_in_the_place_of_a_file_is_not_followed,
         files_of_the_layout_with_one_index_are_removed]
