/*
 * session.c - sessions, as quire/session.h has them
 *
 * Chooses the place and name of a session; src/session knows files and entries.
 * session_env.c lends it what it needs of the handle.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "api/session.h"
#include "api/session_keeps.h"
#include "api/transaction.h"

enum { TITLE_MAX = 4096 };

/* ---- what the calls share -------------------------------------------------- */

quire_status sessions_may_write(struct quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && q->read_only)
        st = read_only_error(err);
    return st ? st : tenants_check(q, err);
}

static void read_options(const quire_session_options *options,
                         quire_session_options *o)
{
    *o = (quire_session_options)QUIRE_SESSION_OPTIONS_INIT;
    OPTIONS_READ(*o, options);
}

static void remember_last(struct quire *q, quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    if (info.path)
        session_remember_last(q, info.cwd, info.path);
}

/* ---- new, open, close --------------------------------------------------- */

/* A list reads the first bytes of each file; the header must fit into them. */
static quire_status check_title(const char *title, quire_error *err)
{
    if (!title || strlen(title) <= TITLE_MAX)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "give it a shorter one",
                    "title is longer than %d bytes", TITLE_MAX);
}

quire_status new_session_plan(struct quire *q, const char *cwd,
                              const char *title, const char *parent,
                              struct arena *keep, struct new_session *b,
                              quire_error *err)
{
    struct buf file = BUF_INIT(256);
    const char *dir, *text;
    quire_status st = check_title(title, err);

    if (st)
        return st;
    *b = (struct new_session){.birth.title = title, .birth.parent = parent};
    b->birth.at_us = clock_file_us(&q->clock);
    b->birth.cwd = absolute_cwd(cwd, keep);
    if (!b->birth.cwd)
        return err_sys(err, errno, "cannot tell the working directory");
    st = names_session_id(&rand_system, clock_us(&q->clock), false, b->id, err);
    if (st)
        return st;
    b->birth.id = b->id;
    dir = session_dir_of_cwd(q, b->birth.cwd, keep);
    names_file(b->birth.at_us, b->id, false, &file);
    text = buf_text(&file);
    if (dir && text)
        b->name = arena_printf(keep, "%s/%s", dir, text);
    buf_release(&file);
    return b->name ? QUIRE_OK : err_memory(err);
}

quire_status sessions_mark_home(struct quire *q, quire_error *err)
{
    quire_status st;

    if (q->kind == QUIRE_KIND_JP) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "name another home with --home",
                      "%s is a JP workspace, which has conversations, not "
                      "sessions",
                      q->home);
        return st;
    }
    if (!q->db_path || catalog_exists(q))
        return QUIRE_OK;
    return need_catalog(q, true, err);
}

/* A file that the caller has chosen. Its directory is not created. */
static quire_status place_file(const char *path, struct arena *keep,
                               struct session_place *out, quire_error *err)
{
    const char *slash = strrchr(path, '/');
    const char *dir = !slash ? "."
                      : slash == path
                          ? "/"
                          : arena_text(keep,
                                       bytes_of(path, (size_t)(slash - path)));

    if (!dir)
        return err_memory(err);
    out->name = slash ? slash + 1 : path;
    if (!*out->name)
        return err_fail(err, QUIRE_INVALID, "name a file, like notes.jsonl",
                        "%s is a directory", path);
    if (access(dir, F_OK) != 0)
        return err_fail(err, QUIRE_NOT_FOUND, "create the directory first",
                        "%s does not exist", dir);
    return store_files_open(dir, false, &out->store, err);
}

quire_status quire_session_new(quire *q, const quire_session_options *options,
                               quire_session **out, quire_error *err)
{
    struct session_env env = sessions_env(q, q->kind == QUIRE_KIND_OMP);
    struct arena tmp = ARENA_INIT;
    struct session_place place;
    quire_session_options o;
    struct new_session b;
    quire_status st;

    *out = NULL;
    read_options(options, &o);
    st = o.flags & QUIRE_SESSION_MEMORY ? check_free(q, err)
                                        : sessions_may_write(q, err);
    if (!st)
        st = new_session_plan(q, o.cwd, o.title, o.parent, &tmp, &b, err);
    if (!st && !(o.flags & QUIRE_SESSION_MEMORY))
        st = sessions_mark_home(q, err);
    if (!st) {
        place = (struct session_place){.own_store = true, .name = b.name};
        st = o.file ? place_file(o.file, &tmp, &place, err)
                    : open_home_store(q, &place.store, err);
    }
    if (!st)
        st = session_new(&env, &place, &b.birth, o.flags, o.sync, out, err);
    if (!st && (o.flags & QUIRE_SESSION_AT_ONCE))
        remember_last(q, *out);
    arena_release(&tmp);
    return st;
}

/* An empty file gets the id in its name. */
static void name_birth(const char *name, struct arena *tmp,
                       struct new_session *b)
{
    quire_bytes id = names_id_in_file(bytes_str(name));
    const char *text = arena_text(tmp, id);

    if (text && id.len > 0 && id.len < sizeof b->id &&
        strchr(name, '_') != NULL)
        b->birth.id = text;
}

quire_status session_open_location(struct quire *q, struct session_location *p,
                                   const quire_session_options *o,
                                   struct arena *tmp, quire_session **out,
                                   quire_error *err)
{
    struct session_env env = sessions_env(q, p->omp);
    struct session_place place = {p->store, true, p->name};
    bool writes = !(o->flags & QUIRE_SESSION_READ);
    struct new_session b;
    quire_status st = QUIRE_OK;

    if (writes) { /* it may turn out to be empty */
        st = new_session_plan(q, o->cwd, o->title, o->parent, tmp, &b, err);
        if (!st)
            name_birth(p->name, tmp, &b);
    }
    if (!st && !p->own_store) {
        place.store = NULL;
        st = open_home_store(q, &place.store, err);
    }
    if (st) {
        session_location_release(p);
        return st;
    }
    st = session_open(&env, &place, writes ? &b.birth : NULL, o->flags, o->sync,
                      out, err);
    if (st == QUIRE_NOT_FOUND)
        err_set(err, st, "%s has been removed or moved", p->name);
    return st;
}

quire_status session_open_named(struct quire *q, const char *name,
                                struct arena *tmp, quire_session **out,
                                quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct session_location p = {.store = q->all, .in_home = true};
    quire_status st;

    p.omp = q->kind == QUIRE_KIND_OMP;
    p.name = arena_text(tmp, bytes_str(name));
    if (!p.name)
        return err_memory(err);
    st = session_open_location(q, &p, &o, tmp, out, err);
    if (st != QUIRE_BUSY)
        return st;
    /* Another writer did it first. */
    o.flags = QUIRE_SESSION_READ;
    return session_open_location(q, &p, &o, tmp, out, err);
}

quire_status quire_session_open(quire *q, const char *which,
                                const quire_session_options *options,
                                quire_session **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_session_options o;
    struct session_location p;
    int tries = 0;
    bool found;
    quire_status st;

    *out = NULL;
    read_options(options, &o);
    st = check_free(q, err);
    if (!st && !(o.flags & QUIRE_SESSION_READ))
        st = sessions_may_write(q, err);
    if (st)
        return st;
    /* It may be moved between lookup and open: look it up again. */
    do {
        st = session_lookup(q, which, &tmp, &p, err);
        found = !st;
        if (!st)
            st = session_open_location(q, &p, &o, &tmp, out, err);
    } while (found && st == QUIRE_NOT_FOUND && tries++ < 5);
    if (!st && !(o.flags & QUIRE_SESSION_READ))
        remember_last(q, *out);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_resume(quire_session *s, quire *q,
                                  const quire_session_options *options,
                                  quire_error *err)
{
    struct session_env env = sessions_env(q, q->kind == QUIRE_KIND_OMP);
    quire_session_options o;
    quire_status st;

    read_options(options, &o);
    st = o.flags & QUIRE_SESSION_READ ? check_free(q, err)
                                      : sessions_may_write(q, err);
    return st ? st : session_resume(s, &env, o.flags, o.sync, err);
}

/* ---- looking ------------------------------------------------------------ */

quire_status session_entry_not_found(quire_session *s, const char *id,
                                     quire_status st, quire_error *err)
{
    quire_session_info info;

    if (st != QUIRE_NOT_FOUND || !id)
        return st;
    quire_session_describe(s, &info);
    err_set(err, st, "no entry %.64s in session %s", id, info.id);
    err_next(err, HINT_SHELL "`quire session tree %s` shows the entries",
             info.id);
    return st;
}

quire_status quire_session_path(quire_session *s, const char *leaf,
                                unsigned flags, quire_entry_fn each, void *ctx,
                                quire_error *err)
{
    return session_entry_not_found(s, leaf,
                                   session_path(s, leaf, flags, each, ctx, err),
                                   err);
}

quire_status quire_session_window(quire_session *s,
                                  const quire_window_options *options,
                                  quire_window *out, quire_entry_fn each,
                                  void *ctx, quire_error *err)
{
    quire_window_options o = QUIRE_WINDOW_OPTIONS_INIT;
    quire_status st;

    OPTIONS_READ(o, options);
    st = session_window(s, &o, out, each, ctx, err);
    return session_entry_not_found(s, o.at ? o.at : o.leaf, st, err);
}

quire_status quire_session_children(quire_session *s, const char *parent,
                                    quire_entry_fn each, void *ctx,
                                    quire_error *err)
{
    return session_entry_not_found(s, parent,
                                   session_children(s, parent, each, ctx, err),
                                   err);
}

quire_status quire_session_entry(quire_session *s, const char *id,
                                 quire_entry *out, quire_error *err)
{
    return session_entry_not_found(s, id, session_entry(s, id, out, err), err);
}

/* ---- changing ----------------------------------------------------------- */

quire_status quire_session_rename(quire_session *s, const char *title,
                                  quire_error *err)
{
    quire_status st = check_title(title, err);

    return st ? st : session_rename(s, title, err);
}

/* ---- check, repair, migrate --------------------------------------------- */

quire_status quire_session_check(quire *q, const char *which,
                                 quire_problem_fn each, void *ctx,
                                 quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct session_env env;
    struct session_location p = {0};
    quire_status st = check_free(q, err);

    if (!st)
        st = session_lookup(q, which, &tmp, &p, err);
    if (!st) {
        env = sessions_env(q, p.omp);
        st = session_check(&env, p.store, p.name, each, ctx, err);
    }
    session_location_release(&p);
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
    struct session_location p = {0};
    quire_status st = sessions_may_write(q, err);

    *kept = NULL;
    if (!st)
        st = session_lookup(q, which, &tmp, &p, err);
    if (!st)
        st = names_session_id(&rand_system, clock_us(&q->clock), false, noise,
                              err);
    if (!st) {
        to = arena_printf(&tmp, "%s.%s.bak", p.name, noise);
        env = sessions_env(q, p.omp);
        st = to ? session_mend(&env, p.store, p.name, to, &changed, err)
                : err_memory(err);
    }
    if (!st && changed) {
        arena_reset(&q->loan);
        *kept = arena_printf(&q->loan, "%s/%s", store_place(p.store), to);
        if (!*kept)
            st = err_memory(err);
    }
    session_location_release(&p);
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
    struct session_location p = {0};
    quire_status st = check_free(q, err);

    if (!st)
        st = session_lookup(q, which, &tmp, &p, err);
    if (!st) {
        arena_reset(&q->loan);
        *path = arena_printf(&q->loan, "%s/%s", store_place(p.store), p.name);
        if (!*path)
            st = err_memory(err);
    }
    session_location_release(&p);
    arena_release(&tmp);
    return st;
}

quire_status session_describe_item(struct store *store,
                                   const struct list_item *item,
                                   struct buf *path, quire_session_info *out,
                                   quire_error *err)
{
    const struct list_meta *m = &item->meta;

    *out = (quire_session_info){
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
        .archived = !strncmp(item->name, "archive/", 8),
    };
    buf_clear(path);
    buf_add_str(path, store_place(store));
    buf_add_char(path, '/');
    buf_add_str(path, item->name);
    out->path = buf_text(path);
    return out->path ? QUIRE_OK : err_memory(err);
}

static bool has_sessions(struct quire *q)
{
    struct arena tmp = ARENA_INIT;
    const char *dir = arena_printf(&tmp, "%s/sessions", q->root);
    bool yes = dir && access(dir, F_OK) == 0;

    arena_release(&tmp);
    return yes;
}

quire_status sessions_list(struct quire *q, bool archived, struct list *l,
                           quire_error *err)
{
    const char *dir = archived ? "archive/sessions" : "sessions";
    quire_status st = check_free(q, err);

    if (!st)
        st = tenants_check(q, err);
    if (!st)
        st = need_all(q, err);
    if (st)
        return st;
    /* Without a catalogue the list is only slower; a native home gets one. */
    need_catalog(q, !q->read_only && has_sessions(q), NULL);
    l->key = session_name_from_home(q, dir, l->arena);
    return l->key ? list_find(l, q->all->logs, dir, q->catalog.db,
                              !q->read_only, err)
                  : err_memory(err);
}

quire_status quire_session_list(quire *q, const quire_list_options *options,
                                quire_session_fn each, void *ctx,
                                quire_error *err)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    struct arena arena = ARENA_INIT;
    struct buf path = BUF_INIT(1 << 16);
    struct list l = {.arena = &arena};
    struct session_keeps keeps = {.arena = ARENA_INIT};
    const char *cwd = NULL;
    size_t i, given = 0;
    quire_status st = QUIRE_OK;

    OPTIONS_READ(o, options);
    if (o.cwd) {
        cwd = absolute_cwd(o.cwd, &arena);
        if (!cwd)
            st = err_memory(err);
    }
    if (!st)
        st = sessions_list(q, o.archived, &l, err);
    if (!st)
        st = session_keeps_load(q, &keeps, err);
    if (st)
        goto out;
    q->in_callback = true;
    for (i = 0; !st && i < l.n && (!o.limit || given < o.limit); i++) {
        quire_session_info info;
        quire_bytes id;

        if (cwd && strcmp(l.order[i]->meta.cwd, cwd) != 0)
            continue;
        id = bytes_str(l.order[i]->meta.id);
        if (o.pinned && !map_get(&keeps.pinned, id))
            continue;
        given++;
        st = session_describe_item(q->all, l.order[i], &path, &info, err);
        session_keep_describe(session_keeps_find(&keeps, info.id), &info);
        if (!st)
            st = each(ctx, &info, err);
    }
    q->in_callback = false;
out:
    session_keeps_release(&keeps);
    list_release(&l);
    buf_release(&path);
    arena_release(&arena);
    return st;
}
