/* diff_json.h - hunks of a comparison as JSON */
#ifndef VIEW_DIFF_JSON_H
#define VIEW_DIFF_JSON_H

#include "base/json.h"
#include "quire.h"

/* Compare two texts and write an array of hunks:
 *
 *     {"old":12,"new":12,"lines":[["=","text"],["-","text",[[0,4]]],...]}
 *
 * Lines have no line break; marks are UTF-16 units, as JavaScript counts. After
 * `max_lines` lines it ends, and *cut is true; 0: all. *sum counts all changes. */
quire_status view_diff(quire_bytes before, quire_bytes after, size_t max_lines,
                       struct json_writer *w, quire_diff_summary *sum,
                       bool *cut, quire_error *err);

#endif
