/*
 * opencode.c - sessions of opencode, Kilo and MiMo Code
 *
 * A record is a message with its parts, from one of three places:
 *
 *     {"message": row, "parts": [row]}     of its database or its older files, as
 *                                          agent.c writes them, behind {"session": row};
 *                                          what a message says is JSON in the column
 *                                          `data`
 *     {"info": message, "parts": [part]}   of `opencode export`: a list in one
 *                                          document, which has the session in `info`
 *
 * Messages follow each other.
 *
 *     user        a message: text, files
 *     assistant   for each step (step-start … step-finish) an answer, and below it
 *                 a toolResult for each tool that has ended. The usage is in the
 *                 step-finish, else in the message
 *       summary   behind the answer a compaction with its text
 *     revert of the session    where it goes on: before that message
 *     snapshot, patch, …       in the original only
 *     retry, others            custom entries
 */
#include "import/opencode/opencode.h"

#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum line_field {
    LINE_SESSION,
    LINE_MESSAGE,
    LINE_INFO,
    LINE_PARTS,
    LINE_TABLE,
    LINE_ROW,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] = {FIELD("session"),
                                                             FIELD("message"),
                                                             FIELD("info"),
                                                             FIELD("parts"),
                                                             FIELD("table"),
                                                             FIELD("row")};

static void count(struct import_converter *c, const char *what,
                  const char *group, quire_bytes name)
{
    counts_add(&c->counts, what, bytes_str(group),
               value_is_string(name) ? value_name(name) : none);
}

/* ---- the session -------------------------------------------------------- */

/* "New session - 2026-…" is no title. */
static bool is_default_title(quire_bytes title)
{
    return bytes_starts(title, bytes_str("\"New session - ")) ||
           bytes_starts(title, bytes_str("\"Child session - "));
}

static quire_status on_session(struct import_converter *c, quire_bytes row,
                               quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"),        JSON_WANT("directory"),
                            JSON_WANT("title"),     JSON_WANT("version"),
                            JSON_WANT("parent_id"), JSON_WANT("parentID"),
                            JSON_WANT("revert"),    JSON_WANT("time_created"),
                            JSON_WANT("time"),      JSON_WANT("data")};
    quire_bytes revert;
    quire_status st = QUIRE_OK;

    if (json_kind(row) != JSON_OBJECT)
        return QUIRE_OK;
    json_pick(row, w, 10, NULL);
    if (!w[0].value.data && w[9].value.data) { /* a file of its own */
        st = opencode_object(c, w[9].value, &row, err);
        if (st || !row.data)
            return st;
        json_pick(row, w, 9, NULL);
    }
    convert_first_fact(c, FACT_SESSION, w[0].value);
    convert_first_fact(c, FACT_CWD, w[1].value);
    if (!is_default_title(w[2].value))
        convert_fact(c, FACT_TITLE, w[2].value);
    convert_fact(c, FACT_VERSION, w[3].value);
    convert_first_fact(c, FACT_PARENT,
                       w[4].value.data ? w[4].value : w[5].value);
    convert_stamp_number(c, w[7].value);
    convert_stamp_number(c, json_get(w[8].value, "created"));
    st = opencode_object(c, w[6].value, &revert, err);
    if (!st && revert.data)
        short_json_set(&opencode_of(c)->revert, json_get(revert, "messageID"));
    return st;
}

/* ---- content ------------------------------------------------------------ */

static quire_status add_file(struct blocks *b, quire_bytes part,
                             quire_error *err)
{
    struct json_want w[] = {JSON_WANT("url"), JSON_WANT("filename")};
    bool known = false;
    quire_status st = QUIRE_OK;

    json_pick(part, w, 2, NULL);
    if (value_is_string(w[0].value))
        st = blocks_data_url(b, w[0].value, w[1].value, &known, err);
    return st || known ? st : blocks_raw(b, part, none, none, err);
}

/* {"anthropic": {"signature": "…"}} */
static quire_bytes signature_of(quire_bytes part)
{
    return json_get(json_get(json_get(part, "metadata"), "anthropic"),
                    "signature");
}

static bool is_only_kept(quire_bytes type)
{
    static const char *const kinds[] = {"step-start", "step-finish", "snapshot",
                                        "patch",      "compaction",  NULL};
    const char *const *kind;

    for (kind = kinds; *kind; kind++)
        if (value_is(type, *kind))
            return true;
    return false;
}

/* Whether a part stands in the message of the user. */
static bool is_block(const struct part *p)
{
    return value_is(p->type, "text") || value_is(p->type, "file") ||
           value_is(p->type, "agent") || value_is(p->type, "subtask");
}

/* ---- results ------------------------------------------------------------ */

static bool has_failed(quire_bytes status, quire_bytes metadata)
{
    quire_bytes exit = json_get(metadata, "exit");

    return value_is(status, "error") ||
           (json_kind(exit) == JSON_NUMBER && !bytes_is(exit, "0"));
}

static quire_status add_attachments(struct blocks *b, quire_bytes list,
                                    quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(list) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, list);
    while (!st && json_next(&it))
        st = add_file(b, it.value, err);
    return st;
}

/* The result of a tool that has ended. */
static quire_status add_result(struct import_converter *c, const struct part *p,
                               quire_error *err)
{
    struct json_want w[] = {JSON_WANT("callID"), JSON_WANT("tool"),
                            JSON_WANT("state")};
    struct json_want s[] = {JSON_WANT("status"), JSON_WANT("output"),
                            JSON_WANT("error"), JSON_WANT("metadata"),
                            JSON_WANT("attachments")};
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    quire_bytes text;
    uint32_t parent;
    quire_status st = QUIRE_OK;

    json_pick(p->data, w, 3, NULL);
    json_pick(w[2].value, s, 5, NULL);
    if (!value_is(s[0].value, "completed") && !value_is(s[0].value, "error"))
        return QUIRE_OK;
    b.tool = w[1].value;
    b.node = linear_place(c, opencode_of(c)->n_parts++, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    st = convert_link(c, IMPORT_SUBAGENT, json_get(s[3].value, "sessionId"),
                      b.node, err);
    entry_begin_result(c, b.node, parent, w[0].value, w[1].value);
    text = value_is(s[0].value, "error") ? s[2].value : s[1].value;
    if (!st && value_is_string(text))
        st = blocks_text(&b, text, err);
    if (!st)
        st = add_attachments(&b, s[4].value, err);
    return st ? st
              : entry_end_result(c, b.node, has_failed(s[0].value, s[3].value),
                                 err);
}

/* ---- answers ------------------------------------------------------------ */

/* Counts do not overlap. Newer versions have what was thought beside the output,
 * which a total shows; in older ones it is part of it. */
static void read_tokens(struct answer *a, quire_bytes tokens, quire_bytes cost)
{
    struct json_want w[] = {JSON_WANT("input"), JSON_WANT("output"),
                            JSON_WANT("reasoning"), JSON_WANT("cache"),
                            JSON_WANT("total")};
    uint64_t reasoning, total;

    if (json_kind(tokens) != JSON_OBJECT || !json_pick(tokens, w, 5, NULL))
        return;
    a->has_usage = 1;
    a->input += value_count(w[0].value);
    a->output += value_count(w[1].value);
    a->cache_read += value_count(json_get(w[3].value, "read"));
    a->cache_write_5m += value_count(json_get(w[3].value, "write"));
    a->dollars += value_dollars(cost);
    reasoning = value_count(w[2].value);
    total = value_count(w[4].value);
    if (total &&
        a->input + a->output + a->cache_read + a->cache_write_5m + reasoning <=
            total)
        a->output += reasoning;
}

static enum stop_reason stop_of(quire_bytes finish)
{
    return value_is(finish, "stop")             ? STOP_END
           : value_is(finish, "tool-calls")     ? STOP_TOOL
           : value_is(finish, "length")         ? STOP_LENGTH
           : value_is(finish, "error")          ? STOP_ERROR
           : value_is(finish, "content-filter") ? STOP_ERROR
                                                : STOP_UNKNOWN;
}

static quire_status add_call(struct blocks *b, quire_bytes part,
                             quire_error *err)
{
    struct json_want w[] = {JSON_WANT("callID"), JSON_WANT("tool"),
                            JSON_WANT("state")};

    json_pick(part, w, 3, NULL);
    return blocks_call(b, w[0].value, w[1].value, json_get(w[2].value, "input"),
                       err);
}

static quire_status add_answer_part(struct blocks *b, const struct part *p,
                                    quire_error *err)
{
    if (value_is(p->type, "text") && value_is_string(p->text))
        return p->text.len > 2 ? blocks_text(b, p->text, err) : QUIRE_OK;
    if (value_is(p->type, "reasoning") && value_is_string(p->text))
        return blocks_thinking(b, p->text, signature_of(p->data), err);
    if (value_is(p->type, "tool"))
        return add_call(b, p->data, err);
    if (value_is(p->type, "file"))
        return add_file(b, p->data, err);
    if (value_is(p->type, "step-finish")) {
        read_tokens(b->answer, json_get(p->data, "tokens"),
                    json_get(p->data, "cost"));
        b->answer->stop = stop_of(json_get(p->data, "reason"));
    }
    return QUIRE_OK;
}

enum info_field {
    INFO_MODEL,
    INFO_PROVIDER,
    INFO_TOKENS,
    INFO_COST,
    INFO_FINISH,
    INFO_ERROR,
    INFO_SUMMARY,
    N_INFO
};

struct info {
    struct json_want of[N_INFO];
    bool has_steps; /* the usage is in the parts */
};

static void read_info(const struct message *m, struct info *f)
{
    static const struct json_want wants[N_INFO] = {JSON_WANT("modelID"),
                                                   JSON_WANT("providerID"),
                                                   JSON_WANT("tokens"),
                                                   JSON_WANT("cost"),
                                                   JSON_WANT("finish"),
                                                   JSON_WANT("error"),
                                                   JSON_WANT("summary")};
    size_t i;

    memcpy(f->of, wants, sizeof wants);
    json_pick(m->info, f->of, N_INFO, NULL);
    f->has_steps = false;
    for (i = 0; i < m->n; i++)
        f->has_steps |= value_is(m->parts[i].type, "step-finish");
}

static void read_error(struct answer *a, quire_bytes error)
{
    quire_bytes name = json_get(error, "name");
    quire_bytes message = json_get(json_get(error, "data"), "message");

    a->stop = value_is(name, "MessageAbortedError")        ? STOP_ABORTED
              : value_is(name, "MessageOutputLengthError") ? STOP_LENGTH
                                                           : STOP_ERROR;
    short_json_set(&a->error, value_has_text(message) ? message : name);
}

static void read_answer(struct import_converter *c, const struct info *f,
                        bool is_last, struct answer *a)
{
    short_json_set(&a->model, f->of[INFO_MODEL].value);
    short_json_set(&a->provider, f->of[INFO_PROVIDER].value);
    convert_fact(c, FACT_MODEL, f->of[INFO_MODEL].value);
    if (!is_last)
        return;
    if (!f->has_steps) {
        read_tokens(a, f->of[INFO_TOKENS].value, f->of[INFO_COST].value);
        a->stop = stop_of(f->of[INFO_FINISH].value);
    }
    if (json_kind(f->of[INFO_ERROR].value) == JSON_OBJECT)
        read_error(a, f->of[INFO_ERROR].value);
}

/* Parts [from, to) of a message are one step: an answer, then the results. */
static quire_status add_step(struct import_converter *c,
                             const struct message *m, const struct info *f,
                             size_t from, size_t to, quire_error *err)
{
    struct opencode *s = opencode_of(c);
    struct blocks b = {.c = c, .calls = &s->calls};
    struct held *h;
    uint32_t parent;
    quire_status st;
    size_t i;

    b.node = linear_place_id(c, from == 0 ? m->id : none, &s->n_parts, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, b.node, &h, err);
    if (st)
        return st;
    h->answer.parent = parent;
    b.out = &h->json;
    b.answer = &h->answer;
    read_answer(c, f, to == m->n, &h->answer);
    for (i = from; i < to && !st; i++)
        st = add_answer_part(&b, &m->parts[i], err);
    c->hold.bytes += h->json.len;
    if (!st)
        st = hold_close(c, h, err);
    for (i = from; i < to && !st; i++)
        if (value_is(m->parts[i].type, "tool"))
            st = add_result(c, &m->parts[i], err);
    return st;
}

/* Whether a part can stand in an answer. */
static bool has_content(const struct part *p)
{
    return !is_only_kept(p->type) && !value_is(p->type, "retry");
}

/* Where the step that begins at `from` ends: before the next one that begins, if
 * there is something in this one. */
static size_t find_step_end(const struct message *m, size_t from)
{
    bool some = false;
    size_t i;

    for (i = from; i < m->n; i++) {
        if (some && value_is(m->parts[i].type, "step-start"))
            return i;
        some |= has_content(&m->parts[i]) ||
                value_is(m->parts[i].type, "step-finish");
    }
    return m->n;
}

/* The text of a summary, as a JSON string. */
static quire_bytes summary_of(const struct message *m)
{
    size_t i;

    for (i = 0; i < m->n; i++)
        if (value_is(m->parts[i].type, "text") &&
            value_has_text(m->parts[i].text))
            return m->parts[i].text;
    return bytes_str("\"\"");
}

static quire_status add_compaction(struct import_converter *c,
                                   const struct message *m, quire_error *err)
{
    struct opencode *s = opencode_of(c);
    uint32_t parent, node = linear_place(c, s->n_parts++, &parent), kept;
    quire_status st;

    if (node == TREE_NONE)
        return err_memory(err);
    kept = convert_find(c, short_json_get(&s->kept_from));
    if (kept != TREE_NONE)
        kept = c->tree.nodes[kept].entry;
    s->kept_from.len = 0;
    entry_begin(c, "compaction", node, parent);
    ADD(&c->out, ",\"summary\":");
    st = entry_payload(c, IMPORT_TEXT, summary_of(m), none, none, node, &c->out,
                       err);
    ADD(&c->out, ",\"firstKeptEntryId\":");
    entry_add_id(c, &c->out, kept == TREE_NONE ? node : kept);
    entry_raw(c, "tokensBefore", bytes_str("0"));
    return st ? st : entry_end(c, node, err);
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct message *m, quire_error *err)
{
    struct info f;
    quire_status st = QUIRE_OK;
    size_t from = 0, to;

    read_info(m, &f);
    do {
        to = find_step_end(m, from);
        st = add_step(c, m, &f, from, to, err);
        from = to;
    } while (from < m->n && !st);
    if (!st && value_is_true(f.of[INFO_SUMMARY].value))
        st = add_compaction(c, m, err);
    return st;
}

/* ---- messages ----------------------------------------------------------- */

static quire_status add_user_part(struct blocks *b, const struct part *p,
                                  quire_error *err)
{
    if (value_is(p->type, "text") && value_is_string(p->text)) {
        if (!value_is_true(json_get(p->data, "synthetic")))
            convert_first_fact(b->c, FACT_PROMPT, p->text);
        return blocks_text(b, p->text, err);
    }
    if (value_is(p->type, "file"))
        return add_file(b, p->data, err);
    return is_block(p) ? blocks_raw(b, p->data, none, none, err) : QUIRE_OK;
}

static quire_status on_user(struct import_converter *c, const struct message *m,
                            quire_error *err)
{
    struct opencode *s = opencode_of(c);
    struct blocks b = {.c = c, .out = &c->out};
    quire_status st = QUIRE_OK;
    bool some = false;
    uint32_t parent;
    size_t i;

    for (i = 0; i < m->n; i++) {
        some |= is_block(&m->parts[i]);
        if (value_is(m->parts[i].type, "compaction"))
            short_json_set(&s->kept_from,
                           json_get(m->parts[i].data, "tail_start_id"));
    }
    if (!some) {
        count(c, "kept", "message", none);
        return QUIRE_OK;
    }
    b.node = linear_place_id(c, m->id, &s->n_parts, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_message(c, b.node, parent, "user");
    for (i = 0; i < m->n && !st; i++)
        st = add_user_part(&b, &m->parts[i], err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

/* Parts that are in no message: counted, or entries of their own. */
static quire_status add_others(struct import_converter *c,
                               const struct message *m, bool is_answer,
                               quire_error *err)
{
    struct opencode *s = opencode_of(c);
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < m->n && !st; i++) {
        const struct part *p = &m->parts[i];
        bool is_in = is_answer ? value_is(p->type, "text") ||
                                     value_is(p->type, "reasoning") ||
                                     value_is(p->type, "tool") ||
                                     value_is(p->type, "file")
                               : is_block(p);

        if (is_in)
            continue;
        if (is_only_kept(p->type)) {
            count(c, "kept", "part", p->type);
            continue;
        }
        if (!value_is(p->type, "retry"))
            count(c, "unknown", "part", p->type);
        st = linear_custom(c, s->n_parts++,
                           value_is_string(p->type) ? value_name(p->type)
                                                    : bytes_str("part"),
                           p->data, err);
    }
    return st;
}

/* Before the message that was taken back: there it goes on. */
static void note_revert(struct import_converter *c, const struct message *m)
{
    struct opencode *s = opencode_of(c);

    if (s->reverted || !s->revert.len ||
        !bytes_equal(short_json_get(&s->revert), m->id))
        return;
    s->reverted = 1;
    s->before = c->leaf;
}

static quire_status convert_message(struct import_converter *c,
                                    const struct message *m, quire_error *err)
{
    quire_bytes role = json_get(m->info, "role");
    bool is_answer = value_is(role, "assistant");
    quire_status st;

    note_revert(c, m);
    if (is_answer) {
        st = on_assistant(c, m, err);
    } else if (value_is(role, "user")) {
        st = on_user(c, m, err);
    } else {
        count(c, "unknown", "message", role);
        return linear_custom(c, opencode_of(c)->n_parts++, bytes_str("message"),
                             m->info, err);
    }
    return st ? st : add_others(c, m, is_answer, err);
}

/* `row` is a message, or the row of one; it may be missing. */
static quire_status on_message(struct import_converter *c, quire_bytes row,
                               quire_bytes parts, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("time_created")};
    struct message m = {.n = 0};
    quire_status st = opencode_row(c, row, &m.info, err);

    if (!st)
        st = opencode_parts(c, parts, &m, err);
    if (st)
        return st;
    if (json_kind(row) == JSON_OBJECT)
        json_pick(row, w, 2, NULL);
    m.id = w[0].value.data ? w[0].value : json_get(m.info, "id");
    convert_stamp_number(c, w[1].value);
    if (!m.info.data) {
        convert_problem(c, 0, "garbage", "a message that is not JSON");
        m.info = bytes_str("{}");
    }
    m.info = opencode_one_line(c, m.info);
    if (!m.info.data)
        return err_memory(err);
    convert_stamp_number(c, json_get(json_get(m.info, "time"), "created"));
    return convert_message(c, &m, err);
}

/* ---- the format --------------------------------------------------------- */

static quire_status convert(struct import_converter *c,
                            const quire_bytes of[N_LINE_FIELDS],
                            quire_bytes text, quire_error *err)
{
    if (of[LINE_SESSION].data)
        return on_session(c, of[LINE_SESSION], err);
    if (of[LINE_MESSAGE].data)
        return on_message(c, of[LINE_MESSAGE], of[LINE_PARTS], err);
    if (of[LINE_INFO].data)
        return on_message(c, of[LINE_INFO], of[LINE_PARTS], err);
    if (value_is_string(of[LINE_TABLE])) {
        count(c, "kept", "table", of[LINE_TABLE]);
        return QUIRE_OK;
    }
    counts_add(&c->counts, "unknown", bytes_str("record"), none);
    return linear_custom(c, opencode_of(c)->n_parts++, bytes_str("record"),
                         text, err);
}

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct opencode *s = opencode_of(c);
    quire_bytes of[N_LINE_FIELDS] = {none};
    struct fields f = {.names = line_fields, .n = N_LINE_FIELDS, .of = of};
    quire_status st;

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    c->after_damage = false;
    s->n_parts = 0;
    st = convert(c, of, text, err);
    arena_reset(&s->scratch);
    return st;
}

/* What an export says beside its messages. */
static quire_status member(struct import_converter *c, quire_bytes key,
                           quire_bytes value, quire_error *err)
{
    quire_status st;

    if (!json_is(key, "info")) {
        counts_add(&c->counts, "kept", value_name(key), none);
        return QUIRE_OK;
    }
    st = on_session(c, value, err);
    arena_reset(&opencode_of(c)->scratch);
    return st;
}

static quire_status finish(struct import_converter *c, quire_error *err)
{
    struct opencode *s = opencode_of(c);

    (void)err;
    if (s->reverted && s->before != TREE_NONE)
        c->leaf = s->before;
    return QUIRE_OK;
}

static void init(struct import_converter *c)
{
    opencode_of(c)->before = TREE_NONE;
}

static void release(struct import_converter *c)
{
    arena_release(&opencode_of(c)->scratch);
}

static void save(const struct import_converter *c, struct buf *out)
{
    const struct opencode *s = opencode_of(c);

    state_put_bytes(out, short_json_get(&s->revert));
    state_put_bytes(out, short_json_get(&s->kept_from));
    state_put(out, &s->before, sizeof s->before);
    state_put(out, &s->reverted, sizeof s->reverted);
    calls_save(&s->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct opencode *s = opencode_of(c);

    short_json_set(&s->revert, state_get_bytes(r));
    short_json_set(&s->kept_from, state_get_bytes(r));
    state_get(r, &s->before, sizeof s->before);
    state_get(r, &s->reverted, sizeof s->reverted);
    if (s->before >= c->tree.n)
        s->before = TREE_NONE;
    calls_restore(&s->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"message\":", "{\"session\":",
                                            "{\"table\":", NULL};
static const char *const lists[] = {"messages", NULL};

const struct import_format import_opencode = {
    .name = "opencode",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct opencode),
    .init = init,
    .release = release,
    .record = record,
    .lists = lists,
    .member = member,
    .finish = finish,
    .save = save,
    .restore = restore,
};
