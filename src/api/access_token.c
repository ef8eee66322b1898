/* access_token.c - further tokens of a tenant, limited or for one program or person */
#include <inttypes.h>
#include <string.h>

#include "api/core/handle.h"
#include "api/token.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"

enum { LABEL_MAX = 100 };

static quire_status check_token(const quire_token *t, quire_error *err)
{
    const unsigned known = QUIRE_TOKEN_READ_ONLY | QUIRE_TOKEN_LOCAL |
                           QUIRE_TOKEN_EXPIRES;
    size_t len = t->label ? strnlen(t->label, LABEL_MAX + 1) : 0;

    if (t->flags & ~known)
        return err_fail(err, QUIRE_INVALID, "see quire/tenant.h",
                        "unknown flags of a token");
    if (len > 0 && len <= LABEL_MAX && utf8_check(bytes_str(t->label)) &&
        !text_has_controls(bytes_str(t->label)))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "such as `laptop`",
                    "the label of a token is not UTF-8 of 1 to %d bytes "
                    "without control characters",
                    LABEL_MAX);
}

/* The audit log has the tenant, and the label as JSON. */
static quire_status record(struct quire *q, const char *action,
                           const quire_tenant *tenant, const quire_token *t,
                           quire_error *err)
{
    struct buf text = BUF_INIT(1024);
    struct json_writer w;
    const char *json;
    quire_status st;

    json_begin(&w, &text);
    json_object(&w);
    json_put_int(&w, "token", t->id);
    if (t->label) {
        json_put_str(&w, "label", t->label);
        json_put_bool(&w, "read_only", t->flags & QUIRE_TOKEN_READ_ONLY);
    }
    json_object_end(&w);
    json = buf_text(&text);
    st = json ? audit_log_add(&q->catalog, action, tenant->id, tenant->name,
                              t->label ? NULL : json, t->label ? json : NULL,
                              err)
              : err_memory(err);
    buf_release(&text);
    return st;
}

/* Begin a transaction that changes tokens of a tenant. */
static quire_status begin(struct quire *q, const char *which, quire_tenant *out,
                          quire_error *err)
{
    quire_status st = need_rows(q, true, err);

    if (!st)
        st = db_begin(q->catalog.db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = tenants_lookup(q, which, &q->loan, out, err);
    return st ? sql_end(q->catalog.db, st, err) : QUIRE_OK;
}

quire_status quire_token_add(quire *q, const char *which, quire_token *t,
                             char token[QUIRE_TOKEN_SIZE], quire_error *err)
{
    quire_digest digest;
    quire_tenant tenant;
    quire_status st = check_token(t, err);

    token[0] = '\0';
    if (!st)
        st = begin(q, which, &tenant, err);
    if (st)
        return st;
    t->flags &= ~(unsigned)QUIRE_TOKEN_EXPIRES;
    st = token_make(token, &digest, err);
    if (!st)
        st = token_remove_expired(&q->catalog, tenant.id, err);
    if (!st)
        st = token_add(&q->catalog, tenant.id, &digest, t, err);
    if (!st)
        st = record(q, "token.add", &tenant, t, err);
    st = sql_end(q->catalog.db, st, err);
    if (st)
        explicit_bzero(token, QUIRE_TOKEN_SIZE);
    else if (t->expires_us)
        t->flags |= QUIRE_TOKEN_EXPIRES;
    return st;
}

quire_status quire_token_list(quire *q, const char *which, quire_token_fn each,
                              void *ctx, quire_error *err)
{
    quire_tenant tenant;
    quire_status st = quire_tenant_get(q, which, &tenant, err);

    if (st || !catalog_has(&q->catalog, SCHEMA_TOKENS))
        return st;
    q->in_callback = true;
    st = token_list(&q->catalog, tenant.id, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_token_remove(quire *q, const char *which, int64_t id,
                                quire_error *err)
{
    quire_token t = {.id = id};
    quire_tenant tenant;
    quire_status st = begin(q, which, &tenant, err);

    if (st)
        return st;
    st = token_remove(&q->catalog, tenant.id, id, err);
    if (st == QUIRE_NOT_FOUND)
        err_fail(err, st, HINT_SHELL "`quire tenant token ls` lists them",
                 "tenant %s has no token %" PRId64, tenant.name, id);
    if (!st)
        st = record(q, "token.remove", &tenant, &t, err);
    return sql_end(q->catalog.db, st, err);
}
