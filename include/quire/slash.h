/* quire/slash.h - slash commands in an agent's text */
#ifndef QUIRE_SLASH_H
#define QUIRE_SLASH_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * Slash commands: the way of agents that have no tools but their text. A line
 * that begins with /write, /read, /list or /mem is a command; each gets one
 * reply, a block of text to be given back to the agent:
 *
 *     [/read notes/a.md]
 *     what is in it
 *     [END READ]
 *
 * and an empty line. What the agent wrote in a ``` or ~~~ fence is no command.
 * Two commands that say the same both act, in the order of the text.
 *
 * A block ends at the first line that begins with "[END ". A line of content
 * that begins so, behind any number of blanks, is given one blank more in the
 * block, so that nothing that was stored can end it. Whether a command did what
 * it was to do is in the reply's status, not in its words: a file may well
 * begin with "ERR:".
 */

/* A file that an agent wrote, kept or not. On loan until the callback returns.
 * The path is the agent's own, any bytes at all: never a name to open. */
typedef struct quire_slash_file {
    quire_bytes path;
    quire_bytes content;
    int64_t id; /* the artifact it was kept as; 0: it was not              */
    uint64_t reserved[4];
} quire_slash_file;

typedef quire_status (*quire_slash_file_fn)(void *ctx,
                                            const quire_slash_file *file,
                                            quire_error *err);

/* Set `size` with QUIRE_SLASH_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_slash_options {
    size_t size;
    const char *session;        /* whose artifacts; NULL: none, and there are no
                            artifacts to be written or read                 */
    const char *agent;          /* who speaks: its scratchpad, the agent of its
                            artifacts; NULL: "agent"                        */
    const char *const *allowed; /* the commands it may use, ended by NULL:
                                   "read", "mem search"; "mem" is all that
                                   begin so. NULL: every one. The others are
                                   refused before they do anything          */
    uint64_t read_limit;        /* bytes of content a reply has; 0: 16,384  */
    uint64_t budget;            /* bytes all replies have, frames and notes
                                   not counted, but each as 32 at least; 0:
                                   32,768. When they are used up the commands
                                   that follow are skipped                  */
    quire_slash_file_fn file;   /* told of every file written; NULL: nobody  */
    void *file_ctx;
} quire_slash_options;

#define QUIRE_SLASH_OPTIONS_INIT                                        \
    {                                                                   \
        sizeof(quire_slash_options), NULL, NULL, NULL, 0, 0, NULL, NULL \
    }

/* What became of one command. On loan until the callback returns. */
typedef struct quire_slash_reply {
    const char *command; /* "write", "mem add entry"                         */
    quire_bytes args;    /* the rest of its line                             */
    quire_bytes body;    /* what stands in the block, as it is stored        */
    quire_bytes block;   /* all of it, for the agent                         */
    quire_status status; /* how it went                                      */
    const char *kind;    /* the same in a word, finer: "ok", "warning" (done,
                            but not all that was asked); "denied", "usage",
                            "unclosed", "unavailable", "path", "elsewhere",
                            "uncited", "skipped"; else the name of the status */
    int64_t id;          /* of the artifact, the entry or the relation that it
                            made or read; 0: none                            */
    uint64_t line;       /* where it stands in the text, from 1              */
    int truncated;       /* there was more than the body has                 */
    uint64_t skipped;    /* it did nothing, for lack of budget; of so many
                            commands this is the reply. 0: it was run        */
    const char *mime;    /* it read an image, of this type, to be handed on
                            beside the text; NULL: it did not                */
    quire_bytes part;    /* that image                                       */
    uint64_t reserved[4];
} quire_slash_reply;

typedef quire_status (*quire_slash_fn)(void *ctx,
                                       const quire_slash_reply *reply,
                                       quire_error *err);

/* Run the commands in an agent's text, in its order, and give each reply to
 * `each` before the next command is run. A text without commands has none.
 * `options` may be NULL. Unlike other callbacks `each` and `file` may use the
 * handle.
 *
 * What a command cannot do is in its reply. What was done before the function
 * failed stays done, and has been replied to, unless it was the reply or its
 * file that the callback did not take. It fails for these:
 *
 * QUIRE_NOT_FOUND  no such session
 * QUIRE_INVALID    a session of a home that has no artifacts
 * QUIRE_NO_MEMORY, whatever a callback returns, and if there is a session but
 * its artifacts cannot be looked at, what that says */
quire_status quire_slash(quire *q, quire_bytes text,
                         const quire_slash_options *options,
                         quire_slash_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
