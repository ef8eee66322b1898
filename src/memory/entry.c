/*
 * entry.c - add, change and end entries
 *
 * Changing an entry also changes the full-text index, in the same transaction:
 * the words of the old row are removed and those of the new one added.
 */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "catalog/change_log.h"
#include "memory/priv.h"

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
    stmt_bind_text(s, at, bytes_str(memory_type_name((int)one->type)));
    stmt_bind_text(s, at + 1, one->title);
    stmt_bind_text(s, at + 2, one->content);
    stmt_bind_text(s, at + 3, one->source);
    stmt_bind_text(s, at + 4, bytes_str(one->tags));
}

/* Record the link; 0 forgets it, less leaves it. */
static quire_status record_link(struct memories *m, int64_t tenant, int64_t id,
                                int64_t link, quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (link < 0)
        return QUIRE_OK;
    st = sql_use(&m->sql, link ? SQL_LINK_SET : SQL_LINK_DROP, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, id);
    stmt_bind_int(s, 2, tenant);
    if (link)
        stmt_bind_int(s, 3, link);
    return stmt_post(s, err);
}

quire_status memory_id_ask(struct memories *m, struct stmt **next_id,
                           quire_error *err)
{
    quire_status st = sql_use(&m->sql, SQL_NEXT_ID, next_id, err);

    if (!st)
        stmt_ask(*next_id);
    return st;
}

/* Its id is taken. */
static quire_status insert_entry(struct memories *m,
                                 const struct memory_owner *owner,
                                 const quire_memory *now, quire_error *err)
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
    stmt_bind_int(s, 10, now->id);
    st = stmt_post(s, err);
    return !st && now->artifact
               ? record_link(m, owner->tenant, now->id, now->artifact, err)
               : st;
}

static quire_status log_change(struct memories *m, int64_t tenant, int64_t id,
                               quire_error *err)
{
    return change_log_add(&m->sql, SQL_LOG_CHANGE, tenant, CHANGE_MEMORY, id,
                          clock_us(m->clock), err);
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
        err_fail(err, st, HINT_SHELL "`quire memory ls` lists valid entries",
                 "no valid memory entry #%lld to supersede",
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

/* A copy of what was added, in `keep`. */
static quire_status copy_entry(const quire_memory *now,
                               const struct memory_owner *owner,
                               struct arena *keep, quire_memory *out,
                               quire_error *err)
{
    *out = *now;
    out->title = arena_dup(keep, now->title);
    out->content = arena_dup(keep, now->content);
    out->source = arena_dup(keep, now->source);
    out->session = arena_text(keep, bytes_str(owner->key ? owner->key : ""));
    out->session_id = owner->session;
    out->updated_us = now->created_us;
    return out->title.data && out->content.data && out->source.data &&
                   out->session
               ? QUIRE_OK
               : err_memory(err);
}

quire_status memory_add(struct memories *m, const struct memory_owner *owner,
                        struct stmt *next_id, const quire_memory_options *o,
                        struct arena *keep, quire_memory *out, quire_error *err)
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
    quire_status st = now.tags ? sql_take_number(next_id, &now.id, err)
                               : err_memory(err);
    size_t i;

    now.valid_from_us = now.created_us;
    if (!st && o->artifact)
        st = memory_may_link(m, owner, o->artifact, err);
    if (!st)
        st = check_superseded(m, owner->tenant, o, now.valid_from_us, err);
    if (!st)
        st = insert_entry(m, owner, &now, err);
    if (!st)
        st = log_change(m, owner->tenant, now.id, err);
    for (i = 0; i < o->n_supersedes && !st; i++) {
        if (!is_named_before(o->supersedes, i))
            st = supersede_entry(m, owner->tenant, &now, o->supersedes[i], err);
    }
    return st ? st : copy_entry(&now, owner, keep, out, err);
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
static quire_status change_entry(struct memories *m, int64_t tenant,
                                 const quire_memory *now, int64_t link,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&m->sql, SQL_CHANGE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, now->id);
    stmt_bind_int(s, 2, clock_us(m->clock));
    stmt_bind_int(s, 3, link);
    bind_text(s, 4, now);
    stmt_bind_int(s, 9, tenant);
    return stmt_post(s, err);
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
        st = merge_fields(out, o, keep, err);
    if (!st)
        st = change_entry(m, owner->tenant, out, link, err);
    if (!st)
        st = record_link(m, owner->tenant, id, link, err);
    if (!st)
        st = log_change(m, owner->tenant, id, err);
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
        st = sql_use(&m->sql, SQL_END, &s, err);
    if (!st) {
        one.valid_to_us = when_us ? when_us : clock_us(m->clock);
        stmt_bind_int(s, 1, id);
        stmt_bind_int(s, 2, one.valid_to_us);
        stmt_bind_int(s, 3, tenant);
        st = stmt_post(s, err);
    }
    if (!st)
        st = log_change(m, tenant, id, err);
    arena_release(&tmp);
    return st;
}

quire_status memory_remove(struct memories *m, int64_t tenant, int64_t id,
                           quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_memory one;
    struct stmt *s;
    quire_status st = memory_any(m, tenant, id, &tmp, &one, err);

    if (!st)
        st = log_change(m, tenant, id, err);
    if (!st)
        st = sql_use(&m->sql, SQL_REMOVE, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, id);
        stmt_bind_int(s, 2, tenant);
        st = stmt_post(s, err);
    }
    arena_release(&tmp);
    return st;
}
