/*
 * converted.h - running a converter over bytes, and what came out
 */
#ifndef TESTS_IMPORT_CONVERTED_H
#define TESTS_IMPORT_CONVERTED_H

#include "base/bytes.h"
#include "import/agents.h"
#include "support/test.h"

enum { CONVERTED_MAX = 20000 };

struct converted {
    struct buf text; /* entries, one a line */
    size_t at[CONVERTED_MAX + 1];
    size_t n, n_settled;
    struct buf problems; /* "line 3 byte 40 garbage\n"    */
    struct buf counts;   /* "kept progress 2\n"           */
    struct buf links;    /* "0 a1b2\n": kind and target   */
    struct import_facts facts;
    struct import_converter *converter; /* owner of the facts */
    bool payloads;                      /* replaced: "payload:<kind>:<bytes>" */
    uint64_t input, output;             /* sums of what usage() was asked */
    struct import_options options;
};

void converted_init(struct converted *r, bool payloads);
void converted_release(struct converted *r);

/* Convert all of it, in chunks of that size (0: at once). */
void converted_run(struct converted *r, const struct import_format *format,
                   quire_bytes file, size_t chunk);

/* The same up to `cut`, with a save there; then a second converter from the
 * state. The entries of both, without the provisional ones of the first. */
void converted_resume(struct converted *r, const struct import_format *format,
                      quire_bytes file, size_t cut);

/* An entry; a value in it by a path of keys and indexes: "message.content.0.text".
 * As text: of a string its content. "" if there is none. */
quire_bytes converted_entry(const struct converted *r, size_t i);
const char *converted_get(const struct converted *r, size_t i,
                          const char *path);

/* Convert a short file, given as text, with the checks of converted_check(). */
void converted_text(struct converted *r, const struct import_format *format,
                    const char *file);

/* What always holds: each entry is JSON on one line, ids are unique, parents
 * come first. */
void converted_check(const struct converted *r);

#endif
