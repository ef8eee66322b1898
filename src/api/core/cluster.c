/* cluster.c - see cluster.h */
#include "api/core/cluster.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "store/postgres.h"
#include "store/rows.h"
#include "store/s3.h"

/* Names of blobs in the database begin so. */
#define BLOBS_ROOT "blobs"

struct cluster {
    pthread_mutex_t turn; /* refs, prepared */
    int refs;
    bool prepared;            /* the tables of the stores are there */
    char *database, *objects; /* owned */
    char place[256];
    char process[64];
    struct postgres_pool *catalog, *stores;
};

/* "postgres://host:port/database" of an address that may hold a password. */
static void write_place(const char *database, char *out, size_t cap)
{
    const char *at = strstr(database, "://"), *end, *user;

    at = at ? at + 3 : database;
    end = at + strcspn(at, "?");
    for (user = at; user < end; user++)
        if (*user == '@')
            at = user + 1;
    snprintf(out, cap, "postgres://%.*s", (int)(end - at), at);
}

static void name_process(char *out, size_t cap)
{
    char host[40] = "";

    if (gethostname(host, sizeof host - 1) < 0 || !*host)
        snprintf(host, sizeof host, "this machine");
    snprintf(out, cap, "process %d of %s", (int)getpid(), host);
}

static quire_status open_pools(struct cluster *c, int busy_ms, quire_error *err)
{
    struct postgres_pool_config config = {.url = c->database,
                                          .busy_ms = busy_ms,
                                          .connections_max = 16};
    quire_status st = postgres_pool_open(&config, &c->catalog, err);

    return st ? st : postgres_pool_open(&config, &c->stores, err);
}

static quire_status check_addresses(const struct cluster_config *config,
                                    quire_error *err)
{
    if (strncmp(config->database, "postgres://", 11) != 0 &&
        strncmp(config->database, "postgresql://", 13) != 0)
        return err_fail(err, QUIRE_INVALID,
                        "it has the form postgres://user@host/database",
                        "the address of the database does not begin with "
                        "postgres://");
    if (config->objects && strncmp(config->objects, "s3://", 5) != 0)
        return err_fail(err, QUIRE_INVALID,
                        "it has the form s3://bucket/prefix",
                        "the address of the object store does not begin with "
                        "s3://");
    return QUIRE_OK;
}

quire_status cluster_open(const struct cluster_config *config,
                          struct cluster **out, quire_error *err)
{
    quire_status st = check_addresses(config, err);
    struct cluster *c = st ? NULL : calloc(1, sizeof *c);

    *out = NULL;
    if (!c)
        return st ? st : err_memory(err);
    pthread_mutex_init(&c->turn, NULL);
    c->refs = 1;
    c->database = strdup(config->database);
    c->objects = config->objects ? strdup(config->objects) : NULL;
    if (!c->database || (config->objects && !c->objects))
        st = err_memory(err);
    if (!st) {
        write_place(c->database, c->place, sizeof c->place);
        name_process(c->process, sizeof c->process);
        st = open_pools(c, config->busy_ms, err);
    }
    if (st)
        cluster_unref(c);
    else
        *out = c;
    return st;
}

struct cluster *cluster_ref(struct cluster *c)
{
    if (c) {
        pthread_mutex_lock(&c->turn);
        c->refs++;
        pthread_mutex_unlock(&c->turn);
    }
    return c;
}

void cluster_unref(struct cluster *c)
{
    int left;

    if (!c)
        return;
    pthread_mutex_lock(&c->turn);
    left = --c->refs;
    pthread_mutex_unlock(&c->turn);
    if (left > 0)
        return;
    postgres_pool_close(c->catalog);
    postgres_pool_close(c->stores);
    pthread_mutex_destroy(&c->turn);
    free(c->database);
    free(c->objects);
    free(c);
}

const char *cluster_place(const struct cluster *c)
{
    return c->place;
}

const char *cluster_process(const struct cluster *c)
{
    return c->process;
}

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : !a && !b;
}

bool cluster_is(const struct cluster *c, const char *database,
                const char *objects)
{
    return same(c->database, database) && same(c->objects, objects);
}

int64_t cluster_identity(struct cluster *c)
{
    struct postgres_config config = {.pool = c->stores, .access = DB_WRITE};
    struct db *db = NULL;
    int64_t id = 0;

    if (!db_postgres_open(&config, &db, NULL) && !store_rows_prepare(db, NULL))
        (void)store_rows_identity(db, &id, NULL);
    db_close(db);
    return id;
}

quire_status cluster_catalog(struct cluster *c, bool read_only, struct db **out,
                             quire_error *err)
{
    struct postgres_config config =
        {.pool = c->catalog,
         .access = read_only ? DB_READ : DB_WRITE,
         .lock_tenant = "SELECT 1 FROM tenant WHERE id = ?1 FOR UPDATE"};

    return db_postgres_open(&config, out, err);
}

/* *has: the tables are there. A reader makes none. */
static quire_status prepare(struct cluster *c, struct db *db, bool read_only,
                            bool *has, quire_error *err)
{
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&c->turn);
    if (!c->prepared && read_only)
        st = db_has_table(db, "store_lock", &c->prepared, err);
    else if (!c->prepared) {
        st = store_rows_prepare(db, err);
        c->prepared = !st;
    }
    *has = c->prepared;
    pthread_mutex_unlock(&c->turn);
    return st;
}

quire_status cluster_store(struct cluster *c, const char *root,
                           const struct clock *clock, bool read_only,
                           struct store **out, quire_error *err)
{
    struct postgres_config config = {.pool = c->stores,
                                     .access = read_only ? DB_READ : DB_WRITE};
    struct rows_config rows = {.root = root,
                               .place = c->place,
                               .process = c->process,
                               .clock = clock,
                               .read_only = read_only};
    bool has = false;
    quire_status st = db_postgres_open(&config, &rows.db, err);

    *out = NULL;
    if (st == QUIRE_NOT_FOUND && read_only) /* nothing was ever written */
        return store_memory_open(clock, out, err);
    if (st)
        return st;
    st = prepare(c, rows.db, read_only, &has, err);
    if (!st && has)
        return store_rows_open(&rows, out, err);
    db_close(rows.db);
    return st ? st : store_memory_open(clock, out, err);
}

quire_status cluster_blobs(struct cluster *c, const struct clock *clock,
                           bool read_only, struct store **out, quire_error *err)
{
    struct object_store *bucket;
    quire_status st = cluster_store(c, BLOBS_ROOT, clock, read_only, out, err);

    if (st || !c->objects)
        return st;
    st = s3_store_open(c->objects, &bucket, err);
    if (st) {
        store_free(*out);
        *out = NULL;
        return st;
    }
    object_store_free((*out)->objects);
    (*out)->objects = bucket;
    return QUIRE_OK;
}
