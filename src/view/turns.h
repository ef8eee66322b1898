/*
 * turns.h - what each prompt led to: time, tokens, cost, calls
 *
 * A turn begins with a prompt and ends before the next one; what comes before the first
 * prompt is a turn, too. A call lasts from the answer that made it to its result.
 */
#ifndef VIEW_TURNS_H
#define VIEW_TURNS_H

#include "view/graph.h"

/* Write the member "turns", of the path. */
quire_status view_turns(struct view_graph *g, struct json_writer *w,
                        quire_error *err);

#endif
