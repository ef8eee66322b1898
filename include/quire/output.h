/* quire/output.h - what tools and sub-agents wrote */
#ifndef QUIRE_OUTPUT_H
#define QUIRE_OUTPUT_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * What a tool printed or a sub-agent reported is often more than anyone wants
 * to see at once. A sink keeps its end to be quote_text, and the whole in a file of
 * the session when that is more; an address finds it again.
 *
 * Outputs lie in a directory beside the session file, with its name: tools'
 * as <n>.<tool>.log, artifact://<n>; sub-agents' as <id>.md, agent://<id>. They
 * are copied, moved and deleted with the session.
 */

/* The outputs of one session. Use it, and the sinks opened with it, from one
 * thread at a time; which need not be that of the store's handle. */
typedef struct quire_outputs quire_outputs;

/* Open the outputs of the session that `session` names, as
 * quire_session_open() has it. NULL: of no session; then they lie in a
 * directory of the user's own for temporary files, $TMPDIR/quire-<uid>. The
 * store must stay open as long.
 *
 * QUIRE_NOT_FOUND, QUIRE_INVALID as for quire_session_open()
 * QUIRE_IO  the temporary directory is not the user's own */
quire_status quire_outputs_open(quire *q, const char *session,
                                quire_outputs **out, quire_error *err);

/* Close it, after its sinks; NULL is fine. */
void quire_outputs_close(quire_outputs *o);

/* The directory they lie in, which may not be there yet, and whether it is the
 * temporary one. */
const char *quire_outputs_dir(const quire_outputs *o);
int quire_outputs_temporary(const quire_outputs *o);

/* One output. */
typedef struct quire_output {
    const char *address; /* "artifact://3", "agent://0-Scout"               */
    const char *id;      /* "3", "0-Scout"                                  */
    const char *tool;    /* "bash"; of a report "" */
    const char *path;
    uint64_t bytes;
    int64_t modified_us;
    uint64_t reserved[4];
} quire_output;

typedef quire_status (*quire_output_fn)(void *ctx, const quire_output *output,
                                        quire_error *err);

/* Every output: those of tools by number, then reports by id. */
quire_status quire_outputs_list(quire_outputs *o, quire_output_fn each,
                                void *ctx, quire_error *err);

/* Set `size` with QUIRE_SINK_OPTIONS_INIT; fields are only ever added. */
typedef struct quire_sink_options {
    size_t size;
    const char *tool;   /* who prints; cleaned for a file name. NULL: "tool" */
    uint64_t threshold; /* up to so many bytes are quote_text whole, and of more
                           only so many: 50 KiB. At most 1 GiB              */
    uint64_t head;      /* of these, so many from the beginning, but not more
                           than half; the rest is the end. 0: the end alone */
    uint64_t columns;   /* show so many bytes of a line; 0: all             */
} quire_sink_options;

#define QUIRE_SINK_OPTIONS_INIT                       \
    {                                                 \
        sizeof(quire_sink_options), NULL, 51200, 0, 0 \
    }

/* A stream on its way into a session. */
typedef struct quire_sink quire_sink;

/* Open a sink. Its memory does not depend on what comes: both windows and less
 * than a mebibyte. `o` NULL: keep no file. `options` may be NULL.
 *
 * QUIRE_INVALID    more than 1 GiB is to be quote_text, or `o` is read only
 * QUIRE_NO_MEMORY */
quire_status quire_sink_open(quire_outputs *o,
                             const quire_sink_options *options,
                             quire_sink **out, quire_error *err);

/* The next bytes, in pieces of any size; what comes of them does not depend on
 * where they were cut. Escape sequences and control characters are left out,
 * CRLF and CR become a newline, and what is not UTF-8 becomes U+FFFD. Nothing
 * can fail here: what goes wrong with the file the result tells. */
void quire_sink_write(quire_sink *sink, quire_bytes bytes);

typedef struct quire_sink_result {
    quire_bytes output; /* what there is to show: a beginning, a line that says
                           how much is missing, and the end; on loan until the
                           sink is freed                                    */
    int truncated;      /* it is not everything                             */
    uint64_t total_lines, total_bytes;   /* of all that came, cleaned       */
    uint64_t output_lines, output_bytes; /* of `output`                     */
    uint64_t elided_lines, elided_bytes; /* between beginning and end; of
                                            lines not cut by `columns`      */
    uint64_t capped_lines, capped_bytes; /* lines that were cut, what they
                                            lost                            */
    int ends_in_line; /* the last line of all has no newline                */
    const char *id;   /* its number, "3"; NULL: there is no file            */
    const char *path; /* of the file                                        */
    quire_error problem; /* .status is not QUIRE_OK: the whole could not be
                            kept, and why                                   */
    uint64_t reserved[4];
} quire_sink_result;

/* The end of the stream. If it was too long to be quote_text, all of it is in a
 * file now, under a number nobody else has, and survives a power cut (where
 * its file system does); or result->problem says why not. Call it once; write nothing afterwards. */
void quire_sink_finish(quire_sink *sink, quire_sink_result *result);

/* Free it; NULL is fine. A stream that was not finished leaves nothing. */
void quire_sink_free(quire_sink *sink);

/* Keep a sub-agent's report, byte for byte, as <index>-<name>.md, the next
 * index of the session, or of `parent`, the id of another report, whether that
 * is finished or not (NULL: none). `name` is cleaned for a file name. *out is
 * on loan until the next call with `o`. After QUIRE_OK it survives a power
 * cut; a report that is there is never replaced.
 *
 * QUIRE_INVALID    `parent` is no id, or too long
 * QUIRE_NOT_FOUND  the session has been deleted meanwhile
 * QUIRE_BUSY       somebody else does not come to an end with their number */
quire_status quire_report_put(quire_outputs *o, const char *name,
                              const char *parent, quire_read_fn read, void *ctx,
                              quire_output *out, quire_error *err);

/* ------------------------------------------------------------------ reading */

enum {
    QUIRE_READ_JSON = 1 << 0, /* a value out of a report as JSON, also if it is
                                 a string                                   */
};

/* Which lines: in this order. Set `size` with QUIRE_READ_OPTIONS_INIT. */
typedef struct quire_read_options {
    size_t size;
    uint64_t offset;  /* from this line on, counting from 1; 0: the first   */
    const char *grep; /* of these the ones this expression (PCRE2) is found
                         in, if they are very long in their first mebibyte;
                         NULL: all                                          */
    uint64_t limit;   /* of these the first; 0: all                         */
    uint64_t tail;    /* of these the last; 0: all                          */
    int ignore_case;  /* for `grep`                                         */
    unsigned flags;
} quire_read_options;

#define QUIRE_READ_OPTIONS_INIT                          \
    {                                                    \
        sizeof(quire_read_options), 0, NULL, 0, 0, 0, 0u \
    }

/* A line, or a piece of one that is very long: no character is split. */
typedef struct quire_line {
    uint64_t number;  /* from 1; 0: a value, not a line                     */
    quire_bytes text; /* with its newline, where it has one                 */
    int begins, ends; /* both true unless it comes in pieces                */
} quire_line;

typedef quire_status (*quire_line_fn)(void *ctx, const quire_line *line,
                                      quire_error *err);

/* What an address leads to: "artifact://3", "agent://0-Scout", a value of a
 * report that is JSON ("agent://0-Scout/items/0", "agent://0-Scout?q=.items"),
 * "blob:sha256:<hex>". `o` is where outputs are looked for; NULL: nowhere.
 * `options` may be NULL.
 *
 * A value comes as one line of number 0: a string as its text, another value
 * indented, "null" if there is none; no options choose lines of it, and the
 * report has at most 256 MiB (else QUIRE_NO_MEMORY).
 *
 * QUIRE_INVALID    no such address, expression or combination
 * QUIRE_NOT_FOUND  there is none, and the error names those there are; or no
 *                  line is as asked for; or a value is asked for and the
 *                  report is no JSON
 * QUIRE_DAMAGED    a blob is not what its name says */
quire_status quire_read(quire *q, quire_outputs *o, const char *address,
                        const quire_read_options *options, quire_line_fn each,
                        void *ctx, quire_error *err);

QUIRE_DECLS_END

#endif
