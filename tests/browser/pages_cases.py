"""Home, search, artifacts, outputs, memory, history, administration."""
import json
import os
import time

import home
from world import ADMIN, case

PHONE = (360, 740)


def is_narrow(w):
    """Nothing is wider than the page."""
    return w.js("const m = document.querySelector('main'); return "
                "document.documentElement.scrollWidth <= innerWidth && "
                "m.scrollWidth <= m.clientWidth")


def harmless(w):
    w.same(None, w.js("return window.attacked ?? null"), "nothing ran")


def pages(w):
    first = artifact(w, "notes.md")["id"]
    output = w.ask("GET", "/v1/sessions/%s/outputs" % w.home.rich)["outputs"]
    return ["/", "/search?q=parser", "/artifacts", "/artifact/%d" % first,
            "/outputs/" + w.home.rich,
            "/output/%s/%s" % (w.home.rich, output[0]["id"]), "/memory",
            "/memory/5?view=graph", "/history", "/admin"]


def artifact(w, path):
    return [a for a in w.ask("GET", "/v1/artifacts?limit=1000")["artifacts"]
            if a["path"] == path][0]


def administrator(w, path="/admin"):
    w.open(path)
    w.fill("input[name=admin-token]", ADMIN)
    w.click("button", "Continue")
    w.wait(".tabs")


# ---- all of them ---------------------------------------------------------------------

@case
def pages_are_drawn_in_both_themes_and_on_a_phone(w):
    w.open("/")
    for theme in ("light", "dark"):
        for width, height in ((1280, 900), PHONE):
            w.browser.size(width, height)
            for path in pages(w):
                w.visit(path)
                w.js("document.documentElement.dataset.theme = arguments[0]",
                     theme)
                w.gone(".spinner")
                w.same([], w.text(".error-box"), path)
                w.yes(is_narrow(w), "%s fits into %d px" % (path, width))
                name = "%s-%s-%d" % (path.split("?")[0].strip("/").split("/")[0]
                                     or "home", theme, width)
                w.keep_picture("page-" + name)
    harmless(w)


@case
def what_attacks_is_text_on_every_page(w):
    w.open("/search", q="attacked")
    w.wait(".hit")
    for path in ("/search?q=attacked&flat=true", "/history", "/memory/6",
                 "/artifact/%d" % artifact(w, "page.html")["id"],
                 "/artifact/%d" % artifact(w, "drawing.svg")["id"], "/",
                 "/artifacts?view=tree"):
        w.visit(path)
        w.gone(".spinner")
        harmless(w)
    w.same(0, w.count("main script, main iframe, main style, main link"),
           "no nodes of the content")


# ---- home ----------------------------------------------------------------------------

@case
def home_shows_numbers_against_the_period_before(w):
    w.open("/", range="90d")
    w.wait("[data-card=sessions] .stat-value")
    cards = dict(zip(w.text(".stat-label"), w.text(".stat-value")))
    got = w.ask("GET", "/v1/stats/usage?by=day")["totals"]
    w.visit("/", range="all")
    w.until(lambda: w.text("[data-card=sessions] .stat-value") == [
        "{:,}".format(got["sessions"])], "all sessions")
    w.same(10, len(cards), "cards: %r" % cards)
    for name in ("activity", "over-time", "hours", "projects", "tools",
                 "sessions", "models", "agents", "storage"):
        w.wait("[data-panel=%s] .home-panel-body > *" % name)
    w.yes(w.count("[data-panel=activity] rect") > 300, "a year of days")
    w.yes(w.count("[data-panel=over-time] .chart-column") > 1, "columns")


@case
def home_has_its_range_and_filters_in_the_address(w):
    w.open("/")
    w.wait("[data-card=sessions]")
    w.click(".segments button[data-value='1y']")
    w.until(lambda: "range=1y" in w.address(), "the range")
    w.wait("[data-panel=models] .bar-name button")
    w.click("[data-panel=models] .bar-name button")
    w.until(lambda: "model=" in w.address(), "a model")
    w.click(".filter-chip")
    w.until(lambda: "model=" not in w.address(), "it is removed")
    w.wait("[data-panel=activity] rect.level-4")
    w.click("[data-panel=activity] rect.level-4")
    w.until(lambda: "from=" in w.address() and "to=" in w.address(), "a day")
    w.js("history.back()")
    w.until(lambda: "from=" not in w.address(), "back")
    w.click("[data-panel=over-time] button", "cost")
    w.until(lambda: "metric=cost" in w.address(), "cost")


@case
def every_number_of_home_is_a_table_csv_and_json(w):
    w.open("/", range="1y")
    w.js("window.saved = []; const make = URL.createObjectURL; "
         "URL.createObjectURL = b => { b.text().then(t => saved.push(t)); "
         "return make.call(URL, b); }; "
         "HTMLAnchorElement.prototype.click = function() {}")
    panels = ("activity", "over-time", "hours", "projects", "tools", "sessions",
              "models", "agents", "storage")
    for name in panels:
        w.click("[data-panel=%s] button[aria-label='show as a table']" % name)
        w.wait("[data-panel=%s] table" % name)
        w.click("[data-panel=%s] button[aria-label^=export]" % name)
        w.click("[role=menuitem]", "CSV")
        w.click("[data-panel=%s] button[aria-label^=export]" % name)
        w.click("[role=menuitem]", "JSON")
    w.click("[data-card=storage] button")
    w.click("[role=menuitem]", "CSV")
    w.until(lambda: w.js("return saved.length") == 2 * len(panels) + 1, "files")
    saved = w.js("return saved")
    w.yes(any(t.startswith("tool,sessions,messages") for t in saved), "a CSV")
    w.yes(any(t[0] == "{" and "rows" in json.loads(t) for t in saved), "JSON")


@case
def the_marks_of_a_chart_are_walked_by_keys(w):
    w.open("/", range="1y")
    w.wait("[data-panel=hours] svg[role=img]")
    w.js("document.querySelector('[data-panel=hours] svg[role=img]').focus()")
    w.press("ArrowRight")
    w.yes(w.text(".chart-tip")[0].startswith("Mon 0:00"), "the first")
    w.press("ArrowDown", "ArrowRight")
    w.yes(w.text(".chart-tip")[0].startswith("Tue 1:00"), "another row")


@case
def home_says_that_there_is_something_new(w):
    w.open("/")
    w.wait("[data-card=messages] .stat-value")
    before = w.text("[data-card=messages] .stat-value")
    for _ in range(20):  # the stream of events may not have begun yet
        w.ask("POST", "/v1/sessions/%s/entries" % w.home.parent, {"entry": {
            "type": "message", "timestamp": home.before(2, 80),
            "message": {"role": "user", "content": "one more"}}})
        time.sleep(0.5)
        if "New activity" in " ".join(w.text(".home-news button")):
            break
    w.click("button", "New activity")
    w.until(lambda: w.text("[data-card=messages] .stat-value") not in (
        [], before), "another number")
    w.press("r")
    w.wait("[data-card=messages] .stat-value")


@case
def sessions_of_agents_on_this_machine_are_imported_by_a_button(w):
    """The harness gives the server a home directory of its own."""
    place = os.path.join(w.server.work, ".claude", "projects", "-srv-late")
    os.makedirs(place)
    with open(os.path.join(place, "99999999-2222-4333-8444-555555555555.jsonl"),
              "w", encoding="utf-8") as file:
        file.write(json.dumps({
            "type": "user", "uuid": "a1", "parentUuid": None,
            "timestamp": "2025-09-03T10:00:00.000Z", "cwd": "/srv/late",
            "sessionId": "99999999-2222-4333-8444-555555555555",
            "message": {"role": "user", "content": "a late wombat"}}) + "\n")
    w.open("/", token=w.home.reader)
    w.wait(".found-row", "1 session")
    w.yes(w.js("return document.querySelector('.found button').disabled"),
          "not by a token that may only read")
    w.open("/")
    w.click(".found-row button", "Import")
    w.gone(".found-row")
    w.visit("/search", q="wombat")
    w.wait(".hit mark", "wombat")


# ---- search --------------------------------------------------------------------------

@case
def a_search_runs_while_one_types(w):
    w.open("/")
    w.press("/")
    w.wait(".search-input")
    w.until(lambda: w.js("return document.activeElement.className") ==
            "search-input", "the box has the focus")
    w.press(*"pars")
    w.wait(".hit mark")
    w.wait(".suggestions button", "parser")
    w.click(".suggestions button", "parser")
    w.until(lambda: "q=parser" in w.address(), "the query in the address")
    w.yes(w.text(".search-status strong")[0].endswith("hits"), "how many")
    for word in w.text(".hit mark")[:5]:
        w.yes("pars" in word.lower(), "marked: " + word)


@case
def hits_are_walked_and_opened_by_keys(w):
    w.open("/search", q="parser")
    w.wait(".hit.is-current")
    w.press("ArrowDown", "ArrowDown")
    w.same("2", w.js("return document.querySelector('.hit.is-current')"
                     ".dataset.hit"), "the third")
    w.wait(".search-preview .preview-entry")
    w.press("Escape", "k")
    w.same("1", w.js("return document.querySelector('.hit.is-current')"
                     ".dataset.hit"), "back")
    target = w.js("return document.querySelector('.hit.is-current')"
                  ".getAttribute('href')")
    w.press("Enter")
    w.until(lambda: w.js("return location.hash").split("?")[0].startswith(
        target.split("?")[0]), "it is opened")


@case
def a_search_is_narrowed_by_facets(w):
    w.open("/search", q="parser")
    w.wait(".facet input[value=message]")
    w.click(".facet input[value=message]")
    w.until(lambda: "kind=message" in w.address(), "in the address")
    w.until(lambda: set(w.js("return Array.from(document.querySelectorAll("
                             "'.hit')).map(h => h.dataset.kind)")) ==
            {"message"}, "messages alone")
    w.click(".search-status input[type=checkbox]")
    w.until(lambda: "flat=true" in w.address(), "every hit")
    w.js("const s = document.querySelector('[aria-label=Project]');"
         "s.value = '/srv/engine'; s.dispatchEvent(new Event('change'))")
    w.until(lambda: "project=/srv/engine" in w.address(), "a project")
    w.until(lambda: set(w.text(".hit-group-head .small")) ==
            {"/srv/engine"}, "hits of it alone")


@case
def a_search_tells_ignored_nothing_and_failed_apart(w):
    w.open("/search", q="parser role:king")
    w.wait(".ignored", "role:king")
    w.fill(".search-input", "zzyzxq")
    w.wait(".empty", "Nothing found")
    w.expected.append("400")
    w.visit("/search", q="(a", regex="true")
    w.wait(".error-box", "parenthesis")
    w.press("Escape", "i")
    w.wait("dialog", "near/5")
    w.press("Escape")
    w.gone("dialog")


# ---- artifacts -----------------------------------------------------------------------

@case
def artifacts_are_listed_filtered_and_sorted(w):
    w.open("/artifacts")
    w.wait(".table-row", "notes.md")
    names = w.text(".table-row .cell:first-child")
    w.click("[role=columnheader] button", "Name")
    w.until(lambda: w.text(".table-row .cell:first-child") == sorted(names),
            "by name")
    w.press("f")
    w.press(*"tabl")
    w.until(lambda: w.text(".table-row .cell:first-child") ==
            ["data/table.csv"], "filtered")
    w.visit("/artifacts")
    w.press("t")
    w.wait(".artifact-tree summary", "data")
    w.press("t")
    w.wait(".table-row")
    w.press("j", "Enter")
    w.wait(".artifact-title")


@case
def an_artifact_is_shown_by_its_type(w):
    for path, selector, text in (
            ("notes.md", ".md", "Notes"),
            ("data/table.csv", ".csv-table .table-row", "a, b"),
            ("data/tree.json", ".json-string", "text"),
            ("picture.png", "img.artifact-image", None),
            ("drawing.svg", "img.artifact-image", None),
            ("page.html", ".artifact-content pre", "script")):
        w.open("/artifact/%d" % artifact(w, path)["id"])
        w.wait(selector, text)
        if selector.startswith("img"):
            w.until(lambda: w.js("return document.querySelector('img')"
                                 ".naturalWidth") > 0, path)
    harmless(w)


@case
def versions_are_compared_and_restored(w):
    w.ask("POST", "/v1/sessions/%s/artifacts" % w.home.rich,
          {"path": "versions.txt", "content": "one\n"})
    w.ask("POST", "/v1/sessions/%s/artifacts" % w.home.rich,
          {"path": "versions.txt", "content": "two\n"})
    id = artifact(w, "versions.txt")["id"]
    w.open("/artifact/%d" % id)
    w.wait(".version")
    w.press("d")
    w.wait(".diff-file")
    w.yes("from=1" in w.address() and "to=2" in w.address(), "which two")
    w.click("button", "Side by side")
    w.wait(".diff-split")
    w.visit("/artifact/%d" % id, version=1)
    w.wait(".artifact-content", "one")
    w.click("button", "Restore version 1")
    w.click("dialog button", "Restore")
    w.wait(".version strong", "v3")
    w.wait(".artifact-content", "one")
    w.click("button[aria-label='more actions']")
    w.click("[role=menuitem]", "Delete")
    w.click("dialog button", "Delete")
    w.wait(".table")
    w.visit("/artifacts", deleted="true")
    w.wait(".table-row", "versions.txt")
    w.click(".table-row button", "Restore")
    w.wait(".artifact-content", "one")


@case
def who_may_only_read_has_no_buttons_that_write(w):
    w.open("/artifact/%d" % artifact(w, "notes.md")["id"], token=w.home.reader,
           version=1)
    w.wait(".version")
    w.yes("Restore" not in " ".join(w.text("button")), "no restore")
    w.visit("/memory/5")
    w.wait(".memory-entry h2")
    w.same([], [b for b in w.text("button") if b in (
        "Edit", "Relate", "Invalidate", "New entry")], "nothing to write")


# ---- outputs -------------------------------------------------------------------------

@case
def an_output_is_read_in_parts(w):
    w.open("/outputs/" + w.home.rich)
    w.wait(".table-row", "build")
    w.press("j")
    w.click(".table-row", "build")
    w.wait(".output-line")
    w.same("1", w.text(".output-number")[0], "from the first line")
    w.yes(w.count(".output-line") <= 300, "a part of it")
    w.click("button", "Lines after 300")
    w.until(lambda: w.text(".output-number")[:1] == ["301"], "the next part")
    w.press("G")
    w.until(lambda: w.text(".output-number")[-1:] == ["20000"], "the end")
    w.press("f")
    w.press(*"error: disk", "Enter")
    w.until(lambda: w.text(".output-number")[:2] == ["1", "998"], "matches")
    w.click(".output-number", "998")
    w.wait(".output-line.is-marked", "error: disk")
    w.same("986", w.text(".output-number")[0], "the lines around it")
    w.fill("input[type=number]", "15000")
    w.press("Enter")
    w.until(lambda: w.text(".output-number")[:1] == ["15000"], "a line")


@case
def a_report_in_json_is_read_by_path(w):
    id = [o["id"] for o in w.ask("GET", "/v1/sessions/%s/outputs" %
                                 w.home.rich)["outputs"] if not o["tool"]][0]
    w.open("/output/%s/%s" % (w.home.rich, id), view="json")
    w.wait(".json-key", "found")
    w.fill(".json-path", ".found[0].file")
    w.wait(".json-string", "a.c")
    w.fill(".json-path", ".found[9]")
    w.wait(".empty", "Nothing there")


# ---- memory, history -----------------------------------------------------------------

@case
def memory_is_written_and_ended(w):
    w.open("/memory")
    w.wait(".table-row", "Write tests first")
    w.press("n")
    w.fill("dialog input[name=title]", "Deploy on Tuesdays")
    w.fill("dialog textarea", "because **Monday** is busy")
    w.click("dialog button", "Add")
    w.wait(".memory-entry h2", "Deploy on Tuesdays")
    w.wait(".memory-entry .md strong", "Monday")
    w.click("button", "Edit")
    w.fill("dialog input[name=title]", "Deploy on Wednesdays")
    w.click("dialog button", "Save")
    w.wait(".memory-entry h2", "Deploy on Wednesdays")
    w.click("button", "Relate")
    w.fill("dialog input[name=target]", "5")
    w.click("dialog button", "Relate")
    w.wait(".relation-row", "Lines end in CR LF")
    w.click(".relation-row button")
    w.wait(".memory-entry p", "none")
    w.click("button", "Invalidate")
    w.click("dialog button", "Invalidate")
    w.wait(".memory-side .empty", "not valid now")
    w.press("Escape")
    w.gone(".memory-side")
    w.yes("Wednesdays" not in " ".join(w.text(".table-row")), "it is gone")


@case
def memory_is_removed_when_its_number_is_typed(w):
    id = w.ask("POST", "/v1/memory/entries", {"type": "user",
                                              "title": "To go"})["id"]
    w.open("/memory/%d" % id)
    w.click("button[aria-label='remove the entry']")
    w.wait("dialog input")
    w.yes(w.js("return document.querySelector('dialog .danger').disabled"),
          "not before it is typed")
    w.fill("dialog input", str(id))
    w.click("dialog button", "Remove")
    w.gone(".memory-side")


@case
def memory_is_a_graph_that_is_walked_by_keys(w):
    w.open("/memory")
    w.wait(".table-row")
    w.press("t")
    w.wait(".graph-node circle")
    w.yes(w.count(".graph-edge") >= 2, "relations")
    w.js("document.querySelector('.graph-drawing').focus()")
    w.press("ArrowRight")
    w.wait(".memory-entry h2")
    before = w.address()
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
        w.press(key)
    w.until(lambda: w.address() != before or w.count(".graph-node") == 1,
            "another entry")
    w.yes("view=graph" in w.address(), "still the graph")


@case
def memory_is_shown_as_of_a_time(w):
    w.ask("POST", "/v1/memory/entries", {
        "type": "project", "title": "An old fact", "created_at": 1700000000})
    w.open("/memory", **{"as_of": "1700000500"})
    w.wait(".table-row", "An old fact")
    w.same(1, len(w.text(".table-row")), "it alone")
    w.wait(".as-of output", "as of 2023-11-14")
    w.click(".as-of button", "Now")
    w.until(lambda: len(w.text(".table-row")) > 1, "now")


@case
def prompts_are_searched_and_copied(w):
    w.open("/history")
    w.wait(".prompt", "write the changelog")
    w.press("f")
    w.press(*"changelog")
    w.until(lambda: len(w.text(".prompt")) == 1, "one")
    w.press("Escape", "j")
    w.wait(".prompt.is-current")
    harmless(w)


# ---- administration ------------------------------------------------------------------

@case
def nothing_is_administered_without_the_token(w):
    w.expected += ["401", "403"]
    w.open("/admin")
    w.wait("input[name=admin-token]")
    w.fill("input[name=admin-token]", "qra_" + "0" * 64)
    w.click("button", "Continue")
    w.wait(".error-box")
    w.fill("input[name=admin-token]", ADMIN)
    w.click("button", "Continue")
    w.wait(".plain-table", "default")
    w.click("button", "Forget the token")
    w.wait("input[name=admin-token]")


@case
def tenants_and_tokens_are_made_and_ended(w):
    administrator(w, "/admin/tenants")
    w.click("button", "Add a tenant")
    w.fill("dialog input", "team-x")
    w.click("dialog button", "Add")
    w.wait("dialog .token-field")
    token = w.js("return document.querySelector('.token-field').value")
    w.yes(token.startswith("qrt_"), "its token")
    w.press("Escape")
    w.gone("dialog")
    id = w.ask("GET", "/v1/me", token=token)["tenant_id"]
    w.visit("/admin/tenants/%d" % id)
    w.fill("form input[name=label]", "laptop")
    w.click("form input[name=read_only]")
    w.click("form button", "Add a token")
    w.wait("dialog .token-field")
    reader = w.js("return document.querySelector('.token-field').value")
    w.press("Escape")
    w.same(True, w.ask("GET", "/v1/me", token=reader)["read_only"], "it reads")
    w.click("button[aria-label='remove laptop']")
    w.click("dialog button", "Remove")
    w.wait(".card", "none besides its own")
    w.visit("/admin/tenants")
    for button, said in (("Disable", "Enable"), ("Enable", "Disable")):
        w.js("for (const tr of document.querySelectorAll('tbody tr')) "
             "if (tr.textContent.includes('team-x')) for (const b of "
             "tr.querySelectorAll('button')) if (b.textContent == arguments[0])"
             " b.click()", button)
        if button == "Disable":
            w.fill("dialog input", "team-x")
            w.click("dialog button", "Disable")
        w.wait("button", said)
    w.click("button[aria-label='remove team-x']")
    w.fill("dialog input", "team-x")
    w.click("dialog button", "Remove it")
    w.until(lambda: "team-x" not in " ".join(w.text("td")), "it is gone")


@case
def settings_are_changed_and_audited(w):
    administrator(w, "/admin/settings")
    w.click("button[aria-label='change versions.kept']")
    w.fill("dialog input", "7")
    w.click("dialog button", "Save")
    w.wait("td strong", "7")
    w.click("button", "Default")
    w.wait("td strong", "20")
    w.press("6")
    w.wait("td .chip", "config.set")


@case
def maintenance_is_tried_before_it_is_run(w):
    administrator(w, "/admin/maintenance")
    w.yes(w.js("return document.querySelector('.danger').disabled"),
          "no collection before a dry run")
    w.click("button", "Dry run")
    w.wait(".facts", "would be removed")
    w.click("button", "Collect")
    w.fill("dialog input", "gc")
    w.click("dialog button", "Collect")
    w.wait(".toast", "freed")
    w.click("button", "Check")
    w.wait(".result", "No problems")
    w.click("button", "Rebuild")
    w.click("dialog button", "Rebuild")
    w.wait(".result", "rebuilt in")


@case
def what_was_imported_is_listed(w):
    administrator(w, "/admin/imports")
    w.wait(".table-row", "claude-code")
    w.click("[role=columnheader] button", "Entries")
    w.click("[role=columnheader] button", "File")
    w.js("document.querySelector('.table-body').focus()")
    w.press("ArrowDown", "Enter")
    w.until(lambda: w.address().startswith("/session/"), "its session")


@case
def metrics_are_drawn(w):
    administrator(w, "/admin/metrics")
    w.wait(".bars", "viewer.asset")
    w.wait(".chart-column")
    w.click("button", "Look again")
    w.wait(".stat .sparkline")
    for key, text in (("1", "Space"), ("2", "Add a tenant"),
                      ("3", "quota.tenant"), ("4", "Dry run")):
        w.press(key)
        w.wait(".admin-body", text)
