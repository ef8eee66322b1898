/* archive.c - see archive.h */
#include "artifact/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/dynlib.h"

/* ---- the library -------------------------------------------------------- */

/* The functions used here, loaded by name. */
static struct {
    bool there;
    __typeof__(archive_read_new) *new;
    __typeof__(archive_read_free) *free;
    __typeof__(archive_read_support_format_zip) *zip;
    __typeof__(archive_read_support_format_tar) *tar;
    __typeof__(archive_read_support_format_raw) *raw;
    __typeof__(archive_read_support_filter_gzip) *gzip;
    __typeof__(archive_read_open_memory) *open;
    __typeof__(archive_read_next_header) *next;
    __typeof__(archive_read_data) *data;
    __typeof__(archive_format) *format;
    __typeof__(archive_filter_count) *filters;
    __typeof__(archive_error_string) *why;
    __typeof__(archive_entry_pathname) *name;
    __typeof__(archive_entry_pathname_utf8) *name_utf8;
    __typeof__(archive_entry_filetype) *type;
    __typeof__(archive_entry_hardlink) *hardlink;
} lib;

static void load_library(void)
{
    static const struct dynlib_symbol calls[] = {
        {"archive_read_new", &lib.new},
        {"archive_read_free", &lib.free},
        {"archive_read_support_format_zip", &lib.zip},
        {"archive_read_support_format_tar", &lib.tar},
        {"archive_read_support_format_raw", &lib.raw},
        {"archive_read_support_filter_gzip", &lib.gzip},
        {"archive_read_open_memory", &lib.open},
        {"archive_read_next_header", &lib.next},
        {"archive_read_data", &lib.data},
        {"archive_format", &lib.format},
        {"archive_filter_count", &lib.filters},
        {"archive_error_string", &lib.why},
        {"archive_entry_pathname", &lib.name},
        {"archive_entry_pathname_utf8", &lib.name_utf8},
        {"archive_entry_filetype", &lib.type},
        {"archive_entry_hardlink", &lib.hardlink},
    };

    lib.there = dynlib_load("libarchive.so.13", calls,
                            sizeof calls / sizeof *calls);
}

static quire_status need_library(quire_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load_library);
    if (lib.there)
        return QUIRE_OK;
    return err_fail(err, QUIRE_NOT_FOUND,
                    "install Debian's package libarchive13",
                    "libarchive is not installed");
}

/* ---- reading ------------------------------------------------------------ */

struct reading {
    struct archive *a;
    const char *archive; /* its file name */
    const struct archive_limits *limits;
    struct arena *keep;
    struct archive_member *list; /* in `keep` */
    size_t n, cap;
    size_t dirs;
    uint64_t total;
};

static quire_status report_damage(struct reading *r, quire_error *err)
{
    const char *why = lib.why(r->a);
    quire_status st = err_fail(err, QUIRE_INVALID,
                               "ZIP, tar, tar.gz and gz can be unpacked",
                               "%.100s cannot be unpacked: %.200s", r->archive,
                               why ? why : "not an archive");
    return st;
}

static quire_status report_too_large(const char *what, const char *unit,
                                     uint64_t limit, const char *setting,
                                     quire_error *err)
{
    quire_status st = err_set(err, QUIRE_TOO_LARGE,
                              "%s has more than the limit of %llu %s", what,
                              (unsigned long long)limit, unit);

    err_next(err, "%snothing was unpacked; raise %s if you trust it",
             *setting == '-' ? HINT_SHELL : "", setting);
    return st;
}

/* Read the content of the current member, up to the limits. */
static quire_status read_member(struct reading *r, struct buf *out,
                                quire_error *err)
{
    enum { PIECE = 64 * 1024 };
    la_ssize_t n = 1;
    quire_status st = QUIRE_OK;

    while (!st && n > 0) {
        void *room = buf_room(out, PIECE);

        if (!room)
            return err_memory(err);
        n = lib.data(r->a, room, PIECE);
        if (n < 0)
            return report_damage(r, err);
        buf_grow(out, (size_t)n);
        if (out->len > r->limits->member)
            st = report_too_large("a file in it", "bytes", r->limits->member,
                                  "quota.file", err);
        else if (r->total + out->len > r->limits->total)
            st = report_too_large("together its files", "bytes",
                                  r->limits->total, "--max-size", err);
    }
    r->total += out->len;
    return st;
}

static quire_status add_member(struct reading *r, const char *name,
                               quire_bytes content, quire_error *err)
{
    struct archive_member *list;
    size_t cap = r->cap ? 2 * r->cap : 16;

    if (r->n == r->cap) {
        list = arena_array(r->keep, cap, sizeof *list);
        if (!list)
            return err_memory(err);
        if (r->n)
            memcpy(list, r->list, r->n * sizeof *list);
        r->list = list;
        r->cap = cap;
    }
    r->list[r->n].name = arena_text(r->keep, bytes_str(name));
    r->list[r->n].content = content.len ? arena_dup(r->keep, content)
                                        : bytes_of("", 0);
    if (!r->list[r->n].name || !r->list[r->n].content.data)
        return err_memory(err);
    r->n++;
    return QUIRE_OK;
}

/* Name of a file compressed by itself: "notes.txt" for "notes.txt.gz". */
static const char *single_name(struct reading *r)
{
    const char *slash = strrchr(r->archive, '/');
    const char *base = slash ? slash + 1 : r->archive;
    size_t len = strlen(base);

    if (len > 3 && !strcmp(base + len - 3, ".gz"))
        len -= 3;
    return arena_text(r->keep, bytes_of(base, len));
}

static quire_status read_entry(struct reading *r, struct archive_entry *e,
                               quire_error *err)
{
    bool single = lib.format(r->a) == ARCHIVE_FORMAT_RAW;
    const char *name = single ? single_name(r) : lib.name_utf8(e);
    struct buf content = BUF_INIT((size_t)r->limits->member + (1 << 20));
    quire_status st = QUIRE_OK;

    if (!name)
        name = lib.name(e);
    if (!name)
        return err_set(err, QUIRE_INVALID,
                       "a file in %.100s has a name that cannot "
                       "be read",
                       r->archive);
    /* Without a filter, "raw" matches any file. */
    if (single && lib.filters(r->a) < 2)
        return report_damage(r, err);
    if (!single && (lib.hardlink(e) || lib.type(e) != AE_IFREG)) {
        if (!lib.hardlink(e) && lib.type(e) == AE_IFDIR)
            return r->dirs++ < r->limits->n
                       ? QUIRE_OK
                       : report_too_large("the archive", "directories",
                                          r->limits->n, "--max-files", err);
        st = err_fail(
            err, QUIRE_INVALID, "nothing was unpacked",
            "%.100s in %.100s is not a plain file but a link or a device", name,
            r->archive);
        return st;
    }
    if (r->n == r->limits->n)
        return report_too_large("the archive", "files", r->limits->n,
                                "--max-files", err);
    st = read_member(r, &content, err);
    if (!st)
        st = add_member(r, name, buf_bytes(&content), err);
    buf_release(&content);
    return st;
}

quire_status archive_read(quire_bytes bytes, const char *name,
                          const struct archive_limits *limits,
                          struct arena *keep, struct archive_member **list,
                          size_t *n, quire_error *err)
{
    struct reading r = {.archive = name, .limits = limits, .keep = keep};
    struct archive_entry *e;
    quire_status st = need_library(err);
    int got = ARCHIVE_OK;

    *n = 0;
    if (st)
        return st;
    r.a = lib.new();
    if (!r.a)
        return err_memory(err);
    if (lib.zip(r.a) < ARCHIVE_WARN || lib.tar(r.a) < ARCHIVE_WARN ||
        lib.raw(r.a) < ARCHIVE_WARN || lib.gzip(r.a) < ARCHIVE_WARN ||
        lib.open(r.a, bytes.data, bytes.len) != ARCHIVE_OK)
        st = report_damage(&r, err);
    while (!st && (got = lib.next(r.a, &e)) != ARCHIVE_EOF)
        st = got < ARCHIVE_WARN ? report_damage(&r, err)
                                : read_entry(&r, e, err);
    lib.free(r.a);
    *list = r.list;
    *n = r.n;
    return st;
}
