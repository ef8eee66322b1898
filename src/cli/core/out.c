#include "cli/core/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/core/cli.h"

#define ERASE_LINE "\r\033[K"
#define BOLD       "\033[1m"
#define RED        "\033[1;31m"
#define PLAIN      "\033[0m"

/* ---- setting up --------------------------------------------------------- */

void out_guard_descriptors(void)
{
    /* In the wrong direction on purpose: reading a closed input and writing a
     * closed output must still fail. */
    static const int flags[3] = {O_WRONLY, O_RDONLY, O_RDWR};
    int fd;

    for (fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
            abort();
    }
}

void out_init(struct out *out)
{
    memset(out, 0, sizeof *out);
    out->progress.enabled = isatty(STDERR_FILENO);
    out_colors(out, COLOR_AUTO);
}

static bool env_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

static bool wants_color(int fd, enum color_mode mode)
{
    const char *force = getenv("CLICOLOR_FORCE");
    const char *term = getenv("TERM");

    if (mode != COLOR_AUTO)
        return mode == COLOR_ALWAYS;
    if (env_set("NO_COLOR"))
        return false;
    if (force && *force && strcmp(force, "0") != 0)
        return true;
    return isatty(fd) && (!term || strcmp(term, "dumb") != 0);
}

void out_colors(struct out *out, enum color_mode mode)
{
    out->color = wants_color(STDOUT_FILENO, mode);
    out->color_err = wants_color(STDERR_FILENO, mode);
}

/* ---- the pager ---------------------------------------------------------- */

static bool is_installed(const char *program)
{
    char path[4096];
    const char *at = getenv("PATH");

    while (at && *at) {
        size_t len = strcspn(at, ":");

        snprintf(path, sizeof path, "%.*s/%s", (int)len, at, program);
        if (!access(path, X_OK))
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

void out_use_pager(struct out *out)
{
    const char *pager = getenv("PAGER");
    struct winsize size;

    if (!isatty(STDOUT_FILENO))
        return;
    if (!pager)
        pager = is_installed("less") ? "less" : "";
    if (!*pager || !strcmp(pager, "cat"))
        return;
    out->rows = 24;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row > 1)
        out->rows = size.ws_row;
    out->pager = pager;
}

/* Put the pager between us and the terminal. It handles interrupts from here
 * on, and a pipe that it closes is not an error. */
static void start_pager(struct out *out)
{
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return;
    pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return;
    }
    if (pid == 0) {
        dup2(ends[0], STDIN_FILENO);
        setenv("LESS", "FRX", 0);
        execl("/bin/sh", "sh", "-c", out->pager, (char *)NULL);
        _exit(127);
    }
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    out->pager_pid = pid;
}

/* Whether output is held back until it is known to fit the screen. */
static bool is_undecided(const struct out *out)
{
    return out->pager && !out->pager_pid && out->lines < out->rows;
}

/* ---- results ------------------------------------------------------------ */

static void erase_progress(struct cli *cli)
{
    struct progress *p = &cli->out.progress;

    if (p->visible)
        (void)!write(STDERR_FILENO, ERASE_LINE, strlen(ERASE_LINE));
    p->visible = false;
}

static void write_bytes(struct cli *cli, quire_bytes bytes)
{
    struct out *out = &cli->out;

    if (!bytes.len || out->error)
        return;
    erase_progress(cli);
    if (out->pager && !out->pager_pid && out->lines >= out->rows)
        start_pager(out);
    if (fs_write_all(STDOUT_FILENO, bytes))
        out->error = errno;
}

static void write_buffered(struct cli *cli)
{
    size_t used = cli->out.used;

    cli->out.used = 0;
    write_bytes(cli, bytes_of(cli->out.data, used));
}

void out_write(struct cli *cli, quire_bytes bytes)
{
    struct out *out = &cli->out;
    const char *at = bytes.data, *end = at + bytes.len;

    for (; is_undecided(out) && at < end; at++)
        out->lines += *at == '\n';
    if (bytes.len > sizeof out->data - out->used)
        write_buffered(cli);
    if (bytes.len > sizeof out->data) {
        write_bytes(cli, bytes);
    } else if (bytes.len) {
        memcpy(out->data + out->used, bytes.data, bytes.len);
        out->used += bytes.len;
    }
}

void out_str(struct cli *cli, const char *text)
{
    out_write(cli, bytes_str(text));
}

void out_printf(struct cli *cli, const char *fmt, ...)
{
    char small[1024], *text = small;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n >= (int)sizeof small) {
        va_start(ap, fmt);
        n = vasprintf(&text, fmt, ap);
        va_end(ap);
    }
    if (n < 0) {
        cli->out.error = ENOMEM;
        return;
    }
    out_write(cli, bytes_of(text, (size_t)n));
    if (text != small)
        free(text);
}

void out_line(struct cli *cli, struct buf *b)
{
    if (b->failed)
        cli->out.error = ENOMEM;
    else
        out_write(cli, buf_bytes(b));
    out_str(cli, "\n");
    buf_clear(b);
}

quire_status out_status(struct cli *cli, quire_error *err)
{
    return cli->out.error ? out_flush(cli, err) : QUIRE_OK;
}

void out_discard(struct cli *cli)
{
    cli->out.used = 0;
}

quire_status out_flush(struct cli *cli, quire_error *err)
{
    struct out *out = &cli->out;

    if (!is_undecided(out) && out->used)
        write_buffered(cli);
    if (!out->error)
        return QUIRE_OK;
    return err_sys(err, out->error, "cannot write to standard output");
}

int out_close(struct cli *cli, int code)
{
    struct out *out = &cli->out;
    quire_error err = {0};
    int status = 0;

    progress_end(cli);
    if (out->used)
        write_buffered(cli);
    if (close(STDOUT_FILENO) && !out->error)
        out->error = errno;
    if (out->pager_pid) {
        while (waitpid(out->pager_pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
            err_fail(&err, QUIRE_IO,
                     "set PAGER to an installed program, or give --no-pager",
                     "cannot run the pager `%s`", out->pager);
            return cli_worse(code, cli_fail(cli, &err));
        }
        if (out->error == EPIPE)
            out->error = 0;
    }
    if (out->error) {
        err_sys(&err, out->error, "cannot write to standard output");
        err.status = QUIRE_IO;
        code = cli_worse(code, cli_fail(cli, &err));
    }
    return code;
}

/* ---- errors ------------------------------------------------------------- */

int cli_exit(quire_status status)
{
    switch (status) {
    case QUIRE_OK: return EXIT_DONE;
    case QUIRE_NOT_FOUND:
    case QUIRE_EXISTS:
    case QUIRE_CHANGED:
    case QUIRE_TOO_LARGE:
    case QUIRE_QUOTA: return EXIT_NO;
    case QUIRE_DAMAGED: return EXIT_DAMAGED;
    default: return EXIT_FAILED;
    }
}

int cli_worse(int a, int b)
{
    return a > b ? a : b;
}

/* A message may contain a file name, and that any byte: control characters are
 * escaped. */
static void add_visible(struct buf *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7f)
            buf_addf(out, "\\x%02x", c);
        else
            buf_add_char(out, (char)c);
    }
}

static void report(struct cli *cli, const char *kind, const char *what,
                   const char *hint)
{
    struct buf line = BUF_INIT(16 * 1024);
    bool color = cli->out.color_err;

    out_flush(cli, NULL);
    erase_progress(cli);
    if (cli->json) {
        struct json_writer w;

        json_begin(&w, &line);
        json_object(&w);
        json_put_str(&w, "error", what);
        json_put_str(&w, "kind", kind);
        json_put_str(&w, "hint", hint);
        json_object_end(&w);
        buf_add_char(&line, '\n');
    } else {
        buf_add_str(&line, color ? RED "quire:" PLAIN " " : "quire: ");
        add_visible(&line, what);
        buf_add_char(&line, '\n');
        if (*hint) {
            buf_add_str(&line, color ? BOLD "hint:" PLAIN " " : "hint: ");
            add_visible(&line, hint);
            buf_add_char(&line, '\n');
        }
    }
    fs_write_all(STDERR_FILENO, buf_bytes(&line));
    buf_release(&line);
}

int cli_fail(struct cli *cli, const quire_error *err)
{
    report(cli, quire_status_name(err->status), err->what, err->next);
    return cli_exit(err->status);
}

int cli_usage(struct cli *cli, const char *hint, const char *fmt, ...)
{
    char what[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    report(cli, "usage", what, hint);
    return EXIT_USAGE;
}

/* ---- progress ----------------------------------------------------------- */

void size_text(uint64_t bytes, char *out, size_t cap)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double n = (double)bytes / 1024;
    size_t u = 0;

    if (bytes < 1024) {
        snprintf(out, cap, "%d B", (int)bytes);
        return;
    }
    for (; n >= 1024 && u < 4; u++)
        n /= 1024;
    snprintf(out, cap, "%.1f %s", n, units[u]);
}

static void format_amount(const struct progress *p, uint64_t n, char *out,
                          size_t cap)
{
    if (p->bytes)
        size_text(n, out, cap);
    else
        snprintf(out, cap, "%llu", (unsigned long long)n);
}

void progress_start(struct cli *cli, const char *label, bool bytes)
{
    struct progress *p = &cli->out.progress;

    p->label = label;
    p->bytes = bytes;
    p->start_ms = clock_steady_us() / 1000;
    p->next_ms = p->start_ms + 1000;
}

void progress_at(struct cli *cli, uint64_t done, uint64_t total)
{
    struct progress *p = &cli->out.progress;
    char have[32], all[32], rate[32], line[256], left[32] = "";
    int64_t now;
    double per_s;

    if (!p->enabled || !p->label)
        return;
    now = clock_steady_us() / 1000;
    if (now < p->next_ms)
        return;
    p->next_ms = now + 100;
    per_s = (double)done * 1000 / (double)(now - p->start_ms + 1);
    format_amount(p, done, have, sizeof have);
    format_amount(p, (uint64_t)per_s, rate, sizeof rate);
    if (total > done && per_s > 0) {
        unsigned long s = (unsigned long)((double)(total - done) / per_s);

        snprintf(left, sizeof left, ", %lu:%02lu left", s / 60, s % 60);
    }
    if (total) {
        format_amount(p, total, all, sizeof all);
        snprintf(line, sizeof line, ERASE_LINE "%s: %s of %s (%d%%), %s/s%s",
                 p->label, have, all, (int)((double)done * 100 / (double)total),
                 rate, left);
    } else {
        snprintf(line, sizeof line, ERASE_LINE "%s: %s, %s/s", p->label, have,
                 rate);
    }
    (void)!write(STDERR_FILENO, line, strlen(line));
    p->visible = true;
}

void progress_end(struct cli *cli)
{
    erase_progress(cli);
    cli->out.progress.label = NULL;
}
