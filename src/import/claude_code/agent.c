/*
 * agent.c - where Claude Code keeps its sessions
 *
 *     ~/.claude, ~/.config/claude, or CLAUDE_CONFIG_DIR
 *         projects/<project>/<uuid>.jsonl                  a session
 *         projects/<project>/agent-<id>.jsonl              a sub-agent (older)
 *         projects/<project>/<uuid>/…/agent-<id>.jsonl     a sub-agent
 *         projects/<project>/<uuid>/…                      files of that session
 *         projects/<project>/memory/….md                   notes
 *         history.jsonl                                    prompts
 */
#include "base/bytes.h"
#include "base/err.h"
#include "import/agents.h"
#include "import/sidecar.h"

enum { UUID_LEN = 36, PARENT_LEN = 8 };

/* "agent-a1b2.jsonl" of session "3f7a…": a1b2-3f7a0c11. */
static const char *agent_id(struct arena *keep, const char *base,
                            const char *parent)
{
    size_t len = strlen(base) - strlen("agent-") - strlen(".jsonl");
    const char *text = arena_printf(keep, "%.*s%s%.*s", (int)len, base + 6,
                                    *parent ? "-" : "", PARENT_LEN, parent);

    return text ? name_id(keep, bytes_str(text)) : NULL;
}

/* The parts of "<project>/<uuid>/…". */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    struct arena *keep = at->p->keep;
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *project = strchr(name, '/');
    const char *rest = project ? strchr(project + 1, '/') : NULL;
    bool lines = name_ends(base, ".jsonl");
    bool agent = lines && !strncmp(base, "agent-", 6);

    if (rest) {
        f.parent = name_id(keep,
                           bytes_of(project + 1, (size_t)(rest - project - 1)));
        if (!f.parent)
            return err_memory(err);
    }
    if (rest && !strncmp(project + 1, "memory/", 7) && name_ends(base, ".md")) {
        f.id = f.path;
        f.parent = NULL;
        f.is_main = false;
        f.take = note_take;
        return places_add(at->p, &f, err);
    }
    if (rest && strlen(f.parent) != UUID_LEN)
        return QUIRE_OK;
    if (agent) {
        f.id = agent_id(keep, base, f.parent ? f.parent : "");
    } else if (rest) {
        f.id = f.parent;
        f.is_main = false;
    } else if (lines) {
        f.id = name_id(keep, name_stem(base, ".jsonl"));
    } else {
        return QUIRE_OK;
    }
    return places_add(at->p, &f, err);
}

static quire_status take_prompts(const struct import_taking *t,
                                 quire_error *err)
{
    static const struct prompt_names names = {"display", "timestamp", "project",
                                              "sessionId"};

    return prompts_take(t, &names, err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const struct import_agent *agent = &import_agent_claude_code;
    quire_status st = places_walk(p, agent, dir, "projects", visit, err);

    return st ? st
              : sidecar_add(p, agent, dir, "history.jsonl", take_prompts, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return places_has_dir(p, dir, "projects") ? IMPORT_MAYBE : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const struct import_agent *agent = &import_agent_claude_code;
    const char *root = places_env("CLAUDE_CONFIG_DIR");
    quire_status st;

    if (root)
        return add_dir(p, root, err);
    st = places_below_home(p, agent, ".claude", err);
    return st ? st : places_below_home(p, agent, ".config/claude", err);
}

static enum import_match match_file(const struct import_candidate *f)
{
    return name_ends(f->base, ".jsonl") ? IMPORT_MAYBE : IMPORT_NOT;
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name);

    f.id = !strncmp(base, "agent-", 6) && strlen(base) > 12
               ? agent_id(at->p->keep, base, "")
               : name_id(at->p->keep, name_stem(base, ".jsonl"));
    return places_add(at->p, &f, err);
}

const struct import_agent import_agent_claude_code = {
    .name = "claude-code",
    .title = "Claude Code",
    .where = "`~/.claude`, `~/.config/claude`, or `CLAUDE_CONFIG_DIR`",
    .format = &import_claude_code,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
