#include "output/address.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "output/query.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *kind_name(enum address_kind kind)
{
    static const char *const names[] = {"artifact", "agent", "blob"};

    return names[kind];
}

/* NULL is a word of its own, so that it can be compared. */
static const char *or_none(const char *text)
{
    return text ? text : "(none)";
}

static void is_just(const char *text, const char *kind, const char *id)
{
    struct arena a = ARENA_INIT;
    struct address got;

    OK(address_parse(text, &a, &got, &test_err));
    SAME_TEXT(kind, kind_name(got.kind));
    SAME_TEXT(id, got.id);
    SAME_TEXT("(none)", or_none(got.nested));
    SAME_TEXT("(none)", or_none(got.query));
    NO(got.by_path);
    arena_release(&a);
}

static void path_means(const char *text, const char *query, const char *nested)
{
    struct arena a = ARENA_INIT;
    struct address got;

    OK(address_parse(text, &a, &got, &test_err));
    SAME_TEXT("agent", kind_name(got.kind));
    YES(got.by_path);
    SAME_TEXT(query, or_none(got.query));
    SAME_TEXT(nested, or_none(got.nested));
    OK(query_check(got.query, &test_err));
    arena_release(&a);
}

static void asks(const char *text, const char *query)
{
    struct arena a = ARENA_INIT;
    struct address got;

    OK(address_parse(text, &a, &got, &test_err));
    SAME_TEXT("agent", kind_name(got.kind));
    SAME_TEXT("A", got.id);
    SAME_TEXT(query, or_none(got.query));
    SAME_TEXT("(none)", or_none(got.nested));
    NO(got.by_path);
    arena_release(&a);
}

static void refused(const char *text, const char *words)
{
    struct arena a = ARENA_INIT;
    struct address got;
    quire_error err = {0};

    IS(QUIRE_INVALID, address_parse(text, &a, &got, &err));
    HAS(err.what, words);
    IS(QUIRE_INVALID, address_parse(text, &a, &got, NULL));
    arena_release(&a);
}

static char *filled(const char *before, char c, size_t n, const char *behind)
{
    size_t len = strlen(before);
    char *text = test_alloc(len + n + strlen(behind) + 1);

    strcpy(text, before);
    memset(text + len, c, n);
    strcpy(text + len + n, behind);
    return text;
}

/* ---- artifact:// --------------------------------------------------------- */

TEST(address_of_an_artifact_is_its_number)
{
    is_just("artifact://0", "artifact", "0");
    is_just("artifact://12", "artifact", "12");
    is_just("artifact://999999999999999999", "artifact", "999999999999999999");
}

TEST(address_of_an_artifact_keeps_its_digits_as_they_are_spelled)
{
    is_just("artifact://00", "artifact", "00");
    is_just("artifact://007", "artifact", "007");
}

TEST(address_of_an_artifact_may_have_anything_behind_it)
{
    is_just("artifact://3/", "artifact", "3");
    is_just("artifact://3/a/../../etc/passwd", "artifact", "3");
    is_just("artifact://3?q=[", "artifact", "3");
    is_just("artifact://3#L10", "artifact", "3");
    is_just("artifact://3/%zz%00", "artifact", "3");
}

TEST(address_decodes_the_host)
{
    is_just("artifact://%31%32", "artifact", "12");
    is_just("agent://0%2DScout", "agent", "0-Scout");
    is_just("agent://caf%C3%a9", "agent", "caf\xc3\xa9");
    is_just("agent://100%25", "agent", "100%");
    is_just("agent://a%2525", "agent", "a%25");
    is_just("agent://a+b", "agent", "a+b");
    is_just("agent://a%3fb%23c", "agent", "a?b#c");
}

TEST(address_needs_a_number_for_an_artifact)
{
    refused("artifact://", "artifact:// needs a number, as in artifact://0");
    refused("artifact:///3", "artifact:// needs a number");
    refused("artifact://?q=3", "artifact:// needs a number");
    refused("artifact://x", "artifact://x: the id must be a number");
    refused("artifact://-1", "the id must be a number");
    refused("artifact://+1", "the id must be a number");
    refused("artifact://1.5", "the id must be a number");
    refused("artifact://0x10", "the id must be a number");
    refused("artifact:// 1", "the id must be a number");
    refused("artifact://1\n", "the id must be a number");
    refused("artifact://1:80", "the id must be a number");
    refused("artifact://\xd9\xa3", "the id must be a number");
    refused("artifact://%D9%A3", "the id must be a number");
    refused("artifact://\xef\xbc\x91", "the id must be a number");
    refused("artifact://1234567890123456789", "a number of up to 18 digits");
}

TEST(address_of_an_artifact_leads_nowhere_else)
{
    refused("artifact://../../etc/passwd", "artifact://..: the id must be");
    refused("artifact://%2e%2e%2f", "artifact://../: the id must be");
    refused("artifact://1%2f..%2f2", "artifact://1/../2: the id must be");
    refused("artifact://1%00", "the id must be a number");
    refused("artifact://%00", "the id must be a number");
    refused("artifact://..\\1", "the id must be a number");
}

TEST(address_hints_at_what_an_artifact_is_called)
{
    struct arena a = ARENA_INIT;
    struct address got;
    quire_error err = {0};

    IS(QUIRE_INVALID, address_parse("artifact://0-Scout", &a, &got, &err));
    HAS(err.next, "agent://<id>");
    arena_release(&a);
}

/* ---- agent:// ------------------------------------------------------------ */

TEST(address_of_an_agent_is_its_id_in_its_own_case)
{
    is_just("agent://0-Scout", "agent", "0-Scout");
    is_just("agent://0-Scout.1-Reader", "agent", "0-Scout.1-Reader");
    is_just("agent://x y", "agent", "x y");
    is_just("agent://a\\b", "agent", "a\\b");
    is_just("agent://a..b", "agent", "a..b");
    is_just("agent://\xf0\x9f\x98\x80", "agent", "\xf0\x9f\x98\x80");
}

TEST(address_takes_colon_and_at_for_characters_of_an_id)
{
    is_just("agent://a:b", "agent", "a:b");
    is_just("agent://a@b:80", "agent", "a@b:80");
    is_just("agent://:", "agent", ":");
    path_means("agent://me@a:1/x", ".x", "me@a:1.x");
}

TEST(address_needs_an_id_for_an_agent)
{
    refused("agent://", "agent:// needs an id, as in agent://0-Name");
    refused("agent:///a", "agent:// needs an id");
    refused("agent://?q=.a", "agent:// needs an id");
    refused("agent://#x", "agent:// needs an id");
}

TEST(address_refuses_an_id_that_could_leave_its_directory)
{
    static const char *const bad[] = {
        "agent://.",
        "agent://..",
        "agent://../x",
        "agent://.hidden",
        "agent://%2e",
        "agent://%2e%2e",
        "agent://%2e%2e%2f",
        "agent://%2e%2e%2fx",
        "agent://a%2fb",
        "agent://a%2Fb",
        "agent://%2fetc",
        "agent://a%2f..%2f..%2fb",
        "agent://%00",
        "agent://a%00",
        "agent://a%00.md",
        "agent://a%0a",
        "agent://a\nb",
        "agent://a%1b[2J",
        "agent://a%7f",
        "agent://a\x7f",
        "agent://\xff",
        "agent://%ff",
        "agent://a\xc3",
        "agent://%c0%af",
        "agent://%c0%ae%c0%ae",
        "agent://%ed%a0%80",
    };
    size_t i;

    for (i = 0; i < COUNT(bad); i++)
        refused(bad[i], "invalid id");
}

TEST(address_refuses_an_id_too_long_for_a_file_name)
{
    struct arena a = ARENA_INIT;
    struct address got;

    OK(address_parse(filled("agent://", 'x', 240, ""), &a, &got, &test_err));
    EQ(240, strlen(got.id));
    refused(filled("agent://", 'x', 241, ""), "xxx...: invalid id");
    arena_release(&a);
}

TEST(address_refuses_a_percent_sign_that_begins_no_escape)
{
    refused("artifact://%zz", "artifact://%zz: a % without two hex digits");
    refused("artifact://1%", "a % without two hex digits");
    refused("artifact://1%4", "a % without two hex digits");
    refused("agent://%4", "agent://%4: a % without two hex digits");
    refused("agent://a%/b", "a % without two hex digits");
    refused("agent://100%", "a % without two hex digits");
    refused("agent://a%4g", "a % without two hex digits");
}

TEST(address_knows_which_ids_are_safe)
{
    static const char *const no[] = {"",   ".",     "..",      ".a", "a/b",
                                     "/a", "a\x1f", "\x7f",    "\n", "\xc3",
                                     "a/", "\xff",  "\xc0\xaf"};
    static const char *const yes[] = {"a",   "0",   "a.b",      "a..",
                                      "a b", "\\",  "\xc3\xa9", "~",
                                      "-rf", "*?[", "%2f",      "a:b"};
    size_t i;

    for (i = 0; i < COUNT(no); i++)
        NO(address_id_is_safe(bytes_str(no[i])));
    for (i = 0; i < COUNT(yes); i++)
        YES(address_id_is_safe(bytes_str(yes[i])));
    NO(address_id_is_safe(bytes_of("a\0b", 3)));
    NO(address_id_is_safe(bytes_of(NULL, 0)));
}

/* ---- agent://, a path ---------------------------------------------------- */

TEST(address_spells_a_path_as_a_query)
{
    path_means("agent://A/items", ".items", "A.items");
    path_means("agent://A/items/0/title", ".items[0].title", "A.items.0.title");
    path_means("agent://A/0", "[0]", "A.0");
    path_means("agent://A/00", "[00]", "A.00");
    path_means("agent://A/x-y_9", ".x-y_9", "A.x-y_9");
    path_means("agent://A/-1", ".-1", "A.-1");
    path_means("agent://A/a key", "['a key']", "A.a key");
    path_means("agent://A/a%20key", "['a key']", "A.a key");
    path_means("agent://A/a+b", "['a+b']", "A.a+b");
    path_means("agent://A/caf%c3%a9", "['caf\xc3\xa9']", "A.caf\xc3\xa9");
    path_means("agent://A/$", "['$']", "A.$");
}

TEST(address_drops_empty_segments_of_a_path)
{
    path_means("agent://A//items///0/", ".items[0]", "A.items.0");
    path_means("agent://A/items/", ".items", "A.items");
    is_just("agent://A/", "agent", "A");
    is_just("agent://A///", "agent", "A");
}

TEST(address_escapes_quotes_and_backslashes_of_a_segment)
{
    path_means("agent://A/it's", "['it\\'s']", "A.it's");
    path_means("agent://A/a\\b", "['a\\\\b']", "A.a\\b");
    path_means("agent://A/say%20%22x%22", "['say \"x\"']", "A.say \"x\"");
    path_means("agent://A/%5c'", "['\\\\\\'']", "A.\\'");
}

TEST(address_keeps_a_segment_that_cannot_be_decoded_as_it_is_spelled)
{
    path_means("agent://A/%zz", "['%zz']", "A.%zz");
    path_means("agent://A/a%20b%4", "['a%20b%4']", "A.a%20b%4");
    path_means("agent://A/100%", "['100%']", "A.100%");
    path_means("agent://A/%ff", "['%ff']", "A.%ff");
    path_means("agent://A/\xff", "['\xff']", "(none)");
}

TEST(address_names_no_nested_report_that_could_be_another)
{
    path_means("agent://A/b.c", "['b.c']", "(none)");
    path_means("agent://A/b/c.d", ".b['c.d']", "(none)");
    path_means("agent://A/b%2ec/d", "['b.c'].d", "(none)");
    path_means("agent://A.b/c", ".c", "A.b.c");
}

TEST(address_names_no_nested_report_outside_its_directory)
{
    path_means("agent://A/..", "['..']", "(none)");
    path_means("agent://A/../../x", "['..']['..'].x", "(none)");
    path_means("agent://A/%2e%2e%2fx", "['../x']", "(none)");
    path_means("agent://A/b%2fc", "['b/c']", "(none)");
    path_means("agent://A/b%0ac", "['b\nc']", "(none)");
    path_means("agent://A/%7f", "['\x7f']", "(none)");
    path_means(filled("agent://A/", 'x', 300, ""), filled(".", 'x', 300, ""),
               "(none)");
    path_means(filled("agent://A/", 'x', 238, ""), filled(".", 'x', 238, ""),
               filled("A.", 'x', 238, ""));
}

TEST(address_refuses_a_path_that_no_query_can_spell)
{
    refused("agent://A/a]b", "a]b in the path has a ]");
    refused("agent://A/x/%5d", "] in the path has a ]");
    refused("agent://A/a%00", "a%00 in the path has a NUL");
    refused("agent://A/%00/b", "has a NUL");
    refused(filled("agent://A", '/', 4000, "a/%00"), "has a NUL");
}

TEST(address_refuses_a_path_deeper_than_json)
{
    char *text = test_alloc(2048), *query = test_alloc(2048);
    int i;

    strcpy(text, "agent://A");
    strcpy(query, "");
    for (i = 0; i < 512; i++) {
        strcat(text, "/a");
        strcat(query, ".a");
    }
    path_means(text, query, "(none)");
    refused(strcat(text, "/a"), "more than 512 steps");
}

TEST(address_ignores_a_fragment)
{
    is_just("agent://A#b", "agent", "A");
    is_just("agent://A#/b?q=.c", "agent", "A");
    path_means("agent://A/b#c/d", ".b", "A.b");
    asks("agent://A?q=.a#b", ".a");
}

/* ---- agent://, a query --------------------------------------------------- */

TEST(address_takes_the_query_from_q)
{
    asks("agent://A?q=.items[0]", ".items[0]");
    asks("agent://A/?q=.items", ".items");
    asks("agent://A?x=1&q=.a&y=2", ".a");
    asks("agent://A?&&q=.a", ".a");
    asks("agent://A?q=['a?b']", "['a?b']");
    asks("agent://A?q=['a/b']", "['a/b']");
    asks("agent://A?q=['a=b']", "['a=b']");
}

TEST(address_decodes_a_query_as_forms_are)
{
    asks("agent://A?q=['a+key']", "['a key']");
    asks("agent://A?q=%5B%27a%2Bkey%27%5d", "['a+key']");
    asks("agent://A?q=['a%26b%23']", "['a&b#']");
    asks("agent://A?%71=.a", ".a");
    asks("agent://A?q=['%zz%4']", "['%zz%4']");
    asks("agent://A?q=['%']", "['%']");
    asks("agent://A?q=+", " ");
}

TEST(address_takes_the_first_q_and_no_other_name)
{
    asks("agent://A?q=.a&q=.b", ".a");
    asks("agent://A?q=&q=.b", "(none)");
    asks("agent://A?q&q=.b", "(none)");
    asks("agent://A?Q=.a", "(none)");
    asks("agent://A?qq=.a&+q=.b", "(none)");
    asks("agent://A?.a", "(none)");
    asks("agent://A?", "(none)");
    asks("agent://A?=.a", "(none)");
}

TEST(address_reads_a_query_before_anything_is_opened)
{
    refused("agent://A?q=.a[", "cannot read the query .a[: missing ]");
    refused("agent://A?q=*", "unexpected '*' at byte 1");
    refused("agent://A?q=.a%1b[2J", "cannot read the query .a?[2J: ");
    refused("agent://A?q=.a%00", "?q= has a NUL");
    refused("agent://A?q=%00", "?q= has a NUL");
}

TEST(address_has_a_path_or_a_query_and_not_both)
{
    refused("agent://A/b?q=.c", "agent:// cannot combine a path with ?q=");
    refused("agent://A//b/?x=1&q=.c", "agent:// cannot combine a path");
    path_means("agent://A/b?q=", ".b", "A.b");
    path_means("agent://A/b?x=.c", ".b", "A.b");
}

/* ---- the rest ------------------------------------------------------------ */

TEST(address_of_a_blob_is_handed_on_as_it_is)
{
    is_just("blob:sha256:00ff", "blob", "sha256:00ff");
    is_just("blob:ABC", "blob", "ABC");
    is_just("BLOB:sha256:x%20?q=#", "blob", "sha256:x%20?q=#");
    refused("blob:", "blob: needs a digest");
}

TEST(address_knows_its_schemes_in_either_case)
{
    is_just("ARTIFACT://3", "artifact", "3");
    is_just("Agent://X", "agent", "X");
    is_just("aGENT://x", "agent", "x");
}

TEST(address_is_nothing_else)
{
    static const char *const bad[] = {
        "x",
        "3",
        "artifact",
        "artifact:",
        "artifact:3",
        "artifact:/3",
        " artifact://3",
        "artifacts://3",
        "agent:A",
        "agent:/A",
        "agent",
        "file:///etc/passwd",
        "/etc/passwd",
        "http://a/b",
        "artifact\x1a//3",
        "blob",
        "blob/x",
        "agent\xef\xbc\x9a//A",
    };
    size_t i;

    for (i = 0; i < COUNT(bad); i++)
        refused(bad[i], "is not an address");
    refused("", "an empty text is not an address");
}

TEST(address_says_what_one_looks_like)
{
    struct arena a = ARENA_INIT;
    struct address got;
    quire_error err = {0};

    IS(QUIRE_INVALID, address_parse("output 3", &a, &got, &err));
    SAME_TEXT("output 3 is not an address", err.what);
    HAS(err.next, "artifact://<number>");
    HAS(err.next, "agent://<id>?q=<query>");
    HAS(err.next, "blob:sha256:<hex>");
    arena_release(&a);
}

TEST(address_quotes_nothing_that_a_terminal_would_obey)
{
    refused("\x1b]0;x\x07", "?]0;x? is not an address");
    refused("a\r\nb\x7f", "a??b? is not an address");
    refused("\xc2\x9b"
            "2J",
            "?2J is not an address");
    refused("caf\xc3\xa9\xff", "caf\xc3\xa9? is not an address");
    refused("artifact://%1b[2J", "artifact://?[2J: the id");
    refused("agent://%07", "agent://?: invalid id");
    refused("agent://A/%07]", "agent://: ?] in the path");
}

TEST(address_quotes_no_half_of_a_character)
{
    refused(filled("", 'x', 99, "\xc3\xa9zzz"), "xxx... is not an address");
    refused(filled("", 'x', 98, "\xc3\xa9zzz"),
            "xxx\xc3\xa9... is not an address");
    refused(filled("", 'x', 98, "\xc3\xa9"), "xxx\xc3\xa9 is not an address");
}

TEST(address_has_up_to_8192_bytes)
{
    is_just(filled("artifact://7/", 'x', 8192 - 13, ""), "artifact", "7");
    refused(filled("artifact://7/", 'x', 8192 - 12, ""),
            "longer than 8192 bytes");
    refused(filled("", 'x', 100000, ""), "longer than 8192 bytes");
}

/* A quote takes two bytes of a query; alone in its segment, six. */
TEST(address_of_any_length_has_a_query_that_fits)
{
    char *text = filled("agent://A/", '\'', 8182, "");
    struct arena a = ARENA_INIT;
    struct address got;
    size_t i;

    OK(address_parse(text, &a, &got, &test_err));
    EQ(2 * 8182 + 4, strlen(got.query));
    for (i = 11; i < 8192; i += 2)
        text[i] = '/';
    refused(text, "more than 512 steps");
    memset(text + 10 + 2 * 512, '/', 8182 - 2 * 512);
    OK(address_parse(text, &a, &got, &test_err));
    EQ(6 * 512, strlen(got.query));
    arena_release(&a);
}

TEST(address_says_so_when_there_is_no_memory)
{
    static const char *const texts[] = {
        "artifact://%33",
        "agent://A%42/it's/0/b",
        "agent://A?x=1&q=['b']",
        "blob:sha256:00",
    };
    size_t i;

    for (i = 0; i < COUNT(texts); i++) {
        bool hit = true;
        long n;

        for (n = 1; hit; n++) {
            struct arena a = ARENA_INIT;
            struct address got;
            quire_error err = {0};
            quire_status st;

            fault_arm(n, ENOMEM, n % 2);
            st = address_parse(texts[i], &a, &got, &err);
            hit = fault_disarm();
            EQ(hit ? QUIRE_NO_MEMORY : QUIRE_OK, st);
            if (hit)
                HAS(err.what, "memory");
            arena_release(&a);
        }
        YES(n > 2);
    }
}
