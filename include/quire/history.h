/* quire/history.h - prompts a person typed */
#ifndef QUIRE_HISTORY_H
#define QUIRE_HISTORY_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * The prompts a person typed, in history.db of the home. oh-my-pi keeps its own
 * in a file of that name: one that is there is used as it is, beside that
 * program if it is running, and what either adds the other finds.
 */

typedef struct quire_prompt {
    int64_t id;
    quire_bytes prompt;   /* UTF-8                                          */
    int64_t created_at_s; /* when it was last typed, Unix seconds           */
    const char *cwd;      /* where; NULL: not known                         */
    const char *session;  /* in which session, its id; NULL: not known      */
    uint64_t reserved[4];
} quire_prompt;

/* Takes a prompt, which is on loan until it returns. */
typedef quire_status (*quire_prompt_fn)(void *ctx, const quire_prompt *prompt,
                                        quire_error *err);

/* Add a prompt that was typed in the directory `cwd` (NULL: the working
 * directory) and the session with the id `session` (NULL: none), now. CRLF and
 * CR become a newline, blanks at the end of lines and around the whole are
 * dropped, what is not UTF-8 becomes U+FFFD. *id (may be NULL) is its row.
 *
 * A prompt that is there already keeps its row and its id, and is as new as if
 * it had just been typed. In a file of oh-my-pi 13, where a prompt may have
 * several rows, it gets another one, unless the last row says the same. One of
 * nothing but blanks is not kept: *id is 0.
 *
 * After QUIRE_OK it survives the end of the process; after a power cut within
 * the next moments it may be missing.
 *
 * QUIRE_INVALID  longer than 16 MiB; or the handle is read only, or has no home
 * QUIRE_BUSY     another writer does not let go
 * QUIRE_DAMAGED  history.db is no prompt history: it is left as it is */
quire_status quire_history_add(quire *q, quire_bytes text, const char *cwd,
                               const char *session, int64_t *id,
                               quire_error *err);

/* Set `size` with QUIRE_HISTORY_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_history_options {
    size_t size;
    const char *cwd; /* only those typed there last; NULL: anywhere         */
    uint64_t limit;  /* no more than so many; 0: 100. Never more than 1000  */
} quire_history_options;

#define QUIRE_HISTORY_OPTIONS_INIT             \
    {                                          \
        sizeof(quire_history_options), NULL, 0 \
    }

/* Each prompt, the newest first. `options` may be NULL. Stops when `each`
 * returns anything but QUIRE_OK, and returns that. No history is an empty one.
 *
 * QUIRE_DAMAGED  history.db is no prompt history */
quire_status quire_history_list(quire *q, const quire_history_options *options,
                                quire_prompt_fn each, void *ctx,
                                quire_error *err);

/* The same for those that have every word of `query`: as the beginning of a
 * word, whatever its case and accents, or anywhere in the text, whatever the
 * case of A to Z. Words are letters and digits, all else separates them; a
 * query without any is looked for as it is. Any text is a query but blanks,
 * which are QUIRE_INVALID. To find nothing is QUIRE_OK. */
quire_status quire_history_search(quire *q, quire_bytes query,
                                  const quire_history_options *options,
                                  quire_prompt_fn each, void *ctx,
                                  quire_error *err);

QUIRE_DECLS_END

#endif
