/*
 * tree.h - which record became which entry
 *
 * A converter meets a record's parent by the agent's id for it, and has to name
 * the entry to put the new one below. A node stands for one id.
 *
 *     a1 ── a2 ── a3          three lines of one model answer
 *            │     └─ u2      result of the call in a3
 *            └─ u1            result of the call in a2
 *
 * becomes   a1 ── u1 ── u2    one entry for the answer, results one below the
 *                             other: what hangs below any of them goes below u2
 *
 * So a node has two links. `entry` is the node whose entry stands for this one:
 * itself, the first line of the answer, or, for a record that is left out, that
 * of its parent (NONE: it had none). `next` is the entry that was put directly
 * below this one and belongs to the same step: whatever else has this parent
 * goes to the end of that chain, the *tail*.
 *
 *   (1) entry == own index, or entry's entry is itself, or NONE.
 *   (2) next points to a node of a higher index; chains end.
 *   (3) The key of a node is unique; its id text follows from key and form.
 *
 * 32 bytes a node with its hash slots. Positions in the table depend on a random
 * seed, so that no file can make look-ups slow; keys and ids do not.
 */
#ifndef IMPORT_TREE_H
#define IMPORT_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "import/state.h"
#include "quire.h"

#define TREE_NONE UINT32_MAX

/* How a key is spelled as an id. */
enum tree_form {
    TREE_UUID,  /* 8-4-4-4-12 lower-case hex digits, as the agent has it    */
    TREE_HASH,  /* "x" and 32 hex digits                                    */
    TREE_PLACE, /* "b", or "p" and the number of the base, and an offset    */
    TREE_OTHER, /* not an entry: ids of answers                             */
    TREE_SHORT  /* up to 16 letters, digits, "_" and "-", as the agent has it.
                   A format uses these or places: their ids look alike      */
};

struct tree_key {
    uint8_t bytes[16];
    enum tree_form form;
};

struct tree_node {
    uint8_t key[16];
    uint32_t entry;
    uint32_t next : 29;
    uint32_t form : 3;
};

/* 29 bits, all set: no next. More nodes than that are refused. */
#define TREE_NEXT_NONE ((uint32_t)0x1fffffff)

enum { TREE_ID_SIZE = 40 }; /* the longest id and its NUL */

struct tree {
    struct tree_node *nodes; /* owned */
    uint32_t n, cap;
    uint32_t *slots; /* owned; index + 1, 0: empty; a power of two          */
    uint32_t n_slots;
    uint64_t seed[2];
    bool failed; /* out of memory; remembered, as in struct buf */
};

void tree_release(struct tree *t);

/* The key of an agent's id (decoded); of one that may be short; of part `part` of the record with that
 * key; of a place in source number `source` (0: the file itself); of an id in
 * another name space. */
struct tree_key tree_key_of(quire_bytes id);
struct tree_key tree_key_short(quire_bytes id); /* else as tree_key_of() */
struct tree_key tree_key_part(struct tree_key whole, uint32_t part);
struct tree_key tree_key_place(uint32_t source, uint64_t at, uint32_t part);
struct tree_key tree_key_other(quire_bytes id);

/* TREE_NONE: no such node. */
uint32_t tree_find(const struct tree *t, const struct tree_key *key);

/* Add a node, which stands for itself. The key must be new. TREE_NONE when out
 * of memory. */
uint32_t tree_add(struct tree *t, const struct tree_key *key);

/* The entry below which a child of `node` goes; TREE_NONE: it is a root. */
uint32_t tree_tail(struct tree *t, uint32_t node);

/* `below` has been put below the tail of `node` and extends its chain. */
void tree_extend(struct tree *t, uint32_t node, uint32_t below);

/* Write the id of an entry, with a NUL; returns its length. */
size_t tree_id(const struct tree *t, uint32_t node, char out[TREE_ID_SIZE]);

void tree_save(const struct tree *t, struct buf *out);
bool tree_restore(struct tree *t, struct state_reader *r);

#endif
