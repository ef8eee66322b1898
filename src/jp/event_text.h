/*
 * event_text.h - the searchable texts of a conversation
 *
 *   chat_request        content                               MESSAGE, user
 *                       each resource: its uri and content    MESSAGE, user
 *   chat_response       message, or the strings in data       MESSAGE
 *                       reasoning                             THINKING
 *   tool_call_request   strings and numbers in arguments      TOOL_INPUT
 *   tool_call_response  blocks, joined with "\n"              TOOL_RESULT
 *   inquiry_request     the question, of its source           MESSAGE
 *   inquiry_response    the answer                            MESSAGE, user
 *   compaction          summary                               SUMMARY
 *
 * Payloads are decoded: base64 as JP reads it (bare_is_base64()), wrappers, and
 * references to blobs. Bytes that are not UTF-8 are no text. A resource with
 * the media type of an image marks its text. The title is in metadata.json, and
 * the model in the configuration: neither is read here.
 */
#ifndef JP_EVENT_TEXT_H
#define JP_EVENT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"
#include "search/text.h"

/* The event that a text is part of; the parts of each count from 0. */
struct event_place {
    uint64_t index;   /* in the array, from 0                          */
    quire_bytes id;   /* its event_id, decoded; empty: it has none     */
    quire_bytes type; /* decoded                                       */
    int64_t time_us;  /* of its timestamp; 0: unknown                  */
};

/* Receives a text; it and the place are lent until it returns. A status other
 * than QUIRE_OK ends the call with that status. */
typedef quire_status (*event_text_fn)(void *ctx,
                                      const struct event_place *event,
                                      const struct entry_text *t,
                                      quire_error *err);

/* Fetches the content of a blob, at most `max_bytes`, lent until the next call.
 * QUIRE_NOT_FOUND, QUIRE_DAMAGED and QUIRE_TOO_LARGE leave the payload out;
 * other failures end the call. */
typedef quire_status (*event_blob_fn)(void *ctx, const quire_digest *digest,
                                      uint64_t max_bytes, quire_bytes *content,
                                      quire_error *err);

/* Where blobs come from; `fetch` may be NULL: references are left out. */
struct event_blobs {
    event_blob_fn fetch;
    void *ctx;
};

/* Call `each` with every text of `text`, an events.json, or with `legacy` a
 * messages.json of pairs. `where` names it in messages. Texts reported before a
 * failure stay reported; a text that is not JSON has none.
 *
 * QUIRE_DAMAGED    it is not JSON
 * QUIRE_INVALID    it is not an array
 * QUIRE_NO_MEMORY, or what a callback returned */
quire_status event_texts(quire_bytes text, bool legacy, const char *where,
                         struct event_blobs blobs, event_text_fn each,
                         void *ctx, quire_error *err);

#endif
