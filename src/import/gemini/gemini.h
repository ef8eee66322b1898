/*
 * gemini.h - what the files of this converter share
 *
 *     gemini.c   lines, the session, rewinds, replaced histories
 *     message.c  messages: users, answers with their results, notices
 */
#ifndef IMPORT_GEMINI_H
#define IMPORT_GEMINI_H

#include "import/blocks.h"

/* A message on the current path. */
struct gemini_step {
    uint64_t id;     /* hash of its id; 0: it has none */
    uint32_t before; /* node of the leaf before it     */
    uint32_t unused;
};

struct gemini {
    /* The last message: it may come again, with more in it. */
    struct buf pending;
    uint64_t pending_at, pending_id;

    uint32_t n_parts; /* entries that the record at hand has by its place */
    struct gemini_step *path; /* owned */
    uint32_t n_path, cap_path;
    struct calls calls;
};

static inline struct gemini *gemini_of(const struct import_converter *c)
{
    return c->state;
}

/* Convert a message: an object. The session goes on behind it. */
quire_status gemini_message(struct import_converter *c, quire_bytes text,
                            quire_error *err);

/* A node below the leaf, which it becomes: for an id (JSON string), or for what
 * has none. */
uint32_t gemini_place(struct import_converter *c, quire_bytes id,
                      uint32_t *parent);

/* A custom entry there. */
quire_status gemini_custom(struct import_converter *c, quire_bytes id,
                           quire_bytes name, quire_bytes data,
                           quire_error *err);

#endif
