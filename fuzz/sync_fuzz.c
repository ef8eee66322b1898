/*
 * sync_fuzz.c - any bytes as the stream of a peer, as items, and as lines of a session
 *
 * The first byte chooses. A stream ends: with its messages, or with an error. An item that
 * is read is written back as the same. The canonical hash of an entry does not change when
 * the entry gets a suffix to its id, nor when its parent is named by a marker.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "holds.h"
#include "session/entry_lines.h"
#include "sync/inventory.h"
#include "sync/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    quire_bytes bytes;
    size_t at;
};

static quire_status read_input(void *ctx, void *buf, size_t cap, size_t *n,
                               quire_error *err)
{
    struct input *in = ctx;

    (void)err;
    *n = in->bytes.len - in->at < cap ? in->bytes.len - in->at : cap;
    memcpy(buf, (const char *)in->bytes.data + in->at, *n);
    in->at += *n;
    return QUIRE_OK;
}

static quire_status add_output(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

/* Read a stream to its end; returns how many messages it had. */
static size_t read_stream(quire_bytes bytes, quire_status *st)
{
    struct input in = {bytes, 0};
    struct wire_config config = {read_input, NULL, &in, "sync"};
    enum wire_type type = WIRE_TURN;
    quire_bytes content;
    quire_error err;
    struct wire *w;
    size_t n = 0;

    HOLDS(!wire_new(&config, &w, NULL));
    while (!(*st = wire_receive(w, &type, &content, &err)) &&
           type != WIRE_END_OF_STREAM) {
        HOLDS(content.len <= WIRE_MAX);
        n++;
    }
    wire_free(w);
    return n;
}

/* A stream of one message can be read, whatever the message is. */
static void round_trip(quire_bytes content)
{
    struct buf out = BUF_INIT(1 << 24);
    struct wire_config config = {NULL, add_output, &out, "sync"};
    struct wire *w;
    quire_status st;

    HOLDS(!wire_new(&config, &w, NULL));
    HOLDS(!wire_send(w, WIRE_DATA, content, NULL));
    HOLDS(!wire_flush(w, true, NULL));
    wire_free(w);
    HOLDS(read_stream(buf_bytes(&out), &st) == 1 && !st);
    buf_release(&out);
}

static void read_items(quire_bytes bytes)
{
    struct item item, again;
    size_t at = 0, back;

    while (at < bytes.len && item_read(bytes, &at, &item)) {
        struct buf out = BUF_INIT(1 << 16);

        item_add(&item, &out);
        back = 0;
        HOLDS(item_read(buf_bytes(&out), &back, &again) && back == out.len);
        HOLDS(again.kind == item.kind && again.n == item.n &&
              bytes_equal(again.key, item.key));
        buf_release(&out);
    }
}

/* With another id or parent that means the same. */
static void rename_line(const struct entry_line *line, bool marker)
{
    struct arena keep = ARENA_INIT;
    struct buf out = BUF_INIT(1 << 24);
    char suffix[ENTRY_VARIANT_SIZE];
    struct entry_line again;
    quire_bytes none = {NULL, 0};
    const char *name;

    entry_variant_suffix(&line->hash, suffix);
    if (marker)
        name = arena_printf(&keep, "@%.*s@01234567", (int)line->parent.len,
                            (const char *)line->parent.data);
    else
        name = arena_printf(&keep, "%.*s%s", (int)line->id.len,
                            (const char *)line->id.data, suffix);
    entry_line_rename(line, marker ? none : bytes_str(name),
                      marker ? bytes_str(name) : none, &keep, &out);
    HOLDS(entry_line_read(buf_bytes(&out), &keep, &again));
    HOLDS(digest_equal(&again.hash, &line->hash));
    buf_release(&out);
    arena_release(&keep);
}

/* Ids of this home, without escapes, suffix or marker. */
static bool is_plain(quire_bytes id, quire_bytes line)
{
    struct buf quoted = BUF_INIT(1 << 20);
    bool found;

    if (!id.data || memchr(id.data, '\0', id.len) || id.len > 200 ||
        entry_id_plain(id).len != id.len)
        return false;
    buf_addf(&quoted, "\"%.*s\"", (int)id.len, (const char *)id.data);
    found = memmem(line.data, line.len, quoted.data, quoted.len) != NULL &&
            !memchr(id.data, '\\', id.len) && !memchr(id.data, '"', id.len);
    buf_release(&quoted);
    return found;
}

static void read_line(quire_bytes text)
{
    struct arena keep = ARENA_INIT;
    struct entry_line line;

    /* Of a member that comes twice only the last is renamed. */
    if (!memchr(text.data, '\\', text.len) &&
        entry_line_read(text, &keep, &line)) {
        if (is_plain(line.id, line.raw))
            rename_line(&line, false);
        if (is_plain(line.parent, line.raw))
            rename_line(&line, true);
    }
    arena_release(&keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes rest = {data + 1, size ? size - 1 : 0};
    quire_status st;

    if (size == 0)
        return 0;
    if (data[0] % 4 == 0)
        read_stream(rest, &st);
    else if (data[0] % 4 == 1)
        read_items(rest);
    else if (data[0] % 4 == 2)
        round_trip(rest);
    else if (rest.len > 0)
        read_line(rest);
    return 0;
}
