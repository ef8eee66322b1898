/* ref_index_priv.h - what the halves of the ledger share */
#ifndef GC_REF_INDEX_PRIV_H
#define GC_REF_INDEX_PRIV_H

#include "base/buf.h"
#include "gc/ref_index.h"
#include "store/sql.h"

enum {
    LEDGER_SQL_SOURCES,
    LEDGER_SQL_KEYS,
    LEDGER_SQL_ALL_KEYS,
    LEDGER_SQL_ADD,
    LEDGER_SQL_CHANGE,
    LEDGER_SQL_SET_KEYS,
    LEDGER_SQL_DROP,
    LEDGER_SQL_NUMBER,
    LEDGER_SQL_SET_NUMBER,
    LEDGER_SQL_DOOM,
    LEDGER_SQL_SPARE,
    LEDGER_SQL_DOOMED,
    LEDGER_SQL_LOOSEN,
    LEDGER_SQL_LOOSE,
    LEDGER_SQL_JUDGED,
    LEDGER_SQL_BUCKET,
    LEDGER_SQL_SET_BUCKET,
    LEDGER_SQL_DROP_BUCKET,
    N_LEDGER_SQL
};

struct ledger {
    struct sql sql;
    struct buf buf; /* scratch */
    int64_t bucket; /* whose bytes are in `held`; -1: nobody's */
    struct buf held;
};

#endif
