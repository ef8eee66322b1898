/* removal_lines.c - see removal_lines.h */
#include "cli/cmd/removal_lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/cmd/session.h"

quire_status removal_emit(void *ctx, const char *path, const char *row,
                          uint64_t bytes, quire_error *err)
{
    struct cli *cli = ctx;
    const char *name = path ? path : row;
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_str(&r.json, path ? "path" : "row", name);
        json_put_uint(&r.json, "bytes", bytes);
    } else if (isatty(STDOUT_FILENO)) {
        term_add(&r.text, bytes_str(name), true);
    } else {
        buf_add_str(&r.text, name);
    }
    return row_emit(&r, err);
}

quire_status removal_keep(void *ctx, const char *path, const char *row,
                          uint64_t bytes, quire_error *err)
{
    struct removal_lines *lines = ctx;
    struct removal_line *line = calloc(1, sizeof *line);

    if (!line)
        return err_memory(err);
    line->path = path ? strdup(path) : NULL;
    line->row = row ? strdup(row) : NULL;
    line->bytes = bytes;
    *lines->last = line;
    lines->last = &line->next;
    return line->path || line->row ? QUIRE_OK : err_memory(err);
}

void removal_lines_release(struct removal_lines *lines)
{
    struct removal_line *line, *next;

    for (line = lines->first; line; line = next) {
        next = line->next;
        free(line->path);
        free(line->row);
        free(line);
    }
}

void removal_lines_init(struct removal_lines *lines)
{
    lines->first = NULL;
    lines->last = &lines->first;
}

quire_status removal_lines_print(struct cli *cli,
                                 const struct removal_lines *lines,
                                 quire_error *err)
{
    const struct removal_line *line;
    quire_status st = QUIRE_OK;

    for (line = lines->first; line && !st; line = line->next)
        st = removal_emit(cli, line->path, line->row, line->bytes, err);
    return st;
}
