"""An agent without a model: turns with a tool's output, an artifact and a fact. It prints what
was acknowledged, a line each, for as long as it runs: agent.py HOME [SESSION]."""
import sys

import quire


def say(*words):
    print(*words, flush=True)


def main():
    home = quire.open(sys.argv[1])
    session = home.open_session(sys.argv[2], sync="none") if len(sys.argv) > 2 \
        else home.new_session(sync="none")
    say("session", session.id)
    turn = len(session.messages())
    while True:
        turn += 1
        say("entry", session.message("user", "turn %d" % turn))
        if turn % 5 == 0:
            with session.sink("seq", threshold=16) as out:
                for number in range(200):
                    out.write("%d %d\n" % (turn, number))
            say("output", out.shown.address, turn)
        if turn % 7 == 0:
            say("artifact", session.put_artifact("turn-%d.md" % turn, "# %d\n" % turn).path)
        if turn % 11 == 0:
            say("fact", home.remember("learning", "turn %d" % turn).id)
        say("entry", session.message("assistant", "answer %d" % turn))


main()
