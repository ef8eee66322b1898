/*
 * jp_fuzz.c - conversations with their content inside and outside
 *
 * What is an array of events goes out, stays JSON, and going out again changes
 * nothing. But for its payloads the text is the same to the byte. What comes
 * back says the same: payload by payload the same content. Rendering reads
 * whatever is there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "jp/priv.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING ((size_t)1 << 28)

struct blob_store {
    struct store *files;
    struct blobs *blobs;
};

static void store_open(struct blob_store *s)
{
    struct blobs_config config = {.layout = QUIRE_LAYOUT_LOOSE,
                                  .clock = &clock_system};

    HOLDS(!store_memory_open(&clock_system, &s->files, NULL));
    config.files = s->files->objects;
    config.leases = s->files->leases;
    HOLDS(!blobs_new(&config, &s->blobs, NULL));
}

static void store_close(struct blob_store *s)
{
    blobs_free(s->blobs);
    store_free(s->files);
}

/* ---- what a text says --------------------------------------------------- */

/* The text without its payloads, and the payloads. */
struct parts {
    quire_bytes text;
    struct buf around;
    const char *at; /* so far */
    struct buf contents;
    struct blobs *blobs;
    bool doubtful; /* some content cannot be compared */
};

static void add_content(struct parts *p, const struct payload *one)
{
    struct buf text = BUF_INIT(CEILING), raw = BUF_INIT(CEILING),
               spelled = BUF_INIT(CEILING), again = BUF_INIT(CEILING);
    struct ref_problem bad = {.kind = NULL};
    quire_bytes content = {"", 0};
    const char *odd = NULL;

    if (one->form == FORM_REF) {
        HOLDS(!payload_fetch(one, blob_view_all(p->blobs), UINT64_MAX, &content,
                             &bad, NULL));
        odd = bad.lost ? bad.kind : NULL;
    } else {
        odd = payload_content(one, &text, &raw, &content);
    }
    p->doubtful |= odd != NULL;
    if (!odd) {
        buf_addf(&p->contents, "%zu:", content.len);
        buf_add(&p->contents, content.data, content.len);
        /* What is spelled as a word is spelled comes back as one. */
        base64_encode(content, &spelled);
        p->doubtful |= one->answer &&
                       !bare_is_base64(buf_bytes(&spelled), &again);
    }
    buf_release(&text);
    buf_release(&raw);
    buf_release(&spelled);
    buf_release(&again);
}

static quire_status take(void *ctx, const struct payload *one, quire_error *err)
{
    struct parts *p = ctx;
    /* An answer may become a block, and a block an answer. */
    quire_bytes key = one->block.data ? one->block_key : one->key;
    quire_bytes value = one->block.data ? one->block : one->value;
    const char *from = key.data;
    const char *to = (const char *)value.data + value.len;

    (void)err;
    if (one->form == FORM_ODD)
        return QUIRE_OK;
    HOLDS(from >= p->at && to <= (const char *)p->text.data + p->text.len);
    buf_add(&p->around, p->at, (size_t)(from - p->at));
    p->at = to;
    p->doubtful |= one->others;
    add_content(p, one);
    return QUIRE_OK;
}

static void take_apart(struct parts *p, quire_bytes text, struct blobs *blobs)
{
    const char *end = (const char *)text.data + text.len;
    quire_bytes json;

    *p = (struct parts){.text = text,
                        .around = BUF_INIT(CEILING),
                        .at = text.data,
                        .contents = BUF_INIT(CEILING),
                        .blobs = blobs};
    HOLDS(!events_check(text, "it", &json, NULL));
    HOLDS(!payloads_each(json, take, p, NULL));
    buf_add(&p->around, p->at, (size_t)(end - p->at));
}

static void parts_release(struct parts *p)
{
    buf_release(&p->around);
    buf_release(&p->contents);
}

static void same_parts(quire_bytes a, quire_bytes b, struct blobs *blobs)
{
    struct parts x, y;

    take_apart(&x, a, blobs);
    take_apart(&y, b, blobs);
    if (!x.doubtful && !y.doubtful) {
        HOLDS(bytes_equal(buf_bytes(&x.around), buf_bytes(&y.around)));
        HOLDS(bytes_equal(buf_bytes(&x.contents), buf_bytes(&y.contents)));
    }
    parts_release(&x);
    parts_release(&y);
}

/* ---- there and back ----------------------------------------------------- */

static quire_status look(void *ctx, const quire_part *part, quire_error *err)
{
    (void)err;
    HOLDS(part->kind && (part->text.data || !part->text.len));
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

static void read_all(quire_bytes text, struct blobs *blobs)
{
    quire_print_options o = QUIRE_PRINT_OPTIONS_INIT;
    struct problem_sink h = {.where = "it"};
    size_t n[4] = {0};
    int style;

    for (style = QUIRE_PRINT_FULL; style <= QUIRE_PRINT_USER; style++) {
        o.style = (quire_print_style)style;
        HOLDS(!render_text(text, false, blob_view_all(blobs), &o, &h, look,
                           &n[style], NULL));
    }
    HOLDS(n[0] >= n[2] && n[2] >= n[3]);
    HOLDS(!render_text(text, true, blob_view_all(blobs), &o, &h, look, &n[0],
                       NULL));
}

static void there_and_back(quire_bytes text)
{
    struct buf out = BUF_INIT(CEILING), again = BUF_INIT(CEILING),
               back = BUF_INIT(CEILING);
    struct problem_sink h = {.where = "it"};
    struct moved moved = {0}, more = {0};
    quire_bytes outside = text;
    struct blob_store s;
    bool changed;
    quire_status st;

    store_open(&s);
    HOLDS(!externalize_text(text, blob_view_all(s.blobs), &h, &moved, &out,
                            &changed, NULL));
    HOLDS(changed == (moved.payloads > 0) && changed == (out.len > 0));
    if (changed)
        outside = buf_bytes(&out);
    HOLDS(json_check(text, 0, NULL) == json_check(outside, 0, NULL));
    HOLDS(!externalize_text(outside, blob_view_all(s.blobs), &h, &more, &again,
                            &changed, NULL));
    HOLDS(!changed && more.payloads == 0 && again.len == 0);
    same_parts(text, outside, s.blobs);
    st = hydrate_text(outside, blob_view_all(s.blobs), &h, &more, &back,
                      &changed, NULL);
    HOLDS(!st || st == QUIRE_DAMAGED || st == QUIRE_TOO_LARGE);
    if (!st && changed)
        same_parts(text, buf_bytes(&back), s.blobs);
    read_all(text, s.blobs);
    read_all(outside, s.blobs);
    store_close(&s);
    buf_release(&out);
    buf_release(&again);
    buf_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *exact = malloc(size ? size : 1);
    struct problem_sink h = {.where = "it"};
    struct buf out = BUF_INIT(CEILING);
    struct moved moved = {0};
    quire_bytes text, json;
    bool changed;

    HOLDS(exact);
    if (size)
        memcpy(exact, data, size);
    text = bytes_of(exact, size);
    if (!events_check(text, "it", &json, NULL)) {
        there_and_back(text);
    } else {
        HOLDS(externalize_text(text, blob_view_all(NULL), &h, &moved, &out,
                               &changed, NULL));
        HOLDS(hydrate_text(text, blob_view_all(NULL), &h, &moved, &out,
                           &changed, NULL));
        HOLDS(out.len == 0 && !changed);
    }
    buf_release(&out);
    free(exact);
    return 0;
}
