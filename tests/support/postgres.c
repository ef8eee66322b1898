/* postgres.c - see postgres.h */
#include "support/postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/store.h"

static struct postgres_pool *shared;

bool test_has_postgres(void)
{
    return getenv("QUIRE_TEST_POSTGRES") != NULL;
}

struct db *test_postgres_handle(struct postgres_pool *p,
                                const char *lock_tenant)
{
    struct postgres_config config = {.pool = p,
                                     .access = DB_WRITE,
                                     .lock_tenant = lock_tenant};
    struct db *db;

    OK(db_postgres_open(&config, &db, &test_err));
    return db;
}

/* The name is the process's: suites run side by side. */
static void make_schema(const char *url, int number)
{
    struct postgres_pool_config config = {.url = url, .busy_ms = 2000};
    struct postgres_pool *p;
    struct db *db;
    char sql[256];

    OK(postgres_pool_open(&config, &p, &test_err));
    db = test_postgres_handle(p, NULL);
    snprintf(sql, sizeof sql,
             "DROP SCHEMA IF EXISTS t%d_%d CASCADE; CREATE SCHEMA t%d_%d",
             (int)getpid(), number, (int)getpid(), number);
    OK(db_exec(db, sql, &test_err));
    db_close(db);
    postgres_pool_close(p);
}

struct postgres_pool *test_postgres_pool(const char *options, int busy_ms)
{
    static int number;
    const char *url = getenv("QUIRE_TEST_POSTGRES");
    char own[512];
    struct postgres_pool_config config = {.url = own,
                                          .busy_ms = busy_ms,
                                          .connections_max = 4};
    struct postgres_pool *p;

    make_schema(url, ++number);
    snprintf(own, sizeof own, "%s?options=-csearch_path%%3Dt%d_%d%s", url,
             (int)getpid(), number, options);
    OK(postgres_pool_open(&config, &p, &test_err));
    return p;
}

struct db *test_postgres(void)
{
    test_postgres_close();
    shared = test_postgres_pool("", 200);
    return test_postgres_handle(shared, NULL);
}

void test_postgres_close(void)
{
    postgres_pool_close(shared);
    shared = NULL;
}
