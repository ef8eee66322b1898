/*
 * bare.c - is it base64, or is it a word?
 *
 * JP writes what a tool answered as base64, a bare string, and reads a string
 * as base64 if it is spelled the one right way and gives UTF-8. People edit
 * these files. `File` is spelled right, and so are `HEAD` and `Expected`: such a
 * word would be decoded into control characters, for good, since a blob does
 * not record its encoding.
 *
 * The two mistakes are not alike. A word that is taken for base64 comes back
 * as it was when it is hydrated: the encoding has one spelling. Base64 that is
 * taken for a word comes back encoded twice. So a string is a word only where
 * the other reading makes no sense:
 *
 *     letters, of one case or camelCase, no more of them than a word has, that
 *     would decode to control characters (or, of one case, to anything but
 *     ASCII);
 *
 *     digits, which never decode to ASCII;
 *
 *     or one of the words below, whose decoding can be printed but was never
 *     printed by a tool: `List` is ".+-".
 *
 * All else is what JP takes it for. The alphabet for addresses, with - and _,
 * is not read by JP, which shows such an answer as it is spelled; so do we.
 */
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "jp/jp.h"

/* Longest word that a person types; tools return longer runs of anything. */
#define WORD_MAX 32

/* Common words whose decoding is printable ASCII, as they are typed. */
static const char known[] =
    " aide aids algo ally also alto amps anon ansi ante anti ants bill bios "
    "bite bits blog blot blow byte cite city clog clot dict didn digs dish "
    "disk dist ends file fill film fips fish fist fits flow "
    "Cite City Impl Inch Incl Inst Intl Into Ints Kick Kill Kiss Know Lily "
    "List Mile Milk Mill Miss Nick Only Onto Pick Pill Pipe Plot Rich Ride "
    "Ripe Risk Side Sigh Sign Silk Site Slot Slow Tidy Tilt Type Typo Undo "
    "Wide Wiki Wild Will Wish With Zips Installs Kilobyte UserList "
    "CUBE CURE CURL CURR JUNE JUNK KERN LEAK LEFT MEAN MENU MERE OURS OWNS "
    "PCRE PEEK PERF PERL PERM PURE REFS RUBY RUNS SCAN SEEK SEEN SEND SENT "
    "SUBS SURE TERM THAN THEN TUNE TURN VENV VERB VERY WEAK WEBP WEEK WENT "
    "WERE WHEN ZERO blowfish ";

enum shape { SHAPE_NONE, SHAPE_DIGITS, SHAPE_WORD, SHAPE_CAMEL };

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/* `File`, `file`, `FILE`; `readFile` and `HashMaps` are camels, of eight
 * letters or more: shorter ones look like any base64. */
static enum shape shape_of(quire_bytes text)
{
    const char *s = text.data;
    size_t n_upper = 0, n_lower = 0, n_digits = 0, n_humps = 0, i;

    for (i = 0; i < text.len; i++) {
        n_upper += is_upper(s[i]);
        n_lower += is_lower(s[i]);
        n_digits += s[i] >= '0' && s[i] <= '9';
        n_humps += is_upper(s[i]) && i + 1 < text.len && is_lower(s[i + 1]);
    }
    if (n_digits == text.len)
        return SHAPE_DIGITS;
    if (n_upper + n_lower != text.len)
        return SHAPE_NONE;
    if (n_upper == 0 || n_lower == 0 || (n_upper == 1 && is_upper(s[0])))
        return SHAPE_WORD;
    return n_humps == n_upper && text.len >= 8 ? SHAPE_CAMEL : SHAPE_NONE;
}

static bool is_known(quire_bytes text)
{
    const char *at = known;
    size_t len;

    for (; *at; at += len) {
        at += *at == ' ';
        len = strcspn(at, " ");
        if (bytes_equal(bytes_of(at, len), text))
            return true;
    }
    return false;
}

/* What no tool answers in a few bytes. */
static bool has_control(quire_bytes raw)
{
    const unsigned char *s = raw.data;
    size_t i;

    for (i = 0; i < raw.len; i++) {
        if ((s[i] < 0x20 && !strchr("\t\n\r", s[i])) || s[i] == 0x7f ||
            s[i] == 0)
            return true;
    }
    return false;
}

static bool is_ascii(quire_bytes raw)
{
    const unsigned char *s = raw.data;
    size_t i;

    for (i = 0; i < raw.len && s[i] < 0x80; i++)
        ;
    return i == raw.len;
}

static bool is_word(quire_bytes text, quire_bytes raw)
{
    if (text.len == 0 || text.len > WORD_MAX)
        return false;
    switch (shape_of(text)) {
    case SHAPE_DIGITS: return true;
    case SHAPE_WORD:
        return has_control(raw) || !is_ascii(raw) || is_known(text);
    case SHAPE_CAMEL: return has_control(raw) || is_known(text);
    case SHAPE_NONE: break;
    }
    return false;
}

bool bare_is_base64(quire_bytes text, struct buf *raw)
{
    size_t had = raw->len;
    quire_bytes decoded;

    if (!base64_decode(text, raw))
        return false;
    decoded = bytes_sub(buf_bytes(raw), had, raw->len);
    if (utf8_check(decoded) && !is_word(text, decoded))
        return true;
    raw->len = had;
    return false;
}
