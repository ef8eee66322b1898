/*
 * agent.c - where Codex keeps its sessions
 *
 *     ~/.codex, or CODEX_HOME
 *         sessions/…/rollout-<time>-<uuid>.jsonl           a session
 *         archived_sessions/rollout-<time>-<uuid>.jsonl    a session
 *         history.jsonl                                    prompts
 *
 * It compresses old files (.jsonl.zst); where both exist the plain one counts. Their
 * text is imported: a file that was imported before it was compressed is the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/zstd.h"
#include "import/agents.h"
#include "import/sidecar.h"

enum { UUID_LEN = 36 };

/* Of a file when it is decompressed. */
#define EXPANDED_MAX ((uint64_t)16 << 30)

static const char compressed_end[] = ".jsonl.zst";

static quire_status expand(const struct import_found *f, int fd,
                           quire_error *err)
{
    int from = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    quire_status st;

    if (from < 0)
        return err_sys(err, errno, "cannot read %s", f->path);
    st = zstd_expand(from, f->path, fd, EXPANDED_MAX, err);
    close(from);
    return st;
}

/* "rollout-2026-01-02T03-04-05-<uuid>.jsonl": the uuid. */
static const char *rollout_id(struct arena *keep, const char *base)
{
    quire_bytes name = name_stem(base, name_ends(base, compressed_end)
                                           ? compressed_end
                                           : ".jsonl");

    if (name.len > UUID_LEN && !strncmp(base, "rollout-", 8))
        name = bytes_sub(name, name.len - UUID_LEN, name.len);
    return name_id(keep, name);
}

/* "a.jsonl" for "a.jsonl.zst", or the other way round. */
static const char *other_path(struct arena *keep, const char *path)
{
    size_t len = strlen(path);

    return name_ends(path, ".zst")
               ? arena_text(keep, bytes_of(path, len - strlen(".zst")))
               : arena_printf(keep, "%s.zst", path);
}

/* The plain file is visited right before the compressed one. */
static bool has_plain(const struct import_places *p, const char *path)
{
    size_t len = strlen(path) - strlen(".zst");

    return p->n > 0 && strlen(p->list[p->n - 1].path) == len &&
           !strncmp(p->list[p->n - 1].path, path, len);
}

static quire_status add(struct import_place *at, struct import_found *f,
                        quire_error *err)
{
    f->id = rollout_id(at->p->keep, name_base(f->path));
    f->replaces = other_path(at->p->keep, f->path);
    return f->replaces ? places_add(at->p, f, err) : err_memory(err);
}

static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name);
    bool compressed = name_ends(base, compressed_end);

    if (strncmp(base, "rollout-", 8) != 0 ||
        (!compressed && !name_ends(base, ".jsonl")))
        return QUIRE_OK;
    if (!f.path)
        return err_memory(err);
    if (compressed && has_plain(at->p, f.path))
        return QUIRE_OK;
    if (compressed)
        f.extract = expand;
    return add(at, &f, err);
}

static quire_status take_prompts(const struct import_taking *t,
                                 quire_error *err)
{
    static const struct prompt_names names = {"text", "ts", NULL, "session_id"};

    return prompts_take(t, &names, err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const struct import_agent *agent = &import_agent_codex;
    quire_status st = places_walk(p, agent, dir, "sessions", visit, err);

    if (!st)
        st = places_walk(p, agent, dir, "archived_sessions", visit, err);
    return st ? st
              : sidecar_add(p, agent, dir, "history.jsonl", take_prompts, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return places_has_dir(p, dir, "sessions") ||
                   places_has_dir(p, dir, "archived_sessions")
               ? IMPORT_MAYBE
               : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *root = places_env("CODEX_HOME");

    return root ? add_dir(p, root, err)
                : places_below_home(p, &import_agent_codex, ".codex", err);
}

static enum import_match match_file(const struct import_candidate *f)
{
    if (!name_ends(f->base, ".jsonl") && !name_ends(f->base, compressed_end))
        return IMPORT_NOT;
    return strncmp(f->base, "rollout-", 8) ? IMPORT_MAYBE : IMPORT_LIKELY;
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name);

    if (!f.path)
        return err_memory(err);
    if (name_ends(base, compressed_end)) {
        if (has_plain(at->p, f.path))
            return QUIRE_OK;
        f.extract = expand;
    }
    return add(at, &f, err);
}

const struct import_agent import_agent_codex = {
    .name = "codex",
    .title = "Codex",
    .where = "`~/.codex`, or `CODEX_HOME`",
    .format = &import_codex,
    .has_bases = true,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
