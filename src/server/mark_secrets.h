/*
 * mark_secrets.h - places of secrets in an answer, for a client that hides them
 *
 * A GET with the header `Quire-Mark: secrets` gets a member more in an answer that is an
 * object: "secret_places", [{"pointer","at","length","kind"}], in order. `at` and `length`
 * count UTF-16 units of the string, as JavaScript does. Without secrets there is none.
 */
#ifndef SERVER_MARK_SECRETS_H
#define SERVER_MARK_SECRETS_H

#include "server/request.h"

/* Whether the request asks for it. */
bool wants_secret_marks(const struct request *c);

/* Add the member to the answer. */
void mark_secrets(struct request *c);

/* Write the secrets of a text as elements of an array. */
void put_text_secrets(struct json_writer *w, quire_bytes text);

#endif
