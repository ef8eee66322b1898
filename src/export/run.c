/* run.c - see run.h */
#include "export/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/opts.h"
#include "export/reader.h"

/* A line of JSON with all images of an answer. */
#define CEILING ((size_t)2 << 30)

static quire_status fail_unknown(const char *to, quire_error *err)
{
    struct buf known = BUF_INIT(4096);
    const struct export_target *const *t;
    quire_status st;

    for (t = export_targets; *t; t++)
        buf_addf(&known, "%s%s", t == export_targets ? "" : ", ", (*t)->name);
    st = err_fail(err, QUIRE_INVALID, buf_text(&known),
                  "sessions cannot be exported to `%s`", to);
    buf_release(&known);
    return st;
}

static void find_homes(struct export_run *r)
{
    const char *home = r->options.home ? r->options.home : getenv("HOME");
    const char *cwd = r->x.session.cwd;

    if (home && *home == '/')
        redact_home(&r->redact, bytes_str(home));
    if (!strncmp(cwd, "/home/", 6) || !strncmp(cwd, "/Users/", 7))
        redact_home(&r->redact, bytes_str(cwd));
}

/* The directory stays where the file is installed: the agent looks for it. */
static quire_status clean_session(struct export_run *r, quire_error *err)
{
    struct export_session *s = &r->x.session;

    if (!r->options.redact)
        return QUIRE_OK;
    r->clean.redact = &r->redact;
    /* The cwd is borrowed by the redactor as it was. */
    find_homes(r);
    s->title = clean_text(&r->clean, s->title, &r->x.keep);
    if (!r->x.install)
        s->cwd = clean_text(&r->clean, s->cwd, &r->x.keep);
    if (!s->title || !s->cwd)
        return err_memory(err);
    return clean_entry(&r->clean, s->header, &r->x.keep, &s->header, err);
}

quire_status export_run_open(struct export_run *r, quire *q, const char *which,
                             const char *to,
                             const quire_export_options *options, bool install,
                             quire_error *err)
{
    quire_session_options open = QUIRE_SESSION_OPTIONS_INIT;
    quire_export_options defaults = QUIRE_EXPORT_OPTIONS_INIT;
    quire_status st;

    *r = (struct export_run){.q = q, .options = defaults};
    r->x.out.max = CEILING;
    OPTIONS_READ(r->options, options);
    r->clean.q = q;
    r->x.install = install;
    r->x.now_ms = clock_us(&clock_system) / 1000;
    r->x.target = export_target_of(to);
    if (!r->x.target)
        return fail_unknown(to, err);
    open.flags = QUIRE_SESSION_READ;
    st = quire_session_open(q, which, &open, &r->s, err);
    if (!st)
        st = export_path_find(&r->x, r->s, &r->options, &r->path, err);
    if (!st)
        st = clean_session(r, err);
    if (st)
        return st;
    export_uuid(&r->x, bytes_str(""), 0, r->x.uuid);
    if (r->x.target->state_size) {
        r->x.state = arena_array(&r->x.keep, 1, r->x.target->state_size);
        if (!r->x.state)
            return err_memory(err);
    }
    json_begin(&r->x.w, &r->x.out);
    return QUIRE_OK;
}

void export_run_release(struct export_run *r)
{
    if (r->x.state && r->x.target->release)
        r->x.target->release(&r->x);
    quire_session_close(r->s);
    buf_release(&r->x.out);
    arena_release(&r->x.keep);
    arena_release(&r->x.tmp);
}

static void report_drops(struct export_run *r)
{
    size_t i;

    if (r->clean.opaque)
        export_drop_n(&r->x, "signature", bytes_str(""), r->clean.opaque);
    if (r->redact.secrets)
        export_drop_n(&r->x, "secret", bytes_str(""), r->redact.secrets);
    if (r->redact.paths)
        export_drop_n(&r->x, "home directory", bytes_str(""), r->redact.paths);
    for (i = 0; r->options.dropped && i < r->x.n_drops; i++)
        r->options.dropped(r->options.dropped_ctx, r->x.drops[i].kind,
                           r->x.drops[i].n);
}

quire_status export_run_write(struct export_run *r, quire_error *err)
{
    const struct export_target *t = r->x.target;
    quire_status st = t->begin ? t->begin(&r->x, err) : QUIRE_OK;

    if (!st)
        st = export_read(&r->x, r->s, &r->clean, &r->path, err);
    if (!st && t->end)
        st = t->end(&r->x, err);
    if (!st)
        st = export_flush(&r->x, 1, err);
    if (!st)
        report_drops(r);
    return st;
}

/* A name of a file, whatever the session is called. */
static const char *plain_name(struct export *x, const char *id,
                              const char *suffix)
{
    char *name = arena_printf(&x->keep, "%.200s%s", id, suffix), *c;

    for (c = name; c && *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ')
            *c = '_';
    return name;
}

quire_status export_run_names(struct export_run *r, quire_exported *out,
                              quire_error *err)
{
    const struct export_target *t = r->x.target;
    const char *id = t->session_id ? t->session_id(&r->x) : r->x.uuid;
    const char *name = t->file_name
                           ? t->file_name(&r->x)
                           : plain_name(&r->x, r->x.session.id, t->suffix);

    if (!id || !name)
        return err_memory(err);
    *out = (quire_exported){.messages = r->x.n};
    snprintf(out->id, sizeof out->id, "%s", id);
    snprintf(out->name, sizeof out->name, "%s", name);
    return QUIRE_OK;
}
