/*
 * memory.h - interface of the memory module: entries and relations
 *
 * An entry is a row: a fact of one of six types. A relation is a row that leads
 * from one entry to another. The prompt history has its own interface, history.h.
 *
 *         valid_from                 valid_to
 *              |                         |
 *     ---------[=========================)----------->  time
 *              true from here            true until just before
 *
 * Invariants, after every transaction:
 *
 *   (1) An entry is valid while valid_to is 0, independent of the clock: one
 *       that is to end tomorrow is hidden today. Only queries for a time in
 *       the past use the window, half-open as drawn.
 *   (2) An entry, the artifact it links, the session it is pinned to, and both
 *       ends of a relation, belong to one tenant. Nothing of another tenant
 *       can be named, counted or inferred from the order of results.
 *   (3) A link leads to an artifact that exists. Purging the artifact clears
 *       the link, by a foreign key; a soft-deleted one is hidden until it is
 *       restored. Deleting a session keeps its entries, unpinned.
 *   (4) A pair of entries has each kind of relation once in each direction, and
 *       no entry has one with itself. Relations survive invalidation and are
 *       deleted with either end.
 *   (5) A change of an entry's words, or of its validity, is in the change log
 *       (catalog/change_log.h), which the search index reads.
 *
 * The module borrows its database. Changes happen between memory_begin() and
 * memory_end(): then all of them are durable, or none happened. Times are
 * microseconds since 1970. Text has a length: a U+0000 is an ordinary
 * character. Results are in the caller's arena, or, in a callback, valid until
 * it returns.
 *
 * The API layer checks the length of titles and UTF-8 (api/memory.c).
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "quire.h"
#include "search/query.h"
#include "store/db.h"

struct memories;

/* The tables, for the schema of quire.db. They refer to tables of the artifact
 * module, which an earlier step creates. */

/* `has_links`: the database has the table of links. */
quire_status memories_new(struct db *db, const struct clock *clock,
                          bool has_links, struct memories **out,
                          quire_error *err);
void memories_free(struct memories *m);

/* Begin a write transaction, and end it: committed, and durable, if `st` is
 * QUIRE_OK, else rolled back. Returns `st`, or why it could not be committed.
 */
quire_status memory_begin(struct memories *m, int64_t tenant, quire_error *err);
quire_status memory_end(struct memories *m, quire_status st, quire_error *err);

/* Names of types and kinds of relation, and back: NULL and -1 for unknown ones.
 */
const char *memory_type_name(int type);
int memory_type_of(quire_bytes name);
const char *relation_kind_name(int kind);
int relation_kind_of(quire_bytes name);

/* The number of entries and scratchpads of a tenant, valid or not. */
quire_status memory_count(struct db *db, int64_t tenant, uint64_t *n,
                          quire_error *err);

/* ---- entry.c ------------------------------------------------------------ */

/* The acting tenant, and the row of its session, 0 for none. */
struct memory_owner {
    int64_t tenant, session;
    const char *key; /* of the session; NULL: none */
};

/* Whether the owner may link an artifact: QUIRE_NOT_FOUND with a message. */
quire_status memory_may_link(struct memories *m,
                             const struct memory_owner *owner, int64_t artifact,
                             quire_error *err);

/* Ask for the id of the next entry (store/db.h). In a write transaction. */
quire_status memory_id_ask(struct memories *m, struct stmt **next_id,
                           quire_error *err);

/* Add an entry and end the entries it supersedes. In a write transaction.
 * QUIRE_NOT_FOUND with a message: what it links or supersedes does not exist;
 * then, as with QUIRE_INVALID, nothing was changed. */
quire_status memory_add(struct memories *m, const struct memory_owner *owner,
                        struct stmt *next_id, const quire_memory_options *o,
                        struct arena *keep, quire_memory *out,
                        quire_error *err);

/* Change a valid one. In a write transaction. QUIRE_NOT_FOUND without a message
 * if it does not exist, with one if its link does not. */
quire_status memory_edit(struct memories *m, const struct memory_owner *owner,
                         int64_t id, const quire_memory_options *o,
                         struct arena *keep, quire_memory *out,
                         quire_error *err);

/* Both in a write transaction; QUIRE_NOT_FOUND without a message. */
quire_status memory_invalidate(struct memories *m, int64_t tenant, int64_t id,
                               int64_t when_us, quire_error *err);
quire_status memory_remove(struct memories *m, int64_t tenant, int64_t id,
                           quire_error *err);

/* ---- entry_rows.c ------------------------------------------------------- */

/* A valid one, or one that was valid at `as_of_us` if that is not 0.
 * QUIRE_NOT_FOUND without a message. */
quire_status memory_get(struct memories *m, int64_t tenant, int64_t id,
                        int64_t as_of_us, struct arena *keep, quire_memory *out,
                        quire_error *err);

/* The entry, valid or not. QUIRE_NOT_FOUND without a message. */
quire_status memory_any(struct memories *m, int64_t tenant, int64_t id,
                        struct arena *keep, quire_memory *out,
                        quire_error *err);

/* Every entry of the tenant, valid or not. */
quire_status memory_each(struct memories *m, int64_t tenant,
                         quire_memory_fn each, void *ctx, quire_error *err);

/* The newest first, before (before_us, before_id) if before_us is not 0. */
struct memory_range {
    int64_t tenant;
    unsigned types;  /* 0: all                                             */
    const char *tag; /* NULL: all                                          */
    bool in_session; /* pinned to `session`, or unpinned; else all */
    int64_t session; /* 0: unpinned alone */
    int64_t since_us, as_of_us;
    int64_t before_us, before_id;
    uint64_t limit; /* 0: all */
};

quire_status memory_list(struct memories *m, const struct memory_range *r,
                         quire_memory_fn each, void *ctx, quire_error *err);

/* ---- relation.c --------------------------------------------------------- */

/* In a write transaction. Without a message QUIRE_NOT_FOUND, an end does not
 * exist or is invalid; QUIRE_EXISTS, and *out is the existing one. */
quire_status relation_add(struct memories *m, int64_t tenant,
                          const quire_relation *want, quire_relation *out,
                          quire_error *err);
quire_status relation_remove(struct memories *m, int64_t tenant, int64_t id,
                             quire_error *err);

struct relation_range {
    int64_t tenant;
    int64_t source, target, either; /* 0: any  */
    int kind;                       /* -1: any */
    int64_t before_id;              /* 0: from the start */
    uint64_t limit;                 /* 0: all  */
};

/* The newest id first. */
quire_status relation_list(struct memories *m, const struct relation_range *r,
                           quire_relation_fn each, void *ctx, quire_error *err);

/* ---- graph.c ------------------------------------------------------------ */

/* See quire_memory_graph(). QUIRE_NOT_FOUND without a message. */
quire_status memory_graph(struct memories *m, int64_t tenant,
                          const quire_graph_options *o,
                          quire_memory_fn each_entry,
                          quire_relation_fn each_relation, void *ctx,
                          quire_error *err);

/* ---- search.c ----------------------------------------------------------- */

struct memory_query {
    int64_t tenant;
    quire_bytes text;
    unsigned types;  /* these rank higher; 0: cue words decide */
    const char *tag; /* entries with it rank higher; NULL: none */
    bool fused;      /* a session asks; `session` is its row */
    int64_t session; /* 0: it has none yet                                */
    bool intent;     /* cue words decide */
    bool decay;      /* age lowers the rank */
    int64_t half_life_days; /* up to a million                             */
    int64_t as_of_us; /* 0: now                                            */
    uint64_t limit;
};

/* What the index of the tenant finds: entries that match a query by their words, the
 * best first, at most `max`, in `keep`. `past`: also those that are not valid; `pinned`: only those
 * of the session that asks. */
struct memory_word_hit {
    int64_t id;
    double score;
};

struct memory_finder {
    quire_status (*find)(void *ctx, const struct query *query, bool past,
                         bool pinned, size_t max, struct arena *keep,
                         struct memory_word_hit **hits, size_t *n,
                         quire_error *err);
    void *ctx;
};

/* The results, the best first. *partial: there were so many that only the
 * best by words were ranked. QUIRE_NOT_FOUND without a message; QUIRE_INVALID: the
 * query has no word. */
quire_status memory_search(struct memories *m, const struct memory_query *q,
                           const struct memory_finder *finder,
                           quire_memory_fn each, void *ctx, bool *partial,
                           quire_error *err);

/* The types that the cue words of a query suggest, 1 << type, or'ed. */
unsigned memory_intent(quire_bytes text);

/* The full-text query for a question. *out is NULL if it has no word.
 * QUIRE_NO_MEMORY. */
quire_status memory_words_query(quire_bytes text, struct arena *keep,
                                struct query **out, quire_error *err);

/* The query for entries that have none of the words of a question, but words
 * that begin with one, or with its stem. *out is NULL if none of them can be a
 * beginning: short words, stop words, numbers, names with signs, and what is in
 * quotes. QUIRE_NO_MEMORY. */
quire_status memory_stem_query(quire_bytes text, struct arena *keep,
                               struct query **out, quire_error *err);

/* Whether a question has a word. */
bool memory_query_has_words(quire_bytes text);

#endif
