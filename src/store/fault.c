/* fault.c - fail the n-th call */
#include "base/err.h"
#include "store/intercept.h"

static quire_status fail_nth_call(void *ctx, const char *call, const char *on,
                                  quire_error *err)
{
    struct fault *f = ctx;

    f->calls++;
    if (f->left == 0 || --f->left > 0)
        return QUIRE_OK;
    if (f->stay)
        f->left = 1;
    f->struck = true;
    return err_set(err, f->status, "%s %.100s: injected fault", call, on);
}

struct intercept fault_hook(struct fault *f)
{
    return (struct intercept){.before = fail_nth_call, .ctx = f};
}
