/* google.h - Google's parts of a message, which two agents write */
#ifndef EXPORT_GOOGLE_H
#define EXPORT_GOOGLE_H

#include "export/target.h"

/* {"text"} */
void google_put_text(struct export *x, quire_bytes text);

/* Texts and images as parts, into the open array; thoughts too, if `thoughts`.
 * What has no part is counted as dropped. */
void google_put_parts(struct export *x, const struct export_blocks *b,
                      bool thoughts);

/* {"functionCall": {"id", "name", "args"}} */
void google_put_call(struct export *x, const struct export_block *b);

/* {"functionResponse": {"id", "name", "response": {"output"}}}, with images in it
 * as "parts", or behind it. */
void google_put_response(struct export *x, const struct export_block *call,
                         bool nested);

#endif
