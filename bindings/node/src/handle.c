/* handle.c - homes, sessions and sinks */
#include "addon.h"

#include <stdlib.h>
#include <string.h>

struct handle *handle_new(enum kind kind)
{
    struct handle *h = calloc(1, sizeof *h);

    if (!h)
        return NULL;
    h->kind = kind;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->idle, NULL);
    return h;
}

void handle_close(struct handle *h)
{
    while (h->flushing > 0)
        pthread_cond_wait(&h->idle, &h->lock);
    h->closed = true;
    quire_sink_free(h->sink);
    quire_outputs_close(h->outputs);
    quire_session_close(h->s);
    quire_close(h->q);
    h->sink = NULL;
    h->outputs = NULL;
    h->s = NULL;
    h->q = NULL;
}

void handle_free(struct handle *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    handle_close(h);
    pthread_mutex_unlock(&h->lock);
    pthread_cond_destroy(&h->idle);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

const char *job_text(const struct job *j, size_t i)
{
    return i < j->n_args ? j->arg[i] : NULL;
}

long long job_number(const struct job *j, size_t i, long long otherwise)
{
    const char *text = job_text(j, i);

    return text ? strtoll(text, NULL, 10) : otherwise;
}

bool job_flag(const struct job *j, size_t i)
{
    const char *text = job_text(j, i);

    return text && !strcmp(text, "true");
}

const struct op *op_find(const char *name)
{
    static const struct op *const tables[] = {session_ops, store_ops,
                                              catalog_ops};
    size_t i, k;

    for (i = 0; i < sizeof tables / sizeof *tables; i++)
        for (k = 0; tables[i][k].name; k++)
            if (!strcmp(tables[i][k].name, name))
                return &tables[i][k];
    return NULL;
}

quire_status open_store(struct job *j, quire **q)
{
    quire_options o = QUIRE_OPTIONS_INIT;

    o.home = job_text(j, 0);
    o.tenant = job_text(j, 1);
    o.flags = job_flag(j, 2) ? QUIRE_READ_ONLY : 0;
    return quire_open(&o, q, &j->err);
}

quire_status take_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct job *j = ctx;

    (void)err;
    text_add(&j->out, bytes.data, bytes.len);
    return j->out.failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}
