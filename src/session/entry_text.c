/*
 * entry_text.c - see entry_text.h
 *
 * One pass over the line finds all that can be text, in whatever order the
 * members come: slices of the entry, of its message, and of the blocks of their
 * content. Only then the type and the role say what each slice is. Arguments of
 * calls, and lists below a block, are scanned a second time when they are used.
 *
 * A text that is one string without escapes is lent as it stands in the line;
 * others are decoded into the scratch buffer, one at a time.
 *
 * Lists are uniform: a string, an object and an array are all lists of blocks,
 * so that `"content": "x"`, `[{"type": "text", "text": "x"}]` and
 * `{"text": "x"}` are read the same way.
 */
#include "session/entry_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "search/text_join.h"

/* Memory that a scratch keeps after an unusually large line. */
#define KEEP_TEXT_BYTES ((size_t)16 << 20)
#define KEEP_BLOCKS     ((size_t)4096)

/* ---- keys --------------------------------------------------------------- */

/* Keys of blocks first: a block has no others. */
enum key {
    KEY_TYPE,
    KEY_TEXT,
    KEY_THINKING,
    KEY_NAME,
    KEY_ARGUMENTS,
    KEY_CONTENT,
    KEY_IS_ERROR,
    KEY_PATH,
    KEY_IMAGE,
    KEY_MIME_TYPE,
    N_BLOCK_KEYS,

    KEY_ROLE = N_BLOCK_KEYS,
    KEY_MESSAGE,
    KEY_ID,
    KEY_PARENT,
    KEY_TIMESTAMP,
    KEY_FILES,
    KEY_IMAGES,
    KEY_TOOL_NAME,
    KEY_MODEL,
    KEY_ATTRIBUTION,
    KEY_STOP_REASON,
    KEY_ERROR_MESSAGE,
    KEY_COMMAND,
    KEY_CODE,
    KEY_OUTPUT,
    KEY_EXIT_CODE,
    KEY_SUMMARY,
    KEY_LABEL,
    KEY_TITLE,
    KEY_TASK,
    KEY_SYSTEM_PROMPT,
    N_KEYS
};

/* clang-format off */
#define KEY(name, key) {(name), sizeof(name) - 1, (key)}
/* clang-format on */

/* "input" and "is_error" are how Anthropic's API names them. */
static const struct {
    const char *name;
    size_t len;
    enum key key;
} keys[] = {
    KEY("type", KEY_TYPE),
    KEY("text", KEY_TEXT),
    KEY("thinking", KEY_THINKING),
    KEY("name", KEY_NAME),
    KEY("arguments", KEY_ARGUMENTS),
    KEY("input", KEY_ARGUMENTS),
    KEY("content", KEY_CONTENT),
    KEY("isError", KEY_IS_ERROR),
    KEY("is_error", KEY_IS_ERROR),
    KEY("path", KEY_PATH),
    KEY("image", KEY_IMAGE),
    KEY("mimeType", KEY_MIME_TYPE),
    KEY("role", KEY_ROLE),
    KEY("message", KEY_MESSAGE),
    KEY("id", KEY_ID),
    KEY("parentId", KEY_PARENT),
    KEY("timestamp", KEY_TIMESTAMP),
    KEY("files", KEY_FILES),
    KEY("images", KEY_IMAGES),
    KEY("toolName", KEY_TOOL_NAME),
    KEY("model", KEY_MODEL),
    KEY("attribution", KEY_ATTRIBUTION),
    KEY("stopReason", KEY_STOP_REASON),
    KEY("errorMessage", KEY_ERROR_MESSAGE),
    KEY("command", KEY_COMMAND),
    KEY("code", KEY_CODE),
    KEY("output", KEY_OUTPUT),
    KEY("exitCode", KEY_EXIT_CODE),
    KEY("summary", KEY_SUMMARY),
    KEY("label", KEY_LABEL),
    KEY("title", KEY_TITLE),
    KEY("task", KEY_TASK),
    KEY("systemPrompt", KEY_SYSTEM_PROMPT),
};

/* N_KEYS: none of them. */
static enum key key_of(quire_bytes key)
{
    const char *name = (const char *)key.data + 1;
    size_t len = key.len - 2, i;

    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (len == keys[i].len && *name == *keys[i].name &&
            !memcmp(name, keys[i].name, len))
            return keys[i].key;
    }
    if (!memchr(name, '\\', len))
        return N_KEYS;
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (json_is(key, keys[i].name))
            return keys[i].key;
    }
    return N_KEYS;
}

/* ---- the pass over the line --------------------------------------------- */

/* An item of a list: slices of the line; .data is NULL for what is absent. */
struct text_block {
    quire_bytes of[N_BLOCK_KEYS];
};

/* Blocks of the scratch. */
struct block_list {
    size_t from, n;
};

/* The members of an entry or a message. */
struct members {
    quire_bytes of[N_KEYS];
    struct block_list content, files;
};

struct reader {
    struct entry_text_scratch *s;
    bool failed; /* out of memory for blocks */
    entry_text_fn each;
    void *ctx;
    unsigned n_parts;
    bool has_prompt; /* a text that a user wrote */
    quire_bytes model;
    struct text_join join; /* the text being read */
};

static bool is_object(quire_bytes value)
{
    return json_kind(value) == JSON_OBJECT;
}

static void add_block(struct reader *r, const struct text_block *b)
{
    struct entry_text_scratch *s = r->s;
    size_t cap = s->cap_blocks ? s->cap_blocks * 2 : 64;
    struct text_block *grown;

    if (s->n_blocks == ENTRY_TEXT_BLOCKS_MAX)
        return;
    if (s->n_blocks == s->cap_blocks) {
        grown = realloc(s->blocks, cap * sizeof *grown);
        if (!grown) {
            r->failed = true;
            return;
        }
        s->blocks = grown;
        s->cap_blocks = cap;
    }
    s->blocks[s->n_blocks++] = *b;
}

/* These read what has just been opened up to its end. False: it is damaged. */

static bool read_block(struct reader *r, struct json_scan *s)
{
    struct text_block b = {.of = {{NULL, 0}}};
    enum json_step step;
    enum key key;

    while ((step = json_scan_next(s)) != JSON_STEP_CLOSE) {
        if (step != JSON_STEP_SCALAR &&
            (step != JSON_STEP_OPEN || !json_scan_skip(s)))
            return false;
        key = key_of(s->key);
        if (key < N_BLOCK_KEYS)
            b.of[key] = s->value;
    }
    add_block(r, &b);
    return true;
}

/* A string is a block with a text; other scalars and nested arrays are none. */
static bool read_item(struct reader *r, struct json_scan *s,
                      enum json_step step)
{
    if (step == JSON_STEP_OPEN)
        return is_object(s->value) ? read_block(r, s) : json_scan_skip(s);
    if (step != JSON_STEP_SCALAR)
        return false;
    if (json_kind(s->value) == JSON_STRING)
        add_block(r, &(struct text_block){.of[KEY_TEXT] = s->value});
    return true;
}

static bool read_list(struct reader *r, struct json_scan *s,
                      enum json_step step, struct block_list *out)
{
    size_t from = r->s->n_blocks;

    if (step == JSON_STEP_OPEN && !is_object(s->value)) {
        while ((step = json_scan_next(s)) != JSON_STEP_CLOSE)
            if (!read_item(r, s, step))
                return false;
    } else if (!read_item(r, s, step)) {
        return false;
    }
    *out = (struct block_list){from, r->s->n_blocks - from};
    return true;
}

/* `message` is NULL within a message. */
static bool read_members(struct reader *r, struct json_scan *s,
                         struct members *m, struct members *message)
{
    enum json_step step;

    while ((step = json_scan_next(s)) != JSON_STEP_CLOSE) {
        bool open = step == JSON_STEP_OPEN;
        enum key key;

        if (!open && step != JSON_STEP_SCALAR)
            return false;
        key = key_of(s->key);
        if (key == KEY_CONTENT || key == KEY_FILES) {
            if (!read_list(r, s, step,
                           key == KEY_CONTENT ? &m->content : &m->files))
                return false;
            continue;
        }
        if (key == KEY_MESSAGE && message) {
            *message = (struct members){.content = {0, 0}};
            if (open && is_object(s->value)) {
                if (!read_members(r, s, message, NULL))
                    return false;
                continue;
            }
        }
        if (open && !json_scan_skip(s))
            return false;
        if (key < N_KEYS)
            m->of[key] = s->value;
    }
    return true;
}

static bool read_line(struct reader *r, quire_bytes line, struct members *entry,
                      struct members *message)
{
    struct json_scan s;

    json_scan_init(&s, line);
    return json_scan_next(&s) == JSON_STEP_OPEN && is_object(s.value) &&
           read_members(r, &s, entry, message) &&
           json_scan_next(&s) == JSON_STEP_END;
}

/* ---- strings ------------------------------------------------------------ */

/* The string that a value is, or wraps: JP has {"text": …} for a payload. */
static quire_bytes string_of(quire_bytes value)
{
    if (is_object(value))
        value = json_get(value, "text");
    return json_kind(value) == JSON_STRING ? value : bytes_of(NULL, 0);
}

static void join_string(struct reader *r, quire_bytes value)
{
    value = string_of(value);
    if (value.data)
        text_join_value(&r->join, value);
}

/* The content of a string; empty if it is none. */
static quire_status decode_name(struct reader *r, quire_bytes value,
                                quire_bytes *out, quire_error *err)
{
    *out = bytes_of("", 0);
    if (json_kind(value) != JSON_STRING)
        return QUIRE_OK;
    *out = json_text(value, &r->s->arena);
    return out->data ? QUIRE_OK : err_memory(err);
}

/* ---- blocks ------------------------------------------------------------- */

enum block_kind {
    BLOCK_OTHER,
    BLOCK_TEXT,
    BLOCK_THINKING,
    BLOCK_IMAGE,
    BLOCK_CALL,
    BLOCK_RESULT
};

static bool starts_with(quire_bytes string, const char *prefix)
{
    size_t len = strlen(prefix);

    return json_kind(string) == JSON_STRING && string.len >= len + 2 &&
           !memcmp((const char *)string.data + 1, prefix, len);
}

static enum block_kind kind_of(const struct text_block *b)
{
    quire_bytes type = b->of[KEY_TYPE];

    if (!type.data || json_is(type, "text"))
        return starts_with(b->of[KEY_MIME_TYPE], "image/") ? BLOCK_IMAGE
                                                           : BLOCK_TEXT;
    if (json_is(type, "thinking"))
        return BLOCK_THINKING;
    if (json_is(type, "toolCall") || json_is(type, "tool_use"))
        return BLOCK_CALL;
    if (json_is(type, "tool_result"))
        return BLOCK_RESULT;
    /* "image", "image_url" */
    if (starts_with(type, "image") ||
        starts_with(b->of[KEY_MIME_TYPE], "image/"))
        return BLOCK_IMAGE;
    return BLOCK_OTHER;
}

static const struct text_block *block_at(const struct reader *r,
                                         struct block_list l, size_t i)
{
    return &r->s->blocks[l.from + i];
}

/* Add the texts of all blocks of a kind. Whether there is an image. */
static bool join_blocks(struct reader *r, struct block_list l,
                        enum block_kind want)
{
    bool has_image = false;
    size_t i;

    for (i = 0; i < l.n; i++) {
        const struct text_block *b = block_at(r, l, i);
        enum block_kind kind = kind_of(b);

        has_image |= kind == BLOCK_IMAGE;
        if (kind != want)
            continue;
        if (kind == BLOCK_THINKING)
            join_string(r, b->of[KEY_THINKING]);
        else
            join_string(r,
                        b->of[b->of[KEY_TEXT].data ? KEY_TEXT : KEY_CONTENT]);
    }
    return has_image;
}

/* The list that a value is. It is valid until the blocks are given back:
 * s->n_blocks = list.from. */
static struct block_list list_of(struct reader *r, quire_bytes value)
{
    struct block_list l = {r->s->n_blocks, 0};
    struct json_scan s;

    if (!value.data)
        return l;
    json_scan_init(&s, value);
    read_list(r, &s, json_scan_next(&s), &l);
    return l;
}

/* ---- texts -------------------------------------------------------------- */

/* Report the joined text, with the other members of `t`. */
static quire_status emit_joined(struct reader *r, struct entry_text t,
                                quire_error *err)
{
    quire_status st = r->failed ? err_memory(err)
                                : text_join_end(&r->join, &t.text, err);

    if (st || (!t.text.len && !t.tool.len && !t.is_error && !t.has_image))
        return st;
    t.model = r->model;
    t.part = r->n_parts++;
    r->has_prompt |= t.kind == TEXT_MESSAGE && t.role == TEXT_ROLE_USER;
    return r->each(r->ctx, &t, err);
}

static quire_status emit_value(struct reader *r, struct entry_text t,
                               quire_bytes value, quire_error *err)
{
    struct block_list l = list_of(r, value);

    text_join_begin(&r->join, &r->s->text);
    t.has_image |= join_blocks(r, l, BLOCK_TEXT);
    r->s->n_blocks = l.from;
    return emit_joined(r, t, err);
}

static quire_status emit_call(struct reader *r, const struct text_block *b,
                              enum text_role role, quire_error *err)
{
    struct entry_text t = {.kind = TEXT_TOOL_INPUT, .role = role};
    quire_status st = decode_name(r, b->of[KEY_NAME], &t.tool, err);

    text_join_begin(&r->join, &r->s->text);
    if (b->of[KEY_ARGUMENTS].data)
        text_join_within(&r->join, b->of[KEY_ARGUMENTS]);
    return st ? st : emit_joined(r, t, err);
}

/* A result in a user's message has the id of its call, not the tool. */
static quire_status emit_result(struct reader *r, const struct text_block *b,
                                quire_error *err)
{
    struct entry_text t = {.kind = TEXT_TOOL_RESULT, .role = TEXT_ROLE_TOOL};

    json_read_bool(b->of[KEY_IS_ERROR], &t.is_error);
    return emit_value(r, t, b->of[KEY_CONTENT], err);
}

/* `t` is what the text blocks are; `more` (may be absent) is added to them. */
static quire_status emit_blocks(struct reader *r, struct block_list l,
                                struct entry_text t, quire_bytes more,
                                quire_error *err)
{
    quire_status st;
    size_t i;

    text_join_begin(&r->join, &r->s->text);
    join_blocks(r, l, BLOCK_THINKING);
    st = emit_joined(r,
                     (struct entry_text){.kind = TEXT_THINKING, .role = t.role},
                     err);
    if (st)
        return st;
    text_join_begin(&r->join, &r->s->text);
    t.has_image |= join_blocks(r, l, BLOCK_TEXT);
    join_string(r, more);
    st = emit_joined(r, t, err);
    for (i = 0; !st && i < l.n; i++) {
        /* A copy: reading another list can move the blocks. */
        struct text_block b = *block_at(r, l, i);
        enum block_kind kind = kind_of(&b);

        if (kind == BLOCK_CALL)
            st = emit_call(r, &b, t.role, err);
        else if (kind == BLOCK_RESULT)
            st = emit_result(r, &b, err);
    }
    return st;
}

/* ---- messages ----------------------------------------------------------- */

/* A command that the user ran: its text under `key`, and its output. */
static quire_status emit_execution(struct reader *r, const struct members *m,
                                   const char *tool, enum key key,
                                   quire_error *err)
{
    struct entry_text input = {.kind = TEXT_TOOL_INPUT,
                               .role = TEXT_ROLE_USER,
                               .tool = bytes_str(tool)};
    struct entry_text output = {.kind = TEXT_TOOL_RESULT,
                                .role = TEXT_ROLE_TOOL,
                                .tool = bytes_str(tool)};
    quire_bytes code = m->of[KEY_EXIT_CODE];
    quire_status st = emit_value(r, input, m->of[key], err);

    output.is_error = json_kind(code) == JSON_NUMBER && !bytes_is(code, "0");
    return st ? st : emit_value(r, output, m->of[KEY_OUTPUT], err);
}

static quire_status emit_files(struct reader *r, const struct members *m,
                               quire_error *err)
{
    struct entry_text t = {.kind = TEXT_MESSAGE, .role = TEXT_ROLE_USER};
    size_t i;

    text_join_begin(&r->join, &r->s->text);
    for (i = 0; i < m->files.n; i++) {
        const struct text_block *b = block_at(r, m->files, i);

        join_string(r, b->of[KEY_PATH]);
        join_string(r, b->of[KEY_CONTENT]);
        t.has_image |= is_object(b->of[KEY_IMAGE]);
    }
    return emit_joined(r, t, err);
}

/* Custom messages are the program's unless they are marked as the user's. */
static enum text_role custom_role(const struct members *m)
{
    return json_is(m->of[KEY_ATTRIBUTION], "user") ? TEXT_ROLE_USER
                                                   : TEXT_ROLE_SYSTEM;
}

static void read_role(const struct members *m, struct entry_text *t)
{
    static const struct {
        const char *name;
        enum text_kind kind;
        enum text_role role;
    } roles[] = {
        {"user", TEXT_MESSAGE, TEXT_ROLE_USER},
        {"assistant", TEXT_MESSAGE, TEXT_ROLE_ASSISTANT},
        {"toolResult", TEXT_TOOL_RESULT, TEXT_ROLE_TOOL},
        {"tool", TEXT_TOOL_RESULT, TEXT_ROLE_TOOL},
        {"developer", TEXT_MESSAGE, TEXT_ROLE_SYSTEM},
        {"system", TEXT_MESSAGE, TEXT_ROLE_SYSTEM},
        {"branchSummary", TEXT_SUMMARY, TEXT_ROLE_NONE},
        {"compactionSummary", TEXT_SUMMARY, TEXT_ROLE_NONE},
    };
    quire_bytes role = m->of[KEY_ROLE];
    size_t i;

    *t = (struct entry_text){.kind = TEXT_MESSAGE};
    for (i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (json_is(role, roles[i].name)) {
            t->kind = roles[i].kind;
            t->role = roles[i].role;
            return;
        }
    }
    if (json_is(role, "custom") || json_is(role, "hookMessage"))
        t->role = custom_role(m);
}

static bool has_items(quire_bytes array)
{
    struct json_scan it;

    if (json_kind(array) != JSON_ARRAY)
        return false;
    json_iter_init(&it, array);
    return json_next(&it);
}

/* The messages of users, models and tools. */
static quire_status emit_content(struct reader *r, const struct members *m,
                                 quire_error *err)
{
    quire_bytes more = {NULL, 0};
    struct entry_text t;
    quire_status st = QUIRE_OK;

    read_role(m, &t);
    t.has_image = has_items(m->of[KEY_IMAGES]);
    if (t.role == TEXT_ROLE_TOOL) {
        json_read_bool(m->of[KEY_IS_ERROR], &t.is_error);
        st = decode_name(r, m->of[KEY_TOOL_NAME], &t.tool, err);
    }
    if (t.role == TEXT_ROLE_ASSISTANT) {
        t.is_error = json_is(m->of[KEY_STOP_REASON], "error");
        if (t.is_error)
            more = m->of[KEY_ERROR_MESSAGE];
        st = decode_name(r, m->of[KEY_MODEL], &r->model, err);
    }
    if (t.kind == TEXT_SUMMARY)
        more = m->of[KEY_SUMMARY];
    return st ? st : emit_blocks(r, m->content, t, more, err);
}

static quire_status emit_message(struct reader *r, const struct members *m,
                                 quire_error *err)
{
    quire_bytes role = m->of[KEY_ROLE];

    if (json_is(role, "bashExecution"))
        return emit_execution(r, m, "bash", KEY_COMMAND, err);
    if (json_is(role, "pythonExecution"))
        return emit_execution(r, m, "python", KEY_CODE, err);
    if (json_is(role, "fileMention"))
        return emit_files(r, m, err);
    return emit_content(r, m, err);
}

/* ---- entries ------------------------------------------------------------ */

/* The types whose texts are members of the entry. */
static quire_status emit_members(struct reader *r, const struct members *entry,
                                 quire_error *err)
{
    static const struct {
        const char *type;
        enum key key;
        enum text_kind kind;
        enum text_role role;
    } members[] = {
        {"compaction", KEY_SUMMARY, TEXT_SUMMARY, TEXT_ROLE_NONE},
        {"branch_summary", KEY_SUMMARY, TEXT_SUMMARY, TEXT_ROLE_NONE},
        {"label", KEY_LABEL, TEXT_LABEL, TEXT_ROLE_NONE},
        {"title_change", KEY_TITLE, TEXT_TITLE, TEXT_ROLE_NONE},
        {"session_info", KEY_NAME, TEXT_TITLE, TEXT_ROLE_NONE},
        {"session", KEY_TITLE, TEXT_TITLE, TEXT_ROLE_NONE},
        {"title", KEY_TITLE, TEXT_TITLE, TEXT_ROLE_NONE},
        {"session_init", KEY_TASK, TEXT_MESSAGE, TEXT_ROLE_USER},
        {"session_init", KEY_SYSTEM_PROMPT, TEXT_MESSAGE, TEXT_ROLE_SYSTEM},
    };
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; !st && i < sizeof members / sizeof *members; i++) {
        struct entry_text t = {.kind = members[i].kind,
                               .role = members[i].role};

        if (json_is(entry->of[KEY_TYPE], members[i].type))
            st = emit_value(r, t, entry->of[members[i].key], err);
    }
    return st;
}

static quire_status emit_entry(struct reader *r, const struct members *entry,
                               const struct members *message, quire_error *err)
{
    struct entry_text t = {.kind = TEXT_MESSAGE};

    if (json_is(entry->of[KEY_TYPE], "message"))
        return emit_message(r, message, err);
    if (!json_is(entry->of[KEY_TYPE], "custom_message"))
        return emit_members(r, entry, err);
    t.role = custom_role(entry);
    return emit_blocks(r, entry->content, t, bytes_of(NULL, 0), err);
}

static quire_status read_head(struct reader *r, const struct members *entry,
                              struct entry_text_head *head, quire_error *err)
{
    quire_status st = decode_name(r, entry->of[KEY_TYPE], &head->type, err);
    quire_bytes time = {NULL, 0};
    int64_t ms;

    if (!st)
        st = decode_name(r, entry->of[KEY_ID], &head->id, err);
    if (!st)
        st = decode_name(r, entry->of[KEY_PARENT], &head->parent, err);
    if (!st)
        st = decode_name(r, entry->of[KEY_TIMESTAMP], &time, err);
    if (!st && timestamp_parse(time, &ms))
        head->time_us = ms * 1000;
    return st;
}

/* One huge line does not make a scratch huge for good. */
static void trim_scratch(struct entry_text_scratch *s)
{
    if (s->text.cap > KEEP_TEXT_BYTES)
        buf_release(&s->text);
    if (s->cap_blocks > KEEP_BLOCKS) {
        free(s->blocks);
        s->blocks = NULL;
        s->cap_blocks = 0;
    }
    s->n_blocks = 0;
    arena_reset(&s->arena);
}

void entry_text_scratch_release(struct entry_text_scratch *s)
{
    buf_release(&s->text);
    arena_release(&s->arena);
    free(s->blocks);
    s->blocks = NULL;
    s->n_blocks = s->cap_blocks = 0;
}

quire_status entry_texts(quire_bytes line, struct entry_text_scratch *s,
                         struct entry_text_head *head, entry_text_fn each,
                         void *ctx, quire_error *err)
{
    struct reader r = {.s = s, .each = each, .ctx = ctx, .model = {"", 0}};
    struct members entry = {.content = {0, 0}}, message = {.content = {0, 0}};
    quire_status st;

    *head = (struct entry_text_head){.time_us = 0};
    trim_scratch(s);
    if (!read_line(&r, line, &entry, &message))
        return QUIRE_OK;
    if (r.failed)
        return err_memory(err);
    st = read_head(&r, &entry, head, err);
    if (!st)
        st = emit_entry(&r, &entry, &message, err);
    /* Results of tools and mentioned files are messages in a user's name, too. */
    head->is_prompt = r.has_prompt && json_is(message.of[KEY_ROLE], "user");
    return st;
}
