/* What reading makes of files that anybody wrote: every row of damage. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/session.h"

#define LINE(id, parent)                                                 \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent       \
    ",\"timestamp\":\"2026-02-16T10:21:00.000Z\",\"message\":{\"role\":" \
    "\"user\",\"content\":\"" id "\"}}"
#define A LINE("a", "null")
#define B LINE("b", "\"a\"")
#define C LINE("c", "\"b\"")

struct row {
    const char *what, *text;
    size_t len; /* 0: a string */
    const char *path, *problems;
};

/* clang-format off */
static const struct row rows[] = {
    {"whole", HEADER A "\n" B "\n" C "\n", 0, "a b c", ""},
    {"garbage in the middle", HEADER A "\nrubbish\n" B "\n", 0, "a b",
     "garbage@3 "},
    {"a line cut in a string", HEADER A "\n{\"type\":\"message\",\"id\":\"b\",\"pare\n" C "\n",
     0, "c", "torn@3 missing_parent@4 "},
    {"a line cut between tokens", HEADER A "\n{\"type\":\"message\",\"id\":\"b\",\n" C "\n",
     0, "c", "torn@3 missing_parent@4 "},
    {"the last line cut", HEADER A "\n" B "\n{\"type\":\"message\",\"id\":\"c", 0,
     "a b", "torn@4 "},
    {"the last line cut in a character", HEADER A "\n{\"type\":\"x\",\"id\":\"\xc3", 0,
     "a", "torn@3 "},
    {"no break at the end", HEADER A "\n" B, 0, "a b", "no_newline@3 "},
    {"two on a line", HEADER A B "\n" C "\n", 0, "c",
     "trailing@2 missing_parent@3 "},
    {"junk behind an object", HEADER A " junk\n" B "\n", 0, "a b",
     "trailing@2 "},
    {"over several lines", HEADER "{\"type\":\"message\",\n\"id\":\"a\",\n\n\"parentId\":null}\n" B "\n",
     0, "a b", ""},
    {"CRLF", HEADER A "\r\n" B "\r\n", 0, "a b", ""},
    {"blank lines", "\n \n" HEADER "\n\t\n" A "\n\n\n" B "\n\n", 0, "a b", ""},
    {"CR alone", HEADER A "\r" B "\n", 0, "a", "trailing@2 "},
    {"a byte order mark", "\xef\xbb\xbf" HEADER A "\n", 0, "a", ""},
    {"a control character in a string", HEADER A "\n{\"type\":\"x\",\"id\":\"b\x01\",\"parentId\":\"a\"}\n",
     0, "a", "garbage@3 "},
    {"a trailing comma", HEADER A "\n{\"type\":\"x\",\"id\":\"b\",\"parentId\":\"a\",\"n\":[1,]}\n",
     0, "a", "garbage@3 "},
    {"NaN", HEADER A "\n{\"type\":\"x\",\"id\":\"b\",\"parentId\":\"a\",\"n\":NaN}\n",
     0, "a", "garbage@3 "},
    {"single quotes", HEADER A "\n{'type':'x'}\n", 0, "a", "garbage@3 "},
    {"bad UTF-8", HEADER "{\"type\":\"x\",\"id\":\"a\",\"parentId\":null,\"t\":\"\xff\"}\n" B "\n",
     0, "a b", "utf8@2 "},
    {"half a pair", HEADER "{\"type\":\"x\",\"id\":\"a\",\"parentId\":null,\"t\":\"\\ud800\"}\n" B "\n",
     0, "a b", ""},
    {"a repeated key", HEADER "{\"type\":\"x\",\"id\":\"z\",\"parentId\":null,\"timestamp\":\"t\",\"id\":\"a\"}\n" B "\n",
     0, "a b", ""},
    {"null as a line", HEADER A "\nnull\n" B "\n", 0, "a b", "not_object@3 "},
    {"scalars and arrays", HEADER "42\n\"x\"\n" A "\n[1]\n" B "\n", 0, "a b",
     "not_object@2 not_object@3 not_object@5 "},
    {"a second header", HEADER A "\n" HEADER B "\n", 0, "a b",
     "second_header@3 "},
    {"a newer version", "{\"type\":\"session\",\"version\":9,\"id\":\"s1\"}\n" A "\n",
     0, "a", ""},
    {"the same id twice", HEADER A "\n" B "\n" LINE("a", "\"b\"") "\n" C "\n", 0,
     "a b c", "cycle@3 cycle@4 duplicate_id@4 "},
    {"a missing parent", HEADER A "\n" LINE("c", "\"gone\"") "\n", 0, "c",
     "missing_parent@3 "},
    {"its own parent", HEADER A "\n" LINE("b", "\"b\"") "\n", 0, "b",
     "cycle@3 "},
    {"a parent that comes later", HEADER B "\n" A "\n" LINE("c", "\"b\"") "\n", 0,
     "a b c", ""},
    {"no id", HEADER A "\n{\"type\":\"x\",\"parentId\":\"a\"}\n", 0, "a",
     "no_id@3 "},
    {"zeroes at the end", HEADER A "\n\0\0\0\0", sizeof HEADER A "\n\0\0\0" - 0, "a",
     "nul@3 "},
    {"zeroes as a line", HEADER A "\n\0\0\n" B "\n", sizeof HEADER A "\n\0\0\n" B "\n" - 1,
     "a b", "nul@3 "},
    {"an empty parent", HEADER LINE("a", "\"\"") "\n", 0, "a", ""},
    {"spelled with escapes", HEADER "{\"\\u0074ype\":\"message\",\"\\u0069d\":\"\\u0061\",\"parentId\":null}\n" B "\n",
     0, "a b", ""},
};
/* clang-format on */

static void each_row(struct house *h)
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        size_t len = r->len ? r->len : strlen(r->text);
        char what[160];
        quire_session *s;
        const char *quick, *close;

        house_write_bytes(h, "f", bytes_of(r->text, len));
        s = house_open_session(h, "f", QUIRE_SESSION_READ);
        quick = context_of(s, NULL);
        quire_session_close(s);
        s = house_open_session(h, "f",
                               QUIRE_SESSION_READ | QUIRE_SESSION_VERIFY);
        close = context_of(s, NULL);
        SAME_TEXT(close, quick);
        snprintf(what, sizeof what, "%s: %s", r->what, r->path);
        {
            char got[512];

            snprintf(got, sizeof got, "%s: %s", r->what, path_of(s, NULL));
            SAME_TEXT(what, got);
            snprintf(what, sizeof what, "%s: %s", r->what, r->problems);
            snprintf(got, sizeof got, "%s: %s", r->what, problems_of(h, "f"));
            SAME_TEXT(what, got);
        }
        quire_session_close(s);
        SAME(bytes_of(r->text, len), house_read(h, "f"));
    }
}

TEST(reading_passes_over_damage_and_checking_tells_of_it)
{
    house_each(each_row);
}

/* Whatever the damage, the next append is whole and everything before it is
 * still there. */
static void append_to_each(struct house *h)
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        size_t len = r->len ? r->len : strlen(r->text);
        quire_session *s;
        const char *id;
        quire_bytes now;
        quire_entry e;

        house_write_bytes(h, "f", bytes_of(r->text, len));
        s = house_open_session(h, "f", 0);
        id = say(s, "user", "more");
        quire_session_close(s);
        now = house_read(h, "f");
        YES(now.len > len);
        SAME(bytes_of(r->text, len), bytes_sub(now, 0, len));
        YES(((const char *)now.data)[now.len - 1] == '\n');
        s = house_open_session(h, "f", QUIRE_SESSION_READ);
        OK(session_entry(s, id, &e, &test_err));
        SAME_TEXT(id, leaf_of(s));
        quire_session_close(s);
    }
}

TEST(an_append_to_a_damaged_file_is_never_fused_nor_lost)
{
    house_each(append_to_each);
}

static void refused(struct house *h)
{
    static const char *const bad[] = {
        "rubbish\n",
        "{\"type\":\"message\",\"id\":\"a\"}\n",
        "{\"type\":\"session\",\"version\":3}\n",
        "{\"type\":\"session\",\"version\":3,\"id\":7}\n",
        "null\n",
        "{\"type\":\"session\",\"version\":3,\"id\":\"s",
        "{\"type\":\"title\",\"v\":1,\"title\":\"x\",\"pad\":\"\"}\n",
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct session_place place = {.store = h->store, .name = "f"};
        quire_session *s;

        house_write(h, "f", bad[i]);
        IS(QUIRE_DAMAGED, session_open(&h->env, &place, NULL, 0,
                                       QUIRE_SYNC_FLUSH, &s, &test_err));
        HAS(test_err.what, "is not a session");
        SAME(bytes_str(bad[i]), house_read(h, "f"));
        HAS(problems_of(h, "f"), "header@1");
    }
}

TEST(a_file_whose_header_cannot_be_read_is_refused_and_left_alone)
{
    house_each(refused);
}

static void empty(struct house *h)
{
    struct session_place place = {.store = h->store, .name = "f"};
    quire_session *s;

    house_write(h, "f", " \n");
    IS(QUIRE_DAMAGED, session_open(&h->env, &place, NULL, QUIRE_SESSION_READ,
                                   QUIRE_SYNC_FLUSH, &s, &test_err));
    s = house_open_session(h, "f", 0);
    say(s, "user", "hello");
    quire_session_close(s);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(all_entries(s), "hello");
    quire_session_close(s);
}

TEST(an_empty_file_becomes_a_session_when_it_is_opened_for_writing)
{
    house_each(empty);
}

/* Lines around the size of the window, and far beyond. */
static void long_lines(struct house *h)
{
    static const size_t sizes[] = {262000, 262143, 262144,
                                   262145, 600000, 3000000};
    quire_session *s;
    size_t i, at = 0;
    char *text = test_alloc((size_t)8 << 20);

    at += (size_t)sprintf(text, "%s", HEADER);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        at += (size_t)
            sprintf(text + at,
                    "{\"type\":\"custom\",\"id\":\"e%zu\",\"parentId\":%s%zu%s,"
                    "\"data\":\"",
                    i, i ? "\"e" : "null,\"n\":", i ? i - 1 : 0, i ? "\"" : "");
        memset(text + at, 'x', sizes[i]);
        at += sizes[i];
        at += (size_t)sprintf(text + at, "\"}\n");
    }
    house_write_bytes(h, "f", bytes_of(text, at));
    SAME_TEXT("", problems_of(h, "f"));
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    SAME_TEXT("e0 e1 e2 e3 e4 e5", path_of(s, NULL));
    quire_session_close(s);
}

TEST(lines_longer_than_a_piece_are_read_whole)
{
    house_each(long_lines);
}

static void many_openings(struct house *h)
{
    size_t n = 200000, i;
    char *text = test_alloc(sizeof HEADER + n * 2 + 1);
    quire_session *s;

    /* Each line could go on over all the following ones. */
    strcpy(text, HEADER);
    for (i = 0; i < n; i++)
        memcpy(text + sizeof HEADER - 1 + 2 * i, "[\n", 2);
    house_write_bytes(h, "f", bytes_of(text, sizeof HEADER - 1 + 2 * n));
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    SAME_TEXT("none", leaf_of(s));
    quire_session_close(s);
}

TEST(a_file_of_opening_brackets_takes_no_time_to_speak_of)
{
    struct house h;

    house_open(&h, false);
    many_openings(&h);
    house_close(&h);
}

/* A quick look believes a line that begins and ends well. */
static void deceived(struct house *h)
{
    static const char text[] = HEADER A
        "\n"
        "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"timestamp\":"
        "\"t\",\"message\":{\"role\":\"user\",\"content\":\"torn "
        "{\"type\":\"message\",\"id\":\"c\",\"parentId\":\"b\"}\n" LINE(
            "d", "\"b\"") "\n";
    quire_session *s;

    house_write(h, "f", text);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(context_of(s, NULL), "[{\"role\":\"user\",\"content\":\"d\"}]");
    quire_session_close(s);
    s = house_open_session(h, "f", 0);
    OK(quire_session_branch(s, "a", false, NULL, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_branch(s, "b", false, NULL, &test_err));
    SAME_TEXT("a", leaf_of(s));
    quire_session_close(s);
}

TEST(what_a_quick_look_takes_for_an_entry_is_found_out_when_it_is_used)
{
    house_each(deceived);
}
