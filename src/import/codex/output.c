/* output.c - outputs of calls; see codex.h */
#include "import/codex/codex.h"

/* What an output says: its text or list of items, and whether the tool failed.
 */
struct output {
    quire_bytes content;
    bool is_error;
};

static bool failed_status(quire_bytes text)
{
    static const char *const starts[] = {"\"Exit code: ",
                                         "\"Process exited with code "};
    size_t i;

    for (i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t len = strlen(starts[i]);

        if (text.len > len && bytes_starts(text, bytes_str(starts[i])))
            return ((const char *)text.data)[len] != '0';
    }
    return false;
}

/* A string may hold {"output": …, "metadata": {"exit_code": …}}. */
static void read_output_text(struct import_converter *c, struct output *o)
{
    static const char start[] = "\"{\\\"output\\\":";
    struct json_want w[] = {JSON_WANT("output"), JSON_WANT("metadata")};
    int64_t code = 0;
    bool bad;

    o->is_error |= failed_status(o->content);
    if (!bytes_starts(o->content, bytes_str(start)))
        return;
    buf_clear(&c->text);
    bad = json_decode(o->content, &c->text) > 0;
    c->failed |= c->text.failed;
    if (bad || c->text.failed || !json_pick(buf_bytes(&c->text), w, 2, NULL) ||
        !value_is_string(w[0].value))
        return;
    o->content = w[0].value;
    json_read_int(json_get(w[1].value, "exit_code"), &code);
    o->is_error = code != 0;
}

static struct output read_output(struct import_converter *c, quire_bytes value)
{
    struct json_want w[] = {JSON_WANT("content"), JSON_WANT("success")};
    struct output o = {.content = value};

    if (json_kind(value) == JSON_OBJECT && json_pick(value, w, 2, NULL)) {
        o.content = w[0].value;
        o.is_error = bytes_is(w[1].value, "false");
    }
    if (value_is_string(o.content))
        read_output_text(c, &o);
    return o;
}

quire_status codex_output(struct import_converter *c, const struct item *i,
                          quire_error *err)
{
    struct held *a = hold_last(&c->hold);
    quire_bytes id = i->of[ITEM_CALL], tool = bytes_str("\"\"");
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    struct call *call = NULL;
    struct output o;
    uint32_t node, parent;
    quire_status st;

    if (a)
        a->answer.done = 1;
    if (value_is_string(id))
        call = calls_find(&codex_of(c)->calls, convert_text(c, id));
    if (call && call->name.len)
        tool = short_json_get(&call->name);
    node = linear_place(c, 0, &parent);
    if (node == TREE_NONE)
        return err_memory(err);
    o = read_output(c, i->of[ITEM_OUTPUT].data ? i->of[ITEM_OUTPUT]
                                               : i->of[ITEM_CONTENT]);
    b.node = node;
    b.tool = tool;
    entry_begin_result(c, node, parent, id, tool);
    st = blocks_add(&b, o.content, err);
    return st ? st : entry_end_result(c, node, o.is_error, err);
}
