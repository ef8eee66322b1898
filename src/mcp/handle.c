/* handle.c - a thread's handle of the store */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "mcp/priv.h"

/* How long a call waits for the client to name its directories. */
enum { ROOTS_WAIT_S = 2 };

bool handle_built_in(const char *session)
{
    return !strcmp(session, "temp") || !strcmp(session, "user");
}

const char *mcp_session(struct mcp *m)
{
    const char *session;

    pthread_mutex_lock(&m->lock);
    session = m->session; /* is not changed once it is set */
    pthread_mutex_unlock(&m->lock);
    return session;
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

/* ---- the session of a directory ------------------------------------------ */

/* The client's directory; NULL: the working directory. Waits a moment for a client that
 * was asked. In memory of its own: it may change until the session is known. */
static quire_status find_root(struct mcp *m, char **root, quire_error *err)
{
    struct timespec until;
    bool failed = false;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ROOTS_WAIT_S;
    pthread_mutex_lock(&m->lock);
    while (m->roots_asked &&
           pthread_cond_timedwait(&m->idle, &m->lock, &until) != ETIMEDOUT)
        ;
    m->roots_asked = false;
    *root = m->root ? strdup(m->root) : NULL;
    failed = m->root && !*root;
    pthread_mutex_unlock(&m->lock);
    return failed ? err_memory(err) : QUIRE_OK;
}

static quire_status keep_first(void *ctx, const quire_session_info *info,
                               quire_error *err)
{
    char **id = ctx;

    *id = strdup(info->id);
    return *id ? QUIRE_OK : err_memory(err);
}

/* The last session of the directory; *id, freed by the caller, NULL: there is none. */
static quire_status last_session(quire *q, const char *root, char **id,
                                 quire_error *err)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    const char *found;
    quire_status st;

    *id = NULL;
    if (root) {
        o.cwd = root;
        o.limit = 1;
        return quire_session_list(q, &o, keep_first, id, err);
    }
    st = quire_session_id(q, "last", &found, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st && !(*id = strdup(found)))
        st = err_memory(err);
    return st;
}

static quire_status new_session(quire *q, const char *root, char **id,
                                quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s = NULL;
    quire_status st;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = root;
    st = quire_session_new(q, &o, &s, err);
    if (!st)
        st = quire_session_flush(s, err);
    if (!st) {
        quire_session_describe(s, &info);
        *id = strdup(info.id);
        st = *id ? QUIRE_OK : err_memory(err);
    }
    quire_session_close(s);
    return st;
}

/* The workspace of the session that was named, and its own id. */
static quire_status open_named(struct mcp_handle *h, const char **name,
                               quire_error *err)
{
    quire_status st;

    if (quire_home_kind(h->q) != QUIRE_KIND_NATIVE)
        return QUIRE_OK; /* a built-in session */
    st = quire_workspace_open(h->q, h->m->asked, &h->w, err);
    if (!st) {
        quire_workspace_read_all(h->w, h->m->read_all);
        *name = quire_workspace_session(h->w);
    }
    return st;
}

/* The id of the session, in *id, which is freed; NULL: there is none yet. */
static quire_status find_session(struct mcp_handle *h, bool make, char **id,
                                 quire_error *err)
{
    struct mcp *m = h->m;
    const char *name = m->asked ? m->asked : "temp";
    char *root = NULL;
    quire_status st;

    *id = NULL;
    if (!m->of_directory) {
        st = handle_built_in(name) || quire_home_kind(h->q) == QUIRE_KIND_NATIVE
                 ? open_named(h, &name, err)
                 : quire_session_id(h->q, name, &name, err);
        if (!st && !(*id = strdup(name)))
            st = err_memory(err);
        return st;
    }
    st = find_root(m, &root, err);
    if (!st)
        st = last_session(h->q, root, id, err);
    if (!st && !*id && make)
        st = new_session(h->q, root, id, err);
    free(root);
    return st;
}

/* Only homes of Quire's own kind have workspaces. */
static quire_status open_workspace(struct mcp_handle *h, quire_error *err)
{
    quire_status st;

    if (h->w || quire_home_kind(h->q) != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    st = quire_workspace_open(h->q, mcp_session(h->m), &h->w, err);
    if (!st)
        quire_workspace_read_all(h->w, h->m->read_all);
    return st;
}

quire_status handle_session(struct mcp_handle *h, bool make, quire_error *err)
{
    struct mcp *m = h->m;
    quire_status st = QUIRE_OK;
    char *id = NULL;

    if (h->w)
        return QUIRE_OK;
    if (!mcp_session(m)) {
        pthread_mutex_lock(&m->finding);
        if (!mcp_session(m))
            st = find_session(h, make && !m->read_only, &id, err);
        if (!st && id)
            st = keep_session(m, id, err);
        free(id);
        pthread_mutex_unlock(&m->finding);
    }
    return st || !mcp_session(m) ? st : open_workspace(h, err);
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
    /* One of the directory is found by the first call: what it is depends on that. */
    if (!st && !m->of_directory)
        st = handle_session(h, false, err);
    if (st)
        mcp_handle_close(h);
    else
        *out = h;
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
    const char *session = mcp_session(h->m);

    if (h->outputs)
        return QUIRE_OK;
    if (!session)
        return err_set(err, QUIRE_NOT_FOUND, "there is no session here yet");
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

    if (!m->session)
        return false;
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
