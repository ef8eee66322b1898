/*
 * user.c - records of the user: prompts, and results of tools
 *
 * A record may hold several results and a prompt: each is an entry, one below the
 * other. The first has the uuid of the record.
 */
#include "import/claude_code/claude_code.h"

static const quire_bytes none = {NULL, 0};

/* ---- results ------------------------------------------------------------ */

enum result_field {
    RESULT_CALL,
    RESULT_TYPE,
    RESULT_CONTENT,
    RESULT_IS_ERROR,
    N_RESULT_FIELDS
};

static const struct field_name result_fields[N_RESULT_FIELDS] =
    {FIELD("tool_use_id"), FIELD("type"), FIELD("content"), FIELD("is_error")};

/* A second result of a call is a branch below the call. */
static void place_result(struct import_converter *c, struct call *call,
                         struct place *p)
{
    if (call && call->answered && call->node < c->tree.n)
        p->parent = c->tree.nodes[call->node].entry;
    else if (p->up != TREE_NONE)
        tree_extend(&c->tree, p->up, p->node);
    if (call)
        call->answered = 1;
    claude_set_leaf(c, p);
}

static quire_status add_result(struct import_converter *c, quire_bytes block,
                               struct place *p, quire_bytes *tool,
                               quire_error *err)
{
    quire_bytes of[N_RESULT_FIELDS];
    struct fields f = {.names = result_fields, .n = N_RESULT_FIELDS, .of = of};
    struct json_error bad;
    struct blocks b = {.c = c,
                       .node = p->node,
                       .out = &c->out,
                       .is_result = true};
    struct call *call = NULL;
    quire_status st;

    if (!fields_parse(block, &f, &bad))
        return QUIRE_OK;
    if (json_kind(of[RESULT_CALL]) == JSON_STRING)
        call = calls_find(&claude_of(c)->calls,
                          convert_text(c, of[RESULT_CALL]));
    *tool = call && call->name.len ? short_json_get(&call->name)
                                   : bytes_str("\"\"");
    place_result(c, call, p);
    b.tool = *tool;
    entry_begin_result(c, p->node, p->parent, of[RESULT_CALL], *tool);
    st = blocks_add(&b, of[RESULT_CONTENT], err);
    return st ? st
              : entry_end_result(c, p->node, value_is_true(of[RESULT_IS_ERROR]),
                                 err);
}

/* What the structured result beside it refers to. */
static quire_status add_result_links(struct import_converter *c,
                                     const struct line *l, quire_bytes tool,
                                     uint32_t node, quire_error *err)
{
    static const char path[] = "\"persistedOutputPath\"";
    quire_bytes result = l->of[LINE_TOOL_RESULT];
    quire_status st = QUIRE_OK;

    if (!c->sink.link || json_kind(result) != JSON_OBJECT)
        return QUIRE_OK;
    if (bytes_is(tool, "\"Task\"") || bytes_is(tool, "\"Agent\""))
        st = convert_link(c, IMPORT_SUBAGENT, json_get(result, "agentId"), node,
                          err);
    if (!st && memmem(result.data, result.len, path, sizeof path - 1))
        st = convert_link(c, IMPORT_TOOL_RESULT,
                          json_get(result, "persistedOutputPath"), node, err);
    return st;
}

/* ---- users -------------------------------------------------------------- */

static bool has_prefix(quire_bytes string, const char *prefix)
{
    size_t len = strlen(prefix);

    return string.len > len &&
           !memcmp((const char *)string.data + 1, prefix, len);
}

/* Not what programs write in the user's name. */
static void note_prompt(struct import_converter *c, quire_bytes content)
{
    static const char *const others[] = {"<command-", "<local-command",
                                         "<bash-",    "<system-reminder>",
                                         "<ide_",     "Caveat:",
                                         "[Request "};
    quire_bytes text;
    size_t i;

    if (c->facts[FACT_PROMPT].len)
        return;
    text = blocks_first_text(content);
    for (i = 0; i < sizeof others / sizeof *others; i++)
        if (!text.data || has_prefix(text, others[i]))
            return;
    convert_first_fact(c, FACT_PROMPT, text);
}

/* `content` is JSON: a string, or a list of our blocks. */
static quire_status add_prompt(struct import_converter *c,
                               const struct place *p, quire_bytes content,
                               bool is_meta, quire_error *err)
{
    quire_status st;

    entry_begin(c, is_meta ? "custom_message" : "message", p->node, p->parent);
    if (is_meta)
        ADD(&c->out, ",\"customType\":\"claude-code/meta\",\"content\":");
    else
        ADD(&c->out, ",\"message\":{\"role\":\"user\",\"content\":");
    st = entry_payload(c, IMPORT_TEXT, content, none, none, p->node, &c->out,
                       err);
    if (st)
        return st;
    if (!is_meta)
        return entry_end_message(c, p->node, err);
    ADD(&c->out, ",\"display\":false");
    return entry_end(c, p->node, err);
}

/* The blocks of a prompt, collected in c->blocks. */
static quire_status add_block_prompt(struct import_converter *c,
                                     const struct place *p, bool is_meta,
                                     quire_error *err)
{
    quire_status st;

    if (c->blocks.failed)
        return err_memory(err);
    entry_begin(c, is_meta ? "custom_message" : "message", p->node, p->parent);
    if (is_meta)
        ADD(&c->out, ",\"customType\":\"claude-code/meta\",\"content\":[");
    else
        ADD(&c->out, ",\"message\":{\"role\":\"user\",\"content\":[");
    add_bytes(&c->out, buf_bytes(&c->blocks));
    buf_add_char(&c->out, ']');
    if (!is_meta)
        return entry_end_message(c, p->node, err);
    ADD(&c->out, ",\"display\":false");
    st = entry_end(c, p->node, err);
    return st;
}

/* The next entry of the same record: below the one before, in its chain. */
static bool next_part(struct import_converter *c, const struct line *l,
                      uint32_t part, struct place *p)
{
    struct tree_key key =
        json_kind(l->of[LINE_UUID]) == JSON_STRING
            ? tree_key_part(tree_key_of(convert_text(c, l->of[LINE_UUID])),
                            part)
            : tree_key_place(c->source, c->at, part);

    p->up = p->node;
    if (tree_find(&c->tree, &key) != TREE_NONE)
        return false;
    p->node = tree_add(&c->tree, &key);
    if (p->node == TREE_NONE)
        return false;
    p->parent = tree_tail(&c->tree, p->up);
    return true;
}

static bool is_result(quire_bytes block)
{
    struct json_want type = JSON_WANT("type");

    return json_head(block, &type, 1, NULL) &&
           value_is(type.value, "tool_result");
}

/* Results first, each a message; what is left is the user's. */
static quire_status on_block_list(struct import_converter *c,
                                  const struct line *l, struct place *p,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint32_t parts = 0;
    struct json_scan it;
    quire_bytes tool = none;
    bool others = false;
    struct blocks b = {.c = c, .out = &c->blocks};

    json_iter_init(&it, l->message[MESSAGE_CONTENT]);
    while (!st && json_next(&it)) {
        if (!is_result(it.value)) {
            others = true;
            continue;
        }
        if (parts++ && !next_part(c, l, parts - 1, p))
            return QUIRE_OK;
        st = add_result(c, it.value, p, &tool, err);
        if (!st)
            st = add_result_links(c, l, tool, p->node, err);
    }
    if (st || (!others && parts))
        return st;
    if (parts && !next_part(c, l, parts, p))
        return QUIRE_OK;
    if (parts)
        claude_join_chain(c, p);
    else
        st = hold_close_above(c, p->parent, err);
    buf_clear(&c->blocks);
    b.node = p->node;
    json_iter_init(&it, l->message[MESSAGE_CONTENT]);
    while (!st && json_next(&it))
        if (!is_result(it.value))
            st = blocks_add_one(&b, it.value, err);
    claude_set_leaf(c, p);
    return st ? st
              : add_block_prompt(c, p, value_is_true(l->of[LINE_IS_META]), err);
}

quire_status claude_user(struct import_converter *c, const struct line *l,
                         quire_error *err)
{
    quire_bytes content = l->message[MESSAGE_CONTENT];
    bool is_meta = value_is_true(l->of[LINE_IS_META]);
    struct place p;
    quire_status st;

    if (value_is_true(l->of[LINE_IS_SUMMARY]))
        return claude_compact_summary(c, l, err);
    if (!claude_find_place(c, l, l->of[LINE_PARENT], &p))
        return QUIRE_OK;
    if (!is_meta)
        note_prompt(c, content);
    if (json_kind(content) == JSON_ARRAY)
        return on_block_list(c, l, &p, err);
    st = hold_close_above(c, p.parent, err);
    claude_set_leaf(c, &p);
    if (json_kind(content) != JSON_STRING)
        content = bytes_str("\"\"");
    return st ? st : add_prompt(c, &p, content, is_meta, err);
}

quire_status claude_queued(struct import_converter *c, quire_bytes prompt,
                           const struct place *p, quire_error *err)
{
    struct blocks b = {.c = c, .node = p->node, .out = &c->blocks};
    quire_status st;

    note_prompt(c, prompt);
    if (json_kind(prompt) == JSON_STRING)
        return add_prompt(c, p, prompt, false, err);
    buf_clear(&c->blocks);
    st = blocks_add(&b, prompt, err);
    return st ? st : add_block_prompt(c, p, false, err);
}
