/*
 * Sums over session files, whoever wrote them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "session/usage.h"
#include "support/session.h"

/* Count the file `name` on. */
static void counts_on(struct house *h, const char *name,
                      struct session_usage *t)
{
    struct object_info info;
    struct log *file;

    OK(log_open(h->store->logs, name, LOG_READ, &file, &info, &test_err));
    OK(session_usage_read(file, t, NULL, &test_err));
    log_close(file);
}

static struct session_usage count_bytes(quire_bytes text)
{
    struct session_usage t = {0};
    struct house h;

    house_open(&h, false);
    house_write_bytes(&h, "f", text);
    counts_on(&h, "f", &t);
    house_close(&h);
    return t;
}

static struct session_usage count(const char *text)
{
    return count_bytes(bytes_str(text));
}

/* "entries messages: input output read write = total, cost". */
static const char *sums(const struct session_usage *t)
{
    char *text = test_alloc(256);

    snprintf(text, 256, "%llu %llu: %llu %llu %llu %llu = %llu, %llu",
             (unsigned long long)t->entries, (unsigned long long)t->messages,
             (unsigned long long)t->input, (unsigned long long)t->output,
             (unsigned long long)t->cache_read,
             (unsigned long long)t->cache_write, (unsigned long long)t->total,
             (unsigned long long)t->cost);
    return text;
}

static void adds_up(const char *text, const char *wanted)
{
    struct session_usage t = count(text);

    SAME_TEXT(wanted, sums(&t));
}

#define START(id)                               \
    "{\"type\":\"message\",\"id\":\"" id        \
    "\",\"parentId\":null,\"timestamp\":\"x\"," \
    "\"message\":"
#define ANSWER(usage)                                                        \
    START("00000001")                                                        \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi " \
    "\\\"there\\\"\"}],\"usage\":" usage ",\"stopReason\":\"stop\"}}\n"
#define USUAL                                                       \
    "{\"input\":100,\"output\":20,\"cacheRead\":5,\"cacheWrite\":1" \
    ",\"totalTokens\":126,\"cost\":{\"input\":0.001,\"output\":"    \
    "0.0005,\"cacheRead\":0,\"cacheWrite\":0,\"total\":0.0015}}"
#define SAID START("00000002") "{\"role\":\"user\",\"content\":\"hello\"}}\n"

TEST(a_tally_adds_what_the_assistants_messages_used)
{
    adds_up("", "0 0: 0 0 0 0 = 0, 0");
    adds_up(HEADER, "0 0: 0 0 0 0 = 0, 0");
    adds_up(HEADER SAID ANSWER(USUAL), "2 2: 100 20 5 1 = 126, 1500000");
    adds_up(HEADER ANSWER(USUAL) SAID ANSWER(USUAL) ANSWER(USUAL),
            "4 4: 300 60 15 3 = 378, 4500000");
    adds_up(HEADER "{\"type\":\"custom\",\"id\":\"1\",\"parentId\":null}\n"
                   "{\"type\":\"never seen\"}\n{}\n[1]\n7\nnull\n",
            "3 0: 0 0 0 0 = 0, 0");
}

TEST(what_a_usage_does_not_say_is_nothing_and_totals_are_sums_then)
{
    static const struct {
        const char *usage, *wanted;
    } cases[] = {
        {"{}", "1 1: 0 0 0 0 = 0, 0"},
        {"null", "1 1: 0 0 0 0 = 0, 0"},
        {"[1,2]", "1 1: 0 0 0 0 = 0, 0"},
        {"12", "1 1: 0 0 0 0 = 0, 0"},
        {"{\"input\":3,\"output\":4}", "1 1: 3 4 0 0 = 7, 0"},
        {"{\"input\":3,\"cacheRead\":1,\"cacheWrite\":2}",
         "1 1: 3 0 1 2 = 6, 0"},
        {"{\"totalTokens\":9}", "1 1: 0 0 0 0 = 9, 0"},
        {"{\"input\":3,\"totalTokens\":2}", "1 1: 3 0 0 0 = 2, 0"},
        {"{\"input\":3,\"totalTokens\":\"2\"}", "1 1: 3 0 0 0 = 3, 0"},
        {"{\"input\":\"3\",\"output\":null,\"cacheRead\":[4],\"cacheWrite\":"
         "true,\"cost\":\"1\"}",
         "1 1: 0 0 0 0 = 0, 0"},
        {"{\"input\":-3,\"output\":5,\"cost\":{\"total\":-1}}",
         "1 1: 0 5 0 0 = 5, 0"},
        {"{\"input\":1e3,\"output\":12.0,\"cacheRead\":25e-1}",
         "1 1: 1000 12 3 0 = 1015, 0"},
        {"{\"input\":99999999999999999999,\"output\":1e400}",
         "1 1: 9223372036854775807 9223372036854775807 0 0 = "
         "9223372036854775807, 0"},
        {"{\"cost\":{\"input\":0.1,\"output\":0.2,\"cacheRead\":1e-9,"
         "\"cacheWrite\":0}}",
         "1 1: 0 0 0 0 = 0, 300000001"},
        {"{\"cost\":{\"input\":1,\"total\":null}}",
         "1 1: 0 0 0 0 = 0, 1000000000"},
        {"{\"cost\":{\"total\":0.30000000000000004}}",
         "1 1: 0 0 0 0 = 0, 300000000"},
        {"{\"cost\":0.25}", "1 1: 0 0 0 0 = 0, 250000000"},
        {"{\"cost\":[0.25]}", "1 1: 0 0 0 0 = 0, 0"},
        {"{\"input\":1,\"input\":2,\"\\u006futput\":3}", "1 1: 2 3 0 0 = 5, 0"},
        {" { \"input\" : 1 , \"more\" : {\"input\":9} } ",
         "1 1: 1 0 0 0 = 1, 0"},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = BUF_INIT(1 << 16);

        buf_addf(&text,
                 HEADER START("a") "{\"role\":\"assistant\",\"usage\":%s}}\n",
                 cases[i].usage);
        adds_up(buf_text(&text), cases[i].wanted);
        buf_release(&text);
    }
}

TEST(only_the_usage_of_an_assistants_message_itself_counts)
{
    const char *const others[] = {
        START("a") "{\"role\":\"user\",\"usage\":" USUAL "}}\n",
        START("a") "{\"role\":\"toolResult\",\"usage\":" USUAL "}}\n",
        START("a") "{\"usage\":" USUAL "}}\n",
        START("a") "{\"role\":7,\"usage\":" USUAL "}}\n",
        START("a") "{\"role\":\"assistant\",\"content\":[{\"usage\":" USUAL
                   "}]}}\n",
        START("a") "{\"role\":\"assistant\",\"content\":\"\\\"usage\\\":"
                   "{\\\"input\\\":1}\"}}\n",
        START("a") "{\"role\":\"assistant\"},\"usage\":" USUAL "}\n",
        START("a") "[{\"role\":\"assistant\",\"usage\":" USUAL "}]}\n",
        START("a") "\"text\"}\n",
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null}\n",
    };
    size_t i;

    for (i = 0; i < sizeof others / sizeof *others; i++) {
        struct buf text = BUF_INIT(1 << 16);

        buf_addf(&text, HEADER "%s", others[i]);
        adds_up(buf_text(&text), "1 1: 0 0 0 0 = 0, 0");
        buf_release(&text);
    }
    adds_up(HEADER "{\"type\":\"model_usage\",\"id\":\"a\",\"parentId\":null,"
                   "\"usage\":" USUAL "}\n",
            "1 0: 0 0 0 0 = 0, 0");
}

TEST(the_order_and_the_spelling_of_keys_do_not_matter)
{
    adds_up(HEADER "{\"message\":{\"usage\":{\"input\":1},\"content\":[],"
                   "\"role\":\"assistant\"},\"id\":\"a\",\"type\":\"message\"}"
                   "\n",
            "1 1: 1 0 0 0 = 1, 0");
    adds_up(HEADER START("a") "{\"role\":\"assistant\",\"usage\":{\"input\":1}"
                              "},\"later\":{\"a\":[]}}\n",
            "1 1: 1 0 0 0 = 1, 0");
    adds_up(HEADER START("a") " { \"r\\u006fle\" : \"assist\\u0061nt\" ,"
                              " \"usage\" : {\"input\":1} } }\n",
            "1 1: 1 0 0 0 = 1, 0");
}

TEST(an_id_that_is_there_twice_is_two_entries)
{
    adds_up(HEADER ANSWER("{\"input\":1}") ANSWER("{\"input\":1}"),
            "2 2: 2 0 0 0 = 2, 0");
}

TEST(what_is_no_entry_is_passed_over)
{
    adds_up(HEADER "rubbish\n" ANSWER("{\"input\":1}") "{\"type\":\"mess\n"
                                                       "\n\n" SAID,
            "2 2: 1 0 0 0 = 1, 0");
    /* Damaged, though it begins and ends as it should. */
    adds_up(HEADER START("a") "{\"role\":\"assistant\",\"usage\":{\"input\":1},"
                              "\"x\":tru}}\n" SAID,
            "1 1: 0 0 0 0 = 0, 0");
    adds_up(HEADER ANSWER("{\"input\":1}") " junk\n" HEADER SAID,
            "2 2: 1 0 0 0 = 1, 0");
}

TEST(crlf_a_byte_order_mark_a_slot_and_spread_values_are_fine)
{
    static const char nul[] = HEADER "\0\0\0\n" SAID;
    struct session_usage t = count_bytes(bytes_of(nul, sizeof nul - 1));

    SAME_TEXT("1 1: 0 0 0 0 = 0, 0", sums(&t));
    adds_up("\xef\xbb\xbf" HEADER SAID, "1 1: 0 0 0 0 = 0, 0");
    adds_up(
        "{\"type\":\"session\",\"id\":\"s\"}\r\n" START(
            "a") "{\"role\":\"assistant\",\"usage\":{\"input\":1}}}\r\n\r\n",
        "1 1: 1 0 0 0 = 1, 0");
    adds_up(
        "{\"type\":\"title\",\"v\":1,\"title\":\"t\",\"pad\":\"  \"}\n" HEADER
            SAID "{\"type\":\"title\"}\n",
        "2 1: 0 0 0 0 = 0, 0");
    adds_up(HEADER "{\n\"type\":\n\"message\",\"message\":{\"role\":"
                   "\"assistant\",\n\"usage\":{\"input\":1}\n}\n}\n" SAID,
            "2 2: 1 0 0 0 = 1, 0");
}

TEST(files_of_the_first_version_have_no_ids)
{
    adds_up("{\"type\":\"session\",\"id\":\"s\"}\n"
            "{\"type\":\"message\",\"timestamp\":\"x\",\"message\":{\"role\":"
            "\"user\",\"content\":\"q\"}}\n"
            "{\"type\":\"message\",\"timestamp\":\"x\",\"message\":{\"role\":"
            "\"assistant\",\"content\":[],\"usage\":" USUAL "}}\n"
            "{\"type\":\"compaction\",\"summary\":\"s\",\"firstKeptEntryIndex\""
            ":1}\n",
            "3 2: 100 20 5 1 = 126, 1500000");
}

static uint64_t number(const char *text, int places)
{
    return session_usage_number(bytes_str(text), places);
}

TEST(numbers_are_read_to_the_last_decimal)
{
    EQ(0, number("0", 9));
    EQ(0, number("0.0", 9));
    EQ(0, number("0e99999999999999999999", 9));
    EQ(1, number("1e-9", 9));
    EQ(1, number("0.000000001", 9));
    EQ(1, number("0.0000000005", 9));
    EQ(0, number("0.00000000049999999999999999", 9));
    EQ(0, number("4e-10", 9));
    EQ(1, number("5e-10", 9));
    EQ(0, number("9e-11", 9));
    EQ(0, number("1e-99999999999999999999", 9));
    EQ(105, number("1.05e-7", 9));
    EQ(1050, number("10.5E-07", 9));
    EQ(1500000, number("0.0015", 9));
    EQ(1999999999, number("1.9999999994", 9));
    EQ(2000000000, number("1.9999999995", 9));
    EQ(INT64_C(123456789012345678), number("123456789.012345678", 9));
    EQ(INT64_MAX, number("9223372036854775807", 0));
    EQ(INT64_MAX, number("9223372036854775808", 0));
    EQ(INT64_MAX, number("9223372036.854775807", 9));
    EQ(INT64_MAX, number("1e+11", 9));
    EQ(INT64_MAX, number("1e99999999999999999999", 9));
    EQ(12, number("0.0012e4", 0));
    EQ(1200, number("1.2e3", 0));
    EQ(1, number("0.5", 0));
    EQ(0, number("-1", 0));
    EQ(0, number("\"1\"", 0));
    EQ(0, number("null", 0));
    EQ(0, session_usage_number(bytes_of(NULL, 0), 0));
}

/* Cut at every byte and completed: counted once, and never before its line is
 * whole. */
static void grows(struct house *h)
{
    static const char text[] =
        HEADER SAID ANSWER(USUAL) "rubbish\n" SAID ANSWER(
            "{\"input\":1}") "{\n\"type\":\"custom\"\n}\n" SAID;
    size_t cut, whole = sizeof text - 1;

    for (cut = 0; cut <= whole; cut++) {
        struct session_usage t = {0}, all;

        house_write_bytes(h, "f", bytes_of(text, cut));
        counts_on(h, "f", &t);
        YES(t.scanned <= cut);
        YES(t.messages <= bytes_count(bytes_of(text, cut), '\n'));
        house_write_bytes(h, "f", bytes_of(text, whole));
        counts_on(h, "f", &t);
        SAME_TEXT("6 5: 101 20 5 1 = 127, 1500000", sums(&t));
        all = t;
        counts_on(h, "f", &t);
        SAME_TEXT(sums(&all), sums(&t));
    }
}

TEST(a_file_that_has_grown_is_counted_on)
{
    house_each(grows);
}

/* How many bytes of a file are read, by a store that tells. */
static uint64_t reads_of(struct house *h, struct session_usage *t)
{
    long before = h->fault.calls;

    counts_on(h, "f", t);
    return (uint64_t)(h->fault.calls - before);
}

TEST(what_was_counted_is_not_read_again_and_a_torn_end_costs_nothing_more)
{
    struct buf text = BUF_INIT(1 << 26);
    struct session_usage t = {0};
    struct house h;
    uint64_t first;
    int i;

    house_open(&h, false);
    buf_add_str(&text, HEADER);
    for (i = 0; i < 20000; i++)
        buf_add_str(&text, ANSWER(USUAL));
    buf_add_str(&text, "{\"type\":\"mess");
    house_write_bytes(&h, "f", buf_bytes(&text));
    first = reads_of(&h, &t);
    YES(first > 20);
    EQ(20000, t.messages);
    YES(t.scanned < text.len);
    YES(reads_of(&h, &t) < 10);
    EQ(20000, t.messages);
    buf_add_str(&text, "age\"}\n");
    house_write_bytes(&h, "f", buf_bytes(&text));
    YES(reads_of(&h, &t) < 10);
    EQ(20001, t.messages);
    buf_release(&text);
    house_close(&h);
}

TEST(a_file_that_was_written_anew_is_counted_anew)
{
    struct session_usage t = {0};
    struct house h;

    house_open(&h, false);
    house_write(&h, "f", HEADER SAID);
    counts_on(&h, "f", &t);
    house_write(&h, "f",
                "{\"type\":\"session\",\"id\":\"other\"}\n" ANSWER(USUAL)
                    ANSWER(USUAL));
    counts_on(&h, "f", &t);
    SAME_TEXT("2 2: 200 40 10 2 = 252, 3000000", sums(&t));
    house_write(&h, "f", HEADER); /* shorter */
    counts_on(&h, "f", &t);
    SAME_TEXT("0 0: 0 0 0 0 = 0, 0", sums(&t));
    house_close(&h);
}

TEST(a_count_that_fails_changes_nothing)
{
    bool struck = true;
    struct house h;
    long n;

    house_open(&h, false);
    house_write(&h, "f", HEADER SAID ANSWER(USUAL) "rubbish\n" SAID "{\"to");
    for (n = 1; struck; n++) {
        struct session_usage t = {.entries = 77};
        struct object_info info;
        struct log *file;
        quire_status st;

        OK(log_open(h.store->logs, "f", LOG_READ, &file, &info, &test_err));
        h.fault.struck = false;
        h.fault.left = n;
        h.fault.status = QUIRE_IO;
        st = session_usage_read(file, &t, NULL, &test_err);
        h.fault.left = 0;
        struck = h.fault.struck;
        IS(struck ? QUIRE_IO : QUIRE_OK, st);
        EQ(struck ? 77 : 3, t.entries);
        log_close(file);
    }
    house_close(&h);
}

/* A line as some writer might put it, and what it adds. */
static void add_random(uint64_t *seed, struct buf *out,
                       struct session_usage *model)
{
    unsigned kind, n;

    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    kind = (unsigned)(*seed >> 33) % 8;
    n = (unsigned)(*seed >> 40) % 100000;
    if (kind < 4) {
        buf_addf(out,
                 START("%x") "{\"role\":\"assistant\",\"content\":\"%.*s\","
                             "\"usage\":{\"input\":%u,\"output\":%u,"
                             "\"cacheRead\":%u,\"cacheWrite\":1,\"totalTokens\""
                             ":%u,\"cost\":{\"total\":0.%06u}}}}%s\n",
                 n, (int)(n % 50),
                 "some words of no great importance, and then some more", n,
                 n / 2, n / 3, n, n, kind == 3 ? "\r" : "");
        model->input += n;
        model->output += n / 2;
        model->cache_read += n / 3;
        model->cache_write++;
        model->total += n;
        model->cost += n * UINT64_C(1000);
    } else if (kind < 6) {
        buf_addf(out, START("%x") "{\"role\":\"%s\",\"content\":\"%u\"}}\n", n,
                 kind == 4 ? "user" : "toolResult", n);
    } else if (kind == 6) {
        buf_addf(out, "{\"type\":\"custom\",\"id\":\"%x\",\"data\":%u}\n", n,
                 n);
    } else {
        buf_add_str(out, n % 2 ? "\n" : n % 3 ? "junk {\n" : "{\"cut\n");
    }
    model->entries += kind < 7;
    model->messages += kind < 6;
}

TEST(random_files_in_random_pieces_add_up)
{
    uint64_t seed = 7;
    int round, i;

    for (round = 0; round < 30; round++) {
        struct session_usage t = {0}, model = {0};
        struct buf text = BUF_INIT(1 << 22);
        struct house h;

        house_open(&h, false);
        buf_add_str(&text, HEADER);
        for (i = 0; i < 40; i++) {
            size_t before = text.len, cut;

            add_random(&seed, &text, &model);
            cut = before + (size_t)(seed >> 20) % (text.len - before);
            house_write_bytes(&h, "f", bytes_sub(buf_bytes(&text), 0, cut));
            counts_on(&h, "f", &t);
            if (i % 3)
                continue;
            house_write_bytes(&h, "f", buf_bytes(&text));
            counts_on(&h, "f", &t);
            SAME_TEXT(sums(&model), sums(&t));
        }
        buf_release(&text);
        house_close(&h);
    }
}
