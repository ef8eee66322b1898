/*
 * qwen_test.c - each kind of record of Qwen Code
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

#define HEAD(id, up, type)                                              \
    "{'uuid':'" id "','parentUuid':" up ",'sessionId':'q1','timestamp'" \
    ":'2026-03-01T10:00:00.000Z','type':'" type                         \
    "','cwd':'/srv/demo','version':'0.15.10','gitBranch':'main'"
#define USER(id, up, text) \
    HEAD(id, up, "user")   \
    ",'message':{'role':'user','parts':[{'text':'" text "'}]}}\n"
#define ANSWER(id, up, parts)                                           \
    HEAD(id, up, "assistant")                                           \
    ",'model':'qwen3','message':{'role':'model','parts':[" parts        \
    "]},'usageMetadata':{'promptTokenCount':100,'candidatesTokenCount'" \
    ":20,'cachedContentTokenCount':60,'thoughtsTokenCount':5,"          \
    "'totalTokenCount':125}}\n"
#define CALL(id) \
    "{'functionCall':{'id':'" id "','name':'ls','args':{'path':'a'}}}"
#define RESPONSE(id, text)           \
    "{'functionResponse':{'id':'" id \
    "','name':'ls','response':{'output':'" text "'}}}"
#define RESULT(id, up, parts, status)                                   \
    HEAD(id, up, "tool_result")                                         \
    ",'message':{'role':'user','parts':[" parts "]},'toolCallResult':{" \
    "'callId':'t1','status':'" status "','resultDisplay':'shown'}}\n"
#define SYSTEM(id, up, subtype, payload) \
    HEAD(id, up, "system")               \
    ",'subtype':'" subtype "','systemPayload':" payload "}\n"

static const char sample[] = USER("u1", "null", "one")
    ANSWER("a1", "'u1'",
           "{'thought':true,'text':'hm'},{'text':'look'}," CALL("t1"))
        SYSTEM("s1", "'a1'", "ui_telemetry", "{'x':1}")
            RESULT("r1", "'s1'", RESPONSE("t1", "list"), "success")
                ANSWER("a2", "'r1'", CALL("t2") "," CALL("t3"))
                    RESULT("r2", "'a2'",
                           RESPONSE("t2", "x") "," RESPONSE("t3", "y"),
                           "error") SYSTEM("s2", "'r2'", "slash_command",
                                           "{'phase':'invocation'}")
                        SYSTEM("s3", "'s2'", "attribution_snapshot", "{}")
                            SYSTEM("s4", "'s3'", "mystery", "null")
                                SYSTEM("s5", "'s4'", "chat_compression",
                                       "{'info':{'originalTokenCount':900},"
                                       "'compressedHistory':[{'role':'user',"
                                       "'parts':[{'text':'so far'}]}]}")
                                    USER("u2", "'s5'", "two")
                                        ANSWER("a3", "'u2'", "{'text':'end'}")
                                            USER("u3", "'u1'", "other branch")
                                                HEAD("z", "'u3'",
                                                     "new_kind") ",'data':1}\n";

static struct converted r;

static void run(const char *file)
{
    converted_quoted(&r, &import_qwen, file, false);
}

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(records_of_qwen_are_messages_below_their_parents)
{
    run(sample);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("one", get(0, "message.content.0.text"));
    SAME_TEXT("hm", get(1, "message.content.0.thinking"));
    SAME_TEXT("look", get(1, "message.content.1.text"));
    SAME_TEXT("a", get(1, "message.content.2.arguments.path"));
    SAME_TEXT("40", get(1, "message.usage.input"));
    SAME_TEXT("60", get(1, "message.usage.cacheRead"));
    SAME_TEXT("25", get(1, "message.usage.output"));
    SAME_TEXT("list", get(2, "message.content.0.text"));
    SAME_TEXT("ls", get(2, "message.toolName"));
    SAME_TEXT(get(1, "id"), get(2, "parentId"));
    SAME_TEXT("x", get(4, "message.content.0.text"));
    SAME_TEXT("t2", get(4, "message.toolCallId"));
    SAME_TEXT("true", get(4, "message.isError"));
    SAME_TEXT("t3", get(5, "message.toolCallId"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT("qwen/slash_command", get(6, "customType"));
    SAME_TEXT(get(5, "id"), get(6, "parentId"));
    SAME_TEXT("qwen/mystery", get(7, "customType"));
    SAME_TEXT("compaction", get(8, "type"));
    SAME_TEXT("so far", get(8, "summary"));
    SAME_TEXT("900", get(8, "tokensBefore"));
    SAME_TEXT(get(0, "id"), get(11, "parentId"));
    SAME_TEXT("qwen/new_kind", get(12, "customType"));
    SAME_TEXT("1", get(12, "data.data"));
    EQ(13, r.n);
    SAME_TEXT("q1", r.facts.session);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("one", r.facts.prompt);
    SAME_TEXT("qwen3", r.facts.model);
    HAS(r.counts.data, "kept ui_telemetry 1");
    HAS(r.counts.data, "unknown system.mystery 1");
    HAS(r.counts.data, "unknown new_kind 1");
    converted_release(&r);
}

TEST(a_qwen_record_whose_parent_is_missing_is_a_root)
{
    run(USER("u1", "'gone'", "one") USER("u1", "null", "again"));
    EQ(1, r.n);
    SAME_TEXT("null", get(0, "parentId"));
    HAS(r.problems.data, "missing_parent");
    HAS(r.problems.data, "duplicate_id");
    converted_release(&r);
}

TEST(a_qwen_result_without_parts_is_what_was_displayed)
{
    run(USER("u1", "null", "one") HEAD(
        "r1", "'u1'",
        "tool_result") ",'toolCallResult':{'callId':'t1','status':'cancelled',"
                       "'resultDisplay':'shown'}}\n");
    SAME_TEXT("shown", get(1, "message.content.0.text"));
    SAME_TEXT("true", get(1, "message.isError"));
    converted_release(&r);
}

TEST(a_session_of_qwen_is_the_same_however_it_comes)
{
    sound(&import_qwen, sample, false);
}
