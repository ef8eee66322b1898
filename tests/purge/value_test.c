#include "purge/value.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "purge/mask.h"
#include "purge/unescape.h"
#include "support/test.h"

/* The text with all matches of `value` masked, lent until the next call. */
static const char *masked(const char *value, const char *text)
{
    static char out[4096];
    const quire_bytes bytes = bytes_str(value);
    struct spans spans = {.n = 0};
    struct values *v;
    size_t i;

    OK(values_new(&bytes, 1, &v, &test_err));
    snprintf(out, sizeof out, "%s", text);
    values_find(v, bytes_str(out), &spans);
    for (i = 0; i < spans.n; i++)
        values_mask(v, out, strlen(out), &spans.list[i]);
    EQ(strlen(text), strlen(out));
    spans_release(&spans);
    values_free(v);
    return out;
}

TEST(a_value_becomes_a_mask_of_its_length)
{
    SAME_TEXT("a [purged]** b", masked("sk-0123456", "a sk-0123456 b"));
    SAME_TEXT("[purged]**[purged]**",
              masked("sk-0123456", "sk-0123456sk-0123456"));
    SAME_TEXT("a ***** b", masked("12345", "a 12345 b"));
    SAME_TEXT("sk-012345", masked("sk-0123456", "sk-012345"));
}

TEST(a_value_is_found_as_json_spells_it)
{
    SAME_TEXT("\"a*\\n\\\"[purged]b\"",
              masked("k\n\"01234567", "\"ak\\n\\\"01234567b\""));
    SAME_TEXT("x **\\n[purged]* y",
              masked("ab\nc01234567", "x ab\\nc01234567 y"));
    SAME_TEXT("[purged]*****", masked("A1234567", "\\u00411234567"));
    SAME_TEXT("[purged]****", masked("http://abc", "http:\\/\\/abc"));
    NO(strstr(masked("caf\xc3\xa9-0123", "caf\\u00e9-0123"), "0123"));
    NO(strstr(masked("\xf0\x9f\x94\x91-0123", "\\ud83d\\uDD11-0123"), "0123"));
}

TEST(a_value_is_found_however_deep_json_is_nested_in_json)
{
    static const char value[] = "k\"1\\2\n3/4-abcdefgh";
    struct buf text = BUF_INIT(1 << 16), next = BUF_INIT(1 << 16);
    int depth;

    buf_add_str(&text, value);
    for (depth = 0; depth < 4; depth++) {
        NO(strstr(masked(value, buf_text(&text)), "abcdefgh"));
        buf_clear(&next);
        escape_once(buf_bytes(&text), &next);
        buf_clear(&text);
        buf_add(&text, next.data, next.len);
    }
    buf_release(&text);
    buf_release(&next);
}

TEST(what_only_looks_like_the_value_when_decoded_is_left)
{
    SAME_TEXT("x\\ny0123", masked("xny0123", "x\\ny0123"));
    SAME_TEXT("a\\\\\"b01234", masked("a\\\\\\\\b01234", "a\\\\\"b01234"));
    SAME_TEXT("sk\\-0123456", masked("sk-0123456", "sk\\-0123456"));
}

TEST(an_escape_before_a_match_stays_one)
{
    SAME_TEXT("\"line\\n[purged]*\"",
              masked("nsecret99", "\"line\\nnsecret99\""));
    SAME_TEXT("\\n*******", masked("nsecret9", "\\nsecret9"));
    SAME_TEXT("\\\\[purged]", masked("nsecret9", "\\\\nsecret9"));
}

TEST(a_value_is_found_in_base64_at_any_offset)
{
    static const char value[] = "sk-0123456789~~??";
    size_t before;

    for (before = 0; before < 7; before++) {
        char plain[64];
        struct buf text = BUF_INIT(256), back = BUF_INIT(256);

        snprintf(plain, sizeof plain, "%.*s%s end", (int)before, "abcdefg",
                 value);
        base64_encode(bytes_str(plain), &text);
        buf_add_str(&back, masked(value, buf_text(&text)));
        buf_clear(&text);
        YES(base64_decode(buf_bytes(&back), &text));
        buf_add_char(&text, '\0');
        NO(strstr(text.data, value));
        YES(strstr(text.data, " end") != NULL);
        buf_release(&text);
        buf_release(&back);
    }
}

TEST(the_digest_of_a_blob_is_replaced_by_the_new_one)
{
    const quire_bytes value = bytes_str("sk-0123456");
    quire_digest old = {{0xab, 0x12}}, now = {{0xcd, 0x34}};
    char text[200], want[200], hex[65];
    struct spans spans = {.n = 0};
    struct values *v;

    OK(values_new(&value, 1, &v, &test_err));
    OK(values_add_digest(v, &old, &now, &test_err));
    OK(values_ready(v, &test_err));
    hex_encode(old.byte, 32, hex);
    snprintf(text, sizeof text, "{\"r\":\"blob:sha256:%s\"}", hex);
    hex_encode(now.byte, 32, hex);
    snprintf(want, sizeof want, "{\"r\":\"blob:sha256:%s\"}", hex);
    values_find(v, bytes_str(text), &spans);
    EQ(1, spans.n);
    EQ(SPAN_DIGEST, spans.list[0].kind);
    EQ(0, values_digest(v, &spans.list[0]));
    values_mask(v, text, strlen(text), &spans.list[0]);
    SAME_TEXT(want, text);
    spans_release(&spans);
    values_free(v);
}

TEST(values_that_are_too_short_or_the_mask_itself_are_refused)
{
    static const char *const bad[] = {"", "abc", "    a  b   ", "purged",
                                      "****"};
    struct values *v;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        const quire_bytes value = bytes_str(bad[i]);

        IS(QUIRE_INVALID, values_new(&value, 1, &v, &test_err));
    }
    IS(QUIRE_INVALID, values_new(NULL, 0, &v, &test_err));
}

/* ---- streams and lines --------------------------------------------------------- */

TEST(a_stream_is_masked_alike_in_pieces_of_any_size)
{
    static const char unit[] = "text sk-0123456 and \\u0073k-0123456, "
                               "c2stMDEyMzQ1Ng== ";
    const quire_bytes value = bytes_str("sk-0123456");
    struct buf all = BUF_INIT(1 << 24), first = BUF_INIT(1 << 24);
    struct values *v;
    size_t piece;

    OK(values_new(&value, 1, &v, &test_err));
    while (all.len < 3 << 20)
        buf_add_str(&all, unit);
    for (piece = 1 << 22; piece > 1000; piece /= 7) {
        struct buf out = BUF_INIT(1 << 24);
        struct masker m;
        size_t at, n;

        masker_init(&m, v, buf_write, &out);
        for (at = 0; at < all.len; at += n) {
            n = piece < all.len - at ? piece : all.len - at;
            OK(masker_add(&m, bytes_of(all.data + at, n), &test_err));
        }
        OK(masker_end(&m, &test_err));
        EQ(3 * (all.len / (sizeof unit - 1)), m.found.values);
        EQ(all.len, out.len);
        if (!first.len)
            buf_add(&first, out.data, out.len);
        SAME(buf_bytes(&first), buf_bytes(&out));
        masker_release(&m);
        buf_release(&out);
    }
    buf_release(&all);
    buf_release(&first);
    values_free(v);
}

static const char *masked_lines(const char *value, const char *text)
{
    static char out[1024];
    const quire_bytes bytes = bytes_str(value);
    struct mask_counts found = {.values = 0};
    struct spans spans = {.n = 0};
    struct values *v;

    OK(values_new(&bytes, 1, &v, &test_err));
    snprintf(out, sizeof out, "%s", text);
    OK(mask_lines(v, out, strlen(out), true, &spans, &found, NULL, NULL,
                  &test_err));
    spans_release(&spans);
    values_free(v);
    return out;
}

TEST(a_line_of_json_stays_json)
{
    SAME_TEXT("{\"n\":0         ,\"t\":\"[purged]**\"}\nnext\n",
              masked_lines("4111111111",
                           "{\"n\":4111111111,\"t\":\"4111111111\"}\n"
                           "next\n"));
    SAME_TEXT("{\"****\":\"*****\"}",
              masked_lines("\"pass\":\"hunte\"", "{\"pass\":\"hunte\"}"));
    SAME_TEXT("not json [purged]",
              masked_lines("hunter22", "not json hunter22"));
}
