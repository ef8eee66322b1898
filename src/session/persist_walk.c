/* persist_walk.c - collect facts about members, record changes */
#include "session/persist_priv.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"

/* Enough for "data:", a mime type with parameters, and ";base64,". */
#define HEAD_UNITS 256

/* ---- keys --------------------------------------------------------------- */

static const char *const keys[KEY_OTHER] = {
    [KEY_TYPE] = "type",
    [KEY_DATA] = "data",
    [KEY_IMAGES] = "images",
    [KEY_FRAMES] = "frames",
    [KEY_RESULT] = "result",
    [KEY_CONTENT] = "content",
    [KEY_MIME_TYPE] = "mimeType",
    [KEY_MEDIA_TYPE] = "mediaType",
    [KEY_IMAGE_URL] = "image_url",
    [KEY_LINE_COUNT] = "lineCount",
    [KEY_SIGNATURE] = "signature",
    [KEY_MEDIA_TYPE_SNAKE] = "media_type",
    [KEY_PARTIAL_JSON] = "partialJson",
    [KEY_JSONL_EVENTS] = "jsonlEvents",
    [KEY_TEXT_SIGNATURE] = "textSignature",
    [KEY_THOUGHT_SIGNATURE] = "thoughtSignature",
    [KEY_THINKING_SIGNATURE] = "thinkingSignature",
    [KEY_ENCRYPTED_CONTENT] = "encrypted_content",
};

#define LONGEST_KEY 17

/* The first key of each length; those of a length are neighbours. */
static const uint8_t first_of[LONGEST_KEY + 2] = {
    [4] = KEY_TYPE,
    [5] = KEY_IMAGES,
    [6] = KEY_IMAGES,
    [7] = KEY_CONTENT,
    [8] = KEY_MIME_TYPE,
    [9] = KEY_MEDIA_TYPE,
    [10] = KEY_MEDIA_TYPE_SNAKE,
    [11] = KEY_PARTIAL_JSON,
    [12] = KEY_TEXT_SIGNATURE,
    [13] = KEY_TEXT_SIGNATURE,
    [14] = KEY_THOUGHT_SIGNATURE,
    [15] = KEY_THOUGHT_SIGNATURE,
    [16] = KEY_THOUGHT_SIGNATURE,
    [17] = KEY_THINKING_SIGNATURE,
    [18] = KEY_OTHER,
};

static enum key key_of(quire_bytes key)
{
    const char *name = key.data;
    size_t len;
    unsigned k;

    if (!name)
        return KEY_OTHER;
    len = key.len - 2;
    if (len <= LONGEST_KEY)
        for (k = first_of[len]; k < first_of[len + 1]; k++)
            if (!memcmp(name + 1, keys[k], len))
                return (enum key)k;
    /* Rare: a key is compared by its text, however it is spelled. */
    if (memchr(name, '\\', key.len))
        for (k = 0; k < KEY_OTHER; k++)
            if (json_is(key, keys[k]))
                return (enum key)k;
    return KEY_OTHER;
}

static bool is_transient(enum key key)
{
    return key == KEY_PARTIAL_JSON || key == KEY_JSONL_EVENTS;
}

/* ---- strings ------------------------------------------------------------ */

quire_bytes walk_head(struct walk *w, quire_bytes string)
{
    size_t cut = json_cut_utf16(string, HEAD_UNITS);
    quire_bytes plain = bytes_sub(string, 1, cut), decoded;
    char *copy;

    if (!plain.len || !memchr(plain.data, '\\', plain.len))
        return plain;
    copy = arena_alloc(w->tmp, cut + 1);
    if (!copy) {
        w->failed = true;
        return bytes_of("", 0);
    }
    memcpy(copy, string.data, cut);
    copy[cut] = '"';
    decoded = json_text(bytes_of(copy, cut + 1), w->tmp);
    w->failed |= !decoded.data;
    return decoded;
}

bool walk_text(struct walk *w, quire_bytes string, quire_bytes *text)
{
    quire_bytes plain = bytes_sub(string, 1, string.len - 1);
    size_t n_mended;

    *text = plain;
    if (!plain.len)
        return true;
    if (!memchr(plain.data, '\\', plain.len))
        return utf8_check(plain);
    buf_clear(&w->text);
    n_mended = json_decode(string, &w->text);
    w->failed |= w->text.failed;
    *text = buf_bytes(&w->text);
    return !n_mended && !w->text.failed;
}

/* ---- levels ------------------------------------------------------------- */

bool level_is_image(const struct level *l, bool strict)
{
    if (l->list == LIST_NONE)
        return false;
    if (l->facts & FACT_TYPE_IMAGE)
        return true;
    return l->facts & FACTS_MIME_IMAGE && !(strict && l->list != LIST_MEDIA);
}

static void record_type(struct level *l, quire_bytes value)
{
    l->facts &= ~FACTS_TYPE;
    if (json_is(value, "image"))
        l->facts |= FACT_TYPE_IMAGE;
    else if (json_is(value, "redacted_thinking") ||
             json_is(value, "redactedThinking"))
        l->facts |= FACT_TYPE_REDACTED;
    else if (json_is(value, "image_generation_call"))
        l->facts |= FACT_TYPE_GENERATED;
}

static void record_mime(struct walk *w, struct level *l, unsigned nth,
                        quire_bytes value)
{
    l->facts &= ~(FACT_MIME(nth) | FACT_MIME_IMAGE(nth));
    if (json_kind(value) != JSON_STRING)
        return;
    l->facts |= FACT_MIME(nth);
    if (bytes_starts(walk_head(w, value), bytes_str("image/")))
        l->facts |= FACT_MIME_IMAGE(nth);
}

/* Record a member that stays. Of a container, `value` is its opening bracket:
 * enough to know that it is not a string. */
static void record_member(struct walk *w, enum key key, quire_bytes value)
{
    static const quire_bytes absent = {NULL, 0};
    struct level *l = walk_level(w);
    enum json_kind kind = json_kind(value);
    quire_bytes text = kind == JSON_STRING ? value : absent;

    l->any_stays = true;
    if (key_is_seal(key)) {
        l->facts &= ~FACT_SEAL(key);
        if (text.len > 2)
            l->facts |= FACT_SEAL(key);
        return;
    }
    switch (key) {
    case KEY_TYPE: record_type(l, value); break;
    case KEY_MIME_TYPE: record_mime(w, l, 0, value); break;
    case KEY_MEDIA_TYPE: record_mime(w, l, 1, value); break;
    case KEY_MEDIA_TYPE_SNAKE: record_mime(w, l, 2, value); break;
    case KEY_DATA: l->data = text; break;
    case KEY_RESULT: l->result = text; break;
    case KEY_CONTENT: l->content = text; break;
    case KEY_LINE_COUNT:
        l->line_count = kind == JSON_NUMBER ? value : absent;
        break;
    default: break;
    }
}

/* The kind of list that a container under `key` is. */
static enum list list_of(const struct level *around, enum key key, bool object)
{
    if (object && !around->object)
        return around->list; /* an item */
    if (object)
        return key == KEY_CONTENT ? LIST_SINGLE : LIST_NONE;
    if (key == KEY_CONTENT)
        return LIST_CONTENT;
    return key == KEY_IMAGES || key == KEY_FRAMES ? LIST_MEDIA : LIST_NONE;
}

static void open_level(struct walk *w, enum key key, bool object)
{
    enum list list = list_of(walk_level(w), key, object);

    if (w->depth + 1 == w->n_levels) {
        size_t n = w->n_levels * 2;
        struct level *more = arena_array(w->tmp, n, sizeof *more);

        if (!more) {
            w->failed = true;
            return;
        }
        memcpy(more, w->levels, w->n_levels * sizeof *more);
        w->levels = more;
        w->n_levels = n;
    }
    w->levels[++w->depth] = (struct level){
        .list = list,
        .object = object,
        .n_changes = w->n_changes,
    };
}

static quire_status close_level(struct walk *w, quire_error *err)
{
    struct level *l = walk_level(w);
    quire_status st = l->object ? w->close(w, l, err) : QUIRE_OK;

    w->depth--;
    l[-1].changed |= l->changed;
    l[-1].hard |= l->hard;
    return st;
}

/* ---- changes ------------------------------------------------------------ */

void walk_add(struct walk *w, struct change change)
{
    if (w->n_changes == w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 8;
        struct change *list = arena_array(w->tmp, cap, sizeof *list);

        if (!list) {
            w->failed = true;
            return;
        }
        if (w->n_changes)
            memcpy(list, w->changes, w->n_changes * sizeof *list);
        w->changes = list;
        w->cap = cap;
    }
    w->changes[w->n_changes++] = change;
    walk_level(w)->changed = true;
}

void walk_replace(struct walk *w, quire_bytes old, quire_bytes with)
{
    json_edit_value(&w->edits, old, with);
    walk_level(w)->changed = true;
    walk_level(w)->hard = true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* A removed member takes one comma with it: the one in front, with the white
 * space around it, if a member before stays; else the one behind, if any. */
static void remove_member(struct walk *w, quire_bytes key, quire_bytes value)
{
    const char *from = key.data, *to = (const char *)value.data + value.len;
    const char *end = (const char *)w->value.data + w->value.len, *next = to;

    if (walk_level(w)->any_stays) {
        while (is_space(from[-1]) || from[-1] == ',')
            from--;
    } else {
        while (next < end && (is_space(*next) || *next == ','))
            next++;
        /* White space in front of the closing bracket stays. */
        if (next < end && *next == '"')
            to = next;
    }
    walk_replace(w, bytes_of(from, (size_t)(to - from)), bytes_of(NULL, 0));
}

/* ---- the walk ----------------------------------------------------------- */

static quire_status visit_item(struct walk *w, struct json_scan *s, bool open,
                               quire_error *err)
{
    enum key key = key_of(s->key);

    if (w->strip && is_transient(key)) {
        if (!open || json_scan_skip(s))
            remove_member(w, s->key, s->value);
        return QUIRE_OK;
    }
    if (s->key.data)
        record_member(w, key, s->value);
    if (open)
        open_level(w, key, *(const char *)s->value.data == '{');
    else if (json_kind(s->value) == JSON_STRING)
        return w->string(w, key, s->value, err);
    return QUIRE_OK;
}

static quire_status visit_step(struct walk *w, struct json_scan *s, bool *over,
                               quire_error *err)
{
    switch (json_scan_next(s)) {
    case JSON_STEP_SCALAR: return visit_item(w, s, false, err);
    case JSON_STEP_OPEN: return visit_item(w, s, true, err);
    case JSON_STEP_CLOSE: return close_level(w, err);
    case JSON_STEP_END: *over = true; return QUIRE_OK;
    case JSON_STEP_BAD: break;
    }
    return err_set(err, QUIRE_INVALID, "not JSON, byte %zu: %s", s->error.at,
                   s->error.why);
}

quire_status walk_run(struct walk *w, quire_error *err)
{
    struct json_scan s;
    quire_status st = QUIRE_OK;
    bool over = false;

    w->text = w->raw = (struct buf)BUF_INIT(SIZE_MAX / 2);
    json_edits_init(&w->edits, w->value, w->tmp);
    /* Most entries are less deep than this. */
    w->n_levels = 8;
    w->levels = arena_array(w->tmp, w->n_levels, sizeof *w->levels);
    w->failed = !w->levels;
    json_scan_init(&s, w->value);
    while (!st && !w->failed && !over)
        st = visit_step(w, &s, &over, err);
    if (!st && w->failed)
        st = err_memory(err);
    return st;
}

quire_status walk_splice(struct walk *w, struct buf *out, quire_error *err)
{
    if (w->failed)
        return err_memory(err);
    json_splice(&w->edits, out);
    return buf_status(out, "an entry", err);
}

void walk_release(struct walk *w)
{
    buf_release(&w->text);
    buf_release(&w->raw);
}
