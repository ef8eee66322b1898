/* reader.c - see reader.h */
#include "export/reader.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "export/blocks.h"

/* Messages that wait for results; more is damage. */
enum { WAITING_MAX = 1024 };

struct reader {
    struct export *x;
    quire_session *s;
    struct cleaner *clean;
    struct arena *tmp; /* of the messages that wait */

    struct export_message *waiting[WAITING_MAX];
    size_t n;
};

enum field {
    FIELD_TYPE,
    FIELD_PARENT,
    FIELD_TIMESTAMP,
    FIELD_MESSAGE,
    FIELD_SUMMARY,
    FIELD_TOKENS,
    FIELD_CUSTOM_TYPE,
    FIELD_CONTENT,
    FIELD_DISPLAY,
    FIELD_DETAILS,
    N_FIELDS
};

static const struct json_want entry_fields[N_FIELDS] = {
    JSON_WANT("type"),       JSON_WANT("parentId"), JSON_WANT("timestamp"),
    JSON_WANT("message"),    JSON_WANT("summary"),  JSON_WANT("tokensBefore"),
    JSON_WANT("customType"), JSON_WANT("content"),  JSON_WANT("display"),
    JSON_WANT("details"),
};

/* ---- what waits ---------------------------------------------------------- */

static quire_status emit_waiting(struct reader *r, quire_error *err)
{
    struct export *x = r->x;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < r->n && !st; i++) {
        const struct export_message *m = r->waiting[i];

        x->n++;
        arena_reset(&x->tmp);
        st = x->target->message(x, m, err);
        x->total.input += m->usage.input;
        x->total.output += m->usage.output;
        x->total.cache_read += m->usage.cache_read;
        x->total.cache_write += m->usage.cache_write;
        x->total.cost += m->usage.cost;
        if (!st)
            st = export_flush(x, EXPORT_PIECE, err);
    }
    r->n = 0;
    arena_reset(r->tmp);
    return st;
}

/* `m` is in r->tmp. */
static quire_status push(struct reader *r, struct export_message *m,
                         quire_error *err)
{
    if (r->n == WAITING_MAX)
        return err_set(err, QUIRE_DAMAGED,
                       "too many messages without an "
                       "answer between them");
    r->waiting[r->n++] = m;
    return QUIRE_OK;
}

static bool answered(const struct export_message *m)
{
    size_t i;

    for (i = 0; i < m->blocks.n; i++)
        if (m->blocks.list[i].kind == EXPORT_CALL && !m->blocks.list[i].result)
            return false;
    return true;
}

static bool is_complete(const struct reader *r)
{
    return r->n == 0 || r->waiting[0]->role != EXPORT_ASSISTANT ||
           answered(r->waiting[0]);
}

static struct export_block *find_call(struct reader *r, quire_bytes id)
{
    struct export_message *m = r->n ? r->waiting[0] : NULL;
    size_t i;

    if (!m || m->role != EXPORT_ASSISTANT || !id.len)
        return NULL;
    for (i = 0; i < m->blocks.n; i++) {
        struct export_block *b = &m->blocks.list[i];

        if (b->kind == EXPORT_CALL && !b->result && bytes_equal(b->id, id))
            return b;
    }
    return NULL;
}

/* ---- messages ------------------------------------------------------------ */

static quire_status add_result(struct reader *r, struct export_message *m,
                               quire_error *err)
{
    struct export_block *call = find_call(r, m->call_id);
    struct export_result *result;

    if (!call)
        return push(r, m, err);
    result = arena_array(r->tmp, 1, sizeof *result);
    if (!result)
        return err_memory(err);
    *result = (struct export_result){.entry_id = m->entry_id,
                                     .tool = m->tool.len ? m->tool : call->name,
                                     .ms = m->ms,
                                     .blocks = m->blocks,
                                     .is_error = m->is_error};
    call->result = result;
    return QUIRE_OK;
}

static quire_status add_message(struct reader *r, struct export_message *m,
                                quire_bytes message, quire_error *err)
{
    if (!export_blocks_message(message, m, r->tmp)) {
        export_drop(r->x, "unreadable message", bytes_str(""));
        return QUIRE_OK;
    }
    return m->role == EXPORT_RESULT ? add_result(r, m, err) : push(r, m, err);
}

static quire_status add_note(struct reader *r, struct export_message *m,
                             const struct json_want *w, quire_error *err)
{
    bool shown = true;

    m->role = EXPORT_NOTE;
    json_read_bool(w[FIELD_DISPLAY].value, &shown);
    m->hidden = !shown;
    m->custom = export_blocks_text(w[FIELD_CUSTOM_TYPE].value, r->tmp);
    return export_blocks_read(w[FIELD_CONTENT].value, &m->blocks, r->tmp)
               ? push(r, m, err)
               : err_memory(err);
}

static quire_status add_summary(struct reader *r, struct export_message *m,
                                const struct json_want *w, bool branch,
                                quire_error *err)
{
    int64_t n = 0;

    m->role = branch ? EXPORT_BRANCH : EXPORT_SUMMARY;
    if (json_read_int(w[FIELD_TOKENS].value, &n) && n > 0)
        m->tokens_before = (uint64_t)n;
    m->history = json_get(w[FIELD_DETAILS].value, "replacementHistory");
    return export_blocks_read(w[FIELD_SUMMARY].value, &m->blocks, r->tmp)
               ? push(r, m, err)
               : err_memory(err);
}

/* Entries without a message. Settings and titles need no word. */
static quire_status skip(struct reader *r, const quire_entry *e,
                         const struct json_want *w)
{
    static const char *const quiet[] = {"title_change",
                                        "session_info",
                                        "label",
                                        "model_change",
                                        "model_usage",
                                        "usage",
                                        "thinking_level_change"};
    size_t i;

    for (i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (bytes_is(e->type, quiet[i]))
            return QUIRE_OK;
    if (bytes_is(e->type, "custom"))
        export_drop(r->x, "custom",
                    export_blocks_text(w[FIELD_CUSTOM_TYPE].value, r->tmp));
    else
        export_drop(r->x, "entry", e->type);
    return QUIRE_OK;
}

static quire_status add_entry(struct reader *r, const quire_entry *e,
                              struct export_message *m, quire_error *err)
{
    struct json_want w[N_FIELDS];

    memcpy(w, entry_fields, sizeof w);
    if (!json_pick(m->json, w, N_FIELDS, NULL)) {
        export_drop(r->x, "unreadable entry", bytes_str(""));
        return QUIRE_OK;
    }
    m->parent = export_blocks_text(w[FIELD_PARENT].value, r->tmp);
    if (!timestamp_parse(export_blocks_text(w[FIELD_TIMESTAMP].value, r->tmp),
                         &m->ms))
        m->ms = r->x->session.created_ms;
    if (bytes_is(e->type, "message"))
        return add_message(r, m, w[FIELD_MESSAGE].value, err);
    if (bytes_is(e->type, "custom_message"))
        return add_note(r, m, w, err);
    if (bytes_is(e->type, "compaction"))
        return add_summary(r, m, w, false, err);
    if (bytes_is(e->type, "branch_summary"))
        return add_summary(r, m, w, true, err);
    if (!bytes_is(e->type, "reset_boundary"))
        return skip(r, e, w);
    m->role = EXPORT_RESET;
    return push(r, m, err);
}

/* ---- entries ------------------------------------------------------------- */

static bool is_answer(const quire_entry *e)
{
    quire_bytes role;

    if (!bytes_is(e->type, "message"))
        return false;
    role = json_get(json_get(e->json, "message"), "role");
    return json_kind(role) == JSON_STRING && json_is(role, "assistant");
}

static quire_status read_entry(struct reader *r, const char *id,
                               quire_error *err)
{
    struct export *x = r->x;
    struct export_message *m;
    quire_entry e;
    quire_status st = quire_session_entry(r->s, id, &e, err);

    if (!st && (is_complete(r) || is_answer(&e)))
        st = emit_waiting(r, err);
    if (st)
        return st;
    m = arena_array(r->tmp, 1, sizeof *m);
    if (!m)
        return err_memory(err);
    m->entry_id = arena_dup(r->tmp, e.id);
    m->label = arena_dup(r->tmp, e.label);
    m->json = arena_dup(r->tmp, e.json);
    if (!m->json.data || !m->entry_id.data || (e.label.data && !m->label.data))
        return err_memory(err);
    /* The type is lent by the session: reading blobs leaves it alone. */
    st = clean_entry(r->clean, m->json, r->tmp, &m->json, err);
    if (st == QUIRE_DAMAGED) {
        export_drop(x, "unreadable entry", bytes_str(""));
        return QUIRE_OK;
    }
    if (st || !x->target->as_stored)
        return st ? st : add_entry(r, &e, m, err);
    x->n += bytes_is(e.type, "message");
    st = x->target->entry(x, m->json, err);
    arena_reset(r->tmp);
    return st ? st : export_flush(x, EXPORT_PIECE, err);
}

quire_status export_read(struct export *x, quire_session *s,
                         struct cleaner *clean, const struct export_path *path,
                         quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct reader *r = arena_array(&x->keep, 1, sizeof *r);
    quire_status st = QUIRE_OK;
    size_t i;

    if (!r)
        return err_memory(err);
    r->x = x;
    r->s = s;
    r->clean = clean;
    r->tmp = &tmp;
    for (i = 0; i < path->n && !st; i++)
        st = read_entry(r, path->ids[i], err);
    if (!st)
        st = emit_waiting(r, err);
    arena_release(&tmp);
    if (clean->missing)
        export_drop_n(x, "content that is not in the store", bytes_str(""),
                      clean->missing);
    return st;
}
