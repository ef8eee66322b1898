"""Runs the cases of all files, or of those named, and counts them; then the
recorded exchanges. A case gets a World, and has failed if it said so or
raised."""
import faulthandler
import glob
import importlib.util
import os
import sys
import time
import traceback

import exchange
import peer


def load(path):
    spec = importlib.util.spec_from_file_location(
        os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def report_time(name, seconds):
    """For the list of the slowest, where tests/run-all wants one."""
    path = os.environ.get("TEST_TIMES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("%.2f mcp %s\n" % (seconds, name))


def run_one(name, function, world, count):
    what = "passed"
    began = time.monotonic()
    try:
        function(world)
        report_time(name, time.monotonic() - began)
    except peer.Skip as why:
        what = "skipped"
        world.wrongs.append(str(why))
    except Exception:
        world.wrongs.append(traceback.format_exc())
    try:
        world.close()
    except Exception:
        world.wrongs.append(traceback.format_exc())
    if world.wrongs and what == "passed":
        what = "failed"
    count[what] += 1
    if what != "passed":
        print("%s: %s" % (what, name))
        for line in world.wrongs[:20]:
            print("    " + line[:2000].replace("\n", "\n    "))


def main():
    faulthandler.dump_traceback_later(300, exit=True)
    work, files = sys.argv[1], sys.argv[2:]
    here = os.path.dirname(os.path.abspath(__file__))
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for path in files or sorted(glob.glob(here + "/*_cases.py")):
        if path.endswith(".py"):
            load(path)
    todo = [(f.__module__[:-6] + ": " + f.__name__.replace("_", " "), f)
            for f in peer.cases]
    for path in sorted(glob.glob(here + "/exchanges/*.txt")):
        if not files or path in map(os.path.abspath, files):
            todo.append(("exchange: " + os.path.basename(path)[:-4],
                         lambda w, path=path: exchange.replay(w, path)))
    word = os.environ.get("TEST_FILTER", "")
    todo = [(name, f) for name, f in todo if word in name.replace(" ", "_")]
    for n, (name, function) in enumerate(todo):
        run_one(name, function, peer.World(work, "home%d" % n), count)
    print("%(passed)d passed, %(failed)d failed" % count +
          (", %(skipped)d skipped" % count if count["skipped"] else ""))
    sys.exit(1 if count["failed"] else 0)


main()
