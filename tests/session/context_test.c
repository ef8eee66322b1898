/* What the model is to see. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/session.h"

#define T  "\"timestamp\":\"2026-02-16T10:21:00.000Z\""
#define MS "\"timestamp\":1771237260000"
#define ENTRY(type, id, parent, rest)                                          \
    "{\"type\":\"" type "\",\"id\":\"" id "\",\"parentId\":" parent "," T rest \
    "}\n"
#define USER(id, parent)         \
    ENTRY("message", id, parent, \
          ",\"message\":{\"role\":\"user\",\"content\":\"" id "\"}")
#define SAID(id) "{\"role\":\"user\",\"content\":\"" id "\"}"
#define REST                                                            \
    "\"thinkingLevel\":\"off\",\"models\":{},\"injectedTtsrRules\":[]," \
    "\"mode\":\"none\",\"modeData\":null}"

struct row {
    const char *what, *lines, *leaf, *context;
};

/* clang-format off */
static const struct row rows[] = {
    {"no entries", "", NULL, "{\"messages\":[]," REST},
    {"no leaf", USER("a", "null"), "", "{\"messages\":[]," REST},
    {"a chain", USER("a", "null") USER("b", "\"a\""), NULL,
     "{\"messages\":[" SAID("a") "," SAID("b") "]," REST},
    {"a leaf by its id", USER("a", "null") USER("b", "\"a\""), "a",
     "{\"messages\":[" SAID("a") "]," REST},
    {"an unknown leaf means the last entry", USER("a", "null") USER("b", "null"),
     "zz", "{\"messages\":[" SAID("b") "]," REST},
    {"a branch", USER("a", "null") USER("b", "\"a\"") USER("c", "\"a\""), NULL,
     "{\"messages\":[" SAID("a") "," SAID("c") "]," REST},
    {"custom and others are silent",
     USER("a", "null") ENTRY("custom", "b", "\"a\"", ",\"customType\":\"q\"")
     ENTRY("session_init", "c", "\"b\"", ",\"task\":\"t\"")
     ENTRY("label", "d", "\"c\"", ",\"targetId\":\"a\",\"label\":\"l\"")
     ENTRY("unheard_of", "e", "\"d\"", ""), NULL,
     "{\"messages\":[" SAID("a") "]," REST},
    {"a custom message",
     ENTRY("custom_message", "a", "null", ",\"customType\":\"q\",\"content\":"
           "\"hi\",\"display\":true,\"details\":{\"d\":0}"), NULL,
     "{\"messages\":[{\"role\":\"custom\",\"customType\":\"q\",\"content\":"
     "\"hi\",\"display\":true,\"details\":{\"d\":0}," MS "}]," REST},
    {"a summary of a branch, and an empty one",
     ENTRY("branch_summary", "a", "null", ",\"fromId\":\"root\",\"summary\":\"s\"")
     ENTRY("branch_summary", "b", "\"a\"", ",\"fromId\":\"a\",\"summary\":\"\""),
     NULL, "{\"messages\":[{\"role\":\"branchSummary\",\"summary\":\"s\","
     "\"fromId\":\"root\"," MS "}]," REST},
    {"a compaction",
     USER("a", "null") USER("b", "\"a\"")
     ENTRY("compaction", "c", "\"b\"", ",\"summary\":\"s\",\"shortSummary\":"
           "\"x\",\"firstKeptEntryId\":\"b\",\"tokensBefore\":42")
     USER("d", "\"c\""), NULL,
     "{\"messages\":[{\"role\":\"compactionSummary\",\"summary\":\"s\","
     "\"shortSummary\":\"x\",\"tokensBefore\":42," MS "}," SAID("b") ","
     SAID("d") "]," REST},
    {"the last of two compactions",
     USER("a", "null")
     ENTRY("compaction", "c", "\"a\"", ",\"summary\":\"s1\","
           "\"firstKeptEntryId\":\"a\",\"tokensBefore\":1")
     USER("d", "\"c\"")
     ENTRY("compaction", "e", "\"d\"", ",\"summary\":\"s2\","
           "\"firstKeptEntryId\":\"a\",\"tokensBefore\":2")
     USER("f", "\"e\""), NULL,
     "{\"messages\":[{\"role\":\"compactionSummary\",\"summary\":\"s2\","
     "\"tokensBefore\":2," MS "}," SAID("a") "," SAID("d") "," SAID("f") "],"
     REST},
    {"a compaction that keeps what is not before it",
     USER("a", "null")
     ENTRY("compaction", "c", "\"a\"", ",\"summary\":\"s\","
           "\"firstKeptEntryId\":\"d\",\"tokensBefore\":1")
     USER("d", "\"c\""), NULL,
     "{\"messages\":[{\"role\":\"compactionSummary\",\"summary\":\"s\","
     "\"tokensBefore\":1," MS "}," SAID("d") "]," REST},
    {"a history the provider keeps",
     USER("a", "null")
     ENTRY("compaction", "c", "\"a\"", ",\"summary\":\"s\","
           "\"firstKeptEntryId\":\"a\",\"tokensBefore\":1,\"preserveData\":{"
           "\"openaiRemoteCompaction\":{\"provider\":\"o\","
           "\"replacementHistory\":[{\"i\":1}]}}"), NULL,
     "{\"messages\":[{\"role\":\"compactionSummary\",\"summary\":\"s\","
     "\"tokensBefore\":1,\"providerPayload\":{\"type\":"
     "\"openaiResponsesHistory\",\"provider\":\"o\",\"items\":[{\"i\":1}]},"
     MS "}]," REST},
    {"settings from the whole path",
     ENTRY("model_change", "a", "null", ",\"model\":\"p/one\"")
     ENTRY("model_change", "b", "\"a\"", ",\"model\":\"p/small\",\"role\":\"smol\"")
     ENTRY("thinking_level_change", "c", "\"b\"", ",\"thinkingLevel\":\"high\"")
     ENTRY("mode_change", "d", "\"c\"", ",\"mode\":\"plan\",\"data\":{\"f\":1}")
     ENTRY("ttsr_injection", "e", "\"d\"", ",\"injectedRules\":[\"x\",\"y\"]")
     ENTRY("ttsr_injection", "f", "\"e\"", ",\"injectedRules\":[\"y\",\"\\u0078\",\"z\"]")
     ENTRY("compaction", "g", "\"f\"", ",\"summary\":\"s\",\"tokensBefore\":1")
     ENTRY("model_change", "h", "\"g\"", ",\"model\":\"p/two\",\"role\":\"default\"")
     ENTRY("message", "i", "\"h\"", ",\"message\":{\"role\":\"assistant\","
           "\"provider\":\"q\",\"model\":\"r\"}"), NULL,
     "{\"messages\":[{\"role\":\"compactionSummary\",\"summary\":\"s\","
     "\"tokensBefore\":1," MS "},{\"role\":\"assistant\",\"provider\":\"q\","
     "\"model\":\"r\"}],\"thinkingLevel\":\"high\",\"models\":{\"default\":"
     "\"p/two\",\"smol\":\"p/small\"},\"injectedTtsrRules\":[\"x\",\"y\",\"z\"],"
     "\"mode\":\"plan\",\"modeData\":{\"f\":1}}"},
    {"settings that are taken back",
     ENTRY("thinking_level_change", "a", "null", ",\"thinkingLevel\":\"high\"")
     ENTRY("thinking_level_change", "b", "\"a\"", ",\"thinkingLevel\":null")
     ENTRY("mode_change", "c", "\"b\"", ",\"mode\":\"plan\",\"data\":{\"f\":1}")
     ENTRY("mode_change", "d", "\"c\"", ",\"mode\":\"none\""), NULL,
     "{\"messages\":[]," REST},
    {"a model inferred from the last answer",
     ENTRY("message", "a", "null", ",\"message\":{\"role\":\"assistant\","
           "\"provider\":\"p\",\"model\":\"old\"}")
     ENTRY("message", "b", "\"a\"", ",\"message\":{\"role\":\"assistant\","
           "\"provider\":\"p\",\"model\":\"new\"}")
     ENTRY("model_change", "c", "\"b\"", ",\"provider\":\"x\",\"modelId\":\"y\"")
     ENTRY("compaction", "d", "\"c\"", ",\"summary\":\"s\",\"tokensBefore\":1"),
     NULL,
     "{\"messages\":[{\"role\":\"compactionSummary\",\"summary\":\"s\","
     "\"tokensBefore\":1," MS "}],\"thinkingLevel\":\"off\",\"models\":{"
     "\"default\":\"p/new\"},\"injectedTtsrRules\":[],\"mode\":\"none\","
     "\"modeData\":null}"},
    {"a time nobody can read",
     "{\"type\":\"custom_message\",\"id\":\"a\",\"parentId\":null,"
     "\"timestamp\":\"soon\",\"customType\":\"q\",\"content\":\"c\"}\n", NULL,
     "{\"messages\":[{\"role\":\"custom\",\"customType\":\"q\",\"content\":"
     "\"c\",\"timestamp\":null}]," REST},
    {"a message that is not the last member, and bytes that are no text",
     "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":\"\xff\"},"
     "\"id\":\"a\",\"parentId\":null," T "}\n", NULL,
     "{\"messages\":[{\"role\":\"user\",\"content\":\"\xef\xbf\xbd\"}]," REST},
    {"a boundary behind the last compaction",
     USER("a", "null")
     ENTRY("compaction", "b", "\"a\"", ",\"summary\":\"s\",\"tokensBefore\":1")
     USER("c", "\"b\"") ENTRY("reset_boundary", "d", "\"c\"", "")
     USER("e", "\"d\""), NULL, "{\"messages\":[" SAID("e") "]," REST},
};
/* clang-format on */

static void each_row(struct house *h)
{
    char *text = test_alloc(1 << 16);
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned flags;

        snprintf(text, 1 << 16, "%s%s", HEADER, rows[i].lines);
        house_write(h, "f", text);
        for (flags = QUIRE_SESSION_READ; flags < 16;
             flags += QUIRE_SESSION_VERIFY) {
            quire_session *s = house_open_session(h, "f", flags);

            SAME_TEXT(rows[i].context, context_of(s, rows[i].leaf));
            /* And again, now that everything has been looked at. */
            SAME_TEXT(rows[i].context, context_of(s, rows[i].leaf));
            quire_session_close(s);
        }
    }
}

TEST(a_context_is_the_path_read_for_messages_and_settings)
{
    house_each(each_row);
}

/* The same entries, appended by us instead of read. */
static void appended(struct house *h)
{
    char *text = test_alloc(1 << 16);
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    size_t i;

    o.any = 1;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        quire_session *s = house_new(h, "f", QUIRE_SESSION_MEMORY);
        const char *at = rows[i].lines;

        if (strstr(at, "\xff")) {
            quire_session_close(s);
            continue;
        }
        while (*at) {
            size_t len = strcspn(at, "\n");

            OK(quire_session_append(s, bytes_of(at, len), &o, NULL, &test_err));
            at += len + 1;
        }
        SAME_TEXT(rows[i].context, context_of(s, rows[i].leaf));
        quire_session_close(s);
    }
    (void)text;
}

TEST(a_context_is_the_same_before_the_session_has_a_file)
{
    house_each(appended);
}

static quire_status stop(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    return QUIRE_STOPPED;
}

static void stopped(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_MEMORY);

    say(s, "user", "x");
    IS(QUIRE_STOPPED,
       quire_session_context(s, NULL, stop, NULL, NULL, &test_err));
    HAS(context_of(s, NULL), "\"x\"");
    quire_session_close(s);
}

TEST(whoever_takes_a_context_may_stop_it)
{
    house_each(stopped);
}

enum { CHAIN = 20000 };

/* Bytes this process has read so far. */
static long long bytes_read(void)
{
    FILE *f = fopen("/proc/self/io", "re");
    long long n = -1;

    if (f && fscanf(f, "rchar: %lld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

static quire_status count_context(void *ctx, quire_bytes bytes,
                                  quire_error *err)
{
    (void)err;
    *(size_t *)ctx += bytes.len;
    return QUIRE_OK;
}

/* A chain of entries; `step` orders the lines: the i-th is number i * step. */
static char *write_chain(unsigned step)
{
    char *text = test_alloc((size_t)CHAIN * 150 + 1000), *at = text;
    unsigned i;

    at += sprintf(at, "%s", HEADER);
    for (i = 0; i < CHAIN; i++) {
        unsigned n = (unsigned)((uint64_t)i * step % CHAIN);

        at += sprintf(at,
                      "{\"type\":\"message\",\"id\":\"%06u\",\"parentId\":", n);
        at += n ? sprintf(at, "\"%06u\"", n - 1) : sprintf(at, "null");
        at += sprintf(at, ",%s,\"message\":{\"role\":\"user\"}}\n", T);
    }
    return text;
}

/* Backwards, and a step that visits the whole file at random. */
TEST(a_context_against_the_order_of_the_file_reads_no_page_for_each_line)
{
    static const unsigned steps[] = {1, CHAIN - 1, 7919};
    char leaf[8];
    size_t i;

    if (bytes_read() < 0)
        SKIP("no /proc/self/io");
    snprintf(leaf, sizeof leaf, "%06u", CHAIN - 1);
    for (i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *text = write_chain(steps[i]);
        struct house h = {0};
        quire_session *s;
        long long before;
        size_t n = 0;

        house_open(&h, true);
        house_write(&h, "f", text);
        s = house_open_session(&h, "f", QUIRE_SESSION_READ);
        before = bytes_read();
        OK(quire_session_context(s, leaf, count_context, NULL, &n, &test_err));
        YES(n > (size_t)CHAIN * 15);
        YES(bytes_read() - before <
            (steps[i] == 7919 ? 100 : 6) * (long long)strlen(text));
        quire_session_close(s);
        house_close(&h);
    }
}
