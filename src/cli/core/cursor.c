/* cursor.c - see cursor.h */
#include "cli/core/cursor.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "cli/core/cli.h"

int cursor_time(struct cli *cli, const struct args *args, const char *name,
                int64_t *us)
{
    const char *text = args_text(args, name);
    int64_t ms;

    *us = 0;
    if (!text)
        return EXIT_DONE;
    if (timestamp_parse(bytes_str(text), &ms) && ms >= 0) {
        *us = ms * 1000 + 999;
        return EXIT_DONE;
    }
    return cli_usage(cli, "a time looks like 2026-02-16T10:20:30Z",
                     "`%s` is not a time", text);
}

int cursor_read(struct cli *cli, const struct args *args, int64_t *us,
                int64_t *id)
{
    const char *text = args_text(args, "cursor");
    char *end = NULL;

    *us = *id = 0;
    if (!text)
        return EXIT_DONE;
    *us = strtoll(text, &end, 10);
    if (*end == '-')
        *id = strtoll(end + 1, &end, 10);
    if (!*end && *us > 0 && *id > 0)
        return EXIT_DONE;
    return cli_usage(cli, "give the `cursor` of a row of `ls --json`",
                     "`%s` is not a cursor", text);
}

void cursor_add(struct json_writer *w, int64_t us, int64_t id)
{
    char cursor[48];

    snprintf(cursor, sizeof cursor, "%lld-%lld", (long long)us, (long long)id);
    json_put_str(w, "cursor", cursor);
}
