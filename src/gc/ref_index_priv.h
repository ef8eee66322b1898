/* ref_index_priv.h - shared by ref_index.c and ref_counts.c */
#ifndef GC_REF_INDEX_PRIV_H
#define GC_REF_INDEX_PRIV_H

#include "base/buf.h"
#include "gc/ref_index.h"
#include "store/sql.h"

enum {
    REF_INDEX_SQL_SOURCES,
    REF_INDEX_SQL_KEYS,
    REF_INDEX_SQL_ALL_KEYS,
    REF_INDEX_SQL_ADD,
    REF_INDEX_SQL_CHANGE,
    REF_INDEX_SQL_SET_KEYS,
    REF_INDEX_SQL_DROP,
    REF_INDEX_SQL_NUMBER,
    REF_INDEX_SQL_SET_NUMBER,
    REF_INDEX_SQL_DOOM,
    REF_INDEX_SQL_SPARE,
    REF_INDEX_SQL_DOOMED,
    REF_INDEX_SQL_LOOSEN,
    REF_INDEX_SQL_LOOSE,
    REF_INDEX_SQL_JUDGED,
    REF_INDEX_SQL_BUCKET,
    REF_INDEX_SQL_SET_BUCKET,
    REF_INDEX_SQL_DROP_BUCKET,
    N_LEDGER_SQL
};

struct ref_index {
    struct sql sql;
    struct buf buf; /* scratch */
    int64_t bucket; /* the bucket in `held`; -1: none */
    struct buf held;
};

#endif
