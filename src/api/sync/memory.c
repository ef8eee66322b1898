/*
 * memory.c - memory entries of a sync
 *
 * An entry that arrived has the id that its home gave it in the table memory_uid. One
 * that was made here has an id derived from when it was made and from its number, which
 * is never used again: so every copy of a home gives it the same one.
 *
 * Two states of an entry merge field by field: its text is that of the later change, and
 * it ends where the first of both homes ended it. Relations are a set.
 */
#include <string.h>

#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "catalog/change_log.h"
#include "memory/memory.h"

enum { UID = 16, TITLE_MAX = 200, CONTENT_MAX = 64 * 1024 };

struct memory_state {
    int64_t row; /* 0: not here */
    uint8_t uid[UID];
    quire_bytes type, title, content, source;
    const char *tags, *session, *artifact_session, *artifact_path;
    int64_t created_us, updated_us, from_us, to_us;
};

/* ---- rows ----------------------------------------------------------------- */

static void hash_number(struct hash *h, int64_t v)
{
    uint8_t byte[8];
    int i;

    for (i = 0; i < 8; i++)
        byte[i] = (uint8_t)((uint64_t)v >> 8 * i);
    hash_add(h, bytes_of(byte, sizeof byte));
}

static void derive_uid(int64_t created_us, int64_t row, uint8_t uid[UID])
{
    quire_digest d;
    struct hash h;

    hash_init(&h);
    hash_add(&h, bytes_str("quire memory"));
    hash_number(&h, created_us);
    hash_number(&h, row);
    hash_end(&h, &d);
    memcpy(uid, d.byte, UID);
}

static bool read_state(struct stmt *s, struct arena *keep,
                       struct memory_state *e)
{
    quire_bytes uid = stmt_column_bytes(s, 1);

    *e = (struct memory_state){
        .row = stmt_column_int(s, 0),
        .type = arena_dup(keep, stmt_column_bytes(s, 2)),
        .title = arena_dup(keep, stmt_column_bytes(s, 3)),
        .content = arena_dup(keep, stmt_column_bytes(s, 4)),
        .source = arena_dup(keep, stmt_column_bytes(s, 5)),
        .tags = arena_text(keep, stmt_column_bytes(s, 6)),
        .created_us = stmt_column_int(s, 7),
        .updated_us = stmt_column_int(s, 8),
        .from_us = stmt_column_int(s, 9),
        .to_us = stmt_column_int(s, 10),
        .session = arena_text(keep, stmt_column_bytes(s, 11)),
        .artifact_session = arena_text(keep, stmt_column_bytes(s, 12)),
        .artifact_path = arena_text(keep, stmt_column_bytes(s, 13)),
    };
    if (uid.len == UID)
        memcpy(e->uid, uid.data, UID);
    else
        derive_uid(e->created_us, e->row, e->uid);
    return e->type.data && e->title.data && e->content.data && e->source.data &&
           e->tags && e->session && e->artifact_session && e->artifact_path;
}

static void hash_part(struct hash *h, quire_bytes part)
{
    hash_number(h, (int64_t)part.len);
    hash_add(h, part);
}

/* Its text, without where it ends. */
static void hash_text(const struct memory_state *e, quire_digest *out)
{
    struct hash h;

    hash_init(&h);
    hash_part(&h, e->type);
    hash_part(&h, e->title);
    hash_part(&h, e->content);
    hash_part(&h, e->source);
    hash_part(&h, bytes_str(e->tags));
    hash_number(&h, e->created_us);
    hash_number(&h, e->updated_us);
    hash_number(&h, e->from_us);
    hash_end(&h, out);
}

/* ---- inventory ------------------------------------------------------------ */

/* An entry, and the sum of its relations, independent of their order. */
struct known {
    struct memory_state state; /* text is not kept */
    quire_digest text;
    uint64_t relations;
    bool local;
};

static uint64_t relation_number(const uint8_t target[UID], quire_bytes kind)
{
    quire_digest d;
    struct hash h;
    uint64_t v = 0;
    int i;

    hash_init(&h);
    hash_add(&h, bytes_of(target, UID));
    hash_add(&h, kind);
    hash_end(&h, &d);
    for (i = 0; i < 8; i++)
        v = v << 8 | d.byte[i];
    return v;
}

static quire_status read_entries(struct moving *m, struct map *rows,
                                 struct arena *keep, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    bool row = true;
    quire_status st = moving_use(m, MOVE_MEMORY, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, m->q->tenant);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        struct known *k = arena_alloc(keep, sizeof *k);
        const struct known_session *session;

        arena_reset(&tmp);
        if (!k || !read_state(s, &tmp, &k->state)) {
            st = err_memory(err);
            break;
        }
        hash_text(&k->state, &k->text);
        k->relations = 0;
        session = moving_session(m, k->state.session);
        k->local = !m->all_local &&
                   (session ? session->local
                            : map_get(&m->refused,
                                      bytes_str(k->state.session)) != NULL);
        if (!map_put(rows, bytes_of(&k->state.row, sizeof k->state.row),
                     (uint64_t)(uintptr_t)k, NULL))
            st = err_memory(err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

static struct known *known_of(const struct map *rows, int64_t row)
{
    uint64_t *at = map_get(rows, bytes_of(&row, sizeof row));

    return at ? (void *)(uintptr_t)*at : NULL;
}

static quire_status read_relations(struct moving *m, const struct map *rows,
                                   quire_error *err)
{
    struct stmt *s;
    bool row = true;
    quire_status st = moving_use(m, MOVE_RELATIONS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, m->q->tenant);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        struct known *source = known_of(rows, stmt_column_int(s, 0));
        struct known *target = known_of(rows, stmt_column_int(s, 1));

        if (source && target && !target->local)
            source->relations += relation_number(target->state.uid,
                                                 stmt_column_bytes(s, 2));
    }
    stmt_reset(s);
    return st;
}

static quire_status add_item(struct moving *m, const struct known *k,
                             quire_error *err)
{
    struct item item = {.kind = ITEM_MEMORY, .row = k->state.row};
    quire_digest digest;
    struct hash h;

    item.key = arena_dup(&m->keep, bytes_of(k->state.uid, UID));
    if (!item.key.data)
        return err_memory(err);
    hash_init(&h);
    hash_add(&h, bytes_of(&k->text, sizeof k->text));
    hash_number(&h, k->state.to_us);
    hash_number(&h, (int64_t)k->relations);
    hash_end(&h, &digest);
    memcpy(item.digest, digest.byte, sizeof item.digest);
    if (!map_put(&m->uids, item.key, (uint64_t)k->state.row, NULL))
        return err_memory(err);
    return k->local || inventory_add(&m->inv, &item) ? QUIRE_OK
                                                     : err_memory(err);
}

quire_status memory_inventory(struct moving *m, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct map rows;
    size_t i;
    quire_status st;

    map_init(&rows, (uintptr_t)m, (uintptr_t)&tmp);
    st = read_entries(m, &rows, &tmp, err);
    if (!st)
        st = read_relations(m, &rows, err);
    for (i = 0; i < rows.n_slots && !st; i++)
        if (rows.slots[i].key)
            st = add_item(m, (void *)(uintptr_t)rows.slots[i].value, err);
    map_release(&rows);
    arena_release(&tmp);
    return st;
}

/* ---- sending -------------------------------------------------------------- */

static quire_status find_entry(struct moving *m, int64_t row,
                               struct arena *keep, struct memory_state *e,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st = moving_use(m, MOVE_MEMORY_ONE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, m->q->tenant);
    stmt_bind_int(s, 2, row);
    st = sql_row(s, err);
    if (!st && !read_state(s, keep, e))
        st = err_memory(err);
    stmt_reset(s);
    return st;
}

static quire_status put_relations(struct moving *m, struct json_writer *w,
                                  const struct memory_state *e,
                                  quire_error *err)
{
    struct stmt *s;
    bool row = true;
    quire_status st = moving_use(m, MOVE_RELATIONS_FROM, &s, err);

    if (st)
        return st;
    json_key(w, "relations");
    json_array(w);
    stmt_bind_int(s, 1, m->q->tenant);
    stmt_bind_int(s, 2, e->row);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        quire_bytes uid = stmt_column_bytes(s, 1);
        uint8_t target[UID];

        if (uid.len == UID)
            memcpy(target, uid.data, UID);
        else
            derive_uid(stmt_column_int(s, 2), stmt_column_int(s, 0), target);
        if (!map_get(&m->uids, bytes_of(target, UID)))
            continue;
        json_object(w);
        put_hex(w, "target", target, UID);
        json_key(w, "kind");
        json_bytes(w, stmt_column_bytes(s, 3));
        json_put_int(w, "created", stmt_column_int(s, 4));
        json_object_end(w);
    }
    json_array_end(w);
    stmt_reset(s);
    return st;
}

static void put_state(struct json_writer *w, const struct memory_state *e)
{
    const struct {
        const char *key;
        quire_bytes text;
    } texts[] = {{"type", e->type},
                 {"title", e->title},
                 {"content", e->content},
                 {"source", e->source}};
    size_t i;

    json_put_str(w, "kind", "memory");
    put_hex(w, "uid", e->uid, UID);
    for (i = 0; i < 4; i++) {
        json_key(w, texts[i].key);
        json_bytes(w, texts[i].text);
    }
    json_put_str(w, "tags", e->tags);
    json_put_int(w, "created", e->created_us);
    json_put_int(w, "updated", e->updated_us);
    json_put_int(w, "valid_from", e->from_us);
    json_put_int(w, "valid_to", e->to_us);
    json_put_str(w, "session", e->session);
    json_put_str(w, "artifact_session", e->artifact_session);
    json_put_str(w, "artifact_path", e->artifact_path);
}

quire_status memory_send(struct moving *m, struct wire *w,
                         const struct item *item, quire_error *err)
{
    struct buf out = BUF_INIT(WIRE_MAX);
    struct arena tmp = ARENA_INIT;
    struct memory_state e;
    struct json_writer j;
    quire_status st = find_entry(m, item->row, &tmp, &e, err);

    if (!st) {
        json_begin(&j, &out);
        json_object(&j);
        put_state(&j, &e);
        st = put_relations(m, &j, &e, err);
        json_object_end(&j);
    }
    if (!st)
        st = buf_status(&out, "a memory entry", err);
    if (!st)
        st = wire_send(w, WIRE_RECORD, buf_bytes(&out), err);
    buf_release(&out);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- what arrives --------------------------------------------------------- */

static bool is_text(quire_bytes text, size_t max)
{
    return text.len <= max && utf8_check(text);
}

static quire_status read_record(quire_bytes json, struct arena *keep,
                                struct memory_state *e, quire_error *err)
{
    *e = (struct memory_state){0};
    if (field_hex(json, "uid", e->uid, UID) &&
        field_text(json, "type", keep, &e->type) &&
        memory_type_of(e->type) >= 0 &&
        field_text(json, "title", keep, &e->title) && e->title.len > 0 &&
        is_text(e->title, TITLE_MAX) &&
        field_text(json, "content", keep, &e->content) &&
        is_text(e->content, CONTENT_MAX) &&
        field_text(json, "source", keep, &e->source) &&
        is_text(e->source, TITLE_MAX) &&
        field_string(json, "tags", keep, &e->tags) &&
        json_check(bytes_str(e->tags), JSON_UTF8, NULL) &&
        json_kind(bytes_str(e->tags)) == JSON_ARRAY &&
        field_number(json, "created", &e->created_us) && e->created_us >= 0 &&
        field_number(json, "updated", &e->updated_us) && e->updated_us >= 0 &&
        field_number(json, "valid_from", &e->from_us) && e->from_us >= 0 &&
        field_number(json, "valid_to", &e->to_us) && e->to_us >= 0 &&
        field_string(json, "session", keep, &e->session) &&
        field_string(json, "artifact_session", keep, &e->artifact_session) &&
        field_string(json, "artifact_path", keep, &e->artifact_path))
        return QUIRE_OK;
    return bad_record("memory entry", err);
}

/* Keep its relations until all entries are here. */
static quire_status keep_relations(struct moving *m, quire_bytes json,
                                   const uint8_t source[UID], quire_error *err)
{
    quire_bytes list = json_get(json, "relations");
    struct json_scan it;

    if (json_kind(list) != JSON_ARRAY)
        return bad_record("memory entry", err);
    json_iter_init(&it, list);
    while (json_next(&it)) {
        struct pending_relation *r = arena_alloc(&m->keep, sizeof *r);

        if (!r)
            return err_memory(err);
        memcpy(r->source, source, UID);
        if (!field_hex(it.value, "target", r->target, UID) ||
            !field_string(it.value, "kind", &m->keep, &r->kind) ||
            relation_kind_of(bytes_str(r->kind)) < 0 ||
            !field_number(it.value, "created", &r->created_us))
            return bad_record("relation", err);
        r->next = m->relations;
        m->relations = r;
    }
    return it.error.why ? bad_record("relation", err) : QUIRE_OK;
}

static quire_status store_state(struct moving *m, const struct memory_state *e,
                                bool fresh, quire_error *err)
{
    struct stmt *s;
    quire_status st = moving_use(m,
                                 fresh ? MOVE_MEMORY_ADD : MOVE_MEMORY_CHANGE,
                                 &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, e->row);
    stmt_bind_int(s, 2, m->q->tenant);
    stmt_bind_text(s, 3, e->type);
    stmt_bind_text(s, 4, e->title);
    stmt_bind_text(s, 5, e->content);
    stmt_bind_text(s, 6, e->source);
    stmt_bind_text(s, 7, bytes_str(e->tags));
    stmt_bind_int(s, 8, e->created_us);
    stmt_bind_int(s, 9, e->updated_us);
    stmt_bind_int(s, 10, e->from_us);
    stmt_bind_int(s, 11, e->to_us);
    st = stmt_post(s, err);
    if (!st)
        st = moving_use(m, MOVE_MEMORY_SESSION, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, e->row);
    stmt_bind_int(s, 2, m->q->tenant);
    stmt_bind_text(s, 3, bytes_str(e->session));
    stmt_bind_text(s, 4, bytes_str(e->artifact_session));
    stmt_bind_text(s, 5, bytes_str(e->artifact_path));
    return stmt_post(s, err);
}

static quire_status add_entry(struct moving *m, struct memory_state *e,
                              quire_error *err)
{
    struct stmt *s;
    quire_bytes uid = arena_dup(&m->keep, bytes_of(e->uid, UID));
    quire_status st = uid.data ? moving_use(m, MOVE_MEMORY_ID, &s, err)
                               : err_memory(err);

    if (!st)
        st = sql_take_number(s, &e->row, err);
    if (!st)
        st = store_state(m, e, true, err);
    if (!st)
        st = moving_use(m, MOVE_MEMORY_UID, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, e->row);
    stmt_bind_int(s, 2, m->q->tenant);
    stmt_bind_bytes(s, 3, uid);
    st = stmt_post(s, err);
    return st || map_put(&m->uids, uid, (uint64_t)e->row, NULL)
               ? st
               : err_memory(err);
}

/* The first end of both. */
static int64_t first_end(int64_t a, int64_t b)
{
    return !a ? b : !b ? a : a < b ? a : b;
}

static quire_status merge_entry(struct moving *m, struct memory_state *there,
                                int64_t row, struct arena *keep, bool *changed,
                                quire_error *err)
{
    struct memory_state here;
    quire_digest x, y;
    int64_t end;
    bool newer;
    quire_status st = find_entry(m, row, keep, &here, err);

    if (st)
        return st;
    hash_text(there, &x);
    hash_text(&here, &y);
    newer = there->updated_us != here.updated_us
                ? there->updated_us > here.updated_us
                : memcmp(x.byte, y.byte, sizeof x.byte) > 0;
    end = first_end(there->to_us, here.to_us);
    *changed = newer || end != here.to_us;
    if (!*changed)
        return QUIRE_OK;
    if (!newer)
        *there = here;
    there->row = row;
    there->to_us = end;
    return store_state(m, there, false, err);
}

static quire_status apply_inside(struct moving *m, struct memory_state *there,
                                 struct arena *keep, bool *changed,
                                 bool *merged, quire_error *err)
{
    uint64_t *row = map_get(&m->uids, bytes_of(there->uid, UID));
    quire_status st = QUIRE_NOT_FOUND;

    *merged = row != NULL;
    if (row) /* NOT_FOUND: it was removed since */
        st = merge_entry(m, there, (int64_t)*row, keep, changed, err);
    if (!row) {
        *changed = true;
        st = add_entry(m, there, err);
    }
    if (st == QUIRE_NOT_FOUND) {
        *changed = false;
        return QUIRE_OK;
    }
    return st || !*changed
               ? st
               : change_log_add(&m->sql, MOVE_LOG_CHANGE, m->q->tenant,
                                CHANGE_MEMORY, there->row,
                                clock_us(&m->q->clock), err);
}

quire_status memory_apply(struct moving *m, quire_bytes record,
                          quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct memory_state there;
    bool changed = false, merged = false;
    quire_status st = read_record(record, &tmp, &there, err);

    if (!st)
        st = keep_relations(m, record, there.uid, err);
    if (!st)
        st = db_begin(m->sql.db, DB_DURABLE, m->q->tenant, err);
    if (!st) {
        st = apply_inside(m, &there, &tmp, &changed, &merged, err);
        st = sql_end(m->sql.db, st, err);
    }
    if (!st && changed) {
        m->result.received++;
        m->result.merged += merged;
    }
    arena_release(&tmp);
    return st;
}

quire_status memory_apply_relations(struct moving *m, quire_error *err)
{
    struct pending_relation *r = m->relations;
    quire_status st = QUIRE_OK;
    struct stmt *s;

    if (!r)
        return QUIRE_OK;
    st = db_begin(m->sql.db, DB_DURABLE, m->q->tenant, err);
    if (st)
        return st;
    for (; r && !st; r = r->next) {
        uint64_t *source = map_get(&m->uids, bytes_of(r->source, UID));
        uint64_t *target = map_get(&m->uids, bytes_of(r->target, UID));

        if (!source || !target || *source == *target)
            continue;
        st = moving_use(m, MOVE_RELATION_ADD, &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, m->q->tenant);
        stmt_bind_int(s, 2, (int64_t)*source);
        stmt_bind_int(s, 3, (int64_t)*target);
        stmt_bind_text(s, 4, bytes_str(r->kind));
        stmt_bind_int(s, 5, r->created_us);
        st = stmt_post(s, err);
    }
    m->relations = NULL;
    return sql_end(m->sql.db, st, err);
}
