/*
 * Values to be purged, and texts that have them.
 *
 * The first line is the value, the rest the text. Masked, the text is as long as it was and
 * has the value in no spelling; lines of JSON are lines of JSON. A stream in small pieces
 * gives what one piece gives.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "purge/mask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

static void stream(const struct values *v, quire_bytes text, size_t piece,
                   struct buf *out)
{
    struct masker m;
    size_t at, n;

    masker_init(&m, v, buf_write, out);
    for (at = 0; at < text.len; at += n) {
        n = piece < text.len - at ? piece : text.len - at;
        check(!masker_add(&m, bytes_sub(text, at, at + n), NULL));
    }
    check(!masker_end(&m, NULL));
    masker_release(&m);
    check(!out->failed && out->len == text.len);
}

static void lines(const struct values *v, quire_bytes text)
{
    struct buf out = BUF_INIT(1 << 24);
    struct mask_counts found = {.values = 0};
    struct spans spans = {.n = 0};
    size_t at = 0;

    buf_add(&out, text.data, text.len);
    check(!mask_lines(v, out.data, out.len, true, &spans, &found, NULL, NULL,
                      NULL));
    while (at < text.len) {
        const char *from = (const char *)text.data + at;
        const char *end = memchr(from, '\n', text.len - at);
        size_t len = end ? (size_t)(end - from) : text.len - at;

        if (json_check(bytes_of(from, len), 0, NULL))
            check(json_check(bytes_of(out.data + at, len), 0, NULL));
        at += len + 1;
    }
    spans_release(&spans);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    struct buf one = BUF_INIT(1 << 24), many = BUF_INIT(1 << 24);
    quire_bytes value, text;
    struct values *v;

    if (!end || size > 1 << 20)
        return 0;
    value = bytes_of(data, (size_t)(end - data));
    text = bytes_of(end + 1, size - value.len - 1);
    if (values_new(&value, 1, &v, NULL))
        return 0;
    stream(v, text, SIZE_MAX, &one);
    stream(v, text, 1 + size % 13, &many);
    check(bytes_equal(buf_bytes(&one), buf_bytes(&many)));
    check(!one.len || !memmem(one.data, one.len, value.data, value.len));
    lines(v, text);
    values_free(v);
    buf_release(&one);
    buf_release(&many);
    return 0;
}
