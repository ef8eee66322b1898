/*
 * quire/run.h - commands in a workspace, confined by the kernel
 *
 * A command can write to the session's two directories and a private /tmp;
 * read these, the system's programs and the home's `documentation` and
 * `examples`; and reach nothing else: no network, no other process.
 * docs/decisions/025 explains the mechanisms. Every run is recorded.
 */
#ifndef QUIRE_RUN_H
#define QUIRE_RUN_H

#include "quire/output.h"
#include "quire/types.h"
#include "quire/workspace.h"

QUIRE_DECLS_BEGIN

typedef struct quire_run_record {
    int64_t id;
    const char *session;
    const char *command; /* argv as a JSON array                             */
    int unconfined;
    int ended;  /* 0: its end was not recorded; the fields below are empty   */
    int exit;   /* -1: a signal ended it                                     */
    int signal; /* 0: it exited                                              */
    int64_t started_us, duration_us;
    uint64_t out_bytes, err_bytes; /* written by the command                 */
    const char *hit;      /* JSON array of limits it met: "time", "output",
                             "processes", "memory", "disk", "file", "files"  */
    const char *confined; /* JSON array of layers that held: "user", "mount",
                             "pid", "net", "landlock", "seccomp", ...        */
    uint64_t reserved[4];
} quire_run_record;

/* Takes what the command writes to standard output (1) or error (2), as it
 * comes. Any status but QUIRE_OK ends the command. */
typedef quire_status (*quire_run_output_fn)(void *ctx, int stream,
                                            quire_bytes bytes,
                                            quire_error *err);

/* Begin with QUIRE_RUN_OPTIONS_INIT; later versions only add fields. A limit
 * of 0 is the default one. */
typedef struct quire_run_options {
    size_t size;
    const char *const *argv; /* the command, ended by NULL                   */
    const char *const *env;  /* more variables, "K=V", ended by NULL; may be
                                NULL                                         */
    const char *cwd;         /* below the session's directories, or relative to
                                the artifacts; NULL: the artifacts           */
    int read_all;            /* permit reading other sessions' files         */
    int net;                 /* permit the network                           */
    int full_only;           /* refuse unless all layers are available       */
    int unconfined;          /* run without confinement, which is recorded   */
    int64_t timeout_ms;      /* then all its processes are killed; 5 min     */
    uint64_t max_output;     /* bytes passed on: 1 MiB; 0: all               */
    int drain;               /* let it go on beyond max_output; else kill it */
    uint64_t processes, memory, file_size, open_files;
    uint64_t disk; /* how much its files may grow; 0: what is left of
                               the session's quota                           */
    int stdin_fd;  /* -1: none. Pass a pipe: of a file the command could
                               change mode and times                         */
    int stop_fd;   /* the command is killed when this becomes readable;
                               -1: none                                      */
    quire_outputs *outputs; /* where the whole of a long output goes; NULL   */
    quire_run_output_fn output; /* may be NULL                               */
    void *ctx;
    uint64_t files; /* how many files it may add to the session; 262144      */
} quire_run_options;

#define QUIRE_RUN_OPTIONS_INIT                                           \
    {                                                                    \
        sizeof(quire_run_options), NULL, NULL, NULL, 0, 0, 0, 0, 300000, \
            1 << 20, 0, 0, 0, 0, 0, 0, -1, -1, NULL, NULL, NULL, 0       \
    }

typedef struct quire_run_result {
    quire_run_record record;
    int timed_out;
    int truncated;     /* part of its output was not passed on               */
    int stopped;       /* by stop_fd                                         */
    char artifact[24]; /* number of the output that has the whole; "": none  */
    quire_workspace_report files; /* what became of its changes to files     */
    uint64_t reserved[4];
} quire_run_result;

/* Run a command and wait for its end. A command that fails is a result, not an
 * error. The workspace is synced before and after.
 *
 * Owns: text in *out is lent until the next run in `w`; descriptors stay the
 *   caller's.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such command or directory
 *   QUIRE_INVALID    an option is wrong; not a program, or not permitted
 *   QUIRE_CHANGED    a directory was replaced while the command was started
 *   QUIRE_IO         this machine cannot isolate files; the message names what
 *                    is missing
 *   any status       what `output` returned
 * Durable: artifacts, on return. The record survives a crash, and may be lost
 *   in a power cut. */
quire_status quire_run(quire_workspace *w, const quire_run_options *options,
                       quire_run_result *out, quire_error *err);

typedef quire_status (*quire_run_fn)(void *ctx, const quire_run_record *record,
                                     quire_error *err);

/* List runs, the last first: of a session, or with NULL of all; 0: no limit.
 *
 * Owns: *record is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 * Durable: reads only. */
quire_status quire_run_list(quire *q, const char *session, uint64_t limit,
                            quire_run_fn each, void *ctx, quire_error *err);

/* Delete the records of past runs: of a session, or with NULL of all. `each` (may
 * be NULL) is called for each, the last first, before anything is deleted; if it
 * fails, nothing is. A run under way is no longer recorded when it ends. The
 * audit log records how many were deleted.
 *
 * Owns: *record is lent until `each` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session
 * Durable: on return. */
quire_status quire_run_clear(quire *q, const char *session, quire_run_fn each,
                             void *ctx, quire_error *err);

typedef quire_status (*quire_run_layer_fn)(void *ctx, const char *layer, int ok,
                                           const char *why, quire_error *err);

/* List the layers of confinement: whether this machine has each, and why not.
 *
 * Owns: text is lent until `each` returns.
 * Fails:
 *   any status  what `each` returned
 * Durable: reads only. */
quire_status quire_run_probe(quire_run_layer_fn each, void *ctx,
                             quire_error *err);

QUIRE_DECLS_END

#endif
