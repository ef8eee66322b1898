/* The shape of entries that are appended. */
#include <string.h>

#include "base/bytes.h"
#include "session/entry_shape.h"
#include "support/session.h"

/* What the check says of an entry: "" if it takes it. */
static const char *verdict(const char *entry)
{
    struct entry_fields v;

    test_err.what[0] = '\0';
    OK(entry_fields_read(bytes_str(entry), &v, &test_err));
    if (!entry_shape_check(bytes_str(entry), &v, &test_err))
        return "";
    EQ(QUIRE_INVALID, test_err.status);
    YES(test_err.next[0] != '\0');
    return test_err.what;
}

TEST(a_message_is_an_object_with_a_role)
{
    SAME_TEXT("",
              verdict(
                  "{\"type\":\"message\",\"message\":{\"role\":\"user\"}}"));
    SAME_TEXT("",
              verdict(
                  "{\"type\":\"message\",\"m\\u0065ssage\":{\"role\":\"x\"}}"));
    HAS(verdict("{\"type\":\"message\"}"), "message is missing");
    HAS(verdict("{\"type\":\"message\",\"message\":\"hi\"}"), "not an object");
    HAS(verdict("{\"type\":\"message\",\"message\":{\"content\":\"\"}}"),
        "role of the message is missing");
    HAS(verdict("{\"type\":\"message\",\"message\":{\"role\":\"\"}}"),
        "not a name");
    HAS(verdict("{\"type\":\"message\",\"message\":{\"role\":1}}"),
        "not a name");
}

TEST(known_types_have_the_fields_they_need)
{
    SAME_TEXT("", verdict("{\"type\":\"model_change\",\"model\":\"a/b\"}"));
    SAME_TEXT("", verdict("{\"type\":\"model_change\",\"provider\":\"a\","
                          "\"modelId\":\"b\"}"));
    HAS(verdict("{\"type\":\"model_change\"}"), "model of a model_change");
    SAME_TEXT("", verdict("{\"type\":\"thinking_level_change\","
                          "\"thinkingLevel\":null}"));
    HAS(verdict("{\"type\":\"thinking_level_change\"}"), "thinkingLevel");
    HAS(verdict("{\"type\":\"compaction\",\"summary\":\"s\"}"),
        "firstKeptEntryId");
    HAS(verdict("{\"type\":\"label\",\"targetId\":7}"), "not a string");
    HAS(verdict("{\"type\":\"ttsr_injection\",\"injectedRules\":{}}"),
        "not an array");
    HAS(verdict("{\"type\":\"custom_message\",\"customType\":\"a\","
                "\"content\":1}"),
        "neither a string nor an array");
    SAME_TEXT("", verdict("{\"type\":\"custom\"}"));
}

TEST(a_type_that_looks_like_a_mistake_is_refused_and_others_are_kept)
{
    HAS(verdict("{\"type\":\"mesage\"}"),
        "unknown type 'mesage', did you mean 'message'?");
    HAS(verdict("{\"type\":\"Message\"}"), "did you mean 'message'?");
    HAS(verdict("{\"type\":\"customMessage\"}"),
        "did you mean 'custom_message'?");
    HAS(verdict("{\"type\":\"lable\"}"), "did you mean 'label'?");
    SAME_TEXT("", verdict("{\"type\":\"x\"}"));
    SAME_TEXT("", verdict("{\"type\":\"turn_start\"}"));
    SAME_TEXT("", verdict("{\"type\":\"user\"}"));
    SAME_TEXT(
        "",
        verdict("{\"type\":\"a_name_that_is_longer_than_any_known_type_is\"}"));
}

static void any(struct house *h)
{
    quire_session *s = house_new(h, "d/f", QUIRE_SESSION_AT_ONCE);
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_bytes entry = bytes_str("{\"type\":\"mesage\",\"id\":\"m\"}");

    IS(QUIRE_INVALID, quire_session_append(s, entry, NULL, NULL, &test_err));
    NO(strstr((const char *)house_read(h, "d/f").data, "mesage"));
    o.any = 1;
    OK(quire_session_append(s, entry, &o, NULL, &test_err));
    HAS((const char *)house_read(h, "d/f").data, "mesage");
    quire_session_close(s);
    s = house_open_session(h, "d/f", 0);
    HAS(all_entries(s), "mesage");
    quire_session_close(s);
}

TEST(the_option_any_appends_an_entry_of_any_shape)
{
    house_each(any);
}
