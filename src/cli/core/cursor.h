/*
 * cursor.h - times and places in a list, as they are typed
 */
#ifndef CLI_CORE_CURSOR_H
#define CLI_CORE_CURSOR_H

#include <stdint.h>

#include "base/json.h"

struct args;
struct cli;

/* The time that the option `name` gives, in microseconds: the last of the
 * millisecond that it names, because what was printed is to be seen. 0: it was
 * not given. EXIT_USAGE, with words. */
int cursor_time(struct cli *cli, const struct args *args, const char *name,
                int64_t *us);

/* Where --cursor says that a list goes on: behind what was changed at that
 * time and has that id. Both 0: it was not given. */
int cursor_read(struct cli *cli, const struct args *args, int64_t *us,
                int64_t *id);

/* The member that --cursor takes. */
void cursor_add(struct json_writer *w, int64_t us, int64_t id);

#endif
