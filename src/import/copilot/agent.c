/*
 * agent.c - where GitHub Copilot CLI keeps its sessions
 *
 *     ~/.copilot/session-state/<uuid>/events.jsonl     a session
 *     ~/.copilot/session-state/<uuid>/workspace.yaml   its name and directory
 *     ~/.copilot/session-state/<uuid>/…                files of that session
 *     ~/.copilot/session-state/<id>.jsonl              one of before 1.0
 *     ~/.copilot/history-session-state/…               the same
 */
#include "base/err.h"
#include "import/agents.h"
#include "import/value.h"

static const char events[] = "events.jsonl";

/* The value of a key in a file of lines "key: value", plain or quoted; NULL: it
 * has none. */
static const char *yaml_value(struct arena *keep, quire_bytes text,
                              const char *key)
{
    const char *at = text.data, *end = at + text.len;
    size_t len = strlen(key);

    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        const char *stop = nl ? nl : end;

        if ((size_t)(stop - at) > len + 1 && !strncmp(at, key, len) &&
            at[len] == ':') {
            for (at += len + 1; at < stop && (*at == ' ' || *at == '"');)
                at++;
            while (stop > at &&
                   (stop[-1] == ' ' || stop[-1] == '"' || stop[-1] == '\r'))
                stop--;
            return stop > at
                       ? arena_text(keep, bytes_of(at, (size_t)(stop - at)))
                       : NULL;
        }
        at = nl ? nl + 1 : end;
    }
    return NULL;
}

/* What stands in the file beside the events. */
static void read_workspace(struct arena *keep, struct import_found *f)
{
    size_t len = strlen(f->path) - strlen(events);
    const char *path = arena_printf(keep, "%.*sworkspace.yaml", (int)len,
                                    f->path);
    char head[IMPORT_HEAD];
    quire_bytes text;

    if (!path)
        return;
    text = places_head(path, head);
    f->title = yaml_value(keep, text, "name");
    f->cwd = yaml_value(keep, text, "cwd");
    if (f->cwd && *f->cwd != '/')
        f->cwd = NULL;
}

/* "<uuid>/events.jsonl", "<uuid>/…", or "<id>.jsonl". */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    struct arena *keep = at->p->keep;
    struct import_found f = places_found(at, name, st);
    const char *rest = strchr(name, '/');

    if (!f.path)
        return err_memory(err);
    if (!rest && !name_ends(name, ".jsonl"))
        return QUIRE_OK;
    f.id = name_id(keep, bytes_of(name, rest ? (size_t)(rest - name)
                                             : strlen(name) - 6));
    f.is_main = !rest || !strcmp(rest + 1, events);
    if (rest && f.is_main)
        read_workspace(keep, &f);
    return places_add(at->p, &f, err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const struct import_agent *agent = &import_agent_copilot;
    quire_status st = places_walk(p, agent, dir, "session-state", visit, err);

    return st ? st
              : places_walk(p, agent, dir, "history-session-state", visit, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return places_has_dir(p, dir, "session-state") ||
                   places_has_dir(p, dir, "history-session-state")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    return places_below_home(p, &import_agent_copilot, ".copilot", err);
}

static enum import_match match_file(const struct import_candidate *f)
{
    struct json_want type = JSON_WANT("type");

    if (!name_ends(f->base, ".jsonl"))
        return IMPORT_NOT;
    json_head(f->head, &type, 1, NULL);
    return value_is(type.value, "session.start") ? IMPORT_LIKELY : IMPORT_NOT;
}

/* Events of one directory each; other names are ids. */
static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *end, *from;

    if (!f.path)
        return err_memory(err);
    f.id = name_id(at->p->keep, name_stem(base, ".jsonl"));
    if (!strcmp(base, events)) {
        end = name_base(f.path) - 1;
        for (from = end; from > f.path && from[-1] != '/';)
            from--;
        f.id = name_id(at->p->keep, bytes_of(from, (size_t)(end - from)));
        read_workspace(at->p->keep, &f);
    }
    return places_add(at->p, &f, err);
}

const struct import_agent import_agent_copilot = {
    .name = "copilot",
    .title = "GitHub Copilot CLI",
    .where = "`~/.copilot`",
    .format = &import_copilot,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
