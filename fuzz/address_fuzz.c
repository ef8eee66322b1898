/*
 * address_fuzz.c - what a model may ask for
 *
 * Up to the first NUL the input is an address, behind it a text to look in.
 *
 * An id that has passed is looked at here byte by byte, without the functions
 * that let it pass: whatever is opened by it lies in one directory. A query
 * that was accepted can be read, and finds in any JSON nothing, or JSON: the
 * same as a look at one level after the other, with json_get() and a count.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"
#include "holds.h"
#include "output/address.h"
#include "output/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- addresses ----------------------------------------------------------- */

static void one_component(const char *id)
{
    const char *c;

    HOLDS(id[0] && id[0] != '.' && strlen(id) <= 240);
    for (c = id; *c; c++)
        HOLDS((unsigned char)*c >= 0x20 && *c != 0x7f && *c != '/');
    HOLDS(utf8_check(bytes_str(id)));
    HOLDS(address_id_is_safe(bytes_str(id)));
}

static void agent_holds(const struct address *a)
{
    one_component(a->id);
    HOLDS(!a->by_path || a->query);
    HOLDS(!a->nested || a->by_path);
    if (a->nested) {
        one_component(a->nested);
        HOLDS(strlen(a->nested) > strlen(a->id) + 1);
        HOLDS(!strncmp(a->nested, a->id, strlen(a->id)));
        HOLDS(a->nested[strlen(a->id)] == '.');
    }
    if (a->query)
        HOLDS(!query_check(a->query, NULL));
}

static void address_holds(const struct address *a)
{
    switch (a->kind) {
    case ADDRESS_ARTIFACT:
        HOLDS(strlen(a->id) >= 1 && strlen(a->id) <= 18);
        HOLDS(strspn(a->id, "0123456789") == strlen(a->id));
        HOLDS(!a->nested && !a->query && !a->by_path);
        break;
    case ADDRESS_AGENT: agent_holds(a); break;
    case ADDRESS_BLOB:
        HOLDS(a->id[0] && !a->nested && !a->query && !a->by_path);
        break;
    }
}

/* Words that a terminal shows and does not obey, and UTF-8 as JSON wants it. */
static void error_holds(const quire_error *err, quire_status st)
{
    const char *c;

    HOLDS(st == QUIRE_INVALID && err->status == st);
    HOLDS(err->what[0] && memchr(err->what, '\0', sizeof err->what));
    HOLDS(memchr(err->next, '\0', sizeof err->next));
    for (c = err->what; *c; c++)
        HOLDS((unsigned char)*c >= 0x20 && *c != 0x7f);
    HOLDS(utf8_check(bytes_str(err->what)));
}

/* ---- queries ------------------------------------------------------------- */

/* The element of that number, counted. */
static quire_bytes element(quire_bytes array, const char *digits)
{
    unsigned long long want = strtoull(digits, NULL, 10), i = 0;
    struct json_scan it;

    json_iter_init(&it, array);
    while (json_next(&it)) {
        if (i++ == want)
            return it.value;
    }
    return bytes_of(NULL, 0);
}

/* One name of a plain query, .a.b.c, applied to one value. */
static quire_bytes one_step(quire_bytes value, const char *name)
{
    bool number = strspn(name, "0123456789") == strlen(name) &&
                  (name[0] != '0' || !name[1]);

    if (json_kind(value) == JSON_OBJECT)
        return json_get(value, name);
    if (json_kind(value) == JSON_ARRAY && number && strlen(name) < 19)
        return element(value, name);
    return bytes_of(NULL, 0);
}

/* A query of names alone, one level after the other. */
static void same_by_hand(quire_bytes json, const char *query, quire_bytes got)
{
    char *copy = strdup(query), *save = NULL, *name;
    quire_bytes value = json;

    HOLDS(copy);
    while (value.len && strchr(" \t\r\n", *(const char *)value.data))
        value = bytes_sub(value, 1, value.len);
    while (value.len &&
           strchr(" \t\r\n", ((const char *)value.data)[value.len - 1]))
        value.len--;
    for (name = strtok_r(copy, ".", &save); name;
         name = strtok_r(NULL, ".", &save)) {
        if (!strcmp(name, "length"))
            goto out; /* made, not found */
        value = one_step(value, name);
    }
    HOLDS(!value.data == !got.data && bytes_equal(value, got));
out:
    free(copy);
}

static void query_holds(quire_bytes json, const char *query)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    struct arena keep = ARENA_INIT;
    quire_error err = {0};
    quire_bytes got;
    quire_status st = query_find(json, query, &keep, &got, &err);

    HOLDS(st == query_check(query, NULL));
    if (st) {
        error_holds(&err, st);
        HOLDS(!got.data);
    } else if (json_check(json, 0, NULL)) {
        HOLDS(!got.data || json_check(got, 0, NULL));
        if (strspn(query, plain) == strlen(query))
            same_by_hand(json, query, got);
    } else {
        HOLDS(!got.data);
    }
    arena_release(&keep);
}

/* The layout changes no token, so what was JSON stays JSON; and doing it
 * twice is doing it once. */
static void indent_holds(quire_bytes json)
{
    struct buf once = BUF_INIT((size_t)16 << 20);
    struct buf twice = BUF_INIT((size_t)16 << 20);

    json_indent(json, &once);
    if (!once.failed && json_check(json, 0, NULL)) {
        HOLDS(json_check(buf_bytes(&once), 0, NULL));
        json_indent(buf_bytes(&once), &twice);
        HOLDS(bytes_equal(buf_bytes(&once), buf_bytes(&twice)));
    }
    buf_release(&once);
    buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t len = strnlen((const char *)data, size);
    quire_bytes json = bytes_of(NULL, 0);
    struct arena keep = ARENA_INIT;
    struct address a = {0};
    quire_error err = {0};
    quire_status st;
    char *text = malloc(len + 1);

    HOLDS(text);
    if (len)
        memcpy(text, data, len);
    text[len] = '\0';
    if (len < size)
        json = bytes_of(data + len + 1, size - len - 1);
    st = address_parse(text, &keep, &a, &err);
    if (st)
        error_holds(&err, st);
    else
        address_holds(&a);
    query_holds(json, st || !a.query ? text : a.query);
    indent_holds(json);
    arena_release(&keep);
    free(text);
    return 0;
}
