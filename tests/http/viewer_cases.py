"""The viewer's page and files, and what browsers are told about all answers."""
import gzip
import posixpath
import re

from client import case


def page_of(w):
    return w.ask("GET", "/", token=None, want=200,
                 headers={"Accept": "text/html"})


def assets_of(w):
    """The addresses of files that the page names."""
    found = re.findall(r'"(/assets/[^"]+)"', page_of(w).body.decode())
    return found or w.wrong("the page names no files")


@case
def the_page_forbids_scripts_of_others(w):
    got = page_of(w)
    policy = got["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'",
                 "connect-src 'self'", "object-src 'none'", "base-uri 'none'",
                 "form-action 'none'", "frame-ancestors 'none'",
                 "require-trusted-types-for 'script'", "trusted-types 'none'"):
        w.yes(part in policy.split("; "), "%s in %r" % (part, policy))
    w.same("DENY", got["X-Frame-Options"], "frames")
    w.same("same-origin", got["Cross-Origin-Opener-Policy"], "opener")
    w.same("no-cache", got["Cache-Control"], "caching")
    w.yes(b"<script>" not in got.body and b"style=" not in got.body,
          "nothing inline")


@case
def the_page_is_not_sent_again_if_it_is_the_same(w):
    tag = page_of(w)["ETag"]
    got = w.ask("GET", "/", token=None, want=304,
                headers={"Accept": "text/html", "If-None-Match": tag})
    w.same(b"", got.body, "no body")


@case
def files_of_the_viewer_are_kept_for_ever_and_named_by_content(w):
    for target in assets_of(w):
        plain = w.ask("GET", target, token=None, want=200)
        packed = w.ask("GET", target, token=None, want=200,
                       headers={"Accept-Encoding": "gzip"})
        w.same("gzip", packed["Content-Encoding"], "compressed")
        w.same(plain.body, gzip.decompress(packed.body), "the same content")
        w.same("public, max-age=31536000, immutable", plain["Cache-Control"],
               "caching")
        w.same("nosniff", plain["X-Content-Type-Options"], "type")
        kind = {"js": "text/javascript", "css": "text/css",
                "svg": "image/svg+xml"}[target.rsplit(".", 1)[1]]
        w.same(kind, plain["Content-Type"].split(";")[0], "type of " + target)


@case
def files_of_another_version_are_not_found(w):
    for target in ("/assets/0123456789abcdef/app.js", "/assets/x", "/assets/",
                   "/assets/0123456789abcdef/../../etc/passwd"):
        got = w.ask("GET", target, token=None)
        w.yes(got.status in (401, 404), "%s: %d" % (target, got.status))


@case
def no_answer_is_kept_or_shown_as_what_it_is_not(w):
    for target in ("/healthz", "/v1/sessions", "/v1/nothing"):
        got = w.ask("GET", target)
        w.same("nosniff", got["X-Content-Type-Options"], "type")
        w.same("no-store", got["Cache-Control"], "caching")
        w.same("no-referrer", got["Referrer-Policy"], "referrer")
        w.same("same-origin", got["Cross-Origin-Resource-Policy"], "resource")


@case
def pages_of_other_sites_are_refused(w):
    for site in ("cross-site", "same-site", "x"):
        for target in ("/v1/sessions", "/healthz", "/"):
            w.ask("GET", target, want=403, headers={"Sec-Fetch-Site": site,
                                                    "Accept": "text/html"})
    for site in ("same-origin", "none"):
        w.ask("GET", "/v1/sessions", want=200,
              headers={"Sec-Fetch-Site": site})
    w.ask("GET", "/", token=None, want=200,
          headers={"Sec-Fetch-Site": "cross-site", "Accept": "text/html",
                   "Sec-Fetch-Dest": "document"})
    w.ask("GET", "/v1/sessions", want=403,
          headers={"Sec-Fetch-Site": "cross-site",
                   "Sec-Fetch-Dest": "document"})


def modules_of(w, base, name, seen, lazy):
    """The sizes, as sent, of a script and of all that it imports."""
    if name in seen:
        return
    got = w.ask("GET", base + name, token=None, want=200,
                headers={"Accept-Encoding": "gzip"})
    seen[name] = len(got.body)
    text = gzip.decompress(got.body).decode()
    place = name.rpartition("/")[0]
    found = re.findall(r"""\bfrom '(\.[^'\n]+\.js)'""", text)
    if lazy:
        found += re.findall(r"""import\('(\.[^'\n]+\.js)'\)""", text)
    for other in found:
        modules_of(w, base, posixpath.normpath(posixpath.join(place, other)),
                   seen, lazy)


@case
def the_viewer_is_small(w):
    """In bytes as sent: 60 KB for the first page, 150 KB for all of it."""
    page = page_of(w)
    base = re.search(r'"(/assets/[0-9a-f]+/)app.js"',
                     page.body.decode()).group(1)
    styles = sum(len(w.ask("GET", target, token=None, want=200,
                           headers={"Accept-Encoding": "gzip"}).body)
                 for target in assets_of(w) if not target.endswith(".js"))
    first, whole = {}, {}
    modules_of(w, base, "app.js", first, False)
    modules_of(w, base, "home/home.js", first, False)
    modules_of(w, base, "app.js", whole, True)
    first_sum, whole_sum = (sum(s.values()) + styles for s in (first, whole))
    w.yes(first_sum <= 60 * 1024, "the first page: %d bytes" % first_sum)
    w.yes(whole_sum <= 150 * 1024, "all of it: %d bytes" % whole_sum)
    w.yes(len(whole) > len(first), "pages are loaded when they are opened")
