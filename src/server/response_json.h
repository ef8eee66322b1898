/*
 * response_json.h - JSON answers: members, failures
 *
 * A handler writes its answer with `c->w`. A failure replaces all of it by
 * {"error","kind","hint"}.
 */
#ifndef SERVER_RESPONSE_JSON_H
#define SERVER_RESPONSE_JSON_H

#include "server/request.h"

/* Answer with the failure of a library function. Internal failures go to the
 * log; the client gets a general message. */
void request_fail(struct request *c, quire_status st, const quire_error *err);

/* The same with another HTTP status and kind. `hint` replaces a hint of the
 * library that is meant for a shell. */
void request_fail_as(struct request *c, int status, const char *kind,
                     const char *hint, const quire_error *err);
void request_refuse(struct request *c, int status, const char *kind,
                    const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Members of the open object. */
void put_text(struct request *c, const char *key, const char *value);
void put_bytes(struct request *c, const char *key, quire_bytes value);
void put_number(struct request *c, const char *key, int64_t value);
void put_id(struct request *c, const char *key, int64_t id); /* 0: null */
void put_flag(struct request *c, const char *key, bool value);
void put_time(struct request *c, const char *key, int64_t us); /* in seconds */

/* A whole answer: {"deleted":true}, or the failure. */
void answer_deleted(struct request *c, quire_status st, const quire_error *err);

/* A quire_write_fn that appends to the answer's body, of any length; ctx is the
 * request. */
quire_status request_write(void *ctx, quire_bytes piece, quire_error *err);

#endif
