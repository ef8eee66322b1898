/*
 * codex.h - what the files of this converter share
 *
 *     codex.c    lines, the session, events
 *     items.c    items of the conversation
 *     output.c   outputs of calls
 *     compact.c  compactions
 */
#ifndef IMPORT_CODEX_H
#define IMPORT_CODEX_H

#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

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
    struct short_json root; /* JSON string: where a copied history began; empty:
                               here                                     */
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

/* ---- output.c ---- */

quire_status codex_output(struct import_converter *c, const struct item *i,
                          quire_error *err);

#endif
