/* purge.c - remove a value from everything that the home holds */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

enum { FILES_MAX = 64, VALUE_BYTES = 1 << 20 };

struct purging {
    struct cli *cli;
    bool yes;
};

static quire_status print_place(void *ctx, const quire_purge_place *place,
                                quire_error *err)
{
    const struct purging *p = ctx;
    struct row r;

    if (row_begin(&r, p->cli)) {
        json_put_str(&r.json, "kind", place->kind);
        json_put_str(&r.json, "where", place->where);
        json_put_uint(&r.json, "count", place->count);
        if (*place->session)
            json_put_str(&r.json, "session", place->session);
        if (place->held)
            json_put_bool(&r.json, "held", true);
    } else {
        buf_addf(&r.text, "%-11s %6llu  ", place->kind,
                 (unsigned long long)place->count);
        term_add(&r.text, bytes_str(place->where), true);
        if (place->held)
            buf_add_str(&r.text, "  held: stays");
    }
    return row_emit(&r, err);
}

/* ---- confirmation ---------------------------------------------------------------- */

/* Ask on the terminal itself: standard input may be the value. */
static int confirm(void *ctx, const quire_purge_report *found)
{
    const struct purging *p = ctx;
    FILE *terminal = p->yes ? NULL : fopen("/dev/tty", "r+");
    char line[16] = "";
    bool yes;

    if (p->yes)
        return 1;
    if (!terminal)
        return 0;
    fflush(stdout);
    fprintf(terminal,
            "Mask the value in %llu places? It cannot be undone. [y/N] ",
            (unsigned long long)found->places);
    fflush(terminal);
    yes = fgets(line, sizeof line, terminal) &&
          (line[0] == 'y' || line[0] == 'Y');
    fclose(terminal);
    return yes;
}

static bool can_ask(void)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* ---- values ---------------------------------------------------------------------- */

static quire_status read_value(const char *path, struct arena *keep,
                               quire_bytes *out, quire_error *err)
{
    bool input = !strcmp(path, "-");
    int fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char *text = arena_alloc(keep, VALUE_BYTES + 1);
    ssize_t n = -1;

    if (!text)
        return err_memory(err);
    if (fd >= 0)
        n = fs_read_full(fd, text, VALUE_BYTES + 1);
    if (n < 0)
        err_sys(err, errno, "cannot read %s", input ? "standard input" : path);
    if (fd >= 0 && !input)
        close(fd);
    if (n < 0)
        return QUIRE_IO;
    if (n > VALUE_BYTES)
        return err_set(err, QUIRE_INVALID, "the value in %s is too long", path);
    if (n > 0 && text[n - 1] == '\n')
        n--;
    if (n > 0 && text[n - 1] == '\r')
        n--;
    *out = bytes_of(text, (size_t)n);
    return QUIRE_OK;
}

static quire_status read_values(const struct args *args, struct arena *keep,
                                quire_bytes values[FILES_MAX], size_t *n,
                                quire_error *err)
{
    const char *path;
    quire_status st = QUIRE_OK;

    for (*n = 0; !st && (path = args_list(args, "value-from", *n)); ++*n)
        st = *n < FILES_MAX ? read_value(path, keep, &values[*n], err)
                            : err_set(err, QUIRE_INVALID, "more than %d values",
                                      FILES_MAX);
    return st;
}

/* ---- the command ------------------------------------------------------------------ */

static int print_end(struct cli *cli, const quire_purge_report *r, bool dry)
{
    quire_error err = {0};

    if (out_flush(cli, &err) && !cli->out.error)
        return cli_fail(cli, &err);
    if (cli->json || cli->quiet)
        return EXIT_DONE;
    if (!r->places && !r->held_places)
        fprintf(stderr, "nothing found\n");
    else
        fprintf(stderr, "%s %llu times in %llu places\n",
                dry ? "found" : "purged", (unsigned long long)r->count,
                (unsigned long long)r->places);
    return EXIT_DONE;
}

static int run_purge(struct cli *cli, quire_purge_options *o)
{
    quire_purge_report report = {.places = 0};
    quire_error err = {0};
    quire_status st = quire_purge(cli->q, o, &report, &err);

    if (st == QUIRE_STOPPED && !cli->out.error) {
        fprintf(stderr, "nothing was changed\n");
        return EXIT_NO;
    }
    if (st && cli->out.error)
        return EXIT_DONE;
    if (st == QUIRE_EXISTS || st == QUIRE_BUSY) {
        cli_fail(cli, &err);
        return EXIT_FAILED; /* something stays */
    }
    if (st == QUIRE_INVALID)
        return cli_fail(cli, &err), EXIT_USAGE;
    return st ? cli_fail(cli, &err) : print_end(cli, &report, o->dry_run != 0);
}

static int purge(struct cli *cli, const struct args *args)
{
    quire_purge_options o = QUIRE_PURGE_OPTIONS_INIT;
    quire_options store = QUIRE_OPTIONS_INIT;
    struct purging p = {cli, args_flag(args, "yes")};
    quire_bytes values[FILES_MAX];
    struct arena keep = ARENA_INIT;
    quire_error err = {0};
    int code;

    o.pattern = args_text(args, "pattern");
    o.dry_run = args_flag(args, "dry-run");
    cli_store_options(args, &store);
    o.own_tenant = store.tenant != NULL;
    if (!o.pattern && !args_list(args, "value-from", 0))
        return cli_usage(cli, "usage: quire purge --value-from FILE|-",
                         "give --value-from or --pattern");
    if (!o.dry_run && !p.yes && !can_ask())
        return cli_usage(cli, "list the places with --dry-run first",
                         "give --yes or --dry-run: there is no terminal to "
                         "confirm on");
    if (read_values(args, &keep, values, &o.n_values, &err)) {
        code = cli_fail(cli, &err);
    } else {
        o.values = values;
        o.each = print_place;
        o.confirm = confirm;
        o.ctx = &p;
        code = run_purge(cli, &o);
    }
    arena_release(&keep);
    return code;
}

static const struct opt opts_purge[] = {
    {.name = "value-from",
     .kind = OPT_LIST,
     .value = "FILE",
     .help =
         "the value is what FILE holds, without a line break at its end; - is "
         "standard input. It may be given again"},
    {.name = "pattern",
     .kind = OPT_TEXT,
     .value = "RE",
     .help = "what a regular expression matches in a line is a value, too"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "change nothing, print where the value is"},
    {.name = "yes", .letter = 'y', .kind = OPT_FLAG, .help = "do not ask"},
    {0},
};

const struct cmd cmd_purge = {
    .name = "purge",
    .args = "",
    .summary = "remove a value, such as a leaked key, from all that is stored",
    .about =
        "Searches sessions (archived and in the trash, too), outputs, "
        "workspaces, artifacts with all their versions, memory, scratchpads, "
        "prompts, run log, audit log, settings, originals of imports, and "
        "every other file of the home, of all tenants or of that of "
        "`--tenant`. Found is the value as it is, as JSON spells it (\\u0041, "
        "\\n, \\/, nested, too), in base64 on one line, and in what gzip or "
        "zstd has compressed. The value is never an argument: others could "
        "see it.\n"
        "\n"
        "Prints each place, asks, and masks the value: it becomes [purged] and "
        "asterisks, of the same length, and keeps its line breaks, quotes and "
        "backslashes. Entries keep id, parent and order. A blob that has the "
        "value gets another digest, which references follow; compressed "
        "content is replaced as a whole. Search indexes are emptied, and "
        "quire.db is rewritten. The audit log gets a row for each session, "
        "with the ids of the entries, never the value.\n"
        "\n"
        "Sessions that are held stay as they are, and so do files that "
        "another process writes to: exit status 3. Killed, it is completed by "
        "the next run. Backups, exported files and the files that agents keep "
        "themselves are not changed.\n"
        "\n"
        "With `--json`: kind, where, count; session and held where they "
        "apply. `--dry-run` prints the same lines.",
    .opts = opts_purge,
    .examples = "quire purge --value-from key.txt --dry-run\n"
                "quire purge --value-from - --yes < key.txt",
    .store = STORE_WRITE,
    .run = purge,
};
