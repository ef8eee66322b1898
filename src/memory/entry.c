/*
 * entry.c - add, change, list and end entries
 *
 * Changing an entry also changes the full-text index, in the same transaction:
 * the words of the old row are removed and those of the new one added.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "memory/priv.h"

/* ---- open and transactions ---------------------------------------------- */

quire_status memories_new(struct db *db, const struct clock *clock,
                          struct memories **out, quire_error *err)
{
    struct memories *m = calloc(1, sizeof *m);
    quire_status st;

    *out = NULL;
    if (!m)
        return err_memory(err);
    m->db = db;
    m->clock = clock;
    st = sql_init(&m->sql, db, memory_sql, N_MEMORY_SQL, err);
    if (st)
        free(m);
    else
        *out = m;
    return st;
}

void memories_free(struct memories *m)
{
    if (!m)
        return;
    memory_fulltext_close(&m->words);
    sql_release(&m->sql);
    free(m);
}

quire_status memory_begin(struct memories *m, quire_error *err)
{
    return db_begin(m->db, DB_DURABLE, err);
}

quire_status memory_end(struct memories *m, quire_status st, quire_error *err)
{
    st = sql_end(m->db, st, err);
    /* An index created in the transaction was rolled back with it. */
    if (st)
        memory_fulltext_close(&m->words);
    return st;
}

/* ---- names -------------------------------------------------------------- */

static const char *const types[N_TYPES] = {
    [QUIRE_MEMORY_USER] = "user",
    [QUIRE_MEMORY_FEEDBACK] = "feedback",
    [QUIRE_MEMORY_PROJECT] = "project",
    [QUIRE_MEMORY_REFERENCE] = "reference",
    [QUIRE_MEMORY_LEARNING] = "learning",
    [QUIRE_MEMORY_CONTEXT] = "context",
};

const char *memory_type_name(int type)
{
    return type >= 0 && type < N_TYPES ? types[type] : NULL;
}

int memory_type_of(quire_bytes name)
{
    int i;

    for (i = 0; i < N_TYPES; i++) {
        if (bytes_is(name, types[i]))
            return i;
    }
    return -1;
}

/* ---- rows --------------------------------------------------------------- */

static quire_bytes bytes_at(struct stmt *s, int at, struct arena *keep)
{
    return arena_dup(keep, stmt_column_bytes(s, at));
}

static quire_status fail_type(struct stmt *s, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_DAMAGED,
                               "another program has written to quire.db",
                               "memory entry #%lld has an unknown type",
                               (long long)stmt_column_int(s, 0));
    return st;
}

static quire_status read_row(struct stmt *s, struct arena *keep,
                             quire_memory *out, quire_error *err)
{
    int type = memory_type_of(stmt_column_bytes(s, 1));

    if (type < 0)
        return fail_type(s, err);
    *out = (quire_memory){
        .id = stmt_column_int(s, 0),
        .type = (quire_memory_type)type,
        .title = bytes_at(s, 2, keep),
        .content = bytes_at(s, 3, keep),
        .source = bytes_at(s, 4, keep),
        .tags = arena_text(keep, stmt_column_bytes(s, 5)),
        .artifact = stmt_column_int(s, 6),
        .session_id = stmt_column_int(s, 7),
        .session = arena_text(keep, stmt_column_bytes(s, 8)),
        .created_us = stmt_column_int(s, 9),
        .updated_us = stmt_column_int(s, 10),
        .valid_from_us = stmt_column_int(s, 11),
        .valid_to_us = stmt_column_int(s, 12),
    };
    return out->title.data && out->content.data && out->source.data &&
                   out->tags && out->session
               ? QUIRE_OK
               : err_memory(err);
}

static quire_status get_by(struct memories *m, int which, int64_t tenant,
                           int64_t id, int64_t as_of_us, struct arena *keep,
                           quire_memory *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, tenant);
    if (which == SQL_GET_AS_OF)
        stmt_bind_int(s, 3, as_of_us);
    st = sql_row(s, err);
    if (!st)
        st = read_row(s, keep, out, err);
    stmt_reset(s);
    return st;
}

quire_status memory_get(struct memories *m, int64_t tenant, int64_t id,
                        int64_t as_of_us, struct arena *keep, quire_memory *out,
                        quire_error *err)
{
    return get_by(m, as_of_us ? SQL_GET_AS_OF : SQL_GET, tenant, id, as_of_us,
                  keep, out, err);
}

quire_status entry_any(struct memories *m, int64_t tenant, int64_t id,
                       struct arena *keep, quire_memory *out, quire_error *err)
{
    return get_by(m, SQL_GET_ANY, tenant, id, 0, keep, out, err);
}

/* ---- list --------------------------------------------------------------- */

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_tags(quire_bytes tag, quire_bytes wanted)
{
    const char *a = tag.data, *b = wanted.data;
    size_t i;

    for (i = 0; tag.len == wanted.len && i < tag.len; i++) {
        if (to_lower(a[i]) != to_lower(b[i]))
            return false;
    }
    return tag.len == wanted.len;
}

bool entry_has_tag(quire_bytes tags, const char *tag, struct arena *tmp)
{
    struct json_scan it;
    bool has = false;

    json_iter_init(&it, tags);
    while (!has && json_next(&it))
        has = equal_tags(json_text(it.value, tmp), bytes_str(tag));
    return has;
}

static bool is_wanted(const struct memory_range *r, struct stmt *s,
                      struct arena *tmp)
{
    int type = r->types ? memory_type_of(stmt_column_bytes(s, 1)) : 0;

    return (!r->types || (type >= 0 && (r->types & 1u << type))) &&
           (!r->tag || entry_has_tag(stmt_column_bytes(s, 5), r->tag, tmp));
}

/* Emit the rows of a bound statement, at most `left` of those selected; without
 * a range all of them. */
static quire_status emit_rows(struct stmt *s, const struct memory_range *r,
                              uint64_t left, quire_memory_fn each, void *ctx,
                              quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    quire_memory one;

    while (!st && left > 0) {
        bool row;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        arena_reset(&tmp);
        if (r && !is_wanted(r, s, &tmp))
            continue;
        st = read_row(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
        left--;
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

quire_status memory_list(struct memories *m, const struct memory_range *r,
                         quire_memory_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, r->as_of_us ? SQL_LIST_AS_OF : SQL_LIST,
                              &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->tenant);
    stmt_bind_int(s, 2, r->before_us ? r->before_us : INT64_MAX);
    stmt_bind_int(s, 3, r->before_us ? r->before_id : INT64_MAX);
    stmt_bind_int(s, 4, r->since_us);
    stmt_bind_int(s, 5, r->in_session);
    stmt_bind_int(s, 6, r->session);
    if (r->as_of_us)
        stmt_bind_int(s, 7, r->as_of_us);
    return emit_rows(s, r, r->limit ? r->limit : UINT64_MAX, each, ctx, err);
}

quire_status entry_each(struct memories *m, int64_t tenant,
                        quire_memory_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_EACH, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    return emit_rows(s, NULL, UINT64_MAX, each, ctx, err);
}

/* ---- add, edit ---------------------------------------------------------- */

/* The tags as a JSON array, in `keep`. */
static const char *format_tags(const quire_bytes *tags, size_t n,
                               struct arena *keep)
{
    struct buf out = BUF_INIT(64 * 1024);
    struct json_writer w;
    const char *text;
    size_t i;

    json_begin(&w, &out);
    json_array(&w);
    for (i = 0; i < n; i++)
        json_bytes(&w, tags[i]);
    json_array_end(&w);
    text = out.failed ? NULL : arena_text(keep, buf_bytes(&out));
    buf_release(&out);
    return text;
}

quire_status memory_may_link(struct memories *m,
                             const struct memory_owner *owner, int64_t artifact,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql,
                              owner->session ? SQL_LINKABLE_IN : SQL_LINKABLE,
                              &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, artifact);
    stmt_bind_int(s, 2, owner->tenant);
    if (owner->session)
        stmt_bind_int(s, 3, owner->session);
    st = sql_row(s, err);
    stmt_reset(s);
    if (st != QUIRE_NOT_FOUND)
        return st;
    err_fail(err, st,
             "a session links its own artifacts, and those that a memory "
             "entry links already",
             "no artifact #%lld", (long long)artifact);
    return st;
}

static void bind_text(struct stmt *s, int at, const quire_memory *one)
{
    stmt_bind_text(s, at, bytes_str(types[one->type]));
    stmt_bind_text(s, at + 1, one->title);
    stmt_bind_text(s, at + 2, one->content);
    stmt_bind_text(s, at + 3, one->source);
    stmt_bind_text(s, at + 4, bytes_str(one->tags));
}

static quire_status insert_entry(struct memories *m,
                                 const struct memory_owner *owner,
                                 quire_memory *now, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, owner->tenant);
    stmt_bind_int(s, 2, owner->session);
    stmt_bind_int(s, 3, now->artifact);
    bind_text(s, 4, now);
    stmt_bind_int(s, 9, now->created_us);
    st = sql_run(s, err);
    now->id = db_last_id(m->db);
    return st;
}

static bool is_named_before(const int64_t *ids, size_t at)
{
    size_t i;

    for (i = 0; i < at && ids[i] != ids[at]; i++)
        ;
    return i < at;
}

/* A valid entry that can end at that time. A time just before its beginning
 * becomes the beginning: times are printed to the millisecond, and a printed
 * one must not be before itself. */
static quire_status find_to_end(struct memories *m, int64_t tenant, int64_t id,
                                int64_t *when_us, struct arena *keep,
                                quire_memory *out, quire_error *err)
{
    quire_status st = memory_get(m, tenant, id, 0, keep, out, err);

    if (!st && *when_us / 1000 == out->valid_from_us / 1000 &&
        *when_us < out->valid_from_us)
        *when_us = out->valid_from_us;
    if (!st && *when_us && *when_us < out->valid_from_us) {
        st = err_fail(err, QUIRE_INVALID,
                      "give a later time, or leave it out for now",
                      "memory entry #%lld became true after that time",
                      (long long)id);
    }
    return st;
}

/* Whether all can be superseded. Checked before anything is changed, so that a
 * refusal changes nothing. */
static quire_status check_superseded(struct memories *m, int64_t tenant,
                                     const quire_memory_options *o,
                                     int64_t when_us, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_memory one;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < o->n_supersedes && !st; i++) {
        int64_t end_us = when_us;

        st = find_to_end(m, tenant, o->supersedes[i], &end_us, &tmp, &one, err);
        if (st != QUIRE_NOT_FOUND)
            continue;
        err_fail(err, st, HINT_SHELL "`quire memory ls` lists those there are",
                 "there is no valid memory entry #%lld to supersede",
                 (long long)o->supersedes[i]);
    }
    arena_release(&tmp);
    return st;
}

static quire_status supersede_entry(struct memories *m, int64_t tenant,
                                    const quire_memory *by, int64_t id,
                                    quire_error *err)
{
    quire_relation want = {
        .source = by->id,
        .target = id,
        .kind = QUIRE_SUPERSEDES,
    };
    quire_relation ignored;
    /* First, since it requires both ends to be valid. */
    quire_status st = relation_add(m, tenant, &want, &ignored, err);

    return st ? st : memory_invalidate(m, tenant, id, by->valid_from_us, err);
}

quire_status memory_add(struct memories *m, const struct memory_owner *owner,
                        const quire_memory_options *o, struct arena *keep,
                        quire_memory *out, quire_error *err)
{
    quire_memory now = {
        .type = o->type,
        .title = o->title,
        .content = o->content,
        .source = o->source,
        .tags = format_tags(o->tags, o->n_tags, keep),
        .artifact = o->artifact,
        .created_us = o->created_us ? o->created_us : clock_us(m->clock),
    };
    quire_status st = now.tags ? QUIRE_OK : err_memory(err);
    size_t i;

    now.valid_from_us = now.created_us;
    if (!st && o->artifact)
        st = memory_may_link(m, owner, o->artifact, err);
    if (!st)
        st = check_superseded(m, owner->tenant, o, now.valid_from_us, err);
    if (!st)
        st = memory_fulltext_open(m, owner->tenant, true, err);
    if (!st)
        st = insert_entry(m, owner, &now, err);
    if (!st)
        st = memory_fulltext_add(m, &now, err);
    for (i = 0; i < o->n_supersedes && !st; i++) {
        if (!is_named_before(o->supersedes, i))
            st = supersede_entry(m, owner->tenant, &now, o->supersedes[i], err);
    }
    return st ? st : memory_get(m, owner->tenant, now.id, 0, keep, out, err);
}

/* Given fields replace the old ones. */
static quire_status merge_fields(quire_memory *now,
                                 const quire_memory_options *o,
                                 struct arena *keep, quire_error *err)
{
    if (o->set_type)
        now->type = o->type;
    if (o->title.data)
        now->title = o->title;
    if (o->content.data)
        now->content = o->content;
    if (o->source.data)
        now->source = o->source;
    if (o->tags)
        now->tags = format_tags(o->tags, o->n_tags, keep);
    return now->tags ? QUIRE_OK : err_memory(err);
}

/* `link` as in SQL_CHANGE. */
static quire_status change_entry(struct memories *m, const quire_memory *now,
                                 int64_t link, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_CHANGE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, now->id);
    stmt_bind_int(s, 2, clock_us(m->clock));
    stmt_bind_int(s, 3, link);
    bind_text(s, 4, now);
    return sql_run(s, err);
}

quire_status memory_edit(struct memories *m, const struct memory_owner *owner,
                         int64_t id, const quire_memory_options *o,
                         struct arena *keep, quire_memory *out,
                         quire_error *err)
{
    int64_t link = o->artifact == 0 ? -1 : o->artifact < 0 ? 0 : o->artifact;
    quire_status st = memory_get(m, owner->tenant, id, 0, keep, out, err);

    if (!st && link > 0)
        st = memory_may_link(m, owner, link, err);
    if (!st)
        st = memory_fulltext_open(m, owner->tenant, true, err);
    if (!st)
        st = memory_fulltext_remove(m, out, err);
    if (!st)
        st = merge_fields(out, o, keep, err);
    if (!st)
        st = change_entry(m, out, link, err);
    if (!st)
        st = memory_fulltext_add(m, out, err);
    return st ? st : memory_get(m, owner->tenant, id, 0, keep, out, err);
}

/* ---- invalidate, remove ------------------------------------------------- */

quire_status memory_invalidate(struct memories *m, int64_t tenant, int64_t id,
                               int64_t when_us, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_memory one;
    struct stmt *s;
    quire_status st = find_to_end(m, tenant, id, &when_us, &tmp, &one, err);

    if (!st)
        st = memory_fulltext_open(m, tenant, true, err);
    if (!st)
        st = memory_fulltext_remove(m, &one, err);
    if (!st)
        st = sql_use(&m->sql, SQL_END, &s, err);
    if (!st) {
        one.valid_to_us = when_us ? when_us : clock_us(m->clock);
        stmt_bind_int(s, 1, id);
        stmt_bind_int(s, 2, one.valid_to_us);
        st = sql_run(s, err);
    }
    if (!st)
        st = memory_fulltext_add(m, &one, err);
    arena_release(&tmp);
    return st;
}

quire_status memory_remove(struct memories *m, int64_t tenant, int64_t id,
                           quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_memory one;
    struct stmt *s;
    quire_status st = entry_any(m, tenant, id, &tmp, &one, err);

    if (!st)
        st = memory_fulltext_open(m, tenant, true, err);
    if (!st)
        st = memory_fulltext_remove(m, &one, err);
    if (!st)
        st = sql_use(&m->sql, SQL_REMOVE, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, id);
        st = sql_run(s, err);
    }
    arena_release(&tmp);
    return st;
}
