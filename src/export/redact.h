/*
 * redact.h - secrets in text
 *
 * Found by their shape: keys of well-known providers, JSON Web Tokens, private
 * keys, bearer tokens, passwords in URLs and in assignments. What has no shape,
 * such as a password in a sentence, is not found.
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

/* Whether a member of this name has a secret as its value: "password". */
bool redact_is_secret_name(quire_bytes name);

#define REDACTED "[redacted]"

#endif
