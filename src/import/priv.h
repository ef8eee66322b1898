/*
 * priv.h - what the files of the module share
 *
 * convert.c cuts the file into records and gives each to the format, in the folder
 * of its agent. The format finds its place in the tree (tree.h) and
 * builds entries (entry.h), which go to the sink directly or wait behind an
 * unfinished answer (hold.h).
 */
#ifndef IMPORT_PRIV_H
#define IMPORT_PRIV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "import/convert.h"
#include "import/counts.h"
#include "import/hold.h"
#include "import/state.h"
#include "import/tree.h"
#include "import/whole.h"

/* More than any buffer gets: the longest line decides. */
#define IMPORT_CEILING (SIZE_MAX / 4)

struct import_format {
    const char *name;
    unsigned version;
    const char *const *record_starts; /* how a record may begin, NULL-ended */
    size_t state_size;                /* of its struct, zeroed by new()     */

    void (*init)(struct import_converter *c);
    void (*release)(struct import_converter *c); /* NULL: owns nothing */

    /* Convert one record. If it is not JSON to its end, or not an object, set
     * *bad and do nothing else. */
    quire_status (*record)(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err);

    /* Files of text: convert one line, without its break, of well-formed UTF-8; it
     * may be empty. NULL: lines are records of JSON. */
    quire_status (*line)(struct import_converter *c, quire_bytes text,
                         quire_error *err);

    /* Files that are one document: keys of the lists in it whose elements are
     * records, NULL-ended, and what to do with the other members. Of a format
     * without such files both are NULL. */
    const char *const *lists;
    quire_status (*member)(struct import_converter *c, quire_bytes key,
                           quire_bytes value, quire_error *err);

    /* The file has ended; the hold is still open. */
    quire_status (*finish)(struct import_converter *c, quire_error *err);

    void (*save)(const struct import_converter *c, struct buf *out);
    void (*restore)(struct import_converter *c, struct state_reader *r);
};

enum fact {
    FACT_SESSION,
    FACT_AGENT,
    FACT_CWD,
    FACT_TITLE,
    FACT_PROMPT,
    FACT_CREATED,
    FACT_UPDATED,
    FACT_MODEL,
    FACT_PARENT,
    FACT_VERSION,
    FACT_BRANCH,
    FACT_BASE,
    N_FACTS
};

struct import_converter {
    const struct import_format *format;
    struct import_sink sink;
    struct import_options options;

    /* The file. */
    uint64_t offset;     /* of the line being read                            */
    uint64_t line;       /* its number, from 1                                */
    uint64_t line_bytes; /* so many of it have come; `carry` has them        */
    struct buf carry;
    bool skipping;      /* it is too long: its bytes are dropped             */
    struct whole whole; /* a file that is one document                        */
    uint32_t source;    /* 0: the file itself, else the number of a base     */
    uint32_t n_bases;

    /* The record being converted. */
    uint64_t at;
    size_t at_max;      /* bytes behind `at` that are of its line            */
    struct stamp stamp; /* of the record, or of the one before               */
    bool after_damage;  /* an unreadable part came after the last tree record */
    bool provisional, inherited, sidechain;

    struct tree tree;
    uint32_t leaf; /* node: where the next record without a parent goes      */
    uint32_t last; /* node of the last entry                                 */
    struct hold hold;
    struct counts counts;
    struct buf facts[N_FACTS];
    uint64_t base_offset;
    uint64_t n_records, n_messages;

    /* Scratch: the entry being built; blocks of content; decoded text. */
    struct buf out, blocks, text, mended;
    char leaf_id[TREE_ID_SIZE];
    bool failed; /* out of memory in scratch: the record fails */
    void *state; /* of the format */
};

/* Report a problem at the record, `byte` bytes in. */
void convert_problem(struct import_converter *c, size_t byte, const char *kind,
                     const char *message);

/* Read the record's timestamp; without a valid one the last one stays. */
void convert_stamp(struct import_converter *c, quire_bytes timestamp);

/* The same of a number: seconds, with a fraction, or milliseconds or microseconds,
 * since 1970. */
void convert_stamp_number(struct import_converter *c, quire_bytes number);

/* Set a fact to the content of a JSON string, at most `max` bytes of it; other
 * values leave it. The second sets it only if it is not set. */
void convert_fact(struct import_converter *c, enum fact f, quire_bytes string);
void convert_first_fact(struct import_converter *c, enum fact f,
                        quire_bytes string);

/* The content of a JSON string, valid until the next call; "" for others. */
quire_bytes convert_text(struct import_converter *c, quire_bytes string);

/* A new node for the record at hand: for its own id (a JSON string; absent: its
 * place in the file), or for the part of it with that number, from 0, if it has
 * no id of its own. TREE_NONE: the id is taken, or the tree has failed. */
uint32_t convert_node(struct import_converter *c, quire_bytes id);
uint32_t convert_part(struct import_converter *c, uint32_t part);

/* The node of an id (a JSON string); TREE_NONE: it is unknown. */
uint32_t convert_find(struct import_converter *c, quire_bytes id);

quire_status convert_link(struct import_converter *c,
                          enum import_link_kind kind, quire_bytes string,
                          uint32_t node, quire_error *err);

#endif
