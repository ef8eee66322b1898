/*
 * agent.c - where Qwen Code keeps its sessions
 *
 *     ~/.qwen/projects/<project>/chats/<uuid>.jsonl    a session
 *
 * Before 0.15 its files were those of Gemini CLI; with `--from` they are read as
 * such.
 */
#include "base/err.h"
#include "import/agents.h"
#include "import/value.h"

static quire_status add(struct import_place *at, const char *name,
                        const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name);

    f.id = name_id(at->p->keep, name_stem(base, ".jsonl"));
    return places_add(at->p, &f, err);
}

/* The parts of "<project>/chats/<uuid>.jsonl". */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    static const char chats[] = "/chats/";
    const char *rest = strchr(name, '/'), *base = name_base(name);

    if (!rest || strncmp(rest, chats, sizeof chats - 1) != 0 ||
        rest + sizeof chats - 1 != base || !name_ends(base, ".jsonl"))
        return QUIRE_OK;
    return add(at, name, st, err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    return places_walk(p, &import_agent_qwen, dir, "projects", visit, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return !strcmp(name_base(dir), ".qwen") &&
                   places_has_dir(p, dir, "projects")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    return places_below_home(p, &import_agent_qwen, ".qwen", err);
}

/* Claude Code's records have uuids too, but no parts. */
static enum import_match match_file(const struct import_candidate *f)
{
    struct json_want w[] = {JSON_WANT("uuid"), JSON_WANT("sessionId")};

    if (!name_ends(f->base, ".jsonl"))
        return IMPORT_NOT;
    json_head(f->head, w, 2, NULL);
    return value_is_string(w[0].value) && value_is_string(w[1].value) &&
                   (memmem(f->head.data, f->head.len, "\"parts\":[", 9) ||
                    memmem(f->head.data, f->head.len, "\"systemPayload\"", 15))
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

const struct import_agent import_agent_qwen = {
    .name = "qwen",
    .title = "Qwen Code",
    .where = "`~/.qwen`",
    .format = &import_qwen,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add,
};
