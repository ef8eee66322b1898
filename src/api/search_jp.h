/* search_jp.h - conversations of JP as texts: see search_jp.c */
#ifndef API_SEARCH_JP_H
#define API_SEARCH_JP_H

#include "api/core/handle.h"
#include "jp/event_text.h"

#define SEARCH_JP_ROOT "conversations"

/* Whether a file below the root has the events of a conversation that is not in the
 * trash. */
bool search_jp_is_file(const char *name, bool *archived);

/* "jp-c17780000011". NULL: out of memory. */
char *search_jp_id(const char *name, struct arena *keep);

/* "": it has none. NULL: out of memory. */
const char *search_jp_title(struct quire *q, const char *name,
                            struct arena *keep);

/* Each text of the conversation in a file. */
quire_status search_jp_texts(struct quire *q, const char *name,
                             event_text_fn each, void *ctx, quire_error *err);

#endif
