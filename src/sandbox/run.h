/*
 * run.h - run a command confined by the kernel
 *
 * The kernel confines the command; its text is not inspected. Whatever a shell
 * does with quotes, links, variables and other shells, these layers hold:
 *
 *   spaces     fresh user, mount, pid, network, ipc, uts and cgroup namespaces.
 *              Its root is built of what programs need, read-only, and the
 *              two directories of the session at their real paths. Nothing
 *              else has a name.
 *   Landlock   the same files by rights instead of names: reading everywhere in
 *              that root, writing in the session's directories and in private
 *              temporary ones. No signal and no socket to processes outside.
 *   seccomp    the calls that neither covers, or that open a way around: mounts,
 *              namespaces, keys, other processes' memory, io_uring (seccomp.c has
 *              the list and the reasons).
 *   the rest   no capabilities, no_new_privs, resource limits, an empty
 *              environment but for named variables, no descriptor but 0, 1, 2, a
 *              session of its own without a terminal.
 *
 * Processes:
 *
 *      caller's thread -- waits --+                    +- reads, watches, ends it
 *                                 |                    |
 *                          stage: builds the      command (2 inside)
 *                          new root, ends              |
 *                                                 anchor (1 inside): ends when the
 *                                                 life line to the caller ends
 *
 * The stage borrows the caller's memory for the milliseconds it lives, while the
 * calling thread is suspended (as posix_spawn does), so that a server of many
 * gigabytes copies none of them and no lock of another thread matters; between
 * there and exec nothing allocates. The anchor is `cat`, reading a pipe; only the caller has its other end. Killing it, or the death of the caller, ends
 * every process inside at once: that is what the kernel does when process 1 of a
 * namespace ends.
 *
 * Where user namespaces are forbidden (many containers), the command is a child
 * of a reaper instead: a copy of the caller, unconfined itself, that adopts processes the
 * command leaves behind (reaper.c). The layers are then Landlock and seccomp.
 *
 * Always true when run_command() has returned QUIRE_OK:
 *
 *   (1) At least what `wanted` asks for was in force before the command's first
 *       instruction. `held` in the result is all that was.
 *   (2) No process of the command is left, however it detached itself; or, where
 *       RUN_PID is not held and Landlock is older than version 6, none that did
 *       not first kill its reaper (`strays`). A command that stops its reaper
 *       is ended all the same, in time.
 *   (3) The command started after every layer was in force; an earlier failure is
 *       an error that names the step, and has no result.
 *   (4) The agent and scratch directories were those open when the call began,
 *       whatever was renamed or linked meanwhile.
 *
 * What holds where:
 *
 *                          full      without user namespaces  unconfined
 *   reads and writes       given     given trees, system     everything
 *                          trees only
 *   stat, chmod, utime     given     everything its user may everything
 *   signals, unix sockets  own       own (signals: Landlock  everything
 *                                    6); no unix sockets
 *   /proc, shared memory   own       none                    everything
 *   network                none or   none (TCP, UDP) or all  all
 *                          all
 *   processes left behind  none      none (2)                none if they do
 *                                                            not hide from it
 *
 * This module knows nothing of sessions, databases or policies. It prints
 * nothing; its caller writes the log.
 *
 * A program that reaps every child it has (waitpid of -1, or SIGCHLD ignored) may take the command's status first: that is an error, after the command has
 * ended.
 */
#ifndef SANDBOX_RUN_H
#define SANDBOX_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

/* Layers that are required. */
enum run_wanted {
    RUN_FULL,       /* every layer: namespaces, Landlock, seccomp           */
    RUN_FILES,      /* files are isolated, by namespaces or by Landlock; and
                       seccomp. Uses all further layers there are              */
    RUN_UNCONFINED, /* none: limits and clean environment only              */
};

/* Layers, for `held` and the probe. */
enum run_layer {
    RUN_USER = 1 << 0,
    RUN_MOUNT = 1 << 1,
    RUN_PID = 1 << 2,
    RUN_NET = 1 << 3, /* a network of its own, which is none. Not held
                         where the network was asked for              */
    RUN_IPC = 1 << 4,
    RUN_UTS = 1 << 5,
    RUN_CGROUP = 1 << 6,
    RUN_PROC = 1 << 7, /* a /proc of its own; without it, none         */
    RUN_LANDLOCK = 1 << 8,
    RUN_SECCOMP = 1 << 9,
    RUN_RLIMITS = 1 << 10,
    RUN_NO_NEW_PRIVS = 1 << 11,
    RUN_NO_CAPS = 1 << 12,
};
#define RUN_N_LAYERS 13

/* "user", "mount", "landlock"...; a static string. `index` is the bit. */
const char *run_layer_name(unsigned index);

/* What made us end the command. */
enum run_hit {
    RUN_HIT_TIME = 1 << 0,
    RUN_HIT_OUTPUT = 1 << 1, /* also when the rest was drained, not ended */
    RUN_HIT_PROCESSES = 1 << 2,
    RUN_HIT_MEMORY = 1 << 3,
    RUN_HIT_DISK = 1 << 4,  /* also when that was seen after its end       */
    RUN_HIT_FILE = 1 << 5,  /* the kernel ended it, or a child of its shell */
    RUN_HIT_FILES = 1 << 6, /* as RUN_HIT_DISK                             */
};
#define RUN_N_HITS 7

/* Bytes the command wrote to stream 1 or 2, as they come, from the thread that
 * called. Anything but QUIRE_OK ends the command, and run_command() returns it. */
typedef quire_status (*run_output_fn)(void *ctx, int stream, quire_bytes bytes,
                                      quire_error *err);

/* Zero means unlimited, everywhere. */
struct run_limits {
    int64_t wall_ms;       /* SIGTERM then, SIGKILL grace_ms later          */
    int64_t grace_ms;      /* what is written meanwhile still counts        */
    uint64_t output_bytes; /* both streams together; exact: no byte more is
                              handed on                                     */
    uint64_t processes;    /* threads count. Fork fails beyond it; for root,
                              and without RUN_USER, the command is ended
                              when a look (each 10 ms) finds more           */
    uint64_t memory_bytes; /* of one process by the kernel (private, writable
                              memory); of all together by looking. Memory
                              that belongs to no process (memfd, System V
                              shared memory above a page, message queues) is
                              refused then, except unconfined               */
    uint64_t file_bytes;   /* of one file: SIGXFSZ beyond it                */
    uint64_t open_files;   /* of one process                                */
    uint64_t disk_bytes;   /* what the writable directories may grow by.
                              Looked at after 10 ms, then every 50 ms, more
                              often near the limit, less often where looking
                              takes long, and in the end:
                              what is written between two looks is beyond it.
                              Removed files that are still open are not seen,
                              nor are directories that the command made
                              unreadable to us                              */
    uint64_t disk_files;   /* how many files and directories may be added
                              there; looked at in the same way              */
    uint64_t tmp_bytes;    /* private /tmp, /var/tmp and /dev/shm together;
                              exact, by the kernel; counts as memory. Without
                              RUN_MOUNT it counts in disk_bytes              */
    bool drain;            /* past output_bytes: read on and throw away,
                              instead of ending the command                 */
};

struct run_spec {
    /* The command: argv[0] is looked for in PATH if it has no slash. */
    const char *const *argv; /* ends in NULL                             */
    const char *const *env;  /* more "K=V", ends in NULL; NULL: none     */

    /* Writable: absolute directories that exist. `scratch` may be NULL. */
    const char *agent;
    const char *scratch;
    const char *cwd; /* beneath one of them; NULL: agent             */

    /* Readable, never writable: absolute directories, ends in NULL. What does
     * not exist is left out. NULL: none. */
    const char *const *readable;

    /* Where a directory for temporary files is made if the command cannot have a
     * root of its own; it is removed afterwards. NULL: /tmp. */
    const char *tmp;

    /* For SESSION_ID, and for QUIRE_DATA_DIR and LOOM_DATA_DIR. The home is
     * named, not shown. */
    const char *session;
    const char *home;

    bool net; /* share the machine's network */
    enum run_wanted wanted;
    struct run_limits limits;

    /* Borrowed. stdin_fd: -1 is /dev/null; give a pipe rather than a file: the
     * command can do with it what its flags allow, and change the mode and the
     * times of a file whatever they are. stop_fd: -1, or the command is ended
     * when it becomes readable or its other end closes. */
    int stdin_fd;
    int stop_fd;

    run_output_fn output; /* NULL: thrown away, but counted */
    void *output_ctx;
};

/* clang-format off */
#define RUN_SPEC_INIT                                                        \
    {.wanted = RUN_FULL, .stdin_fd = -1, .stop_fd = -1,                      \
     .limits = {.wall_ms = 300000, .grace_ms = 500, .output_bytes = 1 << 20, \
                .processes = 512, .open_files = 1024,                        \
                .memory_bytes = (uint64_t)4 << 30,                           \
                .file_bytes = (uint64_t)1 << 30,                             \
                .disk_bytes = (uint64_t)4 << 30, .disk_files = 1 << 18,      \
                .tmp_bytes = (uint64_t)512 << 20}}
/* clang-format on */

struct run_result {
    int exit;       /* 0 to 255; -1 when a signal ended it               */
    int signal;     /* 0 when it ended by itself                         */
    bool timed_out; /* RUN_HIT_TIME is in `hit`                          */
    bool stopped;   /* stop_fd asked                                     */
    bool strays;    /* its reaper was killed: something may still run    */
    unsigned hit;   /* enum run_hit                                      */
    unsigned held;  /* enum run_layer                                    */
    uint64_t out_bytes, err_bytes; /* written, handed on or not           */
    int64_t duration_us;
};

/* Run the command and wait for it. *result is filled on QUIRE_OK, and when
 * `output` ended the command; where the command itself cannot be run its exit is
 * 127 or 126, as shells have it, else -1. That the command failed is a result, no error.
 *
 * QUIRE_NOT_FOUND  no such command, or no such directory
 * QUIRE_INVALID    the command is not a program; a path that cannot be used; a
 *                  variable that is not the caller's to set
 * QUIRE_IO         the machine cannot confine as wanted: the message names
 *                  what is missing; or a system call failed on the way */
quire_status run_command(const struct run_spec *spec, struct run_result *result,
                         quire_error *err);

/* What this machine can do, layer by layer, found by trying. Runs no command. */
struct run_probe {
    struct {
        const char *name;
        bool ok;
        char why[96]; /* not ok: the reason; ok: a detail, or ""        */
    } layer[RUN_N_LAYERS];
    enum run_wanted best; /* the most that can be had                   */
};

void run_probe(struct run_probe *probe);

#endif
