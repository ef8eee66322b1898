/*
 * jp.h - externalize and read JP's conversations
 *
 * A conversation is a directory of JSON files that another program owns. Its events.json is large because of content: tool results and attachments.
 * Externalizing moves each such payload into a blob and leaves
 *
 *     {"$blob": "<64 hex>", "size": 1234}
 *
 * in its place, or for all that a tool answered a text block with that; hydrating restores it in the form that JP reads today.
 *
 *     payload.c       where payloads are in a text, and in which form
 *     bare.c          which bare strings are base64
 *     spell.c         formats the replacement in the style of the file
 *     externalize.c   payloads to blobs
 *     hydrate.c       blobs to payloads
 *     render.c        a conversation to be read
 *     event_text.c    the texts that can be searched for
 *     tool_names.c    which call used which tool
 *     layout.c        finds conversations
 *     locate.c        finds them by id
 *     file.c          their files: read whole, replaced whole
 *     create.c        a new one
 *     append.c        events at its end
 *     relocate.c      archive, remove
 *     describe.c      a line about each
 *
 * Always true:
 *
 *   (1) Outside the payloads every byte stays: order, spelling, white space,
 *       what we do not know. A text without anything to do is not written.
 *   (2) A blob is durable before the file that refers to it is, and no collection
 *       runs between the two.
 *   (3) A file is replaced whole, by one rename, and only if it is still what
 *       was read.
 *   (4) What is not plainly a payload is not touched: it is reported as a problem.
 */
#ifndef JP_JP_H
#define JP_JP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "blob/blob.h"
#include "quire.h"
#include "store/store.h"

/* Maximum size of a file, before and after. */
#define CONVERSATION_MAX ((size_t)1 << 30)

/* ---- texts -------------------------------------------------------------- */

/* Receives problems. `each` may be NULL; `where` is the name of the text. */
struct problem_sink {
    quire_status (*each)(void *ctx, const quire_problem *problem,
                         quire_error *err);
    void *ctx;
    const char *where;
    uint64_t n; /* so far */

    /* Private: up to where lines have been counted. A file may have a million problems: counting starts at the last one. */
    size_t at, line, line_start;
};

struct moved {
    uint64_t payloads; /* moved                     */
    uint64_t blobs;    /* that were not there before */
    uint64_t bytes;    /* of content                */
};

/* That `text` is an array of events. QUIRE_DAMAGED if it is not JSON, with line
 * and byte; QUIRE_INVALID if it is something else. A byte order mark in front is passed over: *json is what follows. */
quire_status events_check(quire_bytes text, const char *where,
                          quire_bytes *json, quire_error *err);

/* Add `text` with its payloads moved to `blobs` to `out`; nothing is added, and
 * *changed is false, if there are none. Blobs are put one by one: a batch is
 * the caller's. */
quire_status externalize_text(quire_bytes text, struct blob_view blobs,
                              struct problem_sink *sink, struct moved *moved,
                              struct buf *out, bool *changed, quire_error *err);

/* How many payloads there are to move, at most. */
quire_status externalize_count(quire_bytes text, const char *where, uint64_t *n,
                               quire_error *err);

/* Replace references by content. QUIRE_DAMAGED, after all problems were
 * reported, if a blob is missing or damaged; QUIRE_TOO_LARGE. */
quire_status hydrate_text(quire_bytes text, struct blob_view blobs,
                          struct problem_sink *sink, struct moved *moved,
                          struct buf *out, bool *changed, quire_error *err);

/* Every blob that the text refers to by a "$blob" at any depth, also in unknown
 * events, once per reference. */
typedef quire_status (*reference_fn)(void *ctx, const quire_digest *digest,
                                     quire_error *err);
quire_status references_each(quire_bytes text, reference_fn each, void *ctx,
                             quire_error *err);

/* Whether a bare string that a tool answered is base64, which adds what it
 * spells to `raw`, or is the answer itself. */
bool bare_is_base64(quire_bytes text, struct buf *raw);

/* ---- places ------------------------------------------------------------- */

/* One conversation. Text is in the arena that was given. */
struct place_info {
    const char *path; /* of its directory, absolute                   */
    const char *name; /* the last component of that                   */
    const char *id;   /* "jp-c17780000011"                            */
    const char *file; /* "events.json", "messages.json", or ""        */
    quire_conversation_state state;
};

typedef quire_status (*place_fn)(void *ctx, const struct place_info *place,
                                 quire_error *err);

/* Each conversation that `dir` means: one itself, one of its files, or whatever
 * holds some; by state, then by name. QUIRE_NOT_FOUND with a message: none. */
quire_status layout_each(const char *dir, place_fn each, void *ctx,
                         quire_error *err);

/* The one that `dir` means. QUIRE_INVALID: it holds several. */
quire_status layout_one(const char *dir, struct arena *keep,
                        struct place_info *out, quire_error *err);

/* The directory that holds `conversations/`, of what `dir` means.
 * QUIRE_NOT_FOUND with a message: it is in none. */
quire_status layout_location(const char *dir, struct arena *keep,
                             const char **location, quire_error *err);

/* Where JP keeps the conversations of the workspace around the working
 * directory; NULL: there is no such place. */
struct locations {
    const char *shared; /* the nearest .jp upwards  */
    const char *local;  /* JP's private one for it   */
};
quire_status locations_find(struct arena *keep, struct locations *out,
                            quire_error *err);

/* JP's private location for the one of a workspace; NULL: there is none. */
quire_status location_private(const char *shared, struct arena *keep,
                              const char **out, quire_error *err);

/* The path that `name` means: itself, or those of the conversation with that id
 * or a unique beginning of it, the shared location's first. QUIRE_NOT_FOUND,
 * QUIRE_INVALID (of several): with a message. */
quire_status locate_each(const char *name, quire_text_fn each, void *ctx,
                         quire_error *err);

/* ---- files -------------------------------------------------------------- */

/* A file that was read whole; {0} before. */
struct jp_file {
    struct store *store; /* owned: its directory             */
    const char *name;
    char where[512]; /* its path, for messages            */
    struct buf text;
    struct object_info info; /* as it was when it was read    */
    int locks[4];            /* JP's: a descriptor + 1, or 0  */
};

/* Read `place`'s file called `name`. To be released also on failure.
 * QUIRE_NOT_FOUND, QUIRE_INVALID (a link, not a file), QUIRE_TOO_LARGE: with a message. */
quire_status jp_file_open(struct jp_file *f, const struct place_info *place,
                          const char *name, bool write, quire_error *err);
void jp_file_release(struct jp_file *f);

/* Take JP's own lock of the conversation, if there is such a file, before
 * reading. QUIRE_BUSY after `wait_ms`. */
quire_status jp_file_lock(struct jp_file *f, const struct place_info *place,
                          int wait_ms, quire_error *err);

/* Replace it by `text`, atomically and durably, keeping mode and owner.
 * QUIRE_CHANGED if the file is no longer the one that was read. */
quire_status jp_file_replace(struct jp_file *f, quire_bytes text,
                             quire_error *err);

/* ---- whole conversations ------------------------------------------------ */

struct new_conversation {
    const char *title;  /* "": none                             */
    quire_bytes labels; /* of metadata.json, JSON; NULL: none   */
    quire_bytes config; /* base_config.json; NULL: there is none */
    quire_bytes events; /* events.json                          */
};

/* Create one in a location, under the next free id. *path is in `keep`. */
quire_status conversation_create(const char *location,
                                 const struct new_conversation *n, int wait_ms,
                                 struct arena *keep, const char **path,
                                 quire_error *err);

/* Move it into the archive, or `back`. QUIRE_INVALID: it is there already;
 * QUIRE_EXISTS: another one is. *path is the new one, in `keep`. */
quire_status conversation_archive(const struct place_info *place, bool back,
                                  int wait_ms, struct arena *keep,
                                  const char **path, quire_error *err);

/* Remove it. Before that `each` (may be NULL) gets its files; with `dry` that is
 * all. */
quire_status conversation_remove(const struct place_info *place, bool dry,
                                 int wait_ms, quire_removal_fn each, void *ctx,
                                 quire_error *err);

/* Add `text` with the events of `lines`, JSON objects, one a line, appended to
 * `out`. QUIRE_INVALID: a line is not an event. */
quire_status append_text(quire_bytes text, const char *where, quire_bytes lines,
                         struct buf *out, uint64_t *n, quire_error *err);

/* ---- to be read --------------------------------------------------------- */

/* Fill title, events, time and problem of `out`; text in `keep`. Opens no blob.
 * A file that cannot be read is reported in `problem`. */
quire_status describe_place(const struct place_info *place, struct arena *keep,
                            quire_conversation *out, quire_error *err);

/* Each part of events.json (or, `legacy`, messages.json), with its content. */
quire_status render_text(quire_bytes text, bool legacy, struct blob_view blobs,
                         const quire_print_options *options,
                         struct problem_sink *sink, quire_part_fn each,
                         void *ctx, quire_error *err);

#endif
