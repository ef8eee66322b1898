/* places.c - see places.h */
#include "import/places.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/walk.h"
#include "import/agent.h"

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
    size_t cap = p->cap ? p->cap * 2 : 64;
    struct import_found *list;

    if (!f->path || !f->id)
        return err_memory(err);
    if (p->n == p->cap) {
        list = arena_array(p->keep, cap, sizeof *list);
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

struct import_found places_found(const struct import_place *at,
                                 const char *name, const struct stat *st)
{
    return (struct import_found){.agent = at->agent,
                                 .path = arena_printf(at->p->keep, "%s/%s",
                                                      at->root, name),
                                 .is_main = true,
                                 .size = (uint64_t)st->st_size,
                                 .inode = st->st_ino,
                                 .modified_ns = st->st_mtim.tv_sec *
                                                    INT64_C(1000000000) +
                                                st->st_mtim.tv_nsec};
}

/* ---- walks -------------------------------------------------------------- */

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
    st = fs_open_dir(w.at.root, false, &dir, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = walk_files(dir, w.at.root, "", visit_file, &w, err);
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
