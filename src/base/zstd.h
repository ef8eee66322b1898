/*
 * zstd.h - files compressed with zstd
 *
 * Decompression is libarchive's, which is loaded on first use.
 */
#ifndef BASE_ZSTD_H
#define BASE_ZSTD_H

#include <stdint.h>

#include "quire.h"

/* Write what the file open at `from`, named `path` in messages, says when it is
 * decompressed to `to`. Several frames are one text.
 *
 * QUIRE_IO         it cannot be read or written, or libarchive is missing or has
 *                  no zstd
 * QUIRE_DAMAGED    it is not zstd, or cut off
 * QUIRE_TOO_LARGE  it is more than `max` bytes */
quire_status zstd_expand(int from, const char *path, int to, uint64_t max,
                         quire_error *err);

#endif
