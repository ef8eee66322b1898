/*
 * load.c - build the index from the log
 *
 * Opening is one pass over the bytes. Of each line only the beginning and the
 * last byte are read (a quick scan, see jsonl.h); the result is a number, an
 * offset and a parent. An entry is parsed in full on first use. If that
 * contradicts the quick scan, the whole log is parsed in full and the call is
 * repeated: damage costs time, never a wrong answer.
 *
 * Other processes may write to the file while we have it open. Each call first
 * checks the file (one system call): if it has grown, the new lines are added
 * to the index; if it is another file, or shorter, it is read again from its
 * start. Neither side's lines are lost: ours are in the file before an append
 * returns.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "session/migrate.h"
#include "session/priv.h"

/* A page of transcript, in one read; and what is read of it where neither the part
 * before nor the part behind is likely to be needed next. */
#define WINDOW       ((size_t)128 * 1024)
#define WINDOW_SMALL ((size_t)2 * 1024)

/* ---- bytes -------------------------------------------------------------- */

/* Fill the window so that it holds [at, at + len); `from` is where to begin,
 * at or before `at`, and `least` how much to read at least. */
static quire_status fill_window(quire_session *s, uint64_t from, uint64_t at,
                                uint32_t len, size_t least, quire_error *err)
{
    size_t want = (size_t)(at - from) + len;
    struct buf *w = &s->window;
    quire_status st;
    void *room;
    size_t n;

    if (want < least)
        want = least;
    buf_clear(w);
    room = buf_room(w, want);
    if (!room)
        return buf_status(w, "an entry", err);
    st = log_read(s->log, from, room, want, &n, err);
    if (st)
        return st;
    buf_grow(w, n);
    s->window_at = from;
    if (from + n < at + len)
        return err_set(err, QUIRE_CHANGED, "%s was truncated while it was read",
                       s->path);
    return QUIRE_OK;
}

static bool in_window(const quire_session *s, uint64_t at, uint32_t len)
{
    return at >= s->window_at && at + len <= s->window_at + s->window.len;
}

/* Where a window begins that ends with [at, at + len). */
static uint64_t begin_before(uint64_t at, uint32_t len)
{
    uint64_t from = at + len < WINDOW ? 0 : at + len - WINDOW;

    return from < at ? from : at;
}

/* Read around [at, at + len). The last window shows where the caller goes: on from
 * it, back from it, or anywhere, as in a file whose branches are against its order.
 * Then a page for each line would cost a thousand times its bytes. Without a window
 * `back` decides. */
static quire_status read_window(quire_session *s, uint64_t at, uint32_t len,
                                bool back, quire_error *err)
{
    uint64_t begin = s->window_at, end = begin + s->window.len;

    if (s->window.len) {
        back = at < begin;
        if (back ? at + len + WINDOW < begin : at > end + WINDOW)
            return fill_window(s, at, at, len, WINDOW_SMALL, err);
    }
    return fill_window(s, back ? begin_before(at, len) : at, at, len, WINDOW,
                       err);
}

static quire_status load_some(quire_session *s, uint64_t at, uint32_t len,
                              bool back, quire_bytes *out, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!in_window(s, at, len))
        st = read_window(s, at, len, back, err);
    if (!st)
        *out = bytes_of(s->window.data + (at - s->window_at), len);
    return st;
}

quire_status load_bytes(quire_session *s, uint64_t at, uint32_t len,
                        quire_bytes *out, quire_error *err)
{
    return load_some(s, at, len, false, out, err);
}

quire_status load_before(quire_session *s, uint64_t at, uint32_t len,
                         quire_bytes *out, quire_error *err)
{
    return load_some(s, at, len, true, out, err);
}

static void forget_window(quire_session *s)
{
    buf_clear(&s->window);
    s->window_at = 0;
}

/* Record the result of a full parse in the index. */
static void record_parse(struct entry *e, quire_bytes text,
                         const struct jsonl_head *head, bool bad_utf8)
{
    e->flags |= ENTRY_CHECKED;
    if (head->body.data)
        e->flags |= ENTRY_BODY_LAST;
    if (bad_utf8)
        e->flags |= ENTRY_BAD_UTF8;
    if (memmem(text.data, text.len, "blob:sha256:", 12))
        e->flags |= ENTRY_REFS;
    if (memchr(text.data, '\n', text.len))
        e->flags |= ENTRY_SPREAD;
    e->body = (uint32_t)head->body_at;
}

/* Does the full parse agree with the quick scan on the parent? */
static bool equal_parent(const quire_session *s, const struct entry *e,
                         quire_bytes parent)
{
    if (json_kind(parent) != JSON_STRING || parent.len == 2)
        return e->parent == NONE && !(e->flags & ENTRY_ORPHAN);
    if (e->parent != NONE)
        return json_equal(parent, entry_id(&s->index.list[e->parent]));
    return (e->flags & ENTRY_ORPHAN) != 0;
}

/* And on the rest? A repeated key has its last value. */
static bool equal_head(const quire_session *s, const struct entry *e,
                       const struct jsonl_head *head)
{
    bool named = json_kind(head->id) == JSON_STRING && head->id.len > 2;

    return named == (e->id_len > 0) &&
           (!named || json_equal(head->id, entry_id(e))) &&
           entry_type_of(head->type) == e->type &&
           equal_parent(s, e, head->parent);
}

quire_status load_line(quire_session *s, uint32_t i, quire_bytes *text,
                       quire_error *err)
{
    struct entry *e = &s->index.list[i];
    struct jsonl_head head;
    quire_status st = load_bytes(s, e->at, e->len, text, err);
    bool bad_utf8;

    if (st || (e->flags & ENTRY_CHECKED))
        return st;
    if (jsonl_parse_line(*text, &head, &bad_utf8) && equal_head(s, e, &head)) {
        record_parse(e, *text, &head, bad_utf8);
        return QUIRE_OK;
    }
    s->suspect = true;
    return err_set(err, QUIRE_DAMAGED, "%s is damaged at byte %llu", s->path,
                   (unsigned long long)e->at);
}

/* ---- header ------------------------------------------------------------- */

/* A member of the header as a string; "" if it is not one. NULL: out of memory.
 */
static const char *text_of(quire_session *s, quire_bytes header,
                           const char *key)
{
    quire_bytes value = json_get(header, key), text;

    if (json_kind(value) != JSON_STRING)
        return "";
    text = json_text(value, &s->tmp);
    return text.data ? arena_text(&s->text, text) : NULL;
}

/* The 256 bytes some writers put in front, so that a title can be changed
 * without rewriting the file. */
static bool is_slot(const struct jsonl_value *v)
{
    int64_t n;

    return json_is(v->head.type, "title") &&
           json_read_int(json_get(v->text, "v"), &n) && n == 1 &&
           json_kind(json_get(v->text, "title")) == JSON_STRING;
}

static quire_status read_header(quire_session *s, const struct jsonl_value *v,
                                quire_error *err)
{
    struct header *h = &s->header;
    const char *slot_title = s->slot ? h->title : NULL;

    *h = (struct header){.at = v->at, .len = (uint32_t)v->text.len};
    h->id = text_of(s, v->text, "id");
    h->cwd = text_of(s, v->text, "cwd");
    h->title = text_of(s, v->text, "title");
    h->parent = text_of(s, v->text, "parentSession");
    h->created = text_of(s, v->text, "timestamp");
    if (!h->id || !h->cwd || !h->title || !h->parent || !h->created)
        return err_memory(err);
    /* The slot is newer than the header, and an empty one means no title. */
    if (slot_title)
        h->title = slot_title;
    h->imported = json_kind(json_get(v->text, "agent")) == JSON_STRING &&
                  json_kind(json_get(v->text, "source")) == JSON_STRING;
    h->version = migrate_version_of(v->text);
    return QUIRE_OK;
}

/* The agent that begins a session file so; NULL: none that we know. */
static const char *agent_of_first(quire_bytes line)
{
    quire_bytes type = json_get(line, "type");

    if (json_is(type, "session_meta") && json_get(line, "payload").data)
        return "Codex";
    if (!json_get(line, "sessionId").data)
        return json_is(type, "summary") && json_get(line, "leafUuid").data
                   ? "Claude Code"
                   : NULL;
    if (json_get(line, "projectHash").data)
        return "Gemini CLI";
    if (json_get(json_get(line, "message"), "parts").data)
        return "Qwen Code";
    return type.data ? "Claude Code" : NULL;
}

static quire_status fail_no_header(quire_session *s, const char *why,
                                   quire_error *err)
{
    quire_status st = err_fail(
        err, QUIRE_DAMAGED,
        "nothing was changed; if it is a session, repair its first line, "
        "the header",
        "%s is not a session: %s", s->path, why);
    return st;
}

/* A value before the header is known: the title slot, or the header. */
static quire_status read_first(quire_session *s, const struct jsonl_value *v,
                               quire_error *err)
{
    const char *agent;

    if (v->is_object && !s->slot && !s->header.id && is_slot(v)) {
        s->slot = (uint32_t)v->text.len + 1;
        s->slot_at = v->at;
        s->header.title = text_of(s, v->text, "title");
        return s->header.title ? QUIRE_OK : err_memory(err);
    }
    agent = v->is_object && !s->slot ? agent_of_first(v->text) : NULL;
    if (agent) {
        err_set(err, QUIRE_INVALID,
                "%s is a session file of %s, which Quire only reads", s->path,
                agent);
        err_next(err, HINT_SHELL "`quire import %s` makes a session of it",
                 s->path);
        return QUIRE_INVALID;
    }
    if (!v->is_object || !json_is(v->head.type, "session"))
        return fail_no_header(s, "its first entry is not a header", err);
    if (json_kind(v->head.id) != JSON_STRING)
        return fail_no_header(s, "its header has no id", err);
    return read_header(s, v, err);
}

/* ---- entries ------------------------------------------------------------ */

static void list_problem(quire_session *s, uint64_t at, uint64_t line,
                         const char *kind, const char *why)
{
    struct problems *p = s->problems;
    struct problem *list;
    size_t cap;

    if (!p)
        return;
    if (p->n == p->cap) {
        cap = p->cap ? p->cap * 2 : 64;
        list = arena_array(p->arena, cap, sizeof *list);
        if (!list) {
            p->failed = true;
            return;
        }
        if (p->n)
            memcpy(list, p->list, p->n * sizeof *list);
        p->list = list;
        p->cap = cap;
    }
    p->list[p->n++] = (struct problem){at, line, kind, why};
}

void load_problem(quire_session *s, uint64_t at, uint64_t line,
                  const char *kind, const char *why)
{
    s->n_problems++;
    list_problem(s, at, line, kind, why);
}

/* The text of an id, copied only if it has escapes. */
static quire_bytes id_text(quire_session *s, quire_bytes json, bool plain)
{
    if (json_kind(json) != JSON_STRING)
        return bytes_of(NULL, 0);
    return plain ? bytes_sub(json, 1, json.len - 1) : json_text(json, &s->tmp);
}

static quire_status add_entry(quire_session *s, const struct jsonl_value *v,
                              quire_error *err)
{
    struct index_line line = {.at = v->at,
                              .len = (uint32_t)v->text.len,
                              .body = (uint32_t)v->head.body_at};

    line.type = (uint8_t)entry_type_of(v->head.type);
    if (line.type == ENTRY_OTHER && json_is(v->head.type, "session")) {
        load_problem(s, v->at, v->line, "second_header",
                     "a header in the middle of the file");
        return QUIRE_OK;
    }
    line.id = id_text(s, v->head.id, v->head.plain);
    line.parent = id_text(s, v->head.parent, v->head.plain);
    if (line.id.len == 0 || line.id.len > UINT16_MAX)
        load_problem(s, v->at, v->line, "no_id", "an entry without an id");
    if (json_kind(v->head.type) != JSON_STRING)
        load_problem(s, v->at, v->line, "no_type", "an entry without a type");
    if (!index_add(&s->index, &line))
        return err_memory(err);
    s->n_messages += line.type == ENTRY_MESSAGE;
    if (v->full)
        record_parse(&s->index.list[s->index.n - 1], v->text, &v->head,
                     v->bad_utf8);
    return QUIRE_OK;
}

/* The common entry: nothing to decode, nothing to report. */
static quire_status add_plain(quire_session *s, const struct jsonl_value *v,
                              quire_error *err)
{
    const struct jsonl_head *h = &v->head;
    struct index_line line = {.at = v->at,
                              .len = (uint32_t)v->text.len,
                              .id = bytes_sub(h->id, 1, h->id.len - 1),
                              .body = (uint32_t)h->body_at,
                              .type = ENTRY_MESSAGE};

    if (*(const char *)h->parent.data == '"')
        line.parent = bytes_sub(h->parent, 1, h->parent.len - 1);
    s->open_end = s->torn = s->fragment = false;
    s->n_messages++;
    return index_add(&s->index, &line) ? QUIRE_OK : err_memory(err);
}

/* Whether a line that is cut off is what an append left that did not end. */
static bool is_fragment(quire_session *s, const struct jsonl_value *v)
{
    return !strcmp(v->kind, "torn") && s->in_file &&
           log_unfinished(s->log) == v->at;
}

static quire_status add_value(quire_session *s, const struct jsonl_value *v,
                              quire_error *err)
{
    quire_status st;

    if (v->head.plain && v->head.body_at && s->header.id &&
        v->head.id.len > 2 && v->head.id.len < UINT16_MAX &&
        entry_type_of(v->head.type) == ENTRY_MESSAGE)
        return add_plain(s, v, err);

    s->open_end = v->open_end;
    s->torn = v->kind && !v->text.data;
    s->fragment = s->torn && is_fragment(s, v);
    if (s->fragment) {
        s->fragment_at = v->at;
        list_problem(s, v->at, v->line, "unacknowledged",
                     "an append that did not end; the next one removes it");
    } else if (v->kind) {
        load_problem(s, v->bad_at, v->line, v->kind, v->why);
    }
    if (!v->text.data)
        return QUIRE_OK;
    if (!s->header.id)
        st = read_first(s, v, err);
    else
        st = v->is_object ? add_entry(s, v, err) : QUIRE_OK;
    arena_reset(&s->tmp);
    return st;
}

/* ---- passes ------------------------------------------------------------- */

static quire_status read_values(quire_session *s, quire_error *err)
{
    struct jsonl_value v;
    struct jsonl j;
    quire_status st;
    bool more;

    /* What makes a file a session is always parsed in full. */
    jsonl_init(&j, s->log, s->size, s->lines + 1, s->full || !s->header.id);
    while (!(st = jsonl_next(&j, &v, &more, err)) && more) {
        st = add_value(s, &v, err);
        /* A part without a value may be the rest of one that a quick scan took
         * for whole. */
        s->suspect = s->suspect || (!s->full && s->torn);
        j.full = s->full || !s->header.id;
        if (st || s->suspect ||
            (s->header.id && s->header.version < MIGRATE_VERSION))
            break;
    }
    if (!st && !more) {
        s->size = j.base + j.at;
        s->lines = j.line - 1;
    }
    jsonl_release(&j);
    return st;
}

/* Whether the log ends without a line break. */
static quire_status check_end(quire_session *s, quire_error *err)
{
    quire_status st;
    char last = '\n';
    size_t n = 1;

    if (s->size == 0)
        return QUIRE_OK;
    st = log_read(s->log, s->size - 1, &last, 1, &n, err);
    if (!st && n == 1)
        s->open_end = last != '\n';
    return st;
}

void load_find_leaf(quire_session *s)
{
    uint32_t i = s->index.n;

    while (i > 0 && s->index.list[i - 1].id_len == 0)
        i--;
    s->leaf = i ? i - 1 : NONE;
    s->leaf_is_last = true;
}

static quire_status finish_load(quire_session *s, quire_error *err)
{
    quire_status st = check_end(s, err);

    if (!st)
        index_settle(&s->index);
    return st;
}

/* Reset the state, also after a call that failed half way or before the first
 * load. */
static void forget_all(quire_session *s)
{
    load_forget_ops(s);
    index_clear(&s->index);
    heads_release(&s->heads);
    arena_release(&s->text);
    forget_window(s);
    s->size = s->lines = s->n_problems = s->n_messages = 0;
    s->slot = 0;
    s->header = (struct header){0};
    s->open_end = s->torn = s->fragment = s->suspect = false;
    s->leaf = NONE;
    s->stale = true;
}

quire_status load_all(quire_session *s, bool full, quire_error *err)
{
    char was[UINT8_MAX + 1] = "";
    bool follow = s->leaf_is_last || s->leaf == NONE;
    quire_status st;

    if (s->leaf != NONE) {
        quire_bytes id = entry_id(&s->index.list[s->leaf]);

        if (id.len < sizeof was)
            memcpy(was, id.data, id.len);
    } else if (s->index.n > 0) {
        follow = false; /* a caller moved the leaf before the first entry */
    }
    forget_all(s);
    s->full = full;
    st = read_values(s, err);
    if (!st && s->suspect) { /* once more, with a full parse */
        forget_all(s);
        s->full = true;
        st = read_values(s, err);
    }
    if (!st && s->header.id && s->header.version < MIGRATE_VERSION)
        return QUIRE_OK; /* the caller migrates it */
    if (!st)
        st = finish_load(s, err);
    if (!st && follow)
        load_find_leaf(s);
    else if (!st && *was) {
        s->leaf = index_find(&s->index, bytes_str(was));
        if (s->leaf == NONE) /* the file was rewritten without it */
            load_find_leaf(s);
    }
    s->stale = st != QUIRE_OK;
    /* Without any content the file is empty, which the caller handles. */
    if (!st && !s->header.id && (s->n_problems > 0 || s->slot))
        st = fail_no_header(s, "none of its lines can be read", err);
    return st;
}

quire_status load_rest(quire_session *s, quire_error *err)
{
    quire_status st;

    forget_window(s);
    st = read_values(s, err);
    if (!st && s->suspect)
        return load_anew(s, true, err);
    if (!st)
        st = finish_load(s, err);
    if (!st && s->leaf_is_last)
        load_find_leaf(s);
    s->stale = st != QUIRE_OK;
    return st;
}

quire_status load_anew(quire_session *s, bool full, quire_error *err)
{
    char was[256] = "";
    quire_status st;

    if (s->header.id)
        snprintf(was, sizeof was, "%s", s->header.id);
    st = load_all(s, full, err);
    if (!st && s->header.id && *was && strncmp(was, s->header.id, 255) != 0) {
        st = err_fail(err, QUIRE_CHANGED, "open the session again, by its id",
                      "%s is now the file of another session", s->path);
        write_latch(s, st, err);
    } else if (!st && !s->header.id) {
        st = err_fail(err, QUIRE_DAMAGED,
                      "another process emptied it; its content is lost "
                      "unless you have a copy",
                      "%s was emptied", s->path);
    } else if (!st && s->header.version < MIGRATE_VERSION) {
        st = err_fail(err, QUIRE_CHANGED, "open the session again",
                      "%s was replaced by a file of an older version", s->path);
    }
    s->stale = st != QUIRE_OK;
    return st;
}

quire_status load_full(quire_session *s, quire_error *err)
{
    return s->full ? QUIRE_OK : load_anew(s, true, err);
}

bool load_again(quire_session *s, quire_status *st, quire_error *err)
{
    if (!s->suspect)
        return false;
    s->suspect = false;
    *st = load_anew(s, true, err);
    return *st == QUIRE_OK;
}

/* ---- changes by other processes ----------------------------------------- */

quire_status session_hold(struct log_store *store, const char *name,
                          int busy_ms, struct log **out, quire_error *err)
{
    struct object_info info;
    struct log *log;
    uint64_t size;
    quire_status st;
    bool named = false;
    int tries;

    for (tries = 0; tries < 10; tries++) {
        st = log_open(store, name, LOG_APPEND, &log, &info, err);
        if (st)
            return st;
        st = log_hold(log, busy_ms, err);
        if (!st)
            st = log_status(log, &size, &named, err);
        if (!st && named) {
            *out = log;
            return QUIRE_OK;
        }
        log_close(log);
        if (st)
            return st;
    }
    return err_set(err, QUIRE_BUSY, "%s/%s is replaced again and again",
                   log_place(store), name);
}

/* Ids of entries, to be found again in another file. */
struct id_list {
    char **ids; /* in the arena */
    size_t n;
};

static quire_status list_own(quire_session *s, struct arena *keep,
                             struct id_list *out, quire_error *err)
{
    uint32_t i;

    *out = (struct id_list){NULL, 0};
    if (s->own_from >= s->index.n)
        return QUIRE_OK;
    out->ids = arena_alloc(keep, (s->index.n - s->own_from) * sizeof *out->ids);
    if (!out->ids)
        return err_memory(err);
    for (i = s->own_from; i < s->index.n; i++) {
        char *id = arena_text(keep, entry_id(&s->index.list[i]));

        if (!id)
            return err_memory(err);
        out->ids[out->n++] = id;
    }
    return QUIRE_OK;
}

static quire_status check_own(const quire_session *s, const struct id_list *own,
                              quire_error *err)
{
    size_t i;

    for (i = 0; i < own->n; i++)
        if (*own->ids[i] && session_find(s, own->ids[i]) == NONE)
            return err_fail(err, QUIRE_CHANGED,
                            "find the file that had this name: it has the "
                            "entry; then open the session again",
                            "%s was replaced by a file without entry %s, which "
                            "was appended last",
                            s->path, own->ids[i]);
    return QUIRE_OK;
}

static quire_status open_again(quire_session *s, quire_error *err)
{
    struct log *log = NULL;
    quire_status st = session_hold(s->store->logs, s->name, s->env.busy_ms,
                                   &log, err);

    if (st == QUIRE_NOT_FOUND) {
        st = err_fail(err, QUIRE_IO,
                      "restore the file, or start another session",
                      "%s has been moved or removed", s->path);
    }
    if (st)
        return st;
    log_close(s->log);
    s->log = log;
    return load_anew(s, false, err);
}

quire_status load_reopen(quire_session *s, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct id_list own;
    quire_status st = list_own(s, &tmp, &own, err);

    if (!st)
        st = open_again(s, err);
    if (!st)
        st = check_own(s, &own, &s->lost);
    if (st == QUIRE_CHANGED && err)
        *err = s->lost;
    s->own_from = st || own.n == 0 ? NONE : 0; /* the next sync covers all */
    arena_release(&tmp);
    return st;
}

/* Another program replaced the file: go on with its content. If entries are lost
 * the next flush reports it, which would have acknowledged them. */
static quire_status follow_name(quire_session *s, quire_error *err)
{
    quire_status st = load_reopen(s, err);

    return st == QUIRE_CHANGED && s->lost.status ? QUIRE_OK : st;
}

quire_status load_refresh(quire_session *s, quire_error *err)
{
    uint64_t size;
    quire_status st;
    bool named;

    if (!s->in_file)
        return s->stale ? load_anew(s, s->full, err) : QUIRE_OK;
    st = log_status(s->log, &size, &named, err);
    if (st)
        return st;
    /* A reader keeps the content it has open. */
    if (!named && !s->read_only) {
        write_quiet(s); /* other threads may get the lock meanwhile */
        st = log_status(s->log, &size, &named, err);
        if (st || !named)
            return st ? st : follow_name(s, err);
    }
    if (s->stale)
        return load_anew(s, s->full, err);
    if (size == s->size)
        return QUIRE_OK;
    /* An incomplete line may be complete by now. */
    if (size < s->size || s->open_end || s->torn)
        return load_anew(s, s->full, err);
    return load_rest(s, err);
}

bool load_time(quire_session *s, quire_bytes line, int64_t *ms)
{
    quire_bytes when = json_get(line, "timestamp");

    if (json_kind(when) != JSON_STRING)
        return false;
    when = json_text(when, &s->tmp);
    return when.data && timestamp_parse(when, ms);
}

uint32_t session_find(const quire_session *s, const char *id)
{
    return index_find(&s->index, bytes_str(id));
}

void load_forget_ops(quire_session *s)
{
    if (!s->ops)
        return;
    map_release(&s->ops->done);
    arena_release(&s->ops->text);
    free(s->ops);
    s->ops = NULL;
}
