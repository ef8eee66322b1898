#include "base/json.h"

#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

static void indents(const char *json, const char *want)
{
    struct buf out = BUF_INIT(1 << 16);

    json_indent(bytes_str(json), &out);
    SAME_TEXT(want, buf_text(&out));
    buf_release(&out);
}

TEST(json_indent_puts_each_member_and_element_on_a_line)
{
    indents("{\"a\":1,\"b\":[true,null,{\"c\":\"d\"}],\"e\":{\"f\":{\"g\":0}}}",
            "{\n"
            "  \"a\": 1,\n"
            "  \"b\": [\n"
            "    true,\n"
            "    null,\n"
            "    {\n"
            "      \"c\": \"d\"\n"
            "    }\n"
            "  ],\n"
            "  \"e\": {\n"
            "    \"f\": {\n"
            "      \"g\": 0\n"
            "    }\n"
            "  }\n"
            "}");
    indents("[[1],[2,3]]", "[\n  [\n    1\n  ],\n  [\n    2,\n    3\n  ]\n]");
}

TEST(json_indent_keeps_empty_containers_on_one_line)
{
    indents("{}", "{}");
    indents(" [ ] ", "[]");
    indents("[[],{},[[]]]", "[\n  [],\n  {},\n  [\n    []\n  ]\n]");
    indents("{\"a\":{ },\"b\":[\n]}", "{\n  \"a\": {},\n  \"b\": []\n}");
}

TEST(json_indent_keeps_scalars_as_they_are_spelled)
{
    indents("1e-07", "1e-07");
    indents("\"\\u0041\\/\"", "\"\\u0041\\/\"");
    indents("[-0,1.50,\"\\ud800\",\"\xff\"]",
            "[\n  -0,\n  1.50,\n  \"\\ud800\",\n  \"\xff\"\n]");
    indents("{\"\\u0061\":1,\"\":2,\"\\u0061\":3}",
            "{\n  \"\\u0061\": 1,\n  \"\": 2,\n  \"\\u0061\": 3\n}");
}

TEST(json_indent_does_not_care_how_it_was_laid_out_before)
{
    indents("\r\n {\t\"a\" : [ 1 ,\n2 ] }\n",
            "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
    indents("{\n  \"a\": [\n    1,\n    2\n  ]\n}",
            "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
}

TEST(json_indent_goes_as_deep_as_json_does)
{
    struct buf json = BUF_INIT(1 << 16), out = BUF_INIT(1 << 20);
    int i;

    for (i = 0; i < JSON_MAX_DEPTH; i++)
        buf_add_char(&json, '[');
    buf_add_char(&json, '7');
    for (i = 0; i < JSON_MAX_DEPTH; i++)
        buf_add_char(&json, ']');
    json_indent(buf_bytes(&json), &out);
    NO(out.failed);
    YES(json_check(buf_bytes(&out), 0, NULL));
    /* each depth from one to the last but one twice, the last once */
    EQ(2 * JSON_MAX_DEPTH * JSON_MAX_DEPTH + 1 + 4 * JSON_MAX_DEPTH, out.len);
    buf_release(&json);
    buf_release(&out);
}

TEST(json_indent_stops_at_damage)
{
    indents("", "");
    indents("nope", "");
    indents("[1,2", "[\n  1,\n  2");
    indents("{\"a\":1,}", "{\n  \"a\": 1");
    indents("[1] 2", "[\n  1\n]");
}

TEST(json_indent_stops_where_the_buffer_ends)
{
    struct buf out = BUF_INIT(8);

    json_indent(bytes_str("[1,2,3,4,5,6]"), &out);
    YES(out.failed);
    YES(out.len <= 8);
    buf_release(&out);
}
