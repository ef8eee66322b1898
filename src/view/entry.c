/* entry.c - see entry.h */
#include "view/entry.h"

#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "secrets/secrets.h"
#include "view/images.h"
#include "base/json_strings.h"

/* ---- images ------------------------------------------------------------- */

static bool read_ref(quire_bytes data, quire_digest *digest)
{
    char ref[QUIRE_REF_SIZE];

    if (data.len >= sizeof ref)
        return false;
    memcpy(ref, data.data, data.len);
    ref[data.len] = '\0';
    return !quire_ref_parse(ref, digest, NULL);
}

/* The first bytes of a blob. One that is missing or damaged is unknown. */
static void read_blob_head(quire *q, const quire_digest *digest,
                           struct view_image *image, struct buf *head)
{
    quire_blob_info info;

    if (quire_blob_stat(q, digest, &info, NULL))
        return;
    image->bytes = info.size;
    quire_blob_read(q, digest, 0,
                    info.size < VIEW_PICTURE_HEAD ? info.size
                                                  : VIEW_PICTURE_HEAD,
                    buf_write, head, NULL);
}

static void read_base64_head(quire_bytes data, struct view_image *image,
                             struct buf *head)
{
    const char *text = data.data;
    size_t most = base64_size(VIEW_PICTURE_HEAD) / 4 * 4, n = data.len;

    image->bytes = n / 4 * 3;
    while (n > 0 && text[n - 1] == '=') {
        n--;
        image->bytes--;
    }
    base64_decode(bytes_sub(data, 0, data.len < most ? data.len : most), head);
}

static void describe_image(quire *q, quire_bytes data, struct view_image *out)
{
    struct buf head = BUF_INIT(2 * VIEW_PICTURE_HEAD);
    struct view_picture picture;
    quire_digest digest;

    *out = (struct view_image){.data = data};
    if (read_ref(data, &digest))
        read_blob_head(q, &digest, out, &head);
    else
        read_base64_head(data, out, &head);
    picture = view_picture(buf_bytes(&head));
    out->mime = picture.mime;
    out->width = picture.width;
    out->height = picture.height;
    buf_release(&head);
}

struct image_lookup {
    size_t left;
    quire_bytes data;
};

static bool count_image(void *ctx, const struct json_string *s)
{
    struct image_lookup *l = ctx;
    quire_bytes data = view_image_data(s);

    if (!data.data || --l->left > 0)
        return true;
    l->data = data;
    return false;
}

quire_status view_image_at(quire *q, quire_bytes json, size_t number,
                           struct view_image *out, quire_error *err)
{
    struct image_lookup l = {.left = number};

    (void)err;
    json_strings(json, count_image, &l);
    if (!l.data.data)
        return QUIRE_NOT_FOUND;
    describe_image(q, l.data, out);
    return QUIRE_OK;
}

quire_status view_image_read(quire *q, const struct view_image *image,
                             struct buf *out, quire_error *err)
{
    quire_digest digest;

    if (read_ref(image->data, &digest))
        return quire_blob_read(q, &digest, 0, UINT64_MAX, buf_write, out, err);
    if (!base64_decode(image->data, out))
        return err_fail(err, QUIRE_DAMAGED, "`quire session check` shows more",
                        "an image is not base64");
    return buf_status(out, "an image", err);
}

/* ---- cutting ------------------------------------------------------------ */

struct cutter {
    quire *q;
    size_t max_units, n_images;
    struct arena tmp;
    struct json_edits edits;
    struct buf cuts; /* elements, with commas                                */
    struct json_writer w;
    bool failed;
};

static quire_bytes kept_text(struct cutter *c, const char *text)
{
    quire_bytes kept = arena_dup(&c->tmp, bytes_str(text));

    c->failed |= !kept.data;
    return kept;
}

static void drop_image(struct cutter *c, const struct json_string *s,
                       quire_bytes data)
{
    const char *end = (const char *)s->value.data + s->value.len;
    struct view_image image;
    struct buf text = BUF_INIT(256);

    describe_image(c->q, data, &image);
    buf_addf(&text, "\"image\":%zu,\"bytes\":%llu,\"width\":%u,\"height\":%u",
             ++c->n_images, (unsigned long long)image.bytes, image.width,
             image.height);
    json_edit_value(&c->edits,
                    bytes_of(s->key.data,
                             (size_t)(end - (const char *)s->key.data)),
                    kept_text(c, buf_text(&text) ? text.data : ""));
    buf_release(&text);
}

static size_t count_breaks(quire_bytes value)
{
    const char *at = value.data, *end = at + value.len;
    size_t n = 0;

    while ((at = memchr(at, '\\', (size_t)(end - at))) && end - at > 2) {
        n += at[1] == 'n';
        at += 2;
    }
    return n;
}

/* A place not within a secret, of which the beginning would be shown: `at`, or before
 * it. */
static size_t cut_before_secret(quire_bytes value, size_t at)
{
    enum { AROUND = 2048 };
    size_t from = at > AROUND ? at - AROUND : 1, done = 0;
    size_t to = value.len - 1 - at > AROUND ? at + AROUND : value.len - 1;
    quire_bytes near = bytes_sub(value, from, to);
    struct secret s;

    while (secrets_next(near, done, SECRETS_SURE, &s) && from + s.at < at) {
        if (from + s.at + s.len > at)
            return from + s.at;
        done = s.at + s.len;
    }
    return at;
}

static void cut_string(struct cutter *c, const struct json_string *s,
                       size_t units)
{
    struct buf pointer = BUF_INIT(1 << 16);
    size_t at = cut_before_secret(s->value,
                                  json_cut_utf16(s->value, c->max_units));

    json_edit_value(&c->edits, bytes_sub(s->value, at, s->value.len - 1),
                    bytes_of("", 0));
    json_pointer_add(s, &pointer);
    json_object(&c->w);
    json_put_bytes(&c->w, "pointer", buf_bytes(&pointer));
    json_put_uint(&c->w, "length", units);
    json_put_uint(&c->w, "lines", count_breaks(s->value) + 1);
    json_object_end(&c->w);
    c->failed |= pointer.failed;
    buf_release(&pointer);
}

static bool take_string(void *ctx, const struct json_string *s)
{
    struct cutter *c = ctx;
    quire_bytes data = view_image_data(s);
    size_t units;

    if (data.data) {
        drop_image(c, s, data);
    } else if (s->value.len > c->max_units) {
        units = json_count_utf16(s->value);
        if (units > c->max_units)
            cut_string(c, s, units);
    }
    return !c->failed;
}

quire_status view_entry(quire *q, quire_bytes json, size_t max_units,
                        struct json_writer *w, quire_error *err)
{
    struct cutter c = {.q = q,
                       .max_units = max_units,
                       .tmp = ARENA_INIT,
                       .cuts = BUF_INIT(64 << 20)};
    struct buf text = BUF_INIT((size_t)1 << 30);
    quire_status st = QUIRE_OK;

    json_edits_init(&c.edits, json, &c.tmp);
    json_begin(&c.w, &c.cuts);
    json_array(&c.w);
    json_strings(json, take_string, &c);
    json_array_end(&c.w);
    json_splice(&c.edits, &text);
    if (c.failed || c.cuts.failed || text.failed) {
        st = err_memory(err);
    } else {
        json_put_raw(w, "entry", buf_bytes(&text));
        json_put_raw(w, "cuts", buf_bytes(&c.cuts));
    }
    buf_release(&text);
    buf_release(&c.cuts);
    arena_release(&c.tmp);
    return st;
}
