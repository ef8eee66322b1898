/*
 * schema.h - schemas of answers in a short notation
 *
 * A type is written so:
 *
 *     int time text flag ...   a word of the list in schema.c
 *     Artifact                 another schema
 *     soft/hard                one of these texts; "base64/" is this one
 *     type*                    an array of them
 *     type?                    that, or null
 *
 * A schema is the members of an object, "name:type" each. "name?:type" need not
 * be there, "..." lets there be others, and "A|B" alone is one schema or the
 * other.
 *
 * Members are added over time, and clients must ignore unknown ones. The tests do
 * not, so all members are listed here.
 */
#ifndef SERVER_OPENAPI_SCHEMA_H
#define SERVER_OPENAPI_SCHEMA_H

#include "base/json.h"
#include "quire.h"

#define MEMORY_TYPES "user/feedback/project/reference/learning/context"
#define SEARCH_KINDS                                                      \
    "message/thinking/tool_input/tool_result/summary/title/label/output/" \
    "artifact/memory/history"
#define SEARCH_ROLES "user/assistant/tool/system"
#define RELATIONS    "relates_to/refines/contradicts/supersedes/supports"

/* An object of JSON Schema for a type, which is left open for more members. */
void schema_begin(struct json_writer *w, quire_bytes type);

/* All that have a name, as one object. */
void schema_write_all(struct json_writer *w);

#endif
