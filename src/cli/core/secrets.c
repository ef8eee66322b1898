/* secrets.c - see secrets.h */
#include "cli/core/secrets.h"

#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "cli/cmd/session.h"

enum { LINES_MAX = 20 };

static void write_line(struct buf *line)
{
    buf_add_char(line, '\n');
    if (!line->failed)
        fs_write_all(STDERR_FILENO, buf_bytes(line));
}

static void add_secret(struct cli *cli, struct buf *line, const quire_secret *s)
{
    struct json_writer w;

    if (cli->json) {
        json_begin(&w, line);
        json_object(&w);
        json_put_str(&w, "warning", "a secret was found");
        json_put_str(&w, "kind", "secret");
        json_put_str(&w, "secret", s->kind);
        json_put_str(&w, "place", s->place);
        json_put_uint(&w, "byte", s->at);
        json_put_uint(&w, "bytes", s->bytes);
        json_put_bool(&w, "masked", s->masked != 0);
        json_object_end(&w);
        return;
    }
    buf_addf(line, "quire: %s", s->kind);
    if (*s->place) {
        buf_add_str(line, " in ");
        term_add(line, bytes_str(s->place), true);
    }
    buf_addf(line, ", byte %llu%s", (unsigned long long)s->at,
             s->masked ? ", masked" : "");
}

void cli_note_secret(void *ctx, const quire_secret *secret)
{
    struct cli *cli = ctx;
    struct buf line = BUF_INIT(1 << 20);

    if (atomic_fetch_add(&cli->n_secrets, 1) < LINES_MAX && !cli->quiet) {
        add_secret(cli, &line, secret);
        write_line(&line);
    }
    buf_release(&line);
}

void cli_count_secrets(struct cli *cli)
{
    unsigned n = atomic_load(&cli->n_secrets);
    struct buf line = BUF_INIT(256);

    if (n <= LINES_MAX || cli->quiet || cli->json)
        return;
    buf_addf(&line, "quire: %u more secrets", n - LINES_MAX);
    write_line(&line);
    buf_release(&line);
}
