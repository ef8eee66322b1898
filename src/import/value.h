/*
 * value.h - small questions about JSON values
 *
 * Of a value that is absent, or of another kind, the answer is no, or 0.
 */
#ifndef IMPORT_VALUE_H
#define IMPORT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/json.h"

static inline bool value_is_string(quire_bytes value)
{
    return json_kind(value) == JSON_STRING;
}

/* A string that is not empty. */
static inline bool value_has_text(quire_bytes value)
{
    return value_is_string(value) && value.len > 2;
}

/* A string with this content. */
static inline bool value_is(quire_bytes value, const char *text)
{
    return value_is_string(value) && json_is(value, text);
}

static inline bool value_is_true(quire_bytes value)
{
    return bytes_is(value, "true");
}

/* The content of a string, spelled as it stands; "?" for other values. */
static inline quire_bytes value_name(quire_bytes value)
{
    return value_is_string(value) ? bytes_sub(value, 1, value.len - 1)
                                  : bytes_str("?");
}

/* A number of tokens. */
static inline uint64_t value_count(quire_bytes value)
{
    int64_t n;

    return json_read_int(value, &n) && n > 0 ? (uint64_t)n : 0;
}

/* A price, as JSON spells numbers; 0 for what is none. */
double value_dollars(quire_bytes value);

#endif
