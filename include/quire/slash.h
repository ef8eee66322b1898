/*
 * quire/slash.h - slash commands in an agent's text
 *
 * For agents without tools. A line that begins with /write, /read, /list or
 * /mem is a command; each gets one reply, a block of text for the agent:
 *
 *     [/read notes/a.md]
 *     its content
 *     [END READ]
 *
 * and an empty line. Text inside a ``` or ~~~ fence is never a command.
 * Commands run in the order of the text; identical ones run each time.
 *
 * A block ends at the first line that begins with "[END ". A line of content
 * that begins so, after any number of blanks, gets one more blank, so that
 * stored content cannot end the block. The reply's status says whether the
 * command succeeded, not its text: a file may begin with "ERR:".
 */
#ifndef QUIRE_SLASH_H
#define QUIRE_SLASH_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A file that an agent wrote, stored or not. The path is the agent's own, any
 * bytes: never open it as a name. */
typedef struct quire_slash_file {
    quire_bytes path;
    quire_bytes content;
    int64_t id; /* the artifact it was stored as; 0: it was not             */
    uint64_t reserved[4];
} quire_slash_file;

typedef quire_status (*quire_slash_file_fn)(void *ctx,
                                            const quire_slash_file *file,
                                            quire_error *err);

/* The wording of replies. */
typedef enum quire_slash_style {
    QUIRE_SLASH_DOCUMENT = 0, /* the texts of arbiter's documentation        */
    QUIRE_SLASH_ARBITER = 1,  /* those that its program prints, where they
                                 differ                                     */
} quire_slash_style;

/* Begin with QUIRE_SLASH_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_slash_options {
    size_t size;
    const char *session;        /* the session of its artifacts; NULL: none, and
                                   artifacts cannot be written or read      */
    const char *agent;          /* names its scratchpad, and the agent of its
                                   artifacts; NULL: "agent"                 */
    const char *const *allowed; /* permitted commands, ended by NULL: "read",
                                   "mem search"; "mem" permits all that begin
                                   so. NULL: every one. Others are refused
                                   before they do anything                  */
    uint64_t read_limit;        /* bytes of content per reply; 0: 16,384    */
    uint64_t budget;            /* bytes of all replies, frames and notes not
                                   counted, each as at least 32; 0: 32,768.
                                   Commands beyond it are skipped           */
    quire_slash_file_fn file;   /* called for every file written; may be NULL */
    void *file_ctx;
    quire_slash_style style;
} quire_slash_options;

#define QUIRE_SLASH_OPTIONS_INIT                                         \
    {                                                                    \
        sizeof(quire_slash_options), NULL, NULL, NULL, 0, 0, NULL, NULL, \
            QUIRE_SLASH_DOCUMENT                                         \
    }

typedef struct quire_slash_reply {
    const char *command; /* "write", "mem add entry"                         */
    quire_bytes args;    /* the rest of its line                             */
    quire_bytes body;    /* the content of the block, as stored              */
    quire_bytes block;   /* the whole block, for the agent                   */
    quire_status status;
    const char *kind; /* a finer status: "ok", "warning" (done in part),
                            "denied", "usage", "unclosed", "unavailable",
                            "path", "elsewhere", "uncited", "skipped"; else the
                            name of `status`                                 */
    int64_t id;       /* of the artifact, entry or relation it created or
                            read; 0: none                                    */
    uint64_t line;    /* its line in the text, from 1                     */
    int truncated;    /* there was more than the body has                 */
    uint64_t skipped; /* for lack of budget: this reply stands for so many
                            commands; 0: it was run                          */
    const char *mime; /* it read an image of this type, to be passed on
                            beside the text; NULL: it did not                */
    quire_bytes part; /* that image                                       */
    uint64_t reserved[4];
} quire_slash_reply;

typedef quire_status (*quire_slash_fn)(void *ctx,
                                       const quire_slash_reply *reply,
                                       quire_error *err);

/* Run the commands in an agent's text in order, and pass each reply to `each`
 * before the next command runs. `options` may be NULL. Unlike other callbacks
 * `each` and `file` may use the handle.
 *
 * Owns: reply and file are lent until the callback returns.
 * Fails: a command that fails reports so in its reply. The call fails with
 *   common statuses, and then commands that ran stay done.
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    a session, and the home has no artifacts
 * Durable: what each command wrote, before its reply is passed on. */
quire_status quire_slash(quire *q, quire_bytes text,
                         const quire_slash_options *options,
                         quire_slash_fn each, void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
