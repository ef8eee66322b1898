/* homes.h - several homes, and a sync between two of them, for tests */
#ifndef TESTS_HOMES_H
#define TESTS_HOMES_H

#include "support/test.h"

/* The test's home of that name. */
quire *homes_open(const char *name);

/* Sync `a` with the home `b`, which a thread of this process serves. The stream may
 * end after `limit` bytes in one direction; 0: it does not. */
quire_status homes_sync_until(quire *a, const char *b, size_t limit,
                              quire_sync_result *out, quire_error *err);
quire_sync_result homes_sync(quire *a, const char *b);

/* What a home has, as sorted lines: entries under their plain ids, artifacts with
 * their newest versions, memory, outputs; until the test ends. What two homes agree on is
 * the same text. */
const char *homes_content(quire *q);

/* A session; its id, until the test ends. */
const char *homes_session(quire *q, const char *title);

/* Append an entry; its id, until the test ends. `at` NULL: below the leaf. */
const char *homes_append(quire *q, const char *session, const char *at,
                         const char *text);
const char *homes_leaf(quire *q, const char *session);

void homes_put(quire *q, const char *session, const char *path,
               const char *text);
int64_t homes_remember(quire *q, const char *title, const char *content);

/* An output of a session, by the name of its file. */
void homes_output(quire *q, const char *session, const char *name,
                  const char *text);

#endif
