/*
 * session_cache.c - where a handle has found sessions
 *
 * To find a session by its id all directories of projects are looked through,
 * and to know its id for sure its header is read. A server does that for every
 * request, of the same few sessions. So a handle remembers what it found, under
 * the whole id, and believes it for as long as a file of that name is there: the
 * name has the id in it, and no other session gets it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "api/priv.h"
#include "session/names.h"

/* The place of an id. There is nothing in any of them yet: NULL. */
static struct found_at *slot(struct quire *q, const char *id)
{
    size_t hash = 5381;

    if (!q->found)
        return NULL;

    for (; *id; id++)
        hash = hash * 33 + (unsigned char)*id;
    return &q->found[hash % FOUND_MAX];
}

static void forget(struct found_at *k)
{
    free(k->id);
    free(k->name);
    *k = (struct found_at){.id = NULL};
}

void found_free(struct found_at *found)
{
    size_t i;

    for (i = 0; found && i < FOUND_MAX; i++)
        forget(&found[i]);
    free(found);
}

char *found_find(struct quire *q, const char *id, struct arena *keep)
{
    struct found_at *k = slot(q, id);
    struct object_info info;

    if (!k || !k->name || strcmp(k->id, id) != 0)
        return NULL;
    if (!q->all || q->all->ops->stat(q->all, k->name, &info, NULL)) {
        forget(k);
        return NULL;
    }
    return arena_text(keep, bytes_str(k->name));
}

bool found_is_key(struct quire *q, const char *id)
{
    const struct found_at *k = slot(q, id);

    return k && k->is_key && !strcmp(k->id, id);
}

void found_note(struct quire *q, const char *id, const char *name, bool is_key)
{
    const char *slash = strrchr(name, '/');
    struct found_at *k;

    if (!slash || !bytes_is(names_id_in_file(bytes_str(slash + 1)), id))
        return;
    if (!q->found)
        q->found = calloc(FOUND_MAX, sizeof *q->found);
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
