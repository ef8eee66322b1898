/*
 * tenant.c - tenants, as quire/tenant.h has them
 *
 * A tenant is a row, and a directory tenants/<id>/ of the home with what the
 * home itself has for the default one: sessions, their outputs, the archive,
 * breadcrumbs, history. A handle works below one of these, its root. The
 * catalogue, the blobs and the settings belong to the home.
 *
 *   (1) Ids are never reused. A late writer of a removed tenant cannot write into
 *       another one.
 *   (2) One transaction deletes all rows and records the directory; then the
 *       directory is removed. A tenant exists whole before the commit and not at
 *       all after it; files that remain are found by the record.
 *   (3) A directory is removed only if its tenant has no row.
 *
 * A call checks that its tenant exists before it writes a file, not while. A file
 * created in between remains, in a directory without a tenant.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/artifact.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "blob/hash.h"
#include "catalog/session_keep.h"
#include "memory/memory.h"
#include "api/core/removals.h"
#include "api/token.h"
#include "api/transaction.h"
#include "session/list.h"
#include "session/names.h"

#define NAME_MAX_BYTES 100

/* ---- answers ------------------------------------------------------------ */

/* Refuse what cannot be done to the default tenant. */
static quire_status refuse_default(const quire_tenant *t, const char *what,
                                   quire_error *err)
{
    if (t->id != TENANT_DEFAULT)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "it owns everything without another tenant",
                    "the tenant %s cannot be %s", t->name, what);
}

/* ---- looking ------------------------------------------------------------ */

/* A home without a catalogue has the default tenant too. */
static const quire_tenant first = {.id = TENANT_DEFAULT, .name = "default"};

static bool is_first(const char *which)
{
    return !strcmp(which, "default") || !strcmp(which, "1") ||
           !strcmp(which, "#1");
}

quire_status quire_tenant_get(quire *q, const char *which, quire_tenant *out,
                              quire_error *err)
{
    quire_status st = need_rows(q, false, err);

    if (!st)
        return tenants_lookup(q, which, &q->loan, out, err);
    if (st != QUIRE_NOT_FOUND)
        return st;
    if (!is_first(which))
        return tenants_unknown(q, which, err);
    *out = first;
    return QUIRE_OK;
}

quire_status quire_tenant_list(quire *q, quire_tenant_fn each, void *ctx,
                               quire_error *err)
{
    quire_status st = need_rows(q, false, err);

    if (st && st != QUIRE_NOT_FOUND)
        return st;
    q->in_callback = true;
    st = st ? each(ctx, &first, err) : tenant_list(&q->catalog, each, ctx, err);
    q->in_callback = false;
    return st;
}

/* ---- changing ----------------------------------------------------------- */

static quire_status begin(struct quire *q, quire_error *err)
{
    quire_status st = need_rows(q, true, err);

    return st ? st : db_begin(q->catalog.db, DB_DURABLE, DB_ALL_TENANTS, err);
}

/* Commit if `st` is QUIRE_OK, else roll back. */
static quire_status end(struct quire *q, quire_status st, quire_error *err)
{
    tenant_views_invalidate(q);
    return sql_end(q->catalog.db, st, err);
}

static quire_status check_name(const char *name, quire_error *err)
{
    size_t len = strnlen(name, NAME_MAX_BYTES + 1);
    int64_t id;

    if (len > 0 && len <= NAME_MAX_BYTES && utf8_check(bytes_str(name)) &&
        !text_has_controls(bytes_str(name)) &&
        !(*name == '#' && read_id(name + 1, &id)))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "such as `acme`; an id looks like #12",
                    "tenant name is not UTF-8 of 1 to %d bytes without "
                    "control characters, or looks like an id",
                    NAME_MAX_BYTES);
}

static quire_status add_row(struct quire *q, const char *name,
                            const quire_digest *digest, quire_tenant *out,
                            quire_error *err)
{
    int64_t id, another;
    quire_status st = tenant_by_name(&q->catalog, name, &q->loan, out, &another,
                                     err);

    if (!st) {
        st = err_fail(err, QUIRE_EXISTS,
                      HINT_SHELL
                      "choose another name; `quire tenant rotate` gives it "
                      "another token",
                      "tenant %s already exists", name);
        return st;
    }
    if (st != QUIRE_NOT_FOUND)
        return st;
    st = tenant_add(&q->catalog, name, digest, &id, err);
    if (!st)
        st = tenant_by_id(&q->catalog, id, &q->loan, out, err);
    return st ? st
              : audit_log_add_tenant(&q->catalog, "tenant.add", NULL, out, err);
}

quire_status quire_tenant_add(quire *q, const char *name,
                              char token[QUIRE_TOKEN_SIZE], quire_tenant *out,
                              quire_error *err)
{
    quire_digest digest;
    quire_tenant ignored;
    quire_status st = check_name(name, err);

    token[0] = '\0';
    if (!st)
        st = begin(q, err);
    if (st)
        return st;
    st = token_make(token, &digest, err);
    if (!st)
        st = add_row(q, name, &digest, out ? out : &ignored, err);
    st = end(q, st, err);
    if (st)
        explicit_bzero(token, QUIRE_TOKEN_SIZE);
    return st;
}

quire_status quire_tenant_rotate(quire *q, const char *which,
                                 char token[QUIRE_TOKEN_SIZE],
                                 quire_tenant *out, quire_error *err)
{
    quire_digest digest;
    quire_tenant t = {.id = 0}, was;
    quire_status st = begin(q, err);

    token[0] = '\0';
    if (st)
        return st;
    st = tenants_lookup(q, which, &q->loan, &t, err);
    if (!st)
        st = token_make(token, &digest, err);
    if (!st)
        st = tenant_set_token(&q->catalog, t.id, &digest, err);
    was = t;
    t.has_token = 1;
    if (!st)
        st = audit_log_add_tenant(&q->catalog, "tenant.rotate", &was, &t, err);
    st = end(q, st, err);
    if (st)
        explicit_bzero(token, QUIRE_TOKEN_SIZE);
    if (!st && out)
        *out = t;
    return st;
}

quire_status quire_tenant_disable(quire *q, const char *which, int disabled,
                                  quire_tenant *out, quire_error *err)
{
    quire_tenant t = {.id = 0}, was;
    quire_status st = begin(q, err);

    if (st)
        return st;
    st = tenants_lookup(q, which, &q->loan, &t, err);
    if (!st && disabled)
        st = refuse_default(&t, "disabled", err);
    if (!st)
        st = tenant_set_disabled(&q->catalog, t.id, disabled != 0, err);
    was = t;
    t.disabled = disabled != 0;
    if (!st && was.disabled != t.disabled)
        st = audit_log_add_tenant(&q->catalog,
                                  disabled ? "tenant.disable" : "tenant.enable",
                                  &was, &t, err);
    st = end(q, st, err);
    if (!st && out)
        *out = t;
    return st;
}

/* ---- removing ----------------------------------------------------------- */

/* What is removed with a tenant. */
struct holdings {
    uint64_t sessions, other_files;
    uint64_t artifacts, bytes;
    uint64_t notes; /* memory entries and scratchpads */
};

static quire_status count_file(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct holdings *h = ctx;
    int64_t id;

    (void)info;
    (void)err;
    name = tenants_skip(name, &id);
    if (!strncmp(name, "archive/", 8))
        name += 8;
    if (!strncmp(name, "sessions/", 9) && names_is_session(bytes_str(name)))
        h->sessions++;
    else
        h->other_files++;
    return QUIRE_OK;
}

static quire_status refuse_full(const quire_tenant *t, const struct holdings *h,
                                quire_error *err)
{
    if (!h->sessions && !h->other_files && !h->artifacts && !h->notes)
        return QUIRE_OK;
    return err_fail(err, QUIRE_EXISTS,
                    HINT_SHELL "--yes removes it with all of that, for good",
                    "tenant %s has %" PRIu64 " session%s, %" PRIu64
                    " artifact%s of %" PRIu64 " bytes, %" PRIu64
                    " note%s and %" PRIu64 " other file%s",
                    t->name, h->sessions, h->sessions == 1 ? "" : "s",
                    h->artifacts, h->artifacts == 1 ? "" : "s", h->bytes,
                    h->notes, h->notes == 1 ? "" : "s", h->other_files,
                    h->other_files == 1 ? "" : "s");
}

/* Rows that no foreign key deletes: cached lists of sessions. */
static quire_status drop_derived(struct quire *q, int64_t id, quire_error *err)
{
    static const char *const lists[] = {"sessions", "archive/sessions"};
    quire_status st = QUIRE_OK;
    char text[96];
    size_t i;

    for (i = 0; i < sizeof lists / sizeof *lists && !st; i++) {
        snprintf(text, sizeof text, "tenants/%" PRId64 "/%s", id, lists[i]);
        st = list_cache_forget(q->catalog.db, text, err);
    }
    return st;
}

static quire_status refuse_held(struct quire *q, const quire_tenant *t,
                                quire_error *err)
{
    uint64_t n;
    quire_status st = session_keeps_held(&q->catalog, t->id, &n, err);

    if (st || n == 0)
        return st;
    return err_fail(err, QUIRE_EXISTS,
                    HINT_SHELL "`quire session ls` of the tenant lists them; "
                               "release them first",
                    "tenant %s has %" PRIu64 " held session%s", t->name, n,
                    n == 1 ? "" : "s");
}

/* Inside a transaction. `h` has the files; NULL: remove whatever there is. */
static quire_status remove_rows(struct quire *q, const quire_tenant *t,
                                struct holdings *h, const char *dir,
                                quire_error *err)
{
    quire_status st = refuse_held(q, t, err);

    if (!st && h)
        st = tenant_artifacts(&q->catalog, t->id, &h->artifacts, &h->bytes,
                              err);
    if (!st && h)
        st = memory_count(q->catalog.db, t->id, &h->notes, err);
    if (!st && h)
        st = refuse_full(t, h, err);
    if (!st)
        st = drop_derived(q, t->id, err);
    return st ? st : tenant_drop(&q->catalog, t->id, dir, err);
}

/* The transaction. Ids are never reused, so the tenant is the one the caller
 * found. */
static quire_status forget(struct quire *q, const quire_tenant *t,
                           struct holdings *h, const char *dir,
                           quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_tenant now;
    quire_status st = db_begin(q->catalog.db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = tenant_by_id(&q->catalog, t->id, &tmp, &now, err);
    if (st == QUIRE_NOT_FOUND)
        tenants_unknown(q, t->name, err);
    if (!st)
        st = remove_rows(q, t, h, dir, err);
    if (!st)
        st = audit_log_add_tenant(&q->catalog, "tenant.remove", &now, NULL,
                                  err);
    arena_release(&tmp);
    return end(q, st, err);
}

quire_status quire_tenant_remove(quire *q, const char *which, int all,
                                 quire_error *err)
{
    struct holdings h = {0};
    struct store *home;
    char dir[TENANT_DIR_SIZE];
    quire_error why = {0};
    quire_tenant t = {.id = 0};
    quire_status st = need_all_artifacts(q, true, err);

    if (!st)
        st = transaction_check_none(q, "removal of a tenant", err);
    if (!st)
        st = tenants_lookup(q, which, &q->loan, &t, err);
    if (!st)
        st = refuse_default(&t, "removed", err);
    if (!st)
        st = need_home(q, &home, err);
    if (st)
        return st;
    tenants_dir(t.id, dir);
    if (!all) /* before the transaction: others would wait for the disk */
        st = object_list(home->objects, dir, count_file, &h, err);
    if (!st)
        st = forget(q, &t, all ? NULL : &h, dir, err);
    if (st)
        return st;
    if (!removal_finish_tree(q, home, dir, &why))
        return QUIRE_OK;
    return err_fail(err, QUIRE_IO, "the next write to the home tries again",
                    "tenant %s is removed, but not all of its files: %.100s",
                    t.name, why.what);
}

/* ---- audit log ---------------------------------------------------------- */

quire_status quire_audit_list(quire *q, int64_t before_id, uint64_t limit,
                              quire_audit_fn each, void *ctx, quire_error *err)
{
    quire_status st = need_rows(q, false, err);

    if (st == QUIRE_NOT_FOUND ||
        (!st && !catalog_has(&q->catalog, SCHEMA_AUDIT_LOG)))
        return QUIRE_OK;
    if (st)
        return st;
    q->in_callback = true;
    st = audit_log_list(&q->catalog, before_id, limit, each, ctx, err);
    q->in_callback = false;
    return st;
}
