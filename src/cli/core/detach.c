/* detach.c - see detach.h */
#include "cli/core/detach.h"

#include <fcntl.h>
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

static void become_command(char *const argv[], int niceness)
{
    pid_t child;

    setsid();
    child = fork();
    if (child != 0)
        _exit(child < 0);
    close_descriptors();
    if (nice(niceness) < 0 || chdir("/") < 0)
        _exit(1);
    unsetenv("QUIRE_TENANT");
    execv("/proc/self/exe", argv);
    _exit(1);
}

bool detach_run(char *const argv[], int niceness)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        become_command(argv, niceness);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}
