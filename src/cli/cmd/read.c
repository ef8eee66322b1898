/*
 * read.c - `quire read`: the content behind an address
 *
 * In a pipe the bytes are those that are stored. On a terminal escape sequences
 * are removed: reports and blobs are untrusted.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/output.h"
#include "cli/cmd/session.h"

struct reading {
    struct cli *cli;
    bool numbers;
    bool guard;      /* standard output is a terminal                  */
    bool mute;       /* --tail 0: print nothing                        */
    bool open;       /* the last line had no newline                   */
    struct buf text; /* one piece                                      */
    struct json_out json;
};

/* A value: JSON on one line, or its text. */
static void print_value(struct reading *r, const quire_line *line)
{
    if (r->cli->json) {
        json_out_add(&r->json, line->text);
        json_out_end(&r->json);
        return;
    }
    if (r->guard)
        term_add(&r->text, line->text, false);
    else
        buf_add(&r->text, line->text.data, line->text.len);
    buf_add_char(&r->text, '\n');
}

/* {"line":3,"text":"..."} a line, which may come in pieces. */
static void print_json(struct reading *r, const quire_line *line)
{
    struct buf quoted = BUF_INIT((size_t)16 << 20);
    quire_bytes text = line->text;

    if (text.len > 0 && ((const char *)text.data)[text.len - 1] == '\n')
        text.len--;
    if (line->begins)
        buf_addf(&r->text, "{\"line\":%llu,\"text\":\"",
                 (unsigned long long)line->number);
    json_add_quoted(&quoted, text);
    if (quoted.len >= 2)
        buf_add(&r->text, quoted.data + 1, quoted.len - 2);
    r->text.failed |= quoted.failed;
    if (line->ends)
        buf_add_str(&r->text, "\"}");
    if (!r->text.failed)
        json_out_add(&r->json, buf_bytes(&r->text));
    if (line->ends)
        json_out_end(&r->json);
    if (!r->text.failed)
        buf_clear(&r->text);
    buf_release(&quoted);
}

static void print_text(struct reading *r, const quire_line *line)
{
    const char *text = line->text.data;

    if (line->begins && r->numbers)
        buf_addf(&r->text, "%llu:", (unsigned long long)line->number);
    if (r->guard)
        term_add(&r->text, line->text, false);
    else
        buf_add(&r->text, text, line->text.len);
    r->open = line->text.len > 0 && text[line->text.len - 1] != '\n';
}

static quire_status emit_line(void *ctx, const quire_line *line,
                              quire_error *err)
{
    struct reading *r = ctx;
    quire_status st;

    buf_clear(&r->text);
    if (r->mute)
        return QUIRE_OK;
    if (line->number == 0 && r->numbers) {
        st = err_fail(err, QUIRE_INVALID, "leave out --number",
                      "a value has no lines to number");
        return st;
    }
    if (line->number == 0)
        print_value(r, line);
    else if (r->cli->json)
        print_json(r, line);
    else
        print_text(r, line);
    st = buf_status(&r->text, "a line", err);
    if (st)
        return st;
    out_write(r->cli, buf_bytes(&r->text));
    return out_status(r->cli, err);
}

/* A bad address or option is wrong usage; an address without content exits with
 * 1. */
static int fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_USAGE : code;
}

static int read_address(struct cli *cli, const struct args *args,
                        const char *address)
{
    quire_read_options options = QUIRE_READ_OPTIONS_INIT;
    struct reading r = {.cli = cli, .text = BUF_INIT((size_t)2 << 30)};
    quire_outputs *o = NULL;
    quire_error err = {0};
    int code = EXIT_DONE;

    options.offset = args_number(args, "offset", 0);
    options.limit = args_number(args, "limit", 0);
    options.tail = args_number(args, "tail", 0);
    options.grep = args_text(args, "grep");
    options.ignore_case = args_flag(args, "ignore-case");
    options.flags = cli->json ? QUIRE_READ_JSON : 0;
    r.mute = args_text(args, "tail") && !options.tail;
    if (r.mute)
        options.limit = 1; /* to find out whether there is such an output */
    json_out_init(&r.json, cli);
    r.numbers = args_flag(args, "number");
    r.guard = isatty(STDOUT_FILENO) || cli->out.pager;
    /* A blob is the same in every session. */
    if (strncasecmp(address, "blob:", 5) != 0)
        code = open_outputs(cli, args, &o);
    if (code)
        return code;
    if (quire_read(cli->q, o, address, &options, emit_line, &r, &err))
        code = cli->out.error ? EXIT_DONE /* out_close() reports it */
                              : fail(cli, &err);
    else if (r.open && isatty(STDOUT_FILENO))
        out_str(cli, "\n");
    buf_release(&r.text);
    quire_outputs_close(o);
    return code;
}

static const struct opt read_opts[] = {
    {.name = "offset",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "from line N on, counted from 1"},
    {.name = "grep",
     .kind = OPT_TEXT,
     .value = "RE",
     .help = "of these the lines that match RE, a Perl-compatible expression"},
    {.name = "ignore-case",
     .letter = 'i',
     .kind = OPT_FLAG,
     .help = "--grep ignores case"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "of these the first N; 0, the default, for all"},
    {.name = "tail",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "of these the last N"},
    {.name = "number",
     .letter = 'N',
     .kind = OPT_FLAG,
     .help = "print the number of each line"},
    {0},
};

#define READ_ABOUT                                                              \
    "Lines are selected in this order: --offset, --grep, --limit, --tail. "     \
    "With --json each is an object: line, text; and a value is JSON, also if "  \
    "it is a string. Exits with 1 if the output does not exist, and lists the " \
    "outputs that do, or if no line matches. --grep searches the first 1 MiB "  \
    "of a line."

static int read_url(struct cli *cli, const struct args *args)
{
    return read_address(cli, args, args->words[0]);
}

const struct cmd cmd_read = {
    .name = "read",
    .args = "URL",
    .summary = "print the content behind an address",
    .about = "URL is artifact://3, an output of a tool; agent://0-Scout, the "
             "report of a sub-agent; agent://0-Scout/items/0 or "
             "agent://0-Scout?q=.items[0], a value in a report that is JSON; "
             "or blob:sha256:HEX, a blob. agent://A/B is the report A.B if it "
             "exists.\n\n" READ_ABOUT,
    .opts = read_opts,
    .examples = "quire read artifact://0 --tail 20 --session last\n"
                "quire read artifact://0 --grep '77$' -N --session last",
    .store = STORE_READ,
    .paged = true,
    .run = read_url,
};

/* A number alone is artifact://N, an id agent://ID. */
static int output_read(struct cli *cli, const struct args *args)
{
    const char *word = args->words[0], *address = word;
    struct arena tmp = ARENA_INIT;
    int code;

    if (*word && word[strspn(word, "0123456789")] == '\0')
        address = arena_printf(&tmp, "artifact://%s", word);
    else if (!strstr(word, "://") && strncasecmp(word, "blob:", 5) != 0)
        address = arena_printf(&tmp, "agent://%s", word);
    code = address ? read_address(cli, args, address) : EXIT_FAILED;
    arena_release(&tmp);
    return code;
}

const struct cmd cmd_output_read = {
    .name = "output read",
    .args = "N|ID|URL",
    .summary = "print an output, or lines of it",
    .about = "N is the number of a tool's output, ID that of a report. Any "
             "other address works as well, see `quire read`.\n\n" READ_ABOUT,
    .opts = read_opts,
    .examples = "quire output read 0 --offset 100 --limit 20 --session last",
    .store = STORE_READ,
    .paged = true,
    .run = output_read,
};
