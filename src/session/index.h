/*
 * index.h - index of a session's entries: place, id, parent
 *
 * Thirty-two bytes an entry and nine to eighteen more for the id table,
 * whatever the size of the entry: a file of a gigabyte needs a few megabytes.
 * Entries are numbered from 0 in the order of the file; the rest of the module
 * passes these numbers around.
 *
 * Invariants:
 *
 *   (1) An id refers to the last entry that has it. The older one stays in
 *       the list, as SUPERSEDED.
 *   (2) `parent` is the number of the entry its parentId refers to, once
 *       index_settle() has run; NONE for a root and for an orphan.
 *   (3) Unless `forward` is set, every parent has a smaller number than its
 *       child: a walk to the root ends.
 */
#ifndef SESSION_INDEX_H
#define SESSION_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "quire.h"

#define NONE UINT32_MAX

/* The types this module interprets; all others are ENTRY_OTHER and kept just
 * the same. */
enum entry_type {
    ENTRY_OTHER,
    ENTRY_MESSAGE,
    ENTRY_THINKING_LEVEL,
    ENTRY_MODEL,
    ENTRY_SERVICE_TIER,
    ENTRY_COMPACTION,
    ENTRY_BRANCH_SUMMARY,
    ENTRY_CUSTOM,
    ENTRY_CUSTOM_MESSAGE,
    ENTRY_LABEL,
    ENTRY_TTSR,
    ENTRY_MODE,
    ENTRY_TITLE,
    ENTRY_RESET,
    N_ENTRY_TYPES
};

enum {
    ENTRY_CHECKED = 1 << 0,    /* parsed in full */
    ENTRY_BODY_LAST = 1 << 1,  /* checked: `message` goes to the last brace */
    ENTRY_BAD_UTF8 = 1 << 2,   /* checked: to be mended on output */
    ENTRY_REFS = 1 << 3,       /* checked: it references a blob */
    ENTRY_ORPHAN = 1 << 4,     /* its parent is missing */
    ENTRY_SUPERSEDED = 1 << 5, /* a later entry has its id                  */
    ENTRY_FAR_ID = 1 << 6,     /* the id is longer than eight bytes         */
    ENTRY_SPREAD = 1 << 7,     /* it has line breaks inside */
};

struct entry {
    uint64_t at; /* in the file                                            */
    union {
        char near[8];
        const char *far; /* in the index's arena                           */
    } id;
    uint32_t len;    /* of the object, in bytes                            */
    uint32_t parent; /* number, or NONE                                    */
    uint32_t body;   /* where the value of `message` begins; 0: unknown */
    uint16_t id_len; /* 0: it has none                                     */
    uint8_t type;    /* enum entry_type                                    */
    uint8_t flags;
};

struct index_slot {
    uint32_t hash;
    uint32_t at; /* number of the entry + 1; 0: free */
};

struct index {
    struct entry *list; /* owned                                           */
    uint32_t n, cap;
    struct index_slot *slots; /* owned */
    uint32_t n_slots; /* a power of two                                     */
    uint32_t n_ids;
    uint64_t seed[2];
    struct arena text;       /* long ids; parents that are missing so far */
    struct waiting *waiting; /* entries with a parent that is missing so far */
    bool forward;            /* a parent comes after its child              */
    bool doubles;            /* an id was given twice                       */
};

void index_init(struct index *x, uint64_t seed0, uint64_t seed1);
void index_release(struct index *x);

/* Remove every entry. */
void index_clear(struct index *x);

/* The fields of an entry's line, its id and its parent's as plain text. */
struct index_line {
    uint64_t at;
    uint32_t len;
    quire_bytes id;     /* .data NULL: none         */
    quire_bytes parent; /* .data NULL: it is a root */
    uint32_t below;     /* number of the parent + 1, where known; else 0: use
                         * `parent` */
    uint32_t body;
    uint8_t type, flags;
};

/* Add the next entry. False when out of memory; then nothing changed. */
bool index_add(struct index *x, const struct index_line *line);

/* Remove the last one: it could not be written. Its id was new and its parent
 * known. */
void index_pop(struct index *x);

/* After adding: link children to parents that came late, or twice. */
void index_settle(struct index *x);

/* The number of the entry with this id, or NONE. */
uint32_t index_find(const struct index *x, quire_bytes id);

/* Whether it is in use, for names_entry_id(). */
bool index_taken(void *index, quire_bytes id);

static inline quire_bytes entry_id(const struct entry *e)
{
    return (quire_bytes){e->flags & ENTRY_FAR_ID ? e->id.far
                                                 : (const char *)e->id.near,
                         e->id_len};
}

/* Whether `below` descends from an entry that waits for a parent called `id`:
 * an entry of that id below it would be its own ancestor. */
bool index_awaits(const struct index *x, uint32_t below, quire_bytes id);

/* The numbers from a root down to `leaf`, in the arena; *n of them. Ends at the
 * first entry that repeats. NULL when out of memory. */
uint32_t *index_path(const struct index *x, uint32_t leaf, struct arena *keep,
                     uint32_t *n);

/* A byte an entry, in the arena: whether a walk up from it comes back to it.
 * NULL when out of memory. */
uint8_t *index_cycles(const struct index *x, struct arena *keep);

enum entry_type entry_type_of(quire_bytes json_type);
const char *entry_type_name(enum entry_type type); /* NULL for OTHER */

#endif
