/*
 * edits.h - what the calls of an entry change in files
 *
 * Read from the arguments of the calls, as the tools of many agents have them:
 *
 *     old and new text     old_string/new_string, oldText/newText, old_str/new_str,
 *                          oldString/newString; once or in a list `edits`
 *     a whole new file     content, file_text, contents
 *     a patch              `*** Begin Patch` ... in patch, input, or any argument
 *     a unified diff       lines of `@@`, `+`, `-` in diff or patch
 *
 * Line numbers are those of the text that the call has: of the file only where a
 * patch says them.
 */
#ifndef VIEW_EDITS_H
#define VIEW_EDITS_H

#include "base/json.h"
#include "quire.h"

/* Write the member "files": [{"path","call","tool","added","removed","hunks","cut"}]. */
quire_status view_edits(quire_bytes entry, struct json_writer *w,
                        quire_error *err);

#endif
