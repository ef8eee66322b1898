/*
 * workspace.c - files that lie open, against the artifacts they are
 *
 *     artifacts/sessions/<id>/agent/<path>, artifacts/user/<path>
 *
 * is the artifact <path> of its session. A session without such a directory has
 * nothing to compare.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "api/core/orphans.h"
#include "blob/hash.h"
#include "check/check.h"
#include "workspace/workspace.h"

#define SESSIONS "artifacts/sessions/"
#define AGENT    "/agent/"

/* Of one length. */
#define BUILT_IN_USER "artifacts/user/"
#define BUILT_IN_TEMP "artifacts/temp/"

struct spaces {
    struct checks *c;
    struct store *home;
    struct map seen;               /* "<tenant> <id>/<path>" of files */
    struct map dirs;               /* "<tenant> <id>" of directories  */
    struct artifact_limits own;    /* of the default tenant        */
    struct artifact_limits others; /* of the other tenants         */
    int dir;                       /* the home                     */
};

static quire_status report_file(struct checks *c, const char *where,
                                const char *kind, const char *what,
                                quire_error *err)
{
    quire_problem p = {.where = where, .kind = kind};

    problem_what(&p, "%s", what);
    problem_next(&p,
                 "`quire watch --once` makes files and artifacts agree; the "
                 "file wins, and what it replaces is a version");
    return checks_found(c, &p, NULL, err);
}

static quire_status hash_file(struct store *store, const char *name,
                              quire_digest *out, uint64_t *size,
                              quire_error *err)
{
    enum { PIECE = 64 * 1024 };
    char *piece = malloc(PIECE);
    struct object_info info;
    struct object *file = NULL;
    struct hash h;
    size_t n = 1;
    quire_status st = piece
                          ? object_open(store->objects, name, &file, &info, err)
                          : err_memory(err);

    hash_init(&h);
    for (*size = 0; !st && n > 0; *size += n) {
        st = object_read(file, *size, piece, PIECE, &n, err);
        if (!st)
            hash_add(&h, bytes_of(piece, n));
    }
    hash_end(&h, out);
    if (file)
        object_close(file);
    free(piece);
    return st;
}

/* The session and the path that a name in the home is about. */
static bool read_name(const char *name, int64_t *tenant, quire_bytes *id,
                      const char **path)
{
    const char *at = tenants_skip(name, tenant), *agent;

    if (*tenant == 0)
        *tenant = TENANT_DEFAULT;
    if (!strncmp(at, BUILT_IN_USER, sizeof BUILT_IN_USER - 1) ||
        !strncmp(at, BUILT_IN_TEMP, sizeof BUILT_IN_TEMP - 1)) {
        *id = bytes_of(at + sizeof "artifacts/" - 1, 4);
        *path = at + sizeof BUILT_IN_USER - 1;
        return **path != '\0';
    }
    if (strncmp(at, SESSIONS, sizeof SESSIONS - 1) != 0)
        return false;
    at += sizeof SESSIONS - 1;
    agent = strchr(at, '/');
    if (!agent || strncmp(agent, AGENT, sizeof AGENT - 1) != 0)
        return false;
    *id = bytes_of(at, (size_t)(agent - at));
    *path = agent + sizeof AGENT - 1;
    return **path != '\0';
}

static quire_status compare_file(struct spaces *w, const char *name,
                                 const quire_artifact *a, quire_error *err)
{
    quire_digest digest;
    uint64_t size;
    quire_status st = hash_file(w->home, name, &digest, &size, err);

    if (st || (size == a->size && digest_equal(&digest, &a->digest)))
        return st;
    return report_file(w->c, name, "workspace_differs",
                       "it is not what the artifact of this path has", err);
}

static const struct artifact_limits *limits_of(const struct spaces *w,
                                               int64_t tenant)
{
    return tenant == TENANT_DEFAULT ? &w->own : &w->others;
}

/* What is hidden, has no name for an artifact or is too large is none. */
static bool may_be_artifact(const struct spaces *w, int64_t tenant,
                            const char *path, const struct object_info *info)
{
    char clean[257];

    return info->size <= limits_of(w, tenant)->file &&
           !quire_artifact_path(bytes_str(path), clean, NULL, NULL) &&
           !strcmp(clean, path);
}

/* Whether a sync leaves a file without an artifact as it is: it can be
 * regenerated, cannot be read or does not fit into the quota. */
static bool is_left_out(const struct spaces *w, int64_t tenant,
                        const char *name, const char *path,
                        const struct session_row *owner,
                        const struct object_info *info)
{
    const struct artifact_limits *l = limits_of(w, tenant);

    return workspace_is_generated(w->dir, name, (size_t)(path - name)) ||
           owner->session_used + info->size > l->session ||
           owner->tenant_used + info->size > l->tenant ||
           (faccessat(w->dir, name, R_OK, AT_EACCESS) < 0 && errno == EACCES);
}

static quire_status check_file(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct spaces *w = ctx;
    struct checks *c = w->c;
    quire_artifact one;
    struct session_row owner = {.session = 0};
    quire_bytes id;
    const char *path, *key, *dir, *whole;
    int64_t tenant;
    quire_status st;

    if (!read_name(name, &tenant, &id, &path) ||
        !may_be_artifact(w, tenant, path, info))
        return QUIRE_OK;
    key = arena_text(&c->keep, id);
    dir = arena_printf(&c->keep, "%lld %s", (long long)tenant, key);
    whole = arena_printf(&c->keep, "%s/%s", dir, path);
    if (!key || !dir || !whole || !map_put(&w->dirs, bytes_str(dir), 1, NULL) ||
        !map_put(&w->seen, bytes_str(whole), 1, NULL))
        return err_memory(err);
    st = session_row_find(&c->q->catalog, tenant, key, &owner, err);
    if (st == QUIRE_NOT_FOUND && !map_get(&c->seen, bytes_str(dir)))
        return QUIRE_OK; /* an orphan, or just being removed */
    if (!st)
        st = artifact_by_path(c->q->artifacts, tenant, key, path, &c->keep,
                              &one, err);
    if (st == QUIRE_NOT_FOUND)
        return is_left_out(w, tenant, name, path, &owner, info)
                   ? QUIRE_OK
                   : report_file(c, name, "workspace_extra",
                                 "it is in the workspace, and no artifact",
                                 err);
    return st ? st : compare_file(w, name, &one, err);
}

/* Artifacts of sessions that have a directory, and are not in it. */
static quire_status check_rows(struct spaces *w, quire_error *err)
{
    static const char sql[] =
        "SELECT a.tenant, s.key, a.path FROM artifact a JOIN session s ON s.id"
        " = a.session WHERE a.deleted = 0";
    struct db *db = w->c->q->catalog.db;
    struct stmt *s;
    bool row = true;
    quire_status st = db_prepare(db, sql, &s, err);

    if (st)
        return st;
    while (!(st = stmt_step(s, &row, err)) && row) {
        quire_bytes key = stmt_column_bytes(s, 1), path;
        char dir[160], whole[1400];

        snprintf(dir, sizeof dir, "%lld %.*s", (long long)stmt_column_int(s, 0),
                 (int)key.len, (const char *)key.data);
        path = stmt_column_bytes(s, 2);
        snprintf(whole, sizeof whole, "%s/%.*s", dir, (int)path.len,
                 (const char *)path.data);
        if (map_get(&w->dirs, bytes_str(dir)) &&
            !map_get(&w->seen, bytes_str(whole)))
            st = report_file(
                w->c, whole, "workspace_missing",
                "the artifact is not in the workspace of its session", err);
        if (st)
            break;
    }
    stmt_finalize(s);
    return st;
}

/* `tenant` 0: any but the default one. */
static quire_status read_limits(struct checks *c, int64_t tenant,
                                struct artifact_limits *out, quire_error *err)
{
    struct catalog *k = &c->q->catalog;
    quire_status st = settings_number(k, tenant, "quota.file", &out->file, err);

    if (!st)
        st = settings_number(k, tenant, "quota.session", &out->session, err);
    if (!st)
        st = settings_number(k, tenant, "quota.tenant", &out->tenant, err);
    return st;
}

quire_status check_workspaces(struct checks *c, quire_error *err)
{
    struct spaces w = {.c = c, .dir = -1};
    quire_error why = {.what = ""};
    quire_status st = need_home(c->q, &w.home, &why);

    if (!st)
        st = need_catalog(c->q, false, &why);
    if (!st)
        st = read_limits(c, TENANT_DEFAULT, &w.own, &why);
    if (!st)
        st = read_limits(c, 0, &w.others, &why);
    if (!st)
        st = fs_open_dir(c->q->home, false, &w.dir, &why);
    map_init(&w.seen, c->seen.seed[0], c->seen.seed[1]);
    map_init(&w.dirs, c->seen.seed[0], c->seen.seed[1]);
    if (!st)
        st = object_list(w.home->objects, "artifacts", check_file, &w, &why);
    if (!st)
        st = object_list(w.home->objects, "tenants", check_file, &w, &why);
    if (!st && w.dirs.n > 0)
        st = check_rows(&w, &why);
    if (w.dir >= 0)
        close(w.dir);
    map_release(&w.seen);
    map_release(&w.dirs);
    return checks_report_failure(c, "artifacts", st, &why, err);
}

/* ---- orphans ------------------------------------------------------------ */

static quire_status report_orphan(void *ctx, const struct orphan *o,
                                  quire_error *err)
{
    quire_problem p = {.where = o->name, .kind = "orphan"};

    if (o->kind == ORPHAN_EMPTY)
        return QUIRE_OK;
    if (o->why) {
        *err = *o->why;
        return err->status;
    }
    problem_what(&p, "%s of a session that does not exist, %llu file%s",
                 o->kind == ORPHAN_OUTPUTS ? "outputs" : "workspace",
                 (unsigned long long)o->n_files, o->n_files == 1 ? "" : "s");
    problem_next(&p, "`quire gc` removes it once it is older than gc.grace");
    return checks_found(ctx, &p, NULL, err);
}

/* What a writer creates during the check has changed since it began. */
quire_status check_orphans(struct checks *c, quire_error *err)
{
    quire_error why = {.what = ""};
    quire_status st = orphans_each(c->q, c->begun_ns, report_orphan, c, &why);

    return checks_report_failure(c, "artifacts", st, &why, err);
}
