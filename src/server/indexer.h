/*
 * indexer.h - bring the search indexes of tenants up to date
 *
 * A search indexes what is new itself, in memory, and each worker does so for its own
 * handle. To keep that little, one thread writes what is new to the index of the home
 * when a tenant has written nothing for a moment. It is not the thread of background.h
 * because the first index of a large home takes minutes.
 *
 * A tenant is noted by requests: when it writes, and when it searches, since other
 * processes write to its sessions, too. When a tenant has done nothing for longer, what
 * it removed leaves the files of its index (quire_search_purge()). What fails is tried again with the next note.
 */
#ifndef SERVER_INDEXER_H
#define SERVER_INDEXER_H

#include <stdatomic.h>
#include <stdint.h>

#include "quire.h"

struct indexer;

/* `draining` ends an update early. */
quire_status indexer_begin(const quire_options *store,
                           quire_search_watch *watch,
                           const atomic_bool *draining, struct indexer **out,
                           quire_error *err);

/* The index of a tenant may be out of date. Any thread; NULL is fine. */
void indexer_note(struct indexer *x, int64_t tenant);

/* Waits for the step that runs; NULL is fine. */
void indexer_end(struct indexer *x);

#endif
