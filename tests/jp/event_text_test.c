/*
 * What of a conversation can be searched for.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "jp/event_text.h"
#include "support/test.h"

/* The texts of a file, a line each: "index.part kind role[ tool=…][ error]
 * [ image]: text", with line breaks as "|". */
static quire_status see(void *ctx, const struct event_place *event,
                        const struct entry_text *t, quire_error *err)
{
    struct buf *out = ctx;
    size_t i;

    (void)err;
    YES(utf8_check(t->text));
    buf_addf(out, "%d.%u %s %s", (int)event->index, t->part,
             text_kind_name(t->kind), t->role ? text_role_name(t->role) : "-");
    if (t->tool.len)
        buf_addf(out, " tool=%.*s", (int)t->tool.len,
                 (const char *)t->tool.data);
    buf_add_str(out, t->is_error ? " error" : "");
    buf_add_str(out, t->has_image ? " image" : "");
    buf_add_str(out, ": ");
    for (i = 0; i < t->text.len; i++) {
        char c = ((const char *)t->text.data)[i];

        buf_add_char(out, c == '\n' ? '|' : c);
    }
    buf_add_char(out, '\n');
    return QUIRE_OK;
}

/* A blob whose digest is all zero says "from the blob"; the others are not
 * there, or damaged. */
static quire_status fetch(void *ctx, const quire_digest *digest,
                          uint64_t max_bytes, quire_bytes *content,
                          quire_error *err)
{
    static const quire_digest zero = {{0}};

    (void)ctx;
    YES(max_bytes > 0);
    if (digest->byte[0] == 0xdd)
        return err_set(err, QUIRE_DAMAGED, "damaged");
    if (digest->byte[0] == 0xee)
        return err_set(err, QUIRE_IO, "disk");
    if (memcmp(digest, &zero, sizeof zero))
        return err_set(err, QUIRE_NOT_FOUND, "missing");
    *content = bytes_str("from the blob");
    return QUIRE_OK;
}

/* JSON that is written with ' for ". */
static quire_bytes json(const char *text)
{
    size_t len = strlen(text), i;
    char *out = test_alloc(len);

    for (i = 0; i < len; i++)
        out[i] = text[i] == '\'' ? '"' : text[i];
    return bytes_of(out, len);
}

static void check_texts(const char *text, bool legacy, bool with_blobs,
                        const char *wanted)
{
    struct event_blobs blobs = {with_blobs ? fetch : NULL, NULL};
    struct buf out = BUF_INIT(1 << 20);

    OK(event_texts(json(text), legacy, "events.json", blobs, see, &out,
                   &test_err));
    SAME(bytes_str(wanted), buf_bytes(&out));
    buf_release(&out);
}

static void yields(const char *text, const char *wanted)
{
    check_texts(text, false, true, wanted);
}

#define EIGHT "00000000"
#define ZERO  EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define REF   "{'$blob':'" ZERO "','size':13}"

TEST(chat_events_are_messages_and_thinking)
{
    yields("[]", "");
    yields("[{'type':'turn_start'},"
           "{'type':'chat_request','content':'hello\\nthere'},"
           "{'type':'chat_response','reasoning':'hm'},"
           "{'type':'chat_response','message':'hi'},"
           "{'type':'chat_response','data':{'a':['x',1,true]}}]",
           "1.0 message user: hello|there\n"
           "2.0 thinking assistant: hm\n"
           "3.0 message assistant: hi\n"
           "4.0 message assistant: x|1\n");
    yields("[{'type':'chat_request','content':{'text':'hello'}}]",
           "0.0 message user: hello\n");
    yields("[{'type':'compaction','summary':{'summary':'short'}},"
           "{'type':'compaction','from_turn':1}]",
           "0.0 summary -: short\n");
    yields("[{'type':'config_delta','delta':{'content':'x'}},"
           "{'type':'never_seen','content':'x'},7,null,'x',[],{}]",
           "");
}

TEST(strings_in_base64_are_decoded)
{
    yields("[{'type':'tool_call_request','id':'c1','name':'grep',"
           "'arguments':{'p':'aGVsbG8gd29ybGQ=','n':3,'word':'File',"
           "'deep':['bGFzdCBvbmU=']}},"
           "{'type':'tool_call_response','id':'c1','content':'Zm91bmQgaXQK'},"
           "{'type':'tool_call_response','id':'c1','content':'not base64'}]",
           "0.0 tool_input assistant tool=grep: hello world|3|File|last one\n"
           "1.0 tool_result tool tool=grep: found it|\n"
           "2.0 tool_result tool tool=grep: not base64\n");
}

TEST(a_response_has_the_tool_of_its_call)
{
    yields("[{'type':'tool_call_request','id':'c1','name':'grep',"
           "'arguments':{}},"
           "{'type':'tool_call_response','id':'c1','content':'',"
           "'is_error':true},"
           "{'type':'tool_call_response','id':'c2','content':'lost call'}]",
           "0.0 tool_input assistant tool=grep: \n"
           "1.0 tool_result tool tool=grep error: \n"
           "2.0 tool_result tool: lost call\n");
}

TEST(blocks_of_a_response_are_one_text)
{
    yields("[{'type':'tool_call_response','id':'c1','content':["
           "{'type':'text','text':'one'},"
           "{'type':'text','content':{'text':'two'}},"
           "{'type':'resource','resource':{'uri':'file:a.png',"
           "'mimeType':'image/png','blob':'/9j/'}},"
           "{'type':'text','content':{'blob':'dGhyZWU='}},"
           "{'type':'question','text':'sure?'},3]}]",
           "0.0 tool_result tool image: one|two|file:a.png|three|sure?\n");
}

TEST(payloads_in_blobs_are_fetched)
{
    static const char text[] = "[{'type':'tool_call_response','content':["
                               "{'type':'text','content':" REF "},"
                               "{'type':'text','content':{'text':'and'}},"
                               "{'type':'text','content':" REF "}]}]";

    yields(text, "0.0 tool_result tool: from the blob|and|from the blob\n");
    check_texts(text, false, false, "0.0 tool_result tool: and\n");
    yields("[{'type':'tool_call_response','content':" REF "}]",
           "0.0 tool_result tool: from the blob\n");
}

#define NINES "99999999999999"
#define OTHER(first) \
    "{'$blob':'" first NINES NINES NINES NINES "999999','size':13}"

TEST(a_missing_or_damaged_blob_is_left_out_and_other_failures_are_reported)
{
    struct buf out = BUF_INIT(1 << 20);

    yields("[{'type':'tool_call_response','content':["
           "{'type':'text','content':" OTHER(
               "99") "},"
                     "{'type':'text','content':" OTHER(
                         "dd") "},"
                               "{'type':'text','text':'here'}]}]",
           "0.0 tool_result tool: here\n");
    IS(QUIRE_IO,
       event_texts(json("[{'type':'tool_call_response','content':" OTHER(
                       "ee") "}]"),
                   false, "events.json", (struct event_blobs){fetch, NULL}, see,
                   &out, &test_err));
    SAME_TEXT("disk", test_err.what);
    EQ(0, out.len);
}

TEST(resources_of_a_request_are_texts_of_the_user)
{
    yields("[{'type':'chat_request','content':'look','resources':["
           "{'uri':'a.c','content':'int x;'},"
           "{'type':'resource','resource':{'uri':'b.c','content':" REF "}},"
           "{'uri':'c.png','mimeType':'image/png'},7]}]",
           "0.0 message user: look\n"
           "0.1 message user: a.c|int x;\n"
           "0.2 message user: b.c|from the blob\n"
           "0.3 message user image: c.png\n");
}

TEST(questions_and_answers_are_messages)
{
    yields("[{'type':'inquiry_request','id':'q',"
           "'source':{'source':'tool','name':'rm'},"
           "'question':{'text':'really?','answer_type':{'type':'boolean'}}},"
           "{'type':'inquiry_request','source':{'source':'assistant'},"
           "'question':{'text':'which?'}},"
           "{'type':'inquiry_response','id':'q','answer':'the left'},"
           "{'type':'inquiry_response','answer':true}]",
           "0.0 message tool tool=rm: really?\n"
           "1.0 message assistant: which?\n"
           "2.0 message user: the left\n");
}

TEST(pairs_of_older_conversations_are_read)
{
    check_texts("[{'timestamp':'2025-01-01T00:00:00Z','message':"
                "{'query':'hello'},'reply':{'content':'hi',"
                "'reasoning':'hm'}},{'message':'again','reply':'yes'},7]",
                true, false,
                "0.0 message user: hello\n"
                "0.1 thinking assistant: hm\n"
                "0.2 message assistant: hi\n"
                "1.0 message user: again\n"
                "1.1 message assistant: yes\n");
}

static quire_status check_place(void *ctx, const struct event_place *event,
                                const struct entry_text *t, quire_error *err)
{
    (void)t;
    (void)err;
    EQ(1, event->index);
    SAME(bytes_str("ab"), event->id);
    SAME(bytes_str("chat_request"), event->type);
    EQ(INT64_C(1771237230500000), event->time_us);
    ++*(int *)ctx;
    return QUIRE_OK;
}

TEST(a_text_comes_with_the_place_and_time_of_its_event)
{
    int n = 0;

    OK(event_texts(json("[{'type':'turn_start'},{'timestamp':'2026-02-16 "
                        "10:20:30.5','type':'chat_request',"
                        "'event_id':'a\\u0062','content':'x'}]"),
                   false, "events.json", (struct event_blobs){NULL, NULL},
                   check_place, &n, &test_err));
    EQ(1, n);
}

TEST(a_file_that_is_not_an_array_is_refused)
{
    static const struct event_blobs none = {NULL, NULL};
    struct buf out = BUF_INIT(1 << 20);

    IS(QUIRE_DAMAGED, event_texts(bytes_str("[{]"), false, "events.json", none,
                                  see, &out, &test_err));
    HAS(test_err.what, "events.json");
    IS(QUIRE_INVALID, event_texts(bytes_str("{}"), false, "events.json", none,
                                  see, &out, &test_err));
    EQ(0, out.len);
}

static quire_status ignore(void *ctx, const struct event_place *event,
                           const struct entry_text *t, quire_error *err)
{
    (void)ctx;
    (void)event;
    (void)t;
    (void)err;
    return QUIRE_OK;
}

TEST(running_out_of_memory_over_events_is_reported)
{
    quire_bytes text = json("[{'type':'tool_call_request','id':'c1',"
                            "'name':'\\u0061','arguments':{"
                            "'p':'aGVsbG8gd29ybGQ=','q':'aGVsbG8gd29ybGQ='}}]");
    quire_status st;
    bool struck;
    long i;

    for (i = 1; i < 100; i++) {
        fault_arm(i, 12, false);
        st = event_texts(text, false, "events.json",
                         (struct event_blobs){NULL, NULL}, ignore, NULL,
                         &test_err);
        struck = fault_disarm();
        if (!struck)
            break;
        NO(st == QUIRE_OK);
    }
    YES(i > 3 && i < 100);
    OK(st);
}
