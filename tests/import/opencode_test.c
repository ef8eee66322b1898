/*
 * opencode_test.c - each kind of record of opencode
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

#define IMAGE "data:image/png;base64,iVBOR"

/* A row of a message and of a part, as its database has them. */
#define MESSAGE(id, data, parts)                                          \
    "{'message':{'id':'" id "','time_created':1772359200123,'data':" data \
    "},'parts':[" parts "]}\n"
#define PART(data) "{'id':'p','data':" data "}"
#define USER       "{'role':'user','time':{'created':1772359200123}}"
#define ANSWER(more)                                                     \
    "{'role':'assistant','modelID':'big','providerID':'acme','cost':0.5" \
    "" more "}"
#define TOKENS                                                       \
    "'tokens':{'input':10,'output':5,'reasoning':2,'cache':{'read':" \
    "3,'write':4},'total':24}"
#define OLD_TOKENS                                                      \
    "'tokens':{'input':10,'output':5,'reasoning':2,'cache':{'read':3,'" \
    "write':4}}"
#define TEXT(text) PART("{'type':'text','text':'" text "'}")
#define START      PART("{'type':'step-start','snapshot':'abc'}")
#define FINISH \
    PART("{'type':'step-finish','reason':'tool-calls','cost':0.25," TOKENS "}")
#define TOOL(id, state) \
    PART("{'type':'tool','callID':'" id "','tool':'bash','state':{" state "}}")

static const char
    sample[] = "{'session':{'id':'ses_1','directory':'/srv/demo','title':'A talk',"
               "'version':'1.18.33','parent_id':'ses_0','time_created':1772359200000,"
               "'revert':null}}\n" MESSAGE(
                   "msg_1", USER,
                   PART("{'type':'text','text':'seen','synthetic':true}") "," TEXT("one") "," PART(
                       "{'type':'file','mime':'image/png','filename':'a.png'"
                       ",'url':'" IMAGE
                       "'}") "," PART("{'type':'file','mime':"
                                      "'application/pdf','filename':'b.pdf','url':'data:"
                                      "application/pdf;base64,JVBERi0="
                                      "'}") "," PART("{'type':'file','mime':'text/"
                                                     "plain','url':'file:///srv/c.c'"
                                                     "}") "," PART("{'type':'agent','name'"
                                                                   ":'plan'}")) MESSAGE("msg_2",
                                                                                        ANSWER(
                                                                                            ",'finish':'stop'," TOKENS),
                                                                                        START
                                                                                        "," PART("{'type':'reasoning','text':'hm','metadata':{'anthropic':{'signature'"
                                                                                                 ":'c2ln'}}}") "," TEXT("look") "," TOOL("c1", "'status':'completed','input':{'command':"
                                                                                                                                               "'ls'},'output':'a.c','metadata':{'exit':0}") "," TOOL("c2", "'status':'completed','input':{'command':'false'},'output':'','metadata':"
                                                                                                                                                                                                            "{'exit':1},'attachments':[{'type':'file','mime':'image/png','url':'" IMAGE "'}]") "," TOOL("c3", "'status':'error','input':{},'error':'no such tool'") "," TOOL("c4",
                                                                                                                                                                                                                                                                                                                                                                             "'status':'running','input':{}") "," FINISH
                                                                                                                                                                                                                                                                                                                                                                                                              "," PART("{'type':'patch','hash':'h','files':[]}") "," START "," TEXT("done") "," FINISH "," PART(
                                                                                                                                                                                                                                                                                                                                                                                                                  "{'type':'retry','attempt':1}") "," PART("{'type':'mystery','x':1}"))
                   MESSAGE(
                       "msg_3", USER,
                       PART(
                           "{'type':'compaction','auto':true,'tail_start_id':'msg_2'}"))
                       MESSAGE(
                           "msg_4",
                           ANSWER(
                               ",'summary':true,'finish':'stop'," OLD_TOKENS),
                           TEXT("so far"))
                           MESSAGE(
                               "msg_5",
                               ANSWER(
                                   ",'error':{'name':'MessageAbortedError','data':{'message':"
                                   "'stopped'}}"),
                               "") "{'table':'todo','row':{'content':'x'}}\n"
                                   "{'message':null,'parts':[" TEXT(
                                       "stray") "]}\n"
                                                "{'what':1}\n";

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(steps_of_opencode_are_answers_with_their_results_and_usage)
{
    converted_quoted(&r, &import_opencode, sample, false);
    HAS(r.problems.data, "garbage"); /* the message that is not there */
    SAME_TEXT("user", get(0, "message.role"));
    SAME_TEXT("one", get(0, "message.content.1.text"));
    SAME_TEXT("image/png", get(0, "message.content.2.mimeType"));
    SAME_TEXT("iVBOR", get(0, "message.content.2.data"));
    SAME_TEXT("application/pdf", get(0, "message.content.3.source.media_type"));
    SAME_TEXT("b.pdf", get(0, "message.content.3.title"));
    SAME_TEXT("file:///srv/c.c", get(0, "message.content.4.url"));
    SAME_TEXT("plan", get(0, "message.content.5.name"));
    SAME_TEXT("2026-03-01T10:00:00.123Z", get(0, "timestamp"));

    SAME_TEXT("hm", get(1, "message.content.0.thinking"));
    SAME_TEXT("c2ln", get(1, "message.content.0.thinkingSignature"));
    SAME_TEXT("look", get(1, "message.content.1.text"));
    SAME_TEXT("ls", get(1, "message.content.2.arguments.command"));
    SAME_TEXT("c4", get(1, "message.content.5.id"));
    SAME_TEXT("10", get(1, "message.usage.input"));
    SAME_TEXT("7", get(1, "message.usage.output"));
    SAME_TEXT("3", get(1, "message.usage.cacheRead"));
    SAME_TEXT("4", get(1, "message.usage.cacheWrite"));
    SAME_TEXT("0.25", get(1, "message.usage.cost.total"));
    SAME_TEXT("toolUse", get(1, "message.stopReason"));
    SAME_TEXT("big", get(1, "message.model"));
    SAME_TEXT("acme", get(1, "message.provider"));

    SAME_TEXT("a.c", get(2, "message.content.0.text"));
    SAME_TEXT("bash", get(2, "message.toolName"));
    SAME_TEXT("false", get(2, "message.isError"));
    SAME_TEXT("true", get(3, "message.isError"));
    SAME_TEXT("image/png", get(3, "message.content.1.mimeType"));
    SAME_TEXT("no such tool", get(4, "message.content.0.text"));
    SAME_TEXT("c3", get(4, "message.toolCallId"));
    SAME_TEXT("true", get(4, "message.isError"));

    SAME_TEXT("done", get(5, "message.content.0.text"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT("10", get(5, "message.usage.input"));
    SAME_TEXT("opencode/retry", get(6, "customType"));
    SAME_TEXT("opencode/mystery", get(7, "customType"));
    SAME_TEXT("so far", get(8, "message.content.0.text"));
    SAME_TEXT("5", get(8, "message.usage.output"));
    SAME_TEXT("0.5", get(8, "message.usage.cost.total"));
    SAME_TEXT("so far", get(9, "summary"));
    SAME_TEXT(get(1, "id"), get(9, "firstKeptEntryId"));
    SAME_TEXT("stopped", get(10, "message.errorMessage"));
    SAME_TEXT("aborted", get(10, "message.stopReason"));
    SAME_TEXT("opencode/message", get(11, "customType"));
    SAME_TEXT("opencode/record", get(12, "customType"));
    EQ(13, r.n);
    EQ(13, r.n_settled);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("A talk", r.facts.title);
    SAME_TEXT("one", r.facts.prompt);
    SAME_TEXT("ses_0", r.facts.parent);
    SAME_TEXT("ses_1", r.facts.session);
    SAME_TEXT("big", r.facts.model);
    HAS(r.counts.data, "kept part.patch 1");
    HAS(r.counts.data, "kept part.step-finish 2");
    HAS(r.counts.data, "kept table.todo 1");
    HAS(r.counts.data, "unknown part.mystery 1");
    converted_release(&r);
}

/* Without the message that is missing, which is reported. */
static const char *undamaged(void)
{
    const char *end = strstr(sample, "{'message':null");
    char *copy = test_alloc(sizeof sample);

    memcpy(copy, sample, (size_t)(end - sample));
    copy[end - sample] = '\0';
    return copy;
}

TEST(a_session_of_opencode_is_the_same_however_it_comes)
{
    sound(&import_opencode, undamaged(), false);
}

static const char exported[] =
    "{\n  'info': {'id':'ses_1','directory':'/srv/demo','title':"
    "'New session - 2026','parentID':'ses_0','version':'1',\n"
    "   'revert': {'messageID':'msg_3'}},\n  'messages': [\n"
    "{'info':{'id':'msg_1','role':'user','time':{'created':1772359200123}},\n"
    " 'parts':[{'type':'text','text':'one','id':'p'}]},\n"
    "{'info':{'id':'msg_2','role':'assistant'," OLD_TOKENS "},'parts':[\n"
    "{'type':'text','text':'two','id':'p'}]},\n"
    "{'info':{'id':'msg_3','role':'user'},'parts':[{'type':'text','text':"
    "'taken back','id':'p'}]}]}\n";

TEST(an_export_of_opencode_is_a_session_that_goes_on_before_what_was_reverted)
{
    converted_quoted(&r, &import_opencode, exported, true);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("one", get(0, "message.content.0.text"));
    SAME_TEXT("two", get(1, "message.content.0.text"));
    SAME_TEXT("5", get(1, "message.usage.output"));
    SAME_TEXT("taken back", get(2, "message.content.0.text"));
    SAME_TEXT("quire/head", get(3, "customType"));
    SAME_TEXT(get(1, "id"), get(3, "parentId"));
    YES(r.facts.title == NULL);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    converted_release(&r);
    sound(&import_opencode, exported, true);
}

TEST(what_a_row_says_in_a_string_is_the_same)
{
    static const char rows[] =
        "{'session':{'file':'session/p/ses_1.json','data':'{\\n  \\'id\\': "
        "\\'ses_1\\', \\'directory\\': \\'/srv\\'\\n}'}}\n"
        "{'message':{'file':'message/ses_1/msg_1.json','data':'{\\n \\'id\\':"
        "\\'msg_1\\',\\n \\'role\\':\\'user\\'}'},'parts':[{'file':'x','data':"
        "'{\\n\\'type\\':\\'agent\\',\\n\\'name\\':\\'a\\'}'},{'file':'y',"
        "'data':'{torn'}]}\n";

    converted_quoted(&r, &import_opencode, rows, false);
    HAS(r.problems.data, "garbage");
    SAME_TEXT("a", get(0, "message.content.0.name"));
    SAME_TEXT("/srv", r.facts.cwd);
    EQ(1, r.n);
    converted_release(&r);
}
