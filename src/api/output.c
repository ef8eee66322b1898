/*
 * output.c - outputs, as quire/output.h has them
 *
 * Chooses the directory of outputs; src/output does the rest. Outputs without a
 * session go to a directory of the user below TMPDIR. Another user may have
 * created it first, so its owner and mode are checked. A tenant other than the
 * default one has outputs/ below its root instead: the user's directory is shared
 * by all tenants.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "output/address.h"
#include "output/dir.h"
#include "output/quote.h"
#include "output/sink.h"
#include "api/output.h"

#define PATIENCE_MS 30000

/* ---- where they are ----------------------------------------------------- */

static quire_status tell_dir(struct quire_outputs *o, quire_error *err)
{
    const struct store *store = o->outdir.store;

    o->dir = arena_printf(&o->keep, "%s%s%s", store_place(store),
                          *o->outdir.dir ? "/" : "", o->outdir.dir);
    return o->dir ? QUIRE_OK : err_memory(err);
}

static bool follow(void *ctx, struct output_dir *s)
{
    struct quire_outputs *o = ctx;
    const char *owner = session_follow_move(s->store, s->owner, &o->keep);
    const char *dir = owner ? session_outputs_dir(owner, &o->keep) : NULL;

    if (!dir)
        return false;
    s->owner = owner;
    s->dir = dir;
    return tell_dir(o, NULL) == QUIRE_OK;
}

static quire_status open_session(struct quire *q, const char *which,
                                 struct quire_outputs *o, quire_error *err)
{
    struct session_location p = {0};
    quire_status st = session_lookup(q, which, &o->keep, &p, err);

    if (st)
        return st;
    o->outdir.owner = p.name;
    o->outdir.dir = session_outputs_dir(p.name, &o->keep);
    if (p.own_store) { /* ours from here on */
        o->outdir.store = p.store;
    } else {
        o->outdir.follow = follow;
        st = open_home_store(q, &o->outdir.store, err);
    }
    if (!st && !o->outdir.dir)
        st = err_memory(err);
    return st ? st : tell_dir(o, err);
}

/* Check that the open directory is ours, and writable by its owner alone. */
static quire_status check_own(int fd, const char *path, quire_error *err)
{
    struct stat st;
    quire_status status = QUIRE_IO;

    if (fd < 0 && errno != ELOOP && errno != ENOTDIR) {
        err_sys(err, errno, "cannot open directory %s", path);
        if (err)
            err->status = status;
    } else if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
               !(st.st_mode & (S_IWGRP | S_IWOTH))) {
        return QUIRE_OK;
    } else {
        err_set(err, status,
                "cannot keep outputs in %s: it is not a directory of yours "
                "alone",
                path);
    }
    err_next(err, HINT_SHELL
             "remove it, set TMPDIR, or name a session with --session");
    return status;
}

/* Opened when an output is kept or looked up: short outputs need no directory.
 * The checked descriptor is the one that is used. */
static quire_status open_temporary(void *ctx, struct output_dir *s,
                                   quire_error *err)
{
    struct quire_outputs *o = ctx;
    bool reads = o->q->read_only;
    quire_status st;
    int fd;

    if (!reads && o->q->tenant != TENANT_DEFAULT) {
        st = fs_open_dir(o->q->root, true, &fd, err);
        if (st)
            return st;
        close(fd);
    }
    if (!reads && mkdir(o->dir, 0700) < 0 && errno != EEXIST) {
        err_sys(err, errno, "cannot create directory %s", o->dir);
        err_next(err,
                 HINT_SHELL "set TMPDIR, or name a session with --session");
        if (err)
            err->status = QUIRE_IO;
        return QUIRE_IO;
    }
    fd = open(o->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) /* nothing was kept yet */
        return store_memory_open(&o->q->clock, &s->store, err);
    st = check_own(fd, o->dir, err);
    if (!st)
        return store_files_adopt(fd, o->dir, reads, &s->store, err);
    if (fd >= 0)
        close(fd);
    return st;
}

static quire_status name_temporary(struct quire_outputs *o, quire_error *err)
{
    const char *tmp = getenv("TMPDIR");
    size_t len;

    if (!tmp || *tmp != '/')
        tmp = "/tmp";
    len = strlen(tmp);
    while (len > 1 && tmp[len - 1] == '/')
        len--;
    o->temporary = true;
    o->outdir.dir = "";
    o->outdir.open = open_temporary;
    if (o->q->tenant != TENANT_DEFAULT) {
        tmp = absolute_cwd(o->q->root, &o->keep);
        o->dir = tmp ? arena_printf(&o->keep, "%s/outputs", tmp) : NULL;
        return o->dir ? QUIRE_OK : err_memory(err);
    }
    o->dir = arena_printf(&o->keep, "%.*s/quire-%lu", (int)len, tmp,
                          (unsigned long)geteuid());
    return o->dir ? QUIRE_OK : err_memory(err);
}

quire_status quire_outputs_open(quire *q, const char *session,
                                quire_outputs **out, quire_error *err)
{
    struct quire_outputs *o = calloc(1, sizeof *o);
    quire_status st = check_free(q, err);

    *out = NULL;
    if (!o)
        return err_memory(err);
    o->q = q;
    /* Longer than for others: the lock is held briefly, and giving up loses the
     * only copy. */
    o->outdir.busy_ms = q->busy_ms > PATIENCE_MS ? q->busy_ms : PATIENCE_MS;
    o->outdir.ctx = o;
    if (!st)
        st = tenants_check(q, err);
    if (!st)
        st = session ? open_session(q, session, o, err)
                     : name_temporary(o, err);
    if (st)
        quire_outputs_close(o);
    else
        *out = o;
    return st;
}

void quire_outputs_close(quire_outputs *o)
{
    if (!o)
        return;
    store_free(o->outdir.store);
    arena_release(&o->keep);
    arena_release(&o->loan);
    free(o);
}

const char *quire_outputs_dir(const quire_outputs *o)
{
    return o->dir;
}

int quire_outputs_temporary(const quire_outputs *o)
{
    return o->temporary;
}

/* ---- sinks -------------------------------------------------------------- */

struct quire_sink {
    struct sink *sink;
    quire_secret_fn on_secret; /* of the handle, when it was opened */
    void *secret_ctx;
    bool masks;
};

static void report_secret(void *ctx, const char *place, const struct secret *s)
{
    struct quire_sink *sink = ctx;
    quire_secret one = {.kind = s->kind,
                        .place = place,
                        .at = s->at,
                        .bytes = s->len,
                        .masked = sink->masks};

    if (sink->on_secret)
        sink->on_secret(sink->secret_ctx, &one);
}

static quire_status find_secrets_policy(struct quire *q, quire_sink *sink,
                                        struct sink_secrets *out,
                                        quire_error *err)
{
    enum secrets_policy policy;
    quire_status st = secrets_policy(q, &policy, err);

    sink->on_secret = q->on_secret;
    sink->secret_ctx = q->secret_ctx;
    sink->masks = !st && policy == SECRETS_MASK;
    *out = (struct sink_secrets){.look = !st && policy != SECRETS_OFF,
                                 .mask = sink->masks,
                                 .each = report_secret,
                                 .ctx = sink};
    return st;
}

quire_status quire_sink_open(quire_outputs *o,
                             const quire_sink_options *options,
                             quire_sink **out, quire_error *err)
{
    quire_sink_options full = QUIRE_SINK_OPTIONS_INIT;
    struct sink_secrets secrets = {.look = false};
    quire_status st;

    *out = NULL;
    OPTIONS_READ(full, options);
    if (o && o->q->read_only)
        return read_only_error(err);
    *out = calloc(1, sizeof **out);
    if (!*out)
        return err_memory(err);
    st = o ? find_secrets_policy(o->q, *out, &secrets, err) : QUIRE_OK;
    if (!st)
        st = sink_new(o ? &o->outdir : NULL, &full, &secrets, &(*out)->sink,
                      err);
    if (st) {
        free(*out);
        *out = NULL;
    }
    return st;
}

void quire_sink_write(quire_sink *sink, quire_bytes bytes)
{
    sink_write(sink->sink, bytes);
}

void quire_sink_finish(quire_sink *sink, quire_sink_result *result)
{
    sink_finish(sink->sink, result);
}

void quire_sink_free(quire_sink *sink)
{
    if (sink)
        sink_free(sink->sink);
    free(sink);
}

/* ---- reports ------------------------------------------------------------ */

/* A piece at a time: a report may be of any size. */
#define PIECE ((size_t)64 << 10)

struct report_text {
    struct draft *draft;
    struct sink_secrets secrets;
    struct secrets_stream guard;
    struct buf guarded;
};

static quire_status write_piece(struct report_text *t, quire_bytes piece,
                                bool end, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (t->secrets.look) {
        buf_clear(&t->guarded);
        secrets_stream_add(&t->guard, piece, end, &t->guarded);
        st = buf_status(&t->guarded, "a report", err);
        if (t->secrets.mask)
            piece = buf_bytes(&t->guarded);
    }
    return st || piece.len == 0 ? st : object_write(t->draft, piece, err);
}

static quire_status fill_draft(struct quire *q, struct draft *d,
                               quire_read_fn read, void *ctx, quire_error *err)
{
    quire_sink reporter = {.sink = NULL};
    struct report_text t = {.draft = d,
                            .guard = SECRETS_STREAM_INIT,
                            .guarded = BUF_INIT(2 * SECRETS_HELD_MAX)};
    char *piece = malloc(PIECE);
    quire_status st = piece ? find_secrets_policy(q, &reporter, &t.secrets, err)
                            : err_memory(err);
    size_t n = 1;

    t.guard.each = t.secrets.each;
    t.guard.ctx = t.secrets.ctx;
    while (!st && n > 0) {
        n = 0;
        st = read(ctx, piece, PIECE, &n, err);
        if (!st)
            st = write_piece(&t, bytes_of(piece, n), n == 0, err);
    }
    secrets_stream_release(&t.guard);
    buf_release(&t.guarded);
    free(piece);
    return st;
}

static quire_status describe(quire_outputs *o, const char *id, const char *tool,
                             const char *name, const struct object_info *info,
                             struct arena *keep, quire_output *out,
                             quire_error *err)
{
    struct store *store = o->outdir.store;

    *out = (quire_output){.id = id,
                          .tool = tool,
                          .bytes = info->size,
                          .modified_us = info->modified_ns / 1000};
    out->address = address_spell(*tool ? ADDRESS_ARTIFACT : ADDRESS_AGENT, id,
                                 keep);
    out->path = arena_printf(keep, "%s/%s", store_place(store), name);
    return out->address && out->path ? QUIRE_OK : err_memory(err);
}

quire_status quire_report_put(quire_outputs *o, const char *name,
                              const char *parent, quire_read_fn read, void *ctx,
                              quire_output *out, quire_error *err)
{
    struct object_info info = {0};
    struct store *store;
    const char *file, *id;
    struct draft *d;
    quire_status st;

    arena_reset(&o->loan);
    if (o->q->read_only)
        return read_only_error(err);
    st = parent ? output_dir_check_parent(parent, err) : QUIRE_OK;
    if (!st)
        st = output_dir_draft(&o->outdir, &d, err);
    if (st)
        return st;
    store = o->outdir.store;
    st = fill_draft(o->q, d, read, ctx, err);
    if (st) {
        object_discard(d);
        return st;
    }
    st = output_dir_put_report(&o->outdir, d, name, parent, &o->loan, &file,
                               &id, err);
    if (!st)
        object_stat(store->objects, file, &info,
                    NULL); /* it is kept in any case */
    if (!st)
        st = describe(o, id, "", file, &info, &o->loan, out, err);
    return st;
}

/* ---- removing ----------------------------------------------------------- */

quire_status quire_output_remove(quire_outputs *o, const char *address,
                                 quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_error why = {0};
    struct address a;
    quire_status st = o->q->read_only ? read_only_error(err)
                                      : address_parse(address, &tmp, &a, err);

    if (!st && (a.kind == ADDRESS_BLOB || a.query))
        st = err_fail(err, QUIRE_INVALID,
                      "name an output as artifact://3 or agent://0-Scout",
                      "%s is not the address of an output",
                      quote_text(bytes_str(address)).text);
    if (!st) {
        st = output_dir_remove(&o->outdir, a.id, a.kind == ADDRESS_AGENT, &tmp,
                               &why);
        if (st == QUIRE_NOT_FOUND && !*why.what)
            err_fail(&why, st,
                     HINT_SHELL
                     "`quire output ls` lists all outputs of the session",
                     "no output %s", quote_text(bytes_str(address)).text);
        if (st && err)
            *err = why;
    }
    arena_release(&tmp);
    return st;
}

/* ---- all of them -------------------------------------------------------- */

quire_status quire_outputs_list(quire_outputs *o, quire_output_fn each,
                                void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct output_dir_item *items;
    size_t i, n;
    quire_status st = output_dir_list(&o->outdir, &tmp, &items, &n, err);

    for (i = 0; i < n && !st; i++) {
        quire_output one;

        st = describe(o, items[i].id, items[i].tool, items[i].name,
                      &items[i].info, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    arena_release(&tmp);
    return st;
}
