/* ref_scan_test.c - the blobs that a text speaks of */
#include "gc/ref_scan.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/store.h"
#include "support/test.h"

#define HEX "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

struct found {
    int n;
    uint64_t at;
    quire_digest last;
};

static quire_status note(void *ctx, const quire_digest *d, uint64_t at,
                         quire_error *err)
{
    struct found *f = ctx;

    (void)err;
    f->n++;
    f->at = at;
    f->last = *d;
    return QUIRE_OK;
}

/* How often HEX is mentioned in a text, and nothing else is. */
static int count(const char *text)
{
    struct found f = {0};
    quire_digest want;

    OK(ref_scan_text(bytes_str(text), note, &f, &test_err));
    hex_decode(HEX, sizeof want.byte, want.byte);
    if (f.n > 0)
        YES(!memcmp(&want, &f.last, sizeof want));
    return f.n;
}

TEST(mention_forms)
{
    EQ(1, count("blob:sha256:" HEX));
    EQ(1, count("{\"data\":\"blob:sha256:" HEX "\"}"));
    EQ(1, count("{\"$blob\": \"" HEX "\", \"size\": 12}"));
    EQ(1, count("{\"other\" :\n\t\"" HEX "\"}"));
    EQ(1, count("torn: \"blob:sha256:" HEX));
    EQ(1, count("xblob:sha256:" HEX "abc"));
    EQ(2, count("blob:sha256:" HEX " and blob:sha256:" HEX));
    EQ(1, count("BLOB blob:sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B8"
                "22CD15D6C15B0F00A08"));
}

TEST(mention_escapes)
{
    EQ(1, count("\\u0062lob:sha256:" HEX));
    EQ(1, count("blob\\u003Asha256\\u003a" HEX));
    EQ(1, count("blob:sha25\\u0036:\\u0039f86d081884c7d659a2feaa0c55ad015a3bf4f"
                "1b2b0b822cd15d6c15b0f00a0\\u0038"));
    EQ(1, count("\"\\u0039f86d081884c7d659a2feaa0c55ad015a3bf4f"
                "1b2b0b822cd15d6c15b0f00a0\\u0038\""));
    EQ(1,
       count("\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d\\u6587\\u4e2d"
             "\\u6587blob:sha256:" HEX "\\u4e2d\\u6587\\u4e2d"));
    EQ(1, count("\\n\\nblob:sha256:" HEX "\\n"));
}

TEST(mention_nothing)
{
    EQ(0, count(""));
    EQ(0, count(HEX));
    EQ(0, count("\"" HEX "0\""));
    EQ(0, count("\"0" HEX "\""));
    EQ(0, count("{\\\"sha256\\\": \\\"" HEX "\\\"}"));
    EQ(0, count("sha256:" HEX));
    EQ(0, count("blob:sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd1"
                "5d6c15b0f00a0"));
    EQ(0, count("\"" HEX)); /* cut off: nobody reads it as a digest */
    EQ(0,
       count("blob:sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c\\b"
             "d15d6c15b0f00a08"));
    EQ(0, count("\\"));
    EQ(0,
       count("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\"));
}

/* At every place of a long text, and at every place of the pieces it is read
 * in. */
TEST(mention_anywhere)
{
    static char text[4096];
    size_t at, len = strlen("blob:sha256:" HEX);

    for (at = 0; at + len <= sizeof text; at++) {
        struct found f = {0};

        memset(text, at % 3 ? 'e' : ' ', sizeof text);
        memcpy(text + at, "blob:sha256:" HEX, len);
        OK(ref_scan_text(bytes_of(text, sizeof text), note, &f, &test_err));
        if (f.n != 1 || f.at != at + 12)
            EQ((int64_t)at, -1);
    }
}

static struct object *store_text(struct store *s, quire_bytes text)
{
    struct object_info info;
    struct object *o = NULL;
    struct draft *d;

    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, text, &test_err));
    OK(object_publish(d, "text", true, &test_err));
    OK(object_open(s->objects, "text", &o, &info, &test_err));
    return o;
}

TEST(mention_across_pieces)
{
    static char text[REF_SCAN_PIECE + 4096], buf[REF_SCAN_PIECE];
    size_t at, len = strlen("blob:sha256:" HEX);
    struct store *s;

    OK(store_memory_open(&clock_system, &s, &test_err));
    for (at = REF_SCAN_PIECE - 600; at < REF_SCAN_PIECE + 600; at += 7) {
        struct found f = {0};
        struct object *o;
        uint64_t end;

        memset(text, 'x', sizeof text);
        memcpy(text + at, "blob:sha256:" HEX, len);
        o = store_text(s, bytes_of(text, sizeof text));
        OK(ref_scan_object(o, 0, buf, note, &f, &end, &test_err));
        YES(f.n >= 1 && f.n <= 2);
        EQ((int64_t)at + 12, (int64_t)f.at);
        EQ((int64_t)sizeof text, (int64_t)end);
        /* Gone on with from the middle of it. */
        f = (struct found){0};
        OK(ref_scan_object(o, at + 30, buf, note, &f, &end, &test_err));
        YES(f.n >= 1);
        object_close(o);
    }
    store_free(s);
}
