/*
 * priv.h - internals of one turn of an agent
 *
 * One function per command fills the response: text and status. It returns an
 * error only if the turn must end: out of memory, or a failed callback. run.c
 * and reply.c add the frame, truncate the text and charge the budget.
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
    REPLY_LEAST = 32,       /* least cost of a reply, so that the number of
                               replies is bounded                         */
    SKIPS_REPORTED = 20,    /* this many skipped commands get a reply of
                               their own, all others share the next       */
    ARGS_SHOWN = 300,       /* bytes of arguments in a frame              */
    LIST_MAX = 200,         /* lines of /list                             */
    ENTRY_BODY_MAX = 32768, /* bytes                                      */
    QUOTED_MAX = 1 << 29,   /* bytes, upper bound of read_limit           */
};

/* How a reply that is too long may be truncated. */
enum cut {
    CUT_NOTHING, /* not at all: a short report             */
    CUT_BYTES,   /* content: between characters            */
    CUT_LINES,   /* a list: between lines                  */
};

struct response {
    struct buf text; /* what is inside the frame                         */
    enum cut cut;
    uint64_t whole;   /* full size, if `text` has only the beginning       */
    uint64_t from;    /* bytes of the content before `text`                */
    const char *next; /* the command that reads on, but for the number of bytes
                         before it; NULL: none does                      */
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
    size_t limit;  /* bytes of content that can be shown                 */
    uint64_t skip; /* bytes of content still to be left out              */
    struct response answer;
    struct buf content; /* of a body                                     */
    struct arena tmp;   /* of one command                                */
};

/* ---- reply.c: text of a reply ------------------------------------------- */

/* Add text as a single line: line ends and control characters become blanks,
 * invalid UTF-8 U+FFFD. At most `max` bytes, then "..." if it is truncated. */
void reply_add_shown(struct buf *out, quire_bytes text, size_t max);

/* Add a line to the reply. */
void reply_add_line(struct response *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Add a line "ERR: ..." and set status and kind. `kind` NULL: the name of the
 * status. */
void reply_fail(struct response *a, quire_status status, const char *kind,
                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The same with the message of a library error. Returns QUIRE_OK, or
 * QUIRE_NO_MEMORY, which is not a reply. */
quire_status reply_error(struct response *a, const quire_error *cause,
                         quire_error *err);

/* `text` as a single line, in the arena. Never NULL. */
const char *reply_shown(struct turn *t, quire_bytes text);

/* Write `body` in its frame; `note` (may be NULL) is the last line. */
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

/* Add content to the reply up to the limit, and count all of it. A
 * quire_write_fn whose context is the turn. */
quire_status slash_add_content(void *turn, quire_bytes bytes, quire_error *err);

#endif
