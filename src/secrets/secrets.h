/*
 * secrets.h - secrets in text
 *
 * Found by their form: keys that begin with a prefix of their provider, JSON Web
 * Tokens, private keys, bearer tokens, passwords in URLs and in assignments. What has
 * no form, such as a password in a sentence, is not found.
 *
 *     find    one after the other in a text: secrets_next()
 *     mask    a text, the strings of a JSON value, or a stream
 *
 * A stream is masked as if it were one text: a secret may be cut anywhere between
 * two pieces.
 */
#ifndef SECRETS_SECRETS_H
#define SECRETS_SECRETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "quire.h"

/* How certain it has to be. */
enum secrets_level {
    SECRETS_SURE, /* few false alarms: what is reported, masked when stored, and
                       hidden by the viewer */
    SECRETS_LIKELY, /* any value that is assigned to a name such as "password":
                       what is left out of an export that is shared */
};

struct secret {
    size_t at, len;   /* of the text */
    const char *kind; /* "github-token"; static */
    quire_bytes text; /* that it was found in; lent */
};

/* Find the first secret that begins at `from` or later. False: there is none. Linear in
 * the text, over all calls. */
bool secrets_next(quire_bytes text, size_t from, enum secrets_level level,
                  struct secret *out);

/* Where the first private key begins, before `end`, of which more may follow behind
 * there; `end` if there is none. */
size_t secrets_open_key(quire_bytes text, size_t end);

/* Whether a member of this name has a secret as its value: "password". */
bool secrets_is_name(quire_bytes name);

/* The secret that the value of such a member is, if any. */
bool secrets_of_member(quire_bytes name, quire_bytes value, struct secret *out);

/* ---- masking -------------------------------------------------------------- */

/* Receives a secret that was found. `place` is the JSON pointer of the string that it
 * stands in, "" in a text; both are lent. */
typedef void (*secrets_fn)(void *ctx, const char *place,
                           const struct secret *secret);

/* Add what is stored in place of a secret: "[redacted: github-token]". */
void secrets_add_mask(struct buf *out, const char *kind);

/* Report each secret of a text to `each`, which may be NULL; with `out` also add the
 * text with masks. Returns how many. */
size_t secrets_mask_text(quire_bytes text, struct buf *out, secrets_fn each,
                         void *ctx);

/* The same for all strings of a JSON value but ids, signatures and base64. With `mask`
 * *out is the value with masks, in `keep`; it is `json` itself where nothing was found.
 * What is not JSON has no strings.
 *
 * QUIRE_NO_MEMORY  allocation failed */
quire_status secrets_mask_json(quire_bytes json, bool mask, struct arena *keep,
                               quire_bytes *out, size_t *n, secrets_fn each,
                               void *ctx, quire_error *err);

/* A stream. It holds back what may be the beginning of a secret: less than
 * SECRETS_HELD_MAX bytes. */
#define SECRETS_HELD_MAX ((size_t)1 << 20)

struct secrets_stream {
    struct buf held;
    uint64_t at; /* of the stream, where `held` begins */
    uint64_t n;  /* secrets so far                     */
    secrets_fn each;
    void *ctx;
};

/* clang-format off */
#define SECRETS_STREAM_INIT {.held = BUF_INIT(4 * SECRETS_HELD_MAX)}
/* clang-format on */

/* Add to `out` what can be decided; `end`: that is all, decide the rest. A secret's
 * place is counted from the beginning of the stream. Without memory `out` fails. */
void secrets_stream_add(struct secrets_stream *s, quire_bytes piece, bool end,
                        struct buf *out);
void secrets_stream_release(struct secrets_stream *s);

#endif
