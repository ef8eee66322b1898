"""Many large bodies at once: there is a bound to what is kept of them."""
import threading

from client import Reader, case, plain

LARGE = 64 << 20


@case
def bodies_under_way_have_a_bound(w):
    """Each says that 64 MiB come, and sends nothing yet."""
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
    # Others may have large bodies under way, too.
    w.yes(1 <= statuses.count(100) <= 8, "who may send: %r" % statuses)
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
