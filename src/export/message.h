/*
 * message.h - what a session says, whatever agent wrote it
 *
 * The reader (reader.h) makes messages of entries; targets write messages in a
 * format of their own. An answer of a model has the results of its calls with
 * it. All text is decoded, well-formed UTF-8; JSON and base64 are slices without
 * references to blobs.
 */
#ifndef EXPORT_MESSAGE_H
#define EXPORT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

enum export_role {
    EXPORT_USER,
    EXPORT_ASSISTANT,
    EXPORT_SYSTEM,  /* of the developer or the system                       */
    EXPORT_NOTE,    /* a program's, in the user's place; see `hidden`       */
    EXPORT_RESULT,  /* of a call that is not on the path                    */
    EXPORT_SUMMARY, /* replaces all messages before it                      */
    EXPORT_BRANCH,  /* what an abandoned branch was about                   */
    EXPORT_RESET,   /* the context begins anew: no blocks                   */
};

enum export_block_kind {
    EXPORT_TEXT,
    EXPORT_THINKING,
    EXPORT_REDACTED, /* thinking that only its provider can read            */
    EXPORT_CALL,
    EXPORT_IMAGE,
    EXPORT_OTHER, /* as the source has it                                   */
};

struct export_block {
    enum export_block_kind kind;
    quire_bytes text;      /* text, thinking                                */
    quire_bytes signature; /* thinking: the provider's; redacted: the data  */
    quire_bytes encrypted; /* thinking: the provider's, of another kind     */
    quire_bytes id, name;  /* call                                          */
    quire_bytes arguments; /* call: a JSON object                           */
    quire_bytes mime;      /* image; "" if unknown                          */
    quire_bytes data;      /* image: base64                                 */
    quire_bytes type;      /* other                                         */
    quire_bytes json;      /* the block as it stands                        */
    const struct export_result *result; /* call; NULL: there is none        */
};

struct export_blocks {
    struct export_block *list;
    size_t n;
};

struct export_result {
    quire_bytes entry_id, tool;
    int64_t ms;
    struct export_blocks blocks;
    bool is_error;
};

struct export_usage { /* tokens do not overlap */
    uint64_t input, output, cache_read, cache_write;
    double cost; /* in dollars */
};

enum export_stop {
    EXPORT_STOP_END,
    EXPORT_STOP_TOOL,
    EXPORT_STOP_LENGTH,
    EXPORT_STOP_ERROR,
    EXPORT_STOP_ABORTED
};

struct export_message {
    enum export_role role;
    quire_bytes entry_id; /* unique in the session                          */
    quire_bytes parent;   /* of the entry; empty: a root                    */
    quire_bytes label;    /* a bookmark; empty: none                        */
    quire_bytes json;     /* the entry                                      */
    int64_t ms;           /* when it was written                            */
    struct export_blocks blocks;
    bool hidden;        /* note: not shown to people                      */
    quire_bytes custom; /* note: what kind of program                     */
    quire_bytes tool, call_id; /* result: of a call that is missing         */
    bool is_error;             /* result                                    */

    /* Of an answer. */
    quire_bytes provider, model, api, error, response_id;
    struct export_usage usage;
    enum export_stop stop;
    bool has_calls;

    /* Of a summary. */
    uint64_t tokens_before;
    quire_bytes history; /* what Codex has in its place: JSON; empty: none  */
};

#endif
