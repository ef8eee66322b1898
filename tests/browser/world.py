"""What the cases are written in: a page of the viewer, and what must hold of any."""
import json
import os
import time
import urllib.parse

import webdriver
from client import ADMIN, Skip, exchange, plain  # noqa: F401

cases = []


def case(function):
    cases.append(function)
    return function


class World:
    """A page, logged in as the owner of the sample home (home.py)."""

    def __init__(self, browser, server, sample):
        self.browser, self.server, self.home = browser, server, sample
        self.origin = "http://127.0.0.1:%d" % server.port
        self.wrongs = []
        self.expected = []  # parts of console errors that the case is about

    # ---- checks ------------------------------------------------------------

    def wrong(self, words):
        self.wrongs.append(words)

    def same(self, wanted, got, what):
        if wanted != got:
            self.wrong("%s: %r, not %r" % (what, got, wanted))

    def yes(self, fact, what):
        if not fact:
            self.wrong(what)

    def begin(self):
        """A page without a past."""
        self.browser.go("about:blank")
        self.browser.chrome("Storage.clearDataForOrigin", origin=self.origin,
                            storageTypes="all")
        self.browser.size(1280, 900)
        self.browser.prefer(prefers_color_scheme="light",
                            prefers_reduced_motion="reduce")
        self.browser.logged("browser")
        self.browser.logged("performance")

    def settle(self):
        """What must hold whatever the case is about."""
        for message in self.browser.console():
            if not any(part in message for part in self.expected):
                self.wrong("console: " + message[:500])
        for url in self.browser.requests():
            if not url.startswith((self.origin + "/", "data:", "blob:",
                                   "about:", "chrome:")):
                self.wrong("a request to another origin: " + url[:300])

    # ---- the server, beside the page -----------------------------------------

    def ask(self, method, path, body=None, token=None):
        """A request of a script, as another program would make it."""
        data = None if body is None else json.dumps(body).encode()
        got = exchange(self.server, plain(
            method, path, token or self.home.token, data,
            {"Content-Type": "application/json"} if data else {}))
        if got.status >= 400:
            raise webdriver.WrongAnswer("%s %s: %d %r" % (
                method, path, got.status, got.body[:300]))
        return json.loads(got.body) if got.body else None

    # ---- the page ------------------------------------------------------------

    def open(self, path="/", token=None, **query):
        """Log in by the fragment, as `quire open` does, and wait for the page."""
        to = path + ("?" + urllib.parse.urlencode(query) if query else "")
        self.browser.go("about:blank")
        self.browser.go("%s/#token=%s&to=%s" % (
            self.origin, token or self.home.token,
            urllib.parse.quote(to, safe="")))
        self.ready()

    def visit(self, path, **query):
        """Another address of the page, as if its link had been followed."""
        to = path + ("?" + urllib.parse.urlencode(query) if query else "")
        self.browser.js("location.hash = arguments[0];", "#" + to)
        self.ready()

    def ready(self, within=10):
        """Wait until the page has drawn what it asked for: the element `main` has
        aria-busy while it has not."""
        if not self.browser.wait_js(
                "document.querySelector('main') && document.querySelector("
                "'main').getAttribute('aria-busy') !== 'true' && "
                "document.querySelector('main').children.length > 0",
                within=within):
            raise webdriver.WrongAnswer(
                "the page is not ready: " + self.browser.js(
                    "return document.body.innerText")[:500])

    def wait(self, selector, text=None, within=10):
        """Wait for a visible element, one that has `text` in it."""
        found = self.browser.wait_js(
            "Array.from(document.querySelectorAll(arguments[0])).find(e => "
            "e.getClientRects().length && (arguments[1] === null || "
            "e.textContent.includes(arguments[1])))", selector, text,
            within=within)
        if not found:
            raise webdriver.WrongAnswer("no %s%s in: %s" % (
                selector, " with %r" % text if text else "", self.browser.js(
                    "return document.body.innerText")[:1500]))
        return found[webdriver.ELEMENT]

    def gone(self, selector, within=10):
        if not self.browser.wait_js(
                "!Array.from(document.querySelectorAll(arguments[0])).some("
                "e => e.getClientRects().length)", selector, within=within):
            raise webdriver.WrongAnswer("%s is still there" % selector)

    def click(self, selector, text=None, within=10):
        """Again, if the page has drawn the element anew meanwhile, or something is above
        it for a moment."""
        end = time.monotonic() + within
        while True:
            element = self.wait(selector, text)
            try:
                self.browser.js("arguments[0].scrollIntoView({block: 'center'})",
                                self.browser.element(element))
                self.browser.click_element(element)
                return
            except webdriver.WrongAnswer as wrong:
                if time.monotonic() > end or not str(wrong).startswith(
                        ("stale element", "element click intercepted")):
                    raise
            time.sleep(0.05)

    def fill(self, selector, text):
        """Replace what a field has."""
        self.click(selector)
        self.browser.press("Control+a", "Delete")
        self.browser.type_into(self.wait(selector), text)

    def press(self, *keys):
        self.browser.press(*keys)

    def text(self, selector):
        """The texts of all visible elements."""
        return self.browser.js(
            "return Array.from(document.querySelectorAll(arguments[0])).filter("
            "e => e.getClientRects().length).map(e => e.innerText.trim())",
            selector)

    def count(self, selector):
        return len(self.browser.find_all(selector))

    def js(self, script, *args):
        return self.browser.js(script, *args)

    def address(self):
        """What stands behind # in the address."""
        return urllib.parse.unquote(self.browser.url.partition("#")[2])

    def until(self, true, what, within=10):
        """Wait until a function returns something true."""
        end = time.monotonic() + within
        while not true():
            if time.monotonic() > end:
                raise webdriver.WrongAnswer("not within %d s: %s" % (within,
                                                                     what))
            time.sleep(0.05)

    # ---- pictures --------------------------------------------------------------

    def keep_picture(self, name):
        """Where QUIRE_SCREENSHOTS names a directory."""
        place = os.environ.get("QUIRE_SCREENSHOTS")
        if place:
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, name + ".png"), "wb") as file:
                file.write(self.browser.picture())
