/* blocks.c - see blocks.h */
#include "export/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static const quire_bytes none = {"", 0};

quire_bytes export_blocks_text(quire_bytes json, struct arena *keep)
{
    return json_kind(json) == JSON_STRING ? json_text(json, keep) : none;
}

static bool is(quire_bytes string, const char *text)
{
    return json_kind(string) == JSON_STRING && json_is(string, text);
}

/* ---- blocks -------------------------------------------------------------- */

enum block_field {
    BLOCK_TYPE,
    BLOCK_TEXT,
    BLOCK_THINKING,
    BLOCK_SIGNATURE,
    BLOCK_ENCRYPTED,
    BLOCK_DATA,
    BLOCK_MIME,
    BLOCK_URL,
    BLOCK_ID,
    BLOCK_NAME,
    BLOCK_ARGUMENTS,
    N_BLOCK_FIELDS
};

static const struct json_want block_fields[N_BLOCK_FIELDS] = {
    JSON_WANT("type"),
    JSON_WANT("text"),
    JSON_WANT("thinking"),
    JSON_WANT("thinkingSignature"),
    JSON_WANT("encrypted_content"),
    JSON_WANT("data"),
    JSON_WANT("mimeType"),
    JSON_WANT("image_url"),
    JSON_WANT("id"),
    JSON_WANT("name"),
    JSON_WANT("arguments"),
};

/* "data:image/png;base64,…" as an image; other addresses as they are. */
static void read_url(struct export_block *b, quire_bytes url)
{
    static const char mark[] = ";base64,";
    size_t head = url.len < 128 ? url.len : 128;
    const char *at = memmem(url.data, head, mark, sizeof mark - 1);
    size_t end;

    if (!bytes_starts(url, bytes_str("data:")) || !at)
        return;
    end = (size_t)(at - (const char *)url.data);
    b->kind = EXPORT_IMAGE;
    b->mime = bytes_sub(url, 5, end);
    b->data = bytes_sub(url, end + sizeof mark - 1, url.len);
}

/* Base64 has no escapes, so most images are lent as they stand. */
static bool read_image(struct export_block *b, const struct json_want *w,
                       struct arena *keep)
{
    quire_bytes url = export_blocks_text(w[BLOCK_URL].value, keep);

    b->kind = EXPORT_IMAGE;
    b->data = export_blocks_text(w[BLOCK_DATA].value, keep);
    b->mime = export_blocks_text(w[BLOCK_MIME].value, keep);
    if (!b->data.data || !b->mime.data || !url.data)
        return false;
    if (url.len) {
        b->kind = EXPORT_OTHER;
        read_url(b, url);
    } else if (!b->data.len ||
               bytes_starts(b->data, bytes_str("blob:sha256:"))) {
        b->kind = EXPORT_OTHER;
    }
    return true;
}

static bool read_call(struct export_block *b, const struct json_want *w,
                      struct arena *keep)
{
    quire_bytes arguments = w[BLOCK_ARGUMENTS].value;

    b->kind = EXPORT_CALL;
    b->id = export_blocks_text(w[BLOCK_ID].value, keep);
    b->name = export_blocks_text(w[BLOCK_NAME].value, keep);
    b->arguments = json_kind(arguments) == JSON_OBJECT ? arguments
                                                       : bytes_str("{}");
    return b->id.data && b->name.data;
}

static bool read_thinking(struct export_block *b, const struct json_want *w,
                          struct arena *keep)
{
    b->kind = EXPORT_THINKING;
    b->text = export_blocks_text(w[BLOCK_THINKING].value, keep);
    b->signature = export_blocks_text(w[BLOCK_SIGNATURE].value, keep);
    b->encrypted = export_blocks_text(w[BLOCK_ENCRYPTED].value, keep);
    return b->text.data && b->signature.data && b->encrypted.data;
}

static bool read_block(quire_bytes json, struct export_block *b,
                       struct arena *keep)
{
    struct json_want w[N_BLOCK_FIELDS];
    quire_bytes type;

    *b = (struct export_block){.kind = EXPORT_OTHER,
                               .text = none,
                               .signature = none,
                               .encrypted = none,
                               .id = none,
                               .name = none,
                               .arguments = none,
                               .mime = none,
                               .data = none,
                               .type = none,
                               .json = json};
    if (json_kind(json) == JSON_STRING) {
        b->kind = EXPORT_TEXT;
        b->text = json_text(json, keep);
        return b->text.data != NULL;
    }
    memcpy(w, block_fields, sizeof w);
    if (!json_pick(json, w, N_BLOCK_FIELDS, NULL))
        return true;
    type = w[BLOCK_TYPE].value;
    b->type = export_blocks_text(type, keep);
    if (!b->type.data)
        return false;
    if (is(type, "toolCall"))
        return read_call(b, w, keep);
    if (is(type, "thinking"))
        return read_thinking(b, w, keep);
    if (is(type, "image") || is(type, "image_url"))
        return read_image(b, w, keep);
    if (is(type, "redactedThinking")) {
        b->kind = EXPORT_REDACTED;
        b->signature = export_blocks_text(w[BLOCK_DATA].value, keep);
        return b->signature.data != NULL;
    }
    if (json_kind(w[BLOCK_TEXT].value) == JSON_STRING) {
        b->kind = EXPORT_TEXT;
        b->text = json_text(w[BLOCK_TEXT].value, keep);
    }
    return b->text.data != NULL;
}

static size_t count_blocks(quire_bytes content)
{
    struct json_scan it;
    size_t n = 0;

    json_iter_init(&it, content);
    while (json_next(&it))
        n++;
    return n;
}

bool export_blocks_read(quire_bytes content, struct export_blocks *out,
                        struct arena *keep)
{
    enum json_kind kind = json_kind(content);
    struct json_scan it;
    bool ok = true;

    out->n = 0;
    out->list = NULL;
    if (kind == JSON_STRING && content.len <= 2)
        return true;
    if (kind != JSON_ARRAY && kind != JSON_STRING && kind != JSON_OBJECT)
        return true;
    out->list = arena_array(keep,
                            kind == JSON_ARRAY ? count_blocks(content) : 1,
                            sizeof *out->list);
    if (!out->list)
        return false;
    if (kind != JSON_ARRAY)
        return read_block(content, &out->list[out->n++], keep);
    json_iter_init(&it, content);
    while (ok && json_next(&it))
        ok = read_block(it.value, &out->list[out->n++], keep);
    return ok;
}

/* ---- messages ------------------------------------------------------------ */

enum message_field {
    MESSAGE_ROLE,
    MESSAGE_CONTENT,
    MESSAGE_CALL,
    MESSAGE_TOOL,
    MESSAGE_IS_ERROR,
    MESSAGE_PROVIDER,
    MESSAGE_MODEL,
    MESSAGE_API,
    MESSAGE_USAGE,
    MESSAGE_STOP,
    MESSAGE_ERROR,
    MESSAGE_RESPONSE,
    MESSAGE_COMMAND,
    MESSAGE_CODE,
    MESSAGE_OUTPUT,
    MESSAGE_FILES,
    MESSAGE_CUSTOM_TYPE,
    MESSAGE_DISPLAY,
    N_MESSAGE_FIELDS
};

static const struct json_want message_fields[N_MESSAGE_FIELDS] = {
    JSON_WANT("role"),       JSON_WANT("content"),      JSON_WANT("toolCallId"),
    JSON_WANT("toolName"),   JSON_WANT("isError"),      JSON_WANT("provider"),
    JSON_WANT("model"),      JSON_WANT("api"),          JSON_WANT("usage"),
    JSON_WANT("stopReason"), JSON_WANT("errorMessage"), JSON_WANT("responseId"),
    JSON_WANT("command"),    JSON_WANT("code"),         JSON_WANT("output"),
    JSON_WANT("files"),      JSON_WANT("customType"),   JSON_WANT("display"),
};

static uint64_t read_count(quire_bytes number)
{
    int64_t n;

    return json_read_int(number, &n) && n > 0 ? (uint64_t)n : 0;
}

static double read_dollars(quire_bytes number)
{
    char text[64];
    double dollars;

    if (json_kind(number) != JSON_NUMBER || number.len >= sizeof text)
        return 0;
    memcpy(text, number.data, number.len);
    text[number.len] = '\0';
    dollars = strtod(text, NULL);
    return dollars > 0 && dollars < 1e12 ? dollars : 0;
}

static void read_usage(quire_bytes json, struct export_usage *u)
{
    struct json_want w[] = {JSON_WANT("input"), JSON_WANT("output"),
                            JSON_WANT("cacheRead"), JSON_WANT("cacheWrite"),
                            JSON_WANT("cost")};

    if (!json_pick(json, w, 5, NULL))
        return;
    u->input = read_count(w[0].value);
    u->output = read_count(w[1].value);
    u->cache_read = read_count(w[2].value);
    u->cache_write = read_count(w[3].value);
    u->cost = read_dollars(json_get(w[4].value, "total"));
}

static enum export_stop stop_of(quire_bytes reason)
{
    return is(reason, "toolUse")   ? EXPORT_STOP_TOOL
           : is(reason, "length")  ? EXPORT_STOP_LENGTH
           : is(reason, "error")   ? EXPORT_STOP_ERROR
           : is(reason, "aborted") ? EXPORT_STOP_ABORTED
                                   : EXPORT_STOP_END;
}

static bool read_answer(const struct json_want *w, struct export_message *m,
                        struct arena *keep)
{
    size_t i;

    m->provider = export_blocks_text(w[MESSAGE_PROVIDER].value, keep);
    m->model = export_blocks_text(w[MESSAGE_MODEL].value, keep);
    m->api = export_blocks_text(w[MESSAGE_API].value, keep);
    m->error = export_blocks_text(w[MESSAGE_ERROR].value, keep);
    m->response_id = export_blocks_text(w[MESSAGE_RESPONSE].value, keep);
    m->stop = stop_of(w[MESSAGE_STOP].value);
    read_usage(w[MESSAGE_USAGE].value, &m->usage);
    for (i = 0; i < m->blocks.n; i++)
        m->has_calls |= m->blocks.list[i].kind == EXPORT_CALL;
    return m->provider.data && m->model.data && m->api.data && m->error.data &&
           m->response_id.data;
}

/* A command that the user ran: as the model was shown it. */
static bool read_execution(const struct json_want *w, enum message_field what,
                           struct export_message *m, struct arena *keep)
{
    quire_bytes code = export_blocks_text(w[what].value, keep);
    quire_bytes output = export_blocks_text(w[MESSAGE_OUTPUT].value, keep);
    struct export_block *b = arena_array(keep, 1, sizeof *b);
    char *text;

    if (!b || !code.data || !output.data)
        return false;
    text = arena_printf(keep, "Ran `%.*s`\n```\n%.*s\n```", (int)code.len,
                        (const char *)code.data, (int)output.len,
                        (const char *)output.data);
    if (!text || !read_block(bytes_str("\"\""), b, keep))
        return false;
    b->text = bytes_str(text);
    m->role = EXPORT_USER;
    m->blocks.list = b;
    m->blocks.n = 1;
    return true;
}

static enum export_role role_of(quire_bytes role)
{
    return is(role, "assistant")                         ? EXPORT_ASSISTANT
           : is(role, "toolResult") || is(role, "tool")  ? EXPORT_RESULT
           : is(role, "developer") || is(role, "system") ? EXPORT_SYSTEM
           : is(role, "user")                            ? EXPORT_USER
                                                         : EXPORT_NOTE;
}

bool export_blocks_message(quire_bytes json, struct export_message *m,
                           struct arena *keep)
{
    struct json_want w[N_MESSAGE_FIELDS];
    quire_bytes role;
    bool shown = true;

    memcpy(w, message_fields, sizeof w);
    if (!json_pick(json, w, N_MESSAGE_FIELDS, NULL))
        return false;
    role = w[MESSAGE_ROLE].value;
    if (is(role, "bashExecution"))
        return read_execution(w, MESSAGE_COMMAND, m, keep);
    if (is(role, "pythonExecution"))
        return read_execution(w, MESSAGE_CODE, m, keep);
    m->role = role_of(role);
    if (!export_blocks_read(is(role, "fileMention") ? w[MESSAGE_FILES].value
                                                    : w[MESSAGE_CONTENT].value,
                            &m->blocks, keep))
        return false;
    if (m->role == EXPORT_ASSISTANT)
        return read_answer(w, m, keep);
    m->call_id = export_blocks_text(w[MESSAGE_CALL].value, keep);
    m->tool = export_blocks_text(w[MESSAGE_TOOL].value, keep);
    m->custom = export_blocks_text(w[MESSAGE_CUSTOM_TYPE].value, keep);
    json_read_bool(w[MESSAGE_IS_ERROR].value, &m->is_error);
    json_read_bool(w[MESSAGE_DISPLAY].value, &shown);
    m->hidden = !shown;
    return m->call_id.data && m->tool.data && m->custom.data;
}
