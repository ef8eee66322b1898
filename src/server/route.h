/*
 * route.h - operations: what can be asked, in one table
 *
 * An operation has a name, a method and a route, fields that it takes, words
 * about it, and a function. Routing, the checks of what is sent, and the
 * description of all of it (/openapi.json) come from these entries and from
 * nothing else, so that they cannot disagree.
 *
 * A route is made of segments. ":id" takes one segment, and is a whole number
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
                             with call_bytes()                              */
    FIELD_FROM_1 = 1 << 4, /* a number that is not 0                        */
};

struct field {
    const char *name;
    enum field_kind kind;
    unsigned flags;
    const char *prose;
};

enum {
    OP_WRITE = 1 << 0,
    OP_ADMIN = 1 << 1, /* for the admin's token                              */
    OP_OPEN = 1 << 2,  /* for anybody                                        */
    OP_QUICK = 1 << 3, /* so short that the loop does it itself              */
    OP_RAW = 1 << 4,   /* the body is content, not JSON                      */
    OP_RAW_ANSWER = 1 << 5, /* so is the answer                              */
    OP_AGAIN = 1 << 6,   /* 200 if it was there already                       */
    OP_RANGES = 1 << 7,  /* parts of the answer can be had                    */
    OP_SECRET = 1 << 10, /* its answer is not to be kept anywhere            */
    OP_STILL = 1 << 9,   /* reads the catalogue and nothing else: memo.h      */
    OP_LOCAL = 1 << 8,   /* with OP_ADMIN: for anybody on this machine, too   */
    OP_LARGE = 1 << 12,  /* with OP_RAW: the body may be longer than others  */
    OP_FILE = 1 << 13,   /* with OP_LARGE: as long as an artifact may be      */
    OP_GROUP = 1 << 11,  /* short, and changes the catalogue alone: scribe.h */
    OP_LONG = 1 << 14,   /* it carries content: the body may be long JSON     */
};

/* It writes, and what it has done is told to who listens to the tenant. */
#define OP_TELLS(event) ((unsigned)OP_WRITE | (unsigned)(event) << 16)
#define OP_EVENT(flags) ((enum event_kind)((flags) >> 16))

struct call;

struct op {
    const char *name;
    const char *method;
    const char *route;
    const char *prose; /* one sentence                          */
    unsigned flags;
    const struct field *fields; /* NULL: none; ends with a NULL name */
    int status;                 /* when all is well              */
    const char *answer;         /* the name of a schema, openapi.c */
    void (*run)(struct call *c);
};

/* All there are; ends with a NULL name. */
extern const struct op ops[];

/* Whoever works on calls: a thread. */
struct desk;

enum { PARAMS_MAX = 4, FIELDS_MAX = 24 };

struct service;

struct memo;

struct call {
    struct service *service;
    const struct op *op; /* NULL: there is none                           */
    struct exchange *x;
    int64_t began_us;
    bool early;                 /* only its head has come                 */
    const char *why, *why_next; /* of a failure, for the log; in `keep`   */
    struct desk *desk;
    quire *q;            /* of the tenant; of the default one for the admin */
    quire_tenant tenant; /* its words are in `keep`                       */
    const char *params[PARAMS_MAX]; /* decoded, in `keep`                 */
    const char
        *wrong; /* with one of them: it is to be refused; NULL: nothing */
    quire_bytes values[FIELDS_MAX]; /* JSON, by the op's fields; .data NULL */
    bool untaken; /* what was sent is yet to be looked at              */
    struct arena keep;
    struct answer answer;
    struct json_writer w; /* into the answer's body */

    /* Where the answer is to be kept, if it may be: see memo.h. */
    struct memo *memo;   /* NULL: nowhere */
    quire_bytes request; /* in `keep`     */
    int64_t state;

    /* Of scribe.c. */
    bool grouped; /* it is made with others, and told of later */
    bool done;    /* there is something to tell of             */
    struct call *next;

    /* For its event, what neither the address nor the answer says. */
    bool unchanged;       /* all was as it is: there is no event           */
    int64_t conversation; /* that it belongs to; 0: none, or it is said    */
    const char *path;     /* in `keep`                                      */
};

/* ---- call.c: what was asked --------------------------------------------- */

/* The value of a field. The text of one that is not given is NULL. */
const char *call_text(struct call *c, const char *name);
uint64_t call_number(struct call *c, const char *name, uint64_t otherwise);
bool call_flag(struct call *c, const char *name, bool otherwise);
quire_bytes call_json(struct call *c, const char *name); /* .data NULL: none */
bool call_is_null(struct call *c, const char *name);

/* Text of any characters; .data NULL: not given. */
quire_bytes call_bytes(struct call *c, const char *name);

/* Strings, ended by NULL, in `keep`; NULL: not given. */
const char *const *call_texts(struct call *c, const char *name);

/* The elements of an array, values still, in `keep`; NULL: not given. */
const quire_bytes *call_elements(struct call *c, const char *name, size_t *n);

/* ":id": the number; and as "#12", for functions of quire.h. */
int64_t call_id(struct call *c, int index);
const char *call_ref(struct call *c, int index);

/* The session of ":id", the first parameter, by its own id, in `keep`. NULL:
 * answered. */
const char *call_session(struct call *c);

/* A failure to find the conversation of ":id", or to look at it; QUIRE_OK is
 * none. */
void call_fail_conversation(struct call *c, quire_status st,
                            const quire_error *err);

/* The same for a field that holds a conversation's number; *out NULL: none is
 * given. One that is not there is a wrong field, not a wrong address. False:
 * answered. */
bool call_conversation(struct call *c, const char *name, const char **out);

/* The field "cwd"; *out NULL: not given. What it would be relative to is the
 * server's, which is nobody's business, so it begins at the root. False:
 * answered. */
bool call_cwd(struct call *c, const char **out);

/* Whether a field is the name of an agent, as arbiter has it, or not given.
 * False: answered. */
bool call_agent(struct call *c, const char *name);

/* The limit of a list: as asked, but not more than `max`. */
uint64_t call_limit(struct call *c, uint64_t otherwise, uint64_t max);

/* The field "cursor", "<time>.<id>": behind which row a page begins; both are
 * left alone if it is not given. False: answered. */
bool call_cursor(struct call *c, int64_t *us, int64_t *id);

/* The same where an id is text, in `keep`. */
bool call_cursor_text(struct call *c, int64_t *us, const char **id);

/* ---- what is answered --------------------------------------------------- */

/* The failure of a function of quire.h. */
void call_fail(struct call *c, quire_status st, const quire_error *err);

/* The same by another status and kind; `hint` is for who cannot use the one of
 * the error, which is for a shell. */
void call_fail_as(struct call *c, int status, const char *kind,
                  const char *hint, const quire_error *err);
void call_refuse(struct call *c, int status, const char *kind, const char *hint,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Members of an object that is open. */
void put_text(struct call *c, const char *key, const char *value);
void put_bytes(struct call *c, const char *key, quire_bytes value);
void put_number(struct call *c, const char *key, int64_t value);
void put_id(struct call *c, const char *key, int64_t id); /* 0: null */
void put_flag(struct call *c, const char *key, bool value);
void put_time(struct call *c, const char *key, int64_t us); /* in seconds */

/* All of an answer: {"deleted":true}, or why it is not. */
void answer_deleted(struct call *c, quire_status st, const quire_error *err);

/* A value: what is known of an artifact (api_artifact.c). */
void put_artifact(struct call *c, const quire_artifact *a);

/* A quire_write_fn that adds to the answer's body, however long it gets; ctx is
 * the call. */
quire_status call_write(void *ctx, quire_bytes piece, quire_error *err);

/* ---- content.c: stored content ------------------------------------------ */

/* What a tag in a list must be to be this one. EXACT: a name of these very
 * bytes. SAME: or of these bytes in gzip, by which one knows the content as well.
 * WEAK: or marked as weak, which is good enough to spare a transfer. */
enum etag_like { ETAG_EXACT, ETAG_SAME, ETAG_WEAK };

/* Whether a list of tags ("\"a\", W/\"b\"", or "*") has the one of a digest. */
bool content_has_etag(quire_bytes list, const char *hex, enum etag_like like);

/* Answer with it, or with the part that is asked for, or that it is as it was. */
void content_send(struct call *c, const quire_digest *digest, uint64_t size,
                  const char *mime);

/* ---- api_events.c: what is told to who listens --------------------------- */

/* What a call has done, by its address and answer; nothing if it failed. */
void call_tell(struct call *c);

/* One of several things that it has done. */
void call_tell_one(struct call *c, enum event_kind kind, int64_t conversation,
                   quire_bytes data);

/* What a request of the tool workspace did to an artifact, by its answer's data;
 * `conversation` is 0 if the session has no number (api_artifact.c). */
void call_tell_workspace(struct call *c, int64_t conversation,
                         quire_bytes data);

/* ---- running one -------------------------------------------------------- */

/* Which operation a request is for; if an address is that of one but for a
 * parameter that cannot be, `wrong` says so. NULL with *allowed: none by this method, but
 * others (a list for the header Allow, in `keep`); NULL and NULL: none. */
const struct op *op_find(const struct head *head, struct call *c,
                         const char **allowed);

/* Check and take what was sent. False: refused. */
bool call_take_fields(struct call *c);

/* ---- openapi.c ---------------------------------------------------------- */

void openapi_write(struct buf *out);

/* ---- api_*.c ------------------------------------------------------------ */

void api_tenants_list(struct call *c);
void api_tenants_add(struct call *c);
void api_tenants_get(struct call *c);
void api_tenants_patch(struct call *c);
void api_tenants_rotate(struct call *c);
void api_tenants_remove(struct call *c);

void api_audit(struct call *c);

void api_folders_list(struct call *c);
void api_folders_add(struct call *c);
void api_folders_patch(struct call *c);
void api_folders_remove(struct call *c);

void api_conversations_list(struct call *c);
void api_conversations_add(struct call *c);
void api_conversations_get(struct call *c);
void api_conversations_patch(struct call *c);
void api_conversations_remove(struct call *c);
void api_conversations_fork(struct call *c);
void api_conversations_move(struct call *c);
void api_entries_list(struct call *c);
void api_entries_add(struct call *c);
void api_messages_list(struct call *c);
void api_messages_add(struct call *c);
void api_context(struct call *c);
void api_tree(struct call *c);

void api_artifacts_list(struct call *c);
void api_artifacts_add(struct call *c);
void api_artifacts_get(struct call *c);
void api_artifacts_raw(struct call *c);
void api_artifacts_remove(struct call *c);
void api_artifacts_restore(struct call *c);
void api_artifacts_versions(struct call *c);
void api_artifacts_all(struct call *c);
void api_artifacts_search(struct call *c);
void api_files_put(struct call *c);
void api_files_get(struct call *c);
void api_files_remove(struct call *c);
void api_workspace(struct call *c);

void api_outputs_list(struct call *c);
void api_outputs_add(struct call *c);
void api_outputs_get(struct call *c);

void api_memory_list(struct call *c);
void api_memory_add(struct call *c);
void api_memory_get(struct call *c);
void api_memory_patch(struct call *c);
void api_memory_remove(struct call *c);
void api_memory_invalidate(struct call *c);
void api_relations_list(struct call *c);
void api_relations_add(struct call *c);
void api_relations_remove(struct call *c);
void api_graph(struct call *c);
void api_pads_list(struct call *c);
void api_pads_shared(struct call *c);
void api_pads_get(struct call *c);

void api_history_list(struct call *c);
void api_history_add(struct call *c);
void api_usage(struct call *c);
void api_slash(struct call *c);

void api_blobs_put(struct call *c);
void api_blobs_get(struct call *c);

void api_events(struct call *c);

void api_mcp_post(struct call *c);
void api_mcp_get(struct call *c);
void api_mcp_delete(struct call *c);

void api_health(struct call *c);
void api_ready(struct call *c);
void api_version(struct call *c);
void api_metrics(struct call *c);
void api_openapi(struct call *c);

#endif
