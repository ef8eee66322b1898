/*
 * home.c - finding the home and recognising its kind
 *
 * A home is recognised by what is in it:
 *
 *     quire.db                           ours
 *     conversations/                     JP's .jp
 *     what is_agents() knows             another agent's: refused
 *     blobs/<2 hex>/ and called .jp      JP's
 *     blobs/<2 hex>/, or called quire    ours, though its catalogue is lost
 *     sessions/ or terminal-sessions/    oh-my-pi's agent directory
 *     blobs/<64 hex>                     oh-my-pi's
 *     it is called .jp, or .omp/agent    as it says
 *     none of these, or not there yet    ours, to be
 *
 * The first that fits counts.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "api/core/handle.h"

const char *quire_kind_name(quire_kind kind)
{
    switch (kind) {
    case QUIRE_KIND_AUTO: return "auto";
    case QUIRE_KIND_NATIVE: return "native";
    case QUIRE_KIND_OMP: return "omp";
    case QUIRE_KIND_JP: return "jp";
    }
    return "unknown";
}

const char *quire_layout_name(quire_layout layout)
{
    switch (layout) {
    case QUIRE_LAYOUT_AUTO: return "auto";
    case QUIRE_LAYOUT_PACKED: return "packed";
    case QUIRE_LAYOUT_LOOSE: return "loose";
    case QUIRE_LAYOUT_FLAT: return "flat";
    }
    return "unknown";
}

/* A heap string by format; NULL: out of memory. */
__attribute__((format(printf, 1, 2))) static char *text(const char *fmt, ...)
{
    char *out = NULL;
    va_list ap;

    va_start(ap, fmt);
    if (vasprintf(&out, fmt, ap) < 0)
        out = NULL;
    va_end(ap);
    return out;
}

static bool has(const char *dir, const char *name)
{
    char *path = text("%s/%s", dir, name);
    bool yes = path && access(path, F_OK) == 0;

    free(path);
    return yes;
}

/* Whether an entry of `dir` has a name of `len` hex digits. */
static bool has_hex_entry(const char *dir, size_t len)
{
    DIR *stream = opendir(dir);
    struct dirent *e;
    bool yes = false;

    if (!stream)
        return false;
    while (!yes && (e = readdir(stream)) != NULL)
        yes = strlen(e->d_name) == len &&
              strspn(e->d_name, "0123456789abcdef") == len;
    closedir(stream);
    return yes;
}

/* Whether the last components of a path are these. */
static bool is_called(const char *path, const char *name)
{
    size_t len = strlen(path), n = strlen(name);

    while (len > 1 && path[len - 1] == '/')
        len--;
    return len >= n && !strncmp(path + len - n, name, n) &&
           (len == n || path[len - n - 1] == '/');
}

/* ---- homes of agents whose format is not ours --------------------------- */

/* Whether an entry of `dir` below `home` begins so, and has `len` bytes (0: any). */
static bool has_entry(const char *home, const char *dir, const char *begin,
                      const char *set, size_t len)
{
    char *path = text("%s/%s", home, dir);
    DIR *stream = path ? opendir(path) : NULL;
    struct dirent *e;
    bool yes = false;

    free(path);
    if (!stream)
        return false;
    while (!yes && (e = readdir(stream)) != NULL)
        yes = e->d_name[0] != '.' &&
              !strncmp(e->d_name, begin, strlen(begin)) &&
              (!len ||
               (strlen(e->d_name) == len && strspn(e->d_name, set) == len));
    closedir(stream);
    return yes;
}

static bool is_claude(const char *home)
{
    return has_entry(home, "projects", "-", "", 0) &&
           !has_entry(home, "sessions", "-", "", 0);
}

static bool is_codex(const char *home)
{
    return has_entry(home, "sessions", "", "0123456789", 4) ||
           has(home, "session_index.jsonl") || has(home, "archived_sessions");
}

static bool is_gemini(const char *home)
{
    return has(home, "projects.json") && has(home, "tmp");
}

static bool is_opencode(const char *home)
{
    return has(home, "opencode.db") || has(home, "storage/session");
}

/* By the name that its program gives it, by its variable, or by its content. */
static const struct foreign_home {
    const char *agent;
    const char *names[4];         /* the last components of its path    */
    const char *variable;         /* NULL: none names just it           */
    bool (*is)(const char *home); /* NULL: its name must do     */
} foreign_homes[] = {
    {"claude-code",
     {".claude", ".claude/projects", ".config/claude"},
     "CLAUDE_CONFIG_DIR",
     is_claude},
    {"codex", {".codex", ".codex/sessions"}, "CODEX_HOME", is_codex},
    {"gemini", {".gemini", ".gemini/tmp"}, NULL, is_gemini},
    {"opencode", {"share/opencode"}, NULL, is_opencode},
    {"qwen", {".qwen"}, NULL, NULL},
    {"copilot", {".copilot"}, "COPILOT_HOME", NULL},
};

static bool names_same(const char *a, const char *b)
{
    struct stat one, two;

    return a && *a && stat(a, &one) == 0 && stat(b, &two) == 0 &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static bool is_agents(const struct foreign_home *f, const char *home)
{
    size_t i;

    for (i = 0; i < 4 && f->names[i]; i++)
        if (is_called(home, f->names[i]))
            return true;
    return (f->variable && names_same(getenv(f->variable), home)) ||
           (f->is && f->is(home));
}

const char *quire_home_agent(const char *home)
{
    char real[PATH_MAX];
    size_t i;

    if (has(home, "quire.db") || has(home, "conversations"))
        return NULL;
    if (!realpath(home, real)) /* not there yet */
        snprintf(real, sizeof real, "%s", home);
    for (i = 0; i < sizeof foreign_homes / sizeof *foreign_homes; i++)
        if (is_agents(&foreign_homes[i], real))
            return foreign_homes[i].agent;
    return NULL;
}

static quire_status refuse_agent(const char *home, quire_error *err)
{
    const char *agent = quire_home_agent(home);

    if (!agent)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "`quire import` brings its sessions into a home "
                               "of Quire; --home names that",
                    "%s is a home of the agent %s, which Quire only reads",
                    home, agent);
}

static quire_kind detect_kind(const char *home)
{
    bool flat, ours;
    char *blobs;

    if (has(home, "quire.db"))
        return QUIRE_KIND_NATIVE;
    if (has(home, "conversations"))
        return QUIRE_KIND_JP;
    blobs = text("%s/blobs", home);
    flat = blobs && has_hex_entry(blobs, 64);
    ours = !flat && blobs && has_hex_entry(blobs, 2);
    free(blobs);
    /* JP's blobs have such directories, too. */
    if (ours && is_called(home, ".jp"))
        return QUIRE_KIND_JP;
    if (ours || is_called(home, "quire"))
        return QUIRE_KIND_NATIVE;
    if (has(home, "sessions") || has(home, "terminal-sessions"))
        return QUIRE_KIND_OMP;
    if (flat || is_called(home, ".omp/agent"))
        return QUIRE_KIND_OMP;
    return is_called(home, ".jp") ? QUIRE_KIND_JP : QUIRE_KIND_NATIVE;
}

static quire_layout layout_of(quire_kind kind)
{
    switch (kind) {
    case QUIRE_KIND_OMP: return QUIRE_LAYOUT_FLAT;
    case QUIRE_KIND_JP: return QUIRE_LAYOUT_LOOSE;
    default: return QUIRE_LAYOUT_PACKED;
    }
}

/* The layout of a blobs directory; AUTO: cannot be detected. A new one becomes
 * loose, the layout for stores outside a home. */
static quire_layout detect_layout(const char *blobs, const char *db)
{
    if (access(db, F_OK) == 0)
        return QUIRE_LAYOUT_PACKED;
    if (has_hex_entry(blobs, 64))
        return QUIRE_LAYOUT_FLAT;
    return has_hex_entry(blobs, 2) ? QUIRE_LAYOUT_LOOSE : QUIRE_LAYOUT_AUTO;
}

static quire_status other_layout(const char *blobs, quire_layout found,
                                 quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_INVALID,
                               HINT_SHELL
                               "leave out --layout, or name another directory",
                               "%s is a %s store", blobs,
                               quire_layout_name(found));
    return st;
}

/* *out is NULL when out of memory. */
static quire_status default_home(char **out, quire_error *err)
{
    const char *ours = getenv("QUIRE_HOME");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    quire_status st = QUIRE_OK;

    if (ours && *ours) {
        *out = strdup(ours);
    } else if (data && *data == '/') {
        *out = text("%s/quire", data);
    } else if (home && *home == '/') {
        *out = text("%s/.local/share/quire", home);
    } else {
        st = err_fail(err, QUIRE_INVALID, HINT_SHELL "name it with --home DIR",
                      "cannot tell where the home is: QUIRE_HOME is not set, "
                      "XDG_DATA_HOME and HOME name no absolute path");
    }
    return st;
}

/* The database of a packed store with the directory `blobs`: beside it if the
 * directory is called "blobs" and has one there, else inside it. Decided by the
 * name, so that creating the directory does not change the result. */
static char *db_beside(const char *blobs)
{
    size_t len = strlen(blobs);
    char *in_home = NULL;

    while (len > 1 && blobs[len - 1] == '/')
        len--;
    if (is_called(blobs, "blobs"))
        in_home = text("%.*squire.db", (int)(len - strlen("blobs")), blobs);
    if (in_home && access(in_home, F_OK) == 0)
        return in_home;
    free(in_home);
    return text("%s/quire.db", blobs);
}

quire_status home_find(struct quire *q, const quire_options *o,
                       quire_error *err)
{
    quire_layout found = QUIRE_LAYOUT_AUTO;
    quire_status st = QUIRE_OK;

    if (o->blobs) {
        q->home = strdup(o->blobs);
        q->blob_path = strdup(o->blobs);
        q->db_path = db_beside(o->blobs);
        q->kind = QUIRE_KIND_NATIVE;
        q->layout = o->layout;
        if (q->db_path)
            found = detect_layout(o->blobs, q->db_path);
        if (!q->layout)
            q->layout = found ? found : QUIRE_LAYOUT_LOOSE;
        /* Two layouts in one directory would hide each other's blobs. Reading the
         * files of a packed store without its database is fine. */
        if (found && found != q->layout && !q->read_only)
            return other_layout(o->blobs, found, err);
    } else {
        if (o->home && *o->home)
            q->home = strdup(o->home);
        else
            st = default_home(&q->home, err);
        if (st)
            return st;
        q->kind = o->kind;
        if (q->home && !q->kind)
            st = refuse_agent(q->home, err);
        if (st)
            return st;
        if (q->home && !q->kind)
            q->kind = o->database ? QUIRE_KIND_NATIVE : detect_kind(q->home);
        q->layout = layout_of(q->kind);
        if (q->home) {
            q->blob_path = text("%s/blobs", q->home);
            q->db_path = text("%s/quire.db", q->home);
        }
    }
    if (!q->home || !q->blob_path || !q->db_path)
        return err_memory(err);
    if (q->layout != QUIRE_LAYOUT_PACKED) {
        free(q->db_path);
        q->db_path = NULL;
    }
    return QUIRE_OK;
}
