/*
 * idempotency.c - requests that are done once, however often they are sent
 *
 * Who is to do something that must not be done twice claims a key first, and
 * keeps the answer under it. A key that is there without an answer is of
 * somebody who is at it, or died at it: what came of that the table cannot know.
 */
#include "api/idempotency.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/sql.h"

#define KEPT_US (INT64_C(24) * 3600 * 1000000)

enum { KEY_MAX = 256 };

const char idempotency_schema[] =
    "CREATE TABLE claim("
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " key TEXT NOT NULL,"
    " request BLOB NOT NULL,"    /* SHA-256 of what was asked          */
    " created INTEGER NOT NULL," /* microseconds                       */
    " status INTEGER,"           /* of the answer; NULL: there is none */
    " answer BLOB,"
    " PRIMARY KEY(tenant, key)) WITHOUT ROWID;"
    "CREATE INDEX claim_created ON claim(created);";

static quire_status prepare(struct quire *q, const char *sql, const char *key,
                            struct stmt **s, quire_error *err)
{
    quire_status st = db_prepare(q->db, sql, s, err);

    if (st)
        return st;
    (*s)->ops->bind_int(*s, 1, q->tenant);
    (*s)->ops->bind_text(*s, 2, bytes_str(key));
    return QUIRE_OK;
}

/* What was claimed before that is as if it had not been. */
static int64_t oldest(const struct quire *q)
{
    return clock_us(&q->clock) - KEPT_US;
}

/* More than are made meanwhile, and few enough to be waited for by others. */
enum { FORGET_AT_ONCE = 64 };

quire_status idempotency_expire(struct quire *q, int64_t most, quire_error *err)
{
    struct stmt *s;
    quire_status st =
        db_prepare(q->db,
                   "DELETE FROM claim WHERE (tenant, key) IN (SELECT"
                   " tenant, key FROM claim WHERE created < ?1"
                   " ORDER BY created LIMIT ?2)",
                   &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, oldest(q));
    stmt_bind_int(s, 2, most);
    st = sql_run(s, err);
    stmt_finalize(s);
    return st;
}

static quire_status look(struct quire *q, const char *key,
                         const quire_digest *request, quire_idempotency *out,
                         quire_error *err)
{
    struct stmt *s;
    quire_digest asked;
    quire_bytes answer;
    quire_status st = prepare(q,
                              "SELECT request, status, answer FROM claim WHERE"
                              " tenant = ?1 AND key = ?2 AND created >= ?3",
                              key, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 3, oldest(q));
    st = sql_row(s, err);
    if (!st) {
        out->fresh = 0;
        out->same = sql_digest(s, 0, &asked) &&
                    !memcmp(asked.byte, request->byte, sizeof asked.byte);
        out->status = (int)stmt_column_int(s, 1);
        answer = stmt_column_bytes(s, 2);
        out->answer = answer.len ? arena_dup(&q->loan, answer)
                                 : bytes_of("", 0);
        if (!out->answer.data)
            st = err_memory(err);
    }
    stmt_finalize(s);
    return st;
}

/* One that is too old to matter may still be there. */
static quire_status add(struct quire *q, const char *key,
                        const quire_digest *request, quire_error *err)
{
    struct stmt *s;
    quire_status st = prepare(q,
                              "INSERT INTO claim(tenant, key, request,"
                              " created) VALUES(?1, ?2, ?3, ?4) ON CONFLICT"
                              "(tenant, key) DO UPDATE SET request ="
                              " excluded.request, created = excluded.created,"
                              " status = NULL, answer = NULL",
                              key, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 3, bytes_of(request->byte, sizeof request->byte));
    stmt_bind_int(s, 4, clock_us(&q->clock));
    st = sql_run(s, err);
    stmt_finalize(s);
    return st;
}

quire_status quire_idempotency_begin(quire *q, const char *key,
                                     quire_bytes request, quire_bytes body,
                                     quire_idempotency *out, quire_error *err)
{
    struct hash hash;
    quire_digest digest;
    quire_status st = need_artifacts(q, true, err);

    *out = (quire_idempotency){.fresh = 1};
    if (st)
        return st;
    if (!*key || strlen(key) > KEY_MAX) {
        st = err_fail(err, QUIRE_INVALID, "a random UUID will do",
                      "a key has 1 to %d bytes", KEY_MAX);
        return st;
    }
    hash_init(&hash);
    hash_add(&hash, request);
    hash_add(&hash, body);
    hash_end(&hash, &digest);
    st = db_begin(q->db, DB_DURABLE, err);
    if (st)
        return st;
    st = idempotency_expire(q, FORGET_AT_ONCE, err);
    if (!st)
        st = look(q, key, &digest, out, err);
    if (st == QUIRE_NOT_FOUND)
        st = add(q, key, &digest, err);
    return sql_end(q->db, st, err);
}

static quire_status keep_answer(struct quire *q, const char *key, int status,
                                quire_bytes answer, quire_error *err)
{
    struct stmt *s;
    quire_status st = prepare(q,
                              "UPDATE claim SET status = ?3, answer = ?4 WHERE"
                              " tenant = ?1 AND key = ?2",
                              key, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 3, status);
    stmt_bind_bytes(s, 4, answer.len ? answer : bytes_of("", 0));
    st = sql_run(s, err);
    stmt_finalize(s);
    return st;
}

static quire_status give_back(struct quire *q, const char *key,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st =
        prepare(q, "DELETE FROM claim WHERE tenant = ?1 AND key = ?2", key, &s,
                err);

    if (st)
        return st;
    st = sql_run(s, err);
    stmt_finalize(s);
    return st;
}

quire_status quire_idempotency_end(quire *q, const char *key, int status,
                                   quire_bytes answer, quire_error *err)
{
    quire_status st = need_artifacts(q, true, err);

    if (!st)
        st = db_begin(q->db, DB_DURABLE, err);
    if (st)
        return st;
    st = status ? keep_answer(q, key, status, answer, err)
                : give_back(q, key, err);
    return sql_end(q->db, st, err);
}
