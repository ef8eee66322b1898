/*
 * settings_edit.h - add to the settings file of another program, and take it out again
 *
 * Of the text nothing else changes: comments, order, white space, spelling. JSON may have
 * comments and commas behind the last member, as editors permit. What `put` has added `drop`
 * removes so that the bytes are as before, if the rest is still as it was.
 */
#ifndef BASE_SETTINGS_EDIT_H
#define BASE_SETTINGS_EDIT_H

#include "base/buf.h"
#include "quire.h"

enum settings_edit {
    SETTINGS_DONE, /* `out` has the new text                           */
    SETTINGS_SAME, /* it is so already                                 */
    SETTINGS_BAD,  /* it cannot be understood, or has another shape    */
};

/* The member `key` of the object that is the member `object` of the text. A value that is
 * there is replaced. An empty text is an empty object. */
enum settings_edit settings_json_put(quire_bytes text, const char *object,
                                     const char *key, const char *value,
                                     struct buf *out);
enum settings_edit settings_json_drop(quire_bytes text, const char *object,
                                      const char *key, struct buf *out);

/* The same for an element of the array `key` in `object`: the one that has the string `mark` in
 * it. One that is there is left as it is. */
enum settings_edit settings_json_put_element(quire_bytes text,
                                             const char *object,
                                             const char *key,
                                             const char *element,
                                             const char *mark, struct buf *out);
enum settings_edit settings_json_drop_element(quire_bytes text,
                                              const char *object,
                                              const char *key, const char *mark,
                                              struct buf *out);

/* A table of a TOML file, [table] and its lines in `body`, between two comments. BAD: the
 * file has such a table, or a part of it, that was not added here. */
enum settings_edit settings_toml_put(quire_bytes text, const char *table,
                                     const char *body, struct buf *out);
enum settings_edit settings_toml_drop(quire_bytes text, const char *table,
                                      struct buf *out);

#endif
