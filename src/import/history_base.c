/* history_base.c - see history_base.h */
#include "import/history_base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "import/agent.h"
#include "import/content.h"

enum { BASES_MAX = 16, READ_BYTES = 256 << 10 };

/* The first `bytes` of a file belong before the session's own. */
struct base {
    const struct import_found *file; /* NULL: there is none */
    uint64_t bytes;
};

static quire_status ignore_entry(void *ctx, const struct import_entry *e,
                                 quire_error *err)
{
    (void)ctx, (void)e, (void)err;
    return QUIRE_OK;
}

/* Bytes of a file to a converter, up to `end`. */
static quire_status feed_open(struct import_converter *c, int fd,
                              const char *path, uint64_t end, char *buf,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint64_t at = 0;
    ssize_t n = 1;

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
    return st;
}

static quire_status feed_file(struct import_converter *c,
                              const struct import_found *f, const char *dir,
                              uint64_t end, char *buf, quire_error *err)
{
    struct stat info;
    int fd;
    quire_status st = content_open(f, dir, &fd, &info, err);

    if (st)
        return st;
    st = feed_open(c, fd, f->path, end, buf, err);
    close(fd);
    return st;
}

/* The file where the history of `f` begins; its header says so. out->file NULL: in
 * itself. */
static quire_status find_base(const struct import_found *f,
                              const struct import_places *places,
                              const char *dir, char *buf, struct base *out,
                              bool *missing, quire_error *err)
{
    struct import_sink sink = {.entry = ignore_entry};
    struct import_converter *c;
    struct import_facts facts;
    size_t n;
    quire_status st = import_converter_new(f->agent->format, &sink, NULL, &c,
                                           err);

    *out = (struct base){NULL, 0};
    if (st)
        return st;
    st = feed_file(c, f, dir, READ_BYTES, buf, err);
    import_converter_facts(c, &facts);
    for (n = 0; !st && facts.base && n < places->n; n++)
        if (places->list[n].agent == f->agent &&
            !strcmp(places->list[n].id, facts.base))
            *out = (struct base){&places->list[n], facts.base_offset};
    *missing = !st && facts.base && !out->file;
    import_converter_free(c);
    return st;
}

quire_status import_feed_bases(struct import_converter *c,
                               const struct import_found *found,
                               const struct import_places *places,
                               const char *dir, bool *missing, quire_error *err)
{
    char *buf = malloc(READ_BYTES);
    struct base bases[BASES_MAX];
    size_t n = 0;
    quire_status st = buf ? QUIRE_OK : err_memory(err);

    *missing = false;
    for (; !st && n < BASES_MAX; found = bases[n++].file) {
        st = find_base(found, places, dir, buf, &bases[n], missing, err);
        if (st || !bases[n].file)
            break;
    }
    while (!st && n > 0) {
        n--;
        import_converter_begin_base(c);
        st = feed_file(c, bases[n].file, dir, bases[n].bytes, buf, err);
        if (!st)
            st = import_converter_end_base(c, err);
    }
    free(buf);
    return st;
}
