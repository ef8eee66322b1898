/*
 * clean.h - an entry as a target may see it
 *
 * References to blobs become their content: images as base64, signatures and the
 * rest of long texts as text, records as JSON. Then, if asked for, secrets are
 * replaced, wherever they stand in the entry.
 */
#ifndef EXPORT_CLEAN_H
#define EXPORT_CLEAN_H

#include "base/arena.h"
#include "base/buf.h"
#include "export/redact.h"
#include "quire.h"

struct cleaner {
    quire *q;
    struct redactor *redact; /* NULL: do not */
    uint64_t missing;        /* blobs that are not in the store */
    uint64_t opaque;         /* signatures that were removed with secrets */
};

/* *out is in `tmp`, or `json` itself if nothing had to be replaced.
 *
 * QUIRE_DAMAGED  it is not JSON */
quire_status clean_entry(struct cleaner *c, quire_bytes json, struct arena *tmp,
                         quire_bytes *out, quire_error *err);

/* A text as it may be seen, in `keep`. */
const char *clean_text(struct cleaner *c, const char *text, struct arena *keep);

#endif
