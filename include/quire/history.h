/*
 * quire/history.h - prompts a person typed, in history.db of the home
 *
 * oh-my-pi keeps its history in a file of the same name and format: an existing
 * one is used in place, beside that program if it runs.
 */
#ifndef QUIRE_HISTORY_H
#define QUIRE_HISTORY_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_prompt {
    int64_t id;
    quire_bytes prompt;   /* UTF-8                                          */
    int64_t created_at_s; /* when it was last typed, Unix seconds           */
    const char *cwd;      /* where; NULL: not known                         */
    const char *session;  /* the session's id; NULL: not known              */
    uint64_t reserved[4];
} quire_prompt;

typedef quire_status (*quire_prompt_fn)(void *ctx, const quire_prompt *prompt,
                                        quire_error *err);

/* Add a prompt typed now, in the directory `cwd` (NULL: the working directory)
 * and the session with the id `session` (NULL: none). CRLF and CR become a
 * newline, blanks at line ends and around the whole are dropped, invalid UTF-8
 * becomes U+FFFD. *id (may be NULL) is its row, 0 if only blanks remain: those
 * are not stored.
 *
 * A prompt that exists keeps its row and becomes the newest. In a file of
 * oh-my-pi 13, where a prompt may have several rows, it gets another one
 * unless the last row is the same.
 *
 * Owns: text is copied.
 * Fails: common
 *   QUIRE_INVALID  longer than 16 MiB; or the handle has no home
 *   QUIRE_DAMAGED  history.db is not a prompt history; it is left alone
 * Durable: survives a crash; may be lost in a power cut within the next
 *   moments. */
quire_status quire_history_add(quire *q, quire_bytes text, const char *cwd,
                               const char *session, int64_t *id,
                               quire_error *err);

/* Add a prompt that was typed earlier, elsewhere: at its created_at_s, in its cwd and
 * session (`id` is not read). One that exists keeps its row, and of both times, with
 * directory and session, the later.
 *
 * Owns: text is copied. *id (may be NULL) is its row; 0: it is blank, or was typed later
 *   again.
 * Fails: as quire_history_add()
 * Durable: as quire_history_add() */
quire_status quire_history_put(quire *q, const quire_prompt *prompt,
                               int64_t *id, quire_error *err);

/* Begin with QUIRE_HISTORY_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_history_options {
    size_t size;
    const char *cwd; /* only those typed there last; NULL: anywhere         */
    uint64_t limit;  /* 0: 100; at most 1000. UINT64_MAX: all               */
} quire_history_options;

#define QUIRE_HISTORY_OPTIONS_INIT             \
    {                                          \
        sizeof(quire_history_options), NULL, 0 \
    }

/* List prompts, the newest first; quire_history_search() those with every word of
 * `query` anywhere in the text: case and accents are ignored. Words are letters and
 * digits; a query without any is searched literally. Phrases, operators and the rest of
 * the language of quire_search() work, too. Without a history, or a match, nothing is
 * reported. `options` may be NULL.
 *
 * Owns: *prompt is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID  search: the query is blank; or the handle has no home
 *   QUIRE_DAMAGED  history.db is not a prompt history
 * Durable: reads only. */
quire_status quire_history_list(quire *q, const quire_history_options *options,
                                quire_prompt_fn each, void *ctx,
                                quire_error *err);
quire_status quire_history_search(quire *q, quire_bytes query,
                                  const quire_history_options *options,
                                  quire_prompt_fn each, void *ctx,
                                  quire_error *err);

/* Remove the `n` prompts with these ids, all or none, and overwrite their text in
 * the file.
 *
 * Owns: ids are read during the call.
 * Fails: common
 *   QUIRE_NOT_FOUND  no prompt has one of the ids; none is removed
 *   QUIRE_INVALID    the handle has no home
 *   QUIRE_DAMAGED    history.db is not a prompt history
 * Durable: on return. */
quire_status quire_history_remove(quire *q, const int64_t *ids, size_t n,
                                  quire_error *err);

QUIRE_DECLS_END

#endif
