/*
 * redact.h - secrets and home directories in a text that is exported
 *
 * What may be a secret is left out (SECRETS_LIKELY of secrets/secrets.h): an export is
 * shared, and a value too many is missed less than one that is made public.
 */
#ifndef EXPORT_REDACT_H
#define EXPORT_REDACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

enum { REDACT_HOMES = 2 };

struct redactor {
    quire_bytes homes[REDACT_HOMES]; /* directories that become "~" */
    size_t n_homes;
    uint64_t secrets, paths; /* how many were replaced */
};

/* Add `path`, if it is a home directory; of a path below /home or /Users, the
 * home that it lies in. The bytes are borrowed. */
void redact_home(struct redactor *r, quire_bytes path);

/* Add the text with what is found replaced. False: nothing was. */
bool redact_text(struct redactor *r, quire_bytes text, struct buf *out);

#define REDACTED "[redacted]"

#endif
