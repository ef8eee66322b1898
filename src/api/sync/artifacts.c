/*
 * artifacts.c - artifacts of a sync
 *
 * An artifact is known by its session and path. Its state (content, description,
 * whether it is soft-deleted) is that of the home in which it changed last. Versions
 * are a set: what one home lacks is added behind its own, so that numbers that were
 * given stay; the current version gets a number again if it would not be the last.
 * Homes compare the newest VERSIONS of an artifact: older ones expire, in each home
 * by its own settings.
 */
#include <stdlib.h>
#include <string.h>

#include "api/sync/home.h"
#include "artifact/path.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "catalog/change_log.h"

enum { VERSIONS = 8, VERSIONS_SENT = 64 };

struct version {
    int64_t number; /* 0: of another home */
    uint8_t sha[32];
    int64_t size, created_us;
    const char *mime;
};

/* An artifact, here or in a record. Text is in an arena. */
struct artifact_state {
    int64_t row, session, version; /* 0: not here */
    const char *key, *path, *mime, *purpose, *source, *agent, *tags, *meta;
    uint8_t sha[32];
    int64_t size, created_us, updated_us, deleted_us;
    struct version *versions; /* by time */
    size_t n;
};

/* ---- rows ----------------------------------------------------------------- */

static bool read_state(struct stmt *s, struct arena *keep,
                       struct artifact_state *a)
{
    const char **texts[] = {&a->key,    &a->path,  &a->mime, &a->purpose,
                            &a->source, &a->agent, &a->tags, &a->meta};
    static const int columns[] = {1, 2, 6, 7, 8, 9, 10, 11};
    quire_bytes sha = stmt_column_bytes(s, 4);
    size_t i;

    *a = (struct artifact_state){
        .row = stmt_column_int(s, 0),
        .version = stmt_column_int(s, 3),
        .size = stmt_column_int(s, 5),
        .created_us = stmt_column_int(s, 12),
        .updated_us = stmt_column_int(s, 13),
        .deleted_us = stmt_column_int(s, 14),
        .session = stmt_column_int(s, 15),
    };
    if (sha.len == sizeof a->sha)
        memcpy(a->sha, sha.data, sha.len);
    for (i = 0; i < sizeof columns / sizeof *columns; i++) {
        *texts[i] = arena_text(keep, stmt_column_bytes(s, columns[i]));
        if (!*texts[i])
            return false;
    }
    return true;
}

/* Versions in order of time, the newest last; what one home has twice counts once. */
static quire_status read_versions(struct moving *m, struct artifact_state *a,
                                  struct arena *keep, quire_error *err)
{
    struct stmt *s;
    bool row = true;
    size_t cap = 0;
    quire_status st = moving_use(m, MOVE_VERSIONS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, a->row);
    stmt_bind_int(s, 2, m->q->tenant);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        quire_bytes sha = stmt_column_bytes(s, 1);
        struct version v = {.number = stmt_column_int(s, 0),
                            .size = stmt_column_int(s, 2),
                            .created_us = stmt_column_int(s, 4)};
        struct version *last = a->n ? &a->versions[a->n - 1] : NULL;

        if (sha.len != sizeof v.sha)
            continue;
        memcpy(v.sha, sha.data, sha.len);
        if (last && last->created_us == v.created_us &&
            !memcmp(last->sha, v.sha, sizeof v.sha)) {
            if (v.number > last->number)
                last->number = v.number;
            continue;
        }
        if (a->n == cap) {
            struct version *more = arena_array(keep, cap * 2 + 8, sizeof *more);

            if (!more) {
                st = err_memory(err);
                break;
            }
            if (a->n)
                memcpy(more, a->versions, a->n * sizeof *more);
            a->versions = more;
            cap = cap * 2 + 8;
        }
        v.mime = arena_text(keep, stmt_column_bytes(s, 3));
        a->versions[a->n++] = v;
        if (!v.mime)
            st = err_memory(err);
    }
    stmt_reset(s);
    return st;
}

/* When its state was set. */
static int64_t state_time(const struct artifact_state *a)
{
    return a->deleted_us > a->updated_us ? a->deleted_us : a->updated_us;
}

static void hash_number(struct hash *h, int64_t v)
{
    uint8_t byte[8];
    int i;

    for (i = 0; i < 8; i++)
        byte[i] = (uint8_t)((uint64_t)v >> 8 * i);
    hash_add(h, bytes_of(byte, sizeof byte));
}

static void hash_text(struct hash *h, const char *text)
{
    hash_add(h, bytes_of(text, strlen(text) + 1));
}

static void hash_state(const struct artifact_state *a, quire_digest *out)
{
    struct hash h;

    hash_init(&h);
    hash_number(&h, a->updated_us);
    hash_number(&h, a->deleted_us);
    hash_add(&h, bytes_of(a->sha, sizeof a->sha));
    hash_text(&h, a->mime);
    hash_text(&h, a->purpose);
    hash_text(&h, a->source);
    hash_text(&h, a->agent);
    hash_text(&h, a->tags);
    hash_text(&h, a->meta);
    hash_end(&h, out);
}

static void hash_artifact(const struct artifact_state *a, quire_digest *out)
{
    size_t i = a->n > VERSIONS ? a->n - VERSIONS : 0;
    quire_digest state;
    struct hash h;

    hash_state(a, &state);
    hash_init(&h);
    hash_add(&h, bytes_of(&state, sizeof state));
    for (; i < a->n; i++) {
        hash_number(&h, a->versions[i].created_us);
        hash_add(&h, bytes_of(a->versions[i].sha, sizeof a->versions[i].sha));
    }
    hash_end(&h, out);
}

/* ---- inventory ------------------------------------------------------------ */

static bool stays_here(const struct moving *m, const char *key)
{
    const struct known_session *k = moving_session(m, key);

    if (m->all_local)
        return false;
    return k ? k->local : map_get(&m->refused, bytes_str(key)) != NULL;
}

static quire_status
add_artifact(struct moving *m, const struct artifact_state *a, quire_error *err)
{
    struct item item = {.kind = ITEM_ARTIFACT, .row = a->row};
    const char *key = arena_printf(&m->keep, "%s\n%s", a->key, a->path);
    quire_digest digest;

    if (!key)
        return err_memory(err);
    hash_artifact(a, &digest);
    item.key = bytes_str(key);
    memcpy(item.digest, digest.byte, sizeof item.digest);
    return inventory_add(&m->inv, &item) ? QUIRE_OK : err_memory(err);
}

quire_status artifacts_inventory(struct moving *m, quire_error *err)
{
    struct arena all = ARENA_INIT, tmp = ARENA_INIT;
    struct artifact_state *list = NULL, *more;
    size_t n = 0, cap = 0, i;
    struct stmt *s;
    bool row = true;
    quire_status st = moving_use(m, MOVE_ARTIFACTS, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, m->q->tenant);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        if (n == cap) {
            cap = cap ? 2 * cap : 256;
            more = arena_array(&all, cap, sizeof *more);
            if (!more) {
                st = err_memory(err);
                break;
            }
            if (n)
                memcpy(more, list, n * sizeof *more);
            list = more;
        }
        if (!read_state(s, &all, &list[n]))
            st = err_memory(err);
        else if (stays_here(m, list[n].key) ||
                 (n && !strcmp(list[n - 1].key, list[n].key) &&
                  !strcmp(list[n - 1].path, list[n].path)))
            continue; /* an older one that was deleted */
        n++;
    }
    stmt_reset(s);
    for (i = 0; i < n && !st; i++) {
        arena_reset(&tmp);
        st = read_versions(m, &list[i], &tmp, err);
        if (!st)
            st = add_artifact(m, &list[i], err);
    }
    arena_release(&all);
    arena_release(&tmp);
    return st;
}

/* ---- sending -------------------------------------------------------------- */

static quire_status find_artifact(struct moving *m, const char *key,
                                  const char *path, struct arena *keep,
                                  struct artifact_state *a, quire_error *err)
{
    struct stmt *s;
    quire_status st = moving_use(m, MOVE_ARTIFACT_FIND, &s, err);

    *a = (struct artifact_state){0};
    if (st)
        return st;
    stmt_bind_int(s, 1, m->q->tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    stmt_bind_text(s, 3, bytes_str(path));
    st = sql_row(s, err);
    if (!st && !read_state(s, keep, a))
        st = err_memory(err);
    stmt_reset(s);
    return st ? st : read_versions(m, a, keep, err);
}

static quire_status find_item(struct moving *m, const struct item *item,
                              struct arena *keep, struct artifact_state *a,
                              quire_error *err)
{
    quire_bytes key, path;
    const char *k, *p;

    if (!key_split(item->key, &key, &path))
        return bad_record("artifact", err);
    k = arena_text(keep, key);
    p = arena_text(keep, path);
    return k && p ? find_artifact(m, k, p, keep, a, err) : err_memory(err);
}

static size_t first_sent(const struct artifact_state *a)
{
    return a->n > VERSIONS_SENT ? a->n - VERSIONS_SENT : 0;
}

quire_status artifact_blobs(struct moving *m, const struct item *item,
                            sql_digest_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct artifact_state a;
    quire_digest d;
    size_t i;
    quire_status st = find_item(m, item, &tmp, &a, err);

    for (i = st ? 0 : first_sent(&a); !st && i < a.n; i++) {
        memcpy(d.byte, a.versions[i].sha, sizeof d.byte);
        st = each(ctx, &d, err);
    }
    if (!st) {
        memcpy(d.byte, a.sha, sizeof d.byte);
        st = each(ctx, &d, err);
    }
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static void put_artifact(struct json_writer *w, const struct artifact_state *a)
{
    size_t i;

    json_object(w);
    json_put_str(w, "kind", "artifact");
    json_put_str(w, "session", a->key);
    json_put_str(w, "path", a->path);
    json_put_str(w, "mime", a->mime);
    json_put_str(w, "purpose", a->purpose);
    json_put_str(w, "source", a->source);
    json_put_str(w, "agent", a->agent);
    json_put_str(w, "tags", a->tags);
    json_put_str(w, "meta", a->meta);
    put_hex(w, "sha256", a->sha, sizeof a->sha);
    json_put_int(w, "size", a->size);
    json_put_int(w, "created", a->created_us);
    json_put_int(w, "updated", a->updated_us);
    json_put_int(w, "deleted", a->deleted_us);
    json_key(w, "versions");
    json_array(w);
    for (i = first_sent(a); i < a->n; i++) {
        json_object(w);
        put_hex(w, "sha256", a->versions[i].sha, sizeof a->versions[i].sha);
        json_put_int(w, "size", a->versions[i].size);
        json_put_str(w, "mime", a->versions[i].mime);
        json_put_int(w, "created", a->versions[i].created_us);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

quire_status artifact_send(struct moving *m, struct wire *w,
                           const struct item *item, quire_error *err)
{
    struct buf out = BUF_INIT(WIRE_MAX);
    struct arena tmp = ARENA_INIT;
    struct artifact_state a;
    struct json_writer j;
    quire_status st = find_item(m, item, &tmp, &a, err);

    if (!st) {
        json_begin(&j, &out);
        put_artifact(&j, &a);
        st = buf_status(&out, "an artifact", err);
    }
    if (!st)
        st = wire_send(w, WIRE_RECORD, buf_bytes(&out), err);
    buf_release(&out);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- what arrives --------------------------------------------------------- */

static bool read_version(quire_bytes json, struct arena *keep,
                         struct version *v)
{
    *v = (struct version){0};
    return field_hex(json, "sha256", v->sha, sizeof v->sha) &&
           field_number(json, "size", &v->size) && v->size >= 0 &&
           field_number(json, "created", &v->created_us) &&
           v->created_us >= 0 && field_string(json, "mime", keep, &v->mime);
}

/* A path that this home would give itself. */
static bool is_path(const char *path)
{
    char clean[PATH_BYTES_MAX + 1];

    return path_clean(bytes_str(path), clean, NULL) == PATH_FINE &&
           !strcmp(clean, path);
}

static quire_status read_record(quire_bytes json, struct arena *keep,
                                struct artifact_state *a, quire_error *err)
{
    struct json_scan it;
    quire_bytes list = json_get(json, "versions");

    *a = (struct artifact_state){0};
    if (!field_string(json, "session", keep, &a->key) ||
        !moving_is_id(bytes_str(a->key)) || !strncmp(a->key, "trash:", 6) ||
        !field_string(json, "path", keep, &a->path) || !is_path(a->path) ||
        !field_string(json, "mime", keep, &a->mime) ||
        !field_string(json, "purpose", keep, &a->purpose) ||
        !field_string(json, "source", keep, &a->source) ||
        !field_string(json, "agent", keep, &a->agent) ||
        !field_string(json, "tags", keep, &a->tags) ||
        !json_check(bytes_str(a->tags), 0, NULL) ||
        !field_string(json, "meta", keep, &a->meta) ||
        !json_check(bytes_str(a->meta), 0, NULL) ||
        !field_hex(json, "sha256", a->sha, sizeof a->sha) ||
        !field_number(json, "size", &a->size) || a->size < 0 ||
        !field_number(json, "created", &a->created_us) ||
        !field_number(json, "updated", &a->updated_us) ||
        !field_number(json, "deleted", &a->deleted_us) || a->created_us < 0 ||
        a->updated_us < 0 || a->deleted_us < 0 || json_kind(list) != JSON_ARRAY)
        return bad_record("artifact", err);
    a->versions = arena_array(keep, VERSIONS_SENT, sizeof *a->versions);
    if (!a->versions)
        return err_memory(err);
    json_iter_init(&it, list);
    while (json_next(&it))
        if (a->n == VERSIONS_SENT ||
            !read_version(it.value, keep, &a->versions[a->n++]))
            return bad_record("artifact", err);
    return it.error.why ? bad_record("artifact", err) : QUIRE_OK;
}

/* Whether the blob is here, with the size that the record has. */
static quire_status check_blob(struct moving *m, const uint8_t sha[32],
                               int64_t size, quire_error *err)
{
    struct blob_view v;
    quire_blob_info info;
    quire_digest d;
    quire_status st = need_own_blobs(m->q, true, &v, err);

    memcpy(d.byte, sha, sizeof d.byte);
    if (!st)
        st = blob_stat(v, &d, &info, err);
    if (st == QUIRE_NOT_FOUND || (!st && info.size != (uint64_t)size))
        return err_set(err, QUIRE_INVALID,
                       "the other side sent an artifact without its content");
    return st;
}

static quire_status add_version(struct moving *m,
                                const struct artifact_state *a, int64_t number,
                                const struct version *v, quire_error *err)
{
    struct stmt *s;
    quire_status st = moving_use(m, MOVE_VERSION_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, a->row);
    stmt_bind_int(s, 2, number);
    stmt_bind_int(s, 3, m->q->tenant);
    stmt_bind_bytes(s, 4, bytes_of(v->sha, sizeof v->sha));
    stmt_bind_int(s, 5, v->size);
    stmt_bind_text(s, 6, bytes_str(v->mime));
    stmt_bind_int(s, 7, v->created_us);
    return stmt_post(s, err);
}

static quire_status store_row(struct moving *m, const struct artifact_state *a,
                              bool fresh, quire_error *err)
{
    struct stmt *s;
    quire_status st = moving_use(m,
                                 fresh ? MOVE_ARTIFACT_ADD
                                       : MOVE_ARTIFACT_CHANGE,
                                 &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, a->row);
    stmt_bind_int(s, 2, m->q->tenant);
    stmt_bind_int(s, 3, a->session);
    stmt_bind_text(s, 4, bytes_str(a->path));
    stmt_bind_int(s, 5, a->version);
    stmt_bind_bytes(s, 6, bytes_of(a->sha, sizeof a->sha));
    stmt_bind_int(s, 7, a->size);
    stmt_bind_text(s, 8, bytes_str(a->mime));
    stmt_bind_text(s, 9, bytes_str(a->purpose));
    stmt_bind_text(s, 10, bytes_str(a->source));
    stmt_bind_text(s, 11, bytes_str(a->agent));
    stmt_bind_text(s, 12, bytes_str(a->tags));
    stmt_bind_text(s, 13, bytes_str(a->meta));
    stmt_bind_int(s, 14, a->created_us);
    stmt_bind_int(s, 15, a->updated_us);
    stmt_bind_int(s, 16, a->deleted_us);
    return stmt_post(s, err);
}

static bool has_version(const struct artifact_state *a, const struct version *v)
{
    size_t i;

    for (i = 0; i < a->n; i++)
        if (a->versions[i].created_us == v->created_us &&
            !memcmp(a->versions[i].sha, v->sha, sizeof v->sha))
            return true;
    return false;
}

/* Whether a state replaces another: the later one; of two at one time the one with the
 * larger hash, in every home. */
static bool is_newer(const struct artifact_state *a,
                     const struct artifact_state *than)
{
    int64_t x = state_time(a), y = state_time(than);
    quire_digest dx, dy;

    if (x != y)
        return x > y;
    hash_state(a, &dx);
    hash_state(than, &dy);
    return memcmp(dx.byte, dy.byte, sizeof dx.byte) > 0;
}

/* What an artifact adds to the counters. */
static quire_status count(struct moving *m, const struct session_row *row,
                          const struct artifact_state *before,
                          const struct artifact_state *after, quire_error *err)
{
    bool was = before->row && !before->deleted_us, is = !after->deleted_us;

    return session_row_count(&m->q->catalog, row,
                             (is ? after->size : 0) - (was ? before->size : 0),
                             (int64_t)is - was, err);
}

/* Add versions that are not here, then store the state. */
static quire_status merge_artifact(struct moving *m, struct session_row *row,
                                   struct artifact_state *here,
                                   const struct artifact_state *record,
                                   bool *changed, quire_error *err)
{
    struct artifact_state now = *here;
    struct version current;
    bool fresh = here->row == 0, newer = fresh || is_newer(record, here);
    bool on_top = !fresh;
    size_t i = record->n > VERSIONS && !fresh ? record->n - VERSIONS : 0;
    quire_status st = QUIRE_OK;

    *changed = newer;
    if (newer) {
        now = *record;
        now.row = here->row;
        now.version = here->version;
    }
    now.session = row->session;
    if (fresh) {
        struct stmt *s;

        st = moving_use(m, MOVE_ARTIFACT_ID, &s, err);
        if (!st)
            st = sql_take_number(s, &now.row, err);
        if (!st) /* its versions refer to it */
            st = store_row(m, &now, true, err);
    }
    for (; i < record->n && !st; i++) {
        if (has_version(here, &record->versions[i]))
            continue;
        st = add_version(m, &now, ++now.version, &record->versions[i], err);
        on_top = !memcmp(record->versions[i].sha, now.sha, sizeof now.sha);
        *changed = true;
    }
    if (newer && !fresh && now.version == here->version)
        on_top = !memcmp(here->sha, now.sha, sizeof now.sha);
    if (!st && !on_top) { /* a version of its own for the current content */
        current = (struct version){.size = now.size,
                                   .mime = now.mime,
                                   .created_us = now.updated_us};
        for (i = 0; i < record->n && newer; i++)
            if (!memcmp(record->versions[i].sha, now.sha, sizeof now.sha))
                current.created_us = record->versions[i].created_us;
        for (i = 0; i < here->n && !newer; i++)
            if (!memcmp(here->versions[i].sha, now.sha, sizeof now.sha))
                current.created_us = here->versions[i].created_us;
        memcpy(current.sha, now.sha, sizeof current.sha);
        st = add_version(m, &now, ++now.version, &current, err);
    }
    if (!st && *changed)
        st = store_row(m, &now, false, err);
    if (!st && *changed)
        st = count(m, row, here, &now, err);
    if (!st && *changed)
        st = change_log_add(&m->sql, MOVE_LOG_CHANGE, m->q->tenant,
                            CHANGE_ARTIFACT, now.row, clock_us(&m->q->clock),
                            err);
    return st;
}

/* Whether another artifact has the name of a directory in the path, or is below it:
 * all artifacts of a session can be files. */
static quire_status clashes(struct moving *m, const struct artifact_state *a,
                            bool *clash, quire_error *err)
{
    struct stmt *s;
    quire_status st = moving_use(m, MOVE_ARTIFACT_CLASH, &s, err);

    *clash = false;
    if (st)
        return st;
    stmt_bind_int(s, 1, m->q->tenant);
    stmt_bind_text(s, 2, bytes_str(a->key));
    stmt_bind_text(s, 3, bytes_str(a->path));
    st = stmt_step(s, clash, err);
    stmt_reset(s);
    return st;
}

/* Inside a transaction. */
static quire_status apply_inside(struct moving *m,
                                 const struct artifact_state *there,
                                 struct artifact_state *here,
                                 struct arena *keep, bool *changed,
                                 quire_error *err)
{
    struct session_row row;
    bool clash = false;
    quire_status st = session_row_ensure(&m->q->catalog, m->q->tenant,
                                         there->key, &row, err);

    if (!st)
        st = find_artifact(m, there->key, there->path, keep, here, err);
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    if (!st && !there->deleted_us && (!here->row || here->deleted_us))
        st = clashes(m, there, &clash, err);
    m->result.skipped += clash;
    return st || clash ? st
                       : merge_artifact(m, &row, here, there, changed, err);
}

quire_status artifact_apply(struct moving *m, quire_bytes record,
                            quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct artifact_state here, there;
    bool changed = false;
    size_t i;
    quire_status st = read_record(record, &tmp, &there, err);

    if (!st && !moving_takes(m, bytes_str(there.key))) {
        m->result.skipped++;
        arena_release(&tmp);
        return QUIRE_OK;
    }
    for (i = 0; i < there.n && !st; i++)
        st = check_blob(m, there.versions[i].sha, there.versions[i].size, err);
    if (!st)
        st = check_blob(m, there.sha, there.size, err);
    if (!st)
        st = db_begin(m->sql.db, DB_DURABLE, m->q->tenant, err);
    if (st) {
        arena_release(&tmp);
        return st;
    }
    st = apply_inside(m, &there, &here, &tmp, &changed, err);
    st = sql_end(m->sql.db, st, err);
    if (!st && changed) {
        m->result.received++;
        m->result.merged += here.row != 0;
    }
    arena_release(&tmp);
    return st;
}
