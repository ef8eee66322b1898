/* Answers that clients do not read: how much memory one owner can hold. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "http/http.h"
#include "support/test.h"

enum { CLIENTS = 60, ANSWER = 60000, HELD_MAX = 2 << 20 };

/* "/2/60000": owner and length. */
static void answer(void *ctx, struct exchange *x)
{
    const char *path = exchange_head(x)->path.data;
    struct response a = response_new();
    size_t n = strtoul(path + 3, NULL, 10);
    char *text = test_alloc(n);

    (void)ctx;
    memset(text, 'x', n);
    a.status = 200;
    buf_add(&a.body, text, n);
    exchange_own(x, (uint64_t)(path[1] - '0'));
    exchange_respond(x, &a);
}

static void *serve(void *http)
{
    OK(http_run(http, &test_err));
    return NULL;
}

struct site {
    struct http *http;
    pthread_t thread;
    int fds[3 * CLIENTS];
    int n;
};

/* With a small buffer, so that what is not read stays in the server. */
static void open_site(struct site *s)
{
    struct http_config c = HTTP_CONFIG_INIT;
    int small = 4096;
    uint16_t port;

    *s = (struct site){.n = 0};
    OK(http_listen("127.0.0.1", 0, &c.listener, &port, &test_err));
    EQ(0, setsockopt(c.listener, SOL_SOCKET, SO_SNDBUF, &small, sizeof small));
    c.loops = 1;
    c.held_max = HELD_MAX;
    c.handler = answer;
    OK(http_open(&c, &s->http, &test_err));
    close(c.listener);
    EQ(0, pthread_create(&s->thread, NULL, serve, s->http));
}

static void close_site(struct site *s)
{
    while (s->n > 0)
        close(s->fds[--s->n]);
    http_drain(s->http, 0);
    pthread_join(s->thread, NULL);
    http_close(s->http);
}

/* Send a request and read the status of its answer, but not the answer. */
static int ask(struct site *s, const char *method, const char *path)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(http_port(s->http)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char text[200];
    int small = 4096, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    YES(fd >= 0 && s->n < 3 * CLIENTS);
    s->fds[s->n++] = fd;
    EQ(0, setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small));
    EQ(0, connect(fd, (struct sockaddr *)&to, sizeof to));
    snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             method, path);
    EQ((ssize_t)strlen(text), write(fd, text, strlen(text)));
    EQ(12, recv(fd, text, 12, MSG_WAITALL));
    text[12] = '\0';
    return (int)strtol(text + 9, NULL, 10);
}

static int count(struct site *s, const char *method, const char *path,
                 int status)
{
    int i, n = 0;

    for (i = 0; i < CLIENTS; i++)
        n += ask(s, method, path) == status;
    return n;
}

TEST(one_owner_holds_half_of_the_memory_with_small_answers)
{
    struct site s;
    int n;

    open_site(&s);
    n = count(&s, "GET", "/1/60000", 200);
    YES(n >= 17 && n < 24);
    EQ(503, ask(&s, "GET", "/1/60000"));
    EQ(200, ask(&s, "GET", "/1/100"));
    EQ(200, ask(&s, "GET", "/2/60000"));
    close_site(&s);
}

TEST(an_answer_of_a_write_is_dropped_only_for_what_its_owner_holds)
{
    struct site s;

    open_site(&s);
    YES(count(&s, "POST", "/1/60000", 507) > 30);
    EQ(200, ask(&s, "POST", "/1/3000"));
    EQ(200, ask(&s, "POST", "/2/60000"));
    close_site(&s);
}

TEST(what_all_hold_refuses_large_answers_to_get_alone)
{
    struct site s;

    open_site(&s);
    count(&s, "GET", "/1/70000", 200);
    count(&s, "GET", "/2/70000", 200);
    EQ(503, ask(&s, "GET", "/3/900000"));
    EQ(200, ask(&s, "GET", "/3/60000"));
    EQ(200, ask(&s, "POST", "/3/900000"));
    close_site(&s);
}
