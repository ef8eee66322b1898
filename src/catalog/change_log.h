/*
 * change_log.h - which rows have changed since the search index was updated
 *
 * A transaction that changes the text of an artifact or of a memory entry adds a row;
 * the search index (api/search_rows.c) reads those behind the number it has, and is
 * itself not written by the transaction.
 *
 *   (1) The numbers of a tenant are consecutive. So a reader that finds the number it
 *       knows, with the time it knows, has missed nothing; else it compares all rows. (The
 *       time differs if quire.db was replaced by a copy, or lost its last commits.)
 *   (2) The last row of a tenant stays: no number is used twice.
 *   (3) A row of an artifact that a session's removal deletes has one, too.
 *
 * Entries of the prompt history are in a file of their own, and not here.
 */
#ifndef CATALOG_CHANGE_LOG_H
#define CATALOG_CHANGE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"
#include "store/sql.h"

enum change_kind { CHANGE_ARTIFACT = 1, CHANGE_MEMORY = 2 };

#define CHANGE_LOG_NEXT \
    "(SELECT coalesce(max(seq), 0) + 1 FROM change_log WHERE tenant = ?1)"

/* For the statements of a module: run by change_log_add(). */
#define CHANGE_LOG_ADD                                    \
    "INSERT INTO change_log(tenant, seq, kind, item, at)" \
    " VALUES(?1, " CHANGE_LOG_NEXT ", ?2, ?3, ?4)"

/* Within a write transaction; `which` is CHANGE_LOG_ADD of the module. */
static inline quire_status change_log_add(struct sql *sql, int which,
                                          int64_t tenant, enum change_kind kind,
                                          int64_t item, int64_t now_us,
                                          quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, kind);
    stmt_bind_int(s, 3, item);
    stmt_bind_int(s, 4, now_us);
    return stmt_post(s, err);
}

struct catalog;

/* A change that a reader knows. */
struct change_mark {
    int64_t seq; /* 0: none */
    int64_t at_us;
};

/* A tenant's last change. */
quire_status change_log_last(struct catalog *c, int64_t tenant,
                             struct change_mark *last, quire_error *err);

/* Each change of a tenant behind the one that is known, ascending; *last is the last one.
 * *whole false: some are not in the log any more, or `known` is of another catalogue.
 * Nothing was reported then, and *last is not set. */
typedef quire_status (*change_fn)(void *ctx, enum change_kind kind,
                                  int64_t item, quire_error *err);
quire_status change_log_read(struct catalog *c, int64_t tenant,
                             struct change_mark known, change_fn each,
                             void *ctx, struct change_mark *last, bool *whole,
                             quire_error *err);

/* So many changes of a tenant are kept: a reader that is further behind compares all
 * rows. They are trimmed when there are twice as many. */
enum { CHANGE_LOG_KEPT = 20000 };

/* A transaction of its own. QUIRE_BUSY: another writer is active. */
quire_status change_log_trim(struct catalog *c, int64_t tenant,
                             quire_error *err);

#endif
