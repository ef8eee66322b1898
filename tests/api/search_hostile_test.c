/*
 * search_hostile_test.c - queries and cursors as an attacker would send them
 *
 * Whatever the bytes: a search returns hits or a reason, and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "support/tenants.h"
#include "support/test.h"

enum { N_QUERIES = 4000, QUERY_MAX = 120, N_CURSORS = 3000 };

static uint64_t seed = 7;

static unsigned roll(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

static quire *open_filled(void)
{
    static const char *const texts[] =
        {"walrus otter",  "parseHTTPHeader(x) -> y",
         "東京 の 天気",  "C++ \"q\"",
         "a b c d e f g", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    quire *q = tenants_open("default", 0);
    char path[16];
    size_t i;

    for (i = 0; i < 3 * sizeof texts / sizeof *texts; i++) {
        snprintf(path, sizeof path, "%zu.txt", i);
        tenants_put(q, path, texts[i % (sizeof texts / sizeof *texts)]);
    }
    OK(quire_search_update(q, NULL, &test_err));
    return q;
}

static quire_status check_hit(void *ctx, const quire_search_hit *h,
                              quire_error *err)
{
    size_t len = strlen(h->snippet), i;

    (void)err;
    ++*(size_t *)ctx;
    for (i = 0; i < h->n_matches; i++)
        YES(h->matches[i].from <= h->matches[i].to && h->matches[i].to <= len);
    YES(*h->kind && *h->address && *h->how);
    return QUIRE_OK;
}

static quire_status ask(quire *q, quire_bytes query,
                        const quire_search_options *o, quire_search_result *r)
{
    quire_error err = {.what = ""};
    size_t n = 0;
    quire_status st = quire_search(q, query, o, check_hit, &n, r, &err);

    YES(st == QUIRE_OK || st == QUIRE_INVALID || st == QUIRE_NOT_FOUND);
    YES(st == QUIRE_OK || *err.what);
    return st;
}

/* Syntax, words, and any bytes, NUL and half characters among them. */
static size_t make_query(char out[QUERY_MAX])
{
    static const char *const parts[] =
        {"walrus",      "a",        "\"",       "(",        ")",
         "*",           "-",        " ",        " OR ",     " AND ",
         "NOT ",        " near/3 ", "NEAR(",    ", 5)",     "/",
         "\\",          ":",        "kind:",    "message",  "role:",
         "is:active",   "has:",     "after:",   "7d",       "session:",
         "path:",       "tag:",     "/a.*b/",   "/(a*)*$/", "\\b",
         "|",           "||",       "&&",       "東",       "京*",
         "C++",         "->",       "\xe6\x9d", "\xff",     "project:\"",
         "since:2026-", "tool:",    "{2,9}",    "[^",       "(?R)",
         "\n"};
    size_t len = 0, want = 1 + roll(QUERY_MAX - 24);

    while (len < want) {
        const char *part = parts[roll(sizeof parts / sizeof *parts)];

        if (roll(6) == 0) {
            out[len++] = (char)roll(256);
            continue;
        }
        memcpy(out + len, part, strlen(part));
        len += strlen(part);
    }
    return len;
}

TEST(a_search_for_any_bytes_ends_with_hits_or_a_reason)
{
    quire *q = open_filled();
    char query[QUERY_MAX];
    int i;

    for (i = 0; i < N_QUERIES; i++) {
        quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
        size_t len = make_query(query);

        o.regex = roll(5) == 0;
        o.words_only = roll(9) == 0;
        o.flat = (int)roll(2);
        o.facets = (int)roll(2);
        o.versions = (int)roll(2);
        o.sort = (quire_search_sort)roll(3);
        o.limit = roll(4);
        ask(q, bytes_of(query, len), &o, NULL);
    }
    quire_close(q);
}

static void ask_repeated(quire *q, const char *part, size_t n, bool regex)
{
    size_t len = strlen(part), i;
    char *query = test_alloc(len * n + 1);
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    int64_t began = clock_steady_us();

    for (i = 0; i < n; i++)
        memcpy(query + i * len, part, len);
    o.regex = regex;
    ask(q, bytes_of(query, len * n), &o, NULL);
    YES(clock_steady_us() - began < 20000000);
}

TEST(a_huge_query_is_cut_and_answered)
{
    static const char *const parts[] = {"a ",        "a OR ",     "(",
                                        "-",         "-(",        "\"",
                                        "*a* ",      "a* ",       "NOT ",
                                        "\\",        "kind:a ",   "/a.*b/ ",
                                        "東",        "near/9 a ", "a|",
                                        ")",         "\xff",      "NEAR(a ",
                                        "after:7d ", "is:active "};
    quire *q = open_filled();
    size_t i;

    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        ask_repeated(q, parts[i], 100000, false);
        ask_repeated(q, parts[i], 200, false);
        ask_repeated(q, parts[i], 300, true);
    }
    ask_repeated(q, "7d/a.*b/tag: AND *||(?R)", 1, true);
    ask_repeated(q, "(a|b|(?1)|)(?1)(?1)$x", 1, true);
    ask_repeated(q, "(?<n>a|\\g<n>|)*$x", 1, true);
    ask_repeated(q, "(a*)*", 20, true);
    ask_repeated(q, "(a|aa)+", 30, true);
    quire_close(q);
}

/* Change one of its digits, cut it, or make it longer. */
static void forge(char *cursor, size_t len)
{
    static const char digits[] = "0123456789abcdefXz";
    unsigned i, n = 1 + roll(4);

    for (i = 0; i < n; i++)
        cursor[roll((unsigned)len)] = digits[roll(sizeof digits - 1)];
    if (roll(8) == 0)
        cursor[roll((unsigned)len)] = '\0';
}

TEST(a_forged_cursor_is_refused_or_followed)
{
    quire *q = open_filled();
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_search_result r;
    char *cursor, *forged;
    int i;

    o.limit = 1;
    o.flat = 1;
    IS(QUIRE_OK, ask(q, bytes_str("walrus OR a OR otter"), &o, &r));
    YES(r.next_cursor);
    cursor = strdup(r.next_cursor);
    for (i = 0; i < N_CURSORS; i++) {
        forged = strdup(cursor);
        forge(forged, strlen(forged));
        o.cursor = forged;
        o.sort = i % 7 == 0 ? QUIRE_SEARCH_NEWEST : QUIRE_SEARCH_RANK;
        ask(q, bytes_str("walrus OR a OR otter"), &o, &r);
        free(forged);
    }
    free(cursor);
    quire_close(q);
}
