/*
 * mask.h - find values in a stream or in lines of JSON, and mask them
 */
#ifndef PURGE_MASK_H
#define PURGE_MASK_H

#include "base/arena.h"
#include "base/buf.h"
#include "purge/value.h"

/* What was found. */
struct mask_counts {
    uint64_t values;  /* as they are, in JSON, in base64 */
    uint64_t digests; /* of blobs that get new content   */
    bool *seen;       /* borrowed; which digests; NULL: not asked for */
};

static inline bool mask_any(const struct mask_counts *n)
{
    return n->values || n->digests;
}

/* ---- a stream ------------------------------------------------------------- */

struct masker {
    const struct values *values; /* borrowed */
    quire_write_fn write;        /* of the masked bytes; NULL: only count */
    void *ctx;
    struct mask_counts found;
    struct buf
        window;  /* bytes that are not written yet, behind some that are */
    size_t done; /* of the window                                        */
    struct spans spans;
};

void masker_init(struct masker *m, const struct values *values,
                 quire_write_fn write, void *ctx);
void masker_release(struct masker *m);

/* A quire_write_fn over a struct masker. Then masker_end(). */
quire_status masker_add(void *m, quire_bytes bytes, quire_error *err);
quire_status masker_end(struct masker *m, quire_error *err);

/* ---- lines of JSON ---------------------------------------------------------- */

/* A line that has matches, as it was; without its line break. */
typedef quire_status (*mask_line_fn)(void *ctx, quire_bytes line,
                                     const struct mask_counts *found,
                                     quire_error *err);

/* Find values in whole lines, and with `change` mask them. A line that is JSON stays JSON,
 * with the same structure: of a match that is more than a part of one string, strings
 * are masked and numbers become 0. `each` may be NULL. */
quire_status mask_lines(const struct values *values, char *text, size_t len,
                        bool change, struct spans *scratch,
                        struct mask_counts *found, mask_line_fn each, void *ctx,
                        quire_error *err);

#endif
