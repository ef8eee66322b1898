/*
 * json.h - JSON that preserves the bytes it does not change
 *
 * A session line must survive unchanged: a number spelled 1e-07, an escaped
 * slash, the order of keys. So nothing here turns a document into values. A
 * value is a slice of the text it was found in, quotes and brackets included,
 * from its first byte to its last; finding, changing and writing work on
 * slices, and a string or a number is decoded only on request.
 *
 *   look     json_check   is this one value, and nothing else?
 *            json_head    the first occurrence of some keys, then stop
 *            json_pick    some keys of an object
 *            json_get     one key of an object, for chains
 *            json_next    each member, each element
 *            json_scan    each item in a text, at any depth
 *   read     json_decode, json_text, json_is, json_read_int, ...
 *   change   json_edits   replace spans of a text, copy the rest
 *            json_tree    nodes, for changes that are not spans
 *   write    json_writer  from nothing
 *            json_indent  over several lines, for reading
 *
 * The grammar is that of RFC 8259, in full, and one function implements it
 * (json_scan_next): everything a call passes over has been checked. What it did
 * not reach has not.
 *
 *   - Nesting stops at JSON_MAX_DEPTH. Nothing recurses.
 *   - No byte at or past the end of the slice is read; text needs no NUL.
 *   - UTF-8 is checked on request only (JSON_UTF8), since most callers know
 *     the answer or can live with either.
 *   - A key that appears more than once has its last value, as in JavaScript.
 *     Keys like "__proto__" are ordinary keys.
 *   - \ud800 alone is legal by the grammar but not a character. It passes
 *     json_check(); decoding yields U+FFFD and counts it.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"

/* Containers within containers. Real lines stay below 20; JavaScript engines
 * give up somewhere in the thousands. The bits of one cache line keep track
 * of 512. */
#define JSON_MAX_DEPTH 512

/* Where a text stops being JSON, and why: "line 12, byte 40: a comma is
 * missing". */
struct json_error {
    size_t at;       /* offset in the text given                 */
    const char *why; /* a static string; NULL: nothing is wrong  */
    bool too_deep;   /* JSON_MAX_DEPTH was reached: it may be valid */
};

enum json_kind {
    JSON_ABSENT, /* no bytes, or none that begin a value */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

/* What a value slice is, by its first byte. */
enum json_kind json_kind(quire_bytes value);

/* -------------------------------------------------------------------- look */

enum {
    JSON_UTF8 = 1 << 0, /* strings must be well-formed UTF-8 as well */
};

/* Is `text` exactly one value, with nothing but white space around it? Fills
 * *error (may be NULL) if not. */
bool json_check(quire_bytes text, unsigned flags, struct json_error *error);

/* A key to look for, and where its value goes. */
struct json_want {
    const char *key;
    size_t key_len;
    quire_bytes value; /* .data is NULL if the key is not there */
};

/* clang-format off */
#define JSON_WANT(literal) {(literal), sizeof(literal) - 1, {NULL, 0}}
/* clang-format on */

/* Walk the members of the object that `text` begins with, until every wanted
 * key has been seen once; the rest is not read. So a key repeated after that
 * point goes unnoticed, and so does damage: use it for trusted lines, and to
 * select the lines to read in full.
 *
 * False, with *error (may be NULL), if it is not an object or is damaged before
 * that point. */
bool json_head(quire_bytes text, struct json_want *wants, size_t n_wants,
               struct json_error *error);

/* The same to the very end: false unless json_check(text, 0) holds and it is
 * an object; of a repeated key the last value. */
bool json_pick(quire_bytes text, struct json_want *wants, size_t n_wants,
               struct json_error *error);

/* The value of `key`, or a slice whose .data is NULL: no such key, not an
 * object, not JSON, or absent itself. So look-ups chain:
 *
 *     role = json_get(json_get(line, "message"), "role");
 *
 * Each call walks the whole object. */
quire_bytes json_get(quire_bytes object, const char *key);

/* What json_scan_next() found. */
enum json_step {
    JSON_STEP_BAD,    /* `error` has place and reason; repeated by every later
                       * call */
    JSON_STEP_END,    /* the text was one value, and it is over               */
    JSON_STEP_SCALAR, /* a string, number, true, false or null                */
    JSON_STEP_OPEN,   /* a container begins                                   */
    JSON_STEP_CLOSE,  /* the innermost open container has ended               */
};

/* A scan over every item of a text, in order, at any depth. */
struct json_scan {
    quire_bytes key;   /* at SCALAR and OPEN: the member's key, a string slice;
                          .data is NULL outside objects                       */
    quire_bytes value; /* at SCALAR: all of it; at OPEN: the bracket          */
    unsigned depth;    /* containers open, after this step                    */
    struct json_error error;

    /* Private. */
    const char *start, *at, *end;
    bool after;       /* a value has just ended: expect a comma or a bracket */
    bool key_escaped; /* `key` has a backslash: its bytes are not its text   */
    uint64_t in_object[JSON_MAX_DEPTH / 64]; /* bit d: what depth d + 1 is */
};

void json_scan_init(struct json_scan *s, quire_bytes text);
enum json_step json_scan_next(struct json_scan *s);

/* Right after OPEN: skip the container, so that `value` is all of it, and it
 * counts as one step. False if it is damaged; `error` is set. */
bool json_scan_skip(struct json_scan *s);

/* The members of an object, or the elements of an array, whole:
 *
 *     json_iter_init(&it, array);
 *     while (json_next(&it))
 *         ... it.value ...
 *     if (it.error.why)
 *         ...
 *
 * Each level scans all that is below it, so a walk that goes deep is cheaper
 * with json_scan or a tree. A value that is neither object nor array is an
 * error ("not an object or an array"). */
void json_iter_init(struct json_scan *it, quire_bytes container);
bool json_next(struct json_scan *it);

/* -------------------------------------------------------------------- read */

/* Slices here are values found by one of the functions above. Functions that
 * return bool return false for a value of another kind, and for an absent one;
 * for the rest a value that is not a string is a bug in the caller. */

/* Is it a string with just this content, however it is spelled? "\u0074ype"
 * is "type". Damaged UTF-8 is equal to the same damage only, half a surrogate
 * pair to nothing. */
bool json_equal(quire_bytes string, quire_bytes text);
bool json_is(quire_bytes string, const char *text);

/* Add the content of a string, always as well-formed UTF-8: half surrogate
 * pairs, and maximal subparts of damaged UTF-8, become U+FFFD. Returns how many
 * did. */
size_t json_decode(quire_bytes string, struct buf *out);

/* The same as a slice: of the string itself if it has nothing to decode or
 * mend, else in `keep`. .data is NULL when out of memory. */
quire_bytes json_text(quire_bytes string, struct arena *keep);

/* Whether a string has no half surrogate pair: else decoding changes it. */
bool json_is_text(quire_bytes string);

/* A number spelled as an integer, without fraction and exponent, that fits.
 * False otherwise; 1.0 and 1e3 are not spelled so. */
bool json_read_int(quire_bytes number, int64_t *out);
bool json_read_bool(quire_bytes value, bool *out);

/* The length in JavaScript: UTF-16 units of the content, where half a pair
 * counts as one and a maximal subpart of damage as one. */
size_t json_count_utf16(quire_bytes string);

/* Where, in the bytes of the slice, the first `max_units` UTF-16 units of the
 * content end; one unit earlier where that would split a pair, spelled out or
 * not. At most string.len - 1, the closing quote. */
size_t json_cut_utf16(quire_bytes string, size_t max_units);

/* ------------------------------------------------------------------ change */

/* Replacements in one text, collected in any order and applied in one pass.
 * Everything outside them is copied byte for byte. Replacements are borrowed
 * and must live until json_splice(); what the list itself needs comes from
 * the arena. */
struct json_edit {
    size_t from, to;  /* the bytes to remove */
    quire_bytes with; /* their replacement */
    size_t order;     /* among insertions at the same place  */
};

struct json_edits {
    quire_bytes text;
    struct arena *arena;
    struct json_edit *list;
    size_t n, cap;
    bool failed; /* out of memory; remembered, as in struct buf */
};

void json_edits_init(struct json_edits *e, quire_bytes text,
                     struct arena *arena);

/* Replace `old`, a slice of the text (a value, or any part of one), by `with`.
 */
void json_edit_value(struct json_edits *e, quire_bytes old, quire_bytes with);

/* The new value of one key. */
struct json_change {
    const char *key;
    quire_bytes value; /* JSON; .data NULL: remove the member */
};

/* Change members of `object`, a slice of the text. An existing key keeps its
 * place; new keys are appended in the order given; removing an absent key does
 * nothing. A removed member takes its comma and its own white space with it. A
 * repeated key that is changed remains once, at its first place.
 *
 * Pass all changes to one object in one call, so that the commas come out
 * right. Two edits may be adjacent but not overlap: do not also edit values
 * inside a member that is changed here.
 *
 * False, with *error (may be NULL), if it is not an object or is damaged; then
 * nothing has been added to the list. */
bool json_edit_members(struct json_edits *e, quire_bytes object,
                       const struct json_change *changes, size_t n_changes,
                       struct json_error *error);

/* Add the edited text to `out`, which fails if the list has. */
void json_splice(struct json_edits *e, struct buf *out);

/* A document in memory, for changes that are not spans. Nodes point into the
 * text they were read from, which must outlive them. */
struct json_node {
    struct json_node *parent; /* NULL: a root                             */
    struct json_node *first;  /* children, in order                       */
    struct json_node *last;
    struct json_node *next, *prev; /* siblings                            */
    quire_bytes key;     /* a string slice; .data NULL outside objects */
    quire_bytes raw;     /* all of it, as it was read                     */
    enum json_kind kind; /* never JSON_ABSENT                             */
    bool touched;        /* something below has changed: `raw` is out of date */
};

/* Parse a whole text: exactly what json_check(text, 0) accepts. NULL if it is
 * not JSON (error->why has the reason) or out of memory (it is NULL). `error`
 * may be NULL. Takes eighty bytes a value. */
struct json_node *json_tree_read(quire_bytes text, struct arena *arena,
                                 struct json_error *error);

/* Add the document to `out`. An untouched node is copied as its bytes, white
 * space inside it included. A touched one is written compactly: its own
 * brackets, colons and commas, around children of which the same holds. So an
 * untouched document is written back byte for byte (without white space around
 * the root), and a compact one differs in the changed places only. */
void json_tree_write(const struct json_node *root, struct buf *out);

/* A member of an object (the last of that name), an element of an array by its
 * index from 0; NULL if absent, or if `node` is NULL or another kind. */
struct json_node *json_tree_get(const struct json_node *node, const char *key);
struct json_node *json_tree_at(const struct json_node *node, size_t index);

/* Whether both are equal: members in any order (in an object of more than a few
 * hundred, in the same order), strings by content, numbers by their digits.
 * Neither may hold a value set by json_tree_set(). `arena` is for scratch. */
bool json_tree_same(const struct json_node *a, const struct json_node *b,
                    struct arena *arena);

/* Replace the node's value by `json`, one spelled-out value, which is borrowed
 * and not parsed: a container set this way has no children to visit, and
 * accepts none. Where that matters, json_tree_read() it and insert it with
 * json_tree_replace(). */
void json_tree_set(struct json_node *node, quire_bytes json);

/* Put `with`, a root, where `node` is; it takes over the key. `node` becomes
 * a root itself. */
void json_tree_replace(struct json_node *node, struct json_node *with);

/* Append `child`, a root, as the member `key` of an object, or with a NULL key
 * as the last element of an array; `before` inserts it in front of that child
 * instead. An existing key is repeated: check first. False when out of memory.
 */
bool json_tree_insert(struct json_node *parent, const char *key,
                      struct json_node *child, struct json_node *before,
                      struct arena *arena);

/* Unlink the node; it becomes a root. */
void json_tree_remove(struct json_node *node);

/* ------------------------------------------------------------------- write */

/* Compact JSON, added to a buffer. The writer adds the commas; the caller pairs
 * brackets and writes a key before each value of an object. Failure is recorded
 * in the buffer. */
struct json_writer {
    struct buf *out;
    bool comma; /* a value has just ended: the next one needs a comma */
};

void json_begin(struct json_writer *w, struct buf *out);
void json_object(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);

/* A string. Bytes that are not UTF-8 become U+FFFD, one for each maximal
 * subpart, so that the output is always JSON. */
void json_bytes(struct json_writer *w, quire_bytes text);
void json_str(struct json_writer *w, const char *text);
void json_int(struct json_writer *w, int64_t v);
void json_uint(struct json_writer *w, uint64_t v);
void json_bool(struct json_writer *w, bool v);
void json_null(struct json_writer *w);

/* A string: `raw` in base64. */
void json_base64(struct json_writer *w, quire_bytes raw);

/* Two members, "encoding" and `key`: text as "utf-8", other bytes in base64. */
void json_content(struct json_writer *w, const char *key, quire_bytes content);

/* JSON that is already encoded. */
void json_raw(struct json_writer *w, quire_bytes json);

/* The quoted string alone, outside any writer. */
void json_add_quoted(struct buf *out, quire_bytes text);

/* Add `json`, a text json_check() accepts, as JSON.stringify(value, null, 2)
 * lays it out: one element or member a line, two spaces for each container
 * around it, {} and [] for empty ones, no newline at the end. Strings and
 * numbers keep their spelling. If the text is damaged, the part before the
 * damage is added. */
void json_indent(quire_bytes json, struct buf *out);

/* A member: its key and its value. */

static inline void json_put_str(struct json_writer *w, const char *key,
                                const char *value)
{
    json_key(w, key);
    json_str(w, value);
}

static inline void json_put_bytes(struct json_writer *w, const char *key,
                                  quire_bytes value)
{
    json_key(w, key);
    json_bytes(w, value);
}

static inline void json_put_int(struct json_writer *w, const char *key,
                                int64_t value)
{
    json_key(w, key);
    json_int(w, value);
}

static inline void json_put_uint(struct json_writer *w, const char *key,
                                 uint64_t value)
{
    json_key(w, key);
    json_uint(w, value);
}

static inline void json_put_bool(struct json_writer *w, const char *key,
                                 bool value)
{
    json_key(w, key);
    json_bool(w, value);
}

static inline void json_put_raw(struct json_writer *w, const char *key,
                                quire_bytes value)
{
    json_key(w, key);
    json_raw(w, value);
}

static inline void json_put_null(struct json_writer *w, const char *key)
{
    json_key(w, key);
    json_null(w);
}

#endif
