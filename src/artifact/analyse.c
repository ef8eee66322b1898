/*
 * analyse.c - tags and metadata derived from a file
 *
 * Tags come from the type and from words in the name; metadata from the content
 * of tables and of JSON. Other formats are not parsed. The content is
 * untrusted.
 */
#include "artifact/analyse.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"

/* Limits on the columns and keys reported. */
enum { COLUMNS_MAX = 64, SAMPLE_KEYS = 5, META_MAX = 16 * 1024 };

/* ---- tags --------------------------------------------------------------- */

struct rule {
    const char *begins; /* prefix of the type, or a word of the name */
    const char *tag;
};

/* What it is, and the name of its format. */
static const struct rule by_type[] = {
    {"text/csv", "data"},
    {"text/csv", "csv"},
    {"text/tab-separated-values", "data"},
    {"text/tab-separated-values", "tsv"},
    {"application/json", "data"},
    {"application/json", "json"},
    {"application/yaml", "config"},
    {"application/yaml", "yaml"},
    {"application/toml", "config"},
    {"application/toml", "toml"},
    {"application/xml", "xml"},
    {"text/xml", "xml"},
    {"application/sql", "sql"},
    {"application/pdf", "document"},
    {"application/pdf", "pdf"},
    {"application/zip", "archive"},
    {"application/gzip", "archive"},
    {"application/x-tar", "archive"},
    {"text/markdown", "document"},
    {"text/markdown", "markdown"},
    {"text/html", "document"},
    {"text/html", "html"},
    {"text/x-", "code"},
    {"text/javascript", "code"},
    {"image/", "image"},
    {"audio/", "audio"},
    {"video/", "video"},
};

static const struct rule by_word[] = {
    {"report", "report"}, {"data", "data"},         {"config", "config"},
    {"test", "test"},     {"doc", "document"},      {"readme", "document"},
    {"schema", "schema"}, {"template", "template"}, {"example", "example"},
};

enum {
    N_BY_TYPE = sizeof by_type / sizeof *by_type,
    N_BY_WORD = sizeof by_word / sizeof *by_word
};

/* Whether the name contains `word`, in any case, at the start of a word: "test"
 * is in test_io.c and in IoTest.c, not in latest.txt. */
static bool has_word(const char *name, const char *word)
{
    size_t len = strlen(word);
    const char *at;

    for (at = name; *at; at++) {
        bool upper = *at >= 'A' && *at <= 'Z';
        bool letter = upper || (*at >= 'a' && *at <= 'z');
        char before = at > name ? at[-1] : ' ';
        bool after_letter = (before >= 'a' && before <= 'z') ||
                            (before >= 'A' && before <= 'Z');
        bool starts = letter && (!after_letter || (upper && before >= 'a'));

        if (starts && !strncasecmp(at, word, len))
            return true;
    }
    return false;
}

static void add_tag(const char **tags, size_t *n, const char *tag)
{
    size_t i;

    for (i = 0; i < *n; i++)
        if (!strcmp(tags[i], tag))
            return;
    tags[(*n)++] = tag;
}

const char *const *analyse_tags(const char *mime, const char *path,
                                const char *const *given, struct arena *keep)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char **tags;
    size_t i, n = 0, n_given = 0;

    while (given && given[n_given])
        n_given++;
    tags = arena_array(keep, n_given + N_BY_TYPE + N_BY_WORD + 1, sizeof *tags);
    if (!tags)
        return NULL;
    for (i = 0; i < n_given; i++)
        add_tag(tags, &n, given[i]);
    for (i = 0; i < N_BY_TYPE; i++)
        if (!strncmp(mime, by_type[i].begins, strlen(by_type[i].begins)))
            add_tag(tags, &n, by_type[i].tag);
    for (i = 0; i < N_BY_WORD; i++)
        if (has_word(name, by_word[i].begins))
            add_tag(tags, &n, by_word[i].tag);
    tags[n] = NULL;
    return tags;
}

/* ---- tables ------------------------------------------------------------- */

/* Reads the fields of a table one by one. */
struct table {
    quire_bytes text;
    size_t at;
    char comma;
};

/* Append the field at t->at to `out` (may be NULL), without quotes. True: the
 * row goes on. */
static bool next_field(struct table *t, struct buf *out)
{
    const char *c = t->text.data;
    bool quoted = t->at < t->text.len && c[t->at] == '"';

    t->at += quoted;
    for (; t->at < t->text.len; t->at++) {
        char now = c[t->at];
        bool doubled = quoted && now == '"' && t->at + 1 < t->text.len &&
                       c[t->at + 1] == '"';

        if (doubled) {
            t->at++;
        } else if (quoted && now == '"') {
            quoted = false;
            continue;
        } else if (!quoted && (now == t->comma || now == '\n')) {
            t->at++;
            return now == t->comma;
        } else if (!quoted && now == '\r') {
            continue;
        }
        if (out && out->len < 256)
            buf_add_char(out, now);
    }
    return false;
}

static void describe_table(quire_bytes content, char comma,
                           struct json_writer *w)
{
    struct table t = {.text = content, .comma = comma};
    struct buf field = BUF_INIT(1024);
    uint64_t columns = 0, rows = content.len > 0;
    bool more = content.len > 0;

    json_key(w, "columns");
    json_array(w);
    while (more) {
        buf_clear(&field);
        more = next_field(&t, &field);
        if (columns++ < COLUMNS_MAX)
            json_bytes(w, buf_bytes(&field));
    }
    json_array_end(w);
    json_put_uint(w, "column_count", columns);
    while (t.at < content.len) {
        while (next_field(&t, NULL))
            ;
        rows++;
    }
    json_key(w, "rows"); /* including the header row */
    json_uint(w, rows);
    buf_release(&field);
}

/* ---- JSON --------------------------------------------------------------- */

static void describe_object(quire_bytes value, struct json_writer *w)
{
    struct json_scan it;
    uint64_t n = 0;

    json_key(w, "sample_keys");
    json_array(w);
    json_iter_init(&it, value);
    while (json_next(&it))
        if (n++ < SAMPLE_KEYS)
            json_raw(w, it.key);
    json_array_end(w);
    json_put_uint(w, "key_count", n);
}

static void describe_json(quire_bytes content, struct json_writer *w)
{
    static const char *const names[] = {"",       "null",  "boolean", "number",
                                        "string", "array", "object"};
    bool valid = json_check(content, JSON_UTF8, NULL);
    quire_bytes value = content;
    struct json_scan it;
    uint64_t n = 0;

    json_put_bool(w, "valid_json", valid);
    if (!valid)
        return;
    while (value.len > 0 && strchr(" \t\r\n", *(const char *)value.data))
        value = bytes_of((const char *)value.data + 1, value.len - 1);
    json_put_str(w, "structure", names[json_kind(value)]);
    if (json_kind(value) == JSON_OBJECT)
        describe_object(value, w);
    if (json_kind(value) != JSON_ARRAY)
        return;
    json_iter_init(&it, value);
    while (json_next(&it))
        n++;
    json_put_uint(w, "array_length", n);
}

/* ---- metadata ----------------------------------------------------------- */

static bool is_ours(quire_bytes key)
{
    static const char *const keys[] = {
        "columns",   "column_count", "rows",      "valid_json",
        "structure", "sample_keys",  "key_count", "array_length",
    };
    size_t i;

    for (i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_is(key, keys[i]))
            return true;
    return false;
}

static bool is_parsed(const char *mime)
{
    return !strcmp(mime, "text/csv") || !strcmp(mime, "application/json") ||
           !strcmp(mime, "text/tab-separated-values");
}

static bool has_ours(const char *meta)
{
    struct json_scan it;
    bool has = false;

    json_iter_init(&it, bytes_str(meta));
    while (!has && json_next(&it))
        has = is_ours(it.key);
    return has;
}

const char *analyse_meta(const char *old, const char *mime, quire_bytes content,
                         struct arena *keep)
{
    static const char mark[] = "\xef\xbb\xbf";
    struct buf out = BUF_INIT(256 * 1024);
    struct json_writer w;
    struct json_scan it;
    const char *text = old;

    if (!is_parsed(mime) && !has_ours(old))
        return old;
    /* A byte order mark is not part of the first name. */
    if (content.len >= 3 && !memcmp(content.data, mark, 3))
        content = bytes_sub(content, 3, content.len);
    json_begin(&w, &out);
    json_object(&w);
    json_iter_init(&it, bytes_str(old));
    while (json_next(&it))
        if (!is_ours(it.key)) {
            json_raw(&w, it.key);
            buf_add_char(&out, ':');
            w.comma = false;
            json_raw(&w, it.value);
        }
    if (!strcmp(mime, "text/csv"))
        describe_table(content, ',', &w);
    else if (!strcmp(mime, "text/tab-separated-values"))
        describe_table(content, '\t', &w);
    else if (!strcmp(mime, "application/json"))
        describe_json(content, &w);
    json_object_end(&w);
    /* Derived metadata that does not fit beside the given metadata is dropped.
     */
    if (!out.failed && out.len <= META_MAX)
        text = arena_text(keep, buf_bytes(&out));
    buf_release(&out);
    return text;
}
