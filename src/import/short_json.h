/*
 * short_json.h - a short JSON string, by value
 *
 * For names and ids that are needed after their record is gone. They stay spelled
 * as they were, quotes included.
 */
#ifndef IMPORT_SHORT_JSON_H
#define IMPORT_SHORT_JSON_H

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "quire.h"

enum { SHORT_JSON_MAX = 112 };

struct short_json {
    uint32_t len; /* 0: none, or it did not fit */
    char text[SHORT_JSON_MAX];
};

static inline void short_json_set(struct short_json *s, quire_bytes json)
{
    s->len = 0;
    if (!json.data || json.len > sizeof s->text)
        return;
    memcpy(s->text, json.data, json.len);
    s->len = (uint32_t)json.len;
}

static inline quire_bytes short_json_get(const struct short_json *s)
{
    return bytes_of(s->text, s->len);
}

#endif
