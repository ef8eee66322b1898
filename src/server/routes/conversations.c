/* conversations.c - sessions, which arbiter calls conversations */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/open_session.h"
#include "server/page.h"
#include "server/routes/handlers.h"
#include "server/server.h"
#include "server/session_pool.h"

/* ---- one ---------------------------------------------------------------- */

static void put_conversation(struct request *c, const quire_session_row *r)
{
    json_object(&c->w);
    put_number(c, "id", r->number);
    put_number(c, "tenant_id", c->tenant.id);
    put_text(c, "session", r->id);
    put_text(c, "title", r->title);
    put_text(c, "cwd", r->info ? r->info->cwd : NULL);
    put_text(c, "backend", r->path ? "file" : "memory");
    put_flag(c, "archived", !strcmp(r->state, "archived"));
    put_flag(c, "pinned", r->info && r->info->pinned);
    put_flag(c, "held", r->info && r->info->held);
    put_text(c, "hold_reason", r->info ? r->info->hold_reason : NULL);
    put_id(c, "folder_id", r->folder);
    put_text(c, "agent_id", r->agent ? r->agent : "index");
    if (r->agent_def)
        json_put_raw(&c->w, "agent_def", bytes_str(r->agent_def));
    put_text(c, "parent", *r->parent ? r->parent : NULL);
    put_number(c, "entries", (int64_t)r->entries);
    put_number(c, "messages", (int64_t)r->messages);
    put_number(c, "message_count", (int64_t)r->messages);
    put_number(c, "input_tokens", (int64_t)r->input_tokens);
    put_number(c, "output_tokens", (int64_t)r->output_tokens);
    put_number(c, "total_tokens", (int64_t)r->total_tokens);
    put_number(c, "cost_nano_usd", r->cost_nano_usd);
    put_number(c, "artifacts", (int64_t)r->artifacts);
    put_number(c, "bytes_used", (int64_t)r->artifact_bytes);
    put_time(c, "created_at", r->created_us);
    put_time(c, "updated_at", r->updated_us);
    json_object_end(&c->w);
}

static void answer_row(struct request *c, const char *which)
{
    quire_session_row row;
    quire_error err;
    quire_status st = quire_session_row_of(c->q, which, &row, &err);

    if (st && c->match.params[0])
        request_fail_session(c, st, &err);
    else if (st)
        request_fail(c, st, &err);
    else
        put_conversation(c, &row);
}

void route_conversations_get(struct request *c)
{
    const char *which = request_session_ref(c);

    if (which)
        answer_row(c, which);
}

/* Its file is about to be changed, moved or removed. */
static void drop_session(struct request *c, const char *id)
{
    session_pool_drop(thread_ctx_sessions(c->thread_ctx), c->tenant.id, id);
}

/* ---- all ---------------------------------------------------------------- */

struct rows {
    struct page page;
    char last[256]; /* the id of the last row of the page */
};

static quire_status write_row(void *ctx, const quire_session_row *row,
                              quire_error *err)
{
    struct rows *r = ctx;
    quire_status st = page_take(&r->page, row->updated_us, row->number);

    (void)err;
    if (st)
        return st;
    put_conversation(r->page.c, row);
    snprintf(r->last, sizeof r->last, "%s", row->id);
    return QUIRE_OK;
}

/* An unknown folder is an invalid field, not an unknown address. */
static void refuse_folder(struct request *c, const quire_error *err)
{
    request_refuse(c, 400, "invalid", "GET /v1/conversation-folders lists them",
                   "folder_id: %s", err->what);
}

/* Where the list begins: before a time, or at a cursor. False: answered. */
static bool read_start(struct request *c, quire_row_options *o)
{
    uint64_t before = request_number(c, "before_updated_at", 0);

    if (request_json(c, "before_updated_at").data) {
        o->after_us = before < INT64_MAX / 1000000 ? (int64_t)before * 1000000
                                                   : INT64_MAX;
        o->after_id = ""; /* before all ids: excludes that time */
    }
    return request_cursor_text(c, &o->after_us, &o->after_id);
}

/* False: answered. */
static bool read_archived(struct request *c, int *archived)
{
    static const char *const words[][2] = {{"false", "0"},
                                           {"true", "1"},
                                           {"all", "all"}};
    const char *text = request_text(c, "archived");
    int i;

    for (i = 0; text && i < 3; i++)
        if (!strcmp(text, words[i][0]) || !strcmp(text, words[i][1])) {
            *archived = i;
            return true;
        }
    if (text)
        request_refuse(c, 400, "invalid", "send true, false or all",
                       "archived must be true, false or all");
    return !text;
}

void route_conversations_list(struct request *c)
{
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    struct rows r = {.page = {.c = c, .limit = request_limit(c)}};
    char next[sizeof r.last + 32];
    quire_error err;
    quire_status st;
    bool no_folder;

    if (!read_start(c, &o))
        return;
    if (request_json(c, "folder_id").data) {
        o.folder = (int64_t)request_number(c, "folder_id", 0);
        o.folder = o.folder ? o.folder : -1;
    }
    if (!read_archived(c, &o.archived))
        return;
    o.pinned = request_flag(c, "pinned", false);
    o.limit = r.page.limit + 1;
    page_begin(&r.page, c->match.alias ? "sessions" : "conversations");
    st = quire_session_rows(c->q, &o, write_row, &r, &err);
    page_end_rows(&r.page);
    snprintf(next, sizeof next, "%lld.%s", (long long)r.page.last_us, r.last);
    put_text(c, "next_cursor", r.page.more ? next : NULL);
    no_folder = st == QUIRE_NOT_FOUND && o.folder > 0;
    page_end(&r.page, no_folder ? QUIRE_OK : st, &err);
    if (no_folder)
        refuse_folder(c, &err);
}

/* The agent of a session, in `keep`; .id NULL: none. */
struct agent {
    const char *id, *definition;
};

/* Close the new or moved session, and answer its row or the failure. */
static void answer_opened(struct request *c, quire_session *s,
                          const struct agent *agent, quire_status st,
                          quire_error *err)
{
    quire_session_info info;
    const char *id = NULL;

    if (!st) {
        quire_session_describe(s, &info);
        id = arena_text(&c->keep, bytes_str(info.id));
        st = id ? QUIRE_OK : err_memory(err);
    }
    quire_session_close(s);
    if (!st && agent->id)
        st = quire_session_set_agent(c->q, id, agent->id, agent->definition,
                                     err);
    if (st)
        request_fail(c, st, err);
    else
        answer_row(c, id);
}

/* The agent that the body names. False: answered. */
static bool read_agent(struct request *c, struct agent *agent)
{
    quire_bytes definition = request_json(c, "agent_def");

    if (!request_agent(c, "agent_id") || !request_agent(c, "agent"))
        return false;
    agent->id = request_text(c, "agent_id");
    if (!agent->id)
        agent->id = request_text(c, "agent");
    agent->definition = definition.data ? arena_text(&c->keep, definition)
                                        : NULL;
    if (!agent->id && agent->definition)
        agent->id = "index";
    return true;
}

void route_conversations_add(struct request *c)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct agent agent;
    quire_session *s = NULL;
    quire_error err;
    quire_status st;

    if (!request_cwd(c, &o.cwd) || !read_agent(c, &agent))
        return;
    o.flags = QUIRE_SESSION_AT_ONCE;
    o.title = request_text(c, "title");
    if (!o.cwd)
        o.cwd = "/";
    st = quire_session_new(c->q, &o, &s, &err);
    if (!st)
        st = quire_session_flush(s, &err);
    answer_opened(c, s, &agent, st, &err);
}

/* ---- changes ------------------------------------------------------------ */

/* The state before the change: equal values are not written and publish no event. */
struct before {
    const char *id, *title; /* the title in `keep`, "" for none */
    const char *reason;     /* of the hold, in `keep`; NULL: none */
    int64_t folder;
    bool archived, pinned;
};

/* Read the state of the session of the path. False: answered. */
static bool read_before(struct request *c, struct before *b)
{
    quire_session_row row;
    quire_error err;
    quire_status st;

    b->id = request_session(c);
    if (!b->id)
        return false;
    st = quire_session_row_of(c->q, b->id, &row, &err);
    if (!st) {
        b->title = arena_text(&c->keep, bytes_str(row.title ? row.title : ""));
        b->folder = row.folder;
        b->archived = !strcmp(row.state, "archived");
        b->pinned = row.info->pinned;
        b->reason = row.info->held
                        ? arena_text(&c->keep, bytes_str(row.info->hold_reason))
                        : NULL;
        st = b->title && !b->reason == !row.info->held ? QUIRE_OK
                                                       : err_memory(&err);
    }
    request_fail_session(c, st, &err);
    return !st;
}

/* Put it into a folder, or take it out. False: answered. */
static bool set_folder(struct request *c, const struct before *b)
{
    int64_t folder = (int64_t)request_number(c, "folder_id", 0);
    quire_error err;
    quire_status st;

    if (!request_json(c, "folder_id").data || folder == b->folder)
        return true;
    c->unchanged = false;
    st = quire_session_file(c->q, b->id, folder, &err);
    if (st == QUIRE_NOT_FOUND)
        refuse_folder(c, &err);
    else if (st)
        request_fail(c, st, &err);
    return !st;
}

/* An empty title changes nothing, as in arbiter; null removes it. */
static quire_status set_title(struct request *c, const struct before *b,
                              quire_error *err)
{
    const char *title = request_is_null(c, "title") ? ""
                                                    : request_text(c, "title");
    quire_session *s = NULL;
    quire_status st;

    if (!title || !strcmp(title, b->title) ||
        (!*title && !request_is_null(c, "title")))
        return QUIRE_OK;
    c->unchanged = false;
    drop_session(c, b->id);
    st = quire_session_open(c->q, b->id, NULL, &s, err);
    if (!st)
        st = quire_session_rename(s, title, err);
    quire_session_close(s);
    return st;
}

static quire_status set_archived(struct request *c, const struct before *b,
                                 quire_error *err)
{
    bool want = request_flag(c, "archived", b->archived);
    const char *path;

    if (want == b->archived)
        return QUIRE_OK;
    c->unchanged = false;
    drop_session(c, b->id);
    return want ? quire_session_archive(c->q, b->id, &path, err)
                : quire_session_unarchive(c->q, b->id, &path, err);
}

static quire_status set_pinned(struct request *c, const struct before *b,
                               quire_error *err)
{
    bool want = request_flag(c, "pinned", b->pinned);

    if (want == b->pinned)
        return QUIRE_OK;
    c->unchanged = false;
    return quire_session_pin(c->q, b->id, want, err);
}

/* null releases it. */
static quire_status set_hold(struct request *c, const struct before *b,
                             quire_error *err)
{
    const char *reason = request_text(c, "hold_reason");

    if (request_is_null(c, "hold_reason") ? !b->reason : !reason)
        return QUIRE_OK;
    c->unchanged = false;
    return reason ? quire_session_hold(c->q, b->id, reason, err)
                  : quire_session_release(c->q, b->id, err);
}

void route_conversations_patch(struct request *c)
{
    struct before before;
    quire_error err;
    quire_status st;

    c->unchanged = true;
    if (!read_before(c, &before) || !set_folder(c, &before))
        return;
    st = set_title(c, &before, &err);
    if (!st)
        st = set_archived(c, &before, &err);
    if (!st)
        st = set_pinned(c, &before, &err);
    if (!st)
        st = set_hold(c, &before, &err);
    if (st)
        request_fail(c, st, &err);
    else
        answer_row(c, before.id);
}

void route_conversations_remove(struct request *c)
{
    const char *id = request_session(c);
    int64_t number; /* for the event: it cannot be looked up afterwards */
    quire_error err;
    quire_status st;

    if (!id || !request_session_number(c, &number))
        return;
    drop_session(c, id);
    st = request_flag(c, "trash", false)
             ? quire_session_trash(c->q, id, 0, NULL, &err)
             : quire_session_remove(c->q, id, &err);
    answer_deleted(c, st, &err);
}

void route_conversations_restore(struct request *c)
{
    const char *path;
    quire_session_row row;
    quire_error err;
    quire_status st = quire_session_restore(c->q, request_trashed(c), &path,
                                            &err);
    const char *copy = st ? NULL : arena_text(&c->keep, bytes_str(path));

    if (!st)
        st = copy ? quire_session_row_of(c->q, copy, &row, &err)
                  : err_memory(&err);
    if (st)
        request_fail(c, st, &err);
    else
        put_conversation(c, &row);
}

typedef quire_status (*relocate_fn)(quire *q, const char *which,
                                    const char *cwd, quire_session **out,
                                    quire_error *err);

/* A fork has the agent of its original. */
static quire_status copy_agent(struct request *c, const char *id,
                               struct agent *agent, quire_error *err)
{
    quire_session_row row;
    quire_status st = quire_session_row_of(c->q, id, &row, err);

    if (st || !row.agent)
        return st;
    agent->id = arena_text(&c->keep, bytes_str(row.agent));
    if (row.agent_def)
        agent->definition = arena_text(&c->keep, bytes_str(row.agent_def));
    return agent->id && (agent->definition || !row.agent_def) ? QUIRE_OK
                                                              : err_memory(err);
}

/* Fork or move the session to `cwd`. */
static void relocate(struct request *c, relocate_fn do_it)
{
    const char *id = request_session(c), *cwd;
    struct agent agent = {.id = NULL};
    quire_session *s = NULL;
    quire_error err;
    quire_status st;

    if (!id || !request_cwd(c, &cwd))
        return;
    drop_session(c, id);
    st = copy_agent(c, id, &agent, &err);
    if (!st)
        st = do_it(c->q, id, cwd, &s, &err);
    answer_opened(c, s, &agent, st, &err);
}

void route_conversations_fork(struct request *c)
{
    relocate(c, quire_session_fork);
}

void route_conversations_move(struct request *c)
{
    relocate(c, quire_session_move);
}

/* ---- entries ------------------------------------------------------------ */

struct entries {
    struct page page;
    uint64_t skip;
    const char *after; /* the id of the one they come after; NULL: any, or it
                          has come                                        */
    uint64_t passed;   /* up to that one                                  */
    bool messages;     /* those alone                                     */
};

static quire_status give_entry(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct entries *l = ctx;
    quire_status st;

    (void)err;
    if (l->messages && !bytes_equal(e->type, bytes_str("message")))
        return QUIRE_OK;
    if (l->after) {
        l->passed++;
        if (bytes_is(e->id, l->after))
            l->after = NULL;
        return QUIRE_OK;
    }
    if (l->skip > 0) {
        l->skip--;
        return QUIRE_OK;
    }
    st = page_take(&l->page, 0, 0);
    if (!st)
        json_raw(&l->page.c->w, e->json);
    return st;
}

static void list_entries(struct request *c, const char *key, bool messages)
{
    uint64_t after = request_number(c, "after", 0);
    struct entries l = {.page = {.c = c, .limit = request_limit(c)},
                        .skip = after,
                        .after = request_text(c, "after_id"),
                        .messages = messages};
    quire_session *s;
    int64_t number;
    quire_error err;
    quire_status st;

    if (!request_session_number(c, &number))
        return;
    s = request_open_session(c, QUIRE_SESSION_READ);
    if (!s)
        return;
    if (l.after && !strcmp(l.after, "0"))
        l.after = NULL; /* clients of arbiter start with it */
    page_begin(&l.page, key);
    st = quire_session_entries(s,
                               request_flag(c, "hydrate", false) ? QUIRE_HYDRATE
                                                                 : 0,
                               give_entry, &l, &err);
    page_end_rows(&l.page);
    put_number(c, "conversation_id", number);
    after += l.passed + l.page.n;
    put_id(c, "next_after", l.page.more ? (int64_t)after : 0);
    page_end(&l.page, st, &err);
    if (!st && l.after)
        request_refuse(c, 400, "invalid", "name one that was listed",
                       "after_id: unknown %s", messages ? "message" : "entry");
    request_close_session(c, s);
}

void route_entries_list(struct request *c)
{
    list_entries(c, "entries", false);
}

void route_messages_list(struct request *c)
{
    list_entries(c, "messages", true);
}

static void append(struct request *c, quire_bytes entry)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session *s = request_open_session(c, 0);
    quire_appended done;
    quire_error err;
    quire_status st;

    if (!s)
        return;
    o.at = request_text(c, "at");
    o.expect = request_is_null(c, "expect") ? "root"
                                            : request_text(c, "expect");
    o.op = request_text(c, "op");
    o.any = request_flag(c, "any", false);
    st = quire_session_append(s, entry, &o, &done, &err);
    if (!st) {
        c->unchanged = done.existed;
        c->answer.status = done.existed ? 200 : 201;
    }
    request_answer_appended(c, s, st, &done, &err);
}

void route_entries_add(struct request *c)
{
    append(c, request_json(c, "entry"));
}

/* A message with an unknown role would be in no context; /entries takes any role. False:
 * answered. */
static bool check_role(struct request *c, quire_bytes role)
{
    if (request_is_choice(c, "role", role))
        return true;
    request_refuse(c, 400, "invalid",
                   "user, assistant, toolResult or another of the format; "
                   "/entries takes any role",
                   "unknown role");
    return false;
}

void route_messages_add(struct request *c)
{
    struct buf entry = BUF_INIT((size_t)1 << 31);
    quire_bytes content = request_json(c, "message");
    const char *role = request_text(c, "role");
    enum json_kind kind = json_kind(content);
    struct json_writer w;

    if (kind != JSON_STRING && kind != JSON_ARRAY && kind != JSON_OBJECT) {
        request_refuse(c, 400, "invalid",
                       "a text, an array of blocks, or an object with role and "
                       "content",
                       "message is not a text, an array or an object");
        return;
    }
    if (kind == JSON_OBJECT ? !check_role(c, json_get(content, "role"))
                            : role && !check_role(c, request_json(c, "role")))
        return;
    json_begin(&w, &entry);
    json_object(&w);
    json_put_str(&w, "type", "message");
    json_key(&w, "message");
    if (kind == JSON_OBJECT) {
        json_raw(&w, content);
    } else {
        json_object(&w);
        json_put_str(&w, "role", role ? role : "user");
        json_put_raw(&w, "content", content);
        json_object_end(&w);
    }
    json_object_end(&w);
    append(c, buf_bytes(&entry));
    buf_release(&entry);
}

/* ---- views -------------------------------------------------------------- */

static void no_image(void *ctx, const char *ref)
{
    (void)ctx;
    (void)ref;
}

/* The library takes an unknown leaf for the last entry, as the format says; a client
 * that names one means that one. */
void route_context(struct request *c)
{
    const char *leaf = request_text(c, "leaf");
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    quire_status st = QUIRE_OK;
    quire_entry entry;
    quire_error err;

    if (!s)
        return;
    if (leaf && !strcmp(leaf, "null"))
        leaf = "";
    else if (leaf)
        st = quire_session_entry(s, leaf, &entry, &err);
    if (!st)
        st = quire_session_context(s, leaf, request_write, no_image, c, &err);
    if (st)
        request_fail(c, st, &err);
    request_close_session(c, s);
}

static quire_status give_node(void *ctx, const quire_entry *e, quire_error *err)
{
    struct request *c = ctx;

    (void)err;
    json_object(&c->w);
    json_put_bytes(&c->w, "id", e->id);
    json_key(&c->w, "parentId");
    if (e->parent.data)
        json_bytes(&c->w, e->parent);
    else
        json_null(&c->w);
    json_put_bytes(&c->w, "type", e->type);
    put_number(c, "depth", (int64_t)e->depth);
    put_flag(c, "leaf", e->is_leaf);
    json_key(&c->w, "label");
    if (e->label.data)
        json_bytes(&c->w, e->label);
    else
        json_null(&c->w);
    json_object_end(&c->w);
    return QUIRE_OK;
}

void route_tree(struct request *c)
{
    quire_session *s = request_open_session(c, QUIRE_SESSION_READ);
    quire_error err;
    quire_status st;

    if (!s)
        return;
    json_object(&c->w);
    json_key(&c->w, "nodes");
    json_array(&c->w);
    st = quire_session_tree(s, give_node, c, &err);
    json_array_end(&c->w);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
    request_close_session(c, s);
}
