/*
 * find.h - the files to import
 *
 * `agents` is the list of those that are wanted, ended by NULL; NULL: all
 * (agents.h).
 */
#ifndef IMPORT_FIND_H
#define IMPORT_FIND_H

#include "import/agents.h"

/* In the places that the agents have on this machine. */
quire_status import_find_default(struct import_places *p,
                                 const struct import_agent *const *agents,
                                 quire_error *err);

/* A file, a directory of an agent, or a directory with session files of any.
 * Which agent's it is is decided by names and content.
 *
 * QUIRE_NOT_FOUND  it does not exist
 * QUIRE_INVALID    a file that none of the agents has */
quire_status import_find_from(struct import_places *p, const char *path,
                              const struct import_agent *const *agents,
                              quire_error *err);

/* The same, of this agent: a file is taken for one of its sessions whatever its name
 * and content. */
quire_status import_find_as(struct import_places *p, const char *path,
                            const struct import_agent *agent, quire_error *err);

#endif
