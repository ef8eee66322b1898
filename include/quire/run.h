/* quire/run.h - commands confined by the kernel */
#ifndef QUIRE_RUN_H
#define QUIRE_RUN_H

#include "quire/output.h"
#include "quire/types.h"
#include "quire/workspace.h"

QUIRE_DECLS_BEGIN

/*
 * A command runs in a workspace, confined by the kernel: it can write to the
 * session's two directories and to a private /tmp, read them, the system's
 * programs and the home's `documentation` and `examples`, and reach nothing
 * else, no network, no other process. docs/decisions/025 says by what.
 *
 * Every run is recorded.
 */

/* Text is on loan until the next run in the workspace. */
typedef struct quire_run_record {
    int64_t id;
    const char *session;
    const char *command; /* a JSON array: its words                          */
    int unconfined;
    int ended;  /* 0: nobody saw its end, and what is below is empty */
    int exit;   /* -1: a signal ended it                            */
    int signal; /* 0: it ended by itself                            */
    int64_t started_us, duration_us;
    uint64_t out_bytes, err_bytes; /* that it wrote                          */
    const char *hit;      /* a JSON array: limits it met: "time", "output",
                             "processes", "memory", "disk"                   */
    const char *confined; /* a JSON array: layers that held: "user", "mount",
                             "pid", "net", "landlock", "seccomp", ...         */
    uint64_t reserved[4];
} quire_run_record;

/* What a command writes to its standard output (1) or error (2), as it comes.
 * Anything but QUIRE_OK ends it. */
typedef quire_status (*quire_run_output_fn)(void *ctx, int stream,
                                            quire_bytes bytes,
                                            quire_error *err);

/* Set `size` with QUIRE_RUN_OPTIONS_INIT; fields are only ever added. Of limits
 * 0 is the usual one. */
typedef struct quire_run_options {
    size_t size;
    const char *const *argv; /* the command, ended by NULL                   */
    const char *const *env;  /* more variables, "K=V", ended by NULL; may be
                                NULL                                         */
    const char *cwd;         /* beneath the session's directories, or from the
                                artifacts on; NULL: the artifacts            */
    int read_all;            /* other sessions' files can be read            */
    int net;                 /* the network can be used                      */
    int full_only;           /* refuse if not all layers can be had          */
    int unconfined;          /* nothing confines it, which is recorded       */
    int64_t timeout_ms;      /* then all of its processes are ended; 5 min   */
    uint64_t max_output;     /* bytes that are handed on: 1 MiB; 0: all      */
    int drain;               /* let it go on beyond; else it is ended        */
    uint64_t processes, memory, file_size, open_files;
    uint64_t disk;          /* how much its files may grow; 0: what is left of
                                the session's quota                          */
    int stdin_fd;           /* -1: there is none. A pipe: of a file it could
                                change mode and times                        */
    int stop_fd;            /* it is ended when this becomes readable; -1   */
    quire_outputs *outputs; /* where all of a long output is kept; NULL     */
    quire_run_output_fn output; /* may be NULL                               */
    void *ctx;
} quire_run_options;

#define QUIRE_RUN_OPTIONS_INIT                                           \
    {                                                                    \
        sizeof(quire_run_options), NULL, NULL, NULL, 0, 0, 0, 0, 300000, \
            1 << 20, 0, 0, 0, 0, 0, 0, -1, -1, NULL, NULL, NULL          \
    }

typedef struct quire_run_result {
    quire_run_record record;
    int timed_out;
    int truncated;     /* not all of its output was handed on                */
    int stopped;       /* stop_fd asked                                      */
    char artifact[24]; /* the number of the output that has all; "": none    */
    quire_workspace_report files; /* what became of what it did to files     */
    uint64_t reserved[4];
} quire_run_result;

/* Run a command and wait for it. That it fails is a result, no error.
 *
 * QUIRE_NOT_FOUND  no such command or directory
 * QUIRE_INVALID    what is given makes no sense
 * QUIRE_IO         files cannot be isolated on this machine: the words say what
 *                  is missing */
quire_status quire_run(quire_workspace *w, const quire_run_options *options,
                       quire_run_result *out, quire_error *err);

/* What was run, the last first: in a session, or with NULL in all. */
typedef quire_status (*quire_run_fn)(void *ctx, const quire_run_record *record,
                                     quire_error *err);
quire_status quire_run_list(quire *q, const char *session, uint64_t limit,
                            quire_run_fn each, void *ctx, quire_error *err);

/* Each layer of confinement, whether this machine has it, and why not. */
typedef quire_status (*quire_run_layer_fn)(void *ctx, const char *layer, int ok,
                                           const char *why, quire_error *err);
quire_status quire_run_probe(quire_run_layer_fn each, void *ctx,
                             quire_error *err);

QUIRE_DECLS_END

#endif
