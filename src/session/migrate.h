/*
 * migrate.h - read files of version 1 and 2 as version 3
 *
 * One value after the other, in the order of the file, header first. This code
 * does not know where values come from or go to, so a reader that changes
 * nothing and a rewrite see the same entries: the ids that version 1 lacks are
 * derived from the session's id and the line, not drawn at random.
 *
 *     1 -> 2   every entry gets an id, and the entry before it as parent;
 *              `firstKeptEntryIndex` becomes `firstKeptEntryId`
 *     2 -> 3   messages of the role "hookMessage" get the role "custom"
 */
#ifndef SESSION_MIGRATE_H
#define SESSION_MIGRATE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "quire.h"

enum { MIGRATE_VERSION = 3, MIGRATE_ID_LEN = 8 };

struct migrate {
    int64_t version;        /* of the file; 3 and above: nothing changes     */
    quire_bytes session_id; /* in the arena                                  */
    struct arena *arena;    /* borrowed                                      */

    /* Private. For version 1 only, but for n_values. */
    uint64_t n_values; /* seen so far, header included                       */
    const char **ids;  /* of each value; NULL: has none. In the arena        */
    size_t cap;
    const char *last; /* id of the newest entry; NULL: none yet             */
    struct map given; /* ids assigned so far */
};

/* The version that a header names, in any spelling of the number; 1 without one,
 * the current one if it is not a number. */
int migrate_version_of(quire_bytes header);

/* `version` is the header's, 1 if it has none. Uses some 40 bytes an entry of
 * the arena, which must outlive the struct.
 *
 * QUIRE_NO_MEMORY  out of memory */
quire_status migrate_init(struct migrate *m, int64_t version,
                          quire_bytes session_id, struct arena *arena,
                          quire_error *err);
void migrate_release(struct migrate *m);

/* Add the next value of the file, migrated, to `out`, without a newline. The
 * first call is for the header. `line` is the physical line the value begins
 * in, from 1.
 *
 * A value other than an object counts for `firstKeptEntryIndex`, and adds
 * nothing. So does a header in the middle of a file, but it is copied
 * unchanged: only entries have ids.
 *
 * QUIRE_INVALID    not JSON, or a header that is not an object. The value has
 *                  not been counted
 * QUIRE_NO_MEMORY  the struct is good for migrate_release() only */
quire_status migrate_value(struct migrate *m, quire_bytes value, uint64_t line,
                           struct buf *out, quire_error *err);

#endif
