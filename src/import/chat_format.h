/*
 * chat_format.h - messages in the shapes of OpenAI and Anthropic
 *
 * A record is a message, or an object with a list of them:
 *
 *     {role, content}, {role, message: {content}}, {from, value}
 *     {role: assistant, tool_calls: […], reasoning_content}
 *     {role: tool, tool_call_id, content}
 *     {role: user, content: [{type: tool_result, tool_use_id, content}, …]}
 *     {messages: […], model}      a conversation of its own: a new root
 *
 * In a line each, in one array, or in the list `messages` of one object. Each
 * message follows the one before. Times are optional, as text or number.
 */
#ifndef IMPORT_CHAT_FORMAT_H
#define IMPORT_CHAT_FORMAT_H

#include "import/calls.h"
#include "import/priv.h"

struct chat_format {
    uint32_t n_parts; /* entries that the record at hand has by its place */
    struct short_json model, last_call;
    struct calls calls;
};

quire_status chat_record(struct import_converter *c, quire_bytes text,
                         struct json_error *bad, quire_error *err);
quire_status chat_member(struct import_converter *c, quire_bytes key,
                         quire_bytes value, quire_error *err);
quire_status chat_finish(struct import_converter *c, quire_error *err);
void chat_init(struct import_converter *c);
void chat_save(const struct import_converter *c, struct buf *out);
void chat_restore(struct import_converter *c, struct state_reader *r);

extern const char *const chat_record_starts[];
extern const char *const chat_lists[];

/* clang-format off */
#define CHAT_FORMAT(agent)                     \
    {.name = (agent),                          \
     .version = 1,                             \
     .record_starts = chat_record_starts,      \
     .state_size = sizeof(struct chat_format), \
     .lists = chat_lists,                      \
     .init = chat_init,                        \
     .record = chat_record,                    \
     .member = chat_member,                    \
     .finish = chat_finish,                    \
     .save = chat_save,                        \
     .restore = chat_restore}
/* clang-format on */

#endif
