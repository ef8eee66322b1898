/* answer.c - the messages of models; passing entries to the sink; see entry.h */
#include "import/entry.h"

#include <stdio.h>

/* The content of a short string, decoded into c->text behind what is there. */
static quire_bytes decoded(struct import_converter *c,
                           const struct short_json *s)
{
    size_t from = c->text.len;

    if (!s->len || json_kind(short_json_get(s)) != JSON_STRING)
        return bytes_of("", 0);
    json_decode(short_json_get(s), &c->text);
    return bytes_of(c->text.data ? c->text.data + from : "",
                    c->text.len - from);
}

static enum import_usage_answer ask_usage(struct import_converter *c,
                                          const struct answer *a,
                                          struct import_cost *cost)
{
    struct import_usage u = {.at_ms = a->stamp.ms,
                             .input = a->input,
                             .output = a->output,
                             .cache_read = a->cache_read,
                             .cache_write_5m = a->cache_write_5m,
                             .cache_write_1h = a->cache_write_1h};

    if (!c->sink.usage)
        return IMPORT_USAGE_PLAIN;
    buf_clear(&c->text);
    buf_room(&c->text, 16 * SHORT_JSON_MAX); /* so that slices do not move */
    u.message_id = decoded(c, &a->id);
    u.request_id = decoded(c, &a->request);
    u.model = decoded(c, &a->model);
    u.provider = decoded(c, &a->provider);
    c->out.failed |= c->text.failed;
    return c->sink.usage(c->sink.ctx, &u, cost);
}

bool answer_is_elsewhere(struct import_converter *c, const struct answer *a)
{
    struct import_cost ignored;

    return ask_usage(c, a, &ignored) == IMPORT_USAGE_COUNTED;
}

static void add_dollars(struct buf *b, const char *key, double dollars)
{
    char text[64];
    uint64_t nanos = dollars > 0 && dollars < 1e9
                         ? (uint64_t)(dollars * 1e9 + 0.5)
                         : 0;
    int n = snprintf(text, sizeof text, "%s%llu.%09llu", key,
                     (unsigned long long)(nanos / 1000000000),
                     (unsigned long long)(nanos % 1000000000));

    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    buf_add(b, text, (size_t)n);
}

static void add_usage(struct import_converter *c, const struct answer *a)
{
    struct import_cost cost = {0, 0, 0, 0};
    struct answer zero = {.input = 0};
    struct buf *b = &c->out;
    bool counted = a->counted || !a->has_usage;
    double total;

    if (!counted)
        counted = ask_usage(c, a, &cost) == IMPORT_USAGE_COUNTED;
    if (counted) {
        a = &zero;
        cost = (struct import_cost){0, 0, 0, 0};
    }
    if (a->dollars > 0) /* of which part is not known */
        cost = (struct import_cost){0, 0, 0, 0};
    total = a->dollars + cost.input + cost.output + cost.cache_read +
            cost.cache_write;
    ADD(b, ",\"usage\":{\"input\":");
    add_uint(b, a->input);
    ADD(b, ",\"output\":");
    add_uint(b, a->output);
    ADD(b, ",\"cacheRead\":");
    add_uint(b, a->cache_read);
    ADD(b, ",\"cacheWrite\":");
    add_uint(b, a->cache_write_5m + a->cache_write_1h);
    ADD(b, ",\"totalTokens\":");
    add_uint(b, a->input + a->output + a->cache_read + a->cache_write_5m +
                    a->cache_write_1h);
    add_dollars(b, ",\"cost\":{\"input\":", cost.input);
    add_dollars(b, ",\"output\":", cost.output);
    add_dollars(b, ",\"cacheRead\":", cost.cache_read);
    add_dollars(b, ",\"cacheWrite\":", cost.cache_write);
    add_dollars(b, ",\"total\":", total);
    ADD(b, "}}");
}

static const char *stop_name(const struct answer *a)
{
    switch (a->stop) {
    case STOP_TOOL: return "\"toolUse\"";
    case STOP_LENGTH: return "\"length\"";
    case STOP_ERROR: return "\"error\"";
    case STOP_ABORTED: return "\"aborted\"";
    case STOP_END: return "\"stop\"";
    case STOP_UNKNOWN: break;
    }
    return a->has_call ? "\"toolUse\"" : "\"stop\"";
}

static const char *const api_names[] = {
    [API_UNKNOWN] = "\"\"",
    [API_ANTHROPIC] = "\"anthropic-messages\"",
    [API_OPENAI_RESPONSES] = "\"openai-responses\"",
    [API_OPENAI_CHAT] = "\"openai-completions\"",
    [API_GOOGLE] = "\"google-generative-ai\"",
};

static quire_bytes or_empty(const struct short_json *s)
{
    return s->len ? short_json_get(s) : bytes_str("\"\"");
}

quire_status entry_answer(struct import_converter *c, uint32_t node,
                          struct answer *a, quire_bytes blocks,
                          quire_error *err)
{
    struct buf *b = &c->out;

    entry_begin_at(c, "message", node, a->parent, &a->stamp);
    ADD(b, ",\"message\":{\"role\":\"assistant\",\"content\":[");
    add_bytes(b, blocks);
    ADD(b, "]");
    entry_raw(c, "api", bytes_str(api_names[a->api]));
    entry_raw(c, "provider", or_empty(&a->provider));
    entry_raw(c, "model", or_empty(&a->model));
    add_usage(c, a);
    entry_raw(c, "stopReason", bytes_str(stop_name(a)));
    if (a->error.len)
        entry_raw(c, "errorMessage", short_json_get(&a->error));
    if (a->id.len)
        entry_raw(c, "responseId", short_json_get(&a->id));
    ADD(b, ",\"timestamp\":");
    add_ms(b, a->stamp.ms);
    ADD(b, "}}");
    return b->failed ? err_memory(err) : QUIRE_OK;
}

struct entry_flags entry_flags(const struct import_converter *c,
                               bool is_message)
{
    return (struct entry_flags){.at = c->at,
                                .is_message = is_message,
                                .inherited = c->inherited,
                                .sidechain = c->sidechain};
}

quire_status entry_emit(struct import_converter *c, uint32_t node,
                        const struct entry_flags *flags, quire_error *err)
{
    char id[TREE_ID_SIZE];
    struct import_entry e = {.at = flags->at,
                             .provisional = c->provisional,
                             .inherited = flags->inherited,
                             .sidechain = flags->sidechain};

    if (c->out.failed)
        return err_memory(err);
    e.json = buf_bytes(&c->out);
    e.id = bytes_of(id, tree_id(&c->tree, node, id));
    c->n_messages += flags->is_message;
    return c->sink.entry(c->sink.ctx, &e, err);
}
