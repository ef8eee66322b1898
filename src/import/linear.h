/*
 * linear.h - formats without parents: each record follows the one before
 */
#ifndef IMPORT_LINEAR_H
#define IMPORT_LINEAR_H

#include "import/entry.h"

/* A node below the leaf, which it becomes; *parent is the node above. `part`
 * numbers the entries of one record. TREE_NONE: out of memory. */
uint32_t linear_place(struct import_converter *c, uint32_t part,
                      uint32_t *parent);

/* The same for an id (JSON string), or, without one or if it is taken, for part
 * (*n_parts)++. */
uint32_t linear_place_id(struct import_converter *c, quire_bytes id,
                         uint32_t *n_parts, uint32_t *parent);

/* A custom entry for a part. `name` is the content of a JSON string. */
quire_status linear_custom(struct import_converter *c, uint32_t part,
                           quire_bytes name, quire_bytes data,
                           quire_error *err);

#endif
