/*
 * session_show.c - a session as a transcript
 *
 * An entry is a head line (role, id, label) and its content, indented, below; an
 * entry with one value is a note of one line. Thinking and results of tools are
 * cut unless --full.
 *
 * Blocks of content are in session_block.c; here are entries.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "base/utf8.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/cmd/session_around.h"
#include "cli/cmd/session_block.h"

struct show {
    const struct around *around;
    struct blocks blocks;
    struct cli *cli;
    const struct marks *marks;
    bool all;
    struct arena arena;
    struct map forks;  /* id -> how many children, where it is several */
    struct buf before; /* the id of the entry before                   */
    struct buf line;
    size_t n;       /* entries so far                      */
    size_t n_shown; /* of them                             */
    bool noted;     /* the one before was a line by itself */
};

/* ---- heads and notes ---------------------------------------------------- */

static void add_style(struct show *sh, const char *escape)
{
    if (sh->cli->out.color)
        buf_add_str(&sh->line, escape);
}

/* The id, the label and what else identifies an entry. */
static void add_marks(struct show *sh, const quire_entry *e)
{
    add_style(sh, BLOCK_DIM);
    buf_add_str(&sh->line, "  ");
    if (e->id.data)
        term_add(&sh->line, e->id, true);
    else
        buf_add_str(&sh->line, "(no id)");
    add_style(sh, BLOCK_PLAIN);
    if (e->label.data) {
        buf_add_str(&sh->line, "  [");
        term_add(&sh->line, e->label, true);
        buf_add_char(&sh->line, ']');
    }
    if (e->is_orphan)
        buf_add_str(&sh->line, "  (its parent is missing)");
    if (e->is_leaf && sh->all)
        buf_addf(&sh->line, "  %s", sh->marks->here);
}

static void add_on_off(struct show *sh, const quire_entry *e)
{
    if (sh->all)
        buf_addf(&sh->line, "%s ", e->on_path ? sh->marks->on : sh->marks->off);
}

/* "assistant  a1b2c3d4  [label]  anthropic/claude". */
static void print_head(struct show *sh, const quire_entry *e, quire_bytes kind,
                       quire_bytes extra)
{
    out_str(sh->cli, "\n");
    add_on_off(sh, e);
    add_style(sh, BLOCK_BOLD);
    buf_add(&sh->line, kind.data, kind.len);
    add_style(sh, BLOCK_PLAIN);
    add_marks(sh, e);
    if (extra.len) {
        buf_add_str(&sh->line, "  ");
        buf_add(&sh->line, extra.data, extra.len);
    }
    out_line(sh->cli, &sh->line);
    sh->noted = false;
}

/* A note of one line, without an empty line between notes. */
static void print_note(struct show *sh, const quire_entry *e, quire_bytes note)
{
    if (!sh->noted)
        out_str(sh->cli, "\n");
    if (sh->all)
        add_on_off(sh, e);
    else
        buf_add_str(&sh->line, "- ");
    buf_add(&sh->line, note.data, note.len);
    add_marks(sh, e);
    out_line(sh->cli, &sh->line);
    sh->noted = true;
}

/* ---- messages ----------------------------------------------------------- */

/* "anthropic/claude-sonnet-4-5", and the stop reason if it failed. */
static void add_model(struct buf *out, quire_bytes message)
{
    quire_bytes provider = json_get(message, "provider");
    quire_bytes stop = json_get(message, "stopReason");

    if (json_kind(provider) == JSON_STRING) {
        term_add_json(out, provider, SIZE_MAX, true);
        buf_add_char(out, '/');
    }
    term_add_json(out, json_get(message, "model"), SIZE_MAX, true);
    if (json_is(stop, "error") || json_is(stop, "aborted") ||
        json_is(stop, "length")) {
        buf_add_str(out, out->len ? ", " : "");
        term_add_json(out, stop, SIZE_MAX, true);
    }
}

/* A command that a person ran, and its output. */
static void print_execution(struct show *sh, quire_bytes message)
{
    quire_bytes command = json_get(message, "command");
    int64_t exit_code = 0;

    if (!command.data)
        command = json_get(message, "code");
    block_print(&sh->blocks, command, BLOCK_WHOLE, "");
    block_print(&sh->blocks, json_get(message, "output"), BLOCK_RESULT,
                BLOCK_DIM);
    if (json_read_int(json_get(message, "exitCode"), &exit_code) && exit_code)
        out_printf(sh->cli, "  exit status %lld\n", (long long)exit_code);
}

static void print_files(struct show *sh, quire_bytes files)
{
    struct json_scan it;

    if (json_kind(files) != JSON_ARRAY)
        return;
    json_iter_init(&it, files);
    while (json_next(&it))
        block_print(&sh->blocks, json_get(it.value, "path"), BLOCK_LINE, "");
}

static void print_message(struct show *sh, const quire_entry *e)
{
    struct buf kind = BUF_INIT(1024 * 1024), extra = BUF_INIT(1024 * 1024);
    quire_bytes message = json_get(e->json, "message");
    quire_bytes role = json_get(message, "role");
    bool result = json_is(role, "toolResult"), failed = false;

    entry_add_kind(&kind, e);
    if (json_is(role, "assistant")) {
        add_model(&extra, message);
    } else if (result) {
        json_read_bool(json_get(message, "isError"), &failed);
        term_add_json(&extra, json_get(message, "toolName"), SIZE_MAX, true);
        buf_add_str(&extra, failed ? ", failed" : "");
    } else {
        term_add_json(&extra, json_get(message, "customType"), SIZE_MAX, true);
    }
    print_head(sh, e, buf_bytes(&kind), buf_bytes(&extra));
    block_print_content(&sh->blocks, json_get(message, "content"),
                        result ? BLOCK_RESULT : BLOCK_WHOLE);
    if (json_is(role, "bashExecution") || json_is(role, "pythonExecution"))
        print_execution(sh, message);
    if (json_is(role, "fileMention"))
        print_files(sh, json_get(message, "files"));
    block_print(&sh->blocks, json_get(message, "errorMessage"), BLOCK_WHOLE,
                "");
    buf_release(&kind);
    buf_release(&extra);
}

/* ---- other entries ------------------------------------------------------ */

static void print_summary(struct show *sh, const quire_entry *e)
{
    struct buf extra = BUF_INIT(1024 * 1024);
    bool compaction = bytes_is(e->type, "compaction");
    quire_bytes summary = json_get(e->json, "summary");
    quire_bytes brief = json_get(e->json, "shortSummary");
    quire_bytes tokens = json_get(e->json, "tokensBefore");
    quire_bytes from = json_get(e->json, "fromId");

    if (compaction && tokens.data) {
        buf_add_str(&extra, "of ");
        term_add_json(&extra, tokens, SIZE_MAX, true);
        buf_add_str(&extra, " tokens");
    } else if (!compaction && from.data) {
        buf_add_str(&extra, "of what came after ");
        term_add_json(&extra, from, SIZE_MAX, true);
    }
    print_head(sh, e, bytes_str(compaction ? "compaction" : "branch summary"),
               buf_bytes(&extra));
    if (brief.data && !sh->blocks.full)
        summary = brief;
    block_print(&sh->blocks, summary, BLOCK_WHOLE, "");
    buf_release(&extra);
}

static void print_custom_message(struct show *sh, const quire_entry *e)
{
    struct buf extra = BUF_INIT(1024 * 1024);

    term_add_json(&extra, json_get(e->json, "customType"), SIZE_MAX, true);
    print_head(sh, e, bytes_str("custom"), buf_bytes(&extra));
    block_print_content(&sh->blocks, json_get(e->json, "content"), BLOCK_WHOLE);
    buf_release(&extra);
}

static void print_noted(struct show *sh, const quire_entry *e)
{
    struct buf note = BUF_INIT(1024 * 1024);

    if (!entry_add_note(&note, e)) {
        buf_add_str(&note, "an entry of type ");
        if (e->type.len)
            term_add(&note, e->type, true);
        else
            buf_add_str(&note, "unknown");
    }
    print_note(sh, e, buf_bytes(&note));
    buf_release(&note);
}

/* ---- entries ------------------------------------------------------------ */

/* It only marks the leaf: printed with --all alone. */
static bool is_placeholder(const quire_entry *e)
{
    return bytes_is(e->type, "custom") &&
           json_is(json_get(e->json, "customType"), "quire/head");
}

/* An entry whose parent is not the entry before it. */
static void print_jump(struct show *sh, const quire_entry *e)
{
    if (!sh->n || bytes_equal(e->parent, buf_bytes(&sh->before)))
        return;
    if (e->parent.data) {
        buf_add_str(&sh->line, "(from ");
        term_add(&sh->line, e->parent, true);
        buf_add_char(&sh->line, ')');
    } else {
        buf_add_str(&sh->line, "(from the beginning)");
    }
    out_str(sh->cli, "\n");
    out_line(sh->cli, &sh->line);
    sh->noted = true;
}

static quire_status show_entry(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct show *sh = ctx;
    uint64_t *forks = e->id.data ? map_get(&sh->forks, e->id) : NULL;

    if (!around_has(sh->around, e))
        return QUIRE_OK;
    if (sh->all)
        print_jump(sh, e);
    if (!is_placeholder(e) || sh->all) {
        if (bytes_is(e->type, "message"))
            print_message(sh, e);
        else if (bytes_is(e->type, "compaction") ||
                 bytes_is(e->type, "branch_summary"))
            print_summary(sh, e);
        else if (bytes_is(e->type, "custom_message"))
            print_custom_message(sh, e);
        else
            print_noted(sh, e);
        sh->n_shown++;
    }
    if (forks)
        out_printf(sh->cli, "  (%llu branches go on from here)\n",
                   (unsigned long long)*forks);
    sh->n++;
    buf_clear(&sh->before);
    buf_add(&sh->before, e->id.data, e->id.data ? e->id.len : 0);
    return out_status(sh->cli, err);
}

static quire_status add_fork(void *ctx, const quire_entry *e, quire_error *err)
{
    struct show *sh = ctx;
    quire_bytes id;

    if (e->children < 2 || !e->id.data)
        return QUIRE_OK;
    id = arena_dup(&sh->arena, e->id);
    if (!id.data || !map_put(&sh->forks, id, e->children, NULL))
        return err_memory(err);
    return QUIRE_OK;
}

/* ---- the whole ---------------------------------------------------------- */

/* ", pinned, held by uid:1000: case 12", if it is. */
static void add_keep(struct show *sh, const char *path)
{
    quire_session_keep keep;

    if (quire_session_keep_of(sh->cli->q, path, &keep, NULL))
        return;
    if (keep.pinned_us)
        buf_add_str(&sh->line, ", pinned");
    if (!keep.held_us)
        return;
    buf_addf(&sh->line, ", held by %s: ", keep.holder);
    term_add(&sh->line, bytes_str(keep.reason), true);
}

static void print_title(struct show *sh, quire_session *s)
{
    quire_session_info info = {0};

    quire_session_describe(s, &info);
    if (info.title && *info.title) {
        add_style(sh, BLOCK_BOLD);
        term_add(&sh->line, bytes_str(info.title), true);
        add_style(sh, BLOCK_PLAIN);
        out_line(sh->cli, &sh->line);
    }
    add_style(sh, BLOCK_DIM);
    buf_add_str(&sh->line, "session ");
    term_add(&sh->line, bytes_str(info.id), true);
    if (info.cwd && *info.cwd) {
        buf_add_str(&sh->line, " in ");
        term_add(&sh->line, bytes_str(info.cwd), true);
    }
    if (info.created && *info.created) {
        buf_add_str(&sh->line, ", ");
        term_add(&sh->line, bytes_str(info.created), true);
    }
    if (info.path)
        add_keep(sh, info.path);
    add_style(sh, BLOCK_PLAIN);
    out_line(sh->cli, &sh->line);
}

static void print_end(struct show *sh, quire_session *s)
{
    quire_session_info info = {0};

    if (sh->n_shown)
        return;
    quire_session_describe(s, &info);
    if (info.entries)
        out_printf(sh->cli, "\nat the beginning; --all shows %llu entries\n",
                   (unsigned long long)info.entries);
    else
        out_str(sh->cli, "\nnothing yet\n");
}

static int show_transcript(struct cli *cli, const struct args *args,
                           const struct around *around, quire_session *s)
{
    struct show sh = {.around = around,
                      .cli = cli,
                      .marks = term_marks(),
                      .all = args_flag(args, "all"),
                      .before = BUF_INIT(1024 * 1024),
                      .line = BUF_INIT(16 * 1024 * 1024)};
    int64_t seed = clock_us(&clock_system);
    quire_error err = {0};
    quire_status st;
    int code = EXIT_DONE;

    blocks_init(&sh.blocks, cli, args_flag(args, "full"));
    map_init(&sh.forks, (uint64_t)seed, (uintptr_t)&sh);
    print_title(&sh, s);
    st = quire_session_tree(s, add_fork, &sh, &err);
    if (!st)
        st = sh.all || around->active
                 ? quire_session_entries(s, 0, show_entry, &sh, &err)
                 : quire_session_path(s, NULL, 0, show_entry, &sh, &err);
    if (!st && !around->active)
        print_end(&sh, s);
    else if (st && !cli->out.error)
        code = cli_fail(cli, &err);
    blocks_release(&sh.blocks);
    map_release(&sh.forks);
    arena_release(&sh.arena);
    buf_release(&sh.before);
    buf_release(&sh.line);
    return code;
}

/* ---- JSON --------------------------------------------------------------- */

struct json_show {
    struct cli *cli;
    const struct around *around;
};

static quire_status show_json(void *ctx, const quire_entry *e, quire_error *err)
{
    struct json_show *show = ctx;
    struct cli *cli = show->cli;
    struct buf mended = BUF_INIT((size_t)2 << 30);
    quire_bytes json = e->json;
    struct json_out o;

    if (!around_has(show->around, e))
        return QUIRE_OK;
    /* Other programs may not accept invalid UTF-8. */
    if (!utf8_check(json)) {
        utf8_add_mended(&mended, json);
        if (mended.failed) {
            buf_release(&mended);
            return err_memory(err);
        }
        json = buf_bytes(&mended);
    }
    if (e->missing)
        session_warn(
            cli, "missing_blob",
            "%zu %s of entry %.*s not in the store: kept as references",
            e->missing, e->missing == 1 ? "image" : "images", (int)e->id.len,
            (const char *)e->id.data);
    json_out_init(&o, cli);
    json_out_add(&o, json);
    json_out_end(&o);
    buf_release(&mended);
    return out_status(cli, err);
}

static int session_show(struct cli *cli, const struct args *args)
{
    unsigned flags = args_flag(args, "hydrate") ? QUIRE_HYDRATE : 0;
    const char *at = args_text(args, "at");
    struct around around = AROUND_INIT;
    struct json_show show = {cli, &around};
    quire_session *s = NULL;
    quire_error err = {0};
    int code;

    if (flags && !cli->json)
        return cli_usage(cli, "give --json as well", "--hydrate needs --json");
    code = open_session(cli, args, QUIRE_SESSION_READ, &s);
    if (code)
        return code;
    if (at &&
        around_choose(&around, s, at, args_number(args, "context", 3), &err))
        code = session_fail(cli, &err);
    else if (!cli->json)
        code = show_transcript(cli, args, &around, s);
    else if (quire_session_entries(s, flags, show_json, &show, &err) &&
             !cli->out.error)
        code = cli_fail(cli, &err);
    quire_session_close(s);
    around_release(&around);
    return code;
}

static const struct opt show_opts[] = {
    {.name = "all",
     .kind = OPT_FLAG,
     .help = "every entry in file order, those on the path to the current leaf "
             "marked; not only that path"},
    {.name = "full",
     .kind = OPT_FLAG,
     .help = "do not shorten thinking, tool calls and results"},
    {.name = "hydrate",
     .kind = OPT_FLAG,
     .help = "with --json, replace references by the content of images"},
    {.name = "at",
     .kind = OPT_TEXT,
     .value = "ENTRY",
     .help = "only this entry and those around it, as `quire search` names it"},
    {.name = "context",
     .letter = 'C',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "with --at, N entries before and after it; 3 unless given"},
    {0},
};

const struct cmd cmd_session_show = {
    .name = "session show",
    .args = "[S]",
    .summary = "print a session",
    .about =
        "A transcript of the path from the first entry to the current leaf. "
        "Thinking and results of tools are shortened; images are named. Escape "
        "sequences are removed on a terminal.\n\n"
        "With `--json`: every entry as stored, one a line, in file order; "
        "entries of old versions migrated to the current one.",
    .opts = show_opts,
    .examples = "quire session show last\n"
                "quire session show last --all --full\n"
                "quire session show last --json",
    .store = STORE_READ,
    .paged = true,
    .run = session_show,
};
