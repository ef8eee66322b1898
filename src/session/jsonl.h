/*
 * jsonl.h - JSON values, one a line, from an untrusted file
 *
 * A reader returns the values of an object in order, and for each part it could
 * not read where it is and what is wrong with it. It never stops at damage,
 * never returns a value twice, and takes time in proportion to the file.
 *
 *   - A value begins where the last one ended, after white space. Unreadable
 *     text is skipped up to the next line break.
 *   - Behind a complete value the rest of its line is skipped too.
 *   - A value may continue over line breaks between its tokens.
 *   - CRLF, empty lines, a byte order mark in front: fine.
 *
 * Two ways to read. A *full* parse reads every byte of a value and proves that
 * it is JSON. A *quick* scan trusts a line that begins like an entry, ends in a
 * closing brace and has an id where writers put it: files are opened at that
 * speed. A caller that uses such a value must parse it in full then.
 */
#ifndef SESSION_JSONL_H
#define SESSION_JSONL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"
#include "store/log.h"

/* Longer than any line but an attack's, and fits a uint32. */
#define JSONL_MAX_LINE ((size_t)1 << 30)

/* How far a value may continue behind its first line. Only files edited by hand
 * have such values. */
#define JSONL_MAX_SPREAD ((size_t)1 << 20)

struct jsonl {
    struct log *from; /* borrowed                                       */
    bool full;        /* parse everything in full */
    size_t max_line;  /* longer lines are skipped; JSONL_MAX_LINE        */

    /* Private. */
    struct buf window; /* bytes of the object, from `base` on            */
    uint64_t base;     /* offset of the window's first byte              */
    size_t at;         /* in the window: the first unread byte */
    uint64_t line;     /* of `at`, from 1                                */
    bool ended;        /* the window reaches to the end of the object    */
    uint64_t patience; /* bytes that may be scanned a second time */
};

/* The fields the tree needs, as slices of the value; .data is NULL for what is
 * absent. */
struct jsonl_head {
    quire_bytes type, id, parent; /* JSON values, quotes and all            */
    quire_bytes body;             /* `message`, if it is the last member    */
    size_t body_at; /* where the value of `message` begins; 0: unknown */
    bool plain;     /* type, id and parent have nothing to decode           */
};

struct jsonl_value {
    uint64_t at;      /* in the object                                      */
    uint64_t line;    /* the line it begins in */
    quire_bytes text; /* valid until the next call */
    struct jsonl_head head;
    bool is_object;
    bool full;     /* it was parsed in full */
    bool bad_utf8; /* full parse: it has malformed UTF-8 */
    bool open_end; /* the object ends right behind it, without a line break */
    /* What is wrong, NULL: nothing. With `text` empty, there is no value at
     * `at`. */
    const char *kind;
    const char *why;
    uint64_t bad_at; /* where exactly                                       */
};

/* Begin at byte `from` of the object, in line `line`. */
void jsonl_init(struct jsonl *j, struct log *object, uint64_t from,
                uint64_t line, bool full);
void jsonl_release(struct jsonl *j);

/* The next value, or the next part that holds none; *more is false at the end.
 */
quire_status jsonl_next(struct jsonl *j, struct jsonl_value *v, bool *more,
                        quire_error *err);

/* How many line breaks there are in a text. */
uint64_t jsonl_breaks(quire_bytes text);

/* Parse the text of one line in full: is it one object, and where are its
 * parts? False if it is not. *bad_utf8 may be NULL. */
bool jsonl_parse_line(quire_bytes text, struct jsonl_head *head,
                      bool *bad_utf8);

#endif
