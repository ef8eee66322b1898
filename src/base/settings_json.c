/* settings_json.c - see settings_edit.h */
#include <string.h>

#include "base/bytes.h"
#include "base/settings_edit.h"

enum { DEPTH_MAX = 200 };

/* Places in the text: SIZE_MAX is none. */
struct member {
    size_t key, value,
        end; /* where the key and the value begin; behind the value */
};

struct scan {
    const char *text;
    size_t len;
};

/* Behind white space and comments; an open comment reaches to the end. */
static size_t skip_space(const struct scan *s, size_t at)
{
    while (at < s->len) {
        const char *c = s->text + at;

        if (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\n') {
            at++;
        } else if (*c == '/' && at + 1 < s->len && c[1] == '/') {
            const char *end = memchr(c, '\n', s->len - at);

            at = end ? (size_t)(end - s->text) + 1 : s->len;
        } else if (*c == '/' && at + 1 < s->len && c[1] == '*') {
            const char *end = memmem(c + 2, s->len - at - 2, "*/", 2);

            at = end ? (size_t)(end - s->text) + 2 : s->len;
        } else {
            break;
        }
    }
    return at;
}

/* Behind a string; SIZE_MAX: it has no end. */
static size_t skip_string(const struct scan *s, size_t at)
{
    for (at++; at < s->len && s->text[at] != '\n'; at++) {
        if (s->text[at] == '"')
            return at + 1;
        at += s->text[at] == '\\';
    }
    return SIZE_MAX;
}

static size_t skip_word(const struct scan *s, size_t at)
{
    size_t from = at;

    while (at < s->len && s->text[at] &&
           !strchr(" \t\r\n,:]}[{\"/", s->text[at]))
        at++;
    return at > from ? at : SIZE_MAX;
}

/* Behind a value. Brackets have to match; what is between them is looked at as far as that
 * needs. */
static size_t skip_value(const struct scan *s, size_t at)
{
    char open[DEPTH_MAX];
    size_t depth = 0;

    for (;;) {
        at = skip_space(s, at);
        if (at >= s->len)
            return SIZE_MAX;
        if (s->text[at] == '{' || s->text[at] == '[') {
            if (depth == DEPTH_MAX)
                return SIZE_MAX;
            open[depth++] = s->text[at++] == '{' ? '}' : ']';
            continue;
        }
        if (depth && (s->text[at] == ',' || s->text[at] == ':')) {
            at++;
            continue;
        }
        if (s->text[at] == '}' || s->text[at] == ']') {
            if (depth == 0 || open[--depth] != s->text[at++])
                return SIZE_MAX;
        } else {
            at = s->text[at] == '"' ? skip_string(s, at) : skip_word(s, at);
            if (at == SIZE_MAX)
                return SIZE_MAX;
        }
        if (depth == 0)
            return at;
    }
}

/* Whether there is an element, or member, behind the bracket at `at`. */
static bool has_content(const struct scan *s, size_t at)
{
    at = skip_space(s, at + 1);
    return at < s->len && s->text[at] != '}' && s->text[at] != ']';
}

/* Find a member of the object whose brace is at `at`. 1: found; 0: it is not there; -1: this
 * is no such object. */
static int find_member(const struct scan *s, size_t at, const char *key,
                       struct member *out)
{
    size_t len = strlen(key);

    if (at >= s->len || s->text[at] != '{')
        return -1;
    for (at = skip_space(s, at + 1); at < s->len && s->text[at] == '"';) {
        struct member m = {.key = at};
        size_t end = skip_string(s, at);

        at = end == SIZE_MAX ? s->len : skip_space(s, end);
        if (at >= s->len || s->text[at] != ':')
            return -1;
        m.value = skip_space(s, at + 1);
        m.end = skip_value(s, m.value);
        if (m.end == SIZE_MAX)
            return -1;
        if (end - m.key == len + 2 && !memcmp(s->text + m.key + 1, key, len)) {
            *out = m;
            return 1;
        }
        at = skip_space(s, m.end);
        if (at < s->len && s->text[at] == ',')
            at = skip_space(s, at + 1);
        else
            break;
    }
    return at < s->len && s->text[at] == '}' ? 0 : -1;
}

/* The brace of the text itself; SIZE_MAX: it is no object. */
static size_t find_root(const struct scan *s)
{
    size_t at = s->len >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3) ? 3 : 0;
    size_t end;

    at = skip_space(s, at);
    end = at < s->len && s->text[at] == '{' ? skip_value(s, at) : SIZE_MAX;
    return end != SIZE_MAX && skip_space(s, end) == s->len ? at : SIZE_MAX;
}

static struct scan scan_of(quire_bytes text)
{
    struct scan s = {text.data, text.len};
    size_t i;

    for (i = 0; i < s.len && strchr(" \t\r\n", s.text[i]) && s.text[i]; i++)
        ;
    if (i == s.len)
        s = (struct scan){"{\n}\n", 4};
    return s;
}

static enum settings_edit put_text(const struct scan *s, size_t from, size_t to,
                                   const struct buf *text, struct buf *out)
{
    buf_clear(out);
    buf_add(out, s->text, from);
    buf_add(out, text->data, text->len);
    buf_add(out, s->text + to, s->len - to);
    return text->failed || out->failed ? SETTINGS_BAD : SETTINGS_DONE;
}

/* Put text behind the bracket at `at`, and a comma if something follows. */
static enum settings_edit put_first(const struct scan *s, size_t at,
                                    struct buf *text, struct buf *out)
{
    if (has_content(s, at))
        buf_add_char(text, ',');
    return put_text(s, at + 1, at + 1, text, out);
}

/* Remove what is between the two places, with one comma, and the line break and indentation
 * before it if it is the first behind the bracket at `open`. */
static enum settings_edit remove_item(const struct scan *s, size_t open,
                                      size_t from, size_t end, struct buf *out)
{
    const struct buf nothing = {.data = NULL};
    size_t before = from, comma = skip_space(s, end);

    while (before > open + 1 && (s->text[before - 1] == ' '))
        before--;
    if (before == open + 2 && s->text[before - 1] == '\n')
        before--;
    if (before == open + 1)
        from = before;
    if (comma < s->len && s->text[comma] == ',')
        return put_text(s, from, comma + 1, &nothing, out);
    /* The last one: the comma before it, if there is only space between. */
    before = from;
    while (before > open + 1 && strchr(" \t\r\n", s->text[before - 1]))
        before--;
    if (before > open + 1 && s->text[before - 1] == ',')
        from = before - 1;
    return put_text(s, from, end, &nothing, out);
}

/* ---- members --------------------------------------------------------------- */

enum settings_edit settings_json_put(quire_bytes bytes, const char *object,
                                     const char *key, const char *value,
                                     struct buf *out)
{
    struct scan s = scan_of(bytes);
    struct buf text = BUF_INIT(1 << 20);
    size_t root = find_root(&s);
    struct member m = {0, 0, 0}, inner = {0, 0, 0};
    int found = root == SIZE_MAX ? -1 : find_member(&s, root, object, &m), has;
    enum settings_edit done = SETTINGS_BAD;

    if (found == 0) {
        buf_addf(&text, "\n  \"%s\": {\n    \"%s\": %s\n  }", object, key,
                 value);
        done = put_first(&s, root, &text, out);
    } else if (found == 1) {
        has = find_member(&s, m.value, key, &inner);
        if (has == 0) {
            buf_addf(&text, "\n    \"%s\": %s", key, value);
            done = put_first(&s, m.value, &text, out);
        } else if (has == 1 && inner.end - inner.value == strlen(value) &&
                   !memcmp(s.text + inner.value, value, strlen(value))) {
            done = SETTINGS_SAME;
        } else if (has == 1) {
            buf_add_str(&text, value);
            done = put_text(&s, inner.value, inner.end, &text, out);
        }
    }
    buf_release(&text);
    return done;
}

/* Remove the member `object` of the text if nothing is left of what was put there. */
static enum settings_edit drop_empty(struct buf *out, const char *object,
                                     const char *left)
{
    struct scan s = {out->data, out->len};
    struct buf shorter = BUF_INIT((size_t)64 << 20);
    size_t root = find_root(&s);
    enum settings_edit done = SETTINGS_DONE;
    struct member m;

    if (root == SIZE_MAX || find_member(&s, root, object, &m) != 1)
        return done;
    if (m.end - m.value == strlen(left) &&
        !memcmp(s.text + m.value, left, strlen(left))) {
        done = remove_item(&s, root, m.key, m.end, &shorter);
        buf_clear(out);
        buf_add(out, shorter.data, shorter.len);
    }
    buf_release(&shorter);
    return out->failed ? SETTINGS_BAD : done;
}

enum settings_edit settings_json_drop(quire_bytes bytes, const char *object,
                                      const char *key, struct buf *out)
{
    struct scan s = scan_of(bytes);
    size_t root = find_root(&s);
    struct member m = {0, 0, 0}, inner = {0, 0, 0};
    int found = root == SIZE_MAX ? -1 : find_member(&s, root, object, &m);
    enum settings_edit done;

    if (found == 1)
        found = find_member(&s, m.value, key, &inner);
    if (found < 1)
        return found == 0 ? SETTINGS_SAME : SETTINGS_BAD;
    done = remove_item(&s, m.value, inner.key, inner.end, out);
    return done == SETTINGS_DONE ? drop_empty(out, object, "{\n  }") : done;
}

/* ---- elements -------------------------------------------------------------- */

/* Find the element with the mark in the array at `at`, as find_member(). */
static int find_element(const struct scan *s, size_t at, const char *mark,
                        struct member *out)
{
    if (at >= s->len || s->text[at] != '[')
        return -1;
    at = skip_space(s, at + 1);
    while (at < s->len && s->text[at] != ']') {
        size_t end = skip_value(s, at);

        if (end == SIZE_MAX)
            return -1;
        if (memmem(s->text + at, end - at, mark, strlen(mark))) {
            *out = (struct member){at, at, end};
            return 1;
        }
        at = skip_space(s, end);
        if (at < s->len && s->text[at] == ',')
            at = skip_space(s, at + 1);
        else if (at >= s->len || s->text[at] != ']')
            return -1;
    }
    return at < s->len ? 0 : -1;
}

enum settings_edit settings_json_put_element(quire_bytes bytes,
                                             const char *object,
                                             const char *key,
                                             const char *element,
                                             const char *mark, struct buf *out)
{
    struct scan s = scan_of(bytes);
    struct buf text = BUF_INIT(1 << 20);
    size_t root = find_root(&s);
    struct member m = {0, 0, 0}, list = {0, 0, 0}, one;
    int found = root == SIZE_MAX ? -1 : find_member(&s, root, object, &m);
    enum settings_edit done = SETTINGS_BAD;

    if (found == 0) {
        buf_addf(&text, "\n  \"%s\": {\n    \"%s\": [\n      %s]\n  }", object,
                 key, element);
        done = put_first(&s, root, &text, out);
    } else if (found == 1) {
        found = find_member(&s, m.value, key, &list);
        if (found == 0) {
            buf_addf(&text, "\n    \"%s\": [\n      %s]", key, element);
            done = put_first(&s, m.value, &text, out);
        } else if (found == 1) {
            found = find_element(&s, list.value, mark, &one);
            buf_addf(&text, "\n      %s", element);
            done = found == 1   ? SETTINGS_SAME
                   : found == 0 ? put_first(&s, list.value, &text, out)
                                : SETTINGS_BAD;
        }
    }
    buf_release(&text);
    return done;
}

enum settings_edit settings_json_drop_element(quire_bytes bytes,
                                              const char *object,
                                              const char *key, const char *mark,
                                              struct buf *out)
{
    struct scan s = scan_of(bytes);
    struct buf shorter = BUF_INIT((size_t)64 << 20);
    size_t root = find_root(&s);
    struct member m = {0, 0, 0}, list = {0, 0, 0}, one = {0, 0, 0};
    int found = root == SIZE_MAX ? -1 : find_member(&s, root, object, &m);
    enum settings_edit done;

    if (found == 1)
        found = find_member(&s, m.value, key, &list);
    if (found == 1)
        found = find_element(&s, list.value, mark, &one);
    if (found < 1)
        return found == 0 ? SETTINGS_SAME : SETTINGS_BAD;
    done = remove_item(&s, list.value, one.key, one.end, out);
    s = (struct scan){out->data, out->len};
    root = done == SETTINGS_DONE ? find_root(&s) : SIZE_MAX;
    if (root != SIZE_MAX && find_member(&s, root, object, &m) == 1 &&
        find_member(&s, m.value, key, &list) == 1 &&
        list.end - list.value == 2) {
        done = remove_item(&s, m.value, list.key, list.end, &shorter);
        buf_clear(out);
        buf_add(out, shorter.data, shorter.len);
    }
    buf_release(&shorter);
    return done == SETTINGS_DONE ? drop_empty(out, object, "{\n  }") : done;
}
