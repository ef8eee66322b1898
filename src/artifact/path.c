/*
 * path.c - canonical form of an artifact path
 *
 *     notes\\2024//plan.md/     ->     notes/2024/plan.md
 *
 * Only separators are changed. Any other fault is refused, not corrected:
 * "../plan.md" does not mean "plan.md", and two spellings that fall together
 * would be two files that overwrite each other. For the same reason there is no
 * case folding and no Unicode normalisation: A.txt and a.txt are two artifacts.
 *
 * Programs compare the reason, so with several faults the order matters: the
 * whole path, then its parts from left to right, and of a part
 *
 *     (1) its length
 *     (2) "." and ".."
 *     (3) a dot at its beginning
 *     (4) its bytes from left to right: NUL, other controls, ':'
 *     (5) the name of a device
 *
 * UTF-8 is last: other artifact stores do not have this rule; where they have a
 * reason, it is the one reported.
 *
 * The result obeys these rules itself, so cleaning it again changes nothing.
 */
#include "artifact/path.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/ascii.h"
#include "base/bytes.h"
#include "base/utf8.h"

static const struct {
    const char *reason;
    const char *words;
} faults[] = {
    [PATH_FINE] = {"", ""},
    [PATH_EMPTY] = {"empty", "it is empty"},
    [PATH_TOO_LONG] = {"path_too_long", "it is longer than 256 bytes"},
    [PATH_ABSOLUTE] = {"absolute", "it begins with a slash"},
    [PATH_COMPONENT_TOO_LONG] = {"component_too_long",
                                 "a part of it is longer than 128 bytes"},
    [PATH_TRAVERSAL] = {"traversal", "a part of it is . or .."},
    [PATH_HIDDEN] = {"hidden", "a part of it begins with a dot"},
    [PATH_NUL] = {"nul_byte", "it has a NUL byte in it"},
    [PATH_CONTROL] = {"control_char", "it has a control character in it"},
    [PATH_COLON] = {"colon", "it has a colon in it"},
    [PATH_RESERVED] = {"reserved_name",
                       "a part of it is the name of a device on Windows"},
    [PATH_NOT_UTF8] = {"invalid_utf8", "it is not valid UTF-8"},
};

const char *path_reason(enum path_fault fault)
{
    return faults[fault].reason;
}

const char *path_message(enum path_fault fault)
{
    return faults[fault].words;
}

/* A backslash is a separator too: on a system where it separates, "..\secret"
 * would lead where "../secret" may not. */
static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static enum path_fault check_chars(quire_bytes part)
{
    const char *text = part.data;
    size_t i;

    for (i = 0; i < part.len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '\0')
            return PATH_NUL;
        if (c < 0x20 || c == 0x7f)
            return PATH_CONTROL;
        if (c == ':')
            return PATH_COLON;
    }
    return PATH_FINE;
}

/* Windows opens a device for these names, in every directory and with any
 * suffix: NUL.tar.gz is the same as NUL. So the part before the first dot
 * counts. */
static bool is_device(quire_bytes part)
{
    const char *text = part.data;
    const char *dot = memchr(text, '.', part.len);
    quire_bytes stem = dot ? bytes_of(text, (size_t)(dot - text)) : part;

    if (stem.len == 3)
        return ascii_is(stem, "con") || ascii_is(stem, "prn") ||
               ascii_is(stem, "aux") || ascii_is(stem, "nul");
    return stem.len == 4 && text[3] >= '1' && text[3] <= '9' &&
           (ascii_starts(stem, "com") || ascii_starts(stem, "lpt"));
}

/* `part` is not empty. */
static enum path_fault check_part(quire_bytes part)
{
    enum path_fault fault;

    if (part.len > PATH_COMPONENT_MAX)
        return PATH_COMPONENT_TOO_LONG;
    if (bytes_is(part, ".") || bytes_is(part, ".."))
        return PATH_TRAVERSAL;
    if (*(const char *)part.data == '.')
        return PATH_HIDDEN;
    fault = check_chars(part);
    if (fault)
        return fault;
    return is_device(part) ? PATH_RESERVED : PATH_FINE;
}

enum path_fault path_clean(quire_bytes path, char out[PATH_BYTES_MAX + 1],
                           size_t *len)
{
    const char *text = path.data;
    enum path_fault fault;
    size_t from, to, n = 0;

    if (path.len == 0)
        return PATH_EMPTY;
    if (path.len > PATH_BYTES_MAX)
        return PATH_TOO_LONG;
    if (is_separator(text[0]))
        return PATH_ABSOLUTE;

    for (from = 0; from < path.len; from = to + 1) {
        for (to = from; to < path.len && !is_separator(text[to]);)
            to++;
        if (to == from)
            continue;
        fault = check_part(bytes_sub(path, from, to));
        if (fault)
            return fault;
        if (n)
            out[n++] = '/';
        memcpy(out + n, text + from, to - from);
        n += to - from;
    }
    if (!utf8_check(path))
        return PATH_NOT_UTF8;

    /* There was a first byte, and it was not a separator. A part never moves to
     * the right, so what fitted before fits now. */
    assert(n > 0 && n <= path.len);
    out[n] = '\0';
    if (len)
        *len = n;
    return PATH_FINE;
}

quire_status path_check(quire_bytes path, char out[PATH_BYTES_MAX + 1],
                        const char **reason, quire_error *err)
{
    enum path_fault fault = path_clean(path, out, NULL);

    if (reason)
        *reason = path_reason(fault);
    if (fault == PATH_FINE)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "a path looks like notes/today.md",
                    "invalid path: %s (%s)", path_message(fault),
                    path_reason(fault));
}
