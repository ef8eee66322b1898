/*
 * session_rows.c - sessions as rows: a number and totals for each
 *
 * A listing has three phases:
 *
 *   count   Compare each file with the state in its row. A file that has grown is
 *           counted on from there, a replaced one from its start. No lock is held:
 *           a gigabyte may take a second.
 *   store   Write new totals to the catalogue, a few hundred a transaction. The
 *           oldest first, so that numbers rise with age.
 *   emit    The newest first.
 *
 *   (1) A row is created only if its file exists and is not about to be removed,
 *       checked in the same transaction. So a removed session does not come back
 *       as an empty row.
 *   (2) A row stored late, after a newer one of another process, describes a
 *       smaller file: the next listing counts on from there. Nothing is counted
 *       twice or left out.
 *   (3) A number is durable before it is returned. Totals need not be: they are
 *       derived.
 *   (4) Only a session without a number needs the write lock. While another
 *       process holds it, totals are counted and returned, and stored by a later
 *       listing.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "base/timestamp.h"
#include "api/session.h"
#include "api/session_keeps.h"
#include "api/session_rows.h"
#include "session/usage.h"

/* Rows that are stored in one transaction. */
#define BATCH 256

/* One session of a listing. */
struct listed {
    struct list_item item; /* text in the arena of the listing             */
    struct store *store;
    bool in_home;
    bool gone; /* it was removed meanwhile                                  */
    bool bad;  /* it cannot be read                                         */

    struct session_totals row;     /* as stored, its text only while it is
                                  compared; .number 0: there is none      */
    int64_t folder;                /* 0: in none                              */
    const char *agent, *agent_def; /* NULL: none */
    struct session_keep keep;
    struct object_info info; /* of the file, when it was counted        */
    struct session_usage usage;
    bool counted; /* `info` and `usage` are known                           */
    bool stale;   /* it is to be stored                                     */
};

static const char *state_of(const struct listed *l)
{
    return !strncmp(l->item.name, "archive/", 8) ? "archived" : "active";
}

/* ---- the catalogue ------------------------------------------------------ */

/* *rows: the catalogue has session rows. Another program's home has none, nor
 * has an older catalogue that is only read. */
static quire_status need_session_rows(struct quire *q, bool write, bool *rows,
                                      quire_error *err)
{
    quire_status st;

    *rows = false;
    if (q->kind != QUIRE_KIND_NATIVE || !q->db_path)
        return QUIRE_OK;
    st = need_rows(q, write && !q->read_only, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    if (q->catalog.schema < SCHEMA_SESSION_USAGE)
        return QUIRE_OK;
    *rows = true;
    return QUIRE_OK;
}

/* Whether a session may have a row: not with the id of a built-in session, nor
 * without a readable header. */
static bool may_have_row(const struct listed *l)
{
    const char *id = l->item.meta.id;

    return l->in_home && *id && !session_key_is_reserved(id) &&
           strcmp(l->item.meta.status, "damaged") != 0;
}

/* Take over the counts of a row. */
static void read_usage(const struct session_totals *r, struct session_usage *u)
{
    *u = (struct session_usage){
        .damaged = r->damaged,
        .scanned = r->tail.len <= sizeof u->tail ? r->scanned : 0,
        .entries = r->entries,
        .messages = r->messages,
        .input = r->input,
        .output = r->output,
        .cache_read = r->cache_read,
        .cache_write = r->cache_write,
        .total = r->total,
        .cost = r->cost,
    };
    if (u->scanned && r->tail.len) {
        memcpy(u->tail, r->tail.data, r->tail.len);
        u->tail_len = (uint32_t)r->tail.len;
    }
}

/* Read its row. */
static quire_status find_row(struct quire *q, struct listed *l,
                             struct arena *keep, quire_error *err)
{
    const struct list_meta *m = &l->item.meta;
    struct session_totals *r = &l->row;
    quire_status st = session_totals_find(&q->catalog, q->tenant, m->id, keep,
                                          r, err);

    l->counted = !st && r->counted;
    if (l->counted) {
        l->stale = strcmp(r->name, l->item.name) != 0 ||
                   strcmp(r->title, m->title) != 0 ||
                   strcmp(r->state, state_of(l)) != 0 ||
                   strcmp(r->parent, m->parent) != 0;
        l->info = (struct object_info){.inode = r->inode,
                                       .size = r->size,
                                       .modified_ns = r->modified_ns,
                                       .changed_ns = r->changed_ns};
        read_usage(r, &l->usage);
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- count -------------------------------------------------------------- */

static bool is_unchanged(const struct object_info *was,
                         const struct object_info *is)
{
    return was->inode == is->inode && was->size == is->size &&
           was->modified_ns == is->modified_ns &&
           was->changed_ns == is->changed_ns;
}

/* Count an open file. A larger file has grown, unless the counter finds that it
 * was replaced. */
static quire_status count_file(struct listed *l, struct log *file,
                               const struct object_info *info, quire_error *err)
{
    int64_t now_ns = clock_us(&clock_system) * 1000;
    bool grown = l->counted && l->info.inode == info->inode &&
                 l->info.size < info->size;
    struct session_usage t = {0};
    quire_status st;

    if (grown)
        t = l->usage;
    st = session_usage_read(file, &t, NULL, err);
    if (st)
        return st;
    l->usage = t;
    l->info = *info;
    if (now_ns - info->changed_ns <= LIST_FRESH_NS)
        l->info.changed_ns = 0; /* it may yet change and keep its time */
    l->counted = l->stale = true;
    return QUIRE_OK;
}

/* A file that cannot be read must not hide the others. */
static quire_status tolerate(struct listed *l, quire_status st,
                             const quire_error *why, quire_error *err)
{
    if (st == QUIRE_NOT_FOUND) {
        l->gone = true;
        return QUIRE_OK;
    }
    if (st == QUIRE_NO_MEMORY) {
        if (err)
            *err = *why;
        return st;
    }
    l->bad = true;
    l->stale = false;
    l->usage = (struct session_usage){0};
    return QUIRE_OK;
}

/* Count one if it has changed. */
static quire_status count_if_changed(struct quire *q, struct listed *l,
                                     bool rows, struct arena *keep,
                                     quire_error *err)
{
    struct object_info info;
    struct log *file;
    quire_error why = {0};
    quire_status st = QUIRE_OK;

    l->bad = !strcmp(l->item.meta.status, "damaged");
    if (l->bad)
        return QUIRE_OK;
    if (rows && may_have_row(l))
        st = find_row(q, l, keep, err);
    if (st || (l->counted && is_unchanged(&l->info, &l->item.info)))
        return st;
    st = log_open(l->store->logs, l->item.name, LOG_READ, &file, &info, &why);
    if (!st) {
        st = count_file(l, file, &info, &why);
        log_close(file);
    }
    return st ? tolerate(l, st, &why, err) : QUIRE_OK;
}

/* ---- store -------------------------------------------------------------- */

/* Set `gone` if the file is missing or about to be removed. */
static quire_status check_file(struct quire *q, struct listed *l,
                               struct arena *tmp, quire_error *err)
{
    const char *noted = session_name_from_home(q, l->item.name, tmp);
    struct object_info info;
    quire_status st = noted ? QUIRE_OK : err_memory(err);

    if (!st)
        st = log_stat(l->store->logs, l->item.name, &info, err);
    if (st) {
        l->gone = st == QUIRE_NOT_FOUND;
        return l->gone ? QUIRE_OK : st;
    }
    return removal_is_pending(&q->catalog, noted, &l->gone, err);
}

/* The totals to be stored. Text is borrowed from the item. */
static struct session_totals totals_of(const struct listed *l, int64_t number)
{
    const struct list_meta *m = &l->item.meta;
    const struct session_usage *u = &l->usage;

    return (struct session_totals){
        .number = number,
        .name = l->item.name,
        .title = m->title,
        .state = state_of(l),
        .parent = m->parent,
        .inode = l->info.inode,
        .size = l->info.size,
        .modified_ns = l->info.modified_ns,
        .changed_ns = l->info.changed_ns,
        .damaged = u->damaged,
        .scanned = u->scanned,
        .tail = bytes_of(u->tail, u->tail_len),
        .entries = u->entries,
        .messages = u->messages,
        .input = u->input,
        .output = u->output,
        .cache_read = u->cache_read,
        .cache_write = u->cache_write,
        .total = u->total,
        .cost = u->cost,
    };
}

/* In a transaction. */
static quire_status store_one(struct quire *q, struct listed *l,
                              struct arena *tmp, quire_error *err)
{
    struct session_row owner;
    struct session_totals totals;
    quire_status st = check_file(q, l, tmp, err);

    if (st || l->gone)
        return st;
    st = session_row_ensure(&q->catalog, q->tenant, l->item.meta.id, &owner,
                            err);
    if (st)
        return st;
    totals = totals_of(l, owner.session);
    st = session_totals_store(&q->catalog, q->tenant, &totals, err);
    l->row.number = owner.session;
    return st;
}

static bool is_to_store(const struct listed *l)
{
    return l->stale && !l->gone && may_have_row(l);
}

/* Store the changed ones of looks[from, to), the last first. */
static quire_status store_batch(struct quire *q, struct listed *looks,
                                size_t from, size_t to, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    enum db_begin mode = DB_IF_FREE;
    struct db *db = q->catalog.db;
    bool any = false;
    quire_status st;
    size_t i;

    for (i = from; i < to; i++) {
        any = any || is_to_store(&looks[i]);
        if (is_to_store(&looks[i]) && !looks[i].row.number)
            mode = DB_DURABLE;
    }
    if (!any)
        return QUIRE_OK;
    st = db_begin(db, mode, q->tenant, err);
    if (st)
        return st == QUIRE_BUSY && mode == DB_IF_FREE ? QUIRE_OK : st;
    for (i = to; i > from && !st; i--) {
        if (is_to_store(&looks[i - 1]))
            st = store_one(q, &looks[i - 1], &tmp, err);
    }
    st = sql_end(db, st, err);
    arena_release(&tmp);
    return st;
}

/* Count and store all of them. */
static quire_status update(struct quire *q, struct listed *looks, size_t n,
                           bool rows, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;
    size_t from, to, i;

    for (to = n; to > 0 && !st; to = from) {
        arena_reset(&tmp);
        from = to > BATCH ? to - BATCH : 0;
        for (i = from; i < to && !st; i++)
            st = count_if_changed(q, &looks[i], rows, &tmp, err);
        if (!st && rows && !q->read_only)
            st = store_batch(q, looks, from, to, err);
    }
    arena_release(&tmp);
    return st;
}

/* What is recorded with its number: folder, agent, pin and hold. */
static quire_status read_records(struct quire *q, struct listed *l,
                                 struct arena *keep, quire_error *err)
{
    quire_status st;

    if (!l->row.number)
        return QUIRE_OK;
    st = folder_of_session(&q->catalog, q->tenant, l->row.number, &l->folder,
                           err);
    if (!st)
        st = session_agent_of(&q->catalog, q->tenant, l->row.number, keep,
                              &l->agent, &l->agent_def, err);
    return st ? st
              : session_keep_of(&q->catalog, q->tenant, l->row.number, keep,
                                &l->keep, err);
}

/* ---- emit --------------------------------------------------------------- */

/* Describe one; its path is in `path`. */
static quire_status describe_row(struct listed *l, struct buf *path,
                                 quire_session_info *info,
                                 quire_session_row *out, quire_error *err)
{
    const struct session_usage *t = &l->usage;
    int64_t ms;
    quire_status st = session_describe_item(l->store, &l->item, path, info,
                                            err);

    if (st)
        return st;
    if (l->bad)
        info->status = "damaged";
    else
        info->messages = t->messages;
    session_keep_describe(&l->keep, info);
    *out = (quire_session_row){
        .number = l->row.number,
        .id = info->id,
        .title = info->title,
        .state = state_of(l),
        .parent = info->parent,
        .path = info->path,
        .entries = t->entries,
        .messages = t->messages,
        .input_tokens = t->input,
        .output_tokens = t->output,
        .cache_read_tokens = t->cache_read,
        .cache_write_tokens = t->cache_write,
        .total_tokens = t->total,
        .cost_nano_usd = (int64_t)t->cost,
        .artifacts = l->row.artifacts,
        .artifact_bytes = l->row.artifact_bytes,
        .created_us = l->row.created_us,
        .updated_us = info->modified_us,
        .info = info,
        .folder = l->folder,
        .agent = l->agent,
        .agent_def = l->agent_def,
    };
    if (timestamp_parse(bytes_str(info->created), &ms))
        out->created_us = ms * 1000;
    return QUIRE_OK;
}

/* Whether an item comes after the cursor. */
static bool is_behind(const struct list_item *item, const quire_row_options *o,
                      bool *passed)
{
    int64_t us = item->info.modified_ns / 1000;

    if (!o->after_id || us < o->after_us)
        return true;
    if (us > o->after_us || *passed)
        return *passed;
    *passed = !strcmp(item->meta.id, o->after_id);
    return false;
}

static bool copy_text(struct arena *keep, const char **text)
{
    *text = arena_text(keep, bytes_str(*text));
    return *text != NULL;
}

/* The list is released before anything is written: while it is open, the
 * connection reads an old snapshot. */
static bool copy_item(struct arena *keep, const struct list_item *item,
                      struct list_item *out)
{
    struct list_meta *m = &out->meta;

    *out = *item;
    return copy_text(keep, &out->name) && copy_text(keep, &m->id) &&
           copy_text(keep, &m->cwd) && copy_text(keep, &m->title) &&
           copy_text(keep, &m->parent) && copy_text(keep, &m->created) &&
           copy_text(keep, &m->first) && copy_text(keep, &m->status);
}

/* The filter of a listing. */
struct row_filter {
    const char *cwd;            /* NULL: any                                  */
    struct map filed;           /* ids; with o->folder those, or those not    */
    struct session_keeps keeps; /* loaded with o->pinned            */
};

static bool is_wished(const struct list_item *item,
                      const struct row_filter *wish, const quire_row_options *o)
{
    bool filed;

    if (wish->cwd && strcmp(item->meta.cwd, wish->cwd) != 0)
        return false;
    if (o->pinned && !map_get(&wish->keeps.pinned, bytes_str(item->meta.id)))
        return false;
    filed = o->folder && map_get(&wish->filed, bytes_str(item->meta.id));
    return !o->folder || filed == (o->folder > 0);
}

/* The next item of two lists, the newest first; NULL: there is none. */
static const struct list_item *next_item(const struct list l[2], size_t at[2])
{
    bool first = at[0] < l[0].n, second = at[1] < l[1].n;

    if (first && second)
        first = list_newest_first(&l[0].order[at[0]], &l[1].order[at[1]]) <= 0;
    return first ? l[0].order[at[0]++] : second ? l[1].order[at[1]++] : NULL;
}

/* The sessions of both lists that match, in their order. */
static quire_status choose(struct quire *q, const struct list l[2],
                           const quire_row_options *o,
                           const struct row_filter *wish, struct arena *keep,
                           struct listed **out, size_t *n, quire_error *err)
{
    struct listed *looks = arena_array(keep, l[0].n + l[1].n + 1,
                                       sizeof *looks);
    const struct list_item *item;
    size_t at[2] = {0, 0};
    bool passed = false;

    *out = looks;
    *n = 0;
    if (!looks)
        return err_memory(err);
    while ((!o->limit || *n < o->limit) && (item = next_item(l, at))) {
        struct listed *look = &looks[*n];

        if (!is_behind(item, o, &passed) || !is_wished(item, wish, o))
            continue;
        look->store = q->all;
        look->in_home = true;
        if (!copy_item(keep, item, &look->item))
            return err_memory(err);
        (*n)++;
    }
    return QUIRE_OK;
}

/* The ids of the sessions in a folder; a home without folders has none. */
static quire_status find_in_folder(struct quire *q, int64_t folder,
                                   struct map *ids, struct arena *keep,
                                   quire_error *err)
{
    quire_folder found;
    quire_status st = need_own_rows(q, false, err);

    if (st && st != QUIRE_NOT_FOUND)
        return st;
    if (catalog_has(&q->catalog, SCHEMA_FOLDERS))
        return folder_sessions(&q->catalog, q->tenant, folder, ids, keep, err);
    return folder > 0
               ? folder_get(&q->catalog, q->tenant, folder, keep, &found, err)
               : QUIRE_OK;
}

static quire_status find_looks(struct quire *q, const quire_row_options *o,
                               struct arena *keep, struct listed **looks,
                               size_t *n, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct list l[2] = {{.arena = &tmp}, {.arena = &tmp}};
    struct row_filter wish = {.keeps = {.arena = ARENA_INIT}};
    uint64_t seed[2];
    quire_status st = rand_bytes(&rand_system, seed, sizeof seed, err);

    *n = 0;
    if (st)
        return st;
    map_init(&wish.filed, seed[0], seed[1]);
    if (o->cwd) {
        wish.cwd = absolute_cwd(o->cwd, &tmp);
        if (!wish.cwd)
            st = err_memory(err);
    }
    if (!st && o->pinned)
        st = session_keeps_load(q, &wish.keeps, err);
    if (!st && o->folder)
        st = find_in_folder(q, o->folder, &wish.filed, &tmp, err);
    if (!st)
        st = sessions_list(q, o->archived == 1, &l[0], err);
    if (!st && o->archived > 1)
        st = sessions_list(q, true, &l[1], err);
    if (!st)
        st = choose(q, l, o, &wish, keep, looks, n, err);
    list_release(&l[0]);
    list_release(&l[1]);
    map_release(&wish.filed);
    session_keeps_release(&wish.keeps);
    arena_release(&tmp);
    return st;
}

quire_status session_rows_walk(struct quire *q,
                               const quire_row_options *options,
                               session_file_fn each, void *ctx,
                               quire_error *err)
{
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    struct buf path = BUF_INIT(1 << 16);
    struct arena keep = ARENA_INIT;
    struct listed *looks = NULL;
    bool rows = false;
    quire_status st;
    size_t i, n;

    OPTIONS_READ(o, options);
    st = find_looks(q, &o, &keep, &looks, &n, err);
    if (!st)
        st = need_session_rows(q, n > 0, &rows, err);
    if (!st)
        st = update(q, looks, n, rows, err);
    for (i = 0; i < n && !st; i++)
        st = read_records(q, &looks[i], &keep, err);
    for (i = 0; i < n && !st; i++) {
        quire_session_info info;
        quire_session_row row;

        if (looks[i].gone)
            continue;
        st = describe_row(&looks[i], &path, &info, &row, err);
        if (!st)
            st = each(ctx, &row, looks[i].store, &looks[i].item, err);
    }
    buf_release(&path);
    arena_release(&keep);
    return st;
}

struct row_callback {
    struct quire *q;
    quire_row_fn each;
    void *ctx;
};

static quire_status call_row(void *ctx, const quire_session_row *row,
                             struct store *store, const struct list_item *item,
                             quire_error *err)
{
    struct row_callback *r = ctx;
    quire_status st;

    (void)store;
    (void)item;
    r->q->in_callback = true;
    st = r->each(r->ctx, row, err);
    r->q->in_callback = false;
    return st;
}

quire_status quire_session_rows(quire *q, const quire_row_options *options,
                                quire_row_fn each, void *ctx, quire_error *err)
{
    struct row_callback r = {q, each, ctx};

    return session_rows_walk(q, options, call_row, &r, err);
}

/* ---- one ---------------------------------------------------------------- */

/* The session's own id, if `which` is a number. */
static quire_status read_number(struct quire *q, const char **which, bool rows,
                                struct arena *keep, quire_error *err)
{
    const char *said = *which;
    int64_t number;
    quire_status st;

    if (*said != '#' || !read_id(said + 1, &number) || number <= 0)
        return QUIRE_OK;
    st = rows
             ? session_row_key(&q->catalog, q->tenant, number, keep, which, err)
             : QUIRE_NOT_FOUND;
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st,
                 HINT_SHELL "`quire session ls --totals` lists their numbers",
                 "no session %s in %s", said, q->root);
    }
    return st;
}

/* Read the header of the file. */
static quire_status read_item(const struct session_location *p,
                              struct arena *keep, struct list_item *item,
                              quire_error *err)
{
    struct log *file;
    quire_status st = log_open(p->store->logs, p->name, LOG_READ, &file,
                               &item->info, err);

    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s has been removed or moved", p->name);
    if (st)
        return st;
    item->name = p->name;
    st = list_read(file, item->info.size, keep, &item->meta, err);
    log_close(file);
    if (!st && !item->meta.id) {
        st = err_fail(err, QUIRE_DAMAGED,
                      HINT_SHELL
                      "`quire session check` says what is wrong with it",
                      "%s has no header that can be read", p->name);
    }
    return st;
}

static quire_status settle_one(struct quire *q, struct listed *l, bool rows,
                               quire_error *err)
{
    quire_status st = update(q, l, 1, rows, err);

    if (!st && l->gone)
        return err_set(err, QUIRE_NOT_FOUND, "%s has been removed or moved",
                       l->item.name);
    if (!st && l->bad) {
        st = err_fail(err, QUIRE_IO,
                      HINT_SHELL
                      "`quire session check` says what is wrong with it",
                      "%s cannot be read", l->item.name);
    }
    return st;
}

/* The file that `which` names; creates nothing. */
static quire_status find_place(struct quire *q, const char *which,
                               struct arena *keep, struct session_location *out,
                               quire_error *err)
{
    bool rows = false;
    quire_status st = check_free(q, err);

    if (!st)
        st = tenants_check(q, err);
    if (!st)
        st = need_session_rows(q, false, &rows, err);
    if (!st)
        st = read_number(q, &which, rows, keep, err);
    return st ? st : session_lookup(q, which, keep, out, err);
}

quire_status quire_session_id(quire *q, const char *which, const char **id,
                              quire_error *err)
{
    bool rows = false;
    const char *file;
    quire_status st = check_free(q, err);

    if (!st)
        st = tenants_check(q, err);
    if (!st)
        st = need_session_rows(q, false, &rows, err);
    if (st)
        return st;
    arena_reset(&q->loan);
    st = read_number(q, &which, rows, &q->loan, err);
    return st ? st : session_key_and_file(q, which, &q->loan, id, &file, err);
}

quire_status quire_session_row_of(quire *q, const char *which,
                                  quire_session_row *out, quire_error *err)
{
    struct buf path = BUF_INIT(1 << 16);
    struct arena tmp = ARENA_INIT;
    quire_session_info *info = NULL;
    struct listed l = {.gone = false};
    struct session_location p = {0};
    bool rows = false;
    quire_status st = find_place(q, which, &tmp, &p, err);

    *out = (quire_session_row){.number = 0};
    if (!st)
        st = need_session_rows(q, p.in_home, &rows, err);
    if (st)
        goto out;
    arena_reset(&q->loan);
    info = arena_array(&q->loan, 1, sizeof *info);
    st = info ? read_item(&p, &q->loan, &l.item, err) : err_memory(err);
    if (!st) {
        l.store = p.store;
        l.in_home = p.in_home;
        st = settle_one(q, &l, rows, err);
    }
    if (!st)
        st = read_records(q, &l, &q->loan, err);
    if (!st)
        st = describe_row(&l, &path, info, out, err);
    if (!st) {
        out->path = info->path = arena_text(&q->loan, buf_bytes(&path));
        if (!out->path)
            st = err_memory(err);
    }
out:
    session_location_release(&p);
    buf_release(&path);
    arena_release(&tmp);
    return st;
}
