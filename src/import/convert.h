/*
 * convert.h - the session file of another agent as entries of our format
 *
 * A converter reads one file of one agent, JSON Lines or one document, and emits entries of version 3
 * of the session format (docs/format.md), in an order in which every parent
 * stands before its children. It does no I/O: bytes come in, entries go out to
 * a sink.
 *
 *     struct import_converter *c;
 *
 *     import_converter_new(&import_claude_code, &sink, NULL, &c, err);
 *     while ((n = read(...)) > 0)
 *         import_converter_feed(c, bytes_of(buf, n), err);
 *     import_converter_save(c, &state, err);      // for when the file grows
 *     import_converter_finish(c, err);
 *     import_converter_free(c);
 *
 * What always holds:
 *
 *  (1) Entries depend on the bytes of the file alone, not on where they were
 *      cut for feed(), and not on the machine. A second import of the same
 *      bytes emits the same bytes.
 *  (2) Entries emitted before finish() are settled: no byte that follows in the
 *      file changes them. Those emitted by finish() are provisional: of a model
 *      answer that may continue, of a last line without a line break, of the
 *      marker of the leaf.
 *  (3) A file that grew continues from save(): restore the state, feed the
 *      bytes from import_converter_offset() on. Settled entries of both runs,
 *      then the provisional ones of the second, are what one run over the whole
 *      file emits. The provisional ones of the first run have to be removed
 *      first; most come again with the same bytes.
 *      The state is for an unchanged prefix: compare its hash before. A file
 *      that was rewritten is converted from its beginning, without a state.
 *  (4) Ids are unique, and derived from the original: a uuid of the record, or
 *      an id that our format could have, as it stands, else its place in the file ("b" and the offset in hex) or a
 *      hash of the agent's own id ("x" and 32 hex digits). Every parentId is
 *      the id of an entry emitted before, or null.
 *  (5) What has no place in the view is counted, by kind, and remains in the
 *      original. What cannot be read is reported with line and byte; reading
 *      continues behind it.
 *  (6) A file that is one JSON document (`whole`), of a format that has such
 *      files, is cut into the values of its list as it comes. All its entries are
 *      provisional, save() adds nothing, and such a file is always converted from
 *      its beginning. Values above 16 MiB (whole.h) are skipped and reported.
 *
 * Memory: the longest line and the entry made of it, about 40 bytes for each
 * record of the file, and up to HOLD_BYTES (hold.h) of entries that wait for the
 * end of a model answer.
 */
#ifndef IMPORT_CONVERT_H
#define IMPORT_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

/* ----------------------------------------------------------------- formats */

/* The format of one agent; agents.h has them. Converters of different formats
 * share nothing. */
struct import_format;

/* "codex" */
const char *import_format_name(const struct import_format *format);

/* Grows whenever the entries of the same file change: views made by a lower one
 * can be made again. */
unsigned import_format_version(const struct import_format *format);

/* -------------------------------------------------------------------- sink */

struct import_entry {
    quire_bytes json; /* one object on one line, without a line break       */
    quire_bytes id;
    uint64_t at;      /* in the original: where its (first) record begins   */
    bool provisional; /* see (2)                                            */
    bool inherited;   /* of another session whose records this file repeats */
    bool sidechain;   /* of a sub-agent whose records stand in this file     */
};

/* Content that need not stand in the entry itself. */
enum import_payload_kind {
    IMPORT_IMAGE,     /* string: base64 of an image or document             */
    IMPORT_IMAGE_URL, /* string: a data: URL                                */
    IMPORT_RESULT,    /* string: a text of a tool's result above 4 KiB      */
    IMPORT_TEXT,      /* string: a text of a message above 256 KiB          */
    IMPORT_OPAQUE,    /* string: a provider's encrypted or signed data above
                         4 KiB                                              */
    IMPORT_DATA,      /* any value: a record, kept as data, above 4 KiB     */
};

struct import_payload {
    enum import_payload_kind kind;
    quire_bytes json;      /* as it stands in the original, quotes and all  */
    quire_bytes mime_type; /* JSON string; .data NULL: unknown              */
    quire_bytes tool;      /* IMPORT_RESULT: JSON string, name of the tool  */
    quire_bytes entry_id;  /* the entry it belongs to                       */
};

/* One model answer was paid for. Tokens do not overlap. A provisional answer is
 * asked for again when the file has grown. */
struct import_usage {
    quire_bytes message_id, request_id; /* decoded; empty: unknown          */
    quire_bytes provider, model;
    int64_t at_ms;
    uint64_t input, output, cache_read;
    uint64_t cache_write_5m, cache_write_1h; /* unknown lifetime: 5m        */
};

struct import_cost { /* dollars */
    double input, output, cache_read, cache_write;
};

enum import_usage_answer {
    IMPORT_USAGE_PLAIN,   /* tokens, without a cost                         */
    IMPORT_USAGE_PRICED,  /* tokens, and the cost that was filled in        */
    IMPORT_USAGE_COUNTED, /* zeros: another file has it already             */
};

/* Something the session refers to. */
enum import_link_kind {
    IMPORT_SUBAGENT,    /* id of a sub-agent; `entry_id` is where it came in */
    IMPORT_TOOL_RESULT, /* path of a file with a tool's full result        */
    IMPORT_FILE_BACKUP, /* name of a copy that a rewind restores           */
    IMPORT_OTHER_SESSION, /* id of a session that a record mentions         */
    IMPORT_BLOB           /* hex digest of content that a record refers to with
                   "blob:sha256:"                                           */
};

struct import_link {
    enum import_link_kind kind;
    quire_bytes target;   /* decoded                                        */
    quire_bytes entry_id; /* empty: none                                    */
};

struct import_problem {
    uint64_t line; /* from 1                                                */
    uint64_t byte; /* in the file, from 0                                   */
    const char *kind;
    const char *message; /* lent until the callback returns                 */
};

/* All slices are lent until the callback returns. Every slot but `entry` may be
 * NULL. A status other than QUIRE_OK ends the call that led here with it, and
 * the converter can only be freed then. */
struct import_sink {
    void *ctx;

    quire_status (*entry)(void *ctx, const struct import_entry *entry,
                          quire_error *err);

    /* Add the JSON value to stand in the entry to `out`: of a string a string,
     * such as "blob:sha256:<hex>". Nothing added, or NULL: the payload stays
     * inline. Called before the entry, possibly again by a later run. */
    quire_status (*payload)(void *ctx, const struct import_payload *payload,
                            struct buf *out, quire_error *err);

    quire_status (*link)(void *ctx, const struct import_link *link,
                         quire_error *err);

    enum import_usage_answer (*usage)(void *ctx, const struct import_usage *u,
                                      struct import_cost *cost);

    void (*problem)(void *ctx, const struct import_problem *problem);
};

/* ------------------------------------------------------------------- facts */

/* What the file says about its session, decoded; NULL: it does not. */
struct import_facts {
    const char *session; /* the agent's own id                              */
    const char *agent;   /* of a sub-agent's file: its id                   */
    const char *cwd;     /* where it began, or was moved to                 */
    const char *title;   /* the best so far; NULL: none, use `prompt`       */
    const char *prompt;  /* the first text a person typed, at most 200 bytes */
    const char *created; /* timestamp of the first record that has one      */
    const char *updated; /* of the last                                     */
    const char *model;   /* of the last answer                              */
    const char *parent;  /* the session it was forked from, or that started it
                            as a sub-agent                                  */
    const char *version; /* of the agent                                    */
    const char *branch;  /* of git                                          */
    const char *leaf;    /* id of the entry where the agent would continue  */

    /* Codex's `history_base`: the records of thread `base` before that offset
     * belong in front. */
    const char *base;
    uint64_t base_offset;

    uint64_t n_records, n_messages; /* since new() or restore()             */
};

/* --------------------------------------------------------------- converter */

struct import_options {
    size_t max_line;  /* longer lines are skipped and reported; 0: 256 MiB   */
    uint64_t seed[2]; /* for hash tables; a random number, or 0              */
    bool whole;       /* one JSON document, not lines: see (6)               */
};

struct import_converter;

/* `options` may be NULL. The sink is copied.
 *
 * Owns: *out is the caller's until import_converter_free(); NULL on failure.
 * Fails: QUIRE_NO_MEMORY */
quire_status import_converter_new(const struct import_format *format,
                                  const struct import_sink *sink,
                                  const struct import_options *options,
                                  struct import_converter **out,
                                  quire_error *err);
void import_converter_free(struct import_converter *c);

/* Take the next bytes, in pieces of any size.
 *
 * Fails: QUIRE_NO_MEMORY; what a callback returned */
quire_status import_converter_feed(struct import_converter *c,
                                   quire_bytes bytes, quire_error *err);

/* The offset behind the last complete line: where the state of save() goes on. */
uint64_t import_converter_offset(const struct import_converter *c);

/* Add the state to `out`. Before finish(). It is for the same build of Quire:
 * restore() refuses the state of another version of the converter.
 *
 * Fails: QUIRE_NO_MEMORY */
quire_status import_converter_save(const struct import_converter *c,
                                   struct buf *out, quire_error *err);

/* Continue from a state. The next byte to feed is import_converter_offset().
 *
 * Fails: QUIRE_NO_MEMORY
 *   QUIRE_DAMAGED  not a state of this format and version: convert the file
 *                  from its beginning */
quire_status import_converter_restore(const struct import_format *format,
                                      const struct import_sink *sink,
                                      const struct import_options *options,
                                      quire_bytes state,
                                      struct import_converter **out,
                                      quire_error *err);

/* The file ends here: emit what was held back. Afterwards only facts, counts and
 * free may be called.
 *
 * Fails: as feed() */
quire_status import_converter_finish(struct import_converter *c,
                                     quire_error *err);

/* Owns: text is lent until the next call with `c`. */
void import_converter_facts(const struct import_converter *c,
                            struct import_facts *facts);

/* Counts since new() or restore(), in the order of their first occurrence.
 * Names: "kept <kind>" records that are in the original only, "unknown <kind>"
 * records of a kind that the converter does not know (emitted as custom
 * entries), "field <kind>.<field>" members that it does not know, "block <type>"
 * unknown blocks of a message, "repeated <kind>" what another record says too.
 */
void import_converter_counts(const struct import_converter *c,
                             void (*each)(void *ctx, const char *name,
                                          uint64_t n),
                             void *ctx);

/* ----------------------------------------------------------- a second file */

/* A session whose history begins in another file (`base` of the facts): before
 * the session's own bytes, feed those of the other file up to the offset, after
 * import_converter_begin_base(); then import_converter_end_base(). Entries of
 * that part are marked inherited, their usage is zero, and ids made of offsets
 * begin with "p". Several files may follow each other, oldest first. */
void import_converter_begin_base(struct import_converter *c);
quire_status import_converter_end_base(struct import_converter *c,
                                       quire_error *err);

#endif
