"""A client of /v1/events."""
import json
import time

from client import asked, plain


class Listener:
    """A subscriber: its head, then events as they come."""

    def __init__(self, server, token, query="", headers=(), minor=1,
                 small=False):
        self.socket = server.connect(small=small)
        request = plain("GET", "/v1/events" + query, token, None, headers)
        self.socket.sendall(request.replace(b"HTTP/1.1", b"HTTP/1.%d" % minor))
        self.raw, self.text, self.chunked = b"", "", minor == 1
        self.ended, self.last_id = False, None
        while b"\r\n\r\n" not in self.raw:
            self.more()
        head, self.raw = self.raw.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(": ")
            self.headers[name.lower()] = value
        if self.status == 200:
            asked.add(("GET", "/v1/events"))

    def more(self, within=10):
        self.socket.settimeout(within)
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError("the connection ended; of it there is left %r" %
                           self.raw[:80])
        self.raw += piece

    def unchunk(self):
        """As much as has come. The last chunk is the end."""
        if not self.chunked:
            self.text, self.raw = self.text + self.raw.decode(), b""
            return
        while b"\r\n" in self.raw:
            size, rest = self.raw.split(b"\r\n", 1)
            n = int(size, 16)
            if len(rest) < n + 2:
                return
            assert rest[n:n + 2] == b"\r\n", rest[:n + 2]
            self.text, self.raw = self.text + rest[:n].decode(), rest[n + 2:]
            self.ended = n == 0

    def block(self, within=10):
        """The next lines up to an empty one; None: the stream was ended."""
        until = time.monotonic() + within
        while True:
            self.unchunk()
            if "\n\n" in self.text:
                block, self.text = self.text.split("\n\n", 1)
                return block
            if self.ended:
                return None
            self.more(max(0.01, until - time.monotonic()))

    def event(self, within=10):
        """(type, data) of the next event; None: it was ended."""
        while True:
            block = self.block(within)
            if block is None:
                return None
            fields = {}
            for line in block.split("\n"):
                name, _, value = line.partition(": ")
                fields[name] = value
            self.last_id = fields.get("id", self.last_id)
            if "data" in fields:
                return fields["event"], json.loads(fields["data"])

    def events(self, n):
        return [self.event() for _ in range(n)]

    def is_quiet(self, seconds=0.3):
        try:
            return self.event(seconds) and False
        except TimeoutError:
            return True

    def settle(self):
        """Until it has its current id."""
        self.block()
        return self

    def close(self):
        self.socket.close()
