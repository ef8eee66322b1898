/* parts.c - Google's parts; see blocks.h */
#include "import/blocks.h"

static const quire_bytes none = {NULL, 0};

enum {
    PART_TEXT,
    PART_THOUGHT,
    PART_CALL,
    PART_RESPONSE,
    PART_INLINE,
    PART_SIGNATURE,
    N_PART
};

/* A response is {"output": "…"} or {"error": "…"}; another object stands as it
 * is. */
static quire_status add_output(struct blocks *b, quire_bytes part,
                               quire_bytes response, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("output"), JSON_WANT("error"),
                            JSON_WANT("content"), JSON_WANT("result")};
    size_t i;

    if (json_pick(json_get(response, "response"), w, 4, NULL))
        for (i = 0; i < 4; i++)
            if (value_is_string(w[i].value))
                return blocks_text(b, w[i].value, err);
    return blocks_raw(b, part, none, none, err);
}

static quire_status add_inline(struct blocks *b, quire_bytes part,
                               quire_bytes value, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("mimeType"), JSON_WANT("data")};

    if (!json_pick(value, w, 2, NULL) || !value_is_string(w[1].value))
        return blocks_raw(b, part, none, none, err);
    if (value_is_string(w[0].value) &&
        bytes_starts(w[0].value, bytes_str("\"image/")))
        return blocks_image(b, w[1].value, w[0].value, err);
    return blocks_raw(b, part, w[1].value, w[0].value, err);
}

/* What it says, then the images that came with it. */
static quire_status add_response(struct blocks *b, quire_bytes part,
                                 quire_bytes response, quire_error *err)
{
    quire_bytes media = json_get(response, "parts");
    quire_status st = add_output(b, part, response, err);
    struct json_scan it;

    if (json_kind(media) != JSON_ARRAY)
        return st;
    json_iter_init(&it, media);
    while (!st && json_next(&it)) {
        quire_bytes value = json_get(it.value, "inlineData");

        st = value.data ? add_inline(b, it.value, value, err)
                        : blocks_raw(b, it.value, none, none, err);
    }
    return st;
}

static quire_status add_call(struct blocks *b, quire_bytes part,
                             quire_bytes call, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("name"),
                            JSON_WANT("args")};

    if (!b->answer || !json_pick(call, w, 3, NULL) ||
        !value_is_string(w[1].value))
        return blocks_raw(b, part, none, none, err);
    return blocks_call(b, w[0].value, w[1].value, w[2].value, err);
}

static quire_status add_part(struct blocks *b, quire_bytes part,
                             quire_error *err)
{
    struct json_want w[N_PART] = {JSON_WANT("text"),
                                  JSON_WANT("thought"),
                                  JSON_WANT("functionCall"),
                                  JSON_WANT("functionResponse"),
                                  JSON_WANT("inlineData"),
                                  JSON_WANT("thoughtSignature")};

    if (value_is_string(part))
        return blocks_text(b, part, err);
    json_pick(part, w, N_PART, NULL);
    if (value_is_string(w[PART_TEXT].value))
        return value_is_true(w[PART_THOUGHT].value)
                   ? blocks_thinking(b, w[PART_TEXT].value,
                                     w[PART_SIGNATURE].value, err)
                   : blocks_text(b, w[PART_TEXT].value, err);
    if (w[PART_CALL].value.data)
        return add_call(b, part, w[PART_CALL].value, err);
    if (w[PART_INLINE].value.data)
        return add_inline(b, part, w[PART_INLINE].value, err);
    if (w[PART_RESPONSE].value.data && b->is_result)
        return add_response(b, part, w[PART_RESPONSE].value, err);
    counts_add(&b->c->counts, "block", bytes_str("part"), none);
    return blocks_raw(b, part, none, none, err);
}

quire_status blocks_add_parts(struct blocks *b, quire_bytes parts,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(parts) == JSON_STRING || json_kind(parts) == JSON_OBJECT)
        return add_part(b, parts, err);
    if (json_kind(parts) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, parts);
    while (!st && json_next(&it))
        st = add_part(b, it.value, err);
    return st;
}
