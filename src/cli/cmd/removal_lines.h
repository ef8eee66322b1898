/* removal_lines.h - lines of what is removed: {"path"|"row","bytes"} */
#ifndef CLI_CMD_REMOVAL_LINES_H
#define CLI_CMD_REMOVAL_LINES_H

#include "cli/core/cli.h"

/* What is about to be removed, printed once it is. */
struct removal_line {
    char *path, *row;
    uint64_t bytes;
    struct removal_line *next;
};

struct removal_lines {
    struct removal_line *first, **last;
};

/* A quire_removal_fn that prints a line; `ctx` is the command line's. */
quire_status removal_emit(void *ctx, const char *path, const char *row,
                          uint64_t bytes, quire_error *err);

/* One that keeps it; `ctx` is a struct removal_lines, which removal_lines_init()
 * has emptied. */
quire_status removal_keep(void *ctx, const char *path, const char *row,
                          uint64_t bytes, quire_error *err);
void removal_lines_init(struct removal_lines *lines);
void removal_lines_release(struct removal_lines *lines);

/* Print those that were kept. */
quire_status removal_lines_print(struct cli *cli,
                                 const struct removal_lines *lines,
                                 quire_error *err);

#endif
