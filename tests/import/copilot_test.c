/*
 * copilot_test.c - each kind of event of GitHub Copilot CLI
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

#define EVENT(id, up, type, data)                  \
    "{'type':'" type "','data':" data ",'id':'" id \
    "','timestamp':'2026-03-01T10:00:00.000Z','parentId':" up "}\n"
#define START                                                              \
    EVENT("e1", "null", "session.start",                                   \
          "{'sessionId':'c1','version':1,'producer':'copilot-agent',"      \
          "'copilotVersion':'1.0.102','startTime':'2026-03-01T10:00:00Z'," \
          "'selectedModel':'gpt-5','context':{'cwd':'/srv/demo','branch':" \
          "'main'}}")
#define USER(id, up, text) \
    EVENT(id, up, "user.message", "{'content':'" text "','attachments':[]}")
#define SAYS(id, up, text)             \
    EVENT(id, up, "assistant.message", \
          "{'messageId':'" id "m','content':'" text "','outputTokens':7}")
#define CALLS(id, up)                                                         \
    EVENT(id, up, "assistant.message",                                        \
          "{'messageId':'m1','content':'','model':'gpt-5','reasoningText':"   \
          "'hm','toolRequests':[{'toolCallId':'t1','name':'bash','arguments'" \
          ":{'command':'ls'},'type':'function'}],'outputTokens':3}")
#define USAGE(id, up)                                                 \
    EVENT(id, up, "session.usage_record",                             \
          "{'inputTokens':100,'outputTokens':9,'cacheReadTokens':60," \
          "'cacheWriteTokens':10,'cost':1}")

static const char sample[] = START USER("e2", "'e1'",
                                        "one") EVENT("e3", "'e2'",
                                                     "assistant.turn_start",
                                                     "{'turnId':'0'}")
    CALLS("e4", "'e3'") EVENT("e5", "'e4'", "tool.execution_start",
                              "{'toolCallId':'t1','toolName':'bash',"
                              "'arguments':{'command':'ls'}}")
        EVENT("e6", "'e5'", "tool.execution_complete",
              "{'toolCallId':'t1','success':true,'result':{'content':'a.c'}}")
            USAGE("e7", "'e6'") SAYS("e8", "'e7'", "done")
                EVENT("e9", "'e8'", "assistant.turn_end", "{'turnId':'0'}")
                    EVENT("f1", "'e9'", "session.model_change",
                          "{'newModel':'claude','previousModel':'gpt-5'}")
                        EVENT("f2", "'f1'", "session.truncation",
                              "{'n':1}") EVENT("f3", "'f2'", "subagent.started",
                                               "{'a':1}")
                            EVENT("f4", "'f3'", "tool.execution_start",
                                  "{'toolCallId':'x','toolName':'grep'}")
                                EVENT("f5", "'f4'", "tool.execution_complete",
                                      "{'toolCallId':'x','success':false,"
                                      "'error':{'message':'no'}}")
                                    EVENT("f6", "'f5'", "user.message",
                                          "{'content':'two','attachments':[{"
                                          "'type':'file','path':'/a'}]}")
                                        SAYS("f7", "'f6'", "last")
                                            EVENT("f8", "'f7'", "mystery.event",
                                                  "{}")
                                                EVENT("f9", "'f8'",
                                                      "session.shutdown",
                                                      "{'modelMetrics':{}}");

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(events_of_copilot_are_messages_calls_and_results)
{
    converted_quoted(&r, &import_copilot, sample, false);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("copilot/session.start", get(0, "customType"));
    SAME_TEXT("c1", get(0, "data.sessionId"));
    SAME_TEXT("one", get(1, "message.content.0.text"));
    SAME_TEXT("hm", get(2, "message.content.0.thinking"));
    SAME_TEXT("bash", get(2, "message.content.1.name"));
    SAME_TEXT("ls", get(2, "message.content.1.arguments.command"));
    SAME_TEXT("30", get(2, "message.usage.input"));
    SAME_TEXT("60", get(2, "message.usage.cacheRead"));
    SAME_TEXT("10", get(2, "message.usage.cacheWrite"));
    SAME_TEXT("9", get(2, "message.usage.output"));
    SAME_TEXT("gpt-5", get(2, "message.model"));
    SAME_TEXT("a.c", get(3, "message.content.0.text"));
    SAME_TEXT("bash", get(3, "message.toolName"));
    SAME_TEXT(get(2, "id"), get(3, "parentId"));
    SAME_TEXT("done", get(4, "message.content.0.text"));
    SAME_TEXT("7", get(4, "message.usage.output"));
    SAME_TEXT(get(3, "id"), get(4, "parentId"));
    SAME_TEXT("github-copilot/claude", get(5, "model"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT("copilot/session.truncation", get(6, "customType"));
    SAME_TEXT("copilot/tool.execution_start", get(8, "customType"));
    SAME_TEXT("no", get(9, "message.content.0.text"));
    SAME_TEXT("grep", get(9, "message.toolName"));
    SAME_TEXT("true", get(9, "message.isError"));
    SAME_TEXT("/a", get(10, "message.content.1.path"));
    SAME_TEXT("claude", get(11, "message.model"));
    EQ(14, r.n);
    SAME_TEXT("c1", r.facts.session);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("main", r.facts.branch);
    SAME_TEXT("1.0.102", r.facts.version);
    SAME_TEXT("one", r.facts.prompt);
    HAS(r.counts.data, "unknown mystery.event 1");
    HAS(r.counts.data, "repeated tool.execution_start 1");
    converted_release(&r);
}

static const char attached[] =
    START EVENT("e2", "'e1'", "user.message",
                "{'content':'look','attachments':["
                "{'type':'blob','data':'iVBO','mimeType':'image/png'},"
                "{'type':'blob','data':'aGk=','mimeType':'text/plain'},"
                "{'type':'blob','data':5,'mimeType':'image/png'},"
                "{'type':'file','path':'/a'},7]}");

TEST(images_attached_to_a_prompt_of_copilot_are_images)
{
    converted_quoted(&r, &import_copilot, attached, false);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("look", get(1, "message.content.0.text"));
    SAME_TEXT("image", get(1, "message.content.1.type"));
    SAME_TEXT("image/png", get(1, "message.content.1.mimeType"));
    SAME_TEXT("iVBO", get(1, "message.content.1.data"));
    SAME_TEXT("blob", get(1, "message.content.2.type"));
    SAME_TEXT("text/plain", get(1, "message.content.2.mimeType"));
    SAME_TEXT("5", get(1, "message.content.3.data"));
    SAME_TEXT("/a", get(1, "message.content.4.path"));
}

TEST(a_session_of_copilot_is_the_same_however_it_comes)
{
    sound(&import_copilot, sample, false);
}
