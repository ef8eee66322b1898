/*
 * tool_remember.c - the tool `remember`: facts that outlive the session
 *
 *     add         a fact, pinned to the session it was learnt in
 *     supersede   a fact that takes the place of `id`
 *     invalidate  end the fact `id`; it is kept for questions about the past
 *     relate      `id` and `to`
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

enum { TAGS_MAX = 32 };

const char remember_schema[] =
    "{\"name\":\"remember\",\"description\":\"Facts that last.\",\"inputSch"
    "ema\":{\"type\":\"object\",\"properties\":{\"action\":{\"type\":\"stri"
    "ng\",\"enum\":[\"add\",\"supersede\",\"invalidate\",\"relate\"]},\"typ"
    "e\":{\"type\":\"string\",\"enum\":[\"user\",\"feedback\",\"project\","
    "\"reference\",\"learning\",\"context\"]},\"title\":{\"type\":\"string"
    "\"},\"content\":{\"type\":\"string\"},\"tags\":{\"type\":\"array\",\"i"
    "tems\":{\"type\":\"string\"}},\"id\":{\"type\":\"integer\"},\"to\":{\""
    "type\":\"integer\"},\"relation\":{\"type\":\"string\"}}}}";

/* A number under a name, or in "mem:7". */
static quire_status read_id(struct mcp_call *c, quire_bytes arguments,
                            const char *name, int64_t *id, quire_error *err)
{
    quire_bytes value = json_get(arguments, name);
    const char *text = message_text(c, arguments, name);

    if (text && !strncmp(text, "mem:", 4))
        value = bytes_str(text + 4);
    if (json_read_int(value, id) && *id > 0)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "recall shows ids: mem:7 is 7.",
                    "%s is not the id of a fact", name);
}

static quire_bytes text_of(struct mcp_call *c, quire_bytes arguments,
                           const char *name)
{
    quire_bytes value = json_get(arguments, name);

    return json_kind(value) == JSON_STRING ? json_text(value, &c->keep)
                                           : bytes_of(NULL, 0);
}

static quire_status read_tags(struct mcp_call *c, quire_bytes arguments,
                              quire_bytes tags[TAGS_MAX],
                              quire_memory_options *o, quire_error *err)
{
    quire_bytes value = json_get(arguments, "tags");
    struct json_scan it;

    if (json_kind(value) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, value);
    o->tags = tags;
    while (json_next(&it)) {
        if (json_kind(it.value) != JSON_STRING || o->n_tags == TAGS_MAX)
            return err_set(err, QUIRE_INVALID, "tags are up to %d texts",
                           TAGS_MAX);
        tags[o->n_tags++] = json_text(it.value, &c->keep);
    }
    return QUIRE_OK;
}

static void put_fact(struct json_writer *w, const quire_memory *m)
{
    json_put_int(w, "id", m->id);
    json_put_str(w, "type", quire_memory_type_name(m->type));
    json_put_bytes(w, "title", m->title);
}

static quire_status add(struct mcp_call *c, struct mcp_handle *h,
                        quire_bytes arguments, bool supersedes,
                        struct json_writer *w, quire_error *err)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    const char *session = mcp_session(h->m);
    quire_bytes tags[TAGS_MAX], type = text_of(c, arguments, "type");
    int64_t old = 0;
    quire_memory made;
    quire_status st = supersedes ? read_id(c, arguments, "id", &old, err)
                                 : QUIRE_OK;

    o.title = text_of(c, arguments, "title");
    o.content = text_of(c, arguments, "content");
    o.type = QUIRE_MEMORY_LEARNING;
    if (!o.content.data)
        o.content = bytes_of("", 0);
    if (!st && type.data)
        st = quire_memory_type_of(type, &o.type, err);
    if (!st)
        st = read_tags(c, arguments, tags, &o, err);
    if (!st && json_get(arguments, "artifact_id").data)
        st = json_read_int(json_get(arguments, "artifact_id"), &o.artifact)
                 ? QUIRE_OK
                 : err_set(err, QUIRE_INVALID, "artifact_id is not a number");
    o.supersedes = &old;
    o.n_supersedes = supersedes;
    if (!st && !o.title.len)
        st = err_fail(err, QUIRE_INVALID, "Say it in one line as \"title\".",
                      "a fact needs a title");
    if (!st)
        st = quire_memory_add(h->q,
                              session && !handle_built_in(session) ? session
                                                                   : NULL,
                              &o, &made, err);
    if (!st)
        put_fact(w, &made);
    return st;
}

static quire_status relate(struct mcp_call *c, struct mcp_handle *h,
                           quire_bytes arguments, struct json_writer *w,
                           quire_error *err)
{
    quire_bytes name = text_of(c, arguments, "relation");
    quire_relation_kind kind = QUIRE_RELATES_TO;
    quire_relation made = {.id = 0};
    int64_t id, to = 0;
    quire_status st = read_id(c, arguments, "id", &id, err);

    if (!st)
        st = read_id(c, arguments, "to", &to, err);
    if (!st && name.data)
        st = quire_relation_of(name, &kind, err);
    if (!st)
        st = quire_relation_add(h->q, id, kind, to, &made, err);
    if (st && st != QUIRE_EXISTS)
        return st;
    json_put_int(w, "id", made.id);
    json_put_bool(w, "existed", st == QUIRE_EXISTS);
    return QUIRE_OK;
}

static quire_status invalidate(struct mcp_call *c, struct mcp_handle *h,
                               quire_bytes arguments, struct json_writer *w,
                               quire_error *err)
{
    int64_t id;
    quire_status st = read_id(c, arguments, "id", &id, err);

    if (!st)
        st = quire_memory_invalidate(h->q, id, 0, err);
    if (!st)
        json_put_int(w, "id", id);
    return st;
}

void tool_remember(struct mcp_call *c, struct mcp_handle *h,
                   quire_bytes arguments, struct buf *out)
{
    quire_bytes action = json_get(arguments, "action");
    struct json_writer w;
    quire_error err = {.what = ""};
    quire_status st;

    tool_begin(&w, out);
    if (!action.data || json_is(action, "add"))
        st = add(c, h, arguments, false, &w, &err);
    else if (json_is(action, "supersede"))
        st = add(c, h, arguments, true, &w, &err);
    else if (json_is(action, "relate"))
        st = relate(c, h, arguments, &w, &err);
    else if (json_is(action, "invalidate"))
        st = invalidate(c, h, arguments, &w, &err);
    else
        st = err_fail(&err, QUIRE_INVALID,
                      "Use one of: add, supersede, invalidate, relate.",
                      "unknown action");
    if (st)
        tool_fail(c, out, st, &err);
    else
        tool_end(&w);
}
