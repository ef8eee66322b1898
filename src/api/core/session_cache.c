/*
 * session_cache.c - the file names of sessions that a handle has found
 *
 * Finding a session by id walks the directories of all projects, and knowing its
 * id for certain reads its header. A handle caches both under the whole id. An
 * entry is valid as long as a file of that name exists: the name contains the id,
 * and no other session gets it.
 */
#include <stdlib.h>
#include <string.h>

#include "api/core/handle.h"
#include "base/bytes.h"
#include "session/names.h"

/* Direct-mapped: the slot of an id; NULL: the cache is empty. */
static struct session_cache_entry *find_slot(struct quire *q, const char *id)
{
    size_t hash = 5381;

    if (!q->session_cache)
        return NULL;

    for (; *id; id++)
        hash = hash * 33 + (unsigned char)*id;
    return &q->session_cache[hash % SESSION_CACHE_MAX];
}

static void clear_slot(struct session_cache_entry *k)
{
    free(k->id);
    free(k->name);
    *k = (struct session_cache_entry){.id = NULL};
}

void session_cache_free(struct session_cache_entry *session_cache)
{
    size_t i;

    for (i = 0; session_cache && i < SESSION_CACHE_MAX; i++)
        clear_slot(&session_cache[i]);
    free(session_cache);
}

char *session_cache_find(struct quire *q, const char *id, struct arena *keep)
{
    struct session_cache_entry *k = find_slot(q, id);
    struct object_info info;

    if (!k || !k->name || strcmp(k->id, id) != 0)
        return NULL;
    if (!q->all || log_stat(q->all->logs, k->name, &info, NULL)) {
        clear_slot(k);
        return NULL;
    }
    return arena_text(keep, bytes_str(k->name));
}

bool session_cache_is_key(struct quire *q, const char *id)
{
    const struct session_cache_entry *k = find_slot(q, id);

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
    k = find_slot(q, id);
    if (!k)
        return;
    if (k->name && !strcmp(k->name, name) && !strcmp(k->id, id)) {
        k->is_key |= is_key;
        return;
    }
    clear_slot(k);
    k->id = strdup(id);
    k->name = k->id ? strdup(name) : NULL;
    k->is_key = k->name && is_key;
}
