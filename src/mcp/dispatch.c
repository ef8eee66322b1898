/*
 * dispatch.c - every method of the protocol, in one table
 */
#include "mcp/priv.h"

#ifdef QUIRE_FIXTURES
#include "fixtures.h"
#endif

static const struct method methods[] = {
    {"initialize", true, false, true, true, do_initialize},
    {"ping", true, false, true, true, do_ping},
    {"server/discover", false, true, true, false, do_discover},
    {"tools/list", true, true, true, false, do_tools_list},
    {"tools/call", true, true, false, false, do_tools_call},
    {"resources/list", true, true, false, false, do_resources_list},
    {"resources/templates/list", true, true, true, false,
     do_resources_templates},
    {"resources/read", true, true, false, false, do_resources_read},
    {"resources/subscribe", true, false, false, false, do_subscribe},
    {"resources/unsubscribe", true, false, true, false, do_unsubscribe},
    {"subscriptions/listen", false, true, false, false, do_listen},
    {"prompts/list", true, true, true, false, do_prompts_list},
    {"prompts/get", true, true, false, false, do_prompts_get},
    {"completion/complete", true, true, false, false, do_complete},
#ifdef QUIRE_FIXTURES
    {"logging/setLevel", true, false, true, false, do_set_level},
#endif
};

const struct method *method_find(quire_bytes name)
{
    size_t i;

    for (i = 0; i < sizeof methods / sizeof *methods; i++)
        if (json_is(name, methods[i].name))
            return &methods[i];
    return NULL;
}
