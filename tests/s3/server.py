"""A stand-in for an S3 store, in memory, on loopback, with and without TLS.

It checks what a store checks: the signature, by an implementation of its own,
and the SHA-256 of each body. And it misbehaves on purpose: a key (or the prefix
of a list) that begins with

    fault.CALL.KIND.COUNT.ANYTHING/

makes the first COUNT requests of that CALL misbehave in that way (0: all of
them). CALL is a method, or LIST, BEGIN, PART, COMPLETE and ABORT (of uploads).
KIND is a status, a function below named fault_KIND, or a word that this file
looks for.
"""
import base64
import collections
import datetime
import email.utils
import hashlib
import hmac
import http.server
import os
import re
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

KEY_ID, SECRET, REGION, BUCKET = "tests", "not/a+secret", "us-east-1", "quire-test"
PAGE_MAX = 100  # keys of a page: smaller than that of a store
SLOW_S = 1.5
FAULT = re.compile(r"(?:^|.*/)fault\.([A-Z]+)\.([a-z0-9_]+)\.(\d+)\.[^/]*")

Object = collections.namedtuple("Object", "data sha256 modified etag")


class Store:
    def __init__(self):
        self.lock = threading.Lock()
        self.objects = {}
        self.uploads = {}
        self.counts = collections.Counter()


STORE = Store()


class Close(Exception):
    """End the connection without another byte."""


class Answer(Exception):
    def __init__(self, status, body=b"", headers=None):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers or {}


def error(status, code):
    return Answer(status, ("<?xml version='1.0'?><Error><Code>%s</Code><Message>no"
                           "</Message></Error>" % code).encode())


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quote(text):
    return urllib.parse.quote(text, safe="-._~")


def sign(method, path, query, headers, signed, payload):
    """The signature that a request should have."""
    lines = "".join("%s:%s\n" % (n, " ".join(headers[n].split())) for n in signed)
    pairs = sorted((quote(k), quote(v)) for k, v in query)
    request = "\n".join([method, urllib.parse.quote(path, safe="/-._~"),
                         "&".join("%s=%s" % p for p in pairs), lines,
                         ";".join(signed), payload])
    stamp = headers["x-amz-date"]
    scope = "/".join([stamp[:8], REGION, "s3", "aws4_request"])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope,
                      hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for part in (stamp[:8], REGION, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    # ---- the request --------------------------------------------------------

    def authenticate(self, payload):
        given = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]*)/\d{8}/([^/]*)/s3/"
                         r"aws4_request, SignedHeaders=([a-z0-9;-]*), "
                         r"Signature=([0-9a-f]{64})$",
                         self.headers.get("authorization", ""))
        if not given:
            raise error(403, "AccessDenied")
        name, region, signed, signature = given.groups()
        if name != KEY_ID:
            raise error(403, "InvalidAccessKeyId")
        if region != REGION:
            raise error(400, "AuthorizationHeaderMalformed")
        headers = {n.lower(): v for n, v in self.headers.items()}
        signed = signed.split(";")
        needed = [n for n in headers if n.startswith("x-amz-") or n == "host"]
        if not set(needed) <= set(signed) or signed != sorted(signed):
            raise error(403, "AccessDenied")
        stamp = datetime.datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ")
        if abs((datetime.datetime.utcnow() - stamp).total_seconds()) > 900:
            raise error(403, "RequestTimeTooSkewed")
        if sign(self.command, self.whole_path, self.query, headers, signed,
                payload) != signature:
            raise error(403, "SignatureDoesNotMatch")

    def read_request(self):
        url = urllib.parse.urlsplit(self.path)
        self.whole_path = urllib.parse.unquote(url.path)
        self.query = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        self.args = dict(self.query)
        bucket, _, self.key = self.whole_path[1:].partition("/")
        self.fault = self.choose_fault(self.key or self.args.get("prefix", ""))
        length = int(self.headers.get("content-length", 0))
        if self.fault == "cutrequest":
            self.rfile.read(length // 2)
            raise Close
        body = self.rfile.read(length)
        if self.fault == "slow":
            time.sleep(SLOW_S)
        payload = self.headers.get("x-amz-content-sha256", "")
        self.authenticate(payload)
        if hashlib.sha256(body).hexdigest() != payload or self.fault == "mismatch":
            raise error(400, "XAmzContentSHA256Mismatch")
        if bucket != BUCKET:
            raise error(404, "NoSuchBucket")
        return body

    def call(self):
        if "uploads" in self.args:
            return "BEGIN"
        if "uploadId" in self.args:
            return {"PUT": "PART", "POST": "COMPLETE", "DELETE": "ABORT"}[self.command]
        return self.command if self.key else "LIST"

    def choose_fault(self, key):
        found = FAULT.match(key)
        if not found or found.group(1) != self.call():
            return ""
        with STORE.lock:
            STORE.counts[found.group(0)] += 1
            nth = STORE.counts[found.group(0)]
        count = int(found.group(3))
        return found.group(2) if count == 0 or nth <= count else ""

    # ---- the answer ---------------------------------------------------------

    def reply(self, status, body=b"", headers=None, length=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def handle_any(self):
        try:
            body = self.read_request()
            if self.fault.isdigit():
                raise error(int(self.fault), "InternalError")
            if self.fault == "refuse":
                raise Close
            status, data, headers = getattr(self, "do_" + self.command.lower())(body)
            if self.fault == "lost":
                raise Close
            fault = getattr(self, "fault_" + self.fault, None)
            if fault:
                fault(status, data, headers)
            else:
                self.reply(status, data, headers)
            if self.fault == "closeafter":
                raise Close
        except Answer as a:
            self.reply(a.status, a.body, a.headers)
        except (Close, OSError):
            self.close_connection = True
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def fault_cut(self, status, data, headers):
        self.reply(status, data[:len(data) // 2], headers, len(data))
        raise Close

    def fault_drip(self, status, data, headers):
        self.reply(status, b"", headers, len(data))
        for i in range(len(data)):
            self.wfile.write(data[i:i + 1])
            self.wfile.flush()
            time.sleep(0.1)

    def fault_flip(self, status, data, headers):
        self.reply(status, data[:-1] + bytes([data[-1] ^ 1]), headers)

    def fault_long(self, status, data, headers):
        self.reply(status, data + bytes(1 << 20), headers)

    def fault_short(self, status, data, headers):
        self.reply(status, data[:-1], headers)

    def fault_html(self, status, data, headers):
        self.reply(status, b"<html><body>It works!</body></html>", {})

    def fault_noetag(self, status, data, headers):
        self.reply(status, data, {n: v for n, v in headers.items() if n != "ETag"})

    def fault_badetag(self, status, data, headers):
        self.reply(status, data, dict(headers, ETag="\"<a>&\""))

    def fault_swap(self, status, data, headers):
        self.reply(status, data, dict(headers, ETag="\"another\""))

    def fault_embedded(self, status, data, headers):
        self.reply(200, b"<Error><Code>InternalError</Code></Error>", {})

    def fault_elsewhere(self, status, data, headers):
        self.reply(200, listed([("else/x", 1, time.time())], None))

    def fault_loop(self, status, data, headers):
        self.reply(200, listed([(self.args["prefix"] + "x", 1, time.time())], "YWdhaW4="))

    def fault_empty(self, status, data, headers):
        self.reply(200, listed([], "YWdhaW4="))

    # ---- verbs --------------------------------------------------------------

    def do_put(self, body):
        etag = '"%s"' % hashlib.md5(body).hexdigest()
        if "uploadId" in self.args:
            with STORE.lock:
                upload = STORE.uploads.get(self.args["uploadId"])
                if upload is None:
                    raise error(404, "NoSuchUpload")
                upload["parts"][int(self.args["partNumber"])] = (etag, body)
            return 200, b"", {"ETag": etag}
        self.store(body, self.headers.get("x-amz-meta-sha256"), etag)
        return 200, b"", {"ETag": etag}

    def store(self, body, sha256, etag):
        with STORE.lock:
            STORE.objects[self.key] = Object(body, sha256, time.time(), etag)

    def find(self):
        with STORE.lock:
            found = STORE.objects.get(self.key)
        if found is None:
            raise error(404, "NoSuchKey")
        headers = {"ETag": found.etag,
                   "Last-Modified": email.utils.formatdate(found.modified, usegmt=True)}
        if found.sha256:
            headers["x-amz-meta-sha256"] = found.sha256
        return found, headers

    def do_head(self, _):
        found, headers = self.find()
        return 200, found.data, headers

    def do_get(self, _):
        if not self.key:
            return self.do_list()
        found, headers = self.find()
        wanted = re.match(r"bytes=(\d+)-(\d+)$", self.headers.get("range", ""))
        if not wanted or self.fault == "ignore":
            return 200, found.data, headers
        first, last = (int(n) for n in wanted.groups())
        if first >= len(found.data):
            raise Answer(416, b"<Error><Code>InvalidRange</Code></Error>",
                         {"Content-Range": "bytes */%d" % len(found.data)})
        if self.fault == "shift":
            first, last = first + 1, last + 1
        last = min(last, len(found.data) - 1)
        total = len(found.data) + (self.fault == "total")
        headers["Content-Range"] = "bytes %d-%d/%d" % (first, last, total)
        return 206, found.data[first:last + 1], headers

    def do_list(self):
        prefix = self.args.get("prefix", "")
        token = self.args.get("continuation-token")
        after = base64.b64decode(token).decode() if token else ""
        most = min(int(self.args.get("max-keys", "1000")), PAGE_MAX)
        with STORE.lock:
            keys = sorted((k for k in STORE.objects
                           if k.startswith(prefix) and k > after), key=str.encode)
            page = [(k, len(STORE.objects[k].data), STORE.objects[k].modified)
                    for k in keys[:most]]
        more = keys[most - 1] if len(keys) > most else None
        return 200, listed(page, more and base64.b64encode(more.encode()).decode()), {}

    def do_delete(self, _):
        with STORE.lock:
            if "uploadId" in self.args:
                STORE.uploads.pop(self.args["uploadId"], None)
            else:
                STORE.objects.pop(self.key, None)
        return 204, b"", {}

    def do_post(self, body):
        if "uploads" in self.args:
            with STORE.lock:
                name = "%d~/+ %s" % (len(STORE.uploads), time.time())
                STORE.uploads[name] = {"sha256": self.headers.get("x-amz-meta-sha256"),
                                       "parts": {}}
            return 200, ("<InitiateMultipartUploadResult><UploadId>%s</UploadId>"
                         "</InitiateMultipartUploadResult>" % name).encode(), {}
        return self.complete(body.decode())

    def complete(self, body):
        with STORE.lock:
            upload = STORE.uploads.pop(self.args.get("uploadId"), None)
        if upload is None:
            raise error(404, "NoSuchUpload")
        wanted = re.findall(r"<Part><PartNumber>(\d+)</PartNumber><ETag>([^<]*)</ETag>"
                            r"</Part>", body)
        data = b""
        for number, etag in wanted:
            part = upload["parts"].get(int(number))
            if part is None or part[0] != etag:
                raise error(400, "InvalidPart")
            data += part[1]
        if not wanted or len(wanted) != len(upload["parts"]):
            raise error(400, "MalformedXML")
        etag = '"%s-%d"' % (hashlib.md5(data).hexdigest(), len(wanted))
        self.store(data, upload["sha256"], etag)
        return 200, ("<CompleteMultipartUploadResult><ETag>%s</ETag>"
                     "</CompleteMultipartUploadResult>" % escape(etag)).encode(), {}


def listed(page, token):
    parts = ["<?xml version='1.0' encoding='UTF-8'?>\n<ListBucketResult "
             "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
             "<IsTruncated>%s</IsTruncated>" % ("true" if token else "false")]
    if token:
        parts.append("<NextContinuationToken>%s</NextContinuationToken>" % token)
    for key, size, modified in page:
        stamp = datetime.datetime.utcfromtimestamp(modified)
        parts.append("<Contents><Key>%s</Key><LastModified>%s.%03dZ</LastModified>"
                     "<ETag>&quot;x&quot;</ETag><Size>%d</Size></Contents>"
                     % (escape(key), stamp.strftime("%Y-%m-%dT%H:%M:%S"),
                        stamp.microsecond // 1000, size))
    return ("".join(parts) + "</ListBucketResult>").encode()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


def serve(certificate=None):
    server = Server(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def make_certificate(path):
    """A certificate of 127.0.0.1 that signs itself, with its key in one file."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
         path + ".key", "-out", path + ".crt"], capture_output=True)
    if made.returncode != 0:
        return False
    with open(path, "w") as out:
        for part in (path + ".key", path + ".crt"):
            with open(part) as f:
                out.write(f.read())
    return True


def start(work):
    """Serve until the process ends; returns the environment of clients. Files
    go to the directory `work`."""
    settings = {"AWS_ENDPOINT_URL": "http://127.0.0.1:%d" % serve(),
                "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_REGION": REGION, "QUIRE_TEST_S3": "s3://" + BUCKET,
                "QUIRE_TEST_S3_FAULTS": "1", "NO_PROXY": "127.0.0.1"}
    certificate = os.path.join(work, "certificate")
    if make_certificate(certificate):
        settings["QUIRE_TEST_S3_TLS"] = "https://127.0.0.1:%d" % serve(certificate)
        settings["QUIRE_TEST_S3_CA"] = certificate + ".crt"
    return settings
