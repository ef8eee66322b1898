/*
 * persist.c - prepare an entry for the disk
 *
 * The walk of persist_priv.h, with these decisions:
 *
 *     a string       cut, if long and nothing seen so far forbids it; an
 *                    `image_url` is put at once
 *     `data`         waits for the end of its object, which shows whether
 *                    it is base64
 *     an object      if it is an image, its data is put; if it is sealed (it
 *                    carries a signature, or is encrypted), all cuts in it
 *                    are struck; then its lines are counted
 *
 * Cuts are struck late because a seal may come behind half a megabyte of
 * thinking, or around it. A struck cut may leave a line count without its
 * reason, so a level records whether it has changed by more than cuts.
 *
 * Invariants:
 *
 *   (1) Changes lie within the entry and do not overlap: a removed member is
 *       not entered, and a scalar is changed at most once.
 *   (2) Only transient members are lost, and without blobs cut text. A reference is written
 *       after its blob was put, and hydrating returns the same string.
 *   (3) The output is stable: persisted again, it is copied.
 *
 * fuzz/persist_fuzz.c checks them.
 */
#include "session/persist.h"

#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "session/persist_priv.h"

/* The length of the notice: two line breaks and 45 characters. */
#define NOTICE_UNITS 47
_Static_assert(sizeof PERSIST_NOTICE - 1 == NOTICE_UNITS + 2,
               "two of its units are spelled with two bytes");

struct rules {
    bool omp;
};

/* ---- cutting ------------------------------------------------------------ */

/* A unit takes a byte or more, so most strings are known to be short. */
static bool is_long(quire_bytes string)
{
    return string.len - 2 > PERSIST_MAX_UNITS &&
           json_cut_utf16(string, PERSIST_MAX_UNITS) < string.len - 1;
}

/* The part of a long string to remove for the notice. */
static quire_bytes find_surplus(quire_bytes string)
{
    size_t cut = json_cut_utf16(string, PERSIST_MAX_UNITS - NOTICE_UNITS);

    return bytes_sub(string, cut, string.len - 1);
}

/* "data:…;base64,": the only comma before the data ends the description. */
static bool is_data_url(struct walk *w, quire_bytes string)
{
    quire_bytes head = walk_head(w, string);
    const char *start = head.data, *comma;

    if (!bytes_starts(head, bytes_str("data:")))
        return false;
    comma = memchr(start, ',', head.len);
    return comma && comma - start >= 12 && !memcmp(comma - 7, ";base64", 7);
}

/* Cut the string if needed; returns whether it was. */
static bool cut_string(struct walk *w, quire_bytes string)
{
    if (!is_long(string) || is_data_url(w, string))
        return false;
    walk_add(w, (struct change){.kind = CHANGE_CUT, .old = string});
    return true;
}

/* Take back the cuts in a sealed object, and the line counts they caused. */
static void strike_cuts(struct walk *w, struct level *l)
{
    size_t i;

    for (i = l->n_changes; i < w->n_changes; i++) {
        struct change *c = &w->changes[i];

        if (c->kind == CHANGE_CUT || (c->kind == CHANGE_LINES && !c->hard))
            c->kind = CHANGE_STRUCK;
        c->whole = true;
    }
    l->changed = l->hard;
}

/* ---- putting ------------------------------------------------------------ */

/* Put `content` and replace `string` by its reference. */
static quire_status put_blob(struct walk *w, quire_bytes string,
                             quire_bytes content, quire_error *err)
{
    quire_blob_info info;
    quire_status st = blob_put(w->blobs, content, QUIRE_PUT_MOVE, &info, err);
    char ref[QUIRE_REF_SIZE];
    char *quoted;

    if (st)
        return st;
    quire_ref_format(&info.digest, ref);
    quoted = arena_printf(w->tmp, "\"%s\"", ref);
    if (!quoted)
        return err_memory(err);
    walk_replace(w, string, bytes_str(quoted));
    return QUIRE_OK;
}

/* A data: URL of an image is put as it is, description included: the bytes
 * alone would not reveal it. */
static quire_status put_url(struct walk *w, quire_bytes string, bool *is_url,
                            quire_error *err)
{
    quire_bytes text;
    bool exact;

    *is_url = bytes_starts(walk_head(w, string), bytes_str("data:image/"));
    if (!*is_url || w->failed)
        return QUIRE_OK;
    exact = walk_text(w, string, &text);
    if (w->failed)
        return QUIRE_OK;
    *is_url = memmem(text.data, text.len, ";base64,", 8) != NULL;
    if (!*is_url || !exact || !w->blobs.store)
        return QUIRE_OK;
    return put_blob(w, string, text, err);
}

static quire_status put_image(struct walk *w, quire_bytes data,
                              quire_error *err)
{
    quire_bytes text;

    if (data.len - 2 < PERSIST_MIN_IMAGE || !walk_text(w, data, &text) ||
        text.len < PERSIST_MIN_IMAGE)
        return QUIRE_OK;
    buf_clear(&w->raw);
    if (!base64_decode(text, &w->raw))
        return QUIRE_OK;
    w->failed |= w->raw.failed;
    return w->failed ? QUIRE_OK : put_blob(w, data, buf_bytes(&w->raw), err);
}

/* ---- deciding ----------------------------------------------------------- */

static quire_status visit_string(struct walk *w, enum key key,
                                 quire_bytes string, quire_error *err)
{
    bool is_url = false, is_cut = false;
    quire_status st = QUIRE_OK;

    if (key == KEY_DATA || key_is_seal(key))
        return QUIRE_OK;
    if (key == KEY_IMAGE_URL)
        st = put_url(w, string, &is_url, err);
    if (!st && !is_url)
        is_cut = cut_string(w, string);
    if (key == KEY_CONTENT)
        walk_level(w)->content_cut = is_cut;
    return st;
}

static quire_status close_object(struct walk *w, struct level *l,
                                 quire_error *err)
{
    const struct rules *rules = w->ctx;
    bool sealed = l->facts & (FACTS_SEAL | FACT_TYPE_REDACTED);
    quire_status st = QUIRE_OK;

    if (l->data.data && w->blobs.store && l->list != LIST_SINGLE &&
        level_is_image(l, rules->omp))
        st = put_image(w, l->data, err);
    else if (l->data.data && !(l->facts & (FACTS_MIME | FACT_TYPE_IMAGE)))
        cut_string(w, l->data);
    if (sealed)
        strike_cuts(w, l);
    if (l->changed && l->content.data && l->line_count.data)
        walk_add(w, (struct change){.kind = CHANGE_LINES,
                                    .old = l->line_count,
                                    .content = l->content,
                                    .hard = l->hard,
                                    .whole = sealed || !l->content_cut});
    return st;
}

/* ---- applying ----------------------------------------------------------- */

/* Line breaks in the spelled-out text of a string, all of which are escapes. */
static size_t count_breaks(const char *at, const char *end)
{
    size_t n = 0;

    while (at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
        n += at[1] == 'n' || (at[1] == 'u' && !strncasecmp(at + 2, "000a", 4));
        at += 2;
    }
    return n;
}

static size_t count_lines(quire_bytes string, bool whole)
{
    const char *start = (const char *)string.data + 1;
    const char *end = start + string.len - 2;

    if (whole)
        return 1 + count_breaks(start, end);
    return 3 + count_breaks(start, find_surplus(string).data);
}

static void edit_lines(struct walk *w, const struct change *c)
{
    size_t n = count_lines(c->content, c->whole);
    int64_t before;
    char *text;

    if (json_read_int(c->old, &before) && before == (int64_t)n)
        return;
    text = arena_printf(w->tmp, "%zu", n);
    if (text)
        json_edit_value(&w->edits, c->old, bytes_str(text));
    else
        w->failed = true;
}

/* Put the whole of a string that is cut, and add its reference to the list. */
static quire_status put_whole(struct walk *w, quire_bytes string,
                              struct buf *list, quire_error *err)
{
    char ref[QUIRE_REF_SIZE];
    quire_blob_info info;
    quire_bytes text;
    quire_status st;

    if (!walk_text(w, string, &text) || w->failed)
        return QUIRE_OK;
    st = blob_put(w->blobs, text, QUIRE_PUT_MOVE, &info, err);
    if (st)
        return st;
    quire_ref_format(&info.digest, ref);
    buf_addf(list, "%s\"%s\"", list->len ? "," : "{\"" PERSIST_WHOLE "\":[",
             ref);
    return QUIRE_OK;
}

/* Name the blobs as the first member, so that a message stays the last one. */
static void edit_front(struct walk *w, struct buf *list)
{
    const char *at = w->value.data;
    quire_bytes kept;

    if (!list->len)
        return;
    while (*at != '{')
        at++;
    buf_add_str(list, "],");
    kept = list->failed ? bytes_of(NULL, 0)
                        : arena_dup(w->tmp, buf_bytes(list));
    if (kept.data)
        json_edit_value(&w->edits, bytes_of(at, 1), kept);
    else
        w->failed = true;
}

/* Whether the blobs of cut strings can be named in the value. */
static bool keeps_whole(const struct walk *w)
{
    static const char key[] = "\"" PERSIST_WHOLE "\"";

    return w->blobs.store && json_kind(w->value) == JSON_OBJECT &&
           !memmem(w->value.data, w->value.len, key, sizeof key - 1);
}

/* Apply the changes that were not struck. */
static quire_status edit_changes(struct walk *w, quire_error *err)
{
    struct buf list = BUF_INIT(SIZE_MAX / 2);
    bool keep = w->n_changes > 0 && keeps_whole(w);
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < w->n_changes && !st; i++) {
        const struct change *c = &w->changes[i];

        if (c->kind == CHANGE_CUT && keep)
            st = put_whole(w, c->old, &list, err);
        if (c->kind == CHANGE_CUT)
            json_edit_value(&w->edits, find_surplus(c->old),
                            bytes_str(PERSIST_NOTICE));
        else if (c->kind == CHANGE_LINES)
            edit_lines(w, c);
    }
    edit_front(w, &list);
    buf_release(&list);
    return st;
}

quire_status persist_entry(quire_bytes entry, struct blob_view blobs, bool omp,
                           struct arena *tmp, struct buf *out, quire_error *err)
{
    struct rules rules = {omp};
    struct walk w = {
        .value = entry,
        .tmp = tmp,
        .blobs = blobs,
        .ctx = &rules,
        .string = visit_string,
        .close = close_object,
        .strip = true,
    };
    quire_status st = walk_run(&w, err);

    if (!st)
        st = edit_changes(&w, err);
    if (!st)
        st = walk_splice(&w, out, err);
    walk_release(&w);
    return st;
}
