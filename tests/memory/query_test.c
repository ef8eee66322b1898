/*
 * What a question means.
 */
#include <string.h>

#include "base/bytes.h"
#include "memory/memory.h"
#include "search/query.h"
#include "search/stem.h"
#include "support/test.h"

/* A tree as text: "a" is words, "a" * a prefix. */
static void print_tree(const struct query *q, struct buf *out);

static void print_operands(const struct query *q, const char *between,
                           bool brackets, struct buf *out)
{
    const struct query *one;

    for (one = q->first; one; one = one->next) {
        if (one != q->first)
            buf_add_str(out, between);
        if (brackets)
            buf_add_char(out, '(');
        print_tree(one, out);
        if (brackets)
            buf_add_char(out, ')');
    }
}

static void print_tree(const struct query *q, struct buf *out)
{
    if (!q)
        return;
    switch (q->op) {
    case QUERY_WORDS:
        buf_addf(out, "\"%.*s\"%s", (int)q->text.len,
                 (const char *)q->text.data, q->prefix ? " *" : "");
        break;
    case QUERY_NEAR:
        buf_add_str(out, "NEAR(");
        print_operands(q, " ", false, out);
        buf_addf(out, " , %d)", q->reach);
        break;
    case QUERY_OR: print_operands(q, " OR ", false, out); break;
    case QUERY_NOT: print_operands(q, " NOT ", true, out); break;
    default: buf_add_str(out, "?"); break;
    }
}

/* The query of a question as text; false: it has none. */
static bool add_words(quire_bytes text, struct buf *out)
{
    struct arena keep = ARENA_INIT;
    struct query *q;
    bool any;

    OK(memory_words_query(text, &keep, &q, &test_err));
    any = q != NULL;
    EQ(any, memory_query_has_words(text));
    print_tree(q, out);
    arena_release(&keep);
    return any;
}

static bool add_stems(quire_bytes text, struct buf *out)
{
    struct arena keep = ARENA_INIT;
    struct query *q;
    bool any;

    OK(memory_stem_query(text, &keep, &q, &test_err));
    any = q != NULL;
    print_tree(q, out);
    arena_release(&keep);
    return any;
}

static void means(const char *text, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    EQ(*wanted != '\0', add_words(bytes_str(text), &got));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(a_question_is_a_phrase_or_what_is_near_or_any_word)
{
    means("cache", "\"cache\"");
    means("build cache", "\"build cache\" OR NEAR(\"build\" \"cache\" , 8) OR "
                         "\"build\" OR \"cache\"");
    means("a1 b2 c3 d4 e5 f6 g7",
          "\"a1 b2 c3 d4 e5 f6 g7\" OR \"a1\" OR \"b2\" OR \"c3\" OR \"d4\" OR "
          "\"e5\" OR \"f6\" OR \"g7\"");
    means("x \"in quotes\"", "\"x in quotes\" OR NEAR(\"x\" \"in quotes\" , 8) "
                             "OR \"x\" OR \"in quotes\"");
    means("", "");
    means(" ?! () \"\" ", "");
}

TEST(words_that_say_nothing_are_dropped_unless_there_are_no_others)
{
    means("What is the cache, of ours?", "\"cache,\"");
    means("what is it", "\"what is it\" OR NEAR(\"what\" \"is\" \"it\" , 8) OR "
                        "\"what\" OR \"is\" OR \"it\"");
    means("(The)", "\"(The)\"");
}

TEST(operators_and_quotes_are_text)
{
    means("a\"", "\"a\"");
    means("NOT", "\"NOT\""); /* a stop word, and alone */
    means("title:x*", "\"title:x*\"");
}

TEST(a_question_has_thirty_two_words_at_most)
{
    struct buf text = BUF_INIT(1 << 16), got = BUF_INIT(1 << 16);
    size_t n = 0, i;
    int k;

    for (k = 0; k < 100; k++)
        buf_addf(&text, "word%d ", k);
    YES(add_words(buf_bytes(&text), &got));
    for (i = 0; i + 4 <= got.len; i++)
        n += !memcmp(got.data + i, " OR ", 4);
    EQ(32, n); /* the phrase, and each word */
    buf_release(&got);
    buf_release(&text);
}

static void begins(const char *text, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    EQ(*wanted != '\0', add_stems(bytes_str(text), &got));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(the_stems_of_a_question_are_beginnings_of_words)
{
    begins("Deployments", "(\"deploy\" *) NOT (\"Deployments\")");
    begins("the build, cache?", "(\"build\" * OR \"cach\" *) NOT "
                                "(\"build,\" OR \"cache?\")");
    begins("x \"in quotes\" gr\xc3\xb6\xc3\x9f"
           "e",
           "(\"gr\xc3\xb6\xc3\x9f"
           "e\" *) NOT "
           "(\"x\" OR \"in quotes\" OR \"gr\xc3\xb6\xc3\x9f"
           "e\")");
    begins("2024 C++ ab report-7.csv what is it", "");
}

TEST(forms_of_a_word_share_a_stem)
{
    static const char *const forms[][2] = {
        {"deployments", "deploy"},
        {"deployed", "deploy"},
        {"deploy", "deploy"},
        {"deploying", "deploy"},
        {"policies", "polic"},
        {"policy", "polic"},
        {"caches", "cach"},
        {"caching", "cach"},
        {"running", "run"},
        {"controlled", "control"},
        {"calling", "call"},
        {"connections", "connect"},
        {"migration", "migr"},
        {"migrate", "migrat"},
        {"string", "string"},
        {"class", "class"},
        {"status", "status"},
        {"as", "as"},
        {"bus", "bus"},
        {"s", "s"},
        {"", ""},
        {"ties", "tie"},
    };
    size_t i;

    for (i = 0; i < sizeof forms / sizeof *forms; i++)
        SAME(bytes_str(forms[i][1]),
             bytes_of(forms[i][0], stem_length(forms[i][0])));
}

TEST(cue_words_speak_of_types)
{
    EQ(0, memory_intent(bytes_str("build cache")));
    EQ(1u << QUIRE_MEMORY_REFERENCE, memory_intent(bytes_str("Where is it?")));
    EQ(1u << QUIRE_MEMORY_LEARNING | 1u << QUIRE_MEMORY_PROJECT,
       memory_intent(bytes_str("why was this decided")));
    EQ(1u << QUIRE_MEMORY_USER, memory_intent(bytes_str("what do I prefer")));
    EQ(1u << QUIRE_MEMORY_FEEDBACK,
       memory_intent(bytes_str("things to avoid")));
    EQ(1u << QUIRE_MEMORY_CONTEXT, memory_intent(bytes_str("latest build")));
}
