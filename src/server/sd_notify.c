/* sd_notify.c - see sd_notify.h */
#include "server/sd_notify.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"

enum { FIRST_FD = 3 };

void sd_notify_send(const char *words)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *where = getenv("NOTIFY_SOCKET");
    size_t len = where ? strlen(where) : 0;
    int fd;

    if (len < 2 || len > sizeof to.sun_path || !strchr("/@", *where))
        return;
    memcpy(to.sun_path, where, len);
    if (*where == '@') /* abstract socket */
        to.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    /* Nothing depends on its delivery. */
    if (connect(fd, (struct sockaddr *)&to,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) == 0)
        send(fd, words, strlen(words), MSG_NOSIGNAL | MSG_DONTWAIT);
    close(fd);
}

/* The number in a variable, if the variable `pid` names this process. 0: none. */
static int64_t number_for_us(const char *name, const char *pid)
{
    const char *value = getenv(name), *whose = getenv(pid);
    char *end;
    long long n;

    if (!value || (whose && strtoll(whose, NULL, 10) != getpid()))
        return 0;
    n = strtoll(value, &end, 10);
    return *end || n < 0 ? 0 : n;
}

int64_t sd_notify_watchdog_us(void)
{
    return number_for_us("WATCHDOG_USEC", "WATCHDOG_PID");
}

quire_status sd_notify_take_listener(int *fd, quire_error *err)
{
    int64_t n = getenv("LISTEN_PID") ? number_for_us("LISTEN_FDS", "LISTEN_PID")
                                     : 0;
    quire_status st = QUIRE_OK;

    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDNAMES");
    *fd = n > 0 ? FIRST_FD : -1;
    if (n > 1) {
        st = err_fail(err, QUIRE_INVALID,
                      "give the socket's unit one ListenStream=",
                      "systemd passed %lld sockets; one is supported",
                      (long long)n);
    }
    if (n > 0)
        fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
    return st;
}
