/* entry_shape.c - see entry_shape.h */
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/edit_distance.h"
#include "base/err.h"
#include "base/json.h"
#include "session/entry_shape.h"

enum { NAME_MAX_BYTES = 40 };

/* What a field must be. */
enum need { NEED_ANY, NEED_STRING, NEED_ARRAY, NEED_TEXT_OR_BLOCKS };

/* The known types, and what a reader of the format cannot do without. `custom` is
 * free: what is in it concerns its own program alone. */
static const struct {
    const char *type;
    struct {
        const char *key;
        enum need need;
    } fields[2];
} shapes[] = {
    {"message", {{NULL, NEED_ANY}}},      /* check_message() */
    {"model_change", {{NULL, NEED_ANY}}}, /* check_model() */
    {"thinking_level_change", {{"thinkingLevel", NEED_ANY}}},
    {"service_tier_change", {{"serviceTier", NEED_ANY}}},
    {"compaction",
     {{"summary", NEED_STRING}, {"firstKeptEntryId", NEED_STRING}}},
    {"branch_summary", {{"fromId", NEED_STRING}, {"summary", NEED_STRING}}},
    {"custom", {{NULL, NEED_ANY}}},
    {"custom_message",
     {{"customType", NEED_STRING}, {"content", NEED_TEXT_OR_BLOCKS}}},
    {"label", {{"targetId", NEED_STRING}}},
    {"ttsr_injection", {{"injectedRules", NEED_ARRAY}}},
    {"mcp_tool_selection", {{"selectedToolNames", NEED_ARRAY}}},
    {"session_init", {{NULL, NEED_ANY}}},
    {"mode_change", {{"mode", NEED_STRING}}},
    {"title_change", {{NULL, NEED_ANY}}},
    {"credential_pin", {{NULL, NEED_ANY}}},
    {"model_usage", {{NULL, NEED_ANY}}},
    {"reset_boundary", {{NULL, NEED_ANY}}},
    {"session_info", {{NULL, NEED_ANY}}},
    {"context_edit", {{NULL, NEED_ANY}}},
};

enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static bool is_needed_kind(quire_bytes value, enum need need)
{
    enum json_kind kind = json_kind(value);

    switch (need) {
    case NEED_STRING: return kind == JSON_STRING;
    case NEED_ARRAY: return kind == JSON_ARRAY;
    case NEED_TEXT_OR_BLOCKS: return kind == JSON_STRING || kind == JSON_ARRAY;
    case NEED_ANY: break;
    }
    return kind != JSON_ABSENT;
}

static const char *spell_need(enum need need)
{
    static const char *const spelled[] = {[NEED_ANY] = "missing",
                                          [NEED_STRING] = "not a string",
                                          [NEED_ARRAY] = "not an array",
                                          [NEED_TEXT_OR_BLOCKS] =
                                              "neither a string nor an array"};

    return spelled[need];
}

static quire_status
check_message(quire_bytes entry, const struct entry_fields *v, quire_error *err)
{
    static const char hint[] = "such as {\"type\":\"message\",\"message\":{"
                               "\"role\":\"user\",\"content\":\"...\"}}";
    quire_bytes message = v->message, role = v->role;

    if (message.data && json_kind(role) == JSON_STRING && role.len > 2)
        return QUIRE_OK;
    message = json_get(entry, "message"); /* its key may have escapes */
    role = json_get(message, "role");
    if (json_kind(message) != JSON_OBJECT)
        return err_fail(err, QUIRE_INVALID, hint,
                        "invalid entry: message is %s",
                        message.data ? "not an object" : "missing");
    if (json_kind(role) != JSON_STRING || role.len == 2)
        return err_fail(err, QUIRE_INVALID, hint,
                        "invalid entry: role of the message is %s",
                        role.data ? "not a name" : "missing");
    return QUIRE_OK;
}

/* oh-my-pi writes `model`, pi `provider` and `modelId`. */
static quire_status check_model(quire_bytes entry, quire_error *err)
{
    if (json_kind(json_get(entry, "model")) == JSON_STRING ||
        json_kind(json_get(entry, "modelId")) == JSON_STRING)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "such as \"model\":\"provider/name\"",
                    "invalid entry: model of a model_change is missing");
}

static quire_status check_fields(quire_bytes entry, size_t shape,
                                 quire_error *err)
{
    size_t i;

    for (i = 0; i < 2 && shapes[shape].fields[i].key; i++) {
        const char *key = shapes[shape].fields[i].key;
        enum need need = shapes[shape].fields[i].need;
        quire_bytes value = json_get(entry, key);

        if (is_needed_kind(value, need))
            continue;
        return err_fail(err, QUIRE_INVALID,
                        "docs/format.md lists the fields of each type",
                        "invalid entry: %s of a %s is %s", key,
                        shapes[shape].type,
                        value.data ? spell_need(need) : "missing");
    }
    return QUIRE_OK;
}

/* Letters alone, in lower case: "customMessage" is custom_message. */
static void fold(const char *name, char out[NAME_MAX_BYTES])
{
    size_t n = 0;

    for (; *name && n + 1 < NAME_MAX_BYTES; name++)
        if (*name != '_' && *name != '-' && *name != ' ')
            out[n++] = ascii_lower(*name);
    out[n] = '\0';
}

/* A type that is not known: a mistake in a known one, or another program's own. */
static quire_status check_unknown(quire_bytes type, quire_error *err)
{
    char name[NAME_MAX_BYTES], folded[NAME_MAX_BYTES], known[NAME_MAX_BYTES];
    size_t len = type.len - 2, i; /* without quotes */

    if (len < 3 || len >= sizeof name)
        return QUIRE_OK;
    memcpy(name, (const char *)type.data + 1, len);
    name[len] = '\0';
    fold(name, folded);
    for (i = 0; i < N_SHAPES; i++) {
        fold(shapes[i].type, known);
        if (edit_distance(folded, known) <= 1)
            return err_fail(
                err, QUIRE_INVALID,
                "the option `any` of an append takes it as it is",
                "invalid entry: unknown type '%s', did you mean '%s'?", name,
                shapes[i].type);
    }
    return QUIRE_OK;
}

quire_status entry_shape_check(quire_bytes entry, const struct entry_fields *v,
                               quire_error *err)
{
    size_t i = 0;

    while (i < N_SHAPES && !json_is(v->type, shapes[i].type))
        i++;
    if (i == N_SHAPES)
        return check_unknown(v->type, err);
    if (i == 0)
        return check_message(entry, v, err);
    if (i == 1)
        return check_model(entry, err);
    return check_fields(entry, i, err);
}
