/*
 * blocks.h - the content of messages
 *
 * Blocks are added one by one, or a whole content is: a string, or a list of
 * blocks in the shapes of the providers:
 *
 *     Anthropic, OpenAI                    our format
 *     text, input_text, output_text, refusal   text
 *     thinking, signature                  thinking, thinkingSignature
 *     redacted_thinking, data              redactedThinking, data
 *     tool_use: id, name, input            toolCall: id, name, arguments
 *     image: source {media_type, data}     image: mimeType, data
 *     image_url: a data: URL               the same; of another URL image_url
 *     document, and any other              as it stands, its data as a payload
 *
 *     Google                               our format
 *     {text}; with thought: true           text; thinking
 *     {functionCall: {id, name, args}}     toolCall
 *     {inlineData: {mimeType, data}}       image
 *     {functionResponse}                   in a result: its text
 *     any other                            as it stands
 */
#ifndef IMPORT_BLOCKS_H
#define IMPORT_BLOCKS_H

#include "import/calls.h"
#include "import/entry.h"
#include "import/value.h"

struct blocks {
    struct import_converter *c;
    uint32_t node;   /* of their entry                        */
    struct buf *out; /* blocks are added here, with commas    */
    bool is_result;  /* of a tool, with this name: a JSON string */
    quire_bytes tool;
    struct answer *answer; /* NULL: calls are left as they stand    */
    struct calls *calls;   /* of an answer; NULL: not remembered    */
    bool comma;            /* one is needed before the next block   */
};

/* `text` and the other values are JSON strings, `name` too; `signature` may be
 * absent. The input of a call is an object, or a string with one; another value
 * becomes {"input": …}. Without an id the place of the record is one. */
quire_status blocks_text(struct blocks *b, quire_bytes text, quire_error *err);
quire_status blocks_thinking(struct blocks *b, quire_bytes text,
                             quire_bytes signature, quire_error *err);
quire_status blocks_call(struct blocks *b, quire_bytes id, quire_bytes name,
                         quire_bytes input, quire_error *err);
quire_status blocks_image(struct blocks *b, quire_bytes data, quire_bytes mime,
                          quire_error *err);
quire_status blocks_image_url(struct blocks *b, quire_bytes url,
                              quire_error *err);

/* A data: URL: an image, or a document with that name (a JSON string, or absent).
 * False in *known: another URL, nothing is added. */
quire_status blocks_data_url(struct blocks *b, quire_bytes url,
                             quire_bytes name, bool *known, quire_error *err);

/* A block of an unknown kind, as it stands; `data` is a string in it that is a
 * payload, or absent. */
quire_status blocks_raw(struct blocks *b, quire_bytes block, quire_bytes data,
                        quire_bytes mime, quire_error *err);

/* A whole content, or one block of it. */
quire_status blocks_add(struct blocks *b, quire_bytes content,
                        quire_error *err);
quire_status blocks_add_one(struct blocks *b, quire_bytes block,
                            quire_error *err);

/* The same of Google's parts. */
quire_status blocks_add_parts(struct blocks *b, quire_bytes parts,
                              quire_error *err);

/* The first text of a content: a JSON string, absent if there is none. */
quire_bytes blocks_first_text(quire_bytes content);

/* Add the input of a call, as blocks_call() does. */
void blocks_add_input(struct import_converter *c, quire_bytes input,
                      struct buf *out);

#endif
