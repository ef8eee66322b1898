/*
 * session_cache.c - where a handle has session_cache sessions
 *
 * To find a session by its id all directories of projects are looked through,
 * and to know its id for sure its header is read. A server does that for every
 * request, of the same few sessions. So a handle remembers what it session_cache, under
 * the whole id, and believes it for as long as a file of that name is there: the
 * name has the id in it, and no other session gets it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "api/priv.h"
#include "session/names.h"

/* The place of an id. There is nothing in any of them yet: NULL. */
static struct session_cache_entry *slot(struct quire *q, const char *id)
{
    size_t hash = 5381;

    if (!q->session_cache)
        return NULL;

    for (; *id; id++)
        hash = hash * 33 + (unsigned char)*id;
    return &q->session_cache[hash % SESSION_CACHE_MAX];
}

static void forget(struct session_cache_entry *k)
{
    free(k->id);
    free(k->name);
    *k = (struct session_cache_entry){.id = NULL};
}

void session_cache_free(struct session_cache_entry *session_cache)
{
    size_t i;

    for (i = 0; session_cache && i < SESSION_CACHE_MAX; i++)
        forget(&session_cache[i]);
    free(session_cache);
}

char *session_cache_find(struct quire *q, const char *id, struct arena *keep)
{
    struct session_cache_entry *k = slot(q, id);
    struct object_info info;

    if (!k || !k->name || strcmp(k->id, id) != 0)
        return NULL;
    if (!q->all || q->all->ops->stat(q->all, k->name, &info, NULL)) {
        forget(k);
        return NULL;
    }
    return arena_text(keep, bytes_str(k->name));
}

bool session_cache_is_key(struct quire *q, const char *id)
{
    const struct session_cache_entry *k = slot(q, id);

    return k && k->is_key && !strcmp(k->id, id);
}

void session_cache_put(struct quire *q, const char *id, const char *name,
                       bool is_key)
{
    const char *slash = strrchr(name, '/');
    struct session_cache_entry *k;

    if (!slash || !bytes_is(names_id_in_file(bytes_str(slash + 1)), id))
        return;
    if (!q->session_cache)
        q->session_cache = calloc(SESSION_CACHE_MAX, sizeof *q->session_cache);
    k = slot(q, id);
    if (!k)
        return;
    if (k->name && !strcmp(k->name, name) && !strcmp(k->id, id)) {
        k->is_key |= is_key;
        return;
    }
    forget(k);
    k->id = strdup(id);
    k->name = k->id ? strdup(name) : NULL;
    k->is_key = k->name && is_key;
}
