/*
 * event_text_fuzz.c - any bytes as the events of a conversation
 *
 * Texts are UTF-8, and the parts of an event are numbered. A file yields the
 * same texts again, also when its payloads are in blobs. The first byte chooses
 * the pairs of older conversations.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "holds.h"
#include "jp/event_text.h"
#include "jp/jp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING ((size_t)1 << 28)

/* All that was reported, as bytes to compare. */
struct record {
    struct buf out;
    uint64_t index;
    unsigned part;
    size_t n;
};

static void add_bytes(struct buf *out, quire_bytes b)
{
    buf_add(out, &b.len, sizeof b.len);
    buf_add(out, b.data, b.len);
}

static quire_status record_text(void *ctx, const struct event_place *event,
                                const struct entry_text *t, quire_error *err)
{
    struct record *r = ctx;
    const char flags[] = {(char)t->kind, (char)t->role, t->is_error,
                          t->has_image};

    (void)err;
    HOLDS(event->index >= r->index || !r->n);
    r->part = r->n++ && event->index == r->index ? r->part + 1 : 0;
    r->index = event->index;
    HOLDS(t->part == r->part);
    HOLDS(utf8_check(t->text) && utf8_check(t->tool));
    HOLDS(t->text.len || t->tool.len || t->is_error || t->has_image);
    buf_add(&r->out, flags, sizeof flags);
    buf_add(&r->out, &event->index, sizeof event->index);
    buf_add(&r->out, &event->time_us, sizeof event->time_us);
    add_bytes(&r->out, event->id);
    add_bytes(&r->out, t->text);
    add_bytes(&r->out, t->tool);
    return QUIRE_OK;
}

static quire_status fetch(void *ctx, const quire_digest *digest,
                          uint64_t max_bytes, quire_bytes *content,
                          quire_error *err)
{
    quire_blob_info info;
    struct blob_view blobs = blob_view_all(ctx);
    quire_status st = blob_stat_within(blobs, digest, max_bytes, &info, err);

    if (!st && info.size > max_bytes)
        return QUIRE_TOO_LARGE;
    return st ? st : blob_get(blobs, digest, content, err);
}

static quire_status record_file(quire_bytes text, bool legacy,
                                struct blobs *blobs, struct record *r)
{
    *r = (struct record){.out = BUF_INIT(CEILING)};
    return event_texts(text, legacy, "f", (struct event_blobs){fetch, blobs},
                       record_text, r, NULL);
}

static struct blobs *open_blobs(void)
{
    static struct store *files;
    struct blobs_config config = {.layout = QUIRE_LAYOUT_LOOSE,
                                  .clock = &clock_system};
    struct blobs *blobs;

    HOLDS(!store_memory_open(&clock_system, &files, NULL));
    config.files = files->objects;
    config.leases = files->leases;
    HOLDS(!blobs_new(&config, &blobs, NULL));
    return blobs;
}

/* The same text with its payloads outside, and without what is in no blob. */
static void compare_outside(const struct record *first, quire_bytes text,
                            struct blobs *blobs)
{
    struct problem_sink sink = {.where = "f"};
    struct buf outside = BUF_INIT(CEILING);
    struct moved moved = {0};
    struct record again;
    bool changed;

    HOLDS(!externalize_text(text, blob_view_all(blobs), &sink, &moved, &outside,
                            &changed, NULL));
    HOLDS(!record_file(changed ? buf_bytes(&outside) : text, false, blobs,
                       &again));
    HOLDS(bytes_equal(buf_bytes(&again.out), buf_bytes(&first->out)));
    buf_release(&again.out);
    buf_release(&outside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct blobs *blobs;
    struct record first, again;
    quire_status st;
    quire_bytes text;
    bool legacy;

    if (size < 1)
        return 0;
    if (!blobs)
        blobs = open_blobs();
    legacy = data[0] == 'L';
    text = bytes_of(data + 1, size - 1);
    st = record_file(text, legacy, blobs, &first);
    HOLDS(!st || st == QUIRE_DAMAGED || st == QUIRE_INVALID);
    HOLDS(!st || !first.n);
    HOLDS(record_file(text, legacy, blobs, &again) == st);
    HOLDS(bytes_equal(buf_bytes(&again.out), buf_bytes(&first.out)));
    if (!st && !legacy)
        compare_outside(&first, text, blobs);
    buf_release(&again.out);
    buf_release(&first.out);
    return 0;
}
