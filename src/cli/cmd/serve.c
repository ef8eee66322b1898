/*
 * serve.c - `quire serve`: the HTTP server
 *
 * Prints the address on standard error once it accepts connections.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/cmd/session.h"
#include "cli/cmd/open.h"
#include "cli/core/cli.h"
#include "cli/core/server_file.h"
#include "cli/cmd/commands.h"
#include "server/sd_notify.h"
#include "server/server.h"

/* "qra_" and 64 hex digits. */
enum { TOKEN_LEN = 4 + 64 };

static struct server *running;

/* Whether it was started from a terminal. */
static bool had_terminal;

static bool has_terminal(void)
{
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* SIGHUP means reload, or that the terminal is closed. A second SIGINT ends the
 * server at once. */
static void handle_signal(int number)
{
    static volatile sig_atomic_t interrupts;
    int saved = errno;

    if (running && number == SIGHUP && !(had_terminal && !has_terminal()))
        server_ask_reload(running);
    else if (running)
        server_stop(running, number == SIGINT && interrupts++ > 0);
    errno = saved;
}

static void block_signals(bool block)
{
    sigset_t all;

    sigemptyset(&all);
    sigaddset(&all, SIGINT);
    sigaddset(&all, SIGTERM);
    sigaddset(&all, SIGHUP);
    pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = handle_signal};

    had_terminal = has_terminal();
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

/* ---- the admin's token -------------------------------------------------- */

static quire_status make_token(char token[TOKEN_LEN + 1], quire_error *err)
{
    unsigned char random[32];
    quire_status st = rand_bytes(&rand_system, random, sizeof random, err);

    if (st)
        return st;
    strcpy(token, "qra_");
    hex_encode(random, sizeof random, token + 4);
    explicit_bzero(random, sizeof random);
    return QUIRE_OK;
}

/* The token in `admin.token` of the home, created if absent. Refuses a file that
 * others can read. */
static quire_status read_token(const char *home, char *token, quire_error *err)
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
        status = err_fail(err, QUIRE_INVALID,
                          "set its mode to 0600, or set QUIRE_ADMIN_TOKEN",
                          "%s/admin.token can be read by others", home);
    } else {
        n = fs_read_at(fd, token, TOKEN_LEN, 0);
        token[n > 0 ? n : 0] = '\0';
        if (n != TOKEN_LEN) {
            status = err_fail(err, QUIRE_DAMAGED,
                              "remove it; the next start creates a new one",
                              "%s/admin.token is not a token", home);
        }
    }
    if (fd >= 0)
        close(fd);
    close(dir);
    return status;
}

/* ---- settings ----------------------------------------------------------- */

/* Where settings come from, at the start and with each SIGHUP. */
struct sources {
    const quire_options *store;
    const char *token; /* from the environment; NULL: the file */
    bool has_rate, has_burst;
    uint64_t rate, burst; /* from the command line */
};

static quire_status read_number(quire *q, const char *key, uint64_t *out,
                                quire_error *err)
{
    quire_setting s;
    quire_status st = quire_config_get(q, key, &s, err);

    if (!st)
        *out = strtoull(s.value, NULL, 10);
    return st;
}

static quire_status read_settings(void *ctx, struct server_settings *out,
                                  quire_error *err)
{
    const struct sources *from = ctx;
    quire_options o = *from->store;
    quire_setting watch;
    quire *q = NULL;
    quire_status st = QUIRE_OK;

    if (from->token)
        snprintf(out->admin_token, sizeof out->admin_token, "%s", from->token);
    else
        st = read_token(from->store->home, out->admin_token, err);
    if (!st)
        st = quire_open(&o, &q, err);
    if (!st)
        st = read_number(q, "serve.rate", &out->rate, err);
    if (!st)
        st = read_number(q, "serve.burst", &out->burst, err);
    if (!st)
        st = quire_config_get(q, "import.watch", &watch, err);
    if (!st)
        out->import_watch = !strcmp(watch.value, "on");
    quire_close(q);
    if (from->has_rate)
        out->rate = from->rate;
    if (from->has_burst)
        out->burst = from->burst;
    return st;
}

/* ---- where to listen ---------------------------------------------------- */

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

/* The address of a socket passed by systemd. */
static void name_socket(int fd, char host[64])
{
    struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
    socklen_t len = sizeof at;

    strcpy(host, "localhost");
    if (getsockname(fd, (struct sockaddr *)&at, &len) < 0)
        return;
    if (at.ss_family == AF_INET6)
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&at)->sin6_addr, host, 64);
    else if (at.ss_family == AF_INET)
        inet_ntop(AF_INET, &((struct sockaddr_in *)&at)->sin_addr, host, 64);
}

/* Whether only this machine can connect. Without an address it is a socket of
 * systemd that is not of the network. */
static bool is_loopback(const char *host)
{
    struct in6_addr six;
    struct in_addr four;

    if (inet_pton(AF_INET, host, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, host, &six) == 1)
        return IN6_IS_ADDR_LOOPBACK(&six) ||
               (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
    return true;
}

static void warn_plain(struct cli *cli, const struct server_config *config)
{
    if (!config->tls_cert && !is_loopback(config->host))
        session_warn(cli, "unencrypted",
                     "other machines can connect to %s, and tokens and content "
                     "travel unencrypted; give --tls-cert and --tls-key, or "
                     "listen at 127.0.0.1 behind a TLS proxy",
                     config->host);
}

/* "http://127.0.0.1:7733". */
static void write_url(const struct server_config *config, uint16_t port,
                      const char *host, char url[SERVER_URL_SIZE])
{
    bool v6 = strchr(host, ':');

    snprintf(url, SERVER_URL_SIZE, "http%s://%s%s%s:%u",
             config->tls_cert ? "s" : "", v6 ? "[" : "", host, v6 ? "]" : "",
             port);
}

/* How a browser on this machine reaches it. */
static const char *local_host(const char *host)
{
    return !strcmp(host, "0.0.0.0") ? "127.0.0.1"
           : !strcmp(host, "::")    ? "::1"
                                    : host;
}

/* ---- the command -------------------------------------------------------- */

/* Print the address that opens the viewer. A failure is only a warning: the server
 * can be used without it. */
static void print_login(struct cli *cli, const char *url)
{
    char login[LOGIN_URL_SIZE];
    quire_error err = {0};

    if (!login_url(cli->q, "default", url, NULL, login, &err))
        fprintf(stderr, "open %s\n", login);
    else
        session_warn(cli, "no_login", "%s", err.what);
}

static quire_status run_server(struct cli *cli,
                               const struct server_config *config,
                               struct server *service, bool login,
                               quire_error *err)
{
    char url[SERVER_URL_SIZE];
    const char *home = server_home(service);
    quire_status st;
    int fd;

    write_url(config, server_port(service), local_host(config->host), url);
    if (server_file_hold(home, url, &fd, err))
        session_warn(cli, "no_server_file",
                     "%s; `quire open` will not find this server", err->what);
    if (login)
        print_login(cli, url);
    st = server_run(service, err);
    server_file_drop(home, fd);
    return st;
}

static int serve_at(struct cli *cli, struct server_config *config, bool login)
{
    struct server *service = NULL;
    char url[SERVER_URL_SIZE];
    quire_error err = {0};
    quire_status st = server_open(config, &service, &err);

    /* Signals are blocked except while the server runs. */
    if (!st) {
        running = service;
        block_signals(false);
        write_url(config, server_port(service), config->host, url);
        fprintf(stderr, "listening on %s\n", url);
        warn_plain(cli, config);
        st = run_server(cli, config, service, login, &err);
        block_signals(true);
        running = NULL;
    }
    server_close(service);
    return st ? cli_fail(cli, &err) : EXIT_DONE;
}

/* The values of an option, ended by NULL; the caller frees it. */
static const char **list_of(const struct args *args, const char *name)
{
    const char **list;
    size_t n = 0;

    while (args_list(args, name, n))
        n++;
    list = calloc(n + 1, sizeof *list);
    for (; list && n > 0; n--)
        list[n - 1] = args_list(args, name, n - 1);
    return list;
}

/* "https://app.example", "http://localhost:5173": what a browser sends. */
static bool is_origin(const char *text)
{
    const char *host = !strncmp(text, "http://", 7)    ? text + 7
                       : !strncmp(text, "https://", 8) ? text + 8
                                                       : "";

    return *host && strlen(host) < 300 && !strpbrk(host, "/?#@ *,\r\n\t");
}

static enum server_log log_of(const char *word)
{
    return !word || !strcmp(word, "errors") ? SERVER_LOG_ERRORS
           : !strcmp(word, "all")           ? SERVER_LOG_ALL
                                            : SERVER_LOG_NONE;
}

static void find_sources(const struct args *args, struct sources *from)
{
    const char *token = getenv("QUIRE_ADMIN_TOKEN");

    from->token = token && *token ? token : NULL;
    from->has_rate = args_text(args, "rate");
    from->has_burst = args_text(args, "burst");
    from->rate = args_number(args, "rate", 0);
    from->burst = args_number(args, "burst", 0);
}

static int serve(struct cli *cli, const struct args *args)
{
    const char *listen = args_text(args, "listen"), **hosts, **origins;
    quire_options store = QUIRE_OPTIONS_INIT;
    struct server_config config = {.store = &store,
                                   .log = log_of(args_text(args, "log")),
                                   .settings = read_settings};
    struct sources from = {.store = &store};
    char host[64];
    quire_error err = {0};
    size_t i;
    int code;

    if (!read_listen(listen ? listen : "127.0.0.1:7733", host, &config.port))
        return cli_usage(cli, "give HOST:PORT, such as 127.0.0.1:7733",
                         "--listen needs an address, not `%s`", listen);
    cli_store_options(args, &store);
    store.home = quire_home(cli->q);
    store.tenant = "default";
    if (store.database)
        store.peer = cli->q; /* its connections are for all */
    config.mcp_run = args_flag(args, "mcp-run");
    config.tls_cert = args_text(args, "tls-cert");
    config.tls_key = args_text(args, "tls-key");
    if (!config.tls_cert != !config.tls_key)
        return cli_usage(cli, "give both, --tls-cert FILE --tls-key FILE",
                         "%s is missing",
                         config.tls_cert ? "--tls-key" : "--tls-cert");
    for (i = 0; args_list(args, "allow-origin", i); i++)
        if (!is_origin(args_list(args, "allow-origin", i)))
            return cli_usage(cli, "give one such as https://app.example",
                             "--allow-origin needs an origin, not `%s`",
                             args_list(args, "allow-origin", i));
    if (sd_notify_take_listener(&config.listener, &err))
        return cli_fail(cli, &err);
    if (config.listener >= 0)
        name_socket(config.listener, host);
    find_sources(args, &from);
    config.ctx = &from;
    config.hosts = hosts = list_of(args, "host");
    config.origins = origins = list_of(args, "allow-origin");
    config.host = host;
    block_signals(true);
    catch_signals();
    code = hosts && origins ? serve_at(cli, &config,
                                       args_flag(args, "print-login") ||
                                           isatty(STDERR_FILENO))
                            : cli_fail(cli, (err_memory(&err), &err));
    free(hosts);
    free(origins);
    return code;
}

static const struct opt serve_opts[] = {
    {.name = "listen",
     .kind = OPT_TEXT,
     .value = "HOST:PORT",
     .help = "where to listen; 127.0.0.1:7733 unless given, port 0 for any "
             "free port"},
    {.name = "host",
     .kind = OPT_LIST,
     .value = "NAME",
     .help = "another host name to accept; may be given again"},
    {.name = "allow-origin",
     .kind = OPT_LIST,
     .value = "ORIGIN",
     .help = "another origin to accept, such as https://app.example; may be "
             "given again"},
    {.name = "rate",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "requests a second for each tenant, 0 for no limit; the setting "
             "serve.rate unless given"},
    {.name = "burst",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "requests at once for each tenant; the setting serve.burst unless "
             "given"},
    {.name = "log",
     .kind = OPT_CHOICE,
     .value = "none|errors|all",
     .help = "which requests to log on standard error, a JSON object each; "
             "`errors`, server errors, unless given"},
    {.name = "mcp-run",
     .kind = OPT_FLAG,
     .help = "let clients of /mcp run commands, confined as `quire run` does"},
    {.name = "print-login",
     .kind = OPT_FLAG,
     .help = "print the address that opens the viewer, which holds a token; "
             "without it only on a terminal"},
    {.name = "tls-cert",
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "serve HTTPS with this certificate chain, in PEM"},
    {.name = "tls-key",
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "the certificate's private key, readable by its owner only"},
    {0},
};

const struct cmd cmd_serve = {
    .name = "serve",
    .args = "",
    .summary = "serve sessions, artifacts, memory and events over HTTP",
    .about =
        "Prints `listening on http://HOST:PORT` on standard error, and serves "
        "until SIGINT or SIGTERM; then it finishes running requests and ends. "
        "On a terminal a second line, `open http://HOST:PORT/#token=...`, has "
        "the address of the viewer for the home's own sessions (`quire open` "
        "opens it at any time). "
        "Tenants authenticate with their token, `Authorization: Bearer "
        "qrt_...` (`quire tenant add`). The admin token, for /v1/admin, is "
        "QUIRE_ADMIN_TOKEN, else the file `admin.token` in the home, which is "
        "created if absent. /openapi.json describes all routes; /mcp is the "
        "Model Context Protocol. SIGHUP reloads admin.token, the settings and "
        "the certificate, unless the terminal was closed. A socket passed by "
        "systemd replaces --listen.",
    .opts = serve_opts,
    .examples = "timeout 1 quire serve --listen 127.0.0.1:0 || true",
    .store = STORE_WRITE,
    .stays = true,
    .run = serve,
};
