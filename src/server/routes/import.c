/*
 * import.c - sessions of other agents on the server's machine
 *
 * What is there, and importing it, is for the tenant `default`, from this machine
 * (ROUTE_HOME); each tenant may read what was imported for it.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "import/find.h"
#include "import/survey.h"
#include "server/importer.h"
#include "server/routes/handlers.h"
#include "server/server.h"

/* ---- what there is ------------------------------------------------------ */

static void put_agent(struct request *c, const struct import_survey_row *row)
{
    json_object(&c->w);
    put_text(c, "agent", row->agent->name);
    put_text(c, "title", row->agent->title);
    put_number(c, "sessions", (int64_t)row->sessions);
    put_number(c, "bytes", (int64_t)row->bytes);
    put_time(c, "newest", row->newest_ns / 1000);
    put_number(c, "imported", (int64_t)row->imported);
    json_object_end(&c->w);
}

void route_import_found(struct request *c)
{
    struct import_places places = {.keep = &c->keep};
    struct import_survey_row rows[IMPORT_AGENTS_MAX];
    quire_error err = {0};
    size_t n = 0, i;
    quire_status st = import_find_default(&places, NULL, &err);

    if (!st)
        st = import_survey(c->q, &places, rows, &n, &err);
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    json_object(&c->w);
    json_key(&c->w, "agents");
    json_array(&c->w);
    for (i = 0; i < n; i++)
        put_agent(c, &rows[i]);
    json_array_end(&c->w);
    json_object_end(&c->w);
}

/* ---- an import ---------------------------------------------------------- */

void route_import_get(struct request *c)
{
    json_object(&c->w);
    importer_describe(thread_ctx_importer(c->thread_ctx), &c->w);
    json_object_end(&c->w);
}

static bool is_named(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Those that are named, or all, in the order of the registry. False: answered. */
static bool read_agents(struct request *c, const struct import_agent *out[])
{
    const char *const *names = request_texts(c, "agents");
    const struct import_agent *const *a;
    size_t n = 0, i;

    for (i = 0; names && names[i]; i++)
        if (!import_agent_of(names[i])) {
            request_refuse(c, 400, "invalid",
                           "GET /v1/import/found lists the agents",
                           "there is no importer for agent \"%.40s\"",
                           names[i]);
            return false;
        }
    for (a = import_agents; *a; a++)
        if (!names || is_named(names, (*a)->name))
            out[n++] = *a;
    out[n] = NULL;
    return true;
}

void route_import_start(struct request *c)
{
    const struct import_agent *agents[IMPORT_AGENTS_MAX + 1];
    quire_error err = {0};
    quire_status st;

    if (!read_agents(c, agents))
        return;
    st = importer_start(thread_ctx_importer(c->thread_ctx), agents, &err);
    if (st == QUIRE_BUSY)
        request_fail_as(c, 409, "in_progress",
                        "GET /v1/import shows how far it is", &err);
    else if (st)
        request_fail(c, st, &err);
    else
        route_import_get(c);
}

/* ---- the ledger --------------------------------------------------------- */

struct ledger {
    struct request *c;
    const char *after; /* path; NULL: from the first */
    uint64_t limit, n;
    const char *last; /* path, in `keep` */
    bool more;
};

static quire_status put_file(void *ctx, const quire_import_file *f,
                             quire_error *err)
{
    struct ledger *l = ctx;
    struct request *c = l->c;

    if (l->after && strcmp(f->path, l->after) <= 0)
        return QUIRE_OK;
    l->more = l->n == l->limit;
    if (l->more)
        return QUIRE_STOPPED;
    if (++l->n == l->limit) {
        l->last = arena_text(&c->keep, bytes_str(f->path));
        if (!l->last)
            return err_memory(err);
    }
    json_object(&c->w);
    put_text(c, "agent", f->agent);
    put_text(c, "source", f->path);
    put_text(c, "session", f->session);
    put_flag(c, "main", f->is_main);
    put_text(c, "title", *f->title ? f->title : NULL);
    put_text(c, "cwd", *f->cwd ? f->cwd : NULL);
    put_number(c, "entries", (int64_t)f->entries);
    put_number(c, "bytes", (int64_t)f->bytes);
    put_number(c, "problems", (int64_t)f->problems);
    put_time(c, "modified_at", f->modified_ns / 1000);
    put_time(c, "imported_at", f->imported_us);
    json_object_end(&c->w);
    return c->answer.body.failed ? err_memory(err) : QUIRE_OK;
}

void route_import_ledger(struct request *c)
{
    struct ledger l = {.c = c,
                       .after = request_text(c, "cursor"),
                       .limit = request_limit(c)};
    quire_error err = {0};
    quire_status st;

    json_object(&c->w);
    json_key(&c->w, "files");
    json_array(&c->w);
    st = quire_import_list(c->q, NULL, put_file, &l, &err);
    json_array_end(&c->w);
    put_text(c, "next_cursor", l.more ? l.last : NULL);
    json_object_end(&c->w);
    if (st && st != QUIRE_STOPPED)
        request_fail(c, st, &err);
}
