/*
 * persist_fuzz.c - entries on their way to the disk and back
 *
 * What is JSON is persisted, and stays JSON; persisting it again changes
 * nothing. With a blob store behind it, hydrating what was persisted, and persisting
 * that without a store, gives what is persisted without one, but for the spelling of strings and for
 * counts of lines: moving an image is a reason to count again. References are
 * those that a plain look at each decoded string finds.
 *
 * Half a megabyte is more than a fuzzer types. Three control characters, which
 * JSON has no use for, stand for runs that bring the limits within reach.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "holds.h"
#include "session/persist.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING (SIZE_MAX / 2)

static void add_run(struct buf *b, char c, size_t n)
{
    char *room = buf_room(b, n);

    HOLDS(room);
    memset(room, c, n);
    buf_grow(b, n);
}

/* Into memory of exactly its size. */
static quire_bytes expand(const uint8_t *data, size_t size)
{
    struct buf b = BUF_INIT(CEILING);
    int n_vast = 0;
    size_t i;
    char *exact;

    for (i = 0; i < size; i++) {
        if (data[i] == 1 && n_vast++ < 4)
            add_run(&b, 'x', 499950);
        else if (data[i] == 2)
            add_run(&b, 'A', 1020);
        else if (data[i] == 3)
            add_run(&b, 'y', 45);
        else
            buf_add_char(&b, (char)data[i]);
    }
    exact = malloc(b.len ? b.len : 1);
    HOLDS(exact && !b.failed);
    if (b.len)
        memcpy(exact, b.data, b.len);
    size = b.len;
    buf_release(&b);
    return bytes_of(exact, size);
}

/* ---- the store ---------------------------------------------------------- */

static struct store *files;

static struct blobs *open_blobs(void)
{
    struct blobs_config config = {.layout = QUIRE_LAYOUT_FLAT,
                                  .clock = &clock_system};
    struct blobs *blobs;

    HOLDS(!store_memory_open(&clock_system, &files, NULL));
    config.files = files->objects;
    config.leases = files->leases;
    HOLDS(!blobs_new(&config, &blobs, NULL));
    return blobs;
}

static void close_blobs(struct blobs *blobs)
{
    blobs_free(blobs);
    store_free(files);
}

/* ---- persisting --------------------------------------------------------- */

static void persist(quire_bytes entry, struct blobs *blobs, bool omp,
                    struct buf *out)
{
    struct arena tmp = ARENA_INIT;
    struct buf again = BUF_INIT(CEILING);

    HOLDS(!persist_entry(entry, blob_view_all(blobs), omp, &tmp, out, NULL));
    HOLDS(json_check(buf_bytes(out), 0, NULL));
    HOLDS(!persist_entry(buf_bytes(out), blob_view_all(blobs), omp, &tmp,
                         &again, NULL));
    HOLDS(bytes_equal(buf_bytes(out), buf_bytes(&again)));
    buf_release(&again);
    arena_release(&tmp);
}

static bool same_string(quire_bytes a, quire_bytes b)
{
    struct buf x = BUF_INIT(CEILING), y = BUF_INIT(CEILING);
    bool same;

    if (bytes_equal(a, b))
        return true;
    same = !json_decode(a, &x) && !json_decode(b, &y) &&
           bytes_equal(buf_bytes(&x), buf_bytes(&y));
    buf_release(&x);
    buf_release(&y);
    return same;
}

/* Step by step, the same document. */
static void same_meaning(quire_bytes a, quire_bytes b)
{
    struct json_scan x, y;
    enum json_step step;

    json_scan_init(&x, a);
    json_scan_init(&y, b);
    do {
        step = json_scan_next(&x);
        HOLDS(step == json_scan_next(&y) && step != JSON_STEP_BAD);
        HOLDS(bytes_equal(x.key, y.key));
        if (step != JSON_STEP_SCALAR)
            continue;
        HOLDS(json_kind(x.value) == json_kind(y.value));
        if (json_kind(x.value) == JSON_STRING)
            HOLDS(same_string(x.value, y.value));
        else
            HOLDS(bytes_equal(x.value, y.value) || json_is(x.key, "lineCount"));
    } while (step != JSON_STEP_END);
}

static void there_and_back(quire_bytes entry, bool omp)
{
    struct arena tmp = ARENA_INIT;
    struct buf plain = BUF_INIT(CEILING), out = BUF_INIT(CEILING),
               back = BUF_INIT(CEILING);
    struct blobs *blobs = open_blobs();

    persist(entry, NULL, omp, &plain);
    persist(entry, blobs, omp, &out);
    HOLDS(!persist_hydrate(buf_bytes(&out), blob_view_all(blobs), &tmp, &back,
                           NULL, NULL, NULL));
    buf_clear(&out); /* cut strings are whole again */
    HOLDS(!persist_entry(buf_bytes(&back), blob_view_all(NULL), omp, &tmp, &out,
                         NULL));
    same_meaning(buf_bytes(&plain), buf_bytes(&out));
    buf_release(&plain);
    buf_release(&out);
    buf_release(&back);
    arena_release(&tmp);
    close_blobs(blobs);
}

/* ---- references --------------------------------------------------------- */

static quire_status count(void *ctx, const quire_digest *digest,
                          quire_error *err)
{
    (void)digest;
    (void)err;
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

static size_t count_plainly(quire_bytes string)
{
    struct buf text = BUF_INIT(CEILING);
    size_t n = 0, i;
    uint8_t digest[32];

    json_decode(string, &text);
    for (i = 0; i + 76 <= text.len; i++)
        n += !memcmp(text.data + i, "blob:sha256:", 12) &&
             hex_decode(text.data + i + 12, 32, digest);
    buf_release(&text);
    return n;
}

static void references(quire_bytes entry)
{
    struct json_scan s;
    size_t n = 0, want = 0;
    enum json_step step;

    HOLDS(!persist_refs(entry, count, &n, NULL));
    json_scan_init(&s, entry);
    while ((step = json_scan_next(&s)) != JSON_STEP_END) {
        if (s.key.data)
            want += count_plainly(s.key);
        if (step == JSON_STEP_SCALAR && json_kind(s.value) == JSON_STRING)
            want += count_plainly(s.value);
    }
    HOLDS(n == want);
}

/* ---- base64 ------------------------------------------------------------- */

static void one_spelling(quire_bytes text)
{
    struct buf raw = BUF_INIT(CEILING), again = BUF_INIT(CEILING);

    if (base64_decode(text, &raw)) {
        base64_encode(buf_bytes(&raw), &again);
        HOLDS(bytes_equal(text, buf_bytes(&again)));
    } else {
        HOLDS(raw.len == 0);
    }
    buf_clear(&raw);
    buf_clear(&again);
    base64_encode(text, &again);
    HOLDS(again.len == base64_size(text.len));
    HOLDS(base64_decode(buf_bytes(&again), &raw));
    HOLDS(bytes_equal(text, buf_bytes(&raw)));
    buf_release(&raw);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes entry = expand(data, size);
    struct buf out = BUF_INIT(CEILING);
    struct arena tmp = ARENA_INIT;

    one_spelling(bytes_of(data, size));
    if (json_check(entry, 0, NULL)) {
        there_and_back(entry, false);
        there_and_back(entry, true);
        references(entry);
    } else {
        HOLDS(persist_entry(entry, blob_view_all(NULL), false, &tmp, &out,
                            NULL) == QUIRE_INVALID);
        HOLDS(persist_hydrate(entry, blob_view_all(NULL), &tmp, &out, NULL,
                              NULL, NULL) == QUIRE_INVALID);
    }
    arena_release(&tmp);
    buf_release(&out);
    free((void *)(uintptr_t)entry.data);
    return 0;
}
