/* priv.h - what the files of the memory room share */
#ifndef MEMORY_PRIV_H
#define MEMORY_PRIV_H

#include "memory/memory.h"
#include "store/sql.h"

enum { N_TYPES = QUIRE_MEMORY_CONTEXT + 1, N_KINDS = QUIRE_SUPPORTS + 1 };

/* The room's statements, in schema.c. */
enum memory_sql {
    /* entries */
    SQL_GET,
    SQL_GET_AS_OF,
    SQL_GET_ANY,
    SQL_LIST,
    SQL_LIST_AS_OF,
    SQL_EACH,
    SQL_ADD,
    SQL_CHANGE,
    SQL_END,
    SQL_REMOVE,
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
    /* words */
    N_MEMORY_SQL
};

extern const char *const memory_sql[N_MEMORY_SQL];

/* The indexes of one tenant, and the statements over each, in index.c. */
enum { WORDS_NOW, WORDS_PAST, N_WORDS };

enum words_sql {
    WORDS_ADD,
    WORDS_DROP,
    WORDS_FLOOR,      /* the newest hit past so many; ?1 expression, ?2 n   */
    WORDS_FLOOR_THEN, /* of those valid at ?3                               */
    WORDS_FIND,       /* hits above ?2                                      */
    WORDS_FIND_FUSED, /* and those of the session ?4; ?5 at most            */
    N_WORDS_SQL
};

/* Columns of a hit. */
enum { HIT_ID, HIT_SCORE, HIT_TYPE, HIT_UPDATED, HIT_TAGS, HIT_SESSION };

/* What the score of a hit was multiplied by, to be a whole number. */
#define HIT_SCALE 1e12

struct memory_words {
    int64_t tenant; /* 0: none is open */
    struct sql sql[N_WORDS];
};

struct memories {
    struct db *db;             /* borrowed */
    const struct clock *clock; /* borrowed */
    struct sql sql;
    struct memory_words words;
};

/* ---- entry.c ------------------------------------------------------------ */

/* The entry, valid or not. Without words QUIRE_NOT_FOUND. */
quire_status entry_any(struct memories *m, int64_t tenant, int64_t id,
                       struct arena *keep, quire_memory *out, quire_error *err);

/* Whether a whole tag is among the tags, a JSON array; A to Z in any case.
 * `tmp` may grow. */
bool entry_has_tag(quire_bytes tags, const char *tag, struct arena *tmp);

/* Every entry of the tenant, valid or not. */
quire_status entry_each(struct memories *m, int64_t tenant,
                        quire_memory_fn each, void *ctx, quire_error *err);

/* ---- index.c ------------------------------------------------------------ */

/* Open the tenant's indexes. With `write`, in a transaction, they are made if
 * there are none: if that fails later, words_close() them. Without words
 * QUIRE_NOT_FOUND. */
quire_status words_open(struct memories *m, int64_t tenant, bool write,
                        quire_error *err);
void words_close(struct memory_words *w);

/* Put an entry in, take it out, of the index that it belongs in, which is open.
 * `one` is its row as the index has it. */
quire_status words_put(struct memories *m, const quire_memory *one,
                       quire_error *err);
quire_status words_take(struct memories *m, const quire_memory *one,
                        quire_error *err);

#endif
