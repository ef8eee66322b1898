/*
 * priv.h - shared by the files of the sandbox module
 *
 * There are two kinds of code. Functions `plan_...` and `watch_...` run in the
 * caller and may allocate. Functions that take `const struct plan *` and return
 * an int run between clone and exec, in borrowed or copied memory: system calls
 * only, everything prepared beforehand, and failures recorded by report_fail().
 */
#ifndef SANDBOX_PRIV_H
#define SANDBOX_PRIV_H

#include <errno.h>
#include <linux/filter.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buf.h"
#include "sandbox/run.h"

/* Where a child failed, in the order of the steps. */
enum step {
    STEP_NONE,
    STEP_SPACES, /* up to STEP_SPACES_END: the machine lacks (complete) user
                    namespaces; the run falls back to none        */
    STEP_MAP,
    STEP_MOUNT,
    STEP_ROOT,
    STEP_PIVOT,
    STEP_PID,
    STEP_SPACES_END,
    STEP_MOVED, /* a directory was replaced since it was opened */
    STEP_ANCHOR,
    STEP_REAPER,
    STEP_LIMITS,
    STEP_CAPS,
    STEP_RULES,
    STEP_LANDLOCK,
    STEP_SECCOMP,
    STEP_STREAMS,
    STEP_CWD,
    STEP_EXEC,
};

/* Results of the children, in memory that all of them share with the caller,
 * including the reaper, which has a copy of everything else. */
struct report {
    enum step step; /* the first failure                               */
    int error;
    const char *what; /* a text of the plan, or static                   */
    pid_t command;    /* 0: not started                                  */
    pid_t anchor;
    unsigned held;
    int status; /* by the reaper: as wait() returns it               */
    bool ended; /* by the reaper: `status` is valid                */
};

/* A directory given by the caller. */
struct place {
    const char *path; /* absolute, no link in it                         */
    int fd;           /* O_PATH; owned                                   */
    dev_t dev;
    ino_t ino;
};

/* Something of the old root that is to be in the new one. */
struct bind_mount {
    const char *path;
    const char *link;          /* a symbolic link to that, instead        */
    const struct place *place; /* it must be this one                     */
    bool file;                 /* not a directory                         */
    unsigned long long attr;   /* MOUNT_ATTR_...                          */
};

#define MOUNTS_MAX  96
#define FILTER_MAX  400
#define STACK_BYTES ((size_t)128 << 10)

struct plan {
    const struct run_spec *spec;
    struct arena mem;

    bool spaces;   /* this attempt has namespaces                     */
    bool confined; /* Landlock or namespaces, and seccomp             */
    int abi;       /* of Landlock; 0: not there                       */
    bool root;     /* we are uid 0                                    */

    struct place agent, scratch;
    struct place *readable;
    size_t n_readable;
    struct place tmp;     /* without namespaces: a directory for one run  */
    const char *tmp_name; /* of it, in spec->tmp                      */
    const char *cwd_path; /* in full                                  */
    int cwd_fd;

    char *const *argv;
    char *const *envp;
    const char **tries; /* paths to exec, ends in NULL                */
    const char *path;   /* where they are looked for                  */

    struct bind_mount mounts[MOUNTS_MAX];
    size_t n_mounts;
    const char *uid_map, *gid_map, *tmpfs_size, *tmpfs_inodes;
    const char *own_home; /* the home, if it lies in the new root's /tmp or the
                             like, where it is made read-only; else NULL */

    int in, out, err; /* the children's ends                    */
    int null;
    int out_from, err_from; /* ours                                   */
    int life, life_end;     /* read by anchor or reaper; ours          */
    int ready, ready_end;   /* closed by the exec; ours reads          */
    int rules;              /* Landlock ruleset                        */
    int root_fd;            /* the new root, in the stage              */

    struct sock_filter filter[FILTER_MAX];
    unsigned short n_filter;

    struct report *report; /* shared                                   */
    uint64_t base_bytes;   /* in the writable directories, before it begins */
    uint64_t base_files;
    bool base_readable; /* all of them */
    char *stacks;       /* three, within the same mapping           */
};

/* Note the first failure; gives -1. */
int report_fail(const struct plan *p, enum step step, const char *what);

/* ---- plan.c: before anything is started --------------------------------- */

quire_status plan_init(struct plan *p, const struct run_spec *spec,
                       quire_error *err);
void plan_release(struct plan *p);

/* Ready for one attempt, with or without namespaces. */
quire_status plan_attempt(struct plan *p, bool spaces, quire_error *err);

/* Close the ends that children have by now. */
void plan_started(struct plan *p);

void fd_close(int *fd);

/* ---- env.c ---------------------------------------------------------------- */

quire_status plan_env(struct plan *p, quire_error *err);

#define RUN_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* ---- rootfs.c: the new root --------------------------------------------- */

quire_status plan_rootfs(struct plan *p, quire_error *err);

/* Build it; in the stage. */
int rootfs_build(struct plan *p);

/* Enter it, with a /proc of its own; in the anchor, for the command too. */
int rootfs_enter(const struct plan *p);

/* A tree that every command may read, or NULL: NULL-terminated lists. */
extern const char *const view_system[];
extern const char *const view_etc[];
extern const char *const view_devices[];

/* Beneath one of the system's trees, where it could not be hidden? */
bool rootfs_is_system(const char *path);

/* ---- landlock.c, seccomp.c, confine.c: the layers ----------------------- */

/* The version of Landlock's interface, 0 when there is none, with errno. */
int landlock_abi(void);

/* The ruleset of a process, in p->rules. With namespaces it is made by anchor and
 * command each, in the new root; without in the caller. */
int landlock_rules(struct plan *p);

void seccomp_build(struct plan *p);

/* What stage or reaper can do once for those they start: signals as a fresh
 * program expects them, no capability to be had by executing something. */
void confine_early(const struct plan *p);

/* Everything but exec; `in` becomes descriptor 0. */
int confine_self(struct plan *p, int in, bool anchor);

/* ---- spawn.c, command.c, reaper.c --------------------------------------- */

/* Start anchor and command, or reaper and command. Failures are in the report;
 * what was started despite one is there too. */
void spawn_all(struct plan *p);

/* Usage before the command begins: see supervise.c. */
void supervise_baseline(struct plan *p);

/* Build the Landlock rules of a process in namespaces; else nothing. */
int apply_rules(struct plan *p);

/* The command's process, in memory it does not own; never returns. */
int command_main(void *plan);
int reaper_main(void *plan);

/* Clone to `fn` on the n-th stack. */
pid_t spawn_on(struct plan *p, int n, int flags, int (*fn)(void *));

/* ---- usage.c: what a run uses ------------------------------------------- */

struct usage {
    uint64_t processes; /* threads, in truth                           */
    uint64_t memory_bytes;
};

/* Of every process that `proc`, a /proc, has or, with `below` (ends in 0), of
 * these and their descendants. False: it could not be found out. */
bool usage_measure(int proc, const pid_t *below, struct usage *out);

/* Kill every descendant of `top`, but not `top`. False: there was none. */
bool usage_kill_below(int proc, pid_t top);

/* Bytes allocated to the files beneath a directory, and their number. False: too
 * deep to tell. */
bool usage_disk(int dir, uint64_t *bytes, uint64_t *files);

/* ---- supervise.c: while it runs ----------------------------------------- */

quire_status supervise_run(struct plan *p, struct run_result *r,
                           quire_error *err);

#endif
