"""What replay, live and record share: running Quire and the programs, and saying
what must be equal."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(ROOT, "tests", "data", "interop")
PROGRAMS = ("omp13", "omp18", "pi")


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


class Checks:
    """One line a check, in the words of what should be so."""

    def __init__(self):
        self.passed = self.failed = 0

    def ok(self, good, sentence, detail=""):
        if good:
            self.passed += 1
            print(f"ok - {sentence}")
        else:
            self.failed += 1
            print(f"not ok - {sentence}")
            for line in str(detail).splitlines()[:12]:
                print(f"#   {line[:300]}")
        sys.stdout.flush()
        return good

    def same(self, got, want, sentence):
        return self.ok(same(got, want), sentence, difference(got, want))

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def same(a, b):
    """Equal as JSON values. A number is a double, as in the programs: Quire keeps
    the spelling of a larger one, they cannot."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return float(a) == float(b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


def difference(got, want, path="$"):
    """The first place where two values differ."""
    if same(got, want):
        return ""
    if isinstance(got, dict) and isinstance(want, dict):
        for k in list(got) + [k for k in want if k not in got]:
            if k not in want:
                return f"{path}.{k}: not expected: {short(got[k])}"
            if k not in got:
                return f"{path}.{k}: missing, expected {short(want[k])}"
            if not same(got[k], want[k]):
                return difference(got[k], want[k], f"{path}.{k}")
    if isinstance(got, list) and isinstance(want, list):
        for i, (g, w) in enumerate(zip(got, want)):
            if not same(g, w):
                return difference(g, w, f"{path}[{i}]")
        return f"{path}: {len(got)} elements, expected {len(want)}"
    return f"{path}: got      {short(got)}\n{path}: expected {short(want)}"


def short(value):
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 160 else f"{text[:100]} … {text[-50:]} ({len(text)} characters)"


class Quire:
    def __init__(self, scratch):
        self.binary = os.path.abspath(os.environ.get("QUIRE", os.path.join(ROOT, "build", "quire")))
        self.scratch = scratch
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("QUIRE")}
        self.env.update(HOME=os.path.join(scratch, "quire-user"), LC_ALL="C.UTF-8")
        os.makedirs(self.env["HOME"], exist_ok=True)

    def able(self):
        try:
            return self.run("help", "session").returncode == 0
        except OSError:
            return False

    def run(self, *args, home=None, stdin=b"", timeout=60):
        command = [self.binary] + (["--home", home] if home else []) + list(args)
        return subprocess.run(command, input=stdin, capture_output=True, env=self.env, timeout=timeout)

    # Damage is told by the exit, and by no less output.
    def lines(self, *args, home=None, stdin=b"", fine=(0, 4)):
        """The JSON lines a command prints. Invalid UTF-8 reads as the programs read it."""
        done = self.run(*args, home=home, stdin=stdin)
        if done.returncode not in fine:
            raise Failed(f"quire {' '.join(args)}: exit {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        return [json.loads(line) for line in done.stdout.decode(errors="replace").split("\n") if line.strip()]

    # A file anywhere is a session. The home tells where its blobs are.
    def show(self, file, home=None):
        return self.lines("session", "show", file, "--json", "--hydrate", home=home)

    def raw(self, file, home=None):
        return self.lines("session", "show", file, "--json", home=home)

    def tree(self, file, home=None):
        return self.lines("session", "tree", file, "--json", home=home)

    def context(self, file, leaf=None, home=None):
        args = ["session", "context", file] + (["--leaf", leaf] if leaf else [])
        (value,) = self.lines(*args, home=home)
        if '"blob:sha256:' in json.dumps(value):
            (value,) = self.lines(*args, "--hydrate", home=home)
        return value


class Failed(Exception):
    pass


class Driver:
    """A program, answering commands through its driver."""

    def __init__(self, name, scratch):
        base = os.path.abspath(os.environ.get("INTEROP_DIR", os.path.join(ROOT, "build", "interop")))
        self.name = name
        self.home = os.path.join(scratch, f"home-{name}")
        os.makedirs(self.home, exist_ok=True)
        env = {"PATH": os.environ["PATH"], "HOME": self.home, "TMPDIR": scratch, "LC_ALL": "C.UTF-8"}
        self.env = dict(env, INTEROP_PKG=os.path.join(base, name))
        runner = "node" if name == "pi" else os.path.join(base, "bun", "node_modules", ".bin", "bun")
        self.command = [runner, os.path.join(HERE, "drivers", f"{name}.mjs")]
        self.process = None

    @property
    def agent(self):
        """The home as Quire is to open it."""
        return os.path.join(self.home, ".pi" if self.name == "pi" else ".omp", "agent")

    def call(self, *args):
        if not self.process:
            self.process = subprocess.Popen(
                self.command + ["batch"], env=self.env, cwd=self.home,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
        self.process.stdin.write(json.dumps(args).encode() + b"\n")
        self.process.stdin.flush()
        line = self.answer()
        answer = json.loads(line)
        if isinstance(answer, dict) and "error" in answer:
            raise Failed(f"{self.name} {args[0]}: {answer['error']}")
        return answer

    def answer(self, seconds=60):
        watch = threading.Timer(seconds, self.process.kill)
        watch.start()
        line = self.process.stdout.readline()
        watch.cancel()
        if not line:
            self.process = None
            raise Failed(f"{self.name} gives no answer")
        return line

    def once(self, *args, timeout=20):
        """In a process of its own, for what may never end."""
        try:
            done = subprocess.run(self.command + list(args), env=self.env, cwd=self.home, capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return {"hangs": True}
        if done.returncode:
            found = re.search(rb"[A-Za-z]*Error: .*", done.stderr)
            return {"fails": (found.group(0) if found else done.stderr[-300:]).decode(errors="replace").strip()}
        return json.loads(done.stdout)

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(timeout=20)


def document_context(context, program):
    """A program's context in the shape of the document. Left out, because the
    document does not know them: service tiers, tool selections, the configured
    level beside the one in force."""
    if program == "pi":
        # pi has one model, and takes it from every assistant message; the scenarios
        # see to it that the last one agrees with the last explicit choice.
        model = context["model"]
        models = {"default": f"{model['provider']}/{model['modelId']}"} if model else {}
        return {"messages": context["messages"], "thinkingLevel": context["thinkingLevel"], "models": models}
    keep = ("messages", "thinkingLevel", "models", "injectedTtsrRules", "mode", "modeData")
    return {k: context[k] for k in keep if k in context}


def quire_context(context, program):
    """What of Quire's context a program can be asked about."""
    keep = ("messages", "thinkingLevel", "models")
    if program != "pi":
        keep += ("injectedTtsrRules", "mode", "modeData")
    context = {k: context[k] for k in keep if k in context and not (k == "modeData" and context[k] is None)}
    if program == "pi":
        # pi has no attribution, no short summaries, and one model.
        drop = {"custom": "attribution", "compactionSummary": "shortSummary"}
        context["messages"] = [
            {k: v for k, v in m.items() if drop.get(m.get("role")) != k} for m in context["messages"]
        ]
        context["models"] = {k: v for k, v in context["models"].items() if k == "default"}
    return context


def number_ids(report):
    """The same report with every id replaced by its place, for ids made at load."""
    ids = {e["id"]: f"#{i}" for i, e in enumerate(report["entries"])}

    def walk(value, key=None):
        if isinstance(value, dict):
            return {k: walk(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [walk(v) for v in value]
        if key in ("id", "parentId", "firstKeptEntryId", "targetId", "leaf", "fromId") and isinstance(value, str):
            return ids.get(value, value)
        return value

    report = walk(report)
    for key in ("labels", "tips"):
        if key in report:
            report[key] = {ids.get(k, k): v for k, v in report[key].items()}
    return report


def quire_report(quire, file, home=None):
    """Quire's answer in the shape of a driver's `load`."""
    tree = quire.tree(file, home)
    leaves = [row["id"] for row in tree if row.get("leaf")]
    return {
        "entries": quire.show(file, home),
        "leaf": leaves[0] if leaves else None,
        "leaves": len(leaves),
        "labels": {row["id"]: row["label"] for row in tree if row.get("label")},
        "tree": [(row["id"], row["parentId"]) for row in tree],
        "context": quire.context(file, home=home),
    }


def agree(checks, quire, file, report, program, what, home=None, numbered=False, tips=True):
    """Everything Quire says of a file against what a program said."""
    try:
        mine = quire_report(quire, file, home)
    except (Failed, subprocess.TimeoutExpired, ValueError) as error:
        checks.ok(False, f"quire reads {what}", error)
        return
    if numbered:
        mine = number_ids(mine)
        report = number_ids(report)
    checks.same(mine["entries"], report["entries"], f"the entries of {what}")
    checks.same(mine["leaf"], report["leaf"], f"the leaf of {what}")
    checks.same(mine["labels"], report["labels"], f"the labels of {what}")
    parents = {e["id"]: e["parentId"] for e in report["entries"]}
    if not numbered:
        checks.same(dict(mine["tree"]), parents, f"the tree of {what}")
    seen = set()
    early = [i for i, p in mine["tree"] if seen.add(i) or (p in parents and p not in seen)]
    checks.ok(not early and len(mine["tree"]) == len(parents), f"the tree of {what} names each entry once, parents first", early)
    got = quire_context(mine["context"], program)
    want = document_context(report["context"], program)
    checks.same(got, want, f"the context of {what}")
    if program != "pi" and same(got["messages"], want["messages"]):
        checks.ok(
            json.dumps(got["messages"]) == json.dumps(want["messages"]) or not plain(want["messages"]),
            f"the messages of {what} have their fields in the same order",
            keys_of(got["messages"]) + "\n" + keys_of(want["messages"]),
        )
    if not tips or numbered:
        return
    for leaf, context in report.get("tips", {}).items():
        try:
            got = quire_context(quire.context(file, leaf, home), program)
            checks.same(got, document_context(context, program), f"the context of {what} at {leaf}")
        except (Failed, ValueError) as error:
            checks.ok(False, f"the context of {what} at {leaf}", error)


def plain(messages):
    """Whether the text of these messages is the same text for every writer of JSON."""
    return not re.search(r"\d[eE.]", json.dumps(messages))


def keys_of(messages):
    return "; ".join(",".join(m) for m in messages)


def scratch():
    return tempfile.mkdtemp(prefix="quire-interop-")


def home_of(directory, target):
    """A home as oh-my-pi lays it out, with the blobs recorded beside a file."""
    os.makedirs(os.path.join(target, "sessions"), exist_ok=True)
    blobs = os.path.join(directory, "blobs")
    if os.path.isdir(blobs):
        shutil.copytree(blobs, os.path.join(target, "blobs"), dirs_exist_ok=True)
    else:
        os.makedirs(os.path.join(target, "blobs"), exist_ok=True)
    return target
