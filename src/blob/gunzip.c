/* gunzip.c - see gunzip.h */
#include "blob/gunzip.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/err.h"

enum { INPUT_BYTES = 64 * 1024, GZIP_WINDOW = 15 + 16 /* a gzip header */ };

struct gunzip {
    struct object *file;
    z_stream z;
    uint64_t at;  /* in the file                        */
    bool between; /* between members: the input may end here */
    bool ended;
    unsigned char input[INPUT_BYTES];
};

quire_status gunzip_new(struct object *file, struct gunzip **out,
                        quire_error *err)
{
    struct gunzip *g = calloc(1, sizeof *g);

    if (!g)
        return err_memory(err);
    g->file = file;
    g->between = true;
    if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK) {
        free(g);
        return err_memory(err);
    }
    *out = g;
    return QUIRE_OK;
}

void gunzip_free(struct gunzip *g)
{
    if (!g)
        return;
    inflateEnd(&g->z);
    free(g);
}

uint64_t gunzip_at(const struct gunzip *g)
{
    return g->at;
}

static quire_status feed(struct gunzip *g, quire_error *err)
{
    size_t n;
    quire_status st = object_read(g->file, g->at, g->input, sizeof g->input, &n,
                                  err);

    if (st)
        return st;
    g->at += n;
    g->z.next_in = g->input;
    g->z.avail_in = (unsigned)n;
    g->ended = n == 0;
    return g->ended && !g->between ? QUIRE_DAMAGED : QUIRE_OK;
}

static quire_status unpack(struct gunzip *g, quire_error *err)
{
    int rc = inflate(&g->z, Z_NO_FLUSH);

    g->between = rc == Z_STREAM_END;
    if (g->between)
        inflateReset(&g->z);
    if (rc == Z_MEM_ERROR)
        return err_memory(err);
    return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR
               ? QUIRE_OK
               : QUIRE_DAMAGED;
}

quire_status gunzip_read(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *err)
{
    struct gunzip *g = ctx;
    quire_status st = QUIRE_OK;

    g->z.next_out = buf;
    g->z.avail_out = (unsigned)cap;
    while (!st && !g->ended && g->z.avail_out > 0) {
        if (g->z.avail_in == 0)
            st = feed(g, err);
        if (!st && !g->ended)
            st = unpack(g, err);
    }
    *n = cap - g->z.avail_out;
    return st;
}
