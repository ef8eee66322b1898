/*
 * state.h - reading back the state of a converter
 *
 * Numbers are stored as they are in memory: a state never leaves its machine.
 * The reader checks every length; after the first mismatch `bad` stays set and
 * all further reads return zeros.
 */
#ifndef IMPORT_STATE_H
#define IMPORT_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"

struct state_reader {
    const char *at, *end;
    bool bad;
};

static inline void state_put(struct buf *out, const void *data, size_t len)
{
    buf_add(out, data, len);
}

static inline void state_put_bytes(struct buf *out, quire_bytes bytes)
{
    uint64_t len = bytes.len;

    buf_add(out, &len, sizeof len);
    buf_add(out, bytes.data, bytes.len);
}

static inline void state_get(struct state_reader *r, void *data, size_t len)
{
    if (r->bad || (size_t)(r->end - r->at) < len) {
        r->bad = true;
        memset(data, 0, len);
        return;
    }
    memcpy(data, r->at, len);
    r->at += len;
}

/* Lent by the state. */
static inline quire_bytes state_get_bytes(struct state_reader *r)
{
    uint64_t len;
    quire_bytes bytes = {r->at, 0};

    state_get(r, &len, sizeof len);
    if (r->bad || (uint64_t)(r->end - r->at) < len) {
        r->bad = true;
        return bytes;
    }
    bytes = bytes_of(r->at, (size_t)len);
    r->at += len;
    return bytes;
}

#endif
