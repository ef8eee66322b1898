/* history_base.c - see history_base.h */
#include "import/history_base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"

enum { BASES_MAX = 16, READ_BYTES = 256 << 10 };

/* The first `bytes` of a file belong before the session's own. */
struct base {
    const char *path;
    uint64_t bytes;
};

static quire_status ignore_entry(void *ctx, const struct import_entry *e,
                                 quire_error *err)
{
    (void)ctx, (void)e, (void)err;
    return QUIRE_OK;
}

/* Bytes of a file to a converter, up to `end`. */
static quire_status feed_file(struct import_converter *c, const char *path,
                              uint64_t end, char *buf, quire_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    quire_status st = QUIRE_OK;
    uint64_t at = 0;
    ssize_t n = 1;

    if (fd < 0)
        return err_sys(err, errno, "cannot read %s", path);
    while (at < end && n > 0 && !st) {
        n = fs_read_at(fd, buf,
                       end - at < READ_BYTES ? (size_t)(end - at) : READ_BYTES,
                       (off_t)at);
        if (n < 0)
            st = err_sys(err, errno, "cannot read %s", path);
        else
            st = import_converter_feed(c, bytes_of(buf, (size_t)n), err);
        at += n > 0 ? (uint64_t)n : 0;
    }
    close(fd);
    return st;
}

/* The file where the history of `path` begins; its header says so. out->path NULL:
 * in itself. */
static quire_status find_base(const struct import_format *format,
                              const struct import_places *places,
                              const char *path, char *buf, struct base *out,
                              bool *missing, quire_error *err)
{
    struct import_sink sink = {.entry = ignore_entry};
    struct import_converter *c;
    struct import_facts facts;
    size_t n;
    quire_status st = import_converter_new(format, &sink, NULL, &c, err);

    *out = (struct base){NULL, 0};
    if (st)
        return st;
    st = feed_file(c, path, READ_BYTES, buf, err);
    import_converter_facts(c, &facts);
    for (n = 0; !st && facts.base && n < places->n; n++)
        if (places->list[n].format == format &&
            !strcmp(places->list[n].id, facts.base))
            *out = (struct base){places->list[n].path, facts.base_offset};
    *missing = !st && facts.base && !out->path;
    import_converter_free(c);
    return st;
}

quire_status import_feed_bases(struct import_converter *c,
                               const struct import_found *found,
                               const struct import_places *places,
                               bool *missing, quire_error *err)
{
    char *buf = malloc(READ_BYTES);
    struct base bases[BASES_MAX];
    const char *path = found->path;
    size_t n = 0;
    quire_status st = buf ? QUIRE_OK : err_memory(err);

    *missing = false;
    for (; !st && n < BASES_MAX; path = bases[n++].path) {
        st = find_base(found->format, places, path, buf, &bases[n], missing,
                       err);
        if (st || !bases[n].path)
            break;
    }
    while (!st && n > 0) {
        n--;
        import_converter_begin_base(c);
        st = feed_file(c, bases[n].path, bases[n].bytes, buf, err);
        if (!st)
            st = import_converter_end_base(c, err);
    }
    free(buf);
    return st;
}
