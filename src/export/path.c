/* path.c - see path.h */
#include "export/path.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

struct compaction {
    size_t at;
    const char *kept; /* id of the first entry that it keeps */
};

struct finder {
    struct export *x;
    struct export_path *path;
    struct compaction *compactions;
    size_t n_compactions, cap_compactions;
    const char *from;
    bool begun;
    const char *reset,
        *summary; /* ids of the last entry where the context begins
                                    anew, and of the last compaction         */
};

/* ---- one entry ----------------------------------------------------------- */

static const char *keep_text(struct export *x, quire_bytes string)
{
    struct buf b = BUF_INIT((size_t)1 << 20);
    const char *text = "";

    if (json_kind(string) != JSON_STRING)
        return text;
    json_decode(string, &b);
    text = b.failed ? NULL : arena_text(&x->keep, buf_bytes(&b));
    buf_release(&b);
    return text;
}

static void read_time(struct export_session *s, quire_bytes time)
{
    int64_t ms;

    if (json_kind(time) != JSON_STRING || time.len < 3 ||
        !timestamp_parse(bytes_sub(time, 1, time.len - 1), &ms))
        return;
    if (ms > s->updated_ms)
        s->updated_ms = ms;
    if (!s->created_ms)
        s->created_ms = ms;
}

/* Of the last answer. */
static bool read_model(struct finder *f, quire_bytes message)
{
    struct json_want w[] = {JSON_WANT("role"), JSON_WANT("model"),
                            JSON_WANT("provider")};
    struct export_session *s = &f->x->session;

    if (!json_pick(message, w, 3, NULL) ||
        json_kind(w[0].value) != JSON_STRING ||
        !json_is(w[0].value, "assistant") ||
        json_kind(w[1].value) != JSON_STRING || w[1].value.len <= 2 ||
        json_is(w[1].value, "<synthetic>"))
        return true;
    s->model = keep_text(f->x, w[1].value);
    s->provider = keep_text(f->x, w[2].value);
    return s->model && s->provider;
}

static bool add_compaction(struct finder *f, quire_bytes kept)
{
    struct compaction *list = f->compactions;
    size_t cap = f->cap_compactions ? f->cap_compactions * 2 : 16;

    if (f->n_compactions == f->cap_compactions) {
        list = arena_array(&f->x->keep, cap, sizeof *list);
        if (!list)
            return false;
        if (f->n_compactions)
            memcpy(list, f->compactions, f->n_compactions * sizeof *list);
        f->compactions = list;
        f->cap_compactions = cap;
    }
    list[f->n_compactions].at = f->path->n;
    list[f->n_compactions].kept = keep_text(f->x, kept);
    return list[f->n_compactions++].kept != NULL;
}

static bool add_id(struct finder *f, quire_bytes id)
{
    struct export_path *p = f->path;
    size_t cap = p->cap ? p->cap * 2 : 256;
    const char **ids;

    if (p->n == p->cap) {
        ids = arena_array(&f->x->keep, cap, sizeof *ids);
        if (!ids)
            return false;
        if (p->n)
            memcpy(ids, p->ids, p->n * sizeof *ids);
        p->ids = ids;
        p->cap = cap;
    }
    p->ids[p->n] = arena_text(&f->x->keep, id);
    return p->ids[p->n++] != NULL;
}

static quire_status on_entry(void *ctx, const quire_entry *e, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("timestamp"), JSON_WANT("message"),
                            JSON_WANT("firstKeptEntryId")};
    struct finder *f = ctx;
    bool ok = true;

    if (!f->begun && f->from)
        f->begun = bytes_is(e->id, f->from);
    else
        f->begun = true;
    if (!f->begun || !e->id.data)
        return QUIRE_OK;
    json_pick(e->json, w, 3, NULL);
    read_time(&f->x->session, w[0].value);
    if (bytes_is(e->type, "message"))
        ok = read_model(f, w[1].value);
    else if (bytes_is(e->type, "compaction"))
        ok = add_compaction(f, w[2].value);
    if (!ok || !add_id(f, e->id))
        return err_memory(err);
    if (bytes_is(e->type, "reset_boundary"))
        f->reset = f->path->ids[f->path->n - 1];
    else if (bytes_is(e->type, "compaction"))
        f->summary = f->path->ids[f->path->n - 1];
    return QUIRE_OK;
}

/* ---- all ----------------------------------------------------------------- */

/* Move each compaction to where its kept entries begin. */
static void order_compactions(struct finder *f)
{
    const char **ids = f->path->ids;
    size_t i, to;

    for (i = 0; i < f->n_compactions; i++) {
        const struct compaction *c = &f->compactions[i];
        const char *id = ids[c->at];

        for (to = c->at; to > 0 && strcmp(ids[to - 1], c->kept) != 0; to--)
            ;
        if (to-- == 0)
            continue;
        memmove(ids + to + 1, ids + to, (c->at - to) * sizeof *ids);
        ids[to] = id;
    }
}

/* Leave out what stands before `id`, which the model does not see. */
static void cut_before(struct finder *f, const char *id)
{
    struct export_path *p = f->path;
    size_t at = 0;

    while (at < p->n && p->ids[at] != id)
        at++;
    if (at == 0 || at == p->n)
        return;
    p->ids += at;
    p->n -= at;
    export_drop_n(f->x, "entry that a compaction replaced", bytes_str(""), at);
}

static void cut_to_context(struct finder *f)
{
    if (f->reset)
        cut_before(f, f->reset);
    if (f->summary) /* one that was cut is not found */
        cut_before(f, f->summary);
}

static quire_status read_header(struct export *x, quire_session *s,
                                quire_error *err)
{
    struct json_want w[] = {JSON_WANT("agent"), JSON_WANT("source"),
                            JSON_WANT("timestamp")};
    struct export_session *o = &x->session;
    quire_session_info info = {0};
    quire_bytes header;
    quire_status st = quire_session_header(s, &header, err);

    if (st)
        return st;
    o->header = arena_dup(&x->keep, header);
    json_pick(o->header, w, 3, NULL);
    o->agent = keep_text(x, w[0].value);
    o->source = keep_text(x, w[1].value);
    read_time(o, w[2].value);
    o->updated_ms = 0;
    quire_session_describe(s, &info);
    o->id = arena_text(&x->keep, bytes_str(info.id));
    o->cwd = arena_text(&x->keep, bytes_str(info.cwd ? info.cwd : ""));
    o->title = arena_text(&x->keep, bytes_str(info.title ? info.title : ""));
    o->model = o->provider = o->leaf = "";
    return o->header.data && o->agent && o->source && o->id && o->cwd &&
                   o->title
               ? QUIRE_OK
               : err_memory(err);
}

quire_status export_path_find(struct export *x, quire_session *s,
                              const quire_export_options *options,
                              struct export_path *path, quire_error *err)
{
    struct finder f = {.x = x, .path = path, .from = options->from};
    struct export_session *o = &x->session;
    quire_status st = read_header(x, s, err);

    if (!st)
        st = quire_session_path(s, options->leaf, 0, on_entry, &f, err);
    if (st)
        return st;
    if (options->from && !path->n)
        return err_fail(err, QUIRE_INVALID,
                        "name an entry between the root and the leaf",
                        "entry %s is not on the path", options->from);
    if (!o->updated_ms)
        o->updated_ms = o->created_ms;
    if (path->n)
        o->leaf = path->ids[path->n - 1];
    o->n_entries = path->n;
    if (x->target->for_agent)
        order_compactions(&f);
    if (x->target->context_only)
        cut_to_context(&f);
    return QUIRE_OK;
}
