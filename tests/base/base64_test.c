#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "support/test.h"

static struct buf fresh(void)
{
    return (struct buf)BUF_INIT((size_t)1 << 30);
}

static bool decodes(quire_bytes text)
{
    struct buf out = fresh();
    bool yes = base64_decode(text, &out);

    NO(out.failed);
    if (!yes)
        EQ(0, out.len);
    buf_release(&out);
    return yes;
}

TEST(base64_spells_what_the_rfc_spells)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"foobarb", "Zm9vYmFyYg=="},
        {"\xfb\xff\xbf", "+/+/"},
    };
    size_t i;

    for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct buf text = fresh(), raw = fresh();

        base64_encode(bytes_str(pairs[i][0]), &text);
        SAME(bytes_str(pairs[i][1]), buf_bytes(&text));
        EQ(text.len, base64_size(strlen(pairs[i][0])));
        YES(base64_decode(bytes_str(pairs[i][1]), &raw));
        SAME(bytes_str(pairs[i][0]), buf_bytes(&raw));
        buf_release(&text);
        buf_release(&raw);
    }
}

TEST(base64_gives_back_bytes_of_every_length)
{
    size_t n;

    for (n = 0; n < 400; n++) {
        struct buf text = fresh(), raw = fresh();
        void *noise = test_alloc(n);
        char *exact;

        test_noise(n, noise, n);
        buf_add_str(&text, "before");
        base64_encode(bytes_of(noise, n), &text);
        EQ(6 + base64_size(n), text.len);
        /* No byte more: a sanitizer would see it. */
        exact = test_alloc(text.len - 6);
        memcpy(exact, text.data + 6, text.len - 6);
        buf_add_str(&raw, "before");
        YES(base64_decode(bytes_of(exact, text.len - 6), &raw));
        EQ(6 + n, raw.len);
        SAME(bytes_of(noise, n), bytes_of(raw.data + 6, n));
        buf_release(&text);
        buf_release(&raw);
    }
}

TEST(base64_in_another_spelling_is_not_decoded)
{
    static const char *const wrong[] = {
        "Z",          "Zg",
        "Zg=",        "Zg===",
        "Zm8",        "=",
        "==",         "===",
        "====",       "Z===",
        "Zm=v",       "=m9v",
        "Zg==Zg==",   "Zm8=Zm9v",
        "Zm9v====",   "Zm9vYg= =",
        "Zm9-",       "Zm9_",
        "Zm9v\n",     "\nZm9v",
        "Zm9v YmFy",  "Zm9v\r\nYmFy",
        "Zm 9",       "Zm9v.A==",
        "Zm\xc3\xa4", "blob:sha256:aaaa",
    };
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (decodes(bytes_str(wrong[i])))
            SAME_TEXT("not base64", wrong[i]);
    NO(decodes(bytes_of("Zm\0v", 4)));
}

/* Each of the 256 bytes in each place of two blocks and a tail. */
TEST(base64_has_sixty_four_characters_and_no_more)
{
    char text[20];
    int c, n_known;
    size_t at;

    for (at = 0; at < sizeof text; at++) {
        for (c = n_known = 0; c < 256; c++) {
            memset(text, 'A', sizeof text);
            text[at] = (char)c;
            n_known += decodes(bytes_of(text, sizeof text));
        }
        EQ(at == sizeof text - 1 ? 65 : 64, n_known);
    }
}

TEST(base64_with_bits_that_belong_to_no_byte_is_not_decoded)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[5] = "AA==";
    int i, n_two = 0, n_one = 0;

    for (i = 0; i < 64; i++) {
        memcpy(text, "AA==", 4);
        text[1] = digits[i];
        n_two += decodes(bytes_of(text, 4));
        memcpy(text, "AAA=", 4);
        text[2] = digits[i];
        n_one += decodes(bytes_of(text, 4));
    }
    EQ(4, n_two);
    EQ(16, n_one);
}

TEST(base64_that_finds_no_memory_is_the_buffers_failure)
{
    struct buf out = fresh();
    struct buf low = BUF_INIT(5);

    YES(base64_decode(bytes_str("Zm9vYmFy"), &low));
    YES(low.failed);
    EQ(0, low.len);
    buf_clear(&low);
    base64_encode(bytes_str("foo"), &low);
    NO(low.failed);
    base64_encode(bytes_str("foo"), &low);
    YES(low.failed);
    EQ(4, low.len);
    buf_release(&low);
    fault_arm(1, ENOMEM, false);
    base64_encode(bytes_str("foo"), &out);
    YES(fault_disarm() && out.failed);
    buf_release(&out);
}

TEST(the_size_of_base64_does_not_wrap)
{
    EQ(0, base64_size(0));
    EQ(4, base64_size(1));
    EQ(4, base64_size(3));
    EQ(8, base64_size(4));
    YES(base64_size(SIZE_MAX) == SIZE_MAX);
    YES(base64_size(SIZE_MAX / 4 * 3) == SIZE_MAX - 3);
    YES(base64_size(SIZE_MAX / 4 * 3 + 1) == SIZE_MAX);
}
