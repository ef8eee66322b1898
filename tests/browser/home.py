"""The home that the cases look at, made by the program itself.

300 sessions of Claude Code, imported, one of which has the command that fixed the
linker error; a session with every kind of entry; one with a sub-agent; one whose
every field attacks the page; artifacts with versions, outputs, memory, prompts.
Times are counted back from now, so that ranges such as 30 days have something."""
import base64
import datetime
import json
import os
import random
import struct
import subprocess
import zlib

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def before(days=0, seconds=0):
    """RFC 3339, so long ago."""
    at = NOW - datetime.timedelta(days=days) + datetime.timedelta(
        seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def png(width, height, red, green, blue):
    """A picture with a gradient: PNG as base64."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(
        b"\0" + b"".join(bytes((red * x // width, green * y // height, blue))
                         for x in range(width)) for y in range(height))
    return base64.b64encode(
        b"\x89PNG\r\n\x1a\n" +
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
        chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")).decode()


# What may not run, load, or be mistaken, in any field of any record.
HOSTILE = [
    "<script>window.attacked = 'script'</script>",
    "<img src=x onerror=\"window.attacked='img'\">",
    "<svg onload=\"window.attacked='svg'\"><script>attacked=1</script></svg>",
    "<iframe srcdoc=\"<script>parent.attacked='frame'</script>\"></iframe>",
    "[click](javascript:window.attacked='link')",
    "[click](data:text/html;base64,PHNjcmlwdD5hdHRhY2tlZD0xPC9zY3JpcHQ+)",
    "![picture](http://192.0.2.1/track.png) ![](//192.0.2.1/x.gif)",
    "<style>*{display:none}</style><link rel=stylesheet href=//192.0.2.1/x>",
    "<meta http-equiv=refresh content='0;url=http://192.0.2.1/'>",
    "<base href=//192.0.2.1/><form action=//192.0.2.1/><input name=x>",
    "\u202egpj.exe\u202c \u2066hidden\u2069 \u200b zero\u200d",
    "\x1b[31mred\x1b[0m \x1b]8;;http://192.0.2.1/\x07link\x1b]8;;\x07 "
    "\x1b[2J\x1b]0;title\x07",
    "```html\n<script>window.attacked = 'fence'</script>\n```",
    "| a | b |\n|---|---|\n| <b onclick=attacked=1>x</b> | `</td><script>` |",
    "{{constructor.constructor('attacked=1')()}} ${attacked=1}",
    "&lt;script&gt; &#60;script&#62; \ud83d\ude00 \x00\x01\x7f",
    "<a href=\"http://192.0.2.1/\" ping=//192.0.2.1/>x</a>" + "]]>" * 40,
    "x" * 20000 + "<script>window.attacked = 'end'</script>",
    "#" * 500 + " " + ">" * 500 + " " + "- " * 500 + "*" * 2000 + "[" * 2000,
]


class Maker:
    def __init__(self, work):
        self.work = work
        self.home = os.path.join(work, "home")
        self.program = os.path.join(work, "quire")
        self.env = dict(os.environ, QUIRE_HOME=self.home)

    def run(self, *args, text=None):
        """What the program prints."""
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogatepass")
        ran = subprocess.run([self.program] + list(args), input=text or b"",
                             env=self.env, capture_output=True, cwd=self.work)
        if ran.returncode:
            raise Exception("quire %s: %r" % (" ".join(args), ran.stderr))
        return ran.stdout.decode()

    def session(self, title, cwd, entries):
        """A session with these entries; its id."""
        id = json.loads(self.run("session", "new", "--json", "--title", title,
                                 "--cwd", cwd))["id"]
        self.append(id, entries)
        return id

    def append(self, id, entries, *options):
        lines = "".join(json.dumps(e) + "\n" for e in entries)
        self.run("session", "append", id, *options, text=lines)


# ---- entries -------------------------------------------------------------------

def user(id, at, text, **more):
    return dict({"type": "message", "id": id, "timestamp": at,
                 "message": {"role": "user", "content": text}}, **more)


def answer(id, at, content, model="claude-sonnet-4-5", tokens=1000):
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return {"type": "message", "id": id, "timestamp": at, "message": {
        "role": "assistant", "model": model, "provider": "anthropic",
        "content": content, "stopReason": "stop",
        "usage": {"input": tokens, "output": tokens // 4,
                  "cacheRead": tokens * 3, "cacheWrite": tokens // 2,
                  "totalTokens": tokens * 5, "cost": {"total": tokens / 1e5}}}}


def call(id, name, **arguments):
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def result(id, at, call_id, tool, text, is_error=False, images=(), **details):
    content = [{"type": "text", "text": text}]
    content += [{"type": "image", "data": data, "mimeType": "image/png"}
                for data in images]
    return {"type": "message", "id": id, "timestamp": at, "message": {
        "role": "toolResult", "toolCallId": call_id, "toolName": tool,
        "content": content, "isError": is_error, "details": details}}


def rich_entries():
    """One of every kind, in the order of a real session."""
    def at(seconds):
        return before(0, seconds - 7200)
    long = "\n".join("line %d of a long log" % i for i in range(300))
    markdown = (
        "# What I found\n\nThe parser *drops* the **last** header when the line "
        "ends in `\\r`.\n\n- first, a test\n  - that fails\n- then the fix\n\n"
        "1. one\n2. two\n\n- [x] done\n- [ ] to do\n\n> a quotation\n\n"
        "| file | lines |\n|:--|--:|\n| http.c | 120 |\n| http.h | 12 |\n\n"
        "```c\nint parse(char *line)\n{\n    return 0; /* \"never\" */\n}\n```\n\n"
        "See <https://example.org/rfc> and [the RFC](https://example.org/9110 "
        "\"nine\").\n\n中文、日本語、한국어 too. ~~gone~~\n\n---\n\nEnd.")
    return [
        user("r-ask", at(0), "Why does the parser drop the last header?\n"
             "Please fix it, with a test."),
        {"type": "thinking_level_change", "id": "r-level", "timestamp": at(1),
         "thinkingLevel": "high"},
        answer("r-look", at(4), [
            {"type": "thinking", "thinking": "The tokenizer is the first place "
             "to look. " * 8},
            {"type": "text", "text": "I will look at the code first."},
            call("c1", "read", path="src/http.c"),
            call("c2", "bash", command="grep -rn parse_header src | head"),
            call("c3", "grep", pattern="parse_header", path="src")]),
        result("r-read", at(5), "c1", "read", "int parse_header(char *line)\n"
               "{\n\treturn strcspn(line, \"\\n\");\n}\n"),
        result("r-bash", at(7), "c2", "bash",
               "\x1b[35msrc/http.c\x1b[0m:\x1b[32m12\x1b[0m: "
               "\x1b[1;31mparse_header\x1b[0m(char *line)\n" + long),
        result("r-grep", at(8), "c3", "grep", "permission denied", True),
        answer("r-edit", at(20), [
            {"type": "text", "text": markdown},
            call("c4", "edit", path="src/http.c", oldText="strcspn(line, \"\\n\")",
                 newText="strcspn(line, \"\\r\\n\")"),
            call("c5", "write", path="tests/http_test.c",
                 content="TEST(the_last_header_stays)\n{\n    SAME(2, n);\n}\n")]),
        result("r-edited", at(21), "c4", "edit", "edited src/http.c"),
        result("r-written", at(22), "c5", "write", "wrote 3 lines"),
        answer("r-shot", at(30), [call("c6", "screenshot", url="file:///x")]),
        result("r-image", at(31), "c6", "screenshot", "two pictures",
               images=[png(320, 200, 255, 120, 60), png(64, 64, 60, 200, 255)]),
        answer("r-done", at(40), "The test passes. 修好了。"),
        {"type": "label", "id": "r-label", "timestamp": at(41),
         "targetId": "r-edit", "label": "the fix"},
        user("r-more", at(60), "And now over HTTP/2?"),
        answer("r-two", at(70), "HTTP/2 has no lines.", "claude-opus-4-1", 4000),
        {"type": "compaction", "id": "r-pack", "timestamp": at(80),
         "summary": "The parser lost headers that end in CR LF; fixed in "
         "src/http.c, tested.", "firstKeptEntryId": "r-more",
         "tokensBefore": 91000},
        {"type": "model_change", "id": "r-model", "timestamp": at(81),
         "provider": "openai", "modelId": "gpt-5"},
        user("r-next", at(90), "Write the changelog."),
        answer("r-log", at(95), "It is written.", "gpt-5", 500),
        {"type": "custom", "id": "r-custom", "timestamp": at(96),
         "customType": "note", "data": {"deep": {"er": [1, 2, {"x": None}]}}},
    ]


def hostile_entries():
    entries = []
    for i, text in enumerate(HOSTILE):
        at = before(1, i * 10)
        entries += [
            user("h%d-u" % i, at, text),
            answer("h%d-a" % i, at, [
                {"type": "thinking", "thinking": text},
                {"type": "text", "text": text},
                call("h%d" % i, text[:60] or "x", command=text, path=text,
                     **{text[:40]: text})], model=text[:50]),
            result("h%d-r" % i, at, "h%d" % i, text[:60] or "x", text,
                   i % 2 == 0),
            {"type": "label", "id": "h%d-l" % i, "timestamp": at,
             "targetId": "h%d-u" % i, "label": text[:100]},
        ]
    entries += [
        {"type": "compaction", "id": "h-pack", "timestamp": before(1, 900),
         "summary": "".join(HOSTILE[:8]), "firstKeptEntryId": "h0-u",
         "tokensBefore": 5},
        {"type": "custom", "id": "h-custom", "timestamp": before(1, 901),
         "customType": HOSTILE[0], "data": {HOSTILE[1]: HOSTILE[2]}},
        {"type": HOSTILE[1], "id": "h-kind", "timestamp": before(1, 902),
         "payload": HOSTILE[0]},
    ]
    return entries


# ---- sessions of Claude Code -----------------------------------------------------

TASKS = ["add a flag for dry runs", "why is the build slow", "rename the module",
         "write a test for the parser", "update the changelog",
         "review this change", "explain the scheduler", "fix the flaky test"]
TOOLS = [("Bash", {"command": "make -j2"}), ("Read", {"file_path": "src/a.c"}),
         ("Grep", {"pattern": "main"}), ("Bash", {"command": "git status"})]
LINKER = ("/usr/bin/ld: main.o: in function `main': main.c:9: undefined "
          "reference to `sqrt'\ncollect2: error: ld returned 1 exit status")


def claude_lines(rng, n):
    """The lines of one session; number 217 has the linker error."""
    id = "00000000-0000-4000-8000-%012d" % n
    cwd = "/srv/" + ["shop", "engine", "website", "tools"][n % 4]
    days, at, parent, lines = 300 - n, 0, None, []

    def add(kind, message, **more):
        nonlocal at, parent
        at += rng.randrange(2, 90)
        own = "%s-%04d" % (id[:23], len(lines))
        lines.append(dict({
            "type": kind, "uuid": own, "parentUuid": parent, "sessionId": id,
            "cwd": cwd, "version": "2.1.197", "gitBranch": "main",
            "userType": "external", "isSidechain": False,
            "timestamp": before(days, at), "message": message}, **more))
        parent = own

    def model_says(content):
        tokens = rng.randrange(500, 5000)
        add("assistant", {
            "id": "msg_%d_%d" % (n, len(lines)), "role": "assistant",
            "type": "message", "model": rng.choice(
                ["claude-sonnet-4-5", "claude-opus-4-1"]), "content": content,
            "usage": {"input_tokens": tokens, "output_tokens": tokens // 5,
                      "cache_read_input_tokens": tokens * 8,
                      "cache_creation_input_tokens": tokens}},
            requestId="req_%d_%d" % (n, len(lines)))

    def tool(name, given, said, is_error=False):
        use = "toolu_%d_%d" % (n, len(lines))
        model_says([{"type": "tool_use", "id": use, "name": name,
                     "input": given}])
        add("user", {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": use, "content": said,
             "is_error": is_error}]})

    add("user", {"role": "user", "content": "%s (%d)" % (
        rng.choice(TASKS), n) if n != 217 else
        "make release ends with a linker error, what is wrong?"})
    for _ in range(rng.randrange(1, 6)):
        name, given = rng.choice(TOOLS)
        tool(name, given, "ok %d\n" % rng.randrange(1000) * 5,
             rng.random() < 0.1)
    if n == 217:
        tool("Bash", {"command": "make release"}, LINKER, True)
        tool("Bash", {"command": "make release LDLIBS=-lm"}, "linked")
    model_says([{"type": "text", "text": "Done, see above."}])
    return "".join(json.dumps(line) + "\n" for line in lines), id, cwd


def claude_store(place):
    rng = random.Random(7)
    for n in range(300):
        lines, id, cwd = claude_lines(rng, n)
        folder = os.path.join(place, "projects", cwd.replace("/", "-"))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, id + ".jsonl"), "w",
                  encoding="utf-8") as file:
            file.write(lines)


# ---- all of it ---------------------------------------------------------------------

class Home:
    """What the cases need to know of it."""
    token = reader = admin = None
    rich = parent = child = hostile = None


def build(work):
    make, home = Maker(work), Home()
    claude_store(os.path.join(work, "claude"))
    make.run("import", "--from", os.path.join(work, "claude"), "--quiet")
    home.rich = make.session("Fix the header parser", "/srv/engine",
                             rich_entries())
    make.append(home.rich, [
        user("r-other", before(0, -7000), "Or rewrite it?"),
        answer("r-other-2", before(0, -6990), "That would take a week.")],
        "--at", "r-done")
    make.run("session", "branch", home.rich, "r-custom")
    home.parent = make.session("Plan the release", "/srv/shop", [
        user("p-1", before(2), "plan the release"),
        answer("p-2", before(2, 5), [call("t1", "task", description="survey",
                                          prompt="look around")]),
        result("p-3", before(2, 60), "t1", "task", "surveyed"),
        answer("p-4", before(2, 70), "Planned.")])
    home.hostile = make.session(HOSTILE[0], "/srv/<b>evil</b>",
                                hostile_entries())
    stores(make, home)
    home.token = make.run("tenant", "token", "add", "default", "--label",
                          "owner").strip().split()[-1]
    home.reader = make.run("tenant", "token", "add", "default", "--read-only",
                           "--label", "reader").strip().split()[-1]
    return home


def stores(make, home):
    """Artifacts, outputs, memory, prompts."""
    of = ["--session", home.rich]
    for text in ("# Notes\n\nfirst\n", "# Notes\n\nfirst\nsecond\n",
                 "# Notes\n\nthe first\nsecond\nthird\n"):
        make.run(*of, "artifact", "put", "notes.md", "--tag", "draft", text=text)
    make.run(*of, "artifact", "put", "data/table.csv",
             text="name,size\nhttp.c,120\n\"a, b\",7\n")
    make.run(*of, "artifact", "put", "data/tree.json",
             text='{"a": [1, 2, {"b": null}], "c": "text"}')
    make.run(*of, "artifact", "put", "picture.png",
             text=base64.b64decode(png(200, 120, 40, 220, 120)))
    make.run(*of, "artifact", "put", "drawing.svg",
             text="<svg xmlns='http://www.w3.org/2000/svg' width='90' "
             "height='40'><script>top.attacked='svg'</script>"
             "<rect width='90' height='40' fill='teal'/></svg>")
    make.run(*of, "artifact", "put", "page.html", text=HOSTILE[0])
    log = "".join("%05d %s\n" % (i, "error: disk" if i % 997 == 0 else "ok")
                  for i in range(20000))
    make.run(*of, "output", "sink", "--tool", "build", "--threshold", "100",
             text=log)
    make.run(*of, "output", "agent", "Scout",
             text='{"found": [{"file": "a.c", "line": 7}]}')
    facts = [("project", "The parser takes a length", "since version 2"),
             ("feedback", "Write tests first", "always"),
             ("user", "Reads English and 中文", ""),
             ("reference", "RFC 9112", "the grammar of HTTP/1.1"),
             ("learning", "Lines end in CR LF", "in HTTP")]
    for kind, title, content in facts:
        make.run(*of, "memory", "add", "--type", kind, "--title", title,
                 "--content", content, "--tag", "http")
    make.run("memory", "relate", "1", "refines", "5")
    make.run("memory", "relate", "4", "supports", "5")
    make.run("memory", "add", "--type", "context", "--title", HOSTILE[1],
             "--content", HOSTILE[0])
    for prompt in ("fix the parser", "write the changelog", HOSTILE[0]):
        make.run("history", "add", prompt)
