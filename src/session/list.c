/* list.c - see list.h */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "session/jsonl.h"
#include "session/list.h"
#include "session/migrate.h"
#include "session/names.h"

#define PREFIX ((size_t)4096)
#define SUFFIX ((size_t)32768)

/* A header that does not fit the prefix has a long path or title in it. */
#define PREFIX_MAX ((size_t)65536)

/* Characters of the first message that are kept: a line in a list. */
#define FIRST_MAX 100

/* ---- one file ----------------------------------------------------------- */

/* A line of a text, and the text behind it. False at the end. */
static bool next_line(quire_bytes *text, quire_bytes *line, bool *whole)
{
    const char *nl;

    if (text->len == 0)
        return false;
    nl = memchr(text->data, '\n', text->len);
    *whole = nl != NULL;
    line->data = text->data;
    line->len = nl ? (size_t)(nl - (const char *)text->data) : text->len;
    *text = bytes_sub(*text, line->len + *whole, text->len);
    while (line->len > 0 && (((const char *)line->data)[line->len - 1] == '\r'))
        line->len--;
    return true;
}

static const char *text_of(quire_bytes object, const char *key,
                           struct arena *keep)
{
    quire_bytes value = json_get(object, key);
    const char *text = NULL;

    if (json_kind(value) == JSON_STRING)
        text = arena_text(keep, json_text(value, keep));
    return text ? text : "";
}

static void read_header(quire_bytes line, struct arena *keep,
                        struct list_meta *m)
{
    m->id = text_of(line, "id", keep); /* an empty id is valid */
    m->cwd = text_of(line, "cwd", keep);
    m->parent = text_of(line, "parentSession", keep);
    m->created = text_of(line, "timestamp", keep);
    if (!m->title) /* a title slot above has priority */
        m->title = text_of(line, "title", keep);
    m->version = migrate_version_of(line);
}

/* The beginning of a text, on one line, without control characters. */
static const char *shorten(quire_bytes text, struct arena *keep)
{
    char *out = arena_alloc(keep, FIRST_MAX * 4 + 1);
    size_t n = 0, chars = 0;
    const char *at = text.data;

    if (!out)
        return "";
    text.len = utf8_cut_utf16(text, FIRST_MAX * 2);
    while (text.len > 0 && chars < FIRST_MAX) {
        uint32_t cp;
        size_t len = utf8_decode(text, &cp, NULL);

        if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
            cp = ' ';
        if (cp != ' ' || (n > 0 && out[n - 1] != ' ')) {
            n += utf8_encode(cp, out + n);
            chars++;
        }
        at += len;
        text = bytes_of(at, text.len - len);
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
    return out;
}

/* The text a message begins with: a string, or the first text block. */
static quire_bytes message_text(quire_bytes content)
{
    struct json_scan it;

    if (json_kind(content) == JSON_STRING)
        return content;
    if (json_kind(content) != JSON_ARRAY)
        return bytes_of(NULL, 0);
    json_iter_init(&it, content);
    while (json_next(&it)) {
        if (json_is(json_get(it.value, "type"), "text"))
            return json_get(it.value, "text");
    }
    return bytes_of(NULL, 0);
}

/* The text of a line that the prefix cuts off, up to the cut. An approximation,
 * for a list. */
static quire_bytes cut_text(quire_bytes line, struct arena *keep)
{
    static const char *const starts[] = {"\"text\":\"", "\"content\":\""};
    const char *at = NULL;
    struct buf b = BUF_INIT(PREFIX_MAX + 2);
    quire_bytes out = {NULL, 0};
    size_t i, len;

    if (!memmem(line.data, line.len, "\"role\":\"user\"", 13))
        return out;
    for (i = 0; !at && i < 2; i++) {
        at = memmem(line.data, line.len, starts[i], strlen(starts[i]));
        if (at)
            at += strlen(starts[i]) - 1;
    }
    if (!at)
        return out;
    len = (size_t)((const char *)line.data + line.len - at);
    /* Not in the middle of an escape, whose longest is six bytes. */
    for (i = 1; i <= 6 && i < len; i++) {
        if (at[len - i] == '\\') {
            len -= i;
            break;
        }
    }
    buf_add(&b, at, len);
    buf_add_char(&b, '"');
    if (!b.failed && json_check(buf_bytes(&b), 0, NULL))
        out = arena_dup(keep, buf_bytes(&b));
    buf_release(&b);
    return out;
}

static void record_message(quire_bytes line, bool whole, struct arena *keep,
                           struct list_meta *m)
{
    quire_bytes message, text;

    if (*m->first)
        return;
    message = whole ? json_get(line, "message") : bytes_of(NULL, 0);
    if (message.data && json_is(json_get(message, "role"), "user"))
        text = message_text(json_get(message, "content"));
    else
        text = whole ? bytes_of(NULL, 0) : cut_text(line, keep);
    if (json_kind(text) == JSON_STRING)
        m->first = shorten(json_text(text, keep), keep);
}

/* The beginning of a file, or `all` of it. */
static void read_prefix(quire_bytes text, bool all, struct arena *keep,
                        struct list_meta *m)
{
    quire_bytes line;
    bool whole;

    if (text.len >= 3 && !memcmp(text.data, "\xef\xbb\xbf", 3))
        text = bytes_sub(text, 3, text.len);
    m->messages = 0;
    while (next_line(&text, &line, &whole)) {
        struct json_want wants[] = {JSON_WANT("type")};
        bool read = json_head(line, wants, 1, NULL);

        whole = whole || all;
        if (!read)
            continue;
        if (!m->id) {
            if (whole && json_is(wants[0].value, "title") &&
                json_kind(json_get(line, "title")) == JSON_STRING)
                m->title = text_of(line, "title", keep);
            else if (whole && json_is(wants[0].value, "session") &&
                     json_kind(json_get(line, "id")) == JSON_STRING)
                read_header(line, keep, m);
            else
                return; /* the first entry is not a header */
        } else if (json_is(wants[0].value, "message")) {
            m->messages += whole;
            record_message(line, whole, keep, m);
        }
    }
    if (!all)
        m->messages = UINT64_MAX;
}

static const char *status_of(quire_bytes message)
{
    quire_bytes stop = json_get(message, "stopReason");
    quire_bytes role = json_get(message, "role");

    if (json_is(role, "user"))
        return "pending";
    if (json_is(role, "toolResult"))
        return "interrupted";
    if (!json_is(role, "assistant"))
        return "unknown";
    if (json_is(stop, "aborted"))
        return "aborted";
    if (json_is(stop, "error"))
        return "error";
    if (json_is(stop, "toolUse") || json_is(stop, "length"))
        return "interrupted";
    return "complete";
}

/* The status after the last message in the tail of a file. */
static void read_suffix(quire_bytes text, struct list_meta *m)
{
    const char *start = text.data, *end = start + text.len;

    m->status = "unknown";
    while (end > start) {
        const char *from;
        quire_bytes line, message;

        from = memrchr(start, '\n', (size_t)(end - start - 1));
        from = from ? from + 1 : start;
        line = bytes_of(from, (size_t)(end - from));
        message = json_get(line, "message");
        if (json_is(json_get(line, "type"), "message") && message.data) {
            m->status = status_of(message);
            return;
        }
        end = from;
        if (from == start)
            return;
    }
}

quire_status list_read(struct log *file, uint64_t size, struct arena *keep,
                       struct list_meta *out, quire_error *err)
{
    bool all = size <= PREFIX + SUFFIX;
    size_t cap = all ? (size_t)size : PREFIX, n = 0;
    char *text = malloc(PREFIX_MAX + 1);
    quire_status st;

    *out = (struct list_meta){.messages = UINT64_MAX};
    out->cwd = out->parent = out->created = out->first = "";
    out->status = "unknown";
    if (!text)
        return err_memory(err);
    st = log_read(file, 0, text, cap, &n, err);
    if (!st)
        read_prefix(bytes_of(text, n), all, keep, out);
    if (!st && !out->id && !all && !memchr(text, '\n', n)) {
        st = log_read(file, 0, text, PREFIX_MAX, &n, err);
        if (!st)
            read_prefix(bytes_of(text, n), false, keep, out);
    }
    if (!st && !all && out->id)
        st = log_read(file, size - SUFFIX, text, SUFFIX, &n, err);
    if (!st && out->id)
        read_suffix(bytes_of(text, n), out);
    if (!out->title)
        out->title = "";
    free(text);
    return st;
}

/* ---- listing ------------------------------------------------------------ */

struct gathering {
    struct list *list;
    struct log_store *store;
    const char *root;
    size_t n_new; /* files that had to be read */
};

static struct list_item *new_item(struct list *l)
{
    struct list_item *items;

    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;

        items = realloc(l->items, cap * sizeof *items);
        if (!items)
            return NULL;
        l->items = items;
        l->cap = cap;
    }
    return &l->items[l->n];
}

static quire_status read_file(struct log_store *store, struct list_item *item,
                              struct arena *keep, quire_error *err)
{
    struct object_info info;
    struct log *file;
    quire_status st = log_open(store, item->name, LOG_READ, &file, &info, err);

    if (st)
        return st;
    st = list_read(file, info.size, keep, &item->meta, err);
    item->info = info;
    log_close(file);
    return st;
}

/* A file that is not a session, or cannot be read: it is listed by its name, so
 * that it does not seem lost. */
static void blame_file(struct list_item *item, struct arena *keep)
{
    const char *id = arena_text(keep, names_id_in_file(bytes_str(item->name)));

    item->meta = (struct list_meta){.id = id ? id : "",
                                    .cwd = "",
                                    .title = "",
                                    .parent = "",
                                    .created = "",
                                    .first = "",
                                    .status = "damaged",
                                    .messages = UINT64_MAX};
}

quire_status list_reread(struct log_store *store, struct list_item *item,
                         struct arena *keep, quire_error *err)
{
    quire_error why = {0};
    quire_status st = read_file(store, item, keep, &why);

    if (st == QUIRE_NO_MEMORY && err)
        *err = why;
    if (st == QUIRE_NO_MEMORY || st == QUIRE_NOT_FOUND)
        return st;
    item->unread = st != QUIRE_OK;
    if (st || !item->meta.id)
        blame_file(item, keep);
    return QUIRE_OK;
}

static quire_status visit_file(void *ctx, const char *dir, const char *base,
                               const struct object_info *info, quire_error *err)
{
    struct gathering *g = ctx;
    struct list_item *item;
    quire_status st;

    if (!names_is_session(bytes_str(base)))
        return QUIRE_OK;
    item = new_item(g->list);
    if (!item)
        return err_memory(err);
    *item = (struct list_item){.info = *info};
    if (list_cache_get(g->list->cache, dir, base, item)) {
        g->list->n++;
        return QUIRE_OK;
    }
    if (g->list->only_kept)
        return QUIRE_OK;
    item->name = arena_printf(g->list->arena, "%s/%s/%s", g->root, dir, base);
    if (!item->name)
        return err_memory(err);
    /* One file that cannot be read must not hide the others. */
    st = list_reread(g->store, item, g->list->arena, err);
    if (st == QUIRE_NO_MEMORY)
        return st;
    g->n_new++;
    if (st == QUIRE_NOT_FOUND || item->info.size == 0)
        return QUIRE_OK; /* removed meanwhile, or still empty */
    g->list->n++;
    return QUIRE_OK;
}

int list_newest_first(const void *a, const void *b)
{
    const struct list_item *x = *(struct list_item *const *)a;
    const struct list_item *y = *(struct list_item *const *)b;
    int order;

    if (x->info.modified_ns != y->info.modified_ns)
        return x->info.modified_ns > y->info.modified_ns ? -1 : 1;
    order = strcmp(y->meta.created, x->meta.created);
    return order ? order : strcmp(x->name, y->name);
}

void list_release(struct list *l)
{
    list_cache_close(l->cache);
    free(l->items);
    free(l->order);
    *l = (struct list){.arena = l->arena};
}

quire_status list_find(struct list *l, struct log_store *store,
                       const char *root, struct db *cache, bool may_write,
                       quire_error *err)
{
    struct gathering g = {.list = l, .store = store, .root = root};
    quire_status st;
    size_t i;

    if (cache)
        l->cache = list_cache_open(cache, l->key ? l->key : root, root,
                                   l->arena);
    st = log_list(store, root, visit_file, &g, err);
    if (!st && may_write)
        list_cache_put(l->cache, l, g.n_new);
    if (st)
        return st;
    /* Pointers are sorted: an item is two cache lines. */
    l->order = malloc((l->n + 1) * sizeof(struct list_item *));
    if (!l->order)
        return err_memory(err);
    for (i = 0; i < l->n; i++)
        l->order[i] = &l->items[i];
    if (l->n)
        qsort(l->order, l->n, sizeof(struct list_item *), list_newest_first);
    return QUIRE_OK;
}
