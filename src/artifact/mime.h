/*
 * mime.h - media type of content
 *
 * As declared, else by the suffix of its name, else by its first bytes.
 */
#ifndef ARTIFACT_MIME_H
#define ARTIFACT_MIME_H

#include <stdbool.h>

#include "quire.h"

#define MIME_MAX 127

/* Whether `type` may be stored and echoed in a header: printable ASCII with a
 * slash, 3 to MIME_MAX bytes. */
bool mime_is_valid(quire_bytes type);

/* By the suffix of a path, ASCII case ignored; NULL: unknown. A static string.
 */
const char *mime_by_name(quire_bytes path);

/* By the content, or by its first 512 bytes or more; never NULL. A static
 * string: "text/plain" for text, "application/octet-stream" for the rest. */
const char *mime_by_content(quire_bytes content);

/* Whether content of this type is worth indexing as text: text, source code,
 * JSON, XML and formats based on them. */
bool mime_is_text(const char *type);

#endif
