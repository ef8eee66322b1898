"""Outputs beside oh-my-pi 18: texts through both sinks, files of one read by the
other, values taken out of reports. live asks the program, record keeps what it said
in tests/data/interop/outputs, replay compares with that."""

import hashlib
import json
import os
import re
import shutil
import urllib.parse

from interop import bytes_of


class Text:
    def __init__(self, text, threshold=51200, head=0, columns=0, apart=()):
        self.text, self.options = text, {"threshold": threshold, "head": head, "columns": columns}
        self.apart = apart  # what is meant to differ


def seq(n):
    return "".join(f"{i}\n" for i in range(1, n + 1))


ESC = "\x1b"
WIDE = "".join(f"{i} " + "x" * (i * 37 % 1500) + "\n" for i in range(300))
MIXED = "".join(f"Zeile {i}: größer 数字 🎈 {'=' * (i % 50)}\n" for i in range(3000))
# Meant to differ: a capped column counts as truncated.
CAPPED = ("truncated",)

# Left out, because they are meant to differ: sequences that do not end, a newline in
# a sequence that is a string, columns that drop three bytes or less, a head that ends
# within a character, a head together with columns (18 forgets the bytes of each `…`,
# and may leave out lines without saying so).
TEXTS = {
    "nothing": Text(""),
    "a word": Text("word"),
    "a line": Text("line\n"),
    "a newline": Text("\n"),
    "newlines": Text("\n\n\n"),
    "lines without an end": Text("a\nb\nc"),
    "tabs": Text("a\tb\n\tc"),
    "as much as fits": Text("x" * 51200),
    "a byte more than fits": Text("x" * 51201),
    "lines that fit": Text(seq(9000)),
    "lines that do not fit": Text(seq(20000)),
    "a long text": Text(seq(150000)),
    "a long line": Text("0123456789" * 30000),
    "a long line and a short one": Text("0123456789" * 30000 + "\nend"),
    "CRLF": Text("one\r\ntwo\r\n\r\nthree"),
    "CR": Text("10%\r20%\r30%\rdone\n"),
    "CR and CRLF": Text("a\r\r\nb\n\r\rc"),
    "a CR at the end": Text("a\rb\r"),
    "a CRLF at the end": Text("a\r\nb\r\n"),
    "only CR": Text("\r"),
    "CRLF that does not fit": Text("line\r\n" * 20000),
    "colours": Text(f"{ESC}[1;31mred{ESC}[0m {ESC}[38;5;208morange{ESC}[m {ESC}[48;2;1;2;3mtrue{ESC}[49m\n"),
    "cursor movements": Text(f"a{ESC}[2K{ESC}[1Gb{ESC}[Hc{ESC}[10;20Hd{ESC}[?25le{ESC}[?25h"),
    "titles and links": Text(f"{ESC}]0;title\x07a {ESC}]8;;http://x/y\x07link{ESC}]8;;\x07 {ESC}]2;t{ESC}\\b"),
    "links ended by ST": Text(f"{ESC}]8;;http://x/y{ESC}\\link{ESC}]8;;{ESC}\\ after"),
    "sequences of two": Text(f"a{ESC}7b{ESC}8c{ESC}=d{ESC}>e{ESC}Mf{ESC}cg"),
    "character sets": Text(f"a{ESC}(Bb{ESC})0c"),
    "device strings": Text(f"a{ESC}P1$r0m{ESC}\\b{ESC}_app{ESC}\\c{ESC}^pm{ESC}\\d"),
    "colours that do not fit": Text(f"{ESC}[32mgreen{ESC}[0m plain\n" * 5000),
    "control characters": Text("a\x00b\x01c\x07d\x08e\x0bf\x0cg\x0eh\x1fi\x7fj\n"),
    "C1": Text("a\u0080b\u0085c\u0090d\u009ae\u009ff\u00a0g"),
    "C1 sequences": Text("a\u009b1;31mb\u009d0;title\u009cc\u0090q1\u009cd\u009d0;title\x07e"),
    "nothing but colours": Text(f"{ESC}[31m{ESC}[0m"),
    "letters": Text("Grüße, 你好, שלום, 🎈👩‍👩‍👧, e\u0301, \u2028 \u2029 \ufeff \ufffd \U0010ffff"),
    "letters that do not fit": Text("数字" * 20000),
    "balloons that do not fit": Text("a" + "🎈" * 20000),
    "a mixed text": Text(MIXED),
    "a threshold within a letter": Text("ab€cd€ef", threshold=4),
    "a threshold of one": Text("abc\n", threshold=1),
    "a head": Text(seq(20000), head=20480),
    "a head of what fits": Text(seq(100), head=20480),
    "a head of exactly what fits": Text("x" * 51199 + "\n", head=20480),
    "a head of a byte too many": Text("x" * 51200 + "\n", head=20480),
    "a head of more than half": Text(seq(500), threshold=100, head=90),
    "a head of an odd threshold": Text(seq(500), threshold=101, head=90),
    "a head at a newline": Text("aaaa\n" + "b" * 50 + "\ncccc\n", threshold=12, head=5),
    "a head before a newline": Text("aaaa\n" + "b" * 50 + "\ncccc\n", threshold=12, head=4),
    "a head and a tail that begins with a newline": Text("aaaa" + "b" * 50 + "\nccccc", threshold=12, head=6),
    "a head of a single line": Text("x" * 200000, head=20480),
    "a head, and one line is missing": Text("aaaa\nbbbbbbbb\ncccc", threshold=10, head=5),
    "a head, and two lines are missing": Text("aaaa\nbbb\nbbb\nbbb\ncccc", threshold=10, head=5),
    "a head of letters": Text(MIXED, threshold=3000, head=1000),
    "columns": Text(WIDE, columns=768, threshold=1000000, apart=CAPPED),
    "columns that are enough": Text(seq(100), columns=768),
    "columns and an end": Text(WIDE, columns=768, apart=CAPPED),
    "columns within letters": Text("größer als 数字 🎈🎈🎈🎈🎈🎈\nkurz\n", columns=20, apart=CAPPED),
    "columns and CRLF": Text("0123456789abcdefghij\r\nkurz\r\n", columns=10, apart=CAPPED),
    "columns and colours": Text(f"{ESC}[31m0123456789{ESC}[0m\n{ESC}[31m0123456789abcdefg{ESC}[0m\n", columns=10, apart=CAPPED),
    "columns and a last line": Text("kurz\n0123456789abcdefghij", columns=10, apart=CAPPED),
    "columns and a head that fits": Text(WIDE[:9000], columns=768, head=4000, apart=CAPPED),
}

# Reports in one directory, by file name.
REPORTS = {
    # JavaScript puts a key that is a number first.
    "0-Scout.md": json.dumps({
        "0": "zero",
        "a": {"b": [1, [2, 3], {"c": "deep", "d-e": True}], "f": None},
        "list": ["x", "y", {"z": 0}],
        "s": "two\nlines \"quoted\" ünï",
        "empty": "", "no": None, "yes": True, "not": False, "n": -12, "x": 1.5,
        "o": {}, "l": [], "a b": 1, "a.b": 2, "a'b": 3, 'a"b': 4, "a\\b": 5, "a/b": 6, "ü": 7, "1x": 8, "-": 9, "_": 10,
        "a]b": 11, " pad ": 12, "": 13, "length": 14, "a+b": 15, "a%b": 16, "A": 17,
    }, ensure_ascii=False, indent=1),
    "1-List.md": '[{"k": "v"}, [1, 2, [3]], "str", null, 5]\n',
    "2-Text.md": "A report\n\nin two parts, ünï.\n",
    "3-Word.md": '"only a string"',
    "4-Number.md": "42",
    "5-Side.md": "prose\n",
    "5-Side.json": '{"k": {"from": "sidecar"}, "list": [1]}',
    "6-Broken.md": '{"k": "report"}',
    "6-Broken.json": '{"k": "side',
    "7-Mark.md": '\ufeff{"k": "behind a mark"}',
    "8-Twice.md": '{"k": 1, "k": 2, "o": {"x": 1}, "o": {"y": 2}}',
    "9-Space.md": ' \r\n\t{"k": 1, "__proto__": {"z": 1}, "a": {"constructor": 5}}\r\n ',
    "0-Scout.0-Kid.md": '{"of": "kid"}',
    "0-Scout.0-Kid.1-Grandkid.md": "grandkid\n",
    "0-Scout.list.md": "hides the value\n",
    "Plain.md": "no index\n",
}


def q(text):
    return "agent://0-Scout?q=" + urllib.parse.quote(text, safe="")


QUERIES = [
    ".a", "a", ".a.b", "a.b", ".a.b[0]", ".a.b[1][0]", ".a.b[2].c", ".a.b[2].d-e", ".a.b[9]", ".a.f", ".a.f.g", ".a.f[0]", "..a..b", ".a.",
    ".", "..", "[a]", "['a']", '["a"]', "['a']['b'][2]['c']", "[a][b][2][c]", ".s", ".s[0]", ".s.length", ".empty", ".no", ".yes", ".not",
    ".n", ".x", ".o", ".l", ".l[0]", ".o.x", ".l.length", ".length", ".a.b.length", ".a.b.0", ".a.b.1.0", ".list.2.z", ".list.02",
    "['a b']", "[a b]", "['a.b']", "[a.b]", ".a.b.c", r"['a\'b']", '["a\'b"]', r'["a\"b"]', "['a\"b']", r"['a\\b']", "['a/b']", "[ü]", "['ü']",
    "['0']", "[0]", ".0", ".1x", "[1x]", ".-", "._", "[ 'a' ]", "[ a ]", " .a.b[0] ", "[' pad ']", "['']", "['a+b']", "['a%b']", ".A",
    ".a[b", ".a[]", ".a[ ]", ".a b", ".a|b", "$.a", ".a[*]", ".a[-1]", ".a.b[0:1]", ".a.b[-1]", ".ü", "'a'", ".a.b[1.5]", "['a", "['a'", "['a]b']", "['a\"]",
    ".nothing", ".nothing.more[3]", ".a.b[99999999999]", ".list[1]", "list", ".yes.no", ".n.x", ".a.b[00]", ".a.b[01]", ".a..b[0]...", "[a].b[0]",
]
ADDRESSES = [q(text) for text in QUERIES] + [
    "agent://0-Scout/a/b/2/c", "agent://0-Scout/a/b", "agent://0-Scout/a/b/", "agent://0-Scout/a//b", "agent://0-Scout//a/b/1/0",
    "agent://0-Scout/a%20b", "agent://0-Scout/a.b", "agent://0-Scout/a%27b", "agent://0-Scout/a%22b", "agent://0-Scout/a%5Cb", "agent://0-Scout/a%2Fb",
    "agent://0-Scout/%C3%BC", "agent://0-Scout/ü", "agent://0-Scout/0", "agent://0-Scout/1x", "agent://0-Scout/a/b/00", "agent://0-Scout/a/b/01",
    "agent://0-Scout/a/b/length", "agent://0-Scout/s", "agent://0-Scout/s/0", "agent://0-Scout/nothing", "agent://0-Scout/a+b", "agent://0-Scout/a%25b",
    "agent://0-Scout/list", "agent://0-Scout/list/0", "agent://0-Scout?q=list", "agent://0-Scout/0-Kid", "agent://0-Scout/0-Kid/of", "agent://0-Scout/0-Kid/1-Grandkid",
    "agent://0-Scout.0-Kid", "agent://0-Scout.0-Kid/of", "agent://0-Scout.0-Kid?q=of", "agent://0-Scout.0-Kid/1-Grandkid", "agent://0-Scout/0-Kid.1-Grandkid",
    "agent://0-Scout/a?q=.b", "agent://0-Scout/a?q=", "agent://0-Scout/?q=.yes", "agent://0-Scout?q=", "agent://0-Scout?q=.yes&x=1", "agent://0-Scout?x=1&q=.yes",
    "agent://0-Scout?q=['a b']", "agent://0-Scout?q=['a+b']", "agent://0-Scout?q=.a.b[0]#part",
    "agent://0-Scout", "agent://0-Scout/", "agent://0%2DScout", "agent://0-scout", "agent://Plain", "agent://plain", "agent://Nobody", "agent://Nobody/x", "agent://Nobody?q=x",
    "agent://1-List/0", "agent://1-List/0/k", "agent://1-List/1/2/0", "agent://1-List/3", "agent://1-List?q=[1][0]", "agent://1-List?q=.length", "agent://1-List/k",
    "agent://2-Text", "agent://2-Text/x", "agent://2-Text?q=x", "agent://3-Word/x", "agent://3-Word?q=.", "agent://3-Word?q=.length", "agent://4-Number?q=.", "agent://4-Number/x",
    "agent://5-Side", "agent://5-Side/k", "agent://5-Side/k/from", "agent://5-Side?q=list[0]", "agent://6-Broken", "agent://6-Broken/k", "agent://6-Broken?q=.",
    "agent://7-Mark/k", "agent://8-Twice/k", "agent://8-Twice/o/x", "agent://8-Twice/o/y", "agent://9-Space/k", "agent://9-Space/__proto__/z", "agent://9-Space/a/constructor",
    "agent://9-Space/toString", "agent://",
]

# Outputs of tools as they may lie there, and what to ask for.
LOGS = {"0.bash.log": "zero\n", "1.read.log": "one", "2.mcp__x.log": "", "7.notes.txt": "seven\n", "10.bash.log": "ten\n", "x.log": "no number\n"}
NUMBERS = [
    "artifact://0", "artifact://1", "artifact://2", "artifact://7", "artifact://10", "artifact://00", "artifact://3", "artifact://99", "artifact://x",
    "artifact://", "artifact://0/some/path", "artifact://0?q=1", "artifact://0#x", "artifact://-1", "artifact://1.read", "artifact://%30",
]
TOOLS = ["bash", "../../etc", "a b", "mcp/x.y", "", "___", "ünï", "x" * 200, "a" * 63 + "/b", ".", "a--b__c", "_a_"]


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def brief(said, whole):
    """What a sink said, short enough to keep."""
    keep = ("output", "truncated", "totalLines", "totalBytes", "outputLines", "outputBytes", "elidedLines", "elidedBytes", "columnTruncatedLines", "columnDroppedBytes")
    row = {k: said[k] for k in keep if said.get(k) is not None}
    if len(row["output"]) > 200:
        row["output"] = f"{row['output'][:40]} {sha(row['output'])}"
    row["whole"] = None if whole is None else f"{len(whole.encode())} {sha(whole)}"
    return row


def lay(directory, files):
    os.makedirs(directory, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)


def ask(driver, work):
    """Everything the program says, in the shape that is kept."""
    os.makedirs(work, exist_ok=True)
    said = {"sinks": {}, "reports": {}, "logs": {}, "tools": []}
    for name, case in TEXTS.items():
        answer = driver.call("sink", case.text, case.options, os.path.join(work, "0.tool.log"))
        said["sinks"][name] = brief(answer["said"], answer["whole"])
    reports, logs = os.path.join(work, "18-reports"), os.path.join(work, "18-logs")
    lay(reports, REPORTS)
    lay(logs, LOGS)
    for address in ADDRESSES:
        said["reports"][address] = driver.call("resolve", reports, address)
    for address in NUMBERS:
        said["logs"][address] = driver.call("resolve", logs, address)
    return said


def session(work, name):
    """A session file of its own, and the directory of its outputs."""
    os.makedirs(work, exist_ok=True)
    file = os.path.join(work, f"{name}.jsonl")
    with open(file, "w") as f:
        header = {"type": "session", "version": 3, "id": name, "timestamp": "2026-02-16T10:20:30.000Z", "cwd": "/srv/interop"}
        f.write(json.dumps(header) + "\n")
    return file, file[: -len(".jsonl")]


def compare(checks, quire, said, work):
    """Quire on all of it, against what the program said."""
    file, directory = session(os.path.join(work, "outputs"), "sinks")
    for name, case in TEXTS.items():
        want = said["sinks"][name]
        args = ["output", "sink", "--json", "--session", file]
        for key, value in case.options.items():
            args += [f"--{key}", str(value)]
        done = quire.run(*args, stdin=case.text.encode())
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            checks.ok(False, f"a sink shows {name} as omp18 does", done)
            continue
        whole = bytes_of(answer["path"]).decode() if answer["artifactId"] is not None else None
        got = brief(answer, whole)
        # Quire also says what is missing when there is no head.
        if "elidedBytes" not in want:
            got.pop("elidedLines", None), got.pop("elidedBytes", None)
        for key in case.apart:
            checks.ok(got[key] is True or not want.get("columnTruncatedLines"), f"a sink says that columns of {name} are capped", got)
            got.pop(key), want.pop(key, None)
        checks.same(got, want, f"a sink shows {name} as omp18 does")
    shutil.rmtree(directory, ignore_errors=True)

    for what, files, addresses in (("reports", REPORTS, ADDRESSES), ("logs", LOGS, NUMBERS)):
        file, directory = session(os.path.join(work, "outputs"), what)
        lay(directory, files)
        for address in addresses:
            resolved(checks, quire, file, address, said[what][address])


def resolved(checks, quire, file, address, want):
    done = quire.run("read", address, "--session", file)
    if "fails" in want:
        good = done.returncode in (1, 2) and not done.stdout and done.stderr.startswith(b"quire: ")
        checks.ok(good, f"{address} is refused, as by omp18", f"omp18: {want['fails']}\n{done}")
        return
    # A value ends with a newline, for whoever reads it in a terminal.
    text = done.stdout.decode(errors="replace")
    extracted = re.search(r"[?&]q=[^&]|agent://[^/]+/+[^/?]", address)
    good = done.returncode == 0 and (text == want["content"] or (extracted and text == want["content"] + "\n"))
    checks.ok(good, f"{address} is what omp18 finds", f"omp18: {want['content'][:200]!r}\nquire: {text[:200]!r} exit {done.returncode} {done.stderr.decode()[:200]}")


def record(put, report, driver, work):
    """tests/data/interop/outputs: what 18 says, and a session whose outputs it wrote."""
    said = ask(driver, work)
    file, directory = session(os.path.join(work, "written"), "session")
    for tool in TOOLS:
        saved = driver.call("save", file, f"by {tool[:20]}\n", tool)
        name = os.path.basename(saved["path"])
        said["tools"].append({"tool": tool, "id": saved["id"], "name": name})
        put(f"outputs/session/{name}", bytes_of(saved["path"]))
    put("outputs/session.jsonl", bytes_of(file))
    put("outputs/omp18.json", report(said))


def replay(checks, quire, data, work):
    """Against what was recorded; `data` is a copy nobody minds."""
    with open(os.path.join(data, "outputs", "omp18.json")) as f:
        said = json.load(f)
    compare(checks, quire, said, work)
    recorded = os.path.join(data, "outputs", "session.jsonl")
    rows = quire.lines("output", "ls", "--json", "--session", recorded)
    want = [(row["id"], row["name"]) for row in said["tools"]]
    checks.same([[row["id"], os.path.basename(row["path"])] for row in rows], [list(w) for w in want], "ls names every output omp18 kept")
    for row in said["tools"]:
        done = quire.run("read", f"artifact://{row['id']}", "--session", recorded)
        checks.same(done.stdout.decode(), f"by {row['tool'][:20]}\n", f"artifact://{row['id']}, which omp18 kept as {row['name'][:30]}, is read")
    tools(checks, quire, said["tools"], os.path.join(work, "outputs"))


def tools(checks, quire, want, work):
    """Both make the same file name of the name of a tool."""
    file, _ = session(work, "tools")
    for row in want:
        (answer,) = quire.lines("output", "sink", "--json", "--threshold", "1", f"--tool={row['tool']}", "--session", file, stdin=b"full\n")
        checks.same(os.path.basename(answer["path"]), row["name"], f"the output of the tool {row['tool'][:20]!r} has the name omp18 gives it")


def together(checks, quire, driver, work):
    """In one session, turn by turn: numbers go on, each finds what the other kept."""
    for beginner in ("quire", "omp18"):
        file, directory = session(os.path.join(work, "together"), f"begun-by-{beginner}")
        kept = {}
        for turn in range(8):
            text = "".join(f"turn {turn} line {i}\n" for i in range(20))
            if (turn % 2 == 0) == (beginner == "quire"):
                (answer,) = quire.lines("output", "sink", "--json", "--threshold", "50", "--tool", "a.b", "--session", file, stdin=text.encode())
                number = answer["artifactId"]
            else:
                number = driver.call("save", file, text, "c d")["id"]
            checks.same(number, str(turn), f"output {turn} of a session begun by {beginner} has the next number")
            kept[number] = text
        for number, text in kept.items():
            found = driver.call("resolve", directory, f"artifact://{number}")
            checks.same(found.get("content"), text, f"omp18 finds artifact://{number} of a session begun by {beginner}")
            done = quire.run("read", f"artifact://{number}", "--session", file)
            checks.same(done.stdout.decode(), text, f"quire finds artifact://{number} of a session begun by {beginner}")
    file, directory = session(os.path.join(work, "together"), "reports")
    value = {"items": [{"title": "größer"}], "n": 3}
    (a,) = quire.lines("output", "agent", "Scout", "--session", file, stdin=json.dumps(value).encode())
    (b,) = quire.lines("output", "agent", "Kid", "--parent", a["id"], "--session", file, stdin=b"a child\n")
    (c,) = quire.lines("output", "agent", "Kid", "--parent", b["id"], "--session", file, stdin=b"its child\n")
    for address, want in (
        (f"agent://{a['id']}", json.dumps(value)),
        (f"agent://{a['id']}/items/0/title", "größer"),
        (f"agent://{a['id']}?q=.items[0].title", "größer"),
        (f"agent://{b['id']}", "a child\n"),
        (f"agent://{a['id']}/{b['id'].split('.')[-1]}", "a child\n"),
        (f"agent://{c['id']}", "its child\n"),
        (f"agent://{a['id']}/{'/'.join(c['id'].split('.')[1:])}", "its child\n"),
    ):
        found = driver.call("resolve", directory, address)
        checks.same(found.get("content"), want, f"omp18 finds quire's report at {address}")
        resolved(checks, quire, file, address, found)


def live(checks, quire, driver, work):
    said = ask(driver, work)
    compare(checks, quire, said, work)
    file, _ = session(os.path.join(work, "live"), "names")
    names = []
    for tool in TOOLS:
        saved = driver.call("save", file, "x\n", tool)
        names.append({"tool": tool, "name": os.path.basename(saved["path"])})
    tools(checks, quire, names, os.path.join(work, "live"))
    together(checks, quire, driver, work)
