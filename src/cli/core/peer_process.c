/* peer_process.c - see peer_process.h */
#include "cli/core/peer_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"

static void become(char *const argv[], int in, int out)
{
    signal(SIGPIPE, SIG_DFL);
    unsetenv("QUIRE_HOME");
    unsetenv("QUIRE_TENANT");
    unsetenv("QUIRE_SESSION");
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(127);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "quire: cannot run %s\n", argv[0]);
    _exit(127);
}

quire_status peer_start(struct peer_process *p, char *const argv[],
                        const char *name, quire_error *err)
{
    int down[2], up[2];

    *p = (struct peer_process){.pid = -1, .in = -1, .out = -1, .name = name};
    if (pipe2(down, O_CLOEXEC) != 0)
        return err_sys(err, errno, "cannot create a pipe");
    if (pipe2(up, O_CLOEXEC) != 0) {
        close(down[0]);
        close(down[1]);
        return err_sys(err, errno, "cannot create a pipe");
    }
    signal(SIGPIPE, SIG_IGN);
    p->pid = fork();
    if (p->pid == 0)
        become(argv, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    p->out = down[1];
    p->in = up[0];
    if (p->pid > 0)
        return QUIRE_OK;
    close(p->out);
    close(p->in);
    return err_sys(err, errno, "cannot start %s", argv[0]);
}

quire_status peer_end(struct peer_process *p, quire_error *err)
{
    int status = 0;

    close(p->out);
    close(p->in);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return QUIRE_OK;
    return err_set(err, QUIRE_IO, "%s ended with status %d", p->name,
                   WIFEXITED(status) ? WEXITSTATUS(status)
                                     : 128 + WTERMSIG(status));
}

quire_status peer_read(void *ctx, void *buf, size_t cap, size_t *n,
                       quire_error *err)
{
    struct peer_process *p = ctx;
    ssize_t got;

    do
        got = read(p->in, buf, cap);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_sys(err, errno, "cannot read from %s", p->name);
    *n = (size_t)got;
    return QUIRE_OK;
}

quire_status peer_write(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct peer_process *p = ctx;

    return fs_write_all(p->out, bytes) == 0
               ? QUIRE_OK
               : err_sys(err, errno, "cannot write to %s", p->name);
}
