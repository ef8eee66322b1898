/*
 * compress.c - see compress.h
 *
 * Compressed is a whole answer of a compressible type that is long enough, unless its
 * bytes are compressed already. Ranges are not: they count bytes of the identity
 * encoding. An answer is compressed once: the response cache keeps it as it is sent. An ETag names bytes, so a
 * compressed answer gets another one, by a suffix that blob_response.c knows; a
 * client can send it back in a condition.
 */
#include "server/compress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <isa-l/igzip_lib.h>

#include "base/bytes.h"
#include "server/priv.h"

/* Less than this fits a packet either way. A loop serves other connections too, and
 * compresses what takes it a few milliseconds. */
enum { PACK_MIN = 1024, LOOP_PACK_MAX = 1 << 20 };

/* ---- gzip --------------------------------------------------------------- */

struct gzip {
    struct isal_zstream z;
    uint8_t level_buf[ISAL_DEF_LVL1_DEFAULT];
};

struct gzip *gzip_new(void)
{
    return malloc(sizeof(struct gzip));
}

void gzip_free(struct gzip *g)
{
    free(g);
}

bool gzip_pack(struct gzip *g, quire_bytes plain, struct buf *out)
{
    struct isal_zstream *z = &g->z;
    uint8_t *room;

    /* Its counters have 32 bits. */
    if (plain.len < 2 || plain.len > INT32_MAX)
        return false;
    room = buf_room(out, plain.len - 1);
    if (!room)
        return false;
    isal_deflate_init(z);
    z->level = 1;
    z->level_buf = g->level_buf;
    z->level_buf_size = sizeof g->level_buf;
    z->gzip_flag = IGZIP_GZIP;
    z->end_of_stream = 1;
    /* It takes no const, and does not write there. */
    z->next_in = (uint8_t *)(uintptr_t)plain.data;
    z->avail_in = (uint32_t)plain.len;
    z->next_out = room;
    z->avail_out = (uint32_t)plain.len - 1;
    if (isal_deflate(z) != COMP_OK || z->internal_state.state != ZSTATE_END)
        return false;
    buf_grow(out, z->total_out);
    return true;
}

/* ---- Accept-Encoding ---------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static quire_bytes trim(const char *from, const char *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (to > from && is_blank(to[-1]))
        to--;
    return bytes_of(from, (size_t)(to - from));
}

/* "q=0.5" in thousandths; 1000 of another parameter; 0 if it is invalid. */
static int read_q(quire_bytes weight)
{
    const char *t = weight.data;
    int n, unit = 100;
    size_t i;

    if (weight.len < 2 || (t[0] != 'q' && t[0] != 'Q') || t[1] != '=')
        return 1000;
    if (weight.len < 3 || (t[2] != '0' && t[2] != '1'))
        return 0;
    n = t[2] == '1' ? 1000 : 0;
    if (weight.len > 3 && (t[3] != '.' || weight.len > 7))
        return 0;
    for (i = 4; i < weight.len; i++, unit /= 10) {
        if (t[i] < '0' || t[i] > '9')
            return 0;
        n += (t[i] - '0') * unit;
    }
    return n <= 1000 ? n : 0;
}

static bool is_coding(quire_bytes name, const char *coding)
{
    return name.len == strlen(coding) &&
           !strncasecmp(name.data, coding, name.len);
}

/* The weight of a coding; -1: not listed. */
static int quality_of(quire_bytes list, const char *coding, const char *alias)
{
    const char *at = list.data, *end = at + list.len, *comma, *semicolon;
    int found = -1;

    for (; at < end; at = comma + 1) {
        quire_bytes name;
        int q = 1000;

        comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            comma = end;
        semicolon = memchr(at, ';', (size_t)(comma - at));
        name = trim(at, semicolon ? semicolon : comma);
        if (semicolon)
            q = read_q(trim(semicolon + 1, comma));
        if (is_coding(name, coding) || (alias && is_coding(name, alias)))
            found = q > found ? q : found;
    }
    return found;
}

bool compress_wants_gzip(quire_bytes header)
{
    int gzip, any, plain;

    if (!header.data)
        return false;
    gzip = quality_of(header, "gzip", "x-gzip");
    any = quality_of(header, "*", NULL);
    plain = quality_of(header, "identity", NULL);
    if (gzip < 0)
        gzip = any;
    return gzip > 0 && gzip >= plain;
}

/* ---- responses ---------------------------------------------------------- */

static bool ends_in(quire_bytes text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len &&
           !memcmp((const char *)text.data + text.len - len, end, len);
}

/* Most other types are compressed already. */
static bool is_compressible(quire_bytes type)
{
    static const char *const others[] =
        {"application/json",     "application/javascript", "application/xml",
         "application/x-ndjson", "application/yaml",       "application/toml",
         "application/x-sh",     "image/svg+xml"};
    const char *semicolon = memchr(type.data, ';', type.len);
    quire_bytes bare = semicolon ? trim(type.data, semicolon) : type;
    size_t i;

    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (bytes_is(bare, others[i]))
            return true;
    return bytes_starts(bare, bytes_str("text/")) || ends_in(bare, "+json") ||
           ends_in(bare, "+xml");
}

/* Content that is compressed, whatever type its client gave it. Packing it again
 * gains nothing for most; the rest expands twice at the client. */
static bool is_packed(quire_bytes body)
{
    static const struct {
        const char *begins;
        size_t len;
    } marks[] = {
        {"\x1f\x8b\x08", 3},     /* gzip  */
        {"\x28\xb5\x2f\xfd", 4}, /* zstd  */
        {"\xfd\x37zXZ", 5},      /* xz    */
        {"BZh", 3},              /* bzip2 */
        {"PK\x03\x04", 4},       /* zip   */
    };
    size_t i;

    for (i = 0; i < sizeof marks / sizeof *marks; i++)
        if (bytes_starts(body, bytes_of(marks[i].begins, marks[i].len)))
            return true;
    return false;
}

/* "\"x\"" becomes "\"x-gzip\"". */
static void mark_etag(struct response *a)
{
    struct buf *headers = &a->headers;
    quire_bytes tag = response_find(a, "ETag");
    struct buf marked = BUF_INIT(headers->max);
    size_t upto;

    if (!tag.data || !ends_in(tag, "\""))
        return;
    upto = (size_t)((const char *)tag.data - headers->data) + tag.len - 1;
    buf_add(&marked, headers->data, upto);
    buf_add_str(&marked, "-gzip");
    buf_add(&marked, headers->data + upto, headers->len - upto);
    buf_release(headers);
    *headers = marked;
}

static bool pack_body(struct request *c)
{
    struct response *a = &c->answer;
    struct buf packed = BUF_INIT(a->body.max);
    struct thread_ctx *d = c->thread_ctx;

    if (!d->gzip)
        d->gzip = gzip_new();
    if (!d->gzip || !gzip_pack(d->gzip, buf_bytes(&a->body), &packed)) {
        buf_release(&packed);
        return false;
    }
    buf_release(&a->body);
    a->body = packed;
    return true;
}

bool compress_response(struct request *c)
{
    struct response *a = &c->answer;
    quire_bytes type = response_find(a, "Content-Type");
    bool on_loop = !c->route || c->route->flags & ROUTE_INLINE;

    /* Vary must be the same for 200, 206 and 304. */
    if (a->status == 304 || a->status == 206 ||
        response_find(a, "Content-Encoding").data)
        return true;
    if (a->body.failed || a->content || a->body.len < PACK_MIN || !type.data ||
        !is_compressible(type))
        return false;
    if (c->thread_ctx && !is_packed(buf_bytes(&a->body)) &&
        !(on_loop && a->body.len > LOOP_PACK_MAX) &&
        compress_wants_gzip(exchange_header(c->x, "Accept-Encoding")) &&
        pack_body(c)) {
        if (!c->route || !(c->route->flags &
                           ROUTE_WRITE)) /* else it names what was stored */
            mark_etag(a);
        response_header(a, "Content-Encoding", "gzip");
    }
    return true;
}
