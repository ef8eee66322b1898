/* failing.c - see failing.h */
#include "support/failing.h"

#include <errno.h>
#include <stdio.h>

#include "support/catalog.h"
#include "support/test.h"

void way_arm(struct way *w, long n)
{
    w->seam.struck = false;
    w->seam.stay = w->stay;
    w->seam.status = n % 2 ? QUIRE_IO : QUIRE_NO_MEMORY;
    w->seam.left = w->where == SEAMS ? n : 0;
    sqlite_faults(w->where == SQLITE);
    if (w->where != SEAMS)
        fault_arm(n, n % 3 ? n % 3 == 1 ? ENOMEM : EIO : ENOSPC, w->stay);
}

bool way_disarm(struct way *w)
{
    bool struck = fault_disarm();

    sqlite_faults(false);
    w->seam.left = 0;
    return w->where == SEAMS ? w->seam.struck : struck;
}

const char *way_name(const struct way *w, long n)
{
    static const char *const places[] = {"seam", "call", "sqlite"};
    char *name = test_alloc(200);

    snprintf(name, 200, "%s %ld (%s%s)", places[w->where], n,
             w->where == SEAMS ? "fault" : fault_name(), w->stay ? ", on" : "");
    return name;
}

static int64_t stands_still(void *ctx)
{
    (void)ctx;
    return 4000000000000000; /* later than the ground was made */
}

quire *failing_open(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.busy_ms = 20000;
    o.tenant = "default";
    o.now_us = stands_still;
    OK(quire_open(&o, &q, &test_err));
    return q;
}
