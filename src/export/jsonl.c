/*
 * jsonl.c - sessions in Quire's own format (docs/format.md), without a store
 *
 * The entries of the path as they are stored, with the content of their blobs.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "export/targets.h"

/* A copy of an object with other members, on a line of its own. */
static void put_changed(struct export *x, quire_bytes json,
                        const struct json_change *changes, size_t n)
{
    struct buf b = BUF_INIT((size_t)2 << 30);
    struct json_edits edits;

    json_edits_init(&edits, json, &x->tmp);
    json_edit_members(&edits, json, changes, n, NULL);
    json_splice(&edits, &b);
    x->out.failed |= b.failed;
    export_raw(x, buf_bytes(&b));
    export_line(x);
    buf_release(&b);
}

/* The title may stand in a line of its own. */
static quire_status begin(struct export *x, quire_error *err)
{
    struct json_change changes[2] = {{.key = "version",
                                      .value = bytes_str("3")},
                                     {.key = "title"}};
    struct buf title = BUF_INIT((size_t)1 << 20);

    (void)err;
    json_add_quoted(&title, bytes_str(x->session.title));
    changes[1].value = buf_bytes(&title);
    x->out.failed |= title.failed;
    put_changed(x, x->session.header, changes, *x->session.title ? 2 : 1);
    buf_release(&title);
    return QUIRE_OK;
}

static quire_status entry(struct export *x, quire_bytes json, quire_error *err)
{
    struct json_change root = {.key = "parentId", .value = bytes_str("null")};
    bool *begun = x->state;

    (void)err;
    arena_reset(&x->tmp);
    if (!*begun) {
        *begun = true;
        put_changed(x, json, &root, 1);
        return QUIRE_OK;
    }
    export_raw(x, json);
    export_line(x);
    return QUIRE_OK;
}

const struct export_target export_jsonl = {
    .name = "jsonl",
    .title = "JSON Lines",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .as_stored = true,
    .state_size = sizeof(bool),
    .begin = begin,
    .entry = entry,
};
