/*
 * jp.c - JP conversations, as quire/jp.h has them
 *
 * Chooses the blob store and the order of writes:
 *
 *     JP's lock, read, hold the store, put, commit, replace, release
 *
 * From the first put until the file refers to the blobs, no collection removes
 * anything: nothing refers to them yet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/opts.h"
#include "jp/jp.h"
#include "api/core/handle.h"
#include "api/transaction.h"

/* ---- where they are ----------------------------------------------------- */

struct listing {
    quire_conversation_fn each;
    void *ctx;
    unsigned flags;
};

static quire_status list_one(void *ctx, const struct place_info *place,
                             quire_error *err)
{
    struct listing *l = ctx;
    struct arena keep = ARENA_INIT;
    quire_conversation one = {.path = place->path,
                              .id = place->id,
                              .file = place->file,
                              .state = place->state,
                              .title = ""};
    quire_status st = QUIRE_OK;

    if (l->flags & QUIRE_CONVERSATION_DETAILS)
        st = describe_place(place, &keep, &one, err);
    if (!st)
        st = l->each(l->ctx, &one, err);
    arena_release(&keep);
    return st;
}

quire_status quire_conversation_list(const char *dir, unsigned flags,
                                     quire_conversation_fn each, void *ctx,
                                     quire_error *err)
{
    struct listing l = {each, ctx, flags};

    return layout_each(dir, list_one, &l, err);
}

quire_status quire_conversation_find(const char *name, quire_text_fn each,
                                     void *ctx, quire_error *err)
{
    return locate_each(name, each, ctx, err);
}

quire_status quire_conversation_locations(quire_text_fn each, void *ctx,
                                          quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct locations where;
    quire_status st = locations_find(&tmp, &where, err);

    if (!st && where.shared)
        st = each(ctx, where.shared, err);
    if (!st && where.local)
        st = each(ctx, where.local, err);
    arena_release(&tmp);
    return st;
}

quire_status quire_conversation_store(const char *dir, char *out, size_t cap,
                                      quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *location = NULL;
    quire_status st = layout_location(dir, &tmp, &location, err);

    if (!st && (size_t)snprintf(out, cap, "%s/blobs", location) >= cap)
        st = err_set(err, QUIRE_INVALID, "the path of %.120s is too long", dir);
    arena_release(&tmp);
    return st;
}

/* ---- there and back ----------------------------------------------------- */

/* One conversation being changed. */
struct work {
    struct quire *q;
    struct arena keep;
    struct place_info place;
    struct jp_file file;
    struct problem_sink hearer;
    struct moved moved;
    struct buf out;
    bool changed;
};

static quire_status too_old(const struct place_info *place, quire_error *err)
{
    quire_status st;

    if (*place->file) {
        st = err_fail(err, QUIRE_INVALID,
                      "open it once with JP, which migrates it",
                      "%.150s is from before December 2025: its messages.json "
                      "has pairs, not events",
                      place->path);
        return st;
    }
    return err_fail(err, QUIRE_NOT_FOUND,
                    "name the directory of a conversation",
                    "%.180s has no events.json", place->path);
}

static quire_status begin_work(struct work *w, struct quire *q, const char *dir,
                               const quire_check_hooks *hooks, bool write,
                               quire_error *err)
{
    quire_check_hooks h = QUIRE_CHECK_HOOKS_INIT;
    quire_status st;

    *w = (struct work){.q = q, .out = BUF_INIT(CONVERSATION_MAX)};
    if (hooks)
        OPTIONS_READ(h, hooks);
    w->hearer = (struct problem_sink){.each = h.problem, .ctx = h.ctx};
    st = need_blobs(q, write, err);
    if (!st && write)
        st = transaction_check_none(q, "a JP conversation", err);
    if (!st)
        st = layout_one(dir, &w->keep, &w->place, err);
    if (!st)
        q->in_callback = true;
    return st;
}

static void end_work(struct work *w, quire_moved *moved)
{
    if (moved)
        *moved = (quire_moved){.payloads = w->moved.payloads,
                               .blobs = w->moved.blobs,
                               .bytes = w->moved.bytes,
                               .problems = w->hearer.n,
                               .changed = w->changed};
    jp_file_release(&w->file);
    buf_release(&w->out);
    arena_release(&w->keep);
    w->q->in_callback = false;
}

static quire_status read_events(struct work *w, bool write, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (strcmp(w->place.file, "events.json") != 0)
        return too_old(&w->place, err);
    if (write)
        st = jp_file_lock(&w->file, &w->place, w->q->busy_ms, err);
    if (!st)
        st = jp_file_open(&w->file, &w->place, w->place.file, write, err);
    w->hearer.where = w->file.where;
    return st;
}

static quire_status move_all(struct work *w, quire_error *err)
{
    return externalize_text(buf_bytes(&w->file.text),
                            blob_view_all(w->q->blobs), &w->hearer, &w->moved,
                            &w->out, &w->changed, err);
}

/* Store the payloads of the text in one transaction. */
static quire_status put_all(struct work *w, quire_error *err)
{
    struct blobs *blobs = w->q->blobs;
    quire_status st = blobs_begin(blobs, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = move_all(w, err);
    if (st) {
        blobs_rollback(blobs);
        return st;
    }
    return blobs_commit(blobs, err);
}

/* With nothing to put, no store is created and no lock is taken. */
static quire_status externalize(struct work *w, quire_error *err)
{
    uint64_t n;
    quire_status st = externalize_count(buf_bytes(&w->file.text), w->file.where,
                                        &n, err);

    if (st || n == 0)
        return st ? st : move_all(w, err);
    st = blobs_hold(w->q->blobs, err);
    if (st)
        return st;
    st = put_all(w, err);
    if (!st && w->changed)
        st = jp_file_replace(&w->file, buf_bytes(&w->out), err);
    blobs_release(w->q->blobs);
    return st;
}

/* ---- whose blobs -------------------------------------------------------- */

/* A conversation outside the home is registered for collections. A blobs
 * directory without a home is not collected. */
static quire_status register_with(const char *home, const char *dir,
                                  quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct stat s;
    char *catalogue = NULL;
    quire *q;
    quire_status st;

    o.home = home;
    st = quire_open(&o, &q, err);
    if (st)
        return st;
    if (asprintf(&catalogue, "%s/quire.db", home) < 0)
        st = err_memory(err);
    else if (quire_home_kind(q) != QUIRE_KIND_NATIVE ||
             stat(catalogue, &s) == 0)
        st = quire_root_add(q, dir, err);
    free(catalogue);
    quire_close(q);
    return st;
}

/* The directory of a conversation that is named by it, or by a file in it. */
static const char *preloaded_dir(const char *dir, struct arena *tmp)
{
    char *whole = absolute_cwd(dir, tmp), *slash;
    struct stat s;

    if (!whole || stat(whole, &s) < 0 || S_ISDIR(s.st_mode))
        return whole;
    slash = strrchr(whole, '/');
    *slash = '\0';
    return whole;
}

static quire_status note_refers(struct quire *q, const char *dir,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    char *home = absolute_cwd(q->blob_path, &tmp), *slash;
    const char *whole = preloaded_dir(dir, &tmp);
    quire_status st = home && whole ? QUIRE_OK : err_memory(err);
    size_t len;

    slash = st ? NULL : strrchr(home, '/');
    if (slash > home && !strcmp(slash, "/blobs")) {
        *slash = '\0';
        len = strlen(home);
        if (strncmp(whole, home, len) != 0 ||
            strncmp(whole + len, "/conversations/", 15) != 0)
            st = register_with(home, whole, err);
    }
    arena_release(&tmp);
    return st;
}

quire_status quire_conversation_externalize(quire *q, const char *dir,
                                            const quire_check_hooks *hooks,
                                            quire_moved *moved,
                                            quire_error *err)
{
    struct work w;
    quire_status st = check_free(q, err);

    if (st)
        return st;
    st = begin_work(&w, q, dir, hooks, true, err);
    if (!st)
        st = read_events(&w, true, err);
    if (!st)
        st = note_refers(q, dir, err);
    if (!st)
        st = externalize(&w, err);
    if (st)
        w.moved = (struct moved){0};
    w.changed = w.changed && !st;
    end_work(&w, moved);
    return st;
}

quire_status quire_conversation_hydrate(quire *q, const char *dir,
                                        quire_write_fn write, void *ctx,
                                        const quire_check_hooks *hooks,
                                        quire_moved *moved, quire_error *err)
{
    struct work w;
    quire_status st = check_free(q, err);

    if (st)
        return st;
    st = begin_work(&w, q, dir, hooks, false, err);
    if (!st && !write && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = read_events(&w, !write, err);
    if (!st)
        st = hydrate_text(buf_bytes(&w.file.text), blob_view_all(q->blobs),
                          &w.hearer, &w.moved, &w.out, &w.changed, err);
    if (!st && write)
        st = write(ctx, buf_bytes(w.changed ? &w.out : &w.file.text), err);
    else if (!st && w.changed)
        st = jp_file_replace(&w.file, buf_bytes(&w.out), err);
    if (st)
        w.moved = (struct moved){0};
    w.changed = w.changed && !st && !write;
    end_work(&w, moved);
    return st;
}

/* ---- reading ------------------------------------------------------------ */

quire_status quire_conversation_print(quire *q, const char *dir,
                                      const quire_print_options *options,
                                      const quire_check_hooks *hooks,
                                      quire_part_fn each, void *ctx,
                                      quire_error *err)
{
    quire_print_options o = QUIRE_PRINT_OPTIONS_INIT;
    struct work w;
    quire_status st = check_free(q, err);

    if (st)
        return st;
    OPTIONS_READ(o, options);
    st = begin_work(&w, q, dir, hooks, false, err);
    if (!st && !*w.place.file)
        st = too_old(&w.place, err);
    if (!st)
        st = jp_file_open(&w.file, &w.place, w.place.file, false, err);
    w.hearer.where = w.file.where;
    if (!st)
        st = render_text(buf_bytes(&w.file.text),
                         strcmp(w.place.file, "messages.json") == 0,
                         blob_view_all(q->blobs), &o, &w.hearer, each, ctx,
                         err);
    end_work(&w, NULL);
    return st;
}

/* ---- files -------------------------------------------------------------- */

struct files {
    struct work *w;
    struct map seen;
    quire_conversation_file_fn each;
    void *ctx;
};

static quire_status own_file(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct files *f = ctx;
    quire_conversation_file file = {0};
    size_t len = strlen(name);

    if (!info || strchr(name, '/') || len < 5 ||
        strcmp(name + len - 5, ".json") != 0)
        return QUIRE_OK;
    file.path = arena_printf(&f->w->keep, "%s/%s", f->w->place.path, name);
    return file.path ? f->each(f->ctx, &file, err) : err_memory(err);
}

static quire_status blob_file(void *ctx, const quire_digest *digest,
                              quire_error *err)
{
    struct files *f = ctx;
    struct quire *q = f->w->q;
    quire_conversation_file file = {.blob = 1};
    quire_bytes key = arena_dup(&f->w->keep,
                                bytes_of(digest->byte, sizeof digest->byte));
    struct object_info info;
    char name[BLOB_NAME_BYTES];
    bool fresh;
    quire_status st;

    if (!key.data || !map_put(&f->seen, key, 1, &fresh))
        return err_memory(err);
    if (!fresh)
        return QUIRE_OK;
    blob_file_name(q->blobs, digest, name);
    st = object_stat(q->files->objects, name, &info, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    file.missing = st == QUIRE_NOT_FOUND;
    file.path = arena_printf(&f->w->keep, "%s/%s", q->blob_path, name);
    return file.path ? f->each(f->ctx, &file, err) : err_memory(err);
}

/* Only of valid JSON: an incomplete list is worse than none. */
static quire_status list_blobs(struct work *w, struct files *f,
                               quire_error *err)
{
    quire_bytes json = {NULL, 0};
    quire_status st = jp_file_open(&w->file, &w->place, w->place.file, false,
                                   err);

    if (!st)
        st = events_check(buf_bytes(&w->file.text), w->file.where, &json, err);
    return st ? st : references_each(json, blob_file, f, err);
}

quire_status quire_conversation_files(quire *q, const char *dir,
                                      quire_conversation_file_fn each,
                                      void *ctx, quire_error *err)
{
    struct store *store = NULL;
    uint64_t seed[2] = {0, 0};
    struct work w;
    struct files f = {&w, {0}, each, ctx};
    quire_status st = check_free(q, err);

    if (st)
        return st;
    st = begin_work(&w, q, dir, NULL, false, err);
    if (!st)
        st = rand_bytes(&rand_system, seed, sizeof seed, err);
    map_init(&f.seen, seed[0], seed[1]);
    if (!st)
        st = store_files_open(w.place.path, true, &store, err);
    if (!st)
        st = object_list(store->objects, "", own_file, &f, err);
    store_free(store);
    if (!st && *w.place.file)
        st = list_blobs(&w, &f, err);
    map_release(&f.seen);
    end_work(&w, NULL);
    return st;
}
