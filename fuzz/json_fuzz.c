/*
 * json_fuzz.c - everything json.h does, against itself and against json-c
 *
 * Against json-c, as a reader that shares no line with ours: whatever we
 * accept it must accept, with the same content; whatever it accepts we must
 * accept, unless the text is one of those its strict mode (0.16) is known to
 * let pass. lax() lists them, each tied to the byte our scanner stopped at.
 *
 * Against itself: every way to look gives the same verdict; a tree written
 * back, and a splice without edits, are the input; a change is found again
 * and changes nothing else.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* json-c has types of these names, we have functions. */
#define json_object json_c_object
#define json_bool   json_c_bool
#include <json-c/json_object.h>
#include <json-c/json_tokener.h>
#undef json_object
#undef json_bool

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- against json-c ---------------------------------------------------- */

/* The tokener, its verdict in *ok, and the value (NULL is null, too). */
static struct json_c_object *oracle(quire_bytes text, bool *ok)
{
    struct json_tokener *tok = json_tokener_new_ex(4 * JSON_MAX_DEPTH);
    char *copy = malloc(text.len + 1);
    struct json_c_object *value;

    HOLDS(tok && copy);
    if (text.len)
        memcpy(copy, text.data, text.len);
    copy[text.len] = '\0'; /* a number at the top ends with it */
    json_tokener_set_flags(tok,
                           JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    value = json_tokener_parse_ex(tok, copy, (int)text.len + 1);
    *ok = json_tokener_get_error(tok) == json_tokener_success &&
          json_tokener_get_parse_end(tok) >= text.len;
    json_tokener_free(tok);
    free(copy);
    return value;
}

/* What json-c's strict mode accepts, and RFC 8259 does not. */
static bool lax(quire_bytes text, const struct json_error *e)
{
    const char *at = (const char *)text.data + e->at;
    bool inside = e->at < text.len;

    /* -01, 1., -.5, 2.e3: it leaves much of a number to strtod() */
    if (!strcmp(e->why, "a number begins with a needless zero") ||
        !strcmp(e->why, "a digit is missing in a number"))
        return true;
    /* line feeds and the like inside strings */
    if (!strcmp(e->why, "a control character in a string"))
        return inside && (unsigned char)*at < 0x20;
    /* it looks at the bit patterns, not at overlong forms and surrogates */
    if (!strcmp(e->why, "a string is not UTF-8"))
        return inside && (unsigned char)*at >= 0x80;
    /* 'a': quotes of the other kind, around keys only */
    if (!strcmp(e->why, "a key in quotes is missing"))
        return inside && *at == '\'';
    /* two numbers that are none */
    if (bytes_starts(bytes_sub(text, e->at, text.len), bytes_str("NaN")) ||
        bytes_starts(bytes_sub(text, e->at, text.len), bytes_str("Infinity")))
        return true;
    /* and it was told to go deeper than we do */
    return !strcmp(e->why, "nested too deeply");
}

static void same_content(quire_bytes ours, struct json_c_object *theirs);

static void same_string(quire_bytes ours, struct json_c_object *theirs)
{
    struct buf text = BUF_INIT(SIZE_MAX / 2);

    /* It mends halves of pairs its own way. */
    if (json_decode(ours, &text) == 0)
        HOLDS(
            bytes_equal(buf_bytes(&text),
                        bytes_of(json_object_get_string(theirs),
                                 (size_t)json_object_get_string_len(theirs))));
    HOLDS(json_equal(ours, buf_bytes(&text)) ||
          memmem(text.data, text.len, "\xef\xbf\xbd", 3));
    HOLDS(utf8_count_utf16(buf_bytes(&text)) == json_count_utf16(ours));
    buf_release(&text);
}

static void same_members(quire_bytes ours, struct json_c_object *theirs)
{
    struct json_scan it;

    json_iter_init(&it, ours);
    while (json_next(&it)) {
        struct buf key = BUF_INIT(SIZE_MAX / 2);
        struct json_c_object *value;
        size_t n_mended = json_decode(it.key, &key);

        /* Its keys end at a NUL. */
        if (n_mended == 0 && !memchr(buf_text(&key), '\0', key.len)) {
            HOLDS(json_object_object_get_ex(theirs, buf_text(&key), &value));
            same_content(json_get(ours, buf_text(&key)), value);
        }
        buf_release(&key);
    }
    HOLDS(!it.error.why);
}

/* Recursion is fine here: both sides are at most JSON_MAX_DEPTH deep. Time is
 * not: members are looked up, so this is for small objects. */
static void same_content(quire_bytes ours, struct json_c_object *theirs)
{
    struct json_scan it;
    size_t i = 0;
    int64_t v;

    switch (json_kind(ours)) {
    case JSON_ABSENT: HOLDS(false); break;
    case JSON_NULL: HOLDS(theirs == NULL); break;
    case JSON_BOOL:
        HOLDS(json_object_is_type(theirs, json_type_boolean));
        HOLDS(
            bytes_is(ours, json_object_get_boolean(theirs) ? "true" : "false"));
        break;
    case JSON_NUMBER:
        if (json_read_int(ours, &v) && !bytes_is(ours, "-0"))
            HOLDS(json_object_is_type(theirs, json_type_int) &&
                  json_object_get_int64(theirs) == v);
        break;
    case JSON_STRING: same_string(ours, theirs); break;
    case JSON_OBJECT: same_members(ours, theirs); break;
    case JSON_ARRAY:
        json_iter_init(&it, ours);
        for (; json_next(&it); i++)
            same_content(it.value, json_object_array_get_idx(theirs, i));
        HOLDS(!it.error.why && i == json_object_array_length(theirs));
        break;
    }
}

static quire_bytes trim(quire_bytes text)
{
    const char *s = text.data;
    size_t from = 0, to = text.len;

    while (from < to && memchr(" \t\r\n", s[from], 4))
        from++;
    while (to > from && memchr(" \t\r\n", s[to - 1], 4))
        to--;
    return bytes_sub(text, from, to);
}

static void against_json_c(quire_bytes text)
{
    struct json_error error = {.why = NULL};
    bool ok = json_check(text, JSON_UTF8, &error), theirs_ok;
    struct json_c_object *theirs = oracle(text, &theirs_ok);

    if (ok) {
        HOLDS(theirs_ok);
        if (text.len < 1 << 16)
            same_content(trim(text), theirs);
    } else if (theirs_ok && !lax(text, &error)) {
        fprintf(stderr, "only json-c accepts it; at %zu: %s\n", error.at,
                error.why);
        abort();
    }
    json_object_put(theirs);
}

/* ---- against itself ---------------------------------------------------- */

static void looks_agree(quire_bytes text, bool ok, const struct json_error *e)
{
    struct json_want head[] = {JSON_WANT("type"), JSON_WANT("id")};
    struct json_want pick[] = {JSON_WANT("type"), JSON_WANT("id")};
    struct json_error error;
    struct json_scan it;
    bool container;

    json_iter_init(&it, text);
    container = it.depth == 1;
    while (json_next(&it))
        HOLDS(json_check(it.value, 0, NULL) &&
              (!it.key.data || json_check(it.key, 0, NULL)));
    HOLDS((ok && container) == !it.error.why);
    if (container && !ok)
        HOLDS(it.error.at == e->at && it.error.why == e->why);

    if (json_pick(text, pick, 2, &error)) {
        HOLDS(ok && json_head(text, head, 2, NULL));
        HOLDS(!head[0].value.data == !pick[0].value.data);
        HOLDS(!head[1].value.data == !pick[1].value.data);
        HOLDS(bytes_equal(json_get(text, "type"), pick[0].value));
    }
}

static void tree_agrees(quire_bytes text, bool ok, const struct json_error *e,
                        struct arena *a)
{
    struct buf out = BUF_INIT(SIZE_MAX / 2);
    struct json_error error = {.why = NULL};
    struct json_node *root = json_tree_read(text, a, &error);

    HOLDS(ok == (root != NULL));
    if (!ok) {
        HOLDS(error.at == e->at && error.why == e->why);
        return;
    }
    json_tree_write(root, &out);
    HOLDS(bytes_equal(trim(text), buf_bytes(&out)));

    /* Respelled from the deepest last child up, it is still the same. */
    while (root->last)
        root = root->last;
    json_tree_set(root, root->raw);
    while (root->parent)
        root = root->parent;
    buf_clear(&out);
    json_tree_write(root, &out);
    HOLDS(json_check(buf_bytes(&out), 0, NULL));
    if (!memchr(text.data, ' ', text.len) &&
        !memchr(text.data, '\t', text.len) &&
        !memchr(text.data, '\r', text.len) &&
        !memchr(text.data, '\n', text.len))
        HOLDS(bytes_equal(text, buf_bytes(&out)));
    buf_release(&out);
}

static void edits_agree(quire_bytes text, bool ok, struct arena *a)
{
    struct json_change changes[] = {{"type", bytes_str("[\"new\"]")},
                                    {"id", {NULL, 0}},
                                    {"", bytes_str("0")}};
    struct buf out = BUF_INIT(SIZE_MAX / 2);
    struct json_edits e;

    json_edits_init(&e, text, a);
    json_splice(&e, &out);
    HOLDS(bytes_equal(text, buf_bytes(&out)));

    buf_clear(&out);
    if (json_edit_members(&e, text, changes, 3, NULL)) {
        quire_bytes after;

        HOLDS(ok);
        json_splice(&e, &out);
        after = buf_bytes(&out);
        HOLDS(json_check(after, 0, NULL));
        HOLDS(bytes_is(json_get(after, "type"), "[\"new\"]"));
        HOLDS(bytes_is(json_get(after, ""), "0"));
        HOLDS(!json_get(after, "id").data);
        HOLDS(
            bytes_equal(json_get(text, "message"), json_get(after, "message")));
    } else {
        HOLDS(!ok || json_kind(trim(text)) != JSON_OBJECT);
    }
    buf_release(&out);
}

/* Any bytes can be a string's content. */
static void strings_agree(quire_bytes text)
{
    struct buf quoted = BUF_INIT(SIZE_MAX / 2), back = BUF_INIT(SIZE_MAX / 2);
    struct buf mended = BUF_INIT(SIZE_MAX / 2);
    size_t units, cut;

    json_add_quoted(&quoted, text);
    HOLDS(json_check(buf_bytes(&quoted), JSON_UTF8, NULL));
    HOLDS(json_decode(buf_bytes(&quoted), &back) == 0);
    HOLDS((utf8_add_mended(&mended, text) == 0) == utf8_check(text));
    HOLDS(bytes_equal(buf_bytes(&mended), buf_bytes(&back)));
    HOLDS(json_equal(buf_bytes(&quoted), buf_bytes(&mended)));
    units = json_count_utf16(buf_bytes(&quoted));
    HOLDS(units == utf8_count_utf16(text));

    cut = json_cut_utf16(buf_bytes(&quoted), units / 2);
    quoted.len = cut;
    buf_add_char(&quoted, '"');
    HOLDS(json_check(buf_bytes(&quoted), JSON_UTF8, NULL));
    cut = json_count_utf16(buf_bytes(&quoted));
    HOLDS(cut == units / 2 || cut + 1 == units / 2);
    HOLDS(!utf8_check(text) ||
          utf8_check(bytes_of(text.data, utf8_cut(text, text.len / 2))));
    buf_release(&quoted);
    buf_release(&back);
    buf_release(&mended);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes text = bytes_of(data, size);
    struct json_error error = {.why = NULL};
    struct arena a = ARENA_INIT;
    bool ok = json_check(text, 0, &error);

    HOLDS(ok == !error.why && error.at <= size);
    HOLDS((ok && utf8_check(text)) == json_check(text, JSON_UTF8, NULL));
    looks_agree(text, ok, &error);
    tree_agrees(text, ok, &error, &a);
    edits_agree(text, ok, &a);
    strings_agree(text);
    if (size < INT32_MAX)
        against_json_c(text);
    arena_release(&a);
    return 0;
}
