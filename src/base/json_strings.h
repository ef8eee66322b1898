/*
 * json_strings.h - every string of a JSON text, with the place where it stands
 */
#ifndef BASE_JSON_STRINGS_H
#define BASE_JSON_STRINGS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

/* A container that is open: the member or element that it is. */
struct json_place {
    const char *at;  /* its bracket                                        */
    quire_bytes key; /* a string slice; .data NULL: an element             */
    size_t index;    /* an element's, from 0                               */
    size_t n;        /* elements of it so far                              */
};

struct json_string {
    quire_bytes text;  /* all of the JSON                                    */
    quire_bytes value; /* the string, with its quotes                        */
    quire_bytes key;   /* its key; .data NULL: an element                    */
    size_t index;
    const struct json_place *place; /* containers, from the outermost         */
    unsigned depth;                 /* how many                               */
};

/* Receives a string. False ends the walk. */
typedef bool (*json_string_fn)(void *ctx, const struct json_string *s);

/* Call `each` with the strings of `json` in order, but for keys. False: it is not
 * JSON, or `each` returned false. */
bool json_strings(quire_bytes json, json_string_fn each, void *ctx);

/* Add the JSON pointer of a string: "/message/content/0/text". */
void json_pointer_add(const struct json_string *s, struct buf *out);

/* The string at a JSON pointer, with its quotes; .data NULL: none. */
quire_bytes json_at_pointer(quire_bytes json, quire_bytes pointer);

#endif
