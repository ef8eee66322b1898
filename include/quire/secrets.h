/*
 * quire/secrets.h - secrets that are found in what is stored
 *
 * The setting `secrets` says what happens when an entry, an output, an artifact or an
 * import has a key or a password of a known form: `off`, nothing is looked for; `warn`,
 * it is reported; `mask`, it is stored as "[redacted: KIND]", and reported.
 * docs/secrets.md lists the kinds.
 */
#ifndef QUIRE_SECRETS_H
#define QUIRE_SECRETS_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_secret {
    const char *kind;  /* "github-token"                                    */
    const char *place; /* of an entry, the JSON pointer of its string; the path
                          of an artifact; of an import, the file, "#" and the
                          pointer; of an output, "". Of a text, ""          */
    uint64_t at;       /* where it begins: a byte of the string or text     */
    uint64_t bytes;    /* how many it has                                   */
    int masked;        /* it was not stored                                 */
    uint64_t reserved[4];
} quire_secret;

typedef void (*quire_secret_fn)(void *ctx, const quire_secret *secret);

/* Call `each` for every secret that a later call with `q`, or with a session, sink or
 * workspace of it, finds in what it stores; from within that call. NULL: no longer. An
 * entry that is refused may have been reported. A sink takes the function that is set
 * when it is opened.
 *
 * Owns: a secret is lent until `each` returns.
 * Fails: never.
 * Durable: no change. */
void quire_on_secret(quire *q, quire_secret_fn each, void *ctx);

/* Find the secrets of a text, whatever the setting is; `each` may be NULL. Needs no
 * store.
 *
 * Owns: a secret is lent until `each` returns.
 * Fails: never; returns how many.
 * Durable: reads only. */
size_t quire_secrets_find(quire_bytes text, quire_secret_fn each, void *ctx);

QUIRE_DECLS_END

#endif
