/*
 * claude_code.h - what the files of this converter share
 *
 *     claude_code.c  which record is what; facts, notices, state
 *     line.c         the members of a record
 *     place.c        its place in the tree
 *     answer.c       assistant
 *     user.c         user: prompts and results
 *     compact.c      compactions
 *     meta.c         records without a place
 */
#ifndef IMPORT_CLAUDE_CODE_H
#define IMPORT_CLAUDE_CODE_H

#include "import/blocks.h"
#include "import/fields.h"

/* Members of a record. The first ones are on nearly every record and say where
 * it belongs; the others are what some kinds say. */
enum line_field {
    LINE_PARENT,
    LINE_LOGICAL_PARENT,
    LINE_SIDECHAIN,
    LINE_USER_TYPE,
    LINE_CWD,
    LINE_SESSION,
    LINE_VERSION,
    LINE_BRANCH,
    LINE_SLUG,
    LINE_AGENT,
    LINE_ENTRYPOINT,
    LINE_TYPE,
    LINE_UUID,
    LINE_TIMESTAMP,
    LINE_SESSION_KIND,
    LINE_FORKED_FROM,
    N_ENVELOPE,

    LINE_MESSAGE = N_ENVELOPE,
    LINE_REQUEST,
    LINE_TOOL_RESULT,
    LINE_IS_META,
    LINE_IS_SUMMARY,
    LINE_IS_API_ERROR,
    LINE_IS_ABORTED,
    LINE_SUBTYPE,
    LINE_COMPACT_METADATA,
    LINE_ATTACHMENT,
    LINE_SUMMARY,
    LINE_CUSTOM_TITLE,
    LINE_AI_TITLE,
    LINE_LEAF,
    LINE_RELOCATED_CWD,
    LINE_SNAPSHOT,
    LINE_OPERATION,
    N_USED,
    /* Behind these: known, and left in the original. */
    N_LINE_FIELDS = N_USED + 32
};

enum message_field {
    MESSAGE_ROLE,
    MESSAGE_CONTENT,
    MESSAGE_ID,
    MESSAGE_MODEL,
    MESSAGE_STOP,
    MESSAGE_USAGE,
    N_MESSAGE_USED,
    N_MESSAGE_FIELDS = N_MESSAGE_USED + 6
};

struct line {
    quire_bytes text;
    quire_bytes of[N_LINE_FIELDS];
    quire_bytes message[N_MESSAGE_FIELDS];
    quire_bytes unknown[FIELDS_UNKNOWN]; /* keys of other members */
    size_t n_unknown;
};

enum { N_STATE_KINDS = 16 };

struct claude {
    uint32_t root;      /* node of what came before the first message       */
    uint32_t side_leaf; /* of a sub-agent's records                         */
    uint32_t title_rank;

    /* A compact_boundary whose summary has not come yet. */
    uint32_t boundary, boundary_up; /* nodes; TREE_NONE: there is none      */
    uint32_t boundary_kept;         /* of the first record that it keeps    */
    struct short_json boundary_tokens, boundary_trigger;

    uint64_t last_state[N_STATE_KINDS]; /* hash of the last record of a kind */
    struct calls calls;
};

static inline struct claude *claude_of(const struct import_converter *c)
{
    return c->state;
}

/* ---- line.c ---- */

/* Read l->text, the rest being zero. False, with *bad, if it is not one object. */
bool claude_read_line(struct line *l, struct json_error *bad);

/* The members of a record that are not its envelope, in c->blocks. */
quire_bytes claude_data(struct import_converter *c, const struct line *l);

/* ---- meta.c ---- */

/* Convert a record without a place in the tree. */
quire_status claude_meta(struct import_converter *c, const struct line *l,
                         quire_error *err);

/* ---- place.c ---- */

/* Where an entry goes. */
struct place {
    uint32_t node;   /* of the record                                      */
    uint32_t up;     /* node of its parent, as the program has it          */
    uint32_t parent; /* node of the entry above; TREE_NONE: a root         */
    bool sidechain;
};

/* A node for the record; false: its uuid is taken, which is reported. */
bool claude_claim(struct import_converter *c, const struct line *l,
                  uint32_t *node);

/* The same with its place; `parent` is the uuid of its parent, or null. */
bool claude_find_place(struct import_converter *c, const struct line *l,
                       quire_bytes parent, struct place *p);

/* The record is in the tree: here the session continues. */
void claude_set_leaf(struct import_converter *c, const struct place *p);

/* The same, and it belongs to the step of its parent. */
void claude_join_chain(struct import_converter *c, const struct place *p);

/* ---- answer.c, user.c ---- */

quire_status claude_assistant(struct import_converter *c, const struct line *l,
                              quire_error *err);
quire_status claude_user(struct import_converter *c, const struct line *l,
                         quire_error *err);

/* A prompt that was typed while a tool ran. */
quire_status claude_queued(struct import_converter *c, quire_bytes prompt,
                           const struct place *p, quire_error *err);

/* ---- compact.c ---- */

quire_status claude_begin_boundary(struct import_converter *c,
                                   const struct line *l, quire_error *err);
quire_status claude_compact_summary(struct import_converter *c,
                                    const struct line *l, quire_error *err);

/* No summary came for the boundary: the context begins anew all the same. */
quire_status claude_end_boundary(struct import_converter *c, quire_error *err);

#endif
