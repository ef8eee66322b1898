"""Homes for the cases: sessions written as files, searches run as processes."""
import concurrent.futures
import glob
import json
import os
import re
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TIMEOUT_S = 60


class Skip(Exception):
    """Raised by a case that cannot run here."""


def at_once(function, arguments):
    """The results of several calls that mostly wait for a process."""
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        return list(pool.map(function, arguments))


def entry(number, message):
    """An entry with an id of its own; the one before it is its parent."""
    return {"type": "message", "id": "%08x" % number,
            "parentId": "%08x" % (number - 1) if number % 100 else None,
            "timestamp": "2026-02-16T10:%02d:%02d.000Z" % (
                number // 60 % 60, number % 60),
            "message": message}


class Home:
    def __init__(self, program, path):
        self.program, self.path = program, path
        self.run("session", "new", "--title", "empty")

    def command(self, *args):
        return [self.program, "--home", self.path, *args]

    def environment(self):
        env = {k: v for k, v in os.environ.items() if not k.startswith("QUIRE")}
        env["HOME"] = self.path
        return env

    def start(self, *args):
        return subprocess.Popen(self.command(*args), env=self.environment(),
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def run(self, *args, stdin="", accept=(0,)):
        done = subprocess.run(self.command(*args), input=stdin.encode(),
                              env=self.environment(), capture_output=True,
                              timeout=TIMEOUT_S)
        assert done.returncode in accept, "%s exits with %d: %s" % (
            " ".join(args), done.returncode, done.stderr.decode()[:500])
        return done.stdout.decode()

    def search(self, *args):
        """The hits, best first; no hit is no error."""
        text = self.run("search", "--json", *args, accept=(0, 1))
        lines = [json.loads(line) for line in text.splitlines()]
        return [line for line in lines if "address" in line]

    def write_session(self, number, title, entries, folder="--x--"):
        """Write a session's file; return its id."""
        name = "%016x" % number
        at = "2026-02-16T10-00-00-000Z"
        directory = os.path.join(self.path, "sessions", folder)
        os.makedirs(directory, exist_ok=True)
        header = {"type": "session", "version": 3, "id": name,
                  "timestamp": "2026-02-16T10:00:00.000Z", "cwd": "/x",
                  "title": title}
        with open("%s/%s_%s.jsonl" % (directory, at, name), "w",
                  encoding="utf-8") as file:
            for line in [header] + entries:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return name


class Homes:
    """Creates homes; keeps those that several cases share."""

    def __init__(self, program, work):
        self.program, self.work = program, work
        self.shared, self.made = {}, 0

    def new(self):
        self.made += 1
        return Home(self.program, os.path.join(self.work, str(self.made)))

    def share(self, make):
        if make not in self.shared:
            self.shared[make] = make(self)
        return self.shared[make]


def read_files(pattern):
    """Name and text of files of the repository, sorted by name."""
    for path in sorted(glob.glob(os.path.join(TOP, pattern), recursive=True)):
        with open(path, encoding="utf-8") as file:
            yield os.path.relpath(path, TOP), file.read()


def sections(pattern):
    """Name, heading and text of the sections of Markdown files: a section is
    "serving.md#Tokens"."""
    for path, text in read_files(pattern):
        shown = re.sub(r"```.*?```", lambda m: m.group().replace("\n#", "\n\0"),
                       text, flags=re.S)
        for part in re.split(r"^(?=#+ )", shown, flags=re.M):
            heading, _, body = part.replace("\0", "#").partition("\n")
            heading = heading.lstrip("# ")
            if heading:
                yield ("%s#%s" % (os.path.basename(path), heading), heading,
                       body.strip())
