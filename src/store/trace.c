/* trace.c - log intercepted calls, one line each; count waits */
#include <stdio.h>

#include "store/intercept.h"

static void log_call(void *ctx, const char *call, const char *on,
                     quire_status result)
{
    struct trace *t = ctx;
    char line[512];

    snprintf(line, sizeof line, "%s %.400s: %s", call, on,
             quire_status_name(result));
    t->line(t->ctx, line);
}

struct intercept trace_hook(struct trace *t)
{
    return (struct intercept){.after = log_call, .ctx = t};
}

static void count_one(void *ctx, const char *on)
{
    struct waits *w = ctx;

    w->n++;
    if (w->on)
        w->on(on);
}

struct intercept waits_hook(struct waits *w)
{
    return (struct intercept){.ctx = w, .wait = count_one};
}
