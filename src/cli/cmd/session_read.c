/*
 * session_read.c - context, files and export of a session
 */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/cmd/session_original.h"
#include "cli/cmd/session_target.h"
#include "cli/core/atomic_output.h"

/* ---- context ------------------------------------------------------------ */

static quire_status write_context(void *ctx, quire_bytes bytes,
                                  quire_error *err)
{
    struct json_out *o = ctx;

    json_out_add(o, bytes);
    /* Only look: flushing here would undo the buffering. */
    return out_status(o->cli, err);
}

static void warn_missing(void *ctx, const char *ref)
{
    struct json_out *o = ctx;

    session_warn(o->cli, "missing_blob",
                 "the image %s is not in the store: it stays a reference", ref);
}

/* The library takes an unknown leaf for the last entry, as the format says; the
 * CLI refuses it. */
static int check_leaf(struct cli *cli, quire_session *s, const char *leaf)
{
    quire_entry entry;
    quire_error err = {0};

    if (!leaf || !quire_session_entry(s, leaf, &entry, &err))
        return EXIT_DONE;
    return cli_fail(cli, &err);
}

static int session_context(struct cli *cli, const struct args *args)
{
    const char *leaf = args_text(args, "leaf");
    bool none;
    quire_session *s = NULL;
    struct json_out out;
    quire_error err = {0};
    int code = open_session(cli, args, QUIRE_SESSION_READ, &s);

    if (code)
        return code;
    none = leaf && !strcmp(leaf, "null");
    code = none || args_flag(args, "lenient") ? EXIT_DONE
                                              : check_leaf(cli, s, leaf);
    if (none)
        leaf = "";
    if (!code) {
        json_out_init(&out, cli);
        if (!quire_session_context(s, leaf, write_context, warn_missing, &out,
                                   &err)) {
            json_out_end(&out);
        } else if (!cli->out.error) {
            out_discard(cli);
            code = cli_fail(cli, &err);
        }
    }
    quire_session_close(s);
    return code;
}

static const struct opt context_opts[] = {
    {.name = "leaf",
     .kind = OPT_TEXT,
     .value = "ID|null",
     .help = "as it was at this entry instead of the current leaf; `null` "
             "is the empty context"},
    {.name = "lenient",
     .help = "take the last entry if there is no entry --leaf"},
    {0},
};

const struct cmd cmd_session_context = {
    .name = "session context",
    .args = "[S]",
    .summary = "print the context for the model",
    .about =
        "One JSON object: messages, thinkingLevel, models, "
        "injectedTtsrRules, mode, modeData. The messages are those on the "
        "path to the leaf, from the last compaction on, with the content of "
        "their images. An image that is not in the store keeps its reference, "
        "with a warning.",
    .opts = context_opts,
    .examples = "quire session context last",
    .store = STORE_READ,
    .run = session_context,
};

/* ---- files -------------------------------------------------------------- */

struct listing {
    struct cli *cli;
    const char *key;
    char end;
    bool guard; /* it is a terminal */
    struct buf line;
};

static quire_status list_text(void *ctx, const char *text, quire_error *err)
{
    struct listing *l = ctx;

    if (l->cli->json) {
        struct json_writer w;

        json_begin(&w, &l->line);
        json_object(&w);
        json_put_str(&w, l->key, text);
        json_object_end(&w);
    } else if (l->guard) {
        term_add(&l->line, bytes_str(text), true);
    } else {
        buf_add_str(&l->line, text);
    }
    buf_add_char(&l->line, l->cli->json ? '\n' : l->end);
    if (l->line.failed)
        return err_memory(err);
    out_write(l->cli, buf_bytes(&l->line));
    buf_clear(&l->line);
    return out_status(l->cli, err);
}

static int session_files(struct cli *cli, const struct args *args)
{
    bool refs = args_flag(args, "refs");
    struct listing l = {.cli = cli,
                        .key = refs ? "ref" : "path",
                        .end = args_flag(args, "null") ? '\0' : '\n',
                        .guard = isatty(STDOUT_FILENO),
                        .line = BUF_INIT(1024 * 1024)};
    quire_session *s = NULL;
    quire_error err = {0};
    quire_status st;
    int code = open_session(cli, args, QUIRE_SESSION_READ, &s);

    if (code)
        return code;
    st = refs ? quire_session_refs(s, list_text, &l, &err)
              : quire_session_files(s, list_text, &l, &err);
    if (st && !cli->out.error)
        code = cli_fail(cli, &err);
    quire_session_close(s);
    buf_release(&l.line);
    return code;
}

static const struct opt files_opts[] = {
    {.name = "null",
     .letter = '0',
     .kind = OPT_FLAG,
     .help = "end each with a NUL byte instead of a newline"},
    {.name = "refs",
     .kind = OPT_FLAG,
     .help = "the blobs its entries refer to, instead"},
    {0},
};

const struct cmd cmd_session_files = {
    .name = "session files",
    .args = "[S]",
    .summary = "list the files that belong to a session",
    .about = "A path a line: the session's own file and its outputs. With "
             "`--json`: path, or with `--refs` ref.",
    .opts = files_opts,
    .examples = "quire session files last\n"
                "quire session files last -0 | xargs -0 ls -l",
    .store = STORE_READ,
    .paged = true,
    .run = session_files,
};

/* ---- export ------------------------------------------------------------- */

struct exporting {
    struct cli *cli;
    struct atomic_output *save; /* NULL: standard output */
    struct json_out out;
    struct buf header, line;
    size_t missing; /* images that are not in the store */
};

static quire_status export_line(struct exporting *x, quire_bytes json,
                                quire_error *err)
{
    const char *at = json.data, *end = at + json.len;

    if (!x->save) {
        json_out_add(&x->out, json);
        json_out_end(&x->out);
        return out_status(x->cli, err);
    }
    buf_clear(&x->line);
    while (at < end) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));

        buf_add(&x->line, at, (size_t)((lf ? lf : end) - at));
        at = lf ? lf + 1 : end;
    }
    buf_add_char(&x->line, '\n');
    if (x->line.failed)
        return err_memory(err);
    return atomic_output_write(x->save, buf_bytes(&x->line), err);
}

static quire_status export_entry(void *ctx, const quire_entry *entry,
                                 quire_error *err)
{
    struct exporting *x = ctx;

    x->missing += entry->missing;
    return export_line(x, entry->json, err);
}

/* The stored header, with the title, which may be in a line of its own, and the
 * current version if entries were migrated. */
static quire_status export_header(struct exporting *x, quire_session *s,
                                  quire_error *err)
{
    struct buf line = BUF_INIT(16 * 1024 * 1024), title = BUF_INIT(1024 * 1024);
    struct json_change changes[2] = {{.key = "title"}, {.key = "version"}};
    struct arena arena = ARENA_INIT;
    quire_session_info info = {0};
    struct json_edits edits;
    quire_bytes header;
    quire_status st = quire_session_header(s, &header, err);

    if (!st) {
        /* The header is valid until the next call. */
        buf_add(&line, header.data, header.len);
        quire_session_describe(s, &info);
        if (*info.title) {
            json_add_quoted(&title, bytes_str(info.title));
            changes[0].value = buf_bytes(&title);
        }
        changes[1].value = bytes_str("3");
        json_edits_init(&edits, buf_bytes(&line), &arena);
        json_edit_members(&edits, buf_bytes(&line), changes,
                          info.version < 3 ? 2 : 1, NULL);
        json_splice(&edits, &x->header);
        if (line.failed || title.failed || x->header.failed)
            st = err_memory(err);
    }
    buf_release(&line);
    buf_release(&title);
    arena_release(&arena);
    return st;
}

static quire_status export_all(struct exporting *x, quire_session *s,
                               const struct args *args, quire_error *err)
{
    unsigned flags = args_flag(args, "hydrate") ? QUIRE_HYDRATE : 0;
    quire_status st = export_header(x, s, err);

    if (!st)
        st = export_line(x, buf_bytes(&x->header), err);
    if (st)
        return st;
    if (args_flag(args, "path"))
        st = quire_session_path(s, NULL, flags, export_entry, x, err);
    else
        st = quire_session_entries(s, flags, export_entry, x, err);
    if (!st && x->save)
        st = atomic_output_commit(x->save, err);
    return st;
}

static int export_stored(struct cli *cli, const struct args *args)
{
    const char *file = args_text(args, "output");
    struct atomic_output save = ATOMIC_OUTPUT_INIT;
    struct exporting x = {.cli = cli,
                          .header = BUF_INIT(32 * 1024 * 1024),
                          .line = BUF_INIT((size_t)2 << 30)};
    quire_session_info info;
    quire_session *s = NULL;
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    int code = open_session(cli, args, QUIRE_SESSION_READ, &s);

    if (code)
        return code;
    if (args_text(args, "to") && !strcmp(args_text(args, "to"), "original")) {
        quire_session_describe(s, &info);
        code = session_export_original(cli, info.id, file);
        quire_session_close(s);
        return code;
    }
    json_out_init(&x.out, cli);
    if (file && strcmp(file, "-") != 0) {
        x.save = &save;
        st = atomic_output_open(&save, file, &err);
    }
    if (!st)
        st = export_all(&x, s, args, &err);
    /* out_close() reports a failed write; a signal needs no message. */
    if (st && st != QUIRE_STOPPED && (x.save || !cli->out.error))
        code = cli_fail(cli, &err);
    if (!code && x.missing) {
        session_warn(
            cli, "missing_blob",
            x.missing == 1
                ? "%zu image is not in the store and stays a reference"
                : "%zu images are not in the store and stay references",
            x.missing);
        code = EXIT_DAMAGED;
    }
    if (x.save)
        atomic_output_release(&save);
    buf_release(&x.header);
    buf_release(&x.line);
    quire_session_close(s);
    return code;
}

/* What the current leaf of one session says, in Quire's format, is written with
 * all its branches; everything else is a target. */
static bool is_target(const struct args *args)
{
    const char *to = args_text(args, "to");

    if (to && !strcmp(to, "original"))
        return false;
    return (to && strcmp(to, "jsonl") != 0) || args->n_words > 1 ||
           args_text(args, "leaf") || args_text(args, "from") ||
           args_flag(args, "redact") || args_flag(args, "install");
}

static int session_export(struct cli *cli, const struct args *args)
{
    if (is_target(args))
        return session_export_target(cli, args);
    if (args->n_words > 1)
        return cli_usage(
            cli, "export them one by one",
            "the originals of several sessions cannot be one file");
    return export_stored(cli, args);
}
/* "Targets: claude-code (Claude Code), …." */
static void add_targets(struct buf *out)
{
    quire_export_target t;
    unsigned i;

    buf_add_str(out, "Targets: ");
    for (i = 0; quire_export_target_at(i, &t); i++)
        buf_addf(out, "%s%s (%s)", i ? ", " : "", t.name, t.title);
    buf_add_char(out, '.');
}

static const struct opt export_opts[] = {
    {.name = "to",
     .kind = OPT_TEXT,
     .value = "TARGET",
     .help =
         "an agent that is to continue it, or a format, see below; "
         "`original`: the bytes that an imported session was made of; jsonl "
         "unless given"},
    {.name = "output",
     .letter = 'o',
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "write to FILE, whole or not at all; `-` is standard output, a "
             "directory gets a file for each session"},
    {.name = "install",
     .kind = OPT_FLAG,
     .help = "write the file where the agent looks for it, never over another"},
    {.name = "leaf",
     .kind = OPT_TEXT,
     .value = "ENTRY",
     .help = "the path down to this entry, instead of the current leaf"},
    {.name = "from",
     .kind = OPT_TEXT,
     .value = "ENTRY",
     .help = "of the path, the part from this entry on"},
    {.name = "redact",
     .kind = OPT_FLAG,
     .help = "replace secrets of known shapes, and the home directory by ~"},
    {.name = "hydrate",
     .kind = OPT_FLAG,
     .help = "replace references by the content of images"},
    {.name = "path",
     .kind = OPT_FLAG,
     .help = "only the entries on the path to the current leaf"},
    {0},
};

const struct cmd cmd_session_export = {
    .name = "session export",
    .args = "[S...]",
    .summary = "write a session for another agent, or in another format",
    .about =
        "Without `--to`: a header and the entries, one JSON object a line, in "
        "the current version of the format, with all branches. With `--hydrate` "
        "it can be read without a store.\n\n"
        "With `--to` the path down to one entry is written for an agent, which "
        "can continue it, or for people. Ids are derived from the session: a "
        "second export has the same bytes. What the target cannot hold, such as "
        "thinking that another provider has signed, is left out and reported; "
        "with `--json` and files: to, files, dropped (kind, count).\n\n"
        "With `--install` the file is placed by the session's directory and the "
        "agent's variables, such as CLAUDE_CONFIG_DIR and CODEX_HOME; `quire resume` "
        "does that and prints the command. Of several sessions each gets a file "
        "in the directory `-o DIR/`; formats of lines can be concatenated.\n\n"
        "With `--to original` an imported session is written as the agent wrote "
        "it, every byte. If files belong to it, such as results of tools, "
        "FILE is a directory for all of them, and with `--json` the result "
        "has: to, files, dropped.",
    .add_about = add_targets,
    .opts = export_opts,
    .examples =
        "quire session export last --hydrate -o session.jsonl\n"
        "quire session export last --to markdown --redact -o session.md\n"
        "quire session export last --to codex --install",
    .store = STORE_EITHER,
    .run = session_export,
};
