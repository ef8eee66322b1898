/*
 * gc.c - garbage collection
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

/* ---- the report --------------------------------------------------------- */

static quire_status list_one(void *ctx, const quire_digest *digest,
                             quire_error *err)
{
    char hex[65];
    struct row r;

    hex_encode(digest->byte, sizeof digest->byte, hex);
    if (row_begin(&r, ctx))
        json_put_str(&r.json, "sha256", hex);
    else
        buf_add_str(&r.text, hex);
    return row_emit(&r, err);
}

/* `bytes_freed` and `returned` are older names of freed_bytes and
 * returned_bytes. */
static void add_report(struct json_writer *w, const quire_collect_report *r,
                       bool dry)
{
    const struct {
        const char *key;
        uint64_t n;
    } numbers[] = {
        {"scanned", r->scanned},         {"referenced", r->referenced},
        {"marked", r->marked},           {"removed", r->removed},
        {"bytes_freed", r->bytes_freed}, {"freed_bytes", r->bytes_freed},
        {"waiting", r->waiting},         {"sources", r->sources},
        {"rescanned", r->rescanned},     {"versions", r->versions},
        {"purged", r->purged},           {"orphans", r->orphans},
        {"trashed", r->trashed},         {"litter", r->litter},
        {"returned", r->returned},       {"returned_bytes", r->returned},
    };
    size_t i;

    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_put_uint(w, numbers[i].key, numbers[i].n);
    json_put_bool(w, "dry_run", dry);
    json_put_bool(w, "refused", r->refused);
}

/* ", 3 artifacts purged"; nothing for 0. */
static void add_extra(struct buf *line, uint64_t n, const char *one,
                      const char *many)
{
    if (!n)
        return;
    buf_add_str(line, ", ");
    add_count(line, n, one, many);
}

/* "3 of 120 blobs removed (1.2 MB), 4 marked, 113 in use". */
static void add_summary(struct buf *line, const quire_collect_report *r,
                        bool dry)
{
    char size[32];

    buf_addf(line, "%llu of %llu blobs %s", (unsigned long long)r->removed,
             (unsigned long long)r->scanned,
             dry ? r->refused ? "would be removed with --yes: it is more "
                                "than half"
                              : "would be removed"
                 : "removed");
    if (r->removed) {
        size_text(r->bytes_freed, size, sizeof size);
        buf_addf(line, " (%s)", size);
    }
    buf_addf(line, ", %llu in use", (unsigned long long)r->referenced);
    if (r->refused)
        add_extra(line, r->waiting, "is not referenced", "are not referenced");
    else
        add_extra(line, r->waiting, "is within its grace time",
                  "are within their grace time");
    add_extra(line, r->purged, "artifact purged", "artifacts purged");
    add_extra(line, r->versions, "old version dropped", "old versions dropped");
    add_extra(line, r->orphans, "directory of a removed session",
              "directories of removed sessions");
    add_extra(line, r->trashed, "session in the trash removed",
              "sessions in the trash removed");
    add_extra(line, r->litter, "temporary file of a dead program",
              "temporary files of dead programs");
    if (r->returned) {
        size_text(r->returned, size, sizeof size);
        buf_addf(line, "; quire.db is %s smaller", size);
    }
}

static int print_report(struct cli *cli, const quire_collect_report *r,
                        bool dry, bool listed)
{
    quire_error err = {0};
    struct row row;

    /* A list is for programs: nothing else among its lines. */
    if (listed && !cli->json)
        return EXIT_DONE;
    if (row_begin(&row, cli))
        add_report(&row.json, r, dry);
    else
        add_summary(&row.text, r, dry);
    return row_emit(&row, &err) ? cli_fail(cli, &err) : EXIT_DONE;
}

static int fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_USAGE : code;
}

/* ---- roots -------------------------------------------------------------- */

static quire_status list_root(void *ctx, const char *path, quire_error *err)
{
    struct row r;

    if (row_begin(&r, ctx))
        json_put_str(&r.json, "path", path);
    else
        term_add(&r.text, bytes_str(path), true);
    return row_emit(&r, err);
}

/* --roots, --add-root, --drop-root; *done: one was given. */
static int handle_roots(struct cli *cli, const struct args *args, bool *done)
{
    const char *add = args_text(args, "add-root");
    const char *drop = args_text(args, "drop-root");
    quire_error err = {0};
    quire_status st = QUIRE_OK;

    *done = add || drop || args_flag(args, "roots");
    if (*done && (!add + !drop + !args_flag(args, "roots") != 2 ||
                  args_flag(args, "dry-run") || args_flag(args, "full") ||
                  args_flag(args, "yes") || args_flag(args, "list") ||
                  args_number(args, "grace", UINT64_MAX) != UINT64_MAX))
        return cli_usage(cli, "give it alone, then run `quire gc`",
                         "--roots, --add-root and --drop-root cannot be "
                         "combined with other options");
    if (add)
        st = quire_root_add(cli->q, add, &err);
    if (!st && drop)
        st = quire_root_drop(cli->q, drop, &err);
    if (!st && args_flag(args, "roots"))
        st = quire_root_list(cli->q, list_root, cli, &err);
    return st ? fail(cli, &err) : EXIT_DONE;
}

/* ---- the command -------------------------------------------------------- */

static int refuse(struct cli *cli, const quire_collect_report *r)
{
    quire_error err = {.status = QUIRE_INVALID};

    snprintf(err.what, sizeof err.what,
             "more than half of the %llu blobs would be removed, so none was",
             (unsigned long long)r->scanned);
    snprintf(err.next, sizeof err.next,
             "list them with --dry-run --list; to remove them, give --yes");
    cli_fail(cli, &err);
    return EXIT_NO;
}

static int gc(struct cli *cli, const struct args *args)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report;
    bool dry = args_flag(args, "dry-run"), list = args_flag(args, "list"), done;
    uint64_t grace_ms;
    quire_error err = {0};
    int code = handle_roots(cli, args, &done);

    if (code || done)
        return code;
    o.flags = (dry ? QUIRE_COLLECT_DRY_RUN : 0u) |
              (args_flag(args, "yes") ? QUIRE_COLLECT_YES : 0u) |
              (args_flag(args, "full") ? QUIRE_COLLECT_FULL : 0u);
    grace_ms = args_number(args, "grace", UINT64_MAX);
    if (grace_ms != UINT64_MAX)
        o.grace_s = (int64_t)(grace_ms / 1000 + (grace_ms % 1000 > 0));
    if (list) {
        o.each = list_one;
        o.ctx = cli;
    }
    if (!dry)
        quire_make_room(cli->q);
    cli_warn_absent(cli);
    if (!dry && access(quire_home(cli->q), W_OK) && errno != ENOENT) {
        err_sys(&err, errno, "cannot write to %s", quire_home(cli->q));
        return cli_fail(cli, &err);
    }
    if (quire_collect(cli->q, &o, &report, &err))
        return fail(cli, &err);
    code = print_report(cli, &report, dry, list);
    return !code && report.refused && !dry ? refuse(cli, &report) : code;
}

static const struct opt opts_gc[] = {
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "remove nothing, print what would be removed"},
    {.name = "list",
     .kind = OPT_FLAG,
     .help = "print the digest of each removed blob, one a line"},
    {.name = "grace",
     .kind = OPT_TIME,
     .value = "DUR",
     .help =
         "keep blobs put, found again or referenced within DUR (seconds, or "
         "30m, 24h, 7d); the setting gc.grace unless given. 0 marks and removes "
         "in one run, for homes without other users"},
    {.name = "yes",
     .letter = 'y',
     .kind = OPT_FLAG,
     .help = "remove even more than half of the blobs"},
    {.name = "full",
     .kind = OPT_FLAG,
     .help = "read every file again, and ignore the reference index"},
    {.name = "roots",
     .kind = OPT_FLAG,
     .help = "only list the registered paths outside the home"},
    {.name = "add-root",
     .kind = OPT_PATH,
     .value = "PATH",
     .help = "only register a directory of sessions, or one file, outside the "
             "home: blobs it references are kept"},
    {.name = "drop-root",
     .kind = OPT_PATH,
     .value = "PATH",
     .help = "only unregister a path"},
    {0},
};

const struct cmd cmd_gc = {
    .name = "gc",
    .args = "",
    .summary = "remove unreferenced blobs",
    .about =
        "A blob is kept while a session (of any tenant, also archived), a "
        "conversation, an artifact or one of its versions, a pin, or a file in "
        "a registered path references it. An unreferenced blob is marked by one "
        "run and removed by a later one, after the grace time. Other processes "
        "may read and write meanwhile. A referenced blob is never removed: a "
        "file that cannot be read stops the run.\n"
        "\n"
        "Also removes versions beyond versions.kept, artifacts soft-deleted "
        "longer ago than gc.purge, temporary files of dead processes, and what "
        "was deleted from the search indexes; and returns free pages of "
        "quire.db to the file system.\n"
        "\n"
        "It also runs by itself: after a command that wrote, at most once an "
        "hour, in the background. `quire config set gc.auto off` turns this "
        "off; for a home of oh-my-pi or JP, which has no settings, the "
        "environment variable QUIRE_GC_AUTO=off does. State between runs is "
        "in quire.db, and in such a home in its directory `.quire`.\n"
        "\n"
        "Refuses, and removes nothing, if more than half of the blobs would be "
        "removed, unless the last conversation of a `.jp` was deleted. Works on the whole home, not on one tenant.\n"
        "\n"
        "With `--json`: scanned (all blobs), referenced, marked (newly found "
        "unreferenced), removed, freed_bytes, waiting (marked, within the grace "
        "time), sources (files with references), rescanned (sources read by "
        "this run), versions, purged, litter, orphans (directories of sessions that "
        "no longer exist), trashed (sessions past trash.keep), returned_bytes (of quire.db), "
        "dry_run, "
        "refused; `bytes_freed` and `returned` are older names of freed_bytes "
        "and returned_bytes.",
    .opts = opts_gc,
    .examples = "quire gc --dry-run\n"
                "quire gc --grace 7d",
    .store = STORE_EITHER,
    .run = gc,
};
