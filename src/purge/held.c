/* held.c - sessions that are held, and what belongs to them */
#include <inttypes.h>

#include "base/bytes.h"
#include "base/err.h"
#include "purge/purge.h"

/* What the rows of a query are kept as. */
enum held_as { HELD_ID, HELD_KEY };

static bool put_key(struct purge *p, struct map *m, int64_t tenant,
                    quire_bytes key)
{
    const char *text = arena_printf(&p->keep, "%" PRId64 " %.*s", tenant,
                                    (int)key.len, (const char *)key.data);

    return text && map_put(m, bytes_str(text), 1, NULL);
}

static bool put_id(struct purge *p, struct map *m, int64_t id)
{
    quire_bytes key = arena_dup(&p->keep, bytes_of(&id, sizeof id));

    return key.data && map_put(m, key, 1, NULL);
}

bool purge_has_key(const struct map *m, int64_t tenant, quire_bytes key)
{
    struct buf text = BUF_INIT(1 << 20);
    bool has;

    buf_addf(&text, "%" PRId64 " ", tenant);
    buf_add(&text, key.data, key.len);
    /* Without memory it counts as held: what is held must stay. */
    has = text.failed || map_get(m, buf_bytes(&text)) != NULL;
    buf_release(&text);
    return has;
}

bool purge_is_held(const struct purge *p, int64_t tenant, const char *session)
{
    return session && *session &&
           purge_has_key(&p->held.keys, tenant, bytes_str(session));
}

/* Add the rows of a query: ids, or tenants and keys. */
static quire_status load(struct purge *p, const char *sql, enum held_as as,
                         struct map *to, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(p->q->catalog.db, sql, &s, err);
    bool row = true;

    if (st)
        return st;
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        int64_t id = stmt_column_int(s, 0);

        if (as == HELD_ID ? !put_id(p, to, id)
                          : !put_key(p, to, id, stmt_column_bytes(s, 1)))
            st = err_memory(err);
    }
    stmt_finalize(s);
    return st;
}

quire_status purge_held_load(struct purge *p, quire_error *err)
{
#define HELD_SESSIONS \
    "session s JOIN session_keep k ON k.session = s.id AND k.tenant = s.tenant"
    static const char keys[] = "SELECT s.tenant, s.key FROM " HELD_SESSIONS
                               " WHERE k.held <> 0";
    static const char rows[] = "SELECT s.id FROM " HELD_SESSIONS
                               " WHERE k.held <> 0";
    static const char artifacts[] =
        "SELECT a.id FROM artifact a JOIN " HELD_SESSIONS
        " AND a.session = s.id WHERE k.held <> 0";
    static const char paths[] =
        "SELECT f.tenant, f.path FROM import_file f JOIN " HELD_SESSIONS
        " AND f.tenant = s.tenant AND f.session = s.key WHERE k.held <> 0";
    struct purge_held *h = &p->held;
    quire_status st;

    map_init(&h->keys, (uintptr_t)h, 1);
    map_init(&h->rows, (uintptr_t)h, 2);
    map_init(&h->artifacts, (uintptr_t)h, 3);
    map_init(&h->paths, (uintptr_t)h, 4);
    if (!catalog_has(&p->q->catalog, SCHEMA_KEEPING))
        return QUIRE_OK;
    st = load(p, keys, HELD_KEY, &h->keys, err);
    if (!st)
        st = load(p, rows, HELD_ID, &h->rows, err);
    if (!st)
        st = load(p, artifacts, HELD_ID, &h->artifacts, err);
    return st ? st : load(p, paths, HELD_KEY, &h->paths, err);
}

void purge_held_release(struct purge *p)
{
    map_release(&p->held.keys);
    map_release(&p->held.rows);
    map_release(&p->held.artifacts);
    map_release(&p->held.paths);
}
