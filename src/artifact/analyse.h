/* analyse.h - tags and metadata derived from an artifact; see analyse.c */
#ifndef ARTIFACT_ANALYSE_H
#define ARTIFACT_ANALYSE_H

#include "base/arena.h"
#include "quire.h"

/* `given` (may be NULL) without repeated ones, and tags for a file of this type
 * and name; ended by NULL, in `keep`. NULL: no memory. */
const char *const *analyse_tags(const char *mime, const char *path,
                                const char *const *given, struct arena *keep);

/* Metadata of the content, as a JSON object in `keep`; other members of `old`
 * stay. NULL: no memory. */
const char *analyse_meta(const char *old, const char *mime, quire_bytes content,
                         struct arena *keep);

#endif
