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
    SQL_LOT,
    SQL_LOT_FEW,
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

/* Columns of an entry, which entry_read() reads. */
enum {
    ENTRY_ID,
    ENTRY_TYPE,
    ENTRY_TITLE,
    ENTRY_CONTENT,
    ENTRY_SOURCE,
    ENTRY_TAGS,
    ENTRY_ARTIFACT,
    ENTRY_SESSION,
    ENTRY_KEY,
    ENTRY_CREATED,
    ENTRY_UPDATED,
    ENTRY_VALID_FROM,
    ENTRY_VALID_TO
};

struct memories {
    struct db *db;             /* borrowed */
    const struct clock *clock; /* borrowed */
    bool has_links;
    struct sql sql;
};

/* ---- entry_rows.c ------------------------------------------------------- */

/* Copy the row that a statement is at. */
quire_status entry_read(struct stmt *s, struct arena *keep, quire_memory *out,
                        quire_error *err);

/* Whether `tag` is one of the tags, a JSON array; A to Z in any case. `tmp` may
 * grow. */
bool entry_has_tag(quire_bytes tags, const char *tag, struct arena *tmp);

#endif
