/*
 * goose_test.c - each kind of record of Goose
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"
#include "sound.h"
#include "support/catalog.h"

#define LINE(role, content)                                                 \
    "{'id':null,'role':'" role "','created':1772359200,'content':[" content \
    "]}\n"
#define CONTENT                                                              \
    LINE("user",                                                             \
         "{'type':'text','text':'one'},{'type':'image','data':'iVBOR','mime" \
         "Type':'image/png'}")                                               \
    LINE("assistant",                                                        \
         "{'type':'thinking','thinking':'hm','signature':'c2ln'},{'type':"   \
         "'text','text':'look'},{'type':'toolRequest','id':'t1','toolCall':" \
         "{'status':'success','value':{'name':'shell','arguments':{'command" \
         "':'ls'}}}},{'type':'toolRequest','id':'t2','toolCall':{'status':"  \
         "'error','error':'bad'}}")                                          \
    LINE("user",                                                             \
         "{'type':'toolResponse','id':'t1','toolResult':{'status':'success'" \
         ",'value':[{'type':'text','text':'a.c'}]}},{'type':'toolResponse'," \
         "'id':'t2','toolResult':{'status':'error','error':'no tool'}},"     \
         "{'type':'toolResponse','id':'t3','toolResult':{'status':"          \
         "'success','value':{'isError':true,'content':[{'type':'text',"      \
         "'text':'broken'}]}}}")                                             \
    LINE("assistant",                                                        \
         "{'type':'text','text':'done'},{'type':'systemNotification',"       \
         "'msg':'x'},{'type':'mystery'}")                                    \
    LINE("robot", "") "{'what':1}\n"

static const char file[] =
    "{'working_dir':'/srv/demo','description':'A talk','message_count':4,"
    "'accumulated_input_tokens':100,'accumulated_output_tokens':20}\n" CONTENT;

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(messages_of_goose_are_answers_and_results_with_one_usage)
{
    converted_quoted(&r, &import_goose, file, false);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("one", get(0, "message.content.0.text"));
    SAME_TEXT("iVBOR", get(0, "message.content.1.data"));
    SAME_TEXT("2026-03-01T10:00:00.000Z", get(0, "timestamp"));
    SAME_TEXT("hm", get(1, "message.content.0.thinking"));
    SAME_TEXT("c2ln", get(1, "message.content.0.thinkingSignature"));
    SAME_TEXT("ls", get(1, "message.content.2.arguments.command"));
    SAME_TEXT("shell", get(1, "message.content.2.name"));
    SAME_TEXT("t2", get(1, "message.content.3.id"));
    SAME_TEXT("100", get(1, "message.usage.input"));
    SAME_TEXT("20", get(1, "message.usage.output"));
    SAME_TEXT("a.c", get(2, "message.content.0.text"));
    SAME_TEXT("shell", get(2, "message.toolName"));
    SAME_TEXT("false", get(2, "message.isError"));
    SAME_TEXT("no tool", get(3, "message.content.0.text"));
    SAME_TEXT("true", get(3, "message.isError"));
    SAME_TEXT("broken", get(4, "message.content.0.text"));
    SAME_TEXT("true", get(4, "message.isError"));
    SAME_TEXT("done", get(5, "message.content.0.text"));
    SAME_TEXT("0", get(5, "message.usage.input"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    SAME_TEXT("goose/message", get(6, "customType"));
    SAME_TEXT("goose/record", get(7, "customType"));
    EQ(8, r.n);
    EQ(20, r.output);
    SAME_TEXT("A talk", r.facts.title);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("one", r.facts.prompt);
    HAS(r.counts.data, "block mystery 1");
    converted_release(&r);
}

TEST(a_session_of_goose_is_the_same_however_it_comes)
{
    sound(&import_goose, file, false);
}

TEST(rows_of_goose_are_the_same_with_what_the_ledger_says)
{
    static const char rows[] =
        "{'session':{'id':'20260301_1','name':'A talk','working_dir':'/srv',"
        "'accumulated_input_tokens':7,'provider_name':'acme',"
        "'model_config_json':{'model_name':'big'}}}\n"
        "{'table':'usage_ledger','row':{'cost':0.25}}\n"
        "{'table':'usage_ledger','row':{'cost':0.5}}\n"
        "{'message':{'id':1,'message_id':'m1','role':'assistant',"
        "'content_json':[{'type':'text','text':'x'}],'created_timestamp':"
        "1772359200}}\n"
        "{'message':{'id':2,'role':'user','content_json':'[{torn'}}\n";

    converted_quoted(&r, &import_goose, rows, false);
    HAS(r.problems.data, "garbage");
    SAME_TEXT("x", get(0, "message.content.0.text"));
    SAME_TEXT("big", get(0, "message.model"));
    SAME_TEXT("acme", get(0, "message.provider"));
    SAME_TEXT("7", get(0, "message.usage.input"));
    SAME_TEXT("0.75", get(0, "message.usage.cost.total"));
    SAME_TEXT("A talk", r.facts.title);
    converted_release(&r);
}

#define PLACE "h/.local/share/goose/sessions/"

static const char database[] =
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, "
    "created_at TEXT, updated_at TEXT, accumulated_input_tokens INTEGER, "
    "accumulated_output_tokens INTEGER);"
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, "
    "session_id TEXT, role TEXT, content_json TEXT, created_timestamp "
    "INTEGER);"
    "CREATE TABLE usage_ledger (id INTEGER, session_id TEXT, cost REAL);"
    "INSERT INTO sessions VALUES ('20260301_1','A talk','/srv/demo',"
    "'2026-03-01 10:00:00','2026-03-01 10:00:00',1,2);"
    "INSERT INTO messages VALUES (1,'m1','20260301_1','user','[{\"type\":"
    "\"text\",\"text\":\"one\"}]',1772359200);";

static const char *text_path(const char *name)
{
    char *copy = test_alloc(512);

    snprintf(copy, 512, "%s", test_path(name));
    return copy;
}

TEST(a_session_of_goose_in_its_file_and_its_database_is_one)
{
    struct foreign_import got;
    quire_import_file f;
    quire *q;

    unsetenv("XDG_DATA_HOME");
    unsetenv("GOOSE_PATH_ROOT");
    setenv("HOME", text_path("h"), 1);
    foreign_write(text_path(PLACE "20260301_1.jsonl"), file);
    foreign_write(text_path(PLACE "20260302_1.jsonl"), file);
    q = foreign_home();
    got = foreign_import(q, NULL);
    EQ(2, got.states[IMPORT_NEW]);
    SAME_TEXT(quoted(file),
              foreign_original(q, text_path(PLACE "20260301_1.jsonl")));
    foreign_sql(text_path(PLACE "sessions.db"), "wal", database);
    got = foreign_import(q, NULL);
    EQ(1, got.states[IMPORT_REWRITTEN]);
    EQ(1, got.states[IMPORT_UNCHANGED]);
    OK(quire_import_find(q, text_path(PLACE "sessions.db#20260301_1"), &f,
                         &test_err));
    SAME_TEXT("20260301-1", f.session);
    SAME_TEXT("goose", f.agent);
    SAME_TEXT("/srv/demo", f.cwd);
    EQ(2, foreign_import(q, NULL).states[IMPORT_UNCHANGED]);
    foreign_sql(text_path(PLACE "sessions.db"), NULL,
                "UPDATE messages SET content_json='[]'; UPDATE sessions SET "
                "updated_at='2026-03-01 10:00:01'");
    got = foreign_import(q, text_path(PLACE "sessions.db"));
    EQ(1, got.states[IMPORT_REWRITTEN]);
    EQ(0, got.sum.problems);
    quire_close(q);
    catalogue_sound();
}
