/* records.c - what is sent as a sequence of records, and records that arrive */
#include <stdlib.h>
#include <string.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "gc/ref_scan.h"

/* ---- what is sent --------------------------------------------------------- */

void outgoing_release(struct outgoing *o)
{
    map_release(&o->seen);
    buf_release(&o->blobs);
    arena_release(&o->keep);
}

void outgoing_init(struct outgoing *o)
{
    *o = (struct outgoing){.keep = ARENA_INIT,
                           .blobs = BUF_INIT((size_t)1 << 32)};
    map_init(&o->seen, (uintptr_t)o, 1);
}

quire_status outgoing_add(struct outgoing *o, const struct item *item,
                          const struct lines_wanted *lines, quire_error *err)
{
    size_t cap = o->cap ? 2 * o->cap : 64;
    const struct item **items;
    struct lines_wanted *wanted;

    if (o->n == o->cap) {
        items = arena_array(&o->keep, cap, sizeof *items);
        wanted = arena_array(&o->keep, cap, sizeof *wanted);
        if (!items || !wanted)
            return err_memory(err);
        if (o->n) {
            memcpy(items, o->items, o->n * sizeof *items);
            memcpy(wanted, o->lines, o->n * sizeof *wanted);
        }
        o->items = items;
        o->lines = wanted;
        o->cap = cap;
    }
    o->items[o->n] = item;
    if (lines)
        o->lines[o->n] = *lines;
    o->n++;
    return QUIRE_OK;
}

struct finding {
    struct moving *m;
    struct outgoing *o;
    const struct lines_wanted *wanted;
    size_t next;
};

static quire_status see_blob(void *ctx, const quire_digest *digest,
                             quire_error *err)
{
    struct finding *f = ctx;
    quire_bytes key = bytes_of(digest, sizeof *digest);
    struct blob_view v;
    quire_blob_info info;
    quire_status st;

    if (map_get(&f->o->seen, key))
        return QUIRE_OK;
    st = need_own_blobs(f->m->q, false, &v, err);
    if (!st)
        st = blob_stat(v, digest, &info, err);
    if (st) /* what looks like a reference, or one that is missing here, too */
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    key = arena_dup(&f->o->keep, key);
    buf_add(&f->o->blobs, digest, sizeof *digest);
    return key.data && !f->o->blobs.failed && map_put(&f->o->seen, key, 1, NULL)
               ? QUIRE_OK
               : err_memory(err);
}

static quire_status see_ref(void *ctx, const quire_digest *digest, uint64_t at,
                            quire_error *err)
{
    (void)at;
    return see_blob(ctx, digest, err);
}

static quire_status scan_line(void *ctx, const struct entry_line *line,
                              uint64_t at, quire_error *err)
{
    struct finding *f = ctx;
    const struct lines_wanted *w = f->wanted;

    if (w->some) {
        while (f->next < w->n_only && w->only[f->next] < at)
            f->next++;
        if (f->next == w->n_only || w->only[f->next] != at)
            return QUIRE_OK;
    } else if (at < w->from) {
        return QUIRE_OK;
    }
    return ref_scan_text(line->raw, see_ref, f, err);
}

static quire_status find_blobs(struct finding *f, size_t at, quire_error *err)
{
    const struct item *item = f->o->items[at];
    quire_bytes header;
    quire_status st = QUIRE_OK;

    f->wanted = &f->o->lines[at];
    f->next = 0;
    if (item->kind == ITEM_SESSION)
        st = lines_each(f->m, item->name, scan_line, f, NULL, &header, err);
    else if (item->kind == ITEM_ARTIFACT)
        st = artifact_blobs(f->m, item, see_blob, f, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status outgoing_blobs(struct moving *m, struct outgoing *o,
                            quire_error *err)
{
    struct finding f = {.m = m, .o = o};
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < o->n && !st; i++)
        st = find_blobs(&f, i, err);
    return st;
}

static quire_status send_item(struct moving *m, struct wire *w,
                              const struct item *item,
                              const struct lines_wanted *lines,
                              quire_error *err)
{
    const struct known_session *k;
    char id[256];

    switch (item->kind) {
    case ITEM_SESSION:
        if (item->key.len >= sizeof id)
            return bad_record("session", err);
        memcpy(id, item->key.data, item->key.len);
        id[item->key.len] = '\0';
        k = moving_session(m, id);
        return k ? lines_send(m, w, k, lines, err) : QUIRE_OK;
    case ITEM_OUTPUT: return output_send(m, w, item, err);
    case ITEM_ARTIFACT: return artifact_send(m, w, item, err);
    case ITEM_MEMORY: return memory_send(m, w, item, err);
    default: return QUIRE_OK;
    }
}

quire_status outgoing_send(struct moving *m, struct wire *w,
                           const struct outgoing *o, quire_bytes need,
                           quire_error *err)
{
    const quire_digest *blobs = (const void *)o->blobs.data;
    size_t n = o->blobs.len / sizeof *blobs, i;
    int kind;
    quire_status st = QUIRE_OK;

    for (i = 0; i < n && !st; i++)
        if (!need.data || bit_get(need, i))
            st = blob_send(m, w, &blobs[i], err);
    /* What refers to a session comes after it. */
    for (kind = ITEM_SESSION; kind < ITEM_BLOB; kind++)
        for (i = 0; i < o->n && !st; i++)
            if ((int)o->items[i]->kind == kind) {
                st = send_item(m, w, o->items[i], &o->lines[i], err);
                m->result.sent += !st;
            }
    return st;
}

/* ---- what arrives --------------------------------------------------------- */

/* The content of a record, up to its end. */
static quire_status apply_content(struct wire *w, struct lines_in *lines,
                                  struct bytes_in *bytes, quire_error *err)
{
    enum wire_type type;
    quire_bytes content;
    quire_status st;

    while (!(st = wire_receive(w, &type, &content, err))) {
        if (type == WIRE_RECORD_END)
            return lines ? lines_end(lines, err) : bytes_end(bytes, err);
        if (type != WIRE_DATA)
            return wire_unexpected(type, content, err);
        st = lines ? lines_data(lines, content, err)
                   : bytes_data(bytes, content, err);
        if (st)
            return st;
    }
    return st;
}

static quire_status apply_record(struct moving *m, struct wire *w,
                                 quire_bytes record, quire_error *err)
{
    quire_bytes kind = json_get(record, "kind");
    struct lines_in *lines = NULL;
    struct bytes_in *bytes = NULL;
    quire_status st;

    if (!json_check(record, JSON_UTF8, NULL) || json_kind(kind) != JSON_STRING)
        return bad_record("object", err);
    if (!json_is(kind, "blob")) {
        st = blobs_flush(m, err);
        if (st)
            return st;
    }
    if (json_is(kind, "artifact"))
        return artifact_apply(m, record, err);
    if (json_is(kind, "memory"))
        return memory_apply(m, record, err);
    if (json_is(kind, "session"))
        st = lines_begin(m, record, &lines, err);
    else if (json_is(kind, "blob") || json_is(kind, "output"))
        st = bytes_begin(m, json_is(kind, "output"), record, &bytes, err);
    else
        return bad_record("record of this version", err);
    if (!st)
        st = apply_content(w, lines, bytes, err);
    lines_free(lines);
    bytes_free(bytes);
    return st;
}

quire_status records_apply(struct moving *m, struct wire *w,
                           enum wire_type *type, quire_bytes *content,
                           quire_error *err)
{
    quire_status st;

    while (!(st = wire_receive(w, type, content, err)) &&
           *type == WIRE_RECORD) {
        st = apply_record(m, w, *content, err);
        if (st)
            break;
    }
    if (!st)
        st = blobs_flush(m, err);
    if (!st)
        st = memory_apply_relations(m, err);
    return st;
}
