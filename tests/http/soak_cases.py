"""The server is killed under its clients: see soak."""
import os
import subprocess
import sys

from client import on_disk, slow_case


@slow_case
@on_disk
def what_was_acknowledged_outlives_the_server(w):
    soak = os.path.join(os.path.dirname(os.path.abspath(__file__)), "soak")
    ran = subprocess.run([sys.executable, soak, w.server.work, "8", "3"],
                         capture_output=True, text=True, timeout=120)
    w.same(0, ran.returncode, ran.stdout + ran.stderr)
