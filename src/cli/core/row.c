#include "cli/core/row.h"

#include <time.h>
#include <unistd.h>

#include "base/timestamp.h"
#include "cli/core/cli.h"

#define ROW_BYTES_MAX ((size_t)1 << 31)

void row_begin_json(struct row *r, struct cli *cli)
{
    *r = (struct row){.cli = cli,
                      .text = BUF_INIT(ROW_BYTES_MAX),
                      .is_json = true};
    json_begin(&r->json, &r->text);
    json_object(&r->json);
}

bool row_begin(struct row *r, struct cli *cli)
{
    if (cli->json)
        row_begin_json(r, cli);
    else
        *r = (struct row){.cli = cli, .text = BUF_INIT(ROW_BYTES_MAX)};
    return cli->json;
}

void row_print(struct row *r)
{
    if (r->is_json)
        json_object_end(&r->json);
    out_line(r->cli, &r->text);
    buf_release(&r->text);
}

quire_status row_emit(struct row *r, quire_error *err)
{
    row_print(r);
    return out_status(r->cli, err);
}

/* ---- members ------------------------------------------------------------ */

void json_put_time(struct json_writer *w, const char *key, int64_t us)
{
    char text[TIMESTAMP_SIZE] = "";

    if (us)
        timestamp_format(us, text);
    json_put_optional(w, key, text);
}

void json_put_optional(struct json_writer *w, const char *key, const char *text)
{
    if (text && *text)
        json_put_str(w, key, text);
    else
        json_put_null(w, key);
}

/* ---- text --------------------------------------------------------------- */

const char *local_time(int64_t us, char out[LOCAL_TIME_SIZE])
{
    time_t s = (time_t)(us / 1000000);
    struct tm tm;

    out[0] = '\0';
    if (us && localtime_r(&s, &tm))
        strftime(out, LOCAL_TIME_SIZE, "%Y-%m-%d %H:%M", &tm);
    return out;
}

void add_count(struct buf *out, uint64_t n, const char *one, const char *many)
{
    buf_addf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void print_heading(struct cli *cli, const char *columns)
{
    bool color = cli->out.color;

    if (cli->out.headed || cli->json || !isatty(STDOUT_FILENO))
        return;
    cli->out.headed = true;
    out_printf(cli, "%s%s%s\n", color ? "\033[1m" : "", columns,
               color ? "\033[0m" : "");
}
