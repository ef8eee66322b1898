/*
 * sqlite_reader_fuzz.c - any bytes as the database of another program
 *
 * Whatever it is, it is read or refused, a row is one line of JSON, and not a byte of
 * the file changes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "import/sqlite_reader.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static quire_status take_row(void *ctx, const struct sqlite_row *row,
                             quire_error *err)
{
    struct buf json = BUF_INIT((size_t)1 << 30);

    (void)err;
    sqlite_row_json(row, &json);
    HOLDS(json.failed || json_check(buf_bytes(&json), JSON_UTF8, NULL));
    HOLDS(json.failed || !memchr(json.data, '\n', json.len));
    HOLDS(sqlite_row_column(row, "no such column") == -1);
    HOLDS(sqlite_row_text(row, 0).len <= SQLITE_READER_VALUE_MAX);
    buf_release(&json);
    return ++*(size_t *)ctx < 1000 ? QUIRE_OK : QUIRE_STOPPED;
}

static void read_all(const char *path)
{
    static const char *const tables[] = {"session", "message", "part"};
    struct sqlite_reader *r;
    char sql[128];
    size_t i, n = 0;

    if (sqlite_reader_open(path, &r, NULL))
        return;
    for (i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!sqlite_reader_has(r, tables[i], "id"))
            continue;
        snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY id", tables[i]);
        (void)sqlite_reader_query(r, sql, NULL, NULL, take_row, &n, NULL);
    }
    HOLDS(!sqlite_reader_settle(r, NULL));
    sqlite_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/quire-sqlite-reader-XXXXXX";
    int fd = mkstemp(path);
    uint8_t *after = malloc(size + 1);

    HOLDS(fd >= 0 && after);
    HOLDS(write(fd, data, size) == (ssize_t)size);
    read_all(path);
    HOLDS(pread(fd, after, size + 1, 0) == (ssize_t)size);
    HOLDS(size == 0 || !memcmp(data, after, size));
    free(after);
    close(fd);
    unlink(path);
    return 0;
}
