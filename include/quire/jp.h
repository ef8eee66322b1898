/* quire/jp.h - JP's conversations */
#ifndef QUIRE_JP_H
#define QUIRE_JP_H

#include "quire/check.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* JP's conversations: directories with an events.json, which these functions
 * read and write in place. Content lies in a blob store of its own beside each
 * `conversations/`, so the handle is opened on that directory alone:
 *
 *     quire_conversation_store(dir, path, sizeof path, &err);
 *     options.blobs = path;
 *     options.layout = QUIRE_LAYOUT_LOOSE;
 *     quire_open(&options, &q, &err);
 *
 * `dir` is the directory of a conversation, or a file in it. */

typedef enum quire_conversation_state {
    QUIRE_CONVERSATION_ACTIVE = 0,
    QUIRE_CONVERSATION_ARCHIVED, /* in .archive/ */
    QUIRE_CONVERSATION_TRASHED,  /* in .trash/   */
} quire_conversation_state;

/* One conversation. Text is on loan until the callback returns. */
typedef struct quire_conversation {
    const char *path; /* of its directory, absolute, without links           */
    const char *id;   /* "jp-c17780000011"                                   */
    const char *file; /* where its events are: "events.json"; "messages.json"
                         before December 2025; "": it has none               */
    quire_conversation_state state;
    const char *title;   /* "": none                                         */
    uint64_t events;     /* without those that are configuration             */
    int64_t last_us;     /* when the last one was, since 1970; 0: not known  */
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

/* Each conversation in `dir`: a `.jp`, what holds one, a `conversations`
 * directory, one conversation or a file of it. Active ones come first, then
 * archived and trashed ones, each by name. Needs no store.
 *
 * QUIRE_NOT_FOUND  `dir` is not there, or is nothing of these */
quire_status quire_conversation_list(const char *dir, unsigned flags,
                                     quire_conversation_fn each, void *ctx,
                                     quire_error *err);

/* The blobs directory that belongs to what is in `dir`, as a path into `out`.
 * It need not be there.
 *
 * QUIRE_NOT_FOUND  `dir` does not lie in a directory called `conversations` */
quire_status quire_conversation_store(const char *dir, char *out, size_t cap,
                                      quire_error *err);

/* What became of a conversation. */
typedef struct quire_moved {
    uint64_t payloads; /* that were moved                                    */
    uint64_t blobs;    /* of those, that the store did not have              */
    uint64_t bytes;    /* of their content                                   */
    uint64_t problems; /* told to the hooks                                  */
    int changed;       /* the file was written                               */
    uint64_t reserved[4];
} quire_moved;

/* Move every payload of a conversation into the store and leave references:
 * {"$blob": "<64 hex>", "size": n}. All else in the file stays, byte for byte;
 * a file with nothing to move is not written. What is no reference and no
 * payload either (two forms at once, digits that are none, a size that is
 * wrong) stays and is told to `hooks`, which may be NULL; their progress is
 * not called. `moved` may be NULL.
 *
 * After QUIRE_OK all of it survives a power cut; after anything else the file
 * is as it was, or, if only the last wait for the disk failed, complete. Blobs
 * may be there that nothing refers to.
 *
 * QUIRE_DAMAGED    it is not JSON; the words say where
 * QUIRE_INVALID    not an array of events, a link, an older form than
 *                  events.json
 * QUIRE_BUSY       JP is working on it
 * QUIRE_CHANGED    somebody wrote to it meanwhile: try again
 * QUIRE_TOO_LARGE  more than 1 GiB */
quire_status quire_conversation_externalize(quire *q, const char *dir,
                                            const quire_check_hooks *hooks,
                                            quire_moved *moved,
                                            quire_error *err);

/* The way back, to the form that JP reads today. With `write` the text goes
 * there, whole, and the file stays; else the file is replaced as above.
 *
 * QUIRE_DAMAGED  blobs are missing or damaged, and have been told to `hooks`;
 *                nothing was written */
quire_status quire_conversation_hydrate(quire *q, const char *dir,
                                        quire_write_fn write, void *ctx,
                                        const quire_check_hooks *hooks,
                                        quire_moved *moved, quire_error *err);

typedef enum quire_print_style {
    QUIRE_PRINT_FULL = 0, /* all of it                                       */
    QUIRE_PRINT_BRIEF,    /* tools by name and size, without content         */
    QUIRE_PRINT_CHAT,     /* what people and models said                     */
    QUIRE_PRINT_USER,     /* what people said                                */
} quire_print_style;

/* Set `size` with QUIRE_PRINT_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_print_options {
    size_t size;
    quire_print_style style;
    uint64_t first; /* the turns from this one, which count from 1           */
    uint64_t last;  /* to this one; 0: to the end                            */
    uint64_t tail;  /* not 0: the last so many turns instead                 */
} quire_print_options;

#define QUIRE_PRINT_OPTIONS_INIT                               \
    {                                                          \
        sizeof(quire_print_options), QUIRE_PRINT_FULL, 1, 0, 0 \
    }

/* A part of a conversation. On loan until the callback returns. */
typedef struct quire_part {
    const char *kind;  /* "user", "assistant", "reasoning", "data", "call",
                         "result", "error", "resource", "question", "answer",
                         "compaction"                                        */
    quire_bytes label; /* of a tool, its name; of a resource, its URI; who
                          asks; may be empty                                 */
    quire_bytes text;  /* what it says; any bytes                            */
    uint64_t
        bytes;     /* of its content, also where that is not quote_text       */
    uint64_t turn; /* from 1                                             */
    int64_t at_us; /* since 1970; 0: not known                           */
    int missing;   /* its blob is missing or damaged: `text` says so     */
    uint64_t reserved[4];
} quire_part;

typedef quire_status (*quire_part_fn)(void *ctx, const quire_part *part,
                                      quire_error *err);

/* Read a conversation, with its real content, part by part. What is missing is
 * told to `hooks` (may be NULL) and in the part. Files of before December 2025
 * are read too. `options` may be NULL. */
quire_status quire_conversation_print(quire *q, const char *dir,
                                      const quire_print_options *options,
                                      const quire_check_hooks *hooks,
                                      quire_part_fn each, void *ctx,
                                      quire_error *err);

/* A file that belongs to a conversation. On loan until the callback returns. */
typedef struct quire_conversation_file {
    const char *path; /* absolute, or below the path the store was opened by */
    int blob;         /* a blob, not one of its own files                    */
    int missing;      /* the blob is referred to and is not there            */
    uint64_t reserved[4];
} quire_conversation_file;

typedef quire_status (*quire_conversation_file_fn)(
    void *ctx, const quire_conversation_file *file, quire_error *err);

/* What version control has to add for a conversation: its own JSON files, then
 * each blob it refers to, once. Nothing is unpacked. */
quire_status quire_conversation_files(quire *q, const char *dir,
                                      quire_conversation_file_fn each,
                                      void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
