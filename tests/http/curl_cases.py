"""The real curl."""
import os
import shutil
import subprocess

from client import Skip, case

TEXT = b"a line that repeats itself\n" * 4000


def curl(w, *words):
    """What it prints, and its exit status."""
    if not shutil.which("curl"):
        raise Skip("no curl")
    ran = subprocess.run(
        ["curl", "-sS", "--http1.1", "-m", "20", "-H",
         "Authorization: Bearer " + w.token] + list(words),
        capture_output=True)
    return ran.stdout, ran.returncode


@case
def a_file_goes_up_and_comes_down(w):
    url = "http://localhost:%d" % w.server.port
    at = url + w.conversation() + "/files/t.txt"
    mine = os.path.join(w.server.work, "curl-mine")
    back = os.path.join(w.server.work, "curl-back")
    with open(mine, "wb") as f:
        f.write(TEXT)
    for extra in ((), ("-H", "Expect: 100-continue"),
                  ("-H", "Transfer-Encoding: chunked")):
        out, status = curl(w, "-T", mine, "-o", "/dev/null", "-w",
                           "%{http_code}", *extra, at)
        w.yes(status == 0 and out in (b"200", b"201"), "%r: %r" % (extra, out))
        w.same((TEXT, 0), curl(w, at), "what comes back")
    w.same((TEXT, 0), curl(w, "--compressed", at), "packed on its way")
    with open(back, "wb") as f:
        f.write(TEXT[:1000])
    w.same(0, curl(w, "-C", "-", "-o", back, at)[1], "going on")
    with open(back, "rb") as f:
        w.yes(f.read() == TEXT, "what was gone on with")
    out, status = curl(w, "-I", at)
    w.yes(status == 0 and out.startswith(b"HTTP/1.1 200"), "HEAD: %r" % out)
    w.yes(b"Content-Length: %d" % len(TEXT) in out, "its length: %r" % out)
