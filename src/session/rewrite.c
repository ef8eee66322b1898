/*
 * rewrite.c - whole files: migrate, rename, move, fork, extract
 *
 * A file is never changed in the middle, except for the title slot that some
 * writers put in front for just that. Everything else is a new file, complete
 * and synced before it takes the name of the old one; until then the old one is
 * complete. Other lines are copied byte for byte, bad ones too: a rewrite
 * repairs nothing and loses nothing.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "session/migrate.h"
#include "session/names.h"
#include "session/priv.h"

quire_status rewrite_swap(quire_session *s, struct log_draft *d,
                          quire_error *err)
{
    quire_status st;

    /* A running sync uses the descriptor that is about to be closed; and since
     * the draft was written no other thread may have had the lock. */
    assert(!s->syncing);
    st = log_replace(s->log, d, err);
    if (st) {
        s->stale = true; /* the swap may have happened all the same */
        return write_latch(s, st, err);
    }
    s->n_synced = s->n_written;
    s->own_from = NONE;
    return load_all(s, false, err);
}

/* ---- older versions ----------------------------------------------------- */

/* One value, migrated, and the rest of its line; or a part without a value,
 * unchanged. `end` is where the next one begins. */
static quire_status migrate_one(quire_session *s, struct migrate *m,
                                const struct jsonl_value *v, uint64_t end,
                                struct log_draft *d, quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint64_t rest = v->at;

    buf_clear(&s->out);
    if (v->text.data)
        st = migrate_value(m, v->text, v->line, &s->out, err);
    if (!st && s->out.len) {
        st = buf_status(&s->out, "an entry", err);
        if (!st)
            st = log_write(d, buf_bytes(&s->out), err);
        rest += v->text.len;
    }
    if (!st)
        st = log_copy(s->log, rest, end, d, err);
    if (!st && v->open_end)
        st = log_write(d, bytes_str("\n"), err);
    return st;
}

static quire_status migrate_each(quire_session *s, struct migrate *m,
                                 struct log_draft *d, quire_error *err)
{
    struct jsonl_value v;
    struct jsonl j;
    quire_status st;
    bool more;

    jsonl_init(&j, s->log, 0, 1, true);
    while (!(st = jsonl_next(&j, &v, &more, err)) && more) {
        if (v.at < s->header.at) /* the title slot, or unreadable text */
            st = log_copy(s->log, v.at, j.base + j.at, d, err);
        else
            st = migrate_one(s, m, &v, j.base + j.at, d, err);
        if (st)
            break;
    }
    jsonl_release(&j);
    return st;
}

static quire_status draft_for(quire_session *s, struct log_draft **d,
                              quire_error *err)
{
    struct store *store = s->read_only ? s->scratch : s->store;

    return log_create(store->logs, s->name, d, err);
}

/* Continue with the copy in memory instead of the file. */
static quire_status read_copy(quire_session *s, struct log_draft *d,
                              quire_error *err)
{
    struct log_store *store = s->scratch->logs;
    struct object_info info;
    struct log *log;
    quire_status st = log_publish(d, s->name, true, NULL, err);

    if (!st)
        st = log_open(store, s->name, LOG_READ, &log, &info, err);
    if (st)
        return st;
    log_close(s->log);
    s->log = log;
    s->in_file = false;
    return load_all(s, (s->flags & QUIRE_SESSION_VERIFY) != 0, err);
}

quire_status rewrite_migrated(quire_session *s, quire_error *err)
{
    struct omp_lock theirs = OMP_LOCK_INIT;
    struct arena ids = ARENA_INIT;
    struct migrate m;
    struct log_draft *d;
    quire_status st = QUIRE_OK;

    /* Block appends between reading and replacing it. */
    if (s->read_only)
        st = store_memory_open(s->env.clock, &s->scratch, err);
    else if (s->env.omp)
        st = omp_lock_acquire(s->path, s->env.busy_ms, &theirs, err);
    if (!st)
        st = draft_for(s, &d, err);
    if (st)
        goto out;
    st = migrate_init(&m, s->header.version, bytes_str(s->header.id), &ids,
                      err);
    if (!st)
        st = migrate_each(s, &m, d, err);
    migrate_release(&m);
    if (st)
        log_discard(d);
    else
        st = s->read_only ? read_copy(s, d, err) : rewrite_swap(s, d, err);
out:
    arena_release(&ids);
    omp_lock_release(&theirs);
    return st;
}

/* ---- titles and homes --------------------------------------------------- */

/* Rewrite the file with these members of its header changed. */
static quire_status rewrite_header(quire_session *s,
                                   const struct json_change *changes, size_t n,
                                   quire_error *err)
{
    struct buf line = BUF_INIT(JSONL_MAX_LINE);
    struct json_edits edits;
    quire_bytes header;
    struct log_draft *d;
    quire_status st = load_bytes(s, s->header.at, s->header.len, &header, err);

    if (!st) {
        arena_reset(&s->tmp);
        json_edits_init(&edits, header, &s->tmp);
        if (!json_edit_members(&edits, header, changes, n, NULL))
            st = err_set(err, QUIRE_DAMAGED, "the header of %s is damaged",
                         s->path);
        json_splice(&edits, &line);
        if (!st)
            st = buf_status(&line, "a header", err);
    }
    if (!st)
        st = log_create(s->store->logs, s->name, &d, err);
    if (st)
        goto out;
    st = log_copy(s->log, 0, s->header.at, d, err);
    if (!st)
        st = log_write(d, buf_bytes(&line), err);
    if (!st)
        st = log_copy(s->log, s->header.at + s->header.len, s->size, d, err);
    if (st)
        log_discard(d);
    else
        st = rewrite_swap(s, d, err);
out:
    buf_release(&line);
    return st;
}

/* A session that is still in memory: only its log is rewritten. */
static quire_status reheader_memory(quire_session *s,
                                    const struct json_change *changes, size_t n,
                                    quire_error *err)
{
    struct store *store = s->store;
    quire_status st;

    s->store = s->scratch; /* drafts go there */
    st = rewrite_header(s, changes, n, err);
    s->store = store;
    return st;
}

static quire_status change_header(quire_session *s,
                                  const struct json_change *changes, size_t n,
                                  quire_error *err)
{
    struct omp_lock theirs = OMP_LOCK_INIT;
    quire_status st = QUIRE_OK;

    if (!s->in_file)
        return reheader_memory(s, changes, n, err);
    /* In this order: waiting releases the lock, and the next thread would then
     * wait for a lock that we hold. From here on no thread syncs. */
    write_quiet(s);
    if (s->env.omp)
        st = omp_lock_acquire(s->path, s->env.busy_ms, &theirs, err);
    if (!st)
        st = load_refresh(s, err);
    if (!st)
        st = rewrite_header(s, changes, n, err);
    omp_lock_release(&theirs);
    return st;
}

quire_status session_rehome(quire_session *s, const char *cwd, quire_error *err)
{
    struct json_change change = {"cwd", {NULL, 0}};
    struct arena keep =
        ARENA_INIT; /* other threads may use s->tmp in between */
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    st = write_ready(s, err);
    change.value = write_quoted(&keep, bytes_str(cwd));
    if (!st && !change.value.data)
        st = err_memory(err);
    if (!st)
        st = change_header(s, &change, 1, err);
    session_leave(s);
    arena_release(&keep);
    return st;
}

/* A line of `size` bytes, break included, around a title that is cut until it
 * fits. False when it does not fit at all. */
static bool slot_line(const char *title, const char *when, uint32_t size,
                      struct buf *out)
{
    quire_bytes text = bytes_str(title);

    for (;;) {
        struct json_writer w;
        size_t bare;

        buf_clear(out);
        json_begin(&w, out);
        json_object(&w);
        json_put_str(&w, "type", "title");
        json_put_int(&w, "v", 1);
        json_put_bytes(&w, "title", text);
        json_put_str(&w, "source", "user");
        json_put_str(&w, "updatedAt", when);
        json_key(&w, "pad");
        buf_add_char(out, '"');
        bare = out->len + 3;
        if (out->failed || (bare > size && text.len == 0))
            return false;
        if (bare <= size) {
            for (; bare < size; bare++)
                buf_add_char(out, ' ');
            buf_add_str(out, "\"}\n");
            return !out->failed;
        }
        text.len = utf8_cut(text, text.len - 1);
    }
}

enum { SLOT_BYTES = 256 };

quire_status session_head(const struct session_birth *birth, int64_t when_us,
                          struct buf *out, quire_error *err)
{
    struct session_birth untitled = *birth;
    struct buf line = BUF_INIT(JSONL_MAX_LINE);
    char when[TIMESTAMP_SIZE];
    quire_status st;

    untitled.title = NULL; /* the header stays when the title changes */
    timestamp_format(when_us, when);
    slot_line(birth->title ? birth->title : "", when, SLOT_BYTES, &line);
    st = buf_status(&line, "a title", err);
    buf_add(out, line.data, line.len);
    if (!st) {
        write_header(&line, &untitled);
        st = buf_status(&line, "a header", err);
        buf_add(out, line.data, line.len);
    }
    buf_release(&line);
    return st ? st : buf_status(out, "a header", err);
}

quire_status session_set_slot(struct log *log, const char *title,
                              int64_t when_us, quire_error *err)
{
    struct buf line = BUF_INIT(JSONL_MAX_LINE);
    char when[TIMESTAMP_SIZE];
    quire_status st;

    timestamp_format(when_us, when);
    slot_line(title, when, SLOT_BYTES, &line);
    st = buf_status(&line, "a title", err);
    if (!st)
        st = log_patch(log, 0, buf_bytes(&line), err);
    buf_release(&line);
    return st;
}

static quire_status rename_in_slot(quire_session *s, const char *title,
                                   quire_error *err)
{
    struct buf line = BUF_INIT(4096);
    char when[TIMESTAMP_SIZE];
    quire_status st;

    timestamp_format(clock_us(s->env.clock), when);
    if (!slot_line(title, when, s->slot, &line)) {
        st = err_set(err, QUIRE_INVALID, "the title slot of %s is too small",
                     s->path);
    } else {
        st = write_latch(s,
                         log_patch(s->log, s->slot_at, buf_bytes(&line), err),
                         err);
        if (!st) {
            s->n_written++;
            st = load_anew(s, s->full, err); /* it may have been truncated */
        }
    }
    buf_release(&line);
    return st;
}

/* The entry that newer readers take titles from. */
static quire_status append_title_change(quire_session *s, const char *title,
                                        const char *previous, quire_error *err)
{
    struct buf b = BUF_INIT(1 << 20);
    struct json_writer w;
    quire_status st;

    json_begin(&w, &b);
    json_object(&w);
    json_put_str(&w, "type", "title_change");
    json_put_str(&w, "title", title);
    json_put_str(&w, "source", "user");
    if (*previous) {
        json_put_str(&w, "previousTitle", previous);
    }
    if (s->header.imported)
        json_put_bool(&w, "local", true);
    json_object_end(&w);
    st = buf_status(&b, "a title", err);
    if (!st)
        st = write_note(s, buf_bytes(&b), NULL, err);
    buf_release(&b);
    return st;
}

quire_status session_rename(quire_session *s, const char *title,
                            quire_error *err)
{
    struct json_change change = {"title", {NULL, 0}};
    struct arena keep = ARENA_INIT;
    const char *previous;
    quire_status st = session_enter(s, err);
    bool slot;

    if (st)
        return st;
    title = title ? title : "";
    st = write_ready(s, err);
    slot = s->slot > 0 && s->in_file;
    previous = st ? NULL : arena_text(&keep, bytes_str(s->header.title));
    if (!st && !previous)
        st = err_memory(err);
    if (!st && slot) {
        st = rename_in_slot(s, title, err);
    } else if (!st) {
        if (*title)
            change.value = write_quoted(&keep, bytes_str(title));
        if (*title && !change.value.data)
            st = err_memory(err);
        if (!st)
            st = change_header(s, &change, 1, err);
    }
    session_leave(s);
    if (!st && slot)
        st = append_title_change(s, title, previous, err);
    if (!st)
        st = quire_session_flush(s, err);
    arena_release(&keep);
    return st;
}

/* ---- copies ------------------------------------------------------------- */

/* Entry `i` as a line of another session, with these members changed. */
static quire_status copy_entry(quire_session *s, struct log_draft *d,
                               uint32_t i, const struct json_change *changes,
                               size_t n, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct buf line = BUF_INIT(JSONL_MAX_LINE);
    struct json_edits edits;
    quire_bytes text;
    quire_status st = tree_text(s, i, false, &text, err);

    if (!st) {
        json_edits_init(&edits, text, &tmp);
        if (n && !json_edit_members(&edits, text, changes, n, NULL))
            st = err_memory(err);
        json_splice(&edits, &line);
        buf_add_char(&line, '\n');
    }
    if (!st)
        st = buf_status(&line, "an entry", err);
    if (!st)
        st = log_write(d, buf_bytes(&line), err);
    buf_release(&line);
    arena_release(&tmp);
    return st;
}

/* A label as the last entry, below `below`, which is then the label. */
static quire_status copy_label(quire_session *s, struct log_draft *d,
                               const struct label *l, quire_bytes *below,
                               quire_error *err)
{
    struct buf line = BUF_INIT(1 << 20);
    char id[NAMES_ID_SIZE], when[TIMESTAMP_SIZE];
    struct json_writer w;
    quire_status st = names_entry_id(s->env.rand, index_taken, &s->index, id,
                                     err);

    if (st)
        return st;
    timestamp_format(clock_us(s->env.clock), when);
    json_begin(&w, &line);
    json_object(&w);
    json_put_str(&w, "type", "label");
    json_put_str(&w, "id", id);
    json_put_bytes(&w, "parentId", *below);
    json_put_str(&w, "timestamp", when);
    json_put_bytes(&w, "targetId", entry_id(&s->index.list[l->of]));
    json_put_bytes(&w, "label", l->text);
    json_object_end(&w);
    buf_add_char(&line, '\n');
    st = buf_status(&line, "a label", err);
    if (!st)
        st = log_write(d, buf_bytes(&line), err);
    *below = arena_dup(&s->tmp, bytes_str(id));
    if (!st && !below->data)
        st = err_memory(err);
    buf_release(&line);
    return st;
}

/* A path copied without its labels. */
struct extract {
    quire_session *s;
    uint32_t *path, n;
    uint32_t last; /* entry copied before; NONE: none */
};

/* A compaction may keep from a label, which is not copied: then it keeps from
 * the next copied entry. .data is NULL where nothing has to change. */
static quire_status replace_kept(struct extract *x, uint32_t place,
                                 quire_bytes *out, quire_error *err)
{
    quire_session *s = x->s;
    quire_bytes line, id;
    uint32_t i;
    quire_status st = load_line(s, x->path[place], &line, err);

    *out = bytes_of(NULL, 0);
    if (st)
        return st;
    id = json_get(line, "firstKeptEntryId");
    if (json_kind(id) != JSON_STRING)
        return QUIRE_OK;
    id = json_text(id, &s->tmp);
    if (!id.data)
        return err_memory(err);
    for (i = 0; i < place; i++) {
        const struct entry *e = &s->index.list[x->path[i]];

        if (!e->id_len || !bytes_equal(id, entry_id(e)))
            continue;
        if (e->type != ENTRY_LABEL)
            return QUIRE_OK;
        while (i < place && s->index.list[x->path[i]].type == ENTRY_LABEL)
            i++;
        *out = write_quoted(&s->tmp, entry_id(&s->index.list[x->path[i]]));
        return out->data ? QUIRE_OK : err_memory(err);
    }
    return QUIRE_OK;
}

/* One entry of the path. A child of a label gets the label's parent, so that
 * nothing before it is lost. */
static quire_status extract_one(struct extract *x, struct log_draft *d,
                                uint32_t place, quire_error *err)
{
    quire_session *s = x->s;
    const struct entry *e = &s->index.list[x->path[place]];
    struct json_change changes[2];
    quire_bytes kept = {NULL, 0};
    quire_status st = QUIRE_OK;
    size_t n = 0;

    if (e->type == ENTRY_COMPACTION)
        st = replace_kept(x, place, &kept, err);
    if (kept.data)
        changes[n++] = (struct json_change){"firstKeptEntryId", kept};
    if (e->parent != x->last || (e->flags & ENTRY_ORPHAN)) {
        quire_bytes parent = bytes_str("null");

        if (x->last != NONE)
            parent = write_quoted(&s->tmp, entry_id(&s->index.list[x->last]));
        if (!parent.data)
            st = err_memory(err);
        changes[n++] = (struct json_change){"parentId", parent};
    }
    if (!st)
        st = copy_entry(s, d, x->path[place], changes, n, err);
    x->last = x->path[place];
    return st;
}

/* The path down to `entry`, and behind it the labels in force on it. */
static quire_status copy_path(quire_session *s, struct log_draft *d,
                              uint32_t entry, quire_error *err)
{
    struct extract x = {.s = s, .last = NONE};
    uint8_t *kept = arena_array(&s->tmp, s->index.n + (size_t)1, 1);
    struct labels labels;
    quire_bytes below;
    quire_status st;
    uint32_t i;

    x.path = index_path(&s->index, entry, &s->tmp, &x.n);
    if (!x.path || !kept)
        return err_memory(err);
    st = tree_labels(s, &s->tmp, &labels, err);
    for (i = 0; !st && i < x.n; i++) {
        if (s->index.list[x.path[i]].type == ENTRY_LABEL)
            continue;
        st = extract_one(&x, d, i, err);
        kept[x.path[i]] = 1;
    }
    if (st || x.last == NONE)
        return st;
    below = entry_id(&s->index.list[x.last]);
    for (i = 0; !st && below.len && i < labels.n; i++) {
        if (kept[labels.list[i].of] && labels.list[i].text.data)
            st = copy_label(s, d, &labels.list[i], &below, err);
    }
    return st;
}

static quire_status copy_all(quire_session *s, struct log_draft *d,
                             quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint32_t i;

    for (i = 0; !st && i < s->index.n; i++)
        st = copy_entry(s, d, i, NULL, 0, err);
    return st;
}

quire_status session_copy(quire_session *s, const char *entry,
                          struct log_store *store, const char *name,
                          const struct session_birth *birth, quire_error *err)
{
    struct buf header = BUF_INIT(1 << 20);
    struct log_draft *d = NULL;
    uint32_t at = NONE;
    quire_status st = tree_begin(s, err);

    if (st)
        return st;
    if (entry && (at = session_find(s, entry)) == NONE)
        st = QUIRE_NOT_FOUND;
    write_header(&header, birth);
    if (!st)
        st = buf_status(&header, "a header", err);
    if (!st)
        st = log_create(store, name, &d, err);
    if (!st)
        st = log_write(d, buf_bytes(&header), err);
    if (!st)
        st = entry ? copy_path(s, d, at, err) : copy_all(s, d, err);
    if (!st) {
        st = log_publish(d, name, false, NULL, err);
        if (st != QUIRE_EXISTS)
            d = NULL;
    }
    if (d)
        log_discard(d);
    buf_release(&header);
    session_leave(s);
    return st;
}
