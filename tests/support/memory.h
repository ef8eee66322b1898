/*
 * memory.h - entries of memory in the test's home
 *
 * What cannot be done fails the test.
 */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H

#include "quire.h"

/* The time that handles believe it is: each look at it is a millisecond later.
 * And what looks. */
extern int64_t memories_now_us;
int64_t memories_clock(void *ctx);

quire *memories_home(unsigned flags);

/* What an entry of this title needs to be added; and add it. */
quire_memory_options memories_entry(const char *title);
quire_memory memories_add(quire *q, const char *session, const char *title);

/* That there is none. */
void memories_gone(quire *q, int64_t id);

/* That these are listed or found, in this order: "2 1 ". */
void memories_list(quire *q, const quire_memory_list_options *o,
                   const char *wanted);
void memories_find(quire *q, const char *query, const quire_recall_options *o,
                   const char *wanted);

/* The same of relations, "id:source-name-target ". */
void memories_relations(quire *q, const quire_relation_list_options *o,
                        const char *wanted);

/* For a list: add the id of an entry to a struct buf, "1 "; and a relation. */
quire_status memories_add_id(void *ctx, const quire_memory *m,
                             quire_error *err);
quire_status memories_add_relation(void *ctx, const quire_relation *r,
                                   quire_error *err);

/* Its id. */
int64_t memories_put_artifact(quire *q, const char *session, const char *path);

#endif
