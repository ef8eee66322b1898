"""A browser by WebDriver: chromedriver, and the few requests that cases need.

What the page logs, and every request it makes, is read after each case: a console
error, a report of the content policy or a request to another origin is a failure,
whatever the case is about (world.py)."""
import base64
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

# The codes of keys that are not characters (WebDriver, "Keyboard actions").
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004",
        "Backspace": "\ue003", "Delete": "\ue017", "Space": " ",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "PageUp": "\ue00e", "PageDown": "\ue00f",
        "End": "\ue010", "Home": "\ue011", "Control": "\ue009",
        "Shift": "\ue008", "Alt": "\ue00a"}


class WrongAnswer(Exception):
    pass


class Browser:
    """One Chromium, without a window."""

    def __init__(self, work):
        self.log = os.path.join(work, "chromedriver.log")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdin=subprocess.DEVNULL,
            stdout=open(self.log, "wb"), stderr=subprocess.STDOUT)
        self.base = "http://127.0.0.1:%d" % self.find_port()
        self.session = "/session/" + self.ask("POST", "/session", {
            "capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "goog:chromeOptions": {
                    "perfLoggingPrefs": {"enableNetwork": True},
                    "args": ["--headless=new", "--no-sandbox",
                             "--disable-dev-shm-usage", "--disable-gpu",
                             "--hide-scrollbars", "--lang=en-US",
                             "--user-data-dir=" +
                             os.path.join(work, "profile"),
                             "--window-size=1280,900"]}}}})["sessionId"]

    def find_port(self):
        for _ in range(500):
            found = re.search(rb"on port ([1-9]\d*)", open(self.log, "rb").read())
            if found:
                return int(found.group(1))
            time.sleep(0.02)
        raise WrongAnswer("chromedriver did not start: %r" %
                          open(self.log, "rb").read())

    def close(self):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(10)

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"},
            method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as got:
                return json.load(got)["value"]
        except urllib.error.HTTPError as wrong:
            said = json.load(wrong)["value"]
            raise WrongAnswer("%s: %s" % (said["error"], said["message"][:500])
                              ) from None

    def post(self, path, body=None):
        return self.ask("POST", self.session + path, body or {})

    def chrome(self, command, **params):
        """A command of Chromium's own protocol."""
        return self.post("/goog/cdp/execute", {"cmd": command,
                                               "params": params})

    # ---- the page ----------------------------------------------------------

    def go(self, url):
        self.post("/url", {"url": url})

    @property
    def url(self):
        return self.ask("GET", self.session + "/url")

    @property
    def title(self):
        return self.ask("GET", self.session + "/title")

    def js(self, script, *args):
        """The value of a function's body; its arguments are `arguments`."""
        return self.post("/execute/sync", {"script": script,
                                           "args": list(args)})

    def wait_js(self, expression, *args, within=10):
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + within
        while True:
            value = self.js("return (" + expression + ");", *args)
            if value or time.monotonic() > end:
                return value
            time.sleep(0.02)

    def find_all(self, selector):
        return [found[ELEMENT] for found in self.post(
            "/elements", {"using": "css selector", "value": selector})]

    def element(self, id):
        return {ELEMENT: id}

    def click_element(self, id):
        self.post("/element/%s/click" % id)

    def type_into(self, id, text):
        self.post("/element/%s/value" % id, {"text": text})

    def press(self, *keys):
        """Keys one after the other; "Control+k" holds the first."""
        actions = []
        for key in keys:
            names = key.split("+") if len(key) > 1 else [key]
            codes = [KEYS.get(name, name) for name in names]
            actions += [{"type": "keyDown", "value": c} for c in codes]
            actions += [{"type": "keyUp", "value": c} for c in codes[::-1]]
        self.post("/actions", {"actions": [{"type": "key", "id": "keys",
                                            "actions": actions}]})

    def size(self, width, height):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width,
                    height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, **features):
        """Media features, such as prefers_color_scheme="dark"."""
        self.chrome("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value}
            for name, value in features.items()])

    def picture(self):
        return base64.b64decode(self.ask("GET", self.session + "/screenshot"))

    # ---- what it did -------------------------------------------------------

    def logged(self, kind):
        return self.post("/se/log", {"type": kind})

    def console(self):
        """Errors since the last call: of scripts, of the policy, of requests."""
        return [entry["message"] for entry in self.logged("browser")
                if entry["level"] == "SEVERE"]

    def requests(self):
        """Addresses asked for since the last call."""
        found = []
        for entry in self.logged("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found
