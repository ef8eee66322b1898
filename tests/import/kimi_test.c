/*
 * kimi_test.c - each kind of record of Kimi Code
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

#define LINE(type, more) "{'type':'" type "'," more ",'time':1772359200123}\n"
#define META                                                   \
    "{'type':'metadata','protocol_version':'1.4','created_at'" \
    ":1772359200000}\n"
#define USER(text)                                                          \
    LINE("context.append_message",                                          \
         "'message':{'role':'user','content':[{'type':'text','text':'" text \
         "'}]}")
#define EVENT(type, more) \
    LINE("context.append_loop_event", "'event':{'type':'" type "'" more "}")
#define BEGIN      EVENT("step.begin", ",'n':1")
#define PART(part) EVENT("content.part", ",'part':" part)
#define CALL(id)       \
    EVENT("tool.call", \
          ",'toolCallId':'" id "','name':'Bash','args':{'command':'ls'}")
#define RESULT(id, result) \
    EVENT("tool.result", ",'toolCallId':'" id "','result':" result)
#define END                                                   \
    EVENT("step.end", ",'usage':{'inputOther':10,'output':5," \
                      "'inputCacheRead':3,'inputCacheCreation':2}")

static const char sample[] = META LINE(
    "config.update",
    "'modelAlias':'kimi-k3','cwd':'/srv/demo'") LINE("turn.prompt",
                                                     "'input':'one'") USER("one")
    LINE("llm.request", "'n':1") BEGIN PART("{'type':'think','think':'hm'}") PART(
        "{'type':'text','text':'look'}") CALL("t1") CALL("t2")
        RESULT("t1", "{'output':'a.c','isError':false}") RESULT(
            "t2", "{'output':[{'type':'text','text':'b'}],'isError':"
                  "true,'note':'cut'}") END LINE("usage.record",
                                                 "'usage':{'output':5}")
            BEGIN PART("{'type':'text','text':'done'}")
                END LINE("turn.steer", "'input':'two'") LINE(
                    "context.append_message",
                    "'role':'user','content':[{'type':'text','text':'two'},{'type':"
                    "'image_url','image_url':{'url':'data:image/png;base64,iVBOR'}}]")
                    LINE("context.append_message",
                         "'message':{'role':'system','content':'be brief'}")
                        LINE("full_compaction.begin", "'n':1")
                            LINE("context.apply_compaction",
                                 "'summary':'so far'") LINE("plan_mode.enter",
                                                            "'id':'p'")
                                LINE("permission.request",
                                     "'id':'q'") LINE("config.update",
                                                      "'modelAlias':'kimi-k3'")
                                    EVENT("mystery", "")
                                        LINE("mystery", "'x':1") BEGIN PART(
                                            "{'type':'text','text':'open'}");

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(steps_of_kimi_are_answers_with_their_results_and_usage)
{
    converted_quoted(&r, &import_kimi, sample, false);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("kimi/kimi-k3", get(0, "model"));
    SAME_TEXT("one", get(1, "message.content.0.text"));
    SAME_TEXT("2026-03-01T10:00:00.123Z", get(1, "timestamp"));
    SAME_TEXT("hm", get(2, "message.content.0.thinking"));
    SAME_TEXT("look", get(2, "message.content.1.text"));
    SAME_TEXT("ls", get(2, "message.content.2.arguments.command"));
    SAME_TEXT("10", get(2, "message.usage.input"));
    SAME_TEXT("5", get(2, "message.usage.output"));
    SAME_TEXT("3", get(2, "message.usage.cacheRead"));
    SAME_TEXT("2", get(2, "message.usage.cacheWrite"));
    SAME_TEXT("kimi-k3", get(2, "message.model"));
    SAME_TEXT("a.c", get(3, "message.content.0.text"));
    SAME_TEXT("Bash", get(3, "message.toolName"));
    SAME_TEXT("b", get(4, "message.content.0.text"));
    SAME_TEXT("cut", get(4, "message.content.1.text"));
    SAME_TEXT("true", get(4, "message.isError"));
    SAME_TEXT("done", get(5, "message.content.0.text"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT("image/png", get(6, "message.content.1.mimeType"));
    SAME_TEXT("developer", get(7, "message.role"));
    SAME_TEXT("so far", get(8, "summary"));
    SAME_TEXT("kimi/plan_mode.enter", get(9, "customType"));
    SAME_TEXT("kimi/permission.request", get(10, "customType"));
    SAME_TEXT("mystery", get(11, "data.event.type"));
    SAME_TEXT("kimi/mystery", get(12, "customType"));
    SAME_TEXT("open", get(13, "message.content.0.text"));
    EQ(14, r.n);
    EQ(13, r.n_settled);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("one", r.facts.prompt);
    SAME_TEXT("kimi-k3", r.facts.model);
    SAME_TEXT("2026-03-01T10:00:00.000Z", r.facts.created);
    HAS(r.counts.data, "repeated turn.prompt 1");
    HAS(r.counts.data, "repeated usage.record 1");
    HAS(r.counts.data, "unknown mystery 1");
    converted_release(&r);
}

TEST(a_session_of_kimi_is_the_same_however_it_comes)
{
    sound(&import_kimi, sample, false);
}
