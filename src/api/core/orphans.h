/* orphans.h - files left by sessions that no longer exist; see orphans.c */
#ifndef API_CORE_ORPHANS_H
#define API_CORE_ORPHANS_H

#include "api/core/handle.h"

enum orphan_kind {
    ORPHAN_WORKSPACE, /* an entry of artifacts/sessions/           */
    ORPHAN_OUTPUTS,   /* a directory of outputs                    */
    ORPHAN_EMPTY,     /* the empty directory of a project: harmless */
};

struct orphan {
    enum orphan_kind kind;
    const char *name; /* relative to the home */
    uint64_t n_files, bytes;
    const quire_error *why; /* it could not be read: why; else NULL */
};

typedef quire_status (*orphan_fn)(void *ctx, const struct orphan *o,
                                  quire_error *err);

/* Call `each` for every orphan of every tenant that has not changed since
 * `before_ns`. `each` may remove it. The catalogue is open, with artifacts. */
quire_status orphans_each(struct quire *q, int64_t before_ns, orphan_fn each,
                          void *ctx, quire_error *err);

#endif
