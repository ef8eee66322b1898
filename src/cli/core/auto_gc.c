/*
 * auto_gc.c - see auto_gc.h
 *
 * The process is forked twice, so that init reaps it; has its own session, so
 * that the terminal's signals do not reach it; inherits no descriptor, so that
 * our pipes close when we end; and has the lowest priority.
 */
#include "cli/core/auto_gc.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_descriptors(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0)
        _exit(1);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
}

static void run_gc(char *home)
{
    static char exe[] = "/proc/self/exe";
    char *argv[] = {(char[]){"quire"},   (char[]){"--home"}, home,
                    (char[]){"--quiet"}, (char[]){"gc"},     NULL};

    setsid();
    if (fork() != 0)
        _exit(0);
    close_descriptors();
    if (nice(19) < 0 || chdir("/") < 0)
        _exit(1);
    unsetenv("QUIRE_TENANT");
    execv(exe, argv);
    _exit(1);
}

void auto_gc_start(const char *home)
{
    char whole[PATH_MAX];
    pid_t child;

    if (!realpath(home, whole))
        return;
    child = fork();
    if (child == 0)
        run_gc(whole);
    if (child > 0)
        waitpid(child, NULL, 0);
}
