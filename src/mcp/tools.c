/*
 * tools.c - the tools, in one table; the tool `workspace`
 *
 * src/workspace defines input and answer of `workspace`, the same for every interface;
 * here the answer becomes the content of a result: as structured content, and as text for
 * clients that know only that. A long file is linked instead. The other tools answer in the
 * same envelope.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

static const char output_schema[] =
    "{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"}},"
    "\"required\":[\"success\"]}";

/* What a call may do, for clients that ask before they let a model do it. */
static const char destroys[] =
    "{\"destructiveHint\":true,\"openWorldHint\":false}";
static const char reads[] = "{\"readOnlyHint\":true,\"openWorldHint\":false}";
static const char adds[] =
    "{\"destructiveHint\":false,\"openWorldHint\":false}";

typedef void (*tool_fn)(struct mcp_call *c, struct mcp_handle *h,
                        quire_bytes arguments, struct buf *out);

static const struct tool {
    const char *name;
    const char *schema; /* NULL: that of the workspace         */
    const char *annotations;
    tool_fn run; /* NULL: the workspace                 */
    unsigned bit;
} tools[] = {
    {"workspace", NULL, destroys, NULL, MCP_TOOL_WORKSPACE},
    {"recall", recall_schema, reads, tool_recall, MCP_TOOL_RECALL},
    {"read", read_schema, reads, tool_read, MCP_TOOL_READ},
    {"remember", remember_schema, adds, tool_remember, MCP_TOOL_REMEMBER},
    {"session", session_schema, adds, tool_session, MCP_TOOL_SESSION},
};

enum { N_TOOLS = sizeof tools / sizeof *tools };

unsigned mcp_tool_bit(quire_bytes name)
{
    size_t i;

    for (i = 0; i < N_TOOLS; i++)
        if (bytes_equal(name, bytes_str(tools[i].name)))
            return tools[i].bit;
    return 0;
}

/* In read-only mode there is no `remember`. */
static bool is_offered(const struct mcp *m, const struct tool *t)
{
    return (m->tools & t->bit) &&
           !(m->read_only && t->bit == MCP_TOOL_REMEMBER);
}

/* The tool of a call; `search` is the name that `recall` had with `--read all`. */
static const struct tool *find_tool(const struct mcp_call *c)
{
    const struct mcp *m = c->peer->m;
    quire_bytes name = json_get(c->params, "name");
    size_t i;

    if (json_kind(name) != JSON_STRING)
        return NULL;
    if (m->read_all && json_is(name, "search"))
        return &tools[1];
    for (i = 0; i < N_TOOLS; i++)
        if (json_is(name, tools[i].name))
            return is_offered(m, &tools[i]) ? &tools[i] : NULL;
    return NULL;
}

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

/* Without write and delete. */
static void drop_writes(struct json_edits *e)
{
    quire_bytes schema = json_get(e->text, "inputSchema");
    quire_bytes action = json_get(json_get(schema, "properties"), "action");

    json_edit_value(e, json_get(action, "enum"),
                    bytes_str("[\"read\",\"list\",\"search\"]"));
}

/* A tool, with what this version of the protocol knows of tools. Only the workspace has an
 * output schema: the others would repeat it, and a model pays for each byte. */
static void put_tool(struct mcp_call *c, const struct tool *t)
{
    const struct mcp *m = c->peer->m;
    struct json_change more[] = {
        {"annotations", bytes_str(m->read_only ? reads : t->annotations)},
        {"outputSchema", bytes_str(output_schema)},
    };
    const char *schema = t->schema ? t->schema : quire_workspace_schema();
    struct json_edits e;
    struct buf tool = BUF_INIT(1 << 16);

    json_edits_init(&e, bytes_str(schema), &c->keep);
    if (c->version >= V_2025_03_26)
        json_edit_members(&e, e.text, more,
                          t->run || c->version < V_2025_06_18 ? 1 : 2, NULL);
    if (!t->run && m->allow_run)
        add_run(&e, &c->keep);
    else if (!t->run && m->read_only)
        drop_writes(&e);
    json_splice(&e, &tool);
    json_raw(&c->w, buf_bytes(&tool));
    if (tool.failed)
        message_refuse_memory(c);
    buf_release(&tool);
}

void do_tools_list(struct mcp_call *c, struct mcp_handle *h)
{
    size_t i;

    (void)h;
    json_key(&c->w, "tools");
    json_array(&c->w);
    for (i = 0; i < N_TOOLS; i++)
        if (is_offered(c->peer->m, &tools[i]))
            put_tool(c, &tools[i]);
    json_array_end(&c->w);
    answer_cache(c, 3600000, true);
}

/* ---- a call ------------------------------------------------------------ */

static bool is_run(const struct mcp_call *c, quire_bytes arguments)
{
    return c->peer->m->allow_run &&
           json_is(json_get(arguments, "action"), "run");
}

enum mcp_state tool_state(const struct mcp_call *c)
{
    quire_bytes arguments = json_get(c->params, "arguments");
    quire_bytes action = json_get(arguments, "action");
    const struct tool *t = find_tool(c);

    if (!t)
        return MCP_LOOK;
    if (t->run)
        return t->annotations == reads ||
                       (t->run == tool_session && session_only_reads(arguments))
                   ? MCP_LOOK
                   : MCP_CHANGE;
    if (is_run(c, arguments))
        return MCP_LONG;
    return json_is(action, "write") || json_is(action, "delete") ? MCP_CHANGE
                                                                 : MCP_LOOK;
}

bool tool_makes_session(const struct mcp_call *c)
{
    return find_tool(c) && tool_state(c) != MCP_LOOK;
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

    if (c->version < V_2025_06_18 || !h->w ||
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

/* ---- calls --------------------------------------------------------------- */

static void call_tool(struct mcp_call *c, struct mcp_handle *h,
                      const struct tool *t, quire_bytes arguments)
{
    struct buf answer = BUF_INIT((size_t)64 << 20);

    t->run(c, h, arguments, &answer);
    if (answer.failed)
        message_refuse_memory(c);
    else if (!c->code)
        put_content(c, h, buf_bytes(&answer));
    buf_release(&answer);
}

/* What the workspace of a session without files answers, where there is no session yet, or
 * the home has no workspaces. */
static void call_nothing(struct mcp_call *c, struct mcp_handle *h,
                         quire_bytes arguments)
{
    quire_bytes action = json_get(arguments, "action");
    bool lists = json_is(action, "list"), searches = json_is(action, "search");
    bool is_native = quire_home_kind(h->q) == QUIRE_KIND_NATIVE;
    struct buf answer = BUF_INIT(1 << 16);
    struct json_writer w;
    quire_error err = {.what = ""};

    if (is_native && (lists || searches)) {
        tool_begin(&w, &answer);
        json_put_str(&w, "action", lists ? "list" : "search");
        json_put_raw(&w,
                     json_is(json_get(arguments, "scope"), "scratchpad")
                         ? "files"
                     : lists ? "artifacts"
                             : "results",
                     bytes_str("[]"));
        json_put_int(&w, "count", 0);
        json_put_null(&w, "session_id");
        tool_end(&w);
    } else {
        quire_status st =
            is_native
                ? err_set(&err, QUIRE_NOT_FOUND, "there are no files here yet")
                : err_fail(&err, QUIRE_INVALID, "recall and read work here.",
                           "homes of this kind have no workspaces");

        tool_fail(c, &answer, st, &err);
    }
    put_content(c, h, buf_bytes(&answer));
    buf_release(&answer);
}

static void call_workspace(struct mcp_call *c, struct mcp_handle *h,
                           quire_bytes arguments)
{
    enum mcp_state state = tool_state(c);
    quire_error err = {.what = ""};
    quire_bytes answer;
    quire_status st;

    if (c->peer->m->read_only && state != MCP_LOOK) {
        message_refuse(c, CODE_PARAMS, "read, list and search are permitted",
                       "this server is read-only");
        return;
    }
    if (!h->w) {
        call_nothing(c, h, arguments);
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

void do_tools_call(struct mcp_call *c, struct mcp_handle *h)
{
    quire_bytes arguments = json_get(c->params, "arguments");
    const struct tool *t = find_tool(c);

    if (!t) {
        message_refuse(c, CODE_PARAMS, "tools/list lists the tools",
                       "unknown tool");
        return;
    }
    if (!arguments.data)
        arguments = bytes_str("{}");
    if (json_kind(arguments) != JSON_OBJECT) {
        message_refuse(c, CODE_PARAMS, NULL, "arguments is not an object");
        return;
    }
    if (!t->run) {
        call_workspace(c, h, arguments);
        return;
    }
    if (c->peer->m->read_only && tool_state(c) != MCP_LOOK) {
        message_refuse(c, CODE_PARAMS, NULL, "this server is read-only");
        return;
    }
    call_tool(c, h, t, arguments);
}
