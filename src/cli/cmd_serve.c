/*
 * cmd_serve.c - `quire serve`: all of it by HTTP
 *
 * It says where it listens when it does, on standard error, so that whoever
 * started it knows when to begin.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/cli.h"
#include "serve/service.h"

extern const struct cmd cmd_serve;

/* "qra_" and 64 hex digits. */
enum { TOKEN_LEN = 4 + 64 };

static struct service *running;

static void note_signal(int number)
{
    int saved = errno;

    (void)number;
    if (running)
        service_stop(running);
    errno = saved;
}

static void block_signals(bool block)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &both, NULL);
}

static void heed_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

/* ---- the admin's token -------------------------------------------------- */

static quire_status make_token(char token[TOKEN_LEN + 1], quire_error *err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[32];
    size_t i;

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return err_sys(err, errno, "the system gives no random bytes");
    memcpy(token, "qra_", 4);
    for (i = 0; i < sizeof bytes; i++) {
        token[4 + 2 * i] = digits[bytes[i] >> 4];
        token[5 + 2 * i] = digits[bytes[i] & 15];
    }
    token[TOKEN_LEN] = '\0';
    return QUIRE_OK;
}

/* The one in `admin.token` of the home, made if there is none. A file that
 * others can read is no secret. */
static quire_status read_token(const char *home, char token[TOKEN_LEN + 1],
                               quire_error *err)
{
    int dir, fd;
    struct stat st;
    ssize_t n;
    quire_status status = fs_open_dir(home, true, &dir, err);

    if (status)
        return status;
    fd = fs_open_beneath(dir, "admin.token", O_RDONLY, 0);
    if (fd < 0 && errno == ENOENT) {
        status = make_token(token, err);
        if (!status)
            status = fs_replace(dir, "admin.token", bytes_of(token, TOKEN_LEN),
                                err);
    } else if (fd < 0 || fstat(fd, &st) < 0) {
        status = err_sys(err, errno, "cannot read %s/admin.token", home);
    } else if (st.st_mode & 077 || st.st_uid != geteuid()) {
        status = err_set(err, QUIRE_INVALID,
                         "%s/admin.token can be read by others", home);
        err_next(err, "make its mode 0600, or give QUIRE_ADMIN_TOKEN");
    } else {
        n = fs_read_at(fd, token, TOKEN_LEN, 0);
        token[n > 0 ? n : 0] = '\0';
        if (n != TOKEN_LEN) {
            status = err_set(err, QUIRE_DAMAGED, "%s/admin.token is no token",
                             home);
            err_next(err, "remove it, and another is made");
        }
    }
    if (fd >= 0)
        close(fd);
    close(dir);
    return status;
}

/* ---- the command -------------------------------------------------------- */

/* "127.0.0.1:7733", "[::1]:0". */
static bool read_listen(const char *text, char host[64], uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    unsigned long n;
    char *end;

    if (!colon || len == 0 || len > 60 || !colon[1])
        return false;
    if (*text == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    memcpy(host, text, len);
    host[len] = '\0';
    if (!strcmp(host, "localhost"))
        strcpy(host, "127.0.0.1");
    n = strtoul(colon + 1, &end, 10);
    *port = (uint16_t)n;
    return !*end && n <= 65535;
}

/* Connections take a descriptor each, and handles several. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int serve_at(struct cli *cli, struct service_config *config)
{
    struct service *service = NULL;
    quire_error err = {0};
    quire_status st = service_open(config, &service, &err);
    bool v6 = strchr(config->host, ':');

    /* Signals wait until there is something to stop, and from when there is
     * nothing any more. */
    if (!st) {
        running = service;
        block_signals(false);
        fprintf(stderr, "listening on http%s://%s%s%s:%u\n",
                config->tls_cert ? "s" : "", v6 ? "[" : "", config->host,
                v6 ? "]" : "", service_port(service));
        st = service_run(service, &err);
        block_signals(true);
        running = NULL;
    }
    service_close(service);
    return st ? cli_fail(cli, &err) : EXIT_DONE;
}

static int serve(struct cli *cli, const struct args *args)
{
    const char *listen = args_text(args, "listen");
    const char *given = getenv("QUIRE_ADMIN_TOKEN");
    struct service_config config = {.home = quire_home(cli->q)};
    char host[64], token[TOKEN_LEN + 1];
    const char **hosts;
    quire_error err = {0};
    size_t n = 0;
    int code;

    if (!read_listen(listen ? listen : "127.0.0.1:7733", host, &config.port))
        return cli_usage(cli, "one looks like 127.0.0.1:7733",
                         "%s is no address to listen at", listen);
    config.tls_cert = args_text(args, "tls-cert");
    config.tls_key = args_text(args, "tls-key");
    if (!config.tls_cert != !config.tls_key)
        return cli_usage(cli, "give both, --tls-cert FILE --tls-key FILE",
                         "a certificate and its key belong together");
    if (given && *given)
        config.admin_token = given;
    else if (read_token(config.home, token, &err))
        return cli_fail(cli, &err);
    else
        config.admin_token = token;
    while (args_list(args, "host", n))
        n++;
    hosts = calloc(n + 1, sizeof *hosts);
    if (!hosts)
        return cli_fail(cli, (err_memory(&err), &err));
    for (; n > 0; n--)
        hosts[n - 1] = args_list(args, "host", n - 1);
    config.hosts = hosts;
    config.host = host;
    block_signals(true);
    heed_signals();
    raise_limit();
    code = serve_at(cli, &config);
    free(hosts);
    return code;
}

static const struct opt serve_opts[] = {
    {.name = "listen",
     .kind = OPT_TEXT,
     .value = "HOST:PORT",
     .help = "where to listen; 127.0.0.1:7733 unless given, port 0 takes any "
             "that is free"},
    {.name = "host",
     .kind = OPT_LIST,
     .value = "NAME",
     .help = "another name that clients may call it by; may be given again"},
    {.name = "tls-cert",
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "serve HTTPS with this certificate, and what leads to its root "
             "behind it, in PEM"},
    {.name = "tls-key",
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "the key of the certificate; nobody else may be able to read it"},
    {0},
};

const struct cmd cmd_serve = {
    .name = "serve",
    .args = "",
    .summary = "serve sessions, artifacts and blobs by HTTP",
    .about =
        "Listens until SIGINT or SIGTERM, then answers what is under way and "
        "ends. Says `listening on http://HOST:PORT` on standard error when it "
        "does. Each tenant asks with its token, `Authorization: Bearer "
        "qrt_...` (`quire tenant add`); the admin, below /v1/admin, with the one "
        "in QUIRE_ADMIN_TOKEN, else in `admin.token` of the home, which is made "
        "if it is not there. With a certificate and its key it is HTTPS. "
        "/openapi.json describes all there is.",
    .opts = serve_opts,
    .examples = "timeout 1 quire serve --listen 127.0.0.1:0 || true",
    .store = STORE_WRITE,
    .run = serve,
};
