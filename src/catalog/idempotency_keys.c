/*
 * idempotency_keys.c - keys of requests that run once
 *
 * A key is stored before the request runs and gets the response afterwards. A
 * key without a response belongs to a request that is running or crashed; the
 * table cannot tell which. Keys expire after a day.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

#define KEEP_US (INT64_C(24) * 3600 * 1000000)

enum { KEY_MAX = 256 };

/* Expired keys deleted by each new one: more than arrive, and few enough not to
 * delay it. */
enum { EXPIRE_BATCH = 64 };

/* Keys from before this time have expired. */
static int64_t oldest_us(const struct catalog *c)
{
    return clock_us(c->clock) - KEEP_US;
}

static quire_status use_key(struct catalog *c, enum catalog_sql which,
                            int64_t tenant, const char *key, struct stmt **s,
                            quire_error *err)
{
    quire_status st = use(c, which, s, err);

    if (st)
        return st;
    stmt_bind_int(*s, 1, tenant);
    stmt_bind_text(*s, 2, bytes_str(key));
    return QUIRE_OK;
}

quire_status idempotency_expire(struct catalog *c, int64_t max,
                                quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_KEY_EXPIRE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, oldest_us(c));
    stmt_bind_int(s, 2, max);
    return sql_run(s, err);
}

static quire_status get_key(struct catalog *c, int64_t tenant, const char *key,
                            const quire_digest *request, struct arena *keep,
                            quire_idempotency *out, quire_error *err)
{
    struct stmt *s;
    quire_digest stored;
    quire_bytes response;
    quire_status st = use_key(c, SQL_KEY_GET, tenant, key, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 3, oldest_us(c));
    st = sql_row(s, err);
    if (!st) {
        out->fresh = 0;
        out->same = sql_digest(s, 0, &stored) &&
                    !memcmp(stored.byte, request->byte, sizeof stored.byte);
        out->status = (int)stmt_column_int(s, 1);
        response = stmt_column_bytes(s, 2);
        out->answer = response.len ? arena_dup(keep, response)
                                   : bytes_of("", 0);
        if (!out->answer.data)
            st = err_memory(err);
    }
    stmt_reset(s);
    return st;
}

/* Replaces an expired key that is still there. */
static quire_status add_key(struct catalog *c, int64_t tenant, const char *key,
                            const quire_digest *request, quire_error *err)
{
    struct stmt *s;
    quire_status st = use_key(c, SQL_KEY_ADD, tenant, key, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 3, bytes_of(request->byte, sizeof request->byte));
    stmt_bind_int(s, 4, clock_us(c->clock));
    return sql_run(s, err);
}

quire_status idempotency_begin(struct catalog *c, int64_t tenant,
                               const char *key, const quire_digest *request,
                               struct arena *keep, quire_idempotency *out,
                               quire_error *err)
{
    quire_status st;

    *out = (quire_idempotency){.fresh = 1};
    if (!*key || strlen(key) > KEY_MAX)
        return err_fail(err, QUIRE_INVALID, "use a random UUID",
                        "idempotency key does not have 1 to %d bytes", KEY_MAX);
    st = db_begin(c->db, DB_DURABLE, tenant, err);
    if (st)
        return st;
    st = idempotency_expire(c, EXPIRE_BATCH, err);
    if (!st)
        st = get_key(c, tenant, key, request, keep, out, err);
    if (st == QUIRE_NOT_FOUND)
        st = add_key(c, tenant, key, request, err);
    return sql_end(c->db, st, err);
}

quire_status idempotency_end(struct catalog *c, int64_t tenant, const char *key,
                             int status, quire_bytes response, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_begin(c->db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    st = use_key(c, status ? SQL_KEY_RESPONSE : SQL_KEY_DROP, tenant, key, &s,
                 err);
    if (!st && status) {
        stmt_bind_int(s, 3, status);
        stmt_bind_bytes(s, 4, response.len ? response : bytes_of("", 0));
    }
    if (!st)
        st = sql_run(s, err);
    return sql_end(c->db, st, err);
}
