/* log.c - the write-ahead log of quire.db */
#include "base/timestamp.h"
#include "check/check.h"
#include "store/db.h"

quire_status check_log(struct checks *c, quire_error *err)
{
    static const struct mending mending = {MEND_LOG, 0, {{0}}};
    quire_problem p = {.kind = "log_lost", .where = "quire.db-wal"};
    char when[TIMESTAMP_SIZE];
    int64_t at_s;

    if (!c->q->db_path || !db_sqlite_log_lost(c->q->db_path, &at_s))
        return QUIRE_OK;
    timestamp_format(at_s * 1000000, when);
    problem_what(
        &p, "the log of quire.db was lost: changes up to %s may be missing",
        when);
    problem_next(&p, "restore a copy of the home that has quire.db-wal, or "
                     "accept the loss with `quire repair`");
    return checks_found(c, &p, &mending, err);
}
