/*
 * session_entry.c - an entry in one line
 *
 * The kind of an entry and its beginning, for lists. Any field may be absent or
 * have another type: other programs write entries, too.
 */
#include <string.h>

#include "base/bytes.h"
#include "cli/core/cli.h"
#include "cli/cmd/session.h"

enum { SNIPPET_UNITS = 400 }; /* more than a screen is wide */

/* ---- notes -------------------------------------------------------------- */

/* Entries with one value. The first row whose key exists applies; a row without a
 * key always does. */
static const struct note {
    const char *type, *text, *key;
} notes[] = {
    {"model_change", "model", "model"},
    {"model_change", "model", "modelId"},
    {"thinking_level_change", "thinking", "thinkingLevel"},
    {"mode_change", "mode", "mode"},
    {"service_tier_change", "service tier", "serviceTier"},
    {"title_change", "title", "title"},
    {"session_info", "title", "name"},
    {"session_init", "task", "task"},
    {"ttsr_injection", "rules", "injectedRules"},
    {"mcp_tool_selection", "tools", "selectedToolNames"},
    {"credential_pin", "credential of", "provider"},
    {"model_usage", "usage of", "model"},
    {"reset_boundary", "reset", NULL},
    {"custom", "custom", "customType"},
    {"custom", "custom", NULL},
};

/* "label checkpoint on a1b2c3d4". */
static void add_label_note(struct buf *out, quire_bytes json)
{
    quire_bytes label = json_get(json, "label");

    if (json_kind(label) == JSON_STRING && label.len > 2) {
        buf_add_str(out, "label ");
        term_add_json(out, label, SNIPPET_UNITS, true);
        buf_add_str(out, " on ");
    } else {
        buf_add_str(out, "no label on ");
    }
    term_add_json(out, json_get(json, "targetId"), SNIPPET_UNITS, true);
}

bool entry_add_note(struct buf *out, const quire_entry *entry)
{
    size_t i;

    if (bytes_is(entry->type, "label")) {
        add_label_note(out, entry->json);
        return true;
    }
    for (i = 0; i < sizeof notes / sizeof *notes; i++) {
        const struct note *n = &notes[i];
        quire_bytes value = {0};

        if (!bytes_is(entry->type, n->type))
            continue;
        if (n->key)
            value = json_get(entry->json, n->key);
        if (n->key && !value.data)
            continue;
        buf_add_str(out, n->text);
        if (n->key) {
            buf_add_char(out, ' ');
            term_add_json(out, value, SNIPPET_UNITS, true);
        }
        if (!strcmp(n->type, "model_change") &&
            json_kind(json_get(entry->json, "role")) == JSON_STRING) {
            buf_add_str(out, " for ");
            term_add_json(out, json_get(entry->json, "role"), SNIPPET_UNITS,
                          true);
        }
        return true;
    }
    return false;
}

/* ---- kinds -------------------------------------------------------------- */

void entry_add_kind(struct buf *out, const quire_entry *entry)
{
    quire_bytes role = {0};

    if (bytes_is(entry->type, "message"))
        role = json_get(json_get(entry->json, "message"), "role");
    if (json_is(role, "toolResult"))
        buf_add_str(out, "result");
    else if (json_kind(role) == JSON_STRING)
        term_add_json(out, role, SNIPPET_UNITS, true);
    else if (entry->type.len)
        term_add(out, entry->type, true);
    else
        buf_add_char(out, '?');
}

/* ---- snippets ----------------------------------------------------------- */

/* One block of a message; true if it has text. */
static bool add_block(struct buf *out, quire_bytes block)
{
    struct json_want w[] = {JSON_WANT("type"),  JSON_WANT("text"),
                            JSON_WANT("name"),  JSON_WANT("arguments"),
                            JSON_WANT("input"), JSON_WANT("mimeType")};

    if (!json_pick(block, w, sizeof w / sizeof *w, NULL))
        return false;
    if (json_kind(w[1].value) == JSON_STRING) {
        term_add_json(out, w[1].value, SNIPPET_UNITS, true);
        return w[1].value.len > 2;
    }
    if (json_kind(w[2].value) == JSON_STRING) {
        buf_addf(out, "%s ", term_marks()->arrow);
        term_add_json(out, w[2].value, SNIPPET_UNITS, true);
        buf_add_char(out, ' ');
        term_add_json(out, w[3].value.data ? w[3].value : w[4].value,
                      SNIPPET_UNITS, true);
        return true;
    }
    if (json_is(w[0].value, "image")) {
        buf_add_str(out, "[image");
        if (json_kind(w[5].value) == JSON_STRING) {
            buf_add_char(out, ' ');
            term_add_json(out, w[5].value, SNIPPET_UNITS, true);
        }
        buf_add_char(out, ']');
        return true;
    }
    return false;
}

static bool add_content(struct buf *out, quire_bytes content)
{
    struct json_scan it;

    if (json_kind(content) == JSON_STRING) {
        term_add_json(out, content, SNIPPET_UNITS, true);
        return true;
    }
    if (json_kind(content) != JSON_ARRAY)
        return false;
    json_iter_init(&it, content);
    while (json_next(&it)) {
        if (add_block(out, it.value))
            return true;
    }
    return false;
}

static void add_message(struct buf *out, quire_bytes message)
{
    /* Else the first of these that exists. */
    static const char *const keys[] = {"command", "code", "summary",
                                       "errorMessage", "files"};
    quire_bytes tool = json_get(message, "toolName");
    size_t i;

    if (json_kind(tool) == JSON_STRING) {
        term_add_json(out, tool, SNIPPET_UNITS, true);
        buf_add_str(out, ": ");
    }
    if (add_content(out, json_get(message, "content")))
        return;
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        quire_bytes value = json_get(message, keys[i]);

        if (value.data) {
            term_add_json(out, value, SNIPPET_UNITS, true);
            return;
        }
    }
}

void entry_add_snippet(struct buf *out, const quire_entry *entry)
{
    quire_bytes summary;

    if (bytes_is(entry->type, "message")) {
        add_message(out, json_get(entry->json, "message"));
    } else if (bytes_is(entry->type, "custom_message")) {
        add_content(out, json_get(entry->json, "content"));
    } else if (bytes_is(entry->type, "compaction") ||
               bytes_is(entry->type, "branch_summary")) {
        summary = json_get(entry->json, "shortSummary");
        if (!summary.data)
            summary = json_get(entry->json, "summary");
        term_add_json(out, summary, SNIPPET_UNITS, true);
    } else {
        entry_add_note(out, entry);
    }
}
