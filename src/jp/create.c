/*
 * create.c - a new conversation
 *
 *     conversations/.quire-new-<16 hex>/   its files, each synced
 *     conversations/<number>[-<slug>]/     renamed to, once it is complete
 *
 * JP passes over directories that begin with a dot, so it sees the whole
 * conversation or none. The number is the time in tenths of a second; JP does
 * not look whether it is taken, so the next free one is chosen here, with
 * `conversations` locked against another process of Quire. What a crash leaves
 * under such a name is removed by the next one that holds the lock.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "jp/priv.h"

#define TITLE_MAX  4096
#define SLUG_CHARS 60

/* ---- the directory ------------------------------------------------------ */

static quire_status add_litter(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct conversations *c = ctx;

    (void)err;
    if (info || (strncmp(name, NEW_PREFIX, sizeof NEW_PREFIX - 1) != 0 &&
                 strncmp(name, RM_PREFIX, sizeof RM_PREFIX - 1) != 0))
        return QUIRE_OK;
    /* What cannot be removed is tried again next time. */
    (void)!fs_remove_tree(c->fd, name);
    return QUIRE_OK;
}

quire_status conversations_open(struct conversations *c, const char *location,
                                bool make, int wait_ms, quire_error *err)
{
    quire_status st;

    *c = (struct conversations){.fd = -1};
    c->path = arena_printf(&c->keep, "%s/conversations", location);
    st = c->path ? fs_open_dir(c->path, make, &c->fd, err) : err_memory(err);
    if (!st)
        st = fs_lock(c->fd, FS_EXCLUSIVE, wait_ms, err);
    if (!st)
        st = store_files_open(c->path, false, &c->store, err);
    if (!st)
        st = directory_scan(c->store->dirs, "", add_litter, c, err);
    return st;
}

void conversations_close(struct conversations *c)
{
    store_free(c->store);
    if (c->fd >= 0)
        close(c->fd);
    arena_release(&c->keep);
}

quire_status conversations_temp(struct conversations *c, const char *prefix,
                                const char **out, quire_error *err)
{
    uint8_t noise[8] = {0};
    char hex[17];
    quire_status st = rand_bytes(&rand_system, noise, sizeof noise, err);

    if (st)
        return st;
    hex_encode(noise, sizeof noise, hex);
    *out = arena_printf(&c->keep, "%s%s", prefix, hex);
    return *out ? QUIRE_OK : err_memory(err);
}

/* ---- its name ----------------------------------------------------------- */

struct taken {
    char number[24];
    bool is;
};

static quire_status compare_number(void *ctx, const char *name,
                                   const struct object_info *info,
                                   quire_error *err)
{
    struct taken *t = ctx;
    size_t len = strlen(t->number);

    (void)err;
    (void)info;
    t->is |= !strncmp(name, t->number, len) &&
             (name[len] == '\0' || name[len] == '-');
    return QUIRE_OK;
}

/* Whether the number is in use in `path`, a directory of conversations. */
static quire_status check_number(const char *path, struct taken *t,
                                 quire_error *err)
{
    static const char *const dirs[] = {"", ".archive", ".trash"};
    struct store *store = NULL;
    quire_status st;
    size_t i;

    if (access(path, F_OK) != 0)
        return QUIRE_OK;
    st = store_files_open(path, true, &store, err);
    for (i = 0; i < 3 && !st; i++)
        st = directory_scan(store->dirs, dirs[i], compare_number, t, err);
    store_free(store);
    return st;
}

/* The next free number from `*number` on, here and in the other location: the
 * same number there would be the same conversation. */
static quire_status choose_number(struct conversations *c, int64_t *number,
                                  quire_error *err)
{
    const char *paths[3] = {c->path};
    struct locations where;
    struct taken t;
    quire_status st = locations_find(&c->keep, &where, err);
    size_t n = 1, i;

    if (!st && where.shared)
        paths[n++] = arena_printf(&c->keep, "%s/conversations", where.shared);
    if (!st && where.local)
        paths[n++] = arena_printf(&c->keep, "%s/conversations", where.local);
    for (t.is = true; !st && t.is; *number += t.is) {
        t.is = false;
        snprintf(t.number, sizeof t.number, "%lld", (long long)*number);
        for (i = 0; i < n && !st && !t.is; i++)
            st = paths[i] ? check_number(paths[i], &t, err) : err_memory(err);
    }
    return st;
}

/* "-a-title", as JP makes it of "A title!"; "" of nothing. */
static void add_slug(struct buf *out, const char *title)
{
    quire_bytes rest = bytes_str(title);
    bool cut = rest.len > SLUG_CHARS;
    size_t n, end;

    while (rest.len && is_space(*(const char *)rest.data))
        rest = bytes_sub(rest, 1, rest.len);
    buf_add_char(out, '-');
    for (n = 0; rest.len && n < SLUG_CHARS; n++) {
        uint32_t c;
        bool bad;
        size_t len = utf8_decode(rest, &c, &bad);

        if (c >= 'A' && c <= 'Z')
            buf_add_char(out, (char)(c - 'A' + 'a'));
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80)
            buf_add(out, rest.data, len);
        else
            buf_add_char(out, '-');
        rest = bytes_sub(rest, len, rest.len);
    }
    /* What ends in dashes is left out; so is the last word of a long title,
     * which may be cut in two. A number is in front of it all. */
    for (end = out->len; end && out->data[end - 1] == '-'; end--)
        ;
    while (cut && end && out->data[end - 1] != '-')
        end--;
    for (; end && out->data[end - 1] == '-'; end--)
        ;
    if (!out->failed)
        out->len = end;
}

/* ---- its files ---------------------------------------------------------- */

void event_time_text(int64_t us, char out[TIMESTAMP_SIZE])
{
    timestamp_format(us, out);
    out[10] = ' ';
    out[23] = '\0';
}

static void write_metadata(const struct new_conversation *n, int64_t now_us,
                           struct buf *out)
{
    struct buf flat = BUF_INIT(CONVERSATION_MAX);
    char when[TIMESTAMP_SIZE];
    struct json_writer w;

    event_time_text(now_us, when);
    json_begin(&w, &flat);
    json_object(&w);
    if (*n->title)
        json_put_str(&w, "title", n->title);
    json_put_str(&w, "last_activated_at", when);
    if (n->labels.data) {
        json_key(&w, "labels");
        json_raw(&w, n->labels);
    }
    json_object_end(&w);
    json_indent(buf_bytes(&flat), out);
    buf_add_char(out, '\n');
    out->failed |= flat.failed;
    buf_release(&flat);
}

static quire_status put_file(struct conversations *c, const char *dir,
                             const char *name, quire_bytes text,
                             quire_error *err)
{
    const char *path = arena_printf(&c->keep, "%s/%s", dir, name);
    struct draft *d = NULL;
    quire_status st = path ? object_create(c->store->objects, &d, err)
                           : err_memory(err);

    if (!st)
        st = object_write(d, text, err);
    if (st && d)
        object_discard(d);
    return st ? st : object_publish(d, path, false, err);
}

static quire_status put_files(struct conversations *c, const char *dir,
                              const struct new_conversation *n, int64_t now_us,
                              quire_error *err)
{
    struct buf metadata = BUF_INIT(CONVERSATION_MAX);
    quire_status st;

    write_metadata(n, now_us, &metadata);
    st = buf_status(&metadata, "metadata.json", err);
    if (!st)
        st = put_file(c, dir, "metadata.json", buf_bytes(&metadata), err);
    if (!st && n->config.data)
        st = put_file(c, dir, "base_config.json", n->config, err);
    if (!st)
        st = put_file(c, dir, "events.json", n->events, err);
    buf_release(&metadata);
    return st;
}

/* ---- whole -------------------------------------------------------------- */

static quire_status check_new(const struct new_conversation *n,
                              quire_error *err)
{
    struct json_error bad = {.why = NULL};

    if (strlen(n->title) > TITLE_MAX || !utf8_check(bytes_str(n->title)))
        return err_fail(err, QUIRE_INVALID, "give a shorter one, in UTF-8",
                        "the title has more than %d bytes or is not UTF-8",
                        TITLE_MAX);
    if (!n->config.data ||
        (json_check(n->config, 0, &bad) && json_kind(n->config) == JSON_OBJECT))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "give the base_config.json of another conversation",
                    "the configuration is not a JSON object%s%s",
                    bad.why ? ": " : "", bad.why ? bad.why : "");
}

static quire_status name_it(struct conversations *c, const char *from,
                            const struct new_conversation *n, int64_t now_us,
                            const char **out, quire_error *err)
{
    int64_t number = now_us / 100000;
    quire_status st = choose_number(c, &number, err);
    struct buf name = BUF_INIT(4096);

    if (!st) {
        buf_addf(&name, "%lld", (long long)number);
        add_slug(&name, n->title);
        st = buf_status(&name, "the name of a conversation", err);
    }
    if (!st) {
        *out = arena_text(&c->keep, buf_bytes(&name));
        st = *out ? directory_rename(c->store->dirs, from, *out, err)
                  : err_memory(err);
    }
    buf_release(&name);
    return st;
}

quire_status conversation_create(const char *location,
                                 const struct new_conversation *n, int wait_ms,
                                 struct arena *keep, const char **path,
                                 quire_error *err)
{
    struct conversations c = {.fd = -1};
    int64_t now_us = clock_us(&clock_system);
    const char *temp = NULL, *name = NULL;
    quire_status st = check_new(n, err);

    if (!st)
        st = conversations_open(&c, location, true, wait_ms, err);
    if (!st)
        st = conversations_temp(&c, NEW_PREFIX, &temp, err);
    if (!st)
        st = put_files(&c, temp, n, now_us, err);
    if (!st)
        st = name_it(&c, temp, n, now_us, &name, err);
    if (st && temp && fs_remove_tree(c.fd, temp) < 0)
        temp = NULL; /* the next one removes it */
    if (!st) {
        *path = arena_printf(keep, "%s/%s", c.path, name);
        st = *path ? QUIRE_OK : err_memory(err);
    }
    conversations_close(&c);
    return st;
}
