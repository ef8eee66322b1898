"""A disk that fails once. What was being written is not called kept, nor made a
second time; after that all goes on."""
import os
import shutil
import subprocess
import time

from client import Server, Skip, World, case, on_disk

HERE = os.path.dirname(os.path.abspath(__file__))


def preload(work):
    compiler = shutil.which("cc") or shutil.which("gcc")
    with open(os.path.join(work, "quire"), "rb") as f:
        program = f.read()
    if not compiler or b"__asan_init" in program or b"__tsan_init" in program:
        raise Skip("no compiler, or a sanitizer that must come first")
    out = os.path.join(work, "failing_disk.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-D_GNU_SOURCE", "-o", out,
                    os.path.join(HERE, "preload", "failing_disk.c"), "-ldl"],
                   check=True)
    return out


@case
@on_disk
def a_sync_that_fails_once(w):
    work = w.server.work
    flag = os.path.join(work, "fail")
    server = Server(work, "failing", env={"LD_PRELOAD": preload(work),
                                          "FAIL": flag})
    world = World(server)

    def remember(title, **headers):
        return world.ask("POST", "/v1/memory/entries",
                         {"type": "user", "title": title},
                         headers={n.replace("_", "-"): v
                                  for n, v in headers.items()})

    w.same(201, remember("one").status, "before")
    w.same(200, world.ask("GET", "/readyz", token=None).status, "before")
    open(flag, "w").close()
    got = remember("two", Idempotency_Key="k")
    w.same((500, "io"), (got.status, got.json()["kind"]), "then")
    w.yes(not os.path.exists(flag), "no sync has failed")
    w.same(503, world.ask("GET", "/readyz", token=None).status, "then")
    for title in ("three", "four"):
        w.same(201, remember(title).status, "afterwards")
    got = remember("two", Idempotency_Key="k")
    w.same((201, "true"), (got.status, got["Idempotency-Replayed"]),
           "what was there all the same, asked for again")
    entries = world.ask("GET", "/v1/memory/entries").json()["entries"]
    w.same(["four", "one", "three", "two"],
           sorted(e["title"] for e in entries), "each is there once")
    for _ in range(100):
        got = world.ask("GET", "/readyz", token=None)
        if got.status == 200:
            break
        time.sleep(0.1)
    w.same(200, got.status, "in the end")
    w.same(0, server.stop()[0], "its end")
    w.wrongs += world.wrongs
