/*
 * parse.h - find the slash commands in an agent's text
 *
 * An agent's text is prose with commands in between: lines that begin with a
 * slash and a known word. The scanner returns the commands in order. It does not
 * allocate, reads each byte once, and does not interpret the arguments.
 *
 *     Here is the report.
 *     /write --persist report.md        a command, its arguments
 *     # Findings                        its body: every line, as it is,
 *     /list                             this one too,
 *     /endwrite                         up to the line that ends it
 *     /read report.md                   a command without a body
 *
 * Rules for ambiguous text:
 *
 *   (1) A command begins in the first column, and its first word is known:
 *       "/writes x", "/usr/bin/env", " /list" are prose. Blanks, tabs and CR at
 *       the end of its line are ignored; lines end with LF.
 *   (2) Only its own terminator ends a body: a whole line, optionally followed
 *       by one CR. Fences and other commands in a body are content. A body
 *       without a terminator extends to the end of the text and is not closed:
 *       its command is not run, since running lines that were meant as content
 *       would be worse.
 *   (3) A command that takes a body has one even if its arguments are invalid:
 *       the lines after a mistaken "/write" are not commands.
 *   (4) Outside a body a fence hides its content. Three or more ` or ~ open it,
 *       after at most three blanks, as in CommonMark; after an opening ` no
 *       other ` may follow on the line. A line of the same character, at least
 *       as many, and nothing else closes it. An unclosed fence hides the rest
 *       of the text.
 *
 * The text may be any bytes, including NUL and invalid UTF-8.
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
    SLASH_MEM, /* "/mem" and an unknown word */
};

struct slash_form {
    enum slash_kind kind;
    const char *name;       /* "mem add entry"                   */
    const char *end;        /* "MEMORY", of [END MEMORY]         */
    const char *terminator; /* "/endmem"; NULL: it has no body   */
};

struct slash_command {
    const struct slash_form *form;
    quire_bytes args; /* after the name, trimmed                    */
    quire_bytes body; /* the lines of its body, unchanged           */
    bool closed;      /* the terminator is there, or none is needed */
    uint64_t line;    /* of the text, from 1                        */
};

struct slash_scan {
    quire_bytes text;
    size_t at;     /* offset of the next line               */
    uint64_t line; /* its number                            */
    char fence;    /* '`' or '~': inside one; 0: outside    */
    size_t fence_len;
};

void slash_scan_init(struct slash_scan *s, quire_bytes text);

/* The next command; false at the end. The slices point into the text. */
bool slash_next(struct slash_scan *s, struct slash_command *out);

/* The lines of a body as content: joined by LF, the CR at the end of each
 * dropped, and the last newline. A slice of the text if nothing else is dropped;
 * otherwise stored in `keep`, and the caller checks `keep->failed`. */
quire_bytes slash_content(quire_bytes body, struct buf *keep);

/* Remove the next word and the blanks around it from `rest` and return it;
 * empty at the end. */
quire_bytes slash_word(quire_bytes *rest);

/* Parse decimal digits with an optional '#' before them; false if the word is
 * anything else or does not fit. */
bool slash_id(quire_bytes word, int64_t *id);

#endif
