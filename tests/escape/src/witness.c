/*
 * witness.c - a process outside, which notes whoever reaches it
 *
 *     witness FACTS LOG SECRET_FILE SOCKET_PATH TOKEN
 *
 * It listens on TCP, UDP, a unix socket with a path and two without, hears every
 * signal, has shared memory, message queues and a page of memory with TOKEN in
 * them, and knocks at two addresses where nobody should listen. FACTS gets what
 * an attempt may know of it, as assignments for a shell; LOG a line for each
 * thing that happened. Ends when its input does.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { TCP, TCP6, UDP, PATH, ABSTRACT, DGRAM, N_DOORS };
static const char *const door_name[N_DOORS] = {"tcp",  "tcp6",     "udp",
                                               "unix", "abstract", "abstract"};
static int door[N_DOORS];
static int log_fd, secret_fd;
static char page[128]; /* TOKEN, in memory */

static void note(const char *what)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s\n", what);

    if (write(log_fd, line, (size_t)n) != n)
        _exit(3);
}

static void hear(int sig)
{
    char words[] = "signal 00";
    int saved = errno;

    words[7] = (char)('0' + sig / 10);
    words[8] = (char)('0' + sig % 10);
    note(words);
    errno = saved;
}

static void hear_all(void)
{
    int sig;

    for (sig = 1; sig < 32; sig++)
        if (sig != SIGKILL && sig != SIGSTOP && sig != SIGPIPE)
            signal(sig, hear);
    signal(SIGPIPE, SIG_IGN);
}

/* ---- doors --------------------------------------------------------------- */

static unsigned port_of(int fd)
{
    struct sockaddr_storage at = {0};
    socklen_t len = sizeof at;

    if (fd < 0 || getsockname(fd, (struct sockaddr *)&at, &len) < 0)
        return 0;
    return at.ss_family == AF_INET6
               ? ntohs(((struct sockaddr_in6 *)&at)->sin6_port)
               : ntohs(((struct sockaddr_in *)&at)->sin_port);
}

static int open_door(int type, const void *at, size_t len)
{
    int family = ((const struct sockaddr *)at)->sa_family;
    int fd = socket(family, type | SOCK_CLOEXEC, 0);

    if (fd >= 0 && bind(fd, at, (socklen_t)len) == 0 &&
        (type == SOCK_DGRAM || listen(fd, 16) == 0))
        return fd;
    close(fd);
    return -1;
}

static socklen_t unix_name(struct sockaddr_un *un, const char *name,
                           int abstract)
{
    memset(un, 0, sizeof *un);
    un->sun_family = AF_UNIX;
    snprintf(un->sun_path + abstract, sizeof un->sun_path - 1, "%s", name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) +
                       1);
}

static void open_doors(const char *path, const char *name)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_un un;
    char dgram[80];
    socklen_t len;

    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    door[TCP] = open_door(SOCK_STREAM, &in, sizeof in);
    door[TCP6] = open_door(SOCK_STREAM, &in6, sizeof in6);
    door[UDP] = open_door(SOCK_DGRAM, &in, sizeof in);
    len = unix_name(&un, path, 0);
    unlink(path);
    door[PATH] = open_door(SOCK_STREAM, &un, len);
    len = unix_name(&un, name, 1);
    door[ABSTRACT] = open_door(SOCK_STREAM, &un, len);
    snprintf(dgram, sizeof dgram, "%s-dgram", name);
    len = unix_name(&un, dgram, 1);
    door[DGRAM] = open_door(SOCK_DGRAM, &un, len);
}

/* The secret, as a descriptor, to whoever came in. */
static void handle_out(int to)
{
    union {
        char space[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    char byte = '.';
    struct iovec iov = {&byte, 1};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
    struct cmsghdr *c;

    memset(&control, 0, sizeof control);
    msg.msg_control = control.space;
    msg.msg_controllen = sizeof control.space;
    c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &secret_fd, sizeof(int));
    if (sendmsg(to, &msg, MSG_NOSIGNAL) < 0)
        note("hand");
}

static void answer(int i)
{
    char buf[64];
    int fd;

    note(door_name[i]);
    if (i == UDP || i == DGRAM) {
        if (recv(door[i], buf, sizeof buf, MSG_DONTWAIT) < 0)
            note("recv");
        return;
    }
    fd = accept4(door[i], NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0 && (i == PATH || i == ABSTRACT))
        handle_out(fd);
    close(fd);
}

/* Does anybody listen where nobody should? */
static void knock(unsigned port, const char *name)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_un un;
    socklen_t len = unix_name(&un, name, 1);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int ux = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    in.sin_port = htons((uint16_t)port);
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&in, sizeof in) == 0)
        note("listens");
    if (connect(ux, (struct sockaddr *)&un, len) == 0)
        note("listens");
    close(fd);
    close(ux);
}

/* ---- what it owns -------------------------------------------------------- */

/* A number from the token: keys and names that no other witness has. */
static int own_number(const char *token)
{
    unsigned h = 5381;

    while (*token)
        h = h * 33 + (unsigned char)*token++;
    return (int)(h & 0x3fffffff) + 1;
}

static void share(const char *token)
{
    int key = own_number(token);
    int shm = shmget(key, 4096, IPC_CREAT | 0600);
    int q = msgget(key, IPC_CREAT | 0600);
    char name[64], text[96];
    struct {
        long type;
        char text[96];
    } m = {.type = 1};
    void *at = shm < 0 ? (void *)-1 : shmat(shm, NULL, 0);
    struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 128};
    mqd_t mq;
    int fd;

    snprintf(text, sizeof text, "%s-shared", token);
    if (at != (void *)-1)
        memcpy(at, text, sizeof text);
    snprintf(m.text, sizeof m.text, "%s", text);
    if (q >= 0 && msgsnd(q, &m, sizeof m.text, IPC_NOWAIT) < 0)
        note("msgsnd");
    snprintf(name, sizeof name, "/quire-escape-%d", key);
    mq = mq_open(name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, &attr);
    if (mq >= 0 && mq_send(mq, text, strlen(text), 0) < 0)
        note("mq_send");
    fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        note("shm");
    /* -4: the keyring of the user. */
    snprintf(name, sizeof name, "quire-escape-%d", key);
    syscall(SYS_add_key, "user", name, text, strlen(text), -4);
}

static void unshare_all(const char *token, const char *path)
{
    int key = own_number(token);
    char name[64];

    shmctl(shmget(key, 4096, 0600), IPC_RMID, NULL);
    msgctl(msgget(key, 0600), IPC_RMID, NULL);
    snprintf(name, sizeof name, "/quire-escape-%d", key);
    mq_unlink(name);
    shm_unlink(name);
    unlink(path);
}

static void tell(const char *facts, const char *name, const char *token,
                 unsigned empty_port)
{
    char *tmp = NULL;
    FILE *f;

    if (asprintf(&tmp, "%s.new", facts) < 0 || !(f = fopen(tmp, "we")))
        _exit(3);
    fprintf(f, "WPID=%d PORT=%u PORT6=%u UPORT=%u FREE=%u\n", (int)getpid(),
            port_of(door[TCP]), port_of(door[TCP6]), port_of(door[UDP]),
            empty_port);
    fprintf(f, "ABSTRACT=%s WMEM=%p WFD=%d KEY=%d\n", name, (void *)page,
            secret_fd, own_number(token));
    if (fclose(f) != 0 || rename(tmp, facts) != 0)
        _exit(3);
    free(tmp);
}

/* Below those that the kernel hands out: whoever connects to one of these from
 * nowhere may meet itself. */
static unsigned unused_port(const char *token)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    unsigned port = 12000 + (unsigned)own_number(token) % 15000;
    int fd = -1;

    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (; fd < 0 && port < 32000; port++) {
        in.sin_port = htons((uint16_t)port);
        fd = open_door(SOCK_STREAM, &in, sizeof in);
    }
    close(fd);
    return port - 1;
}

int main(int argc, char **argv)
{
    struct pollfd ask[N_DOORS + 1];
    char name[64], back[80];
    unsigned port;
    int i;

    if (argc != 6)
        return 2;
    log_fd = open(argv[2], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    secret_fd = open(argv[3], O_RDWR | O_CLOEXEC);
    snprintf(page, sizeof page, "%s-memory", argv[5]);
    snprintf(name, sizeof name, "quire-escape-%d", own_number(argv[5]));
    snprintf(back, sizeof back, "%s-back", name);
    hear_all();
    open_doors(argv[4], name);
    share(argv[5]);
    port = unused_port(argv[5]);
    tell(argv[1], name, argv[5], port);
    for (i = 0; i < N_DOORS; i++)
        ask[i] = (struct pollfd){.fd = door[i], .events = POLLIN};
    ask[N_DOORS] = (struct pollfd){.fd = 0, .events = POLLIN};
    while (!ask[N_DOORS].revents) {
        if (poll(ask, N_DOORS + 1, 100) < 0)
            ask[N_DOORS].revents = 0;
        else
            for (i = 0; i < N_DOORS; i++)
                if (ask[i].revents)
                    answer(i);
        knock(port, back);
    }
    unshare_all(argv[5], argv[4]);
    return 0;
}
