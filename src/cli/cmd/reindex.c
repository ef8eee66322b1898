/*
 * reindex.c - what is derived, made again
 */
#include "cli/core/cli.h"

extern const struct cmd cmd_reindex;

static int reindex(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    (void)args;
    return quire_reindex(cli->q, &err) ? cli_fail(cli, &err) : EXIT_DONE;
}

const struct cmd cmd_reindex = {
    .name = "reindex",
    .args = "",
    .summary = "make all that is derived again",
    .about =
        "The indexes that `artifact search` and `memory search` ask, the lists "
        "and tallies of sessions, and the counters of quotas are made of what "
        "is there, and can be made again at any time. It gives back the room "
        "that words of removed sessions take. Of all tenants, or of the one "
        "that `--tenant` names. Others can read meanwhile; writers wait.",
    .examples = "quire reindex",
    .store = STORE_WRITE,
    .run = reindex,
};
