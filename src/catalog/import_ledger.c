/* import_ledger.c - see import_ledger.h */
#include "catalog/import_ledger.h"

#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

/* ---- reading ------------------------------------------------------------ */

static quire_status read_row(struct stmt *s, struct arena *keep,
                             quire_import_file *f, quire_error *err)
{
    quire_bytes mark = arena_dup(keep, stmt_column_bytes(s, 9));

    *f = (quire_import_file){
        .path = arena_text(keep, stmt_column_bytes(s, 0)),
        .agent = arena_text(keep, stmt_column_bytes(s, 1)),
        .session = arena_text(keep, stmt_column_bytes(s, 2)),
        .is_main = stmt_column_int(s, 3) != 0,
        .cwd = arena_text(keep, stmt_column_bytes(s, 4)),
        .title = arena_text(keep, stmt_column_bytes(s, 5)),
        .inode = (uint64_t)stmt_column_int(s, 6),
        .bytes = (uint64_t)stmt_column_int(s, 7),
        .modified_ns = stmt_column_int(s, 8),
        .mark = mark,
        .version = (uint64_t)stmt_column_int(s, 10),
        .settled_bytes = (uint64_t)stmt_column_int(s, 11),
        .written_bytes = (uint64_t)stmt_column_int(s, 12),
        .entries = (uint64_t)stmt_column_int(s, 13),
        .settled_entries = (uint64_t)stmt_column_int(s, 14),
        .problems = (uint64_t)stmt_column_int(s, 15),
        .imported_us = stmt_column_int(s, 16),
    };
    if (!f->path || !f->agent || !f->session || !f->cwd || !f->title ||
        (mark.len > 0 && !mark.data))
        return err_memory(err);
    return QUIRE_OK;
}

quire_status import_find(struct catalog *c, int64_t tenant, const char *path,
                         struct arena *keep, quire_import_file *out,
                         quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_IMPORTS))
        return QUIRE_NOT_FOUND;
    st = use(c, SQL_IMPORT_FIND, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(path));
    st = sql_row(s, err);
    if (!st)
        st = read_row(s, keep, out, err);
    stmt_reset(s);
    return st;
}

quire_status import_list(struct catalog *c, int64_t tenant, const char *session,
                         quire_import_file_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_import_file f;
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_IMPORTS))
        return QUIRE_OK;
    st = use(c, session ? SQL_IMPORT_SESSION : SQL_IMPORT_LIST, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    if (session)
        stmt_bind_text(s, 2, bytes_str(session));
    while (!st && !(st = sql_row(s, err))) {
        arena_reset(&tmp);
        st = read_row(s, &tmp, &f, err);
        if (!st)
            st = each(ctx, &f, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status import_scan(struct catalog *c, int64_t tenant,
                         quire_import_scan_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_IMPORTS))
        return QUIRE_OK;
    st = use(c, SQL_IMPORT_SCAN, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    while (!st && !(st = sql_row(s, err))) {
        quire_import_row row = {
            .path = stmt_column_bytes(s, 0),
            .agent = stmt_column_bytes(s, 1),
            .session = stmt_column_bytes(s, 2),
            .cwd = stmt_column_bytes(s, 3),
            .inode = (uint64_t)stmt_column_int(s, 4),
            .bytes = (uint64_t)stmt_column_int(s, 5),
            .modified_ns = stmt_column_int(s, 6),
            .entries = (uint64_t)stmt_column_int(s, 7),
            .problems = (uint64_t)stmt_column_int(s, 8),
        };

        st = each(ctx, &row, err);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status import_state(struct catalog *c, int64_t tenant, const char *path,
                          struct arena *keep, quire_bytes *out,
                          quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *out = bytes_of(NULL, 0);
    if (!catalog_has(c, SCHEMA_IMPORTS))
        return QUIRE_NOT_FOUND;
    st = use(c, SQL_IMPORT_STATE, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(path));
    st = sql_row(s, err);
    if (!st) {
        *out = arena_dup(keep, stmt_column_bytes(s, 0));
        st = out->data ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st;
}

quire_status continuation_find(struct catalog *c, int64_t tenant,
                               const char *session, struct arena *keep,
                               const char **child, quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *child = NULL;
    if (!catalog_has(c, SCHEMA_CONTINUATIONS))
        return QUIRE_NOT_FOUND;
    st = use(c, SQL_CONTINUATION_FIND, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    st = sql_row(s, err);
    if (!st) {
        *child = arena_text(keep, stmt_column_bytes(s, 0));
        st = *child ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st;
}

static quire_status add_part(struct stmt *s, struct arena *keep,
                             struct import_part **list, size_t *n, size_t *cap,
                             quire_error *err)
{
    struct import_part *more;

    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 16;
        more = arena_array(keep, *cap, sizeof *more);
        if (!more)
            return err_memory(err);
        if (*n)
            memcpy(more, *list, *n * sizeof *more);
        *list = more;
    }
    more = &(*list)[(*n)++];
    more->at = (uint64_t)stmt_column_int(s, 0);
    more->size = (uint64_t)stmt_column_int(s, 1);
    more->form = (enum import_part_form)stmt_column_int(s, 3);
    if (sql_digest(s, 2, &more->digest) && more->form <= IMPORT_PART_TEXT)
        return QUIRE_OK;
    return err_set(err, QUIRE_DAMAGED, "a row of import_part is damaged");
}

quire_status import_parts(struct catalog *c, int64_t tenant, const char *path,
                          struct arena *keep, struct import_part **out,
                          size_t *n, quire_error *err)
{
    size_t cap = 0;
    struct stmt *s;
    quire_status st;

    *out = NULL;
    *n = 0;
    if (!catalog_has(c, SCHEMA_IMPORTS))
        return QUIRE_OK;
    st = use(c, SQL_IMPORT_PARTS, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(path));
    while (!st && !(st = sql_row(s, err)))
        st = add_part(s, keep, out, n, &cap, err);
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status import_digests(struct catalog *c, sql_digest_fn each, void *ctx,
                            quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_IMPORTS))
        return QUIRE_OK;
    st = use(c, SQL_IMPORT_DIGESTS, &s, err);
    return st ? st : sql_digests(s, each, ctx, err);
}

quire_status import_answer_owner(struct catalog *c, int64_t tenant,
                                 uint64_t answer, uint64_t *owner,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_ANSWERS))
        return QUIRE_NOT_FOUND;
    st = use(c, SQL_IMPORT_ANSWER, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_int(s, 2, (int64_t)answer);
    st = sql_row(s, err);
    if (!st)
        *owner = (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

/* ---- writing ------------------------------------------------------------ */

static quire_status put_row(struct catalog *c, int64_t tenant,
                            const quire_import_file *f, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_IMPORT_PUT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(f->path));
    stmt_bind_text(s, 3, bytes_str(f->agent));
    stmt_bind_text(s, 4, bytes_str(f->session));
    stmt_bind_int(s, 5, f->is_main);
    stmt_bind_text(s, 6, bytes_str(f->cwd));
    stmt_bind_text(s, 7, bytes_str(f->title));
    stmt_bind_int(s, 8, (int64_t)f->inode);
    stmt_bind_int(s, 9, (int64_t)f->bytes);
    stmt_bind_int(s, 10, f->modified_ns);
    stmt_bind_bytes(s, 11, f->mark);
    stmt_bind_int(s, 12, (int64_t)f->version);
    stmt_bind_int(s, 13, (int64_t)f->settled_bytes);
    stmt_bind_int(s, 14, (int64_t)f->written_bytes);
    stmt_bind_int(s, 15, (int64_t)f->entries);
    stmt_bind_int(s, 16, (int64_t)f->settled_entries);
    stmt_bind_int(s, 17, (int64_t)f->problems);
    stmt_bind_int(s, 18, f->imported_us);
    return stmt_post(s, err);
}

static quire_status put_state(struct catalog *c, int64_t tenant,
                              const struct import_update *u, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_IMPORT_PUT_STATE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(u->file->path));
    stmt_bind_bytes(s, 3, u->state);
    return stmt_post(s, err);
}

static quire_status put_parts(struct catalog *c, int64_t tenant,
                              const struct import_update *u, quire_error *err)
{
    quire_bytes path = bytes_str(u->file->path);
    struct stmt *s;
    size_t i;
    quire_status st = use(c, SQL_IMPORT_CUT_PARTS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, path);
    stmt_bind_int(s, 3, (int64_t)u->from);
    st = stmt_post(s, err);
    for (i = 0; i < u->n && !st; i++) {
        st = use(c, SQL_IMPORT_ADD_PART, &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, tenant);
        stmt_bind_text(s, 2, path);
        stmt_bind_int(s, 3, (int64_t)u->parts[i].at);
        stmt_bind_int(s, 4, (int64_t)u->parts[i].size);
        stmt_bind_bytes(s, 5, bytes_of(u->parts[i].digest.byte, 32));
        stmt_bind_int(s, 6, u->parts[i].form);
        st = stmt_post(s, err);
    }
    return st;
}

static quire_status put_answers(struct catalog *c, int64_t tenant,
                                const struct import_update *u, quire_error *err)
{
    struct stmt *s;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < u->n_answers && !st; i++) {
        st = use(c, SQL_IMPORT_ADD_ANSWER, &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, tenant);
        stmt_bind_int(s, 2, (int64_t)u->answers[i]);
        stmt_bind_int(s, 3, (int64_t)u->owner);
        st = stmt_post(s, err);
    }
    return st;
}

/* Let the next import find that files of the session have changed. */
static quire_status put_again(struct catalog *c, int64_t tenant,
                              const char *session, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_IMPORT_AGAIN, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    stmt_bind_bytes(s, 3, bytes_of("", 0));
    return stmt_post(s, err);
}

quire_status import_put_rows(struct catalog *c, int64_t tenant,
                             const struct import_update *u, quire_error *err)
{
    quire_status st = put_row(c, tenant, u->file, err);

    if (!st && u->state.data)
        st = put_state(c, tenant, u, err);
    if (!st && u->from != UINT64_MAX)
        st = put_parts(c, tenant, u, err);
    if (!st && u->again)
        st = put_again(c, tenant, u->file->session, err);
    return st ? st : put_answers(c, tenant, u, err);
}

quire_status import_store(struct catalog *c, int64_t tenant,
                          const struct import_update *u, quire_error *err)
{
    quire_status st = db_begin(c->db, DB_DURABLE, tenant, err);

    return st ? st : sql_end(c->db, import_put_rows(c, tenant, u, err), err);
}

quire_status import_writing(struct catalog *c, int64_t tenant, const char *path,
                            uint64_t settled, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_IMPORT_WRITING, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(path));
    stmt_bind_int(s, 3, (int64_t)settled);
    return sql_commit(c->db, DB_DURABLE, tenant, s, err);
}

quire_status continuation_put(struct catalog *c, int64_t tenant,
                              const char *session, const char *child,
                              quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_CONTINUATION_PUT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    stmt_bind_text(s, 3, bytes_str(child));
    return sql_commit(c->db, DB_DURABLE, tenant, s, err);
}

quire_status import_forget(struct catalog *c, int64_t tenant, const char *key,
                           int64_t removed_us, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_IMPORT_DROP, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    stmt_bind_int(s, 3, removed_us);
    return stmt_post(s, err);
}

quire_status import_move(struct catalog *c, int64_t tenant, const char *path,
                         const char *to, quire_error *err)
{
    static const enum catalog_sql steps[] = {SQL_IMPORT_COPY,
                                             SQL_IMPORT_MOVE_STATE,
                                             SQL_IMPORT_MOVE_PARTS,
                                             SQL_IMPORT_DROP_FILE};
    struct stmt *s;
    size_t i;
    quire_status st = db_begin(c->db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    for (i = 0; i < sizeof steps / sizeof *steps && !st; i++) {
        st = use(c, steps[i], &s, err);
        if (st)
            break;
        stmt_bind_int(s, 1, tenant);
        stmt_bind_text(s, 2, bytes_str(path));
        stmt_bind_text(s, 3, bytes_str(to));
        st = stmt_post(s, err);
    }
    return sql_end(c->db, st, err);
}

/* ---- sessions that were placed for agents --------------------------------- */

quire_status exported_find(struct catalog *c, int64_t tenant, const char *agent,
                           const char *id, struct arena *keep,
                           quire_import_export *out, quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!catalog_has(c, SCHEMA_EXPORTED))
        return QUIRE_NOT_FOUND;
    st = use(c, SQL_EXPORTED_FIND, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(agent));
    stmt_bind_text(s, 3, bytes_str(id));
    st = sql_row(s, err);
    if (!st) {
        *out = (quire_import_export){
            .agent = agent,
            .id = id,
            .session = arena_text(keep, stmt_column_bytes(s, 0)),
            .path = arena_text(keep, stmt_column_bytes(s, 1)),
            .inode = (uint64_t)stmt_column_int(s, 2),
            .bytes = (uint64_t)stmt_column_int(s, 3),
            .modified_ns = stmt_column_int(s, 4),
            .exported_us = stmt_column_int(s, 5),
        };
        st = out->session && out->path ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st;
}

quire_status exported_put(struct catalog *c, int64_t tenant,
                          const quire_import_export *e, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_EXPORTED_PUT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(e->agent));
    stmt_bind_text(s, 3, bytes_str(e->id));
    stmt_bind_text(s, 4, bytes_str(e->session));
    stmt_bind_text(s, 5, bytes_str(e->path));
    stmt_bind_int(s, 6, (int64_t)e->inode);
    stmt_bind_int(s, 7, (int64_t)e->bytes);
    stmt_bind_int(s, 8, e->modified_ns);
    stmt_bind_int(s, 9, e->exported_us);
    return sql_commit(c->db, DB_DURABLE, tenant, s, err);
}
