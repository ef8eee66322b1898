/*
 * home.c - what a home has, as an inventory
 *
 * Files are read once: the set of a session's entries and the digest of an output stay
 * in the table sync_file while inode, size and times of the file are the same. A
 * session that has grown is read again, whole: other programs write to it too.
 */
#include "api/sync/home.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "output/dir.h"

/* What sync_file has of a session: set, id, cwd; of an output: its SHA-256. */
struct cached {
    uint64_t inode, size;
    int64_t modified_ns, changed_ns;
    quire_bytes data;
};

struct scan {
    struct moving *m;
    struct map cache;   /* name -> struct cached                           */
    struct map folders; /* dir of outputs -> index of its session          */
    struct found {
        const char *name;
        struct object_info info;
    } * files; /* in the arena */
    size_t n, cap;
    bool write;   /* the cache may be stored           */
    bool dirty;   /* a transaction is open             */
    unsigned put; /* rows of it                        */
};

/* ---- the cache ------------------------------------------------------------ */

static quire_status load_cache(struct scan *s, quire_error *err)
{
    struct moving *m = s->m;
    struct stmt *stmt;
    bool row = true;
    quire_status st = moving_use(m, MOVE_FILES, &stmt, err);

    if (st)
        return st;
    stmt_bind_int(stmt, 1, m->q->tenant);
    while (!st && !(st = stmt_step(stmt, &row, err)) && row) {
        quire_bytes name = arena_dup(&m->keep, stmt_column_bytes(stmt, 0));
        struct cached *c = arena_alloc(&m->keep, sizeof *c);

        if (!c || !name.data) {
            st = err_memory(err);
            break;
        }
        *c = (struct cached){
            .inode = (uint64_t)stmt_column_int(stmt, 1),
            .size = (uint64_t)stmt_column_int(stmt, 2),
            .modified_ns = stmt_column_int(stmt, 3),
            .changed_ns = stmt_column_int(stmt, 4),
            .data = arena_dup(&m->keep, stmt_column_bytes(stmt, 5)),
        };
        if (!c->data.data ||
            !map_put(&s->cache, name, (uint64_t)(uintptr_t)c, NULL))
            st = err_memory(err);
    }
    stmt_reset(stmt);
    return st;
}

static const struct cached *cached_of(struct scan *s, const struct found *f)
{
    uint64_t *at = map_get(&s->cache, bytes_str(f->name));
    const struct cached *c = at ? (const void *)(uintptr_t)*at : NULL;

    return c && c->inode == f->info.inode && c->size == f->info.size &&
                   c->modified_ns == f->info.modified_ns &&
                   c->changed_ns == f->info.changed_ns
               ? c
               : NULL;
}

/* Store what was read of a file. One that changed this recently may change again
 * without a new time. */
static quire_status cache_put(struct scan *s, const struct found *f,
                              quire_bytes data, quire_error *err)
{
    struct moving *m = s->m;
    int64_t now_ns = clock_us(&m->q->clock) * 1000;
    struct stmt *stmt;
    quire_status st = QUIRE_OK;

    if (!s->write || now_ns - f->info.changed_ns < LIST_FRESH_NS)
        return QUIRE_OK;
    if (!s->dirty)
        st = db_begin(m->sql.db, DB_IF_FREE, m->q->tenant, NULL);
    if (st) { /* another writer is active: the next run stores it */
        s->write = false;
        return QUIRE_OK;
    }
    s->dirty = true;
    st = moving_use(m, MOVE_FILE_PUT, &stmt, err);
    if (st)
        return st;
    stmt_bind_int(stmt, 1, m->q->tenant);
    stmt_bind_text(stmt, 2, bytes_str(f->name));
    stmt_bind_int(stmt, 3, (int64_t)f->info.inode);
    stmt_bind_int(stmt, 4, (int64_t)f->info.size);
    stmt_bind_int(stmt, 5, f->info.modified_ns);
    stmt_bind_int(stmt, 6, f->info.changed_ns);
    stmt_bind_bytes(stmt, 7, data);
    st = stmt_post(stmt, err);
    if (!st && ++s->put % 256 == 0) { /* others get their turn */
        st = db_commit(m->sql.db, err);
        s->dirty = false;
    }
    return st;
}

/* Rows of files that are gone. */
static quire_status cache_trim(struct scan *s, quire_error *err)
{
    struct moving *m = s->m;
    struct map here;
    struct stmt *stmt;
    size_t i;
    quire_status st = QUIRE_OK;

    if (!s->write || s->cache.n <= s->n + 64)
        return QUIRE_OK;
    map_init(&here, 1, 2);
    for (i = 0; i < s->n && !st; i++)
        if (!map_put(&here, bytes_str(s->files[i].name), 1, NULL))
            st = err_memory(err);
    if (!st && !s->dirty && db_begin(m->sql.db, DB_IF_FREE, m->q->tenant, NULL))
        s->write = false;
    s->dirty |= !st && s->write;
    for (i = 0; i < s->cache.n_slots && !st && s->write; i++) {
        const struct map_slot *slot = &s->cache.slots[i];
        quire_bytes name = bytes_of(slot->key, slot->len);

        if (!slot->key || map_get(&here, name))
            continue;
        st = moving_use(m, MOVE_FILE_DROP, &stmt, err);
        if (st)
            break;
        stmt_bind_int(stmt, 1, m->q->tenant);
        stmt_bind_text(stmt, 2, name);
        st = stmt_post(stmt, err);
    }
    map_release(&here);
    return st;
}

/* ---- files ---------------------------------------------------------------- */

static unsigned depth_of(const char *name)
{
    unsigned n = 0;

    for (; *name; name++)
        n += *name == '/';
    return n;
}

static quire_status see_file(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct scan *s = ctx;
    const char *base = strrchr(name, '/');
    unsigned depth = depth_of(name) - !strncmp(name, "archive/", 8);
    struct found *more;

    if (!base || base[1] == '.' ||
        !((depth == 2 && names_is_session(bytes_str(base + 1))) ||
          (depth == 3 && output_dir_is_output(base + 1))))
        return QUIRE_OK;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        more = arena_array(&s->m->keep, s->cap, sizeof *more);
        if (!more)
            return err_memory(err);
        if (s->n)
            memcpy(more, s->files, s->n * sizeof *more);
        s->files = more;
    }
    s->files[s->n].info = *info;
    s->files[s->n].name = arena_text(&s->m->keep, bytes_str(name));
    return s->files[s->n++].name ? QUIRE_OK : err_memory(err);
}

/* ---- sessions ------------------------------------------------------------- */

struct counting {
    struct entry_set set;
};

static quire_status count_line(void *ctx, const struct entry_line *line,
                               uint64_t at, quire_error *err)
{
    struct counting *c = ctx;

    (void)at, (void)err;
    entry_set_add(&c->set, &line->hash);
    return QUIRE_OK;
}

/* Read it: the set of its entries, its id and directory. `out->id` stays NULL if it is
 * no session, or its id cannot be one elsewhere. */
static quire_status read_session(struct scan *s, const struct found *f,
                                 struct known_session *out, quire_error *err)
{
    struct moving *m = s->m;
    struct counting c = {0};
    struct buf data = BUF_INIT(1 << 20);
    quire_bytes header, id, cwd;
    int64_t version;
    quire_status st = lines_each(m, f->name, count_line, &c, NULL, &header,
                                 err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (st || !header.data || !field_text(header, "id", &m->keep, &id))
        return st;
    if (!moving_is_id(id) || !field_number(header, "version", &version) ||
        version < 3) {
        m->result.skipped++;
        return QUIRE_OK;
    }
    if (!field_text(header, "cwd", &m->keep, &cwd))
        cwd = bytes_str("");
    out->set = c.set;
    out->id = arena_text(&m->keep, id);
    out->cwd = arena_text(&m->keep, cwd);
    if (!out->id || !out->cwd)
        return err_memory(err);
    buf_add(&data, &c.set, sizeof c.set);
    buf_add(&data, out->id, strlen(out->id) + 1);
    buf_add(&data, out->cwd, strlen(out->cwd) + 1);
    st = buf_status(&data, "a record", err);
    if (!st)
        st = cache_put(s, f, buf_bytes(&data), err);
    buf_release(&data);
    return st;
}

/* Take it from the cache. */
static bool cached_session(const struct cached *c, struct known_session *out)
{
    const char *text = c->data.data, *end = text + c->data.len;
    const char *nul;

    if (c->data.len < sizeof out->set + 2 || end[-1] != '\0')
        return false;
    memcpy(&out->set, text, sizeof out->set);
    out->id = text + sizeof out->set;
    nul = memchr(out->id, '\0', (size_t)(end - out->id));
    if (!nul || nul + 1 == end)
        return false;
    out->cwd = nul + 1;
    return true;
}

static bool starts_with_dir(const char *cwd, const char *dir)
{
    size_t len = strlen(dir);

    return !strncmp(cwd, dir, len) && (cwd[len] == '\0' || cwd[len] == '/' ||
                                       (len && dir[len - 1] == '/'));
}

static quire_status add_session(struct scan *s, const struct found *f,
                                quire_error *err)
{
    struct moving *m = s->m;
    const struct cached *c = cached_of(s, f);
    struct known_session now = {.name = f->name, .info = f->info};
    quire_status st = QUIRE_OK;
    size_t i;

    if (!c || !cached_session(c, &now))
        st = read_session(s, f, &now, err);
    /* Of two files with one id the first is the session, as for a look-up. */
    if (st || !now.id || map_get(&m->by_id, bytes_str(now.id)))
        return st;
    for (i = 0; i < m->n_projects; i++)
        now.local |= starts_with_dir(now.cwd, m->projects[i]);
    st = moving_add_session(m, &now, err);
    if (!st && !map_put(&s->folders, names_stem(bytes_str(f->name)),
                        m->n_sessions - 1, NULL))
        st = err_memory(err);
    return st;
}

static quire_status session_items(struct moving *m, quire_error *err)
{
    size_t i;

    for (i = 0; i < m->n_sessions; i++) {
        const struct known_session *k = &m->sessions[i];
        struct item item = {.kind = ITEM_SESSION,
                            .key = bytes_str(k->id),
                            .n = k->set.n,
                            .name = k->name,
                            .size = k->info.size};

        if (k->local && !m->all_local)
            continue;
        entry_set_sum(&k->set, item.digest);
        if (!inventory_add(&m->inv, &item))
            return err_memory(err);
    }
    return QUIRE_OK;
}

/* ---- outputs -------------------------------------------------------------- */

/* The name under which other homes know an output: without the suffix that a second
 * one of its number got here, "3.bash~<16 hex>.log". */
static const char *plain_output(const char *base, struct arena *keep)
{
    const char *dot = strrchr(base, '.');
    quire_bytes stem = bytes_of(base, dot ? (size_t)(dot - base) : 0);
    quire_bytes plain = entry_id_plain(stem);

    return !dot || plain.len == stem.len
               ? base
               : arena_printf(keep, "%.*s%s", (int)plain.len, base, dot);
}

static quire_status add_output(struct scan *s, const struct found *f,
                               quire_error *err)
{
    struct moving *m = s->m;
    const char *base = strrchr(f->name, '/');
    quire_bytes dir = bytes_of(f->name, (size_t)(base - f->name));
    uint64_t *owner = map_get(&s->folders, dir);
    const struct cached *c = cached_of(s, f);
    struct item item = {.kind = ITEM_OUTPUT,
                        .name = f->name,
                        .size = f->info.size};
    quire_digest digest;
    char hex[65];
    const char *plain;
    quire_status st = QUIRE_OK;

    if (!owner || (m->sessions[*owner].local && !m->all_local))
        return QUIRE_OK;
    if (c && c->data.len == sizeof digest) {
        memcpy(&digest, c->data.data, sizeof digest);
    } else {
        st = moving_hash_file(m, f->name, &digest, err);
        if (st)
            return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
        st = cache_put(s, f, bytes_of(&digest, sizeof digest), err);
    }
    hex_encode(digest.byte, sizeof digest.byte, hex);
    plain = plain_output(base + 1, &m->keep);
    item.key = bytes_str("");
    if (plain) {
        const char *key = arena_printf(&m->keep, "%s\n%s\n%s",
                                       m->sessions[*owner].id, plain, hex);

        item.key = bytes_str(key ? key : "");
    }
    memcpy(item.digest, digest.byte, sizeof item.digest);
    if (!item.key.len || (!st && !inventory_add(&m->inv, &item)))
        st = err_memory(err);
    return st;
}

/* ---- what stays here, what is not taken ----------------------------------- */

static quire_status each_key(struct moving *m, struct stmt *stmt,
                             quire_status (*take)(struct moving *, quire_bytes,
                                                  quire_error *),
                             quire_error *err)
{
    bool row = true;
    quire_status st = QUIRE_OK;

    while (!st && !(st = stmt_step(stmt, &row, err)) && row) {
        quire_bytes key = arena_dup(&m->keep, stmt_column_bytes(stmt, 0));

        st = key.data ? take(m, key, err) : err_memory(err);
    }
    stmt_reset(stmt);
    return st;
}

static quire_status take_refused(struct moving *m, quire_bytes key,
                                 quire_error *err)
{
    return map_put(&m->refused, key, 1, NULL) ? QUIRE_OK : err_memory(err);
}

static quire_status take_local(struct moving *m, quire_bytes key,
                               quire_error *err)
{
    uint64_t *at = map_get(&m->by_id, key);

    if (at)
        m->sessions[*at].local = true;
    return take_refused(m, key, err);
}

/* The marks: projects are needed before sessions are looked at, the others after. */
static quire_status read_marks(struct moving *m, bool projects,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *stmt, *filed;
    size_t n = 0, cap = 0;
    const char **values = NULL;
    bool row = true, *folder = NULL;
    size_t i;
    quire_status st = moving_use(m, MOVE_LOCALS, &stmt, err);

    if (st)
        return st;
    stmt_bind_int(stmt, 1, m->q->tenant);
    while (!st && !(st = stmt_step(stmt, &row, err)) && row) {
        quire_bytes kind = stmt_column_bytes(stmt, 0);
        bool project = bytes_is(kind, "project");

        if (project != projects)
            continue;
        if (n == cap) {
            const char **more = arena_array(&m->keep, cap * 2 + 8,
                                            sizeof *more);
            bool *flags = arena_array(&tmp, cap * 2 + 8, sizeof *flags);

            if (!more || !flags) {
                st = err_memory(err);
                break;
            }
            for (i = 0; i < n; i++) {
                more[i] = values[i];
                flags[i] = folder[i];
            }
            cap = cap * 2 + 8;
            values = more;
            folder = flags;
        }
        folder[n] = bytes_is(kind, "folder");
        values[n] = arena_text(&m->keep, stmt_column_bytes(stmt, 1));
        st = values[n++] ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(stmt);
    if (projects) {
        m->projects = values;
        m->n_projects = n;
    }
    for (i = 0; i < n && !st && !projects; i++) {
        if (!folder[i]) {
            st = take_local(m, bytes_str(values[i]), err);
            continue;
        }
        st = moving_use(m, MOVE_FILED, &filed, err);
        if (st)
            break;
        stmt_bind_int(filed, 1, m->q->tenant);
        stmt_bind_text(filed, 2, bytes_str(values[i]));
        st = each_key(m, filed, take_local, err);
    }
    arena_release(&tmp);
    return st;
}

static quire_status read_trash(struct moving *m, quire_error *err)
{
    struct stmt *stmt;
    quire_status st = moving_use(m, MOVE_TRASHED, &stmt, err);

    if (st)
        return st;
    stmt_bind_int(stmt, 1, m->q->tenant);
    return each_key(m, stmt, take_refused, err);
}

/* ---- all of it ------------------------------------------------------------ */

static quire_status scan_files(struct scan *s, quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive/sessions"};
    struct moving *m = s->m;
    quire_status st = QUIRE_OK, ended;
    size_t i;

    for (i = 0; i < 2 && !st; i++) {
        st = object_list(m->q->all->objects, roots[i], see_file, s, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    for (i = 0; i < s->n && !st; i++)
        if (names_is_session(bytes_str(s->files[i].name)))
            st = add_session(s, &s->files[i], err);
    if (!st)
        st = read_marks(m, false, err);
    if (!st)
        st = session_items(m, err);
    for (i = 0; i < s->n && !st; i++)
        if (!names_is_session(bytes_str(s->files[i].name)))
            st = add_output(s, &s->files[i], err);
    if (!st)
        st = cache_trim(s, err);
    if (s->dirty) {
        ended = sql_end(m->sql.db, st, err);
        st = st ? st : ended;
    }
    return st;
}

quire_status moving_open(struct quire *q, bool write, bool all_local,
                         struct moving *m, quire_error *err)
{
    struct scan s = {.m = m, .write = !q->read_only};
    quire_status st;

    *m = (struct moving){.q = q, .keep = ARENA_INIT, .all_local = all_local};
    map_init(&m->by_id, 3, 4);
    map_init(&m->refused, 5, 6);
    map_init(&m->uids, 7, 8);
    if (q->kind != QUIRE_KIND_NATIVE)
        return err_fail(err, QUIRE_INVALID,
                        HINT_SHELL "import its sessions first",
                        "%s is another program's home: homes of Quire are "
                        "synced",
                        q->home);
    st = need_own_rows(q, write, err);
    if (!st)
        st = need_all(q, err);
    if (st || !catalog_has(&q->catalog, SCHEMA_SYNC))
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = sql_init(&m->sql, q->catalog.db, moving_sql, N_MOVING_SQL, err);
    map_init(&s.cache, 9, 10);
    map_init(&s.folders, 11, 12);
    if (!st)
        st = load_cache(&s, err);
    if (!st)
        st = read_marks(m, true, err);
    if (!st)
        st = scan_files(&s, err);
    if (!st)
        st = read_trash(m, err);
    if (!st)
        st = artifacts_inventory(m, err);
    if (!st)
        st = memory_inventory(m, err);
    inventory_sort(&m->inv);
    map_release(&s.cache);
    map_release(&s.folders);
    return st;
}

void moving_release(struct moving *m)
{
    blobs_drop(m);
    if (m->sql.db)
        sql_release(&m->sql);
    map_release(&m->by_id);
    map_release(&m->refused);
    map_release(&m->uids);
    inventory_release(&m->inv);
    arena_release(&m->keep);
}
