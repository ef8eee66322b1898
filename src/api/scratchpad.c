/* scratchpad.c - scratchpads, as quire/scratchpad.h has them */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "memory/scratchpad.h"
#include "api/core/handle.h"

/* A reader of a home without them gets none. */
static quire_status need_pads(struct quire *q, bool write, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && write && q->read_only)
        st = read_only_error(err);
    if (st)
        return st;
    if (q->kind != QUIRE_KIND_NATIVE) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "name a home of Quire's own with --home",
                      "%s is a home of another program: it has no "
                      "scratchpads",
                      q->home);
        return st;
    }
    st = need_catalog(q, write, err);
    if (!st)
        st = tenants_check(q, err);
    if (st || q->pads || !q->catalog.db ||
        q->catalog.schema < SCHEMA_SCRATCHPADS)
        return st;
    return scratchpads_new(q->catalog.db, &q->clock, &q->pads, err);
}

static quire_status check_name(const char *name, quire_error *err)
{
    if (strlen(name) <= PAD_NAME_MAX && utf8_check(bytes_str(name)))
        return QUIRE_OK;
    return err_set(err, QUIRE_INVALID,
                   "scratchpad name is not UTF-8 of at most %d bytes",
                   PAD_NAME_MAX);
}

quire_status quire_pad_append(quire *q, const char *name, quire_bytes text,
                              uint64_t *size, quire_error *err)
{
    uint64_t now = 0;
    quire_status st = need_pads(q, true, err);

    if (!st)
        st = check_name(name, err);
    if (!st && text.len == 0) {
        st = err_fail(err, QUIRE_INVALID, "give some text", "text is empty");
    }
    if (!st && !utf8_check(text)) {
        st = err_fail(err, QUIRE_INVALID, "store other bytes as an artifact",
                      "text is not UTF-8");
    }
    if (!st)
        st = scratchpad_append(q->pads, q->tenant, bytes_str(name), text, &now,
                               err);
    if (!st && size)
        *size = now;
    return st;
}

quire_status quire_pad_read(quire *q, const char *name, quire_write_fn write,
                            void *ctx, quire_error *err)
{
    bool any = false;
    quire_status st = need_pads(q, false, err);

    if (!st)
        st = check_name(name, err);
    if (!st && q->pads) {
        q->in_callback = true;
        st = scratchpad_read(q->pads, q->tenant, bytes_str(name), write, ctx,
                             &any, err);
        q->in_callback = false;
    }
    if (st || any)
        return st;
    st = *name
             ? err_set(err, QUIRE_NOT_FOUND, "scratchpad %.100s is empty", name)
             : err_set(err, QUIRE_NOT_FOUND, "the shared scratchpad is empty");
    return st;
}

quire_status quire_pad_list(quire *q, quire_pad_fn each, void *ctx,
                            quire_error *err)
{
    quire_status st = need_pads(q, false, err);

    if (st || !q->pads)
        return st;
    q->in_callback = true;
    st = scratchpad_list(q->pads, q->tenant, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_pad_clear(quire *q, const char *name, quire_error *err)
{
    quire_status st = need_pads(q, true, err);

    if (!st)
        st = check_name(name, err);
    return st ? st : scratchpad_clear(q->pads, q->tenant, bytes_str(name), err);
}
