/*
 * logs.c - a session's file
 *
 * A line that has a value stays a line: its entry keeps id, parent and place. The new file is
 * complete and synced before it takes the name of the old one, whose lock is held
 * meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "purge/purge.h"
#include "store/gzip_blocks.h"

enum {
    PIECE = 1 << 20,
    ENTRIES_BYTES = 256 << 10, /* of ids that a row of the audit log has */
};

/* A line is a gigabyte at most; what is longer is no line of a session, and is taken in
 * parts. */
#define LINE_MAX_BYTES ((size_t)1 << 30)

quire_status purge_read_lines(struct log *log, quire_write_fn take, void *ctx,
                              quire_error *err)
{
    struct buf text = BUF_INIT(LINE_MAX_BYTES + 2 * PIECE);
    uint64_t at = 0;
    quire_status st = QUIRE_OK;
    bool more = true;

    while (more && !st) {
        const char *end;
        size_t whole, n = 0;
        void *room = buf_room(&text, PIECE);

        st = room ? log_read(log, at, room, PIECE, &n, err)
                  : buf_status(&text, "a line", err);
        if (st)
            break;
        buf_grow(&text, n);
        at += n;
        more = n == PIECE;
        end = more ? memrchr(text.data, '\n', text.len) : NULL;
        whole = !more                        ? text.len
                : end                        ? (size_t)(end - text.data) + 1
                : text.len >= LINE_MAX_BYTES ? text.len
                                             : 0;
        if (!whole)
            continue;
        st = take(ctx, bytes_of(text.data, whole), err);
        memmove(text.data, text.data + whole, text.len - whole);
        text.len -= whole;
    }
    buf_release(&text);
    return st;
}

/* ---- searching ----------------------------------------------------------------- */

struct searching {
    struct purge *p;
    struct purge_session *session;
    struct spans spans;
    struct mask_counts *found;
};

/* The id of the entry of a line. */
static quire_status note_entry(void *ctx, quire_bytes line,
                               const struct mask_counts *found,
                               quire_error *err)
{
    struct searching *s = ctx;
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("id")};
    struct buf *to = &s->session->entries;

    (void)found;
    s->session->count++;
    if (!json_head(line, wants, 2, NULL) ||
        json_is(wants[0].value, "session") ||
        json_kind(wants[1].value) != JSON_STRING || to->len > ENTRIES_BYTES)
        return QUIRE_OK;
    if (to->len)
        buf_add_char(to, ',');
    buf_add(to, wants[1].value.data, wants[1].value.len);
    return buf_status(to, "the ids of entries", err);
}

static quire_status search_lines(void *ctx, quire_bytes lines, quire_error *err)
{
    struct searching *s = ctx;

    /* Nothing is changed. */
    return mask_lines(s->p->values, (char *)(uintptr_t)lines.data, lines.len,
                      false, &s->spans, s->found,
                      s->session ? note_entry : NULL, s, err);
}

quire_status purge_search_log(struct purge *p, const char *name,
                              struct purge_session *session,
                              struct mask_counts *found, quire_error *err)
{
    struct searching s = {.p = p, .session = session, .found = found};
    struct object_info info;
    struct log *log;
    quire_status st = log_open(p->home->logs, name, LOG_READ, &log, &info, err);

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st; /* it was removed */
    if (p->collect)
        st = purge_read_lines(log, p->collect, p->collect_ctx, err);
    else
        st = purge_read_lines(log, search_lines, &s, err);
    if (!st && p->collect)
        st = purge_collected(p, err);
    spans_release(&s.spans);
    log_close(log);
    return st;
}

/* ---- changing ------------------------------------------------------------------ */

struct changing {
    struct purge *p;
    struct log_draft *draft;
    struct spans spans;
    struct mask_counts found;
    bool begun;
};

/* The first line is written alone: a title slot is patched in place. */
static quire_status write_lines(struct changing *c, quire_bytes lines,
                                quire_error *err)
{
    const char *end = c->begun || !lines.len
                          ? NULL
                          : memchr(lines.data, '\n', lines.len);
    size_t first = end ? (size_t)(end - (const char *)lines.data) + 1 : 0;
    quire_status st = QUIRE_OK;

    c->begun = true;
    if (first && first <= GZIP_STORED) {
        st = log_write(c->draft, bytes_sub(lines, 0, first), err);
        lines = bytes_sub(lines, first, lines.len);
    }
    return st || !lines.len ? st : log_write(c->draft, lines, err);
}

static quire_status change_lines(void *ctx, quire_bytes lines, quire_error *err)
{
    struct changing *c = ctx;
    /* In the buffer of purge_read_lines(), which is done with them. */
    quire_status st = mask_lines(c->p->values, (char *)(uintptr_t)lines.data,
                                 lines.len, true, &c->spans, &c->found, NULL,
                                 NULL, err);

    return st ? st : write_lines(c, lines, err);
}

/* Age counts from the last change by its owner. */
static void restore_time(struct purge *p, const char *name,
                         const struct object_info *info)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                      {(time_t)(info->modified_ns / 1000000000),
                                       (long)(info->modified_ns % 1000000000)}};

    (void)utimensat(p->dir, name, times, AT_SYMLINK_NOFOLLOW);
}

static quire_status replace_log(struct purge *p, const char *name,
                                struct log *log, const struct object_info *info,
                                quire_error *err)
{
    struct changing c = {.p = p};
    quire_status st = log_create(p->home->logs, name, &c.draft, err);

    if (st)
        return st;
    st = purge_read_lines(log, change_lines, &c, err);
    spans_release(&c.spans);
    if (!st && mask_any(&c.found))
        st = log_settle(c.draft, err);
    if (st || !mask_any(&c.found)) {
        log_discard(c.draft);
        return st;
    }
    st = log_replace(log, c.draft, err);
    if (!st)
        restore_time(p, name, info);
    return st;
}

quire_status purge_change_log(struct purge *p, const char *name,
                              quire_error *err)
{
    struct object_info info;
    struct log *log;
    quire_status st = log_open(p->home->logs, name, LOG_APPEND, &log, &info,
                               err);

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = log_hold(log, p->q->busy_ms, err);
    if (!st)
        st = log_stat(p->home->logs, name, &info, err);
    if (!st)
        st = replace_log(p, name, log, &info, err);
    log_close(log);
    return st == QUIRE_CHANGED || st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}
