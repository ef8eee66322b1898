/* reserve.h - space kept for deletions; see reserve.c */
#ifndef API_CORE_RESERVE_H
#define API_CORE_RESERVE_H

#include "api/core/handle.h"

/* Create the reserve if it is missing and the disk has plenty of room; once a
 * handle. */
void reserve_keep(struct quire *q);

/* Release it if the disk is full. */
void reserve_release(struct quire *q);

/* When a handle is closed: create again what it released, from the room that it
 * made. */
void reserve_restore(struct quire *q);

#endif
