/* retain.c - rules by which sessions go to the trash, as quire/retain.h has them */
#include <stdlib.h>
#include <string.h>

#include "api/trash.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"

struct candidate {
    const char *id, *path; /* in the arena */
    int64_t modified_us;
    uint64_t bytes;
    bool kept; /* pinned or held */
};

struct candidates {
    struct arena keep;
    struct candidate *list; /* owned */
    size_t n, cap;
};

static quire_status add_candidate(void *ctx, const quire_session_info *info,
                                  quire_error *err)
{
    struct candidates *all = ctx;
    struct candidate *c;

    if (all->n == all->cap) {
        size_t cap = all->cap ? 2 * all->cap : 64;
        struct candidate *more = realloc(all->list, cap * sizeof *more);

        if (!more)
            return err_memory(err);
        all->list = more;
        all->cap = cap;
    }
    c = &all->list[all->n++];
    *c = (struct candidate){.id = arena_text(&all->keep, bytes_str(info->id)),
                            .path = arena_text(&all->keep,
                                               bytes_str(info->path)),
                            .modified_us = info->modified_us,
                            .bytes = info->bytes,
                            .kept = info->pinned || info->held};
    return c->id && c->path ? QUIRE_OK : err_memory(err);
}

static int newest_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->modified_us != y->modified_us
               ? (x->modified_us < y->modified_us) -
                     (x->modified_us > y->modified_us)
               : strcmp(x->id, y->id);
}

/* Active and archived sessions, the newest first. */
static quire_status find_candidates(struct quire *q, struct candidates *all,
                                    quire_error *err)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    quire_status st = QUIRE_OK;

    for (o.archived = 0; o.archived < 2 && !st; o.archived++)
        st = quire_session_list(q, &o, add_candidate, all, err);
    if (!st && all->n)
        qsort(all->list, all->n, sizeof *all->list, newest_first);
    return st;
}

/* Settings where the options leave it to them. */
static quire_status read_rules(struct quire *q, quire_retain_options *o,
                               quire_error *err)
{
    uint64_t n = 0;
    quire_status st = QUIRE_OK;

    if (o->age_s < 0)
        st = config_duration(q, "retain.age", &o->age_s, err);
    if (!st && o->bytes < 0) {
        st = config_number(q, "retain.size", &n, err);
        o->bytes = (int64_t)n;
    }
    if (!st && o->count < 0) {
        st = config_number(q, "retain.count", &n, err);
        o->count = (int64_t)n;
    }
    return st;
}

/* The rule that removes a session: so many newer ones, and bytes with it; NULL: none. */
static const char *find_rule(struct quire *q, const quire_retain_options *o,
                             const struct candidate *c, uint64_t newer,
                             uint64_t bytes)
{
    int64_t now_s = clock_s(&q->clock);

    if (c->kept)
        return NULL;
    if (o->age_s > 0 && o->age_s < now_s &&
        c->modified_us / 1000000 < now_s - o->age_s)
        return "age";
    if (o->count > 0 && newer >= (uint64_t)o->count)
        return "count";
    return o->bytes > 0 && bytes > (uint64_t)o->bytes ? "size" : NULL;
}

static quire_status remove_one(struct quire *q, const quire_retain_options *o,
                               const struct candidate *c, const char *rule,
                               uint64_t *n, quire_error *err)
{
    const char *action = "trash";
    quire_status st = o->apply ? trash_by_rule(q, c->path, rule, err)
                               : QUIRE_OK;

    if (st == QUIRE_NOT_FOUND) /* removed meanwhile */
        return QUIRE_OK;
    if (st == QUIRE_BUSY || st == QUIRE_EXISTS) {
        action = "busy";
        st = QUIRE_OK;
    } else {
        *n += !st;
    }
    if (st || !o->each)
        return st;
    q->in_callback = true;
    st = o->each(o->ctx, c->id, rule, c->bytes, action, err);
    q->in_callback = false;
    return st;
}

quire_status quire_retain(quire *q, const quire_retain_options *options,
                          uint64_t *n, quire_error *err)
{
    quire_retain_options o = QUIRE_RETAIN_OPTIONS_INIT;
    struct candidates all = {.keep = ARENA_INIT};
    uint64_t bytes = 0, gone = 0;
    quire_status st;
    size_t i;

    OPTIONS_READ(o, options);
    st = need_own_rows(q, o.apply, err); /* a native home */
    if (!st)
        st = read_rules(q, &o, err);
    if (!st && (o.age_s || o.bytes || o.count))
        st = find_candidates(q, &all, err);
    else if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK; /* a home that was never written to */
    for (i = 0; i < all.n && !st; i++) {
        const struct candidate *c = &all.list[i];
        const char *rule = find_rule(q, &o, c, i, bytes + c->bytes);

        if (rule)
            st = remove_one(q, &o, c, rule, &gone, err);
        else
            bytes += c->bytes;
    }
    if (n)
        *n = gone;
    free(all.list);
    arena_release(&all.keep);
    return st;
}
