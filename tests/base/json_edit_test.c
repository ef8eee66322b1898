#include "base/json.h"

#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

/* Apply changes, spelled "a=1 b- c=2" (a value, or a removal), to the members
 * of an object, and compare. */
static void becomes(const char *object, const char *spelled, const char *want)
{
    struct buf out = BUF_INIT(1 << 16);
    struct arena a = ARENA_INIT;
    struct json_change changes[8];
    struct json_edits e;
    char *words = arena_text(&a, bytes_str(spelled)), *word, *save;
    size_t n = 0;

    for (word = strtok_r(words, " ", &save); word;
         word = strtok_r(NULL, " ", &save), n++) {
        char *mark = word + strcspn(word, "=-");
        bool keep = *mark == '=';

        *mark = '\0';
        changes[n].key = word;
        changes[n].value = keep ? bytes_str(mark + 1) : bytes_of(NULL, 0);
    }
    json_edits_init(&e, bytes_str(object), &a);
    YES(json_edit_members(&e, e.text, changes, n, NULL));
    json_splice(&e, &out);
    SAME_TEXT(want, buf_text(&out));
    YES(json_check(buf_bytes(&out), 0, NULL));
    buf_release(&out);
    arena_release(&a);
}

TEST(json_edit_replaces_a_value_in_its_place)
{
    becomes("{\"a\":1,\"b\":2}", "a=[3]", "{\"a\":[3],\"b\":2}");
    becomes("{ \"a\" : 1 , \"b\" : 2 }", "b=3", "{ \"a\" : 1 , \"b\" : 3 }");
    becomes("{\"\\u0061\":1}", "a=2", "{\"\\u0061\":2}");
}

TEST(json_edit_removes_a_member_with_its_comma)
{
    static const char text[] = "{\"a\":1,\"b\":2,\"c\":3}";

    becomes(text, "a-", "{\"b\":2,\"c\":3}");
    becomes(text, "b-", "{\"a\":1,\"c\":3}");
    becomes(text, "c-", "{\"a\":1,\"b\":2}");
    becomes(text, "a- b-", "{\"c\":3}");
    becomes(text, "b- c-", "{\"a\":1}");
    becomes(text, "a- c-", "{\"b\":2}");
    becomes(text, "a- b- c-", "{}");
    becomes(text, "x-", text);
    becomes("{}", "x-", "{}");
    becomes(text, "", text);
}

TEST(json_edit_removes_the_white_space_that_was_the_members_own)
{
    static const char text[] = "{ \"a\" : 1 ,\n  \"b\" : 2 ,\t\"c\" : 3 }";

    becomes(text, "a-", "{ \"b\" : 2 ,\t\"c\" : 3 }");
    becomes(text, "b-", "{ \"a\" : 1 ,\t\"c\" : 3 }");
    becomes(text, "c-", "{ \"a\" : 1 ,\n  \"b\" : 2 }");
    becomes(text, "a- b- c-", "{  }");
}

TEST(json_edit_appends_what_is_not_there_in_the_order_given)
{
    becomes("{}", "x=1", "{\"x\":1}");
    becomes("{}", "x=1 y=2", "{\"x\":1,\"y\":2}");
    becomes("{\"a\":1}", "y=2 x=3", "{\"a\":1,\"y\":2,\"x\":3}");
    becomes("{ \"a\" : 1 }", "x=2", "{ \"a\" : 1,\"x\":2 }");
    becomes("{ }", "x=2", "{\"x\":2 }");
}

TEST(json_edit_appends_behind_members_that_go)
{
    becomes("{\"a\":1}", "a- x=2", "{\"x\":2}");
    becomes("{\"a\":1,\"b\":2}", "b- x=3", "{\"a\":1,\"x\":3}");
    becomes("{\"a\":1,\"b\":2}", "a- b- x=3 y=4", "{\"x\":3,\"y\":4}");
    becomes("{\"a\":1,\"b\":2}", "x=0 a- b=5", "{\"b\":5,\"x\":0}");
}

TEST(json_edit_leaves_a_repeated_key_once)
{
    static const char text[] = "{\"a\":1,\"b\":2,\"a\":3,\"\\u0061\":4}";

    becomes(text, "a=9", "{\"a\":9,\"b\":2}");
    becomes(text, "a-", "{\"b\":2}");
    becomes(text, "b-", "{\"a\":1,\"a\":3,\"\\u0061\":4}");
}

TEST(json_edit_quotes_the_key_it_appends)
{
    struct json_change change = {"a\"\n\xff", bytes_str("1")};
    struct buf out = BUF_INIT(1 << 16);
    struct arena a = ARENA_INIT;
    struct json_edits e;

    json_edits_init(&e, bytes_str("{}"), &a);
    YES(json_edit_members(&e, e.text, &change, 1, NULL));
    json_splice(&e, &out);
    SAME_TEXT("{\"a\\\"\\n\xef\xbf\xbd\":1}", buf_text(&out));
    buf_release(&out);
    arena_release(&a);
}

TEST(json_edit_changes_several_depths_in_one_pass)
{
    static const char text[] =
        "{\"id\":\"a\",\"m\":{\"x\":1,\"img\":\"AAAA\"},\"list\":[1,2,3]}";
    struct json_change inner = {"x", {NULL, 0}};
    struct json_change outer[] = {{"id", bytes_str("\"b\"")},
                                  {"new", bytes_str("{}")}};
    struct buf out = BUF_INIT(1 << 16);
    struct arena a = ARENA_INIT;
    struct json_edits e;
    quire_bytes m;

    json_edits_init(&e, bytes_str(text), &a);
    m = json_get(e.text, "m");
    /* not in the order of the text */
    json_edit_value(&e, json_get(e.text, "list"), bytes_str("[]"));
    json_edit_value(&e, json_get(m, "img"), bytes_str("\"blob\""));
    YES(json_edit_members(&e, e.text, outer, 2, NULL));
    YES(json_edit_members(&e, m, &inner, 1, NULL));
    json_splice(&e, &out);
    SAME_TEXT("{\"id\":\"b\",\"m\":{\"img\":\"blob\"},\"list\":[],"
              "\"new\":{}}",
              buf_text(&out));
    buf_release(&out);
    arena_release(&a);
}

TEST(json_edit_of_a_damaged_object_adds_nothing)
{
    struct json_change change = {"a", {NULL, 0}};
    struct buf out = BUF_INIT(1 << 16);
    struct arena a = ARENA_INIT;
    struct json_error error;
    struct json_edits e;

    json_edits_init(&e, bytes_str("{\"a\":1,\"b\":[}"), &a);
    NO(json_edit_members(&e, e.text, &change, 1, &error));
    EQ(12, error.at);
    EQ(0, e.n);
    json_splice(&e, &out);
    SAME(e.text, buf_bytes(&out));
    NO(json_edit_members(&e, bytes_str("[1]"), &change, 1, &error));
    SAME_TEXT("not an object", error.why);
    buf_release(&out);
    arena_release(&a);
}

TEST(json_splice_without_edits_is_a_copy)
{
    struct buf out = BUF_INIT(1 << 16);
    struct arena a = ARENA_INIT;
    struct json_edits e;

    json_edits_init(&e, bytes_str(" any \xff bytes "), &a);
    json_splice(&e, &out);
    SAME(e.text, buf_bytes(&out));
    buf_clear(&out);
    json_edits_init(&e, bytes_of(NULL, 0), &a);
    json_splice(&e, &out);
    EQ(0, out.len);
    buf_release(&out);
    arena_release(&a);
}

TEST(json_splice_applies_a_thousand_edits_made_backwards)
{
    struct buf text = BUF_INIT(1 << 20), want = BUF_INIT(1 << 20);
    struct buf out = BUF_INIT(1 << 20);
    struct arena a = ARENA_INIT;
    struct json_edits e;
    int i;

    for (i = 0; i < 1000; i++) {
        buf_addf(&text, "%s%03d", i ? "," : "[", i);
        buf_addf(&want, "%s%03d", i ? "," : "[", i % 2 ? i : 7);
    }
    json_edits_init(&e, buf_bytes(&text), &a);
    for (i = 998; i >= 0; i -= 2) {
        size_t at = (size_t)i * 4 + 1;

        json_edit_value(&e, bytes_sub(e.text, at, at + 3), bytes_str("007"));
    }
    json_splice(&e, &out);
    SAME(buf_bytes(&want), buf_bytes(&out));
    buf_release(&text);
    buf_release(&want);
    buf_release(&out);
    arena_release(&a);
}

TEST(json_edit_without_memory_fails_the_buffer_and_nothing_else)
{
    struct json_change change[] = {{"x", bytes_str("1")}, {"a", {NULL, 0}}};
    struct arena a = ARENA_INIT;
    bool hit = true;
    long n;

    for (n = 1; hit; n++) {
        struct buf out = BUF_INIT(1 << 16);
        struct json_edits e;

        fault_arm(n, 0, false);
        json_edits_init(&e, bytes_str("{\"a\":1,\"b\":2}"), &a);
        YES(json_edit_members(&e, e.text, change, 2, NULL));
        json_splice(&e, &out);
        hit = fault_disarm();
        EQ(hit, out.failed);
        if (!hit)
            SAME_TEXT("{\"b\":2,\"x\":1}", buf_text(&out));
        buf_release(&out);
        arena_release(&a);
    }
    YES(n > 2);
}
