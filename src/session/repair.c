/*
 * repair.c - replace a damaged session by a repaired copy
 *
 * In three steps, so that no step can lose anything:
 *
 *     1. the original is copied, byte for byte, and synced
 *     2. what can be read is collected, a line each: entries, and entries
 *        behind a torn line or a second one on the same line; and as they are,
 *        lines that are nested too deeply to be read
 *     3. these get what the tree needs, and replace the original
 *
 * An entry without an id gets one. Of two entries with one id the earlier gets
 * a new one: every reader resolves the id to the later. An entry with a missing
 * parent, or that is its own ancestor, goes below the entry before it: that is
 * where its lost parent would have been, and with it the history that a reader
 * could not reach. In a file where parents come after their children that might
 * be its own descendant, so there it becomes a root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "base/utf8.h"
#include "session/names.h"
#include "session/priv.h"

#define GATHERED "gathered"

/* ---- step 1: keep the original ------------------------------------------ */

static quire_status keep_original(struct log_store *store, struct log *log,
                                  const char *kept, quire_error *err)
{
    struct log_draft *d;
    quire_status st = log_create(store, kept, &d, err);

    if (st)
        return st;
    st = log_copy(log, 0, UINT64_MAX, d, err);
    if (st) {
        log_discard(d);
        return st;
    }
    st = log_publish(d, kept, false, NULL, err);
    if (st == QUIRE_EXISTS)
        log_discard(d);
    return st;
}

/* ---- step 2: collect entries -------------------------------------------- */

static quire_status put_value(struct log_draft *d, quire_bytes text,
                              quire_error *err)
{
    quire_status st = log_write(d, text, err);

    return st ? st : log_write(d, bytes_str("\n"), err);
}

/* Empty lines up to line `to`: ids of version 1 are derived from the line
 * number, so each entry keeps its own. */
static quire_status skip_lines(struct log_draft *d, uint64_t *line, uint64_t to,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;

    for (; !st && *line < to; ++*line)
        st = log_write(d, bytes_str("\n"), err);
    return st;
}

static bool is_entry(quire_bytes text)
{
    struct jsonl_head head;

    return jsonl_parse_line(text, &head, NULL) &&
           json_kind(head.type) == JSON_STRING &&
           json_kind(head.id) == JSON_STRING;
}

/* Whether a value of the torn text itself begins at `at`: then it is a part of
 * that, not another entry. */
static bool is_inside(quire_bytes line, const char *at)
{
    struct json_scan s;
    enum json_step step;

    json_scan_init(&s, line);
    do {
        step = json_scan_next(&s);
        if (step == JSON_STEP_OPEN && s.value.data == at)
            return at != line.data;
    } while (step != JSON_STEP_BAD && step != JSON_STEP_END && s.at <= at);
    return false;
}

/* Where the object that begins at `at` ends; NULL if it does not. */
static const char *object_end(const char *at, const char *end)
{
    struct json_scan s;

    json_scan_init(&s, bytes_of(at, (size_t)(end - at)));
    if (json_scan_next(&s) != JSON_STEP_OPEN || !json_scan_skip(&s))
        return NULL;
    return s.at;
}

/* Entries inside an unreadable line: a torn line with the next one fused to it,
 * or several on one line. They are whole objects, one behind the other, up to
 * the end of the line. */
static quire_status salvage_entries(quire_bytes line, struct log_draft *d,
                                    quire_error *err)
{
    static const char start[] = "{\"type\":\"";
    const char *from = line.data, *end = from + line.len, *at = from, *stop;
    quire_status st = QUIRE_OK;
    int tries = 1000; /* each may scan all that follows */

    while (end > from && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    while ((at = memmem(at, (size_t)(end - at), start, sizeof start - 1)) !=
           NULL) {
        for (stop = at; stop && stop < end;)
            stop = object_end(stop, end);
        if (stop == end && !is_inside(line, at))
            break;
        if (--tries == 0)
            return QUIRE_OK;
        at++;
    }
    for (; !st && at && at < end; at = stop) {
        stop = object_end(at, end);
        if (is_entry(bytes_of(at, (size_t)(stop - at))))
            st = put_value(d, bytes_of(at, (size_t)(stop - at)), err);
    }
    return st;
}

/* The rest of the line behind a value, or all of it where there is none. */
static quire_status salvage_at(struct log *log, uint64_t from, uint64_t to,
                               struct log_draft *d, quire_error *err)
{
    size_t len = (size_t)(to - from), n = 0;
    quire_status st;
    char *line;

    if (to <= from || to - from > JSONL_MAX_LINE)
        return QUIRE_OK;
    line = malloc(len);
    if (!line)
        return err_memory(err);
    st = log_read(log, from, line, len, &n, err);
    if (!st)
        st = salvage_entries(bytes_of(line, n), d, err);
    free(line);
    return st;
}

static quire_status collect_values(struct log *log, struct log_draft *d,
                                   quire_error *err)
{
    struct jsonl_value v;
    struct jsonl j;
    uint64_t line = 1;
    quire_status st;
    bool more;

    jsonl_init(&j, log, 0, 1, true);
    while (!(st = jsonl_next(&j, &v, &more, err)) && more) {
        uint64_t end = j.base + j.at, value_end = v.at + v.text.len;
        bool trailing = v.kind && !strcmp(v.kind, "trailing");
        bool too_deep = v.kind && !strcmp(v.kind, "too_deep");

        st = skip_lines(d, &line, v.line, err);
        if (!st && v.text.data && v.is_object) {
            st = put_value(d, v.text, err);
            line += 1 + jsonl_breaks(v.text);
        }
        if (!st && too_deep) {
            st = log_copy(log, v.at, end, d, err);
            line++;
        } else if (!st && (!v.text.data || trailing))
            st = salvage_at(log, v.text.data ? value_end : v.at, end, d, err);
        if (st)
            break;
    }
    jsonl_release(&j);
    return st;
}

/* ---- step 3: write the repaired log ------------------------------------- */

struct mending {
    quire_session *s; /* over the collected entries */
    uint8_t *cycles;
    uint32_t last; /* the entry written before; NONE: none              */
    char (*fresh)[NAMES_ID_SIZE]; /* new ids of entries, "" where it stays  */
    struct map given;             /* these ids */
};

/* Whether an entry has the id, or it was just assigned to another. */
static bool is_taken(void *ctx, quire_bytes id)
{
    struct mending *m = ctx;

    return index_find(&m->s->index, id) != NONE || map_get(&m->given, id);
}

static quire_status assign_id(struct mending *m, uint32_t i, quire_error *err)
{
    quire_status st = names_entry_id(m->s->env.rand, is_taken, m, m->fresh[i],
                                     err);

    if (!st && !map_put(&m->given, bytes_str(m->fresh[i]), i, NULL))
        st = err_memory(err);
    return st;
}

static quire_bytes id_of(const struct mending *m, uint32_t i)
{
    return m->fresh[i][0] ? bytes_str(m->fresh[i])
                          : entry_id(&m->s->index.list[i]);
}

static quire_status mend_entry(struct mending *m, struct log_draft *d,
                               uint32_t i, quire_error *err)
{
    const struct entry *e = &m->s->index.list[i];
    struct arena tmp = ARENA_INIT;
    struct buf line = BUF_INIT(JSONL_MAX_LINE);
    struct json_change changes[2];
    struct json_edits edits;
    size_t n = 0;
    quire_bytes text;
    quire_status st = tree_text(m->s, i, false, &text, err);

    if (!st && (!e->id_len || (e->flags & ENTRY_SUPERSEDED))) {
        st = assign_id(m, i, err);
        changes[n++] =
            (struct json_change){"id",
                                 write_quoted(&tmp, bytes_str(m->fresh[i]))};
    }
    if (!st && ((e->flags & ENTRY_ORPHAN) ||
                (m->cycles[i] && e->parent >= i && e->parent != NONE)))
        changes[n++] =
            (struct json_change){"parentId",
                                 m->last == NONE || m->s->index.forward
                                     ? bytes_str("null")
                                     : write_quoted(&tmp, id_of(m, m->last))};
    if (!st) {
        json_edits_init(&edits, text, &tmp);
        if (n && !json_edit_members(&edits, text, changes, n, NULL))
            st = err_memory(err);
        json_splice(&edits, &line);
        if (!st)
            st = buf_status(&line, "an entry", err);
    }
    if (!st)
        st = put_value(d, buf_bytes(&line), err);
    m->last = i;
    buf_release(&line);
    arena_release(&tmp);
    return st;
}

static bool is_too_deep(quire_bytes line)
{
    struct json_error error = {.why = NULL};

    return !json_check(line, 0, &error) && error.too_deep;
}

/* Copy the lines between two entries: those that are nested too deeply to be
 * read. */
static quire_status keep_unread(quire_session *s, uint64_t from, uint64_t to,
                                struct log_draft *d, quire_error *err)
{
    quire_bytes gap;
    quire_status st = to > from ? load_bytes(s, from, (uint32_t)(to - from),
                                             &gap, err)
                                : QUIRE_OK;
    const char *at, *end, *nl;

    if (st || to <= from)
        return st;
    for (at = gap.data, end = at + gap.len; !st && at < end; at = nl + 1) {
        nl = memchr(at, '\n', (size_t)(end - at));
        if (!nl)
            nl = end;
        if (is_too_deep(bytes_of(at, (size_t)(nl - at))))
            st = put_value(d, bytes_of(at, (size_t)(nl - at)), err);
    }
    return st;
}

/* The text with a question mark for each malformed byte. */
static quire_bytes mask_bad_utf8(quire_bytes text, struct arena *keep)
{
    char *copy;
    size_t bad;

    if (utf8_check(text) || !(copy = arena_text(keep, text)))
        return text;
    while ((bad = utf8_find_bad(bytes_of(copy, text.len))) < text.len)
        copy[bad] = '?';
    return bytes_of(copy, text.len);
}

static quire_status mend_all(quire_session *s, struct log_draft *d,
                             quire_error *err)
{
    struct arena arena = ARENA_INIT;
    struct mending m = {.s = s, .last = NONE};
    quire_status st = QUIRE_OK;
    quire_bytes front = {NULL, 0};
    uint64_t done = s->header.at + s->header.len;
    uint32_t i;

    map_init(&m.given, s->index.seed[0], s->index.seed[1]);
    m.cycles = index_cycles(&s->index, &arena);
    m.fresh = arena_array(&arena, s->index.n + (size_t)1, NAMES_ID_SIZE);
    if (!m.cycles || !m.fresh)
        st = err_memory(err);
    /* Title slot and header unchanged, except for malformed UTF-8: the slot has
     * a length to keep. */
    if (!st)
        st = load_bytes(s, 0, (uint32_t)(s->header.at + s->header.len), &front,
                        err);
    if (!st)
        st = put_value(d, mask_bad_utf8(front, &arena), err);
    for (i = 0; !st && i < s->index.n; i++) {
        const struct entry *e = &s->index.list[i];

        st = keep_unread(s, done, e->at, d, err);
        if (!st)
            st = mend_entry(&m, d, i, err);
        done = e->at + e->len;
    }
    if (!st)
        st = keep_unread(s, done, s->size, d, err);
    map_release(&m.given);
    arena_release(&arena);
    return st;
}

/* ---- repair ------------------------------------------------------------- */

static quire_status
count_problem(void *ctx, const quire_session_problem *problem, quire_error *err)
{
    uint64_t *n = ctx;

    (void)err;
    /* Content that is not in the file cannot be restored, and a line that
     * cannot be read but may be valid stays as it is. */
    *n += strcmp(problem->kind, "missing_blob") != 0 &&
          strcmp(problem->kind, "too_deep") != 0 &&
          strcmp(problem->kind, "unacknowledged") != 0 &&
          strcmp(problem->kind, "damaged_blob") != 0 &&
          strcmp(problem->kind, "no_type") != 0;
    return QUIRE_OK;
}

/* The readable part of `log`, as a session in memory. */
static quire_status collect_session(const struct session_env *env,
                                    struct log *log, quire_session **out,
                                    quire_error *err)
{
    struct session_env quiet = *env;
    struct session_place place = {.own_store = true, .name = GATHERED};
    struct log_draft *d;
    quire_status st = store_memory_open(env->clock, &place.store, err);

    if (st)
        return st;
    st = log_create(place.store->logs, GATHERED, &d, err);
    if (!st) {
        st = collect_values(log, d, err);
        if (st)
            log_discard(d);
        else
            st = log_publish(d, GATHERED, true, NULL, err);
    }
    if (st) {
        store_free(place.store);
        return st;
    }
    quiet.blobs = NULL;
    return session_open(&quiet, &place, NULL,
                        QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY,
                        QUIRE_SYNC_NONE, out, err);
}

static quire_status replace_log(struct log_store *store, const char *name,
                                struct log *log, quire_session *mended,
                                quire_error *err)
{
    struct log_draft *d;
    quire_status st = log_create(store, name, &d, err);

    if (st)
        return st;
    st = mend_all(mended, d, err);
    if (st)
        log_discard(d);
    else
        st = log_replace(log, d, err);
    return st;
}

quire_status session_mend(const struct session_env *env, struct store *store,
                          const char *name, const char *kept, bool *changed,
                          quire_error *err)
{
    struct session_place place = {.store = store, .name = name};
    struct omp_lock theirs = OMP_LOCK_INIT;
    quire_session *mended = NULL;
    struct log *log = NULL;
    uint64_t n = 0;
    char *path = NULL;
    quire_status st;

    *changed = false;
    /* Without a header there is nothing to start from. */
    st = session_open(env, &place, NULL, QUIRE_SESSION_READ, QUIRE_SYNC_NONE,
                      &mended, err);
    quire_session_close(mended);
    mended = NULL;
    if (!st)
        st = session_check(env, store, name, count_problem, &n, err);
    if (st || n == 0)
        return st;
    if (asprintf(&path, "%s/%s", store_place(store), name) < 0) {
        path = NULL;
        st = err_memory(err);
    }
    if (!st)
        st = session_hold(store->logs, name, env->busy_ms, &log, err);
    /* Block appends between reading and replacing it. */
    if (!st && env->omp)
        st = omp_lock_acquire(path, env->busy_ms, &theirs, err);
    if (!st)
        st = collect_session(env, log, &mended, err);
    if (!st)
        st = keep_original(store->logs, log, kept, err);
    if (!st)
        st = replace_log(store->logs, name, log, mended, err);
    *changed = !st;
    omp_lock_release(&theirs);
    quire_session_close(mended);
    if (log)
        log_close(log);
    free(path);
    return st;
}
