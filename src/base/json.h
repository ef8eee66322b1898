/*
 * json.h - JSON as bytes that stay bytes
 *
 * A line of a session belongs to whoever wrote it: a number spelled 1e-07, an
 * escaped slash, the order of keys, all of it must survive us. So nothing
 * here turns a document into values. A value is a slice of the text it was
 * found in, quotes and brackets included, from its first byte to its last;
 * finding, changing and writing work on slices, and a string or a number is
 * decoded when someone asks for that one.
 *
 *   look     json_check   is this one value, and nothing else?
 *            json_head    the first sight of some keys, then stop
 *            json_pick    some keys of an object
 *            json_get     one key of an object, for chains
 *            json_next    each member, each element
 *            json_scan    each thing in a text, at any depth
 *   read     json_decode, json_text, json_is, json_read_int, ...
 *   change   json_edits   replace spans of a text, copy the rest
 *            json_tree    nodes, when the change is not a matter of spans
 *   write    json_writer  from nothing
 *            json_indent  over several lines, to be looked at
 *
 * The grammar is that of RFC 8259, in full, and one function knows it
 * (json_scan_next): whatever a look passes over has been checked. What a look
 * did not reach has not.
 *
 *   - Nesting stops at JSON_MAX_DEPTH. Nothing recurses.
 *   - No byte at or past the end of the slice is read; text needs no NUL.
 *   - UTF-8 is a question of its own (JSON_UTF8), since most callers know the
 *     answer or can live with either.
 *   - A key that appears more than once has its last value, as in JavaScript.
 *     Keys like "__proto__" are keys.
 *   - \ud800 alone is legal by the grammar and no character. It passes
 *     json_check(); decoding gives U+FFFD and says so.
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
 * key has been seen once; what follows is not even read. So a key that is
 * repeated after that point goes unnoticed, and so does damage: this is for
 * lines one has reason to trust, and for finding out which ones to look at.
 *
 * False, with *error (may be NULL), if it is no object or is damaged before
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

/* What json_scan_next() came upon. */
enum json_step {
    JSON_STEP_BAD,    /* `error` says where and why; so does every call after */
    JSON_STEP_END,    /* the text was one value, and it is over               */
    JSON_STEP_SCALAR, /* a string, number, true, false or null                */
    JSON_STEP_OPEN,   /* a container begins                                   */
    JSON_STEP_CLOSE,  /* the innermost open container has ended               */
};

/* A walk over everything in a text, in order, at any depth. */
struct json_scan {
    quire_bytes key;   /* at SCALAR and OPEN: the member's key, a string slice;
                          .data is NULL outside objects                       */
    quire_bytes value; /* at SCALAR: all of it; at OPEN: the bracket          */
    unsigned depth;    /* containers open, after this step                    */
    struct json_error error;

    /* Private. */
    const char *start, *at, *end;
    bool after;       /* a value has just ended: a comma or a bracket is due */
    bool key_escaped; /* `key` has a backslash: its bytes are not its text   */
    uint64_t in_object[JSON_MAX_DEPTH / 64]; /* bit d: what depth d + 1 is */
};

void json_scan_init(struct json_scan *s, quire_bytes text);
enum json_step json_scan_next(struct json_scan *s);

/* Right after OPEN: pass over the container, so that `value` is all of it,
 * and it counts as one step. False if it is damaged; `error` is set. */
bool json_scan_skip(struct json_scan *s);

/* The members of an object, or the elements of an array, whole:
 *
 *     json_iter_init(&it, array);
 *     while (json_next(&it))
 *         ... it.value ...
 *     if (it.error.why)
 *         ...
 *
 * A look at each level passes over all that is below, so a walk that goes
 * deep is cheaper with json_scan or a tree. A value that is neither object
 * nor array is an error ("not an object or an array"). */
void json_iter_init(struct json_scan *it, quire_bytes container);
bool json_next(struct json_scan *it);

/* -------------------------------------------------------------------- read */

/* Slices here are values that a look has given. The functions that answer yes
 * or no say no to a value of another kind, and to an absent one; for the rest
 * a value that is no string is a bug in the caller. */

/* Is it a string with just this content, however it is spelled? "\u0074ype"
 * is "type". Damaged UTF-8 is equal to the same damage only, half a surrogate
 * pair to nothing. */
bool json_equal(quire_bytes string, quire_bytes text);
bool json_is(quire_bytes string, const char *text);

/* Add the content of a string, which is well-formed UTF-8 whatever the string
 * was: half surrogate pairs, and maximal subparts of damaged UTF-8, become
 * U+FFFD. Gives how many did. */
size_t json_decode(quire_bytes string, struct buf *out);

/* The same as a slice: of the string itself if it has nothing to decode or
 * mend, else in `keep`. .data is NULL when there is no memory. */
quire_bytes json_text(quire_bytes string, struct arena *keep);

/* A number spelled as an integer, without fraction and exponent, that fits.
 * False otherwise; 1.0 and 1e3 are not spelled so. */
bool json_read_int(quire_bytes number, int64_t *out);
bool json_read_bool(quire_bytes value, bool *out);

/* The length JavaScript would give: UTF-16 units of the content, where half a
 * pair is one and a maximal subpart of damage is one. */
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
    size_t from, to;  /* the bytes that go                   */
    quire_bytes with; /* what comes in their place           */
    size_t order;     /* among insertions at the same place  */
};

struct json_edits {
    quire_bytes text;
    struct arena *arena;
    struct json_edit *list;
    size_t n, cap;
    bool failed; /* no memory; remembered, as in struct buf */
};

void json_edits_init(struct json_edits *e, quire_bytes text,
                     struct arena *arena);

/* Put `with` in the place of `old`, a slice of the text: a value, or any
 * part of one. */
void json_edit_value(struct json_edits *e, quire_bytes old, quire_bytes with);

/* What is to become of one key. */
struct json_change {
    const char *key;
    quire_bytes value; /* JSON; .data NULL: the member goes */
};

/* Change members of `object`, a slice of the text: a key that is there gets
 * the value in its old place, one that is not comes last, in the order given;
 * removing one that is not there is nothing. A member that goes takes its
 * comma, and the white space that was its own, along. A repeated key that is
 * changed stays once, at its first place.
 *
 * All changes to one object go in one call, so that commas come out right.
 * Two edits may lie side by side but not overlap: values inside a member that
 * is changed here are not to be edited as well.
 *
 * False, with *error (may be NULL), if it is no object or is damaged; then
 * nothing has been added to the list. */
bool json_edit_members(struct json_edits *e, quire_bytes object,
                       const struct json_change *changes, size_t n_changes,
                       struct json_error *error);

/* Add the text with the edits done to `out`, which fails if the list has. */
void json_splice(struct json_edits *e, struct buf *out);

/* A document in memory, for changes that are no matter of spans. Nodes point
 * into the text they were read from, which must outlive them. */
struct json_node {
    struct json_node *parent; /* NULL: a root                             */
    struct json_node *first;  /* children, in order                       */
    struct json_node *last;
    struct json_node *next, *prev; /* siblings                            */
    quire_bytes key;               /* a string slice; .data NULL if no
                                      member of an object                 */
    quire_bytes raw;     /* all of it, as it was read                     */
    enum json_kind kind; /* never JSON_ABSENT                             */
    bool touched;        /* something below has changed: `raw` is history */
};

/* Read a whole text: exactly what json_check(text, 0) accepts. NULL if it is
 * not (error->why says what is wrong) or there is no memory (it is NULL).
 * `error` may be NULL. Takes eighty bytes a value. */
struct json_node *json_tree_read(quire_bytes text, struct arena *arena,
                                 struct json_error *error);

/* Add the document to `out`. A node that has not been touched is its bytes,
 * white space inside it included. A touched one is spelled compactly: its own
 * brackets, colons and commas, around children of which the same holds. So a
 * document nobody has touched is written back byte for byte (without white
 * space around the root), and one written compactly differs in the changed
 * places only. */
void json_tree_write(const struct json_node *root, struct buf *out);

/* A member of an object (the last of that name), an element of an array by
 * its index from 0; NULL if there is none, or `node` is NULL or no such
 * container. */
struct json_node *json_tree_get(const struct json_node *node, const char *key);
struct json_node *json_tree_at(const struct json_node *node, size_t index);

/* Whether both say the same: members in any order (of an object of more than a
 * few hundred, in the same), strings however they are spelled; numbers are the
 * same if their digits are. Neither is to hold what json_tree_set() put in.
 * `arena` is for scratch. */
bool json_tree_same(const struct json_node *a, const struct json_node *b,
                    struct arena *arena);

/* Make the node mean `json`, one scalar or container spelled out, which is
 * borrowed, not parsed: a container put in so has no children to look at, and
 * takes none. Where that matters, json_tree_read() it and put it in with
 * json_tree_replace(). */
void json_tree_set(struct json_node *node, quire_bytes json);

/* Put `with`, a root, where `node` is; it takes over the key. `node` becomes
 * a root itself. */
void json_tree_replace(struct json_node *node, struct json_node *with);

/* Make `child`, a root, the last member named `key` of an object, or with a
 * NULL key the last element of an array; `before` puts it in front of that
 * child instead of last. A key that is there already is repeated: look first.
 * False when there is no memory. */
bool json_tree_insert(struct json_node *parent, const char *key,
                      struct json_node *child, struct json_node *before,
                      struct arena *arena);

/* Take the node out; it becomes a root. */
void json_tree_remove(struct json_node *node);

/* ------------------------------------------------------------------- write */

/* Compact JSON, added to a buffer. The writer puts the commas; the caller
 * sees to it that brackets pair and that objects get a key before each value.
 * Failure is the buffer's. */
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

/* Two members, "encoding" and `key`: bytes of any kind, as text ("utf-8") where
 * they are text, else in base64. */
void json_content(struct json_writer *w, const char *key, quire_bytes content);

/* JSON that is spelled already. */
void json_raw(struct json_writer *w, quire_bytes json);

/* The string alone, quotes included, outside any writer. */
void json_add_quoted(struct buf *out, quire_bytes text);

/* Add `json`, a text json_check() accepts, as JSON.stringify(value, null, 2)
 * lays it out: an element or a member a line, two spaces for each container
 * around it, {} and [] for empty ones, no newline at the end. Strings and
 * numbers stay as they are spelled. Of another text, what comes before the
 * damage. */
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
