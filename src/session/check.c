/*
 * check.c - report what is wrong with a session file
 *
 * Reading skips damage; this reports it: each line that is not an entry, each
 * entry that the tree cannot place, each dangling reference, with line and
 * byte, in the order of the file. Nothing is changed.
 *
 * repair.c repairs what this finds.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "session/migrate.h"
#include "session/persist.h"
#include "session/priv.h"

static void list_problem(struct problems *p, const struct entry *e,
                         const char *kind, const char *why)
{
    quire_session s = {.problems = p};

    load_problem(&s, e->at, 0, kind, why); /* lines are counted later */
}

/* Fill in the missing line numbers in one pass over the file. Problems are
 * sorted by their place. */
static quire_status count_lines(struct log_store *store, const char *name,
                                struct problems *p, quire_error *err)
{
    enum { PIECE = 64 * 1024 };
    char *piece = malloc(PIECE);
    uint64_t at = 0, line = 1;
    size_t i = 0, n = 1;
    struct object_info info;
    struct log *log = NULL;
    quire_status st = piece ? log_open(store, name, LOG_READ, &log, &info, err)
                            : err_memory(err);

    while (!st && i < p->n && n > 0) {
        const char *c = piece, *stop;

        st = log_read(log, at, piece, PIECE, &n, err);
        for (; !st && c < piece + n; c = stop) {
            for (; i < p->n && p->list[i].at <= at + (size_t)(c - piece); i++) {
                if (!p->list[i].line)
                    p->list[i].line = line;
            }
            if (i == p->n)
                break;
            stop = memchr(c, '\n', (size_t)(piece + n - c));
            line += stop != NULL;
            stop = stop ? stop + 1 : piece + n;
        }
        at += n;
    }
    for (; i < p->n; i++) {
        if (!p->list[i].line)
            p->list[i].line = line;
    }
    if (log)
        log_close(log);
    free(piece);
    return st;
}

/* Of entries with one id, all but the first. */
static quire_status check_doubles(quire_session *s, struct problems *p,
                                  quire_error *err)
{
    const struct index *x = &s->index;
    struct map seen;
    quire_status st = QUIRE_OK;
    uint32_t i;

    map_init(&seen, x->seed[0], x->seed[1]);
    for (i = 0; !st && i < x->n; i++) {
        const struct entry *e = &x->list[i];

        if (!e->id_len)
            continue;
        if (map_get(&seen, entry_id(e)))
            list_problem(p, e, "duplicate_id",
                         "an earlier entry has the same id");
        else if (e->flags & ENTRY_SUPERSEDED &&
                 !map_put(&seen, entry_id(e), i, NULL))
            st = err_memory(err);
    }
    map_release(&seen);
    return st;
}

/* Problems that only the whole tree shows. */
static quire_status check_tree(quire_session *s, struct problems *p,
                               quire_error *err)
{
    uint8_t *cycles = index_cycles(&s->index, p->arena);
    uint32_t i;

    if (!cycles)
        return err_memory(err);
    for (i = 0; i < s->index.n; i++) {
        const struct entry *e = &s->index.list[i];

        if (e->flags & ENTRY_ORPHAN)
            list_problem(p, e, "missing_parent",
                         "its parent is not in the file");
        if (cycles[i])
            list_problem(p, e, "cycle", "it is among its own ancestors");
    }
    return check_doubles(s, p, err);
}

#define NO_NEWLINE "the file does not end in a line break"

static quire_status lend_blobs(const struct session_env *env,
                               struct blob_view *out, quire_error *err)
{
    *out = blob_view_all(NULL);
    return env->blobs ? env->blobs(env->ctx, false, out, err) : QUIRE_OK;
}

static void release_blobs(const struct session_env *env)
{
    if (env->blobs)
        env->release(env->ctx);
}

struct ref_check {
    struct blob_view blobs;
    struct problems *problems;
    const struct entry *entry;
};

static quire_status check_ref(void *ctx, const quire_digest *digest,
                              quire_error *err)
{
    struct ref_check *c = ctx;
    quire_blob_info info;
    quire_status st = blob_stat(c->blobs, digest, &info, err);
    char ref[QUIRE_REF_SIZE];
    const char *why;

    quire_ref_format(digest, ref);
    why = arena_printf(c->problems->arena, "%.24s... is not in the store", ref);
    if (!why)
        return err_memory(err);
    if (st == QUIRE_NOT_FOUND)
        list_problem(c->problems, c->entry, "missing_blob", why);
    else if (st == QUIRE_DAMAGED)
        list_problem(c->problems, c->entry, "damaged_blob",
                     "a blob it refers to is damaged");
    return st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED ? QUIRE_OK : st;
}

static quire_status check_refs(quire_session *s, struct problems *p,
                               quire_error *err)
{
    struct ref_check c = {.problems = p};
    quire_status st = lend_blobs(&s->env, &c.blobs, err);
    uint32_t i;

    for (i = 0; !st && c.blobs.store && i < s->index.n; i++) {
        quire_bytes line;

        c.entry = &s->index.list[i];
        if (!(c.entry->flags & ENTRY_REFS))
            continue;
        st = load_line(s, i, &line, err);
        if (!st)
            st = persist_typed_refs(line, check_ref, &c, err);
    }
    release_blobs(&s->env);
    return st;
}

/* A file of an older version, unmigrated: its tree is derived on reading, and
 * cannot be wrong. */
static quire_status check_old(const struct session_env *env,
                              struct store *store, const char *name,
                              struct problems *p, quire_error *err)
{
    quire_session s = {.problems = p};
    struct ref_check c = {.problems = p};
    struct object_info info;
    struct jsonl_value v = {0};
    struct jsonl j;
    bool more, open_end = false;
    quire_status st = log_open(store->logs, name, LOG_READ, &s.log, &info, err);

    if (st)
        return st;
    p->n = 0;
    st = lend_blobs(env, &c.blobs, err);
    jsonl_init(&j, s.log, 0, 1, true);
    while (!st && !(st = jsonl_next(&j, &v, &more, err)) && more) {
        struct entry e = {.at = v.at};

        open_end = v.open_end;
        if (v.kind)
            load_problem(&s, v.bad_at, v.line, v.kind, v.why);
        c.entry = &e;
        if (v.is_object && c.blobs.store)
            st = persist_typed_refs(v.text, check_ref, &c, err);
    }
    if (!st && open_end)
        load_problem(&s, info.size, 0, "no_newline", NO_NEWLINE);
    jsonl_release(&j);
    release_blobs(env);
    log_close(s.log);
    return st;
}

static int by_place(const void *a, const void *b)
{
    const struct problem *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return strcmp(x->kind, y->kind);
}

static quire_status emit_problems(struct store *store, const char *name,
                                  struct problems *p, quire_problem_fn each,
                                  void *ctx, quire_error *err)
{
    quire_status st = p->failed ? err_memory(err) : QUIRE_OK;
    size_t i;

    if (p->n)
        qsort(p->list, p->n, sizeof *p->list, by_place);
    if (!st && p->n)
        st = count_lines(store->logs, name, p, err);
    for (i = 0; !st && i < p->n; i++) {
        quire_session_problem one = {p->list[i].line, p->list[i].at,
                                     p->list[i].kind, p->list[i].why};

        st = each(ctx, &one, err);
    }
    return st;
}

/* It could not be opened: report that as the one problem, unless it is absent
 * or unreadable. */
static quire_status report_header(const quire_error *why, quire_problem_fn each,
                                  void *ctx, quire_error *err)
{
    quire_session_problem one = {1, 0, "header", why->what};

    return each(ctx, &one, err);
}

quire_status session_check(const struct session_env *env, struct store *store,
                           const char *name, quire_problem_fn each, void *ctx,
                           quire_error *err)
{
    struct session_place place = {.store = store, .name = name};
    struct arena arena = ARENA_INIT;
    struct problems p = {.arena = &arena};
    quire_session *s = NULL;
    quire_error why = {0};
    quire_status st;

    st = session_open_listing(env, &place, NULL,
                              QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY,
                              QUIRE_SYNC_NONE, &p, &s, &why);
    if (st == QUIRE_DAMAGED) {
        st = report_header(&why, each, ctx, err);
        goto out;
    }
    if (st) {
        if (err)
            *err = why;
        goto out;
    }
    if (s->found_version < MIGRATE_VERSION) {
        st = check_old(env, store, name, &p, err);
    } else {
        st = check_tree(s, &p, err);
        if (!st)
            st = check_refs(s, &p, err);
        if (!st && s->open_end && !s->torn) {
            struct entry end = {.at = s->size};

            list_problem(&p, &end, "no_newline", NO_NEWLINE);
        }
    }
    if (!st)
        st = emit_problems(store, name, &p, each, ctx, err);
out:
    quire_session_close(s);
    arena_release(&arena);
    return st;
}
