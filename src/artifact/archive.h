/*
 * archive.h - what is in an archive
 *
 * ZIP and tar, and what gzip made of it or of a single file. The work is done
 * by libarchive, which is loaded when it is first asked for: it brings a dozen
 * libraries along, and hardly any command needs it. All that is done with its
 * answers is bounded here: an archive is anybody's, and so is what it says of
 * itself.
 */
#ifndef ARTIFACT_ARCHIVE_H
#define ARTIFACT_ARCHIVE_H

#include "base/arena.h"
#include "quire.h"

struct archive_limits {
    uint64_t n;      /* members                      */
    uint64_t member; /* bytes of one, unpacked       */
    uint64_t total;  /* of all                       */
};

struct archive_member {
    const char *name; /* as it stands there, however hostile */
    quire_bytes content;
};

/* All plain files of the archive `bytes`, in their order, in `keep`. `name` is
 * the archive's own: a single file that gzip packed is called by it, without
 * the ending.
 *
 * QUIRE_INVALID    it is no archive, or is damaged, or something in it is neither
 *                  a file nor a directory: which, in words
 * QUIRE_TOO_LARGE  beyond a limit
 * QUIRE_NOT_FOUND  libarchive is not installed */
quire_status archive_read(quire_bytes bytes, const char *name,
                          const struct archive_limits *limits,
                          struct arena *keep, struct archive_member **list,
                          size_t *n, quire_error *err);

#endif
