"""Many large bodies at once: there is a bound to what is kept of them."""
import threading

from client import Reader, Server, World, case, plain

LARGE = 1 << 30


@case
def bodies_under_way_have_a_bound(w):
    """Each says that 1 GiB comes, and sends nothing yet."""
    outer, server = w, Server(w.server.work, "load")
    w = World(server)
    lines, head = [], plain("POST", "/v1/blobs", w.token, None,
                            {"Content-Length": str(LARGE),
                             "Expect": "100-continue"})
    statuses = []
    for _ in range(20):
        s = w.server.connect()
        s.sendall(head)
        got = Reader(s).answer()
        statuses.append(got.status)
        if got.status == 503:
            w.yes(got["Retry-After"], "when to try again")
        lines.append(s)
    w.yes(3 <= statuses.count(100) <= 4, "who may send: %r" % statuses)
    w.same({100, 503}, set(statuses), "answers")
    w.ask("POST", "/v1/conversations", {"title": "small"}, want=201)
    for s in lines:
        s.close()
    for _ in range(100):
        got = w.ask("POST", "/v1/blobs", b"x" * 100000)
        if got.status != 503:
            break
        threading.Event().wait(0.05)
    w.yes(got.status in (200, 201), "when they have gone: %d" % got.status)
    with open(server.errors) as f:
        w.yes("too many large bodies" in f.read(), "nothing in the log")
    outer.wrongs += w.wrongs
    server.stop()
