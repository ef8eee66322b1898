#include "base/json.h"

#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

TEST(json_writer_puts_commas_where_they_belong)
{
    struct buf out = BUF_INIT(1 << 16);
    struct json_writer w;

    json_begin(&w, &out);
    json_object(&w);
    json_key(&w, "a");
    json_array(&w);
    json_int(&w, INT64_MIN);
    json_uint(&w, UINT64_MAX);
    json_array(&w);
    json_array_end(&w);
    json_object(&w);
    json_object_end(&w);
    json_bool(&w, true);
    json_bool(&w, false);
    json_array_end(&w);
    json_put_null(&w, "b");
    json_put_raw(&w, "c", bytes_str("{\"x\" : 1}"));
    json_put_str(&w, "d", "");
    json_object_end(&w);
    SAME_TEXT("{\"a\":[-9223372036854775808,18446744073709551615,[],{},"
              "true,false],\"b\":null,\"c\":{\"x\" : 1},\"d\":\"\"}",
              buf_text(&out));
    YES(json_check(buf_bytes(&out), JSON_UTF8, NULL));
    buf_release(&out);
}

TEST(json_writer_escapes_as_javascript_does)
{
    struct buf out = BUF_INIT(1 << 16);

    json_add_quoted(&out, bytes_of("\0\x01\b\t\n\v\f\r\x1f\"\\/\x7f é😀", 20));
    SAME_TEXT("\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\\\"\\\\/\x7f é😀\"",
              buf_text(&out));
    buf_release(&out);
}

TEST(json_writer_mends_what_is_not_utf8)
{
    struct buf out = BUF_INIT(1 << 16);

    json_add_quoted(&out, bytes_str("a\xff\"\xe2\x82\nb\xc3"));
    SAME_TEXT("\"a\xef\xbf\xbd\\\"\xef\xbf\xbd\\nb\xef\xbf\xbd\"",
              buf_text(&out));
    buf_release(&out);
}

TEST(json_writer_says_any_bytes_so_that_they_read_back)
{
    struct buf out = BUF_INIT(1 << 16), back = BUF_INIT(1 << 16);
    char text[100];
    size_t at, len;
    int c;

    for (len = 1; len < 70; len += 3) {
        for (at = 0; at < len; at++) {
            for (c = 0; c < 0x80; c++) {
                memset(text, 'x', len);
                text[at] = (char)c;
                buf_clear(&out);
                buf_clear(&back);
                json_add_quoted(&out, bytes_of(text, len));
                if (!json_check(buf_bytes(&out), JSON_UTF8, NULL))
                    EQ(0, c);
                json_decode(buf_bytes(&out), &back);
                if (!bytes_equal(bytes_of(text, len), buf_bytes(&back)))
                    SAME(bytes_of(text, len), buf_bytes(&back));
            }
        }
    }
    buf_release(&out);
    buf_release(&back);
}

TEST(json_writer_fails_with_its_buffer)
{
    struct buf out = BUF_INIT(10);
    struct json_writer w;

    json_begin(&w, &out);
    json_array(&w);
    json_str(&w, "longer than ten");
    json_array_end(&w);
    YES(out.failed);
    buf_release(&out);
}

TEST(json_writer_says_content_as_text_or_in_base64)
{
    struct buf out = BUF_INIT(1000);
    struct json_writer w;

    json_begin(&w, &out);
    json_object(&w);
    json_content(&w, "a", bytes_str("\xc3\xa9\"\n"));
    json_content(&w, "b", bytes_of("\xff\0", 2));
    json_content(&w, "c", bytes_of(NULL, 0));
    json_key(&w, "d");
    json_base64(&w, bytes_of(NULL, 0));
    json_object_end(&w);
    NO(out.failed);
    SAME(bytes_str("{\"encoding\":\"utf-8\",\"a\":\"\xc3\xa9\\\"\\n\","
                   "\"encoding\":\"base64\",\"b\":\"/wA=\","
                   "\"encoding\":\"utf-8\",\"c\":\"\",\"d\":\"\"}"),
         buf_bytes(&out));
    buf_release(&out);
}

TEST(json_writer_fails_when_base64_has_no_room)
{
    struct buf out = BUF_INIT(8);
    struct json_writer w;

    json_begin(&w, &out);
    json_base64(&w, bytes_str("four words are too many"));
    YES(out.failed);
    buf_release(&out);
}
