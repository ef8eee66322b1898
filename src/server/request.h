/*
 * request.h - one request: its route, tenant, parameters and fields
 *
 * A request is created when its head has been parsed, and authorised and routed
 * then, once. It lives until its answer is handed to the connection. `keep` holds
 * everything that lives as long.
 */
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include "base/arena.h"
#include "base/json.h"
#include "http/http.h"
#include "quire.h"
#include "server/router.h"

struct server;
struct thread_ctx;
struct response_cache;

struct request {
    struct server *server;
    struct exchange *x;
    struct thread_ctx *thread_ctx; /* of the thread that works on it */
    int64_t began_us;
    bool early; /* the body has not arrived yet */

    /* Set by authorisation, when the head is there. */
    struct route_match match;
    const struct route *route; /* of `match`; NULL: none           */
    quire_tenant tenant;       /* its text is in `keep`            */
    bool by_token;             /* a token was needed and checked   */
    const char *session;       /* of the path, once it is known; in `keep` */
    int64_t session_number;    /* the same; 0: not yet known        */

    bool unread; /* fields have yet to be read: request_read_fields() */
    quire_bytes
        values[FIELDS_MAX]; /* JSON, by the route's fields; .data NULL */

    quire *q; /* of the tenant; of the default tenant for the admin */
    struct arena keep;
    struct response answer;
    struct json_writer w;       /* into the answer's body                 */
    const char *why, *why_next; /* of a failure, for the log; in `keep`   */

    /* Where to cache the answer; see response_cache.h. */
    struct response_cache *response_cache; /* NULL: do not */
    quire_bytes cache_key;                 /* in `keep`    */
    int64_t state;

    /* Secrets that were found in what it stores: of the header Quire-Secrets. */
    char secrets[980];
    unsigned n_secrets, n_secrets_shown;

    /* Of group_commit.c. */
    bool grouped; /* runs in a group; its event is published at the commit */
    bool done;    /* the handler has run                                   */
    struct request *next;

    /* For its event, what neither the address nor the answer contains. */
    bool unchanged;       /* nothing changed: no event              */
    int64_t conversation; /* it belongs to; 0: none, or known       */
    const char *path;     /* in `keep`                              */
};

/* Read and validate the fields of query and body. False: answered. */
bool request_read_fields(struct request *c);

/* The value of a field. Text that is absent is NULL. */
const char *request_text(struct request *c, const char *name);
uint64_t request_number(struct request *c, const char *name,
                        uint64_t otherwise);
bool request_flag(struct request *c, const char *name, bool otherwise);
quire_bytes request_json(struct request *c,
                         const char *name); /* .data NULL: none */
bool request_is_null(struct request *c, const char *name);

/* Text of any characters; .data NULL: absent. */
quire_bytes request_bytes(struct request *c, const char *name);

/* Strings, ended by NULL, in `keep`; NULL: absent. */
const char *const *request_texts(struct request *c, const char *name);

/* The words of a list with commas, ended by NULL, in `keep`; NULL: none. */
const char *const *request_list(struct request *c, const char *name);

/* The elements of an array, as JSON, in `keep`; NULL: absent. */
const quire_bytes *request_elements(struct request *c, const char *name,
                                    size_t *n);

/* A path parameter: as text, as a number, and as "#12" for functions of
 * quire.h. */
const char *request_param(const struct request *c, int index);
int64_t request_id(struct request *c, int index);
const char *request_ref(struct request *c, int index);

/* The id of the session that the path names by number, id or prefix, in `keep`.
 * NULL: answered. */
const char *request_session(struct request *c);

/* The same for functions of quire.h that look the session up themselves. */
const char *request_session_ref(struct request *c);

/* Its number. False: answered. */
bool request_session_number(struct request *c, int64_t *out);

/* "session" or "conversation", as the path has it; and "/v1/sessions ...". */
const char *request_session_noun(const struct request *c);

/* Answer the failure to find or read the conversation of the path; nothing for
 * QUIRE_OK. */
void request_fail_session(struct request *c, quire_status st,
                          const quire_error *err);

/* The same for a field that holds a conversation's number; *out NULL: absent.
 * An unknown one is an invalid field, not an unknown address. False: answered. */
bool request_session_field(struct request *c, const char *name,
                           const char **out);

/* The same for a field that names a session by number, id or prefix. */
bool request_session_name(struct request *c, const char *name,
                          const char **out);

/* Whether a JSON value is one of the choices that the row lists for a field. */
bool request_is_choice(struct request *c, const char *name, quire_bytes value);

/* The field "cwd"; *out NULL: absent. It must be absolute: clients do not know
 * the server's directory. False: answered. */
bool request_cwd(struct request *c, const char **out);

/* Whether a field is a valid name of an agent, or absent. False: answered. */
bool request_agent(struct request *c, const char *name);

/* The field "limit" of a list: 0 or absent is the row's default, and more than its
 * maximum is the maximum. */
uint64_t request_limit(struct request *c);

/* The field "cursor", "<time>.<id>": where a page begins; both are unchanged if
 * it is absent. False: answered. */
bool request_cursor(struct request *c, int64_t *us, int64_t *id);

/* The same where an id is text, in `keep`. */
bool request_cursor_text(struct request *c, int64_t *us, const char **id);

#endif
