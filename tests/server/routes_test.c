/* The table of operations: it fits its limits, and describes itself. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "server/openapi/openapi.h"
#include "server/router.h"
#include "support/test.h"

/* Which operation a request would be for; "": none, "wrong": it has an address
 * that cannot be. */
static const char *find(const char *method, const char *path)
{
    struct router *router = router_new(routes);
    struct arena keep = ARENA_INIT;
    struct head head = {.method = bytes_str(method), .path = bytes_str(path)};
    struct route_match m;
    const char *name;

    YES(router != NULL);
    router_find(router, &head, &keep, &m);
    name = !m.route ? "" : m.wrong ? "wrong" : m.route->name;
    arena_release(&keep);
    router_free(router);
    return name;
}

TEST(no_operation_has_more_fields_than_a_call_holds)
{
    const struct route *route;
    size_t n;

    for (route = routes; route->name; route++) {
        for (n = 0; route->fields && route->fields[n].name; n++)
            ;
        YES(n <= FIELDS_MAX);
    }
}

TEST(no_two_operations_share_a_name_or_an_address)
{
    const struct route *a, *b;

    for (a = routes; a->name; a++)
        for (b = a + 1; b->name; b++) {
            NO(!strcmp(a->name, b->name));
            NO(!strcmp(a->pattern, b->pattern) &&
               !strcmp(a->method, b->method));
        }
}

TEST(fixed_words_come_before_names_and_numbers)
{
    SAME_TEXT("memory.list", find("GET", "/v1/memory/entries"));
    SAME_TEXT("relations.list", find("GET", "/v1/memory/relations"));
    SAME_TEXT("graph", find("GET", "/v1/memory/graph"));
    SAME_TEXT("pads.shared", find("GET", "/v1/memory/shared"));
    SAME_TEXT("pads.get", find("GET", "/v1/memory/researcher"));
    SAME_TEXT("memory.get", find("GET", "/v1/memory/entries/12"));
    SAME_TEXT("wrong", find("GET", "/v1/memory/entries/12abc"));
    SAME_TEXT("", find("PUT", "/v1/memory/entries/12abc"));
    SAME_TEXT("", find("GET", "/v1/memory/entries/"));
    SAME_TEXT("", find("DELETE", "/v1/artifacts/search"));
    SAME_TEXT("artifacts.search", find("GET", "/v1/artifacts/search"));
    SAME_TEXT("artifacts.restore",
              find("POST", "/v1/conversations/1/artifacts/restore"));
    SAME_TEXT("outputs.get", find("GET", "/v1/conversations/1/outputs/0-Ann"));
    SAME_TEXT("viewer", find("GET", "/"));
    SAME_TEXT("", find("GET", "//"));
    SAME_TEXT("", find("GET", "*"));
}

TEST(a_session_is_found_by_two_names_and_two_kinds_of_id)
{
    SAME_TEXT("conversations.list", find("GET", "/v1/sessions"));
    SAME_TEXT("conversations.get", find("GET", "/v1/sessions/12"));
    SAME_TEXT("conversations.get", find("GET", "/v1/sessions/0192abcd"));
    SAME_TEXT("conversations.get", find("GET", "/v1/conversations/0192abcd"));
    SAME_TEXT("artifacts.of.raw",
              find("GET", "/v1/sessions/0192abcd-12/artifacts/7/raw"));
    SAME_TEXT("wrong", find("GET", "/v1/sessions/0192abc"));
    SAME_TEXT("conversations.get", find("GET", "/v1/sessions/ses_5f2A"));
    SAME_TEXT("wrong", find("GET", "/v1/sessions/ses_5f2"));
    SAME_TEXT("wrong", find("GET", "/v1/sessions/a.jsonl.gz"));
    SAME_TEXT("wrong", find("GET", "/v1/sessions/..%2f..%2fetc%2fpasswd"));
    SAME_TEXT("wrong", find("GET", "/v1/sessions/9999999999999999999"));
    SAME_TEXT("wrong", find("GET", "/v1/conversations/0"));
    SAME_TEXT("", find("GET", "/v1/conversations|sessions"));
}

TEST(every_answer_is_described)
{
    struct buf out = BUF_INIT(1 << 20);
    const struct route *route;
    quire_bytes schemas;

    openapi_write(&out);
    NO(out.failed);
    YES(json_check(buf_bytes(&out), JSON_UTF8, NULL));
    schemas = json_get(json_get(buf_bytes(&out), "components"), "schemas");
    for (route = routes; route->name; route++)
        YES(!strcmp(route->answer, "Bytes") ||
            !strcmp(route->answer, "Events") ||
            !strcmp(route->answer, "Html") ||
            !strcmp(route->answer, "Conversations|Sessions") ||
            json_kind(json_get(schemas, route->answer)) == JSON_OBJECT);
    buf_release(&out);
}
