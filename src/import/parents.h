/*
 * parents.h - formats whose records name their parent
 */
#ifndef IMPORT_PARENTS_H
#define IMPORT_PARENTS_H

#include "import/priv.h"

/* Where an entry goes. */
struct parents_place {
    uint32_t node;  /* of the record                                       */
    uint32_t above; /* node of the entry above; TREE_NONE: a root          */
};

/* A node for the record with this id, below the one with the id `parent`, both JSON
 * strings; without a parent it is a root. It becomes the leaf. False: its id is
 * taken, which is reported, or out of memory. */
bool parents_place(struct import_converter *c, quire_bytes id,
                   quire_bytes parent, struct parents_place *p);

/* The next entry of the same record: below *p, where what names the record goes
 * from now on. False: out of memory. */
bool parents_next(struct import_converter *c, struct parents_place *p,
                  uint32_t part);

/* The record has no entry: what hangs below it goes below its parent. */
void parents_skip(struct import_converter *c, quire_bytes id,
                  quire_bytes parent);

#endif
