/*
 * priv.h - the server's own state and the functions its files share
 *
 * Calls go downwards only:
 *
 *     server.c                              open, run, close
 *     pipeline.c                            phases of a request
 *     workers.c group_commit.c              threads that run requests
 *     run.c                                 run one request, answer it
 *     idempotency.c routes/                 handlers
 *     request.c auth.c publish.c            what was asked, and by which tenant
 *     response_json.c access_log.c          answers
 *     thread_ctx.c router.c ...
 */
#ifndef SERVER_PRIV_H
#define SERVER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/background.h"
#include "server/compress.h"
#include "server/importer.h"
#include "server/indexer.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/rate_limit.h"
#include "server/request.h"
#include "server/response_cache.h"
#include "server/router.h"
#include "server/server.h"
#include "server/session_pool.h"

/* Requests that may wait; threads; how long a shutdown waits. */
enum { QUEUE_MAX = 1024, WORKERS = 32, DRAIN_MS = 10000 };

/* Limits of a body: where none is expected, of JSON, and of JSON with content.
 * ROUTE_LARGE takes more. */
enum {
    BODY_NONE_MAX = 32 * 1024,
    BODY_MAX = 1024 * 1024,
    BODY_LONG_MAX = 64 * 1024 * 1024
};

/* The largest body that an event loop parses itself. */
enum { LOOP_BODY_MAX = 64 * 1024 };

/* One tenant may have a quarter of the queue, and three quarters of the workers:
 * its requests may block, and others must still run. Tenants are counted by their
 * id modulo SHARES. */
enum { SHARES = 256, SHARE_MAX = QUEUE_MAX / 4, RUN_MAX = WORKERS * 3 / 4 };

/* What a thread works with. */
struct thread_ctx {
    struct server *server;
    quire *root;             /* switched to each request's tenant           */
    int cache_kib;           /* of the catalogue, that it caches            */
    unsigned n_opened;       /* how often `root` was opened                 */
    bool doubtful;           /* a write failed: open `root` again           */
    struct metrics *metrics; /* owned                                       */
    struct gzip *gzip;       /* owned; NULL until it is needed              */
    struct response_cache
        *response_cache; /* owned; of a loop; NULL until it is needed   */
    struct thread_ctx *next;
};

struct job {
    struct request *request;
    unsigned share; /* of its tenant; the request is freed before the job */
    struct job *next;
};

/* A worker thread. The one that became idle last is woken first: its handles and
 * caches are warm. */
struct worker {
    struct server *server;
    pthread_t thread;
    pthread_cond_t wake;
    struct job *job;          /* that it is to run           */
    struct worker *next_idle; /* on the stack of idle workers */
};

/* Settings as they were read at some time. Replaced ones stay until the end: they
 * are few and small, and other threads may still read them. */
struct settings {
    struct server_settings s;
    struct settings *before;
};

struct server {
    struct server_config c;
    char *home;          /* owned, absolute */
    quire_options store; /* of its handles; `home` is that above */
    size_t watched_max;  /* workspaces */
    char *spool; /* owned; directory of long bodies and answers: among the
                    blobs, where gc removes what a crash leaves */
    struct router *router;
    struct http *http;
    struct events *events;
    struct mcp_registry *mcp_registry;
    size_t parked_max; /* sessions */
    struct session_pool *sessions;

    pthread_mutex_t lock;
    struct worker *idle;       /* stack                                      */
    struct job *first, **last; /* that wait for a worker                     */
    size_t n_jobs;             /* requests that wait                         */
    size_t n_group_jobs;       /* of these, for the group commit             */
    unsigned share[SHARES];    /* of these, by tenant                        */
    unsigned running[SHARES];  /* requests that workers run, by tenant       */
    bool ending;
    struct worker workers[WORKERS];
    int n_workers;
    struct thread_ctx *thread_ctxs;

    atomic_uint_fast64_t jobs_done, group_jobs_done;
    atomic_int_fast64_t
        failed_us; /* when a group commit failed on the disk; 0: never */
    atomic_bool draining;
    atomic_bool maintained;        /* by a request, which runs long */
    struct request_count requests; /* that use the store     */
    struct request_count writes;   /* those but GET and HEAD */

    _Atomic(struct settings *) settings; /* owned, all of them          */
    struct rate_limit *tenants; /* owned; requests by tenant            */
    struct rate_limit *logins;  /* owned; unknown tokens by address     */
    struct log *log;
    struct background *background;
    struct indexer *indexer;
    struct importer *importer;
    quire_search_watch *search_watch; /* of the handles of all threads */
    struct lifecycle *lifecycle;
    struct group_commit *group_commit;

    int64_t began_us;
    uint64_t salt[2]; /* of request ids */
    atomic_uint_fast64_t n_ids;
    atomic_uint_fast64_t queue_refused, limited, limited_logins;
    atomic_uint_fast64_t groups, grouped; /* of group_commit.c */
};

static inline const struct server_settings *server_settings(struct server *s)
{
    return &atomic_load(&s->settings)->s;
}

/* ---- server.c ----------------------------------------------------------- */

/* Read the settings and apply them; on failure the old ones stay. */
quire_status server_read_settings(struct server *s, quire_error *err);

/* ---- pipeline.c: callbacks for http.h ------------------------------------ */

bool pipeline_admit_body(void *ctx, struct exchange *x,
                         struct response *refusal);
void pipeline_release(void *ctx, void *request);
void pipeline_handle(void *ctx, struct exchange *x);
void pipeline_log_refusal(void *ctx, struct exchange *x,
                          struct response *answer, const char *why);

/* ---- workers.c ---------------------------------------------------------- */

quire_status workers_begin(struct server *s, quire_error *err);

/* After the requests that wait have run. */
void workers_end(struct server *s);

/* Queue a request; a worker runs and answers it. False: the queue is full. */
bool workers_submit(struct server *s, struct request *c);

/* Count a request as waiting, or as waiting no longer; the caller holds the lock.
 * False: too many wait. */
bool queue_enter(struct server *s, const struct request *c);
void queue_leave(struct server *s, const struct request *c);

/* ---- run.c -------------------------------------------------------------- */

/* Run the handler on this thread. */
void request_run(struct request *c, struct thread_ctx *d);

/* A request of a group is done when its transaction has ended. */
void request_count_done(const struct request *c, struct server *s);

/* Log the request, send its answer and free it. */
void request_finish(struct request *c);
void request_free(struct request *c);

/* ---- thread_ctx.c ------------------------------------------------------- */

/* How much of the catalogue a thread caches. There are dozens of threads, and
 * sixteen times as much, the library's default, is not faster: the file is in the
 * page cache. The writer of group commits caches what it is about to write. */
enum { CACHE_KIB = 1024, CACHE_KIB_WRITER = 16 * CACHE_KIB };

/* This thread's; NULL: no memory, or the home cannot be opened. */
struct thread_ctx *thread_ctx_get(struct server *s, int cache_kib);
void thread_ctx_free(struct thread_ctx *d);

/* ---- auth.c ------------------------------------------------------------- */

/* Check Host and Origin. False: answered. */
bool auth_check_origin(struct request *c);

/* Check the bearer token: the admin's, or a tenant's, which becomes `tenant`.
 * False: answered. */
bool auth_check_token(struct request *c, bool admin);

/* Whether the tenant's token of an authorised request is still valid. */
bool auth_is_current(struct request *c);

/* Check the rate limit of the tenant for `n` requests. False: answered. */
bool auth_check_rate(struct request *c, uint64_t n);

/* The same for a request with `n` messages, of which one is counted already. */
bool auth_check_batch(struct request *c, uint64_t n);

/* Check Content-Type, -Encoding and -Range. False: answered. */
bool auth_check_content_type(struct request *c);

/* Whether the client is on this machine and not behind a proxy. */
bool auth_is_local(const struct request *c);

/* Whether the client takes HTML: it does unless Accept asks for JSON alone. */
bool auth_accepts_html(const struct request *c);

/* The Origin, if CORS allows it; .data NULL: none. */
quire_bytes auth_cors_origin(const struct request *c);

/* Answer OPTIONS. */
void auth_preflight(struct request *c, const char *allowed);

/* ---- idempotency.c ------------------------------------------------------ */

/* Call `run`, unless a request with the same Idempotency-Key was run before. */
void idempotency_run(struct request *c, void (*run)(struct request *c));

/* ---- access_log.c ------------------------------------------------------- */

/* Add the common headers to the answer, compress, count and log it. */
void request_log(struct request *c);

/* Log an event of the server itself; `level` is "info" or "error". */
void log_event(struct server *s, const char *level, const char *what,
               const quire_error *err);

#endif
