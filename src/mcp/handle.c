/* handle.c - a thread's handle of the store */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "mcp/priv.h"

bool handle_built_in(const char *session)
{
    return !strcmp(session, "temp") || !strcmp(session, "user");
}

/* Which session it is, for every hand that comes after: "last" or the beginning
 * of an id could mean another one by then. */
static quire_status keep_session(struct mcp *m, const char *id,
                                 quire_error *err)
{
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&m->lock);
    if (!m->session) {
        m->session = strdup(id);
        if (!m->session)
            st = err_memory(err);
    }
    pthread_mutex_unlock(&m->lock);
    return st;
}

/* Create a session of the working directory; its id is in *id, which is freed. */
static quire_status new_session(quire *q, char **id, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s = NULL;
    quire_status st;

    o.flags = QUIRE_SESSION_AT_ONCE;
    st = quire_session_new(q, &o, &s, err);
    if (!st)
        st = quire_session_flush(s, err);
    *id = NULL;
    if (!st) {
        quire_session_describe(s, &info);
        *id = strdup(info.id);
        st = *id ? QUIRE_OK : err_memory(err);
    }
    quire_session_close(s);
    return st;
}

/* The last session of the working directory, or a new one. */
static quire_status open_of_directory(struct mcp_handle *h, quire_error *err)
{
    quire_status st = quire_workspace_open(h->q, "last", &h->w, err);
    char *id = NULL;

    if (st != QUIRE_NOT_FOUND)
        return st;
    st = new_session(h->q, &id, err);
    if (!st)
        st = quire_workspace_open(h->q, id, &h->w, err);
    free(id);
    return st;
}

/* Open the workspace of the session, which the first handle finds. */
static quire_status open_workspace(struct mcp_handle *h, quire_error *err)
{
    struct mcp *m = h->m;
    const char *known;
    quire_status st;

    pthread_mutex_lock(&m->finding);
    known = mcp_session(m);
    if (known || !m->of_directory)
        st = quire_workspace_open(h->q, known ? known : m->asked, &h->w, err);
    else
        st = open_of_directory(h, err);
    if (!st)
        st = keep_session(m, quire_workspace_session(h->w), err);
    pthread_mutex_unlock(&m->finding);
    return st;
}

quire_status mcp_handle_open(struct mcp *m, quire *q, struct mcp_handle **out,
                             quire_error *err)
{
    struct mcp_handle *h = calloc(1, sizeof *h);
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!h)
        return err_memory(err);
    h->m = m;
    h->q = q;
    if (!q) {
        st = quire_open(&m->store, &h->q, err);
        h->own = true;
    }
    if (!st)
        st = open_workspace(h, err);
    if (st) {
        mcp_handle_close(h);
    } else {
        quire_workspace_read_all(h->w, m->read_all);
        *out = h;
    }
    return st;
}

void mcp_handle_close(struct mcp_handle *h)
{
    if (!h)
        return;
    quire_outputs_close(h->outputs);
    quire_workspace_close(h->w);
    if (h->own)
        quire_close(h->q);
    free(h);
}

quire *mcp_handle_store(struct mcp_handle *h)
{
    return h->q;
}

quire_status handle_outputs(struct mcp_handle *h, quire_error *err)
{
    const char *session = h->m->session;

    if (h->outputs)
        return QUIRE_OK;
    return quire_outputs_open(h->q, handle_built_in(session) ? NULL : session,
                              &h->outputs, err);
}

void handle_made(struct mcp *m, const char *number)
{
    int64_t *bigger, n;

    if (!json_read_int(bytes_str(number), &n))
        return;
    pthread_mutex_lock(&m->lock);
    if (m->n_made == m->cap_made) {
        bigger = realloc(m->made, (m->cap_made + 64) * sizeof *bigger);
        if (bigger) {
            m->made = bigger;
            m->cap_made += 64;
        }
    }
    if (m->n_made < m->cap_made)
        m->made[m->n_made++] = n;
    pthread_mutex_unlock(&m->lock);
}

bool handle_sees(struct mcp *m, const char *address)
{
    static const char begins[] = "artifact://";
    bool made = false;
    int64_t n;
    size_t i;

    if (!handle_built_in(m->session))
        return true;
    if (strncmp(address, begins, sizeof begins - 1) != 0 ||
        !json_read_int(bytes_str(address + sizeof begins - 1), &n))
        return false;
    pthread_mutex_lock(&m->lock);
    for (i = 0; i < m->n_made && !made; i++)
        made = m->made[i] == n;
    pthread_mutex_unlock(&m->lock);
    return made;
}
