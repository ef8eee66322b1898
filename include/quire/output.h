/*
 * quire/output.h - outputs of tools and reports of sub-agents
 *
 * A sink takes the output of a tool: it returns the part to be shown, and
 * stores the whole in a file of the session when that is more. An address
 * reads it back.
 *
 * Outputs lie in a directory beside the session file, with its name: those of
 * tools as <n>.<tool>.log, addressed artifact://<n>; reports of sub-agents as
 * <id>.md, addressed agent://<id>. They are copied, moved and deleted with the
 * session.
 */
#ifndef QUIRE_OUTPUT_H
#define QUIRE_OUTPUT_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* The outputs of one session. One thread at a time uses it and its sinks, which
 * need not be the thread of the store's handle. */
typedef struct quire_outputs quire_outputs;

/* Open the outputs of a session, named as for quire_session_open(). NULL: of no
 * session; they go to a directory for temporary files, $TMPDIR/quire-<uid>, or
 * to the tenant's own directory. The directory is created by the first write.
 *
 * Owns: *out is the caller's until quire_outputs_close(); NULL on failure. `q`
 *   stays open as long.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 *   QUIRE_INVALID    ambiguous prefix, or not a file
 * Durable: reads only. */
quire_status quire_outputs_open(quire *q, const char *session,
                                quire_outputs **out, quire_error *err);

/* Close it; NULL does nothing.
 *
 * Owns: frees `o`; free its sinks before.
 * Fails: never.
 * Durable: no change. */
void quire_outputs_close(quire_outputs *o);

/* Return the directory, which may not exist yet, and whether it is the one for
 * temporary files.
 *
 * Owns: the path is lent until a call with `o` that writes, or its close.
 * Fails: never.
 * Durable: reads only. */
const char *quire_outputs_dir(const quire_outputs *o);
int quire_outputs_temporary(const quire_outputs *o);

typedef struct quire_output {
    const char *address; /* "artifact://3", "agent://0-Scout"               */
    const char *id;      /* "3", "0-Scout"                                  */
    const char *tool;    /* "bash"; of a report ""                          */
    const char *path;
    uint64_t bytes;
    int64_t modified_us;
    uint64_t reserved[4];
} quire_output;

typedef quire_status (*quire_output_fn)(void *ctx, const quire_output *output,
                                        quire_error *err);

/* List all outputs: those of tools by number, then reports by id.
 *
 * Owns: *output is lent until `each` returns.
 * Fails: common
 *   QUIRE_IO  another user can write to the directory for temporary files
 * Durable: reads only. */
quire_status quire_outputs_list(quire_outputs *o, quire_output_fn each,
                                void *ctx, quire_error *err);

/* Remove an output, by its address: artifact://3, or agent://0-Scout with the JSON
 * beside it; reports below it stay. Its number is not given again.
 *
 * Owns: text is read during the call.
 * Fails: common
 *   QUIRE_INVALID    not the address of an output
 *   QUIRE_NOT_FOUND  no such output; or the session was deleted meanwhile
 *   QUIRE_BUSY       another writer holds the directory for too long
 * Durable: on return. */
quire_status quire_output_remove(quire_outputs *o, const char *address,
                                 quire_error *err);

/* Begin with QUIRE_SINK_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_sink_options {
    size_t size;
    const char *tool;   /* the tool; sanitized for a file name. NULL: "tool" */
    uint64_t threshold; /* up to this many bytes are shown whole, and of longer
                           output only so many: 50 KiB. At most 1 GiB       */
    uint64_t head;      /* of these, so many from the beginning, at most half;
                           the rest is the end. 0: the end alone            */
    uint64_t columns;   /* bytes shown of a line; 0: all                    */
} quire_sink_options;

#define QUIRE_SINK_OPTIONS_INIT                       \
    {                                                 \
        sizeof(quire_sink_options), NULL, 51200, 0, 0 \
    }

/* A stream on its way into a session. */
typedef struct quire_sink quire_sink;

/* Open a sink. Its memory is bounded: the parts to be shown and less than a
 * mebibyte. `o` NULL: store no file. `options` may be NULL.
 *
 * Owns: *out is the caller's until quire_sink_free(); NULL on failure.
 * Fails:
 *   QUIRE_INVALID    `threshold` is above 1 GiB, or the handle is read-only
 *   QUIRE_NO_MEMORY  allocation failed
 * Durable: nothing. */
quire_status quire_sink_open(quire_outputs *o,
                             const quire_sink_options *options,
                             quire_sink **out, quire_error *err);

/* Take the next bytes, in pieces of any size; the result does not depend on
 * where they were cut. Escape sequences and control characters are removed,
 * CRLF and CR become a newline, invalid UTF-8 becomes U+FFFD.
 *
 * Owns: bytes are copied.
 * Fails: never; quire_sink_finish() reports problems with the file.
 * Durable: nothing before quire_sink_finish(). */
void quire_sink_write(quire_sink *sink, quire_bytes bytes);

typedef struct quire_sink_result {
    quire_bytes output; /* what to show: a beginning, a line that names what is
                           left out, and the end                            */
    int truncated;      /* something is left out                            */
    uint64_t total_lines, total_bytes;   /* of the whole, sanitized         */
    uint64_t output_lines, output_bytes; /* of `output`                     */
    uint64_t elided_lines, elided_bytes; /* between beginning and end, lines
                                            cut by `columns` not counted    */
    uint64_t capped_lines, capped_bytes; /* lines cut by `columns`, and what
                                            they lost                       */
    int ends_in_line; /* the last line has no newline                       */
    const char *id;   /* its number, "3"; NULL: there is no file            */
    const char *path; /* of the file                                        */
    quire_error problem; /* .status is not QUIRE_OK: the whole could not be
                            stored, and why                                 */
    uint64_t secrets; /* found in the whole: quire/secrets.h                */
    uint64_t reserved[3];
} quire_sink_result;

/* End the stream. If it was too long to be shown, the whole is stored in a file
 * under a number of its own. Call it once; write nothing afterwards.
 *
 * Owns: the result is lent until quire_sink_free().
 * Fails: reports in result->problem; `output` is valid in any case.
 *   QUIRE_IO, QUIRE_BUSY, QUIRE_NO_MEMORY  the file could not be written
 *   QUIRE_NOT_FOUND                        the session was deleted meanwhile
 * Durable: the file, on return. */
void quire_sink_finish(quire_sink *sink, quire_sink_result *result);

/* Free a sink; NULL does nothing. A stream that was not finished leaves no
 * file.
 *
 * Owns: frees `sink` and its result.
 * Fails: never.
 * Durable: no change. */
void quire_sink_free(quire_sink *sink);

/* Store a sub-agent's report, byte for byte, as <index>-<name>.md with the next
 * index of the session, or of `parent`, the id of another report (NULL: none).
 * `name` is sanitized for a file name. An existing report is never replaced.
 *
 * Owns: *out is lent until the next call with `o`.
 * Fails: common
 *   QUIRE_INVALID    `parent` is not an id, or too long
 *   QUIRE_NOT_FOUND  the session was deleted meanwhile
 *   QUIRE_BUSY       another writer holds the directory for too long
 * Durable: on return. */
quire_status quire_report_put(quire_outputs *o, const char *name,
                              const char *parent, quire_read_fn read, void *ctx,
                              quire_output *out, quire_error *err);

enum {
    QUIRE_READ_JSON = 1 << 0, /* a value of a report as JSON, strings too    */
};

/* Which lines: the fields apply in this order. Begin with
 * QUIRE_READ_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_read_options {
    size_t size;
    uint64_t offset;  /* from this line on, counting from 1; 0: the first   */
    const char *grep; /* of these the lines this expression (PCRE2) matches, in
                         their first mebibyte; NULL: all                    */
    uint64_t limit;   /* of these the first; 0: all                         */
    uint64_t tail;    /* of these the last; 0: all                          */
    int ignore_case;  /* for `grep`                                         */
    unsigned flags;
} quire_read_options;

#define QUIRE_READ_OPTIONS_INIT                          \
    {                                                    \
        sizeof(quire_read_options), 0, NULL, 0, 0, 0, 0u \
    }

/* A line, or a piece of a very long one; no character is split. */
typedef struct quire_line {
    uint64_t number;  /* from 1; 0: a value, not a line                     */
    quire_bytes text; /* with its newline, if it has one                    */
    int begins, ends; /* both true unless it comes in pieces                */
} quire_line;

typedef quire_status (*quire_line_fn)(void *ctx, const quire_line *line,
                                      quire_error *err);

/* Read what an address names: "artifact://3", "agent://0-Scout", a value of a
 * report that is JSON ("agent://0-Scout/items/0", "agent://0-Scout?q=.items"),
 * "blob:sha256:<hex>". `o` are the outputs to search; NULL: none. `options`
 * may be NULL.
 *
 * A value comes as one line with number 0: a string as its text, another value
 * indented, "null" if there is none. Line options do not apply to it.
 *
 * Owns: *line is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID    not an address, expression or combination of options; an
 *                    output's address and `o` is NULL
 *   QUIRE_NOT_FOUND  no such output or blob (the message names those that
 *                    exist); no line matches; a value of a report that is not
 *                    JSON
 *   QUIRE_DAMAGED    a blob does not match its digest
 *   QUIRE_NO_MEMORY  a value of a report above 256 MiB
 * Durable: reads only. */
quire_status quire_read(quire *q, quire_outputs *o, const char *address,
                        const quire_read_options *options, quire_line_fn each,
                        void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
