/*
 * priv.h - one turn of an agent, inside
 *
 * A function per command fills the response: text and status. It returns an
 * error only for what ends the turn: memory, or a callback. run.c and reply.c
 * add the frame, cut the text and count the budget.
 */
#ifndef SLASH_PRIV_H
#define SLASH_PRIV_H

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"
#include "slash/parse.h"

enum {
    READ_LIMIT = 16384,     /* bytes of content in a reply                */
    BUDGET = 32768,         /* bytes of content in all of them            */
    REPLY_LEAST = 32,       /* what a reply costs, if it says less: else a
                               text could have as many as it likes        */
    SKIPS_TOLD = 20,        /* this many skipped commands get a reply of
                               their own, the next one is for all others  */
    ARGS_SHOWN = 300,       /* bytes of arguments in a frame              */
    LIST_MAX = 200,         /* lines of /list                             */
    ENTRY_BODY_MAX = 32768, /* bytes                                      */
    QUOTED_MAX = 1 << 29,   /* bytes, whatever limit is asked for         */
};

/* What may be left out of an answer that is too long. */
enum cut {
    CUT_NOTHING, /* it tells what was done, in a few lines */
    CUT_BYTES,   /* content: between characters            */
    CUT_LINES,   /* a list: between lines                  */
};

struct response {
    struct buf text; /* what stands between the frames                   */
    enum cut cut;
    uint64_t whole; /* bytes there are, if `text` has only the first     */
    quire_status status;
    const char *kind;
    int64_t id;
    const char *mime;
    struct buf part;
};

struct turn {
    quire *q;
    quire_slash_options o;
    const char *session; /* its file, or a built-in one; NULL: none      */
    const struct slash_command *command;
    size_t limit; /* bytes of content that can be shown                  */
    struct response answer;
    struct buf content; /* of a body                                     */
    struct arena tmp;   /* of one command                                */
};

/* ---- reply.c: words ----------------------------------------------------- */

/* Text on one line: what would end the line or steer a terminal becomes a
 * blank, damage U+FFFD. No more than `max` bytes, and three dots if it is cut. */
void reply_add_shown(struct buf *out, quire_bytes text, size_t max);

/* A line more in the answer. */
void reply_say(struct response *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "ERR: ..." in a line more, and that it failed. `kind` NULL: the name of the
 * status. */
void reply_fail(struct response *a, quire_status status, const char *kind,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same in the words of the library. QUIRE_OK, or QUIRE_NO_MEMORY, which is
 * no answer. */
quire_status reply_error(struct response *a, const quire_error *words,
                         quire_error *err);

/* "text", in the arena, fit for a line. Never NULL. */
const char *reply_shown(struct turn *t, quire_bytes text);

/* The frame, and `body` in it; `note` (may be NULL) is a last line. */
void reply_block(struct buf *out, const struct slash_command *command,
                 quire_bytes body, const char *note);

/* ---- files.c, mem.c, pads.c: commands ----------------------------------- */

quire_status slash_write(struct turn *t, quire_error *err);
quire_status slash_read(struct turn *t, quire_error *err);
quire_status slash_list(struct turn *t, quire_error *err);

quire_status slash_add_entry(struct turn *t, quire_error *err);
quire_status slash_add_link(struct turn *t, quire_error *err);
quire_status slash_entries(struct turn *t, quire_error *err);
quire_status slash_entry(struct turn *t, quire_error *err);
quire_status slash_search(struct turn *t, quire_error *err);
quire_status slash_expand(struct turn *t, quire_error *err);
quire_status slash_density(struct turn *t, quire_error *err);
quire_status slash_invalidate(struct turn *t, quire_error *err);
quire_status slash_mem(struct turn *t, quire_error *err);

quire_status slash_pad_write(struct turn *t, quire_error *err);
quire_status slash_pad_read(struct turn *t, quire_error *err);
quire_status slash_pad_clear(struct turn *t, quire_error *err);
quire_status slash_shared_write(struct turn *t, quire_error *err);
quire_status slash_shared_read(struct turn *t, quire_error *err);
quire_status slash_shared_clear(struct turn *t, quire_error *err);

/* Bytes of content as they come, up to the limit; the rest is counted. For
 * quire_write_fn, with the turn. */
quire_status slash_take(void *turn, quire_bytes bytes, quire_error *err);

#endif
