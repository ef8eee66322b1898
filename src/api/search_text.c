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

#include "api/search.h"
#include "base/bytes.h"
#include "base/err.h"

/* Bytes of an output that are searched. */
#define OUTPUT_MAX ((uint64_t)64 << 20)

/* The file that was read last: hits of one session come one after the other. */
struct text_file {
    char *name; /* owned */
    struct log *log;
};

void text_file_close(struct text_file *f)
{
    if (!f)
        return;
    if (f->log)
        log_close(f->log);
    free(f->name);
    free(f);
}

static quire_status open_file(struct search_index *x, const char *name,
                              struct log **out, quire_error *err)
{
    struct text_file *f = x->file;
    struct object_info info;
    quire_status st;

    if (f && !strcmp(f->name, name)) {
        *out = f->log;
        return QUIRE_OK;
    }
    text_file_close(f);
    x->file = NULL;
    st = need_all(x->q, err);
    if (st)
        return st;
    f = calloc(1, sizeof *f);
    if (f)
        f->name = strdup(name);
    st = f && f->name
             ? log_open(x->q->all->logs, name, LOG_READ, &f->log, &info, err)
             : err_memory(err);
    if (st) {
        text_file_close(f);
        return st;
    }
    x->file = f;
    *out = f->log;
    return QUIRE_OK;
}

/* Bytes of a file, in x->text. */
static quire_status read_bytes(struct search_index *x, const char *name,
                               uint64_t offset, uint64_t len, quire_error *err)
{
    struct log *log;
    quire_status st = open_file(x, name, &log, err);
    size_t n = 0;

    buf_clear(&x->text);
    if (st)
        return st;
    if (!buf_room(&x->text, (size_t)len + 1))
        return err_memory(err);
    st = log_read(log, offset, x->text.data, (size_t)len, &n, err);
    if (!st)
        buf_grow(&x->text, n);
    return st;
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
                               const struct source *source,
                               const struct place *place,
                               struct segment_text *out, quire_bytes *entry,
                               struct arena *keep, quire_error *err)
{
    struct finding k = {.part = place->part, .text = &x->text};
    struct entry_text_head head;
    quire_bytes line;
    quire_status st = read_bytes(x, source->key, place->offset, place->length,
                                 err);

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

/* ---- any --------------------------------------------------------------------------- */

/* The row of a source. Texts of one source come one after the other: it is kept. */
static quire_status find_source(struct search_index *x, struct engine *e,
                                uint32_t number, struct source *out,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (x->source_of != e || x->source.number != number) {
        x->source_of = NULL;
        arena_reset(&x->source_memory);
        st = engine_source(e, number, &x->source_memory, &x->source, err);
        if (!st)
            x->source_of = e;
    }
    *out = x->source;
    return st;
}

quire_status search_read_text(struct search_index *x, struct engine *e,
                              const struct place *place, struct source *source,
                              struct segment_text *out, quire_bytes *entry,
                              struct arena *keep, quire_error *err)
{
    quire_status st = find_source(x, e, place->source, source, err);

    *out = (struct segment_text){{{NULL, 0}}};
    if (entry)
        *entry = bytes_of("", 0);
    if (st)
        return st;
    switch (source->kind) {
    case SOURCE_SESSION:
        return read_entry(x, source, place, out, entry, keep, err);
    case SOURCE_OUTPUT:
        st = read_bytes(x, source->key, 0,
                        source->size < OUTPUT_MAX ? source->size : OUTPUT_MAX,
                        err);
        out->fields[FIELD_BODY] = buf_bytes(&x->text);
        return st;
    case SOURCE_ARTIFACT:
    case SOURCE_MEMORY:
    case SOURCE_HISTORY:
    case SOURCE_JP:
    case N_SOURCE_KINDS: break;
    }
    return search_read_row(x, source, place, out, keep, err);
}
