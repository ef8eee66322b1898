/*
 * postgres.h - a PostgreSQL for tests, where QUIRE_TEST_POSTGRES has its address
 *
 * Each handle gets a schema of its own, which is dropped with the next one.
 */
#ifndef TESTS_SUPPORT_POSTGRES_H
#define TESTS_SUPPORT_POSTGRES_H

#include "store/postgres.h"

/* Whether there is one; tests that need it are skipped else. */
bool test_has_postgres(void);

/* A pool whose connections see an empty schema. Closed with test_postgres_close(). */
struct postgres_pool *test_postgres_pool(const char *options, int busy_ms);

/* A handle over the pool of that name; every table is missing. */
struct db *test_postgres(void);
struct db *test_postgres_handle(struct postgres_pool *p,
                                const char *lock_tenant);

/* The pool of test_postgres(). */
void test_postgres_close(void);

#endif
