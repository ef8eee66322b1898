/*
 * secrets_fuzz.c - the secrets of a text
 *
 * In any bytes: what is found is inside the text and in order, a masked text has none of
 * it left, and a stream is masked like the text, wherever it is cut, as long as its lines
 * are short. JSON stays JSON, with the same strings but those that were masked.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "holds.h"
#include "secrets/secrets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t check_places(quire_bytes text, enum secrets_level level)
{
    struct secret s;
    size_t done = 0, n = 0;

    while (secrets_next(text, done, level, &s)) {
        HOLDS(s.at >= done && s.len > 0 && s.len <= text.len - s.at);
        HOLDS(s.kind && *s.kind);
        done = s.at + s.len;
        n++;
    }
    return n;
}

static void check_stream(quire_bytes text, const struct buf *want, size_t step)
{
    struct secrets_stream s = SECRETS_STREAM_INIT;
    struct buf out = BUF_INIT((size_t)1 << 26);
    quire_bytes rest = text;

    while (rest.len > 0) {
        size_t n = rest.len < step ? rest.len : step;

        secrets_stream_add(&s, bytes_sub(rest, 0, n), false, &out);
        rest = bytes_sub(rest, n, rest.len);
    }
    secrets_stream_add(&s, rest, true, &out);
    HOLDS(!out.failed && s.held.len == 0 && s.at == text.len);
    HOLDS(bytes_equal(buf_bytes(&out), buf_bytes(want)));
    buf_release(&out);
    secrets_stream_release(&s);
}

static void check_json(quire_bytes json)
{
    struct arena keep = ARENA_INIT;
    quire_bytes out, same;
    quire_error err;
    size_t n, again;

    HOLDS(!secrets_mask_json(json, true, &keep, &out, &n, NULL, NULL, &err));
    if (json_check(json, JSON_UTF8, NULL))
        HOLDS(json_check(out, JSON_UTF8, NULL));
    if (n == 0)
        HOLDS(bytes_equal(json, out));
    HOLDS(!secrets_mask_json(json, false, &keep, &same, &again, NULL, NULL,
                             &err));
    HOLDS(again == n && bytes_equal(json, same));
    arena_release(&keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf masked = BUF_INIT((size_t)1 << 26);
    quire_bytes text;
    char *exact;
    size_t n;

    if (size < 1)
        return 0;
    exact = malloc(size); /* reads past its end are seen */
    HOLDS(exact != NULL);
    memcpy(exact, data + 1, size - 1);
    text = bytes_of(exact, size - 1);
    check_places(text, SECRETS_LIKELY);
    n = check_places(text, SECRETS_SURE);
    HOLDS(secrets_mask_text(text, &masked, NULL, NULL) == n);
    if (n == 0)
        HOLDS(bytes_equal(text, buf_bytes(&masked)));
    if (text.len < 32 * 1024)
        check_stream(text, &masked, (size_t)data[0] + 1);
    check_json(text);
    buf_release(&masked);
    free(exact);
    return 0;
}
