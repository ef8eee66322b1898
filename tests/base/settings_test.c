/* Settings files of other programs: what is added can be removed, and the rest stays. */
#include <string.h>

#include "base/bytes.h"
#include "base/settings_edit.h"
#include "support/test.h"

static struct buf added, removed;

/* Put into `before`, which must become `after`; and remove it again. */
static void both_ways(const char *before, const char *after)
{
    added = (struct buf)BUF_INIT(1 << 20);
    removed = (struct buf)BUF_INIT(1 << 20);
    EQ(SETTINGS_DONE,
       settings_json_put(bytes_str(before), "s", "quire", "{1}", &added));
    SAME(bytes_str(after), buf_bytes(&added));
    EQ(SETTINGS_SAME,
       settings_json_put(buf_bytes(&added), "s", "quire", "{1}", &removed));
    EQ(SETTINGS_DONE,
       settings_json_drop(buf_bytes(&added), "s", "quire", &removed));
    SAME(bytes_str(before), buf_bytes(&removed));
    buf_release(&added);
    buf_release(&removed);
}

TEST(a_server_is_added_to_json_and_removed_byte_for_byte)
{
    both_ways("{\n}\n", "{\n  \"s\": {\n    \"quire\": {1}\n  }\n}\n");
    both_ways("{}", "{\n  \"s\": {\n    \"quire\": {1}\n  }}");
    both_ways("{\"s\":{}}", "{\"s\":{\n    \"quire\": {1}}}");
    both_ways("{ \"a\" : 1 }",
              "{\n  \"s\": {\n    \"quire\": {1}\n  }, \"a\" : 1 }");
    both_ways("\xef\xbb\xbf// x\n{\"s\": /* y */ {\"b\":\"}\\\"\",},\n}",
              "\xef\xbb\xbf// x\n{\"s\": /* y */ {\n    \"quire\": "
              "{1},\"b\":\"}\\\"\",},\n}");
}

static enum settings_edit put(const char *text)
{
    enum settings_edit done;

    added = (struct buf)BUF_INIT(1 << 20);
    done = settings_json_put(bytes_str(text), "s", "quire", "{1}", &added);
    if (done != SETTINGS_BAD)
        buf_release(&added);
    return done;
}

TEST(a_text_that_is_not_understood_is_left_alone)
{
    static const char *const bad[] =
        {"[]",        "{",          "{\"s\":1}",        "{\"s\":[]}",
         "{\"a\" 1}", "{} x",       "{\"s\":{}",        "{\"s\":{]}",
         "x",         "{\"a\":\"}", "{\"s\":{1}}",      "{/*}",
         "{\"a\":}",  "{,}",        "{\"a\":1 \"b\":2}"};
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        EQ(SETTINGS_BAD, put(bad[i]));
}

TEST(a_value_that_is_there_is_replaced_and_the_last_member_takes_its_comma)
{
    const char *text = "{\"s\": {\"a\": 2, \"quire\": [0]}}";

    added = (struct buf)BUF_INIT(1 << 20);
    EQ(SETTINGS_DONE,
       settings_json_put(bytes_str(text), "s", "quire", "{1}", &added));
    SAME(bytes_str("{\"s\": {\"a\": 2, \"quire\": {1}}}"), buf_bytes(&added));
    EQ(SETTINGS_DONE,
       settings_json_drop(bytes_str(text), "s", "quire", &added));
    SAME(bytes_str("{\"s\": {\"a\": 2}}"), buf_bytes(&added));
    EQ(SETTINGS_SAME,
       settings_json_drop(bytes_str("{}"), "s", "quire", &added));
    buf_release(&added);
}

TEST(an_element_is_added_to_a_list_and_removed_by_its_mark)
{
    static const char *const texts[] = {"{\n}\n", "{\"h\":{}}",
                                        "{\"h\":{\"e\":[]}}",
                                        "{\"h\":{\"e\":[{\"x\":1}]}}",
                                        "{\"h\":{\"o\":[1]}, \"z\": 2}"};
    size_t i;

    added = (struct buf)BUF_INIT(1 << 20);
    removed = (struct buf)BUF_INIT(1 << 20);
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        EQ(SETTINGS_DONE,
           settings_json_put_element(bytes_str(texts[i]), "h", "e",
                                     "{\"c\": \"MARK\"}", "MARK", &added));
        EQ(SETTINGS_SAME,
           settings_json_put_element(buf_bytes(&added), "h", "e",
                                     "{\"c\": \"MARK\"}", "MARK", &removed));
        EQ(SETTINGS_DONE, settings_json_drop_element(buf_bytes(&added), "h",
                                                     "e", "MARK", &removed));
        if (i != 2) /* an empty list goes with its last element */
            SAME(bytes_str(texts[i]), buf_bytes(&removed));
    }
    EQ(SETTINGS_BAD, settings_json_put_element(bytes_str("{\"h\":{\"e\":1}}"),
                                               "h", "e", "{}", "MARK", &added));
    buf_release(&added);
    buf_release(&removed);
}

static enum settings_edit toml(const char *before, const char *after)
{
    enum settings_edit done;

    added = (struct buf)BUF_INIT(1 << 20);
    removed = (struct buf)BUF_INIT(1 << 20);
    done = settings_toml_put(bytes_str(before), "m.quire", "a = 1\n", &added);
    if (done == SETTINGS_DONE) {
        SAME(bytes_str(after), buf_bytes(&added));
        EQ(SETTINGS_SAME, settings_toml_put(buf_bytes(&added), "m.quire",
                                            "a = 1\n", &removed));
        EQ(SETTINGS_DONE,
           settings_toml_drop(buf_bytes(&added), "m.quire", &removed));
        SAME(bytes_str(before), buf_bytes(&removed));
    }
    buf_release(&added);
    buf_release(&removed);
    return done;
}

TEST(a_table_is_added_to_toml_and_removed_byte_for_byte)
{
#define ADDED(how) \
    "# quire setup: begin" how "\n[m.quire]\na = 1\n# quire setup: end\n"
    EQ(SETTINGS_DONE, toml("", ADDED("")));
    EQ(SETTINGS_DONE,
       toml("x = 1\n[m.b]\ny = 2\n", "x = 1\n[m.b]\ny = 2\n" ADDED("")));
    EQ(SETTINGS_DONE, toml("x = 1", "x = 1\n" ADDED(" (behind an open line)")));
    EQ(SETTINGS_DONE, toml("x = '''\n[m.quire]\n'''\n",
                           "x = '''\n[m.quire]\n'''\n" ADDED("")));
    EQ(SETTINGS_BAD, toml("[m.quire]\n", ""));
    EQ(SETTINGS_BAD, toml(" [m.quire.env]\n", ""));
    EQ(SETTINGS_BAD, toml("m.quire = {}\n", ""));
    EQ(SETTINGS_BAD, toml("m = {}\n", ""));
}
