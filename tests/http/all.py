"""Runs the cases of all files, or of those named, and counts them.

Cases that mostly wait run beside the others, each in a thread. A case is a
function with the mark @case, gets a World, and has failed if it said so or
raised."""
import glob
import importlib.util
import os
import sys
import threading
import time
import traceback

import client


def load(path):
    spec = importlib.util.spec_from_file_location(
        os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def is_wanted(function):
    return os.environ.get("TEST_FILTER", "") in function.__name__


def report_time(name, seconds):
    """For the list of the slowest, where tests/run-all wants one."""
    path = os.environ.get("TEST_TIMES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write("%.2f http %s\n" % (seconds, name))


def run_one(function, server, done):
    name = function.__module__[:-6] + ": " + function.__name__.replace("_", " ")
    world = client.World(server)
    began = time.monotonic()
    try:
        function(world)
        report_time(name, time.monotonic() - began)
    except client.Skip as why:
        done.append((name, "skipped", [str(why)]))
        return
    except Exception:
        world.wrongs.append(traceback.format_exc())
    done.append((name, "failed" if world.wrongs else "passed", world.wrongs))


def main():
    work, files = sys.argv[1], sys.argv[2:]
    here = os.path.dirname(os.path.abspath(__file__))
    for path in files or sorted(glob.glob(here + "/*_cases.py")):
        load(path)
    client.cases[:] = [(function, slow) for function, slow in client.cases
                       if is_wanted(function)]
    if not client.cases:
        print("0 passed, 0 failed")
        sys.exit(0)
    server = client.Server(work, "home")
    done, waiting = [], []
    for function, slow in client.cases:
        if slow:
            thread = threading.Thread(target=run_one,
                                      args=(function, server, done))
            thread.start()
            waiting.append(thread)
    for function, slow in client.cases:
        if not slow:
            run_one(function, server, done)
    for thread in waiting:
        thread.join()
    if not files and not os.environ.get("TEST_FILTER"):
        run_one(client.every_route_was_asked, server, done)
    run_one(client.the_server_lived_to_the_end, server, done)
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
