/* priv.h - the statements of the catalogue */
#ifndef CATALOG_PRIV_H
#define CATALOG_PRIV_H

#include "catalog/catalog.h"

enum catalog_sql {
    /* tenants */
    SQL_TENANT_BY_ID,
    SQL_TENANT_BY_NAME,
    SQL_TENANT_BY_TOKEN,
    SQL_TENANT_BY_TOKEN_BEFORE,
    SQL_TENANTS,
    SQL_TENANT_ADD,
    SQL_TENANT_SET_TOKEN,
    SQL_TENANT_SET_DISABLED,
    SQL_TENANT_DROP,
    SQL_TENANT_ARTIFACTS,
    SQL_TENANT_COUNT,
    SQL_TENANT_WRONG,
    SQL_TENANT_RECOUNT,
    /* tokens */
    SQL_TOKEN_ADD,
    SQL_TOKENS,
    SQL_TOKEN_REMOVE,
    SQL_TOKEN_EXPIRE,
    /* sessions */
    SQL_SESSION_FIND,
    SQL_SESSION_NEXT_ID,
    SQL_SESSION_ADD,
    SQL_SESSION_COUNT,
    SQL_SESSION_WRONG,
    SQL_SESSION_RECOUNT,
    SQL_SESSION_DROP,
    SQL_SESSION_KEY,
    SQL_TOTALS_FIND,
    SQL_TOTALS_STORE,
    SQL_ACTIVITY_FIND,
    SQL_ACTIVITY_STORE,
    SQL_REMOVAL_ADD,
    SQL_REMOVAL_DROP,
    SQL_REMOVAL_HAS,
    SQL_FILE_GONE,
    SQL_REMOVALS,
    /* pins and holds */
    SQL_KEEP_OF,
    SQL_KEEP_SET,
    SQL_KEEPS,
    SQL_KEEPS_HELD,
    /* trash */
    SQL_TRASH_ADD,
    SQL_TRASH_FIND,
    SQL_TRASH_BY_ID,
    SQL_TRASH_LIST,
    SQL_TRASH_DUE,
    SQL_TRASH_MOVING,
    SQL_TRASH_STATE,
    SQL_TRASH_DROP,
    SQL_TRASH_ARTIFACTS,
    SQL_SESSION_RENAME,
    SQL_SESSION_FLIP,
    SQL_SESSION_LIVE,
    /* change log */
    SQL_CHANGE_LAST,
    SQL_CHANGES,
    SQL_CHANGES_TRIM,
    SQL_CHANGE_ARTIFACTS,
    SQL_CHANGE_MEMORY,
    /* settings */
    SQL_SETTING_GET,
    SQL_SETTING_SET,
    SQL_SETTING_UNSET,
    /* audit log, run log */
    SQL_AUDIT_ADD,
    SQL_AUDIT_LIST,
    SQL_RUN_START,
    SQL_RUN_END,
    SQL_RUN_LIST,
    SQL_RUN_CLEAR,
    /* idempotency keys */
    SQL_KEY_EXPIRE,
    SQL_KEY_GET,
    SQL_KEY_ADD,
    SQL_KEY_RESPONSE,
    SQL_KEY_DROP,
    /* folders */
    SQL_FOLDER_LIST,
    SQL_FOLDER_LIST_BEFORE,
    SQL_FOLDER_GET,
    SQL_FOLDER_GET_BEFORE,
    SQL_FOLDER_PLACE,
    SQL_FOLDER_ADD,
    SQL_FOLDER_RENAME,
    SQL_FOLDER_REMOVE,
    SQL_FOLDER_PUT_SESSION,
    SQL_FOLDER_TAKE_SESSION,
    SQL_FOLDER_OF_SESSION,
    SQL_FOLDER_SESSIONS,
    /* agents of sessions */
    SQL_AGENT_OF,
    SQL_AGENT_SET,
    /* import ledger */
    SQL_IMPORT_FIND,
    SQL_IMPORT_LIST,
    SQL_IMPORT_SCAN,
    SQL_IMPORT_SESSION,
    SQL_IMPORT_STATE,
    SQL_IMPORT_PUT,
    SQL_IMPORT_PUT_STATE,
    SQL_IMPORT_WRITING,
    SQL_IMPORT_COPY,
    SQL_IMPORT_MOVE_STATE,
    SQL_IMPORT_MOVE_PARTS,
    SQL_IMPORT_DROP_FILE,
    SQL_IMPORT_DROP,
    SQL_IMPORT_AGAIN,
    SQL_IMPORT_PARTS,
    SQL_IMPORT_ADD_PART,
    SQL_IMPORT_CUT_PARTS,
    SQL_IMPORT_DIGESTS,
    SQL_IMPORT_ANSWER,
    SQL_IMPORT_ADD_ANSWER,
    SQL_CONTINUATION_FIND,
    SQL_CONTINUATION_PUT,
    SQL_EXPORTED_FIND,
    SQL_EXPORTED_PUT,
    N_CATALOG_SQL
};

/* A statement, ready to be bound. */
static inline quire_status use(struct catalog *c, enum catalog_sql which,
                               struct stmt **out, quire_error *err)
{
    return sql_use(&c->sql, (int)which, out, err);
}

/* `limit` for LIMIT: 0 is all. */
static inline int64_t sql_limit(uint64_t limit)
{
    return limit && limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
}

#endif
