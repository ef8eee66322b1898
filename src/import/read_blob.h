/*
 * read_blob.h - content in the store of another agent
 *
 * A directory with a file for each content, named by its SHA-256.
 */
#ifndef IMPORT_READ_BLOB_H
#define IMPORT_READ_BLOB_H

#include "base/buf.h"
#include "quire.h"

/* Read dir/<digest> to `out`, at most READ_BLOB_MAX bytes; `digest` is 64 hex
 * digits. NULL: it is read; else why not. Its hash is not compared. */
#define READ_BLOB_MAX ((uint64_t)512 << 20)
const char *read_blob(const char *dir, quire_bytes digest, struct buf *out);

#endif
