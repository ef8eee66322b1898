/* outline.h - what a path is about: prompts, compactions, errors, labels, branches */
#ifndef VIEW_OUTLINE_H
#define VIEW_OUTLINE_H

#include "view/graph.h"

/* Write the member "items". */
quire_status view_outline(struct view_graph *g, struct json_writer *w,
                          quire_error *err);

/* Write the member "images": those of all entries of the session, with their size. */
quire_status view_image_list(struct view_graph *g, quire *q,
                             struct json_writer *w, quire_error *err);

#endif
