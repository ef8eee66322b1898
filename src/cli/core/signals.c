#include "cli/core/signals.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t last, count, notify_fd = -1;

static void set_flag(int number)
{
    int saved = errno;

    last = number;
    count++;
    if (notify_fd >= 0 && write(notify_fd, "", 1) < 0)
        errno = saved; /* the pipe is full: its reader will wake */
    errno = saved;
}

static int is_ignored(int number)
{
    struct sigaction old;

    return !sigaction(number, NULL, &old) && old.sa_handler == SIG_IGN;
}

void signals_catch_set(unsigned flags, sigset_t *caught)
{
    struct sigaction action = {.sa_handler = set_flag};
    size_t i;

    if (flags & SIGNALS_ONCE)
        action.sa_flags |= (int)SA_RESETHAND;
    if (flags & SIGNALS_RESTART)
        action.sa_flags |= SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (caught)
        sigemptyset(caught);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if ((flags & SIGNALS_NO_HUP) && numbers[i] == SIGHUP)
            continue;
        if (!(flags & SIGNALS_FORCE) && is_ignored(numbers[i]))
            continue;
        sigaction(numbers[i], &action, NULL);
        if (caught)
            sigaddset(caught, numbers[i]);
    }
}

void signals_restore(void)
{
    size_t i;

    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!is_ignored(numbers[i]))
            signal(numbers[i], SIG_DFL);
    }
}

int signals_caught(void)
{
    return last;
}

int signals_count(void)
{
    return count;
}

void signals_notify(int fd)
{
    notify_fd = fd;
}
