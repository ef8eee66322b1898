/*
 * watch.h - waits until an agent has written
 *
 * The places that finding has recorded (import_places.spots) are watched with inotify:
 * directories with all below them, and single files with what SQLite keeps beside
 * them. A place that does not exist yet is awaited in the nearest directory above it.
 * While nothing is written there is nothing to do: the caller sleeps in poll().
 *
 * An agent writes in bursts, so a change is delivered after a pause, or two seconds
 * after the first one. What the caller then does takes time; the next delivery waits
 * ten times as long, so that a large store costs at most a tenth of a processor.
 *
 *     do
 *         find the files of the agents; import_watch_add(); import them
 *     while import_watch_wait() is QUIRE_OK
 *
 * A place is watched from the call on that adds it, and its agent counts as changed
 * then: what was written meanwhile is delivered by the next wait.
 */
#ifndef IMPORT_WATCH_H
#define IMPORT_WATCH_H

#include "import/agents.h"

struct import_watch;

quire_status import_watch_open(struct import_watch **out, quire_error *err);
void import_watch_close(struct import_watch *w); /* NULL is fine */

/* Watch these places; those that are watched already, too. */
quire_status import_watch_add(struct import_watch *w,
                              const struct import_places *p, quire_error *err);

/* Wait for a change, or until the descriptor `wake` (-1: none) is readable:
 * QUIRE_STOPPED. The agents that have changed go to `changed`, ended by NULL, in the
 * order of the registry; all of them if it cannot be known whose a file is. */
quire_status
import_watch_wait(struct import_watch *w, int wake,
                  const struct import_agent *changed[IMPORT_AGENTS_MAX + 1],
                  quire_error *err);

/* Directories that are watched; and that could not be, because the system has no
 * watches left. */
size_t import_watch_count(const struct import_watch *w);
size_t import_watch_missing(const struct import_watch *w);

#endif
