/*
 * out.h - results, errors, progress
 *
 * Standard output carries results only. It is buffered here, not in stdio: a
 * write error must reach the exit status; errors must appear after the results
 * before them; and a pager is started only for output longer than the screen.
 *
 * Standard error carries errors, "quire: message" and "hint: what to do", or
 * with --json one object {"error","kind","hint"} a line; and on a terminal the
 * progress of operations longer than a second.
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
    bool visible;      /* there is a line to erase                       */
    bool bytes;        /* count bytes, not items */
    const char *label; /* NULL: no operation is running */
    int64_t start_ms, next_ms;
};

struct out {
    char data[64 * 1024];
    size_t used;
    int error;         /* errno of the first write that failed         */
    size_t rows;       /* of the screen, while a pager may be needed   */
    size_t lines;      /* so far                                       */
    const char *pager; /* its command; NULL: none                      */
    pid_t pager_pid;   /* 0: not started                               */
    bool color, color_err;
    bool headed; /* column names are printed                    */
    struct progress progress;
};

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* Call first: a file opened as descriptor 0, 1 or 2 would receive our
 * messages. */
void out_guard_descriptors(void);

void out_init(struct out *out);
void out_colors(struct out *out, enum color_mode mode);
void out_use_pager(struct out *out);

/* ---- results ------------------------------------------------------------ */

/* After a failed write the rest is dropped; out_flush() and out_close() report
 * it. */
void out_write(struct cli *cli, quire_bytes bytes);
void out_str(struct cli *cli, const char *text);
void out_printf(struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Print `b` as a line, and clear it. A failed buffer counts as a failed write. */
void out_line(struct cli *cli, struct buf *b);

/* For callbacks: QUIRE_OK, or the error of the first write that failed. Does not
 * flush, so that output stays buffered. */
quire_status out_status(struct cli *cli, quire_error *err);

/* Drop what is buffered: it turned out to be wrong. */
void out_discard(struct cli *cli);

/* Write what is buffered. QUIRE_IO: it cannot be written. */
quire_status out_flush(struct cli *cli, quire_error *err);

/* Flush, close, wait for the pager. `code` is the exit status so far; returns
 * the final one. */
int out_close(struct cli *cli, int code);

/* ---- errors ------------------------------------------------------------- */

/* Report an error and return its exit status. */
int cli_fail(struct cli *cli, const quire_error *err);
int cli_usage(struct cli *cli, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The exit status of a result, and the worse of two. */
int cli_exit(quire_status status);
int cli_worse(int a, int b);

/* ---- progress ----------------------------------------------------------- */

/* Shown after the first second, on a terminal, without --quiet, --no-progress
 * and --json. `total` 0: unknown. */
void progress_start(struct cli *cli, const char *label, bool bytes);
void progress_at(struct cli *cli, uint64_t done, uint64_t total);
void progress_end(struct cli *cli);

/* "1.5 MiB". */
void size_text(uint64_t bytes, char *out, size_t cap);

#endif
