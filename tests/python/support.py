"""What the tests of the Python binding share."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.join(TOP, "bindings", "python")
BUILD = os.environ.get("QUIRE_BUILD", os.path.join(TOP, "build"))
QUIRE = os.path.join(BUILD, "quire")
sys.path[:0] = [PACKAGE, os.path.join(os.path.dirname(os.path.abspath(__file__)), "interfaces")]
os.environ["QUIRE_LIBRARY"] = os.path.join(BUILD, "libquire.so")
os.environ["QUIRE_BINARY"] = QUIRE
os.environ["PYTHONPATH"] = PACKAGE
for name in ("QUIRE_HOME", "QUIRE_TENANT", "QUIRE_SESSION"):
    os.environ.pop(name, None)

import quire  # noqa: E402  pylint: disable=wrong-import-position


def user(text):
    return {"type": "message", "message": {"role": "user", "content": text}}


class HomeCase(unittest.TestCase):
    """A test with a home of its own."""

    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place, True)
        self.home = quire.open(os.path.join(self.place, "home"))
        self.addCleanup(self.home.close)


class Killed:
    """A program that prints what was acknowledged, until it is killed."""

    def __init__(self, command, after, env=None):
        self.acknowledged = []
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, **(env or {})})
        for line in process.stdout:
            if not line.endswith("\n"):
                break
            self.acknowledged.append(line.split())
            if len(self.acknowledged) == after:
                process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        self.status = process.returncode
