/*
 * Names of kinds and roles.
 */
#include "base/bytes.h"
#include "search/text.h"
#include "support/test.h"

TEST(every_kind_of_text_has_a_name_that_leads_back_to_it)
{
    enum text_kind found;
    unsigned i;

    for (i = 0; i < N_TEXT_KINDS; i++) {
        const char *name = text_kind_name((enum text_kind)i);

        YES(text_kind_of(bytes_str(name), &found));
        EQ(i, found);
    }
    SAME_TEXT("tool_result", text_kind_name(TEXT_TOOL_RESULT));
    NO(text_kind_of(bytes_str("messages"), &found));
    NO(text_kind_of(bytes_str(""), &found));
}

TEST(every_role_but_none_has_a_name_that_leads_back_to_it)
{
    enum text_role found;
    unsigned i;

    for (i = TEXT_ROLE_USER; i < N_TEXT_ROLES; i++) {
        const char *name = text_role_name((enum text_role)i);

        YES(text_role_of(bytes_str(name), &found));
        EQ(i, found);
    }
    SAME_TEXT("", text_role_name(TEXT_ROLE_NONE));
    NO(text_role_of(bytes_str(""), &found));
    NO(text_role_of(bytes_str("model"), &found));
}
