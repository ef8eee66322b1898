/*
 * entry_text.h - the searchable texts of one line of a session file
 *
 * A line of any version is read by itself, so what needs another line is not
 * known: the tool of a result in the shape of Anthropic's API, for example.
 *
 *   user, developer, custom        text blocks, joined with "\n"  MESSAGE
 *   assistant                      thinking blocks, joined        THINKING
 *                                  text blocks, joined            MESSAGE
 *                                  each tool call                 TOOL_INPUT
 *   toolResult                     text blocks, joined            TOOL_RESULT
 *   bashExecution, pythonExecution command or code, output        both
 *   fileMention                    paths and contents             MESSAGE
 *   compaction, branch_summary     summary                        SUMMARY
 *   title_change, session, title,  title or name                  TITLE
 *   session_info
 *   label                          label                          LABEL
 *   session_init                   task, systemPrompt             MESSAGE
 *
 * The text of a call is the strings and numbers in its arguments, at any depth
 * and in order, one a line; keys, booleans and null are left out.
 *
 * An empty text is reported where there is something else to find it by: an
 * image, a tool, an error. An error is a tool's isError, an exitCode other than
 * 0, and the stopReason "error", whose errorMessage is text.
 *
 * No text: images, signatures, entries of other types, references to blobs and
 * base64 (search/text_join.h). Of a repeated key the last value counts. Of a
 * list the first ENTRY_TEXT_BLOCKS_MAX blocks count.
 */
#ifndef SESSION_ENTRY_TEXT_H
#define SESSION_ENTRY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"
#include "search/text.h"
#include "session/jsonl.h"

/* More than any message has; bounds the memory that a line can make us take. */
enum { ENTRY_TEXT_BLOCKS_MAX = 65536 };

/* What a line says about itself, decoded. Lent by the line and the scratch. */
struct entry_text_head {
    quire_bytes type, id, parent; /* empty: none                          */
    int64_t time_us;              /* of the entry's timestamp; 0: unknown */
    bool is_prompt; /* a user's message, known when all texts were reported */
};

/* Memory that is reused from call to call: with lines of a usual size nothing
 * is allocated after the first few. One thread uses it at a time. */
struct entry_text_scratch {
    struct buf text;
    struct arena arena;
    struct text_block *blocks;
    size_t n_blocks, cap_blocks;
};

/* Damage becomes U+FFFD: at worst, a byte becomes three. */
/* clang-format off */
#define ENTRY_TEXT_SCRATCH_INIT \
    {.text = BUF_INIT(3 * JSONL_MAX_LINE), .arena = ARENA_INIT}
/* clang-format on */

void entry_text_scratch_release(struct entry_text_scratch *s);

/* Receives a text, lent until it returns. A status other than QUIRE_OK ends the
 * call with that status. */
typedef quire_status (*entry_text_fn)(void *ctx, const struct entry_text *t,
                                      quire_error *err);

/* Call `each` with every text of `line`. *head is filled before that. A line
 * that is not one JSON object has no texts: QUIRE_OK, and *head is zero.
 *
 * QUIRE_NO_MEMORY, or what `each` returned. */
quire_status entry_texts(quire_bytes line, struct entry_text_scratch *s,
                         struct entry_text_head *head, entry_text_fn each,
                         void *ctx, quire_error *err);

#endif
