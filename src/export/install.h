/*
 * install.h - a file where an agent looks for it
 */
#ifndef EXPORT_INSTALL_H
#define EXPORT_INSTALL_H

#include "export/run.h"

/* Where the session of an open run goes, absolute, in x->keep.
 *
 * QUIRE_INVALID  the target has no place, or HOME is not known */
quire_status export_find_place(struct export_run *r, struct export_place *out,
                               const char **path, quire_error *err);

/* The file that is there already, under this name or another one of the same
 * session, in x->keep; NULL: none. */
quire_status export_find_existing(struct export_run *r,
                                  const struct export_place *place,
                                  const char **path, quire_error *err);

/* Write the file.
 *
 * QUIRE_EXISTS  it is there */
quire_status export_place_file(struct export_run *r,
                               const struct export_place *place,
                               quire_error *err);

#endif
