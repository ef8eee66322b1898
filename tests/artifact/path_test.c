#include "artifact/path.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "support/slow.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A literal with its NULs, without the last. */
#define LIT(text) bytes_of((text), sizeof(text) - 1)

/* It becomes `want`, which stays what it is. */
static void becomes(quire_bytes path, const char *want)
{
    char out[PATH_BYTES_MAX + 1], again[PATH_BYTES_MAX + 1];
    size_t len = 0, len_again = 0;

    SAME_TEXT("", path_reason(path_clean(path, out, &len)));
    SAME_TEXT(want, out);
    EQ(strlen(want), len);
    SAME_TEXT("", path_reason(path_clean(bytes_str(out), again, &len_again)));
    SAME_TEXT(want, again);
    EQ(len, len_again);
}

static void stays(const char *path)
{
    becomes(bytes_str(path), path);
}

static void refused(quire_bytes path, const char *reason)
{
    char out[PATH_BYTES_MAX + 1];

    SAME_TEXT(reason, path_reason(path_clean(path, out, NULL)));
}

/* `n` x's between two texts; until the test ends. */
static const char *filled(const char *before, size_t n, const char *behind)
{
    size_t len = strlen(before);
    char *text = test_alloc(len + n + strlen(behind) + 1);

    strcpy(text, before);
    memset(text + len, 'x', n);
    strcpy(text + len + n, behind);
    return text;
}

static void refused_text(const char *path, const char *reason)
{
    refused(bytes_str(path), reason);
}

/* ---- what is accepted ---------------------------------------------------- */

TEST(path_keeps_what_is_canonical)
{
    stays("a");
    stays("plan.md");
    stays("notes/2024/plan.md");
    stays("a b/c-d_e+f(1)[2]{3}.tar.gz");
    stays("caf\xc3\xa9/\xf0\x9f\x98\x80.txt");
}

TEST(path_drops_empty_parts)
{
    becomes(LIT("a//b"), "a/b");
    becomes(LIT("a////b///c"), "a/b/c");
    becomes(LIT("a/"), "a");
    becomes(LIT("a/b///"), "a/b");
}

TEST(path_takes_a_backslash_for_a_slash)
{
    becomes(LIT("a\\b"), "a/b");
    becomes(LIT("a\\\\b\\"), "a/b");
    becomes(LIT("a/\\/b\\/c"), "a/b/c");
}

TEST(path_accepts_what_one_might_not_expect)
{
    static const char *const fine[] = {
        " ",
        " a",
        "a ",
        "a / b",
        "a.",
        "a..",
        "a...b",
        "a/b..",
        "CON ",
        " CON",
        "COM0",
        "COM10",
        "LPT0",
        "LPT10",
        "COM",
        "LPT",
        "COMA",
        "CONIN$",
        "CONOUT$",
        "CLOCK$",
        "COM\xc2\xb9",
        "LPT\xc2\xb2.txt",
        "console.log",
        "nullable.c",
        "a.con",
        "a.nul.b",
        "~",
        "~root/a",
        "*?<>|\"",
        "$HOME",
        "-rf",
        "%2e%2e",
        "%2e%2e%2fetc",
        "%00",
        "a\xc2\x80z",               /* a C1 control                */
        "a\xe2\x80\xaetxt.exe",     /* text turned around          */
        "a\xe2\x80\x8b.txt",        /* a space of no width         */
        "\xef\xbb\xbf",             /* a byte order mark           */
        "\xef\xbc\x8e\xef\xbc\x8e", /* dots of full width          */
        "a\xef\xbc\x8f\x62",        /* a slash of full width       */
        "a\xef\xbc\x9a",            /* a colon of full width       */
    };
    size_t i;

    for (i = 0; i < COUNT(fine); i++)
        stays(fine[i]);
}

TEST(path_tells_spellings_apart_that_look_the_same)
{
    stays("A.txt");
    stays("a.txt");
    stays("\xc3\xa9");
    stays("e\xcc\x81");
}

/* ---- what is refused ----------------------------------------------------- */

TEST(path_is_not_empty)
{
    refused(bytes_of(NULL, 0), "empty");
    refused(LIT(""), "empty");
}

TEST(path_has_up_to_256_bytes)
{
    stays(filled(filled("", 127, "/"), 128, ""));
    refused_text(filled(filled("", 128, "/"), 128, ""), "path_too_long");
    refused_text(filled("", 257, ""), "path_too_long");
    refused_text(filled("", 100000, ""), "path_too_long");
}

TEST(path_counts_its_bytes_before_any_are_dropped)
{
    char text[257];

    memset(text, '/', sizeof text);
    text[0] = 'a';
    becomes(bytes_of(text, 256), "a");
    refused(bytes_of(text, 257), "path_too_long");
    memset(text, '\\', sizeof text);
    text[0] = text[255] = 'a';
    becomes(bytes_of(text, 256), "a/a");
    refused(bytes_of(text, 257), "path_too_long");
}

TEST(path_is_not_absolute)
{
    refused(LIT("/"), "absolute");
    refused(LIT("//"), "absolute");
    refused(LIT("/etc/passwd"), "absolute");
    refused(LIT("\\"), "absolute");
    refused(LIT("\\\\server\\share"), "absolute");
    refused(LIT("\\a"), "absolute");
}

TEST(path_has_parts_of_up_to_128_bytes)
{
    stays(filled("", 128, ""));
    stays(filled("a/", 128, "/b"));
    becomes(bytes_str(filled("", 128, "//")), filled("", 128, ""));
    refused_text(filled("", 129, ""), "component_too_long");
    refused_text(filled("a/", 129, "/b"), "component_too_long");
    refused_text(filled("a\\", 129, "\\b"), "component_too_long");
    /* bytes, not characters */
    stays(filled("\xc3\xa9", 126, ""));
    refused_text(filled("\xc3\xa9", 127, ""), "component_too_long");
}

TEST(path_stays_where_it_is)
{
    refused(LIT("."), "traversal");
    refused(LIT(".."), "traversal");
    refused(LIT("../a"), "traversal");
    refused(LIT("a/.."), "traversal");
    refused(LIT("a/../b"), "traversal");
    refused(LIT("a/./b"), "traversal");
    refused(LIT("./a"), "traversal");
    refused(LIT("a//../b"), "traversal");
    refused(LIT("..\\a"), "traversal");
    refused(LIT("a\\..\\..\\b"), "traversal");
    refused(LIT("a/..\\b"), "traversal");
}

TEST(path_has_no_part_that_begins_with_a_dot)
{
    refused(LIT(".git"), "hidden");
    refused(LIT("a/.env"), "hidden");
    refused(LIT("..."), "hidden");
    refused(LIT("..a"), "hidden");
    refused(LIT(".. "), "hidden");
    refused(LIT(". "), "hidden");
    refused(LIT(".git/config"), "hidden");
    refused(LIT("a\\.b"), "hidden");
}

TEST(path_has_no_control_characters)
{
    char text[] = "a?b";
    int c;

    for (c = 1; c < 0x20; c++) {
        text[1] = (char)c;
        refused(LIT(text), "control_char");
    }
    refused(LIT("a\x7f"), "control_char");
    refused(LIT("\n"), "control_char");
    refused(LIT("a/b\t"), "control_char");
    stays("a b"); /* 0x20 is none */
    stays("a~b"); /* nor is 0x7e */
}

TEST(path_has_no_nul)
{
    refused(LIT("\0"), "nul_byte");
    refused(LIT("a\0"), "nul_byte");
    refused(LIT("a\0b"), "nul_byte");
    refused(LIT("a/b\0/../c"), "nul_byte");
}

TEST(path_has_no_colon)
{
    refused(LIT(":"), "colon");
    refused(LIT("C:"), "colon");
    refused(LIT("C:\\a"), "colon");
    refused(LIT("a.txt:stream"), "colon");
    refused(LIT("a/b:c"), "colon");
    refused(LIT("http://a"), "colon");
}

TEST(path_has_no_name_of_a_device)
{
    static const char *const devices[] = {"CON",  "PRN",  "AUX",  "NUL",
                                          "COM1", "COM2", "COM3", "COM4",
                                          "COM5", "COM6", "COM7", "COM8",
                                          "COM9", "LPT1", "LPT2", "LPT3",
                                          "LPT4", "LPT5", "LPT6", "LPT7",
                                          "LPT8", "LPT9"};
    size_t i, k;

    for (i = 0; i < COUNT(devices); i++) {
        char text[64], mixed[8];

        strcpy(mixed, devices[i]);
        refused(bytes_str(mixed), "reserved_name");
        for (k = 0; k < 3; k += 2)
            mixed[k] = (char)(mixed[k] + ('a' - 'A'));
        refused(bytes_str(mixed), "reserved_name");
        snprintf(text, sizeof text, "%s.tar.gz", mixed);
        refused(bytes_str(text), "reserved_name");
        snprintf(text, sizeof text, "a/%s./b", mixed);
        refused(bytes_str(text), "reserved_name");
        snprintf(text, sizeof text, "a\\%s", mixed);
        refused(bytes_str(text), "reserved_name");
        snprintf(text, sizeof text, "%s .txt", mixed);
        stays(text);
        snprintf(text, sizeof text, "x%s", mixed);
        stays(text);
    }
}

TEST(path_is_utf8)
{
    refused(LIT("\xff"), "invalid_utf8");
    refused(LIT("a/\x80/b"), "invalid_utf8");
    refused(LIT("a\xc3"), "invalid_utf8");
    refused(LIT("\xc0\xae\xc0\xae/a"), "invalid_utf8");
    refused(LIT("\xed\xa0\x80"), "invalid_utf8");
    refused(LIT("\xc3/\xa9"), "invalid_utf8");
    refused(LIT("\xc3\\\xa9"), "invalid_utf8");
}

/* ---- which of several ---------------------------------------------------- */

TEST(path_of_several_faults_has_the_first_by_rule)
{
    refused_text(filled("/..:", 300, "\xff"), "path_too_long");
    refused_text(filled("/", 129, "/../.a"), "absolute");
    refused(LIT("/..:"), "absolute");
    refused_text(filled(".", 128, ""), "component_too_long");
    refused_text(filled(":\n", 128, "\xff"), "component_too_long");
    refused(LIT(".:\x01"), "hidden");
    refused(LIT(".con"), "hidden");
    refused(LIT(".\0"), "hidden");
    refused(LIT("con.:"), "colon");
    refused(LIT("NUL.\x01"), "control_char");
    refused(LIT("NUL.\0"), "nul_byte");
    refused(LIT("con.\xff"), "reserved_name");
    refused(LIT("\xff:"), "colon");
}

TEST(path_of_several_bad_bytes_has_the_fault_of_the_first)
{
    refused(LIT("a:\0\n"), "colon");
    refused(LIT("a\n\0:"), "control_char");
    refused(LIT("a\0\n:"), "nul_byte");
}

TEST(path_of_several_bad_parts_has_the_fault_of_the_first)
{
    refused_text(filled("../", 129, ""), "traversal");
    refused_text(filled("", 129, "/.."), "component_too_long");
    refused(LIT("con/.."), "reserved_name");
    refused(LIT("a:/.git/.."), "colon");
    refused(LIT(".git/../a:"), "hidden");
    refused(LIT("a\x01/b\0"), "control_char");
    /* but UTF-8 waits for all of them */
    refused(LIT("\xff/.."), "traversal");
    refused(LIT("\xff/con"), "reserved_name");
}

/* ---- words --------------------------------------------------------------- */

TEST(path_has_a_reason_and_words_for_every_fault)
{
    int i, k;

    SAME_TEXT("", path_reason(PATH_FINE));
    SAME_TEXT("", path_message(PATH_FINE));
    for (i = PATH_EMPTY; i <= PATH_NOT_UTF8; i++) {
        const char *reason = path_reason((enum path_fault)i);
        const char *words = path_message((enum path_fault)i);

        YES(*reason && *words);
        EQ(strlen(reason), strspn(reason, "abcdefghijklmnopqrstuvwxyz_8"));
        for (k = PATH_FINE; k < i; k++) {
            NO(!strcmp(reason, path_reason((enum path_fault)k)));
            NO(!strcmp(words, path_message((enum path_fault)k)));
        }
    }
    HAS(path_message(PATH_TOO_LONG), "256");
    HAS(path_message(PATH_COMPONENT_TOO_LONG), "128");
}

/* ---- against a second reading of the rules ------------------------------- */

static bool slow_device(const char *stem)
{
    static const char *const names[] = {"con", "prn", "aux", "nul"};
    size_t i;

    for (i = 0; i < COUNT(names); i++) {
        if (!strcasecmp(stem, names[i]))
            return true;
    }
    return strlen(stem) == 4 && strchr("123456789", stem[3]) &&
           (!strncasecmp(stem, "com", 3) || !strncasecmp(stem, "lpt", 3));
}

/* `part` has `n` bytes, and a NUL behind them. */
static const char *slow_part(const char *part, size_t n)
{
    char stem[300];
    size_t i;

    if (n > 128)
        return "component_too_long";
    if (n == strlen(part) && (!strcmp(part, ".") || !strcmp(part, "..")))
        return "traversal";
    if (part[0] == '.')
        return "hidden";
    for (i = 0; i < n; i++) {
        if (part[i] == 0)
            return "nul_byte";
        if (strchr("\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25"
                   "\26\27\30\31\32\33\34\35\36\37\177",
                   part[i]))
            return "control_char";
        if (part[i] == ':')
            return "colon";
    }
    strcpy(stem, part);
    stem[strcspn(stem, ".")] = '\0';
    return slow_device(stem) ? "reserved_name" : "";
}

/* Slash by slash over a copy; each part is cut out before it is looked at. */
static const char *slow_clean(quire_bytes path, char *out)
{
    char copy[258] = "", part[258];
    size_t i, n = 0;

    *out = '\0';
    if (path.len == 0)
        return "empty";
    if (path.len > 256)
        return "path_too_long";
    memcpy(copy, path.data, path.len);
    for (i = 0; i < path.len; i++)
        copy[i] = copy[i] == '\\' ? '/' : copy[i];
    if (copy[0] == '/')
        return "absolute";
    copy[path.len] = '/';
    for (i = 0; i <= path.len; i++) {
        if (copy[i] != '/') {
            part[n++] = copy[i];
            continue;
        }
        part[n] = '\0';
        if (n) {
            const char *reason = slow_part(part, n);

            if (*reason)
                return reason;
            sprintf(out + strlen(out), "%s%s", *out ? "/" : "", part);
        }
        n = 0;
    }
    return utf8_check(bytes_str(out)) ? "" : "invalid_utf8";
}

/* Made of what matters, so that every rule has its turn. */
static quire_bytes random_path(uint64_t *seed, char out[2048])
{
    static const char *const often[] = {
        "/",   "/",    "/",    "\\",   "//",  ".",  "..",       "/../",
        "a",   "x",    "7",    "b c",  "con", ".y", "\xc3\xa9", "\xe2\x82\xac",
        "NUL", "Com1", "lPt9", "com0", "-",   "zz", "long",     "long",
    };
    static const char rare[] = ":\n\x7f\xff\xc3\x80"; /* and its NUL */
    size_t n = 0, left = slow_random(seed, 9);

    while (left--) {
        const char *word = often[slow_random(seed, COUNT(often))];
        size_t len = strlen(word);

        if (slow_random(seed, 16) == 0) {
            out[n++] = rare[slow_random(seed, sizeof rare)];
        } else if (!strcmp(word, "long")) {
            len = 120 + slow_random(seed, 10);
            memset(out + n, 'y', len);
            n += len;
        } else {
            memcpy(out + n, word, len);
            n += len;
        }
    }
    return bytes_of(out, n);
}

TEST(path_agrees_with_a_second_reading_of_the_rules)
{
    int seen[PATH_NOT_UTF8 + 1] = {0};
    uint64_t seed = 7;
    int i;

    for (i = 0; i < 30000; i++) {
        char text[2048], want[300], out[PATH_BYTES_MAX + 1];
        quire_bytes path = random_path(&seed, text);
        const char *reason = slow_clean(path, want);
        enum path_fault fault = path_clean(path, out, NULL);

        seen[fault]++;
        SAME_TEXT(reason, path_reason(fault));
        if (!fault)
            becomes(path, want);
    }
    /* none was left out by chance */
    for (i = PATH_FINE; i <= PATH_NOT_UTF8; i++)
        YES(seen[i] >= 20);
}
