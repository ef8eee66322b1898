/*
 * wire.h - messages over a stream of bytes, compressed
 *
 *     preface      "quire 1 sync\n" or "quire 1 file\n", as it is
 *     the rest     one zlib stream in each direction, of messages:
 *                  type (1 byte), length (4 bytes, little-endian), content
 *
 * A stream is read and written in turns: what was sent reaches the peer when the
 * turn is flushed. No message is longer than WIRE_MAX, so that a peer cannot make
 * this side take more memory than that. Content longer than it comes in pieces.
 */
#ifndef SYNC_WIRE_H
#define SYNC_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

#define WIRE_MAX   ((size_t)1 << 20)
#define WIRE_PIECE ((size_t)64 << 10)

enum wire_type {
    WIRE_END_OF_STREAM = 0, /* never sent */
    WIRE_HELLO = 'H',       /* JSON: who this is                             */
    WIRE_BUCKETS = 'B',     /* sums of an inventory's buckets                */
    WIRE_DIFFERENT = 'D',   /* a bit for each bucket                         */
    WIRE_ITEMS = 'I',       /* items of the different buckets                */
    WIRE_ASK = 'A',         /* sessions whose entries are to be compared     */
    WIRE_HASHES = 'S',      /* hashes of the entries of one of them          */
    WIRE_WANT = 'W',        /* items to be sent                              */
    WIRE_OFFER = 'O',       /* digests of blobs that will be referred to     */
    WIRE_NEED = 'N',        /* a bit for each of those                       */
    WIRE_RECORD = 'R',      /* JSON: a record begins                         */
    WIRE_DATA = 'C',        /* a piece of its content                        */
    WIRE_RECORD_END = 'E',  /* it is complete                                */
    WIRE_TURN = 'T',        /* the peer's turn                               */
    WIRE_FAIL = 'F',        /* JSON: an error; the stream ends               */
    WIRE_DONE = 'Z',        /* JSON: counts; the stream ends                 */
};

struct wire;

/* Either function may be NULL: then the stream goes in one direction. */
struct wire_config {
    quire_read_fn read;
    quire_write_fn write;
    void *ctx;
    const char *kind; /* "sync", "file" */
};

quire_status wire_new(const struct wire_config *config, struct wire **out,
                      quire_error *err);
void wire_free(struct wire *w); /* NULL is fine */

quire_status wire_send(struct wire *w, enum wire_type type, quire_bytes content,
                       quire_error *err);

/* Everything sent so far reaches the peer; `last`: nothing follows. */
quire_status wire_flush(struct wire *w, bool last, quire_error *err);

/* The next message; *content is lent until the next call. QUIRE_INVALID: it is no
 * stream of this kind; QUIRE_IO: it ends too early. At its end
 * WIRE_END_OF_STREAM. */
quire_status wire_receive(struct wire *w, enum wire_type *type,
                          quire_bytes *content, quire_error *err);

/* The same, and it has to be of this type. WIRE_FAIL becomes the error that it
 * holds. */
quire_status wire_expect(struct wire *w, enum wire_type type,
                         quire_bytes *content, quire_error *err);

/* Turn a message of the type WIRE_FAIL into an error; another type is a fault of the
 * peer. */
quire_status wire_unexpected(enum wire_type type, quire_bytes content,
                             quire_error *err);

/* Tell the peer why this side stops. Failures are ignored. */
void wire_fail(struct wire *w, const quire_error *why);

/* Whether a write failed: the peer may have said why before. */
bool wire_write_failed(const struct wire *w);

/* Bytes on the wire. */
uint64_t wire_sent(const struct wire *w);
uint64_t wire_received(const struct wire *w);

#endif
