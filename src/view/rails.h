/*
 * rails.h - the tree of a session, ready to be drawn
 *
 * A row is an entry that matters to the shape: a prompt, a root, a place where branches
 * begin, the first entry of a branch, a leaf, a compaction, a label. Rows come in the
 * order of the file, parents before children. The entries between two rows are folded
 * into the upper one.
 *
 *   (1) Each row is on a rail. A row continues the rail of its parent if it is the
 *       parent's main child: the one towards the current leaf, else the newest.
 *   (2) Every other child begins a rail that no row between the parent and the end of
 *       the new rail is on: a line from the parent never crosses a row.
 *   (3) The path to the current leaf is on rail 0 as far as its root is the first.
 */
#ifndef VIEW_RAILS_H
#define VIEW_RAILS_H

#include "view/graph.h"

enum view_rails_filter { VIEW_RAILS_USER, VIEW_RAILS_LABELLED, VIEW_RAILS_ALL };

/* Write the members "n", "leaf", "rails" and "rows". */
quire_status view_rails(struct view_graph *g, enum view_rails_filter filter,
                        struct json_writer *w, quire_error *err);

#endif
