/* places.c - see places.h */
#include "import/places.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/walk.h"

enum { ID_MAX = 64, UUID_LEN = 36, PARENT_LEN = 8 };

/* ---- names -------------------------------------------------------------- */

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), len = strlen(end);

    return n > len && !strcmp(name + n - len, end);
}

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

/* An id as names of session files can have it; another text becomes a hash. */
static const char *make_id(struct arena *keep, quire_bytes text)
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

/* "agent-a1b2.jsonl" of session "3f7a…": a1b2-3f7a0c11. */
static const char *agent_id(struct arena *keep, const char *base,
                            const char *parent)
{
    size_t len = strlen(base) - strlen("agent-") - strlen(".jsonl");
    const char *text = arena_printf(keep, "%.*s%s%.*s", (int)len, base + 6,
                                    *parent ? "-" : "", PARENT_LEN, parent);

    return text ? make_id(keep, bytes_str(text)) : NULL;
}

/* "rollout-2026-01-02T03-04-05-<uuid>.jsonl": the uuid. */
static const char *codex_id(struct arena *keep, const char *base)
{
    quire_bytes name = bytes_of(base, strlen(base) - strlen(".jsonl"));

    if (name.len > UUID_LEN && !strncmp(base, "rollout-", 8))
        name = bytes_sub(name, name.len - UUID_LEN, name.len);
    return make_id(keep, name);
}

/* ---- the list ----------------------------------------------------------- */

static quire_status add_found(struct import_places *p,
                              const struct import_found *f, quire_error *err)
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

/* A walk of one place. */
struct visit {
    struct import_places *p;
    const char *root;
    const struct import_format *format;
};

static struct import_found found_of(const struct visit *v, const char *name,
                                    const struct stat *st)
{
    return (struct import_found){.format = v->format,
                                 .path = arena_printf(v->p->keep, "%s/%s",
                                                      v->root, name),
                                 .is_main = true,
                                 .size = (uint64_t)st->st_size,
                                 .modified_ns = st->st_mtim.tv_sec *
                                                    INT64_C(1000000000) +
                                                st->st_mtim.tv_nsec};
}

/* The parts of "<project>/<uuid>/…"; with `shallow` there is no project. */
static quire_status visit_claude(void *ctx, const char *name,
                                 const struct stat *st, quire_error *err)
{
    struct visit *v = ctx;
    struct arena *keep = v->p->keep;
    struct import_found f = found_of(v, name, st);
    const char *base = base_of(name), *project = strchr(name, '/');
    const char *rest = project ? strchr(project + 1, '/') : NULL;
    bool lines = ends_with(base, ".jsonl");
    bool agent = lines && !strncmp(base, "agent-", 6);

    if (rest) {
        f.parent = make_id(keep,
                           bytes_of(project + 1, (size_t)(rest - project - 1)));
        if (!f.parent)
            return err_memory(err);
    }
    if (rest && strlen(f.parent) != UUID_LEN)
        return QUIRE_OK; /* such as memory/ */
    if (agent) {
        f.id = agent_id(keep, base, f.parent ? f.parent : "");
    } else if (rest) {
        f.id = f.parent;
        f.is_main = false;
    } else if (lines) {
        f.id = make_id(keep, bytes_of(base, strlen(base) - 6));
    } else {
        return QUIRE_OK;
    }
    return add_found(v->p, &f, err);
}

/* The plain file is visited right before the compressed one. */
static bool has_plain(const struct import_places *p, const char *path)
{
    size_t len = strlen(path) - strlen(".zst");

    return p->n > 0 && strlen(p->list[p->n - 1].path) == len &&
           !strncmp(p->list[p->n - 1].path, path, len);
}

static quire_status visit_codex(void *ctx, const char *name,
                                const struct stat *st, quire_error *err)
{
    struct visit *v = ctx;
    struct import_found f = found_of(v, name, st);
    const char *base = base_of(name);

    f.compressed = ends_with(base, ".jsonl.zst");
    if (strncmp(base, "rollout-", 8) != 0 ||
        (!f.compressed && !ends_with(base, ".jsonl")))
        return QUIRE_OK;
    if (!f.path)
        return err_memory(err);
    if (f.compressed && has_plain(v->p, f.path))
        return QUIRE_OK;
    f.id = codex_id(v->p->keep, base);
    return add_found(v->p, &f, err);
}

/* Session files in a directory of no known shape. */
static quire_status visit_any(void *ctx, const char *name,
                              const struct stat *st, quire_error *err)
{
    struct visit *v = ctx;
    const char *base = base_of(name);
    struct visit codex = {v->p, v->root, &import_codex};
    struct import_found f = found_of(v, name, st);

    if (!ends_with(base, ".jsonl"))
        return QUIRE_OK;
    if (v->format == &import_codex ||
        (!v->format && !strncmp(base, "rollout-", 8))) {
        f.format = codex.format;
        f.id = codex_id(v->p->keep, base);
    } else {
        f.format = &import_claude_code;
        f.id = !strncmp(base, "agent-", 6) && strlen(base) > 12
                   ? agent_id(v->p->keep, base, "")
                   : make_id(v->p->keep, bytes_of(base, strlen(base) - 6));
    }
    return add_found(v->p, &f, err);
}

static bool is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Every file below root/sub. */
static quire_status walk_place(struct import_places *p, const char *root,
                               const char *sub,
                               const struct import_format *format,
                               walk_each_fn each, quire_error *err)
{
    struct visit v = {p,
                      *sub ? arena_printf(p->keep, "%s/%s", root, sub) : root,
                      format};
    quire_status st;
    int dir;

    if (!v.root)
        return err_memory(err);
    if (!is_dir(v.root))
        return QUIRE_OK;
    st = fs_open_dir(v.root, false, &dir, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = walk_files(dir, v.root, "", each, &v, err);
    close(dir);
    return st;
}

static quire_status add_root(struct import_places *p, const char *root,
                             const struct import_format *format,
                             quire_error *err)
{
    quire_status st;

    if (format == &import_claude_code)
        return walk_place(p, root, "projects", format, visit_claude, err);
    st = walk_place(p, root, "sessions", format, visit_codex, err);
    return st ? st
              : walk_place(p, root, "archived_sessions", format, visit_codex,
                           err);
}

/* ---- places ------------------------------------------------------------- */

static const char *env_path(const char *name)
{
    const char *value = getenv(name);

    return value && *value == '/' ? value : NULL;
}

static quire_status add_below_home(struct import_places *p, const char *name,
                                   const struct import_format *format,
                                   quire_error *err)
{
    const char *home = env_path("HOME");
    const char *root;

    if (!home)
        return QUIRE_OK;
    root = arena_printf(p->keep, "%s/%s", home, name);
    return root ? add_root(p, root, format, err) : err_memory(err);
}

quire_status import_places_default(struct import_places *p,
                                   const struct import_format *format,
                                   quire_error *err)
{
    bool claude = format == &import_claude_code;
    const char *root = env_path(claude ? "CLAUDE_CONFIG_DIR" : "CODEX_HOME");
    quire_status st;

    if (root)
        return add_root(p, root, format, err);
    st = add_below_home(p, claude ? ".claude" : ".codex", format, err);
    if (!st && claude)
        st = add_below_home(p, ".config/claude", format, err);
    return st;
}

/* A single file. */
static quire_status add_file(struct import_places *p, const char *path,
                             const struct stat *st,
                             const struct import_format *format,
                             quire_error *err)
{
    const char *base = base_of(path);
    struct visit v = {p,
                      arena_text(p->keep,
                                 bytes_of(path, (size_t)(base - path - 1))),
                      format};

    if (!v.root)
        return err_memory(err);
    if (!ends_with(base, ".jsonl"))
        return err_fail(err, QUIRE_INVALID, "name a .jsonl file or a directory",
                        "%s is not a session file", path);
    return visit_any(&v, base, st, err);
}

static bool has_dir(struct import_places *p, const char *root, const char *name)
{
    const char *path = arena_printf(p->keep, "%s/%s", root, name);

    return path && is_dir(path);
}

quire_status import_places_from(struct import_places *p, const char *path,
                                const struct import_format *format,
                                quire_error *err)
{
    char real[PATH_MAX];
    const char *root;
    struct stat st;

    if (!realpath(path, real) || stat(real, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? err_set(err, QUIRE_NOT_FOUND, "%s does not exist", path)
                   : err_sys(err, errno, "cannot read %s", path);
    root = arena_text(p->keep, bytes_str(real));
    if (!root)
        return err_memory(err);
    if (!S_ISDIR(st.st_mode))
        return add_file(p, root, &st, format, err);
    if (format != &import_codex && has_dir(p, root, "projects"))
        return add_root(p, root, &import_claude_code, err);
    if (format != &import_claude_code &&
        (has_dir(p, root, "sessions") || has_dir(p, root, "archived_sessions")))
        return add_root(p, root, &import_codex, err);
    return walk_place(p, root, "", format, visit_any, err);
}
