/*
 * reindex.c - rebuild derived data
 */
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"

static int reindex(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    (void)args;
    return quire_reindex(cli->q, &err) ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct cmd cmd_reindex = {
    .name = "reindex",
    .args = "",
    .summary = "rebuild every derived index",
    .about =
        "Rebuilds the search indexes, the lists and totals of sessions, and the "
        "counters of quotas "
        "from the stored data, and frees the space of removed sessions in them; "
        "for all tenants, or for `--tenant`. Readers can continue; writers "
        "wait.",
    .examples = "quire reindex",
    .store = STORE_WRITE,
    .run = reindex,
};
