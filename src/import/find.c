/* find.c - see find.h */
#include "import/find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "import/known.h"

quire_status import_find_default(struct import_places *p,
                                 const struct import_agent *const *agents,
                                 quire_error *err)
{
    const struct import_agent *const *a;
    quire_status st = QUIRE_OK;

    for (a = agents ? agents : import_agents; *a && !st; a++)
        st = (*a)->find(p, err);
    return st;
}

/* ---- a path of unknown shape -------------------------------------------- */

/* A directory whose files may be of any agent. */
struct any {
    struct import_places *p;
    const struct import_agent *const *agents;
    const struct import_agent *forced; /* a file that is named is its; NULL */
};

static const struct import_agent *agent_of_dir(const struct any *any,
                                               const char *dir)
{
    const struct import_agent *const *a, *best = NULL;
    enum import_match most = IMPORT_NOT;

    for (a = any->agents; *a; a++) {
        enum import_match match = (*a)->match_dir(any->p, dir);

        if (match > most) {
            most = match;
            best = *a;
        }
    }
    return best;
}

static const struct import_agent *agent_of_file(const struct any *any,
                                                const char *path)
{
    struct import_candidate f = {.path = path, .base = name_base(path)};
    const struct import_agent *const *a, *best = NULL;
    enum import_match most = IMPORT_NOT;
    char head[IMPORT_HEAD];

    f.head = places_head(path, head);
    for (a = any->agents; *a; a++) {
        enum import_match match = (*a)->match_file(&f);

        if (match > most) {
            most = match;
            best = *a;
        }
    }
    return best;
}

/* The agent as which it was imported, of a file that has not changed since. */
static const struct import_agent *
agent_before(const struct any *any, const char *path, const struct stat *st)
{
    const struct import_found f = {
        .path = path,
        .size = (uint64_t)st->st_size,
        .inode = st->st_ino,
        .modified_ns = stat_modified_ns(st),
    };
    const struct import_known *row = known_found(any->p, &f);
    const struct import_agent *const *a;

    for (a = any->agents; row && *a; a++)
        if (!strcmp((*a)->name, row->agent))
            return *a;
    return NULL;
}

/* Add a file if it is of an agent; *known: whether it is. */
static quire_status add_file(const struct any *any, const char *root,
                             const char *name, const struct stat *st,
                             bool *known, quire_error *err)
{
    struct import_place at = {any->p, NULL, root};
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", root, name);

    *known = false;
    if (n < 0 || (size_t)n >= sizeof path) /* it cannot be opened */
        return QUIRE_OK;
    at.agent = agent_before(any, path, st);
    if (!at.agent)
        at.agent = agent_of_file(any, path);
    *known = at.agent != NULL;
    return at.agent ? at.agent->add_file(&at, name, st, err) : QUIRE_OK;
}

static quire_status from_file(const struct any *any, const char *path,
                              const struct stat *st, quire_error *err)
{
    const char *base = name_base(path);
    const char *root = arena_text(any->p->keep,
                                  bytes_of(path, (size_t)(base - path - 1)));
    struct import_place at = {any->p, any->forced, root};
    bool known = true;
    quire_status status = !root ? err_memory(err)
                          : any->forced
                              ? any->forced->add_file(&at, base, st, err)
                              : add_file(any, root, base, st, &known, err);

    if (!status && known)
        status = places_spot(any->p, NULL, path, false, err);
    if (status || known)
        return status;
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "name a session file of an agent, or a "
                               "directory, or its agent with --format",
                    "%s is not a session file", path);
}

struct from_dir {
    struct any any;
    const char *root;
};

static quire_status visit(void *ctx, const char *name, const struct stat *st,
                          quire_error *err)
{
    struct from_dir *d = ctx;
    bool known;

    return add_file(&d->any, d->root, name, st, &known, err);
}

static quire_status from_dir(const struct any *any, const char *path,
                             quire_error *err)
{
    const struct import_agent *agent = agent_of_dir(any, path);
    struct from_dir d = {*any, path};
    quire_status st;
    int dir;

    size_t n = any->p->n;

    if (agent) {
        st = agent->add_dir(any->p, path, err);
        if (st || any->p->n > n)
            return st;
    }
    st = fs_open_dir(path, false, &dir, err);
    if (st)
        return st;
    st = places_spot(any->p, NULL, path, true, err);
    if (!st)
        st = places_list(any->p, *any->agents, dir, path, visit, &d, err);
    close(dir);
    return st;
}

static quire_status find_path(const struct any *any, const char *path,
                              quire_error *err)
{
    char real[PATH_MAX];
    const char *root;
    struct stat st;

    if (!realpath(path, real) || stat(real, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? err_set(err, QUIRE_NOT_FOUND, "%s does not exist", path)
                   : err_sys(err, errno, "cannot read %s", path);
    root = arena_text(any->p->keep, bytes_str(real));
    if (!root)
        return err_memory(err);
    return S_ISDIR(st.st_mode) ? from_dir(any, root, err)
                               : from_file(any, root, &st, err);
}

quire_status import_find_from(struct import_places *p, const char *path,
                              const struct import_agent *const *agents,
                              quire_error *err)
{
    struct any any = {p, agents ? agents : import_agents, NULL};

    return find_path(&any, path, err);
}

quire_status import_find_as(struct import_places *p, const char *path,
                            const struct import_agent *agent, quire_error *err)
{
    const struct import_agent *const only[] = {agent, NULL};
    struct any any = {p, only, agent};

    return find_path(&any, path, err);
}
