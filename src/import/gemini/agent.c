/*
 * agent.c - where Gemini CLI keeps its sessions
 *
 *     ~/.gemini, or .gemini in GEMINI_CLI_HOME
 *         tmp/<project>/chats/session-<time>-<id>.jsonl    a session
 *         tmp/<project>/chats/session-<time>-<id>.json     one of before
 *         tmp/<project>/chats/<session>/<id>.jsonl         a sub-agent
 *         tmp/<project>/.project_root                      its directory
 *
 * The name of a file has the first characters of the id only; the id is in its
 * first lines.
 */
#include <limits.h>
#include <unistd.h>

#include "base/err.h"
#include "import/agents.h"
#include "import/known.h"
#include "import/value.h"

/* The session id that a file begins with; NULL: it has none. */
static const char *read_id(struct arena *keep, const char *path)
{
    struct json_want id = JSON_WANT("sessionId");
    char head[IMPORT_HEAD];
    quire_bytes text = places_head(path, head);

    if (!json_head(text, &id, 1, NULL) || !value_has_text(id.value))
        return NULL;
    return name_id(keep, value_name(id.value));
}

static quire_bytes stem(const char *base)
{
    const char *dot = strrchr(base, '.');

    return bytes_of(base, dot ? (size_t)(dot - base) : strlen(base));
}

static quire_status add(struct import_place *at, struct import_found *f,
                        quire_error *err)
{
    struct arena *keep = at->p->keep;
    const char *base = f->path ? name_base(f->path) : "";

    const struct import_known *row = f->parent ? NULL : known_found(at->p, f);

    f->is_whole = name_ends(base, ".json");
    if (row)
        f->id = row->session;
    else if (f->path && !f->parent)
        f->id = read_id(keep, f->path);
    if (!f->id)
        f->id = name_id(keep, stem(base));
    return places_add(at->p, f, err);
}

/* What stands in <project>/.project_root: an absolute path. */
static const char *project_root(const struct import_place *at,
                                const char *project, size_t len)
{
    struct arena *keep = at->p->keep;
    const char *path = arena_printf(keep, "%s/%.*s/.project_root", at->root,
                                    (int)len, project);
    char head[IMPORT_HEAD];
    quire_bytes text;
    const char *end;

    if (!path)
        return NULL;
    text = places_head(path, head);
    end = memchr(text.data, '\n', text.len);
    if (end)
        text.len = (size_t)(end - (const char *)text.data);
    if (!text.len || text.len >= PATH_MAX || head[0] != '/' ||
        memchr(head, '\0', text.len))
        return NULL;
    return arena_text(keep, text);
}

/* The parts of "<project>/chats/…". */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    static const char chats[] = "/chats/";
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *rest = strchr(name, '/');
    bool lines = name_ends(base, ".jsonl");

    if (!rest || strncmp(rest, chats, sizeof chats - 1) != 0 ||
        (!lines && !name_ends(base, ".json")))
        return QUIRE_OK;
    f.cwd = project_root(at, name, (size_t)(rest - name));
    rest += sizeof chats - 1;
    if (rest == base)
        return strncmp(base, "session-", 8) ? QUIRE_OK : add(at, &f, err);
    if (!lines || base - rest > 128 || strchr(rest, '/') != base - 1)
        return QUIRE_OK;
    f.parent = name_id(at->p->keep, bytes_of(rest, (size_t)(base - rest - 1)));
    return f.parent ? add(at, &f, err) : err_memory(err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    return places_walk(p, &import_agent_gemini, dir, "tmp", visit, err);
}

static bool has_file(struct import_places *p, const char *dir, const char *name)
{
    const char *path = arena_printf(p->keep, "%s/%s", dir, name);

    return path && access(path, F_OK) == 0;
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    if (!places_has_dir(p, dir, "tmp"))
        return IMPORT_NOT;
    return !strcmp(name_base(dir), ".gemini") ||
                   has_file(p, dir, "projects.json") ||
                   places_has_dir(p, dir, "history")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *home = places_env("GEMINI_CLI_HOME"), *root;

    if (!home)
        return places_below_home(p, &import_agent_gemini, ".gemini", err);
    root = arena_printf(p->keep, "%s/.gemini", home);
    return root ? add_dir(p, root, err) : err_memory(err);
}

static enum import_match match_file(const struct import_candidate *f)
{
    struct json_want w[] = {JSON_WANT("sessionId"), JSON_WANT("projectHash")};

    if (!name_ends(f->base, ".jsonl") && !name_ends(f->base, ".json"))
        return IMPORT_NOT;
    json_head(f->head, w, 2, NULL);
    return w[0].value.data && w[1].value.data ? IMPORT_LIKELY : IMPORT_NOT;
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);

    return add(at, &f, err);
}

const struct import_agent import_agent_gemini = {
    .name = "gemini",
    .title = "Gemini CLI",
    .where = "`~/.gemini`, or `.gemini` in `GEMINI_CLI_HOME`",
    .format = &import_gemini,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
