/* report.c - the first step of starting a command that failed */
#include <errno.h>

#include "sandbox/priv.h"

int report_fail(const struct plan *p, enum step step, const char *what)
{
    if (p->report->step == STEP_NONE) {
        p->report->error = errno;
        p->report->what = what;
        p->report->step = step;
    }
    return -1;
}
