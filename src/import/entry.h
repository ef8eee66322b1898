/*
 * entry.h - building the JSON of entries
 *
 * One entry at a time, in c->out: begin, add members, end. Values are copied as
 * they stand in the original.
 */
#ifndef IMPORT_ENTRY_H
#define IMPORT_ENTRY_H

#include "import/priv.h"

/* {"type":…,"id":…,"parentId":…,"timestamp":… of the record at hand. */
void entry_begin(struct import_converter *c, const char *type, uint32_t node,
                 uint32_t parent);

/* The same with another timestamp. */
void entry_begin_at(struct import_converter *c, const char *type, uint32_t node,
                    uint32_t parent, const struct stamp *stamp);

/* A member with its comma: JSON as it stands, or a number. */
void entry_raw(struct import_converter *c, const char *key, quire_bytes json);
void entry_uint(struct import_converter *c, const char *key, uint64_t n);

/* The id of a node as a JSON string, or null: TREE_NONE. */
void entry_add_id(struct import_converter *c, struct buf *b, uint32_t node);

/* Close the entry and pass it on. */
quire_status entry_end(struct import_converter *c, uint32_t node,
                       quire_error *err);

/* A message: its blocks go to c->out, then `]` and entry_end_message(). */
void entry_begin_message(struct import_converter *c, uint32_t node,
                         uint32_t parent, const char *role);

/* The result of a call: its blocks go to c->out. The id of the call and the name
 * of the tool are JSON strings; another value stands for "". */
void entry_begin_result(struct import_converter *c, uint32_t node,
                        uint32_t parent, quire_bytes call, quire_bytes tool);
quire_status entry_end_result(struct import_converter *c, uint32_t node,
                              bool is_error, quire_error *err);

/* An entry of type message whose `message` is complete but for its timestamp and
 * the closing brace. */
quire_status entry_end_message(struct import_converter *c, uint32_t node,
                               quire_error *err);

/* A whole entry of type custom. `data` may be absent. The customType is the
 * name of the format, "/", and `name`, the content of a JSON string. */
quire_status entry_custom(struct import_converter *c, uint32_t node,
                          uint32_t parent, quire_bytes name, quire_bytes data,
                          quire_error *err);

/* A whole entry of type title_change, unless the title is what it was. *done
 * reports whether there is one. */
quire_status entry_title(struct import_converter *c, uint32_t node,
                         uint32_t parent, quire_bytes title, bool by_user,
                         quire_error *err);

/* Add a value to `out`, or what the sink has in its place if it is a payload of
 * the size of its kind. `mime` and `tool` may be absent. */
quire_status entry_payload(struct import_converter *c,
                           enum import_payload_kind kind, quire_bytes json,
                           quire_bytes mime, quire_bytes tool, uint32_t node,
                           struct buf *out, quire_error *err);

/* Whether a value can stand anywhere in an entry: it is one value, and not nested
 * so deeply that the entry around it could not be read any more. */
bool entry_can_hold(quire_bytes json);

/* Emit a closed answer: `blocks` are its blocks with commas. */
quire_status entry_answer(struct import_converter *c, uint32_t node,
                          struct answer *a, quire_bytes blocks,
                          quire_error *err);

/* Whether another session has the usage of this answer. */
bool answer_is_elsewhere(struct import_converter *c, const struct answer *a);

/* Give c->out to the sink. */
quire_status entry_emit(struct import_converter *c, uint32_t node,
                        const struct entry_flags *flags, quire_error *err);

/* The flags of an entry of the record at hand. */
struct entry_flags entry_flags(const struct import_converter *c,
                               bool is_message);

/* Add to `b`. */
void add_bytes(struct buf *b, quire_bytes bytes);
void add_uint(struct buf *b, uint64_t n);
void add_ms(struct buf *b, int64_t ms);

/* A literal, its length known. */
#define ADD(b, literal) buf_add((b), (literal), sizeof(literal) - 1)

#endif
