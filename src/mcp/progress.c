/*
 * progress.c - notifications/progress: how long a call has run, and what its
 * command printed last
 */
#include <time.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "mcp/priv.h"

/* Intervals: with output, and without. */
enum { PROGRESS_MS = 250, SILENT_MS = 1000, LAST_LINE = 200 };

int64_t mcp_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The last line of it that is not empty, as a message. */
static void put_last_line(struct json_writer *w, quire_bytes said)
{
    const char *t = said.data;
    size_t end = said.len, from;
    quire_bytes line;

    while (end > 0 && (t[end - 1] == '\n' || t[end - 1] == '\r'))
        end--;
    for (from = end; from > 0 && t[from - 1] != '\n'; from--)
        ;
    line = bytes_sub(said, from, end);
    line.len = utf8_cut(line, LAST_LINE);
    if (line.len == 0)
        return;
    json_put_bytes(w, "message", line);
}

/* How long it has been at it, in milliseconds: a number that always grows. */
void progress_format(struct mcp_call *c, quire_bytes said, struct buf *notice)
{
    struct json_writer w;
    int64_t now = mcp_now_ms();

    if (!c->token.data || atomic_load(&c->cancelled) ||
        now - c->told_ms < (said.len ? PROGRESS_MS : SILENT_MS))
        return;
    c->told_ms = now;
    notification_begin(&w, notice, "notifications/progress", NULL);
    json_put_raw(&w, "progressToken", c->token);
    json_put_int(&w, "progress", now - c->begun_ms);
    put_last_line(&w, said);
    notification_end(&w);
}
