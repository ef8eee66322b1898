/* pi_format.c - see pi_format.h */
#include "import/pi_format.h"

#include <stdio.h>

#include "import/blocks.h"
#include "import/fields.h"

static const quire_bytes none = {NULL, 0};

/* A string in an entry that can be a blob instead: of an image our own format's
 * limit. */
enum { IMAGE_MIN = 1026 };

enum entry_field {
    ENTRY_TYPE,
    ENTRY_ID,
    ENTRY_PARENT,
    ENTRY_TIMESTAMP,
    N_ENVELOPE,

    ENTRY_MESSAGE = N_ENVELOPE,
    ENTRY_MODEL,
    ENTRY_PROVIDER,
    ENTRY_MODEL_ID,
    ENTRY_NAME,
    ENTRY_TITLE,
    ENTRY_VERSION,
    ENTRY_CWD,
    ENTRY_PARENT_SESSION,
    ENTRY_KEPT_INDEX,
    N_ENTRY_FIELDS
};

static const struct field_name entry_fields[N_ENTRY_FIELDS] =
    {FIELD("type"),          FIELD("id"),
     FIELD("parentId"),      FIELD("timestamp"),
     FIELD("message"),       FIELD("model"),
     FIELD("provider"),      FIELD("modelId"),
     FIELD("name"),          FIELD("title"),
     FIELD("version"),       FIELD("cwd"),
     FIELD("parentSession"), FIELD("firstKeptEntryIndex")};

struct entry {
    quire_bytes text;
    quire_bytes of[N_ENTRY_FIELDS];
};

static struct pi_format *pi_of(const struct import_converter *c)
{
    return c->state;
}

static bool is_old(const struct import_converter *c, uint32_t version)
{
    return pi_of(c)->version && pi_of(c)->version < version;
}

/* ---- the session -------------------------------------------------------- */

static void set_fact(struct import_converter *c, enum fact f, quire_bytes text)
{
    struct buf *b = &c->facts[f];

    buf_clear(b);
    buf_add(b, text.data, text.len < b->max ? text.len : 0);
    c->failed |= b->failed;
}

/* An empty title is none. */
static void set_title(struct import_converter *c, quire_bytes title)
{
    if (!value_is_string(title))
        return;
    if (value_has_text(title))
        convert_fact(c, FACT_TITLE, title);
    else
        buf_clear(&c->facts[FACT_TITLE]);
}

/* An id, or the path of a session file: its name ends with the id. */
static void set_parent(struct import_converter *c, quire_bytes parent)
{
    quire_bytes text;
    const char *at, *end;

    if (!value_has_text(parent))
        return;
    text = convert_text(c, parent);
    at = text.data;
    end = at + text.len;
    if (memchr(at, '/', text.len)) {
        if (text.len > 6 && !memcmp(end - 6, ".jsonl", 6))
            end -= 6;
        for (at = end;
             at > (const char *)text.data && at[-1] != '/' && at[-1] != '_';)
            at--;
    }
    if (end > at)
        set_fact(c, FACT_PARENT, bytes_of(at, (size_t)(end - at)));
}

static void on_slot(struct import_converter *c, const struct entry *e)
{
    pi_of(c)->has_slot = 1;
    set_title(c, e->of[ENTRY_TITLE]);
    counts_add(&c->counts, "kept", bytes_str("title"), none);
}

static void on_header(struct import_converter *c, const struct entry *e)
{
    struct pi_format *s = pi_of(c);
    uint64_t version = value_count(e->of[ENTRY_VERSION]);

    s->version = version > 3 ? 3 : version ? (uint32_t)version : 1;
    convert_fact(c, FACT_SESSION, e->of[ENTRY_ID]);
    convert_fact(c, FACT_CWD, e->of[ENTRY_CWD]);
    convert_stamp(c, e->of[ENTRY_TIMESTAMP]);
    set_parent(c, e->of[ENTRY_PARENT_SESSION]);
    if (!s->has_slot)
        set_title(c, e->of[ENTRY_TITLE]);
    counts_add(&c->counts, "kept", bytes_str("session"), none);
}

/* ---- places ------------------------------------------------------------- */

static struct tree_key key_of_place(const struct import_converter *c)
{
    char text[48];

    snprintf(text, sizeof text, "place %u %llx", c->source,
             (unsigned long long)c->at);
    return tree_key_of(bytes_str(text));
}

static uint32_t find(struct import_converter *c, quire_bytes id)
{
    struct tree_key key;

    if (!value_has_text(id))
        return TREE_NONE;
    key = tree_key_short(convert_text(c, id));
    return tree_find(&c->tree, &key);
}

/* A node for the entry. Without an id, or in version 1, the place is its id. */
static uint32_t claim(struct import_converter *c, const struct entry *e)
{
    struct tree_key key = key_of_place(c);
    uint32_t old, node;

    if (is_old(c, 2) || !value_has_text(e->of[ENTRY_ID])) {
        /* An id of the file may be spelled as one of ours. */
        return tree_find(&c->tree, &key) == TREE_NONE ? tree_add(&c->tree, &key)
                                                      : TREE_NONE;
    }
    old = find(c, e->of[ENTRY_ID]);
    if (old != TREE_NONE) {
        convert_problem(c, 0, "duplicate_id", "a second entry with its id");
        if (tree_find(&c->tree, &key) != TREE_NONE)
            return TREE_NONE;
        node = tree_add(&c->tree, &key);
        if (node != TREE_NONE)
            c->tree.nodes[old].entry = node;
        return node;
    }
    key = tree_key_short(convert_text(c, e->of[ENTRY_ID]));
    return tree_add(&c->tree, &key);
}

static uint32_t find_parent(struct import_converter *c, const struct entry *e)
{
    quire_bytes parent = e->of[ENTRY_PARENT];
    uint32_t node;

    if (is_old(c, 2) || !parent.data)
        return c->leaf;
    if (!value_has_text(parent))
        return TREE_NONE;
    node = find(c, parent);
    if (node != TREE_NONE)
        return tree_tail(&c->tree, node);
    convert_problem(c, 0, "missing_parent", "its parent is not in the file");
    /* Most probably it was in the part that cannot be read. */
    return c->after_damage ? c->leaf : TREE_NONE;
}

/* ---- values ------------------------------------------------------------- */

static bool is_image(const char *object, const char *end, quire_bytes *mime)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("mimeType")};

    json_head(bytes_of(object, (size_t)(end - object)), w, 2, NULL);
    *mime = w[1].value;
    return value_is(w[0].value, "image");
}

/* The payload that a string of a value is; false: none. */
static bool find_payload(const struct json_scan *s, const char *object,
                         const char *end, enum import_payload_kind *kind,
                         quire_bytes *mime)
{
    *mime = none;
    if (!value_is_string(s->value) || s->value.len < IMAGE_MIN ||
        !value_is_string(s->key) || !object ||
        bytes_starts(s->value, bytes_str("\"blob:")))
        return false;
    *kind = IMPORT_IMAGE_URL;
    if (json_is(s->key, "image_url"))
        return bytes_starts(s->value, bytes_str("\"data:image/"));
    *kind = IMPORT_IMAGE;
    return json_is(s->key, "data") && is_image(object, end, mime);
}

/* Add a value, its images as payloads. */
static quire_status add_value(struct import_converter *c, quire_bytes value,
                              uint32_t node, quire_error *err)
{
    const char *starts[JSON_MAX_DEPTH + 1];
    const char *done = value.data, *end = done + value.len;
    enum import_payload_kind kind;
    quire_status st = QUIRE_OK;
    enum json_step step;
    struct json_scan s;
    quire_bytes mime;

    if (value.len >= IMAGE_MIN && c->sink.payload) {
        json_scan_init(&s, value);
        while (!st && (step = json_scan_next(&s)) != JSON_STEP_END &&
               step != JSON_STEP_BAD) {
            if (step == JSON_STEP_OPEN)
                starts[s.depth] = s.value.data;
            if (step != JSON_STEP_SCALAR ||
                !find_payload(&s, s.depth ? starts[s.depth] : NULL, end, &kind,
                              &mime))
                continue;
            buf_add(&c->out, done, (size_t)((const char *)s.value.data - done));
            st = entry_payload(c, kind, s.value, mime, none, node, &c->out,
                               err);
            done = (const char *)s.value.data + s.value.len;
        }
    }
    buf_add(&c->out, done, (size_t)(end - done));
    return st;
}

/* ---- entries ------------------------------------------------------------ */

/* Members that name an entry. */
static bool is_reference(quire_bytes key)
{
    return json_is(key, "targetId") || json_is(key, "firstKeptEntryId") ||
           json_is(key, "fromId") ||
           json_is(key, "providerReplayThroughEntryId");
}

/* The role of messages that version 3 calls custom. */
static quire_status add_message(struct import_converter *c, quire_bytes message,
                                uint32_t node, quire_error *err)
{
    quire_bytes role = json_get(message, "role");
    struct buf text = BUF_INIT(IMPORT_CEILING);
    const char *from = message.data, *at = role.data;
    quire_status st;

    if (!is_old(c, 3) || !value_is(role, "hookMessage"))
        return add_value(c, message, node, err);
    buf_add(&text, from, (size_t)(at - from));
    ADD(&text, "\"custom\"");
    buf_add(&text, at + role.len, message.len - (size_t)(at - from) - role.len);
    st = text.failed ? err_memory(err)
                     : add_value(c, buf_bytes(&text), node, err);
    buf_release(&text);
    return st;
}

/* Its entries count from 0, which is the header. Nothing is kept if it is not one
 * before the compaction. */
static void add_kept_index(struct import_converter *c, quire_bytes index,
                           uint32_t node)
{
    int64_t n;

    if (!json_read_int(index, &n) || n < 1 || n > (int64_t)node)
        return;
    ADD(&c->out, ",\"firstKeptEntryId\":");
    entry_add_id(c, &c->out, (uint32_t)(n - 1));
}

static quire_status add_member(struct import_converter *c,
                               const struct json_scan *it, uint32_t node,
                               quire_error *err)
{
    uint32_t target = TREE_NONE;

    if (is_old(c, 2) && json_is(it->key, "firstKeptEntryIndex")) {
        add_kept_index(c, it->value, node);
        return QUIRE_OK;
    }
    buf_add_char(&c->out, ',');
    add_bytes(&c->out, it->key);
    buf_add_char(&c->out, ':');
    if (is_reference(it->key))
        target = find(c, it->value);
    if (target != TREE_NONE) {
        entry_add_id(c, &c->out, c->tree.nodes[target].entry);
        return QUIRE_OK;
    }
    if (json_is(it->key, "message"))
        return add_message(c, it->value, node, err);
    return add_value(c, it->value, node, err);
}

static bool is_envelope(quire_bytes key)
{
    size_t i;

    for (i = 0; i < N_ENVELOPE; i++)
        if (json_is(key, entry_fields[i].name))
            return true;
    return false;
}

static quire_status add_members(struct import_converter *c,
                                const struct entry *e, uint32_t node,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    json_iter_init(&it, e->text);
    while (!st && json_next(&it))
        if (!is_envelope(it.key))
            st = add_member(c, &it, node, err);
    if (value_is(e->of[ENTRY_TYPE], "model_change") &&
        !e->of[ENTRY_MODEL].data && value_has_text(e->of[ENTRY_PROVIDER]) &&
        value_has_text(e->of[ENTRY_MODEL_ID])) {
        ADD(&c->out, ",\"model\":\"");
        add_bytes(&c->out, value_name(e->of[ENTRY_PROVIDER]));
        buf_add_char(&c->out, '/');
        add_bytes(&c->out, value_name(e->of[ENTRY_MODEL_ID]));
        buf_add_char(&c->out, '"');
    }
    return st;
}

/* Each reference to a blob in the line. */
static quire_status link_blobs(struct import_converter *c, quire_bytes text,
                               quire_error *err)
{
    static const char prefix[] = "blob:sha256:";
    const char *at = text.data, *end = at + text.len;
    uint8_t digest[32];
    quire_status st = QUIRE_OK;

    while (c->sink.link && !st &&
           (at = memmem(at, (size_t)(end - at), prefix, sizeof prefix - 1))) {
        struct import_link l = {IMPORT_BLOB, {NULL, 0}, {"", 0}};

        at += sizeof prefix - 1;
        if (end - at < 64 || !hex_decode(at, 32, digest))
            continue;
        l.target = bytes_of(at, 64);
        st = c->sink.link(c->sink.ctx, &l, err);
    }
    return st;
}

static void read_facts(struct import_converter *c, const struct entry *e)
{
    struct json_want w[] = {JSON_WANT("role"), JSON_WANT("model"),
                            JSON_WANT("content")};
    quire_bytes type = e->of[ENTRY_TYPE];

    convert_stamp(c, e->of[ENTRY_TIMESTAMP]);
    if (value_is(type, "title_change"))
        set_title(c, e->of[ENTRY_TITLE]);
    if (value_is(type, "session_info"))
        set_title(c, e->of[ENTRY_NAME]);
    if (!value_is(type, "message") ||
        !json_pick(e->of[ENTRY_MESSAGE], w, 3, NULL))
        return;
    if (value_is(w[0].value, "assistant"))
        convert_fact(c, FACT_MODEL, w[1].value);
    if (value_is(w[0].value, "user") && !c->facts[FACT_PROMPT].len)
        convert_first_fact(c, FACT_PROMPT, blocks_first_text(w[2].value));
}

static void count_unknown(struct import_converter *c, quire_bytes type)
{
    static const char *const names[] = {"message",
                                        "thinking_level_change",
                                        "model_change",
                                        "service_tier_change",
                                        "compaction",
                                        "branch_summary",
                                        "custom",
                                        "custom_message",
                                        "label",
                                        "ttsr_injection",
                                        "mcp_tool_selection",
                                        "session_init",
                                        "mode_change",
                                        "title_change",
                                        "credential_pin",
                                        "model_usage",
                                        "reset_boundary",
                                        "session_info",
                                        "usage",
                                        "context_edit"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (value_is(type, names[i]))
            return;
    counts_add(&c->counts, "unknown", value_name(type), none);
}

static quire_status on_entry(struct import_converter *c, const struct entry *e,
                             quire_error *err)
{
    uint32_t parent = find_parent(c, e), node = claim(c, e);
    struct buf *b = &c->out;
    quire_status st;

    if (node == TREE_NONE)
        return c->tree.failed ? err_memory(err) : QUIRE_OK;
    read_facts(c, e);
    count_unknown(c, e->of[ENTRY_TYPE]);
    buf_clear(b);
    ADD(b, "{\"type\":");
    add_bytes(b, value_has_text(e->of[ENTRY_TYPE]) ? e->of[ENTRY_TYPE]
                                                   : bytes_str("\"unknown\""));
    ADD(b, ",\"id\":");
    entry_add_id(c, b, node);
    ADD(b, ",\"parentId\":");
    entry_add_id(c, b, parent);
    ADD(b, ",\"timestamp\":\"");
    buf_add_str(b, *c->stamp.text ? c->stamp.text : "1970-01-01T00:00:00.000Z");
    buf_add_char(b, '"');
    st = link_blobs(c, e->text, err);
    if (!st)
        st = add_members(c, e, node, err);
    c->leaf = node;
    c->after_damage = false;
    buf_add_char(b, '}');
    return st ? st
              : hold_entry(c, node, value_is(e->of[ENTRY_TYPE], "message"),
                           err);
}

/* ---- the format --------------------------------------------------------- */

const char *const pi_record_starts[] = {"{\"type\":\"", "{\"customType\":\"",
                                        NULL};

quire_status pi_record(struct import_converter *c, quire_bytes text,
                       struct json_error *bad, quire_error *err)
{
    struct entry e = {.text = text};
    struct fields f = {.names = entry_fields, .n = N_ENTRY_FIELDS, .of = e.of};

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    if (!pi_of(c)->version && value_is(e.of[ENTRY_TYPE], "title") &&
        !e.of[ENTRY_ID].data) {
        on_slot(c, &e);
        return QUIRE_OK;
    }
    if (!pi_of(c)->version && value_is(e.of[ENTRY_TYPE], "session")) {
        on_header(c, &e);
        return QUIRE_OK;
    }
    if (value_is(e.of[ENTRY_TYPE], "session") ||
        value_is(e.of[ENTRY_TYPE], "title")) {
        counts_add(&c->counts, "repeated", value_name(e.of[ENTRY_TYPE]), none);
        return QUIRE_OK;
    }
    if (!pi_of(c)->version)
        pi_of(c)->version = value_has_text(e.of[ENTRY_ID]) ? 3 : 1;
    return on_entry(c, &e, err);
}

quire_status pi_finish(struct import_converter *c, quire_error *err)
{
    (void)c;
    (void)err;
    return QUIRE_OK;
}

void pi_init(struct import_converter *c)
{
    (void)c;
}

void pi_save(const struct import_converter *c, struct buf *out)
{
    state_put(out, pi_of(c), sizeof *pi_of(c));
}

void pi_restore(struct import_converter *c, struct state_reader *r)
{
    state_get(r, pi_of(c), sizeof *pi_of(c));
}
