/* zstd.c - see zstd.h */
#include "base/zstd.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "base/dynlib.h"
#include "base/err.h"
#include "base/fs.h"

enum { READ_BYTES = 64 << 10 };

/* The functions used here, loaded by name. */
static struct {
    bool there;
    __typeof__(archive_read_new) *new;
    __typeof__(archive_read_free) *free;
    __typeof__(archive_read_support_format_raw) *raw;
    __typeof__(archive_read_support_filter_zstd) *zstd;
    __typeof__(archive_read_open_fd) *open;
    __typeof__(archive_read_next_header) *next;
    __typeof__(archive_read_data) *data;
    __typeof__(archive_filter_count) *filters;
    __typeof__(archive_errno) *number;
    __typeof__(archive_error_string) *why;
} lib;

static void load_library(void)
{
    static const struct dynlib_symbol calls[] = {
        {"archive_read_new", &lib.new},
        {"archive_read_free", &lib.free},
        {"archive_read_support_format_raw", &lib.raw},
        {"archive_read_support_filter_zstd", &lib.zstd},
        {"archive_read_open_fd", &lib.open},
        {"archive_read_next_header", &lib.next},
        {"archive_read_data", &lib.data},
        {"archive_filter_count", &lib.filters},
        {"archive_errno", &lib.number},
        {"archive_error_string", &lib.why},
    };

    lib.there = dynlib_load("libarchive.so.13", calls,
                            sizeof calls / sizeof *calls);
}

static quire_status need_library(const char *path, quire_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_library);
    if (lib.there)
        return QUIRE_OK;
    return err_fail(err, QUIRE_IO, "install Debian's package libarchive13",
                    "%s is compressed, and libarchive is not installed", path);
}

static quire_status report(struct archive *a, const char *path,
                           quire_error *err)
{
    const char *why = lib.why(a);

    if (lib.number(a) == ENOMEM)
        return err_memory(err);
    return err_set(err, QUIRE_DAMAGED, "%s cannot be decompressed: %.200s",
                   path, why ? why : "it is not zstd");
}

static quire_status open_archive(struct archive *a, int from, const char *path,
                                 quire_error *err)
{
    struct archive_entry *entry;

    /* ARCHIVE_WARN: it would start a program of that name. */
    if (lib.zstd(a) != ARCHIVE_OK)
        return err_set(err, QUIRE_IO,
                       "%s is compressed, and this libarchive has no zstd",
                       path);
    if (lib.raw(a) != ARCHIVE_OK || lib.open(a, from, READ_BYTES) ||
        lib.next(a, &entry))
        return report(a, path, err);
    /* Without a filter, "raw" takes any file. */
    return lib.filters(a) < 2 ? report(a, path, err) : QUIRE_OK;
}

static quire_status copy_data(struct archive *a, const char *path, int to,
                              uint64_t max, quire_error *err)
{
    char piece[READ_BYTES];
    uint64_t total = 0;
    la_ssize_t n;

    while ((n = lib.data(a, piece, sizeof piece)) > 0) {
        total += (uint64_t)n;
        if (total > max)
            return err_set(err, QUIRE_TOO_LARGE,
                           "%s has more than %llu bytes when decompressed",
                           path, (unsigned long long)max);
        if (fs_write_all(to, bytes_of(piece, (size_t)n)) != 0)
            return err_sys(err, errno, "cannot decompress %s", path);
    }
    return n < 0 ? report(a, path, err) : QUIRE_OK;
}

quire_status zstd_expand(int from, const char *path, int to, uint64_t max,
                         quire_error *err)
{
    struct archive *a;
    quire_status st = need_library(path, err);

    if (st)
        return st;
    a = lib.new();
    if (!a)
        return err_memory(err);
    st = open_archive(a, from, path, err);
    if (!st)
        st = copy_data(a, path, to, max, err);
    lib.free(a);
    return st;
}
