/* priv.h - shared by the files of the memory module */
#ifndef MEMORY_PRIV_H
#define MEMORY_PRIV_H

#include "memory/memory.h"
#include "store/sql.h"

enum { N_TYPES = QUIRE_MEMORY_CONTEXT + 1, N_KINDS = QUIRE_SUPPORTS + 1 };

/* The module's statements, in sql.c. */
enum memory_sql {
    /* entries */
    SQL_GET,
    SQL_GET_AS_OF,
    SQL_GET_ANY,
    SQL_LIST,
    SQL_LIST_AS_OF,
    SQL_EACH,
    SQL_NEXT_ID,
    SQL_ADD,
    SQL_CHANGE,
    SQL_END,
    SQL_REMOVE,
    SQL_LINK_SET,
    SQL_LINK_DROP,
    SQL_LINK_GET,
    SQL_LINKABLE,
    SQL_LINKABLE_IN,
    /* relations */
    SQL_RELATION_FIND,
    SQL_RELATION_ADD,
    SQL_RELATION_REMOVE,
    SQL_RELATIONS,
    SQL_RELATIONS_FROM,
    SQL_RELATIONS_TO,
    SQL_RELATIONS_AT,
    SQL_LOG_CHANGE,
    N_MEMORY_SQL
};

extern const char *const memory_sql[N_MEMORY_SQL];

/* The indexes of one tenant, in index.c, and statements for the rows of hits. */
enum memory_hit_sql {
    HIT_ROWS,        /* of a lot of ids (search/lot.h) */
    HIT_ROWS_FEW,    /* of a few */
    HIT_SESSION_IDS, /* of the session ?1, up to the id ?2, ascending */
    N_HIT_SQL
};

/* Columns of HIT_ROWS. */
enum {
    HIT_ID,
    HIT_TYPE,
    HIT_UPDATED,
    HIT_TAGS,
    HIT_SESSION,
    HIT_VALID_FROM,
    HIT_VALID_TO
};

struct memory_fulltext {
    int64_t tenant; /* 0: none is open */
    struct fulltext *index[N_FULLTEXT];
    struct sql rows;
};

struct memories {
    struct db *db;             /* borrowed */
    const struct clock *clock; /* borrowed */
    bool has_links;
    struct sql sql;
    struct memory_fulltext words;
};

/* ---- entry_rows.c ------------------------------------------------------- */

/* Whether `tag` is one of the tags, a JSON array; A to Z in any case. `tmp` may
 * grow. */
bool entry_has_tag(quire_bytes tags, const char *tag, struct arena *tmp);

/* ---- index.c ------------------------------------------------------------ */

/* Open the tenant's indexes. With `write`, in a transaction, they are created
 * if absent: if that fails later, call memory_fulltext_close(). QUIRE_NOT_FOUND
 * without a message. */
quire_status memory_fulltext_open(struct memories *m, int64_t tenant,
                                  bool write, quire_error *err);
void memory_fulltext_close(struct memory_fulltext *w);

/* Add an entry to, or remove it from, the open index it belongs to. `one` is
 * its row as indexed. */
quire_status memory_fulltext_add(struct memories *m, const quire_memory *one,
                                 quire_error *err);
quire_status memory_fulltext_remove(struct memories *m, const quire_memory *one,
                                    quire_error *err);

#endif
