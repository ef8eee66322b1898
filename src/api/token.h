/* token.h - tokens: making one */
#ifndef API_TOKEN_H
#define API_TOKEN_H

#include <stdbool.h>

#include "quire.h"

/* A token and its hash. Fails without random bytes of the system: there is no
 * fallback. */
quire_status token_make(char token[QUIRE_TOKEN_SIZE], quire_digest *digest,
                        quire_error *err);

/* Whether UTF-8 text has control characters. */
bool text_has_controls(quire_bytes text);

#endif
