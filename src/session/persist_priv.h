/*
 * persist_priv.h - the walk shared by persisting and hydrating
 *
 * One scan, front to back, with no tree. The meaning of a string may depend on
 * members that come after it:
 *
 *     {"data": "iVBORw0...", "mimeType": "image/png"}
 *     {"thinking": "...", "thinkingSignature": "..."}
 *
 * so each open container has a level that collects facts about its members, and
 * decisions that need them are made when it closes. A change is recorded when
 * it is found and spliced in at the end, so that some can be taken back.
 *
 * Of a repeated key the last value counts; the others are dead text.
 */
#ifndef SESSION_PERSIST_PRIV_H
#define SESSION_PERSIST_PRIV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "blob/blob.h"
#include "quire.h"

/* The keys we interpret, in the order of their lengths. */
enum key {
    KEY_TYPE,
    KEY_DATA,
    KEY_IMAGES,
    KEY_FRAMES,
    KEY_RESULT,
    KEY_CONTENT,
    KEY_MIME_TYPE,
    KEY_MEDIA_TYPE,
    KEY_IMAGE_URL,
    KEY_LINE_COUNT,
    KEY_SIGNATURE,
    KEY_MEDIA_TYPE_SNAKE,
    KEY_PARTIAL_JSON,
    KEY_JSONL_EVENTS,
    KEY_TEXT_SIGNATURE,
    KEY_THOUGHT_SIGNATURE,
    KEY_THINKING_SIGNATURE,
    KEY_ENCRYPTED_CONTENT,
    KEY_OTHER,
};

static inline bool key_is_seal(enum key key)
{
    return key == KEY_SIGNATURE ||
           (key >= KEY_TEXT_SIGNATURE && key <= KEY_ENCRYPTED_CONTENT);
}

/* Facts about an object, a bit each. Those of a key are cleared when the key is
 * seen again. */
#define FACT_SEAL(key)       (1u << (key)) /* key_is_seal(), and not ""      */
#define FACT_MIME(nth)       (1u << (20 + (nth))) /* three keys name a type  */
#define FACT_MIME_IMAGE(nth) (1u << (23 + (nth))) /* ... and it is image/…   */
#define FACT_TYPE_IMAGE      (1u << 26)
#define FACT_TYPE_REDACTED   (1u << 27)
#define FACT_TYPE_GENERATED  (1u << 28)
#define FACTS_SEAL           ((1u << 20) - 1)
#define FACTS_MIME           (7u << 20)
#define FACTS_MIME_IMAGE     (7u << 23)
#define FACTS_TYPE           (7u << 26)

/* Where images may be. */
enum list {
    LIST_NONE,
    LIST_CONTENT, /* an array `content`, or an item of one */
    LIST_MEDIA,   /* the same with `images` and `frames`   */
    LIST_SINGLE,  /* an object `content`                   */
};

/* An open container. */
struct level {
    enum list list;
    bool object;
    bool any_stays;   /* a member so far is kept */
    bool changed;     /* something in it or below has                    */
    bool hard;        /* ... by more than cuts, which may be struck      */
    bool content_cut; /* `content` has, or will have, been             */
    unsigned facts;
    size_t n_changes; /* number of changes when it was opened */

    /* The last values of these keys, if strings, and a number. */
    quire_bytes data, result, content, line_count;
};

/* A change that may still be struck; others become edits at once. */
enum change_kind {
    CHANGE_STRUCK,
    CHANGE_CUT,   /* `old` is a long string                            */
    CHANGE_LINES, /* `old` is the count of lines in `content`          */
};

struct change {
    enum change_kind kind;
    quire_bytes old, content;
    bool hard;  /* LINES: due even if cuts are struck                  */
    bool whole; /* LINES: `content` is not cut                         */
};

struct walk {
    quire_bytes value;
    struct arena *tmp;
    struct blob_view blobs;
    void *ctx; /* for the functions below */

    /* Called for each string, and for each object once all of its members have
     * been seen. */
    quire_status (*string)(struct walk *w, enum key key, quire_bytes string,
                           quire_error *err);
    quire_status (*close)(struct walk *w, struct level *l, quire_error *err);
    bool strip; /* remove transient members */

    struct level *levels; /* [0] is around the value; [depth] innermost */
    size_t n_levels, depth;
    struct change *changes;
    size_t n_changes, cap;
    struct json_edits edits;
    struct buf text, raw; /* scratch for one string                     */
    bool failed;          /* out of memory */
};

/* Walk the value, then release() it, whatever the result. `value`, `tmp` and
 * the functions are set before, the rest is zero.
 *
 * QUIRE_INVALID  it is not JSON */
quire_status walk_run(struct walk *w, quire_error *err);
void walk_release(struct walk *w);

/* The innermost level. */
static inline struct level *walk_level(struct walk *w)
{
    return &w->levels[w->depth];
}

void walk_add(struct walk *w, struct change change);

/* Replace a part of the innermost level; cannot be struck. */
void walk_replace(struct walk *w, quire_bytes old, quire_bytes with);

/* The content of a string in *text, valid until the next call. False if it has
 * no exact UTF-8 (or out of memory, which the walk remembers). */
bool walk_text(struct walk *w, quire_bytes string, quire_bytes *text);

/* The first characters of a string, some hundred. */
quire_bytes walk_head(struct walk *w, quire_bytes string);

/* Add the value with the edits done. */
quire_status walk_splice(struct walk *w, struct buf *out, quire_error *err);

/* Is this object an image, in a place for images? `strict`: in `content` by its
 * type alone. */
bool level_is_image(const struct level *l, bool strict);

#endif
