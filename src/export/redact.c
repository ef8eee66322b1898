/* redact.c - see redact.h */
#include "export/redact.h"

#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"

/* ---- characters ---------------------------------------------------------- */

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

static bool is_word(char c)
{
    return is_alnum(c) || c == '_' || c == '-';
}

static bool is_upper_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

static bool is_token(char c)
{
    return c && (is_word(c) || strchr(".~+/=", c) != NULL);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t run_of(quire_bytes t, size_t at, bool (*is)(char))
{
    const char *s = t.data;
    size_t from = at;

    while (at < t.len && is(s[at]))
        at++;
    return at - from;
}

static bool starts_at(quire_bytes t, size_t at, const char *prefix)
{
    size_t n = strlen(prefix);

    return t.len - at >= n && !memcmp((const char *)t.data + at, prefix, n);
}

static bool starts_at_nocase(quire_bytes t, size_t at, const char *lower)
{
    return ascii_starts(bytes_sub(t, at, t.len), lower);
}

/* ---- shapes --------------------------------------------------------------
 *
 * Each takes a place in the text where a word begins, and returns how many bytes
 * from there are a secret; *skip of them stay. 0: none. */

static size_t match_key(quire_bytes t, size_t at, size_t *skip)
{
    static const struct {
        const char *prefix;
        size_t least; /* of what follows */
        bool (*is)(char);
    } keys[] = {
        {"sk-", 16, is_word},         {"sk_live_", 16, is_word},
        {"rk_live_", 16, is_word},    {"ghp_", 20, is_alnum},
        {"gho_", 20, is_alnum},       {"ghu_", 20, is_alnum},
        {"ghs_", 20, is_alnum},       {"ghr_", 20, is_alnum},
        {"github_pat_", 16, is_word}, {"glpat-", 16, is_word},
        {"xoxb-", 10, is_word},       {"xoxp-", 10, is_word},
        {"xoxa-", 10, is_word},       {"xoxr-", 10, is_word},
        {"xoxs-", 10, is_word},       {"AKIA", 16, is_upper_alnum},
        {"ASIA", 16, is_upper_alnum}, {"AIza", 30, is_word},
        {"npm_", 30, is_alnum},       {"hf_", 30, is_alnum},
        {"pypi-", 30, is_word},       {"dop_v1_", 30, is_alnum},
        {"SG.", 30, is_token},        {"ya29.", 20, is_token},
    };
    size_t i;

    (void)skip;
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t head = strlen(keys[i].prefix), n;

        if (!starts_at(t, at, keys[i].prefix))
            continue;
        n = run_of(t, at + head, keys[i].is);
        if (n >= keys[i].least)
            return head + n;
    }
    return 0;
}

/* Three parts of base64url: header, payload, signature. */
static size_t match_jwt(quire_bytes t, size_t at, size_t *skip)
{
    const char *s = t.data;
    size_t from = at, part, n;

    (void)skip;
    /* Of a run of such characters the beginning counts: no quadratic walk. */
    if (!starts_at(t, at, "eyJ") || (at > 0 && is_word(s[at - 1])))
        return 0;
    for (part = 0; part < 3; part++) {
        n = run_of(t, at, is_word);
        if (n < 8)
            return 0;
        at += n;
        if (part < 2 && (at >= t.len || s[at++] != '.'))
            return 0;
    }
    return at - from;
}

/* To its end, or that of the text. */
static size_t match_pem(quire_bytes t, size_t at, size_t *skip)
{
    static const char begin[] = "-----BEGIN ", end[] = "-----END ",
                      key[] = "PRIVATE KEY-----";
    const char *s = t.data, *found, *line;
    size_t head;

    (void)skip;
    if (!starts_at(t, at, begin))
        return 0;
    head = t.len - at < 80 ? t.len - at : 80;
    if (!memmem(s + at, head, key, sizeof key - 1))
        return 0;
    found = memmem(s + at, t.len - at, end, sizeof end - 1);
    if (!found)
        return t.len - at;
    head = t.len - (size_t)(found - s);
    line = memmem(found, head < 80 ? head : 80, key, sizeof key - 1);
    if (!line)
        return (size_t)(found - s) - at + sizeof end - 1;
    return (size_t)(line - s) - at + sizeof key - 1;
}

static size_t match_bearer(quire_bytes t, size_t at, size_t *skip)
{
    size_t head = 7, n;

    if (!starts_at_nocase(t, at, "bearer ") &&
        !starts_at_nocase(t, at, "basic "))
        return 0;
    if (starts_at_nocase(t, at, "basic "))
        head = 6;
    n = run_of(t, at + head, is_token);
    if (n < 16)
        return 0;
    *skip = head;
    return head + n;
}

static const char *const secret_names[] = {"password",
                                           "passwd",
                                           "passphrase",
                                           "pwd",
                                           "secret",
                                           "api_key",
                                           "apikey",
                                           "api-key",
                                           "access_key",
                                           "secret_key",
                                           "client_secret",
                                           "private_key",
                                           "access_token",
                                           "refresh_token",
                                           "auth_token",
                                           "authorization",
                                           "secret_access_key",
                                           "x-api-key",
                                           "token",
                                           "session_token"};

enum { N_SECRET_NAMES = sizeof secret_names / sizeof *secret_names };

/* The longest name that stands at the place. */
static size_t match_name(quire_bytes t, size_t at)
{
    size_t best = 0, i;

    for (i = 0; i < N_SECRET_NAMES; i++)
        if (strlen(secret_names[i]) > best &&
            starts_at_nocase(t, at, secret_names[i]))
            best = strlen(secret_names[i]);
    return best;
}

bool redact_is_secret_name(quire_bytes name)
{
    return name.len > 3 && match_name(name, 0) == name.len &&
           !starts_at_nocase(name, 0, "token");
}

static bool is_value(char c)
{
    return c && !is_space(c) && !strchr("\"'`<>,;&)(", c);
}

/* A value that names where the secret is: $TOKEN, ${TOKEN}, <token>. */
static bool is_reference(quire_bytes t, size_t at)
{
    char c = at < t.len ? ((const char *)t.data)[at] : '\0';

    return c == '$' || c == '<' || c == '{' || c == '[' || c == '*';
}

/* "password=…", "api_key: …", "\"secret\": \"…\"". */
static size_t match_assignment(quire_bytes t, size_t at, size_t *skip)
{
    const char *s = t.data;
    size_t from = at, n = match_name(t, at), name = at;
    bool colon;

    if (!n)
        return 0;
    at += n;
    if (at < t.len && (s[at] == '"' || s[at] == '\''))
        at++;
    while (at < t.len && s[at] == ' ')
        at++;
    if (at >= t.len || (s[at] != '=' && s[at] != ':'))
        return 0;
    colon = s[at++] == ':';
    while (at < t.len && s[at] == ' ')
        at++;
    if (at < t.len && (s[at] == '"' || s[at] == '\''))
        at++;
    else if (colon && starts_at_nocase(t, name, "token"))
        return 0; /* prose and types: "token: string" */
    if (starts_at_nocase(t, at, "bearer ") || starts_at_nocase(t, at, "basic "))
        at += run_of(t, at, is_alnum) + 1; /* the scheme stays */
    n = run_of(t, at, is_value);
    if (n < 4 || is_reference(t, at) || s[at] == '=')
        return 0;
    *skip = at - from;
    return at - from + n;
}

/* "https://user:password@host": from the scheme on. */
static size_t match_url(quire_bytes t, size_t at, size_t *skip)
{
    const char *s = t.data;
    size_t from = at, colon = 0;

    at += run_of(t, at, is_alnum);
    if (at == from || !starts_at(t, at, "://"))
        return 0;
    for (at += 3; at < t.len && is_value(s[at]) && s[at] != '/'; at++) {
        if (s[at] == ':' && !colon)
            colon = at;
        if (s[at] != '@')
            continue;
        if (!colon || at - colon < 2 || is_reference(t, colon + 1))
            return 0;
        *skip = colon + 1 - from;
        return at - from;
    }
    return 0;
}

static size_t match_at(quire_bytes t, size_t at, size_t *skip)
{
    static size_t (*const shapes[])(quire_bytes, size_t,
                                    size_t *) = {match_key,        match_jwt,
                                                 match_pem,        match_bearer,
                                                 match_assignment, match_url};
    size_t i, n;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        *skip = 0;
        n = shapes[i](t, at, skip);
        if (n)
            return n;
    }
    return 0;
}

/* ---- home directories ---------------------------------------------------- */

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
            (end == t.len ||
             (!is_alnum(s[end]) && s[end] != '_' && s[end] != '-')))
            return r->homes[i].len;
    }
    return 0;
}

/* ---- texts --------------------------------------------------------------- */

/* Whether anything may begin here: a word, or dashes of a PEM block. */
static bool may_begin(const char *s, size_t at)
{
    if (s[at] == '-')
        return at == 0 || s[at - 1] != '-';
    return is_alnum(s[at]) && (at == 0 || !is_alnum(s[at - 1]));
}

bool redact_text(struct redactor *r, quire_bytes text, struct buf *out)
{
    const char *s = text.data;
    size_t done = 0, at = 0, n, skip;
    bool changed = false;

    while (at < text.len) {
        if (s[at] == '/' && (n = match_home(r, text, at)) != 0) {
            buf_add(out, s + done, at - done);
            buf_add_char(out, '~');
            r->paths++;
        } else if (may_begin(s, at) && (n = match_at(text, at, &skip)) != 0) {
            buf_add(out, s + done, at + skip - done);
            buf_add_str(out, REDACTED);
            r->secrets++;
        } else {
            at++;
            continue;
        }
        at += n;
        done = at;
        changed = true;
    }
    if (changed || text.len)
        buf_add(out, s + done, text.len - done);
    return changed;
}
