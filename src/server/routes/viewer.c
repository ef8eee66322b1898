/*
 * viewer.c - the viewer: its page at /, its modules and styles at /assets/
 *
 * The files are in the binary, compressed (web_assets.h). The policy of the page
 * forbids inline scripts, strings that become HTML or code, and requests to any other
 * origin: what a session says cannot run, whatever the page does with it.
 */
#include <stdlib.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/compress.h"
#include "server/routes/handlers.h"
#include "server/web_assets.h"

static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'none'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

/* The size before compression: the last four bytes of a gzip file. */
static size_t unpacked_size(const struct web_asset *a)
{
    const unsigned char *end = a->packed + a->len;

    return (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 |
           (size_t)end[-1] << 24;
}

/* For the few clients that do not take gzip. */
static void unpack(struct request *c, const struct web_asset *a)
{
    struct inflate_state *z = malloc(sizeof *z);
    size_t size = unpacked_size(a);
    uint8_t *room = z ? buf_room(&c->answer.body, size) : NULL;

    if (room) {
        isal_inflate_init(z);
        z->crc_flag = ISAL_GZIP;
        /* It takes no const, and does not write there. */
        z->next_in = (uint8_t *)(uintptr_t)a->packed;
        z->avail_in = (uint32_t)a->len;
        z->next_out = room;
        z->avail_out = (uint32_t)size;
        if (isal_inflate(z) == ISAL_DECOMP_OK && z->total_out == size)
            buf_grow(&c->answer.body, size);
        else
            room = NULL;
    }
    free(z);
    if (!room)
        request_refuse(c, 500, "internal", "try again", "out of memory");
}

static void send_asset(struct request *c, const struct web_asset *a)
{
    bool packed = compress_wants_gzip(exchange_header(c->x, "Accept-Encoding"));

    response_header(&c->answer, "Content-Type", "%s", a->type);
    if (!packed) {
        unpack(c, a);
        return;
    }
    response_header(&c->answer, "Content-Encoding", "gzip");
    buf_add(&c->answer.body, a->packed, a->len);
}

static const struct web_asset *find_asset(const char *path)
{
    const struct web_asset *a = web_assets;

    while (a->path && strcmp(a->path, path) != 0)
        a++;
    return a->path ? a : NULL;
}

void route_viewer(struct request *c)
{
    quire_bytes known = exchange_header(c->x, "If-None-Match");

    response_header(&c->answer, "ETag", "W/\"%s\"", web_assets_name);
    response_header(&c->answer, "Cache-Control", "no-cache");
    response_header(&c->answer, "Content-Security-Policy", "%s", policy);
    response_header(&c->answer, "X-Frame-Options", "DENY");
    response_header(&c->answer, "Cross-Origin-Opener-Policy", "same-origin");
    if (known.data &&
        memmem(known.data, known.len, web_assets_name, strlen(web_assets_name)))
        c->answer.status = 304;
    else
        send_asset(c, find_asset("index.html"));
}

/* /assets/NAME/PATH. Another name belongs to another version of Quire. */
void route_viewer_asset(struct request *c)
{
    const char *path = request_param(c, 0);
    size_t len = strlen(web_assets_name);
    const struct web_asset *a = !strncmp(path, web_assets_name, len) &&
                                        path[len] == '/'
                                    ? find_asset(path + len + 1)
                                    : NULL;

    if (!a) {
        request_refuse(c, 404, "not_found", "load the page again",
                       "this version of the viewer has no such file");
        return;
    }
    response_header(&c->answer, "Cache-Control",
                    "public, max-age=31536000, immutable");
    send_asset(c, a);
}
