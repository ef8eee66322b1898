/*
 * jsonl.h - JSON values, one a line, out of a file that anybody wrote
 *
 * A reader gives the values of an object in order, whatever lies between
 * them, and says of each stretch it could not read where it is and what is
 * wrong with it. It never stops at damage, never gives a value twice, and
 * costs time in proportion to the file.
 *
 *   - A value begins where the last one ended, after white space. What cannot
 *     be read is passed over up to the next line break.
 *   - Behind a complete value the rest of its line is passed over too.
 *   - A value may go on over line breaks between its tokens.
 *   - CRLF, empty lines, a byte order mark in front: fine.
 *
 * Two ways to look. A *close* look reads every byte of a value and knows that
 * it is JSON. A *quick* look believes a line that begins like an entry, ends
 * in a closing brace and has an id where writers put it: that is the speed at
 * which files are opened. Whoever uses such a value has to look closely then.
 */
#ifndef SESSION_JSONL_H
#define SESSION_JSONL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"
#include "store/object.h"

/* Longer than any line that is not an attack, and than what fits a uint32. */
#define JSONL_MAX_LINE ((size_t)1 << 30)

/* How far a value may go on behind its first line. Nobody writes such files
 * but by hand. */
#define JSONL_MAX_SPREAD ((size_t)1 << 20)

struct jsonl {
    struct object *from; /* borrowed                                       */
    bool close;          /* look closely at everything                     */

    /* Private. */
    struct buf window; /* bytes of the object, from `base` on            */
    uint64_t base;     /* offset of the window's first byte              */
    size_t at;         /* in the window: what has not been looked at yet */
    uint64_t line;     /* of `at`, from 1                                */
    bool ended;        /* the window reaches to the end of the object    */
    uint64_t patience; /* bytes that may be looked at a second time      */
};

/* The four things the tree needs, as slices of the value; .data is NULL for
 * what is not there. */
struct jsonl_head {
    quire_bytes type, id, parent; /* JSON values, quotes and all            */
    quire_bytes body;             /* `message`, if it is the last member    */
    size_t body_at; /* where the value of `message` begins; 0: not seen     */
    bool plain;     /* type, id and parent have nothing to decode           */
};

struct jsonl_value {
    uint64_t at;      /* in the object                                      */
    uint64_t line;    /* the one it begins in                               */
    quire_bytes text; /* good until the next call                           */
    struct jsonl_head head;
    bool is_object;
    bool close;    /* it was looked at closely                              */
    bool bad_utf8; /* closely: it has bytes that are no characters          */
    bool open_end; /* the object ends right behind it, without a line break */
    /* What is wrong, NULL: nothing. With `text` empty, the stretch at `at`
     * holds no value at all. */
    const char *kind;
    const char *why;
    uint64_t bad_at; /* where exactly                                       */
};

/* Begin at byte `from` of the object, in line `line`. */
void jsonl_init(struct jsonl *j, struct object *object, uint64_t from,
                uint64_t line, bool close);
void jsonl_release(struct jsonl *j);

/* The next value, or the next stretch that holds none; *more is false at the
 * end. */
quire_status jsonl_next(struct jsonl *j, struct jsonl_value *v, bool *more,
                        quire_error *err);

/* How many line breaks there are in a text. */
uint64_t jsonl_breaks(quire_bytes text);

/* Look closely at the text of one line: is it one object, and where are its
 * parts? False if it is not. *bad_utf8 may be NULL. */
bool jsonl_look(quire_bytes text, struct jsonl_head *head, bool *bad_utf8);

#endif
