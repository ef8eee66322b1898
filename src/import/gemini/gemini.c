/*
 * gemini.c - sessions of Gemini CLI
 *
 * A file is a log: the session, messages, and records that change what came
 * before. Since 0.40 it is lines; before, one object with a list `messages`.
 *
 *     {sessionId, …}             the session
 *     {id, type, …}              a message; the last one may come again, with
 *                                more in it, and replaces what it was
 *     {$set: {…}}                members of the session; `messages` replaces
 *                                all messages
 *     {$rewindTo: id}            that message and those after it are gone
 *
 * Each message follows the one before. After a rewind the session continues
 * below what stood before that message, and the rest is a branch. Of a replaced
 * history the messages that both have at their beginning stay; if there are
 * none the context begins anew.
 *
 * So the last message waits until another record follows. One that comes again
 * later still becomes a custom entry.
 */
#include "import/gemini/gemini.h"

#include <stdlib.h>

#include "base/map.h"
#include "import/fields.h"

static const quire_bytes none = {NULL, 0};

/* So many messages back one is recognised when it comes again. */
enum { LATE_MAX = 4096 };

enum line_field {
    LINE_ID,
    LINE_TYPE,
    LINE_SESSION,
    LINE_SET,
    LINE_REWIND,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] =
    {FIELD("id"), FIELD("type"), FIELD("sessionId"), FIELD("$set"),
     FIELD("$rewindTo")};

/* ---- the path ----------------------------------------------------------- */

static uint64_t hash_id(struct import_converter *c, quire_bytes id)
{
    static const uint64_t seed[2] = {0x67656d69, 1};
    uint64_t hash;

    if (!value_has_text(id))
        return 0;
    hash = map_hash(seed, convert_text(c, id));
    return hash ? hash : 1;
}

static quire_status push(struct import_converter *c, uint64_t id,
                         quire_error *err)
{
    struct gemini *s = gemini_of(c);
    uint32_t cap = s->cap_path ? s->cap_path * 2 : 64;
    struct gemini_step *path;

    if (s->n_path == s->cap_path) {
        path = s->n_path < UINT32_MAX / 4 ? realloc(s->path, cap * sizeof *path)
                                          : NULL;
        if (!path)
            return err_memory(err);
        s->path = path;
        s->cap_path = cap;
    }
    s->path[s->n_path++] = (struct gemini_step){.id = id, .before = c->leaf};
    return QUIRE_OK;
}

/* Go back to where the session was before a step. */
static void go_back(struct import_converter *c, uint32_t step)
{
    struct gemini *s = gemini_of(c);

    if (step < s->n_path) {
        c->leaf = s->path[step].before;
        s->n_path = step;
    }
}

/* The step with this id, among the last `max`; n_path: there is none. */
static uint32_t find_step(const struct gemini *s, uint64_t id, uint32_t max)
{
    uint32_t i, stop = s->n_path > max ? s->n_path - max : 0;

    for (i = s->n_path; id && i-- > stop;)
        if (s->path[i].id == id)
            return i;
    return s->n_path;
}

/* ---- messages ----------------------------------------------------------- */

static quire_status add_message(struct import_converter *c, quire_bytes text,
                                uint64_t id, quire_error *err)
{
    quire_status st = push(c, id, err);

    return st ? st : gemini_message(c, text, err);
}

/* The message that waits is complete. */
static quire_status settle(struct import_converter *c, quire_error *err)
{
    struct gemini *s = gemini_of(c);
    struct buf text = s->pending;
    uint32_t n_parts = s->n_parts;
    uint64_t at = c->at;
    quire_status st;

    if (!text.len)
        return QUIRE_OK;
    s->pending = (struct buf)BUF_INIT(IMPORT_CEILING);
    c->at = s->pending_at;
    s->n_parts = 0;
    st = add_message(c, buf_bytes(&text), s->pending_id, err);
    s->n_parts = n_parts;
    c->at = at;
    buf_release(&text);
    return st;
}

static quire_status on_message(struct import_converter *c, quire_bytes text,
                               quire_bytes id_text, quire_error *err)
{
    struct gemini *s = gemini_of(c);
    uint64_t id = hash_id(c, id_text);
    quire_status st;

    if (id && s->pending.len && id == s->pending_id) {
        buf_clear(&s->pending);
        add_bytes(&s->pending, text);
        counts_add(&c->counts, "repeated", bytes_str("message"), none);
        return buf_status(&s->pending, "a message", err);
    }
    st = settle(c, err);
    if (st)
        return st;
    if (convert_find(c, id_text) != TREE_NONE &&
        find_step(s, id, LATE_MAX) < s->n_path)
        return gemini_custom(c, none, bytes_str("update"), text, err);
    s->pending_at = c->at;
    s->pending_id = id;
    add_bytes(&s->pending, text);
    return buf_status(&s->pending, "a message", err);
}

/* ---- the session -------------------------------------------------------- */

enum {
    META_SESSION,
    META_START,
    META_KIND,
    META_SUMMARY,
    META_MESSAGES,
    META_HASH,
    META_UPDATED,
    META_DIRECTORIES,
    N_META
};

static const struct field_name meta_fields[N_META] =
    {FIELD("sessionId"),   FIELD("startTime"),  FIELD("kind"),
     FIELD("summary"),     FIELD("messages"),   FIELD("projectHash"),
     FIELD("lastUpdated"), FIELD("directories")};

static quire_status set_meta(struct import_converter *c,
                             const quire_bytes of[N_META], quire_error *err)
{
    uint32_t parent, node;

    convert_first_fact(c, FACT_SESSION, of[META_SESSION]);
    if (!c->facts[FACT_CREATED].len)
        convert_stamp(c, of[META_START]);
    if (value_is(of[META_KIND], "subagent"))
        convert_first_fact(c, FACT_AGENT, of[META_SESSION]);
    if (!value_has_text(of[META_SUMMARY]) ||
        bytes_equal(convert_text(c, of[META_SUMMARY]),
                    buf_bytes(&c->facts[FACT_TITLE])))
        return QUIRE_OK;
    convert_fact(c, FACT_TITLE, of[META_SUMMARY]);
    node = gemini_place(c, none, &parent);
    return node == TREE_NONE
               ? err_memory(err)
               : entry_title(c, node, parent, of[META_SUMMARY], false, err);
}

static quire_status on_session(struct import_converter *c, quire_bytes text,
                               quire_error *err)
{
    quire_bytes of[N_META];
    struct fields f = {.names = meta_fields, .n = N_META, .of = of};
    struct json_error bad;

    counts_add(&c->counts, "kept", bytes_str("session"), none);
    return fields_parse(text, &f, &bad) ? set_meta(c, of, err) : QUIRE_OK;
}

/* ---- changes of what came before ---------------------------------------- */

static quire_status reset(struct import_converter *c, quire_error *err)
{
    struct gemini *s = gemini_of(c);
    uint32_t parent, node = gemini_place(c, none, &parent);

    s->n_path = 0;
    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "reset_boundary", node, parent);
    return entry_end(c, node, err);
}

/* A new history: what is the same at its beginning stays. */
static quire_status set_messages(struct import_converter *c, quire_bytes list,
                                 quire_error *err)
{
    struct gemini *s = gemini_of(c);
    quire_status st = QUIRE_OK;
    bool same = true;
    struct json_scan it;
    uint32_t n = 0;

    if (json_kind(list) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, list);
    while (!st && json_next(&it)) {
        uint64_t id = hash_id(c, json_get(it.value, "id"));

        if (same && id && n < s->n_path && s->path[n].id == id) {
            n++;
            continue;
        }
        if (same && n == 0 && s->n_path)
            st = reset(c, err);
        else if (same)
            go_back(c, n);
        same = false;
        if (!st && json_kind(it.value) == JSON_OBJECT)
            st = add_message(c, it.value, id, err);
    }
    if (same && n == 0 && s->n_path)
        return reset(c, err);
    if (same)
        go_back(c, n);
    return st;
}

static quire_status on_set(struct import_converter *c, quire_bytes set,
                           quire_error *err)
{
    quire_bytes of[N_META];
    struct fields f = {.names = meta_fields, .n = N_META, .of = of};
    struct json_error bad;
    quire_status st = QUIRE_OK;

    counts_add(&c->counts, "kept", bytes_str("$set"), none);
    if (!fields_parse(set, &f, &bad))
        return QUIRE_OK;
    if (of[META_MESSAGES].data || value_has_text(of[META_SUMMARY]))
        st = settle(c, err);
    if (!st && of[META_MESSAGES].data)
        st = set_messages(c, of[META_MESSAGES], err);
    return st ? st : set_meta(c, of, err);
}

/* All of them, if the message is not known. */
static quire_status on_rewind(struct import_converter *c, quire_bytes to,
                              quire_bytes text, quire_error *err)
{
    struct gemini *s = gemini_of(c);
    quire_status st = settle(c, err);
    uint32_t step;

    if (st)
        return st;
    step = find_step(s, hash_id(c, to), UINT32_MAX);
    go_back(c, step < s->n_path ? step : 0);
    return gemini_custom(c, none, bytes_str("rewind"), text, err);
}

/* ---- records ------------------------------------------------------------ */

static quire_status on_unknown(struct import_converter *c, quire_bytes text,
                               quire_error *err)
{
    quire_status st = settle(c, err);

    counts_add(&c->counts, "unknown", bytes_str("record"), none);
    return st ? st : gemini_custom(c, none, bytes_str("record"), text, err);
}

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    quire_bytes of[N_LINE_FIELDS];
    struct fields f = {.names = line_fields, .n = N_LINE_FIELDS, .of = of};

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    gemini_of(c)->n_parts = 0;
    c->after_damage = false;
    if (of[LINE_REWIND].data)
        return on_rewind(c, of[LINE_REWIND], text, err);
    if (json_kind(of[LINE_SET]) == JSON_OBJECT)
        return on_set(c, of[LINE_SET], err);
    if (value_is_string(of[LINE_TYPE]))
        return on_message(c, text, of[LINE_ID], err);
    if (value_is_string(of[LINE_SESSION]))
        return on_session(c, text, err);
    return on_unknown(c, text, err);
}

/* A member of a session that is one document. */
static quire_status member(struct import_converter *c, quire_bytes key,
                           quire_bytes value, quire_error *err)
{
    quire_bytes of[N_META] = {{NULL, 0}};
    size_t i;

    gemini_of(c)->n_parts = 0;
    for (i = 0; i < N_META; i++)
        if (json_is(key, meta_fields[i].name))
            of[i] = value;
    if (value_has_text(of[META_SUMMARY])) {
        quire_status st = settle(c, err);

        if (st)
            return st;
    }
    return set_meta(c, of, err);
}

static quire_status finish(struct import_converter *c, quire_error *err)
{
    return settle(c, err);
}

/* ---- state -------------------------------------------------------------- */

static void save(const struct import_converter *c, struct buf *out)
{
    const struct gemini *s = gemini_of(c);

    state_put_bytes(out, buf_bytes(&s->pending));
    state_put(out, &s->pending_at, sizeof s->pending_at);
    state_put(out, &s->pending_id, sizeof s->pending_id);
    calls_save(&s->calls, out);
    state_put_bytes(out, bytes_of(s->path, s->n_path * sizeof *s->path));
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct gemini *s = gemini_of(c);
    quire_bytes path;
    uint32_t i;

    add_bytes(&s->pending, state_get_bytes(r));
    state_get(r, &s->pending_at, sizeof s->pending_at);
    state_get(r, &s->pending_id, sizeof s->pending_id);
    calls_restore(&s->calls, c->tree.n, r);
    path = state_get_bytes(r);
    if (r->bad || path.len / sizeof *s->path > UINT32_MAX / 4) {
        r->bad = true;
        return;
    }
    s->n_path = (uint32_t)(path.len / sizeof *s->path);
    s->cap_path = s->n_path + 64;
    s->path = malloc(s->cap_path * sizeof *s->path);
    if (!s->path) {
        s->n_path = s->cap_path = 0;
        r->bad = true;
        return;
    }
    if (path.len)
        memcpy(s->path, path.data, s->n_path * sizeof *s->path);
    for (i = 0; i < s->n_path; i++)
        r->bad |= s->path[i].before != TREE_NONE &&
                  s->path[i].before >= c->tree.n;
}

static void init(struct import_converter *c)
{
    gemini_of(c)->pending = (struct buf)BUF_INIT(IMPORT_CEILING);
}

static void release(struct import_converter *c)
{
    buf_release(&gemini_of(c)->pending);
    free(gemini_of(c)->path);
}

static const char *const record_starts[] = {"{\"id\":\"", "{\"$set\":",
                                            "{\"$rewindTo\":", "{\"sessionId\"",
                                            NULL};

static const char *const lists[] = {"messages", NULL};

const struct import_format import_gemini = {
    .name = "gemini",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct gemini),
    .lists = lists,
    .init = init,
    .release = release,
    .record = record,
    .member = member,
    .finish = finish,
    .save = save,
    .restore = restore,
};
