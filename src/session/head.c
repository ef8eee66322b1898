/* head.c - see head.h */
#include "session/head.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "session/usage.h"

/* How much of a string is looked at for lines, how many characters fill one, and
 * how many lines an image takes. */
enum { TEXT_MAX = 4096, LINE_CHARS = 100, IMAGE_LINES = 12 };

/* ---- keys --------------------------------------------------------------- */

enum key {
    KEY_TYPE,
    KEY_TIMESTAMP,
    KEY_MESSAGE,
    KEY_ROLE,
    KEY_CONTENT,
    KEY_MODEL,
    KEY_USAGE,
    KEY_TOOL_NAME,
    KEY_IS_ERROR,
    KEY_STOP_REASON,
    KEY_EXIT_CODE,
    KEY_OUTPUT,
    KEY_SUMMARY,
    KEY_DISPLAY,
    KEY_TEXT,
    KEY_THINKING,
    KEY_NAME,
    N_KEYS
};

/* clang-format off */
#define KEY(name) {(name), sizeof(name) - 1}
/* clang-format on */

static const struct {
    const char *name;
    size_t len;
} keys[N_KEYS] = {
    [KEY_TYPE] = KEY("type"),          [KEY_TIMESTAMP] = KEY("timestamp"),
    [KEY_MESSAGE] = KEY("message"),    [KEY_ROLE] = KEY("role"),
    [KEY_CONTENT] = KEY("content"),    [KEY_MODEL] = KEY("model"),
    [KEY_USAGE] = KEY("usage"),        [KEY_TOOL_NAME] = KEY("toolName"),
    [KEY_IS_ERROR] = KEY("isError"),   [KEY_STOP_REASON] = KEY("stopReason"),
    [KEY_EXIT_CODE] = KEY("exitCode"), [KEY_OUTPUT] = KEY("output"),
    [KEY_SUMMARY] = KEY("summary"),    [KEY_DISPLAY] = KEY("display"),
    [KEY_TEXT] = KEY("text"),          [KEY_THINKING] = KEY("thinking"),
    [KEY_NAME] = KEY("name"),
};

/* Keys that are spelled with escapes are not ours. */
static enum key key_of(quire_bytes key)
{
    const char *name = (const char *)key.data + 1;
    size_t len = key.len - 2;
    int k;

    for (k = 0; k < N_KEYS; k++) {
        if (len == keys[k].len && *name == *keys[k].name &&
            !memcmp(name, keys[k].name, len))
            return (enum key)k;
    }
    return N_KEYS;
}

/* ---- values ------------------------------------------------------------- */

/* The content of a string without escapes; empty for everything else. */
static quire_bytes plain_text(quire_bytes value)
{
    if (json_kind(value) != JSON_STRING ||
        memchr(value.data, '\\', value.len) != NULL)
        return bytes_of("", 0);
    return bytes_of((const char *)value.data + 1, value.len - 2);
}

static uint32_t count_lines(quire_bytes value)
{
    const char *at = value.data, *end = at + value.len;
    uint32_t n = 1;

    if (json_kind(value) != JSON_STRING || value.len <= 2)
        return 0;
    if (value.len > TEXT_MAX)
        end = at + TEXT_MAX;
    n += (uint32_t)((size_t)(end - at) / LINE_CHARS);
    while ((at = memchr(at, '\\', (size_t)(end - at))) && end - at > 2) {
        n += at[1] == 'n';
        at += 2;
    }
    return n;
}

static bool is_tool(quire_bytes name, const char *const *list)
{
    while (*list && !ascii_is(name, *list))
        list++;
    return *list != NULL;
}

static unsigned tool_flags(quire_bytes name)
{
    static const char *const edits[] = {"edit",
                                        "multiedit",
                                        "multi_edit",
                                        "write",
                                        "writefile",
                                        "write_file",
                                        "create",
                                        "create_file",
                                        "edit_file",
                                        "editfile",
                                        "replace",
                                        "apply_patch",
                                        "patch",
                                        "str_replace",
                                        "str_replace_editor",
                                        "str_replace_based_edit_tool",
                                        "notebookedit",
                                        "write_to_file",
                                        "replace_in_file",
                                        "apply_diff",
                                        "insert_content",
                                        NULL};
    static const char *const agents[] = {"task",        "agent",
                                         "subagent",    "sub_agent",
                                         "spawn_agent", "run_agent",
                                         NULL};

    return is_tool(name, edits)    ? QUIRE_HEAD_EDIT
           : is_tool(name, agents) ? QUIRE_HEAD_SUBAGENT
                                   : 0;
}

/* ---- parts of a line ---------------------------------------------------- */

/* Step to the next member of the object or element of the array that is open, whole
 * unless `enter` keeps containers open. False at its end, or where it is damaged. */
static bool next_item(struct json_scan *s, bool *open)
{
    enum json_step step = json_scan_next(s);

    *open = step == JSON_STEP_OPEN;
    return *open || step == JSON_STEP_SCALAR;
}

static bool opens_object(const struct json_scan *s, bool open)
{
    return open && *(const char *)s->value.data == '{';
}

/* As session/usage.h has it: a number, the total, or the sum of its parts. */
static uint64_t read_cost(quire_bytes cost)
{
    static const char *const parts[] = {"input", "output", "cacheRead",
                                        "cacheWrite"};
    quire_bytes total;
    uint64_t sum = 0, part;
    size_t i;

    if (json_kind(cost) != JSON_OBJECT)
        return session_usage_number(cost, 9);
    total = json_get(cost, "total");
    if (json_kind(total) == JSON_NUMBER)
        return session_usage_number(total, 9);
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        part = session_usage_number(json_get(cost, parts[i]), 9);
        sum = sum > INT64_MAX - part ? INT64_MAX : sum + part;
    }
    return sum;
}

static bool read_usage(quire_bytes usage, struct head *h)
{

    h->input = session_usage_number(json_get(usage, "input"), 0);
    h->output = session_usage_number(json_get(usage, "output"), 0);
    h->cache_read = session_usage_number(json_get(usage, "cacheRead"), 0);
    h->cache_write = session_usage_number(json_get(usage, "cacheWrite"), 0);
    h->cost_nano_usd = read_cost(json_get(usage, "cost"));
    return true;
}

/* The members of a block that has just been opened. */
struct block {
    quire_bytes type, name;
    uint32_t lines;
};

static bool read_block(struct json_scan *s, struct block *b)
{
    bool open;

    while (next_item(s, &open)) {
        enum key key = key_of(s->key);

        if (open && !json_scan_skip(s))
            return false;
        if (key == KEY_TYPE)
            b->type = plain_text(s->value);
        else if (key == KEY_NAME)
            b->name = plain_text(s->value);
        else if (key == KEY_TEXT)
            b->lines = count_lines(s->value);
    }
    return !s->error.why;
}

static void add_block(struct head *h, const struct block *b)
{
    if (bytes_is(b->type, "toolCall")) {
        h->calls++;
        h->lines++;
        h->flags |= QUIRE_HEAD_CALLS | tool_flags(b->name);
        if (!h->tool.len)
            h->tool = b->name;
    } else if (bytes_is(b->type, "image")) {
        h->lines += IMAGE_LINES;
        h->flags |= QUIRE_HEAD_IMAGES;
    } else if (bytes_is(b->type, "thinking")) {
        h->lines++;
        h->flags |= QUIRE_HEAD_THINKING;
    } else {
        h->lines += b->lines;
        h->flags |= b->lines ? QUIRE_HEAD_TEXT : 0;
    }
}

/* A string, a block, or a list of blocks. */
static bool read_content(struct json_scan *s, bool open, struct head *h)
{
    bool block;

    if (!open) {
        h->lines += count_lines(s->value);
        h->flags |= h->lines ? QUIRE_HEAD_TEXT : 0;
        return true;
    }
    if (opens_object(s, open)) {
        struct block b = {.lines = 0};

        if (!read_block(s, &b))
            return false;
        add_block(h, &b);
        return true;
    }
    while (next_item(s, &block)) {
        struct block b = {.lines = 0};

        if (opens_object(s, block) ? !read_block(s, &b)
                                   : block && !json_scan_skip(s))
            return false;
        add_block(h, &b);
    }
    return !s->error.why;
}

/* A member of the message, or of an entry that is one itself. */
static bool read_member(struct json_scan *s, enum key key, bool open,
                        struct head *h)
{
    if (key == KEY_CONTENT)
        return read_content(s, open, h);
    if (open && !json_scan_skip(s))
        return false;
    if (key == KEY_ROLE)
        h->role = plain_text(s->value);
    else if (key == KEY_MODEL)
        h->model = plain_text(s->value);
    else if (key == KEY_TOOL_NAME)
        h->tool = plain_text(s->value);
    else if (key == KEY_USAGE && open)
        read_usage(s->value, h);
    else if (key == KEY_SUMMARY || key == KEY_OUTPUT)
        h->lines += count_lines(s->value);
    else if ((key == KEY_IS_ERROR && bytes_is(s->value, "true")) ||
             (key == KEY_EXIT_CODE && json_kind(s->value) == JSON_NUMBER &&
              !bytes_is(s->value, "0")) ||
             (key == KEY_STOP_REASON && json_is(s->value, "error")))
        h->flags |= QUIRE_HEAD_ERROR;
    return true;
}

static bool read_message(struct json_scan *s, struct head *h)
{
    bool open;

    while (next_item(s, &open))
        if (!read_member(s, key_of(s->key), open, h))
            return false;
    return !s->error.why;
}

/* What a transcript shows; everything else is state. */
static bool is_shown(const struct head *h, bool display)
{
    return bytes_is(h->type, "message") || bytes_is(h->type, "compaction") ||
           bytes_is(h->type, "branch_summary") ||
           (bytes_is(h->type, "custom_message") && display);
}

bool head_read(quire_bytes line, struct head *h)
{
    struct json_scan s;
    bool open, display = true;

    memset(h, 0, sizeof *h);
    json_scan_init(&s, line);
    if (json_scan_next(&s) != JSON_STEP_OPEN || !opens_object(&s, true))
        return false;
    while (next_item(&s, &open)) {
        enum key key = key_of(s.key);
        bool good = key == KEY_MESSAGE && opens_object(&s, open)
                        ? read_message(&s, h)
                        : read_member(&s, key, open, h);

        if (!good)
            return false;
        if (key == KEY_TYPE && !open)
            h->type = plain_text(s.value);
        else if (key == KEY_DISPLAY)
            display = !bytes_is(s.value, "false");
        else if (key == KEY_TIMESTAMP && !open &&
                 !timestamp_parse(plain_text(s.value), &h->time_ms))
            h->time_ms = 0;
    }
    if (!is_shown(h, display))
        h->flags |= QUIRE_HEAD_HIDDEN;
    return !s.error.why;
}
