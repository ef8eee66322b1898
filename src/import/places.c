/* places.c - see places.h */
#include "import/places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/parallel.h"
#include "import/agent.h"
#include "import/known.h"

enum { ID_MAX = 64 };

/* ---- names -------------------------------------------------------------- */

bool name_ends(const char *name, const char *end)
{
    size_t n = strlen(name), len = strlen(end);

    return n > len && !strcmp(name + n - len, end);
}

const char *name_base(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

quire_bytes name_stem(const char *base, const char *end)
{
    size_t len = strlen(base);

    return bytes_of(base, name_ends(base, end) ? len - strlen(end) : len);
}

const char *name_id(struct arena *keep, quire_bytes text)
{
    static const uint64_t seeds[2][2] = {{0x71756972, 1}, {0x71756972, 2}};
    const char *s = text.data;
    size_t i;

    for (i = 0; i < text.len; i++)
        if ((s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'z') &&
            (s[i] < 'A' || s[i] > 'Z') && s[i] != '-')
            break;
    if (i == text.len && i > 0 && i <= ID_MAX)
        return arena_text(keep, text);
    return arena_printf(keep, "x%016llx%016llx",
                        (unsigned long long)map_hash(seeds[0], text),
                        (unsigned long long)map_hash(seeds[1], text));
}

const char *name_id_dashed(struct arena *keep, quire_bytes text)
{
    char *copy = arena_text(keep, text);
    size_t i;

    if (!copy)
        return NULL;
    for (i = 0; i < text.len; i++)
        if (copy[i] == '_')
            copy[i] = '-';
    return name_id(keep, bytes_of(copy, text.len));
}

/* ---- the list ----------------------------------------------------------- */

quire_status places_add(struct import_places *p, const struct import_found *f,
                        quire_error *err)
{
    size_t cap = p->cap ? p->cap * 4 : 64;
    struct import_found *list;

    if (!f->path || !f->id)
        return err_memory(err);
    if (p->n == p->cap) {
        list = arena_alloc(p->keep, cap * sizeof *list);
        if (!list)
            return err_memory(err);
        if (p->n)
            memcpy(list, p->list, p->n * sizeof *list);
        p->list = list;
        p->cap = cap;
    }
    p->list[p->n++] = *f;
    return QUIRE_OK;
}

quire_status places_spot(struct import_places *p,
                         const struct import_agent *agent, const char *path,
                         bool is_tree, quire_error *err)
{
    size_t cap = p->cap_spots ? p->cap_spots * 2 : 16;
    struct import_spot *list;

    path = path ? arena_text(p->keep, bytes_str(path)) : NULL;
    if (!path)
        return err_memory(err);
    if (p->n_spots == p->cap_spots) {
        list = arena_array(p->keep, cap, sizeof *list);
        if (!list)
            return err_memory(err);
        if (p->n_spots)
            memcpy(list, p->spots, p->n_spots * sizeof *list);
        p->spots = list;
        p->cap_spots = cap;
    }
    p->spots[p->n_spots++] = (struct import_spot){agent, path, is_tree};
    return QUIRE_OK;
}

static const char *join(struct arena *keep, const char *root, const char *name)
{
    size_t n = strlen(root), len = strlen(name);
    char *path = arena_alloc(keep, n + len + 2);

    if (!path)
        return NULL;
    memcpy(path, root, n);
    path[n] = '/';
    memcpy(path + n + 1, name, len + 1);
    return path;
}

int64_t stat_modified_ns(const struct stat *st)
{
    return st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
}

struct import_found places_found(const struct import_place *at,
                                 const char *name, const struct stat *st)
{
    return (struct import_found){.agent = at->agent,
                                 .path = join(at->p->keep, at->root, name),
                                 .is_main = true,
                                 .size = (uint64_t)st->st_size,
                                 .inode = st->st_ino,
                                 .modified_ns = stat_modified_ns(st)};
}

/* ---- walks -------------------------------------------------------------- */

enum { BLOCK = 256 };

/* Files that were listed, in order. */
struct block {
    struct block *next;
    size_t n;
    struct listed {
        const char *name;
        struct walk_stat st;
    } file[BLOCK];
};

struct listing {
    int dir;
    const char *root;
    struct arena keep;
    struct block *first, *last;
    quire_status status;
    quire_error error;
};

static quire_status add_listed(void *ctx, quire_bytes name,
                               const struct walk_stat *st, quire_error *err)
{
    struct listing *l = ctx;
    struct block *b = l->last;

    if (!b || b->n == BLOCK) {
        b = arena_alloc(&l->keep, sizeof *b);
        if (!b)
            return err_memory(err);
        b->next = NULL;
        b->n = 0;
        *(l->last ? &l->last->next : &l->first) = b;
        l->last = b;
    }
    b->file[b->n] = (struct listed){arena_text(&l->keep, name), *st};
    return b->file[b->n++].name ? QUIRE_OK : err_memory(err);
}

static void *list_files(void *ctx)
{
    struct listing *l = ctx;

    l->status = walk_stats(l->dir, l->root, add_listed, l, &l->error);
    return NULL;
}

/* List the files, and read the ledger meanwhile. */
static quire_status list_beside_ledger(struct import_places *p,
                                       struct listing *l, quire_error *err)
{
    pthread_t thread;

    if (p->known && !p->known->loaded &&
        parallel_thread_start(&thread, list_files, l)) {
        known_load(p->known, NULL);
        pthread_join(thread, NULL);
    } else {
        list_files(l);
    }
    if (l->status && err)
        *err = l->error;
    return l->status;
}

/* A directory that may not be listed is reported when it is imported. */
static quire_status add_closed(struct import_places *p,
                               const struct import_agent *agent,
                               const char *path, quire_error *err)
{
    struct import_found f = {.agent = agent,
                             .path = path,
                             .id = "closed",
                             .unreadable = "cannot be listed: permission "
                                           "denied"};

    return places_add(p, &f, err);
}

quire_status places_list(struct import_places *p,
                         const struct import_agent *agent, int dir,
                         const char *root, walk_each_fn each, void *ctx,
                         quire_error *err)
{
    struct listing l = {.dir = dir, .root = root, .keep = ARENA_INIT};
    quire_status status = list_beside_ledger(p, &l, err);
    const struct block *b;
    struct stat st = {.st_size = 0};
    size_t i;

    for (b = l.first; b && !status; b = b->next) {
        for (i = 0; i < b->n && !status; i++) {
            st.st_ino = b->file[i].st.ino;
            st.st_size = b->file[i].st.size;
            st.st_mtim = b->file[i].st.modified;
            st.st_mode = b->file[i].st.mode;
            if (S_ISDIR(st.st_mode))
                status = add_closed(p, agent,
                                    join(p->keep, root, b->file[i].name), err);
            else
                status = each(ctx, b->file[i].name, &st, err);
        }
    }
    arena_release(&l.keep);
    return status;
}

struct walk {
    struct import_place at;
    import_visit_fn visit;
};

static quire_status visit_file(void *ctx, const char *name,
                               const struct stat *st, quire_error *err)
{
    struct walk *w = ctx;

    return w->visit(&w->at, name, st, err);
}

static bool is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

quire_status places_walk(struct import_places *p,
                         const struct import_agent *agent, const char *root,
                         const char *sub, import_visit_fn visit,
                         quire_error *err)
{
    struct walk w = {{p, agent,
                      *sub ? arena_printf(p->keep, "%s/%s", root, sub) : root},
                     visit};
    quire_status st;
    int dir;

    if (!w.at.root)
        return err_memory(err);
    st = places_spot(p, agent, w.at.root, true, err);
    if (st || !is_dir(w.at.root))
        return st;
    if (access(w.at.root, R_OK | X_OK) && errno == EACCES)
        return add_closed(p, agent, w.at.root, err);
    st = fs_open_dir(w.at.root, false, &dir, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = places_list(p, agent, dir, w.at.root, visit_file, &w, err);
    close(dir);
    return st;
}

quire_bytes places_head(const char *path, char head[IMPORT_HEAD])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n;

    if (fd < 0)
        return bytes_of(head, 0);
    n = fs_read_at(fd, head, IMPORT_HEAD, 0);
    close(fd);
    return bytes_of(head, n > 0 ? (size_t)n : 0);
}

bool places_has_dir(struct import_places *p, const char *root, const char *name)
{
    const char *path = arena_printf(p->keep, "%s/%s", root, name);

    return path && is_dir(path);
}

/* ---- places of this machine --------------------------------------------- */

const char *places_env(const char *name)
{
    const char *value = getenv(name);

    return value && *value == '/' ? value : NULL;
}

quire_status places_below_home(struct import_places *p,
                               const struct import_agent *agent,
                               const char *name, quire_error *err)
{
    const char *home = places_env("HOME");
    const char *root;

    if (!home)
        return QUIRE_OK;
    root = arena_printf(p->keep, "%s/%s", home, name);
    return root ? agent->add_dir(p, root, err) : err_memory(err);
}
