/*
 * agent.c - where Kimi Code keeps its sessions
 *
 *     ~/.kimi-code, or KIMI_CODE_HOME
 *         sessions/<directory>/session_<uuid>/agents/main/wire.jsonl  a session
 *         sessions/<directory>/session_<uuid>/agents/<n>/wire.jsonl   a sub-agent
 *         sessions/<directory>/session_<uuid>/state.json   its title, directory
 *         sessions/<directory>/session_<uuid>/…            files of that session
 */
#include "base/err.h"
#include "import/agents.h"
#include "import/value.h"

enum { PARENT_LEN = 8 };

static const char wire[] = "/wire.jsonl";
static const char prefix[] = "session_";

/* A text of state.json; NULL: it has none. */
static const char *state_text(struct arena *keep, quire_bytes value)
{
    quire_bytes text = value_has_text(value) ? json_text(value, keep)
                                             : bytes_of(NULL, 0);

    return text.data && !memchr(text.data, '\0', text.len)
               ? arena_text(keep, text)
               : NULL;
}

static void read_state(struct arena *keep, struct import_found *f, size_t len)
{
    struct json_want w[] = {JSON_WANT("title"), JSON_WANT("workDir")};
    const char *path = arena_printf(keep, "%.*s/state.json", (int)len, f->path);
    char head[IMPORT_HEAD];

    if (!path)
        return;
    json_head(places_head(path, head), w, 2, NULL);
    f->title = state_text(keep, w[0].value);
    f->cwd = state_text(keep, w[1].value);
    if (f->cwd && *f->cwd != '/')
        f->cwd = NULL;
}

/* `dir` is the part of the path before "/agents/…", `rest` what follows. */
static quire_status add(struct import_place *at, struct import_found *f,
                        const char *dir, const char *rest, quire_error *err)
{
    static const char agents[] = "agents/", main_wire[] = "agents/main";
    struct arena *keep = at->p->keep;
    const char *base = name_base(dir);
    size_t len = strlen(rest);
    const char *id;

    if (!strncmp(base, prefix, sizeof prefix - 1))
        base += sizeof prefix - 1;
    id = name_id(keep, bytes_str(base));
    if (!id)
        return err_memory(err);
    f->id = id;
    f->is_main = len > sizeof wire - 1 &&
                 !strncmp(rest, agents, sizeof agents - 1) &&
                 !strcmp(rest + len - sizeof wire + 1, wire);
    if (!f->is_main)
        return places_add(at->p, f, err);
    len -= sizeof wire - 1;
    if (len == sizeof main_wire - 1 && !strncmp(rest, main_wire, len)) {
        read_state(keep, f, strlen(f->path) - strlen(rest) - 1);
    } else {
        rest += sizeof agents - 1;
        len -= sizeof agents - 1;
        f->parent = id;
        f->id = arena_printf(keep, "%.*s-%.*s", (int)len, rest, PARENT_LEN, id);
        f->id = f->id ? name_id(keep, bytes_str(f->id)) : NULL;
    }
    return places_add(at->p, f, err);
}

/* "<directory>/session_<uuid>/…" */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *session = strchr(name, '/');
    const char *rest = session ? strchr(session + 1, '/') : NULL;
    const char *dir;

    if (!rest)
        return QUIRE_OK;
    dir = arena_text(at->p->keep,
                     bytes_of(session + 1, (size_t)(rest - session - 1)));
    return dir && f.path ? add(at, &f, dir, rest + 1, err) : err_memory(err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    return places_walk(p, &import_agent_kimi, dir, "sessions", visit, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return !strcmp(name_base(dir), ".kimi-code") &&
                   places_has_dir(p, dir, "sessions")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *dir = places_env("KIMI_CODE_HOME");

    return dir ? add_dir(p, dir, err)
               : places_below_home(p, &import_agent_kimi, ".kimi-code", err);
}

static enum import_match match_file(const struct import_candidate *f)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("protocol_version")};

    if (!name_ends(f->base, ".jsonl"))
        return IMPORT_NOT;
    json_head(f->head, w, 2, NULL);
    return value_is(w[0].value, "metadata") && w[1].value.data ? IMPORT_LIKELY
                                                               : IMPORT_NOT;
}

/* Its session is the directory that `agents` is in; elsewhere its name. */
static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *agents = NULL, *next;
    const char *dir;

    if (!f.path)
        return err_memory(err);
    for (next = f.path; (next = strstr(next, "/agents/")) != NULL; next++)
        agents = next;
    if (agents && !strcmp(base, wire + 1)) {
        dir = arena_text(at->p->keep,
                         bytes_of(f.path, (size_t)(agents - f.path)));
        return dir ? add(at, &f, dir, agents + 1, err) : err_memory(err);
    }
    f.id = name_id(at->p->keep, name_stem(base, ".jsonl"));
    return places_add(at->p, &f, err);
}

const struct import_agent import_agent_kimi = {
    .name = "kimi",
    .title = "Kimi Code",
    .where = "`~/.kimi-code`, or `KIMI_CODE_HOME`",
    .format = &import_kimi,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
