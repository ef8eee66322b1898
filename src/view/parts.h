/*
 * parts.h - what a model saw, by part
 *
 * Tokens are estimates: four bytes of ASCII, or one other character, are one; an image
 * is 1,200.
 */
#ifndef VIEW_PARTS_H
#define VIEW_PARTS_H

#include "base/json.h"
#include "quire.h"

/* Write "messages", "total_tokens", "by_kind" and "parts", of the context of a session
 * at `leaf`. QUIRE_NO_MEMORY: it has more than VIEW_CONTEXT_MAX bytes. */
quire_status view_parts(quire_session *s, const char *leaf,
                        struct json_writer *w, quire_error *err);

#define VIEW_CONTEXT_MAX ((size_t)128 << 20)

#endif
