/*
 * parse.h - the head of a request, read strictly
 *
 * What two readers could understand differently is refused: a bare newline, a
 * folded line, a blank before a colon, two lengths, a length and a transfer
 * coding, a coding that is not "chunked". A server that guesses here lends
 * itself to smuggling.
 *
 * Nothing is copied: a head is slices of the bytes it was read from.
 */
#ifndef HTTP_PARSE_H
#define HTTP_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

enum { HEAD_FIELDS_MAX = 100, HEAD_BYTES_MAX = 64 * 1024, TARGET_MAX = 8192 };

struct head_field {
    quire_bytes name, value;
};

struct head {
    quire_bytes method;
    quire_bytes path, query; /* as they were sent, still encoded; the query
                                without its "?", .data NULL: none            */
    quire_bytes host;
    int minor;       /* of HTTP/1                                        */
    bool keep;       /* the connection may be used again                 */
    bool chunked;    /* the body comes in chunks                         */
    bool expects;    /* Expect: 100-continue                             */
    uint64_t length; /* of the body, if it is not chunked                */
    struct head_field fields[HEAD_FIELDS_MAX];
    size_t n_fields;
};

enum head_state {
    HEAD_MORE, /* it is not complete                                  */
    HEAD_DONE,
    HEAD_BAD, /* *status and *why say what; nothing else is to be read */
};

/* Read the head that `bytes` begin with; *used is its length. */
enum head_state http_parse_head(quire_bytes bytes, struct head *out,
                                size_t *used, int *status, const char **why);

/* A header by its name, whatever its case; .data NULL: there is none. */
quire_bytes http_head_get(const struct head *h, const char *name);

/* ---- chunks -------------------------------------------------------------- */

/* A body that comes in chunks, decoded piece by piece. */
struct chunks {
    int state;
    uint64_t left; /* of the chunk at hand */
    size_t line;   /* bytes of the line at hand, which has a limit */
    uint64_t size;
    int digits;
};

/* The next bytes: *used of them are done with; content is *piece, a slice of
 * them, which may be empty. Call it again with the rest. HEAD_DONE: that was all. */
enum head_state http_parse_chunk(struct chunks *c, quire_bytes bytes,
                                 size_t *used, quire_bytes *piece);

/* ---- percent-encoding ----------------------------------------------------- */

/* Append `text` to *out with "%20" decoded, and "+" as a blank if `plus`. NULL, or
 * why it is not text. */
const char *http_percent_decode(quire_bytes text, bool plus, struct buf *out);

#endif
