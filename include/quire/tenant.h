/* quire/tenant.h - tenants, tokens and the audit log */
#ifndef QUIRE_TENANT_H
#define QUIRE_TENANT_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * A tenant is who owns sessions, artifacts and history where several share a
 * home. A handle works for one of them, see quire_options, and what is
 * another's is QUIRE_NOT_FOUND for it. Settings are the home's. Blobs are kept
 * once, whoever put them, and a tenant has those that it put, by themselves, in
 * artifacts or as images of sessions: the others are QUIRE_NOT_FOUND for it, and
 * `existed` of a put is of its own. A handle of the tenant "default" has all of
 * them, and it alone lists them. What was put before format 17 is the tenant's
 * that has it as an artifact. The tenant "default", number 1, is always there. Homes of Quire's own kind have
 * tenants.
 *
 * If a tenant is removed or disabled, the handles that work for it get
 * QUIRE_NOT_FOUND or QUIRE_INVALID from then on. A session that is open ends
 * with its file if its tenant is removed; it goes on until it is closed if that
 * is disabled.
 *
 * The functions below are for whoever runs the home: they see all tenants,
 * whomever the handle works for. `which` is a tenant's name, or its id, "12" or
 * "#12".
 */

/* Text is on loan until the next call with the same handle. */
typedef struct quire_tenant {
    int64_t id; /* no other ever has it, also when this one is gone         */
    const char *name;
    int disabled;
    int has_token;
    int64_t created_us; /* 0: with the home                                 */
    uint64_t used;      /* bytes of its living artifacts                    */
    uint64_t artifacts; /* how many                                         */
    uint64_t reserved[4];
} quire_tenant;

typedef quire_status (*quire_tenant_fn)(void *ctx, const quire_tenant *tenant,
                                        quire_error *err);

enum { QUIRE_TOKEN_SIZE = 4 + 64 + 1 }; /* "qrt_", hex, NUL                  */

/* Add a tenant. Its token, "qrt_<64 hex>", is written to `token` and is nowhere
 * else: the home keeps its SHA-256. Whoever loses it asks for another one. On
 * failure `token` is empty. `out` may be NULL. Lasting.
 *
 * QUIRE_INVALID  a name is UTF-8 of 1 to 100 bytes, has no control characters
 *                and does not look like an id, "#12"
 * QUIRE_EXISTS   the name is taken
 * QUIRE_IO       the system gives no random bytes */
quire_status quire_tenant_add(quire *q, const char *name,
                              char token[QUIRE_TOKEN_SIZE], quire_tenant *out,
                              quire_error *err);

/* One of them; all of them, by id. QUIRE_INVALID: several are called so. */
quire_status quire_tenant_get(quire *q, const char *which, quire_tenant *out,
                              quire_error *err);
quire_status quire_tenant_list(quire *q, quire_tenant_fn each, void *ctx,
                               quire_error *err);

/* Work for another tenant from now on, as if the handle had been opened for it:
 * cheaper than that, and sharing what is open for all. Sessions and workspaces of
 * the one before are to be closed. On failure nothing changes. */
quire_status quire_tenant_use(quire *q, const char *which, quire_error *err);

/* The tenant that a token is of. One that is unknown, of a tenant that is
 * disabled, or no token at all is QUIRE_NOT_FOUND, in the same words. */
quire_status quire_tenant_by_token(quire *q, const char *token,
                                   quire_tenant *out, quire_error *err);

/* A new token, and an end to the one before. The default tenant has none until
 * then. `out` may be NULL. Lasting. */
quire_status quire_tenant_rotate(quire *q, const char *which,
                                 char token[QUIRE_TOKEN_SIZE],
                                 quire_tenant *out, quire_error *err);

/* Shut a tenant out, or let it in again; what it has stays. QUIRE_INVALID: the
 * default one. `out` may be NULL. Lasting. */
quire_status quire_tenant_disable(quire *q, const char *which, int disabled,
                                  quire_tenant *out, quire_error *err);

/* Remove a tenant with all it has: its rows in one transaction, then its files.
 * If that is interrupted, whoever writes next goes on with it. Blobs stay until
 * they are collected. Lasting.
 *
 * QUIRE_EXISTS   it has something, the words say what; with `all` it goes
 *                nevertheless
 * QUIRE_INVALID  the default one
 * QUIRE_IO       it is removed, but some of its files are still there */
quire_status quire_tenant_remove(quire *q, const char *which, int all,
                                 quire_error *err);

/* A change of a tenant or of a setting. It is noted in the transaction that makes
 * it; rows are only added, and outlive whom they concern. */
typedef struct quire_audit {
    int64_t id;
    int64_t at_us;
    const char *actor;  /* who did it: `actor` of the handle's options       */
    const char *action; /* "tenant.add", "tenant.rotate", "tenant.disable",
                           "tenant.enable", "tenant.remove", "config.set"    */
    int64_t tenant;     /* 0: all                                            */
    const char *name;   /* of the tenant, or the setting                     */
    const char *before, *after; /* JSON; NULL: nothing                       */
    uint64_t reserved[4];
} quire_audit;

typedef quire_status (*quire_audit_fn)(void *ctx, const quire_audit *change,
                                       quire_error *err);

/* Changes, the last first: `limit` of them (0: all), of those with a smaller id
 * than `before_id` (0: of all). What `each` is given is good until it returns. */
quire_status quire_audit_list(quire *q, int64_t before_id, uint64_t limit,
                              quire_audit_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
