/* token.c - making a token, and whose it is */
#include "api/token.h"

#include <string.h>

#include "api/core/handle.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "blob/hash.h"

enum { TOKEN_BYTES = 32 };

static const char token_prefix[] = "qrt_";

quire_status token_make(char token[QUIRE_TOKEN_SIZE], quire_digest *digest,
                        quire_error *err)
{
    uint8_t random[TOKEN_BYTES];
    quire_status st = rand_bytes(&rand_system, random, sizeof random, err);

    if (st)
        return st;
    memcpy(token, token_prefix, sizeof token_prefix);
    hex_encode(random, sizeof random, token + sizeof token_prefix - 1);
    explicit_bzero(random, sizeof random);
    hash_bytes(bytes_of(token, QUIRE_TOKEN_SIZE - 1), digest);
    return QUIRE_OK;
}

/* Malformed tokens take the same way as unknown ones: their hash matches none. */
quire_status quire_tenant_by_token(quire *q, const char *token,
                                   quire_tenant *out, quire_error *err)
{
    quire_digest digest;
    quire_status st = need_rows(q, false, err);

    *out = (quire_tenant){.id = 0};
    if (!st) {
        /* One byte beyond a token's length is enough to not match. */
        hash_bytes(bytes_of(token, strnlen(token, QUIRE_TOKEN_SIZE)), &digest);
        st = tenant_by_token(&q->catalog, &digest, &q->loan, out, err);
    }
    if (!st && out->disabled)
        st = QUIRE_NOT_FOUND;
    if (st)
        *out = (quire_tenant){.id = 0};
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st,
                 HINT_SHELL "`quire tenant rotate` gives a tenant another one",
                 "missing or unknown token");
    }
    return st;
}

bool text_has_controls(quire_bytes text)
{
    uint32_t cp;

    while (text.len > 0) {
        text = bytes_sub(text, utf8_decode(text, &cp, NULL), text.len);
        if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
            return true;
    }
    return false;
}
