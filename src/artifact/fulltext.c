/*
 * fulltext.c - full-text index of a tenant's artifacts
 *
 * Each tenant has its own index, artifact_words_<tenant>: the artifacts of one
 * tenant neither slow down nor leak to another. A removal must supply the text
 * that was added (search/index.h). That text can be derived from the row and its
 * blob:
 *
 *   (1) What an artifact has in the index is a function of its row and of the
 *       content that the row names.
 *   (2) Live artifacts are in it as they are, but for those in artifact_due:
 *       these are in it as they are described there, or not at all.
 *   (3) Others are not in it, except those of a removed session and those with
 *       content that could not be read when they were deleted: to supply the
 *       text of a thousand artifacts takes too long for `session rm`. A search
 *       reads the row, and skips hits without a live one; artifacts_reindex()
 *       builds the index without them.
 *
 * Indexing ten kilobytes costs as much as the rest of a put. So a put only
 * records that the artifact is due. artifacts_settle_some() indexes due
 * artifacts in the background, and artifact_fulltext_view_open() before a
 * search. A search that may not or cannot write indexes them in memory; to keep
 * that short, at most about DUE_MAX are due, and no long text is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/mime.h"
#include "artifact/priv.h"
#include "catalog/change_log.h"
#include "base/bytes.h"
#include "base/err.h"
#include "search/index.h"

enum { DUE_MAX = 512, DUE_BYTES_MAX = 64 * 1024 };

/* Up to DUE_FEW are indexed in memory rather than waiting for another writer.
 * Every COUNT_EVERY puts a handle counts what is due; if that is too much, it
 * indexes SETTLE_SOME: more than arrived, and few enough to wait for, some 25
 * ms. In batches of 32 each would cost twice as much, because a batch is a
 * segment of the index that has to be merged with others. A handle that puts
 * longer texts indexes them sooner. */
enum { DUE_FEW = 16, COUNT_EVERY = 64, SETTLE_SOME = 256 };
enum { NOTED_MAX = 1024 * 1024 };

enum { PATH, PURPOSE, TAGS, BODY };

/* A term in the path weighs more than one in the text. The scope of an artifact
 * is its session. */
const struct fulltext_kind artifact_fulltext_kind = {
    .name = "artifact_words",
    .columns = {[PATH] = {"path", 8},
                [PURPOSE] = {"purpose", 4},
                [TAGS] = {"tags", 6},
                [BODY] = {"body", 1}},
    .n_columns = 4,
    .scoped = true,
    .prefixes = true,
    .ranking = FULLTEXT_BY_PLACE,
};

void artifact_fulltext_release(struct artifact_fulltext *w)
{
    fulltext_close(w->index);
    sql_release(&w->rows);
    *w = (struct artifact_fulltext){.tenant = 0};
}

/* ---- text of an artifact ------------------------------------------------ */

static struct fulltext_document document_of(const quire_artifact *one,
                                            quire_bytes content)
{
    return (struct fulltext_document){
        .id = one->id,
        .texts = {[PATH] = bytes_str(one->path),
                  [PURPOSE] = bytes_str(one->purpose),
                  [TAGS] = bytes_str(one->tags),
                  [BODY] = mime_is_text(one->mime) ? content : bytes_of("", 0)},
        .scope = one->session_id,
    };
}

/* Remove the entry that `one` describes. *left: its content cannot be read, so
 * its terms stay; the artifact is deleted all the same. */
static quire_status remove_entry(struct artifacts *a, const quire_artifact *one,
                                 bool *left, quire_error *err)
{
    struct fulltext_document d;
    quire_error why;
    quire_bytes content;
    quire_status st = blob_get(blob_view_all(a->c.blobs), &one->digest,
                               &content, &why);

    *left = st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED;
    if (*left)
        return QUIRE_OK;
    if (st && err)
        *err = why;
    if (st)
        return st;
    d = document_of(one, content);
    return fulltext_remove(a->words.index, &d, err);
}

/* ---- the index ---------------------------------------------------------- */

/* Add an artifact to an index. */
static quire_status index_one(struct artifacts *a, struct fulltext *index,
                              const quire_artifact *one, quire_error *err)
{
    struct fulltext_document d;
    quire_bytes content;
    quire_status st = blob_get(blob_view_all(a->c.blobs), &one->digest,
                               &content, err);

    if (st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED)
        content = bytes_of("", 0);
    else if (st)
        return st;
    d = document_of(one, content);
    return fulltext_add(index, &d, err);
}

static quire_status index_each(void *ctx, const quire_artifact *one,
                               quire_error *err)
{
    struct artifacts *a = ctx;

    return index_one(a, a->words.index, one, err);
}

/* Drop what is due of artifacts up to `id`. */
static quire_status drop_due(struct artifacts *a, int64_t tenant, int64_t id,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_DUE_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    return sql_run(s, err);
}

/* Create the index of a tenant: its first artifact, or a home older than the
 * index. */
static quire_status create_index(struct artifacts *a, int64_t tenant,
                                 quire_error *err)
{
    struct session_row all = {.tenant = tenant};
    quire_status st = fulltext_create(a->words.index, err);

    if (!st)
        st = artifact_walk(a, &all, index_each, a, err);
    return st ? st : drop_due(a, tenant, INT64_MAX, err);
}

/* Open the tenant's index. With `write`, inside a transaction, create it if it
 * is missing; if the transaction fails later, call artifact_fulltext_release().
 * QUIRE_NOT_FOUND. */
static quire_status open_index(struct artifacts *a, int64_t tenant, bool write,
                               quire_error *err)
{
    bool there = false;
    quire_status st;

    if (a->words.tenant == tenant)
        return QUIRE_OK;
    artifact_fulltext_release(&a->words);
    st = fulltext_open(a->c.catalog->db, &artifact_fulltext_kind, tenant,
                       &a->words.index, err);
    if (!st)
        st = fulltext_exists(a->words.index, &there, err);
    if (!st && !there && !write)
        st = QUIRE_NOT_FOUND;
    if (!st)
        a->words.tenant = tenant;
    if (!st && !there)
        st = create_index(a, tenant, err);
    /* An index created in a failed transaction does not exist. */
    if (st)
        artifact_fulltext_release(&a->words);
    return st;
}

quire_status artifacts_drop_fulltext(struct artifacts *a, int64_t tenant,
                                     quire_error *err)
{
    struct fulltext *index = NULL;
    quire_status st;

    artifact_fulltext_release(&a->words);
    st = fulltext_open(a->c.catalog->db, &artifact_fulltext_kind, tenant,
                       &index, err);
    if (!st)
        st = fulltext_drop(index, err);
    fulltext_close(index);
    return st;
}

static quire_status rebuild_index(struct artifacts *a, int64_t tenant,
                                  quire_error *err)
{
    quire_status st = artifacts_drop_fulltext(a, tenant, err);

    return st ? st : open_index(a, tenant, true, err);
}

quire_status artifacts_reindex(struct artifacts *a, int64_t tenant,
                               quire_error *err)
{
    struct db *db = a->c.catalog->db;
    quire_status st = db_begin(db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    return artifacts_end(a, rebuild_index(a, tenant, err), err);
}

/* ---- due artifacts ------------------------------------------------------ */

static quire_status count_due(struct artifacts *a, int64_t tenant, int64_t *n,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = QUIRE_OK;

    *n = 0;
    if (!catalog_has(a->c.catalog, SCHEMA_FULLTEXT_DUE))
        return QUIRE_OK;
    st = sql_use(&a->sql, SQL_DUE_COUNT, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st)
        *n = stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

/* The current row of artifact_due: *had.id is 0 if the artifact is not in the
 * index. */
static quire_status read_due(struct stmt *s, struct arena *keep, int64_t *id,
                             quire_artifact *had, quire_error *err)
{
    *had = (quire_artifact){.id = 0};
    *id = stmt_column_int(s, 0);
    if (stmt_column_null(s, 1) || !sql_digest(s, 1, &had->digest))
        return QUIRE_OK;
    had->id = *id;
    had->session_id = stmt_column_int(s, 2);
    had->path = arena_text(keep, stmt_column_bytes(s, 3));
    had->purpose = arena_text(keep, stmt_column_bytes(s, 4));
    had->tags = arena_text(keep, stmt_column_bytes(s, 5));
    had->mime = arena_text(keep, stmt_column_bytes(s, 6));
    return had->path && had->purpose && had->tags && had->mime
               ? QUIRE_OK
               : err_memory(err);
}

/* A due artifact: as it is in the index, and as it is now (id 0: not live). */
typedef quire_status (*due_fn)(void *ctx, int64_t id, const quire_artifact *had,
                               const quire_artifact *now, quire_error *err);

/* The first `limit` of them, by id; *last is the id of the last one. */
static quire_status walk_due(struct artifacts *a, int64_t tenant, int64_t limit,
                             due_fn each, void *ctx, int64_t *last,
                             quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_artifact had, now;
    struct stmt *s;
    int64_t id = 0;
    quire_status st = sql_use(&a->sql, SQL_DUE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, limit);
    while (!st && !(st = sql_row(s, err))) {
        arena_reset(&tmp);
        st = read_due(s, &tmp, &id, &had, err);
        if (!st)
            st = artifact_by_id(a, tenant, id, &tmp, &now, err);
        if (st == QUIRE_NOT_FOUND || (!st && now.deleted_us)) {
            now = (quire_artifact){.id = 0};
            st = QUIRE_OK;
        }
        if (!st)
            st = each(ctx, id, &had, &now, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    *last = id;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

struct settling {
    struct artifacts *a;
    bool left; /* terms of a live artifact could not be removed */
};

static quire_status settle_one(void *ctx, int64_t id, const quire_artifact *had,
                               const quire_artifact *now, quire_error *err)
{
    struct settling *k = ctx;
    bool left = false;
    quire_status st = had->id ? remove_entry(k->a, had, &left, err) : QUIRE_OK;

    (void)id;
    k->left |= left && now->id;
    return st || !now->id ? st : index_one(k->a, k->a->words.index, now, err);
}

/* Index the first `limit` that are due. Inside a transaction. */
static quire_status settle(struct artifacts *a, int64_t tenant, int64_t limit,
                           quire_error *err)
{
    struct settling k = {.a = a};
    int64_t last;
    quire_status st = open_index(a, tenant, true, err);

    if (!st)
        st = walk_due(a, tenant, limit, settle_one, &k, &last, err);
    if (!st)
        st = drop_due(a, tenant, last, err);
    /* Terms that stayed would still match an artifact that no longer has them:
     * rebuild the index. */
    if (!st && k.left)
        st = rebuild_index(a, tenant, err);
    return st;
}

static struct artifact_noted *tenant_counters(struct artifacts *a,
                                              int64_t tenant)
{
    struct artifact_noted *n = &a->noted[(uint64_t)tenant % NOTED_TENANTS];

    if (n->tenant != tenant)
        *n = (struct artifact_noted){.tenant = tenant};
    return n;
}

/* Record that an artifact is due, and what the index has of it. */
static quire_status add_due(struct artifacts *a, int64_t tenant, int64_t id,
                            const quire_artifact *had, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&a->sql, SQL_DUE_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    if (had) {
        stmt_bind_bytes(s, 3, bytes_of(had->digest.byte, sizeof had->digest));
        stmt_bind_int(s, 4, had->session_id);
        stmt_bind_text(s, 5, bytes_str(had->path));
        stmt_bind_text(s, 6, bytes_str(had->purpose));
        stmt_bind_text(s, 7, bytes_str(had->tags));
        stmt_bind_text(s, 8, bytes_str(had->mime));
    } else {
        int at;

        for (at = 3; at <= 8; at++)
            stmt_bind_null(s, at);
    }
    return stmt_post(s, err);
}

quire_status artifact_fulltext_note(struct artifacts *a, int64_t tenant,
                                    int64_t id, const quire_artifact *had,
                                    uint64_t bytes, quire_error *err)
{
    struct artifact_noted *noted = tenant_counters(a, tenant);
    quire_status st = change_log_add(&a->sql, SQL_LOG_CHANGE, tenant,
                                     CHANGE_ARTIFACT, id, err);
    int64_t n = 0;

    if (!st)
        st = add_due(a, tenant, id, had, err);

    noted->bytes += bytes;
    if (!st && noted->n++ % COUNT_EVERY == 0)
        st = count_due(a, tenant, &n, err);
    if (!st && (bytes > DUE_BYTES_MAX || noted->bytes > NOTED_MAX)) {
        noted->bytes = 0;
        st = settle(a, tenant, INT64_MAX, err);
    } else if (!st && n >= DUE_MAX) {
        st = settle(a, tenant, SETTLE_SOME, err);
    }
    return st;
}

/* The same in its own transaction. */
static quire_status settle_now(struct artifacts *a, int64_t tenant,
                               int64_t limit, enum db_begin mode,
                               quire_error *err)
{
    struct db *db = a->c.catalog->db;
    quire_status st = db_begin(db, mode, tenant, err);

    return st ? st : artifacts_end(a, settle(a, tenant, limit, err), err);
}

quire_status artifacts_settle_some(struct artifacts *a, int64_t tenant,
                                   bool *any, bool *more, quire_error *err)
{
    int64_t n = 0;
    quire_status st = a->c.read_only ? QUIRE_OK : count_due(a, tenant, &n, err);

    *any = n > 0;
    *more = n > SETTLE_SOME;
    return st || n == 0 ? st
                        : settle_now(a, tenant, SETTLE_SOME, DB_IF_FREE, err);
}

quire_status artifacts_settle(struct artifacts *a, quire_error *err)
{
    int64_t tenant = 0;
    struct stmt *s;
    quire_status st = QUIRE_OK;

    while (!st) {
        st = sql_use(&a->sql, SQL_DUE_TENANT, &s, err);
        if (st)
            return st;
        st = sql_row(s, err);
        if (!st)
            tenant = stmt_column_int(s, 0);
        stmt_reset(s);
        if (!st)
            st = settle_now(a, tenant, INT64_MAX, DB_SOON, err);
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- views for searches ------------------------------------------------- */

struct viewing {
    struct artifacts *a;
    struct artifact_fulltext_view *view;
    size_t cap;
};

static quire_status view_one(void *ctx, int64_t id, const quire_artifact *had,
                             const quire_artifact *now, quire_error *err)
{
    struct viewing *k = ctx;
    struct artifact_fulltext_view *v = k->view;
    int64_t *more;

    (void)had;
    if (v->n_passed == k->cap) {
        more = realloc(v->passed, (2 * k->cap + 64) * sizeof *more);
        if (!more)
            return err_memory(err);
        v->passed = more;
        k->cap = 2 * k->cap + 64;
    }
    v->passed[v->n_passed++] = id;
    return now->id ? index_one(k->a, v->due, now, err) : QUIRE_OK;
}

/* Index what is due, in memory. */
static quire_status view_due(struct artifacts *a, int64_t tenant,
                             struct artifact_fulltext_view *v, quire_error *err)
{
    struct viewing k = {a, v, 0};
    int64_t last;
    quire_status st = fulltext_open_temporary(&artifact_fulltext_kind, tenant,
                                              &v->due, err);

    return st ? st : walk_due(a, tenant, INT64_MAX, view_one, &k, &last, err);
}

quire_status artifact_fulltext_view_open(struct artifacts *a, int64_t tenant,
                                         struct artifact_fulltext_view *v,
                                         quire_error *err)
{
    int64_t n = 0;
    quire_status st = count_due(a, tenant, &n, err);

    *v = (struct artifact_fulltext_view){.index = NULL};
    /* A search works even if it cannot write, for any reason. */
    if (!st && n > 0 && !a->c.read_only &&
        !settle_now(a, tenant, INT64_MAX, n > DUE_FEW ? DB_SOON : DB_IF_FREE,
                    NULL))
        n = 0;
    if (!st && n > 0)
        st = view_due(a, tenant, v, err);
    if (!st)
        st = open_index(a, tenant, false, err);
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    else if (!st)
        v->index = a->words.index;
    if (st)
        artifact_fulltext_view_close(v);
    return st;
}

void artifact_fulltext_view_close(struct artifact_fulltext_view *v)
{
    fulltext_close(v->due);
    free(v->passed);
    *v = (struct artifact_fulltext_view){.index = NULL};
}

/* ---- comparison --------------------------------------------------------- */

struct comparing {
    struct artifacts *a;
    struct fulltext *fresh;
    int64_t tenant;
};

static quire_status is_due(struct artifacts *a, int64_t tenant, int64_t id,
                           bool *due, quire_error *err)
{
    struct stmt *s;
    quire_status st = QUIRE_OK;

    *due = false;
    if (catalog_has(a->c.catalog, SCHEMA_FULLTEXT_DUE))
        st = sql_use(&a->sql, SQL_DUE_HAS, &s, err);
    if (st || !catalog_has(a->c.catalog, SCHEMA_FULLTEXT_DUE))
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, id);
    st = stmt_step(s, due, err);
    stmt_reset(s);
    return st;
}

static quire_status index_settled(void *ctx, const quire_artifact *one,
                                  quire_error *err)
{
    struct comparing *c = ctx;
    bool due;
    quire_status st = is_due(c->a, c->tenant, one->id, &due, err);

    return st || due ? st : index_one(c->a, c->fresh, one, err);
}

quire_status artifacts_fulltext_equal(struct artifacts *a, int64_t tenant,
                                      struct db *aside, bool *sound,
                                      quire_error *err)
{
    struct session_row all = {.tenant = tenant};
    struct comparing c = {a, NULL, tenant};
    struct fulltext *index = NULL;
    quire_status st = fulltext_open(aside, &artifact_fulltext_kind, tenant,
                                    &index, err);

    if (!st)
        st = fulltext_open_temporary(&artifact_fulltext_kind, tenant, &c.fresh,
                                     err);
    if (!st)
        st = artifact_walk(a, &all, index_settled, &c, err);
    if (!st)
        st = fulltext_includes(index, c.fresh, sound, err);
    fulltext_close(c.fresh);
    fulltext_close(index);
    return st;
}

quire_status artifacts_end(struct artifacts *a, quire_status st,
                           quire_error *err)
{
    st = sql_end(a->c.catalog->db, st, err);
    /* An index created in the transaction was rolled back. */
    if (st)
        artifact_fulltext_release(&a->words);
    return st;
}
