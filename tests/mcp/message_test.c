/* Messages, their answers, and what HTTP is to make of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "mcp/priv.h"
#include "support/test.h"

#define MODERN                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"        \
    "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":" \
    "{}}"

/* A server with one client, who writes down what it is sent. */
struct fix {
    struct mcp *m;
    struct mcp_handle *h;
    struct mcp_peer *p;
    struct buf sent;
    char said[1 << 16];
    int status;
};

static void note(void *ctx, quire_bytes message)
{
    struct fix *f = ctx;

    YES(json_check(message, JSON_UTF8, NULL));
    NO(memchr(message.data, '\n', message.len) != NULL);
    buf_add(&f->sent, message.data, message.len);
    buf_add_char(&f->sent, '\n');
}

static struct fix *begin(bool allow_run)
{
    static quire_options store;
    struct fix *f = calloc(1, sizeof *f);
    struct mcp_config config = {.store = &store, .allow_run = allow_run};

    store = (quire_options)QUIRE_OPTIONS_INIT;
    store.home = test_path("home");
    f->sent.max = 1 << 20;
    OK(mcp_open(&config, &f->m, &test_err));
    OK(mcp_handle_open(f->m, NULL, &f->h, &test_err));
    OK(mcp_peer_open(f->m, note, f, &f->p, &test_err));
    return f;
}

static void end(struct fix *f)
{
    mcp_peer_close(f->p);
    mcp_handle_close(f->h);
    mcp_close(f->m);
    buf_release(&f->sent);
    free(f);
}

/* The answer to a message; "" for none. */
static const char *ask_via(struct fix *f, const char *text,
                           const struct mcp_via *via)
{
    struct mcp_call *c = mcp_begin(f->p, bytes_str(text), via);
    quire_bytes answer;

    *f->said = '\0';
    if (!c)
        return f->said;
    if (mcp_state(c) != MCP_READY && mcp_do(c, f->h) == MCP_OPEN)
        return f->said;
    answer = mcp_answer(c, &f->status);
    snprintf(f->said, sizeof f->said, "%.*s", (int)answer.len,
             answer.data ? (const char *)answer.data : "");
    mcp_end(c);
    YES(!*f->said || json_check(bytes_str(f->said), JSON_UTF8, NULL));
    NO(strchr(f->said, '\n') != NULL);
    return f->said;
}

static const char *ask(struct fix *f, const char *text)
{
    static const struct mcp_via plain = {.http = false};

    return ask_via(f, text, &plain);
}

static void greet(struct fix *f, const char *version)
{
    char text[256];

    snprintf(text, sizeof text,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"%s\"}}",
             version);
    HAS(ask(f, text), version);
}

TEST(a_message_is_answered_by_what_it_says_of_itself)
{
    struct fix *f = begin(false);

    HAS(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
               "\"params\":{" MODERN "}}"),
        "\"resultType\":\"complete\"");
    HAS(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
        "-32602");
    greet(f, "2025-06-18");
    NO(strstr(ask(f,
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
              "resultType") != NULL);
    HAS(ask(f,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" MODERN
            "}}"),
        "-32601");
    end(f);
}

TEST(the_list_of_tools_fits_into_3000_bytes_whatever_it_offers)
{
    struct fix *f = begin(true);
    const char *said = ask(
        f,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" MODERN
        "}}");

    YES(strlen(said) < 3000);
    HAS(said, "\"delete\",\"run\"]");
    HAS(said, "\"command\":{\"type\":\"string\"}");
    end(f);
}

TEST(headers_must_say_what_the_body_says)
{
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
        "{\"name\":\"workspace\",\"arguments\":{\"action\":\"list\"}," MODERN
        "}}";
    struct mcp_via via = {true, "2026-07-28", "tools/call", "workspace"};
    struct fix *f = begin(false);

    HAS(ask_via(f, call, &via), "\"isError\":false");
    EQ(200, f->status);
    via.name = "=?base64?d29ya3NwYWNl?=";
    HAS(ask_via(f, call, &via), "\"isError\":false");
    via.name = "=?base64?d29y?=";
    HAS(ask_via(f, call, &via), "-32020");
    EQ(400, f->status);
    via.name = NULL;
    HAS(ask_via(f, call, &via), "Mcp-Name");
    via.method = "tools/list";
    HAS(ask_via(f, call, &via), "Mcp-Method");
    via.version = "2025-11-25";
    HAS(ask_via(f, call, &via), "MCP-Protocol-Version");
    EQ(400, f->status);
    end(f);
}

TEST(http_hears_of_versions_and_methods_there_are_not)
{
    struct mcp_via via = {true, "v999", "server/discover", NULL};
    struct fix *f = begin(false);

    HAS(ask_via(f,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
                "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
                "protocolVersion\":\"v999\"}}}",
                &via),
        "\"requested\":\"v999\"");
    EQ(400, f->status);
    HAS(ask_via(f,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}",
                &via),
        "-32602");
    EQ(400, f->status);
    via = (struct mcp_via){true, "2026-07-28", "nope", NULL};
    HAS(ask_via(
            f,
            "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"nope\",\"params\":{" MODERN
            "}}",
            &via),
        "-32601");
    EQ(404, f->status);
    via = (struct mcp_via){true, "2025-06-18", NULL, NULL};
    HAS(ask_via(f, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}",
                &via),
        "\"tools\"");
    EQ(200, f->status);
    end(f);
}

TEST(a_call_that_was_cancelled_before_it_began_does_nothing)
{
    static const struct mcp_via plain = {.http = false};
    struct fix *f = begin(false);
    struct mcp_call *c;

    greet(f, "2025-11-25");
    c = mcp_begin(f->p,
                  bytes_str("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":"
                            "\"tools/call\",\"params\":{\"name\":\"workspace\","
                            "\"arguments\":{\"action\":\"write\",\"filename\":"
                            "\"a\",\"content\":\"b\"}}}"),
                  &plain);
    YES(mcp_state(c) == MCP_CHANGE);
    SAME_TEXT("",
              ask(f, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                     "cancelled\",\"params\":{\"requestId\":\"\\u0078\"}}"));
    YES(mcp_do(c, f->h) == MCP_READY);
    YES(mcp_answer(c, NULL).data == NULL);
    mcp_end(c);
    HAS(ask(f, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
               "\"params\":{\"name\":\"workspace\",\"arguments\":{\"action\":"
               "\"list\"}}}"),
        "\\\"count\\\":0");
    end(f);
}

TEST(a_listener_is_answered_when_its_peer_goes)
{
    struct fix *f = begin(false);
    static char sent[1 << 14];

    SAME_TEXT("",
              ask(f, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":"
                     "\"subscriptions/listen\",\"params\":{"
                     "\"notifications\":{\"resourcesListChanged\":true,"
                     "\"resourceSubscriptions\":[\n\"artifact://1\"\n]}," MODERN
                     "}}"));
    HAS(buf_text(&f->sent), "acknowledged");
    notifications_change(f->m, true);
    mcp_look(f->m, f->h, false);
    HAS(buf_text(&f->sent), "list_changed");
    buf_clear(&f->sent);
    mcp_look(f->m, f->h, false);
    EQ(0, f->sent.len);
    mcp_peer_close(f->p);
    snprintf(sent, sizeof sent, "%.*s", (int)f->sent.len, f->sent.data);
    HAS(sent, "\"id\":5,\"result\":{\"resultType\":\"complete\"");
    HAS(sent, "subscriptionId\":5");
    OK(mcp_peer_open(f->m, note, f, &f->p, &test_err));
    end(f);
}

TEST(addresses_have_one_spelling)
{
    static const char *const bad[] = {"",
                                      "quire://artifact/",
                                      "quire://artifact/01",
                                      "quire://artifact/-1",
                                      "quire://artifact/1x",
                                      "quire://artifact/1234567890123456789",
                                      "QUIRE://artifact/1",
                                      "artifact://",
                                      "file:///etc/passwd",
                                      "blob:sha256:00"};
    struct uri u;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        NO(uri_read(bad[i], &u));
    YES(uri_read("quire://artifact/12", &u) && u.kind == URI_ARTIFACT);
    YES(uri_read("agent://0-Scout/items", &u) && u.kind == URI_REPORT);
    YES(uri_read("artifact://3", &u) && u.kind == URI_OUTPUT);
    YES(uri_read("quire://session/x", &u) && u.kind == URI_SESSION);
}

/* Whatever fails, there is an answer that is JSON, or none for want of memory to
 * write it; and the next one is as if nothing had been. */
TEST(a_failure_anywhere_is_an_answer_and_the_server_lives)
{
#define TOOL(arguments)                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" \
    "\"name\":\"workspace\",\"arguments\":{" arguments "}," MODERN "}}"
#define PLAIN(method, params)                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\"," \
    "\"params\":{" params MODERN "}}"
    static const char *const messages[] = {
        PLAIN("tools/list", ""),
        TOOL("\"action\":\"write\",\"filename\":\"a\",\"content\":\"b\""),
        TOOL("\"action\":\"read\",\"filename\":\"a\""),
        PLAIN("resources/list", ""),
        PLAIN("resources/read", "\"uri\":\"quire://artifact/1\","),
        PLAIN("prompts/get", "\"name\":\"hand-off\","),
        PLAIN("prompts/get",
              "\"name\":\"recall\",\"arguments\":{\"query\":\"b\"},"),
        PLAIN("subscriptions/listen",
              "\"notifications\":{\"resourcesListChanged\":true,"
              "\"resourceSubscriptions\":[\"quire://artifact/1\"]},"),
        PLAIN("completion/complete",
              "\"ref\":{\"type\":\"ref/resource\",\"uri\":"
              "\"quire://artifact/{id}\"},\"argument\":{\"name\":\"id\","
              "\"value\":\"\"},"),
    };
    struct fix *f = begin(false);
    size_t i;
    long n;

    for (i = 0; i < sizeof messages / sizeof *messages; i++)
        for (n = 1; n < 3000; n++) {
            bool struck;

            fault_arm(n, ENOMEM, false);
            ask(f, messages[i]);
            mcp_look(f->m, f->h, true);
            struck = fault_disarm();
            mcp_peer_close(f->p);
            buf_clear(&f->sent);
            OK(mcp_peer_open(f->m, note, f, &f->p, &test_err));
            HAS(ask(f, PLAIN("server/discover", "")), "supportedVersions");
            if (!struck)
                break;
        }
    end(f);
}
