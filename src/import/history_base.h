/*
 * history_base.h - a session whose history begins in another file
 *
 * The first line of a session may name another session and an offset in
 * its file: what stands before that belongs in front. That file may name another
 * one in turn; of a longer chain than 16 the rest is left out.
 */
#ifndef IMPORT_HISTORY_BASE_H
#define IMPORT_HISTORY_BASE_H

#include "import/convert.h"
#include "import/places.h"

/* Feed what belongs before the bytes of `found`, oldest first, from the files that
 * were found. `dir` is where temporary files go (content.h). *missing: such a file
 * is not among them. */
quire_status import_feed_bases(struct import_converter *c,
                               const struct import_found *found,
                               const struct import_places *places,
                               const char *dir, bool *missing,
                               quire_error *err);

#endif
