/* answer.c - records of the assistant; see hold.h for answers in several */
#include "import/claude_code/claude_code.h"

/* Records of one answer repeat its usage, with growing counts: the largest is
 * the answer's. */
static void read_usage(struct answer *a, quire_bytes usage)
{
    struct json_want w[] = {JSON_WANT("input_tokens"),
                            JSON_WANT("cache_creation_input_tokens"),
                            JSON_WANT("cache_read_input_tokens"),
                            JSON_WANT("cache_creation"),
                            JSON_WANT("output_tokens")};
    struct json_want life[] = {JSON_WANT("ephemeral_5m_input_tokens"),
                               JSON_WANT("ephemeral_1h_input_tokens")};
    uint64_t output, write, hour;

    if (!json_pick(usage, w, 5, NULL))
        return;
    output = value_count(w[4].value);
    if (a->has_usage && output < a->output)
        return;
    a->has_usage = 1;
    a->input = value_count(w[0].value);
    a->output = output;
    a->cache_read = value_count(w[2].value);
    write = value_count(w[1].value);
    json_pick(w[3].value, life, 2, NULL);
    hour = value_count(life[1].value);
    a->cache_write_1h = hour < write ? hour : write;
    a->cache_write_5m = write - a->cache_write_1h;
}

static enum stop_reason stop_of(quire_bytes reason)
{
    static const struct {
        const char *name;
        enum stop_reason stop;
    } reasons[] = {
        {"end_turn", STOP_END},
        {"stop_sequence", STOP_END},
        {"tool_use", STOP_TOOL},
        {"max_tokens", STOP_LENGTH},
        {"pause_turn", STOP_END},
        {"model_context_window_exceeded", STOP_LENGTH},
        {"refusal", STOP_ERROR},
    };
    size_t i;

    for (i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (value_is(reason, reasons[i].name))
            return reasons[i].stop;
    return STOP_UNKNOWN;
}

/* What each record of the answer says about all of it. */
static void read_answer(struct import_converter *c, const struct line *l,
                        struct answer *a)
{
    quire_bytes model = l->message[MESSAGE_MODEL];
    enum stop_reason stop = stop_of(l->message[MESSAGE_STOP]);

    read_usage(a, l->message[MESSAGE_USAGE]);
    if (stop != STOP_UNKNOWN)
        a->stop = stop;
    if (json_kind(model) == JSON_STRING && model.len > 2) {
        short_json_set(&a->model, model);
        if (!value_is(model, "<synthetic>"))
            convert_fact(c, FACT_MODEL, model);
    }
    if (json_kind(l->of[LINE_REQUEST]) == JSON_STRING)
        short_json_set(&a->request, l->of[LINE_REQUEST]);
    if (value_is_true(l->of[LINE_IS_ABORTED]))
        a->stop = STOP_ABORTED;
    if (value_is_true(l->of[LINE_IS_API_ERROR])) {
        a->stop = STOP_ERROR;
        short_json_set(&a->error,
                       blocks_first_text(l->message[MESSAGE_CONTENT]));
    }
}

/* Whether an answer with this id was emitted before; from now on one was. */
static bool seen_before(struct import_converter *c, quire_bytes id)
{
    struct tree_key key;

    if (json_kind(id) != JSON_STRING || id.len <= 2)
        return false;
    key = tree_key_other(convert_text(c, id));
    if (tree_find(&c->tree, &key) != TREE_NONE)
        return true;
    tree_add(&c->tree, &key);
    return false;
}

static quire_status begin_answer(struct import_converter *c,
                                 const struct line *l, struct held **out,
                                 quire_error *err)
{
    quire_bytes id = l->message[MESSAGE_ID];
    struct place p;
    quire_status st;

    *out = NULL;
    if (!claude_find_place(c, l, l->of[LINE_PARENT], &p))
        return QUIRE_OK;
    st = hold_close_above(c, p.parent, err);
    if (st)
        return st;
    st = hold_open(c, p.node, out, err);
    if (st)
        return st;
    (*out)->answer.parent = p.parent;
    (*out)->answer.api = API_ANTHROPIC;
    (*out)->answer.counted = seen_before(c, id);
    short_json_set(&(*out)->answer.provider, bytes_str("\"anthropic\""));
    if (json_kind(id) == JSON_STRING && id.len > 2)
        short_json_set(&(*out)->answer.id, id);
    claude_set_leaf(c, &p);
    return QUIRE_OK;
}

static quire_status continue_answer(struct import_converter *c,
                                    const struct line *l, struct held *item)
{
    struct place p = {.sidechain = c->sidechain};

    if (!claude_claim(c, l, &p.node))
        return QUIRE_OK;
    c->tree.nodes[p.node].entry = item->node;
    c->after_damage = false;
    claude_set_leaf(c, &p);
    return QUIRE_OK;
}

quire_status claude_assistant(struct import_converter *c, const struct line *l,
                              quire_error *err)
{
    struct held *item = hold_find(&c->hold, l->message[MESSAGE_ID]);
    uint32_t n = c->tree.n;
    quire_status st;
    struct blocks b = {.c = c, .calls = &claude_of(c)->calls};
    size_t before;

    st = item ? continue_answer(c, l, item) : begin_answer(c, l, &item, err);
    if (st || !item || c->tree.n == n)
        return st;
    before = item->json.len;
    read_answer(c, l, &item->answer);
    b.node = item->node;
    b.out = &item->json;
    b.answer = &item->answer;
    b.comma = before > 0;
    st = blocks_add(&b, l->message[MESSAGE_CONTENT], err);
    return st ? st : hold_grown(c, item->json.len - before, err);
}
