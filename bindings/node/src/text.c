/* text.c - growing text, and JSON in it */
#include "addon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const void *data, size_t len)
{
    if (t->failed || len == 0)
        return;
    if (t->cap - t->len < len) {
        size_t cap = t->cap ? t->cap : 256;
        char *bigger;

        while (cap - t->len < len && cap < (size_t)1 << 40)
            cap *= 2;
        bigger = realloc(t->data, cap);
        if (!bigger) {
            t->failed = true;
            return;
        }
        t->data = bigger;
        t->cap = cap;
    }
    memcpy(t->data + t->len, data, len);
    t->len += len;
}

void text_str(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_int(struct text *t, long long n)
{
    char digits[32];

    text_add(t, digits, (size_t)snprintf(digits, sizeof digits, "%lld", n));
}

void text_quoted(struct text *t, quire_bytes bytes)
{
    const unsigned char *c = bytes.data;
    size_t from = 0, i;
    char escaped[8];

    text_add(t, "\"", 1);
    for (i = 0; i < bytes.len; i++) {
        if (c[i] >= ' ' && c[i] != '"' && c[i] != '\\')
            continue;
        text_add(t, c + from, i - from);
        text_add(t, escaped,
                 (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", c[i]));
        from = i + 1;
    }
    if (bytes.len)
        text_add(t, c + from, i - from);
    text_add(t, "\"", 1);
}

void text_key(struct text *t, const char *key)
{
    if (t->len && t->data[t->len - 1] != '{')
        text_add(t, ",", 1);
    text_quoted(t, (quire_bytes){key, strlen(key)});
    text_add(t, ":", 1);
}

void text_member(struct text *t, const char *key, const char *value)
{
    text_key(t, key);
    if (value)
        text_quoted(t, (quire_bytes){value, strlen(value)});
    else
        text_str(t, "null");
}

void text_member_bytes(struct text *t, const char *key, quire_bytes value)
{
    text_key(t, key);
    text_quoted(t, value);
}

void text_member_int(struct text *t, const char *key, long long value)
{
    text_key(t, key);
    text_int(t, value);
}

void text_member_bool(struct text *t, const char *key, int value)
{
    text_member_raw(t, key, value ? "true" : "false");
}

void text_member_raw(struct text *t, const char *key, const char *json)
{
    text_key(t, key);
    text_str(t, json);
}
