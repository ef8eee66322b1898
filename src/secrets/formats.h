/*
 * formats.h - keys and tokens that begin with a prefix of their provider
 *
 * docs/secrets.md lists them; a test compares the two.
 */
#ifndef SECRETS_FORMATS_H
#define SECRETS_FORMATS_H

#include "secrets/secrets.h"

struct secret_format {
    const char *prefix, *kind;
    size_t least; /* characters behind the prefix, to be likely            */
    size_t sure;  /* to be sure; 0: never                                  */
    bool (*is)(char);
    unsigned rules;
};

enum {
    FORMAT_RANDOM = 1 << 0, /* sure: these characters look random             */
    FORMAT_EXACT = 1 << 1,  /* sure: not one more                             */
    FORMAT_ALNUM = 1 << 2,  /* sure: no dash and underscore in the first ones */
};

/* The format with this index, from 0; NULL: no more. */
const struct secret_format *secret_format_at(size_t index);

/* The length of a key that begins at `at`, prefix included, and its kind; 0: none. */
size_t secret_format_match(quire_bytes text, size_t at,
                           enum secrets_level level, const char **kind);

#endif
