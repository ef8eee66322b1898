"""Runs the cases of all files, or of those named, in one browser, and counts them."""
import glob
import importlib.util
import os
import sys
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(here), "http"))

import home  # noqa: E402
import webdriver  # noqa: E402
import world  # noqa: E402
from client import Server  # noqa: E402


def load(path):
    spec = importlib.util.spec_from_file_location(
        os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def report_time(name, seconds):
    path = os.environ.get("TEST_TIMES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("%.2f browser %s\n" % (seconds, name))


def run_one(function, browser, server, sample, done):
    name = function.__module__[:-6] + ": " + function.__name__.replace("_", " ")
    w = world.World(browser, server, sample)
    began = time.monotonic()
    try:
        w.begin()
        function(w)
        w.settle()
    except world.Skip as why:
        done.append((name, "skipped", [str(why)]))
        return
    except Exception:
        w.wrongs.append(traceback.format_exc())
        w.keep_picture("failed-" + function.__name__)
    report_time(name, time.monotonic() - began)
    done.append((name, "failed" if w.wrongs else "passed", w.wrongs))


def main():
    work, files = sys.argv[1], sys.argv[2:]
    for path in files or sorted(glob.glob(here + "/*_cases.py")):
        load(path)
    wanted = [case for case in world.cases
              if os.environ.get("TEST_FILTER", "") in case.__name__]
    if not wanted:
        print("0 passed, 0 failed")
        sys.exit(0)
    sample = home.build(work)
    server = Server(work, "home")
    browser = webdriver.Browser(work)
    done = []
    try:
        for function in wanted:
            run_one(function, browser, server, sample, done)
    finally:
        browser.close()
        server.stop()
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for name, what, words in done:
        count[what] += 1
        if what != "passed":
            print("%s: %s" % (what, name))
            for line in words[:20]:
                print("    " + line.replace("\n", "\n    "))
    print("%(passed)d passed, %(failed)d failed" % count +
          (", %(skipped)d skipped" % count if count["skipped"] else ""))
    sys.exit(1 if count["failed"] else 0)


main()
