/*
 * archive.h - reads archives
 *
 * ZIP and tar, gzip over either, or a single gzip file. libarchive does the
 * work; it is loaded on first use, since it brings a dozen libraries along and
 * few commands need it. An archive and its own metadata are untrusted:
 * everything read from it is bounded here.
 */
#ifndef ARTIFACT_ARCHIVE_H
#define ARTIFACT_ARCHIVE_H

#include "base/arena.h"
#include "quire.h"

struct archive_limits {
    uint64_t n;      /* members                      */
    uint64_t member; /* unpacked bytes of one member */
    uint64_t total;  /* unpacked bytes of all */
};

struct archive_member {
    const char *name; /* as in the archive; untrusted */
    quire_bytes content;
};

/* All plain files of the archive `bytes`, in order, in `keep`. `name` is the
 * file name of the archive: a single gzip file is named after it, without the
 * suffix.
 *
 * QUIRE_INVALID    not an archive, or damaged, or a member is neither a file nor
 *                  a directory: the message names it
 * QUIRE_TOO_LARGE  beyond a limit
 * QUIRE_NOT_FOUND  libarchive is not installed */
quire_status archive_read(quire_bytes bytes, const char *name,
                          const struct archive_limits *limits,
                          struct arena *keep, struct archive_member **list,
                          size_t *n, quire_error *err);

#endif
