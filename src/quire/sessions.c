/*
 * sessions.c - sessions, as quire.h has them
 *
 * The session room knows files and entries; where a session lies, what it is
 * called and what its blobs are is decided here. So are the steps that touch
 * more than one file: a session and its outputs move, go and come together,
 * and if the second half of a move fails the first is undone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "quire/priv.h"
#include "session/list.h"
#include "session/names.h"
#include "session/session.h"

struct quire_session {
    struct quire *q;
    struct session *s;
};

/* ---- what a session needs of the house ---------------------------------- */

static quire_status lend_blobs(void *ctx, bool write, struct blobs **out,
                               quire_error *err)
{
    struct quire *q = ctx;
    quire_status st;

    pthread_mutex_lock(&q->blob_turn);
    st = need_blobs(q, write, err);
    *out = q->blobs;
    return st;
}

static void take_blobs_back(void *ctx)
{
    pthread_mutex_unlock(&((struct quire *)ctx)->blob_turn);
}

static struct session_env env_of(struct quire *q, bool omp)
{
    return (struct session_env){.clock = &q->clock,
                                .rand = &rand_system,
                                .omp = omp,
                                .busy_ms = q->busy_ms,
                                .blobs = lend_blobs,
                                .release = take_blobs_back,
                                .ctx = q};
}

static quire_status may_write(struct quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && q->read_only)
        st = read_only_error(q, err);
    return st;
}

static void read_options(const quire_session_options *options,
                         quire_session_options *o)
{
    *o = (quire_session_options)QUIRE_SESSION_OPTIONS_INIT;
    if (options)
        memcpy(o, options,
               options->size < sizeof *o ? options->size : sizeof *o);
}

static quire_status give(struct quire *q, struct session *s,
                         quire_session **out, quire_error *err)
{
    *out = malloc(sizeof **out);
    if (!*out) {
        session_close(s);
        return err_memory(err);
    }
    **out = (struct quire_session){q, s};
    return QUIRE_OK;
}

static void drop_crumb(quire_session *s)
{
    quire_session_info info;

    session_describe(s->s, &info);
    if (info.path)
        place_drop_crumb(s->q, info.cwd, info.path);
}

/* ---- new, open, close --------------------------------------------------- */

/* What a new session is called, in the arena. */
struct birth {
    struct session_birth birth;
    char id[NAMES_ID_SIZE];
    const char *name; /* in the home */
};

static quire_status plan_birth(struct quire *q, const char *cwd,
                               const char *title, const char *parent,
                               struct arena *keep, struct birth *b,
                               quire_error *err)
{
    struct buf file = BUF_INIT(256);
    const char *dir, *text;
    quire_status st;

    *b = (struct birth){.birth.title = title, .birth.parent = parent};
    b->birth.at_us = clock_us(&q->clock);
    b->birth.cwd = place_cwd(cwd, keep);
    if (!b->birth.cwd)
        return err_sys(err, errno, "cannot tell the working directory");
    st = names_session_id(&rand_system, b->birth.at_us, false, b->id, err);
    if (st)
        return st;
    b->birth.id = b->id;
    dir = place_dir(q, b->birth.cwd, keep);
    names_file(b->birth.at_us, b->id, &file);
    text = buf_text(&file);
    if (dir && text)
        b->name = arena_printf(keep, "%s/%s", dir, text);
    buf_release(&file);
    return b->name ? QUIRE_OK : err_memory(err);
}

/* A home is recognised by its catalogue: one with sessions alone would be
 * taken for another program's. */
static quire_status mark_home(struct quire *q, quire_error *err)
{
    if (!q->db_path || access(q->db_path, F_OK) == 0)
        return QUIRE_OK;
    return need_db(q, true, err);
}

quire_status quire_session_new(quire *q, const quire_session_options *options,
                               quire_session **out, quire_error *err)
{
    struct session_env env = env_of(q, q->kind == QUIRE_KIND_OMP);
    struct arena tmp = ARENA_INIT;
    struct session_place place;
    quire_session_options o;
    struct session *s;
    struct birth b;
    quire_status st;

    *out = NULL;
    read_options(options, &o);
    st = o.flags & QUIRE_SESSION_MEMORY ? check_free(q, err)
                                        : may_write(q, err);
    if (!st)
        st = plan_birth(q, o.cwd, o.title, o.parent, &tmp, &b, err);
    if (!st)
        st = need_all(q, err);
    if (!st && !(o.flags & QUIRE_SESSION_MEMORY))
        st = mark_home(q, err);
    if (!st) {
        place = (struct session_place){.store = q->all, .name = b.name};
        st = session_new(&env, &place, &b.birth, o.flags, o.sync, &s, err);
    }
    if (!st)
        st = give(q, s, out, err);
    if (!st && (o.flags & QUIRE_SESSION_AT_ONCE))
        drop_crumb(*out);
    arena_release(&tmp);
    return st;
}

/* Open what was found; the place is used up. */
static quire_status open_place(struct quire *q, struct place *p,
                               const quire_session_options *o,
                               struct arena *tmp, quire_session **out,
                               quire_error *err)
{
    struct session_env env = env_of(q, p->omp);
    struct session_place place = {p->store, p->own_store, p->name};
    struct session *s;
    struct birth b;
    quire_status st = plan_birth(q, o->cwd, o->title, o->parent, tmp, &b, err);

    if (st) {
        place_release(p);
        return st;
    }
    st = session_open(&env, &place, &b.birth, o->flags, o->sync, &s, err);
    if (st == QUIRE_NOT_FOUND)
        err_set(err, st, "%s has gone meanwhile", p->name);
    return st ? st : give(q, s, out, err);
}

quire_status quire_session_open(quire *q, const char *which,
                                const quire_session_options *options,
                                quire_session **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_session_options o;
    struct place p;
    quire_status st;

    *out = NULL;
    read_options(options, &o);
    st = check_free(q, err);
    if (!st && !(o.flags & QUIRE_SESSION_READ))
        st = may_write(q, err);
    if (!st)
        st = place_find(q, which, &tmp, &p, err);
    if (!st)
        st = open_place(q, &p, &o, &tmp, out, err);
    if (!st && !(o.flags & QUIRE_SESSION_READ))
        drop_crumb(*out);
    arena_release(&tmp);
    return st;
}

void quire_session_close(quire_session *s)
{
    if (!s)
        return;
    session_close(s->s);
    free(s);
}

/* ---- looking ------------------------------------------------------------ */

void quire_session_describe(quire_session *s, quire_session_info *info)
{
    session_describe(s->s, info);
}

quire_status quire_session_header(quire_session *s, quire_bytes *json,
                                  quire_error *err)
{
    return session_header(s->s, json, err);
}

/* An answer about an entry, in words. */
static quire_status absent(quire_session *s, const char *id, quire_status st,
                           quire_error *err)
{
    quire_session_info info;

    if (st != QUIRE_NOT_FOUND || !id)
        return st;
    session_describe(s->s, &info);
    err_set(err, st, "no entry %.64s in session %s", id, info.id);
    err_next(err, "`quire session tree %s` shows the entries", info.id);
    return st;
}

quire_status quire_session_entries(quire_session *s, unsigned flags,
                                   quire_entry_fn each, void *ctx,
                                   quire_error *err)
{
    return session_entries(s->s, flags, each, ctx, err);
}

quire_status quire_session_tree(quire_session *s, quire_entry_fn each,
                                void *ctx, quire_error *err)
{
    return session_tree(s->s, each, ctx, err);
}

quire_status quire_session_path(quire_session *s, const char *leaf,
                                unsigned flags, quire_entry_fn each, void *ctx,
                                quire_error *err)
{
    return absent(s, leaf, session_path(s->s, leaf, flags, each, ctx, err),
                  err);
}

quire_status quire_session_children(quire_session *s, const char *parent,
                                    quire_entry_fn each, void *ctx,
                                    quire_error *err)
{
    return absent(s, parent, session_children(s->s, parent, each, ctx, err),
                  err);
}

quire_status quire_session_entry(quire_session *s, const char *id,
                                 quire_entry *out, quire_error *err)
{
    return absent(s, id, session_entry(s->s, id, out, err), err);
}

quire_status quire_session_refs(quire_session *s, quire_text_fn each, void *ctx,
                                quire_error *err)
{
    return session_refs(s->s, each, ctx, err);
}

quire_status quire_session_context(quire_session *s, const char *leaf,
                                   quire_write_fn write,
                                   void (*missing)(void *ctx, const char *ref),
                                   void *ctx, quire_error *err)
{
    return session_context(s->s, leaf, write, missing, ctx, err);
}

/* ---- changing ----------------------------------------------------------- */

quire_status quire_session_append(quire_session *s, quire_bytes entry,
                                  const quire_append_options *options,
                                  quire_appended *out, quire_error *err)
{
    return session_append(s->s, entry, options, out, err);
}

quire_status quire_session_flush(quire_session *s, quire_error *err)
{
    return session_flush(s->s, err);
}

quire_status quire_session_branch(quire_session *s, const char *id, int keep,
                                  quire_appended *out, quire_error *err)
{
    return session_branch(s->s, id, keep != 0, out, err);
}

quire_status quire_session_branch_summary(quire_session *s, const char *id,
                                          const char *summary,
                                          quire_bytes details,
                                          quire_appended *out, quire_error *err)
{
    return session_branch_summary(s->s, id, summary, details, out, err);
}

quire_status quire_session_label(quire_session *s, const char *id,
                                 const char *label, quire_appended *out,
                                 quire_error *err)
{
    return session_label(s->s, id, label, out, err);
}

quire_status quire_session_rename(quire_session *s, const char *title,
                                  quire_error *err)
{
    return session_rename(s->s, title, err);
}

/* ---- files that belong together ----------------------------------------- */

/* "sessions/--x--/f" of "sessions/--x--/f.jsonl": its outputs are below. */
static const char *outputs_of(const char *name, struct arena *keep)
{
    size_t len = strlen(name);

    if (len > 6 && !strcmp(name + len - 6, ".jsonl"))
        return arena_text(keep, bytes_of(name, len - 6));
    return arena_printf(keep, "%s.outputs", name);
}

struct file_walk {
    struct object_store *store;
    quire_text_fn each;
    void *ctx;
};

static quire_status give_file(void *ctx, const char *name,
                              const struct object_info *info, quire_error *err)
{
    struct file_walk *w = ctx;
    char *path = NULL;
    quire_status st;

    (void)info;
    if (asprintf(&path, "%s/%s", w->store->ops->place(w->store), name) < 0)
        return err_memory(err);
    st = w->each(w->ctx, path, err);
    free(path);
    return st;
}

quire_status quire_session_files(quire_session *s, quire_text_fn each,
                                 void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct file_walk w = {session_store(s->s), each, ctx};
    const char *name = session_name(s->s);
    const char *outputs = outputs_of(name, &tmp);
    quire_session_info info;
    quire_status st = outputs ? QUIRE_OK : err_memory(err);

    session_describe(s->s, &info);
    if (!st && info.path)
        st = give_file(&w, name, NULL, err);
    if (!st)
        st = w.store->ops->list(w.store, outputs, give_file, &w, err);
    arena_release(&tmp);
    return st;
}

struct copying {
    struct object_store *from, *to;
    const char *from_dir, *to_dir;
};

static quire_status copy_output(void *ctx, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct copying *c = ctx;
    struct object_info now;
    struct object *file;
    char *to = NULL, *piece = NULL;
    struct draft *d;
    uint64_t at = 0;
    size_t n = 1;
    quire_status st = c->from->ops->open(c->from, name, &file, &now, err);

    (void)info;
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    piece = malloc(65536);
    if (!piece ||
        asprintf(&to, "%s%s", c->to_dir, name + strlen(c->from_dir)) < 0) {
        to = NULL;
        st = err_memory(err);
        goto out;
    }
    st = c->to->ops->create(c->to, &d, err);
    if (st)
        goto out;
    while (!st && n > 0) {
        st = file->ops->read(file, at, piece, 65536, &n, err);
        if (!st && n > 0)
            st = d->ops->write(d, bytes_of(piece, n), err);
        at += n;
    }
    if (st)
        d->ops->discard(d);
    else
        st = d->ops->publish(d, to, true, err);
out:
    free(to);
    free(piece);
    file->ops->close(file);
    return st;
}

/* Rename a session and its outputs in the home: both or neither. */
static quire_status move_both(struct quire *q, const char *from, const char *to,
                              struct arena *tmp, quire_error *err)
{
    const char *from_dir = outputs_of(from, tmp), *to_dir = outputs_of(to, tmp);
    struct object_store *all = q->all;
    quire_error why = {0};
    quire_status st;

    if (!from_dir || !to_dir)
        return err_memory(err);
    st = all->ops->rename(all, from, to, err);
    if (st == QUIRE_EXISTS)
        return err_set(err, st, "%s/%s is there already", q->home, to);
    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s/%s has gone meanwhile", q->home, from);
    if (st)
        return st;
    st = all->ops->rename(all, from_dir, to_dir, &why);
    if (!st || st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* most have no outputs */
    if (st == QUIRE_EXISTS)
        err_set(&why, st, "%s/%s is there already", q->home, to_dir);
    if (all->ops->rename(all, to, from, NULL))
        err_next(&why, "the session itself is now %s/%s; move it back by hand",
                 q->home, to);
    if (err)
        *err = why;
    return st;
}

/* ---- fork, extract, move ------------------------------------------------ */

/* The session that is the source of another, opened for reading. */
static quire_status open_source(struct quire *q, const char *which,
                                struct arena *tmp, quire_session **out,
                                quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct place p;
    quire_status st = may_write(q, err);

    o.flags = QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY;
    if (!st)
        st = place_find(q, which, tmp, &p, err);
    return st ? st : open_place(q, &p, &o, tmp, out, err);
}

static quire_status open_named(struct quire *q, const char *name,
                               struct arena *tmp, quire_session **out,
                               quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct place p = {.store = q->all, .in_home = true};

    p.omp = q->kind == QUIRE_KIND_OMP;
    p.name = arena_text(tmp, bytes_str(name));
    return p.name ? open_place(q, &p, &o, tmp, out, err) : err_memory(err);
}

static quire_status copy_session(struct quire *q, const char *which,
                                 const char *cwd, const char *entry,
                                 quire_session **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_session *source = NULL;
    quire_session_info info;
    struct copying c;
    struct birth b;
    quire_status st = open_source(q, which, &tmp, &source, err);

    *out = NULL;
    if (!st)
        st = need_all(q, err);
    if (!st)
        st = mark_home(q, err);
    if (st)
        goto out;
    session_describe(source->s, &info);
    st = plan_birth(q,
                    cwd         ? cwd
                    : *info.cwd ? info.cwd
                                : NULL,
                    info.title, entry ? info.path : info.id, &tmp, &b, err);
    if (!st)
        st = absent(source, entry,
                    session_copy(source->s, entry, q->all, b.name, &b.birth,
                                 err),
                    err);
    if (st)
        goto out;
    c = (struct copying){session_store(source->s), q->all,
                         outputs_of(session_name(source->s), &tmp),
                         outputs_of(b.name, &tmp)};
    st = c.from_dir && c.to_dir
             ? c.from->ops->list(c.from, c.from_dir, copy_output, &c, err)
             : err_memory(err);
    if (!st)
        st = open_named(q, b.name, &tmp, out, err);
    if (st) { /* half a copy is none */
        q->all->ops->remove(q->all, b.name, NULL);
        if (c.to_dir)
            q->all->ops->clear(q->all, c.to_dir, NULL);
    }
out:
    quire_session_close(source);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_fork(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err)
{
    return copy_session(q, which, cwd, NULL, out, err);
}

quire_status quire_session_extract(quire *q, const char *which,
                                   const char *entry, quire_session **out,
                                   quire_error *err)
{
    return copy_session(q, which, NULL, entry, out, err);
}

/* A session of the home that is held while it is moved or removed. */
static quire_status hold_place(struct quire *q, const struct place *p,
                               struct object **out, quire_error *err)
{
    struct object_info info;
    quire_status st = p->store->ops->edit(p->store, p->name, out, &info, err);

    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s has gone meanwhile", p->name);
    if (st)
        return st;
    st = (*out)->ops->hold(*out, q->busy_ms, err);
    if (st) {
        (*out)->ops->close(*out);
        *out = NULL;
    }
    return st;
}

static quire_status find_in_home(struct quire *q, const char *which,
                                 struct arena *tmp, struct place *p,
                                 quire_error *err)
{
    quire_status st = may_write(q, err);

    if (!st)
        st = place_find(q, which, tmp, p, err);
    if (st || p->in_home)
        return st;
    place_release(p);
    st = err_set(err, QUIRE_INVALID, "%s does not lie in %s", which, q->home);
    err_next(err, "`quire session fork` brings a copy of it here");
    return st;
}

quire_status quire_session_move(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *abs, *dir, *base;
    char *to = NULL;
    struct object *held = NULL;
    struct place p = {0};
    quire_status st;

    *out = NULL;
    st = find_in_home(q, which, &tmp, &p, err);
    if (st)
        goto out;
    abs = place_cwd(cwd, &tmp);
    dir = abs ? place_dir(q, abs, &tmp) : NULL;
    base = strrchr(p.name, '/');
    if (dir)
        to = arena_printf(&tmp, "%s%s", dir, base);
    if (!to) {
        st = err_memory(err);
        goto out;
    }
    st = hold_place(q, &p, &held, err);
    if (!st && strcmp(to, p.name) != 0)
        st = move_both(q, p.name, to, &tmp, err);
    if (held)
        held->ops->close(held);
    if (!st)
        st = open_named(q, to, &tmp, out, err);
    if (!st) {
        st = session_rehome((*out)->s, abs, err);
        /* Where it lies and what its header says go together. */
        if (st && strcmp(to, p.name) != 0) {
            quire_session_close(*out);
            *out = NULL;
            move_both(q, to, p.name, &tmp, NULL);
        }
    }
out:
    place_release(&p);
    arena_release(&tmp);
    return st;
}

/* ---- away, back, gone --------------------------------------------------- */

static quire_status lend_path(struct quire *q, const char *name,
                              const char **path, quire_error *err)
{
    arena_reset(&q->loan);
    *path = arena_printf(&q->loan, "%s/%s", q->home, name);
    return *path ? QUIRE_OK : err_memory(err);
}

static quire_status put_away(struct quire *q, const char *which, bool away,
                             const char **path, quire_error *err)
{
    static const char archive[] = "archive/";
    struct arena tmp = ARENA_INIT;
    struct object *held = NULL;
    struct place p = {0};
    const char *to;
    quire_status st = find_in_home(q, which, &tmp, &p, err);

    if (!st && p.archived == away) {
        st = err_set(err, QUIRE_EXISTS, "session %.64s is %s", which,
                     away ? "in the archive already" : "not in the archive");
    }
    if (!st) {
        to = away ? arena_printf(&tmp, "%s%s", archive, p.name)
                  : p.name + strlen(archive);
        st = to ? hold_place(q, &p, &held, err) : err_memory(err);
        if (!st)
            st = move_both(q, p.name, to, &tmp, err);
        if (!st)
            st = lend_path(q, to, path, err);
    }
    if (held)
        held->ops->close(held);
    place_release(&p);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_archive(quire *q, const char *which,
                                   const char **path, quire_error *err)
{
    return put_away(q, which, true, path, err);
}

quire_status quire_session_unarchive(quire *q, const char *which,
                                     const char **path, quire_error *err)
{
    return put_away(q, which, false, path, err);
}

quire_status quire_session_remove(quire *q, const char *which, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct object *held = NULL;
    const char *outputs;
    struct place p = {0};
    quire_status st = may_write(q, err);

    if (!st)
        st = place_find(q, which, &tmp, &p, err);
    if (!st)
        st = hold_place(q, &p, &held, err);
    if (!st) {
        /* Outputs first: a session without them can be removed again, outputs
         * without a session nobody would find. */
        outputs = outputs_of(p.name, &tmp);
        st = outputs ? p.store->ops->clear(p.store, outputs, err)
                     : err_memory(err);
    }
    if (!st)
        st = p.store->ops->remove(p.store, p.name, err);
    if (st == QUIRE_NOT_FOUND && held)
        err_set(err, st, "%s has gone meanwhile", p.name);
    if (held)
        held->ops->close(held);
    place_release(&p);
    arena_release(&tmp);
    return st;
}

/* ---- check, repair, migrate --------------------------------------------- */

quire_status quire_session_check(quire *q, const char *which,
                                 quire_problem_fn each, void *ctx,
                                 quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct session_env env;
    struct place p = {0};
    quire_status st = check_free(q, err);

    if (!st)
        st = place_find(q, which, &tmp, &p, err);
    if (!st) {
        env = env_of(q, p.omp);
        st = session_check(&env, p.store, p.name, each, ctx, err);
    }
    place_release(&p);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_repair(quire *q, const char *which,
                                  const char **kept, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    char noise[NAMES_ID_SIZE];
    struct session_env env;
    const char *to = NULL;
    bool changed = false;
    struct place p = {0};
    quire_status st = may_write(q, err);

    *kept = NULL;
    if (!st)
        st = place_find(q, which, &tmp, &p, err);
    if (!st)
        st = names_session_id(&rand_system, clock_us(&q->clock), false, noise,
                              err);
    if (!st) {
        to = arena_printf(&tmp, "%s.%s.bak", p.name, noise);
        env = env_of(q, p.omp);
        st = to ? session_mend(&env, p.store, p.name, to, &changed, err)
                : err_memory(err);
    }
    if (!st && changed) {
        arena_reset(&q->loan);
        *kept = arena_printf(&q->loan, "%s/%s", p.store->ops->place(p.store),
                             to);
        if (!*kept)
            st = err_memory(err);
    }
    place_release(&p);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_migrate(quire *q, const char *which, int *from,
                                   quire_error *err)
{
    quire_session_info info;
    quire_session *s;
    quire_status st = quire_session_open(q, which, NULL, &s, err);

    if (st)
        return st;
    quire_session_describe(s, &info);
    *from = info.version;
    quire_session_close(s);
    return QUIRE_OK;
}

/* ---- finding ------------------------------------------------------------ */

quire_status quire_session_find(quire *q, const char *which, const char **path,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct place p = {0};
    quire_status st = check_free(q, err);

    if (!st)
        st = place_find(q, which, &tmp, &p, err);
    if (!st) {
        arena_reset(&q->loan);
        *path = arena_printf(&q->loan, "%s/%s", p.store->ops->place(p.store),
                             p.name);
        if (!*path)
            st = err_memory(err);
    }
    place_release(&p);
    arena_release(&tmp);
    return st;
}

static quire_status give_item(struct quire *q, const struct list_item *item,
                              bool archived, struct buf *path,
                              quire_session_fn each, void *ctx,
                              quire_error *err)
{
    const struct list_meta *m = &item->meta;
    quire_session_info info = {
        .id = m->id,
        .cwd = m->cwd,
        .title = m->title,
        .parent = m->parent,
        .created = m->created,
        .first = m->first,
        .status = m->status,
        .modified_us = item->info.modified_ns / 1000,
        .bytes = item->info.size,
        .messages = m->messages,
        .version = m->version,
        .archived = archived,
    };

    buf_clear(path);
    buf_add_str(path, q->home);
    buf_add_char(path, '/');
    buf_add_str(path, item->name);
    info.path = buf_text(path);
    return info.path ? each(ctx, &info, err) : err_memory(err);
}

quire_status quire_session_list(quire *q, const quire_list_options *options,
                                quire_session_fn each, void *ctx,
                                quire_error *err)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    struct arena arena = ARENA_INIT;
    struct buf path = BUF_INIT(1 << 16);
    struct list l = {.arena = &arena};
    const char *cwd = NULL, *dir = NULL;
    size_t i, given = 0;
    quire_status st;

    if (options)
        memcpy(&o, options,
               options->size < sizeof o ? options->size : sizeof o);
    st = check_free(q, err);
    if (!st)
        st = need_all(q, err);
    if (!st && o.cwd) {
        cwd = place_cwd(o.cwd, &arena);
        dir = cwd ? place_dir(q, cwd, &arena) : NULL;
        if (!dir)
            st = err_memory(err);
    }
    if (!st) {
        need_db(q, false, NULL); /* without it, it just takes longer */
        st = list_add(&l, q->all, o.archived ? "archive/sessions" : "sessions",
                      dir ? dir + strlen("sessions/") : NULL, q->db,
                      !q->read_only, err);
    }
    q->in_callback = true;
    for (i = 0; !st && i < l.n && (!o.limit || given < o.limit); i++) {
        /* Two projects may share a directory. */
        if (cwd && strcmp(l.items[i].meta.cwd, cwd) != 0)
            continue;
        given++;
        st = give_item(q, &l.items[i], o.archived, &path, each, ctx, err);
    }
    q->in_callback = false;
    buf_release(&path);
    arena_release(&arena);
    return st;
}
