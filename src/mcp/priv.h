/* priv.h - declarations shared by the files of src/mcp */
#ifndef MCP_PRIV_H
#define MCP_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "mcp/mcp.h"

/* Revisions of the protocol, in order, so that one can ask for "since". */
enum mcp_version {
    V_NONE,
    V_2024_11_05,
    V_2025_03_26, /* annotations of tools; batches, here only      */
    V_2025_06_18, /* structured content, links, titles             */
    V_2025_11_25,
    V_2026_07_28, /* stateless                                     */
    N_VERSIONS
};

extern const char *const mcp_versions[N_VERSIONS];

enum mcp_code {
    CODE_PARSE = -32700,
    CODE_REQUEST = -32600,
    CODE_METHOD = -32601,
    CODE_PARAMS = -32602,
    CODE_INTERNAL = -32603,
    CODE_RESOURCE = -32002, /* until 2025-11-25; then it is CODE_PARAMS */
    CODE_HEADERS = -32020,
    CODE_CAPABILITY = -32021, /* of the client; nothing here needs one    */
    CODE_VERSION = -32022,
};

/* Longer text is not repeated in an answer that has it already, but linked. */
#define LONG_TEXT ((size_t)64 * 1024)

/* What is read of one resource. */
#define RESOURCE_MAX ((uint64_t)16 << 20)

enum { PAGE = 50, SUBSCRIPTIONS_MAX = 1000, COMPLETIONS_MAX = 100 };

struct mcp {
    quire_options store;
    bool allow_run, read_all, read_only, of_directory, asks_roots;
    unsigned tools;
    char *session; /* owned; the id, once a hand has found it */
    char *asked;   /* owned; what was given; NULL: temp, or `of_directory` */
    pthread_mutex_t finding; /* held while a handle finds the session        */

    int look_fd; /* eventfd                                 */

    pthread_mutex_t lock; /* of what follows, and of peers */
    pthread_cond_t idle;  /* a peer's last `sending` is over */
    struct mcp_peer *peers;
    uint64_t list_changes; /* of the list of resources, so far     */
    bool own_change;       /* since the last look                  */
    int64_t newest_us;     /* the last change that was seen        */
    uint64_t n_outputs;
    bool seen;     /* the two above are known              */
    int64_t *made; /* outputs of ours, by number           */
    size_t n_made, cap_made;
    bool stopped; /* nothing long is begun any more       */

    /* The client's directories: m->lock */
    bool roots_asked; /* and no answer came yet               */
    char *root;       /* owned; the first; NULL: none         */
};

struct mcp_handle {
    struct mcp *m;
    quire *q;
    bool own;               /* q is ours to close */
    quire_workspace *w;     /* NULL: there is no session yet, or the home has no
                           workspaces */
    quire_outputs *outputs; /* NULL until needed */
};

/* A subscription of a peer. */
struct subscription {
    char *uri;               /* owned                                 */
    uint64_t stamp;          /* of what it was like; 0: it was absent */
    struct mcp_call *listen; /* NULL: by resources/subscribe          */
};

struct mcp_peer {
    struct mcp *m;
    mcp_send_fn send;
    void *ctx;
    struct mcp_peer *next;

    /* m->lock */
    enum mcp_version version; /* agreed upon by initialize; V_NONE: not yet */
    bool initialized;
    bool has_roots;         /* the client can be asked for them */
    struct mcp_call *calls; /* that have an id and no answer yet */
    struct subscription *subs;
    size_t n_subs, cap_subs;
    uint64_t list_seen; /* of list_changes: last reported    */
    unsigned sending;   /* uses without the lock        */
};

struct method;

struct mcp_call {
    struct mcp_peer *peer;
    struct mcp_call *next, *prev; /* among the peer's; m->lock */
    bool listed, open;            /* m->lock; open: a subscription that lives */
    struct arena keep;

    const struct method *method; /* NULL: there is nothing to be done */
    enum mcp_version version;    /* that it is answered in            */
    bool http;
    quire_bytes id;     /* as it is spelled; .data NULL: null   */
    quire_bytes params; /* an object; .data NULL: none          */
    quire_bytes notice; /* a notification: its method           */
    quire_bytes result; /* an answer of the client              */
    quire_bytes token;  /* for progress; .data NULL: none asked */

    struct mcp_call *parts, *part_next; /* of a batch */
    bool batch;

    enum mcp_state state;
    struct buf answer;
    struct json_writer w; /* into `answer` */
    int code;             /* what is wrong; 0: nothing */
    char message[512], hint[256];
    const char *kind;
    const char *about;       /* what is wrong, for programs: a name, NULL  */
    quire_bytes about_value; /* and its value, as JSON                     */
    bool bad_meta;           /* wrong in a way that HTTP calls 400 */

    atomic_bool cancelled;
    int stop_fd; /* eventfd, of a run; -1. m->lock */
    int64_t begun_ms, told_ms;
    bool listens;       /* it is a subscription                    */
    uint64_t list_seen; /* as the peer's */
    bool listen_list;   /* MCP_OPEN: it wants to hear of the list */
};

struct method {
    const char *name;
    bool legacy, modern; /* in which era there is such a thing */
    bool at_once;        /* mcp_begin() does it, without a handle */
    bool opens;          /* allowed before a version was agreed on */
    void (*run)(struct mcp_call *c, struct mcp_handle *h);
};

/* ---- message.c --------------------------------------------------------- */

/* Look at a message and at what era it is of. False: it is refused already, or
 * wants no answer (c->id.data and c->code tell). */
bool message_read(struct mcp_call *c, quire_bytes text,
                  const struct mcp_via *via);

/* ---- dispatch.c -------------------------------------------------------- */

/* The method that a JSON string names; NULL: there is none. */
const struct method *method_find(quire_bytes name);

/* ---- answer.c ---------------------------------------------------------- */

/* The prefix of the protocol's own members of _meta. */
#define META "io.modelcontextprotocol/"

/* A name of the request, of the object's members; a string without NULs in
 * `keep`, NULL if it is not there or no such string. */
const char *message_text(struct mcp_call *c, quire_bytes object,
                         const char *key);

/* Whether an id, as it was given elsewhere, is this one. */
bool message_same_id(quire_bytes a, quire_bytes b);

/* The hint of an error for a model: its own, unless that is for a shell. */
const char *message_hint(quire_status st, const quire_error *err);

/* The call is refused: with a code, and words. The hint may be NULL. */
void message_refuse(struct mcp_call *c, int code, const char *hint,
                    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void message_refuse_status(struct mcp_call *c, quire_status st,
                           const quire_error *err);
void message_refuse_memory(struct mcp_call *c);

/* The result of a call is an object; between these two its members are written
 * to c->w. If it was refused, answer_end() puts the refusal in its place. */
void answer_begin(struct mcp_call *c);
void answer_end(struct mcp_call *c);

/* How long it stays true, and for whom: in the era that wants to know. */
void answer_cache(struct mcp_call *c, int64_t ttl_ms, bool public);

/* A member that is JSON already. */
static inline void put_raw(struct json_writer *w, const char *key,
                           const char *json)
{
    json_put_raw(w, key, bytes_str(json));
}

/* {"jsonrpc":"2.0","method":...,"params":{ and the way out of it. With `listen`
 * the params say whose subscription it is for. */
void notification_begin(struct json_writer *w, struct buf *out,
                        const char *method, const struct mcp_call *listen);
void notification_end(struct json_writer *w);

/* Send a message, unless it is empty or failed, and release it. Not with
 * m->lock held. */
void peer_send(struct mcp_peer *p, struct buf *message);

/* ---- handle.c ---------------------------------------------------------- */

/* Find the session, if it is not known yet; with `make` create it where there is none.
 * Without, QUIRE_OK may leave it unknown. */
quire_status handle_session(struct mcp_handle *h, bool make, quire_error *err);

/* QUIRE_NOT_FOUND: there is no session yet. */
quire_status handle_outputs(struct mcp_handle *h, quire_error *err);
bool handle_built_in(const char *session);

/* The outputs of the built-in sessions lie in a directory that all programs of
 * the user share: there only those are seen that were made here. */
void handle_made(struct mcp *m, const char *number);
bool handle_sees(struct mcp *m, const char *address);

/* ---- methods ----------------------------------------------------------- */

void do_initialize(struct mcp_call *c, struct mcp_handle *h);
void do_ping(struct mcp_call *c, struct mcp_handle *h);
void do_discover(struct mcp_call *c, struct mcp_handle *h);
void do_tools_list(struct mcp_call *c, struct mcp_handle *h);
void do_tools_call(struct mcp_call *c, struct mcp_handle *h);
void do_resources_list(struct mcp_call *c, struct mcp_handle *h);
void do_resources_templates(struct mcp_call *c, struct mcp_handle *h);
void do_resources_read(struct mcp_call *c, struct mcp_handle *h);
void do_subscribe(struct mcp_call *c, struct mcp_handle *h);
void do_unsubscribe(struct mcp_call *c, struct mcp_handle *h);
void do_listen(struct mcp_call *c, struct mcp_handle *h);
void do_prompts_list(struct mcp_call *c, struct mcp_handle *h);
void do_prompts_get(struct mcp_call *c, struct mcp_handle *h);
void do_complete(struct mcp_call *c, struct mcp_handle *h);

/* tools.c: what a call of the tool will do, by its arguments. */
enum mcp_state tool_state(const struct mcp_call *c);
bool tool_makes_session(const struct mcp_call *c);

/* run.c */
void tool_run(struct mcp_call *c, struct mcp_handle *h, quire_bytes arguments);

/* The other tools: their descriptions, and a call of each: `out` gets the answer, unless
 * the call is refused. */
extern const char recall_schema[], read_schema[], remember_schema[],
    session_schema[];
void tool_recall(struct mcp_call *c, struct mcp_handle *h,
                 quire_bytes arguments, struct buf *out);
void tool_read(struct mcp_call *c, struct mcp_handle *h, quire_bytes arguments,
               struct buf *out);
void tool_remember(struct mcp_call *c, struct mcp_handle *h,
                   quire_bytes arguments, struct buf *out);
void tool_session(struct mcp_call *c, struct mcp_handle *h,
                  quire_bytes arguments, struct buf *out);

/* Whether the arguments of `session` only read. */
bool session_only_reads(quire_bytes arguments);

/* tool_reply.c. An answer of a tool in `out`: between these two the members of `data` are written. */
void tool_begin(struct json_writer *w, struct buf *out);
void tool_end(struct json_writer *w);

/* A failure: as an answer of the tool if the model can do something about it, else the
 * call is refused. */
void tool_fail(struct mcp_call *c, struct buf *out, quire_status st,
               const quire_error *err);

/* A number of the arguments between `least` and `most`, `otherwise` if it is not there. */
uint64_t argument_number(quire_bytes arguments, const char *name,
                         uint64_t least, uint64_t most, uint64_t otherwise);

/* roots.c: ask the client for its directories; take the answer. */
void roots_ask(struct mcp_peer *p);
bool roots_take(struct mcp_call *c);

/* progress.c: add a progress notification to `notice`, if the client asked for
 * some and enough time has passed. The caller holds m->lock. */
void progress_format(struct mcp_call *c, quire_bytes said, struct buf *notice);

/* ---- uri.c: addresses of resources ------------------------------------- */

enum uri_kind { URI_NONE, URI_OUTPUT, URI_REPORT, URI_ARTIFACT, URI_SESSION };

struct uri {
    enum uri_kind kind;
    const char *id;    /* after the scheme: "3", "0-Scout/items/0", "12" */
    const char *entry; /* of a session, after "#"; NULL: all of it */
    char session[128]; /* `id` of one with an entry                */
};

/* False: it is of no kind that there is here. `text` is borrowed, and *out is not to
 * be copied. */
bool uri_read(const char *text, struct uri *out);

/* Whether reading it is allowed: another session's needs read_all. */
bool uri_allowed(const struct mcp *m, const struct uri *u);

/* A number that changes when the resource does; 0: there is none. */
uint64_t resource_stamp(struct mcp_handle *h, const char *uri);

/* Refuse: there is no such resource. */
void message_refuse_resource(struct mcp_call *c, const char *uri);

/* A link to an artifact, as content of an answer. */
void put_link(struct mcp_call *c, const quire_artifact *a);

/* ---- notifications.c --------------------------------------------------- */

/* Something was done here: look soon. `list`: to the list, too. */
void notifications_change(struct mcp *m, bool list);
void notifications_drop(struct mcp_peer *p, const struct mcp_call *listen);

#endif
