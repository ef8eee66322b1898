/*
 * ref_scan_fuzz.c - the blobs that a text speaks of
 *
 * In any bytes: a search stays inside them, finds what stands there, and finds
 * the same when they are read in pieces, from a beginning or on from anywhere.
 * In JSON: whatever a reader of the format would find is among it.
 *
 * Two control characters stand for runs that reach from one piece to the next.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/json.h"
#include "gc/ref_scan.h"
#include "holds.h"
#include "session/persist.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Into memory of exactly its size. */
static quire_bytes expand(const uint8_t *data, size_t size)
{
    struct buf b = BUF_INIT((size_t)1 << 24);
    size_t i, vast = 0;
    char *exact;

    for (i = 0; i < size; i++) {
        size_t n = data[i] == 1 ? REF_SCAN_PIECE - 600 : 199;

        if (data[i] > 2 || data[i] == 0 || (data[i] == 1 && vast++ > 3)) {
            buf_add_char(&b, (char)data[i]);
            continue;
        }
        memset(buf_room(&b, n), data[i] == 1 ? ' ' : '\\', n);
        buf_grow(&b, n);
    }
    exact = malloc(b.len ? b.len : 1);
    HOLDS(exact && !b.failed);
    if (b.len)
        memcpy(exact, b.data, b.len);
    size = b.len;
    buf_release(&b);
    return bytes_of(exact, size);
}

/* ---- what was found ----------------------------------------------------- */

struct mention {
    uint64_t at;
    quire_digest digest;
};

struct found {
    struct mention *list; /* owned */
    size_t n, cap;
};

static quire_status note(void *ctx, const quire_digest *d, uint64_t at,
                         quire_error *err)
{
    struct found *f = ctx;

    (void)err;
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 16;
        f->list = realloc(f->list, f->cap * sizeof *f->list);
        HOLDS(f->list);
    }
    memset(&f->list[f->n], 0, sizeof *f->list);
    f->list[f->n].at = at;
    f->list[f->n++].digest = *d;
    return QUIRE_OK;
}

static bool has(const struct found *f, const quire_digest *d, uint64_t at)
{
    size_t i;

    for (i = 0; i < f->n; i++)
        if (!memcmp(&f->list[i].digest, d, sizeof *d) &&
            (at == UINT64_MAX || f->list[i].at == at))
            return true;
    return false;
}

static quire_status is_found(void *ctx, const quire_digest *d, quire_error *err)
{
    (void)err;
    HOLDS(has(ctx, d, UINT64_MAX));
    return QUIRE_OK;
}

/* ---- in pieces ---------------------------------------------------------- */

static struct object *store(struct store *files, quire_bytes text)
{
    struct object_info info;
    struct object *file;
    struct draft *draft;

    HOLDS(!object_create(files->objects, &draft, NULL));
    HOLDS(!object_write(draft, text, NULL));
    HOLDS(!object_publish(draft, "x", true, NULL));
    HOLDS(!object_open(files->objects, "x", &file, &info, NULL));
    return file;
}

/* All that ends behind `from`, and nothing that the whole has not. */
static void read_from(struct object *file, quire_bytes text, uint64_t from,
                      const struct found *whole)
{
    struct found some = {NULL, 0, 0};
    char *buf = malloc(REF_SCAN_PIECE);
    uint64_t end;
    size_t i;

    HOLDS(buf);
    HOLDS(!ref_scan_object(file, from, buf, note, &some, &end, NULL));
    HOLDS(end == text.len);
    for (i = 0; i < whole->n; i++)
        HOLDS(whole->list[i].at + 64 <= from ||
              has(&some, &whole->list[i].digest, whole->list[i].at));
    for (i = 0; i < some.n && from == 0; i++)
        HOLDS(has(whole, &some.list[i].digest, some.list[i].at));
    free(some.list);
    free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes text = expand(data, size);
    struct found whole = {NULL, 0, 0};
    struct store *files;
    struct object *file;
    size_t i;

    HOLDS(!ref_scan_text(text, note, &whole, NULL));
    for (i = 1; i < whole.n; i++)
        HOLDS(whole.list[i - 1].at < whole.list[i].at);
    if (json_check(text, 0, NULL))
        HOLDS(!persist_refs(text, is_found, &whole, NULL));
    HOLDS(!store_memory_open(&clock_system, &files, NULL));
    file = store(files, text);
    read_from(file, text, 0, &whole);
    read_from(file, text, text.len / 2, &whole);
    object_close(file);
    store_free(files);
    free(whole.list);
    free((void *)(uintptr_t)text.data);
    return 0;
}
