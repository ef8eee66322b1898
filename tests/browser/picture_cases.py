"""The pictures of docs/screenshots: QUIRE_SCREENSHOTS=DIR keeps those whose name
begins with `page-`, one for each page."""
import time

from world import ADMIN, case


def picture(w, name, path, token=None, theme="light", **query):
    w.browser.prefer(prefers_color_scheme=theme, prefers_reduced_motion="reduce")
    w.open(path, token=token, **query)
    time.sleep(0.5)  # what is drawn after the page is ready
    w.keep_picture("page-" + name)


@case
def each_page_has_a_picture(w):
    w.browser.size(1200, 760)
    rich = "/session/" + w.home.rich
    picture(w, "home", "/")
    picture(w, "sessions", "/sessions")
    picture(w, "session", rich)
    picture(w, "tree", rich + "/r-edit", view="tree")
    picture(w, "search", "/search", q="linker error", theme="dark")
    picture(w, "artifacts", "/artifacts")
    picture(w, "outputs", "/outputs/" + w.home.rich)
    picture(w, "memory", "/memory")
    picture(w, "admin", "/admin", token=ADMIN)
    w.yes(w.text("main"), "something is shown")
