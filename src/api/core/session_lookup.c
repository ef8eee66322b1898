/*
 * session_lookup.c - finding the session that a name means
 *
 * Sessions are in sessions/, one directory a project; archived ones in
 * archive/sessions/. A session is named by its id, a prefix of its id or of its
 * file name, a path, or "last". Directory names are for people: the header of a
 * session says where it belongs, so a lookup always covers all directories.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/utf8.h"
#include "api/core/cluster.h"
#include "api/core/handle.h"
#include "session/list.h"
#include "session/names.h"

static const char *const roots[] = {"sessions", "archive/sessions"};

void session_location_release(struct session_location *p)
{
    if (p->own_store && p->store)
        store_free(p->store);
    p->store = NULL;
}

/* ---- directories -------------------------------------------------------- */

static const char *real(const char *path, char out[PATH_MAX])
{
    return path && *path && realpath(path, out) ? out : path;
}

const char *session_dir_of_cwd(struct quire *q, const char *cwd,
                               struct arena *keep)
{
    bool omp = q->kind == QUIRE_KIND_OMP;
    char real_cwd[PATH_MAX], home[PATH_MAX], tmp[PATH_MAX];
    struct buf b = BUF_INIT(1 << 20); /* before it is shortened */
    const char *out = NULL, *temp = getenv("TMPDIR");

    buf_add_str(&b, "sessions/");
    if (omp)
        names_dir(real(cwd, real_cwd), true, real(getenv("HOME"), home),
                  real(temp && *temp ? temp : "/tmp", tmp), &b);
    else
        names_dir(cwd, false, NULL, NULL, &b);
    if (!b.failed)
        out = arena_text(keep, buf_bytes(&b));
    buf_release(&b);
    return out;
}

const char *session_outputs_dir(const char *name, struct arena *keep)
{
    quire_bytes whole = bytes_str(name);

    if (names_is_session(whole))
        return arena_text(keep, names_stem(whole));
    return arena_printf(keep, "%s.outputs", name);
}

const char *session_name_from_home(const struct quire *q, const char *name,
                                   struct arena *keep)
{
    return q->tenant == TENANT_DEFAULT
               ? name
               : arena_printf(keep, "tenants/%lld/%s", (long long)q->tenant,
                              name);
}

/* ---- by path ------------------------------------------------------------ */

/* The part of an absolute path below a directory, or NULL. */
static const char *below(const char *dir, const char *path)
{
    char whole[PATH_MAX];
    size_t len;

    if (!realpath(dir, whole))
        return NULL;
    len = strlen(whole);
    return !strncmp(path, whole, len) && path[len] == '/' ? path + len + 1
                                                          : NULL;
}

static bool is_in_sessions(const char *name)
{
    return !strncmp(name, "sessions/", 9) || !strncmp(name, "archive/", 8);
}

/* The part of an absolute path below the tenant's root, or NULL. */
static const char *below_root(struct quire *q, const char *path)
{
    path = below(q->root, path);
    return path && is_in_sessions(path) ? path : NULL;
}

/* Whether a path outside the root belongs to another tenant. It is reported as
 * not found. */
static bool is_others(struct quire *q, const char *path)
{
    const char *name;
    int64_t id;

    if (q->kind != QUIRE_KIND_NATIVE)
        return false;
    name = below(q->home, path);
    return name &&
           (q->tenant != TENANT_DEFAULT || tenants_skip(name, &id) != name);
}

static bool names_omp(const char *path)
{
    return strstr(path, "/.omp/") != NULL;
}

/* A name in the database: below its address, or below the root, as answers have it. */
static quire_status find_shared(struct quire *q, const char *which,
                                struct arena *keep,
                                struct session_location *out, quire_error *err)
{
    const char *place = cluster_place(q->cluster);
    const char *tenant = session_name_from_home(q, "", keep);
    const char *below = tenant ? arena_printf(keep, "%s/%s", place, tenant)
                               : NULL;
    struct object_info info;
    size_t len;
    quire_status st = below ? need_all(q, err) : err_memory(err);

    if (st)
        return st;
    len = strlen(q->root);
    if (!strncmp(which, below, strlen(below)))
        which += strlen(below);
    else if (!strncmp(which, q->root, len) && which[len] == '/')
        which += len + 1;
    else
        return QUIRE_NOT_FOUND;
    if (!is_in_sessions(which))
        return QUIRE_NOT_FOUND;
    *out = (struct session_location){.store = q->all, .in_home = true};
    out->archived = !strncmp(which, "archive/", 8);
    out->name = arena_text(keep, bytes_str(which));
    return out->name ? log_stat(q->all->logs, out->name, &info, err)
                     : err_memory(err);
}

static quire_status find_path(struct quire *q, const char *which,
                              struct arena *keep, struct session_location *out,
                              quire_error *err)
{
    char path[PATH_MAX], *slash;
    const char *inside;
    struct stat info;
    quire_status st;

    if (q->cluster)
        return find_shared(q, which, keep, out, err);
    if (!realpath(which, path))
        return errno == ENOENT || errno == ENOTDIR
                   ? QUIRE_NOT_FOUND
                   : err_sys(err, errno, "cannot open %s", which);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        st = err_fail(err, QUIRE_INVALID,
                      "name the .jsonl file, or a session's id",
                      "%s is %s, not a session file", which,
                      S_ISDIR(info.st_mode) ? "a directory" : "no plain file");
        return st;
    }
    inside = below_root(q, path);
    if (!inside && is_others(q, path))
        return QUIRE_NOT_FOUND;
    if (inside) {
        st = need_all(q, err);
        if (st)
            return st;
        *out = (struct session_location){.store = q->all, .in_home = true};
        out->archived = !strncmp(inside, "archive/", 8);
        out->omp = q->kind == QUIRE_KIND_OMP;
        out->name = arena_text(keep, bytes_str(inside));
    } else {
        slash = strrchr(path, '/');
        *out = (struct session_location){.own_store = true,
                                         .omp = names_omp(path)};
        out->name = arena_text(keep, bytes_str(slash + 1));
        *slash = '\0';
        st = store_files_open(*path ? path : "/", q->read_only, &out->store,
                              err);
        if (st)
            return st;
    }
    if (out->name)
        return QUIRE_OK;
    session_location_release(out);
    return err_memory(err);
}

/* ---- by id -------------------------------------------------------------- */

struct search {
    quire_bytes wanted;
    const char *dir;
    struct arena *keep;
    char *found;
    int n;      /* how many begin so                      */
    bool exact; /* the one found is called just so        */
    struct store *store;
    const char *root;
    char other[64]; /* a second one, for the message      */
};

static bool same_id(quire_bytes a, quire_bytes b)
{
    return a.len == b.len && !strncasecmp(a.data, b.data, a.len);
}

static quire_status see_file(void *ctx, const char *base,
                             const struct object_info *info, quire_error *err)
{
    struct search *s = ctx;
    quire_bytes name = bytes_str(base), id = names_id_in_file(name);
    bool exact;

    if (!info || base[0] == '.' || !names_is_session(name) ||
        !names_match(id, name, s->wanted))
        return QUIRE_OK;
    exact = same_id(id, s->wanted) || same_id(name, s->wanted);
    if (s->exact && !exact)
        return QUIRE_OK;
    if (exact && !s->exact)
        s->n = 0; /* prefixes do not count */
    s->exact = exact;
    if (s->n++ > 0) {
        snprintf(s->other, sizeof s->other, "%.*s", (int)id.len,
                 (const char *)id.data);
        return QUIRE_OK;
    }
    s->found = arena_printf(s->keep, "%s/%s", s->dir, base);
    return s->found ? QUIRE_OK : err_memory(err);
}

static quire_status see_dir(void *ctx, const char *name,
                            const struct object_info *info, quire_error *err)
{
    struct search *s = ctx;

    if (info)
        return QUIRE_OK;
    s->dir = arena_printf(s->keep, "%s/%s", s->root, name);
    if (!s->dir)
        return err_memory(err);
    return directory_scan(s->store->dirs, s->dir, see_file, s, err);
}

/* Find by the id in the header: the file was renamed. */
static quire_status find_in_headers(struct quire *q, struct search *s,
                                    quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct list l = {.arena = &tmp};
    quire_status st;
    size_t i;

    l.key = session_name_from_home(q, s->root, &tmp);
    st = l.key ? list_find(&l, q->all->logs, s->root, q->catalog.db, false, err)
               : err_memory(err);

    for (i = 0; !st && i < l.n; i++) {
        const char *id = l.order[i]->meta.id;

        if (!names_match(bytes_str(id), bytes_str(""), s->wanted))
            continue;
        if (s->n++ == 0) {
            s->found = arena_text(s->keep, bytes_str(l.order[i]->name));
            if (!s->found)
                st = err_memory(err);
        } else {
            snprintf(s->other, sizeof s->other, "%s", id);
        }
    }
    list_release(&l);
    arena_release(&tmp);
    return st;
}

static quire_status several(struct search *s, const char *which,
                            quire_error *err)
{
    quire_bytes first = names_id_in_file(bytes_str(s->found));

    if (s->exact)
        return err_fail(err, QUIRE_INVALID,
                        HINT_SHELL
                        "name one by its path; `quire session ls` lists them",
                        "%d files have the session id %.64s", s->n, which);
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL
                    "give more of the id; `quire session ls` lists them",
                    "%d sessions begin with %.64s, such as %.*s and %s", s->n,
                    which, (int)first.len, (const char *)first.data, s->other);
}

/* Active and archived sessions together: a prefix that fits one of each is
 * ambiguous. */
static quire_status search_roots(struct quire *q, struct search *s,
                                 bool headers, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < 2; i++) {
        s->root = roots[i];
        st = headers ? find_in_headers(q, s, err)
                     : directory_scan(q->all->dirs, s->root, see_dir, s, err);
    }
    return st;
}

static quire_status find_spelled(struct quire *q, const char *which,
                                 struct arena *keep,
                                 struct session_location *out, quire_error *err)
{
    struct search s = {.wanted = bytes_str(which), .keep = keep};
    quire_status st = need_all(q, err);

    s.store = q->all;
    if (!st)
        s.found = session_cache_find(q, which, keep);
    if (s.found)
        s.n = 1;
    else if (!st)
        st = search_roots(q, &s, false, err);
    if (!st && s.n == 0)
        st = search_roots(q, &s, true, err);
    if (st || s.n == 0)
        return st ? st : QUIRE_NOT_FOUND;
    if (s.n > 1)
        return several(&s, which, err);
    if (s.exact)
        session_cache_put(q, which, s.found, false);
    *out = (struct session_location){.store = q->all,
                                     .name = s.found,
                                     .in_home = true,
                                     .omp = q->kind == QUIRE_KIND_OMP};
    out->archived = !strncmp(s.found, "archive/", 8);
    return QUIRE_OK;
}

static size_t agent_prefix(const char *id)
{
    return strncmp(id, "ses_", 4) ? 0 : 4;
}

/* By the id that an agent has given: an import leaves "ses_" out, and has "-" for
 * another "_", where the names of files are cut. */
static quire_status find_id(struct quire *q, const char *which,
                            struct arena *keep, struct session_location *out,
                            quire_error *err)
{
    quire_status st = find_spelled(q, which, keep, out, err);
    char *stored, *at;

    if (st != QUIRE_NOT_FOUND || !strchr(which, '_'))
        return st;
    stored = arena_text(keep, bytes_str(which + agent_prefix(which)));
    if (!stored)
        return err_memory(err);
    for (at = stored; (at = strchr(at, '_'));)
        *at = '-';
    return *stored ? find_spelled(q, stored, keep, out, err) : st;
}

/* ---- one that has moved ------------------------------------------------- */

struct chase {
    struct store *store;
    const char *root, *base;
    struct arena *keep;
    const char *found;
};

static quire_status see_project(void *ctx, const char *dir,
                                const struct object_info *info,
                                quire_error *err)
{
    struct chase *c = ctx;
    struct object_info there;
    const char *name;

    if (info || c->found)
        return QUIRE_OK;
    name = arena_printf(c->keep, "%s/%s/%s", c->root, dir, c->base);
    if (!name)
        return err_memory(err);
    if (!log_stat(c->store->logs, name, &there, NULL))
        c->found = name;
    return QUIRE_OK;
}

/* A session keeps the name of its file wherever it goes. */
const char *session_follow_move(struct store *home, const char *name,
                                struct arena *keep)
{
    const char *slash = strrchr(name, '/');
    struct chase c = {.store = home, .keep = keep};
    size_t i;

    if (!slash)
        return NULL;
    c.base = slash + 1;
    for (i = 0; i < sizeof roots / sizeof *roots && !c.found; i++) {
        c.root = roots[i];
        if (directory_scan(home->dirs, c.root, see_project, &c, NULL))
            return NULL;
    }
    return c.found;
}

quire_status session_location_key(const struct session_location *p,
                                  struct arena *keep, const char **key,
                                  quire_error *err)
{
    struct list_meta meta = {.id = NULL};
    struct object_info info;
    struct log *file;
    quire_status st;

    assert(p->store);
    st = log_open(p->store->logs, p->name, LOG_READ, &file, &info, err);
    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s has been removed or moved", p->name);
    if (st)
        return st;
    st = list_read(file, info.size, keep, &meta, err);
    log_close(file);
    if (!st && !meta.id) {
        st = err_set(err, QUIRE_DAMAGED, "%s has no header that can be read",
                     p->name);
    } else if (!st && session_key_is_reserved(meta.id)) {
        /* A file that claims such an id must not get, or remove, what belongs
         * to a built-in session or to one in the trash. */
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL
                      "`quire session fork` makes a session with an id of its "
                      "own",
                      "%s says that its id is %.40s, which is reserved",
                      p->name, meta.id);
    }
    *key = meta.id;
    return st;
}

/* ---- the last one ------------------------------------------------------- */

static const char *env(const char *name)
{
    return getenv(name);
}

/* Whether a breadcrumb leads to a session. */
static bool is_session(const struct session_location *p)
{
    struct arena tmp = ARENA_INIT;
    struct list_meta meta = {.id = NULL};
    struct object_info info;
    struct log *file;

    assert(p->store);
    if (log_open(p->store->logs, p->name, LOG_READ, &file, &info, NULL))
        return false;
    if (list_read(file, info.size, &tmp, &meta, NULL))
        meta.id = NULL;
    log_close(file);
    arena_release(&tmp);
    return meta.id != NULL;
}

/* The file that records which session was used last: of this terminal, or, in a
 * native home, of all processes in this directory. NULL: none, or no memory. */
static const char *crumb_of_terminal(struct arena *keep)
{
    char terminal[128];

    return names_terminal(terminal, sizeof terminal, STDIN_FILENO, env)
               ? arena_printf(keep, "terminal-sessions/%s", terminal)
               : NULL;
}

static const char *crumb_of_directory(struct quire *q, const char *cwd,
                                      struct arena *keep)
{
    static const uint64_t seed[2] = {0, 0};

    return q->kind == QUIRE_KIND_NATIVE
               ? arena_printf(keep, "terminal-sessions/dir-%016llx",
                              (unsigned long long)map_hash(seed,
                                                           bytes_str(cwd)))
               : NULL;
}

/* The session that a breadcrumb of this directory leads to, and when it was
 * used. */
static quire_status follow_crumb(struct quire *q, const char *file,
                                 const char *cwd, struct arena *keep,
                                 struct session_location *out, int64_t *used_ns)
{
    char text[2 * PATH_MAX + 64], *name;
    struct breadcrumb crumb;
    struct stat info;
    ssize_t n;
    int dir, fd;

    if (!file || fs_open_dir(q->root, false, &dir, NULL))
        return QUIRE_NOT_FOUND;
    fd = fs_open_beneath(dir, file, O_RDONLY, 0);
    close(dir);
    if (fd < 0)
        return QUIRE_NOT_FOUND;
    n = fstat(fd, &info) == 0 ? fs_read_full(fd, text, sizeof text) : -1;
    close(fd);
    if (n <= 0 || !names_read_breadcrumb(bytes_of(text, (size_t)n), &crumb) ||
        !bytes_is(crumb.cwd, cwd))
        return QUIRE_NOT_FOUND;
    *used_ns = info.st_mtim.tv_sec * INT64_C(1000000000) + info.st_mtim.tv_nsec;
    name = arena_text(keep, crumb.path);
    if (!name || find_path(q, name, keep, out, NULL))
        return QUIRE_NOT_FOUND;
    if (is_session(out))
        return QUIRE_OK;
    session_location_release(out);
    return QUIRE_NOT_FOUND;
}

/* The newest session of the directory; .name NULL: it has none. */
static quire_status find_newest(struct quire *q, const char *cwd,
                                struct arena *keep,
                                struct session_location *out,
                                int64_t *modified_ns, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct list l = {.arena = &tmp};
    quire_status st = need_all(q, err);
    size_t i;

    *out = (struct session_location){0};
    if (!st) {
        need_catalog(q, false, NULL); /* speeds up the list */
        l.key = session_name_from_home(q, roots[0], &tmp);
        st = l.key ? list_find(&l, q->all->logs, roots[0], q->catalog.db, false,
                               err)
                   : err_memory(err);
    }
    for (i = 0; !st && i < l.n; i++) {
        if (strcmp(l.order[i]->meta.cwd, cwd) != 0)
            continue;
        *out = (struct session_location){.store = q->all, .in_home = true};
        out->omp = q->kind == QUIRE_KIND_OMP;
        out->name = arena_text(keep, bytes_str(l.order[i]->name));
        *modified_ns = l.order[i]->info.modified_ns;
        if (!out->name)
            st = err_memory(err);
        break;
    }
    list_release(&l);
    arena_release(&tmp);
    return st;
}

/* The session that this terminal used last in the directory; else the one that
 * any process used last: a breadcrumb of the directory counts unless a session
 * was written later by a program that leaves none. */
static quire_status find_last(struct quire *q, struct arena *keep,
                              struct session_location *out, quire_error *err)
{
    const char *cwd = absolute_cwd(NULL, keep);
    struct session_location used = {0};
    int64_t used_ns = 0, modified_ns = 0;
    quire_status st;

    if (!cwd)
        return err_sys(err, errno, "cannot tell the working directory");
    if (!follow_crumb(q, crumb_of_terminal(keep), cwd, keep, out, &used_ns))
        return QUIRE_OK;
    follow_crumb(q, crumb_of_directory(q, cwd, keep), cwd, keep, &used,
                 &used_ns);
    st = find_newest(q, cwd, keep, out, &modified_ns, err);
    if (!st && used.name && (!out->name || used_ns >= modified_ns))
        *out = used;
    else
        session_location_release(&used);
    if (!st && !out->name) {
        st = err_fail(err, QUIRE_NOT_FOUND,
                      HINT_SHELL
                      "`quire session new` begins one; `quire session ls` "
                      "lists those of other directories",
                      "no session of %s yet", cwd);
    }
    return st;
}

static void write_crumb(int dir, const char *name, quire_bytes text)
{
    char was[2 * PATH_MAX + 64] = "";
    ssize_t n = -1;
    int fd = name ? fs_open_beneath(dir, name, O_RDONLY, 0) : -1;

    if (fd >= 0)
        n = fs_read_full(fd, was, sizeof was);
    /* An unchanged breadcrumb gets a new time alone. */
    if (n == (ssize_t)text.len && !memcmp(was, text.data, text.len))
        futimens(fd, NULL);
    else if (name)
        fs_replace(dir, name, text, NULL);
    if (fd >= 0)
        close(fd);
}

void session_remember_last(struct quire *q, const char *cwd, const char *path)
{
    struct arena tmp = ARENA_INIT;
    struct buf text = BUF_INIT(2 * PATH_MAX + 64);
    const char *here = absolute_cwd(NULL, &tmp);
    int dir;

    if (!q->read_only && here && !strcmp(here, cwd) &&
        names_breadcrumb(cwd, path, &text) &&
        !fs_open_dir(q->root, false, &dir, NULL)) {
        write_crumb(dir, crumb_of_terminal(&tmp), buf_bytes(&text));
        write_crumb(dir, crumb_of_directory(q, cwd, &tmp), buf_bytes(&text));
        close(dir);
    }
    buf_release(&text);
    arena_release(&tmp);
}

quire_status quire_session_use(quire *q, const char *which, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct session_location p = {0};
    struct list_meta meta = {.id = NULL};
    struct object_info info = {0};
    struct log *file;
    const char *path;
    quire_status st = session_lookup(q, which, &tmp, &p, err);

    assert(st || p.store);
    if (!st)
        st = log_open(p.store->logs, p.name, LOG_READ, &file, &info, err);
    if (!st) {
        st = list_read(file, info.size, &tmp, &meta, err);
        log_close(file);
        path = arena_printf(&tmp, "%s/%s", store_place(p.store), p.name);
        if (!st && meta.cwd && path)
            session_remember_last(q, meta.cwd, path);
    }
    session_location_release(&p);
    arena_release(&tmp);
    return st;
}

/* ---- any of these ------------------------------------------------------- */

bool session_looks_like_path(const char *which)
{
    return strchr(which, '/') || names_is_session(bytes_str(which));
}

quire_status session_lookup(struct quire *q, const char *which,
                            struct arena *keep, struct session_location *out,
                            quire_error *err)
{
    quire_status st = tenants_check(q, err);

    *out = (struct session_location){0};
    if (st)
        return st;
    if (!strcmp(which, "last"))
        return find_last(q, keep, out, err);
    st = QUIRE_NOT_FOUND;
    if (session_looks_like_path(which))
        st = find_path(q, which, keep, out, err);
    if (st == QUIRE_NOT_FOUND && *which)
        st = find_id(q, which, keep, out, err);
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st,
                 HINT_SHELL
                 "`quire session ls` lists what is there; --home names "
                 "another place",
                 "no session %.100s in %s", which, q->root);
    }
    return st;
}

/* ---- keys ---------------------------------------------------------------- */

quire_status session_key_and_file(struct quire *q, const char *session,
                                  struct arena *keep, const char **key,
                                  const char **file, quire_error *err)
{
    struct session_location p;
    bool is_key;
    quire_status st;

    if (!session)
        session = "user";
    *key = session;
    *file = NULL;
    if (!strcmp(session, "user") || !strcmp(session, "temp"))
        return QUIRE_OK;
    st = session_lookup(q, session, keep, &p, err);
    if (st)
        return st;
    is_key = session_cache_is_key(q, session);
    if (!is_key)
        st = session_location_key(&p, keep, key, err);
    if (!st && !is_key && p.in_home && !strcmp(*key, session))
        session_cache_put(q, session, p.name, true);
    if (!st && p.in_home) {
        *file = arena_printf(keep, "%s/%s", q->root, p.name);
        st = *file ? QUIRE_OK : err_memory(err);
    }
    session_location_release(&p);
    return st;
}

quire_status session_key(struct quire *q, const char *session,
                         struct arena *keep, const char **key, quire_error *err)
{
    const char *file;

    return session_key_and_file(q, session, keep, key, &file, err);
}
