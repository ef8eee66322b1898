/*
 * search_text.c - the text at a place, read from where it is stored
 *
 * The index has no copy of texts. A place of a session is the offset and length of a
 * line, and which text of it; the line is read and its texts are extracted again. A
 * file that was replaced or removed meanwhile has other bytes there: then the text is
 * not found, or has other words, and the hit is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "api/search_files.h"
#include "api/search_jp.h"
#include "base/bytes.h"
#include "base/err.h"

/* Sources that were read last, with their open files: hits of a few sessions take
 * turns when they are ordered by time. */
enum { CACHE_SIZE = 16 };

struct text_source {
    struct engine *of; /* NULL: free */
    struct source source;
    struct arena memory; /* its strings */
    struct log *log;     /* NULL: not open */
    uint64_t used;       /* when last */
};

struct text_cache {
    struct text_source list[CACHE_SIZE];
    uint64_t now;
};

static void drop_entry(struct text_source *t)
{
    if (t->log)
        log_close(t->log);
    t->log = NULL;
    t->of = NULL;
    arena_reset(&t->memory);
}

void text_cache_clear(struct text_cache *c)
{
    int i;

    for (i = 0; c && i < CACHE_SIZE; i++)
        drop_entry(&c->list[i]);
}

void text_cache_free(struct text_cache *c)
{
    int i;

    text_cache_clear(c);
    for (i = 0; c && i < CACHE_SIZE; i++)
        arena_release(&c->list[i].memory);
    free(c);
}

/* The entry of a source; the one that was not used for longest makes room. */
static quire_status find_source(struct search_index *x, struct engine *e,
                                uint32_t number, struct text_source **out,
                                quire_error *err)
{
    struct text_source *t, *oldest;
    quire_status st;
    int i;

    if (!x->cache)
        x->cache = calloc(1, sizeof *x->cache);
    if (!x->cache)
        return err_memory(err);
    oldest = &x->cache->list[0];
    for (i = 0; i < CACHE_SIZE; i++) {
        t = &x->cache->list[i];
        if (t->of == e && t->source.number == number) {
            t->used = ++x->cache->now;
            *out = t;
            return QUIRE_OK;
        }
        if (t->used < oldest->used)
            oldest = t;
    }
    drop_entry(oldest);
    st = engine_source(e, number, &oldest->memory, &oldest->source, err);
    if (!st) {
        oldest->of = e;
        oldest->used = ++x->cache->now;
    }
    *out = oldest;
    return st;
}

/* Bytes of its file, in x->text. */
static quire_status read_bytes(struct search_index *x, struct text_source *t,
                               uint64_t offset, uint64_t len, quire_error *err)
{
    struct object_info info;
    quire_status st = need_all(x->q, err);
    size_t n = 0;

    buf_clear(&x->text);
    if (!st && !t->log)
        st = log_open(x->q->all->logs, t->source.key, LOG_READ, &t->log, &info,
                      err);
    if (st)
        return st;
    if (!buf_room(&x->text, (size_t)len + 1))
        return err_memory(err);
    st = log_read(t->log, offset, x->text.data, (size_t)len, &n, err);
    if (!st)
        buf_grow(&x->text, n);
    return st;
}

/* ---- flags ----------------------------------------------------------------------- */

unsigned search_text_flags(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;
    unsigned flags = 0;

    if (text.len > 0 && memmem(at, text.len, "```", 3))
        flags |= PLACE_CODE;
    for (; text.len > 0 && !(flags & PLACE_LINK); at++) {
        at = memmem(at, (size_t)(end - at), "://", 3);
        if (!at)
            break;
        if ((at - (const char *)text.data >= 4 && !memcmp(at - 4, "http", 4)) ||
            (at - (const char *)text.data >= 5 && !memcmp(at - 5, "https", 5)))
            flags |= PLACE_LINK;
    }
    return flags;
}

/* ---- sessions -------------------------------------------------------------------- */

struct finding {
    unsigned part;
    bool found;
    struct buf *text;
    quire_bytes out;
};

static quire_status take_part(void *ctx, const struct entry_text *t,
                              quire_error *err)
{
    struct finding *k = ctx;

    if (t->part != k->part)
        return QUIRE_OK;
    buf_clear(k->text);
    buf_add(k->text, t->text.data, t->text.len);
    k->found = true;
    return k->text->failed ? err_memory(err) : QUIRE_OK;
}

static quire_status read_entry(struct search_index *x,
                               struct text_source *source,
                               const struct place *place,
                               struct segment_text *out, quire_bytes *entry,
                               struct arena *keep, quire_error *err)
{
    struct finding k = {.part = place->part, .text = &x->text};
    struct entry_text_head head;
    quire_bytes line;
    quire_status st = read_bytes(x, source, place->offset, place->length, err);

    if (st)
        return st;
    /* The text replaces the line in the buffer: a copy of it is parsed. */
    line = arena_dup(keep, buf_bytes(&x->text));
    if (!line.data)
        return err_memory(err);
    st = entry_texts(line, &x->scratch, &head, take_part, &k, err);
    if (!st && !k.found)
        return QUIRE_NOT_FOUND;
    /* The header has the id of the session. */
    if (!st && entry && !bytes_is(head.type, "session")) {
        *entry = arena_dup(keep, head.id);
        if (!entry->data)
            st = err_memory(err);
    }
    out->fields[FIELD_BODY] = buf_bytes(&x->text);
    return st;
}

/* ---- conversations of JP ------------------------------------------------------------ */

struct finding_event {
    const struct place *place;
    struct segment_text *out;
    quire_bytes *entry; /* or NULL */
    struct arena *keep;
    bool found;
};

static quire_status take_event(void *ctx, const struct event_place *event,
                               const struct entry_text *t, quire_error *err)
{
    struct finding_event *k = ctx;
    quire_bytes *body = &k->out->fields[FIELD_BODY];

    if (event->index != k->place->offset || t->part != k->place->part)
        return event->index > k->place->offset ? QUIRE_STOPPED : QUIRE_OK;
    k->found = true;
    *body = arena_dup(k->keep, t->text);
    if (k->entry)
        *k->entry = arena_dup(k->keep, event->id);
    return body->data && (!k->entry || k->entry->data) ? QUIRE_STOPPED
                                                       : err_memory(err);
}

static quire_status read_event(struct search_index *x,
                               const struct source *source,
                               const struct place *place,
                               struct segment_text *out, quire_bytes *entry,
                               struct arena *keep, quire_error *err)
{
    struct finding_event k = {place, out, entry, keep, false};
    quire_status st = need_all(x->q, err);

    if (!st)
        st = search_jp_texts(x->q, source->key, take_event, &k, err);
    if (st == QUIRE_STOPPED || !st)
        st = k.found ? QUIRE_OK : QUIRE_NOT_FOUND;
    return st;
}

/* ---- any --------------------------------------------------------------------------- */

quire_status search_read_text(struct search_index *x, struct engine *e,
                              const struct place *place, struct source *source,
                              struct segment_text *out, quire_bytes *entry,
                              struct arena *keep, quire_error *err)
{
    struct text_source *t = NULL;
    quire_status st = find_source(x, e, place->source, &t, err);

    *out = (struct segment_text){{{NULL, 0}}};
    if (entry)
        *entry = bytes_of("", 0);
    if (st)
        return st;
    *source = t->source;
    switch (source->kind) {
    case SOURCE_SESSION: return read_entry(x, t, place, out, entry, keep, err);
    case SOURCE_OUTPUT:
        st = read_bytes(x, t, 0,
                        source->size < SEARCH_OUTPUT_MAX ? source->size
                                                         : SEARCH_OUTPUT_MAX,
                        err);
        out->fields[FIELD_BODY] = buf_bytes(&x->text);
        return st;
    case SOURCE_JP: return read_event(x, source, place, out, entry, keep, err);
    case SOURCE_ARTIFACT:
    case SOURCE_MEMORY:
    case SOURCE_HISTORY:
    case N_SOURCE_KINDS: break;
    }
    return search_read_row(x, source, place, out, keep, err);
}
