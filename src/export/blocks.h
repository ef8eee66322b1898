/*
 * blocks.h - the content of messages, read
 *
 * What is missing or of another kind reads as nothing; so every entry can be
 * read. False, and .data NULL: out of memory.
 */
#ifndef EXPORT_BLOCKS_H
#define EXPORT_BLOCKS_H

#include "base/arena.h"
#include "base/json.h"
#include "export/message.h"

/* The text of a JSON string; empty for other values. */
quire_bytes export_blocks_text(quire_bytes json, struct arena *keep);

/* A string, a list of blocks, or one block. */
bool export_blocks_read(quire_bytes content, struct export_blocks *out,
                        struct arena *keep);

/* Role, content and all that a message says. False also if it has no known
 * role. */
bool export_blocks_message(quire_bytes json, struct export_message *m,
                           struct arena *keep);

#endif
