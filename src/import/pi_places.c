/*
 * pi_places.c - the directory of pi, or of oh-my-pi
 *
 *     sessions/<project>/<time>_<id>.jsonl          a session
 *     sessions/<project>/<time>_<id>/<n>.<tool>.log an output of it
 *     sessions/<project>/<time>_<id>/<agent>.md     a report of a sub-agent
 *     sessions/<project>/<time>_<id>/<agent>.jsonl  a sub-agent
 *     archive/sessions/<project>/…                  the same
 *     blobs/<digest>                                what sessions refer to
 */
#include <unistd.h>

#include "base/err.h"
#include "import/pi_format.h"
#include "import/value.h"

enum { PARENT_LEN = 8 };

/* "2026-01-02T03-04-05-678Z_<id>": the id. */
static quire_bytes id_of(quire_bytes stem)
{
    const char *at = stem.data;
    size_t i;

    for (i = stem.len; i > 0; i--)
        if (at[i - 1] == '_')
            return i < stem.len ? bytes_sub(stem, i, stem.len) : stem;
    return stem;
}

static quire_bytes stem_of(const char *base)
{
    return name_stem(base, ".jsonl");
}

/* A sub-agent's file is named by what it does, so its session gets the parent's
 * beginning as well. */
static const char *agent_id(struct arena *keep, const char *base,
                            const char *parent)
{
    quire_bytes stem = stem_of(base);
    const char *text = arena_printf(keep, "%.*s-%.*s", (int)stem.len,
                                    (const char *)stem.data, PARENT_LEN,
                                    parent);

    return text ? name_id(keep, bytes_str(text)) : NULL;
}

/* The directory of blobs that belongs to a directory of sessions; NULL: there is
 * none. */
static const char *blobs_of(struct import_places *p, const char *path)
{
    static const char *const parts[] = {"/archive/sessions/", "/sessions/"};
    const char *at = NULL, *next, *found;
    size_t i;

    for (i = 0; !at && path && i < 2; i++)
        for (next = path; (next = strstr(next, parts[i])) != NULL; next++)
            at = next;
    if (!at)
        return NULL;
    found = arena_printf(p->keep, "%.*s/blobs", (int)(at - path), path);
    return found && access(found, R_OK | X_OK) == 0 ? found : NULL;
}

/* A header, or the title slot before it. */
bool pi_matches(const struct import_candidate *f)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("id"),
                            JSON_WANT("pad")};
    quire_bytes head = f->head;
    const char *nl;

    if (!name_ends(f->base, ".jsonl"))
        return false;
    json_head(head, w, 3, NULL);
    if (value_is(w[0].value, "title") && value_is_string(w[2].value)) {
        nl = memchr(head.data, '\n', head.len);
        if (!nl)
            return false;
        head = bytes_sub(head, (size_t)(nl + 1 - (const char *)head.data),
                         head.len);
        json_head(head, w, 2, NULL);
    }
    return value_is(w[0].value, "session") && value_is_string(w[1].value) &&
           memmem(head.data, head.len, "\"cwd\"", 5);
}

static bool is_session(const char *path, const char *base)
{
    struct import_candidate f = {.path = path, .base = base};
    char head[IMPORT_HEAD];

    f.head = places_head(path, head);
    return pi_matches(&f);
}

/* The parts of "<project>/<time>_<id>/…". */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    struct arena *keep = at->p->keep;
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *project = strchr(name, '/');
    const char *rest = project ? strchr(project + 1, '/') : NULL;
    bool lines = name_ends(base, ".jsonl");

    if (*base == '.' || (!rest && !lines))
        return QUIRE_OK;
    f.blobs = blobs_of(at->p, f.path);
    if (!rest) {
        f.id = name_id(keep, id_of(stem_of(base)));
        return places_add(at->p, &f, err);
    }
    f.parent = name_id(keep, id_of(bytes_of(project + 1,
                                            (size_t)(rest - project - 1))));
    if (!f.parent)
        return err_memory(err);
    if (lines && f.path && is_session(f.path, base)) {
        f.id = agent_id(keep, base, f.parent);
        return places_add(at->p, &f, err);
    }
    f.id = f.parent;
    f.parent = NULL;
    f.is_main = false;
    f.output = rest + 1 == base ? arena_text(keep, bytes_str(base)) : NULL;
    return places_add(at->p, &f, err);
}

quire_status pi_add_dir(struct import_places *p,
                        const struct import_agent *agent, const char *dir,
                        quire_error *err)
{
    quire_status st = places_walk(p, agent, dir, "sessions", visit, err);

    return st ? st : places_walk(p, agent, dir, "archive/sessions", visit, err);
}

quire_status pi_add_file(struct import_place *at, const char *name,
                         const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);

    f.blobs = blobs_of(at->p, f.path);
    f.id = name_id(at->p->keep, id_of(stem_of(name_base(name))));
    return places_add(at->p, &f, err);
}
