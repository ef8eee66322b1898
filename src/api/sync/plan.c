/*
 * plan.c - who lacks what
 *
 * The side that calls plans for both. An item that one home lacks goes there. Of one
 * that differs both states go to the other side, which merges; of a session only the
 * entries that are missing there: what is behind the common beginning, if one home has
 * only that, else what the sets of hashes say.
 */
#include "api/sync/plan.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

/* Longer messages would not fit: then the whole session is sent. */
#define WANT_MAX ((size_t)1 << 19)

void sync_plan_init(struct sync_plan *p, struct moving *m)
{
    *p = (struct sync_plan){.m = m, .wants = BUF_INIT((size_t)1 << 31)};
    outgoing_init(&p->out);
}

void sync_plan_release(struct sync_plan *p)
{
    struct compared *c;

    for (c = p->compared; c; c = c->next)
        buf_release(&c->hashes);
    inventory_release(&p->theirs);
    outgoing_release(&p->out);
    buf_release(&p->wants);
}

quire_status sync_plan_take_items(struct sync_plan *p, quire_bytes content,
                                  quire_error *err)
{
    struct item item;
    size_t at = 0;

    while (at < content.len) {
        if (!item_read(content, &at, &item) || item.kind == ITEM_BLOB)
            return bad_record("inventory", err);
        item.key = arena_dup(&p->m->keep, item.key);
        if (!item.key.data || !inventory_add(&p->theirs, &item))
            return err_memory(err);
    }
    return QUIRE_OK;
}

/* ---- sets of entries ------------------------------------------------------ */

struct prefix {
    struct entry_set set;
    uint64_t n;
    bool reached, equal;
    const struct item *wanted;
};

static quire_status count_prefix(void *ctx, const struct entry_line *line,
                                 uint64_t at, quire_error *err)
{
    struct prefix *p = ctx;
    uint8_t sum[ENTRY_SUM_BYTES];

    (void)at, (void)err;
    if (p->set.n < p->n) {
        entry_set_add(&p->set, &line->hash);
        if (p->set.n == p->n) {
            entry_set_sum(&p->set, sum);
            p->equal = !memcmp(sum, p->wanted->digest, sizeof sum);
        }
    }
    return QUIRE_OK;
}

quire_status sync_plan_is_prefix(struct moving *m, const struct item *own,
                                 const struct item *prefix, bool *is,
                                 quire_error *err)
{
    struct prefix p = {.n = prefix->n, .wanted = prefix};
    quire_bytes header;
    quire_status st;

    *is = prefix->n == 0;
    if (prefix->n == 0 || prefix->n > own->n)
        return QUIRE_OK;
    st = lines_each(m, own->name, count_prefix, &p, NULL, &header, err);
    *is = p.equal;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status add_hash(void *ctx, const struct entry_line *line,
                             uint64_t at, quire_error *err)
{
    (void)at;
    buf_add(ctx, line->hash.byte, HASH_SHORT);
    return buf_status(ctx, "hashes", err);
}

quire_status sync_plan_hashes(struct moving *m, const struct item *own,
                              struct buf *out, quire_error *err)
{
    quire_bytes header;

    return lines_each(m, own->name, add_hash, out, NULL, &header, err);
}

/* ---- wants ---------------------------------------------------------------- */

static quire_status add_want(struct sync_plan *p, const struct item *item,
                             const struct lines_wanted *lines, quire_error *err)
{
    struct buf out = BUF_INIT(WIRE_MAX);
    enum want_mode mode = !lines || (!lines->some && !lines->from) ? WANT_WHOLE
                          : lines->some                            ? WANT_ONLY
                                                                   : WANT_FROM;
    uint64_t last = 0;
    uint32_t len;
    size_t i;
    quire_status st;

    item_add(item, &out);
    buf_add_char(&out, (char)mode);
    if (mode == WANT_FROM)
        number_add(lines->from, &out);
    for (i = 0; mode == WANT_ONLY && i < lines->n_only; i++) {
        number_add(lines->only[i] - last, &out);
        last = lines->only[i];
    }
    if (out.len > WANT_MAX || out.failed) {
        buf_release(&out);
        return add_want(p, item, NULL, err);
    }
    len = (uint32_t)out.len;
    buf_add(&p->wants, &len, sizeof len);
    buf_add(&p->wants, out.data, out.len);
    st = buf_status(&p->wants, "a plan", err);
    buf_release(&out);
    return st;
}

quire_status sync_plan_take_want(struct moving *m, struct outgoing *out,
                                 quire_bytes content, quire_error *err)
{
    struct lines_wanted lines = {0};
    struct item item, *own;
    size_t at = 0, n = 0;
    uint64_t *only, step, last = 0;
    int mode;

    if (!item_read(content, &at, &item) || at == content.len)
        return bad_record("request", err);
    mode = ((const char *)content.data)[at++];
    own = inventory_find(&m->inv, item.kind, item.key);
    if (mode == WANT_FROM && !number_read(content, &at, &lines.from))
        return bad_record("request", err);
    if (mode == WANT_ONLY) {
        only = arena_array(&m->keep, content.len - at + 1, sizeof *only);
        if (!only)
            return err_memory(err);
        while (at < content.len) {
            if (!number_read(content, &at, &step))
                return bad_record("request", err);
            last += step;
            only[n++] = last;
        }
        lines = (struct lines_wanted){.only = only, .n_only = n, .some = true};
    }
    return own ? outgoing_add(out, own, &lines, err) : QUIRE_OK;
}

/* ---- decisions ------------------------------------------------------------ */

static quire_status differ(struct sync_plan *p, const struct item *own,
                           const struct item *theirs, quire_error *err)
{
    struct lines_wanted tail = {.from = theirs->n};
    struct compared *c;
    bool prefix;
    quire_status st;

    if (own->kind != ITEM_SESSION) {
        st = outgoing_add(&p->out, own, NULL, err);
        return st ? st : add_want(p, theirs, NULL, err);
    }
    st = sync_plan_is_prefix(p->m, own, theirs, &prefix, err);
    if (st)
        return st;
    if (prefix)
        return outgoing_add(&p->out, own, &tail, err);
    c = arena_alloc(&p->m->keep, sizeof *c);
    if (!c)
        return err_memory(err);
    *c = (struct compared){.own = own,
                           .theirs = theirs,
                           .hashes = BUF_INIT((size_t)1 << 30),
                           .next = p->compared};
    p->compared = c;
    return QUIRE_OK;
}

/* Whether what the other side has may come here: its session, for what belongs to
 * one. */
static bool takes(struct sync_plan *p, const struct item *theirs)
{
    quire_bytes id = theirs->key, rest;

    if (theirs->kind == ITEM_MEMORY)
        return !map_get(&p->m->uids, theirs->key) ||
               inventory_find(&p->m->inv, ITEM_MEMORY, theirs->key);
    if (theirs->kind != ITEM_SESSION && !key_split(theirs->key, &id, &rest))
        return false;
    return moving_takes(p->m, id);
}

quire_status sync_plan_items(struct sync_plan *p, uint32_t buckets,
                             quire_bytes bits, quire_error *err)
{
    struct inventory *own = &p->m->inv;
    quire_status st = QUIRE_OK;
    size_t i;

    inventory_sort(&p->theirs);
    for (i = 0; i < own->n && !st; i++) {
        const struct item *item = &own->items[i], *other;

        if (!bit_get(bits, inventory_bucket(item, buckets)))
            continue;
        other = inventory_find(&p->theirs, item->kind, item->key);
        if (!other)
            st = outgoing_add(&p->out, item, NULL, err);
        else if (memcmp(other->digest, item->digest, sizeof item->digest))
            st = differ(p, item, other, err);
    }
    for (i = 0; i < p->theirs.n && !st; i++) {
        const struct item *item = &p->theirs.items[i];

        if (!takes(p, item))
            p->m->result.skipped++;
        else if (!inventory_find(own, item->kind, item->key))
            st = add_want(p, item, NULL, err);
    }
    return st;
}

/* ---- sessions that both have changed -------------------------------------- */

struct against {
    const struct map *theirs;
    struct map own;
    struct arena *keep;
    struct buf only; /* uint64_t */
};

static quire_status see_own(void *ctx, const struct entry_line *line,
                            uint64_t at, quire_error *err)
{
    struct against *a = ctx;
    quire_bytes hash = arena_dup(a->keep,
                                 bytes_of(line->hash.byte, HASH_SHORT));

    if (!hash.data || !map_put(&a->own, hash, 1, NULL))
        return err_memory(err);
    if (!map_get(a->theirs, hash))
        buf_add(&a->only, &at, sizeof at);
    return buf_status(&a->only, "a plan", err);
}

/* Their hashes as a map. False: out of memory. */
static bool map_hashes(const struct buf *hashes, struct map *out)
{
    size_t i;

    for (i = 0; i + HASH_SHORT <= hashes->len; i += HASH_SHORT)
        if (!map_put(out, bytes_of(hashes->data + i, HASH_SHORT), i, NULL))
            return false;
    return true;
}

static struct lines_wanted wanted_of(const struct buf *only)
{
    return (struct lines_wanted){.only = (const void *)only->data,
                                 .n_only = only->len / sizeof(uint64_t),
                                 .some = true};
}

static quire_status sync_plan_diverged(struct sync_plan *p, struct compared *c,
                                       quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct buf missing = BUF_INIT((size_t)1 << 32);
    struct map theirs;
    struct against a = {.theirs = &theirs,
                        .keep = &tmp,
                        .only = BUF_INIT((size_t)1 << 32)};
    struct lines_wanted lines;
    quire_bytes header, kept;
    uint64_t i;
    quire_status st;

    map_init(&theirs, (uintptr_t)p, 1);
    map_init(&a.own, (uintptr_t)p, 2);
    st = map_hashes(&c->hashes, &theirs)
             ? lines_each(p->m, c->own->name, see_own, &a, NULL, &header, err)
             : err_memory(err);
    for (i = 0; !st && (i + 1) * HASH_SHORT <= c->hashes.len; i++)
        if (!map_get(&a.own,
                     bytes_of(c->hashes.data + i * HASH_SHORT, HASH_SHORT)))
            buf_add(&missing, &i, sizeof i);
    kept = arena_dup(&p->m->keep, buf_bytes(&a.only));
    if (!st && (missing.failed || (a.only.len && !kept.data)))
        st = err_memory(err);
    if (!st && a.only.len) {
        lines = wanted_of(&a.only);
        lines.only = kept.data;
        st = outgoing_add(&p->out, c->own, &lines, err);
    }
    if (!st && missing.len) {
        lines = wanted_of(&missing);
        st = add_want(p, c->theirs, &lines, err);
    }
    buf_release(&a.only);
    buf_release(&missing);
    map_release(&theirs);
    map_release(&a.own);
    arena_release(&tmp);
    return st;
}

quire_status sync_plan_compared(struct sync_plan *p, quire_error *err)
{
    struct compared *c;
    quire_status st = QUIRE_OK;

    for (c = p->compared; c && !st; c = c->next) {
        struct lines_wanted tail = {.from = c->own->n};

        if (!c->has_answer) /* it is gone there */
            continue;
        st = c->continues ? add_want(p, c->theirs, &tail, err)
                          : sync_plan_diverged(p, c, err);
    }
    return st;
}
