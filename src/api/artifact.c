/*
 * artifact.c - artifacts, as quire/artifact.h has them
 *
 * Resolves sessions, checks options and words failures; src/artifact has the rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/artifact.h"
#include "artifact/mime.h"
#include "artifact/path.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "api/artifact_search.h"
#include "api/search_query.h"
#include "api/core/reserve.h"
#include "api/workspace.h"

/* ---- what may be put ---------------------------------------------------- */

quire_status quire_artifact_path(quire_bytes path, char out[257],
                                 const char **reason, quire_error *err)
{
    return path_check(path, out, reason, err);
}

quire_status quire_artifact_put(quire *q, const char *session, const char *path,
                                quire_bytes content,
                                const quire_artifact_options *options,
                                quire_artifact *out, quire_error *err)
{
    quire_artifact_options full = QUIRE_ARTIFACT_OPTIONS_INIT;
    struct artifact_limits limits;
    struct artifact_new what = {.tenant = q->tenant,
                                .content = content,
                                .options = &full,
                                .limits = &limits};
    quire_artifact ignored;
    char clean[PATH_BYTES_MAX + 1];
    const char *key;
    uint64_t secrets = 0;
    quire_status st = need_artifacts(q, true, err);

    OPTIONS_READ(full, options);
    if (!st)
        st = path_check(bytes_str(path), clean, NULL, err);
    if (!st)
        st = artifact_check_options(&full, err);
    if (!st)
        st = artifacts_limits(q, &limits, err);
    if (!st)
        st = session_key_and_file(q, session, &q->loan, &key, &what.file, err);
    if (st)
        return st;
    what.name = what.file ? what.file + strlen(q->home) + 1 : NULL;
    what.path = arena_text(&q->loan, bytes_str(clean));
    what.key = arena_text(&q->loan, bytes_str(key));
    if (!what.path || !what.key)
        return err_memory(err);
    st = secrets_guard_text(q, clean, &q->loan, &what.content, &secrets, err);
    if (!st)
        st = artifact_put(q->artifacts, &what, &q->loan, out ? out : &ignored,
                          err);
    if (!st && out)
        out->secrets = secrets;
    if (!st)
        workspace_follow_artifact(q, what.key, what.path, FOLLOW_PUT, NULL);
    return st;
}

/* ---- which one ---------------------------------------------------------- */

/* `session` is "" where any session would do. */
static quire_status missing(const char *session, const char *which,
                            quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_NOT_FOUND,
                 HINT_SHELL
                 "`quire artifact ls` lists those of the session, `ls "
                 "--deleted` soft-deleted ones",
                 "no artifact %.100s%s%.60s", which,
                 session && !*session ? "" : " in session ",
                 session ? session : "user");
    return st;
}

/* What a caller in a session may reach. */
struct reach {
    bool away;        /* soft-deleted artifacts too                       */
    bool any_session; /* by id: artifacts of other sessions              */
    int64_t via;      /* by id: what this memory entry links             */
};

/* Whether the cited memory entry links the artifact. */
static quire_status check_citation(struct quire *q, int64_t entry, int64_t id,
                                   quire_error *err)
{
    bool links = false;
    quire_status st = memory_links(q, entry, id, &links, err);

    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st,
                 HINT_SHELL "`quire memory ls` lists those that are valid",
                 "no memory entry #%lld", (long long)entry);
    } else if (!st && !links) {
        st = err_set(err, QUIRE_NOT_FOUND,
                     "memory entry #%lld does not link artifact #%lld",
                     (long long)entry, (long long)id);
        err_next(err, HINT_SHELL "`quire memory show %lld` says what it links",
                 (long long)entry);
    }
    return st;
}

static quire_status elsewhere(int64_t id, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_NOT_FOUND,
                 HINT_SHELL "cite a memory entry that links it: --via mem:ID",
                 "artifact #%lld belongs to another session", (long long)id);
    return st;
}

/* By its id, in the tenant. */
static quire_status find_id(struct quire *q, const struct session_row *owner,
                            int64_t id, struct reach reach, const char *session,
                            quire_artifact *out, quire_error *err)
{
    char which[32];
    quire_status st = artifact_by_id(q->artifacts, q->tenant, id, &q->loan, out,
                                     err);

    snprintf(which, sizeof which, "#%lld", (long long)id);
    if (st == QUIRE_NOT_FOUND || (!st && out->deleted_us && !reach.away))
        return missing(reach.any_session ? "" : session, which, err);
    if (st || out->session_id == owner->session || reach.any_session)
        return st;
    return reach.via ? check_citation(q, reach.via, id, err)
                     : elsewhere(id, err);
}

/* The artifact that `which` names, seen from a session. */
static quire_status find(struct quire *q, const char *session,
                         const char *which, struct reach reach,
                         quire_artifact *out, quire_error *err)
{
    struct session_row owner = {.tenant = q->tenant};
    char clean[PATH_BYTES_MAX + 1];
    const char *key;
    int64_t id;
    bool by_id = *which == '#' && read_id(which + 1, &id);
    quire_status st = session_key(q, session, &q->loan, &key, err);

    if (st)
        return st;
    if (by_id) {
        /* A session without a row has no artifacts, but may read others. */
        st = session_row_find(&q->catalog, q->tenant, key, &owner, err);
        return st && st != QUIRE_NOT_FOUND
                   ? st
                   : find_id(q, &owner, id, reach, session, out, err);
    }
    st = path_check(bytes_str(which), clean, NULL, err);
    if (!st)
        st = artifact_by_path(q->artifacts, q->tenant, key, clean, &q->loan,
                              out, err);
    return st == QUIRE_NOT_FOUND ? missing(session, which, err) : st;
}

quire_status quire_artifact_stat(quire *q, const char *session,
                                 const char *which,
                                 const quire_artifact_get_options *options,
                                 quire_artifact *out, quire_error *err)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    struct reach reach = {.away = false};
    quire_status st = need_artifacts(q, false, err);

    OPTIONS_READ(o, options);
    reach.any_session = o.any_session;
    reach.via = o.via;
    *out = (quire_artifact){.id = 0};
    if (st == QUIRE_NOT_FOUND)
        return missing(session, which, err);
    if (!st)
        st = find(q, session, which, reach, out, err);
    if (!st && q->catalog.schema >= SCHEMA_READ_COUNTS)
        st = artifact_reads(q->artifacts, q->tenant, out, err);
    if (st || o.version == 0 || o.version == out->version)
        return st;
    st = artifact_version(q->artifacts, q->tenant, o.version, &q->loan, out,
                          err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st,
                 HINT_SHELL
                 "`quire artifact versions` lists those that are kept",
                 "%.100s has no version %lld", which, (long long)o.version);
    }
    return st;
}

/* The current version of an artifact and, if *has, its content, with one query. */
static quire_status find_content(struct quire *q, const char *session,
                                 const char *path, quire_artifact *out,
                                 bool *has, quire_bytes *content,
                                 quire_error *err)
{
    char clean[PATH_BYTES_MAX + 1];
    const char *key;
    quire_status st = session_key(q, session, &q->loan, &key, err);

    *has = false;
    if (!st)
        st = path_check(bytes_str(path), clean, NULL, err);
    if (!st)
        st = artifact_content_by_path(q->artifacts, q->tenant, key, clean,
                                      &q->loan, out, has, content, err);
    return st == QUIRE_NOT_FOUND ? missing(session, path, err) : st;
}

static bool is_current_by_path(const struct quire *q, const char *which,
                               const quire_artifact_get_options *options)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;

    OPTIONS_READ(o, options);
    return *which != '#' && o.version == 0 &&
           q->catalog.schema >= SCHEMA_READ_COUNTS;
}

static quire_status write_content(struct quire *q, quire_bytes content,
                                  quire_write_fn write, void *ctx,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;

    q->in_callback = true;
    if (content.len)
        st = write(ctx, content, err);
    q->in_callback = false;
    return st;
}

quire_status quire_artifact_get(quire *q, const char *session,
                                const char *which,
                                const quire_artifact_get_options *options,
                                quire_write_fn write, void *ctx,
                                quire_artifact *out, quire_error *err)
{
    bool has = false;
    quire_bytes content;
    quire_artifact one;
    quire_status st = need_artifacts(q, false, err);

    if (!st && is_current_by_path(q, which, options))
        st = find_content(q, session, which, &one, &has, &content, err);
    else
        st = quire_artifact_stat(q, session, which, options, &one, err);
    if (st)
        return st;
    if (out)
        *out = one;
    st = has ? write_content(q, content, write, ctx, err)
             : read_whole(q, &one.digest, write, ctx, err);
    /* The read succeeded, also if it cannot be counted. */
    if (!st && !q->read_only)
        artifact_count_read(q->artifacts, q->tenant, one.id, NULL);
    return st;
}

quire_status quire_artifact_count_read(quire *q, int64_t id, quire_error *err)
{
    quire_status st = need_artifacts(q, true, err);

    return st ? st : artifact_count_read(q->artifacts, q->tenant, id, err);
}

quire_status quire_artifact_recount(quire *q, uint64_t *wrong, quire_error *err)
{
    uint64_t n = 0;
    quire_status st = need_artifacts(q, true, err);

    if (!st)
        st = catalog_recount(&q->catalog, &n, err);
    if (wrong)
        *wrong = n;
    return st;
}

/* The session to search: 0 for all. *none: there are no artifacts. */
static quire_status find_scope(struct quire *q, const char *session, bool all,
                               int64_t *out, bool *none, quire_error *err)
{
    struct session_row owner;
    const char *key;
    quire_status st = need_all_artifacts(q, false, err);

    *out = 0;
    *none = st == QUIRE_NOT_FOUND;
    if (!st)
        st = tenants_check(q, err);
    else if (*none)
        st = QUIRE_OK;
    if (!st && !all)
        st = session_key(q, session, &q->loan, &key, err);
    if (st || *none || all)
        return st;
    st = session_row_find(&q->catalog, q->tenant, key, &owner, err);
    *none = st == QUIRE_NOT_FOUND;
    if (!st)
        *out = owner.session;
    return *none ? QUIRE_OK : st;
}

/* ---- lists -------------------------------------------------------------- */

quire_status quire_artifact_list(quire *q, const char *session,
                                 const quire_artifact_list_options *options,
                                 quire_artifact_fn each, void *ctx,
                                 quire_error *err)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    struct artifact_range range = {.tenant = q->tenant};
    quire_status st;
    bool none;

    OPTIONS_READ(o, options);
    st = find_scope(q, session, o.all_sessions, &range.session, &none, err);
    if (st || none)
        return st;
    range.deleted = o.deleted;
    range.limit = o.limit;
    range.before_us = o.before_us;
    range.before_id = o.before_id;
    q->in_callback = true;
    st = artifact_list(q->artifacts, &range, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_artifact_versions(quire *q, const char *session,
                                     const char *which, quire_artifact_fn each,
                                     void *ctx, quire_error *err)
{
    quire_artifact one;
    quire_status st = quire_artifact_stat(q, session, which, NULL, &one, err);

    if (st)
        return st;
    q->in_callback = true;
    st = artifact_versions(q->artifacts, q->tenant, &one, each, ctx, err);
    q->in_callback = false;
    return st;
}

/* ---- soft-delete, restore ----------------------------------------------- */

quire_status quire_artifact_remove(quire *q, const char *session,
                                   const char *which, int purge,
                                   quire_error *err)
{
    return quire_artifact_remove_expected(q, session, which, purge, NULL, err);
}

quire_status quire_artifact_remove_expected(quire *q, const char *session,
                                            const char *which, int purge,
                                            const char *expect,
                                            quire_error *err)
{
    quire_artifact one = {.id = 0};
    struct reach reach = {.away = purge};
    quire_status st;

    reserve_release(q);
    st = need_artifacts(q, true, err);
    if (!st)
        st = find(q, session, which, reach, &one, err);
    if (st)
        return st;
    /* Otherwise an edited file would become a new artifact afterwards. */
    if (!one.deleted_us)
        st = workspace_follow_artifact(q, one.session, one.path, FOLLOW_BEFORE,
                                       err);
    if (!st)
        st = purge
                 ? artifact_purge(q->artifacts, q->tenant, one.id, expect, err)
                 : artifact_remove(q->artifacts, q->tenant, one.id, expect,
                                   err);
    if (!st)
        workspace_follow_artifact(q, one.session, one.path, FOLLOW_AWAY, NULL);
    return st == QUIRE_NOT_FOUND ? missing(session, which, err) : st;
}

quire_status quire_artifact_restore(quire *q, const char *session,
                                    const char *path, quire_artifact *out,
                                    quire_error *err)
{
    char clean[PATH_BYTES_MAX + 1];
    struct artifact_limits limits;
    quire_artifact ignored;
    const char *key;
    quire_status st = need_artifacts(q, true, err);

    if (!st)
        st = path_check(bytes_str(path), clean, NULL, err);
    if (!st)
        st = artifacts_limits(q, &limits, err);
    if (!st)
        st = session_key(q, session, &q->loan, &key, err);
    if (st)
        return st;
    st = artifact_restore(q->artifacts, q->tenant, key, clean, &limits,
                          &q->loan, out ? out : &ignored, err);
    if (!st)
        workspace_follow_artifact(q, key, clean, FOLLOW_PUT, NULL);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, HINT_SHELL "`quire artifact ls --deleted` lists them",
                 "no soft-deleted artifact %.100s", clean);
    }
    return st;
}

/* ---- search ------------------------------------------------------------- */

static quire_status nothing_found(const char *query, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_NOT_FOUND,
                 HINT_SHELL
                 "all words must be there; --all-sessions looks in every "
                 "session",
                 "no artifact has %.100s in it", query);
    return st;
}

/* The session to search, by its id; NULL: all of them. *none: there are no artifacts. */
static quire_status find_key(struct quire *q, const char *session, bool all,
                             const char **key, bool *none, quire_error *err)
{
    quire_status st = need_artifacts(q, false, err);

    *key = NULL;
    *none = st == QUIRE_NOT_FOUND;
    if (*none)
        st = QUIRE_OK;
    return st || all ? st : session_key(q, session, &q->loan, key, err);
}

quire_status quire_artifact_search(quire *q, const char *session,
                                   const char *query,
                                   const quire_artifact_search_options *options,
                                   quire_hit_fn each, void *ctx, int *partial,
                                   quire_error *err)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    struct artifact_query question = {.text = query};
    uint64_t n = 0;
    bool none;
    quire_status st;

    if (partial)
        *partial = 0;
    OPTIONS_READ(o, options);
    st = find_key(q, session, o.all_sessions, &question.key, &none, err);
    if (!st && none)
        st = search_query_check(q, bytes_str(query), err);
    if (!st && !none) {
        question.tag = o.tag;
        question.mime = o.mime;
        question.since_us = o.since_us;
        question.until_us = o.until_us;
        question.limit = o.limit ? o.limit : UINT64_MAX;
        st = artifact_search(q, &question, each, ctx, &n, err);
    }
    return !st && n == 0 ? nothing_found(query, err) : st;
}
