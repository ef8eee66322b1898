/* compact.c - compactions; see codex.h */
#include "import/codex/codex.h"

static const quire_bytes none = {NULL, 0};

/* Copy a value with its images as payloads: every compaction repeats them. */
static quire_status copy_with_images(struct import_converter *c,
                                     quire_bytes value, uint32_t node,
                                     struct buf *out, quire_error *err)
{
    const char *done = value.data, *end = done + value.len;
    enum json_step step;
    quire_status st = QUIRE_OK;
    struct json_scan s;

    json_scan_init(&s, value);
    while (!st && (step = json_scan_next(&s)) != JSON_STEP_END &&
           step != JSON_STEP_BAD) {
        if (step != JSON_STEP_SCALAR || s.value.len < 1024 ||
            !bytes_starts(s.value, bytes_str("\"data:image/")))
            continue;
        buf_add(out, done, (size_t)((const char *)s.value.data - done));
        st = entry_payload(c, IMPORT_IMAGE_URL, s.value, none, none, node, out,
                           err);
        done = (const char *)s.value.data + s.value.len;
    }
    buf_add(out, done, (size_t)(end - done));
    return st;
}

/* The text of the last message of a history. */
static quire_bytes last_text(quire_bytes history)
{
    quire_bytes last = none;
    struct json_scan it;

    if (json_kind(history) != JSON_ARRAY)
        return none;
    json_iter_init(&it, history);
    while (json_next(&it)) {
        quire_bytes text = blocks_first_text(json_get(it.value, "content"));

        if (text.data)
            last = text;
    }
    return last;
}

static quire_status add_history(struct import_converter *c, quire_bytes history,
                                uint32_t node, quire_error *err)
{
    struct buf copy = BUF_INIT(IMPORT_CEILING);
    quire_status st = copy_with_images(c, history, node, &copy, err);

    if (!st && copy.failed)
        st = err_memory(err);
    ADD(&c->out, ",\"details\":{\"replacementHistory\":");
    if (!st)
        st = entry_payload(c, IMPORT_DATA, buf_bytes(&copy), none, none, node,
                           &c->out, err);
    buf_add_char(&c->out, '}');
    buf_release(&copy);
    return st;
}

quire_status codex_compacted(struct import_converter *c, const struct item *i,
                             quire_error *err)
{
    quire_bytes summary = i->of[ITEM_MESSAGE], history = i->of[ITEM_HISTORY];
    quire_status st = hold_close_all(c, err);
    uint32_t node, parent;
    char id[TREE_ID_SIZE];

    node = linear_place(c, 0, &parent);
    if (st || node == TREE_NONE)
        return st ? st : err_memory(err);
    if (!value_is_string(summary) || summary.len <= 2)
        summary = last_text(history);
    entry_begin(c, "compaction", node, parent);
    ADD(&c->out, ",\"summary\":");
    st = entry_payload(c, IMPORT_TEXT,
                       summary.data ? summary : bytes_str("\"\""), none, none,
                       node, &c->out, err);
    ADD(&c->out, ",\"firstKeptEntryId\":\"");
    buf_add(&c->out, id, tree_id(&c->tree, node, id));
    buf_add_char(&c->out, '"');
    entry_uint(c, "tokensBefore", codex_of(c)->context);
    if (!st && json_kind(history) == JSON_ARRAY)
        st = add_history(c, history, node, err);
    return st ? st : entry_end(c, node, err);
}
