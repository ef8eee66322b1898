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

/* clang-format off */
#define BLOBS_OPT                                                              \
    {.name = "store", .kind = OPT_PATH, .value = "BLOBS",                      \
     .help = "the blobs directory, instead of the one beside "                 \
             "`conversations`"}
/* clang-format on */

/* Report an error and return the exit status; 1 for QUIRE_INVALID. */
int jp_fail(struct cli *cli, const quire_error *err);

/* Find the path of a conversation: `name` itself, or that of an id. Reports
 * failures and returns the exit status. */
int jp_find(struct cli *cli, const char *name, struct arena *keep,
            const char **path);

/* Open the blobs directory `blobs`. */
int jp_open_store(struct cli *cli, const struct args *args, const char *blobs,
                  bool write, quire **out);

/* Open --store, else the store beside `dir`. */
int jp_open(struct cli *cli, const struct args *args, const char *dir,
            bool write, quire **out);

/* Close a store that was written to, and start a collection of its location in
 * the background, if one is due. NULL is fine. */
void jp_close_written(quire *q);

/* A problem on standard error; `ctx` is a struct troubles. */
struct troubles {
    struct cli *cli;
    int code; /* EXIT_DAMAGED if there were any */
};
quire_status jp_problem(void *ctx, const quire_problem *problem,
                        quire_error *err);

/* The verb `jp files`, and `jp show --files`. */
int jp_files(struct cli *cli, const struct args *args);

/* Names of states, and the members of a conversation in JSON. */
struct json_writer;
extern const char *const jp_states[];
void jp_add_members(struct json_writer *w, const quire_conversation *one);

#endif
