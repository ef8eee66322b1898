/*
 * address.c - parse addresses
 *
 *     agent://0-Scout/items/0?q=.a#b
 *             ^-----^^------^ ^--^
 *             host    path    query        the fragment, #b, is ignored
 *
 * Unlike in a browser, a host has no port and no user, so ":" and "@" are
 * characters of an id; its case is kept; "." and ".." in a path are ordinary
 * keys, since no path here leads through directories.
 *
 * Percent signs are decoded after an address has been split, never before:
 * agent://a%2fb is one id with a slash in it, and refused for it. Each part has
 * its own rules, those of the programs that write such addresses:
 *
 *     host       %zz is an error
 *     segment    kept as it is spelled, all of it, when it has a %zz or
 *                decodes to malformed UTF-8
 *     query      as in forms: + is a space, %zz stays %zz
 *
 * A NUL is an error everywhere: a C string would end there, and an id shorter
 * than the one checked could bypass the check.
 */
#include "output/address.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "output/chars.h"
#include "output/query.h"
#include "output/quote.h"

/* Ample, and keeps messages and paths small. */
#define ADDRESS_MAX ((size_t)8192)

/* With ".json" appended still a valid file name, of 255 bytes at most. */
#define ID_MAX 240

/* The part behind "://". */
struct parts {
    quire_bytes host, path, query;
};

static struct parts split(const char *text)
{
    struct parts p;

    p.host = bytes_of(text, strcspn(text, "/?#"));
    text += p.host.len;
    p.path = bytes_of(text, strcspn(text, "?#"));
    text += p.path.len;
    text += *text == '?';
    p.query = bytes_of(text, strcspn(text, "#"));
    return p;
}

/* Up to the first `c`; `text` becomes the part behind it. */
static quire_bytes cut_at(quire_bytes *text, char c)
{
    const char *from = text->data;
    const char *to = text->len ? memchr(from, c, text->len) : NULL;
    size_t len = to ? (size_t)(to - from) : text->len;
    quire_bytes head = bytes_sub(*text, 0, len);

    *text = bytes_sub(*text, to ? len + 1 : len, text->len);
    return head;
}

/* Decode %XX, and + if it is a `form`; a NUL is added. An invalid escape stays
 * as it is, and *bad (may be NULL) reports it. .data is NULL when out of
 * memory. */
static quire_bytes decode_percent(quire_bytes text, bool form,
                                  struct arena *keep, bool *bad)
{
    const char *from = text.data, *end = from + text.len;
    char *out = arena_alloc(keep, text.len + 1);
    size_t n = 0;

    if (!out)
        return bytes_of(NULL, 0);
    while (from < end) {
        char c = *from++;

        if (c == '+' && form) {
            c = ' ';
        } else if (c == '%' && end - from >= 2 &&
                   hex_decode(from, 1, (uint8_t *)&c)) {
            from += 2;
        } else if (c == '%' && bad) {
            *bad = true;
        }
        out[n++] = c;
    }
    out[n] = '\0';
    return bytes_of(out, n);
}

static bool has_nul(quire_bytes text)
{
    return memchr(text.data, '\0', text.len) != NULL;
}

bool address_id_is_safe(quire_bytes id)
{
    const unsigned char *c = id.data;
    size_t i;

    if (id.len == 0 || id.len > ID_MAX || c[0] == '.')
        return false;
    for (i = 0; i < id.len; i++) {
        if (c[i] < 0x20 || c[i] == 0x7f || c[i] == '/')
            return false;
    }
    return utf8_check(id);
}

/* The host, decoded; an empty one is left to the caller. */
static quire_status read_host(const char *scheme, quire_bytes host,
                              struct arena *keep, quire_bytes *out,
                              quire_error *err)
{
    bool bad = false;

    *out = decode_percent(host, false, keep, &bad);
    if (!out->data)
        return err_memory(err);
    if (!bad)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "write %25 for a percent sign in an id",
                    "%s%s: a %% without two hex digits behind it", scheme,
                    quote_text(host).text);
}

/* ---- artifact:// --------------------------------------------------------- */

/* Digits stay as they are spelled: whether 00 equals 0 is decided by the names
 * of the files. */
static quire_status read_artifact(const char *rest, struct arena *keep,
                                  struct address *out, quire_error *err)
{
    struct parts p = split(rest);
    quire_bytes id;
    quire_status st;

    out->kind = ADDRESS_ARTIFACT;
    st = read_host("artifact://", p.host, keep, &id, err);
    if (st)
        return st;
    if (!id.len)
        return err_set(err, QUIRE_INVALID,
                       "artifact:// needs a number, as in artifact://0");
    if (all_chars(id, is_digit_char) && id.len <= ADDRESS_DIGITS_MAX) {
        out->id = id.data;
        return QUIRE_OK;
    }
    return err_fail(err, QUIRE_INVALID,
                    "give the number alone, as in artifact://0; reports of "
                    "sub-agents are agent://<id>",
                    "artifact://%s: the id must be a number%s",
                    quote_text(id).text,
                    all_chars(id, is_digit_char) ? " of up to 18 digits" : "");
}

/* ---- agent:// ------------------------------------------------------------ */

static quire_status read_id(quire_bytes host, struct arena *keep,
                            struct address *out, quire_error *err)
{
    quire_bytes id;
    quire_status st = read_host("agent://", host, keep, &id, err);

    if (st)
        return st;
    if (!id.len)
        return err_set(err, QUIRE_INVALID,
                       "agent:// needs an id, as in agent://0-Name");
    if (!address_id_is_safe(id)) {
        st = err_set(err, QUIRE_INVALID, "agent://%s: invalid id",
                     quote_text(id).text);
        err_next(err,
                 "an id is UTF-8 of up to %d bytes, without slashes and "
                 "control characters, and begins with no dot",
                 ID_MAX);
        return st;
    }
    out->id = id.data;
    return QUIRE_OK;
}

/* One segment of a path, decoded. */
static quire_status read_segment(quire_bytes spelled, struct arena *keep,
                                 quire_bytes *out, quire_error *err)
{
    bool bad = false;

    *out = decode_percent(spelled, false, keep, &bad);
    if (!out->data)
        return err_memory(err);
    if (bad || !utf8_check(*out))
        *out = spelled;
    if (has_nul(*out))
        return err_set(err, QUIRE_INVALID, "agent://: %s in the path has a NUL",
                       quote_text(spelled).text);
    return QUIRE_OK;
}

/* Add a segment to the query for the path. */
static quire_status add_segment(quire_bytes segment, struct buf *query,
                                quire_error *err)
{
    const char *c = segment.data;
    quire_status st;
    size_t i;

    if (all_chars(segment, is_name_char)) {
        bool index = all_chars(segment, is_digit_char);

        buf_add_char(query, index ? '[' : '.');
        buf_add(query, segment.data, segment.len);
        buf_add(query, "]", index);
        return QUIRE_OK;
    }
    if (memchr(segment.data, ']', segment.len)) {
        st = err_fail(err, QUIRE_INVALID, "query the value that contains it",
                      "agent://: %s in the path has a ], and no query can name "
                      "such a key",
                      quote_text(segment).text);
        return st;
    }
    buf_add_str(query, "['");
    for (i = 0; i < segment.len; i++) {
        if (c[i] == '\\' || c[i] == '\'')
            buf_add_char(query, '\\');
        buf_add_char(query, c[i]);
    }
    buf_add_str(query, "']");
    return QUIRE_OK;
}

/* Convert a path: to `query` for a value, to `nested` for the name of a report
 * that may exist. *dots: the name is ambiguous, as a/b.c and a/b/c are both
 * a.b.c. */
static quire_status add_path(quire_bytes path, struct buf *query,
                             struct buf *nested, bool *dots, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;

    while (path.len) {
        quire_bytes spelled = cut_at(&path, '/'), segment;

        if (!spelled.len)
            continue;
        arena_reset(&tmp);
        st = read_segment(spelled, &tmp, &segment, err);
        if (!st)
            st = add_segment(segment, query, err);
        if (st)
            break;
        *dots = *dots || memchr(segment.data, '.', segment.len);
        buf_add_char(nested, '.');
        buf_add(nested, segment.data, segment.len);
    }
    arena_release(&tmp);
    return st;
}

static quire_status read_path(quire_bytes path, struct arena *keep,
                              struct address *out, quire_error *err)
{
    /* At worst a byte and its slash become ['\'']. */
    struct buf query = BUF_INIT(4 * ADDRESS_MAX);
    struct buf nested = BUF_INIT(2 * ADDRESS_MAX);
    bool dots = false;
    quire_status st;

    buf_add_str(&nested, out->id);
    st = add_path(path, &query, &nested, &dots, err);
    if (!st && (query.failed || nested.failed))
        st = err_memory(err);
    if (st || !query.len)
        goto out;
    out->by_path = true;
    out->query = arena_text(keep, buf_bytes(&query));
    if (!out->query)
        st = err_memory(err);
    if (st || dots || !address_id_is_safe(buf_bytes(&nested)))
        goto out;
    out->nested = arena_text(keep, buf_bytes(&nested));
    if (!out->nested)
        st = err_memory(err);
out:
    buf_release(&query);
    buf_release(&nested);
    return st;
}

/* The first parameter named q. An empty one counts as absent, and hides later
 * ones. */
static quire_status read_q(quire_bytes parameters, struct arena *keep,
                           const char **q, quire_error *err)
{
    while (parameters.len) {
        quire_bytes value = cut_at(&parameters, '&');
        quire_bytes name = cut_at(&value, '=');

        name = decode_percent(name, true, keep, NULL);
        if (!name.data)
            return err_memory(err);
        if (!bytes_is(name, "q"))
            continue;
        if (!value.len)
            return QUIRE_OK;
        value = decode_percent(value, true, keep, NULL);
        if (!value.data)
            return err_memory(err);
        if (has_nul(value))
            return err_set(err, QUIRE_INVALID, "agent://: ?q= has a NUL");
        *q = value.data;
        return QUIRE_OK;
    }
    return QUIRE_OK;
}

static quire_status read_agent(const char *rest, struct arena *keep,
                               struct address *out, quire_error *err)
{
    struct parts p = split(rest);
    const char *q = NULL;
    quire_status st;

    out->kind = ADDRESS_AGENT;
    st = read_id(p.host, keep, out, err);
    if (!st)
        st = read_path(p.path, keep, out, err);
    if (!st)
        st = read_q(p.query, keep, &q, err);
    if (st)
        return st;
    if (q && out->by_path) {
        st = err_fail(err, QUIRE_INVALID, "put all of it in one of the two",
                      "agent:// cannot combine a path with ?q=");
        return st;
    }
    if (q)
        out->query = q;
    return out->query ? query_check(out->query, err) : QUIRE_OK;
}

/* ---- blob: --------------------------------------------------------------- */

static quire_status read_blob(const char *rest, struct arena *keep,
                              struct address *out, quire_error *err)
{
    out->kind = ADDRESS_BLOB;
    if (!*rest)
        return err_set(err, QUIRE_INVALID,
                       "blob: needs a digest, as in blob:sha256:<64 hex>");
    out->id = arena_text(keep, bytes_str(rest));
    return out->id ? QUIRE_OK : err_memory(err);
}

/* ---- all schemes -------------------------------------------------------- */

/* strncasecmp() depends on the locale, where I need not be a capital i. */
static bool has_scheme(const char *text, const char *scheme)
{
    for (; *scheme; text++, scheme++) {
        char c = *text;

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != *scheme)
            return false;
    }
    return true;
}

static quire_status fail_address(const char *text, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_INVALID,
                               "give artifact://<number>, agent://<id>, "
                               "agent://<id>/<path>, agent://<id>?q=<query> or "
                               "blob:sha256:<hex>",
                               "%s is not an address",
                               *text ? quote_text(bytes_str(text)).text
                                     : "an empty text");
    return st;
}

quire_status address_parse(const char *text, struct arena *keep,
                           struct address *out, quire_error *err)
{
    static const struct {
        const char *scheme;
        quire_status (*read)(const char *rest, struct arena *keep,
                             struct address *out, quire_error *err);
    } forms[] = {
        {"artifact://", read_artifact},
        {"agent://", read_agent},
        {"blob:", read_blob},
    };
    size_t i;

    *out = (struct address){0};
    if (strnlen(text, ADDRESS_MAX + 1) > ADDRESS_MAX)
        return err_set(err, QUIRE_INVALID,
                       "the address is longer than %zu bytes: %s", ADDRESS_MAX,
                       quote_text(bytes_of(text, ADDRESS_MAX)).text);
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (has_scheme(text, forms[i].scheme))
            return forms[i].read(text + strlen(forms[i].scheme), keep, out,
                                 err);
    }
    return fail_address(text, err);
}

const char *address_spell(enum address_kind kind, const char *id,
                          struct arena *keep)
{
    struct buf text = BUF_INIT(ADDRESS_MAX);
    const char *out = NULL;

    buf_add_str(&text, kind == ADDRESS_AGENT ? "agent://" : "artifact://");
    for (; *id; id++) {
        unsigned char c = (unsigned char)*id;

        if (c <= ' ' || c == 0x7f || strchr("%/?#", c))
            buf_addf(&text, "%%%02X", c);
        else
            buf_add_char(&text, *id);
    }
    if (!text.failed)
        out = arena_text(keep, buf_bytes(&text));
    buf_release(&text);
    return out;
}
