/*
 * entry_lines.h - the entries of a session as lines, each with its hash
 *
 * Homes that exchange sessions compare sets of entries. The canonical line of an
 * entry is the same in every home that has it:
 *
 *   - Its line as it is stored, without white space around it; a line break inside
 *     is a space.
 *   - A home that got an entry whose id another entry has stores it under
 *     "<id>~<16 hex>", the digits from the hash of its canonical line. In the
 *     canonical line that suffix is absent, from `id` and from `parentId`.
 *   - After a merge a home keeps its own leaf by a marker: a `custom` entry with the
 *     id "@<target>@<8 hex>". Markers belong to one home and are in no set; a
 *     `parentId` that names one is the target in the canonical line.
 */
#ifndef SESSION_ENTRY_LINES_H
#define SESSION_ENTRY_LINES_H

#include "base/arena.h"
#include "blob/hash.h"
#include "session/jsonl.h"

/* How many entries there are, and the sum of their hashes (the first 16 bytes of
 * each as two numbers): independent of their order. */
struct entry_set {
    uint64_t n;
    uint64_t sum[2];
};

void entry_set_add(struct entry_set *s, const quire_digest *canonical);

/* The sum as bytes, the same on every machine. */
enum { ENTRY_SUM_BYTES = 16 };
void entry_set_sum(const struct entry_set *s, uint8_t out[ENTRY_SUM_BYTES]);

static inline bool entry_set_equal(const struct entry_set *a,
                                   const struct entry_set *b)
{
    return a->n == b->n && a->sum[0] == b->sum[0] && a->sum[1] == b->sum[1];
}

/* The suffix of a second entry with the same id. */
enum { ENTRY_VARIANT_BYTES = 17, ENTRY_VARIANT_SIZE = 18 };
void entry_variant_suffix(const quire_digest *canonical,
                          char out[ENTRY_VARIANT_SIZE]);

/* An id without its suffix; the target of a marker. A slice of the id. */
quire_bytes entry_id_plain(quire_bytes id);

/* Whether it is the id of a marker; *target (may be NULL) is the entry that it keeps
 * as leaf. */
bool entry_id_is_marker(quire_bytes id, quire_bytes *target);

struct entry_line {
    quire_bytes raw;    /* as it is stored, on one line                      */
    quire_bytes id;     /* decoded; .data NULL: none                         */
    quire_bytes parent; /* decoded; .data NULL: a root, or none             */
    quire_digest hash;  /* of the canonical line                             */
    bool marker;        /* in no set                                         */
};

/* Describe a line that is a JSON object. False: it is not, or it has no type, or is a
 * header. Slices are of `text`, or in `keep`. */
bool entry_line_read(quire_bytes text, struct arena *keep,
                     struct entry_line *out);

/* Add a line with another id and parent: JSON text is quoted here. NULL .data leaves
 * one as it is. */
void entry_line_rename(const struct entry_line *line, quire_bytes id,
                       quire_bytes parent, struct arena *keep, struct buf *out);

/* Add a marker for `target`, without a line break. */
void entry_marker_add(quire_bytes target, const char digits[9],
                      const char *timestamp, struct buf *out);

/* The entries of a log, in file order. Text that is not an entry is skipped. */
struct entry_lines {
    struct jsonl j;
    struct arena keep; /* of the line returned last */
    bool in_body;      /* the header is behind */
    quire_bytes
        header; /* its line, in `own`; .data NULL before the first entry */
    struct arena own;
};

void entry_lines_init(struct entry_lines *e, struct log *log);
void entry_lines_release(struct entry_lines *e);
quire_status entry_lines_next(struct entry_lines *e, struct entry_line *out,
                              bool *more, quire_error *err);

#endif
