/*
 * codex.h - what the files of this converter share
 *
 *     codex.c    lines, the session, events
 *     items.c    items of the conversation
 *     content.c  texts and images of an item
 *     output.c   outputs of calls
 *     compact.c  compactions
 *     place.c    where an entry goes
 */
#ifndef IMPORT_CODEX_H
#define IMPORT_CODEX_H

#include "import/calls.h"
#include "import/entry.h"
#include "import/fields.h"

/* Members of a payload; of a whole line in the form without an envelope. */
enum item_field {
    ITEM_TYPE,
    ITEM_ROLE,
    ITEM_CONTENT,
    ITEM_ID,
    ITEM_NAME,
    ITEM_ARGUMENTS,
    ITEM_CALL,
    ITEM_OUTPUT,
    ITEM_SUMMARY,
    ITEM_ENCRYPTED,
    ITEM_INPUT,
    ITEM_ACTION,
    ITEM_RESULT,
    ITEM_MESSAGE,
    ITEM_HISTORY,
    ITEM_INFO,
    ITEM_TURNS,
    ITEM_TIMESTAMP,
    ITEM_CWD,
    ITEM_MODEL,
    ITEM_EFFORT,
    ITEM_THREAD_NAME,
    ITEM_NEW_THREAD,
    ITEM_RECORD_TYPE,
    ITEM_ITEM,
    ITEM_INSTRUCTIONS,
    N_ITEM_FIELDS
};

struct item {
    quire_bytes json;
    quire_bytes of[N_ITEM_FIELDS];
    uint64_t ordinal; /* UINT64_MAX: none */
};

enum { CODEX_TEXTS = 16 };

struct codex {
    uint32_t has_meta;
    uint32_t n_texts;
    uint64_t inherited_until;    /* ordinal; records below are another's    */
    uint64_t total;              /* tokens of the session so far            */
    uint64_t context;            /* tokens of the last call                 */
    uint64_t texts[CODEX_TEXTS]; /* hashes of the last texts of users       */
    struct short_json provider, model, effort, name;
    struct calls calls;

    /* Where the session stood before each prompt, for rollbacks. */
    uint32_t *turns; /* owned; nodes */
    uint32_t n_turns, cap_turns;
};

static inline struct codex *codex_of(const struct import_converter *c)
{
    return c->state;
}

/* ---- items.c ---- */

/* Convert an item of the conversation. */
quire_status codex_item(struct import_converter *c, const struct item *i,
                        quire_error *err);

/* ---- compact.c ---- */

quire_status codex_compacted(struct import_converter *c, const struct item *i,
                             quire_error *err);

/* Was this the text of a user's message lately? JSON string. */
bool codex_seen_text(const struct import_converter *c, quire_bytes text);

/* ---- place.c ---- */

/* A node below the leaf, which it becomes; *parent is the node above. `part`
 * numbers the entries of one record. */
uint32_t codex_place(struct import_converter *c, uint32_t part,
                     uint32_t *parent);

/* A custom entry there. */
quire_status codex_custom(struct import_converter *c, uint32_t part,
                          quire_bytes name, quire_bytes data, quire_error *err);

/* ---- output.c ---- */

quire_status codex_output(struct import_converter *c, const struct item *i,
                          quire_error *err);

/* ---- content.c ---- */

/* Add the blocks of a content, a string or a list. Its texts are payloads of this
 * kind; `tool` as for them. `comma`: one has to stand before the first. */
quire_status codex_blocks(struct import_converter *c, quire_bytes content,
                          enum import_payload_kind kind, quire_bytes tool,
                          uint32_t node, struct buf *out, bool comma,
                          quire_error *err);

/* Its first text: a JSON string, absent if there is none. */
quire_bytes codex_first_text(quire_bytes content);

static inline bool codex_is(quire_bytes value, const char *text)
{
    return json_kind(value) == JSON_STRING && json_is(value, text);
}

/* The content of a JSON string without its quotes; "?" for other values. */
static inline quire_bytes codex_name(quire_bytes string)
{
    if (json_kind(string) != JSON_STRING)
        return bytes_str("?");
    return bytes_sub(string, 1, string.len - 1);
}

#endif
