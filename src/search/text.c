/* text.c - see text.h */
#include "search/text.h"

#include <assert.h>

#include "base/bytes.h"

static const char *const kinds[N_TEXT_KINDS] = {
    [TEXT_MESSAGE] = "message",       [TEXT_THINKING] = "thinking",
    [TEXT_TOOL_INPUT] = "tool_input", [TEXT_TOOL_RESULT] = "tool_result",
    [TEXT_SUMMARY] = "summary",       [TEXT_TITLE] = "title",
    [TEXT_LABEL] = "label",           [TEXT_OUTPUT] = "output",
    [TEXT_ARTIFACT] = "artifact",     [TEXT_MEMORY] = "memory",
    [TEXT_HISTORY] = "history",
};

static const char *const roles[N_TEXT_ROLES] = {
    [TEXT_ROLE_NONE] = "",
    [TEXT_ROLE_USER] = "user",
    [TEXT_ROLE_ASSISTANT] = "assistant",
    [TEXT_ROLE_TOOL] = "tool",
    [TEXT_ROLE_SYSTEM] = "system",
};

const char *text_kind_name(enum text_kind kind)
{
    assert(kind < N_TEXT_KINDS);
    return kinds[kind];
}

bool text_kind_of(quire_bytes name, enum text_kind *out)
{
    unsigned i;

    for (i = 0; i < N_TEXT_KINDS; i++) {
        if (bytes_is(name, kinds[i])) {
            *out = (enum text_kind)i;
            return true;
        }
    }
    return false;
}

const char *text_role_name(enum text_role role)
{
    assert(role < N_TEXT_ROLES);
    return roles[role];
}

bool text_role_of(quire_bytes name, enum text_role *out)
{
    unsigned i;

    for (i = TEXT_ROLE_USER; i < N_TEXT_ROLES; i++) {
        if (bytes_is(name, roles[i])) {
            *out = (enum text_role)i;
            return true;
        }
    }
    return false;
}
