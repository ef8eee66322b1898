/* priv.h - an open store, inside */
#ifndef QUIRE_PRIV_H
#define QUIRE_PRIV_H

#include <stdbool.h>

#include "base/clock.h"
#include "blob/blob.h"
#include "quire.h"
#include "store/db.h"
#include "store/object.h"
#include "store/tap.h"

struct quire {
    char *home;      /* owned; the blobs directory when there is no home  */
    char *blob_path; /* owned                                             */
    char *db_path;   /* owned; NULL where nothing is kept in a database   */
    quire_kind kind;
    quire_layout layout;
    bool read_only;
    int busy_ms;
    struct clock clock;
    struct trace trace;
    bool in_callback; /* a call is out in a callback of the caller's      */

    /* Opened when first needed, in this order. */
    struct db *db;
    struct object_store *files;
    struct blobs *blobs;
};

/* home.c: where things are. Fills home, paths, kind and layout. */
quire_status home_find(struct quire *q, const quire_options *o,
                       quire_error *err);

/* schema.c: the tables of quire.db, made or brought up to date.
 * QUIRE_NOT_FOUND: a database that is read and has no tables yet. */
quire_status schema_prepare(struct db *db, bool read_only, quire_error *err);

#endif
