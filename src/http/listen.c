/* listen.c - a socket that waits for connections; see http.h */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/err.h"
#include "http/http.h"

quire_status http_listen(const char *host, uint16_t port, int *fd,
                         uint16_t *got, quire_error *err)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_port = htons(port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    bool is_v6 = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
    struct sockaddr *to = is_v6 ? (struct sockaddr *)&v6
                                : (struct sockaddr *)&v4;
    socklen_t len = is_v6 ? sizeof v6 : sizeof v4;
    int on = 1;
    quire_status st;

    if (!is_v6 && inet_pton(AF_INET, host, &v4.sin_addr) != 1) {
        st = err_fail(err, QUIRE_INVALID, "give one such as 127.0.0.1 or ::1",
                      "%.100s is not an address", host);
        return st;
    }
    *fd = socket(to->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd < 0 ||
        setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(*fd, to, len) < 0 || listen(*fd, 1024) < 0 ||
        getsockname(*fd, to, &len) < 0) {
        int why = errno;

        st = err_sys(err, why, "cannot listen at %s port %u", host, port);
        if (why == EADDRINUSE)
            err_next(err, "another process uses the port; port 0 picks a "
                          "free one");
        return st;
    }
    *got = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
    return QUIRE_OK;
}

quire_status http_adopt(int listener, int *fd, uint16_t *got, quire_error *err)
{
    struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof at, int_len = sizeof(int);
    int listens = 0, type = 0, flags = fcntl(listener, F_GETFL);
    quire_status st;

    if (getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_len) ||
        getsockopt(listener, SOL_SOCKET, SO_TYPE, &type, &int_len) ||
        type != SOCK_STREAM || !listens) {
        st = err_fail(err, QUIRE_INVALID,
                      "set ListenStream= and Accept=no in the systemd unit",
                      "the socket that systemd passed does not listen");
        return st;
    }
    *fd = fcntl(listener, F_DUPFD_CLOEXEC, 3);
    if (*fd < 0 || flags < 0 || fcntl(*fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
        getsockname(*fd, (struct sockaddr *)&at, &len) < 0)
        return err_sys(err, errno, "cannot take over a socket");
    *got = at.ss_family == AF_INET6
               ? ntohs(((struct sockaddr_in6 *)&at)->sin6_port)
           : at.ss_family == AF_INET
               ? ntohs(((struct sockaddr_in *)&at)->sin_port)
               : 0;
    return QUIRE_OK;
}
