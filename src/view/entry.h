/*
 * entry.h - an entry with its long strings cut and its images left out
 *
 * What a transcript shows at first. A string is cut after so many UTF-16 units, the
 * unit of JavaScript. The member `data` of an image becomes `image`, its number, and
 * `bytes`, `width`, `height`; 0 is unknown.
 */
#ifndef VIEW_ENTRY_H
#define VIEW_ENTRY_H

#include "base/json.h"
#include "quire.h"

/* Write two members: "entry", and "cuts", [{"pointer","length","lines"}] of the whole
 * strings. `q` is for images that are blobs. */
quire_status view_entry(quire *q, quire_bytes json, size_t max_units,
                        struct json_writer *w, quire_error *err);

struct view_image {
    quire_bytes data; /* base64, or a reference to a blob                     */
    uint64_t bytes;
    const char *mime; /* NULL: not a picture that browsers show safely        */
    uint32_t width, height;
};

/* Describe image `number` of an entry. QUIRE_NOT_FOUND without a message. */
quire_status view_image_at(quire *q, quire_bytes json, size_t number,
                           struct view_image *out, quire_error *err);

/* Add the bytes of an image. */
quire_status view_image_read(quire *q, const struct view_image *image,
                             struct buf *out, quire_error *err);

#endif
