/* export.c - the public functions of quire/export.h */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "export/install.h"
#include "quire/export.h"
#include "quire/import.h"

quire_status quire_export_write(quire *q, const char *which, const char *to,
                                const quire_export_options *options,
                                quire_write_fn write, void *ctx,
                                quire_exported *out, quire_error *err)
{
    struct export_run r;
    quire_status st = export_run_open(&r, q, which, to, options, false, err);

    r.x.write = write;
    r.x.write_ctx = ctx;
    if (!st && out)
        st = export_run_names(&r, out, err);
    if (!st)
        st = export_run_write(&r, err);
    if (!st && out)
        out->messages = r.x.n;
    export_run_release(&r);
    return st;
}

/* Let the next import know the file for what it is. It is in its place whatever
 * comes of that, so failures are not reported: a home may be read only. */
static void note_placed(struct export_run *r, const char *id, const char *path)
{
    quire_import_export e = {.agent = r->x.target->name,
                             .id = id,
                             .session = r->x.session.id,
                             .path = path,
                             .exported_us = r->x.now_ms * 1000};
    struct stat st;

    if (stat(path, &st) != 0)
        return;
    e.inode = st.st_ino;
    e.bytes = (uint64_t)st.st_size;
    e.modified_ns = st.st_mtim.tv_sec * INT64_C(1000000000) +
                    st.st_mtim.tv_nsec;
    quire_import_export_put(r->q, &e, NULL);
}

quire_status quire_export_install(quire *q, const char *which, const char *to,
                                  const quire_export_options *options,
                                  quire_exported *out, quire_error *err)
{
    const char *path = NULL;
    struct export_place place;
    struct export_run r;
    quire_status st = export_run_open(&r, q, which, to, options, true, err);

    if (!st)
        st = export_run_names(&r, out, err);
    if (!st)
        st = export_find_place(&r, &place, &path, err);
    if (!st)
        st = export_place_file(&r, &place, err);
    if (path)
        snprintf(out->path, sizeof out->path, "%s", path);
    if (!st) {
        out->messages = r.x.n;
        note_placed(&r, out->id, path);
    }
    export_run_release(&r);
    return st;
}

/* ---- resume -------------------------------------------------------------- */

enum { ARGS_MAX = 8 };

/* The agent that the session comes from, in the header. */
static quire_status find_agent(quire *q, const char *which, char out[64],
                               quire_error *err)
{
    quire_session_options open = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s = NULL;
    struct buf name = BUF_INIT(63);
    quire_bytes header, agent;
    quire_status st;

    open.flags = QUIRE_SESSION_READ;
    st = quire_session_open(q, which, &open, &s, err);
    if (!st)
        st = quire_session_header(s, &header, err);
    if (!st) {
        agent = json_get(header, "agent");
        if (json_kind(agent) == JSON_STRING)
            json_decode(agent, &name);
        snprintf(out, 64, "%.*s", (int)name.len, name.len ? name.data : "");
        if (!*out)
            st = err_fail(err, QUIRE_INVALID, HINT_SHELL "name one with --in",
                          "session %s was not imported from an agent", which);
    }
    buf_release(&name);
    quire_session_close(s);
    return st;
}

/* "file#id", and the file is there. */
static bool is_in_database(const char *source)
{
    const char *mark = strrchr(source, '#');
    char file[PATH_MAX];

    if (!mark || (size_t)(mark - source) >= sizeof file)
        return false;
    memcpy(file, source, (size_t)(mark - source));
    file[mark - source] = '\0';
    return access(file, R_OK) == 0;
}

/* The agent's own session, if its file is still there. */
static bool has_own(const struct export_run *r)
{
    const struct export_session *s = &r->x.session;

    return !r->options.leaf && !strcmp(s->agent, r->x.target->name) &&
           *s->source &&
           (access(s->source, R_OK) == 0 || is_in_database(s->source));
}

/* The id by which the agent knows it. */
static const char *own_id(const struct export_session *s)
{
    const char *mark = strrchr(s->source, '#');

    return mark && access(s->source, R_OK) != 0 ? mark + 1 : s->id;
}

static quire_status pass_command(struct export_run *r, const char *id,
                                 quire_resume *out, quire_resume_fn each,
                                 void *ctx, quire_error *err)
{
    const char *argv[ARGS_MAX] = {NULL};

    r->x.target->resume(&r->x, id, out->path, argv);
    out->agent = r->x.target->name;
    out->argv = argv;
    out->cwd = r->x.session.cwd;
    return each(ctx, out, err);
}

static quire_status resume(struct export_run *r, quire_resume_fn each,
                           void *ctx, quire_error *err)
{
    struct export_place place;
    const char *path, *existing;
    quire_resume out = {.path = r->x.session.source};
    quire_exported names;
    quire_status st;

    if (has_own(r))
        return pass_command(r, own_id(&r->x.session), &out, each, ctx, err);
    st = export_run_names(r, &names, err);
    if (!st)
        st = export_find_place(r, &place, &path, err);
    if (!st)
        st = export_find_existing(r, &place, &existing, err);
    if (st)
        return st;
    out.path = existing ? existing : path;
    out.installed = existing == NULL;
    if (!existing)
        st = export_place_file(r, &place, err);
    if (!st && !existing)
        note_placed(r, names.id, path);
    return st ? st : pass_command(r, names.id, &out, each, ctx, err);
}

quire_status quire_export_resume(quire *q, const char *which, const char *agent,
                                 const quire_export_options *options,
                                 quire_resume_fn each, void *ctx,
                                 quire_error *err)
{
    struct export_run r;
    char source[64];
    quire_status st = QUIRE_OK;

    if (!agent) {
        st = find_agent(q, which, source, err);
        agent = source;
    }
    if (st)
        return st;
    st = export_run_open(&r, q, which, agent, options, true, err);
    r.resumes = true;
    if (!st && !r.x.target->resume)
        st = err_fail(err, QUIRE_INVALID, "export it to a file instead",
                      "%s cannot continue a session", r.x.target->title);
    if (!st)
        st = resume(&r, each, ctx, err);
    export_run_release(&r);
    return st;
}
