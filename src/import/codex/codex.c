/*
 * codex.c - sessions of Codex CLI
 *
 * A line is {timestamp, type, payload}; before autumn 2025 the payload alone.
 * There are no parents: each record follows the one before, unless the thread
 * was rolled back by some turns. Then the session goes on below what stood
 * before the first of these turns, and the rest is a branch.
 *
 * What the model saw are the response_items; events repeat them for the screen
 * and are counted only. Of the others those that say something of their own
 * become custom entries.
 *
 * Records have no ids of their own. Ids of entries are offsets in the file.
 */
#include "import/codex/codex.h"

#include <stdio.h>
#include <stdlib.h>

static const quire_bytes none = {NULL, 0};

enum line_field {
    LINE_TIMESTAMP,
    LINE_ORDINAL,
    LINE_TYPE,
    LINE_PAYLOAD,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] = {FIELD("timestamp"),
                                                             FIELD("ordinal"),
                                                             FIELD("type"),
                                                             FIELD("payload")};

static const struct field_name item_fields[N_ITEM_FIELDS] = {
    FIELD("type"),
    FIELD("role"),
    FIELD("content"),
    FIELD("id"),
    FIELD("name"),
    FIELD("arguments"),
    FIELD("call_id"),
    FIELD("output"),
    FIELD("summary"),
    FIELD("encrypted_content"),
    FIELD("input"),
    FIELD("action"),
    FIELD("result"),
    FIELD("message"),
    FIELD("replacement_history"),
    FIELD("info"),
    FIELD("num_turns"),
    FIELD("timestamp"),
    FIELD("cwd"),
    FIELD("model"),
    FIELD("effort"),
    FIELD("thread_name"),
    FIELD("new_thread_id"),
    FIELD("record_type"),
    FIELD("item"),
    FIELD("instructions"),
};

static quire_status keep_in_original(struct import_converter *c,
                                     quire_bytes name)
{
    counts_add(&c->counts, "kept", name, none);
    return QUIRE_OK;
}

static quire_status repeated(struct import_converter *c, quire_bytes name)
{
    counts_add(&c->counts, "repeated", name, none);
    return QUIRE_OK;
}

/* ---- the session -------------------------------------------------------- */

enum {
    META_ID,
    META_VERSION,
    META_GIT,
    META_PROVIDER,
    META_FORKED,
    META_PARENT,
    META_BASE,
    META_START,
    META_AGENT_PATH,
    N_META
};

static void read_base(struct import_converter *c, quire_bytes base)
{
    struct json_want w[] = {JSON_WANT("thread_id"),
                            JSON_WANT("end_byte_offset")};
    int64_t offset;

    if (json_kind(base) != JSON_OBJECT || !json_pick(base, w, 2, NULL) ||
        !json_read_int(w[1].value, &offset) || offset < 0)
        return;
    convert_fact(c, FACT_BASE, w[0].value);
    c->base_offset = (uint64_t)offset;
}

static void read_meta(struct import_converter *c, const struct item *i,
                      const struct json_want *w)
{
    struct codex *s = codex_of(c);
    int64_t start;

    convert_stamp(c, i->of[ITEM_TIMESTAMP]);
    convert_fact(c, FACT_SESSION, i->of[ITEM_ID]);
    convert_first_fact(c, FACT_CWD, i->of[ITEM_CWD]);
    convert_fact(c, FACT_VERSION, w[META_VERSION].value);
    if (json_kind(w[META_GIT].value) == JSON_OBJECT)
        convert_fact(c, FACT_BRANCH, json_get(w[META_GIT].value, "branch"));
    convert_fact(c, FACT_PARENT, w[META_FORKED].value);
    if (value_is_string(w[META_PARENT].value)) {
        convert_fact(c, FACT_PARENT, w[META_PARENT].value);
        convert_fact(c, FACT_AGENT, i->of[ITEM_ID]);
    }
    if (value_is_string(w[META_PROVIDER].value))
        short_json_set(&s->provider, w[META_PROVIDER].value);
    read_base(c, w[META_BASE].value);
    if (json_read_int(w[META_START].value, &start) && start > 0)
        s->inherited_until = (uint64_t)start;
}

/* A copied history has the session_meta of its origin too, and that of the origin's
 * own origin behind it. */
static quire_status on_meta(struct import_converter *c, const struct item *i,
                            quire_error *err)
{
    struct json_want w[N_META] = {
        JSON_WANT("id"),
        JSON_WANT("cli_version"),
        JSON_WANT("git"),
        JSON_WANT("model_provider"),
        JSON_WANT("forked_from_id"),
        JSON_WANT("parent_thread_id"),
        JSON_WANT("history_base"),
        JSON_WANT("subagent_history_start_ordinal"),
        JSON_WANT("agent_path"),
    };
    struct codex *s = codex_of(c);

    if (!c->inherited && !s->has_meta) {
        s->has_meta = 1;
        json_pick(i->json, w, N_META, NULL);
        read_meta(c, i, w);
        return linear_custom(c, 0, bytes_str("session_meta"), i->json, err);
    }
    if (!bytes_equal(convert_text(c, i->of[ITEM_ID]),
                     buf_bytes(&c->facts[FACT_SESSION]))) {
        quire_status st = convert_link(c, IMPORT_OTHER_SESSION, i->of[ITEM_ID],
                                       TREE_NONE, err);

        if (st)
            return st;
        if (value_is_string(i->of[ITEM_ID]))
            short_json_set(&s->root, i->of[ITEM_ID]);
    }
    return repeated(c, bytes_str("session_meta"));
}

static bool differs(struct short_json *last, quire_bytes value)
{
    if (!value_is_string(value) || bytes_equal(short_json_get(last), value))
        return false;
    short_json_set(last, value);
    return last->len > 0;
}

static quire_status add_model(struct import_converter *c, quire_error *err)
{
    struct codex *s = codex_of(c);
    uint32_t parent, node = linear_place(c, 0, &parent);

    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "model_change", node, parent);
    ADD(&c->out, ",\"model\":\"");
    if (s->provider.len)
        add_bytes(&c->out, value_name(short_json_get(&s->provider)));
    else
        ADD(&c->out, "openai");
    buf_add_char(&c->out, '/');
    add_bytes(&c->out, value_name(short_json_get(&s->model)));
    buf_add_char(&c->out, '"');
    return entry_end(c, node, err);
}

static quire_status add_effort(struct import_converter *c, quire_error *err)
{
    uint32_t parent, node = linear_place(c, 1, &parent);

    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "thinking_level_change", node, parent);
    entry_raw(c, "thinkingLevel", short_json_get(&codex_of(c)->effort));
    return entry_end(c, node, err);
}

/* Written at every turn and after every step: what changed becomes an entry. */
static quire_status on_turn_context(struct import_converter *c,
                                    const struct item *i, quire_error *err)
{
    struct codex *s = codex_of(c);
    quire_status st = QUIRE_OK;

    convert_first_fact(c, FACT_CWD, i->of[ITEM_CWD]);
    if (differs(&s->model, i->of[ITEM_MODEL])) {
        convert_fact(c, FACT_MODEL, i->of[ITEM_MODEL]);
        st = add_model(c, err);
    }
    if (!st && differs(&s->effort, i->of[ITEM_EFFORT]))
        st = add_effort(c, err);
    keep_in_original(c, bytes_str("turn_context"));
    return st;
}

/* ---- usage -------------------------------------------------------------- */

struct tokens {
    uint64_t input, cached, cache_write, output, total;
};

static bool read_tokens(quire_bytes usage, struct tokens *t)
{
    struct json_want w[] = {JSON_WANT("input_tokens"),
                            JSON_WANT("cached_input_tokens"),
                            JSON_WANT("cache_write_input_tokens"),
                            JSON_WANT("output_tokens"),
                            JSON_WANT("total_tokens")};

    if (!json_pick(usage, w, 5, NULL))
        return false;
    *t = (struct tokens){
        .input = value_count(w[0].value),
        .cached = value_count(w[1].value),
        .cache_write = value_count(w[2].value),
        .output = value_count(w[3].value),
        .total = value_count(w[4].value),
    };
    return true;
}

static void set_usage(struct answer *a, const struct tokens *t)
{
    uint64_t cached = t->cached + t->cache_write;

    a->has_usage = 1;
    a->done = 1;
    a->input = t->input > cached ? t->input - cached : 0;
    a->cache_read = t->cached;
    a->cache_write_5m = t->cache_write;
    a->output = t->output;
}

/* Whether an id stands in a JSON string as it is. */
static bool is_plain(quire_bytes id)
{
    const unsigned char *at = id.data;
    size_t i;

    for (i = 0; i < id.len; i++)
        if (at[i] <= ' ' || at[i] >= 0x7f || at[i] == '"' || at[i] == '\\')
            return false;
    return id.len > 0;
}

/* A call has no id. A copied history repeats its running totals, under other times:
 * these, and the session where the history began, name the call. */
static void name_call(struct import_converter *c, struct answer *a,
                      const struct tokens *total)
{
    const struct codex *s = codex_of(c);
    quire_bytes root = s->root.len ? value_name(short_json_get(&s->root))
                                   : buf_bytes(&c->facts[FACT_SESSION]);
    char text[SHORT_JSON_MAX];
    int n = snprintf(text, sizeof text, "\"%.*s/%llu/%llu/%llu\"",
                     root.len < 64 ? (int)root.len : 64,
                     (const char *)root.data, (unsigned long long)total->input,
                     (unsigned long long)total->cached,
                     (unsigned long long)total->output);

    if (is_plain(root) && n > 0 && (size_t)n < sizeof text)
        short_json_set(&a->request, bytes_of(text, (size_t)n));
}

/* Usage of a call whose items are not in the file. */
static quire_status add_model_usage(struct import_converter *c,
                                    const struct tokens *t,
                                    const struct tokens *total,
                                    quire_error *err)
{
    struct codex *s = codex_of(c);
    uint32_t parent, node;
    struct answer a = {.input = 0};

    set_usage(&a, t);
    name_call(c, &a, total);
    if (answer_is_elsewhere(c, &a))
        return repeated(c, bytes_str("token_count"));
    node = linear_place(c, 0, &parent);
    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "model_usage", node, parent);
    entry_raw(c, "purpose", bytes_str("\"other\""));
    entry_raw(c, "api", bytes_str("\"openai-responses\""));
    entry_raw(c, "provider",
              s->provider.len ? short_json_get(&s->provider)
                              : bytes_str("\"openai\""));
    entry_raw(c, "model",
              s->model.len ? short_json_get(&s->model) : bytes_str("\"\""));
    entry_raw(c, "usage", bytes_str("{\"input\":"));
    add_uint(&c->out, a.input);
    entry_uint(c, "output", a.output);
    entry_uint(c, "cacheRead", a.cache_read);
    entry_uint(c, "cacheWrite", a.cache_write_5m);
    entry_uint(c, "totalTokens", t->input + t->output);
    buf_add_char(&c->out, '}');
    return entry_end(c, node, err);
}

/* Running totals and those of the last call; written again without a call in
 * between, then the totals are the same. */
static quire_status on_token_count(struct import_converter *c,
                                   const struct item *i, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("total_token_usage"),
                            JSON_WANT("last_token_usage")};
    struct codex *s = codex_of(c);
    struct tokens total, last;
    struct held *a;

    if (json_kind(i->of[ITEM_INFO]) != JSON_OBJECT ||
        !json_pick(i->of[ITEM_INFO], w, 2, NULL) ||
        !read_tokens(w[0].value, &total) || !read_tokens(w[1].value, &last))
        return keep_in_original(c, bytes_str("token_count"));
    if (total.input + total.output == s->total)
        return repeated(c, bytes_str("token_count"));
    s->total = total.input + total.output;
    s->context = last.total;
    a = hold_last(&c->hold);
    if (!a)
        return c->inherited ? QUIRE_OK : add_model_usage(c, &last, &total, err);
    set_usage(&a->answer, &last);
    name_call(c, &a->answer, &total);
    a->answer.counted = c->inherited;
    return hold_close_all(c, err);
}

/* ---- events ------------------------------------------------------------- */

static quire_status on_user_event(struct import_converter *c,
                                  const struct item *i, quire_error *err)
{
    if (codex_seen_text(c, i->of[ITEM_MESSAGE]))
        return repeated(c, bytes_str("user_message"));
    return linear_custom(c, 0, bytes_str("user_message"), i->json, err);
}

static quire_status on_rollback(struct import_converter *c,
                                const struct item *i, quire_error *err)
{
    struct codex *s = codex_of(c);
    quire_status st = hold_close_all(c, err);
    uint64_t n = value_count(i->of[ITEM_TURNS]);

    for (; n && s->n_turns; n--)
        c->leaf = s->turns[--s->n_turns];
    return st ? st
              : linear_custom(c, 0, bytes_str("thread_rolled_back"), i->json,
                              err);
}

static quire_status on_name(struct import_converter *c, const struct item *i,
                            quire_error *err)
{
    struct codex *s = codex_of(c);
    quire_bytes name = i->of[ITEM_THREAD_NAME];
    uint32_t node, parent;

    if (!value_is_string(name))
        name = i->of[ITEM_NAME];
    if (!differs(&s->name, name) && (!value_is_string(name) || s->name.len))
        return repeated(c, bytes_str("thread_name_updated"));
    convert_fact(c, FACT_TITLE, name);
    node = linear_place(c, 0, &parent);
    if (node == TREE_NONE)
        return err_memory(err);
    return entry_title(c, node, parent, name, true, err);
}

static quire_status on_spawn(struct import_converter *c, const struct item *i,
                             quire_error *err)
{
    quire_status st = linear_custom(c, 0, value_name(i->of[ITEM_TYPE]), i->json,
                                    err);

    if (!st && value_is_string(i->of[ITEM_NEW_THREAD]))
        st = convert_link(c, IMPORT_SUBAGENT, i->of[ITEM_NEW_THREAD], c->leaf,
                          err);
    return st;
}

static quire_status on_aborted(struct import_converter *c, const struct item *i,
                               quire_error *err)
{
    struct held *a = hold_last(&c->hold);
    quire_status st;

    if (a && !a->answer.has_usage && !a->answer.done)
        a->answer.stop = STOP_ABORTED;
    st = hold_close_all(c, err);
    return st ? st
              : linear_custom(c, 0, value_name(i->of[ITEM_TYPE]), i->json, err);
}

/* Events that repeat an item, and those about the progress of one. */
static bool is_repeated(quire_bytes type)
{
    static const char *const names[] = {"agent_message",
                                        "agent_reasoning",
                                        "agent_reasoning_raw_content",
                                        "agent_reasoning_section_break",
                                        "item_completed",
                                        "item_started",
                                        "exec_command_begin",
                                        "exec_command_end",
                                        "patch_apply_begin",
                                        "patch_apply_end",
                                        "mcp_tool_call_begin",
                                        "mcp_tool_call_end",
                                        "web_search_begin",
                                        "web_search_end",
                                        "view_image_tool_call",
                                        "dynamic_tool_call_request",
                                        "dynamic_tool_call_response",
                                        "image_generation_end",
                                        "context_compacted",
                                        "task_started",
                                        "task_complete",
                                        "turn_started",
                                        "turn_complete",
                                        "turn_diff",
                                        "plan_update",
                                        "agent_message_delta",
                                        "raw_response_item"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (value_is(type, names[i]))
            return true;
    return false;
}

/* Known, and said nowhere else. */
static bool is_custom(quire_bytes type)
{
    static const char *const names[] = {"error",
                                        "stream_error",
                                        "warning",
                                        "thread_settings_applied",
                                        "thread_goal_updated",
                                        "sub_agent_activity",
                                        "guardian_assessment",
                                        "entered_review_mode",
                                        "exited_review_mode",
                                        "background_event"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (value_is(type, names[i]))
            return true;
    return false;
}

static quire_status on_event(struct import_converter *c, const struct item *i,
                             quire_error *err)
{
    quire_bytes type = i->of[ITEM_TYPE];

    if (value_is(type, "token_count"))
        return on_token_count(c, i, err);
    if (is_repeated(type))
        return repeated(c, value_name(type));
    if (value_is(type, "user_message"))
        return on_user_event(c, i, err);
    if (value_is(type, "thread_rolled_back"))
        return on_rollback(c, i, err);
    if (value_is(type, "thread_name_updated"))
        return on_name(c, i, err);
    if (value_is(type, "collab_agent_spawn_end"))
        return on_spawn(c, i, err);
    if (value_is(type, "turn_aborted"))
        return on_aborted(c, i, err);
    if (!is_custom(type))
        counts_add(&c->counts, "unknown", value_name(type), none);
    return linear_custom(c, 0, value_name(type), i->json, err);
}

/* ---- lines -------------------------------------------------------------- */

static quire_status on_world_state(struct import_converter *c,
                                   const struct item *i, quire_error *err)
{
    (void)i;
    (void)err;
    return keep_in_original(c, bytes_str("world_state"));
}

static quire_status on_usage_record(struct import_converter *c,
                                    const struct item *i, quire_error *err)
{
    (void)i;
    (void)err;
    return keep_in_original(c, bytes_str("token_usage_record"));
}

static quire_status on_communication(struct import_converter *c,
                                     const struct item *i, quire_error *err)
{
    return linear_custom(c, 0, bytes_str("inter_agent_communication"), i->json,
                         err);
}

static quire_status on_metadata(struct import_converter *c,
                                const struct item *i, quire_error *err)
{
    (void)i;
    (void)err;
    return keep_in_original(c, bytes_str("inter_agent_communication_metadata"));
}

static quire_status on_risk(struct import_converter *c, const struct item *i,
                            quire_error *err)
{
    (void)i;
    (void)err;
    return keep_in_original(c, bytes_str("security_risk_score"));
}

static quire_status convert(struct import_converter *c, quire_bytes type,
                            const struct item *i, quire_error *err)
{
    static const struct {
        const char *name;
        quire_status (*convert)(struct import_converter *c,
                                const struct item *i, quire_error *err);
    } kinds[] = {
        {"response_item", codex_item},
        {"event_msg", on_event},
        {"turn_context", on_turn_context},
        {"session_meta", on_meta},
        {"compacted", codex_compacted},
        {"world_state", on_world_state},
        {"token_usage_record", on_usage_record},
        {"inter_agent_communication", on_communication},
        {"inter_agent_communication_metadata", on_metadata},
        {"security_risk_score", on_risk},
    };
    size_t k;

    for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (value_is(type, kinds[k].name))
            return kinds[k].convert(c, i, err);
    counts_add(&c->counts, "unknown", value_name(type), none);
    return linear_custom(c, 0, value_name(type), i->json, err);
}

/* A line without an envelope: the header, a state, or an item. */
static quire_status convert_bare(struct import_converter *c, quire_bytes text,
                                 struct item *i, quire_error *err)
{
    struct fields f = {.names = item_fields, .n = N_ITEM_FIELDS, .of = i->of};
    struct json_error bad;

    i->json = text;
    if (!fields_parse(text, &f, &bad))
        return QUIRE_OK;
    if (value_is_string(i->of[ITEM_RECORD_TYPE]))
        return keep_in_original(c, value_name(i->of[ITEM_RECORD_TYPE]));
    if (!value_is_string(i->of[ITEM_TYPE]))
        return value_is_string(i->of[ITEM_ID])
                   ? on_meta(c, i, err)
                   : convert(c, i->of[ITEM_TYPE], i, err);
    return codex_item(c, i, err);
}

/* Records of another session that this one begins with. */
static bool is_inherited(const struct import_converter *c, const struct item *i)
{
    return c->source || (i->ordinal != UINT64_MAX &&
                         i->ordinal < codex_of(c)->inherited_until);
}

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct item i = {.ordinal = UINT64_MAX};
    quire_bytes of[N_LINE_FIELDS];
    struct fields item = {.names = item_fields, .n = N_ITEM_FIELDS, .of = i.of};
    struct fields f = {.names = line_fields,
                       .n = N_LINE_FIELDS,
                       .of = of,
                       .nested = LINE_PAYLOAD,
                       .inner = &item};
    int64_t ordinal;

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    if (json_read_int(of[LINE_ORDINAL], &ordinal) && ordinal >= 0)
        i.ordinal = (uint64_t)ordinal;
    c->inherited = is_inherited(c, &i);
    c->after_damage = false;
    convert_stamp(c, of[LINE_TIMESTAMP]);
    if (json_kind(of[LINE_PAYLOAD]) != JSON_OBJECT)
        return convert_bare(c, text, &i, err);
    i.json = item.whole;
    return convert(c, of[LINE_TYPE], &i, err);
}

static quire_status finish(struct import_converter *c, quire_error *err)
{
    (void)c;
    (void)err;
    return QUIRE_OK;
}

/* ---- state -------------------------------------------------------------- */

static void save(const struct import_converter *c, struct buf *out)
{
    const struct codex *s = codex_of(c);

    state_put(out, &s->has_meta, sizeof s->has_meta);
    state_put(out, &s->n_texts, sizeof s->n_texts);
    state_put(out, &s->inherited_until, sizeof s->inherited_until);
    state_put(out, &s->total, sizeof s->total);
    state_put(out, &s->context, sizeof s->context);
    state_put(out, s->texts, sizeof s->texts);
    state_put_bytes(out, short_json_get(&s->provider));
    state_put_bytes(out, short_json_get(&s->model));
    state_put_bytes(out, short_json_get(&s->effort));
    state_put_bytes(out, short_json_get(&s->name));
    state_put_bytes(out, short_json_get(&s->root));
    calls_save(&s->calls, out);
    state_put_bytes(out, bytes_of(s->turns, s->n_turns * sizeof *s->turns));
}

static void restore_turns(struct import_converter *c, quire_bytes turns,
                          struct state_reader *r)
{
    struct codex *s = codex_of(c);
    uint32_t i;

    s->n_turns = (uint32_t)(turns.len / sizeof *s->turns);
    s->cap_turns = s->n_turns + 16;
    s->turns = malloc(s->cap_turns * sizeof *s->turns);
    if (!s->turns || turns.len > UINT32_MAX) {
        r->bad = true;
        s->n_turns = s->cap_turns = 0;
        return;
    }
    if (turns.len)
        memcpy(s->turns, turns.data, s->n_turns * sizeof *s->turns);
    for (i = 0; i < s->n_turns; i++)
        r->bad |= s->turns[i] != TREE_NONE && s->turns[i] >= c->tree.n;
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct codex *s = codex_of(c);

    state_get(r, &s->has_meta, sizeof s->has_meta);
    state_get(r, &s->n_texts, sizeof s->n_texts);
    state_get(r, &s->inherited_until, sizeof s->inherited_until);
    state_get(r, &s->total, sizeof s->total);
    state_get(r, &s->context, sizeof s->context);
    state_get(r, s->texts, sizeof s->texts);
    short_json_set(&s->provider, state_get_bytes(r));
    short_json_set(&s->model, state_get_bytes(r));
    short_json_set(&s->effort, state_get_bytes(r));
    short_json_set(&s->name, state_get_bytes(r));
    short_json_set(&s->root, state_get_bytes(r));
    calls_restore(&s->calls, c->tree.n, r);
    restore_turns(c, state_get_bytes(r), r);
}

static void init(struct import_converter *c)
{
    (void)c;
}

static void release(struct import_converter *c)
{
    free(codex_of(c)->turns);
}

static const char *const record_starts[] = {"{\"timestamp\":\"", "{\"type\":\"",
                                            "{\"id\":\"", NULL};

const struct import_format import_codex = {
    .name = "codex",
    .version = 2,
    .record_starts = record_starts,
    .state_size = sizeof(struct codex),
    .init = init,
    .release = release,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};
