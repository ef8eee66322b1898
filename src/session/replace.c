/*
 * replace.c - rewrite entries on purpose
 *
 * Each entry that is given takes the place of the one with its id. It keeps id,
 * parent, place in the file and, unless another is given, its timestamp: the
 * tree stays the same, and so does every other byte. The original file is copied
 * and synced before the new one takes its name, so a crash leaves one or the
 * other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "session/entry_format.h"
#include "session/names.h"
#include "session/priv.h"

struct replacement {
    uint32_t entry;
    quire_bytes line; /* without its break */
    bool same;        /* as it is */
};

struct replacing {
    quire_session *s;
    struct arena keep;
    struct replacement *list; /* in the arena */
    size_t n;
};

/* The entry that has the id of `v`. */
static quire_status find_target(struct replacing *r,
                                const struct entry_fields *v, uint32_t *at,
                                quire_error *err)
{
    quire_bytes id = {NULL, 0};

    if (json_kind(v->id) == JSON_STRING)
        id = json_text(v->id, &r->keep);
    if (!id.data)
        return err_fail(err, QUIRE_INVALID,
                        "give the id of the entry to "
                        "replace",
                        "an entry has no id");
    *at = index_find(&r->s->index, id);
    if (*at == NONE)
        return err_set(err, QUIRE_NOT_FOUND, "%s has no entry %.*s", r->s->path,
                       (int)(id.len < 64 ? id.len : 64), (const char *)id.data);
    return QUIRE_OK;
}

static quire_status check_parent(struct replacing *r,
                                 const struct entry_fields *v, uint32_t at,
                                 quire_bytes was, quire_error *err)
{
    quire_bytes before, after;

    if (!v->parent.data)
        return QUIRE_OK;
    before = json_kind(was) == JSON_STRING ? json_text(was, &r->keep)
                                           : bytes_str("");
    after = json_kind(v->parent) == JSON_STRING ? json_text(v->parent, &r->keep)
                                                : bytes_str("");
    if (!before.data || !after.data)
        return err_memory(err);
    if (bytes_equal(before, after))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "leave parentId out; `session append --at` adds an entry "
                    "elsewhere",
                    "entry %.*s would get another parent",
                    (int)r->s->index.list[at].id_len,
                    (const char *)entry_id(&r->s->index.list[at]).data);
}

/* The new line of one entry. */
static quire_status plan_one(struct replacing *r, quire_bytes entry,
                             quire_error *err)
{
    struct buf line = BUF_INIT(JSONL_MAX_LINE);
    struct replacement *out = &r->list[r->n];
    struct entry_defaults f = {.id = {NULL, 0}};
    struct entry_fields v;
    quire_bytes was = {NULL, 0};
    size_t body;
    quire_status st = entry_fields_read(entry, &v, err);

    if (!st && utf8_find_bad(entry) != entry.len)
        st = err_set(err, QUIRE_INVALID, "an entry is not UTF-8");
    if (!st)
        st = find_target(r, &v, &out->entry, err);
    if (!st)
        st = load_line(r->s, out->entry, &was, err);
    if (!st) {
        was = arena_dup(&r->keep, was);
        st = was.data ? check_parent(r, &v, out->entry,
                                     json_get(was, "parentId"), err)
                      : err_memory(err);
    }
    if (!st && v.heavy) {
        st = write_persist(r->s, entry, &entry, err);
        if (!st)
            st = entry_fields_read(entry, &v, err);
    }
    if (!st) {
        f.id = v.id;
        f.parent = json_get(was, "parentId");
        if (!f.parent.data)
            f.parent = bytes_str("null");
        f.timestamp = json_kind(v.timestamp) == JSON_STRING
                          ? v.timestamp
                          : json_get(was, "timestamp");
        if (!f.timestamp.data)
            f.timestamp = bytes_str("null");
        entry_format_line(entry, &v, &f, &line, &body);
        st = buf_status(&line, "an entry", err);
    }
    if (!st) {
        out->line = arena_dup(&r->keep, buf_bytes(&line));
        out->same = bytes_equal(out->line, was);
        st = out->line.data ? QUIRE_OK : err_memory(err);
        r->n++;
    }
    buf_release(&line);
    return st;
}

static int by_entry(const void *a, const void *b)
{
    const struct replacement *x = a, *y = b;

    return (x->entry > y->entry) - (x->entry < y->entry);
}

static quire_status plan_all(struct replacing *r, const quire_bytes *entries,
                             size_t n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    r->list = arena_array(&r->keep, n + 1, sizeof *r->list);
    if (!r->list)
        return err_memory(err);
    for (i = 0; i < n && !st; i++) {
        arena_reset(&r->s->tmp);
        st = plan_one(r, entries[i], err);
    }
    if (!st)
        qsort(r->list, r->n, sizeof *r->list, by_entry);
    for (i = 1; i < r->n && !st; i++)
        if (r->list[i].entry == r->list[i - 1].entry)
            st = err_set(err, QUIRE_INVALID, "an entry is given twice");
    for (i = n = 0; i < r->n && !st; i++)
        if (!r->list[i].same)
            r->list[n++] = r->list[i];
    if (!st)
        r->n = n;
    return st;
}

/* ---- writing ------------------------------------------------------------ */

static quire_status keep_original(struct replacing *r, char **kept,
                                  quire_error *err)
{
    quire_session *s = r->s;
    char noise[NAMES_ID_SIZE];
    struct log_draft *d;
    quire_status st = names_session_id(s->env.rand, clock_us(s->env.clock),
                                       false, noise, err);

    if (st)
        return st;
    *kept = arena_printf(&r->keep, "%s.%s.bak", s->name, noise);
    if (!*kept)
        return err_memory(err);
    st = log_create(s->store->logs, *kept, &d, err);
    if (st)
        return st;
    st = log_copy(s->log, 0, s->size, d, err);
    if (st) {
        log_discard(d);
        return st;
    }
    st = log_publish(d, *kept, false, NULL, err);
    if (st == QUIRE_EXISTS) /* any other failure takes the draft */
        log_discard(d);
    return st;
}

static quire_status write_replaced(struct replacing *r, struct log_draft *d,
                                   quire_error *err)
{
    quire_session *s = r->s;
    quire_status st = QUIRE_OK;
    uint64_t done = 0;
    size_t i;

    for (i = 0; i < r->n && !st; i++) {
        const struct entry *e = &s->index.list[r->list[i].entry];

        st = log_copy(s->log, done, e->at, d, err);
        if (!st)
            st = log_write(d, r->list[i].line, err);
        done = e->at + e->len;
    }
    return st ? st : log_copy(s->log, done, s->size, d, err);
}

static quire_status swap_replaced(struct replacing *r, quire_error *err)
{
    quire_session *s = r->s;
    struct log_draft *d;
    quire_status st = log_create(s->store->logs, s->name, &d, err);

    if (st)
        return st;
    st = write_replaced(r, d, err);
    if (!st)
        return rewrite_swap(s, d, err);
    log_discard(d);
    return st;
}

static quire_status replace_locked(struct replacing *r,
                                   const quire_bytes *entries, size_t n,
                                   char **kept, quire_error *err)
{
    struct omp_lock theirs = OMP_LOCK_INIT;
    quire_session *s = r->s;
    quire_status st = QUIRE_OK;

    write_quiet(s); /* from here on no thread syncs */
    if (s->env.omp)
        st = omp_lock_acquire(s->path, s->env.busy_ms, &theirs, err);
    if (!st)
        st = load_refresh(s, err);
    if (!st)
        st = load_full(s, err);
    if (!st)
        st = plan_all(r, entries, n, err);
    if (!st && r->n > 0)
        st = keep_original(r, kept, err);
    if (!st && r->n > 0)
        st = swap_replaced(r, err);
    write_settled(s);
    omp_lock_release(&theirs);
    return st;
}

quire_status quire_session_rewrite(quire_session *s, const quire_bytes *entries,
                                   size_t n, quire_rewritten *out,
                                   quire_error *err)
{
    struct replacing r = {.s = s, .keep = ARENA_INIT};
    quire_status st = session_enter(s, err);
    char *name = NULL;

    if (out)
        *out = (quire_rewritten){.entries = 0};
    if (st)
        return st;
    st = write_ready(s, err);
    if (!st)
        st = continue_refuse(s, err);
    if (!st && !s->in_file)
        st = err_set(err, QUIRE_INVALID, "the session has no file yet");
    if (!st)
        st = replace_locked(&r, entries, n, &name, err);
    if (!st && out && name) {
        arena_reset(&s->lent);
        out->entries = r.n;
        out->kept = arena_printf(&s->lent, "%s/%s", store_place(s->store),
                                 name);
        if (!out->kept)
            st = err_memory(err);
    }
    session_leave(s);
    arena_release(&r.keep);
    return st;
}
