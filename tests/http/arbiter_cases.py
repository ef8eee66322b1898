"""What a client written for arbiter reads and sends."""
from client import case


def tenant_of(w):
    return w.ask("GET", "/v1/usage", want=200).json()["tenant_id"]


@case
def a_conversation_has_its_tenant_and_its_agent(w):
    tenant = tenant_of(w)
    row = w.ask("POST", "/v1/conversations", {"title": "plain"},
                want=201).json()
    w.same((tenant, "index", 0, False),
           (row["tenant_id"], row["agent_id"], row["message_count"],
            "agent_def" in row), "a plain one")
    define = {"name": "r\u00e9searcher", "tools": ["a", {"b": [1.50]}]}
    made = w.ask("POST", "/v1/conversations",
                 {"agent_id": "res-1", "agent_def": define}, want=201).json()
    here = "/v1/conversations/%d" % made["id"]
    w.ask("PATCH", here, {"title": "other", "archived": True}, want=200)
    w.ask("POST", here + "/messages", {"message": "hello"}, want=201)
    listed = w.ask("GET", "/v1/conversations?archived=true").json()
    fork = w.ask("POST", here + "/fork", {}, want=201).json()
    for got in (made, w.ask("GET", here).json(), fork,
                listed["conversations"][0]):
        w.same(("res-1", define, tenant),
               (got["agent_id"], got["agent_def"], got["tenant_id"]), "kept")
    w.same(1, w.ask("GET", here).json()["message_count"], "messages")
    got = w.ask("POST", "/v1/conversations", {"agent": "x_Y"}, want=201).json()
    w.same("x_Y", got["agent_id"], "by its short name")
    got = w.ask("POST", "/v1/conversations", {"agent_def": {}},
                want=201).json()
    w.same(("index", {}), (got["agent_id"], got["agent_def"]), "without an id")
    for bad in ({"agent_id": ""}, {"agent_id": "a b"}, {"agent_id": "x" * 65},
                {"agent_def": 1}, {"agent_def": "x"}):
        w.ask("POST", "/v1/conversations", bad, want=400)


@case
def lists_begin_with_whose_they_are(w):
    tenant, here = tenant_of(w), w.conversation()
    number = int(here.rsplit("/", 1)[1])
    w.ask("PUT", here + "/files/a", b"x", want=201)
    w.ask("POST", here + "/messages", {"message": "hello"}, want=201)
    for target in ("/v1/conversations", "/v1/sessions", "/v1/artifacts",
                   "/v1/memory/entries", "/v1/memory/entries?q=x",
                   "/v1/memory/relations", "/v1/conversation-folders",
                   "/v1/memory", here + "/outputs", "/v1/history"):
        got = w.ask("GET", target, want=200).json()
        w.same(tenant, got["tenant_id"], target)
        w.yes("conversation_id" not in got, target + " is of all")
    for rest in ("/messages", "/entries", "/artifacts"):
        got = w.ask("GET", here + rest, want=200).json()
        w.same((tenant, number, 1), (got["tenant_id"], got["conversation_id"],
                                     got["count"]), rest)


@case
def archived_ones_can_be_listed_with_the_others(w):
    made = [w.conversation(title="t%d" % i) for i in range(5)]
    for at in made[1::2]:
        w.ask("PATCH", at, {"archived": True}, want=200)

    def listed(query):
        got = w.ask("GET", "/v1/conversations?" + query, want=200).json()
        return ["/v1/conversations/%d" % c["id"]
                for c in got["conversations"]], got["next_cursor"]
    w.same(set(made), set(listed("archived=all")[0]), "all")
    w.same(set(made[1::2]), set(listed("archived=true")[0]), "archived")
    w.same(set(made[1::2]), set(listed("archived=1")[0]), "archived, as 1")
    w.same(set(made[::2]), set(listed("archived=false")[0]), "active")
    seen, cursor = [], ""
    for _ in range(6):
        got, cursor = listed("archived=all&limit=2" + cursor)
        seen += got
        if not cursor:
            break
        cursor = "&cursor=" + cursor
    w.same(sorted(made), sorted(seen), "in pages, each once")
    w.same(listed("archived=all")[0], seen, "in one order")
    for bad in ("x", "", "2", "null"):
        w.ask("GET", "/v1/conversations?archived=" + bad, want=400)


@case
def switches_of_a_search_and_queries_without_words(w):
    w.ask("POST", "/v1/memory/entries", {"type": "project", "title": "otter"},
          want=201)
    for switch in ("decay", "intent"):
        for value in ("true", "false", "on", "off", "1", "0", "auto"):
            got = w.ask("GET", "/v1/memory/entries?q=otter&%s=%s" % (
                switch, value), want=200).json()
            w.same(1, got["count"], "%s=%s" % (switch, value))
        w.ask("GET", "/v1/memory/entries?q=otter&%s=maybe" % switch, want=400)
    for q in ("", "%20", "!!!", "...", "%22%22"):
        got = w.ask("GET", "/v1/memory/entries?q=" + q, want=200).json()
        w.same(([], 0, None), (got["entries"], got["count"],
                               got["next_cursor"]), "q=" + q)


@case
def what_an_entry_supersedes_is_told_as_requested(w):
    ids = [w.ask("POST", "/v1/memory/entries",
                 {"type": "user", "title": "t%d" % i}).json()["id"]
           for i in range(3)]
    got = w.ask("POST", "/v1/memory/entries",
                {"type": "user", "title": "new", "supersedes_ids": ids[:2]},
                want=201).json()
    w.same({"requested": ids[:2], "invalidated": ids[:2]},
           got["supersedes_manual"], "both lists")


@case
def scratchpads_are_entries_with_a_count(w):
    got = w.ask("GET", "/v1/memory", want=200).json()
    w.same(([], [], 0), (got["entries"], got["scratchpads"], got["count"]),
           "none")
    for agent in ("one", "two"):
        w.ask("POST", "/v1/slash", {"text": "/mem write hello", "agent": agent},
              want=200)
    got = w.ask("GET", "/v1/memory", want=200).json()
    w.same((2, got["scratchpads"]), (got["count"], got["entries"]), "the same")
    for row in got["entries"]:
        w.same(row["updated_at"], row["modified_at"], "when")


@case
def public_addresses_ignore_unknown_parameters(w):
    for target in ("/healthz", "/readyz", "/version", "/openapi.json",
                   "/v1/health", "/v1/metrics", "/metrics", "/"):
        if target in w.server.openapi["paths"]:
            w.ask("GET", target + "?probe=1&x", token=None, want=200)
    w.ask("GET", "/v1/usage?probe=1", want=400)
