/* command.c - the process that becomes the command */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "sandbox/priv.h"

pid_t spawn_on(struct plan *p, int n, int flags, int (*fn)(void *))
{
    return clone(fn, p->stacks + (size_t)(n + 1) * STACK_BYTES, flags, p);
}

int apply_rules(struct plan *p)
{
    return p->spaces && p->abi > 0 ? landlock_rules(p) : 0;
}

static int go_to_cwd(const struct plan *p)
{
    int rc = p->spaces ? chdir(p->cwd_path) : fchdir(p->cwd_fd);

    return rc < 0 ? report_fail(p, STEP_CWD, p->cwd_path) : 0;
}

/* The words of the last try that says more than "not here". */
static void exec_command(const struct plan *p)
{
    int error = ENOENT;
    const char **t;

    for (t = p->tries; *t; t++) {
        execve(*t, p->argv, p->envp);
        if (errno != ENOENT && errno != ENOTDIR)
            error = errno;
    }
    errno = error;
    report_fail(p, STEP_EXEC, p->argv[0]);
}

/* Such a function returns where it could _exit: clone ends the process then, and
 * a sanitizer that hears of functions without return looks for the stack, which
 * is not the one it knows. */
int command_main(void *arg)
{
    struct plan *p = arg;

    if (apply_rules(p) == 0 && go_to_cwd(p) == 0 &&
        confine_self(p, p->in, false) == 0)
        exec_command(p);
    return 127;
}
