/* pads.c - /mem write, read, clear: scratchpads, one's own and the shared one */
#include "base/bytes.h"
#include "slash/priv.h"

static quire_status pad_write(struct turn *t, const char *pad, quire_error *err)
{
    quire_error words = {.status = QUIRE_OK};
    uint64_t size;

    if (t->command->args.len == 0) {
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "there is nothing to note; write /%s <text>",
                   t->command->form->name);
        return QUIRE_OK;
    }
    if (quire_pad_append(t->q, pad, t->command->args, &size, &words))
        return reply_error(&t->answer, &words, err);
    reply_say(&t->answer, "OK: noted %zu bytes in %s scratchpad (%llu bytes)",
              t->command->args.len, *pad ? "your" : "the shared",
              (unsigned long long)size);
    return QUIRE_OK;
}

/* Words behind a command that has none are words for nobody. */
static bool has_words(struct turn *t)
{
    if (t->command->args.len > 0)
        reply_fail(&t->answer, QUIRE_INVALID, "usage", "/%s has no arguments",
                   t->command->form->name);
    return t->command->args.len > 0;
}

static quire_status scratchpad_read(struct turn *t, const char *pad,
                                    quire_error *err)
{
    quire_error words = {.status = QUIRE_OK};
    quire_status st;

    if (has_words(t))
        return QUIRE_OK;
    st = quire_pad_read(t->q, pad, slash_take, t, &words);
    if (st && st != QUIRE_NOT_FOUND) {
        buf_clear(&t->answer.text);
        t->answer.whole = 0;
        return reply_error(&t->answer, &words, err);
    }
    if (st)
        reply_say(&t->answer, "(%s scratchpad is empty)",
                  *pad ? "your" : "the shared");
    else
        t->answer.cut = CUT_BYTES;
    return QUIRE_OK;
}

static quire_status scratchpad_clear(struct turn *t, const char *pad,
                                     quire_error *err)
{
    quire_error words = {.status = QUIRE_OK};

    if (has_words(t))
        return QUIRE_OK;
    if (quire_pad_clear(t->q, pad, &words))
        return reply_error(&t->answer, &words, err);
    reply_say(&t->answer, "OK: cleared %s scratchpad",
              *pad ? "your" : "the shared");
    return QUIRE_OK;
}

quire_status slash_pad_write(struct turn *t, quire_error *err)
{
    return pad_write(t, t->o.agent, err);
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
    return pad_write(t, "", err);
}

quire_status slash_shared_read(struct turn *t, quire_error *err)
{
    return scratchpad_read(t, "", err);
}

quire_status slash_shared_clear(struct turn *t, quire_error *err)
{
    return scratchpad_clear(t, "", err);
}
