/*
 * gemini_test.c - each kind of record of Gemini CLI
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

#define T "'timestamp':'2026-03-01T10:00:00.000Z'"
#define HEADER                                                               \
    "{'sessionId':'11111111-2222-4333-8444-555555555555','projectHash':'ab'" \
    ",'startTime':'2026-03-01T09:59:59.000Z','lastUpdated':'2026-03-01"      \
    "T09:59:59.000Z','kind':'main'}\n"
#define USER(id, text) \
    "{'id':'" id "'," T ",'type':'user','content':[{'text':'" text "'}]}\n"
#define SAYS(id, text)                                        \
    "{'id':'" id "'," T ",'type':'gemini','content':'" text   \
    "','model':'gemini-3','tokens':{'input':100,'output':20," \
    "'cached':60,'thoughts':5,'tool':2,'total':127}}\n"
#define CALL(result)                                             \
    "{'id':'t1','name':'read_file','args':{'path':'a.c'}" result \
    ",'timestamp':'2026-03-01T10:00:01.000Z','resultDisplay':'shown'}"
#define CALLS(id, result)                                             \
    "{'id':'" id "'," T ",'type':'gemini','content':'','thoughts':[{" \
    "'subject':'Plan','description':'read it'}],'toolCalls':[" CALL(  \
        result) "],'model':'gemini-3'}\n"
#define DONE                                                        \
    ",'status':'success','result':[{'functionResponse':{'id':'t1'," \
    "'name':'read_file','response':{'output':'int main'}}}]"

static const char sample[] = HEADER USER("u1", "explain") CALLS("g1", "")
    CALLS("g1", DONE) "{'$set':{'lastUpdated':'2026-03-01T10:00:02.000Z'}}\n" SAYS(
        "g2",
        "It returns.") "{'id':'i1'," T ",'type':'info','content':'Saved'}\n"
                       "{'id':'e1'," T ",'type':'error','content':'Quota'}\n"
                       "{'id':'w1'," T ",'type':'warning','content':'Slow'}\n"
                       "{'id':'z1'," T ",'type':'mystery','content':1}\n"
                       "{'strange':true}\n" USER("u2", "more") SAYS(
                           "g3", "no") "{'$rewindTo':'u2'}\n" USER("u3",
                                                                   "better")
                           SAYS(
                               "g4",
                               "yes") "{'$set':{'summary':'How it parses'}}\n"
                                      "{'$set':{'messages':[{'id':'s1'," T
                                      ",'type':'user','content':'so far'}]}}\n" USER(
                                          "u4", "on") SAYS("g5", "end");

static struct converted r;

static void run(const char *file)
{
    converted_quoted(&r, &import_gemini, file, false);
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

TEST(a_gemini_header_gives_the_facts)
{
    run(HEADER USER("u1", "<session_context> x") USER("u2", "hi")
            SAYS("g1", "ho"));
    SAME_TEXT("11111111-2222-4333-8444-555555555555", r.facts.session);
    SAME_TEXT("2026-03-01T09:59:59.000Z", r.facts.created);
    SAME_TEXT("2026-03-01T10:00:00.000Z", r.facts.updated);
    SAME_TEXT("hi", r.facts.prompt);
    SAME_TEXT("gemini-3", r.facts.model);
    EQ(3, r.n);
    SAME_TEXT("hi", get(1, "message.content.0.text"));
    SAME_TEXT("ho", get(2, "message.content.0.text"));
    SAME_TEXT("google-generative-ai", get(2, "message.api"));
    SAME_TEXT(get(1, "id"), get(2, "parentId"));
    done();
}

TEST(tokens_of_gemini_do_not_overlap)
{
    run(HEADER USER("u1", "hi") SAYS("g1", "ho"));
    SAME_TEXT("42", get(1, "message.usage.input"));
    SAME_TEXT("60", get(1, "message.usage.cacheRead"));
    SAME_TEXT("25", get(1, "message.usage.output"));
    SAME_TEXT("127", get(1, "message.usage.totalTokens"));
    done();
}

TEST(a_gemini_answer_has_thoughts_calls_and_their_results)
{
    run(HEADER USER("u1", "hi") CALLS("g1", DONE) SAYS("g2", "ho"));
    EQ(4, r.n);
    SAME_TEXT("Plan\nread it", get(1, "message.content.0.thinking"));
    SAME_TEXT("toolCall", get(1, "message.content.2.type"));
    SAME_TEXT("a.c", get(1, "message.content.2.arguments.path"));
    SAME_TEXT("toolUse", get(1, "message.stopReason"));
    SAME_TEXT("t1", get(2, "message.toolCallId"));
    SAME_TEXT("read_file", get(2, "message.toolName"));
    SAME_TEXT("int main", get(2, "message.content.0.text"));
    SAME_TEXT("false", get(2, "message.isError"));
    SAME_TEXT(get(2, "id"), get(3, "parentId"));
    done();
}

TEST(a_response_of_a_gemini_call_that_has_its_result_is_not_repeated)
{
    run(HEADER CALLS("g1", DONE) "{'id':'u2'," T ",'type':'user','content':[{"
                                 "'functionResponse':{'id':'t1','name':'x',"
                                 "'response':{'output':'again'}}}]}\n");
    EQ(2, r.n);
    HAS(r.counts.data, "repeated functionResponse 1");
    done();
}

TEST(a_gemini_message_that_comes_again_replaces_the_last)
{
    run(HEADER USER("u1", "hi") CALLS("g1", "") CALLS("g1", DONE));
    EQ(3, r.n);
    EQ(1, r.n_settled);
    HAS(r.counts.data, "repeated message 1");
    done();
}

TEST(a_gemini_message_that_comes_again_late_is_kept)
{
    run(HEADER USER("u1", "hi") SAYS("g1", "ho") USER("u2", "on")
            SAYS("g1", "other"));
    EQ(4, r.n);
    SAME_TEXT("gemini/update", get(3, "customType"));
    SAME_TEXT("other", get(3, "data.content"));
    done();
}

TEST(a_call_without_a_result_has_none_and_a_failed_one_is_an_error)
{
    run(HEADER CALLS("g1", ",'status':'executing'")
            CALLS("g2", ",'status':'cancelled'") USER("u1", "hi"));
    EQ(4, r.n);
    SAME_TEXT("shown", get(2, "message.content.0.text"));
    SAME_TEXT("true", get(2, "message.isError"));
    done();
}

TEST(a_gemini_rewind_continues_on_another_branch)
{
    run(HEADER USER("u1", "one") SAYS("g1", "a") USER("u2", "two")
            SAYS("g2", "b") "{'$rewindTo':'u2'}\n" USER("u3", "three"));
    EQ(6, r.n);
    SAME_TEXT("gemini/rewind", get(4, "customType"));
    SAME_TEXT(get(1, "id"), get(4, "parentId"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT(get(5, "id"), r.facts.leaf);
    done();
}

TEST(a_gemini_rewind_to_an_unknown_message_begins_anew)
{
    run(HEADER USER("u1", "one") "{'$rewindTo':'none'}\n" USER("u2", "two"));
    SAME_TEXT("null", get(1, "parentId"));
    SAME_TEXT(get(1, "id"), get(2, "parentId"));
    done();
}

TEST(a_replaced_gemini_history_without_a_common_beginning_resets_the_context)
{
    run(HEADER USER("u1", "one") SAYS(
        "g1", "a") "{'$set':{'messages':[{'id':'s1','type':'user','content':"
                   "'sum'},{'id':'g1','type':'gemini','content':'a'}]}}\n" USER(
                       "u2", "two"));
    EQ(6, r.n);
    SAME_TEXT("reset_boundary", get(2, "type"));
    SAME_TEXT("sum", get(3, "message.content.0.text"));
    SAME_TEXT("a", get(4, "message.content.0.text"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    done();
}

TEST(a_replaced_gemini_history_continues_behind_what_is_the_same)
{
    run(HEADER USER("u1", "one") SAYS("g1", "a")
            USER("u2",
                 "two") "{'$set':{'messages':[{'id':'u1','type':'user'},"
                        "{'id':'g1','type':'gemini'},{'id':'n1','type':'user',"
                        "'content':'new'}]}}\n");
    EQ(4, r.n);
    SAME_TEXT(get(1, "id"), get(3, "parentId"));
    done();
}

TEST(gemini_notices_and_unknown_records_are_custom_entries)
{
    run(HEADER "{'id':'i1'," T ",'type':'info','content':'Saved','x':1}\n"
               "{'id':'z1'," T ",'type':'mystery','content':1}\n"
               "{'strange':true}\n");
    EQ(3, r.n);
    SAME_TEXT("gemini/info", get(0, "customType"));
    SAME_TEXT("Saved", get(0, "data.content"));
    SAME_TEXT("gemini/mystery", get(1, "customType"));
    SAME_TEXT("true", get(2, "data.strange"));
    HAS(r.counts.data, "unknown mystery 1");
    HAS(r.counts.data, "field info.x 1");
    done();
}

TEST(parts_of_gemini_messages_keep_images_and_responses)
{
    run(HEADER "{'id':'u1'," T ",'type':'user','content':[{'inlineData':{"
               "'mimeType':'image/png','data':'iVBOR'}},'and text',"
               "{'fileData':{'fileUri':'x'}}]}\n"
               "{'id':'u2'," T ",'type':'user','content':[{'functionResponse':"
               "{'id':'q','name':'ls','response':{'error':'none'}}}]}\n");
    EQ(2, r.n);
    SAME_TEXT("image/png", get(0, "message.content.0.mimeType"));
    SAME_TEXT("and text", get(0, "message.content.1.text"));
    SAME_TEXT("x", get(0, "message.content.2.fileData.fileUri"));
    SAME_TEXT("toolResult", get(1, "message.role"));
    SAME_TEXT("ls", get(1, "message.toolName"));
    SAME_TEXT("none", get(1, "message.content.0.text"));
    SAME_TEXT("true", get(1, "message.isError"));
    done();
}

#define DOCUMENT                                                                                   \
    "{\n  'sessionId': '11111111-2222-4333-8444-555555555555',\n  "                                \
    "'projectHash': 'ab',\n  'startTime': '2026-03-01T09:59:59.000Z',\n"                           \
    "  'messages': [\n" USER("u1", "hi") "," CALLS(                                                \
        "g1",                                                                                      \
        DONE) ","                                                                                  \
              "{'id':'g2','type':'gemini','content':'ho ]} \\\\'},{'type':'info',\n'a':[\n1]}],\n" \
              "  'summary': 'About [it]', 'other': {'a':[1,{'b':'}'}]}, 'n': -1.5\n}\n"

TEST(a_gemini_session_of_one_document_is_read)
{
    converted_quoted(&r, &import_gemini, DOCUMENT, true);
    EQ(6, r.n);
    EQ(0, r.n_settled);
    SAME_TEXT("11111111-2222-4333-8444-555555555555", r.facts.session);
    SAME_TEXT("About [it]", r.facts.title);
    SAME_TEXT("2026-03-01T09:59:59.000Z", r.facts.created);
    SAME_TEXT("hi", get(0, "message.content.0.text"));
    SAME_TEXT("ho ]} \\", get(3, "message.content.0.text"));
    SAME_TEXT("title_change", get(5, "type"));
    done();
}

TEST(a_gemini_session_is_the_same_however_it_comes)
{
    sound(&import_gemini, sample, false);
    sound(&import_gemini, DOCUMENT, true);
}
