/* pads.c - /mem write, read, clear: the agent's scratchpad and the shared one */
#include "base/bytes.h"
#include "slash/priv.h"

static quire_status scratchpad_write(struct turn *t, const char *pad,
                                     quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    uint64_t size;

    if (t->command->args.len == 0) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "text is missing; write /%s <text>", t->command->form->name);
        return QUIRE_OK;
    }
    if (quire_pad_append(t->q, pad, t->command->args, &size, &cause))
        return reply_error(&t->answer, &cause, err);
    reply_add_line(&t->answer,
                   "OK: noted %zu bytes in %s scratchpad (%llu bytes)",
                   t->command->args.len, *pad ? "your" : "the shared",
                   (unsigned long long)size);
    return QUIRE_OK;
}

/* Report an error and return true if the command has arguments. */
static bool reject_args(struct turn *t)
{
    if (t->command->args.len > 0)
        reply_fail(&t->answer, QUIRE_INVALID, "usage", "/%s has no arguments",
                   t->command->form->name);
    return t->command->args.len > 0;
}

static quire_status scratchpad_read(struct turn *t, const char *pad,
                                    quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    quire_status st;

    if (reject_args(t))
        return QUIRE_OK;
    st = quire_pad_read(t->q, pad, slash_add_content, t, &cause);
    if (st && st != QUIRE_NOT_FOUND) {
        buf_clear(&t->answer.text);
        t->answer.whole = 0;
        return reply_error(&t->answer, &cause, err);
    }
    if (st)
        reply_add_line(&t->answer, "(%s scratchpad is empty)",
                       *pad ? "your" : "the shared");
    else
        t->answer.cut = CUT_BYTES;
    return QUIRE_OK;
}

static quire_status scratchpad_clear(struct turn *t, const char *pad,
                                     quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};

    if (reject_args(t))
        return QUIRE_OK;
    if (quire_pad_clear(t->q, pad, &cause))
        return reply_error(&t->answer, &cause, err);
    reply_add_line(&t->answer, "OK: cleared %s scratchpad",
                   *pad ? "your" : "the shared");
    return QUIRE_OK;
}

quire_status slash_pad_write(struct turn *t, quire_error *err)
{
    return scratchpad_write(t, t->o.agent, err);
}

quire_status slash_pad_read(struct turn *t, quire_error *err)
{
    return scratchpad_read(t, t->o.agent, err);
}

quire_status slash_pad_clear(struct turn *t, quire_error *err)
{
    return scratchpad_clear(t, t->o.agent, err);
}

quire_status slash_shared_write(struct turn *t, quire_error *err)
{
    return scratchpad_write(t, "", err);
}

quire_status slash_shared_read(struct turn *t, quire_error *err)
{
    return scratchpad_read(t, "", err);
}

quire_status slash_shared_clear(struct turn *t, quire_error *err)
{
    return scratchpad_clear(t, "", err);
}
