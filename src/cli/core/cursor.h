/*
 * cursor.h - options that are a time or a position in a list
 */
#ifndef CLI_CORE_CURSOR_H
#define CLI_CORE_CURSOR_H

#include <stdint.h>

#include "base/json.h"

struct args;
struct cli;

/* The value of the option `name` in microseconds, 0 if not given. A printed time
 * has milliseconds: the last microsecond of it is used, so that the row it was
 * printed with is included. Reports EXIT_USAGE. */
int cursor_time(struct cli *cli, const struct args *args, const char *name,
                int64_t *us);

/* --cursor: the list continues after the row with this time and id. Both are 0
 * if it was not given. */
int cursor_read(struct cli *cli, const struct args *args, int64_t *us,
                int64_t *id);

/* Add the member `cursor`, the value for --cursor. */
void cursor_add(struct json_writer *w, int64_t us, int64_t id);

#endif
