/* moving.c - what the files of a sync share */
#include <string.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"

quire_status moving_use(struct moving *m, enum moving_sql which,
                        struct stmt **out, quire_error *err)
{
    return sql_use(&m->sql, (int)which, out, err);
}

bool moving_is_id(quire_bytes id)
{
    const char *text = id.data;
    size_t i;

    if (id.len == 0 || id.len > 128 || text[0] == '.')
        return false;
    for (i = 0; i < id.len; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == '/' ||
            text[i] == '\\' || text[i] == 0x7f)
            return false;
    return true;
}

quire_status moving_add_session(struct moving *m,
                                const struct known_session *session,
                                quire_error *err)
{
    struct known_session *more;

    if (m->n_sessions == m->cap_sessions) {
        m->cap_sessions = m->cap_sessions ? 2 * m->cap_sessions : 1024;
        more = arena_array(&m->keep, m->cap_sessions, sizeof *more);
        if (!more)
            return err_memory(err);
        if (m->n_sessions)
            memcpy(more, m->sessions, m->n_sessions * sizeof *more);
        m->sessions = more;
    }
    m->sessions[m->n_sessions] = *session;
    return map_put(&m->by_id, bytes_str(session->id), m->n_sessions++, NULL)
               ? QUIRE_OK
               : err_memory(err);
}

struct known_session *moving_session(const struct moving *m, const char *id)
{
    uint64_t *at = map_get(&m->by_id, bytes_str(id));

    return at ? &m->sessions[*at] : NULL;
}

bool moving_takes(const struct moving *m, quire_bytes id)
{
    uint64_t *at = map_get(&m->by_id, id);

    if (!at)
        return moving_is_id(id) && !map_get(&m->refused, id);
    return m->all_local || !m->sessions[*at].local;
}

bool key_split(quire_bytes key, quire_bytes *first, quire_bytes *rest)
{
    const char *end = memchr(key.data, '\n', key.len);

    if (!end)
        return false;
    *first = bytes_sub(key, 0, (size_t)(end - (const char *)key.data));
    *rest = bytes_sub(key, first->len + 1, key.len);
    return true;
}

quire_status moving_hash_file(struct moving *m, const char *name,
                              quire_digest *out, quire_error *err)
{
    char piece[65536];
    struct object_info info;
    struct object *file;
    struct hash h;
    uint64_t at = 0;
    size_t n = 1;
    quire_status st = object_open(m->q->all->objects, name, &file, &info, err);

    if (st)
        return st;
    hash_init(&h);
    while (!st && n > 0) {
        st = object_read(file, at, piece, sizeof piece, &n, err);
        if (!st)
            hash_add(&h, bytes_of(piece, n));
        at += n;
    }
    hash_end(&h, out);
    object_close(file);
    return st;
}
