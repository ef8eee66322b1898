/* trace.c - what passed through a seam, one line a call */
#include <stdio.h>

#include "store/intercept.h"

static void after(void *ctx, const char *call, const char *on,
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
    return (struct intercept){NULL, after, t};
}
