/*
 * reader.h - entries as messages, passed to a target
 *
 * An answer waits until the results of its calls have come: what stands between
 * them follows it.
 */
#ifndef EXPORT_READER_H
#define EXPORT_READER_H

#include "export/path.h"

/* Pass every message of the path to x->target, or every entry. */
quire_status export_read(struct export *x, quire_session *s,
                         struct cleaner *clean, const struct export_path *path,
                         quire_error *err);

#endif
