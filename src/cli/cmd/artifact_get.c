/*
 * artifact_get.c - read an artifact, and count the read
 *
 * An artifact of another session is read by its id, with --via (a memory entry
 * that links it) or --read all (for a coordinator).
 */
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/memory.h"
#include "cli/core/atomic_output.h"

/* --version, --via and --read. */
static int read_reach(struct cli *cli, const struct args *args,
                      quire_artifact_get_options *o)
{
    const char *via = args_text(args, "via");
    const char *read = args_text(args, "read");

    o->version = (int64_t)args_number(args, "version", 0);
    if (read && strcmp(read, "all") != 0 && strcmp(read, "session") != 0)
        return cli_usage(cli, "", "--read must be session or all, not `%s`",
                         read);
    o->any_session = read && !strcmp(read, "all");
    return via ? memory_id(cli, via, &o->via) : EXIT_DONE;
}

#define REACH_OPTS                                                         \
    {.name = "version",                                                    \
     .kind = OPT_NUMBER,                                                   \
     .value = "N",                                                         \
     .help = "a version; the current one unless given"},                   \
        {.name = "via",                                                    \
         .kind = OPT_TEXT,                                                 \
         .value = "mem:ID",                                                \
         .help = "#ID may be of another session: this memory entry links " \
                 "it"},                                                    \
    {                                                                      \
        .name = "read", .kind = OPT_TEXT, .value = "WHAT",                 \
        .help = "`all`: #ID may be of any session; `session` unless "      \
                "given"                                                    \
    }

/* ---- get ----------------------------------------------------------------- */

struct getting {
    struct cli *cli;
    struct atomic_output *save; /* NULL: standard output */
};

static quire_status write_content(void *ctx, quire_bytes bytes,
                                  quire_error *err)
{
    struct getting *g = ctx;

    if (g->save)
        return atomic_output_write(g->save, bytes, err);
    out_write(g->cli, bytes);
    return out_status(g->cli, err);
}

/* The command's handle is read-only; another one counts the read if the home is
 * writable. */
static void count_read(struct cli *cli, int64_t id)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    quire *q = NULL;

    if (access(quire_home(cli->q), W_OK))
        return;
    cli_store_options(cli->args, &options);
    options.busy_ms = 0; /* on a full disk our own handle holds the lock */
    if (!quire_open(&options, &q, NULL))
        quire_artifact_count_read(q, id, NULL);
    quire_close(q);
}

static int artifact_get(struct cli *cli, const struct args *args)
{
    const char *output = args_text(args, "output");
    struct atomic_output save = ATOMIC_OUTPUT_INIT;
    struct getting g = {cli, output && strcmp(output, "-") != 0 ? &save : NULL};
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a = {.id = 0};
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    const char *session;
    int code = read_reach(cli, args, &o);

    if (!code)
        code = session_default(cli, args, false, &session);
    if (code)
        return code;
    if (g.save)
        st = atomic_output_open(&save, output, &err);
    if (!st)
        st = quire_artifact_get(cli->q, session, args->words[0], &o,
                                write_content, &g, &a, &err);
    if (!st && g.save)
        st = atomic_output_commit(&save, &err);
    if (!st)
        count_read(cli, a.id);
    if (st && st != QUIRE_STOPPED)
        code = !g.save && cli->out.error ? EXIT_DONE : artifact_fail(cli, &err);
    if (st && !g.save)
        out_discard(cli);
    if (g.save)
        atomic_output_release(&save);
    return code;
}

static const struct opt get_opts[] = {
    REACH_OPTS,
    {.name = "output",
     .letter = 'o',
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "write to FILE, whole or not at all"},
    {0},
};

const struct cmd cmd_artifact_get = {
    .name = "artifact get",
    .args = "PATH|#ID",
    .summary = "print the content of an artifact",
    .about = "PATH is in the session. #ID may be of another session if --via "
             "cites a memory entry that links it, or with --read all.",
    .opts = get_opts,
    .examples = "quire artifact get notes/today.md\n"
                "quire artifact get notes/today.md --version 1 -o old.md",
    .store = STORE_READ,
    .run = artifact_get,
};

/* ---- stat ---------------------------------------------------------------- */

static int artifact_stat(struct cli *cli, const struct args *args)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;
    quire_error err = {0};
    const char *session;
    struct row r;
    int code = read_reach(cli, args, &o);

    if (!code)
        code = session_default(cli, args, false, &session);
    if (code)
        return code;
    if (quire_artifact_stat(cli->q, session, args->words[0], &o, &a, &err))
        return artifact_fail(cli, &err);
    if (row_begin(&r, cli)) {
        artifact_add_members(&r.json, &a);
        json_put_uint(&r.json, "reads", a.reads);
        json_put_time(&r.json, "read_at", a.read_us);
    } else {
        artifact_add_row(&r.text, &a);
    }
    row_print(&r);
    return EXIT_DONE;
}

static const struct opt stat_opts[] = {REACH_OPTS, {0}};

const struct cmd cmd_artifact_stat = {
    .name = "artifact stat",
    .args = "PATH|#ID",
    .summary = "show the metadata of an artifact",
    .about =
        "With --json one object: id, path, session, size_bytes, sha256, "
        "version, media_type, purpose, source, agent, tags, metadata, "
        "created_at, modified_at, deleted_at, reads (how often it was read), "
        "read_at (when last); `size` and `mime` are older names of size_bytes "
        "and media_type.",
    .opts = stat_opts,
    .examples = "quire artifact stat notes/today.md --json",
    .store = STORE_READ,
    .run = artifact_stat,
};
