/*
 * heads.h - the heads of a session's entries, kept while it is open
 *
 * Entry i of the index has the row i. Rows are added when heads are asked for, from
 * the entries that have none yet; a file that is loaded anew begins again. Some 50
 * bytes an entry.
 *
 * Names of types, roles, tools and models are numbers here, of the list `names`:
 * 255 at most of each kind, so that a hostile file cannot make look-ups slow. What
 * comes after is "other".
 */
#ifndef SESSION_HEADS_H
#define SESSION_HEADS_H

#include <stdint.h>

#include "base/arena.h"
#include "quire.h"

enum { HEADS_NAMES = 256 };

struct head;

struct heads_names {
    const char *list[HEADS_NAMES]; /* in heads.text; [0] is ""               */
    uint32_t n, last;              /* `last`: what was looked up last        */
};

struct head_row {
    int64_t time_ms;
    uint64_t cost_nano_usd;
    uint32_t input, output, cached; /* tokens; UINT32_MAX: at least that     */
    uint32_t lines;
    uint16_t calls, flags;
    uint8_t type, role, tool, model;
};

struct heads {
    struct head_row *list; /* owned */
    uint32_t n, cap;
    struct heads_names *types, *roles, *tools, *models; /* in `text`         */
    struct arena text;
};

void heads_release(struct heads *h);

/* Make room for `n` rows in all; then add the next one. */
quire_status heads_make_room(struct heads *h, uint32_t n, quire_error *err);
quire_status heads_add(struct heads *h, const struct head *head,
                       quire_error *err);

#endif
