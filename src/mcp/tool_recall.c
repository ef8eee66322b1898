/*
 * tool_recall.c - the tool `recall`: search memory, the session, with `--read all` everything
 *
 * Facts of memory belong to the tenant, so every session finds them; entries, outputs and
 * files are those of the own session, unless others may be read. Filters have the names of
 * the command's options. The answer ends before `budget` bytes: a model pays for each.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/timestamp.h"
#include "mcp/priv.h"

enum { LIMIT = 10, LIMIT_MAX = 50, LIST_MAX = 16 };
enum { BUDGET = 6000, BUDGET_LEAST = 500, BUDGET_MOST = 200000 };

const char recall_schema[] =
    "{\"name\":\"recall\",\"description\":\"Search memory and this session:"
    " words, \\\"a phrase\\\", OR, -not, prefix*, kind:memory role:user sin"
    "ce:7d.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query"
    "\":{\"type\":\"string\"},\"limit\":{\"type\":\"integer\"},\"cursor\":{"
    "\"type\":\"string\"},\"budget\":{\"type\":\"integer\"}},\"required\":["
    "\"query\"]}}";

/* ---- hits ---------------------------------------------------------------- */

static void put_known(struct json_writer *w, const char *key, const char *text)
{
    if (*text)
        json_put_str(w, key, text);
}

/* An artifact's is "#12": as a resource it has another one. */
static const char *resource_of(const char *address, struct arena *keep)
{
    return *address == '#'
               ? arena_printf(keep, "quire://artifact/%s", address + 1)
               : address;
}

struct answer {
    struct mcp_call *c;
    struct json_writer w;
    struct buf *out;
    size_t budget;
    uint64_t n, left_out; /* hits */
};

static quire_status put_hit(void *ctx, const quire_search_hit *hit,
                            quire_error *err)
{
    struct answer *a = ctx;
    struct json_writer *w = &a->w;
    const char *address = resource_of(hit->address, &a->c->keep);
    char when[TIMESTAMP_SIZE] = "";

    if (!address)
        return err_memory(err);
    if (a->n > 0 && a->out->len + strlen(hit->snippet) > a->budget) {
        a->left_out++;
        return QUIRE_OK;
    }
    a->n++;
    if (hit->created_us)
        timestamp_format(hit->created_us, when);
    json_object(w);
    json_put_str(w, "kind", hit->kind);
    json_put_str(w, "address", address);
    put_known(w, "session", hit->session);
    put_known(w, "entry", hit->entry);
    put_known(w, "title", hit->title);
    put_known(w, "project", hit->project);
    put_known(w, "role", hit->role);
    put_known(w, "tool", hit->tool);
    put_known(w, "created_at", when);
    if (hit->turn) {
        json_put_uint(w, "turn", hit->turn);
        put_known(w, "turn_first", hit->turn_first);
        put_known(w, "turn_last", hit->turn_last);
    }
    json_put_str(w, "snippet", hit->snippet);
    if (strcmp(hit->how, "exact") != 0)
        json_put_str(w, "how", hit->how);
    json_object_end(w);
    return QUIRE_OK;
}

static void put_result(struct json_writer *w, const quire_search_result *r)
{
    size_t i;

    json_put_uint(w, "total", r->total);
    json_put_bool(w, "total_is_exact", r->total_is_exact);
    if (r->total_is_at_most)
        json_put_bool(w, "total_is_at_most", true);
    if (r->next_cursor)
        json_put_str(w, "next_cursor", r->next_cursor);
    if (!r->n_ignored)
        return;
    json_key(w, "ignored");
    json_array(w);
    for (i = 0; i < r->n_ignored; i++) {
        json_object(w);
        json_put_str(w, "text", r->ignored[i].text);
        json_put_str(w, "why", r->ignored[i].why);
        json_object_end(w);
    }
    json_array_end(w);
}

/* ---- arguments ----------------------------------------------------------- */

/* A string, or an array of them, ended by NULL; NULL: none. */
static const char *const *read_list(struct mcp_call *c, quire_bytes value)
{
    const char **list = arena_array(&c->keep, LIST_MAX + 1, sizeof *list);
    struct json_scan it;
    size_t n = 0;

    if (!list)
        return NULL;
    if (json_kind(value) == JSON_STRING)
        list[n++] = arena_text(&c->keep, json_text(value, &c->keep));
    if (json_kind(value) == JSON_ARRAY) {
        json_iter_init(&it, value);
        while (n < LIST_MAX && json_next(&it))
            if (json_kind(it.value) == JSON_STRING)
                list[n++] = arena_text(&c->keep, json_text(it.value, &c->keep));
    }
    return n ? list : NULL;
}

static quire_status read_time(struct mcp_call *c, struct mcp_handle *h,
                              quire_bytes arguments, const char *name,
                              int64_t *us, quire_error *err)
{
    const char *text = message_text(c, arguments, name);

    return text ? quire_search_time(h->q, text, us, err) : QUIRE_OK;
}

/* A name of a file is none of a session here. */
static bool is_path(const char *session)
{
    return strchr(session, '/') || strstr(session, ".jsonl");
}

static quire_status read_options(struct mcp_call *c, struct mcp_handle *h,
                                 quire_bytes a, quire_search_options *o,
                                 quire_error *err)
{
    quire_bytes sort = json_get(a, "sort");
    int64_t limit = LIMIT;
    quire_status st = read_time(c, h, a, "since", &o->since_us, err);

    if (!st)
        st = read_time(c, h, a, "until", &o->until_us, err);
    json_read_int(json_get(a, "limit"), &limit);
    o->limit = limit < 1           ? LIMIT
               : limit > LIMIT_MAX ? LIMIT_MAX
                                   : (uint64_t)limit;
    o->kinds = read_list(c, json_get(a, "kind"));
    o->roles = read_list(c, json_get(a, "role"));
    o->tools = read_list(c, json_get(a, "tool"));
    o->project = message_text(c, a, "project");
    o->session = message_text(c, a, "session");
    o->cursor = message_text(c, a, "cursor");
    o->sort = json_is(sort, "newest")   ? QUIRE_SEARCH_NEWEST
              : json_is(sort, "oldest") ? QUIRE_SEARCH_OLDEST
                                        : QUIRE_SEARCH_RANK;
    if (!st && o->session && is_path(o->session))
        st = err_fail(err, QUIRE_NOT_FOUND, "name it by its id",
                      "no session %.100s", o->session);
    return st;
}

/* ---- the call ------------------------------------------------------------ */

/* Whether memory is among the kinds that are wanted. */
static bool wants_memory(const quire_search_options *o)
{
    size_t i;

    for (i = 0; o->kinds && o->kinds[i]; i++)
        if (!strcmp(o->kinds[i], "memory"))
            return true;
    return !o->kinds;
}

static bool wants_only_memory(const quire_search_options *o)
{
    return o->kinds && wants_memory(o) && !o->kinds[1];
}

/* Memory of the tenant, then what the session has. */
static quire_status search_own(struct mcp_handle *h, quire_bytes query,
                               quire_search_options *o, struct answer *a,
                               quire_search_result *r, quire_error *err)
{
    static const char *const memory[] = {"memory", NULL};
    const char *session = mcp_session(h->m);
    quire_search_options facts = *o;
    quire_status st = QUIRE_OK;
    uint64_t total = 0;

    if (wants_memory(o) && !o->cursor &&
        quire_home_kind(h->q) == QUIRE_KIND_NATIVE) {
        facts.kinds = memory;
        facts.session = NULL;
        facts.flat = 1;
        st = quire_search(h->q, query, &facts, put_hit, a, r, err);
        total = r->total;
        r->next_cursor = NULL;
    }
    if (!st && !wants_only_memory(o) && session && !handle_built_in(session)) {
        static const char *const others[] = {"message",    "thinking",
                                             "tool_input", "tool_result",
                                             "summary",    "title",
                                             "label",      "output",
                                             "artifact",   NULL};

        o->session = session;
        if (!o->kinds)
            o->kinds = others;
        o->flat = 1;
        st = quire_search(h->q, query, o, put_hit, a, r, err);
        r->total += total;
    }
    return st;
}

void tool_recall(struct mcp_call *c, struct mcp_handle *h,
                 quire_bytes arguments, struct buf *out)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_search_result r = {.total_is_exact = 1};
    quire_bytes query = json_get(arguments, "query");
    struct answer a = {.c = c, .out = out};
    quire_error err = {.what = ""};
    quire_status st = read_options(c, h, arguments, &o, &err);

    a.budget = argument_number(arguments, "budget", BUDGET_LEAST, BUDGET_MOST,
                               BUDGET);
    tool_begin(&a.w, out);
    json_key(&a.w, "hits");
    json_array(&a.w);
    query = json_kind(query) == JSON_STRING ? json_text(query, &c->keep)
                                            : bytes_of("", 0);
    if (!st && !query.len)
        st = err_fail(&err, QUIRE_INVALID,
                      "Give words to search for as \"query\".",
                      "the query is empty");
    if (!st && h->m->read_all)
        st = quire_search(h->q, query, &o, put_hit, &a, &r, &err);
    else if (!st)
        st = search_own(h, query, &o, &a, &r, &err);
    if (st) {
        tool_fail(c, out, st, &err);
        return;
    }
    json_array_end(&a.w);
    put_result(&a.w, &r);
    if (a.left_out)
        json_put_uint(&a.w, "left_out", a.left_out);
    tool_end(&a.w);
}
