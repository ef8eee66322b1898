/* postgres_pool.c - see postgres_pool.h */
#include "store/postgres_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

enum { CONNECTIONS_MAX = 8, URL_MAX = 1 << 16 };

struct postgres_pool {
    const struct libpq *lib;
    char *url;        /* owned; may hold a password: never in a message */
    char what[256];   /* the server, without user and password */
    char set_up[512]; /* for each new connection */
    bool unprepared;
    int busy_ms, max;
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct pg_conn *idle; /* the one used last first */
    int n;                /* idle and lent */
};

const struct libpq *pg_pool_lib(const struct postgres_pool *p)
{
    return p->lib;
}

const char *pg_pool_what(const struct postgres_pool *p)
{
    return p->what;
}

/* ---- the address -------------------------------------------------------- */

/* Copy the address without our own option. */
static quire_status read_url(struct postgres_pool *p, const char *url,
                             quire_error *err)
{
    static const char option[] = "prepare=off";
    struct buf text = BUF_INIT(URL_MAX);
    const char *at = strstr(url, option), *rest;

    while (at && at > url && at[-1] != '?' && at[-1] != '&')
        at = strstr(at + 1, option);
    if (at && at > url &&
        (at[sizeof option - 1] == '\0' || at[sizeof option - 1] == '&')) {
        p->unprepared = true;
        rest = at + sizeof option - 1;
        /* With what is before it, or what is behind it. */
        buf_add(&text, url, (size_t)(at - url) - (*rest == '\0'));
        buf_add_str(&text, *rest ? rest + 1 : "");
    } else {
        buf_add_str(&text, url);
    }
    p->url = buf_text(&text);
    if (!p->url)
        buf_release(&text);
    return p->url ? QUIRE_OK : err_memory(err);
}

static const char *option_of(const PQconninfoOption *list, const char *key,
                             const char *otherwise)
{
    for (; list->keyword; list++)
        if (!strcmp(list->keyword, key) && list->val && *list->val)
            return list->val;
    return otherwise;
}

static quire_status name_server(struct postgres_pool *p, quire_error *err)
{
    char *why = NULL;
    PQconninfoOption *list = p->lib->conninfoParse(p->url, &why);
    quire_status st = QUIRE_OK;

    if (list)
        snprintf(p->what, sizeof p->what, "PostgreSQL at %s:%s/%s",
                 option_of(list, "host", "localhost"),
                 option_of(list, "port", "5432"),
                 option_of(list, "dbname", ""));
    else
        st = err_fail(err, QUIRE_INVALID,
                      "it has the form postgres://user@host/database",
                      "this is not the address of a database: %.*s",
                      why ? (int)strcspn(why, "\n") : 0, why ? why : "");
    p->lib->conninfoFree(list);
    p->lib->freemem(why);
    return st;
}

/* Settings that older servers do not have are left out. A new table has no
 * statistics, and would be read whole: enable_seqscan. Plans that cannot avoid it then
 * look so expensive that the server would compile them, for 150 ms: jit. */
static void write_set_up(struct postgres_pool *p)
{
    snprintf(p->set_up, sizeof p->set_up,
             "SELECT set_config(name, to_be, false) FROM (VALUES"
             " ('lock_timeout', '%dms'), ('statement_timeout', '30s'),"
             " ('idle_in_transaction_session_timeout', '30s'),"
             " ('client_connection_check_interval', '500ms'),"
             " ('enable_seqscan', 'off'), ('jit', 'off')) AS t(key, to_be)"
             " JOIN pg_catalog.pg_settings ON name = key",
             p->busy_ms > 0 ? p->busy_ms : 1);
}

/* ---- lending ------------------------------------------------------------ */

static quire_status open_conn(struct postgres_pool *p, struct pg_conn **out,
                              quire_error *err)
{
    return pg_conn_open(p->lib, p->url, p->what, p->set_up, p->unprepared, out,
                        err);
}

/* Wait until one comes back; false: too long. */
static bool wait_for_return(struct postgres_pool *p)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += p->busy_ms / 1000;
    until.tv_nsec += (long)(p->busy_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (!p->idle && p->n >= p->max)
        if (pthread_cond_timedwait(&p->returned, &p->lock, &until))
            return p->idle || p->n < p->max;
    return true;
}

quire_status pg_pool_borrow(struct postgres_pool *p, struct pg_conn **out,
                            quire_error *err)
{
    quire_status st = QUIRE_OK;
    bool ready;

    pthread_mutex_lock(&p->lock);
    ready = wait_for_return(p);
    *out = ready ? p->idle : NULL;
    if (*out)
        p->idle = (*out)->next;
    else
        p->n += ready;
    pthread_mutex_unlock(&p->lock);
    if (!ready)
        return err_fail(err, QUIRE_BUSY, "try again, or allow more connections",
                        "all %d connections to %s are in use", p->max, p->what);
    if (!*out)
        st = open_conn(p, out, err);
    if (st) {
        pthread_mutex_lock(&p->lock);
        p->n--;
        pthread_cond_signal(&p->returned);
        pthread_mutex_unlock(&p->lock);
    }
    return st;
}

static void close_idle(struct postgres_pool *p)
{
    struct pg_conn *list, *next;

    pthread_mutex_lock(&p->lock);
    for (list = p->idle; list; list = list->next)
        p->n--;
    list = p->idle;
    p->idle = NULL;
    pthread_mutex_unlock(&p->lock);
    for (; list; list = next) {
        next = list->next;
        pg_conn_close(list);
    }
}

void pg_pool_return(struct postgres_pool *p, struct pg_conn *c)
{
    bool broken = c->broken;

    pthread_mutex_lock(&p->lock);
    if (broken) {
        p->n--;
    } else {
        c->next = p->idle;
        p->idle = c;
    }
    pthread_cond_signal(&p->returned);
    pthread_mutex_unlock(&p->lock);
    if (!broken)
        return;
    pg_conn_close(c);
    /* The server has ended the others as well, or will refuse them. */
    close_idle(p);
}

/* ---- life --------------------------------------------------------------- */

quire_status postgres_pool_open(const struct postgres_pool_config *config,
                                struct postgres_pool **out, quire_error *err)
{
    struct postgres_pool *p = calloc(1, sizeof *p);
    struct pg_conn *first;
    quire_status st;

    *out = NULL;
    if (!p)
        return err_memory(err);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->returned, NULL);
    p->busy_ms = config->busy_ms;
    p->max = config->connections_max ? config->connections_max
                                     : CONNECTIONS_MAX;
    write_set_up(p);
    st = libpq_load(&p->lib, err);
    if (!st)
        st = read_url(p, config->url, err);
    if (!st)
        st = name_server(p, err);
    if (!st)
        st = pg_pool_borrow(p, &first, err);
    if (!st)
        pg_pool_return(p, first);
    if (st)
        postgres_pool_close(p);
    else
        *out = p;
    return st;
}

void postgres_pool_close(struct postgres_pool *p)
{
    if (!p)
        return;
    close_idle(p);
    pthread_cond_destroy(&p->returned);
    pthread_mutex_destroy(&p->lock);
    if (p->url)
        explicit_bzero(p->url, strlen(p->url));
    free(p->url);
    free(p);
}
