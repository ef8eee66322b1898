/*
 * search_jp.c - the texts of JP's conversations, to index them and to read one again
 *
 * A conversation is a file with one JSON array (jp/event_text.h), which is read as a
 * whole. A place in it is the number of the event and the part of it.
 */
#include "api/search_jp.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

#define FILE_MAX  ((uint64_t)256 << 20)
#define TITLE_MAX ((size_t)120)

/* ---- files --------------------------------------------------------------------- */

bool search_jp_is_file(const char *name, bool *archived)
{
    const char *base = strrchr(name, '/');
    const char *dir = name + strlen(SEARCH_JP_ROOT) + 1;

    if (!base || base <= dir ||
        (strcmp(base, "/events.json") != 0 &&
         strcmp(base, "/messages.json") != 0))
        return false;
    *archived = !strncmp(dir, ".archive/", 9);
    dir += *archived ? 9 : 0;
    return dir[0] != '.' && dir < base &&
           !memchr(dir, '/', (size_t)(base - dir));
}

char *search_jp_id(const char *name, struct arena *keep)
{
    const char *base = strrchr(name, '/'), *dir = base;

    while (dir > name && dir[-1] != '/')
        dir--;
    return arena_printf(keep, "jp-c%.*s", (int)strspn(dir, "0123456789"), dir);
}

/* A file, in `out`; empty if it is too large. */
static quire_status read_file(struct quire *q, const char *name,
                              struct buf *out, quire_error *err)
{
    struct object_info info = {.size = 0};
    struct log *log = NULL;
    size_t n = 0;
    quire_status st = log_open(q->all->logs, name, LOG_READ, &log, &info, err);

    buf_clear(out);
    if (st)
        return st;
    if (info.size <= FILE_MAX) {
        if (!buf_room(out, (size_t)info.size + 1))
            st = err_memory(err);
        if (!st)
            st = log_read(log, 0, out->data, (size_t)info.size, &n, err);
        if (!st)
            buf_grow(out, n);
    }
    log_close(log);
    return st;
}

const char *search_jp_title(struct quire *q, const char *name,
                            struct arena *keep)
{
    struct json_want want = JSON_WANT("title");
    struct buf text = BUF_INIT(SIZE_MAX);
    const char *base = strrchr(name, '/');
    char *path = arena_printf(keep, "%.*s/metadata.json", (int)(base - name),
                              name);
    const char *title = "";

    if (path && !read_file(q, path, &text, NULL) &&
        json_pick(buf_bytes(&text), &want, 1, NULL) &&
        json_kind(want.value) == JSON_STRING) {
        quire_bytes found = json_text(want.value, keep);

        title = arena_text(keep,
                           found.len < TITLE_MAX ? found : bytes_of("", 0));
    }
    buf_release(&text);
    return path ? title : NULL;
}

/* ---- texts --------------------------------------------------------------------- */

struct fetching {
    struct quire *q;
    struct buf content;
};

static quire_status fetch_blob(void *ctx, const quire_digest *digest,
                               uint64_t max_bytes, quire_bytes *content,
                               quire_error *err)
{
    struct fetching *f = ctx;
    quire_status st;

    buf_clear(&f->content);
    f->content.max = (size_t)max_bytes;
    st = read_whole(f->q, digest, buf_write, &f->content, err);
    *content = buf_bytes(&f->content);
    return st;
}

quire_status search_jp_texts(struct quire *q, const char *name,
                             event_text_fn each, void *ctx, quire_error *err)
{
    struct fetching f = {q, BUF_INIT(SIZE_MAX)};
    struct event_blobs blobs = {fetch_blob, &f};
    struct buf text = BUF_INIT(SIZE_MAX);
    const char *base = strrchr(name, '/') + 1;
    quire_status st = read_file(q, name, &text, err);

    if (!st && text.len > 0)
        st = event_texts(buf_bytes(&text), !strcmp(base, "messages.json"), name,
                         blobs, each, ctx, err);
    buf_release(&text);
    buf_release(&f.content);
    /* A damaged one has the texts before the damage. */
    return st == QUIRE_DAMAGED || st == QUIRE_INVALID ? QUIRE_OK : st;
}
