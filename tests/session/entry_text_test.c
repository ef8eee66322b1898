/*
 * What of a line can be searched for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "session/entry_text.h"
#include "support/test.h"

/* All that a line yields, a text a line: "kind role[ tool=…][ model=…][ error]
 * [ image]: text", with line breaks as "|". */
struct seen {
    struct buf out;
    unsigned n;
    unsigned stop_at;
};

static void add_name(struct buf *out, const char *label, quire_bytes name)
{
    if (name.len)
        buf_addf(out, " %s=%.*s", label, (int)name.len,
                 (const char *)name.data);
}

static quire_status see(void *ctx, const struct entry_text *t, quire_error *err)
{
    struct seen *s = ctx;
    size_t i;

    if (s->n == s->stop_at)
        return err_set(err, QUIRE_BUSY, "enough");
    EQ(s->n++, t->part);
    YES(utf8_check(t->text));
    buf_addf(&s->out, "%s %s", text_kind_name(t->kind),
             t->role ? text_role_name(t->role) : "-");
    add_name(&s->out, "tool", t->tool);
    add_name(&s->out, "model", t->model);
    buf_add_str(&s->out, t->is_error ? " error" : "");
    buf_add_str(&s->out, t->has_image ? " image" : "");
    buf_add_str(&s->out, ": ");
    for (i = 0; i < t->text.len; i++) {
        char c = ((const char *)t->text.data)[i];

        buf_add_char(&s->out, c == '\n' ? '|' : c);
    }
    buf_add_char(&s->out, '\n');
    return QUIRE_OK;
}

static struct entry_text_scratch scratch = ENTRY_TEXT_SCRATCH_INIT;

static const char *texts_of(quire_bytes line, struct entry_text_head *head)
{
    struct seen s = {.out = BUF_INIT(1 << 20), .stop_at = 100};
    char *text;

    OK(entry_texts(line, &scratch, head, see, &s, &test_err));
    buf_add(&s.out, "", 1);
    text = test_alloc(s.out.len);
    memcpy(text, s.out.data, s.out.len);
    buf_release(&s.out);
    return text;
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

static void yields(const char *line, const char *wanted)
{
    struct entry_text_head head;

    SAME_TEXT(wanted, texts_of(json(line), &head));
    entry_text_scratch_release(&scratch);
}

#define MESSAGE(message)                                       \
    "{'type':'message','id':'a1','parentId':null,'timestamp':" \
    "'2026-02-16T10:20:30.000Z','message':" message "}"
#define CONTENT(role, content) \
    MESSAGE("{'role':'" role "','content':" content "}")
#define BLOCK(text) "{'type':'text','text':'" text "'}"
#define PICTURE \
    "{'type':'image','mimeType':'image/png','data':'blob:sha256:ab'}"

TEST(the_texts_of_a_message_are_its_text_blocks)
{
    yields(CONTENT("user", "'hello'"), "message user: hello\n");
    yields(CONTENT("user", "[" BLOCK("hello") "]"), "message user: hello\n");
    yields(CONTENT("user", "[" BLOCK("one") "," BLOCK("two\\nthree") "]"),
           "message user: one|two|three\n");
    yields(CONTENT("user", "['one',{'text':'two'}]"),
           "message user: one|two\n");
    yields(CONTENT("developer", "'rules'"), "message system: rules\n");
    yields(CONTENT("system", "'rules'"), "message system: rules\n");
    yields(CONTENT("narrator", "'once'"), "message -: once\n");
    yields(CONTENT("user", "''"), "");
    yields(CONTENT("user", "[]"), "");
    yields(CONTENT("user", "null"), "");
    yields(CONTENT("user", "[['x'],7,true,null,{}]"), "");
    yields(MESSAGE("{}"), "");
    yields(MESSAGE("'x'"), "");
}

TEST(an_assistants_message_has_thinking_text_and_tool_calls)
{
    yields(MESSAGE("{'role':'assistant','content':["
                   "{'type':'thinking','thinking':'hm','thinkingSignature':'c'}"
                   ",{'type':'text','text':'so'},"
                   "{'type':'toolCall','id':'t','name':'bash','arguments':{"
                   "'command':'ls -l','timeout':30,'quiet':true,'env':null,"
                   "'more':{'list':['a',1.5e3]}}},"
                   "{'type':'text','text':'then'},"
                   "{'type':'redactedThinking','data':'c2VjcmV0'}],"
                   "'model':'m-1','provider':'p'}"),
           "thinking assistant model=m-1: hm\n"
           "message assistant model=m-1: so|then\n"
           "tool_input assistant tool=bash model=m-1: ls -l|30|a|1.5e3\n");
    yields(CONTENT("assistant",
                   "[{'type':'toolCall','name':'a','arguments':{}},"
                   "{'type':'toolCall','name':'b'},"
                   "{'type':'toolCall','arguments':'raw'},"
                   "{'type':'toolCall'}]"),
           "tool_input assistant tool=a: \n"
           "tool_input assistant tool=b: \n"
           "tool_input assistant: raw\n");
    yields(MESSAGE("{'role':'assistant','content':[],'stopReason':"
                   "'error','errorMessage':'overloaded'}"),
           "message assistant error: overloaded\n");
    yields(MESSAGE("{'role':'assistant','content':[],'stopReason':"
                   "'aborted','errorMessage':'aborted'}"),
           "");
}

TEST(a_tool_result_names_its_tool_and_whether_it_failed)
{
    yields(MESSAGE("{'role':'toolResult','toolCallId':'t','toolName':'read',"
                   "'content':[{'type':'text','text':'x'}],"
                   "'details':{'d':'no'},'isError':false}"),
           "tool_result tool tool=read: x\n");
    yields(MESSAGE("{'isError':true,'content':[],'toolName':'read',"
                   "'role':'toolResult'}"),
           "tool_result tool tool=read error: \n");
    yields(MESSAGE("{'role':'bashExecution','command':'ls','output':"
                   "'a\\nb','exitCode':0}"),
           "tool_input user tool=bash: ls\n"
           "tool_result tool tool=bash: a|b\n");
    yields(MESSAGE("{'role':'pythonExecution','code':'1/0','output':"
                   "'division','exitCode':1}"),
           "tool_input user tool=python: 1/0\n"
           "tool_result tool tool=python error: division\n");
}

TEST(blocks_in_the_shape_of_anthropic_are_read_alike)
{
    yields(CONTENT("assistant", "[{'type':'tool_use','id':'t','name':'grep',"
                                "'input':{'pattern':'x+'}}]"),
           "tool_input assistant tool=grep: x+\n");
    yields(CONTENT("user", "[{'type':'tool_result','tool_use_id':'t',"
                           "'content':'found','is_error':true},"
                           "{'type':'tool_result','content':["
                           "{'type':'text','text':'a'},"
                           "{'type':'text','text':'b'}," PICTURE "]},"
                           "{'type':'text','text':'go on'}]"),
           "message user: go on\n"
           "tool_result tool error: found\n"
           "tool_result tool image: a|b\n");
}

TEST(text_in_a_wrapper_of_jp_is_text)
{
    yields(CONTENT("user", "{'text':'hello'}"), "message user: hello\n");
    yields(CONTENT("user", "[{'type':'text','content':{'text':"
                           "'hello'}}]"),
           "message user: hello\n");
    yields(CONTENT("user", "[{'type':'text','text':{'$blob':'ab'}}]"), "");
}

TEST(an_image_marks_the_text_and_is_no_text)
{
    yields(CONTENT("user", "[" BLOCK("see") "," PICTURE "]"),
           "message user image: see\n");
    yields(CONTENT("user", "[" PICTURE "]"), "message user image: \n");
    yields(CONTENT("user", "[{'type':'image','source':{'data':'QUJD'}"
                           "}]"),
           "message user image: \n");
    yields(CONTENT("user", "[{'type':'image_url','image_url':{'url':'x'}}]"),
           "message user image: \n");
    yields(MESSAGE("{'role':'toolResult','toolName':'read',"
                   "'content':[" PICTURE "]}"),
           "tool_result tool tool=read image: \n");
    yields(MESSAGE("{'role':'user','content':'x','images':[{}]}"),
           "message user image: x\n");
}

TEST(encoded_bytes_and_references_are_no_text)
{
#define SIXTEEN "0123456789abcdef"
#define DIGEST  SIXTEEN SIXTEEN SIXTEEN SIXTEEN
#define BASE64  "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w"
    yields(CONTENT("user", "'blob:sha256:" DIGEST "'"), "");
    yields(CONTENT("user", "'see blob:sha256:" DIGEST "'"),
           "message user: see blob:sha256:" DIGEST "\n");
    yields(CONTENT("user", "'data:image/png;base64,QUJD'"), "");
    yields(CONTENT("user", "'data: none'"), "message user: data: none\n");
    yields(CONTENT("assistant",
                   "[{'type':'toolCall','name':'write','arguments':"
                   "{'data':'" BASE64 BASE64 BASE64 BASE64 BASE64
                   "==','path':'a'}}]"),
           "tool_input assistant tool=write: a\n");
    yields(CONTENT("user", "'" BASE64 "'"), "message user: " BASE64 "\n");
}

TEST(mentioned_files_are_a_text_of_the_user)
{
    yields(MESSAGE("{'role':'fileMention','files':[{'path':'a.c',"
                   "'content':'int x;','lineCount':1},{'path':'b.png'"
                   ",'content':'','image':{'data':'QUJD'}}]}"),
           "message user image: a.c|int x;|b.png\n");
}

TEST(custom_messages_are_the_systems_or_the_users)
{
    yields("{'customType':'note','content':'psst','display':true,"
           "'type':'custom_message','id':'1'}",
           "message system: psst\n");
    yields("{'type':'custom_message','attribution':'user',"
           "'content':[{'type':'text','text':'psst'}]}",
           "message user: psst\n");
    yields(CONTENT("hookMessage", "'hooked'"), "message system: hooked\n");
    yields(CONTENT("custom", "'hooked'"), "message system: hooked\n");
    yields("{'type':'custom','data':{'text':'x'}}", "");
}

TEST(summaries_titles_labels_and_tasks_are_texts)
{
    yields("{'type':'compaction','summary':'all of it'}",
           "summary -: all of it\n");
    yields("{'type':'branch_summary','summary':'left'}", "summary -: left\n");
    yields(MESSAGE("{'role':'compactionSummary','summary':'s'}"),
           "summary -: s\n");
    yields("{'type':'label','targetId':'x','label':'good'}", "label -: good\n");
    yields("{'type':'label','targetId':'x'}", "");
    yields("{'type':'title_change','title':'new','previousTitle':"
           "'old'}",
           "title -: new\n");
    yields("{'type':'session_info','name':'mine'}", "title -: mine\n");
    yields("{'type':'session','id':'s','title':'t','cwd':'/x'}",
           "title -: t\n");
    yields("{'type':'title','v':1,'title':'t','pad':'   '}", "title -: t\n");
    yields("{'type':'session_init','systemPrompt':'be','task':"
           "'do'}",
           "message user: do\nmessage system: be\n");
    yields("{'type':'session_init','systemPrompt':['be','good']}",
           "message system: be|good\n");
}

TEST(lines_of_version_1_have_the_same_texts)
{
    yields("{'type':'message','timestamp':'x','message':{'role':"
           "'user','content':'hello'}}",
           "message user: hello\n");
    yields("{'type':'compaction','timestamp':'x','summary':'s',"
           "'firstKeptEntryIndex':2,'tokensBefore':10}",
           "summary -: s\n");
}

TEST(what_is_not_an_entry_has_no_text_and_no_head)
{
    static const char *const lines[] = {
        "",
        "   ",
        "null",
        "7",
        "[]",
        "'message'",
        "{",
        "{'type':'label','id':'1','label':'x'",
        "{'type':'label','id':'1','label':'x'} more",
        "{'type':'label','id':'1','label':'x',}",
        "{'type':'message','id':'1','message':{'content':[{]}}",
    };
    struct entry_text_head head;
    size_t i;

    for (i = 0; i < sizeof lines / sizeof *lines; i++) {
        SAME_TEXT("", texts_of(json(lines[i]), &head));
        EQ(0, head.type.len);
        EQ(0, head.id.len);
        EQ(0, head.time_us);
    }
    yields("{'type':'never seen','text':'x','content':'y'}", "");
    yields("{'type':7,'content':'y'}", "");
    yields("{}", "");
    entry_text_scratch_release(&scratch);
}

TEST(the_head_is_decoded_and_filled_for_any_type)
{
    struct entry_text_head head;

    texts_of(json("{'id':'a\\u0062','parentId':'p','type':"
                  "'mode_change','timestamp':"
                  "'1970-01-01T00:00:01.5Z'}\n"),
             &head);
    SAME(bytes_str("mode_change"), head.type);
    SAME(bytes_str("ab"), head.id);
    SAME(bytes_str("p"), head.parent);
    EQ(1500000, head.time_us);
    texts_of(json(MESSAGE("{'timestamp':'2020','id':'m'}")), &head);
    SAME(bytes_str("a1"), head.id);
    EQ(0, head.parent.len);
    EQ(INT64_C(1771237230000000), head.time_us);
    texts_of(json("{'timestamp':'noon','id':3}"), &head);
    EQ(0, head.time_us);
    EQ(0, head.id.len);
    entry_text_scratch_release(&scratch);
}

TEST(keys_come_in_any_order_and_spelling_and_the_last_one_counts)
{
    yields("{'message':{'content':[" BLOCK("x") "],'r\\u006fle':'user'}"
                                                ",'type':'message'}",
           "message user: x\n");
    yields(MESSAGE("{'role':'user','content':'a','role':"
                   "'developer','content':['b']}"),
           "message system: b\n");
    yields("{'type':'message','message':{'role':'user','content':"
           "'a'},'message':{'content':'b'}}",
           "message -: b\n");
    yields("{'type':'message','message':{'content':'a'},'message':"
           "null}",
           "");
}

TEST(damaged_text_is_mended)
{
    yields(CONTENT("user", "'a\xff"
                           "b'"),
           "message user: a\xef\xbf\xbd"
           "b\n");
    yields(CONTENT("user", "'a\\ud800b'"), "message user: a\xef\xbf\xbd"
                                           "b\n");
    yields(CONTENT("user", "['a\xc3','\\udc00']"),
           "message user: a\xef\xbf\xbd|\xef\xbf\xbd\n");
    yields(CONTENT("user", "'\\ud83d\\ude00 \\'\\u00e9\\''"),
           "message user: \xf0\x9f\x98\x80 \"\xc3\xa9\"\n");
}

static quire_status lent(void *ctx, const struct entry_text *t,
                         quire_error *err)
{
    const quire_bytes *line = ctx;
    const char *at = t->text.data, *start = line->data;

    (void)err;
    YES(at > start && at + t->text.len < start + line->len);
    return QUIRE_OK;
}

TEST(a_single_string_without_escapes_is_not_copied)
{
    quire_bytes line = json(CONTENT("user", "[" BLOCK("plain") "]"));
    struct entry_text_head head;

    OK(entry_texts(line, &scratch, &head, lent, &line, &test_err));
    EQ(0, scratch.text.cap);
    entry_text_scratch_release(&scratch);
}

TEST(a_status_of_the_receiver_ends_the_call)
{
    quire_bytes line = json(
        MESSAGE("{'role':'bashExecution','command':'ls','output':'a'}"));
    struct seen s = {.out = BUF_INIT(1 << 20), .stop_at = 1};
    struct entry_text_head head;

    IS(QUIRE_BUSY, entry_texts(line, &scratch, &head, see, &s, &test_err));
    EQ(1, s.n);
    buf_release(&s.out);
    entry_text_scratch_release(&scratch);
}

static quire_status count(void *ctx, const struct entry_text *t,
                          quire_error *err)
{
    (void)err;
    *(size_t *)ctx += t->text.len;
    return QUIRE_OK;
}

TEST(a_line_of_a_million_blocks_takes_little_memory)
{
    static const char begin[] = "{\"type\":\"message\",\"message\":{\"role\":"
                                "\"user\",\"content\":[\"x\"";
    struct buf line = BUF_INIT(1 << 23);
    struct entry_text_head head;
    size_t n = 0, i;

    buf_add_str(&line, begin);
    for (i = 0; i < 1000000; i++)
        buf_add_str(&line, ",\"x\"");
    buf_add_str(&line, "]}}");
    OK(entry_texts(buf_bytes(&line), &scratch, &head, count, &n, &test_err));
    EQ(2 * ENTRY_TEXT_BLOCKS_MAX - 1, n);
    OK(entry_texts(json("{}"), &scratch, &head, count, &n, &test_err));
    EQ(0, scratch.cap_blocks);
    buf_release(&line);
    entry_text_scratch_release(&scratch);
}

TEST(running_out_of_memory_is_reported)
{
    quire_bytes line = json(
        CONTENT("assistant", "['a\\n','b',{'type':'toolCall','name':'\\u0061',"
                             "'arguments':{'x':'\\t'}}]"));
    struct entry_text_head head;
    quire_status st;
    bool struck;
    long i;

    for (i = 1; i < 100; i++) {
        size_t n = 0;

        fault_arm(i, 12, false);
        st = entry_texts(line, &scratch, &head, count, &n, &test_err);
        struck = fault_disarm();
        entry_text_scratch_release(&scratch);
        if (!struck)
            break;
        EQ(QUIRE_NO_MEMORY, st);
    }
    YES(i > 2 && i < 100);
    OK(st);
}
