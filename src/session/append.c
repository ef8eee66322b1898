/*
 * append.c - append entries
 *
 * An append is one write of one whole line. Invariants:
 *
 *   (1) A line is in the file before its append returns, or the append has
 *       failed and the file is as it was.
 *   (2) The file ends in a line break before anything is added to it.
 *   (3) Lines of other processes since the last refresh are in the index
 *       before ours is written, so its parent is chosen with them in view.
 *   (4) After a failed write or sync nothing more is written: the error
 *       latches, and every later call returns it, until the session is opened
 *       again and the file has been re-read.
 *
 * Group commit: appends are counted; a thread that wants to wait and finds no
 * sync running syncs all that is written so far, with the lock released, and
 * wakes the others. Meanwhile further appends collect for the next sync:
 *
 *     thread 1   write ---- sync ------------
 *     thread 2     write ---- (waits) ------ sync --------
 *     thread 3       write -- (waits) ------ (waits) -----
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "session/entry_format.h"
#include "session/entry_shape.h"
#include "session/names.h"
#include "session/persist.h"
#include "session/priv.h"

void write_header(struct buf *out, const struct session_birth *birth)
{
    struct json_writer w;
    char when[TIMESTAMP_SIZE];

    buf_clear(out);
    timestamp_format(birth->at_us, when);
    json_begin(&w, out);
    json_object(&w);
    json_put_str(&w, "type", "session");
    json_put_int(&w, "version", 3);
    json_put_str(&w, "id", birth->id);
    json_put_str(&w, "timestamp", when);
    json_put_str(&w, "cwd", birth->cwd);
    if (birth->title && *birth->title) {
        json_put_str(&w, "title", birth->title);
    }
    if (birth->parent && *birth->parent) {
        json_put_str(&w, "parentSession", birth->parent);
    }
    if (birth->agent)
        json_put_str(&w, "agent", birth->agent);
    if (birth->source)
        json_put_str(&w, "source", birth->source);
    json_object_end(&w);
    buf_add_char(out, '\n');
}

quire_bytes write_quoted(struct arena *keep, quire_bytes text)
{
    struct buf b = BUF_INIT(1 << 20);
    quire_bytes out = {NULL, 0};
    const unsigned char *c = text.data;
    size_t i = 0;
    char *room;

    while (i < text.len && c[i] >= ' ' && c[i] < 0x7f && c[i] != '"' &&
           c[i] != '\\')
        i++;
    if (i == text.len) { /* as ids are */
        room = arena_alloc(keep, text.len + 2);
        if (!room)
            return out;
        room[0] = room[text.len + 1] = '"';
        memcpy(room + 1, text.data, text.len);
        return bytes_of(room, text.len + 2);
    }
    json_add_quoted(&b, text);
    if (!b.failed)
        out = arena_dup(keep, buf_bytes(&b));
    buf_release(&b);
    return out;
}

/* ---- ready to write ------------------------------------------------------ */

quire_status write_ready(quire_session *s, quire_error *err)
{
    quire_status st;

    if (s->failed.status) {
        if (err)
            *err = s->failed;
        return s->failed.status;
    }
    if (s->read_only) {
        st = err_fail(err, QUIRE_INVALID, "open the session for writing",
                      "%s is open read-only", s->path);
        return st;
    }
    return load_refresh(s, err);
}

/* ---- writing and syncing ------------------------------------------------ */

quire_status write_to_file(quire_session *s, quire_error *err)
{
    struct log *log;
    struct log_draft *d;
    quire_status st = log_create(s->store->logs, s->name, &d, err);

    if (st)
        return st;
    st = log_copy(s->log, 0, s->size, d, err);
    if (st) {
        log_discard(d);
        return st;
    }
    st = log_publish(d, s->name, false, &log, err);
    if (st == QUIRE_EXISTS) {
        log_discard(d);
        return err_set(err, st, "%s already exists", s->path);
    }
    if (st)
        return st;
    log_close(s->log);
    store_free(s->scratch);
    s->scratch = NULL;
    s->log = log;
    s->in_file = true;
    s->n_synced = s->n_written;
    s->own_from = NONE;
    return QUIRE_OK;
}

/* Wait until append number `target` is on the disk. */
static quire_status wait_synced(quire_session *s, uint64_t target,
                                quire_error *err)
{
    if (s->lost.status)
        write_latch(s, s->lost.status, &s->lost);
    while (s->n_synced < target && !s->failed.status) {
        quire_error why = {0};
        uint32_t next = s->index.n;
        uint64_t reach;
        quire_status st;

        if (s->syncing) {
            pthread_cond_wait(&s->synced, &s->lock);
            continue;
        }
        s->syncing = true;
        reach = s->n_written;
        pthread_mutex_unlock(&s->lock);
        st = log_sync(s->log, &why);
        pthread_mutex_lock(&s->lock);
        s->syncing = false;
        if (!st) {
            s->n_synced = reach;
            s->own_from = s->n_written > reach ? next : NONE;
        }
        /* Another program may have replaced the file by one that has all of
         * it: then that is synced. */
        if (st == QUIRE_CHANGED)
            st = load_reopen(s, &why);
        if (st)
            write_latch(s, st, &why);
        pthread_cond_broadcast(&s->synced);
    }
    if (s->n_synced >= target)
        return QUIRE_OK;
    if (err)
        *err = s->failed;
    return s->failed.status;
}

quire_status quire_session_flush(quire_session *s, quire_error *err)
{
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    if (s->failed.status) {
        if (err)
            *err = s->failed;
        st = s->failed.status;
    } else if (s->in_file && !s->read_only) {
        st = wait_synced(s, s->n_written, err);
    }
    session_leave(s);
    return st;
}

/* ---- operations (idempotency) ------------------------------------------- */

/* Index the operations of entries that are new since the last call. */
static quire_status index_ops(quire_session *s, quire_error *err)
{
    struct ops *o = s->ops;

    for (; o->seen < s->index.n; o->seen++) {
        const struct entry *e = &s->index.list[o->seen];
        quire_bytes line, name;
        quire_status st = load_bytes(s, e->at, e->len, &line, err);

        if (st)
            return st;
        if (!memmem(line.data, line.len, "\"quireOp\"", 9))
            continue;
        name = json_get(line, "quireOp");
        if (json_kind(name) != JSON_STRING)
            continue;
        name = arena_dup(&o->text, json_text(name, &o->text));
        if (!name.data || !map_put(&o->done, name, o->seen, NULL))
            return err_memory(err);
    }
    return QUIRE_OK;
}

/* The entry that operation `op` created; NONE if there is none. */
static quire_status find_op(quire_session *s, const char *op, uint32_t *at,
                            quire_error *err)
{
    uint64_t *found;
    quire_status st;

    if (!s->ops) {
        s->ops = calloc(1, sizeof *s->ops);
        if (!s->ops)
            return err_memory(err);
        map_init(&s->ops->done, s->index.seed[0], s->index.seed[1]);
    }
    st = index_ops(s, err);
    found = st ? NULL : map_get(&s->ops->done, bytes_str(op));
    *at = found ? (uint32_t)*found : NONE;
    return st;
}

/* An entry without the fields that writing adds; NULL: out of memory. */
static struct json_node *read_bare(quire_bytes entry, struct arena *tmp)
{
    static const char *const given[] = {"id", "parentId", "timestamp",
                                        "quireOp"};
    struct json_node *root = json_tree_read(entry, tmp, NULL), *member;
    size_t i;

    for (i = 0; root && i < sizeof given / sizeof *given; i++)
        while ((member = json_tree_get(root, given[i])))
            json_tree_remove(member);
    return root;
}

static bool is_other_entry(quire_bytes wanted, quire_bytes text)
{
    return json_kind(wanted) == JSON_STRING && !json_equal(wanted, text);
}

/* An operation is repeated: is it for the same entry? Compared as stored, for
 * its images may be blobs. The timestamp is ignored: a retry may have a new
 * one. */
static quire_status check_same_op(quire_session *s, quire_bytes entry,
                                  const struct entry_fields *v, const char *op,
                                  uint32_t at, quire_error *err)
{
    const struct entry *e = &s->index.list[at];
    quire_bytes line, none = {"", 0};
    struct json_node *old, *now;
    quire_status st = load_line(s, at, &line, err);

    if (st)
        return st;
    old = read_bare(line, &s->tmp);
    now = read_bare(entry, &s->tmp);
    if (!old || !now)
        return err_memory(err);
    if (!is_other_entry(v->id, entry_id(e)) &&
        !is_other_entry(v->parent, e->parent == NONE
                                       ? none
                                       : entry_id(&s->index.list[e->parent])) &&
        json_tree_same(old, now, &s->tmp))
        return QUIRE_OK;
    e = &s->index.list[at];
    return err_fail(
        err, QUIRE_EXISTS,
        "send the same entry again, or choose another operation name",
        "operation %.64s was already used for another entry, %.*s", op,
        (int)entry_id(e).len, (const char *)entry_id(e).data);
}

/* ---- one append --------------------------------------------------------- */

static void copy_id(char out[256], quire_bytes id)
{
    size_t len = id.len < 255 ? id.len : 255;

    memcpy(out, id.data ? id.data : "", len);
    out[len] = '\0';
}

void write_report(const quire_session *s, uint32_t at, bool existed,
                  quire_appended *out)
{
    const struct entry *e = &s->index.list[at];
    quire_bytes none = {NULL, 0};

    if (!out)
        return;
    memset(out, 0, sizeof *out);
    copy_id(out->id, entry_id(e));
    copy_id(out->parent,
            e->parent == NONE ? none : entry_id(&s->index.list[e->parent]));
    out->existed = existed;
}

quire_status write_no_entry(const quire_session *s, const char *id,
                            quire_error *err)
{
    err_set(err, QUIRE_NOT_FOUND, "no entry %.64s in session %s", id,
            s->header.id);
    err_next(err, HINT_SHELL "`quire session tree %s` shows the entries",
             s->header.id);
    return QUIRE_NOT_FOUND;
}

/* Random bytes in stock: a system call for each id would be a third of an
 * append. */
static int draw_random(void *ctx, void *out, size_t len)
{
    quire_session *s = ctx;

    if (len > sizeof s->noise)
        return s->env.rand->fill(s->env.rand->ctx, out, len);
    if (s->n_noise < len) {
        if (!s->env.rand->fill(s->env.rand->ctx, s->noise, sizeof s->noise))
            return 0;
        s->n_noise = sizeof s->noise;
    }
    s->n_noise -= len;
    memcpy(out, s->noise + s->n_noise, len);
    return 1;
}

/* Choose the id to write, as JSON and as text. */
static quire_status choose_id(quire_session *s, const struct entry_fields *v,
                              quire_bytes *json, quire_bytes *text,
                              quire_error *err)
{
    struct rand_source pool = {draw_random, s};
    quire_status st;

    if (!v->id.data) {
        /* Hex digits need no quoting but the quotes. */
        s->fresh[0] = '"';
        st = names_entry_id(&pool, index_taken, &s->index, s->fresh + 1, err);
        if (st)
            return st;
        *text = bytes_str(s->fresh + 1);
        s->fresh[text->len + 1] = '"';
        *json = bytes_of(s->fresh, text->len + 2);
        return QUIRE_OK;
    }
    if (json_kind(v->id) != JSON_STRING || v->id.len == 2 || v->id.len > 250)
        return err_set(err, QUIRE_INVALID,
                       "invalid entry: id is not a string of 1 to 248 "
                       "bytes");
    *json = v->id;
    *text = json_text(v->id, &s->tmp);
    if (!text->data)
        return err_memory(err);
    if (index_find(&s->index, *text) == NONE)
        return QUIRE_OK;
    return err_fail(err, QUIRE_EXISTS, "leave out the id to get a new one",
                    "session %s already has an entry %.*s", s->header.id,
                    (int)text->len, (const char *)text->data);
}

/* The parent: from the entry, else from the options, else the leaf. */
static quire_status choose_parent(quire_session *s,
                                  const struct entry_fields *v, const char *at,
                                  uint32_t *parent, quire_error *err)
{
    quire_bytes text;
    const char *named;

    *parent = NONE;
    if (json_kind(v->parent) == JSON_STRING) {
        text = json_text(v->parent, &s->tmp);
        named = text.data ? arena_text(&s->tmp, text) : NULL;
        if (!named)
            return err_memory(err);
        *parent = index_find(&s->index, text);
        if (*parent == NONE)
            return write_no_entry(s, named, err);
    } else if (v->parent.data && json_kind(v->parent) != JSON_NULL) {
        return err_set(err, QUIRE_INVALID,
                       "invalid entry: parentId is neither string nor null");
    } else if (v->parent.data || (at && !strcmp(at, "root"))) {
        *parent = NONE;
    } else if (at) {
        *parent = session_find(s, at);
        if (*parent == NONE)
            return write_no_entry(s, at, err);
    } else {
        *parent = s->leaf;
    }
    if (*parent == NONE || (s->index.list[*parent].flags & ENTRY_CHECKED))
        return QUIRE_OK;
    return load_line(s, *parent, &text, err);
}

static quire_status check_expected(quire_session *s, const char *expect,
                                   quire_error *err)
{
    uint32_t want = strcmp(expect, "root") ? session_find(s, expect) : NONE;
    quire_bytes leaf = {NULL, 0};

    if (want == s->leaf && (want != NONE || !strcmp(expect, "root")))
        return QUIRE_OK;
    if (s->leaf != NONE)
        leaf = entry_id(&s->index.list[s->leaf]);
    return err_fail(err, QUIRE_CHANGED,
                    "read the new entries, then try again with the new leaf",
                    "the leaf of session %s is %.*s, not %.64s", s->header.id,
                    leaf.data ? (int)leaf.len : 4,
                    leaf.data ? (const char *)leaf.data : "root", expect);
}

quire_status write_persist(quire_session *s, quire_bytes entry,
                           quire_bytes *out, quire_error *err)
{
    struct buf b = BUF_INIT(JSONL_MAX_LINE);
    struct blob_view blobs = {NULL, 0};
    quire_status st = QUIRE_OK;
    bool mine = s->env.blobs && !(s->flags & QUIRE_SESSION_MEMORY);

    if (mine)
        st = s->env.blobs(s->env.ctx, s->path, &blobs, err);
    s->n_lent += mine && !st;
    if (!st)
        st = persist_entry(entry, blobs, s->env.omp, &s->tmp, &b, err);
    if (mine)
        s->env.release(s->env.ctx);
    if (!st)
        *out = arena_dup(&s->tmp, buf_bytes(&b));
    if (!st && !out->data)
        st = err_memory(err);
    buf_release(&b);
    return st;
}

/* Write the line at the end of the log. */
static quire_status put_line(quire_session *s, quire_bytes line,
                             quire_error *err)
{
    quire_status st = log_append(s->log, LOG_NO_EPOCH, s->size, line, err);

    if (st)
        return write_latch(s, st, err);
    s->n_written++;
    if (s->own_from >= s->index.n)
        s->own_from = s->index.n - 1; /* its line is in the index already */
    return QUIRE_OK;
}

/* Remove what an append left that did not end. */
static quire_status cut_fragment(quire_session *s, quire_error *err)
{
    quire_status st;

    if (!s->fragment || !s->open_end)
        return QUIRE_OK;
    st = log_cut(s->log, s->fragment_at, err);
    if (st)
        return write_latch(s, st, err);
    s->size = s->fragment_at;
    s->open_end = s->torn = s->fragment = false;
    return QUIRE_OK;
}

/* Add the line in s->out to the index before it is written: a line without
 * memory for its index entry is not written. */
static quire_status index_line_out(quire_session *s,
                                   const struct entry_fields *v, quire_bytes id,
                                   uint32_t parent, size_t body,
                                   quire_error *err)
{
    bool led = s->out.data[0] == '\n';
    struct index_line line = {.at = s->size + led,
                              .len = (uint32_t)(s->out.len - led - 1),
                              .id = id,
                              .body = (uint32_t)body,
                              .type = (uint8_t)entry_type_of(v->type),
                              .flags = ENTRY_CHECKED};

    if (!v->plain) {
        struct jsonl_head head;

        jsonl_parse_line(bytes_of(s->out.data + led, line.len), &head, NULL);
        line.body = (uint32_t)head.body_at;
        body = head.body.data ? head.body_at : 0;
    }
    if (body)
        line.flags |= ENTRY_BODY_LAST;
    if (v->refs)
        line.flags |= ENTRY_REFS;
    line.below = parent + 1; /* NONE + 1 is 0 */
    return index_add(&s->index, &line) ? QUIRE_OK : err_memory(err);
}

/* After the write: count the line as part of the log. */
static void count_line(quire_session *s)
{
    s->size += s->out.len;
    s->lines += s->out.data[0] == '\n' ? 2 : 1;
    s->open_end = s->torn = s->fragment = false;
    s->n_messages += s->index.list[s->index.n - 1].type == ENTRY_MESSAGE;
    s->leaf = s->index.n - 1;
    s->leaf_is_last = true;
    if (s->index.waiting) /* perhaps for this one */
        index_settle(&s->index);
}

/* The time as a JSON string, formatted once a millisecond. */
static quire_bytes now_quoted(quire_session *s)
{
    int64_t ms = clock_us(s->env.clock) / 1000;

    if (ms != s->when_ms || !s->when[0]) {
        s->when[0] = '"';
        timestamp_format(ms * 1000, s->when + 1);
        strcat(s->when, "\"");
        s->when_ms = ms;
    }
    return bytes_str(s->when);
}

/* Build the line in s->out and write it. */
static quire_status write_entry(quire_session *s, quire_bytes entry,
                                struct entry_fields *v, const char *op,
                                uint32_t parent, quire_error *err)
{
    struct entry_defaults f = {.timestamp = v->timestamp};
    quire_bytes id = {NULL, 0};
    size_t body;
    quire_status st = choose_id(s, v, &f.id, &id, err);

    if (st)
        return st;
    if (v->id.data && index_awaits(&s->index, parent, id))
        return err_set(err, QUIRE_INVALID,
                       "entry %.*s would be its own ancestor: an entry "
                       "above it has it as its missing parent",
                       (int)id.len, (const char *)id.data);
    if (json_kind(f.timestamp) != JSON_STRING)
        f.timestamp = now_quoted(s);
    f.parent = parent == NONE
                   ? bytes_str("null")
                   : write_quoted(&s->tmp, entry_id(&s->index.list[parent]));
    if (op)
        f.op = write_quoted(&s->tmp, bytes_str(op));
    if (!f.parent.data || (op && !f.op.data))
        return err_memory(err);
    st = cut_fragment(s, err);
    if (st)
        return st;
    buf_clear(&s->out);
    if (s->open_end)
        buf_add_char(&s->out, '\n');
    entry_format_line(entry, v, &f, &s->out, &body);
    buf_add_char(&s->out, '\n');
    st = buf_status(&s->out, "an entry", err);
    if (!st)
        st = index_line_out(s, v, id, parent, body, err);
    if (st)
        return st;
    st = put_line(s, buf_bytes(&s->out), err);
    if (st)
        index_pop(&s->index);
    else
        count_line(s);
    return st;
}

/* Each reader replaces malformed bytes differently, so the sender has to
 * decide. */
static quire_status check_utf8(quire_bytes entry, quire_error *err)
{
    size_t bad = utf8_find_bad(entry);

    if (bad == entry.len)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "send text, or base64 for other bytes",
                    "invalid entry: byte %zu is not UTF-8", bad);
}

/* Whether it has more truncation notices than before: 1, the whole is kept; 2, it is
 * not. */
static int was_cut(quire_bytes before, quire_bytes now)
{
    static const char notice[] = PERSIST_NOTICE;

    if (!memmem(now.data, now.len, notice, sizeof notice - 1) ||
        (before.len <= now.len &&
         memmem(before.data, before.len, notice, sizeof notice - 1)))
        return 0;
    return json_get(now, PERSIST_WHOLE).data ? 1 : 2;
}

/* The work that needs no exclusive lock: check the entry, store its images,
 * index the operations. */
static quire_status prepare_entry(quire_session *s, quire_bytes *entry,
                                  const quire_append_options *o,
                                  struct entry_fields *v, quire_error *err)
{
    quire_bytes given = *entry;
    uint32_t at;
    quire_status st;

    arena_reset(&s->tmp);
    s->truncated = 0;
    st = write_ready(s, err);
    if (!st && o->op && !*o->op)
        st = err_set(err, QUIRE_INVALID, "operation name is empty");
    if (!st && o->op)
        st = find_op(s, o->op, &at, err);
    if (!st)
        st = check_utf8(*entry, err);
    if (!st)
        st = entry_fields_read(*entry, v, err);
    if (!st && !o->any)
        st = entry_shape_check(*entry, v, err);
    if (!st && v->heavy) {
        st = write_persist(s, *entry, entry, err);
        s->truncated = st ? 0 : was_cut(given, *entry);
        if (!st)
            st = entry_fields_read(*entry, v, err);
    }
    return st;
}

/* One attempt. The parent must be intact: it is parsed in full, and if that
 * finds damage the whole append is retried. */
static quire_status append_once(quire_session *s, quire_bytes entry,
                                const quire_append_options *o,
                                quire_appended *out, quire_error *err)
{
    uint32_t at = NONE, parent = NONE;
    struct entry_fields v;
    quire_status st = prepare_entry(s, &entry, o, &v, err);

    if (!st && s->env.omp && s->in_file) {
        st = omp_lock_acquire(s->path, s->env.busy_ms, &s->theirs, err);
        if (!st) /* what was appended until now */
            st = load_refresh(s, err);
    }
    if (!st && o->op)
        st = find_op(s, o->op, &at, err);
    if (!st && at != NONE) {
        st = check_same_op(s, entry, &v, o->op, at, err);
        if (!st)
            write_report(s, at, true, out);
        return st;
    }
    if (!st && o->expect)
        st = check_expected(s, o->expect, err);
    if (!st)
        st = choose_parent(s, &v, o->at, &parent, err);
    /* The first answer moves a session to a file. If that fails nothing is
     * lost: earlier entries are in memory, and the answer is refused. */
    if (!st && !s->in_file && !(s->flags & QUIRE_SESSION_MEMORY) &&
        json_is(v.type, "message") && json_is(v.role, "assistant"))
        st = write_to_file(s, err);
    if (!st)
        st = write_entry(s, entry, &v, o->op, parent, err);
    if (!st)
        write_report(s, s->leaf, false, out);
    if (!st && out)
        out->truncated = s->truncated;
    return st;
}

/* Blobs put for lines that are now in the file are referenced by it. Before the
 * session has a file, only the pin keeps them from a collection. */
void write_settled(quire_session *s)
{
    for (; s->n_lent > 0; s->n_lent--)
        s->env.written(s->env.ctx);
}

static quire_status append_locked(quire_session *s, quire_bytes entry,
                                  const quire_append_options *o,
                                  quire_appended *out, quire_error *err)
{
    quire_status st;

    /* Loading another process's changes may have to wait for a sync of ours,
     * which must not happen while holding oh-my-pi's lock. */
    if (s->env.omp)
        write_quiet(s);
    do {
        st = append_once(s, entry, o, out, err);
        omp_lock_release(&s->theirs);
    } while (load_again(s, &st, err));
    if (s->in_file)
        write_settled(s);
    return st;
}

/* Whether an entry could be appended, before a session is made for it. */
static quire_status check_append(quire_session *s, quire_bytes entry,
                                 const quire_append_options *o,
                                 quire_error *err)
{
    quire_bytes json, text;
    struct entry_fields v;
    uint32_t parent;
    quire_status st;

    arena_reset(&s->tmp);
    if (o->op && !*o->op)
        return err_set(err, QUIRE_INVALID, "operation name is empty");
    st = check_utf8(entry, err);
    if (!st)
        st = entry_fields_read(entry, &v, err);
    if (!st && !o->any)
        st = entry_shape_check(entry, &v, err);
    if (!st && o->expect)
        st = check_expected(s, o->expect, err);
    if (!st)
        st = choose_parent(s, &v, o->at, &parent, err);
    return st ? st : choose_id(s, &v, &json, &text, err);
}

/* Appends to an imported session go to another one. From the sync on the lock is
 * not released. */
static quire_status leave_imported(quire_session *s, quire_bytes entry,
                                   const quire_append_options *o, bool *left,
                                   quire_error *err)
{
    quire_session *next = NULL;
    quire_status st;

    *left = false;
    if (!s->header.imported)
        return QUIRE_OK;
    st = write_ready(s, err);
    if (!st && s->in_file)
        st = wait_synced(s, s->n_written, err);
    write_quiet(s);
    if (st)
        return st;
    st = continue_find(s, false, &next, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    do
        if (!st && !next)
            st = check_append(s, entry, o, err);
    while (load_again(s, &st, err));
    if (!st && !next)
        st = continue_find(s, true, &next, err);
    *left = !st;
    if (!st)
        continue_in(s, next);
    return st;
}

static quire_status append_entry(quire_session *s, quire_bytes entry,
                                 const quire_append_options *o, bool is_note,
                                 quire_appended *out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    uint64_t secrets = 0;
    bool left = false;
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    if (s->env.guard)
        st = s->env.guard(s->env.ctx, &tmp, &entry, &secrets, err);
    if (!st && !is_note)
        st = leave_imported(s, entry, o, &left, err);
    if (!st)
        st = append_locked(s, entry, o, out, err);
    arena_release(&tmp);
    if (!st && out) {
        out->continued = left;
        out->secrets = out->existed ? 0 : secrets;
    }
    if (!st && s->sync == QUIRE_SYNC_EACH && s->in_file)
        st = wait_synced(s, s->n_written, err);
    session_leave(s);
    return st;
}

quire_status quire_session_append(quire_session *s, quire_bytes entry,
                                  const quire_append_options *options,
                                  quire_appended *out, quire_error *err)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;

    OPTIONS_READ(o, options);
    return append_entry(s, entry, &o, false, out, err);
}

quire_status write_note(quire_session *s, quire_bytes entry,
                        quire_appended *out, quire_error *err)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;

    o.any = 1;
    return append_entry(s, entry, &o, true, out, err);
}

quire_status quire_session_ensure(quire_session *s, quire_error *err)
{
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    st = write_ready(s, err);
    if (!st && !s->in_file && (s->flags & QUIRE_SESSION_MEMORY))
        st = err_set(err, QUIRE_INVALID, "a session in memory has no file");
    if (!st && !s->in_file)
        st = write_to_file(s, err);
    if (s->in_file)
        write_settled(s);
    session_leave(s);
    return st;
}
