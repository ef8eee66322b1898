/*
 * jp_show.c - print and list conversations
 *
 * Text of a conversation is untrusted: it passes through term_add(), and is
 * indented by two columns, so that it cannot look like a heading.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "base/utf8.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/jp.h"
#include "cli/cmd/session.h"

/* A cleaned and indented payload may be several times its size. */
#define PAGE_MAX ((size_t)8 << 30)

/* ---- print -------------------------------------------------------------- */

struct printing {
    struct cli *cli;
    uint64_t turn; /* the heading that was printed last */
    size_t n;
};

static void add_indented(struct buf *out, quire_bytes text)
{
    struct buf clean = BUF_INIT(PAGE_MAX);
    quire_bytes rest;

    term_add(&clean, text, false);
    out->failed |= clean.failed;
    for (rest = buf_bytes(&clean); rest.len;) {
        const char *end = memchr(rest.data, '\n', rest.len);
        size_t len = end ? (size_t)(end - (const char *)rest.data) : rest.len;

        if (len)
            buf_add_str(out, "  ");
        buf_add(out, rest.data, len);
        buf_add_char(out, '\n');
        rest = bytes_sub(rest, end ? len + 1 : len, rest.len);
    }
    buf_release(&clean);
}

/* Binary content is not printed. */
static void add_content(struct buf *out, const quire_part *part)
{
    char size[32];

    if (part->missing) {
        buf_add_str(out, "  (");
        term_add(out, part->text, true);
        buf_add_str(out, ")\n");
    } else if (utf8_check(part->text)) {
        add_indented(out, part->text);
    } else {
        size_text(part->bytes, size, sizeof size);
        buf_addf(out, "  (%s of binary data)\n", size);
    }
}

static void add_part(struct printing *p, struct buf *out,
                     const quire_part *part)
{
    char size[32], when[LOCAL_TIME_SIZE];

    if (part->turn != p->turn) {
        buf_addf(out, "%sturn %llu\n\n", p->n ? "\n" : "",
                 (unsigned long long)part->turn);
        p->turn = part->turn;
    } else if (p->n) {
        buf_add_char(out, '\n');
    }
    buf_add_str(out, part->kind);
    if (part->label.len) {
        buf_add_char(out, ' ');
        term_add(out, part->label, true);
    }
    if (part->text.len == 0 && part->bytes > 0) {
        size_text(part->bytes, size, sizeof size);
        buf_addf(out, "  (%s)", size);
    }
    if (part->at_us)
        buf_addf(out, "  %s", local_time(part->at_us, when));
    buf_add_char(out, '\n');
    add_content(out, part);
}

static void add_part_json(struct buf *out, const quire_part *part)
{
    struct json_writer w;

    json_begin(&w, out);
    json_object(&w);
    json_put_uint(&w, "turn", part->turn);
    json_put_str(&w, "kind", part->kind);
    json_put_bytes(&w, "label", part->label);
    json_put_time(&w, "created_at", part->at_us);
    json_put_uint(&w, "size_bytes", part->bytes);
    json_put_bool(&w, "missing", part->missing);
    json_content(&w, "text", part->text);
    json_object_end(&w);
}

static quire_status print_part(void *ctx, const quire_part *part,
                               quire_error *err)
{
    struct printing *p = ctx;
    struct buf out = BUF_INIT(PAGE_MAX);
    quire_status st;

    if (p->cli->json)
        add_part_json(&out, part);
    else
        add_part(p, &out, part);
    p->n++;
    st = buf_status(&out, "a part of a conversation", err);
    if (!st && p->cli->json) {
        struct json_out o;

        json_out_init(&o, p->cli);
        json_out_add(&o, buf_bytes(&out));
        json_out_end(&o);
    } else if (!st) {
        out_write(p->cli, buf_bytes(&out));
    }
    buf_release(&out);
    return st ? st : out_status(p->cli, err);
}

/* "3", "2-4", "2-", and "-2" for the last two. */
static bool read_turns(const char *text, quire_print_options *o)
{
    const char *at = text;
    char *end;
    bool range;

    errno = 0;
    if (*at == '-') {
        o->tail = strtoull(at + 1, &end, 10);
        return !errno && at[1] >= '0' && at[1] <= '9' && !*end && o->tail;
    }
    if (*at < '0' || *at > '9')
        return false;
    o->first = strtoull(at, &end, 10);
    range = *end == '-';
    o->last = range ? 0 : o->first;
    if (range && end[1]) {
        at = end + 1;
        o->last = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || o->last < o->first)
            return false;
    } else {
        end += range;
    }
    return !errno && !*end && o->first;
}

static int jp_print(struct cli *cli, const struct args *args)
{
    const char *turns = args_text(args, "turns"), *dir = NULL;
    struct arena keep = ARENA_INIT;
    quire_print_options o = QUIRE_PRINT_OPTIONS_INIT;
    struct troubles t = {cli, EXIT_DONE};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = jp_problem,
                               .ctx = &t};
    struct printing p = {.cli = cli};
    quire_error err = {0};
    quire *q = NULL;
    int code;

    o.style = (quire_print_style)args_number(args, "style", 0);
    if (turns && !read_turns(turns, &o))
        return cli_usage(cli, "write it as 3, 2-4, 2- or -2",
                         "--turns needs a range of turns, not `%s`", turns);
    code = jp_find(cli, args->words[0], &keep, &dir);
    if (!code)
        code = jp_open(cli, args, dir, false, &q);
    if (!code &&
        quire_conversation_print(q, dir, &o, &hooks, print_part, &p, &err) &&
        !cli->out.error)
        code = jp_fail(cli, &err);
    quire_close(q);
    arena_release(&keep);
    return cli_worse(code, t.code);
}

static const struct opt print_opts[] = {
    {.name = "style",
     .kind = OPT_CHOICE,
     .value = "full|brief|chat|user",
     .help = "everything; tools by name and size only; messages of people and "
             "models; messages of people"},
    {.name = "turns",
     .kind = OPT_TEXT,
     .value = "A-B",
     .help = "only these turns, counted from 1: `3`, `2-4`, `2-`, `-2` for "
             "the last two"},
    BLOBS_OPT,
    {0},
};

const struct cmd cmd_jp_print = {
    .name = "jp print",
    .args = "DIR",
    .summary = "print a conversation with its content",
    .about =
        "DIR is the id of a conversation, its directory, or its events.json. "
        "Content in blobs is printed, too. Escape sequences are removed. A missing or "
        "damaged blob is named in its place, and the exit status is 4.\n\n"
        "With `--json` an object a part: turn, kind, label, created_at, "
        "size_bytes, missing, encoding (utf-8, or base64 for binary data), text.",
    .opts = print_opts,
    .examples = "quire jp print .jp/conversations/17780000011-hello\n"
                "quire jp print .jp/conversations/17780000011-hello "
                "--style brief",
    .paged = true,
    .run = jp_print,
};

/* ---- ls ----------------------------------------------------------------- */

const char *const jp_states[] = {"active", "archived", "trashed"};

void jp_add_members(struct json_writer *w, const quire_conversation *one)
{
    json_put_str(w, "id", one->id);
    json_put_str(w, "title", one->title);
    json_put_str(w, "state", jp_states[one->state]);
    json_put_uint(w, "events", one->events);
    json_put_time(w, "modified_at", one->last_us);
    json_put_str(w, "path", one->path);
    if (one->problem)
        json_put_str(w, "problem", one->problem);
}

static void add_row(struct buf *line, const quire_conversation *one)
{
    char when[LOCAL_TIME_SIZE];

    term_add_cell(line, bytes_str(one->id), 16);
    buf_addf(line, "  %-8s  %6llu  %-16s  ", jp_states[one->state],
             (unsigned long long)one->events,
             one->last_us ? local_time(one->last_us, when) : "-");
    term_add(line, bytes_str(one->title), true);
    if (one->problem) {
        buf_add_str(line, *one->title ? "  (" : "(");
        term_add(line, bytes_str(one->problem), true);
        buf_add_char(line, ')');
    }
}

/* A conversation that is in both locations is listed once. */
struct listing {
    struct cli *cli;
    struct map seen;
    struct arena keep;
    size_t n; /* locations */
};

static quire_status list_one(void *ctx, const quire_conversation *one,
                             quire_error *err)
{
    struct listing *l = ctx;
    const char *id = arena_text(&l->keep, bytes_str(one->id));
    bool fresh;
    struct row r;

    /* Within one location two of an id are two. */
    if (!id)
        return err_memory(err);
    if (l->n > 1 && map_get(&l->seen, bytes_str(id)))
        return QUIRE_OK;
    if (l->n <= 1 && !map_put(&l->seen, bytes_str(id), 1, &fresh))
        return err_memory(err);
    print_heading(l->cli, "id                state     events  modified        "
                          "  title");
    if (row_begin(&r, l->cli))
        jp_add_members(&r.json, one);
    else
        add_row(&r.text, one);
    return row_emit(&r, err);
}

static quire_status list_location(void *ctx, const char *location,
                                  quire_error *err)
{
    struct listing *l = ctx;
    const char *dir = arena_printf(&l->keep, "%s/conversations", location);

    l->n++;
    if (!dir)
        return err_memory(err);
    if (access(dir, F_OK) != 0)
        return QUIRE_OK;
    return quire_conversation_list(dir, QUIRE_CONVERSATION_DETAILS, list_one, l,
                                   err);
}

/* Those of `name`, or of the locations around the working directory. */
static quire_status list_named(struct listing *l, const char *name,
                               quire_error *err)
{
    quire_status st = name
                          ? QUIRE_OK
                          : quire_conversation_locations(list_location, l, err);

    if (st || (!name && l->n))
        return st;
    return quire_conversation_list(name ? name : ".",
                                   QUIRE_CONVERSATION_DETAILS, list_one, l,
                                   err);
}

static int jp_ls(struct cli *cli, const struct args *args)
{
    struct listing l = {.cli = cli, .keep = ARENA_INIT};
    const char *name = NULL;
    uint64_t seed[2] = {0, 0};
    quire_error err = {0};
    int code = EXIT_DONE;

    if (rand_bytes(&rand_system, seed, sizeof seed, &err))
        return cli_fail(cli, &err);
    map_init(&l.seen, seed[0], seed[1]);
    if (args->n_words)
        code = jp_find(cli, args->words[0], &l.keep, &name);
    if (!code && list_named(&l, name, &err) && !cli->out.error)
        code = jp_fail(cli, &err);
    map_release(&l.seen);
    arena_release(&l.keep);
    return code;
}

const struct cmd cmd_jp_ls = {
    .name = "jp ls",
    .args = "[DIR]",
    .summary = "list conversations",
    .about =
        "Those of DIR: a workspace, a `.jp`, a `conversations` directory or one "
        "conversation or its id; else those of the workspace around the "
        "working directory, and those that JP keeps for it in private data "
        "alone. Id, state (active, archived, trashed), how many events, "
        "when the last one was, title. No blob is opened.\n\n"
        "With `--json`: id, title, state, events, modified_at (the time of "
        "the last event), path, and problem for one that cannot be read.",
    .examples = "quire jp ls .jp",
    .paged = true,
    .run = jp_ls,
};
