/*
 * jp_test.c - each kind of event of JP
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "foreign.h"
#include "sound.h"
#include "support/catalog.h"

#define EVENT(type, more) \
    "{'timestamp':'2026-03-01 10:00:00.123456','type':'" type "'" more "}"

static const char
    sample
        [] =
            "[\n  {'assistant':{'model':'x'}},\n" EVENT(
                "turn_start", "") "," EVENT("chat_request", ",'content':'one'") "," EVENT("chat_response", ",'reasoning':'hm'") ","
                                                                                                                                "{'timestamp':'2026-03-01T10:00:01Z','type':'chat_response','message':"
                                                                                                                                "'look'}," EVENT(
                                                                                                                                    "tool_call_request", ",'id':'t1','name':'fs_read','arguments':{'path':'YS5j',"
                                                                                                                                                         "'deep':[{'x':'aGk='},'not base64',7],'n':1}") "," EVENT("tool_call_request", ",'id':'t2','name':'run','arguments':{}") "," EVENT("tool_call_response", ",'id':'t1','content':'aW50IG1haW47','is_error':false") ","
                                                                                                                                                                                                                                                                                                                                                                         "{'timestamp':'2026-03-01 10:00:02+01:00','type':'tool_call_response',"
                                                                                                                                                                                                                                                                                                                                                                         "'id':'t2','content':'no base64!','is_error':true}," EVENT(
                                                                                                                                                                                                                                                                                                                                                                             "chat_response", ",'data':{'a':1}") "," EVENT("config_delta", ",'delta':{}") "," EVENT("inquiry_request", ",'id':'q'") "," EVENT("compaction",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              ",'from_turn':0") "," EVENT("mystery",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          ",'x':1") "," EVENT("tool_call_response",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              ",'id':'t3','content':{'$blob':'ab','size':3}") "\n]\n";

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(events_of_jp_are_messages_answers_and_results)
{
    converted_quoted(&r, &import_jp, sample, true);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("jp/event", get(0, "customType"));
    SAME_TEXT("one", get(1, "message.content.0.text"));
    SAME_TEXT("2026-03-01T10:00:00.123Z", get(1, "timestamp"));
    SAME_TEXT("hm", get(2, "message.content.0.thinking"));
    SAME_TEXT("look", get(2, "message.content.1.text"));
    SAME_TEXT("fs_read", get(2, "message.content.2.name"));
    SAME_TEXT("a.c", get(2, "message.content.2.arguments.path"));
    SAME_TEXT("hi", get(2, "message.content.2.arguments.deep.0.x"));
    SAME_TEXT("not base64", get(2, "message.content.2.arguments.deep.1"));
    SAME_TEXT("7", get(2, "message.content.2.arguments.deep.2"));
    SAME_TEXT("t2", get(2, "message.content.3.id"));
    SAME_TEXT("int main;", get(3, "message.content.0.text"));
    SAME_TEXT("fs_read", get(3, "message.toolName"));
    SAME_TEXT("t1", get(3, "message.toolCallId"));
    SAME_TEXT("false", get(3, "message.isError"));
    SAME_TEXT("no base64!", get(4, "message.content.0.text"));
    SAME_TEXT("true", get(4, "message.isError"));
    SAME_TEXT("2026-03-01T09:00:02.000Z", get(4, "timestamp"));
    SAME_TEXT("{\"a\":1}", get(5, "message.content.0.text"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT("jp/config_delta", get(6, "customType"));
    SAME_TEXT("jp/inquiry_request", get(7, "customType"));
    SAME_TEXT("jp/compaction", get(8, "customType"));
    SAME_TEXT("jp/mystery", get(9, "customType"));
    SAME_TEXT("ab", get(10, "message.content.0.$blob"));
    EQ(11, r.n);
    SAME_TEXT("one", r.facts.prompt);
    HAS(r.counts.data, "kept turn_start 1");
    HAS(r.counts.data, "unknown mystery 1");
    converted_release(&r);
}

TEST(a_conversation_of_jp_is_the_same_however_it_comes)
{
    sound(&import_jp, sample, true);
}

#define CONVERSATIONS "p/.jp/conversations/"

static const char events[] =
    "[\n  {\n    'timestamp': '2026-03-01 10:00:00.1',\n    'type': "
    "'chat_request',\n    'content': 'one'\n  }\n]\n";

static void set_up(void)
{
    foreign_write(test_path(CONVERSATIONS "17780000011-a-talk/events.json"),
                  events);
    foreign_write(test_path(CONVERSATIONS "17780000011-a-talk/metadata.json"),
                  "{'title':'A talk'}");
    foreign_write(test_path(CONVERSATIONS ".archive/17780000012/events.json"),
                  events);
    foreign_write(test_path(CONVERSATIONS ".trash/17780000013/events.json"),
                  events);
    foreign_dirs(test_path("p/src/x"));
}

TEST(conversations_of_jp_are_found_from_below_their_workspace)
{
    char *path = test_alloc(512), *cwd = getcwd(NULL, 0);
    struct foreign_import got;
    quire_import_file f;
    quire *q;

    YES(cwd != NULL);
    set_up();
    setenv("HOME", test_path("h"), 1);
    unsetenv("XDG_DATA_HOME");
    q = foreign_home();
    YES(chdir(test_path("p/src")) == 0);
    got = foreign_import(q, NULL);
    YES(chdir(cwd) == 0);
    free(cwd);
    EQ(2, got.states[IMPORT_NEW]);
    EQ(0, got.sum.problems);
    snprintf(path, 512, "%s",
             test_path(CONVERSATIONS "17780000011-a-talk/events.json"));
    OK(quire_import_find(q, path, &f, &test_err));
    SAME_TEXT("jp-c17780000011", f.session);
    SAME_TEXT("A talk", f.title);
    SAME_TEXT(test_path("p"), f.cwd);
    SAME_TEXT(quoted(events), foreign_original(q, path));
    snprintf(path, 512, "%s",
             test_path(CONVERSATIONS "17780000011-a-talk/metadata.json"));
    SAME_TEXT("{\"title\":\"A talk\"}", foreign_original(q, path));
    EQ(2, foreign_import(q, test_path("p")).states[IMPORT_UNCHANGED]);
    EQ(2, foreign_import(q, test_path(CONVERSATIONS)).states[IMPORT_UNCHANGED]);
    quire_close(q);
    catalogue_sound();
}
