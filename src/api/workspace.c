/*
 * workspace.c - workspaces, as quire/workspace.h has them
 *
 * Connects src/workspace, which knows files, with src/artifact, which knows
 * rows.
 */
#include "api/artifact_search.h"
#include "api/workspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact/artifact.h"
#include "artifact/path.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "blob/hash.h"
#include "workspace/workspace.h"

struct quire_workspace {
    struct quire *q;
    struct workspace *space;
    char *key;         /* owned; the session                      */
    bool read_all;     /* other sessions may be read, too         */
    char *file, *name; /* owned; as in struct artifact_new; NULL  */
    struct buf answer;
    struct arena loan;
};

static bool copy_text(const char *text, char **out)
{
    *out = text ? strdup(text) : NULL;
    return !text || *out;
}

/* ---- callbacks of the workspace ----------------------------------------- */

static quire_status owner_of(struct quire_workspace *w, struct session_row *out,
                             quire_error *err)
{
    return session_row_find(&w->q->catalog, w->q->tenant, w->key, out, err);
}

static quire_status give_session(void *ctx, int64_t *id, quire_error *err)
{
    struct session_row owner = {.session = 0};
    quire_status st = owner_of(ctx, &owner, err);

    *id = owner.session;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* Give a session outside the home its row: without it a collection would take
 * its directory for that of a removed session. */
static quire_status ensure_row(struct quire_workspace *w, quire_error *err)
{
    struct catalog *c = &w->q->catalog;
    struct session_row ignored;
    quire_status st;

    if (w->q->in_transaction)
        return session_row_ensure(c, w->q->tenant, w->key, &ignored, err);
    st = db_begin(c->db, DB_SOON, w->q->tenant, err);
    if (st)
        return st;
    st = session_row_ensure(c, w->q->tenant, w->key, &ignored, err);
    return sql_end(c->db, st, err);
}

/* Look a session up whose file is not where it was: it may have been moved. */
static quire_status find_file(struct quire_workspace *w, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *key, *file = NULL;
    char *now = NULL, *name = NULL;
    quire_status st = session_key_and_file(w->q, w->key, &tmp, &key, &file,
                                           err);

    if (!st && (!file || !copy_text(file, &now) ||
                !copy_text(file + strlen(w->q->home) + 1, &name)))
        st = file ? err_memory(err) : QUIRE_NOT_FOUND;
    if (!st) {
        free(w->file);
        free(w->name);
        w->file = now;
        w->name = name;
    } else {
        free(now);
        free(name);
    }
    arena_release(&tmp);
    return st;
}

static quire_status exists(void *ctx, quire_error *err)
{
    struct quire_workspace *w = ctx;
    struct session_row owner;
    bool pending = false;
    quire_status st = workspace_is_built_in(w->key) ? QUIRE_OK
                                                    : owner_of(w, &owner, err);

    if (st != QUIRE_NOT_FOUND)
        return st;
    if (!w->file)
        return ensure_row(w, err);
    st = removal_is_pending(&w->q->catalog, w->name, &pending, err);
    if (!st && w->q->cluster && pending) {
        st = find_file(w, NULL);
        pending = st != QUIRE_OK;
    } else if (!st && !pending && !w->q->cluster && access(w->file, F_OK) < 0) {
        st = find_file(w, NULL);
    }
    if (pending || st == QUIRE_NOT_FOUND)
        st = err_fail(err, QUIRE_NOT_FOUND,
                      HINT_SHELL "`quire session ls` lists the sessions",
                      "session %.60s has been removed", w->key);
    return st;
}

static quire_status find(void *ctx, const char *path, struct arena *keep,
                         quire_artifact *out, quire_error *err)
{
    struct quire_workspace *w = ctx;

    return artifact_by_path(w->q->artifacts, w->q->tenant, w->key, path, keep,
                            out, err);
}

static quire_status find_id(void *ctx, int64_t id, struct arena *keep,
                            quire_artifact *out, quire_error *err)
{
    struct quire_workspace *w = ctx;
    quire_status st = artifact_by_id(w->q->artifacts, w->q->tenant, id, keep,
                                     out, err);

    if (!st && (out->deleted_us ||
                (!w->read_all && strcmp(out->session, w->key) != 0)))
        st = QUIRE_NOT_FOUND;
    return st;
}

static quire_status list(void *ctx, const struct workspace_range *r,
                         quire_artifact_fn each, void *each_ctx,
                         quire_error *err)
{
    struct quire_workspace *w = ctx;
    struct artifact_range range = {.tenant = w->q->tenant,
                                   .limit = r->limit,
                                   .before_us = r->before_us,
                                   .before_id = r->before_id};
    quire_status st = give_session(w, &range.session, err);

    if (st || range.session == 0)
        return st;
    return artifact_list(w->q->artifacts, &range, each, each_ctx, err);
}

static quire_status versions(void *ctx, int64_t id, quire_artifact_fn each,
                             void *each_ctx, quire_error *err)
{
    struct quire_workspace *w = ctx;
    quire_artifact one = {.id = id};

    return artifact_versions(w->q->artifacts, w->q->tenant, &one, each,
                             each_ctx, err);
}

static quire_status search(void *ctx, const char *query, uint64_t limit,
                           quire_hit_fn each, void *each_ctx, quire_error *err)
{
    struct quire_workspace *w = ctx;
    struct artifact_query question = {.key = w->read_all ? NULL : w->key,
                                      .text = query,
                                      .limit = limit};

    uint64_t n;
    quire_status st = artifact_search(w->q, &question, each, each_ctx, &n, err);

    return !st && n == 0 ? QUIRE_NOT_FOUND : st;
}

static quire_status put(void *ctx, const char *path, quire_bytes content,
                        const quire_artifact_options *options,
                        struct arena *keep, quire_artifact *out,
                        quire_error *err)
{
    struct quire_workspace *w = ctx;
    struct artifact_limits limits;
    struct artifact_new what = {.tenant = w->q->tenant,
                                .key = w->key,
                                .file = w->file,
                                .name = w->name,
                                .path = path,
                                .content = content,
                                .options = options,
                                .limits = &limits};
    quire_status st = artifact_check_options(options, err);

    if (!st)
        st = artifacts_limits(w->q, &limits, err);
    if (!st)
        st = secrets_guard_text(w->q, path, keep, &what.content,
                                &what.n_secrets, err);
    if (!st)
        st = artifact_put(w->q->artifacts, &what, keep, out, err);
    if (!st)
        out->secrets = what.n_secrets;
    return st;
}

/* All of them, or none. */
static quire_status put_all(void *ctx, struct workspace_put *list, size_t n,
                            struct arena *keep, quire_error *err)
{
    struct quire_workspace *w = ctx;
    struct artifact_limits limits;
    struct artifact_new *what = arena_array(keep, n, sizeof *what);
    quire_artifact *rows = arena_array(keep, n, sizeof *rows);
    quire_status st = what && rows ? artifacts_limits(w->q, &limits, err)
                                   : err_memory(err);
    size_t i;

    for (i = 0; i < n && !st; i++) {
        what[i] = (struct artifact_new){.tenant = w->q->tenant,
                                        .key = w->key,
                                        .file = w->file,
                                        .name = w->name,
                                        .path = list[i].path,
                                        .content = list[i].content,
                                        .options = &list[i].options,
                                        .limits = &limits};
        st = artifact_check_options(&list[i].options, err);
        if (!st)
            st = secrets_guard_text(w->q, list[i].path, keep, &what[i].content,
                                    &what[i].n_secrets, err);
    }
    if (!st)
        st = artifact_put_all(w->q->artifacts, what, n, keep, rows, err);
    for (i = 0; i < n && !st; i++)
        list[i].digest = rows[i].digest;
    return st;
}

static quire_status put_away(void *ctx, int64_t id, quire_error *err)
{
    struct quire_workspace *w = ctx;

    return artifact_remove(w->q->artifacts, w->q->tenant, id, NULL, err);
}

static quire_status read_content(void *ctx, const quire_digest *digest,
                                 uint64_t from, uint64_t to,
                                 quire_write_fn write, void *write_ctx,
                                 quire_error *err)
{
    struct quire_workspace *w = ctx;

    return blob_read(blob_view_all(w->q->blobs), digest, from, to, write,
                     write_ctx, err);
}

static quire_status count_reads(void *ctx, const struct workspace_read *list,
                                size_t n, quire_error *err)
{
    struct artifact_read reads[WORKSPACE_READS_MAX];
    struct quire_workspace *w = ctx;
    size_t i;

    for (i = 0; i < n; i++)
        reads[i] = (struct artifact_read){.path = list[i].path,
                                          .n = list[i].n,
                                          .last_us = list[i].last_us};
    return artifact_count_reads(w->q->artifacts, w->q->tenant, w->key, reads, n,
                                err);
}

static quire_status largest(void *ctx, uint64_t *bytes, quire_error *err)
{
    struct quire_workspace *w = ctx;

    return config_number(w->q, "quota.file", bytes, err);
}

static quire_status open_space(struct quire_workspace *w, quire_error *err)
{
    struct workspace_config config = {
        .callbacks = {.ctx = w,
                      .session = give_session,
                      .exists = exists,
                      .find = find,
                      .find_id = find_id,
                      .list = list,
                      .versions = versions,
                      .search = search,
                      .put = put,
                      .put_all = put_all,
                      .remove = put_away,
                      .read = read_content,
                      .count_reads = count_reads,
                      .largest = largest,
                      .clean = path_check,
                      .digest = hash_bytes},
        .db = w->q->catalog.db,
        .clock = &w->q->clock,
        .key = w->key,
        /* A transaction holds the catalogue, which the holder of the workspace
         * may be waiting for. */
        .busy_ms = w->q->in_transaction ? 0 : w->q->busy_ms,
    };
    struct arena tmp = ARENA_INIT;
    quire_status st;

    config.root = absolute_cwd(w->q->root, &tmp); /* the caller may close it */
    st = config.root ? workspace_open(&config, &w->space, err)
                     : err_memory(err);
    arena_release(&tmp);
    return st;
}

/* ---- life --------------------------------------------------------------- */

quire_status quire_workspace_open(quire *q, const char *session,
                                  quire_workspace **out, quire_error *err)
{
    struct quire_workspace *w = calloc(1, sizeof *w);
    const char *key, *file = NULL, *name;
    quire_status st = w ? need_artifacts(q, true, err) : err_memory(err);

    *out = NULL;
    if (!st)
        st = session_key_and_file(q, session ? session : "temp", &q->loan, &key,
                                  &file, err);
    if (!st) {
        w->q = q;
        w->answer = (struct buf)BUF_INIT((size_t)1 << 31);
        name = file ? file + strlen(q->home) + 1 : NULL;
        if (!copy_text(key, &w->key) || !copy_text(file, &w->file) ||
            !copy_text(name, &w->name))
            st = err_memory(err);
    }
    if (!st)
        st = open_space(w, err);
    if (st)
        quire_workspace_close(w);
    else
        *out = w;
    return st;
}

void quire_workspace_close(quire_workspace *w)
{
    if (!w)
        return;
    workspace_close(w->space);
    buf_release(&w->answer);
    arena_release(&w->loan);
    free(w->key);
    free(w->file);
    free(w->name);
    free(w);
}

void quire_workspace_read_all(quire_workspace *w, int all)
{
    w->read_all = all != 0;
}

const char *quire_workspace_session(const quire_workspace *w)
{
    return w->key;
}

const char *quire_workspace_dir(const quire_workspace *w, int scratchpad)
{
    return workspace_dir(w->space,
                         scratchpad ? WORKSPACE_SCRATCH : WORKSPACE_ARTIFACT);
}

const char *quire_workspace_schema(void)
{
    return tool_description;
}

/* ---- using one ---------------------------------------------------------- */

quire_status quire_workspace_make(quire_workspace *w, quire_error *err)
{
    quire_status st = need_artifacts(w->q, true, err);

    return st ? st : workspace_make(w->space, err);
}

/* Secrets of a call: for its answer, and for the handle's own function. */
struct call_secrets {
    quire_secret_fn each;
    void *ctx;
    struct buf list; /* JSON objects, with commas */
};

static void note_secret(void *ctx, const quire_secret *s)
{
    struct call_secrets *c = ctx;
    struct json_writer w;

    if (c->list.len)
        buf_add_char(&c->list, ',');
    json_begin(&w, &c->list);
    json_object(&w);
    json_put_str(&w, "kind", s->kind);
    json_put_str(&w, "place", s->place);
    json_put_uint(&w, "at", s->at);
    json_put_uint(&w, "bytes", s->bytes);
    json_put_bool(&w, "masked", s->masked != 0);
    json_object_end(&w);
    if (c->each)
        c->each(c->ctx, s);
}

/* Add the member "secrets" to the answer, an object. */
static void add_secrets(struct buf *answer, const struct buf *list)
{
    if (!list->len || list->failed || !answer->len)
        return;
    answer->len--; /* its bracket */
    buf_add_str(answer, ",\"secrets\":[");
    buf_add(answer, list->data, list->len);
    buf_add_str(answer, "]}");
}

quire_status quire_workspace_call(quire_workspace *w, quire_bytes request,
                                  quire_bytes *answer, quire_error *err)
{
    struct call_secrets secrets = {w->q->on_secret, w->q->secret_ctx,
                                   BUF_INIT(1 << 20)};
    quire_status st = need_artifacts(w->q, true, err);

    buf_clear(&w->answer);
    quire_on_secret(w->q, note_secret, &secrets);
    if (!st)
        st = tool_answer(w->space, request, &w->answer, err);
    quire_on_secret(w->q, secrets.each, secrets.ctx);
    add_secrets(&w->answer, &secrets.list);
    if (!st)
        st = buf_status(&w->answer, "an answer", err);
    buf_release(&secrets.list);
    *answer = buf_bytes(&w->answer);
    return st;
}

struct telling {
    quire_workspace_fn each;
    void *ctx;
};

static void tell(void *ctx, const char *what, const char *path, const char *why)
{
    struct telling *t = ctx;

    t->each(t->ctx, what, path, why);
}

quire_status quire_workspace_sync(quire_workspace *w, const char *source,
                                  quire_workspace_fn each, void *ctx,
                                  quire_workspace_report *report,
                                  quire_error *err)
{
    struct telling t = {each, ctx};
    struct workspace_sync how = {.source = source ? source : "user",
                                 .report = each ? tell : NULL,
                                 .ctx = &t};
    struct workspace_report r;
    quire_status st = need_artifacts(w->q, true, err);

    if (!st)
        st = workspace_sync_all(w->space, &how, &r, err);
    if (!st && report)
        *report = (quire_workspace_report){.taken = r.taken,
                                           .dropped = r.dropped,
                                           .given = r.given,
                                           .withdrawn = r.withdrawn,
                                           .passed = r.passed};
    return st;
}

struct quire *workspaces_handle(quire_workspace *w)
{
    return w->q;
}

struct arena *workspaces_loan(quire_workspace *w)
{
    arena_reset(&w->loan);
    return &w->loan;
}

/* ---- for the other doors ------------------------------------------------ */

/* ---- after a transaction ------------------------------------------------ */

static void add_pending(struct quire *q, const char *key, const char *path,
                        enum follow when)
{
    struct pending_file *f = calloc(1, sizeof *f), **last = &q->pending_files;

    if (!f)
        return;
    *f = (struct pending_file){q->tenant, strdup(key), strdup(path), when,
                               NULL};
    if (!f->key || !f->path) {
        pending_files_free(f);
        return;
    }
    while (*last)
        last = &(*last)->next;
    *last = f;
}

quire_status workspace_follow_artifact(struct quire *q, const char *key,
                                       const char *path, enum follow when,
                                       quire_error *err)
{
    struct quire_workspace w = {.q = q};
    struct workspace_sync how = {.source = "user",
                                 .put = when == FOLLOW_PUT,
                                 .noted = when == FOLLOW_BEFORE,
                                 .files_stay = q->in_transaction};
    struct workspace_report ignored;
    quire_status st;

    if (q->catalog.schema < SCHEMA_BASELINE ||
        !workspace_is_there(q->root, key))
        return QUIRE_OK;
    if (q->in_transaction && when != FOLLOW_BEFORE) {
        add_pending(q, key, path, when);
        return QUIRE_OK;
    }
    w.key = strdup(key);
    st = w.key ? open_space(&w, err) : err_memory(err);
    if (!st) {
        st = workspace_sync_path(w.space, path, &how, &ignored, err);
        workspace_close(w.space);
    }
    free(w.key);
    return st;
}

quire_status workspaces_sync(struct quire *q, const char *key, const char *path,
                             quire_workspace_fn each, void *ctx,
                             quire_error *err)
{
    struct workspace_sync how = {.source = "user", .report = each, .ctx = ctx};
    quire_workspace *w;
    struct workspace_report ignored;
    char clean[257];
    quire_status st;

    /* A path that no artifact can have is ignored. */
    if (path && (path_check(bytes_str(path), clean, NULL, NULL) ||
                 strcmp(clean, path) != 0))
        return QUIRE_OK;
    st = quire_workspace_open(q, key, &w, err);
    if (st)
        return st;
    st = path ? workspace_sync_path(w->space, path, &how, &ignored, err)
              : workspace_sync_all(w->space, &how, &ignored, err);
    quire_workspace_close(w);
    return st;
}

/* Every call of the transaction waits for this. A workspace that stays in use
 * longer is brought up to date by its next sync. */
enum { FOLLOW_MS = 200 };

/* The next sync of a workspace repeats what fails here. */
void workspace_follow_pending(struct quire *q)
{
    struct pending_file *all = q->pending_files, *f;
    int64_t tenant = q->tenant, until = clock_steady_us() + FOLLOW_MS * 1000;
    int busy_ms = q->busy_ms;
    char which[32];

    q->pending_files = NULL;
    tenant_views_keep_current(q, true);
    for (f = all; f; f = f->next) {
        int64_t left_ms = (until - clock_steady_us()) / 1000;

        q->busy_ms = left_ms > busy_ms ? busy_ms
                     : left_ms > 0     ? (int)left_ms
                                       : 0;
        snprintf(which, sizeof which, "#%lld", (long long)f->tenant);
        if (!quire_tenant_use(q, which, NULL))
            workspace_follow_artifact(q, f->key, f->path, f->when, NULL);
    }
    if (all) {
        snprintf(which, sizeof which, "#%lld", (long long)tenant);
        quire_tenant_use(q, which, NULL);
    }
    tenant_views_keep_current(q, false);
    q->busy_ms = busy_ms;
    pending_files_free(all);
}

void workspace_drop_pending(struct quire *q)
{
    pending_files_free(q->pending_files);
    q->pending_files = NULL;
}
