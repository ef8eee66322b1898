/*
 * memory.c - memory, as quire/memory.h has it
 *
 * Resolves sessions, checks entries and words failures; src/memory has the rows.
 */
#include <string.h>

#include "artifact/artifact.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "memory/memory.h"
#include "api/core/handle.h"
#include "api/search.h"

#define TITLE_MAX      200
#define CONTENT_MAX    (64 * 1024)
#define SOURCE_MAX     200
#define TAGS_MAX       32
#define TAG_MAX        64
#define SUPERSEDES_MAX 1000

#define LIST_LIMIT         50
#define LIST_LIMIT_MAX     1000
#define RELATION_LIMIT     200
#define RELATION_LIMIT_MAX 1000
#define RECALL_LIMIT       20
#define RECALL_LIMIT_MAX   200
#define HALF_LIFE_DAYS     90
#define HALF_LIFE_MAX      1000000

/* ---- names -------------------------------------------------------------- */

const char *quire_memory_type_name(quire_memory_type type)
{
    return memory_type_name((int)type);
}

const char *quire_relation_name(quire_relation_kind kind)
{
    return relation_kind_name((int)kind);
}

static quire_status no_name(const char *what, quire_bytes name,
                            quire_error *err)
{
    return err_set(err, QUIRE_INVALID, "unknown %s %.*s", what,
                   (int)(name.len < 60 ? name.len : 60),
                   name.data ? (const char *)name.data : "");
}

quire_status quire_memory_type_of(quire_bytes name, quire_memory_type *out,
                                  quire_error *err)
{
    int type = memory_type_of(name);
    quire_status st;

    if (type >= 0) {
        *out = (quire_memory_type)type;
        return QUIRE_OK;
    }
    st = no_name("memory type", name, err);
    err_next(err, "it is one of user, feedback, project, reference, learning, "
                  "context");
    return st;
}

quire_status quire_relation_of(quire_bytes name, quire_relation_kind *out,
                               quire_error *err)
{
    int kind = relation_kind_of(name);
    quire_status st;

    if (kind >= 0) {
        *out = (quire_relation_kind)kind;
        return QUIRE_OK;
    }
    st = no_name("relation", name, err);
    err_next(err, "it is one of relates_to, refines, contradicts, supersedes, "
                  "supports");
    return st;
}

/* ---- the room ----------------------------------------------------------- */

/* Open memory and artifacts, to whose sessions entries are pinned. Empties
 * q->loan. */
static quire_status missing(int64_t id, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_NOT_FOUND,
                 HINT_SHELL
                 "`quire memory ls` lists valid entries; --as-of shows what "
                 "was valid before",
                 "no valid memory entry #%lld", (long long)id);
    return st;
}

/* The key of a named session; NULL: none is named. An unknown name is an error,
 * also while there is no memory. */
static quire_status find_key(struct quire *q, const char *session,
                             const char **key, quire_error *err)
{
    *key = NULL;
    return session ? session_key(q, session, &q->loan, key, err) : QUIRE_OK;
}

/* Its number; 0: no row. */
static quire_status find_owner(struct quire *q, const char *key,
                               struct memory_owner *out, quire_error *err)
{
    struct session_row row = {.session = 0};
    quire_status st = QUIRE_NOT_FOUND;

    if (key)
        st = session_row_find(&q->catalog, q->tenant, key, &row, err);
    *out = (struct memory_owner){q->tenant, row.session, key};
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The number of the writing session, inside the transaction; it was asked for if it
 * has a key. A missing row is created: number 0 means the tenant itself, which may
 * link more. It is created after the link was checked, so that a refusal changes
 * nothing. */
static quire_status make_owner(struct quire *q, struct session_asked *asked,
                               int64_t artifact, struct memory_owner *out,
                               quire_error *err)
{
    struct memory_owner none = {q->tenant, INT64_MIN, NULL};
    struct session_row row = {.session = 0};
    quire_status st = QUIRE_OK;

    if (asked->key)
        st = session_row_take(asked, &row, err);
    if (!st && asked->key && !row.session) {
        st = artifact > 0 ? memory_may_link(q->memories, &none, artifact, err)
                          : QUIRE_OK;
        if (!st)
            st = session_row_add(&q->catalog, asked, &row, err);
    }
    *out = (struct memory_owner){q->tenant, row.session, asked->key};
    return st;
}

/* ---- what may be added -------------------------------------------------- */

static quire_status check_text(const char *what, quire_bytes text, size_t min,
                               size_t max, quire_error *err)
{
    quire_status st;

    if (text.len >= min && text.len <= max && utf8_check(text))
        return QUIRE_OK;
    if (text.len < min) {
        st = err_set(err, QUIRE_INVALID, "the %s of a memory entry is empty",
                     what);
        err_next(err, "give 1 to %zu bytes", max);
    } else if (text.len > max) {
        st = err_fail(err, QUIRE_INVALID,
                      "shorten it, or link an artifact with the text",
                      "the %s of a memory entry has %zu bytes, above the "
                      "limit of %zu",
                      what, text.len, max);
    } else {
        st = err_fail(err, QUIRE_INVALID,
                      "store other bytes as an artifact, and link it",
                      "the %s of a memory entry is not UTF-8 at byte %zu", what,
                      utf8_find_bad(text));
    }
    return st;
}

static quire_status check_tags(const quire_bytes *tags, size_t n,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    if (n > TAGS_MAX) {
        st = err_fail(err, QUIRE_INVALID, "leave some out",
                      "a memory entry has %zu tags, above the limit of %d", n,
                      TAGS_MAX);
    }
    for (i = 0; i < n && !st; i++)
        st = check_text("tag", tags[i], 1, TAG_MAX, err);
    return st;
}

/* A given time; 0: none. */
static quire_status check_time(int64_t us, quire_error *err)
{
    if (us >= 0)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "leave it out for now",
                    "time is before 1970");
}

static quire_status check_options(const quire_memory_options *o, bool edit,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;

    if ((!edit || o->set_type) && !memory_type_name((int)o->type))
        st = err_set(err, QUIRE_INVALID, "unknown memory type %d",
                     (int)o->type);
    if (!st && (!edit || o->title.data))
        st = check_text("title", o->title, 1, TITLE_MAX, err);
    if (!st)
        st = check_text("content", o->content, 0, CONTENT_MAX, err);
    if (!st)
        st = check_text("source", o->source, 0, SOURCE_MAX, err);
    if (!st && o->tags)
        st = check_tags(o->tags, o->n_tags, err);
    if (!st)
        st = check_time(o->created_us, err);
    if (!st && o->artifact < (edit ? -1 : 0))
        st = err_set(err, QUIRE_INVALID, "no artifact #%lld",
                     (long long)o->artifact);
    if (!st && o->n_supersedes > SUPERSEDES_MAX)
        st = err_set(err, QUIRE_INVALID,
                     "a memory entry supersedes more than %d others",
                     SUPERSEDES_MAX);
    return st;
}

static void fill_options(const quire_memory_options *given,
                         quire_memory_options *full)
{
    *full = (quire_memory_options)QUIRE_MEMORY_OPTIONS_INIT;
    if (given)
        memcpy(full, given,
               given->size < sizeof *full ? given->size : sizeof *full);
    if (!full->tags)
        full->n_tags = 0;
    if (!full->supersedes)
        full->n_supersedes = 0;
}

/* ---- add, edit ---------------------------------------------------------- */

/* Read the options and the key of the session, begin a transaction and ask for the
 * session. `edit`: fields that are not given stay as they are. */
static quire_status begin_change(struct quire *q, const char *session,
                                 const quire_memory_options *given, bool edit,
                                 quire_memory_options *full,
                                 struct session_asked *asked, quire_error *err)
{
    const char *key = NULL;
    quire_status st = need_memory(q, true, err);

    fill_options(given, full);
    if (!st)
        st = check_options(full, edit, err);
    if (!st)
        st = find_key(q, session, &key, err);
    if (!st)
        st = memory_begin(q->memories, q->tenant, err);
    if (st)
        return st;
    asked->key = key;
    if (key)
        st = session_row_ask(&q->catalog, q->tenant, key, asked, err);
    return st ? memory_end(q->memories, st, err) : QUIRE_OK;
}

quire_status quire_memory_add(quire *q, const char *session,
                              const quire_memory_options *options,
                              quire_memory *out, quire_error *err)
{
    quire_memory_options o;
    struct session_asked asked;
    struct memory_owner owner;
    struct stmt *next_id;
    quire_memory ignored;
    quire_status st = begin_change(q, session, options, false, &o, &asked, err);

    if (st)
        return st;
    st = memory_id_ask(q->memories, &next_id, err);
    if (!st)
        st = make_owner(q, &asked, o.artifact, &owner, err);
    if (!st)
        st = memory_add(q->memories, &owner, next_id, &o, &q->loan,
                        out ? out : &ignored, err);
    return memory_end(q->memories, st, err);
}

quire_status quire_memory_edit(quire *q, const char *session, int64_t id,
                               const quire_memory_options *options,
                               quire_memory *out, quire_error *err)
{
    quire_memory_options o;
    struct session_asked asked;
    struct memory_owner owner;
    quire_memory ignored;
    quire_status st = begin_change(q, session, options, true, &o, &asked, err);

    if (st)
        return st;
    /* A missing entry gets its message here, a missing link in src/memory. */
    st = memory_get(q->memories, q->tenant, id, 0, &q->loan, &ignored, err);
    if (st == QUIRE_NOT_FOUND)
        missing(id, err);
    if (!st)
        st = make_owner(q, &asked, o.artifact, &owner, err);
    if (!st)
        st = memory_edit(q->memories, &owner, id, &o, &q->loan,
                         out ? out : &ignored, err);
    return memory_end(q->memories, st, err);
}

/* ---- get, list ---------------------------------------------------------- */

quire_status quire_memory_get(quire *q, int64_t id, int64_t as_of_us,
                              quire_memory *out, quire_error *err)
{
    quire_status st = need_memory(q, false, err);

    *out = (quire_memory){.id = 0};
    if (!st)
        st = check_time(as_of_us, err);
    if (!st)
        st = memory_get(q->memories, q->tenant, id, as_of_us, &q->loan, out,
                        err);
    return st == QUIRE_NOT_FOUND ? missing(id, err) : st;
}

static uint64_t limit_of(uint64_t given, uint64_t otherwise, uint64_t max)
{
    return given == 0 ? otherwise : given > max ? max : given;
}

quire_status quire_memory_list(quire *q,
                               const quire_memory_list_options *options,
                               quire_memory_fn each, void *ctx,
                               quire_error *err)
{
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    struct memory_range range = {.tenant = q->tenant};
    struct memory_owner owner = {.session = 0};
    const char *key;
    quire_status st = need_memory(q, false, err);
    bool none = st == QUIRE_NOT_FOUND;

    OPTIONS_READ(o, options);
    if (!st || none)
        st = check_time(o.as_of_us, err);
    if (!st)
        st = find_key(q, o.session, &key, err);
    if (!st && !none)
        st = find_owner(q, key, &owner, err);
    if (st || none)
        return st;
    range.types = o.types;
    range.tag = o.tag;
    range.in_session = o.session != NULL;
    range.session = owner.session;
    range.since_us = o.since_us;
    range.as_of_us = o.as_of_us;
    range.before_us = o.before_us;
    range.before_id = o.before_id;
    range.limit = o.limit == UINT64_MAX
                      ? UINT64_MAX
                      : limit_of(o.limit, LIST_LIMIT, LIST_LIMIT_MAX);
    q->in_callback = true;
    st = memory_list(q->memories, &range, each, ctx, err);
    q->in_callback = false;
    return st;
}

/* ---- search ------------------------------------------------------------- */

static quire_status nothing_found(quire_bytes query, quire_error *err)
{
    struct buf text = BUF_INIT(1024);
    quire_status st;

    utf8_add_mended(&text, bytes_sub(query, 0, utf8_cut(query, 100)));
    st = err_fail(err, QUIRE_NOT_FOUND,
                  HINT_SHELL
                  "ask with other words; `quire memory ls` lists what is known",
                  "no memory entry has a word of %s",
                  buf_text(&text) ? buf_text(&text) : "the question");
    buf_release(&text);
    return st;
}

static quire_status check_question(quire_bytes query, quire_error *err)
{
    if (memory_query_has_words(query))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "use one or more words of the entry",
                    "the query has no search term");
}

int quire_memory_query_has_words(quire_bytes query)
{
    return check_question(query, NULL) == QUIRE_OK;
}

/* Translate the options. */
static quire_status read_question(struct quire *q,
                                  const quire_recall_options *o,
                                  const char *key, struct memory_query *out,
                                  quire_error *err)
{
    struct memory_owner owner;
    quire_status st = find_owner(q, key, &owner, err);

    if (!st)
        st = check_time(o->as_of_us, err);
    if (!st && (o->half_life_days < 0 || o->half_life_days > HALF_LIFE_MAX))
        st = err_set(err, QUIRE_INVALID,
                     "half-life of %lld days is not between 1 and %d",
                     (long long)o->half_life_days, HALF_LIFE_MAX);
    if (st)
        return st;
    out->tenant = q->tenant;
    out->types = o->types;
    out->tag = o->tag;
    out->fused = o->session != NULL;
    out->session = owner.session;
    out->intent = !o->no_intent;
    out->decay = !o->no_decay;
    out->half_life_days = o->half_life_days ? o->half_life_days
                                            : HALF_LIFE_DAYS;
    out->as_of_us = o->as_of_us;
    out->limit = limit_of(o->limit, RECALL_LIMIT, RECALL_LIMIT_MAX);
    return QUIRE_OK;
}

/* The search index as the module asks it. */
struct finding {
    struct quire *q;
    const char *key; /* of the session that asks; NULL: none */
};

static quire_status find_words(void *ctx, const struct query *query, bool past,
                               bool pinned, size_t max, struct arena *keep,
                               struct memory_word_hit **out, size_t *n,
                               quire_error *err)
{
    const struct finding *f = ctx;
    struct search_rows_query r = {.tree = query,
                                  .kind = TEXT_MEMORY,
                                  .older = past,
                                  .key = pinned ? f->key : NULL,
                                  .max = max};
    struct search_row_hit *hits;
    quire_status st;
    size_t i;

    /* It may read rows: no callback of the caller runs now. */
    f->q->in_callback = false;
    st = search_rows_find(f->q, &r, keep, &hits, n, err);
    f->q->in_callback = true;

    if (st)
        return st;
    *out = arena_array(keep, *n + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (i = 0; i < *n; i++)
        (*out)[i] = (struct memory_word_hit){hits[i].id, hits[i].score};
    return QUIRE_OK;
}

quire_status quire_memory_search(quire *q, quire_bytes query,
                                 const quire_recall_options *options,
                                 quire_memory_fn each, void *ctx, int *partial,
                                 quire_error *err)
{
    quire_recall_options o = QUIRE_RECALL_OPTIONS_INIT;
    struct memory_query question = {.text = query};
    struct finding finding = {.q = q};
    struct arena keep = ARENA_INIT;
    bool newest = false, none;
    const char *key = NULL;
    quire_status st = need_memory(q, false, err);

    none = st == QUIRE_NOT_FOUND;
    OPTIONS_READ(o, options);
    if (!st || none)
        st = check_question(query, err);
    if (!st)
        st = find_key(q, o.session, &key, err);
    if (!st && !none)
        st = read_question(q, &o, key, &question, err);
    /* It is in q->loan, which an update uses. */
    if (!st && !none && key) {
        finding.key = arena_text(&keep, bytes_str(key));
        st = finding.key ? QUIRE_OK : err_memory(err);
    }
    if (!st && !none)
        st = search_rows_update(q, err);
    if (!st && !none) {
        struct memory_finder finder = {find_words, &finding};

        q->in_callback = true;
        st = memory_search(q->memories, &question, &finder, each, ctx, &newest,
                           err);
        q->in_callback = false;
        none = st == QUIRE_NOT_FOUND;
        st = none ? QUIRE_OK : st;
    }
    if (partial)
        *partial = newest;
    arena_release(&keep);
    return !st && none ? nothing_found(query, err) : st;
}

/* ---- ended, gone -------------------------------------------------------- */

quire_status quire_memory_invalidate(quire *q, int64_t id, int64_t when_us,
                                     quire_error *err)
{
    quire_status st = need_memory(q, true, err);

    if (!st)
        st = check_time(when_us, err);
    if (!st)
        st = memory_begin(q->memories, q->tenant, err);
    if (st)
        return st;
    st = memory_invalidate(q->memories, q->tenant, id, when_us, err);
    st = memory_end(q->memories, st, err);
    return st == QUIRE_NOT_FOUND ? missing(id, err) : st;
}

quire_status quire_memory_remove(quire *q, int64_t id, quire_error *err)
{
    quire_status st = need_memory(q, true, err);

    if (!st)
        st = memory_begin(q->memories, q->tenant, err);
    if (st)
        return st;
    st = memory_remove(q->memories, q->tenant, id, err);
    st = memory_end(q->memories, st, err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, HINT_SHELL "`quire memory ls` lists valid entries",
                 "no memory entry #%lld", (long long)id);
    }
    return st;
}

/* ---- relations ---------------------------------------------------------- */

static quire_status check_relation(const quire_relation *r, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!relation_kind_name((int)r->kind))
        st = err_set(err, QUIRE_INVALID, "unknown relation %d", (int)r->kind);
    if (!st && r->source == r->target) {
        st = err_fail(err, QUIRE_INVALID, "name two entries",
                      "memory entry #%lld cannot be related to itself",
                      (long long)r->source);
    }
    return st;
}

/* Name the end of a relation that is missing. */
static quire_status missing_end(struct quire *q, const quire_relation *r,
                                quire_error *err)
{
    quire_memory ignored;
    quire_status st = memory_get(q->memories, q->tenant, r->source, 0, &q->loan,
                                 &ignored, err);

    return missing(st == QUIRE_NOT_FOUND ? r->source : r->target, err);
}

quire_status quire_relation_add(quire *q, int64_t source,
                                quire_relation_kind kind, int64_t target,
                                quire_relation *out, quire_error *err)
{
    quire_relation want = {.source = source, .kind = kind, .target = target};
    quire_relation ignored;
    quire_status st = need_memory(q, true, err);

    if (!out)
        out = &ignored;
    *out = want;
    if (!st)
        st = check_relation(&want, err);
    if (!st)
        st = memory_begin(q->memories, q->tenant, err);
    if (st)
        return st;
    st = relation_add(q->memories, q->tenant, &want, out, err);
    st = memory_end(q->memories, st, err);
    if (st == QUIRE_NOT_FOUND)
        return missing_end(q, &want, err);
    if (st == QUIRE_EXISTS) {
        /* The writer that added it may not have synced yet. */
        quire_status settled = db_settle(q->catalog.db, err);

        if (settled)
            return settled;
        err_fail(err, st, "nothing is left to do",
                 "#%lld %s #%lld already exists, as relation #%lld",
                 (long long)source, relation_kind_name((int)kind),
                 (long long)target, (long long)out->id);
    }
    return st;
}

quire_status quire_relation_remove(quire *q, int64_t id, quire_error *err)
{
    quire_status st = need_memory(q, true, err);

    if (!st)
        st = memory_begin(q->memories, q->tenant, err);
    if (st)
        return st;
    st = relation_remove(q->memories, q->tenant, id, err);
    st = memory_end(q->memories, st, err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, HINT_SHELL "`quire memory graph` shows the relations",
                 "no relation #%lld", (long long)id);
    }
    return st;
}

quire_status quire_relation_list(quire *q,
                                 const quire_relation_list_options *options,
                                 quire_relation_fn each, void *ctx,
                                 quire_error *err)
{
    quire_relation_list_options o = QUIRE_RELATION_LIST_OPTIONS_INIT;
    struct relation_range range = {.tenant = q->tenant};
    quire_status st = need_memory(q, false, err);

    OPTIONS_READ(o, options);
    if (!st && o.kind != -1 && !relation_kind_name(o.kind))
        st = err_set(err, QUIRE_INVALID, "unknown relation %d", o.kind);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    range.source = o.source;
    range.target = o.target;
    range.either = o.either;
    range.kind = o.kind;
    range.before_id = o.before_id;
    range.limit = limit_of(o.limit, RELATION_LIMIT, RELATION_LIMIT_MAX);
    q->in_callback = true;
    st = relation_list(q->memories, &range, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_memory_graph(quire *q, const quire_graph_options *options,
                                quire_memory_fn each_entry,
                                quire_relation_fn each_relation, void *ctx,
                                quire_error *err)
{
    quire_graph_options o = QUIRE_GRAPH_OPTIONS_INIT;
    quire_status st = need_memory(q, false, err);
    bool none;

    OPTIONS_READ(o, options);
    none = st == QUIRE_NOT_FOUND;
    if (!st) {
        q->in_callback = true;
        st = memory_graph(q->memories, q->tenant, &o, each_entry, each_relation,
                          ctx, err);
        q->in_callback = false;
    }
    if (none && !o.around)
        return QUIRE_OK;
    return st == QUIRE_NOT_FOUND ? missing(o.around, err) : st;
}

/* ---- citations ---------------------------------------------------------- */

quire_status memory_links(struct quire *q, int64_t entry, int64_t artifact,
                          bool *links, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_memory one = {.id = 0};
    quire_status st = memories_open(q, err);

    *links = false;
    if (!st)
        st = memory_get(q->memories, q->tenant, entry, 0, &tmp, &one, err);
    if (!st)
        *links = one.artifact != 0 && one.artifact == artifact;
    arena_release(&tmp);
    return st;
}
