"""What /metrics tells, and to whom."""
import re
import time

from client import ADMIN, case, exchange, plain, slow_case

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(r"(%s)(?:\{(%s(?:,%s)*)\})? (-?[0-9.e+]+|NaN|[+-]Inf)" %
                    (NAME, LABEL, LABEL))


def family(name, types):
    for end in ("_bucket", "_sum", "_count"):
        if name.endswith(end) and types.get(name[:-len(end)]) == "histogram":
            return name[:-len(end)]
    return name


def read(w, text):
    """{(name, labels): value}; all that the format forbids is said."""
    types, helps, samples, last = {}, set(), {}, None
    w.yes(text.endswith("\n"), "it ends with a newline")
    for line in text.split("\n")[:-1]:
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            w.yes(name not in helps, "HELP twice: " + line)
            w.yes(len(line.split(" ")) > 3, "no help: " + line)
            helps.add(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            w.yes(name not in types, "TYPE twice: " + line)
            w.yes(kind in ("counter", "gauge", "histogram"), line)
            w.yes(kind != "counter" or name.endswith("_total"),
                  "a counter ends in _total: " + line)
            types[name] = kind
        else:
            found = SAMPLE.fullmatch(line)
            if not found:
                w.wrong("no sample: %r" % line)
                continue
            name = family(found.group(1), types)
            w.yes(name in types and name in helps, "of no TYPE: " + line)
            w.yes(last == name or not any(family(n, types) == name
                                          for n, _ in samples),
                  "not together: " + line)
            last = name
            key = (found.group(1), found.group(2) or "")
            w.yes(key not in samples, "twice: " + line)
            samples[key] = float(found.group(3))
    w.same(helps, set(types), "HELP and TYPE come together")
    check_histograms(w, types, samples)
    return types, samples


def check_histograms(w, types, samples):
    rows = {}
    for (name, labels), value in samples.items():
        if name.endswith("_bucket"):
            label, le = re.fullmatch(r'(.*),le="(.*)"', labels).groups()
            rows.setdefault((name[:-7], label), []).append((float(le), value))
    for (name, label), buckets in rows.items():
        w.same("histogram", types[name], name)
        w.same(sorted(buckets), buckets, "%s{%s}: in order" % (name, label))
        counts = [n for _, n in buckets]
        w.same(sorted(counts), counts, "%s{%s}: they grow" % (name, label))
        w.same(float("inf"), buckets[-1][0], "the last is +Inf")
        w.same(counts[-1], samples[(name + "_count", label)], "the count")
        w.yes((name + "_sum", label) in samples, "no sum: " + name)


def scrape(w, server=None):
    got = exchange(server or w.server, plain("GET", "/metrics"))
    w.same(200, got.status, "GET /metrics")
    w.same("text/plain; version=0.0.4; charset=utf-8", got["Content-Type"],
           "its type")
    return read(w, got.body.decode("utf-8"))


@case
def it_is_what_prometheus_reads(w):
    w.ask("GET", "/metrics", token=None, want=200)
    types, samples = scrape(w)
    for name in ("quire_http_requests_total",
                 "quire_http_request_duration_seconds",
                 "quire_http_request_bytes_total",
                 "quire_http_response_bytes_total", "quire_http_connections",
                 "quire_http_requests_in_flight", "quire_queue_length",
                 "quire_queue_refused_total", "quire_write_groups_total",
                 "quire_grouped_writes_total", "quire_spool_bytes",
                 "quire_rate_limited_total",
                 "quire_conversations", "quire_blobs",
                 "quire_blob_stored_bytes", "quire_dedup_ratio",
                 "quire_collections_total",
                 "quire_collection_last_timestamp_seconds",
                 "quire_collection_last_freed_bytes", "quire_uptime_seconds",
                 "quire_build_info"):
        w.yes(name in types, "no " + name)
    w.yes(samples[("quire_uptime_seconds", "")] > 0, "it has been up")
    w.yes(samples[("quire_http_connections", "")] >= 1, "this connection")
    w.yes(samples[("quire_http_requests_in_flight", "")] >= 1, "this request")


def answers(samples, op, code):
    return samples.get(("quire_http_requests_total",
                        'operation="%s",code="%s"' % (op, code)), 0)


@case
def what_is_asked_is_counted(w):
    here = w.conversation()
    before = scrape(w)[1]
    for _ in range(3):
        w.ask("PUT", here + "/files/counted", b"x" * 1000)
    w.ask("PUT", here + "/files/..", b"x")
    w.ask("GET", "/v1/nothing")
    w.ask("GET", "/v1/conversations", token=None, want=401)
    after = scrape(w)[1]

    def grew(name, labels=""):
        return after.get((name, labels), 0) - before.get((name, labels), 0)
    for op, code, n in (("files.put", "2xx", 3), ("files.put", "4xx", 1),
                        ("none", "4xx", 1), ("conversations.list", "4xx", 1)):
        w.yes(answers(after, op, code) - answers(before, op, code) >= n,
              "%s %s" % (op, code))
    w.yes(grew("quire_http_request_duration_seconds_count",
               'operation="files.put"') >= 4, "times")
    w.yes(grew("quire_http_request_bytes_total") >= 3001, "bytes in")
    w.yes(grew("quire_http_response_bytes_total") >= 500, "bytes out")


@slow_case
def what_there_is_is_counted_and_no_name_is_told(w):
    token = w.ask("POST", "/v1/admin/tenants", {"name": "walrus-tenant"},
                  ADMIN).json()["token"]
    here = w.conversation(token, title="walrus-title")
    w.ask("PUT", here + "/files/walrus-path", b"walrus-content", token)
    w.ask("GET", here + "/files/walrus-path?version=1", token=token)
    w.ask("GET", "/v1/memory/walrus-agent", token=token)
    for _ in range(200):
        samples = scrape(w)[1]
        if samples.get(("quire_artifacts", ""), 0) > 0:
            break
        time.sleep(0.2)
    for name in ("quire_blobs", "quire_conversations", "quire_artifacts",
                 "quire_tenants", "quire_blob_stored_bytes"):
        w.yes(samples.get((name, ""), -1) >= 1, name + " of what there is")
    w.yes(samples.get(("quire_dedup_ratio", ""), 0) > 0, "the ratio")
    got = w.ask("GET", "/metrics", token=ADMIN, want=200)
    w.yes(b"walrus" not in got.body, "a name is told")
    w.yes(token.encode() not in got.body and ADMIN.encode() not in got.body,
          "a token is told")
    w.yes(b"tenant-" not in got.body, "another name is told")


@case
def who_is_told(w):
    for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        w.ask("GET", "/metrics", token=None, headers={name: "203.0.113.7"},
              want=401)
        w.ask("GET", "/metrics", headers={name: "203.0.113.7"}, want=403)
        w.ask("GET", "/metrics", token=ADMIN, headers={name: "203.0.113.7"},
              want=200)
    w.ask("GET", "/metrics", headers={"Origin": "http://evil.example"},
          want=403)
