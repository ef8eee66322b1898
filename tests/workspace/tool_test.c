/*
 * The tool `workspace`: what each action answers, what is refused, and that what
 * is read is what was written, in however many pieces.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"
#include "support/catalog.h"
#include "support/tenants.h"
#include "support/workspace.h"

struct fix {
    quire *q;
    struct tenants_session s;
    quire_workspace *w;
};

static struct fix begin(void)
{
    struct fix f = {.q = tenants_open(NULL, 0)};

    f.s = tenants_session(f.q, "work");
    f.w = fixture_open(f.q, f.s.id);
    return f;
}

static void end(struct fix *f)
{
    quire_workspace_close(f->w);
    quire_close(f->q);
    catalogue_sound();
}

/* The data of an answer has these keys, in any order. */
static void has_keys(const char *answer, const char *wanted)
{
    const char *keys = fixture_keys(answer), *at = wanted;
    size_t n = 0, m = 0;

    for (; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] != '\0'), n++) {
        char word[64];

        snprintf(word, sizeof word, "%.*s ", (int)strcspn(at, " "), at);
        HAS(keys, word);
    }
    for (at = keys; *at; at++)
        m += *at == ' ';
    EQ(n, m);
}

static void value_is(const char *answer, const char *key, const char *wanted)
{
    const char *got = fixture_value(answer, key);

    YES(got != NULL);
    SAME_TEXT(wanted, got);
}

/* ---- what each answers -------------------------------------------------- */

TEST(writing_an_artifact_answers_what_it_has_become)
{
    struct fix f = begin();
    const char *answer = fixture_does(
        f.w, "{\"action\":\"write\",\"filename\":\"data\\\\sales.csv\","
             "\"content\":\"a,b\\n1,2\\n\",\"purpose\":\"for the board\","
             "\"tags\":[\"q3\"]}");
    quire_artifact a;

    has_keys(answer, "action scope filename path artifact_id content_type "
                     "size_bytes indexed version session_id");
    value_is(answer, "action", "write");
    value_is(answer, "scope", "artifact");
    value_is(answer, "filename", "data/sales.csv");
    value_is(answer, "path", fixture_path(f.w, 0, "data/sales.csv"));
    value_is(answer, "content_type", "text/csv");
    value_is(answer, "size_bytes", "8");
    value_is(answer, "indexed", "true");
    value_is(answer, "session_id", f.s.id);
    OK(quire_artifact_stat(f.q, f.s.id, "data/sales.csv", NULL, &a, &test_err));
    EQ(a.id, strtol(fixture_value(answer, "artifact_id"), NULL, 10));
    SAME_TEXT("for the board", a.purpose);
    SAME_TEXT("agent", a.source);
    HAS(a.tags, "\"q3\"");
    HAS(a.tags, "\"data\"");
    HAS(a.meta, "\"columns\":[\"a\",\"b\"]");
    end(&f);
}

TEST(writing_to_the_scratchpad_makes_a_file_and_nothing_else)
{
    struct fix f = begin();
    const char *answer =
        fixture_does(f.w, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                          "\"filename\":\"x/y\",\"content\":\"scrap\"}");

    has_keys(answer, "action scope filename path size_bytes indexed "
                     "session_id");
    value_is(answer, "indexed", "false");
    value_is(answer, "path", fixture_path(f.w, 1, "x/y"));
    SAME(bytes_str("scrap"), test_read_file(fixture_path(f.w, 1, "x/y")));
    NO(test_exists(quire_workspace_dir(f.w, 0)));
    YES(fixture_artifact(f.q, f.s.id, "x/y") == NULL);
    YES(fixture_read(f.w, "x/y") == NULL);
    end(&f);
}

TEST(reading_answers_the_content)
{
    struct fix f = begin();
    const char *answer;

    fixture_write(f.w, "a.md", "text \xc3\xa4\n\"quoted\"");
    answer = fixture_does(f.w, "{\"action\":\"read\",\"filename\":\"a.md\"}");
    has_keys(answer, "action scope filename content encoding size_bytes "
                     "offset truncated session_id");
    value_is(answer, "content", "text \xc3\xa4\n\"quoted\"");
    value_is(answer, "encoding", "text");
    value_is(answer, "size_bytes", "16");
    value_is(answer, "truncated", "false");
    fixture_does(f.w, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                      "\"filename\":\"s\",\"content\":\"\"}");
    answer = fixture_does(f.w, "{\"action\":\"read\",\"scope\":"
                               "\"scratchpad\",\"filename\":\"s\"}");
    value_is(answer, "scope", "scratchpad");
    value_is(answer, "content", "");
    end(&f);
}

TEST(listing_answers_artifacts_and_files)
{
    struct fix f = begin();
    const char *answer, *one;

    fixture_write(f.w, "old", "1");
    fixture_write(f.w, "new", "22");
    answer = fixture_does(f.w, "{\"action\":\"list\"}");
    has_keys(answer, "action scope artifacts count session_id");
    value_is(answer, "count", "2");
    one = fixture_value(answer, "artifacts");
    HAS(one, "[{\"filename\":\"new\",\"artifact_id\":");
    HAS(one, "\"content_type\":\"text/plain\",\"size_bytes\":2,"
             "\"created_at\":\"");
    HAS(one, "\"purpose\":\"\",\"tags\":[");
    answer = fixture_does(f.w, "{\"action\":\"list\",\"scope\":"
                               "\"scratchpad\"}");
    has_keys(answer, "action scope files count session_id");
    value_is(answer, "files", "[]");
    fixture_does(f.w, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                      "\"filename\":\"d/s\",\"content\":\"333\"}");
    answer = fixture_does(f.w, "{\"action\":\"list\",\"scope\":"
                               "\"scratchpad\"}");
    HAS(answer, "[{\"filename\":\"d/s\",\"size_bytes\":3,\"modified\":\"");
    end(&f);
}

TEST(searching_answers_artifacts_of_the_session)
{
    struct fix f = begin();
    const char *answer;

    fixture_write(f.w, "in.txt", "a walrus on the ice");
    fixture_write(f.w, "walrus.md", "nothing");
    tenants_put(f.q, "elsewhere", "a walrus of another session");
    answer = fixture_does(f.w, "{\"action\":\"search\",\"query\":"
                               "\"walrus\"}");
    has_keys(answer, "action scope query results count session_id");
    value_is(answer, "count", "2");
    HAS(answer, "\"filename\":\"in.txt\"");
    HAS(answer, "\"snippet\":\"");
    answer = fixture_does(f.w, "{\"action\":\"search\",\"query\":"
                               "\"walrus\",\"limit\":1}");
    value_is(answer, "count", "1");
    answer = fixture_does(f.w, "{\"action\":\"search\",\"query\":"
                               "\"in.txt or (\\\"it's NEAR C++\"}");
    value_is(answer, "count", "0");
    answer = fixture_does(f.w, "{\"action\":\"search\",\"query\":"
                               "\"in.txt OR (\\\"it's NEAR C++\"}");
    value_is(answer, "count", "1");
    end(&f);
}

TEST(deleting_answers_how)
{
    struct fix f = begin();
    const char *answer;

    fixture_write(f.w, "a", "walrus");
    answer = fixture_does(f.w, "{\"action\":\"delete\",\"filename\":\"a\"}");
    has_keys(answer, "action scope filename artifact_id deleted session_id");
    value_is(answer, "deleted", "soft");
    fixture_does(f.w, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                      "\"filename\":\"d/s\",\"content\":\"\"}");
    answer = fixture_does(f.w, "{\"action\":\"delete\",\"scope\":"
                               "\"scratchpad\",\"filename\":\"d/s\"}");
    has_keys(answer, "action scope filename deleted session_id");
    value_is(answer, "deleted", "hard");
    NO(test_exists(fixture_path(f.w, 1, "d")));
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"delete\",\"scope\":\"scratchpad\","
                    "\"filename\":\"d/s\"}");
    end(&f);
}

/* ---- what others got wrong ---------------------------------------------- */

TEST(what_was_deleted_is_not_read_listed_or_found)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "walrus");
    fixture_does(f.w, "{\"action\":\"delete\",\"filename\":\"a\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"read\",\"filename\":\"a\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"delete\",\"filename\":\"a\"}");
    value_is(fixture_does(f.w, "{\"action\":\"list\"}"), "count", "0");
    value_is(fixture_does(f.w, "{\"action\":\"search\",\"query\":"
                               "\"walrus\"}"),
             "count", "0");
    OK(quire_artifact_restore(f.q, f.s.id, "a", NULL, &test_err));
    SAME_TEXT("walrus", fixture_file(f.w, "a"));
    SAME_TEXT("walrus", fixture_read(f.w, "a"));
    value_is(fixture_does(f.w, "{\"action\":\"search\",\"query\":"
                               "\"walrus\"}"),
             "count", "1");
    end(&f);
}

TEST(a_name_is_one_artifact_however_often_it_is_written)
{
    struct fix f = begin();
    const char *answer;

    fixture_write(f.w, "a", "first");
    fixture_write(f.w, "a", "second, and longer");
    fixture_write(f.w, "a/", "third");
    answer = fixture_does(f.w, "{\"action\":\"list\"}");
    value_is(answer, "count", "1");
    HAS(answer, "\"size_bytes\":5");
    SAME_TEXT("third", fixture_read(f.w, "a"));
    end(&f);
}

TEST(no_name_leads_outside)
{
    static const char *const names[] = {
        "../a",    "..",        "/etc/passwd", "a/../../b", "..\\\\a",
        "a/..",    ".",         "./a",         "",          ".hidden",
        "a/.b/c",  "a\\u0000b", "a\\nb",       "C:\\\\a",   "nul",
        "\\ud800", "//",
    };
    static const char *const actions[] = {"write", "read", "delete"};
    static const char *const scopes[] = {"artifact", "scratchpad"};
    struct fix f = begin();
    size_t i, j, k;
    char request[256];

    for (i = 0; i < sizeof names / sizeof *names; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 2; k++) {
                if (!strcmp(names[i], "\\ud800"))
                    continue;
                snprintf(request, sizeof request,
                         "{\"action\":\"%s\",\"scope\":\"%s\",\"filename\":"
                         "\"%s\",\"content\":\"\"}",
                         actions[j], scopes[k], names[i]);
                fixture_refuses(f.w, "invalid_filename", request);
            }
    NO(test_exists(test_path("home/artifacts")));
    end(&f);
}

TEST(requests_that_make_no_sense_are_refused_with_a_code)
{
    static const char *const cases[][2] = {
        {"invalid_params", ""},
        {"invalid_params", "nonsense"},
        {"invalid_params", "[]"},
        {"invalid_params", "{}"},
        {"invalid_params", "{\"action\":null}"},
        {"invalid_params", "{\"action\":1}"},
        {"invalid_params", "{\"action\":\"list\"} {}"},
        {"invalid_action", "{\"action\":\"Write\"}"},
        {"invalid_action", "{\"action\":\"\"}"},
        {"invalid_scope", "{\"action\":\"list\",\"scope\":\"global\"}"},
        {"invalid_params", "{\"action\":\"list\",\"scope\":7}"},
        {"invalid_scope", "{\"action\":\"search\",\"scope\":\"scratchpad\","
                          "\"query\":\"x\"}"},
        {"invalid_params", "{\"action\":\"write\",\"content\":\"\"}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\"}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":7}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":[\"a\"],"
                           "\"content\":\"\"}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":\"*\",\"encoding\":\"base64\"}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":\"\",\"encoding\":\"latin-1\"}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":\"\",\"tags\":\"x\"}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":\"\",\"tags\":[1]}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":\"\",\"tags\":[\"\"]}"},
        {"invalid_params", "{\"action\":\"write\",\"filename\":\"a\","
                           "\"content\":\"\",\"purpose\":\"\\u0000\"}"},
        {"invalid_params", "{\"action\":\"search\"}"},
        {"invalid_params", "{\"action\":\"search\",\"query\":\"\"}"},
        {"invalid_params", "{\"action\":\"search\",\"query\":\"  ,;\"}"},
        {"invalid_params", "{\"action\":\"list\",\"limit\":0}"},
        {"invalid_params", "{\"action\":\"list\",\"limit\":1001}"},
        {"invalid_params", "{\"action\":\"list\",\"limit\":-1}"},
        {"invalid_params", "{\"action\":\"list\",\"limit\":1.5}"},
        {"invalid_params", "{\"action\":\"list\",\"limit\":\"1\"}"},
        {"invalid_params", "{\"action\":\"list\",\"cursor\":\"x\"}"},
        {"invalid_params", "{\"action\":\"list\",\"cursor\":\"1.2.3\"}"},
        {"invalid_params", "{\"action\":\"list\",\"cursor\":\"0.0\"}"},
        {"invalid_params", "{\"action\":\"list\",\"cursor\":\" 7.1\"}"},
        {"invalid_params", "{\"action\":\"list\",\"cursor\":\"7.+1\"}"},
        {"invalid_params", "{\"action\":\"list\",\"cursor\":"
                           "\"99999999999999999999.1\"}"},
        {"invalid_params", "{\"action\":\"read\",\"filename\":\"a\","
                           "\"limit\":10485761}"},
        {"invalid_params", "{\"action\":\"read\",\"filename\":\"a\","
                           "\"offset\":99999999999999999999}"},
    };
    struct fix f = begin();
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        fixture_refuses(f.w, cases[i][0], cases[i][1]);
    EQ(0, test_count_files(test_path("home/artifacts")));
    end(&f);
}

TEST(what_is_left_out_may_be_null)
{
    struct fix f = begin();

    fixture_does(f.w, "{\"action\":\"write\",\"filename\":\"a\",\"content\":"
                      "\"x\",\"scope\":null,\"tags\":null,\"purpose\":null,"
                      "\"query\":null,\"encoding\":null,\"offset\":null,"
                      "\"limit\":null,\"cursor\":null,\"unknown\":[1]}");
    fixture_refuses(f.w, "invalid_params",
                    "{\"action\":\"read\",\"filename\":\"a\",\"offset\":2}");
    value_is(fixture_does(f.w, "{\"action\":\"read\",\"filename\":\"a\","
                               "\"offset\":1}"),
             "content", "");
    end(&f);
}

/* ---- content ------------------------------------------------------------ */

static const char *write_raw(struct fix *f, const char *scope, const char *name,
                             quire_bytes content)
{
    struct buf request = BUF_INIT((size_t)1 << 30);
    const char *answer;

    buf_addf(&request,
             "{\"action\":\"write\",\"scope\":\"%s\",\"filename\":\"%s\","
             "\"encoding\":\"base64\",\"content\":\"",
             scope, name);
    base64_encode(content, &request);
    buf_add_str(&request, "\"}");
    buf_add_char(&request, '\0');
    answer = fixture_does(f->w, request.data);
    buf_release(&request);
    return answer;
}

/* One piece, as it was given; its next_offset, or 0. */
static uint64_t add_piece(struct fix *f, const char *scope, const char *name,
                          uint64_t offset, int limit, struct buf *out)
{
    char request[256];
    quire_bytes data, next;
    const char *answer;
    int64_t n = 0;

    snprintf(request, sizeof request,
             "{\"action\":\"read\",\"scope\":\"%s\",\"filename\":\"%s\","
             "\"offset\":%llu,\"limit\":%d}",
             scope, name, (unsigned long long)offset, limit);
    answer = fixture_does(f->w, request);
    data = json_get(bytes_str(answer), "data");
    if (json_is(json_get(data, "encoding"), "text")) {
        json_decode(json_get(data, "content"), out);
    } else {
        quire_bytes text = json_get(data, "content");

        YES(base64_decode(bytes_of((const char *)text.data + 1, text.len - 2),
                          out));
    }
    next = json_get(data, "next_offset");
    YES((next.data != NULL) == json_is(json_get(data, "truncated"), "true") ||
        next.data == NULL || json_read_int(next, &n));
    YES(!next.data || (uint64_t)n > offset);
    return (uint64_t)n;
}

/* In pieces of that many bytes it is the same. */
static void reads_as(struct fix *f, const char *scope, const char *name,
                     int limit, quire_bytes wanted)
{
    struct buf got = BUF_INIT((size_t)1 << 30);
    uint64_t at = 0;

    do
        at = add_piece(f, scope, name, at, limit, &got);
    while (at > 0);
    if (!bytes_equal(wanted, buf_bytes(&got)))
        fprintf(stderr, "%s in pieces of %d\n", name, limit);
    SAME(wanted, got.len ? buf_bytes(&got) : bytes_of("", 0));
    buf_release(&got);
}

static void is_kept_whole(struct fix *f, quire_bytes content)
{
    static const int limits[] = {1, 2, 3, 4, 5, 7, 64, 1000000};
    size_t i;

    write_raw(f, "artifact", "f", content);
    write_raw(f, "scratchpad", "f", content);
    for (i = 0; i < sizeof limits / sizeof *limits; i++) {
        reads_as(f, "artifact", "f", limits[i], content);
        reads_as(f, "scratchpad", "f", limits[i], content);
    }
}

TEST(the_pieces_of_a_file_are_the_file)
{
    static const char mixed[] =
        "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x8b\xc3\xa4\xc3\xa4\xe2\x82\xac\xe2"
        "\x82\xac\xf0\x9f\x90\x8b\xf0\x9f\x90\x8b z";
    static const char *const odd[] = {
        "\x80",
        "\x80\x80\x80\x80\x80 ab",
        "ab\x80 cd\xbf ef",
        "abc\xe2\x82",
        "\xff\xfe\xfd",
        "abcd\xf0\x9f\x90",
        "ab\xe2\x82\xac\x82\xac",
        "\xc3\xa4\xa4\xa4\xa4\xa4",
    };
    struct fix f = begin();
    char noise[300];
    size_t i;

    is_kept_whole(&f, bytes_str(mixed));
    is_kept_whole(&f, bytes_of("", 0));
    is_kept_whole(&f, bytes_of("a\0b\0", 4));
    for (i = 0; i < sizeof odd / sizeof *odd; i++)
        is_kept_whole(&f, bytes_str(odd[i]));
    test_noise(1, noise, sizeof noise);
    is_kept_whole(&f, bytes_of(noise, sizeof noise));
    for (i = 0; i < sizeof noise; i++)
        noise[i] = (char)(0x80 | (noise[i] & 0x3f));
    is_kept_whole(&f, bytes_of(noise, sizeof noise));
    end(&f);
}

TEST(text_in_pieces_comes_as_text)
{
    struct buf text = BUF_INIT(1 << 20);
    struct fix f = begin();
    uint64_t at = 0;
    struct buf got = BUF_INIT(1 << 20);
    char request[128];
    int i;

    for (i = 0; i < 100; i++)
        buf_add_str(&text, "\xf0\x9f\x90\x8b\xc3\xa4x");
    write_raw(&f, "artifact", "t", buf_bytes(&text));
    do {
        snprintf(request, sizeof request,
                 "{\"action\":\"read\",\"filename\":\"t\",\"offset\":%llu,"
                 "\"limit\":5}",
                 (unsigned long long)at);
        value_is(fixture_does(f.w, request), "encoding", "text");
        at = add_piece(&f, "artifact", "t", at, 5, &got);
    } while (at > 0);
    SAME(buf_bytes(&text), buf_bytes(&got));
    buf_release(&got);
    buf_release(&text);
    end(&f);
}

TEST(half_a_surrogate_pair_is_refused_and_a_whole_one_is_a_character)
{
    struct fix f = begin();

    fixture_refuses(f.w, "invalid_params",
                    "{\"action\":\"write\",\"filename\":\"a\","
                    "\"content\":\"x\\ud800y\"}");
    fixture_refuses(f.w, "invalid_params",
                    "{\"action\":\"write\",\"filename\":\"a\","
                    "\"content\":\"y\\udc00\"}");
    fixture_does(f.w, "{\"action\":\"write\",\"filename\":\"a\","
                      "\"content\":\"xy\\ud83d\\ude00\"}");
    SAME_TEXT("xy\xf0\x9f\x98\x80", fixture_read(f.w, "a"));
    fixture_does(f.w, "{\"action\":\"write\",\"filename\":\"nul\\u0301\","
                      "\"content\":\"a\\u0000b\"}");
    SAME(bytes_of("a\0b", 3),
         test_read_file(fixture_path(f.w, 0, "nul\xcc\x81")));
    end(&f);
}

TEST(content_that_is_too_large_or_over_the_quota_is_refused)
{
    struct fix f = begin();

    OK(quire_config_set(f.q, "quota.file", "4", &test_err));
    OK(quire_config_set(f.q, "quota.session", "6", &test_err));
    fixture_refuses(f.w, "too_large",
                    "{\"action\":\"write\",\"filename\":\"a\","
                    "\"content\":\"12345\"}");
    fixture_write(f.w, "a", "1234");
    fixture_refuses(f.w, "quota",
                    "{\"action\":\"write\",\"filename\":\"b\","
                    "\"content\":\"123\"}");
    EQ(1, test_count_files(quire_workspace_dir(f.w, 0)));
    NO(test_litter(quire_workspace_dir(f.w, 0)));
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* ---- pages -------------------------------------------------------------- */

/* All pages of a list: the names in order, "a b ". */
static const char *pages(struct fix *f, const char *scope, int limit)
{
    struct buf out = BUF_INIT(1 << 20), request = BUF_INIT(8192);
    quire_bytes data, cursor = {NULL, 0};
    struct json_scan it;
    const char *answer;
    char *text;
    int n = 0;

    do {
        buf_clear(&request);
        buf_addf(&request, "{\"action\":\"list\",\"scope\":\"%s\",\"limit\":%d",
                 scope, limit);
        if (cursor.data) {
            buf_add_str(&request, ",\"cursor\":");
            buf_add(&request, cursor.data, cursor.len);
        }
        buf_add(&request, "}", 2);
        answer = fixture_does(f->w, request.data);
        data = json_get(bytes_str(answer), "data");
        json_iter_init(&it,
                       json_get(data, *scope == 'a' ? "artifacts" : "files"));
        while (json_next(&it)) {
            json_decode(json_get(it.value, "filename"), &out);
            buf_add_char(&out, ' ');
        }
        cursor = json_get(data, "next_cursor");
        YES(++n < 100);
    } while (cursor.data);
    text = test_alloc(out.len);
    if (out.len)
        memcpy(text, out.data, out.len);
    buf_release(&out);
    buf_release(&request);
    return text;
}

TEST(the_pages_of_a_list_have_everything_once)
{
    struct fix f = begin();
    char name[16], wanted[256] = "", *at = wanted + sizeof wanted - 1;
    int i;

    for (i = 0; i < 11; i++) {
        snprintf(name, sizeof name, "f%d ", i);
        at -= strlen(name);
        memcpy(at, name, strlen(name));
        name[strlen(name) - 1] = '\0';
        fixture_write(f.w, name, name);
    }
    for (i = 1; i < 13; i++)
        SAME_TEXT(at, pages(&f, "artifact", i));
    end(&f);
}

TEST(the_pages_of_the_scratchpad_have_everything_once)
{
    static const char *const names[] = {"a-b", "a/b", "ab", "a/c/d", "z"};
    struct fix f = begin();
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        write_raw(&f, "scratchpad", names[i], bytes_str("x"));
    for (i = 1; i < 7; i++)
        SAME_TEXT("a-b a/b a/c/d ab z ", pages(&f, "scratchpad", (int)i));
    end(&f);
}

/* What is listed can be read; and pages come to an end. */
TEST(names_that_nobody_can_say_are_not_listed)
{
    struct fix f = begin();
    size_t i;

    write_raw(&f, "scratchpad", "a", bytes_str("x"));
    test_write_file(fixture_path(f.w, 1, "\xff"), bytes_str("x"));
    test_write_file(fixture_path(f.w, 1, "\xfe\xfd"), bytes_str("x"));
    test_write_file(fixture_path(f.w, 1, "\x80"), bytes_str("x"));
    test_write_file(fixture_path(f.w, 1, "new\nline"), bytes_str("x"));
    test_write_file(fixture_path(f.w, 1, ".hidden"), bytes_str("x"));
    write_raw(&f, "scratchpad", "z", bytes_str("x"));
    for (i = 1; i < 4; i++)
        SAME_TEXT("a z ", pages(&f, "scratchpad", (int)i));
    end(&f);
}

/* ---- what is told of it ------------------------------------------------- */

TEST(the_schema_is_short_and_json)
{
    quire_bytes schema = bytes_str(quire_workspace_schema());

    YES(json_check(schema, JSON_UTF8, NULL));
    YES(schema.len < 1600);
    YES(json_is(json_get(schema, "name"), "workspace"));
    YES(json_get(json_get(schema, "inputSchema"), "required").data != NULL);
}

TEST(a_file_is_told_by_its_content_when_it_changes)
{
    struct fix f = begin();
    quire_artifact a;

    fixture_write(f.w, "test_report.json", "{\"k\":[1,2],\"l\":{}}");
    OK(quire_artifact_stat(f.q, f.s.id, "test_report.json", NULL, &a,
                           &test_err));
    HAS(a.meta, "\"valid_json\":true,\"structure\":\"object\","
                "\"sample_keys\":[\"k\",\"l\"],\"key_count\":2");
    HAS(a.tags, "\"report\"");
    HAS(a.tags, "\"test\"");
    fixture_edit(f.w, "test_report.json", "[1,2,3]");
    fixture_sync(f.w);
    OK(quire_artifact_stat(f.q, f.s.id, "test_report.json", NULL, &a,
                           &test_err));
    HAS(a.meta, "\"array_length\":3");
    NO(strstr(a.meta, "key_count") != NULL);
    fixture_edit(f.w, "test_report.json", "{");
    fixture_sync(f.w);
    OK(quire_artifact_stat(f.q, f.s.id, "test_report.json", NULL, &a,
                           &test_err));
    SAME_TEXT("{\"valid_json\":false}", a.meta);
    fixture_write(f.w, "e.csv", "\"a,\"\"1\"\"\",b\r\n1,\"x\ny\"\n");
    OK(quire_artifact_stat(f.q, f.s.id, "e.csv", NULL, &a, &test_err));
    SAME_TEXT("{\"columns\":[\"a,\\\"1\\\"\",\"b\"],\"column_count\":2,"
              "\"rows\":2}",
              a.meta);
    end(&f);
}
