/* home_make.c - see home_make.h */
#include "home_make.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

/* Blobs that are put in one transaction. */
enum { BATCH = 20000 };

size_t home_blob(uint64_t i, char text[HOME_BLOB])
{
    return (size_t)snprintf(text, HOME_BLOB,
                            "what a tool said, number %llu of very many\n",
                            (unsigned long long)i);
}

void home_put_blobs(struct home *h, uint64_t from, uint64_t n,
                    quire_digest *digests)
{
    quire_blob_info info;
    quire_error err;
    char text[HOME_BLOB];
    uint64_t i;

    for (i = 0; i < n; i++) {
        size_t len = home_blob(from + i, text);

        if (i % BATCH == 0)
            bench_ok(quire_begin(h->q, &err), &err);
        bench_ok(quire_blob_put(h->q, bytes_of(text, len), 0, &info, &err),
                 &err);
        digests[i] = info.digest;
        if (i % BATCH == BATCH - 1 || i == n - 1)
            bench_ok(quire_commit(h->q, &err), &err);
    }
}

static void add_entry(struct buf *out, int i, const struct buf *text,
                      const quire_digest *d)
{
    char hex[65];

    hex_encode(d->byte, sizeof d->byte, hex);
    buf_addf(out,
             "{\"type\":\"message\",\"id\":\"%08x\",\"parentId\":%s,"
             "\"timestamp\":\"2026-11-16T09:00:00.000Z\",\"message\":{\"role\":"
             "\"user\",\"content\":[{\"type\":\"text\",\"text\":\"%.*s\"},"
             "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":"
             "\"blob:sha256:%s\"}]}}\n",
             (unsigned)i, i ? "\"00000000\"" : "null", (int)text->len,
             text->data, hex);
}

void home_session_path(const struct home *h, int number, char path[HOME_PATH])
{
    snprintf(path, HOME_PATH,
             "%s/home/sessions/--project-%d--/2026-11-16_%016x.jsonl",
             h->b->scratch, number / PER_DIR, (unsigned)number);
}

void home_write_session(struct home *h, int number, const quire_digest *digests)
{
    struct buf out = BUF_INIT(16 << 20), text = BUF_INIT(1 << 20);
    char dir[512], path[HOME_PATH];
    int i, fd;

    snprintf(dir, sizeof dir, "%s/home/sessions/--project-%d--", h->b->scratch,
             number / PER_DIR);
    mkdir(dir, 0700);
    buf_addf(&out,
             "{\"type\":\"session\",\"version\":3,\"id\":\"%016x\","
             "\"timestamp\":\"2026-11-16T09:00:00.000Z\",\"cwd\":\"/p\"}\n",
             (unsigned)number);
    for (i = 0; i < PER_SESSION; i++) {
        size_t k;

        text_output(&text, (uint64_t)number % 50 * PER_SESSION + (uint64_t)i,
                    1300);
        for (k = 0; k < text.len; k++)
            if (strchr("\"\\\n\t\r", text.data[k]))
                text.data[k] = ' ';
        add_entry(&out, i, &text, &digests[i]);
    }
    home_session_path(h, number, path);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, out.data, out.len) != (ssize_t)out.len)
        bench_fail("cannot write %s", path);
    close(fd);
    h->bytes += out.len;
    buf_release(&out);
    buf_release(&text);
}

void home_make(struct home *h, struct bench *b, int n_sessions)
{
    size_t n = (size_t)n_sessions * PER_SESSION;
    char *dir = place_path(b, "home/sessions");
    int i;

    *h = (struct home){.b = b, .n_sessions = n_sessions};
    place_clear(b, "home");
    h->q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    h->digests = calloc(n, sizeof *h->digests);
    if (!h->digests)
        bench_fail("no memory");
    home_put_blobs(h, 0, n, h->digests);
    mkdir(dir, 0700);
    free(dir);
    for (i = 0; i < n_sessions; i++)
        home_write_session(h, i, h->digests + (size_t)i * PER_SESSION);
}

void home_clear(struct home *h)
{
    quire_close(h->q);
    free(h->digests);
    place_clear(h->b, "home");
}
