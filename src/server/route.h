/*
 * pattern.h - operations: what can be asked, in one table
 *
 * An operation has a name, a method and a pattern, fields that it takes, words
 * about it, and a function. Routing, the checks of what is sent, and the
 * description of all of it (/openapi.json) come from these entries and from
 * nothing else, so that they cannot disagree.
 *
 * A pattern is made of segments. ":id" takes one segment, and is a whole number
 * from 1 if its name ends in "id"; "*path" takes all that is left.
 */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/json.h"
#include "quire.h"
#include "server/events.h"
#include "http/http.h"

enum field_kind {
    FIELD_TEXT,
    FIELD_NUMBER, /* whole, 0 or more */
    FIELD_FLAG,
    FIELD_TEXTS,   /* an array of strings           */
    FIELD_NUMBERS, /* an array of such numbers      */
    FIELD_OBJECT,
    FIELD_ANY,
};

enum {
    FIELD_NEEDED = 1 << 0,
    FIELD_QUERY = 1 << 1,  /* in the query, not in the body */
    FIELD_NULL = 1 << 2,   /* null is a value of its own    */
    FIELD_BYTES = 1 << 3,  /* text of any characters, U+0000 too; it is taken
                             with request_bytes()                              */
    FIELD_FROM_1 = 1 << 4, /* a number that is not 0                        */
};

struct field {
    const char *name;
    enum field_kind kind;
    unsigned flags;
    const char *prose;
};

enum {
    ROUTE_WRITE = 1 << 0,
    ROUTE_ADMIN =
        1 << 1, /* for the admin's token                              */
    ROUTE_PUBLIC =
        1 << 2, /* for anybody                                        */
    ROUTE_INLINE =
        1 << 3,         /* so short that the loop does it itself              */
    ROUTE_RAW = 1 << 4, /* the body is content, not JSON                      */
    ROUTE_RAW_ANSWER =
        1 << 5, /* so is the answer                              */
    ROUTE_REPLAY_200 =
        1 << 6, /* 200 if it was there already                       */
    ROUTE_RANGES =
        1 << 7, /* parts of the answer can be had                    */
    ROUTE_SECRET =
        1 << 10, /* its answer is not to be kept anywhere            */
    ROUTE_CACHEABLE =
        1
        << 9, /* reads the catalogue and nothing else: response_cache.h      */
    ROUTE_LOCAL =
        1 << 8, /* with ROUTE_ADMIN: for anybody on this machine, too   */
    ROUTE_LARGE =
        1 << 12, /* with ROUTE_RAW: the body may be longer than others  */
    ROUTE_FILE =
        1 << 13, /* with ROUTE_LARGE: as long as an artifact may be      */
    ROUTE_GROUP =
        1 << 11, /* short, and changes the catalogue alone: group_commit.h */
    ROUTE_BIG_JSON =
        1 << 14, /* it carries content: the body may be long JSON     */
};

/* It writes, and what it has done is told to who listens to the tenant. */
#define ROUTE_WRITES(event) ((unsigned)ROUTE_WRITE | (unsigned)(event) << 16)
#define ROUTE_EVENT(flags)  ((enum event_kind)((flags) >> 16))

struct request;

struct route {
    const char *name;
    const char *method;
    const char *pattern;
    const char *prose; /* one sentence                          */
    unsigned flags;
    const struct field *fields; /* NULL: none; ends with a NULL name */
    int status;                 /* when all is well              */
    const char *answer;         /* the name of a schema, openapi.c */
    void (*run)(struct request *c);
};

/* All there are; ends with a NULL name. */
extern const struct route routes[];

/* Whoever works on calls: a thread. */
struct thread_ctx;

enum { PARAMS_MAX = 4, FIELDS_MAX = 24 };

struct server;

struct response_cache;

struct request {
    struct server *server;
    const struct route
        *route; /* NULL: there is none                           */
    struct exchange *x;
    int64_t began_us;
    bool early;                 /* only its head has come                 */
    const char *why, *why_next; /* of a failure, for the log; in `keep`   */
    struct thread_ctx *thread_ctx;
    quire *q;            /* of the tenant; of the default one for the admin */
    quire_tenant tenant; /* its words are in `keep`                       */
    const char *params[PARAMS_MAX]; /* decoded, in `keep`                 */
    const char
        *wrong; /* with one of them: it is to be refused; NULL: nothing */
    quire_bytes
        values[FIELDS_MAX]; /* JSON, by the route's fields; .data NULL */
    bool untaken; /* what was sent is yet to be looked at              */
    struct arena keep;
    struct response answer;
    struct json_writer w; /* into the answer's body */

    /* Where the answer is to be kept, if it may be: see response_cache.h. */
    struct response_cache *response_cache; /* NULL: nowhere */
    quire_bytes request;                   /* in `keep`     */
    int64_t state;

    /* Of group_commit.c. */
    bool grouped; /* it is made with others, and told of later */
    bool done;    /* there is something to tell of             */
    struct request *next;

    /* For its event, what neither the address nor the answer says. */
    bool unchanged;       /* all was as it is: there is no event           */
    int64_t conversation; /* that it belongs to; 0: none, or it is said    */
    const char *path;     /* in `keep`                                      */
};

/* ---- call.c: what was asked --------------------------------------------- */

/* The value of a field. The text of one that is not given is NULL. */
const char *request_text(struct request *c, const char *name);
uint64_t request_number(struct request *c, const char *name,
                        uint64_t otherwise);
bool request_flag(struct request *c, const char *name, bool otherwise);
quire_bytes request_json(struct request *c,
                         const char *name); /* .data NULL: none */
bool request_is_null(struct request *c, const char *name);

/* Text of any characters; .data NULL: not given. */
quire_bytes request_bytes(struct request *c, const char *name);

/* Strings, ended by NULL, in `keep`; NULL: not given. */
const char *const *request_texts(struct request *c, const char *name);

/* The elements of an array, values still, in `keep`; NULL: not given. */
const quire_bytes *request_elements(struct request *c, const char *name,
                                    size_t *n);

/* ":id": the number; and as "#12", for functions of quire.h. */
int64_t request_id(struct request *c, int index);
const char *request_ref(struct request *c, int index);

/* The session of ":id", the first parameter, by its own id, in `keep`. NULL:
 * answered. */
const char *request_session(struct request *c);

/* A failure to find the conversation of ":id", or to look at it; QUIRE_OK is
 * none. */
void request_fail_session(struct request *c, quire_status st,
                          const quire_error *err);

/* The same for a field that holds a conversation's number; *out NULL: none is
 * given. One that is not there is a wrong field, not a wrong address. False:
 * answered. */
bool request_session_field(struct request *c, const char *name,
                           const char **out);

/* The field "cwd"; *out NULL: not given. What it would be relative to is the
 * server's, which is nobody's business, so it begins at the root. False:
 * answered. */
bool request_cwd(struct request *c, const char **out);

/* Whether a field is the name of an agent, as arbiter has it, or not given.
 * False: answered. */
bool request_agent(struct request *c, const char *name);

/* The limit of a list: as asked, but not more than `max`. */
uint64_t request_limit(struct request *c, uint64_t otherwise, uint64_t max);

/* The field "cursor", "<time>.<id>": behind which row a page begins; both are
 * left alone if it is not given. False: answered. */
bool request_cursor(struct request *c, int64_t *us, int64_t *id);

/* The same where an id is text, in `keep`. */
bool request_cursor_text(struct request *c, int64_t *us, const char **id);

/* ---- what is answered --------------------------------------------------- */

/* The failure of a function of quire.h. */
void request_fail(struct request *c, quire_status st, const quire_error *err);

/* The same by another status and kind; `hint` is for who cannot use the one of
 * the error, which is for a shell. */
void request_fail_as(struct request *c, int status, const char *kind,
                     const char *hint, const quire_error *err);
void request_refuse(struct request *c, int status, const char *kind,
                    const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Members of an object that is open. */
void put_text(struct request *c, const char *key, const char *value);
void put_bytes(struct request *c, const char *key, quire_bytes value);
void put_number(struct request *c, const char *key, int64_t value);
void put_id(struct request *c, const char *key, int64_t id); /* 0: null */
void put_flag(struct request *c, const char *key, bool value);
void put_time(struct request *c, const char *key, int64_t us); /* in seconds */

/* All of an answer: {"deleted":true}, or why it is not. */
void answer_deleted(struct request *c, quire_status st, const quire_error *err);

/* A value: what is known of an artifact (route_artifact.c). */
void put_artifact(struct request *c, const quire_artifact *a);

/* A quire_write_fn that adds to the answer's body, however long it gets; ctx is
 * the call. */
quire_status request_write(void *ctx, quire_bytes piece, quire_error *err);

/* ---- content.c: stored content ------------------------------------------ */

/* What a tag in a list must be to be this one. EXACT: a name of these very
 * bytes. SAME: or of these bytes in gzip, by which one knows the content as well.
 * WEAK: or marked as weak, which is good enough to spare a transfer. */
enum etag_like { ETAG_EXACT, ETAG_SAME, ETAG_WEAK };

/* Whether a list of tags ("\"a\", W/\"b\"", or "*") has the one of a digest. */
bool blob_response_etag_matches(quire_bytes list, const char *hex,
                                enum etag_like like);

/* Answer with it, or with the part that is asked for, or that it is as it was. */
void blob_response_send(struct request *c, const quire_digest *digest,
                        uint64_t size, const char *mime);

/* ---- route_events.c: what is told to who listens --------------------------- */

/* What a call has done, by its address and answer; nothing if it failed. */
void request_publish_event(struct request *c);

/* One of several things that it has done. */
void request_publish_one(struct request *c, enum event_kind kind,
                         int64_t conversation, quire_bytes data);

/* What a request of the tool workspace did to an artifact, by its answer's data;
 * `conversation` is 0 if the session has no number (route_artifact.c). */
void request_publish_workspace(struct request *c, int64_t conversation,
                               quire_bytes data);

/* ---- running one -------------------------------------------------------- */

/* Which operation a request is for; if an address is that of one but for a
 * parameter that cannot be, `wrong` says so. NULL with *allowed: none by this method, but
 * others (a list for the header Allow, in `keep`); NULL and NULL: none. */
const struct route *route_find(const struct head *head, struct request *c,
                               const char **allowed);

/* Check and take what was sent. False: refused. */
bool request_take_fields(struct request *c);

/* ---- openapi.c ---------------------------------------------------------- */

void openapi_write(struct buf *out);

/* ---- api_*.c ------------------------------------------------------------ */

void route_tenants_list(struct request *c);
void route_tenants_add(struct request *c);
void route_tenants_get(struct request *c);
void route_tenants_patch(struct request *c);
void route_tenants_rotate(struct request *c);
void route_tenants_remove(struct request *c);

void route_audit(struct request *c);

void route_folders_list(struct request *c);
void route_folders_add(struct request *c);
void route_folders_patch(struct request *c);
void route_folders_remove(struct request *c);

void route_conversations_list(struct request *c);
void route_conversations_add(struct request *c);
void route_conversations_get(struct request *c);
void route_conversations_patch(struct request *c);
void route_conversations_remove(struct request *c);
void route_conversations_fork(struct request *c);
void route_conversations_move(struct request *c);
void route_entries_list(struct request *c);
void route_entries_add(struct request *c);
void route_messages_list(struct request *c);
void route_messages_add(struct request *c);
void route_context(struct request *c);
void route_tree(struct request *c);

void route_artifacts_list(struct request *c);
void route_artifacts_add(struct request *c);
void route_artifacts_get(struct request *c);
void route_artifacts_raw(struct request *c);
void route_artifacts_remove(struct request *c);
void route_artifacts_restore(struct request *c);
void route_artifacts_versions(struct request *c);
void route_artifacts_all(struct request *c);
void route_artifacts_search(struct request *c);
void route_files_put(struct request *c);
void route_files_get(struct request *c);
void route_files_remove(struct request *c);
void route_workspace(struct request *c);

void route_outputs_list(struct request *c);
void route_outputs_add(struct request *c);
void route_outputs_get(struct request *c);

void route_memory_list(struct request *c);
void route_memory_add(struct request *c);
void route_memory_get(struct request *c);
void route_memory_patch(struct request *c);
void route_memory_remove(struct request *c);
void route_memory_invalidate(struct request *c);
void route_relations_list(struct request *c);
void route_relations_add(struct request *c);
void route_relations_remove(struct request *c);
void route_graph(struct request *c);
void route_scratchpads_list(struct request *c);
void route_scratchpads_shared(struct request *c);
void route_scratchpads_get(struct request *c);

void route_history_list(struct request *c);
void route_history_add(struct request *c);
void route_usage(struct request *c);
void route_slash(struct request *c);

void route_blobs_put(struct request *c);
void route_blobs_get(struct request *c);

void route_events(struct request *c);

void route_mcp_post(struct request *c);
void route_mcp_get(struct request *c);
void route_mcp_delete(struct request *c);

void route_health(struct request *c);
void route_ready(struct request *c);
void route_version(struct request *c);
void route_metrics(struct request *c);
void route_openapi(struct request *c);

#endif
