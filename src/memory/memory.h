/*
 * memory.h - the door of the memory room: facts, and how they hang together
 *
 * An entry is a row: what somebody wants to know again, of one of six types. A
 * relation is a row that leads from one entry to another. Beside them lie the
 * words of all entries, in indexes that can be made again from the rows. The
 * prompt history, the other thing that is remembered, has a door of its own,
 * history.h.
 *
 *         valid_from                 valid_to
 *              |                         |
 *     ---------[=========================)----------->  time
 *              true from here            true until just before
 *
 * Always true, after every transaction:
 *
 *   (1) An entry is valid while valid_to is 0. That is no question of the
 *       clock: one that is to end tomorrow is quote_text no more today. Only who
 *       asks for a moment of the past is answered by the window, half-open as
 *       drawn.
 *   (2) An entry, the artifact it links, the session it is pinned to, and both
 *       ends of a relation, are of one tenant. Nothing of another tenant's can
 *       be named, counted or guessed by the order of what is found.
 *   (3) A link leads to an artifact that exists. One that is purged takes the
 *       link along, by a foreign key; one that was put away is not quote_text while
 *       it is away. A session that goes leaves its entries, pinned to none.
 *   (4) A pair of entries has each kind of relation once in each direction, and
 *       no entry has one with itself. Relations outlive invalidation and die
 *       with either end.
 *   (5) The words of a valid entry are in the tenant's index of the present,
 *       those of an invalid one in that of the past, and never in both.
 *
 * The room borrows its database. Whoever changes something does so between
 * memory_begin() and memory_end(): then all of it lasts, or nothing was. Times
 * are microseconds since 1970. Text goes in and comes out with its length: a
 * U+0000 is a character like others. What comes out lies in the arena that was
 * given, or, in a callback, until that returns.
 *
 * How long a title may be and what UTF-8 is, is looked at further up, where a
 * caller is told (quire/memories.c).
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "quire.h"
#include "store/db.h"

struct memories;

/* The tables, for the schema of quire.db. They name tables of the artifact
 * room, which come with an earlier step. */

quire_status memories_new(struct db *db, const struct clock *clock,
                          struct memories **out, quire_error *err);
void memories_free(struct memories *m);

/* A transaction that writes, and its end: kept, and lasting, if `st` is
 * QUIRE_OK, else undone. Gives `st`, or why it could not be kept. */
quire_status memory_begin(struct memories *m, quire_error *err);
quire_status memory_end(struct memories *m, quire_status st, quire_error *err);

/* Words for types and kinds of relation, and back: NULL and -1 for none. */
const char *memory_type_name(int type);
int memory_type_of(quire_bytes name);
const char *relation_kind_name(int kind);
int relation_kind_of(quire_bytes name);

/* Take the indexes of a tenant away, in a transaction: its rows go with its
 * own, these do not. `m` is the room over `db`; NULL: none is open. */
quire_status memory_fulltext_drop(struct db *db, struct memories *m,
                                  int64_t tenant, quire_error *err);

/* How many entries and scratchpads a tenant has, valid or not. */
quire_status memory_count(struct db *db, int64_t tenant, uint64_t *n,
                          quire_error *err);

/* Make the indexes of a tenant again, from its rows. */
quire_status memory_reindex(struct memories *m, int64_t tenant,
                            quire_error *err);

/* Whether they are what that would make them: others are made in memory.
 * `aside` is a connection to the same database that nobody else uses. */
quire_status memory_fulltext_equal(struct memories *m, int64_t tenant,
                                   struct db *aside, bool *sound,
                                   quire_error *err);

/* ---- entry.c ------------------------------------------------------------ */

/* Who is at work: a tenant, and the row of a session, 0 for none. */
struct memory_owner {
    int64_t tenant, session;
};

/* Whether the owner may link an artifact: QUIRE_NOT_FOUND with words. */
quire_status memory_may_link(struct memories *m,
                             const struct memory_owner *owner, int64_t artifact,
                             quire_error *err);

/* Add an entry with the entries it supersedes. In a transaction that writes.
 * QUIRE_NOT_FOUND with words: what it links or supersedes is not there; then, as
 * with QUIRE_INVALID, nothing was changed. */
quire_status memory_add(struct memories *m, const struct memory_owner *owner,
                        const quire_memory_options *o, struct arena *keep,
                        quire_memory *out, quire_error *err);

/* Change a valid one. In a transaction that writes. Without words
 * QUIRE_NOT_FOUND if there is none, with words if its link is not there. */
quire_status memory_edit(struct memories *m, const struct memory_owner *owner,
                         int64_t id, const quire_memory_options *o,
                         struct arena *keep, quire_memory *out,
                         quire_error *err);

/* A valid one, or one that was valid at `as_of_us` if that is not 0. Without
 * words QUIRE_NOT_FOUND. */
quire_status memory_get(struct memories *m, int64_t tenant, int64_t id,
                        int64_t as_of_us, struct arena *keep, quire_memory *out,
                        quire_error *err);

/* The newest first, before (before_us, before_id) if before_us is not 0. */
struct memory_range {
    int64_t tenant;
    unsigned types;  /* 0: all                                             */
    const char *tag; /* NULL: all                                          */
    bool in_session; /* pinned to `session`, or to none; else all          */
    int64_t session; /* 0: to none alone                                   */
    int64_t since_us, as_of_us;
    int64_t before_us, before_id;
    uint64_t limit; /* 0: all */
};

quire_status memory_list(struct memories *m, const struct memory_range *r,
                         quire_memory_fn each, void *ctx, quire_error *err);

/* Both in a transaction that writes; without words QUIRE_NOT_FOUND. */
quire_status memory_invalidate(struct memories *m, int64_t tenant, int64_t id,
                               int64_t when_us, quire_error *err);
quire_status memory_remove(struct memories *m, int64_t tenant, int64_t id,
                           quire_error *err);

/* ---- relation.c --------------------------------------------------------- */

/* In a transaction that writes. Without words QUIRE_NOT_FOUND, an end is not
 * there or not valid; QUIRE_EXISTS, and *out is the one there is. */
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

/* As quire_memory_graph() says. Without words QUIRE_NOT_FOUND. */
quire_status memory_graph(struct memories *m, int64_t tenant,
                          const quire_graph_options *o,
                          quire_memory_fn each_entry,
                          quire_relation_fn each_relation, void *ctx,
                          quire_error *err);

/* ---- recall.c ----------------------------------------------------------- */

struct memory_query {
    int64_t tenant;
    quire_bytes text;
    unsigned types;  /* these rank higher; 0: cue words choose            */
    const char *tag; /* so do those with it; NULL: none                   */
    bool fused;      /* a session asks, and `session` is its row          */
    int64_t session; /* 0: it has none yet                                */
    bool intent;     /* cue words choose                                  */
    bool decay;      /* age counts                                        */
    int64_t half_life_days; /* up to a million                             */
    int64_t as_of_us; /* 0: now                                            */
    uint64_t limit;
};

/* What is found, the best first. *partial: there were so many that the newest
 * alone were ranked. Without words QUIRE_NOT_FOUND; QUIRE_INVALID: there is
 * nothing to look for. */
quire_status memory_search(struct memories *m, const struct memory_query *q,
                           quire_memory_fn each, void *ctx, bool *partial,
                           quire_error *err);

/* The types that words of a question speak of, 1 << type, or'ed. */
unsigned memory_intent(quire_bytes text);

/* Add the expression of FTS5 that a question means; without the phrases, just
 * any of its words, if `plain`: that finds the same entries. False, and nothing
 * is added, if there is no word in it. */
bool memory_expression(quire_bytes text, bool plain, struct buf *out);

#endif
