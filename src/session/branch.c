/*
 * branch.c - move the leaf
 *
 * A branch moves the leaf and writes nothing. To make the position durable, an
 * entry is written there: every reader takes it for the leaf, since it is the
 * last line, and no context includes it.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "session/priv.h"

static quire_status find_or_fail(quire_session *s, const char *id, uint32_t *at,
                                 quire_error *err)
{
    quire_status st;

    do {
        quire_bytes text;

        st = write_ready(s, err);
        *at = st ? NONE : session_find(s, id);
        if (!st && *at == NONE)
            st = write_no_entry(s, id, err);
        if (!st)
            st = load_line(s, *at, &text, err);
    } while (load_again(s, &st, err));
    return st;
}

static quire_status move_leaf(quire_session *s, const char *id,
                              quire_error *err)
{
    uint32_t at = NONE;
    quire_status st = id ? find_or_fail(s, id, &at, err) : write_ready(s, err);

    if (!st) {
        s->leaf = at;
        s->leaf_is_last = at != NONE && at == s->index.n - 1;
    }
    return st;
}

quire_status quire_session_branch(quire_session *s, const char *id, int keep,
                                  quire_appended *out, quire_error *err)
{
    static const char head[] =
        "{\"type\":\"custom\",\"customType\":\"quire/head\"}";
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    bool there;
    quire_status st;

    st = session_enter(s, err);
    if (st)
        return st;
    st = move_leaf(s, id, err);
    /* Every reader takes the last line for the leaf. */
    there = !st && s->leaf != NONE && s->leaf == s->index.n - 1;
    if (there)
        write_report(s, s->leaf, false, out);
    session_leave(s);
    if (!st && there && keep && s->sync == QUIRE_SYNC_EACH)
        return quire_session_flush(s,
                                   err); /* its writer may not have synced it */
    if (st || there || !keep)
        return st;
    o.at = id ? id : "root";
    return quire_session_append(s, bytes_str(head), &o, out, err);
}

quire_status quire_session_branch_summary(quire_session *s, const char *id,
                                          const char *summary,
                                          quire_bytes details,
                                          quire_appended *out, quire_error *err)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    struct buf b = BUF_INIT(JSONL_MAX_LINE);
    struct json_writer w;
    quire_status st;

    json_begin(&w, &b);
    json_object(&w);
    json_put_str(&w, "type", "branch_summary");
    json_put_str(&w, "fromId", id ? id : "root");
    json_put_str(&w, "summary", summary);
    if (details.len) {
        json_put_raw(&w, "details", details);
    }
    json_object_end(&w);
    o.at = id ? id : "root";
    st = buf_status(&b, "a summary", err);
    if (!st)
        st = quire_session_append(s, buf_bytes(&b), &o, out, err);
    buf_release(&b);
    return st;
}

quire_status quire_session_label(quire_session *s, const char *id,
                                 const char *label, quire_appended *out,
                                 quire_error *err)
{
    struct buf b = BUF_INIT(1 << 20);
    struct json_writer w;
    uint32_t at;
    quire_status st;

    st = session_enter(s, err);
    if (st)
        return st;
    st = find_or_fail(s, id, &at, err);
    session_leave(s);
    json_begin(&w, &b);
    json_object(&w);
    json_put_str(&w, "type", "label");
    json_put_str(&w, "targetId", id);
    if (label && *label) {
        json_put_str(&w, "label", label);
    }
    if (s->header.imported)
        json_put_bool(&w, "local", true);
    json_object_end(&w);
    if (!st)
        st = buf_status(&b, "a label", err);
    if (!st)
        st = write_note(s, buf_bytes(&b), out, err);
    buf_release(&b);
    return st;
}
