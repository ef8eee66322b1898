/*
 * run.c - commands in a workspace, as quire/run.h has them
 *
 * A command gets the directories of its session, is logged before it starts and
 * when it has ended, and its output goes to the caller and, if it is long, to a file
 * of the session. Files it changed become artifacts.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "base/json.h"
#include "api/workspace.h"
#include "sandbox/run.h"

/* Of a command in the log. */
#define COMMAND_MAX (64 * 1024)

struct running {
    quire_workspace *w;
    const quire_run_options *o;
    quire_sink *sink;   /* NULL: nothing is kept */
    uint64_t passed_on; /* bytes given to the caller */
    bool cut;           /* there were more       */
};

/* ---- what the sandbox is told ------------------------------------------- */

static quire_status hand_on(void *ctx, int stream, quire_bytes bytes,
                            quire_error *err)
{
    struct running *r = ctx;
    uint64_t room = r->o->max_output > r->passed_on
                        ? r->o->max_output - r->passed_on
                        : 0;

    if (r->sink)
        quire_sink_write(r->sink, bytes);
    if (r->o->max_output > 0 && bytes.len > room) {
        bytes.len = (size_t)room;
        r->cut = true;
    }
    r->passed_on += bytes.len;
    if (bytes.len == 0 || !r->o->output)
        return QUIRE_OK;
    return r->o->output(r->o->ctx, stream, bytes, err);
}

/* What the session may still store. */
static quire_status find_disk(struct running *r, uint64_t *bytes,
                              quire_error *err)
{
    struct artifact_limits limits;
    struct quire *q = workspaces_handle(r->w);
    struct session_row owner = {.session_used = 0};
    quire_status st = artifacts_limits(q, &limits, err);

    if (!st)
        st = session_row_find(&q->catalog, q->tenant,
                              quire_workspace_session(r->w), &owner, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    *bytes = limits.session > owner.session_used
                 ? limits.session - owner.session_used
                 : 1; /* 0 would be no limit */
    return QUIRE_OK;
}

/* Independent of the working directory of this process. */
static const char *absolute(const char *dir, const char *below,
                            struct arena *keep)
{
    const char *whole = absolute_cwd(dir, keep);

    return whole ? arena_printf(keep, "%s%s", whole, below) : NULL;
}

/* Directories it may read: the shared ones, and other sessions if asked. In
 * `keep`. */
static const char *const *find_readable(struct running *r, struct arena *keep)
{
    struct quire *q = workspaces_handle(r->w);
    const char **list = arena_array(keep, 4, sizeof *list);

    if (!list)
        return NULL;
    list[0] = absolute(q->home, "/documentation", keep);
    list[1] = absolute(q->home, "/examples", keep);
    if (r->o->read_all)
        list[2] = absolute(q->root, "/artifacts", keep);
    return list[0] && list[1] && (list[2] || !r->o->read_all) ? list : NULL;
}

static quire_status find_cwd(struct running *r, struct arena *keep,
                             const char **out, quire_error *err)
{
    const char *cwd = r->o->cwd;

    *out = NULL;
    if (!cwd)
        return QUIRE_OK;
    *out = *cwd == '/'
               ? cwd
               : arena_printf(keep, "%s/%s", quire_workspace_dir(r->w, 0), cwd);
    return *out ? QUIRE_OK : err_memory(err);
}

static quire_status fill_spec(struct running *r, struct arena *keep,
                              struct run_spec *spec, quire_error *err)
{
    const quire_run_options *o = r->o;
    struct quire *q = workspaces_handle(r->w);
    quire_status st;

    *spec = (struct run_spec)RUN_SPEC_INIT;
    spec->argv = o->argv;
    spec->env = o->env;
    spec->agent = quire_workspace_dir(r->w, 0);
    spec->scratch = quire_workspace_dir(r->w, 1);
    spec->session = quire_workspace_session(r->w);
    spec->home = absolute(q->home, "", keep);
    spec->net = o->net;
    spec->wanted = o->unconfined  ? RUN_UNCONFINED
                   : o->full_only ? RUN_FULL
                                  : RUN_FILES;
    spec->stdin_fd = o->stdin_fd;
    spec->stop_fd = o->stop_fd;
    spec->output = hand_on;
    spec->output_ctx = r;
    spec->limits.output_bytes = o->drain ? 0 : o->max_output;
    spec->limits.wall_ms = o->timeout_ms;
    if (o->processes)
        spec->limits.processes = o->processes;
    if (o->memory)
        spec->limits.memory_bytes = o->memory;
    if (o->file_size)
        spec->limits.file_bytes = o->file_size;
    if (o->open_files)
        spec->limits.open_files = o->open_files;
    spec->limits.disk_bytes = o->disk;
    if (o->files)
        spec->limits.disk_files = o->files;
    spec->readable = find_readable(r, keep);
    if (!spec->readable || !spec->home)
        return err_memory(err);
    st = find_cwd(r, keep, &spec->cwd, err);
    return st || o->disk ? st : find_disk(r, &spec->limits.disk_bytes, err);
}

/* ---- what is noted ------------------------------------------------------ */

static const char *spell_command(const char *const *argv, struct arena *keep)
{
    struct buf out = BUF_INIT(COMMAND_MAX + 4096);
    struct json_writer w;
    const char *text, *word;

    json_begin(&w, &out);
    json_array(&w);
    for (; *argv && out.len < COMMAND_MAX; argv++) {
        size_t len = strlen(*argv), room = (COMMAND_MAX - out.len) / 6;

        if (len <= room) {
            json_str(&w, *argv);
            continue;
        }
        /* Keep the end: it could hide the interesting part. */
        word = arena_printf(keep, "%.*s ...(%zu bytes)... %s", (int)(room / 3),
                            *argv, len, *argv + len - room / 3);
        if (word)
            json_str(&w, word);
        out.failed |= !word;
    }
    json_array_end(&w);
    text = out.failed ? NULL : arena_text(keep, buf_bytes(&out));
    buf_release(&out);
    return text;
}

/* The names of bits, as a JSON array. */
static const char *spell_bits(unsigned bits, unsigned n,
                              const char *(*name)(unsigned index),
                              struct arena *keep)
{
    struct buf out = BUF_INIT(1024);
    struct json_writer w;
    const char *text;
    unsigned i;

    json_begin(&w, &out);
    json_array(&w);
    for (i = 0; i < n; i++)
        if (bits >> i & 1)
            json_str(&w, name(i));
    json_array_end(&w);
    text = out.failed ? NULL : arena_text(keep, buf_bytes(&out));
    buf_release(&out);
    return text;
}

static const char *hit_name(unsigned index)
{
    static const char *const names[RUN_N_HITS] = {"time",      "output",
                                                  "processes", "memory",
                                                  "disk",      "file",
                                                  "files"};

    return names[index];
}

static quire_status note_end(struct running *r, const struct run_result *got,
                             struct arena *keep, quire_run_result *out,
                             quire_error *err)
{
    quire_run_record *n = &out->record;
    unsigned hit = got->hit | (r->cut ? (unsigned)RUN_HIT_OUTPUT : 0u);

    n->ended = 1;
    n->exit = got->exit;
    n->signal = got->signal;
    n->duration_us = got->duration_us;
    n->out_bytes = got->out_bytes;
    n->err_bytes = got->err_bytes;
    n->hit = spell_bits(hit, RUN_N_HITS, hit_name, keep);
    n->confined = spell_bits(got->held, RUN_N_LAYERS, run_layer_name, keep);
    if (!n->hit || !n->confined)
        return err_memory(err);
    out->timed_out = got->timed_out;
    out->truncated = (hit & RUN_HIT_OUTPUT) != 0;
    out->stopped = got->stopped;
    return run_log_end(&workspaces_handle(r->w)->catalog,
                       workspaces_handle(r->w)->tenant, n, err);
}

/* It did not start, or its end was not observed: exit status as in shells. */
static void note_failure(struct running *r, const struct run_result *got,
                         quire_run_result *out)
{
    quire_run_record *n = &out->record;

    n->exit = got->exit;
    n->hit = n->confined = "[]";
    run_log_end(&workspaces_handle(r->w)->catalog,
                workspaces_handle(r->w)->tenant, n, NULL);
}

/* ---- a run -------------------------------------------------------------- */

/* The whole of a long output is in a file of the session. */
static void keep_output(struct running *r, quire_run_result *out)
{
    quire_sink_result kept;

    quire_sink_finish(r->sink, &kept);
    if (kept.id)
        snprintf(out->artifact, sizeof out->artifact, "%s", kept.id);
}

static quire_status run_inside(struct running *r, struct arena *keep,
                               quire_run_result *out, quire_error *err)
{
    struct quire *q = workspaces_handle(r->w);
    struct run_result got;
    struct run_spec spec;
    quire_status st = fill_spec(r, keep, &spec, err);

    out->record.session = quire_workspace_session(r->w);
    out->record.command = spell_command(r->o->argv, keep);
    out->record.unconfined = r->o->unconfined != 0;
    out->record.started_us = clock_us(&q->clock);
    if (!st && !out->record.command)
        st = err_memory(err);
    if (!st)
        st = run_log_start(&q->catalog, q->tenant, out->record.session,
                           out->record.command, r->o->unconfined,
                           &out->record.id, err);
    if (st)
        return st;
    st = run_command(&spec, &got, err);
    if (st) {
        note_failure(r, &got, out);
        return st;
    }
    if (r->sink)
        keep_output(r, out);
    return note_end(r, &got, keep, out, err);
}

quire_status quire_run(quire_workspace *w, const quire_run_options *options,
                       quire_run_result *out, quire_error *err)
{
    quire_run_options o = QUIRE_RUN_OPTIONS_INIT;
    struct running r = {.w = w, .o = &o};
    quire_sink_options sink = QUIRE_SINK_OPTIONS_INIT;
    quire_status st;

    OPTIONS_READ(o, options);
    *out = (quire_run_result){.timed_out = 0};
    if (!o.argv)
        return err_set(err, QUIRE_INVALID, "command is empty");
    sink.tool = "run";
    /* What is not passed on can be read there. */
    if (o.drain && o.max_output < sink.threshold)
        sink.threshold = o.max_output;
    st = quire_workspace_make(w, err);
    /* Changes up to now are not the command's. An unreadable directory must not
     * stop a command that may fix it. */
    if (!st) {
        st = quire_workspace_sync(w, NULL, NULL, NULL, NULL, err);
        st = st == QUIRE_IO ? QUIRE_OK : st;
    }
    if (!st && o.outputs)
        st = quire_sink_open(o.outputs, &sink, &r.sink, err);
    if (!st)
        st = run_inside(&r, workspaces_loan(w), out, err);
    if (!st)
        st = quire_workspace_sync(w, "agent", NULL, NULL, &out->files, err);
    quire_sink_free(r.sink);
    return st;
}

/* ---- what can be had ---------------------------------------------------- */

quire_status quire_run_probe(quire_run_layer_fn each, void *ctx,
                             quire_error *err)
{
    struct run_probe probe;
    quire_status st = QUIRE_OK;
    unsigned i;

    run_probe(&probe);
    for (i = 0; i < RUN_N_LAYERS && !st; i++)
        st = each(ctx, probe.layer[i].name, probe.layer[i].ok,
                  probe.layer[i].why, err);
    return st;
}

/* The key of the session whose records are meant, "" for all. QUIRE_STOPPED
 * without a message: there is no log. */
static quire_status open_log(struct quire *q, const char *session,
                             const char **key, quire_error *err)
{
    quire_status st = need_own_rows(q, false, err);

    *key = "";
    if (st == QUIRE_NOT_FOUND ||
        (!st && !catalog_has(&q->catalog, SCHEMA_RUN_LOG)))
        return QUIRE_STOPPED;
    return !st && session ? session_key(q, session, &q->loan, key, err) : st;
}

quire_status quire_run_list(quire *q, const char *session, uint64_t limit,
                            quire_run_fn each, void *ctx, quire_error *err)
{
    const char *key;
    quire_status st = open_log(q, session, &key, err);

    if (st)
        return st == QUIRE_STOPPED ? QUIRE_OK : st;
    q->in_callback = true;
    st = run_log_list(&q->catalog, q->tenant, key, limit, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_run_clear(quire *q, const char *session, quire_run_fn each,
                             void *ctx, quire_error *err)
{
    const char *key;
    quire_status st = q->read_only ? read_only_error(err)
                                   : open_log(q, session, &key, err);

    if (!st)
        st = need_own_rows(q, true, err);
    if (st)
        return st == QUIRE_STOPPED ? QUIRE_OK : st;
    q->in_callback = true;
    st = run_log_clear(&q->catalog, q->tenant, key, each, ctx, err);
    q->in_callback = false;
    return st;
}
