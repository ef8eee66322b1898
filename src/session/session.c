/*
 * session.c - create, open and close a session
 *
 * A new session is a log in memory with one line, its header; it moves to a
 * file with the first answer (append.c). A file of an older version is read
 * through a migrated copy: opened for writing the copy replaces the file,
 * opened for reading it stays in memory.
 *
 * Ownership: the session owns its log, its index and, with `own_store`, the
 * store of the log. Results are borrowed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "session/migrate.h"
#include "session/priv.h"

/* The name of a log in memory, in its own store. */
#define SCRATCH "log"

static quire_status describe_path(quire_session *s, quire_error *err)
{
    const char *place = store_place(s->store);
    size_t len = strlen(place) + strlen(s->name) + 2;

    s->path = malloc(len);
    if (!s->path)
        return err_memory(err);
    strcpy(s->path, place);
    strcat(strcat(s->path, "/"), s->name);
    return QUIRE_OK;
}

static quire_status alloc_session(const struct session_env *env,
                                  const struct session_place *place,
                                  unsigned flags, quire_durability sync,
                                  quire_session **out, quire_error *err)
{
    quire_session *s = calloc(1, sizeof *s);
    pthread_mutexattr_t attr;
    uint64_t seed[2];
    quire_status st;

    if (!s) {
        if (place->own_store)
            store_free(place->store);
        return err_memory(err);
    }
    s->env = *env;
    s->store = place->store;
    s->own_store = place->own_store;
    s->flags = flags;
    s->sync = sync;
    s->read_only = (flags & QUIRE_SESSION_READ) != 0;
    s->leaf = NONE;
    s->own_from = NONE;
    s->theirs = (struct omp_lock)OMP_LOCK_INIT;
    s->window = (struct buf)BUF_INIT(JSONL_MAX_LINE);
    s->out = (struct buf)BUF_INIT(JSONL_MAX_LINE);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&s->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_cond_init(&s->synced, NULL);
    st = rand_bytes(env->rand, seed, sizeof seed, err);
    if (!st) {
        index_init(&s->index, seed[0], seed[1]);
        s->name = strdup(place->name);
        st = s->name ? describe_path(s, err) : err_memory(err);
    }
    if (st) {
        quire_session_close(s);
        return st;
    }
    *out = s;
    return QUIRE_OK;
}

void quire_session_close(quire_session *s)
{
    if (!s)
        return;
    write_settled(s);
    if (s->log)
        log_close(s->log);
    store_free(s->scratch);
    if (s->own_store)
        store_free(s->store);
    index_release(&s->index);
    heads_release(&s->heads);
    arena_release(&s->text);
    arena_release(&s->tmp);
    arena_release(&s->lent);
    buf_release(&s->window);
    buf_release(&s->out);
    load_forget_ops(s);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->synced);
    free(s->name);
    free(s->path);
    free(s);
}

/* ---- new ---------------------------------------------------------------- */

/* Create a log in memory that holds `bytes`, open in s->log. */
static quire_status create_memory_log(quire_session *s, quire_bytes bytes,
                                      quire_error *err)
{
    struct log_draft *d;
    quire_status st;

    st = store_memory_open(s->env.clock, &s->scratch, err);
    if (!st)
        st = log_create(s->scratch->logs, SCRATCH, &d, err);
    if (st)
        return st;
    st = log_write(d, bytes, err);
    if (st) {
        log_discard(d);
        return st;
    }
    return log_publish(d, SCRATCH, false, &s->log, err);
}

quire_status session_new(const struct session_env *env,
                         const struct session_place *place,
                         const struct session_birth *birth, unsigned flags,
                         quire_durability sync, quire_session **out,
                         quire_error *err)
{
    quire_session *s;
    quire_status st = alloc_session(env, place, flags, sync, &s, err);

    if (st)
        return st;
    write_header(&s->out, birth);
    st = buf_status(&s->out, "a header", err);
    if (!st)
        st = create_memory_log(s, buf_bytes(&s->out), err);
    if (!st)
        st = load_all(s, true, err);
    if (!st && (flags & QUIRE_SESSION_AT_ONCE))
        st = write_to_file(s, err);
    if (st)
        quire_session_close(s);
    else
        *out = s;
    return st;
}

/* ---- open --------------------------------------------------------------- */

/* Open the file, and lock it. */
static quire_status open_log(quire_session *s, quire_error *err)
{
    struct object_info info;

    s->in_file = true;
    s->log_reads = s->read_only;
    if (s->read_only)
        return log_open(s->store->logs, s->name, LOG_READ, &s->log, &info, err);
    return session_hold(s->store->logs, s->name, s->env.busy_ms, &s->log, err);
}

/* The file is empty: write its header. */
static quire_status begin_empty(quire_session *s,
                                const struct session_birth *birth,
                                quire_error *err)
{
    struct omp_lock theirs = OMP_LOCK_INIT;
    quire_status st = QUIRE_OK;

    if (s->read_only || !birth) {
        st = err_fail(err, QUIRE_DAMAGED, "append to it to make it a session",
                      "%s is empty", s->path);
        return st;
    }
    if (s->env.omp)
        st = omp_lock_acquire(s->path, s->env.busy_ms, &theirs, err);
    write_header(&s->out, birth);
    if (!st)
        st = buf_status(&s->out, "a header", err);
    if (!st && s->open_end)
        st = log_append(s->log, LOG_NO_EPOCH, s->size, bytes_str("\n"), err);
    if (!st)
        st = log_append(s->log, LOG_NO_EPOCH, s->size + s->open_end,
                        buf_bytes(&s->out), err);
    omp_lock_release(&theirs);
    return st ? st : load_all(s, true, err);
}

quire_status session_open_listing(const struct session_env *env,
                                  const struct session_place *place,
                                  const struct session_birth *birth,
                                  unsigned flags, quire_durability sync,
                                  struct problems *problems,
                                  quire_session **out, quire_error *err)
{
    quire_session *s;
    quire_status st = alloc_session(env, place, flags, sync, &s, err);

    if (st)
        return st;
    s->problems = problems;
    st = open_log(s, err);
    if (!st)
        st = load_all(s, (flags & QUIRE_SESSION_VERIFY) != 0, err);
    if (!st && !s->header.id)
        st = begin_empty(s, birth, err);
    /* The content may not be on the disk: its writer may have died before a
     * sync. The next sync covers it. */
    s->n_written = 1;
    s->found_version = s->header.version;
    if (!st && s->found_version < MIGRATE_VERSION)
        st = rewrite_migrated(s, err);
    s->problems = NULL;
    if (st)
        quire_session_close(s);
    else
        *out = s;
    return st;
}

quire_status session_open(const struct session_env *env,
                          const struct session_place *place,
                          const struct session_birth *birth, unsigned flags,
                          quire_durability sync, quire_session **out,
                          quire_error *err)
{
    return session_open_listing(env, place, birth, flags, sync, NULL, out, err);
}

/* ---- describe ----------------------------------------------------------- */

const char *session_name(const quire_session *s)
{
    return s->name;
}

struct store *session_store(const quire_session *s)
{
    return s->store;
}

static const char *leaf_text(quire_session *s)
{
    quire_bytes id;

    if (s->leaf == NONE)
        return NULL;
    id = entry_id(&s->index.list[s->leaf]);
    arena_reset(&s->lent);
    return arena_text(&s->lent, id);
}

static int64_t modified_us(quire_session *s)
{
    struct object_info info;

    if (!s->in_file || log_stat(s->store->logs, s->name, &info, NULL))
        return 0;
    return info.modified_ns / 1000;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

void quire_session_describe(quire_session *s, quire_session_info *info)
{
    bool turn = session_enter(s, NULL) == QUIRE_OK;

    if (turn) /* on failure, describe the known state */
        load_refresh(s, NULL);
    *info = (quire_session_info){
        .id = text_or_empty(s->header.id),
        .path = s->in_file || s->read_only ? s->path : NULL,
        .cwd = text_or_empty(s->header.cwd),
        .title = text_or_empty(s->header.title),
        .parent = text_or_empty(s->header.parent),
        .created = text_or_empty(s->header.created),
        .leaf = leaf_text(s),
        .first = "",
        .status = "unknown",
        .modified_us = modified_us(s),
        .bytes = s->size,
        .entries = s->index.n,
        .messages = s->n_messages,
        .version = s->found_version,
        .archived = !strncmp(s->name, "archive/", 8),
        .problems = s->n_problems,
    };
    if (turn)
        session_leave(s);
}

quire_status quire_session_header(quire_session *s, quire_bytes *header,
                                  quire_error *err)
{
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    st = load_refresh(s, err);
    if (!st)
        st = load_bytes(s, s->header.at, s->header.len, header, err);
    session_leave(s);
    return st;
}
