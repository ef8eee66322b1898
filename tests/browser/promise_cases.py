"""What a new user comes for: the command that fixed the linker error, in one of 300
sessions, within a minute of the first page."""
import os
import subprocess
import time

import home
from client import Server
from world import case


def new_machine(w):
    """A server over an empty home, on a machine where Claude Code has run for a year."""
    place = os.path.join(w.server.work, "newcomer")
    home.claude_store(os.path.join(place, ".claude"))
    server = Server(w.server.work, "newcomer/quire", env={"HOME": place})
    token = subprocess.run(
        [server.program, "tenant", "token", "add", "default", "--label", "me"],
        env=dict(os.environ, QUIRE_HOME=server.home), check=True,
        capture_output=True, text=True).stdout.strip().split()[-1]
    own = home.Home()
    own.token = token
    w.server, w.home = server, own
    w.origin = "http://127.0.0.1:%d" % server.port
    return server


@case
def the_command_that_fixed_the_linker_error_is_found_within_a_minute(w):
    server = new_machine(w)
    try:
        began = time.monotonic()
        w.open("/")
        w.wait(".found-row", "300 sessions")
        w.click(".found-row button", "Import")
        w.wait(".toast", "300 sessions imported", within=50)
        w.gone(".found-row")
        w.press("/")
        w.until(lambda: w.js("return document.activeElement.className") ==
                "search-input", "the box has the focus")
        w.press(*"linker error")
        w.wait(".hit mark", "linker", within=20)
        w.until(lambda: w.text(".hit-group-head a")[:1] ==
                ["make release ends with a linker error, what is wrong?"],
                "the session is the first")
        w.press("ArrowDown", "ArrowUp", "Enter")
        w.wait(".entry", within=20)
        w.yes("/session/00000000-0000-4000-8000-000000000217" in w.address(),
              w.address())
        w.wait(".call-summary", "make release LDLIBS=-lm", within=20)
        w.yes(w.js("const box = Array.from(document.querySelectorAll("
                   "'.call-summary')).find(e => e.textContent.includes("
                   "'LDLIBS=-lm')).getBoundingClientRect();"
                   "return box.top >= 0 && box.bottom <= innerHeight"),
              "it is on the screen")
        seconds = time.monotonic() - began
        w.yes(seconds < 60, "it took %.0f s" % seconds)
        w.click(".call-head", "LDLIBS=-lm")
        w.wait(".call-result", "linked")
        w.keep_picture("promise")
    finally:
        w.browser.go("about:blank")
        server.stop()
