"""Look for planted values in every file of a home, in every form.

A file is looked at as bytes, and as whatever can be made of them: gzip members wherever
one begins, zstd frames, JSON escapes (nested), base64, and rows and columns of SQLite
databases. What comes out is looked at again.

usage: tests/purge/scan.py HOME VALUE...
"""
import base64
import gzip
import os
import re
import sqlite3
import subprocess
import sys
import zlib

DEPTH = 4
ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}
ESCAPE = re.compile(rb"\\(u[0-9a-fA-F]{4}|.)", re.S)
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{12,}={0,2}")


def unescape(data):
    """The text that JSON escapes spell; pairs of surrogates as one character."""
    def one(match):
        code = match.group(1)
        if code[:1] == b"u" and len(code) == 5:
            return chr(int(code[1:], 16)).encode("utf-16-be", "surrogatepass") \
                .decode("utf-16-be", "replace").encode() \
                if not 0xd800 <= int(code[1:], 16) < 0xe000 else match.group(0)
        return ESCAPES.get(code, code)
    pairs = re.compile(rb"\\u(d[89ab][0-9a-f]{2})\\+u(d[c-f][0-9a-f]{2})", re.I)
    data = pairs.sub(lambda m: bytes.fromhex(
        (m.group(1) + m.group(2)).decode()).decode("utf-16-be").encode(), data)
    return ESCAPE.sub(one, data)


def gunzip_from(data, at):
    """The content of the member that begins at `at`, as far as it goes."""
    z = zlib.decompressobj(31)
    try:
        return z.decompress(data[at:], 1 << 28)
    except zlib.error:
        return b""


def views(data):
    at = data.find(b"\x1f\x8b\x08")
    while at >= 0:
        inside = gunzip_from(data, at)
        if inside:
            yield "gzip at %d" % at, inside
        at = data.find(b"\x1f\x8b\x08", at + 1)
    at = data.find(b"\x28\xb5\x2f\xfd")
    if at >= 0:
        done = subprocess.run(["zstd", "-dc"], input=data[at:], capture_output=True)
        if done.stdout:
            yield "zstd at %d" % at, done.stdout
    if b"\\" in data:
        yield "escapes", unescape(data)
    for run in BASE64.findall(data):
        text = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        for skip in range(4):
            part = text[skip:]
            part += b"=" * (-len(part) % 4)
            try:
                yield "base64", base64.b64decode(part)
            except ValueError:
                pass


def search(data, values, depth=DEPTH):
    """What was found: the path of forms that leads to it."""
    for value in values:
        if value in data:
            yield ["bytes"]
    if depth:
        for form, inside in views(data):
            # Base64 of base64 is of no use, and there is a lot of it.
            for path in search(inside, values,
                               min(depth - 1, 1) if form == "base64" else depth - 1):
                yield [form] + path


def rows(path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    db.text_factory = bytes
    names = [n.decode() for (n,) in db.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for name in names:
        try:
            for row in db.execute('SELECT * FROM "%s"' % name):
                for cell in row:
                    if isinstance(cell, bytes):
                        yield name, cell
        except sqlite3.Error:
            pass  # a virtual table of a module that is not here
    db.close()


def scan(home, values):
    """A line for each place that has one of the values."""
    found = []
    for top, dirs, files in os.walk(home):
        for name in dirs + files:
            if any(v in os.fsencode(name) for v in values):
                found.append("name %s/%s" % (top, name))
        for name in files:
            path = os.path.join(top, name)
            with open(path, "rb") as file:
                data = file.read()
            found += ["%s: %s" % (path, " > ".join(way))
                      for way in search(data, values)]
            if data.startswith(b"SQLite format 3\0"):
                for table, cell in rows(path):
                    found += ["%s, table %s: %s" % (path, table, " > ".join(way))
                              for way in search(cell, values)]
    return found


if __name__ == "__main__":
    lines = scan(sys.argv[1], [v.encode() for v in sys.argv[2:]])
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
