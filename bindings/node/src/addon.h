/*
 * addon.h - the addon: handles, jobs, answers
 *
 * JavaScript makes one call, run(op, handle, arguments, data), and gets a promise. The job runs
 * on a thread of the pool, calls the library, and writes its answer as JSON or bytes; back on the
 * main thread the promise is settled. No operation of the library runs on the main thread.
 *
 * A handle is a home, a session or a sink. Jobs of one handle take turns by its mutex, but for
 * flushes of a session, which share a sync. A session has a store handle of its own. A handle
 * that JavaScript forgot is closed when it is collected; a job keeps its handle alive.
 */
#ifndef ADDON_H
#define ADDON_H

#include <pthread.h>
#include <quire.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- answers ------------------------------------------------------------------ */

struct text {
    char *data;
    size_t len, cap;
    bool failed; /* out of memory */
};

void text_add(struct text *t, const void *data, size_t len);
void text_str(struct text *t, const char *s);
void text_int(struct text *t, long long n);
void text_quoted(struct text *t, quire_bytes bytes);

/* Members of an object: the comma before it, the key, the value. */
void text_key(struct text *t, const char *key);
void text_member(struct text *t, const char *key, const char *value);
void text_member_bytes(struct text *t, const char *key, quire_bytes value);
void text_member_int(struct text *t, const char *key, long long value);
void text_member_bool(struct text *t, const char *key, int value);
void text_member_raw(struct text *t, const char *key, const char *json);

/* ---- handles ------------------------------------------------------------------ */

enum kind { KIND_HOME, KIND_SESSION, KIND_SINK };

struct handle {
    enum kind kind;
    pthread_mutex_t lock;
    pthread_cond_t idle;
    unsigned flushing; /* jobs that use the session without the lock */
    bool closed;
    bool each; /* a session: every append is flushed */
    quire *q;  /* of a home, or the session's own */
    quire_session *s;
    quire_outputs *outputs; /* of a sink */
    quire_sink *sink;
};

struct handle *handle_new(enum kind kind);

/* Close what it has open; the handle stays, closed. The caller holds its lock. */
void handle_close(struct handle *h);
void handle_free(struct handle *h);

/* ---- jobs --------------------------------------------------------------------- */

enum { ARGS_MAX = 12 };

struct job {
    struct handle *h;    /* NULL: of no handle */
    char *arg[ARGS_MAX]; /* NULL: not given    */
    size_t n_args;
    quire_bytes data; /* copied */
    struct text out;  /* the answer: JSON, or bytes */
    bool is_bytes;
    struct handle *made; /* a new handle, the answer then */
    quire_status status;
    quire_error err;
};

const char *job_text(const struct job *j, size_t i);
long long job_number(const struct job *j, size_t i, long long otherwise);
bool job_flag(const struct job *j, size_t i);

struct op {
    const char *name;
    enum kind kind; /* of the handle that it needs       */
    bool alone;     /* without the lock: it has its own  */
    bool unbound;   /* it needs none                     */
    quire_status (*run)(struct job *j);
};

const struct op *op_find(const char *name);

/* Tables of the files; each ends with a name NULL. */
extern const struct op session_ops[], store_ops[], catalog_ops[];

/* A store handle: arguments 0 and 1 are home and tenant, 2 whether it is read-only. */
quire_status open_store(struct job *j, quire **q);

/* A callback that adds the bytes to the answer. */
quire_status take_bytes(void *ctx, quire_bytes bytes, quire_error *err);

#endif
