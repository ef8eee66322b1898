/*
 * chat_test.c - messages in the shapes of OpenAI and Anthropic
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sound.h"

#define USER(text)  "{'role':'user','content':'" text "'}\n"
#define SAYS(text)  "{'role':'assistant','content':'" text "'}\n"
#define TIMED(time) "{'role':'user','content':'t','timestamp':" time "}\n"
#define CALLS                                                                \
    "{'role':'assistant','content':null,'reasoning_content':'think','model'" \
    ":'gpt','tool_calls':[{'id':'t1','type':'function','function':{'name':"  \
    "'ls','arguments':'{\\'path\\': \\'a\\'}'}},{'id':'t2','type':"          \
    "'function','function':{'name':'cat','arguments':'plain'}}],"            \
    "'finish_reason':'tool_calls','usage':{'prompt_tokens':100,"             \
    "'completion_tokens':9,'prompt_tokens_details':{'cached_tokens':60}}}\n"
#define TOOL "{'role':'tool','tool_call_id':'t2','content':'text'}\n"
#define USES                                                               \
    "{'role':'assistant','content':[{'type':'thinking','thinking':'hm',"   \
    "'signature':'c2ln'},{'type':'text','text':'look'},{'type':'tool_use'" \
    ",'id':'u1','name':'Read','input':{'p':1}}],'stop_reason':'tool_use'," \
    "'usage':{'input_tokens':10,'output_tokens':5,"                        \
    "'cache_read_input_tokens':3,'cache_creation_input_tokens':2}}\n"
#define RESULT                                                            \
    "{'role':'user','content':[{'type':'tool_result','tool_use_id':'u1'," \
    "'is_error':true,'content':[{'type':'text','text':'gone'},{'type':"   \
    "'image','source':{'type':'base64','media_type':'image/png','data':"  \
    "'iVBOR'}}]},{'type':'text','text':'and now?'}]}\n"
#define IMAGES                                                             \
    "{'role':'user','content':[{'type':'image_url','image_url':{'url':"    \
    "'data:image/png;base64,iVBOR'}},{'type':'image_url','image_url':{"    \
    "'url':'https://example.org/a.png'}},{'type':'image','source':{"       \
    "'type':'url','url':'https://example.org/b.png'}},{'type':'document'," \
    "'source':{'type':'base64','media_type':'application/pdf','data':"     \
    "'JVBE'}},{'type':'input_audio','input_audio':{}}]}\n"

static const char sample[] = "{'role':'system','content':'You help.'}\n" USER(
    "one") SAYS("two") CALLS TOOL
    "{'role':'tool','tool_call_id':'t1','content':[{'type':'text','text':"
    "'list'}]}\n" USES RESULT IMAGES
    "{'from':'human','value':'hi'}\n{'from':'gpt','value':'ho'}\n"
    "{'role':'assistant','content':'','function_call':{'name':'f',"
    "'arguments':'{}'}}\n"
    "{'role':'function','name':'f','content':'done'}\n"
    "{'role':'assistant','message':{'content':[{'type':'text','text':'in'}]}}"
    "\n{'role':'wizard','content':'x'}\n{'no':'role'}\n" TIMED("1772359200")
        TIMED("1772359200123") TIMED("1772359200.5") TIMED(
            "'2026-03-01T11:00:00+01:00'") "{'messages':[{'role':'user','content':'a'},{'role':"
                                           "'assistant','content':'b'}],'model':'m2'}\n"
                                           "{'conversations':[{'from':'human','value':'c'}]}\n";

#define ARRAY "[" USER("one") "," CALLS "," TOOL "," USES "," RESULT "]"
#define DOCUMENT                                                            \
    "{'model':'m1','system':'Be brief','max_tokens':5,\n'messages':[" USER( \
        "one") "," SAYS("two") "],\n'title':'A talk','id':'s-1','created':" \
                               "1772359200}"

static struct converted r;

static void run(const char *file)
{
    converted_quoted(&r, &import_chat, file, false);
}

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

static void done(void)
{
    SAME_TEXT("", buf_text(&r.problems));
    converted_release(&r);
}

TEST(roles_become_messages_that_follow_each_other)
{
    run(sample);
    SAME_TEXT("developer", get(0, "message.role"));
    SAME_TEXT("user", get(1, "message.role"));
    SAME_TEXT("two", get(2, "message.content.0.text"));
    SAME_TEXT(get(1, "id"), get(2, "parentId"));
    SAME_TEXT("one", r.facts.prompt);
    HAS(r.counts.data, "unknown wizard 1");
    HAS(r.counts.data, "unknown record 1");
    done();
}

TEST(calls_of_openai_have_their_arguments_and_results)
{
    run(USER("x") CALLS TOOL);
    EQ(3, r.n);
    SAME_TEXT("think", get(1, "message.content.0.thinking"));
    SAME_TEXT("ls", get(1, "message.content.1.name"));
    SAME_TEXT("a", get(1, "message.content.1.arguments.path"));
    SAME_TEXT("plain", get(1, "message.content.2.arguments.input"));
    SAME_TEXT("toolUse", get(1, "message.stopReason"));
    SAME_TEXT("openai-completions", get(1, "message.api"));
    SAME_TEXT("gpt", get(1, "message.model"));
    SAME_TEXT("40", get(1, "message.usage.input"));
    SAME_TEXT("60", get(1, "message.usage.cacheRead"));
    SAME_TEXT("9", get(1, "message.usage.output"));
    SAME_TEXT("cat", get(2, "message.toolName"));
    SAME_TEXT("text", get(2, "message.content.0.text"));
    done();
}

TEST(a_function_without_an_id_is_answered_by_the_next_result)
{
    run("{'role':'assistant','function_call':{'name':'f','arguments':'{}'}}\n"
        "{'role':'function','name':'f','content':'done'}\n");
    SAME_TEXT(get(0, "message.content.0.id"), get(1, "message.toolCallId"));
    SAME_TEXT("f", get(1, "message.toolName"));
    done();
}

TEST(blocks_of_anthropic_are_calls_and_results)
{
    run(USES RESULT);
    EQ(3, r.n);
    SAME_TEXT("anthropic-messages", get(0, "message.api"));
    SAME_TEXT("c2ln", get(0, "message.content.0.thinkingSignature"));
    SAME_TEXT("Read", get(0, "message.content.2.name"));
    SAME_TEXT("10", get(0, "message.usage.input"));
    SAME_TEXT("toolResult", get(1, "message.role"));
    SAME_TEXT("Read", get(1, "message.toolName"));
    SAME_TEXT("true", get(1, "message.isError"));
    SAME_TEXT("image/png", get(1, "message.content.1.mimeType"));
    SAME_TEXT("user", get(2, "message.role"));
    SAME_TEXT("and now?", get(2, "message.content.0.text"));
    SAME_TEXT("", get(2, "message.content.1"));
    done();
}

TEST(images_and_documents_of_messages_are_kept)
{
    run(IMAGES);
    EQ(1, r.n);
    SAME_TEXT("iVBOR", get(0, "message.content.0.data"));
    SAME_TEXT("https://example.org/a.png",
              get(0, "message.content.1.image_url"));
    SAME_TEXT("https://example.org/b.png",
              get(0, "message.content.2.image_url"));
    SAME_TEXT("JVBE", get(0, "message.content.3.source.data"));
    SAME_TEXT("input_audio", get(0, "message.content.4.type"));
    done();
}

TEST(times_are_text_seconds_or_milliseconds)
{
    run(TIMED("1772359200") TIMED("1772359200123") TIMED("1772359200.5")
            TIMED("'2026-03-01T11:00:00+01:00'") TIMED("12") TIMED("null"));
    SAME_TEXT("2026-03-01T10:00:00.000Z", get(0, "timestamp"));
    SAME_TEXT("2026-03-01T10:00:00.123Z", get(1, "timestamp"));
    SAME_TEXT("2026-03-01T10:00:00.500Z", get(2, "timestamp"));
    SAME_TEXT("2026-03-01T10:00:00.000Z", get(3, "timestamp"));
    SAME_TEXT("2026-03-01T10:00:00.000Z", get(5, "timestamp"));
    done();
}

TEST(each_line_with_a_list_is_a_conversation_of_its_own)
{
    run("{'messages':[{'role':'user','content':'a'},{'role':'assistant',"
        "'content':'b'}],'model':'m2'}\n"
        "{'conversations':[{'from':'human','value':'c'}]}\n");
    EQ(3, r.n);
    SAME_TEXT("null", get(0, "parentId"));
    SAME_TEXT(get(0, "id"), get(1, "parentId"));
    SAME_TEXT("m2", get(1, "message.model"));
    SAME_TEXT("null", get(2, "parentId"));
    SAME_TEXT("c", get(2, "message.content.0.text"));
    done();
}

TEST(one_object_with_messages_has_members_of_its_session)
{
    converted_quoted(&r, &import_chat, DOCUMENT, true);
    EQ(3, r.n);
    SAME_TEXT("Be brief", get(0, "message.content.0.text"));
    SAME_TEXT("m1", get(2, "message.model"));
    SAME_TEXT("A talk", r.facts.title);
    SAME_TEXT("s-1", r.facts.session);
    HAS(r.counts.data, "kept max_tokens 1");
    done();
    converted_quoted(&r, &import_cline, ARRAY, true);
    EQ(6, r.n);
    done();
}

TEST(a_document_that_is_damaged_gives_what_can_be_read)
{
    static const struct {
        const char *text, *problem;
        size_t n;
    } cases[] = {
        {"[{'role':'user','content':'a'},{'role':],{'role':'user'}]", "garbage",
         2},
        {"[{'role':'user','content':'a'},{'role':'us", "torn", 1},
        {"[{'role':'user','content':'a'} 17 null,'x']", "not_object", 1},
        {"[{'role':'user','content':'a'}] more", "garbage", 1},
        {"{'messages':[{'role':'user','content':'a'}", "torn", 1},
        {"{'messages':[{'role':'user','content':'a'}]],'x':1}", "garbage", 1},
        {"text", "garbage", 0},
        {"{'messages'}", "garbage", 0},
        {"{'a':,}", "garbage", 0},
        {"\xef\xbb\xbf [\n{'role':'user',\n'content':'a'}\n]\n", "", 1},
        {"", "", 0},
        {"[]", "", 0},
        {"{}", "", 0},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        converted_quoted(&r, &import_chat, cases[i].text, true);
        EQ(cases[i].n, r.n);
        HAS(buf_text(&r.problems), cases[i].problem);
        if (!*cases[i].problem)
            SAME_TEXT("", buf_text(&r.problems));
        converted_release(&r);
    }
}

TEST(a_problem_of_a_document_has_its_line_and_byte)
{
    converted_quoted(&r, &import_chat,
                     "[\n{'role':'user','content':'a'},\n  {'role':tru}\n]",
                     true);
    SAME_TEXT("line 3 byte 43 garbage\n", buf_text(&r.problems));
    converted_release(&r);
}

/* ---- large documents ---------------------------------------------------- */

static quire_status take(void *ctx, const struct import_entry *e,
                         quire_error *err)
{
    size_t *n = ctx;

    (void)err;
    YES(e->provisional);
    ++*n;
    return QUIRE_OK;
}

static long peak_kb(void)
{
    struct rusage use;

    YES(getrusage(RUSAGE_SELF, &use) == 0);
    return use.ru_maxrss;
}

/* One message, with so much text. */
static void feed_message(struct import_converter *c, size_t bytes)
{
    static char text[64 << 10];
    size_t n;

    memset(text, 'x', sizeof text);
    OK(import_converter_feed(c, bytes_str("{\"role\":\"user\",\"content\":\""),
                             &test_err));
    for (; bytes; bytes -= n) {
        n = bytes < sizeof text ? bytes : sizeof text;
        OK(import_converter_feed(c, bytes_of(text, n), &test_err));
    }
    OK(import_converter_feed(c, bytes_str("\"},\n"), &test_err));
}

static void count_problem(void *ctx, const struct import_problem *p)
{
    (void)ctx;
    SAME_TEXT("too_long", p->kind);
}

TEST(a_document_of_any_size_is_read_in_bounded_memory)
{
    struct import_options options = {.whole = true};
    size_t n = 0;
    struct import_sink sink = {.ctx = &n,
                               .entry = take,
                               .problem = count_problem};
    struct import_converter *c;
    long before = peak_kb();
    int i;

    OK(import_converter_new(&import_chat, &sink, &options, &c, &test_err));
    OK(import_converter_feed(c, bytes_str("["), &test_err));
    for (i = 0; i < 20; i++)
        feed_message(c, (size_t)15 << 20);
    feed_message(c, (size_t)40 << 20);
    feed_message(c, 10);
    OK(import_converter_feed(c, bytes_str("{}]"), &test_err));
    OK(import_converter_finish(c, &test_err));
    import_converter_free(c);
    EQ(22, n);
    if (peak_kb() - before > 64 << 10)
        printf("%ld KiB more\n", peak_kb() - before);
#if !defined(__SANITIZE_ADDRESS__)
    YES(peak_kb() - before <= 64 << 10);
#endif
}

TEST(messages_are_the_same_however_they_come)
{
    sound(&import_chat, sample, false);
    sound(&import_chat, ARRAY, true);
    sound(&import_cline, DOCUMENT, true);
}
