/*
 * memory.c - memory: entries, and how they are related
 *
 * Times are seconds since 1970, and milliseconds where the number is too large
 * for seconds. What a body or a query names and is not there is a wrong field,
 * 400; only what the address names is 404.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/page.h"
#include "server/routes/handlers.h"

/* ---- what is asked ------------------------------------------------------ */

/* A time; *us is left alone if it is not given. Of the second 0 it is the first
 * microsecond, as 0 is none. False: answered. */
static bool read_time(struct request *c, const char *name, int64_t *us)
{
    static const uint64_t first_ms = 1000000000000;
    uint64_t n = request_number(c, name, 0);

    if (n > (uint64_t)INT64_MAX / 1000) {
        request_refuse(c, 400, "invalid", "send seconds since 1970",
                       "%s is not a time", name);
        return false;
    }
    if (n > 0)
        *us = (int64_t)(n > first_ms ? n * 1000 : n * 1000000);
    else if (request_json(c, name).data)
        *us = 1;
    return true;
}

/* The moment of "as_of": the end of that second, for an entry that became true
 * within it was valid in that second. */
static bool read_as_of(struct request *c, int64_t *us)
{
    if (!read_time(c, "as_of", us))
        return false;
    if (*us)
        *us += 999999 - *us % 1000000;
    return true;
}

/* "project,user": 1u << type, or'ed. False: answered. */
static bool read_types(struct request *c, unsigned *types)
{
    const char *at = request_text(c, "type");
    quire_memory_type type;
    quire_error err;
    quire_status st;

    while (at && *at) {
        size_t len = strcspn(at, ",");

        if (len > 0) {
            st = quire_memory_type_of(bytes_of(at, len), &type, &err);
            if (st) {
                request_fail(c, st, &err);
                return false;
            }
            *types |= 1u << type;
        }
        at += len + (at[len] == ',');
    }
    return true;
}

/* A failure to do what the body asks for. */
static void fail_body(struct request *c, quire_status st,
                      const quire_error *err)
{
    if (st == QUIRE_NOT_FOUND)
        request_fail_as(c, 400, "invalid",
                        "GET /v1/memory/entries lists the entries", err);
    else
        request_fail(c, st, err);
}

/* ---- what is said ------------------------------------------------------- */

static void put_members(struct request *c, const quire_memory *m)
{
    put_number(c, "id", m->id);
    put_number(c, "tenant_id", c->tenant.id);
    put_text(c, "type", quire_memory_type_name(m->type));
    put_bytes(c, "title", m->title);
    put_bytes(c, "content", m->content);
    put_bytes(c, "source", m->source);
    json_put_raw(&c->w, "tags", bytes_str(m->tags));
    put_id(c, "artifact_id", m->artifact);
    put_id(c, "conversation_id", m->session_id);
    put_time(c, "valid_from", m->valid_from_us);
    put_id(c, "valid_to", m->valid_to_us / 1000000);
    put_time(c, "created_at", m->created_us);
    put_time(c, "updated_at", m->updated_us);
}

static void put_entry(struct request *c, const quire_memory *m)
{
    json_object(&c->w);
    put_members(c, m);
    json_object_end(&c->w);
}

static void put_superseded(struct request *c, const quire_memory_options *o)
{
    size_t i;
    int at;

    if (!o || !o->n_supersedes)
        return;
    json_key(&c->w, "supersedes_manual");
    json_object(&c->w);
    /* Either all of them are invalidated, or the request fails. */
    for (at = 0; at < 2; at++) {
        json_key(&c->w, at ? "invalidated" : "requested");
        json_array(&c->w);
        for (i = 0; i < o->n_supersedes; i++)
            json_int(&c->w, o->supersedes[i]);
        json_array_end(&c->w);
    }
    json_object_end(&c->w);
}

/* One entry, with what is known of the artifact it links. Its text is on loan
 * until that is asked for: hence the order. */
static void answer_entry(struct request *c, const quire_memory *m,
                         const quire_memory_options *made)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    char which[32] = "";
    quire_artifact a;

    if (m->artifact)
        snprintf(which, sizeof which, "#%lld", (long long)m->artifact);
    json_object(&c->w);
    put_members(c, m);
    o.any_session = 1;
    /* One that went a moment ago is none. */
    if (*which && !quire_artifact_stat(c->q, NULL, which, &o, &a, NULL)) {
        json_key(&c->w, "artifact");
        put_artifact(c, &a);
    }
    put_superseded(c, made);
    json_object_end(&c->w);
}

/* ---- lists -------------------------------------------------------------- */

static quire_status give(void *ctx, const quire_memory *m, quire_error *err)
{
    struct page *p = ctx;
    quire_status st = page_take(p, m->updated_us, m->id);

    (void)err;
    if (!st)
        put_entry(p->c, m);
    return st;
}

/* Where the list begins: "before" a second is before all that is in it, and a
 * cursor is further on. False: answered. */
static bool read_start(struct request *c, quire_memory_list_options *o)
{
    if (!read_time(c, "before", &o->before_us) ||
        !read_time(c, "before_updated_at", &o->before_us))
        return false;
    o->before_id = o->before_us ? 1 : 0;
    return request_cursor(c, &o->before_us, &o->before_id);
}

static void browse(struct request *c, const char *session)
{
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    struct page p = {.c = c, .limit = request_limit(c)};
    quire_error err;
    quire_status st;

    if (!read_types(c, &o.types) || !read_time(c, "since", &o.since_us) ||
        !read_as_of(c, &o.as_of_us) || !read_start(c, &o))
        return;
    o.tag = request_text(c, "tag");
    o.session = session;
    o.limit = p.limit + 1;
    page_begin(&p, "entries");
    st = quire_memory_list(c->q, &o, give, &p, &err);
    page_end_rows(&p);
    page_put_cursor(&p);
    page_end(&p, st, &err);
}

/* ---- search ------------------------------------------------------------- */

static quire_status give_hit(void *ctx, const quire_memory *m, quire_error *err)
{
    struct page *p = ctx;
    struct request *c = p->c;
    char score[32];

    (void)err;
    snprintf(score, sizeof score, "%.9f", m->score);
    json_object(&c->w);
    put_members(c, m);
    json_put_raw(&c->w, "score", bytes_str(score));
    json_object_end(&c->w);
    return page_take(p, 0, 0);
}

/* What a search cannot heed is refused: to leave it out would find more than
 * was asked for. False: answered. */
static bool is_search(struct request *c)
{
    static const char *const not_in[] = {"since", "before", "before_updated_at",
                                         "cursor"};
    size_t i;

    for (i = 0; i < sizeof not_in / sizeof *not_in; i++) {
        if (!request_json(c, not_in[i]).data)
            continue;
        request_refuse(c, 400, "invalid", "leave it out, or leave q out",
                       "a search by q takes no %s", not_in[i]);
        return false;
    }
    return true;
}

/* A switch that is on by default. False: answered. */
static bool read_off(struct request *c, const char *name, int *off)
{
    const char *text = request_text(c, name);

    *off = text && (!strcmp(text, "off") || !strcmp(text, "false") ||
                    !strcmp(text, "0"));
    if (*off || !text || request_is_choice(c, name, request_json(c, name)))
        return true;
    request_refuse(c, 400, "invalid", "leave it out, or turn it off",
                   "%s can be on or off", name);
    return false;
}

static void search(struct request *c, const char *session)
{
    quire_recall_options o = QUIRE_RECALL_OPTIONS_INIT;
    struct page p = {.c = c};
    int partial = 0;
    quire_error err;
    quire_status st;

    if (!is_search(c) || !read_types(c, &o.types) ||
        !read_as_of(c, &o.as_of_us) || !read_off(c, "intent", &o.no_intent) ||
        !read_off(c, "decay", &o.no_decay))
        return;
    o.tag = request_text(c, "tag");
    o.session = session;
    o.limit = request_limit(c);
    page_begin(&p, "entries");
    /* Without a word nothing matches. */
    st = quire_memory_query_has_words(request_bytes(c, "q"))
             ? quire_memory_search(c->q, request_bytes(c, "q"), &o, give_hit,
                                   &p, &partial, &err)
             : QUIRE_NOT_FOUND;
    page_end_rows(&p);
    put_flag(c, "partial", partial);
    page_put_cursor(&p);
    /* Nothing is an answer. */
    page_end(&p, st == QUIRE_NOT_FOUND ? QUIRE_OK : st, &err);
}

void route_memory_list(struct request *c)
{
    const char *session;
    int off;

    if (!request_session_field(c, "conversation_id", &session) ||
        !read_off(c, "intent", &off) || !read_off(c, "decay", &off))
        return;
    if (request_text(c, "q"))
        search(c, session);
    else
        browse(c, session);
}

/* ---- one ---------------------------------------------------------------- */

void route_memory_get(struct request *c)
{
    int64_t as_of_us = 0;
    quire_memory m;
    quire_error err;
    quire_status st;

    if (!read_as_of(c, &as_of_us))
        return;
    st = quire_memory_get(c->q, request_id(c, 0), as_of_us, &m, &err);
    if (st)
        request_fail(c, st, &err);
    else
        answer_entry(c, &m, NULL);
}

static quire_status take_tags(struct request *c, quire_memory_options *o,
                              quire_error *err)
{
    size_t n, i;
    const quire_bytes *values = request_elements(c, "tags", &n);
    quire_bytes *tags;

    if (!request_json(c, "tags").data || request_is_null(c, "tags"))
        return QUIRE_OK;
    tags = values ? arena_array(&c->keep, n + 1, sizeof *tags) : NULL;
    if (!tags)
        return err_memory(err);
    for (i = 0; i < n; i++)
        tags[i] = json_text(values[i], &c->keep);
    o->tags = tags;
    o->n_tags = n;
    return QUIRE_OK;
}

static quire_status take_superseded(struct request *c, quire_memory_options *o,
                                    quire_error *err)
{
    size_t n, i;
    const quire_bytes *values = request_elements(c, "supersedes_ids", &n);
    int64_t *ids = arena_array(&c->keep, n + 1, sizeof *ids);

    if (!ids)
        return err_memory(err);
    for (i = 0; values && i < n; i++)
        json_read_int(values[i], &ids[i]);
    o->supersedes = ids;
    o->n_supersedes = n;
    return QUIRE_OK;
}

/* What adding and changing have in common. */
static quire_status take_entry(struct request *c, quire_memory_options *o,
                               quire_error *err)
{
    const char *type = request_text(c, "type");
    quire_status st = QUIRE_OK;

    if (type)
        st = quire_memory_type_of(bytes_str(type), &o->type, err);
    o->set_type = type != NULL;
    o->title = request_bytes(c, "title");
    o->content = request_bytes(c, "content");
    o->source = request_bytes(c, "source");
    o->artifact = (int64_t)request_number(c, "artifact_id", 0);
    return st ? st : take_tags(c, o, err);
}

void route_memory_add(struct request *c)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    const char *session;
    quire_memory m;
    quire_error err;
    quire_status st;

    if (!request_session_field(c, "conversation_id", &session) ||
        !read_time(c, "created_at", &o.created_us))
        return;
    st = take_entry(c, &o, &err);
    if (!st)
        st = take_superseded(c, &o, &err);
    if (!st)
        st = quire_memory_add(c->q, session, &o, &m, &err);
    if (st)
        fail_body(c, st, &err);
    else
        answer_entry(c, &m, &o);
}

/* Whether there is anything to change: to say yes to nothing would hide a
 * field that is spelled wrong. */
static bool is_change(struct request *c)
{
    const struct field *f = c->route->fields;
    size_t i;

    for (i = 0; f[i].name; i++)
        if (c->values[i].data &&
            (f[i].flags & FIELD_NULL || !request_is_null(c, f[i].name)))
            return true;
    request_refuse(c, 400, "invalid",
                   "send type, title, content, source, tags or artifact_id",
                   "there is nothing to change");
    return false;
}

void route_memory_patch(struct request *c)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    int64_t id = request_id(c, 0);
    quire_memory m;
    quire_error err;
    quire_status st = quire_memory_get(c->q, id, 0, &m, &err);

    if (st) {
        request_fail(c, st, &err);
        return;
    }
    if (!is_change(c))
        return;
    st = take_entry(c, &o, &err);
    if (request_json(c, "artifact_id").data && !o.artifact)
        o.artifact = -1; /* the link goes */
    if (!st)
        st = quire_memory_edit(c->q, NULL, id, &o, &m, &err);
    if (st)
        fail_body(c, st, &err);
    else
        answer_entry(c, &m, NULL);
}

void route_memory_remove(struct request *c)
{
    quire_error err;
    quire_status st = quire_memory_remove(c->q, request_id(c, 0), &err);

    answer_deleted(c, st, &err);
}

void route_memory_invalidate(struct request *c)
{
    int64_t id = request_id(c, 0), when_us = 0;
    quire_error err;
    quire_status st;

    if (!read_time(c, "when", &when_us))
        return;
    st = quire_memory_invalidate(c->q, id, when_us, &err);
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    json_object(&c->w);
    put_flag(c, "invalidated", true);
    put_number(c, "id", id);
    json_object_end(&c->w);
}

/* ---- relations ---------------------------------------------------------- */

enum { RELATIONS_MAX = 1000 };

static void put_relation(struct request *c, const quire_relation *r)
{
    json_object(&c->w);
    put_number(c, "id", r->id);
    put_number(c, "tenant_id", c->tenant.id);
    put_number(c, "source_id", r->source);
    put_number(c, "target_id", r->target);
    put_text(c, "relation", quire_relation_name(r->kind));
    put_time(c, "created_at", r->created_us);
    json_object_end(&c->w);
}

static quire_status give_relation(void *ctx, const quire_relation *r,
                                  quire_error *err)
{
    struct page *p = ctx;
    quire_status st = page_take(p, r->created_us, r->id);

    (void)err;
    if (!st)
        put_relation(p->c, r);
    return st;
}

/* Which ones. False: answered. */
static bool read_relations(struct request *c, quire_relation_list_options *o)
{
    const char *name = request_text(c, "relation");
    quire_relation_kind kind;
    int64_t ignored;
    quire_error err;
    quire_status st;

    o->source = (int64_t)request_number(c, "source_id", 0);
    o->target = (int64_t)request_number(c, "target_id", 0);
    if (name) {
        st = quire_relation_of(bytes_str(name), &kind, &err);
        if (st) {
            request_fail(c, st, &err);
            return false;
        }
        o->kind = (int)kind;
    }
    return request_cursor(c, &ignored, &o->before_id);
}

void route_relations_list(struct request *c)
{
    quire_relation_list_options o = QUIRE_RELATION_LIST_OPTIONS_INIT;
    struct page p = {.c = c, .limit = request_limit(c)};
    quire_error err;
    quire_status st;

    if (!read_relations(c, &o))
        return;
    o.limit = p.limit + 1;
    page_begin(&p, "relations");
    st = quire_relation_list(c->q, &o, give_relation, &p, &err);
    page_end_rows(&p);
    /* Of the most that can be asked for it is not known if there are more. */
    p.more = p.more || p.n == RELATIONS_MAX;
    page_put_cursor(&p);
    page_end(&p, st, &err);
}

/* An error as any other, that says which one is there. */
static void answer_existing(struct request *c, const quire_error *err,
                            int64_t id)
{
    c->answer.status = 409;
    response_header(&c->answer, "Content-Type", "application/json");
    json_object(&c->w);
    put_text(c, "error", err->what);
    put_text(c, "kind", quire_status_name(QUIRE_EXISTS));
    put_text(c, "hint", err->next);
    put_number(c, "existing_id", id);
    json_object_end(&c->w);
}

void route_relations_add(struct request *c)
{
    int64_t source = (int64_t)request_number(c, "source_id", 0);
    int64_t target = (int64_t)request_number(c, "target_id", 0);
    quire_relation_kind kind;
    quire_relation r = {.id = 0};
    quire_error err;
    quire_status st = quire_relation_of(bytes_str(request_text(c, "relation")),
                                        &kind, &err);

    if (!st)
        st = quire_relation_add(c->q, source, kind, target, &r, &err);
    if (st == QUIRE_EXISTS)
        answer_existing(c, &err, r.id);
    else if (st)
        fail_body(c, st, &err);
    else
        put_relation(c, &r);
}

void route_relations_remove(struct request *c)
{
    quire_error err;
    quire_status st = quire_relation_remove(c->q, request_id(c, 0), &err);

    answer_deleted(c, st, &err);
}

/* ---- the graph ---------------------------------------------------------- */

/* Entries come first; with the first relation, or at the end, their array is
 * closed and the other begun. */
struct drawing {
    struct request *c;
    uint64_t entries, relations;
    bool second;
};

static void turn_over(struct drawing *d)
{
    if (d->second)
        return;
    d->second = true;
    json_array_end(&d->c->w);
    json_key(&d->c->w, "relations");
    json_array(&d->c->w);
}

static quire_status draw_entry(void *ctx, const quire_memory *m,
                               quire_error *err)
{
    struct drawing *d = ctx;

    (void)err;
    put_entry(d->c, m);
    d->entries++;
    return QUIRE_OK;
}

static quire_status draw_relation(void *ctx, const quire_relation *r,
                                  quire_error *err)
{
    struct drawing *d = ctx;

    (void)err;
    turn_over(d);
    put_relation(d->c, r);
    d->relations++;
    return QUIRE_OK;
}

void route_graph(struct request *c)
{
    quire_graph_options o = QUIRE_GRAPH_OPTIONS_INIT;
    struct drawing d = {.c = c};
    uint64_t depth = request_number(c, "depth", 1);
    quire_error err;
    quire_status st;

    if (!read_types(c, &o.types))
        return;
    o.around = (int64_t)request_number(c, "around", 0);
    o.depth = depth < 100 ? (unsigned)depth : 100;
    o.max_nodes = request_number(c, "limit", 0);
    json_object(&c->w);
    put_number(c, "tenant_id", c->tenant.id);
    json_key(&c->w, "entries");
    json_array(&c->w);
    st = quire_memory_graph(c->q, &o, draw_entry, draw_relation, &d, &err);
    turn_over(&d);
    json_array_end(&c->w);
    put_number(c, "entry_count", (int64_t)d.entries);
    put_number(c, "relation_count", (int64_t)d.relations);
    json_object_end(&c->w);
    if (st)
        fail_body(c, st, &err);
}
