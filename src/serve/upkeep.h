/*
 * upkeep.h - what a server does without being asked
 *
 * One thread collects what nothing refers to, when that is due, and keeps the
 * files of all tenants' workspaces in step with their artifacts. It has handles
 * of its own, and nobody waits for it. What fails is tried again.
 */
#ifndef SERVE_UPKEEP_H
#define SERVE_UPKEEP_H

#include "quire.h"

struct upkeep;

quire_status upkeep_begin(const char *home, struct upkeep **out,
                          quire_error *err);

/* Ends when what it is at is done; NULL is fine. */
void upkeep_end(struct upkeep *u);

#endif
