/*
 * open.c - `quire open`: the viewer in a browser
 *
 * The address has a token in its fragment, which browsers do not send, but command
 * lines are public: the browser gets the name of a private file that leads to the
 * address, and the file is removed soon after.
 */
#include "cli/cmd/open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/core/cli.h"
#include "cli/core/detach.h"
#include "cli/core/server_file.h"

/* How long a token is valid; how long a server may take to start; how long a browser
 * may take to read the file. */
#define LOGIN_US (INT64_C(30) * 24 * 3600 * 1000000)
enum { START_MS = 10000, STEP_MS = 20, READ_S = 20, PORT = 7733 };

quire_status login_url(quire *q, const char *tenant, const char *server,
                       const char *session, char url[LOGIN_URL_SIZE],
                       quire_error *err)
{
    quire_token t = {.label = "viewer",
                     .flags = QUIRE_TOKEN_LOCAL,
                     .expires_us = clock_us(&clock_system) + LOGIN_US};
    char token[QUIRE_TOKEN_SIZE];
    quire_status st = quire_token_add(q, tenant, &t, token, err);

    url[0] = '\0';
    if (st)
        return st;
    snprintf(url, LOGIN_URL_SIZE, "%s/#token=%s%s%s", server, token,
             session ? "&to=/session/" : "", session ? session : "");
    explicit_bzero(token, sizeof token);
    return QUIRE_OK;
}

/* ---- the server --------------------------------------------------------- */

static bool port_is_free(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    bool is_free;

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_free = fd >= 0 &&
              !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) &&
              !bind(fd, (struct sockaddr *)&at, sizeof at);
    if (fd >= 0)
        close(fd);
    return is_free;
}

/* At the usual port if that is free. False: it could not be started. */
static bool start_server(const char *home)
{
    char path[PATH_MAX], listen[32];
    char *argv[] = {(char[]){"quire"},
                    (char[]){"--home"},
                    path,
                    (char[]){"serve"},
                    (char[]){"--listen"},
                    listen,
                    NULL};

    snprintf(listen, sizeof listen, "127.0.0.1:%d",
             port_is_free(PORT) ? PORT : 0);
    return realpath(home, path) && detach_run(argv, 0);
}

static quire_status wait_server(const char *home, struct server_file *out,
                                quire_error *err)
{
    int64_t until = clock_steady_us() + START_MS * INT64_C(1000);
    quire_status st;

    while ((st = server_file_find(home, out, err)) == QUIRE_NOT_FOUND &&
           clock_steady_us() < until)
        usleep(STEP_MS * 1000);
    return st;
}

/* The running server of the home; if there is none, start one. */
static quire_status need_server(struct cli *cli, struct server_file *out,
                                quire_error *err)
{
    const char *home = quire_home(cli->q);
    quire_status st = server_file_find(home, out, err);

    if (st != QUIRE_NOT_FOUND)
        return st;
    if (!start_server(home))
        return err_sys(err, errno, "cannot start a server");
    st = wait_server(home, out, err);
    if (st == QUIRE_NOT_FOUND)
        return err_fail(err, QUIRE_IO, "run `quire serve` to see why",
                        "the server did not start");
    if (!st && !cli->quiet)
        fprintf(stderr, "a server runs in the background now; "
                        "`quire open --stop` ends it\n");
    return st;
}

static int stop_server(struct cli *cli)
{
    struct server_file server;
    quire_error err = {0};
    quire_status st = server_file_find(quire_home(cli->q), &server, &err);

    if (st == QUIRE_NOT_FOUND) {
        err_fail(&err, st, "", "no server runs for this home");
        return cli_fail(cli, &err);
    }
    if (!st && kill(server.pid, SIGTERM))
        st = err_sys(&err, errno, "cannot end process %d", server.pid);
    return st ? cli_fail(cli, &err) : EXIT_DONE;
}

/* ---- the browser -------------------------------------------------------- */

/* The program that opens an address; NULL: none, or nowhere to show it. */
static const char *find_browser(void)
{
    const char *browser = getenv("BROWSER");

    if (browser && *browser)
        return browser;
    if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY"))
        return "xdg-open";
    return NULL;
}

/* Write the private file. */
static quire_status write_file(const char *home, const char *url, char *path,
                               size_t room, quire_error *err)
{
    char page[LOGIN_URL_SIZE + 128];
    int dir;
    quire_status st = fs_open_dir(home, false, &dir, err);

    if (st)
        return st;
    snprintf(path, room, "%s/open.html", home);
    snprintf(page, sizeof page,
             "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; "
             "url=%s\"><title>Quire</title>\n",
             url);
    st = fs_replace(dir, "open.html", bytes_str(page), err);
    close(dir);
    explicit_bzero(page, sizeof page);
    return st;
}

/* Run the browser, and remove the file once it has been read. */
static void run_browser(const char *browser, const char *path)
{
    pid_t child;

    setsid();
    child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execlp(browser, browser, path, (char *)NULL);
        _exit(1);
    }
    sleep(READ_S);
    unlink(path);
    _exit(0);
}

/* False: there is no browser. */
static bool show(struct cli *cli, const char *url)
{
    const char *browser = find_browser();
    char path[4200];
    quire_error err = {0};
    pid_t child;

    if (!browser)
        return false;
    if (write_file(quire_home(cli->q), url, path, sizeof path, &err)) {
        session_warn(cli, "no_browser", "%s", err.what);
        return false;
    }
    child = fork();
    if (child == 0)
        run_browser(browser, path);
    return child > 0;
}

/* ---- the command -------------------------------------------------------- */

static quire_status find_session(struct cli *cli, const struct args *args,
                                 const char **id, quire_error *err)
{
    *id = NULL;
    return args->n_words ? quire_session_id(cli->q, args->words[0], id, err)
                         : QUIRE_OK;
}

static int open_viewer(struct cli *cli, const struct args *args)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct server_file server;
    char url[LOGIN_URL_SIZE], id[256] = "";
    const char *session;
    quire_error err = {0};
    quire_status st;
    struct row r;

    if (args_flag(args, "stop"))
        return stop_server(cli);
    cli_store_options(args, &o);
    st = find_session(cli, args, &session, &err);
    if (!st && session)
        snprintf(id, sizeof id, "%s", session);
    if (!st)
        st = need_server(cli, &server, &err);
    if (!st)
        st = login_url(cli->q, o.tenant ? o.tenant : "default", server.url,
                       *id ? id : NULL, url, &err);
    if (st)
        return session_fail(cli, &err);
    if (!args_flag(args, "print") && !cli->json && show(cli, url))
        return EXIT_DONE;
    if (row_begin(&r, cli))
        json_put_str(&r.json, "url", url);
    else
        buf_add_str(&r.text, url);
    row_print(&r);
    return EXIT_DONE;
}

static const struct opt open_opts[] = {
    {.name = "print",
     .kind = OPT_FLAG,
     .help = "print the address instead of opening a browser"},
    {.name = "stop", .kind = OPT_FLAG, .help = "end the server of this home"},
    {0},
};

const struct cmd cmd_open = {
    .name = "open",
    .args = "[S]",
    .summary = "open the viewer in a browser, with a session or without",
    .about =
        "Starts a server in the background if none serves this home. Without a "
        "browser, or with --print, prints the address. It holds a token in its "
        "fragment, which the browser does not send: the token is valid on this "
        "machine alone, for 30 days. BROWSER names the browser, else it is "
        "xdg-open. With `--json`: url.",
    .opts = open_opts,
    .examples = "quire open --print\n"
                "quire open --stop",
    .store = STORE_WRITE,
    .run = open_viewer,
};
