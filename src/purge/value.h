/*
 * value.h - values to be purged, in every spelling that a home has them in
 *
 *     as they are
 *     in JSON       characters as \n, \/, \u000a, nested up to four times: a tool's
 *                   arguments are JSON in a string of JSON
 *     in base64     of the value, or of its JSON, at any offset, in both alphabets
 *
 * and digests of blobs that get new content, which are replaced by the new digest.
 *
 * A match is masked in place. The length stays, and with it every offset and size that
 * others have recorded: sizes of artifacts, parts of imported files, quotas. So do the
 * control characters, quotes and backslashes in it: what was a line or a JSON string
 * stays one. The rest becomes "[purged]", filled up with asterisks.
 */
#ifndef PURGE_VALUE_H
#define PURGE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

enum {
    VALUE_LEAST =
        4, /* bytes of a value, at least: shorter ones are everywhere */
    VALUE_MOST =
        64 << 10, /* and at most                                             */
    VALUES_MAX =
        4096, /* values at once                                          */
    VALUE_BEHIND =
        64, /* bytes before a match that decide how it is masked       */
};

enum span_kind { SPAN_TEXT, SPAN_BASE64, SPAN_DIGEST };

/* A match: bytes [from, to) of a text. */
struct span {
    size_t from, to;
    enum span_kind kind;
    size_t which; /* for values_mask() */
};

struct spans {
    struct span *list; /* owned */
    size_t n, cap;
    bool failed; /* out of memory */
};

struct values;

/* The values are copied.
 *
 * QUIRE_INVALID  none, too many, too short, too long, or one that the mask itself has */
quire_status values_new(const quire_bytes *list, size_t n, struct values **out,
                        quire_error *err);
void values_free(struct values *v);

/* Find the digest `old`, too, from the next values_ready() on. */
quire_status values_add_digest(struct values *v, const quire_digest *old,
                               const quire_digest *now, quire_error *err);
quire_status values_ready(struct values *v, quire_error *err);

/* Which of the digests a SPAN_DIGEST is, from 0 in the order they were added. */
size_t values_digest(const struct values *v, const struct span *s);

/* No match is longer. */
size_t values_reach(const struct values *v);

/* Every match, in order; those that overlap are one. spans_release() frees them. */
void values_find(const struct values *v, quire_bytes text, struct spans *out);
void spans_clear(struct spans *s);
void spans_release(struct spans *s);

/* Mask the match `s` of the text. */
void values_mask(const struct values *v, char *text, size_t len,
                 const struct span *s);

#endif
