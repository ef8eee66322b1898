"""Node's own client, over every address there is."""
import os
import shutil
import subprocess

from client import ADMIN, Server, Skip, slow_case


@slow_case
def every_address_by_node(w):
    if not shutil.which("node"):
        raise Skip("no node")
    server = Server(w.server.work, "node")
    script = os.path.join(os.path.dirname(__file__), "node", "routes.mjs")
    command = ["node", script, "http://localhost:%d" % server.port, ADMIN]
    validator = os.path.join(os.environ.get("INTEROP_DIR", ""), "openapi")
    if os.path.isdir(validator):
        command.append(validator)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    for line in (ran.stdout + ran.stderr).splitlines()[:20]:
        if ran.returncode:
            w.wrong(line)
    w.same(0, ran.returncode, "its end")
    w.same(0, server.stop()[0], "the server's")
