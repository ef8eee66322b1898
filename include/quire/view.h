/*
 * quire/view.h - a session as a viewer shows it
 *
 * A viewer must not read a long session to show a part of it. It asks for the heads
 * of all entries, which say what each is and how large, and for the content of those
 * that are visible: a window of a path.
 *
 * An entry's *ordinal* is its number in the order of the file, from 0; its *position*
 * is its number on a path from a root to a leaf, from 0. Ordinals stay while the
 * session only grows; `generation` changes when the file was rewritten.
 */
#ifndef QUIRE_VIEW_H
#define QUIRE_VIEW_H

#include "quire/session.h"

QUIRE_DECLS_BEGIN

enum {
    QUIRE_HEAD_ERROR = 1 << 0,      /* a result that is an error, an answer that
                                       ended with one                         */
    QUIRE_HEAD_IMAGES = 1 << 1,     /* has images                             */
    QUIRE_HEAD_THINKING = 1 << 2,   /* has thinking                           */
    QUIRE_HEAD_CALLS = 1 << 3,      /* has tool calls                         */
    QUIRE_HEAD_LABEL = 1 << 4,      /* has a label                            */
    QUIRE_HEAD_HIDDEN = 1 << 5,     /* is state, not part of a transcript     */
    QUIRE_HEAD_SUPERSEDED = 1 << 6, /* a later entry has its id               */
    QUIRE_HEAD_EDIT = 1 << 7,       /* a call writes or edits a file          */
    QUIRE_HEAD_SUBAGENT = 1 << 8,   /* a call starts a sub-agent              */
    QUIRE_HEAD_TEXT = 1 << 9,       /* has text besides thinking and calls    */
};

typedef struct quire_head {
    quire_bytes id; /* .data NULL: none                                     */
    size_t ordinal;
    size_t parent;     /* its ordinal; SIZE_MAX: a root                     */
    const char *type;  /* "message"; "other" beyond 255 types of a session  */
    const char *role;  /* "" none, and so on                                */
    const char *tool;  /* of a result, or the first that is called          */
    const char *model; /* that answered                                     */
    int64_t time_ms;   /* since 1970; 0: unknown                            */
    uint64_t bytes;    /* of the entry                                      */
    uint32_t lines;    /* of its text, estimated                            */
    uint32_t calls;    /* of tools                                          */
    uint64_t input_tokens, output_tokens, cached_tokens;
    uint64_t cost_nano_usd; /* as it is recorded                            */
    unsigned flags;         /* QUIRE_HEAD_...                               */
    uint64_t reserved[4];
} quire_head;

typedef quire_status (*quire_head_fn)(void *ctx, const quire_head *head,
                                      quire_error *err);

typedef struct quire_heads_info {
    char generation[17]; /* of the file                                     */
    size_t n;            /* entries                                         */
    size_t leaf;         /* ordinal of the current leaf; SIZE_MAX: none     */
    uint64_t reserved[4];
} quire_heads_info;

/* List the heads of all entries, in the order of the file, from the ordinal `from`
 * on. *info, set before, may be NULL. The first call reads the session; an open
 * session keeps the heads, about 50 bytes an entry, and later calls read what was
 * added since.
 *
 * Owns: a head is lent until `each` returns; *info is the caller's.
 * Fails: common
 * Durable: reads only. */
quire_status quire_session_heads(quire_session *s, size_t from,
                                 quire_heads_info *info, quire_head_fn each,
                                 void *ctx, quire_error *err);

/* Begin with QUIRE_WINDOW_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_window_options {
    size_t size;
    const char *leaf; /* the path down to this entry; NULL: the current leaf */
    const char *at;   /* around this entry of the path; NULL: from `from` on */
    size_t from;      /* position                                            */
    size_t before;    /* entries before `at`                                 */
    size_t limit;     /* entries at most                                     */
} quire_window_options;

#define QUIRE_WINDOW_OPTIONS_INIT                           \
    {                                                       \
        sizeof(quire_window_options), NULL, NULL, 0, 20, 60 \
    }

typedef struct quire_window {
    size_t n;    /* entries of the path                                      */
    size_t from; /* position of the first entry of the window                */
    uint64_t reserved[4];
} quire_window;

/* List a part of a path: entries as quire_session_path() has them, `depth` is the
 * position. Only these are read. *out is set before the first call of `each`, which
 * ends the list without an error by returning QUIRE_CHANGED.
 *
 * Owns: an entry is lent until `each` returns; *out is the caller's.
 * Fails: common
 *   QUIRE_NOT_FOUND  no entry is called `leaf`, or `at` is not on the path
 * Durable: reads only. */
quire_status quire_session_window(quire_session *s,
                                  const quire_window_options *options,
                                  quire_window *out, quire_entry_fn each,
                                  void *ctx, quire_error *err);

/* List the entries with these ordinals, in this order, as quire_session_entries() has
 * them. Only these are read. `each` ends the list as above.
 *
 * Owns: an entry is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  an ordinal is too large
 * Durable: reads only. */
quire_status quire_session_entries_at(quire_session *s, const size_t *ordinals,
                                      size_t n, quire_entry_fn each, void *ctx,
                                      quire_error *err);

QUIRE_DECLS_END

#endif
