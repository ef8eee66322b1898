"""Make a bucket as soon as the store answers: make_bucket.py ENV BUCKET

ENV is a file of lines NAME=value, as tests/cluster/rgw writes it.
"""
import datetime
import hashlib
import hmac
import sys
import time
import urllib.error
import urllib.request


def authorization(settings, path, headers, payload):
    """AWS Signature Version 4 of a PUT."""
    stamp, names = headers["x-amz-date"], sorted(headers)
    request = "\n".join(["PUT", path, "",
                         "".join("%s:%s\n" % (n, headers[n]) for n in names),
                         ";".join(names), payload])
    parts = [stamp[:8], settings["AWS_REGION"], "s3", "aws4_request"]
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(parts),
                      hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + settings["AWS_SECRET_ACCESS_KEY"]).encode()
    for part in parts:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (
        settings["AWS_ACCESS_KEY_ID"], "/".join(parts), ";".join(names),
        hmac.new(key, text.encode(), hashlib.sha256).hexdigest())


def make(settings, bucket):
    endpoint, path = settings["AWS_ENDPOINT_URL"], "/" + bucket
    payload = hashlib.sha256(b"").hexdigest()
    headers = {"host": endpoint.partition("://")[2],
               "x-amz-content-sha256": payload,
               "x-amz-date": datetime.datetime.utcnow().strftime("%Y%m%dT%H%M%SZ")}
    headers["authorization"] = authorization(settings, path, dict(headers), payload)
    request = urllib.request.Request(endpoint + path, method="PUT", headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as answer:
        return answer.status


def main():
    with open(sys.argv[1]) as f:
        settings = dict(line.rstrip("\n").split("=", 1) for line in f)
    end = time.monotonic() + 100
    while True:
        try:
            return make(settings, sys.argv[2]) != 200
        except (urllib.error.URLError, OSError) as e:
            if time.monotonic() > end:
                raise
            print(e)
            time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
