"""Sessions at a glance, and reports over time."""
import csv
import io

from client import ADMIN, case


def at(text):
    return "2026-02-%s:00.000Z" % text


def add(w, here, token, message, time):
    w.ask("POST", here + "/entries", {"entry": {
        "type": "message", "timestamp": at(time), "message": message}}, token,
        want=201)


def talk(w, token, cwd, model, day):
    here = w.ask("POST", "/v1/sessions", {"cwd": cwd, "title": model}, token,
                 want=201).json()["id"]
    here = "/v1/sessions/%d" % here
    add(w, here, token, {"role": "user", "content": "hello"}, day + "T23:30")
    add(w, here, token, {"role": "assistant", "model": model, "content": [
        {"type": "toolCall", "id": "1", "name": "bash", "arguments": {}}],
        "usage": {"input": 100, "output": 10, "cacheRead": 5,
                  "cost": {"total": 0.002}}}, day + "T23:40")
    add(w, here, token, {"role": "toolResult", "toolName": "bash",
                         "toolCallId": "1", "isError": True, "content": "x"},
        day + "T23:50")
    return here


def rows(got):
    return [dict(zip(got["columns"], row)) for row in got["rows"]]


@case
def sessions_are_seen_at_a_glance(w):
    token = w.tenant()[1]
    talk(w, token, "/a", "m-1", "10")
    two = talk(w, token, "/b", "m-2", "11")
    w.ask("PATCH", two, {"archived": True}, token, want=200)
    got = w.ask("GET", "/v1/stats/sessions", token=token, want=200).json()
    w.same(0, got["pending"], "all are counted")
    one = [r for r in rows(got) if r["title"] == "m-1"][0]
    w.same(("/a", "m-1", "hello", 1, 1, 1, 3, 2000, "reported", False),
           tuple(one[k] for k in ("project", "model", "first", "prompts",
                                  "tool_calls", "tool_errors", "messages",
                                  "cost_micro_usd", "cost_source",
                                  "archived")), "a session")
    w.same(1770767400, one["updated_at"],
           "the time of its last entry")
    w.same(True, [r for r in rows(got) if r["title"] == "m-2"][0]["archived"],
           "an archived one")
    w.same((False, None), (one["pinned"], one["hold_reason"]), "not kept")
    w.ask("PATCH", two, {"pinned": True, "hold_reason": "audit"}, token,
          want=200)
    got = w.ask("GET", "/v1/stats/sessions", token=token, want=200).json()
    w.same([(True, "audit")], [(r["pinned"], r["hold_reason"])
                               for r in rows(got) if r["title"] == "m-2"],
           "a pinned and held one")
    w.same([], w.ask("GET", "/v1/stats/sessions",
                     token=w.tenant()[1]).json()["rows"], "of another tenant")


@case
def reports_sum_up_by_keys(w):
    token = w.tenant()[1]
    for day in ("10", "10", "12"):
        talk(w, token, "/a" if day == "10" else "/b", "m-" + day, day)

    def ask(query):
        return w.ask("GET", "/v1/stats/usage?" + query, token=token,
                     want=200).json()
    got = ask("by=day")
    w.same([("2026-02-10", 2, 6, 2, 200, 4000), ("2026-02-12", 1, 3, 1, 100,
                                                2000)],
           [(r["day"], r["sessions"], r["messages"], r["prompts"],
             r["input_tokens"], r["cost_micro_usd"]) for r in rows(got)],
           "days")
    w.same((3, 9, 6000), (got["totals"]["sessions"], got["totals"]["messages"],
                          got["totals"]["cost_micro_usd"]), "totals")
    w.same(["2026-02-11", "2026-02-13"],
           [r["day"] for r in rows(ask("by=day&zone=60"))], "east of UTC")
    w.same(["2026-02-10", "2026-02-12"],
           [r["day"] for r in rows(ask("by=day&zone=60&west=true"))],
           "west of UTC")
    w.same([("bash", 3, 3)],
           [(r["tool"], r["tool_calls"], r["tool_errors"])
            for r in rows(ask("by=tool"))], "tools")
    w.same([("/a", "m-10"), ("/b", "m-12")],
           [(r["project"], r["model"]) for r in rows(ask("by=project,model"))
            if r["model"]], "two keys")
    # 2026-02-10 was a Tuesday.
    w.same([str(24 + 23), str(72 + 23)],
           [r["hour_of_week"] for r in rows(ask("by=hour_of_week"))],
           "hours of the week")
    w.same(["2026-02"], [r["month"] for r in rows(ask("by=month"))], "months")
    w.same(3, len(rows(ask("by=session"))), "sessions")
    w.same(["2026-02-12"],
           [r["day"] for r in rows(ask("by=day&from=1770800000"))], "from")
    w.same(["2026-02-10"],
           [r["day"] for r in rows(ask("by=day&to=1770800000"))], "to")
    w.same(1, ask("by=day&project=/b")["totals"]["sessions"], "a project")
    w.same(2, ask("by=day&model=m-10")["totals"]["sessions"], "a model")
    w.same(0, ask("by=day&agent=codex")["totals"]["sessions"], "an agent")
    for bad in ("by=year", "by=day,day,day,day", "by=tool,model",
                "zone=x"):
        w.ask("GET", "/v1/stats/usage?" + bad, token=token, want=400)


@case
def answers_without_a_cost_get_one_from_prices(w):
    token = w.tenant()[1]
    here = w.ask("POST", "/v1/sessions", {"cwd": "/a"}, token,
                 want=201).json()["id"]
    here = "/v1/sessions/%d" % here

    def answer(model, cost=None):
        usage = {"input": 1000, "output": 100}
        if cost:
            usage["cost"] = {"total": cost}
        add(w, here, token, {"role": "assistant", "model": model,
                             "content": [], "usage": usage}, "10T23:40")

    def costs():
        got = w.ask("GET", "/v1/stats/sessions", token=token, want=200).json()
        one = rows(got)[0]
        total = w.ask("GET", "/v1/stats/usage", token=token,
                      want=200).json()["totals"]
        w.same(one["cost_micro_usd"] or 0, total["cost_micro_usd"], "both")
        w.same(one["cost_source"], total["cost_source"], "both")
        return one["cost_micro_usd"], one["cost_source"]
    answer("our-own")
    w.same((None, "unknown"), costs(), "no price")
    answer("claude-sonnet-4-5-20250929")
    w.same((4500, "partial"), costs(), "one has a price")
    got = w.ask("GET", "/v1/stats/usage?by=model", token=token).json()
    w.same([("claude-sonnet-4-5-20250929", 4500, 4500, 0, "computed"),
            ("our-own", 0, 0, 1100, "unknown")],
           [(r["model"], r["cost_micro_usd"], r["computed_micro_usd"],
             r["unpriced_tokens"], r["cost_source"]) for r in rows(got)],
           "by model")


@case
def reports_are_tables_for_other_programs(w):
    token = w.tenant()[1]
    talk(w, token, "/a \"b\"", "=cmd|'m", "10")
    got = w.ask("GET", "/v1/stats/usage.csv?by=project,model",
                token=token, want=200)
    w.yes(got["Content-Type"].startswith("text/csv"), got["Content-Type"])
    table = list(csv.reader(io.StringIO(got.body.decode())))
    w.same(["project", "model", "sessions"], table[0][:3], "names")
    w.same([["/a \"b\"", ""], ["/a \"b\"", "'=cmd|'m"]],
           [row[:2] for row in table[1:]], "no formulas")


@case
def a_report_follows_what_is_appended(w):
    token = w.tenant()[1]
    here = talk(w, token, "/a", "m", "10")

    def prompts():
        return w.ask("GET", "/v1/stats/usage", token=token).json()["totals"][
            "prompts"]
    w.same(1, prompts(), "before")
    add(w, here, token, {"role": "user", "content": "more"}, "10T23:55")
    w.same(2, prompts(), "after")
    w.ask("DELETE", here, token=token, want=200)
    w.same(0, prompts(), "it is gone")


@case
def space_is_shown_to_the_default_tenant_alone(w):
    w.ask("GET", "/v1/stats/storage", token=w.tenant()[1], want=403)
    token = w.ask("POST", "/v1/admin/tenants/1/tokens", {"label": "own"},
                  ADMIN, want=201).json()["token"]
    got = w.ask("GET", "/v1/stats/storage", token=token, want=200).json()
    w.same(["sessions", "outputs", "artifacts", "blobs", "index",
            "catalogue"], [k["kind"] for k in got["kinds"]], "kinds")
