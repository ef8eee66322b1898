/*
 * claude_code.c - sessions of Claude Code
 *
 * A record with a uuid and a message, a system notice or an attachment has a
 * place in the tree. It becomes
 *
 *     assistant   a message; records with the same message.id are one
 *     user        a message; a custom_message if isMeta; each tool_result in it
 *                 a toolResult; the summary behind a compact_boundary a
 *                 compaction
 *     system      a custom entry
 *     attachment  a custom entry; a queued_command a user's message
 *     progress    nothing: its children go below its parent
 *
 * Results of an answer's calls, system records and attachments extend the chain
 * (tree.h) of the record they belong to. A prompt and an answer do not: a second
 * one with the same parent is a branch.
 *
 * The answer stays open (hold.h) until a prompt or another answer comes below
 * it.
 */
#include "import/claude_code/claude_code.h"

static const quire_bytes none = {NULL, 0};

/* ---- notices ------------------------------------------------------------ */

static quire_status on_system(struct import_converter *c, const struct line *l,
                              quire_error *err)
{
    struct place p;

    if (value_is(l->of[LINE_SUBTYPE], "compact_boundary"))
        return claude_begin_boundary(c, l, err);
    if (!claude_find_place(c, l, l->of[LINE_PARENT], &p))
        return QUIRE_OK;
    claude_join_chain(c, &p);
    return entry_custom(c, p.node, p.parent, bytes_str("system"),
                        claude_data(c, l), err);
}

static quire_status on_attachment(struct import_converter *c,
                                  const struct line *l, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("prompt")};
    struct place p;

    if (!claude_find_place(c, l, l->of[LINE_PARENT], &p))
        return QUIRE_OK;
    claude_join_chain(c, &p);
    json_pick(l->of[LINE_ATTACHMENT], w, 2, NULL);
    if (value_is(w[0].value, "queued_command") && w[1].value.data)
        return claude_queued(c, w[1].value, &p, err);
    return entry_custom(c, p.node, p.parent, bytes_str("attachment"),
                        l->of[LINE_ATTACHMENT], err);
}

/* Left out: what hangs below it goes below its parent. */
static quire_status on_progress(struct import_converter *c,
                                const struct line *l)
{
    uint32_t up = convert_find(c, l->of[LINE_PARENT]), node;

    if (json_kind(l->of[LINE_PARENT]) != JSON_STRING)
        up = claude_of(c)->root;
    if (claude_claim(c, l, &node))
        c->tree.nodes[node].entry = up == TREE_NONE ? TREE_NONE
                                                    : c->tree.nodes[up].entry;
    counts_add(&c->counts, "kept", bytes_str("progress"), none);
    return QUIRE_OK;
}

/* A kind that we do not know, with a place in the tree. */
static quire_status on_unknown(struct import_converter *c, const struct line *l,
                               quire_error *err)
{
    quire_bytes type = l->of[LINE_TYPE];
    struct place p;

    type = json_kind(type) == JSON_STRING ? bytes_sub(type, 1, type.len - 1)
                                          : bytes_str("record");
    if (!claude_find_place(c, l, l->of[LINE_PARENT], &p))
        return QUIRE_OK;
    counts_add(&c->counts, "unknown", type, none);
    claude_join_chain(c, &p);
    return entry_custom(c, p.node, p.parent, type, claude_data(c, l), err);
}

/* ---- records ------------------------------------------------------------ */

static void read_facts(struct import_converter *c, const struct line *l)
{
    quire_bytes fork = l->of[LINE_FORKED_FROM];

    c->sidechain = value_is_true(l->of[LINE_SIDECHAIN]);
    convert_stamp(c, l->of[LINE_TIMESTAMP]);
    if (!c->facts[FACT_SESSION].len && l->of[LINE_SESSION].data) {
        convert_fact(c, FACT_SESSION, l->of[LINE_SESSION]);
        if (c->sidechain && l->of[LINE_AGENT].data) {
            convert_fact(c, FACT_AGENT, l->of[LINE_AGENT]);
            convert_fact(c, FACT_PARENT, l->of[LINE_SESSION]);
        }
    }
    convert_first_fact(c, FACT_CWD, l->of[LINE_CWD]);
    convert_fact(c, FACT_VERSION, l->of[LINE_VERSION]);
    convert_fact(c, FACT_BRANCH, l->of[LINE_BRANCH]);
    if (json_kind(fork) == JSON_OBJECT)
        convert_first_fact(c, FACT_PARENT, json_get(fork, "sessionId"));
}

/* Members that nothing keeps but the original. */
static void count_unknown(struct import_converter *c, const struct line *l)
{
    quire_bytes type = l->of[LINE_TYPE];
    size_t i;

    for (i = 0; i < l->n_unknown; i++)
        counts_add(&c->counts, "field", bytes_sub(type, 1, type.len - 1),
                   bytes_sub(l->unknown[i], 1, l->unknown[i].len - 1));
}

static quire_status convert(struct import_converter *c, const struct line *l,
                            quire_error *err)
{
    quire_bytes type = l->of[LINE_TYPE];
    bool is_user = value_is(type, "user");
    bool in_tree = json_kind(l->of[LINE_UUID]) == JSON_STRING;
    quire_status st = QUIRE_OK;

    if ((in_tree || is_user || value_is(type, "assistant")) &&
        !value_is(type, "progress") &&
        !(is_user && value_is_true(l->of[LINE_IS_SUMMARY])))
        st = claude_end_boundary(c, err);
    if (st)
        return st;
    if (is_user || value_is(type, "assistant")) {
        count_unknown(c, l);
        return is_user ? claude_user(c, l, err) : claude_assistant(c, l, err);
    }
    if (!in_tree)
        return claude_meta(c, l, err);
    if (value_is(type, "system"))
        return on_system(c, l, err);
    if (value_is(type, "attachment")) {
        count_unknown(c, l);
        return on_attachment(c, l, err);
    }
    if (value_is(type, "progress"))
        return on_progress(c, l);
    return on_unknown(c, l, err);
}

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct line l = {.text = text};

    if (!claude_read_line(&l, bad))
        return QUIRE_OK;
    read_facts(c, &l);
    return convert(c, &l, err);
}

static quire_status finish(struct import_converter *c, quire_error *err)
{
    quire_status st = claude_end_boundary(c, err);

    if (c->leaf == TREE_NONE)
        c->leaf = claude_of(c)->side_leaf;
    return st;
}

/* ---- state -------------------------------------------------------------- */

static void save(const struct import_converter *c, struct buf *out)
{
    const struct claude *s = claude_of(c);
    uint32_t nodes[6] = {s->root,        s->side_leaf,     s->boundary,
                         s->boundary_up, s->boundary_kept, s->title_rank};

    state_put(out, nodes, sizeof nodes);
    state_put_bytes(out, short_json_get(&s->boundary_tokens));
    state_put_bytes(out, short_json_get(&s->boundary_trigger));
    state_put(out, s->last_state, sizeof s->last_state);
    calls_save(&s->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct claude *s = claude_of(c);
    uint32_t nodes[6];
    int i;

    state_get(r, nodes, sizeof nodes);
    for (i = 0; i < 5; i++)
        r->bad |= nodes[i] != TREE_NONE && nodes[i] >= c->tree.n;
    s->root = nodes[0];
    s->side_leaf = nodes[1];
    s->boundary = nodes[2];
    s->boundary_up = nodes[3];
    s->boundary_kept = nodes[4];
    s->title_rank = nodes[5];
    short_json_set(&s->boundary_tokens, state_get_bytes(r));
    short_json_set(&s->boundary_trigger, state_get_bytes(r));
    state_get(r, s->last_state, sizeof s->last_state);
    calls_restore(&s->calls, c->tree.n, r);
}

static void init(struct import_converter *c)
{
    struct claude *s = claude_of(c);

    s->root = s->side_leaf = TREE_NONE;
    s->boundary = s->boundary_up = s->boundary_kept = TREE_NONE;
}

static const char *const record_starts[] = {"{\"parentUuid\":", "{\"type\":\"",
                                            NULL};

const struct import_format import_claude_code = {
    .name = "claude-code",
    .version = 2,
    .record_starts = record_starts,
    .state_size = sizeof(struct claude),
    .init = init,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};
