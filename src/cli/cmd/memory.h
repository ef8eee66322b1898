/*
 * memory.h - what the verbs of `memory` share
 */
#ifndef CLI_CMD_MEMORY_H
#define CLI_CMD_MEMORY_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

struct args;
struct cli;

/* Report an error. A bad type, title or id exits with 2, an absent entry, artifact
 * or session with 1. */
int memory_fail(struct cli *cli, const quire_error *err);

/* "12", "#12" or "mem:12"; else reports EXIT_USAGE. */
int memory_id(struct cli *cli, const char *text, int64_t *id);

/* The types of --type, "user,project", or'ed; 0 if it was not given. */
int memory_types(struct cli *cli, const struct args *args, unsigned *types);

/* The members of an entry, in an object that is open. */
void memory_add_members(struct json_writer *w, const quire_memory *entry);

/* An entry in a line: "#3     2026-02-16  [project] title +tag". */
void memory_add_row(struct buf *line, const quire_memory *entry);

#define MEMORY_COLUMNS "id     modified    [type] title +tag"

#endif
