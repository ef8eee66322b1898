#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "session/migrate.h"
#include "support/test.h"

/* A file read line by line. */
struct file {
    struct migrate m;
    struct arena arena;
    struct buf out;
    uint64_t line;
};

static void begin(struct file *f, int64_t version)
{
    *f = (struct file){.out = BUF_INIT((size_t)1 << 28)};
    OK(migrate_init(&f->m, version, bytes_str("s1"), &f->arena, &test_err));
}

static void end(struct file *f)
{
    migrate_release(&f->m);
    arena_release(&f->arena);
    buf_release(&f->out);
}

/* What becomes of the next line; on loan until the one after. */
static const char *next(struct file *f, const char *value)
{
    buf_clear(&f->out);
    OK(migrate_value(&f->m, bytes_str(value), ++f->line, &f->out, &test_err));
    return buf_text(&f->out);
}

/* How SHA-256 of "s1:2", "s1:3", "s1:4" and "s1:2:1" begins. */
#define ID2  "31a342af"
#define ID3  "f7491fa3"
#define ID4  "3f0a402d"
#define ID21 "4925db3b"

#define V1_HEADER "{\"type\":\"session\",\"id\":\"s1\"}"

TEST(a_header_becomes_version_three)
{
    static const char *const pairs[][2] = {
        {V1_HEADER, "{\"type\":\"session\",\"id\":\"s1\",\"version\":3}"},
        {"{\"version\":2,\"id\":\"s1\"}", "{\"version\":3,\"id\":\"s1\"}"},
        {" {\"version\" : 1 , \"x\":1e-07}\r",
         " {\"version\" : 3 , \"x\":1e-07}\r"},
        {"{\"version\":null,\"version\":2,\"a\":0}", "{\"version\":3,\"a\":0}"},
        {"{}", "{\"version\":3}"},
    };
    int64_t version;
    size_t i;

    for (version = -1; version < 3; version++) {
        for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            struct file f;

            begin(&f, version);
            SAME_TEXT(pairs[i][1], next(&f, pairs[i][0]));
            end(&f);
        }
    }
}

TEST(version_one_becomes_a_chain)
{
    struct file f;

    begin(&f, 1);
    next(&f, V1_HEADER);
    SAME_TEXT("{\"type\":\"message\",\"id\":\"" ID2 "\",\"parentId\":null}",
              next(&f, "{\"type\":\"message\"}"));
    SAME_TEXT("{\"a\":1.50,\"id\":\"" ID3 "\",\"parentId\":\"" ID2 "\"}",
              next(&f, "{\"a\":1.50}"));
    SAME_TEXT("{\"id\":\"" ID4 "\",\"parentId\":\"" ID3 "\"}", next(&f, "{}"));
    end(&f);
}

TEST(ids_of_version_one_are_given_anew_in_their_place)
{
    struct file f;

    begin(&f, 1);
    next(&f, V1_HEADER);
    SAME_TEXT("{\"id\":\"" ID2 "\",\"x\":1,\"parentId\":null}",
              next(&f, "{\"id\":\"old\",\"x\":1,\"parentId\":\"zz\"}"));
    SAME_TEXT("{\"parentId\":\"" ID2 "\",\"id\":\"" ID3 "\"}",
              next(&f, "{\"parentId\":null,\"id\":[1],\"id\":7}"));
    SAME_TEXT("{\"\\u0069d\":\"" ID4 "\",\"parentId\":\"" ID3 "\"}",
              next(&f, "{\"\\u0069d\":\"q\"}"));
    end(&f);
}

TEST(values_that_are_no_objects_count_and_vanish)
{
    struct file f;

    begin(&f, 1);
    next(&f, V1_HEADER);
    SAME_TEXT("", next(&f, "null"));
    SAME_TEXT("", next(&f, " [ {\"id\":1} ] "));
    SAME_TEXT("{\"id\":\"" ID4 "\",\"parentId\":null}", next(&f, "{}"));
    SAME_TEXT("", next(&f, "\"x\""));
    /* 3 is the object; 1, 2 and 4 have no id */
    HAS(next(&f, "{\"type\":\"compaction\",\"firstKeptEntryIndex\":3}"),
        "\"firstKeptEntryId\":\"" ID4 "\"");
    NO(strstr(next(&f, "{\"type\":\"compaction\",\"firstKeptEntryIndex\":4}"),
              "firstKept"));
    end(&f);
}

TEST(a_second_header_counts_and_stays_as_it_is)
{
    const char *again = "{\"type\":\"session\",\"version\":1,\"id\":\"s2\"}";
    struct file f;

    begin(&f, 1);
    next(&f, V1_HEADER);
    next(&f, "{}");
    SAME_TEXT(again, next(&f, again));
    SAME_TEXT("{\"id\":\"" ID4 "\",\"parentId\":\"" ID2 "\"}", next(&f, "{}"));
    NO(strstr(next(&f, "{\"type\":\"compaction\",\"firstKeptEntryIndex\":2}"),
              "firstKept"));
    end(&f);
    begin(&f, 2);
    next(&f, V1_HEADER);
    SAME_TEXT(again, next(&f, again));
    end(&f);
}

/* The last of three entries, a compaction with this index. */
static const char *compacted(struct file *f, const char *index)
{
    static char value[200];

    begin(f, 1);
    next(f, V1_HEADER);
    next(f, "{}");
    next(f, "{}");
    snprintf(value, sizeof value,
             "{\"type\":\"compaction\",\"firstKeptEntryIndex\":%s,\"z\":0}",
             index);
    return next(f, value);
}

TEST(a_compaction_names_the_entry_it_counted_to)
{
    static const char *const first[] =
        {"1",          "1.0",   "1e0",
         "10e-1",      "0.1e1", "1.0000000000000000000000000",
         "0.0001E+04", "1E-00"};
    struct file f;
    size_t i;

    for (i = 0; i < sizeof first / sizeof *first; i++) {
        SAME_TEXT("{\"type\":\"compaction\",\"z\":0,\"id\":\"" ID4
                  "\",\"parentId\":\"" ID3 "\",\"firstKeptEntryId\":\"" ID2
                  "\"}",
                  compacted(&f, first[i]));
        end(&f);
    }
    HAS(compacted(&f, "2"), "\"firstKeptEntryId\":\"" ID3 "\"");
    end(&f);
}

TEST(a_compaction_that_counted_to_nothing_keeps_nothing)
{
    static const char *const none[] = {
        "0",
        "-0",
        "0.0",
        "0e9",
        "3",
        "4",
        "5",
        "99999999999999999999",
        "-1",
        "1.5",
        "1e-1",
        "1e1",
        "1e99",
        "1e-99",
        "1e99999999999999999999",
        "12345678901234567890123e-22",
        "0.00000000000000000001",
    };
    struct file f;
    size_t i;

    for (i = 0; i < sizeof none / sizeof *none; i++) {
        SAME_TEXT("{\"type\":\"compaction\",\"z\":0,\"id\":\"" ID4
                  "\",\"parentId\":\"" ID3 "\"}",
                  compacted(&f, none[i]));
        end(&f);
    }
}

TEST(an_index_that_is_no_number_is_left_alone)
{
    static const char *const odd[] = {"\"1\"", "null", "[1]", "true", "{}"};
    struct file f;
    size_t i;

    for (i = 0; i < sizeof odd / sizeof *odd; i++) {
        char want[200];

        snprintf(want, sizeof want,
                 "{\"type\":\"compaction\",\"firstKeptEntryIndex\":%s,\"z\":0,"
                 "\"id\":\"" ID4 "\",\"parentId\":\"" ID3 "\"}",
                 odd[i]);
        SAME_TEXT(want, compacted(&f, odd[i]));
        end(&f);
    }
}

TEST(only_compactions_have_their_index_changed)
{
    struct file f;

    begin(&f, 1);
    next(&f, V1_HEADER);
    HAS(next(&f, "{\"type\":\"custom\",\"firstKeptEntryIndex\":0}"),
        "\"firstKeptEntryIndex\":0");
    HAS(next(&f, "{\"firstKeptEntryIndex\":1}"), "\"firstKeptEntryIndex\":1");
    /* an id that was there: replaced, or gone with its index */
    HAS(next(&f, "{\"firstKeptEntryId\":\"x\",\"firstKeptEntryIndex\":1,"
                 "\"type\":\"compaction\"}"),
        "{\"firstKeptEntryId\":\"" ID2 "\",\"type\":\"compaction\",");
    NO(strstr(next(&f, "{\"firstKeptEntryId\":\"x\",\"firstKeptEntryIndex\":0,"
                       "\"type\":\"compaction\"}"),
              "firstKept"));
    /* of two, the last counts and both go */
    HAS(next(&f, "{\"firstKeptEntryIndex\":\"x\",\"type\":\"compaction\","
                 "\"firstKeptEntryIndex\":1}"),
        "{\"type\":\"compaction\",\"id\":");
    end(&f);
    begin(&f, 2);
    next(&f, "{}");
    SAME_TEXT("{\"type\":\"compaction\",\"firstKeptEntryIndex\":0}",
              next(&f, "{\"type\":\"compaction\",\"firstKeptEntryIndex\":0}"));
    end(&f);
}

TEST(hook_messages_become_custom_ones)
{
    static const char *const pairs[][2] = {
        {"{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\"}}",
         "{\"type\":\"message\",\"message\":{\"role\":\"custom\"}}"},
        {"{\"message\" : {\"x\":1,\"role\" : \"hook\\u004dessage\" },"
         "\"type\":\"message\"} ",
         "{\"message\" : {\"x\":1,\"role\" : \"custom\" },"
         "\"type\":\"message\"} "},
        {"{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\","
         "\"role\":\"hookMessage\"}}",
         "{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\","
         "\"role\":\"custom\"}}"},
    };
    static const char *const same[] = {
        "{\"type\":\"message\",\"message\":{\"role\":\"hookmessage\"}}",
        "{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\","
        "\"role\":\"user\"}}",
        "{\"type\":\"custom\",\"message\":{\"role\":\"hookMessage\"}}",
        "{\"type\":\"message\",\"role\":\"hookMessage\"}",
        "{\"type\":\"message\",\"message\":[{\"role\":\"hookMessage\"}]}",
        "{\"type\":\"message\",\"message\":{\"m\":{\"role\":\"hookMessage\"}}}",
        "{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\"},"
        "\"message\":null}",
        "{\"type\":\"message\",\"type\":1,"
        "\"message\":{\"role\":\"hookMessage\"}}",
    };
    struct file f;
    size_t i;

    begin(&f, 2);
    next(&f, "{}");
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        SAME_TEXT(pairs[i][1], next(&f, pairs[i][0]));
    for (i = 0; i < sizeof same / sizeof *same; i++)
        SAME_TEXT(same[i], next(&f, same[i]));
    end(&f);
    begin(&f, 1);
    next(&f, "{}");
    SAME_TEXT("{\"type\":\"message\",\"message\":{\"role\":\"custom\"},"
              "\"id\":\"" ID2 "\",\"parentId\":null}",
              next(&f, pairs[0][0]));
    end(&f);
}

TEST(version_three_and_later_pass_unchanged)
{
    int64_t version;

    for (version = 3; version < 6; version++) {
        struct file f;

        begin(&f, version);
        SAME_TEXT("{\"version\":9}", next(&f, "{\"version\":9}"));
        SAME_TEXT(
            "{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\"}}",
            next(&f, "{\"type\":\"message\",\"message\":"
                     "{\"role\":\"hookMessage\"}}"));
        end(&f);
    }
}

TEST(what_is_no_json_is_refused_and_not_counted)
{
    static const char *const wrong[] = {"",           "{",   "{}{}",
                                        "{\"a\":01}", "nul", "{\"id\":1,}",
                                        "[",          " "};
    struct file f;
    size_t i;

    begin(&f, 1);
    buf_clear(&f.out);
    IS(QUIRE_INVALID,
       migrate_value(&f.m, bytes_str("[]"), 1, &f.out, &test_err));
    IS(QUIRE_INVALID,
       migrate_value(&f.m, bytes_of(NULL, 0), 1, &f.out, &test_err));
    next(&f, V1_HEADER);
    buf_clear(&f.out);
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        IS(QUIRE_INVALID,
           migrate_value(&f.m, bytes_str(wrong[i]), 9, &f.out, &test_err));
        HAS(test_err.what, "line 9");
        EQ(0, f.out.len);
    }
    next(&f, "{}");
    HAS(next(&f, "{\"type\":\"compaction\",\"firstKeptEntryIndex\":1}"),
        "\"firstKeptEntryId\":\"" ID2 "\"");
    end(&f);
}

/* The same line twice cannot be; a hash that meets another can. */
TEST(ids_that_meet_part_again)
{
    struct file f;

    begin(&f, 1);
    next(&f, V1_HEADER);
    next(&f, "{}");
    f.line = 1;
    SAME_TEXT("{\"id\":\"" ID21 "\",\"parentId\":\"" ID2 "\"}", next(&f, "{}"));
    end(&f);
}

/* 200,000 ids of 32 bits: about five pairs would be the same. */
TEST(ids_of_a_large_file_are_all_different)
{
    struct file f;
    struct map seen;
    int i;

    begin(&f, 1);
    map_init(&seen, 1, 2);
    next(&f, V1_HEADER);
    for (i = 0; i < 200000; i++) {
        bool fresh;
        quire_bytes id;

        next(&f, "{\"id\":0,\"parentId\":0}");
        id = arena_dup(&f.arena, bytes_sub(buf_bytes(&f.out), 7, 15));
        YES(map_put(&seen, id, 0, &fresh));
        if (!fresh)
            EQ(0, i);
    }
    map_release(&seen);
    end(&f);
}

TEST(migrating_survives_each_allocation_failing)
{
    static const char *const file[] = {
        V1_HEADER,
        "{\"type\":\"message\",\"message\":{\"role\":\"hookMessage\"}}",
        "[]",
        "{\"type\":\"compaction\",\"firstKeptEntryIndex\":1}",
    };
    long n;

    for (n = 1;; n++) {
        struct arena arena = ARENA_INIT;
        struct buf out = BUF_INIT(10000);
        quire_status st;
        struct migrate m;
        size_t i;
        bool struck;

        fault_arm(n, ENOMEM, n % 2);
        st = migrate_init(&m, 1, bytes_str("s1"), &arena, &test_err);
        for (i = 0; !st && i < sizeof file / sizeof *file; i++)
            st = migrate_value(&m, bytes_str(file[i]), i + 1, &out, &test_err);
        struck = fault_disarm();
        EQ(struck ? QUIRE_NO_MEMORY : QUIRE_OK, st);
        migrate_release(&m);
        arena_release(&arena);
        buf_release(&out);
        if (!struck)
            break;
    }
    YES(n > 4);
}
