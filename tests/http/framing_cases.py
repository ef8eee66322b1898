"""Requests as bytes: well formed in every way there is, and in none."""
import json
import shutil
import subprocess
import threading
import time

from client import Reader, Skip, case, exchange, plain, slow_case

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


def send(w, data, waits=True):
    """The response, and whether the server closes the connection then. Without
    `waits` that is not waited for: one that stays open costs three seconds."""
    with w.server.connect(8) as s:
        try:
            s.sendall(data)
        except OSError:
            pass  # it was refused before all was sent
        reader = Reader(s)
        got = reader.answer()
        return got, reader.is_closed(3) if waits else None


@case
def what_is_no_request_is_refused_and_ends_the_connection(w):
    chunked = b"POST /v1/blobs HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
    post = b"POST /v1/blobs HTTP/1.1\r\nHost: localhost\r\n"
    for status, data in (
            (400, b"\0\0\0\0\r\n\r\n"), (400, b"hello\r\n\r\n"),
            (400, b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n"),
            (400, b"GET /\r\n\r\n"), (400, b"GET / HTTP/1.1 x\r\n\r\n"),
            (400, b"GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET\t/\tHTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b" GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"G\xc3\xa9T / HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET x HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET /#x HTTP/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET / http/1.1\r\nHost: h\r\n\r\n"),
            (400, b"GET / HTTP/1.10\r\nHost: h\r\n\r\n"),
            (505, b"GET / HTTP/2.0\r\nHost: h\r\n\r\n"),
            (505, b"GET / HTTP/1.2\r\nHost: h\r\n\r\n"),
            (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            (400, b"GET / HTTP/1.1\nHost: h\n\n"),
            (400, b"GET / HTTP/1.1\r\nHost: h\n\r\n"),
            (400, b"GET / HTTP/1.1\rHost: h\r\r"
                  b"\r\n\r\n"),
            (400, b"GET / HTTP/1.1\r\n\r\n"),
            (400, GET + b"Host: localhost\r\n\r\n"),
            (400, GET + b" folded: x\r\n\r\n"), (400, GET + b"a b: x\r\n\r\n"),
            (400, GET + b"a : x\r\n\r\n"), (400, GET + b": x\r\n\r\n"),
            (400, GET + b"nocolon\r\n\r\n"), (400, GET + b"a: \0\r\n\r\n"),
            (400, GET + b"a: b\rc\r\n\r\n"), (400, GET + b"a\xff: x\r\n\r\n"),
            (400, GET + b"a: x\r\n\tfolded\r\n\r\n"),
            (400, GET + b"(a): x\r\n\r\n"), (400, GET + b"a: \x7f\r\n\r\n"),
            (417, post + b"Expect: cake\r\n\r\n"),
            # Where two readers could see two ends.
            (400, post + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\nx"),
            (400, post + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
            (400, post + b"Content-Length: 1, 1\r\n\r\nx"),
            (400, post + b"Content-Length: +1\r\n\r\nx"),
            (400, post + b"Content-Length: -1\r\n\r\nx"),
            (400, post + b"Content-Length: 1 1\r\n\r\nx"),
            (400, post + b"Content-Length: 0x1\r\n\r\nx"),
            (400, post + b"Content-Length: 1.0\r\n\r\nx"),
            (400, post + b"Content-Length: \r\n\r\n"),
            (400, post + b"Content-Length: one\r\n\r\n"),
            (400, post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
                         b"\r\n0\r\n\r\n"),
            (400, post + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"
                         b"\r\n0\r\n\r\n"),
            (400, post + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
            (400, post + b"Transfer-Encoding: chunked\nX: y\r\n\r\n"),
            (501, chunked + b"gzip, chunked\r\n\r\n"),
            (501, chunked + b"chunked, identity\r\n\r\n"),
            (501, chunked + b"identity\r\n\r\n"),
            (501, chunked + b"xchunked\r\n\r\n"),
            (501, chunked + b"\"chunked\"\r\n\r\n"),
            (501, chunked + b"\x0bchunked\r\n\r\n"),
            (501, chunked + b"chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
            (400, b"POST /v1/blobs HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"
                  b"\r\n0\r\n\r\n"),
            (414, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: h\r\n\r\n"),
            (431, GET + b"A: b\r\n" * 200 + b"\r\n"),
            (431, GET + b"A: " + b"b" * 70000 + b"\r\n\r\n")):
        # A second request hides behind each.
        got, closed = send(w, data + GET + b"\r\n")
        want = (400, 501) if b"\x0b" in data else (status,)
        if got is None or got.status not in want:
            w.wrong("%r: %s, not %d" % (data[:90], got and got.status, status))
            continue
        w.yes(closed, "%r: what followed was answered" % data[:90])
        w.same("close", got["Connection"], "%r: Connection" % data[:90])
        w.error_shape(got, repr(data[:90]))
    w.lives()


@case
def chunks_that_make_no_sense(w):
    front = plain("POST", "/v1/blobs", w.token, b"",
                  {"Transfer-Encoding": "chunked"})
    for data in (b"x\r\n", b"-1\r\nx\r\n", b"0x1\r\nx\r\n0\r\n\r\n",
                 b"1\nx\n0\n\n", b"1\r\nxx\r\n0\r\n\r\n", b"\r\n",
                 b"1 \r\nxy\r\n", b"+1\r\nx\r\n", b"fffffffffffffffff\r\n",
                 b"ffffffffffffffff\r\n", b"1\r\nx0\r\n\r\n", b"1;\nx\r\n",
                 b"1" * 100 + b"\r\n", b"1;" + b"x" * 100000):
        got, closed = send(w, front + data + GET + b"\r\n")
        if got is None or got.status not in (400, 413):
            w.wrong("chunk %r: %s" % (data[:40], got and got.status))
            continue
        w.yes(closed, "chunk %r: what followed was answered" % data[:40])
        w.error_shape(got, repr(data[:40]))
    w.lives()


@case
def chunks(w):
    here = w.conversation()
    for name, sent in (
            ("one", b"5\r\nhello\r\n0\r\n\r\n"),
            ("two", b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
            ("ext", b"5;a=b;c\r\nhello\r\n0\r\n\r\n"),
            ("hex", b"0005\r\nhello\r\n000\r\n\r\n"),
            ("trail", b"5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n")):
        got = exchange(w.server, plain(
            "PUT", here + "/files/" + name, w.token, sent,
            {"Transfer-Encoding": "chunked"}))
        w.same(201, got.status, name)
        w.same(b"hello", w.ask("GET", here + "/files/" + name).body, name)
    empty = plain("PUT", here + "/files/empty", w.token, b"0\r\n\r\n",
                  {"Transfer-Encoding": "CHUNKED"})
    w.same(201, exchange(w.server, empty).status, "no chunk")
    # Byte by byte, and a request behind it.
    with w.server.connect() as s:
        for byte in plain("PUT", here + "/files/slow", w.token,
                          b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                          {"Transfer-Encoding": "chunked"}) + GET + b"\r\n":
            s.send(bytes([byte]))
        reader = Reader(s)
        w.same([201, 200], [reader.answer().status, reader.answer().status],
               "byte by byte")
    w.same(b"abcde", w.ask("GET", here + "/files/slow").body, "byte by byte")


@case
def a_connection_is_used_again(w):
    here = w.conversation()
    with w.server.connect() as s:
        reader = Reader(s)
        for i in range(30):
            s.sendall(plain("PUT", here + "/files/k", w.token, b"%d" % i))
            w.yes(reader.answer().status in (200, 201), "put %d" % i)
            s.sendall(plain("GET", here + "/files/k", w.token))
            w.same(b"%d" % i, reader.answer().body, "got %d" % i)
            s.sendall(plain("GET", "/nothing", w.token))
            w.same(404, reader.answer().status, "after %d" % i)
        s.sendall(plain("GET", "/healthz", headers={"Connection": "close"}))
        w.same("close", reader.answer()["Connection"], "the last")
        w.yes(reader.is_closed(), "it is not closed")


@case
def requests_in_one_write_are_answered_in_order(w):
    here = w.conversation()
    sent, want = b"", []
    for i in range(20):
        kind = i % 5
        if kind == 0:
            sent += plain("PUT", "%s/files/p%d" % (here, i), w.token, b"%d" % i)
            want.append((201, b'"p%d"' % i))
        elif kind == 1:
            sent += plain("GET", "%s/files/p%d" % (here, i - 1), w.token)
            want.append((200, b"%d" % (i - 1)))
        elif kind == 2:
            sent += plain("GET", "/healthz")
            want.append((200, b"ok"))
        elif kind == 3:
            sent += plain("GET", "/nothing%d" % i, w.token)
            want.append((404, b"error"))
        else:
            sent += plain("PUT", "%s/files/c%d" % (here, i), w.token,
                          b"1\r\nx\r\n0\r\n\r\n",
                          {"Transfer-Encoding": "chunked"})
            want.append((201, b'"c%d"' % i))
    with w.server.connect() as s:
        s.sendall(sent)
        reader = Reader(s)
        for i, (status, words) in enumerate(want):
            got = reader.answer()
            w.same(status, got.status, "answer %d" % i)
            w.yes(words in got.body, "answer %d: %r" % (i, got.body[:100]))


@case
def many_requests_in_one_write_to_one_who_does_not_read(w):
    with w.server.connect() as s:
        def send():
            try:
                s.sendall(plain("GET", "/openapi.json") * 400)
            except OSError as why:
                w.wrong("cut off: %s" % why)
        thread = threading.Thread(target=send)
        thread.start()
        thread.join(1)
        w.lives()
        reader = Reader(s)
        length = len(reader.answer().body)
        for i in range(399):
            w.same(length, len(reader.answer().body), "answer %d" % i)
        thread.join()


@case
def http_1_0(w):
    got, closed = send(w, b"GET /healthz HTTP/1.0\r\n\r\n")
    w.same((200, True), (got.status, closed), "HTTP/1.0")
    with w.server.connect() as s:
        reader = Reader(s)
        for _ in range(3):
            s.sendall(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            got = reader.answer()
            w.same((200, "keep-alive"), (got.status, got["Connection"].lower()),
                   "kept")
    got, _ = send(w, b"GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n",
                  waits=False)
    w.same(403, got.status, "by another name")


@case
def a_whole_address(w):
    got, _ = send(w, b"GET http://localhost/healthz HTTP/1.1\r\n"
                     b"Host: localhost\r\n\r\n", waits=False)
    w.same(200, got.status, "its own")
    for first, host in ((b"http://evil.example", b"localhost"),
                        (b"http://localhost@evil.example", b"localhost")):
        got, _ = send(w, b"GET " + first + b"/healthz HTTP/1.1\r\nHost: " +
                      host + b"\r\n\r\n", waits=False)
        w.yes(got.status in (400, 403), "%r: %d" % (first, got.status))
    for target in (b"http://", b"http:///healthz", b"https://x/", b"localhost:1"):
        got, _ = send(w, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n"
                         b"\r\n", waits=False)
        w.yes(400 <= got.status < 500, "%r: %d" % (target, got.status))
    got, _ = send(w, b"\r\n\r\n" + GET + b"\r\n", waits=False)
    w.same(200, got.status, "empty lines before")


@case
def the_head_alone(w):
    here = w.conversation()
    w.ask("PUT", here + "/files/h", b"hello", want=201)
    for target in (here + "/files/h", here, "/healthz", "/openapi.json",
                   "/v1/conversations", here + "/files/none"):
        full = w.ask("GET", target)
        with w.server.connect() as s:
            s.sendall(plain("HEAD", target, w.token) + GET + b"\r\n")
            reader = Reader(s)
            got = reader.answer(True)
            w.same((full.status, full["Content-Length"], full["Content-Type"],
                    full["ETag"]), (got.status, got["Content-Length"],
                                    got["Content-Type"], got["ETag"]), target)
            w.same(200, reader.answer().status, "what follows a HEAD")
    got = w.ask("HEAD", here + "/files/h", headers={"Range": "bytes=0-1"})
    w.same((200, "5"), (got.status, got["Content-Length"]), "a part of a head")
    for token in (None, "x"):
        w.ask("HEAD", here, token=token, want=401)


@case
def to_be_told_to_go_on(w):
    here = w.conversation()
    for headers, body in (({"Content-Length": "5"}, b"hello"),
                          ({"Transfer-Encoding": "chunked"},
                           b"5\r\nhello\r\n0\r\n\r\n")):
        with w.server.connect() as s:
            s.sendall(plain("PUT", here + "/files/e", w.token, None,
                            dict(headers, Expect="100-continue")))
            reader = Reader(s)
            w.same(100, reader.answer().status, "told")
            s.sendall(body)
            w.yes(reader.answer().status in (200, 201), "put")
            s.sendall(plain("GET", here + "/files/e", w.token))
            w.same(b"hello", reader.answer().body, "content")
    # Who does not wait is not told.
    got = exchange(w.server, plain("PUT", here + "/files/f", w.token, b"x",
                                   {"Expect": "100-continue"}))
    w.same(201, got.status, "all at once")
    got = exchange(w.server, b"GET /healthz HTTP/1.0\r\nContent-Length: 1\r\n"
                             b"Expect: 100-continue\r\n\r\nx")
    w.same(200, got.status, "HTTP/1.0 knows no 100")


@case
def what_was_cut_off_is_not_stored(w):
    here = w.conversation()
    for name, data in (
            ("length", plain("PUT", here + "/files/length", w.token, None,
                             {"Content-Length": "10"}) + b"12345"),
            ("chunk", plain("PUT", here + "/files/chunk", w.token,
                            b"5\r\nhello\r\n", {"Transfer-Encoding":
                                                "chunked"})),
            ("end", plain("PUT", here + "/files/end", w.token,
                          b"5\r\nhello\r\n0\r\n", {"Transfer-Encoding":
                                                   "chunked"})),
            ("head", plain("PUT", here + "/files/head", w.token, b"")[:-2])):
        for half in (False, True):
            with w.server.connect() as s:
                s.sendall(data)
                if half:
                    s.shutdown(1)
                    got = Reader(s).answer()
                    w.yes(got is None or got.status >= 400, name)
        w.ask("GET", here + "/files/" + name, want=404)
    w.same(0, w.ask("GET", here + "/artifacts").json()["count"], "artifacts")


@case
def who_has_said_all_is_still_answered(w):
    """A client that ends its side after the request is listening."""
    here = w.conversation()
    for request in (plain("GET", "/healthz"),
                    plain("PUT", here + "/files/s", w.token, b"x"),
                    plain("GET", here + "/messages", w.token)):
        with w.server.connect() as s:
            s.sendall(request)
            s.shutdown(1)
            got = Reader(s).answer()
            w.yes(got and got.status < 300, "no answer: %r" % request[:60])


@case
def who_leaves_at_once_harms_nobody(w):
    here = w.conversation()
    for _ in range(100):
        with w.server.connect() as s:
            s.sendall(plain("GET", here + "/messages", w.token) +
                      plain("PUT", here + "/files/gone", w.token, b"x"))
    w.lives()


@slow_case
def a_hundred_megabytes_of_head(w):
    for front, wanted in ((GET + b"A: ", (431,)), (b"GET /", (414,)),
                          (b"", (400, 414)), (GET, (431,))):
        piece = b"A: b\r\n" * 2700 if front == GET else b"a" * 16384
        # In pieces, listening after each: the answer must come.
        with w.server.connect() as s:
            s.sendall(front)
            s.settimeout(0.02)
            reader, got = Reader(s), None
            for _ in range(20):
                try:
                    s.sendall(piece)
                    got = reader.answer()
                    break
                except TimeoutError:
                    continue
            w.yes(got and got.status in wanted, "%r: %s, not %r" % (
                front[-5:], got and got.status, wanted))
        # Without listening, for as long as anybody takes it.
        with w.server.connect(5) as s:
            began, sent = time.monotonic(), 0
            try:
                s.sendall(front)
                while time.monotonic() - began < 6:
                    s.sendall(piece)
                    sent += len(piece)
                    if sent > 100 << 20:
                        time.sleep(0.02)
                w.wrong("%r: it listens for ever" % front[-5:])
            except OSError:
                pass
    w.lives()


@case
def curl_agrees(w):
    if not shutil.which("curl"):
        raise Skip("no curl")
    here = "http://127.0.0.1:%d" % w.server.port + w.conversation()

    def curl(*args, data=None):
        done = subprocess.run(
            ["curl", "-s", "-S", "-m", "10", "-H",
             "Authorization: Bearer " + w.token, *args], input=data,
            capture_output=True, check=False)
        w.same((0, b""), (done.returncode, done.stderr), "curl %r" % (args,))
        return done.stdout

    data = bytes(range(256)) * 2000
    made = curl("-T", "-", here + "/files/c", data=data)
    w.same(len(data), json.loads(made)["artifact"]["size"], "chunks of curl")
    w.yes(data == curl(here + "/files/c"), "it came back different")
    w.same(data[100:200], curl("-r", "100-199", here + "/files/c"), "a range")
    curl("--data-binary", "@-", "-H", "Content-Type: a/b", "-X", "PUT",
         here + "/files/d", data=data)
    w.yes(b"ETag" in curl("-I", here + "/files/d"), "a head")
    w.yes(data * 2 == curl(here + "/files/c", here + "/files/d"), "two in a row")
