/*
 * list_cache.c - session metadata cached in the catalogue
 *
 * One row for all sessions, one record a file, all in one value: a row a file
 * would take longer to read than the files' own stat() takes. The value is
 * derived and may be lost or damaged at no loss; a record is valid if the
 * file's inode, size and times are unchanged.
 *
 *     value    "qsl3", then records
 *     record   u64 inode, size, modified_ns, changed_ns, messages; u32
 *              version; u32 length and bytes of: name, id, cwd, title, parent,
 *              created, first, status, each with a NUL that does not count
 *
 * Numbers are in the machine's order: the value does not leave the machine.
 * Files are found by their inode, which is a number already, and then by their
 * name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "session/list.h"

#define MAGIC "qsl3"

enum { N_STRINGS = 8 };

struct list_cache {
    struct db *db;
    const char *key, *root;
    struct stmt *stmt; /* open while its bytes are in use; NULL: none */
    quire_bytes bytes;
    uint32_t *slots; /* owned; place of a record in `bytes`, 0: free      */
    uint32_t mask;
};

struct record {
    uint64_t inode, size, modified_ns, changed_ns, messages;
    uint32_t version;
    const char *text[N_STRINGS]; /* name, id, cwd, title, parent, created,
                                    first, status */
    size_t len[N_STRINGS];
};

static bool take_bytes(quire_bytes *from, void *out, size_t len)
{
    if (from->len < len)
        return false;
    memcpy(out, from->data, len);
    *from = bytes_sub(*from, len, from->len);
    return true;
}

static bool read_record(quire_bytes *from, struct record *r)
{
    uint32_t len;
    int i;

    if (!take_bytes(from, &r->inode, 8) || !take_bytes(from, &r->size, 8) ||
        !take_bytes(from, &r->modified_ns, 8) ||
        !take_bytes(from, &r->changed_ns, 8) ||
        !take_bytes(from, &r->messages, 8) || !take_bytes(from, &r->version, 4))
        return false;
    for (i = 0; i < N_STRINGS; i++) {
        if (!take_bytes(from, &len, 4) || from->len <= len ||
            ((const char *)from->data)[len] != '\0')
            return false;
        r->text[i] = from->data;
        r->len[i] = len;
        *from = bytes_sub(*from, (size_t)len + 1, from->len);
    }
    return true;
}

static uint32_t *slot_of(const struct list_cache *c, uint64_t inode)
{
    uint32_t i = (uint32_t)((inode * UINT64_C(0x9E3779B97F4A7C15)) >> 32);

    for (;; i++) {
        uint32_t *slot = &c->slots[i & c->mask];
        uint64_t has;

        if (!*slot)
            return slot;
        memcpy(&has, (const char *)c->bytes.data + *slot, 8);
        if (has == inode)
            return slot;
    }
}

/* Index the records. A malformed one ends the pass. */
static void index_records(struct list_cache *c)
{
    quire_bytes rest = c->bytes;
    uint32_t n_slots = 64, n = 0;
    struct record r;

    if (rest.len < 4 || rest.len > UINT32_MAX ||
        memcmp(rest.data, MAGIC, 4) != 0)
        return;
    while (n_slots < rest.len / 64) /* a record is larger than that */
        n_slots *= 2;
    c->slots = calloc(n_slots, sizeof *c->slots);
    c->mask = n_slots - 1;
    rest = bytes_sub(rest, 4, rest.len);
    while (c->slots && rest.len > 0 && ++n < n_slots) {
        uint32_t at = (uint32_t)(c->bytes.len - rest.len);

        if (!read_record(&rest, &r))
            return;
        *slot_of(c, r.inode) = at;
    }
}

struct list_cache *list_cache_open(struct db *db, const char *key,
                                   const char *root, struct arena *keep)
{
    struct list_cache *c = arena_array(keep, 1, sizeof *c);
    bool row = false;

    if (!c)
        return NULL;
    *c = (struct list_cache){.db = db, .key = key, .root = root};
    if (db_prepare(db, "SELECT records FROM session_list WHERE dir = ?1",
                   &c->stmt, NULL)) {
        c->stmt = NULL;
        return c;
    }
    stmt_bind_text(c->stmt, 1, bytes_str(key));
    if (!stmt_step(c->stmt, &row, NULL) && row) {
        c->bytes = stmt_column_bytes(c->stmt, 0);
        index_records(c);
    }
    return c;
}

/* Whether a record's name is "<root>/<dir>/<base>". */
static bool has_name(const struct list_cache *c, const struct record *r,
                     const char *dir, const char *base)
{
    size_t root = strlen(c->root), len = strlen(dir), rest = strlen(base);
    const char *name = r->text[0];

    return r->len[0] == root + len + rest + 2 && !memcmp(name, c->root, root) &&
           !memcmp(name + root + 1, dir, len) &&
           !memcmp(name + root + len + 2, base, rest);
}

bool list_cache_get(struct list_cache *c, const char *dir, const char *base,
                    struct list_item *item)
{
    const struct object_info *info = &item->info;
    struct record r;
    quire_bytes from;
    uint32_t at;

    if (!c || !c->slots || !(at = *slot_of(c, info->inode)))
        return false;
    from = bytes_sub(c->bytes, at, c->bytes.len);
    if (!read_record(&from, &r) || r.size != info->size ||
        r.modified_ns != (uint64_t)info->modified_ns ||
        r.changed_ns != (uint64_t)info->changed_ns ||
        !has_name(c, &r, dir, base))
        return false;
    item->name = r.text[0];
    item->meta = (struct list_meta){.id = r.text[1],
                                    .cwd = r.text[2],
                                    .title = r.text[3],
                                    .parent = r.text[4],
                                    .created = r.text[5],
                                    .first = r.text[6],
                                    .status = r.text[7],
                                    .messages = r.messages,
                                    .version = (int)r.version};
    return true;
}

static void add_record(struct buf *b, const struct list_item *item)
{
    const struct list_meta *m = &item->meta;
    const char *text[N_STRINGS] = {item->name, m->id,      m->cwd,   m->title,
                                   m->parent,  m->created, m->first, m->status};
    uint64_t head[5] = {item->info.inode, item->info.size,
                        (uint64_t)item->info.modified_ns,
                        (uint64_t)item->info.changed_ns, m->messages};
    uint32_t version = (uint32_t)m->version;
    int i;

    buf_add(b, head, sizeof head);
    buf_add(b, &version, 4);
    for (i = 0; i < N_STRINGS; i++) {
        uint32_t len = (uint32_t)strlen(text[i]);

        buf_add(b, &len, 4);
        buf_add(b, text[i], len + (size_t)1);
    }
}

static void write_row(struct list_cache *c, quire_bytes records)
{
    static const char sql[] =
        "INSERT INTO session_list(dir, records) VALUES(?1, ?2)"
        " ON CONFLICT(dir) DO UPDATE SET records = excluded.records";
    struct db *db = c->db;
    struct stmt *s;
    bool row;

    if (db_inside(db) || db_begin(db, DB_IF_FREE, DB_ALL_TENANTS, NULL))
        return;
    if (!db_prepare(db, sql, &s, NULL)) {
        stmt_bind_text(s, 1, bytes_str(c->key));
        stmt_bind_bytes(s, 2, records);
        if (!stmt_step(s, &row, NULL)) {
            stmt_finalize(s);
            db_commit(db, NULL);
            return;
        }
        stmt_finalize(s);
    }
    db_rollback(db);
}

void list_cache_put(struct list_cache *c, const struct list *l, size_t n_new)
{
    struct buf b = BUF_INIT((size_t)1 << 28);
    int64_t now_ns = clock_us(&clock_system) * 1000;
    size_t i;

    /* Reading a few new files again is cheaper than writing the whole value. */
    if (!c || n_new == 0 || n_new < l->n / 64)
        return;
    buf_add_str(&b, MAGIC);
    for (i = 0; i < l->n; i++) {
        if (!l->items[i].unread &&
            now_ns - l->items[i].info.changed_ns > LIST_FRESH_NS)
            add_record(&b, &l->items[i]);
    }
    if (!b.failed)
        write_row(c, buf_bytes(&b));
    buf_release(&b);
}

quire_status list_cache_forget(struct db *db, const char *key, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(db, "DELETE FROM session_list WHERE dir = ?1",
                                 &s, err);
    bool row;

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(key));
    st = stmt_step(s, &row, err);
    stmt_finalize(s);
    return st;
}

void list_cache_close(struct list_cache *c)
{
    if (!c)
        return;
    free(c->slots);
    if (c->stmt)
        stmt_finalize(c->stmt);
}
