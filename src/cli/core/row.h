/*
 * row.h - one result as a JSON object or a line of text
 *
 *     if (row_begin(&r, cli))
 *         json_put_str(&r.json, "name", x->name);
 *     else
 *         buf_add_str(&r.text, x->name);
 *     return row_emit(&r, err);
 *
 * Field names are the same in all commands: times end in `_at` and are RFC 3339
 * in UTC, sizes end in `_bytes`.
 */
#ifndef CLI_CORE_ROW_H
#define CLI_CORE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

struct cli;

struct row {
    struct cli *cli;
    struct buf text;
    struct json_writer json;
    bool is_json;
};

/* True with --json: add members to `json`. Else add text, without a newline, to
 * `text`. */
bool row_begin(struct row *r, struct cli *cli);

/* For commands that print JSON with or without --json. */
void row_begin_json(struct row *r, struct cli *cli);

/* Print the row and release it. */
void row_print(struct row *r);

/* The same for a callback: an error if standard output cannot be written. */
quire_status row_emit(struct row *r, quire_error *err);

/* ---- members ------------------------------------------------------------ */

/* RFC 3339; null for 0. */
void json_put_time(struct json_writer *w, const char *key, int64_t us);

/* null for NULL and "". */
void json_put_optional(struct json_writer *w, const char *key,
                       const char *text);

/* ---- text --------------------------------------------------------------- */

enum { LOCAL_TIME_SIZE = 20 };

/* "2026-02-16 10:20" in local time; "" for 0. */
const char *local_time(int64_t us, char out[LOCAL_TIME_SIZE]);

/* "1 entry", "2 entries". */
void add_count(struct buf *out, uint64_t n, const char *one, const char *many);

/* Print the column names of a list, once, before its first row; on a terminal
 * only. */
void print_heading(struct cli *cli, const char *columns);

#endif
