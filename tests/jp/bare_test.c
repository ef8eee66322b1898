/*
 * Which bare strings are base64. Two lists: what people type, of which nothing
 * may be taken apart, and what tools answer, of which everything must come back
 * as it was.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "jp/jp.h"
#include "support/test.h"

/* Words that one types in place of an answer, of all lengths: those that are no
 * base64 anyway must stay words when the rule is changed. */
static const char words[] =
    "File HEAD Expected List "
    "the and that have with this from they will would there their what about "
    "which when make like time just know take into year your good some could "
    "them other than then look only come over think also back after work "
    "first well even want because these give most used find here thing tell "
    "very still need feel high last long great little world life hand part "
    "child place week case point group number right left side kind head "
    "house friend power hour game line member city name team minute idea body "
    "face door health person party result change morning reason research girl "
    "moment teacher force education foot boy age policy music market sense "
    "nation plan college interest death course someone experience behind reach "
    "local remain effect yeah suggest class control field pass fail skip done "
    "todo TODO PASS FAIL SKIP DONE NONE NULL TRUE FALSE true false null none "
    "None True False Null Done Pass Fail Skip Error error warning Warning WARN "
    "INFO DEBUG FATAL info debug fatal panic Panic abort Abort exit Exit okay "
    "Okay OKAY Success success SUCCESS Failure failure FAILURE Failed failed "
    "FAILED Passed passed PASSED Missing missing MISSING Unknown unknown "
    "Timeout timeout TIMEOUT Denied denied DENIED Refused refused Invalid "
    "invalid Removed removed Deleted deleted Created created Updated updated "
    "Changed changed Renamed renamed Skipped skipped Ignored ignored Finished "
    "finished Completed completed Cancelled cancelled Interrupted interrupted "
    "Rejected rejected Accepted accepted Approved approved Nothing nothing "
    "Anything anything Everything everything Something something Sometimes "
    "file File FILE list List LIST dict Dict DICT type Type TYPE byte Byte BYTE "
    "bits Bits BITS disk Disk DISK fill Fill FILL film Film fish Fish fits "
    "flow Flow FLOW send Send SEND sent Sent SENT seek Seek SEEK scan Scan "
    "SCAN term Term TERM verb Verb VERB zero Zero ZERO menu Menu MENU weak "
    "Weak WEAK week Week WEEK when When WHEN then Then THEN than Than THAN left "
    "Left LEFT pure Pure PURE perl Perl PERL perf Perf PERF pipe Pipe PIPE "
    "sign Sign SIGN wide Wide WIDE with With WITH will Will WILL wish Wish "
    "only Only ONLY into Into INTO onto Onto also Also ALSO ends Ends ENDS "
    "undo Undo UNDO kill Kill KILL risk Risk side Side SIDE site Site slot "
    "Slot slow Slow pick Pick kick Kick miss Miss rich Rich ride Ride tidy "
    "Tidy typo Typo wiki Wiki wild Wild inch Inch algo ansi anti anon byte "
    "cite dish dist fist blog blow city clog bill bite aide ally alto ante "
    "json JSON yaml YAML html HTML toml TOML rust Rust java Java ruby Ruby "
    "bash Bash main Main head Head tail Tail path Path PATH repo Repo diff "
    "Diff edit Edit EDIT read Read READ call Call CALL args Args ARGS item "
    "Item name Name NAME user User USER host Host HOST port Port PORT data "
    "Data DATA code Code CODE text Text TEXT test Test TEST unit Unit UNIT "
    "void self Self this This code mode Mode node Node open Open OPEN close "
    "Close push Push PUSH pull Pull PULL sync Sync SYNC lock Lock LOCK "
    "toString readFile fileName userName getValue setValue HashMaps ArrayLists "
    "UserList TypeScript JavaScript basename hostname username password "
    "Password database Database function Function constant variable Variable "
    "argument Argument operator Operator iterator Iterator optional Optional "
    "abstract Abstract internal Internal external External register Register "
    "continue Continue template Template property Property instance Instance "
    "document Document children Children Kilobyte Installs blowfish "
    "2024 2025 2026 1234 0000 1504 12345678 20261116";

static bool base64(const char *text, struct buf *raw)
{
    buf_clear(raw);
    return bare_is_base64(bytes_str(text), raw);
}

TEST(no_word_that_one_types_is_taken_apart)
{
    struct buf raw = BUF_INIT(4096);
    char word[64];
    const char *at;
    size_t n = 0;

    for (at = words; *at; at += strcspn(at, " "), at += *at == ' ', n++) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
        if (base64(word, &raw)) {
            fprintf(stderr, "%s\n", word);
            YES(false);
        }
        EQ(0, raw.len);
    }
    YES(n > 500);
    buf_release(&raw);
}

TEST(words_that_are_spelled_as_base64_would_be_are_among_them)
{
    struct buf raw = BUF_INIT(64);

    /* The trap is real: this is what JP makes of it. */
    YES(base64_decode(bytes_str("List"), &raw));
    SAME(bytes_str(".+-"), buf_bytes(&raw));
    NO(base64("List", &raw));
    buf_release(&raw);
}

/* What is encoded is what was encoded. */
static void comes_back(quire_bytes answer)
{
    struct buf text = BUF_INIT(1 << 20), raw = BUF_INIT(1 << 20);

    base64_encode(answer, &text);
    if (!bare_is_base64(buf_bytes(&text), &raw)) {
        fprintf(stderr, "%.*s: %.*s\n", (int)text.len, text.data,
                (int)answer.len, (const char *)answer.data);
        YES(false);
    }
    SAME(answer, buf_bytes(&raw));
    buf_release(&text);
    buf_release(&raw);
}

TEST(what_tools_answer_is_base64)
{
    static const char *const answers[] = {"",
                                          "ok",
                                          "ok\n",
                                          "true",
                                          "false",
                                          "Hi!",
                                          "yes",
                                          "no\n",
                                          "0",
                                          "1\n",
                                          "42\n",
                                          "200",
                                          "404",
                                          "-1\n",
                                          "[]",
                                          "{}\n",
                                          "null",
                                          "nil",
                                          "\n",
                                          " ",
                                          "bin",
                                          "lib",
                                          "npm",
                                          "zsh",
                                          "src",
                                          "TCP",
                                          "PDF",
                                          "API",
                                          "foo",
                                          "bar",
                                          "f()",
                                          "\"a\"",
                                          "a b",
                                          "x=1",
                                          "...",
                                          "---",
                                          "N/A",
                                          "✓",
                                          "é",
                                          "日本",
                                          "there!",
                                          "then()",
                                          "bin\nlib\n",
                                          "\"7\"",
                                          "+1",
                                          "[x]",
                                          "100%",
                                          "aéaé",
                                          "check succeeded",
                                          "File",
                                          "List",
                                          "HEAD",
                                          "Expected"};
    char number[16];
    size_t i;

    for (i = 0; i < sizeof answers / sizeof *answers; i++)
        comes_back(bytes_str(answers[i]));
    for (i = 0; i < 100000; i++) {
        snprintf(number, sizeof number, i % 2 ? "%zu\n" : "%zu", i / 2);
        comes_back(bytes_str(number));
    }
}

TEST(every_word_that_a_tool_answers_comes_back)
{
    static const char *const ends[] = {"", "\n", ".", "!", ":", "()", "\r\n"};
    char answer[80];
    const char *at;
    size_t i;

    for (at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        for (i = 0; i < sizeof ends / sizeof *ends; i++) {
            snprintf(answer, sizeof answer, "%.*s%s", (int)strcspn(at, " "), at,
                     ends[i]);
            comes_back(bytes_str(answer));
        }
}

TEST(long_answers_are_base64_whatever_they_say)
{
    static char zeros[300], prose[3000];
    size_t n;

    comes_back(bytes_of(zeros, sizeof zeros));
    test_prose(1, prose, sizeof prose);
    for (n = 25; n < sizeof prose; n += 7)
        comes_back(bytes_of(prose, n));
}

TEST(what_jp_does_not_decode_is_the_answer_itself)
{
    static const char *const texts[] =
        {"b2s",      "b2s=\n", " b2s=",     "b2t=",     "File not found",
         "_-__",     "w-k=",   "4pyT_w==",  "/////w==", "gICA",
         "b2s=b2s=", "====",   "no result", "b2s",      "é"};
    struct buf raw = BUF_INIT(4096);
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        NO(base64(texts[i], &raw));
        EQ(0, raw.len);
    }
    buf_release(&raw);
}
