/*
 * find.c - find secrets by their form
 *
 * A table of two characters says where something may begin; of a text of program
 * output that is one place in a hundred. There the shapes are tried in turn. Each is
 * linear: where a run of characters could be walked from each of its places, only its
 * beginning counts.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "secrets/chars.h"
#include "secrets/formats.h"
#include "secrets/secrets.h"

/* Of all prefixes, names and marks, by the first character: bit c & 31 of the second
 * and of the third character c. tests/secrets/find_test.c tries each. */
#define B(c) (1u << ((c)&31))

static const struct {
    uint32_t second, third;
} begins[256] = {
    ['-'] = {B('-'), B('-')},
    [':'] = {B('/'), B('/')},
    ['A'] = {B('K') | B('S') | B('I') | B('G') | B('T') | B('P') | B('C') |
                 B('U'),
             B('I') | B('z') | B('E') | B('A') | B('C') | B('T')},
    ['B'] = {B('E') | B('A'), B('A') | B('S')},
    ['C'] = {B('L'), B('I')},
    ['G'] = {B('O'), B('C')},
    ['P'] = {B('A') | B('W') | B('R'), B('S') | B('D') | B('I')},
    ['R'] = {B('E'), B('F')},
    ['S'] = {B('G') | B('E') | B('H'), B('.') | B('C') | B('S') | B('A')},
    ['T'] = {B('O'), B('K')},
    ['X'] = {B('-'), B('A')},
    ['a'] = {B('p') | B('c') | B('u'), B('i') | B('c') | B('t')},
    ['b'] = {B('e') | B('a'), B('a') | B('s')},
    ['c'] = {B('l'), B('i')},
    ['d'] = {B('o') | B('a') | B('c'), B('p') | B('o') | B('k')},
    ['e'] = {B('y'), B('J')},
    ['f'] = {B('i'), B('g')},
    ['g'] = {B('h') | B('i') | B('l') | B('s'), B('p') | B('o') | B('u') |
                                                    B('s') | B('r') | B('t') |
                                                    B('d') | B('k')},
    ['h'] = {B('f') | B('o') | B('v'), B('_') | B('o') | B('s') | B('b')},
    ['l'] = {B('i'), B('n')},
    ['n'] = {B('p') | B('t') | B('v'), B('m') | B('n') | B('a')},
    ['p'] = {B('a') | B('w') | B('r') | B('y'),
             B('s') | B('d') | B('i') | B('p')},
    ['q'] = {B('r'), B('t') | B('a')},
    ['r'] = {B('e') | B('k') | B('u') | B('8'), B('f') | B('_') | B('b')},
    ['s'] = {B('k') | B('e') | B('h'),
             B('-') | B('_') | B('c') | B('s') | B('p') | B('a')},
    ['t'] = {B('o') | B('s'), B('k')},
    ['w'] = {B('h'), B('s')},
    ['x'] = {B('o') | B('a') | B('-'), B('x') | B('p') | B('i') | B('a')},
    ['y'] = {B('a'), B('2')},
};

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
 * Each takes a place where one may begin, and returns how many bytes from there are
 * one; *skip of them are not secret. 0: none. */

struct match {
    enum secrets_level level;
    size_t skip;
    const char *kind;
};

/* Three parts of base64url: header, payload, signature. */
static size_t match_jwt(quire_bytes t, size_t at, struct match *m)
{
    const char *s = t.data;
    size_t from = at, part, n;

    if (!starts_at(t, at, "eyJ") || (at > 0 && is_word(s[at - 1])))
        return 0;
    for (part = 0; part < 3; part++) {
        n = run_of(t, at, is_word);
        if (n < 8 ||
            (m->level == SECRETS_SURE && part == 1 && !starts_at(t, at, "eyJ")))
            return 0;
        at += n;
        if (part < 2 && char_at(t, at++) != '.')
            return 0;
    }
    m->kind = "jwt";
    return at - from;
}

static const char pem_begin[] = "-----BEGIN ", pem_end[] = "-----END ",
                  pem_key[] = "PRIVATE KEY-----";

/* The end of the first or last line of a key, which begins at `at`. NULL: it is none. */
static const char *find_key_line(quire_bytes t, size_t at)
{
    const char *s = (const char *)t.data + at, *line;
    size_t n = t.len - at < 80 ? t.len - at : 80;

    line = memchr(s, '\n', n);
    return memmem(s, line ? (size_t)(line - s) : n, pem_key,
                  sizeof pem_key - 1);
}

/* Of the body of a key: base64, line breaks, also spelled "\n", and its headers. */
static bool is_pem(char c)
{
    return is_alnum(c) || is_space(c) || (c && strchr("+/=\\:,\"'-", c));
}

enum { PEM_MAX = 64 * 1024, PEM_MIN = 40 };

/* Where the body of a key ends that begins at `body`; *quote is its first quote. */
static size_t walk_body(quire_bytes t, size_t body, size_t *quote)
{
    const char *s = t.data;
    size_t most = t.len - body > PEM_MAX ? body + PEM_MAX : t.len, at = body;

    *quote = SIZE_MAX;
    while (at < most && is_pem(s[at]) &&
           !(s[at] == '-' && starts_at(t, at, "-----"))) {
        if (*quote == SIZE_MAX && (s[at] == '"' || s[at] == '\''))
            *quote = at;
        at++;
    }
    return at;
}

/* Behind the line that ends a key, or behind what is left of it, within its string. 0: it
 * is none. */
static size_t find_sure_end(quire_bytes t, size_t body)
{
    const char *s = t.data, *line;
    size_t quote, at = walk_body(t, body, &quote);

    if (!starts_at(t, at, pem_end)) {
        at = quote < at ? quote : at;
        return at - body >= PEM_MIN ? at : 0;
    }
    line = find_key_line(t, at);
    return line ? (size_t)(line - s) + sizeof pem_key - 1 : at;
}

/* Keys that begin in the line in which another ends are held back together. */
size_t secrets_open_key(quire_bytes text, size_t end)
{
    const char *s = text.data, *found, *head, *line;
    size_t at = 0, first = 0, last = 0, quote;

    while (at < end && (found = memmem(s + at, end - at, pem_begin,
                                       sizeof pem_begin - 1))) {
        size_t from = (size_t)(found - s);

        at = from + sizeof pem_begin - 1;
        head = find_key_line(text, from);
        if (!head)
            continue;
        if (last == 0 || memchr(s + last, '\n', from - last))
            first = from;
        at = walk_body(text, (size_t)(head - s) + sizeof pem_key - 1, &quote);
        if (at + 80 > end && !(at < end && memchr(s + at, '\n', end - at)))
            return first;
        line = starts_at(text, at, pem_end) ? find_key_line(text, at) : NULL;
        last = line ? (size_t)(line - s) + sizeof pem_key - 1 : at;
        /* The dashes that end one line may begin another. */
        at = line ? last : from + sizeof pem_begin - 1;
    }
    return end;
}

static size_t find_likely_end(quire_bytes t, size_t at)
{
    const char *s = t.data, *line,
               *found = memmem(s + at, t.len - at, pem_end, sizeof pem_end - 1);

    if (!found)
        return t.len;
    at = (size_t)(found - s);
    line = find_key_line(t, at);
    return line ? (size_t)(line - s) + sizeof pem_key - 1
                : at + sizeof pem_end - 1;
}

static size_t match_pem(quire_bytes t, size_t at, struct match *m)
{
    const char *s = t.data, *head;
    size_t end;

    if (!starts_at(t, at, pem_begin) || (at > 0 && s[at - 1] == '-'))
        return 0;
    head = find_key_line(t, at);
    if (!head)
        return 0;
    end = m->level == SECRETS_LIKELY
              ? find_likely_end(t, at)
              : find_sure_end(t, (size_t)(head - s) + sizeof pem_key - 1);
    m->kind = "private-key";
    return end > at ? end - at : 0;
}

/* Credentials of RFC 7617: base64 of "user:password". */
static bool is_basic(quire_bytes value)
{
    struct buf b = BUF_INIT(4096);
    bool is = value.len < 4096 && base64_decode(value, &b) &&
              memchr(b.len ? b.data : "", ':', b.len);

    buf_release(&b);
    return is;
}

static size_t match_bearer(quire_bytes t, size_t at, struct match *m)
{
    bool basic = starts_at_nocase(t, at, "basic ");
    size_t head = basic ? 6 : 7, n;
    quire_bytes value;

    if (!basic && !starts_at_nocase(t, at, "bearer "))
        return 0;
    n = run_of(t, at + head, is_token);
    value = bytes_sub(t, at + head, at + head + n);
    if (n < 16 || (m->level == SECRETS_SURE &&
                   !(basic ? is_basic(value) : secrets_looks_random(value))))
        return 0;
    m->skip = head;
    m->kind = basic ? "basic-auth" : "bearer-token";
    return head + n;
}

/* ---- assignments ---------------------------------------------------------- */

static const char *const password_names[] = {"password", "passwd", "passphrase",
                                             "pwd"};
static const char *const secret_names[] =
    {"secret",          "api_key",      "apikey",        "api-key",
     "access_key",      "accesskey",    "secret_key",    "secretkey",
     "client_secret",   "clientsecret", "private_key",   "privatekey",
     "access_token",    "accesstoken",  "refresh_token", "refreshtoken",
     "auth_token",      "authtoken",    "authorization", "secret_access_key",
     "sharedaccesskey", "x-api-key",    "token",         "session_token",
     "accountkey"};

enum {
    N_PASSWORDS = sizeof password_names / sizeof *password_names,
    N_SECRETS = sizeof secret_names / sizeof *secret_names,
    NAME_MAX_LEN = 17
};

static size_t longest_of(quire_bytes t, size_t at, const char *const *names,
                         size_t n)
{
    size_t best = 0, i, len;
    char first = ascii_lower(char_at(t, at));

    for (i = 0; i < n; i++) {
        if (names[i][0] != first)
            continue;
        len = strlen(names[i]);
        if (len > best && starts_at_nocase(t, at, names[i]))
            best = len;
    }
    return best;
}

/* The longest name that stands at the place. */
static size_t match_name(quire_bytes t, size_t at, const char **kind)
{
    size_t n = longest_of(t, at, password_names, N_PASSWORDS);

    *kind = n ? "password" : "secret";
    return n ? n : longest_of(t, at, secret_names, N_SECRETS);
}

bool secrets_is_name(quire_bytes name)
{
    const char *kind;

    return name.len > 3 && match_name(name, 0, &kind) == name.len &&
           !starts_at_nocase(name, 0, "token");
}

/* A value that names where the secret is: $TOKEN, ${TOKEN}, <token>. */
static bool is_reference(quire_bytes t, size_t at)
{
    char c = char_at(t, at);

    return c == '$' || c == '<' || c == '{' || c == '[' || c == '*';
}

/* Words of documents and examples: "changeme", "your-password-here". What is long and
 * random has such a word by chance. */
static bool is_placeholder(quire_bytes value)
{
    static const char *const words[] = {"pass",  "secret", "token",      "key",
                                        "your",  "change", "example",    "xxx",
                                        "dummy", "test",   "redacted",   "foo",
                                        "none",  "null",   "placeholder"};
    size_t at, i;

    if (value.len >= 32 && secrets_entropy(value) >= 40)
        return false;
    for (at = 0; at < value.len; at++)
        for (i = 0; i < sizeof words / sizeof *words; i++)
            if (starts_at_nocase(value, at, words[i]))
                return true;
    return false;
}

/* An identifier, a call, a path, a version: not a secret but code about one. */
static bool is_code(quire_bytes value)
{
    const char *s = value.data;
    bool lower = false, upper = false, digit = false, other = false;
    size_t i;

    if (strchr("/~.\\@%", s[0]) || memmem(s, value.len, "->", 2) ||
        memmem(s, value.len, "::", 2) || memmem(s, value.len, "://", 3) ||
        memmem(s, value.len, "${", 2))
        return true;
    for (i = 0; i < value.len; i++) {
        digit |= is_digit(s[i]);
        upper |= is_upper(s[i]);
        lower |= is_alpha(s[i]) && !is_upper(s[i]);
        other |= !is_alnum(s[i]) && !strchr("_-.[]:", s[i]);
    }
    return !((lower || upper) && (digit || other)) ||
           (upper && !lower && memchr(s, '_', value.len));
}

/* Bytes of a value that decide: a text of nothing but assignments is read in linear
 * time. */
enum { JUDGED_MAX = 512 };

/* Whether an assigned value is a secret, and not a word about one. */
static bool is_sure_value(quire_bytes value)
{
    size_t most = value.len < 256 ? value.len : 256;

    return value.len >= 8 && !is_code(value) &&
           !is_placeholder(bytes_sub(value, 0, most)) &&
           secrets_entropy(value) >= 25;
}

/* Without escapes: those of a line break end a value in code. */
static bool is_plain_value(char c)
{
    return c != '\\' && is_value(c);
}

/* Of "Authorization: Bearer …": the scheme stays. */
static size_t skip_scheme(quire_bytes t, size_t at, const char **kind)
{
    bool basic = starts_at_nocase(t, at, "basic ");

    if (!basic && !starts_at_nocase(t, at, "bearer "))
        return 0;
    *kind = basic ? "basic-auth" : "bearer-token";
    return basic ? 6 : 7;
}

/* "password=…", "api_key: …", "\"secret\": \"…\"". */
static size_t match_assignment(quire_bytes t, size_t at, struct match *m)
{
    const char *s = t.data;
    size_t from = at, n = match_name(t, at, &m->kind), name = at;
    size_t judged;
    bool colon;

    if (!n)
        return 0;
    at += n;
    judged = t.len - at > JUDGED_MAX ? at + JUDGED_MAX : t.len;
    if (char_at(t, at) == '\\')
        at++;
    if (char_at(t, at) == '"' || char_at(t, at) == '\'')
        at++;
    while (char_at(t, at) == ' ')
        at++;
    if (at >= t.len || (s[at] != '=' && s[at] != ':'))
        return 0;
    colon = s[at++] == ':';
    while (char_at(t, at) == ' ')
        at++;
    if (char_at(t, at) == '\\')
        at++;
    if (char_at(t, at) == '"' || char_at(t, at) == '\'') {
        at++;
    } else if (colon && starts_at_nocase(t, name, "token")) {
        return 0; /* prose and types: "token: string" */
    }
    at += skip_scheme(t, at, &m->kind);
    n = m->level == SECRETS_LIKELY
            ? run_of(t, at, is_value)
            : run_of(bytes_sub(t, 0, judged), at, is_plain_value);
    if (n < 4 || is_reference(t, at) || s[at] == '=')
        return 0;
    if (m->level == SECRETS_SURE &&
        (!is_sure_value(bytes_of(s + at, n)) || char_at(t, at + n) == '('))
        return 0;
    if (m->level == SECRETS_SURE && at + n == judged)
        n = run_of(t, at, is_plain_value);
    m->skip = at - from;
    return at - from + n;
}

/* "://user:password@host". */
static size_t match_url(quire_bytes t, size_t at, struct match *m)
{
    const char *s = t.data;
    size_t from = at, colon = 0, user = at + 3, n;

    if (!starts_at(t, at, "://") || at == 0 || !is_alnum(s[at - 1]))
        return 0;
    for (at = user; at < t.len && is_value(s[at]) && s[at] != '/'; at++) {
        if (s[at] == ':' && !colon)
            colon = at;
        if (s[at] != '@')
            continue;
        n = colon ? at - colon - 1 : 0;
        if (n == 0 || is_reference(t, colon + 1))
            return 0;
        if (m->level == SECRETS_SURE &&
            (n < 4 || is_placeholder(bytes_of(s + colon + 1, n)) ||
             bytes_equal(bytes_of(s + colon + 1, n),
                         bytes_of(s + user, colon - user))))
            return 0;
        m->skip = colon + 1 - from;
        m->kind = "url-password";
        return at - from;
    }
    return 0;
}

/* ---- a text -------------------------------------------------------------- */

typedef size_t (*shape_fn)(quire_bytes t, size_t at, struct match *m);

/* Behind "token=" or "Bearer " there may be a key whose kind is known. */
static void name_kind(quire_bytes t, size_t at, size_t n, struct match *m)
{
    quire_bytes value = bytes_sub(t, at + m->skip, at + n);
    struct match inner = {.level = m->level};
    const char *kind;

    if (!m->skip)
        return;
    if (secret_format_match(value, 0, m->level, &kind))
        m->kind = kind;
    else if (match_jwt(value, 0, &inner))
        m->kind = inner.kind;
}

static size_t match_at(quire_bytes t, size_t at, struct match *m)
{
    static const shape_fn words[] = {match_jwt, match_bearer, match_assignment};
    char c = ((const char *)t.data)[at];
    size_t i, n;

    m->skip = 0;
    if (c == '-')
        return match_pem(t, at, m);
    if (c == ':')
        return match_url(t, at, m);
    n = secret_format_match(t, at, m->level, &m->kind);
    for (i = 0; !n && i < sizeof words / sizeof *words; i++) {
        m->skip = 0;
        n = words[i](t, at, m);
    }
    return n;
}

/* Whether a word begins there: also behind a colour, and behind a line break that is
 * spelled in JSON within the text. */
static bool begins_word(const char *s, size_t at)
{
    size_t i = at;

    if (at == 0 || !is_alnum(s[at]) || !is_alnum(s[at - 1]))
        return true;
    if (at > 1 && s[at - 2] == '\\' && strchr("nrt", s[at - 1]))
        return true;
    if (s[at - 1] != 'm')
        return false;
    for (i = at - 1;
         i > 0 && at - i < 24 && (is_digit(s[i - 1]) || s[i - 1] == ';');)
        i--;
    return i > 1 && s[i - 1] == '[' && s[i - 2] == '\033';
}

bool secrets_next(quire_bytes text, size_t from, enum secrets_level level,
                  struct secret *out)
{
    const unsigned char *s = text.data;
    struct match m = {.level = level};
    size_t at, n;

    if (text.len < 8) /* "pwd=abcd" */
        return false;
    for (at = from; at + 7 < text.len; at++) {
        if (!(begins[s[at]].second >> (s[at + 1] & 31) & 1) ||
            !(begins[s[at]].third >> (s[at + 2] & 31) & 1))
            continue;
        if (!begins_word(text.data, at))
            continue;
        n = match_at(text, at, &m);
        if (!n)
            continue;
        name_kind(text, at, n, &m);
        *out = (struct secret){at + m.skip, n - m.skip, m.kind, text};
        return true;
    }
    return false;
}

bool secrets_of_member(quire_bytes name, quire_bytes value, struct secret *out)
{
    const char *kind;
    size_t n;

    if (name.len > NAME_MAX_LEN + 32 || !value.len)
        return false;
    /* The end of the name counts: "db_password". */
    for (n = 0; n < name.len; n++) {
        if (n > 0 && is_alnum(char_at(name, n - 1)))
            continue;
        if (match_name(name, n, &kind) == name.len - n)
            break;
    }
    if (n == name.len || run_of(value, 0, is_value) != value.len ||
        is_reference(value, 0) || !is_sure_value(value))
        return false;
    *out = (struct secret){0, value.len, kind, value};
    return true;
}
