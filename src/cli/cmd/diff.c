/*
 * diff.c - `quire diff`: what changed between two texts
 *
 * A text is a version of an artifact, an output, a report, a blob or a file. Content
 * is untrusted: on a terminal escape sequences are removed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/output.h"
#include "cli/cmd/session.h"
#include "cli/core/cli.h"
#include "view/diff_json.h"

/* Larger texts are not compared. */
#define TEXT_MAX ((size_t)256 << 20)

/* ---- the texts ---------------------------------------------------------- */

/* A word such as `notes.md@3` or `#12@3`. */
struct named {
    char *name;      /* owned */
    int64_t version; /* 0: the current one */
};

static bool read_name(const char *word, struct named *out)
{
    const char *at = strrchr(word, '@');
    char *end = NULL;

    *out = (struct named){.name = strdup(word)};
    if (at && at > word && at[1] >= '1' && at[1] <= '9')
        out->version = strtoll(at + 1, &end, 10);
    if (end && !*end && out->name)
        out->name[at - word] = '\0';
    else
        out->version = 0;
    return out->name != NULL;
}

static int read_artifact(struct cli *cli, const struct args *args,
                         const struct named *a, struct buf *out)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    const char *session;
    quire_error err = {0};
    int code = session_default(cli, args, false, &session);

    o.version = a->version;
    if (!code && quire_artifact_get(cli->q, session, a->name, &o, buf_write,
                                    out, NULL, &err))
        code = artifact_fail(cli, &err);
    return code;
}

static quire_status add_line(void *ctx, const quire_line *line,
                             quire_error *err)
{
    return buf_write(ctx, line->text, err);
}

static int read_address(struct cli *cli, const struct args *args,
                        const char *address, struct buf *out)
{
    quire_outputs *o = NULL;
    quire_error err = {0};
    int code = EXIT_DONE;

    if (strncasecmp(address, "blob:", 5) != 0)
        code = open_outputs(cli, args, &o);
    if (!code && quire_read(cli->q, o, address, NULL, add_line, out, &err))
        code = cli_fail(cli, &err);
    quire_outputs_close(o);
    return code;
}

static int read_file(struct cli *cli, const char *path, struct buf *out)
{
    quire_error err = {0};

    return input_read(path, out, &err) ? cli_fail(cli, &err) : EXIT_DONE;
}

/* Addresses have a scheme; what exists as a file is a file; else an artifact. */
static int read_text(struct cli *cli, const struct args *args, const char *word,
                     struct buf *out)
{
    quire_error err;
    struct named a;
    int code;

    if (strstr(word, "://") || !strncasecmp(word, "blob:", 5))
        return read_address(cli, args, word, out);
    if (!strcmp(word, "-") || !access(word, F_OK))
        return read_file(cli, word, out);
    if (!read_name(word, &a))
        return cli_fail(cli, (err_memory(&err), &err));
    code = read_artifact(cli, args, &a, out);
    free(a.name);
    return code;
}

/* One word: the version before the current one, and that. */
static int read_versions(struct cli *cli, const struct args *args,
                         struct buf *before, struct buf *after)
{
    struct named a = {.name = NULL};
    quire_artifact known;
    const char *session;
    quire_error err = {0};
    int code = session_default(cli, args, false, &session);

    if (code)
        return code;
    if (quire_artifact_stat(cli->q, session, args->words[0], NULL, &known,
                            &err))
        return artifact_fail(cli, &err);
    a.name = (char *)(uintptr_t)args->words[0];
    code = read_artifact(cli, args, &a, after);
    a.version = known.version - 1;
    if (!code && a.version > 0)
        code = read_artifact(cli, args, &a, before);
    return code;
}

/* ---- printing ----------------------------------------------------------- */

/* A hunk is printed when its lines are counted. */
struct printing {
    struct cli *cli;
    struct buf lines;
    size_t old_line, new_line, n_old, n_new;
    bool guard; /* standard output is a terminal */
};

static quire_status print_hunk(struct printing *p, quire_error *err)
{
    char head[120];
    quire_status st = buf_status(&p->lines, "a hunk", err);

    if (st || p->lines.len == 0)
        return st;
    snprintf(head, sizeof head, "@@ -%zu,%zu +%zu,%zu @@\n",
             p->old_line - (p->n_old == 0), p->n_old,
             p->new_line - (p->n_new == 0), p->n_new);
    out_write(p->cli, bytes_str(head));
    out_write(p->cli, buf_bytes(&p->lines));
    buf_clear(&p->lines);
    p->n_old = p->n_new = 0;
    return out_status(p->cli, err);
}

static quire_status print_line(void *ctx, const quire_diff_line *line,
                               quire_error *err)
{
    struct printing *p = ctx;
    const char *text = line->text.data;
    quire_status st = line->begins_hunk ? print_hunk(p, err) : QUIRE_OK;

    if (line->begins_hunk) {
        p->old_line = line->old_line;
        p->new_line = line->new_line;
    }
    p->n_old += line->kind != QUIRE_DIFF_ADDED;
    p->n_new += line->kind != QUIRE_DIFF_REMOVED;
    buf_add_char(&p->lines,
                 line->kind == QUIRE_DIFF_SAME ? ' ' : (char)line->kind);
    if (p->guard)
        term_add(&p->lines, line->text, false);
    else
        buf_add(&p->lines, line->text.data, line->text.len);
    if (line->text.len == 0 || text[line->text.len - 1] != '\n')
        buf_add_str(&p->lines, "\n\\ No newline at end of file\n");
    return st;
}

static quire_status print_text(struct cli *cli, quire_bytes before,
                               quire_bytes after, quire_diff_summary *sum,
                               quire_error *err)
{
    struct printing p = {.cli = cli,
                         .lines = BUF_INIT(2 * TEXT_MAX),
                         .guard = isatty(STDOUT_FILENO) || cli->out.pager};
    quire_status st = quire_diff(before, after, NULL, print_line, &p, sum, err);

    if (!st)
        st = print_hunk(&p, err);
    buf_release(&p.lines);
    return st;
}

static quire_status print_json(struct cli *cli, quire_bytes before,
                               quire_bytes after, quire_diff_summary *sum,
                               quire_error *err)
{
    struct buf text = BUF_INIT((size_t)2 << 30);
    struct json_writer w;
    bool cut;
    quire_status st;

    json_begin(&w, &text);
    json_object(&w);
    json_key(&w, "hunks");
    st = view_diff(before, after, 0, &w, sum, &cut, err);
    json_put_uint(&w, "added", sum->added);
    json_put_uint(&w, "removed", sum->removed);
    json_object_end(&w);
    buf_add_char(&text, '\n');
    if (!st)
        st = buf_status(&text, "a comparison", err);
    if (!st) {
        out_write(cli, buf_bytes(&text));
        st = out_status(cli, err);
    }
    buf_release(&text);
    return st;
}

static int print_diff(struct cli *cli, quire_bytes before, quire_bytes after)
{
    quire_diff_summary sum = {0};
    quire_error err = {0};
    quire_status st = cli->json ? print_json(cli, before, after, &sum, &err)
                                : print_text(cli, before, after, &sum, &err);

    if (st)
        return cli->out.error ? EXIT_DONE : cli_fail(cli, &err);
    if (!sum.is_binary)
        return sum.added || sum.removed ? EXIT_NO : EXIT_DONE;
    if (bytes_equal(before, after))
        return EXIT_DONE;
    if (!cli->json)
        out_write(cli, bytes_str("binary contents differ\n"));
    return EXIT_NO;
}

static int diff(struct cli *cli, const struct args *args)
{
    struct buf before = BUF_INIT(TEXT_MAX), after = BUF_INIT(TEXT_MAX);
    int code;

    if (args->n_words == 1) {
        code = read_versions(cli, args, &before, &after);
    } else {
        code = read_text(cli, args, args->words[0], &before);
        if (!code)
            code = read_text(cli, args, args->words[1], &after);
    }
    if (!code)
        code = print_diff(cli, buf_bytes(&before), buf_bytes(&after));
    buf_release(&before);
    buf_release(&after);
    return code;
}

static const struct opt diff_opts[] = {{0}};

const struct cmd cmd_diff = {
    .name = "diff",
    .args = "A [B]",
    .summary = "compare two versions of an artifact, or any two texts",
    .about =
        "A and B are artifacts by path or `#ID`, with `@N` of version N; "
        "outputs and reports (artifact://3, agent://0-Scout); blobs; or files, "
        "`-` for standard input. A name that is a file here is that file. Of A "
        "alone, an artifact, the last change is shown: `quire diff notes.md`, "
        "`quire diff notes.md@1 notes.md@3`.\n\n"
        "Prints unified hunks. With `--json` one object: hunks (old, new, "
        "lines: kind, text and the marked words), added, removed. Exit status: "
        "0 no difference, 1 some.",
    .opts = diff_opts,
    .examples = "quire diff notes.txt - <notes.txt",
    .store = STORE_READ,
    .paged = true,
    .run = diff,
};
