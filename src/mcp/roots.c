/*
 * roots.c - the directories of the client
 *
 * A client that can be asked for its `roots` is asked when it has introduced itself, and
 * the first of them is the project, whatever directory the server was started in. The
 * first call that needs the session waits for the answer, for a moment.
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/priv.h"

static const char question_id[] = "quire-roots";

void roots_ask(struct mcp_peer *p)
{
    struct mcp *m = p->m;
    struct buf text = BUF_INIT(256);
    bool ask;

    pthread_mutex_lock(&m->lock);
    ask = m->asks_roots && m->of_directory && p->has_roots && !m->session &&
          p->version < V_2026_07_28;
    m->roots_asked = m->roots_asked || ask;
    pthread_mutex_unlock(&m->lock);
    if (!ask)
        return;
    buf_addf(&text,
             "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"roots/list\"}",
             question_id);
    peer_send(p, &text);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The path of file:///a%20b, freed by the caller; NULL: it is no such address. */
static char *path_of(const char *uri)
{
    const char *at = uri;
    char *path, *to;

    if (strncmp(at, "file://", 7) != 0)
        return NULL;
    at += 7;
    if (!strncmp(at, "localhost/", 10))
        at += 9;
    path = to = *at == '/' ? malloc(strlen(at) + 1) : NULL;
    while (path && *at) {
        int high = *at == '%' ? hex_value(at[1]) : -1;
        int low = high >= 0 ? hex_value(at[2]) : -1;

        if (high * 16 + low == 0 || (*at == '%' && low < 0)) {
            free(path);
            return NULL;
        }
        *to++ = low >= 0 ? (char)(high * 16 + low) : *at;
        at += low >= 0 ? 3 : 1;
    }
    if (path) {
        while (to > path + 1 && to[-1] == '/')
            to--;
        *to = '\0';
    }
    return path;
}

bool roots_take(struct mcp_call *c)
{
    struct mcp *m = c->peer->m;
    quire_bytes roots = json_get(c->result, "roots");
    struct json_scan it;
    char *root = NULL;

    if (c->notice.data || json_kind(c->id) != JSON_STRING ||
        !json_is(c->id, question_id))
        return false;
    if (json_kind(roots) == JSON_ARRAY) {
        json_iter_init(&it, roots);
        while (!root && json_next(&it)) {
            const char *uri = message_text(c, it.value, "uri");

            root = uri ? path_of(uri) : NULL;
        }
    }
    pthread_mutex_lock(&m->lock);
    if (root && !m->session) {
        free(m->root);
        m->root = root;
        root = NULL;
    }
    m->roots_asked = false;
    pthread_cond_broadcast(&m->idle);
    pthread_mutex_unlock(&m->lock);
    free(root);
    return true;
}
