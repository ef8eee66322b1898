/*
 * run.c - run a command, or say why not
 *
 * The machine is not asked first what it can do: the whole is tried with
 * namespaces and, where these are missing, without. What was in force is known
 * from having done it.
 */
#include "sandbox/run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "base/err.h"
#include "sandbox/priv.h"

static const char *const layer_names[RUN_N_LAYERS] =
    {"user",    "mount",        "pid",    "net",      "ipc",
     "uts",     "cgroup",       "proc",   "landlock", "seccomp",
     "rlimits", "no_new_privs", "no_caps"};

const char *run_layer_name(unsigned index)
{
    return index < RUN_N_LAYERS ? layer_names[index] : "";
}

static const char *const step_words[] = {
    [STEP_SPACES] = "make",
    [STEP_MAP] = "map its user through",
    [STEP_MOUNT] = "mount",
    [STEP_ROOT] = "make in its root",
    [STEP_PIVOT] = "turn to",
    [STEP_PID] = "make",
    [STEP_ANCHOR] = "start",
    [STEP_REAPER] = "start",
    [STEP_LIMITS] = "limit",
    [STEP_CAPS] = "drop",
    [STEP_RULES] = "name to Landlock",
    [STEP_LANDLOCK] = "enter",
    [STEP_SECCOMP] = "install",
    [STEP_STREAMS] = "give it",
};

/* The kernel gives one and the same answer where namespaces are switched off and
 * where all of them are in use. */
static bool is_switched_off(void)
{
    int fd = open("/proc/sys/user/max_user_namespaces", O_RDONLY | O_CLOEXEC);
    char most[2] = "";
    ssize_t n = fd < 0 ? -1 : read(fd, most, sizeof most);

    if (fd >= 0)
        close(fd);
    return n == 2 && !memcmp(most, "0\n", 2);
}

/* Not for lack of memory or descriptors: that is not a property of the machine,
 * and exhausting those must not weaken the confinement. */
static bool is_lack_of_spaces(const struct report *rep)
{
    if (rep->step < STEP_SPACES || rep->step > STEP_SPACES_END)
        return false;
    switch (rep->error) {
    case ENOSPC:
    case EUSERS: return rep->step == STEP_SPACES && is_switched_off();
    case EPERM:
    case EACCES:
    case ENOSYS:
    case EINVAL:
    case EOPNOTSUPP: return true;
    default: return false;
    }
}

/* ---- messages ----------------------------------------------------------- */

static quire_status explain_exec(const struct plan *p, quire_error *err)
{
    const char *name = p->argv[0];

    switch (p->report->error) {
    case ENOENT:
    case ENOTDIR:
        err_set(err, QUIRE_NOT_FOUND, "cannot run %s: not found", name);
        if (strchr(name, '/'))
            err_next(err, "the file, or the interpreter its first line names, "
                          "is not there for a confined command");
        else
            err_next(err, "programs are looked for in %s", p->path);
        return QUIRE_NOT_FOUND;
    case EACCES:
    case EPERM:
        err_fail(err, QUIRE_INVALID,
                 "it needs the permission to execute (chmod +x), and to "
                 "lie where a confined command may read",
                 "cannot run %s: not permitted", name);
        return QUIRE_INVALID;
    case ENOEXEC:
        err_fail(err, QUIRE_INVALID,
                 "a script begins with #! and its interpreter",
                 "cannot run %s: not a program", name);
        return QUIRE_INVALID;
    default: return err_sys(err, p->report->error, "cannot run %s", name);
    }
}

static quire_status explain_failure(const struct plan *p, quire_error *err)
{
    const struct report *rep = p->report;
    quire_status st;

    if (rep->step == STEP_EXEC)
        return explain_exec(p, err);
    if (rep->step == STEP_CWD)
        return err_sys(err, rep->error, "cannot start in %s", rep->what);
    if (rep->step == STEP_MOVED) {
        err_fail(err, QUIRE_CHANGED, "try again",
                 "cannot give a command %s: it became "
                 "another directory meanwhile",
                 rep->what);
        return QUIRE_CHANGED;
    }
    st = err_sys(err, rep->error, "cannot confine a command: cannot %s %s",
                 step_words[rep->step], rep->what);
    if (st == QUIRE_NOT_FOUND || st == QUIRE_EXISTS) {
        st = QUIRE_IO;
        if (err)
            err->status = st;
    }
    err_next(err, HINT_SHELL "`quire doctor` shows what this machine supports; "
                             "`--unconfined` runs it without confinement");
    return st;
}

/* `why` is the errno for which there are no namespaces, 0 when that was not the
 * reason; `landlock` whether there is that. */
static quire_status explain_missing_layer(int why, bool landlock,
                                          quire_error *err)
{
    static const char unconfined[] =
        "`--unconfined` runs it without confinement";
    char words[96];

    if (why == 0) {
        err_set(err, QUIRE_IO,
                "cannot confine a command: no Landlock in this "
                "kernel");
        err_next(err, HINT_SHELL "it takes Linux 5.13 with lsm=landlock; %s",
                 unconfined);
        return QUIRE_IO;
    }
    err_set(err, QUIRE_IO,
            "cannot confine a command: no user namespaces with "
            "mounts (%s)%s",
            strerror_r(why, words, sizeof words),
            landlock ? "" : ", and no Landlock");
    err_next(err,
             HINT_SHELL "allow %s (in a container: its seccomp profile); %s",
             landlock ? "them" : "one of them", unconfined);
    return QUIRE_IO;
}

/* ---- starting ------------------------------------------------------------- */

/* What a failed attempt left running; the command before the anchor, which
 * ends when all inside have been waited for. */
static void attempt_end(struct plan *p)
{
    pid_t pids[] = {p->report->command, p->report->anchor};
    size_t i;

    if (!p->spaces)
        pids[0] = 0;
    for (i = 0; i < 2; i++) {
        if (pids[i] <= 0)
            continue;
        if (p->spaces)
            kill(pids[i], SIGKILL);
        while (waitpid(pids[i], NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
}

static quire_status attempt(struct plan *p, bool spaces, quire_error *err)
{
    quire_status st = plan_attempt(p, spaces, err);

    if (st)
        return st;
    spawn_all(p);
    if (p->report->step == STEP_NONE)
        return QUIRE_OK;
    attempt_end(p);
    return explain_failure(p, err);
}

/* With namespaces if that is possible, else without if that is enough. */
static quire_status start(struct plan *p, quire_error *err)
{
    bool all = p->spec->wanted == RUN_FULL;
    quire_status st;
    int why;

    if (!p->confined)
        return attempt(p, false, err);
    if (all && p->abi == 0)
        return explain_missing_layer(0, false, err);
    st = attempt(p, true, err);
    if (!st || !is_lack_of_spaces(p->report))
        return st;
    why = p->report->error;
    if (all || p->abi == 0)
        return explain_missing_layer(why, p->abi > 0, err);
    return attempt(p, false, err);
}

quire_status run_command(const struct run_spec *spec, struct run_result *result,
                         quire_error *err)
{
    struct plan p;
    quire_status st;

    *result = (struct run_result){.exit = -1};
    st = plan_init(&p, spec, err);
    if (!st) {
        supervise_baseline(&p);
        st = start(&p, err);
        if (st && p.report->step == STEP_EXEC)
            result->exit = st == QUIRE_NOT_FOUND ? 127 : 126;
    }
    plan_started(&p);
    if (!st)
        st = supervise_run(&p, result, err);
    plan_release(&p);
    return st;
}
