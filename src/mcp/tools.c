/*
 * tools.c - the tool `workspace`, and with `--read all` the tool `search`
 *
 * src/workspace defines its input and answer, the same for every interface; here the
 * answer becomes the content of a result: as structured content, and as text for
 * clients that know only that. A long file is linked instead.
 */
#include <string.h>

#include "base/bytes.h"
#include "mcp/priv.h"

static const char output_schema[] =
    "{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"}},"
    "\"required\":[\"success\"]}";

static const char annotations[] =
    "{\"destructiveHint\":true,\"openWorldHint\":false}";

static const char reading[] = "{\"readOnlyHint\":true,\"openWorldHint\":false}";

/* ---- description ------------------------------------------------------ */

/* The sixth action, described like the other five. */
static void add_run(struct json_edits *e, struct arena *keep)
{
    static const struct json_change more[] = {
        {"command", {"{\"type\":\"string\"}", 17}},
        {"timeout_ms", {"{\"type\":\"integer\"}", 18}},
    };
    quire_bytes schema = json_get(e->text, "inputSchema");
    quire_bytes properties = json_get(schema, "properties");
    quire_bytes actions = json_get(json_get(properties, "action"), "enum");
    quire_bytes words = json_get(e->text, "description");
    char *longer = arena_printf(keep, "%.*s,\"run\"]", (int)actions.len - 1,
                                (const char *)actions.data);
    char *about = arena_printf(
        keep, "%.*s run: command, a shell script, confined to these files.\"",
        (int)words.len - 1, (const char *)words.data);

    if (!longer || !about) {
        e->failed = true;
        return;
    }
    json_edit_value(e, words, bytes_str(about));
    json_edit_value(e, actions, bytes_str(longer));
    json_edit_members(e, properties, more, sizeof more / sizeof *more, NULL);
}

/* A tool, with what this version of the protocol knows of tools. `reads`: it changes
 * nothing. */
static void put_tool(struct mcp_call *c, const char *schema, bool reads)
{
    struct json_change more[] = {
        {"outputSchema", bytes_str(output_schema)},
        {"annotations", bytes_str(reads ? reading : annotations)},
    };
    struct json_edits e;
    struct buf tool = BUF_INIT(1 << 16);

    json_edits_init(&e, bytes_str(schema), &c->keep);
    if (c->version >= V_2025_06_18)
        json_edit_members(&e, e.text, more, 2, NULL);
    else if (c->version == V_2025_03_26)
        json_edit_members(&e, e.text, more + 1, 1, NULL);
    if (c->peer->m->allow_run && !reads)
        add_run(&e, &c->keep);
    json_splice(&e, &tool);
    json_raw(&c->w, buf_bytes(&tool));
    if (tool.failed)
        message_refuse_memory(c);
    buf_release(&tool);
}

void do_tools_list(struct mcp_call *c, struct mcp_handle *h)
{
    (void)h;
    json_key(&c->w, "tools");
    json_array(&c->w);
    put_tool(c, quire_workspace_schema(), false);
    if (c->peer->m->read_all)
        put_tool(c, search_schema, true);
    json_array_end(&c->w);
    answer_cache(c, 3600000, true);
}

/* ---- a call ------------------------------------------------------------ */

static bool is_search(const struct mcp_call *c)
{
    return c->peer->m->read_all &&
           json_is(json_get(c->params, "name"), "search");
}

static bool is_run(const struct mcp_call *c, quire_bytes arguments)
{
    return c->peer->m->allow_run &&
           json_is(json_get(arguments, "action"), "run");
}

enum mcp_state tool_state(const struct mcp_call *c)
{
    quire_bytes arguments = json_get(c->params, "arguments");
    quire_bytes action = json_get(arguments, "action");

    if (is_search(c))
        return MCP_LOOK;
    if (is_run(c, arguments))
        return MCP_LONG;
    return json_is(action, "write") || json_is(action, "delete") ? MCP_CHANGE
                                                                 : MCP_LOOK;
}

static bool is_success(quire_bytes answer)
{
    return bytes_starts(answer, bytes_str("{\"success\":true"));
}

/* The answer without the content it has, which is long. */
static void put_short(struct mcp_call *c, quire_bytes answer, quire_bytes data)
{
    static const char note[] = "\"left out here, being long: see the link, or "
                               "read pieces with offset and limit\"";
    const struct json_change change = {"content", {note, sizeof note - 1}};
    struct buf text = BUF_INIT(1 << 20);
    struct json_edits e;

    json_edits_init(&e, answer, &c->keep);
    json_edit_members(&e, data, &change, 1, NULL);
    json_splice(&e, &text);
    json_bytes(&c->w, buf_bytes(&text));
    if (text.failed)
        message_refuse_memory(c);
    buf_release(&text);
}

/* Whether it is a long file that there is an address for. The answer is on loan
 * from the workspace, so it is kept. */
static bool find_long(struct mcp_call *c, struct mcp_handle *h,
                      quire_bytes *answer, quire_artifact *a)
{
    quire_bytes data = json_get(*answer, "data");
    const char *path;

    if (c->version < V_2025_06_18 ||
        json_get(data, "content").len <= LONG_TEXT ||
        !json_is(json_get(data, "scope"), "artifact"))
        return false;
    path = message_text(c, data, "filename");
    *answer = arena_dup(&c->keep, *answer);
    if (!answer->data)
        message_refuse_memory(c);
    return answer->data && path &&
           !quire_artifact_stat(h->q, h->m->session, path, NULL, a, NULL);
}

static void put_content(struct mcp_call *c, struct mcp_handle *h,
                        quire_bytes answer)
{
    quire_artifact a;
    bool is_long = find_long(c, h, &answer, &a);

    json_key(&c->w, "content");
    json_array(&c->w);
    json_object(&c->w);
    json_put_str(&c->w, "type", "text");
    json_key(&c->w, "text");
    if (is_long)
        put_short(c, answer, json_get(answer, "data"));
    else
        json_bytes(&c->w, answer);
    json_object_end(&c->w);
    if (is_long)
        put_link(c, &a);
    json_array_end(&c->w);
    if (c->version >= V_2025_06_18) {
        json_put_raw(&c->w, "structuredContent", answer);
    }
    json_put_bool(&c->w, "isError", !is_success(answer));
}

/* What the answer says was done to the list of resources. */
static bool changes_list(quire_bytes answer)
{
    quire_bytes data = json_get(answer, "data");
    int64_t version;

    return json_get(data, "deleted").data ||
           (json_read_int(json_get(data, "version"), &version) && version == 1);
}

static void call_search(struct mcp_call *c, struct mcp_handle *h,
                        quire_bytes arguments)
{
    struct buf answer = BUF_INIT((size_t)16 << 20);

    tool_search(c, h, arguments, &answer);
    if (answer.failed)
        message_refuse_memory(c);
    else if (!c->code)
        put_content(c, h, buf_bytes(&answer));
    buf_release(&answer);
}

void do_tools_call(struct mcp_call *c, struct mcp_handle *h)
{
    quire_bytes arguments = json_get(c->params, "arguments"), answer;
    enum mcp_state state = tool_state(c);
    quire_error err = {.what = ""};
    quire_status st;

    if (!is_search(c) && !json_is(json_get(c->params, "name"), "workspace")) {
        message_refuse(c, CODE_PARAMS, "use the tool workspace",
                       "unknown tool");
        return;
    }
    if (!arguments.data)
        arguments = bytes_str("{}");
    if (json_kind(arguments) != JSON_OBJECT) {
        message_refuse(c, CODE_PARAMS, NULL, "arguments is not an object");
        return;
    }
    if (is_search(c)) {
        call_search(c, h, arguments);
        return;
    }
    if (state == MCP_LONG) {
        tool_run(c, h, arguments);
        return;
    }
    st = quire_workspace_call(h->w, arguments, &answer, &err);
    if (st) {
        message_refuse_status(c, st, &err);
        return;
    }
    if (state == MCP_CHANGE && is_success(answer))
        notifications_change(h->m, changes_list(answer));
    put_content(c, h, answer);
}
