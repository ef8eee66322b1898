"""Login, addresses, the frame around the pages, and content that attacks."""
from world import ADMIN, case


@case
def the_token_leaves_the_address_at_once(w):
    w.open("/sessions")
    w.yes("token" not in w.browser.url, "the address: " + w.browser.url)
    w.same("/sessions", w.address(), "where it leads")
    w.yes(not w.js("return JSON.stringify(localStorage).includes('qrt_')"),
          "a token in localStorage")
    w.same("", w.js("return document.cookie"), "cookies")


@case
def without_a_token_there_is_a_login(w):
    w.expected.append("401")
    w.browser.go(w.origin + "/")
    w.wait("form input")
    w.fill("form input", "qrt_" + "0" * 64)
    w.press("Enter")
    w.wait("[role=alert]")
    w.fill("form input", w.home.token)
    w.press("Enter")
    w.gone("form input")
    w.ready()


@case
def logging_out_forgets_the_token(w):
    w.expected.append("401")
    w.open("/sessions")
    w.click("button[aria-label=account]")
    w.click("[role=menuitem]", "Log out")
    w.wait("form input")
    w.same(0, w.js("return sessionStorage.length"), "what is kept")
    w.browser.go(w.origin + "/#/sessions")
    w.wait("form input")


@case
def keys_lead_to_the_pages(w):
    w.open("/")
    for keys, path in (("gs", "/sessions"), ("ga", "/artifacts"),
                       ("gm", "/memory"), ("gh", "/")):
        w.press(*keys)
        w.until(lambda: w.address().split("?")[0] == path, keys + " to " + path)
        w.ready()
    w.press("?")
    w.wait("dialog[open]", "Keys")
    w.press("Escape")
    w.gone("dialog[open]")
    w.press("/")
    w.until(lambda: w.address().startswith("/search"), "/ to the search")


@case
def every_page_fits_a_phone_and_both_themes(w):
    paths = ["/", "/sessions", "/session/" + w.home.rich, "/search?q=parser",
             "/artifacts", "/outputs/" + w.home.rich, "/memory", "/history"]
    for width, theme in ((1280, "light"), (1280, "dark"), (360, "light"),
                         (640, "dark")):  # 640 is 1280 at 200 %
        w.browser.size(width, 800)
        w.browser.prefer(prefers_color_scheme=theme,
                         prefers_reduced_motion="reduce")
        w.open("/")
        for path in paths:
            w.visit(path)
            over = w.js("return document.documentElement.scrollWidth - "
                        "window.innerWidth")
            w.yes(over <= 0, "%s at %d: %d pixels too wide" % (path, width,
                                                               over))
            name = path.strip("/").split("/")[0].split("?")[0] or "home"
            w.keep_picture("%s-%d-%s" % (name, width, theme))


def not_attacked(w, what):
    w.same(None, w.js("return window.attacked === undefined ? null : "
                      "window.attacked"), what + ": ran")
    w.same(0, w.js("return document.querySelectorAll('main script, main iframe, "
                   "main object, main embed, main style, main link, main base, "
                   "main form[action], main img[src^=http], "
                   "main [onerror], main [onload], main [onclick]').length"),
           what + ": elements of the content")
    bad = w.js("return Array.from(document.querySelectorAll('main a[href]'))"
               ".map(a => a.getAttribute('href')).filter(h => "
               "!/^(#|https?:|mailto:)/.test(h))")
    w.same([], bad, what + ": links")


@case
def content_that_attacks_is_only_shown(w):
    w.open("/session/" + w.home.hostile)
    for entry in ("h0-u", "h6-a", "h10-u", "h13-a", "h16-r", "h17-u", "h18-a",
                  "h-kind"):
        w.visit("/session/%s/%s" % (w.home.hostile, entry))
        w.press("E")
        not_attacked(w, entry)
    w.yes("\u202e" not in w.browser.title, "the title")
    for path in ("/", "/sessions", "/search?q=script", "/search?q=attacked",
                 "/artifacts", "/memory", "/history"):
        w.visit(path)
        not_attacked(w, path)


@case
def a_reader_is_offered_no_changes(w):
    w.open("/session/" + w.home.rich, token=w.home.reader)
    w.press(".")
    w.js("return 0")
    words = " ".join(w.text("[role=menu] [role=menuitem]"))
    for word in ("Rename", "Fork", "Archive", "Delete", "Label"):
        w.yes(word not in words, "a reader can: " + word)


@case
def an_idle_page_asks_for_nothing(w):
    """Once events arrive the list is asked for again: what happened before is in it."""
    import time
    w.open("/sessions")
    for _ in range(4):
        w.browser.requests()
        time.sleep(3)
        asked = [u for u in w.browser.requests() if "/v1/events" not in u]
        if not asked:
            break
    w.same([], asked, "requests of an idle page")


@case
def the_admin_sees_tenants(w):
    w.open("/admin", token=ADMIN)
    w.wait("main", "default")
