/* mark_secrets.c - see mark_secrets.h */
#include "server/mark_secrets.h"

#include <string.h>

#include "base/bytes.h"
#include "secrets/secrets.h"

struct marking {
    struct json_writer w;
    quire_bytes text; /* that the last place was in, as far as it is counted */
    size_t at, units;
};

/* UTF-16 units of text that is UTF-8. */
static size_t count_units(quire_bytes text)
{
    const unsigned char *s = text.data;
    size_t i, n = 0;

    for (i = 0; i < text.len; i++)
        n += (s[i] & 0xc0) != 0x80 ? s[i] >= 0xf0 ? 2 : 1 : 0;
    return n;
}

static void put_place(void *ctx, const char *pointer, const struct secret *s)
{
    struct marking *m = ctx;
    quire_bytes of = s->text;

    /* In one text places follow each other. */
    if (of.data != m->text.data || of.len != m->text.len || s->at < m->at) {
        m->text = of;
        m->at = m->units = 0;
    }
    m->units += count_units(bytes_sub(of, m->at, s->at));
    json_object(&m->w);
    if (pointer)
        json_put_str(&m->w, "pointer", pointer);
    json_put_uint(&m->w, "at", m->units);
    m->at = s->at;
    json_put_uint(&m->w, "length",
                  count_units(bytes_sub(of, s->at, s->at + s->len)));
    json_put_str(&m->w, "kind", s->kind);
    json_object_end(&m->w);
}

static void put_text_place(void *ctx, const char *pointer,
                           const struct secret *s)
{
    (void)pointer;
    put_place(ctx, NULL, s);
}

void put_text_secrets(struct json_writer *w, quire_bytes text)
{
    struct marking m = {.w = *w};

    secrets_mask_text(text, NULL, put_text_place, &m);
    *w = m.w;
}

bool wants_secret_marks(const struct request *c)
{
    return bytes_is(exchange_header(c->x, "Quire-Mark"), "secrets");
}

void mark_secrets(struct request *c)
{
    struct buf *body = &c->answer.body, places = BUF_INIT((size_t)64 << 20);
    struct arena none = ARENA_INIT;
    struct marking m = {.text = {NULL, 0}};
    quire_bytes same;
    size_t n = 0;

    if (body->failed || body->len < 3 || body->data[0] != '{' ||
        body->data[body->len - 1] != '}')
        return;
    json_begin(&m.w, &places);
    json_array(&m.w);
    if (!secrets_mask_json(buf_bytes(body), false, &none, &same, &n, put_place,
                           &m, NULL) &&
        n > 0) {
        json_array_end(&m.w);
        body->len--;
        buf_add_str(body, ",\"secret_places\":");
        buf_add(body, places.data, places.len);
        buf_add_char(body, '}');
        body->failed |= places.failed;
    }
    arena_release(&none);
    buf_release(&places);
}
