/* load.c - see load.h */
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fs.h"
#include "bench.h"

enum { EVENTS = 64, ANSWER_MAX = 4 << 20 };

struct client {
    int fd;
    bool busy;
    double due; /* when its request was */
    struct buf in;
    size_t wanted; /* bytes of the answer; 0: its head is not complete */
};

struct running {
    const struct load *l;
    struct client *clients;
    struct client **idle; /* a stack */
    int n_idle;
    int epoll;
    struct buf request;
    uint64_t n_sent, n_failed;
    double *took; /* of each answer, in seconds */
    size_t n_took, cap_took;
};

/* ---- connections -------------------------------------------------------- */

static int connect_to(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

int load_idle(uint16_t port, int n, int *fds)
{
    int i;

    for (i = 0; i < n; i++) {
        fds[i] = connect_to(port);
        if (fds[i] < 0)
            break;
    }
    return i;
}

static void open_all(struct running *r)
{
    int i;

    for (i = 0; i < r->l->connections; i++) {
        struct client *c = &r->clients[i];
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};

        *c = (struct client){.fd = connect_to(r->l->port),
                             .in = BUF_INIT(ANSWER_MAX)};
        if (c->fd < 0 || epoll_ctl(r->epoll, EPOLL_CTL_ADD, c->fd, &e) < 0)
            bench_fail("cannot connect to port %u: %s", r->l->port,
                       strerror(errno));
        r->idle[r->n_idle++] = c;
    }
}

/* ---- requests and answers ----------------------------------------------- */

static void ask(struct running *r, double due)
{
    struct client *c = r->idle[--r->n_idle];

    buf_clear(&r->request);
    r->l->spell(r->l->ctx, r->l->first + r->n_sent++, &r->request);
    c->busy = true;
    c->due = due;
    c->wanted = 0;
    buf_clear(&c->in);
    if (fs_write_all(c->fd, buf_bytes(&r->request)) < 0)
        bench_fail("the server closed a connection");
}

/* Where the answer ends, if its head is there. */
static size_t find_end(const struct buf *in)
{
    const char *head = (const char *)in->data;
    const char *end = memmem(head, in->len, "\r\n\r\n", 4), *length;

    if (!end)
        return 0;
    length = memmem(head, (size_t)(end - head), "ontent-Length: ", 15);
    if (!length)
        length = memmem(head, (size_t)(end - head), "ontent-length: ", 15);
    return (size_t)(end - head) + 4 +
           (length ? strtoull(length + 15, NULL, 10) : 0);
}

static void note_answer(struct running *r, struct client *c, double now)
{
    int status = c->in.len > 12 ? atoi((const char *)c->in.data + 9) : 0;

    c->busy = false;
    r->idle[r->n_idle++] = c;
    r->n_failed += status != r->l->expected;
    if (r->n_took == r->cap_took) {
        r->cap_took = 2 * r->cap_took + 4096;
        r->took = realloc(r->took, r->cap_took * sizeof *r->took);
        if (!r->took)
            bench_fail("no memory");
    }
    r->took[r->n_took++] = now - c->due;
}

static void hear(struct running *r, struct client *c)
{
    void *room = buf_room(&c->in, 16384);
    ssize_t n = room ? recv(c->fd, room, 16384, MSG_DONTWAIT) : -1;

    if (n < 0 && room && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        bench_fail("the server ended a connection: %s",
                   n < 0 ? strerror(errno) : "without an answer");
    buf_grow(&c->in, (size_t)n);
    if (!c->wanted)
        c->wanted = find_end(&c->in);
    if (c->wanted && c->in.len >= c->wanted && c->busy)
        note_answer(r, c, now_s());
}

/* ---- the loop ----------------------------------------------------------- */

/* Begin what is to begin; how long there is to wait for the next. */
static double begin_due(struct running *r, double began)
{
    double now = now_s(), next;

    if (now - began >= r->l->seconds)
        return 0.1;
    if (r->l->rate <= 0) {
        while (r->n_idle > 0)
            ask(r, now_s());
        return 0.1;
    }
    for (;;) {
        next = began + (double)r->n_sent / r->l->rate;
        if (next > now || r->n_idle == 0)
            break;
        ask(r, next);
    }
    return r->n_idle == 0 ? 0.1 : next - now;
}

/* To the microsecond, and asleep: a client that spins has a processor that the
 * server should have. */
static int wait_for(struct running *r, struct epoll_event *events,
                    double seconds)
{
    struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};

    return epoll_pwait2(r->epoll, events, EVENTS, &t, NULL);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct load_result sum_up(struct running *r, double seconds)
{
    struct load_result result = {.answers = r->n_took, .failures = r->n_failed};

    qsort(r->took, r->n_took, sizeof *r->took, by_size);
    result.rate = (double)r->n_took / seconds;
    if (r->n_took > 0) {
        result.median_ms = r->took[r->n_took / 2] * 1e3;
        result.p99_ms = r->took[r->n_took * 99 / 100] * 1e3;
    }
    return result;
}

struct load_result load_run(const struct load *l)
{
    struct running r = {.l = l, .request = BUF_INIT(1 << 20)};
    struct epoll_event events[EVENTS];
    struct load_result result;
    double began, ended;
    int i, n;

    r.epoll = epoll_create1(EPOLL_CLOEXEC);
    r.clients = calloc((size_t)l->connections, sizeof *r.clients);
    r.idle = calloc((size_t)l->connections, sizeof(struct client *));
    if (r.epoll < 0 || !r.clients || !r.idle)
        bench_fail("no memory");
    prctl(PR_SET_TIMERSLACK, 1000);
    open_all(&r);
    began = now_s();
    do {
        n = wait_for(&r, events, begin_due(&r, began));
        for (i = 0; i < n; i++)
            hear(&r, events[i].data.ptr);
        ended = now_s();
    } while (ended - began < l->seconds || r.n_idle < l->connections);
    result = sum_up(&r, ended - began);
    for (i = 0; i < l->connections; i++) {
        close(r.clients[i].fd);
        buf_release(&r.clients[i].in);
    }
    close(r.epoll);
    buf_release(&r.request);
    free(r.clients);
    free(r.idle);
    free(r.took);
    return result;
}
