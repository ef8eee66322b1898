"""Names of requests: the client's own, or one that it is given."""
import re

from client import ADMIN, case, exchange, plain

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def every_kind_of_answer(w):
    here = w.conversation()
    w.ask("PUT", here + "/files/x", b"x")
    tag = w.ask("GET", here + "/files/x")["ETag"]
    return [("GET", "/healthz", None, None, {}),
            ("GET", "/v1/conversations", w.token, None, {}),
            ("GET", "/v1/conversations", None, None, {}),
            ("GET", "/v1/nothing", w.token, None, {}),
            ("BREW", here, w.token, None, {}),
            ("OPTIONS", here, None, None, {}),
            ("HEAD", here + "/files/x", w.token, None, {}),
            ("GET", here + "/files/x", w.token, None, {"Range": "bytes=0-0"}),
            ("GET", here + "/files/x", w.token, None, {"If-None-Match": tag}),
            ("GET", here + "/files/x", w.token, None, {"If-Match": '"x"'}),
            ("PUT", here + "/files/y", w.token, b"body", {}),
            ("PUT", here + "/files/y", None, b"body", {}),
            ("PUT", here + "/files/y", "qrt_" + "0" * 64, b"body", {}),
            ("POST", "/v1/conversations", w.token, b"{", {}),
            ("GET", "/healthz", None, None, {"Host": "evil.example"}),
            ("GET", "/v1/admin/tenants", ADMIN, None, {})]


@case
def each_answer_has_the_name_that_was_given(w):
    for method, target, token, body, headers in every_kind_of_answer(w):
        for name in ("a", "0" * 128, "x!~\"'\\,;{}", "req-1"):
            got = exchange(w.server, plain(
                method, target, token, body,
                dict(headers, **{"X-Request-Id": name})), method == "HEAD")
            w.same(name, got["X-Request-Id"], "%s %s %d" % (method, target,
                                                            got.status))


@case
def one_that_cannot_be_is_replaced(w):
    seen = set()
    for name in ("", " ", "a b", "0" * 129, "\xe9", "a\tb", "x" * 5000, None):
        headers = {} if name is None else {"X-Request-Id": name}
        for method, target, token, body, more in every_kind_of_answer(w)[:4]:
            got = exchange(w.server, plain(method, target, token, body,
                                           dict(more, **headers)))
            w.yes(re.fullmatch(r"[0-9a-f]{24}", got["X-Request-Id"]),
                  "%r becomes %r" % (name, got["X-Request-Id"]))
            w.yes(got["X-Request-Id"] not in seen, "given twice")
            seen.add(got["X-Request-Id"])


@case
def a_trace_is_kept(w):
    for value in (TRACE, TRACE[:-2] + "00",
                  "01" + TRACE[2:], "cc" + TRACE[2:] + "-more"):
        got = w.ask("GET", "/healthz", headers={"traceparent": value}, want=200)
        w.same(value, got["traceparent"], "traceparent")
    for value in ("", "x", TRACE + "-more", TRACE[:-1], TRACE.upper(),
                  "ff" + TRACE[2:], "00-" + "0" * 32 + TRACE[35:],
                  TRACE[:36] + "0" * 16 + "-01", TRACE.replace("-", "_"),
                  TRACE + " ; x", "01" + TRACE[2:] + "more"):
        got = w.ask("GET", "/healthz", headers={"traceparent": value}, want=200)
        w.same("", got["traceparent"], "made of %r" % value)
