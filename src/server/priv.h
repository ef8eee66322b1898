/*
 * priv.h - the server from inside, for the files that are it
 *
 * server.c runs it, gate.c decides who may ask, record.c sees every answer off.
 */
#ifndef SERVER_PRIV_H
#define SERVER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/gzip.h"
#include "server/log.h"
#include "server/response_cache.h"
#include "server/metrics.h"
#include "server/route.h"
#include "server/rate_limit.h"
#include "server/server.h"
#include "server/background.h"

/* Work that may wait; threads. */
enum { QUEUE_MAX = 1024, WORKERS = 32, DRAIN_MS = 10000 };

/* How long a body may be: of what takes none, of JSON about something, and of JSON
 * with content in it. What is only content may be longer: ROUTE_LARGE. */
enum {
    BODY_NONE_MAX = 32 * 1024,
    BODY_MAX = 1024 * 1024,
    BODY_LONG_MAX = 64 * 1024 * 1024
};

/* What a loop looks at by itself. */
enum { LOOP_BODY_MAX = 64 * 1024 };

/* One tenant's work may take a quarter of what may wait, and so many of those who
 * work: it may be work that waits for somebody, and others have some, too. */
enum { SHARES = 256, SHARE_MAX = QUEUE_MAX / 4, RUN_MAX = WORKERS * 3 / 4 };

/* What a thread works with. */
struct thread_ctx {
    struct server *server;
    quire *root;             /* for each tenant in turn */
    int cache_kib;           /* that it keeps           */
    unsigned n_opened;       /* how often that was opened */
    bool doubtful;           /* the disk has failed it  */
    struct metrics *metrics; /* owned */
    struct gzip *gzip;       /* owned; NULL until it is needed */
    struct response_cache
        *response_cache; /* owned; of a loop; NULL until it is needed */
    struct thread_ctx *next;
};

struct job {
    struct request *call;
    unsigned share; /* whose it is: the call is gone when it is answered */
    struct job *next;
};

/* A thread that works. Of those that rest the one that rests shortest is woken:
 * its handles are open, and what it read is at hand. */
struct worker {
    struct server *server;
    pthread_t thread;
    pthread_cond_t wake;
    struct job *job;      /* that it is to do */
    struct worker *below; /* on the stack of those that rest */
};

/* Settings as they were read at some time. Those before them stay until the end:
 * they are few and small, and nobody who still looks at them has to be asked. */
struct rules {
    struct server_settings s;
    struct rules *before;
};

struct server {
    struct server_config c;
    char *home;  /* owned, and absolute */
    char *spool; /* owned; where long bodies and answers lie: with the blobs,
                    where a collector finds what has no owner any more */
    struct http *http;
    struct events *events;
    struct mcp_registry *mcp_registry; /* clients of MCP */
    pthread_mutex_t lock;
    struct worker *resting;
    struct job *first, **last; /* for whom there was nobody, or not yet */
    size_t n_jobs;
    size_t n_given;         /* of these, to the group_commit     */
    unsigned share[SHARES]; /* of these, by whose they are */
    unsigned runs[SHARES];  /* what workers are at, the same */
    atomic_uint_fast64_t jobs_done, scribed;
    atomic_int_fast64_t
        failed_us; /* when the disk failed the group_commit; 0: never */
    bool ending;
    struct worker workers[WORKERS];
    int n_workers;
    struct thread_ctx *thread_ctxs;
    atomic_bool draining;
    atomic_uint_fast64_t begun, done; /* calls that use the store */

    _Atomic(struct rules *) rules;       /* owned, all of them */
    struct rate_limit *tenants, *logins; /* owned; logins by peer that failed */
    struct log *log;
    struct background *background;
    struct lifecycle *lifecycle;
    struct group_commit *group_commit;

    int64_t began_us;
    uint64_t salt; /* of ids of requests */
    atomic_uint_fast64_t n_ids;
    atomic_uint_fast64_t queue_refused, limited, limited_logins;
    atomic_uint_fast64_t groups, grouped; /* of group_commit.c */
};

static inline const struct server_settings *rules_of(struct server *s)
{
    return &atomic_load(&s->rules)->s;
}

/* ---- server.c ---------------------------------------------------------- */

/* So much of the catalogue each thread keeps. There are dozens of them, and with
 * sixteen times as much, which is the usual, they are not faster: the system has
 * the file in memory once for all. Who writes keeps what it is about to write. */
enum { CACHE_KIB = 1024, CACHE_KIB_SCRIBE = 16 * CACHE_KIB };

/* This thread's; NULL: no memory, or the home cannot be opened. */
struct thread_ctx *thread_ctx_get(struct server *s, int cache_kib);

/* A call waits, or waits no longer; the lock is held. False: too many do. */
bool queue_enter(struct server *s, const struct request *c);
void queue_leave(struct server *s, const struct request *c);

/* Run it, here; and answer it. */
void request_run(struct request *c, struct thread_ctx *d);
void request_finish(struct request *c);

/* Read the settings and go by them; on failure by those there were. */
quire_status server_read_settings(struct server *s, quire_error *err);

/* ---- gate.c: who may ask ------------------------------------------------ */

/* By which name the server is called, and from which site. False: answered. */
bool auth_check_origin(struct request *c);

/* Whose the token is, and whether it is not too often; `charge`: this is not the
 * second look at one request. False: answered. */
bool auth_admit(struct request *c, bool admin, bool charge);

/* Whether the tenant is within its rate. False: answered. */
bool auth_check_rate(struct request *c);

/* Whether what is sent is of a kind that can be taken. False: answered. */
bool auth_check_content_type(struct request *c);

/* Whether it is somebody on this machine, and nobody behind a proxy. */
bool auth_is_local(const struct request *c);

/* The origin of another site that may ask, as it was sent; .data NULL: none. */
quire_bytes auth_cors_origin(const struct request *c);

/* The answer to a browser that asks whether a page may ask. */
void auth_preflight(struct request *c, const char *allowed);

/* ---- once.c: requests with a key ---------------------------------------- */

/* Do it with `run`, unless it was done before. */
void idempotency_run(struct request *c, void (*run)(struct request *c));

/* ---- record.c: the end of a call ---------------------------------------- */

/* Give the answer what every answer has, pack it if that was asked for, count it
 * and log it. */
void request_log(struct request *c);

/* A line about what nobody asked for; `level` is "info" or "error". */
void log_event(struct server *s, const char *level, const char *what,
               const quire_error *err);

/* ---- encode.c: gzip ----------------------------------------------------- */

/* Whether `header`, an Accept-Encoding, prefers gzip to nothing. */
bool compress_wants_gzip(quire_bytes header);

/* Pack the body if that is worth it and asked for. True: how it is depends on
 * what is asked for, Vary. */
bool compress_response(struct request *c);

#endif
