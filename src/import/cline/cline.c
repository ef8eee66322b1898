/*
 * cline.c - where Cline, Roo Code and the older Kilo Code keep their sessions
 *
 *     <globalStorage>/<extension>/tasks/<id>/api_conversation_history.json
 *     <globalStorage>/<extension>/tasks/<id>/…       files of that session
 *     ~/.cline/data/sessions/<id>/<id>.messages.json of the CLI
 *     ~/.cline/data/sessions/<id>/…                  files of that session
 *
 * The format is in chat_format.h: one array of messages in Anthropic's shape.
 */
#include "base/err.h"
#include "import/agents.h"
#include "import/chat_format.h"

static const char history[] = "api_conversation_history.json";
static const char messages[] = ".messages.json";

static const char *const hosts[] = {"Code",   "Code - Insiders", "VSCodium",
                                    "Cursor", "Windsurf",        NULL};
static const char *const extensions[] = {"saoudrizwan.claude-dev",
                                         "rooveterinaryinc.roo-cline",
                                         "kilocode.kilo-code", NULL};
static const char *const configs[] = {".config", "Library/Application Support",
                                      NULL};

static bool is_main(const char *base)
{
    return !strcmp(base, history) || name_ends(base, messages);
}

/* "<id>/…" */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *rest = strchr(name, '/');

    if (!rest)
        return QUIRE_OK;
    f.id = name_id(at->p->keep, bytes_of(name, (size_t)(rest - name)));
    f.is_whole = f.is_main = is_main(rest + 1);
    return places_add(at->p, &f, err);
}

/* The directory of an extension, or of the CLI's data. */
static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const struct import_agent *agent = &import_agent_cline;
    quire_status st = places_walk(p, agent, dir, "tasks", visit, err);

    return st ? st : places_walk(p, agent, dir, "sessions", visit, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    const char *base = name_base(dir);
    const char *const *e;

    for (e = extensions; *e; e++)
        if (!strcmp(base, *e) && places_has_dir(p, dir, "tasks"))
            return IMPORT_LIKELY;
    return strstr(dir, "/.cline/data") && places_has_dir(p, dir, "sessions")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status find_in_host(struct import_places *p, const char *config,
                                 const char *host, quire_error *err)
{
    const struct import_agent *agent = &import_agent_cline;
    const char *const *e;
    quire_status st = QUIRE_OK;

    for (e = extensions; *e && !st; e++) {
        const char *name = arena_printf(p->keep, "%s/%s/User/globalStorage/%s",
                                        config, host, *e);

        st = name ? places_below_home(p, agent, name, err) : err_memory(err);
    }
    return st;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *data = places_env("CLINE_DATA_DIR");
    const char *const *config, *const *host;
    quire_status st = data ? add_dir(p, data, err)
                           : places_below_home(p, &import_agent_cline,
                                               ".cline/data", err);

    for (config = configs; *config; config++)
        for (host = hosts; *host && !st; host++)
            st = find_in_host(p, *config, *host, err);
    return st;
}

static enum import_match match_file(const struct import_candidate *f)
{
    return is_main(f->base) ? IMPORT_LIKELY : IMPORT_NOT;
}

/* The directory's name is the id. */
static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *end, *from;

    if (!f.path)
        return err_memory(err);
    end = name_base(f.path) - 1;
    for (from = end; from > f.path && from[-1] != '/';)
        from--;
    f.id = name_id(at->p->keep, bytes_of(from, (size_t)(end - from)));
    f.is_whole = true;
    return places_add(at->p, &f, err);
}

const struct import_format import_cline = CHAT_FORMAT("cline");

const struct import_agent import_agent_cline = {
    .name = "cline",
    .title = "Cline, Roo Code, older Kilo Code",
    .where = "the storage of VS Code and its kin, and `~/.cline/data`, or "
             "`CLINE_DATA_DIR`",
    .format = &import_cline,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};
