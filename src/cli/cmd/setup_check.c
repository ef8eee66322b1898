/* setup_check.c - does the server that was set up answer? */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/cmd/setup.h"

extern char **environ;

enum { ANSWER_MS = 10000 };

static const char greeting[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"quire-setup\",\"version\":\"1\"}}}\n";

static quire_status start(const struct setup *s, int in, int out, pid_t *pid,
                          quire_error *err)
{
    char *argv[SETUP_ARGS_MAX + 1];
    posix_spawn_file_actions_t files;
    size_t i;
    int failed;

    for (i = 0; i < s->n_argv; i++)
        memcpy(&argv[i], &s->argv[i], sizeof *argv);
    argv[i] = NULL;
    failed = posix_spawn_file_actions_init(&files);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!failed) /* what it has to say, the client would hide, too */
        failed = posix_spawn_file_actions_addopen(&files, STDERR_FILENO,
                                                  "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn(pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return failed ? err_sys(err, failed, "cannot start %s", argv[0]) : QUIRE_OK;
}

/* Whether a line with a result comes in time. */
static bool answers(int fd)
{
    int64_t until = clock_steady_us() + ANSWER_MS * INT64_C(1000);
    char line[16384];
    size_t len = 0;

    while (len < sizeof line && !memchr(line, '\n', len)) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left = (until - clock_steady_us()) / 1000;
        ssize_t n;

        if (left <= 0 || poll(&ready, 1, (int)left) <= 0)
            return false;
        n = read(fd, line + len, sizeof line - len);
        if (n <= 0)
            return false;
        len += (size_t)n;
    }
    return memmem(line, len, "\"serverInfo\"", 12) != NULL;
}

quire_status setup_check(const struct setup *s, quire_error *err)
{
    int to[2] = {-1, -1}, from[2] = {-1, -1}, i;
    quire_status st = QUIRE_OK;
    pid_t pid = 0;

    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        st = err_sys(err, errno, "cannot make a pipe");
    if (!st)
        st = start(s, to[0], from[1], &pid, err);
    if (!st) { /* the child's ends */
        close(to[0]);
        close(from[1]);
        to[0] = from[1] = -1;
    }
    if (!st && (fs_write_all(to[1], bytes_of(greeting, sizeof greeting - 1)) ||
                !answers(from[0])))
        st = err_fail(err, QUIRE_IO, "run `quire mcp` to see why",
                      "the server is set up, and does not answer");
    if (to[1] >= 0)
        close(to[1]); /* at the end of its input it ends */
    if (pid > 0 && st)
        kill(pid, SIGTERM);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    if (to[0] >= 0)
        close(to[0]);
    for (i = 0; i < 2; i++)
        if (from[i] >= 0)
            close(from[i]);
    return st;
}
