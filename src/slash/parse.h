/*
 * parse.h - the commands in an agent's text
 *
 * An agent speaks prose, and puts commands between: a line that begins with a
 * slash and a word we know. Here a text becomes those commands, one after the
 * other, without memory of its own and without looking at a byte twice; what
 * they mean is for others.
 *
 *     Here is the report.
 *     /write --persist report.md        a command, its arguments
 *     # Findings                        its body: every line, as it is,
 *     /list                             this one too,
 *     /endwrite                         up to the line that ends it
 *     /read report.md                   a command without a body
 *
 * The rules, where a text could be taken in two ways:
 *
 *   (1) A command begins in the first column, and its first word is one of
 *       ours: "/writes x", "/usr/bin/env", " /list" are prose. Blanks, tabs and
 *       CR at the end of its line do not count; lines end with LF.
 *   (2) A body is ended by its own terminator alone, as a whole line, nothing
 *       before it and nothing behind but one CR. Fences and other commands in
 *       a body are content. What has no terminator goes on to the end of the
 *       text, and is not closed: it is better to do nothing than to run lines
 *       that were meant to be written.
 *   (3) Whatever opens a body opens it, with sensible arguments or without:
 *       the lines after a mistaken "/write" were no commands either.
 *   (4) Outside a body a fence hides what is in it. It is opened by three or
 *       more ` or ~, behind at most three blanks, as in CommonMark; behind `
 *       no other ` may follow on the line. It is closed by a line of the same
 *       character, at least as many, and nothing else; by the other kind never.
 *       One that is not closed hides all that follows.
 *
 * The text may be any bytes, NUL and damaged UTF-8 among them.
 */
#ifndef SLASH_PARSE_H
#define SLASH_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

enum slash_kind {
    SLASH_WRITE,
    SLASH_READ,
    SLASH_LIST,
    SLASH_ADD_ENTRY,
    SLASH_ADD_LINK,
    SLASH_ENTRIES,
    SLASH_ENTRY,
    SLASH_SEARCH,
    SLASH_EXPAND,
    SLASH_DENSITY,
    SLASH_INVALIDATE,
    SLASH_PAD_WRITE,
    SLASH_PAD_READ,
    SLASH_PAD_CLEAR,
    SLASH_SHARED_WRITE,
    SLASH_SHARED_READ,
    SLASH_SHARED_CLEAR,
    SLASH_MEM, /* "/mem" and nothing we know */
};

struct slash_form {
    enum slash_kind kind;
    const char *name;       /* "mem add entry"                   */
    const char *end;        /* "MEMORY", of [END MEMORY]         */
    const char *terminator; /* "/endmem"; NULL: it has no body   */
};

struct slash_command {
    const struct slash_form *form;
    quire_bytes args; /* behind the name, no blanks around          */
    quire_bytes body; /* the lines of its body as they stand        */
    bool closed;      /* the terminator is there, or none is needed */
    uint64_t line;    /* of the text, from 1                        */
};

struct slash_scan {
    quire_bytes text;
    size_t at;     /* the line to look at next              */
    uint64_t line; /* its number                            */
    char fence;    /* '`' or '~': inside one; 0: outside    */
    size_t fence_len;
};

void slash_scan_init(struct slash_scan *s, quire_bytes text);

/* The next command; false: there is none. Slices are of the text. */
bool slash_next(struct slash_scan *s, struct slash_command *out);

/* The lines of a body as content: joined by LF, the CR at the end of each
 * dropped, and the last newline. A slice of the text if there is nothing to
 * drop, else in `keep`, whose failure is to be looked at. */
quire_bytes slash_content(quire_bytes body, struct buf *keep);

/* The next word of `rest`, between blanks, which is taken from it; no bytes
 * when there is none. What is left begins with no blank. */
quire_bytes slash_word(quire_bytes *rest);

/* A number of decimal digits, with '#' before it or without; false if it is
 * anything else or does not fit. */
bool slash_id(quire_bytes word, int64_t *id);

#endif
