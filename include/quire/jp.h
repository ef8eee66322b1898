/*
 * quire/jp.h - JP's conversations
 *
 * A conversation is a directory with an events.json, read and written in
 * place. Its content lies in a blob store beside `conversations/`, so the
 * handle is opened on that directory alone:
 *
 *     quire_conversation_store(dir, path, sizeof path, &err);
 *     options.blobs = path;
 *     options.layout = QUIRE_LAYOUT_LOOSE;
 *     quire_open(&options, &q, &err);
 *
 * `dir` is the directory of a conversation, or a file in it. `hooks` may be
 * NULL; their progress is not called.
 */
#ifndef QUIRE_JP_H
#define QUIRE_JP_H

#include "quire/check.h"
#include "quire/session_files.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef enum quire_conversation_state {
    QUIRE_CONVERSATION_ACTIVE = 0,
    QUIRE_CONVERSATION_ARCHIVED, /* in .archive/ */
    QUIRE_CONVERSATION_TRASHED,  /* in .trash/   */
} quire_conversation_state;

typedef struct quire_conversation {
    const char *path; /* of its directory, absolute, without links           */
    const char *id;   /* "jp-c17780000011"                                   */
    const char *file; /* with its events: "events.json"; "messages.json" before
                         December 2025; "": none                             */
    quire_conversation_state state;
    const char *title;   /* "": none                                         */
    uint64_t events;     /* those of configuration not counted               */
    int64_t last_us;     /* time of the last one; 0: not known               */
    const char *problem; /* why it cannot be read; NULL: it can              */
    uint64_t reserved[4];
} quire_conversation;

typedef quire_status (*quire_conversation_fn)(void *ctx,
                                              const quire_conversation *one,
                                              quire_error *err);

enum {
    /* Fill title, events, last_us and problem too, which reads the files of
     * each. No blob is opened. */
    QUIRE_CONVERSATION_DETAILS = 1 << 0,
};

/* List the conversations in `dir`: a `.jp`, a directory that has one, a
 * `conversations` directory, one conversation or a file of it. Active ones come
 * first, then archived and trashed ones, each by name. Needs no store.
 *
 * Owns: *one is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  `dir` does not exist, or is none of these
 * Durable: reads only. */
quire_status quire_conversation_list(const char *dir, unsigned flags,
                                     quire_conversation_fn each, void *ctx,
                                     quire_error *err);

/* Find a conversation by name. A path is given to `each` as it is. An id, with
 * or without its "jp-c", or a unique beginning of one, is looked for in the
 * nearest `.jp` upwards from the working directory and in JP's private location
 * for that workspace, below XDG_DATA_HOME or ~/.local/share; `each` gets its
 * path in each of the two that has it, the workspace's first. Needs no store.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no conversation has that id
 *   QUIRE_INVALID    several ids begin so
 * Durable: reads only. */
quire_status quire_conversation_find(const char *name, quire_text_fn each,
                                     void *ctx, quire_error *err);

/* Pass the locations of the workspace around the working directory to `each`:
 * the nearest `.jp` upwards, and JP's private one for it. There may be none.
 * Needs no store.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 * Durable: reads only. */
quire_status quire_conversation_locations(quire_text_fn each, void *ctx,
                                          quire_error *err);

/* Write the path of the blobs directory of the conversations in `dir` to
 * `out`. It need not exist. Needs no store.
 *
 * Owns: `out` is the caller's.
 * Fails: common
 *   QUIRE_NOT_FOUND  `dir` does not lie in a directory called `conversations`
 *   QUIRE_INVALID    the path is longer than `cap`
 * Durable: reads only. */
quire_status quire_conversation_store(const char *dir, char *out, size_t cap,
                                      quire_error *err);

typedef struct quire_moved {
    uint64_t payloads; /* moved                                              */
    uint64_t blobs;    /* of those, new to the store                         */
    uint64_t bytes;    /* of their content                                   */
    uint64_t problems; /* reported to the hooks                              */
    int changed;       /* the file was written                               */
    uint64_t reserved[4];
} quire_moved;

/* quire_conversation_externalize() moves every payload of a conversation into
 * the store and leaves references {"$blob": "<64 hex>", "size": n}, that of a
 * tool's result in a text block. All else
 * in the file stays, byte for byte; a file without payloads is not written.
 * What is neither a reference nor a payload (two forms at once, bad digits,
 * null) stays and is reported to `hooks`. quire_conversation_hydrate()
 * is the reverse, in the form JP reads today; a wrong size is reported, and
 * the content that its digest proves is written. With `write` it writes the text
 * there and leaves the file alone. `moved` may be NULL.
 *
 * Owns: bytes are lent until `write` returns.
 * Fails: common. The file is as before; if only the last sync failed, it is
 *   complete. Blobs without references may remain.
 *   QUIRE_NOT_FOUND  not a conversation
 *   QUIRE_DAMAGED    not JSON, the message says where; hydrate: blobs are
 *                    missing or damaged, and were reported to `hooks`
 *   QUIRE_INVALID    not an array of events, a link, a form older than
 *                    events.json; a transaction is open
 *   QUIRE_BUSY       JP holds its lock
 *   QUIRE_CHANGED    another program wrote the file meanwhile: try again
 *   QUIRE_TOO_LARGE  more than 1 GiB
 * Durable: blobs and file, on return. */
quire_status quire_conversation_externalize(quire *q, const char *dir,
                                            const quire_check_hooks *hooks,
                                            quire_moved *moved,
                                            quire_error *err);
quire_status quire_conversation_hydrate(quire *q, const char *dir,
                                        quire_write_fn write, void *ctx,
                                        const quire_check_hooks *hooks,
                                        quire_moved *moved, quire_error *err);

typedef enum quire_print_style {
    QUIRE_PRINT_FULL = 0, /* all of it                                       */
    QUIRE_PRINT_BRIEF,    /* tools by name and size, without content         */
    QUIRE_PRINT_CHAT,     /* messages of people and models                   */
    QUIRE_PRINT_USER,     /* messages of people                              */
} quire_print_style;

/* Begin with QUIRE_PRINT_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_print_options {
    size_t size;
    quire_print_style style;
    uint64_t first; /* turns from this one, counted from 1                   */
    uint64_t last;  /* to this one; 0: to the end                            */
    uint64_t tail;  /* not 0: the last so many turns instead                 */
} quire_print_options;

#define QUIRE_PRINT_OPTIONS_INIT                               \
    {                                                          \
        sizeof(quire_print_options), QUIRE_PRINT_FULL, 1, 0, 0 \
    }

typedef struct quire_part {
    const char *kind;  /* "user", "assistant", "reasoning", "data", "call",
                          "result", "error", "resource", "question", "answer",
                          "compaction"                                       */
    quire_bytes label; /* name of a tool, URI of a resource, author of a
                          question; may be empty                             */
    quire_bytes text;  /* any bytes                                          */
    uint64_t bytes;    /* of its content, also where `text` leaves it out    */
    uint64_t turn;     /* from 1                                             */
    int64_t at_us;     /* since 1970; 0: not known                           */
    int missing;       /* its blob is missing or damaged, and `text` says so */
    uint64_t reserved[4];
} quire_part;

typedef quire_status (*quire_part_fn)(void *ctx, const quire_part *part,
                                      quire_error *err);

/* Read a conversation with its content, part by part. Missing blobs are
 * reported to `hooks` and in the part. Files from before December 2025 are
 * read too. `options` may be NULL.
 *
 * Owns: *part is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  not a conversation
 *   QUIRE_DAMAGED    not JSON
 *   QUIRE_INVALID    not an array of events, or a link
 *   QUIRE_TOO_LARGE  more than 1 GiB
 * Durable: reads only. */
quire_status quire_conversation_print(quire *q, const char *dir,
                                      const quire_print_options *options,
                                      const quire_check_hooks *hooks,
                                      quire_part_fn each, void *ctx,
                                      quire_error *err);

typedef struct quire_conversation_file {
    const char *path; /* absolute, or below the path the store was opened by */
    int blob;         /* a blob, not one of its own files                    */
    int missing;      /* a referenced blob that does not exist               */
    uint64_t reserved[4];
} quire_conversation_file;

typedef quire_status (*quire_conversation_file_fn)(
    void *ctx, const quire_conversation_file *file, quire_error *err);

/* List what version control has to add for a conversation: its own JSON files,
 * then each referenced blob once. Nothing is unpacked.
 *
 * Owns: *file is lent until `each` returns.
 * Fails: as quire_conversation_print()
 *   QUIRE_DAMAGED  not JSON: no list rather than an incomplete one
 * Durable: reads only. */
quire_status quire_conversation_files(quire *q, const char *dir,
                                      quire_conversation_file_fn each,
                                      void *ctx, quire_error *err);

/* Begin with QUIRE_CONVERSATION_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_conversation_options {
    size_t size;
    const char *title;  /* NULL: none, or that of the source                 */
    quire_bytes config; /* for base_config.json, a JSON object; .data NULL: an
                           empty one, or that of the source                  */
} quire_conversation_options;

/* clang-format off */
#define QUIRE_CONVERSATION_OPTIONS_INIT                                        \
    {sizeof(quire_conversation_options), NULL, {NULL, 0}}
/* clang-format on */

/* quire_conversation_create() makes a conversation without events in
 * `location`, a `.jp` or another directory that holds `conversations`, and
 * writes its path to `path`. Its id is the time in tenths of a second, or the
 * next one that is free. quire_conversation_fork() makes one with the events,
 * configuration and labels of another beside it; both refer to the same blobs.
 * JP sees a new conversation when it is complete.
 *
 * Owns: `path` is the caller's.
 * Fails: common. Nothing was created, except if `path` is too short.
 *   QUIRE_NOT_FOUND  no such location or conversation
 *   QUIRE_INVALID    the title is not UTF-8 or has more than 4096 bytes; the
 *                    configuration is not a JSON object; no events.json; the
 *                    path is longer than `cap`; a transaction is open
 *   QUIRE_DAMAGED    fork: events.json is not JSON
 *   QUIRE_BUSY       another process holds a lock
 * Durable: on return. */
quire_status
quire_conversation_create(quire *q, const char *location,
                          const quire_conversation_options *options, char *path,
                          size_t cap, quire_error *err);
quire_status quire_conversation_fork(quire *q, const char *dir,
                                     const quire_conversation_options *options,
                                     char *path, size_t cap, quire_error *err);

/* Append events to a conversation: a JSON object a line, each with a type, as
 * JP has them; one without a timestamp gets the present time. All of them are
 * appended or none. *n (may be NULL) is how many.
 *
 * Owns: nothing.
 * Fails: as quire_conversation_externalize()
 *   QUIRE_INVALID  a line is not an event; the message says which
 * Durable: on return. */
quire_status quire_conversation_append(quire *q, const char *dir,
                                       quire_bytes lines, uint64_t *n,
                                       quire_error *err);

/* Move a conversation into the `.archive` of its directory, or back, with the
 * time in its metadata, and write its new path to `path`.
 *
 * Owns: `path` is the caller's.
 * Fails: common
 *   QUIRE_NOT_FOUND  not a conversation
 *   QUIRE_INVALID    it is archived already, or is not, or is in the trash
 *   QUIRE_EXISTS     there is one of its name
 *   QUIRE_BUSY       JP holds its lock
 * Durable: on return. */
quire_status quire_conversation_archive(quire *q, const char *dir, char *path,
                                        size_t cap, quire_error *err);
quire_status quire_conversation_unarchive(quire *q, const char *dir, char *path,
                                          size_t cap, quire_error *err);

enum {
    QUIRE_CONVERSATION_REMOVE_DRY = 1 << 0, /* only list */
};

/* Remove a conversation for good, wherever it lies. Each of its files is first
 * passed to `each` (may be NULL). Its blobs stay until a collection.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  not a conversation
 *   QUIRE_BUSY       JP holds its lock
 *   QUIRE_IO         some of its files could not be removed; it is gone for
 *                    JP, and the next call here tries again
 * Durable: on return. */
quire_status quire_conversation_remove(quire *q, const char *dir,
                                       unsigned flags, quire_removal_fn each,
                                       void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
