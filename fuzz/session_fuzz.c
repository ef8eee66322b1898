/*
 * session_fuzz.c - any bytes as a session file
 *
 * A quick look and a close one agree. Entries are what a plain reader finds:
 * one JSON object after another, whatever lies between them, none lost and
 * none invented. Checking never fails. An append keeps every byte and every
 * entry that was there and is the leaf afterwards; a new title and a copy
 * keep the entries. A repaired file is without fault, has every entry, and
 * the original beside it. What an older version says is the same read from
 * memory and written to the file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"
#include "holds.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING (SIZE_MAX / 2)

/* ---- the house ---------------------------------------------------------- */

static int64_t noon(void *ctx)
{
    (void)ctx;
    return 1771243200000000;
}

/* The same every time, and never the same twice. */
static int count_up(void *ctx, void *out, size_t len)
{
    uint64_t *n = ctx;
    unsigned char *at = out;

    for (; len > 0; len--) {
        *n = *n * 6364136223846793005u + 1442695040888963407u;
        *at++ = (unsigned char)(*n >> 33);
    }
    return 1;
}

static uint64_t drawn;
static const struct clock still = {noon, NULL};
static const struct rand_source dice = {count_up, &drawn};
static const struct session_env env = {.clock = &still, .rand = &dice};
static const struct session_birth birth = {.id = "new", .cwd = "/new"};
static struct store *store;

static void put_file(const char *name, quire_bytes text)
{
    struct draft *d;

    HOLDS(!object_create(store->objects, &d, NULL));
    HOLDS(!object_write(d, text, NULL));
    HOLDS(!object_publish(d, name, true, NULL));
}

/* Into memory of exactly its size; the caller frees it. */
static quire_bytes get_file(const char *name)
{
    struct object_info info;
    struct object *o;
    size_t n = 0;
    char *out;

    HOLDS(!object_open(store->objects, name, &o, &info, NULL));
    out = malloc(info.size ? info.size : 1);
    HOLDS(out && !object_read(o, 0, out, info.size, &n, NULL));
    object_close(o);
    return bytes_of(out, n);
}

static void drop(quire_bytes text)
{
    free((void *)(uintptr_t)text.data);
}

static bool has_file(const char *name)
{
    struct object_info info;

    return object_stat(store->objects, name, &info, NULL) == QUIRE_OK;
}

static quire_status open_file(const char *name, unsigned flags,
                              quire_session **s)
{
    struct session_place place = {.store = store, .name = name};

    return session_open(&env, &place,
                        flags & QUIRE_SESSION_READ ? NULL : &birth, flags,
                        QUIRE_SYNC_NONE, s, NULL);
}

/* ---- entries, gathered -------------------------------------------------- */

struct list {
    quire_bytes *item; /* owned, and so is each text */
    size_t n, cap;
};

static void list_add(struct list *l, quire_bytes text)
{
    char *copy = malloc(text.len + 1);

    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 16;
        l->item = realloc(l->item, l->cap * sizeof *l->item);
    }
    HOLDS(copy && l->item);
    memcpy(copy, text.data, text.len);
    l->item[l->n++] = bytes_of(copy, text.len);
}

static void list_free(struct list *l)
{
    while (l->n > 0)
        drop(l->item[--l->n]);
    free(l->item);
    *l = (struct list){NULL, 0, 0};
}

static quire_status gather(void *ctx, const quire_entry *e, quire_error *err)
{
    (void)err;
    HOLDS(json_check(e->json, JSON_UTF8, NULL));
    HOLDS(json_kind(e->json) == JSON_OBJECT);
    HOLDS(!memchr(e->json.data, '\n', e->json.len));
    list_add(ctx, e->json);
    return QUIRE_OK;
}

static quire_status count(void *ctx, const quire_entry *e, quire_error *err)
{
    (void)err;
    HOLDS(json_check(e->json, JSON_UTF8, NULL));
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

static void entries_of(const char *name, struct list *out)
{
    quire_session *s;
    size_t n = 0;

    HOLDS(!open_file(name, QUIRE_SESSION_READ, &s));
    HOLDS(!quire_session_entries(s, 0, gather, out, NULL));
    HOLDS(!quire_session_tree(s, count, &n, NULL));
    HOLDS(n == out->n);
    quire_session_close(s);
}

/* ---- a plain reader ----------------------------------------------------- */

/* How far the value goes that `text` begins with; 0 and *cut when it has none,
 * whether for want of more text. */
static size_t value_len(quire_bytes text, bool *cut)
{
    struct json_scan s;
    enum json_step step;

    json_scan_init(&s, text);
    step = json_scan_next(&s);
    if (step == JSON_STEP_OPEN)
        step = json_scan_skip(&s) ? JSON_STEP_SCALAR : JSON_STEP_BAD;
    *cut = step == JSON_STEP_BAD && s.error.at >= text.len;
    return step == JSON_STEP_BAD ? 0 : (size_t)(s.at - s.start);
}

static size_t line_len(quire_bytes text)
{
    const char *nl = text.len ? memchr(text.data, '\n', text.len) : NULL;

    return nl ? (size_t)(nl - (const char *)text.data) : text.len;
}

static quire_bytes skip_space(quire_bytes text, bool first)
{
    const char *at = text.data;

    if (first && text.len >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
        text = bytes_sub(text, 3, text.len);
    at = text.data;
    while (text.len > 0 && strchr(" \t\r\n", *at) && *at) {
        at++;
        text.len--;
    }
    return bytes_of(at, text.len);
}

/* The objects of a file: of each line, or of several that make one. */
static void read_plainly(quire_bytes text, struct list *out)
{
    bool first = true, cut;

    for (;;) {
        size_t len, end;

        text = skip_space(text, first);
        first = false;
        if (text.len == 0)
            return;
        len = line_len(text);
        end = value_len(bytes_sub(text, 0, len), &cut);
        if (!end && cut && len < text.len)
            end = value_len(text, &cut);
        if (end && *(const char *)text.data == '{')
            list_add(out, bytes_sub(text, 0, end));
        len = end + line_len(bytes_sub(text, end, text.len));
        text = bytes_sub(text, len, text.len);
    }
}

/* As they are given out, where they are given out as they are. */
static void as_a_plain_reader(quire_bytes text, const struct list *got)
{
    struct list want = {NULL, 0, 0};
    size_t i, n = 0;
    bool header = false;

    read_plainly(text, &want);
    for (i = 0; i < want.n; i++) {
        quire_bytes one = want.item[i];
        bool is_header = json_is(json_get(one, "type"), "session");

        if (!header || is_header) {
            header |= is_header;
            continue;
        }
        HOLDS(n < got->n);
        if (utf8_check(one) && !memchr(one.data, '\n', one.len) &&
            !memchr(one.data, '\r', one.len))
            HOLDS(bytes_equal(one, got->item[n]));
        n++;
    }
    HOLDS(n == got->n);
    list_free(&want);
}

/* ---- looking ------------------------------------------------------------ */

static quire_status add(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

/* The context and the leaf. */
static void glance(unsigned flags, struct buf *out)
{
    quire_session_info info;
    quire_session *s;

    HOLDS(!open_file("f", QUIRE_SESSION_READ | flags, &s));
    HOLDS(!quire_session_context(s, NULL, add, NULL, out, NULL));
    HOLDS(json_check(buf_bytes(out), JSON_UTF8, NULL));
    quire_session_describe(s, &info);
    buf_addf(out, "%s", info.leaf ? info.leaf : "\n");
    quire_session_close(s);
}

static void quick_and_close(void)
{
    struct buf quick = BUF_INIT(CEILING), close = BUF_INIT(CEILING);

    glance(0, &quick);
    glance(QUIRE_SESSION_VERIFY, &close);
    HOLDS(bytes_equal(buf_bytes(&quick), buf_bytes(&close)));
    buf_release(&quick);
    buf_release(&close);
}

/* An entry without a type stays one: nobody knows what it was. */
static quire_status note(void *ctx, const quire_session_problem *p,
                         quire_error *err)
{
    (void)err;
    HOLDS(p->kind && p->message && p->line >= 1);
    *(size_t *)ctx += strcmp(p->kind, "no_type") != 0;
    return QUIRE_OK;
}

/* A line that may be valid stays as it is. */
static quire_status note_mendable(void *ctx, const quire_session_problem *p,
                                  quire_error *err)
{
    return strcmp(p->kind, "too_deep") != 0 ? note(ctx, p, err) : QUIRE_OK;
}

static size_t mendable(const char *name)
{
    size_t n = 0;

    HOLDS(!session_check(&env, store, name, note_mendable, &n, NULL));
    return n;
}

static size_t problems(const char *name)
{
    size_t n = 0;

    HOLDS(!session_check(&env, store, name, note, &n, NULL));
    return n;
}

/* ---- changing ----------------------------------------------------------- */

/* What is there now is what was, and up to `more` entries behind it. */
static void kept(const char *name, const struct list *before, size_t more)
{
    struct list now = {NULL, 0, 0};
    size_t i;

    entries_of(name, &now);
    HOLDS(now.n >= before->n && now.n <= before->n + more);
    for (i = 0; i < before->n; i++)
        HOLDS(bytes_equal(before->item[i], now.item[i]));
    list_free(&now);
}

static void append(quire_bytes text, const struct list *before, int version)
{
    static const char entry[] = "{\"type\":\"custom\",\"customType\":\"x\"}";
    quire_session_info info;
    quire_appended out;
    quire_session *s;
    quire_bytes now;

    put_file("w", text);
    HOLDS(!open_file("w", 0, &s));
    HOLDS(!quire_session_append(s, bytes_str(entry), NULL, &out, NULL));
    quire_session_close(s);
    kept("w", before, 1);
    HOLDS(!open_file("w", QUIRE_SESSION_READ, &s));
    quire_session_describe(s, &info);
    HOLDS(info.leaf && !strcmp(info.leaf, out.id));
    quire_session_close(s);
    now = get_file("w");
    if (version >= 3)
        HOLDS(bytes_starts(now, text));
    HOLDS(((const char *)now.data)[now.len - 1] == '\n');
    drop(now);
}

static void rename_and_copy(quire_bytes text, const struct list *before)
{
    quire_session_info info;
    quire_session *s;

    put_file("t", text);
    HOLDS(!open_file("t", 0, &s));
    HOLDS(!session_copy(s, NULL, store->logs, "c", &birth, NULL));
    kept("c", before, 0);
    HOLDS(!session_rename(s, "t", NULL));
    quire_session_describe(s, &info);
    HOLDS(!strcmp(info.title, "t"));
    quire_session_close(s);
    kept("t", before, 1);
    HOLDS(!open_file("t", QUIRE_SESSION_READ, &s));
    quire_session_describe(s, &info);
    HOLDS(!strcmp(info.title, "t"));
    quire_session_close(s);
    HOLDS(!object_remove(store->objects, "c", NULL));
}

static bool next_other(struct json_scan *it)
{
    while (json_next(it))
        if (!json_is(it->key, "id") && !json_is(it->key, "parentId") &&
            !json_is(it->key, "firstKeptEntryId"))
            return true;
    return false;
}

/* The same but for its place in the tree. */
static bool same_content(quire_bytes a, quire_bytes b)
{
    struct json_scan x, y;

    json_iter_init(&x, a);
    json_iter_init(&y, b);
    while (next_other(&x)) {
        if (!next_other(&y) || !bytes_equal(x.key, y.key) ||
            !bytes_equal(x.value, y.value))
            return false;
    }
    return !next_other(&y);
}

static void repair(quire_bytes text, const struct list *before, size_t n_wrong)
{
    struct list now = {NULL, 0, 0};
    quire_bytes original;
    bool changed;
    size_t i, at = 0;

    put_file("r", text);
    HOLDS(!session_mend(&env, store, "r", "k", &changed, NULL));
    HOLDS((changed || n_wrong == 0) && has_file("k") == changed);
    HOLDS(mendable("r") == 0);
    entries_of("r", &now);
    for (i = 0; i < before->n; i++, at++) {
        while (at < now.n && !same_content(before->item[i], now.item[at]))
            at++;
        HOLDS(at < now.n);
    }
    list_free(&now);
    if (!changed)
        return;
    original = get_file("k");
    HOLDS(bytes_equal(original, text));
    drop(original);
    HOLDS(!object_remove(store->objects, "k", NULL));
}

/* ---- all of it ---------------------------------------------------------- */

static void own_ids(const struct list *entries)
{
    size_t i, j;

    for (i = 0; i < entries->n; i++) {
        quire_bytes id = json_get(entries->item[i], "id");

        HOLDS(json_kind(id) == JSON_STRING);
        for (j = 0; j < i; j++)
            HOLDS(!bytes_equal(id, json_get(entries->item[j], "id")));
    }
}

/* Mending may find a header where reading does not; else nothing happens. */
static void repair_refused(quire_bytes text)
{
    struct list none = {NULL, 0, 0};
    bool changed;
    quire_bytes now;

    put_file("r", text);
    if (!session_mend(&env, store, "r", "k", &changed, NULL)) {
        HOLDS(object_remove(store->objects, "k", NULL) == QUIRE_OK);
        repair(text, &none, 1);
        return;
    }
    HOLDS(!changed && !has_file("k"));
    now = get_file("r");
    HOLDS(bytes_equal(now, text));
    drop(now);
}

/* No session: nobody takes it for one, and nobody touches it. */
static void refused(quire_bytes text)
{
    quire_session *s;
    quire_bytes now;
    quire_status st;

    HOLDS(open_file("f", QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY, &s) ==
          QUIRE_DAMAGED);
    HOLDS(problems("f") > 0);
    repair_refused(text);
    st = open_file("f", 0, &s);
    HOLDS(st == QUIRE_OK || st == QUIRE_DAMAGED);
    now = get_file("f");
    if (st)
        HOLDS(bytes_equal(now, text));
    else
        HOLDS(bytes_starts(now, text) && skip_space(text, true).len == 0);
    drop(now);
    if (!st)
        quire_session_close(s);
}

static void accepted(quire_bytes text, int version)
{
    struct list before = {NULL, 0, 0};
    size_t n_wrong = mendable("f");

    quick_and_close();
    entries_of("f", &before);
    if (version >= 3)
        as_a_plain_reader(text, &before);
    if (version == 1)
        own_ids(&before);
    append(text, &before, version);
    if (before.n < 40)
        rename_and_copy(text, &before);
    repair(text, &before, n_wrong);
    list_free(&before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes text = bytes_of(data, size);
    quire_session_info info;
    quire_session *s;
    quire_status st;

    drawn = 1;
    HOLDS(!store_memory_open(&still, &store, NULL));
    put_file("f", text);
    st = open_file("f", QUIRE_SESSION_READ, &s);
    HOLDS(st == QUIRE_OK || st == QUIRE_DAMAGED);
    if (st) {
        refused(text);
    } else {
        quire_session_describe(s, &info);
        quire_session_close(s);
        accepted(text, info.version);
    }
    store_free(store);
    return 0;
}
