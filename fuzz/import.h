/*
 * import.h - what the converters of import promise for any bytes
 *
 * However a file is cut, and wherever it is continued, the entries are the
 * same: JSON on one line, with ids of their own, parents before children.
 * The first three bytes of an input choose the chunks, the cut, whether payloads
 * are replaced, and whether the file is one document.
 */
#ifndef FUZZ_IMPORT_H
#define FUZZ_IMPORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/map.h"
#include "holds.h"
#include "import/agents.h"

struct run {
    struct buf text;
    struct arena ids_text;
    struct map ids;
    size_t settled; /* bytes of `text` */
    bool payloads, whole;
};

static quire_status on_entry(void *ctx, const struct import_entry *e,
                             quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("parentId")};
    struct run *r = ctx;
    bool fresh;

    (void)err;
    HOLDS(json_check(e->json, JSON_UTF8, NULL));
    HOLDS(!memchr(e->json.data, '\n', e->json.len));
    HOLDS(json_pick(e->json, w, 2, NULL));
    HOLDS(bytes_is(w[1].value, "null") || map_get(&r->ids, w[1].value));
    HOLDS(map_put(&r->ids, arena_dup(&r->ids_text, w[0].value), 0, &fresh));
    HOLDS(fresh);
    HOLDS(e->provisional || r->settled == r->text.len);
    buf_add(&r->text, e->json.data, e->json.len);
    buf_add_char(&r->text, '\n');
    if (!e->provisional)
        r->settled = r->text.len;
    return QUIRE_OK;
}

static quire_status on_payload(void *ctx, const struct import_payload *p,
                               struct buf *out, quire_error *err)
{
    const struct run *r = ctx;

    (void)err;
    HOLDS(json_check(p->json, 0, NULL));
    if (r->payloads)
        buf_addf(out, "\"%zu\"", p->json.len);
    return QUIRE_OK;
}

static void begin(struct run *r, uint8_t flags)
{
    *r = (struct run){.text = BUF_INIT((size_t)1 << 30),
                      .ids_text = ARENA_INIT,
                      .payloads = flags & 1,
                      .whole = flags & 2};
    map_init(&r->ids, 1, 2);
}

static void end(struct run *r)
{
    buf_release(&r->text);
    map_release(&r->ids);
    arena_release(&r->ids_text);
}

static struct import_sink sink_of(struct run *r)
{
    return (
        struct import_sink){.ctx = r, .entry = on_entry, .payload = on_payload};
}

static void feed(struct import_converter *c, quire_bytes bytes, size_t chunk)
{
    size_t at, n;

    for (at = 0; at < bytes.len; at += n) {
        n = chunk < bytes.len - at ? chunk : bytes.len - at;
        HOLDS(!import_converter_feed(c, bytes_sub(bytes, at, at + n), NULL));
    }
}

static void convert(struct run *r, const struct import_format *f,
                    quire_bytes file, size_t chunk)
{
    struct import_options options = {.whole = r->whole};
    struct import_sink sink = sink_of(r);
    struct import_facts facts;
    struct import_converter *c;

    HOLDS(!import_converter_new(f, &sink, &options, &c, NULL));
    feed(c, file, chunk);
    HOLDS(!import_converter_finish(c, NULL));
    import_converter_facts(c, &facts);
    import_converter_free(c);
}

/* Up to the cut, then from the state; without the end of the first part. */
static void convert_in_two(struct run *r, const struct import_format *f,
                           quire_bytes file, size_t cut)
{
    struct import_sink sink = sink_of(r);
    struct buf state = BUF_INIT((size_t)1 << 30);
    struct import_converter *c;
    uint64_t offset;

    HOLDS(!import_converter_new(f, &sink, NULL, &c, NULL));
    feed(c, bytes_sub(file, 0, cut), file.len + 1);
    HOLDS(!import_converter_save(c, &state, NULL));
    offset = import_converter_offset(c);
    HOLDS(offset <= cut);
    import_converter_free(c);
    HOLDS(
        !import_converter_restore(f, &sink, NULL, buf_bytes(&state), &c, NULL));
    feed(c, bytes_sub(file, (size_t)offset, file.len), file.len + 1);
    HOLDS(!import_converter_finish(c, NULL));
    import_converter_free(c);
    buf_release(&state);
}

static void same(const struct run *a, const struct run *b)
{
    HOLDS(a->settled == b->settled);
    HOLDS(bytes_equal(buf_bytes(&a->text), buf_bytes(&b->text)));
}

/* One document is never continued. */
static void check_import(const struct import_format *f, const uint8_t *data,
                         size_t size)
{
    struct run once, chunks, two;
    quire_bytes file;

    if (size < 3)
        return;
    file = bytes_of(data + 3, size - 3);
    begin(&once, data[2]);
    convert(&once, f, file, file.len + 1);
    begin(&chunks, data[2]);
    convert(&chunks, f, file, data[0] + (size_t)1);
    same(&once, &chunks);
    begin(&two, data[2]);
    if (!two.whole) {
        convert_in_two(&two, f, file,
                       ((size_t)data[0] << 8 | data[1]) % (file.len + 1));
        same(&once, &two);
    }
    end(&once);
    end(&chunks);
    end(&two);
}

#endif
