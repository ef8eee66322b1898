/*
 * out.h - what a command says, and to whom
 *
 * Standard output carries results and nothing else. It is buffered here, not
 * in stdio, for three reasons: an error on the way or on closing must reach
 * the exit status; errors must appear after the results that came before
 * them; and a pager is started only when the screen turns out too small.
 *
 * Standard error carries one error shape: "quire: what" and "hint: next", or
 * with --json one object {"error","kind","hint"} a line; and on a terminal the
 * progress of what takes longer than a second.
 */
#ifndef CLI_CORE_OUT_H
#define CLI_CORE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

struct cli;

struct progress {
    bool enabled;
    bool quote_text;   /* there is a line to erase                       */
    bool bytes;        /* count bytes, not things                        */
    const char *label; /* NULL: nothing under way                        */
    int64_t start_ms, next_ms;
};

struct out {
    char data[64 * 1024];
    size_t used;
    int error;         /* errno of the first write that failed         */
    size_t rows;       /* of the screen, while a pager may be needed   */
    size_t lines;      /* so far                                       */
    const char *pager; /* its command; NULL: none wanted               */
    pid_t pager_pid;   /* 0: not started                               */
    bool color, color_err;
    bool headed; /* column names are printed                    */
    struct progress progress;
};

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Before anything else: no descriptor we open may become 0, 1 or 2, or a
 * message could end up in a database. */
void out_guard_descriptors(void);

void out_init(struct out *out);
void out_colors(struct out *out, enum color_mode mode);
void out_use_pager(struct out *out);

/* ---- results ------------------------------------------------------------ */

/* After a failure the rest is dropped; out_flush() and out_close() tell. */
void out_write(struct cli *cli, quire_bytes bytes);
void out_str(struct cli *cli, const char *text);
void out_printf(struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The line `b` holds; empties it. Words about memory if it has failed. */
void out_line(struct cli *cli, struct buf *b);

/* For callbacks: QUIRE_OK, or the error of the first write that failed. Does not
 * flush, so that output stays buffered. */
quire_status out_status(struct cli *cli, quire_error *err);

/* Forget what has not been sent yet: it turned out to be wrong. */
void out_discard(struct cli *cli);

/* Send what is waiting; QUIRE_IO with words when it cannot be written. */
quire_status out_flush(struct cli *cli, quire_error *err);

/* Flush, close, wait for the pager. `code` is the exit status so far; gives
 * the final one. */
int out_close(struct cli *cli, int code);

/* ---- errors ------------------------------------------------------------- */

/* Report and give the exit status that goes with it. */
int cli_fail(struct cli *cli, const quire_error *err);
int cli_usage(struct cli *cli, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The exit status of a result, and the graver of two. */
int cli_exit(quire_status status);
int cli_worse(int a, int b);

/* ---- progress ----------------------------------------------------------- */

/* Nothing shows in the first second, nor when standard error is no terminal,
 * nor with --quiet, --no-progress or --json. `total` 0: not known. */
void progress_start(struct cli *cli, const char *label, bool bytes);
void progress_at(struct cli *cli, uint64_t done, uint64_t total);
void progress_end(struct cli *cli);

/* "1.5 MiB". */
void size_text(uint64_t bytes, char *out, size_t cap);

#endif
