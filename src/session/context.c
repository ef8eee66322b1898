/*
 * context.c - the context for the model
 *
 * A context is the path from a root to the leaf, read for two things: the
 * settings in force (from all of it), and the messages (those the last
 * compaction left).
 *
 *     a  b  c  d  e  C  f  g          C: compaction, firstKeptEntryId = d
 *              ^kept^     ^after^     messages: C's summary, d, e, f, g
 *
 * Cost: a step in the index for each entry of the path, and the bytes of the
 * messages returned. Entries that a compaction hides are not read, except for
 * the few that change a setting; so a history of a gigabyte opens as fast as
 * its last part.
 *
 * Everything that will be emitted is parsed in full first, so a damaged line
 * cannot appear in the middle of a result.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "base/timestamp.h"
#include "session/persist.h"
#include "session/priv.h"

/* Output is buffered up to this size. */
#define POUR ((size_t)64 * 1024)

struct context {
    quire_session *s;
    uint32_t *path, n;   /* in s->tmp                                       */
    uint32_t compaction; /* place on the path, NONE: none */
    uint32_t from, to;   /* places kept before it: from <= place < to       */
    uint32_t after;      /* and all from this place on                      */
    bool unchecked;      /* some of it has not been parsed in full */
    uint32_t *settings;  /* places of entries that change a setting */
    uint32_t n_settings, cap_settings;

    /* Settings: JSON, in s->tmp; .data NULL where unset. */
    quire_bytes thinking, mode, mode_data, tier;
    struct json_pair {
        quire_bytes key, value;
    } * models;
    uint32_t n_models, cap_models;
    struct map roles; /* decoded -> place in the list                       */
    bool has_default;
    quire_bytes default_model; /* of the last assistant                     */
    quire_bytes *rules;
    uint32_t n_rules, cap_rules;
    struct map seen_rules;

    struct buf out; /* buffered output */
    quire_write_fn write;
    void (*missing)(void *ctx, const char *ref);
    void *ctx;
};

static struct entry *entry_at(const struct context *c, uint32_t place)
{
    return &c->s->index.list[c->path[place]];
}

/* The line of an entry of which parts are emitted, as text. */
static quire_status line_at(struct context *c, uint32_t place,
                            quire_bytes *line, quire_error *err)
{
    return tree_text(c->s, c->path[place], false, line, err);
}

/* ---- the path ----------------------------------------------------------- */

static quire_status find_path(struct context *c, const char *leaf,
                              quire_error *err)
{
    quire_session *s = c->s;
    uint32_t from = s->leaf;

    /* A leaf that was not moved is the last entry, even one without an id. */
    if (s->leaf_is_last && s->index.n)
        from = s->index.n - 1;
    if (leaf)
        from = *leaf ? session_find(s, leaf) : NONE;
    /* An unknown leaf means the last entry. */
    if (leaf && *leaf && from == NONE && s->index.n)
        from = s->index.n - 1;
    c->path = index_path(&s->index, from, &s->tmp, &c->n);
    return c->path ? QUIRE_OK : err_memory(err);
}

/* The provider's own history, if it keeps one: its name and what replaces the
 * messages. */
static bool remote_history(quire_bytes line, quire_bytes *provider,
                           quire_bytes *items)
{
    quire_bytes remote = json_get(json_get(line, "preserveData"),
                                  "openaiRemoteCompaction");

    *provider = json_get(remote, "provider");
    *items = json_get(remote, "replacementHistory");
    return json_kind(*provider) == JSON_STRING && provider->len > 2 &&
           json_kind(*items) == JSON_ARRAY;
}

/* The place of the entry the compaction keeps from, or its own. */
static quire_status find_kept(struct context *c, quire_error *err)
{
    quire_bytes line, id, remote;
    quire_status st = line_at(c, c->compaction, &line, err);
    uint32_t i;

    c->from = c->to = c->compaction;
    if (st)
        return st;
    if (remote_history(line, &id, &remote))
        return QUIRE_OK;
    id = json_get(line, "firstKeptEntryId");
    if (json_kind(id) != JSON_STRING)
        return QUIRE_OK;
    id = json_text(id, &c->s->tmp);
    if (!id.data)
        return err_memory(err);
    for (i = 0; i < c->compaction; i++) {
        if (entry_at(c, i)->id_len &&
            bytes_equal(id, entry_id(entry_at(c, i)))) {
            c->from = i;
            break;
        }
    }
    return QUIRE_OK;
}

static bool is_setting(uint8_t type)
{
    return type == ENTRY_THINKING_LEVEL || type == ENTRY_MODEL ||
           type == ENTRY_SERVICE_TIER || type == ENTRY_TTSR ||
           type == ENTRY_MODE;
}

static quire_status record_setting(struct context *c, uint32_t place,
                                   quire_error *err)
{
    uint32_t *grown;

    if (c->n_settings == c->cap_settings) {
        c->cap_settings = c->cap_settings ? c->cap_settings * 2 : 64;
        grown = arena_alloc(&c->s->tmp, c->cap_settings * sizeof *grown);
        if (!grown)
            return err_memory(err);
        if (c->n_settings)
            memcpy(grown, c->settings, c->n_settings * sizeof *grown);
        c->settings = grown;
    }
    c->settings[c->n_settings++] = place;
    return QUIRE_OK;
}

/* Select entries by type, without reading their content. */
static quire_status choose_entries(struct context *c, quire_error *err)
{
    uint32_t reset = NONE, i;
    quire_status st = QUIRE_OK;

    c->compaction = NONE;
    for (i = 0; !st && i < c->n; i++) {
        const struct entry *e = entry_at(c, i);

        c->unchecked = c->unchecked || !(e->flags & ENTRY_CHECKED);
        if (e->type == ENTRY_MESSAGE)
            continue;
        if (e->type == ENTRY_COMPACTION)
            c->compaction = i;
        else if (e->type == ENTRY_RESET)
            reset = i;
        else if (is_setting(e->type))
            st = record_setting(c, i, err);
    }
    /* A boundary behind the last compaction hides that too. */
    if (reset != NONE && (c->compaction == NONE || reset > c->compaction)) {
        c->compaction = NONE;
        c->after = reset + 1;
        return st;
    }
    if (st || c->compaction == NONE)
        return st;
    c->after = c->compaction + 1;
    return find_kept(c, err);
}

/* ---- settings ----------------------------------------------------------- */

static quire_status keep_copy(struct context *c, quire_bytes value,
                              quire_bytes *out, quire_error *err)
{
    *out = bytes_of(NULL, 0);
    if (!value.data)
        return QUIRE_OK;
    *out = arena_dup(&c->s->tmp, value);
    return out->data ? QUIRE_OK : err_memory(err);
}

/* The index of a role in the list; a new role is added. */
static quire_status find_role(struct context *c, quire_bytes role,
                              uint64_t *place, quire_error *err)
{
    struct arena *tmp = &c->s->tmp;
    quire_bytes text = arena_dup(tmp, json_text(role, tmp));
    uint64_t *known = text.data ? map_get(&c->roles, text) : NULL;
    struct json_pair *grown;

    if (known) {
        *place = *known;
        return QUIRE_OK;
    }
    *place = c->n_models;
    if (!text.data || !map_put(&c->roles, text, *place, NULL))
        return err_memory(err);
    if (c->n_models == c->cap_models) {
        c->cap_models = c->cap_models ? c->cap_models * 2 : 8;
        grown = arena_array(tmp, c->cap_models, sizeof *grown);
        if (!grown)
            return err_memory(err);
        if (c->n_models)
            memcpy(grown, c->models, c->n_models * sizeof *grown);
        c->models = grown;
    }
    c->n_models++;
    return keep_copy(c, role, &c->models[*place].key, err);
}

static quire_status set_model(struct context *c, quire_bytes line,
                              quire_error *err)
{
    quire_bytes role = json_get(line, "role"), model = json_get(line, "model");
    uint64_t place;
    quire_status st;

    if (json_kind(model) != JSON_STRING || model.len == 2)
        return QUIRE_OK; /* another program's spelling, which ours ignore */
    if (json_kind(role) != JSON_STRING)
        role = bytes_str("\"default\"");
    c->has_default = c->has_default || json_is(role, "default");
    st = find_role(c, role, &place, err);
    return st ? st : keep_copy(c, model, &c->models[place].value, err);
}

static quire_status add_rule(struct context *c, quire_bytes rule,
                             quire_error *err)
{
    struct arena *tmp = &c->s->tmp;
    quire_bytes text, *grown;
    bool fresh = false;

    if (json_kind(rule) != JSON_STRING)
        return QUIRE_OK;
    text = arena_dup(tmp, json_text(rule, tmp));
    if (!text.data || !map_put(&c->seen_rules, text, 1, &fresh))
        return err_memory(err);
    if (!fresh)
        return QUIRE_OK;
    if (c->n_rules == c->cap_rules) {
        c->cap_rules = c->cap_rules ? c->cap_rules * 2 : 16;
        grown = arena_array(tmp, c->cap_rules, sizeof *grown);
        if (!grown)
            return err_memory(err);
        if (c->n_rules)
            memcpy(grown, c->rules, c->n_rules * sizeof *grown);
        c->rules = grown;
    }
    return keep_copy(c, rule, &c->rules[c->n_rules++], err);
}

static quire_status add_rules(struct context *c, quire_bytes line,
                              quire_error *err)
{
    quire_bytes list = json_get(line, "injectedRules");
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(list) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, list);
    while (!st && json_next(&it))
        st = add_rule(c, it.value, err);
    return st;
}

static quire_status apply_setting(struct context *c, uint32_t place,
                                  quire_error *err)
{
    quire_bytes line, value;
    quire_status st = line_at(c, place, &line, err);

    if (st)
        return st;
    switch (entry_at(c, place)->type) {
    case ENTRY_THINKING_LEVEL:
        value = json_get(line, "thinkingLevel");
        if (json_kind(value) != JSON_STRING)
            value = bytes_str("\"off\"");
        return keep_copy(c, value, &c->thinking, err);
    case ENTRY_MODEL: return set_model(c, line, err);
    case ENTRY_SERVICE_TIER:
        return keep_copy(c, json_get(line, "serviceTier"), &c->tier, err);
    case ENTRY_TTSR: return add_rules(c, line, err);
    case ENTRY_MODE:
        st = keep_copy(c, json_get(line, "mode"), &c->mode, err);
        return st ? st
                  : keep_copy(c, json_get(line, "data"), &c->mode_data, err);
    default: return QUIRE_OK;
    }
}

/* Provider and model of the message at `place`, if an assistant wrote it. The
 * role is at its beginning, so other messages are not parsed in full. */
static quire_status infer_model(struct context *c, uint32_t place,
                                quire_error *err)
{
    struct json_want wants[] = {JSON_WANT("role"), JSON_WANT("provider"),
                                JSON_WANT("model")};
    const struct entry *e = entry_at(c, place);
    struct buf b = BUF_INIT(1 << 16);
    struct json_want role[] = {JSON_WANT("role")};
    quire_bytes line, body;
    quire_status st = load_before(c->s, e->at, e->len, &line, err);

    if (st)
        return st;
    body = e->body ? bytes_sub(line, e->body, line.len)
                   : json_get(line, "message");
    if (!body.data || !json_head(body, role, 1, NULL) ||
        !json_is(role[0].value, "assistant"))
        return QUIRE_OK;
    st = line_at(c, place, &line, err);
    if (st)
        return st;
    if (!json_head(json_get(line, "message"), wants, 3, NULL))
        return QUIRE_OK;
    if (json_kind(wants[1].value) != JSON_STRING ||
        json_kind(wants[2].value) != JSON_STRING)
        return QUIRE_OK;
    buf_add(&b, wants[1].value.data, wants[1].value.len - 1);
    buf_add_char(&b, '/');
    buf_add(&b, (const char *)wants[2].value.data + 1, wants[2].value.len - 1);
    st = buf_status(&b, "a model's name", err);
    if (!st)
        st = keep_copy(c, buf_bytes(&b), &c->default_model, err);
    buf_release(&b);
    return st;
}

static quire_status read_settings(struct context *c, quire_error *err)
{
    quire_status st = QUIRE_OK;
    uint32_t i;

    for (i = 0; !st && i < c->n_settings; i++)
        st = apply_setting(c, c->settings[i], err);
    for (i = c->n; !st && i-- > 0 && !c->has_default && !c->default_model.data;)
        if (entry_at(c, i)->type == ENTRY_MESSAGE)
            st = infer_model(c, i, err);
    return st;
}

/* ---- output ------------------------------------------------------------- */

static quire_status flush_output(struct context *c, bool all, quire_error *err)
{
    quire_status st = buf_status(&c->out, "a context", err);

    if (st || c->out.len == 0 || (!all && c->out.len < POUR))
        return st;
    st = c->write(c->ctx, buf_bytes(&c->out), err);
    buf_clear(&c->out);
    return st;
}

static void add_text(struct context *c, const char *text)
{
    buf_add_str(&c->out, text);
}

static void add_bytes(struct context *c, quire_bytes json)
{
    buf_add(&c->out, json.data, json.len);
}

/* ,"key":value if present. */
static void add_member(struct context *c, quire_bytes line, const char *key)
{
    quire_bytes value = json_get(line, key);

    if (!value.data)
        return;
    buf_addf(&c->out, ",\"%s\":", key);
    add_bytes(c, value);
}

static void add_timestamp(struct context *c, quire_bytes line)
{
    int64_t ms;

    if (load_time(c->s, line, &ms))
        buf_addf(&c->out, ",\"timestamp\":%lld}", (long long)ms);
    else
        add_text(c, ",\"timestamp\":null}");
}

static void add_custom(struct context *c, quire_bytes line)
{
    add_text(c, "{\"role\":\"custom\"");
    add_member(c, line, "customType");
    add_member(c, line, "content");
    add_member(c, line, "display");
    add_member(c, line, "details");
    add_member(c, line, "attribution");
    add_timestamp(c, line);
}

static void add_branch_summary(struct context *c, quire_bytes line)
{
    add_text(c, "{\"role\":\"branchSummary\"");
    add_member(c, line, "summary");
    add_member(c, line, "fromId");
    add_timestamp(c, line);
}

static void add_compaction(struct context *c, quire_bytes line)
{
    quire_bytes provider, items;

    add_text(c, "{\"role\":\"compactionSummary\"");
    add_member(c, line, "summary");
    add_member(c, line, "shortSummary");
    add_member(c, line, "tokensBefore");
    add_member(c, line, "tokensAfter");
    add_member(c, line, "method");
    if (remote_history(line, &provider, &items)) {
        add_text(c, ",\"providerPayload\":{\"type\":\"openaiResponsesHistory\","
                    "\"provider\":");
        add_bytes(c, provider);
        add_text(c, ",\"items\":");
        add_bytes(c, items);
        add_text(c, "}");
    }
    add_member(c, line, "warning");
    add_timestamp(c, line);
}

static void report_missing(void *ctx, const quire_digest *digest)
{
    struct context *c = ctx;
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(digest, ref);
    if (c->missing)
        c->missing(c->ctx, ref);
}

/* Replace blob references by image content. */
static quire_status hydrate_line(struct context *c, quire_bytes line,
                                 struct buf *out, quire_error *err)
{
    const struct session_env *env = &c->s->env;
    struct arena scratch = ARENA_INIT;
    struct blob_view blobs = {NULL, 0};
    quire_status st = QUIRE_OK;

    if (env->blobs)
        st = env->blobs(env->ctx, false, &blobs, err);
    if (!st)
        st = persist_hydrate(line, blobs, &scratch, out, report_missing, c,
                             err);
    if (env->blobs)
        env->release(env->ctx);
    arena_release(&scratch);
    return st;
}

static bool has_message(const struct entry *e, quire_bytes line)
{
    quire_bytes summary;

    switch (e->type) {
    case ENTRY_MESSAGE: return e->body != 0;
    case ENTRY_CUSTOM_MESSAGE: return true;
    case ENTRY_BRANCH_SUMMARY:
        summary = json_get(line, "summary");
        return json_kind(summary) == JSON_STRING && summary.len > 2;
    default: return false;
    }
}

/* The line of an entry in its output form. */
static quire_status ready_line(struct context *c, uint32_t place,
                               struct buf *whole, quire_bytes *line,
                               quire_error *err)
{
    const struct entry *e = entry_at(c, place);
    quire_status st;

    st = line_at(c, place, line, err);
    if (st || !(e->flags & ENTRY_REFS))
        return st;
    st = hydrate_line(c, *line, whole, err);
    *line = buf_bytes(whole);
    return st ? st : buf_status(whole, "an entry", err);
}

/* A checked message without changes: copy its bytes. */
static quire_status emit_message(struct context *c, const struct entry *e,
                                 bool *comma, quire_error *err)
{
    quire_bytes body;
    quire_status st = load_bytes(c->s, e->at + e->body, e->len - e->body - 1,
                                 &body, err);

    if (st)
        return st;
    if (*comma)
        buf_add_char(&c->out, ',');
    *comma = true;
    add_bytes(c, body);
    return c->out.len < POUR && !c->out.failed ? QUIRE_OK
                                               : flush_output(c, true, err);
}

static quire_status emit_entry(struct context *c, uint32_t place, bool *comma,
                               quire_error *err)
{
    const uint8_t plain = ENTRY_CHECKED | ENTRY_BODY_LAST;
    const struct entry *e = entry_at(c, place);
    struct buf whole = BUF_INIT(JSONL_MAX_LINE);
    quire_bytes line;
    quire_status st;

    if (e->type == ENTRY_MESSAGE &&
        (e->flags & (plain | ENTRY_REFS | ENTRY_BAD_UTF8 | ENTRY_SPREAD)) ==
            plain)
        return emit_message(c, e, comma, err);
    if (e->type != ENTRY_MESSAGE && e->type != ENTRY_CUSTOM_MESSAGE &&
        e->type != ENTRY_BRANCH_SUMMARY)
        return QUIRE_OK;
    st = ready_line(c, place, &whole, &line, err);
    if (!st && has_message(e, line)) {
        if (*comma)
            buf_add_char(&c->out, ',');
        *comma = true;
        if (e->type == ENTRY_CUSTOM_MESSAGE)
            add_custom(c, line);
        else if (e->type == ENTRY_BRANCH_SUMMARY)
            add_branch_summary(c, line);
        else
            add_bytes(c, json_get(line, "message"));
        st = flush_output(c, false, err);
    }
    buf_release(&whole);
    return st;
}

static quire_status emit_messages(struct context *c, quire_error *err)
{
    quire_status st = QUIRE_OK;
    bool comma = false;
    quire_bytes line;
    uint32_t i;

    if (c->compaction != NONE) {
        st = line_at(c, c->compaction, &line, err);
        if (!st)
            add_compaction(c, line);
        comma = true;
        for (i = c->from; !st && i < c->to; i++)
            st = emit_entry(c, i, &comma, err);
    }
    for (i = c->after; !st && i < c->n; i++)
        st = emit_entry(c, i, &comma, err);
    return st;
}

static quire_bytes value_or(quire_bytes value, const char *other)
{
    return value.data ? value : bytes_str(other);
}

static void emit_settings(struct context *c)
{
    uint32_t i;

    add_text(c, "],\"thinkingLevel\":");
    add_bytes(c, value_or(c->thinking, "\"off\""));
    add_text(c, ",\"models\":{");
    for (i = 0; i < c->n_models; i++) {
        add_text(c, i ? "," : "");
        add_bytes(c, c->models[i].key);
        add_text(c, ":");
        add_bytes(c, c->models[i].value);
    }
    if (!c->has_default && c->default_model.data) {
        add_text(c, c->n_models ? ",\"default\":" : "\"default\":");
        add_bytes(c, c->default_model);
    }
    add_text(c, "},\"injectedTtsrRules\":[");
    for (i = 0; i < c->n_rules; i++) {
        add_text(c, i ? "," : "");
        add_bytes(c, c->rules[i]);
    }
    add_text(c, "],\"mode\":");
    add_bytes(c, value_or(c->mode, "\"none\""));
    add_text(c, ",\"modeData\":");
    add_bytes(c, value_or(c->mode_data, "null"));
    if (c->tier.data) {
        add_text(c, ",\"serviceTier\":");
        add_bytes(c, c->tier);
    }
    add_text(c, "}");
}

/* ---- public functions --------------------------------------------------- */

/* Parse in full whatever will be emitted. */
static quire_status check_output(struct context *c, quire_error *err)
{
    quire_status st = QUIRE_OK;
    quire_bytes line;
    uint32_t i;

    i = c->compaction == NONE ? c->after : c->from;
    for (; !st && c->unchecked && i < c->n; i++) {
        if (c->compaction != NONE && i == c->to)
            i = c->compaction; /* nothing between */
        if (!(entry_at(c, i)->flags & ENTRY_CHECKED))
            st = line_at(c, i, &line, err);
    }
    return st;
}

static quire_status prepare_context(struct context *c, const char *leaf,
                                    quire_error *err)
{
    quire_session *s = c->s;
    quire_status st;

    arena_reset(&s->tmp);
    map_release(&c->seen_rules);
    map_init(&c->seen_rules, s->index.seed[0], s->index.seed[1]);
    map_release(&c->roles);
    map_init(&c->roles, s->index.seed[0], s->index.seed[1]);
    c->n_models = c->cap_models = c->n_rules = c->cap_rules = 0;
    c->has_default = false;
    c->models = NULL;
    c->thinking = c->mode = c->mode_data = c->tier = bytes_of(NULL, 0);
    c->default_model = bytes_of(NULL, 0);
    c->after = c->from = c->to = 0;
    c->n_settings = c->cap_settings = 0;
    c->unchecked = false;
    st = find_path(c, leaf, err);
    if (!st)
        st = choose_entries(c, err);
    if (!st)
        st = read_settings(c, err);
    return st ? st : check_output(c, err);
}

quire_status quire_session_context(quire_session *s, const char *leaf,
                                   quire_write_fn write,
                                   void (*missing)(void *ctx, const char *ref),
                                   void *ctx, quire_error *err)
{
    struct context c = {.s = s, .write = write, .missing = missing, .ctx = ctx};
    quire_status st = session_enter(s, err);

    if (st)
        return st;
    c.out = (struct buf)BUF_INIT(JSONL_MAX_LINE);
    st = load_refresh(s, err);
    if (!st) {
        do
            st = prepare_context(&c, leaf, err);
        while (load_again(s, &st, err));
    }
    if (!st) {
        add_text(&c, "{\"messages\":[");
        st = emit_messages(&c, err);
    }
    if (!st) {
        emit_settings(&c);
        st = flush_output(&c, true, err);
    }
    buf_release(&c.out);
    map_release(&c.seen_rules);
    map_release(&c.roles);
    session_leave(s);
    return st;
}
