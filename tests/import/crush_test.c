/*
 * crush_test.c - each kind of row of Crush
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"
#include "sound.h"
#include "support/catalog.h"

#define ROW(id, role, more, parts)                             \
    "{'message':{'id':'" id "','session_id':'s','role':'" role \
    "','created_at':1772359200,'parts':[" parts "]" more "}}\n"
#define PART(type, data) "{'type':'" type "','data':{" data "}}"
#define MODEL            ",'model':'big','provider':'acme','is_summary_message':0"

static const char sample[] =
    "{'session':{'id':'s','parent_session_id':'p','title':'A talk',"
    "'message_count':5,'prompt_tokens':100,'completion_tokens':20,'cost':0.5,"
    "'created_at':1772359199}}\n" ROW(
        "m1", "user", "",
        PART("text", "'text':'one'") "," PART(
            "image_url",
            "'url':'data:image/png;base64,iVBOR'") "," PART("binary",
                                                            "'Path':'a.png','MIMEType':'image/png','Data':"
                                                            "'iVBOR'") "," PART("finish",
                                                                                "'reason':'stop'"))
        ROW("m2", "assistant", MODEL,
            PART("reasoning", "'thinking':'hm','signature':'c2ln'") "," PART(
                "text",
                "'text':'look'") "," PART("tool_call",
                                          "'id':'t1','name':'bash','input':'{\\'command\\':\\'ls\\'}'"
                                          ",'finished':true") "," PART("finish",
                                                                       "'reason':'tool_use','time':1"))
            ROW("m3", "tool", "",
                PART(
                    "tool_result",
                    "'tool_call_id':'t1','name':'','content':'a.c','metadata'"
                    ":'','is_error':false") "," PART("tool_result",
                                                     "'tool_call_id':'t9','name':'edit','content'"
                                                     ":'no','is_error':true"))
                ROW("m4", "assistant", MODEL,
                    PART("finish", "'reason':'canceled'"))
                    ROW("m5", "assistant",
                        ",'model':'big','is_summary_message':1",
                        PART("text", "'text':'so far'"))
                        ROW("m6", "user", "",
                            PART("shell_command", "'command':'ls'"))
                            ROW("m7", "mystery", "",
                                "") "{'table':'files','row':{'content':'x'}}\n"
                                    "{'what':1}\n";

static struct converted r;

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

TEST(messages_of_crush_are_answers_and_results_with_one_usage)
{
    converted_quoted(&r, &import_crush, sample, false);
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("one", get(0, "message.content.0.text"));
    SAME_TEXT("iVBOR", get(0, "message.content.1.data"));
    SAME_TEXT("image/png", get(0, "message.content.2.mimeType"));
    SAME_TEXT("2026-03-01T10:00:00.000Z", get(0, "timestamp"));
    SAME_TEXT("hm", get(1, "message.content.0.thinking"));
    SAME_TEXT("look", get(1, "message.content.1.text"));
    SAME_TEXT("ls", get(1, "message.content.2.arguments.command"));
    SAME_TEXT("toolUse", get(1, "message.stopReason"));
    SAME_TEXT("100", get(1, "message.usage.input"));
    SAME_TEXT("20", get(1, "message.usage.output"));
    SAME_TEXT("0.5", get(1, "message.usage.cost.total"));
    SAME_TEXT("a.c", get(2, "message.content.0.text"));
    SAME_TEXT("bash", get(2, "message.toolName"));
    SAME_TEXT("edit", get(3, "message.toolName"));
    SAME_TEXT("true", get(3, "message.isError"));
    SAME_TEXT("aborted", get(4, "message.stopReason"));
    SAME_TEXT("0", get(4, "message.usage.input"));
    SAME_TEXT("so far", get(5, "message.content.0.text"));
    SAME_TEXT("so far", get(6, "summary"));
    SAME_TEXT("shell_command", get(7, "message.content.0.type"));
    SAME_TEXT("crush/message", get(8, "customType"));
    SAME_TEXT("crush/record", get(9, "customType"));
    EQ(10, r.n);
    EQ(20, r.output);
    SAME_TEXT("A talk", r.facts.title);
    SAME_TEXT("one", r.facts.prompt);
    SAME_TEXT("p", r.facts.parent);
    SAME_TEXT("big", r.facts.model);
    HAS(r.counts.data, "kept table.files 1");
    HAS(r.counts.data, "block shell_command 1");
    converted_release(&r);
}

TEST(a_session_of_crush_is_the_same_however_it_comes)
{
    sound(&import_crush, sample, false);
}

#define DB "p/.crush/crush.db"

static const char database[] =
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title "
    "TEXT, message_count INTEGER, prompt_tokens INTEGER, completion_tokens "
    "INTEGER, cost REAL, created_at INTEGER, updated_at INTEGER);"
    "CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, "
    "parts TEXT, model TEXT, created_at INTEGER, updated_at INTEGER);"
    "CREATE TABLE files (id TEXT, session_id TEXT, path TEXT, content TEXT, "
    "version TEXT, created_at INTEGER, updated_at INTEGER);"
    "INSERT INTO sessions VALUES ('11111111-2222',NULL,'A talk',1,1,1,0.1,"
    "1772359200,1772359200);"
    "INSERT INTO messages VALUES ('m1','11111111-2222','user','[{\"type\":"
    "\"text\",\"data\":{\"text\":\"one\"}}]',NULL,1772359200,1772359200);"
    "INSERT INTO messages VALUES ('m2','11111111-2222','user','[{torn',NULL,"
    "1772359200,1772359200);"
    "INSERT INTO files VALUES ('f','11111111-2222','a.c','int main;','v0',"
    "1772359200,1772359200);";

static const char original[] =
    "{'session':{'id':'11111111-2222','parent_session_id':null,'title':"
    "'A talk','message_count':1,'prompt_tokens':1,'completion_tokens':1,"
    "'cost':0.10000000000000001,'created_at':1772359200,'updated_at':"
    "1772359200}}\n"
    "{'message':{'id':'m1','session_id':'11111111-2222','role':'user','parts':"
    "[{'type':'text','data':{'text':'one'}}],'model':null,'created_at':"
    "1772359200,'updated_at':1772359200}}\n"
    "{'message':{'id':'m2','session_id':'11111111-2222','role':'user','parts':"
    "'[{torn','model':null,'created_at':1772359200,'updated_at':1772359200}}\n"
    "{'table':'files','row':{'id':'f','session_id':'11111111-2222','path':"
    "'a.c','content':'int main;','version':'v0','created_at':1772359200,"
    "'updated_at':1772359200}}\n";

static const char *text_path(const char *name)
{
    char *copy = test_alloc(512);

    snprintf(copy, 512, "%s", test_path(name));
    return copy;
}

TEST(a_database_of_crush_is_found_in_the_project)
{
    char *cwd = getcwd(NULL, 0);
    struct foreign_import got;
    quire_import_file f;
    quire *q;

    YES(cwd != NULL);
    foreign_sql(text_path(DB), "wal", database);
    setenv("HOME", text_path("h"), 1);
    foreign_dirs(text_path("p/src/x"));
    q = foreign_home();
    YES(chdir(text_path("p/src")) == 0);
    got = foreign_import(q, NULL);
    YES(chdir(cwd) == 0);
    free(cwd);
    EQ(1, got.states[IMPORT_NEW]);
    EQ(1, got.sum.problems); /* parts that are torn */
    OK(quire_import_find(q, text_path(DB "#11111111-2222"), &f, &test_err));
    SAME_TEXT("crush", f.agent);
    SAME_TEXT("11111111-2222", f.session);
    SAME_TEXT("A talk", f.title);
    SAME_TEXT(text_path("p"), f.cwd);
    SAME_TEXT(quoted(original),
              foreign_original(q, text_path(DB "#11111111-2222")));
    EQ(1, foreign_import(q, text_path("p")).states[IMPORT_UNCHANGED]);
    foreign_sql(text_path(DB), NULL,
                "UPDATE files SET content='other', updated_at=1772359300");
    EQ(1, foreign_import(q, text_path(DB)).states[IMPORT_REWRITTEN]);
    quire_close(q);
    catalogue_sound();
}
