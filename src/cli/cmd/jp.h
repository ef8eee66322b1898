/*
 * jp.h - what the verbs of `jp` share
 */
#ifndef CLI_CMD_JP_H
#define CLI_CMD_JP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "quire.h"

struct args;
struct cli;
struct cmd;

/* clang-format off */
#define BLOBS_OPT                                                              \
    {.name = "store", .kind = OPT_PATH, .value = "BLOBS",                      \
     .help = "the blobs directory, instead of the one beside "                 \
             "`conversations`"}
/* clang-format on */

extern const struct cmd cmd_jp_print, cmd_jp_ls;

/* Report an error and return the exit status; 1 for QUIRE_INVALID. */
int jp_fail(struct cli *cli, const quire_error *err);

/* Open --store, else the store beside `dir`. */
int jp_open(struct cli *cli, const struct args *args, const char *dir,
            bool write, quire **out);

/* A problem on standard error; `ctx` is a struct troubles. */
struct troubles {
    struct cli *cli;
    int code; /* EXIT_DAMAGED if there were any */
};
quire_status jp_problem(void *ctx, const quire_problem *problem,
                        quire_error *err);

#endif
