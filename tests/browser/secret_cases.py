"""Secrets of content: hidden on every page until the reader asks for one."""
from made import answer, conversation, entry, open_session, result, user
from world import case

KEY = "ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"
PEM = ("-----BEGIN PRIVATE KEY-----\n" +
       "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 3 +
       "-----END PRIVATE KEY-----")


def page_text(w):
    """All that the page has, titles and labels included."""
    return w.js("return document.title + document.documentElement.outerHTML")


def hidden(w, what, *secrets):
    text = page_text(w)
    for secret in secrets or (KEY,):
        w.yes(secret not in text, "%s shows %s" % (what, secret[:12]))


def secret_session(w):
    id, here = conversation(w, "about " + KEY)
    user(w, here, "use `%s` and **%s** and\n\n```sh\nexport A=%s\n```\n" % (
        KEY, KEY, KEY))
    answer(w, here, "I do", ("c1", "bash", {"command": "curl -H " + KEY}),
           ("c2", "login", {"password": "hunter22x", "pem": PEM}))
    result(w, here, "c1", "\x1b[32m%s\x1b[0m\nDB_PASSWORD=Tr0ub4dor!3x\n" % KEY)
    result(w, here, "c2", "done")
    user(w, here, "end " + "word " * 795 + KEY + " tail" * 800)
    return id, here


@case
def secrets_of_a_session_are_hidden_until_one_is_shown(w):
    id, _ = secret_session(w)
    open_session(w, id)
    w.wait(".entry-user .secret", "github-token")
    w.same(3, w.js("return document.querySelectorAll("
                   "'.entry-user .secret').length"), "in Markdown and code")
    w.wait(".code-block .hl-keyword, .code-block .hl-call, .code-block code")
    hidden(w, "the transcript")
    w.click(".call-head", "curl")
    w.wait(".call-result .secret", "password")
    w.click(".call-head", "login")
    w.wait(".call .secret", "private-key")
    hidden(w, "an open call", KEY, "Tr0ub4dor", "hunter22x", "MIIEvQ")
    w.keep_picture("session-secrets")
    w.click(".call-result .secret", "password")
    w.wait(".call-result .secret.is-shown", "Tr0ub4dor!3x")
    w.yes(KEY not in page_text(w), "one is shown, not all")
    w.click(".call-result .secret.is-shown", "Tr0ub4dor!3x")
    w.gone(".secret.is-shown")
    w.js("document.querySelector('.entry-user .secret').focus()")
    w.press("Enter")
    w.wait(".entry-user .secret.is-shown", KEY)
    w.same(3, len([t for t in w.text(".entry-user .secret") if t == KEY]),
           "the same one, wherever it stands")
    w.press("Space")
    w.gone(".secret.is-shown")


@case
def a_key_shows_the_secrets_of_an_entry(w):
    id, _ = secret_session(w)
    open_session(w, id)
    w.wait(".entry-user .secret")
    w.press("s")
    w.wait(".entry-user .secret.is-shown", KEY)
    w.press("s")
    w.gone(".secret.is-shown")
    w.press("r")
    w.until(lambda: w.count("pre.block .secret"), "raw entries")
    hidden(w, "raw entries")
    w.press("r")
    w.until(lambda: not w.count("pre.block .secret"), "formatted entries")
    w.wait(".outline-item")
    hidden(w, "the outline")
    w.press("x")
    w.gone(".outline-item")
    hidden(w, "the context")
    w.press("w")
    w.wait("button[data-panel=turns][aria-pressed=true]")
    hidden(w, "the turns")


@case
def a_secret_behind_a_cut_is_hidden_in_the_whole_string(w):
    id, _ = secret_session(w)
    open_session(w, id)
    w.press("G")
    w.wait(".fold-button", "characters")
    hidden(w, "a string that is cut", KEY, KEY[:20])
    w.js("Array.from(document.querySelectorAll('.fold-button')).find(b =>"
         " b.textContent.includes('characters')).click()")
    w.until(lambda: any(" tail tail" in t for t in w.text(".entry-user")),
            "the whole string")
    hidden(w, "the whole string")


@case
def secrets_are_hidden_in_lists_search_and_previews(w):
    w.browser.size(1600, 900)
    id, here = secret_session(w)
    w.ask("POST", "/v1/history", {"prompt": "again with " + KEY})
    w.open("/sessions", q="about is:all")
    w.wait(".s-name .secret")
    hidden(w, "the list")
    w.press("j")
    w.wait(".preview-prompts li")
    hidden(w, "the preview")
    w.visit("/search", q="curl")
    w.wait(".hit .secret")
    w.wait(".hit mark", "curl")
    hidden(w, "hits")
    w.press("ArrowDown")
    w.wait(".preview-text")
    hidden(w, "the preview of a hit")
    w.click(".hit .secret")
    w.wait(".hit .secret.is-shown", KEY)
    w.yes("/search" in w.address(), "the link is not followed")
    w.click(".hit .secret.is-shown")
    w.gone(".secret.is-shown")
    w.visit("/history")
    w.wait("main", "again with")
    hidden(w, "prompts")


@case
def secrets_of_artifacts_and_outputs_are_hidden(w):
    _, here = conversation(w)
    for path, text in (("a.env", "A=" + KEY), ("b.json", '{"k": "%s"}' % KEY),
                       ("c.md", "# key\n\n" + KEY)):
        made = w.ask("POST", here + "/artifacts", {"path": path, "content": text})
        w.open("/artifact/%d" % made["artifact"]["id"])
        w.wait("main .secret", "github-token")
        hidden(w, path)
    w.ask("POST", here + "/outputs?tool=env&threshold=1",
          {"not": "used", "but": KEY})
    got = w.ask("GET", here + "/outputs")["outputs"]
    w.open("/output/%s/%s" % (here.split("/")[-1], got[0]["id"]))
    w.wait(".output-text .secret")
    hidden(w, "an output")
    w.visit("/output/%s/%s" % (here.split("/")[-1], got[0]["id"]), view="json")
    w.wait(".json-string .secret")
    hidden(w, "an output as JSON")


@case
def what_is_written_back_has_the_secret(w):
    """A title with one is edited: the server gets it as it was."""
    id, here = conversation(w, "about " + KEY)
    user(w, here, "hello")
    open_session(w, id)
    w.wait("h1 .secret")
    w.press(".")
    w.press("Escape")
    w.click("[aria-label*='actions for the session']")
    w.click("[role=menuitem]", "Rename")
    w.wait("dialog input")
    w.same("about " + KEY, w.js("return document.querySelector('dialog input')"
                                ".value"), "in the field")
    w.press("End", *" it")
    w.click("dialog button", "Rename")
    w.gone("dialog")
    w.until(lambda: w.ask("GET", here)["title"] == "about " + KEY + " it",
            "the new title")


@case
def content_that_imitates_a_hidden_secret_shows_nothing_else(w):
    id, here = conversation(w)
    user(w, here, "first \U00100000 and \U00100001 and \U0010ffff " + KEY)
    entry(w, here, {"role": "user", "content": "\U00100005"})
    open_session(w, id)
    w.wait(".entry-user .secret", "github-token")
    hidden(w, "the page")
