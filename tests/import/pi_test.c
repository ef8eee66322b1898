/*
 * pi_test.c - the format of pi and oh-my-pi, versions 1 to 3
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

#define T "'timestamp':'2026-03-01T10:00:00.000Z'"
#define HEADER                                                         \
    "{'type':'session','version':3,'id':'aaaaaaaaaaaaaaaa'," T         \
    ",'cwd':'/srv/demo','title':'Old','parentSession':'/x/sessions/y/" \
    "2026-01-01T00-00-00-000Z_bbbbbbbbbbbbbbbb.jsonl'}\n"
#define SLOT                                                             \
    "{'type':'title','v':1,'title':'New','updatedAt':'2026-03-01T10:00:" \
    "00.000Z','pad':'   '}\n"
#define USER(id, up, text)                                              \
    "{'type':'message','id':'" id "','parentId':" up "," T ",'message'" \
    ":{'role':'user','content':'" text "','timestamp':1}}\n"
#define SAYS(id, up, text)                                              \
    "{'type':'message','id':'" id "','parentId':" up "," T ",'message'" \
    ":{'role':'assistant','content':[{'type':'text','text':'" text      \
    "'}],'model':'m-1','usage':{'input':1e2,'output':2}}}\n"
#define DIGEST \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char sample[] = SLOT HEADER USER("b0000001", "null", "one") SAYS(
    "b0000002", "'b0000001'",
    "a") "{'type':'model_change','id':'c1','parentId':'b0000002'," T
         ",'provider':'p','modelId':'m'}\n"
         "{'type':'thinking_level_change','id':'c2','parentId':'c1'," T
         ",'thinkingLevel':null}\n"
         "{'type':'service_tier_change','id':'c3','parentId':'c2'," T
         ",'serviceTier':'flex'}\n"
         "{'type':'compaction','id':'c4','parentId':'c3'," T
         ",'summary':'s','firstKeptEntryId':'b0000002','tokensBefore':9}\n"
         "{'type':'branch_summary','id':'c5','parentId':'b0000001'," T
         ",'fromId':'c4','summary':'s'}\n"
         "{'customType':'x','data':{'a':[1,{}]},'type':'custom','id':'c6',"
         "'parentId':'c5'," T "}\n"
         "{'customType':'x','content':'see','display':true,'type':"
         "'custom_message','id':'c7','parentId':'c6'," T "}\n"
         "{'type':'label','id':'c8','parentId':'c7'," T
         ",'targetId':'b0000002','label':'good'}\n"
         "{'type':'ttsr_injection','id':'c9','parentId':'c8'," T
         ",'injectedRules':['r']}\n"
         "{'type':'mcp_tool_selection','id':'d1','parentId':'c9'," T
         ",'selectedToolNames':[]}\n"
         "{'type':'session_init','id':'d2','parentId':'d1'," T
         ",'systemPrompt':'','task':'t','tools':[]}\n"
         "{'type':'mode_change','id':'d3','parentId':'d2'," T
         ",'mode':'plan'}\n"
         "{'type':'title_change','id':'d4','parentId':'d3'," T
         ",'title':'Newer','source':'user'}\n"
         "{'type':'credential_pin','id':'d5','parentId':'d4'," T
         ",'provider':'p','hash':'h'}\n"
         "{'type':'model_usage','id':'d6','parentId':'d5'," T
         ",'purpose':'x','usage':{}}\n"
         "{'type':'reset_boundary','id':'d7','parentId':'d6'," T "}\n"
         "{'type':'session_info','id':'d8','parentId':'d7'," T
         ",'name':'Newest'}\n"
         "{'type':'context_edit','id':'d9','parentId':'d8'," T
         ",'targetId':'b0000001'}\n"
         "{'type':'mystery','id':'e1','parentId':'d9'," T ",'x':1}\n"
         "{'type':'message','id':'e2','parentId':'e1'," T ",'message':{'role'"
         ":'toolResult','content':[{'type':'image','data':'blob:sha256:" DIGEST
         "','mimeType':'image/png'}]}}\n";

static const char version_1[] =
    "{'type':'session','id':'aaaa'," T ",'cwd':'/srv/demo'}\n"
    "{'type':'message'," T ",'message':{'role':'user','content':'one'}}\n"
    "{'type':'model_change'," T ",'provider':'p','modelId':'m'}\n"
    "{'type':'message'," T ",'message':{'role':'hookMessage','content':'h'}}\n"
    "{'type':'message'," T ",'message':{'role':'assistant','content':[]}}\n"
    "{'type':'compaction'," T ",'summary':'s','firstKeptEntryIndex':3,"
    "'tokensBefore':1}\n"
    "{'type':'compaction'," T ",'summary':'s','firstKeptEntryIndex':9}\n";

static struct converted r;

static void run(const char *file)
{
    converted_quoted(&r, &import_omp, file, false);
}

static const char *get(size_t i, const char *path)
{
    return converted_get(&r, i, path);
}

static void done(void)
{
    converted_release(&r);
}

TEST(entries_of_pi_stand_as_they_are)
{
    const char *lines = quoted(sample), *at, *from;
    size_t i;

    run(sample);
    EQ(22, r.n);
    /* All but the entries whose members come in another order, and the one that
     * gets a model. */
    at = strchr(strchr(lines, '\n') + 1, '\n') + 1;
    for (i = 0; i < r.n; i++, at = strchr(at, '\n') + 1) {
        from = memmem(at, strlen(at), "\"type\"", 6) == at + 1 ? at : NULL;
        if (from && i != 2)
            SAME(bytes_of(from, strcspn(from, "\n")), converted_entry(&r, i));
    }
    SAME_TEXT("p/m", get(2, "model"));
    SAME_TEXT("x", get(7, "customType"));
    SAME_TEXT("c5", get(7, "parentId"));
    SAME_TEXT("e2", r.facts.leaf);
    HAS(r.counts.data, "unknown mystery 1");
    SAME_TEXT("", buf_text(&r.problems));
    SAME_TEXT("4 " DIGEST "\n", r.links.data);
    done();
}

TEST(header_and_title_slot_of_pi_are_facts)
{
    run(HEADER USER("b1", "null", "hi") SAYS("b2", "'b1'", "ho"));
    SAME_TEXT("aaaaaaaaaaaaaaaa", r.facts.session);
    SAME_TEXT("/srv/demo", r.facts.cwd);
    SAME_TEXT("Old", r.facts.title);
    SAME_TEXT("bbbbbbbbbbbbbbbb", r.facts.parent);
    SAME_TEXT("hi", r.facts.prompt);
    SAME_TEXT("m-1", r.facts.model);
    done();
    run(SLOT HEADER);
    SAME_TEXT("New", r.facts.title);
    EQ(0, r.n);
    done();
    run(sample);
    SAME_TEXT("Newest", r.facts.title);
    done();
}

TEST(version_1_gets_ids_parents_and_the_entry_that_a_compaction_keeps)
{
    run(version_1);
    EQ(6, r.n);
    SAME_TEXT("null", get(0, "parentId"));
    SAME_TEXT(get(0, "id"), get(1, "parentId"));
    SAME_TEXT("p/m", get(1, "model"));
    SAME_TEXT("custom", get(2, "message.role"));
    SAME_TEXT(get(2, "id"), get(4, "firstKeptEntryId"));
    SAME_TEXT("", get(4, "firstKeptEntryIndex"));
    SAME_TEXT("", get(5, "firstKeptEntryId"));
    SAME_TEXT(get(4, "id"), get(5, "parentId"));
    done();
}

TEST(version_2_renames_the_role_of_hooks_only)
{
    run("{'type':'session','version':2,'id':'a','timestamp':'x','cwd':'/'}\n"
        "{'type':'message','id':'m1','parentId':null," T
        ",'message':{'content':'h','role':'hookMessage'}}\n");
    SAME_TEXT("custom", get(0, "message.role"));
    SAME_TEXT("m1", get(0, "id"));
    done();
}

TEST(a_parent_that_is_not_there_is_null_and_an_id_that_is_taken_another)
{
    run(HEADER USER("m1", "'gone'", "one") USER("m2", "'m1'", "two")
            USER("m1", "'m2'", "three") USER("m3", "'m1'", "four"));
    EQ(4, r.n);
    SAME_TEXT("null", get(0, "parentId"));
    YES(strlen(get(2, "id")) == 33);
    SAME_TEXT("m2", get(2, "parentId"));
    SAME_TEXT(get(2, "id"), get(3, "parentId"));
    HAS(r.problems.data, "missing_parent");
    HAS(r.problems.data, "duplicate_id");
    done();
}

TEST(ids_that_our_format_cannot_have_are_hashed_with_what_names_them)
{
    run(HEADER "{'type':'message','id':'a b','parentId':null," T
               ",'message':{'role':'user','content':'x'}}\n"
               "{'type':'label','id':'l','parentId':'a b'," T
               ",'targetId':'a b','label':'y'}\n");
    EQ(33, strlen(get(0, "id")));
    SAME_TEXT(get(0, "id"), get(1, "parentId"));
    SAME_TEXT(get(0, "id"), get(1, "targetId"));
    done();
}

TEST(a_second_header_and_records_without_a_type_do_no_harm)
{
    run(HEADER HEADER "{'a':1}\n" USER("m1", "null", "one"));
    EQ(2, r.n);
    SAME_TEXT("unknown", get(0, "type"));
    HAS(r.counts.data, "repeated session 1");
    done();
}

TEST(images_in_entries_of_pi_are_payloads)
{
    char data[1200];
    struct buf file = BUF_INIT(10000);

    memset(data, 'A', sizeof data);
    buf_add_str(&file, quoted(HEADER));
    buf_addf(&file,
             "{\"type\":\"message\",\"id\":\"m1\",\"parentId\":null,"
             "\"message\":{\"role\":\"user\",\"data\":\"%.1100s\",\"content\":["
             "{\"type\":\"image\",\"data\":\"%.1100s\",\"mimeType\":"
             "\"image/png\"},{\"image_url\":\"data:image/png;base64,%.1100s\"}"
             "]}}\n",
             data, data, data);
    converted_init(&r, true);
    converted_run(&r, &import_pi, buf_bytes(&file), 0);
    converted_check(&r);
    EQ(1100, strlen(get(0, "message.data")));
    SAME_TEXT("payload:0:1102", get(0, "message.content.0.data"));
    SAME_TEXT("payload:1:1124", get(0, "message.content.1.image_url"));
    buf_release(&file);
    done();
}

TEST(a_session_of_pi_is_the_same_however_it_comes)
{
    sound(&import_omp, sample, false);
    sound(&import_pi, version_1, false);
}
