/*
 * whole.h - a file that is one JSON document, cut into values as it comes
 *
 *     [{…}, {…}]                           each element
 *     {"id": "…", "messages": [{…}, {…}]}  each member; of a list each element
 *
 * Only one value is held at a time, and none above WHOLE_MAX: a longer one is
 * skipped and reported. Line breaks in it become blanks. Nothing is checked but
 * where values begin and end.
 */
#ifndef IMPORT_WHOLE_H
#define IMPORT_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

#define WHOLE_MAX ((size_t)16 << 20)

struct whole_value {
    quire_bytes text;
    quire_bytes key;  /* JSON string; .data NULL: in an array without one  */
    bool is_element;  /* of the document, or of a list in it               */
    uint64_t at;      /* where it begins in the file                       */
    uint64_t line;    /* and on which line, from 1                         */
    const char *kind; /* it is a problem, of this kind: `text` is lost     */
};

/* The value is lent until it returns; a status other than QUIRE_OK ends the call
 * that led here. */
typedef quire_status (*whole_fn)(void *ctx, const struct whole_value *value,
                                 quire_error *err);

enum whole_place {
    WHOLE_START,  /* before the document                */
    WHOLE_OBJECT, /* a key, or the end                  */
    WHOLE_COLON,
    WHOLE_MEMBER, /* the value of a key                 */
    WHOLE_LIST,   /* an element, or the end             */
    WHOLE_VALUE,  /* within a value                     */
    WHOLE_END     /* behind the document, or given up   */
};

struct whole {
    const char *const *lists; /* keys of lists, NULL-ended              */
    size_t max;               /* bytes of a value                       */
    whole_fn each;
    void *ctx;

    enum whole_place place, back; /* `back`: where a value ends         */
    bool in_object;               /* the list is a member of an object  */
    bool in_string, escaped, is_key, skipping, is_scalar;
    bool reported; /* what stands behind the document was reported      */
    unsigned depth;
    uint64_t at, line;             /* of the next byte                  */
    uint64_t value_at, value_line; /* of the value                      */
    struct buf value, key;
};

void whole_init(struct whole *w, const char *const *lists, size_t max,
                whole_fn each, void *ctx);
void whole_release(struct whole *w);

/* Fails: QUIRE_NO_MEMORY; what the callback returned */
quire_status whole_feed(struct whole *w, quire_bytes bytes, quire_error *err);

/* The file ends here: report a document that is not complete. */
quire_status whole_end(struct whole *w, quire_error *err);

#endif
