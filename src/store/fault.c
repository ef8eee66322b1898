/* fault.c - the n-th call fails */
#include "base/err.h"
#include "store/intercept.h"

static quire_status before(void *ctx, const char *call, const char *on,
                           quire_error *err)
{
    struct fault *f = ctx;

    f->calls++;
    if (f->left == 0 || --f->left > 0)
        return QUIRE_OK;
    if (f->stay)
        f->left = 1;
    f->struck = true;
    return err_set(err, f->status, "%s %.100s: failed on purpose", call, on);
}

struct intercept fault_hook(struct fault *f)
{
    return (struct intercept){before, NULL, f};
}
