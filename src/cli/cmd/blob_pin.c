/*
 * blob_pin.c - pins keep blobs without a reference
 */
#include "base/bytes.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/blob.h"

static quire_status list_pin(void *ctx, const quire_digest *digest,
                             quire_error *err)
{
    char ref[QUIRE_REF_SIZE];
    struct row r;

    quire_ref_format(digest, ref);
    if (row_begin(&r, ctx))
        json_put_str(&r.json, "ref", ref);
    else
        buf_add_str(&r.text, ref);
    return row_emit(&r, err);
}

static int change_each(struct cli *cli, const struct args *args,
                       quire_status (*change)(quire *q, const quire_digest *d,
                                              quire_error *err))
{
    quire_error err = {0};
    int code = EXIT_DONE;
    size_t i;

    for (i = 0; i < args->n_words; i++) {
        quire_digest digest;
        int bad = blob_resolve(cli, args->words[i], &digest);

        if (!bad && change(cli->q, &digest, &err))
            bad = cli_fail(cli, &err);
        code = cli_worse(code, bad);
    }
    return code;
}

static int blob_pin(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    if (args->n_words)
        return change_each(cli, args, quire_blob_pin);
    return quire_pin_list(cli->q, list_pin, cli, &err) ? cli_fail(cli, &err)
                                                       : EXIT_DONE;
}

const struct cmd cmd_blob_pin = {
    .name = "blob pin",
    .args = "[REF...]",
    .summary = "pin blobs, so that gc keeps them",
    .about = "`quire gc` removes a blob without a reference from a session, "
             "conversation or artifact after its grace time; a pin keeps it. "
             "Without REF: list pinned blobs.",
    .examples = "printf hello | quire blob put | xargs quire blob pin",
    .store = STORE_EITHER,
    .run = blob_pin,
};

static int blob_unpin(struct cli *cli, const struct args *args)
{
    return change_each(cli, args, quire_blob_unpin);
}

const struct cmd cmd_blob_unpin = {
    .name = "blob unpin",
    .args = "REF...",
    .summary = "remove the pins of blobs",
    .about = "A blob with a reference stays.",
    .examples = "quire blob pin | xargs -r quire blob unpin",
    .store = STORE_WRITE,
    .run = blob_unpin,
};
