/*
 * relocate.c - a conversation goes to the archive, comes back, or is removed
 *
 * Each is one rename, durable when it returns. What is to be removed gets a
 * name that JP passes over, and then its files go: a crash leaves a
 * conversation that is whole, or one that is removed to the end later.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/timestamp.h"
#include "jp/priv.h"

/* The path of the conversation from its directory of conversations on. */
static const char *name_within(const struct conversations *c,
                               const struct place_info *place)
{
    size_t len = strlen(c->path);

    return !strncmp(place->path, c->path, len) && place->path[len] == '/'
               ? place->path + len + 1
               : place->name;
}

static quire_status open_around(struct conversations *c,
                                const struct place_info *place, int wait_ms,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *location = NULL;
    quire_status st = layout_location(place->path, &tmp, &location, err);

    if (st)
        *c = (struct conversations){.fd = -1};
    else
        st = conversations_open(c, location, false, wait_ms, err);
    arena_release(&tmp);
    return st;
}

/* ---- the archive -------------------------------------------------------- */

static quire_status check_state(const struct place_info *place, bool back,
                                quire_error *err)
{
    if (place->state ==
        (back ? QUIRE_CONVERSATION_ARCHIVED : QUIRE_CONVERSATION_ACTIVE))
        return QUIRE_OK;
    if (place->state == QUIRE_CONVERSATION_TRASHED)
        return err_fail(err, QUIRE_INVALID,
                        "mend it as its TRASHED.md says, and move it back",
                        "conversation %.60s is in the trash", place->id);
    return err_set(err, QUIRE_INVALID, "conversation %.60s is %s", place->id,
                   back ? "not archived" : "archived already");
}

/* Set or remove the time in metadata.json, if there is one. */
static quire_status note_archived(const struct place_info *place, bool back,
                                  quire_error *err)
{
    struct jp_file f = {0};
    struct arena tmp = ARENA_INIT;
    struct buf out = BUF_INIT(CONVERSATION_MAX);
    char when[TIMESTAMP_SIZE], value[TIMESTAMP_SIZE + 2];
    struct json_change change = {"archived_at", {NULL, 0}};
    struct json_edits edits;
    quire_error own = {0};
    quire_status st = jp_file_open(&f, place, "metadata.json", true, &own);

    event_time_text(clock_us(&clock_system), when);
    snprintf(value, sizeof value, "\"%s\"", when);
    if (!back)
        change.value = bytes_str(value);
    json_edits_init(&edits, buf_bytes(&f.text), &tmp);
    if (!st &&
        json_edit_members(&edits, buf_bytes(&f.text), &change, 1, NULL)) {
        json_splice(&edits, &out);
        st = buf_status(&out, "metadata.json", &own);
        if (!st && !bytes_equal(buf_bytes(&out), buf_bytes(&f.text)))
            st = jp_file_replace(&f, buf_bytes(&out), &own);
    }
    jp_file_release(&f);
    buf_release(&out);
    arena_release(&tmp);
    /* Not every conversation has one. */
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (st && err)
        *err = own;
    return st;
}

quire_status conversation_archive(const struct place_info *place, bool back,
                                  int wait_ms, struct arena *keep,
                                  const char **path, quire_error *err)
{
    struct conversations c = {.fd = -1};
    const char *to = NULL;
    quire_status st = check_state(place, back, err);

    if (!st)
        st = open_around(&c, place, wait_ms, err);
    if (!st) {
        to = arena_printf(&c.keep, "%s%s", back ? "" : ".archive/",
                          place->name);
        st = to ? note_archived(place, back, err) : err_memory(err);
    }
    if (!st)
        st = directory_rename(c.store->dirs, name_within(&c, place), to, err);
    if (st == QUIRE_EXISTS)
        err_fail(err, st, "rename or remove that one first",
                 "%.150s/%.80s exists already", c.path, to);
    if (!st) {
        *path = arena_printf(keep, "%s/%s", c.path, to);
        st = *path ? QUIRE_OK : err_memory(err);
    }
    conversations_close(&c);
    return st;
}

/* ---- removal ------------------------------------------------------------ */

struct removing {
    const struct conversations *c;
    quire_removal_fn each;
    void *ctx;
    struct arena keep;
};

static quire_status emit_file(void *ctx, const char *name,
                              const struct object_info *info, quire_error *err)
{
    struct removing *r = ctx;
    const char *path = arena_printf(&r->keep, "%s/%s", r->c->path, name);

    return path ? r->each(r->ctx, path, NULL, info->size, err)
                : err_memory(err);
}

static quire_status remove_it(struct conversations *c, const char *name,
                              quire_error *err)
{
    const char *temp = NULL;
    quire_status st = conversations_temp(c, RM_PREFIX, &temp, err);

    if (!st)
        st = directory_rename(c->store->dirs, name, temp, err);
    if (!st && fs_remove_tree(c->fd, temp) < 0)
        st = err_sys(err, errno, "cannot remove all of %.120s, now %.40s", name,
                     temp);
    return st;
}

quire_status conversation_remove(const struct place_info *place, bool dry,
                                 int wait_ms, quire_removal_fn each, void *ctx,
                                 quire_error *err)
{
    struct conversations c = {.fd = -1};
    struct removing r = {&c, each, ctx, ARENA_INIT};
    quire_status st = open_around(&c, place, wait_ms, err);

    if (!st && each)
        st = object_list(c.store->objects, name_within(&c, place), emit_file,
                         &r, err);
    if (!st && !dry)
        st = remove_it(&c, name_within(&c, place), err);
    arena_release(&r.keep);
    conversations_close(&c);
    return st;
}
