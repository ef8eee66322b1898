/* redact.c - see redact.h */
#include "export/redact.h"

#include <string.h>

#include "base/bytes.h"
#include "secrets/secrets.h"

/* ---- home directories ---------------------------------------------------- */

static bool ends_name(quire_bytes t, size_t at)
{
    char c = at < t.len ? ((const char *)t.data)[at] : '\0';

    return !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
             (c >= 'a' && c <= 'z') || c == '_' || c == '-');
}

static void add_home(struct redactor *r, quire_bytes path)
{
    size_t i;

    while (path.len > 1 && ((const char *)path.data)[path.len - 1] == '/')
        path.len--;
    if (path.len < 2 || r->n_homes == REDACT_HOMES)
        return;
    for (i = 0; i < r->n_homes; i++)
        if (bytes_equal(r->homes[i], path))
            return;
    r->homes[r->n_homes++] = path;
}

void redact_home(struct redactor *r, quire_bytes path)
{
    static const char *const parents[] = {"/home/", "/Users/"};
    const char *s = path.data;
    size_t i, n, end;

    for (i = 0; i < 2; i++) {
        n = strlen(parents[i]);
        if (path.len <= n || memcmp(s, parents[i], n) != 0)
            continue;
        for (end = n; end < path.len && s[end] != '/';)
            end++;
        add_home(r, bytes_sub(path, 0, end));
        return;
    }
    add_home(r, path);
}

static size_t match_home(const struct redactor *r, quire_bytes t, size_t at)
{
    const char *s = t.data;
    size_t i, end;

    for (i = 0; i < r->n_homes; i++) {
        end = at + r->homes[i].len;
        if (t.len - at >= r->homes[i].len &&
            !memcmp(s + at, r->homes[i].data, r->homes[i].len) &&
            ends_name(t, end))
            return r->homes[i].len;
    }
    return 0;
}

/* ---- texts --------------------------------------------------------------- */

/* Add text[from, to) with home directories replaced; how many were. */
static uint64_t add_plain(const struct redactor *r, quire_bytes text,
                          size_t from, size_t to, struct buf *out)
{
    const char *s = text.data, *slash;
    uint64_t replaced = 0;
    size_t at = from, n;

    while (r->n_homes && at < to && (slash = memchr(s + at, '/', to - at))) {
        at = (size_t)(slash - s);
        n = match_home(r, text, at);
        if (n) {
            buf_add(out, s + from, at - from);
            buf_add_char(out, '~');
            from = at + n;
            replaced++;
        }
        at += n ? n : 1;
    }
    if (to > from)
        buf_add(out, s + from, to - from);
    return replaced;
}

bool redact_text(struct redactor *r, quire_bytes text, struct buf *out)
{
    uint64_t before = r->secrets + r->paths;
    struct secret secret;
    size_t done = 0;

    while (secrets_next(text, done, SECRETS_LIKELY, &secret)) {
        r->paths += add_plain(r, text, done, secret.at, out);
        buf_add_str(out, REDACTED);
        r->secrets++;
        done = secret.at + secret.len;
    }
    r->paths += add_plain(r, text, done, text.len, out);
    return r->secrets + r->paths > before;
}
