/*
 * quire/tenant.h - tenants, their tokens, and the audit log
 *
 * A tenant owns sessions, artifacts, memory and history in a home that several
 * share. A handle works for one tenant (quire_options); objects of others are
 * QUIRE_NOT_FOUND for it. Settings belong to the home. Blobs: quire/blob.h;
 * blobs from before format 17 belong to the tenants that have them as
 * artifacts. The tenant "default", number 1, always exists. Only homes of
 * Quire's own kind have tenants.
 *
 * When a tenant is removed or disabled, its handles get QUIRE_NOT_FOUND or
 * QUIRE_INVALID from then on. An open session ends with its file when the
 * tenant is removed; it goes on until it is closed when the tenant is
 * disabled.
 *
 * These functions are for administrators: they see all tenants, whichever
 * tenant the handle works for. `which` is a name, or an id, "12" or "#12".
 */
#ifndef QUIRE_TENANT_H
#define QUIRE_TENANT_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_tenant {
    int64_t id; /* never reused                                             */
    const char *name;
    int disabled;
    int has_token;
    int64_t created_us;   /* 0: with the home                                 */
    uint64_t used;        /* bytes of its artifacts                           */
    uint64_t artifacts;   /* how many, soft-deleted ones not counted          */
    unsigned token_flags; /* quire_tenant_by_token(): of that token; else 0   */
    uint64_t reserved[3];
} quire_tenant;

typedef quire_status (*quire_tenant_fn)(void *ctx, const quire_tenant *tenant,
                                        quire_error *err);

enum { QUIRE_TOKEN_SIZE = 4 + 64 + 1 }; /* "qrt_", hex, NUL                  */

/* quire_tenant_add() adds a tenant with a token, "qrt_<64 hex>". The home
 * stores only the token's SHA-256: a lost token is replaced by
 * quire_tenant_rotate(), which ends the previous one. The default tenant has
 * no token until then. quire_tenant_disable() locks a tenant out, or with 0
 * enables it; its data stays. `out` may be NULL.
 *
 * Owns: `token` is the caller's, "" on failure; the text of *out is lent until
 *   the next call with `q`.
 * Fails: common
 *   QUIRE_INVALID    add: the name is not UTF-8 of 1 to 100 bytes, has control
 *                    characters, or looks like "#12"; disable: the default
 *                    tenant; several tenants have the name
 *   QUIRE_EXISTS     add: the name is taken
 *   QUIRE_NOT_FOUND  no such tenant
 *   QUIRE_IO         the system has no random bytes
 * Durable: on return, with its row in the audit log. */
quire_status quire_tenant_add(quire *q, const char *name,
                              char token[QUIRE_TOKEN_SIZE], quire_tenant *out,
                              quire_error *err);
quire_status quire_tenant_rotate(quire *q, const char *which,
                                 char token[QUIRE_TOKEN_SIZE],
                                 quire_tenant *out, quire_error *err);
quire_status quire_tenant_disable(quire *q, const char *which, int disabled,
                                  quire_tenant *out, quire_error *err);

/* Return one tenant, or list all by id.
 *
 * Owns: get: lent until the next call with `q`; list: until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such tenant
 *   QUIRE_INVALID    several tenants have the name
 * Durable: reads only. */
quire_status quire_tenant_get(quire *q, const char *which, quire_tenant *out,
                              quire_error *err);
quire_status quire_tenant_list(quire *q, quire_tenant_fn each, void *ctx,
                               quire_error *err);

/* Let the handle work for another tenant from now on, as if it had been opened
 * for it; cheaper than a new handle, since the catalogue stays open.
 *
 * Owns: sessions, outputs and workspaces of the previous tenant are closed
 *   before.
 * Fails: common. The handle keeps its tenant.
 *   QUIRE_NOT_FOUND  no such tenant
 *   QUIRE_INVALID    it is disabled, or several tenants have the name
 * Durable: no change. */
quire_status quire_tenant_use(quire *q, const char *which, quire_error *err);

/* Return the tenant that a token belongs to: its own or a further one. The caller
 * enforces `token_flags`.
 *
 * Owns: text is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  unknown or expired token, disabled tenant, or not a token:
 *                    all with the same message
 * Durable: reads only. */
quire_status quire_tenant_by_token(quire *q, const char *token,
                                   quire_tenant *out, quire_error *err);

/* What a further token of a tenant may do. */
enum {
    QUIRE_TOKEN_READ_ONLY = 1 << 0, /* only reads                             */
    QUIRE_TOKEN_LOCAL = 1 << 1,     /* only from the machine of the server    */
    QUIRE_TOKEN_EXPIRES = 1 << 2,   /* is set if expires_us is not 0          */
};

/* A further token of a tenant: limited, or for one program or person. */
typedef struct quire_token {
    int64_t id; /* never reused                                             */
    const char *label;
    unsigned flags;
    int64_t created_us;
    int64_t expires_us; /* 0: never                                         */
    uint64_t reserved[4];
} quire_token;

typedef quire_status (*quire_token_fn)(void *ctx, const quire_token *token,
                                       quire_error *err);

/* quire_token_add() adds a further token to a tenant, with label, flags and
 * expires_us of *t, and sets the rest; expired ones are removed. The token itself
 * is in `token`, once: the home stores its SHA-256. quire_token_list() lists the
 * further tokens by id; quire_token_remove() ends one. quire_tenant_rotate() does
 * not end them.
 *
 * Owns: `token` is the caller's, "" on failure; list: lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID    add: the label is not UTF-8 of 1 to 100 bytes, or has control
 *                    characters; unknown flags; several tenants have the name
 *   QUIRE_NOT_FOUND  no such tenant or token
 *   QUIRE_IO         the system has no random bytes
 * Durable: add, remove: on return, with a row in the audit log. */
quire_status quire_token_add(quire *q, const char *which, quire_token *t,
                             char token[QUIRE_TOKEN_SIZE], quire_error *err);
quire_status quire_token_list(quire *q, const char *which, quire_token_fn each,
                              void *ctx, quire_error *err);
quire_status quire_token_remove(quire *q, const char *which, int64_t id,
                                quire_error *err);

/* Remove a tenant with all its data: its rows in one transaction, then its
 * files. After a crash the next writer completes the removal. Blobs remain
 * until they are collected.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_EXISTS     it has data, which the message counts, and `all` is 0
 *   QUIRE_NOT_FOUND  no such tenant
 *   QUIRE_INVALID    the default tenant; several have the name; a transaction
 *                    is open
 *   QUIRE_IO         it is removed, but some of its files remain
 * Durable: on return. */
quire_status quire_tenant_remove(quire *q, const char *which, int all,
                                 quire_error *err);

/* A change of a tenant or a setting, recorded in the transaction that makes it.
 * Rows are only added, and outlive the tenant they name. */
typedef struct quire_audit {
    int64_t id;
    int64_t at_us;
    const char *actor;  /* `actor` of the handle's options                   */
    const char *action; /* "tenant.add", "tenant.rotate", "tenant.disable",
                           "tenant.enable", "tenant.remove", "token.add",
                           "token.remove", "config.set"                     */
    int64_t tenant;     /* 0: all                                            */
    const char *name;   /* of the tenant, or the setting                     */
    const char *before, *after; /* JSON; NULL: none                          */
    uint64_t reserved[4];
} quire_audit;

typedef quire_status (*quire_audit_fn)(void *ctx, const quire_audit *change,
                                       quire_error *err);

/* List changes, the last first: `limit` of them (0: all), with ids below
 * `before_id` (0: any).
 *
 * Owns: *change is lent until `each` returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_audit_list(quire *q, int64_t before_id, uint64_t limit,
                              quire_audit_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
