/*
 * jp_manage.c - JP conversations as wholes: create, append, fork, archive,
 * remove
 *
 * JP's lock of the conversation, where there is one, comes first; then that of
 * its directory of conversations.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/opts.h"
#include "jp/jp.h"
#include "api/core/handle.h"
#include "api/transaction.h"

/* What JP itself writes for a conversation without events. */
static const quire_bytes no_events = {"[]\n", 3}, no_config = {"{}\n", 3};

static quire_status may_write(struct quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && q->read_only)
        st = read_only_error(err);
    return st ? st : transaction_check_none(q, "a JP conversation", err);
}

static quire_status copy_path(const char *path, char *out, size_t cap,
                              quire_error *err)
{
    if ((size_t)snprintf(out, cap, "%s", path) < cap)
        return QUIRE_OK;
    return err_set(err, QUIRE_INVALID, "the path %.120s is too long", path);
}

/* ---- new ---------------------------------------------------------------- */

quire_status
quire_conversation_create(quire *q, const char *location,
                          const quire_conversation_options *options, char *path,
                          size_t cap, quire_error *err)
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;
    struct new_conversation n = {.title = "",
                                 .config = no_config,
                                 .events = no_events};
    struct arena tmp = ARENA_INIT;
    const char *made = NULL;
    quire_status st = may_write(q, err);

    OPTIONS_READ(o, options);
    if (o.title)
        n.title = o.title;
    if (o.config.data)
        n.config = o.config;
    if (!st)
        st = conversation_create(location, &n, q->busy_ms, &tmp, &made, err);
    if (!st)
        st = copy_path(made, path, cap, err);
    arena_release(&tmp);
    return st;
}

/* ---- one that is there -------------------------------------------------- */

/* One conversation, locked as JP does; `file` has its events, if they are
 * wanted. */
struct held {
    struct arena keep;
    struct place_info place;
    struct jp_file file;
};

static quire_status hold_one(struct held *h, struct quire *q, const char *dir,
                             bool events, quire_error *err)
{
    quire_status st = may_write(q, err);

    if (!st)
        st = layout_one(dir, &h->keep, &h->place, err);
    if (!st)
        st = jp_file_lock(&h->file, &h->place, q->busy_ms, err);
    if (st || !events)
        return st;
    if (strcmp(h->place.file, "events.json") != 0)
        return err_fail(err, QUIRE_INVALID,
                        "open it once with JP, which migrates it",
                        "%.180s has no events.json", h->place.path);
    return jp_file_open(&h->file, &h->place, "events.json", true, err);
}

static void let_go(struct held *h)
{
    jp_file_release(&h->file);
    arena_release(&h->keep);
}

quire_status quire_conversation_append(quire *q, const char *dir,
                                       quire_bytes lines, uint64_t *n,
                                       quire_error *err)
{
    struct held h = {.keep = ARENA_INIT};
    struct buf out = BUF_INIT(CONVERSATION_MAX);
    uint64_t added = 0;
    quire_status st = hold_one(&h, q, dir, true, err);

    if (!st)
        st = append_text(buf_bytes(&h.file.text), h.file.where, lines, &out,
                         &added, err);
    if (!st && added)
        st = jp_file_replace(&h.file, buf_bytes(&out), err);
    if (n)
        *n = st ? 0 : added;
    buf_release(&out);
    let_go(&h);
    return st;
}

/* ---- fork --------------------------------------------------------------- */

/* The text of one of its files in *out; NULL: it has none. */
static quire_status read_other(struct held *h, const char *name,
                               quire_bytes *out, quire_error *err)
{
    struct jp_file f = {0};
    quire_error own = {0};
    quire_status st = jp_file_open(&f, &h->place, name, false, &own);

    *out = bytes_of(NULL, 0);
    if (!st) {
        *out = arena_dup(&h->keep, buf_bytes(&f.text));
        st = out->data ? QUIRE_OK : err_memory(&own);
    }
    jp_file_release(&f);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (st && err)
        *err = own;
    return st;
}

static quire_status read_source(struct held *h, struct new_conversation *n,
                                quire_error *err)
{
    quire_bytes metadata = {NULL, 0}, json = {NULL, 0}, title, text;
    quire_status st = events_check(buf_bytes(&h->file.text), h->file.where,
                                   &json, err);

    n->events = buf_bytes(&h->file.text);
    if (!st)
        st = read_other(h, "base_config.json", &n->config, err);
    if (!st)
        st = read_other(h, "metadata.json", &metadata, err);
    if (st || !metadata.data || !json_check(metadata, 0, NULL))
        return st;
    n->labels = json_get(metadata, "labels");
    title = json_get(metadata, "title");
    if (*n->title || json_kind(title) != JSON_STRING)
        return QUIRE_OK;
    text = json_text(title, &h->keep);
    n->title = text.data ? arena_text(&h->keep, text) : NULL;
    return n->title ? QUIRE_OK : err_memory(err);
}

static quire_status count_reference(void *ctx, const quire_digest *digest,
                                    quire_error *err)
{
    (void)digest;
    (void)err;
    ++*(uint64_t *)ctx;
    return QUIRE_OK;
}

/* From reading the references until the copy has them, no collection removes
 * what they lead to: the source may be removed meanwhile. */
static quire_status fork_held(struct held *h, struct quire *q,
                              const struct new_conversation *n,
                              const char **made, quire_error *err)
{
    const char *location = NULL;
    uint64_t n_refs = 0;
    quire_status st = layout_location(h->place.path, &h->keep, &location, err);

    if (!st)
        st = references_each(n->events, count_reference, &n_refs, err);
    if (!st && n_refs)
        st = blobs_hold(q->blobs, err);
    if (st)
        return st;
    st = conversation_create(location, n, q->busy_ms, &h->keep, made, err);
    if (n_refs)
        blobs_release(q->blobs);
    return st;
}

quire_status quire_conversation_fork(quire *q, const char *dir,
                                     const quire_conversation_options *options,
                                     char *path, size_t cap, quire_error *err)
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;
    struct new_conversation n = {.title = ""};
    struct held h = {.keep = ARENA_INIT};
    const char *made = NULL;
    quire_status st = hold_one(&h, q, dir, true, err);

    OPTIONS_READ(o, options);
    if (o.title)
        n.title = o.title;
    if (!st)
        st = need_blobs(q, true, err);
    if (!st)
        st = read_source(&h, &n, err);
    if (!st && o.config.data)
        n.config = o.config;
    if (!st)
        st = fork_held(&h, q, &n, &made, err);
    if (!st)
        st = copy_path(made, path, cap, err);
    let_go(&h);
    return st;
}

/* ---- archive, remove ---------------------------------------------------- */

static quire_status move_one(struct quire *q, const char *dir, bool back,
                             char *path, size_t cap, quire_error *err)
{
    struct held h = {.keep = ARENA_INIT};
    const char *moved = NULL;
    quire_status st = hold_one(&h, q, dir, false, err);

    if (!st)
        st = conversation_archive(&h.place, back, q->busy_ms, &h.keep, &moved,
                                  err);
    if (!st)
        st = copy_path(moved, path, cap, err);
    let_go(&h);
    return st;
}

quire_status quire_conversation_archive(quire *q, const char *dir, char *path,
                                        size_t cap, quire_error *err)
{
    return move_one(q, dir, false, path, cap, err);
}

quire_status quire_conversation_unarchive(quire *q, const char *dir, char *path,
                                          size_t cap, quire_error *err)
{
    return move_one(q, dir, true, path, cap, err);
}

quire_status quire_conversation_remove(quire *q, const char *dir,
                                       unsigned flags, quire_removal_fn each,
                                       void *ctx, quire_error *err)
{
    struct held h = {.keep = ARENA_INIT};
    quire_status st = hold_one(&h, q, dir, false, err);

    if (!st)
        st = conversation_remove(&h.place,
                                 flags & QUIRE_CONVERSATION_REMOVE_DRY,
                                 q->busy_ms, each, ctx, err);
    let_go(&h);
    return st;
}
