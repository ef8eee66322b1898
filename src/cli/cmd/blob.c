#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/timestamp.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/blob.h"
#include "cli/core/atomic_output.h"
#include "cli/cmd/session.h"

#define RANGE_HELP                                                           \
    "only these bytes, counted from 0 and both included: `0-99`, `100-` to " \
    "the end, `-100` for the last hundred"

/* ---- shared by the verbs ------------------------------------------------ */

/* A text that is not a reference exits with 1, like an absent blob. */
int blob_resolve(struct cli *cli, const char *text, quire_digest *digest)
{
    quire_error err = {0};
    quire_status st = quire_blob_resolve(cli->q, text, digest, &err);

    if (!st)
        return EXIT_DONE;
    cli_fail(cli, &err);
    return st == QUIRE_INVALID ? EXIT_NO : cli_exit(st);
}

/* null: not known without unpacking it. */
static void add_size(struct json_writer *w, const char *key, uint64_t size)
{
    if (size == UINT64_MAX)
        json_put_null(w, key);
    else
        json_put_uint(w, key, size);
}

/* `size` and `stored` are older names of size_bytes and stored_bytes. */
void blob_add_members(struct json_writer *w, const quire_blob_info *info)
{
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(&info->digest, ref);
    json_put_str(w, "ref", ref);
    json_put_str(w, "sha256", strrchr(ref, ':') + 1);
    add_size(w, "size", info->size);
    add_size(w, "size_bytes", info->size);
    json_put_uint(w, "stored", info->stored);
    json_put_uint(w, "stored_bytes", info->stored);
}

void blob_add_path(struct cli *cli, struct json_writer *w,
                   const quire_blob_info *info)
{
    const char *path = NULL;

    if (info->in_file && !quire_blob_path(cli->q, &info->digest, &path, NULL))
        json_put_str(w, "path", path);
    else
        json_put_null(w, "path");
}

/* ---- get ---------------------------------------------------------------- */

struct sink {
    struct cli *cli;
    struct atomic_output *save; /* NULL: standard output */
    uint64_t done, total;
};

static quire_status write_sink(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct sink *s = ctx;

    s->done += bytes.len;
    progress_at(s->cli, s->done, s->total);
    if (s->save)
        return atomic_output_write(s->save, bytes, err);
    out_write(s->cli, bytes);
    return out_status(s->cli, err);
}

/* A range as given; UINT64_MAX where a side is absent. */
struct range {
    uint64_t first, last;
};

static bool read_side(const char **at, uint64_t *out)
{
    char *end;

    *out = UINT64_MAX;
    if (**at < '0' || **at > '9')
        return true;
    errno = 0;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *out != UINT64_MAX;
}

static bool read_range(const char *text, struct range *r)
{
    if (!read_side(&text, &r->first) || *text++ != '-' ||
        !read_side(&text, &r->last) || *text)
        return false;
    if (r->first == UINT64_MAX)
        return r->last != UINT64_MAX;
    return r->first <= r->last;
}

/* Convert to [first, last) for a blob of `size` bytes; false if it is empty. */
static bool resolve_range(struct range *r, uint64_t size)
{
    if (r->first == UINT64_MAX) {
        r->first = r->last < size ? size - r->last : 0;
        r->last = size;
    } else {
        r->last = r->last < size ? r->last + 1 : size;
    }
    return r->first < r->last;
}

static quire_status read_blob(struct sink *sink, const quire_digest *digest,
                              const struct range *range, quire_error *err)
{
    quire *q = sink->cli->q;
    quire_status st;

    st = quire_blob_read(q, digest, range->first, range->last, write_sink, sink,
                         err);
    if (!st && sink->save)
        st = atomic_output_commit(sink->save, err);
    return st;
}

/* The bytes to read, and how many. The size is looked up only for a range or for
 * progress. */
static int find_range(struct cli *cli, const struct args *args,
                      const quire_digest *digest, struct range *range,
                      uint64_t *total)
{
    const char *text = args_text(args, "range");
    quire_blob_info info;
    quire_error err = {0};

    if (!text && !cli->out.progress.enabled)
        return EXIT_DONE;
    if (quire_blob_stat(cli->q, digest, &info, &err))
        return cli_fail(cli, &err);
    *total = info.size;
    if (!text)
        return EXIT_DONE;
    if (!resolve_range(range, info.size)) {
        err_set(&err, QUIRE_INVALID,
                "the range %s is past the end of %s, which has %llu bytes",
                text, args->words[0], (unsigned long long)info.size);
        cli_fail(cli, &err);
        return EXIT_NO;
    }
    *total = range->last - range->first;
    return EXIT_DONE;
}

static int blob_get(struct cli *cli, const struct args *args)
{
    const char *range_text = args_text(args, "range");
    const char *file = args_text(args, "output");
    struct range range = {0, UINT64_MAX};
    struct atomic_output save = ATOMIC_OUTPUT_INIT;
    struct sink sink = {.cli = cli};
    quire_digest digest;
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    int code;

    if (range_text && !read_range(range_text, &range))
        return cli_usage(cli, "write it as 0-99, 100- or -100",
                         "--range needs a range of bytes, not `%s`",
                         range_text);
    code = blob_resolve(cli, args->words[0], &digest);
    if (!code)
        code = find_range(cli, args, &digest, &range, &sink.total);
    if (code)
        return code;
    if (file && strcmp(file, "-") != 0) {
        st = atomic_output_open(&save, file, &err);
        sink.save = &save;
    }
    if (!st) {
        /* On a terminal the content itself shows the progress. */
        if (sink.save || !isatty(STDOUT_FILENO))
            progress_start(cli, "reading", true);
        st = read_blob(&sink, &digest, &range, &err);
        progress_end(cli);
    }
    if (st == QUIRE_DAMAGED && !sink.save)
        out_discard(cli);
    /* out_close() reports a failed write; a signal needs no message. */
    if (st && st != QUIRE_STOPPED && (sink.save || !cli->out.error))
        code = cli_fail(cli, &err);
    if (sink.save)
        atomic_output_release(&save);
    return code;
}

static const struct opt get_opts[] = {
    ATOMIC_OUTPUT_OPT,
    {.name = "range", .kind = OPT_TEXT, .value = "A-B", .help = RANGE_HELP},
    STORE_OPTS,
    {0},
};

const struct cmd cmd_blob_get = {
    .name = "blob get",
    .args = "REF",
    .summary = "print the content of a blob",
    .about =
        "REF is what `quire blob put` printed, with or without `blob:` and "
        "`sha256:`, or the first six or more digits of it.\n\n"
        "The content is checked against its digest. For a blob above 1 MiB on "
        "standard output this is after printing: discard the output on exit "
        "status 4. A range of such a blob is not checked.",
    .opts = get_opts,
    .examples = "quire blob get 2cf24dba\n"
                "quire blob get 2cf24dba --range 0-3 -o start.txt",
    .store = STORE_READ,
    .run = blob_get,
};

/* ---- stat --------------------------------------------------------------- */

static void print_stat(struct cli *cli, const quire_blob_info *info)
{
    char ref[QUIRE_REF_SIZE], seen[TIMESTAMP_SIZE];
    const char *path;
    struct row r;

    if (row_begin(&r, cli)) {
        blob_add_members(&r.json, info);
        json_put_bool(&r.json, "in_file", info->in_file);
        json_put_time(&r.json, "seen_at", info->seen_s * 1000000);
        blob_add_path(cli, &r.json, info);
    } else {
        quire_ref_format(&info->digest, ref);
        timestamp_format(info->seen_s * 1000000, seen);
        buf_addf(&r.text, "%s\n  size    ", ref);
        add_count(&r.text, info->size, "byte", "bytes");
        buf_add_str(&r.text, "\n  stored  ");
        add_count(&r.text, info->stored, "byte", "bytes");
        buf_addf(&r.text, ", %s\n  seen    %.10s %.8s UTC",
                 info->in_file ? "in a file of its own" : "in quire.db", seen,
                 seen + 11);
        if (info->in_file &&
            !quire_blob_path(cli->q, &info->digest, &path, NULL)) {
            buf_add_str(&r.text, "\n  path    ");
            term_add(&r.text, bytes_str(path), true);
        }
    }
    row_print(&r);
}

static int blob_stat(struct cli *cli, const struct args *args)
{
    int code = EXIT_DONE;
    size_t i;

    for (i = 0; i < args->n_words; i++) {
        quire_blob_info info;
        quire_digest digest;
        quire_error err = {0};
        int bad = blob_resolve(cli, args->words[i], &digest);

        if (!bad && quire_blob_stat(cli->q, &digest, &info, &err))
            bad = cli_fail(cli, &err);
        if (!bad)
            print_stat(cli, &info);
        code = cli_worse(code, bad);
    }
    return code;
}

static const struct opt store_opts[] = {STORE_OPTS, {0}};

const struct cmd cmd_blob_stat = {
    .name = "blob stat",
    .args = "REF...",
    .summary = "print the size of blobs and where they are stored",
    .about =
        "Reads the content only for the size of a large file in a loose "
        "store. With `--json`: ref, "
        "sha256, size_bytes, stored_bytes, in_file, seen_at (when it was last "
        "put or found again); `size` and `stored` are older names of "
        "size_bytes and stored_bytes.",
    .opts = store_opts,
    .examples = "quire blob stat 2cf24dba",
    .store = STORE_READ,
    .paged = true,
    .run = blob_stat,
};

/* ---- ls ----------------------------------------------------------------- */

struct listing {
    struct cli *cli;
    bool detailed;
    uint64_t left; /* of --limit */
};

static void add_sizes(struct buf *line, const quire_blob_info *info)
{
    if (info->size == UINT64_MAX)
        buf_addf(line, " %11s", "-");
    else
        buf_addf(line, " %11llu", (unsigned long long)info->size);
    buf_addf(line, " %11llu", (unsigned long long)info->stored);
}

static quire_status list_one(void *ctx, const quire_blob_info *info,
                             quire_error *err)
{
    struct listing *l = ctx;
    char ref[QUIRE_REF_SIZE];
    struct row r;

    if (!l->left--)
        return QUIRE_STOPPED;
    if (row_begin(&r, l->cli)) {
        blob_add_members(&r.json, info);
    } else {
        quire_ref_format(&info->digest, ref);
        buf_add_str(&r.text, ref);
        if (l->detailed)
            add_sizes(&r.text, info);
    }
    return row_emit(&r, err);
}

static int blob_ls(struct cli *cli, const struct args *args)
{
    struct listing l = {.cli = cli,
                        .detailed = args_flag(args, "long"),
                        .left = args_limit(args, UINT64_MAX)};
    quire_error err = {0};
    quire_status st = quire_blob_list(cli->q, list_one, &l, &err);
    int code = EXIT_DONE;

    if (st && st != QUIRE_STOPPED && !cli->out.error)
        code = cli_fail(cli, &err);
    return code;
}

static const struct opt ls_opts[] = {
    {.name = "long",
     .letter = 'l',
     .kind = OPT_FLAG,
     .help = "also the size, and the bytes it takes in the store"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 0, the default, for all"},
    STORE_OPTS,
    {0},
};

const struct cmd cmd_blob_ls = {
    .name = "blob ls",
    .args = "",
    .summary = "list the blobs in the store",
    .about = "One reference a line, by ascending digest. With `--json`: ref, "
             "sha256, size_bytes, stored_bytes. The size of a large file in a "
             "loose store is unknown without unpacking it: `-`, in JSON null; "
             "`blob stat` prints it.",
    .opts = ls_opts,
    .examples = "quire blob ls --long",
    .store = STORE_READ,
    .paged = true,
    .run = blob_ls,
};

/* ---- check -------------------------------------------------------------- */

struct checking {
    struct cli *cli;
    int code;
};

static quire_status emit_problem(void *ctx, const quire_problem *problem,
                                 quire_error *err)
{
    struct checking *c = ctx;
    struct row r;

    c->code = EXIT_DAMAGED;
    if (row_begin(&r, c->cli)) {
        json_put_str(&r.json, "where", problem->where);
        json_put_str(&r.json, "kind", problem->kind);
        json_put_str(&r.json, "message", problem->what);
    } else {
        buf_addf(&r.text, "%s: %s: %s", problem->where, problem->kind,
                 problem->what);
    }
    return row_emit(&r, err);
}

static quire_status show_progress(void *ctx, uint64_t done, uint64_t total,
                                  quire_error *err)
{
    struct checking *c = ctx;

    (void)err;
    progress_at(c->cli, done, total);
    return QUIRE_OK;
}

static int blob_check(struct cli *cli, const struct args *args)
{
    struct checking c = {.cli = cli};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = emit_problem,
                               .progress = show_progress,
                               .ctx = &c};
    quire_error err = {0};
    size_t i;

    /* An absent --store is an error, not an empty store. */
    if (args_text(args, "store") && access(args_text(args, "store"), F_OK)) {
        err_sys(&err, errno, "cannot check %s", args_text(args, "store"));
        return cli_fail(cli, &err);
    }
    progress_start(cli, "checking", false);
    if (!args->n_words && quire_blob_check(cli->q, NULL, &hooks, &err) &&
        !cli->out.error)
        c.code = cli_worse(c.code, cli_fail(cli, &err));
    for (i = 0; i < args->n_words; i++) {
        quire_digest digest;
        int bad = blob_resolve(cli, args->words[i], &digest);

        if (!bad && quire_blob_check(cli->q, &digest, &hooks, &err) &&
            !cli->out.error)
            bad = cli_fail(cli, &err);
        c.code = cli_worse(c.code, bad);
    }
    progress_end(cli);
    return c.code;
}

const struct cmd cmd_blob_check = {
    .name = "blob check",
    .args = "[REF...]",
    .summary = "read blobs and compare them with their digests",
    .about =
        "Without REF, all of them. Prints a line a problem: place, kind, "
        "message; nothing without a problem. Exit status 4: at least one "
        "problem. Changes nothing; to repair a blob, put its content again "
        "with `quire blob put --verify`.\n\n"
        "With `--json`: where, kind, message. The kinds are cut, not_gzip, "
        "broken, checksum, trailing, too_long, too_short, content, missing, "
        "row, unreadable.",
    .opts = store_opts,
    .examples = "quire blob check",
    .store = STORE_READ,
    .paged = true,
    .run = blob_check,
};
