/* artifact_unpack.c - unpack an archive into artifacts */
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"

static quire_status emit_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    return artifact_emit(ctx, a, err);
}

static int unpack(struct cli *cli, const struct args *args)
{
    const char *session;
    quire_error err = {0};
    int code = session_default(cli, args, true, &session);

    if (code)
        return code;
    if (quire_artifact_unpack(cli->q, session, args->words[0],
                              args_text(args, "into"),
                              args_number(args, "max-files", 0),
                              args_number(args, "max-size", 0), emit_artifact,
                              cli, &err))
        return artifact_fail(cli, &err);
    return EXIT_DONE;
}

static const struct opt unpack_opts[] = {
    {.name = "into",
     .kind = OPT_TEXT,
     .value = "DIR",
     .help = "below this path; the archive's without its extension unless "
             "given"},
    {.name = "max-files",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "refuse more files than this; 1000 unless given"},
    {.name = "max-size",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "refuse more bytes than this, unpacked; 256m unless given"},
    {0},
};

const struct cmd cmd_artifact_unpack = {
    .name = "artifact unpack",
    .args = "PATH|#ID",
    .summary = "unpack an archive into artifacts",
    .about =
        "The archive is an artifact: ZIP, tar, tar.gz or gz. Each file in it "
        "becomes an artifact, all or none: an invalid path, a link or device, "
        "a duplicate name, a limit or a quota refuses the whole archive. The "
        "archive stays.",
    .opts = unpack_opts,
    .examples = "quire artifact unpack data.zip --into data || true",
    .store = STORE_WRITE,
    .run = unpack,
};
